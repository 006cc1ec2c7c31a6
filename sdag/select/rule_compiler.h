// SPDX-License-Identifier: Apache-2.0

// Checks rules against the instruction tables and the signatures of nodes, and turns each into the code of
// rule_table.h. Only the generator uses it.

#ifndef PTXMIR_SDAG_SELECT_RULE_COMPILER_H_
#define PTXMIR_SDAG_SELECT_RULE_COMPILER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sdag/select/rule_reader.h"
#include "sdag/select/rule_table.h"

namespace ptxmir::sdag {

struct CompiledRule {
  int16_t opcode = 0;     // of the root; of intrinsics kIntrinsicWOChain
  std::string intrinsic;  // its name
  std::vector<uint16_t> code;
  uint16_t flags = 0;
  int size = 0;  // of the pattern: larger ones are tried first
  std::string where;
};

// Appends the compiled forms of a rule: one for each order of the operands of commutative nodes. InvalidArgument, with
// the place of the rule, when there is something wrong with it.
absl::Status CompileRule(const RuleSource& rule, std::vector<CompiledRule>& compiled);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_COMPILER_H_
