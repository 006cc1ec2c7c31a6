// SPDX-License-Identifier: Apache-2.0

// Latency and throughput by latency class. The figures and their sources are in ptx/isa/tables/prelude.isa.

#ifndef PTXMIR_PTX_TARGET_MACHINE_MODEL_H_
#define PTXMIR_PTX_TARGET_MACHINE_MODEL_H_

#include <string_view>

#include "mir/code/machine_instr.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::ptx {

struct Latency {
  unsigned cycles;  // until a result can be used
  unsigned issue;   // for which one warp keeps its unit busy
};

Latency LatencyOfClass(LatencyClass latency_class);
std::string_view LatencyClassName(LatencyClass latency_class);

// Returns the latency class of an instruction. It is that of the opcode, except for loads whose state space is an
// operand. Their class depends on the memory (shared and constant memory are an order of magnitude nearer than
// global).
LatencyClass LatencyClassOf(const MachineInstr& instr);

// Returns the state space that an instruction accesses, which its opcode or its addsp operand determines.
MemorySpace MemorySpaceOf(const MachineInstr& instr);

// Returns true if a load, store or compare-and-swap has a memory order (volatile counts as one). Such an access must
// not be deleted, merged, or moved across other accesses.
bool IsOrderedAccess(const MachineInstr& instr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_MACHINE_MODEL_H_
