// SPDX-License-Identifier: Apache-2.0

// The output of -occupancy for a file: what each kernel of it takes of its GPU, and what the arguments change.

#ifndef PTXMIR_TOOLS_OCCUPANCY_REPORT_H_
#define PTXMIR_TOOLS_OCCUPANCY_REPORT_H_

#include <string>

#include "absl/types/span.h"
#include "ir/module.h"
#include "passes/report/pressure_report.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {

// `kernels` are the functions of the compiled module. Registers are the most that live at once, unless `asked` names a
// number; shared memory is that of the file's variables, with what is asked for as dynamic memory beside it.
std::string OccupancyReport(const Module& module, absl::Span<const FunctionPressure> functions,
                            const ptx::KernelResources& asked);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_OCCUPANCY_REPORT_H_
