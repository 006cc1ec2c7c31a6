// SPDX-License-Identifier: Apache-2.0

// Control flow: regions, each of which ends in the block where its paths meet.

#include <algorithm>
#include <utility>

#include "ptx/isa/isa_opcodes.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::reg_class::kB1;
using ptx::reg_class::kB128;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

constexpr unsigned kMaxDepth = 5;

}  // namespace

// ---- Blocks and edges.

void FunctionGenerator::StartBlock(MachineBasicBlock* block) {
  // Mostly in program order, as a compiler would do it, but any layout is correct.
  MachineBasicBlock* before = nullptr;
  if (random_.Percent(6) && function_.front() != nullptr) {
    before = function_.front()->next();
    for (uint64_t i = random_.Below(8); i > 0 && before != nullptr; --i) before = before->next();
  }
  function_.InsertBlock(before, block);
  block_ = block;
}

void FunctionGenerator::Goto(MachineBasicBlock* block) {
  BuildMI(*block_, nullptr, op::GOTO).AddBlock(*block).Insert();
  block_->AddSuccessor(block, BranchProbability::One());
}

void FunctionGenerator::Branch(Register condition, MachineBasicBlock* taken, MachineBasicBlock* other) {
  BuildMI(*block_, nullptr, op::CBranch).AddUse(condition).AddBlock(*taken).Insert();
  BuildMI(*block_, nullptr, op::GOTO).AddBlock(*other).Insert();
  const uint32_t likely = random_.Percent(70)
                              ? BranchProbability::kDenominator / 2
                              : BranchProbability::kDenominator / 64 * static_cast<uint32_t>(random_.Between(1, 63));
  block_->AddSuccessor(taken, BranchProbability(likely));
  block_->AddSuccessor(other, BranchProbability(BranchProbability::kDenominator - likely));
  cost_ += trips_;
}

std::vector<RegClassId> FunctionGenerator::PickClasses(unsigned most) {
  std::vector<RegClassId> classes;
  for (uint64_t count = random_.Below(most + 1); count > 0; --count) {
    const RegClassId reg_class = PickClass();
    if (Has(reg_class)) classes.push_back(reg_class);
  }
  return classes;
}

Join FunctionGenerator::NewJoin(std::vector<RegClassId> classes) {
  Join join;
  join.block = function_.CreateBlock();
  for (const RegClassId reg_class : classes) join.results.push_back(NewRegister(reg_class));
  join.classes = std::move(classes);
  return join;
}

void FunctionGenerator::AddEdge(Join& join, absl::Span<const Value> fixed) {
  for (const Join::Edge& edge : join.edges) {
    if (edge.from == block_) return;
  }
  Join::Edge edge;
  edge.from = block_;
  edge.values.assign(fixed.begin(), fixed.end());
  // Results of the join that are values here (then the edge closes a loop). Permuting them creates the parallel
  // copies that need a temporary.
  const auto is_here = [&](size_t i) {
    return std::any_of(values_[join.classes[i]].begin(), values_[join.classes[i]].end(),
                       [&](const Value& value) { return value.reg == join.results[i]; });
  };
  for (size_t i = edge.values.size(); i < join.classes.size(); ++i) {
    const size_t other = random_.Below(join.classes.size());
    if (join.classes[other] == join.classes[i] && random_.Percent(60) && is_here(other)) {
      edge.values.push_back({join.results[other], false});
    } else {
      edge.values.push_back(PickValue(join.classes[i]));
    }
  }
  join.edges.push_back(std::move(edge));
}

void FunctionGenerator::FinishJoin(Join& join) {
  MachineInstr* const first = join.block->front();
  for (size_t i = 0; i < join.results.size(); ++i) {
    MachineInstrBuilder builder = BuildMI(*join.block, first, op::PHI);
    builder.AddDef(join.results[i]);
    for (const Join::Edge& edge : join.edges) builder.AddUse(edge.values[i].reg).AddBlock(*edge.from);
    builder.Insert();
  }
  budget_ -= static_cast<int64_t>(join.results.size());
}

