// SPDX-License-Identifier: Apache-2.0

// The reader of the rules (*.rules). They use the table language of ptx/isa/README.md, with rules as statements.
// README.md describes them. Only the generator uses the reader.

#ifndef PTXMIR_SDAG_SELECT_RULE_READER_H_
#define PTXMIR_SDAG_SELECT_RULE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/isa/generator/table_expander.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

struct RulePattern;

struct RuleOperand {
  enum class Kind { kVariable, kNode, kInteger, kFloat, kCondCode, kType, kIgnored };
  Kind kind = Kind::kIgnored;
  std::string name;              // of a variable or a condition code
  std::optional<MVT> type;       // nullopt: not written
  std::string function;          // addr:$p
  bool is_immediate = false;     // imm:$a, imm[0..31]:$a
  bool takes_immediate = false;  // any:$a: a constant is also accepted and becomes an operand of the instruction
  bool has_range = false;
  int64_t low = 0, high = 0;      // the range; low is also the value of a number
  int count = 0;                  // $a*4; 0: not a list
  std::vector<RulePattern> node;  // one pattern, only for kNode
};

struct RulePattern {
  std::string opcode;  // "add", "llvm.nvvm..."
  std::vector<MVT> types;
  std::vector<RuleOperand> operands;
  bool one_use = false;
  bool has_more = false;  // "...": further operands, which are ignored
  int same_at = -1;       // "*": index from which the operands are the instruction's; -1: no "*"
};

struct RuleOutput {
  struct Operand {
    enum class Kind { kVariable, kInteger, kFtz, kCall, kNode, kSame };
    Kind kind = Kind::kVariable;
    std::string name;      // of the variable or the function
    std::string argument;  // of the function; empty: the root
    int64_t value = 0;     // for kFtz, the value without ftz
    int64_t value_if_ftz = 0;
    std::vector<RuleOutput> node;
  };
  std::string opcode;  // empty: operands[0] itself
  std::vector<Operand> operands;
};

struct RuleSource {
  RulePattern pattern;
  std::vector<RuleOutput> before;   // emitted first, in this order on the chain
  std::vector<RuleOutput> results;  // one for all results, or one for each
  std::vector<std::string> conditions;
  std::string where;
};

class RuleReader : public ptx::isa::TableExpander {
 public:
  const std::vector<RuleSource>& rules() const { return rules_; }

 private:
  absl::Status RunStatement(const Line& line) override;
  void BeginFile() override { conditions_.clear(); }
  void EnterBlock() override { outer_.push_back(conditions_); }
  void LeaveBlock() override {
    conditions_ = outer_.back();
    outer_.pop_back();
  }

  std::vector<RuleSource> rules_;
  std::vector<std::string> conditions_;  // from `given`
  std::vector<std::vector<std::string>> outer_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_READER_H_
