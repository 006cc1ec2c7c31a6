// SPDX-License-Identifier: Apache-2.0

// The input of a compilation: MIR, SelectionDAGs or LLVM IR in a file, or a module that a program has built. It becomes
// machine functions, one after the other, so that each can be compiled, printed and released before the next one
// exists.
//
// MIR is read function by function. LLVM IR is read as a whole, because passes run on it; instructions are then
// selected for each function by the thread that compiles it. SelectionDAGs are read and selected as a whole: they are
// for tests, and for kernels that programs build.

#ifndef PTXMIR_COMPILER_COMPILATION_INPUT_H_
#define PTXMIR_COMPILER_COMPILATION_INPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/diagnostics.h"
#include "base/time_trace.h"
#include "compiler/dag_printer.h"
#include "compiler/driver_options.h"
#include "compiler/select_module.h"
#include "ir/code/program.h"
#include "ir/module.h"
#include "passes/report/function_history.h"
#include "passes/run/pipeline_runner.h"
#include "passes/run/run_report.h"
#include "ptx/target/subtarget.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir {

class CompilationInput {
 public:
  // Errors go to `diagnostics`; `report` gets what passes on LLVM IR and dumps of SelectionDAGs report. The trace and
  // the history may be null. All must outlive the input.
  CompilationInput(const DriverOptions& options, DiagnosticEngine& diagnostics, RunReport& report, TimeTrace* trace,
                   HistoryBook* history);

  // Say what the input is. Otherwise it is the file that the options name.
  void UseText(std::shared_ptr<const SourceBuffer> text) { text_ = std::move(text); }
  void UseModule(std::unique_ptr<Module> module) {
    module_ = std::move(module);
    has_functions_ = true;
  }
  // Like UseModule, for a module in which all or some functions are SelectionDAGs.
  void UseDags(sdag::DagModule dags) {
    dags_ = std::move(dags);
    has_functions_ = true;
  }

  // Reads the file. Reports what the options ask for and this kind of input cannot do. Returns false after errors.
  bool Open();
  // Reads an input that is LLVM IR, runs the passes before the place to stop at, and writes it to `text`. Returns false
  // after errors.
  bool Translate(std::string* text);
  // Does what must be done for all functions together. Returns false after errors.
  bool Prepare();
  // Hands over all functions in order. Returns false after errors.
  bool TakeFunctions(absl::FunctionRef<void(RunUnit)> take);
  // Selects instructions for a function of LLVM IR, `unit.ir`. Errors go to the unit's report; returns false if there
  // were any. Several threads may do so at once, unless NeedsOneThread.
  bool Select(RunUnit& unit);
  // Returns true if the options ask for something that sees one function after the other.
  bool NeedsOneThread() const { return program_ != nullptr && dag_printer_.is_needed(); }

  // The module of the functions. It is complete once the first function has been handed over, but for the functions.
  Module& module() { return *module_; }
  const Module& module() const { return *module_; }
  // The text of the machine code that the passes begin with; null if there is none.
  const std::shared_ptr<const SourceBuffer>& text() const { return text_; }
  // Returns true if instructions are selected for each function by Select.
  bool is_selected_by_function() const { return program_ != nullptr; }
  // The times of passes on LLVM IR.
  const std::vector<PassTiming>& ir_timings() const { return ir_timings_; }
  const DagPrinter& dag_printer() const { return dag_printer_; }

 private:
  bool IsIr() const;
  bool PrepareIr();
  // Makes a module for which instructions have been selected the input.
  void TakeSelected(std::unique_ptr<Module> module);
  bool ReadMachineCode(absl::FunctionRef<void(RunUnit)> take);
  // Chooses the target that instructions are selected for. Reports an unknown one.
  bool ChooseSubtarget(const Module& module);
  SelectionContext MakeContext(const SourceBuffer* source, DagVerification verification);
  void AddIrReport(RunReport& ir_report);

  const DriverOptions& options_;
  DiagnosticEngine& diagnostics_;
  RunReport& report_;
  TimeTrace* const trace_;
  HistoryBook* const history_;
  std::shared_ptr<const SourceBuffer> text_;
  bool has_functions_ = false;  // the module has machine functions: nothing is read
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  bool is_selected_ = false;              // the user did not write the instructions of the text
  sdag::DagModule dags_;                  // the module is null if there are no DAGs
  std::unique_ptr<ir::Program> program_;  // the code of the module if instructions are still to be selected for it
  std::optional<ptx::Subtarget> subtarget_;
  DagPrinter dag_printer_;
  std::vector<PassTiming> ir_timings_;
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_COMPILATION_INPUT_H_
