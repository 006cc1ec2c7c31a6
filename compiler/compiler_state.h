// SPDX-License-Identifier: Apache-2.0

// The state of a Compiler (ptxmir/compiler.h): the parsed options. For the parts of the library that run
// compilations.

#ifndef PTXMIR_COMPILER_COMPILER_STATE_H_
#define PTXMIR_COMPILER_COMPILER_STATE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "passes/pipeline/pipeline.h"
#include "ptxmir/compiler.h"

namespace ptxmir {

struct Compiler::State {
  std::string input_name;
  bool summarizes = false;
  DriverOptions options;
  std::optional<CompilationPlan> plan;  // nullopt if an option is wrong
  std::vector<CompileMessage> messages;

  explicit State(const CompileOptions& from);

  // Runs one compilation. `use_input` sets its input.
  CompileResult Run(absl::FunctionRef<void(Compilation&)> use_input) const;

 private:
  absl::Status ParseFlags(const std::vector<std::string>& flags);
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_COMPILER_STATE_H_
