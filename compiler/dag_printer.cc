// SPDX-License-Identifier: Apache-2.0

#include "compiler/dag_printer.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "compiler/dag_steps.h"
#include "passes/run/cfg_dot.h"
#include "passes/run/pass_dumps.h"
#include "sdag/text/dag_dot.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir {
namespace {

static_assert(std::size(kDagStepNames) == static_cast<size_t>(sdag::DagStep::kSelect) + 1);
// Scheduling has no step of its own here: it emits what was selected.
constexpr unsigned kSchedule = std::size(kDagStepNames);

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool NamesSteps(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return FindDagStep(name).has_value(); });
}

}  // namespace

class DagPrinter::NodeNumbering : public sdag::DagUpdateListener {
 public:
  NodeNumbering(sdag::SelectionDAG& dag, sdag::KeptNodeNumbers& numbers)
      : sdag::DagUpdateListener(dag), numbers_(numbers) {}

  // The memory of the node may become another one.
  void NodeDeleted(sdag::SDNode* node, sdag::SDNode*) override { numbers_.of_node.erase(node->id()); }

 private:
  sdag::KeptNodeNumbers& numbers_;
};

DagPrinter::DagPrinter(const DriverOptions& options, RunReport& report, HistoryBook* history)
    : options_(options), report_(report), history_(history) {}

DagPrinter::~DagPrinter() = default;

bool DagPrinter::is_needed() const {
  const PrintOptions& print = options_.run.print;
  return history_ != nullptr || options_.dag_pictures != 0 || NamesSteps(print.before) || NamesSteps(print.after);
}

void DagPrinter::BeforeStep(sdag::DagStep step, sdag::SelectionDAG& dag) {
  const auto index = static_cast<unsigned>(step);
  // At -O0 there is no combine1.
  if (recorded_function_ != dag.machine_function().name() || recorded_block_ != dag.block().number()) Record(0, dag);
  if (history_ != nullptr) numbering_ = std::make_unique<NodeNumbering>(dag, node_numbers_);
  if (!IsDumped(dag.machine_function(), options_.run.print)) return;
  if (Contains(options_.run.print.before, kDagStepNames[index])) Print("Before", index, dag);
  Draw(index, kDagStepNames[index], dag);
}

void DagPrinter::AfterStep(sdag::DagStep step, sdag::SelectionDAG& dag, bool succeeded) {
  numbering_.reset();
  if (!succeeded) return;
  const auto index = static_cast<unsigned>(step);
  steps_seen_ |= 1u << index;
  Record(index + 1, dag);
  if (!IsDumped(dag.machine_function(), options_.run.print)) return;
  if (Contains(options_.run.print.after, kDagStepNames[index])) Print("After", index, dag);
  if (step == sdag::DagStep::kSelect) Draw(kSchedule, "dag-sched", dag);
}

void DagPrinter::Record(size_t version, sdag::SelectionDAG& dag) {
  if (history_ == nullptr) return;
  const std::string_view function = dag.machine_function().name();
  if (function != recorded_function_) {
    EndHistory();
    recorded_function_ = std::string(function);
  }
  StrAppend(&recorded_[version], "bb.", dag.block().number(), ":\n");
  recorded_block_ = dag.block().number();
  PrintDag(dag, recorded_[version], &node_numbers_);
  num_nodes_[version] += dag.num_nodes();
  if (version == 0) ++num_blocks_;
}

void DagPrinter::AfterEmission(const MachineFunction& function, sdag::InstrOrders orders) {
  if (history_ != nullptr) history_->Of(function.name()).ir_orders_of_next = std::move(orders);
}

void DagPrinter::EndHistory() {
  if (history_ == nullptr || recorded_function_.empty()) return;
  FunctionHistory& history = history_->Of(recorded_function_);
  for (size_t version = 0; version < recorded_.size(); ++version) {
    if (recorded_[version].empty()) continue;  // -O0 does not combine
    const std::string_view step = version == 0 ? "dag-build" : kDagStepNames[version - 1];
    history.AddDags(step, recorded_[version], num_nodes_[version], num_blocks_);
    recorded_[version].clear();
    num_nodes_[version] = 0;
  }
  num_blocks_ = 0;
  node_numbers_ = {};
}

void DagPrinter::Print(std::string_view when, unsigned step, sdag::SelectionDAG& dag) {
  StrAppend(&report_.log, "# *** SelectionDAG Dump ", when, " ", kDagStepNames[step], " of ",
            dag.machine_function().name(), ", bb.", dag.block().number(), " ***:\n");
  PrintDag(dag, report_.log);
  report_.log += "\n";
}

void DagPrinter::Draw(unsigned step, std::string_view name, sdag::SelectionDAG& dag) {
  if ((options_.dag_pictures >> step & 1) == 0) return;
  const std::string_view function = dag.machine_function().name();
  ReportFile& file = report_.files.emplace_back();
  file.path = StrCat(options_.run.print.dot_folder, "/", name, ".", FileNamePart(function), ".bb", dag.block().number(),
                     ".dot");
  sdag::WriteDagDot(dag, StrCat(name, " input for ", function, ":bb.", dag.block().number()), file.text);
}

}  // namespace ptxmir
