// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/phi_elimination.h"

#include <algorithm>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/operand_ranges.h"
#include "passes/out_of_ssa/copies.h"
#include "passes/out_of_ssa/phi_webs.h"
#include "passes/support/copy_sequencer.h"

namespace ptxmir {
namespace {

class PhiEliminator {
 public:
  PhiEliminator(MachineFunction& function, PassContext& context, bool stages_all)
      : function_(function), reg_info_(function.reg_info()), context_(context), stages_all_(stages_all) {}

  bool Run() {
    copies_at_.resize(function_.block_number_bound());
    lowered_for_.resize(function_.block_number_bound());
    // Decide for all PHIs before changing any: the decision considers uses by the PHIs of this block and of all
    // others.
    for (const MachineBasicBlock& block : function_) DecideFormsIn(block);
    const bool changed = !phis_.empty();
    LowerPhis();
    for (const Register reg : without_kills_) reg_info_.ClearKillFlags(reg);
    InsertEdgeCopies();
    RemoveUnusedImplicitDefs();
    context_.AddStatistic("PHIs lowered", num_phis_);
    context_.AddStatistic("PHIs lowered without a staging register", num_direct_);
    context_.AddStatistic("copies inserted", num_copies_);
    context_.AddStatistic("cycles of copies broken", num_cycles_);
    if (num_copies_ > 0) Report();
    return changed;
  }

 private:
  struct EdgeCopy {
    RegisterCopy copy;  // an invalid source means that the value is undefined
    MetadataId loc;
    uint32_t next = 0;  // 1 + the next copy of the same predecessor, or 0
  };
  // The copies at the end of a predecessor: 1 + the first and the last; 0 if there are none.
  struct CopyList {
    uint32_t first = 0;
    uint32_t last = 0;
  };

