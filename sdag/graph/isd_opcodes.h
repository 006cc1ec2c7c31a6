// SPDX-License-Identifier: Apache-2.0

// ISD opcodes: the target-independent nodes and those of NVPTXISD, with their descriptions from isd_opcodes.inc.
//
// A node's opcode has 16 bits. It is one of these or, for a selected node, the complement (~) of an opcode of the
// instruction tables (ptx/isa), which makes it negative, as in LLVM.
//
// A signature has the form "results=operands", with items separated by blanks. An item is one of:
//   i32 ch glue ...  this type
//   I F S B P V N X  a class of types: integer or vector of integers; floating point or vector of it; scalar
//                    integer; i1 or vector of i1; pointer (i32, i64); vector; scalar; any of them. A digit after the
//                    letter makes it a variable: equal digits are equal types
//   const sym md     a (Target)Constant, (Target)ExternalSymbol, MDNode
//   cc vt bb reg fi  a CondCode, ValueType, BasicBlock, Register, (Target)FrameIndex
//   ...*  and  *     any number of the item, or of any items, from here on
//   ...?             an item that may be missing: only ch and glue, at the end
// TypeRelation covers the conditions that a signature cannot express. The verifier (dag_verifier.h) checks both.

#ifndef PTXMIR_SDAG_GRAPH_ISD_OPCODES_H_
#define PTXMIR_SDAG_GRAPH_ISD_OPCODES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/nearest_name.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

// 64 flags that describe a node, or one of its operands (SDNode::HasProperty). Bits 7, 9, 19, 20, 22, 30 and 36
// have the numbers that they have in the property query of cicc's InstrEmitter; the others are ours.
struct NodeProperty {
  enum : uint64_t {
    kCommutative = uint64_t{1} << 0,  // operands 0 and 1 may be exchanged
    kAssociative = uint64_t{1} << 1,
    kBinary = uint64_t{1} << 2,       // one result, two operands of its type
    kShift = uint64_t{1} << 3,        // a shift or rotation by operand 1
    kTarget = uint64_t{1} << 4,       // NVPTXISD, or a leaf that selection leaves alone
    kNoCse = uint64_t{1} << 5,        // two equal nodes stay two nodes
    kSideEffects = uint64_t{1} << 6,  // has effects besides its results
    kCall = uint64_t{1} << 7,         // isCall
    kAtomic = uint64_t{1} << 8,
    kReservedReg = uint64_t{1} << 9,  // isReservedReg: the operand is a register that is not allocated
    kTerminator = uint64_t{1} << 10,
    kIntrinsic = uint64_t{1} << 11,
    kAssert = uint64_t{1} << 12,       // result 0 is operand 0, of which something is known
    kImplicit = uint64_t{1} << 19,     // isImplicit: makes no instruction of its own
    kMachineReg = uint64_t{1} << 20,   // isMachineReg: names a register
    kSubRegister = uint64_t{1} << 22,  // isSubRegister: EXTRACT_SUBREG and the like
    kAllocatable = uint64_t{1} << 30,  // isAllocatable: the operand is a virtual register
    // The value was made by a glued node; this node makes no instruction (SDNodeFlags::kImplicitGlue).
    kImplicitGlueConsumer = uint64_t{1} << 36,

    kAtomicRmw = kAtomic | kSideEffects | kNoCse,
  };
};

// The data that a node holds in addition to operands, and the view of SDNode that reads it (sdnode.h).
enum class NodePayload : uint8_t {
  kNone,
  kConstant,        // ConstantSDNode
  kConstantFP,      // ConstantFPSDNode
  kGlobal,          // GlobalAddressSDNode
  kFrameIndex,      // FrameIndexSDNode
  kJumpTable,       // JumpTableSDNode
  kConstantPool,    // ConstantPoolSDNode
  kRegister,        // RegisterSDNode
  kBlock,           // BasicBlockSDNode
  kExternalSymbol,  // ExternalSymbolSDNode
  kBlockAddress,    // BlockAddressSDNode
  kMetadata,        // MDNodeSDNode
  kCondCode,        // CondCodeSDNode
  kValueType,       // VTSDNode
  kMemory,          // MemSDNode
  kIntrinsic,       // IntrinsicSDNode; if it accesses memory, also a MemSDNode
  kAddrSpaceCast,   // AddrSpaceCastSDNode
  kShuffle,         // ShuffleVectorSDNode
  kAlign,           // AssertAlignSDNode
  kMachine,         // MachineSDNode; machine opcodes only
};

