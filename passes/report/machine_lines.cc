// SPDX-License-Identifier: Apache-2.0

#include "passes/report/machine_lines.h"

#include <cassert>
#include <optional>

#include "analysis/pressure/pressure_segments.h"
#include "base/str_cat.h"
#include "mir/code/function_fingerprint.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {
namespace {

// Returns a hash of all that the text of an instruction depends on, or nothing if it depends on more: on names, which
// passes may change, or on symbols and markers.
std::optional<uint64_t> FingerprintOfText(const MachineInstr& instr) {
  const MachineRegisterInfo& reg_info = instr.function().reg_info();
  if (reg_info.has_named_registers() || instr.extra() != nullptr) return std::nullopt;
  Fingerprint fingerprint;
  AddInstrFingerprint(instr, fingerprint);
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_global() || operand.is_frame_index()) return std::nullopt;
    if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
    if (reg_info.type(operand.reg()).is_valid()) return std::nullopt;
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

}  // namespace

void MachineLines::Append(const MachineBasicBlock& block, TextTable& texts, std::vector<uint32_t>& lines,
                          std::vector<uint32_t>& instr_lines) {
  text_.clear();
  WriteBlockName(block, text_);
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
