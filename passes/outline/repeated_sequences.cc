// SPDX-License-Identifier: Apache-2.0

#include "passes/outline/repeated_sequences.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ptxmir {
namespace {

class SuffixArray {
 public:
  SuffixArray(absl::Span<const uint32_t> text, uint32_t max_length) : text_(text), suffixes_(text.size()) {
    RankByFirst();
    for (uint32_t width = 1; width < max_length && num_ranks_ < text_.size(); width *= 2) Double(width);
    ComputeCommonPrefixes(max_length);
  }

  absl::Span<const uint32_t> suffixes() const { return suffixes_; }
  // Returns how many numbers suffix `i` has in common with the one before it, up to the longest length of interest.
  uint32_t common(size_t i) const { return common_[i]; }

 private:
  void RankByFirst() {
    std::iota(suffixes_.begin(), suffixes_.end(), 0u);
    std::sort(suffixes_.begin(), suffixes_.end(),
              [&](uint32_t a, uint32_t b) { return text_[a] != text_[b] ? text_[a] < text_[b] : a < b; });
    ranks_.resize(text_.size());
    AssignRanks([&](uint32_t a, uint32_t b) { return text_[a] == text_[b]; });
  }

  // Sorts the suffixes by their first 2 * width numbers. They are sorted by their first `width`.
  void Double(uint32_t width) {
    const auto size = static_cast<uint32_t>(text_.size());
    // In the order of what follows after `width` numbers. The suffixes that are too short come first.
    std::vector<uint32_t> by_second;
    by_second.reserve(size);
    for (uint32_t i = size - std::min(width, size); i < size; ++i) by_second.push_back(i);
    for (const uint32_t suffix : suffixes_) {
      if (suffix >= width) by_second.push_back(suffix - width);
    }
    std::vector<uint32_t> next(num_ranks_ + 1);
    for (const uint32_t rank : ranks_) ++next[rank + 1];
    for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (const uint32_t suffix : by_second) suffixes_[next[ranks_[suffix]]++] = suffix;
    const std::vector<uint32_t> old = ranks_;
    const auto second = [&](uint32_t suffix) { return suffix + width < size ? old[suffix + width] + 1 : 0; };
    AssignRanks([&](uint32_t a, uint32_t b) { return old[a] == old[b] && second(a) == second(b); });
  }

  template <typename Same>
  void AssignRanks(Same same) {
    num_ranks_ = 0;
    for (size_t i = 0; i < suffixes_.size(); ++i) {
      if (i == 0 || !same(suffixes_[i - 1], suffixes_[i])) ++num_ranks_;
      new_ranks_.push_back(num_ranks_ - 1);
    }
    for (size_t i = 0; i < suffixes_.size(); ++i) ranks_[suffixes_[i]] = new_ranks_[i];
    new_ranks_.clear();
  }

  // Compares each suffix with the one before it. (The algorithm of Kasai et al. needs suffixes that are sorted to the
  // end. These are sorted only by what counts here.)
  void ComputeCommonPrefixes(uint32_t max_length) {
    common_.resize(text_.size());
    for (size_t i = 1; i < suffixes_.size(); ++i) {
      const absl::Span<const uint32_t> left = text_.subspan(suffixes_[i - 1], max_length);
      const absl::Span<const uint32_t> right = text_.subspan(suffixes_[i], max_length);
      const auto end = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
      common_[i] = static_cast<uint32_t>(end.first - left.begin());
    }
  }

  absl::Span<const uint32_t> text_;
  std::vector<uint32_t> suffixes_;
  std::vector<uint32_t> ranks_;  // by position; suffixes that are not told apart yet have the same
  std::vector<uint32_t> new_ranks_;
  std::vector<uint32_t> common_;
  uint32_t num_ranks_ = 0;
};

}  // namespace

void ForEachRepeatedSequence(absl::Span<const uint32_t> text, uint32_t min_length, uint32_t max_length,
                             absl::FunctionRef<void(uint32_t, absl::Span<const uint32_t>)> visit) {
  if (text.size() < 2) return;
  const SuffixArray array(text, max_length);
  struct Interval {
    uint32_t length;
    size_t first;
  };
  std::vector<Interval> open;  // intervals that contain each other, the innermost last
  std::vector<uint32_t> positions;
  for (size_t i = 1; i <= text.size(); ++i) {
    const uint32_t common = i < text.size() ? array.common(i) : 0;
    size_t first = i - 1;
    while (!open.empty() && open.back().length > common) {
      const Interval interval = open.back();
      open.pop_back();
      first = interval.first;
      positions.assign(array.suffixes().begin() + interval.first, array.suffixes().begin() + i);
      std::sort(positions.begin(), positions.end());
      visit(interval.length, positions);
    }
    if (common >= min_length && (open.empty() || open.back().length < common)) open.push_back({common, first});
  }
}

}  // namespace ptxmir
