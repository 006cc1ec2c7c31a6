// SPDX-License-Identifier: Apache-2.0

// Access to mbarriers in the shared memory of a running program (semantics_mbarrier.cc).

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_MBARRIER_ACCESS_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_MBARRIER_ACCESS_H_

#include <cstdint>
#include <optional>

#include "ptx/interpreter/memory/mbarrier.h"

namespace ptxmir::ptx {

class Warp;
struct DecodedInstr;

// Loads the object at a generic address. Returns nullopt after a fault, for example if there is no object.
std::optional<Mbarrier> LoadMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address);
bool StoreMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, const Mbarrier& mbarrier);

// Performs complete_tx on the object at a generic address. Returns false after a fault.
bool MbarrierCompleteTransactions(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address,
                                  uint32_t bytes);
// Performs one arrival. Returns false after a fault.
bool MbarrierArrive(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address);
// Performs the arrival of cp.async.mbarrier.arrive once the copies have been made. `counted` (.noinc): the program
// has already counted this arrival.
bool MbarrierArriveForCopies(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, bool counted);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_MBARRIER_ACCESS_H_
