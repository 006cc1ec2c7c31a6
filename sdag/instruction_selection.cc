// SPDX-License-Identifier: Apache-2.0

#include "sdag/instruction_selection.h"

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "sdag/combine/dag_combiner.h"
#include "sdag/combine/live_out_bits.h"
#include "sdag/expand/expand_blocks.h"
#include "sdag/legalize/dag_legalizer.h"
#include "sdag/select/dag_selector.h"

namespace ptxmir::sdag {
namespace {

absl::Status SelectBlock(SelectionDAG& dag, const ISelOptions& options, LiveOutBits& live_out_bits,
                         DagObserver* observer) {
  if (!dag.misuse().ok()) return dag.misuse();
  const auto run = [&](DagStep step, absl::FunctionRef<absl::Status()> work) {
    if (observer != nullptr) observer->BeforeStep(step, dag);
    absl::Status status = work();
    if (observer != nullptr) observer->AfterStep(step, dag, status.ok());
    return status;
  };
  const auto combine = [&](CombineLevel level) {
    CombineDag(dag, level, options);
    return absl::OkStatus();
  };
  const bool combines = options.opt_level > 0;
  absl::Status status;
  if (combines) {
    live_out_bits.AssertInputs(dag);
    status = run(DagStep::kCombine1, [&] { return combine(CombineLevel::kBeforeLegalize); });
    live_out_bits.Record(dag);
  }
  if (status.ok()) status = run(DagStep::kLegalize, [&] { return LegalizeDag(dag, options); });
  if (status.ok() && combines) {
    status = run(DagStep::kCombine2, [&] { return combine(CombineLevel::kAfterLegalize); });
  }
  if (!status.ok()) return status;
  return run(DagStep::kSelect, [&] { return SelectDag(dag, options); });
}

// Sets the properties that a function has after LLVM's finalize-isel.
void SetProperties(MachineFunction& function) {
  bool has_phis = false;
  for (const MachineBasicBlock& block : function) has_phis |= block.front() != nullptr && block.front()->is_phi();
  function.SetProperty(FunctionProperty::kIsSsa, true);
  function.SetProperty(FunctionProperty::kTracksRegLiveness, true);
  if (has_phis) function.SetProperty(FunctionProperty::kNoPhis, false);
}

}  // namespace

absl::Status SelectInstructions(DagFunction& dags, const ISelOptions& options, EmitOptions emit,
                                DagObserver* observer) {
  emit.subtarget = options.subtarget;
  if (const absl::Status status = ExpandBlocks(dags, options); !status.ok()) return status;
  std::vector<BlockNumber> blocks;
  for (const MachineBasicBlock& block : dags.machine_function()) blocks.push_back(block.number());
  LiveOutBits live_out_bits(dags);
  for (const BlockNumber block : blocks) {
    SelectionDAG* dag = dags.FindDag(block);
    if (dag == nullptr) continue;
    if (const absl::Status status = SelectBlock(*dag, options, live_out_bits, observer); !status.ok()) return status;
  }
  InstrOrders orders;
  if (observer != nullptr) emit.ir_orders = &orders;
  if (const absl::Status status = EmitFunction(dags, emit); !status.ok()) return status;
  if (observer != nullptr) observer->AfterEmission(dags.machine_function(), std::move(orders));
  for (const BlockNumber block : blocks) dags.EraseDag(block);
  SetProperties(dags.machine_function());
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
