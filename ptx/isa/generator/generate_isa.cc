// SPDX-License-Identifier: Apache-2.0

// Compiles the instruction tables (*.isa) to C++: the opcode and property enumerations, the descriptors, the name
// lookup and the byte code of the printing templates.
//
//   generate_isa ENUMS_H SEMANTICS_H OPCODES_H TABLES_CC NAMES.tsv TABLE.isa...   writes the four files
//   generate_isa --dump [NAMES.tsv] TABLE.isa...       prints the expanded table, one opcode per line
//
// NAMES.tsv has LLVM's names of the opcodes that LLVM itself leaves nameless.
//
// Everything that the program looks up at run time is laid out here as flat constant arrays without pointers.
// Strings are offsets into one blob. Templates are offsets into one byte array, in which equal templates and common
// long tails are stored once. The name lookup is an open-addressing hash table (ptx/isa/name_hash.h).

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "mir/code/instr_desc.h"
#include "ptx/isa/generator/isa_table.h"
#include "ptx/isa/name_hash.h"
#include "ptx/isa/register_classes.h"
#include "ptx/isa/template_code.h"

namespace ptxmir::ptx::isa {
namespace {

struct FlagName {
  const char* name;
  uint32_t bit;
};
constexpr FlagName kFlags[] = {
    {"return", InstrFlag::kReturn},
    {"branch", InstrFlag::kBranch},
    {"indirectBranch", InstrFlag::kIndirectBranch},
    {"barrier", InstrFlag::kBarrier},
    {"terminator", InstrFlag::kTerminator},
    {"call", InstrFlag::kCall},
    {"convergent", InstrFlag::kConvergent},
    {"notDuplicable", InstrFlag::kNotDuplicable},
    {"mayLoad", InstrFlag::kMayLoad},
    {"mayStore", InstrFlag::kMayStore},
    {"sideEffects", InstrFlag::kSideEffects},
    {"moveImm", InstrFlag::kMoveImmediate},
    {"moveReg", InstrFlag::kMoveRegister},
    {"cheapAsAMove", InstrFlag::kCheapAsMove},
    {"rematerializable", InstrFlag::kRematerializable},
    {"commutable", InstrFlag::kCommutable},
    {"variadic", InstrFlag::kVariadic},
    {"pseudo", InstrFlag::kPseudo},
    {"meta", InstrFlag::kMeta},
    {"preISel", InstrFlag::kPreIsel},
};

// Returns kCamelCase for a name with '_' or '.' between words.
std::string EnumName(absl::string_view name) {
  std::string out = "k";
  bool upper = true;
  for (char c : name) {
    if (!absl::ascii_isalnum(c)) {
      upper = true;
      continue;
    }
    out.push_back(upper ? absl::ascii_toupper(c) : c);
    upper = false;
  }
  return out;
}

template <typename T>
int IndexOf(const std::vector<T>& list, const std::string& name) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int IndexOf(const std::vector<std::string>& list, const std::string& name) {
  auto it = std::find(list.begin(), list.end(), name);
  return it == list.end() ? -1 : static_cast<int>(it - list.begin());
}

// A blob of zero-terminated strings. Each distinct string is stored once.
class StringPool {
 public:
  uint32_t Add(const std::string& text) {
    auto [it, inserted] = offsets_.emplace(text, static_cast<uint32_t>(blob_.size()));
    if (inserted) blob_.append(text).push_back('\0');
    return it->second;
  }
  const std::string& blob() const { return blob_; }

 private:
  std::map<std::string, uint32_t> offsets_;
  std::string blob_;
};

// Returns an array of bytes as a C++ initializer list.
std::string Bytes(const std::string& bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    absl::StrAppend(&out, static_cast<int>(static_cast<unsigned char>(bytes[i])), i % 24 == 23 ? ",\n" : ",");
  }
  return out;
}

// Returns the array as a string literal, which compilers process much faster than a list of numbers.
std::string Literal(const std::string& bytes) {
  std::string out = "\"";
  int column = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(bytes[i]);
    if (c == '"' || c == '\\') {
      out.append({'\\', static_cast<char>(c)});
      column += 2;
    } else if (c >= ' ' && c < 127 && c != '?') {
      out.push_back(static_cast<char>(c));
      ++column;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", c);
      out.append(octal);
      column += 4;
    }
    if (column > 100) {
      out.append("\"\n\"");
      column = 0;
    }
  }
  return out + "\"";
}

// One row, together with everything that is derived from it for the tables.
struct Instr {
  const IsaRow* row = nullptr;
  uint32_t flags = 0;
  uint32_t properties = 0;
  int latency = 0;
  int space = 0;
  int bits = 0;
  std::string semantics;
  uint32_t limited_operands = 0;  // bit i: the text of operand i may need more than the instruction
  // The template's byte code, one string per instruction of that code, including the end. Empty if unprintable.
  std::vector<std::string> code;
};

// The byte code of all templates.
class TemplatePool {
 public:
  explicit TemplatePool(const std::vector<Instr>& instrs);

