#include "mir/verifier.h"

#include <vector>

#include "mir/str_cat.h"
#include "mir/verifier_checks.h"
#include "mir/verifier_report.h"

namespace ptxmir {
namespace {

// Numbers and links of one block and its instructions.
bool CheckBlockStructure(const MachineFunction& function, const MachineBasicBlock& block,
                         VerifierReport& report) {
  if (function.block(block.number()) != &block) {
    report.Block("Basic block is not the one that has its number", block);
    return false;
  }
  const MachineInstr* previous = nullptr;
  for (const MachineInstr& instr : block) {
    if (instr.parent() != &block) {
      report.Block("Instruction has wrong parent block", block);
      return false;
    }
    if (instr.previous() != previous) {
      report.Instr("Instruction is not linked to the one before it", instr);
      return false;
    }
    if (instr.opcode() >= function.target().instrs.size()) {
      report.Block("Instruction has an opcode that the target does not have", block);
      return false;
    }
    previous = &instr;
  }
  if (block.back() != previous) {
    report.Block("Basic block ends with another instruction than the last of its list", block);
    return false;
  }
  return true;
}

// Whether all registers that operands name exist.
bool CheckRegistersExist(const MachineFunction& function, VerifierReport& report) {
  const uint32_t num_virtual = function.reg_info().num_virtual_registers();
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_reg()) continue;
        const Register reg = operand.reg();
        if (reg.is_virtual() ? reg.virtual_index() >= num_virtual
                             : reg.bits() >= function.target().phys_regs.size()) {
          report.Block("Operand names a register that does not exist", block);
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

bool CheckStructure(const MachineFunction& function, VerifierReport& report) {
  size_t num_blocks = 0;
  const MachineBasicBlock* previous = nullptr;
  for (const MachineBasicBlock& block : function) {
    if (block.previous() != previous) {
      report.Block("Basic block is not linked to the one before it", block);
      return false;
    }
    if (!CheckBlockStructure(function, block, report)) return false;
    previous = &block;
    ++num_blocks;
  }
  if (function.back() != previous || num_blocks != function.num_blocks()) {
    report.Function("Function counts other blocks than its layout has");
    return false;
  }
  if (!CheckRegistersExist(function, report)) return false;
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
  if (CheckStructure(function, findings)) {
    const bool edges_are_sound = CheckControlFlow(function, findings);
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
