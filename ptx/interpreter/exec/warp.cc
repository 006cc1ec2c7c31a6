// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/exec/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/exec/grid.h"

namespace ptxmir::ptx {
namespace {

// The number of steps that a fragment may run while others of its warp could run, before it is forced to yield.
constexpr uint64_t kTurn = 1000;
// The number of steps for which it then lets another run, wherever that is.
constexpr uint64_t kForcedTurn = 200;

constexpr uint32_t kNoPc = ~uint32_t{0};
constexpr unsigned kMaxDepth = 2000;

// Copies lanes of a row. A row of one bit is a mask.
void CopyLanes(uint8_t* to, const uint8_t* from, unsigned bits, LaneMask lanes) {
  if (bits == 1) {
    LaneMask target, source;
    std::memcpy(&target, to, sizeof target);
    std::memcpy(&source, from, sizeof source);
    target = (target & ~lanes) | (source & lanes);
    std::memcpy(to, &target, sizeof target);
    return;
  }
  const size_t bytes = bits / 8;
  for (const unsigned lane : Lanes(lanes)) std::memcpy(to + lane * bytes, from + lane * bytes, bytes);
}

uint64_t ReadElement(const uint8_t* row, unsigned bits, unsigned lane) {
  switch (bits) {
    case 1: {
      LaneMask mask;
      std::memcpy(&mask, row, sizeof mask);
      return mask >> lane & 1;
    }
    case 16:
      return reinterpret_cast<const uint16_t*>(row)[lane];
    case 32:
      return reinterpret_cast<const uint32_t*>(row)[lane];
    default:
      return reinterpret_cast<const uint64_t*>(row)[lane];
  }
}

void WriteElement(uint8_t* row, unsigned bits, unsigned lane, uint64_t value) {
  switch (bits) {
    case 1: {
      LaneMask mask;
      std::memcpy(&mask, row, sizeof mask);
      mask = (mask & ~(LaneMask{1} << lane)) | (static_cast<LaneMask>(value & 1) << lane);
      std::memcpy(row, &mask, sizeof mask);
      return;
    }
    case 16:
      reinterpret_cast<uint16_t*>(row)[lane] = static_cast<uint16_t>(value);
      return;
    case 32:
      reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value);
      return;
    default:
      reinterpret_cast<uint64_t*>(row)[lane] = value;
      return;
  }
}

uint64_t MaskOfBits(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

}  // namespace

Warp::Warp(Cta& cta, unsigned number, LaneMask lanes)
    : cta_(cta), number_(number), alive_(lanes), local_(kWarpSize), async_(kWarpSize) {}

Warp::~Warp() = default;

Grid& Warp::grid() const { return cta_.grid(); }

StepResult Warp::InWriteOrder(absl::FunctionRef<bool(unsigned lane)> run) const {
  const bool reverse = grid().config().order.reverse;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const unsigned lane = reverse ? kWarpSize - 1 - i : i;
    if ((active_ >> lane & 1) != 0 && !run(lane)) return StepResult::kFault;
  }
  return StepResult::kNext;
}

// ---- Operands.

LaneValue Warp::Read(const DecodedInstr& instr, unsigned operand, unsigned lane) const {
  const Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& decoded = frame.code->operands[instr.first_operand + operand];
  switch (decoded.kind) {
    case DecodedOperand::Kind::kRow: {
      const uint64_t value =
          ReadElement(const_cast<Frame&>(frame).Values(decoded.row), frame.code->rows[decoded.row].bits, lane);
      return {value, UndefinedBits(frame, decoded.row, lane)};
    }
    case DecodedOperand::Kind::kConstant:
      return {static_cast<uint64_t>(decoded.value), 0};
    default:
      return {};
  }
}

void Warp::Write(const DecodedInstr& instr, unsigned operand, unsigned lane, LaneValue value) {
  Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& decoded = frame.code->operands[instr.first_operand + operand];
  if (decoded.kind != DecodedOperand::Kind::kRow) return;
  WriteElement(frame.Values(decoded.row), frame.code->rows[decoded.row].bits, lane, value.value);
  SetUndefinedBits(frame, decoded.row, lane, value.undefined);
}

