// SPDX-License-Identifier: Apache-2.0

// The order in which decoding lays out blocks: a weak topological order.
//
// Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993), figure 4: strongly connected
// components in topological order, and within each the same again without its head. Every loop, also one with
// several entries, is contiguous, begins with its head, and what it leads to stands behind it.
//
// Near-linear: components are not searched anew without their heads. That search would meet the blocks of a component
// in the order in which the first one did, so one search of the whole function says what all heads are, and how
// components follow each other (Kim, Venet and Thakur, "Deterministic parallel fixpoint computation", 2020). Which
// loop is in which is Havlak's construction with Ramalingam's edges ("Identifying loops in almost linear time", 1999).

#ifndef PTXMIR_PTX_INTERPRETER_CODE_BLOCK_ORDER_H_
#define PTXMIR_PTX_INTERPRETER_CODE_BLOCK_ORDER_H_

#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

// The blocks that can be reached from the first one.
std::vector<const MachineBasicBlock*> WeakTopologicalOrder(const MachineFunction& function);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_BLOCK_ORDER_H_
