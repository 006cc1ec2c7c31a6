// SPDX-License-Identifier: Apache-2.0

// ModuleBuilder and IRBuilder: make LLVM IR by calls, in the vocabulary of LLVM's IRBuilder.
//
//     ir::ModuleBuilder module("saxpy.ll");
//     ir::Function* k = module.CreateKernel("k", {module.getPtrTy(1), module.getFloatTy()}, {.max_threads = {128}});
//     ir::IRBuilder b(module);
//     b.SetInsertPoint(b.CreateBasicBlock(k, "entry"));
//     ir::Value* i = b.CreateIntrinsic("llvm.nvvm.read.ptx.sreg.tid.x", module.getInt32Ty(), {});
//     ...
//     ir::ProgramFile file = module.Finish(diagnostics);
//
// Misuse is an error, never a crash. The first error is kept, with a message that names the function and the call;
// Finish reports it. A call with a wrong operand returns poison of the type that the result would have, or null if that
// is not known; null and values of other functions are wrong operands. Finish also verifies the module (ir/verify).
//
// PHIs get their entries with addIncoming. Until Finish they have none in the instruction itself, so code that edits
// instructions (ir/code/editing.h) runs after it; pointers to PHIs do not outlive it.

#ifndef PTXMIR_IR_BUILD_IR_BUILDER_H_
#define PTXMIR_IR_BUILD_IR_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "ir/text/program_reader.h"

namespace ptxmir::ir {

// The bounds of a kernel's launches. Empty lists and zeros say nothing.
struct LaunchBounds {
  std::vector<uint32_t> max_threads = {};       // nvvm.maxntid: one to three numbers
  std::vector<uint32_t> required_threads = {};  // nvvm.reqntid
  std::vector<uint32_t> cluster = {};           // nvvm.cluster_dim
  uint32_t min_blocks = 0;                      // nvvm.minctasm
  uint32_t max_registers = 0;                   // nvvm.maxnreg
};

class ModuleBuilder {
 public:
  explicit ModuleBuilder(std::string_view source_name, std::string_view triple = "nvptx64-nvidia-cuda");
  ModuleBuilder(const ModuleBuilder&) = delete;
  ModuleBuilder& operator=(const ModuleBuilder&) = delete;

  Module& module() { return *file_.module; }
  Program& program() { return *file_.program; }
  // Returns the first error; empty if there was none.
  const std::string& error() const { return error_; }

  const IrType* getVoidTy() { return types().Void(); }
  const IrType* getIntNTy(uint32_t width);
  const IrType* getInt1Ty() { return types().Integer(1); }
  const IrType* getInt8Ty() { return types().Integer(8); }
  const IrType* getInt16Ty() { return types().Integer(16); }
  const IrType* getInt32Ty() { return types().Integer(32); }
  const IrType* getInt64Ty() { return types().Integer(64); }
  const IrType* getHalfTy() { return types().Simple(IrType::Kind::kHalf); }
  const IrType* getBFloatTy() { return types().Simple(IrType::Kind::kBFloat); }
  const IrType* getFloatTy() { return types().Float(); }
  const IrType* getDoubleTy() { return types().Double(); }
  const IrType* getPtrTy(uint32_t address_space = 0) { return types().Pointer(address_space); }
  // Return null after an error.
  const IrType* getArrayTy(const IrType* element, uint64_t count);
  const IrType* getVectorTy(const IrType* element, uint64_t count);
  const IrType* getStructTy(absl::Span<const IrType* const> members, bool packed = false);
  const IrType* createStruct(std::string_view name, absl::Span<const IrType* const> members, bool packed = false);
  const IrType* getFunctionTy(const IrType* result, absl::Span<const IrType* const> parameters, bool vararg = false);

  // Return null after an error. A name that is taken is one.
  Function* CreateFunction(std::string_view name, const IrType* type, Linkage linkage = Linkage::kExternal);
  Function* CreateKernel(std::string_view name, absl::Span<const IrType* const> parameters,
                         const LaunchBounds& bounds = {});
  IrFunction* DeclareFunction(std::string_view name, const IrType* type);
  // Without an initializer it is a declaration, unless it is shared memory, which is undefined then.
  GlobalVariable* CreateGlobal(std::string_view name, const IrType* type, uint32_t address_space,
                               Linkage linkage = Linkage::kExternal, const IrConstant* initializer = nullptr);
  // Adds a string attribute, or one without a value if `value` is empty, such as "nvvm.grid_constant".
  void AddAttribute(IrAttributes& attributes, std::string_view name, std::string_view value = {});
  void NameArgument(Function* function, unsigned number, std::string_view name);

