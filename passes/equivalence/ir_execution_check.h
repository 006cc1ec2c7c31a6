// SPDX-License-Identifier: Apache-2.0

// -verify-exec for passes on LLVM IR: compares what kernels compute before and after each pass.
//
// LLVM IR has no interpreter of its own here. Each version of the program is written as text, and instructions are
// selected for what the text says; the interpreter of machine code then runs it. Both versions run on the same
// generated input (passes/equivalence/reference_run.h). Selection runs without any pass where it can, so that a pass
// that runs at every level does not hide its own errors.
//
// The two versions are different modules. A pass that adds variables moves the buffers behind them, so a kernel that
// stores addresses computes something else then; nvptx-lower-ctor-dtor is the only such pass.

#ifndef PTXMIR_PASSES_EQUIVALENCE_IR_EXECUTION_CHECK_H_
#define PTXMIR_PASSES_EQUIVALENCE_IR_EXECUTION_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "ir/module.h"
#include "passes/pass_info.h"

namespace ptxmir {

class IrExecutionChecker {
 public:
  // Returns the machine code of LLVM IR, or null with errors in the diagnostics.
  using Lowering = std::function<std::unique_ptr<Module>(const std::string& text, DiagnosticEngine& diagnostics)>;

  // `inputs` is the number of launches of each kernel.
  IrExecutionChecker(Lowering lower, unsigned inputs);
  ~IrExecutionChecker();

  // Takes the program as it is before the first pass. Returns false after an error: it cannot be lowered.
  bool Begin(ir::Program& program, DiagnosticEngine& diagnostics);
  // Compares the program with its previous version. To be called after a pass that changed it. `function` is the
  // function that the pass changed; if it is empty, the pass may have changed all of them. Returns false if a
  // difference was found and reported.
  bool Check(ir::Program& program, std::string_view function, const PassInfo& pass, DiagnosticEngine& diagnostics);

  // Return the number of comparisons of runs so far, and the number of runs that decided nothing.
  uint64_t num_compared() const { return num_compared_; }
  uint64_t num_undecided() const { return num_undecided_; }

 private:
  struct Version;  // the machine code of a version of the program, with runs of its kernels

  std::unique_ptr<Version> Lower(ir::Program& program, DiagnosticEngine& diagnostics) const;
  // Returns a description of the difference, or an empty string if there is none.
  std::string Compare(Version& before, Version& after, const IrFunction& kernel, uint64_t seed, const PassInfo& pass);

  const Lowering lower_;
  const unsigned inputs_;
  std::unique_ptr<Version> version_;
  uint64_t num_compared_ = 0;
  uint64_t num_undecided_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_IR_EXECUTION_CHECK_H_
