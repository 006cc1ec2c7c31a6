// SPDX-License-Identifier: Apache-2.0

// Prints and draws SelectionDAGs on their way (-print-before, -print-after and -view-*-dags), and records them in the
// histories of their functions (-explore).

#ifndef PTXMIR_COMPILER_DAG_PRINTER_H_
#define PTXMIR_COMPILER_DAG_PRINTER_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/dag_steps.h"
#include "compiler/driver_options.h"
#include "passes/report/function_history.h"
#include "passes/run/run_report.h"
#include "sdag/instruction_selection.h"
#include "sdag/text/dag_lines.h"

namespace ptxmir {

class DagPrinter : public sdag::DagObserver {
 public:
  // All must outlive the printer. Text goes to the report's log, pictures to its files. `history` may be null.
  DagPrinter(const DriverOptions& options, RunReport& report, HistoryBook* history);
  ~DagPrinter() override;

  // Returns true if the options ask for something.
  bool is_needed() const;
  // Returns true if a DAG went through the step.
  bool has_seen(unsigned step) const { return (steps_seen_ >> step & 1) != 0; }

  void BeforeStep(sdag::DagStep step, sdag::SelectionDAG& dag) override;
  void AfterStep(sdag::DagStep step, sdag::SelectionDAG& dag, bool succeeded) override;
  void AfterEmission(const MachineFunction& function, sdag::InstrOrders orders) override;
  // Completes the history of the last function.
  void EndHistory();

 private:
  // Tells DagLines of the changes of a step.
  class ChangeListener;
  // The DAGs of all blocks of a function so far.
  struct Version {
    std::vector<sdag::DagLines::Line> lines;
    uint64_t num_nodes = 0;
  };

  // Records the DAG of a block before its first step (version 0) or after step `version` - 1, which may have left it as
  // it was.
  void Record(size_t version, sdag::SelectionDAG& dag, bool has_changed);
  std::vector<sdag::DagLines::Line> LinesOf(sdag::SelectionDAG& dag);
  void Print(std::string_view when, unsigned step, sdag::SelectionDAG& dag);
  // Draws the DAG if the options ask for what goes into this step. `name` says which step it is.
  void Draw(unsigned step, std::string_view name, sdag::SelectionDAG& dag);

  const DriverOptions& options_;
  RunReport& report_;
  HistoryBook* const history_;
  std::string recorded_function_;
  std::optional<BlockNumber> recorded_block_;                   // the last one of that function
  std::vector<sdag::DagLines::Line> block_lines_;               // of that block when it was last recorded
  sdag::DagLines lines_;                                        // of that function
  std::unique_ptr<ChangeListener> listener_;                    // during a step
  std::array<Version, std::size(kDagStepNames) + 1> recorded_;  // of that function
  uint64_t num_blocks_ = 0;                                     // of that function so far
  unsigned steps_seen_ = 0;                                     // bit i: step i
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_DAG_PRINTER_H_
