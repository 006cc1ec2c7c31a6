// SPDX-License-Identifier: Apache-2.0

// SDNode: an operation of a SelectionDAG, with SDValue (one of its results) and SDUse (one of its operands).
//
// A node is a header of 64 bytes with its operands right behind it, 16 bytes each, in the arena of its function's
// DAGs. Links (use lists, list of nodes) are ids of that arena; a use finds its node without a link, from its number.
// LLVM 22 takes 88 bytes for a node and 40 for an operand, and more for the nodes that carry something: here every
// payload (constants of 128 bits, memory operands, symbols with offsets) fits the last 16 bytes of the header, so that
// the classes derived from SDNode are views without members, and a node can become another kind of node in place.
//
// Nodes are made and changed by SelectionDAG alone. What a caller has got wrong (an operand that is no value, a type
// that does not fit) stays in the graph for the verifier to report; no accessor here stops the program for it.

#ifndef PTXMIR_SDAG_GRAPH_SDNODE_H_
#define PTXMIR_SDAG_GRAPH_SDNODE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_function.h"
#include "sdag/graph/dag_arena.h"
#include "sdag/graph/isd_opcodes.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

class SDNode;
class SelectionDAG;

// One result of a node, or nothing.
class SDValue {
 public:
  constexpr SDValue() = default;
  constexpr SDValue(SDNode* node, unsigned resno) : node_(node), resno_(resno) {}

  SDNode* node() const { return node_; }
  unsigned resno() const { return resno_; }
  SDNode* operator->() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  // Another result of the same node.
  SDValue Result(unsigned resno) const { return {node_, resno}; }

  // kUntyped when there is no such result.
  inline MVT type() const;
  inline int16_t opcode() const;
  inline SDValue operand(unsigned i) const;
  inline bool HasOneUse() const;
  inline bool use_empty() const;

  friend constexpr bool operator==(const SDValue&, const SDValue&) = default;
  // By id, for tables; order and hash do not depend on addresses.
  inline uint64_t Key() const;

 private:
  SDNode* node_ = nullptr;
  unsigned resno_ = 0;
};

// One operand of a node, linked into the list of uses of the node whose result it is.
class SDUse {
 public:
  SDValue get() const { return {node(), resno_}; }
  operator SDValue() const { return get(); }  // NOLINT: an operand is a value
  inline SDNode* node() const;                // null when the operand is no value
  unsigned resno() const { return resno_; }
  inline MVT type() const;
  unsigned operand_number() const { return operand_number_; }
  // The node that has the operand.
  inline SDNode* user() const;
  // The next use of the same node (of any of its results); null at the end.
  inline SDUse* next() const;

 private:
  friend class SelectionDAG;
  friend class SDNode;
  inline NodeId id() const;

  NodeId node_;      // 0: none
  NodeId next_;      // an SDUse
  NodeId previous_;  // an SDUse, or 0 for the first
  uint16_t resno_;
  uint16_t operand_number_;
};
static_assert(sizeof(SDUse) == 16);

// LLVM's SDNodeFlags, with the bits that machine instructions have for them, and one of cicc's.
struct SDNodeFlags {
  enum : uint32_t {
    kNoNaNs = MachineInstr::kFmNoNans,
    kNoInfs = MachineInstr::kFmNoInfs,
    kNoSignedZeros = MachineInstr::kFmNsz,
    kAllowReciprocal = MachineInstr::kFmArcp,
    kAllowContract = MachineInstr::kFmContract,
    kApproximateFuncs = MachineInstr::kFmAfn,
    kAllowReassociation = MachineInstr::kFmReassoc,
    kNoUnsignedWrap = MachineInstr::kNoUWrap,
    kNoSignedWrap = MachineInstr::kNoSWrap,
    kExact = MachineInstr::kIsExact,
    kNoFPExcept = MachineInstr::kNoFPExcept,
    kUnpredictable = MachineInstr::kUnpredictable,
    kNoConvergent = MachineInstr::kNoConvergent,
    kNonNeg = MachineInstr::kNonNeg,
    kDisjoint = MachineInstr::kDisjoint,
    kSameSign = MachineInstr::kSameSign,
    kInBounds = MachineInstr::kInBounds,
    // The values of the node have been made by the glued node that is its operand: it leaves no instruction behind.
    kImplicitGlue = 1u << 24,
  };
  static constexpr uint32_t kFastMath =
      kNoNaNs | kNoInfs | kNoSignedZeros | kAllowReciprocal | kAllowContract | kApproximateFuncs | kAllowReassociation;
  // Those that an instruction has as well.
  static constexpr uint32_t kMachineInstrFlags = kImplicitGlue - 1;
};

