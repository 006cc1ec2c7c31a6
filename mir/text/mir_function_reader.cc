// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_function_reader.h"

#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

enum class KeyKind : uint8_t {
  kName,
  kAlignment,
  kProperty,
  kRegisters,
  kLiveIns,
  kFrameInfo,
  kFixedStack,
  kStack,
  kConstants,
  kJumpTable,
  kBody,
  kDag,
  kVerbatim,
};

struct TopLevelKey {
  std::string_view name;
  KeyKind kind;
  uint32_t property = 0;
  uint32_t given = 0;  // the bit that is set if the property is stated
};

using P = FunctionProperty;

// The top-level keys, in the order in which llc writes them.
constexpr TopLevelKey kTopLevelKeys[] = {
    {"name", KeyKind::kName},
    {"alignment", KeyKind::kAlignment},
    {"exposesReturnsTwice", KeyKind::kProperty, P::kExposesReturnsTwice},
    {"legalized", KeyKind::kProperty, P::kLegalized},
    {"regBankSelected", KeyKind::kProperty, P::kRegBankSelected},
    {"selected", KeyKind::kProperty, P::kSelected},
    {"failedISel", KeyKind::kProperty, P::kFailedISel},
    {"tracksRegLiveness", KeyKind::kProperty, P::kTracksRegLiveness},
    {"hasWinCFI", KeyKind::kProperty, P::kHasWinCFI},
    {"noPhis", KeyKind::kProperty, P::kNoPhis, P::kNoPhisGiven},
    {"isSSA", KeyKind::kProperty, P::kIsSsa, P::kIsSsaGiven},
    {"noVRegs", KeyKind::kProperty, P::kNoVRegs, P::kNoVRegsGiven},
    {"hasFakeUses", KeyKind::kProperty, P::kHasFakeUses, P::kHasFakeUsesGiven},
    {"callsEHReturn", KeyKind::kProperty, P::kCallsEHReturn},
    {"callsUnwindInit", KeyKind::kProperty, P::kCallsUnwindInit},
    {"hasEHContTarget", KeyKind::kProperty, P::kHasEHContTarget},
    {"hasEHScopes", KeyKind::kProperty, P::kHasEHScopes},
    {"hasEHFunclets", KeyKind::kProperty, P::kHasEHFunclets},
    {"isOutlined", KeyKind::kProperty, P::kIsOutlined},
    {"debugInstrRef", KeyKind::kProperty, P::kDebugInstrRef},
    {"failsVerification", KeyKind::kProperty, P::kFailsVerification},
    {"tracksDebugUserValues", KeyKind::kProperty, P::kTracksDebugUserValues},
    {"useDebugInstrRef", KeyKind::kProperty, P::kUseDebugInstrRef},
    {"registers", KeyKind::kRegisters},
    {"liveins", KeyKind::kLiveIns},
    {"calleeSavedRegisters", KeyKind::kVerbatim},
    {"frameInfo", KeyKind::kFrameInfo},
    {"fixedStack", KeyKind::kFixedStack},
    {"stack", KeyKind::kStack},
    {"entry_values", KeyKind::kVerbatim},
    {"callSites", KeyKind::kVerbatim},
    {"debugValueSubstitutions", KeyKind::kVerbatim},
    {"constants", KeyKind::kConstants},
    {"machineFunctionInfo", KeyKind::kVerbatim},
    {"jumpTable", KeyKind::kJumpTable},
    {"machineMetadataNodes", KeyKind::kVerbatim},
    {"calledGlobals", KeyKind::kVerbatim},
    {"body", KeyKind::kBody},
    {"dag", KeyKind::kDag},
    // The name of hasEHContTarget in old LLVMs.
    {"hasEHCatchret", KeyKind::kProperty, P::kHasEHContTarget},
};

template <size_t N>
int FindKey(const std::string_view (&keys)[N], std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (keys[i] == name) return static_cast<int>(i);
  }
  return -1;
}

