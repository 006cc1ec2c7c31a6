// SPDX-License-Identifier: Apache-2.0

// Reads the top level of IR text in one pass. Forward references (to globals in initializers, to structures) are
// resolved at the end. After an error the reader continues at the next line that begins an entity.

#include "ir/ir_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/str_cat.h"
#include "ir/ir_body_scan.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

constexpr std::pair<std::string_view, Linkage> kLinkages[] = {
    {"private", Linkage::kPrivate},
    {"internal", Linkage::kInternal},
    {"weak", Linkage::kWeak},
    {"weak_odr", Linkage::kWeakOdr},
    {"linkonce", Linkage::kLinkOnce},
    {"linkonce_odr", Linkage::kLinkOnceOdr},
    {"available_externally", Linkage::kAvailableExternally},
    {"appending", Linkage::kAppending},
    {"common", Linkage::kCommon},
    {"extern_weak", Linkage::kExternWeak},
    {"external", Linkage::kExternal},
};

// LLVM's numbers of calling conventions.
constexpr std::pair<std::string_view, uint32_t> kCallingConventions[] = {
    {"ccc", 0},
    {"fastcc", 8},
    {"coldcc", 9},
    {"ghccc", 10},
    {"anyregcc", 13},
    {"preserve_mostcc", 14},
    {"preserve_allcc", 15},
    {"swiftcc", 16},
    {"cxx_fast_tlscc", 17},
    {"tailcc", 18},
    {"cfguard_checkcc", 19},
    {"swifttailcc", 20},
    {"preserve_nonecc", 21},
    {"x86_stdcallcc", 64},
    {"x86_fastcallcc", 65},
    {"arm_apcscc", 66},
    {"arm_aapcscc", 67},
    {"arm_aapcs_vfpcc", 68},
    {"msp430_intrcc", 69},
    {"x86_thiscallcc", 70},
    {"ptx_kernel", 71},
    {"ptx_device", 72},
    {"spir_func", 75},
    {"spir_kernel", 76},
    {"intel_ocl_bicc", 77},
    {"x86_64_sysvcc", 78},
    {"win64cc", 79},
    {"x86_vectorcallcc", 80},
    {"x86_intrcc", 83},
    {"avr_intrcc", 84},
    {"avr_signalcc", 85},
    {"amdgpu_vs", 87},
    {"amdgpu_gs", 88},
    {"amdgpu_ps", 89},
    {"amdgpu_cs", 90},
    {"amdgpu_kernel", 91},
    {"x86_regcallcc", 92},
    {"amdgpu_hs", 93},
    {"amdgpu_ls", 95},
    {"amdgpu_es", 96},
    {"aarch64_vector_pcs", 97},
    {"aarch64_sve_vector_pcs", 98},
    {"amdgpu_gfx", 100},
};

constexpr std::string_view kEntityWords[] = {"define", "declare", "attributes",   "source_filename",
                                             "target", "module",  "uselistorder", "uselistorder_bb"};

template <typename Value, size_t N>
const Value* FindWord(const std::pair<std::string_view, Value> (&table)[N], std::string_view word) {
  for (const auto& entry : table) {
    if (entry.first == word) return &entry.second;
  }
  return nullptr;
}

}  // namespace

std::string_view CallingConventionName(uint32_t number) {
  if (number == 0) return {};
  for (const auto& [name, value] : kCallingConventions) {
    if (value == number) return name;
  }
  return {};
}

std::string_view LinkageName(Linkage linkage) {
  if (linkage == Linkage::kExternal) return {};
  for (const auto& [name, value] : kLinkages) {
    if (value == linkage) return name;
  }
  return {};
}

class IrReader {
 public:
  IrReader(std::string_view text, Module& module, IrParser::ErrorSink error)
      : text_(text), module_(module), error_(std::move(error)), parser_(text, module, error_) {
    indentation_ = IndentationOf(text);
  }

  // Reads the whole text.
  void Read(const SourceBuffer& buffer, const DiagnosticEngine& diagnostics);
  // Reads one signature. Returns null after an error.
  IrFunction* ReadSignature();

 private:
  // The properties that precede the kind of a global value.
  struct Prefix {
    Linkage linkage = Linkage::kExternal;
    bool has_linkage = false;
    bool dso_local = false;
    Visibility visibility = Visibility::kDefault;
    DllStorage dll_storage = DllStorage::kDefault;
  };

  const IrToken& token() const { return parser_.token(); }
  IrLexer& lexer() { return parser_.lexer(); }
  std::string_view TextSince(const char* begin) {
    const char* end = std::max(begin, lexer().previous_end());
    return {begin, static_cast<size_t>(end - begin)};
  }

  static size_t IndentationOf(std::string_view text);
  bool ReadEntity();
  bool ReadWordEntity();
  void Recover(const char* start);
  bool BeginsEntity(const char* line, const char* line_end) const;

  bool ReadTarget();
  bool ReadModuleAsm();
  bool ReadTypeDefinition();
  bool ReadComdat();
  bool ReadAttributeGroup();
  bool ReadNamedMetadata();
  bool ReadMetadataNode();
  void NoteMetadataUse(const char* position);
  void SkipLine();