// Where a node comes from: its position in the order of the source program (0: none), and its debug location, or what
// stands for that and a place in a file (DagFunction::LocAt). Nodes that are made of another one get its SDLoc.
struct SDLoc {
  uint32_t order = 0;
  MetadataId debug_loc = MachineInstr::kNoDebugLoc;
};

// NodeProperty flags of an opcode: the table's or, of machine opcodes (~opcode), what the instruction tables say.
uint64_t OpcodeProperties(int16_t opcode, const TargetInfo& target);

class SDNode {
 public:
  static constexpr unsigned kMaxOperands = 65535;
  static constexpr unsigned kMaxValues = 65535;

  // An isd::Opcode, or negative: ~ of a machine opcode.
  int16_t opcode() const { return opcode_; }
  bool is_machine_opcode() const { return opcode_ < 0; }
  ptxmir::Opcode machine_opcode() const { return static_cast<ptxmir::Opcode>(~opcode_); }
  NodePayload payload_kind() const { return is_machine_opcode() ? NodePayload::kMachine : Desc(opcode_).payload; }
  uint64_t properties() const;
  // Whether the node has a property of NodeProperty or, for those that are of a register (kReservedReg, kMachineReg,
  // kAllocatable), whether the operand has.
  bool HasProperty(uint64_t property, unsigned operand = 0) const;
  std::string_view name() const;  // "add"; of machine nodes the instruction's

  NodeId id() const { return DagArena::IdOf(this); }
  DagFunction& function() const { return *DagArena::OwnerOf(this); }
  // The block whose DAG the node belongs to.
  BlockNumber block() const { return block_; }

  unsigned num_operands() const { return num_operands_; }
  // No value when there is no such operand.
  SDValue operand(unsigned i) const { return i < num_operands_ ? uses_begin()[i].get() : SDValue(); }
  absl::Span<const SDUse> operands() const { return {uses_begin(), num_operands_}; }

  unsigned num_values() const { return num_values_; }
  // kUntyped when there is no such result.
  MVT value_type(unsigned i) const { return i < num_values_ ? value_type_data()[i] : MVT::kUntyped; }
  absl::Span<const MVT> value_types() const { return {value_type_data(), num_values_}; }
  bool HasChainResult() const;
  bool HasGlueResult() const { return num_values_ > 0 && value_type_data()[num_values_ - 1] == MVT::kGlue; }

  // Uses of any result, the newest first.
  SDUse* first_use() const { return first_use_ == 0 ? nullptr : Resolve<SDUse>(first_use_); }
  bool use_empty() const { return first_use_ == 0; }
  bool HasOneUse() const { return first_use_ != 0 && first_use()->next_ == 0; }
  bool HasAnyUseOfValue(unsigned resno) const;
  bool HasNUsesOfValue(unsigned n, unsigned resno) const;
  size_t CountUses() const;
  bool IsOperandOf(const SDNode& user) const;

  // The node that this one is glued to, through its last operand; null when it is to none.
  SDNode* GluedNode() const;
  // The node that is glued to this one; null when there is none.
  SDNode* GluedUser() const;
  // The chain operand: the first operand that is one. No value when there is none.
  SDValue ChainOperand() const;

  uint32_t flags() const { return flags_; }
  bool HasFlag(uint32_t flag) const { return (flags_ & flag) != 0; }
  void set_flags(uint32_t flags) { flags_ = flags; }
  bool is_divergent() const { return is_divergent_; }

  // For whoever walks over a DAG: numbers set by SelectionDAG::AssignTopologicalOrder or by a pass. -1 in new nodes.
  int32_t node_id() const { return node_id_; }
  void set_node_id(int32_t id) { node_id_ = id; }
  uint32_t ir_order() const { return ir_order_; }
  void set_ir_order(uint32_t order) { ir_order_ = order; }
  inline MetadataId debug_loc() const;
  void set_debug_loc(MetadataId loc) { debug_loc_ = loc; }
  SDLoc loc() const { return {ir_order_, debug_loc_}; }

  // The order in which the DAG holds its nodes.
  SDNode* next() const { return next_ == 0 ? nullptr : Resolve<SDNode>(next_); }
  SDNode* previous() const { return previous_ == 0 ? nullptr : Resolve<SDNode>(previous_); }
  // Whether the node has been taken out of its DAG: only listeners ever see such a node.
  bool is_deleted() const { return is_deleted_; }

 protected:
  friend class SelectionDAG;
  friend class SDUse;
  friend struct NodeCse;

