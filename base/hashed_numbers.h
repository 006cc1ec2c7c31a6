// SPDX-License-Identifier: Apache-2.0

// HashedNumbers: finds the numbers of keys, for a table that numbers keys from 0 and keeps them itself. The set holds
// numbers alone, since it is half empty most of the time. No key is hashed twice.

#ifndef PTXMIR_BASE_HASHED_NUMBERS_H_
#define PTXMIR_BASE_HASHED_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace ptxmir {

class HashedNumbers {
 public:
  HashedNumbers() = default;
  HashedNumbers(const HashedNumbers&) = delete;
  HashedNumbers& operator=(const HashedNumbers&) = delete;

  size_t size() const { return hashes_.size(); }

  // Returns the number of the key with this hash, or size() if it has none. `is_key` returns true for the number of an
  // equal key.
  template <typename IsKey>
  uint32_t Find(size_t hash, const IsKey& is_key) const {
    const auto found = numbers_.find(Sought<IsKey>{hash, is_key});
    return found == numbers_.end() ? static_cast<uint32_t>(size()) : *found;
  }
  // Does the same, but a key that has no number gets the next one: `keep` is called, which keeps the key.
  template <typename IsKey, typename Keep>
  uint32_t FindOrAdd(size_t hash, const IsKey& is_key, const Keep& keep) {
    return *numbers_.lazy_emplace(Sought<IsKey>{hash, is_key}, [&](const auto& construct) {
      const auto number = static_cast<uint32_t>(size());
      keep();
      hashes_.push_back(hash);
      construct(number);
    });
  }

 private:
  template <typename IsKey>
  struct Sought {
    size_t hash;
    const IsKey& is_key;
  };
  struct Hash {
    using is_transparent = void;
    const HashedNumbers* table;
    size_t operator()(uint32_t number) const { return table->hashes_[number]; }
    template <typename IsKey>
    size_t operator()(const Sought<IsKey>& sought) const {
      return sought.hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    const HashedNumbers* table;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    template <typename IsKey>
    bool operator()(uint32_t number, const Sought<IsKey>& sought) const {
      return table->hashes_[number] == sought.hash && sought.is_key(number);
    }
    template <typename IsKey>
    bool operator()(const Sought<IsKey>& sought, uint32_t number) const {
      return (*this)(number, sought);
    }
  };

  std::vector<size_t> hashes_;  // by number
  absl::flat_hash_set<uint32_t, Hash, Equal> numbers_{0, Hash{this}, Equal{this}};
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_HASHED_NUMBERS_H_
