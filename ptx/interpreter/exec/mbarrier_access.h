// SPDX-License-Identifier: Apache-2.0

// Mbarriers in the shared memory of a running program (semantics_mbarrier.cc).

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_MBARRIER_ACCESS_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_MBARRIER_ACCESS_H_

#include <cstdint>
#include <optional>

#include "ptx/interpreter/memory/mbarrier.h"

namespace ptxmir::ptx {

class Warp;
struct DecodedInstr;

// The object at a generic address; nullopt after a fault, as when there is none.
std::optional<Mbarrier> LoadMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address);
bool StoreMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, const Mbarrier& mbarrier);

// complete_tx on the object at a generic address. False after a fault.
bool MbarrierCompleteTransactions(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address,
                                  uint32_t bytes);
// One arrival.
bool MbarrierArrive(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address);
// What cp.async.mbarrier.arrive does when the copies have been made. `counted` (.noinc): the program has counted
// this arrival already.
bool MbarrierArriveForCopies(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, bool counted);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_MBARRIER_ACCESS_H_