  bool ReadGlobalValue();
  bool ReadThreadLocal(ThreadLocalMode* mode);
  void ReadPrefix(Prefix* prefix);
  bool ReadUnnamedAddr(UnnamedAddr* unnamed_addr);
  void Apply(const Prefix& prefix, GlobalValue* value);
  bool ReadVariable(GlobalVariable* variable, const Prefix& prefix);
  bool ReadVariableTail(GlobalVariable* variable);
  bool ReadAlias(GlobalAlias* alias);
  bool ReadComdatReference(GlobalValue* value);
  bool ReadAttachment(GlobalValue* value);
  bool ReadAttributeGroupReferences(std::vector<uint32_t>* groups);
  bool Define(GlobalValue* value, const IrToken& name, std::string_view what);

  bool ReadFunction(bool is_definition);
  bool ReadCallingConvention(uint32_t* number);
  bool ReadParameters(IrFunction* function, const IrType* result);
  bool ReadParameter(IrFunction* function, IrParameter* parameter, uint32_t* slot);
  bool ReadFunctionTail(IrFunction* function, bool is_definition);
  bool ReadTrailingConstant(IrFunction* function);
  bool ReadBody(IrFunction* function);

  void CheckReferences();

  std::string_view text_;
  Module& module_;
  IrParser::ErrorSink error_;
  IrParser parser_;
  bool is_signature_ = false;
  size_t indentation_ = 0;
  std::vector<std::pair<MetadataId, const char*>> metadata_uses_;
  std::vector<std::pair<std::string_view, const char*>> comdat_uses_;
  absl::flat_hash_set<std::string_view> comdat_names_;
  absl::flat_hash_map<std::string_view, size_t> named_metadata_index_;
};

// Returns the indentation of the first line that is not blank.
size_t IrReader::IndentationOf(std::string_view text) {
  size_t line = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      line = i + 1;
    } else if (!IsIrSpace(text[i])) {
      return i - line;
    }
  }
  return 0;
}

void IrReader::Read(const SourceBuffer& buffer, const DiagnosticEngine& diagnostics) {
  module_.ir_source_ = &buffer;
  module_.ir_text_ = text_;
  while (token().kind != IrToken::Kind::kEnd && !diagnostics.limit_reached()) {
    const char* start = token().begin();
    if (!ReadEntity()) Recover(start);
  }
  CheckReferences();
  module_.num_source_structs_ = module_.types_.named_structs().size();
}

IrFunction* IrReader::ReadSignature() {
  is_signature_ = true;
  if (!token().IsWord("define")) {
    parser_.Error("expected 'define'");
    return nullptr;
  }
  if (!ReadFunction(/*is_definition=*/true)) return nullptr;
  if (token().kind != IrToken::Kind::kEnd) {
    parser_.Error("expected end of signature");
    return nullptr;
  }
  if (!parser_.ResolveGlobalReferences()) return nullptr;
  parser_.CheckNamedStructs();
  return &module_.functions_.back();
}

void IrReader::CheckReferences() {
  parser_.CheckNamedStructs();
  parser_.ResolveGlobalReferences();
  for (const auto& [id, position] : metadata_uses_) {
    if (module_.HasMetadata(id)) continue;
    const char* const end =
        std::find_if_not(position + 1, text_.data() + text_.size(), [](char c) { return c >= '0' && c <= '9'; });
    error_(position,
           StrCat("use of undefined metadata '", std::string_view(position, static_cast<size_t>(end - position)), "'"));
  }
  for (const auto& [name, position] : comdat_uses_) {
    if (!comdat_names_.contains(name)) {
      error_(position, StrCat("use of undefined comdat '$", name, "'"));
    }
  }
}

// Returns true if a line begins an entity at the top level: it is not indented more than the text, and it begins
// with a name or one of a few words.
bool IrReader::BeginsEntity(const char* line, const char* line_end) const {
  const char* p = line;
  while (p < line_end && (*p == ' ' || *p == '\t')) ++p;
  if (static_cast<size_t>(p - line) > indentation_ || p == line_end) return false;
  if (*p == '@' || *p == '%' || *p == '$' || *p == '!' || *p == '^') return true;
  const char* word = p;
  while (p < line_end && IsIrNameChar(*p)) ++p;
  if (p == line_end || !IsIrSpace(*p)) return false;
  const std::string_view text(word, static_cast<size_t>(p - word));
  return std::find(std::begin(kEntityWords), std::end(kEntityWords), text) != std::end(kEntityWords);
}

void IrReader::Recover(const char* start) {
  const char* end = text_.data() + text_.size();
  const char* p = std::max(start, token().begin());
  if (p > start) {
    // The error was in the entity as a whole, and the reader is already at the next one.
    const char* line = p;
    while (line > start && line[-1] != '\n') --line;
    if (std::all_of(line, p, IsIrSpace) && BeginsEntity(line, end)) return;
  }
  while (true) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
    if (p == nullptr || ++p == end) {
      lexer().JumpTo(end);
      return;
    }
    const char* line_end = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
    if (BeginsEntity(p, line_end == nullptr ? end : line_end)) {
      lexer().JumpTo(p);
      return;
    }
  }
}

