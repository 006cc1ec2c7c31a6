// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/stack_accesses.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// Returns the bytes of a plain access through `operand`, or 0 if it is not a plain access.
uint32_t BytesOfPlainAccess(const MachineInstr& instr, unsigned operand) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  const bool loads = info.reads_memory() && !info.writes_memory();
  const bool stores = info.writes_memory() && !info.reads_memory();
  // Only loads and stores that name their space are plain; atomics, copies and prefetches are not.
  if ((!loads && !stores) || info.space != ptx::MemorySpace::kOperand || info.address != operand) return 0;
  if (info.second_address != ptx::PtxInstrInfo::kNoOperand || ptx::IsOrderedAccess(instr)) return 0;
  const ptx::MemorySpace space = ptx::MemorySpaceOf(instr);
  if (space != ptx::MemorySpace::kGeneric && space != ptx::MemorySpace::kLocal) return 0;
  if (operand + 1 >= instr.num_operands() || !instr.operand(operand + 1).is_imm()) return 0;
  if (info.width >= instr.num_operands() || !instr.operand(info.width).is_imm()) return 0;
  const int64_t bits = instr.operand(info.width).imm();
  if (bits <= 0 || bits > 128 || bits % 8 != 0) return 0;
  for (const MachineMemOperand* memoperand : instr.memoperands()) {
    if (memoperand->is_volatile() || memoperand->is_atomic()) return 0;
  }
  return static_cast<uint32_t>(bits / 8) * std::max<uint32_t>(info.num_values, 1);
}

}  // namespace

StackAccess DescribeStackAccess(MachineInstr& instr, unsigned operand) {
  StackAccess access;
  access.instr = &instr;
  access.operand = operand;
  access.index = instr.operand(operand).frame_index();
  if (instr.is_debug()) {
    access.kind = StackAccess::Kind::kDebug;
  } else if (instr.opcode() == generic::kLifetimeStart || instr.opcode() == generic::kLifetimeEnd) {
    access.kind = StackAccess::Kind::kMarker;
  } else if (const uint32_t bytes = BytesOfPlainAccess(instr, operand); bytes != 0) {
    access.bytes = bytes;
    access.offset = instr.operand(operand + 1).imm();
    access.kind = ptx::InstrInfo(instr.opcode()).reads_memory() ? StackAccess::Kind::kLoad : StackAccess::Kind::kStore;
  }
  return access;
}

StackAccessList::StackAccessList(MachineFunction& function) : block_positions(function.block_number_bound()) {
  uint32_t position = 0;
  for (MachineBasicBlock& block : function) {
    block_positions[block.number()].first = position;
    for (MachineInstr& instr : block) {
      for (unsigned i = 0; i < instr.num_operands(); ++i) {
        if (!instr.operand(i).is_frame_index()) continue;
        accesses.push_back(DescribeStackAccess(instr, i));
        accesses.back().position = position;
      }
      position += !instr.is_debug();
    }
    // An empty block gets a point of its own.
    position += position == block_positions[block.number()].first;
    block_positions[block.number()].second = position;
  }
}

StackCells::StackCells(const StackAccessList& list, const std::vector<bool>& is_wanted)
    : cell_of_access(list.accesses.size(), kNoCell), overwrites(list.accesses.size()) {
  std::vector<uint32_t> sorted;
  for (uint32_t i = 0; i < list.accesses.size(); ++i) {
    const StackAccess& access = list.accesses[i];
    if (access.is_plain() && access.index >= 0 && is_wanted[static_cast<size_t>(access.index)]) sorted.push_back(i);
  }
  const auto key = [&](uint32_t i) {
    const StackAccess& access = list.accesses[i];
    return std::make_tuple(access.index, access.offset, i);
  };
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  for (const uint32_t i : sorted) {
    const StackAccess& access = list.accesses[i];
    const bool touches_last = !cells.empty() && cells.back().index == access.index &&
                              access.offset < cells.back().offset + cells.back().bytes;
    if (!touches_last) cells.push_back({.index = access.index, .offset = access.offset, .bytes = access.bytes});
    Cell& cell = cells.back();
    if (cell.offset != access.offset || cell.bytes != access.bytes) {
      const int64_t end = std::max(cell.offset + cell.bytes, access.offset + access.bytes);
      cell.bytes = static_cast<uint32_t>(end - cell.offset);
      cell.is_uniform = false;
    }
    cell_of_access[i] = static_cast<uint32_t>(cells.size() - 1);
  }
  for (const uint32_t i : sorted) {
    const StackAccess& access = list.accesses[i];
    const Cell& cell = cells[cell_of_access[i]];
    overwrites[i] =
        access.kind == StackAccess::Kind::kStore && access.offset == cell.offset && access.bytes == cell.bytes;
  }
}

