// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/machine_licm.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "mir/code/operand_ranges.h"
#include "passes/ssa/expression_table.h"
#include "passes/ssa/instr_properties_like_llvm.h"
#include "passes/ssa/tree_order_like_llvm.h"
#include "passes/support/block_ending.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// LLVM marks no PTX opcode as commutative.
constexpr SourceOrder kOrder = SourceOrder::kGiven;

// A number of values for each register class.
using ClassCounts = std::array<int64_t, ptx::reg_class::kCount>;

// The pressure as LLVM tracks it down a loop nest. It is not restored when the walk goes back up the dominator
// tree.
class LoopPressure {
 public:
  explicit LoopPressure(const MachineRegisterInfo& reg_info) : reg_info_(reg_info) {}

  // Starts with the pressure at the end of the block before the loop.
  void Reset(const MachineBasicBlock& before) {
    seen_in_.resize(reg_info_.num_virtual_registers(), 0);
    ++nest_;
    now_.fill(0);
    scopes_.clear();
    raised_.fill(0);
    AddBlocksUpTo(before);
  }

  void EnterScope() {
    ClassCounts peak = now_;
    for (size_t i = 0; i < peak.size(); ++i) {
      peak[i] -= raised_[i];
      if (!scopes_.empty()) peak[i] = std::max(peak[i], scopes_.back()[i]);
    }
    scopes_.push_back(peak);
  }
  void LeaveScope() { scopes_.pop_back(); }

  // Updates the pressure for an instruction that stays.
  void Pass(const MachineInstr& instr) { Update(instr, /*unseen_are_live_in=*/false); }

  // Returns the number of values that hoisting an instruction adds to a loop.
  ClassCounts CostOf(const MachineInstr& instr) const {
    ClassCounts cost = {};
    ForEachRegister(instr, [&](const MachineOperand& operand) {
      int64_t& count = cost[reg_info_.reg_class(operand.reg())];
      if (operand.is_def()) {
        ++count;
      } else if (IsLastUse(operand)) {
        --count;
      }
    });
    return cost;
  }

  // Returns true if this cost is too high for some block between the header and the current block.
  bool WouldBeHigh(const ClassCounts& cost) const {
    for (size_t i = 0; i < cost.size(); ++i) {
      if (cost[i] > 0 &&
          scopes_.back()[i] + raised_[i] + cost[i] >= like_llvm::PressureLimit(static_cast<RegClassId>(i))) {
        return true;
      }
    }
    return false;
  }

  // Records that an instruction of this cost is hoisted.
  void Raise(const ClassCounts& cost) {
    for (size_t i = 0; i < cost.size(); ++i) raised_[i] += cost[i];
  }

 private:
  bool IsLastUse(const MachineOperand& operand) const {
    return operand.is_kill() || reg_info_.HasOneNonDebugUse(operand.reg());
  }

  // Visits the register operands that the opcode's description declares.
  template <typename Visit>
  static void ForEachRegister(const MachineInstr& instr, Visit visit) {
    if (instr.is_implicit_def()) return;
    const unsigned num_operands = std::min<unsigned>(instr.desc().num_operands, instr.num_operands());
    for (unsigned i = 0; i < num_operands; ++i) {
      const MachineOperand& operand = instr.operand(i);
      if (operand.is_reg() && !operand.is_implicit() && operand.reg().is_virtual()) visit(operand);
    }
  }

  void Update(const MachineInstr& instr, bool unseen_are_live_in) {
    ClassCounts cost = {};
    ForEachRegister(instr, [&](const MachineOperand& operand) {
      int64_t& count = cost[reg_info_.reg_class(operand.reg())];
      const bool is_new = std::exchange(seen_in_[operand.reg().virtual_index()], nest_) != nest_;
      if (operand.is_def()) {
        ++count;
      } else if (const bool is_last = IsLastUse(operand); is_new && !is_last && unseen_are_live_in) {
        ++count;
      } else if (!is_new && is_last) {
        --count;
      }
    });
    for (size_t i = 0; i < now_.size(); ++i) now_[i] = std::max<int64_t>(now_[i] + cost[i], 0);
  }

