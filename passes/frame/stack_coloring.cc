// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/stack_coloring.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/values/memory_dependence.h"
#include "passes/frame/stack_accesses.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

constexpr size_t kMaxPlacesTried = 256;

// Computes where an object is live, from the points where its lifetime begins and ends.
class LifetimeFinder {
 public:
  struct Event {
    const MachineInstr* instr;
    uint32_t position;
    bool begins;  // otherwise it ends
  };

  LifetimeFinder(const MachineFunction& function, const StackAccessList& list)
      : list_(list), mark_(function.block_number_bound()), run_mark_(function.block_number_bound()) {}

  // Returns the segments in which the object is live. `events` must be in layout order.
  std::vector<StackSegment> Find(absl::Span<const Event> events) {
    ++round_;
    std::vector<StackSegment> segments;
    for (size_t i = 0; i < events.size(); ++i) {
      const MachineBasicBlock& block = *events[i].instr->parent();
      run_mark_[block.number()] = round_;
      const bool is_last = i + 1 == events.size() || events[i + 1].instr->parent() != &block;
      if (is_last && events[i].begins) LiveOutOf(block);
    }
    while (!worklist_.empty()) {
      const MachineBasicBlock& block = *worklist_.back();
      worklist_.pop_back();
      if (run_mark_[block.number()] == round_) continue;  // the first loop has handled its last event
      const auto [begin, end] = list_.block_positions[block.number()];
      segments.push_back({2 * begin, 2 * end});
      LiveOutOf(block);
    }
    for (size_t i = 0; i < events.size();) i = AddSegmentsOfBlock(events, i, segments);
    std::sort(segments.begin(), segments.end(),
              [](const StackSegment& a, const StackSegment& b) { return a.begin < b.begin; });
    std::vector<StackSegment> joined;
    MergeSegments(joined, segments);
    return joined;
  }

 private:
  void LiveOutOf(const MachineBasicBlock& block) {
    for (const MachineBasicBlock* successor : block.successors()) {
      uint32_t& mark = mark_[successor->number()];
      if (mark == round_) continue;
      mark = round_;
      worklist_.push_back(successor);
    }
  }

  // Adds the segments of the block of event `i`, and returns the index of the next block's first event.
  size_t AddSegmentsOfBlock(absl::Span<const Event> events, size_t i, std::vector<StackSegment>& segments) const {
    const MachineBasicBlock& block = *events[i].instr->parent();
    const auto [block_begin, block_end] = list_.block_positions[block.number()];
    bool is_live = mark_[block.number()] == round_;
    uint32_t begin = 2 * block_begin;
    for (; i < events.size() && events[i].instr->parent() == &block; ++i) {
      const uint32_t point = 2 * events[i].position;
      if (events[i].begins && !is_live) begin = point;
      if (!events[i].begins && is_live) segments.push_back({begin, point});
      is_live = events[i].begins;
    }
    if (is_live) segments.push_back({begin, 2 * block_end});
    return i;
  }

  const StackAccessList& list_;
  std::vector<uint32_t> mark_;      // the blocks that it is live into, in this round
  std::vector<uint32_t> run_mark_;  // the blocks with events, in this round
  uint32_t round_ = 0;
  std::vector<const MachineBasicBlock*> worklist_;
};

bool Contains(absl::Span<const StackSegment> segments, uint32_t point) {
  const auto it = std::partition_point(segments.begin(), segments.end(),
                                       [&](const StackSegment& segment) { return segment.end <= point; });
  return it != segments.end() && it->begin <= point;
}

