// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/unreachable_blocks.h"

#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/support/unreachable_blocks.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

class UnreachableBlocks {
 public:
  UnreachableBlocks(MachineFunction& function, PassContext& context)
      : function_(function), context_(context), reg_info_(function.reg_info()) {}

  PassResult Run() {
    num_removed_ = EraseUnreachableBlocks(function_);
    for (MachineBasicBlock& block : function_) ReplacePhisOfOneOperand(block);
    ClearKillFlags(reg_info_, std::move(extended_));
    context_.AddStatistic("blocks removed", num_removed_);
    context_.AddStatistic("PHIs with one operand replaced", num_phis_);
    if (num_removed_ + num_phis_ == 0) return {};
    if (num_removed_ != 0) {
      context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
        return MachineRemark(RemarkKind::kPassed, context_.pass_name, "BlocksRemoved", function_)
               << RemarkArg("NumRemoved", num_removed_) << " blocks erased that control never reaches";
      });
    }
    return {.changed = true,
            .preserved = num_removed_ == 0 ? PreservedAnalyses::ControlFlow() : PreservedAnalyses::None()};
  }

 private:
  void ReplacePhisOfOneOperand(MachineBasicBlock& block) {
    for (MachineInstr *phi = block.front(), *next; phi != nullptr && phi->is_phi(); phi = next) {
      next = phi->next();
      if (phi->num_operands() == 3) ReplacePhi(*phi, block);
    }
  }

  void ReplacePhi(MachineInstr& phi, MachineBasicBlock& block) {
    const Register result = phi.operand(0).reg();
    const Register value = phi.operand(1).reg();
    ++num_phis_;
    extended_.push_back(value);
    const bool may_read_value = value.is_virtual() && !phi.operand(1).is_undef() && value != result &&
                                reg_info_.reg_class(value) == reg_info_.reg_class(result) &&
                                reg_info_.UniqueDef(value) != nullptr && reg_info_.UniqueDef(result) == &phi;
    if (may_read_value) {
      phi.EraseFromParent();
      reg_info_.ReplaceRegister(result, value);
      return;
    }
    const uint16_t flags = phi.operand(1).is_undef() ? MachineOperand::kUndef : 0;
    BuildMI(block, block.FirstNonPhi(), generic::kCopy, phi.debug_loc()).AddDef(result).AddUse(value, flags).Insert();
    phi.EraseFromParent();
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  std::vector<Register> extended_;
  uint64_t num_removed_ = 0;
  uint64_t num_phis_ = 0;
};

}  // namespace

PassResult RunUnreachableBlockElimination(MachineFunction& function, PassContext& context) {
  if (function.empty()) return {};
  return UnreachableBlocks(function, context).Run();
}

}  // namespace ptxmir
