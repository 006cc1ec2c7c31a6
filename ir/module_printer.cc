// SPDX-License-Identifier: Apache-2.0

// Prints IR: constants, and modules with their changes.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/module.h"

namespace ptxmir {
namespace {

// Appends a signed decimal number, as LLVM prints integers of any width.
void AppendInteger(const IrType* type, absl::Span<const uint64_t> value, std::string* out) {
  const uint32_t width = type->integer_width();
  if (width == 1) {
    out->append(!value.empty() && value[0] != 0 ? "true" : "false");
    return;
  }
  std::vector<uint64_t> words(value.begin(), value.end());
  words.resize((width + 63) / 64);
  const uint32_t sign = width - 1;
  if ((words[sign / 64] >> (sign % 64) & 1) != 0) {
    bool carry = true;
    for (uint64_t& word : words) {
      word = ~word + (carry ? 1 : 0);
      carry = carry && word == 0;
    }
    if (width % 64 != 0) words.back() &= (uint64_t{1} << (width % 64)) - 1;
    out->push_back('-');
  }
  std::string digits;
  while (!words.empty()) {
    unsigned __int128 remainder = 0;
    for (size_t i = words.size(); i-- > 0;) {
      remainder = remainder << 64 | words[i];
      words[i] = static_cast<uint64_t>(remainder / 10);
      remainder %= 10;
    }
    digits.push_back(static_cast<char>('0' + static_cast<int>(remainder)));
    while (!words.empty() && words.back() == 0) words.pop_back();
  }
  out->append(digits.rbegin(), digits.rend());
}

void AppendFormatted(std::string* out, const char* format, uint64_t a, uint64_t b = 0) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), format, static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
  out->append(buffer);
}

// Returns the bits of the double that LLVM writes for a float. The hardware conversion is not used, because it
// would quiet a signaling NaN.
uint64_t WidenFloat(uint32_t bits) {
  if ((bits & 0x7f800000) != 0x7f800000 || (bits & 0x7fffff) == 0) {
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
  }
  return static_cast<uint64_t>(bits >> 31) << 63 | uint64_t{0x7ff} << 52 | static_cast<uint64_t>(bits & 0x7fffff) << 29;
}

// Appends a double in short decimal form if that gives exactly this value, otherwise as hexadecimal bits.
void AppendDouble(uint64_t bits, std::string* out) {
  const uint64_t exponent = bits >> 52 & 0x7ff;
  const auto value = std::bit_cast<double>(bits);
  char buffer[64];
  if ((exponent != 0 && exponent != 0x7ff) || value == 0) {
    // The form is "%.6e" of C. It gives exactly this value if the shortest decimal number that does has at most 7
    // digits: it is the same number. That does not hold for subnormal numbers, which few bits tell apart.
    constexpr std::string_view kDigits = ".000000";
    const std::to_chars_result end =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
    const std::string_view shortest(buffer, static_cast<size_t>(end.ptr - buffer));
    const std::string_view number = shortest.substr(0, shortest.find('e'));
    const size_t written = number.size() - (number[0] == '-' ? 2 : 1);  // of the point and what follows it
    if (written <= kDigits.size()) {
      out->append(number);
      out->append(kDigits.substr(written));
      out->append(shortest.substr(number.size()));
      return;
    }
  } else if (exponent == 0) {
    std::snprintf(buffer, sizeof(buffer), "%.6e", value);
    if (std::bit_cast<uint64_t>(std::strtod(buffer, nullptr)) == bits) {
      out->append(buffer);
      return;
    }
  }
  char hexadecimal[18] = {'0', 'x'};
  for (int i = 0; i < 16; ++i) hexadecimal[2 + i] = "0123456789ABCDEF"[bits >> (60 - 4 * i) & 15];
  out->append(hexadecimal, sizeof(hexadecimal));
}

void AppendFloat(const IrType* type, absl::Span<const uint64_t> words, std::string* out) {
  const uint64_t low = words.empty() ? 0 : words[0];
  const uint64_t high = words.size() < 2 ? 0 : words[1];
  switch (type->kind()) {
    case IrType::Kind::kHalf:
      AppendFormatted(out, "0xH%04llX", low);
      return;
    case IrType::Kind::kBFloat:
      AppendFormatted(out, "0xR%04llX", low);
      return;
    case IrType::Kind::kX86Fp80:
      AppendFormatted(out, "0xK%04llX%016llX", high, low);
      return;
    case IrType::Kind::kFp128:
      AppendFormatted(out, "0xL%016llX%016llX", low, high);
      return;
    case IrType::Kind::kPpcFp128:
      AppendFormatted(out, "0xM%016llX%016llX", low, high);
      return;
    case IrType::Kind::kFloat:
      AppendDouble(WidenFloat(static_cast<uint32_t>(low)), out);
      return;
    default:
      AppendDouble(low, out);
      return;
  }
}