  // Also adds the chain of blocks before `before` that lead only to it.
  void AddBlocksUpTo(const MachineBasicBlock& before) {
    std::vector<const MachineBasicBlock*> blocks = {&before};
    while (blocks.back()->predecessors().size() == 1) {
      const BlockEnding ending = EndingOf(*blocks.back());
      const MachineBasicBlock* const previous = blocks.back()->predecessors()[0];
      if (!ending.is_known || ending.is_conditional()) break;
      blocks.push_back(previous);
    }
    for (; !blocks.empty(); blocks.pop_back()) {
      for (const MachineInstr& instr : *blocks.back()) Update(instr, /*unseen_are_live_in=*/true);
    }
  }

  const MachineRegisterInfo& reg_info_;
  std::vector<uint32_t> seen_in_;  // by virtual register: the last nest in which it was seen
  uint32_t nest_ = 0;
  ClassCounts now_ = {};
  // For each block from the header to the current one: the maximum pressure before it and before those above it,
  // minus the values hoisted before it was entered.
  std::vector<ClassCounts> scopes_;
  ClassCounts raised_ = {};  // by the instructions hoisted so far
};

// The facts about a loop. Only `before` changes, when an edge is split.
struct Loop {
  MachineBasicBlock* before = nullptr;       // its only predecessor outside, if code can be inserted between them
  bool may_hoist_loads = true;               // nothing in the loop writes
  MachineBasicBlock* before_exit = nullptr;  // the lowest block that dominates all exiting blocks; null if there are
                                             // no exits
};

bool LeadsNowhereElse(const MachineBasicBlock& before) { return before.successors().size() == 1; }

MachineBasicBlock* FindBlockBefore(const MachineLoops& loops, CycleId loop) {
  MachineBasicBlock* const before = loops.UniquePredecessor(loop);
  if (before == nullptr) return nullptr;
  return LeadsNowhereElse(*before) || CanSplitEdge(*before, *loops.Header(loop)) ? before : nullptr;
}

// Returns true for an instruction that may write, or that keeps loads in their places. This is more than LLVM's
// isLoadFoldBarrier.
bool IsLoadBarrier(const MachineInstr& instr) {
  return like_llvm::MayStore(instr) || instr.desc().Has(InstrFlag::kCall) ||
         like_llvm::HasUnmodeledSideEffects(instr) || (like_llvm::MayLoad(instr) && like_llvm::IsOrderedLoad(instr));
}

std::vector<Loop> FindLoops(MachineFunction& function, const MachineLoops& loops,
                            const MachineDominatorTree& dominators) {
  std::vector<Loop> found(loops.num_cycles());
  for (CycleId loop = 0; loop < loops.num_cycles(); ++loop) found[loop].before = FindBlockBefore(loops, loop);
  for (MachineBasicBlock& block : function) {
    const CycleId innermost = loops.InnermostCycle(block);
    if (innermost == CycleForest::kNoCycle) continue;
    const bool has_barrier =
        std::any_of(block.begin(), block.end(), [](const MachineInstr& instr) { return IsLoadBarrier(instr); });
    for (CycleId loop = innermost; loop != CycleForest::kNoCycle; loop = loops.Parent(loop)) {
      Loop& info = found[loop];
      if (has_barrier) info.may_hoist_loads = false;
      const auto successors = block.successors();
      if (std::all_of(successors.begin(), successors.end(),
                      [&](const MachineBasicBlock* next) { return loops.Contains(loop, *next); })) {
        continue;
      }
      info.before_exit =
          info.before_exit != nullptr ? dominators.NearestCommonDominator(*info.before_exit, block) : &block;
    }
  }
  return found;
}

// A block of the nest, in the order of the walk.
struct Scope {
  MachineBasicBlock* block;
  uint32_t parent;    // index of the parent scope; larger than any index for the header
  uint32_t num_open;  // the number of children that the walk has not left
};

