// SPDX-License-Identifier: Apache-2.0

// The part of LinkState that decides which values are linked. The rules are those of ModuleLinker::linkIfNeeded and
// shouldLinkFromSource in LLVM's LinkModules.cpp.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_body_scan.h"
#include "ir/ir_text.h"
#include "ir/link/link_state.h"

namespace ptxmir::ir {
namespace {

bool IsDeclaration(const GlobalValue& value) {
  if (value.is_function()) return static_cast<const IrFunction&>(value).is_declaration();
  if (value.is_variable()) return static_cast<const GlobalVariable&>(value).is_declaration();
  return false;
}

bool IsDeclarationForLinker(const GlobalValue& value) {
  return IsDeclaration(value) || value.linkage == Linkage::kAvailableExternally;
}

bool IsLinkOnce(const GlobalValue& value) {
  return value.linkage == Linkage::kLinkOnce || value.linkage == Linkage::kLinkOnceOdr;
}

bool IsWeak(const GlobalValue& value) { return value.linkage == Linkage::kWeak || value.linkage == Linkage::kWeakOdr; }

bool IsWeakForLinker(const GlobalValue& value) {
  return IsWeak(value) || IsLinkOnce(value) || value.linkage == Linkage::kCommon ||
         value.linkage == Linkage::kExternWeak;
}

// A value that only what mentions it brings in.
bool IsLazy(const GlobalValue& value) {
  return value.has_local_linkage() || IsLinkOnce(value) || value.linkage == Linkage::kAvailableExternally ||
         IsDeclaration(value);
}

bool IsResolvedByName(const GlobalValue& value) { return !value.has_local_linkage() && !value.is_numbered; }

std::string_view KindName(const GlobalValue& value) {
  return value.is_function() ? "a function" : value.is_variable() ? "a variable" : "an alias";
}

}  // namespace

bool LinkState::Error(std::string message) {
  diagnostics_.Error(std::move(message));
  return false;
}

bool LinkState::Add(ProgramFile file, std::string name, bool only_needed) {
  if (file.program == nullptr) return false;
  Input& input = inputs_.emplace_back();
  input.file = std::move(file);
  input.name = std::move(name);
  input.only_needed = only_needed && inputs_.size() > 1;
  input.is_taken.resize(input.module().global_values().size());
  input.bodies.resize(input.is_taken.size());
  for (const auto& body : input.file.program->functions()) input.bodies[body->id()] = body.get();
  if (!CheckTarget(input)) return false;
  const auto number = static_cast<uint32_t>(inputs_.size() - 1);
  if (!ResolveComdats(number)) return false;
  bool ok = true;
  for (const GlobalValue* value : input.module().global_values()) {
    if (!value->is_removed()) ok = Resolve({number, value->id()}) && ok;
  }
  return ok;
}

// Values of types that are laid out in another way would be read wrongly. Layouts of older versions of LLVM say less
// and mean the same.
bool LinkState::CheckTarget(const Input& input) {
  const Module& first = inputs_[0].module();
  const Module& module = input.module();
  const std::string_view first_triple = first.target_triple(), triple = module.target_triple();
  if (!first_triple.empty() && !triple.empty() &&
      first_triple.substr(0, first_triple.find('-')) != triple.substr(0, triple.find('-'))) {
    return Error(
        StrCat("'", input.name, "' is for '", triple, "', but '", inputs_[0].name, "' is for '", first_triple, "'"));
  }
  if (!first.has_explicit_data_layout() || !module.has_explicit_data_layout()) return true;
  const DataLayout &a = first.data_layout(), &b = module.data_layout();
  bool same = a.is_big_endian() == b.is_big_endian() && a.alloca_address_space() == b.alloca_address_space();
  for (const uint32_t space : {0u, 1u, 3u, 4u, 5u}) same = same && a.PointerBits(space) == b.PointerBits(space);
  IrTypeTable& types = inputs_[0].module().types();
  for (const IrType* type :
       {types.Integer(8), types.Integer(16), types.Integer(32), types.Integer(64), types.Float(), types.Double(),
        types.Pointer(), types.Vector(types.Float(), 2), types.Vector(types.Float(), 4)}) {
    same = same && a.AbiAlign(type) == b.AbiAlign(type) && a.AllocSize(type) == b.AllocSize(type);
  }
  if (same) return true;
  return Error(StrCat("linking modules of different data layouts: '", inputs_[0].name, "' is '", a.text(),
                      "' whereas '", input.name, "' is '", b.text(), "'"));
}

void LinkState::MakeDeclaration(GlobalValue& value) {
  value.comdat = {};
  if (value.is_function()) {
    auto& function = static_cast<IrFunction&>(value);
    function.has_body = false;
    function.metadata.clear();
    function.tail_text = {};
  } else if (value.is_variable()) {
    static_cast<GlobalVariable&>(value).initializer = nullptr;
  }
  if (value.linkage != Linkage::kExternWeak) value.linkage = Linkage::kExternal;
  value.MarkChanged();
}

// Values of a comdat that an earlier module has are declarations.
bool LinkState::ResolveComdats(uint32_t number) {
  Module& module = inputs_[number].module();
  for (const Comdat& comdat : module.comdats()) {
    if (comdat.selection != "any" && comdat.selection != "nodeduplicate") {
      return Error(StrCat("comdat '", comdat.name, "' of '", inputs_[number].name, "': the selection '",
                          comdat.selection, "' is not supported"));
    }
    const auto [place, is_new] = comdats_.try_emplace(std::string(comdat.name), number, std::string(comdat.selection));
    if (is_new) continue;
    if (place->second.second != comdat.selection) {
      return Error(StrCat("linking COMDATs named '", comdat.name, "': invalid selection kinds!"));
    }
    if (comdat.selection == "nodeduplicate") {
      return Error(StrCat("linking COMDATs named '", comdat.name, "': nodeduplicate has been violated!"));
    }
    for (GlobalValue* value : module.global_values()) {
      if (value->comdat == comdat.name && !value->has_local_linkage()) MakeDeclaration(*value);
    }
  }
  return true;
}

// Values of one name must be of one kind and in one address space.
bool LinkState::CheckPair(const GlobalValue& a, const GlobalValue& b) {
  if (a.is_function() != b.is_function()) {
    return Error(StrCat("linking globals named '", a.name, "': one is ", KindName(a), " and the other ", KindName(b)));
  }
  if (a.address_space != b.address_space) {
    return Error(StrCat("linking globals named '", a.name, "': the address spaces ", a.address_space, " and ",
                        b.address_space, " differ"));
  }
  return true;
}

void LinkState::MergeProperties(GlobalValue& a, GlobalValue& b) {
  if (a.visibility != b.visibility) {
    // Hidden is stronger than protected, which is stronger than default.
    const auto either = [&](Visibility wanted) { return a.visibility == wanted || b.visibility == wanted; };
    a.visibility = b.visibility = either(Visibility::kHidden) ? Visibility::kHidden : Visibility::kProtected;
  }
  a.unnamed_addr = b.unnamed_addr = std::min(a.unnamed_addr, b.unnamed_addr);
  if (a.is_variable() && b.is_variable()) {
    auto &first = static_cast<GlobalVariable&>(a), &second = static_cast<GlobalVariable&>(b);
    if (first.is_declaration() && second.is_declaration() && first.is_constant != second.is_constant) {
      first.is_constant = second.is_constant = false;
    }
    if (first.linkage == Linkage::kCommon && second.linkage == Linkage::kCommon) {
      first.align = second.align = std::max(first.align, second.align);
    }
  }
}

// Decides whether `source` takes the place of `known`.
bool LinkState::ShouldReplace(Symbol known, Symbol source, bool* replaces) {
  GlobalValue &old = Value(known), &now = Value(source);
  *replaces = false;
  if (IsDeclarationForLinker(now)) {
    *replaces = old.linkage == Linkage::kExternWeak || (!IsDeclaration(now) && IsDeclaration(old));
    return true;
  }
  if (IsDeclarationForLinker(old)) {
    *replaces = true;
    return true;
  }
  if (now.linkage == Linkage::kCommon) {
    if (IsLinkOnce(old) || IsWeak(old)) *replaces = true;
    if (old.linkage == Linkage::kCommon) {
      const uint64_t old_size = inputs_[known.input].module().data_layout().AllocSize(old.value_type);
      *replaces = inputs_[source.input].module().data_layout().AllocSize(now.value_type) > old_size;
    }
    return true;
  }
  if (IsWeakForLinker(now)) {
    *replaces = IsLinkOnce(old) && IsWeak(now);
    return true;
  }
  if (IsWeakForLinker(old)) {
    *replaces = true;
    return true;
  }
  return Error(StrCat("linking globals named '", now.name, "': symbol multiply defined, in '",
                      inputs_[known.input].name, "' and '", inputs_[source.input].name, "'"));
}

bool LinkState::Resolve(Symbol source) {
  GlobalValue& value = Value(source);
  const Input& input = inputs_[source.input];
  if (value.linkage == Linkage::kAppending) {
    appending_[std::string(value.name)].push_back(source);
    return true;
  }
  if (!IsResolvedByName(value)) {
    // LLVM takes local values of the first module as they are; they are mentioned, or nothing needs them.
    return true;
  }
  const auto [place, is_new] = symbols_.try_emplace(std::string(value.name), source);
  bool replaces = is_new;
  if (is_new) {
    symbol_order_.emplace_back(value.name);
  } else {
    GlobalValue& known = Value(place->second);
    if (!CheckPair(known, value)) return false;
    // A library is not asked for what is defined.
    if (input.only_needed && !IsDeclaration(known)) return true;
    MergeProperties(known, value);
    if (!ShouldReplace(place->second, source, &replaces)) return false;
    if (replaces) place->second = source;
  }
  if (replaces && !input.only_needed && !IsLazy(value)) roots_.push_back(source);
  return true;
}

LinkState::Symbol LinkState::Target(Symbol symbol) {
  const GlobalValue& value = Value(symbol);
  if (!IsResolvedByName(value) || value.linkage == Linkage::kAppending) return symbol;
  const auto found = symbols_.find(std::string(value.name));
  return found == symbols_.end() ? symbol : found->second;
}

void LinkState::Take(Symbol symbol) {
  symbol = Target(symbol);
  if (Value(symbol).linkage == Linkage::kAppending) return;
  Input& input = inputs_[symbol.input];
  if (input.is_taken[symbol.id]) return;
  input.is_taken[symbol.id] = true;
  worklist_.push_back(symbol);
}

void LinkState::TakeMentionsOf(uint32_t input, const IrConstant& constant) {
  VisitGlobals(constant, [&](GlobalId global) { Take({input, global}); });
}

void LinkState::TakeMentionsOf(uint32_t input, const Function& function) {
  const auto take = [&](const Instruction& instruction) {
    for (const Use& use : instruction.operands()) {
      if (use.value().is_constant()) TakeMentionsOf(input, static_cast<const ConstantValue&>(use.value()).constant());
    }
  };
  for (const BasicBlock* block : function.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      for (const Instruction* record = i->first_record(); record != nullptr; record = record->next()) take(*record);
      take(*i);
    }
  }
}

