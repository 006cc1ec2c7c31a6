// SPDX-License-Identifier: Apache-2.0

// Builds the tree of debugging information entries from debug information metadata, as LLVM's DwarfUnit and
// DwarfCompileUnit do for NVPTX: DWARF version 2, strings in place, and variables' addresses with the address class
// that cuda-gdb expects.
//
// The order of construction, and hence the order of entries, is LLVM's. Entries of types and declarations are
// created where they are first mentioned. Entries of subprograms are created after the function has been printed.
// Names and other attributes of definitions are added at the end, when it is known which subprograms were inlined
// anywhere.
//
// The metadata may be malformed. Anything that is not what it should be is left out.

#ifndef PTXMIR_PTX_DWARF_DWARF_BUILDER_H_
#define PTXMIR_PTX_DWARF_DWARF_BUILDER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"
#include "ptx/dwarf/debug_info.h"
#include "ptx/dwarf/dwarf_debug_expression.h"
#include "ptx/dwarf/dwarf_die.h"
#include "ptx/dwarf/dwarf_history.h"
#include "ptx/dwarf/dwarf_location.h"
#include "ptx/dwarf/dwarf_scopes.h"

namespace ptxmir::ptx {

// A DICompileUnit and the tree of its entries.
struct DwarfUnit {
  uint32_t number = 0;
  MetadataId node = kNoMetadata;
  EmissionKind kind = EmissionKind::kNoDebug;
  bool is_for_profiling = false;
  bool has_names = false;      // the unit asks for .debug_pubnames and .debug_pubtypes
  bool has_gnu_names = false;  // the unit asks for the sections that GNU tools index
  uint32_t language = 0;
  Die root;
  uint32_t section_offset = 0;  // of its head; known when the units are laid out
  uint32_t size = 0;
  std::map<std::string, const Die*> global_names, global_types;

  bool is_c_plus_plus() const;
  // Returns true if only functions and their inlined calls are described (-gline-tables-only).
  bool is_minimal() const { return kind == EmissionKind::kLineTablesOnly; }

 private:
  friend class DwarfBuilder;
  absl::flat_hash_map<MetadataId, Die*> dies;  // of nodes that belong to this unit alone
  absl::flat_hash_map<MetadataId, Die*> lexical_blocks;
  Die* index_type = nullptr;
  std::vector<std::pair<Die*, MetadataId>> containing_types;
  std::vector<MetadataId> deferred;  // local declarations whose entries are built at the end
  absl::flat_hash_set<MetadataId> is_deferred;
};

// A variable or label of a function or, if it has no `inlined_at`, possibly of an abstract scope.
struct DebugEntity {
  enum class Kind : uint8_t { kNoLocation, kSingle, kList, kStack, kLabel };
  Kind kind = Kind::kNoLocation;
  MetadataId node = kNoMetadata;
  MetadataId inlined_at = kNoMetadata;
  Die* die = nullptr;
  DebugValue value;                                                   // kSingle
  uint32_t list = 0;                                                  // kList
  std::vector<std::pair<int, const DebugExpression*>> stack_objects;  // kStack: frame indices
  DwarfLabel label;                                                   // kLabel
};

// The facts about the current function that its entries need.
struct DwarfFunction {
  const MachineFunction* function = nullptr;
  MetadataId subprogram = kNoMetadata;
  uint32_t number = 0;  // the number in its $L__func_begin label
  absl::Span<const PrintedRegister> registers;
  const absl::flat_hash_map<const MachineInstr*, DwarfLabel>* labels_before = nullptr;
  const absl::flat_hash_map<const MachineInstr*, DwarfLabel>* labels_after = nullptr;

  DwarfLabel Begin() const { return {DwarfLabel::Kind::kFunctionBegin, number}; }
  DwarfLabel End() const { return {DwarfLabel::Kind::kFunctionEnd, number}; }
  // Return the label before or after `instr`. The label is not valid if there is none.
  DwarfLabel Before(const MachineInstr& instr) const { return Find(*labels_before, instr); }
  DwarfLabel After(const MachineInstr& instr) const { return Find(*labels_after, instr); }

