// SPDX-License-Identifier: Apache-2.0

// The lines of a DAG in their order, for the writers of whole DAGs.

#ifndef PTXMIR_SDAG_TEXT_DAG_LINE_LIST_H_
#define PTXMIR_SDAG_TEXT_DAG_LINE_LIST_H_

#include "mir/text/mir_text.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/text/dag_node_writer.h"
#include "sdag/text/dag_text.h"

namespace ptxmir::sdag {

// Calls visit(node, write) for each line, where `write` writes the line, and `node` is null if the line is not that of
// a node: debug values, and a root that is not the one assumed. The nodes are numbered; `last` is the last that has a
// line.
template <typename Visit>
void ForEachDagLine(SelectionDAG& dag, const SDNode* last, DagNodeWriter& writer, Visit visit) {
  for (const SDNode& node : dag) {
    if (node.node_id() >= 0) visit(&node, [&] { writer.WriteLine(node); });
  }
  const SDNode* const none = nullptr;
  for (const SDDbgValue* value : dag.debug_info().InProgramOrder()) {
    visit(none, [&] { writer.WriteDebugValue(*value, dag.function().DebugLocOf(value->loc)); });
  }
  if (!dag.root() || dag.root() == DefaultRoot(const_cast<SDNode*>(last))) return;
  visit(none, [&] { writer.WriteRoot(dag.root()); });
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_LINE_LIST_H_