void FunctionGenerator::PushResults(const Join& join, bool may_be_uniform) {
  for (size_t i = 0; i < join.results.size(); ++i) {
    const bool is_uniform = may_be_uniform && divergence_ == 0 &&
                            std::all_of(join.edges.begin(), join.edges.end(),
                                        [&](const Join::Edge& edge) { return edge.values[i].is_uniform; });
    Push(join.results[i], join.classes[i], is_uniform);
  }
}

// For a loop whose edges are not all known yet: only the counter can be uniform.
void FunctionGenerator::PushHeader(const Join& header, bool is_uniform) {
  for (size_t i = 0; i < header.results.size(); ++i) {
    Push(header.results[i], header.classes[i], i == 0 && is_uniform);
  }
}

// ---- Regions.

void FunctionGenerator::Region(unsigned depth) {
  const uint64_t count = random_.Between(1, depth == 0 ? 6 : 3);
  for (uint64_t i = 0; i < count; ++i) {
    EmitOps(static_cast<unsigned>(random_.Between(1, 7)));
    if (budget_ <= 0 || cost_ > max_cost_) return;
    Statement(depth);
  }
}

void FunctionGenerator::Statement(unsigned depth) {
  if (depth >= kMaxDepth) return;
  const uint64_t at = random_.Below(100);
  if (at < 18) {
    If(depth);
  } else if (at < 36) {
    IfElse(depth);
  } else if (at < 52) {
    CountedLoop(depth);
  } else if (at < 58) {
    StridedLoop(depth);
  } else if (at < 64) {
    TwoEntryLoop(depth);
  } else if (at < 72) {
    Switch(depth, static_cast<unsigned>(random_.Between(2, 12)));
  } else if (at < 80) {
    EmitCall();
  } else if (at < 88) {
    LeaveLoop();
  } else if (at < 90) {
    ExitEarly();
  } else if (at < 93) {
    EmitBarrier();
  } else if (at < 97) {
    EmitSpecial();
  } else {
    EmitExchange();
  }
}

void FunctionGenerator::If(unsigned depth) {
  const Value condition = Condition(divergence_ == 0 && random_.Percent(40));
  const unsigned diverges = condition.is_uniform ? 0 : 1;
  Join join = NewJoin(PickClasses(3));
  MachineBasicBlock* body = function_.CreateBlock();
  // Passes may move to the body what only the body uses, unless it is behind what the body stores.
  LaterValues later;
  if (IsSmall() && random_.Percent(40)) later = EmitForLater();
  AddEdge(join);
  if (random_.Percent(50)) {
    Branch(condition.reg, body, join.block);
  } else {
    Branch(condition.reg, join.block, body);
  }
  const Scope scope = Mark();
  divergence_ += diverges;
  StartBlock(body);
  if (IsSmall() && random_.Percent(30)) EmitMemoryAccess();
  ShowLater(later);
  Region(depth + 1);
  AddEdge(join);
  Goto(join.block);
  divergence_ -= diverges;
  Release(scope);
  StartBlock(join.block);
  FinishJoin(join);
  PushResults(join, condition.is_uniform);
}

void FunctionGenerator::EmitTwins(absl::Span<const RegClassId> classes, std::vector<Computation>& twins,
                                  std::vector<Value>& results) {
  // Other sources are computed next to the instruction, so that the other side does not have them. What is no
  // computation would leave values that the other side does not have.
  const auto is_plain = [](const OpcodeForm& form) {
    const auto is_result = [](const FormOperand& operand) { return operand.source == OperandSource::kResult; };
    if (form.is_collective || std::count_if(form.operands.begin(), form.operands.end(), is_result) != 1) return false;
    return std::none_of(form.operands.begin(), form.operands.end(), [](const FormOperand& operand) {
      return operand.source == OperandSource::kSelector || operand.source == OperandSource::kMetadata ||
             operand.source == OperandSource::kMask;
    });
  };
  for (const RegClassId reg_class : classes) {
    const size_t num_before = computations_.size();
    for (int tries = 0; tries < 4 && computations_.size() == num_before; ++tries) {
      const OpcodeForm* const form = module_.catalog.Pick(reg_class, /*allow_collective=*/false, random_);
      const bool fits = form != nullptr && form->operands.front().reg_class == reg_class && is_plain(*form);
      if (fits && module_.catalog.IsAvailable(form->opcode, module_.sm)) EmitForm(*form);
    }
    if (computations_.size() == num_before) break;
    twins.push_back(computations_.back());
    results.push_back({twins.back().instr->operand(0).reg(), false});
  }
}

