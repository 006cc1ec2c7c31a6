// SPDX-License-Identifier: Apache-2.0

#include "passes/integers/narrow_integers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/control_flow/block_order.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/values/integer_operations.h"
#include "analysis/values/known_bits.h"
#include "mir/code/operand_ranges.h"
#include "passes/integers/equal_source.h"
#include "passes/integers/wide_narrowing.h"
#include "passes/support/block_ending.h"
#include "passes/support/unreachable_blocks.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/opcode_forms.h"

namespace ptxmir {
namespace {

class NarrowIntegers {
 public:
  NarrowIntegers(MachineFunction& function, PassContext& context)
      : function_(function),
        reg_info_(function.reg_info()),
        context_(context),
        known_bits_(context.analyses.Get<KnownBits>()),
        unused_(function),
        wide_(function, known_bits_, unused_) {}

  PassResult Run() {
    const DepthFirstOrder order(function_);
    for (MachineBasicBlock* const block : order.reverse_postorder) {
      for (MachineInstr* next = block->front(); next != nullptr;) {
        MachineInstr& instr = *next;
        next = next->next();
        if (instr.is_branch()) {
          // Nothing but branches follows, which it may erase.
          FoldBranch(instr);
          break;
        }
        Visit(instr);
      }
    }
    if (num_branches_ > 0) EraseBlocks();
    unused_.Erase();
    Report();
    const bool changed = num_constants_ + num_picked_ + num_signs_ + num_narrowed_ + num_branches_ > 0;
    return {.changed = changed,
            .preserved = num_branches_ > 0 ? PreservedAnalyses::None() : PreservedAnalyses::ControlFlow()};
  }

 private:
  void Visit(MachineInstr& instr) {
    if (instr.is_phi()) {
      if (wide_.NarrowPhi(instr)) ++num_narrowed_;
      return;
    }
    const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
    if (operation.op == IntegerOp::kNone || !IsSimpleOperation(instr)) return;
    if (MakeConstant(instr, operation)) return;
    if (const Register picked = FindPickedSource(instr, known_bits_); picked.is_valid()) {
      ReplaceBy(instr, picked);
      ++num_picked_;
      return;
    }
    if (wide_.RemoveTruncation(instr) || wide_.Narrow(instr)) {
      ++num_narrowed_;
      return;
    }
    if (operation.is_signed && MakeUnsigned(instr, operation)) ++num_signs_;
  }

  void ReplaceBy(MachineInstr& instr, Register source) {
    for (const MachineOperand& use : VirtualUses(instr)) unused_.Add(use.reg());
    reg_info_.ReplaceRegister(instr.operand(0).reg(), source);
    instr.EraseFromParent();
    reg_info_.ClearKillFlags(source);
  }

  // Makes the instruction a constant, if its result is known, and puts the constant into the uses that can hold one.
  bool MakeConstant(MachineInstr& instr, const IntegerOperation& operation) {
    if (operation.op == IntegerOp::kMove && !instr.operand(1).is_reg()) return false;
    const Register result = instr.operand(0).reg();
    const IntegerFacts facts = known_bits_.Of(result);
    if (facts.bits == 0 || !facts.is_exact()) return false;
    const auto semantics = FindSemantics({.op = IntegerOp::kMove, .bits = facts.bits});
    const auto opcode = semantics.has_value() ? ptx::FindForm(*semantics, "i") : std::nullopt;
    if (!opcode.has_value()) return false;
    const MachineOperand constant = MachineOperand::CreateImm(facts.smin);
    for (const MachineOperand& use : VirtualUses(instr)) unused_.Add(use.reg());
    BuildMI(*instr.parent(), &instr, *opcode, instr.debug_loc()).AddDef(result).Add(constant).Insert();
    instr.EraseFromParent();
    FoldIntoUses(result, constant);
    unused_.Add(result);
    ++num_constants_;
    return true;
  }

  void FoldIntoUses(Register reg, const MachineOperand& constant) {
    const auto uses = reg_info_.NonDebugUses(reg);
    for (auto it = uses.begin(); it != uses.end();) {
      MachineOperand& use = *it++;
      MachineInstr& user = *use.parent();
      // A select or a move may be one of floats, whose constants look different.
      const IntegerOp op = IntegerOperationOf(user.opcode()).op;
      const bool takes_integers = op != IntegerOp::kNone && op != IntegerOp::kSelect && op != IntegerOp::kMove;
      if (!takes_integers || !IsSimpleOperation(user)) continue;
      const auto form = ptx::FormWithImmediate(user.opcode(), use.operand_number());
      if (!form.has_value()) continue;
      use.ChangeTo(constant);
      user.set_opcode(*form);
    }
  }

