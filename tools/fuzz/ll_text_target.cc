// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/ll_text_target.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "ir/code/editing.h"
#include "ir/link/linker.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "ir/verify/verifier.h"
#include "tools/fuzz/input_buffer.h"
#include "tools/fuzz/text_difference.h"

namespace ptxmir::fuzz {
namespace {

// A module with what front ends write: all kinds of instructions, older spellings, metadata.
constexpr std::string_view kText = R"ll(target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
%T = type { i32, float*, [4 x i8] }
%0 = type { i8 }
$c = comdat any
@s = internal addrspace(3) global [32 x float] undef, align 4
@t = linkonce_odr constant %T { i32 1, float* null, [4 x i8] c"abc\00" }, comdat($c)
@llvm.used = appending global [1 x i8*] [i8* bitcast (%T* @t to i8*)], section "llvm.metadata"
@0 = private constant [2 x i8] c"x\00"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1
declare void @llvm.nvvm.barrier0() #2
declare float @llvm.nvvm.ldg.global.f.f32.p0f32(float* nocapture, i32) readonly
declare i32 @llvm.nvvm.max.i(i32, i32)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* nocapture, i8* nocapture, i64, i32, i1)
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare i32 @llvm.nvvm.barrier0.or(i32)
declare i64 @llvm.nvvm.rotate.b64(i64, i32)
define internal i32 @helper(%T* byval align 8 %p, i32 %n) argmemonly {
entry:
  %c = icmp slt i32 %n, 0
  br i1 %c, label %a, label %b
a:
  %x = phi i32 [ %n, %entry ], [ %y, %a ]
  %y = add nsw i32 %x, 1
  %d = icmp eq i32 %y, 0
  br i1 %d, label %b, label %a, !llvm.loop !4
b:
  %r = phi i32 [ 0, %entry ], [ %y, %a ]
  ret i32 %r
}
define void @k(float* %p, float addrspace(1)* %q, i64 %".1") #0 {
  %1 = alloca %T, align 8
  %2 = bitcast %T* %1 to i8*
  call void @llvm.lifetime.start.p0i8(i64 16, i8* %2)
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !range !3
  %4 = getelementptr inbounds float, float* %p, i32 %3
  %5 = call float @llvm.nvvm.ldg.global.f.f32.p0f32(float* %4, i32 4), !tbaa !1
  %6 = fmul fast float %5, 0x3FF8000000000000
  store float %6, float addrspace(3)* getelementptr ([32 x float], [32 x float] addrspace(3)* @s, i64 0, i64 3)
  call void @llvm.nvvm.barrier0()
  %7 = call i32 @llvm.nvvm.max.i(i32 %3, i32 7)
  %8 = call i32 @helper(%T* byval align 8 %1, i32 %7)
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %2, i8* bitcast (%T* @t to i8*), i64 16, i32 4, i1 false)
  %9 = atomicrmw add i32 addrspace(1)* null, i32 %8 syncscope("block") monotonic
  %10 = cmpxchg weak i32* null, i32 1, i32 %9 acq_rel acquire, align 4
  %11 = extractvalue { i32, i1 } %10, 0
  %12 = insertvalue { i32, [2 x float] } undef, float %6, 1, 1
  %13 = insertelement <4 x i32> poison, i32 %11, i32 0
  %14 = shufflevector <4 x i32> %13, <4 x i32> undef, <2 x i32> <i32 0, i32 3>
  %15 = call i64 @llvm.nvvm.rotate.b64(i64 %".1", i32 %3)
  %16 = call { i32, i32 } asm sideeffect "mov $0, $1;", "=r,=r,r,~{memory}"(i32 %3)
  switch i32 %3, label %17 [
    i32 1, label %18
    i32 -2, label %18
  ]
17:
  %f = select i1 true, float %6, float -0.0
  br label %18
