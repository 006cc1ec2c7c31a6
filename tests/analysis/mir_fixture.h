// SPDX-License-Identifier: Apache-2.0

// What tests of analyses share: functions from MIR text, and generated ones, in SSA form and out of it.

#ifndef PTXMIR_TESTS_ANALYSIS_MIR_FIXTURE_H_
#define PTXMIR_TESTS_ANALYSIS_MIR_FIXTURE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "tools/fuzz/mir_function_generator.h"

namespace ptxmir::testing {

// A module of PTX machine code from MIR text; the test fails and null is returned when it cannot be read.
std::unique_ptr<Module> ReadModule(std::string_view mir);

// A function with this body ("bb.0:\n    Return\n"), with the document around it added.
std::unique_ptr<Module> ReadBody(std::string_view body);

inline MachineFunction& OnlyFunction(const Module& module) { return *module.machine_functions().front(); }

// Replaces PHIs by copies and makes tied operands name one register.
void LeaveSsaForm(MachineFunction& function);

// Calls `check` for every function of `modules` generated modules of a shape (fewer under sanitizers), once in SSA form
// and once out of it; it
// may change the function. Stops at the first failure. `check` is told where the function comes from.
void ForEachGeneratedFunction(fuzz::FuzzShape shape, uint64_t first_seed, int modules,
                              const std::function<void(MachineFunction&, const std::string&)>& check);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_ANALYSIS_MIR_FIXTURE_H_
