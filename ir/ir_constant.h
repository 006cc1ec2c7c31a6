// SPDX-License-Identifier: Apache-2.0

// Constants of the embedded IR module: initializers of globals and operands of metadata.
//
// A constant is a tree of plain structs in the module's arena. An array or vector of plain numbers, the usual form
// of large initializers, is one node with an array of 64-bit words, instead of one node per element.

#ifndef PTXMIR_IR_IR_CONSTANT_H_
#define PTXMIR_IR_IR_CONSTANT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "ir/ids.h"
#include "ir/ir_type.h"

namespace ptxmir {

class Module;

struct IrConstant {
  enum class Kind : uint8_t {
    kInteger,  // words, least significant first; also i1 true and false
    kFloat,    // words: the bits in the type's own format
    kData,     // array or vector of integers or floats of at most 64 bits, one word each
    kString,   // c"..."; `text` holds the bytes
    kNullPointer,
    kNoneToken,
    kUndef,
    kPoison,
    kZeroInitializer,
    kAggregate,           // array, vector or structure; `operands` are the elements
    kSplat,               // vector with all elements equal to operands[0]
    kGlobal,              // @global
    kBlockAddress,        // blockaddress(@global, %text)
    kDsoLocalEquivalent,  // dso_local_equivalent @global
    kNoCfi,               // no_cfi @global
    kPtrAuth,             // ptrauth (...); see `operands`
    kExpression,          // `opcode` applied to `operands`; for comparisons, `text` is the predicate
  };

  enum class Opcode : uint8_t {
    kNone,
    kTrunc,
    kZExt,
    kSExt,
    kFpTrunc,
    kFpExt,
    kFpToUi,
    kFpToSi,
    kUiToFp,
    kSiToFp,
    kPtrToInt,
    kPtrToAddr,
    kIntToPtr,
    kBitcast,
    kAddrSpaceCast,
    kAdd,
    kSub,
    kMul,
    kUDiv,
    kSDiv,
    kURem,
    kSRem,
    kShl,
    kLShr,
    kAShr,
    kAnd,
    kOr,
    kXor,
    kGetElementPtr,
    kExtractElement,
    kInsertElement,
    kShuffleVector,
    kICmp,
    kFCmp,
    kSelect,
  };

  enum Flag : uint8_t {
    kNuw = 1 << 0,
    kNsw = 1 << 1,
    kExact = 1 << 2,
    kInBounds = 1 << 3,
    kNusw = 1 << 4,
    kInRange = 1 << 5,        // `words` holds the two bounds
    kNumberedBlock = 1 << 6,  // for block addresses: `text` is a slot number
  };

  Kind kind = Kind::kUndef;
  Opcode opcode = Opcode::kNone;
  uint8_t flags = 0;
  GlobalId global = 0;
  const IrType* type = nullptr;
  const IrType* source_type = nullptr;  // for getelementptr: the type that the indices step through
  std::string_view text = {};
  absl::Span<const uint64_t> words = {};
  absl::Span<const IrConstant* const> operands = {};

  bool is_integer() const { return kind == Kind::kInteger; }
  // Return the value of an integer of at most 64 bits.
  uint64_t ZExtValue() const { return words.empty() ? 0 : words[0]; }
  int64_t SExtValue() const {
    const uint32_t width = type->integer_width();
    if (width >= 64) return static_cast<int64_t>(ZExtValue());
    return static_cast<int64_t>(ZExtValue() << (64 - width)) >> (64 - width);
  }
};

// Calls `visit` with the id of each global value that the constant mentions, as often as it does.
template <typename Visit>
void VisitGlobals(const IrConstant& constant, const Visit& visit) {
  switch (constant.kind) {
    case IrConstant::Kind::kGlobal:
    case IrConstant::Kind::kBlockAddress:
    case IrConstant::Kind::kDsoLocalEquivalent:
    case IrConstant::Kind::kNoCfi:
      visit(constant.global);
      return;
    default:
      for (const IrConstant* operand : constant.operands) VisitGlobals(*operand, visit);
      return;
  }
}

// Appends the constant in LLVM's syntax, without its type.
void AppendConstant(const Module& module, const IrConstant& constant, std::string* out);
// Return the constant in LLVM's syntax, without and with its type in front.
std::string ToString(const Module& module, const IrConstant& constant);
std::string ToStringWithType(const Module& module, const IrConstant& constant);

// Returns LLVM's spelling of an opcode, such as "getelementptr". Empty for kNone.
std::string_view OpcodeName(IrConstant::Opcode opcode);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_CONSTANT_H_
