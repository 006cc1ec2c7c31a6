// The combiner: rewrites a DAG into a cheaper one that computes the same. Constants are folded, identities go,
// operations become cheaper or fewer: LLVM's DAGCombiner as far as it helps PTX.

#ifndef PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_
#define PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_

#include <cstddef>

#include "sdag/isel_options.h"
#include "sdag/selection_dag.h"

namespace ptxmir::sdag {

enum class CombineLevel : uint8_t {
  kBeforeLegalize,  // any type and node may be made
  kAfterLegalize,   // only what can be selected
};

// Combines until nothing changes. Returns how many nodes were replaced. Nodes without use go.
size_t CombineDag(SelectionDAG& dag, CombineLevel level, const ISelOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_DAG_COMBINER_H_
