// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/dag_text_target.h"

#include <memory>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "compiler/select_module.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_lexer.h"
#include "mir/verify/verifier.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/value_types.h"
#include "sdag/text/dag_dot.h"
#include "sdag/text/dag_reader.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"
#include "tools/fuzz/input_buffer.h"
#include "tools/fuzz/text_difference.h"

namespace ptxmir::fuzz {
namespace {

using sdag::DagModule;

DagModule Read(std::string_view text, DiagnosticEngine& diagnostics) {
  return sdag::ReadDags(BufferOf(text), diagnostics);
}

std::string Written(const DagModule& module) {
  std::string text;
  sdag::WriteDags(module, {}, text);
  return text;
}

// MIR cannot quote the names of stack objects, so some names could not be read back.
bool HasPlainNames(const MachineFunction& function) {
  for (const StackObject& object : function.frame_info().objects()) {
    for (const char c : object.name) {
      if (!mir_lexer::IsIdentifier(c)) return false;
    }
  }
  return true;
}

// Returns a flaw of what was read, or an empty string. Sets `is_valid` to whether the verifier accepts it.
std::string CheckRead(const DagModule& module, bool& is_valid) {
  for (const auto& function : module.functions) {
    if (function == nullptr) continue;
    is_valid = is_valid && sdag::VerifyDags(*function).ok() && HasPlainNames(function->machine_function());
    for (const MachineBasicBlock& block : function->machine_function()) {
      sdag::SelectionDAG* dag = function->FindDag(block.number());
      if (dag == nullptr) continue;
      if (std::string flaw = dag->CheckInvariants(); !flaw.empty()) return StrCat("after reading: ", flaw);
      std::string dot;
      sdag::WriteDagDot(*dag, "", dot);
    }
  }
  return {};
}

// Selection must accept everything that the verifier accepts, or report what it does not support.
std::string Select(std::string_view input, unsigned opt_level, bool& selected) {
  DiagnosticEngine diagnostics;
  const std::shared_ptr<const SourceBuffer> source = BufferOf(input);
  DagModule module = sdag::ReadDags(source, diagnostics);
  if (module.module == nullptr) return "accepted once, rejected the second time";
  const ptx::Subtarget subtarget = *ptx::Subtarget::Create("sm_80", "");
  std::vector<bool> is_selected;
  for (const auto& function : module.functions) is_selected.push_back(function != nullptr);
  const Knobs knobs;
  const SelectionContext context = {.knobs = knobs,
                                    .opt_level = opt_level,
                                    .subtarget = subtarget,
                                    .source = source.get(),
                                    .verification = DagVerification::kBeforeSelection};
  if (!SelectModule(module, context, diagnostics)) {
    return diagnostics.has_errors() ? std::string() : "selection failed without an error";
  }
  for (size_t i = 0; i < is_selected.size(); ++i) {
    // Successors, PHIs and the frame are machine code, which no verifier of DAGs checks. The machine verifier now
    // reports what is wrong with them.
    std::string report;
    selected |= is_selected[i] && VerifyMachineFunction(*module.module->machine_functions()[i], report);
  }
  return {};
}

}  // namespace

TextOutcome RunDag(std::string_view input) {
  TextOutcome outcome;
  DiagnosticEngine diagnostics;
  const DagModule module = Read(input, diagnostics);
  if ((module.module == nullptr) != diagnostics.has_errors()) {
    outcome.finding = module.module == nullptr ? "rejected without an error" : "accepted with an error";
    return outcome;
  }
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    if (diagnostic.message.empty()) outcome.finding = "an error without a message";
    (void)diagnostic.ToString();
  }
  if (module.module == nullptr) return outcome;
  outcome.reached = Reached::kRead;
  bool is_valid = true;
  outcome.finding = CheckRead(module, is_valid);
  if (!outcome.finding.empty()) return outcome;
  // An invalid DAG need not have a text.
  const std::string written = Written(module);
  if (!is_valid) return outcome;
  outcome.reached = Reached::kVerified;
  DiagnosticEngine of_written;
  const DagModule again = Read(written, of_written);
  if (again.module == nullptr) {
    outcome.finding = StrCat("written DAGs cannot be read: ", of_written.ToString());
    return outcome;
  }
  if (const std::string second = Written(again); second != written) {
    outcome.finding = StrCat("DAGs are written differently when read: ", FirstDifference(written, second));
    return outcome;
  }
  bool selected = false;
  for (const unsigned opt_level : {0u, 2u}) {
    outcome.finding = Select(input, opt_level, selected);
    if (!outcome.finding.empty()) return outcome;
  }
  if (selected) outcome.reached = Reached::kPrinted;
  return outcome;
}

