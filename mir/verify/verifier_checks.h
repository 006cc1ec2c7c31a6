// SPDX-License-Identifier: Apache-2.0

// The parts of the verifier. Internal to the verifier.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_CHECKS_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_CHECKS_H_

#include <vector>

#include "mir/code/machine_function.h"
#include "mir/verify/verifier_report.h"

namespace ptxmir {

// Facts that the first walk over the code collects for the later ones.
struct VerifierFacts {
  struct Block {
    bool has_bundles = false;
    bool has_code_after_terminator = false;
  };
  struct Value {
    const MachineBasicBlock* def_block = nullptr;  // the block of the first definition
    bool has_def = false;
    bool has_several_defs = false;
    bool is_dead = false;    // whether the definition has the dead flag
    bool is_killed = false;  // whether a use has the kill flag
    bool is_reported = false;
  };
  struct Operand {
    const MachineInstr* instr;
    unsigned index;
  };

  std::vector<Block> blocks;           // by number
  std::vector<Value> values;           // by virtual register
  std::vector<Operand> repeated_defs;  // definitions of registers that already have one
  bool has_virtual_operands = false;
};

// Checks links, numbers and use lists. If it returns false, the other checks cannot be run.
bool CheckStructure(const MachineFunction& function, VerifierReport& report, VerifierFacts& facts);

// Checks edges and the ends of blocks. Returns false if edges lead out of the function, so that they cannot be
// followed.
bool CheckControlFlow(const MachineFunction& function, const VerifierFacts& facts, VerifierReport& report);

// Checks each instruction on its own.
void CheckInstrs(const MachineFunction& function, VerifierReport& report);

// Checks the definitions and uses of virtual registers.
void CheckValues(const MachineFunction& function, VerifierFacts& facts, VerifierReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_CHECKS_H_
