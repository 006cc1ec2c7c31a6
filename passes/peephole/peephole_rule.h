// SPDX-License-Identifier: Apache-2.0

// The rules of the peephole passes. Each file rules_*.cc has a table of them, by theme.

#ifndef PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_RULE_H_
#define PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_RULE_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "passes/peephole/peephole_editor.h"
#include "ptx/isa/isa_enums.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::peephole {

// The passes that a rule belongs to, as bits.
enum RulePass : uint8_t { kStock = 1, kNvvm = 2 };

struct PeepholeRule {
  std::string_view name;                        // in the counters of -stats and the remark: "selections decided"
  uint8_t passes = kStock;                      // RulePass
  absl::Span<const ptx::Family> families = {};  // of the instructions that it looks at; empty: all
  uint8_t sources = kAnySource;                 // SourceKind: of which instructions must have one; 0: all
  // Rewrites the instruction if the rule fits. Returns false if it changed nothing.
  bool (*apply)(PeepholeEditor& editor, MachineInstr& instr) = nullptr;
};

// For several files of rules.
inline ptx::SemanticTag TagOf(const MachineInstr& instr) { return ptx::InstrInfo(instr.opcode()).semantics; }
// Returns the letter of an operand in the forms of opcodes: a register or an immediate.
inline char KindOf(const MachineOperand& operand) { return operand.is_reg() ? 'r' : 'i'; }
inline constexpr ptx::Family kOrFamily[] = {ptx::Family::kOr};
inline constexpr ptx::SemanticTag kAndTags[] = {ptx::SemanticTag::kAndB16, ptx::SemanticTag::kAndB32,
                                                ptx::SemanticTag::kAndB64};

absl::Span<const PeepholeRule> ConstantRules();    // rules_constants.cc: folding, immediates, copies
absl::Span<const PeepholeRule> ArithmeticRules();  // rules_arithmetic.cc: identities, products and sums
absl::Span<const PeepholeRule> BitRules();         // rules_bits.cc: fields, funnel shifts, masks
absl::Span<const PeepholeRule> ByteRules();        // rules_bytes.cc: prmt
absl::Span<const PeepholeRule> ConversionRules();  // rules_conversions.cc: extensions and truncations
absl::Span<const PeepholeRule> SelectionRules();   // rules_selections.cc: min, max, abs, selp
absl::Span<const PeepholeRule> PredicateRules();   // rules_predicates.cc: predicates and branches
absl::Span<const PeepholeRule> SpaceRules();       // rules_spaces.cc: cvta

}  // namespace ptxmir::peephole

#endif  // PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_RULE_H_