class ConstantPrinter {
 public:
  ConstantPrinter(const Module& module, std::string* out) : module_(module), out_(out) {}

  void PrintTyped(const IrConstant& constant) {
    constant.type->AppendTo(out_);
    out_->push_back(' ');
    Print(constant);
  }
  void Print(const IrConstant& constant);

 private:
  void PrintGlobal(GlobalId id);
  void PrintOperands(const IrConstant& constant);
  void PrintData(const IrConstant& constant);
  void PrintAggregate(const IrConstant& constant);
  void PrintExpression(const IrConstant& constant);

  const Module& module_;
  std::string* out_;
};

void ConstantPrinter::PrintGlobal(GlobalId id) {
  const GlobalValue& value = module_.global_value(id);
  if (value.is_numbered) {
    StrAppend(out_, "@", value.name);
  } else {
    AppendIrName('@', value.name, out_);
  }
}

void ConstantPrinter::PrintOperands(const IrConstant& constant) {
  bool first = true;
  for (const IrConstant* operand : constant.operands) {
    if (!first) out_->append(", ");
    first = false;
    PrintTyped(*operand);
  }
}

void ConstantPrinter::PrintData(const IrConstant& constant) {
  const IrType* element = constant.type->element();
  const bool is_array = constant.type->is_array();
  out_->push_back(is_array ? '[' : '<');
  for (size_t i = 0; i < constant.words.size(); ++i) {
    if (i != 0) out_->append(", ");
    element->AppendTo(out_);
    out_->push_back(' ');
    if (element->is_integer()) {
      AppendInteger(element, constant.words.subspan(i, 1), out_);
    } else {
      AppendFloat(element, constant.words.subspan(i, 1), out_);
    }
  }
  out_->push_back(is_array ? ']' : '>');
}

void ConstantPrinter::PrintAggregate(const IrConstant& constant) {
  const IrType* type = constant.type;
  if (type->is_array() || type->is_vector()) {
    out_->push_back(type->is_array() ? '[' : '<');
    PrintOperands(constant);
    out_->push_back(type->is_array() ? ']' : '>');
    return;
  }
  out_->append(type->is_packed() ? "<{" : "{");
  if (!constant.operands.empty()) {
    out_->push_back(' ');
    PrintOperands(constant);
    out_->push_back(' ');
  }
  out_->append(type->is_packed() ? "}>" : "}");
}

void ConstantPrinter::PrintExpression(const IrConstant& constant) {
  using Opcode = IrConstant::Opcode;
  out_->append(OpcodeName(constant.opcode));
  constexpr std::pair<uint8_t, std::string_view> kFlags[] = {{IrConstant::kInBounds, " inbounds"},
                                                             {IrConstant::kNusw, " nusw"},
                                                             {IrConstant::kNuw, " nuw"},
                                                             {IrConstant::kNsw, " nsw"},
                                                             {IrConstant::kExact, " exact"}};
  for (const auto& [flag, name] : kFlags) {
    // inbounds implies nusw.
    if (flag == IrConstant::kNusw && (constant.flags & IrConstant::kInBounds) != 0) continue;
    if ((constant.flags & flag) != 0) out_->append(name);
  }
  if ((constant.flags & IrConstant::kInRange) != 0) {
    StrAppend(out_, " inrange(", static_cast<int64_t>(constant.words[0]), ", ", static_cast<int64_t>(constant.words[1]),
              ")");
  }
  if (!constant.text.empty()) StrAppend(out_, " ", constant.text);
  out_->append(" (");
  if (constant.source_type != nullptr) {
    constant.source_type->AppendTo(out_);
    out_->append(", ");
  }
  PrintOperands(constant);
  if (constant.opcode >= Opcode::kTrunc && constant.opcode <= Opcode::kAddrSpaceCast) {
    out_->append(" to ");
    constant.type->AppendTo(out_);
  }
  out_->push_back(')');
}

