// SPDX-License-Identifier: Apache-2.0

// Conversions.

#include "base/str_cat.h"
#include "sdag/from_ir/elementwise.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

using ir::Opcode;

SDValue ConvertPart(FunctionBuilder& builder, const ir::Instruction& instruction, const ValuePart& to,
                    const ValuePart& from, SDValue value) {
  const uint32_t flags = from.is_exact() && to.is_exact() ? NodeFlags(instruction) : 0;
  // An integer of the same number of bits needs no node; the bits that do not count may stay.
  const auto integer = [&](SDValue source, int16_t extension) {
    const unsigned source_bits = SizeInBits(from.type), result_bits = SizeInBits(to.type);
    if (source_bits == result_bits) return source;
    return builder.Node(source_bits < result_bits ? extension : int16_t{isd::kTruncate}, to.type, {source}, flags);
  };
  switch (instruction.opcode()) {
    case Opcode::kTrunc:
      return integer(value, isd::kAnyExtend);
    case Opcode::kZExt:
    case Opcode::kPtrToInt:
    case Opcode::kPtrToAddr:
    case Opcode::kIntToPtr:
      return integer(builder.ZeroExtended(value, from), isd::kZeroExtend);
    case Opcode::kSExt:
      return integer(builder.SignExtended(value, from), isd::kSignExtend);
    case Opcode::kFPTrunc:
      return builder.Node(isd::kFPRound, to.type, {value, builder.dag().GetTargetConstant(0, MVT::kI64)}, flags);
    case Opcode::kFPExt:
      return builder.Node(isd::kFPExtend, to.type, {value}, flags);
    case Opcode::kUIToFP:
      return builder.Node(isd::kUIntToFP, to.type, {builder.ZeroExtended(value, from)}, flags);
    case Opcode::kSIToFP:
      return builder.Node(isd::kSIntToFP, to.type, {builder.SignExtended(value, from)}, flags);
    // A result beyond the narrower width is poison, so the wider type may be converted to.
    case Opcode::kFPToUI:
      return builder.Node(isd::kFPToUInt, to.type, {value}, flags);
    default:
      return builder.Node(isd::kFPToSInt, to.type, {value}, flags);
  }
}

void LowerBitCast(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& operand = instruction.operand(0);
  const ValueNodes nodes = builder.Use(operand);
  const absl::Span<const ValuePart> from = builder.PartsOf(operand.type()), to = builder.PartsOf(instruction.type());
  if (from.size() == to.size()) {
    bool is_part_by_part = true;
    for (size_t i = 0; i < from.size(); ++i) {
      // Vectors of bits have a form of their own in registers.
      const bool is_bits = ScalarSizeInBits(from[i].type) == 1 || ScalarSizeInBits(to[i].type) == 1;
      is_part_by_part &= from[i] == to[i] || (from[i].is_exact() && to[i].is_exact() && !is_bits &&
                                              SizeInBits(from[i].type) == SizeInBits(to[i].type));
    }
    if (is_part_by_part) {
      ValueNodes results;
      for (size_t i = 0; i < from.size(); ++i) {
        results.push_back(from[i].type == to[i].type ? nodes[i] : builder.Node(isd::kBitcast, to[i].type, {nodes[i]}));
      }
      return builder.Define(instruction, results);
    }
  }
  builder.Define(instruction, builder.FromBits(instruction.type(), builder.ToBits(operand.type(), nodes)));
}

}  // namespace

void LowerCast(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& operand = instruction.operand(0);
  if (instruction.opcode() == Opcode::kBitCast) return LowerBitCast(builder, instruction);
  if (instruction.opcode() == Opcode::kAddrSpaceCast) {
    const auto space_of = [](const IrType* type) {
      return type->is_vector() ? type->element()->address_space() : type->address_space();
    };
    const uint32_t from = space_of(operand.type()), to = space_of(instruction.type());
    if (LowerParameterPlace(builder, instruction)) return;
    return DefineConverted(
        builder, instruction, operand.type(), {&operand},
        [&](const ValuePart& result, const ValuePart&, absl::Span<const SDValue> operands) {
          return builder.AddrSpaceCast(operands[0], result.type, from, to);
        },
        /*by_element=*/true);
  }
  DefineConverted(builder, instruction, operand.type(), {&operand},
                  [&](const ValuePart& to, const ValuePart& from, absl::Span<const SDValue> operands) {
                    return ConvertPart(builder, instruction, to, from, operands[0]);
                  });
}

}  // namespace ptxmir::sdag
