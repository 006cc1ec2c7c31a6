// SPDX-License-Identifier: Apache-2.0

// SelectionDAG: the operations of one basic block as a graph. DagFunction: the DAGs of a function.
//
// A DagFunction belongs to a MachineFunction, which has the blocks, virtual registers, frame, constants, memory
// operands and symbols. A DAG is identified by the number of its block. PHIs are machine instructions of the block
// from the beginning, as in LLVM. Values pass from block to block through virtual registers (CopyToReg,
// CopyFromReg).
//
// GetNode makes nodes unique (CSE): two nodes with the same opcode, types, operands and payload are one. Exceptions
// are nodes that produce glue, have side effects, or are marked as exceptions in the table. GetNode folds nothing.
// If a user becomes equal to another node when an operand is replaced, it is merged into that node, and so on
// upwards. Merging uses a worklist, not recursion as in LLVM, so a chain of a million merges needs no stack. A
// node's hash is a sum over its operands. Replacing one operand of a TokenFactor that has thousands therefore costs
// as little as for an addition.
//
// Misuse (a value of another function, too many operands) is recorded, and the verifier reports it; the graph stays
// well-formed. Only one thread at a time may use the graph of a function.

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
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "sdag/graph/sd_dbg_info.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

class DagFunction;
class SelectionDAG;

// Told of changes to nodes as long as it lives. Nested listeners are told in the order in which they were made.
class DagUpdateListener {
 public:
  explicit DagUpdateListener(SelectionDAG& dag);
  DagUpdateListener(const DagUpdateListener&) = delete;
  DagUpdateListener& operator=(const DagUpdateListener&) = delete;
  virtual ~DagUpdateListener();

  // `node` is about to be deleted. `replacement` is the node that it was merged into, or null.
  virtual void NodeDeleted(SDNode*, SDNode* /*replacement*/) {}
  // The operands of the node have changed.
  virtual void NodeUpdated(SDNode*) {}
  virtual void NodeInserted(SDNode*) {}

 private:
  SelectionDAG& dag_;
  DagUpdateListener* const outer_;
  friend class SelectionDAG;
};

// The rules for equality of nodes. Internal to SelectionDAG.
struct NodeCse {
  // Everything that must match for two nodes to be equal.
  struct Key {
    int16_t opcode;
    uint32_t hash;
    absl::Span<const MVT> types;
    absl::Span<const SDValue> operands;
    SDNode::Payload payload;
  };
  static Key KeyOf(int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                   const SDNode::Payload& payload);
  // An entry of the table. It includes the hash, so that the table can grow without looking at nodes.
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

  // The nodes in the order in which they were made or, after AssignTopologicalOrder, operands first.
  NodeIterator begin() const { return NodeIterator(first_); }
  NodeIterator end() const { return NodeIterator(); }
  size_t num_nodes() const { return num_nodes_; }

  SDValue EntryToken() const { return {entry_, 0}; }
  // Returns the chain on which every node with an effect depends, directly or indirectly. Initially the entry
  // token.
  SDValue root() const { return root_; }
  void SetRoot(SDValue root);