bool IrReader::ReadEntity() {
  switch (token().kind) {
    case IrToken::Kind::kGlobal:
      return ReadGlobalValue();
    case IrToken::Kind::kLocal:
      return ReadTypeDefinition();
    case IrToken::Kind::kComdat:
      return ReadComdat();
    case IrToken::Kind::kMetadataNumber:
      return ReadMetadataNode();
    case IrToken::Kind::kMetadataName:
      return ReadNamedMetadata();
    case IrToken::Kind::kWord:
      return ReadWordEntity();
    case IrToken::Kind::kPunctuation:
      // A summary entry (^0 = ...). It contains nothing about code.
      if (token().Is('^')) {
        SkipLine();
        return true;
      }
      break;
    default:
      break;
  }
  return parser_.Error("expected top-level entity");
}

bool IrReader::ReadWordEntity() {
  const std::string_view word = token().text;
  if (word == "declare" || word == "define") return ReadFunction(word == "define");
  if (word == "attributes") return ReadAttributeGroup();
  if (word == "target") return ReadTarget();
  if (word == "module") return ReadModuleAsm();
  if (word == "source_filename") {
    lexer().Advance();
    return parser_.ExpectPunctuation('=', "after source_filename") &&
           parser_.ParseString("expected string constant", &module_.source_filename_);
  }
  if (word == "uselistorder" || word == "uselistorder_bb") {
    SkipLine();
    return true;
  }
  return parser_.Error("expected top-level entity");
}

void IrReader::SkipLine() {
  const char* end = text_.data() + text_.size();
  const char* begin = token().begin();
  const void* newline = std::memchr(begin, '\n', static_cast<size_t>(end - begin));
  lexer().JumpTo(newline == nullptr ? end : static_cast<const char*>(newline));
}

// Reads `target triple = "..."`.
bool IrReader::ReadTarget() {
  const char* begin = token().begin();
  lexer().Advance();
  const bool is_triple = token().IsWord("triple");
  if (!is_triple && !token().IsWord("datalayout")) return parser_.Error("unknown target property");
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', is_triple ? "after target triple" : "after target datalayout")) {
    return false;
  }
  const char* position = token().begin();
  std::string_view value;
  if (!parser_.ParseString("expected string constant", &value)) return false;
  if (is_triple) {
    module_.target_triple_ = value;
    module_.triple_source_text_ = TextSince(begin);
    module_.triple_changed_ = false;
    return true;
  }
  absl::StatusOr<DataLayout> layout = DataLayout::Parse(value);
  if (!layout.ok()) return parser_.ErrorAt(position, std::string(FromAbsl(layout.status().message())));
  module_.set_data_layout(*std::move(layout));
  module_.layout_source_text_ = TextSince(begin);
  module_.layout_changed_ = false;
  return true;
}

// Reads `module asm "..."`.
bool IrReader::ReadModuleAsm() {
  lexer().Advance();
  std::string_view line;
  if (!parser_.ExpectWord("asm", "expected 'module asm'") || !parser_.ParseString("expected string constant", &line)) {
    return false;
  }
  module_.module_asm_.push_back(line);
  return true;
}

// Reads `%name = type { ... }`.
bool IrReader::ReadTypeDefinition() {
  const IrToken name = token();
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', "after name") || !parser_.ExpectWord("type", "expected 'type' after name")) {
    return false;
  }
  IrType* type = module_.types_.NamedStruct(parser_.Unescaped(name), name.is_number);
  if (!parser_.DefineStruct(type)) {
    return parser_.ErrorAt(name.begin(), StrCat("redefinition of type named '", type->name(), "'"));
  }
  if (parser_.TryWord("opaque")) return true;
  std::vector<const IrType*> members;
  bool packed;
  if (!parser_.ParseStructBody(&members, &packed)) return false;
  module_.types_.SetBody(type, members, packed);
  return true;
}

// Reads `$name = comdat any`.
bool IrReader::ReadComdat() {
  const IrToken name = token();
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', "here") || !parser_.ExpectWord("comdat", "expected comdat keyword")) {
    return false;
  }
  if (token().kind != IrToken::Kind::kWord) return parser_.Error("expected comdat type");
  Comdat comdat{.name = parser_.Unescaped(name), .selection = token().text, .source_text = {}};
  lexer().Advance();
  comdat.source_text = TextSince(name.begin());
  if (!comdat_names_.insert(comdat.name).second) {
    return parser_.ErrorAt(name.begin(), StrCat("redefinition of comdat '$", comdat.name, "'"));
  }
  module_.comdats_.push_back(comdat);
  return true;
}

