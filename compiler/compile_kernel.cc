// SPDX-License-Identifier: Apache-2.0

// Compile of ptxmir/kernel_builder.h. A module that was built is compiled like one that was read.

#include <utility>

#include "base/str_cat.h"
#include "compiler/compiler_state.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"
#include "sdag/builder/module_state.h"

namespace ptxmir::builder {
namespace {

CompileResult Failure(std::string text) {
  CompileResult result;
  CompileMessage message;
  message.text = std::move(text);
  result.messages.push_back(std::move(message));
  return result;
}

CompileResult CompileWith(KernelModule& module, const Compiler::State& compiler) {
  ModuleState& state = module.state();
  if (!state.Finish()) return Failure(state.status().message());
  if (state.is_consumed) return Failure("Compile(module): the module was compiled already");
  if (!compiler.plan.has_value()) {
    CompileResult result;
    result.messages = compiler.messages;
    return result;
  }
  state.is_consumed = true;
  sdag::DagModule dags;
  dags.module = std::move(state.module());
  for (const std::unique_ptr<KernelBuilder>& function : state.functions()) {
    dags.functions.push_back(std::move(function->state().dags()));
  }
  return compiler.Run([&](Compilation& compilation) { compilation.UseDags(std::move(dags)); });
}

}  // namespace

CompileResult Compile(KernelModule& module, const CompileOptions& options) {
  return CompileWith(module, Compiler::State(options));
}

CompileResult Compile(KernelModule& module, const Compiler& compiler) { return CompileWith(module, compiler.state()); }

}  // namespace ptxmir::builder
