// SPDX-License-Identifier: Apache-2.0

// Legalization. Afterwards every value of a DAG has the type of a PTX register (IsLegalType), and every node can be
// selected (IsSelectable). LLVM's four steps (types, vectors, operations, and types again) are a single walk here,
// operands first. The nodes that an expansion makes are legal at once (legalizer.h, docs/legalization.md).

#ifndef PTXMIR_SDAG_LEGALIZE_DAG_LEGALIZER_H_
#define PTXMIR_SDAG_LEGALIZE_DAG_LEGALIZER_H_

#include "absl/status/status.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Legalizes a DAG and removes nodes without uses. Returns Unimplemented, with a message that names the node and its
// types, if PTX has nothing for a node and it cannot be expanded either. Returns InvalidArgument if the DAG is
// malformed. After an error the DAG is half done and can only be printed.
absl::Status LegalizeDag(SelectionDAG& dag, const ISelOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_LEGALIZE_DAG_LEGALIZER_H_
