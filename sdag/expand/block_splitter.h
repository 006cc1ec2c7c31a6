// SPDX-License-Identifier: Apache-2.0

// Splits a block at a node of its DAG that becomes control flow, and passes values from block to block.
//
// The nodes in front of the one in the DAG's order (AssignTopologicalOrder keeps the program's where it can) stay;
// those behind it go to a new block, `rest`, which takes over the successors. Between the two there is room for new
// blocks. A value that another block reads is copied to virtual registers at the end of its own block and read from
// them; leaves (constants, symbols) are made anew. Types that no register holds are passed in parts. LLVM does the same
// before there are DAGs, on its IR (AtomicExpandPass, LowerMemIntrinsics).

#ifndef PTXMIR_SDAG_EXPAND_BLOCK_SPLITTER_H_
#define PTXMIR_SDAG_EXPAND_BLOCK_SPLITTER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Remembers which nodes have gone as long as it lives.
class DeletedNodes : public DagUpdateListener {
 public:
  explicit DeletedNodes(SelectionDAG& dag) : DagUpdateListener(dag) {}
  void NodeDeleted(SDNode* node, SDNode*) override { deleted_.insert(node); }
  bool contains(SDNode* node) const { return deleted_.contains(node); }

 private:
  absl::flat_hash_set<SDNode*> deleted_;
};

// Values of one block's DAG in another's. One for a function, so that a value is copied once however often its block is
// split.
class CrossBlockValues {
 public:
  using Registers = absl::InlinedVector<Register, 2>;

  CrossBlockValues(DagFunction& dags, const ptx::Subtarget& subtarget) : dags_(dags), subtarget_(subtarget) {}

  DagFunction& dags() const { return dags_; }
  const ptx::Subtarget& subtarget() const { return subtarget_; }

  // The same value in `dag`, whose block the value's own block dominates.
  SDValue Read(SelectionDAG& dag, SDValue value);
  // The registers that hold the value behind its block.
  const Registers& RegistersOf(SDValue value);
  // New registers for a value of the type, and the value that they hold.
  Registers NewRegisters(MVT type);
  SDValue Join(SelectionDAG& dag, MVT type, const Registers& registers);
  // The node goes: its number may be another's.
  void Forget(const SDNode& node);
  // Copies made in the DAG since this was asked last.
  std::vector<SDValue> TakeCopies(SelectionDAG& dag);

 private:
  bool IsDirect(MVT type) const;
  void PartTypes(MVT type, absl::InlinedVector<MVT, 2>& types) const;
  void Part(SelectionDAG& dag, SDValue value, std::vector<SDValue>& parts) const;
  SDValue JoinNext(SelectionDAG& dag, MVT type, const Registers& registers, size_t& next) const;

  DagFunction& dags_;
  const ptx::Subtarget& subtarget_;
  absl::flat_hash_map<uint64_t, Registers> registers_;  // by SDValue::Key
  absl::flat_hash_map<BlockNumber, std::vector<SDValue>> new_copies_;
};

class BlockSplitter {
 public:
  // A value that is one or another, by where control comes from.
  struct Phi {
    CrossBlockValues::Registers registers;
    SDValue value;
    MachineBasicBlock* block;
  };

  // AssignTopologicalOrder must have been called for the DAG of `node`; nodes made since may stand behind.
  BlockSplitter(CrossBlockValues& values, SDNode& node);

  // What must be asked first: whether the block can be split here. Not within a call or what is glued together.
  absl::Status Begin();

  SelectionDAG& before() const { return before_; }
  SelectionDAG& rest() const { return *rest_; }
  // A new block in front of `rest`.
  SelectionDAG& NewBlock();

  SDValue Read(SelectionDAG& dag, SDValue value) { return values_.Read(dag, value); }
  Phi MakePhi(SelectionDAG& dag, MVT type);
  struct Incoming {
    SDValue value;
    SelectionDAG* from;  // the predecessor
  };
  void SetIncoming(const Phi& phi, absl::Span<const Incoming> incoming);

  // What is to happen in the DAG in any case: a chain.
  void AddEffect(SelectionDAG& dag, SDValue chain);
  // The block goes to `target` if `condition` holds, always if there is none, and otherwise to the next block.
  void Branch(SelectionDAG& dag, SDValue condition, SelectionDAG& target);

  // Ends all blocks. `results`: what the results of the node become, in `rest`.
  void Finish(absl::Span<const SDValue> results);

 private:
  struct End {
    explicit End(SelectionDAG& of) : dag(&of) {}
    SelectionDAG* dag;
    std::vector<SDValue> effects;
    SDValue condition;
    SelectionDAG* target = nullptr;
  };

  End& EndOf(SelectionDAG& dag);
  bool IsBehind(const SDNode& node) const { return behind_.contains(node.id()); }
  bool Stays(const SDNode& node) const;
  absl::Status CheckCut() const;
  void MoveRest(absl::Span<const SDValue> results);
  void Seal(End& end);

  CrossBlockValues& values_;
  SDNode& node_;
  SelectionDAG& before_;
  SelectionDAG* rest_ = nullptr;
  std::vector<SDNode*> moved_;          // operands first
  absl::flat_hash_set<NodeId> behind_;  // these
  std::vector<End> ends_;               // in layout order, without rest
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EXPAND_BLOCK_SPLITTER_H_
