// SPDX-License-Identifier: Apache-2.0

// The algorithm of machine-block-freq: LLVM's block mass algorithm (BlockFrequencyInfoImpl), with the same
// arithmetic and the same rounding.
//
// Nodes are the reachable blocks in reverse postorder. Loops are processed from the innermost out. The header of a
// loop gets a full mass, which flows along the edges of the loop in reverse postorder. The mass that returns to
// the header is the backedge mass; the mass that leaves the loop is recorded by target. Then the loop is packaged:
// outside, it acts as one node (its header) whose edges are the recorded exits, and its scale is 1 / (1 - backedge
// mass). The function itself is processed last, in the same way. Finally, from the outermost loop in, each loop's
// scale and mass are multiplied into everything that the loop contains.
//
// An edge back to a node that is not a header belongs to an irreducible cycle. In that case the strongly connected
// components of the loop (or function) become loops with several headers: the nodes that are entered from outside,
// and the nodes that another part of the cycle leads back to. The mass of such a loop is first distributed evenly
// among its headers, and then in proportion to the backedge mass that each header received.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_BLOCK_MASS_H_
#define PTXMIR_ANALYSIS_FREQUENCY_BLOCK_MASS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/control_flow/strong_components.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "analysis/frequency/scaled_number.h"

namespace ptxmir {

class BlockMassComputation {
 public:
  BlockMassComputation(const MachineFunction& function, const MachineLoops& loops,
                       const MachineBranchProbabilities& probabilities);
  // Returns the frequencies, indexed by block number.
  std::vector<uint64_t> Run();

 private:
  using NodeId = uint32_t;
  using LoopId = uint32_t;
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint64_t kFullMass = ~uint64_t{0};

  struct Loop {
    LoopId parent = kNone;
    LoopId next = kNone;  // the next loop in the order of loops_, parents before children
    uint32_t num_headers = 1;
    bool is_packaged = false;
    uint64_t mass = 0;
    ScaledNumber scale;
    std::vector<NodeId> nodes;  // headers, sorted; then other blocks and headers of inner loops, sorted
    std::vector<std::pair<NodeId, uint64_t>> exits;  // the targets of exits, with their masses
    std::vector<uint64_t> backedge_masses;           // indexed by header
    bool is_irreducible() const { return num_headers > 1; }
  };
  struct Node {
    LoopId loop = kNone;  // the loop of which it is a header, otherwise the innermost loop around it
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
  // Returns the outermost packaged loop that contains the node, or kNone if there is none.
  LoopId PackagedLoop(NodeId node) const;
  // Returns the node that represents `node`: the header of its outermost packaged loop, or `node` itself.
  NodeId Resolve(NodeId node) const;
  bool IsPackage(NodeId node) const;
  uint64_t& MassOf(NodeId node);

  // These return false if they meet an irreducible edge.
  bool ComputeMassInLoop(LoopId loop);
  bool ComputeMassInFunction();
  bool Propagate(LoopId outer, NodeId node);
  bool AddEdge(LoopId outer, NodeId from, NodeId to, uint64_t weight);
  // Merges edges_ so that each target has one edge, and scales the weights so that their sum fits in 32 bits.
  // Returns the sum.
  uint64_t NormalizeEdges();
  // Distributes `mass` over edges_ by weight: calls take(edge, part) for each edge. The parts sum up to `mass`.
  template <typename Take>
  void Distribute(uint64_t mass, Take take);
  void GiveMassToHeaders();
  void PackageLoop(LoopId loop);

  // Makes loops of the cycles directly in `outer`, or in the function if it is kNone, and computes their masses.
  void HandleIrreducible(LoopId outer);
  // Returns the nodes directly in a loop, or in the function.
  std::vector<NodeId> NodesAtLevel(LoopId outer) const;
  // Returns the graph of these nodes, without edges back to the headers of `outer`.
  RowGraph GraphOf(const std::vector<NodeId>& members, LoopId outer);
  template <typename Visit>
  void ForEachSuccessor(NodeId node, Visit visit) const;

  const MachineFunction& function_;
  const MachineBranchProbabilities& probabilities_;
  const DepthFirstOrder order_;
  std::vector<Node> nodes_;
  std::vector<Loop> loops_;
  LoopId first_loop_ = kNone;
  std::vector<Edge> edges_;  // the edges of the current node
  std::vector<BranchProbability> edge_probabilities_;
  std::vector<uint32_t> vertices_;  // by node: its number in the graph of the current irreducible cycle, or kNone
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_BLOCK_MASS_H_
