// SPDX-License-Identifier: Apache-2.0

// SDNode: an operation of a SelectionDAG, with SDValue (one of its results) and SDUse (one of its operands).
//
// A node is a header of 64 bytes, directly followed by its operands, 16 bytes each. Nodes live in the arena of
// their function's DAGs. Links (use lists, the list of nodes) are ids of that arena. A use needs no link to its
// node: it finds the node from its operand number. LLVM 22 takes 88 bytes for a node, 40 for an operand, and more
// for nodes with a payload. Here every payload (constants of 128 bits, memory operands, symbols with offsets) fits
// the last 16 bytes of the header. The classes derived from SDNode are therefore views without members, and a node
// can become another kind of node in place.
//
// Only SelectionDAG makes and changes nodes. A caller's mistake (an operand that is no value, a type that does not
// fit) stays in the graph for the verifier to report. No accessor here stops the program because of it.

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
#include "base/id_arena.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_function.h"
#include "sdag/graph/isd_opcodes.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

class DagFunction;
class SDNode;
class SelectionDAG;

// The memory of the nodes of all DAGs of a function. It is not that of the machine function, because DAGs die when
// machine code has been made from them, long before their function does.
using DagArena = IdArena<DagFunction>;
// The offset of an object in its arena, in 16-byte units. 0 is null.
using NodeId = DagArena::Id;

// One result of a node, or nothing.
class SDValue {
 public:
  constexpr SDValue() = default;
  constexpr SDValue(SDNode* node, unsigned resno) : node_(node), resno_(resno) {}

  SDNode* node() const { return node_; }
  unsigned resno() const { return resno_; }
  SDNode* operator->() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  // Returns another result of the same node.
  SDValue Result(unsigned resno) const { return {node_, resno}; }

  // Returns the type, or kUntyped if there is no such result.
  inline MVT type() const;
  inline int16_t opcode() const;
  inline SDValue operand(unsigned i) const;
  inline bool HasOneUse() const;
  inline bool use_empty() const;

  friend constexpr bool operator==(const SDValue&, const SDValue&) = default;
  // Returns a key for tables. It is made from ids, so that order and hash do not depend on addresses.
  inline uint64_t Key() const;

 private:
  SDNode* node_ = nullptr;
  unsigned resno_ = 0;
};

// One operand of a node, linked into the use list of the node that defines it.
class SDUse {
 public:
  SDValue get() const { return {node(), resno_}; }
  operator SDValue() const { return get(); }  // NOLINT: an operand is a value
  inline SDNode* node() const;                // null if the operand is no value
  unsigned resno() const { return resno_; }
  inline MVT type() const;
  unsigned operand_number() const { return operand_number_; }
  // Returns the node that has the operand.
  inline SDNode* user() const;
  // Returns the next use of the same node (of any of its results), or null at the end.
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

// LLVM's SDNodeFlags, in the bits that machine instructions use for them, and one flag of cicc's.
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
    // The glued node that is this node's operand has made the node's values. The node makes no instruction.
    kImplicitGlue = 1u << 24,
  };
  static constexpr uint32_t kFastMath =
      kNoNaNs | kNoInfs | kNoSignedZeros | kAllowReciprocal | kAllowContract | kApproximateFuncs | kAllowReassociation;
  // The flags that instructions also have.
  static constexpr uint32_t kMachineInstrFlags = kImplicitGlue - 1;
};

// The origin of a node: its position in the source program (0: none) and its debug location. The debug location may
// be an id that stands for a location together with a position in a file (DagFunction::LocAt). Nodes made from
// another node get its SDLoc.
struct SDLoc {
  uint32_t order = 0;
  MetadataId debug_loc = MachineInstr::kNoDebugLoc;
};

// Returns the NodeProperty flags of an opcode, from the table or, for a machine opcode (~opcode), from the
// instruction tables.
uint64_t OpcodeProperties(int16_t opcode, const TargetInfo& target);

class SDNode {
 public:
  static constexpr unsigned kMaxOperands = 65535;
  static constexpr unsigned kMaxValues = 65535;

  // Returns an isd::Opcode or, if negative, the complement (~) of a machine opcode.
  int16_t opcode() const { return opcode_; }
  bool is_machine_opcode() const { return opcode_ < 0; }
  ptxmir::Opcode machine_opcode() const { return static_cast<ptxmir::Opcode>(~opcode_); }
  NodePayload payload_kind() const { return is_machine_opcode() ? NodePayload::kMachine : Desc(opcode_).payload; }
  uint64_t properties() const;
  // Returns true if the node has a property of NodeProperty. For the properties of registers (kReservedReg,
  // kMachineReg, kAllocatable), returns true if the operand has it.
  bool HasProperty(uint64_t property, unsigned operand = 0) const;
  std::string_view name() const;  // "add"; for a machine node, the instruction's name

