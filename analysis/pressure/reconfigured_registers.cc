// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/reconfigured_registers.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "mir/code/inline_asm.h"
#include "ptx/target/inline_asm_effects.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// The count in blocks that no path has reached yet.
constexpr uint32_t kUnreached = ~uint32_t{0};
// The highest count that setmaxnreg takes, by the PTX ISA.
constexpr int64_t kHighestCount = 256;

// Returns true if ptxas knows how many registers a thread has at the entry of the function.
bool IsCountAtEntryGiven(const RegisterBudget& budget) {
  return budget.is_hard && budget.origin != RegisterBudget::Origin::kCtaSize;
}

// Returns the number that the text consists of.
std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the immediate operand of inline assembly that "$n" in its text stands for.
std::optional<int64_t> ImmediateOperand(const MachineInstr& assembly, std::string_view reference) {
  if (!reference.starts_with('$')) return std::nullopt;
  std::optional<int64_t> number = Number(reference.substr(1));
  if (!number.has_value()) return std::nullopt;
  for (unsigned i = kInlineAsmFirstGroup; i < assembly.num_operands() && assembly.operand(i).is_imm();) {
    const InlineAsmGroup group(assembly.operand(i).imm());
    if ((*number)-- == 0) {
      const bool has_value = group.kind() == InlineAsmGroup::Kind::kImmediate && i + 1 < assembly.num_operands() &&
                             assembly.operand(i + 1).is_imm();
      return has_value ? std::optional(assembly.operand(i + 1).imm()) : std::nullopt;
    }
    i += 1 + group.num_operands();
  }
  return std::nullopt;
}

// Returns the count that inline assembly sets.
std::optional<int64_t> CountSetByAssembly(const MachineInstr& assembly) {
  if (!assembly.operand(0).is_symbol()) return std::nullopt;
  const std::string_view operand = ptx::SetmaxnregOperand(InlineAsmText(assembly));
  const std::optional<int64_t> count = Number(operand);
  return count.has_value() ? count : ImmediateOperand(assembly, operand);
}

// Returns the count that the instruction sets, if it is a setmaxnreg.
std::optional<uint32_t> CountSetBy(const MachineInstr& instr) {
  std::optional<int64_t> count;
  if (instr.is_inline_asm()) {
    count = CountSetByAssembly(instr);
  } else if (ptx::InstrInfo(instr.opcode()).family == ptx::Family::kSetmaxnreg && instr.operand(0).is_imm()) {
    count = instr.operand(0).imm();
  }
  if (!count.has_value() || *count < 0) return std::nullopt;
  return static_cast<uint32_t>(std::min(*count, kHighestCount));
}

bool MaySetCount(Opcode opcode) {
  return opcode == generic::kInlineAsm || ptx::InstrInfo(opcode).family == ptx::Family::kSetmaxnreg;
}

}  // namespace

std::optional<ReconfiguredRegisters> ReconfiguredRegisters::Of(const MachineFunction& function,
                                                               const RegisterBudget& budget) {
  if (function.empty() || !IsCountAtEntryGiven(budget) || !function.MayContainAny(MaySetCount)) return std::nullopt;
  ReconfiguredRegisters registers(budget.limit);
  registers.Solve(function);
  const bool changes = std::any_of(registers.blocks_.begin(), registers.blocks_.end(),
                                   [](const BlockCounts& block) { return block.changes; });
  if (!changes) return std::nullopt;
  return registers;
}

bool ReconfiguredRegisters::IsChange(const MachineInstr& instr) { return CountSetBy(instr).has_value(); }

void ReconfiguredRegisters::Solve(const MachineFunction& function) {
  blocks_.assign(function.block_number_bound(), {kUnreached, kUnreached, false});
  for (const MachineBasicBlock& block : function) {
    BlockCounts& counts = blocks_[block.number()];
    for (const MachineInstr& instr : block) {
      const std::optional<uint32_t> count = CountSetBy(instr);
      if (!count.has_value()) continue;
      counts.at_end = *count;
      counts.changes = true;
    }
  }
  std::vector<const MachineBasicBlock*> worklist;
  const auto lower = [&](const MachineBasicBlock& block, uint32_t count) {
    BlockCounts& counts = blocks_[block.number()];
    if (counts.at_start <= count) return;
    counts.at_start = count;
    if (!counts.changes) counts.at_end = count;
    worklist.push_back(&block);
  };
  lower(*function.begin(), at_entry_);
  while (!worklist.empty()) {
    const MachineBasicBlock& block = *worklist.back();
    worklist.pop_back();
    for (const MachineBasicBlock* successor : block.successors()) lower(*successor, blocks_[block.number()].at_end);
  }
  // Blocks that cannot be reached have what a thread has at the entry.
  for (BlockCounts& counts : blocks_) {
    if (counts.at_start == kUnreached) counts.at_start = at_entry_;
    if (counts.at_end == kUnreached) counts.at_end = at_entry_;
  }
}

int32_t ReconfiguredRegisters::TakenBefore(const MachineInstr& instr) const {
  const MachineBasicBlock& block = *instr.parent();
  if (ChangesIn(block)) {
    for (const MachineInstr* earlier = instr.previous(); earlier != nullptr; earlier = earlier->previous()) {
      const std::optional<uint32_t> count = CountSetBy(*earlier);
      if (count.has_value()) return TakenAway(*count);
    }
  }
  return TakenAtStart(block);
}

void ReconfiguredRegisters::TakenAtInstrs(const MachineBasicBlock& block, std::vector<int32_t>& taken) const {
  taken.clear();
  int32_t now = TakenAtStart(block);
  for (const MachineInstr& instr : block) {
    if (instr.is_debug()) continue;
    const int32_t before = now;
    const std::optional<uint32_t> count = ChangesIn(block) ? CountSetBy(instr) : std::nullopt;
    if (count.has_value()) now = TakenAway(*count);
    taken.push_back(std::max(before, now));
  }
}

}  // namespace ptxmir
