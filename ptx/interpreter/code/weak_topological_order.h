// SPDX-License-Identifier: Apache-2.0

// The order in which decoding lays out blocks: a weak topological order.
//
// Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993), figure 4: the strongly connected
// components in topological order, and within each component, minus its head, the same order recursively. Every
// loop, including an irreducible one, is contiguous and begins with its head. The blocks that a loop exits to come
// after it.
//
// The time is near-linear, because no component is searched again without its head. That search would meet the
// blocks of a component in the order in which the first search met them. So one search of the whole function finds
// all heads and the order of the components (Kim, Venet and Thakur, "Deterministic parallel fixpoint computation",
// 2020). The nesting of loops is found by Havlak's construction with Ramalingam's edges ("Identifying loops in
// almost linear time", 1999).

#ifndef PTXMIR_PTX_INTERPRETER_CODE_WEAK_TOPOLOGICAL_ORDER_H_
#define PTXMIR_PTX_INTERPRETER_CODE_WEAK_TOPOLOGICAL_ORDER_H_

#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

// Returns the blocks that are reachable from the first one.
std::vector<const MachineBasicBlock*> WeakTopologicalOrder(const MachineFunction& function);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_WEAK_TOPOLOGICAL_ORDER_H_
