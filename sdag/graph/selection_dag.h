// SPDX-License-Identifier: Apache-2.0

// SelectionDAG: the operations of one basic block as a graph. DagFunction: the DAGs of a function.
//
// A DagFunction stands beside a MachineFunction, which has the blocks, virtual registers, frame, constants, memory
// operands and symbols; a DAG is known by the number of its block. PHIs are machine instructions of the block from
// the beginning, as in LLVM; what goes from block to block goes through virtual registers (CopyToReg, CopyFromReg).
//
// GetNode makes nodes unique (CSE): two with the same opcode, types, operands and payload are one, except those that
// produce glue, have side effects, or are marked so in the table. It folds nothing. When an operand is replaced,
// users that become equal to another node are merged into it, and so on upwards. That is done with a list of work,
// not by recursion as in LLVM: a chain of a million merges needs no stack. A node's hash is a sum over its operands,
// so that replacing one operand of a TokenFactor with thousands costs the same as for an addition.
//
// Misuse (a value of another function, too many operands) is noted, and reported by the verifier; the graph stays
// well-formed. The graph of one function is used by one thread at a time.

#ifndef PTXMIR_SDAG_GRAPH_SELECTION_DAG_H_
#define PTXMIR_SDAG_GRAPH_SELECTION_DAG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

class DagFunction;
class SelectionDAG;

// Told of what happens to nodes, as long as it lives. Nested listeners are told in the order of their making.
class DagUpdateListener {
 public:
  explicit DagUpdateListener(SelectionDAG& dag);
  DagUpdateListener(const DagUpdateListener&) = delete;
  DagUpdateListener& operator=(const DagUpdateListener&) = delete;
  virtual ~DagUpdateListener();

  // `node` is about to go; `replacement` is the node that it was merged into, or null.
  virtual void NodeDeleted(SDNode*, SDNode* /*replacement*/) {}
  // Operands have changed.
  virtual void NodeUpdated(SDNode*) {}
  virtual void NodeInserted(SDNode*) {}

 private:
  SelectionDAG& dag_;
  DagUpdateListener* const outer_;
  friend class SelectionDAG;
};

// How equality of nodes is decided; internal to SelectionDAG.
struct NodeCse {
  struct Key {
    int16_t opcode;
    uint32_t hash;
    absl::Span<const MVT> types;
    absl::Span<const SDValue> operands;
    SDNode::Payload payload;
  };
  // What the table holds: with the hash, so that it can grow without looking at nodes.
  struct Entry {
    NodeId node;
    uint32_t hash;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Entry& entry) const { return Spread(entry.hash); }
    size_t operator()(const Key& key) const { return Spread(key.hash); }
    static size_t Spread(uint32_t hash) { return hash * size_t{0x9e3779b97f4a7c15}; }
  };
  struct Equal {
    using is_transparent = void;
    const DagArena* arena;
    bool operator()(const Entry& a, const Entry& b) const {
      return a.node == b.node || (a.hash == b.hash && SameNode(*Node(a), *Node(b)));
    }
    bool operator()(const Entry& a, const Key& b) const { return a.hash == b.hash && Same(*Node(a), b); }
    bool operator()(const Key& a, const Entry& b) const { return (*this)(b, a); }
    SDNode* Node(const Entry& entry) const { return arena->Resolve<SDNode>(entry.node); }
  };
  static bool Same(const SDNode& node, const Key& key);
  static bool SameNode(const SDNode& a, const SDNode& b);
  static bool SamePayload(int16_t opcode, const SDNode::Payload& a, const SDNode::Payload& b);
  static uint32_t HashOfHead(int16_t opcode, absl::Span<const MVT> types, const SDNode::Payload& payload);
  static uint32_t HashOfOperand(NodeId node, unsigned resno, unsigned index);
};

class SelectionDAG {
 public:
  class NodeIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = SDNode;
    using difference_type = std::ptrdiff_t;
    using pointer = SDNode*;
    using reference = SDNode&;
    NodeIterator() = default;
    explicit NodeIterator(SDNode* node) : node_(node) {}
    SDNode& operator*() const { return *node_; }
    SDNode* operator->() const { return node_; }
    NodeIterator& operator++() {
      node_ = node_->next();
      return *this;
    }
    NodeIterator operator++(int) {
      NodeIterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(NodeIterator a, NodeIterator b) = default;

   private:
    SDNode* node_ = nullptr;
  };

