// SPDX-License-Identifier: Apache-2.0

#include "tests/mutation/edits.h"

#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "ptx/isa/isa_opcodes.h"

namespace ptxmir::testing {
namespace {

std::string Text(const MachineFunction& function) {
  std::string text;
  WriteMirFunction(function, {}, text);
  return text;
}

std::vector<MachineInstr*> AllInstrs(MachineFunction& function) {
  std::vector<MachineInstr*> instrs;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) instrs.push_back(&instr);
  }
  return instrs;
}

// A clone says what the original said.
void ReplaceByClones(MachineFunction& function) {
  for (MachineInstr* instr : AllInstrs(function)) {
    MachineBasicBlock* block = instr->parent();
    MachineInstr* clone = function.CloneInstr(*instr);
    block->Insert(instr, clone);
    instr->EraseFromParent();
  }
}

// An operand more, for which most instructions have to move, and away with it.
void GrowAndShrink(MachineFunction& function) {
  for (MachineInstr* instr : AllInstrs(function)) {
    if (instr->is_phi() || instr->is_debug()) continue;
    instr = instr->AddOperand(MachineOperand::CreateReg(Register(), MachineOperand::kImplicit));
    instr->RemoveOperand(instr->num_operands() - 1);
  }
}

// Ties go with their operands when one in front of them is removed.
std::string CheckTiesMove(MachineFunction& function) {
  for (MachineInstr* instr : AllInstrs(function)) {
    MachineInstr* clone = function.CloneInstr(*instr);
    std::string flaw;
    if (clone->num_operands() > 1 && !clone->operand(0).is_tied()) {
      clone->RemoveOperand(0);
      for (unsigned i = 0; i < clone->num_operands(); ++i) {
        const bool is_tied = instr->operand(i + 1).is_tied();
        if (clone->operand(i).is_tied() != is_tied ||
            (is_tied && clone->FindTiedOperand(i) + 1 != instr->FindTiedOperand(i + 1))) {
          flaw = StrCat("operand ", i, " is tied to another one after the removal of operand 0");
        }
      }
    }
    function.DeleteInstr(clone);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

// In the middle of what is neither PHI nor terminator.
void SplitBlocks(MachineFunction& function) {
  std::vector<MachineInstr*> places;
  for (MachineBasicBlock& block : function) {
    std::vector<MachineInstr*> body;
    for (MachineInstr& instr : block) {
      if (!instr.is_phi() && !instr.is_terminator()) body.push_back(&instr);
    }
    if (body.size() > 1) places.push_back(body[body.size() / 2]);
  }
  for (MachineInstr* place : places) function.SplitBlock(place);
}

// A block on every edge of a branch. Edges of jump tables are such edges too.
void SplitEdges(MachineFunction& function) {
  std::vector<std::pair<MachineBasicBlock*, MachineBasicBlock*>> edges;
  for (MachineBasicBlock& block : function) {
    for (MachineBasicBlock* successor : block.successors()) {
      // Neither falling through nor what inline assembly jumps to can be retargeted.
      if (block.IsLayoutSuccessor(successor) || successor->is_inlineasm_br_indirect_target) continue;
      edges.emplace_back(&block, successor);
    }
  }
  for (auto [from, to] : edges) {
    MachineBasicBlock* between = function.CreateBlock();
    function.InsertBlock(nullptr, between);
    from->RetargetSuccessor(to, between);
    BuildMI(*between, nullptr, ptx::op::GOTO, MachineInstr::kNoDebugLoc)
        .Add(MachineOperand::CreateBlock(to->number()))
        .Insert();
    between->AddSuccessor(to, BranchProbability::One());
    to->ReplacePhiUsesWith(from, between);
  }
}

}  // namespace

std::string EditAndCheck(MachineFunction& function) {
  const std::string original = Text(function);
  std::string report;
  const auto verify = [&](const char* when) { return VerifyMachineFunction(function, report, when); };
  GrowAndShrink(function);
  if (!verify("After growing")) return report;
  if (Text(function) != original) return "growing and shrinking changed it";
  ReplaceByClones(function);
  if (!verify("After cloning")) return report;
  if (Text(function) != original) return "cloning changed it";
  if (std::string flaw = CheckTiesMove(function); !flaw.empty()) return flaw;
  if (!verify("After removing operands")) return report;
  SplitBlocks(function);
  if (!verify("After splitting blocks")) return report;
  SplitEdges(function);
  if (!verify("After splitting edges")) return report;
  function.RenumberBlocks();
  if (!verify("After renumbering")) return report;
  return "";
}

}  // namespace ptxmir::testing