bool Warp::ReadDefined(const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* value) {
  const LaneValue read = Read(instr, operand, lane);
  *value = read.value;
  if (read.undefined == 0) return true;
  Fail(instr, FaultKind::kUndefinedOperand, lane, StrCat("operand ", operand, " is undefined"),
       DescribeOrigin(instr, operand));
  return false;
}

unsigned Warp::OperandBits(const DecodedInstr& instr, unsigned operand) const {
  return code().operands[instr.first_operand + operand].bits;
}

bool Warp::ReadAddress(const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* address) {
  const DecodedOperand& decoded = code().operands[instr.first_operand + operand];
  if (decoded.kind == DecodedOperand::Kind::kAddress && decoded.row == kNoRow) {
    *address = static_cast<uint64_t>(decoded.value);
    return true;
  }
  LaneValue base;
  if (decoded.kind == DecodedOperand::Kind::kConstant) {
    base.value = static_cast<uint64_t>(decoded.value);
  } else {
    Frame& frame = *fragments_[current_].frame;
    base.value = ReadElement(frame.Values(decoded.row), frame.code->rows[decoded.row].bits, lane);
    base.undefined = UndefinedBits(frame, decoded.row, lane);
  }
  if (base.undefined != 0) {
    Fail(instr, FaultKind::kUndefinedAddress, lane, "the address is undefined", DescribeOrigin(instr, operand));
    return false;
  }
  *address =
      decoded.kind == DecodedOperand::Kind::kAddress ? base.value + static_cast<uint64_t>(decoded.value) : base.value;
  // Offsets wrap in 32-bit addresses.
  if (decoded.bits == 32) *address = static_cast<uint32_t>(*address);
  return true;
}

uint64_t Warp::UndefinedBits(const Frame& frame, uint32_t row, unsigned lane) const {
  const LaneMask bit = LaneMask{1} << lane;
  if ((frame.undefined[row] & bit) == 0) return 0;
  const unsigned bits = frame.code->rows[row].bits;
  if ((frame.partial[row] & bit) == 0) return MaskOfBits(bits);
  return ReadElement(const_cast<Frame&>(frame).Bits(row), bits, lane);
}

void Warp::SetUndefinedBits(Frame& frame, uint32_t row, unsigned lane, uint64_t bits) {
  const unsigned width = frame.code->rows[row].bits;
  const LaneMask bit = LaneMask{1} << lane;
  bits &= MaskOfBits(width);
  if (bits == 0) {
    frame.undefined[row] &= ~bit;
    return;
  }
  frame.undefined[row] |= bit;
  if (bits == MaskOfBits(width)) {
    frame.partial[row] &= ~bit;
  } else {
    frame.partial[row] |= bit;
    WriteElement(frame.Bits(row), width, lane, bits);
  }
}

// ---- Executing.

void Warp::ExecutePure(const DecodedInstr& instr, Frame& frame) {
  constexpr unsigned kMaxRows = 64;
  void* rows[kMaxRows];
  const DecodedFunction& code = *frame.code;
  const DecodedOperand* operands = &code.operands[instr.first_operand];
  const unsigned count = std::min<unsigned>(instr.num_operands, kMaxRows);
  LaneMask undefined = 0;
  for (unsigned i = 0; i < count; ++i) {
    const DecodedOperand& operand = operands[i];
    if (operand.kind == DecodedOperand::Kind::kRow) {
      rows[i] = frame.Values(operand.row);
      if (i >= instr.num_results) undefined |= frame.undefined[operand.row];
    } else {
      rows[i] = const_cast<void*>(code.Constant(operand.row));
    }
  }
  undefined &= active_;
  if (undefined != 0) [[unlikely]] {
    ExecuteUndefined(instr, frame, undefined, rows);
    return;
  }
  instr.pure(rows, active_, instr.params);
  for (unsigned i = 0; i < instr.num_results; ++i) frame.undefined[operands[i].row] &= ~active_;
}

