// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_scopes.h"

namespace ptxmir::ptx {
namespace {

constexpr int kMaxDepth = 1000;  // more is a cycle in broken metadata

}  // namespace

void LexicalScopes::Clear() {
  scopes_.clear();
  by_place_.clear();
  abstract_.clear();
  abstract_subprograms_.clear();
  function_scope_ = previous_ = nullptr;
}

void LexicalScopes::Scan(const MachineFunction& function, MetadataId subprogram) {
  Clear();
  subprogram_ = subprogram;
  for (const MachineBasicBlock& block : function) ScanBlock(block);
  if (previous_ != nullptr) Close(previous_, nullptr);
}

// Splits a block into runs with one location each. Instructions without a location extend the run before them.
void LexicalScopes::ScanBlock(const MachineBasicBlock& block) {
  InstrRange run;
  DebugLocation current;
  for (const MachineInstr& instr : block) {
    if (instr.is_meta()) continue;
    const DebugLocation& location = info_.LocationOf(instr);
    if (location.is_valid() && location != current) {
      if (run.first != nullptr) AddRun(run, current);
      run.first = &instr;
      current = location;
    }
    run.last = &instr;
  }
  if (run.first != nullptr) AddRun(run, current);
}

void LexicalScopes::AddRun(const InstrRange& run, const DebugLocation& location) {
  LexicalScope* scope = Create(location.scope, location.inlined_at, 0);
  if (scope == nullptr) return;
  if (previous_ != nullptr && !previous_->Contains(*scope)) Close(previous_, scope);
  for (LexicalScope* s = scope; s != nullptr; s = s->parent) {
    if (s->open.first == nullptr) s->open.first = run.first;
    s->open.last = run.last;
  }
  previous_ = scope;
}

// Closes the ranges of `scope` and of the enclosing scopes that do not contain `next` (null: close all).
void LexicalScopes::Close(LexicalScope* scope, const LexicalScope* next) {
  while (scope != nullptr) {
    scope->ranges.push_back(scope->open);
    scope->open = {};
    scope = scope->parent;
    if (scope != nullptr && next != nullptr && scope->Contains(*next)) return;
  }
}

LexicalScope* LexicalScopes::Add(MetadataId node, MetadataId inlined_at, LexicalScope* parent) {
  LexicalScope& scope = scopes_.emplace_back();
  scope.node = node;
  scope.inlined_at = inlined_at;
  scope.parent = parent;
  if (parent != nullptr) {
    scope.depth = parent->depth + 1;
    parent->children.push_back(&scope);
  }
  return &scope;
}

LexicalScope* LexicalScopes::Create(MetadataId node, MetadataId inlined_at, int depth) {
  if (depth > kMaxDepth) return nullptr;
  node = info_.SkipBlockFiles(node);
  if (node == kNoMetadata) return nullptr;
  const DebugScope::Kind kind = info_.Scope(node).kind;
  if (kind == DebugScope::Kind::kNone) return nullptr;
  if (inlined_at != kNoMetadata && info_.EmissionKindOfScope(node) == EmissionKind::kNoDebug) {
    const DebugLocation call = info_.Location(inlined_at);
    return Create(call.scope, call.inlined_at, depth + 1);
  }
  if (LexicalScope* found = Find(node, inlined_at)) return found;
  if (inlined_at != kNoMetadata) CreateAbstract(node, 0);
  LexicalScope* parent = nullptr;
  if (kind == DebugScope::Kind::kBlock) {
    parent = Create(info_.Scope(node).parent, inlined_at, depth + 1);
    if (parent == nullptr) return nullptr;
  } else if (inlined_at != kNoMetadata) {
    const DebugLocation call = info_.Location(inlined_at);
    parent = Create(call.scope, call.inlined_at, depth + 1);
    if (parent == nullptr) return nullptr;
  } else if (node != subprogram_) {
    return nullptr;  // code of another function without an inlined call: broken metadata
  }
  LexicalScope* scope = Add(node, inlined_at, parent);
  by_place_.emplace(std::make_pair(node, inlined_at), scope);
  if (parent == nullptr) function_scope_ = scope;
  return scope;
}

LexicalScope* LexicalScopes::CreateAbstract(MetadataId node, int depth) {
  if (depth > kMaxDepth) return nullptr;
  node = info_.SkipBlockFiles(node);
  if (node == kNoMetadata) return nullptr;
  const DebugScope::Kind kind = info_.Scope(node).kind;
  if (kind == DebugScope::Kind::kNone) return nullptr;
  if (LexicalScope* found = FindAbstract(node)) return found;
  LexicalScope* parent = nullptr;
  if (kind == DebugScope::Kind::kBlock) {
    parent = CreateAbstract(info_.Scope(node).parent, depth + 1);
    if (parent == nullptr) return nullptr;
  }
  LexicalScope* scope = Add(node, kNoMetadata, parent);
  scope->is_abstract = true;
  abstract_.emplace(node, scope);
  if (kind == DebugScope::Kind::kSubprogram) abstract_subprograms_.push_back(scope);
  return scope;
}

LexicalScope* LexicalScopes::Find(MetadataId node, MetadataId inlined_at) const {
  const auto found = by_place_.find(std::make_pair(node, inlined_at));
  return found == by_place_.end() ? nullptr : found->second;
}

LexicalScope* LexicalScopes::FindAt(const DebugLocation& location) const {
  return location.is_valid() ? Find(info_.SkipBlockFiles(location.scope), location.inlined_at) : nullptr;
}

LexicalScope* LexicalScopes::FindAbstract(MetadataId node) const {
  const auto found = abstract_.find(node);
  return found == abstract_.end() ? nullptr : found->second;
}

}  // namespace ptxmir::ptx
