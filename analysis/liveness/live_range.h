// SPDX-License-Identifier: Apache-2.0

// LiveRange: where a register holds which of its values. It consists of sorted segments [start, end) of slot
// indexes, each with a value number. LiveInterval: the live range of a virtual register, with its spill weight.
//
// Both follow LLVM's classes. Values are numbered from 0 within their range. A value has a definition point: the
// register or early-clobber slot of an instruction, or the beginning of a block. The latter is a PHI-def:
// different values meet there, or some path from the entry defines no value. A definition that is never read has
// the segment [def, dead slot). Adjacent segments of one value are merged.
//
// Differences from LLVM:
// - The segments and values of all ranges of a function are in one pool, as plain 32-bit numbers (12 bytes per
//   segment, 4 per value). LLVM uses a heap vector and a list of nodes per register.
// - There are no sub-ranges. No register class of NVPTX has sub-registers (the PTX ISA has no sub-register
//   operands; instructions pack and unpack values), and MIR operands here carry no sub-register index. Every range
//   is that of the whole register.

#ifndef PTXMIR_ANALYSIS_LIVENESS_LIVE_RANGE_H_
#define PTXMIR_ANALYSIS_LIVENESS_LIVE_RANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/liveness/slot_index.h"
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

// The memory of the arrays of all live ranges of a function. An array that grows leaves its old memory to other
// arrays.
class LiveRangePool {
 public:
  LiveRangePool() = default;
  LiveRangePool(const LiveRangePool&) = delete;
  LiveRangePool& operator=(const LiveRangePool&) = delete;

  // Returns an array of `words` 32-bit words.
  uint32_t* Take(uint32_t words) {
    if (num_free_ != 0 || words > left_) return TakeSlow(words);
    left_ -= words;
    return std::exchange(next_, next_ + words);
  }
  // Takes back an array. `words` is the size that it was requested with.
  void GiveBack(uint32_t* array, uint32_t words);
  size_t bytes_reserved() const { return bytes_reserved_; }

 private:
  static constexpr uint32_t kFirstChunkWords = 1u << 10;
  static constexpr uint32_t kMaxChunkWords = 1u << 20;  // two huge pages
  static constexpr int kClasses = 66;
  // Free arrays by size: class 2n has those of at least 2^n words, class 2n + 1 those of at least 1.5 * 2^n words.
  static int ClassOf(uint32_t words);
  uint32_t* TakeSlow(uint32_t words);

  std::vector<LargeArray<uint32_t>> chunks_;
  uint32_t* next_ = nullptr;
  size_t left_ = 0;
  uint32_t chunk_words_ = kFirstChunkWords;
  size_t bytes_reserved_ = 0;
  std::vector<uint32_t*> free_[kClasses];
  size_t num_free_ = 0;  // in all of them
};

// A growable array in the pool.
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
  // Replaces all elements.
  void Assign(LiveRangePool& pool, absl::Span<const T> elements);
  // Replaces the elements [first, last) with `count` elements.
  void Replace(LiveRangePool& pool, uint32_t first, uint32_t last, const T* elements, uint32_t count);
  void Truncate(uint32_t size) { size_ = size; }
  void Release(LiveRangePool& pool);

 private:
  static constexpr uint32_t kWords = sizeof(T) / sizeof(uint32_t);
  T* data_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

// The state of a live range at an instruction.
struct LiveQuery {
  ValueId value_in = kNoValue;    // the value that is live into the instruction
  ValueId value_late = kNoValue;  // the value that is live out of it or dead in it
  SlotIndex end_point;   // the end of the segment that leaves the instruction, or else of the one that enters it
  bool is_kill = false;  // the live-in value ends here

  // Returns the value that is live out of the instruction, without a dead definition.
  ValueId value_out() const { return is_dead_def() ? kNoValue : value_late; }
  ValueId value_out_or_dead() const { return value_late; }
  // Returns the value that the instruction defines.
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

  // Queries. They take O(log(segments)) unless noted otherwise.

