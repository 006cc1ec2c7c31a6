// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/slot_indexes.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/str_cat.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {
namespace {

constexpr uint32_t kMaxScale = 8;
constexpr uint32_t kSlots = SlotIndex::kSlots;

// Returns the spacing, in units of the index, that a window of 2^level instructions must have after being spread.
// It grows with the level, which makes insertion cheap: a large window that was spread has room for many
// insertions in each of its parts.
uint32_t RequiredSpacing(uint32_t level) {
  double instrs = 3;
  for (uint32_t i = 0; i < level; ++i) instrs *= 1.25;
  return static_cast<uint32_t>(instrs) * kSlots;
}

uint32_t Align(uint32_t bits) { return bits & ~(kSlots - 1); }

}  // namespace

SlotIndex SlotRenumbering::Map(SlotIndex index) const {
  if (!Affects(index)) return index;
  const SlotIndex base = index.Base();
  const uint32_t slot = index.bits() - base.bits();
  const auto it = std::lower_bound(changes_.begin(), changes_.end(), base,
                                   [](const Change& change, SlotIndex at) { return change.from < at; });
  if (it == changes_.end()) return SlotIndex::FromBits(changes_.back().to.bits() + kSlots + slot);
  if (it->from == base) return SlotIndex::FromBits(it->to.bits() + slot);
  return SlotIndex::FromBits(it->to.bits() - kSlots + slot);
}

SlotIndexes::SlotIndexes(MachineFunction& function, AnalysisManager&) : function_(function) { NumberAll(); }

void SlotIndexes::NumberAll() {
  index_of_id_.assign(function_.arena().id_bound(), kNoIndex);
  ranges_.assign(function_.block_number_bound(), {});
  // An instruction takes at least two units of the arena.
  const uint64_t entries = function_.num_blocks() + function_.arena().id_bound() / 2 + 2;
  scale_ = 0;
  while (scale_ < kMaxScale && (entries * kPrintedDistance << (scale_ + 1)) <= std::numeric_limits<uint32_t>::max()) {
    ++scale_;
  }
  bucket_instrs_.clear();
  bucket_blocks_.clear();
  // An instruction with three operands takes five units.
  bucket_instrs_.reserve(function_.num_blocks() + function_.arena().id_bound() / 5);
  bucket_blocks_.reserve(bucket_instrs_.capacity());
  uint32_t next = 0;
  for (MachineBasicBlock& block : function_) NumberBlock(block, next);
  end_ = SlotIndex::FromBits(next);
  bucket_instrs_.push_back(0);
  bucket_blocks_.push_back(function_.empty() ? 0 : function_.back()->number());
}

void SlotIndexes::NumberBlock(MachineBasicBlock& block, uint32_t& next) {
  const uint32_t step = distance();
  const SlotIndex start = SlotIndex::FromBits(next);
  bucket_instrs_.push_back(0);
  next += step;
  for (const MachineInstr& instr : block) {
    if (!IsIndexed(instr)) {
      // A debug instruction, or one inside a bundle.
      if (instr.has_flag(MachineInstr::kBundledPred)) index_of_id_[instr.id()] = next - step;
      continue;
    }
    const ArenaId id = instr.id();
    index_of_id_[id] = next;
    bucket_instrs_.push_back(id);
    next += step;
  }
  bucket_blocks_.resize(bucket_instrs_.size(), block.number());
  ranges_[block.number()] = {start, SlotIndex::FromBits(next)};
}

void SlotIndexes::SetIndex(const MachineInstr& instr, uint32_t bits) {
  if (instr.id() >= index_of_id_.size()) index_of_id_.resize(function_.arena().id_bound(), kNoIndex);
  index_of_id_[instr.id()] = bits;
  for (const MachineInstr* inner = &instr; inner->has_flag(MachineInstr::kBundledSucc);) {
    inner = inner->next();
    if (inner == nullptr || !inner->has_flag(MachineInstr::kBundledPred)) break;
    if (inner->id() >= index_of_id_.size()) index_of_id_.resize(function_.arena().id_bound(), kNoIndex);
    index_of_id_[inner->id()] = bits;
  }
}

void SlotIndexes::AddToBucket(const MachineInstr& instr, uint32_t bits) {
  ArenaId& first = bucket_instrs_[BucketOf(bits)];
  if (first == 0 || index_of_id_[first] > bits) first = instr.id();
}

void SlotIndexes::RemoveFromBucket(const MachineInstr& instr, uint32_t bits) {
  ArenaId& first = bucket_instrs_[BucketOf(bits)];
  if (first != instr.id()) return;
  const MachineInstr* next = NextAcrossBlocks(&instr);
  first = next != nullptr && BucketOf(index_of_id_[next->id()]) == BucketOf(bits) ? next->id() : 0;
}

