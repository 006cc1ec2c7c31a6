// SPDX-License-Identifier: Apache-2.0

// TextTable: texts by number, each kept once, in chunks of memory that grow no more.

#ifndef PTXMIR_PASSES_REPORT_TEXT_TABLE_H_
#define PTXMIR_PASSES_REPORT_TEXT_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/str_cat.h"

namespace ptxmir {

class TextTable {
 public:
  TextTable() = default;
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  // Returns the number of the text, which is the next one if the text is new.
  uint32_t NumberOf(std::string_view text) {
    const auto entry = numbers_.lazy_emplace(ToAbsl(text), [&](const auto& construct) {
      texts_.push_back(Keep(text));
      construct(ToAbsl(texts_.back()), static_cast<uint32_t>(texts_.size() - 1));
    });
    return entry->second;
  }

  size_t size() const { return texts_.size(); }
  size_t num_bytes() const { return num_bytes_; }  // of all texts together
  std::string_view operator[](uint32_t number) const { return texts_[number]; }

 private:
  static constexpr size_t kChunk = size_t{64} << 10;

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
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;  // absl hashes its own views faster
  size_t num_bytes_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_TEXT_TABLE_H_
