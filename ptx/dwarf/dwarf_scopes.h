// SPDX-License-Identifier: Apache-2.0

// Lexical scopes of machine code: which subprograms and blocks have code in a function, through which calls they
// were inlined, how they nest and where their code is.
//
// A scope is a subprogram or block together with the call that it was inlined through. Its code is a list of ranges.
// Each range extends as long as layout order stays within the scope. An inlined subprogram also has an abstract
// scope, which stands for all its inlined copies. The scopes are in the order of LLVM's LexicalScopes, because DWARF
// lists them in that order.

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

// A range of instructions, both ends included.
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
  InstrRange open;  // the range being extended while the function is scanned

  // Returns true if `inner` is this scope or nested in it.
  bool Contains(const LexicalScope& inner) const {
    const LexicalScope* scope = &inner;
    while (scope->depth > depth) scope = scope->parent;
    return scope == this;
  }
};

class LexicalScopes {
 public:
  explicit LexicalScopes(DebugInfo& info) : info_(info) {}

  // Discards the previous function and finds the scopes of `function`.
  void Scan(const MachineFunction& function, MetadataId subprogram);
  void Clear();

  // The scope of the function itself. Null if no instruction has a location.
  LexicalScope* function_scope() const { return function_scope_; }
  // The abstract scopes of subprograms, in the order of their creation.
  const std::vector<LexicalScope*>& abstract_subprograms() const { return abstract_subprograms_; }
  const std::deque<LexicalScope>& all() const { return scopes_; }

  // Return the scope, or null if there is none. `node` must not be a DILexicalBlockFile. FindAt looks through those.
  LexicalScope* Find(MetadataId node, MetadataId inlined_at) const;
  LexicalScope* FindAt(const DebugLocation& location) const;
  LexicalScope* FindAbstract(MetadataId node) const;
  // Returns the abstract scope of `node` and creates it if necessary. Returns null if `node` is not a scope.
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