  // Returns the first segment that ends after the index. If any segment contains the index, it is that one.
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
  // Returns the value that is live up to the index. At the end of a block, that is the live-out value.
  ValueId ValueBefore(SlotIndex index) const { return ValueAt(index.Previous()); }
  LiveQuery Query(SlotIndex index) const;
  // Returns true if any point of [start, end) is in the range.
  bool Overlaps(SlotIndex start, SlotIndex end) const {
    const LiveSegment* segment = Find(start);
    return segment != segments_.end() && segment->start < end;
  }
  // Returns true if the ranges have a common point. Linear in the shorter range and logarithmic in the longer one;
  // at most linear in both.
  bool Overlaps(const LiveRange& other) const { return FirstOverlap(other).is_valid(); }
  // Returns the first point that is in both, or an invalid index if there is none.
  SlotIndex FirstOverlap(const LiveRange& other) const;
  // Returns true if all points of `other` are in this range.
  bool Covers(const LiveRange& other) const;
  // Returns true if any of the sorted points is in the range.
  bool IsLiveAtIndexes(absl::Span<const SlotIndex> indexes) const;
  // Returns the number of points. Linear.
  uint64_t Size() const;

  // Edits. They take O(segments) if they insert or remove in the middle, which moves 12 bytes per segment.

  ValueId CreateValue(SlotIndex def);
  // Creates a value with the segment [def, dead slot). If the instruction already defines a value, returns that
  // value; it then begins at the earlier of the two points.
  ValueId CreateDeadDef(SlotIndex def);
  // Adds a segment and joins it with adjacent segments of the same value. It must not overlap another value.
  void AddSegment(LiveSegment segment);
  // Removes [start, end). If `remove_dead_values`, values that are left without a segment become unused.
  void RemoveSegment(SlotIndex start, SlotIndex end, bool remove_dead_values = false);
  // These do the same for many sorted, disjoint segments at once. Added segments that touch may have the same
  // value. Linear.
  void AddSegments(absl::Span<const LiveSegment> added);
  void RemoveSegments(absl::Span<const LiveSegment> removed);  // ignores the values of `removed`
  // If a value is live or defined in the block before `use`, extends the last one up to `use` and returns it.
  ValueId ExtendInBlock(SlotIndex block_start, SlotIndex use);
  // Moves the definition of a value, but not its segments.
  void SetValueDef(ValueId value, SlotIndex def) { values_[value] = def; }
  // Changes the bounds of `segment`. It must keep its position among the other segments.
  void SetSegmentBounds(const LiveSegment* segment, SlotIndex start, SlotIndex end);
  // Merges `from` into `into`, which keeps its definition. The two values never overlap.
  void MergeValueInto(ValueId from, ValueId into);
  // Removes all segments of a value, which becomes unused.
  void RemoveValue(ValueId value);
  // Drops unused values and numbers the others in the order of their definitions.
  void RenumberValues();
  // Adds the segments of `other` as segments of `value`. They may overlap `value`, but no other value.
  void MergeSegmentsAsValue(const LiveRange& other, ValueId value);
  // Joins `other` into this range. Value v of this range becomes new_value[v], and value w of `other` becomes
  // other_new_value[w]. `defs` holds the definitions of the new values. Where the ranges overlap, their values
  // must have become the same.
  void Join(const LiveRange& other, absl::Span<const ValueId> new_value, absl::Span<const ValueId> other_new_value,
            absl::Span<const SlotIndex> defs);
  // Makes this range a copy of `other`.
  void Assign(const LiveRange& other);
  void Clear();
  // Sets all segments and values. Segments are sorted and as AddSegment would leave them.
  void Set(absl::Span<const LiveSegment> segments, absl::Span<const SlotIndex> defs);

  // Translates the range after SlotIndexes was renumbered.
  void Renumber(const SlotRenumbering& renumbering);

  // Appends "[16r,64B:0)[80r,96r:1) 0@16r 1@80r", or "EMPTY" for an empty range, as LLVM does.
  void Print(const SlotIndexes& indexes, std::string& out) const;
  // Returns an empty string, or what is wrong with the order of the segments or the value numbers.
  std::string Check() const;

 private:
  void SetSegments(absl::Span<const LiveSegment> segments);
  LiveSegment* MutableFind(SlotIndex index) { return const_cast<LiveSegment*>(Find(index)); }

  LiveRangePool* pool_ = nullptr;
  PooledArray<LiveSegment> segments_;
  PooledArray<SlotIndex> values_;  // the definition of each value
};

class LiveInterval : public LiveRange {
 public:
  LiveInterval(LiveRangePool& pool, Register reg) : LiveRange(pool), reg_(reg) {}
  LiveInterval(LiveInterval&&) noexcept = default;

  Register reg() const { return reg_; }
  // The cost of spilling the interval, as estimated by the allocator.
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

#endif  // PTXMIR_ANALYSIS_LIVENESS_LIVE_RANGE_H_
