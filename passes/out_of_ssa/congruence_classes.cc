// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/congruence_classes.h"

#include <algorithm>
#include <utility>

namespace ptxmir {
namespace {

// Returns the first segment at or after `from` that ends after the index. It looks near `from` first, because
// walks go forward.
const LiveSegment* FindFrom(const LiveSegment* from, const LiveSegment* end, SlotIndex index) {
  const auto ends_before = [index](const LiveSegment& segment) { return segment.end <= index; };
  const ptrdiff_t count = end - from;
  ptrdiff_t step = 1;
  while (step < count && ends_before(from[step])) step *= 2;
  return std::partition_point(from, from + std::min(step + 1, count), ends_before);
}

bool MayBeOne(const LiveSegment& a, const LiveSegment& b) { return a.value == b.value && a.end >= b.start; }

void AppendJoined(std::vector<LiveSegment>& segments, const LiveSegment& segment) {
  if (!segments.empty() && MayBeOne(segments.back(), segment)) {
    segments.back().end = std::max(segments.back().end, segment.end);
  } else {
    segments.push_back(segment);
  }
}

}  // namespace

void CongruenceClasses::SetSegments(uint32_t node, std::vector<LiveSegment>& segments) {
  std::sort(segments.begin(), segments.end(),
            [](const LiveSegment& a, const LiveSegment& b) { return a.start < b.start; });
  merged_.clear();
  for (const LiveSegment& segment : segments) AppendJoined(merged_, segment);
  Class& entry = classes_[node];
  entry.is_set = true;
  entry.segments.Replace(pool_, 0, entry.segments.size(), merged_.data(), static_cast<uint32_t>(merged_.size()));
}

uint32_t CongruenceClasses::Leader(uint32_t node) const {
  while (classes_[node].leader != node) {
    classes_[node].leader = classes_[classes_[node].leader].leader;
    node = classes_[node].leader;
  }
  return node;
}

ValueId CongruenceClasses::ValueAt(uint32_t node, SlotIndex index) const {
  const PooledArray<LiveSegment>& segments = classes_[Leader(node)].segments;
  const LiveSegment* segment =
      std::partition_point(segments.begin(), segments.end(), [index](const LiveSegment& s) { return s.end <= index; });
  return segment != segments.end() && segment->start <= index ? segment->value : kNoValue;
}

const LiveSegment* CongruenceClasses::FindInterference(uint32_t a, uint32_t b) const {
  const PooledArray<LiveSegment>* small = &classes_[Leader(a)].segments;
  const PooledArray<LiveSegment>* large = &classes_[Leader(b)].segments;
  const bool swapped = small->size() > large->size();
  if (swapped) std::swap(small, large);
  const LiveSegment* position = large->begin();
  for (const LiveSegment& segment : *small) {
    position = FindFrom(position, large->end(), segment.start);
    for (const LiveSegment* other = position; other != large->end() && other->start < segment.end; ++other) {
      if (other->value == segment.value) continue;
      return swapped ? &segment : other;
    }
    if (position == large->end()) break;
  }
  return nullptr;
}

bool CongruenceClasses::TryJoin(uint32_t a, uint32_t b) {
  a = Leader(a);
  b = Leader(b);
  if (a == b) return true;
  if (FindInterference(a, b) != nullptr) return false;
  if (classes_[a].segments.size() < classes_[b].segments.size()) {
    Merge(classes_[b], classes_[a]);
    if (a < b) std::swap(classes_[a].segments, classes_[b].segments);
  } else {
    Merge(classes_[a], classes_[b]);
    if (b < a) std::swap(classes_[a].segments, classes_[b].segments);
  }
  classes_[std::max(a, b)].leader = std::min(a, b);
  return true;
}

void CongruenceClasses::Merge(Class& into, Class& from) {
  constexpr uint32_t kFew = 8;
  if (from.segments.size() * kFew < into.segments.size()) {
    for (const LiveSegment& segment : from.segments) InsertSegment(into, segment);
  } else {
    merged_.clear();
    const LiveSegment* a = into.segments.begin();
    const LiveSegment* b = from.segments.begin();
    while (a != into.segments.end() || b != from.segments.end()) {
      const bool takes_a = b == from.segments.end() || (a != into.segments.end() && a->start < b->start);
      AppendJoined(merged_, takes_a ? *a++ : *b++);
    }
    into.segments.Replace(pool_, 0, into.segments.size(), merged_.data(), static_cast<uint32_t>(merged_.size()));
  }
  from.segments.Release(pool_);
}

void CongruenceClasses::InsertSegment(Class& entry, const LiveSegment& segment) {
  PooledArray<LiveSegment>& segments = entry.segments;
  // Merges all segments that the segment overlaps, which have its value, and adjacent segments with that value.
  const LiveSegment* first = std::partition_point(segments.begin(), segments.end(),
                                                  [&](const LiveSegment& other) { return other.end < segment.start; });
  if (first != segments.end() && first->end == segment.start && first->value != segment.value) ++first;
  const LiveSegment* last = first;
  LiveSegment joined = segment;
  while (last != segments.end() && last->start <= segment.end) {
    if (last->start == segment.end && last->value != segment.value) break;
    joined.start = std::min(joined.start, last->start);
    joined.end = std::max(joined.end, last->end);
    ++last;
  }
  segments.Replace(pool_, static_cast<uint32_t>(first - segments.begin()),
                   static_cast<uint32_t>(last - segments.begin()), &joined, 1);
}

}  // namespace ptxmir
