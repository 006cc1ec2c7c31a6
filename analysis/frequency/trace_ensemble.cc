// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/trace_ensemble.h"

#include <algorithm>
#include <utility>

#include "mir/code/operand_ranges.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// Blocks with more predecessors than this have an index of the PHIs' operands.
constexpr size_t kManyPredecessors = 16;

constexpr size_t kLargeIdBound = size_t{1} << 16;

// A BUNDLE header repeats operands of the instructions in the bundle.
bool HasOperandsOfItsOwn(const MachineInstr& instr) { return !instr.is_debug() && instr.opcode() != generic::kBundle; }

bool ReadsRegister(const MachineOperand& operand) {
  return operand.is_reg() && operand.reads_reg() && operand.reg().is_valid();
}

bool WritesRegister(const MachineOperand& operand) { return operand.is_def() && operand.reg().is_valid(); }

uint32_t Busiest(const TraceResources& resources) { return *std::max_element(resources.begin(), resources.end()); }

void Add(TraceResources& to, const TraceResources& what) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

}  // namespace

TraceEnsemble::TraceEnsemble(const MachineFunction& function, const MachineLoops& loops)
    : function_(function),
      loops_(loops),
      order_(function),
      num_physical_(static_cast<uint32_t>(function.target().phys_regs.size())),
      states_(function.block_number_bound()),
      resources_(function.block_number_bound()) {}

// Blocks by themselves.

bool TraceEnsemble::IsTransient(const MachineInstr& instr) {
  switch (instr.opcode()) {
    case generic::kPhi:
    case generic::kCopy:
    case generic::kInsertSubreg:
    case generic::kSubregToReg:
    case generic::kRegSequence:
    case generic::kBundle:
      return true;
    default:
      return instr.is_meta();
  }
}

uint32_t TraceEnsemble::LatencyOf(const MachineInstr& instr) {
  return IsTransient(instr) ? 0 : ptx::MachineModel::Default().CostOf(instr).latency;
}

void TraceEnsemble::ComputeOwn(const MachineBasicBlock& block) {
  BlockState& state = State(block);
  if ((state.known & kOwn) != 0) return;
  state.known |= kOwn;
  state.instr_count = 0;
  state.has_calls = false;
  TraceResources& resources = resources_[block.number()].own;
  resources.fill(0);
  for (const MachineInstr& instr : block) {
    if (IsTransient(instr)) continue;
    ++state.instr_count;
    state.has_calls |= instr.is_call();
    const ptx::LatencyClass latency_class = ptx::LatencyClassOf(instr);
    resources[static_cast<size_t>(latency_class)] += ptx::MachineModel::Default().CostOf(latency_class).issue;
  }
}

uint32_t TraceEnsemble::InstrCount(const MachineBasicBlock& block) {
  ComputeOwn(block);
  return State(block).instr_count;
}

bool TraceEnsemble::HasCalls(const MachineBasicBlock& block) {
  ComputeOwn(block);
  return State(block).has_calls;
}

const TraceResources& TraceEnsemble::Resources(const MachineBasicBlock& block) {
  ComputeOwn(block);
  return resources_[block.number()].own;
}

// The forests.

bool TraceEnsemble::MayFollow(Direction direction, const MachineBasicBlock& from, const MachineBasicBlock& to) const {
  const uint32_t from_number = order_.reverse_postorder_number[from.number()];
  const uint32_t to_number = order_.reverse_postorder_number[to.number()];
  if (from_number == DepthFirstOrder::kUnreached || from_number >= to_number) return false;
  if (direction == kUp) return !loops_.IsHeader(to);
  const CycleId loop = loops_.InnermostCycle(from);
  return loop == CycleForest::kNoCycle || loops_.Contains(loop, to);
}

void TraceEnsemble::EnsureLink(Direction direction, const MachineBasicBlock& block) {
  const Known known = direction == kUp ? kUpLink : kDownLink;
  if (Knows(block.number(), known)) return;
  std::vector<std::pair<const MachineBasicBlock*, size_t>> stack = {{&block, 0}};  // with how many neighbors are done
  while (!stack.empty()) {
    auto& [top, next] = stack.back();
    const auto neighbors = direction == kUp ? top->predecessors() : top->successors();
    const MachineBasicBlock* unknown = nullptr;
    while (next < neighbors.size() && unknown == nullptr) {
      const MachineBasicBlock* neighbor = neighbors[next++];
      const bool may_follow = direction == kUp ? MayFollow(kUp, *neighbor, *top) : MayFollow(kDown, *top, *neighbor);
      if (may_follow && !Knows(neighbor->number(), known)) unknown = neighbor;
    }
    if (unknown != nullptr) {
      stack.emplace_back(unknown, 0);
    } else {
      ComputeLink(direction, *top);
      State(*top).known |= known;
      stack.pop_back();
    }
  }
}

