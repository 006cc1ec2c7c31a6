// SPDX-License-Identifier: Apache-2.0

// Finds where the variables of a function are: in a stack object, in one place throughout their scope, or in places
// that change, which become a location list.

#ifndef PTXMIR_PTX_DWARF_DWARF_VARIABLES_H_
#define PTXMIR_PTX_DWARF_DWARF_VARIABLES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/dwarf/dwarf_builder.h"
#include "ptx/dwarf/dwarf_die.h"
#include "ptx/dwarf/dwarf_history.h"
#include "ptx/dwarf/dwarf_location.h"
#include "ptx/dwarf/dwarf_scopes.h"

namespace ptxmir::ptx {

// A location that holds from one label to another.
struct LocationListEntry {
  DwarfLabel begin, end;
  DwarfBlock location;
};
using LocationList = std::vector<LocationListEntry>;

// Collects the variables of one function after it has been printed.
class VariableCollector {
 public:
  VariableCollector(const Module& module, DebugInfo& info, LexicalScopes& scopes, DebugHistory& history,
                    DwarfBuilder& builder, std::vector<LocationList>& lists, const DwarfFunction& function)
      : module_(module),
        info_(info),
        scopes_(scopes),
        history_(history),
        builder_(builder),
        lists_(lists),
        function_(function) {}

  // Declares every variable and label of the function with its places.
  void CollectConcrete();
  // Declares the variables and labels of the subprograms that were inlined into the function, and builds their
  // entries.
  void CollectAbstract();

 private:
  // The values that hold from one label to another. If there are several, each describes a part of the variable.
  struct Span {
    DwarfLabel begin, end;
    std::vector<DebugValue> values;
  };

  void AddStackVariables();
  void AddStackVariable(const StackObject& object, int index);
  void AddDescribedVariables();
  void AddDescribedVariable(const EntityHistory& variable);
  void AddLabels();
  void AddRetainedNodes();
  bool IsValidThroughout(const MachineInstr& value, const MachineInstr* end) const;
  // Builds the spans. Returns true if they are a single value that holds throughout the scope.
  bool BuildSpans(const EntityHistory& variable, std::vector<Span>& spans) const;
  LocationList BuildList(const EntityHistory& variable, const std::vector<Span>& spans) const;
  DebugValue ValueOf(const MachineInstr& instr) const;
  bool HasLocation(const EntityHistory& variable) const;
  MetadataId ScopeOf(MetadataId variable) const;

  const Module& module_;
  DebugInfo& info_;
  LexicalScopes& scopes_;
  DebugHistory& history_;
  DwarfBuilder& builder_;
  std::vector<LocationList>& lists_;
  const DwarfFunction& function_;
  absl::flat_hash_set<InlinedEntity> processed_;
  absl::flat_hash_map<InlinedEntity, DebugEntity*> stack_variables_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_VARIABLES_H_
