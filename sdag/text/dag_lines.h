// SPDX-License-Identifier: Apache-2.0

// DagLines: the lines of the DAGs of a function as numbers of texts, step by step. A node keeps its number from step to
// step, unlike in the text form, so that it can be followed. Most nodes look as they did when they were last written.
// These are not written again.

#ifndef PTXMIR_SDAG_TEXT_DAG_LINES_H_
#define PTXMIR_SDAG_TEXT_DAG_LINES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

class DagLines {
 public:
  struct Line {
    uint32_t text = 0;      // its number
    uint32_t ir_order = 0;  // of its node; 0: none
    friend bool operator==(const Line&, const Line&) = default;
  };

  // Appends the lines of a DAG as PrintDag writes them, with the numbers of nodes that are kept. `number_of` returns
  // the number of a text. Numbers the nodes.
  void Append(SelectionDAG& dag, absl::FunctionRef<uint32_t(std::string_view)> number_of, std::vector<Line>& lines);

  // To be called when a node is deleted, since its memory may become another one, and when it becomes one with another
  // opcode. DagUpdateListener tells.
  void NodeDeleted(const SDNode& node) { known_.erase(node.id()); }
  void NodeUpdated(const SDNode& node);

 private:
  static constexpr int32_t kNone = -1;

  struct Known {
    uint32_t identity = 0;     // differs from that of all other nodes
    uint32_t num_updates = 0;  // since the node is known
    int32_t number = kNone;    // in the text; kNone: it has had no line yet
    bool is_written = false;
    uint64_t fingerprint = 0;  // when it was written
    uint32_t text = 0;
  };

  uint64_t FingerprintOf(const SDNode& node) const;

  absl::flat_hash_map<NodeId, Known> known_;
  uint32_t next_identity_ = 0;
  int32_t next_number_ = 0;
  std::string text_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_LINES_H_