void FunctionGenerator::RepeatTwins(absl::Span<const Computation> twins, std::vector<Value>& results) {
  for (const Computation& twin : twins) {
    const auto here = [&](Register reg) {
      for (size_t i = 0; i < results.size(); ++i) {
        if (twins[i].instr->operand(0).reg() == reg) return results[i].reg;
      }
      return reg;
    };
    results.push_back({EmitAgain(twin, here), false});
  }
}

void FunctionGenerator::HideResult(Join& join, size_t result) {
  Push(Emit(op::AND_b32ri, kB32, {Use(join.results[result]), Imm(0)}), kB32, true);
  const auto at = static_cast<ptrdiff_t>(result);
  join.results.erase(join.results.begin() + at);
  join.classes.erase(join.classes.begin() + at);
  for (Join::Edge& edge : join.edges) edge.values.erase(edge.values.begin() + at);
}

// In a small function, both sides may begin with the same computations, which meet in PHIs. One of these may be
// undefined on a side.
void FunctionGenerator::IfElse(unsigned depth) {
  const Value condition = Condition(divergence_ == 0 && random_.Percent(40));
  const unsigned diverges = condition.is_uniform ? 0 : 1;
  std::vector<RegClassId> twin_classes;
  if (IsSmall() && random_.Percent(loops_.empty() ? 35 : 50)) {
    constexpr RegClassId kClasses[] = {kB32, kB32, kB64};
    for (int64_t count = random_.Between(1, 3); count > 0; --count) twin_classes.push_back(random_.Pick(kClasses));
  }
  const bool has_undefined = IsSmall() && random_.Percent(8);
  MachineBasicBlock* const sides[] = {function_.CreateBlock(), function_.CreateBlock()};
  Branch(condition.reg, sides[0], sides[1]);
  divergence_ += diverges;
  const Scope scope = Mark();
  StartBlock(sides[0]);
  std::vector<Computation> twins;
  std::vector<Value> fixed;
  EmitTwins(twin_classes, twins, fixed);
  std::vector<RegClassId> classes(twin_classes.begin(), twin_classes.begin() + static_cast<ptrdiff_t>(fixed.size()));
  if (has_undefined) {
    classes.push_back(kB32);
    fixed.push_back({Emit(op::IMPLICIT_DEF, kB32, {}), false});
  }
  const size_t num_fixed = fixed.size();
  for (const RegClassId reg_class : PickClasses(4)) classes.push_back(reg_class);
  Join join = NewJoin(std::move(classes));
  for (MachineBasicBlock* side : sides) {
    if (side != sides[0]) {
      StartBlock(side);
      fixed.clear();
      RepeatTwins(twins, fixed);
      if (has_undefined) fixed.push_back(PickValue(kB32));
    }
    Region(depth + 1);
    AddEdge(join, fixed);
    Goto(join.block);
    Release(scope);
  }
  divergence_ -= diverges;
  StartBlock(join.block);
  FinishJoin(join);
  if (has_undefined) HideResult(join, num_fixed - 1);
  PushResults(join, condition.is_uniform);
}

