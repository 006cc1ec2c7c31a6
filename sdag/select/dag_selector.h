// SPDX-License-Identifier: Apache-2.0

// Selection: turns the nodes of a legal DAG into machine nodes by the rules of sdag/select/*.rules, which are compiled
// at build time into a table (generate_rules.cc). One line of a rules file says: nodes of this form and these types,
// on subtargets that have this, become these instructions. What is legal is what there are rules for: there is no
// second table that could say otherwise (the legalizer asks IsSelectable).

#ifndef PTXMIR_SDAG_SELECT_DAG_SELECTOR_H_
#define PTXMIR_SDAG_SELECT_DAG_SELECTOR_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Selects all nodes of the DAG; nodes without use go. Every node is a machine node or one of those that InstrEmitter
// takes as they are afterwards. InvalidArgument, which names the node with its operands and types, when there is no
// rule for one: of a DAG that LegalizeDag has accepted, that is a defect of the rules.
absl::Status SelectDag(SelectionDAG& dag, const ISelOptions& options);

// Whether a node can be selected whatever its operands are computed by. Intrinsics and memory nodes, whose payload
// counts, are asked for as nodes.
bool IsSelectable(const SDNode& node, const ptx::Subtarget& subtarget);
// The same of a node without payload that there is not yet. `results`: with chains and glue.
bool IsSelectable(int16_t opcode, absl::Span<const MVT> results, absl::Span<const MVT> operands,
                  const ptx::Subtarget& subtarget);

// Whether values of the type live in registers of PTX on the subtarget: what the legalizer turns all others into.
bool IsLegalType(MVT type, const ptx::Subtarget& subtarget);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_DAG_SELECTOR_H_
