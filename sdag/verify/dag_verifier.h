// SPDX-License-Identifier: Apache-2.0

// Checks SelectionDAGs: what a user of the API or of the text form may get wrong, and what a pass may break.
//
// That operands are values of the same block, and there is no cycle; that types are those of the node's signature and
// relation (isd_opcodes.h); that payloads name what exists, and that memory nodes access memory as they say; that glue
// is the last result and has one user; that branches lead to successors; that selected nodes have the operands of
// their instruction. In checked builds also that lists and tables are in order (SelectionDAG::CheckInvariants).

#ifndef PTXMIR_SDAG_VERIFY_DAG_VERIFIER_H_
#define PTXMIR_SDAG_VERIFY_DAG_VERIFIER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

struct DagFlaw {
  // "function 'f', bb.0.entry: operand 1 is 'f32', not 'i32'".
  std::string message;
  // The node, by the numbers that the text of the DAG has: "t5: i32 = add t1, t2". Empty: it is about no single one.
  std::string node;
  // Where that stands in the text that was read; null when there was none.
  const char* position = nullptr;

  // "function 'f', bb.0.entry: operand 1 is 'f32', not 'i32'\n  t5: i32 = add t1, t2".
  std::string ToString() const;
};

// Adds every flaw, until there are `max_flaws`.
void VerifyDag(SelectionDAG& dag, std::vector<DagFlaw>& flaws, size_t max_flaws = 20);
// Of all DAGs of a function.
void VerifyDags(DagFunction& function, std::vector<DagFlaw>& flaws, size_t max_flaws = 20);

// The same as a status: InvalidArgument with all of them when there is a flaw.
absl::Status VerifyDags(DagFunction& function);

// What is wrong with a signature of isd_opcodes.inc; empty if nothing. For a test of the table.
std::string CheckSignature(std::string_view signature);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_VERIFY_DAG_VERIFIER_H_
