// SPDX-License-Identifier: Apache-2.0

// DwarfBuilder: entries with code: subprograms, lexical blocks, inlined calls, and the variables in them.

#include <algorithm>

#include "ptx/dwarf/dwarf_builder.h"
#include "ptx/dwarf/dwarf_metadata.h"

namespace ptxmir::ptx {

DebugEntity& DwarfBuilder::NewEntity(MetadataId node, MetadataId inlined_at) {
  DebugEntity& entity = entities_.emplace_back();
  entity.node = node;
  entity.inlined_at = inlined_at;
  return entity;
}

void DwarfBuilder::AddToScope(const LexicalScope& scope, DebugEntity& entity) {
  const MetadataNode* node = Node(entity.node);
  if (node == nullptr) return;
  ScopeEntities& entities = scope_entities_[&scope];
  if (node->kind == "DILabel") {
    entities.labels.push_back(&entity);
  } else if (const int64_t number = node->Integer("arg"); number != 0) {
    entities.arguments.emplace(number, &entity);
  } else {
    entities.locals.push_back(&entity);
  }
}

void DwarfBuilder::AddAbstract(const LexicalScope& scope, MetadataId node) {
  DebugEntity& entity = NewEntity(node, kNoMetadata);
  abstract_entities_[node] = &entity;
  AddToScope(scope, entity);
}

DebugEntity& DwarfBuilder::AddConcrete(const LexicalScope& scope, LexicalScopes& scopes, MetadataId node,
                                       MetadataId inlined_at) {
  if (!HasAbstract(node)) {
    if (const LexicalScope* abstract = scopes.FindAbstract(scope.node)) AddAbstract(*abstract, node);
  }
  DebugEntity& entity = NewEntity(node, inlined_at);
  AddToScope(scope, entity);
  concrete_entities_.push_back(&entity);
  return entity;
}

void DwarfBuilder::AddLocalDeclaration(MetadataId scope, MetadataId node) {
  std::vector<MetadataId>& declarations = local_declarations_[scope];
  if (std::find(declarations.begin(), declarations.end(), node) == declarations.end()) declarations.push_back(node);
}

void DwarfBuilder::BuildAbstractSubprogram(const LexicalScope& scope) {
  const MetadataNode* subprogram = Node(scope.node);
  if (subprogram == nullptr || !has_abstract_children_.insert(scope.node).second) return;
  DwarfUnit* unit = Unit(subprogram->Node("unit").value_or(kNoMetadata));
  if (unit == nullptr) return;
  Die& die = GetOrCreateAbstractSubprogram(*unit, scope.node);
  DwarfUnit& owner = UnitOf(die, *unit);
  if (const Die* object = BuildScopeChildren(owner, scope, die)) {
    AddReference(owner, die, dwarf::kAtObjectPointer, *object);
  }
}

void DwarfBuilder::BuildFunction(DwarfUnit& unit, const LexicalScope* scope) {
  if (is_subprogram_listed_.insert(function_.subprogram).second) subprograms_.push_back(function_.subprogram);
  Die* die = GetOrCreateConcreteSubprogram(unit, function_.subprogram, unit.is_minimal());
  if (die == nullptr) return;
  AddRangeOf(*die, function_.Begin(), function_.End());
  if (!unit.is_minimal()) {
    DwarfBlock& block = NewBlock();
    block.AddByte(dwarf::kOpCallFrameCfa);
    AddBlock(*die, dwarf::kAtFrameBase, block);
  }
  if (scope != nullptr) {
    if (const Die* object = BuildScopeChildren(unit, *scope, *die)) {
      AddReference(unit, *die, dwarf::kAtObjectPointer, *object);
    }
  }
  const absl::Span<const MetadataOperand> types = SubprogramTypes(*Node(function_.subprogram));
  const bool is_variadic = types.size() > 1 && types.back().kind != MetadataOperand::Kind::kNode;
  if (is_variadic && !unit.is_minimal()) AddDie(unit, dwarf::kTagUnspecifiedParameters, *die);
}

// Builds the variables, labels and scopes in a scope. Returns the entry of `this` if it is among them, else null.
Die* DwarfBuilder::BuildScopeChildren(DwarfUnit& unit, const LexicalScope& scope, Die& die) {
  Die* object = nullptr;
  const auto is_object_pointer = [this](const DebugEntity& entity) {
    const MetadataNode* variable = Node(entity.node);
    const MetadataNode* type = Node(variable->Node("type").value_or(kNoMetadata));
    return ((DebugFlags(*variable) | (type == nullptr ? 0 : DebugFlags(*type))) & di_flag::kObjectPointer) != 0;
  };
  const auto add_variable = [&](DebugEntity& entity) {
    Die* variable = BuildVariable(unit, entity, scope.is_abstract);
    die.AddChild(variable);
    if (is_object_pointer(entity)) object = variable;
  };
  if (const auto found = scope_entities_.find(&scope); found != scope_entities_.end()) {
    const ScopeEntities& entities = found->second;
    for (const auto& [number, entity] : entities.arguments) add_variable(*entity);
    for (DebugEntity* entity : entities.locals) add_variable(*entity);
    for (DebugEntity* entity : entities.labels) die.AddChild(BuildLabel(unit, *entity, scope.is_abstract));
  }
  if (!unit.is_minimal() && scope.inlined_at == kNoMetadata) {
    for (MetadataId declaration : local_declarations_[scope.node]) {
      if (unit.is_deferred.insert(declaration).second) unit.deferred.push_back(declaration);
    }
  }
  for (const LexicalScope* child : scope.children) {
    if (IsEmptyBlock(unit, *child)) {
      BuildScopeChildren(unit, *child, die);
    } else {
      BuildScope(unit, *child, die);
    }
  }
  return object;
}

// Returns true if a scope is a block that declares nothing. Its children then go to the enclosing entry.
bool DwarfBuilder::IsEmptyBlock(const DwarfUnit& unit, const LexicalScope& scope) const {
  if (info_.Scope(scope.node).kind == DebugScope::Kind::kSubprogram) return false;
  const auto entities = scope_entities_.find(&scope);
  if (entities != scope_entities_.end() && (!entities->second.arguments.empty() || !entities->second.locals.empty())) {
    return false;
  }
  const auto declarations = local_declarations_.find(scope.node);
  return unit.is_minimal() || declarations == local_declarations_.end() || declarations->second.empty();
}

bool DwarfBuilder::HasNoCode(const LexicalScope& scope) const {
  if (scope.is_abstract) return false;
  if (scope.ranges.empty()) return true;
  return scope.ranges.size() == 1 && !function_.After(*scope.ranges[0].last).is_valid();
}

void DwarfBuilder::BuildScope(DwarfUnit& unit, const LexicalScope& scope, Die& parent) {
  if (scope.parent != nullptr && info_.Scope(scope.node).kind == DebugScope::Kind::kSubprogram) {
    if (Die* die = BuildInlinedSubroutine(unit, scope, parent)) BuildScopeChildren(unit, scope, *die);
    return;
  }
  if (HasNoCode(scope)) return;
  Die* die = NewDie(dwarf::kTagLexicalBlock);
  if (scope.is_abstract) {
    abstract_dies_.emplace(scope.node, die);
  } else {
    if (scope.inlined_at == kNoMetadata) unit.lexical_blocks.emplace(scope.node, die);
    blocks_with_code_.emplace_back(die, scope.node);
    AddRangesOf(*die, scope);
  }
  parent.AddChild(die);
  BuildScopeChildren(unit, scope, *die);
}

// Adds the range of a scope. Version 2 allows only one: from the first to the last instruction.
void DwarfBuilder::AddRangesOf(Die& die, const LexicalScope& scope) {
  if (scope.ranges.empty()) return;
  AddRangeOf(die, function_.Before(*scope.ranges.front().first), function_.After(*scope.ranges.back().last));
}

Die* DwarfBuilder::BuildInlinedSubroutine(DwarfUnit& unit, const LexicalScope& scope, Die& parent) {
  const auto origin = abstract_dies_.find(scope.node);
  if (origin == abstract_dies_.end()) return nullptr;
  Die& die = AddDie(unit, dwarf::kTagInlinedSubroutine, parent);
  AddReference(unit, die, dwarf::kAtAbstractOrigin, *origin->second);
  AddRangesOf(die, scope);
  const DebugLocation call = info_.Location(scope.inlined_at);
  AddUnsigned(die, dwarf::kAtCallFile, info_.FileNumber(info_.Scope(call.scope).file));
  AddUnsigned(die, dwarf::kAtCallLine, call.line);
  if (call.column != 0) AddUnsigned(die, dwarf::kAtCallColumn, call.column);
  return &die;
}

Die* DwarfBuilder::BuildVariable(DwarfUnit& unit, DebugEntity& entity, bool is_abstract) {
  const MetadataNode& variable = *Node(entity.node);
  Die* die = NewDie(variable.Integer("arg") != 0 ? dwarf::kTagFormalParameter : dwarf::kTagVariable);
  InsertDie(unit, entity.node, die);
  entity.die = die;
  if (is_abstract) {
    AddVariableAttributes(unit, *die, entity.node);
    return die;
  }
  switch (entity.kind) {
    case DebugEntity::Kind::kSingle:
      AddSingleLocation(*die, entity);
      break;
    case DebugEntity::Kind::kList:
      AddLabel(*die, dwarf::kAtLocation, dwarf::kFormData4, {DwarfLabel::Kind::kLocationList, entity.list});
      break;
    case DebugEntity::Kind::kStack:
      AddStackLocation(*die, entity);
      break;
    case DebugEntity::Kind::kNoLocation:
    case DebugEntity::Kind::kLabel:
      break;
  }
  return die;
}

Die* DwarfBuilder::BuildLabel(DwarfUnit& unit, DebugEntity& entity, bool is_abstract) {
  Die* die = NewDie(dwarf::kTagLabel);
  InsertDie(unit, entity.node, die);
  entity.die = die;
  if (is_abstract) AddLabelAttributes(*die, entity.node);
  return die;
}

// Adds a value that holds throughout the variable's scope.
void DwarfBuilder::AddSingleLocation(Die& die, const DebugEntity& entity) {
  const DebugValue& value = entity.value;
  if (value.places.empty()) return;
  if (value.expression.empty()) {
    AddUnsigned(die, dwarf::kAtAddressClass, dwarf::kAddressClassRegister, dwarf::kFormData1);
  }
  const DebugValue::Place& place = value.places[0];
  const bool is_register = place.kind == DebugValue::Place::Kind::kRegister;
  if (!value.is_variadic && !is_register) {
    // A constant is not a location, unless the expression selects a part of the variable or computes with the
    // constant.
    if (place.kind == DebugValue::Place::Kind::kWide) {
      AddWideConstant(die, place.words, place.width);
    } else if (place.kind == DebugValue::Place::Kind::kFloat) {
      AddConstant(die, true, place.bits);
    } else if (value.expression.empty()) {
      AddConstant(die, IsUnsignedType(Node(entity.node)->Node("type")), place.bits);
    } else {
      DwarfBlock& block = NewBlock();
      LocationBuilder builder = NewLocation(block);
      builder.AddFragmentOffset(value.expression);
      builder.AddUnsigned(place.bits);
      builder.AddOperations(value.expression.operations());
      AddBlock(die, dwarf::kAtLocation, block);
      AddTagOffset(die, builder);
    }
    return;
  }
  if (value.is_variadic && value.HasUnknownPlace()) return;
  DwarfBlock& block = NewBlock();
  LocationBuilder builder = NewLocation(block);
  LocationBuilder::Operations operations = value.expression.operations();
  builder.AddFragmentOffset(value.expression);
  if (!value.is_variadic) {
    if (place.is_indirect) builder.SetMemory();
    if (!builder.AddRegister(place.reg, operations)) return;
    builder.AddOperations(operations);
  } else {
    const auto add_argument = [&](uint64_t number, LocationBuilder::Operations& rest) {
      if (number >= value.places.size()) return false;
      const DebugValue::Place& argument = value.places[number];
      if (argument.kind == DebugValue::Place::Kind::kRegister) return builder.AddRegister(argument.reg, rest);
      if (argument.kind == DebugValue::Place::Kind::kWide) return false;
      builder.AddUnsigned(argument.bits);
      return true;
    };
    if (!builder.AddOperations(operations, add_argument)) return;
  }
  AddBlock(die, dwarf::kAtLocation, block);
  AddTagOffset(die, builder);
}

// Adds the location of a variable in the function's depot.
void DwarfBuilder::AddStackLocation(Die& die, const DebugEntity& entity) {
  std::optional<uint64_t> address_class;
  DwarfBlock& block = NewBlock();
  LocationBuilder builder = NewLocation(block);
  const MachineFrameInfo& frame = function_.function->frame_info();
  for (const auto& [index, whole_expression] : entity.stack_objects) {
    builder.AddFragmentOffset(*whole_expression);
    const DebugExpression expression = whole_expression->WithoutAddressClass(&address_class);
    const int64_t offset = frame.object(index).offset;
    std::vector<DebugExpression::Operation> operations;
    if (offset > 0) {
      operations.push_back({.code = dwarf::kOpPlusUconst, .arguments = {static_cast<uint64_t>(offset), 0}});
    } else if (offset < 0) {
      operations.push_back({.code = dwarf::kOpConstu, .arguments = {0 - static_cast<uint64_t>(offset), 0}});
      operations.push_back({.code = dwarf::kOpMinus});
    }
    operations.insert(operations.end(), expression.operations().begin(), expression.operations().end());
    builder.SetMemory();
    block.AddByte(dwarf::kOpAddr);
    block.AddAddress({DwarfLabel::Kind::kLocalDepot, function_.function->number()});
    builder.AddOperations(operations);
  }
  AddUnsigned(die, dwarf::kAtAddressClass, address_class.value_or(dwarf::kAddressClassLocal) & 0xff, dwarf::kFormData1);
  AddBlock(die, dwarf::kAtLocation, block);
  AddTagOffset(die, builder);
}

void DwarfBuilder::AddVariableAttributes(DwarfUnit& unit, Die& die, MetadataId id) {
  const MetadataNode& variable = *Node(id);
  if (const std::string_view name = variable.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  AddAlignment(die, variable);
  AddAnnotations(unit, die, variable);
  AddSourceLine(die, variable);
  const std::optional<MetadataId> type = variable.Node("type");
  AddType(unit, die, type);
  const MetadataNode* type_node = Node(type.value_or(kNoMetadata));
  if (((DebugFlags(variable) | (type_node == nullptr ? 0 : DebugFlags(*type_node))) & di_flag::kArtificial) != 0) {
    AddFlag(die, dwarf::kAtArtificial);
  }
}

void DwarfBuilder::AddLabelAttributes(Die& die, MetadataId id) {
  const MetadataNode& label = *Node(id);
  if (const std::string_view name = label.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  AddSourceLine(die, label);
  if (const int64_t column = label.Integer("column"); column != 0 && label.Integer("line") != 0) {
    AddUnsigned(die, dwarf::kAtDeclColumn, static_cast<uint64_t>(column));
  }
  if (IsTrue(label, "isArtificial")) AddFlag(die, dwarf::kAtArtificial);
}

// Adds the attributes that describe the entity, or a reference to the abstract entry that inlined copies share.
void DwarfBuilder::FinishEntity(DebugEntity& entity) {
  if (entity.die == nullptr || entity.die->root().tag != dwarf::kTagCompileUnit) return;
  Die& die = *entity.die;
  DwarfUnit& unit = *units_[die.root().unit];
  const auto abstract = abstract_entities_.find(entity.node);
  if (abstract != abstract_entities_.end() && abstract->second->die != nullptr) {
    AddReference(unit, die, dwarf::kAtAbstractOrigin, *abstract->second->die);
  } else if (entity.kind == DebugEntity::Kind::kLabel) {
    AddLabelAttributes(die, entity.node);
  } else {
    AddVariableAttributes(unit, die, entity.node);
  }
  if (entity.kind == DebugEntity::Kind::kLabel && entity.label.is_valid()) {
    AddLabel(die, dwarf::kAtLowPc, dwarf::kFormAddr, entity.label);
  }
}

}  // namespace ptxmir::ptx
