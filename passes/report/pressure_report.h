// SPDX-License-Identifier: Apache-2.0

// Reports the effect of a pipeline on each function's register pressure: figures after every pass that changed the
// function, the whole pressure curve before the first pass and after each one, and an explanation in words
// (-explain-registers) of where the registers go.

#ifndef PTXMIR_PASSES_REPORT_PRESSURE_REPORT_H_
#define PTXMIR_PASSES_REPORT_PRESSURE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/pressure/pressure_profile.h"
#include "analysis/pressure/register_budget.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct PressureStep {
  std::string pass;  // "input", then the passes that changed the function
  uint64_t instructions = 0;
  PressureProfile profile;
};

// The accesses to spill slots in a function: our spill code.
struct SpillSlotAccesses {
  uint64_t stores = 0;
  uint64_t loads = 0;
  // The bytes that these accesses move per thread if each is executed once, which is how ptxas counts its own.
  uint64_t store_bytes = 0;
  uint64_t load_bytes = 0;
  uint64_t bytes() const { return store_bytes + load_bytes; }
};
SpillSlotAccesses CountSpillSlotAccesses(const MachineFunction& function);

// An instruction of the final code.
struct InstructionPressure {
  BlockNumber block = 0;
  uint32_t registers = 0;  // live at it
  std::string text;        // as MIR
  std::string place;       // in the source; empty if not known
};

// The point of a block at which the registers that setmaxnreg leaves are the scarcest.
struct ReconfiguredPressure {
  BlockNumber block = 0;
  uint32_t live = 0;  // 32-bit registers
  uint32_t left = 0;
};

struct FunctionPressure {
  std::string function;
  bool is_kernel = false;
  std::string sm;  // if empty, no subtarget is known and there is no budget
  std::optional<RegisterBudget> budget;
  std::vector<PressureStep> steps;
  std::vector<InstructionPressure> instructions;   // after the last step, in layout order, without debug instructions
  SpillSlotAccesses spills;                        // after the last step
  std::vector<ReconfiguredPressure> reconfigured;  // after the last step; empty if setmaxnreg changes nothing
  // The predicted result of ptxas for a kernel, after the last step, and what it is predicted from. See
  // passes/ptxas_model.
  struct Ptxas {
    uint32_t registers = 0;
    std::vector<std::pair<std::string_view, int32_t>> features;
  };
  std::optional<Ptxas> ptxas;
  // The number of thread instructions that a kernel executes on generated inputs. See
  // passes/equivalence/generated_run.h.
  struct Executed {
    uint64_t input = 0;  // by the function as it was read
    uint64_t final = 0;  // by the final function
    unsigned launches = 0;
    unsigned undecided = 0;  // launches that did not end well; neither sum includes them
  };
  std::optional<Executed> executed;
};

// Starts a report with the function as it is ("input").
FunctionPressure BeginPressureReport(MachineFunction& function, AnalysisManager& analyses);
// Adds a step with the function as a pass left it.
void AddPressureStep(std::string_view pass, MachineFunction& function, AnalysisManager& analyses,
                     FunctionPressure& report);

// Adds the instructions of the final function.
void EndPressureReport(const MachineFunction& function, AnalysisManager& analyses, FunctionPressure& report);

// Returns the text of -pressure-report: JSON for all functions in order. docs/performance.md describes the fields.
std::string PressureReportJson(absl::Span<const FunctionPressure> functions);

// Returns the text of -explain-registers: where the registers of a function go after the last step.
std::string ExplainRegisters(const FunctionPressure& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_PRESSURE_REPORT_H_