void Warp::ExecuteUndefined(const DecodedInstr& instr, Frame& frame, LaneMask undefined, void* const* rows) {
  const DecodedFunction& code = *frame.code;
  const DecodedOperand* operands = &code.operands[instr.first_operand];
  const unsigned num_results = instr.num_results;
  const unsigned num_sources = instr.num_operands - num_results;
  // Results may overwrite sources, so read all sources first.
  std::vector<UndefinedInput> inputs(size_t{kWarpSize} * num_sources);
  OriginId origin = 0;
  for (unsigned i = 0; i < num_sources; ++i) {
    ForEachLane(undefined, [&](unsigned lane) {
      const LaneValue value = Read(instr, num_results + i, lane);
      inputs[size_t{lane} * num_sources + i] = {value.value, value.undefined};
    });
    const DecodedOperand& operand = operands[num_results + i];
    if (operand.kind != DecodedOperand::Kind::kRow || (frame.undefined[operand.row] & undefined) == 0) continue;
    if (origin != 0) continue;
    origin = frame.origins[operand.row];
    if (origin == 0) {
      const Register reg = code.rows[operand.row].reg;
      origin = NewOrigin(instr, reg.is_virtual() ? StrCat("%", reg.virtual_index(), " has not been written")
                                                 : std::string("a register has not been written"));
    }
  }
  instr.pure(rows, active_, instr.params);
  for (unsigned i = 0; i < num_results; ++i) frame.undefined[operands[i].row] &= ~active_;
  std::vector<uint64_t> values(num_results), results(num_results);
  ForEachLane(undefined, [&](unsigned lane) {
    std::fill(results.begin(), results.end(), ~uint64_t{0});
    if (instr.undefined != nullptr) {
      for (unsigned i = 0; i < num_results; ++i) {
        values[i] = ReadElement(static_cast<const uint8_t*>(rows[i]), operands[i].bits, lane);
      }
      instr.undefined(absl::MakeConstSpan(&inputs[size_t{lane} * num_sources], num_sources), values, instr.params,
                      absl::MakeSpan(results));
    }
    for (unsigned i = 0; i < num_results; ++i) SetUndefinedBits(frame, operands[i].row, lane, results[i]);
  });
  for (unsigned i = 0; i < num_results; ++i) frame.origins[operands[i].row] = origin;
}

void Warp::CopyRow(const DecodedInstr& instr) {
  Frame& frame = *fragments_[current_].frame;
  const DecodedFunction& code = *frame.code;
  const DecodedOperand& to = code.operands[instr.first_operand];
  const DecodedOperand& from = code.operands[instr.first_operand + 1];
  if (to.kind != DecodedOperand::Kind::kRow) return;
  const bool is_row = from.kind == DecodedOperand::Kind::kRow;
  const LaneMask undefined = is_row ? frame.undefined[from.row] & active_ : 0;
  if (undefined != 0 || to.bits != from.bits) {
    ForEachLane(active_, [&](unsigned lane) {
      LaneValue value = Read(instr, 1, lane);
      if (const unsigned bits = instr.params.a; bits != 0 && bits < 64) {
        const auto extend = [bits](uint64_t v) {
          return static_cast<uint64_t>(static_cast<int64_t>(v << (64 - bits)) >> (64 - bits));
        };
        value = {extend(value.value), extend(value.undefined)};
      }
      Write(instr, 0, lane, value);
    });
    if (undefined != 0) PropagateOrigin(instr, 1, 0);
    return;
  }
  uint8_t* target = frame.Values(to.row);
  const uint8_t* source = is_row ? frame.Values(from.row) : static_cast<const uint8_t*>(code.Constant(from.row));
  if (to.bits > 1 && active_ == kAllLanes) {
    std::memmove(target, source, size_t{to.bits} / 8 * kWarpSize);
  } else {
    ForEachLane(active_,
                [&](unsigned lane) { WriteElement(target, to.bits, lane, ReadElement(source, to.bits, lane)); });
  }
  frame.undefined[to.row] &= ~active_;
}

