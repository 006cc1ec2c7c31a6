// SPDX-License-Identifier: Apache-2.0

// Measures which opcodes the interpreter can execute.
//
// An opcode is covered if the text that its template prints for sample operands is PTX that parses and has
// semantics. Opcodes that print nothing to execute (pseudo instructions, debug values, comments) are not counted.

#ifndef PTXMIR_PTX_INTERPRETER_DECODE_COVERAGE_H_
#define PTXMIR_PTX_INTERPRETER_DECODE_COVERAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "mir/code/instr_desc.h"

namespace ptxmir::ptx {

struct OpcodeCoverage {
  enum class State { kCovered, kMissing, kNothingToExecute };
  State state = State::kNothingToExecute;
  std::string reason;  // of kMissing
};
OpcodeCoverage CoverageOf(Opcode opcode);

struct IsaCoverage {
  struct Family {
    std::string_view name;
    int opcodes = 0;
    int covered = 0;
  };
  std::vector<Family> families;  // in the order of the tables
  std::vector<Opcode> missing;   // ascending
  int opcodes = 0;
  int covered = 0;
};
IsaCoverage MeasureIsaCoverage();

// Returns a table of families, the totals, and the missing opcodes.
std::string IsaCoverageText(const IsaCoverage& coverage);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_DECODE_COVERAGE_H_
