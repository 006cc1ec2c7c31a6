// SPDX-License-Identifier: Apache-2.0

// Congruence classes of registers that are to become one register, for PHI elimination and the register coalescer.
//
// A node is a register (or the isolated operands and result of a PHI). A class is a set of nodes with the segments
// in which it is live. Each segment records the value that the class holds there. Two nodes that hold the same
// value at a point may share a register there although both are live. This is the value-based interference of
// Boissinot et al., "Revisiting Out-of-SSA Translation for Correctness, Code Quality, and Efficiency" (CGO 2009),
// section III, where the values are those of the copies' sources. A class whose nodes do not interfere pairwise
// therefore has at most one value at each point: its segments are sorted and disjoint, and joining two classes is
// one walk over both.
//
// Where we differ: the paper compares the members of two classes in dominance order, which needs SSA form.
// Segments work with and without SSA form, and the live ranges from which they are taken exist already.
//
// TryJoin(a, b) takes O(small * log(large)) to find interference and the same to join, and moves 12 bytes for each
// segment after the inserted ones.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_CONGRUENCE_CLASSES_H_
#define PTXMIR_PASSES_OUT_OF_SSA_CONGRUENCE_CLASSES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/liveness/live_range.h"

namespace ptxmir {

class CongruenceClasses {
 public:
  explicit CongruenceClasses(uint32_t num_nodes) : classes_(num_nodes) {
    for (uint32_t i = 0; i < num_nodes; ++i) classes_[i].leader = i;
  }
  CongruenceClasses(const CongruenceClasses&) = delete;
  CongruenceClasses& operator=(const CongruenceClasses&) = delete;

  // Sets the segments in which a node is live, with the value that it holds in each. The node must still be alone
  // in its class. Sorts the segments; segments that overlap must have the same value.
  void SetSegments(uint32_t node, std::vector<LiveSegment>& segments);
  bool HasSegments(uint32_t node) const { return classes_[node].is_set; }

  // Returns the representative of the class: the smallest of its nodes.
  uint32_t Leader(uint32_t node) const;
  bool AreJoined(uint32_t a, uint32_t b) const { return Leader(a) == Leader(b); }
  absl::Span<const LiveSegment> Segments(uint32_t node) const {
    const PooledArray<LiveSegment>& segments = classes_[Leader(node)].segments;
    return {segments.begin(), segments.size()};
  }
  // Returns the value that the class holds at a point, or kNoValue if it is not live there.
  ValueId ValueAt(uint32_t node, SlotIndex index) const;

  // Returns a segment of `b`'s class where `a`'s class is live with another value, or null if there is none.
  const LiveSegment* FindInterference(uint32_t a, uint32_t b) const;
  // Joins the two classes unless they interfere. Returns true if they are one class afterwards.
  bool TryJoin(uint32_t a, uint32_t b);

 private:
  struct Class {
    uint32_t leader;  // points towards the leader; a leader points to itself
    bool is_set = false;
    PooledArray<LiveSegment> segments;  // meaningful only for a leader
  };

  void Merge(Class& into, Class& from);
  void InsertSegment(Class& entry, const LiveSegment& segment);

  LiveRangePool pool_;
  mutable std::vector<Class> classes_;  // by node; Leader compresses paths
  std::vector<LiveSegment> merged_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_CONGRUENCE_CLASSES_H_
