// SPDX-License-Identifier: Apache-2.0

// SDDbgInfo: the debug values of a SelectionDAG. A debug value says where a source variable is from some point of the
// program on. It becomes a DBG_VALUE.
//
// Debug values keep no node alive. When a node is replaced, they follow its results. When it is deleted, they are
// expressed by other values or become undefined (selection_dag_debug.cc). LLVM makes a copy for the replacement, and
// marks the original as invalidated and emitted. Here the original itself moves, so that each debug value exists once
// and is emitted once.

#ifndef PTXMIR_SDAG_GRAPH_SD_DBG_INFO_H_
#define PTXMIR_SDAG_GRAPH_SD_DBG_INFO_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

struct SDDbgValue {
  SDValue value = {};  // the value that describes the variable; none: `location` does
  // A constant, a frame index, or a virtual register. $noreg: the variable has no value from here on.
  MachineOperand location = MachineOperand::CreateReg(Register());
  MetadataId variable = 0;    // !DILocalVariable
  MetadataId expression = 0;  // !DIExpression
  SDLoc loc = {};             // the point of the program, and the debug location
  bool is_indirect = false;   // the value is the address of the variable
  // The place among debug values at the same point of the program. Set by SDDbgInfo::Add.
  uint32_t sequence = 0;

  bool is_undef() const { return !value && location.is_reg() && !location.reg().is_valid(); }
};

class SDDbgInfo {
 public:
  bool empty() const { return values_.empty(); }
  absl::Span<const SDDbgValue> values() const { return values_; }
  // Returns the debug values in the order of the program.
  std::vector<const SDDbgValue*> InProgramOrder() const;

 private:
  friend class SelectionDAG;

  static constexpr uint32_t kNone = ~uint32_t{0};

  // Adds a debug value and returns its index.
  uint32_t Add(const SDDbgValue& value);
  // Adds a copy that stays next to the original at its point of the program.
  uint32_t AddCopy(uint32_t index);
  // Puts a debug value, which must be in no list, into its node's list.
  void Attach(uint32_t index);
  // Empties the node's list. Returns what was in it, oldest first.
  std::vector<uint32_t> Detach(const SDNode& node);
  void Clear();

  std::vector<SDDbgValue> values_;
  std::vector<uint32_t> next_;                     // the next debug value of the same node, by index
  absl::flat_hash_map<NodeId, uint32_t> of_node_;  // the newest debug value of a node
  uint32_t num_added_ = 0;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_SD_DBG_INFO_H_