// Reads `attributes #0 = { ... }`.
bool IrReader::ReadAttributeGroup() {
  const char* begin = token().begin();
  lexer().Advance();
  uint64_t number;
  if (token().kind != IrToken::Kind::kAttributeGroup || !ParseIrDecimal(token().value, ~uint32_t{0}, &number)) {
    return parser_.Error("expected attribute group id");
  }
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', "here") || !parser_.ExpectPunctuation('{', "here")) return false;
  IrAttributeGroup group;
  group.number = static_cast<uint32_t>(number);
  if (!parser_.ParseAttributes(/*in_group=*/true, &group.attributes) ||
      !parser_.ExpectPunctuation('}', "at end of attribute group")) {
    return false;
  }
  group.source_text = TextSince(begin);
  const auto [place, is_new] =
      module_.attribute_group_index_.emplace(group.number, static_cast<uint32_t>(module_.attribute_groups_.size()));
  if (is_new) {
    module_.attribute_groups_.push_back(std::move(group));
  } else {
    IrAttributeGroup& known = module_.attribute_groups_[place->second];
    for (const IrAttribute& attribute : group.attributes.all()) known.attributes.Add(attribute);
    known.more_source_texts.push_back(group.source_text);
  }
  return true;
}

// Reads `!name = !{!0, !1}`.
bool IrReader::ReadNamedMetadata() {
  const IrToken name = token();
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', "here") || !parser_.ExpectPunctuation('!', "here") ||
      !parser_.ExpectPunctuation('{', "here")) {
    return false;
  }
  NamedMetadata named;
  named.name = parser_.Unescaped(name);
  if (!parser_.TryPunctuation('}')) {
    do {
      if (token().kind == IrToken::Kind::kMetadataName) {
        // An inline !DIExpression(). This is debug information that the backend does not use.
        if (parser_.ParseMetadataNode() == nullptr) return false;
        continue;
      }
      uint64_t number;
      if (token().kind != IrToken::Kind::kMetadataNumber ||
          !ParseIrDecimal(token().value, ~uint32_t{0} >> 2, &number)) {
        return parser_.Error("expected metadata node number");
      }
      named.nodes.push_back(static_cast<MetadataId>(number));
      metadata_uses_.emplace_back(static_cast<MetadataId>(number), token().begin());
      lexer().Advance();
    } while (parser_.TryPunctuation(','));
    if (!parser_.ExpectPunctuation('}', "here")) return false;
  }
  named.source_text = TextSince(name.begin());
  const auto [place, is_new] = named_metadata_index_.emplace(named.name, module_.named_metadata_.size());
  if (is_new) {
    module_.named_metadata_.push_back(std::move(named));
  } else {
    NamedMetadata& known = module_.named_metadata_[place->second];
    known.nodes.insert(known.nodes.end(), named.nodes.begin(), named.nodes.end());
    known.more_source_texts.push_back(named.source_text);
  }
  return true;
}

// Notes the use of a node, at `position`: "!7". Most are of nodes that are defined before.
void IrReader::NoteMetadataUse(const char* position) {
  MetadataId id = 0;
  const auto [end, error] = std::from_chars(position + 1, text_.data() + text_.size(), id);
  if (error != std::errc()) id = ~MetadataId{0};  // no node has so large a number
  if (!module_.HasMetadata(id)) metadata_uses_.emplace_back(id, position);
}

// Reads `!0 = distinct !{...}`. Only the extent of the node is recorded.
bool IrReader::ReadMetadataNode() {
  const IrToken name = token();
  uint64_t number;
  if (!ParseIrDecimal(name.value, ~uint32_t{0} >> 2, &number)) {
    return parser_.Error("metadata number is too large");
  }
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', "here")) return false;
  const char* begin = token().begin();
  if (!token().IsWord("distinct") && !token().Is('!') && token().kind != IrToken::Kind::kMetadataName) {
    return parser_.Error("expected '!' here");
  }
  const char* end = FindMetadataEnd(begin, text_.data() + text_.size(), [&](const char* at) { NoteMetadataUse(at); });
  if (end == nullptr) return parser_.ErrorAt(begin, "expected end of metadata node");
  const auto id = static_cast<MetadataId>(number);
  if (!module_.AddMetadata(id, {begin, static_cast<size_t>(end - begin)})) {
    return parser_.ErrorAt(name.begin(), "Metadata id is already used");
  }
  lexer().JumpTo(end);
  return true;
}

void IrReader::ReadPrefix(Prefix* prefix) {
  if (const Linkage* linkage = FindWord(kLinkages, token().text); linkage != nullptr) {
    prefix->linkage = *linkage;
    prefix->has_linkage = true;
    lexer().Advance();
  }
  if (parser_.TryWord("dso_local")) {
    prefix->dso_local = true;
  } else {
    parser_.TryWord("dso_preemptable");
  }
  if (parser_.TryWord("hidden")) {
    prefix->visibility = Visibility::kHidden;
  } else if (parser_.TryWord("protected")) {
    prefix->visibility = Visibility::kProtected;
  } else {
    parser_.TryWord("default");
  }
  if (parser_.TryWord("dllimport")) {
    prefix->dll_storage = DllStorage::kImport;
  } else if (parser_.TryWord("dllexport")) {
    prefix->dll_storage = DllStorage::kExport;
  }
}