// Sets the active lanes according to the guard. Returns false after a fault.
bool Warp::ApplyGuard(const DecodedInstr& instr, Frame& frame) {
  const LaneMask lanes = fragments_[current_].lanes;
  if (const LaneMask undefined = frame.undefined[instr.guard] & lanes; undefined != 0) {
    active_ = undefined;
    const unsigned lane = FirstLane(undefined);
    const OriginId origin = frame.origins[instr.guard];
    Fail(instr, FaultKind::kUndefinedBranch, lane,
         instr.category == InstrCategory::kBranch ? "the branch depends on an undefined predicate"
                                                  : "the guard is an undefined predicate",
         origin != 0 ? std::string(grid().DescribeOrigin(origin)) : std::string("the predicate was never written"));
    return false;
  }
  LaneMask guard;
  std::memcpy(&guard, frame.Values(instr.guard), sizeof guard);
  active_ = lanes & (instr.guard_negated ? ~guard : guard);
  return true;
}

Warp::RunResult Warp::RunFragment(uint64_t steps) {
  const size_t num_fragments = fragments_.size();
  LaunchCounts& counts = grid().counts();
  // The place of another fragment of the frame that is ahead. This fragment runs only up to there, so that they
  // merge.
  uint32_t limit = kNoPc;
  {
    const Fragment& self = fragments_[current_];
    for (const Fragment& other : fragments_) {
      if (&other != &self && other.frame == self.frame && other.pc > self.pc) limit = std::min(limit, other.pc);
    }
  }
  ExecutedByInstr* const executed = grid().config().executed;
  const bool alone = num_fragments == 1;
  uint64_t& now = grid().steps;
  const uint64_t end = now + steps;
  RunResult result = RunResult::kRunning;
  while (now < end) {
    Fragment& fragment = fragments_[current_];
    Frame& frame = *fragment.frame;
    const DecodedInstr& instr = frame.code->instrs[fragment.pc];
    ++now;
    active_ = fragment.lanes;
    if (instr.guard != kNoRow) {
      if (!ApplyGuard(instr, frame)) {
        result = RunResult::kFault;
        break;
      }
    }
    if (instr.is_counted) {
      const unsigned lanes = static_cast<unsigned>(std::popcount(active_));
      counts.warp_instructions += 1;
      counts.thread_instructions += lanes;
      counts.by_category[static_cast<size_t>(instr.category)] += lanes;
      if (executed != nullptr) [[unlikely]]
        (*executed)[instr.source] += lanes;
    }
    if (instr.pure != nullptr) {
      if (active_ != 0) ExecutePure(instr, frame);
      ++fragment.pc;
    } else if (active_ == 0) {
      ++fragment.pc;
    } else {
      const StepResult step = instr.warp(*this, instr);
      if (step == StepResult::kNext) {
        ++fragments_[current_].pc;
      } else if (step == StepResult::kFault) {
        result = RunResult::kFault;
        break;
      } else if (step == StepResult::kBlocked) {
        Fragment& blocked = fragments_[current_];
        blocked.blocked = true;
        blocked.blocked_at = cta_.progress;
        if (instr.is_counted) {  // it will be executed again
          const unsigned lanes = static_cast<unsigned>(std::popcount(active_));
          counts.warp_instructions -= 1;
          counts.thread_instructions -= lanes;
          counts.by_category[static_cast<size_t>(instr.category)] -= lanes;
          if (executed != nullptr) (*executed)[instr.source] -= lanes;
        }
        break;
      }
      if (fragments_.size() != num_fragments || fragments_.empty()) break;
      if (step == StepResult::kJumped && (!alone || gives_way_)) break;
    }
    if (fragments_[current_].pc >= limit) break;
  }
  return result;
}

