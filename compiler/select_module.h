// SPDX-License-Identifier: Apache-2.0

// Instruction selection for inputs that are not machine code yet, whose functions are SelectionDAGs. It runs
// before the pipeline begins.

#ifndef PTXMIR_COMPILER_SELECT_MODULE_H_
#define PTXMIR_COMPILER_SELECT_MODULE_H_

#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"
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

// Selects instructions for the DAGs of one function, whose machine function then has code. The observer may be null.
// Reports all errors, with the function's name and, if the DAGs were read from `source`, the line of the node. Returns
// false if there were any.
bool SelectDags(sdag::DagFunction& dags, const Knobs& knobs, unsigned opt_level, const ptx::Subtarget& subtarget,
                const SourceBuffer* source, DagVerification verification, DiagnosticEngine& diagnostics,
                sdag::DagObserver* observer = nullptr);

// Selects instructions for the DAGs of all functions that have any. The module then contains machine code. The observer
// may be null. All errors of all functions are reported, with the function's name and, if the DAGs were read from
// `source`, the line of the node. Returns false if there were any.
bool SelectModule(sdag::DagModule& dags, const Knobs& knobs, unsigned opt_level, const ptx::Subtarget& subtarget,
                  const SourceBuffer* source, DagVerification verification, DiagnosticEngine& diagnostics,
                  sdag::DagObserver* observer = nullptr);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_SELECT_MODULE_H_