  // The payload, by kind. All bytes that a kind does not use are zero.
  struct Payload {
    uint64_t low = 0;
    uint64_t high = 0;
    friend bool operator==(const Payload&, const Payload&) = default;
  };
  template <typename T>
  static Payload Pack(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Payload));
    Payload payload;
    std::memcpy(static_cast<void*>(&payload), &value, sizeof(T));
    return payload;
  }
  template <typename T>
  T Unpack() const {
    T value;
    std::memcpy(static_cast<void*>(&value), &payload_, sizeof(T));
    return value;
  }

  static constexpr unsigned kInlineTypes = 4;
  // A node's use lists and operands are ids relative to its arena.
  template <typename T>
  T* Resolve(NodeId id) const {
    return DagArena::Resolve<T>(this, id);
  }
  const MVT* value_type_data() const {
    return num_values_ <= kInlineTypes ? inline_types_ : Resolve<const MVT>(type_list_);
  }
  SDUse* uses_begin() const { return reinterpret_cast<SDUse*>(const_cast<SDNode*>(this) + 1); }

  SDNode() {}  // members are set by SelectionDAG

  int16_t opcode_;
  uint16_t num_values_;
  uint16_t num_operands_;
  uint16_t capacity_;  // operands for which there is room
  union {
    MVT inline_types_[kInlineTypes];
    NodeId type_list_;  // an array of MVT
  };
  uint32_t flags_;
  int32_t node_id_;
  NodeId first_use_;
  NodeId previous_;
  NodeId next_;
  uint32_t hash_;  // of everything that makes two nodes equal
  uint32_t ir_order_;
  MetadataId debug_loc_;
  uint32_t block_ : 28;
  uint32_t is_divergent_ : 1;
  uint32_t is_in_cse_map_ : 1;
  uint32_t is_deleted_ : 1;
  uint32_t is_marked_ : 1;  // for walks within SelectionDAG; otherwise 0
  Payload payload_;
};
static_assert(sizeof(SDNode) == 64);

// Views of nodes that hold something.

class ConstantSDNode : public SDNode {
 public:
  // The bits beyond the type's width are zero. Of vectors: the value of every element.
  absl::uint128 value() const { return absl::MakeUint128(payload_.high, payload_.low); }
  uint64_t ZExtValue() const { return payload_.low; }
  unsigned width() const { return ScalarSizeInBits(value_type(0)); }
  absl::int128 SExtValue128() const;
  int64_t SExtValue() const { return static_cast<int64_t>(SExtValue128()); }
  bool IsZero() const { return payload_ == Payload(); }
  bool IsOne() const { return payload_.low == 1 && payload_.high == 0; }
  bool IsAllOnes() const { return SExtValue128() == -1; }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kConstant; }
};

class ConstantFPSDNode : public SDNode {
 public:
  // In the format of the type, or of its elements.
  uint64_t bits() const { return payload_.low; }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kConstantFP; }
};

class GlobalAddressSDNode : public SDNode {
 public:
  struct Data {
    int64_t offset;
    GlobalId global;
    uint32_t target_flags;
  };
  GlobalId global() const { return Unpack<Data>().global; }
  int64_t offset() const { return Unpack<Data>().offset; }
  uint32_t target_flags() const { return Unpack<Data>().target_flags; }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kGlobal; }
};

class FrameIndexSDNode : public SDNode {
 public:
  int index() const { return static_cast<int>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kFrameIndex; }
};

class JumpTableSDNode : public SDNode {
 public:
  uint32_t index() const { return static_cast<uint32_t>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kJumpTable; }
};

class ConstantPoolSDNode : public SDNode {
 public:
  struct Data {
    int64_t offset;
    uint32_t index;  // into MachineFunction::constants()
    uint32_t unused;
  };
  uint32_t index() const { return Unpack<Data>().index; }
  int64_t offset() const { return Unpack<Data>().offset; }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kConstantPool; }
};

class RegisterSDNode : public SDNode {
 public:
  Register reg() const { return Register::FromBits(static_cast<uint32_t>(payload_.low)); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kRegister; }
};

class BasicBlockSDNode : public SDNode {
 public:
  BlockNumber target() const { return static_cast<BlockNumber>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kBlock; }
};

// Also labels and MCSymbols.
class ExternalSymbolSDNode : public SDNode {
 public:
  SymbolId symbol() const { return static_cast<SymbolId>(payload_.low); }
  std::string_view text() const;
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kExternalSymbol; }
};

// blockaddress(@f, %ir-block.b), kept as text.
class BlockAddressSDNode : public SDNode {
 public:
  SymbolId symbol() const { return static_cast<SymbolId>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kBlockAddress; }
};

class MDNodeSDNode : public SDNode {
 public:
  static constexpr MetadataId kNull = ~MetadataId{0};
  MetadataId metadata() const { return static_cast<MetadataId>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kMetadata; }
};

class CondCodeSDNode : public SDNode {
 public:
  CondCode code() const { return static_cast<CondCode>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kCondCode; }
};

class VTSDNode : public SDNode {
 public:
  EVT type() const { return EVT::FromRaw(static_cast<uint16_t>(payload_.low)); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kValueType; }
};

