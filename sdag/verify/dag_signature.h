// SPDX-License-Identifier: Apache-2.0

// Matches nodes with the signatures of isd_opcodes.inc; internal to the verifier.

#ifndef PTXMIR_SDAG_VERIFY_DAG_SIGNATURE_H_
#define PTXMIR_SDAG_VERIFY_DAG_SIGNATURE_H_

#include <optional>
#include <string>
#include <string_view>

#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// What does not fit; empty when the node does. Operands must be values.
std::string MatchSignature(const SDNode& node, std::string_view signature);

// What does not hold of a relation; empty when it does. The signature must fit.
std::string CheckRelation(const SDNode& node, TypeRelation relation);

// Integers are compared by the codes that they have. The signature must fit.
std::string CheckCondition(const SDNode& node);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_VERIFY_DAG_SIGNATURE_H_
