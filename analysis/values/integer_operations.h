// SPDX-License-Identifier: Apache-2.0

// Tells which integer operation an instruction performs, in which width and with which signs. Known bits, demanded bits
// and the passes that rewrite integers ask this instead of comparing opcodes.
//
// The table is made once, from the names of the semantic tags: "mad.wide.s32" is a multiplication and addition of
// signed 32-bit numbers. Names that are not understood have no operation.

#ifndef PTXMIR_ANALYSIS_VALUES_INTEGER_OPERATIONS_H_
#define PTXMIR_ANALYSIS_VALUES_INTEGER_OPERATIONS_H_

#include <cstdint>
#include <optional>

#include "mir/code/instr_desc.h"
#include "ptx/isa/isa_enums.h"
#include "ptx/isa/isa_semantics.h"

namespace ptxmir {

enum class IntegerOp : uint8_t {
  kNone,
  kMove,
  kAdd,
  kSub,
  kMulLo,
  kMulHi,
  kMulWide,
  kMadLo,
  kMadWide,
  kDiv,
  kRem,
  kMin,
  kMax,
  kAbs,
  kNeg,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,
  kShr,  // arithmetic if signed
  kFunnelLeft,
  kFunnelRight,
  kExtractField,
  kInsertField,
  kFindLeading,       // bfind
  kFindLeadingShift,  // bfind.shiftamt
  kReverse,
  kCountLeadingZeros,
  kCountOnes,
  kPermute,
  kConvert,       // between integers
  kConvertFloat,  // from floating point
  kCompare,
  kSelect,
  kUnpack,      // the results are the parts, low ones first
  kUnpackHigh,  // the one result is the high half
  kPack,
  kLoad,
};

struct IntegerOperation {
  IntegerOp op = IntegerOp::kNone;
  bool is_signed = false;
  bool is_clamped = false;   // the shift amount of a funnel shift saturates; else it wraps
  bool from_signed = false;  // conversions
  uint8_t bits = 0;          // the width of the operands; of the result of a conversion; of the whole of a (un)pack
  uint8_t from_bits = 0;     // conversions: the width of the operand; (un)packs: of a part
};

// Returns the operation of a computation, with kNone for those that are not known.
const IntegerOperation& IntegerOperationOf(ptx::SemanticTag semantics);
// Returns the operation of an opcode. Moves are those of registers and constants alone.
const IntegerOperation& IntegerOperationOf(Opcode opcode);

// Returns the width of source `source` (the operands after the definitions, from 0), or 0 if its register may be wider
// than what is read.
unsigned SourceBits(const IntegerOperation& operation, unsigned source);

// Returns the tag of an operation in another width, sign or kind: add.s32 for {kAdd, 32 bits}. Returns nullopt if there
// is none. Only what IntegerOperation says is compared.
std::optional<ptx::SemanticTag> FindSemantics(const IntegerOperation& operation);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_INTEGER_OPERATIONS_H_
