// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_lines.h"

#include <cassert>

#include "base/fingerprint.h"
#include "base/str_cat.h"
#include "sdag/text/dag_line_list.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {

void DagLines::NodeUpdated(const SDNode& node) {
  const auto found = known_.find(node.id());
  if (found == known_.end()) return;
  found->second.is_written = false;
  ++found->second.num_updates;
}

// The line of a node depends on what can change while the node stays the same one, on the numbers of its operands, and
// on the operands that have no line of their own.
uint64_t DagLines::FingerprintOf(const SDNode& node) const {
  Fingerprint fingerprint;
  fingerprint.Add(node.flags(), node.ir_order());
  fingerprint.Add(node.debug_loc(), node.num_operands() << 1 | (node.is_divergent() ? 1 : 0));
  if (node.is_machine_opcode()) {
    for (const MachineMemOperand* memoperand : static_cast<const MachineSDNode&>(node).memoperands()) {
      fingerprint.Add(reinterpret_cast<uintptr_t>(memoperand));
    }
  }
  for (const SDUse& operand : node.operands()) {
    if (operand.node() == nullptr) {
      fingerprint.Add(0);
      continue;
    }
    if (operand.node()->node_id() >= 0) {
      fingerprint.Add(static_cast<uint32_t>(operand.node()->node_id()), operand.resno());
      continue;
    }
    const Known& known = known_.find(operand.node()->id())->second;
    fingerprint.Add(~uint64_t{operand.resno()});
    fingerprint.Add(known.identity, known.num_updates);
  }
  return fingerprint.value();
}

void DagLines::Append(SelectionDAG& dag, absl::FunctionRef<uint32_t(std::string_view)> number_of,
                      std::vector<Line>& lines) {
  const SDNode* const last = NumberNodes(dag);
  for (SDNode& node : dag) {
    const auto [found, is_new] = known_.try_emplace(node.id());
    Known& known = found->second;
    if (is_new) known.identity = next_identity_++;
    if (node.node_id() < 0) continue;
    if (known.number == kNone) known.number = next_number_++;
    node.set_node_id(known.number);
  }
  lines.push_back({number_of(StrCat("SelectionDAG has ", dag.num_nodes(), " nodes:")), 0});
  text_.clear();
  TextSink sink(text_);
  DagNodeWriter writer(dag.machine_function(), sink);
  const auto write_line = [&](auto write) {
    sink.Put("  ");
    write();
    sink.Flush();
    const uint32_t number = number_of(text_);
    text_.clear();
    return number;
  };
  ForEachDagLine(dag, last, writer, [&](const SDNode* node, auto write) {
    if (node == nullptr) {
      lines.push_back({write_line(write), 0});
      return;
    }
    Known& known = known_.find(node->id())->second;
    const uint64_t fingerprint = FingerprintOf(*node);
    if (!known.is_written || known.fingerprint != fingerprint) {
      known.is_written = true;
      known.fingerprint = fingerprint;
      known.text = write_line(write);
    }
    assert(known.text == write_line(write) && "the fingerprint leaves out what the line depends on");
    lines.push_back({known.text, node->ir_order()});
  });
}

}  // namespace ptxmir::sdag
