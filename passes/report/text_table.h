// SPDX-License-Identifier: Apache-2.0

// TextTable: texts by number, each kept once, in chunks of memory that grow no more.
//
// The texts are the lines of many versions of a function. What followed a line in one version mostly follows it in the
// next, so that this is looked at before the hash table is.

#ifndef PTXMIR_PASSES_REPORT_TEXT_TABLE_H_
#define PTXMIR_PASSES_REPORT_TEXT_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "base/hashed_numbers.h"
#include "base/str_cat.h"

namespace ptxmir {

class TextTable {
 public:
  TextTable() = default;
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  // Returns the number of the text, which is the next one if the text is new.
  uint32_t NumberOf(std::string_view text) {
    const bool has_last = last_ < followers_.size();
    if (has_last && texts_[followers_[last_]] == text) return last_ = followers_[last_];
    const uint32_t number = Find(text);
    if (has_last) followers_[last_] = number;
    return last_ = number;
  }

  size_t size() const { return texts_.size(); }
  size_t num_bytes() const { return num_bytes_; }  // of all texts together
  std::string_view operator[](uint32_t number) const { return texts_[number]; }

 private:
  static constexpr size_t kChunk = size_t{64} << 10;

  uint32_t Find(std::string_view text) {
    // absl hashes its own views faster.
    return numbers_.FindOrAdd(
        absl::Hash<absl::string_view>()(ToAbsl(text)), [&](uint32_t number) { return texts_[number] == text; },
        [&] {
          texts_.push_back(Keep(text));
          followers_.push_back(0);
        });
  }

  std::string_view Keep(std::string_view text) {
    num_bytes_ += text.size();
    if (text.size() > room_) {
      room_ = std::max(kChunk, text.size());
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(room_));
      next_ = chunks_.back().get();
    }
    char* const kept = next_;
    std::copy(text.begin(), text.end(), kept);
    next_ += text.size();
    room_ -= text.size();
    return {kept, text.size()};
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;  // in the last chunk
  size_t room_ = 0;       // after it
  std::vector<std::string_view> texts_;
  std::vector<uint32_t> followers_;  // by number: the text that was asked for after it, when it was last asked for
  uint32_t last_ = ~uint32_t{0};     // the text that was asked for last
  HashedNumbers numbers_;            // of texts
  size_t num_bytes_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_TEXT_TABLE_H_
