// SPDX-License-Identifier: Apache-2.0

// Draws SelectionDAGs for Graphviz, as LLVM's -view-isel-dags does. Each node is a record with a port for each
// operand and each result. Chains are dashed and blue, glue is red, and an extra node has an edge to the root.

#ifndef PTXMIR_SDAG_TEXT_DAG_DOT_H_
#define PTXMIR_SDAG_TEXT_DAG_DOT_H_

#include <string>
#include <string_view>

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Writes a whole graph. If `title` is empty, it is "function:block". Numbers the nodes as PrintDag does
// (dag_writer.h).
void WriteDagDot(SelectionDAG& dag, std::string_view title, std::string& out);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_DOT_H_