  SelectionDAG(const SelectionDAG&) = delete;
  SelectionDAG& operator=(const SelectionDAG&) = delete;
  ~SelectionDAG();

  DagFunction& function() const { return function_; }
  MachineFunction& machine_function() const;
  MachineBasicBlock& block() const { return block_; }

  // Nodes, in the order of their making or, after AssignTopologicalOrder, operands first.
  NodeIterator begin() const { return NodeIterator(first_); }
  NodeIterator end() const { return NodeIterator(); }
  size_t num_nodes() const { return num_nodes_; }

  SDValue EntryToken() const { return {entry_, 0}; }
  // The chain that everything with an effect hangs on, directly or indirectly. The entry token at first.
  SDValue root() const { return root_; }
  void SetRoot(SDValue root);

  // Nodes of any kind without payload. Operands are taken as they are.
  SDValue GetNode(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                  uint32_t flags = 0);
  SDValue GetNode(int16_t opcode, SDLoc loc, std::initializer_list<MVT> types, std::initializer_list<SDValue> operands,
                  uint32_t flags = 0) {
    return GetNode(opcode, loc, absl::MakeConstSpan(types.begin(), types.size()),
                   absl::MakeConstSpan(operands.begin(), operands.size()), flags);
  }
  SDValue GetNode(int16_t opcode, SDLoc loc, MVT type, std::initializer_list<SDValue> operands, uint32_t flags = 0) {
    return GetNode(opcode, loc, absl::MakeConstSpan(&type, 1), absl::MakeConstSpan(operands.begin(), operands.size()),
                   flags);
  }

  // Leaves.
  SDValue GetConstant(absl::uint128 value, MVT type, bool is_target = false);
  SDValue GetSignedConstant(int64_t value, MVT type, bool is_target = false);
  SDValue GetTargetConstant(absl::uint128 value, MVT type) { return GetConstant(value, type, true); }
  SDValue GetAllOnesConstant(MVT type) { return GetSignedConstant(-1, type); }
  // `bits`: in the format of the type, or of its elements.
  SDValue GetConstantFP(uint64_t bits, MVT type, bool is_target = false);
  SDValue GetUndef(MVT type) { return GetLeaf(isd::kUndef, type, {}); }
  SDValue GetPoison(MVT type) { return GetLeaf(isd::kPoison, type, {}); }
  SDValue GetGlobalAddress(GlobalId global, MVT type, int64_t offset = 0, bool is_target = false,
                           uint32_t target_flags = 0);
  SDValue GetFrameIndex(int index, MVT type, bool is_target = false);
  SDValue GetJumpTable(uint32_t index, MVT type, bool is_target = false);
  SDValue GetConstantPool(uint32_t index, MVT type, int64_t offset = 0, bool is_target = false);
  SDValue GetExternalSymbol(std::string_view name, MVT type, bool is_target = false);
  SDValue GetBlockAddress(std::string_view text, MVT type, bool is_target = false);
  SDValue GetMCSymbol(std::string_view name, MVT type);
  SDValue GetBasicBlock(BlockNumber block);
  SDValue GetRegister(Register reg, MVT type);
  SDValue GetCondCode(CondCode code);
  SDValue GetValueType(EVT type);
  SDValue GetMDNode(MetadataId metadata);

