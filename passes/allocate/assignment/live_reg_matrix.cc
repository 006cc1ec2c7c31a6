// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/assignment/live_reg_matrix.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr uint32_t kBucket = PressureTree::kBucket;

// Calls `visit` with the positions from `first` to before `last` whose pressure is above `limit`, in order, as long as
// `points_left` allows it.
template <typename Visit>
void VisitOver(const PressureTree& tree, uint32_t first, uint32_t last, int32_t limit, size_t& points_left,
               const Visit& visit) {
  uint32_t found = tree.FirstOver(first, last, limit);
  for (; found != PressureTree::kNone && points_left > 0; --points_left) {
    visit(found);
    found = tree.FirstOver(found + 1, last, limit);
  }
}

}  // namespace

LiveRegMatrix::LiveRegMatrix(MachineFunction& function, AnalysisManager& analyses)
    : function_(function),
      intervals_(analyses.Get<LiveIntervals>()),
      limits_(function.target().reg_classes.size() + 1, kNoLimit) {
  BuildPositions();
  intervals_.indexes().AddListener(*this);
}

void LiveRegMatrix::BuildPositions() {
  const SlotIndexes& indexes = intervals_.indexes();
  bases_.clear();
  for (const MachineBasicBlock& block : function_) {
    bases_.push_back(indexes.BlockStart(block));
    for (const MachineInstr& instr : block) {
      if (SlotIndexes::IsIndexed(instr)) bases_.push_back(indexes.InstrIndex(instr));
    }
  }
  const uint32_t positions = 2 * static_cast<uint32_t>(bases_.size());
  trees_.clear();
  trees_.resize(function_.target().reg_classes.size());
  total_ = PressureTree(positions);
  num_buckets_ = std::bit_ceil(std::max<uint32_t>(1, (positions + kBucket - 1) / kBucket));
  heads_.assign(2 * num_buckets_, kNone);
  covers_.clear();
  num_stale_covers_ = 0;
}

uint32_t LiveRegMatrix::PositionOf(SlotIndex index) const {
  const auto it = std::upper_bound(bases_.begin(), bases_.end(), index.Base());
  const uint32_t entry = static_cast<uint32_t>(it - bases_.begin()) - 1;
  // Instructions inserted after an instruction come after the point where it writes.
  const bool late = bases_[entry] != index.Base() || index.is_register() || index.is_dead();
  return 2 * entry + (late ? 1 : 0);
}

uint32_t LiveRegMatrix::EndPosition(SlotIndex end) const {
  const auto it = std::lower_bound(bases_.begin(), bases_.end(), end.Base());
  const uint32_t entry = static_cast<uint32_t>(it - bases_.begin());
  // Between inserted instructions, the segment extends to the next position. At an instruction, a segment that
  // ends at the early-clobber slot makes room for the early-clobbered result.
  if (it == bases_.end() || *it != end.Base()) return 2 * entry;
  return 2 * entry + (end.is_dead() ? 2 : end.is_register() ? 1 : 0);
}

SlotIndex LiveRegMatrix::IndexOf(uint32_t position) const {
  return position % 2 == 0 ? bases_[position / 2] : bases_[position / 2].RegSlot();
}

PressureTree& LiveRegMatrix::MutableTree(RegClassId reg_class) {
  std::unique_ptr<PressureTree>& tree = trees_[reg_class];
  if (tree == nullptr) tree = std::make_unique<PressureTree>(2 * static_cast<uint32_t>(bases_.size()));
  return *tree;
}

void LiveRegMatrix::SetLimit(PressureKind kind, int32_t limit) {
  limits_[kind.is_total() ? limits_.size() - 1 : kind.reg_class()] = limit;
}

int32_t LiveRegMatrix::Limit(PressureKind kind) const {
  return limits_[kind.is_total() ? limits_.size() - 1 : kind.reg_class()];
}

void LiveRegMatrix::Assign(const LiveInterval& interval) {
  const uint32_t reg = interval.reg().virtual_index();
  assert(!IsAssigned(interval.reg()));
  if (reg >= generation_.size()) {
    const uint32_t size = std::max(reg + 1, intervals_.num_intervals());
    generation_.resize(size, 0);
    num_covers_.resize(size, 0);
  }
  ++generation_[reg];
  ++num_assigned_;
  AddPressure(interval, 1);
  AddCovers(interval);
}

