// SPDX-License-Identifier: Apache-2.0

// Fixtures for tests of analyses: functions from MIR text and generated functions, in SSA form and out of it.

#ifndef PTXMIR_TESTS_ANALYSIS_MIR_FIXTURE_H_
#define PTXMIR_TESTS_ANALYSIS_MIR_FIXTURE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "tools/fuzz/generator/mir_function_generator.h"

namespace ptxmir::testing {

// Reads a module of PTX machine code from MIR text. If it cannot be read, the test fails and null is returned.
std::unique_ptr<Module> ReadModule(std::string_view mir);

// Reads a function with this body ("bb.0:\n    Return\n") and adds the document around it.
std::unique_ptr<Module> ReadBody(std::string_view body);

inline MachineFunction& OnlyFunction(const Module& module) { return *module.machine_functions().front(); }

// Replaces PHIs with copies and gives tied operands the same register.
void LeaveSsaForm(MachineFunction& function);

// Calls `check` for every function of `modules` generated modules of a shape (fewer under sanitizers), once in SSA
// form and once out of it. Stops at the first failure. `check` may change the function. It is told the origin of
// the function.
void ForEachGeneratedFunction(fuzz::FuzzShape shape, uint64_t first_seed, int modules,
                              const std::function<void(MachineFunction&, const std::string&)>& check);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_ANALYSIS_MIR_FIXTURE_H_
