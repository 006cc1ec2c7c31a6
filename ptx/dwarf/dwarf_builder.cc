// SPDX-License-Identifier: Apache-2.0

// DwarfBuilder: entries, their attributes, and units.

#include "ptx/dwarf/dwarf_builder.h"

#include <algorithm>

#include "base/str_cat.h"
#include "ptx/dwarf/dwarf_metadata.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {

bool DwarfUnit::is_c_plus_plus() const {
  switch (language) {
    case dwarf::kLangCPlusPlus:
    case dwarf::kLangCPlusPlus03:
    case dwarf::kLangCPlusPlus11:
    case dwarf::kLangCPlusPlus14:
    case dwarf::kLangCPlusPlus17:
    case dwarf::kLangCPlusPlus20:
      return true;
    default:
      return false;
  }
}

const MetadataNode* DwarfBuilder::Node(MetadataId id) const {
  return id == kNoMetadata ? nullptr : module_.metadata(id);
}

Die* DwarfBuilder::NewDie(dwarf::Tag tag) {
  Die& die = dies_.emplace_back();
  die.tag = tag;
  return &die;
}

Die& DwarfBuilder::AddDie(DwarfUnit& unit, dwarf::Tag tag, Die& parent, MetadataId node) {
  Die* die = NewDie(tag);
  parent.AddChild(die);
  if (node != kNoMetadata) InsertDie(unit, node, die);
  return *die;
}

// Returns true for types and declarations. They have one entry in the whole module, in the unit that first mentions
// them.
bool DwarfBuilder::IsShared(const MetadataNode& node) const {
  return IsType(node) || (node.kind == "DISubprogram" && !IsSubprogramDefinition(node));
}

Die* DwarfBuilder::FindDie(const DwarfUnit& unit, MetadataId node) const {
  const MetadataNode* data = Node(node);
  if (data == nullptr) return nullptr;
  const auto& dies = IsShared(*data) ? shared_dies_ : unit.dies;
  const auto found = dies.find(node);
  return found == dies.end() ? nullptr : found->second;
}

void DwarfBuilder::InsertDie(DwarfUnit& unit, MetadataId node, Die* die) {
  const MetadataNode* data = Node(node);
  if (data == nullptr) return;
  (IsShared(*data) ? shared_dies_ : unit.dies).emplace(node, die);
}

DwarfUnit& DwarfBuilder::UnitOf(const Die& die, DwarfUnit& fallback) const {
  const Die& root = die.root();
  return root.tag == dwarf::kTagCompileUnit ? *units_[root.unit] : fallback;
}

void DwarfBuilder::AddFlag(Die& die, dwarf::Attribute attribute) { AddUnsigned(die, attribute, 1, dwarf::kFormFlag); }

void DwarfBuilder::AddUnsigned(Die& die, dwarf::Attribute attribute, uint64_t value, std::optional<dwarf::Form> form) {
  die.values.push_back(
      DieValue{.attribute = attribute, .form = form.value_or(SmallestUnsignedForm(value)), .integer = value});
}

void DwarfBuilder::AddSigned(Die& die, dwarf::Attribute attribute, int64_t value, std::optional<dwarf::Form> form) {
  AddUnsigned(die, attribute, static_cast<uint64_t>(value), form.value_or(SmallestSignedForm(value)));
}

// Adds a string. It ends at its first zero byte, because nothing could represent the rest.
void DwarfBuilder::AddString(Die& die, dwarf::Attribute attribute, std::string_view text) {
  die.values.push_back(DieValue{.attribute = attribute,
                                .form = dwarf::kFormString,
                                .kind = DieValue::Kind::kString,
                                .text = text.substr(0, text.find('\0'))});
}

void DwarfBuilder::AddLabel(Die& die, dwarf::Attribute attribute, dwarf::Form form, DwarfLabel label) {
  die.values.push_back(DieValue{.attribute = attribute, .form = form, .kind = DieValue::Kind::kLabel, .label = label});
}