void RenameInMemOperands(MachineInstr& instr, int from, int to) {
  const auto names_it = [&](const MachineMemOperand* memoperand) {
    return memoperand->value_kind == MachineMemOperand::ValueKind::kFrameIndex && memoperand->frame_index == from;
  };
  const auto memoperands = instr.memoperands();
  if (std::none_of(memoperands.begin(), memoperands.end(), names_it)) return;
  std::vector<const MachineMemOperand*> renamed;
  for (const MachineMemOperand* memoperand : memoperands) {
    if (names_it(memoperand)) {
      MachineMemOperand copy = *memoperand;
      copy.frame_index = to;
      memoperand = instr.function().CreateMemOperand(copy);
    }
    renamed.push_back(memoperand);
  }
  instr.SetMemOperands(renamed);
}

MetadataId MetadataReference(std::string_view text, MachineFunction& function) {
  MetadataId id = 0;
  if (text.starts_with('!') && absl::SimpleAtoi(ToAbsl(text.substr(1)), &id)) return id;
  return function.InternInlineMetadata(text);
}

bool Overlap(absl::Span<const StackSegment> a, absl::Span<const StackSegment> b) {
  if (a.empty() || b.empty() || a.back().end <= b.front().begin || b.back().end <= a.front().begin) return false;
  if (a.size() > b.size()) std::swap(a, b);
  // Look up each segment of the shorter list in the longer one.
  const StackSegment* from = b.data();
  const StackSegment* const end = b.data() + b.size();
  for (const StackSegment& segment : a) {
    from = std::partition_point(from, end, [&](const StackSegment& other) { return other.end <= segment.begin; });
    if (from == end) return false;
    if (from->begin < segment.end) return true;
  }
  return false;
}

namespace {

// Inserts one segment into a sorted list.
void InsertSegment(std::vector<StackSegment>& segments, StackSegment segment) {
  const auto first = std::partition_point(segments.begin(), segments.end(),
                                          [&](const StackSegment& other) { return other.end < segment.begin; });
  const auto last = std::partition_point(first, segments.end(),
                                         [&](const StackSegment& other) { return other.begin <= segment.end; });
  if (first == last) {
    segments.insert(first, segment);
    return;
  }
  first->begin = std::min(first->begin, segment.begin);
  first->end = std::max((last - 1)->end, segment.end);
  segments.erase(first + 1, last);
}

}  // namespace

void MergeSegments(std::vector<StackSegment>& segments, absl::Span<const StackSegment> more) {
  // A few segments are inserted one by one, which moves memory but does not visit the others.
  constexpr size_t kFew = 8;
  if (more.size() <= kFew) {
    for (const StackSegment& segment : more) InsertSegment(segments, segment);
    return;
  }
  const auto middle = static_cast<std::ptrdiff_t>(segments.size());
  segments.insert(segments.end(), more.begin(), more.end());
  const auto is_before = [](const StackSegment& a, const StackSegment& b) { return a.begin < b.begin; };
  std::inplace_merge(segments.begin(), segments.begin() + middle, segments.end(), is_before);
  size_t kept = 0;
  for (const StackSegment& segment : segments) {
    if (kept > 0 && segment.begin <= segments[kept - 1].end) {
      segments[kept - 1].end = std::max(segments[kept - 1].end, segment.end);
    } else {
      segments[kept++] = segment;
    }
  }
  segments.resize(kept);
}