// Matches an entry of `registers` in the exact form in which llc writes it. Returns its end (the line break), or
// null if the text differs in any detail; the entry is then read as general YAML. `end` is the end of the whole
// text.
const char* MatchRegister(const char* p, const char* end, uint64_t* id, std::string_view* reg_class) {
  static constexpr char kBegin[] = "\n  - { id: ";
  static constexpr char kClass[] = ", class: ";
  static constexpr char kLongEnd[] = ", preferred-register: '', flags: [  ] }";
  static constexpr char kShortEnd[] = " }";
  // The compiler expands comparisons of constant length, but the text must be at least that long.
  const auto match = [&]<size_t kSize>(const char(&text)[kSize]) {
    if (static_cast<size_t>(end - p) < kSize || std::memcmp(p, text, kSize - 1) != 0) return false;
    p += kSize - 1;
    return true;
  };
  if (!match(kBegin)) return nullptr;
  if (!mir_lexer::IsDigit(*p)) return nullptr;
  bool overflow = false;
  p = mir_lexer::ScanUnsigned(p, id, &overflow);
  if (overflow || !match(kClass)) return nullptr;
  const char* name = p;
  p = mir_lexer::SkipIdentifier(p);
  *reg_class = {name, static_cast<size_t>(p - name)};
  if (!match(kLongEnd) && !match(kShortEnd)) {
    return nullptr;
  }
  return *p == '\n' ? p : nullptr;
}

}  // namespace

// The document.

std::unique_ptr<MachineFunction> MirFunctionReader::Read() {
  document_ = yaml_.position();
  FindName();
  if (function_ != nullptr) ReadKeys();
  return std::move(function_);
}

void MirFunctionReader::ReadKeys() {
  const bool complete = yaml_.ReadMapping([this](const YamlScalar& key) { return ReadKey(key); });
  if (!complete || file_.diagnostics.limit_reached()) return;
  ReadBody();
  if (file_.diagnostics.limit_reached()) return;
  CheckRegisterClasses();
  SetComputedProperties();
}

// Finds the name, since the function must be created before anything is read into it. The name is nearly always
// the first key.
void MirFunctionReader::FindName() {
  DiagnosticEngine discarded;
  YamlReader probe(file_.buffer, discarded);
  probe.set_position(yaml_.position(), yaml_.line_start());
  YamlScalar name;
  bool found = false;
  if (!probe.AtMapping()) {
    yaml_.ReadMapping([](const YamlScalar&) { return false; });
    return;
  }
  const char* first = nullptr;
  probe.ReadMapping([&](const YamlScalar& key) {
    if (first == nullptr) first = key.position();
    if (key.raw != "name") return probe.SkipNode();
    found = probe.ReadScalar(&name);
    return false;
  });
  if (!found) {
    Error(first == nullptr ? document_ : first, "missing required key 'name'");
    return;
  }
  CreateFunction(TextOf(name), name.position());
}

bool MirFunctionReader::CreateFunction(std::string_view name, const char* position) {
  name_position_ = position;
  Module& module = file_.module;
  if (!file_.function_names.insert(name).second) {
    Error(position, StrCat("redefinition of machine function '", name, "'"));
    return false;
  }
  if (module.has_ir_text() && !module.has_module_document()) {
    const IrFunction* ir_function = module.FindFunction(name);
    if (ir_function == nullptr || ir_function->is_declaration()) {
      Error(position, StrCat("function '", name, "' isn't defined in the provided LLVM IR"));
      return false;
    }
  }
  function_ =
      std::make_unique<MachineFunction>(&module, file_.target, name, file_.num_functions++, module.function_memory());
  state_.emplace(file_, *function_);
  body_reader_.emplace(*state_);
  return true;
}

bool MirFunctionReader::ReadKey(const YamlScalar& key) {
  if (file_.diagnostics.limit_reached()) return false;
  // Keys usually come in llc's order, so the next key is usually the one after the last.
  constexpr size_t kCount = std::size(kTopLevelKeys);
  static_assert(kCount <= 64);
  for (size_t i = 0; i < kCount; ++i) {
    const size_t index = (last_key_ + 1 + i) % kCount;
    if (kTopLevelKeys[index].name != key.raw) continue;
    last_key_ = index;
    if (seen_keys_ >> index & 1) {
      Error(key.position(), StrCat("duplicated mapping key '", key.raw, "'"));
      return yaml_.SkipNode();
    }
    seen_keys_ |= uint64_t{1} << index;
    return ReadKnownKey(key, index);
  }
  Error(key.position(), StrCat("unknown key '", key.raw, "'"));
  return yaml_.SkipNode();
}