const MachineInstr* SlotIndexes::NextIndexed(const MachineInstr* instr) const {
  do {
    instr = instr->next();
  } while (instr != nullptr && !(IsIndexed(*instr) && HasIndex(*instr)));
  return instr;
}

const MachineInstr* SlotIndexes::PreviousIndexed(const MachineInstr* instr) const {
  do {
    instr = instr->previous();
  } while (instr != nullptr && !(IsIndexed(*instr) && HasIndex(*instr)));
  return instr;
}

const MachineInstr* SlotIndexes::NextAcrossBlocks(const MachineInstr* instr) const {
  if (const MachineInstr* next = NextIndexed(instr)) return next;
  return FirstIndexedFrom(instr->parent()->next());
}

const MachineInstr* SlotIndexes::FirstIndexedFrom(const MachineBasicBlock* block) const {
  for (; block != nullptr; block = block->next()) {
    const MachineInstr* first = block->front();
    if (first == nullptr) continue;
    if (IsIndexed(*first) && HasIndex(*first)) return first;
    if (const MachineInstr* next = NextIndexed(first)) return next;
  }
  return nullptr;
}

MachineInstr* SlotIndexes::InstrAt(SlotIndex index) const {
  const uint32_t bits = index.Base().bits();
  const uint32_t bucket = BucketOf(bits);
  if (bucket >= bucket_instrs_.size() || bucket_instrs_[bucket] == 0) return nullptr;
  const MachineInstr* instr = function_.arena().Resolve<MachineInstr>(bucket_instrs_[bucket]);
  while (instr != nullptr && index_of_id_[instr->id()] < bits) instr = NextAcrossBlocks(instr);
  if (instr == nullptr || index_of_id_[instr->id()] != bits) return nullptr;
  return const_cast<MachineInstr*>(instr);
}

MachineBasicBlock* SlotIndexes::BlockAt(SlotIndex index) const {
  const uint32_t bucket = std::min(BucketOf(index.bits()), static_cast<uint32_t>(bucket_blocks_.size() - 1));
  MachineBasicBlock* block = function_.block(bucket_blocks_[bucket]);
  while (block != nullptr && BlockEnd(*block) <= index && block->next() != nullptr) block = block->next();
  return block;
}

SlotIndex SlotIndexes::IndexBefore(const MachineInstr& instr) const {
  const MachineInstr* previous = PreviousIndexed(&instr);
  return previous != nullptr ? InstrIndex(*previous) : BlockStart(*instr.parent());
}

SlotIndex SlotIndexes::IndexAfter(const MachineInstr& instr) const {
  const MachineInstr* next = NextIndexed(&instr);
  return next != nullptr ? InstrIndex(*next) : BlockEnd(*instr.parent());
}

uint32_t SlotIndexes::FindGap(const MachineInstr& instr) const {
  const uint32_t low = IndexBefore(instr).bits();
  const uint32_t high = IndexAfter(instr).bits();
  const uint32_t middle = Align(low + (high - low) / 2);
  return middle == low ? kNoIndex : middle;
}

SlotIndex SlotIndexes::InsertInstr(MachineInstr& instr) {
  assert(IsIndexed(instr) && !HasIndex(instr));
  const uint32_t middle = FindGap(instr);
  if (middle != kNoIndex) {
    SetIndex(instr, middle);
    AddToBucket(instr, middle);
  } else if (!SpreadWindow(instr)) {
    RenumberAll();
    // The renumbering gave it an index, too.
  }
  return InstrIndex(instr);
}

bool SlotIndexes::SpreadWindow(const MachineInstr& instr) {
  std::vector<const MachineInstr*> before;  // nearest first
  std::vector<const MachineInstr*> after;
  const MachineInstr* left = PreviousIndexed(&instr);
  const MachineInstr* right = NextIndexed(&instr);
  const MachineBasicBlock& block = *instr.parent();
  for (uint32_t level = 1;; ++level) {
    const size_t side = size_t{1} << (level - 1);
    for (; left != nullptr && before.size() < side; left = PreviousIndexed(left)) before.push_back(left);
    for (; right != nullptr && after.size() < side; right = NextIndexed(right)) after.push_back(right);
    const uint32_t low = (left != nullptr ? InstrIndex(*left) : BlockStart(block)).bits();
    const uint32_t high = (right != nullptr ? InstrIndex(*right) : BlockEnd(block)).bits();
    const uint32_t count = static_cast<uint32_t>(before.size() + after.size() + 1);
    const uint32_t spacing = Align((high - low) / (count + 1));
    const bool is_whole_block = left == nullptr && right == nullptr;
    // A whole block is spread however dense it is, as long as there is a free place after each instruction.
    if (spacing < (is_whole_block ? 2 * kSlots : RequiredSpacing(level))) {
      if (is_whole_block) return false;
      continue;
    }
    std::reverse(before.begin(), before.end());
    before.push_back(&instr);
    before.insert(before.end(), after.begin(), after.end());
    Spread(before, instr, low, high);
    return true;
  }
}

