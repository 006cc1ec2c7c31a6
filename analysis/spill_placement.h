// SPDX-License-Identifier: Apache-2.0

// spill-code-placement: over which edges a value should be in a register, and over which on the stack, so that what is
// executed to move it between the two costs least.
//
// As LLVM's SpillPlacement: a Hopfield network with a node for each edge bundle. A node's value is -1 (stack), 1
// (register) or 0 (undecided). Blocks give it a bias, as often as they are executed: towards the register where they
// use the value, towards the stack where a register is hard to come by. A block that the value lives through without
// being used links its two bundles with its frequency: if they differ, that is what is paid. A node takes the side
// that weighs more by at least a threshold (a 8,192nd of the entry's frequency), and neighbours that think otherwise
// look again, until nothing changes. Every change lowers the cost of what is cut, so that this ends; the work is
// bounded all the same, by ten updates a bundle. Integers only, and a fixed order: the same result everywhere.
//
// A splitter asks region by region, so that nothing is paid for the rest of a large function:
//
//   placement.Begin();
//   placement.AddConstraints(uses); placement.AddPrefSpill(...); if (!placement.ScanActiveBundles()) give up;
//   do { grow the region around RecentPositive() with AddLinks, AddPrefSpill; placement.Iterate(); }
//   while (!placement.RecentPositive().empty());
//   placement.Finish();  then RegisterBundles() are those with the value in a register.

#ifndef PTXMIR_ANALYSIS_SPILL_PLACEMENT_H_
#define PTXMIR_ANALYSIS_SPILL_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/edge_bundles.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class SpillPlacement : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kSpillPlacement;

  enum class Constraint : uint8_t {
    kDontCare,   // the value is not live there, or the block does not mind
    kPrefReg,    // the block uses it
    kPrefSpill,  // registers are scarce
    kPrefBoth,   // the block has it both in a register and on the stack
    kMustSpill,  // there is no register
  };
  struct BlockConstraint {
    BlockNumber block = 0;
    Constraint entry = Constraint::kDontCare;
    Constraint exit = Constraint::kDontCare;
  };

  SpillPlacement(MachineFunction& function, AnalysisManager& analyses);

  const EdgeBundles& bundles() const { return bundles_; }
  uint64_t BlockFrequency(BlockNumber block) const { return frequencies_[block]; }
  // Frequencies other than those of machine-block-freq, for tests and experiments; by block number.
  void SetFrequencies(std::vector<uint64_t> frequencies);

  // Forgets the last region.
  void Begin();
  void AddConstraints(absl::Span<const BlockConstraint> blocks);
  // The value had better be on the stack at both ends of the blocks; `strong` counts twice.
  void AddPrefSpill(absl::Span<const BlockNumber> blocks, bool strong);
  // The value lives through the blocks unused.
  void AddLinks(absl::Span<const BlockNumber> blocks);
  // Updates every bundle that was touched. Whether any wants the register without being sure to lose it.
  bool ScanActiveBundles();
  // Updates what may change, to the fixed point or, in the few networks that take long to come to rest, until as many
  // updates as ten for each bundle were made. Finish makes a sound choice of either.
  void Iterate();
  // Bundles that have begun to want the register in the last call of one of the two: where the region may grow.
  absl::Span<const uint32_t> RecentPositive() const { return recent_positive_; }
  // Bundles that do not want the register leave the region. Whether all that were touched stay.
  bool Finish();

  // Of the region, in order of their numbers, and each of them.
  std::vector<uint32_t> RegisterBundles() const;
  bool IsInRegister(uint32_t bundle) const { return is_active_[bundle] && nodes_[bundle].value > 0; }

  // Whether no bundle would change when updated: the fixed point was reached. For tests.
  bool IsStable() const;

  // The frequencies that it works with, and the last region.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  struct Link {
    uint32_t bundle;
    uint64_t weight;
  };
  struct Node {
    uint64_t bias_spill = 0;
    uint64_t bias_register = 0;
    uint64_t link_weights = 0;  // with the threshold
    int8_t value = 0;
    std::vector<Link> links;
  };

  void Activate(uint32_t bundle);
  void AddBias(uint32_t bundle, uint64_t frequency, Constraint direction);
  void AddLink(uint32_t bundle, uint32_t to, uint64_t weight);
  int8_t ValueOf(const Node& node) const;
  bool Update(uint32_t bundle);
  bool MustSpill(const Node& node) const;
  void Push(uint32_t bundle);
  void DropWhatDoesNotPay();
  void DropPartsThatDoNotPay();

  MachineFunction& function_;
  const EdgeBundles& bundles_;
  std::vector<uint64_t> frequencies_;  // by block number
  uint64_t entry_frequency_ = 0;
  uint64_t threshold_ = 1;
  std::vector<Node> nodes_;
  std::vector<bool> is_active_;
  std::vector<uint32_t> active_;  // in the order of their first touch
  std::vector<uint32_t> work_;    // a stack
  std::vector<bool> is_in_work_;
  std::vector<uint32_t> recent_positive_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_SPILL_PLACEMENT_H_