bool MirFunctionReader::ReadKnownKey(const YamlScalar& key, size_t index) {
  const TopLevelKey& known = kTopLevelKeys[index];
  switch (known.kind) {
    case KeyKind::kName:
      return yaml_.SkipNode();
    case KeyKind::kAlignment:
      return ReadAlignLog2(&function_->align_log2);
    case KeyKind::kProperty: {
      bool value = function_->HasProperty(known.property);
      if (!ReadBool(&value)) return false;
      function_->SetProperty(known.property, value);
      if (known.given != 0) function_->SetProperty(known.given);
      return true;
    }
    case KeyKind::kRegisters:
      return ReadRegisters();
    case KeyKind::kLiveIns:
      return ReadLiveIns();
    case KeyKind::kFrameInfo:
      return ReadFrameInfo();
    case KeyKind::kFixedStack:
      return ReadStackObjects(/*is_fixed=*/true);
    case KeyKind::kStack:
      return ReadStackObjects(/*is_fixed=*/false);
    case KeyKind::kConstants:
      return ReadConstants();
    case KeyKind::kJumpTable:
      return ReadJumpTable();
    case KeyKind::kBody:
      if (line_reader_ != nullptr) {
        Error(key.position(), "a function has either a 'body' or a 'dag'");
        return yaml_.SkipNode();
      }
      has_body_ = true;
      return yaml_.ReadScalar(&body_);
    case KeyKind::kDag:
      return ReadDagKey(key);
    case KeyKind::kVerbatim: {
      VerbatimSection section{.key = key.raw, .text = {}};
      if (!yaml_.SkipNodeVerbatim(&section.text)) return false;
      function_->verbatim_sections().push_back(section);
      return true;
    }
  }
  return true;
}

bool MirFunctionReader::ReadDagKey(const YamlScalar& key) {
  if (file_.line_reader_factory == nullptr) {
    Error(key.position(), "unknown key 'dag': this is no file of SelectionDAGs");
    return yaml_.SkipNode();
  }
  if (has_body_) {
    Error(key.position(), "a function has either a 'body' or a 'dag'");
    return yaml_.SkipNode();
  }
  line_reader_ = (*file_.line_reader_factory)(*function_);
  body_reader_->set_line_reader(line_reader_.get());
  has_body_ = true;
  return yaml_.ReadScalar(&body_);
}

// Reports a missing key of an entry, unless there was another error in the entry.
void MirFunctionReader::MissingKey(std::string_view key, const char* entry, size_t errors_before) {
  if (file_.diagnostics.num_errors() != errors_before) return;
  while (*entry == ' ') ++entry;
  Error(entry, StrCat("missing required key '", key, "'"));
}

// Values.

std::string_view MirFunctionReader::TextOf(const YamlScalar& scalar) {
  if (!scalar.needs_decoding) return scalar.raw;
  return file_.module.CopyString(scalar.Value());
}

bool MirFunctionReader::ReadText(std::string_view* value) {
  YamlScalar scalar;
  if (!yaml_.ReadScalar(&scalar)) return false;
  *value = TextOf(scalar);
  return true;
}

bool MirFunctionReader::ReadBool(bool* value) {
  YamlScalar scalar;
  if (!yaml_.ReadScalar(&scalar)) return false;
  const std::optional<bool> parsed = ParseYamlBool(scalar);
  if (parsed.has_value()) {
    *value = *parsed;
  } else {
    Error(scalar.position(), "invalid boolean");
  }
  return true;
}

bool MirFunctionReader::ReadUnsigned(uint64_t* value, uint64_t max) {
  YamlScalar scalar;
  if (!yaml_.ReadScalar(&scalar)) return false;
  const std::optional<uint64_t> parsed = ParseYamlUnsigned(scalar, ~uint64_t{0});
  if (!parsed.has_value()) {
    Error(scalar.position(), "invalid number");
  } else if (*parsed > max) {
    Error(scalar.position(), "out of range number");
  } else {
    *value = *parsed;
  }
  return true;
}

bool MirFunctionReader::ReadSigned(int64_t* value) {
  YamlScalar scalar;
  if (!yaml_.ReadScalar(&scalar)) return false;
  const std::optional<int64_t> parsed = ParseYamlSigned(scalar);
  if (parsed.has_value()) {
    *value = *parsed;
  } else {
    Error(scalar.position(), "invalid number");
  }
  return true;
}

