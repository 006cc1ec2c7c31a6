#include "mir/verifier.h"

#include <vector>

#include "mir/str_cat.h"
#include "mir/verifier_checks.h"
#include "mir/verifier_report.h"

namespace ptxmir {
namespace {

// Numbers and links of one block and its instructions, and whether all registers that they name exist.
class BlockStructureChecker {
 public:
  BlockStructureChecker(const MachineFunction& function, VerifierReport& report)
      : function_(function),
        report_(report),
        num_opcodes_(function.target().instrs.size()),
        num_virtual_(function.reg_info().num_virtual_registers()),
        num_physical_(static_cast<uint32_t>(function.target().phys_regs.size())) {}

  bool Check(const MachineBasicBlock& block, VerifierBlockFacts& facts) {
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
      if (!RegistersExist(instr)) return Fail("Operand names a register that does not exist", block);
      const bool is_terminator = function_.target().Get(instr.opcode()).Has(InstrFlag::kTerminator);
      facts.has_code_behind_terminator |= seen_terminator && !is_terminator;
      seen_terminator |= is_terminator;
      facts.has_bundles |= (instr.flags() & (MachineInstr::kBundledPred | MachineInstr::kBundledSucc)) != 0;
      previous = &instr;
    }
    if (block.back() != previous) {
      return Fail("Basic block ends with another instruction than the last of its list", block);
    }
    return true;
  }

 private:
  bool Fail(std::string_view message, const MachineBasicBlock& block) {
    report_.Block(message, block);
    return false;
  }

  bool RegistersExist(const MachineInstr& instr) const {
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg()) continue;
      const Register reg = operand.reg();
      if (reg.is_virtual() ? reg.virtual_index() >= num_virtual_ : reg.bits() >= num_physical_) return false;
    }
    return true;
  }

  const MachineFunction& function_;
  VerifierReport& report_;
  const size_t num_opcodes_;
  const uint32_t num_virtual_;
  const uint32_t num_physical_;
};

}  // namespace

bool CheckStructure(const MachineFunction& function, VerifierReport& report,
                    std::vector<VerifierBlockFacts>& facts) {
  facts.assign(function.block_number_bound(), {});
  BlockStructureChecker checker(function, report);
  size_t num_blocks = 0;
  const MachineBasicBlock* previous = nullptr;
  for (const MachineBasicBlock& block : function) {
    if (block.previous() != previous) {
      report.Block("Basic block is not linked to the one before it", block);
      return false;
    }
    VerifierBlockFacts block_facts;
    if (!checker.Check(block, block_facts)) return false;
    facts[block.number()] = block_facts;
    previous = &block;
    ++num_blocks;
  }
  if (function.back() != previous || num_blocks != function.num_blocks()) {
    report.Function("Function counts other blocks than its layout has");
    return false;
  }
#ifdef PTXMIR_CHECKED
  // No input can break these: only a pass that does not use the editing functions.
  if (const std::string flaw = function.reg_info().CheckUseLists(); !flaw.empty()) {
    report.Function("Use lists are inconsistent");
    report.Note(flaw);
    return false;
  }
#endif
  return true;
}

size_t CountMachineCodeErrors(const MachineFunction& function, std::string& report,
                              const char* banner) {
  VerifierReport findings(function, report, banner);
  std::vector<VerifierBlockFacts> facts;
  if (CheckStructure(function, findings, facts)) {
    const bool edges_are_sound = CheckControlFlow(function, facts, findings);
    CheckInstrs(function, findings);
    if (edges_are_sound) CheckValues(function, findings);
  }
  return findings.num_errors();
}

bool VerifyMachineFunction(const MachineFunction& function, std::string& report,
                           const char* banner) {
  return CountMachineCodeErrors(function, report, banner) == 0;
}

bool VerifyMachineFunction(const MachineFunction& function, DiagnosticEngine& diagnostics,
                           const char* banner) {
  std::string report;
  const size_t num_errors = CountMachineCodeErrors(function, report, banner);
  if (num_errors == 0) return true;
  while (!report.empty() && report.back() == '\n') report.pop_back();
  diagnostics.Error(StrCat("found ", num_errors, " machine code error", num_errors == 1 ? "" : "s",
                           " in function '", function.name(), "'\n", report));
  return false;
}

}  // namespace ptxmir
