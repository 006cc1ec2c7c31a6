// SPDX-License-Identifier: Apache-2.0

// Writes SelectionDAGs as text that dag_reader.h can read (docs/selection-dag.md), or for people to look at.
//
// A DAG that is written, read and written again gives the same text, byte for byte. For this reason nodes are
// written in the order of AssignTopologicalOrder, which keeps an existing valid order, and are numbered t0, t1 ...
// in each block. Nodes without operands are written where they are used, unless that would lose information (a
// location, or that two uses share one node).

#ifndef PTXMIR_SDAG_TEXT_DAG_WRITER_H_
#define PTXMIR_SDAG_TEXT_DAG_WRITER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "mir/text/mir_writer.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/text/dag_node_writer.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir::sdag {

// Writes a whole file.
void WriteDags(const DagModule& module, const MirWriteOptions& options, std::string& out);
// Writes one YAML document.
void WriteDagFunction(DagFunction& function, const MirWriteOptions& options, std::string& out);

// Sorts the nodes topologically and numbers those that get a line of their own (node_id) from 0; the others get -1.
// Returns the last node that gets a line.
SDNode* NumberNodes(SelectionDAG& dag);

// Prints one node, without indentation and line break. The printed number is the node's node_id or, if it has none,
// its id. Numbers are only meant for people.
void PrintNode(const SDNode& node, std::string& out);

// Returns an error such as "in function 'f', bb.0: cannot select: t5: i32 = add t1, t2", followed by ": why" if
// `why` is given. If the node was read from text, the status carries its position there.
absl::Status NodeError(absl::StatusCode code, const SDNode& node, std::string_view what, std::string_view why = "");
// Returns the position that a status carries, or null if it has none.
const char* PositionOf(const absl::Status& status);

// Prints a DAG as LLVM dumps it: "SelectionDAG has 12 nodes:", then one line per node. Numbers the nodes.
void PrintDag(SelectionDAG& dag, std::string& out);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_WRITER_H_
