// SPDX-License-Identifier: Apache-2.0

// Parses the statements of the instruction tables. README.md describes them, and isa_table.h says what the reader is
// for.

#include "ptx/isa/generator/isa_table.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace ptxmir::ptx::isa {
namespace {

bool IsIdentifier(absl::string_view name) {
  return absl::ascii_isalpha(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// The first SM and PTX version (times 10) that LLVM knows. Smaller numbers are mistakes.
constexpr int kFirstSm = 20;
constexpr int kFirstPtx = 32;

// Reads a number that is at least `min` and has three digits at most.
bool ReadNumber(absl::string_view text, int min, int& number) {
  return absl::SimpleAtoi(text, &number) && number >= min && number < 1000;
}

std::string Unescape(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    ++i;
    out.push_back(text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i]);
  }
  return out;
}

}  // namespace

void IsaTable::BeginFile() {
  attributes_.clear();
  family_.clear();
}

void IsaTable::EnterBlock() { outer_.emplace_back(attributes_, family_); }

void IsaTable::LeaveBlock() {
  std::tie(attributes_, family_) = std::move(outer_.back());
  outer_.pop_back();
}

absl::Status IsaTable::RunStatement(const Line& line) {
  const absl::string_view first = absl::string_view(line.text).substr(0, line.text.find(' '));
  if (first == "family" || first == "set") {
    std::string text;
    if (absl::Status status = Substitute(line, line.text, text); !status.ok()) return status;
    const std::vector<std::string> words = Words(text);
    if (words.size() < 2) return ErrorAt(line.where, absl::StrCat("'", first, "' needs more words"));
    if (first == "set") return SetAttributes(line, text.substr(first.size()), attributes_);
    family_ = words[1];
    attributes_.clear();
    return SetAttributes(line, text.substr(text.find(words[1], first.size()) + words[1].size()), attributes_);
  }
  static const std::map<absl::string_view, absl::Status (IsaTable::*)(const Line&, const std::vector<std::string>&)>
      kDefinitions = {
          {"role", &IsaTable::DefineRole},         {"type", &IsaTable::DefineType},
          {"modifier", &IsaTable::DefineModifier}, {"machines", &IsaTable::DefineMachines},
          {"cost", &IsaTable::DefineCost},         {"latencies", &IsaTable::DefineNames},
          {"units", &IsaTable::DefineNames},       {"arch", &IsaTable::DefineArch},
          {"needs", &IsaTable::DefineTextNeeds},   {"spaces", &IsaTable::DefineNames},
          {"properties", &IsaTable::DefineNames},
      };
  if (auto it = kDefinitions.find(first); it != kDefinitions.end()) return (this->*it->second)(line, Words(line.text));
  return RunRow(line);
}

// role NAME [MODIFIER]
absl::Status IsaTable::DefineRole(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 3) return ErrorAt(line.where, "expected 'role NAME [MODIFIER]'");
  roles_.push_back({words[1], words.size() == 3 ? words[2] : ""});
  return absl::OkStatus();
}

// type NAME = TYPE[/ROLE] ...
absl::Status IsaTable::DefineType(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 4 || words[2] != "=") {
    return ErrorAt(line.where, "expected 'type NAME = TYPE[/ROLE]...'");
  }
  for (size_t i = 3; i < words.size(); ++i) {
    std::pair<std::string, std::string> slot = absl::StrSplit(words[i], absl::MaxSplits('/', 1));
    types_[words[1]].push_back(slot);
  }
  return absl::OkStatus();
}

// machines SM...
absl::Status IsaTable::DefineMachines(const Line& line, const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    IsaMachine machine;
    machine.costs.resize(latencies_.size());
    if (!ReadNumber(words[i], machines_.empty() ? kFirstSm : machines_.back().sm + 1, machine.sm)) {
      return ErrorAt(line.where, absl::StrCat("expected ascending SMs, not '", words[i], "'"));
    }
    machines_.push_back(std::move(machine));
  }
  return absl::OkStatus();
}

