// SPDX-License-Identifier: Apache-2.0

#include "tools/explore/ptxas_rows.h"

#include <utility>

#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "compiler/ir_input.h"
#include "mir/code/function_ir.h"
#include "passes/report/pressure_report.h"
#include "ptx/target/occupancy.h"
#include "tools/support/external_programs.h"
#include "tools/support/ptxas.h"
#include "tools/trial.h"

namespace ptxmir {
namespace {

// Adds a row for each kernel of the compilation that ptxas reports on.
void AddRows(const Compilation& compilation, const PtxasReport& report, const PtxasRow& model, PtxasTable& table) {
  const ptx::SmInfo& sm = compilation.subtarget()->sm();
  for (const OwnedMachineFunction& function : compilation.module().machine_functions()) {
    if (!IsKernelFunction(*function)) continue;
    const auto found = report.find(std::string(compilation.ptx_writer()->NameOf(*function)));
    if (found == report.end()) continue;
    const PtxasFigures& figures = found->second;
    const RegisterBudget budget = ComputeRegisterBudget(*function, Knobs(), sm);
    ptx::KernelResources kernel = ResourcesOf(budget, figures.registers, sm.limits);
    kernel.shared_bytes = figures.shared_bytes;
    kernel.barriers = figures.barriers;
    PtxasRow row = model;
    row.function = std::string(function->name());
    row.registers = figures.registers;
    row.spill_bytes = figures.spill_bytes();
    if (row.is_chosen) row.spill_bytes += CountSpillSlotAccesses(*function).bytes();
    row.occupancy = ptx::ComputeOccupancy(sm.limits, kernel).fraction();
    table.rows.push_back(std::move(row));
  }
}

void AddNote(std::string_view note, PtxasTable& table) { StrAppend(&table.note, table.note.empty() ? "" : "; ", note); }

// Returns the command that makes llc's PTX of the input; empty, with a note, if there is none.
std::vector<std::string> LlcCommand(const DriverOptions& options, const Compilation& compilation, PtxasTable& table) {
  const std::string llc = FindLlc();
  if (llc.empty()) {
    AddNote("there is no llc-22", table);
  } else if (options.input == "-" || !options.more_inputs.empty()) {
    AddNote("llc is asked only about an input that is one file", table);
  } else {
    std::vector<std::string> command = {llc,
                                        StrCat("-mcpu=", compilation.subtarget()->sm().name),
                                        StrCat("-O", options.pipeline.opt_level),
                                        options.input,
                                        "-o",
                                        "-"};
    if (!options.attributes.empty()) command.push_back(StrCat("-mattr=", options.attributes));
    return command;
  }
  return {};
}

}  // namespace

PtxasTable AskPtxas(const DriverOptions& options, const Compilation& compilation) {
  PtxasTable table;
  if (!options.explore_peers) {
    table.note = "-explore-peers=false";
    return table;
  }
  if (compilation.ptx_writer() == nullptr) {
    table.note = "the output is not PTX";
    return table;
  }
  const absl::StatusOr<Ptxas> ptxas = PtxasForTrials(options, *compilation.subtarget());
  if (!ptxas.ok()) {
    table.note = std::string(FromAbsl(ptxas.status().message()));
    return table;
  }
  const auto add = [&](std::string_view ptx, const PtxasRow& model) {
    const absl::StatusOr<PtxasReport> report = ptxas->Judge({ptx});
    if (report.ok()) {
      AddRows(compilation, *report, model, table);
    } else {
      AddNote(StrCat("ptxas refuses the PTX of ", model.label, ": ", FromAbsl(report.status().message())), table);
    }
  };
  PtxasRow model;
  model.label = "ptxmir";
  model.options = StrCat("-O", options.pipeline.opt_level);
  model.is_chosen = true;
  add(OutputOf(compilation), model);
  model.label = "llc";
  model.is_chosen = false;
  const std::vector<std::string> command = LlcCommand(options, compilation, table);
  std::string ptx;
  if (!command.empty()) {
    if (RunCommand(command, ptx)) {
      add(ptx, model);
    } else {
      AddNote("llc-22 refuses the input", table);
    }
  }
  return table;
}

}  // namespace ptxmir