18:
  fence seq_cst
  %z = call i32 @llvm.nvvm.barrier0.or(i32 1)
  ret void
}
attributes #0 = { nounwind "target-cpu"="sm_80" "null-pointer-is-valid"="true" }
attributes #1 = { nounwind readnone }
attributes #2 = { convergent nounwind inaccessiblememonly }
!nvvm.annotations = !{!0}
!llvm.module.flags = !{!5, !6}
!0 = !{void (float*, float addrspace(1)*, i64)* @k, !"kernel", i32 1, !"maxntidx", i32 128}
!1 = !{!"float", !2}
!2 = !{!"root"}
!3 = !{i32 0, i32 1024}
!4 = distinct !{!4, !7}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"level", i32 2}
!7 = !{!"llvm.loop.unroll.disable"}
)ll";

constexpr std::string_view kDebugText = R"ll(define i32 @f(i32 %x, ptr %p) !dbg !3 {
  %a = alloca i32, align 4, !dbg !7
    #dbg_declare(ptr %a, !6, !DIExpression(), !7)
    #dbg_value(i32 %x, !6, !DIExpression(DW_OP_stack_value), !7)
  %y = call <2 x float> @g(<2 x float> splat (float 1.000000e+00), ptr byval(i64) align 8 %p) #0 [ "deopt"(i32 1) ]
    #dbg_value(!DIArgList(i32 %x, ptr %p), !6, !DIExpression(), !7)
  %z = trunc nuw i64 5 to i32
  %w = tail call fastcc i32 @h(i32 noundef %z), !noalias !8
  %v = freeze i32 %w
  ret i32 %v
}
declare <2 x float> @g(<2 x float>, ptr byval(i64))
declare fastcc i32 @h(i32)
attributes #0 = { convergent }
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !DISubroutineType(types: !{null})
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !2, unit: !0)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DILocalVariable(name: "x", scope: !3, file: !1, line: 1, type: !5)
!7 = !DILocation(line: 2, column: 3, scope: !3)
!8 = !{!9}
!9 = distinct !{!9, !10}
!10 = distinct !{!10}
)ll";