// cost CLASS UNIT LATENCY/ISSUE[/UNIT] ...; "." repeats the figure before.
absl::Status IsaTable::DefineCost(const Line& line, const std::vector<std::string>& words) {
  if (words.size() != machines_.size() + 3 || words[3] == ".") {
    return ErrorAt(line.where, "expected 'cost CLASS UNIT LATENCY/ISSUE...' with a figure for each machine");
  }
  const auto latency = std::find(latencies_.begin(), latencies_.end(), words[1]);
  if (latency == latencies_.end()) return ErrorAt(line.where, absl::StrCat("unknown latency '", words[1], "'"));
  const size_t index = static_cast<size_t>(latency - latencies_.begin());
  IsaMachine::Cost cost;
  for (size_t i = 0; i < machines_.size(); ++i) {
    const std::string& figure = words[i + 3];
    if (figure != ".") {
      const std::vector<std::string> parts = absl::StrSplit(figure, '/');
      const std::string& name = parts.size() == 3 ? parts[2] : words[2];
      const auto unit = std::find(units_.begin(), units_.end(), name);
      if (parts.size() < 2 || parts.size() > 3 || !ReadNumber(parts[0], 0, cost.latency) ||
          !ReadNumber(parts[1], 0, cost.issue) || unit == units_.end()) {
        return ErrorAt(line.where, absl::StrCat("bad cost '", figure, "' of unit '", name, "'"));
      }
      cost.unit = static_cast<int>(unit - units_.begin());
    }
    machines_[i].costs[index] = cost;
  }
  latencies_with_cost_.insert(words[1]);
  return absl::OkStatus();
}

absl::Status IsaTable::CheckCosts() const {
  for (const std::string& latency : latencies_) {
    if (latencies_with_cost_.count(latency) == 0) {
      return absl::InvalidArgumentError(absl::StrCat("the latency '", latency, "' has no cost"));
    }
  }
  return machines_.empty() ? absl::InvalidArgumentError("there are no machines") : absl::OkStatus();
}

// arch NAME (a|f)PTX=SM[,SM]... ...
absl::Status IsaTable::DefineArch(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 3) return ErrorAt(line.where, "expected 'arch NAME (a|f)PTX=SM[,SM]...'");
  IsaArch arch;
  arch.name = words[1];
  for (size_t i = 2; i < words.size(); ++i) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    IsaArch::Condition condition;
    condition.variant = parts.first[0];
    bool is_valid = (condition.variant == 'a' || condition.variant == 'f') &&
                    ReadNumber(parts.first.substr(1), kFirstPtx, condition.ptx);
    for (absl::string_view sm : absl::StrSplit(parts.second, ',')) {
      condition.sms.push_back(0);
      is_valid = is_valid && ReadNumber(sm, kFirstSm, condition.sms.back());
    }
    if (!is_valid || condition.sms.size() > IsaArch::kMaxSms) {
      return ErrorAt(line.where, absl::StrCat("bad condition '", words[i], "'"));
    }
    arch.conditions.push_back(std::move(condition));
  }
  archs_.push_back(std::move(arch));
  return absl::OkStatus();
}

