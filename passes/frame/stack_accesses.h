// SPDX-License-Identifier: Apache-2.0

// What instructions do with stack objects while these are still frame indices: shared by the passes that merge, colour
// and promote them.

#ifndef PTXMIR_PASSES_FRAME_STACK_ACCESSES_H_
#define PTXMIR_PASSES_FRAME_STACK_ACCESSES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// One operand that names a stack object.
struct StackAccess {
  enum class Kind : uint8_t {
    kLoad,  // a plain load or store of `bytes` at `offset`: neither ordered nor volatile
    kStore,
    kMarker,  // of a lifetime
    kDebug,
    kOther,  // the address may go anywhere
  };
  MachineInstr* instr = nullptr;
  int64_t offset = 0;
  uint32_t bytes = 0;
  uint32_t position = 0;  // instructions that are not for debugging, numbered in layout order
  int index = 0;          // of the object
  uint32_t operand = 0;
  Kind kind = Kind::kOther;

  bool is_plain() const { return kind == Kind::kLoad || kind == Kind::kStore; }
};

// What operand `operand`, a frame index, is for.
StackAccess DescribeStackAccess(MachineInstr& instr, unsigned operand);

// All of a function, in layout order. O(operands).
struct StackAccessList {
  explicit StackAccessList(MachineFunction& function);

  std::vector<StackAccess> accesses;
  // First position of each block and the one behind its last, by block number.
  std::vector<std::pair<uint32_t, uint32_t>> block_positions;
};

// The bytes of stack objects, divided so that no access lies in two cells: accesses that overlap share one.
struct StackCells {
  static constexpr uint32_t kNoCell = ~uint32_t{0};
  struct Cell {
    int index = 0;  // of the object
    int64_t offset = 0;
    uint32_t bytes = 0;
    bool is_uniform = true;  // every access covers all of it
  };

  // Of the objects (not fixed ones) for which `is_wanted` is true, with their plain accesses.
  StackCells(const StackAccessList& list, const std::vector<bool>& is_wanted);

  std::vector<Cell> cells;               // by object and offset
  std::vector<uint32_t> cell_of_access;  // by number of access
  std::vector<bool> overwrites;          // of stores: whether nothing is left of what the cell held
};

// Makes memory operands that name a stack object name another one.
void RenameInMemOperands(MachineInstr& instr, int from, int to);

// The metadata that a stack object's text ("!7", "!DIExpression()") refers to.
MetadataId MetadataReference(std::string_view text, MachineFunction& function);

// Half-open range of points; an instruction at position p reads at 2p and writes at 2p + 1.
struct StackSegment {
  uint32_t begin;
  uint32_t end;
};
// Whether two sorted lists of disjoint segments have a point in common.
bool Overlap(absl::Span<const StackSegment> a, absl::Span<const StackSegment> b);
// Puts `more` into `segments`, joining what touches.
void MergeSegments(std::vector<StackSegment>& segments, absl::Span<const StackSegment> more);

// Where cells hold a value that is read later.
//
// Cell by cell: from each block that reads the value it gets, upwards to the blocks that write all of it. Time and
// memory are linear in the accesses and the blocks lived through; beyond kMaxBlocksLivedThrough of these, further
// cells are taken for live everywhere.
class StackLiveness {
 public:
  static constexpr uint64_t kMaxBlocksLivedThrough = 50'000'000;

  // Keeps references to the list and the cells.
  StackLiveness(const MachineFunction& function, const StackAccessList& list, const StackCells& cells);

  absl::Span<const StackSegment> Segments(uint32_t cell) const {
    return absl::MakeConstSpan(segments_).subspan(first_segment_[cell],
                                                  first_segment_[cell + 1] - first_segment_[cell]);
  }
  // Whether something may be read that was never written.
  bool IsLiveIntoFunction(uint32_t cell) const { return live_into_function_[cell]; }
  // Of a store: whether nothing reads what it writes.
  bool IsDeadStore(uint32_t access) const { return dead_store_[access]; }

 private:
  // The accesses of the cell at hand in one block.
  struct Run {
    MachineBasicBlock* block;
    uint32_t first, last;  // of `accesses`, both included
    bool is_exposed;       // reads what it gets
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

  // Of the cell at hand. Marks hold when they are the cell's number plus one.
  std::vector<Run> runs_;
  std::vector<uint32_t> run_of_block_;
  std::vector<uint32_t> run_mark_;
  std::vector<uint32_t> live_out_mark_;
  std::vector<MachineBasicBlock*> worklist_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_ACCESSES_H_