void ConstantPrinter::Print(const IrConstant& constant) {
  using Kind = IrConstant::Kind;
  switch (constant.kind) {
    case Kind::kInteger:
      AppendInteger(constant.type, constant.words, out_);
      return;
    case Kind::kFloat:
      AppendFloat(constant.type, constant.words, out_);
      return;
    case Kind::kData:
      PrintData(constant);
      return;
    case Kind::kString:
      out_->append("c\"");
      AppendEscapedIrString(constant.text, out_);
      out_->push_back('"');
      return;
    case Kind::kNullPointer:
      out_->append("null");
      return;
    case Kind::kNoneToken:
      out_->append("none");
      return;
    case Kind::kUndef:
      out_->append("undef");
      return;
    case Kind::kPoison:
      out_->append("poison");
      return;
    case Kind::kZeroInitializer:
      out_->append("zeroinitializer");
      return;
    case Kind::kAggregate:
      PrintAggregate(constant);
      return;
    case Kind::kSplat:
    case Kind::kPtrAuth:
      out_->append(constant.kind == Kind::kSplat ? "splat (" : "ptrauth (");
      PrintOperands(constant);
      out_->push_back(')');
      return;
    case Kind::kGlobal:
      PrintGlobal(constant.global);
      return;
    case Kind::kBlockAddress:
      out_->append("blockaddress(");
      PrintGlobal(constant.global);
      out_->append(", ");
      if ((constant.flags & IrConstant::kNumberedBlock) != 0) {
        StrAppend(out_, "%", constant.text);
      } else {
        AppendIrName('%', constant.text, out_);
      }
      out_->push_back(')');
      return;
    case Kind::kDsoLocalEquivalent:
    case Kind::kNoCfi:
      out_->append(constant.kind == Kind::kNoCfi ? "no_cfi " : "dso_local_equivalent ");
      PrintGlobal(constant.global);
      return;
    case Kind::kExpression:
      PrintExpression(constant);
      return;
  }
}

// Prints global values that were changed or created.
class GlobalPrinter {
 public:
  GlobalPrinter(const Module& module, std::string_view indent, std::string* out)
      : module_(module), indent_(indent), out_(out) {}

  void Print(const GlobalValue& value);

 private:
  void Name(const GlobalValue& value);
  void Words(std::initializer_list<std::string_view> words);
  void Prefix(const GlobalValue& value);
  void Quoted(std::string_view keyword, std::string_view text);
  void Attributes(const IrAttributes& attributes);
  void Groups(const std::vector<uint32_t>& groups);
  void ComdatReference(const GlobalValue& value);
  void Attachments(const GlobalValue& value, std::string_view separator);
  void Variable(const GlobalVariable& variable);
  void Alias(const GlobalAlias& alias);
  void Function(const IrFunction& function);
  void Parameters(const IrFunction& function);
  void Body(const IrFunction& function);

  const Module& module_;
  std::string_view indent_;
  std::string* out_;
};

void GlobalPrinter::Name(const GlobalValue& value) {
  if (value.is_numbered) {
    StrAppend(out_, "@", value.name);
  } else {
    AppendIrName('@', value.name, out_);
  }
}

// Appends each nonempty word, followed by a blank.
void GlobalPrinter::Words(std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (!word.empty()) StrAppend(out_, word, " ");
  }
}

void GlobalPrinter::Prefix(const GlobalValue& value) {
  Words({LinkageName(value.linkage), value.dso_local ? "dso_local" : "",
         value.visibility == Visibility::kHidden      ? "hidden"
         : value.visibility == Visibility::kProtected ? "protected"
                                                      : "",
         value.dll_storage == DllStorage::kImport   ? "dllimport"
         : value.dll_storage == DllStorage::kExport ? "dllexport"
                                                    : ""});
}

void GlobalPrinter::Quoted(std::string_view keyword, std::string_view text) {
  if (text.empty()) return;
  StrAppend(out_, keyword, " \"");
  AppendEscapedIrString(text, out_);
  out_->push_back('"');
}

void GlobalPrinter::Attributes(const IrAttributes& attributes) {
  for (const IrAttribute& attribute : attributes.all()) StrAppend(out_, " ", attribute.text);
}

void GlobalPrinter::Groups(const std::vector<uint32_t>& groups) {
  for (const uint32_t group : groups) StrAppend(out_, " #", group);
}