// Moves lanes to a frame of the same function that another call from the same place has made.
void Warp::JoinFrames(Frame& to, Frame& from, LaneMask lanes) {
  for (uint32_t row = 0; row < to.code->rows.size(); ++row) {
    const unsigned bits = to.code->rows[row].bits;
    CopyLanes(to.Values(row), from.Values(row), bits, lanes);
    if ((from.partial[row] & lanes) != 0) CopyLanes(to.Bits(row), from.Bits(row), bits, lanes);
    if (to.origins[row] == 0) to.origins[row] = from.origins[row];
    to.undefined[row] = (to.undefined[row] & ~lanes) | (from.undefined[row] & lanes);
    to.partial[row] = (to.partial[row] & ~lanes) | (from.partial[row] & lanes);
  }
  const size_t size = to.code->outgoing_size;
  for (const unsigned lane : Lanes(lanes)) {
    const auto at = static_cast<ptrdiff_t>(lane * size);
    std::copy_n(from.outgoing.begin() + at, size, to.outgoing.begin() + at);
    std::copy_n(from.outgoing_undefined.begin() + at, size, to.outgoing_undefined.begin() + at);
  }
  to.lanes |= lanes;
  from.lanes &= ~lanes;
  if (from.lanes == 0) ReleaseFrame(&from);
}

// Returns true if the fragments are at the same place: in one frame, or in frames of calls from one place of one frame.
// Lanes that called a function at different times can meet in it, as on GPUs since Volta.
bool Warp::AreTogether(const Fragment& a, const Fragment& b) {
  if (a.pc != b.pc) return false;
  if (a.frame == b.frame) return true;
  const Frame& x = *a.frame;
  const Frame& y = *b.frame;
  return x.code == y.code && x.parent == y.parent && x.parent != nullptr && x.site == y.site &&
         x.return_pc == y.return_pc && x.local_base == y.local_base && x.local_top == y.local_top;
}

