// SPDX-License-Identifier: Apache-2.0

// Matches nodes with the signatures of isd_opcodes.inc. Internal to the verifier.

#ifndef PTXMIR_SDAG_VERIFY_DAG_SIGNATURE_H_
#define PTXMIR_SDAG_VERIFY_DAG_SIGNATURE_H_

#include <optional>
#include <string>
#include <string_view>

#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// Returns a description of the mismatch, or an empty string if the node matches. Operands must be values.
std::string MatchSignature(const SDNode& node, std::string_view signature);

// Returns a description of how a node violates a relation, or an empty string. The node must match its signature.
std::string CheckRelation(const SDNode& node, TypeRelation relation);

// Returns an error if the node compares integers with a floating-point condition code, or an empty string. The node
// must match its signature.
std::string CheckCondition(const SDNode& node);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_VERIFY_DAG_SIGNATURE_H_
