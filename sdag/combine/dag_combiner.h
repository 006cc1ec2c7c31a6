// SPDX-License-Identifier: Apache-2.0

// The combiner: rewrites a DAG into a cheaper one that computes the same. It folds constants, removes identities,
// and replaces operations with cheaper or fewer ones. It does what LLVM's DAGCombiner does, as far as that helps
// PTX.
//
// Combines are rows of tables (combine_context.h), looked up by opcode. Nodes wait in a worklist, operands first. A
// changed node and its users go back to the worklist. Each row makes nodes that cost no more than those they
// replace, looks at a bounded part of the DAG, and moves towards one form, so the work is near-linear. A bound on
// the number of replacements guards against two rows that undo each other.

#ifndef PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_
#define PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

enum class CombineLevel : uint8_t {
  kBeforeLegalize,  // any type and node may be made
  kAfterLegalize,   // only nodes that can be selected may be made
};

struct CombineReport {
  std::vector<std::string_view> fired;  // names of the combines that did something, in order
  bool gave_up = false;                 // whether the bound was reached; that is a defect, but the DAG is correct
};

// Combines nodes until nothing changes, and removes nodes without uses. Returns the number of replaced nodes.
size_t CombineDag(SelectionDAG& dag, CombineLevel level, const ISelOptions& options, CombineReport* report = nullptr);

// Returns the names of all combines, for documentation and tests.
std::vector<std::string_view> CombineNames();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_
