// SPDX-License-Identifier: Apache-2.0

// nvptx-mem2reg promotes stack objects and spill slots whose address does not escape to virtual registers.
//
// cicc's pass (NVPTXMem2Reg) promotes a slot with a single store that dominates all loads; the stored value then
// replaces the loads. We handle that case in the same way, and we also promote slots with any number of stores.
// The pass runs after SSA form has been left, where a slot simply becomes a register: no PHIs are placed, a store
// becomes a copy into the register and a load a copy out of it.
//
// An object is promoted in cells. A cell is a range of 8 to 64 bits that every access overlapping it covers
// exactly. Accesses of the same width may use registers of different classes; conversions are inserted where the
// loads and stores converted. The pass leaves alone objects whose address is used in any other way, cells that are
// accessed in several widths or as part of a vector, and volatile and atomic accesses.
//
// Frame addresses are folded first (frame_addresses.h): a load or store through a LEA_ADDR of an object, with or
// without a cvta.to.local in between, names the object itself, and address computations that are no longer read
// are erased.
//
// A spill slot exists because an earlier pass counted registers. It is promoted only if the blocks in which it
// holds a value have registers to spare under the function's budget (register_budget.h), and never with
// -ra-spill=always.
//
// A value that is live across a call stays in memory unless -mem2reg-across-calls is given, because callees
// preserve few registers (docs/tried-and-lost.md).
//
// Stores that are never read are erased. A cell that may be read before it is written gets an IMPLICIT_DEF in the
// entry block. Debug values that described the object's location name the register instead, after each store.
//
// The cost is O(operands + blocks in which cells are live); a function without stack objects costs nothing.

#ifndef PTXMIR_PASSES_FRAME_MEM2REG_H_
#define PTXMIR_PASSES_FRAME_MEM2REG_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMem2Reg(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_MEM2REG_H_
