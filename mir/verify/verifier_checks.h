// SPDX-License-Identifier: Apache-2.0

// The parts of the verifier. Internal to it.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_CHECKS_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_CHECKS_H_

#include <vector>

#include "mir/code/machine_function.h"
#include "mir/verify/verifier_report.h"

namespace ptxmir {

// What the first walk over the code notes for those that follow.
struct VerifierFacts {
  struct Block {
    bool has_bundles = false;
    bool has_code_behind_terminator = false;
  };
  struct Value {
    const MachineBasicBlock* def_block = nullptr;  // the first definition's
    bool has_def = false;
    bool has_several_defs = false;
    bool is_dead = false;    // the definition carries the flag
    bool is_killed = false;  // some use carries the flag
    bool is_reported = false;
  };
  struct Operand {
    const MachineInstr* instr;
    unsigned index;
  };

  std::vector<Block> blocks;           // by number
  std::vector<Value> values;           // by virtual register
  std::vector<Operand> repeated_defs;  // definitions of a register that has one already
  bool has_virtual_operands = false;
};

// Links, numbers and use lists. When these are wrong (false), nothing else can be looked at.
bool CheckStructure(const MachineFunction& function, VerifierReport& report, VerifierFacts& facts);

// Edges and how blocks end. False when edges lead out of the function, so that they cannot be
// followed.
bool CheckControlFlow(const MachineFunction& function, const VerifierFacts& facts, VerifierReport& report);

// Each instruction on its own.
void CheckInstrs(const MachineFunction& function, VerifierReport& report);

// Definitions and uses of virtual registers.
void CheckValues(const MachineFunction& function, VerifierFacts& facts, VerifierReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_CHECKS_H_
