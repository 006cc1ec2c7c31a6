// SPDX-License-Identifier: Apache-2.0

#include "mir/verify/verifier.h"

#include <vector>

#include "base/str_cat.h"
#include "mir/verify/verifier_checks.h"
#include "mir/verify/verifier_report.h"

namespace ptxmir {
namespace {

// Checks the numbers and links of one block and its instructions, and that all registers that they name exist.
// Also collects facts for which the other checks would otherwise need walks of their own.
class BlockStructureChecker {
 public:
  BlockStructureChecker(const MachineFunction& function, VerifierReport& report, VerifierFacts& facts)
      : function_(function),
        report_(report),
        facts_(facts),
        num_opcodes_(function.target().instrs.size()),
        num_virtual_(function.reg_info().num_virtual_registers()),
        num_physical_(static_cast<uint32_t>(function.target().phys_regs.size())) {}

  bool Check(const MachineBasicBlock& block) {
    VerifierFacts::Block facts;
    if (function_.block(block.number()) != &block) {
      return Fail("Basic block is not the one that has its number", block);
    }
    const MachineInstr* previous = nullptr;
    bool seen_terminator = false;
    for (const MachineInstr& instr : block) {
      if (instr.parent() != &block) return Fail("Instruction has wrong parent block", block);
      if (instr.previous() != previous) {
        report_.Instr("Instruction is not linked to the one before it", instr);
        return false;
      }
      if (instr.opcode() >= num_opcodes_) {
        return Fail("Instruction has an opcode that the target does not have", block);
      }
      if (!CheckRegisters(block, instr)) return Fail("Operand names a register that does not exist", block);
      const bool is_terminator = function_.target().Get(instr.opcode()).Has(InstrFlag::kTerminator);
      facts.has_code_after_terminator |= seen_terminator && !is_terminator;
      seen_terminator |= is_terminator;
      facts.has_bundles |= (instr.flags() & (MachineInstr::kBundledPred | MachineInstr::kBundledSucc)) != 0;
      previous = &instr;
    }
    if (block.back() != previous) {
      return Fail("Basic block ends with another instruction than the last of its list", block);
    }
    facts_.blocks[block.number()] = facts;
    return true;
  }

 private:
  bool Fail(std::string_view message, const MachineBasicBlock& block) {
    report_.Block(message, block);
    return false;
  }

  bool CheckRegisters(const MachineBasicBlock& block, const MachineInstr& instr) {
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      const MachineOperand& operand = instr.operand(i);
      if (!operand.is_reg()) continue;
      const Register reg = operand.reg();
      if (!reg.is_virtual()) {
        if (reg.bits() >= num_physical_) return false;
        continue;
      }
      if (reg.virtual_index() >= num_virtual_) return false;
      facts_.has_virtual_operands = true;
      if (operand.is_def()) {
        NoteDefinition(block, instr, i);
      } else if (operand.is_kill()) {
        facts_.values[reg.virtual_index()].is_killed = true;
      }
    }
    return true;
  }

  void NoteDefinition(const MachineBasicBlock& block, const MachineInstr& instr, unsigned index) {
    const MachineOperand& operand = instr.operand(index);
    VerifierFacts::Value& value = facts_.values[operand.reg().virtual_index()];
    if (value.has_def) {
      value.has_several_defs = true;
      facts_.repeated_defs.push_back({&instr, index});
      return;
    }
    value.has_def = true;
    value.def_block = &block;
    value.is_dead = operand.is_dead();
  }

  const MachineFunction& function_;
  VerifierReport& report_;
  VerifierFacts& facts_;
  const size_t num_opcodes_;
  const uint32_t num_virtual_;
  const uint32_t num_physical_;
};

}  // namespace

bool CheckStructure(const MachineFunction& function, VerifierReport& report, VerifierFacts& facts) {
  facts.blocks.resize(function.block_number_bound());
  facts.values.resize(function.reg_info().num_virtual_registers());
  BlockStructureChecker checker(function, report, facts);
  size_t num_blocks = 0;
  const MachineBasicBlock* previous = nullptr;
  for (const MachineBasicBlock& block : function) {
    if (block.previous() != previous) {
      report.Block("Basic block is not linked to the one before it", block);
      return false;
    }
    if (!checker.Check(block)) return false;
    previous = &block;
    ++num_blocks;
  }
  if (function.back() != previous || num_blocks != function.num_blocks()) {
    report.Function("Function counts other blocks than its layout has");
    return false;
  }
#ifdef PTXMIR_CHECKED
  // No input can break use lists; only a pass that bypasses the editing functions can.
  if (const std::string flaw = function.reg_info().CheckUseLists(); !flaw.empty()) {
    report.Function("Use lists are inconsistent");
    report.Note(flaw);
    return false;
  }
#endif
  return true;
}

size_t CountMachineCodeErrors(const MachineFunction& function, std::string& report, const char* banner) {
  VerifierReport findings(function, report, banner);
  VerifierFacts facts;
  if (CheckStructure(function, findings, facts)) {
    const bool edges_are_sound = CheckControlFlow(function, facts, findings);
    CheckInstrs(function, findings);
    if (edges_are_sound) CheckValues(function, facts, findings);
  }
  return findings.num_errors();
}

bool VerifyMachineFunction(const MachineFunction& function, std::string& report, const char* banner) {
  return CountMachineCodeErrors(function, report, banner) == 0;
}

bool VerifyMachineFunction(const MachineFunction& function, DiagnosticEngine& diagnostics, const char* banner) {
  std::string report;
  const size_t num_errors = CountMachineCodeErrors(function, report, banner);
  if (num_errors == 0) return true;
  while (!report.empty() && report.back() == '\n') report.pop_back();
  diagnostics.Error(StrCat("found ", num_errors, " machine code error", num_errors == 1 ? "" : "s", " in function '",
                           function.name(), "'\n", report));
  return false;
}

}  // namespace ptxmir
