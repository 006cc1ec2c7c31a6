// SPDX-License-Identifier: Apache-2.0

// Upgrades the spelling of attributes (LLVM's UpgradeAttributes, and what its parser does with the older words).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ir/upgrade/upgrade.h"

namespace ptxmir::ir {
namespace {

// The effects of a function on memory, in the older words.
struct OldMemoryWords {
  bool is_given = false;
  bool reads = true;
  bool writes = true;
  bool only_arguments = false;
  bool only_inaccessible = false;

  // Returns false if the word is another attribute.
  bool Add(std::string_view word) {
    if (word == "readnone") {
      reads = writes = false;
    } else if (word == "readonly") {
      writes = false;
    } else if (word == "writeonly") {
      reads = false;
    } else if (word == "argmemonly") {
      only_arguments = true;
    } else if (word == "inaccessiblememonly") {
      only_inaccessible = true;
    } else if (word == "inaccessiblemem_or_argmemonly") {
      only_arguments = only_inaccessible = true;
    } else {
      return false;
    }
    is_given = true;
    return true;
  }

  std::string_view Access() const {
    if (reads && writes) return "readwrite";
    return reads ? "read" : writes ? "write" : "none";
  }

  std::string Text() const {
    const std::string_view access = Access();
    if (access == "none" || (!only_arguments && !only_inaccessible)) return std::string(access);
    if (!only_inaccessible) return StrCat("argmem: ", access);
    if (!only_arguments) return StrCat("inaccessiblemem: ", access);
    return StrCat("argmem: ", access, ", inaccessiblemem: ", access);
  }
};

class AttributeUpgrade {
 public:
  explicit AttributeUpgrade(Module& module) : module_(module) {}

  // Return true if anything changed.
  bool Parameter(IrAttributes& attributes);
  bool Function(IrAttributes& attributes);

 private:
  IrAttribute Make(std::string_view name, std::string_view value) {
    const std::string_view text = module_.CopyString(StrCat(name, "(", value, ")"));
    return {.name = text.substr(0, name.size()), .text = text, .value = text.substr(name.size() + 1, value.size())};
  }
  bool OldStrings(std::vector<IrAttribute>& attributes);

  Module& module_;
};

bool AttributeUpgrade::Parameter(IrAttributes& attributes) {
  bool changed = false;
  for (IrAttribute& attribute : attributes.mutable_all()) {
    if (attribute.is_string || attribute.name != "nocapture") continue;
    attribute = Make("captures", "none");
    changed = true;
  }
  return changed;
}

// Upgrades the strings that became attributes of their own or other strings.
bool AttributeUpgrade::OldStrings(std::vector<IrAttribute>& attributes) {
  bool changed = false;
  std::vector<IrAttribute> kept;
  std::string_view frame_pointer;
  for (const IrAttribute& attribute : attributes) {
    if (!attribute.is_string) {
      kept.push_back(attribute);
    } else if (attribute.name == "null-pointer-is-valid") {
      if (attribute.value == "true") kept.push_back({.name = "null_pointer_is_valid", .text = "null_pointer_is_valid"});
      changed = true;
    } else if (attribute.name == "no-frame-pointer-elim") {
      if (attribute.value == "true") frame_pointer = "all";
      changed = true;
    } else if (attribute.name == "no-frame-pointer-elim-non-leaf") {
      if (frame_pointer != "all") frame_pointer = "non-leaf";
      changed = true;
    } else {
      kept.push_back(attribute);
    }
  }
  if (!changed) return false;
  const bool is_stated =
      std::any_of(kept.begin(), kept.end(), [](const IrAttribute& known) { return known.name == "frame-pointer"; });
  if (!frame_pointer.empty() && !is_stated) {
    kept.push_back({.name = "frame-pointer",
                    .text = frame_pointer == "all" ? "\"frame-pointer\"=\"all\"" : "\"frame-pointer\"=\"non-leaf\"",
                    .is_string = true,
                    .value = frame_pointer});
  }
  attributes = std::move(kept);
  return true;
}

bool AttributeUpgrade::Function(IrAttributes& attributes) {
  OldMemoryWords memory;
  std::vector<IrAttribute>& all = attributes.mutable_all();
  const auto is_old = [&](const IrAttribute& attribute) { return !attribute.is_string && memory.Add(attribute.name); };
  all.erase(std::remove_if(all.begin(), all.end(), is_old), all.end());
  if (memory.is_given && !attributes.Has("memory")) all.push_back(Make("memory", memory.Text()));
  return OldStrings(all) || memory.is_given;
}

void UpgradeCalls(Program& program, AttributeUpgrade& upgrade) {
  // A set of a call is for arguments, a result or the function. Only those of functions may have the older words for
  // memory without a change of their meaning, so the places that use a set decide.
  std::vector<bool> is_done(program.num_attribute_sets());
  std::vector<bool> is_affected(program.num_attribute_sets());
  bool any = false;
  for (size_t id = 1; id < program.num_attribute_sets(); ++id) {
    for (const IrAttribute& attribute : program.attribute_set(static_cast<AttributeSetId>(id)).attributes.all()) {
      OldMemoryWords words;
      if (attribute.name == "nocapture" || words.Add(attribute.name)) is_affected[id] = any = true;
    }
  }
  if (!any) return;
  std::vector<AttributeSetId> as_function(program.num_attribute_sets());
  const auto upgraded = [&](AttributeSetId id, bool is_function) {
    if (id >= is_affected.size() || !is_affected[id]) return id;
    if (!is_function && is_done[id]) return id;
    if (is_function && as_function[id] != 0) return as_function[id];
    AttributeSet set = program.attribute_set(id);
    if (!(is_function ? upgrade.Function(set.attributes) : upgrade.Parameter(set.attributes))) return id;
    std::string text = AttributesText(set.attributes);
    for (const uint32_t group : set.groups) StrAppend(&text, text.empty() ? "#" : " #", group);
    set.text = program.module().CopyString(text);
    if (is_function) return as_function[id] = program.AddAttributeSet(std::move(set));
    is_done[id] = true;
    program.attribute_set(id) = std::move(set);
    return id;
  };
  for (const auto& function : program.functions()) {
    for (BasicBlock* block : function->blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->opcode() != Opcode::kCall) continue;
        CallDetail& call = i->call();
        call.function_attributes = upgraded(call.function_attributes, /*is_function=*/true);
        call.return_attributes = upgraded(call.return_attributes, /*is_function=*/false);
        for (const AttributeSetId id : call.argument_attributes) upgraded(id, /*is_function=*/false);
      }
    }
  }
}

}  // namespace

void UpgradeAttributes(Program& program) {
  Module& module = program.module();
  AttributeUpgrade upgrade(module);
  for (IrAttributeGroup& group : module.mutable_attribute_groups()) {
    if (upgrade.Function(group.attributes)) group.is_changed = true;
  }
  for (GlobalValue* value : module.global_values()) {
    if (!value->is_function()) continue;
    auto& function = static_cast<IrFunction&>(*value);
    bool changed = upgrade.Function(function.attributes);
    for (IrParameter& parameter : function.parameters) changed |= upgrade.Parameter(parameter.attributes);
    if (changed) function.MarkChanged();
  }
  UpgradeCalls(program, upgrade);
}

}  // namespace ptxmir::ir
