// SPDX-License-Identifier: Apache-2.0

// Legalization: after it every value of a DAG has a type of a PTX register (IsLegalType), and every node can be
// selected (IsSelectable). LLVM's four steps (types, vectors, operations, and types again) are one walk here, operands
// first; what an expansion makes is legal at once (legalizer.h, docs/legalization.md).

#ifndef PTXMIR_SDAG_LEGALIZE_DAG_LEGALIZER_H_
#define PTXMIR_SDAG_LEGALIZE_DAG_LEGALIZER_H_

#include "absl/status/status.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Unimplemented, with a message that names the node and its types, when PTX has nothing for a node and it cannot be
// expanded either; InvalidArgument when the DAG is malformed. The DAG is then half done and good for nothing but
// printing. Nodes without use go.
absl::Status LegalizeDag(SelectionDAG& dag, const ISelOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_LEGALIZE_DAG_LEGALIZER_H_
