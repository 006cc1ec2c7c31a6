// SPDX-License-Identifier: Apache-2.0

// Machine passes of one's own in the pipeline of a compilation:
//
//     ptxmir::PassResult MyPass(ptxmir::MachineFunction& function, ptxmir::PassContext& context);
//
//     ptxmir::CompileOptions options;
//     ptxmir::AddPassAfter(options, "machine-cse", {.name = "my-pass", .run = MyPass});
//
// A pass sees machine code as the library's own passes do, through the headers that this one includes and others of the
// library's folders mir, ptx, analysis and passes. Those are not as stable as compiler.h: names and layouts may change
// with every MINOR version, and they need the headers of Abseil. docs/embedding.md says what to rely on, and
// docs/adding-a-pass.md how passes are written.

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
#include "passes/pass.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "ptxmir/compiler.h"

namespace ptxmir {

struct MachinePass {
  std::string name = {};         // for -print-after-all and messages
  std::string description = {};  // in headings of dumps; empty: the name
  // Called for every function, on several threads at once where -j asks for them. Must say whether it changed the
  // function and which analyses still hold: both are checked, and the function is verified, whatever the options. What
  // it reports to context.diagnostics as an error fails the compilation; so does an exception.
  std::function<PassResult(MachineFunction&, PassContext&)> run = nullptr;
  // FunctionProperty bits that the function must have where the pass stands, and those that it no longer has behind it.
  uint32_t required_properties = 0;
  uint32_t cleared_properties = 0;
};

// Positions are names of passes of the standard pipeline, all those that `ptxmir --print-passes` shows, with the time
// that is meant where a pass stands there several times ("nvptx-mem2reg,2"). It does not matter whether that pass
// itself runs. Several passes at one position run in the order in which they were added. A position that there is not
// is an error of the compilation. Options that make a pipeline of their own (-passes, -run-pass) are, too.
void AddPassBefore(CompileOptions& options, std::string_view position, MachinePass pass);
void AddPassAfter(CompileOptions& options, std::string_view position, MachinePass pass);

}  // namespace ptxmir

#endif  // PTXMIR_PASS_H_
