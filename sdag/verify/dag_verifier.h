// SPDX-License-Identifier: Apache-2.0

// Checks SelectionDAGs for errors that a user of the API or of the text form may make, and that a pass may
// introduce.
//
// It checks:
//   - operands are values of the same block, and there is no cycle;
//   - types fit the node's signature and relation (isd_opcodes.h);
//   - payloads name things that exist, and memory nodes access memory as they say;
//   - glue is the last result and has one user;
//   - branches lead to successors;
//   - selected nodes have the operands of their instruction;
//   - debug values have a variable, an expression, a debug location, and a value that exists;
//   - in checked builds, lists and tables are in order (SelectionDAG::CheckInvariants).

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
  // The node, with the numbers of the DAG's text: "t5: i32 = add t1, t2". Empty if the flaw concerns no single
  // node.
  std::string node;
  // The position of the node in the text that was read, or null if there was none.
  const char* position = nullptr;

  // Returns "function 'f', bb.0.entry: operand 1 is 'f32', not 'i32'\n  t5: i32 = add t1, t2".
  std::string ToString() const;
};

// Adds every flaw to `flaws`, until there are `max_flaws`.
void VerifyDag(SelectionDAG& dag, std::vector<DagFlaw>& flaws, size_t max_flaws = 20);
// Adds the flaws of all DAGs of a function.
void VerifyDags(DagFunction& function, std::vector<DagFlaw>& flaws, size_t max_flaws = 20);

// Returns InvalidArgument with all flaws if there are any.
absl::Status VerifyDags(DagFunction& function);

// Returns the error in a signature of isd_opcodes.inc, or an empty string if there is none. For a test of the
// table.
std::string CheckSignature(std::string_view signature);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_VERIFY_DAG_VERIFIER_H_
