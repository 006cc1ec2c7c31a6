// SPDX-License-Identifier: Apache-2.0

#include "passes/layout/tail_merging.h"

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "analysis/control_flow/machine_cycles.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/ssa/expression_table.h"
#include "passes/ssa/instr_properties_like_llvm.h"
#include "passes/support/block_ending.h"
#include "passes/support/debug_values.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// Returns the instruction before, without those of debug information; null if there is none.
MachineInstr* PreviousCode(const MachineInstr& instr) {
  MachineInstr* previous = instr.previous();
  while (previous != nullptr && previous->is_debug()) previous = previous->previous();
  return previous;
}

bool MayMerge(const MachineInstr& instr) {
  if (instr.is_inline_asm() || instr.is_call() || instr.is_phi() || like_llvm::IsConvergent(instr)) return false;
  if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return false;
  return instr.extra() == nullptr && !instr.desc().Has(InstrFlag::kNotDuplicable) &&
         !ptx::InstrInfo(instr.opcode()).is_collective();
}

bool AreEqual(const MachineInstr& a, const MachineInstr& b) {
  if (!MayMerge(a) || !IsSameExpression(a, b, SourceOrder::kGiven)) return false;
  for (unsigned i = 0; i < a.num_explicit_defs(); ++i) {
    if (!a.operand(i).IsIdenticalTo(b.operand(i))) return false;
  }
  return true;
}

struct BlockEnd {
  MachineBasicBlock* block = nullptr;
  MachineInstr* last = nullptr;  // the last instruction that would be merged: not the jump to the common successor
  CycleId cycle = 0;
  size_t hash = 0;
};

// The common end of two blocks.
struct CommonEnd {
  uint32_t num_instrs = 0;
  MachineInstr* first_of_a = nullptr;
  MachineInstr* first_of_b = nullptr;
};

CommonEnd CommonEndOf(const BlockEnd& a, const BlockEnd& b) {
  CommonEnd end;
  MachineInstr *in_a = a.last, *in_b = b.last;
  while (in_a != nullptr && in_b != nullptr && AreEqual(*in_a, *in_b)) {
    end = {end.num_instrs + 1, in_a, in_b};
    in_a = PreviousCode(*in_a);
    in_b = PreviousCode(*in_b);
  }
  return end;
}

