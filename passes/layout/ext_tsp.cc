// SPDX-License-Identifier: Apache-2.0

#include "passes/layout/ext_tsp.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace ptxmir {
namespace {

constexpr double kJumpWeight = 0.1;
constexpr double kMaxForward = 1024;
constexpr double kMaxBackward = 640;
constexpr size_t kMaxSplitChain = 64;
// Gains below this are rounding errors.
constexpr double kLeastGain = 1e-8;

// Returns what a jump is worth whose source ends at `source_end` and whose target begins at `target`.
double JumpScore(uint64_t source_end, uint64_t target, uint64_t frequency) {
  const double count = static_cast<double>(frequency);
  if (source_end == target) return count;
  const double distance =
      source_end < target ? static_cast<double>(target - source_end) : static_cast<double>(source_end - target);
  const double limit = source_end < target ? kMaxForward : kMaxBackward;
  return distance > limit ? 0 : kJumpWeight * (1 - distance / limit) * count;
}

// A way to put two chains together: `first` is cut at `cut`, and `second` comes behind the first part (X1 Y X2), or
// in front of it (Y X1 X2, cut 0).
struct Merge {
  double gain = 0;
  uint32_t first = 0;
  uint32_t second = 0;
  size_t cut = 0;
  uint64_t first_version = 0;
  uint64_t second_version = 0;
};

// The best gain comes first, and of equal ones the first chains.
struct IsWorse {
  bool operator()(const Merge& a, const Merge& b) const {
    if (a.gain != b.gain) return a.gain < b.gain;
    if (a.first != b.first) return a.first > b.first;
    if (a.second != b.second) return a.second > b.second;
    return a.cut > b.cut;
  }
};

class ExtTsp {
 public:
  explicit ExtTsp(const ExtTspBlocks& blocks)
      : blocks_(blocks),
        chain_of_(blocks.sizes.size()),
        chains_(blocks.sizes.size()),
        versions_(blocks.sizes.size(), 0),
        scores_(blocks.sizes.size(), 0),
        jumps_of_(blocks.sizes.size()),
        position_(blocks.sizes.size(), kNoPosition),
        is_joined_(blocks.sizes.size(), false) {}

  std::vector<uint32_t> Run() {
    FormChains();
    for (uint32_t i = 0; i < blocks_.jumps.size(); ++i) {
      const ExtTspJump& jump = blocks_.jumps[i];
      jumps_of_[chain_of_[jump.from]].push_back(i);
      if (chain_of_[jump.to] != chain_of_[jump.from]) jumps_of_[chain_of_[jump.to]].push_back(i);
    }
    for (uint32_t chain = 0; chain < chains_.size(); ++chain) {
      if (chains_[chain].empty()) continue;
      scores_[chain] = ScoreOf(chains_[chain], jumps_of_[chain], {});
      PushMerges(chain, /*only_later=*/true);
    }
    while (!queue_.empty()) {
      const Merge merge = queue_.top();
      queue_.pop();
      if (merge.first_version == versions_[merge.first] && merge.second_version == versions_[merge.second])
        Apply(merge);
    }
    return Concatenate();
  }

 private:
  static constexpr uint64_t kNoPosition = ~uint64_t{0};

  void FormChains() {
    std::vector<bool> has_previous(chains_.size(), false);
    for (const uint32_t next : blocks_.forced_next) {
      if (next != ExtTspBlocks::kNone) has_previous[next] = true;
    }
    for (uint32_t block = 0; block < chains_.size(); ++block) {
      if (has_previous[block]) continue;
      for (uint32_t next = block; next != ExtTspBlocks::kNone; next = blocks_.forced_next[next]) {
        chains_[block].push_back(next);
        chain_of_[next] = block;
        is_joined_[next] = next != block;
      }
    }
  }

  // Returns the score of the jumps among the blocks of `order`.
  double ScoreOf(const std::vector<uint32_t>& order, const std::vector<uint32_t>& jumps,
                 const std::vector<uint32_t>& more_jumps) {
    uint64_t end = 0;
    for (const uint32_t block : order) {
      position_[block] = end;
      end += blocks_.sizes[block];
    }
    double score = 0;
    const auto add = [&](const std::vector<uint32_t>& list, bool only_inner, uint32_t other_chain) {
      for (const uint32_t i : list) {
        const ExtTspJump& jump = blocks_.jumps[i];
        if (position_[jump.from] == kNoPosition || position_[jump.to] == kNoPosition) continue;
        // A jump between the two chains is in both lists.
        if (only_inner && (chain_of_[jump.from] == other_chain || chain_of_[jump.to] == other_chain)) continue;
        score += JumpScore(position_[jump.from] + blocks_.sizes[jump.from], position_[jump.to], jump.frequency);
      }
    };
    add(jumps, false, 0);
    if (&more_jumps != &jumps && !more_jumps.empty()) add(more_jumps, true, first_chain_);
    for (const uint32_t block : order) position_[block] = kNoPosition;
    return score;
  }

