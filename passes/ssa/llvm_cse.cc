// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/llvm_cse.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/block_order.h"
#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_dominators.h"
#include "passes/ssa/expression_table.h"
#include "passes/ssa/llvm_instr_properties.h"
#include "passes/ssa/llvm_tree_order.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// LLVM marks no PTX opcode as commutative.
constexpr SourceOrder kOrder = SourceOrder::kGiven;

class LlvmCse {
 public:
  LlvmCse(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()) {}

  bool Run() {
    const std::vector<BlockNumber> order = TreeOrder();
    has_ir_ = std::any_of(function_.begin(), function_.end(), [](const MachineBasicBlock& block) {
      return !block.ir_block.empty() || !block.name.empty();
    });
    for (const BlockNumber number : order) HoistFrom(*function_.block(number));
    VisitInScopes(function_, dominators_, order, table_, [&](MachineBasicBlock& block) { EliminateIn(block); });
    context_.AddStatistic("common subexpressions eliminated", num_eliminated_);
    context_.AddStatistic("common subexpressions hoisted", num_hoisted_);
    context_.AddStatistic("operands that were copies replaced", num_copies_);
    return num_eliminated_ + num_hoisted_ + num_copies_ != 0;
  }

 private:
  // Returns true if the results depend only on the operands.
  bool IsCandidate(const MachineInstr& instr) const {
    if (instr.is_phi() || instr.is_copy() || instr.is_debug() || instr.is_implicit_def() || instr.is_inline_asm() ||
        instr.is_terminator() || instr.is_meta() || instr.extra() != nullptr || instr.num_explicit_defs() == 0) {
      return false;
    }
    if (MayStore(instr) || instr.desc().Has(InstrFlag::kCall) || HasUnmodeledSideEffects(instr)) return false;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.is_implicit() || operand.is_tied() || operand.is_undef()) return false;
      if (operand.reg().is_virtual()) continue;
      // Only registers whose value never changes qualify, such as the frame registers.
      if (operand.is_def() || !reg_info_.Defs(operand.reg()).empty()) return false;
    }
    return !MayLoad(instr) || IsInvariantLoad(instr);
  }

  // Returns the blocks from the root of the dominator tree on, the last sibling first: the order in which LLVM's
  // pass walks the tree.
  std::vector<BlockNumber> TreeOrder() const {
    const DepthFirstOrder order(function_);
    std::vector<BlockNumber> visited;
    std::vector<MachineBasicBlock*> to_visit = {function_.front()}, children;
    while (!to_visit.empty()) {
      const MachineBasicBlock& block = *to_visit.back();
      to_visit.pop_back();
      visited.push_back(block.number());
      ListChildrenAsLlvm(dominators_, order, block, children);
      to_visit.insert(to_visit.end(), children.begin(), children.end());
    }
    return visited;
  }

  void HoistFrom(MachineBasicBlock& block) {
    for (MachineInstr& instr : block) {
      if (!IsCandidate(instr) || !ptx::InstrInfo(instr.opcode()).is_pure() || IsAsCheapAsMove(instr) ||
          instr.num_explicit_defs() != 1 || instr.desc().Has(InstrFlag::kNotDuplicable)) {
        continue;
      }
      const auto [found, is_new] = computed_in_.try_emplace(table_.Hash(instr), Computed{&instr, &block});
      Computed& earlier = found->second;
      if (is_new || !IsSameExpression(*earlier.instr, instr, kOrder)) continue;
      MachineBasicBlock* const common = dominators_.NearestCommonDominator(block, *earlier.block);
      // If one block dominates the other, the walk over the tree finds the expression.
      if (common == nullptr || common == &block || common == earlier.block ||
          frequencies_.Frequency(*common) > frequencies_.Frequency(block) + frequencies_.Frequency(*earlier.block)) {
        continue;
      }
      if (HasNoIr(block) || HasNoIr(*earlier.block)) continue;
      if (!MayReach(*earlier.block, block) && !MayReach(block, *earlier.block)) continue;
      if (IsConvergent(instr)) continue;
      // The hoisted copy has no uses yet, so LLVM's heuristic would expect higher pressure.
      if (HasOnlyCopiedUses(instr)) continue;
      Hoist(instr, *common);
      earlier.block = common;
    }
  }

  void Hoist(const MachineInstr& instr, MachineBasicBlock& block) {
    MachineInstr* const hoisted = function_.CloneInstr(instr);
    hoisted->operand(0).SetReg(reg_info_.CreateVirtualRegister(reg_info_.reg_class(instr.operand(0).reg())));
    block.Insert(block.FirstTerminator(), hoisted);
    for (const MachineOperand& operand : hoisted->operands()) {
      if (operand.is_use() && operand.reg().is_virtual()) reg_info_.ClearKillFlags(operand.reg());
    }
    ++num_hoisted_;
  }

  // LLVM searches for paths in its IR and so finds none to or from blocks that were created later. If no block has
  // IR, the blocks themselves are searched here.
  bool HasNoIr(const MachineBasicBlock& block) const { return has_ir_ && block.ir_block.empty() && block.name.empty(); }

  // Returns true if there is a path from one block to the other, or if the search reaches its limit.
  bool MayReach(const MachineBasicBlock& from, const MachineBasicBlock& to) {
    constexpr size_t kMaxBlocks = 32;
    reached_.clear();
    to_visit_.assign(1, &from);
    while (!to_visit_.empty()) {
      const MachineBasicBlock* const block = to_visit_.back();
      to_visit_.pop_back();
      if (!reached_.insert(block).second) continue;
      if (block == &to || reached_.size() == kMaxBlocks) return true;
      to_visit_.insert(to_visit_.end(), block->successors().begin(), block->successors().end());
    }
    return false;
  }

  void EliminateIn(MachineBasicBlock& block) {
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      if (!IsCandidate(*instr)) continue;
      size_t hash = table_.Hash(*instr);
      MachineInstr* earlier = table_.Find(*instr, hash);
      if (earlier == nullptr && LookThroughCopies(*instr)) {
        hash = table_.Hash(*instr);
        earlier = table_.Find(*instr, hash);
      }
      if (earlier == nullptr || !MayReplace(*instr, *earlier)) {
        table_.Add(*instr, hash);
        continue;
      }
      ReplaceBySame(*instr, *earlier, replaced_);
      ++num_eliminated_;
    }
  }

  bool LookThroughCopies(MachineInstr& instr) {
    const uint64_t before = num_copies_;
    for (MachineOperand& operand : instr.operands()) {
      MachineInstr* const copy = CopyToLookThrough(reg_info_, operand);
      if (copy == nullptr) continue;
      const Register reg = operand.reg();
      const Register source = copy->operand(1).reg();
      operand.SetReg(source);
      reg_info_.ClearKillFlags(source);
      ++num_copies_;
      if (!reg_info_.NonDebugUses(reg).empty()) continue;
      copy->EraseFromParent();
      reg_info_.ReplaceRegister(reg, source);
    }
    return num_copies_ != before;
  }

  bool MayReplace(const MachineInstr& instr, const MachineInstr& earlier) {
    if (IsConvergent(instr) && instr.parent() != earlier.parent()) return false;
    for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
      if (reg_info_.reg_class(instr.operand(i).reg()) != reg_info_.reg_class(earlier.operand(i).reg())) return false;
      if (!IsWorthIt(instr, instr.operand(i).reg(), earlier, earlier.operand(i).reg())) return false;
    }
    return true;
  }

  bool IsWorthIt(const MachineInstr& instr, Register reg, const MachineInstr& earlier, Register earlier_reg) {
    if (HasAllUsersOf(earlier_reg, reg)) return true;
    const MachineBasicBlock& block = *instr.parent();
    if (IsAsCheapAsMove(instr) && earlier.parent() != &block && !earlier.parent()->IsSuccessor(&block)) return false;
    if (HasOnlyCopiedUses(instr)) return false;
    bool is_used_by_phi = false;
    for (const MachineOperand& use : reg_info_.NonDebugUses(earlier_reg)) {
      if (use.parent()->parent() == &block) return true;
      is_used_by_phi |= use.parent()->is_phi();
    }
    return !is_used_by_phi;
  }

  // Returns true if every user of `other` also uses `reg`. LLVM gives up if there are many uses.
  bool HasAllUsersOf(Register reg, Register other) {
    constexpr size_t kMaxUses = 1024;
    users_.clear();
    size_t num_uses = 0;
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      if (++num_uses > kMaxUses) return false;
      users_.insert(use.parent());
    }
    const auto uses = reg_info_.NonDebugUses(other);
    return std::all_of(uses.begin(), uses.end(),
                       [&](const MachineOperand& use) { return users_.contains(use.parent()); });
  }

  // Returns true if the instruction reads no register and its result is only used by copies.
  bool HasOnlyCopiedUses(const MachineInstr& instr) const {
    const auto operands = instr.operands();
    if (std::any_of(operands.begin(), operands.end(),
                    [](const MachineOperand& operand) { return operand.is_use() && operand.reg().is_virtual(); })) {
      return false;
    }
    const auto uses = reg_info_.NonDebugUses(instr.operand(0).reg());
    return std::all_of(uses.begin(), uses.end(), [](const MachineOperand& use) { return use.parent()->is_copy(); });
  }

  struct Computed {
    const MachineInstr* instr;
    MachineBasicBlock* block;  // the block where it was last computed or hoisted to
  };

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MachineBlockFrequencies& frequencies_;
  absl::flat_hash_map<size_t, Computed> computed_in_;  // by hash
  ExpressionTable table_{kOrder};
  bool has_ir_ = false;  // some block is from LLVM IR
  absl::flat_hash_set<const MachineInstr*> users_;
  absl::flat_hash_set<const MachineBasicBlock*> reached_;
  std::vector<const MachineBasicBlock*> to_visit_;
  std::vector<Register> replaced_;
  uint64_t num_eliminated_ = 0;
  uint64_t num_hoisted_ = 0;
  uint64_t num_copies_ = 0;
};

}  // namespace

bool EliminateCommonSubexpressionsAsLlvm(MachineFunction& function, PassContext& context) {
  return LlvmCse(function, context).Run();
}

}  // namespace ptxmir
