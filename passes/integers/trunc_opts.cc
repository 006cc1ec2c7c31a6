// SPDX-License-Identifier: Apache-2.0

#include "passes/integers/trunc_opts.h"

#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/values/integer_facts.h"
#include "analysis/values/integer_operations.h"
#include "analysis/values/known_bits.h"
#include "mir/code/operand_ranges.h"
#include "passes/integers/demanded_bits.h"
#include "passes/integers/equal_source.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// The flags that say something about the values of operands and results.
constexpr uint32_t kValueFlags = MachineInstr::kNoUWrap | MachineInstr::kNoSWrap | MachineInstr::kIsExact |
                                 MachineInstr::kNonNeg | MachineInstr::kDisjoint | MachineInstr::kSameSign |
                                 MachineInstr::kNoUSWrap;

// Returns true if the instruction may be a mask or an extension, for a quick look.
bool MayBeMask(const MachineInstr& instr) {
  switch (IntegerOperationOf(instr.opcode()).op) {
    case IntegerOp::kAnd:
    case IntegerOp::kOr:
    case IntegerOp::kXor:
    case IntegerOp::kShr:
    case IntegerOp::kExtractField:
    case IntegerOp::kConvert:
      return IsSimpleOperation(instr);
    default:
      return false;
  }
}

class TruncOpts {
 public:
  TruncOpts(MachineFunction& function, PassContext& context)
      : function_(function), reg_info_(function.reg_info()), context_(context), unused_(function) {}

  PassResult Run() {
    CollectMasks();
    if (!masks_.empty()) {
      const uint64_t num_equal = RemoveEqual();
      const uint64_t num_undemanded = RemoveUndemanded();
      const uint64_t num_unused = unused_.Erase();
      num_removed_ = num_equal + num_undemanded;
      context_.AddStatistic("redundant masks and extensions removed", num_equal);
      context_.AddStatistic("masks and extensions of unused bits removed", num_undemanded);
      context_.AddStatistic("instructions that only they used", num_unused);
      Report(num_equal, num_undemanded);
    }
    return {.changed = num_removed_ > 0, .preserved = PreservedAnalyses::ControlFlow()};
  }

 private:
  void CollectMasks() {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        if (MayBeMask(instr)) masks_.push_back(&instr);
      }
    }
  }

  uint64_t RemoveEqual() {
    const KnownBits& known_bits = context_.analyses.Get<KnownBits>();
    uint64_t num_removed = 0;
    for (MachineInstr*& mask : masks_) {
      const Register source = FindEqualToMasked(*mask, known_bits);
      if (!source.is_valid()) continue;
      Replace(*mask, source);
      mask = nullptr;
      ++num_removed;
    }
    return num_removed;
  }

  uint64_t RemoveUndemanded() {
    const DemandedBits demanded(function_);
    has_changed_bits_.assign(reg_info_.num_virtual_registers(), false);
    uint64_t num_removed = 0;
    for (MachineInstr* const mask : masks_) {
      if (mask == nullptr) continue;
      const Register result = mask->operand(0).reg();
      const uint64_t bits = demanded.Of(result);
      // A register of which nothing is demanded is dead, and for others to remove.
      if (bits == 0) continue;
      const Register source = FindEqualInDemandedBits(*mask, bits);
      if (!source.is_valid()) continue;
      ForgetUndemandedBits(result, demanded);
      Replace(*mask, source);
      ++num_removed;
    }
    return num_removed;
  }

  // Drops the claims about a register whose bits change where they are not demanded, and about what is computed from
  // these bits.
  void ForgetUndemandedBits(Register reg, const DemandedBits& demanded) {
    std::vector<Register> work = {reg};
    while (!work.empty()) {
      const Register changed = work.back();
      work.pop_back();
      if (has_changed_bits_[changed.virtual_index()]) continue;
      has_changed_bits_[changed.virtual_index()] = true;
      DropDebugUses(reg_info_, changed);
      for (MachineOperand& use : reg_info_.NonDebugUses(changed)) {
        MachineInstr& user = *use.parent();
        user.set_flags(user.flags() & ~kValueFlags);
        for (const MachineOperand& def : VirtualDefs(user)) {
          const unsigned bits = function_.target().reg_classes[reg_info_.reg_class(def.reg())].bits;
          if ((IntegerFacts::LowMask(bits) & ~demanded.Of(def.reg())) != 0) work.push_back(def.reg());
        }
      }
    }
  }

  void Replace(MachineInstr& instr, Register source) {
    const Register result = instr.operand(0).reg();
    for (const MachineOperand& use : VirtualUses(instr)) unused_.Add(use.reg());
    reg_info_.ReplaceRegister(result, source);
    instr.EraseFromParent();
    reg_info_.ClearKillFlags(source);
  }

  void Report(uint64_t num_equal, uint64_t num_undemanded) {
    if (num_removed_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "MasksRemoved", function_)
             << RemarkArg("Equal", num_equal) << " masks and extensions removed that change nothing, "
             << RemarkArg("Undemanded", num_undemanded) << " that change only bits that nothing reads";
    });
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  UnusedInstrs unused_;
  std::vector<MachineInstr*> masks_;    // null: removed
  std::vector<bool> has_changed_bits_;  // by virtual register
  uint64_t num_removed_ = 0;
};

}  // namespace

PassResult RunTruncOpts(MachineFunction& function, PassContext& context) { return TruncOpts(function, context).Run(); }

}  // namespace ptxmir
