// SPDX-License-Identifier: Apache-2.0

// DwarfBuilder: entries of types.

#include <algorithm>

#include "ptx/dwarf/dwarf_builder.h"
#include "ptx/dwarf/dwarf_metadata.h"

namespace ptxmir::ptx {
namespace {

uint64_t SizeInBits(const MetadataNode& node) { return static_cast<uint64_t>(node.Integer("size")); }

// Returns the default lower bound of arrays in the language (for version 2), or nullopt if it has no agreed default.
std::optional<int64_t> DefaultLowerBound(uint32_t language) {
  switch (language) {
    case dwarf::kLangC:
    case dwarf::kLangC89:
    case dwarf::kLangCPlusPlus:
      return 0;
    case dwarf::kLangFortran77:
    case dwarf::kLangFortran90:
      return 1;
    default:
      return std::nullopt;
  }
}

bool IsReferenceTag(dwarf::Tag tag) { return tag == dwarf::kTagReferenceType || tag == dwarf::kTagRvalueReferenceType; }

// Returns true for typedefs and qualifiers, which have the size and signedness of their base type.
bool IsTransparentTag(dwarf::Tag tag) {
  switch (tag) {
    case dwarf::kTagTypedef:
    case dwarf::kTagConstType:
    case dwarf::kTagVolatileType:
    case dwarf::kTagRestrictType:
    case dwarf::kTagAtomicType:
    case dwarf::kTagImmutableType:
    case dwarf::kTagTemplateAlias:
      return true;
    default:
      return false;
  }
}

bool HasSizeOfItsOwn(dwarf::Tag tag) {
  return tag != dwarf::kTagPointerType && tag != dwarf::kTagPtrToMemberType && !IsReferenceTag(tag);
}

constexpr int kMaxTypeChain = 1000;  // longer chains are cycles

}  // namespace

Die* DwarfBuilder::GetOrCreateType(DwarfUnit& unit, std::optional<MetadataId> type) {
  if (!type.has_value()) return nullptr;
  const DepthGuard guard(*this);
  const MetadataNode* node = Node(*type);
  if (node == nullptr || !IsType(*node) || guard.is_too_deep()) return nullptr;
  const dwarf::Tag tag = TagOf(*node);
  if (tag == dwarf::kTagNone) return nullptr;
  // Version 2 has neither tag.
  if (tag == dwarf::kTagRestrictType || tag == dwarf::kTagAtomicType) {
    return GetOrCreateType(unit, node->Node("baseType"));
  }
  // Build the context first, because that may build the type.
  const std::optional<MetadataId> context = node->Node("scope");
  Die* context_die = GetOrCreateContext(unit, context);
  if (Die* found = FindDie(unit, *type)) return found;
  if (context_die == nullptr) context_die = &unit.root;
  DwarfUnit& owner = UnitOf(*context_die, unit);
  Die& die = AddDie(owner, tag, *context_die, *type);
  if (owner.has_names) {
    const MetadataNode* scope = Node(context.value_or(kNoMetadata));
    const bool is_global = scope == nullptr || scope->kind == "DICompileUnit" || scope->kind == "DIFile" ||
                           scope->kind == "DINamespace" || scope->kind == "DICommonBlock";
    const std::string_view name = node->Text("name");
    if (is_global && !name.empty() && (DebugFlags(*node) & di_flag::kFwdDecl) == 0) {
      owner.global_types[ContextPrefix(owner, context.value_or(kNoMetadata)).append(name)] = &die;
    }
  }
  if (node->kind == "DIBasicType") {
    BuildBasicType(die, *node);
  } else if (node->kind == "DIStringType") {
    BuildStringType(die, *node);
  } else if (node->kind == "DISubroutineType") {
    BuildSubroutineType(owner, die, *node);
  } else if (node->kind == "DICompositeType") {
    BuildCompositeType(owner, die, *node);
  } else {
    BuildDerivedType(owner, die, *node);
  }
  return &die;
}

void DwarfBuilder::AddType(DwarfUnit& unit, Die& die, std::optional<MetadataId> type, dwarf::Attribute attribute) {
  if (const Die* target = GetOrCreateType(unit, type)) AddReference(unit, die, attribute, *target);
}

void DwarfBuilder::BuildBasicType(Die& die, const MetadataNode& type) {
  if (const std::string_view name = type.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  if (die.tag == dwarf::kTagUnspecifiedType) return;
  if (die.tag != dwarf::kTagStringType) {
    const MetadataOperand* encoding = type.Find("encoding");
    uint64_t number = 0;
    if (encoding != nullptr) {
      number = encoding->kind == MetadataOperand::Kind::kInteger ? static_cast<uint64_t>(encoding->integer)
                                                                 : dwarf::FindEncoding(encoding->text).value_or(0);
    }
    AddUnsigned(die, dwarf::kAtEncoding, number & 0xff, dwarf::kFormData1);
  }
  AddUnsigned(die, dwarf::kAtByteSize, SizeInBits(type) / 8);
  // For _BitInt(37): the number of significant bits among the 64.
  if (const int64_t bits = type.Integer("dataSize"); bits != 0) {
    AddUnsigned(die, dwarf::kAtBitSize, static_cast<uint64_t>(bits));
  }
  const uint64_t flags = DebugFlags(type);
  if ((flags & di_flag::kBigEndian) != 0) {
    AddUnsigned(die, dwarf::kAtEndianity, 1);
  } else if ((flags & di_flag::kLittleEndian) != 0) {
    AddUnsigned(die, dwarf::kAtEndianity, 2);
  }
}

void DwarfBuilder::BuildStringType(Die& die, const MetadataNode& type) {
  if (const std::string_view name = type.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  AddUnsigned(die, dwarf::kAtByteSize, SizeInBits(type) / 8);
}

void DwarfBuilder::BuildDerivedType(DwarfUnit& unit, Die& die, const MetadataNode& type) {
  AddType(unit, die, type.Node("baseType"));
  if (const std::string_view name = type.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  const uint64_t size = SizeInBits(type) / 8;
  if (size != 0 && HasSizeOfItsOwn(die.tag)) AddUnsigned(die, dwarf::kAtByteSize, size);
  if (die.tag == dwarf::kTagPtrToMemberType) {
    if (const Die* owner = GetOrCreateType(unit, type.Node("extraData"))) {
      AddReference(unit, die, dwarf::kAtContainingType, *owner);
    }
  }
  const uint64_t flags = DebugFlags(type);
  AddAccess(die, flags);
  if ((flags & di_flag::kFwdDecl) == 0) AddSourceLine(die, type);
  const MetadataOperand* space = type.Find("dwarfAddressSpace");
  if (space != nullptr && space->kind == MetadataOperand::Kind::kInteger) {
    AddUnsigned(die, dwarf::kAtAddressClass, static_cast<uint64_t>(space->integer), dwarf::kFormData4);
  }
  if (die.tag == dwarf::kTagTemplateAlias) {
    BuildTemplateParameters(unit, die, ListOf(module_, type, "extraData"));
  }
}

void DwarfBuilder::BuildParameterTypes(DwarfUnit& unit, Die& die, absl::Span<const MetadataOperand> types) {
  for (size_t i = 1; i < types.size(); ++i) {
    if (types[i].kind != MetadataOperand::Kind::kNode) {
      AddDie(unit, dwarf::kTagUnspecifiedParameters, die);
      continue;
    }
    Die& parameter = AddDie(unit, dwarf::kTagFormalParameter, die);
    AddType(unit, parameter, types[i].node);
    const MetadataNode* type = Node(types[i].node);
    if (type != nullptr && (DebugFlags(*type) & di_flag::kArtificial) != 0) AddFlag(parameter, dwarf::kAtArtificial);
  }
}

void DwarfBuilder::BuildSubroutineType(DwarfUnit& unit, Die& die, const MetadataNode& type) {
  const absl::Span<const MetadataOperand> types = ListOf(module_, type, "types");
  if (!types.empty() && types[0].kind == MetadataOperand::Kind::kNode) AddType(unit, die, types[0].node);
  const bool is_prototyped = types.size() != 2 || types[1].kind == MetadataOperand::Kind::kNode;
  BuildParameterTypes(unit, die, types);
  const bool is_c =
      unit.language == dwarf::kLangC89 || unit.language == dwarf::kLangC99 || unit.language == dwarf::kLangObjC;
  if (is_prototyped && is_c) AddFlag(die, dwarf::kAtPrototyped);
  if (const MetadataOperand* convention = type.Find("cc")) {
    const uint64_t number = convention->kind == MetadataOperand::Kind::kInteger
                                ? static_cast<uint64_t>(convention->integer)
                                : dwarf::FindCallingConvention(convention->text).value_or(0);
    if (number != 0 && number != dwarf::kCcNormal) {
      AddUnsigned(die, dwarf::kAtCallingConvention, number & 0xff, dwarf::kFormData1);
    }
  }
  const uint64_t flags = DebugFlags(type);
  if ((flags & di_flag::kLValueReference) != 0) AddFlag(die, dwarf::kAtReference);
  if ((flags & di_flag::kRValueReference) != 0) AddFlag(die, dwarf::kAtRvalueReference);
}

void DwarfBuilder::BuildCompositeType(DwarfUnit& unit, Die& die, const MetadataNode& type) {
  const uint64_t flags = DebugFlags(type);
  const bool is_record =
      die.tag == dwarf::kTagStructureType || die.tag == dwarf::kTagUnionType || die.tag == dwarf::kTagClassType;
  if (die.tag == dwarf::kTagArrayType) {
    BuildArray(unit, die, type);
  } else if (die.tag == dwarf::kTagEnumerationType) {
    BuildEnumeration(unit, die, type);
  } else if (is_record || die.tag == dwarf::kTagVariantPart) {
    if (is_record) BuildTemplateParameters(unit, die, ListOf(module_, type, "templateParams"));
    BuildMembers(unit, die, type);
    if ((flags & di_flag::kExportSymbols) != 0) AddFlag(die, dwarf::kAtExportSymbols);
    if (const Die* holder = GetOrCreateType(unit, type.Node("vtableHolder"))) {
      AddReference(unit, die, dwarf::kAtContainingType, *holder);
    }
    if ((flags & di_flag::kTypePassByValue) != 0) {
      AddUnsigned(die, dwarf::kAtCallingConvention, dwarf::kCcPassByValue, dwarf::kFormData1);
    } else if ((flags & di_flag::kTypePassByReference) != 0) {
      AddUnsigned(die, dwarf::kAtCallingConvention, dwarf::kCcPassByReference, dwarf::kFormData1);
    }
  }
  if (const std::string_view name = type.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  AddAnnotations(unit, die, type);
  if (!is_record && die.tag != dwarf::kTagEnumerationType) return;
  const bool is_declaration = (flags & di_flag::kFwdDecl) != 0;
  const uint64_t size = SizeInBits(type) / 8;
  if (size != 0 && (!is_declaration || die.tag == dwarf::kTagEnumerationType)) {
    AddUnsigned(die, dwarf::kAtByteSize, size);
  } else if (!is_declaration) {
    AddUnsigned(die, dwarf::kAtByteSize, 0);
  }
  if (is_declaration) AddFlag(die, dwarf::kAtDeclaration);
  AddAccess(die, flags);
  if (!is_declaration) AddSourceLine(die, type);
  if (const int64_t language = type.Integer("runtimeLang"); language != 0) {
    AddUnsigned(die, dwarf::kAtAppleRuntimeClass, static_cast<uint64_t>(language) & 0xff, dwarf::kFormData1);
  }
  AddAlignment(die, type);
}

void DwarfBuilder::BuildMembers(DwarfUnit& unit, Die& die, const MetadataNode& type) {
  for (const MetadataOperand& operand : ListOf(module_, type, "elements")) {
    const MetadataNode* element = operand.kind == MetadataOperand::Kind::kNode ? Node(operand.node) : nullptr;
    if (element == nullptr) continue;
    if (element->kind == "DISubprogram") {
      GetOrCreateSubprogram(unit, operand.node);
    } else if (element->kind == "DIDerivedType") {
      const dwarf::Tag tag = TagOf(*element);
      if (tag == dwarf::kTagFriend) {
        Die& member = AddDie(unit, dwarf::kTagFriend, die);
        AddType(unit, member, element->Node("baseType"), dwarf::kAtFriend);
      } else if ((DebugFlags(*element) & di_flag::kStaticMember) != 0) {
        GetOrCreateStaticMember(unit, operand.node);
      } else {
        BuildMember(unit, die, *element);
      }
    } else if (element->kind == "DICompositeType" && TagOf(*element) == dwarf::kTagVariantPart) {
      const DepthGuard guard(*this);
      if (guard.is_too_deep()) return;
      BuildCompositeType(unit, AddDie(unit, dwarf::kTagVariantPart, die), *element);
    }
  }
}

void DwarfBuilder::BuildMember(DwarfUnit& unit, Die& parent, const MetadataNode& member) {
  const dwarf::Tag tag = TagOf(member);
  if (tag == dwarf::kTagNone) return;
  Die& die = AddDie(unit, tag, parent);
  if (const std::string_view name = member.Text("name"); !name.empty()) AddString(die, dwarf::kAtName, name);
  AddAnnotations(unit, die, member);
  AddType(unit, die, member.Node("baseType"));
  AddSourceLine(die, member);
  const uint64_t flags = DebugFlags(member);
  if (tag == dwarf::kTagInheritance && (flags & di_flag::kVirtual) != 0) {
    // The virtual table holds the position of a virtual base: object + *(*object - offset).
    DwarfBlock& block = NewBlock();
    for (uint64_t code : {dwarf::kOpDup, dwarf::kOpDeref, dwarf::kOpConstu}) block.AddByte(code);
    block.AddUnsigned(static_cast<uint64_t>(member.Integer("offset")));
    for (uint64_t code : {dwarf::kOpMinus, dwarf::kOpDeref, dwarf::kOpPlus}) block.AddByte(code);
    AddBlock(die, dwarf::kAtDataMemberLocation, block);
  } else {
    BuildMemberPlace(die, member);
  }
  AddAccess(die, flags);
  if ((flags & di_flag::kVirtual) != 0) {
    AddUnsigned(die, dwarf::kAtVirtuality, dwarf::kVirtualityVirtual, dwarf::kFormData1);
  }
  if ((flags & di_flag::kArtificial) != 0) AddFlag(die, dwarf::kAtArtificial);
}

// Adds the offset within the record. Version 2 describes a bit field as bits of a storage unit, counted from its
// high end.
void DwarfBuilder::BuildMemberPlace(Die& die, const MetadataNode& member) {
  const uint64_t offset = static_cast<uint64_t>(member.Integer("offset"));
  uint64_t offset_in_bytes = offset / 8;
  if ((DebugFlags(member) & di_flag::kBitField) != 0) {
    const uint64_t size = SizeInBits(member), field_size = SizeOfBaseType(member);
    AddUnsigned(die, dwarf::kAtByteSize, field_size / 8);
    AddUnsigned(die, dwarf::kAtBitSize, size);
    const uint32_t alignment_mask = ~(static_cast<uint32_t>(field_size) - 1);
    const uint64_t unit_offset = ((offset + field_size) & alignment_mask) - field_size;
    const int64_t bit_offset = static_cast<int64_t>(field_size - (offset - unit_offset + size));
    if (bit_offset < 0) {
      AddSigned(die, dwarf::kAtBitOffset, bit_offset, dwarf::kFormSdata);
    } else {
      AddUnsigned(die, dwarf::kAtBitOffset, static_cast<uint64_t>(bit_offset));
    }
    offset_in_bytes = unit_offset / 8;
  } else {
    AddAlignment(die, member);
  }
  DwarfBlock& block = NewBlock();
  block.AddByte(dwarf::kOpPlusUconst);
  block.AddUnsigned(offset_in_bytes);
  AddBlock(die, dwarf::kAtDataMemberLocation, block);
}

Die* DwarfBuilder::GetOrCreateStaticMember(DwarfUnit& unit, MetadataId id) {
  const MetadataNode* member = Node(id);
  if (member == nullptr || member->kind != "DIDerivedType") return nullptr;
  Die* context = GetOrCreateContext(unit, member->Node("scope"));
  if (Die* found = FindDie(unit, id)) return found;
  const dwarf::Tag tag = TagOf(*member);
  if (context == nullptr || tag == dwarf::kTagNone) return nullptr;
  Die& die = AddDie(unit, tag, *context, id);
  AddString(die, dwarf::kAtName, member->Text("name"));
  AddType(unit, die, member->Node("baseType"));
  AddSourceLine(die, *member);
  AddFlag(die, dwarf::kAtExternal);
  AddFlag(die, dwarf::kAtDeclaration);
  const uint64_t flags = DebugFlags(*member);
  if ((flags & di_flag::kArtificial) != 0) AddFlag(die, dwarf::kAtArtificial);
  AddAccess(die, flags);
  const MetadataOperand* value = member->Find("extraData");
  if (value != nullptr && value->kind == MetadataOperand::Kind::kConstant) {
    AddConstant(die, *value->constant, member->Node("baseType"));
  }
  AddAlignment(die, *member);
  return &die;
}

Die& DwarfBuilder::IndexType(DwarfUnit& unit) {
  if (unit.index_type == nullptr) {
    unit.index_type = &AddDie(unit, dwarf::kTagBaseType, unit.root);
    AddString(*unit.index_type, dwarf::kAtName, "__ARRAY_SIZE_TYPE__");
    AddUnsigned(*unit.index_type, dwarf::kAtByteSize, 8);
    AddUnsigned(*unit.index_type, dwarf::kAtEncoding, dwarf::kAteUnsigned, dwarf::kFormData1);
  }
  return *unit.index_type;
}

// Returns true if a vector is larger than the sum of its elements.
bool DwarfBuilder::IsPaddedVector(const MetadataNode& type) const {
  const MetadataNode* element = Node(type.Node("baseType").value_or(kNoMetadata));
  const absl::Span<const MetadataOperand> ranges = ListOf(module_, type, "elements");
  if (element == nullptr || ranges.size() != 1 || ranges[0].kind != MetadataOperand::Kind::kNode) return false;
  const MetadataNode* range = Node(ranges[0].node);
  if (range == nullptr) return false;
  return SizeInBits(type) != static_cast<uint64_t>(range->Integer("count")) * SizeInBits(*element);
}

void DwarfBuilder::BuildArray(DwarfUnit& unit, Die& die, const MetadataNode& type) {
  if ((DebugFlags(type) & di_flag::kVector) != 0) {
    AddFlag(die, dwarf::kAtGnuVector);
    if (IsPaddedVector(type)) AddUnsigned(die, dwarf::kAtByteSize, SizeInBits(type) / 8);
  }
  AddType(unit, die, type.Node("baseType"));
  const Die& index_type = IndexType(unit);
  for (const MetadataOperand& operand : ListOf(module_, type, "elements")) {
    const MetadataNode* range = operand.kind == MetadataOperand::Kind::kNode ? Node(operand.node) : nullptr;
    if (range != nullptr && range->kind == "DISubrange") BuildSubrange(unit, die, *range, index_type);
  }
}

void DwarfBuilder::BuildSubrange(DwarfUnit& unit, Die& array, const MetadataNode& range, const Die& index_type) {
  Die& die = AddDie(unit, dwarf::kTagSubrangeType, array);
  AddReference(unit, die, dwarf::kAtType, index_type);
  const auto add_bound = [&](std::string_view key, dwarf::Attribute attribute) {
    const MetadataOperand* bound = range.Find(key);
    if (bound == nullptr) return;
    if (bound->kind == MetadataOperand::Kind::kNode || bound->kind == MetadataOperand::Kind::kInlineNode) {
      const MetadataNode* node = bound->kind == MetadataOperand::Kind::kNode ? Node(bound->node) : bound->inline_node;
      if (node == nullptr) return;
      if (node->kind == "DIExpression") {
        const auto expression = DebugExpression::Parse(node);
        if (!expression.has_value()) return;
        DwarfBlock& block = NewBlock();
        LocationBuilder builder = NewLocation(block);
        builder.SetMemory();
        builder.AddOperations(expression->operations());
        AddBlock(die, attribute, block);
      } else if (bound->kind == MetadataOperand::Kind::kNode) {
        if (const Die* variable = FindDie(unit, bound->node)) AddReference(unit, die, attribute, *variable);
      }
      return;
    }
    if (bound->kind != MetadataOperand::Kind::kInteger) return;
    if (attribute == dwarf::kAtCount) {
      if (bound->integer != -1) AddUnsigned(die, attribute, static_cast<uint64_t>(bound->integer));
    } else if (attribute != dwarf::kAtLowerBound || DefaultLowerBound(unit.language) != bound->integer) {
      AddSigned(die, attribute, bound->integer, dwarf::kFormSdata);
    }
  };
  add_bound("lowerBound", dwarf::kAtLowerBound);
  add_bound("count", dwarf::kAtCount);
  add_bound("upperBound", dwarf::kAtUpperBound);
  add_bound("stride", dwarf::kAtByteStride);
}

void DwarfBuilder::BuildEnumeration(DwarfUnit& unit, Die& die, const MetadataNode& type) {
  const std::optional<MetadataId> base = type.Node("baseType");
  const bool is_unsigned = base.has_value() && IsUnsignedType(base);
  AddType(unit, die, base);
  const MetadataId context = type.Node("scope").value_or(kNoMetadata);
  const MetadataNode* scope = Node(context);
  const bool is_global = scope == nullptr || scope->kind == "DICompileUnit" || scope->kind == "DIFile" ||
                         scope->kind == "DINamespace" || scope->kind == "DICommonBlock";
  for (const MetadataOperand& operand : ListOf(module_, type, "elements")) {
    const MetadataNode* enumerator = operand.kind == MetadataOperand::Kind::kNode ? Node(operand.node) : nullptr;
    if (enumerator == nullptr || enumerator->kind != "DIEnumerator") continue;
    Die& child = AddDie(unit, dwarf::kTagEnumerator, die);
    const std::string_view name = enumerator->Text("name");
    AddString(child, dwarf::kAtName, name);
    AddConstant(child, is_unsigned, static_cast<uint64_t>(enumerator->Integer("value")));
    if (is_global) AddGlobalName(unit, name, child, context);
  }
}

void DwarfBuilder::BuildTemplateParameters(DwarfUnit& unit, Die& die, absl::Span<const MetadataOperand> parameters) {
  const DepthGuard guard(*this);
  if (guard.is_too_deep()) return;
  for (const MetadataOperand& operand : parameters) {
    const MetadataNode* parameter = operand.kind == MetadataOperand::Kind::kNode ? Node(operand.node) : nullptr;
    if (parameter == nullptr) continue;
    if (parameter->kind == "DITemplateTypeParameter") {
      Die& child = AddDie(unit, dwarf::kTagTemplateTypeParameter, die);
      AddType(unit, child, parameter->Node("type"));
      if (const std::string_view name = parameter->Text("name"); !name.empty()) {
        AddString(child, dwarf::kAtName, name);
      }
      if (IsTrue(*parameter, "defaulted")) AddFlag(child, dwarf::kAtDefaultValue);
    } else if (parameter->kind == "DITemplateValueParameter") {
      BuildTemplateValue(unit, die, *parameter);
    }
  }
}

void DwarfBuilder::BuildTemplateValue(DwarfUnit& unit, Die& die, const MetadataNode& parameter) {
  const dwarf::Tag tag = TagOf(parameter);
  if (tag == dwarf::kTagNone) return;
  Die& child = AddDie(unit, tag, die);
  if (tag == dwarf::kTagTemplateValueParameter) AddType(unit, child, parameter.Node("type"));
  if (const std::string_view name = parameter.Text("name"); !name.empty()) AddString(child, dwarf::kAtName, name);
  if (IsTrue(parameter, "defaulted")) AddFlag(child, dwarf::kAtDefaultValue);
  const MetadataOperand* value = parameter.Find("value");
  if (value == nullptr) return;
  if (value->kind == MetadataOperand::Kind::kConstant) {
    if (value->constant->is_integer()) {
      AddConstant(child, *value->constant, parameter.Node("type"));
    } else if (value->constant->kind == IrConstant::Kind::kGlobal) {
      DwarfBlock& block = NewBlock();
      block.AddByte(dwarf::kOpAddr);
      block.AddAddress({DwarfLabel::Kind::kGlobal, value->constant->global});
      block.AddByte(dwarf::kOpStackValue);
      AddBlock(child, dwarf::kAtLocation, block);
    }
  } else if (tag == dwarf::kTagGnuTemplateTemplateParam) {
    if (value->kind == MetadataOperand::Kind::kString) AddString(child, dwarf::kAtGnuTemplateName, value->text);
  } else if (tag == dwarf::kTagGnuTemplateParameterPack) {
    BuildTemplateParameters(unit, child, ListOf(module_, parameter, "value"));
  }
}

bool DwarfBuilder::IsUnsignedType(std::optional<MetadataId> type) const {
  for (int i = 0; i < kMaxTypeChain && type.has_value(); ++i) {
    const MetadataNode* node = Node(*type);
    if (node == nullptr) return false;
    const dwarf::Tag tag = TagOf(*node);
    if (node->kind == "DIStringType") return true;
    if (node->kind == "DIBasicType") {
      const auto encoding = dwarf::FindEncoding(node->Text("encoding"));
      return encoding == dwarf::kAteUnsigned || encoding == dwarf::kAteUnsignedChar || encoding == dwarf::kAteUtf ||
             encoding == dwarf::kAteBoolean || tag == dwarf::kTagUnspecifiedType;
    }
    if (node->kind == "DICompositeType" && tag != dwarf::kTagEnumerationType) return true;  // a piece of it, as bytes
    if (node->kind == "DIDerivedType" && !IsTransparentTag(tag)) return true;               // an address
    type = node->Node("baseType");
  }
  return false;
}

uint64_t DwarfBuilder::SizeOfBaseType(const MetadataNode& type) const {
  const MetadataNode* node = &type;
  for (int i = 0; i < kMaxTypeChain; ++i) {
    if (node->kind != "DIDerivedType") return SizeInBits(*node);
    const dwarf::Tag tag = TagOf(*node);
    if (tag != dwarf::kTagMember && !IsTransparentTag(tag)) return SizeInBits(*node);
    const MetadataNode* base = Node(node->Node("baseType").value_or(kNoMetadata));
    if (base == nullptr) return 0;
    if (IsReferenceTag(TagOf(*base))) return SizeInBits(*node);
    node = base;
  }
  return 0;
}

}  // namespace ptxmir::ptx