void TraceEnsemble::ComputeLink(Direction direction, const MachineBasicBlock& block) {
  Link link;
  for (const MachineBasicBlock* neighbor : direction == kUp ? block.predecessors() : block.successors()) {
    const bool may_follow = direction == kUp ? MayFollow(kUp, *neighbor, block) : MayFollow(kDown, block, *neighbor);
    if (!may_follow) continue;
    uint32_t instrs = State(*neighbor).links[direction].instrs;
    if (direction == kUp) instrs += InstrCount(*neighbor);
    if (link.next != kNone && instrs >= link.instrs) continue;
    link.next = neighbor->number();
    link.instrs = instrs;
  }
  if (link.next == kNone) {
    link.end = link.jump = block.number();
  } else {
    const Link& parent = states_[link.next].links[direction];
    const Link& jump = states_[parent.jump].links[direction];
    link.end = parent.end;
    link.level = parent.level + 1;
    // Two jumps of equal length are joined to one of twice the length.
    const bool join = parent.level - jump.level == jump.level - states_[jump.jump].links[direction].level;
    link.jump = join ? jump.jump : link.next;
  }
  if (direction == kDown) link.instrs += InstrCount(block);
  State(block).links[direction] = link;
}

const TraceEnsemble::Link& TraceEnsemble::UpLink(const MachineBasicBlock& block) {
  EnsureLink(kUp, block);
  return State(block).links[kUp];
}

const TraceEnsemble::Link& TraceEnsemble::DownLink(const MachineBasicBlock& block) {
  EnsureLink(kDown, block);
  return State(block).links[kDown];
}

bool TraceEnsemble::IsAncestor(Direction direction, BlockNumber ancestor, BlockNumber block) const {
  // If the link of a block is known, those of all its ancestors are known.
  if (!Knows(ancestor, direction == kUp ? kUpLink : kDownLink)) return false;
  const Link& target = states_[ancestor].links[direction];
  if (target.end != states_[block].links[direction].end) return false;
  while (states_[block].links[direction].level > target.level) {
    const Link& link = states_[block].links[direction];
    block = states_[link.jump].links[direction].level >= target.level ? link.jump : link.next;
  }
  return block == ancestor;
}

const std::vector<BlockNumber>& TraceEnsemble::CollectUnknown(Direction direction, const MachineBasicBlock& block,
                                                              Known what) {
  EnsureLink(direction, block);
  path_.clear();
  for (BlockNumber number = block.number(); number != kNone && !Knows(number, what);
       number = states_[number].links[direction].next) {
    path_.push_back(number);
  }
  std::reverse(path_.begin(), path_.end());
  return path_;
}

MachineBasicBlock* TraceEnsemble::TracePredecessor(const MachineBasicBlock& block) {
  return function_.block(UpLink(block).next);
}

MachineBasicBlock* TraceEnsemble::TraceSuccessor(const MachineBasicBlock& block) {
  return function_.block(DownLink(block).next);
}

MachineBasicBlock& TraceEnsemble::Head(const MachineBasicBlock& block) { return *function_.block(UpLink(block).end); }

MachineBasicBlock& TraceEnsemble::Tail(const MachineBasicBlock& block) { return *function_.block(DownLink(block).end); }

std::vector<MachineBasicBlock*> TraceEnsemble::Blocks(const MachineBasicBlock& block) {
  std::vector<MachineBasicBlock*> blocks;
  EnsureLink(kUp, block);
  EnsureLink(kDown, block);
  for (BlockNumber i = block.number(); i != kNone; i = states_[i].links[kUp].next) blocks.push_back(function_.block(i));
  std::reverse(blocks.begin(), blocks.end());
  for (BlockNumber i = State(block).links[kDown].next; i != kNone; i = states_[i].links[kDown].next) {
    blocks.push_back(function_.block(i));
  }
  return blocks;
}

bool TraceEnsemble::IsOnTrace(const MachineBasicBlock& other, const MachineBasicBlock& block) {
  EnsureLink(kUp, block);
  EnsureLink(kDown, block);
  return IsAncestor(kUp, other.number(), block.number()) || IsAncestor(kDown, other.number(), block.number());
}