// Returns the blocks of the nest in the order in which LLVM walks its dominator tree.
std::vector<Scope> FindScopes(const MachineLoops& loops, MachineDominatorTree& dominators, const DepthFirstOrder& order,
                              CycleId outermost) {
  constexpr size_t kSuccessorsOfLargeSwitch = 25;
  constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<Scope> scopes;
  std::vector<Scope> to_visit = {{loops.Header(outermost), kNone, 0}};
  std::vector<MachineBasicBlock*> children;
  while (!to_visit.empty()) {
    Scope scope = to_visit.back();
    to_visit.pop_back();
    if (!loops.Contains(outermost, *scope.block)) continue;
    children.clear();
    // Blocks below a large switch are rarely executed.
    if (scope.block->successors().size() < kSuccessorsOfLargeSwitch) {
      like_llvm::ListChildren(dominators, order, *scope.block, children);
    }
    scope.num_open = static_cast<uint32_t>(children.size());
    const uint32_t index = static_cast<uint32_t>(scopes.size());
    scopes.push_back(scope);
    for (auto child = children.rbegin(); child != children.rend(); ++child) to_visit.push_back({*child, index, 0});
  }
  return scopes;
}

// Leaves scopes as LLVM does, which treats blocks outside the loop as children that are never finished.
void LeaveScopes(uint32_t index, std::vector<Scope>& scopes, LoopPressure& pressure) {
  if (scopes[index].num_open != 0) return;
  for (;;) {
    pressure.LeaveScope();
    const uint32_t parent = scopes[index].parent;
    if (parent >= scopes.size() || --scopes[parent].num_open != 0) return;
    index = parent;
  }
}

struct HoistCounts {
  uint64_t num_hoisted = 0;
  uint64_t num_eliminated = 0;
  uint64_t num_split = 0;
};

class LoopInvariantHoister {
 public:
  LoopInvariantHoister(MachineFunction& function, PassContext& context)
      : reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        loops_(context.analyses.Get<MachineLoops>()),
        order_(function),
        loop_infos_(FindLoops(function, loops_, dominators_)),
        pressure_(reg_info_) {}

  HoistCounts Run() {
    for (CycleId loop = 0; loop < loops_.num_cycles(); ++loop) {
      if (loops_.Parent(loop) == CycleForest::kNoCycle) HoistFromNest(loop);
    }
    return counts_;
  }

 private:
  // Returns a block before the loop that leads only to it, splitting an edge if necessary.
  MachineBasicBlock& MakePreheader(CycleId loop) {
    Loop& info = loop_infos_[loop];
    if (LeadsNowhereElse(*info.before)) return *info.before;
    MachineBasicBlock &from = *info.before, &header = *loops_.Header(loop);
    MachineBasicBlock& middle = SplitEdge(from, header);
    const EdgeUpdate updates[] = {EdgeUpdate::Delete(from, header), EdgeUpdate::Insert(from, middle),
                                  EdgeUpdate::Insert(middle, header)};
    dominators_.ApplyUpdates(updates);
    loops_.AddBlock(middle, loops_.CommonCycle(loops_.InnermostCycle(from), loops_.Parent(loop)));
    ++counts_.num_split;
    return *(info.before = &middle);
  }

