// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/loop_body.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "mir/code/operand_ranges.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/support/block_ending.h"
#include "ptx/target/inline_asm_effects.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

using ptx::Property;

// The most iterations that a value may be old. Each costs a register.
constexpr size_t kMaxDistance = 8;

class BodyFinder {
 public:
  BodyFinder(const MachineLoops& loops, CycleId loop, const Uniformity& uniformity)
      : loops_(loops), loop_(loop), uniformity_(uniformity) {}

  FoundLoopBody Find() {
    const bool found = FindBlocks() && FindBranch() && CollectInstrs() && FindValues() && FindControl();
    if (!found) found_.body.values.clear();
    return std::move(found_);
  }

 private:
  bool Refuse(std::string_view reason, const MachineInstr* culprit = nullptr) {
    found_.refusal = std::string(reason);
    found_.culprit = culprit;
    return false;
  }

  bool FindBlocks() {
    body_.block = loops_.Header(loop_);
    const size_t num_blocks = loops_.Blocks(loop_).size();
    if (num_blocks != 1) return Refuse(StrCat("Not a single basic block: ", num_blocks));
    body_.predecessor = loops_.UniquePredecessor(loop_);
    if (body_.predecessor == nullptr) return Refuse("No loop preheader found");
    const bool is_plain = body_.block->predecessors().size() == 2 && body_.block->successors().size() == 2 &&
                          !body_.block->is_machine_block_address_taken && body_.block->ir_block_address_taken.empty();
    return is_plain || Refuse("The loop structure is not supported");
  }

  bool FindBranch() {
    const BlockEnding ending = EndingOf(*body_.block);
    if (!ending.is_known || !ending.is_conditional() || !EndingOf(*body_.predecessor).is_known) {
      return Refuse("The branch can't be understood");
    }
    body_.branch = ending.branch;
    body_.continues_if_taken = ending.taken == body_.block;
    for (MachineBasicBlock* successor : body_.block->successors()) {
      if (successor != body_.block) body_.exit = successor;
    }
    const bool is_clear = body_.exit != nullptr && body_.branch->num_operands() == 2 &&
                          body_.branch->operand(0).reads_reg() && body_.condition_register().is_virtual() &&
                          (body_.continues_if_taken || ending.taken == body_.exit);
    return is_clear || Refuse("The branch can't be understood");
  }

  // Returns the reason why an instruction cannot be executed in another order than the iterations, or an empty text.
  std::string_view WhyFixed(const MachineInstr& instr) const {
    if (IsSchedulingBoundary(instr)) return "the loop has an instruction that nothing may be moved across";
    if (instr.is_inline_asm()) {
      if (ptx::HasLabel(InlineAsmText(instr))) return "the loop has a label that can't be copied";
    } else if (instr.desc().Has(InstrFlag::kPseudo)) {
      return "";
    } else if (ptx::InstrInfo(instr.opcode()).Has(Property::kCarryin | Property::kCarryout)) {
      // The flag has no name, so iterations that overlap cannot each have their own.
      return "the loop uses the carry flag";
    }
    const bool is_together =
        instr.is_inline_asm() ? IsExecutedTogether(instr) : ptx::InstrInfo(instr.opcode()).is_collective();
    if (!is_together || uniformity_.HasUniformBranch(*body_.block)) return "";
    return "threads execute an instruction together and leave the loop in different iterations";
  }

  bool CollectInstrs() {
    for (MachineInstr& instr : *body_.block) {
      if (instr.is_debug() || instr.is_terminator()) continue;
      if (instr.is_phi()) {
        body_.phis.push_back(&instr);
        continue;
      }
      const std::string_view reason = WhyFixed(instr);
      if (!reason.empty()) return Refuse(reason, &instr);
      const auto node = static_cast<uint32_t>(body_.instrs.size());
      body_.instrs.push_back(&instr);
      for (const MachineOperand& def : VirtualDefs(instr)) {
        body_.values[def.reg()] = {.node = node, .reg = def.reg(), .initial = {}};
      }
    }
    return !body_.instrs.empty() || Refuse("The loop structure is not supported");
  }

