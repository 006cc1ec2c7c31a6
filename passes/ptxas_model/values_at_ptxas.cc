// SPDX-License-Identifier: Apache-2.0

#include "passes/ptxas_model/values_at_ptxas.h"

#include <algorithm>

#include "mir/code/function_ir.h"
#include "mir/code/operand_ranges.h"
#include "passes/schedule/schedule_region.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

bool IsParameterOfKernel(const MachineInstr& instr, const ptx::PtxInstrInfo& info, bool is_kernel) {
  return is_kernel && info.reads_memory() && info.address != ptx::PtxInstrInfo::kNoOperand &&
         ptx::MemorySpaceOf(instr) == ptx::MemorySpace::kParam && !instr.operand(info.address).is_reg();
}

// Returns true if machine instructions name the result of the instruction without a register. `is_free` says so of the
// registers seen so far.
template <typename IsFree>
bool IsFreeResult(const MachineInstr& instr, bool is_kernel, const IsFree& is_free) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (IsParameterOfKernel(instr, info, is_kernel)) return true;
  const bool passes_on = info.is_address_conversion() || info.is_move() || instr.is_copy();
  if (!passes_on) return false;
  const auto reads = VirtualReads(instr);
  return std::all_of(reads.begin(), reads.end(),
                     [&](const MachineOperand& read) { return is_free(read.reg().virtual_index()); });
}

}  // namespace

std::vector<uint8_t> UnitsAtPtxas(const MachineFunction& function) {
  enum : uint8_t { kUndefined, kFree, kTaken };
  std::vector<uint8_t> units = UnitsByRegister(function);
  std::vector<uint8_t> states(units.size(), kUndefined);
  const bool is_kernel = IsKernelFunction(function);
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (instr.is_debug()) continue;
      const bool is_free = IsFreeResult(instr, is_kernel, [&](uint32_t reg) { return states[reg] == kFree; });
      for (const MachineOperand& def : VirtualDefs(instr)) {
        uint8_t& state = states[def.reg().virtual_index()];
        state = std::max<uint8_t>(state, is_free ? kFree : kTaken);
      }
    }
  }
  for (size_t reg = 0; reg < units.size(); ++reg) {
    if (states[reg] == kFree) units[reg] = 0;
  }
  return units;
}

}  // namespace ptxmir