constexpr const char* kWords[] = {"add nuw nsw",
                                  "sub",
                                  "mul",
                                  "udiv exact",
                                  "sdiv",
                                  "urem",
                                  "srem",
                                  "shl",
                                  "lshr exact",
                                  "ashr",
                                  "and",
                                  "or disjoint",
                                  "xor",
                                  "fadd fast",
                                  "fsub",
                                  "fmul contract",
                                  "fdiv arcp",
                                  "frem",
                                  "fneg nnan",
                                  "icmp samesign ult",
                                  "icmp eq",
                                  "fcmp oeq",
                                  "fcmp true",
                                  "trunc",
                                  "zext nneg",
                                  "sext",
                                  "fptrunc",
                                  "fpext",
                                  "fptoui",
                                  "sitofp",
                                  "ptrtoint",
                                  "inttoptr",
                                  "bitcast",
                                  "addrspacecast",
                                  "alloca",
                                  "load atomic",
                                  "load volatile",
                                  "store atomic",
                                  "getelementptr inbounds",
                                  "getelementptr nusw nuw",
                                  "fence",
                                  "cmpxchg weak",
                                  "atomicrmw",
                                  "umax",
                                  "fadd",
                                  "uinc_wrap",
                                  "acq_rel",
                                  "seq_cst",
                                  "monotonic",
                                  "unordered",
                                  "syncscope(\"device\")",
                                  "phi",
                                  "select",
                                  "call",
                                  "tail call",
                                  "musttail call",
                                  "va_arg",
                                  "freeze",
                                  "extractelement",
                                  "insertelement",
                                  "shufflevector",
                                  "extractvalue",
                                  "insertvalue",
                                  "ret",
                                  "br",
                                  "switch",
                                  "unreachable",
                                  "invoke",
                                  "label",
                                  "to",
                                  "align 8",
                                  "align 4294967296",
                                  "asm sideeffect",
                                  "#dbg_value(",
                                  "#dbg_label(",
                                  "!DIArgList(",
                                  "!dbg !7",
                                  "!tbaa !1",
                                  "!range !3",
                                  "!llvm.loop !4",
                                  "float*",
                                  "i8 addrspace(3)*",
                                  "void (i8*, ...)*",
                                  "{ i32, float }",
                                  "<4 x float>",
                                  "<vscale x 2 x i32>",
                                  "[3 x i32]",
                                  "i1",
                                  "i64",
                                  "i129",
                                  "half",
                                  "bfloat",
                                  "double",
                                  "ptr addrspace(1)",
                                  "metadata",
                                  "byval",
                                  "byval(i32)",
                                  "sret",
                                  "nocapture",
                                  "captures(none)",
                                  "readnone",
                                  "readonly",
                                  "argmemonly",
                                  "inaccessiblemem_or_argmemonly",
                                  "memory(argmem: read)",
                                  "noundef",
                                  "range(i32 0, 4)",
                                  "fastcc",
                                  "ptx_kernel",
                                  "cc 71",
                                  "zeroinitializer",
                                  "undef",
                                  "poison",
                                  "null",
                                  "true",
                                  "splat (i32 1)",
                                  "blockaddress(@k, %a)",
                                  "@llvm.nvvm.barrier0",
                                  "@llvm.nvvm.barrier0.popc",
                                  "@llvm.nvvm.bitcast.f2i",
                                  "@llvm.nvvm.ptr.gen.to.global",
                                  "@llvm.nvvm.ldg.global.i.i32.p1i32",
                                  "@llvm.nvvm.atomic.load.add.f32.p0f32",
                                  "@llvm.nvvm.atomic.load.inc.32.p0",
                                  "@llvm.nvvm.swap.lo.hi.b64",
                                  "@llvm.nvvm.popc.ll",
                                  "@llvm.nvvm.clz.i",
                                  "@llvm.nvvm.abs.bf16",
                                  "@llvm.nvvm.abs.i",
                                  "@llvm.nvvm.neg.bf16x2",
                                  "@llvm.nvvm.mapa.shared.cluster",
                                  "@llvm.memset.p0i8.i64",
                                  "@llvm.lifetime.end.p0i8",
                                  "@llvm.ctlz.i32",
                                  "@llvm.objectsize.i64.p0i8",
                                  "@llvm.ptr.annotation.p0i8",
                                  "@llvm.dbg.value",
                                  "@llvm.experimental.vector.reduce.v2.fadd.f32.v2f32",
                                  "\"maxntidx\"",
                                  "\"grid_constant\"",
                                  "\"align\"",
                                  "\"kernel\"",
                                  "internal",
                                  "linkonce_odr",
                                  "weak",
                                  "common",
                                  "appending",
                                  "available_externally",
                                  "extern_weak",
                                  "private",
                                  "comdat",
                                  "uselistorder",
                                  "%0",
                                  "@0",
                                  "#0",
                                  "!0"};

// Everything that the text mentions is in use lists that are consistent: the uses of each operand lead to it.
std::string CheckUseLists(const ir::Program& program) {
  for (const auto& function : program.functions()) {
    for (const ir::BasicBlock* block : function->blocks()) {
      for (const ir::Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->parent() != block) return "an instruction does not know its block";
        for (const ir::Use& use : i->operands()) {
          if (&use.user() != i) return "a use does not know its instruction";
          if (&use.value().function() != function.get()) return "an operand is of another function";
        }
      }
    }
  }
  return {};
}

ir::ProgramFile ReadIr(std::string_view text, DiagnosticEngine& diagnostics) {
  return ir::ReadProgram(BufferOf(text), diagnostics);
}