bool MirFunctionReader::ReadAlignLog2(uint8_t* value) {
  YamlScalar scalar;
  if (!yaml_.ReadScalar(&scalar)) return false;
  const std::optional<uint64_t> parsed = ParseYamlUnsigned(scalar, ~uint64_t{0});
  if (!parsed.has_value()) {
    Error(scalar.position(), "invalid number");
  } else if (*parsed != 0 && !std::has_single_bit(*parsed)) {
    Error(scalar.position(), "must be 0 or a power of two");
  } else {
    *value = *parsed == 0 ? 0 : static_cast<uint8_t>(std::countr_zero(*parsed));
  }
  return true;
}

// Registers.

bool MirFunctionReader::ReadRegisters() {
  const char* p = yaml_.position();
  const char* line_start = yaml_.line_start();
  uint64_t id = 0;
  std::string_view name;
  while (const char* end = MatchRegister(p, yaml_.end(), &id, &name)) {
    // Any entry with an error is left to the general path, which reports it.
    const RegClassId reg_class = file_.FindRegClass(name);
    if (reg_class == kNoRegClass) break;
    const std::optional<Register> reg = state_->NumberedRegister(id);
    if (!reg.has_value() || state_->regs.reg_class(*reg) != kNoRegClass) break;
    state_->regs.set_reg_class(*reg, reg_class);
    line_start = p + 1;
    p = end;
  }
  yaml_.set_position(p, line_start);
  // The next line is the next key or, if it does not match llc's form, another entry.
  if (line_start != yaml_.line_start() || p[0] != '\n' || p[1] == ' ' || p == yaml_.end()) {
    return yaml_.ReadSequence([this] { return ReadRegister(); });
  }
  return true;
}

bool MirFunctionReader::ReadRegister() {
  static constexpr std::string_view kKeys[] = {"id", "class", "preferred-register", "flags"};
  YamlScalar id, reg_class, preferred;
  unsigned seen = 0;
  const char* begin = yaml_.position();
  const size_t errors = file_.diagnostics.num_errors();
  const bool complete = yaml_.ReadMapping([&](const YamlScalar& key) {
    if (seen == 0) begin = key.position();
    const int index = FindKey(kKeys, key.raw);
    if (index < 0 || (seen >> index & 1)) {
      Error(key.position(), StrCat(index < 0 ? "unknown key '" : "duplicated mapping key '", key.raw, "'"));
      return yaml_.SkipNode();
    }
    seen |= 1u << index;
    switch (index) {
      case 0:
        return yaml_.ReadScalar(&id);
      case 1:
        return yaml_.ReadScalar(&reg_class);
      case 2:
        return yaml_.ReadScalar(&preferred);
      default:
        return yaml_.ReadSequence([&] {
          YamlScalar flag;
          if (!yaml_.ReadScalar(&flag)) return false;
          Error(flag.position(), StrCat("use of undefined register flag '", flag.raw, "'"));
          return true;
        });
    }
  });
  if (!complete) return false;
  if ((seen & 3) != 3) {
    MissingKey((seen & 1) ? "class" : "id", begin, errors);
    return true;
  }
  DefineRegister(id, reg_class, preferred);
  return true;
}

void MirFunctionReader::DefineRegister(const YamlScalar& id, const YamlScalar& reg_class, const YamlScalar& preferred) {
  const std::optional<uint64_t> number = ParseYamlUnsigned(id, ~uint64_t{0});
  if (!number.has_value()) return Error(id.position(), "invalid number");
  const std::optional<Register> reg = state_->NumberedRegister(*number);
  if (!reg.has_value()) {
    return Error(id.position(),
                 StrCat("virtual register number %", *number, " is out of proportion to the size of the input"));
  }
  MachineRegisterInfo& regs = state_->regs;
  if (regs.reg_class(*reg) != kNoRegClass || state_->IsGeneric(*reg)) {
    return Error(id.position(), StrCat("redefinition of virtual register '%", *number, "'"));
  }
  if (reg_class.raw == "_") {
    state_->generic.insert(reg->virtual_index());
  } else if (const RegClassId found = file_.FindRegClass(reg_class.raw); found != kNoRegClass) {
    regs.set_reg_class(*reg, found);
  } else {
    return Error(reg_class.position(),
                 StrCat("use of undefined register class or register bank '", reg_class.raw, "'"));
  }
  if (preferred.raw.empty()) return;
  if (state_->IsGeneric(*reg)) {
    return Error(reg_class.position(), "preferred register can only be set for normal vregs");
  }
  Register wanted;
  if (body_reader_->ReadStandaloneRegister(preferred, &wanted)) regs.set_preferred(*reg, wanted);
}