class TailMerger {
 public:
  TailMerger(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        cycles_(context.analyses.Get<MachineCycles>()),
        min_instrs_(static_cast<uint32_t>(context.knobs.tail_merge_size())),
        max_candidates_(static_cast<size_t>(context.knobs.tail_merge_threshold())) {}

  uint64_t Run() {
    std::vector<MachineBasicBlock*> blocks;
    for (MachineBasicBlock& block : function_) blocks.push_back(&block);
    CollectReturns(blocks);
    MergeCandidates();
    // The blocks that merging creates are predecessors of one block each.
    for (MachineBasicBlock* block : blocks) {
      if (block->predecessors().size() < 2) continue;
      CollectPredecessors(*block);
      MergeCandidates();
    }
    return num_removed_;
  }

 private:
  void Add(MachineBasicBlock& block, MachineInstr* last) {
    while (last != nullptr && last->is_debug()) last = last->previous();
    if (last == nullptr || !MayMerge(*last) || candidates_.size() >= max_candidates_) return;
    const size_t hash = HashOfExpression(*last, SourceOrder::kGiven);
    candidates_.push_back({&block, last, cycles_.InnermostCycle(block), hash});
  }

  void CollectReturns(absl::Span<MachineBasicBlock* const> blocks) {
    candidates_.clear();
    for (MachineBasicBlock* block : blocks) {
      const MachineInstr* const end = block->FirstTerminator();
      if (block->successors().empty() && end != nullptr && end->is_return()) Add(*block, block->back());
    }
  }

  void CollectPredecessors(const MachineBasicBlock& block) {
    candidates_.clear();
    for (MachineBasicBlock* predecessor : block.predecessors()) {
      const BlockEnding ending = EndingOf(*predecessor);
      if (predecessor->successors().size() != 1 || !ending.is_known || ending.is_conditional()) continue;
      Add(*predecessor, ending.jump != nullptr ? ending.jump->previous() : predecessor->back());
    }
  }

  void MergeCandidates() {
    // Stable, so that the result does not depend on what hashes are, except for the order of groups.
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const BlockEnd& a, const BlockEnd& b) { return a.hash < b.hash; });
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].block != nullptr) MergeWith(i);
    }
  }

  // Merges the candidate with those after it that have the longest end in common with it.
  void MergeWith(size_t first) {
    const BlockEnd& kept = candidates_[first];
    CommonEnd longest;
    for (size_t i = first + 1; i < candidates_.size() && candidates_[i].hash == kept.hash; ++i) {
      if (!IsPartner(kept, candidates_[i])) continue;
      const CommonEnd end = CommonEndOf(kept, candidates_[i]);
      if (end.num_instrs > longest.num_instrs) longest = end;
    }
    if (longest.num_instrs < 2 || !IsWorthIt(kept, longest)) return;
    MachineBasicBlock* merged = nullptr;
    for (size_t i = first + 1; i < candidates_.size() && candidates_[i].hash == kept.hash; ++i) {
      if (!IsPartner(kept, candidates_[i])) continue;
      const CommonEnd end = CommonEndOf(kept, candidates_[i]);
      if (end.num_instrs != longest.num_instrs) continue;
      if (merged == nullptr) merged = &SplitOff(kept, end);
      Redirect(candidates_[i], end, *merged);
      candidates_[i].block = nullptr;
    }
  }

  static bool IsPartner(const BlockEnd& kept, const BlockEnd& other) {
    return other.block != nullptr && other.cycle == kept.cycle && other.block != kept.block;
  }

  bool IsWorthIt(const BlockEnd& kept, const CommonEnd& end) const {
    return end.num_instrs >= min_instrs_ || PreviousCode(*end.first_of_a) == nullptr ||
           (PreviousCode(*end.first_of_b) == nullptr && kept.block != nullptr);
  }

  // Returns a block that consists of the common end.
  MachineBasicBlock& SplitOff(const BlockEnd& kept, const CommonEnd& end) {
    for (MachineInstr* instr = end.first_of_a; instr != nullptr; instr = instr->next()) {
      if (instr->is_debug()) MakeDebugValueUndefined(*instr);
    }
    // Nothing may lead to the entry.
    if (PreviousCode(*end.first_of_a) == nullptr && kept.block != function_.front()) return *kept.block;
    return *function_.SplitBlock(end.first_of_a);
  }

  void Redirect(const BlockEnd& gone, const CommonEnd& end, MachineBasicBlock& merged) {
    MachineBasicBlock& block = *gone.block;
    Report(*end.first_of_b, end.num_instrs);
    MachineInstr* kept = end.first_of_a;
    MachineInstr* next = nullptr;
    for (MachineInstr* instr = end.first_of_b; instr != nullptr; instr = next) {
      next = instr->next();
      const bool is_code = !instr->is_debug();
      if (is_code && kept != nullptr) {
        Join(*kept, *instr);
        do {
          kept = kept->next();
        } while (kept != nullptr && kept->is_debug());
      }
      instr->EraseFromParent();
      num_removed_ += is_code;
    }
    while (!block.successors().empty()) block.RemoveSuccessor(block.successors().back());
    block.AddSuccessor(&merged, BranchProbability::One());
    if (!block.IsLayoutSuccessor(&merged)) AppendJump(block, merged);
  }

  // Makes the instruction of the merged end right on the other way, too.
  static void Join(MachineInstr& kept, const MachineInstr& gone) {
    if (kept.opcode() != gone.opcode()) return;  // jumps to the next block
    KeepCommonPromises(kept, gone);
    if (kept.debug_loc() != gone.debug_loc()) kept.set_debug_loc(MachineInstr::kNoDebugLoc);
    for (unsigned i = 0; i < kept.num_operands(); ++i) {
      MachineOperand& operand = kept.operand(i);
      if (operand.is_use() && operand.is_kill() && !gone.operand(i).is_kill()) {
        operand.set_reg_flag(MachineOperand::kKill, false);
      }
    }
    JoinMemOperands(kept, gone);
  }

  static void JoinMemOperands(MachineInstr& kept, const MachineInstr& gone) {
    const auto a = kept.memoperands(), b = gone.memoperands();
    if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return;
    std::vector<const MachineMemOperand*> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    // An instruction without memory operands may access anything.
    if (a.empty() || b.empty()) all.clear();
    kept.SetMemOperands(all);
  }

  void Report(const MachineInstr& first, uint32_t num_instrs) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "TailMerged", first)
             << RemarkArg("NumInstrs", num_instrs) << " instructions merged with the equal end of another block";
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  const MachineCycles& cycles_;
  const uint32_t min_instrs_;
  const size_t max_candidates_;
  std::vector<BlockEnd> candidates_;
  uint64_t num_removed_ = 0;
};

}  // namespace

uint64_t MergeTails(MachineFunction& function, PassContext& context) { return TailMerger(function, context).Run(); }

}  // namespace ptxmir
