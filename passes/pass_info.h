// SPDX-License-Identifier: Apache-2.0

// One row of the pass table: a pass's name, its origin and its requirements.

#ifndef PTXMIR_PASSES_PASS_INFO_H_
#define PTXMIR_PASSES_PASS_INFO_H_

#include <cstdint>
#include <string_view>

#include "ir/passes/ir_pass.h"
#include "passes/module_pass.h"
#include "passes/pass_context.h"

namespace ptxmir {

enum class PassOrigin : uint8_t {
  kLlvm,    // stock LLVM
  kNvidia,  // cicc's own, or LLVM's for NVPTX only
  kPtxmir,  // ours
};

struct PassInfo {
  std::string_view name;         // cicc's name for it
  std::string_view alias = "";   // another spelling in use, mostly the one that llc's -stop-after takes
  std::string_view description;  // LLVM's text, if LLVM has the pass
  PassOrigin origin = PassOrigin::kLlvm;
  MachineFunctionPass run = nullptr;          // null if the pass is not implemented here
  MachineModulePass run_on_module = nullptr;  // instead of `run`, if the pass works on the whole module
  // If not null, a pass over the module is left out of a pipeline where this returns false.
  bool (*is_needed)(const Module&) = nullptr;
  // Whether the pass over the module changes names of global values. It then adds none and keeps their order.
  bool renames_globals = false;
  // The reason why the pass is not implemented on machine code, unless it simply has not been written yet.
  std::string_view absence = "";
  // FunctionProperty bits: those that a function must have before the pass, those that the pass sets, and those
  // that it clears.
  uint32_t required_properties = 0;
  uint32_t set_properties = 0;
  uint32_t cleared_properties = 0;
  // Whether the pass works on loops, so that it may appear in `loop(...)`.
  bool is_loop_pass = false;
  // Whether the pass may change how floating-point results are rounded (contraction, reassociation).
  bool may_change_rounding = false;
  // The pass on LLVM IR of this name, over one function or over the whole program. A pass may exist on both levels.
  IrFunctionPass run_on_ir = nullptr;
  IrProgramPass run_on_program = nullptr;

  // Returns true if the pass exists for machine code.
  bool is_implemented() const { return run != nullptr || run_on_module != nullptr; }
  bool is_implemented_on_ir() const { return run_on_ir != nullptr || run_on_program != nullptr; }
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_INFO_H_
