// SPDX-License-Identifier: Apache-2.0

#include "sdag/combine/dag_combiner.h"

#include <algorithm>
#include <array>

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

constexpr absl::Span<const CombineRow> (*kTables[])() = {
    ConstantCombines,  IntegerCombines,    ProductCombines, DivisionCombines, BitCombines,
    ExtensionCombines, ComparisonCombines, FloatCombines,   MemoryCombines,   VectorCombines,
};

// The rows for each opcode, those for any opcode first.
using RowsByOpcode = std::array<std::vector<const CombineRow*>, isd::kNumOpcodes>;
const RowsByOpcode& Rows() {
  static const RowsByOpcode* const kRows = [] {
    auto* rows = new RowsByOpcode;
    for (const auto table : kTables) {
      for (const CombineRow& row : table()) {
        for (int16_t opcode = 0; row.opcodes.empty() && opcode < isd::kNumOpcodes; ++opcode) {
          (*rows)[static_cast<size_t>(opcode)].push_back(&row);
        }
        for (const int16_t opcode : row.opcodes) (*rows)[static_cast<size_t>(opcode)].push_back(&row);
      }
    }
    return rows;
  }();
  return *kRows;
}

class Combiner : public DagUpdateListener, public CombineContext::Observer {
 public:
  Combiner(SelectionDAG& dag, CombineLevel level, const ISelOptions& options, CombineReport* report)
      : DagUpdateListener(dag), dag_(dag), level_(level), context_(dag, level, options, *this), report_(report) {}

  size_t Run() {
    for (SDNode& node : dag_) node.set_node_id(-1);
    dag_.RemoveDeadNodes();
    const std::vector<SDNode*> order = dag_.TopologicalOrder();
    list_.reserve(order.size());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      (*it)->set_node_id(-1);
      Push(*it);
    }
    limit_ = 1000 + 30 * order.size();
    while (!list_.empty()) {
      SDNode* node = list_.back();
      list_.pop_back();
      if (node == nullptr) continue;
      node->set_node_id(-1);
      if (replaced_ >= limit_) break;
      Visit(*node);
    }
    if (report_ != nullptr) report_->gave_up = replaced_ >= limit_;
    for (SDNode* node : list_) {
      if (node != nullptr) node->set_node_id(-1);
    }
    list_.clear();
    dag_.RemoveDeadNodes();
    return replaced_;
  }

  void NodeDeleted(SDNode* node, SDNode* replacement) override {
    if (node->node_id() >= 0) list_[static_cast<size_t>(node->node_id())] = nullptr;
    node->set_node_id(-1);
    std::replace(fresh_.begin(), fresh_.end(), node, static_cast<SDNode*>(nullptr));
    if (replacement != nullptr) PushUsersOf(replacement);
  }
  void NodeUpdated(SDNode* node) override { Push(node); }
  void NodeInserted(SDNode* node) override { fresh_.push_back(node); }

  void Replaced(absl::Span<const SDValue> from, absl::Span<const SDValue> to) override {
    for (const SDValue& value : from) {
      Push(value.node());
      PushUsersOf(value.node());
    }
    for (const SDValue& value : to) PushWithOperands(value.node());
  }

 private:
  // A node's position in the list is its node id.
  void Push(SDNode* node) {
    if (node == nullptr || node->is_deleted() || node->node_id() >= 0) return;
    node->set_node_id(static_cast<int32_t>(list_.size()));
    list_.push_back(node);
  }
  // Pushes users up to a limit. Constants, symbols and the entry token can have huge numbers of users. The
  // remaining users wait until they themselves change.
  void PushUsersOf(SDNode* node) {
    constexpr unsigned kMaxUsers = 64;
    unsigned count = 0;
    for (SDUse* use = node->first_use(); use != nullptr && ++count <= kMaxUsers; use = use->next()) Push(use->user());
  }
  void PushWithOperands(SDNode* node) {
    Push(node);
    for (const SDUse& use : node->operands()) Push(use.node());
  }

  bool IsNeeded(const SDNode& node) const {
    return !node.use_empty() || &node == dag_.root().node() || &node == dag_.EntryToken().node();
  }
  void Remove(SDNode& node) {
    // An operand that is left with one user may be combined with that user.
    for (const SDUse& use : node.operands()) {
      SDNode* operand = use.node();
      if (operand == nullptr || operand->first_use() == nullptr || operand->num_operands() == 0) continue;
      SDUse* second = operand->first_use()->next();
      if (second != nullptr && second->next() == nullptr) PushUsersOf(operand);
      Push(operand);
    }
    dag_.RemoveDeadNode(&node);
  }

  void Visit(SDNode& node) {
    if (!IsNeeded(node)) {
      Remove(node);
      return;
    }
    if (node.is_machine_opcode()) return;
    const uint8_t level = level_ == CombineLevel::kBeforeLegalize ? CombineRow::kBefore : CombineRow::kAfter;
    for (const CombineRow* row : Rows()[static_cast<size_t>(node.opcode())]) {
      if ((row->levels & level) == 0) continue;
      const SDValue result = row->function(context_, node);
      if (!result) {
        Forget();
        continue;
      }
      Count(*row);
      for (SDNode* fresh : fresh_) Push(fresh);
      fresh_.clear();
      if (result != SDValue(&node, 0)) {
        PushUsersOf(&node);
        PushWithOperands(result.node());
        dag_.ReplaceAllUsesOfValueWith({&node, 0}, result);
      }
      if (!IsNeeded(node)) Remove(node);
      return;
    }
  }
  // Removes the nodes that an unsuccessful combine made. No nodes are revisited because of them; otherwise the work
  // might never end.
  void Forget() {
    for (size_t i = fresh_.size(); i > 0; --i) {
      SDNode* node = fresh_[i - 1];
      if (node != nullptr && node->use_empty()) dag_.RemoveDeadNode(node);
    }
    fresh_.clear();
  }
  void Count(const CombineRow& row) {
    ++replaced_;
    if (report_ != nullptr) report_->fired.push_back(row.name);
  }

  SelectionDAG& dag_;
  const CombineLevel level_;
  const CombineContext context_;
  CombineReport* const report_;
  std::vector<SDNode*> list_;   // null: removed from the list
  std::vector<SDNode*> fresh_;  // made by the current combine
  size_t replaced_ = 0;
  size_t limit_ = 0;
};

}  // namespace

size_t CombineDag(SelectionDAG& dag, CombineLevel level, const ISelOptions& options, CombineReport* report) {
  return Combiner(dag, level, options, report).Run();
}

std::vector<std::string_view> CombineNames() {
  std::vector<std::string_view> names;
  for (const auto table : kTables) {
    for (const CombineRow& row : table()) names.push_back(row.name);
  }
  return names;
}

}  // namespace ptxmir::sdag