// needs MODIFIER TEXT... [min_sm=SM] [min_ptx=PTX]
absl::Status IsaTable::DefineTextNeeds(const Line& line, const std::vector<std::string>& words) {
  const auto modifier = std::find_if(modifiers_.begin(), modifiers_.end(),
                                     [&](const IsaModifier& m) { return words.size() > 1 && m.name == words[1]; });
  if (modifier == modifiers_.end() ||
      (modifier->kind != IsaModifier::Kind::kValue && modifier->kind != IsaModifier::Kind::kBit)) {
    return ErrorAt(line.where,
                   "expected 'needs MODIFIER TEXT... min_sm=SM min_ptx=PTX' with a modifier of values or bits");
  }
  IsaRow row;  // holds the attributes
  size_t num_words = words.size();
  for (; num_words > 2 && words[num_words - 1].find('=') != std::string::npos; --num_words) {
    absl::Status status = SetAttributes(line, words[num_words - 1], row.attributes);
    if (!status.ok()) return status;
  }
  if (absl::Status status = SetRequirement(line, row); !status.ok()) return status;
  for (size_t i = 2; i < num_words; ++i) {
    const auto text = std::find_if(modifier->texts.begin(), modifier->texts.end(),
                                   [&](const auto& entry) { return entry.second == words[i]; });
    if (text == modifier->texts.end()) {
      return ErrorAt(line.where, absl::StrCat("modifier '", words[1], "' has no text '", words[i], "'"));
    }
    const int64_t mask = modifier->kind == IsaModifier::Kind::kBit ? text->first : modifier->mask;
    text_needs_.push_back({words[1], words[i], text->first, mask, row.requirement});
  }
  return absl::OkStatus();
}

// spaces NAME ...; properties NAME ...
absl::Status IsaTable::DefineNames(const Line&, const std::vector<std::string>& words) {
  std::vector<std::string>& list = words[0] == "spaces"      ? spaces_
                                   : words[0] == "latencies" ? latencies_
                                   : words[0] == "units"     ? units_
                                                             : properties_;
  list.insert(list.end(), words.begin() + 1, words.end());
  return absl::OkStatus();
}

// modifier NAME KIND[=NUMBER] [VALUE=TEXT ...]; "-" is the empty text.
absl::Status IsaTable::DefineModifier(const Line& line, const std::vector<std::string>& words) {
  if (words.size() < 3) return ErrorAt(line.where, "expected 'modifier NAME KIND ...'");
  IsaModifier modifier;
  modifier.name = words[1];
  const std::string& kind = words[2];
  if (kind == "value") {
    modifier.kind = IsaModifier::Kind::kValue;
  } else if (absl::StartsWith(kind, "mask=") && absl::SimpleAtoi(kind.substr(5), &modifier.mask)) {
    modifier.kind = IsaModifier::Kind::kValue;
  } else if (kind == "bit") {
    modifier.kind = IsaModifier::Kind::kBit;
  } else if (kind == "nonzero") {
    modifier.kind = IsaModifier::Kind::kNonZero;
  } else if (kind == "atleast") {
    modifier.kind = IsaModifier::Kind::kAtLeast;
  } else if (kind == "code") {
    modifier.kind = IsaModifier::Kind::kCode;
  } else {
    return ErrorAt(line.where, absl::StrCat("unknown kind of modifier '", kind, "'"));
  }
  for (size_t i = 3; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    int64_t value = 0;
    if (equals == std::string::npos || !absl::SimpleAtoi(words[i].substr(0, equals), &value)) {
      return ErrorAt(line.where, absl::StrCat("expected VALUE=TEXT, not '", words[i], "'"));
    }
    modifier.texts.push_back({value, Value(words[i].substr(equals + 1))});
  }
  modifiers_.push_back(std::move(modifier));
  return absl::OkStatus();
}

absl::Status IsaTable::SetAttributes(const Line& line, const std::string& text, Scope& attributes) {
  for (const std::string& word : Words(text)) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return ErrorAt(line.where, absl::StrCat("expected KEY=VALUE, not '", word, "'"));
    }
    const std::string key = word.substr(0, equals);
    static constexpr absl::string_view kKeys[] = {"llvm_flags",  "properties", "latency", "semantics",  "space",
                                                  "access_bits", "min_sm",     "min_ptx", "removed_in", "arch"};
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
      return ErrorAt(line.where, absl::StrCat("unknown attribute '", key, "'"));
    }
    attributes[key] = Value(word.substr(equals + 1));
  }
  return absl::OkStatus();
}

