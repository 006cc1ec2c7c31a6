// SPDX-License-Identifier: Apache-2.0

#include "passes/report/machine_lines.h"

#include <cassert>
#include <optional>
#include <string_view>

#include "absl/strings/numbers.h"
#include "analysis/pressure/pressure_segments.h"
#include "base/str_cat.h"
#include "mir/code/function_fingerprint.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {
namespace {

// Returns a hash of all that the text of an instruction depends on, or nothing if it depends on more: on names, which
// passes may change, or on low-level types, symbols and markers.
std::optional<uint64_t> FingerprintOfText(const MachineInstr& instr) {
  const MachineRegisterInfo& reg_info = instr.function().reg_info();
  if (reg_info.has_named_registers() || reg_info.has_types() || instr.extra() != nullptr) return std::nullopt;
  Fingerprint fingerprint;
  AddInstrFingerprint(instr, fingerprint);
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_global() || operand.is_frame_index()) return std::nullopt;
    if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
    fingerprint.Add(reg_info.reg_class(operand.reg()));
  }
  for (const MachineMemOperand* memoperand : instr.memoperands()) {
    // They do not change. Another one may differ in what the fingerprint of an instruction leaves out, such as its
    // type.
    fingerprint.Add(reinterpret_cast<uintptr_t>(memoperand));
    if (memoperand->value_kind == MachineMemOperand::ValueKind::kFrameIndex) return std::nullopt;
  }
  return fingerprint.value();
}

// Replaces LLVM's number of the block of the IR in the name of its machine block.
void RenumberIrBlock(const MachineBasicBlock& block, const ir::FunctionLines& ir_lines, std::string& name) {
  constexpr std::string_view kPrefix = "%ir-block.";
  uint32_t slot = 0;
  if (!block.ir_block.starts_with(kPrefix)) return;
  if (!absl::SimpleAtoi(ToAbsl(block.ir_block.substr(kPrefix.size())), &slot)) return;
  const size_t at = name.find(block.ir_block);
  name.replace(at, block.ir_block.size(), StrCat(kPrefix, ir_lines.KeptBlockNumber(slot)));
}

}  // namespace

void MachineLines::Append(const MachineBasicBlock& block, const ir::FunctionLines& ir_lines, TextTable& texts,
                          std::vector<uint32_t>& lines, std::vector<uint32_t>& instr_lines) {
  text_.clear();
  WriteBlockName(block, text_);
  RenumberIrBlock(block, ir_lines, text_);
  text_ += ':';
  lines.push_back(texts.NumberOf(text_));
  if (!block.predecessors().empty()) {
    text_ = "  ; predecessors:";
    for (const MachineBasicBlock* predecessor : block.predecessors()) StrAppend(&text_, " bb.", predecessor->number());
    lines.push_back(texts.NumberOf(text_));
  }
  for (const MachineInstr& instr : block) {
    if (!IsPressurePoint(instr)) continue;
    instr_lines.push_back(static_cast<uint32_t>(lines.size()));
    lines.push_back(NumberOf(instr, texts));
  }
}

uint32_t MachineLines::NumberOf(const MachineInstr& instr, TextTable& texts) {
  const std::optional<uint64_t> fingerprint = FingerprintOfText(instr);
  if (!fingerprint.has_value()) return Write(instr, texts);
  const auto [written, is_new] = written_.try_emplace(instr.id());
  if (is_new || written->second.fingerprint != *fingerprint) {
    written->second = {*fingerprint, Write(instr, texts)};
  }
  assert(written->second.text == Write(instr, texts) && "the fingerprint leaves out what the text depends on");
  return written->second.text;
}

uint32_t MachineLines::Write(const MachineInstr& instr, TextTable& texts) {
  text_ = "  ";
  WriteInstr(instr, {.omit_debug_locations = true}, text_);
  return texts.NumberOf(text_);
}

}  // namespace ptxmir
