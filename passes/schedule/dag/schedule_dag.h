// SPDX-License-Identifier: Apache-2.0

// ScheduleDag: the dependences between the instructions of a region, for all schedulers of this project. It is what
// LLVM calls ScheduleDAGMI.
//
// A node is an instruction, named by its position in the region. A dependence says that one node must come before
// another, by at least some cycles, in the same iteration of the loop around them or `distance` iterations later:
//
//   data        the second node reads a register that the first one writes
//   anti        the second node overwrites a register that the first one reads
//   output      the second node overwrites a register that the first one writes
//   memory      both access memory, at least one writes, and the accesses may overlap (memory_dependence.h)
//   order       both are of a kind that stays in program order (instructions that threads execute together)
//   artificial  a scheduler added it
//
// The carry flag, which no operand names, is treated as a register. Registers need not be in SSA form.
//
// The builder visits each operand once. Accesses of memory are compared in pairs, at most kMaxPairsPerAccess pairs for
// each access on average. When a region has used that up, each further store waits for all accesses before it and holds
// up all accesses after it. Building therefore takes time near-linear in the region, and a region of ordinary size
// loses nothing.

#ifndef PTXMIR_PASSES_SCHEDULE_DAG_SCHEDULE_DAG_H_
#define PTXMIR_PASSES_SCHEDULE_DAG_SCHEDULE_DAG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/machine_function.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

enum class DependenceKind : uint8_t { kData, kAnti, kOutput, kMemory, kOrder, kArtificial };

std::string_view DependenceKindName(DependenceKind kind);

struct ScheduleDependence {
  uint32_t from;
  uint32_t to;
  uint16_t latency = 0;   // cycles from the issue of `from` to the issue of `to`
  uint16_t distance = 0;  // iterations; 0: in the same iteration
  DependenceKind kind = DependenceKind::kData;
};

class ScheduleDag {
 public:
  uint32_t size() const { return static_cast<uint32_t>(instrs_.size()); }
  MachineInstr& instr(uint32_t node) const { return *instrs_[node]; }
  absl::Span<MachineInstr* const> instrs() const { return instrs_; }
  // Return the dependences that end or begin at a node. There is at most one for each pair of nodes and distance, the
  // one with the highest latency.
  absl::Span<const ScheduleDependence> Predecessors(uint32_t node) const {
    return absl::MakeConstSpan(by_to_).subspan(first_by_to_[node], first_by_to_[node + 1] - first_by_to_[node]);
  }
  absl::Span<const ScheduleDependence> Successors(uint32_t node) const {
    return absl::MakeConstSpan(by_from_).subspan(first_by_from_[node], first_by_from_[node + 1] - first_by_from_[node]);
  }
  // Returns all dependences, by `to` and then by `from`.
  absl::Span<const ScheduleDependence> dependences() const { return by_to_; }

  // Adds dependences, for example those between iterations. Those with distance 0 must lead to later nodes.
  void Add(absl::Span<const ScheduleDependence> dependences);

  // Replaces the latency of each dependence by what `latency` returns for it.
  void SetLatencies(absl::FunctionRef<unsigned(const ScheduleDependence&)> latency);

  // Returns a graph for Graphviz: a box for each instruction, an arrow for each dependence.
  std::string ToDot(std::string_view title) const;

 private:
  friend class ScheduleDagBuilder;
  void Reset(absl::Span<MachineInstr* const> instrs);
  void Sort();

  std::vector<MachineInstr*> instrs_;
  std::vector<ScheduleDependence> by_to_;
  std::vector<ScheduleDependence> by_from_;
  std::vector<uint32_t> first_by_to_;
  std::vector<uint32_t> first_by_from_;
};

// Builds the graphs of the regions of one function. It keeps its storage from one region to the next.
class ScheduleDagBuilder {
 public:
  static constexpr size_t kMaxPairsPerAccess = 64;
  static constexpr size_t kMinPairs = size_t{1} << 16;  // compared in any region

  // All three must outlive the builder.
  ScheduleDagBuilder(const MachineFunction& function, const MemoryDependence& memory, const ptx::MachineModel& model);

  // Replaces `dag` by the graph of a region. `instrs` are its instructions in program order, without debug
  // instructions. None of them is a scheduling boundary.
  void Build(absl::Span<MachineInstr* const> instrs, ScheduleDag& dag);

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // The last accesses of the region to a register. Valid if the stamp is that of the region.
  struct RegisterState {
    uint32_t stamp = 0;
    uint32_t definition = kNone;
    uint32_t first_use = kNone;  // since the definition: index into uses_
  };
  struct Use {
    uint32_t node;
    uint32_t next;
  };

  RegisterState& StateOf(uint32_t reg);
  void AddEdge(uint32_t from, uint32_t to, DependenceKind kind, unsigned latency);
  void AddRead(RegisterState& state, uint32_t node);
  void AddWrite(RegisterState& state, uint32_t node);
  void AddRegisterEdges(uint32_t node);

  const MemoryDependence& memory_;
  const ptx::MachineModel& model_;
  std::vector<RegisterState> registers_;
  std::vector<Use> uses_;
  RegisterState carry_;
  uint32_t stamp_ = 0;
  ScheduleDag* dag_ = nullptr;
};

// Returns true if no other instruction may be moved across this one. Inline assembly is no boundary if it only
// computes: it has no effects, its text has no address, and it does not read a carry from elsewhere.
bool IsSchedulingBoundary(const MachineInstr& instr);

// Returns true if threads execute the instruction together, so that such instructions stay in order.
bool IsExecutedTogether(const MachineInstr& instr);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_DAG_SCHEDULE_DAG_H_
