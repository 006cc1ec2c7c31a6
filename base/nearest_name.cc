// SPDX-License-Identifier: Apache-2.0

#include "base/nearest_name.h"

#include <algorithm>
#include <cctype>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

// The maximum length of a name. Longer names are damaged input, not spelling mistakes.
constexpr size_t kMaxLength = 120;

// The cost of a wrong letter. A letter in the wrong case costs much less, but it is not free.
constexpr size_t kLetterCost = 4;
constexpr size_t kCaseCost = 1;

size_t SubstitutionCost(char a, char b) {
  if (a == b) return 0;
  const bool same_letter = std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  return same_letter ? kCaseCost : kLetterCost;
}

size_t CommonPrefixLength(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

NearestName::NearestName(std::string_view wanted)
    : wanted_(wanted), best_distance_(kLetterCost * (wanted.size() / 3 + 1)) {}

void NearestName::Consider(std::string_view candidate) {
  if (wanted_.size() > kMaxLength || candidate.size() > kMaxLength) return;
  const size_t length_gap = std::max(wanted_.size(), candidate.size()) - std::min(wanted_.size(), candidate.size());
  if (length_gap * kLetterCost > best_distance_) return;
  row_.resize(candidate.size() + 1);
  for (size_t k = 0; k < row_.size(); ++k) row_[k] = k * kLetterCost;
  for (size_t i = 1; i <= wanted_.size(); ++i) {
    size_t diagonal = row_[0];
    row_[0] = i * kLetterCost;
    size_t smallest = row_[0];
    for (size_t k = 1; k <= candidate.size(); ++k) {
      const size_t substituted = diagonal + SubstitutionCost(wanted_[i - 1], candidate[k - 1]);
      diagonal = row_[k];
      row_[k] = std::min({row_[k] + kLetterCost, row_[k - 1] + kLetterCost, substituted});
      smallest = std::min(smallest, row_[k]);
    }
    if (smallest > best_distance_) return;
  }
  const size_t distance = row_.back();
  if (distance > best_distance_) return;
  const bool is_tie = !best_.empty() && distance == best_distance_;
  if (is_tie && CommonPrefixLength(wanted_, candidate) <= CommonPrefixLength(wanted_, best_)) return;
  best_distance_ = distance;
  best_ = candidate;
}

std::string NearestName::Suggestion() const {
  return best_.empty() ? std::string() : StrCat("; did you mean '", best_, "'?");
}

}  // namespace ptxmir