void DwarfBuilder::AddReference(DwarfUnit& unit, Die& die, dwarf::Attribute attribute, const Die& target) {
  const bool is_within = &UnitOf(die, unit) == &UnitOf(target, unit);
  die.values.push_back(DieValue{.attribute = attribute,
                                .form = is_within ? dwarf::kFormRef4 : dwarf::kFormRefAddr,
                                .kind = DieValue::Kind::kDie,
                                .die = &target});
}

void DwarfBuilder::AddBlock(Die& die, dwarf::Attribute attribute, const DwarfBlock& block) {
  const uint64_t size = block.Size(address_size_);
  const dwarf::Form form = size <= 0xff ? dwarf::kFormBlock1 : size <= 0xffff ? dwarf::kFormBlock2 : dwarf::kFormBlock4;
  die.values.push_back(DieValue{.attribute = attribute, .form = form, .kind = DieValue::Kind::kBlock, .block = &block});
}

void DwarfBuilder::AddTagOffset(Die& die, const LocationBuilder& builder) {
  if (builder.tag_offset().has_value()) {
    AddUnsigned(die, dwarf::kAtLlvmTagOffset, *builder.tag_offset(), dwarf::kFormData1);
  }
}

LocationBuilder DwarfBuilder::NewLocation(DwarfBlock& block) {
  LocationBuilder builder(block, function_.registers, address_size_);
  builder.set_frame_register(Register::Physical(address_size_ == 4 ? phys_reg::kFrame32 : phys_reg::kFrame64));
  return builder;
}

void DwarfBuilder::AddSourceLine(Die& die, const MetadataNode& node) {
  const uint64_t line = static_cast<uint64_t>(node.Integer("line"));
  if (line == 0) return;
  AddUnsigned(die, dwarf::kAtDeclFile, info_.FileNumber(node.Node("file").value_or(kNoMetadata)));
  AddUnsigned(die, dwarf::kAtDeclLine, line);
}

void DwarfBuilder::AddAccess(Die& die, uint64_t flags) {
  static constexpr uint8_t kAccess[] = {0, dwarf::kAccessPrivate, dwarf::kAccessProtected, dwarf::kAccessPublic};
  const uint8_t access = kAccess[flags & di_flag::kAccessMask];
  if (access != 0) AddUnsigned(die, dwarf::kAtAccessibility, access, dwarf::kFormData1);
}

// Adds a linkage name. A leading byte 1, which means that LLVM does not mangle the name, is not part of it.
void DwarfBuilder::AddLinkageName(Die& die, const MetadataNode& node) {
  std::string_view name = node.Text("linkageName");
  if (name.empty()) return;
  if (name[0] == '\1') name.remove_prefix(1);
  AddString(die, dwarf::kAtMipsLinkageName, name);
}

void DwarfBuilder::AddAlignment(Die& die, const MetadataNode& node) {
  const uint64_t bytes = static_cast<uint64_t>(node.Integer("align")) / 8;
  if (bytes != 0) AddUnsigned(die, dwarf::kAtAlignment, bytes, dwarf::kFormUdata);
}

void DwarfBuilder::AddAnnotations(DwarfUnit& unit, Die& die, const MetadataNode& node) {
  for (const MetadataOperand& operand : ListOf(module_, node, "annotations")) {
    const MetadataNode* pair = operand.kind == MetadataOperand::Kind::kNode ? Node(operand.node) : operand.inline_node;
    if (pair == nullptr || pair->operands.size() < 2 || pair->operands[0].kind != MetadataOperand::Kind::kString) {
      continue;
    }
    Die& annotation = AddDie(unit, dwarf::kTagLlvmAnnotation, die);
    AddString(annotation, dwarf::kAtName, pair->operands[0].text);
    const MetadataOperand& value = pair->operands[1];
    if (value.kind == MetadataOperand::Kind::kString) {
      AddString(annotation, dwarf::kAtConstValue, value.text);
    } else if (value.kind == MetadataOperand::Kind::kConstant && value.constant->is_integer()) {
      AddConstant(annotation, true, value.constant->ZExtValue());
    }
  }
}