void LiveRegMatrix::Unassign(const LiveInterval& interval) {
  assert(IsAssigned(interval.reg()));
  const uint32_t reg = interval.reg().virtual_index();
  AddPressure(interval, -1);
  ++generation_[reg];
  --num_assigned_;
  num_stale_covers_ += num_covers_[reg];
  num_covers_[reg] = 0;
  if (num_stale_covers_ > 1024 && 2 * num_stale_covers_ > covers_.size()) RebuildCovers();
}

void LiveRegMatrix::AddPressure(const LiveInterval& interval, int32_t sign) {
  const RegClassId reg_class = ClassOf(interval);
  const int32_t units = UnitsOf(reg_class);
  PressureTree& tree = MutableTree(reg_class);
  for (const LiveSegment& segment : interval.segments()) {
    const uint32_t first = PositionOf(segment.start);
    const uint32_t last = EndPosition(segment.end);
    tree.Add(first, last, sign);
    if (units != 0) total_.Add(first, last, sign * units);
  }
}

void LiveRegMatrix::AddCover(uint32_t node, Register reg) {
  covers_.push_back({reg, generation_[reg.virtual_index()], heads_[node]});
  heads_[node] = static_cast<uint32_t>(covers_.size() - 1);
  ++num_covers_[reg.virtual_index()];
}

void LiveRegMatrix::AddCovers(const LiveInterval& interval) {
  uint32_t last_bucket = kNone;  // segments are in order, so one entry per bucket is enough
  const auto add_partly = [&](uint32_t bucket) {
    if (bucket == last_bucket) return;
    AddCover(num_buckets_ + bucket, interval.reg());
    last_bucket = bucket;
  };
  for (const LiveSegment& segment : interval.segments()) {
    const uint32_t first = PositionOf(segment.start);
    const uint32_t last = EndPosition(segment.end);
    if (first >= last) continue;
    const uint32_t first_bucket = first / kBucket;
    const uint32_t end_bucket = (last - 1) / kBucket;
    add_partly(first_bucket);
    if (first_bucket == end_bucket) continue;
    // Cover whole buckets by the tree nodes that they consist of.
    uint32_t low = num_buckets_ + first_bucket + 1;
    uint32_t high = num_buckets_ + end_bucket;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) AddCover(low++, interval.reg());
      if (high % 2 == 1) AddCover(--high, interval.reg());
    }
    add_partly(end_bucket);
  }
}

void LiveRegMatrix::RebuildCovers() {
  std::fill(heads_.begin(), heads_.end(), kNone);
  std::fill(num_covers_.begin(), num_covers_.end(), 0);
  covers_.clear();
  num_stale_covers_ = 0;
  for (uint32_t i = 0; i < generation_.size(); ++i) {
    if (generation_[i] % 2 == 1) AddCovers(intervals_.Interval(Register::Virtual(i)));
  }
}

void LiveRegMatrix::Refresh() {
  BuildPositions();
  for (uint32_t i = 0; i < generation_.size(); ++i) {
    if (generation_[i] % 2 == 1) AddPressure(intervals_.Interval(Register::Virtual(i)), 1);
  }
  RebuildCovers();
}

int32_t LiveRegMatrix::PressureAt(PressureKind kind, SlotIndex index) const {
  const PressureTree* tree = TreeOf(kind);
  return tree == nullptr ? 0 : tree->At(PositionOf(index));
}

int32_t LiveRegMatrix::MaxPressure(PressureKind kind, SlotIndex start, SlotIndex end) const {
  const PressureTree* tree = TreeOf(kind);
  return tree == nullptr ? 0 : tree->Max(PositionOf(start), EndPosition(end));
}

int32_t LiveRegMatrix::MaxPressure(PressureKind kind, const LiveRange& range) const {
  int32_t max = 0;
  for (const LiveSegment& segment : range.segments())
    max = std::max(max, MaxPressure(kind, segment.start, segment.end));
  return max;
}

int32_t LiveRegMatrix::MaxPressure(PressureKind kind) const {
  const PressureTree* tree = TreeOf(kind);
  return tree == nullptr ? 0 : tree->Max(0, tree->size());
}

