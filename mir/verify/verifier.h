// SPDX-License-Identifier: Apache-2.0

// The machine verifier: checks that a machine function is well-formed, in the sense of LLVM's
// MachineVerifier and in its words.
//
//   structure     block and instruction links, numbers, use lists
//   control flow  edges on both sides, terminators against successors, probabilities
//   instructions  operand counts and kinds, register classes, ties, memory operands, inline
//   assembly,
//                 frame, jump table and constant indices
//   values        SSA form, PHIs against predecessors, definitions that reach all uses, kill and
//   dead
//                 flags
//
// Code that no path from the entry reaches is checked, but for whether definitions reach its uses.
// Time is linear in the size of the function, but for registers with several definitions or with
// kill flags, whose live ranges are walked block by block.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_H_

#include <cstddef>
#include <string>

#include "base/diagnostics.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the number of errors. Their descriptions go to `report`, below a line with `banner`
// (null: none), which usually says after which pass. At most kMaxVerifierReports are described, the
// rest counted.
inline constexpr size_t kMaxVerifierReports = 100;
size_t CountMachineCodeErrors(const MachineFunction& function, std::string& report, const char* banner = nullptr);

// Whether the function is well-formed. When not, `report` says why.
bool VerifyMachineFunction(const MachineFunction& function, std::string& report, const char* banner = nullptr);

// The same; an error "found N machine code errors in function 'f'", with the report below it, goes
// to `diagnostics`.
bool VerifyMachineFunction(const MachineFunction& function, DiagnosticEngine& diagnostics,
                           const char* banner = nullptr);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_H_