  // Nodes with a payload or of a fixed form.
  SDValue GetCopyToReg(SDLoc loc, SDValue chain, Register reg, SDValue value);
  // With glue: result 1 of what it returns. `glue` may be no value.
  SDValue GetCopyToReg(SDLoc loc, SDValue chain, Register reg, SDValue value, SDValue glue);
  SDValue GetCopyFromReg(SDLoc loc, SDValue chain, Register reg, MVT type);
  SDValue GetCopyFromReg(SDLoc loc, SDValue chain, Register reg, MVT type, SDValue glue);
  // The chain itself if it is one; several levels when there are more chains than a node can have operands.
  SDValue GetTokenFactor(SDLoc loc, absl::Span<const SDValue> chains);
  SDValue GetSetCC(SDLoc loc, MVT type, SDValue lhs, SDValue rhs, CondCode code, uint32_t flags = 0);
  SDValue GetLoad(SDLoc loc, MVT type, SDValue chain, SDValue pointer, const MachineMemOperand* memoperand);
  SDValue GetExtLoad(LoadExt ext, SDLoc loc, MVT type, SDValue chain, SDValue pointer, EVT memory_type,
                     const MachineMemOperand* memoperand);
  SDValue GetStore(SDLoc loc, SDValue chain, SDValue value, SDValue pointer, const MachineMemOperand* memoperand);
  SDValue GetTruncStore(SDLoc loc, SDValue chain, SDValue value, SDValue pointer, EVT memory_type,
                        const MachineMemOperand* memoperand);
  // Any opcode with payload kMemory: atomics, prefetches, NVPTXISD::LoadV4.
  SDValue GetMemNode(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                     EVT memory_type, const MachineMemOperand* memoperand, LoadExt ext = LoadExt::kNone,
                     bool is_truncating = false, uint32_t flags = 0);
  // `opcode`: one of the three. `memoperand`: null when it accesses no memory. Operands: the chain, unless it is
  // kIntrinsicWOChain, then the arguments.
  SDValue GetIntrinsic(int16_t opcode, std::string_view name, SDLoc loc, absl::Span<const MVT> types,
                       absl::Span<const SDValue> operands, EVT memory_type = MVT::kOther,
                       const MachineMemOperand* memoperand = nullptr, uint32_t flags = 0);
  SDValue GetAddrSpaceCast(SDLoc loc, MVT type, SDValue pointer, unsigned source_space, unsigned target_space);
  SDValue GetVectorShuffle(SDLoc loc, MVT type, SDValue a, SDValue b, absl::Span<const int16_t> mask);
  SDValue GetAssertAlign(SDLoc loc, SDValue pointer, uint8_t align_log2);
  // eh_label, annotation_label.
  SDValue GetLabel(int16_t opcode, SDLoc loc, SDValue chain, std::string_view label);
  SDNode* GetMachineNode(ptxmir::Opcode opcode, SDLoc loc, absl::Span<const MVT> types,
                         absl::Span<const SDValue> operands,
                         absl::Span<const MachineMemOperand* const> memoperands = {}, uint32_t flags = 0);

  // A node like `node`, which may be of another DAG of the function, with other operands, as many.
  SDNode* CloneNode(const SDNode& node, absl::Span<const SDValue> operands);

  // The existing node that GetNode would return, or null. For nodes without payload.
  SDNode* FindNode(int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands) const;

  // Changes. All keep the rest of the graph unique; what was merged away is gone afterwards.

  // Gives a node other operands, as many as it has. Returns the node, or an equal one that exists already: then
  // `node` is as before, and it is up to the caller to replace it.
  SDNode* UpdateNodeOperands(SDNode* node, absl::Span<const SDValue> operands);
  // Makes a node another one, in place if there is room: opcode (or ~machine opcode), types, operands; the payload
  // goes. All results that have uses must exist afterwards. Returns where the node is now; the old one, if it was
  // replaced by an equal or a larger one, is gone. Operands without other uses are left for RemoveDeadNodes.
  SDNode* MorphNodeTo(SDNode* node, int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands);
  SDNode* SelectNodeTo(SDNode* node, ptxmir::Opcode opcode, absl::Span<const MVT> types,
                       absl::Span<const SDValue> operands) {
    return MorphNodeTo(node, static_cast<int16_t>(~opcode), types, operands);
  }
  // The node is one of a kind from then on.
  void SetMemOperands(MachineSDNode* node, absl::Span<const MachineMemOperand* const> memoperands);