FunctionGenerator::Counting FunctionGenerator::CountTo(Register trips, bool is_uniform) {
  constexpr int64_t kBelow = 8;
  constexpr int64_t kNotEqual = 1;
  constexpr int64_t kSteps[] = {1, -1, 3, -4, 16, 255, 0x10000001, -0x7fffffff};
  const auto from_zero = [&] { return Counting{{Emit(op::MOV_B32_i, kB32, {Imm(0)}), true}, 1, trips, kBelow}; };
  if (!IsSmall() || random_.Percent(50)) return from_zero();
  const Value start = is_uniform ? PickUniform(kB32) : PickValue(kB32);
  if (is_uniform && !start.is_uniform) return from_zero();
  const int64_t step = random_.Pick(kSteps);
  return {start, step, Emit(op::MAD_LO_S32rir, kB32, {Use(trips), Imm(step), Use(start.reg)}), kNotEqual};
}

// Emits a loop whose number of iterations is computed before it, and may be the same for all threads or not.
void FunctionGenerator::CountedLoop(unsigned depth) {
  constexpr int64_t kMost = 4;
  if (trips_ * kMost > kMaxTrips) return If(depth);
  const bool is_uniform = random_.Percent(50);
  Register bound;
  if (random_.Percent(40)) {
    bound = Emit(op::MOV_B32_i, kB32, {Imm(random_.Between(1, kMost))});
  } else {
    bound = Emit(op::ADD32ri, kB32, {Use(Index(kMost, is_uniform).reg), Imm(1)});
  }
  const bool tests_first = random_.Percent(40);
  std::vector<RegClassId> classes = PickClasses(4);
  classes.insert(classes.begin(), kB32);
  const Counting counting = CountTo(bound, is_uniform);
  Join header = NewJoin(std::move(classes));
  Join exit = NewJoin(PickClasses(3));
  AddEdge(header, {counting.start});
  Goto(header.block);
  const unsigned diverges = is_uniform ? 0 : 1;
  trips_ *= kMost;
  divergence_ += diverges;
  StartBlock(header.block);
  PushHeader(header, is_uniform && divergence_ == 0);
  const Scope scope = Mark();
  LoopBody(header, counting, tests_first, is_uniform, exit, depth);
  FinishJoin(header);
  trips_ /= kMost;
  divergence_ -= diverges;
  // The results of the header stay available: they are used after the loop, while the loop makes new ones.
  Release(scope);
  StartBlock(exit.block);
  FinishJoin(exit);
  PushResults(exit, false);
}

void FunctionGenerator::LoopBody(Join& header, const Counting& counting, bool tests_first, bool is_uniform, Join& exit,
                                 unsigned depth) {
  const Register counter = header.results[0];
  const auto has_more = [&](Register value) {
    return Emit(op::SETP_i32rr, kB1, {Use(value), Use(counting.bound), Imm(counting.comparison)});
  };
  if (tests_first) {
    EmitOps(static_cast<unsigned>(random_.Below(3)));
    const Register more = has_more(counter);
    MachineBasicBlock* body = function_.CreateBlock();
    AddEdge(exit);
    Branch(more, body, exit.block);
    StartBlock(body);
  }
  const bool has_latch = random_.Percent(40);
  Join latch;
  if (has_latch) latch = NewJoin(PickClasses(2));
  const Scope scope = Mark();
  loops_.push_back({&exit, has_latch ? &latch : nullptr, is_uniform, divergence_});
  // A loop that reads what it wrote in the iteration before.
  const bool has_accesses = IsSmall() && random_.Percent(35);
  if (has_accesses) EmitWordAccess();
  Region(depth + 1);
  if (has_accesses) EmitWordAccess();
  loops_.pop_back();
  if (has_latch) {
    AddEdge(latch);
    Goto(latch.block);
    Release(scope);
    StartBlock(latch.block);
    FinishJoin(latch);
    PushResults(latch, false);
  }
  const Register next = Emit(op::ADD32ri, kB32, {Use(counter), Imm(counting.step)});
  if (tests_first) {
    AddEdge(header, {{next, is_uniform}});
    Goto(header.block);
    return;
  }
  const Register more = has_more(next);
  AddEdge(header, {{next, is_uniform}});
  AddEdge(exit);
  Branch(more, header.block, exit.block);
}