  // Reports the error, or verifies the module and returns it. The program is null after an error.
  ProgramFile Finish(DiagnosticEngine& diagnostics);

 private:
  friend class IRBuilder;
  IrTypeTable& types() { return file_.module->types(); }
  bool Fail(std::string message);
  bool CheckName(std::string_view call, std::string_view name);
  std::string_view UniqueLocalName(const Function& function, std::string_view name);

  ProgramFile file_;
  std::string error_;
  absl::flat_hash_map<const Function*, absl::flat_hash_set<std::string>> names_;
  std::vector<Instruction*> phis_;
  absl::flat_hash_map<const Instruction*, std::vector<std::pair<Value*, BasicBlock*>>> incoming_;
};

class IRBuilder {
 public:
  explicit IRBuilder(ModuleBuilder& module) : module_(module) {}

  // Makes a block at the end of a function.
  BasicBlock* CreateBasicBlock(Function* function, std::string_view name = {});
  void SetInsertPoint(BasicBlock* block);
  void SetInsertPoint(Instruction* before);
  BasicBlock* GetInsertBlock() const { return block_; }
  // Flags of FAdd, FSub, FMul, FDiv, FRem, FNeg, FCmp, and of calls, selects and PHIs of floats.
  void setFastMathFlags(uint32_t flags) { fast_math_ = flags & kFastMath; }

  // Constants of the function of the insert point.
  Value* getInt(const IrType* type, uint64_t value);
  Value* getInt1(bool value) { return getInt(module_.getInt1Ty(), value ? 1 : 0); }
  Value* getInt8(uint8_t value) { return getInt(module_.getInt8Ty(), value); }
  Value* getInt16(uint16_t value) { return getInt(module_.getInt16Ty(), value); }
  Value* getInt32(uint32_t value) { return getInt(module_.getInt32Ty(), value); }
  Value* getInt64(uint64_t value) { return getInt(module_.getInt64Ty(), value); }
  Value* getFloat(float value);
  Value* getDouble(double value);
  Value* getNull(const IrType* type);  // null, 0 or zeroinitializer
  Value* getPoison(const IrType* type);
  Value* getGlobal(const GlobalValue* global);