std::vector<std::string> DagTexts() {
  return {
      R"(--- |
  target triple = "nvptx64-nvidia-cuda"

  @table = internal addrspace(3) global [64 x i32] undef, align 4

  define ptx_kernel void @f(ptr addrspace(1) %p, i32 %n) {
    ret void
  }
...
---
name: f
tracksRegLiveness: true
stack:
  - { id: 0, name: a, size: 16, alignment: 8 }
jumpTable:
  kind: inline
  entries:
    - id: 0
      blocks: [ '%bb.1', '%bb.2' ]
dag: |
  bb.0:
    successors: %bb.1(0x40000000), %bb.2(0x40000000)

    t0: ch,glue = EntryToken
    t1: i64,ch = load<(dereferenceable invariant load (s64), addrspace 101)> t0, ExternalSymbol:i64'f_param_0', undef:i64
    t2: i32,ch = load<(dereferenceable invariant load (s32), addrspace 101)> [ORD=3] t0, ExternalSymbol:i64'f_param_1', undef:i64
    t3: i32 = llvm.nvvm.read.ptx.sreg.tid.x # D:1
    t4: i64 = NVPTXISD::MUL_WIDE_UNSIGNED # D:1 t3, Constant:i32<4>
    t5: i64 = add nuw # D:1 t1, t4
    t6: i16,ch = load<(load (s8), addrspace 1), zext from i8> # D:1 t0, t5, undef:i64
    t7: i32 = sign_extend # D:1 t6
    t8: f32 = uint_to_fp # D:1 t7
    t9: f32 = fma contract # D:1 t8, ConstantFP:f32<1.500000e+00>, ConstantFP:f32<0x3DCCCCCE>
    t10: i1 = setcc nnan # D:1 t9, ConstantFP:f32<2.000000e+00>, setolt:ch
    t11: i32 = select # D:1 t10, t2, t7
    t12: ch = store<(store (s8), addrspace 1), trunc to i8> # D:1 t6:1, t11, t5, undef:i64
    t13: i64 = add GlobalAddress:i64<ptr addrspace(3) @table> + 12, FrameIndex:i64<0>
    t14: v4f32,ch = load<(load (s128), addrspace 1)> t12, t1, undef:i64
    t15: f32 = extract_vector_elt t14, Constant:i32<2>
    t16: i128 = zero_extend t13
    t17: i128 = mul t16, Constant:i128<100000000000000000000>
    t18: i64 = truncate t17
    t19: i32,ch = AtomicLoadAdd<(load store syncscope("block") monotonic (s32), addrspace 1)> t14:1, t1, t2
    t20: ch = CopyToReg t19:1, Register:i64 %0, t18
    t21: ch = CopyToReg t20, Register:f32 %1, t15
    t22: ch = brcond t21, t10, BasicBlock:ch<%bb.2>
    t23: ch = br t22, BasicBlock:ch<%bb.1>

  bb.1:
    successors: %bb.2(0x80000000)

    t0: ch,glue = EntryToken
    t1: i64,ch = CopyFromReg t0, Register:i64 %0
    t2: i64 = udiv t1, Constant:i64<7>
    t3: ch = CopyToReg t0, Register:i64 %2, t2
    t4: ch = br t3, BasicBlock:ch<%bb.2>

  bb.2:
    %3:b64 = PHI %0, %bb.0, %2, %bb.1

    t0: ch,glue = EntryToken
    t1: i64,ch = CopyFromReg t0, Register:i64 %3
    t2: ch = store<(store (s64), align 2, addrspace 1)> t0, t1, t1, undef:i64
    t3: ch = NVPTXISD::RET_GLUE t2
...
)",
      R"(---
ptxmir-module:
  triple: nvptx64-nvidia-cuda
  cpu: sm_90
...
---
name: g
machineFunctionInfo:
  signature: 'define ptx_kernel void @g(ptr addrspace(1) %p)'
dag: |
  bb.0:
    t0: ch,glue = EntryToken
    t1: i64 = ctpop Constant:i64<5>
    t2: ch = CopyToReg t0, Register:i64 %0, t1
    t3: ch = NVPTXISD::RET_GLUE t2
...
)"};
}

std::vector<std::string> SmallDagTexts(std::string_view file, size_t max_size, size_t max_texts) {
  return HoldsDags(file) ? SmallMirTexts(file, max_size, max_texts) : std::vector<std::string>();
}

std::vector<std::string> DagDictionary() {
  std::vector<std::string> words = {"<null>",
                                    "t0:1",
                                    "t3:70000",
                                    "t4294967295",
                                    "Register:i8",
                                    "%4000000000",
                                    "<%bb.9>",
                                    "FrameIndex:i64<-1>",
                                    "zext from i4097",
                                    "memory i3",
                                    "[ORD=",
                                    "# D:1",
                                    "debug-location",
                                    "llvm.x",
                                    "root: t1",
                                    "'\\27'",
                                    "0x",
                                    "nan",
                                    "glue",
                                    "APFloat(65536)",
                                    "implicit-glue",
                                    "Mem:",
                                    "TokenFactor",
                                    "SelectionDAG has "};
  for (int16_t i = 0; i < sdag::isd::kNumOpcodes; ++i) words.emplace_back(sdag::Desc(i).name);
  for (int i = 0; i < sdag::kNumValueTypes; ++i) words.emplace_back(sdag::Name(static_cast<sdag::MVT>(i)));
  for (int i = 0; i < sdag::kNumCondCodes; ++i) words.emplace_back(sdag::Name(static_cast<sdag::CondCode>(i)));
  return words;
}

}  // namespace ptxmir::fuzz