  // Make nodes of any kind without a payload. Operands are taken as they are.
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
  // Returns a floating-point constant. `bits` are in the format of the type or of its elements.
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
  // Returns a CopyToReg whose result 1 is glue. `glue` may be no value.
  SDValue GetCopyToReg(SDLoc loc, SDValue chain, Register reg, SDValue value, SDValue glue);
  SDValue GetCopyFromReg(SDLoc loc, SDValue chain, Register reg, MVT type);
  SDValue GetCopyFromReg(SDLoc loc, SDValue chain, Register reg, MVT type, SDValue glue);
  // Returns the chain itself if there is only one. Makes several levels if there are more chains than a node can
  // have operands.
  SDValue GetTokenFactor(SDLoc loc, absl::Span<const SDValue> chains);
  SDValue GetSetCC(SDLoc loc, MVT type, SDValue lhs, SDValue rhs, CondCode code, uint32_t flags = 0);
  SDValue GetLoad(SDLoc loc, MVT type, SDValue chain, SDValue pointer, const MachineMemOperand* memoperand);
  SDValue GetExtLoad(LoadExt ext, SDLoc loc, MVT type, SDValue chain, SDValue pointer, EVT memory_type,
                     const MachineMemOperand* memoperand);
  SDValue GetStore(SDLoc loc, SDValue chain, SDValue value, SDValue pointer, const MachineMemOperand* memoperand);
  SDValue GetTruncStore(SDLoc loc, SDValue chain, SDValue value, SDValue pointer, EVT memory_type,
                        const MachineMemOperand* memoperand);
  // Makes a node of any opcode with payload kMemory: atomics, prefetches, NVPTXISD::LoadV4.
  SDValue GetMemNode(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                     EVT memory_type, const MachineMemOperand* memoperand, LoadExt ext = LoadExt::kNone,
                     bool is_truncating = false, uint32_t flags = 0);
  // Makes an intrinsic. `opcode` is one of the three intrinsic opcodes. Operands are the chain, unless the opcode
  // is kIntrinsicWOChain, and then the arguments. `memoperand` is null if the intrinsic accesses no memory.
  SDValue GetIntrinsic(int16_t opcode, std::string_view name, SDLoc loc, absl::Span<const MVT> types,
                       absl::Span<const SDValue> operands, EVT memory_type = MVT::kOther,
                       const MachineMemOperand* memoperand = nullptr, uint32_t flags = 0);
  SDValue GetAddrSpaceCast(SDLoc loc, MVT type, SDValue pointer, unsigned source_space, unsigned target_space);
  SDValue GetVectorShuffle(SDLoc loc, MVT type, SDValue a, SDValue b, absl::Span<const int16_t> mask);
  SDValue GetAssertAlign(SDLoc loc, SDValue pointer, uint8_t align_log2);
  // Makes an eh_label or annotation_label.
  SDValue GetLabel(int16_t opcode, SDLoc loc, SDValue chain, std::string_view label);
  SDNode* GetMachineNode(ptxmir::Opcode opcode, SDLoc loc, absl::Span<const MVT> types,
                         absl::Span<const SDValue> operands,
                         absl::Span<const MachineMemOperand* const> memoperands = {}, uint32_t flags = 0);

  // Makes a node like `node`, which may be in another DAG of the function, with as many other operands.
  SDNode* CloneNode(const SDNode& node, absl::Span<const SDValue> operands);

  // Returns the existing node that GetNode would return, or null. Only for nodes without a payload.
  SDNode* FindNode(int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands) const;

  // Changes. Each of them keeps the rest of the graph unique. Nodes that were merged into others are deleted.

  // Gives a node as many other operands. Returns the node. If an equal node exists already, returns that one and
  // leaves `node` unchanged; the caller must replace it.
  SDNode* UpdateNodeOperands(SDNode* node, absl::Span<const SDValue> operands);
  // Turns a node into another one with the given opcode (or ~machine opcode), types and operands; its payload is
  // removed. This happens in place if there is room; the node moves to the end of the list. All results that have uses
  // must exist afterwards. Returns the resulting node; if that is an equal or a larger one, the old node is deleted.
  // Operands that lose their last use are left for RemoveDeadNodes.
  SDNode* MorphNodeTo(SDNode* node, int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands);
  // Does that for an instruction, and deletes operands that lose their last use.
  SDNode* SelectNodeTo(SDNode* node, ptxmir::Opcode opcode, absl::Span<const MVT> types,
                       absl::Span<const SDValue> operands, absl::Span<const MachineMemOperand* const> memoperands = {},
                       uint32_t flags = 0);
  // Sets the memory operands. From then on the node is never merged with another one.
  void SetMemOperands(MachineSDNode* node, absl::Span<const MachineMemOperand* const> memoperands);

  // Replaces uses of each result of `from` with the same result of `to`. Uses by `to` itself are replaced, too:
  // replacing a value with one computed from it makes a cycle, as in LLVM. Neither node is deleted. Users that
  // become equal are merged.
  void ReplaceAllUsesWith(SDNode* from, SDNode* to);
  // Replaces uses of result i with to[i].
  void ReplaceAllUsesWith(SDNode* from, absl::Span<const SDValue> to);
  void ReplaceAllUsesOfValueWith(SDValue from, SDValue to);
  // Replaces all values at once. A replacement is not replaced again.
  void ReplaceAllUsesOfValuesWith(absl::Span<const SDValue> from, absl::Span<const SDValue> to);

  // Deletes all nodes that the root does not need.
  void RemoveDeadNodes();
  // Deletes a node without uses, and then its operands if they have no other user.
  void RemoveDeadNode(SDNode* node);
  // Deletes all nodes and makes a new entry token.
  void Clear();

  // Debug values (sd_dbg_info.h). Replacing a value and deleting a node take care of them.

