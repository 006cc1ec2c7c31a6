// SPDX-License-Identifier: Apache-2.0

// Searches for the best version of a kernel with few runs of ptxas.
//
// A version is what one option set makes of the kernel. Two of the criteria (TuningScore) are known before ptxas is
// asked: the instructions executed, and the bytes that our own passes spill. The versions are tried in the order of
// the former. A version is left out once even the best that ptxas could report for it (one register, no spills of its
// own) would not be better than what was found. This bound needs no model of ptxas, so the result is that of asking
// about every version. It cuts off most of them because the first version that reaches the highest occupancy without
// spills leaves only those that execute no more.
//
// The result depends neither on the order in which results arrive nor on how many versions are being asked about at
// once: that only adds runs.

#ifndef PTXMIR_TOOLS_TUNING_SEARCH_H_
#define PTXMIR_TOOLS_TUNING_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxmir {

// The criteria, in order of priority.
struct TuningScore {
  unsigned warps = 0;        // resident on an SM; more is better
  uint64_t spill_bytes = 0;  // by ptxas and by the passes
  uint64_t executed = 0;     // instructions; 0: not known
  unsigned registers = 0;

  friend bool operator==(const TuningScore&, const TuningScore&) = default;
};

// Returns true if `a` is better.
bool IsBetter(const TuningScore& a, const TuningScore& b);

struct TuningVersion {
  size_t set = 0;  // the first option set that makes it; of equal versions, that of the lowest set is chosen
  uint64_t own_spill_bytes = 0;
  uint64_t executed = 0;  // 0: not known
};

class TuningSearch {
 public:
  // If `executed` is not known for one version, it does not count for any. If there is only one version, it is the best
  // without a question. If `is_exhaustive`, no version is left out.
  TuningSearch(std::vector<TuningVersion> versions, bool is_exhaustive);

  // Returns the index of the version to ask ptxas about next, or nullopt if none of those that were not taken can be
  // the best. The version is taken. `most_warps` is the occupancy of the kernel with one register.
  std::optional<size_t> Take(unsigned most_warps);
  // Sets the result of a version that was taken. nullopt: ptxas does not accept it. The number of instructions
  // executed is filled in.
  void SetResult(size_t version, std::optional<TuningScore> score);

  const std::vector<TuningVersion>& versions() const { return versions_; }
  size_t num_taken() const { return num_taken_; }
  // Returns the score of a version, or nullopt if there is none (yet).
  const std::optional<TuningScore>& score(size_t version) const { return scores_[version]; }
  // Returns the index of the best version, or nullopt if none was accepted. Only the single version has no score.
  std::optional<size_t> best() const { return best_; }

 private:
  bool CanBeBest(size_t version, unsigned most_warps) const;
  // Returns true if `a` comes before `b`, given their scores.
  bool Precedes(size_t a, const TuningScore& score_a, size_t b, const TuningScore& score_b) const;

  std::vector<TuningVersion> versions_;
  const bool is_exhaustive_;
  std::vector<size_t> order_;  // the indices of those that were not taken, last one first
  std::vector<std::optional<TuningScore>> scores_;
  std::optional<size_t> best_;
  size_t num_taken_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_TUNING_SEARCH_H_
