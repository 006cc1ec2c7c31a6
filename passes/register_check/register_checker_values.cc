// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_values.h"

#include <iterator>

namespace ptxmir {
namespace {

uint64_t Hash(absl::Span<const SymbolicValue> values) {
  uint64_t hash = values.size();
  for (const SymbolicValue& value : values) {
    hash = (hash ^ value.Key()) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

SymbolicSets::Id SymbolicSets::Intern(absl::Span<const SymbolicValue> sorted) {
  if (sorted.empty()) return kEmpty;
  Id& newest = by_hash_[Hash(sorted)];
  for (Id id = newest; id != kEmpty; id = next_of_hash_[id]) {
    const absl::Span<const SymbolicValue> values = Values(id);
    if (std::equal(values.begin(), values.end(), sorted.begin(), sorted.end())) return id;
  }
  const Id id = static_cast<Id>(sets_.size());
  sets_.push_back({static_cast<uint32_t>(values_.size()), static_cast<uint32_t>(sorted.size())});
  values_.insert(values_.end(), sorted.begin(), sorted.end());
  next_of_hash_.push_back(newest);
  newest = id;
  return id;
}

SymbolicSets::Id SymbolicSets::Make(std::vector<SymbolicValue>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return Intern(values);
}

SymbolicSets::Id SymbolicSets::Singleton(SymbolicValue value) {
  if (value.vreg >= singletons_.size()) singletons_.resize(std::max<size_t>(64, 2 * size_t{value.vreg}), kEmpty);
  Id& known = singletons_[value.vreg];
  if (known == kEmpty || !(Values(known)[0] == value)) known = Intern(absl::MakeConstSpan(&value, 1));
  return known;
}

SymbolicSets::Id SymbolicSets::Intersect(Id a, Id b) {
  if (a == b) return a;
  if (a == kEmpty || b == kEmpty) return kEmpty;
  if (a > b) std::swap(a, b);
  const auto [it, is_new] = intersections_.try_emplace((uint64_t{a} << 32) | b, kEmpty);
  if (!is_new) return it->second;
  scratch_.clear();
  absl::Span<const SymbolicValue> fewer = Values(a);
  absl::Span<const SymbolicValue> more = Values(b);
  if (fewer.size() > more.size()) std::swap(fewer, more);
  // A large set is often intersected with sets of one or two values.
  constexpr size_t kMuchLarger = 16;
  if (more.size() / kMuchLarger > fewer.size()) {
    for (const SymbolicValue& value : fewer) {
      if (std::binary_search(more.begin(), more.end(), value)) scratch_.push_back(value);
    }
  } else {
    std::set_intersection(fewer.begin(), fewer.end(), more.begin(), more.end(), std::back_inserter(scratch_));
  }
  return it->second = Intern(scratch_);
}

SymbolicSets::Id SymbolicSets::WithoutRegister(Id id, uint32_t vreg) {
  scratch_.clear();
  for (const SymbolicValue& value : Values(id)) {
    if (value.vreg != vreg) scratch_.push_back(value);
  }
  return scratch_.size() == Values(id).size() ? id : Intern(scratch_);
}

}  // namespace ptxmir