void GlobalPrinter::ComdatReference(const GlobalValue& value) {
  out_->append("comdat");
  if (value.comdat == value.name) return;
  out_->push_back('(');
  AppendIrName('$', value.comdat, out_);
  out_->push_back(')');
}

void GlobalPrinter::Attachments(const GlobalValue& value, std::string_view separator) {
  for (const MetadataAttachment& attachment : value.metadata) {
    StrAppend(out_, separator, "!");
    AppendIrMetadataName(attachment.kind, out_);
    if (attachment.text.empty()) {
      StrAppend(out_, " !", attachment.node);
    } else {
      StrAppend(out_, " ", attachment.text);
    }
  }
}

std::string_view ThreadLocalText(ThreadLocalMode mode) {
  switch (mode) {
    case ThreadLocalMode::kNone:
      return {};
    case ThreadLocalMode::kGeneralDynamic:
      return "thread_local";
    case ThreadLocalMode::kLocalDynamic:
      return "thread_local(localdynamic)";
    case ThreadLocalMode::kInitialExec:
      return "thread_local(initialexec)";
    case ThreadLocalMode::kLocalExec:
      return "thread_local(localexec)";
  }
  return {};
}

std::string_view UnnamedAddrText(UnnamedAddr unnamed_addr) {
  return unnamed_addr == UnnamedAddr::kGlobal  ? "unnamed_addr"
         : unnamed_addr == UnnamedAddr::kLocal ? "local_unnamed_addr"
                                               : "";
}

void GlobalPrinter::Variable(const GlobalVariable& variable) {
  Name(variable);
  out_->append(" = ");
  if (variable.is_declaration() && variable.linkage == Linkage::kExternal) out_->append("external ");
  Prefix(variable);
  Words({ThreadLocalText(variable.thread_local_mode), UnnamedAddrText(variable.unnamed_addr)});
  if (variable.address_space != 0) StrAppend(out_, "addrspace(", variable.address_space, ") ");
  Words(
      {variable.externally_initialized ? "externally_initialized" : "", variable.is_constant ? "constant" : "global"});
  variable.value_type->AppendTo(out_);
  if (variable.initializer != nullptr) {
    out_->push_back(' ');
    ConstantPrinter(module_, out_).Print(*variable.initializer);
  }
  Quoted(", section", variable.section);
  Quoted(", partition", variable.partition);
  Quoted(", code_model", variable.code_model);
  if (!variable.sanitizer_text.empty()) StrAppend(out_, ", ", variable.sanitizer_text);
  if (!variable.comdat.empty()) {
    out_->append(", ");
    ComdatReference(variable);
  }
  if (variable.align != 0) StrAppend(out_, ", align ", variable.align);
  Attachments(variable, ", ");
  Attributes(variable.attributes);
  Groups(variable.attribute_groups);
}

void GlobalPrinter::Alias(const GlobalAlias& alias) {
  Name(alias);
  out_->append(" = ");
  Prefix(alias);
  Words({ThreadLocalText(alias.thread_local_mode), UnnamedAddrText(alias.unnamed_addr),
         alias.kind() == GlobalValue::Kind::kAlias ? "alias" : "ifunc"});
  alias.value_type->AppendTo(out_);
  out_->append(", ");
  ConstantPrinter(module_, out_).PrintTyped(*alias.aliasee);
  Quoted(", partition", alias.partition);
}

void GlobalPrinter::Parameters(const IrFunction& function) {
  out_->push_back('(');
  bool first = true;
  for (const IrParameter& parameter : function.parameters) {
    if (!first) out_->append(", ");
    first = false;
    parameter.type->AppendTo(out_);
    Attributes(parameter.attributes);
    if (!parameter.name.empty()) {
      out_->push_back(' ');
      AppendIrName('%', parameter.name, out_);
    } else if (function.has_body) {
      StrAppend(out_, " %", parameter.slot);
    }
  }
  if (function.is_vararg()) out_->append(first ? "..." : ", ...");
  out_->push_back(')');
}

// Appends the body. A body from the source is unchanged; a created one is indented.
void GlobalPrinter::Body(const IrFunction& function) {
  out_->push_back(' ');
  if (!function.source_text.empty()) {
    out_->append(function.body_text);
    return;
  }
  for (const char c : function.body_text) {
    out_->push_back(c);
    if (c == '\n') out_->append(indent_);
  }
}