void SlotIndexes::Spread(absl::Span<const MachineInstr* const> window, const MachineInstr& added, uint32_t low,
                         uint32_t high) {
  const uint32_t spacing = Align((high - low) / (static_cast<uint32_t>(window.size()) + 1));
  for (const MachineInstr* instr : window) {
    if (instr != &added) RemoveFromBucket(*instr, index_of_id_[instr->id()]);
  }
  std::vector<SlotRenumbering::Change> changes;
  changes.reserve(window.size());
  uint32_t bits = low;
  for (const MachineInstr* instr : window) {
    bits += spacing;
    if (instr != &added) changes.push_back({InstrIndex(*instr), SlotIndex::FromBits(bits)});
    SetIndex(*instr, bits);
  }
  // From the last one, so that the first instruction of a bucket ends up as its entry.
  for (size_t i = window.size(); i-- > 0;) AddToBucket(*window[i], index_of_id_[window[i]->id()]);
  num_renumbered_ += changes.size();
  const SlotRenumbering renumbering(SlotIndex::FromBits(low + kSlots), SlotIndex::FromBits(high), changes);
  for (SlotRenumberingListener* listener : listeners_) listener->OnRenumbering(renumbering);
}

void SlotIndexes::RenumberAll() {
  std::vector<SlotRenumbering::Change> changes;
  for (const MachineBasicBlock& block : function_) {
    if (block.number() < ranges_.size() && ranges_[block.number()].first.is_valid()) {
      changes.push_back({BlockStart(block), {}});
    }
    for (const MachineInstr& instr : block) {
      if (IsIndexed(instr) && HasIndex(instr)) changes.push_back({InstrIndex(instr), {}});
    }
  }
  changes.push_back({end_, {}});
  const LargeVector<uint32_t> old_index = std::move(index_of_id_);
  const std::vector<std::pair<SlotIndex, SlotIndex>> old_ranges = std::move(ranges_);
  NumberAll();
  size_t next = 0;
  for (const MachineBasicBlock& block : function_) {
    if (block.number() < old_ranges.size() && old_ranges[block.number()].first.is_valid()) {
      changes[next++].to = BlockStart(block);
    }
    for (const MachineInstr& instr : block) {
      if (IsIndexed(instr) && instr.id() < old_index.size() && old_index[instr.id()] != kNoIndex) {
        changes[next++].to = InstrIndex(instr);
      }
    }
  }
  changes[next].to = end_;
  num_renumbered_ += changes.size();
  const SlotRenumbering renumbering(begin(), SlotIndex::FromBits(changes.back().from.bits() + 1), changes);
  for (SlotRenumberingListener* listener : listeners_) listener->OnRenumbering(renumbering);
}

void SlotIndexes::RemoveInstr(const MachineInstr& instr) {
  if (!HasIndex(instr)) return;
  if (IsIndexed(instr)) RemoveFromBucket(instr, index_of_id_[instr.id()]);
  SetIndex(instr, kNoIndex);
}

SlotIndex SlotIndexes::MoveInstr(MachineInstr& instr) {
  const uint32_t bits = index_of_id_[instr.id()];
  SetIndex(instr, kNoIndex);
  ArenaId& first = bucket_instrs_[BucketOf(bits)];
  if (first == instr.id()) {
    // To find the instruction that followed it, start one bucket earlier.
    first = 0;
    uint32_t bucket = BucketOf(bits);
    while (bucket > 0 && bucket_instrs_[bucket] == 0) --bucket;
    const MachineInstr* next = bucket_instrs_[bucket] != 0
                                   ? function_.arena().Resolve<MachineInstr>(bucket_instrs_[bucket])
                                   : FirstIndexedFrom(function_.front());
    while (next != nullptr && BucketOf(index_of_id_[next->id()]) < BucketOf(bits)) next = NextAcrossBlocks(next);
    if (next != nullptr && BucketOf(index_of_id_[next->id()]) == BucketOf(bits)) first = next->id();
  }
  return InsertInstr(instr);
}