void DwarfBuilder::AddConstant(Die& die, bool is_unsigned, uint64_t value) {
  AddUnsigned(die, dwarf::kAtConstValue, value, is_unsigned ? dwarf::kFormUdata : dwarf::kFormSdata);
}

// Adds a number of more than 64 bits as a block of bytes, the lowest first.
void DwarfBuilder::AddWideConstant(Die& die, absl::Span<const uint64_t> words, uint32_t width) {
  DwarfBlock& block = NewBlock();
  for (uint32_t i = 0; i < width / 8; ++i) {
    block.AddByte(i / 8 < words.size() ? words[i / 8] >> (8 * (i % 8)) & 0xff : 0);
  }
  AddBlock(die, dwarf::kAtConstValue, block);
}

void DwarfBuilder::AddConstant(Die& die, const IrConstant& constant, std::optional<MetadataId> type) {
  if (constant.kind == IrConstant::Kind::kFloat) {
    AddConstant(die, true, constant.ZExtValue());
    return;
  }
  if (!constant.is_integer() || constant.type == nullptr) return;
  const uint32_t width = constant.type->integer_width();
  if (width > 64) {
    AddWideConstant(die, constant.words, width);
    return;
  }
  const bool is_unsigned = IsUnsignedType(type);
  AddConstant(die, is_unsigned, is_unsigned ? constant.ZExtValue() : static_cast<uint64_t>(constant.SExtValue()));
}

void DwarfBuilder::AddRangeOf(Die& die, DwarfLabel begin, DwarfLabel end) {
  AddLabel(die, dwarf::kAtLowPc, dwarf::kFormAddr, begin);
  AddLabel(die, dwarf::kAtHighPc, dwarf::kFormAddr, end);
}

void DwarfBuilder::AddGlobalName(DwarfUnit& unit, std::string_view name, const Die& die, MetadataId context) {
  if (unit.has_names) unit.global_names[StrCat(ContextPrefix(unit, context), name)] = &die;
}

// Returns "a::b::" for an entity in namespace b of namespace a.
std::string DwarfBuilder::ContextPrefix(const DwarfUnit& unit, MetadataId context) const {
  constexpr int kMaxScopes = 1000;
  if (!unit.is_c_plus_plus()) return "";
  std::vector<std::string_view> names;
  for (int i = 0; i < kMaxScopes; ++i) {
    const MetadataNode* node = Node(context);
    if (node == nullptr || node->kind == "DICompileUnit") break;
    std::string_view name = node->kind == "DIFile" ? std::string_view() : node->Text("name");
    if (name.empty() && node->kind == "DINamespace") name = "(anonymous namespace)";
    if (!name.empty()) names.push_back(name);
    context = node->Node("scope").value_or(kNoMetadata);
  }
  std::string prefix;
  for (auto name = names.rbegin(); name != names.rend(); ++name) StrAppend(&prefix, *name, "::");
  return prefix;
}

DwarfUnit* DwarfBuilder::Unit(MetadataId id) {
  const auto [found, is_new] = unit_of_node_.emplace(id, nullptr);
  if (!is_new) return found->second;
  const MetadataNode* node = Node(id);
  if (node == nullptr || node->kind != "DICompileUnit") return nullptr;
  auto unit = std::make_unique<DwarfUnit>();
  unit->number = static_cast<uint32_t>(units_.size());
  unit->node = id;
  unit->root.tag = dwarf::kTagCompileUnit;
  unit->root.unit = unit->number;
  unit->dies.emplace(id, &unit->root);
  ReadUnit(*unit, *node);
  found->second = unit.get();
  units_.push_back(std::move(unit));
  return found->second;
}