  // Uses of each result of `from` become uses of the same result of `to`, which stays in use by itself: replacing a
  // value by one computed from it makes a cycle, as in LLVM. Neither node is deleted; equal users are merged.
  void ReplaceAllUsesWith(SDNode* from, SDNode* to);
  // Uses of result i become uses of to[i].
  void ReplaceAllUsesWith(SDNode* from, absl::Span<const SDValue> to);
  void ReplaceAllUsesOfValueWith(SDValue from, SDValue to);
  // All at once: what is put in place of one is not replaced again.
  void ReplaceAllUsesOfValuesWith(absl::Span<const SDValue> from, absl::Span<const SDValue> to);

  // Deletes everything that the root does not need.
  void RemoveDeadNodes();
  // Deletes a node without uses, then operands that it was the last user of.
  void RemoveDeadNode(SDNode* node);
  // Deletes all nodes but a new entry token.
  void Clear();

  // All nodes, operands first; empty when there is a cycle. Changes nothing.
  std::vector<SDNode*> TopologicalOrder();
  // Numbers nodes (node_id) from 0, operands first, and puts the list into that order; nodes that are in order stay
  // where they are. -1 when there is a cycle: then nothing is changed.
  int64_t AssignTopologicalOrder();

  // Computes anew whether a node is divergent, and whatever depends on it.
  void UpdateDivergence(SDNode* node);
  void UpdateAllDivergence();

  // What was done wrong through this interface first, OK if nothing was. The verifier reports it.
  const absl::Status& misuse() const { return misuse_; }

  // Checks lists, use lists, the table of unique nodes. A description of the first flaw, or empty. O(nodes).
  std::string CheckInvariants() const;

 private:
  friend class DagFunction;
  friend class DagUpdateListener;
  using Payload = SDNode::Payload;

  // One replacement with all that follows from it: users that became equal to another node and wait for their uses to
  // be moved, and users that are gone once all is done.
  struct Merge {
    std::vector<SDNode*> waiting;
    std::vector<SDNode*> merged;
  };
  struct PlannedUse {
    SDUse* use;
    SDValue to;
  };

  SelectionDAG(DagFunction& function, MachineBasicBlock& block);

  SDValue GetLeaf(int16_t opcode, MVT type, const Payload& payload) {
    return {GetNodeWithPayload(opcode, {}, absl::MakeConstSpan(&type, 1), {}, payload, 0), 0};
  }
  SDNode* GetNodeWithPayload(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                             const Payload& payload, uint32_t flags);
  SDNode* CreateNode(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                     const Payload& payload, uint32_t flags);
  SDNode* AllocateNode(unsigned num_operands);
  void SetTypes(SDNode* node, absl::Span<const MVT> types);
  // Whether the value is of this DAG (or nothing).
  bool IsOurs(SDValue value) const {
    return !value || (&value.node()->function() == &function_ && value.node()->block() == block_.number());
  }
  // Operands that can be operands, in the order given; notes misuse. `storage` is used when some cannot.
  absl::Span<const SDValue> CheckOperands(absl::Span<const SDValue> operands, std::vector<SDValue>& storage);
  void Misuse(std::string message);

  void InitUse(SDNode* user, unsigned index, SDValue value);
  void LinkUse(SDUse* use, SDNode* value);
  void UnlinkUse(SDUse* use);
  // Changes an operand and the user's hash. The user must not be in the CSE map.
  void SetUse(SDUse* use, SDValue value);

  static bool IsUnique(int16_t opcode, absl::Span<const MVT> types, const Payload& payload, const TargetInfo& target);
  bool IsUnique(const SDNode& node) const;
  void RemoveFromCse(SDNode* node);
  // The node of an entry; null for the end of the table.
  SDNode* NodeOf(absl::flat_hash_set<NodeCse::Entry, NodeCse::Hash, NodeCse::Equal>::const_iterator it) const;
  // The equal node that is in the map already, or `node`, which then is.
  SDNode* AddToCse(SDNode* node);

  void ReplacePlanned(const std::vector<PlannedUse>& planned);
  void ReplaceUses(const std::vector<PlannedUse>& planned, Merge& merge);
  void MergeInto(SDNode* node, SDNode* existing, Merge& merge);
  // Where a node that is being merged went.
  static SDNode* Forward(SDNode* node);
  void FinishMerges(Merge& merge);
  bool ComputeDivergence(const SDNode& node) const;