SlotIndex LiveRegMatrix::PeakOf(PressureKind kind, const LiveRange& range) const {
  const PressureTree* tree = TreeOf(kind);
  SlotIndex peak = range.empty() ? SlotIndex() : range.begin_index();
  if (tree == nullptr) return peak;
  int32_t max = -1;
  for (const LiveSegment& segment : range.segments()) {
    const uint32_t first = PositionOf(segment.start);
    const uint32_t last = EndPosition(segment.end);
    if (tree->Max(first, last) <= max) continue;
    max = tree->Max(first, last);
    peak = std::max(segment.start, IndexOf(tree->FirstMax(first, last)));
  }
  return peak;
}

SlotIndex LiveRegMatrix::Peak(PressureKind kind) const {
  const PressureTree* tree = TreeOf(kind);
  if (bases_.empty()) return {};
  return tree == nullptr ? bases_.front() : IndexOf(tree->FirstMax(0, tree->size()));
}

SlotIndex LiveRegMatrix::FirstOver(PressureKind kind, const LiveRange& range, int32_t limit) const {
  const PressureTree* tree = TreeOf(kind);
  if (tree == nullptr) return limit < 0 && !range.empty() ? range.begin_index() : SlotIndex();
  for (const LiveSegment& segment : range.segments()) {
    const uint32_t found = tree->FirstOver(PositionOf(segment.start), EndPosition(segment.end), limit);
    if (found != PressureTree::kNone) return std::max(segment.start, IndexOf(found));
  }
  return {};
}

void LiveRegMatrix::CollectOver(PressureKind kind, const LiveRange& range, int32_t limit, size_t max_points,
                                std::vector<SlotIndex>& points) const {
  const PressureTree* tree = TreeOf(kind);
  if (tree == nullptr) return;
  for (const LiveSegment& segment : range.segments()) {
    VisitOver(*tree, PositionOf(segment.start), EndPosition(segment.end), limit, max_points,
              [&](uint32_t position) { points.push_back(std::max(segment.start, IndexOf(position))); });
  }
}

void LiveRegMatrix::CollectOver(PressureKind kind, int32_t limit, size_t max_points,
                                std::vector<SlotIndex>& points) const {
  const PressureTree* tree = TreeOf(kind);
  if (tree == nullptr) return;
  VisitOver(*tree, 0, tree->size(), limit, max_points, [&](uint32_t position) { points.push_back(IndexOf(position)); });
}

std::optional<LiveRegMatrix::Excess> LiveRegMatrix::FindExcess() const {
  std::optional<Excess> first;
  const auto look = [&](PressureKind kind) {
    const PressureTree* tree = TreeOf(kind);
    if (tree == nullptr || Limit(kind) == kNoLimit) return;
    const uint32_t found = tree->FirstOver(0, tree->size(), Limit(kind));
    if (found == PressureTree::kNone || (first.has_value() && first->at <= IndexOf(found))) return;
    first = Excess{kind, IndexOf(found), tree->At(found), Limit(kind)};
  };
  for (size_t i = 0; i < trees_.size(); ++i) look(PressureKind::Class(static_cast<RegClassId>(i)));
  look(PressureKind::Total());
  return first;
}

std::optional<LiveRegMatrix::Excess> LiveRegMatrix::Interference(PressureKind kind, int32_t amount,
                                                                 const LiveRange& range, bool first) const {
  const int32_t limit = Limit(kind);
  if (limit == kNoLimit || amount == 0) return std::nullopt;
  const SlotIndex at = FirstOver(kind, range, limit - amount);
  if (!at.is_valid()) return std::nullopt;
  const SlotIndex place = first ? at : PeakOf(kind, range);
  return Excess{kind, place, PressureAt(kind, place) + amount, limit};
}

std::optional<LiveRegMatrix::Excess> LiveRegMatrix::FindInterference(const LiveInterval& interval) const {
  const RegClassId reg_class = ClassOf(interval);
  if (const auto excess = Interference(PressureKind::Class(reg_class), 1, interval, false)) return excess;
  return Interference(PressureKind::Total(), UnitsOf(reg_class), interval, false);
}

std::optional<LiveRegMatrix::Excess> LiveRegMatrix::FirstInterference(RegClassId reg_class,
                                                                      const LiveRange& range) const {
  const auto of_class = Interference(PressureKind::Class(reg_class), 1, range, true);
  const auto of_total = Interference(PressureKind::Total(), UnitsOf(reg_class), range, true);
  if (!of_class.has_value()) return of_total;
  return of_total.has_value() && of_total->at < of_class->at ? of_total : of_class;
}

