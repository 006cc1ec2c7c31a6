// SPDX-License-Identifier: Apache-2.0

// edge-bundles: groups of control flow edges across which a register stays in the same place.
//
// Two edges that leave the same block, or enter the same block, are in one bundle: a value that is in a register
// at the end of a block is in it at the beginning of each successor. So each block has one incoming and one
// outgoing bundle, and code that moves a value between a register and its stack slot is placed in blocks, between
// bundles. The algorithm is that of LLVM's EdgeBundles: union-find over 2 * blocks ends, near-linear. Bundles are
// numbered in the order of block numbers, incoming before outgoing.
//
// The analysis is not kept up to date. It is recomputed when edges change.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_EDGE_BUNDLES_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_EDGE_BUNDLES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class EdgeBundles : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kEdgeBundles;
  EdgeBundles(MachineFunction& function, AnalysisManager& analyses);

  uint32_t num_bundles() const { return static_cast<uint32_t>(first_block_.size()) - 1; }
  uint32_t In(BlockNumber block) const { return bundle_[2 * block]; }
  uint32_t Out(BlockNumber block) const { return bundle_[2 * block + 1]; }
  uint32_t Bundle(BlockNumber block, bool out) const { return bundle_[2 * block + (out ? 1 : 0)]; }
  // Returns the blocks that the bundle enters or leaves, sorted by number.
  absl::Span<const BlockNumber> Blocks(uint32_t bundle) const {
    return absl::MakeConstSpan(blocks_).subspan(first_block_[bundle], first_block_[bundle + 1] - first_block_[bundle]);
  }

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  const MachineFunction& function_;
  std::vector<uint32_t> bundle_;       // indexed by 2 * block, + 1 for the end of the block
  std::vector<uint32_t> first_block_;  // indexed by bundle, plus a final entry
  std::vector<BlockNumber> blocks_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_EDGE_BUNDLES_H_
