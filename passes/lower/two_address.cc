// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/two_address.h"

#include <utility>
#include <vector>

#include "passes/support/copy_sequencer.h"

namespace ptxmir {
namespace {

// Collects the operand numbers of tied (definition, use) pairs whose registers differ.
void CollectTies(const MachineInstr& instr, std::vector<std::pair<unsigned, unsigned>>& ties) {
  ties.clear();
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_def() || !operand.is_tied()) continue;
    const unsigned use = instr.FindTiedOperand(i);
    // Instructions never write frame registers, so only ties between virtual registers can be satisfied.
    if (!operand.reg().is_virtual() || !instr.operand(use).reg().is_virtual()) continue;
    if (instr.operand(use).reg() != operand.reg()) ties.emplace_back(i, use);
  }
}

// Makes untied uses of a register that a copy before the instruction is about to overwrite read a saved value.
void SaveOtherUses(MachineInstr& instr, Register overwritten) {
  MachineRegisterInfo& reg_info = instr.function().reg_info();
  Register saved;
  for (MachineOperand& operand : instr.operands()) {
    if (!operand.is_use() || operand.reg() != overwritten || operand.is_tied()) continue;
    if (!saved.is_valid()) {
      saved = reg_info.CreateVirtualRegister(reg_info.reg_class(overwritten));
      BuildMI(*instr.parent(), &instr, generic::kCopy, instr.debug_loc()).AddDef(saved).AddUse(overwritten).Insert();
    }
    operand.SetReg(saved);
  }
}

}  // namespace

PassResult RunTwoAddress(MachineFunction& function, PassContext& context) {
  const bool was_ssa = function.HasProperty(FunctionProperty::kIsSsa);
  function.SetProperty(FunctionProperty::kIsSsa, false);
  if (!function.MayHaveTies()) return {.changed = was_ssa};
  MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<std::pair<unsigned, unsigned>> ties;
  std::vector<RegisterCopy> parallel;
  CopySequencer sequencer(reg_info);
  uint64_t num_copies = 0;
  bool changed = false;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      // No PTX instruction has tied operands; inline assembly and generic opcodes have them.
      if (!instr.desc().Has(InstrFlag::kPseudo)) continue;
      CollectTies(instr, ties);
      if (ties.empty()) continue;
      changed = true;
      parallel.clear();
      for (auto [def, use] : ties) {
        SaveOtherUses(instr, instr.operand(def).reg());
        if (instr.operand(use).is_undef()) continue;
        parallel.push_back({instr.operand(def).reg(), instr.operand(use).reg()});
        instr.operand(use).set_reg_flag(MachineOperand::kKill, false);
      }
      for (const RegisterCopy& copy : sequencer.Sequentialize(parallel)) {
        BuildMI(block, &instr, generic::kCopy, instr.debug_loc()).AddDef(copy.target).AddUse(copy.source).Insert();
        ++num_copies;
      }
      for (auto [def, use] : ties) instr.operand(use).SetReg(instr.operand(def).reg());
    }
  }
  context.AddStatistic("copies inserted for tied operands", num_copies);
  return {.changed = changed || was_ssa};
}

}  // namespace ptxmir
