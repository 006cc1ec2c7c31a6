// SPDX-License-Identifier: Apache-2.0

#include "base/line_diff.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_map.h"

namespace ptxmir {
namespace {

using LineKind = DiffLine::Kind;

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Marks the lines of two sequences that are not common to both. Lines are numbers; equal lines have equal numbers.
class Differ {
 public:
  Differ(const std::vector<int>& before, const std::vector<int>& after)
      : before_(before), after_(after), is_removed_(before.size()), is_added_(after.size()) {
    const size_t diagonals = before.size() + after.size() + 3;
    forward_.resize(diagonals);
    backward_.resize(diagonals);
    Compare({0, static_cast<int>(before.size()), 0, static_cast<int>(after.size())});
  }

  bool is_removed(size_t line) const { return is_removed_[line]; }
  bool is_added(size_t line) const { return is_added_[line]; }

 private:
  // The number of edits from either end after which a part is split where the search has come the furthest.
  static constexpr int kMaxEdits = 2000;
  static constexpr int kNowhere = -1;

  // A part of each sequence: [before, before_end) and [after, after_end).
  struct Range {
    int before, before_end, after, after_end;
    int before_size() const { return before_end - before; }
    int after_size() const { return after_end - after; }
  };
  struct Point {
    int x = 0;  // lines of the first part that were passed
    int y = 0;
  };

  void Compare(Range range) {
    while (range.before_size() > 0 && range.after_size() > 0 && before_[range.before] == after_[range.after]) {
      ++range.before;
      ++range.after;
    }
    while (range.before_size() > 0 && range.after_size() > 0 &&
           before_[range.before_end - 1] == after_[range.after_end - 1]) {
      --range.before_end;
      --range.after_end;
    }
    if (range.before_size() == 0 || range.after_size() == 0) {
      std::fill(is_removed_.begin() + range.before, is_removed_.begin() + range.before_end, true);
      std::fill(is_added_.begin() + range.after, is_added_.begin() + range.after_end, true);
      return;
    }
    const Point middle = FindMiddle(range);
    Compare({range.before, range.before + middle.x, range.after, range.after + middle.y});
    Compare({range.before + middle.x, range.before_end, range.after + middle.y, range.after_end});
  }

  // Returns a point on a shortest path through a range whose parts begin and end differently. Paths are extended from
  // both ends by one edit at a time until two of them meet. A path is on diagonal x - y; `forward_` and `backward_`
  // have the furthest x on each diagonal.
  Point FindMiddle(const Range& range) {
    const int size_x = range.before_size();
    const int size_y = range.after_size();
    const int delta = size_x - size_y;
    int* const forward = forward_.data() + size_y + 1;    // indexed by diagonal, from -size_y - 1 to size_x + 1
    int* const backward = backward_.data() + size_y + 1;  // the same
    std::fill(forward - size_y - 1, forward + size_x + 2, kNowhere);
    std::fill(backward - size_y - 1, backward + size_x + 2, kNowhere);
    for (int edits = 0;; ++edits) {
      const int first = std::max(-edits, -size_y + ((edits - size_y) & 1));
      for (int diagonal = first; diagonal <= std::min(edits, size_x); diagonal += 2) {
        const int x = ExtendForward(range, edits, diagonal, forward);
        forward[diagonal] = x;
        if (x != kNowhere && backward[diagonal] != kNowhere && x >= backward[diagonal]) return {x, x - diagonal};
      }
      const int last = std::min(delta + edits, size_x - ((delta + edits - size_x) & 1));
      for (int diagonal = last; diagonal >= std::max(delta - edits, -size_y); diagonal -= 2) {
        const int x = ExtendBackward(range, edits, diagonal, delta, backward);
        backward[diagonal] = x;
        if (x != kNowhere && forward[diagonal] != kNowhere && x <= forward[diagonal]) return {x, x - diagonal};
      }
      if (edits == kMaxEdits) return FurthestForward(size_x, size_y, forward);
    }
  }

  // Returns the furthest x on the diagonal after one more edit, or kNowhere if no path of the range gets there.
  int ExtendForward(const Range& range, int edits, int diagonal, const int* forward) const {
    int x = kNowhere;
    if (edits == 0) x = 0;
    const int removing = forward[diagonal - 1];
    if (removing != kNowhere && removing < range.before_size()) x = removing + 1;
    const int adding = forward[diagonal + 1];
    if (adding != kNowhere && adding - diagonal <= range.after_size()) x = std::max(x, adding);
    if (x == kNowhere) return kNowhere;
    while (x < range.before_size() && x - diagonal < range.after_size() &&
           before_[range.before + x] == after_[range.after + x - diagonal]) {
      ++x;
    }
    return x;
  }

  int ExtendBackward(const Range& range, int edits, int diagonal, int delta, const int* backward) const {
    int x = kNowhere;
    if (edits == 0 && diagonal == delta) x = range.before_size();
    const int removing = backward[diagonal + 1];
    if (removing > 0) x = removing - 1;
    const int adding = backward[diagonal - 1];
    if (adding != kNowhere && adding - diagonal >= 0) x = x == kNowhere ? adding : std::min(x, adding);
    if (x == kNowhere) return kNowhere;
    while (x > 0 && x - diagonal > 0 && before_[range.before + x - 1] == after_[range.after + x - diagonal - 1]) --x;
    return x;
  }

  static Point FurthestForward(int size_x, int size_y, const int* forward) {
    Point furthest;
    for (int diagonal = -size_y; diagonal <= size_x; ++diagonal) {
      const int x = forward[diagonal];
      if (x != kNowhere && 2 * x - diagonal > furthest.x + furthest.y) furthest = {x, x - diagonal};
    }
    return furthest;
  }

  const std::vector<int>& before_;
  const std::vector<int>& after_;
  std::vector<bool> is_removed_;
  std::vector<bool> is_added_;
  std::vector<int> forward_;
  std::vector<int> backward_;
};

}  // namespace

std::vector<DiffLine> DiffLines(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> lines[2] = {SplitLines(before), SplitLines(after)};
  absl::flat_hash_map<std::string_view, int> number_of;
  std::vector<int> numbers[2];
  for (const int side : {0, 1}) {
    for (const std::string_view line : lines[side]) {
      numbers[side].push_back(number_of.try_emplace(line, static_cast<int>(number_of.size())).first->second);
    }
  }
  const Differ differ(numbers[0], numbers[1]);
  std::vector<DiffLine> result;
  size_t x = 0;
  size_t y = 0;
  while (x < lines[0].size() || y < lines[1].size()) {
    if (x < lines[0].size() && differ.is_removed(x)) {
      result.push_back({LineKind::kRemoved, lines[0][x++]});
    } else if (y < lines[1].size() && differ.is_added(y)) {
      result.push_back({LineKind::kAdded, lines[1][y++]});
    } else {
      result.push_back({LineKind::kCommon, lines[0][x++]});
      ++y;
    }
  }
  return result;
}

}  // namespace ptxmir
