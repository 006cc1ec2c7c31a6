// SPDX-License-Identifier: Apache-2.0

// Finds the dependences between accesses of memory in a region, for ScheduleDagBuilder.

#ifndef PTXMIR_PASSES_SCHEDULE_DAG_MEMORY_EDGES_H_
#define PTXMIR_PASSES_SCHEDULE_DAG_MEMORY_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/machine_instr.h"

namespace ptxmir {

// Returns true if all other accesses stay where they are relative to the instruction: an atomic or ordered access.
bool OrdersAccesses(const MachineInstr& instr);

// An access of memory by an instruction of a region or loop.
struct ScheduledAccess {
  uint32_t node;  // the position of the instruction
  bool writes;
  bool is_plain;  // `memory` describes the access completely
  MemoryAccess memory;
};

// Describes what the instruction at position `node` accesses. Returns nullopt if that keeps no access in its place.
std::optional<ScheduledAccess> AccessOf(const MachineInstr& instr, uint32_t node, const MemoryDependence& memory);

// Calls `add` with pairs of instructions that must stay in order because both access memory: their positions in
// `instrs`, the earlier one first, and the least number of cycles between them. Compares at most `max_pairs` pairs of
// accesses. After that, each instruction that writes is taken to conflict with all accesses. Then only the pairs are
// reported that imply all others.
void AddMemoryEdges(absl::Span<MachineInstr* const> instrs, const MemoryDependence& memory, size_t max_pairs,
                    absl::FunctionRef<void(uint32_t from, uint32_t to, unsigned latency)> add);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_DAG_MEMORY_EDGES_H_