uint32_t TraceEnsemble::InstrDepth(const MachineBasicBlock& block) { return UpLink(block).instrs; }

uint32_t TraceEnsemble::InstrHeight(const MachineBasicBlock& block) { return DownLink(block).instrs; }

// Resources.

void TraceEnsemble::EnsureResources(const MachineBasicBlock& block) {
  ComputeOwn(block);
  for (const BlockNumber number : CollectUnknown(kUp, block, kUpResources)) {
    BlockResources& resources = resources_[number];
    resources.above.fill(0);
    if (const BlockNumber above = states_[number].links[kUp].next; above != kNone) {
      ComputeOwn(*function_.block(above));
      resources.above = resources_[above].above;
      Add(resources.above, resources_[above].own);
    }
    states_[number].known |= kUpResources;
  }
  for (const BlockNumber number : CollectUnknown(kDown, block, kDownResources)) {
    ComputeOwn(*function_.block(number));
    BlockResources& resources = resources_[number];
    resources.below = resources.own;
    if (const BlockNumber below = states_[number].links[kDown].next; below != kNone) {
      Add(resources.below, resources_[below].below);
    }
    states_[number].known |= kDownResources;
  }
}

uint32_t TraceEnsemble::ResourceDepth(const MachineBasicBlock& block, bool bottom) {
  EnsureResources(block);
  TraceResources resources = resources_[block.number()].above;
  if (bottom) Add(resources, resources_[block.number()].own);
  return std::max(Busiest(resources), InstrDepth(block) + (bottom ? InstrCount(block) : 0));
}

uint32_t TraceEnsemble::ResourceLength(const MachineBasicBlock& block,
                                       absl::Span<const MachineBasicBlock* const> extra_blocks,
                                       absl::Span<const MachineInstr* const> extra_instrs,
                                       absl::Span<const MachineInstr* const> removed_instrs) {
  EnsureResources(block);
  TraceResources resources = resources_[block.number()].above;
  Add(resources, resources_[block.number()].below);
  uint32_t instrs = TraceInstrCount(block);
  for (const MachineBasicBlock* extra : extra_blocks) {
    ComputeOwn(*extra);
    Add(resources, resources_[extra->number()].own);
    instrs += InstrCount(*extra);
  }
  for (const auto& [list, is_removed] : {std::pair(extra_instrs, false), std::pair(removed_instrs, true)}) {
    for (const MachineInstr* instr : list) {
      if (IsTransient(*instr)) continue;
      const ptx::LatencyClass latency_class = ptx::LatencyClassOf(*instr);
      const uint32_t issue = ptx::MachineModel::Default().CostOf(latency_class).issue;
      uint32_t& cycles = resources[static_cast<size_t>(latency_class)];
      cycles = is_removed ? cycles - std::min(cycles, issue) : cycles + issue;
      instrs = is_removed ? instrs - std::min(instrs, 1u) : instrs + 1;
    }
  }
  return std::max(Busiest(resources), instrs);
}

// Depths.

TraceEnsemble::InstrState& TraceEnsemble::StateOf(const MachineInstr& instr) {
  const size_t id = instr.id();
  if (id < instrs_.size()) return instrs_[id];
  // A small function does not need room for the arena's whole first chunk. A large function gets the full table at
  // once.
  const size_t bound = function_.arena().id_bound();
  instrs_.resize(bound > kLargeIdBound ? std::max<size_t>(bound, id + 1) : std::max(id + 1, 2 * instrs_.size()));
  return instrs_[id];
}

void TraceEnsemble::GrowRegisterTables() {
  const size_t size = num_physical_ + function_.reg_info().num_virtual_registers();
  if (pending_.size() >= size) return;
  definitions_.resize(size);
  pending_.resize(size, kNotPending);
}

void TraceEnsemble::NoteDefinition(uint32_t reg, BlockNumber block, uint32_t ready) {
  Definition& definition = definitions_[reg];
  definition.is_one_of_many |= definition.block != block && definition.block != kNone &&
                               definition.stamp == states_[definition.block].depth_stamp;
  definition.block = block;
  definition.stamp = stamp_;
  definition.ready = ready;
}