void LinkState::TakeMentionsOf(Symbol symbol) {
  const GlobalValue& value = Value(symbol);
  Input& input = inputs_[symbol.input];
  if (!value.comdat.empty()) {
    for (const GlobalValue* other : input.module().global_values()) {
      if (other->comdat == value.comdat) Take({symbol.input, other->id()});
    }
  }
  if (value.is_variable()) {
    const auto& variable = static_cast<const GlobalVariable&>(value);
    if (variable.initializer != nullptr) TakeMentionsOf(symbol.input, *variable.initializer);
  } else if (!value.is_function()) {
    TakeMentionsOf(symbol.input, *static_cast<const GlobalAlias&>(value).aliasee);
  } else if (const auto& function = static_cast<const IrFunction&>(value); function.has_body) {
    if (const Function* body = input.bodies[symbol.id]; body != nullptr) TakeMentionsOf(symbol.input, *body);
    ScanMentions(function.tail_text, [&](const GlobalMention& mention) {
      const std::string name = mention.is_quoted ? UnescapeIrString(mention.name) : std::string(mention.name);
      const bool is_numbered = !mention.is_quoted && !name.empty() && IsIrDigit(name[0]);
      if (const GlobalValue* used = input.module().FindGlobal(name, is_numbered); used != nullptr) {
        Take({symbol.input, used->id()});
      }
    });
  }
}