// A relation between result 0 (r0) and the value operands (o0, o1).
enum class TypeRelation : uint8_t {
  kNone,
  kWider,              // r0 has wider elements than o0, and as many
  kNarrower,           // r0 has narrower elements than o0, and as many
  kSameLanes,          // r0 has as many elements as o0
  kSameLanesAsSecond,  // r0 has as many elements as o1
  kSameSize,           // r0 has as many bits as o0
  kAllLanes,           // all results and operands have equally many elements
  kAllVectorLanes,     // all vectors and all i1 or vectors of i1 have equally many elements
  kLowElements,        // r0 has fewer and wider integers than o0, with at least as many bits in all
  kElementOf,          // r0 is the element type of o0; integers may be wider
  kElementOfSecond,    // r0 is the element type of o1
  kSplat,              // o0 is the element type of r0; integers may be wider
  kInsertElement,      // o1 is the element type of r0; integers may be wider
  kTwice,              // r0 has twice as many bits as o0
  kBuildVector,        // one operand per element, all of one type: the element type, or a wider integer
  kConcat,             // r0 has the elements of all operands, one after another
  kInsertSubvector,    // o1 replaces elements of r0, starting at the constant o2
  kExtractSubvector,   // r0 is elements of o0, starting at the constant o1
};

// Returns true if a type belongs to a type class of signatures, given by one of the letters above.
bool IsOfTypeClass(MVT type, char type_class);

namespace isd {
enum Opcode : int16_t {
#define SDAG_OPCODE(enumerator, name, payload, signature, relation, properties) enumerator,
#include "sdag/graph/isd_opcodes.inc"
  kNumOpcodes,
};
}  // namespace isd

struct NodeDesc {
  std::string_view name;
  std::string_view signature;
  uint64_t properties;
  NodePayload payload;
  TypeRelation relation;
};

extern const NodeDesc kNodeDescs[isd::kNumOpcodes];

// Returns the description of an opcode. Precondition: it is an ISD opcode.
inline const NodeDesc& Desc(int16_t opcode) { return kNodeDescs[opcode]; }
// Returns the opcode with a name, such as "add". Nodes that print another name (CondCode, intrinsics) are found by
// the table's. O(1).
std::optional<int16_t> FindIsdOpcode(std::string_view name);
// Returns the node without a chain that computes the same as a strict node; nullopt for other nodes.
std::optional<int16_t> PlainOpcode(int16_t opcode);
// Offers all names to `nearest`.
void ConsiderIsdOpcodes(NearestName& nearest);

// Comparisons, with the values and order of LLVM's ISD::CondCode. Bit 0: equal; bit 1: greater; bit 2: less; bit 3:
// unordered. Bit 4: floating point without regard to NaNs, and integers, of which kU* are the unsigned comparisons.
enum class CondCode : uint8_t {
  kFalse,
  kOeq,
  kOgt,
  kOge,
  kOlt,
  kOle,
  kOne,
  kO,
  kUo,
  kUeq,
  kUgt,
  kUge,
  kUlt,
  kUle,
  kUne,
  kTrue,
  kFalse2,
  kEq,
  kGt,
  kGe,
  kLt,
  kLe,
  kNe,
  kTrue2,
};
inline constexpr int kNumCondCodes = 24;
std::string_view Name(CondCode code);  // "setult"
std::optional<CondCode> FindCondCode(std::string_view name);
// Returns the code that is true exactly where this one is false.
CondCode Inverse(CondCode code, bool is_integer);
// Returns the code that gives the same result after the operands are exchanged.
CondCode Swapped(CondCode code);

// How a load widens the value that it reads, and whether a store stores only the low part.
enum class LoadExt : uint8_t { kNone, kAny, kSign, kZero };

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_ISD_OPCODES_H_
