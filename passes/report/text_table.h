// SPDX-License-Identifier: Apache-2.0

// TextTable: texts by number, each kept once.

#ifndef PTXMIR_PASSES_REPORT_TEXT_TABLE_H_
#define PTXMIR_PASSES_REPORT_TEXT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace ptxmir {

class TextTable {
 public:
  TextTable() = default;
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  // Returns the number of the text, which is the next one if the text is new.
  uint32_t NumberOf(std::string_view text) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(text), number);
    num_bytes_ += text.size();
    return number;
  }

  size_t size() const { return texts_.size(); }
  size_t num_bytes() const { return num_bytes_; }  // of all texts together
  const std::string& operator[](uint32_t number) const { return texts_[number]; }

 private:
  std::deque<std::string> texts_;
  absl::flat_hash_map<std::string_view, uint32_t> numbers_;
  size_t num_bytes_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_TEXT_TABLE_H_