void LinkState::TakeReachable() {
  for (const Symbol root : roots_) Take(root);
  for (const auto& [name, parts] : appending_) {
    for (const Symbol part : parts) {
      const auto& variable = static_cast<const GlobalVariable&>(Value(part));
      if (variable.initializer != nullptr) TakeMentionsOf(part.input, *variable.initializer);
    }
  }
  while (!worklist_.empty()) {
    const Symbol symbol = worklist_.back();
    worklist_.pop_back();
    TakeMentionsOf(symbol);
  }
}

// Functions are called with the types of their declarations. The names of structures are final here.
bool LinkState::CheckTypes() {
  bool ok = true;
  for (uint32_t number = 0; number < inputs_.size(); ++number) {
    for (const GlobalValue* value : inputs_[number].module().global_values()) {
      if (value->is_removed() || !value->is_function() || !IsResolvedByName(*value)) continue;
      const Symbol target = Target({number, value->id()});
      const GlobalValue& chosen = Value(target);
      if (&chosen == value || IsDeclaration(chosen) || !inputs_[target.input].is_taken[target.id]) continue;
      const std::string a = chosen.value_type->ToString(), b = value->value_type->ToString();
      if (a == b) continue;
      ok = Error(StrCat("linking globals named '", value->name, "': '", inputs_[target.input].name, "' defines it as '",
                        a, "', but it is '", b, "' in '", inputs_[number].name, "'"));
    }
  }
  return ok;
}

}  // namespace ptxmir::ir