  // Returns the offset of a template, given by its instructions; 0 for an empty one.
  size_t OffsetOf(const std::vector<std::string>& code) const { return code.empty() ? 0 : offsets_.at(code); }
  // Returns the offset of a text, which is added if no template contains it in one piece.
  size_t AddText(const std::string& text);
  const std::string& bytes() const { return bytes_; }

 private:
  // Tails of up to this length are repeated, because jumping to another place would take the printer as long as
  // printing them.
  static constexpr size_t kLongestRepeatedTail = 20;

  void Add(const std::vector<std::string>& code);

  // Offset 0 means that there is no template.
  std::string bytes_ = std::string(1, static_cast<char>(kEndOp));
  std::map<std::vector<std::string>, size_t> offsets_;  // of templates and of their tails
};

// Adds templates with many instructions first, so that others find their tails in them.
TemplatePool::TemplatePool(const std::vector<Instr>& instrs) {
  std::vector<const std::vector<std::string>*> codes;
  for (const Instr& instr : instrs) {
    if (!instr.code.empty()) codes.push_back(&instr.code);
  }
  std::stable_sort(codes.begin(), codes.end(), [](const auto* a, const auto* b) { return a->size() > b->size(); });
  for (const std::vector<std::string>* code : codes) Add(*code);
}

void TemplatePool::Add(const std::vector<std::string>& code) {
  for (auto from = code.begin(); from != code.end(); ++from) {
    std::vector<std::string> rest(from, code.end());
    const auto known = offsets_.find(rest);
    if (known != offsets_.end() && (from == code.begin() || absl::StrJoin(rest, "").size() > kLongestRepeatedTail)) {
      if (from == code.begin()) return;
      const size_t offset = known->second;
      bytes_.append({static_cast<char>(kTailOp), static_cast<char>(offset), static_cast<char>(offset >> 8),
                     static_cast<char>(offset >> 16)});
      return;
    }
    offsets_.emplace(std::move(rest), bytes_.size());
    bytes_.append(*from);
  }
}

size_t TemplatePool::AddText(const std::string& text) {
  const size_t offset = bytes_.find(text);
  if (offset != std::string::npos) return offset;
  bytes_.append(text);
  return bytes_.size() - text.size();
}

class Generator {
 public:
  explicit Generator(const IsaTable& table) : table_(table) {}

  absl::Status Prepare();
  std::string EnumsHeader() const;
  std::string SemanticsHeader() const;
  std::string OpcodesHeader() const;
  std::string TablesSource() const;
  std::string Dump() const;

 private:
  absl::Status PrepareOne(const IsaRow& row, Instr& instr) const;
  absl::Status SetProperties(const IsaRow& row, Instr& instr) const;
  absl::Status Compile(const IsaRow& row, std::vector<std::string>& code) const;
  std::string DefaultSemantics(const IsaRow& row) const;
  std::string RequirementText(const IsaRequirement& requirement) const;
  std::string OperandList(const IsaRow& row) const;
  void EmitModifiers(std::string& out) const;
  void EmitNameTable(std::string& out) const;
  void EmitInstrs(StringPool& strings, const TemplatePool& templates, std::string& out) const;
  void EmitRequirements(std::string& out) const;
  void EmitTextNeeds(StringPool& strings, std::string& out) const;
  absl::Status FindLimitedOperands(const IsaRow& row, Instr& instr);
  size_t RequirementIndex(const IsaRequirement& requirement) const;
  void EmitOpcodesBySemantics(std::string& out) const;
  void EmitSemantics(TemplatePool& templates, std::string& out) const;
  std::string InstrInfoText(const Instr& instr, size_t code_offset, size_t semantics, size_t family) const;
  uint32_t PropertyBit(const char* name) const { return 1u << IndexOf(table_.properties(), name); }

  const IsaTable& table_;
  std::vector<Instr> instrs_;
  std::vector<std::string> families_;                              // in table order
  std::vector<std::string> semantics_;                             // all semantic tags, sorted
  std::vector<IsaRequirement> requirements_ = {IsaRequirement()};  // all that occur; the first one is none
  std::map<std::string, std::string> limited_roles_;               // of operands, by the modifiers that print them
  // The sizes of tables, which go into the enumerations' header so that the compiler knows them.
  size_t num_operand_descs_ = 0;
  size_t name_slots_ = 1;
};

absl::Status ErrorAt(const IsaRow& row, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(row.where, ": ", row.stable_name, ": ", message));
}

// Returns an error if two names, or an empty one, have the same enumerator.
absl::Status CheckEnumNames(const std::vector<std::string>& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    const std::string enumerator = EnumName(name);
    const auto [it, inserted] = seen.emplace(enumerator, name);
    if (enumerator.size() < 2 || !inserted) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' and '", it->second, "' are both the enumerator ", enumerator));
    }
  }
  return absl::OkStatus();
}