void DwarfBuilder::ReadUnit(DwarfUnit& unit, const MetadataNode& node) {
  unit.kind = info_.EmissionKindOf(unit.node);
  unit.is_for_profiling = IsTrue(node, "debugInfoForProfiling");
  const MetadataOperand* language = node.Find("language");
  if (language != nullptr) {
    unit.language = language->kind == MetadataOperand::Kind::kInteger ? static_cast<uint32_t>(language->integer)
                                                                      : dwarf::FindLanguage(language->text).value_or(0);
  }
  const std::string_view names = node.Text("nameTableKind");
  unit.has_gnu_names = names == "GNU";
  unit.has_names = unit.has_gnu_names || (names != "None" && names != "Apple" && unit.kind == EmissionKind::kFullDebug);
  if (unit.kind == EmissionKind::kDirectivesOnly) return;
  std::string_view producer = node.Text("producer");
  if (const std::string_view flags = node.Text("flags"); !flags.empty()) {
    producer = strings_.emplace_back(StrCat(producer, " ", flags));
  }
  const MetadataNode* file = Node(node.Node("file").value_or(kNoMetadata));
  AddString(unit.root, dwarf::kAtProducer, producer);
  AddUnsigned(unit.root, dwarf::kAtLanguage, unit.language, dwarf::kFormData2);
  AddString(unit.root, dwarf::kAtName, file == nullptr ? std::string_view() : file->Text("filename"));
  AddLabel(unit.root, dwarf::kAtStmtList, dwarf::kFormData4, {DwarfLabel::Kind::kLineSection, 0});
  const std::string_view directory = file == nullptr ? std::string_view() : file->Text("directory");
  if (!directory.empty()) AddString(unit.root, dwarf::kAtCompDir, directory);
  if (unit.has_names) AddFlag(unit.root, dwarf::kAtGnuPubnames);
}

void DwarfBuilder::BeginFunction(const DwarfFunction& function) {
  function_ = function;
  scope_entities_.clear();
  local_declarations_.clear();
}

void DwarfBuilder::Finish() {
  for (size_t i = 0; i < units_.size(); ++i) {
    DwarfUnit& unit = *units_[i];
    if (const MetadataNode* node = Node(unit.node); node != nullptr && unit.kind != EmissionKind::kDirectivesOnly) {
      for (const MetadataOperand& import : ListOf(module_, *node, "imports")) {
        if (import.kind == MetadataOperand::Kind::kNode) GetOrCreateImport(unit, import.node);
      }
    }
    for (size_t k = 0; k < unit.deferred.size(); ++k) {
      const MetadataNode* node = Node(unit.deferred[k]);
      if (node == nullptr) continue;
      if (node->kind == "DIImportedEntity") {
        GetOrCreateImport(unit, unit.deferred[k]);
      } else {
        GetOrCreateType(unit, unit.deferred[k]);
      }
    }
  }
  for (MetadataId subprogram : subprograms_) {
    DwarfUnit* unit = Unit(Node(subprogram)->Node("unit").value_or(kNoMetadata));
    Die* die = unit == nullptr ? nullptr : FindDie(*unit, subprogram);
    if (die == nullptr) continue;
    if (const auto found = abstract_dies_.find(subprogram); found != abstract_dies_.end()) {
      AddReference(*unit, *die, dwarf::kAtAbstractOrigin, *found->second);
    } else {
      ApplyToDefinition(*unit, *die, subprogram);
    }
  }
  for (DebugEntity* entity : concrete_entities_) FinishEntity(*entity);
  for (const auto& [die, scope] : blocks_with_code_) {
    const auto abstract = abstract_dies_.find(scope);
    if (abstract == abstract_dies_.end() || die->root().tag != dwarf::kTagCompileUnit) continue;
    AddReference(*units_[die->root().unit], *die, dwarf::kAtAbstractOrigin, *abstract->second);
  }
  for (const auto& unit : units_) {
    for (const auto& [die, type] : unit->containing_types) {
      if (const Die* target = FindDie(*unit, type)) AddReference(*unit, *die, dwarf::kAtContainingType, *target);
    }
  }
}

}  // namespace ptxmir::ptx
