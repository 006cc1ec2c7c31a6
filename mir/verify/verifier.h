// SPDX-License-Identifier: Apache-2.0

// The machine verifier. It checks that a machine function is well-formed in the sense of LLVM's MachineVerifier,
// and uses LLVM's messages.
//
//   structure     block and instruction links, numbers, use lists
//   control flow  edges on both sides, terminators against successors, probabilities
//   instructions  operand counts and kinds, register classes, ties, memory operands, inline assembly,
//                 frame, jump table and constant indices
//   values        SSA form, PHIs against predecessors, definitions that reach all uses, kill and dead
//                 flags
//
// Code that is unreachable from the entry is checked too, except that definitions need not reach its uses. Time is
// linear in the size of the function, except for registers with several definitions or with kill flags. Their live
// ranges are walked block by block.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_H_

#include <cstddef>
#include <string>

#include "base/diagnostics.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the number of errors. Their descriptions are appended to `report`, after a line with `banner` (null:
// none), which usually names the pass that ran before. At most kMaxVerifierReports errors are described; the rest
// are only counted.
inline constexpr size_t kMaxVerifierReports = 100;
size_t CountMachineCodeErrors(const MachineFunction& function, std::string& report, const char* banner = nullptr);

// Returns true if the function is well-formed. Otherwise `report` describes the errors.
bool VerifyMachineFunction(const MachineFunction& function, std::string& report, const char* banner = nullptr);

// The same, but errors go to `diagnostics`, as one error "found N machine code errors in function 'f'" followed by
// the report.
bool VerifyMachineFunction(const MachineFunction& function, DiagnosticEngine& diagnostics,
                           const char* banner = nullptr);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_H_
