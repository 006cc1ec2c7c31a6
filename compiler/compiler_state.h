// SPDX-License-Identifier: Apache-2.0

// What a Compiler (ptxmir/compiler.h) holds: options that have been understood. For the parts of the library that
// compile something.

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
  std::optional<CompilationPlan> plan;  // none: an option is wrong
  std::vector<CompileMessage> messages;

  explicit State(const CompileOptions& from);

  // One compilation; `use_input` gives it its input.
  CompileResult Run(absl::FunctionRef<void(Compilation&)> use_input) const;

 private:
  absl::Status ParseFlags(const std::vector<std::string>& flags);
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_COMPILER_STATE_H_
