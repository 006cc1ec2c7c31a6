// SPDX-License-Identifier: Apache-2.0

// Compares the machine code that is made here of LLVM IR with llc's, by what kernels compute on generated inputs.

#ifndef PTXMIR_TESTS_SDAG_FROM_IR_EXECUTION_COMPARISON_H_
#define PTXMIR_TESTS_SDAG_FROM_IR_EXECUTION_COMPARISON_H_

#include <memory>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "ptx/interpreter/kernel_inputs.h"

namespace ptxmir::testing {

// Returns the machine code of IR text, which is verified, or null after errors, which `errors` then holds. `cpu` and
// `features` may be empty.
std::unique_ptr<Module> SelectIr(const std::string& name, const std::string& ir, const std::string& cpu,
                                 const std::string& features, unsigned opt_level, std::string* errors);

struct Comparison {
  bool is_decided = false;  // the kernel ended well in the first version
  std::string difference;   // empty if both computed the same
};
// Runs a kernel of both modules on the same input. Undefined results of the first match anything.
Comparison CompareKernel(const Module& expected, const Module& actual, const IrFunction& kernel, uint64_t seed,
                         ptx::FloatTolerance tolerance = ptx::FloatTolerance::kRounding);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SDAG_FROM_IR_EXECUTION_COMPARISON_H_
