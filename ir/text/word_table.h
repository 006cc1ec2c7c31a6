// SPDX-License-Identifier: Apache-2.0

// WordTable: a small fixed map from keywords to values, with one probe for most words. It compares words of up to 16
// characters as two numbers.

#ifndef PTXMIR_IR_TEXT_WORD_TABLE_H_
#define PTXMIR_IR_TEXT_WORD_TABLE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ir/text/word_scan.h"

namespace ptxmir::ir {

// `kSlots` is a power of two, larger than the number of words.
template <typename Value, size_t kSlots>
class WordTable {
 public:
  void Add(std::string_view word, Value value) {
    const PackedWord packed = Pack(word);
    size_t slot = Hash(packed);
    while (!entries_[slot].word.empty()) slot = (slot + 1) & (kSlots - 1);
    entries_[slot] = {packed, word, value};
  }
  // Return null if the word is not in the table.
  const Value* Find(std::string_view word) const {
    if (word.empty()) return nullptr;
    const PackedWord packed = Pack(word);
    return FindEntry(packed, [&](const Entry& entry) { return entry.packed == packed && entry.word == word; });
  }
  const Value* Find(const PackedWord& word) const {
    return FindEntry(word, [&](const Entry& entry) {
      return entry.packed == word && entry.word.size() <= PackedWord::kMaxLength && !entry.word.empty();
    });
  }

 private:
  struct Entry {
    PackedWord packed;
    std::string_view word;
    Value value{};
  };
  // Returns the first 16 characters.
  static PackedWord Pack(std::string_view word) { return PackedWord::Of(word.substr(0, PackedWord::kMaxLength)); }
  template <typename Matches>
  const Value* FindEntry(const PackedWord& word, Matches matches) const {
    for (size_t slot = Hash(word);; slot = (slot + 1) & (kSlots - 1)) {
      if (matches(entries_[slot])) return &entries_[slot].value;
      if (entries_[slot].word.empty()) return nullptr;
    }
  }
  static size_t Hash(const PackedWord& word) {
    constexpr int kShift = 64 - std::countr_zero(kSlots);
    return ((word.low ^ word.high * 31) * 0x9e3779b97f4a7c15) >> kShift;
  }
  std::array<Entry, kSlots> entries_{};
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_WORD_TABLE_H_
