// SPDX-License-Identifier: Apache-2.0

// Adds machine passes of the program to the pipeline of a compilation:
//
//     ptxmir::PassResult MyPass(ptxmir::MachineFunction& function, ptxmir::PassContext& context);
//
//     ptxmir::CompileOptions options;
//     ptxmir::AddPassAfter(options, "machine-cse", {.name = "my-pass", .run = MyPass});
//
// A pass sees machine code in the same form as the library's own passes, through the headers that this one
// includes and others in the library's folders mir, ptx, analysis and passes. Those headers are less stable than
// compiler.h: names and layouts may change with every MINOR version, and they need Abseil's headers.
// docs/embedding.md says what to rely on; docs/adding-a-pass.md explains how to write a pass.

#ifndef PTXMIR_PASS_H_
#define PTXMIR_PASS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "mir/code/machine_basic_block.h"
#include "mir/code/machine_function.h"
#include "mir/code/machine_instr.h"
#include "mir/code/machine_operand.h"
#include "mir/code/machine_register_info.h"
#include "passes/pass_context.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "ptxmir/compiler.h"

namespace ptxmir {

struct MachinePass {
  std::string name = {};         // for -print-after-all and messages
  std::string description = {};  // for headings of dumps; empty: the name
  // Called for every function, on several threads at once if -j asks for them. It must return whether it changed
  // the function and which analyses are still valid. Both are checked, and the function is verified, regardless of
  // the options. Errors that it reports to context.diagnostics, and exceptions, fail the compilation.
  std::function<PassResult(MachineFunction&, PassContext&)> run = nullptr;
  // FunctionProperty bits that the function must have before the pass, and those that the pass removes.
  uint32_t required_properties = 0;
  uint32_t cleared_properties = 0;
};

// Add a pass to the pipeline. `position` is the name of a pass of the standard pipeline, as `ptxmir
// --print-passes` shows it. If that pass occurs several times, a number selects one of them ("nvptx-mem2reg,2").
// The pass at the position itself need not run. Several passes at one position run in the order in which they were
// added. An unknown position is an error of the compilation, and so are options that define a pipeline of their
// own (-passes, -run-pass).
void AddPassBefore(CompileOptions& options, std::string_view position, MachinePass pass);
void AddPassAfter(CompileOptions& options, std::string_view position, MachinePass pass);

}  // namespace ptxmir

#endif  // PTXMIR_PASS_H_
