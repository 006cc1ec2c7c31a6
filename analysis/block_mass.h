// SPDX-License-Identifier: Apache-2.0

// The computation behind machine-block-freq: LLVM's block mass algorithm (BlockFrequencyInfoImpl), with the same
// arithmetic and the same rounding.
//
// Nodes are the reachable blocks in reverse postorder. Each loop, from the innermost out, gets a full mass at its
// header, which flows along its edges in that order; what comes back to the header is backedge mass, what leaves is
// remembered by target. Then the loop is packaged: from outside it is its header, with the remembered exits for
// edges, and its scale is 1 / (1 - backedge mass). At last the function itself is treated so, and each loop's scale
// and mass are multiplied into what it contains, from the outermost in.
//
// An edge back to a node that is no header is part of an irreducible cycle. Then the strongly connected components of
// the loop (or function) become loops with several headers: those that are entered from outside, and those that
// another part of the cycle leads back to. The mass of such a loop is distributed evenly among its headers, and after
// that in proportion to the backedge mass that each has got.

#ifndef PTXMIR_ANALYSIS_BLOCK_MASS_H_
#define PTXMIR_ANALYSIS_BLOCK_MASS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/block_order.h"
#include "analysis/machine_branch_probabilities.h"
#include "analysis/machine_loops.h"
#include "analysis/scaled_number.h"

namespace ptxmir {

class BlockMassComputation {
 public:
  BlockMassComputation(const MachineFunction& function, const MachineLoops& loops,
                       const MachineBranchProbabilities& probabilities);
  // By block number.
  std::vector<uint64_t> Run();

 private:
  using NodeId = uint32_t;
  using LoopId = uint32_t;
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint64_t kFullMass = ~uint64_t{0};

  struct Loop {
    LoopId parent = kNone;
    LoopId next = kNone;  // in the order of loops_, parents before children
    uint32_t num_headers = 1;
    bool is_packaged = false;
    uint64_t mass = 0;
    ScaledNumber scale;
    std::vector<NodeId> nodes;  // headers, sorted, then other blocks and headers of loops within, sorted
    std::vector<std::pair<NodeId, uint64_t>> exits;  // with their masses
    std::vector<uint64_t> backedge_masses;           // by header
    bool is_irreducible() const { return num_headers > 1; }
  };
  struct Node {
    LoopId loop = kNone;  // that it is a header of, else the innermost that contains it
    uint64_t mass = 0;
  };
  enum class EdgeKind : uint8_t { kLocal, kBackedge, kExit };
  struct Edge {
    EdgeKind kind;
    NodeId target;
    uint64_t weight;
  };

  void FindLoops(const MachineLoops& loops);
  LoopId AddLoop(LoopId parent, std::vector<NodeId> nodes, uint32_t num_headers, LoopId after);

  bool IsHeaderOf(LoopId loop, NodeId node) const;
  uint32_t HeaderIndex(const Loop& loop, NodeId node) const;
  bool IsLoopHeader(NodeId node) const;
  bool IsDoubleLoopHeader(NodeId node) const;
  LoopId ContainingLoop(NodeId node) const;
  // The outermost packaged loop that the node is in; kNone if it is in none.
  LoopId PackagedLoop(NodeId node) const;
  // What stands for the node: the header of that loop, or itself.
  NodeId Resolve(NodeId node) const;
  bool IsPackage(NodeId node) const;
  uint64_t& MassOf(NodeId node);

  // These are false when an irreducible edge stands in the way.
  bool ComputeMassInLoop(LoopId loop);
  bool ComputeMassInFunction();
  bool Propagate(LoopId outer, NodeId node);
  bool AddEdge(LoopId outer, NodeId from, NodeId to, uint64_t weight);
  // Makes edges_ one for each target, with weights that sum up to 32 bits; returns the sum.
  uint64_t NormalizeEdges();
  // Calls take(edge, mass) with the part of `mass` that each of edges_ gets; parts sum up to all of it.
  template <typename Take>
  void Distribute(uint64_t mass, Take take);
  void GiveMassToHeaders();
  void PackageLoop(LoopId loop);

  void HandleIrreducible(LoopId outer);
  template <typename Visit>
  void ForEachSuccessor(NodeId node, Visit visit) const;

  const MachineFunction& function_;
  const MachineBranchProbabilities& probabilities_;
  const DepthFirstOrder order_;
  std::vector<Node> nodes_;
  std::vector<Loop> loops_;
  LoopId first_loop_ = kNone;
  std::vector<Edge> edges_;  // of the node that is looked at
  std::vector<BranchProbability> edge_probabilities_;
  std::vector<uint32_t> vertices_;  // by node: its number among those at the level of an irreducible cycle, else kNone
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_BLOCK_MASS_H_
