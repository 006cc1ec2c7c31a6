// SPDX-License-Identifier: Apache-2.0

// ISD opcodes: the target-independent nodes and NVPTXISD's, with what the table isd_opcodes.inc says of each.
//
// A node's opcode is 16 bits: one of these, or, of a node that has been selected, ~opcode of the instruction tables
// (ptx/isa), which makes it negative, as in LLVM.
//
// Signatures. "results=operands", items separated by blanks. An item is one of
//   i32 ch glue ...  the name of a type: that type
//   I F S B P V N X  an integer or vector of integers; floating point or vector; a scalar integer; i1 or vector of i1;
//                    a pointer (i32, i64); a vector; a scalar; any of them. A digit behind the letter makes it a
//                    variable: equal digits are equal types
//   const sym md     a (Target)Constant, (Target)ExternalSymbol, MDNode
//   cc vt bb reg fi  a CondCode, ValueType, BasicBlock, Register, (Target)FrameIndex
//   ...*  and  *     any number of that, and of anything, from here on
//   ...?             may be missing: only for ch and glue, at the end
// What a signature cannot say is a TypeRelation. The verifier (dag_verifier.h) checks both.

#ifndef PTXMIR_SDAG_GRAPH_ISD_OPCODES_H_
#define PTXMIR_SDAG_GRAPH_ISD_OPCODES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/nearest_name.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

// 64 flags that describe a node, or an operand position of it (SDNode::HasProperty). Bits 7, 9, 19, 20, 22, 30 and 36
// are those of cicc's property query that the InstrEmitter documentation gives numbers for; the others are ours.
struct NodeProperty {
  enum : uint64_t {
    kCommutative = uint64_t{1} << 0,  // operands 0 and 1 may be exchanged
    kAssociative = uint64_t{1} << 1,
    kBinary = uint64_t{1} << 2,       // one result, two operands of its type
    kShift = uint64_t{1} << 3,        // a shift or rotation by operand 1
    kTarget = uint64_t{1} << 4,       // NVPTXISD, or a leaf that selection leaves alone
    kNoCse = uint64_t{1} << 5,        // two equal nodes are two nodes
    kSideEffects = uint64_t{1} << 6,  // does more than its results say
    kCall = uint64_t{1} << 7,         // isCall
    kAtomic = uint64_t{1} << 8,
    kReservedReg = uint64_t{1} << 9,  // isReservedReg: of an operand that is a register that is not allocated
    kTerminator = uint64_t{1} << 10,
    kIntrinsic = uint64_t{1} << 11,
    kAssert = uint64_t{1} << 12,       // result 0 is operand 0, of which something is known
    kImplicit = uint64_t{1} << 19,     // isImplicit: leaves no instruction of its own behind
    kMachineReg = uint64_t{1} << 20,   // isMachineReg: names a register
    kSubRegister = uint64_t{1} << 22,  // isSubRegister: EXTRACT_SUBREG and its like
    kAllocatable = uint64_t{1} << 30,  // isAllocatable: of an operand that is a virtual register
    // The value has been made by a glued node: no instruction for this one (SDNodeFlags::kImplicitGlue).
    kImplicitGlueConsumer = uint64_t{1} << 36,

    kAtomicRmw = kAtomic | kSideEffects | kNoCse,
  };
};

// What a node holds beside operands, and which view of SDNode reads it (sdnode.h).
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
  kIntrinsic,       // IntrinsicSDNode, which may access memory: a MemSDNode then
  kAddrSpaceCast,   // AddrSpaceCastSDNode
  kShuffle,         // ShuffleVectorSDNode
  kAlign,           // AssertAlignSDNode
  kMachine,         // MachineSDNode; of machine opcodes only
};

// Between result 0 (r0) and the value operands (o0, o1).
enum class TypeRelation : uint8_t {
  kNone,
  kWider,              // r0 has wider elements than o0, and as many
  kNarrower,           // narrower ones, and as many
  kSameLanes,          // as many elements as o0
  kSameLanesAsSecond,  // as many as o1
  kSameSize,           // as many bits as o0
  kAllLanes,           // as many elements in all results and operands
  kAllVectorLanes,     // as many elements in all vectors, and in what is i1 or vectors of it
  kLowElements,        // fewer and wider integers than o0's, with as many bits in all at least
  kElementOf,          // the element type of o0; integers may be wider
  kElementOfSecond,    // the element type of o1
  kSplat,              // o0 is the element type of r0; integers may be wider
  kInsertElement,      // o1 is the element type of r0; integers may be wider
  kTwice,              // twice as many bits as o0
  kBuildVector,        // an operand an element, all of one type: the elements', or a wider integer
  kConcat,             // the elements of all operands together
  kInsertSubvector,    // o1 is elements of r0, from the one on that o2, a constant, says
  kExtractSubvector,   // elements of o0, from the one on that o1 says
};

// Whether a type is of a class of signatures: one of the letters above.
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

// Precondition: an ISD opcode.
inline const NodeDesc& Desc(int16_t opcode) { return kNodeDescs[opcode]; }
// The opcode of a name, "add"; of nodes that print another name (CondCode, intrinsics), the table's. O(1).
std::optional<int16_t> FindIsdOpcode(std::string_view name);
// Of a strict node, the node without chain that computes the same; nullopt of others.
std::optional<int16_t> PlainOpcode(int16_t opcode);
// Offers all names.
void ConsiderIsdOpcodes(NearestName& nearest);

// Comparisons. Values and order are LLVM's ISD::CondCode: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered,
// bit 4: floating point without regard to NaNs, and integers, for which kSetU* are the unsigned ones.
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
// The code that is true where this one is false.
CondCode Inverse(CondCode code, bool is_integer);
// The code for exchanged operands.
CondCode Swapped(CondCode code);

// How a load widens what it reads, and whether a store stores only the low part.
enum class LoadExt : uint8_t { kNone, kAny, kSign, kZero };

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_ISD_OPCODES_H_