  NodeId id() const { return DagArena::IdOf(this); }
  DagFunction& function() const { return *DagArena::OwnerOf(this); }
  // Returns the block whose DAG the node belongs to.
  BlockNumber block() const { return block_; }

  unsigned num_operands() const { return num_operands_; }
  // Returns the operand, or no value if there is no such operand.
  SDValue operand(unsigned i) const { return i < num_operands_ ? uses_begin()[i].get() : SDValue(); }
  absl::Span<const SDUse> operands() const { return {uses_begin(), num_operands_}; }

  unsigned num_values() const { return num_values_; }
  // Returns the type of a result, or kUntyped if there is no such result.
  MVT value_type(unsigned i) const { return i < num_values_ ? value_type_data()[i] : MVT::kUntyped; }
  absl::Span<const MVT> value_types() const { return {value_type_data(), num_values_}; }
  bool HasChainResult() const;
  bool HasGlueResult() const { return num_values_ > 0 && value_type_data()[num_values_ - 1] == MVT::kGlue; }

  // Returns the newest use of any result; SDUse::next leads to the others.
  SDUse* first_use() const { return first_use_ == 0 ? nullptr : Resolve<SDUse>(first_use_); }
  bool use_empty() const { return first_use_ == 0; }
  bool HasOneUse() const { return first_use_ != 0 && first_use()->next_ == 0; }
  bool HasAnyUseOfValue(unsigned resno) const;
  bool HasNUsesOfValue(unsigned n, unsigned resno) const;
  size_t CountUses() const;
  bool IsOperandOf(const SDNode& user) const;

  // Returns the node that this one is glued to, through its last operand, or null if there is none.
  SDNode* GluedNode() const;
  // Returns the node that is glued to this one, or null if there is none.
  SDNode* GluedUser() const;
  // Returns the chain operand, which is the first operand that is a chain, or no value if there is none.
  SDValue ChainOperand() const;

  uint32_t flags() const { return flags_; }
  bool HasFlag(uint32_t flag) const { return (flags_ & flag) != 0; }
  void set_flags(uint32_t flags) { flags_ = flags; }
  bool is_divergent() const { return is_divergent_; }

  // A number for walks over a DAG, set by SelectionDAG::TopologicalOrder or by a pass. -1 in new nodes.
  int32_t node_id() const { return node_id_; }
  void set_node_id(int32_t id) { node_id_ = id; }
  uint32_t ir_order() const { return ir_order_; }
  void set_ir_order(uint32_t order) { ir_order_ = order; }
  inline MetadataId debug_loc() const;
  void set_debug_loc(MetadataId loc) { debug_loc_ = loc; }
  SDLoc loc() const { return {ir_order_, debug_loc_}; }

  // Return the neighbors in the DAG's list of nodes.
  SDNode* next() const { return next_ == 0 ? nullptr : Resolve<SDNode>(next_); }
  SDNode* previous() const { return previous_ == 0 ? nullptr : Resolve<SDNode>(previous_); }
  // Returns true if a debug value describes a variable by a result of the node (sd_dbg_info.h).
  bool has_debug_value() const { return has_debug_value_; }
  // Returns true if the node has been taken out of its DAG. Only listeners ever see such a node.
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
  // Resolves a use or an operand, which are ids relative to the node's arena.
  template <typename T>
  T* Resolve(NodeId id) const {
    return DagArena::ResolveNear<T>(this, id);
  }
  const MVT* value_type_data() const {
    return num_values_ <= kInlineTypes ? inline_types_ : Resolve<const MVT>(type_list_);
  }
  SDUse* uses_begin() const { return reinterpret_cast<SDUse*>(const_cast<SDNode*>(this) + 1); }

  SDNode() {}  // members are set by SelectionDAG

  int16_t opcode_;
  uint16_t num_values_;
  uint16_t num_operands_;
  uint16_t capacity_;  // the number of operands for which there is room
  union {
    MVT inline_types_[kInlineTypes];
    NodeId type_list_;  // an array of MVT
  };
  uint32_t flags_;
  int32_t node_id_;
  NodeId first_use_;
  NodeId previous_;
  NodeId next_;
  uint32_t hash_;  // of everything that must match for two nodes to be equal
  uint32_t ir_order_;
  MetadataId debug_loc_;
  uint32_t block_ : 27;
  uint32_t has_debug_value_ : 1;
  uint32_t is_divergent_ : 1;
  uint32_t is_in_cse_map_ : 1;
  uint32_t is_deleted_ : 1;
  uint32_t is_marked_ : 1;  // for walks within SelectionDAG; otherwise 0
  Payload payload_;
};
static_assert(sizeof(SDNode) == 64);

