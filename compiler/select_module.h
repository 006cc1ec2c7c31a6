// SPDX-License-Identifier: Apache-2.0

// The input of a compilation that is not machine code yet: functions as SelectionDAGs, of which instructions are
// selected before the pipeline begins.

#ifndef PTXMIR_COMPILER_SELECT_MODULE_H_
#define PTXMIR_COMPILER_SELECT_MODULE_H_

#include <string_view>

#include "base/diagnostics.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir {

// Whether a file is to be read by ReadDags: whether one of its documents has a `dag:`.
bool HoldsDags(std::string_view text);

// Verifies the DAGs of all functions that have any, and makes machine code of them; the module holds it afterwards.
// What is wrong is reported, of all functions: by the function's name and, where the DAGs were read from `source`, by
// the line of the node. False when there was something.
bool SelectModule(sdag::DagModule& dags, const Knobs& knobs, unsigned opt_level, const ptx::Subtarget& subtarget,
                  const SourceBuffer* source, DiagnosticEngine& diagnostics);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_SELECT_MODULE_H_