 private:
  static DwarfLabel Find(const absl::flat_hash_map<const MachineInstr*, DwarfLabel>& labels,
                         const MachineInstr& instr) {
    const auto found = labels.find(&instr);
    return found == labels.end() ? DwarfLabel() : found->second;
  }
};

class DwarfBuilder {
 public:
  DwarfBuilder(const Module& module, DebugInfo& info, uint32_t address_size)
      : module_(module), info_(info), address_size_(address_size) {}

  uint32_t address_size() const { return address_size_; }
  // The units in the order of their creation.
  const std::vector<std::unique_ptr<DwarfUnit>>& units() const { return units_; }
  // Returns the unit of `node` and creates it on the first request. Returns null if `node` is not a DICompileUnit.
  DwarfUnit* Unit(MetadataId node);

  // Builds the global variables, enumerations and retained types of the module's units.
  void BuildGlobals();

  // Begins a function. Its entities are declared after this and before BuildFunction.
  void BeginFunction(const DwarfFunction& function);
  // Adds a variable or label to the function or, if the scope is abstract, to the entry that all inlined copies
  // share.
  DebugEntity& AddConcrete(const LexicalScope& scope, LexicalScopes& scopes, MetadataId node, MetadataId inlined_at);
  void AddAbstract(const LexicalScope& scope, MetadataId node);
  bool HasAbstract(MetadataId node) const { return abstract_entities_.contains(node); }
  // Adds a type or imported entity that the scope declares.
  void AddLocalDeclaration(MetadataId scope, MetadataId node);
  void BuildAbstractSubprogram(const LexicalScope& scope);
  void BuildFunction(DwarfUnit& unit, const LexicalScope* scope);

  // Adds everything that must wait until all functions have been built. Call it once.
  void Finish();

 private:
  // A global variable or constant that a DIGlobalVariable describes.
  struct GlobalPlace {
    const GlobalVariable* variable = nullptr;
    const DebugExpression* expression = nullptr;  // null if there is none
  };
  struct ScopeEntities {
    std::map<int64_t, DebugEntity*> arguments;
    std::vector<DebugEntity*> locals;
    std::vector<DebugEntity*> labels;
  };
  // Bounds the recursion through types and scopes.
  class DepthGuard;

  // dwarf_builder.cc: entries and their attributes.
  const MetadataNode* Node(MetadataId id) const;
  Die* NewDie(dwarf::Tag tag);
  Die& AddDie(DwarfUnit& unit, dwarf::Tag tag, Die& parent, MetadataId node = kNoMetadata);
  bool IsShared(const MetadataNode& node) const;
  Die* FindDie(const DwarfUnit& unit, MetadataId node) const;
  void InsertDie(DwarfUnit& unit, MetadataId node, Die* die);
  DwarfUnit& UnitOf(const Die& die, DwarfUnit& fallback) const;
  void AddFlag(Die& die, dwarf::Attribute attribute);
  void AddUnsigned(Die& die, dwarf::Attribute attribute, uint64_t value, std::optional<dwarf::Form> form = {});
  void AddSigned(Die& die, dwarf::Attribute attribute, int64_t value, std::optional<dwarf::Form> form = {});
  void AddString(Die& die, dwarf::Attribute attribute, std::string_view text);
  void AddLabel(Die& die, dwarf::Attribute attribute, dwarf::Form form, DwarfLabel label);
  void AddReference(DwarfUnit& unit, Die& die, dwarf::Attribute attribute, const Die& target);
  void AddBlock(Die& die, dwarf::Attribute attribute, const DwarfBlock& block);
  void AddTagOffset(Die& die, const LocationBuilder& builder);
  DwarfBlock& NewBlock() { return blocks_.emplace_back(); }
  LocationBuilder NewLocation(DwarfBlock& block);
  void AddSourceLine(Die& die, const MetadataNode& node);
  void AddAccess(Die& die, uint64_t flags);
  void AddLinkageName(Die& die, const MetadataNode& node);
  void AddAlignment(Die& die, const MetadataNode& node);
  void AddAnnotations(DwarfUnit& unit, Die& die, const MetadataNode& node);
  void AddConstant(Die& die, bool is_unsigned, uint64_t value);
  void AddWideConstant(Die& die, absl::Span<const uint64_t> words, uint32_t width);
  void AddConstant(Die& die, const IrConstant& constant, std::optional<MetadataId> type);
  void AddRangeOf(Die& die, DwarfLabel begin, DwarfLabel end);
  void AddGlobalName(DwarfUnit& unit, std::string_view name, const Die& die, MetadataId context);
  std::string ContextPrefix(const DwarfUnit& unit, MetadataId context) const;
  void ReadUnit(DwarfUnit& unit, const MetadataNode& node);

