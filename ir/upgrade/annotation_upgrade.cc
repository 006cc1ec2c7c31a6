// SPDX-License-Identifier: Apache-2.0

// Upgrades !nvvm.annotations (LLVM's UpgradeNVVMAnnotations).

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/upgrade/upgrade.h"

namespace ptxmir::ir {
namespace {

class AnnotationUpgrade {
 public:
  explicit AnnotationUpgrade(Module& module) : module_(module) {}

  // Returns true if the pair was moved to the function.
  bool Move(IrFunction& function, std::string_view key, const MetadataOperand& value);

 private:
  IrAttribute StringAttribute(std::string_view name, std::string_view value) {
    return {
        .name = module_.CopyString(name),
        .text = module_.CopyString(value.empty() ? StrCat("\"", name, "\"") : StrCat("\"", name, "\"=\"", value, "\"")),
        .is_string = true,
        .value = module_.CopyString(value)};
  }
  void Set(IrFunction& function, std::string_view name, std::string_view value);
  void SetDimension(IrFunction& function, std::string_view name, char dimension, uint64_t value);
  void SetAlignment(IrFunction& function, uint64_t value);
  bool MoveGridConstants(IrFunction& function, const MetadataOperand& value);

  Module& module_;
};

// Adds an attribute to the function, or replaces it. A group that has it is written out at the function, because the
// attributes of groups take precedence.
void AnnotationUpgrade::Set(IrFunction& function, std::string_view name, std::string_view value) {
  std::vector<IrAttribute>& own = function.attributes.mutable_all();
  std::vector<uint32_t>& groups = function.attribute_groups;
  for (size_t i = 0; i < groups.size();) {
    const IrAttributeGroup* group = module_.FindAttributeGroup(groups[i]);
    if (group == nullptr || !group->attributes.Has(name)) {
      ++i;
      continue;
    }
    own.insert(own.end(), group->attributes.all().begin(), group->attributes.all().end());
    groups.erase(groups.begin() + static_cast<ptrdiff_t>(i));
  }
  own.erase(std::remove_if(own.begin(), own.end(), [&](const IrAttribute& known) { return known.name == name; }),
            own.end());
  own.push_back(StringAttribute(name, value));
  function.MarkChanged();
}

// Sets one of up to three numbers, "256,4". A dimension below it that is missing becomes 1.
void AnnotationUpgrade::SetDimension(IrFunction& function, std::string_view name, char dimension, uint64_t value) {
  std::vector<std::string> numbers;
  if (const auto known = module_.FunctionAttributeString(function, name); known.has_value() && !known->empty()) {
    numbers.emplace_back();
    for (const char c : *known) {
      if (c == ',') {
        numbers.emplace_back();
      } else {
        numbers.back().push_back(c);
      }
    }
  }
  const auto index = static_cast<size_t>(dimension - 'x');
  if (numbers.size() <= index) numbers.resize(index + 1, "1");
  numbers[index] = StrCat(value);
  std::string joined;
  for (const std::string& number : numbers) StrAppend(&joined, joined.empty() ? "" : ",", number);
  Set(function, name, joined);
}

// The upper half is the number of the parameter, with 0 for the result; the lower half its alignment.
void AnnotationUpgrade::SetAlignment(IrFunction& function, uint64_t value) {
  const uint64_t index = value >> 16;
  const uint64_t align = value & 0xffff;
  if (index > function.parameters.size() || align == 0 || (align & (align - 1)) != 0) return;
  IrAttributes& attributes = index == 0 ? function.return_attributes : function.parameters[index - 1].attributes;
  const std::string_view text = module_.CopyString(StrCat("alignstack(", align, ")"));
  attributes.Add(
      {.name = text.substr(0, 10), .text = text, .value = text.substr(11, text.size() - 12), .integer = align});
  function.MarkChanged();
}

bool AnnotationUpgrade::MoveGridConstants(IrFunction& function, const MetadataOperand& value) {
  const MetadataNode* list =
      value.kind == MetadataOperand::Kind::kNode ? module_.metadata(value.node) : value.inline_node;
  if (list == nullptr) return false;
  for (const MetadataOperand& number : list->operands) {
    if (number.constant == nullptr || !number.constant->is_integer()) continue;
    const uint64_t index = number.constant->ZExtValue();
    if (index == 0 || index > function.parameters.size()) continue;
    IrAttributes& attributes = function.parameters[index - 1].attributes;
    if (!attributes.Has("nvvm.grid_constant")) attributes.Add(StringAttribute("nvvm.grid_constant", ""));
  }
  function.MarkChanged();
  return true;
}

bool AnnotationUpgrade::Move(IrFunction& function, std::string_view key, const MetadataOperand& value) {
  if (key == "grid_constant") return MoveGridConstants(function, value);
  if (value.constant == nullptr || !value.constant->is_integer()) return false;
  const uint64_t number = value.constant->ZExtValue();
  if (key == "kernel") {
    if (number != 0) function.calling_convention = calling_convention::kPtxKernel;
    function.MarkChanged();
    return true;
  }
  if (key == "align") {
    SetAlignment(function, number);
    return true;
  }
  if (key == "minctasm" || key == "maxnreg") {
    Set(function, StrCat("nvvm.", key), StrCat(number));
    return true;
  }
  if (key == "maxclusterrank" || key == "cluster_max_blocks") {
    Set(function, "nvvm.maxclusterrank", StrCat(number));
    return true;
  }
  for (const std::string_view stem : {"maxntid", "reqntid", "cluster_dim_"}) {
    if (key.size() != stem.size() + 1 || key.substr(0, stem.size()) != stem) continue;
    if (key.back() < 'x' || key.back() > 'z') continue;
    std::string name = StrCat("nvvm.", stem);
    if (name.back() == '_') name.pop_back();
    SetDimension(function, name, key.back(), number);
    return true;
  }
  return false;
}

std::string OperandText(const Module& module, const MetadataOperand& operand) {
  if (operand.constant != nullptr) return ToStringWithType(module, *operand.constant);
  if (operand.kind == MetadataOperand::Kind::kNode) return StrCat("!", operand.node);
  if (operand.kind == MetadataOperand::Kind::kNull) return "null";
  if (operand.kind == MetadataOperand::Kind::kString) {
    std::string text = "!\"";
    AppendEscapedIrString(operand.text, &text);
    return text + "\"";
  }
  return "";
}

}  // namespace

void UpgradeAnnotations(Module& module) {
  NamedMetadata* annotations = nullptr;
  for (NamedMetadata& named : module.mutable_named_metadata()) {
    if (named.name == "nvvm.annotations") annotations = &named;
  }
  if (annotations == nullptr) return;
  AnnotationUpgrade upgrade(module);
  std::vector<MetadataId> kept;
  absl::flat_hash_set<MetadataId> seen;
  bool changed = false;
  for (const MetadataId id : annotations->nodes) {
    const MetadataNode* node = module.metadata(id);
    if (node == nullptr || !seen.insert(id).second || node->operands.empty()) {
      changed = true;
      continue;
    }
    const std::optional<GlobalId> global = AnnotatedGlobal(node->operands[0]);
    if (!global.has_value()) {
      changed = true;
      continue;
    }
    GlobalValue& value = module.global_value(*global);
    std::string rest;
    bool moved_any = false;
    for (size_t i = 1; i + 1 < node->operands.size(); i += 2) {
      const std::string_view key = node->operands[i].text;
      const MetadataOperand& operand = node->operands[i + 1];
      if (value.is_function() && upgrade.Move(static_cast<IrFunction&>(value), key, operand)) {
        moved_any = true;
        continue;
      }
      std::string text = OperandText(module, operand);
      if (text.empty()) text = "null";  // a node that is written in place means nothing here
      StrAppend(&rest, ", !\"");
      AppendEscapedIrString(key, &rest);
      StrAppend(&rest, "\", ", text);
    }
    if (!moved_any) {
      kept.push_back(id);
      continue;
    }
    changed = true;
    if (rest.empty()) continue;
    kept.push_back(
        module.CreateMetadata(StrCat("!{", ToStringWithType(module, *module.GlobalAddress(*global)), rest, "}")));
  }
  if (!changed) return;
  annotations->nodes = std::move(kept);
  annotations->is_changed = true;
  module.InvalidateNamedMetadata();
}

}  // namespace ptxmir::ir