class Coloring {
 public:
  Coloring(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        frame_(function.frame_info()),
        list_(function),
        first_access_(frame_.objects().size() + 1),
        merged_into_(frame_.objects().size(), kNone) {}

  // Returns true if anything changed.
  bool Run() {
    if (!context_.knobs.no_stack_coloring()) {
      SortAccesses();
      FindLives();
      Merge();
      if (num_merged_ > 0) Rewrite();
    }
    EraseMarkers();
    context_.AddStatistic("stack objects that share another's place", num_merged_);
    context_.AddStatistic("bytes of stack saved", bytes_saved_);
    return num_merged_ + num_markers_ > 0;
  }

 private:
  using Kind = StackAccess::Kind;

  // Sorts the accesses by object, without those of fixed objects.
  void SortAccesses() {
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      if (list_.accesses[i].index >= 0) sorted_.push_back(i);
    }
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [&](uint32_t a, uint32_t b) { return list_.accesses[a].index < list_.accesses[b].index; });
    for (const uint32_t i : sorted_) ++first_access_[static_cast<size_t>(list_.accesses[i].index) + 1];
    for (size_t i = 0; i + 1 < first_access_.size(); ++i) first_access_[i + 1] += first_access_[i];
  }

  absl::Span<const uint32_t> AccessesOf(int index) const {
    const auto object = static_cast<size_t>(index);
    return absl::MakeConstSpan(sorted_).subspan(first_access_[object],
                                                first_access_[object + 1] - first_access_[object]);
  }

  void FindLives() {
    LifetimeFinder finder(function_, list_);
    lives_.resize(frame_.objects().size());
    for (size_t i = 0; i < frame_.objects().size(); ++i) {
      const StackObject& object = frame_.objects()[i];
      const bool is_fit = object.type == StackObject::Type::kDefault && !object.is_dead && object.size > 0 &&
                          frame_.stack_protector.empty();
      if (is_fit) lives_[i] = LifeOf(static_cast<int>(i), finder);
    }
  }

  // Returns the segments in which the object is live, or an empty list if it cannot share its place.
  std::vector<StackSegment> LifeOf(int index, LifetimeFinder& finder) const {
    std::vector<LifetimeFinder::Event> markers;
    std::vector<LifetimeFinder::Event> uses;  // including the lifetime ends
    bool has_start = false;
    for (const uint32_t i : AccessesOf(index)) {
      const StackAccess& access = list_.accesses[i];
      if (access.kind == Kind::kDebug) continue;
      const bool is_start = access.instr->opcode() == generic::kLifetimeStart;
      has_start |= is_start;
      const LifetimeFinder::Event event{access.instr, access.position, is_start || access.kind != Kind::kMarker};
      if (access.kind == Kind::kMarker) markers.push_back(event);
      if (!is_start) uses.push_back(event);
    }
    if (!has_start) return {};
    std::vector<StackSegment> life = finder.Find(markers);
    const bool is_named_outside = std::any_of(uses.begin(), uses.end(), [&](const LifetimeFinder::Event& event) {
      return event.begins && !Contains(life, 2 * event.position);
    });
    if (!is_named_outside) {
      return context_.knobs.stackcoloring_lifetime_start_on_first_use() ? finder.Find(uses) : life;
    }
    if (context_.knobs.protect_from_escaped_allocas()) return {};
    for (const LifetimeFinder::Event& event : uses) {
      const bool is_access = ptx::InstrInfo(event.instr->opcode()).touches_memory() || event.instr->is_inline_asm();
      if (event.begins && is_access && !Contains(life, 2 * event.position)) return {};
    }
    return life;
  }

  struct Place {
    int index;  // the index of its first object
    uint8_t align_log2;
    std::vector<StackSegment> segments;
  };

  void Merge() {
    std::vector<int> order;
    for (size_t i = 0; i < lives_.size(); ++i) {
      if (!lives_[i].empty()) order.push_back(static_cast<int>(i));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return frame_.object(a).size > frame_.object(b).size; });
    std::vector<Place> places;
    for (const int index : order) {
      std::vector<StackSegment>& life = lives_[static_cast<size_t>(index)];
      const StackObject& object = frame_.object(index);
      const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(places.size(), kMaxPlacesTried));
      const auto place =
          std::find_if(places.begin(), end, [&](const Place& other) { return !Overlap(other.segments, life); });
      if (place == end) {
        places.push_back({index, object.align_log2, std::move(life)});
        continue;
      }
      place->align_log2 = std::max(place->align_log2, object.align_log2);
      MergeSegments(place->segments, life);
      merged_into_[static_cast<size_t>(index)] = place->index;
      merged_into_[static_cast<size_t>(place->index)] = place->index;
      ++num_merged_;
      bytes_saved_ += object.size;
      Remark(index, place->index);
    }
    for (const Place& place : places) {
      frame_.object(place.index).align_log2 = place.align_log2;
      frame_.max_alignment = std::max(frame_.max_alignment, uint64_t{1} << place.align_log2);
    }
  }

  void Remark(int index, int place) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "ObjectsMerged", function_)
             << "stack object " << RemarkArg("Object", index) << " of " << RemarkArg("Size", frame_.object(index).size)
             << " bytes shares the place of object " << RemarkArg("Other", place);
    });
  }

  void Rewrite() {
    RewriteMemOperands();
    for (const uint32_t i : sorted_) {
      const StackAccess& access = list_.accesses[i];
      const int place = merged_into_[static_cast<size_t>(access.index)];
      if (place == kNone || place == access.index) continue;
      if (access.kind == Kind::kMarker) {
        PlaceVariable(access, place);
      } else {
        access.instr->operand(access.operand).ChangeTo(MachineOperand::CreateFrameIndex(place));
      }
    }
    for (size_t i = 0; i < merged_into_.size(); ++i) {
      const int place = merged_into_[i];
      if (place == kNone || static_cast<size_t>(place) == i) continue;
      StackObject& object = frame_.objects()[i];
      object.is_dead = true;
      object.debug_variable = object.debug_expression = object.debug_location = {};
    }
  }

  // Inserts a debug value for the variable of a merged object: it is in its new place from where its lifetime
  // begins.
  void PlaceVariable(const StackAccess& marker, int place) {
    const StackObject& object = frame_.object(marker.index);
    if (object.debug_variable.empty() || marker.instr->opcode() != generic::kLifetimeStart) return;
    BuildMI(*marker.instr->parent(), marker.instr, generic::kDbgValue,
            MetadataReference(object.debug_location, function_))
        .Add(MachineOperand::CreateFrameIndex(place))
        .AddImm(0)
        .Add(MachineOperand::CreateMetadata(MetadataReference(object.debug_variable, function_)))
        .Add(MachineOperand::CreateMetadata(MetadataReference(object.debug_expression, function_)))
        .Insert();
  }

  bool IsMerged(int64_t index) const {
    return index >= 0 && static_cast<size_t>(index) < merged_into_.size() &&
           merged_into_[static_cast<size_t>(index)] != kNone;
  }

  // To be called before operands change: the original objects determine what an access may touch.
  void RewriteMemOperands() {
    MemoryDependence& dependence = context_.analyses.Get<MemoryDependence>();
    std::vector<const MachineMemOperand*> rewritten;
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        if (instr.memoperands().empty()) continue;
        const MemoryAccess access = dependence.Describe(instr);
        const bool is_known = access.object == MemoryAccess::Root::kFrameIndex;
        if (is_known && !IsMerged(access.object_id)) continue;
        if (!is_known && (access.object != MemoryAccess::Root::kUnknown || !MayBeLocal(access.space))) continue;
        rewritten.clear();
        for (const MachineMemOperand* memoperand : instr.memoperands()) rewritten.push_back(Rewritten(*memoperand));
        instr.SetMemOperands(rewritten);
      }
    }
  }

  static bool MayBeLocal(ptx::MemorySpace space) {
    return space == ptx::MemorySpace::kLocal || space == ptx::MemorySpace::kGeneric ||
           space == ptx::MemorySpace::kUnknown || space == ptx::MemorySpace::kOperand;
  }

  const MachineMemOperand* Rewritten(const MachineMemOperand& memoperand) {
    using ValueKind = MachineMemOperand::ValueKind;
    MachineMemOperand copy = memoperand;
    copy.tbaa = copy.alias_scope = copy.noalias = MachineMemOperand::kNoMetadata;
    if (copy.value_kind == ValueKind::kFrameIndex) {
      if (IsMerged(copy.frame_index)) copy.frame_index = merged_into_[static_cast<size_t>(copy.frame_index)];
    } else if (copy.value_kind == ValueKind::kIrValue || copy.value_kind == ValueKind::kIrExpression) {
      copy.value_kind = ValueKind::kUnknownAddress;
      copy.text = {};
      copy.offset = 0;
    }
    return function_.CreateMemOperand(copy);
  }

  void EraseMarkers() {
    for (const StackAccess& access : list_.accesses) {
      if (access.kind != Kind::kMarker) continue;
      access.instr->EraseFromParent();
      ++num_markers_;
    }
  }

  static constexpr int kNone = -1;

  MachineFunction& function_;
  PassContext& context_;
  MachineFrameInfo& frame_;
  StackAccessList list_;
  std::vector<uint32_t> sorted_;        // accesses by object, then in layout order
  std::vector<uint32_t> first_access_;  // index in sorted_, by object
  std::vector<std::vector<StackSegment>> lives_;
  std::vector<int> merged_into_;  // by object: the object whose place it shares; kNone if it is not merged
  uint64_t num_merged_ = 0;
  uint64_t num_markers_ = 0;
  uint64_t bytes_saved_ = 0;
};

}  // namespace

PassResult RunStackColoring(MachineFunction& function, PassContext& context) {
  if (!function.MayContain(generic::kLifetimeStart) && !function.MayContain(generic::kLifetimeEnd)) return {};
  const bool changed = Coloring(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