  void Unlink(SDNode* node);
  void Append(SDNode* node);
  void Free(SDNode* node);
  // Operands that lose their last use are added to `dead`.
  void DeleteUnused(SDNode* node, std::vector<SDNode*>* dead = nullptr);
  void DeleteDead(std::vector<SDNode*>& dead);

  DagFunction& function_;
  MachineBasicBlock& block_;
  SDNode* first_ = nullptr;
  SDNode* last_ = nullptr;
  SDNode* entry_ = nullptr;
  SDValue root_;
  size_t num_nodes_ = 0;
  absl::flat_hash_set<NodeCse::Entry, NodeCse::Hash, NodeCse::Equal> cse_;
  DagUpdateListener* listeners_ = nullptr;
  absl::Status misuse_;
};

// What a target says of divergence. The default is PTX's (divergence.h).
struct DivergenceHooks {
  // Whether the results differ between threads although the operands do not.
  bool (*is_source)(const SDNode& node);
  // Whether the results are the same in all threads although the operands are not.
  bool (*is_always_uniform)(const SDNode& node);
};

class DagFunction {
 public:
  // `function` must outlive this.
  explicit DagFunction(MachineFunction& function);
  DagFunction(const DagFunction&) = delete;
  DagFunction& operator=(const DagFunction&) = delete;
  ~DagFunction();

  MachineFunction& machine_function() const { return function_; }
  const TargetInfo& target() const { return function_.target(); }

  // The DAG of a block, which is made when there is none. A block of this function.
  SelectionDAG& dag(MachineBasicBlock& block);
  // Null when there is none.
  SelectionDAG* FindDag(BlockNumber block) const { return block < dags_.size() ? dags_[block].get() : nullptr; }
  // Frees the DAG of a block; the memory serves others.
  void EraseDag(BlockNumber block);

  // Virtual registers that hold different values in different threads; CopyFromReg of one is divergent.
  void SetDivergent(Register reg);
  bool IsDivergent(Register reg) const {
    return reg.is_virtual() && reg.virtual_index() < divergent_.size() && divergent_[reg.virtual_index()];
  }
  const DivergenceHooks& divergence_hooks() const { return hooks_; }
  void set_divergence_hooks(const DivergenceHooks& hooks) { hooks_ = hooks; }

  // A loc that says, beside what `loc` says, where in the text of a file a node stands: for messages.
  SDLoc LocAt(SDLoc loc, const char* position);
  // The debug location that a loc has.
  MetadataId DebugLocOf(SDLoc loc) const {
    return IsPlace(loc.debug_loc) ? places_[loc.debug_loc - kFirstPlace].debug_loc : loc.debug_loc;
  }
  // Where in the text the node, what it was made of or, else, what uses it stands; null when that is not known.
  const char* PositionOf(const SDNode& node) const;

  // One more than the largest id of a node: the size for tables that are indexed by id.
  NodeId id_bound() const { return arena_.id_bound(); }
  size_t bytes_reserved() const { return arena_.bytes_reserved(); }

 private:
  friend class SelectionDAG;

  // Metadata ids that index places_.
  static constexpr MetadataId kFirstPlace = 1u << 31;
  static bool IsPlace(MetadataId id) { return id >= kFirstPlace && id != MachineInstr::kNoDebugLoc; }
  struct Place {
    MetadataId debug_loc;
    const char* position;
  };

  // A list of more types than a node holds itself, made unique.
  NodeId InternTypes(absl::Span<const MVT> types);

  MachineFunction& function_;
  DagArena arena_;
  std::vector<NodeId> free_nodes_;  // by capacity: a list through next_
  absl::flat_hash_map<std::string_view, NodeId> type_lists_;
  std::vector<std::unique_ptr<SelectionDAG>> dags_;  // by block number
  std::vector<bool> divergent_;                      // by virtual register
  std::vector<Place> places_;
  DivergenceHooks hooks_;
};

inline MetadataId SDNode::debug_loc() const { return function().DebugLocOf(loc()); }

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_SELECTION_DAG_H_