  // dwarf_builder_types.cc
  Die* GetOrCreateType(DwarfUnit& unit, std::optional<MetadataId> type);
  void AddType(DwarfUnit& unit, Die& die, std::optional<MetadataId> type, dwarf::Attribute attribute = dwarf::kAtType);
  void BuildBasicType(Die& die, const MetadataNode& type);
  void BuildStringType(Die& die, const MetadataNode& type);
  void BuildDerivedType(DwarfUnit& unit, Die& die, const MetadataNode& type);
  void BuildSubroutineType(DwarfUnit& unit, Die& die, const MetadataNode& type);
  void BuildCompositeType(DwarfUnit& unit, Die& die, const MetadataNode& type);
  void BuildMembers(DwarfUnit& unit, Die& die, const MetadataNode& type);
  void BuildArray(DwarfUnit& unit, Die& die, const MetadataNode& type);
  void BuildSubrange(DwarfUnit& unit, Die& array, const MetadataNode& range, const Die& index_type);
  void BuildEnumeration(DwarfUnit& unit, Die& die, const MetadataNode& type);
  void BuildMember(DwarfUnit& unit, Die& parent, const MetadataNode& member);
  void BuildMemberPlace(Die& die, const MetadataNode& member);
  Die* GetOrCreateStaticMember(DwarfUnit& unit, MetadataId id);
  void BuildTemplateParameters(DwarfUnit& unit, Die& die, absl::Span<const MetadataOperand> parameters);
  void BuildTemplateValue(DwarfUnit& unit, Die& die, const MetadataNode& parameter);
  void BuildParameterTypes(DwarfUnit& unit, Die& die, absl::Span<const MetadataOperand> types);
  Die& IndexType(DwarfUnit& unit);
  bool IsUnsignedType(std::optional<MetadataId> type) const;
  uint64_t SizeOfBaseType(const MetadataNode& type) const;
  bool IsPaddedVector(const MetadataNode& type) const;

  // dwarf_builder_entities.cc: contexts, namespaces, subprograms, global variables, imports.
  Die* GetOrCreateContext(DwarfUnit& unit, std::optional<MetadataId> context);
  Die* GetOrCreateNamespace(DwarfUnit& unit, MetadataId id, const MetadataNode& node);
  Die* GetOrCreateModule(DwarfUnit& unit, MetadataId id, const MetadataNode& node);
  Die* GetOrCreateSubprogram(DwarfUnit& unit, MetadataId id);
  Die* GetOrCreateConcreteSubprogram(DwarfUnit& unit, MetadataId id, bool is_minimal);
  Die& GetOrCreateAbstractSubprogram(DwarfUnit& unit, MetadataId id);
  bool HasFunction(MetadataId subprogram);
  bool AddDefinitionAttributes(DwarfUnit& unit, Die& die, const MetadataNode& subprogram, bool is_minimal);
  void AddSubprogramAttributes(DwarfUnit& unit, Die& die, MetadataId id, bool is_minimal = false);
  void AddVirtuality(DwarfUnit& unit, Die& die, const MetadataNode& subprogram, uint64_t flags);
  void AddSubprogramFlags(Die& die, const MetadataNode& subprogram, uint64_t sp_flags);
  void ApplyToDefinition(DwarfUnit& unit, Die& die, MetadataId id);
  absl::Span<const MetadataOperand> SubprogramTypes(const MetadataNode& subprogram) const;
  Die* GetOrCreateGlobalVariable(DwarfUnit& unit, MetadataId id, absl::Span<const GlobalPlace> places);
  void AddGlobalLocation(Die& die, absl::Span<const GlobalPlace> places);
  Die* GetOrCreateImport(DwarfUnit& unit, MetadataId id);
  Die* BuildImport(DwarfUnit& unit, MetadataId id);
  const Die* ImportedEntity(DwarfUnit& unit, MetadataId id);
  void BuildUnitGlobals(DwarfUnit& unit, const MetadataNode& node,
                        absl::flat_hash_map<MetadataId, std::vector<GlobalPlace>>& places);

