// SPDX-License-Identifier: Apache-2.0

#include "passes/report/asm_printer_remarks.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ptx/target/instr_printer.h"

namespace ptxmir {
namespace {

constexpr std::string_view kAsmPrinter = "asm-printer";
constexpr std::string_view kWhiteSpace = " \t";

using MnemonicCounts = std::map<std::string_view, uint64_t>;

// Returns the mnemonic as LLVM determines it: the text that is printed before the first operand, or the opcode if
// that text is empty.
std::string_view MnemonicOf(const MachineInstr& instr) {
  const std::string_view text = ptx::LeadingText(instr.opcode());
  return text.empty() ? instr.function().target().Name(instr.opcode()) : text;
}

// Returns the first word.
std::string_view Token(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  return text.substr(0, text.find_first_of(kWhiteSpace));
}

MachineRemark MixRemark(const MachineBasicBlock& block, const MnemonicCounts& counts) {
  std::vector<std::pair<std::string_view, uint64_t>> by_count(counts.begin(), counts.end());
  std::stable_sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  MachineRemark remark(RemarkKind::kAnalysis, kAsmPrinter, "InstructionMix", block.front()->debug_loc(), block);
  remark << "BasicBlock: " << RemarkArg("BasicBlock", block.name) << "\n";
  for (const auto& [mnemonic, count] : by_count) {
    remark << mnemonic << ": " << RemarkArg(StrCat("INST_", Token(mnemonic)), count) << "\n";
  }
  return remark;
}

}  // namespace

void EmitAsmPrinterRemarks(const MachineFunction& function, MachineOptRemarkEmitter& remarks) {
  if (!remarks.AllowsExtraAnalysis(kAsmPrinter)) return;
  uint64_t total = 0;
  for (const MachineBasicBlock& block : function) {
    MnemonicCounts counts;
    for (const MachineInstr& instr : block) {
      if (instr.is_meta() || instr.is_inline_asm()) continue;
      ++counts[MnemonicOf(instr)];
      ++total;
    }
    if (!block.empty()) remarks.Emit([&] { return MixRemark(block, counts); });
  }
  remarks.Emit([&] {
    return MachineRemark(RemarkKind::kAnalysis, kAsmPrinter, "InstructionCount", function)
           << RemarkArg("NumInstructions", total) << " instructions in function";
  });
}

}  // namespace ptxmir
