// SPDX-License-Identifier: Apache-2.0

// LiveRange: where a register holds which of its values, as sorted segments [start, end) of slot indexes, each with
// a value number; LiveInterval: the live range of a virtual register, with its spill weight.
//
// As LLVM's LiveRange and LiveInterval. A value is numbered from 0 within its range and has the point of its
// definition: the register or early-clobber slot of an instruction, or the beginning of a block where different
// values meet (a PHI-def), or where nothing has been defined on some path from the entry. A definition that nobody
// reads has the segment [def, dead slot). Adjacent segments of a value are one segment.
//
// Where we differ:
// - Segments and values of all ranges of a function lie in one pool, as plain 32-bit numbers (12 bytes a segment,
//   4 a value), not in a heap vector and a list of nodes a register.
// - There are no sub-ranges: no register class of NVPTX has sub-registers (the PTX ISA has no sub-register
//   operands; values are packed and unpacked by instructions), and MIR operands here carry no sub-register index.
//   Every range is that of the whole register.

#ifndef PTXMIR_ANALYSIS_LIVE_RANGE_H_
#define PTXMIR_ANALYSIS_LIVE_RANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/slot_index.h"
#include "base/large_vector.h"
#include "mir/code/register.h"

namespace ptxmir {

class SlotIndexes;
class SlotRenumbering;

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~uint32_t{0};

struct LiveSegment {
  SlotIndex start;
  SlotIndex end;  // exclusive
  ValueId value = kNoValue;
  bool Contains(SlotIndex index) const { return start <= index && index < end; }
  friend bool operator==(const LiveSegment&, const LiveSegment&) = default;
};

// Where the arrays of all live ranges of a function lie. Arrays that grow leave their old place to others.
class LiveRangePool {
 public:
  LiveRangePool() = default;
  LiveRangePool(const LiveRangePool&) = delete;
  LiveRangePool& operator=(const LiveRangePool&) = delete;

  // `words` 32-bit words.
  uint32_t* Take(uint32_t words);
  // As it was taken.
  void GiveBack(uint32_t* array, uint32_t words);
  size_t bytes_reserved() const { return bytes_reserved_; }

 private:
  static constexpr uint32_t kFirstChunkWords = 1u << 10;
  static constexpr uint32_t kMaxChunkWords = 1u << 20;  // two huge pages
  static constexpr int kClasses = 66;
  // Arrays that were given back, by size: 2^n words and more are in class 2n, 1.5 * 2^n and more in 2n + 1.
  static int ClassOf(uint32_t words);