uint32_t TraceEnsemble::ReadyAtEnd(uint32_t reg, BlockNumber block) const {
  const Definition& definition = definitions_[reg];
  if (definition.block == kNone) return kNone;
  if (definition.is_one_of_many) return SearchReadyAtEnd(RegisterOfIndex(reg), block);
  const bool exists = definition.stamp == states_[definition.block].depth_stamp;
  return exists && IsAncestor(kUp, definition.block, block) ? definition.ready : kNone;
}

uint32_t TraceEnsemble::SearchReadyAtEnd(Register reg, BlockNumber block) const {
  BlockNumber home = kNone;
  const InstrState* last = nullptr;
  const MachineInstr* definition = nullptr;
  for (const MachineOperand& operand : function_.reg_info().Defs(reg)) {
    const MachineInstr& instr = *operand.parent();
    const MachineBasicBlock* in = instr.parent();
    if (in == nullptr || in->number() >= states_.size() || !HasOperandsOfItsOwn(instr)) continue;
    if (in->number() != home) {
      if (home != kNone && states_[in->number()].links[kUp].level <= states_[home].links[kUp].level) continue;
      if (!IsAncestor(kUp, in->number(), block)) continue;
    } else if (instrs_[instr.id()].position < last->position) {
      continue;
    }
    home = in->number();
    last = &instrs_[instr.id()];
    definition = &instr;
  }
  return definition == nullptr ? kNone : last->cycles.depth + LatencyOf(*definition);
}

void TraceEnsemble::EnsureInstrDepths(const MachineBasicBlock& block) {
  if (Knows(block.number(), kInstrDepths)) return;
  GrowRegisterTables();
  for (const BlockNumber number : CollectUnknown(kUp, block, kInstrDepths)) {
    ComputeInstrDepths(*function_.block(number));
    states_[number].known |= kInstrDepths;
  }
}

void TraceEnsemble::ComputeInstrDepths(const MachineBasicBlock& block) {
  State(block).depth_stamp = ++stamp_;
  const BlockNumber above = State(block).links[kUp].next;
  uint32_t position = 0;
  for (const MachineInstr& instr : block) {
    uint32_t depth = 0;
    const auto wait_for = [&](uint32_t ready) {
      if (ready != kNone) depth = std::max(depth, ready);
    };
    if (instr.is_phi()) {
      for (const PhiIncoming incoming : PhiIncomings(instr)) {
        if (above == kNone) break;
        if (incoming.predecessor() != above) continue;
        if (ReadsRegister(incoming.value())) wait_for(ReadyAtEnd(RegisterIndex(incoming.reg()), above));
        break;
      }
    } else if (HasOperandsOfItsOwn(instr)) {
      for (const MachineOperand& operand : instr.operands()) {
        if (!ReadsRegister(operand)) continue;
        const uint32_t reg = RegisterIndex(operand.reg());
        const Definition& definition = definitions_[reg];
        if (definition.stamp == stamp_) {
          wait_for(definition.ready);
        } else if (above != kNone) {
          wait_for(ReadyAtEnd(reg, above));
        }
      }
    }
    InstrState& state = StateOf(instr);
    state.cycles.depth = depth;
    state.position = position++;
    if (!HasOperandsOfItsOwn(instr)) continue;
    const uint32_t ready = depth + LatencyOf(instr);
    for (const MachineOperand& operand : instr.operands()) {
      if (WritesRegister(operand)) NoteDefinition(RegisterIndex(operand.reg()), block.number(), ready);
    }
  }
}

uint32_t TraceEnsemble::PhiDepth(const MachineInstr& phi, const MachineBasicBlock& block) {
  EnsureInstrDepths(block);
  for (const PhiIncoming incoming : PhiIncomings(phi)) {
    if (incoming.predecessor() != block.number() || !ReadsRegister(incoming.value())) continue;
    const uint32_t ready = ReadyAtEnd(RegisterIndex(incoming.reg()), block.number());
    return ready == kNone ? 0 : ready;
  }
  return 0;
}

// Heights.

void TraceEnsemble::RaisePending(uint32_t reg, uint32_t height) {
  uint32_t& pending = pending_[reg];
  if (pending == kNotPending) touched_.push_back(reg);
  pending = pending >= kWritten ? height : std::max(pending, height);
}