// Merges fragments at the same place.
void Warp::Merge() {
  if (fragments_.size() < 2) return;
  for (size_t i = 0; i < fragments_.size(); ++i) {
    for (size_t j = i + 1; j < fragments_.size();) {
      if (AreTogether(fragments_[i], fragments_[j])) {
        if (fragments_[j].frame != fragments_[i].frame) {
          JoinFrames(*fragments_[i].frame, *fragments_[j].frame, fragments_[j].lanes);
        }
        fragments_[i].lanes |= fragments_[j].lanes;
        fragments_[i].blocked = false;
        fragments_.erase(fragments_.begin() + static_cast<ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
}

// Chooses the fragment to run next. Returns false if none can run.
bool Warp::Pick() {
  Merge();
  const bool leading_first = grid().config().order.leading_lanes_first;
  constexpr size_t kNone = ~size_t{0};
  size_t best = kNone;
  for (size_t i = 0; i < fragments_.size(); ++i) {
    const Fragment& fragment = fragments_[i];
    if (fragment.blocked && fragment.blocked_at == cta_.progress) continue;
    if (best == kNone) {
      best = i;
      continue;
    }
    const Fragment& other = fragments_[best];
    if (fragment.frame->depth != other.frame->depth ? fragment.frame->depth > other.frame->depth
                                                    : (fragment.pc < other.pc) != leading_first) {
      best = i;
    }
  }
  if (best == kNone) return false;
  current_ = best;
  fragments_[best].blocked = false;
  return true;
}

Warp::RunResult Warp::Run(uint64_t steps) {
  const uint64_t end = grid().steps + steps;
  while (!fragments_.empty()) {
    // Another fragment may be what this one waits for.
    if (std::exchange(gives_way_, false)) return fragments_.size() == 1 ? RunResult::kWaiting : RunResult::kRunning;
    if (grid().steps >= end) return RunResult::kRunning;
    if (!Pick()) return RunResult::kBlocked;
    uint64_t turn = end - grid().steps;
    if (fragments_.size() == 1) {
      steps_since_forced_ = 0;
    } else if (steps_since_forced_ >= kTurn) {
      // Run the fragment that has waited longest, wherever it is.
      for (size_t i = 0; i < fragments_.size(); ++i) {
        const bool can_run = !fragments_[i].blocked || fragments_[i].blocked_at != cta_.progress;
        if (can_run && fragments_[i].last_run < fragments_[current_].last_run) current_ = i;
      }
      fragments_[current_].blocked = false;
      turn = std::min(turn, kForcedTurn);
      steps_since_forced_ = 0;
    }
    fragments_[current_].last_run = ++turn_;
    const uint64_t before = grid().steps;
    const RunResult result = RunFragment(std::min(turn, kTurn));
    steps_since_forced_ += grid().steps - before;
    if (result == RunResult::kFault) return result;
  }
  return RunResult::kEnded;
}

std::string Warp::DescribeWaiting() const {
  std::string out;
  for (const Fragment& fragment : fragments_) {
    const DecodedInstr& instr = fragment.frame->code->instrs[fragment.pc];
    StrAppend(&out, "\n  warp ", number_, ", lanes ", FromAbsl(absl::StrFormat("0x%08x", fragment.lanes)), " at '",
              DescribeInstr(instr), "' in ", fragment.frame->code->function->name());
  }
  return out;
}

// ---- Control.

void Warp::GiveWay() {
  steps_since_forced_ = kTurn;
  gives_way_ = true;
  ++fragments_[current_].pc;
}

void Warp::Start(const DecodedFunction& code) {
  fragments_.clear();
  fragments_.push_back({.lanes = alive_});
  active_ = alive_;
  current_ = 0;
  PushFrame(code, nullptr);
}

Frame* Warp::PushFrame(const DecodedFunction& code, const CallSite* site) {
  Frame* parent = fragments_[current_].frame;
  const uint32_t depth = parent == nullptr ? 0 : parent->depth + 1;
  if (depth > kMaxDepth) return nullptr;
  const uint32_t base = parent == nullptr ? 0 : parent->local_top;
  if (!GrowLocal(base + code.local_size)) return nullptr;
  std::unique_ptr<Frame> owned;
  // Reuse a free frame of the same function, so that loops with calls need no new memory.
  for (size_t i = free_frames_.size(); i-- > 0;) {
    if (free_frames_[i]->code != &code) continue;
    owned = std::move(free_frames_[i]);
    free_frames_.erase(free_frames_.begin() + static_cast<ptrdiff_t>(i));
    break;
  }
  if (owned == nullptr) {
    owned = std::make_unique<Frame>();
    owned->values.resize((code.values_size + 7) / 8);
    owned->outgoing.resize(size_t{code.outgoing_size} * kWarpSize);
  }
  Frame& frame = *owned;
  frame.code = &code;
  frame.parent = parent;
  frame.site = site;
  frame.depth = depth;
  frame.return_pc = parent == nullptr ? 0 : fragments_[current_].pc + 1;
  frame.lanes = active_;
  frame.undefined.assign(code.rows.size(), kAllLanes);
  frame.partial.assign(code.rows.size(), 0);
  frame.origins.assign(code.rows.size(), 0);
  frame.outgoing_undefined.assign(frame.outgoing.size(), 0xff);
  frame.local_base = base;
  frame.local_top = base + code.local_size;
  for (const DecodedFunction::StackSlot& slot : code.stack_slots) {
    SetAccessible(base + slot.offset, slot.size, active_, true);
  }
  frames_.push_back(std::move(owned));
  Fragment& fragment = fragments_[current_];
  if (fragment.lanes != active_) {
    Fragment rest = fragment;
    rest.lanes &= ~active_;
    // A guarded call: the other lanes go on after it.
    ++rest.pc;
    fragments_.push_back(rest);
  }
  Fragment& callee = fragments_[current_];
  callee.lanes = active_;
  callee.frame = &frame;
  callee.pc = 0;
  return &frame;
}

void Warp::JumpTo(uint32_t pc) {
  Fragment& fragment = fragments_[current_];
  if (active_ == fragment.lanes) {
    fragment.pc = pc;
    return;
  }
  Fragment rest = fragment;
  rest.lanes &= ~active_;
  ++rest.pc;
  fragment.lanes = active_;
  fragment.pc = pc;
  ++grid().counts().divergent_branches;
  fragments_.push_back(rest);
}

void Warp::SplitOff(LaneMask lanes, bool waits) {
  Fragment& fragment = fragments_[current_];
  Fragment rest = fragment;
  rest.lanes &= ~lanes;
  if (rest.lanes == 0) return;
  rest.blocked = waits;
  rest.blocked_at = cta_.progress;
  fragment.lanes &= lanes;
  active_ &= lanes;
  fragments_.push_back(rest);
}

// Makes the stack of lanes that leave a frame inaccessible. That of lanes still in the frame stays accessible.
void Warp::LeaveFrame(Frame* frame, LaneMask leaving) {
  for (const DecodedFunction::StackSlot& slot : frame->code->stack_slots) {
    SetAccessible(frame->local_base + slot.offset, slot.size, leaving, false);
  }
  const uint32_t fixed = frame->local_base + frame->code->local_size;
  if (frame->local_top > fixed) SetAccessible(fixed, frame->local_top - fixed, leaving, false);
  frame->lanes &= ~leaving;
  if (frame->lanes == 0) ReleaseFrame(frame);
}

void Warp::ReleaseFrame(Frame* frame) {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].get() != frame) continue;
    free_frames_.push_back(std::move(frames_[i]));
    frames_.erase(frames_.begin() + static_cast<ptrdiff_t>(i));
    return;
  }
}

void Warp::RemoveEmptyFragment() {
  fragments_.erase(fragments_.begin() + static_cast<ptrdiff_t>(current_));
  current_ = 0;
}

// Removes the active lanes from the current fragment and returns them. The other lanes go on after the instruction.
LaneMask Warp::LeaveFragment() {
  Fragment& fragment = fragments_[current_];
  const LaneMask leaving = active_;
  fragment.lanes &= ~leaving;
  ++fragment.pc;
  return leaving;
}

void Warp::ReturnLanes() {
  Frame* frame = fragments_[current_].frame;
  if (frame->parent == nullptr) return ExitLanes();
  const LaneMask leaving = LeaveFragment();
  const Fragment back = {.lanes = leaving, .frame = frame->parent, .pc = frame->return_pc};
  if (fragments_[current_].lanes == 0) RemoveEmptyFragment();
  LeaveFrame(frame, leaving);
  fragments_.push_back(back);
  current_ = fragments_.size() - 1;
}

void Warp::ExitLanes() {
  Frame* frame = fragments_[current_].frame;
  const LaneMask leaving = LeaveFragment();
  alive_ &= ~leaving;
  if (fragments_[current_].lanes == 0) RemoveEmptyFragment();
  while (frame != nullptr) {
    Frame* parent = frame->parent;
    LeaveFrame(frame, leaving);
    frame = parent;
  }
  ++cta_.progress;
  cta_.OnExit();
}

// ---- Collectives.

StepResult Warp::CollectiveGroups(const DecodedInstr& instr, unsigned mask_operand, std::vector<LaneMask>* groups) {
  LaneMask rest = active_;
  LaneMask complete = 0;
  while (rest != 0) {
    const unsigned first = FirstLane(rest);
    LaneMask members = alive_;
    LaneMask group = rest;
    if (mask_operand != kAllAlive) {
      uint64_t mask = 0;
      if (!ReadDefined(instr, mask_operand, first, &mask)) return StepResult::kFault;
      members = static_cast<LaneMask>(mask);
      group = 0;
      bool ok = true;
      ForEachLane(rest, [&](unsigned lane) {
        uint64_t other = 0;
        if (ok) ok = ReadDefined(instr, mask_operand, lane, &other);
        if (static_cast<LaneMask>(other) == members) group |= LaneMask{1} << lane;
      });
      if (!ok) return StepResult::kFault;
    }
    rest &= ~group;
    if ((group & ~members) != 0) {
      return Fail(instr, FaultKind::kDivergentBarrier, FirstLane(group & ~members),
                  "the member mask does not name the lane that executes the instruction");
    }
    if ((members & alive_ & ~group) == 0) {
      groups->push_back(group);
      complete |= group;
    }
  }
  if (complete == 0) return StepResult::kBlocked;
  const LaneMask waiting = active_ & ~complete;
  if (waiting != 0) SplitOff(fragments_[current_].lanes & ~waiting, /*waits=*/true);
  return StepResult::kNext;
}

}  // namespace ptxmir::ptx