  // Numbers that are not negative are the same as unsigned ones.
  bool MakeUnsigned(MachineInstr& instr, const IntegerOperation& operation) {
    IntegerOperation wanted = operation;
    wanted.is_signed = false;
    unsigned num_sources = 2;
    if (operation.op == IntegerOp::kConvert) {
      // Only what extends a register to 64 bits.
      if (!operation.from_signed || operation.bits != 64 || operation.from_bits != 32) return false;
      wanted.from_signed = false;
      num_sources = 1;
    } else if (operation.op != IntegerOp::kDiv && operation.op != IntegerOp::kRem) {
      return false;
    }
    std::string kinds;
    for (unsigned i = 1; i <= num_sources; ++i) {
      const unsigned bits = num_sources == 1 ? operation.from_bits : operation.bits;
      if (!known_bits_.OfOperand(instr, i, bits).is_non_negative()) return false;
      kinds += instr.operand(i).is_imm() ? 'i' : 'r';
    }
    const auto semantics = FindSemantics(wanted);
    const auto opcode = semantics.has_value() ? ptx::FindForm(*semantics, kinds) : std::nullopt;
    if (!opcode.has_value() || function_.target().Get(*opcode).num_operands != instr.num_operands()) return false;
    instr.set_opcode(*opcode);
    return true;
  }

  void FoldBranch(MachineInstr& branch) {
    MachineBasicBlock& block = *branch.parent();
    const BlockEnding ending = EndingOf(block);
    if (ending.branch != &branch || block.successors().size() != 2) return;
    const IntegerFacts predicate = known_bits_.OfOperand(branch, 0, 1);
    if (!predicate.is_exact()) return;
    MachineBasicBlock* const otherwise = ending.otherwise != nullptr ? ending.otherwise : block.next();
    if (otherwise == nullptr || otherwise == ending.taken) return;
    MachineBasicBlock* const live = predicate.min != 0 ? ending.taken : otherwise;
    MachineBasicBlock* const dead = predicate.min != 0 ? otherwise : ending.taken;
    if (branch.operand(0).is_reg()) unused_.Add(branch.operand(0).reg());
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "BranchDecided", branch)
             << "branch is always " << RemarkArg("Taken", predicate.min != 0 ? "taken" : "not taken");
    });
    std::vector<Register> lost_a_use;
    RemovePhiIncomings(*dead, block, &lost_a_use);
    for (const Register reg : lost_a_use) unused_.Add(reg);
    ReplaceBranchesByJump(block, ending, *live);
    block.RemoveSuccessor(dead);
    block.SetSuccessorProbability(0, BranchProbability::One());
    ++num_branches_;
  }

  void EraseBlocks() {
    std::vector<Register> lost_a_use;
    EraseUnreachableBlocks(function_, &lost_a_use);
    for (const Register reg : lost_a_use) unused_.Add(reg);
  }

  void Report() {
    context_.AddStatistic("values found to be constant", num_constants_);
    context_.AddStatistic("values found to be equal to an operand", num_picked_);
    context_.AddStatistic("signed operations made unsigned", num_signs_);
    context_.AddStatistic("64-bit operations computed in 32 bits", num_narrowed_);
    context_.AddStatistic("branches decided", num_branches_);
    if (num_constants_ + num_picked_ + num_signs_ + num_narrowed_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Narrowed", function_)
             << RemarkArg("Constants", num_constants_) << " values found to be constant, "
             << RemarkArg("Picked", num_picked_) << " to be equal to an operand, " << RemarkArg("Signs", num_signs_)
             << " signed operations made unsigned, " << RemarkArg("Narrowed", num_narrowed_)
             << " 64-bit operations computed in 32 bits";
    });
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  const KnownBits& known_bits_;
  UnusedInstrs unused_;
  WideNarrowing wide_;
  uint64_t num_constants_ = 0;
  uint64_t num_picked_ = 0;
  uint64_t num_signs_ = 0;
  uint64_t num_narrowed_ = 0;
  uint64_t num_branches_ = 0;
};

}  // namespace

PassResult RunNarrowIntegers(MachineFunction& function, PassContext& context) {
  return NarrowIntegers(function, context).Run();
}

}  // namespace ptxmir
