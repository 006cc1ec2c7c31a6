// SPDX-License-Identifier: Apache-2.0

// The facts from which PHI webs are made: the PHIs of a function, the values of its registers, and the live ranges that
// these have once each PHI has been isolated by copies (phi_webs.h).

#ifndef PTXMIR_PASSES_OUT_OF_SSA_PHI_WEB_FACTS_H_
#define PTXMIR_PASSES_OUT_OF_SSA_PHI_WEB_FACTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "analysis/liveness/live_intervals.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct PhiWebFacts {
  // An edge into a PHI's block.
  struct Edge {
    BlockNumber predecessor;
    Register source;  // invalid if undefined
  };
  struct Phi {
    MachineInstr* instr;
    MachineBasicBlock* block;
    uint32_t first_edge;
    Register result;
  };

  PhiWebFacts(MachineFunction& of, AnalysisManager& analyses);

  // The intervals of the registers that PHIs and copies name. To be asked for only if there are PHIs.
  const LiveIntervals& intervals() const { return *own_intervals; }
  // Nodes are the virtual registers, followed by the PHIs.
  uint32_t num_nodes() const { return num_registers + static_cast<uint32_t>(phis.size()); }
  uint32_t PhiNode(uint32_t phi) const { return num_registers + phi; }
  absl::Span<const Edge> EdgesOf(uint32_t phi) const {
    const uint32_t first = phis[phi].first_edge;
    const size_t end = phi + 1 < phis.size() ? phis[phi + 1].first_edge : edges.size();
    return {edges.data() + first, end - first};
  }
  ValueId ValueOf(Register reg) const {
    return reg.is_virtual() ? origin[reg.virtual_index()] : num_registers + reg.bits();
  }
  // Returns the index of the parallel copy at the end of a block: after everything that comes before the terminators.
  SlotIndex EndCopyIndex(BlockNumber number) const;

  MachineFunction& function;
  MachineRegisterInfo& reg_info;
  const uint32_t num_registers;  // at the beginning
  std::vector<Phi> phis;         // in layout order
  std::vector<Edge> edges;
  std::vector<MachineInstr*> copies;        // COPYs between registers of one class
  std::vector<uint32_t> origin;             // by register: the first of the chain of COPYs that made its value
  std::vector<Register> undefined_sources;  // registers that PHIs read in place of a value
  std::optional<LiveIntervals> own_intervals;
};

// Finds the segments of nodes after the isolation of PHIs, with the value that a node has in each.
class PhiWebSegments {
 public:
  explicit PhiWebSegments(const PhiWebFacts& facts) : facts_(facts) {}

  // Return a list that the next call overwrites.
  std::vector<LiveSegment>& OfPhi(uint32_t phi);
  std::vector<LiveSegment>& OfRegister(Register reg);

 private:
  void FindCutBlocks(Register reg);
  bool IsReadAfterCopies(Register reg, BlockNumber number) const;
  void CutAtCopies();

  const PhiWebFacts& facts_;
  std::vector<LiveSegment> segments_;
  std::vector<LiveSegment> uncut_;
  std::vector<BlockNumber> cut_blocks_;  // the blocks in which segments end at the copies, sorted
  std::vector<BlockNumber> read_by_terminators_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_PHI_WEB_FACTS_H_
