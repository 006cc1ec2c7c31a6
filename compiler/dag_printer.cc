// SPDX-License-Identifier: Apache-2.0

#include "compiler/dag_printer.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "compiler/dag_steps.h"
#include "passes/run/cfg_dot.h"
#include "passes/run/pass_dumps.h"
#include "sdag/text/dag_dot.h"
#include "sdag/text/dag_lines.h"
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

class DagPrinter::ChangeListener : public sdag::DagUpdateListener {
 public:
  ChangeListener(sdag::SelectionDAG& dag, sdag::DagLines& lines)
      : sdag::DagUpdateListener(dag), lines_(lines), root_(dag.root()) {}

  void NodeDeleted(sdag::SDNode* node, sdag::SDNode*) override {
    has_changed_ = true;
    lines_.NodeDeleted(*node);
  }
  void NodeUpdated(sdag::SDNode* node) override {
    has_changed_ = true;
    lines_.NodeUpdated(*node);
  }
  void NodeInserted(sdag::SDNode*) override { has_changed_ = true; }

  bool has_changed(const sdag::SelectionDAG& dag) const { return has_changed_ || dag.root() != root_; }

 private:
  sdag::DagLines& lines_;
  const sdag::SDValue root_;
  bool has_changed_ = false;
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
  if (recorded_function_ != dag.machine_function().name() || recorded_block_ != dag.block().number())
    Record(0, dag, /*has_changed=*/true);
  if (history_ != nullptr) listener_ = std::make_unique<ChangeListener>(dag, lines_);
  if (!IsDumped(dag.machine_function(), options_.run.print)) return;
  if (Contains(options_.run.print.before, kDagStepNames[index])) Print("Before", index, dag);
  Draw(index, kDagStepNames[index], dag);
}

void DagPrinter::AfterStep(sdag::DagStep step, sdag::SelectionDAG& dag, bool succeeded) {
  const bool has_changed = listener_ == nullptr || listener_->has_changed(dag);
  listener_.reset();
  if (!succeeded) return;
  const auto index = static_cast<unsigned>(step);
  steps_seen_ |= 1u << index;
  Record(index + 1, dag, has_changed);
  if (!IsDumped(dag.machine_function(), options_.run.print)) return;
  if (Contains(options_.run.print.after, kDagStepNames[index])) Print("After", index, dag);
  if (step == sdag::DagStep::kSelect) Draw(kSchedule, "dag-sched", dag);
}

std::vector<sdag::DagLines::Line> DagPrinter::LinesOf(sdag::SelectionDAG& dag) {
  TextTable& texts = history_->Of(recorded_function_).texts;
  std::vector<sdag::DagLines::Line> lines = {{texts.NumberOf(StrCat("bb.", dag.block().number(), ":")), 0}};
  lines_.Append(
      dag, [&](std::string_view text) { return texts.NumberOf(text); }, lines);
  return lines;
}

void DagPrinter::Record(size_t version, sdag::SelectionDAG& dag, bool has_changed) {
  if (history_ == nullptr) return;
  const std::string_view function = dag.machine_function().name();
  if (function != recorded_function_) {
    EndHistory();
    recorded_function_ = std::string(function);
  }
  recorded_block_ = dag.block().number();
  if (has_changed) block_lines_ = LinesOf(dag);
  assert(block_lines_ == LinesOf(dag) && "a DAG has changed without a word to its listener");
  Version& recorded = recorded_[version];
  recorded.lines.insert(recorded.lines.end(), block_lines_.begin(), block_lines_.end());
  recorded.num_nodes += dag.num_nodes();
  if (version == 0) ++num_blocks_;
}

void DagPrinter::AfterEmission(const MachineFunction& function, sdag::InstrOrders orders) {
  if (history_ != nullptr) history_->Of(function.name()).ir_orders_of_next = std::move(orders);
}

void DagPrinter::EndHistory() {
  if (history_ == nullptr || recorded_function_.empty()) return;
  FunctionHistory& history = history_->Of(recorded_function_);
  for (size_t version = 0; version < recorded_.size(); ++version) {
    if (recorded_[version].lines.empty()) continue;  // -O0 does not combine
    DagStage stage;
    stage.num_nodes = recorded_[version].num_nodes;
    stage.num_blocks = num_blocks_;
    for (const sdag::DagLines::Line& line : recorded_[version].lines) {
      stage.lines.push_back(line.text);
      stage.ir_orders.push_back(line.ir_order);
    }
    history.AddDags(version == 0 ? "dag-build" : kDagStepNames[version - 1], std::move(stage));
    recorded_[version] = {};
  }
  num_blocks_ = 0;
  lines_ = {};
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
