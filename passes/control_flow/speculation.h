// SPDX-License-Identifier: Apache-2.0

// Tells instructions that may be executed where the program would not execute them.

#ifndef PTXMIR_PASSES_CONTROL_FLOW_SPECULATION_H_
#define PTXMIR_PASSES_CONTROL_FLOW_SPECULATION_H_

#include "analysis/values/memory_dependence.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns true if the address of the load is known to be valid whether or not the load is executed: its memory operands
// say so, or it reads a parameter or lies within a stack object. The load must not be ordered.
bool IsSpeculatableLoad(const MachineInstr& load, const MemoryDependence& memory);

// Returns true if executing the instruction once more, or for more threads, has no effect but its results: it is a
// computation or a speculatable load, and no other threads take part in it.
bool IsSpeculatable(const MachineInstr& instr, const MemoryDependence& memory);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_SPECULATION_H_
