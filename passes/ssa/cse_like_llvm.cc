// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/cse_like_llvm.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "mir/code/operand_ranges.h"
#include "passes/ssa/expression_table.h"
#include "passes/ssa/instr_properties_like_llvm.h"
#include "passes/ssa/tree_order_like_llvm.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::like_llvm {
namespace {

// LLVM marks no PTX opcode as commutative.
constexpr SourceOrder kOrder = SourceOrder::kGiven;

class CseLikeLlvm : public CsePolicy {
 public:
  CseLikeLlvm(MachineFunction& function, PassContext& context, CseEditor& editor)
      : CsePolicy({.source_order = kOrder, .copies = CopyLookThrough::kIfNotFound}),
        function_(function),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        editor_(editor),
        has_ir_(std::any_of(function.begin(), function.end(), [](const MachineBasicBlock& block) {
          return !block.ir_block.empty() || !block.name.empty();
        })) {}

  bool IsCandidate(const MachineInstr& instr) const override {
    if (!HasFormOfExpression(reg_info_, instr)) return false;
    if (instr.is_terminator() || instr.is_meta() || instr.num_explicit_defs() == 0) return false;
    if (MayStore(instr) || instr.desc().Has(InstrFlag::kCall) || HasUnmodeledSideEffects(instr)) return false;
    return !MayLoad(instr) || IsInvariantLoad(instr);
  }

  // Returns the blocks from the root of the dominator tree on, the last sibling first: the order in which LLVM's
  // pass walks the tree.
  std::vector<BlockNumber> Order() const override {
    const DepthFirstOrder order(function_);
    std::vector<BlockNumber> visited;
    std::vector<MachineBasicBlock*> to_visit = {function_.front()}, children;
    while (!to_visit.empty()) {
      const MachineBasicBlock& block = *to_visit.back();
      to_visit.pop_back();
      visited.push_back(block.number());
      ListChildren(dominators_, order, block, children);
      to_visit.insert(to_visit.end(), children.begin(), children.end());
    }
    return visited;
  }

  void HoistBeforeWalk(const std::vector<BlockNumber>& order) override {
    for (const BlockNumber number : order) HoistFrom(*function_.block(number));
  }

  bool MayReplace(const MachineInstr& instr, const MachineInstr& earlier) override {
    if (IsConvergent(instr) && instr.parent() != earlier.parent()) return false;
    for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
      if (reg_info_.reg_class(instr.operand(i).reg()) != reg_info_.reg_class(earlier.operand(i).reg())) return false;
      if (!IsWorthIt(instr, instr.operand(i).reg(), earlier, earlier.operand(i).reg())) return false;
    }
    return true;
  }

 private:
  void HoistFrom(MachineBasicBlock& block) {
    for (MachineInstr& instr : block) {
      if (!IsCandidate(instr) || !ptx::InstrInfo(instr.opcode()).is_pure() || IsAsCheapAsMove(instr) ||
          instr.num_explicit_defs() != 1 || instr.desc().Has(InstrFlag::kNotDuplicable)) {
        continue;
      }
      const auto [found, is_new] = computed_in_.try_emplace(HashOfExpression(instr, kOrder), Computed{&instr, &block});
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
      editor_.Keep(editor_.InsertClone(instr, *common));
      earlier.block = common;
    }
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
    if (!VirtualUses(instr).empty()) return false;
    const auto uses = reg_info_.NonDebugUses(instr.operand(0).reg());
    return std::all_of(uses.begin(), uses.end(), [](const MachineOperand& use) { return use.parent()->is_copy(); });
  }

  struct Computed {
    const MachineInstr* instr;
    MachineBasicBlock* block;  // the block where it was last computed or hoisted to
  };

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MachineBlockFrequencies& frequencies_;
  CseEditor& editor_;
  absl::flat_hash_map<size_t, Computed> computed_in_;  // by hash
  const bool has_ir_;                                  // some block is from LLVM IR
  absl::flat_hash_set<const MachineInstr*> users_;
  absl::flat_hash_set<const MachineBasicBlock*> reached_;
  std::vector<const MachineBasicBlock*> to_visit_;
};

}  // namespace

std::unique_ptr<CsePolicy> MakeCsePolicy(MachineFunction& function, PassContext& context, CseEditor& editor) {
  return std::make_unique<CseLikeLlvm>(function, context, editor);
}

}  // namespace ptxmir::like_llvm
