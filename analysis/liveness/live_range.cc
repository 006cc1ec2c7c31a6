// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/live_range.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "analysis/liveness/slot_indexes.h"
#include "base/str_cat.h"

namespace ptxmir {

int LiveRangePool::ClassOf(uint32_t words) {
  const int log = std::bit_width(words) - 1;
  return 2 * log + (log > 0 ? static_cast<int>(words >> (log - 1) & 1) : 0);
}

uint32_t* LiveRangePool::TakeSlow(uint32_t words) {
  // The smallest class whose arrays are all large enough.
  const int log = std::bit_width(words) - 1;
  const bool is_least_of_class = std::popcount(words) == 1 || (log > 0 && words == 3u << (log - 1));
  const int size_class = ClassOf(words) + (is_least_of_class ? 0 : 1);
  if (!free_[size_class].empty()) {
    uint32_t* array = free_[size_class].back();
    free_[size_class].pop_back();
    --num_free_;
    return array;
  }
  if (words > left_) {
    // The rest of the old chunk serves small arrays.
    if (left_ >= 4) GiveBack(next_, static_cast<uint32_t>(left_));
    const size_t size = std::max(words, chunk_words_);
    chunk_words_ = std::min(chunk_words_ * 2, kMaxChunkWords);
    chunks_.push_back(AllocateLargeArray<uint32_t>(size));
    bytes_reserved_ += size * sizeof(uint32_t);
    next_ = chunks_.back().get();
    left_ = size;
  }
  uint32_t* array = next_;
  next_ += words;
  left_ -= words;
  return array;
}

void LiveRangePool::GiveBack(uint32_t* array, uint32_t words) {
  free_[ClassOf(words)].push_back(array);
  ++num_free_;
}

template <typename T>
void PooledArray<T>::Reserve(LiveRangePool& pool, uint32_t capacity) {
  if (capacity <= capacity_) return;
  T* grown = reinterpret_cast<T*>(pool.Take(capacity * kWords));
  std::uninitialized_copy(data_, data_ + size_, grown);
  if (data_ != nullptr) pool.GiveBack(reinterpret_cast<uint32_t*>(data_), capacity_ * kWords);
  data_ = grown;
  capacity_ = capacity;
}

template <typename T>
void PooledArray<T>::Assign(LiveRangePool& pool, absl::Span<const T> elements) {
  const uint32_t count = static_cast<uint32_t>(elements.size());
  size_ = 0;
  Reserve(pool, count);
  std::copy(elements.begin(), elements.end(), data_);
  size_ = count;
}

template <typename T>
void PooledArray<T>::Replace(LiveRangePool& pool, uint32_t first, uint32_t last, const T* elements, uint32_t count) {
  const uint32_t size = size_ - (last - first) + count;
  if (size > capacity_) Reserve(pool, std::max(size, size_ * 2));
  if (size == 0) {
    size_ = 0;
    return;  // there may be no array
  }
  std::memmove(static_cast<void*>(data_ + first + count), data_ + last, (size_ - last) * sizeof(T));
  std::copy(elements, elements + count, data_ + first);
  size_ = size;
}

template <typename T>
void PooledArray<T>::Release(LiveRangePool& pool) {
  if (data_ != nullptr) pool.GiveBack(reinterpret_cast<uint32_t*>(data_), capacity_ * kWords);
  *this = PooledArray();
}

namespace {

// Appends a segment to sorted ones, and joins it with the last if they touch and have the same value.
void AppendJoined(const LiveSegment& segment, std::vector<LiveSegment>& segments) {
  if (!segments.empty() && segments.back().value == segment.value && segments.back().end >= segment.start) {
    segments.back().end = std::max(segments.back().end, segment.end);
    return;
  }
  assert((segments.empty() || segments.back().end <= segment.start) && "segments of different values overlap");
  segments.push_back(segment);
}

}  // namespace

template class PooledArray<LiveSegment>;
template class PooledArray<SlotIndex>;

LiveRange& LiveRange::operator=(LiveRange&& other) noexcept {
  if (this == &other) return *this;
  if (pool_ != nullptr) Clear();
  pool_ = other.pool_;
  segments_ = std::exchange(other.segments_, {});
  values_ = std::exchange(other.values_, {});
  return *this;
}

void LiveRange::Clear() {
  if (pool_ == nullptr) return;
  segments_.Release(*pool_);
  values_.Release(*pool_);
}

const LiveSegment* LiveRange::Find(SlotIndex index) const {
  return std::partition_point(segments_.begin(), segments_.end(),
                              [index](const LiveSegment& segment) { return segment.end <= index; });
}

LiveQuery LiveRange::Query(SlotIndex index) const {
  LiveQuery query;
  const LiveSegment* segment = Find(index.Base());
  if (segment == segments_.end()) return query;
  if (segment->start <= index.Base()) {
    query.value_in = segment->value;
    query.end_point = segment->end;
    const bool is_defined_here = values_[segment->value] == index.Base();
    if (SlotIndex::IsSameInstr(index, segment->end)) {
      query.is_kill = true;
      ++segment;
    }
    // A PHI-def may continue a segment of the previous block. It is not live-in.
    if (is_defined_here) query.value_in = kNoValue;
    if (segment == segments_.end()) return query;
  }
  if (!SlotIndex::IsEarlierInstr(index, segment->start)) {
    query.value_late = segment->value;
    query.end_point = segment->end;
  }
  return query;
}

SlotIndex LiveRange::FirstOverlap(const LiveRange& other) const {
  if (empty() || other.empty()) return {};
  const LiveSegment* a = Find(other.begin_index());
  const LiveSegment* b = other.Find(begin_index());
  const LiveSegment* a_end = segments_.end();
  const LiveSegment* b_end = other.segments_.end();
  // Finds the next segment that ends after `index`, in steps of growing size.
  const auto advance = [](const LiveSegment* at, const LiveSegment* end, SlotIndex index) {
    ptrdiff_t step = 1;
    while (end - at > step && at[step].end <= index) {
      at += step;
      step *= 2;
    }
    return std::partition_point(at, end - at > step ? at + step + 1 : end,
                                [index](const LiveSegment& segment) { return segment.end <= index; });
  };
  while (a != a_end && b != b_end) {
    if (a->end <= b->start) {
      a = advance(a, a_end, b->start);
    } else if (b->end <= a->start) {
      b = advance(b, b_end, a->start);
    } else {
      return std::max(a->start, b->start);
    }
  }
  return {};
}

bool LiveRange::Covers(const LiveRange& other) const {
  const LiveSegment* at = segments_.begin();
  for (const LiveSegment& segment : other.segments()) {
    SlotIndex covered = segment.start;
    while (at != segments_.end() && at->end <= covered) ++at;
    while (covered < segment.end) {
      if (at == segments_.end() || at->start > covered) return false;
      covered = at->end;
      if (covered < segment.end) ++at;
    }
  }
  return true;
}

bool LiveRange::IsLiveAtIndexes(absl::Span<const SlotIndex> indexes) const {
  const SlotIndex* index = indexes.begin();
  const LiveSegment* segment = segments_.begin();
  while (index != indexes.end() && segment != segments_.end()) {
    if (*index < segment->start) {
      index = std::lower_bound(index, indexes.end(), segment->start);
    } else if (*index < segment->end) {
      return true;
    } else {
      segment = Find(*index);
    }
  }
  return false;
}

uint64_t LiveRange::Size() const {
  uint64_t size = 0;
  for (const LiveSegment& segment : segments()) size += segment.end.bits() - segment.start.bits();
  return size;
}

ValueId LiveRange::CreateValue(SlotIndex def) {
  values_.PushBack(*pool_, def);
  return values_.size() - 1;
}

ValueId LiveRange::CreateDeadDef(SlotIndex def) {
  assert(!def.is_dead());
  LiveSegment* segment = MutableFind(def.Base());
  if (segment != segments_.end() && segment->start <= def.Base() && SlotIndex::IsSameInstr(segment->end, def))
    ++segment;
  if (segment != segments_.end() && SlotIndex::IsSameInstr(def, segment->start)) {
    // One instruction defines the register twice; the earlier definition counts.
    if (def < segment->start) {
      segment->start = def;
      values_[segment->value] = def;
    }
    return segment->value;
  }
  const ValueId value = CreateValue(def);
  const LiveSegment added{def, def.DeadSlot(), value};
  const uint32_t at = static_cast<uint32_t>(segment - segments_.begin());
  segments_.Replace(*pool_, at, at, &added, 1);
  return value;
}

void LiveRange::AddSegment(LiveSegment segment) {
  assert(segment.start < segment.end);
  // The first segment that touches the new one.
  LiveSegment* first = std::partition_point(segments_.begin(), segments_.end(),
                                            [&](const LiveSegment& s) { return s.end < segment.start; });
  if (first != segments_.end() && first->end == segment.start && first->value != segment.value) ++first;
  LiveSegment* last = first;
  while (last != segments_.end() && last->start <= segment.end && last->value == segment.value) {
    segment.start = std::min(segment.start, last->start);
    segment.end = std::max(segment.end, last->end);
    ++last;
  }
  assert((last == segments_.end() || last->start >= segment.end) && "segments of different values overlap");
  segments_.Replace(*pool_, static_cast<uint32_t>(first - segments_.begin()),
                    static_cast<uint32_t>(last - segments_.begin()), &segment, 1);
}

void LiveRange::RemoveSegment(SlotIndex start, SlotIndex end, bool remove_dead_values) {
  LiveSegment* first = MutableFind(start);
  LiveSegment* last = first;
  LiveSegment rest[2];
  uint32_t num_rest = 0;
  std::vector<ValueId> touched;
  while (last != segments_.end() && last->start < end) {
    if (last->start < start) rest[num_rest++] = {last->start, start, last->value};
    if (last->end > end) rest[num_rest++] = {end, last->end, last->value};
    if (remove_dead_values) touched.push_back(last->value);
    ++last;
  }
  if (first == last) return;
  segments_.Replace(*pool_, static_cast<uint32_t>(first - segments_.begin()),
                    static_cast<uint32_t>(last - segments_.begin()), rest, num_rest);
  for (const ValueId value : touched) {
    const bool is_used = std::any_of(segments_.begin(), segments_.end(),
                                     [value](const LiveSegment& segment) { return segment.value == value; });
    if (!is_used) values_[value] = SlotIndex();
  }
}

void LiveRange::AddSegments(absl::Span<const LiveSegment> added) {
  std::vector<LiveSegment> merged;
  merged.reserve(segments_.size() + added.size());
  const LiveSegment* a = segments_.begin();
  const LiveSegment* b = added.begin();
  while (a != segments_.end() || b != added.end()) {
    const bool take_a = b == added.end() || (a != segments_.end() && a->start <= b->start);
    AppendJoined(take_a ? *a++ : *b++, merged);
  }
  SetSegments(merged);
}

void LiveRange::RemoveSegments(absl::Span<const LiveSegment> removed) {
  std::vector<LiveSegment> left;
  left.reserve(segments_.size() + removed.size());
  const LiveSegment* hole = removed.begin();
  for (LiveSegment segment : segments()) {
    while (hole != removed.end() && hole->end <= segment.start) ++hole;
    for (const LiveSegment* h = hole; h != removed.end() && h->start < segment.end; ++h) {
      if (segment.start < h->start) left.push_back({segment.start, h->start, segment.value});
      segment.start = std::min(h->end, segment.end);
    }
    if (segment.start < segment.end) left.push_back(segment);
  }
  SetSegments(left);
}

ValueId LiveRange::ExtendInBlock(SlotIndex block_start, SlotIndex use) {
  // The last segment that begins before the use.
  LiveSegment* segment =
      std::partition_point(segments_.begin(), segments_.end(), [use](const LiveSegment& s) { return s.start < use; });
  if (segment == segments_.begin()) return kNoValue;
  --segment;
  if (segment->end <= block_start) return kNoValue;
  const ValueId value = segment->value;
  if (segment->end < use) AddSegment({segment->start, use, value});
  return value;
}

void LiveRange::SetSegmentBounds(const LiveSegment* segment, SlotIndex start, SlotIndex end) {
  LiveSegment& changed = segments_[static_cast<uint32_t>(segment - segments_.begin())];
  changed.start = start;
  changed.end = end;
}

void LiveRange::MergeValueInto(ValueId from, ValueId into) {
  if (from == into) return;
  uint32_t kept = 0;
  for (LiveSegment segment : segments()) {
    if (segment.value == from) segment.value = into;
    if (kept > 0 && segments_[kept - 1].end == segment.start && segments_[kept - 1].value == segment.value) {
      segments_[kept - 1].end = segment.end;
    } else {
      segments_[kept++] = segment;
    }
  }
  segments_.Truncate(kept);
  values_[from] = SlotIndex();
}

void LiveRange::RemoveValue(ValueId value) {
  const LiveSegment* end = std::remove_if(segments_.begin(), segments_.end(),
                                          [value](const LiveSegment& segment) { return segment.value == value; });
  segments_.Truncate(static_cast<uint32_t>(end - segments_.begin()));
  values_[value] = SlotIndex();
}

void LiveRange::RenumberValues() {
  std::vector<ValueId> order;
  for (ValueId value = 0; value < num_values(); ++value) {
    if (!IsUnused(value)) order.push_back(value);
  }
  std::sort(order.begin(), order.end(), [this](ValueId a, ValueId b) { return values_[a] < values_[b]; });
  std::vector<ValueId> number(num_values(), kNoValue);
  std::vector<SlotIndex> defs;
  for (const ValueId value : order) {
    number[value] = static_cast<ValueId>(defs.size());
    defs.push_back(values_[value]);
  }
  for (LiveSegment& segment : segments_) segment.value = number[segment.value];
  std::copy(defs.begin(), defs.end(), values_.begin());
  values_.Truncate(static_cast<uint32_t>(defs.size()));
}

void LiveRange::MergeSegmentsAsValue(const LiveRange& other, ValueId value) {
  for (LiveSegment segment : other.segments()) {
    segment.value = value;
    AddSegment(segment);
  }
}

void LiveRange::Join(const LiveRange& other, absl::Span<const ValueId> new_value,
                     absl::Span<const ValueId> other_new_value, absl::Span<const SlotIndex> defs) {
  std::vector<LiveSegment> merged;
  merged.reserve(segments_.size() + other.segments_.size());
  const LiveSegment* a = segments_.begin();
  const LiveSegment* b = other.segments_.begin();
  while (a != segments_.end() || b != other.segments_.end()) {
    const bool take_a = b == other.segments_.end() || (a != segments_.end() && a->start <= b->start);
    LiveSegment segment = take_a ? *a++ : *b++;
    segment.value = take_a ? new_value[segment.value] : other_new_value[segment.value];
    AppendJoined(segment, merged);
  }
  Set(merged, defs);
}

void LiveRange::Assign(const LiveRange& other) { Set(other.segments(), {other.values_.begin(), other.num_values()}); }

void LiveRange::SetSegments(absl::Span<const LiveSegment> segments) { segments_.Assign(*pool_, segments); }

void LiveRange::Set(absl::Span<const LiveSegment> segments, absl::Span<const SlotIndex> defs) {
  SetSegments(segments);
  values_.Assign(*pool_, defs);
}

void LiveRange::Renumber(const SlotRenumbering& renumbering) {
  for (LiveSegment* segment = MutableFind(renumbering.begin()); segment != segments_.end(); ++segment) {
    if (segment->start >= renumbering.end()) break;
    segment->start = renumbering.Map(segment->start);
    segment->end = renumbering.Map(segment->end);
  }
  for (SlotIndex& def : values_) {
    if (def.is_valid()) def = renumbering.Map(def);
  }
}

void LiveRange::Print(const SlotIndexes& indexes, std::string& out) const {
  if (empty()) out += "EMPTY";
  for (const LiveSegment& segment : segments()) {
    StrAppend(&out, "[", indexes.ToString(segment.start), ",", indexes.ToString(segment.end), ":", segment.value, ")");
  }
  for (ValueId value = 0; value < num_values(); ++value) {
    StrAppend(&out, " ", value, "@");
    if (IsUnused(value)) {
      out += "x";
    } else {
      StrAppend(&out, indexes.ToString(values_[value]), IsPhiDef(value) ? "-phi" : "");
    }
  }
}

std::string LiveRange::Check() const {
  for (uint32_t i = 0; i < segments_.size(); ++i) {
    const LiveSegment& segment = segments_[i];
    if (segment.start >= segment.end) return StrCat("segment ", i, " is empty");
    if (segment.value >= num_values() || IsUnused(segment.value)) return StrCat("segment ", i, " has no value");
    if (i == 0) continue;
    const LiveSegment& before = segments_[i - 1];
    if (before.end > segment.start) return StrCat("segment ", i, " overlaps the one before it");
    if (before.end == segment.start && before.value == segment.value) return StrCat("segment ", i, " is not joined");
  }
  for (ValueId value = 0; value < num_values(); ++value) {
    if (IsUnused(value)) continue;
    const LiveSegment* segment = SegmentAt(values_[value]);
    if (segment == nullptr || segment->value != value)
      return StrCat("value ", value, " is not live where it is defined");
  }
  return "";
}

}  // namespace ptxmir
