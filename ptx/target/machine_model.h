// SPDX-License-Identifier: Apache-2.0

// Latency and throughput by latency class; the figures stand in ptx/isa/tables/prelude.isa, with their sources.

#ifndef PTXMIR_PTX_TARGET_MACHINE_MODEL_H_
#define PTXMIR_PTX_TARGET_MACHINE_MODEL_H_

#include <string_view>

#include "mir/code/machine_instr.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::ptx {

struct Latency {
  unsigned cycles;  // until a result can be used
  unsigned issue;   // that one warp keeps its unit busy
};

Latency LatencyOfClass(LatencyClass latency_class);
std::string_view LatencyClassName(LatencyClass latency_class);

// The class of an instruction: its opcode's, but for loads whose state space is an operand, which decides
// between the memories (shared and constant memory are an order of magnitude nearer than global).
LatencyClass LatencyClassOf(const MachineInstr& instr);

// The state space that an instruction accesses: fixed by its opcode or named by its addsp operand.
MemorySpace MemorySpaceOf(const MachineInstr& instr);

// Whether a load, store or compare-and-swap has a memory order (volatile counts as one): it may be neither
// deleted nor merged nor moved across other accesses.
bool IsOrderedAccess(const MachineInstr& instr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_MACHINE_MODEL_H_
