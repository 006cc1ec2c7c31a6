// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/tail_duplicator.h"

#include <algorithm>
#include <string_view>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/operand_ranges.h"
#include "passes/ssa/instr_properties_like_llvm.h"
#include "passes/support/block_ending.h"
#include "passes/support/unreachable_blocks.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// The most blocks between a block and its dominator in which divergent branches are looked for.
constexpr size_t kMaxBlocksToDominator = 32;
// Functions with more predecessors of a block than this keep the block.
constexpr size_t kMaxPredecessors = 16;
// Nobody would expect such a block to be copied.
constexpr std::string_view kNoCandidate = "no candidate";

bool IsConvergentOrCall(const MachineInstr& instr) {
  return instr.is_call() || like_llvm::IsConvergent(instr) ||
         (!instr.is_inline_asm() && ptx::InstrInfo(instr.opcode()).is_collective());
}

bool BeginsWithPhi(const MachineBasicBlock& block) { return block.front() != nullptr && block.front()->is_phi(); }

// Returns true if nothing follows in the function: the block ends in a return or a trap.
bool Leaves(const MachineBasicBlock& block) {
  const MachineInstr* const last = block.FirstTerminator();
  return block.successors().empty() && last != nullptr && last->is_return() && last->next() == nullptr;
}

// Adds a pair from `predecessor` to a PHI, with the value that it has from `block`, or its name in a copy.
template <typename Rename>
MachineInstr* AddIncomingLike(MachineInstr& phi, const MachineBasicBlock& block, const MachineBasicBlock& predecessor,
                              const Rename& rename) {
  for (const PhiIncoming incoming : PhiIncomings(std::as_const(phi))) {
    if (incoming.predecessor() != block.number()) continue;
    const MachineOperand value =
        MachineOperand::CreateReg(rename(incoming.reg()), incoming.value().is_undef() ? MachineOperand::kUndef : 0);
    return phi.AddOperand(value)->AddOperand(MachineOperand::CreateBlock(predecessor.number()));
  }
  return &phi;
}

}  // namespace

TailDuplicator::TailDuplicator(MachineFunction& function, PassContext& context, bool is_ssa)
    : function_(function),
      context_(context),
      reg_info_(function.reg_info()),
      is_ssa_(is_ssa),
      max_instrs_(static_cast<uint32_t>(context.knobs.tail_dup_size())),
      is_cycle_entry_(function.block_number_bound(), false),
      is_changed_(function.block_number_bound(), false),
      repair_(function) {}

void TailDuplicator::Prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  dominators_ = &context_.analyses.Get<MachineDominatorTree>();
  uniformity_ = &context_.analyses.Get<Uniformity>();
  const auto& cycles = context_.analyses.Get<MachineCycles>();
  for (CycleId cycle = 0; cycle < cycles.num_cycles(); ++cycle) {
    for (const MachineBasicBlock* entry : cycles.Entries(cycle)) is_cycle_entry_[entry->number()] = true;
  }
  for (const MachineBasicBlock& block : function_) {
    has_convergent_ = has_convergent_ || std::any_of(block.begin(), block.end(), IsConvergentOrCall);
  }
}

bool TailDuplicator::Run() {
  const uint64_t max_visited = 4 * function_.num_blocks() + 1000;
  bool changed = false;
  for (MachineBasicBlock* block = function_.front()->next(); block != nullptr;) {
    MachineBasicBlock* const next = block->next();
    if (is_ssa_ && LeadPast(*block)) {
      changed = true;
    } else if (const std::string_view refusal = RefusalFor(*block); refusal.empty()) {
      is_ssa_ ? DuplicateInSsa(*block) : DuplicateAfterAllocation(*block);
      changed = true;
    } else if (refusal != kNoCandidate) {
      ReportMissed(*block, refusal);
    }
    if (repair_.num_visited() > max_visited) break;
    block = next;
  }
  return changed;
}

std::string_view TailDuplicator::RefusalFor(const MachineBasicBlock& tail) {
  const auto predecessors = tail.predecessors();
  if (predecessors.empty() || predecessors.size() > kMaxPredecessors || HasAddressTaken(tail) ||
      is_changed_[tail.number()] || tail.IsSuccessor(&tail) || tail.CanFallThrough() || !HasPlaceForCopy(tail)) {
    return kNoCandidate;
  }
  if (!EndingOf(tail).is_known && (is_ssa_ || !Leaves(tail))) return kNoCandidate;
  if (const std::string_view refusal = RefusalForInstrs(tail); !refusal.empty()) return refusal;
  Prepare();
  const auto is_cycle_entry = [&](const MachineBasicBlock* block) { return is_cycle_entry_[block->number()]; };
  if (!dominators_->Contains(tail)) return kNoCandidate;
  if (is_cycle_entry(&tail)) return "the cycle would get another entry";
  if (std::any_of(tail.successors().begin(), tail.successors().end(), is_cycle_entry)) {
    return "the loop after it would lose its latch or preheader";
  }
  if (tail.successors().size() > 1 && has_convergent_) return "threads would meet later, behind what is convergent";
  const bool only_leaves = Leaves(tail) && tail.FirstNonDebug() == tail.FirstTerminator();
  if (!only_leaves && MeetDivergentThreads(tail)) return "threads of a warp would execute the copies one by one";
  return "";
}

