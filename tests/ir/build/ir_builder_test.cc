// SPDX-License-Identifier: Apache-2.0

#include "ir/build/ir_builder.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/text/program_writer.h"

namespace ptxmir::ir {
namespace {

std::string Finished(ModuleBuilder& module) {
  DiagnosticEngine diagnostics;
  const ProgramFile file = module.Finish(diagnostics);
  EXPECT_EQ(diagnostics.ToString(), "");
  if (file.program == nullptr) return "";
  std::string text;
  WriteProgram(*file.program, &text);
  // The written text can be read.
  const ProgramFile again = ReadProgram(std::make_shared<SourceBuffer>("built.ll", text), diagnostics);
  EXPECT_NE(again.program, nullptr) << diagnostics.ToString() << text;
  return text;
}

bool Contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// The example of docs/llvm-ir.md.
ProgramFile BuildScale(DiagnosticEngine& diagnostics) {
  ModuleBuilder module("scale.ll");
  const IrType* i32 = module.getInt32Ty();
  Function* kernel =
      module.CreateKernel("scale", {module.getPtrTy(1), module.getFloatTy(), i32}, {.max_threads = {128}});
  IRBuilder b(module);
  BasicBlock* entry = b.CreateBasicBlock(kernel, "entry");
  BasicBlock* body = b.CreateBasicBlock(kernel, "body");
  BasicBlock* exit = b.CreateBasicBlock(kernel, "exit");

  b.SetInsertPoint(entry);
  Value* i = b.CreateIntrinsic("llvm.nvvm.read.ptx.sreg.tid.x", i32, {}, "i");
  b.CreateCondBr(b.CreateICmp(Predicate::kUlt, i, kernel->arguments()[2]), body, exit);

  b.SetInsertPoint(body);
  Value* address = b.CreateInBoundsGEP(module.getFloatTy(), kernel->arguments()[0], {i}, "address");
  Value* x = b.CreateLoad(module.getFloatTy(), address, "x");
  b.CreateStore(b.CreateFMul(x, kernel->arguments()[1]), address);
  b.CreateBr(exit);

  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  return module.Finish(diagnostics);
}

TEST(IRBuilderTest, Example) {
  DiagnosticEngine diagnostics;
  const ProgramFile file = BuildScale(diagnostics);
  ASSERT_NE(file.program, nullptr) << diagnostics.ToString();
  std::string text;
  WriteProgram(*file.program, &text);
  EXPECT_TRUE(Contains(text, "target triple = \"nvptx64-nvidia-cuda\"")) << text;
  EXPECT_TRUE(Contains(text,
                       "define ptx_kernel void @scale(ptr addrspace(1) %0, float %1, i32 %2) "
                       "\"nvvm.maxntid\"=\"128\" {"))
      << text;
  EXPECT_TRUE(Contains(text,
                       "  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                       "  %3 = icmp ult i32 %i, %2\n"
                       "  br i1 %3, label %body, label %exit\n"))
      << text;
  EXPECT_TRUE(Contains(text,
                       "  %address = getelementptr inbounds float, ptr addrspace(1) %0, i32 %i\n"
                       "  %x = load float, ptr addrspace(1) %address, align 4\n"
                       "  %4 = fmul float %x, %1\n"
                       "  store float %4, ptr addrspace(1) %address, align 4\n"))
      << text;
}

TEST(IRBuilderTest, Loop) {
  ModuleBuilder module("loop.ll");
  const IrType* i32 = module.getInt32Ty();
  Function* f = module.CreateFunction("sum", module.getFunctionTy(i32, {i32}), Linkage::kInternal);
  module.NameArgument(f, 0, "n");
  IRBuilder b(module);
  BasicBlock* entry = b.CreateBasicBlock(f, "entry");
  BasicBlock* loop = b.CreateBasicBlock(f, "loop");
  BasicBlock* exit = b.CreateBasicBlock(f, "exit");
  b.SetInsertPoint(entry);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  Instruction* i = b.CreatePHI(i32, "i");
  Instruction* sum = b.CreatePHI(i32, "sum");
  Value* next_sum = b.CreateAdd(sum, i, "sum", /*nuw=*/false, /*nsw=*/true);
  Value* next = b.CreateAdd(i, b.getInt32(1), "i");
  b.CreateCondBr(b.CreateICmp(Predicate::kEq, next, f->arguments()[0]), exit, loop);
  b.SetInsertPoint(exit);
  b.CreateRet(next_sum);
  b.addIncoming(i, b.getInt32(0), entry);
  b.addIncoming(i, next, loop);
  b.addIncoming(sum, i, loop);  // a PHI that is replaced earlier
  b.addIncoming(sum, b.getInt32(7), entry);
  const std::string text = Finished(module);
  EXPECT_TRUE(Contains(text, "define internal i32 @sum(i32 %n) {")) << text;
  EXPECT_TRUE(Contains(text,
                       "  %i = phi i32 [ 0, %entry ], [ %i2, %loop ]\n"
                       "  %sum = phi i32 [ %i, %loop ], [ 7, %entry ]\n"
                       "  %sum1 = add nsw i32 %sum, %i\n"
                       "  %i2 = add i32 %i, 1\n") ||
              Contains(text, "  %sum = phi i32 [ %i, %loop ], [ 7, %entry ]\n"))
      << text;
}

TEST(IRBuilderTest, AggregatesVectorsAndGlobals) {
  ModuleBuilder module("all.ll");
  const IrType* i32 = module.getInt32Ty();
  const IrType* f32 = module.getFloatTy();
  const IrType* pair = module.createStruct("pair", {i32, module.getVectorTy(f32, 4)});
  const GlobalVariable* tile = module.CreateGlobal("tile", module.getArrayTy(pair, 8), 3, Linkage::kInternal);
  Function* k = module.CreateKernel("k", {module.getPtrTy()}, {.required_threads = {32, 2}, .min_blocks = 3});
  IRBuilder b(module);
  b.SetInsertPoint(b.CreateBasicBlock(k));
  Value* element =
      b.CreateGEP(module.getArrayTy(pair, 8), b.getGlobal(tile), {b.getInt64(0), b.getInt64(2), b.getInt32(1)});
  Value* vector = b.CreateLoad(module.getVectorTy(f32, 4), element);
  b.setFastMathFlags(kAllowContract);
  Value* lane = b.CreateFAdd(b.CreateExtractElement(vector, b.getInt32(3)), b.getFloat(0.5f));
  vector = b.CreateInsertElement(vector, lane, b.getInt32(0));
  Value* value = b.CreateInsertValue(b.getPoison(pair), vector, {1});
  b.CreateStore(b.CreateExtractValue(value, {1}), k->arguments()[0], 16);
  b.CreateAtomicRMW(AtomicOperation::kUMax, k->arguments()[0], b.getInt32(4), AtomicOrdering::kMonotonic, "device");
  BasicBlock* rest = b.CreateBasicBlock(k);
  b.CreateSwitch(b.CreateZExt(b.getInt1(true), i32), rest, {{5, rest}});
  b.SetInsertPoint(rest);
  b.CreateRetVoid();
  const std::string text = Finished(module);
  EXPECT_TRUE(Contains(text, "%pair = type { i32, <4 x float> }")) << text;
  EXPECT_TRUE(Contains(text, "@tile = internal addrspace(3) global [8 x %pair] undef")) << text;
  EXPECT_TRUE(Contains(text, "\"nvvm.reqntid\"=\"32,2\" \"nvvm.minctasm\"=\"3\"")) << text;
  EXPECT_TRUE(Contains(text, "fadd contract float")) << text;
  EXPECT_TRUE(Contains(text, "atomicrmw umax ptr %0, i32 4 syncscope(\"device\") monotonic, align 4")) << text;
}

// Makes a kernel and misuses the builder in it. Returns the error.
template <typename Misuse>
std::string ErrorOf(Misuse misuse) {
  ModuleBuilder module("wrong.ll");
  Function* k = module.CreateKernel("k", {module.getPtrTy(), module.getInt32Ty(), module.getFloatTy()});
  IRBuilder b(module);
  b.SetInsertPoint(b.CreateBasicBlock(k, "entry"));
  misuse(module, b, *k);
  DiagnosticEngine diagnostics;
  EXPECT_EQ(module.Finish(diagnostics).program, nullptr);
  return diagnostics.ToString();
}

TEST(IRBuilderTest, MisuseIsAnError) {
  const auto add = [](ModuleBuilder&, IRBuilder& b, Function& k) {
    // The first error is kept, and what it returns can be used.
    Value* wrong = b.CreateAdd(k.arguments()[1], k.arguments()[2]);
    b.CreateStore(b.CreateAdd(wrong, b.getInt32(1)), k.arguments()[2]);
  };
  EXPECT_TRUE(Contains(ErrorOf(add), "function 'k': Create add: the operands are 'i32' and 'float'")) << ErrorOf(add);
  const auto null = [](ModuleBuilder&, IRBuilder& b, Function&) { b.CreateLoad(nullptr, nullptr); };
  EXPECT_TRUE(Contains(ErrorOf(null), "CreateLoad: an operand is null"));
  const auto after = [](ModuleBuilder&, IRBuilder& b, Function&) {
    b.CreateRetVoid();
    b.CreateRetVoid();
  };
  EXPECT_TRUE(Contains(ErrorOf(after), "CreateRetVoid: the block has a terminator already"));
  const auto other = [](ModuleBuilder& module, IRBuilder& b, Function& k) {
    Function* f = module.CreateFunction("f", module.getFunctionTy(module.getVoidTy(), {module.getInt32Ty()}));
    b.CreateAdd(k.arguments()[1], f->arguments()[0]);
  };
  EXPECT_TRUE(Contains(ErrorOf(other), "an operand is of another function"));
  const auto call = [](ModuleBuilder& module, IRBuilder& b, Function&) {
    b.CreateCall(module.DeclareFunction("g", module.getFunctionTy(module.getFloatTy(), {module.getFloatTy()})), {});
  };
  EXPECT_TRUE(Contains(ErrorOf(call), "the arguments do not fit 'g' of type 'float (float)'"));
  const auto gep = [](ModuleBuilder& module, IRBuilder& b, Function& k) {
    b.CreateGEP(module.getStructTy({module.getInt32Ty()}), k.arguments()[0], {b.getInt32(0), b.getInt32(1)});
  };
  EXPECT_TRUE(Contains(ErrorOf(gep), "the indices do not fit '{ i32 }' at 'ptr'"));
  const auto name = [](ModuleBuilder& module, IRBuilder&, Function&) { module.CreateKernel("k", {}); };
  EXPECT_TRUE(Contains(ErrorOf(name), "the name 'k' is taken"));
  const auto no_place = [](ModuleBuilder& module, IRBuilder&, Function&) { IRBuilder(module).getInt32(1); };
  EXPECT_TRUE(Contains(ErrorOf(no_place), "there is no insert point"));
  const auto open = [](ModuleBuilder&, IRBuilder&, Function&) {};
  EXPECT_NE(ErrorOf(open), "");  // the verifier's: the block has no terminator
}

}  // namespace
}  // namespace ptxmir::ir
