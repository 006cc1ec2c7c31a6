// SPDX-License-Identifier: Apache-2.0

// nvptx-mem2reg: stack objects and spill slots whose address goes nowhere become virtual registers.
//
// The reference's pass (reference/machine-level-passes.txt, "NVPTXMem2Reg") promotes a slot with one store that
// dominates all loads, whose source then replaces the loads. That case is here as it is there; beyond it any number of
// stores is promoted. The pass runs on code out of SSA form, where a slot simply is a register: no PHIs are placed, a
// store becomes a copy into the register and a load one out of it.
//
// An object is promoted in cells: ranges of bytes that every access which touches them covers exactly, 8 to 64 bits
// wide. Accesses of one width may use registers of different classes; conversions are put in as the loads and stores
// converted. Left alone are objects whose address goes anywhere else, cells that are accessed in several widths or as
// part of a vector, volatile and atomic accesses.
//
// Frame addresses are cleaned first: a load or store through LEA_ADDR of an object, with or without cvta.to.local in
// between, names the object itself, and what nothing reads any more goes (frame_addresses.h).
//
// A spill slot is there because somebody counted registers. It is promoted where the blocks in which it holds a value
// have registers to spare under the function's budget (register_budget.h), and never under -ra-spill=always.
//
// What lives across a call stays in memory unless -mem2reg-across-calls: callees leave few registers alone
// (docs/tried-and-lost.md).
//
// Stores that nothing reads go. A cell that may be read before it was written gets an IMPLICIT_DEF in the entry block.
// Debug values that said where the object is say which register it is, behind each store.
//
// Cost: O(operands + blocks that cells live through); nothing for a function without stack objects.

#ifndef PTXMIR_PASSES_FRAME_MEM2REG_H_
#define PTXMIR_PASSES_FRAME_MEM2REG_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunMem2Reg(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_MEM2REG_H_
