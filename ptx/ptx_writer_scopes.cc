#include "ptx/ptx_writer_scopes.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ptxmir::ptx {
namespace {

constexpr int kMaxDepth = 1000;  // more is a cycle in broken metadata

class ScopeRanges {
 public:
  ScopeRanges(DebugInfo& info, ScopeMarkers& markers) : info_(info), markers_(markers) {}

  void Run(const MachineFunction& function) {
    for (const MachineBasicBlock& block : function) VisitBlock(block);
    if (previous_ != kNone) Close(previous_, kNone);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Scope {
    uint32_t parent = kNone;
    uint32_t depth = 0;
    const MachineInstr* first = nullptr;  // of the range that is open, if one is
    const MachineInstr* last = nullptr;
  };

  // Cuts a block into runs of one location. Instructions without a location extend the run before them.
  void VisitBlock(const MachineBasicBlock& block) {
    const MachineInstr* begin = nullptr;
    const MachineInstr* last = nullptr;
    DebugLocation current;
    for (const MachineInstr& instr : block) {
      if (instr.is_meta()) continue;
      const DebugLocation& location = info_.LocationOf(instr);
      if (location.is_valid() && location != current) {
        if (begin != nullptr) AddRun(begin, last, current);
        begin = &instr;
        current = location;
      }
      last = &instr;
    }
    if (begin != nullptr) AddRun(begin, last, current);
  }

  void AddRun(const MachineInstr* first, const MachineInstr* last, const DebugLocation& location) {
    const uint32_t scope = FindScope(location.scope, location.inlined_at, 0);
    if (scope == kNone) return;
    if (previous_ != kNone && !Dominates(previous_, scope)) Close(previous_, scope);
    for (uint32_t s = scope; s != kNone; s = scopes_[s].parent) {
      if (scopes_[s].first == nullptr) scopes_[s].first = first;
      scopes_[s].last = last;
    }
    previous_ = scope;
  }

  // Ends the ranges of `scope` and of those around it that do not contain `next` (kNone: none does).
  void Close(uint32_t scope, uint32_t next) {
    while (scope != kNone) {
      markers_.before.insert(scopes_[scope].first);
      markers_.after.insert(scopes_[scope].last);
      scopes_[scope].first = scopes_[scope].last = nullptr;
      scope = scopes_[scope].parent;
      if (scope != kNone && next != kNone && Dominates(scope, next)) return;
    }
  }

  // Whether `inner` is `outer` or within it.
  bool Dominates(uint32_t outer, uint32_t inner) const {
    while (scopes_[inner].depth > scopes_[outer].depth) inner = scopes_[inner].parent;
    return inner == outer;
  }

  uint32_t FindScope(MetadataId scope, MetadataId inlined_at, int depth) {
    if (depth > kMaxDepth) return kNone;
    scope = info_.SkipBlockFiles(scope);
    if (scope == kNoMetadata) return kNone;
    if (inlined_at != kNoMetadata &&
        info_.EmissionKindOfScope(scope) == EmissionKind::kNoDebug) {
      const DebugLocation& call = info_.Location(inlined_at);
      return FindScope(call.scope, call.inlined_at, depth + 1);
    }
    const auto key = std::make_pair(scope, inlined_at);
    if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
    const DebugScope& data = info_.Scope(scope);
    uint32_t parent = kNone;
    if (data.kind == DebugScope::Kind::kBlock) {
      parent = FindScope(data.parent, inlined_at, depth + 1);
    } else if (inlined_at != kNoMetadata) {
      const DebugLocation& call = info_.Location(inlined_at);
      parent = FindScope(call.scope, call.inlined_at, depth + 1);
    }
    const uint32_t id = static_cast<uint32_t>(scopes_.size());
    scopes_.push_back(Scope{.parent = parent,
                            .depth = parent == kNone ? 0 : scopes_[parent].depth + 1});
    ids_.emplace(key, id);
    return id;
  }

  DebugInfo& info_;
  ScopeMarkers& markers_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<std::pair<MetadataId, MetadataId>, uint32_t> ids_;
  uint32_t previous_ = kNone;
};

}  // namespace

ScopeMarkers FindScopeMarkers(DebugInfo& info, const MachineFunction& function) {
  ScopeMarkers markers;
  ScopeRanges(info, markers).Run(function);
  return markers;
}

}  // namespace ptxmir::ptx