// Reads the attributes that say where the instruction exists.
absl::Status IsaTable::SetRequirement(const Line& line, IsaRow& row) const {
  IsaRequirement& requirement = row.requirement;
  const std::string sm = row.Attribute("min_sm"), ptx = row.Attribute("min_ptx");
  const std::string removed = row.Attribute("removed_in"), arch = row.Attribute("arch");
  if (!sm.empty() && !ReadNumber(sm, kFirstSm, requirement.sm)) {
    return ErrorAt(line.where, absl::StrCat("'", sm, "' is not the number of an SM"));
  }
  if (!ptx.empty() && !ReadNumber(ptx, kFirstPtx, requirement.ptx)) {
    return ErrorAt(line.where, absl::StrCat("'", ptx, "' is not a PTX version times 10"));
  }
  if (!removed.empty()) {
    const std::vector<std::string> parts = absl::StrSplit(removed, ',');
    if (parts.size() != 2 || !ReadNumber(parts[0], kFirstSm, requirement.removed_sm) ||
        !ReadNumber(parts[1], kFirstPtx, requirement.removed_ptx)) {
      return ErrorAt(line.where, absl::StrCat("expected removed_in=SM,PTX, not '", removed, "'"));
    }
  }
  if (!arch.empty()) {
    auto it = std::find_if(archs_.begin(), archs_.end(), [&](const IsaArch& a) { return a.name == arch; });
    if (it == archs_.end()) return ErrorAt(line.where, absl::StrCat("unknown arch '", arch, "'"));
    requirement.arch = static_cast<int>(it - archs_.begin());
  }
  return absl::OkStatus();
}

absl::Status IsaTable::ReadLlvmNames(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::ostringstream text;
  text << in.rdbuf();
  return ReadLlvmNamesText(text.str(), path);
}

absl::Status IsaTable::ReadLlvmNamesText(absl::string_view text, absl::string_view file_name) {
  has_llvm_names_ = true;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::string where = absl::StrCat(file_name, ":", ++number);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() != 2 || columns[0].empty() || !absl::StartsWith(columns[1], "anonymous_")) {
      return ErrorAt(where, "expected NAME<tab>anonymous_N");
    }
    if (!llvm_names_.emplace(columns[0], LlvmName{columns[1], where}).second) {
      return ErrorAt(where, absl::StrCat("'", columns[0], "' has a name already"));
    }
  }
  return absl::OkStatus();
}

absl::Status IsaTable::CheckLlvmNamesUsed() const {
  for (const auto& [stable_name, entry] : llvm_names_) {
    if (!entry.is_used) return ErrorAt(entry.where, absl::StrCat("no table has an anonymous '", stable_name, "'"));
  }
  return absl::OkStatus();
}

absl::Status IsaTable::SetLlvmName(const Line& line, IsaRow& row) {
  if (!has_llvm_names_) return absl::OkStatus();
  const auto found = llvm_names_.find(row.stable_name);
  if (found == llvm_names_.end()) {
    return ErrorAt(line.where, absl::StrCat("the file with LLVM's names has none of '", row.stable_name, "'"));
  }
  found->second.is_used = true;
  row.name = found->second.name;
  return absl::OkStatus();
}

