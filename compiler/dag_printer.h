// SPDX-License-Identifier: Apache-2.0

// Prints and draws SelectionDAGs on their way: -print-before, -print-after and -view-*-dags.

#ifndef PTXMIR_COMPILER_DAG_PRINTER_H_
#define PTXMIR_COMPILER_DAG_PRINTER_H_

#include <string_view>

#include "compiler/driver_options.h"
#include "passes/run/run_report.h"
#include "sdag/instruction_selection.h"

namespace ptxmir {

class DagPrinter : public sdag::DagObserver {
 public:
  // Both must outlive the printer. Text goes to the report's log, pictures to its files.
  DagPrinter(const DriverOptions& options, RunReport& report) : options_(options), report_(report) {}

  // Returns true if the options ask for something.
  bool is_needed() const;
  // Returns true if a DAG went through the step.
  bool has_seen(unsigned step) const { return (steps_seen_ >> step & 1) != 0; }

  void BeforeStep(sdag::DagStep step, sdag::SelectionDAG& dag) override;
  void AfterStep(sdag::DagStep step, sdag::SelectionDAG& dag) override;

 private:
  void Print(std::string_view when, unsigned step, sdag::SelectionDAG& dag);
  // Draws the DAG if the options ask for what goes into this step. `name` says which step it is.
  void Draw(unsigned step, std::string_view name, sdag::SelectionDAG& dag);

  const DriverOptions& options_;
  RunReport& report_;
  unsigned steps_seen_ = 0;  // bit i: step i
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_DAG_PRINTER_H_
