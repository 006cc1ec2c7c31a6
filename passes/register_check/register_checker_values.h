// SPDX-License-Identifier: Apache-2.0

// Interned sets of symbolic values for the register checker. A set is identified by a number, and equal sets have
// equal numbers. The intersection of a pair of sets is computed once and looked up after that.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_VALUES_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_VALUES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace ptxmir {

// Some bytes of a virtual register's value, or the integer that stands for a predicate's value.
struct SymbolicValue {
  enum Form : uint8_t { kBytes, kBool };

  uint32_t vreg = 0;
  uint8_t begin = 0;
  uint8_t size = 0;
  uint8_t form = kBytes;

  uint64_t Key() const { return (uint64_t{vreg} << 24) | (uint64_t{begin} << 16) | (uint64_t{size} << 8) | form; }
  friend bool operator==(const SymbolicValue& a, const SymbolicValue& b) { return a.Key() == b.Key(); }
  friend bool operator<(const SymbolicValue& a, const SymbolicValue& b) { return a.Key() < b.Key(); }
};

class SymbolicSets {
 public:
  using Id = uint32_t;
  static constexpr Id kEmpty = 0;

  SymbolicSets() : sets_(1), next_of_hash_(1) {}

  absl::Span<const SymbolicValue> Values(Id id) const {
    return absl::MakeConstSpan(values_).subspan(sets_[id].first, sets_[id].second);
  }
  bool Contains(Id id, SymbolicValue value) const {
    const absl::Span<const SymbolicValue> values = Values(id);
    return std::binary_search(values.begin(), values.end(), value);
  }
  // Returns the set of `values`, which need be neither sorted nor distinct. `values` is clobbered.
  Id Make(std::vector<SymbolicValue>& values);
  // Returns an empty list to collect values in for Make. The next call clears it.
  std::vector<SymbolicValue>& NewValues() {
    new_values_.clear();
    return new_values_;
  }
  Id Singleton(SymbolicValue value);
  Id Intersect(Id a, Id b);
  Id WithoutRegister(Id id, uint32_t vreg);

 private:
  Id Intern(absl::Span<const SymbolicValue> sorted);

  std::vector<SymbolicValue> values_;                // the values of all sets, one set after the other
  std::vector<std::pair<uint32_t, uint32_t>> sets_;  // begin and size, by set
  absl::flat_hash_map<uint64_t, Id> by_hash_;        // the newest set with a hash
  std::vector<Id> next_of_hash_;                     // by set: the next older set with the same hash; kEmpty: none
  std::vector<Id> singletons_;                       // by register: {all of it}, as last requested
  absl::flat_hash_map<uint64_t, Id> intersections_;
  std::vector<SymbolicValue> scratch_;
  std::vector<SymbolicValue> new_values_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_VALUES_H_