// [anonymous] NAME [[ATTRIBUTES]] : OPERANDS : TEMPLATE
absl::Status IsaTable::RunRow(const Line& line) {
  std::string text;
  if (absl::Status status = Substitute(line, line.text, text); !status.ok()) return status;
  IsaRow row;
  row.where = line.where;
  row.family = family_;
  row.attributes = attributes_;
  if (family_.empty()) return ErrorAt(line.where, "instruction outside a family");

  size_t head_end = text.find(" : ");
  size_t template_start = std::string::npos;
  if (head_end != std::string::npos) {
    if (absl::StartsWith(absl::string_view(text).substr(head_end + 2), " : ")) {
      template_start = head_end + 2;
    } else {
      template_start = text.find(" : ", head_end + 3);
    }
  }
  if (template_start == std::string::npos) {
    return ErrorAt(line.where, "expected 'NAME : OPERANDS : TEMPLATE'");
  }
  std::string head = text.substr(0, head_end);
  std::string operands = text.substr(head_end + 2, template_start - head_end - 2);
  std::string print = text.substr(template_start + 3);
  if (const size_t open = head.find('['); open != std::string::npos) {
    const size_t close = head.find(']', open);
    if (close == std::string::npos) return ErrorAt(line.where, "'[' without ']'");
    if (absl::Status status = SetAttributes(line, head.substr(open + 1, close - open - 1), row.attributes);
        !status.ok()) {
      return status;
    }
    head = head.substr(0, open);
  }
  std::vector<std::string> words = Words(head);
  const bool anonymous = words.size() == 2 && words[0] == "anonymous";
  if (words.size() != 1 && !anonymous) return ErrorAt(line.where, absl::StrCat("not a name: '", head, "'"));
  row.stable_name = words.back();
  if (!IsIdentifier(row.stable_name)) {
    return ErrorAt(line.where, absl::StrCat("not an identifier: '", row.stable_name, "'"));
  }
  if (absl::Status status = SetRequirement(line, row); !status.ok()) return status;
  if (!anonymous) {
    row.name = row.stable_name;
  } else if (absl::Status status = SetLlvmName(line, row); !status.ok()) {
    return status;
  }
  if (absl::Status status = AddOperands(line, operands, row); !status.ok()) return status;
  if (absl::Status status = AddTemplate(line, print, row); !status.ok()) return status;
  rows_.push_back(std::move(row));
  return absl::OkStatus();
}

absl::Status IsaTable::AddOperands(const Line& line, const std::string& text, IsaRow& row) {
  for (std::string& token : Words(text)) {
    if (absl::Status status = AddOperand(line, std::move(token), row); !status.ok()) return status;
  }
  for (const IsaOperand& operand : row.operands) {
    if (operand.is_def && &operand != &row.operands[row.num_defs]) {
      return ErrorAt(line.where, "definitions must come first");
    }
    row.num_defs += operand.is_def;
  }
  return absl::OkStatus();
}

// [=]NAME[*COUNT][:TYPE[/ROLE]][@tiedN]
absl::Status IsaTable::AddOperand(const Line& line, std::string token, IsaRow& row) {
  IsaOperand operand;
  const std::string original = token;
  if (token[0] == '=') {
    operand.is_def = true;
    token = token.substr(1);
  }
  if (const size_t at = token.find("@tied"); at != std::string::npos) {
    operand.tied_to = std::atoi(token.c_str() + at + 5);
    token = token.substr(0, at);
  }
  std::string type = token;
  if (const size_t colon = token.find(':'); colon != std::string::npos) {
    type = token.substr(colon + 1);
    token = token.substr(0, colon);
  }
  int count = -1;
  if (const size_t star = token.find('*'); star != std::string::npos) {
    if (!absl::SimpleAtoi(token.substr(star + 1), &count) || count < 0 || count > 128) {
      return ErrorAt(line.where, absl::StrCat("bad count in '", original, "'"));
    }
    token = token.substr(0, star);
    if (type.find('*') != std::string::npos) type = token;
  }
  operand.name = token;
  std::pair<std::string, std::string> base = absl::StrSplit(type, absl::MaxSplits('/', 1));
  // A shape letter may precede a class: iB32 is an immediate, rB32 a register.
  if (base.first.size() > 2 && base.first[1] == 'B' && (base.first[0] == 'r' || base.first[0] == 'i')) {
    base.first = base.first[0] == 'i' ? "imm" : base.first.substr(1);
  }
  static const char* const kBaseTypes[] = {"B1", "B16", "B32", "B64", "B128", "SpecialRegs", "imm", "unknown", "reg"};
  std::vector<std::pair<std::string, std::string>> slots = {base};
  if (std::find(std::begin(kBaseTypes), std::end(kBaseTypes), base.first) == std::end(kBaseTypes)) {
    auto it = types_.find(base.first);
    if (it == types_.end() || !base.second.empty()) {
      return ErrorAt(line.where, absl::StrCat("unknown type '", type, "' of '", original, "'"));
    }
    slots = it->second;
  }
  for (int i = 0; i < std::max(count, 1); ++i) {
    if (count == 0) break;
    for (const auto& [slot_type, role] : slots) {
      operand.name = count < 0 ? token : absl::StrCat(token, ".", i);
      operand.type = slot_type;
      operand.role = role;
      if (!role.empty() &&
          std::none_of(roles_.begin(), roles_.end(), [&](const IsaRole& r) { return r.name == role; })) {
        return ErrorAt(line.where, absl::StrCat("unknown role '", role, "'"));
      }
      row.operands.push_back(operand);
    }
  }
  return absl::OkStatus();
}