  void HoistFromNest(CycleId outermost) {
    if (loop_infos_[outermost].before == nullptr) return;
    std::vector<Scope> scopes = FindScopes(loops_, dominators_, order_, outermost);
    pressure_.Reset(*loop_infos_[outermost].before);
    available_.ShrinkTo(0);
    is_first_ = true;
    for (uint32_t i = 0; i < scopes.size(); ++i) {
      pressure_.EnterScope();
      MachineBasicBlock& block = *scopes[i].block;
      is_guaranteed_.reset();
      for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
        next = instr->next();
        if (!HoistFromAny(*instr, outermost)) pressure_.Pass(*instr);
      }
      LeaveScopes(i, scopes, pressure_);
    }
  }

  // Hoists the instruction out of the outermost loop of the nest that allows it. Returns true if the instruction
  // is no longer in its block.
  bool HoistFromAny(MachineInstr& instr, CycleId outermost) {
    if (!IsLicmCandidate(instr)) return false;
    absl::InlinedVector<CycleId, 8> inner_loops;  // innermost first
    for (CycleId loop = loops_.InnermostCycle(*instr.parent()); loop != outermost; loop = loops_.Parent(loop)) {
      inner_loops.push_back(loop);
    }
    inner_loops.push_back(outermost);
    for (; !inner_loops.empty(); inner_loops.pop_back()) {
      const CycleId loop = inner_loops.back();
      if (loop_infos_[loop].before != nullptr && IsLoopInvariant(instr, loop) && IsWorthIt(instr, loop)) {
        return Hoist(instr, MakePreheader(loop));
      }
    }
    return false;
  }

  static bool IsLicmCandidate(const MachineInstr& instr) {
    bool saw_store = false;
    return like_llvm::IsSafeToMove(instr, saw_store) && !like_llvm::IsConvergent(instr);
  }

  // Returns true if every path through the loop executes the block. LLVM's answer is the one for the first loop of
  // the nest for which it asks.
  bool IsGuaranteedToExecute(const MachineBasicBlock& block, CycleId loop) {
    const Loop& info = loop_infos_[loop];
    // In a loop without an exit, only the header is guaranteed to execute; LLVM assumes that all blocks are.
    const bool is_guaranteed = &block == loops_.Header(loop) ||
                               (info.before_exit != nullptr && dominators_.Dominates(block, *info.before_exit));
    if (!is_guaranteed_.has_value()) is_guaranteed_ = is_guaranteed;
    return *is_guaranteed_ && is_guaranteed;
  }

  bool IsLoopInvariant(const MachineInstr& instr, CycleId loop) {
    if (like_llvm::MayLoad(instr) && ((!loop_infos_[loop].may_hoist_loads && !like_llvm::IsInvariantLoad(instr)) ||
                                      !IsGuaranteedToExecute(*instr.parent(), loop))) {
      return false;
    }
    return HasInvariantOperands(instr, loop, /*but=*/{});
  }

  bool HasInvariantOperands(const MachineInstr& instr, CycleId loop, Register but) const {
    return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
      if (!operand.is_reg() || !operand.reg().is_valid() || operand.reg() == but) return true;
      if (!operand.reg().is_virtual()) return like_llvm::IsFreePhysical(reg_info_, operand);
      if (!operand.reads_reg()) return true;
      const MachineInstr* const def = reg_info_.UniqueDef(operand.reg());
      return def != nullptr && !loops_.Contains(loop, *def->parent());
    });
  }

  bool IsWorthIt(const MachineInstr& instr, CycleId loop) {
    if (instr.is_implicit_def()) return true;
    const bool is_cheap = like_llvm::IsAsCheapAsMove(instr);
    const bool makes_copy = IsReadByPhi(instr, loop);
    if (is_cheap && makes_copy) return false;
    const ClassCounts cost = pressure_.CostOf(instr);
    const bool adds_value = std::any_of(cost.begin(), cost.end(), [](int64_t count) { return count > 0; });
    const bool is_high = (is_cheap && adds_value) || pressure_.WouldBeHigh(cost);
    if (!is_high) return true;
    if (makes_copy) return false;
    if (!IsGuaranteedToExecute(*instr.parent(), loop) && !IsAvailable(instr)) return false;
    return (instr.is_copy() && HasUsersToFollow(instr, loop, cost)) || like_llvm::IsInvariantLoad(instr);
  }

  // Returns true if a PHI in the loop, or in an exit block, reads the results or copies of them.
  bool IsReadByPhi(const MachineInstr& instr, CycleId loop) {
    absl::InlinedVector<const MachineInstr*, 8> copies = {&instr};
    while (!copies.empty()) {
      const MachineInstr& def = *copies.back();
      copies.pop_back();
      for (const MachineOperand& result : VirtualDefs(def)) {
        for (const MachineOperand& use : reg_info_.NonDebugUses(result.reg())) {
          const MachineInstr& user = *use.parent();
          const bool is_inside = loops_.Contains(loop, *user.parent());
          if (user.is_phi() && (is_inside || IsExit(*user.parent(), loop))) return true;
          if (user.is_copy() && is_inside) copies.push_back(&user);
        }
      }
    }
    return false;
  }

  bool IsExit(const MachineBasicBlock& outside, CycleId loop) const {
    const auto predecessors = outside.predecessors();
    return std::any_of(predecessors.begin(), predecessors.end(),
                       [&](const MachineBasicBlock* block) { return loops_.Contains(loop, *block); });
  }

  // Returns true if a copy has a user in the loop that becomes invariant with it, or if the copy's pressure is
  // acceptable and it has any user there.
  bool HasUsersToFollow(const MachineInstr& copy, CycleId loop, const ClassCounts& cost) const {
    if (!copy.operand(1).reg().is_virtual()) return false;
    const Register result = copy.operand(0).reg();
    const bool is_high = pressure_.WouldBeHigh(cost);
    const auto uses = reg_info_.NonDebugUses(result);
    return std::any_of(uses.begin(), uses.end(), [&](const MachineOperand& use) {
      const MachineInstr& user = *use.parent();
      return loops_.Contains(loop, *user.parent()) && (!is_high || HasInvariantOperands(user, loop, result));
    });
  }

  // Returns an instruction before a loop around the block that computes the same value, or null if there is none.
  MachineInstr* FindAvailable(const MachineInstr& instr, size_t hash) const {
    if (instr.is_implicit_def() || (like_llvm::MayLoad(instr) && !like_llvm::IsInvariantLoad(instr))) return nullptr;
    return available_.FindIf(instr, hash, [&](const MachineInstr& earlier) {
      return dominators_.Dominates(*earlier.parent(), *instr.parent());
    });
  }
  bool IsAvailable(const MachineInstr& instr) const { return FindAvailable(instr, available_.Hash(instr)) != nullptr; }

  // Returns true if the instruction is no longer in its block.
  bool Hoist(MachineInstr& instr, MachineBasicBlock& preheader) {
    if (is_first_) {
      for (MachineInstr& earlier : preheader) {
        if (earlier.num_explicit_defs() != 0) available_.Add(earlier, available_.Hash(earlier));
      }
      is_first_ = false;
    }
    ++counts_.num_hoisted;
    const size_t hash = available_.Hash(instr);
    if (MachineInstr* const earlier = FindAvailable(instr, hash); earlier != nullptr) {
      ReplaceBySame(instr, *earlier, replaced_);
      ++counts_.num_eliminated;
      return true;
    }
    instr.RemoveFromParent();
    preheader.Insert(preheader.FirstTerminator(), &instr);
    instr.set_debug_loc(MachineInstr::kNoDebugLoc);
    pressure_.Raise(pressure_.CostOf(instr));
    for (const MachineOperand& def : VirtualDefs(instr)) reg_info_.ClearKillFlags(def.reg());
    available_.Add(instr, hash);
    return false;
  }

  MachineRegisterInfo& reg_info_;
  MachineDominatorTree& dominators_;
  MachineLoops& loops_;
  const DepthFirstOrder order_;
  std::vector<Loop> loop_infos_;
  LoopPressure pressure_;
  ExpressionTable available_{kOrder};  // expressions before the loops of the nest
  bool is_first_ = true;               // nothing has been hoisted out of the nest yet
  std::optional<bool> is_guaranteed_;  // whether the current block is always executed
  std::vector<Register> replaced_;
  HoistCounts counts_;
};

}  // namespace

PassResult RunEarlyMachineLicm(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.empty()) return {.changed = false};
  const HoistCounts counts = LoopInvariantHoister(function, context).Run();
  context.AddStatistic("instructions hoisted out of loops", counts.num_hoisted);
  context.AddStatistic("hoisted instructions that were there already", counts.num_eliminated);
  context.AddStatistic("edges to loops split", counts.num_split);
  return {.changed = counts.num_hoisted + counts.num_split != 0,
          .preserved = counts.num_split != 0 ? PreservedAnalyses::None()
                                                   .Preserve(AnalysisKind::kMachineDominatorTree)
                                                   .Preserve(AnalysisKind::kMachineLoops)
                                             : PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
