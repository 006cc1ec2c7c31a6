// SPDX-License-Identifier: Apache-2.0

// Selection: turns the nodes of a legal DAG into machine nodes by the rules of sdag/select/*.rules, which are
// compiled at build time into a table (generate_rules.cc). One line of a rules file says: nodes of this form and
// these types become these instructions on subtargets with these features. A node is legal if there is a rule for
// it. No second table could contradict the rules (the legalizer asks IsSelectable).

#ifndef PTXMIR_SDAG_SELECT_DAG_SELECTOR_H_
#define PTXMIR_SDAG_SELECT_DAG_SELECTOR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Selects all nodes of the DAG and removes nodes without uses. Afterwards every node is a machine node or a node
// that InstrEmitter accepts as it is. Returns InvalidArgument, naming the node with its operands and types, if
// there is no rule for a node. For a DAG that LegalizeDag has accepted, that is a defect of the rules.
absl::Status SelectDag(SelectionDAG& dag, const ISelOptions& options);

// Returns true if a node can be selected no matter which nodes compute its operands. For intrinsics and memory
// nodes, whose payload matters, this is the overload to ask.
bool IsSelectable(const SDNode& node, const ptx::Subtarget& subtarget);
// Returns which instruction the subtarget lacks for the node, and what that needs. Empty if another reason keeps the
// node from being selected.
std::string MissingInstruction(const SDNode& node, const ptx::Subtarget& subtarget);
// IsSelectable for a node without payload that does not exist yet. `results` includes chains and glue.
bool IsSelectable(int16_t opcode, absl::Span<const MVT> results, absl::Span<const MVT> operands,
                  const ptx::Subtarget& subtarget);

// Returns true if PTX registers of the subtarget hold values of the type. The legalizer replaces all other types.
bool IsLegalType(MVT type, const ptx::Subtarget& subtarget);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_DAG_SELECTOR_H_