  // Adds the best merge of each pair with the chain that a jump connects.
  void PushMerges(uint32_t chain, bool only_later) {
    neighbors_.clear();
    for (const uint32_t i : jumps_of_[chain]) {
      const uint32_t from = chain_of_[blocks_.jumps[i].from], to = chain_of_[blocks_.jumps[i].to];
      const uint32_t other = from == chain ? to : from;
      if (other != chain && (!only_later || other > chain)) neighbors_.push_back(other);
    }
    std::sort(neighbors_.begin(), neighbors_.end());
    neighbors_.erase(std::unique(neighbors_.begin(), neighbors_.end()), neighbors_.end());
    for (const uint32_t other : neighbors_) {
      const Merge a = BestMerge(chain, other), b = BestMerge(other, chain);
      const Merge& best = IsWorse()(a, b) ? b : a;
      if (best.gain > kLeastGain) queue_.push(best);
    }
  }

  // Returns the best way to put `second` behind, or between the parts of, `first`.
  Merge BestMerge(uint32_t first, uint32_t second) {
    Merge best{.gain = 0,
               .first = first,
               .second = second,
               .cut = chains_[first].size(),
               .first_version = versions_[first],
               .second_version = versions_[second]};
    const bool has_entry = chains_[second].front() == 0;
    const size_t length = chains_[first].size();
    first_chain_ = first;
    for (size_t cut = length; cut > 0; --cut) {
      if (cut < length && (length > kMaxSplitChain || is_joined_[chains_[first][cut]])) continue;
      if (has_entry) break;
      Join(chains_[first], chains_[second], cut, order_);
      const double gain = ScoreOf(order_, jumps_of_[first], jumps_of_[second]) - scores_[first] - scores_[second];
      if (gain > best.gain) best.gain = gain, best.cut = cut;
    }
    return best;
  }

  static void Join(const std::vector<uint32_t>& first, const std::vector<uint32_t>& second, size_t cut,
                   std::vector<uint32_t>& order) {
    order.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(cut));
    order.insert(order.end(), second.begin(), second.end());
    order.insert(order.end(), first.begin() + static_cast<std::ptrdiff_t>(cut), first.end());
  }

  void Apply(const Merge& merge) {
    Join(chains_[merge.first], chains_[merge.second], merge.cut, order_);
    chains_[merge.first] = order_;
    for (const uint32_t block : chains_[merge.second]) chain_of_[block] = merge.first;
    chains_[merge.second].clear();
    scores_[merge.first] += scores_[merge.second] + merge.gain;
    ++versions_[merge.first];
    ++versions_[merge.second];
    std::vector<uint32_t>& jumps = jumps_of_[merge.first];
    jumps.insert(jumps.end(), jumps_of_[merge.second].begin(), jumps_of_[merge.second].end());
    std::sort(jumps.begin(), jumps.end());
    jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
    jumps_of_[merge.second].clear();
    PushMerges(merge.first, /*only_later=*/false);
  }

  // The chain with the entry comes first, the others by density.
  std::vector<uint32_t> Concatenate() {
    std::vector<uint32_t> ids;
    std::vector<double> density(chains_.size(), 0);
    for (uint32_t chain = 0; chain < chains_.size(); ++chain) {
      if (chains_[chain].empty()) continue;
      ids.push_back(chain);
      double executions = 0, size = 0;
      for (const uint32_t block : chains_[chain]) {
        executions += static_cast<double>(blocks_.frequencies[block]) * static_cast<double>(blocks_.sizes[block]);
        size += static_cast<double>(blocks_.sizes[block]);
      }
      density[chain] = executions / std::max(size, 1.0);
    }
    std::stable_sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
      const bool a_is_entry = chain_of_[0] == a, b_is_entry = chain_of_[0] == b;
      return a_is_entry != b_is_entry ? a_is_entry : density[a] > density[b];
    });
    std::vector<uint32_t> order;
    for (const uint32_t chain : ids) order.insert(order.end(), chains_[chain].begin(), chains_[chain].end());
    return order;
  }

  const ExtTspBlocks& blocks_;
  std::vector<uint32_t> chain_of_;               // by block
  std::vector<std::vector<uint32_t>> chains_;    // by chain; empty: part of another one
  std::vector<uint64_t> versions_;               // by chain: how often it has changed
  std::vector<double> scores_;                   // by chain
  std::vector<std::vector<uint32_t>> jumps_of_;  // by chain: the jumps from and to its blocks
  std::vector<uint64_t> position_;               // by block, while an order is scored
  std::vector<bool> is_joined_;                  // by block: must follow the block before it
  std::vector<uint32_t> neighbors_;
  std::vector<uint32_t> order_;
  uint32_t first_chain_ = 0;
  std::priority_queue<Merge, std::vector<Merge>, IsWorse> queue_;
};

}  // namespace

double ExtTspScore(const ExtTspBlocks& blocks, absl::Span<const uint32_t> order) {
  std::vector<uint64_t> position(blocks.sizes.size(), 0);
  uint64_t end = 0;
  for (const uint32_t block : order) {
    position[block] = end;
    end += blocks.sizes[block];
  }
  double score = 0;
  for (const ExtTspJump& jump : blocks.jumps) {
    score += JumpScore(position[jump.from] + blocks.sizes[jump.from], position[jump.to], jump.frequency);
  }
  return score;
}

std::vector<uint32_t> OrderByExtTsp(const ExtTspBlocks& blocks) {
  if (blocks.sizes.size() <= ExtTspBlocks::kMaxBlocks) return ExtTsp(blocks).Run();
  std::vector<uint32_t> order(blocks.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace ptxmir
