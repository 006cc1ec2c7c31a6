// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/machine_branch_probabilities.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr uint32_t kOne = BranchProbability::kDenominator;

bool KnowsProbabilities(const MachineBasicBlock& block) {
  const auto probabilities = block.successor_probabilities();
  return std::any_of(probabilities.begin(), probabilities.end(),
                     [](BranchProbability probability) { return !probability.is_unknown(); });
}

// Returns true if the block ends the program (trap), as far as the block itself shows.
bool EndsBadly(const MachineBasicBlock& block) {
  return block.successors().empty() && (block.empty() || !block.back()->is_return());
}

}  // namespace

uint64_t Scale(uint64_t value, BranchProbability probability) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(value) * probability.numerator() / kOne);
}

MachineBranchProbabilities::MachineBranchProbabilities(MachineFunction& function, AnalysisManager& analyses)
    : function_(function) {
  bool has_branches = false;
  for (const MachineBasicBlock& block : function) {
    if (block.successors().size() < 2) continue;
    has_branches = true;
    if (KnowsProbabilities(block)) return;
  }
  if (has_branches) loops_ = &analyses.Get<MachineLoops>();
}

void MachineBranchProbabilities::GetProbabilities(const MachineBasicBlock& block,
                                                  std::vector<BranchProbability>& result) const {
  const auto given = block.successor_probabilities();
  result.assign(given.begin(), given.end());
  uint32_t sum = 0;
  uint32_t num_unknown = 0;
  for (const BranchProbability probability : given) {
    if (probability.is_unknown()) {
      ++num_unknown;
    } else {
      sum = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{sum} + probability.numerator(), kOne));
    }
  }
  if (num_unknown == 0) return;
  if (num_unknown == given.size()) {
    if (loops_ != nullptr && num_unknown > 1) return Estimate(block, result);
    std::fill(result.begin(), result.end(), BranchProbability((kOne + num_unknown / 2) / num_unknown));
    return;
  }
  std::replace(result.begin(), result.end(), BranchProbability::Unknown(),
               BranchProbability((kOne - sum) / num_unknown));
}

void MachineBranchProbabilities::Estimate(const MachineBasicBlock& block,
                                          std::vector<BranchProbability>& result) const {
  constexpr uint32_t kCold = kOne >> 20;
  const CycleId loop = loops_->InnermostCycle(block);
  const auto leaves = [&](const MachineBasicBlock& to) {
    return loop != MachineLoops::kNoCycle && !loops_->Contains(loop, to);
  };
  uint32_t num_cold = 0, num_leaving = 0, num_staying = 0;
  for (const MachineBasicBlock* successor : block.successors()) {
    ++(EndsBadly(*successor) ? num_cold : leaves(*successor) ? num_leaving : num_staying);
  }
  const uint32_t num_warm = num_leaving + num_staying;
  // If all successors are traps, they share the probability evenly.
  const uint32_t cold = num_warm == 0 ? kOne / num_cold : kCold;
  const uint32_t warm = kOne - (num_warm == 0 ? 0 : num_cold * kCold);
  const uint32_t leaving = num_staying == 0 ? warm : num_leaving == 0 ? 0 : warm / 128 * 4;
  for (size_t i = 0; i < result.size(); ++i) {
    const MachineBasicBlock& successor = *block.successors()[i];
    result[i] = BranchProbability(EndsBadly(successor) ? cold
                                  : leaves(successor)  ? leaving / num_leaving
                                                       : (warm - leaving) / num_staying);
  }
}

BranchProbability MachineBranchProbabilities::Probability(const MachineBasicBlock& block, size_t successor) const {
  const BranchProbability given = block.successor_probabilities()[successor];
  if (!given.is_unknown()) return given;
  std::vector<BranchProbability> all;
  GetProbabilities(block, all);
  return all[successor];
}

BranchProbability MachineBranchProbabilities::Probability(const MachineBasicBlock& from,
                                                          const MachineBasicBlock& to) const {
  std::vector<BranchProbability> all;
  GetProbabilities(from, all);
  uint64_t sum = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (from.successors()[i] == &to) sum += all[i].numerator();
  }
  return BranchProbability(static_cast<uint32_t>(std::min<uint64_t>(sum, kOne)));
}

bool MachineBranchProbabilities::IsHot(const MachineBasicBlock& from, const MachineBasicBlock& to) const {
  return Probability(from, to).numerator() > kLikely.numerator();
}

MachineBasicBlock* MachineBranchProbabilities::HotSuccessor(const MachineBasicBlock& block) const {
  for (MachineBasicBlock* successor : block.successors()) {
    if (IsHot(block, *successor)) return successor;
  }
  return nullptr;
}

void MachineBranchProbabilities::Print(std::string& out) const {
  std::vector<BranchProbability> probabilities;
  for (const MachineBasicBlock& block : function_) {
    GetProbabilities(block, probabilities);
    for (size_t i = 0; i < probabilities.size(); ++i) {
      const uint32_t numerator = probabilities[i].numerator();
      const double percent = std::rint(static_cast<double>(numerator) / kOne * 100.0 * 100.0) / 100.0;
      absl::StrAppendFormat(&out, "  edge %%bb.%u -> %%bb.%u probability is 0x%08x / 0x%08x = %.2f%%%s\n",
                            block.number(), block.successors()[i]->number(), numerator, kOne, percent,
                            IsHot(block, *block.successors()[i]) ? " [HOT edge]" : "");
    }
  }
}

std::string MachineBranchProbabilities::DifferenceFrom(const Analysis& fresh) const {
  if (is_estimated() == static_cast<const MachineBranchProbabilities&>(fresh).is_estimated()) return "";
  return StrCat("the function had ", is_estimated() ? "no" : "some", " probabilities and now has ",
                is_estimated() ? "some" : "none");
}

}  // namespace ptxmir
