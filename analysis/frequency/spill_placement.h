// SPDX-License-Identifier: Apache-2.0

// spill-code-placement: across which edges a value should be in a register, and across which on the stack, so that
// moving it between the two costs the least at run time.
//
// Like LLVM's SpillPlacement, it is a Hopfield network with one node per edge bundle. The value of a node is -1
// (stack), 1 (register) or 0 (undecided). Blocks give it a bias, weighted by their frequency: towards the register
// if they use the value, towards the stack if registers are scarce there. A block that the value lives through
// without a use links its two bundles with its frequency, which is the cost if the two differ. A node takes the
// side that outweighs the other by a threshold (1/8,192 of the entry's frequency). Neighbors that disagree are
// then updated, until nothing changes. Every change lowers the cost of the cut, so this terminates. The work is
// bounded nevertheless, to ten updates per bundle. The arithmetic is on integers and the order is fixed, so the
// result is the same everywhere.
//
// A splitter asks region by region, so that it does not pay for the rest of a large function:
//
//   placement.Begin();
//   placement.AddConstraints(uses); placement.AddPrefSpill(...); if (!placement.ScanActiveBundles()) give up;
//   do { grow the region around RecentPositive() with AddLinks, AddPrefSpill; placement.Iterate(); }
//   while (!placement.RecentPositive().empty());
//   placement.Finish();  then RegisterBundles() are those with the value in a register.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_SPILL_PLACEMENT_H_
#define PTXMIR_ANALYSIS_FREQUENCY_SPILL_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/control_flow/edge_bundles.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class SpillPlacement : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kSpillPlacement;

  enum class Constraint : uint8_t {
    kDontCare,   // the value is not live there, or the block has no preference
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
  // Replaces the frequencies of machine-block-freq, for tests and experiments. Indexed by block number.
  void SetFrequencies(std::vector<uint64_t> frequencies);

  // Starts a new region and drops the last one.
  void Begin();
  void AddConstraints(absl::Span<const BlockConstraint> blocks);
  // Adds a preference for the stack at both ends of the blocks. `strong` counts twice.
  void AddPrefSpill(absl::Span<const BlockNumber> blocks, bool strong);
  // Links the two bundles of each block. The value lives through these blocks without a use.
  void AddLinks(absl::Span<const BlockNumber> blocks);
  // Updates every bundle that was touched. Returns true if any of them wants the register and can still get it.
  bool ScanActiveBundles();
  // Updates the bundles that may change, until the fixed point. In the few networks that converge slowly, it stops
  // after ten updates per bundle. Finish makes a sound choice in either case.
  void Iterate();
  // Returns the bundles that started to want the register in the last call of ScanActiveBundles or Iterate. The
  // region may grow there.
  absl::Span<const uint32_t> RecentPositive() const { return recent_positive_; }
  // Removes the bundles that do not want the register from the region. Returns true if all touched bundles stay.
  bool Finish();

  // RegisterBundles returns the bundles of the region that are in a register, sorted by number.
  std::vector<uint32_t> RegisterBundles() const;
  bool IsInRegister(uint32_t bundle) const { return is_active_[bundle] && nodes_[bundle].value > 0; }

  // Returns true if no bundle would change in an update: the fixed point was reached. For tests.
  bool IsStable() const;

  // Appends the frequencies that it uses, and the last region.
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
    uint64_t link_weights = 0;  // the sum of the link weights, plus the threshold
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
  std::vector<uint64_t> frequencies_;  // indexed by block number
  uint64_t entry_frequency_ = 0;
  uint64_t threshold_ = 1;
  std::vector<Node> nodes_;
  std::vector<bool> is_active_;
  std::vector<uint32_t> active_;  // in the order in which they were first touched
  std::vector<uint32_t> work_;    // a stack
  std::vector<bool> is_in_work_;
  std::vector<uint32_t> recent_positive_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_SPILL_PLACEMENT_H_