void GlobalPrinter::Function(const IrFunction& function) {
  out_->append(function.has_body ? "define " : "declare ");
  if (!function.has_body) {
    for (const MetadataAttachment& attachment : function.metadata) {
      StrAppend(out_, "!", attachment.kind, " ");
      if (attachment.text.empty()) {
        StrAppend(out_, "!", attachment.node, " ");
      } else {
        StrAppend(out_, attachment.text, " ");
      }
    }
  }
  Prefix(function);
  const std::string_view convention = CallingConventionName(function.calling_convention);
  if (!convention.empty()) {
    StrAppend(out_, convention, " ");
  } else if (function.calling_convention != calling_convention::kC) {
    StrAppend(out_, "cc ", function.calling_convention, " ");
  }
  for (const IrAttribute& attribute : function.return_attributes.all()) {
    StrAppend(out_, attribute.text, " ");
  }
  function.return_type()->AppendTo(out_);
  out_->push_back(' ');
  Name(function);
  Parameters(function);
  if (function.unnamed_addr != UnnamedAddr::kNone) {
    StrAppend(out_, " ", UnnamedAddrText(function.unnamed_addr));
  }
  if (function.address_space != 0) StrAppend(out_, " addrspace(", function.address_space, ")");
  Attributes(function.attributes);
  Groups(function.attribute_groups);
  Quoted(" section", function.section);
  Quoted(" partition", function.partition);
  if (!function.comdat.empty()) {
    out_->push_back(' ');
    ComdatReference(function);
  }
  if (function.align != 0 && function.attributes.Integer("align") == 0) {
    StrAppend(out_, " align ", function.align);
  }
  Quoted(" gc", function.gc);
  if (!function.tail_text.empty()) StrAppend(out_, " ", function.tail_text);
  if (!function.has_body) return;
  Attachments(function, " ");
  Body(function);
}

void GlobalPrinter::Print(const GlobalValue& value) {
  if (value.is_function()) {
    Function(static_cast<const IrFunction&>(value));
  } else if (value.is_variable()) {
    Variable(static_cast<const GlobalVariable&>(value));
  } else {
    Alias(static_cast<const GlobalAlias&>(value));
  }
}

// A part of the source and its replacement.
struct Edit {
  const char* begin;
  const char* end;
  std::string text;
  const GlobalValue* value = nullptr;  // if not null, its text is meant
};

std::string TargetLine(std::string_view what, std::string_view value) {
  std::string line = StrCat("target ", what, " = \"");
  AppendEscapedIrString(value, &line);
  line.push_back('"');
  return line;
}

std::string GroupText(const IrAttributeGroup& group) {
  std::string text = StrCat("attributes #", group.number, " = {");
  for (const IrAttribute& attribute : group.attributes.all()) StrAppend(&text, " ", attribute.text);
  return text + " }";
}

std::string NamedMetadataText(const NamedMetadata& named) {
  std::string text = "!";
  AppendIrMetadataName(named.name, &text);
  text.append(" = !{");
  for (const MetadataId& node : named.nodes) StrAppend(&text, &node == named.nodes.data() ? "!" : ", !", node);
  return text + "}";
}

}  // namespace

void AppendConstant(const Module& module, const IrConstant& constant, std::string* out) {
  ConstantPrinter(module, out).Print(constant);
}

std::string ToString(const Module& module, const IrConstant& constant) {
  std::string out;
  AppendConstant(module, constant, &out);
  return out;
}

std::string ToStringWithType(const Module& module, const IrConstant& constant) {
  std::string out;
  ConstantPrinter(module, &out).PrintTyped(constant);
  return out;
}

std::string ToString(const Module& module, const GlobalValue& value) {
  std::string out;
  GlobalPrinter(module, {}, &out).Print(value);
  return out;
}

bool Module::HasIr() const {
  if (has_ir_text() || triple_changed_ || layout_changed_ || !module_asm_.empty()) return true;
  return std::any_of(globals_.begin(), globals_.end(), [this](const GlobalValue* value) {
    const IrFunction* own = function(value->id());
    return own == nullptr || !own->is_implied;
  });
}