void IrReader::Apply(const Prefix& prefix, GlobalValue* value) {
  value->linkage = prefix.linkage;
  value->visibility = prefix.visibility;
  value->dll_storage = prefix.dll_storage;
  value->dso_local = prefix.dso_local;
}

// Reads `thread_local` or `thread_local(initialexec)`, if present.
bool IrReader::ReadThreadLocal(ThreadLocalMode* mode) {
  if (!parser_.TryWord("thread_local")) return true;
  *mode = ThreadLocalMode::kGeneralDynamic;
  if (!parser_.TryPunctuation('(')) return true;
  if (parser_.TryWord("localdynamic")) {
    *mode = ThreadLocalMode::kLocalDynamic;
  } else if (parser_.TryWord("initialexec")) {
    *mode = ThreadLocalMode::kInitialExec;
  } else if (parser_.TryWord("localexec")) {
    *mode = ThreadLocalMode::kLocalExec;
  } else {
    return parser_.Error("expected localdynamic, initialexec or localexec");
  }
  return parser_.ExpectPunctuation(')', "after thread local model");
}

bool IrReader::ReadUnnamedAddr(UnnamedAddr* unnamed_addr) {
  if (parser_.TryWord("unnamed_addr")) {
    *unnamed_addr = UnnamedAddr::kGlobal;
  } else if (parser_.TryWord("local_unnamed_addr")) {
    *unnamed_addr = UnnamedAddr::kLocal;
  } else {
    return false;
  }
  return true;
}

// Registers a value under its name.
bool IrReader::Define(GlobalValue* value, const IrToken& name, std::string_view what) {
  const std::string_view unescaped = parser_.Unescaped(name);
  if (module_.FindGlobal(unescaped, name.is_number) != nullptr) {
    const std::string_view sigil = what == "global" ? "@" : "";
    return parser_.ErrorAt(name.begin(), StrCat(what == "global" ? "" : "invalid ", "redefinition of ", what, " '",
                                                sigil, unescaped, "'"));
  }
  module_.AddGlobal(value, unescaped, name.is_number);
  return true;
}

// Reads `@name = ... global|constant|alias|ifunc ...`.
bool IrReader::ReadGlobalValue() {
  const IrToken name = token();
  lexer().Advance();
  if (!parser_.ExpectPunctuation('=', name.is_number ? "after name" : "in global variable")) return false;
  Prefix prefix;
  ReadPrefix(&prefix);
  ThreadLocalMode thread_local_mode = ThreadLocalMode::kNone;
  UnnamedAddr unnamed_addr = UnnamedAddr::kNone;
  if (!ReadThreadLocal(&thread_local_mode)) return false;
  ReadUnnamedAddr(&unnamed_addr);
  const auto id = static_cast<GlobalId>(module_.globals_.size());
  const std::string_view unescaped = parser_.Unescaped(name);
  GlobalValue* value;
  bool ok;
  const bool is_alias = token().IsWord("alias") || token().IsWord("ifunc");
  if (is_alias) {
    GlobalAlias& alias = module_.aliases_.emplace_back(
        token().IsWord("alias") ? GlobalValue::Kind::kAlias : GlobalValue::Kind::kIFunc, id);
    value = &alias;
    value->name = unescaped;
    ok = ReadAlias(&alias);
  } else {
    GlobalVariable& variable = module_.variables_.emplace_back(id);
    value = &variable;
    value->name = unescaped;
    ok = ReadVariable(&variable, prefix);
  }
  Apply(prefix, value);
  value->thread_local_mode = thread_local_mode;
  value->unnamed_addr = unnamed_addr;
  value->source_text = TextSince(name.begin());
  // A value with an error is still registered under its name, so that mentions of it cause no further errors.
  if (value->value_type == nullptr) value->value_type = module_.types_.Integer(8);
  if (is_alias && module_.aliases_.back().aliasee == nullptr) {
    module_.aliases_.back().aliasee =
        module_.NewConstant({.kind = IrConstant::Kind::kUndef, .type = module_.types_.Pointer()});
  }
  if (Define(value, name, "global")) return ok;
  if (is_alias) {
    module_.aliases_.pop_back();
  } else {
    module_.variables_.pop_back();
  }
  return false;
}

bool IrReader::ReadVariable(GlobalVariable* variable, const Prefix& prefix) {
  if (!parser_.ParseOptionalAddressSpace(&variable->address_space)) return false;
  variable->externally_initialized = parser_.TryWord("externally_initialized");
  if (parser_.TryWord("constant")) {
    variable->is_constant = true;
  } else if (!parser_.TryWord("global")) {
    return parser_.Error("expected 'global' or 'constant'");
  }
  const char* position = token().begin();
  const IrType* type = parser_.ParseType();
  if (type == nullptr) return false;
  if (!type->is_sized_kind()) return parser_.ErrorAt(position, "invalid type for global variable");
  variable->value_type = type;
  const bool is_declaration =
      prefix.has_linkage && (prefix.linkage == Linkage::kExternal || prefix.linkage == Linkage::kExternWeak);
  if (!is_declaration) {
    variable->initializer = parser_.ParseConstant(type);
    if (variable->initializer == nullptr) return false;
  }
  return ReadVariableTail(variable);
}

