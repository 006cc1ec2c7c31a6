// SPDX-License-Identifier: Apache-2.0

// Collects the verifier's findings in the form of LLVM's reports. Internal to the verifier.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_REPORT_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_REPORT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "mir/code/machine_function.h"

namespace ptxmir {

class VerifierReport {
 public:
  VerifierReport(const MachineFunction& function, std::string& out, const char* banner)
      : function_(function), out_(out), banner_(banner) {}

  // Start a finding at the given place.
  void Function(std::string_view message);
  void Block(std::string_view message, const MachineBasicBlock& block);
  void Instr(std::string_view message, const MachineInstr& instr);
  void Operand(std::string_view message, const MachineInstr& instr, unsigned index);
  // Adds a line to the finding that was started last.
  void Note(std::string_view line);

  size_t num_errors() const { return num_errors_; }

 private:
  bool is_described() const;

  const MachineFunction& function_;
  std::string& out_;
  const char* banner_;
  size_t num_errors_ = 0;
};

// Returns the spelling of a register, for notes.
std::string VerifierRegisterName(const MachineFunction& function, Register reg);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_REPORT_H_