absl::Status Generator::Prepare() {
  std::map<std::string, const IsaRow*> seen;
  if (table_.properties().size() > 31) return absl::InvalidArgumentError("more than 31 properties");
  if (table_.modifiers().size() >= kTailOp - kFirstModifierOp) {
    return absl::InvalidArgumentError("too many modifiers for the byte code");
  }
  for (const IsaRow& row : table_.rows()) {
    for (const std::string& name : std::set<std::string>{row.name, row.stable_name}) {
      if (name.empty()) continue;
      auto [it, inserted] = seen.emplace(name, &row);
      if (!inserted) {
        return ErrorAt(row, absl::StrCat("'", name, "' is already defined at ", it->second->where));
      }
    }
    Instr instr;
    if (absl::Status status = PrepareOne(row, instr); !status.ok()) return status;
    if (absl::Status status = FindLimitedOperands(row, instr); !status.ok()) return status;
    instrs_.push_back(std::move(instr));
    if (RequirementIndex(row.requirement) == requirements_.size()) requirements_.push_back(row.requirement);
  }
  for (const IsaTextNeed& need : table_.text_needs()) {
    if (RequirementIndex(need.requirement) == requirements_.size()) requirements_.push_back(need.requirement);
  }
  if (requirements_.size() > 256) return absl::InvalidArgumentError("more than 256 different requirements");
  std::set<std::string> semantics, operand_lists;
  for (const Instr& instr : instrs_) {
    if (IndexOf(families_, instr.row->family) < 0) families_.push_back(instr.row->family);
    semantics.insert(instr.semantics);
    if (operand_lists.insert(OperandList(*instr.row)).second) num_operand_descs_ += instr.row->operands.size();
  }
  semantics_.assign(semantics.begin(), semantics.end());
  for (const std::vector<std::string>* names : {&families_, &semantics_}) {
    if (absl::Status status = CheckEnumNames(*names); !status.ok()) return status;
  }
  while (name_slots_ < seen.size() * 3 / 2) name_slots_ *= 2;
  if (instrs_.size() > 0xffff) return absl::InvalidArgumentError("too many opcodes");
  return absl::OkStatus();
}

absl::Status Generator::PrepareOne(const IsaRow& row, Instr& instr) const {
  instr.row = &row;
  for (absl::string_view name : absl::StrSplit(row.Attribute("llvm_flags"), ',', absl::SkipEmpty())) {
    auto it =
        std::find_if(std::begin(kFlags), std::end(kFlags), [&](const FlagName& flag) { return flag.name == name; });
    if (it == std::end(kFlags)) return ErrorAt(row, absl::StrCat("unknown flag '", name, "'"));
    instr.flags |= it->bit;
  }
  if (absl::Status status = SetProperties(row, instr); !status.ok()) return status;
  instr.latency = IndexOf(table_.latencies(), row.Attribute("latency"));
  if (instr.latency < 0) return ErrorAt(row, absl::StrCat("unknown latency '", row.Attribute("latency"), "'"));
  const std::string space = row.Attribute("space");
  // An instruction that touches memory without naming a space may touch any space.
  const bool touches_memory = (instr.properties & (PropertyBit("read") | PropertyBit("write"))) != 0;
  instr.space = IndexOf(table_.spaces(), !space.empty() ? space : touches_memory ? "unknown" : "none");
  if (instr.space < 0) return ErrorAt(row, absl::StrCat("unknown space '", space, "'"));
  const std::string bits = row.Attribute("access_bits");
  if (!bits.empty() && !absl::SimpleAtoi(bits, &instr.bits)) return ErrorAt(row, "'access_bits' is not a number");
  instr.semantics = row.Attribute("semantics");
  if (instr.semantics.empty()) instr.semantics = DefaultSemantics(row);
  return row.printable ? Compile(row, instr.code) : absl::OkStatus();
}

absl::Status Generator::SetProperties(const IsaRow& row, Instr& instr) const {
  const std::string properties = row.Attribute("properties");
  if (properties.empty()) return ErrorAt(row, "needs properties=");
  for (absl::string_view name : absl::StrSplit(properties, ',')) {
    const int index = IndexOf(table_.properties(), std::string(name));
    if (index < 0) return ErrorAt(row, absl::StrCat("unknown property '", name, "'"));
    instr.properties |= 1u << index;
  }
  // `comm` is set for a whole family. It applies to the members whose first two sources are both registers.
  const size_t first = row.num_defs;
  const bool exchangeable = row.operands.size() >= first + 2 &&
                            row.operands[first].type == row.operands[first + 1].type &&
                            row.operands[first].type[0] == 'B';
  if (!exchangeable) instr.properties &= ~PropertyBit("comm");
  // An instruction may be both pure and collective (mma), but then it must stay where it is.
  const uint32_t impure = PropertyBit("read") | PropertyBit("write") | PropertyBit("side") | PropertyBit("volatile");
  if ((instr.properties & PropertyBit("pure")) != 0 && (instr.properties & impure) != 0) {
    return ErrorAt(row, "pure contradicts its other properties");
  }
  return absl::OkStatus();
}

// Finds the operands that print through a modifier whose texts have needs. A modifier prints operands of one role, by
// which the needs of a value are found.
absl::Status Generator::FindLimitedOperands(const IsaRow& row, Instr& instr) {
  for (const TemplatePiece& piece : row.pieces) {
    const bool is_limited = std::any_of(table_.text_needs().begin(), table_.text_needs().end(),
                                        [&](const IsaTextNeed& need) { return need.modifier == piece.modifier; });
    if (!is_limited) continue;
    const std::string& role = row.operands[piece.operand].role;
    if (limited_roles_.emplace(piece.modifier, role).first->second != role || role.empty()) {
      return ErrorAt(row, absl::StrCat("'", piece.modifier, "' prints operands of several roles or of none"));
    }
    if (piece.operand >= 16) return ErrorAt(row, "operands above 15 cannot have needs");
    instr.limited_operands |= 1u << piece.operand;
  }
  return absl::OkStatus();
}