void SlotIndexes::ReplaceInstr(const MachineInstr& old_instr, MachineInstr& new_instr) {
  const uint32_t bits = index_of_id_[old_instr.id()];
  SetIndex(old_instr, kNoIndex);
  SetIndex(new_instr, bits);
  ArenaId& first = bucket_instrs_[BucketOf(bits)];
  if (first == old_instr.id()) first = new_instr.id();
}

void SlotIndexes::InsertBlock(MachineBasicBlock& block) {
  if (block.number() >= ranges_.size()) ranges_.resize(function_.block_number_bound());
  const MachineBasicBlock* before = block.previous();
  if (before == nullptr) return RenumberAll();
  const SlotIndex end = BlockEnd(*before);
  const MachineInstr* last = before->back();
  while (last != nullptr && !(IsIndexed(*last) && HasIndex(*last))) last = last->previous();
  const MachineInstr* first = block.front();
  while (first != nullptr && !(IsIndexed(*first) && HasIndex(*first))) first = first->next();
  const uint32_t low = (last != nullptr ? InstrIndex(*last) : BlockStart(*before)).bits();
  const uint32_t high = (first != nullptr ? InstrIndex(*first) : end).bits();
  const uint32_t middle = Align(low + (high - low) / 2);
  if (middle == low) return RenumberAll();
  const SlotIndex start = SlotIndex::FromBits(middle);
  ranges_[before->number()].second = start;
  ranges_[block.number()] = {start, end};
  for (uint32_t bucket = BucketOf(middle + distance() - 1); bucket < BucketOf(end.bits() + distance() - 1); ++bucket) {
    bucket_blocks_[bucket] = block.number();
  }
}

void SlotIndexes::Print(SlotIndex index, std::string& out) const {
  if (!index.is_valid()) {
    out += "invalid";
    return;
  }
  const uint32_t base = index.Base().bits();
  const uint32_t rest = base & ((1u << scale_) - 1);
  StrAppend(&out, base >> scale_);
  if (rest != 0) StrAppend(&out, ".", rest);
  out += "Berd"[index.bits() % kSlots];
}

void SlotIndexes::Print(std::string& out) const {
  StrAppend(&out, "Slot indexes in machine function: ", function_.name(), "\n");
  const auto entry = [&](SlotIndex index) {
    Print(index, out);
    out.back() = ' ';  // LLVM has no letter here
  };
  MirWriteOptions options;
  for (const MachineBasicBlock& block : function_) {
    entry(BlockStart(block));
    out += '\n';
    for (const MachineInstr& instr : block) {
      if (!IsIndexed(instr)) continue;
      entry(InstrIndex(instr));
      WriteInstr(instr, options, out);
      if (out.back() != '\n') out += '\n';
    }
  }
  entry(end_);
  out += '\n';
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, "%bb.", block.number(), "\t[", ToString(BlockStart(block)), ";", ToString(BlockEnd(block)), ")\n");
  }
}

std::string SlotIndexes::Check() const {
  SlotIndex previous;
  for (const MachineBasicBlock& block : function_) {
    const SlotIndex start = block.number() < ranges_.size() ? BlockStart(block) : SlotIndex();
    if (!start.is_valid()) return StrCat("%bb.", block.number(), " has no index");
    if (previous.is_valid() && BlockEnd(*block.previous()) != start) {
      return StrCat("%bb.", block.number(), " does not begin where the block before it ends");
    }
    if (previous.is_valid() && start <= previous) return StrCat("%bb.", block.number(), " is out of order");
    previous = start;
    if (BlockAt(start) != &block) return StrCat("%bb.", block.number(), " is not found by its index");
    for (const MachineInstr& instr : block) {
      if (!IsIndexed(instr)) continue;
      const auto where = [&] { return StrCat("an instruction of %bb.", block.number()); };
      if (!HasIndex(instr)) return StrCat(where(), " has no index");
      const SlotIndex index = InstrIndex(instr);
      if (index <= previous || !index.is_block()) return StrCat(where(), " is out of order at ", ToString(index));
      if (InstrAt(index) != &instr) return StrCat(where(), " is not found by its index ", ToString(index));
      if (BlockAt(index) != &block) return StrCat("the block of ", ToString(index), " is not found");
      previous = index;
    }
    if (BlockEnd(block) <= previous) return StrCat("%bb.", block.number(), " ends before its last instruction");
  }
  if (!function_.empty() && BlockEnd(*function_.back()) != end_) return "the function does not end with its last block";
  return "";
}

std::string SlotIndexes::DifferenceFrom(const Analysis&) const { return Check(); }

}  // namespace ptxmir
