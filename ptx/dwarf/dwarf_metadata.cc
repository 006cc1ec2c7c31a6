// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_metadata.h"

#include <algorithm>
#include <charconv>

namespace ptxmir::ptx {
namespace {

struct NamedFlag {
  std::string_view name;
  uint64_t bits;
};

constexpr NamedFlag kFlags[] = {
    {"DIFlagPrivate", 1},
    {"DIFlagProtected", 2},
    {"DIFlagPublic", 3},
    {"DIFlagFwdDecl", di_flag::kFwdDecl},
    {"DIFlagVirtual", di_flag::kVirtual},
    {"DIFlagArtificial", di_flag::kArtificial},
    {"DIFlagExplicit", di_flag::kExplicit},
    {"DIFlagPrototyped", di_flag::kPrototyped},
    {"DIFlagObjectPointer", di_flag::kObjectPointer},
    {"DIFlagVector", di_flag::kVector},
    {"DIFlagStaticMember", di_flag::kStaticMember},
    {"DIFlagLValueReference", di_flag::kLValueReference},
    {"DIFlagRValueReference", di_flag::kRValueReference},
    {"DIFlagExportSymbols", di_flag::kExportSymbols},
    {"DIFlagBitField", di_flag::kBitField},
    {"DIFlagNoReturn", di_flag::kNoReturn},
    {"DIFlagTypePassByValue", di_flag::kTypePassByValue},
    {"DIFlagTypePassByReference", di_flag::kTypePassByReference},
    {"DIFlagBigEndian", di_flag::kBigEndian},
    {"DIFlagLittleEndian", di_flag::kLittleEndian},
    {"DIFlagIndirectVirtualBase", di_flag::kFwdDecl | di_flag::kVirtual},
};

constexpr NamedFlag kSubprogramFlags[] = {
    {"DISPFlagVirtual", 1},
    {"DISPFlagPureVirtual", 2},
    {"DISPFlagLocalToUnit", di_sp_flag::kLocalToUnit},
    {"DISPFlagDefinition", di_sp_flag::kDefinition},
    {"DISPFlagPure", di_sp_flag::kPure},
    {"DISPFlagElemental", di_sp_flag::kElemental},
    {"DISPFlagRecursive", di_sp_flag::kRecursive},
    {"DISPFlagMainSubprogram", di_sp_flag::kMainSubprogram},
};

// Returns the bits of "A | B | 64".
uint64_t ParseFlags(const MetadataNode& node, std::string_view key, absl::Span<const NamedFlag> names) {
  const MetadataOperand* operand = node.Find(key);
  if (operand == nullptr) return 0;
  if (operand->kind == MetadataOperand::Kind::kInteger) return static_cast<uint64_t>(operand->integer);
  uint64_t bits = 0;
  std::string_view text = operand->text;
  while (!text.empty()) {
    const size_t bar = std::min(text.find('|'), text.size());
    std::string_view word = text.substr(0, bar);
    text.remove_prefix(std::min(bar + 1, text.size()));
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    const auto found =
        std::find_if(names.begin(), names.end(), [word](const NamedFlag& flag) { return flag.name == word; });
    uint64_t number = 0;
    if (found != names.end()) {
      number = found->bits;
    } else {
      std::from_chars(word.data(), word.data() + word.size(), number);
    }
    bits |= number;
  }
  return bits;
}

}  // namespace

uint64_t DebugFlags(const MetadataNode& node) { return ParseFlags(node, "flags", kFlags); }

uint64_t SubprogramFlags(const MetadataNode& node) {
  uint64_t flags = ParseFlags(node, "spFlags", kSubprogramFlags);
  if (node.Find("spFlags") == nullptr) {
    // The older spelling. A subprogram without isDefinition is a definition.
    if (IsTrue(node, "isLocal")) flags |= di_sp_flag::kLocalToUnit;
    if (node.Find("isDefinition") == nullptr || IsTrue(node, "isDefinition")) flags |= di_sp_flag::kDefinition;
    // A new-style declaration has neither key and no unit.
    if (node.Find("isDefinition") == nullptr && !node.Node("unit").has_value()) flags &= ~di_sp_flag::kDefinition;
    if (node.Text("virtuality") == "DW_VIRTUALITY_virtual") flags |= 1;
    if (node.Text("virtuality") == "DW_VIRTUALITY_pure_virtual") flags |= 2;
  }
  return flags;
}

bool IsTrue(const MetadataNode& node, std::string_view key) { return node.Text(key) == "true"; }

dwarf::Tag TagOf(const MetadataNode& node) {
  if (const MetadataOperand* tag = node.Find("tag")) {
    if (tag->kind == MetadataOperand::Kind::kInteger) return static_cast<dwarf::Tag>(tag->integer);
    return static_cast<dwarf::Tag>(dwarf::FindTag(tag->text).value_or(dwarf::kTagNone));
  }
  if (node.kind == "DIBasicType") return dwarf::kTagBaseType;
  if (node.kind == "DISubroutineType") return dwarf::kTagSubroutineType;
  if (node.kind == "DIStringType") return dwarf::kTagStringType;
  if (node.kind == "DITemplateTypeParameter") return dwarf::kTagTemplateTypeParameter;
  if (node.kind == "DITemplateValueParameter") return dwarf::kTagTemplateValueParameter;
  return dwarf::kTagNone;
}

bool IsType(const MetadataNode& node) {
  return node.kind == "DIDerivedType" || node.kind == "DICompositeType" || node.kind == "DIBasicType" ||
         node.kind == "DISubroutineType" || node.kind == "DIStringType";
}

bool IsSubprogramDefinition(const MetadataNode& node) {
  return node.kind == "DISubprogram" && (SubprogramFlags(node) & di_sp_flag::kDefinition) != 0;
}

absl::Span<const MetadataOperand> ListOf(const Module& module, const MetadataNode& node, std::string_view key) {
  const MetadataOperand* operand = node.Find(key);
  if (operand == nullptr) return {};
  const MetadataNode* list = operand->kind == MetadataOperand::Kind::kNode         ? module.metadata(operand->node)
                             : operand->kind == MetadataOperand::Kind::kInlineNode ? operand->inline_node
                                                                                   : nullptr;
  return list == nullptr || !list->kind.empty() ? absl::Span<const MetadataOperand>() : list->operands;
}

}  // namespace ptxmir::ptx