  const SDDbgInfo& debug_info() const { return debug_info_; }
  void AddDbgValue(const SDDbgValue& value);
  // Lets variables that are described by `from` be described by `to`.
  void TransferDbgValues(SDValue from, SDValue to) {
    TransferDbgValues(absl::MakeConstSpan(&from, 1), absl::MakeConstSpan(&to, 1));
  }
  // Does the same for each pair of values, all at once.
  void TransferDbgValues(absl::Span<const SDValue> from, absl::Span<const SDValue> to);
  // Does the same for a value that is split into parts, lowest first, of which part i holds `bits[i]` bits. The debug
  // values become fragments.
  void SplitDbgValues(SDValue from, absl::Span<const SDValue> parts, absl::Span<const unsigned> bits);
  // Returns the debug value without the node that it names: expressed by an operand of the node, by a constant, a frame
  // index or a virtual register or, if it cannot be expressed, undefined.
  SDDbgValue SalvagedDbgValue(const SDDbgValue& value) const;
  // Removes all debug values from the DAG. Returns them in the order of the program.
  std::vector<SDDbgValue> TakeDbgValues();

  // Returns all nodes, operands first, and numbers them (node_id) from 0 in that order. Returns an empty list if there
  // is a cycle; the numbers then mean nothing.
  std::vector<SDNode*> TopologicalOrder();
  // Does that and sorts the list of nodes. Nodes that are in order already stay where they are. Returns the number of
  // nodes, or -1 if there is a cycle; then the list is unchanged.
  int64_t AssignTopologicalOrder();

  // Recomputes the divergence of a node and of all nodes that depend on it.
  void UpdateDivergence(SDNode* node);
  void UpdateAllDivergence();

  // Returns the first misuse of this interface, or OK if there was none. The verifier reports it.
  const absl::Status& misuse() const { return misuse_; }

  // Checks the list of nodes, the use lists and the table of unique nodes. Returns a description of the first flaw,
  // or an empty string. O(nodes).
  std::string CheckInvariants() const;

 private:
  friend class DagFunction;
  friend class DagUpdateListener;
  using Payload = SDNode::Payload;

  // One replacement with all its consequences: users that became equal to another node and wait for their uses to
  // be moved, and users that are deleted at the end.
  struct Merge {
    std::vector<SDNode*> waiting;
    std::vector<SDNode*> merged;
  };
  struct PlannedUse {
    SDUse* use;
    SDValue to;
  };
  using PlannedUses = absl::InlinedVector<PlannedUse, 8>;
  // Nodes without uses that wait to be deleted, the last one first.
  using DeadNodes = absl::InlinedVector<SDNode*, 8>;

  SelectionDAG(DagFunction& function, MachineBasicBlock& block);

  SDValue GetLeaf(int16_t opcode, MVT type, const Payload& payload) {
    return {GetNodeWithPayload(opcode, {}, absl::MakeConstSpan(&type, 1), {}, payload, 0), 0};
  }
  SDNode* GetNodeWithPayload(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                             const Payload& payload, uint32_t flags);
  SDNode* CreateNode(const NodeCse::Key& key, SDLoc loc, uint32_t flags);
  // Lets a node stand for an equal one, too: it keeps the flags that both have, and the earlier position.
  static void LetStandFor(SDNode* node, uint32_t flags, uint32_t order);
  SDNode* AllocateNode(unsigned capacity);
  // Copies memory operands to the arena, for a machine node.
  Payload PackMemOperands(absl::Span<const MachineMemOperand* const> memoperands);
  // Does the work of MorphNodeTo and SelectNodeTo. `unused` gets the operands that lost their last use.
  SDNode* Morph(SDNode* node, int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                const Payload& payload, uint32_t flags, DeadNodes& unused);
  // Puts the oldest use first, as ReplaceAllUsesWith does, so that it does not matter if a node is changed in place.
  static void ReverseUses(SDNode* node);
  void SetTypes(SDNode* node, absl::Span<const MVT> types);
  // Returns true if the value belongs to this DAG or is nothing.
  bool IsOurs(SDValue value) const {
    return !value || (&value.node()->function() == &function_ && value.node()->block() == block_.number());
  }
  // Returns the operands with values of other functions or blocks replaced by no value, and records misuse. `storage`
  // is used if any are replaced.
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
  // Returns the node of an entry, or null for the end of the table.
  SDNode* NodeOf(absl::flat_hash_set<NodeCse::Entry, NodeCse::Hash, NodeCse::Equal>::const_iterator it) const;
  // Returns the equal node that is in the map already. If there is none, adds `node` and returns it.
  SDNode* AddToCse(SDNode* node);

  void ReplacePlanned(absl::Span<const PlannedUse> planned);
  void ReplaceUses(absl::Span<const PlannedUse> planned, Merge& merge);
  void MergeInto(SDNode* node, SDNode* existing, Merge& merge);
  // Returns the node that a node which is being merged was replaced with.
  static SDNode* Forward(SDNode* node);
  void FinishMerges(Merge& merge);
  bool ComputeDivergence(const SDNode& node) const;