bool MirFunctionReader::ReadLiveIns() {
  static constexpr std::string_view kKeys[] = {"reg", "virtual-reg"};
  return yaml_.ReadSequence([this] {
    YamlScalar scalars[2];
    const char* begin = yaml_.position();
    const size_t errors = file_.diagnostics.num_errors();
    const bool complete = yaml_.ReadMapping([&](const YamlScalar& key) {
      const int index = FindKey(kKeys, key.raw);
      if (index >= 0) return yaml_.ReadScalar(&scalars[index]);
      Error(key.position(), StrCat("unknown key '", key.raw, "'"));
      return yaml_.SkipNode();
    });
    if (!complete) return false;
    MachineRegisterInfo::FunctionLiveIn live_in;
    if (scalars[0].raw.data() == nullptr) {
      MissingKey("reg", begin, errors);
      return true;
    }
    if (!body_reader_->ReadStandaloneRegister(scalars[0], &live_in.physical)) return true;
    if (!scalars[1].raw.empty() && !body_reader_->ReadStandaloneRegister(scalars[1], &live_in.virtual_register)) {
      return true;
    }
    state_->regs.live_ins().push_back(live_in);
    return true;
  });
}

// Constant pool and jump tables.

bool MirFunctionReader::ReadConstants() {
  return yaml_.ReadSequence([this] { return ReadConstant(); });
}

bool MirFunctionReader::ReadConstant() {
  static constexpr std::string_view kKeys[] = {"id", "value", "alignment", "isTargetSpecific"};
  YamlScalar id_scalar;
  uint64_t id = 0;
  ConstantPoolEntry entry;
  const char* begin = yaml_.position();
  const size_t errors = file_.diagnostics.num_errors();
  const bool complete = yaml_.ReadMapping([&](const YamlScalar& key) {
    switch (FindKey(kKeys, key.raw)) {
      case 0: {
        if (!yaml_.ReadScalar(&id_scalar)) return false;
        const std::optional<uint64_t> parsed = ParseYamlUnsigned(id_scalar, ~uint32_t{0});
        if (!parsed.has_value()) Error(id_scalar.position(), "invalid number");
        id = parsed.value_or(0);
        return true;
      }
      case 1:
        return ReadText(&entry.value);
      case 2:
        return ReadAlignLog2(&entry.align_log2);
      case 3:
        return ReadBool(&entry.is_target_specific);
      default:
        Error(key.position(), StrCat("unknown key '", key.raw, "'"));
        return yaml_.SkipNode();
    }
  });
  if (!complete) return false;
  if (id_scalar.raw.data() == nullptr) {
    MissingKey("id", begin, errors);
    return true;
  }
  auto& constants = function_->constants();
  const auto index = static_cast<uint32_t>(constants.size());
  if (!state_->constant_slots.try_emplace(static_cast<uint32_t>(id), index).second) {
    Error(id_scalar.position(), StrCat("redefinition of constant pool item '%const.", id, "'"));
    return true;
  }
  constants.push_back(entry);
  return true;
}

bool MirFunctionReader::ReadJumpTable() {
  static constexpr std::string_view kKinds[] = {"block-address",
                                                "gp-rel64-block-address",
                                                "gp-rel32-block-address",
                                                "label-difference32",
                                                "label-difference64",
                                                "inline",
                                                "custom32"};
  return yaml_.ReadMapping([this](const YamlScalar& key) {
    if (key.raw == "kind") {
      YamlScalar kind;
      if (!yaml_.ReadScalar(&kind)) return false;
      if (FindKey(kKinds, kind.raw) < 0) Error(kind.position(), "unknown enumerated scalar");
      function_->jump_table_kind = kind.raw;
      return true;
    }
    if (key.raw == "entries") {
      return yaml_.ReadSequence([this] { return ReadJumpTableEntry(); });
    }
    Error(key.position(), StrCat("unknown key '", key.raw, "'"));
    return yaml_.SkipNode();
  });
}