bool TailDuplicator::HasPlaceForCopy(const MachineBasicBlock& tail) const {
  const auto predecessors = tail.predecessors();
  const auto may_take = [&](const MachineBasicBlock* block) { return MayTakeCopy(*block, tail); };
  // In SSA form, the block goes, or stays.
  if (is_ssa_) return std::all_of(predecessors.begin(), predecessors.end(), may_take);
  return std::any_of(predecessors.begin(), predecessors.end(), [&](const MachineBasicBlock* block) {
    return may_take(block) && EndingOf(*block).jump != nullptr;
  });
}

std::string_view TailDuplicator::RefusalForInstrs(const MachineBasicBlock& tail) const {
  uint32_t num_instrs = 0;
  for (const MachineInstr& instr : tail) {
    if (instr.is_phi() || instr.is_debug() || instr.is_meta()) continue;
    if (++num_instrs > max_instrs_) return kNoCandidate;
    if (IsConvergentOrCall(instr)) return "something convergent cannot be copied";
    const bool is_bundled = instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc);
    if (is_bundled || instr.desc().Has(InstrFlag::kNotDuplicable) || instr.is_inline_asm()) return "it is not copied";
  }
  return "";
}

bool TailDuplicator::MayTakeCopy(const MachineBasicBlock& predecessor, const MachineBasicBlock& tail) const {
  const BlockEnding ending = EndingOf(predecessor);
  return &predecessor != &tail && predecessor.successors().size() == 1 && ending.is_known && !ending.is_conditional() &&
         !is_changed_[predecessor.number()];
}

// Looks for a divergent branch between the block and its dominator.
bool TailDuplicator::MeetDivergentThreads(const MachineBasicBlock& tail) const {
  if (tail.predecessors().size() == 1) return false;
  const MachineBasicBlock* const dominator = dominators_->ImmediateDominator(tail);
  std::vector<const MachineBasicBlock*> blocks(tail.predecessors().begin(), tail.predecessors().end());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const MachineBasicBlock& block = *blocks[i];
    if (block.successors().size() > 1 && !uniformity_->HasUniformBranch(block)) return true;
    if (&block == dominator) continue;
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (std::find(blocks.begin(), blocks.end(), predecessor) == blocks.end()) blocks.push_back(predecessor);
    }
    if (blocks.size() > kMaxBlocksToDominator) return true;
  }
  return false;
}

bool TailDuplicator::LeadPast(MachineBasicBlock& block) {
  const BlockEnding ending = EndingOf(block);
  if (ending.jump == nullptr || ending.is_conditional() || block.FirstNonDebug() != ending.jump ||
      HasAddressTaken(block) || block.predecessors().empty()) {
    return false;
  }
  Prepare();
  MachineBasicBlock& target = *ending.taken;
  if (&target == &block || is_cycle_entry_[block.number()] || is_cycle_entry_[target.number()]) return false;
  const bool has_phis = BeginsWithPhi(target);
  bool changed = false;
  for (size_t i = 0; i < block.predecessors().size();) {
    MachineBasicBlock& predecessor = *block.predecessors()[i];
    const BlockEnding to_block = EndingOf(predecessor);
    // Copies of PHIs need a block on an edge to one of several predecessors from one of several successors.
    const bool is_critical = has_phis && predecessor.successors().size() > 1;
    if (!to_block.is_known || is_critical || predecessor.IsSuccessor(&target)) {
      ++i;
      continue;
    }
    if (to_block.falls_through() && block.previous() == &predecessor &&
        (!to_block.is_conditional() || to_block.taken != &block)) {
      AppendJump(predecessor, block);
    }
    for (MachineInstr* phi = target.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
      phi = AddIncomingLike(*phi, block, predecessor, [](Register reg) { return reg; });
    }
    predecessor.RetargetSuccessor(&block, &target);
    is_changed_[predecessor.number()] = true;
    ++num_led_past_;
    changed = true;
  }
  is_changed_[target.number()] = is_changed_[target.number()] || changed;
  if (changed && block.predecessors().empty()) Remove(block);
  return changed;
}