  void Report() {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kAnalysis, context_.pass_name, "CopiesInserted", function_)
             << RemarkArg("NumPhis", num_phis_) << " PHIs became " << RemarkArg("NumCopies", num_copies_) << " copies; "
             << RemarkArg("NumStaged", num_phis_ - num_direct_) << " PHIs needed a staging register, "
             << RemarkArg("NumCycles", num_cycles_) << " cycles of copies a temporary one";
    });
  }

  static bool AllPredecessorsLeadOnlyHere(const MachineBasicBlock& block) {
    return std::all_of(block.predecessors().begin(), block.predecessors().end(),
                       [](const MachineBasicBlock* p) { return p->successors().size() == 1; });
  }

  // Returns true if `target` cannot be read along any edge out of a predecessor other than the edge into `block`.
  bool CanAssignInPredecessors(Register target, const MachineBasicBlock& block,
                               bool predecessors_lead_only_here) const {
    for (const MachineOperand& use : reg_info_.Uses(target)) {
      const MachineInstr* user = use.parent();
      if (use.is_debug()) continue;
      // The terminators of a predecessor read after its copies.
      if (user->is_terminator() && user->parent()->IsSuccessor(&block)) return false;
      if (predecessors_lead_only_here) continue;
      if (user->parent() != &block) return false;
      // A PHI reads at the end of a predecessor. On the edge from this block to itself that is the same
      // parallel copy; on any other, the value is live on the way there, which may begin with another
      // edge out of a predecessor.
      if (user->is_phi() && PhiIncoming(use).predecessor() != block.number()) return false;
    }
    return true;
  }

  void DecideFormsIn(const MachineBasicBlock& block) {
    MachineInstr* phi = block.front();
    if (phi == nullptr || !phi->is_phi()) return;
    const bool lead_only_here = AllPredecessorsLeadOnlyHere(block);
    for (; phi != nullptr && phi->is_phi(); phi = phi->next()) {
      phis_.push_back({phi, !stages_all_ && CanAssignInPredecessors(phi->operand(0).reg(), block, lead_only_here)});
    }
  }

  void LowerPhis() {
    MachineBasicBlock* block = nullptr;
    MachineInstr* body = nullptr;
    for (const auto& [phi, direct] : phis_) {
      if (phi->parent() != block) {
        block = phi->parent();
        body = block->FirstNonPhi();
      }
      const Register result = phi->operand(0).reg();
      ++num_phis_;
      num_direct_ += direct;
      Register assigned = result;
      if (!direct) {
        assigned = reg_info_.CreateVirtualRegister(reg_info_.reg_class(result));
        BuildMI(*block, body, generic::kCopy, phi->debug_loc()).AddDef(result).AddUse(assigned).Insert();
        ++num_copies_;
      }
      ++num_lowered_;
      for (const PhiIncoming incoming : PhiIncomings(*phi)) {
        const MachineOperand& source = incoming.value();
        // A predecessor with several edges to this block (a switch) is named once for each, with the same
        // value; one copy serves them all.
        const BlockNumber predecessor = incoming.predecessor();
        if (lowered_for_[predecessor] == num_lowered_) continue;
        lowered_for_[predecessor] = num_lowered_;
        const bool undefined = IsUndefinedSource(source, reg_info_);
        if (undefined && source.reg().is_virtual()) maybe_unused_.push_back(source.reg());
        AddCopy(predecessor, {{assigned, undefined ? Register() : source.reg()}, phi->debug_loc()});
        NeedsNoKills(source.reg());
      }
    }
    for (const auto& [phi, direct] : phis_) phi->EraseFromParent();
  }

  void AddCopy(BlockNumber predecessor, const EdgeCopy& copy) {
    edge_copies_.push_back(copy);
    const uint32_t number = static_cast<uint32_t>(edge_copies_.size());
    CopyList& list = copies_at_[predecessor];
    (list.first == 0 ? list.first : edge_copies_[list.last - 1].next) = number;
    list.last = number;
  }

  // Notes that a copy may read the register after its last use so far. (The last uses of a PHI's result do not
  // change.) Kill flags are cleared once per register at the end, because a register may be the source of any
  // number of PHIs.
  void NeedsNoKills(Register reg) {
    if (!reg.is_virtual()) return;
    if (reg.virtual_index() >= is_without_kills_.size()) {
      is_without_kills_.resize(reg_info_.num_virtual_registers());
    }
    if (is_without_kills_[reg.virtual_index()]) return;
    is_without_kills_[reg.virtual_index()] = true;
    without_kills_.push_back(reg);
  }

  void InsertEdgeCopies() {
    CopySequencer sequencer(reg_info_);
    std::vector<RegisterCopy> parallel;
    for (MachineBasicBlock& block : function_) {
      const uint32_t first = copies_at_[block.number()].first;
      if (first == 0) continue;
      MachineInstr* const before = block.FirstTerminator();
      parallel.clear();
      bool has_undefined = false;
      for (uint32_t i = first; i != 0; i = edge_copies_[i - 1].next) {
        const RegisterCopy& copy = edge_copies_[i - 1].copy;
        if (copy.source.is_valid()) {
          parallel.push_back(copy);
        } else {
          has_undefined = true;
        }
      }
      const uint32_t registers_before = reg_info_.num_virtual_registers();
      const std::vector<RegisterCopy>& sequence = sequencer.Sequentialize(parallel);
      num_cycles_ += reg_info_.num_virtual_registers() - registers_before;
      const MetadataId loc = edge_copies_[first - 1].loc;
      for (const RegisterCopy& copy : sequence) {
        BuildMI(block, before, generic::kCopy, loc).AddDef(copy.target).AddUse(copy.source).Insert();
        ++num_copies_;
      }
      // After the copies, because an undefined target may be the source of one of them.
      for (uint32_t i = has_undefined ? first : 0; i != 0; i = edge_copies_[i - 1].next) {
        const EdgeCopy& edge_copy = edge_copies_[i - 1];
        if (edge_copy.copy.source.is_valid()) continue;
        BuildMI(block, before, generic::kImplicitDef, edge_copy.loc).AddDef(edge_copy.copy.target).Insert();
      }
    }
  }

  // Erases IMPLICIT_DEFs that were only read by PHIs.
  void RemoveUnusedImplicitDefs() {
    for (const Register reg : maybe_unused_) {
      MachineInstr* def = reg_info_.UniqueDef(reg);
      if (def == nullptr || !def->is_implicit_def() || !reg_info_.HasNoUses(reg)) continue;
      def->EraseFromParent();
    }
  }

  struct PhiAndForm {
    MachineInstr* phi;
    bool direct;
  };

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  const bool stages_all_;
  std::vector<EdgeCopy> edge_copies_;
  std::vector<CopyList> copies_at_;  // by number of the predecessor
  // By number of a predecessor: the last PHI, counted from 1, that has a copy there.
  std::vector<uint32_t> lowered_for_;
  uint32_t num_lowered_ = 0;
  std::vector<PhiAndForm> phis_;
  std::vector<Register> maybe_unused_;
  std::vector<bool> is_without_kills_;  // by virtual register
  std::vector<Register> without_kills_;
  uint64_t num_phis_ = 0;
  uint64_t num_direct_ = 0;
  uint64_t num_copies_ = 0;
  uint64_t num_cycles_ = 0;
};

}  // namespace

PassResult RunPhiElimination(MachineFunction& function, PassContext& context) {
  // Without optimization there are no live intervals.
  const int method = context.opt_level == 0 ? 1 : context.knobs.usedessa();
  bool changed = false;
  if (function.MayContain(generic::kPhi)) {
    changed = method == 2 ? LowerPhiWebs(function, context) : PhiEliminator(function, context, method == 0).Run();
  }
  const bool was_ssa = function.HasProperty(FunctionProperty::kIsSsa);
  function.SetProperty(FunctionProperty::kNoPhis);
  function.SetProperty(FunctionProperty::kIsSsa, false);
  return {.changed = changed || was_ssa, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
