// SPDX-License-Identifier: Apache-2.0

#include "tools/tuning_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ptxmir {
namespace {

// Returns a key that is less for a better score.
auto KeyOf(const TuningScore& score) {
  return std::tuple(-static_cast<int64_t>(score.warps), score.spill_bytes, score.executed, score.registers);
}

}  // namespace

bool IsBetter(const TuningScore& a, const TuningScore& b) { return KeyOf(a) < KeyOf(b); }

TuningSearch::TuningSearch(std::vector<TuningVersion> versions, bool is_exhaustive)
    : versions_(std::move(versions)), is_exhaustive_(is_exhaustive), scores_(versions_.size()) {
  const auto is_unknown = [](const TuningVersion& version) { return version.executed == 0; };
  if (std::any_of(versions_.begin(), versions_.end(), is_unknown)) {
    for (TuningVersion& version : versions_) version.executed = 0;
  }
  if (versions_.size() == 1 && !is_exhaustive_) {
    best_ = 0;
    return;
  }
  for (size_t i = versions_.size(); i-- > 0;) order_.push_back(i);
  std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    const TuningVersion& first = versions_[a];
    const TuningVersion& second = versions_[b];
    return std::tuple(first.executed, first.own_spill_bytes, first.set) >
           std::tuple(second.executed, second.own_spill_bytes, second.set);
  });
}

std::optional<size_t> TuningSearch::Take(unsigned most_warps) {
  while (!order_.empty()) {
    const size_t version = order_.back();
    order_.pop_back();
    if (!CanBeBest(version, most_warps)) continue;
    ++num_taken_;
    return version;
  }
  return std::nullopt;
}

void TuningSearch::SetResult(size_t version, std::optional<TuningScore> score) {
  if (!score.has_value()) return;
  score->executed = versions_[version].executed;
  scores_[version] = score;
  if (!best_.has_value() || Precedes(version, *score, *best_, *scores_[*best_])) best_ = version;
}

bool TuningSearch::CanBeBest(size_t version, unsigned most_warps) const {
  if (is_exhaustive_ || !best_.has_value()) return true;
  const TuningScore bound = {.warps = most_warps,
                             .spill_bytes = versions_[version].own_spill_bytes,
                             .executed = versions_[version].executed,
                             .registers = 1};
  return Precedes(version, bound, *best_, *scores_[*best_]);
}

bool TuningSearch::Precedes(size_t a, const TuningScore& score_a, size_t b, const TuningScore& score_b) const {
  if (score_a == score_b) return versions_[a].set < versions_[b].set;
  return IsBetter(score_a, score_b);
}

}  // namespace ptxmir
