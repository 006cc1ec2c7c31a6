// SPDX-License-Identifier: Apache-2.0

// Lexical scopes of machine code: which subprograms and blocks, inlined through which calls, have code in a
// function, how they nest and where their code is.
//
// A scope is a subprogram or block together with the call that it was inlined through. Its code is a list of
// ranges, each as long as layout order stays within the scope. An inlined subprogram also has an abstract scope,
// which stands for all its inlined copies. The order of scopes is that of LLVM's LexicalScopes: DWARF lists them
// so.

#ifndef PTXMIR_PTX_DWARF_DWARF_SCOPES_H_
#define PTXMIR_PTX_DWARF_DWARF_SCOPES_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_function.h"
#include "ptx/dwarf/debug_info.h"

namespace ptxmir::ptx {

// Both instructions included.
struct InstrRange {
  const MachineInstr* first = nullptr;
  const MachineInstr* last = nullptr;
};

struct LexicalScope {
  MetadataId node = kNoMetadata;  // DISubprogram or DILexicalBlock
  MetadataId inlined_at = kNoMetadata;
  bool is_abstract = false;
  uint32_t depth = 0;
  LexicalScope* parent = nullptr;
  std::vector<LexicalScope*> children;
  std::vector<InstrRange> ranges;
  InstrRange open;  // the range that is being extended, while the function is scanned

  // Whether `inner` is this scope or within it.
  bool Contains(const LexicalScope& inner) const {
    const LexicalScope* scope = &inner;
    while (scope->depth > depth) scope = scope->parent;
    return scope == this;
  }
};

class LexicalScopes {
 public:
  explicit LexicalScopes(DebugInfo& info) : info_(info) {}

  // Forgets what was, and finds the scopes of the function.
  void Scan(const MachineFunction& function, MetadataId subprogram);
  void Clear();

  // The scope of the function itself; null when no instruction has a location.
  LexicalScope* function_scope() const { return function_scope_; }
  // Those of subprograms, in the order of their creation.
  const std::vector<LexicalScope*>& abstract_subprograms() const { return abstract_subprograms_; }
  const std::deque<LexicalScope>& all() const { return scopes_; }

  // Null when there is none. `node` is no DILexicalBlockFile, except in FindAt, which looks through them.
  LexicalScope* Find(MetadataId node, MetadataId inlined_at) const;
  LexicalScope* FindAt(const DebugLocation& location) const;
  LexicalScope* FindAbstract(MetadataId node) const;
  // Null for a node that is no scope.
  LexicalScope* GetOrCreateAbstract(MetadataId node) { return CreateAbstract(node, 0); }

 private:
  void ScanBlock(const MachineBasicBlock& block);
  void AddRun(const InstrRange& run, const DebugLocation& location);
  void Close(LexicalScope* scope, const LexicalScope* next);
  LexicalScope* Create(MetadataId node, MetadataId inlined_at, int depth);
  LexicalScope* CreateAbstract(MetadataId node, int depth);
  LexicalScope* Add(MetadataId node, MetadataId inlined_at, LexicalScope* parent);

  DebugInfo& info_;
  MetadataId subprogram_ = kNoMetadata;
  std::deque<LexicalScope> scopes_;
  absl::flat_hash_map<std::pair<MetadataId, MetadataId>, LexicalScope*> by_place_;
  absl::flat_hash_map<MetadataId, LexicalScope*> abstract_;
  std::vector<LexicalScope*> abstract_subprograms_;
  LexicalScope* function_scope_ = nullptr;
  LexicalScope* previous_ = nullptr;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_SCOPES_H_
