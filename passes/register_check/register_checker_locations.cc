// SPDX-License-Identifier: Apache-2.0

// Numbers the entities of the register checker before it executes the function: names of values, locations, and
// liveness.

#include <algorithm>

#include "mir/code/operand_ranges.h"
#include "passes/register_check/register_checker_flow.h"

namespace ptxmir {

using TransferKind = RegisterTransfer::Kind;

namespace {

// Appends the bytes of a number to a key.
template <typename T>
void AppendBytes(std::string& key, T value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Solves a backward reachability problem for each of many numbers (locations, registers). A number is live on
// entry to a block if it is read there before it is written, or if it is live on entry to a successor and not
// written. The solver walks from each read up to the writes, so the cost is proportional to the size of the
// result.
class LivenessSolver {
 public:
  using Pair = std::pair<uint32_t, BlockNumber>;  // a number and a block

  explicit LivenessSolver(const MachineFunction& function) : function_(function) {}

  // Adds a read in the block before any write there, or a read at the end of the block, regardless of writes.
  void AddRead(uint32_t number, const MachineBasicBlock& block) { reads_.push_back({number, block.number()}); }
  void AddReadAtEnd(uint32_t number, const MachineBasicBlock& block) {
    reads_at_end_.push_back({number, block.number()});
  }
  void AddWrite(uint32_t number, const MachineBasicBlock& block) { writes_.push_back({number, block.number()}); }
  // Adds a write on every edge into the block.
  void AddWriteOnEdges(uint32_t number, const MachineBasicBlock& block) {
    edge_writes_.push_back({number, block.number()});
  }

  std::vector<std::vector<uint32_t>> Solve() {
    live_.resize(function_.block_number_bound());
    live_mark_.resize(function_.block_number_bound());
    write_mark_.resize(function_.block_number_bound());
    edge_mark_.resize(function_.block_number_bound());
    for (std::vector<Pair>* list : {&reads_, &reads_at_end_, &writes_, &edge_writes_}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    size_t next[4] = {0, 0, 0, 0};
    while (next[0] < reads_.size() || next[1] < reads_at_end_.size()) {
      number_ = ~uint32_t{0};
      if (next[0] < reads_.size()) number_ = reads_[next[0]].first;
      if (next[1] < reads_at_end_.size()) number_ = std::min(number_, reads_at_end_[next[1]].first);
      ++epoch_;
      Take(writes_, next[2], [&](BlockNumber block) { write_mark_[block] = epoch_; });
      Take(edge_writes_, next[3], [&](BlockNumber block) { edge_mark_[block] = epoch_; });
      Take(reads_, next[0], [&](BlockNumber block) { MarkLive(block); });
      Take(reads_at_end_, next[1], [&](BlockNumber block) { MarkLiveOut(block); });
      WalkUp();
    }
    return std::move(live_);
  }

 private:
  template <typename Visit>
  void Take(const std::vector<Pair>& list, size_t& next, Visit visit) {
    while (next < list.size() && list[next].first < number_) ++next;
    for (; next < list.size() && list[next].first == number_; ++next) visit(list[next].second);
  }
  void MarkLive(BlockNumber block) {
    if (live_mark_[block] == epoch_) return;
    live_mark_[block] = epoch_;
    live_[block].push_back(number_);
    work_.push_back(block);
  }
  void MarkLiveOut(BlockNumber block) {
    if (write_mark_[block] != epoch_) MarkLive(block);
  }
  void WalkUp() {
    while (!work_.empty()) {
      const BlockNumber block = work_.back();
      work_.pop_back();
      if (edge_mark_[block] == epoch_) continue;
      for (const MachineBasicBlock* predecessor : function_.block(block)->predecessors()) {
        MarkLiveOut(predecessor->number());
      }
    }
  }

  const MachineFunction& function_;
  std::vector<Pair> reads_, reads_at_end_, writes_, edge_writes_;
  std::vector<std::vector<uint32_t>> live_;
  std::vector<uint32_t> live_mark_, write_mark_, edge_mark_;  // by block: epoch
  uint32_t epoch_ = 0;
  uint32_t number_ = 0;
  std::vector<BlockNumber> work_;
};

}  // namespace

// --- names ---

void RegisterFlow::NameValues() {
  const uint32_t count = snapshot().num_registers();
  names_.resize(count);
  num_defs_.assign(count, 0);
  for (uint32_t i = 0; i < count; ++i) names_[i] = i;
  for (const Snapshot::Instr& instr : snapshot().instrs()) {
    for (const Snapshot::Operand& operand : snapshot().operands(instr)) {
      if (IsVirtualDef(operand.operand)) {
        ++num_defs_[operand.operand.reg().virtual_index()];
      }
    }
  }
  for (const Snapshot::Instr& instr : snapshot().instrs()) {
    if (instr.opcode != generic::kCopy) continue;
    const absl::Span<const Snapshot::Operand> operands = snapshot().operands(instr);
    const Register target = operands[0].operand.reg();
    const Register source = operands[1].operand.reg();
    if (!target.is_virtual() || !source.is_virtual() || operands[1].operand.is_undef()) continue;
    if (num_defs_[target.virtual_index()] != 1 || num_defs_[source.virtual_index()] != 1) continue;
    if (snapshot().RegisterBytes(target.virtual_index()) != snapshot().RegisterBytes(source.virtual_index())) continue;
    names_[target.virtual_index()] = source.virtual_index();
  }
  // Follows chains of copies. A cycle of copies, which can exist only in unreachable code, is left as it is.
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t root = i;
    uint32_t steps = 0;
    while (names_[root] != root && steps++ <= count) root = names_[root];
    for (uint32_t at = i; names_[at] != root && at != root;) {
      const uint32_t next = names_[at];
      names_[at] = root;
      at = next;
    }
  }
}

// --- locations ---

void RegisterFlow::NumberSlots() {
  num_locations_ = 1 + function().reg_info().num_virtual_registers();
  const int first_slot = snapshot().num_stack_objects();
  const int num_slots = static_cast<int>(function().frame_info().objects().size()) - first_slot;
  slot_borders_.resize(static_cast<size_t>(std::max(num_slots, 0)));
  first_piece_.resize(slot_borders_.size());
  for (const MatchedBlock& block : matched_.blocks()) {
    for (const MatchedStep& step : block.steps) {
      const RegisterTransfer& transfer = step.transfer;
      if (step.kind != MatchedStep::Kind::kInserted ||
          (transfer.kind != TransferKind::kSpill && transfer.kind != TransferKind::kReload)) {
        continue;
      }
      std::vector<uint32_t>& borders = slot_borders_[static_cast<size_t>(transfer.frame_index - first_slot)];
      for (unsigned i = 0; i <= transfer.num_values; ++i) {
        borders.push_back(static_cast<uint32_t>(transfer.offset) + i * transfer.size);
      }
    }
  }
  for (size_t slot = 0; slot < slot_borders_.size(); ++slot) {
    std::vector<uint32_t>& borders = slot_borders_[slot];
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    first_piece_[slot] = num_locations_;
    num_locations_ += static_cast<uint32_t>(borders.size());
  }
}

std::string RegisterFlow::ShapeOf(Opcode opcode, absl::Span<const MachineOperand> operands) const {
  std::string key;
  AppendBytes(key, opcode);
  for (const MachineOperand& operand : operands) {
    key += static_cast<char>(operand.kind());
    if (operand.is_reg()) {
      key += operand.is_def() ? 'd' : 'u';
      if (!operand.reg().is_virtual()) AppendBytes(key, operand.reg().bits());
    } else {
      AppendBytes(key, operand.index());
      AppendBytes(key, operand.offset());
    }
  }
  return key;
}

std::string RegisterFlow::ExpressionKey(uint32_t shape, absl::Span<const uint32_t> inputs) {
  std::string key;
  AppendBytes(key, shape);
  for (const uint32_t input : inputs) AppendBytes(key, input);
  return key;
}

void RegisterFlow::NumberExpressions() {
  expression_of_instr_.assign(snapshot().instrs().size(), Snapshot::kNone);
  expressions_reading_.resize(snapshot().num_registers());
  is_input_.assign(snapshot().num_registers(), false);
  for (const MatchedBlock& block : matched_.blocks()) {
    for (const MatchedStep& step : block.steps) {
      if (step.kind != MatchedStep::Kind::kInserted || step.instr->is_copy() || !IsReproducible(*step.instr)) {
        // An inserted load may have lost the information that its memory does not change.
        if (step.kind != MatchedStep::Kind::kInserted || step.transfer.kind != TransferKind::kCompute) continue;
      }
      shapes_.try_emplace(ShapeOf(step.instr->opcode(), step.instr->operands()), static_cast<uint32_t>(shapes_.size()));
    }
  }
  locations_of_shape_.resize(shapes_.size());
  if (shapes_.empty()) return;
  std::vector<MachineOperand> operands;
  for (const Snapshot::Instr& instr : snapshot().instrs()) {
    if (!instr.is_reproducible || instr.opcode == generic::kCopy) continue;
    operands.clear();
    for (const Snapshot::Operand& operand : snapshot().operands(instr)) operands.push_back(operand.operand);
    const auto shape = shapes_.find(ShapeOf(instr.opcode, operands));
    if (shape != shapes_.end()) AddExpressionOf(instr, operands, shape->second);
  }
}

void RegisterFlow::AddExpressionOf(const Snapshot::Instr& instr, absl::Span<const MachineOperand> operands,
                                   uint32_t shape) {
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> results;
  bool is_single = true;  // no register is defined more than once
  for (const MachineOperand& operand : operands) {
    if (!operand.is_reg()) continue;
    if (operand.is_use() && operand.is_undef()) return;
    if (!operand.reg().is_virtual()) {
      if (operand.is_def()) return;
      continue;
    }
    is_single &= num_defs_[operand.reg().virtual_index()] == 1;
    (operand.is_def() ? results : inputs).push_back(Name(operand.reg()));
    if (operand.is_use()) is_single &= num_defs_[Name(operand.reg())] == 1;
  }
  for (const uint32_t result : results) {
    if (std::find(inputs.begin(), inputs.end(), result) != inputs.end()) return;
  }
  for (const uint32_t input : inputs) is_input_[input] = true;
  const auto [it, is_new] =
      expression_index_.try_emplace(ExpressionKey(shape, inputs), static_cast<uint32_t>(expressions_.size()));
  if (is_new) {
    expressions_.emplace_back();
    expressions_.back().anywhere.resize(results.size());
    expressions_.back().locations.assign(results.size(), kNoLocation);
  }
  Expression& expression = expressions_[it->second];
  if (is_single) {
    for (size_t i = 0; i < results.size(); ++i) expression.anywhere[i].push_back({results[i], instr.flags});
    return;
  }
  expression.flags &= instr.flags;
  expression_of_instr_[static_cast<size_t>(&instr - snapshot().instrs().data())] = it->second;
  for (size_t i = 0; i < results.size(); ++i) {
    if (expression.locations[i] != kNoLocation) continue;
    const Location location = num_locations_++;
    expression.locations[i] = location;
    locations_of_shape_[shape].push_back(location);
    for (const uint32_t input : inputs) expressions_reading_[input].push_back(location);
  }
}

RegisterFlow::Pieces RegisterFlow::PiecesOf(const RegisterTransfer& transfer, unsigned value) const {
  const size_t slot = static_cast<size_t>(transfer.frame_index - snapshot().num_stack_objects());
  const std::vector<uint32_t>& borders = slot_borders_[slot];
  const uint32_t begin = static_cast<uint32_t>(transfer.offset) + value * transfer.size;
  size_t i = static_cast<size_t>(std::lower_bound(borders.begin(), borders.end(), begin) - borders.begin());
  Pieces pieces;
  for (; i + 1 < borders.size() && borders[i] < begin + transfer.size; ++i) {
    pieces.push_back({first_piece_[slot] + static_cast<Location>(i), borders[i + 1] - borders[i]});
  }
  return pieces;
}

// --- liveness ---

// Returns true for a copy between registers that have the same name.
bool RegisterFlow::CopiesValueToItself(const Snapshot::Instr& instr) const {
  if (instr.opcode != generic::kCopy) return false;
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(instr);
  return operands[0].operand.reg().is_virtual() && operands[1].operand.reg().is_virtual() &&
         Name(operands[0].operand.reg()) == Name(operands[1].operand.reg());
}

template <typename OnRead, typename OnWrite>
void RegisterFlow::VisitLocations(const MatchedStep& step, OnRead on_read, OnWrite on_write) const {
  if (step.kind != MatchedStep::Kind::kInserted) {
    if (step.kind == MatchedStep::Kind::kKept && step.instr->is_debug()) return;
    if (step.kind == MatchedStep::Kind::kKept) {
      for (const MachineOperand& use : VirtualUses(*step.instr)) on_read(LocationOf(use.reg()));
      for (const MachineOperand& def : VirtualDefs(*step.instr)) on_write(LocationOf(def.reg()));
    }
    if (CopiesValueToItself(Before(step))) return;
    for (const Snapshot::Operand& operand : snapshot().operands(Before(step))) {
      if (!IsVirtualDef(operand.operand)) continue;
      for (const Location location : expressions_reading_[Name(operand.operand.reg())]) on_write(location);
    }
    return;
  }
  for (const MachineOperand& use : VirtualUses(*step.instr)) on_read(LocationOf(use.reg()));
  if (const auto shape = shapes_.find(ShapeOf(step.instr->opcode(), step.instr->operands())); shape != shapes_.end()) {
    for (const Location location : locations_of_shape_[shape->second]) on_read(location);
  }
  if (step.transfer.kind == TransferKind::kReload || step.transfer.kind == TransferKind::kSpill) {
    for (unsigned i = 0; i < step.transfer.num_values; ++i) {
      for (const auto& [piece, size] : PiecesOf(step.transfer, i)) {
        if (step.transfer.kind == TransferKind::kReload) {
          on_read(piece);
        } else {
          on_write(piece);
        }
      }
    }
  }
  for (const MachineOperand& def : VirtualDefs(*step.instr)) on_write(LocationOf(def.reg()));
}

template <typename OnUse, typename OnDef>
void RegisterFlow::VisitRegisters(const MatchedStep& step, OnUse on_use, OnDef on_def) const {
  if (step.kind == MatchedStep::Kind::kInserted) return;
  const Snapshot::Instr& before = Before(step);
  if (before.opcode >= generic::kDbgValue && before.opcode <= generic::kDbgLabel) return;
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(before);
  for (const Snapshot::Operand& operand : operands) {
    if (IsVirtualRead(operand.operand)) on_use(Name(operand.operand.reg()));
  }
  if (CopiesValueToItself(before)) return;
  for (const Snapshot::Operand& operand : operands) {
    if (IsVirtualDef(operand.operand)) on_def(Name(operand.operand.reg()));
  }
}

const RegisterFlow::Snapshot::Operand* RegisterFlow::PhiOperand(const MatchedPhi& phi,
                                                                const MachineBasicBlock& predecessor,
                                                                Register& now) const {
  const uint32_t origin = matched_.block(predecessor).stands_for;
  if (origin == Snapshot::kNone) return nullptr;
  const BlockNumber number = snapshot().blocks()[origin].number;
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(snapshot().instrs()[phi.original]);
  for (size_t i = 1; i + 1 < operands.size(); i += 2) {
    if (operands[i + 1].operand.block() != number || !operands[i].operand.reg().is_virtual()) continue;
    if (phi.instr != nullptr) now = phi.instr->operand(static_cast<unsigned>(i)).reg();
    return &operands[i];
  }
  return nullptr;
}

void RegisterFlow::ComputeLiveLocations() {
  LivenessSolver solver(function());
  std::vector<uint32_t> written(num_locations_);  // by location: 1 + the block in which it was last written
  bool has_undefined = false;
  for (const MachineBasicBlock& block : function()) {
    const MatchedBlock& matched = matched_.block(block);
    for (const MatchedStep& step : matched.steps) {
      VisitLocations(
          step,
          [&](Location location) {
            if (written[location] != block.number() + 1) solver.AddRead(location, block);
          },
          [&](Location location) {
            if (written[location] != block.number() + 1) solver.AddWrite(location, block);
            written[location] = block.number() + 1;
          });
      has_undefined |= step.original != Snapshot::kNone &&
                       (Before(step).opcode == generic::kImplicitDef || Before(step).opcode == generic::kCopy);
    }
    for (const MatchedPhi& phi : matched.phis) {
      if (phi.instr != nullptr) solver.AddWriteOnEdges(LocationOf(phi.instr->operand(0).reg()), block);
      for (const MachineBasicBlock* predecessor : block.predecessors()) {
        Register now;
        const Snapshot::Operand* source = PhiOperand(phi, *predecessor, now);
        has_undefined |= source == nullptr || source->operand.is_undef();
        if (now.is_virtual()) solver.AddReadAtEnd(LocationOf(now), *predecessor);
      }
    }
  }
  if (has_undefined) {
    for (const MachineBasicBlock& block : function()) solver.AddRead(kUndefined, block);
  }
  live_locations_ = solver.Solve();
}

void RegisterFlow::ComputeLiveRegisters() {
  LivenessSolver solver(function());
  std::vector<uint32_t> written(snapshot().num_registers());
  for (const MachineBasicBlock& block : function()) {
    const MatchedBlock& matched = matched_.block(block);
    for (const MatchedStep& step : matched.steps) {
      VisitRegisters(
          step,
          [&](uint32_t vreg) {
            if (written[vreg] != block.number() + 1) solver.AddRead(vreg, block);
          },
          [&](uint32_t vreg) {
            if (written[vreg] != block.number() + 1) solver.AddWrite(vreg, block);
            written[vreg] = block.number() + 1;
          });
    }
    for (const MatchedPhi& phi : matched.phis) {
      solver.AddWriteOnEdges(Name(snapshot().operands(snapshot().instrs()[phi.original])[0].operand.reg()), block);
      for (const MachineBasicBlock* predecessor : block.predecessors()) {
        Register now;
        const Snapshot::Operand* source = PhiOperand(phi, *predecessor, now);
        if (source != nullptr && !source->operand.is_undef()) {
          solver.AddReadAtEnd(Name(source->operand.reg()), *predecessor);
        }
      }
    }
  }
  live_registers_ = solver.Solve();
  // Computes the reverse post-order, which is the order of execution.
  order_index_.assign(function().block_number_bound(), 0);
  std::vector<bool> is_seen(function().block_number_bound());
  std::vector<std::pair<const MachineBasicBlock*, size_t>> stack = {{function().front(), 0}};
  is_seen[function().front()->number()] = true;
  while (!stack.empty()) {
    const MachineBasicBlock* block = stack.back().first;
    if (stack.back().second == block->successors().size()) {
      order_.push_back(block);
      stack.pop_back();
      continue;
    }
    const MachineBasicBlock* successor = block->successors()[stack.back().second++];
    if (is_seen[successor->number()]) continue;
    is_seen[successor->number()] = true;
    stack.push_back({successor, 0});
  }
  std::reverse(order_.begin(), order_.end());
  for (size_t i = 0; i < order_.size(); ++i) order_index_[order_[i]->number()] = static_cast<uint32_t>(i);
}

}  // namespace ptxmir
