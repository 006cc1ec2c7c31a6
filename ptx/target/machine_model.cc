// SPDX-License-Identifier: Apache-2.0

// Latency classes of instructions. See machine_model.h.

#include "ptx/target/machine_model.h"

#include "ptx/target/isa_tables.h"

namespace ptxmir::ptx {

Latency LatencyOfClass(LatencyClass latency_class) {
  const isa::LatencyRow& row = isa::kLatencies[static_cast<unsigned>(latency_class)];
  return {row.cycles, row.issue};
}

std::string_view LatencyClassName(LatencyClass latency_class) {
  return isa::kStrings + isa::kLatencies[static_cast<unsigned>(latency_class)].name;
}

MemorySpace MemorySpaceOf(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (info.space != MemorySpace::kOperand) return info.space;
  if (info.address_space >= instr.num_operands()) return MemorySpace::kUnknown;
  const MachineOperand& code = instr.operand(info.address_space);
  return code.is_imm() ? AddressSpaceFromCode(code.imm()) : MemorySpace::kUnknown;
}

bool IsOrderedAccess(const MachineInstr& instr) {
  const uint8_t ordering = InstrInfo(instr.opcode()).ordering;
  if (ordering >= instr.num_operands()) return false;
  const MachineOperand& code = instr.operand(ordering);
  return !code.is_imm() || code.imm() != 0;
}

LatencyClass LatencyClassOf(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (info.latency != LatencyClass::kLd) return info.latency;
  switch (MemorySpaceOf(instr)) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      return LatencyClass::kLdShared;
    case MemorySpace::kConst:
    case MemorySpace::kParam:
      return LatencyClass::kLdConst;
    default:
      return info.latency;
  }
}

}  // namespace ptxmir::ptx
