// SPDX-License-Identifier: Apache-2.0

// What a pipeline does to the register pressure of each function: figures after every pass that changed it, the
// whole curve before the first and after each, and in words (-explain-registers) where the registers go.

#ifndef PTXMIR_PASSES_REPORT_PRESSURE_REPORT_H_
#define PTXMIR_PASSES_REPORT_PRESSURE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/pressure_profile.h"
#include "analysis/register_budget.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct PressureStep {
  std::string pass;  // "input", then the passes that changed the function
  uint64_t instructions = 0;
  PressureProfile profile;
};

// Spill code of ours: accesses to spill slots.
struct SpillCounts {
  uint64_t stores = 0;
  uint64_t loads = 0;
  // What these move for each thread, were each executed once. ptxas counts its own like that.
  uint64_t store_bytes = 0;
  uint64_t load_bytes = 0;
  uint64_t bytes() const { return store_bytes + load_bytes; }
};
SpillCounts CountSpills(const MachineFunction& function);

struct FunctionPressure {
  std::string function;
  bool is_kernel = false;
  std::string sm;  // empty: no subtarget is known, and then there is no budget
  std::optional<RegisterBudget> budget;
  std::vector<PressureStep> steps;
  SpillCounts spills;  // after the last step
  // What a kernel executes, in instructions of threads, on generated inputs; see execution_count.h.
  struct Executed {
    uint64_t input = 0;  // by the function as it was read
    uint64_t final = 0;  // by what became of it
    unsigned launches = 0;
    unsigned undecided = 0;  // that did not end well, and are counted in neither
  };
  std::optional<Executed> executed;
};

// Begins with the function as it is ("input").
FunctionPressure BeginPressureReport(MachineFunction& function, AnalysisManager& analyses);
// Adds what a pass made of it.
void AddPressureStep(std::string_view pass, MachineFunction& function, AnalysisManager& analyses,
                     FunctionPressure& report);

// -pressure-report: JSON, all functions in order. docs/performance.md describes the fields.
std::string PressureReportJson(absl::Span<const FunctionPressure> functions);

// -explain-registers: where the registers of a function go, after the last step.
std::string ExplainRegisters(const FunctionPressure& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_PRESSURE_REPORT_H_
