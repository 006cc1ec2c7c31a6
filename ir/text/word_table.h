// SPDX-License-Identifier: Apache-2.0

// WordTable: a small fixed map from keywords to values, with one probe for most words.

#ifndef PTXMIR_IR_TEXT_WORD_TABLE_H_
#define PTXMIR_IR_TEXT_WORD_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptxmir::ir {

// `kSlots` is a power of two, larger than the number of words.
template <typename Value, size_t kSlots>
class WordTable {
 public:
  void Add(std::string_view word, Value value) {
    size_t slot = Hash(word);
    while (!entries_[slot].word.empty()) slot = (slot + 1) & (kSlots - 1);
    entries_[slot] = {word, value};
  }
  // Returns null if the word is not in the table.
  const Value* Find(std::string_view word) const {
    if (word.empty()) return nullptr;
    for (size_t slot = Hash(word);; slot = (slot + 1) & (kSlots - 1)) {
      if (entries_[slot].word.empty()) return nullptr;
      if (entries_[slot].word == word) return &entries_[slot].value;
    }
  }

 private:
  struct Entry {
    std::string_view word;
    Value value{};
  };
  static size_t Hash(std::string_view word) {
    const auto at = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(word[i])); };
    const size_t size = word.size();
    return (at(0) * 37 + at(size / 2) * 11 + at(size - 1) * 5 + at(size > 1 ? 1 : 0) * 3 + size * 131) & (kSlots - 1);
  }
  std::array<Entry, kSlots> entries_{};
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_WORD_TABLE_H_
