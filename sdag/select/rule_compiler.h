// SPDX-License-Identifier: Apache-2.0

// Checks rules against the instruction tables and the signatures of nodes, and compiles each into the code of
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
  int16_t opcode = 0;     // the root's; kIntrinsicWOChain for all intrinsics
  std::string intrinsic;  // the intrinsic's name
  std::vector<uint16_t> code;
  uint16_t flags = 0;
  RuleDemands demands;
  int size = 0;  // the size of the pattern; larger ones are tried first
  std::string where;
};

// Appends the compiled forms of a rule, one for each order of the operands of commutative nodes. Returns
// InvalidArgument, with the place of the rule, if the rule has an error.
absl::Status CompileRule(const RuleSource& rule, std::vector<CompiledRule>& compiled);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_COMPILER_H_