  // dwarf_builder_scopes.cc: subprograms with code.
  DebugEntity& NewEntity(MetadataId node, MetadataId inlined_at);
  void AddToScope(const LexicalScope& scope, DebugEntity& entity);
  Die* BuildScopeChildren(DwarfUnit& unit, const LexicalScope& scope, Die& die);
  void BuildScope(DwarfUnit& unit, const LexicalScope& scope, Die& parent);
  bool IsEmptyBlock(const DwarfUnit& unit, const LexicalScope& scope) const;
  bool HasNoCode(const LexicalScope& scope) const;
  Die* BuildInlinedSubroutine(DwarfUnit& unit, const LexicalScope& scope, Die& parent);
  Die* BuildVariable(DwarfUnit& unit, DebugEntity& entity, bool is_abstract);
  Die* BuildLabel(DwarfUnit& unit, DebugEntity& entity, bool is_abstract);
  void AddRangesOf(Die& die, const LexicalScope& scope);
  void AddSingleLocation(Die& die, const DebugEntity& entity);
  void AddStackLocation(Die& die, const DebugEntity& entity);
  void AddVariableAttributes(DwarfUnit& unit, Die& die, MetadataId id);
  void AddLabelAttributes(Die& die, MetadataId id);
  void FinishEntity(DebugEntity& entity);

  const Module& module_;
  DebugInfo& info_;
  uint32_t address_size_;
  int depth_ = 0;
  std::vector<std::unique_ptr<DwarfUnit>> units_;
  absl::flat_hash_map<MetadataId, DwarfUnit*> unit_of_node_;
  absl::flat_hash_map<MetadataId, Die*> shared_dies_;    // of types and declarations, which units share
  absl::flat_hash_map<MetadataId, Die*> abstract_dies_;  // of subprograms and blocks
  absl::flat_hash_set<MetadataId> has_abstract_children_;
  absl::flat_hash_map<MetadataId, DebugEntity*> abstract_entities_;
  bool knows_functions_ = false;  // whether has_function_ has been filled
  absl::flat_hash_set<MetadataId> has_function_;
  std::vector<DebugEntity*> concrete_entities_;  // of all functions
  std::vector<std::pair<Die*, MetadataId>> blocks_with_code_;
  std::vector<MetadataId> subprograms_;  // the subprograms that have code
  absl::flat_hash_set<MetadataId> is_subprogram_listed_;
  std::deque<Die> dies_;
  std::deque<DwarfBlock> blocks_;
  std::deque<DebugEntity> entities_;
  std::deque<DebugExpression> expressions_;
  std::deque<std::string> strings_;

  // The state of the current function.
  DwarfFunction function_;
  absl::flat_hash_map<const LexicalScope*, ScopeEntities> scope_entities_;
  absl::flat_hash_map<MetadataId, std::vector<MetadataId>> local_declarations_;
};

class DwarfBuilder::DepthGuard {
 public:
  explicit DepthGuard(DwarfBuilder& builder) : builder_(builder) { ++builder_.depth_; }
  ~DepthGuard() { --builder_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  bool is_too_deep() const { return builder_.depth_ > kMaxDepth; }

 private:
  static constexpr int kMaxDepth = 500;
  DwarfBuilder& builder_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_BUILDER_H_
