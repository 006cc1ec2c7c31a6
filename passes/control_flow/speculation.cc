// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/speculation.h"

#include <algorithm>

#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

bool LiesWithinStackObject(const MemoryAccess& access, const MachineFrameInfo& frame) {
  if (access.root != MemoryAccess::Root::kFrameIndex || access.size == 0 || access.offset < 0) return false;
  const StackObject& object = frame.object(static_cast<int>(access.id));
  return static_cast<uint64_t>(access.offset) + access.size <= object.size;
}

// Physical registers may change between a side and the place before the branch, and no caller would look for that.
bool NamesOnlyVirtualRegisters(const MachineInstr& instr) {
  return std::all_of(instr.operands().begin(), instr.operands().end(), [](const MachineOperand& operand) {
    return !operand.is_reg() || !operand.reg().is_valid() || operand.reg().is_virtual();
  });
}

}  // namespace

bool IsSpeculatableLoad(const MachineInstr& load, const MemoryDependence& memory) {
  if (!ptx::InstrInfo(load.opcode()).is_rematerializable_load() || ptx::IsOrderedAccess(load)) return false;
  const auto memoperands = load.memoperands();
  const bool is_dereferenceable =
      !memoperands.empty() &&
      std::all_of(memoperands.begin(), memoperands.end(), [](const MachineMemOperand* memoperand) {
        return (memoperand->flags & MachineMemOperand::kDereferenceable) != 0 && !memoperand->is_volatile();
      });
  if (is_dereferenceable) return true;
  const MemoryAccess access = memory.Describe(load);
  const bool is_parameter = access.space == ptx::MemorySpace::kParam && access.root == MemoryAccess::Root::kSymbol;
  return is_parameter || LiesWithinStackObject(access, load.function().frame_info());
}

bool IsSpeculatable(const MachineInstr& instr, const MemoryDependence& memory) {
  if (instr.is_implicit_def()) return true;
  if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return false;
  if (!NamesOnlyVirtualRegisters(instr)) return false;
  return IsPlainComputation(instr) || IsSpeculatableLoad(instr, memory);
}

}  // namespace ptxmir