// Emits an irreducible loop: two blocks, both of which have an edge from outside.
void FunctionGenerator::TwoEntryLoop(unsigned depth) {
  constexpr int64_t kMost = 3;
  if (trips_ * kMost > kMaxTrips) return IfElse(depth);
  const Value condition = Condition(false);
  const Register bound = Emit(op::ADD32ri, kB32, {Use(Index(2, false).reg), Imm(kMost - 1)});
  const Value zero = {Emit(op::MOV_B32_i, kB32, {Imm(0)}), true};
  std::vector<RegClassId> classes = PickClasses(3);
  classes.insert(classes.begin(), kB32);
  Join first = NewJoin(classes);
  Join second = NewJoin(classes);
  Join exit = NewJoin(PickClasses(2));
  AddEdge(first, {zero});
  AddEdge(second, {zero});
  Branch(condition.reg, second.block, first.block);
  ++divergence_;
  trips_ *= kMost;
  const Scope scope = Mark();
  StartBlock(first.block);
  PushHeader(first, false);
  Region(depth + 1);
  AddEdge(second, {{first.results[0], false}});
  Goto(second.block);
  Release(scope);
  StartBlock(second.block);
  PushHeader(second, false);
  const Scope inner = Mark();
  Region(depth + 1);
  const Register next = Emit(op::ADD32ri, kB32, {Use(second.results[0]), Imm(1)});
  const Register more = Emit(op::SETP_i32rr, kB1, {Use(next), Use(bound), Imm(8)});
  AddEdge(first, {{next, false}});
  AddEdge(exit);
  Branch(more, first.block, exit.block);
  FinishJoin(first);
  FinishJoin(second);
  trips_ /= kMost;
  --divergence_;
  Release(inner);
  StartBlock(exit.block);
  FinishJoin(exit);
  PushResults(exit, false);
}

// Emits `break` or `continue` at any place inside the innermost loop.
void FunctionGenerator::LeaveLoop() {
  if (loops_.empty()) return;
  const Loop& loop = loops_.back();
  // All threads of a uniform loop stay together.
  if (loop.is_uniform && divergence_ != loop.divergence) return;
  const Value condition = Condition(loop.is_uniform);
  if (loop.is_uniform && !condition.is_uniform) return;
  Join& target = loop.latch != nullptr && random_.Percent(50) ? *loop.latch : *loop.exit;
  MachineBasicBlock* rest = function_.CreateBlock();
  AddEdge(target);
  Branch(condition.reg, target.block, rest);
  StartBlock(rest);
}

void FunctionGenerator::ExitEarly() {
  if (!may_exit_early_) return;
  const Value condition = Condition(false);
  MachineBasicBlock* leave = function_.CreateBlock();
  MachineBasicBlock* rest = function_.CreateBlock();
  Branch(condition.reg, leave, rest);
  StartBlock(leave);
  const Scope scope = Mark();
  Finish();
  Release(scope);
  StartBlock(rest);
}

// ---- Jump tables.

void FunctionGenerator::JumpTableBranch(Register index, absl::Span<MachineBasicBlock* const> targets) {
  const auto table = static_cast<int64_t>(function_.jump_tables().size());
  JumpTable entries;
  for (const MachineBasicBlock* target : targets) entries.blocks.push_back(target->number());
  function_.jump_tables().push_back(std::move(entries));
  function_.jump_table_kind = "inline";
  BuildMI(*block_, nullptr, op::BRX_START).AddImm(table).Insert();
  for (const MachineBasicBlock* target : targets.first(targets.size() - 1)) {
    BuildMI(*block_, nullptr, op::BRX_ITEM).AddBlock(*target).Insert();
  }
  BuildMI(*block_, nullptr, op::BRX_END).AddBlock(*targets.back()).AddUse(index).AddImm(table).Insert();
  std::vector<bool> seen(function_.block_number_bound());
  std::vector<MachineBasicBlock*> distinct;
  for (MachineBasicBlock* target : targets) {
    if (!seen[target->number()]) distinct.push_back(target);
    seen[target->number()] = true;
  }
  // As the reader creates them: rounded, so that they add up to about one.
  const auto count = static_cast<uint32_t>(distinct.size());
  for (MachineBasicBlock* target : distinct) {
    block_->AddSuccessor(target, BranchProbability((BranchProbability::kDenominator + count / 2) / count));
  }
  cost_ += trips_;
  budget_ -= static_cast<int64_t>(targets.size());
}