bool IrReader::ReadComdatReference(GlobalValue* value) {
  value->comdat = value->name;
  if (!parser_.TryPunctuation('(')) {
    comdat_uses_.emplace_back(value->comdat, lexer().previous_end());
    return true;
  }
  const char* position = token().begin();
  if (token().kind != IrToken::Kind::kComdat) return parser_.Error("expected comdat variable");
  value->comdat = parser_.Unescaped(token());
  comdat_uses_.emplace_back(value->comdat, position);
  lexer().Advance();
  return parser_.ExpectPunctuation(')', "after comdat var");
}

// Reads `!dbg !7`, or an attachment with an inline node.
bool IrReader::ReadAttachment(GlobalValue* value) {
  MetadataAttachment attachment;
  attachment.kind = parser_.Unescaped(token());
  lexer().Advance();
  if (token().kind == IrToken::Kind::kMetadataNumber) {
    uint64_t number;
    if (!ParseIrDecimal(token().value, ~uint32_t{0} >> 2, &number)) {
      return parser_.Error("metadata number is too large");
    }
    attachment.node = static_cast<MetadataId>(number);
    metadata_uses_.emplace_back(attachment.node, token().begin());
    lexer().Advance();
  } else {
    const char* begin = token().begin();
    if (parser_.ParseMetadataNode() == nullptr) return false;
    attachment.text = TextSince(begin);
  }
  value->metadata.push_back(attachment);
  return true;
}

bool IrReader::ReadAttributeGroupReferences(std::vector<uint32_t>* groups) {
  while (token().kind == IrToken::Kind::kAttributeGroup) {
    uint64_t number;
    if (!ParseIrDecimal(token().value, ~uint32_t{0}, &number)) {
      return parser_.Error("attribute group id is too large");
    }
    groups->push_back(static_cast<uint32_t>(number));
    lexer().Advance();
  }
  return true;
}

// Reads `, section "s", align 4, comdat, !dbg !0 #3`.
bool IrReader::ReadVariableTail(GlobalVariable* variable) {
  while (parser_.TryPunctuation(',')) {
    const char* begin = token().begin();
    if (parser_.TryWord("section")) {
      if (!parser_.ParseString("expected global section string", &variable->section)) return false;
    } else if (parser_.TryWord("partition")) {
      if (!parser_.ParseString("expected partition string", &variable->partition)) return false;
    } else if (parser_.TryWord("align")) {
      if (!parser_.ParseUnsigned(uint64_t{1} << 32, "expected integer", &variable->align)) return false;
      if ((variable->align & (variable->align - 1)) != 0) {
        return parser_.ErrorAt(begin, "alignment is not a power of two");
      }
    } else if (parser_.TryWord("code_model")) {
      if (!parser_.ParseString("expected global code model string", &variable->code_model)) return false;
    } else if (parser_.TryWord("comdat")) {
      if (!ReadComdatReference(variable)) return false;
    } else if (token().kind == IrToken::Kind::kMetadataName) {
      if (!ReadAttachment(variable)) return false;
    } else if (token().text.find("sanitize") != std::string_view::npos) {
      const char* first = variable->sanitizer_text.empty() ? begin : variable->sanitizer_text.data();
      lexer().Advance();
      variable->sanitizer_text = TextSince(first);
    } else {
      return parser_.Error("unknown global variable property!");
    }
  }
  while (true) {
    const size_t before = variable->attributes.all().size() + variable->attribute_groups.size();
    if (!ReadAttributeGroupReferences(&variable->attribute_groups)) return false;
    // A word at the top level begins another entity, so only strings can be attributes here.
    if (token().kind == IrToken::Kind::kString && !parser_.ParseAttributes(/*in_group=*/false, &variable->attributes)) {
      return false;
    }
    if (variable->attributes.all().size() + variable->attribute_groups.size() == before) return true;
  }
}

// Reads `alias i32, ptr @x`.
bool IrReader::ReadAlias(GlobalAlias* alias) {
  lexer().Advance();
  const IrType* type = parser_.ParseType(/*allow_void=*/true);
  if (type == nullptr || !parser_.ExpectPunctuation(',', "after alias or ifunc's type")) return false;
  const char* position = token().begin();
  alias->value_type = type;
  // An expression may be written without a type.
  if (token().kind == IrToken::Kind::kWord && FindConstantOpcode(token().text) != IrConstant::Opcode::kNone) {
    alias->aliasee = parser_.ParseConstant(module_.types_.Pointer());
  } else {
    alias->aliasee = parser_.ParseTypedConstant();
  }
  if (alias->aliasee == nullptr) return false;
  if (!alias->aliasee->type->is_pointer()) {
    return parser_.ErrorAt(position, "An alias or ifunc must have pointer type");
  }
  alias->address_space = alias->aliasee->type->address_space();
  while (parser_.TryPunctuation(',')) {
    if (parser_.TryWord("partition")) {
      if (!parser_.ParseString("expected partition string", &alias->partition)) return false;
    } else if (token().kind == IrToken::Kind::kMetadataName) {
      if (!ReadAttachment(alias)) return false;
    } else {
      return parser_.Error("unknown alias or ifunc property!");
    }
  }
  return true;
}