absl::Span<const TraceEnsemble::Incoming> TraceEnsemble::IncomingFrom(const MachineBasicBlock& block,
                                                                      const MachineBasicBlock& successor) {
  const bool is_indexed = successor.predecessors().size() > kManyPredecessors;
  BlockState& state = State(successor);
  if (is_indexed && state.incoming == kNone) {
    state.incoming = static_cast<uint32_t>(incoming_.size());
    incoming_.emplace_back();
  }
  std::vector<Incoming>& incoming = is_indexed ? incoming_[state.incoming] : found_incoming_;
  if (!is_indexed) incoming.clear();
  if (incoming.empty()) {
    for (const MachineInstr& phi : successor) {
      if (!phi.is_phi()) break;
      for (const PhiIncoming pair : PhiIncomings(phi)) {
        const BlockNumber from = pair.predecessor();
        if (!ReadsRegister(pair.value()) || (!is_indexed && from != block.number())) continue;
        incoming.push_back({from, RegisterIndex(pair.reg()), phi.id()});
      }
    }
    if (!is_indexed) return incoming;
    std::stable_sort(incoming.begin(), incoming.end(),
                     [](const Incoming& a, const Incoming& b) { return a.from < b.from; });
  }
  const auto first = std::partition_point(incoming.begin(), incoming.end(),
                                          [&](const Incoming& at) { return at.from < block.number(); });
  const auto last = std::find_if(first, incoming.end(), [&](const Incoming& at) { return at.from != block.number(); });
  return absl::MakeConstSpan(incoming).subspan(static_cast<size_t>(first - incoming.begin()),
                                               static_cast<size_t>(last - first));
}

void TraceEnsemble::RaisePendingOfPhis(const MachineBasicBlock& block, const MachineBasicBlock& successor,
                                       bool is_back_edge) {
  const MachineInstr* first = successor.front();
  if (first == nullptr || !first->is_phi()) return;
  for (const Incoming& incoming : IncomingFrom(block, successor)) {
    RaisePending(incoming.reg, is_back_edge ? 0 : instrs_[incoming.phi].cycles.height);
  }
}

void TraceEnsemble::EnsureInstrHeights(const MachineBasicBlock& block) {
  if (Knows(block.number(), kInstrHeights)) return;
  GrowRegisterTables();
  for (const BlockNumber number : CollectUnknown(kDown, block, kInstrHeights)) {
    ComputeInstrHeights(*function_.block(number));
    states_[number].known |= kInstrHeights;
  }
}

void TraceEnsemble::ComputeInstrHeights(const MachineBasicBlock& block) {
  BlockState& state = State(block);
  if (const BlockNumber below = state.links[kDown].next; below != kNone) {
    const BlockState& from = states_[below];
    for (uint32_t i = 0; i < from.num_live_ins; ++i) {
      const LiveIn& live_in = live_ins_[from.first_live_in + i];
      RaisePending(live_in.reg, live_in.height);
    }
    RaisePendingOfPhis(block, *function_.block(below), /*is_back_edge=*/false);
  } else if (const CycleId loop = loops_.InnermostCycle(block);
             loop != CycleForest::kNoCycle && block.IsSuccessor(loops_.Header(loop))) {
    // The next iteration waits for the values that the header's PHIs take from here.
    RaisePendingOfPhis(block, *loops_.Header(loop), /*is_back_edge=*/true);
  }
  for (const MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
    uint32_t height = 0;
    if (HasOperandsOfItsOwn(*instr)) {
      const uint32_t latency = LatencyOf(*instr);
      for (const MachineOperand& operand : instr->operands()) {
        if (!WritesRegister(operand)) continue;
        uint32_t& pending = pending_[RegisterIndex(operand.reg())];
        if (pending >= kWritten) continue;
        height = std::max(height, pending + latency);
        pending = kWritten;
      }
    }
    StateOf(*instr).cycles.height = height;
    if (instr->is_phi() || !HasOperandsOfItsOwn(*instr)) continue;
    for (const MachineOperand& operand : instr->operands()) {
      if (ReadsRegister(operand)) RaisePending(RegisterIndex(operand.reg()), height);
    }
  }
  StoreLiveIns(state);
}