// Views of nodes that have a payload.

class ConstantSDNode : public SDNode {
 public:
  // Returns the constant, or the value of every element of a vector. The bits beyond the type's width are zero.
  absl::uint128 value() const { return absl::MakeUint128(payload_.high, payload_.low); }
  uint64_t ZExtValue() const { return payload_.low; }
  unsigned width() const { return ScalarSizeInBits(value_type(0)); }
  absl::int128 SExtValue128() const;
  // Returns the low 64 bits of that.
  int64_t SExtValue() const {
    const unsigned bits = width();
    if (bits == 0 || bits >= 64) return static_cast<int64_t>(payload_.low);
    return static_cast<int64_t>(payload_.low << (64 - bits)) >> (64 - bits);
  }
  bool IsZero() const { return payload_ == Payload(); }
  bool IsOne() const { return payload_.low == 1 && payload_.high == 0; }
  bool IsAllOnes() const { return SExtValue128() == -1; }
  static bool classof(const SDNode* node) { return node->payload_kind() == NodePayload::kConstant; }
};

class ConstantFPSDNode : public SDNode {
 public:
  // Returns the constant in the format of the type or of its elements.
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

// External symbols, labels and MCSymbols.
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
    SymbolId intrinsic;  // only of intrinsics
    EVT memory_type;
    LoadExt ext;         // only of loads, including atomic ones
    bool is_truncating;  // only of stores
  };
  // Returns the memory operand. Null if the node was made without one, or if an intrinsic accesses no memory.
  const MachineMemOperand* memoperand() const { return Unpack<Data>().memoperand; }
  EVT memory_type() const { return Unpack<Data>().memory_type; }
  LoadExt ext() const { return Unpack<Data>().ext; }
  bool is_truncating() const { return Unpack<Data>().is_truncating; }
  unsigned address_space() const;
  bool is_volatile() const { return memoperand() != nullptr && memoperand()->is_volatile(); }
  bool is_atomic() const { return memoperand() != nullptr && memoperand()->is_atomic(); }
  // Returns the address of a load, store, atomic or prefetch.
  SDValue base_pointer() const;
  static bool classof(const SDNode* node) {
    return node->payload_kind() == NodePayload::kMemory ||
           (node->payload_kind() == NodePayload::kIntrinsic &&
            static_cast<const MemSDNode*>(node)->memoperand() != nullptr);
  }
};

// Returns a node that accesses memory as what it is.
inline const MemSDNode& AsMemSDNode(const SDNode& node) { return static_cast<const MemSDNode&>(node); }
static_assert(sizeof(MemSDNode::Data) == 16);

// An intrinsic, identified by its name ("llvm.nvvm.read.ptx.sreg.tid.x"). LLVM identifies it by a number in an
// operand.
class IntrinsicSDNode : public SDNode {
 public:
  SymbolId symbol() const { return Unpack<MemSDNode::Data>().intrinsic; }
  std::string_view intrinsic_name() const;
  // Returns the operand number of the first argument, which follows the chain.
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
  // Returns the mask. Each entry is -1 (undefined) or the index of an element in the concatenation of both
  // operands.
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

// Returns the node as a T, or null if it is null or of another kind.
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

// Returns true if the value is a chain. Some nodes (BasicBlock, CondCode) have a chain's type but are not chains.
inline bool IsChain(const SDValue& value) {
  if (value.type() != MVT::kOther) return false;
  switch (value->payload_kind()) {
    case NodePayload::kBlock:
    case NodePayload::kCondCode:
    case NodePayload::kValueType:
    case NodePayload::kMetadata:
      return false;
    default:
      return true;
  }
}

inline SDNode* SDUse::user() const { return reinterpret_cast<SDNode*>(const_cast<SDUse*>(this) - operand_number_) - 1; }
inline SDNode* SDUse::node() const { return node_ == 0 ? nullptr : user()->Resolve<SDNode>(node_); }
inline SDUse* SDUse::next() const { return next_ == 0 ? nullptr : user()->Resolve<SDUse>(next_); }
inline MVT SDUse::type() const { return get().type(); }
inline NodeId SDUse::id() const { return user()->id() + sizeof(SDNode) / DagArena::kUnit + operand_number_; }

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_SDNODE_H_