void TailDuplicator::DuplicateAfterAllocation(MachineBasicBlock& tail) {
  uint64_t num_copies = 0;
  for (size_t i = 0; i < tail.predecessors().size();) {
    MachineBasicBlock& predecessor = *tail.predecessors()[i];
    if (!MayTakeCopy(predecessor, tail) || EndingOf(predecessor).jump == nullptr) {
      ++i;
      continue;
    }
    AppendCopy(tail, predecessor);
    ++num_copies;
  }
  ReportCopies(tail, num_copies);
  if (tail.predecessors().empty()) Remove(tail);
}

void TailDuplicator::DuplicateInSsa(MachineBasicBlock& tail) {
  const std::vector<MachineBasicBlock*> predecessors(tail.predecessors().begin(), tail.predecessors().end());
  results_.clear();
  for (const MachineInstr& instr : tail) {
    for (const MachineOperand& def : VirtualDefs(instr)) results_.push_back(def.reg());
  }
  copies_.assign(results_.size(), {});
  for (MachineBasicBlock* predecessor : predecessors) {
    AppendCopy(tail, *predecessor);
    for (size_t i = 0; i < results_.size(); ++i) copies_[i].push_back(Renamed(results_[i]));
  }
  ReportCopies(tail, predecessors.size());
  Remove(tail);
  RepairResults(predecessors);
}

Register TailDuplicator::Renamed(Register reg) const {
  const auto it = std::find_if(renamed_.begin(), renamed_.end(), [&](const auto& entry) { return entry.first == reg; });
  return it == renamed_.end() ? reg : it->second;
}

void TailDuplicator::AppendCopy(MachineBasicBlock& tail, MachineBasicBlock& predecessor) {
  if (MachineInstr* const jump = EndingOf(predecessor).jump) jump->EraseFromParent();
  renamed_.clear();
  std::vector<Register> read;
  for (const MachineInstr& instr : tail) {
    if (instr.is_phi()) {
      for (const PhiIncoming incoming : PhiIncomings(instr)) {
        if (incoming.predecessor() != predecessor.number()) continue;
        Register value = incoming.reg();
        if (incoming.value().is_undef()) {
          value = reg_info_.CreateVirtualRegister(reg_info_.reg_class(value));
          BuildMI(predecessor, nullptr, generic::kImplicitDef).AddDef(value).Insert();
        }
        renamed_.emplace_back(instr.operand(0).reg(), value);
        read.push_back(value);
      }
      continue;
    }
    MachineInstr* const copy = function_.CloneInstr(instr);
    predecessor.Append(copy);
    if (!is_ssa_) continue;
    for (MachineOperand& use : VirtualUses(*copy)) {
      const Register value = Renamed(use.reg());
      if (value != use.reg()) use.SetReg(value);
      if (!copy->is_debug()) read.push_back(value);
    }
    for (MachineOperand& def : VirtualDefs(*copy)) {
      const Register value = reg_info_.CreateVirtualRegister(reg_info_.reg_class(def.reg()));
      renamed_.emplace_back(def.reg(), value);
      def.SetReg(value);
    }
  }
  if (is_ssa_) ClearKillFlags(reg_info_, std::move(read));
  predecessor.RemoveSuccessor(&tail);
  for (size_t i = 0; i < tail.successors().size(); ++i) {
    MachineBasicBlock& successor = *tail.successors()[i];
    predecessor.AddSuccessor(&successor, tail.successor_probabilities()[i]);
    for (MachineInstr* phi = successor.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
      phi = AddIncomingLike(*phi, tail, predecessor, [&](Register reg) { return Renamed(reg); });
    }
    is_changed_[successor.number()] = true;
  }
  is_changed_[predecessor.number()] = true;
  ++num_copies_;
}

void TailDuplicator::RepairResults(const std::vector<MachineBasicBlock*>& predecessors) {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (reg_info_.NonDebugUses(results_[i]).empty()) {
      DropDebugUses(reg_info_, results_[i]);
    } else {
      repair_.Repair(results_[i], predecessors, copies_[i]);
    }
  }
}

// Removes a block without predecessors.
void TailDuplicator::Remove(MachineBasicBlock& block) {
  for (MachineBasicBlock* successor : block.successors()) {
    RemovePhiIncomings(*successor, block);
    is_changed_[successor->number()] = true;
  }
  function_.EraseBlock(&block);
  ++num_removed_;
}

void TailDuplicator::ReportMissed(const MachineBasicBlock& tail, std::string_view reason) {
  if (tail.front() == nullptr) return;
  context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kMissed, context_.pass_name, "TailNotDuplicated", *tail.back())
           << "block not copied to the ends of its predecessors: " << RemarkArg("Reason", reason);
  });
}

void TailDuplicator::ReportCopies(const MachineBasicBlock& tail, uint64_t num_copies) {
  if (num_copies == 0 || tail.front() == nullptr) return;
  context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context_.pass_name, "TailDuplicated", *tail.back())
           << "block copied to the ends of " << RemarkArg("NumCopies", num_copies) << " predecessors";
  });
}

}  // namespace ptxmir