void TraceEnsemble::StoreLiveIns(BlockState& state) {
  const auto is_live = [&](uint32_t reg) { return pending_[reg] < kWritten; };
  const uint32_t count = static_cast<uint32_t>(std::count_if(touched_.begin(), touched_.end(), is_live));
  if (count > state.live_in_capacity) {
    num_live_in_holes_ += state.live_in_capacity;
    state.live_in_capacity = 0;
    if (num_live_in_holes_ > live_ins_.size() / 2) {
      LargeVector<LiveIn> kept;
      kept.reserve(live_ins_.size() - num_live_in_holes_ + count);
      for (BlockState& other : states_) {
        const auto first = live_ins_.begin() + other.first_live_in;
        other.first_live_in = static_cast<uint32_t>(kept.size());
        kept.insert(kept.end(), first, first + other.live_in_capacity);
      }
      live_ins_ = std::move(kept);
      num_live_in_holes_ = 0;
    }
    state.first_live_in = static_cast<uint32_t>(live_ins_.size());
    state.live_in_capacity = count;
    live_ins_.resize(live_ins_.size() + count);
  }
  state.num_live_ins = count;
  uint32_t next = state.first_live_in;
  for (const uint32_t reg : touched_) {
    if (is_live(reg)) live_ins_[next++] = {reg, pending_[reg]};
    pending_[reg] = kNotPending;
  }
  touched_.clear();
}

// Depths and heights together.

uint32_t TraceEnsemble::CriticalPath(const MachineBasicBlock& block) {
  BlockState& state = State(block);
  if ((state.known & kCriticalPath) != 0) return state.critical_path;
  EnsureInstrDepths(block);
  EnsureInstrHeights(block);
  uint32_t longest = 0;
  for (const MachineInstr& instr : block) {
    const InstrCycles& cycles = StateOf(instr).cycles;
    longest = std::max(longest, cycles.depth + cycles.height);
  }
  if (const BlockNumber above = state.links[kUp].next; above != kNone) {
    for (uint32_t i = 0; i < state.num_live_ins; ++i) {
      const LiveIn& live_in = live_ins_[state.first_live_in + i];
      const uint32_t ready = ReadyAtEnd(live_in.reg, above);
      if (ready != kNone) longest = std::max(longest, ready + live_in.height);
    }
  }
  state.critical_path = longest;
  state.known |= kCriticalPath;
  return longest;
}

TraceEnsemble::InstrCycles TraceEnsemble::Cycles(const MachineInstr& instr) {
  EnsureInstrDepths(*instr.parent());
  EnsureInstrHeights(*instr.parent());
  return StateOf(instr).cycles;
}

uint32_t TraceEnsemble::Slack(const MachineInstr& instr) {
  const uint32_t critical_path = CriticalPath(*instr.parent());
  const InstrCycles cycles = Cycles(instr);
  return critical_path - (cycles.depth + cycles.height);
}

// Edits.

void TraceEnsemble::Invalidate(const MachineBasicBlock& block) {
  BlockState& state = State(block);
  state.known &= static_cast<uint8_t>(~(kOwn | kInstrDepths | kCriticalPath));
  if (state.incoming != kNone) incoming_[state.incoming].clear();
  InvalidateBelow(block);
  InvalidateAbove(block);
}

void TraceEnsemble::InvalidateBelow(const MachineBasicBlock& block) {
  // If a link is unknown, so are all links that depend on it.
  constexpr uint8_t kKept = static_cast<uint8_t>(~(kUpLink | kInstrDepths | kUpResources | kCriticalPath));
  worklist_.assign(1, &block);
  while (!worklist_.empty()) {
    const MachineBasicBlock* above = worklist_.back();
    worklist_.pop_back();
    for (const MachineBasicBlock* successor : above->successors()) {
      if (!Knows(successor->number(), kUpLink) || !MayGoUp(*successor, *above)) continue;
      State(*successor).known &= kKept;
      worklist_.push_back(successor);
    }
  }
}

void TraceEnsemble::InvalidateAbove(const MachineBasicBlock& block) {
  constexpr uint8_t kKept = static_cast<uint8_t>(~(kDownLink | kInstrHeights | kDownResources | kCriticalPath));
  worklist_.clear();
  const auto forget = [&](const MachineBasicBlock& at) {
    if (!Knows(at.number(), kDownLink)) return;
    State(at).known &= kKept;
    worklist_.push_back(&at);
  };
  forget(block);
  // Heights in latches depend on the header's PHIs.
  if (loops_.IsHeader(block)) {
    const CycleId loop = loops_.InnermostCycle(block);
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (loops_.Contains(loop, *predecessor)) forget(*predecessor);
    }
  }
  while (!worklist_.empty()) {
    const MachineBasicBlock* below = worklist_.back();
    worklist_.pop_back();
    for (const MachineBasicBlock* predecessor : below->predecessors()) {
      if (MayFollow(kDown, *predecessor, *below)) forget(*predecessor);
    }
  }
}

}  // namespace ptxmir