std::string Link(std::string_view text) {
  DiagnosticEngine diagnostics;
  ir::Linker linker(diagnostics);
  bool ok = true;
  for (const bool only_needed : {false, true}) {
    ok = ok && linker.Add(ReadIr(text, diagnostics), only_needed ? "second" : "first", only_needed);
  }
  const ir::ProgramFile linked = ok ? linker.Finish() : ir::ProgramFile();
  if ((linked.program == nullptr) != diagnostics.has_errors()) {
    return linked.program == nullptr ? "linking failed without an error" : "linking succeeded with an error";
  }
  // The linked text is read as any other, so an error that names a place in it is one of the linker.
  const std::string errors = diagnostics.ToString();
  if (errors.find("<linked>") != errors.npos) return StrCat("the linked module is wrong: ", errors);
  return {};
}

// Copies each function and edits it; the verifier must accept the result.
std::string Edit(std::string_view text) {
  DiagnosticEngine diagnostics;
  const ir::ProgramFile file = ReadIr(text, diagnostics);
  if (file.program == nullptr) return "accepted once, rejected the second time";
  std::vector<ir::Function*> functions;
  for (const auto& function : file.program->functions()) functions.push_back(function.get());
  constexpr size_t kMaxEdited = 4;
  functions.resize(std::min(functions.size(), kMaxEdited));
  for (ir::Function* function : functions) {
    ir::CloneMap map;
    ir::Function& copy =
        ir::CloneFunction(*function, file.module->UniqueName(StrCat(function->signature().name, ".clone")), &map);
    ir::Instruction* terminator = copy.entry().terminator();
    if (terminator != nullptr && terminator->num_successors() > 0) ir::SplitEdge(*terminator, 0);
    if (ir::Instruction* first = copy.entry().first_non_phi(); first != nullptr) ir::SplitBlockBefore(*first);
    ir::EraseUnreachableBlocks(copy);
    if (std::string flaw = CheckUseLists(*file.program); !flaw.empty()) return StrCat("after editing: ", flaw);
  }
  if (!ir::VerifyProgram(*file.program, diagnostics)) return StrCat("after editing: ", diagnostics.ToString());
  return {};
}

}  // namespace

TextOutcome RunLl(std::string_view input) {
  TextOutcome outcome;
  DiagnosticEngine diagnostics;
  const ir::ProgramFile file = ReadIr(input, diagnostics);
  if ((file.program == nullptr) != diagnostics.has_errors()) {
    outcome.finding = file.program == nullptr ? "rejected without an error" : "accepted with an error";
    return outcome;
  }
  (void)diagnostics.ToString();
  if (file.program == nullptr) return outcome;
  outcome.reached = Reached::kVerified;
  outcome.finding = CheckUseLists(*file.program);
  if (!outcome.finding.empty()) return outcome;
  std::string first;
  ir::WriteProgram(*file.program, &first);
  DiagnosticEngine second_diagnostics;
  const ir::ProgramFile second = ReadIr(first, second_diagnostics);
  if (second.program == nullptr) {
    outcome.finding = StrCat("written IR cannot be read: ", second_diagnostics.ToString());
    return outcome;
  }
  std::string again;
  ir::WriteProgram(*second.program, &again);
  if (again != first) {
    outcome.finding = StrCat("IR is written differently when read: ", FirstDifference(first, again));
    return outcome;
  }
  outcome.finding = Edit(first);
  if (outcome.finding.empty()) outcome.finding = Link(first);
  if (outcome.finding.empty()) outcome.reached = Reached::kPrinted;
  return outcome;
}

std::vector<std::string> LlTexts() { return {std::string(kText), std::string(kDebugText)}; }

std::vector<std::string> SmallLlTexts(std::string_view file, size_t max_size, size_t max_texts) {
  const bool is_ir = file.find("\ndefine ") != file.npos && file.substr(0, 3) != "---";
  if (!is_ir || file.size() > max_size || max_texts == 0) return {};
  return {std::string(file)};
}

std::vector<std::string> LlDictionary() { return {std::begin(kWords), std::end(kWords)}; }

}  // namespace ptxmir::fuzz