  // Removes the debug values of a result from the node and returns their indices.
  std::vector<uint32_t> DetachDbgValues(SDValue value);
  // Transfers the debug values of all results.
  void TransferAllDbgValues(const SDNode& from, SDNode& to);
  // Gives a debug value, whose node has lost it, another place.
  void PlaceDbgValue(uint32_t index, const SDDbgValue& place);
  void SalvageDbgValues(SDNode& node);

  void Unlink(SDNode* node);
  void Append(SDNode* node);
  void Free(SDNode* node);
  // Deletes a node without uses. Operands that lose their last use are added to `dead`.
  void DeleteUnused(SDNode* node, DeadNodes* dead = nullptr);
  void DeleteDead(DeadNodes& dead);

  DagFunction& function_;
  MachineBasicBlock& block_;
  SDNode* first_ = nullptr;
  SDNode* last_ = nullptr;
  SDNode* entry_ = nullptr;
  SDValue root_;
  size_t num_nodes_ = 0;
  absl::flat_hash_set<NodeCse::Entry, NodeCse::Hash, NodeCse::Equal> cse_;
  SDDbgInfo debug_info_;
  DagUpdateListener* listeners_ = nullptr;
  absl::Status misuse_;
};

// A target's rules for divergence. The default is PTX's (divergence.h).
struct DivergenceHooks {
  // Returns true if the results differ between threads although the operands do not.
  bool (*is_source)(const SDNode& node);
  // Returns true if the results are the same in all threads although the operands are not.
  bool (*is_always_uniform)(const SDNode& node);
};

class DagFunction {
 public:
  // `function` must outlive this object.
  explicit DagFunction(MachineFunction& function);
  DagFunction(const DagFunction&) = delete;
  DagFunction& operator=(const DagFunction&) = delete;
  ~DagFunction();

  MachineFunction& machine_function() const { return function_; }
  const TargetInfo& target() const { return function_.target(); }

  // Returns the DAG of a block of this function. Makes it if there is none.
  SelectionDAG& dag(MachineBasicBlock& block);
  // Returns the DAG of a block, or null if there is none.
  SelectionDAG* FindDag(BlockNumber block) const { return block < dags_.size() ? dags_[block].get() : nullptr; }
  // Frees the DAG of a block. Other DAGs reuse its memory.
  void EraseDag(BlockNumber block);

  // Marks a virtual register that holds different values in different threads. A CopyFromReg of it is divergent.
  void SetDivergent(Register reg);
  bool IsDivergent(Register reg) const {
    return reg.is_virtual() && reg.virtual_index() < divergent_.size() && divergent_[reg.virtual_index()];
  }
  const DivergenceHooks& divergence_hooks() const { return hooks_; }
  void set_divergence_hooks(const DivergenceHooks& hooks) { hooks_ = hooks; }

  // Returns an SDLoc that adds to `loc` the node's position in the text of a file, for messages.
  SDLoc LocAt(SDLoc loc, const char* position);
  // Returns the debug location of an SDLoc.
  MetadataId DebugLocOf(SDLoc loc) const {
    return IsPlace(loc.debug_loc) ? places_[loc.debug_loc - kFirstPlace].debug_loc : loc.debug_loc;
  }
  // Returns the position that LocAt added, or null if there is none.
  const char* PositionOf(SDLoc loc) const;
  // Returns the position in the text of the node, of the node that it was made from or, failing that, of a user.
  // Null if none is known.
  const char* PositionOf(const SDNode& node) const;

  const DagArena& arena() const { return arena_; }

 private:
  friend class SelectionDAG;

  // Metadata ids from kFirstPlace on index places_.
  static constexpr MetadataId kFirstPlace = 1u << 31;
  static bool IsPlace(MetadataId id) { return id >= kFirstPlace && id != MachineInstr::kNoDebugLoc; }
  struct Place {
    MetadataId debug_loc;
    const char* position;
  };

  // Returns the unique list of these types, for a node with more types than it can hold itself.
  NodeId InternTypes(absl::Span<const MVT> types);

  MachineFunction& function_;
  DagArena arena_;
  std::vector<NodeId> free_nodes_;  // by capacity; each is a list linked through next_
  absl::flat_hash_map<std::string_view, NodeId> type_lists_;
  std::vector<std::unique_ptr<SelectionDAG>> dags_;  // by block number
  std::vector<bool> divergent_;                      // by virtual register
  std::vector<Place> places_;
  DivergenceHooks hooks_;
};

inline MetadataId SDNode::debug_loc() const { return function().DebugLocOf(loc()); }

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_SELECTION_DAG_H_