// A template: text with $name, ${name}, ${name:modifier}, $name.2 (element of a list), $$.
absl::Status IsaTable::AddTemplate(const Line& line, const std::string& text, IsaRow& row) {
  if (text == "!unprintable") {
    row.printable = false;
    return absl::OkStatus();
  }
  std::string literal = "\t";
  std::string raw;
  auto flush = [&] {
    literal.append(Unescape(raw));
    raw.clear();
    if (!literal.empty()) {
      TemplatePiece piece;
      piece.literal = literal;
      row.pieces.push_back(piece);
    }
    literal.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      raw.push_back(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '$') {
      raw.push_back('$');
      ++i;
      continue;
    }
    flush();
    std::string name, modifier;
    if (i + 1 < text.size() && text[i + 1] == '{') {
      const size_t close = text.find('}', i);
      if (close == std::string::npos) return ErrorAt(line.where, "'${' without '}'");
      name = text.substr(i + 2, close - i - 2);
      if (const size_t colon = name.find(':'); colon != std::string::npos) {
        modifier = name.substr(colon + 1);
        name = name.substr(0, colon);
      }
      i = close;
    } else {
      size_t end = i + 1;
      while (end < text.size() && absl::ascii_isalnum(text[end])) ++end;
      if (end + 1 < text.size() && text[end] == '.' && absl::ascii_isdigit(text[end + 1])) {
        end += 2;
        while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
      }
      name = text.substr(i + 1, end - i - 1);
      i = end - 1;
    }
    if (absl::Status status = ReferTo(line, name, modifier, row); !status.ok()) return status;
  }
  flush();
  return absl::OkStatus();
}

absl::Status IsaTable::ReferTo(const Line& line, const std::string& name, const std::string& modifier, IsaRow& row) {
  TemplatePiece piece;
  piece.count = 0;
  const std::string list_prefix = name + ".";
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const IsaOperand& operand = row.operands[i];
    if (operand.name != name && !absl::StartsWith(operand.name, list_prefix)) continue;
    if (piece.operand < 0) piece.operand = static_cast<int>(i);
    ++piece.count;
    // All slots of an address belong to its first one.
    if (operand.name == name) break;
  }
  if (piece.operand < 0) {
    return ErrorAt(line.where, absl::StrCat("no operand '", name, "' in ", row.stable_name));
  }
  piece.modifier = modifier;
  const IsaOperand& operand = row.operands[piece.operand];
  if (modifier.empty() && !operand.role.empty()) {
    for (const IsaRole& role : roles_) {
      if (role.name == operand.role) piece.modifier = role.modifier;
    }
  }
  if (!piece.modifier.empty() && std::none_of(modifiers_.begin(), modifiers_.end(),
                                              [&](const IsaModifier& m) { return m.name == piece.modifier; })) {
    return ErrorAt(line.where, absl::StrCat("unknown modifier '", piece.modifier, "'"));
  }
  row.pieces.push_back(std::move(piece));
  return absl::OkStatus();
}

}  // namespace ptxmir::ptx::isa