void LiveRegMatrix::CollectLiveAt(SlotIndex index, std::vector<Register>& registers) const {
  const size_t before = registers.size();
  const uint32_t position = PositionOf(index);
  for (uint32_t node = num_buckets_ + position / kBucket; node > 0; node /= 2) {
    for (uint32_t i = heads_[node]; i != kNone; i = covers_[i].next) {
      const Cover& cover = covers_[i];
      if (generation_[cover.reg.virtual_index()] != cover.generation) continue;
      // An entry for a partly covered bucket does not say which of its positions are covered.
      if (node >= num_buckets_) {
        const LiveInterval& interval = intervals_.Interval(cover.reg);
        bool is_live = false;
        for (const LiveSegment* s = interval.Find(bases_[position / 2]); !is_live && s != interval.segments().end();
             ++s) {
          if (PositionOf(s->start) > position) break;
          is_live = EndPosition(s->end) > position;
        }
        if (!is_live) continue;
      }
      registers.push_back(cover.reg);
    }
  }
  std::sort(registers.begin() + static_cast<ptrdiff_t>(before), registers.end());
  registers.erase(std::unique(registers.begin() + static_cast<ptrdiff_t>(before), registers.end()), registers.end());
}

void LiveRegMatrix::CollectLiveAt(SlotIndex index, PressureKind kind, std::vector<Register>& registers) const {
  std::vector<Register> all;
  CollectLiveAt(index, all);
  for (const Register reg : all) {
    const RegClassId reg_class = function_.reg_info().reg_class(reg);
    if (kind.is_total() ? UnitsOf(reg_class) != 0 : reg_class == kind.reg_class()) registers.push_back(reg);
  }
}

void LiveRegMatrix::OnRenumbering(const SlotRenumbering& renumbering) {
  for (auto it = std::lower_bound(bases_.begin(), bases_.end(), renumbering.begin());
       it != bases_.end() && renumbering.Affects(*it); ++it) {
    *it = renumbering.Map(*it);
  }
}

void LiveRegMatrix::Print(std::string& out) const {
  StrAppend(&out, "Live register matrix of machine function: ", function_.name(), ", ", num_assigned_,
            " registers assigned\n");
  const auto print = [&](std::string_view name, PressureKind kind) {
    if (TreeOf(kind) == nullptr || MaxPressure(kind) == 0) return;
    const SlotIndex peak = Peak(kind);
    StrAppend(&out, name, ": ", MaxPressure(kind), " at ", intervals_.indexes().ToString(peak));
    if (Limit(kind) != kNoLimit) StrAppend(&out, ", limit ", Limit(kind));
    out += '\n';
  };
  for (size_t i = 0; i < trees_.size(); ++i) {
    print(function_.target().reg_classes[i].name, PressureKind::Class(static_cast<RegClassId>(i)));
  }
  print("units of 32 bits", PressureKind::Total());
}

std::string LiveRegMatrix::DifferenceFrom(const Analysis&) const {
  std::vector<PressureTree> counts(trees_.size(), PressureTree(2 * static_cast<uint32_t>(bases_.size())));
  for (uint32_t i = 0; i < generation_.size(); ++i) {
    if (generation_[i] % 2 == 0) continue;
    const LiveInterval& interval = intervals_.Interval(Register::Virtual(i));
    for (const LiveSegment& segment : interval.segments()) {
      counts[ClassOf(interval)].Add(PositionOf(segment.start), EndPosition(segment.end), 1);
    }
  }
  for (uint32_t position = 0; position < total_.size(); ++position) {
    int32_t units = 0;
    for (size_t i = 0; i < trees_.size(); ++i) {
      const int32_t count = counts[i].At(position);
      units += count * UnitsOf(static_cast<RegClassId>(i));
      if (count == (trees_[i] == nullptr ? 0 : trees_[i]->At(position))) continue;
      return StrCat("pressure of ", function_.target().reg_classes[i].name, " at ",
                    intervals_.indexes().ToString(IndexOf(position)), " is not that of the assigned intervals");
    }
    if (units != total_.At(position)) return "the total pressure is not that of the classes";
  }
  return "";
}

}  // namespace ptxmir