size_t Generator::RequirementIndex(const IsaRequirement& requirement) const {
  return std::find(requirements_.begin(), requirements_.end(), requirement) - requirements_.begin();
}

// Returns the mnemonic of a one-line template without the text of operands: "add.s32", "st.v2".
std::string Generator::DefaultSemantics(const IsaRow& row) const {
  std::string out;
  for (const TemplatePiece& piece : row.pieces) {
    if (piece.operand >= 0) continue;
    absl::string_view text = absl::StripLeadingAsciiWhitespace(piece.literal);
    const size_t end = text.find_first_of(" \t\n;");
    absl::StrAppend(&out, text.substr(0, end));
    if (end != absl::string_view::npos) break;
  }
  return out.empty() ? "none" : out;
}

absl::Status Generator::Compile(const IsaRow& row, std::vector<std::string>& code) const {
  std::string literal;
  auto flush = [&] {
    for (size_t i = 0; i < literal.size(); i += kMaxLiteral) {
      const std::string part = literal.substr(i, kMaxLiteral);
      code.push_back(static_cast<char>(part.size()) + part);
    }
    literal.clear();
  };
  for (const TemplatePiece& piece : row.pieces) {
    if (piece.operand < 0) {
      literal.append(piece.literal);
      continue;
    }
    flush();
    uint8_t op = kPlainOp;
    if (!piece.modifier.empty()) {
      op = static_cast<uint8_t>(kFirstModifierOp + IndexOf(table_.modifiers(), piece.modifier));
    }
    // Addresses print two operands.
    if (absl::StartsWith(piece.modifier, "addr")) {
      const size_t offset = static_cast<size_t>(piece.operand) + 1;
      if (offset >= row.operands.size() || row.operands[offset].role != "off") {
        return ErrorAt(row, "address without an offset");
      }
    }
    if (piece.count > 1) {
      code.push_back({static_cast<char>(kListOp), static_cast<char>(op), static_cast<char>(piece.operand),
                      static_cast<char>(piece.count)});
    } else {
      code.push_back({static_cast<char>(op), static_cast<char>(piece.operand)});
    }
  }
  flush();
  code.push_back(std::string(1, static_cast<char>(kEndOp)));
  if (row.operands.size() > 255) return ErrorAt(row, "more than 255 operands");
  return absl::OkStatus();
}

// Returns the operands of a row as the text of OperandDescs.
std::string Generator::OperandList(const IsaRow& row) const {
  std::string list;
  for (const IsaOperand& operand : row.operands) {
    int reg_class = -1;
    for (size_t i = 0; i < std::size(kRegisterClasses); ++i) {
      if (operand.type == kRegisterClasses[i].isa_name) reg_class = static_cast<int>(i);
    }
    const char* type = reg_class >= 0 || operand.type == "reg" ? "kRegister"
                       : operand.type == "imm"                 ? "kImmediate"
                                                               : "kUnknown";
    absl::StrAppend(&list, "{OperandType::", type, ",", reg_class < 0 ? 255 : reg_class, ",",
                    1 + IndexOf(table_.roles(), operand.role), ",", operand.tied_to, "},");
  }
  return list;
}

// Appends an enumeration with one enumerator for each name.
void AppendEnum(const char* head, const std::vector<std::string>& names, std::string& out) {
  absl::StrAppend(&out, head, " {\n");
  for (const std::string& name : names) absl::StrAppend(&out, "  ", EnumName(name), ",\n");
  absl::StrAppend(&out, "};\n\n");
}