  Value* CreateBinOp(Opcode opcode, Value* a, Value* b, std::string_view name = {}, uint32_t flags = 0);
  Value* CreateAdd(Value* a, Value* b, std::string_view name = {}, bool nuw = false, bool nsw = false) {
    return CreateBinOp(Opcode::kAdd, a, b, name, WrapFlags(nuw, nsw));
  }
  Value* CreateSub(Value* a, Value* b, std::string_view name = {}, bool nuw = false, bool nsw = false) {
    return CreateBinOp(Opcode::kSub, a, b, name, WrapFlags(nuw, nsw));
  }
  Value* CreateMul(Value* a, Value* b, std::string_view name = {}, bool nuw = false, bool nsw = false) {
    return CreateBinOp(Opcode::kMul, a, b, name, WrapFlags(nuw, nsw));
  }
  Value* CreateShl(Value* a, Value* b, std::string_view name = {}, bool nuw = false, bool nsw = false) {
    return CreateBinOp(Opcode::kShl, a, b, name, WrapFlags(nuw, nsw));
  }
  Value* CreateUDiv(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kUDiv, a, b, name); }
  Value* CreateSDiv(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kSDiv, a, b, name); }
  Value* CreateURem(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kURem, a, b, name); }
  Value* CreateSRem(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kSRem, a, b, name); }
  Value* CreateLShr(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kLShr, a, b, name); }
  Value* CreateAShr(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kAShr, a, b, name); }
  Value* CreateAnd(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kAnd, a, b, name); }
  Value* CreateOr(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kOr, a, b, name); }
  Value* CreateXor(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kXor, a, b, name); }
  Value* CreateFAdd(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kFAdd, a, b, name); }
  Value* CreateFSub(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kFSub, a, b, name); }
  Value* CreateFMul(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kFMul, a, b, name); }
  Value* CreateFDiv(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kFDiv, a, b, name); }
  Value* CreateFRem(Value* a, Value* b, std::string_view name = {}) { return CreateBinOp(Opcode::kFRem, a, b, name); }
  Value* CreateFNeg(Value* a, std::string_view name = {});
  Value* CreateFreeze(Value* a, std::string_view name = {});

  Value* CreateCast(Opcode opcode, Value* a, const IrType* type, std::string_view name = {});
  Value* CreateTrunc(Value* a, const IrType* type, std::string_view name = {}) {
    return CreateCast(Opcode::kTrunc, a, type, name);
  }
  Value* CreateZExt(Value* a, const IrType* type, std::string_view name = {}) {
    return CreateCast(Opcode::kZExt, a, type, name);
  }
  Value* CreateSExt(Value* a, const IrType* type, std::string_view name = {}) {
    return CreateCast(Opcode::kSExt, a, type, name);
  }
  Value* CreateBitCast(Value* a, const IrType* type, std::string_view name = {}) {
    return CreateCast(Opcode::kBitCast, a, type, name);
  }
  Value* CreateAddrSpaceCast(Value* a, const IrType* type, std::string_view name = {}) {
    return CreateCast(Opcode::kAddrSpaceCast, a, type, name);
  }

  Value* CreateICmp(Predicate predicate, Value* a, Value* b, std::string_view name = {});
  Value* CreateFCmp(Predicate predicate, Value* a, Value* b, std::string_view name = {});
  Value* CreateSelect(Value* condition, Value* a, Value* b, std::string_view name = {});

  // Alignments are in bytes; 0: that of the type.
  Value* CreateAlloca(const IrType* type, std::string_view name = {});
  Value* CreateLoad(const IrType* type, Value* pointer, std::string_view name = {}, uint64_t align = 0);
  Instruction* CreateStore(Value* value, Value* pointer, uint64_t align = 0);
  Value* CreateGEP(const IrType* type, Value* pointer, absl::Span<Value* const> indices, std::string_view name = {},
                   bool inbounds = false);
  Value* CreateInBoundsGEP(const IrType* type, Value* pointer, absl::Span<Value* const> indices,
                           std::string_view name = {}) {
    return CreateGEP(type, pointer, indices, name, /*inbounds=*/true);
  }
  Value* CreateAtomicRMW(AtomicOperation operation, Value* pointer, Value* value, AtomicOrdering ordering,
                         std::string_view scope = {});

  Value* CreateExtractElement(Value* vector, Value* index, std::string_view name = {});
  Value* CreateInsertElement(Value* vector, Value* element, Value* index, std::string_view name = {});
  Value* CreateExtractValue(Value* aggregate, absl::Span<const uint32_t> indices, std::string_view name = {});
  Value* CreateInsertValue(Value* aggregate, Value* value, absl::Span<const uint32_t> indices,
                           std::string_view name = {});

  Instruction* CreatePHI(const IrType* type, std::string_view name = {});
  void addIncoming(Instruction* phi, Value* value, BasicBlock* block);
  Value* CreateCall(const IrFunction* callee, absl::Span<Value* const> arguments, std::string_view name = {});
  // Declares the intrinsic if the module does not have it. The types are those of the call.
  Value* CreateIntrinsic(std::string_view intrinsic, const IrType* result, absl::Span<Value* const> arguments,
                         std::string_view name = {});

  Instruction* CreateBr(BasicBlock* target);
  Instruction* CreateCondBr(Value* condition, BasicBlock* if_true, BasicBlock* if_false);
  Instruction* CreateSwitch(Value* value, BasicBlock* otherwise,
                            absl::Span<const std::pair<uint64_t, BasicBlock*>> cases);
  Instruction* CreateRet(Value* value);
  Instruction* CreateRetVoid();
  Instruction* CreateUnreachable();

 private:
  using Operand = Function::Operand;

  static uint32_t WrapFlags(bool nuw, bool nsw) {
    return (nuw ? uint32_t{kNoUnsignedWrap} : 0u) | (nsw ? uint32_t{kNoSignedWrap} : 0u);
  }
  bool Fail(std::string_view call, std::string message);
  // Return false, after an error, if there is no place to insert, or an operand is not of the function.
  bool CheckPlace(std::string_view call);
  bool CheckOperands(std::string_view call, absl::Span<Value* const> operands);
  bool CheckBlock(std::string_view call, const BasicBlock* block);
  // Returns poison of the type, or null.
  Value* Wrong(const IrType* type);
  Value* Wrong(Value* like) { return like == nullptr ? nullptr : Wrong(like->type()); }
  Instruction* Insert(Opcode opcode, const IrType* type, absl::Span<const Operand> operands, std::string_view name = {},
                      uint32_t flags = 0);
  Instruction* Terminate(std::string_view call, Opcode opcode, absl::Span<const Operand> operands);
  bool SetAlign(std::string_view call, Instruction* access, const IrType* type, uint64_t align);
  const IrType* MemberType(std::string_view call, const IrType* aggregate, absl::Span<const uint32_t> indices);

  ModuleBuilder& module_;
  Function* function_ = nullptr;
  BasicBlock* block_ = nullptr;
  Instruction* before_ = nullptr;
  uint32_t fast_math_ = 0;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_BUILD_IR_BUILDER_H_
