// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker.h"

#include <memory>
#include <utility>

#include "base/str_cat.h"
#include "passes/register_check/register_checker_flow.h"
#include "passes/register_check/register_checker_match.h"
#include "passes/register_check/register_checker_transfer.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// Returns true if the instruction has no effect apart from its results.
bool IsDeletable(const MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.is_deletable_if_unused() || instr.is_terminator() || instr.is_inline_asm()) return false;
  for (const MachineMemOperand* memoperand : instr.memoperands()) {
    if (memoperand->is_volatile() || memoperand->is_atomic()) return false;
  }
  if (info.ordering == ptx::PtxInstrInfo::kNoOperand || !info.touches_memory()) return true;
  const MachineOperand& ordering = instr.operand(info.ordering);
  return ordering.is_imm() && ordering.imm() == 0;
}

template <typename T>
void SetAt(std::vector<T>& table, size_t index, T value, T otherwise) {
  if (index >= table.size()) table.resize(index + 1, otherwise);
  table[index] = value;
}

}  // namespace

RegisterCheckerSnapshot::RegisterCheckerSnapshot(MachineFunction& function)
    : function_(function),
      jump_tables_(function.jump_tables()),
      num_stack_objects_(static_cast<int>(function.frame_info().objects().size())) {
  function.HoldInstrIds();
  for (uint32_t i = 0; i < function.reg_info().num_virtual_registers(); ++i) {
    register_bytes_.push_back(static_cast<uint8_t>(ValueBytes(function, Register::Virtual(i))));
  }
  for (const MachineBasicBlock& block : function) AddBlock(block);
  size_t next = 0;
  for (const MachineBasicBlock& block : function) {
    for (const MachineBasicBlock* successor : block.successors()) {
      blocks_[next].successors.push_back(FindBlockByNumber(successor->number()));
    }
    ++next;
  }
}

RegisterCheckerSnapshot::~RegisterCheckerSnapshot() { function_.ReleaseInstrIds(); }

void RegisterCheckerSnapshot::AddBlock(const MachineBasicBlock& block) {
  const uint32_t index = static_cast<uint32_t>(blocks_.size());
  blocks_.push_back({FunctionArena::IdOf(&block), block.number(), static_cast<uint32_t>(instrs_.size()), 0, {}});
  SetAt(block_index_, blocks_.back().id, index, kNone);
  SetAt(block_by_number_, block.number(), index, kNone);
  for (const MachineInstr& instr : block) AddInstr(instr);
  blocks_.back().num_instrs = static_cast<uint32_t>(instrs_.size()) - blocks_.back().first_instr;
}

void RegisterCheckerSnapshot::AddInstr(const MachineInstr& instr) {
  SetAt(instr_index_, instr.id(), static_cast<uint32_t>(instrs_.size()), kNone);
  instrs_.push_back({instr.id(), instr.opcode(), instr.flags(), static_cast<uint32_t>(blocks_.size() - 1),
                     static_cast<uint32_t>(operands_.size()), instr.num_operands(), IsReproducible(instr),
                     IsDeletable(instr)});
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    operands_.push_back({operand, operand.is_tied() ? instr.FindTiedOperand(i) : kNone});
  }
}

std::vector<RegisterCheckerFinding> CheckRegisters(const RegisterCheckerSnapshot& snapshot, uint64_t* num_visits) {
  MatchedFunction matched(snapshot);
  if (num_visits != nullptr) *num_visits = 0;
  // Values can be tracked only through code that the checker understands.
  if (matched.findings().empty()) {
    const uint64_t visits = register_check::CheckValues(matched);
    if (num_visits != nullptr) *num_visits = visits;
  }
  return std::move(matched.findings());
}

PassResult RunRegisterCheckerBegin(MachineFunction& function, PassContext& context) {
  context.register_snapshot = std::make_shared<RegisterCheckerSnapshot>(function);
  return {.changed = false};
}

PassResult RunRegisterChecker(MachineFunction& function, PassContext& context) {
  const std::shared_ptr<const RegisterCheckerSnapshot> snapshot = std::move(context.register_snapshot);
  context.register_snapshot = nullptr;
  if (snapshot == nullptr || &snapshot->function() != &function) {
    context.diagnostics.Error(StrCat("in function '", function.name(), "': ", context.pass_name,
                                     " has nothing to compare with: register-checker-begin must run before"));
    return {.changed = false};
  }
  const std::vector<RegisterCheckerFinding> findings = CheckRegisters(*snapshot);
  for (const RegisterCheckerFinding& finding : findings) {
    context.diagnostics.Error(StrCat("register checker: ", finding.message));
  }
  context.AddStatistic("functions proved", findings.empty() ? 1 : 0);
  return {.changed = false};
}

}  // namespace ptxmir