  // Returns the register that a PHI takes from a block, or no register.
  static Register IncomingFrom(const MachineInstr& phi, const MachineBasicBlock& block) {
    for (const PhiIncoming incoming : PhiIncomings(phi)) {
      if (incoming.predecessor() == block.number() && incoming.value().reads_reg()) return incoming.reg();
    }
    return Register();
  }

  // Follows a PHI through the PHIs that it takes its value from to the instruction that computes it.
  bool FindValue(const MachineInstr& phi) {
    LoopValue value;
    Register reg = phi.operand(0).reg();
    const MachineInstr* at = &phi;
    while (at != nullptr) {
      const Register initial = IncomingFrom(*at, *body_.predecessor);
      reg = IncomingFrom(*at, *body_.block);
      if (!initial.is_virtual() || !reg.is_virtual()) return Refuse("a PHI has an undefined operand", &phi);
      if (value.initial.size() == kMaxDistance) return Refuse("a PHI is too many iterations from its value", &phi);
      value.initial.push_back(initial);
      const MachineInstr* const def = body_.block->function().reg_info().UniqueDef(reg);
      at = def != nullptr && def->is_phi() && def->parent() == body_.block ? def : nullptr;
    }
    // The chain was walked from the youngest iteration to the oldest one: the value in iteration 0 is that of the PHI
    // itself.
    const auto computed = body_.values.find(reg);
    value.reg = reg;
    if (computed != body_.values.end()) value.node = computed->second.node;
    phi_values_.emplace_back(phi.operand(0).reg(), std::move(value));
    return true;
  }

  bool FindValues() {
    for (const MachineInstr* phi : body_.phis) {
      if (!FindValue(*phi)) return false;
    }
    for (auto& [reg, value] : phi_values_) body_.values[reg] = std::move(value);
    return true;
  }

  bool FindControl() {
    body_.is_control.assign(body_.instrs.size(), false);
    body_.condition = body_.ValueOf(body_.condition_register());
    std::vector<uint32_t> worklist;
    const auto visit = [&](const LoopValue& value) {
      if (value.node == LoopValue::kNoNode || body_.is_control[value.node]) return;
      body_.is_control[value.node] = true;
      worklist.push_back(value.node);
    };
    visit(body_.condition);
    while (!worklist.empty()) {
      const MachineInstr& instr = *body_.instrs[worklist.back()];
      worklist.pop_back();
      const bool is_generic = instr.is_copy() || instr.is_implicit_def();
      const bool is_pure =
          instr.is_inline_asm() ? !IsExecutedTogether(instr) : ptx::InstrInfo(instr.opcode()).is_rematerializable();
      if (!is_generic && !is_pure) {
        return Refuse("the number of iterations depends on memory or on other threads", &instr);
      }
      for (const MachineOperand& read : VirtualReads(instr)) visit(body_.ValueOf(read.reg()));
    }
    const bool is_computed = body_.condition.node != LoopValue::kNoNode && body_.condition.distance() == 0;
    return is_computed || Refuse("The branch can't be understood");
  }

  const MachineLoops& loops_;
  const CycleId loop_;
  const Uniformity& uniformity_;
  FoundLoopBody found_;
  LoopBody& body_ = found_.body;
  std::vector<std::pair<Register, LoopValue>> phi_values_;
};

}  // namespace

LoopValue LoopBody::ValueOf(Register reg) const {
  const auto found = values.find(reg);
  if (found != values.end()) return found->second;
  return {.node = LoopValue::kNoNode, .reg = reg, .initial = {}};
}

FoundLoopBody FindLoopBody(const MachineLoops& loops, CycleId loop, const Uniformity& uniformity) {
  return BodyFinder(loops, loop, uniformity).Find();
}

}  // namespace ptxmir
