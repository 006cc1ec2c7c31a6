// The parts of the verifier. Internal to it.

#ifndef PTXMIR_MIR_VERIFIER_CHECKS_H_
#define PTXMIR_MIR_VERIFIER_CHECKS_H_

#include <vector>

#include "mir/machine_function.h"
#include "mir/verifier_report.h"

namespace ptxmir {

// What the first walk over the code notes for those that follow, by block number.
struct VerifierBlockFacts {
  bool has_bundles = false;
  bool has_code_behind_terminator = false;
};

// Links, numbers and use lists. When these are wrong (false), nothing else can be looked at.
bool CheckStructure(const MachineFunction& function, VerifierReport& report,
                    std::vector<VerifierBlockFacts>& facts);

// Edges and how blocks end. False when edges lead out of the function, so that they cannot be
// followed.
bool CheckControlFlow(const MachineFunction& function, const std::vector<VerifierBlockFacts>& facts,
                      VerifierReport& report);

// Each instruction on its own.
void CheckInstrs(const MachineFunction& function, VerifierReport& report);

// Definitions and uses of virtual registers.
void CheckValues(const MachineFunction& function, VerifierReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFIER_CHECKS_H_
