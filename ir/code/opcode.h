// SPDX-License-Identifier: Apache-2.0

// The opcodes of LLVM IR's instructions, their flags, and the words that qualify them.

#ifndef PTXMIR_IR_CODE_OPCODE_H_
#define PTXMIR_IR_CODE_OPCODE_H_

#include <cstdint>
#include <string_view>

namespace ptxmir::ir {

// The groups are contiguous; the functions below depend on their order. Instructions that PTX cannot express
// (indirectbr, invoke, callbr, resume, landingpad and those of Windows' exceptions) have no opcode: the reader refuses
// them.
enum class Opcode : uint8_t {
  // Terminators.
  kRet,
  kBr,
  kSwitch,
  kUnreachable,
  // Arithmetic.
  kFNeg,
  kAdd,
  kFAdd,
  kSub,
  kFSub,
  kMul,
  kFMul,
  kUDiv,
  kSDiv,
  kFDiv,
  kURem,
  kSRem,
  kFRem,
  kShl,
  kLShr,
  kAShr,
  kAnd,
  kOr,
  kXor,
  // Casts.
  kTrunc,
  kZExt,
  kSExt,
  kFPToUI,
  kFPToSI,
  kUIToFP,
  kSIToFP,
  kFPTrunc,
  kFPExt,
  kPtrToInt,
  kPtrToAddr,
  kIntToPtr,
  kBitCast,
  kAddrSpaceCast,
  // Memory.
  kAlloca,
  kLoad,
  kStore,
  kGetElementPtr,
  kFence,
  kCmpXchg,
  kAtomicRMW,
  // Others.
  kICmp,
  kFCmp,
  kPhi,
  kSelect,
  kCall,
  kVAArg,
  kFreeze,
  kExtractElement,
  kInsertElement,
  kShuffleVector,
  kExtractValue,
  kInsertValue,
  // Debug records. They belong to the instruction that follows them and are in no block's list.
  kDbgValue,
  kDbgDeclare,
  kDbgDeclareValue,
  kDbgAssign,
  kDbgLabel,
};
inline constexpr int kNumOpcodes = static_cast<int>(Opcode::kDbgLabel) + 1;

constexpr bool IsTerminator(Opcode opcode) { return opcode <= Opcode::kUnreachable; }
constexpr bool IsBinary(Opcode opcode) { return opcode >= Opcode::kAdd && opcode <= Opcode::kXor; }
constexpr bool IsCast(Opcode opcode) { return opcode >= Opcode::kTrunc && opcode <= Opcode::kAddrSpaceCast; }
constexpr bool IsDebugRecord(Opcode opcode) { return opcode >= Opcode::kDbgValue; }
// Returns true for operations on floating-point numbers among the binary ones.
constexpr bool IsFloatBinary(Opcode opcode) {
  return opcode == Opcode::kFAdd || opcode == Opcode::kFSub || opcode == Opcode::kFMul || opcode == Opcode::kFDiv ||
         opcode == Opcode::kFRem;
}

// The flags of an instruction: those that LLVM prints as words, in LLVM's order, then the fields of atomics.
enum InstructionFlag : uint32_t {
  kReassoc = 1u << 0,
  kNoNans = 1u << 1,
  kNoInfs = 1u << 2,
  kNoSignedZeros = 1u << 3,
  kAllowReciprocal = 1u << 4,
  kAllowContract = 1u << 5,
  kApproxFunc = 1u << 6,
  kFastMath = (1u << 7) - 1,  // all of the above, written "fast"
  kInBounds = 1u << 7,
  kNoUnsignedSignedWrap = 1u << 8,
  kNoUnsignedWrap = 1u << 9,
  kNoSignedWrap = 1u << 10,
  kExact = 1u << 11,
  kDisjoint = 1u << 12,
  kNonNeg = 1u << 13,
  kSameSign = 1u << 14,
  kWeak = 1u << 15,
  kVolatile = 1u << 16,
  kInAlloca = 1u << 17,
  kSwiftError = 1u << 18,
};
inline constexpr uint32_t kPrintedFlags = (1u << 19) - 1;

enum class AtomicOrdering : uint8_t {
  kNotAtomic,
  kUnordered,
  kMonotonic,
  kAcquire,
  kRelease,
  kAcquireRelease,
  kSequentiallyConsistent,
};

enum class AtomicOperation : uint8_t {
  kXchg,
  kAdd,
  kSub,
  kAnd,
  kNand,
  kOr,
  kXor,
  kMax,
  kMin,
  kUMax,
  kUMin,
  kFAdd,
  kFSub,
  kFMax,
  kFMin,
  kFMaximum,
  kFMinimum,
  kUIncWrap,
  kUDecWrap,
  kUSubCond,
  kUSubSat,
};
inline constexpr int kNumAtomicOperations = static_cast<int>(AtomicOperation::kUSubSat) + 1;

// The predicates of fcmp, then those of icmp. Those of fcmp are sets of four relations: equal (1), greater (2), less
// (4), unordered (8).
enum class Predicate : uint8_t {
  kFalse,
  kOeq,
  kOgt,
  kOge,
  kOlt,
  kOle,
  kOne,
  kOrd,
  kUno,
  kUeq,
  kUgtFloat,
  kUgeFloat,
  kUltFloat,
  kUleFloat,
  kUneFloat,
  kTrue,
  kEq,
  kNe,
  kUgt,
  kUge,
  kUlt,
  kUle,
  kSgt,
  kSge,
  kSlt,
  kSle,
};
constexpr bool IsIntegerPredicate(Predicate predicate) { return predicate >= Predicate::kEq; }

enum class TailKind : uint8_t { kNone, kTail, kMustTail, kNoTail };

// Return LLVM's words: "getelementptr", "acq_rel", "uinc_wrap", "slt", "nsw". The word of a debug record is without
// '#'.
std::string_view OpcodeWord(Opcode opcode);
std::string_view OrderingWord(AtomicOrdering ordering);
std::string_view OperationWord(AtomicOperation operation);
std::string_view PredicateWord(Predicate predicate);
std::string_view FlagWord(InstructionFlag flag);

// Returns the flags that may be written behind an opcode.
uint32_t AllowedFlags(Opcode opcode);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_OPCODE_H_