StackLiveness::StackLiveness(const MachineFunction& function, const StackAccessList& list, const StackCells& cells)
    : function_(function),
      list_(list),
      cells_(cells),
      first_segment_(cells.cells.size() + 1),
      live_into_function_(cells.cells.size()),
      dead_store_(list.accesses.size()),
      run_mark_(function.block_number_bound()),
      search_(function) {
  // Accesses by cell, in layout order.
  const size_t num_cells = cells.cells.size();
  std::vector<uint32_t> first_of_cell(num_cells + 1);
  for (const uint32_t cell : cells.cell_of_access) {
    if (cell != StackCells::kNoCell) ++first_of_cell[cell + 1];
  }
  for (size_t cell = 0; cell < num_cells; ++cell) first_of_cell[cell + 1] += first_of_cell[cell];
  std::vector<uint32_t> by_cell(first_of_cell[num_cells]);
  std::vector<uint32_t> next(first_of_cell.begin(), first_of_cell.end() - 1);
  for (uint32_t i = 0; i < cells.cell_of_access.size(); ++i) {
    if (cells.cell_of_access[i] != StackCells::kNoCell) by_cell[next[cells.cell_of_access[i]]++] = i;
  }
  for (uint32_t cell = 0; cell < num_cells; ++cell) {
    first_segment_[cell] = static_cast<uint32_t>(segments_.size());
    const uint32_t first = first_of_cell[cell];
    Compute(cell, absl::MakeConstSpan(by_cell).subspan(first, first_of_cell[cell + 1] - first));
  }
  first_segment_[num_cells] = static_cast<uint32_t>(segments_.size());
}

void StackLiveness::Compute(uint32_t cell, absl::Span<const uint32_t> accesses) {
  if (accesses.empty()) return;
  if (blocks_lived_through_ > kMaxBlocksLivedThrough) {
    segments_.push_back({0, ~uint32_t{0}});
    live_into_function_[cell] = true;
    return;
  }
  runs_.clear();
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    const StackAccess& access = list_.accesses[accesses[i]];
    MachineBasicBlock* const block = access.instr->parent();
    if (runs_.empty() || runs_.back().block != block) {
      run_mark_[block->number()] = cell + 1;
      runs_.push_back({.block = block, .first = i, .last = i, .is_exposed = false, .overwrites = false});
    }
    Run& run = runs_.back();
    run.last = i;
    if (access.kind == StackAccess::Kind::kLoad) {
      run.is_exposed |= !run.overwrites;
    } else {
      run.overwrites |= cells_.overwrites[accesses[i]];
    }
  }
  const size_t first = segments_.size();
  FindLiveBlocks(cell);
  for (const Run& run : runs_) AddSegmentsOf(run, accesses);
  SortAndJoin(first);
}

// Finds the blocks that the value is live out of, and adds the segments of those without accesses.
void StackLiveness::FindLiveBlocks(uint32_t cell) {
  search_.Begin();
  for (const Run& run : runs_) {
    if (run.overwrites) search_.AddDef(run.block->number());
  }
  for (const Run& run : runs_) {
    if (run.is_exposed) search_.ReachTop(run.block->number());
  }
  search_.Search();
  live_into_function_[cell] = search_.IsLiveIn(function_.front()->number());
  blocks_lived_through_ += search_.live_out().size();
  for (const BlockNumber block : search_.live_out()) {
    if (run_mark_[block] == cell + 1) continue;
    const auto [begin, end] = list_.block_positions[block];
    segments_.push_back({2 * begin, 2 * end});
  }
}

void StackLiveness::AddSegmentsOf(const Run& run, absl::Span<const uint32_t> accesses) {
  const auto [block_begin, block_end] = list_.block_positions[run.block->number()];
  bool is_live = search_.IsLiveOut(run.block->number());
  uint32_t end = 2 * block_end;
  for (uint32_t i = run.last + 1; i-- > run.first;) {
    const StackAccess& access = list_.accesses[accesses[i]];
    const uint32_t point = 2 * access.position + 1;
    if (access.kind == StackAccess::Kind::kLoad) {
      if (!is_live) end = point;
      is_live = true;
    } else if (!is_live) {
      dead_store_[accesses[i]] = true;
      segments_.push_back({point, point + 1});
    } else if (cells_.overwrites[accesses[i]]) {
      segments_.push_back({point, end});
      is_live = false;
    }
  }
  if (is_live) segments_.push_back({2 * block_begin, end});
}

void StackLiveness::SortAndJoin(size_t first) {
  const auto begin = segments_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, segments_.end(), [](const StackSegment& a, const StackSegment& b) { return a.begin < b.begin; });
  size_t kept = first;
  for (size_t i = first; i < segments_.size(); ++i) {
    if (kept > first && segments_[i].begin <= segments_[kept - 1].end) {
      segments_[kept - 1].end = std::max(segments_[kept - 1].end, segments_[i].end);
    } else {
      segments_[kept++] = segments_[i];
    }
  }
  segments_.resize(kept);
}

}  // namespace ptxmir