// Several indices may lead to one case, or directly to the block after the switch. A case may fall through to the
// next.
void FunctionGenerator::Switch(unsigned depth, unsigned num_targets) {
  const Value index = Index(num_targets, divergence_ == 0 && random_.Percent(40));
  const unsigned diverges = index.is_uniform ? 0 : 1;
  Join join = NewJoin(PickClasses(3));
  std::vector<Join> cases;
  std::vector<MachineBasicBlock*> targets;
  for (unsigned i = 0; i < num_targets; ++i) {
    if (!cases.empty() && random_.Percent(25)) {
      targets.push_back(random_.Percent(30) ? join.block : random_.Pick(cases).block);
      continue;
    }
    cases.push_back(NewJoin(PickClasses(random_.Percent(50) ? 2 : 0)));
    targets.push_back(cases.back().block);
  }
  if (std::find(targets.begin(), targets.end(), join.block) != targets.end()) AddEdge(join);
  for (Join& one : cases) AddEdge(one);
  JumpTableBranch(index.reg, targets);
  divergence_ += diverges;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Scope scope = Mark();
    StartBlock(cases[i].block);
    for (size_t j = 0; j < cases[i].results.size(); ++j) Push(cases[i].results[j], cases[i].classes[j], false);
    if (budget_ > 0 && cost_ <= max_cost_) {
      Region(depth + 1);
    } else {
      EmitOps(1);
    }
    const bool runs_on = i + 1 < cases.size() && random_.Percent(20);
    Join& next = runs_on ? cases[i + 1] : join;
    AddEdge(next);
    Goto(next.block);
    Release(scope);
  }
  for (Join& one : cases) FinishJoin(one);
  divergence_ -= diverges;
  StartBlock(join.block);
  FinishJoin(join);
  PushResults(join, index.is_uniform);
}

// Emits nested conditions and loops that run once.
void FunctionGenerator::Nest(unsigned depth) {
  struct Level {
    Join join;
    Scope scope;
    bool is_loop;
  };
  std::vector<Level> levels;
  ++divergence_;
  for (unsigned i = 0; i < depth; ++i) {
    EmitOps(1);
    Level level = {NewJoin(PickClasses(2)), Mark(), random_.Percent(40)};
    if (level.is_loop) {
      AddEdge(level.join);
      Goto(level.join.block);
      StartBlock(level.join.block);
      PushHeader(level.join, false);
      level.scope = Mark();
    } else {
      const Value condition = Condition(false);
      MachineBasicBlock* body = function_.CreateBlock();
      AddEdge(level.join);
      Branch(condition.reg, body, level.join.block);
      StartBlock(body);
    }
    levels.push_back(std::move(level));
  }
  for (size_t i = levels.size(); i-- > 0;) {
    Level& level = levels[i];
    EmitOps(1);
    AddEdge(level.join);
    if (level.is_loop) {
      // Back to the header, if 0 is not 0.
      const Register zero = Emit(op::MOV_B32_i, kB32, {Imm(0)});
      const Register again = Emit(op::SETP_i32ri, kB1, {Use(zero), Imm(0), Imm(1)});
      MachineBasicBlock* rest = function_.CreateBlock();
      Branch(again, level.join.block, rest);
      FinishJoin(level.join);
      Release(level.scope);
      StartBlock(rest);
    } else {
      Goto(level.join.block);
      Release(level.scope);
      StartBlock(level.join.block);
      FinishJoin(level.join);
      PushResults(level.join, false);
    }
  }
  --divergence_;
}

}  // namespace ptxmir::fuzz
