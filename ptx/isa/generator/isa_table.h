// SPDX-License-Identifier: Apache-2.0

// The reader of the instruction tables (*.isa). It handles the statements that README.md describes, except those of
// the table language itself (table_expander.h). The result is one IsaRow per opcode, in table order.
//
// Only the generator (generate_isa.cc) uses the reader, at build time. It therefore favors clear messages, each with
// file and line, over speed. Expanding the whole instruction set takes a few hundred milliseconds.

#ifndef PTXMIR_PTX_ISA_GENERATOR_ISA_TABLE_H_
#define PTXMIR_PTX_ISA_GENERATOR_ISA_TABLE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ptx/isa/generator/table_expander.h"

namespace ptxmir::ptx::isa {

// One operand slot of an instruction.
struct IsaOperand {
  std::string name;  // the table's name for it; "c.2" for element 2 of a list
  std::string type;  // one of B1 B16 B32 B64 B128 SpecialRegs imm unknown reg
  std::string role;  // empty if it has none
  bool is_def = false;
  int tied_to = -1;
};

// A piece of a printing template: literal text, one operand through a modifier, or `count` operands from `operand`
// on, joined by ", ".
struct TemplatePiece {
  std::string literal;  // used when operand < 0
  int operand = -1;
  int count = 1;
  std::string modifier;  // empty if printed plainly
};

// Where an instruction exists. Numbers are 0 if the table names none.
struct IsaRequirement {
  int sm = 0;          // the first SM
  int ptx = 0;         // the first PTX version, times 10
  int removed_sm = 0;  // from this SM on, with removed_ptx or later, it no longer exists
  int removed_ptx = 0;
  int arch = -1;  // index into IsaTable::archs(); -1: any GPU

  auto operator<=>(const IsaRequirement&) const = default;
};

struct IsaRow {
  std::string name;         // LLVM's name; empty for a row without one if no file gave LLVM's names
  std::string stable_name;  // ours; equals `name` unless LLVM's is anonymous_N
  std::string family;
  std::vector<IsaOperand> operands;
  int num_defs = 0;
  std::vector<TemplatePiece> pieces;
  bool printable = true;
  std::map<std::string, std::string> attributes;
  IsaRequirement requirement;
  std::string where;  // "file:line"

  std::string Attribute(const std::string& key) const {
    auto it = attributes.find(key);
    return it == attributes.end() ? std::string() : it->second;
  }
};

struct IsaRole {
  std::string name;
  std::string modifier;  // the modifier that `$name` uses for an operand of this role; empty for none
};

// The conversion of an operand's value to text. See README.md.
struct IsaModifier {
  enum class Kind { kValue, kBit, kNonZero, kAtLeast, kCode };
  std::string name;
  Kind kind = Kind::kCode;
  int64_t mask = -1;  // for kValue
  std::vector<std::pair<int64_t, std::string>> texts;
};

// A text of a modifier that needs more than the instructions that print it.
struct IsaTextNeed {
  std::string modifier;
  std::string text;
  int64_t value = 0;  // of the operand
  int64_t mask = -1;  // bits of the operand that decide
  IsaRequirement requirement;
};

// A set of GPUs with features of their own: those that meet one of the conditions.
struct IsaArch {
  struct Condition {
    char variant = 'a';  // 'a': these SMs; 'f': their families, from these SMs on
    int ptx = 0;         // the first PTX version, times 10
    std::vector<int> sms;
  };
  static constexpr size_t kMaxSms = 4;  // of a condition

  std::string name;
  std::vector<Condition> conditions;
};

// A GPU generation: what instructions cost.
struct IsaMachine {
  struct Cost {
    int latency = 0;
    int issue = 0;
    int unit = 0;  // index into units()
  };
  int sm = 0;               // the first SM
  std::vector<Cost> costs;  // by latency class
};

// The contents of the tables. All files share types and roles.
class IsaTable : public TableExpander {
 public:
  // Reads the file with LLVM's names of the `anonymous` rows: lines "NAME<tab>anonymous_N". It comes before the tables.
  absl::Status ReadLlvmNames(const std::string& path);
  absl::Status ReadLlvmNamesText(absl::string_view text, absl::string_view file_name);
  // Returns an error if LLVM's names contain one of a row that does not exist.
  absl::Status CheckLlvmNamesUsed() const;
  // Returns an error unless there are machines and each latency class has a cost.
  absl::Status CheckCosts() const;

  const std::vector<IsaRow>& rows() const { return rows_; }
  const std::vector<IsaRole>& roles() const { return roles_; }
  const std::vector<IsaModifier>& modifiers() const { return modifiers_; }
  const std::vector<std::string>& latencies() const { return latencies_; }
  const std::vector<std::string>& units() const { return units_; }
  const std::vector<IsaMachine>& machines() const { return machines_; }
  const std::vector<IsaArch>& archs() const { return archs_; }
  const std::vector<IsaTextNeed>& text_needs() const { return text_needs_; }
  const std::vector<std::string>& spaces() const { return spaces_; }
  const std::vector<std::string>& properties() const { return properties_; }

 private:
  absl::Status RunStatement(const Line& line) override;
  void BeginFile() override;
  void EnterBlock() override;
  void LeaveBlock() override;
  absl::Status RunRow(const Line& line);
  absl::Status AddOperands(const Line& line, const std::string& text, IsaRow& row);
  absl::Status AddOperand(const Line& line, std::string token, IsaRow& row);
  absl::Status AddTemplate(const Line& line, const std::string& text, IsaRow& row);
  absl::Status ReferTo(const Line& line, const std::string& name, const std::string& modifier, IsaRow& row);
  absl::Status SetAttributes(const Line& line, const std::string& text, Scope& attributes);
  absl::Status SetRequirement(const Line& line, IsaRow& row) const;
  absl::Status DefineRole(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineType(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineModifier(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineMachines(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineCost(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineArch(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineTextNeeds(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineNames(const Line& line, const std::vector<std::string>& words);
  absl::Status SetLlvmName(const Line& line, IsaRow& row);

  std::vector<IsaRow> rows_;
  std::vector<IsaRole> roles_;
  std::vector<IsaModifier> modifiers_;
  std::vector<std::string> latencies_;
  std::vector<std::string> units_;
  std::vector<IsaMachine> machines_;
  std::set<std::string> latencies_with_cost_;
  std::vector<IsaArch> archs_;
  std::vector<IsaTextNeed> text_needs_;
  std::vector<std::string> spaces_;
  std::vector<std::string> properties_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> types_;  // (type, role) slots
  Scope attributes_;
  std::string family_;
  std::vector<std::pair<Scope, std::string>> outer_;  // attributes and family of the enclosing blocks

  struct LlvmName {
    std::string name;
    std::string where;  // "file:line"
    bool is_used = false;
  };
  std::map<std::string, LlvmName> llvm_names_;  // of anonymous rows, by their stable names
  bool has_llvm_names_ = false;
};

}  // namespace ptxmir::ptx::isa

#endif  // PTXMIR_PTX_ISA_GENERATOR_ISA_TABLE_H_