  std::vector<LargeArray<uint32_t>> chunks_;
  uint32_t* next_ = nullptr;
  size_t left_ = 0;
  uint32_t chunk_words_ = kFirstChunkWords;
  size_t bytes_reserved_ = 0;
  std::vector<uint32_t*> free_[kClasses];
};

// A growing array in the pool.
template <typename T>
class PooledArray {
 public:
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](uint32_t i) { return data_[i]; }
  const T& operator[](uint32_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  void Reserve(LiveRangePool& pool, uint32_t capacity);
  void PushBack(LiveRangePool& pool, T value) {
    if (size_ == capacity_) Reserve(pool, size_ < 2 ? size_ + 1 : size_ * 2);
    data_[size_++] = value;
  }
  // Puts `count` elements in place of those in [first, last).
  void Replace(LiveRangePool& pool, uint32_t first, uint32_t last, const T* elements, uint32_t count);
  void Truncate(uint32_t size) { size_ = size; }
  void Release(LiveRangePool& pool);

 private:
  static constexpr uint32_t kWords = sizeof(T) / sizeof(uint32_t);
  T* data_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

// What a live range says of an instruction.
struct LiveQuery {
  ValueId value_in = kNoValue;    // live into the instruction
  ValueId value_late = kNoValue;  // live out of it, or dead in it
  SlotIndex end_point;            // of the segment that leaves the instruction, else of the one that enters it
  bool is_kill = false;           // the live-in value ends here

  // Live out of the instruction: not the value of a dead definition.
  ValueId value_out() const { return is_dead_def() ? kNoValue : value_late; }
  ValueId value_out_or_dead() const { return value_late; }
  // Defined by the instruction.
  ValueId value_defined() const { return value_late == value_in ? kNoValue : value_late; }
  bool is_dead_def() const { return end_point.is_valid() && end_point.is_dead(); }
};

class LiveRange {
 public:
  explicit LiveRange(LiveRangePool& pool) : pool_(&pool) {}
  LiveRange(const LiveRange&) = delete;
  LiveRange& operator=(const LiveRange&) = delete;
  LiveRange(LiveRange&& other) noexcept { *this = std::move(other); }
  LiveRange& operator=(LiveRange&& other) noexcept;
  ~LiveRange() { Clear(); }

  bool empty() const { return segments_.empty(); }
  absl::Span<const LiveSegment> segments() const { return {segments_.begin(), segments_.size()}; }
  SlotIndex begin_index() const { return segments_.begin()->start; }
  SlotIndex end_index() const { return (segments_.end() - 1)->end; }

  uint32_t num_values() const { return values_.size(); }
  SlotIndex ValueDef(ValueId value) const { return values_[value]; }
  bool IsUnused(ValueId value) const { return !values_[value].is_valid(); }
  bool IsPhiDef(ValueId value) const { return !IsUnused(value) && values_[value].is_block(); }
  bool HasOneValue() const { return values_.size() == 1; }

  // Queries. O(log(segments)), but where said otherwise.

  // The first segment that ends behind the index: the one that contains it, if any does.
  const LiveSegment* Find(SlotIndex index) const;
  const LiveSegment* SegmentAt(SlotIndex index) const {
    const LiveSegment* segment = Find(index);
    return segment != segments_.end() && segment->start <= index ? segment : nullptr;
  }
  bool LiveAt(SlotIndex index) const { return SegmentAt(index) != nullptr; }
  ValueId ValueAt(SlotIndex index) const {
    const LiveSegment* segment = SegmentAt(index);
    return segment != nullptr ? segment->value : kNoValue;
  }
  // The value that is live up to the index: at a block's end, the one that is live out.
  ValueId ValueBefore(SlotIndex index) const { return ValueAt(index.Previous()); }
  LiveQuery Query(SlotIndex index) const;
  // Whether any point of [start, end) is in the range.
  bool Overlaps(SlotIndex start, SlotIndex end) const {
    const LiveSegment* segment = Find(start);
    return segment != segments_.end() && segment->start < end;
  }
  // Linear in the shorter, logarithmic in the longer one, at most linear in both.
  bool Overlaps(const LiveRange& other) const { return FirstOverlap(other).is_valid(); }
  // The first point that is in both; invalid when there is none.
  SlotIndex FirstOverlap(const LiveRange& other) const;
  // Whether all points of `other` are in this.
  bool Covers(const LiveRange& other) const;
  // Whether any of the points, which are sorted, is in the range.
  bool IsLiveAtIndexes(absl::Span<const SlotIndex> indexes) const;
  // Number of points. Linear.
  uint64_t Size() const;

  // Edits. O(segments) where something is put in or taken out of the middle, which moves 12 bytes a segment.

  ValueId CreateValue(SlotIndex def);
  // A value with the segment [def, dead slot). When the instruction defines one already, that one is returned, and
  // begins at the earlier of the two.
  ValueId CreateDeadDef(SlotIndex def);
  // Adds a segment, joined with those of the same value that it touches. It may not overlap another value.
  void AddSegment(LiveSegment segment);
  // Takes [start, end) out. When `remove_dead_values`, values that are left without a segment become unused.
  void RemoveSegment(SlotIndex start, SlotIndex end, bool remove_dead_values = false);
  // Both for many segments at once, sorted and disjoint; of those added, ones that touch may be of one value. Linear.
  void AddSegments(absl::Span<const LiveSegment> added);
  void RemoveSegments(absl::Span<const LiveSegment> removed);  // values do not matter
  // If a value is live or defined in the block before `use`, makes the last such live up to it and returns it.
  ValueId ExtendInBlock(SlotIndex block_start, SlotIndex use);
  // Moves the definition of a value (not its segments).
  void SetValueDef(ValueId value, SlotIndex def) { values_[value] = def; }
  // Moves the ends of the segment at `segment`; it must stay where it is among the others.
  void SetSegmentBounds(const LiveSegment* segment, SlotIndex start, SlotIndex end);
  // `from` becomes `into`, whose definition stays. The two must not overlap, which they never do.
  void MergeValueInto(ValueId from, ValueId into);
  // Takes out all segments of a value, which becomes unused.
  void RemoveValue(ValueId value);
  // Drops unused values and numbers the others in the order of their definitions.
  void RenumberValues();
  // Adds the segments of `other` as segments of `value`. They may overlap it, but no other value.
  void MergeSegmentsAsValue(const LiveRange& other, ValueId value);
  // Joins `other` into this: value v of this becomes new_value[v], value w of `other` becomes other_new_value[w],
  // and values are defined where `defs` says. Where the two overlap they must have become the same value.
  void Join(const LiveRange& other, absl::Span<const ValueId> new_value, absl::Span<const ValueId> other_new_value,
            absl::Span<const SlotIndex> defs);
  // A copy of `other`.
  void Assign(const LiveRange& other);
  void Clear();
  // Sets everything at once. Segments are sorted and as AddSegment would leave them.
  void Set(absl::Span<const LiveSegment> segments, absl::Span<const SlotIndex> defs);

  // After SlotIndexes was renumbered.
  void Renumber(const SlotRenumbering& renumbering);

  // "[16r,64B:0)[80r,96r:1) 0@16r 1@80r"; "EMPTY" for an empty range, as LLVM.
  void Print(const SlotIndexes& indexes, std::string& out) const;
  // Empty, or what is wrong with the order of segments or the numbers of values.
  std::string Check() const;

 private:
  void SetSegments(absl::Span<const LiveSegment> segments);
  LiveSegment* MutableFind(SlotIndex index) { return const_cast<LiveSegment*>(Find(index)); }

  LiveRangePool* pool_ = nullptr;
  PooledArray<LiveSegment> segments_;
  PooledArray<SlotIndex> values_;  // where they are defined
};

class LiveInterval : public LiveRange {
 public:
  LiveInterval(LiveRangePool& pool, Register reg) : LiveRange(pool), reg_(reg) {}
  LiveInterval(LiveInterval&&) noexcept = default;

  Register reg() const { return reg_; }
  // How much it would cost to spill it: what the allocator says.
  float weight() const { return weight_; }
  void set_weight(float weight) { weight_ = weight; }
  bool is_spillable() const { return weight_ != kUnspillable; }
  void MarkUnspillable() { weight_ = kUnspillable; }

 private:
  static constexpr float kUnspillable = 1e38f;
  Register reg_;
  float weight_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVE_RANGE_H_
