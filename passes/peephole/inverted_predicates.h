// SPDX-License-Identifier: Apache-2.0

// Predicates that can be computed as their opposites at no cost.
//
// NVPTX has no branch on a negated predicate: selection makes a NOT in front of each branch that leaves the usual order
// of blocks. A comparison has an opposite, and so have conjunctions of comparisons (De Morgan). If all who read a
// predicate either negate it, branch on it with two targets, or combine it to another such predicate, the opposites
// take the place of all of them, and the negations go.

#ifndef PTXMIR_PASSES_PEEPHOLE_INVERTED_PREDICATES_H_
#define PTXMIR_PASSES_PEEPHOLE_INVERTED_PREDICATES_H_

#include "absl/container/inlined_vector.h"
#include "passes/peephole/peephole_editor.h"

namespace ptxmir::peephole {

class InvertedPredicates {
 public:
  explicit InvertedPredicates(PeepholeEditor& editor) : editor_(editor) {}

  // Finds the predicates that have to be inverted together with the one that is given. Returns false if one of them
  // cannot be, or if they are many.
  bool Find(Register predicate);
  // Inverts those that were found, and erases their negations.
  void Invert();

 private:
  bool Add(Register predicate);
  bool AddSources(Register predicate);
  bool AddReaders(Register predicate);

  PeepholeEditor& editor_;
  absl::InlinedVector<Register, 8> predicates_;
  absl::InlinedVector<MachineInstr*, 8> negations_;
  absl::InlinedVector<MachineInstr*, 4> branches_;
};

}  // namespace ptxmir::peephole

#endif  // PTXMIR_PASSES_PEEPHOLE_INVERTED_PREDICATES_H_