// Loads, stores, atomics, NVPTXISD's memory nodes, and intrinsics that access memory.
class MemSDNode : public SDNode {
 public:
  struct Data {
    const MachineMemOperand* memoperand;
    SymbolId intrinsic;  // of intrinsics
    EVT memory_type;
    LoadExt ext;         // of loads, also atomic ones
    bool is_truncating;  // of stores
  };
  // Null when the node was made without one; of intrinsics, when they access no memory.
  const MachineMemOperand* memoperand() const { return Unpack<Data>().memoperand; }
  EVT memory_type() const { return Unpack<Data>().memory_type; }
  LoadExt ext() const { return Unpack<Data>().ext; }
  bool is_truncating() const { return Unpack<Data>().is_truncating; }
  unsigned address_space() const;
  bool is_volatile() const { return memoperand() != nullptr && memoperand()->is_volatile(); }
  bool is_atomic() const { return memoperand() != nullptr && memoperand()->is_atomic(); }
  // The address of loads, stores, atomics, prefetches.
  SDValue base_pointer() const;
  static bool classof(const SDNode* node) {
    return node->payload_kind() == NodePayload::kMemory ||
           (node->payload_kind() == NodePayload::kIntrinsic &&
            static_cast<const MemSDNode*>(node)->memoperand() != nullptr);
  }
};
static_assert(sizeof(MemSDNode::Data) == 16);

// An intrinsic is known by its name ("llvm.nvvm.read.ptx.sreg.tid.x"), where LLVM has a number as an operand.
class IntrinsicSDNode : public SDNode {
 public:
  SymbolId symbol() const { return Unpack<MemSDNode::Data>().intrinsic; }
  std::string_view intrinsic_name() const;
  // Number of the first argument: behind the chain.
  unsigned first_argument() const { return opcode() == isd::kIntrinsicWOChain ? 0 : 1; }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kIntrinsic; }
};

class AddrSpaceCastSDNode : public SDNode {
 public:
  unsigned source_space() const { return static_cast<uint32_t>(payload_.low); }
  unsigned target_space() const { return static_cast<uint32_t>(payload_.high); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kAddrSpaceCast; }
};

class ShuffleVectorSDNode : public SDNode {
 public:
  struct Data {
    const int16_t* mask;
    uint64_t size;
  };
  // -1: undefined; else an element of both operands one after the other.
  absl::Span<const int16_t> mask() const {
    const Data data = Unpack<Data>();
    return {data.mask, data.size};
  }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kShuffle; }
};

class AssertAlignSDNode : public SDNode {
 public:
  uint8_t align_log2() const { return static_cast<uint8_t>(payload_.low); }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kAlign; }
};

// A selected instruction.
class MachineSDNode : public SDNode {
 public:
  struct Data {
    const MachineMemOperand* const* memoperands;
    uint64_t size;
  };
  absl::Span<const MachineMemOperand* const> memoperands() const {
    const Data data = Unpack<Data>();
    return {data.memoperands, data.size};
  }
  static bool classof(const SDNode* node) { return node->is_machine_opcode(); }
};

// Null when the node is of another kind (or null).
template <typename T>
T* DynCast(SDNode* node) {
  return node != nullptr && T::classof(node) ? static_cast<T*>(node) : nullptr;
}
template <typename T>
const T* DynCast(const SDNode* node) {
  return node != nullptr && T::classof(node) ? static_cast<const T*>(node) : nullptr;
}
template <typename T>
T* DynCast(const SDValue& value) {
  return DynCast<T>(value.node());
}

inline MVT SDValue::type() const { return node_ == nullptr ? MVT::kUntyped : node_->value_type(resno_); }
inline int16_t SDValue::opcode() const { return node_->opcode(); }
inline SDValue SDValue::operand(unsigned i) const { return node_->operand(i); }
inline bool SDValue::HasOneUse() const { return node_->HasNUsesOfValue(1, resno_); }
inline bool SDValue::use_empty() const { return !node_->HasAnyUseOfValue(resno_); }
inline uint64_t SDValue::Key() const {
  return node_ == nullptr ? 0 : uint64_t{node_->id()} << 32 | (uint64_t{resno_} + 1);
}

// Whether the value is a chain: not all that has a chain's type is one (BasicBlock, CondCode).
bool IsChain(const SDValue& value);

inline SDNode* SDUse::user() const { return reinterpret_cast<SDNode*>(const_cast<SDUse*>(this) - operand_number_) - 1; }
inline SDNode* SDUse::node() const { return node_ == 0 ? nullptr : user()->Resolve<SDNode>(node_); }
inline SDUse* SDUse::next() const { return next_ == 0 ? nullptr : user()->Resolve<SDUse>(next_); }
inline MVT SDUse::type() const { return get().type(); }
inline NodeId SDUse::id() const { return user()->id() + sizeof(SDNode) / DagArena::kUnit + operand_number_; }

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_SDNODE_H_
