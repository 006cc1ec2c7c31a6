// SPDX-License-Identifier: Apache-2.0

#include "compiler/select_module.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "mir/code/machine_function.h"
#include "passes/pipeline/function_knobs.h"
#include "sdag/emit/schedule_dag_sdnodes.h"
#include "sdag/from_ir/dag_module_builder.h"
#include "sdag/instruction_selection.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"

namespace ptxmir {
namespace {

// The key of a DAG, after the end of the line before it.
constexpr std::string_view kKeyOfDag = "\ndag:";
// Texts, most of which hold no DAG, are searched in blocks of this size.
constexpr size_t kBlock = 64;

// Returns false only if the key does not begin in the block. Compares all positions with its first two characters at
// once, which few other lines begin with. Reads one character beyond the block.
bool MayHoldKeyOfDag(const char* block) {
  using Bytes [[gnu::vector_size(16)]] = char;
  decltype(Bytes() == Bytes()) found = {};
  for (size_t i = 0; i < kBlock; i += sizeof(Bytes)) {
    Bytes first, second;
    std::memcpy(&first, block + i, sizeof(Bytes));
    std::memcpy(&second, block + i + 1, sizeof(Bytes));
    found |= (first == kKeyOfDag[0]) & (second == kKeyOfDag[1]);
  }
  uint64_t halves[2];
  std::memcpy(halves, &found, sizeof(found));
  return (halves[0] | halves[1]) != 0;
}

absl::Status SelectFunction(sdag::DagFunction& dags, const SelectionContext& context) {
  MachineFunction& function = dags.machine_function();
  DiagnosticEngine ignored;  // the pipeline reports what is wrong with attributes
  const std::unique_ptr<const Knobs> own_knobs = OwnKnobsOf(function, context.knobs, ignored);
  const Knobs& knobs = own_knobs == nullptr ? context.knobs : *own_knobs;
  const sdag::ISelOptions options = sdag::ISelOptionsFor(function, knobs, context.opt_level, context.subtarget);
  sdag::EmitOptions emit;
  emit.scheduler = sdag::DagSchedulerFor(knobs);
  return sdag::SelectInstructions(dags, options, emit, context.observer);
}

}  // namespace

bool HoldsDags(std::string_view text) {
  if (text.substr(0, kKeyOfDag.size() - 1) == kKeyOfDag.substr(1)) return true;
  for (size_t at = 0; at < text.size(); at += kBlock) {
    if (at + kBlock + kKeyOfDag.size() <= text.size() && !MayHoldKeyOfDag(text.data() + at)) continue;
    if (text.substr(at, kBlock + kKeyOfDag.size() - 1).find(kKeyOfDag) != text.npos) return true;
  }
  return false;
}

bool SelectDags(sdag::DagFunction& dags, const SelectionContext& context, DiagnosticEngine& diagnostics) {
  const auto report = [&](const char* position, std::string message) {
    if (context.source != nullptr && position != nullptr) {
      return diagnostics.Error(*context.source, position, std::move(message));
    }
    diagnostics.Error(std::move(message));
  };
  std::vector<sdag::DagFlaw> flaws;
  if (context.verification != DagVerification::kNone) sdag::VerifyDags(dags, flaws);
  for (const sdag::DagFlaw& flaw : flaws) {
    // If the source line is shown, the message need not repeat the node.
    report(flaw.position, context.source != nullptr && flaw.position != nullptr ? flaw.message : flaw.ToString());
  }
  if (!flaws.empty()) return false;
  const absl::Status status = SelectFunction(dags, context);
  if (status.ok()) {
    dags.machine_function().RenumberBlocks();
  } else {
    report(sdag::PositionOf(status), std::string(FromAbsl(status.message())));
  }
  return status.ok();
}

bool SelectModule(sdag::DagModule& dags, const SelectionContext& context, DiagnosticEngine& diagnostics) {
  bool ok = true;
  for (std::unique_ptr<sdag::DagFunction>& function : dags.functions) {
    if (function == nullptr) continue;
    ok &= SelectDags(*function, context, diagnostics);
    function.reset();
  }
  return ok;
}

bool SelectIr(ir::Function& ir, MachineFunction& function, const SelectionContext& context,
              DiagnosticEngine& diagnostics) {
  const std::unique_ptr<sdag::DagFunction> dags = sdag::BuildDags(ir, function, context.opt_level, diagnostics);
  return dags != nullptr && SelectDags(*dags, context, diagnostics);
}

bool SelectProgram(ir::Program& program, const SelectionContext& context, DiagnosticEngine& diagnostics) {
  bool ok = true;
  sdag::TakeFunctions(program, [&](std::unique_ptr<ir::Function> ir, OwnedMachineFunction function) {
    ok &= SelectIr(*ir, *function, context, diagnostics);
    program.module().machine_functions().push_back(std::move(function));
  });
  return ok;
}

}  // namespace ptxmir
