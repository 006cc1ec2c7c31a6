// SPDX-License-Identifier: Apache-2.0

// Congruence classes of registers that are to become one: what PHI elimination and the register coalescer share.
//
// A node is a register (or the isolated operands and result of a PHI); a class is a set of nodes, with the segments in
// which it is live. Each segment says which value the class holds there; two nodes that hold the same value at a point
// may share a register there, although both are live: the value-based interference of Boissinot et al., "Revisiting
// Out-of-SSA Translation for Correctness, Code Quality, and Efficiency" (CGO 2009), section III, where values are those
// of copies' sources. A class whose nodes do not interfere pairwise therefore has, at each point, one value at most:
// its segments are sorted and disjoint, and joining two classes is one walk over both.
//
// Where we differ: they compare the members of two classes in dominance order, which needs SSA form. Segments serve
// both with and without it, and the live ranges that they are taken from exist already.
//
// Cost of TryJoin(a, b): O(small * log(large)) to find interference, and to join as much, and moving 12 bytes for each
// segment behind those that are put in.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_CONGRUENCE_CLASSES_H_
#define PTXMIR_PASSES_OUT_OF_SSA_CONGRUENCE_CLASSES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/live_range.h"

namespace ptxmir {

class CongruenceClasses {
 public:
  explicit CongruenceClasses(uint32_t num_nodes) : classes_(num_nodes) {
    for (uint32_t i = 0; i < num_nodes; ++i) classes_[i].leader = i;
  }
  CongruenceClasses(const CongruenceClasses&) = delete;
  CongruenceClasses& operator=(const CongruenceClasses&) = delete;

  // Says where a node, alone in its class yet, is live and which value it holds there. Sorts the segments; those that
  // overlap must have the same value.
  void SetSegments(uint32_t node, std::vector<LiveSegment>& segments);
  bool HasSegments(uint32_t node) const { return classes_[node].is_set; }

  // The node that stands for the class: the smallest of its nodes.
  uint32_t Leader(uint32_t node) const;
  bool AreJoined(uint32_t a, uint32_t b) const { return Leader(a) == Leader(b); }
  absl::Span<const LiveSegment> Segments(uint32_t node) const {
    const PooledArray<LiveSegment>& segments = classes_[Leader(node)].segments;
    return {segments.begin(), segments.size()};
  }
  // The value that the class holds at a point, kNoValue when it is not live there.
  ValueId ValueAt(uint32_t node, SlotIndex index) const;

  // A segment of `b`'s class where `a`'s is live with another value; null when there is none.
  const LiveSegment* FindInterference(uint32_t a, uint32_t b) const;
  // Makes the two classes one, unless they interfere. True when they are one afterwards.
  bool TryJoin(uint32_t a, uint32_t b);

 private:
  struct Class {
    uint32_t leader;  // towards the leader; the leader itself at the leader
    bool is_set = false;
    PooledArray<LiveSegment> segments;  // of the leader
  };

  void Merge(Class& into, Class& from);
  void InsertSegment(Class& entry, const LiveSegment& segment);

  LiveRangePool pool_;
  mutable std::vector<Class> classes_;  // by node; Leader shortens paths
  std::vector<LiveSegment> merged_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_CONGRUENCE_CLASSES_H_