bool MirFunctionReader::ReadJumpTableEntry() {
  YamlScalar id_scalar;
  uint64_t id = 0;
  JumpTable table;
  const char* begin = yaml_.position();
  const size_t errors = file_.diagnostics.num_errors();
  const bool complete = yaml_.ReadMapping([&](const YamlScalar& key) {
    if (key.raw == "id") {
      if (!yaml_.ReadScalar(&id_scalar)) return false;
      const std::optional<uint64_t> parsed = ParseYamlUnsigned(id_scalar, ~uint32_t{0});
      if (!parsed.has_value()) Error(id_scalar.position(), "invalid number");
      id = parsed.value_or(0);
      return true;
    }
    if (key.raw == "blocks") {
      return yaml_.ReadSequence([&] {
        YamlScalar block;
        if (!yaml_.ReadScalar(&block)) return false;
        BlockNumber number = 0;
        if (!body_reader_->ReadStandaloneBlock(block, &number)) return !file_.diagnostics.limit_reached();
        table.blocks.push_back(number);
        return !file_.diagnostics.limit_reached();
      });
    }
    Error(key.position(), StrCat("unknown key '", key.raw, "'"));
    return yaml_.SkipNode();
  });
  if (!complete) return false;
  if (id_scalar.raw.data() == nullptr) {
    MissingKey("id", begin, errors);
    return true;
  }
  auto& tables = function_->jump_tables();
  const auto index = static_cast<uint32_t>(tables.size());
  if (!state_->jump_table_slots.try_emplace(static_cast<uint32_t>(id), index).second) {
    Error(id_scalar.position(), StrCat("redefinition of jump table entry '%jump-table.", id, "'"));
    return true;
  }
  tables.push_back(std::move(table));
  return true;
}

// The body, and the checks that need it.

void MirFunctionReader::ReadBody() {
  if (has_body_ && !body_.is_block() && !body_.raw.empty()) {
    ReadDecodedBody();
  } else {
    body_reader_->ReadBody(body_.raw);
  }
}

// Decodes a body that is written as a quoted or plain scalar, and reads it.
void MirFunctionReader::ReadDecodedBody() {
  auto copy = std::make_shared<const SourceBuffer>(file_.buffer.name(), body_.Value());
  file_.module.KeepSource(copy);
  body_reader_->ReadBody(copy->text(), &body_);
}

// Returns the position where the body first names a register, or the position of the function's name if it does
// not.
const char* MirFunctionReader::FirstUse(Register reg) const {
  const std::string spelling = state_->SpellingOf(reg);
  for (size_t at = body_.raw.find(spelling); at != std::string_view::npos; at = body_.raw.find(spelling, at + 1)) {
    if (!mir_lexer::IsIdentifier(body_.raw.data()[at + spelling.size()])) {
      return body_.raw.data() + at;
    }
  }
  return name_position_;
}

void MirFunctionReader::CheckRegisterClasses() {
  const MachineRegisterInfo& regs = state_->regs;
  const uint32_t count = regs.num_virtual_registers();
  for (uint32_t i = 0; i < count; ++i) {
    const Register reg = Register::Virtual(i);
    const RegClassId reg_class = regs.reg_class(reg);
    if (reg_class != kNoRegClass) [[likely]] {
      if (file_.target.reg_classes[reg_class].allocatable) continue;
      Error(FirstUse(reg), StrCat("Cannot use non-allocatable class '", file_.target.reg_classes[reg_class].name,
                                  "' for virtual register ", state_->SpellingOf(reg).substr(1), " in function '",
                                  function_->name(), "'"));
    } else if (regs.IsReferenced(reg) && !state_->IsGeneric(reg)) {
      Error(FirstUse(reg), StrCat("Cannot determine class/bank of virtual register ", state_->SpellingOf(reg).substr(1),
                                  " in function '", function_->name(), "'"));
    }
    if (file_.diagnostics.limit_reached()) return;
  }
}

void MirFunctionReader::SetComputed(uint32_t property, uint32_t given, bool computed, std::string_view conflict) {
  if (!function_->HasProperty(given)) {
    function_->SetProperty(property, computed);
  } else if (function_->HasProperty(property) && !computed) {
    Error(name_position_, StrCat(function_->name(), " has explicit property ", conflict));
  }
}

void MirFunctionReader::SetComputedProperties() {
  SetComputed(P::kNoPhis, P::kNoPhisGiven, !state_->has_phi, "NoPhi, but contains at least one PHI");
  SetComputed(P::kIsSsa, P::kIsSsaGiven, state_->is_ssa, "IsSSA, but is not valid SSA");
  SetComputed(P::kNoVRegs, P::kNoVRegsGiven, state_->regs.num_virtual_registers() == 0,
              "NoVRegs, but contains virtual registers");
  if (!function_->HasProperty(P::kHasFakeUsesGiven)) {
    function_->SetProperty(P::kHasFakeUses, state_->has_fake_use);
  }
}

}  // namespace ptxmir
