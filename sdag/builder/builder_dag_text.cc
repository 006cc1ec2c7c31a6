// SPDX-License-Identifier: Apache-2.0

// KernelModule::DagText. It has a file of its own because nothing else in the builder needs the writer of DAGs.

#include <utility>

#include "base/str_cat.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"
#include "sdag/builder/module_state.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"

namespace ptxmir::builder {

Result<std::string> KernelModule::DagText() {
  if (!state_->Finish()) return state_->status();
  if (state_->is_consumed) return Status::Error("DagText(): the module was compiled already");
  sdag::DagModule module;
  module.module = std::move(state_->module());
  for (const std::unique_ptr<KernelBuilder>& function : state_->functions()) {
    module.functions.push_back(std::move(function->state().dags()));
  }
  std::string text;
  sdag::WriteDags(module, {}, text);
  absl::Status verified;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (verified.ok()) verified = sdag::VerifyDags(*module.functions[i]);
    state_->functions()[i]->state().dags() = std::move(module.functions[i]);
  }
  state_->module() = std::move(module.module);
  if (!verified.ok()) return Status::Error(StrCat("DagText(): ", FromAbsl(verified.message())));
  return text;
}

}  // namespace ptxmir::builder
