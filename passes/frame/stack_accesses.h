// SPDX-License-Identifier: Apache-2.0

// Describes what instructions do with stack objects while the objects are still frame indices. The passes that
// merge, color and promote stack objects share it.

#ifndef PTXMIR_PASSES_FRAME_STACK_ACCESSES_H_
#define PTXMIR_PASSES_FRAME_STACK_ACCESSES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/liveness/backward_reachability.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// One operand that names a stack object.
struct StackAccess {
  enum class Kind : uint8_t {
    kLoad,  // a plain load of `bytes` at `offset`: neither ordered nor volatile
    kStore,
    kMarker,  // a lifetime marker
    kDebug,
    kOther,  // any other use; the address may escape
  };
  MachineInstr* instr = nullptr;
  int64_t offset = 0;
  uint32_t bytes = 0;
  uint32_t position = 0;  // instructions, debug ones excluded, are numbered in layout order
  int index = 0;          // the object's index
  uint32_t operand = 0;
  Kind kind = Kind::kOther;

  bool is_plain() const { return kind == Kind::kLoad || kind == Kind::kStore; }
};

// Describes the use of operand `operand`, which is a frame index.
StackAccess DescribeStackAccess(MachineInstr& instr, unsigned operand);

// All stack accesses of a function, in layout order. Takes O(operands).
struct StackAccessList {
  explicit StackAccessList(MachineFunction& function);

  std::vector<StackAccess> accesses;
  // The first position of each block and one past its last, indexed by block number.
  std::vector<std::pair<uint32_t, uint32_t>> block_positions;
};

// Divides the bytes of stack objects into cells so that no access spans two of them: overlapping accesses share a
// cell.
struct StackCells {
  static constexpr uint32_t kNoCell = ~uint32_t{0};
  struct Cell {
    int index = 0;  // the object's index
    int64_t offset = 0;
    uint32_t bytes = 0;
    bool is_uniform = true;  // every access covers the whole cell
  };

  // Divides the objects (not fixed ones) for which `is_wanted` is true, according to their plain accesses.
  StackCells(const StackAccessList& list, const std::vector<bool>& is_wanted);

  std::vector<Cell> cells;               // sorted by object and offset
  std::vector<uint32_t> cell_of_access;  // indexed by number of the access
  std::vector<bool> overwrites;          // for stores: whether the store overwrites the whole cell
};

// Changes memory operands that name stack object `from` so that they name `to`.
void RenameInMemOperands(MachineInstr& instr, int from, int to);

// Returns the metadata that a stack object's text ("!7", "!DIExpression()") refers to.
MetadataId MetadataReference(std::string_view text, MachineFunction& function);

// A half-open range of points. An instruction at position p reads at 2p and writes at 2p + 1.
struct StackSegment {
  uint32_t begin;
  uint32_t end;
};
// Returns true if two sorted lists of disjoint segments have a point in common.
bool Overlap(absl::Span<const StackSegment> a, absl::Span<const StackSegment> b);
// Merges `more` into `segments`, joining segments that touch.
void MergeSegments(std::vector<StackSegment>& segments, absl::Span<const StackSegment> more);

// Computes where cells hold a value that is read later.
//
// The analysis handles one cell at a time. It starts at each block that reads the cell's incoming value and walks
// upwards to the blocks that overwrite the whole cell. Time and memory are linear in the accesses and the blocks
// lived through. After kMaxBlocksLivedThrough blocks in total, further cells are assumed to be live everywhere.
class StackLiveness {
 public:
  static constexpr uint64_t kMaxBlocksLivedThrough = 50'000'000;

  // Keeps references to the list and the cells.
  StackLiveness(const MachineFunction& function, const StackAccessList& list, const StackCells& cells);

  absl::Span<const StackSegment> Segments(uint32_t cell) const {
    return absl::MakeConstSpan(segments_).subspan(first_segment_[cell],
                                                  first_segment_[cell + 1] - first_segment_[cell]);
  }
  // Returns true if the cell may be read before it is written.
  bool IsLiveIntoFunction(uint32_t cell) const { return live_into_function_[cell]; }
  // Returns true if no load reads what the store writes.
  bool IsDeadStore(uint32_t access) const { return dead_store_[access]; }

 private:
  // The accesses to the current cell in one block.
  struct Run {
    MachineBasicBlock* block;
    uint32_t first, last;  // indices into `accesses`, both inclusive
    bool is_exposed;       // reads the incoming value
    bool overwrites;
  };

  void Compute(uint32_t cell, absl::Span<const uint32_t> accesses);
  void FindLiveBlocks(uint32_t cell);
  void AddSegmentsOf(const Run& run, absl::Span<const uint32_t> accesses);
  void SortAndJoin(size_t first);

  const MachineFunction& function_;
  const StackAccessList& list_;
  const StackCells& cells_;
  std::vector<StackSegment> segments_;
  std::vector<uint32_t> first_segment_;
  std::vector<bool> live_into_function_;
  std::vector<bool> dead_store_;
  uint64_t blocks_lived_through_ = 0;

  // State for the current cell. A mark is set if it equals the cell's number plus one.
  std::vector<Run> runs_;
  std::vector<uint32_t> run_mark_;  // by block
  BackwardReachability search_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_ACCESSES_H_
