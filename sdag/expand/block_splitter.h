// SPDX-License-Identifier: Apache-2.0

// Splits a block at a node of its DAG that becomes control flow, and passes values from block to block.
//
// Nodes before the split node in the DAG's order stay; nodes after it go to a new block, `rest`, which takes over
// the successors. (AssignTopologicalOrder keeps the program's order where it can.) New blocks can be put between
// the two. A value that another block reads is copied to virtual registers at the end of its own block and read
// from them. Leaves (constants, symbols) are made again. A type that fits no register is passed in parts. LLVM
// makes such splits earlier, on its IR (AtomicExpandPass, LowerMemIntrinsics).

#ifndef PTXMIR_SDAG_EXPAND_BLOCK_SPLITTER_H_
#define PTXMIR_SDAG_EXPAND_BLOCK_SPLITTER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Remembers the nodes that are deleted during its lifetime.
class DeletedNodes : public DagUpdateListener {
 public:
  explicit DeletedNodes(SelectionDAG& dag) : DagUpdateListener(dag) {}
  void NodeDeleted(SDNode* node, SDNode*) override { deleted_.insert(node); }
  bool contains(SDNode* node) const { return deleted_.contains(node); }

 private:
  absl::flat_hash_set<SDNode*> deleted_;
};

// Gives the DAG of one block access to the values of another. One per function, so that a value is copied only
// once, however often its block is split.
class CrossBlockValues {
 public:
  using Registers = absl::InlinedVector<Register, 2>;

  CrossBlockValues(DagFunction& dags, const ptx::Subtarget& subtarget) : dags_(dags), subtarget_(subtarget) {}

  DagFunction& dags() const { return dags_; }
  const ptx::Subtarget& subtarget() const { return subtarget_; }

  // Returns the same value in `dag`. The block of the value must dominate the block of `dag`.
  SDValue Read(SelectionDAG& dag, SDValue value);
  // Returns the registers that hold the value after its block.
  const Registers& RegistersOf(SDValue value);
  // Creates the registers for a value of a type. Join reads the value that they hold.
  Registers NewRegisters(MVT type);
  SDValue Join(SelectionDAG& dag, MVT type, const Registers& registers);
  // Returns the registers that hold the value after its block if there are any yet; otherwise null.
  const Registers* FindRegistersOf(SDValue value) const;
  // Returns the value, all of it or a part, that a node copies to its registers; no value for any other node.
  SDValue ValueOfCopy(const SDNode& copy) const;
  // Forgets a node that is about to be deleted, because its id may be reused.
  void Forget(const SDNode& node);
  // Returns the copies that were made in the DAG since the last call.
  std::vector<SDValue> TakeCopies(SelectionDAG& dag);

 private:
  bool IsDirect(MVT type) const;
  // Appends the types of the registers for a value. Unlike PartTypes (sdag/graph/part_types.h), it packs no elements of
  // a vector that no register holds: each gets a register of its own.
  void AppendRegisterTypes(MVT type, absl::InlinedVector<MVT, 2>& types) const;
  void Part(SelectionDAG& dag, SDValue value, std::vector<SDValue>& parts) const;
  SDValue JoinNext(SelectionDAG& dag, MVT type, const Registers& registers, size_t& next) const;

  DagFunction& dags_;
  const ptx::Subtarget& subtarget_;
  absl::flat_hash_map<uint64_t, Registers> registers_;     // by SDValue::Key
  absl::flat_hash_map<NodeId, SDValue> values_of_copies_;  // by id of the CopyToReg
  absl::flat_hash_map<BlockNumber, std::vector<SDValue>> new_copies_;
};

class BlockSplitter {
 public:
  // A value that depends on the block from which control comes.
  struct Phi {
    CrossBlockValues::Registers registers;
    SDValue value;
    MachineBasicBlock* block;
  };

  // Precondition: AssignTopologicalOrder was called for the DAG of `node`. Nodes made since then may be at the end.
  BlockSplitter(CrossBlockValues& values, SDNode& node);

  // Checks that the block can be split here: not within a call, nor between glued nodes. Must be called first.
  absl::Status Begin();

  SelectionDAG& before() const { return before_; }
  SelectionDAG& rest() const { return *rest_; }
  // Makes a new block in front of `rest`.
  SelectionDAG& NewBlock();

  SDValue Read(SelectionDAG& dag, SDValue value) { return values_.Read(dag, value); }
  Phi MakePhi(SelectionDAG& dag, MVT type);
  struct Incoming {
    SDValue value;
    SelectionDAG* from;  // the predecessor
  };
  void SetIncoming(const Phi& phi, absl::Span<const Incoming> incoming);

  // Adds a chain whose effects must happen in the DAG.
  void AddEffect(SelectionDAG& dag, SDValue chain);
  // Branches to `target` if `condition` holds, and to the next block otherwise. Without a condition, always to
  // `target`.
  void Branch(SelectionDAG& dag, SDValue condition, SelectionDAG& target);

  // Ends all blocks. `results` are the values in `rest` that replace the results of the node.
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
  // Moves the debug values that follow the split node to `rest`. `moved` returns the new form of a value that is in
  // `rest`, or no value.
  void MoveDebugValues(absl::FunctionRef<SDValue(SDValue)> moved);
  void AddToRest(SDDbgValue value);
  void Seal(End& end);

  CrossBlockValues& values_;
  SDNode& node_;
  SelectionDAG& before_;
  SelectionDAG* rest_ = nullptr;
  std::vector<SDNode*> moved_;          // the nodes that move to `rest`, operands first
  absl::flat_hash_set<NodeId> behind_;  // the same, by id
  std::vector<End> ends_;               // in layout order, without `rest`
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EXPAND_BLOCK_SPLITTER_H_