std::string Generator::EnumsHeader() const {
  std::string out =
      "// Generated by ptx/isa/generator/generate_isa.cc from ptx/isa/tables/*.isa. Do not edit.\n\n#pragma once\n\n"
      "#include <cstdint>\n\nnamespace ptxmir::ptx {\n\n";
  const auto emit_enum = [&](const char* head, const std::vector<std::string>& names) { AppendEnum(head, names, out); };
  std::vector<std::string> roles = {"none"}, modifiers;
  for (const IsaRole& role : table_.roles()) roles.push_back(role.name);
  for (const IsaModifier& modifier : table_.modifiers()) modifiers.push_back(modifier.name);
  emit_enum("// What an operand is for; OperandDesc::role.\nenum class OperandRole : uint8_t", roles);
  emit_enum("// Latency classes; InstrDesc::scheduling_class.\nenum class LatencyClass : uint8_t", table_.latencies());
  emit_enum("// Functional units of a quarter SM.\nenum class FunctionalUnit : uint8_t", table_.units());
  emit_enum("// State spaces.\nenum class MemorySpace : uint8_t", table_.spaces());
  emit_enum("// Modifiers, in byte-code order.\nenum class Modifier : uint8_t", modifiers);
  emit_enum("// Families of instructions; PtxInstrInfo::family.\nenum class Family : uint16_t", families_);
  absl::StrAppend(&out, "// Semantic tags; PtxInstrInfo::semantics. isa_semantics.h defines them.\n",
                  "enum class SemanticTag : uint16_t;\n\n");
  absl::StrAppend(&out, "// Bits of PtxInstrInfo::properties.\nstruct Property {\n  enum : uint32_t {\n");
  for (size_t i = 0; i < table_.properties().size(); ++i) {
    absl::StrAppend(&out, "    ", EnumName(table_.properties()[i]), " = 1u << ", i, ",\n");
  }
  absl::StrAppend(&out, "  };\n};\n\n");
  absl::StrAppend(&out, "inline constexpr int kNumOpcodes = ", instrs_.size(), ";\n",
                  "inline constexpr int kNumLatencyClasses = ", table_.latencies().size(), ";\n",
                  "inline constexpr int kNumFunctionalUnits = ", table_.units().size(), ";\n",
                  "inline constexpr int kNumMachines = ", table_.machines().size(), ";\n",
                  "inline constexpr int kNumOperandRoles = ", roles.size(), ";\n",
                  "inline constexpr int kNumSemantics = ", semantics_.size(), ";\n",
                  "inline constexpr int kNumFamilies = ", families_.size(), ";\n\nnamespace isa {\n",
                  "inline constexpr uint32_t kNumOperandDescs = ", num_operand_descs_, ";\n",
                  "inline constexpr uint32_t kNameSlotMask = ", name_slots_ - 1, ";\n",
                  "}  // namespace isa\n\n}  // namespace ptxmir::ptx\n");
  return out;
}

// The enumeration of semantic tags is large and used in few places, so it has a header of its own.
std::string Generator::SemanticsHeader() const {
  std::string out =
      "// Generated by ptx/isa/generator/generate_isa.cc from ptx/isa/tables/*.isa. Do not edit.\n\n#pragma once\n\n"
      "#include <cstdint>\n\nnamespace ptxmir::ptx {\n\n";
  AppendEnum("// Semantic tags, ordered by name.\nenum class SemanticTag : uint16_t", semantics_, out);
  return out + "}  // namespace ptxmir::ptx\n";
}

std::string Generator::OpcodesHeader() const {
  std::string out =
      "// Generated by ptx/isa/generator/generate_isa.cc from ptx/isa/tables/*.isa. Do not edit.\n\n#pragma once\n\n"
      "#include \"mir/code/instr_desc.h\"\n\nnamespace ptxmir::ptx::op {\n\nenum : Opcode {\n";
  for (size_t i = 0; i < instrs_.size(); ++i) {
    absl::StrAppend(&out, "  ", instrs_[i].row->stable_name, " = ", i, ",\n");
  }
  return out + "};\n\n}  // namespace ptxmir::ptx::op\n";
}

const char* KindName(IsaModifier::Kind kind) {
  switch (kind) {
    case IsaModifier::Kind::kValue:
      return "kValue";
    case IsaModifier::Kind::kBit:
      return "kBit";
    case IsaModifier::Kind::kNonZero:
      return "kNonZero";
    case IsaModifier::Kind::kAtLeast:
      return "kAtLeast";
    case IsaModifier::Kind::kCode:
      return "kCode";
  }
  return "kCode";
}

void Generator::EmitModifiers(std::string& out) const {
  std::string texts, values, descs;
  // Text 0 is empty. Values map to 1 + index of the text; 0 is "no such value".
  std::vector<std::string> text_list;
  auto text_id = [&](const std::string& text) {
    int index = IndexOf(text_list, text);
    if (index < 0) {
      index = static_cast<int>(text_list.size());
      text_list.push_back(text);
    }
    return index + 1;
  };
  for (const IsaModifier& modifier : table_.modifiers()) {
    int64_t number = modifier.mask;
    std::string dense;
    for (const auto& [value, text] : modifier.texts) {
      if (modifier.kind == IsaModifier::Kind::kValue) {
        if (dense.size() <= static_cast<size_t>(value)) dense.resize(value + 1, '\0');
        dense[value] = static_cast<char>(text_id(text));
      } else {
        number = value;
        dense = std::string(1, static_cast<char>(text_id(text)));
      }
    }
    absl::StrAppend(&descs, "  {ModifierKind::", KindName(modifier.kind), ", ", dense.size(), ", ", values.size(), ", ",
                    number, "},  // ", modifier.name, "\n");
    values.append(dense);
  }
  std::string offsets = "0,";
  texts.push_back('\0');
  for (const std::string& text : text_list) {
    absl::StrAppend(&offsets, texts.size(), ",");
    texts.push_back(static_cast<char>(text.size()));
    texts.append(text);
  }
  absl::StrAppend(&out, "const ModifierDesc kModifiers[] = {\n", descs, "};\n", "const uint8_t kModifierValues[] = {",
                  Bytes(values), "};\n", "const uint16_t kModifierTextOffsets[] = {", offsets, "};\n",
                  "const char kModifierTexts[] = ", Literal(texts), ";\n\n");
}

