// SPDX-License-Identifier: Apache-2.0

// Reads the rows of the table:
//
//   PTXMIR_ROW_VERSIONS(old name, number of operands, instructions)
//
// VERSIONS is ALL (LLVM 19 and older), 16 (16 and older) or 17_19. The number of operands includes the results; "*" is
// any. A name that ends in '*' stands for all names that begin so. The instructions are "=" if the old one is valid
// today. Otherwise they are separated by "; ", and each is an opcode of LLVM 22 and its operands, results first:
//
//   N            operand N of the old instruction
//   #N           the immediate N
//   tN:CLASS tN  defines and uses a new register
//   &NAME        the symbol NAME
//   param:N      the symbol paramI, where I is the immediate in operand N
//   MAP:N        operand N through a map, which is one of kMaps
//   ?N=V ?N=one  no operand: the row is only valid if operand N is the immediate V or 1.0
//
// Parts of a call have actions instead of opcodes (kActions).

#include "mir/upgrade/recipe_table.h"

#include <charconv>
#include <cstddef>
#include <optional>

namespace ptxmir {
namespace {

#define PTXMIR_ROW_ALL(name, count, instructions) "A " name " " count " " instructions "\n"
#define PTXMIR_ROW_16(name, count, instructions) "6 " name " " count " " instructions "\n"
#define PTXMIR_ROW_17_19(name, count, instructions) "7 " name " " count " " instructions "\n"

// One text for each file, because compilers need not accept longer literals.
constexpr std::string_view kArithmeticRows =
#include "mir/upgrade/arithmetic_rows.inc"
    ;
constexpr std::string_view kMemoryRows =
#include "mir/upgrade/memory_rows.inc"
    ;
constexpr std::string_view kCallRows =
#include "mir/upgrade/call_rows.inc"
    ;
constexpr std::string_view kSurfaceRows =
#include "mir/upgrade/surface_rows.inc"
    ;
constexpr std::string_view kUnchangedRows =
#include "mir/upgrade/unchanged_rows.inc"
    ;

#undef PTXMIR_ROW_ALL
#undef PTXMIR_ROW_16
#undef PTXMIR_ROW_17_19

using Map = RecipeOperand::Map;
using Action = RecipeStep::Action;

struct NamedMap {
  std::string_view name;
  Map map;
};
constexpr NamedMap kMaps[] = {
    {"volatile", Map::kVolatile},
    {"space", Map::kSpace},
    {"sign", Map::kSign},
    {"icmp_s", Map::kSignedCompare},
    {"icmp_u", Map::kUnsignedCompare},
    {"icmp_b", Map::kBitCompare},
    {"fcmp", Map::kFloatCompare},
    {"fcmp64", Map::kDoubleCompare},
    {"ftz", Map::kFlush},
    {"cvt", Map::kConversion},
};

struct NamedAction {
  std::string_view name;
  Action action;
};
constexpr NamedAction kActions[] = {
    {"@call", Action::kCall},
    {"@callee", Action::kCallee},
    {"@arguments", Action::kArguments},
    {"@argument", Action::kArgument},
    {"@arguments_end", Action::kArgumentsEnd},
    {"@prototype", Action::kPrototype},
    {"@end", Action::kEnd},
    {"@nothing", Action::kNothing},
};

// Returns the text before the next separator and removes both.
std::string_view Take(std::string_view* text, std::string_view separator) {
  const size_t at = text->find(separator);
  const std::string_view word = text->substr(0, at);
  text->remove_prefix(at == text->npos ? text->size() : at + separator.size());
  return word;
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads "MAP:N" and "param:N".
bool ReadMapped(std::string_view name, RecipeOperand* operand) {
  if (name == "param") {
    operand->kind = RecipeOperand::Kind::kParameter;
    return true;
  }
  for (const NamedMap& map : kMaps) {
    if (map.name != name) continue;
    operand->kind = RecipeOperand::Kind::kMapped;
    operand->map = map.map;
    return true;
  }
  return false;
}

// Reads "?N=V" or "?N=one", without the '?'.
bool ReadCondition(std::string_view word, RecipeOperand* operand) {
  const std::optional<int64_t> number = NumberOf(Take(&word, "="));
  operand->kind = word == "one" ? RecipeOperand::Kind::kIsOne : RecipeOperand::Kind::kIsValue;
  const std::optional<int64_t> value = word == "one" ? 1 : NumberOf(word);
  if (!number.has_value() || !value.has_value()) return false;
  operand->number = static_cast<uint8_t>(*number);
  operand->value = *value;
  return true;
}

// Reads "tN" or "tN:CLASS", without the 't'.
bool ReadTemporary(std::string_view word, const TargetInfo& target, RecipeOperand* operand) {
  const std::optional<int64_t> number = NumberOf(Take(&word, ":"));
  if (!number.has_value()) return false;
  operand->number = static_cast<uint8_t>(*number);
  operand->kind = word.empty() ? RecipeOperand::Kind::kTemporary : RecipeOperand::Kind::kDefinition;
  if (word.empty()) return true;
  operand->reg_class = target.FindRegClass(word).value_or(kNoRegClass);
  return operand->reg_class != kNoRegClass;
}

bool ReadOperand(std::string_view word, const TargetInfo& target, RecipeOperand* operand) {
  if (word.empty()) return false;
  if (word[0] == '?') return ReadCondition(word.substr(1), operand);
  if (word[0] == '&') {
    operand->kind = RecipeOperand::Kind::kSymbol;
    operand->text = word.substr(1);
    return true;
  }
  if (word[0] == 't') return ReadTemporary(word.substr(1), target, operand);
  const bool is_immediate = word[0] == '#';
  if (is_immediate) {
    operand->kind = RecipeOperand::Kind::kImmediate;
    word.remove_prefix(1);
  } else if (word.find(':') != word.npos && !ReadMapped(Take(&word, ":"), operand)) {
    return false;
  }
  const std::optional<int64_t> number = NumberOf(word);
  if (!number.has_value()) return false;
  operand->value = *number;
  if (!is_immediate) operand->number = static_cast<uint8_t>(*number);
  return true;
}

// Reads an opcode or an action, and its operands.
bool ReadStep(std::string_view text, const TargetInfo& target, RecipeStep* step) {
  std::string_view name = Take(&text, " ");
  for (const NamedAction& action : kActions) {
    if (action.name == name) step->action = action.action;
  }
  if (step->action == Action::kCall) name = Take(&text, " ");
  if (name[0] != '@') {
    const std::optional<Opcode> opcode = target.find_opcode(name);
    if (!opcode.has_value()) return false;
    step->opcode = *opcode;
  }
  while (!text.empty()) {
    RecipeOperand operand;
    if (!ReadOperand(Take(&text, " "), target, &operand)) return false;
    step->operands.push_back(operand);
  }
  return true;
}

bool IsFor(char versions, OldLlvm version) {
  switch (version) {
    case OldLlvm::k16OrOlder:
      return versions == 'A' || versions == '6';
    case OldLlvm::k17To19:
      return versions == 'A' || versions == '7';
    case OldLlvm::k19OrOlder:
      return true;
    case OldLlvm::k20:  // its opcodes and those of LLVM 21 are not known
    case OldLlvm::k21OrOlder:
    case OldLlvm::kNone:
      break;
  }
  return false;
}

}  // namespace

RecipeTable::RecipeTable(const TargetInfo& target, OldLlvm version) : target_(target) {
  for (const std::string_view text : {kArithmeticRows, kMemoryRows, kCallRows, kSurfaceRows, kUnchangedRows}) {
    AddRows(text, version);
  }
}

void RecipeTable::AddRows(std::string_view text, OldLlvm version) {
  while (!text.empty()) {
    std::string_view line = Take(&text, "\n");
    if (!IsFor(Take(&line, " ")[0], version)) continue;
    const std::string_view name = Take(&line, " ");
    const auto [it, is_new] = rows_.try_emplace(name);
    it->second.columns = line;
    // An opcode that has several meanings has none if the version is not known.
    it->second.is_read = !is_new;
    if (name.ends_with('*')) prefixes_.push_back(name);
  }
}

const Recipe* RecipeTable::Find(std::string_view name) {
  if (const auto it = rows_.find(name); it != rows_.end()) return Read(name, it->second);
  if (const auto it = matched_.find(name); it != matched_.end()) return Read(name, it->second);
  for (const std::string_view prefix : prefixes_) {
    if (!name.starts_with(prefix.substr(0, prefix.size() - 1))) continue;
    Row& row = matched_[std::string(name)];
    row.columns = rows_[prefix].columns;
    return Read(name, row);
  }
  return nullptr;
}

const Recipe* RecipeTable::Read(std::string_view name, Row& row) const {
  if (row.is_read) return row.is_valid ? &row.recipe : nullptr;
  row.is_read = true;
  std::string_view columns = row.columns;
  const std::string_view count = Take(&columns, " ");
  row.recipe.num_operands = static_cast<int>(NumberOf(count).value_or(Recipe::kAnyNumber));
  row.recipe.is_unchanged = columns == "=";
  if (row.recipe.is_unchanged) columns = name;
  while (!columns.empty()) {
    row.recipe.steps.emplace_back();
    if (!ReadStep(Take(&columns, "; "), target_, &row.recipe.steps.back())) return nullptr;
  }
  row.is_valid = true;
  return &row.recipe;
}

std::vector<std::string_view> RecipeTable::Names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : rows_) names.push_back(name);
  return names;
}

}  // namespace ptxmir
