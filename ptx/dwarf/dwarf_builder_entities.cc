// SPDX-License-Identifier: Apache-2.0

// DwarfBuilder: entries of contexts, namespaces, subprograms, global variables and imported entities.

#include <algorithm>

#include "ir/address_space.h"
#include "ptx/dwarf/dwarf_builder.h"
#include "ptx/dwarf/dwarf_metadata.h"

namespace ptxmir::ptx {
namespace {

// Returns the class of a variable in an address space, as LLVM gives it.
uint64_t AddressClassOf(uint32_t space) {
  switch (space) {
    case address_space::kGeneric:
      return dwarf::kAddressClassGeneric;
    case address_space::kShared:
      return dwarf::kAddressClassShared;
    case address_space::kConst:
      return dwarf::kAddressClassConst;
    case address_space::kLocal:
      return dwarf::kAddressClassLocal;
    default:
      return dwarf::kAddressClassGlobal;
  }
}

}  // namespace

Die* DwarfBuilder::GetOrCreateContext(DwarfUnit& unit, std::optional<MetadataId> context) {
  const DepthGuard guard(*this);
  const MetadataNode* node = context.has_value() ? Node(*context) : nullptr;
  if (node == nullptr || guard.is_too_deep()) return &unit.root;
  if (node->kind == "DIFile" || node->kind == "DICompileUnit") {
    Die* found = FindDie(unit, *context);
    return found == nullptr ? &unit.root : found;
  }
  if (IsType(*node)) return GetOrCreateType(unit, context);
  if (node->kind == "DINamespace") return GetOrCreateNamespace(unit, *context, *node);
  if (node->kind == "DIModule") return GetOrCreateModule(unit, *context, *node);
  if (node->kind == "DILexicalBlockFile" || node->kind == "DILexicalBlock" || node->kind == "DISubprogram") {
    const MetadataId scope = info_.SkipBlockFiles(*context);
    if (const auto found = abstract_dies_.find(scope); found != abstract_dies_.end()) return found->second;
    const MetadataNode* scope_node = Node(scope);
    if (scope_node != nullptr && scope_node->kind == "DISubprogram") return GetOrCreateSubprogram(unit, scope);
    const auto block = unit.lexical_blocks.find(scope);
    if (block != unit.lexical_blocks.end()) return block->second;
    // A block without an entry of its own belongs to the enclosing scope.
    return scope_node == nullptr ? &unit.root : GetOrCreateContext(unit, scope_node->Node("scope"));
  }
  Die* found = FindDie(unit, *context);
  return found == nullptr ? &unit.root : found;
}

Die* DwarfBuilder::GetOrCreateNamespace(DwarfUnit& unit, MetadataId id, const MetadataNode& node) {
  const std::optional<MetadataId> context = node.Node("scope");
  Die* context_die = GetOrCreateContext(unit, context);
  if (Die* found = FindDie(unit, id)) return found;
  if (context_die == nullptr) context_die = &unit.root;
  Die& die = AddDie(unit, dwarf::kTagNamespace, *context_die, id);
  const std::string_view name = node.Text("name");
  if (!name.empty()) AddString(die, dwarf::kAtName, name);
  AddGlobalName(unit, name.empty() ? "(anonymous namespace)" : name, die, context.value_or(kNoMetadata));
  if (IsTrue(node, "exportSymbols")) AddFlag(die, dwarf::kAtExportSymbols);
  return &die;
}

Die* DwarfBuilder::GetOrCreateModule(DwarfUnit& unit, MetadataId id, const MetadataNode& node) {
  Die* context_die = GetOrCreateContext(unit, node.Node("scope"));
  if (Die* found = FindDie(unit, id)) return found;
  if (context_die == nullptr) context_die = &unit.root;
  Die& die = AddDie(unit, dwarf::kTagModule, *context_die, id);
  if (const std::string_view name = node.Text("name"); !name.empty()) {
    AddString(die, dwarf::kAtName, name);
    AddGlobalName(unit, name, die, node.Node("scope").value_or(kNoMetadata));
  }
  if (const auto file = node.Node("file")) AddUnsigned(die, dwarf::kAtDeclFile, info_.FileNumber(*file));
  if (const int64_t line = node.Integer("line"); line != 0) {
    AddUnsigned(die, dwarf::kAtDeclLine, static_cast<uint64_t>(line));
  }
  if (IsTrue(node, "isDecl")) AddFlag(die, dwarf::kAtDeclaration);
  return &die;
}

Die* DwarfBuilder::GetOrCreateSubprogram(DwarfUnit& unit, MetadataId id) {
  const DepthGuard guard(*this);
  const MetadataNode* node = Node(id);
  if (node == nullptr || node->kind != "DISubprogram" || guard.is_too_deep()) return nullptr;
  // Only inlined copies are left of a definition without a function.
  if (IsSubprogramDefinition(*node) && !HasFunction(id)) {
    DwarfUnit* owner = Unit(node->Node("unit").value_or(kNoMetadata));
    return &GetOrCreateAbstractSubprogram(owner == nullptr ? unit : *owner, id);
  }
  return GetOrCreateConcreteSubprogram(unit, id, /*is_minimal=*/false);
}

Die* DwarfBuilder::GetOrCreateConcreteSubprogram(DwarfUnit& unit, MetadataId id, bool is_minimal) {
  const MetadataNode* node = Node(id);
  // Build the context first. If the subprogram is a member, that may build the subprogram too.
  Die* context = is_minimal ? &unit.root : GetOrCreateContext(unit, node->Node("scope"));
  if (Die* found = FindDie(unit, id)) return found;
  if (const auto declaration = node->Node("declaration"); declaration.has_value() && !is_minimal) {
    context = &unit.root;
    GetOrCreateSubprogram(unit, *declaration);
  }
  if (context == nullptr) context = &unit.root;
  Die& die = AddDie(unit, dwarf::kTagSubprogram, *context, id);
  // Definitions are completed at the end, when it is known whether they were inlined.
  if (!IsSubprogramDefinition(*node)) AddSubprogramAttributes(UnitOf(die, unit), die, id);
  return &die;
}

// Returns true if a function of the IR is the subprogram's code.
bool DwarfBuilder::HasFunction(MetadataId subprogram) {
  if (!knows_functions_) {
    knows_functions_ = true;
    for (const IrFunction& function : module_.functions()) {
      const MetadataAttachment* attachment = function.FindMetadata("dbg");
      if (attachment != nullptr && attachment->text.empty()) has_function_.insert(attachment->node);
    }
  }
  return has_function_.contains(subprogram);
}

// Returns the entry that stands for all inlined copies, so far without its children.
Die& DwarfBuilder::GetOrCreateAbstractSubprogram(DwarfUnit& unit, MetadataId id) {
  if (const auto found = abstract_dies_.find(id); found != abstract_dies_.end()) return *found->second;
  const MetadataNode& subprogram = *Node(id);
  DwarfUnit* owner = &unit;
  Die* context = &unit.root;
  if (!unit.is_minimal()) {
    if (const auto declaration = subprogram.Node("declaration")) {
      GetOrCreateSubprogram(unit, *declaration);
    } else {
      context = GetOrCreateContext(unit, subprogram.Node("scope"));
      if (context == nullptr) context = &unit.root;
      // The context may be shared with another unit.
      owner = &UnitOf(*context, unit);
    }
    // Building the context may have built the entry.
    if (const auto found = abstract_dies_.find(id); found != abstract_dies_.end()) return *found->second;
  }
  // Do not register this entry under the node, which stands for the entry of the function itself.
  Die& die = AddDie(*owner, dwarf::kTagSubprogram, *context);
  abstract_dies_[id] = &die;
  ApplyToDefinition(*owner, die, id);
  AddSigned(die, dwarf::kAtInline, dwarf::kInlInlined);
  return die;
}

absl::Span<const MetadataOperand> DwarfBuilder::SubprogramTypes(const MetadataNode& subprogram) const {
  const MetadataNode* type = Node(subprogram.Node("type").value_or(kNoMetadata));
  return type == nullptr ? absl::Span<const MetadataOperand>() : ListOf(module_, *type, "types");
}

// Adds the attributes that a definition adds to its declaration. Returns true if there is a declaration, which
// provides the rest.
bool DwarfBuilder::AddDefinitionAttributes(DwarfUnit& unit, Die& die, const MetadataNode& subprogram, bool is_minimal) {
  const Die* declaration_die = nullptr;
  std::string_view declared_name;
  const std::optional<MetadataId> declaration_id = subprogram.Node("declaration");
  const MetadataNode* declaration = Node(declaration_id.value_or(kNoMetadata));
  if (declaration != nullptr && !is_minimal) {
    const absl::Span<const MetadataOperand> declared = SubprogramTypes(*declaration);
    const absl::Span<const MetadataOperand> defined = SubprogramTypes(subprogram);
    if (!declared.empty() && !defined.empty() && defined[0].kind == MetadataOperand::Kind::kNode &&
        (declared[0].kind != MetadataOperand::Kind::kNode || declared[0].node != defined[0].node)) {
      AddType(unit, die, defined[0].node);
    }
    declaration_die = FindDie(unit, *declaration_id);
    declared_name = declaration->Text("linkageName");
    const uint32_t declared_file = info_.FileNumber(declaration->Node("file").value_or(kNoMetadata));
    const uint32_t defined_file = info_.FileNumber(subprogram.Node("file").value_or(kNoMetadata));
    if (declared_file != defined_file) AddUnsigned(die, dwarf::kAtDeclFile, defined_file);
    const int64_t line = subprogram.Integer("line");
    if (line != declaration->Integer("line")) AddUnsigned(die, dwarf::kAtDeclLine, static_cast<uint64_t>(line));
  }
  BuildTemplateParameters(unit, die, ListOf(module_, subprogram, "templateParams"));
  if (declared_name != subprogram.Text("linkageName")) AddLinkageName(die, subprogram);
  if (declaration_die == nullptr) return false;
  AddReference(unit, die, dwarf::kAtSpecification, *declaration_die);
  return true;
}

void DwarfBuilder::AddSubprogramAttributes(DwarfUnit& unit, Die& die, MetadataId id, bool is_minimal) {
  const MetadataNode& subprogram = *Node(id);
  const bool has_place = !is_minimal || unit.is_for_profiling;
  if (has_place && AddDefinitionAttributes(unit, die, subprogram, is_minimal)) return;
  if (const std::string_view name = subprogram.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  AddAnnotations(unit, die, subprogram);
  if (has_place) AddSourceLine(die, subprogram);
  if (is_minimal) return;
  const uint64_t sp_flags = SubprogramFlags(subprogram);
  const bool is_c =
      unit.language == dwarf::kLangC89 || unit.language == dwarf::kLangC99 || unit.language == dwarf::kLangObjC;
  if (is_c && (DebugFlags(subprogram) & di_flag::kPrototyped) != 0) AddFlag(die, dwarf::kAtPrototyped);
  if (const MetadataNode* type = Node(subprogram.Node("type").value_or(kNoMetadata))) {
    const MetadataOperand* convention = type->Find("cc");
    const uint64_t number = convention == nullptr ? 0
                            : convention->kind == MetadataOperand::Kind::kInteger
                                ? static_cast<uint64_t>(convention->integer)
                                : dwarf::FindCallingConvention(convention->text).value_or(0);
    if (number != 0 && number != dwarf::kCcNormal) {
      AddUnsigned(die, dwarf::kAtCallingConvention, number & 0xff, dwarf::kFormData1);
    }
  }
  const absl::Span<const MetadataOperand> types = SubprogramTypes(subprogram);
  if (!types.empty() && types[0].kind == MetadataOperand::Kind::kNode) AddType(unit, die, types[0].node);
  AddVirtuality(unit, die, subprogram, sp_flags);
  if ((sp_flags & di_sp_flag::kDefinition) == 0) {
    AddFlag(die, dwarf::kAtDeclaration);
    BuildParameterTypes(unit, die, types);
  }
  for (const MetadataOperand& thrown : ListOf(module_, subprogram, "thrownTypes")) {
    if (thrown.kind != MetadataOperand::Kind::kNode) continue;
    AddType(unit, AddDie(unit, dwarf::kTagThrownType, die), thrown.node);
  }
  AddSubprogramFlags(die, subprogram, sp_flags);
}

void DwarfBuilder::AddVirtuality(DwarfUnit& unit, Die& die, const MetadataNode& subprogram, uint64_t sp_flags) {
  const uint64_t virtuality = sp_flags & di_sp_flag::kVirtualityMask;
  if (virtuality == 0) return;
  AddUnsigned(die, dwarf::kAtVirtuality, virtuality, dwarf::kFormData1);
  const uint32_t index = static_cast<uint32_t>(subprogram.Integer("virtualIndex"));
  if (index != ~uint32_t{0}) {
    DwarfBlock& block = NewBlock();
    block.AddByte(dwarf::kOpConstu);
    block.AddUnsigned(index);
    AddBlock(die, dwarf::kAtVtableElemLocation, block);
  }
  if (const auto type = subprogram.Node("containingType")) unit.containing_types.emplace_back(&die, *type);
}

void DwarfBuilder::AddSubprogramFlags(Die& die, const MetadataNode& subprogram, uint64_t sp_flags) {
  const uint64_t flags = DebugFlags(subprogram);
  if ((flags & di_flag::kArtificial) != 0) AddFlag(die, dwarf::kAtArtificial);
  if ((sp_flags & di_sp_flag::kLocalToUnit) == 0) AddFlag(die, dwarf::kAtExternal);
  if ((flags & di_flag::kLValueReference) != 0) AddFlag(die, dwarf::kAtReference);
  if ((flags & di_flag::kRValueReference) != 0) AddFlag(die, dwarf::kAtRvalueReference);
  if ((flags & di_flag::kNoReturn) != 0) AddFlag(die, dwarf::kAtNoreturn);
  AddAccess(die, flags);
  if ((flags & di_flag::kExplicit) != 0) AddFlag(die, dwarf::kAtExplicit);
  if ((sp_flags & di_sp_flag::kMainSubprogram) != 0) AddFlag(die, dwarf::kAtMainSubprogram);
  if ((sp_flags & di_sp_flag::kPure) != 0) AddFlag(die, dwarf::kAtPure);
  if ((sp_flags & di_sp_flag::kElemental) != 0) AddFlag(die, dwarf::kAtElemental);
  if ((sp_flags & di_sp_flag::kRecursive) != 0) AddFlag(die, dwarf::kAtRecursive);
}

void DwarfBuilder::ApplyToDefinition(DwarfUnit& unit, Die& die, MetadataId id) {
  const MetadataNode& subprogram = *Node(id);
  const MetadataNode* declaration = Node(subprogram.Node("declaration").value_or(kNoMetadata));
  const MetadataNode& declared = declaration == nullptr ? subprogram : *declaration;
  AddSubprogramAttributes(unit, die, id, unit.is_minimal());
  AddGlobalName(unit, subprogram.Text("name"), die, declared.Node("scope").value_or(kNoMetadata));
}

Die* DwarfBuilder::GetOrCreateGlobalVariable(DwarfUnit& unit, MetadataId id, absl::Span<const GlobalPlace> places) {
  if (Die* found = FindDie(unit, id)) return found;
  const MetadataNode* variable = Node(id);
  if (variable == nullptr || variable->kind != "DIGlobalVariable") return nullptr;
  const std::optional<MetadataId> scope = variable->Node("scope");
  Die* context = GetOrCreateContext(unit, scope);
  if (context == nullptr) context = &unit.root;
  Die& die = AddDie(unit, dwarf::kTagVariable, *context, id);
  MetadataId name_context = scope.value_or(kNoMetadata);
  const std::optional<MetadataId> member = variable->Node("declaration");
  if (const MetadataNode* member_node = Node(member.value_or(kNoMetadata))) {
    name_context = member_node->Node("scope").value_or(kNoMetadata);
    if (const Die* declaration = GetOrCreateStaticMember(unit, *member)) {
      AddReference(unit, die, dwarf::kAtSpecification, *declaration);
    }
    // The variable's type is more specific than that of the member.
    if (variable->Node("type") != member_node->Node("baseType")) AddType(unit, die, variable->Node("type"));
  } else {
    if (const std::string_view name = variable->Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
    AddType(unit, die, variable->Node("type"));
    if (!IsTrue(*variable, "isLocal")) AddFlag(die, dwarf::kAtExternal);
    AddSourceLine(die, *variable);
  }
  if (variable->Find("isDefinition") != nullptr && !IsTrue(*variable, "isDefinition")) {
    AddFlag(die, dwarf::kAtDeclaration);
  } else {
    AddGlobalName(unit, variable->Text("name"), die, name_context);
  }
  AddAnnotations(unit, die, *variable);
  AddAlignment(die, *variable);
  BuildTemplateParameters(unit, die, ListOf(module_, *variable, "templateParams"));
  AddGlobalLocation(die, places);
  AddLinkageName(die, *variable);
  return &die;
}

void DwarfBuilder::AddGlobalLocation(Die& die, absl::Span<const GlobalPlace> places) {
  std::optional<uint64_t> address_class;
  uint64_t class_of_space = dwarf::kAddressClassGlobal;
  DwarfBlock* block = nullptr;
  std::optional<LocationBuilder> builder;
  for (const GlobalPlace& place : places) {
    const bool is_constant = place.expression != nullptr && place.expression->is_constant();
    if (places.size() == 1 && is_constant) {
      const DebugExpression::Operation& value = place.expression->operations()[0];
      AddConstant(die, value.code == dwarf::kOpConstu, value.arguments[0]);
      break;
    }
    if (place.variable == nullptr && !is_constant) continue;
    if (block == nullptr) {
      block = &NewBlock();
      builder.emplace(NewLocation(*block));
    }
    DebugExpression expression;
    if (place.expression != nullptr) expression = place.expression->WithoutAddressClass(&address_class);
    builder->AddFragmentOffset(expression);
    if (place.variable != nullptr) {
      class_of_space = AddressClassOf(place.variable->address_space);
      block->AddByte(dwarf::kOpAddr);
      block->AddAddress({DwarfLabel::Kind::kGlobal, place.variable->id()});
    }
    if (builder->is_unknown()) builder->SetMemory();
    builder->AddOperations(expression.operations());
  }
  AddUnsigned(die, dwarf::kAtAddressClass, address_class.value_or(class_of_space) & 0xff, dwarf::kFormData1);
  if (block != nullptr) AddBlock(die, dwarf::kAtLocation, *block);
}

void DwarfBuilder::BuildGlobals() {
  // The variables of the module that each DIGlobalVariable describes.
  absl::flat_hash_map<MetadataId, std::vector<GlobalPlace>> places;
  const auto expression_of = [this](const MetadataNode& pair) -> const DebugExpression* {
    const MetadataOperand* operand = pair.Find("expr");
    if (operand == nullptr) return nullptr;
    const MetadataNode* node =
        operand->kind == MetadataOperand::Kind::kNode ? Node(operand->node) : operand->inline_node;
    auto parsed = node == nullptr ? std::nullopt : DebugExpression::Parse(node);
    return parsed.has_value() ? &expressions_.emplace_back(*std::move(parsed)) : nullptr;
  };
  for (const GlobalVariable& variable : module_.variables()) {
    for (const MetadataAttachment& attachment : variable.metadata) {
      if (attachment.kind != "dbg" || !attachment.text.empty()) continue;
      const MetadataNode* pair = Node(attachment.node);
      if (pair == nullptr || pair->kind != "DIGlobalVariableExpression") continue;
      const auto described = pair->Node("var");
      if (described.has_value()) {
        places[*described].push_back(GlobalPlace{.variable = &variable, .expression = expression_of(*pair)});
      }
    }
  }
  const NamedMetadata* units = module_.FindNamedMetadata("llvm.dbg.cu");
  if (units == nullptr) return;
  for (MetadataId id : units->nodes) {
    const MetadataNode* node = Node(id);
    if (node == nullptr || info_.EmissionKindOf(id) == EmissionKind::kNoDebug) continue;
    // A unit that only functions mention is created with the first of these functions.
    bool has_entities = false;
    for (std::string_view key : {"imports", "enums", "retainedTypes", "globals", "macros"}) {
      has_entities |= !ListOf(module_, *node, key).empty();
    }
    DwarfUnit* unit = has_entities ? Unit(id) : nullptr;
    if (unit == nullptr) continue;
    for (const MetadataOperand& global : ListOf(module_, *node, "globals")) {
      const MetadataNode* pair = global.kind == MetadataOperand::Kind::kNode ? Node(global.node) : nullptr;
      if (pair == nullptr || !pair->Node("var").has_value()) continue;
      const DebugExpression* expression = expression_of(*pair);
      std::vector<GlobalPlace>& described = places[*pair->Node("var")];
      if (described.empty() || (expression != nullptr && expression->is_constant())) {
        described.push_back(GlobalPlace{.expression = expression});
      }
    }
    BuildUnitGlobals(*unit, *node, places);
  }
}

void DwarfBuilder::BuildUnitGlobals(DwarfUnit& unit, const MetadataNode& node,
                                    absl::flat_hash_map<MetadataId, std::vector<GlobalPlace>>& places) {
  if (unit.kind == EmissionKind::kDirectivesOnly) return;
  for (const MetadataOperand& global : ListOf(module_, node, "globals")) {
    const MetadataNode* pair = global.kind == MetadataOperand::Kind::kNode ? Node(global.node) : nullptr;
    const auto described = pair == nullptr ? std::nullopt : pair->Node("var");
    if (!described.has_value()) continue;
    std::vector<GlobalPlace>& list = places[*described];
    // Sort places without an expression first, then those for the whole variable, then by the bits that they
    // describe.
    const auto rank = [](const GlobalPlace& place) {
      const auto fragment = place.expression == nullptr ? std::nullopt : place.expression->fragment();
      return std::make_pair(place.expression == nullptr ? 0
                            : !fragment.has_value()     ? 1
                                                        : 2,
                            fragment.has_value() ? fragment->offset_in_bits : 0);
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const GlobalPlace& a, const GlobalPlace& b) { return rank(a) < rank(b); });
    const auto is_same = [](const GlobalPlace& a, const GlobalPlace& b) {
      return a.expression == b.expression ||
             (a.expression != nullptr && b.expression != nullptr && *a.expression == *b.expression);
    };
    list.erase(std::unique(list.begin(), list.end(), is_same), list.end());
    GetOrCreateGlobalVariable(unit, *described, list);
  }
  for (std::string_view key : {"enums", "retainedTypes"}) {
    for (const MetadataOperand& type : ListOf(module_, node, key)) {
      if (type.kind == MetadataOperand::Kind::kNode) GetOrCreateType(unit, type.node);
    }
  }
}

Die* DwarfBuilder::GetOrCreateImport(DwarfUnit& unit, MetadataId id) {
  const DepthGuard guard(*this);
  const MetadataNode* node = Node(id);
  if (node == nullptr || node->kind != "DIImportedEntity" || guard.is_too_deep()) return nullptr;
  if (Die* found = FindDie(unit, id)) return found;
  Die* context = GetOrCreateContext(unit, node->Node("scope"));
  Die* die = BuildImport(unit, id);
  if (die != nullptr) (context == nullptr ? &unit.root : context)->AddChild(die);
  return die;
}

// Builds an import without placing it in the tree. Returns null if the imported entity does not exist.
Die* DwarfBuilder::BuildImport(DwarfUnit& unit, MetadataId id) {
  const DepthGuard guard(*this);
  const MetadataNode* node = Node(id);
  const auto entity = node == nullptr ? std::nullopt : node->Node("entity");
  if (!entity.has_value() || guard.is_too_deep()) return nullptr;
  const dwarf::Tag tag = TagOf(*node);
  if (tag == dwarf::kTagNone) return nullptr;
  Die* die = NewDie(tag);
  InsertDie(unit, id, die);
  const Die* target = ImportedEntity(unit, *entity);
  if (target == nullptr) return nullptr;
  AddSourceLine(*die, *node);
  AddReference(unit, *die, dwarf::kAtImport, *target);
  if (const std::string_view name = node->Text("name"); !name.empty()) AddString(*die, dwarf::kAtName, name);
  for (const MetadataOperand& element : ListOf(module_, *node, "elements")) {
    const MetadataNode* child = element.kind == MetadataOperand::Kind::kNode ? Node(element.node) : nullptr;
    if (child == nullptr || child->kind != "DIImportedEntity") continue;
    if (Die* child_die = BuildImport(unit, element.node)) die->AddChild(child_die);
  }
  return die;
}

const Die* DwarfBuilder::ImportedEntity(DwarfUnit& unit, MetadataId id) {
  const MetadataNode* node = Node(id);
  if (node == nullptr) return nullptr;
  if (node->kind == "DINamespace") return GetOrCreateNamespace(unit, id, *node);
  if (node->kind == "DIModule") return GetOrCreateModule(unit, id, *node);
  if (node->kind == "DISubprogram") {
    const auto found = abstract_dies_.find(id);
    return found != abstract_dies_.end() ? found->second : GetOrCreateSubprogram(unit, id);
  }
  if (IsType(*node)) return GetOrCreateType(unit, id);
  if (node->kind == "DIGlobalVariable") return GetOrCreateGlobalVariable(unit, id, {});
  if (node->kind == "DIImportedEntity") return GetOrCreateImport(unit, id);
  return FindDie(unit, id);
}

}  // namespace ptxmir::ptx