void Generator::EmitNameTable(std::string& out) const {
  struct Entry {
    std::string name;
    uint16_t opcode;
  };
  std::vector<Entry> entries;
  for (size_t i = 0; i < instrs_.size(); ++i) {
    entries.push_back({instrs_[i].row->name, static_cast<uint16_t>(i)});
    if (instrs_[i].row->stable_name != instrs_[i].row->name) {
      entries.push_back({instrs_[i].row->stable_name, static_cast<uint16_t>(i)});
    }
  }
  const size_t size = name_slots_;
  std::vector<NameSlot> slots(size);
  for (const Entry& entry : entries) {
    const uint32_t hash = HashName(entry.name);
    size_t i = hash & (size - 1);
    while (slots[i].opcode != NameSlot::kFree) i = (i + 1) & (size - 1);
    slots[i] = {static_cast<uint16_t>(hash >> 16), entry.opcode};
  }
  absl::StrAppend(&out, "static_assert(kNameSlotMask == ", size - 1, ");\nconst NameSlot kNameSlots[] = {\n");
  for (size_t i = 0; i < size; ++i) {
    const NameSlot& s = slots[i];
    absl::StrAppend(&out, "{", s.tag, ",", s.opcode, "},", i % 12 == 11 ? "\n" : "");
  }
  absl::StrAppend(&out, "};\n\n");
}

// Returns the initializer of a PtxInstrInfo, with the operand indices that passes ask for.
std::string Generator::InstrInfoText(const Instr& instr, size_t code_offset, size_t semantics, size_t family) const {
  constexpr int kNone = 255;
  const IsaRow& row = *instr.row;
  int first_value = kNone, num_values = 0;
  std::vector<int> addresses;
  std::map<std::string, int> by_role, by_name;  // the first operand of each
  for (int i = 0; i < static_cast<int>(row.operands.size()); ++i) {
    const IsaOperand& operand = row.operands[i];
    by_role.emplace(operand.role, i);
    by_name.emplace(operand.name, i);
    if (operand.role == "base") addresses.push_back(i);
    // By convention, stored operands are called v.
    if (operand.name == "v" || absl::StartsWith(operand.name, "v.")) {
      if (num_values++ == 0) first_value = i;
    }
  }
  addresses.resize(3, kNone);
  if (num_values == 0 && row.num_defs > 0 && (instr.properties & PropertyBit("read")) != 0) {
    first_value = 0;
    num_values = row.num_defs;
  }
  auto find = [](const std::map<std::string, int>& map, const char* key) {
    auto it = map.find(key);
    return it == map.end() ? kNone : it->second;
  };
  return absl::StrCat("{", instr.properties, "u,", code_offset, ",SemanticTag(", semantics, "),Family(", family, "),",
                      instr.bits, ",LatencyClass(", instr.latency, "),MemorySpace(", instr.space, "),") +
         absl::StrCat(addresses[0], ",", addresses[1], ",", addresses[2], ",", find(by_role, "addsp"), ",",
                      find(by_role, "ordering"), ",", find(by_role, "scope"), ",", find(by_name, "width"), ",",
                      first_value, ",", num_values, ",", RequirementIndex(row.requirement), "},\n");
}

// Emits the tables with one row per opcode, and the tables that those rows refer to.
void Generator::EmitInstrs(StringPool& strings, const TemplatePool& templates, std::string& out) const {
  std::string descs, infos, operands, families;
  std::map<std::string, size_t> operand_offsets;
  size_t num_operands = 0;
  for (const Instr& instr : instrs_) {
    const IsaRow& row = *instr.row;
    // Equal operand lists are shared.
    const std::string list = OperandList(row);
    auto [operand_it, new_list] = operand_offsets.emplace(list, num_operands);
    if (new_list) {
      absl::StrAppend(&operands, list, "\n");
      num_operands += row.operands.size();
    }
    const auto semantics = std::lower_bound(semantics_.begin(), semantics_.end(), instr.semantics) - semantics_.begin();
    absl::StrAppend(&descs, "{", strings.Add(row.name), ",", strings.Add(row.stable_name), ",", instr.flags, ",",
                    operand_it->second, ",", row.operands.size(), ",", row.num_defs, ",", instr.latency, ",",
                    instr.limited_operands, "},\n");
    absl::StrAppend(&infos,
                    InstrInfoText(instr, templates.OffsetOf(instr.code), semantics, IndexOf(families_, row.family)));
  }
  for (const std::string& family : families_) absl::StrAppend(&families, strings.Add(family), ",");
  absl::StrAppend(&out, "const InstrDesc kInstrDescs[] = {\n", descs, "};\n\n");
  absl::StrAppend(&out, "const OperandDesc kOperandDescs[] = {\n", operands, "};\n",
                  "static_assert(kNumOperandDescs == ", num_operands, ");\n\n");
  absl::StrAppend(&out, "const PtxInstrInfo kInstrInfos[] = {\n", infos, "};\n\n");
  absl::StrAppend(&out, "const uint32_t kFamilyNames[] = {", families, "};\n\n");
}

