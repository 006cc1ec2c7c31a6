// SPDX-License-Identifier: Apache-2.0

// Reader of the rules (*.rules): the table language of ptx/isa/README.md with rules for statements. README.md describes
// them. Only the generator uses it.

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
  std::string name;              // of a variable; of a condition code
  std::optional<MVT> type;       // that was written
  std::string function;          // addr:$p
  bool is_immediate = false;     // imm:$a, imm[0..31]:$a
  bool takes_immediate = false;  // any:$a: a constant is an operand of the instruction, too
  bool has_range = false;
  int64_t low = 0, high = 0;      // the range; low: a number
  int count = 0;                  // $a*4; 0: not a list
  std::vector<RulePattern> node;  // one, of kNode
};

struct RulePattern {
  std::string opcode;  // "add", "llvm.nvvm..."
  std::vector<MVT> types;
  std::vector<RuleOperand> operands;
  bool one_use = false;
  bool has_more = false;  // "...": operands that do not matter
  int same_at = -1;       // "*": from here on those of the instruction; -1: not so
};

struct RuleOutput {
  struct Operand {
    enum class Kind { kVariable, kInteger, kFtz, kCall, kNode, kSame };
    Kind kind = Kind::kVariable;
    std::string name;      // of the variable; of the function
    std::string argument;  // of the function; empty: the root
    int64_t value = 0;     // of kFtz: without
    int64_t value_if_ftz = 0;
    std::vector<RuleOutput> node;
  };
  std::string opcode;  // empty: operands[0] itself
  std::vector<Operand> operands;
};

struct RuleSource {
  RulePattern pattern;
  std::vector<RuleOutput> before;   // emitted first, each behind the other on the chain
  std::vector<RuleOutput> results;  // one for all results, or one each
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
  std::vector<std::string> conditions_;  // `given`
  std::vector<std::vector<std::string>> outer_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_READER_H_
