// SPDX-License-Identifier: Apache-2.0

// Writes SelectionDAGs as text that dag_reader.h reads back (docs/selection-dag.md), or for people to look at.
//
// Written and read again, a DAG gives the same text, byte for byte. For that nodes are written in the order of
// AssignTopologicalOrder, which keeps what is in order already, and numbered t0, t1 ... in each block. Nodes without
// operands stand where they are used, unless that would lose something (a location, that they are one node).

#ifndef PTXMIR_SDAG_TEXT_DAG_WRITER_H_
#define PTXMIR_SDAG_TEXT_DAG_WRITER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "mir/text/mir_writer.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir::sdag {

// A whole file.
void WriteDags(const DagModule& module, const MirWriteOptions& options, std::string& out);
// One YAML document.
void WriteDagFunction(DagFunction& function, const MirWriteOptions& options, std::string& out);

// Puts the nodes into topological order and numbers those that get a line (node_id), from 0; the others get -1. Returns
// the last that gets one.
SDNode* NumberNodes(SelectionDAG& dag);

// One node, without indentation and line break. `number` of a node is its node_id, when it has one, else its id: the
// numbers are for reading only.
void PrintNode(const SDNode& node, std::string& out);

// "in function 'f', bb.0: cannot select: t5: i32 = add t1, t2", with ": why" behind it if that is given. The status
// carries the node's position in the text that it was read from, if it was.
absl::Status NodeError(absl::StatusCode code, const SDNode& node, std::string_view what, std::string_view why = "");
// That position; null when there is none.
const char* PositionOf(const absl::Status& status);

// As LLVM dumps a DAG: "SelectionDAG has 12 nodes:", then a line a node. Numbers the nodes.
void PrintDag(SelectionDAG& dag, std::string& out);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_WRITER_H_