// Emits the opcodes in the order of their semantic tags, and where those of each tag begin.
void Generator::EmitOpcodesBySemantics(std::string& out) const {
  std::map<std::string, std::vector<size_t>> opcodes;
  for (size_t i = 0; i < instrs_.size(); ++i) opcodes[instrs_[i].semantics].push_back(i);
  std::string sorted, first;
  size_t num_sorted = 0;
  for (const std::string& semantics : semantics_) {
    absl::StrAppend(&first, num_sorted, ",");
    absl::StrAppend(&sorted, absl::StrJoin(opcodes[semantics], ","), ",\n");
    num_sorted += opcodes[semantics].size();
  }
  absl::StrAppend(&out, "const Opcode kOpcodesBySemantics[] = {\n", sorted, "};\n\n",
                  "const uint16_t kFirstOfSemantics[] = {", first, num_sorted, "};\n\n");
}

// Emits the requirements that PtxInstrInfo::requirement refers to, and the conditions that they refer to.
void Generator::EmitRequirements(std::string& out) const {
  std::vector<size_t> first_conditions;  // by arch
  std::string conditions, requirements;
  size_t num_conditions = 0;
  for (const IsaArch& arch : table_.archs()) {
    first_conditions.push_back(num_conditions);
    for (const IsaArch::Condition& condition : arch.conditions) {
      absl::StrAppend(&conditions, "  {'", std::string(1, condition.variant), "', ", condition.ptx, ", {",
                      absl::StrJoin(condition.sms, ", "), "}},  // ", arch.name, "\n");
    }
    num_conditions += arch.conditions.size();
  }
  for (const IsaRequirement& r : requirements_) {
    absl::StrAppend(&requirements, "  {", r.sm, ", ", r.ptx, ", ", r.removed_sm, ", ", r.removed_ptx, ", ",
                    r.arch < 0 ? 0 : first_conditions[r.arch], ", ",
                    r.arch < 0 ? 0 : table_.archs()[r.arch].conditions.size(), "},\n");
  }
  absl::StrAppend(&out, "const ArchCondition kArchConditions[] = {\n", conditions, "};\n\n",
                  "const Requirement kRequirements[] = {\n", requirements, "};\n\n");
}

// Emits the needs of texts, which InstrDesc::limited_operands refers to.
void Generator::EmitTextNeeds(StringPool& strings, std::string& out) const {
  absl::StrAppend(&out, "const TextNeed kTextNeeds[] = {\n");
  for (const IsaTextNeed& need : table_.text_needs()) {
    const auto role = limited_roles_.find(need.modifier);
    if (role == limited_roles_.end()) continue;  // nothing prints it
    absl::StrAppend(&out, "  {", 1 + IndexOf(table_.roles(), role->second), ", ", need.mask, ", ", need.value, ", ",
                    strings.Add(need.text), ", ", RequirementIndex(need.requirement), "},  // ", need.text, "\n");
  }
  absl::StrAppend(&out, "  {0, 0, 0, 0, 0}};\n\n");
}

// Emits the names of semantics and the byte code, which contains these names.
void Generator::EmitSemantics(TemplatePool& templates, std::string& out) const {
  absl::StrAppend(&out, "const TextInCode kSemanticNames[] = {");
  for (const std::string& name : semantics_) {
    absl::StrAppend(&out, "{", templates.AddText(name), ",", name.size(), "},");
  }
  // The printer copies literals in blocks.
  absl::StrAppend(&out, "};\n\nconst char kTemplateCode[] =\n", Literal(templates.bytes() + std::string(16, '\0')),
                  ";\nstatic_assert(sizeof(kTemplateCode) <= 1 << 20);\n\n");
}

std::string Generator::TablesSource() const {
  StringPool strings;
  strings.Add("");
  std::string out =
      "// Generated by ptx/isa/generator/generate_isa.cc from ptx/isa/tables/*.isa. Do not edit.\n\n"
      "#include \"ptx/target/isa_tables.h\"\n\nnamespace ptxmir::ptx::isa {\n\n";
  EmitModifiers(out);
  EmitNameTable(out);
  TemplatePool templates(instrs_);
  EmitInstrs(strings, templates, out);
  EmitRequirements(out);
  EmitTextNeeds(strings, out);
  EmitOpcodesBySemantics(out);
  EmitSemantics(templates, out);
  std::string latencies, units, machines, roles = "0,";
  for (const std::string& latency : table_.latencies()) absl::StrAppend(&latencies, strings.Add(latency), ",");
  for (const std::string& unit : table_.units()) absl::StrAppend(&units, strings.Add(unit), ",");
  for (const IsaMachine& machine : table_.machines()) {
    absl::StrAppend(&machines, "{", machine.sm, ",{");
    for (const IsaMachine::Cost& cost : machine.costs) {
      absl::StrAppend(&machines, "{", cost.latency, ",", cost.issue, ",FunctionalUnit(", cost.unit, ")},");
    }
    absl::StrAppend(&machines, "}},\n");
  }
  for (const IsaRole& role : table_.roles()) absl::StrAppend(&roles, strings.Add(role.name), ",");
  absl::StrAppend(&out, "const uint32_t kRoleNames[] = {", roles, "};\n\n");
  absl::StrAppend(&out, "const uint32_t kLatencyNames[] = {", latencies, "};\n\n");
  absl::StrAppend(&out, "const uint32_t kUnitNames[] = {", units, "};\n\n");
  absl::StrAppend(&out, "const MachineRow kMachines[] = {\n", machines, "};\n\n");
  absl::StrAppend(&out, "const char kStrings[] =\n", Literal(strings.blob()), ";\n\n");
  return out + "}  // namespace ptxmir::ptx::isa\n";
}

