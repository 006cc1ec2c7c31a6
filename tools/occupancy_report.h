// SPDX-License-Identifier: Apache-2.0

// The output of -occupancy for a file: what each kernel of it takes of its GPU, and what the arguments change.

#ifndef PTXMIR_TOOLS_OCCUPANCY_REPORT_H_
#define PTXMIR_TOOLS_OCCUPANCY_REPORT_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"
#include "passes/report/pressure_report.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {

// The shared variables of a module, and the kernels that may use them. A variable that no kernel mentions counts for
// all: the file does not say who uses it.
class SharedVariables {
 public:
  explicit SharedVariables(const Module& module);

  // Returns the bytes of the variables that a kernel may use.
  uint32_t BytesOf(std::string_view kernel) const;

 private:
  struct Variable {
    uint64_t size = 0;
    uint64_t align = 1;
    std::set<std::string_view> kernels;  // empty: all
  };
  std::vector<Variable> variables_;
};

// `kernels` are the functions of the compiled module. Registers are the most that live at once, unless `asked` names a
// number; shared memory is that of the file's variables, with what is asked for as dynamic memory beside it.
std::string OccupancyReport(const Module& module, absl::Span<const FunctionPressure> functions,
                            const ptx::KernelResources& asked);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_OCCUPANCY_REPORT_H_