bool IrReader::ReadCallingConvention(uint32_t* number) {
  if (parser_.TryWord("cc")) {
    uint64_t value;
    if (!parser_.ParseUnsigned(1023, "expected integer", &value)) return false;
    *number = static_cast<uint32_t>(value);
    return true;
  }
  if (token().kind != IrToken::Kind::kWord) return true;
  if (const uint32_t* known = FindWord(kCallingConventions, token().text); known != nullptr) {
    *number = *known;
    lexer().Advance();
  }
  return true;
}

bool IrReader::ReadFunction(bool is_definition) {
  const char* begin = token().begin();
  lexer().Advance();
  IrFunction header(static_cast<GlobalId>(module_.globals_.size()));
  while (!is_definition && token().kind == IrToken::Kind::kMetadataName) {
    if (!ReadAttachment(&header)) return false;
  }
  Prefix prefix;
  ReadPrefix(&prefix);
  Apply(prefix, &header);
  if (!ReadCallingConvention(&header.calling_convention) ||
      !parser_.ParseAttributes(/*in_group=*/false, &header.return_attributes)) {
    return false;
  }
  const char* type_position = token().begin();
  if (parser_.unknown_attribute() != nullptr && !IrParser::IsTypeStart(token())) {
    return parser_.ErrorAt(parser_.unknown_attribute(), "expected type");
  }
  const IrType* result = parser_.ParseType(/*allow_void=*/true);
  if (result == nullptr) return false;
  if (result->is_function() || result->kind() == IrType::Kind::kLabel || result->kind() == IrType::Kind::kMetadata) {
    return parser_.ErrorAt(type_position, "invalid function return type");
  }
  const IrToken name = token();
  if (name.kind != IrToken::Kind::kGlobal) return parser_.Error("expected function name");
  header.name = parser_.Unescaped(name);
  lexer().Advance();
  if (!ReadParameters(&header, result)) return false;
  if (!ReadFunctionTail(&header, is_definition)) return false;
  if (is_signature_) {
    header.has_body = true;
    header.is_implied = true;
  } else if (is_definition && !ReadBody(&header)) {
    return false;
  }
  header.source_text = TextSince(begin);
  if (is_definition && !is_signature_)
    header.source_text = {begin, static_cast<size_t>(header.body_text.end() - begin)};
  IrFunction& function = module_.functions_.emplace_back(std::move(header));
  if (Define(&function, name, "function")) return true;
  module_.functions_.pop_back();
  return false;
}

bool IrReader::ReadParameters(IrFunction* function, const IrType* result) {
  if (!parser_.ExpectPunctuation('(', "in function argument list")) return false;
  std::vector<const IrType*> types;
  bool vararg = false;
  uint32_t slot = 0;
  if (!parser_.TryPunctuation(')')) {
    do {
      if (token().kind == IrToken::Kind::kEllipsis) {
        lexer().Advance();
        vararg = true;
        break;
      }
      IrParameter parameter;
      if (!ReadParameter(function, &parameter, &slot)) return false;
      types.push_back(parameter.type);
      function->parameters.push_back(std::move(parameter));
    } while (parser_.TryPunctuation(','));
    if (!parser_.ExpectPunctuation(')', "at end of argument list")) return false;
  }
  function->value_type = module_.types_.Function(result, types, vararg);
  return true;
}

bool IrReader::ReadParameter(IrFunction* function, IrParameter* parameter, uint32_t* slot) {
  const char* position = token().begin();
  parameter->type = parser_.ParseType();
  if (parameter->type == nullptr) return false;
  if (!parameter->type->is_first_class()) {
    return parser_.ErrorAt(position, "invalid type for function argument");
  }
  const std::string_view type_text = TextSince(position);
  bool completed;
  if (!parser_.ParseAttributes(/*in_group=*/false, &parameter->attributes) ||
      !parser_.CompleteTypeAttributes(type_text, &parameter->attributes, &completed)) {
    return false;
  }
  if (completed) function->MarkChanged();
  if (token().kind == IrToken::Kind::kLocal && !token().is_number) {
    parameter->name = parser_.Unescaped(token());
    lexer().Advance();
    return true;
  }
  if (token().kind == IrToken::Kind::kLocal) {
    uint64_t number;
    if (!ParseIrDecimal(token().value, ~uint32_t{0} >> 1, &number) || number < *slot) {
      return parser_.Error(StrCat("argument expected to be numbered '%", *slot, "' or greater"));
    }
    *slot = static_cast<uint32_t>(number);
    lexer().Advance();
  } else if (parser_.unknown_attribute() != nullptr && !token().Is(',') && !token().Is(')')) {
    return parser_.ErrorAt(parser_.unknown_attribute(), "expected ')' at end of argument list");
  }
  parameter->slot = (*slot)++;
  return true;
}

