// SPDX-License-Identifier: Apache-2.0

// Instruction selection for inputs that are not machine code yet: functions of LLVM IR, and functions that are
// SelectionDAGs. It is the first step of a function, before the pipeline.

#ifndef PTXMIR_COMPILER_SELECT_MODULE_H_
#define PTXMIR_COMPILER_SELECT_MODULE_H_

#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "ir/module.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"
#include "sdag/instruction_selection.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir {

// Returns true if a file should be read by ReadDags, that is, if one of its documents has a `dag:`.
bool HoldsDags(std::string_view text);

// Whether DAGs are verified before instructions are selected for them. Those that people write must be; those that
// BuildDags makes are right unless it has a bug.
enum class DagVerification : uint8_t { kNone, kBeforeSelection };

// The facts that the selection of all functions of a module depends on.
struct SelectionContext {
  const Knobs& knobs;
  unsigned opt_level;
  const ptx::Subtarget& subtarget;
  const SourceBuffer* source;  // the text that the DAGs or the IR come from, for messages; null if there is none
  DagVerification verification;
  sdag::DagObserver* observer = nullptr;  // may be null
};

// Selects instructions for the DAGs of one function, whose machine function then has code. Reports all errors, with the
// function's name and the line of the node. Returns false if there were any.
bool SelectDags(sdag::DagFunction& dags, const SelectionContext& context, DiagnosticEngine& diagnostics);

// Does so for the DAGs of all functions that have any. The module then contains machine code.
bool SelectModule(sdag::DagModule& dags, const SelectionContext& context, DiagnosticEngine& diagnostics);

// Selects instructions for a function of LLVM IR, which is not needed afterwards. `function` is the empty machine
// function (sdag::TakeFunctions). Several threads may select functions of a program at once if no observer
// watches. Returns false after reporting errors; the machine function is then of no use.
bool SelectIr(ir::Function& ir, MachineFunction& function, const SelectionContext& context,
              DiagnosticEngine& diagnostics);

// Does so for all functions of a program. Its module then contains their machine code.
bool SelectProgram(ir::Program& program, const SelectionContext& context, DiagnosticEngine& diagnostics);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_SELECT_MODULE_H_