// Returns the attributes of a requirement as the table spells them: "min_sm=90 min_ptx=80". "-" if there are none.
std::string Generator::RequirementText(const IsaRequirement& requirement) const {
  std::vector<std::string> words;
  if (requirement.sm != 0) words.push_back(absl::StrCat("min_sm=", requirement.sm));
  if (requirement.ptx != 0) words.push_back(absl::StrCat("min_ptx=", requirement.ptx));
  if (requirement.removed_sm != 0) {
    words.push_back(absl::StrCat("removed_in=", requirement.removed_sm, ",", requirement.removed_ptx));
  }
  if (requirement.arch >= 0) words.push_back(absl::StrCat("arch=", table_.archs()[requirement.arch].name));
  return words.empty() ? "-" : absl::StrJoin(words, " ");
}

// Returns one line per opcode: name, stable name, family, number of results, operands, flags, template, semantics,
// place, properties, latency, space, requirement. The first columns are in the usual format of LLVM's facts, so that
// two such lists can be compared.
std::string Generator::Dump() const {
  std::string out;
  for (const Instr& instr : instrs_) {
    const IsaRow& row = *instr.row;
    std::string operands, flags, print;
    for (const IsaOperand& operand : row.operands) {
      absl::StrAppend(&operands, operands.empty() ? "" : " ", operand.is_def ? "=" : "", operand.type,
                      operand.tied_to >= 0 ? absl::StrCat("@tied", operand.tied_to) : "",
                      operand.role.empty() ? "" : "/", operand.role);
    }
    for (const FlagName& flag : kFlags) {
      if ((instr.flags & flag.bit) != 0) absl::StrAppend(&flags, flags.empty() ? "" : ",", flag.name);
    }
    for (const TemplatePiece& piece : row.pieces) {
      if (piece.operand < 0) {
        for (char c : piece.literal) {
          print.append(c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '$' ? "$$" : std::string(1, c));
        }
        continue;
      }
      for (int i = 0; i < piece.count; ++i) {
        absl::StrAppend(&print, i == 0 ? "" : ", ");
        if (piece.modifier.empty()) {
          absl::StrAppend(&print, "$", piece.operand + i);
        } else {
          absl::StrAppend(&print, "${", piece.operand + i, ":", piece.modifier, "}");
        }
      }
    }
    absl::StrAppend(&out, row.name.empty() ? "anonymous" : row.name, "\t", row.stable_name, "\t", row.family, "\t",
                    row.num_defs, "\t", operands.empty() ? "-" : operands, "\t", flags.empty() ? "-" : flags, "\t",
                    row.printable ? print : "!unprintable", "\t", instr.semantics, "\t", row.where, "\t");
    std::string properties;
    for (size_t i = 0; i < table_.properties().size(); ++i) {
      if ((instr.properties >> i & 1) != 0) {
        absl::StrAppend(&properties, properties.empty() ? "" : ",", table_.properties()[i]);
      }
    }
    absl::StrAppend(&out, properties, "\t", table_.latencies()[instr.latency], "\t", table_.spaces()[instr.space], "\t",
                    RequirementText(row.requirement), "\n");
  }
  return out;
}

bool WriteFile(const char* path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

int Run(int argc, char** argv) {
  const bool dump = argc > 1 && absl::string_view(argv[1]) == "--dump";
  int first = dump ? 2 : 5;
  const bool has_names = argc > first && absl::EndsWith(argv[first], ".tsv");
  if (argc <= first + has_names || (!dump && !has_names)) {
    std::fprintf(stderr,
                 "usage: %s ENUMS_H SEMANTICS_H OPCODES_H TABLES_CC NAMES.tsv TABLE.isa...\n"
                 "       %s --dump [NAMES.tsv] TABLE.isa...\n",
                 argv[0], argv[0]);
    return 2;
  }
  IsaTable table;
  Generator generator(table);
  absl::Status status;
  if (has_names) status = table.ReadLlvmNames(argv[first++]);
  for (int i = first; i < argc && status.ok(); ++i) status = table.ReadFile(argv[i]);
  if (status.ok() && !dump) status = table.CheckLlvmNamesUsed();
  if (status.ok() && !dump) status = table.CheckCosts();
  if (status.ok()) status = generator.Prepare();
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  if (dump) {
    const std::string text = generator.Dump();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  if (!WriteFile(argv[1], generator.EnumsHeader()) || !WriteFile(argv[2], generator.SemanticsHeader()) ||
      !WriteFile(argv[3], generator.OpcodesHeader()) || !WriteFile(argv[4], generator.TablesSource())) {
    std::fprintf(stderr, "%s: cannot write the output\n", argv[0]);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace ptxmir::ptx::isa

int main(int argc, char** argv) { return ptxmir::ptx::isa::Run(argc, argv); }
