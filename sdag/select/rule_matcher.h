// SPDX-License-Identifier: Apache-2.0

// The interpreter for compiled rules (rule_table.h).

#ifndef PTXMIR_SDAG_SELECT_RULE_MATCHER_H_
#define PTXMIR_SDAG_SELECT_RULE_MATCHER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/select/rule_table.h"
#include "sdag/select/selection_functions.h"

namespace ptxmir::sdag {

// Returns the rules whose root may be this node, or a node with this opcode and this type of result 0.
absl::Span<const Rule> RulesFor(const SDNode& node);
absl::Span<const Rule> RulesFor(int16_t opcode, MVT result_type);

// Reads the words of a rule's code.
class RuleWords {
 public:
  explicit RuleWords(const Rule& rule) : next_(kRuleCode + rule.code) {}

  uint16_t Next() {
    unsigned word = *next_++;
    if (word < 0x80) return static_cast<uint16_t>(word);
    word &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
      const unsigned byte = *next_++;
      word |= (byte & 0x7f) << shift;
      if (byte < 0x80) return static_cast<uint16_t>(word);
    }
  }

 private:
  const unsigned char* next_;
};

class RuleMatcher {
 public:
  // `root` is not null. `dag` and `options` are null if the matcher only determines whether a rule matches.
  RuleMatcher(SDNode* root, SelectionDAG* dag, const ISelOptions* options, const ptx::Subtarget& subtarget)
      : root_(root), dag_(dag), options_(options), subtarget_(subtarget) {
    LoadRoot();
  }

  // Returns true if the rule matches. If there is a DAG, the rule's instructions have then been made; see
  // replacements().
  bool Apply(const Rule& rule);
  // Returns true if the type checks of a rule with Rule::kByTypes hold.
  static bool HoldsForTypes(const Rule& rule, absl::Span<const MVT> results, absl::Span<const MVT> operands,
                            const ptx::Subtarget& subtarget);

  // The first instruction that a rule needed and the subtarget lacks.
  std::optional<Opcode> missing_instruction() const { return missing_instruction_; }
  // Returns true if the root itself has become an instruction, so that nothing replaces it. The root may be gone then.
  bool has_become_instruction() const { return has_become_instruction_; }
  // The values that replace the results of the root, including chain and glue.
  absl::Span<const SDValue> replacements() const { return {replacements_.data(), replacements_.size()}; }

 private:
  static constexpr unsigned kMaxSlots = 256;

  void LoadRoot();
  // Returns false if a quick look shows that the rule does not match.
  bool MayMatch(const RuleDemands& demands) const;
  bool Check(RuleOp op, const uint16_t* words);
  bool CheckSupport(Opcode opcode);
  bool CheckOption(RuleOption option, int value) const;
  bool CheckConstant(RuleOp op, const uint16_t* words) const;
  void Emit(RuleWords& words);
  SDValue EmitOperand(RuleWords& words);
  SDValue AsTargetConstant(SDValue value);
  void Finish(RuleWords& words);

  SDNode* root_;
  SelectionDAG* dag_;
  const ISelOptions* options_;
  const ptx::Subtarget& subtarget_;
  // The slots of the root and of its operands, and those that checks and emissions fill before anything reads them. A
  // node may lack operands that its signature has, so the first slots are always filled.
  static constexpr unsigned kAlwaysFilled = 16;
  union {
    SDValue slots_[kMaxSlots];
  };
  unsigned num_operands_ = 0;  // of the root, without chain and glue
  SDValue chain_, glue_;       // the root's operands; the chain is updated to the one after the emitted instructions
  unsigned num_results_ = 0;   // of the root, without chain and glue
  bool has_become_instruction_ = false;
  absl::InlinedVector<SDValue, 8> replacements_;
  std::optional<Opcode> missing_instruction_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_RULE_MATCHER_H_