// Reads `prefix i32 1`, `prologue i8 2` or `personality ptr @p`, which is kept as text.
bool IrReader::ReadTrailingConstant(IrFunction* function) {
  const char* begin = function->tail_text.empty() ? token().begin() : function->tail_text.data();
  lexer().Advance();
  if (parser_.ParseTypedConstant() == nullptr) return false;
  function->tail_text = TextSince(begin);
  return true;
}

// Reads the text between the parameters and the body. After a declaration, the next entity follows immediately.
// Metadata is attached to a declaration in front of its linkage, so a metadata name here does not belong to it.
bool IrReader::ReadFunctionTail(IrFunction* function, bool is_definition) {
  while (true) {
    const IrToken first = token();
    if (first.kind == IrToken::Kind::kAttributeGroup) {
      if (!ReadAttributeGroupReferences(&function->attribute_groups)) return false;
    } else if (is_definition && first.kind == IrToken::Kind::kMetadataName) {
      if (!ReadAttachment(function)) return false;
    } else if (ReadUnnamedAddr(&function->unnamed_addr)) {
    } else if (first.IsWord("addrspace")) {
      if (!parser_.ParseOptionalAddressSpace(&function->address_space)) return false;
    } else if (parser_.TryWord("section")) {
      if (!parser_.ParseString("expected section string", &function->section)) return false;
    } else if (parser_.TryWord("partition")) {
      if (!parser_.ParseString("expected partition string", &function->partition)) return false;
    } else if (parser_.TryWord("gc")) {
      if (!parser_.ParseString("expected gc string", &function->gc)) return false;
    } else if (parser_.TryWord("comdat")) {
      if (!ReadComdatReference(function)) return false;
    } else if (first.IsWord("prefix") || first.IsWord("prologue") || first.IsWord("personality")) {
      if (!ReadTrailingConstant(function)) return false;
    } else if (first.IsWord("align")) {
      lexer().Advance();
      const bool parenthesized = parser_.TryPunctuation('(');
      if (!parser_.ParseUnsigned(uint64_t{1} << 32, "expected integer", &function->align)) return false;
      if (parenthesized && !parser_.ExpectPunctuation(')', "in alignment")) return false;
      if ((function->align & (function->align - 1)) != 0) {
        return parser_.ErrorAt(first.begin(), "alignment is not a power of two");
      }
    } else {
      if (!parser_.ParseAttributes(/*in_group=*/false, &function->attributes)) return false;
      if (token().begin() == first.begin()) return true;
      if (const uint64_t align = function->attributes.Integer("align"); align != 0) function->align = align;
    }
  }
}

bool IrReader::ReadBody(IrFunction* function) {
  if (!token().Is('{')) return parser_.Error("expected '{' in function body");
  const char* begin = token().begin();
  const char* end = FindBodyEnd(begin, text_.data() + text_.size(), indentation_);
  if (end == nullptr) return parser_.ErrorAt(begin, "expected '}' at end of function body");
  function->has_body = true;
  function->body_text = {begin, static_cast<size_t>(end - begin)};
  lexer().JumpTo(end);
  return true;
}

bool ReadIrModule(const SourceBuffer& buffer, std::string_view text, Module& module, DiagnosticEngine& diagnostics) {
  const size_t errors_before = diagnostics.num_errors();
  const auto error = [&](const char* position, std::string message) {
    diagnostics.Error(buffer, position, std::move(message));
  };
  IrReader(text, module, error).Read(buffer, diagnostics);
  return diagnostics.num_errors() == errors_before;
}

IrFunction* ReadIrSignature(std::string_view text, Module& module,
                            const std::function<void(const char*, std::string)>& error) {
  return IrReader(text, module, error).ReadSignature();
}

namespace {

// Runs `parse` on a text that must contain a single entity. Returns a status instead of reporting diagnostics.
template <typename Result, typename Parse>
absl::StatusOr<Result> ParseAlone(std::string_view text, Module& module, Parse parse) {
  std::string message;
  IrParser parser(text, module, [&message](const char*, std::string error) {
    if (message.empty()) message = std::move(error);
  });
  Result result = parse(parser);
  if (result != nullptr && parser.token().kind != IrToken::Kind::kEnd) parser.Error("expected end of text");
  parser.ResolveGlobalReferences();
  if (!message.empty()) return absl::InvalidArgumentError(message);
  return result;
}

}  // namespace

absl::StatusOr<const IrType*> ParseIrType(std::string_view text, Module& module) {
  return ParseAlone<const IrType*>(text, module,
                                   [](IrParser& parser) { return parser.ParseType(/*allow_void=*/true); });
}

absl::StatusOr<const IrConstant*> ParseIrConstant(std::string_view text, Module& module) {
  return ParseAlone<const IrConstant*>(text, module, [](IrParser& parser) { return parser.ParseTypedConstant(); });
}

}  // namespace ptxmir
