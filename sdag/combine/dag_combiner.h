// SPDX-License-Identifier: Apache-2.0

// The combiner: rewrites a DAG into a cheaper one that computes the same. Constants are folded, identities go,
// operations become cheaper or fewer: LLVM's DAGCombiner as far as it helps PTX.
//
// Combines are rows of tables (combine_context.h), by opcode. Nodes wait in a list, operands first; what is changed,
// and what uses it, waits again. Every row makes nodes that cost no more than what they replace, looks at a bounded
// part of the DAG, and moves towards one form, so that the work is near-linear; a bound on the number of replacements
// stands behind that in case two rows should ever undo each other.

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
  kAfterLegalize,   // only what can be selected
};

struct CombineReport {
  std::vector<std::string_view> fired;  // names of the combines that did something, in order
  bool gave_up = false;                 // the bound was reached: a defect, but the DAG is right
};

// Combines until nothing changes. Returns how many nodes were replaced. Nodes without use go.
size_t CombineDag(SelectionDAG& dag, CombineLevel level, const ISelOptions& options, CombineReport* report = nullptr);

// Names of all combines, for documentation and tests.
std::vector<std::string_view> CombineNames();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_