std::string SignatureToString(const Module& module, const IrFunction& function) {
  IrFunction header = function;
  header.body_text = {};
  std::string out = ToString(module, header);
  // Drop the blank before the missing body.
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

void Module::PrintIr(std::string* out, std::string_view indent) const {
  // Additions to a text have the indentation of that text.
  const size_t first = std::min(ir_text_.find_first_not_of(" \t\r\n"), ir_text_.size());
  if (first != ir_text_.size()) {
    const size_t line = ir_text_.rfind('\n', first) + 1;
    indent = ir_text_.substr(line, first - line);
  }
  std::vector<Edit> edits;
  // The text of created entities: structures and variables, and functions.
  std::string variables;
  std::string functions;
  const auto begin_line = [&](std::string* text) {
    text->append(indent);
    return text;
  };
  if (!has_ir_text()) {
    if (!source_filename_.empty()) {
      begin_line(out)->append("source_filename = \"");
      AppendEscapedIrString(source_filename_, out);
      out->append("\"\n");
    }
    for (const std::string_view line : module_asm_) {
      begin_line(out)->append("module asm \"");
      AppendEscapedIrString(line, out);
      out->append("\"\n");
    }
  }
  const auto target_line = [&](bool changed, std::string_view source, std::string line) {
    // A module document has its own keys for these.
    if (!changed || has_module_document_) return;
    if (source.empty()) {
      StrAppend(&variables, indent, line, "\n");
    } else {
      edits.push_back({source.data(), source.data() + source.size(), std::move(line)});
    }
  };
  target_line(layout_changed_, layout_source_text_, TargetLine("datalayout", data_layout_.text()));
  target_line(triple_changed_, triple_source_text_, TargetLine("triple", target_triple_));
  for (size_t i = num_source_structs_; i < types_.named_structs().size(); ++i) {
    const IrType* type = types_.named_structs()[i];
    if (type->is_opaque()) continue;
    StrAppend(begin_line(&variables), type->ToString(), " = ", type->DefinitionToString(), "\n");
  }
  const char* last_variable_end = nullptr;
  for (const GlobalValue* value : globals_) {
    if (const IrFunction* own = function(value->id()); own != nullptr && own->is_implied) continue;
    if (!value->source_text.empty()) {
      const char* begin = value->source_text.data();
      const char* end = begin + value->source_text.size();
      if (value->is_variable()) last_variable_end = std::max(last_variable_end, end);
      if (value->is_removed()) edits.push_back({begin, end, {}});
      if (value->is_removed()) continue;
      if (value->is_changed()) edits.push_back({begin, end, {}, value});
      continue;
    }
    if (value->is_removed()) continue;
    std::string* target = value->is_variable() ? &variables : &functions;
    GlobalPrinter(*this, indent, begin_line(target)).Print(*value);
    target->push_back('\n');
  }
  // Attribute groups and metadata, behind the functions.
  const auto replace = [&](std::string_view source, absl::Span<const std::string_view> more, std::string text) {
    if (source.empty()) {
      StrAppend(&functions, indent, text, "\n");
      return;
    }
    edits.push_back({source.data(), source.data() + source.size(), std::move(text)});
    for (const std::string_view other : more) edits.push_back({other.data(), other.data() + other.size(), {}});
  };
  for (const IrAttributeGroup& group : attribute_groups_) {
    if (group.source_text.empty() || group.is_changed) {
      replace(group.source_text, group.more_source_texts, GroupText(group));
    }
  }
  for (const NamedMetadata& named : named_metadata_) {
    if (named.source_text.empty() || named.is_changed) {
      replace(named.source_text, named.more_source_texts, NamedMetadataText(named));
    }
  }
  for (const auto& [id, text] : created_metadata_) StrAppend(&functions, indent, "!", id, " = ", text, "\n");
  const char* source_end = ir_text_.data() + ir_text_.size();
  if (last_variable_end != nullptr && !variables.empty()) {
    variables.pop_back();
    edits.push_back({last_variable_end, last_variable_end, "\n" + variables});
    variables.clear();
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.end < b.end; });
  const char* done = ir_text_.data();
  // The new text has about the size of the old one.
  ReserveLarge(out->size() + ir_text_.size() + ir_text_.size() / 8 + variables.size() + functions.size(), out);
  for (const Edit& edit : edits) {
    out->append(done, edit.begin);
    if (edit.value != nullptr) {
      GlobalPrinter(*this, indent, out).Print(*edit.value);
    } else {
      out->append(edit.text);
    }
    done = edit.end;
  }
  if (has_ir_text()) out->append(done, source_end);
  if (variables.empty() && functions.empty()) return;
  if (!out->empty() && out->back() != '\n') out->push_back('\n');
  out->append(variables);
  out->append(functions);
}

}  // namespace ptxmir
