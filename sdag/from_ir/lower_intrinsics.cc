// SPDX-License-Identifier: Apache-2.0

// Calls of intrinsics. Generic ones become nodes of their own, by a table; NVIDIA's stay intrinsics, for which the
// selector has rules. The order of effects of these follows from the attributes of the declaration, as in LLVM.

#include <algorithm>
#include <bit>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "sdag/from_ir/elementwise.h"
#include "sdag/from_ir/lowerings.h"
#include "sdag/from_ir/memory_effects.h"

namespace ptxmir::sdag {
namespace {

using Handler = void (*)(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);

bool IsTrue(const ir::Value& value) {
  if (!value.is_constant()) return false;
  const IrConstant& constant = static_cast<const ir::ConstantValue&>(value).constant();
  return constant.kind == IrConstant::Kind::kInteger && constant.ZExtValue() != 0;
}

// The opcode applied to the first `count` arguments, element by element.
template <unsigned count, Extension extension = Extension::kNone>
void Elements(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const uint32_t flags = NodeFlags(instruction);
  const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
    ValueNodes extended;
    for (const SDValue operand : operands) extended.push_back(Extended(builder, operand, part, extension));
    return builder.dag().GetNode(opcode, builder.Loc(), absl::MakeConstSpan(&part.type, 1), extended, flags);
  };
  if constexpr (count == 1) {
    DefineElementwise(builder, instruction, {&instruction.operand(0)}, make);
  } else if constexpr (count == 2) {
    DefineElementwise(builder, instruction, {&instruction.operand(0), &instruction.operand(1)}, make);
  } else {
    DefineElementwise(builder, instruction, {&instruction.operand(0), &instruction.operand(1), &instruction.operand(2)},
                      make);
  }
}

// Operations that depend on the width: an integer in a wider type is refused.
template <unsigned count>
void ExactElements(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  for (const ValuePart& part : builder.PartsOf(instruction.type())) {
    if (part.is_exact()) continue;
    builder.Refuse(StrCat("this intrinsic of ", instruction.type()->ToString()));
    return;
  }
  Elements<count>(builder, instruction, opcode);
}

// A funnel shift of integers that are kept in wider ones: two shifts.
SDValue WideFunnelShift(FunctionBuilder& builder, const ValuePart& part, absl::Span<const SDValue> operands,
                        bool is_left) {
  const MVT type = part.type;
  const SDValue bits = builder.Number(part.bits, type);
  const SDValue amount = builder.Node(isd::kURem, type, {builder.ZeroExtended(operands[2], part), bits});
  const SDValue rest = builder.Node(isd::kSub, type, {bits, amount});
  const auto narrow = [&](SDValue value) { return builder.Resize(value, MVT::kI32, isd::kZeroExtend); };
  const SDValue high = builder.Node(isd::kShl, type, {operands[0], narrow(is_left ? amount : rest)});
  const SDValue low =
      builder.Node(isd::kSrl, type, {builder.ZeroExtended(operands[1], part), narrow(is_left ? rest : amount)});
  // The other shift then is by the whole width.
  const SDValue is_zero =
      builder.dag().GetSetCC(builder.Loc(), MVT::kI1, amount, builder.Number(0, type), CondCode::kEq);
  return builder.Node(isd::kSelect, type,
                      {is_zero, operands[is_left ? 0 : 1], builder.Node(isd::kOr, type, {high, low})});
}

// Funnel shifts. The amounts of scalars have 32 bits, as in LLVM.
void FunnelShift(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
    if (!part.is_exact()) return WideFunnelShift(builder, part, operands, opcode == isd::kFShl);
    SDValue amount = operands[2];
    if (!IsVector(part.type)) {
      // The amount counts modulo the width, which a narrower type than 32 bits does not lose.
      amount = builder.Resize(amount, MVT::kI32, isd::kZeroExtend);
    }
    return builder.Node(opcode, part.type, {operands[0], operands[1], amount});
  };
  DefineElementwise(builder, instruction, {&instruction.operand(0), &instruction.operand(1), &instruction.operand(2)},
                    make);
}

// ctlz and cttz: the second argument allows any result for 0.
void CountZeros(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const bool is_any = IsTrue(instruction.operand(1));
  const bool is_leading = opcode == isd::kCtlz;
  const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
    const auto spare = static_cast<int64_t>(ScalarSizeInBits(part.type) - part.bits);
    if (is_leading) {
      const int16_t counted = is_any ? isd::kCtlzZeroUndef : isd::kCtlz;
      const SDValue count = builder.Node(counted, part.type, {builder.ZeroExtended(operands[0], part)});
      return spare == 0 ? count : builder.Node(isd::kSub, part.type, {count, builder.Number(spare, part.type)});
    }
    SDValue value = operands[0];
    if (spare != 0) {
      // A bit above the others ends the count.
      const SDValue end = builder.dag().GetConstant(absl::uint128(1) << part.bits, part.type);
      value = builder.Node(isd::kOr, part.type, {value, end});
    }
    return builder.Node(is_any ? isd::kCttzZeroUndef : isd::kCttz, part.type, {value});
  };
  DefineElementwise(builder, instruction, {&instruction.operand(0)}, make);
}

// Returns the bits that the type of a part has beyond those that count, as the amount of a shift.
SDValue SpareBits(FunctionBuilder& builder, const ValuePart& part) {
  return builder.Number(SizeInBits(part.type) - part.bits, MVT::kI32);
}

// bswap and bitreverse: the bits that count come out at the top.
void Reverse(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
    const SDValue reversed = builder.Node(opcode, part.type, {operands[0]});
    if (part.is_exact()) return reversed;
    return builder.Node(isd::kSrl, part.type, {reversed, SpareBits(builder, part)});
  };
  DefineElementwise(builder, instruction, {&instruction.operand(0)}, make);
}

bool IsSignedArithmetic(int16_t opcode) {
  return opcode == isd::kSAddSat || opcode == isd::kSSubSat || opcode == isd::kSShlSat || opcode == isd::kSAddO ||
         opcode == isd::kSSubO || opcode == isd::kSMulO;
}

// Saturating arithmetic. Of a narrower integer than its type, the bits are computed at the top, where the type
// saturates.
void Saturate(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const bool is_shift = opcode == isd::kSShlSat || opcode == isd::kUShlSat;
  const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
    if (part.is_exact()) return builder.Node(opcode, part.type, {operands[0], operands[1]});
    const SDValue spare = SpareBits(builder, part);
    const SDValue first = builder.Node(isd::kShl, part.type, {operands[0], spare});
    const SDValue second =
        is_shift ? builder.ZeroExtended(operands[1], part) : builder.Node(isd::kShl, part.type, {operands[1], spare});
    const SDValue result = builder.Node(opcode, part.type, {first, second});
    return builder.Node(IsSignedArithmetic(opcode) ? isd::kSra : isd::kSrl, part.type, {result, spare});
  };
  DefineElementwise(builder, instruction, {&instruction.operand(0), &instruction.operand(1)}, make);
}

// llvm.uadd.with.overflow and the like: a value and a flag. Of a narrower integer than its type, the bits are computed
// at the top, where the type overflows; of a product, one factor is there.
void WithOverflow(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const ir::Value& first = instruction.operand(0);
  const absl::Span<const ValuePart> parts = builder.PartsOf(first.type());
  if (parts.size() != 1 || (!parts[0].is_exact() && IsVector(parts[0].type))) {
    builder.Refuse(StrCat("overflow of ", first.type()->ToString()));
    return;
  }
  const ValuePart part = parts[0];
  const MVT type = part.type;
  const std::optional<MVT> flag = IsVector(type) ? VectorOf(MVT::kI1, NumElements(type)) : MVT::kI1;
  const MVT types[] = {type, flag.value_or(MVT::kI1)};
  SDValue operands[] = {builder.UseOne(first), builder.UseOne(instruction.operand(1))};
  const bool is_signed = IsSignedArithmetic(opcode);
  if (!part.is_exact()) {
    const bool is_product = opcode == isd::kSMulO || opcode == isd::kUMulO;
    operands[0] = builder.Node(isd::kShl, type, {operands[0], SpareBits(builder, part)});
    operands[1] = is_product ? Extended(builder, operands[1], part, is_signed ? Extension::kSign : Extension::kZero)
                             : builder.Node(isd::kShl, type, {operands[1], SpareBits(builder, part)});
  }
  const SDValue node = builder.dag().GetNode(opcode, builder.Loc(), types, operands);
  const SDValue value =
      part.is_exact() ? node : builder.Node(is_signed ? isd::kSra : isd::kSrl, type, {node, SpareBits(builder, part)});
  const SDValue results[] = {value, node.Result(1)};
  builder.Define(instruction, results);
}

// scmp and ucmp.
void ThreeWayCompare(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const IrType* type = instruction.operand(0).type();
  const Extension extension = opcode == isd::kSCmp ? Extension::kSign : Extension::kZero;
  DefineConverted(builder, instruction, type, {&instruction.operand(0), &instruction.operand(1)},
                  [&](const ValuePart& result, const ValuePart& part, absl::Span<const SDValue> operands) {
                    return builder.Node(opcode, result.type,
                                        {Extended(builder, operands[0], part, extension),
                                         Extended(builder, operands[1], part, extension)});
                  });
}

// Conversions of floating-point numbers: fptosi.sat, lrint.
void ConvertSaturated(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  DefineConverted(
      builder, instruction, instruction.operand(0).type(), {&instruction.operand(0)},
      [&](const ValuePart& result, const ValuePart&, absl::Span<const SDValue> operands) {
        return builder.Node(opcode, result.type, {operands[0], builder.dag().GetValueType(EVT::Integer(result.bits))});
      });
}
void ConvertRounded(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  DefineConverted(builder, instruction, instruction.operand(0).type(), {&instruction.operand(0)},
                  [&](const ValuePart& result, const ValuePart&, absl::Span<const SDValue> operands) {
                    return builder.Node(opcode, result.type, {operands[0]});
                  });
}

// powi and ldexp: the second argument is an integer.
void WithExponent(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const SDValue exponent = builder.UseOne(instruction.operand(1));
  DefineElementwise(builder, instruction, {&instruction.operand(0)},
                    [&](const ValuePart& part, absl::Span<const SDValue> operands) {
                      return builder.Node(opcode, part.type, {operands[0], exponent}, NodeFlags(instruction));
                    });
}

void IsFPClass(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const SDValue classes = builder.UseOne(instruction.operand(1));
  const auto* constant = DynCast<ConstantSDNode>(classes);
  const uint64_t mask = constant == nullptr ? 0 : constant->ZExtValue();
  DefineConverted(
      builder, instruction, instruction.operand(0).type(), {&instruction.operand(0)},
      [&](const ValuePart& result, const ValuePart&, absl::Span<const SDValue> operands) {
        return builder.Node(opcode, result.type, {operands[0], builder.dag().GetTargetConstant(mask, MVT::kI32)});
      });
}

// llvm.vector.reduce.*: one after the other, for which the combiner has better forms where the type is packed.
void Reduce(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const auto& arguments = instruction.arguments();
  const ir::Value& vector = arguments.back().value();
  const ValueNodes lanes = builder.Lanes(vector.type(), builder.Use(vector));
  if (lanes.empty()) return;
  const ValuePart part = builder.LanePart(vector.type());
  const bool is_signed = opcode == isd::kSMin || opcode == isd::kSMax;
  const bool is_unsigned = opcode == isd::kUMin || opcode == isd::kUMax;
  const Extension extension = is_signed ? Extension::kSign : is_unsigned ? Extension::kZero : Extension::kNone;
  SDValue result = arguments.size() > 1 ? builder.UseOne(arguments[0].value()) : SDValue();
  for (const SDValue lane : lanes) {
    const SDValue operand = Extended(builder, lane, part, extension);
    result = result ? builder.Node(opcode, part.type, {result, operand}, NodeFlags(instruction)) : operand;
  }
  builder.Define(instruction, result);
}

// The value is the first argument.
void Identity(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  builder.Define(instruction, builder.Use(instruction.operand(0)));
}
void Nothing(FunctionBuilder&, const ir::Instruction&, int16_t) {}

// A constant that stands for "not known": is.constant, and objectsize, whose second argument asks for the least size.
void False(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  builder.Define(instruction, builder.Number(0, MVT::kI1));
}
void UnknownSize(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const absl::Span<const ValuePart> parts = builder.PartsOf(instruction.type());
  builder.Define(instruction, builder.Number(IsTrue(instruction.operand(1)) ? 0 : -1, parts[0].type));
}

// Results that do not depend on arguments: tests that a front end asks for are true, unless a pass says otherwise, and
// there is nothing to be found on the stack.
void True(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  builder.Define(instruction, builder.Number(1, MVT::kI1));
}
void NullPointer(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  builder.Define(instruction, builder.Number(0, builder.PartsOf(instruction.type())[0].type));
}
// PTX rounds to the nearest number, which C calls 1.
void RoundingMode(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  builder.Define(instruction, builder.Number(1, builder.PartsOf(instruction.type())[0].type));
}
void Undefined(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  builder.Define(instruction, builder.dag().GetUndef(builder.PartsOf(instruction.type())[0].type));
}

// frexp, modf, sincos: two results for each element.
void TwoResults(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const ir::Value& operand = instruction.operand(0);
  const IrType* type = operand.type();
  const auto members = instruction.type()->members();
  const bool is_vector = type->is_vector();
  const ValueNodes lanes = is_vector ? builder.Lanes(type, builder.Use(operand)) : builder.Use(operand);
  const auto type_of = [&](size_t i) {
    return is_vector ? builder.LanePart(members[i]).type : builder.PartsOf(members[i])[0].type;
  };
  const MVT types[] = {type_of(0), type_of(1)};
  ValueNodes results[2];
  for (const SDValue lane : lanes) {
    const SDValue node =
        builder.dag().GetNode(opcode, builder.Loc(), types, absl::MakeConstSpan(&lane, 1), NodeFlags(instruction));
    results[0].push_back(node);
    results[1].push_back(node.Result(1));
  }
  ValueNodes all;
  for (size_t i = 0; i < 2; ++i) {
    for (const SDValue node : is_vector ? builder.FromLanes(members[i], results[i]) : results[i]) all.push_back(node);
  }
  builder.Define(instruction, all);
}

// Products and quotients of fixed-point numbers, in a type twice as wide. The third argument says how many bits follow
// the point.
struct FixedPoint {
  bool is_signed;
  bool is_quotient;
  bool saturates;
};
SDValue FixedPointResult(FunctionBuilder& builder, const FixedPoint& operation, const ValuePart& part, MVT wide,
                         int64_t scale, absl::Span<const SDValue> operands) {
  const int16_t extension = operation.is_signed ? isd::kSignExtend : isd::kZeroExtend;
  const auto widened = [&](SDValue value) {
    return builder.Resize(Extended(builder, value, part, operation.is_signed ? Extension::kSign : Extension::kZero),
                          wide, extension);
  };
  const SDValue amount = builder.Number(scale, MVT::kI32);
  SDValue result;
  if (operation.is_quotient) {
    result = builder.Node(isd::kUDiv, wide,
                          {builder.Node(isd::kShl, wide, {widened(operands[0]), amount}), widened(operands[1])});
  } else {
    const SDValue product = builder.Node(isd::kMul, wide, {widened(operands[0]), widened(operands[1])});
    result = builder.Node(operation.is_signed ? isd::kSra : isd::kSrl, wide, {product, amount});
  }
  if (operation.saturates) {
    const absl::uint128 ones = (absl::uint128(1) << (operation.is_signed ? part.bits - 1u : part.bits)) - 1;
    const SDValue most = builder.dag().GetConstant(ones, wide);
    result = builder.Node(operation.is_signed ? isd::kSMin : isd::kUMin, wide, {result, most});
    if (operation.is_signed) {
      const SDValue least = builder.dag().GetConstant(~ones & (~absl::uint128(0) >> (128 - SizeInBits(wide))), wide);
      result = builder.Node(isd::kSMax, wide, {result, least});
    }
  }
  return builder.Resize(result, part.type, isd::kAnyExtend);
}

template <bool is_signed, bool is_quotient, bool saturates>
void FixedPointOperation(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const int64_t scale = ConstantArgument(builder, instruction.operand(2));
  const bool is_vector = instruction.type()->is_vector();
  const ValuePart part = is_vector ? builder.LanePart(instruction.type()) : builder.PartsOf(instruction.type())[0];
  const std::optional<MVT> wide = IntegerOf(std::max(2 * ScalarSizeInBits(part.type), 32u));
  if (!wide.has_value()) {
    builder.Refuse(StrCat("a fixed-point operation on ", instruction.type()->ToString()));
    return;
  }
  const FixedPoint operation = {is_signed, is_quotient, saturates};
  DefineConverted(
      builder, instruction, instruction.type(), {&instruction.operand(0), &instruction.operand(1)},
      [&](const ValuePart&, const ValuePart& lane, absl::Span<const SDValue> operands) {
        return FixedPointResult(builder, operation, lane, *wide, scale, operands);
      },
      /*by_element=*/is_vector);
}

// Numbers of 16 bits that are kept in integers, from before LLVM had a type for them.
void FromHalfBits(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const MVT type = builder.PartsOf(instruction.type())[0].type;
  const SDValue half = builder.Node(isd::kBitcast, MVT::kF16, {builder.UseOne(instruction.operand(0))});
  builder.Define(instruction, type == MVT::kF16 ? half : builder.Node(isd::kFPExtend, type, {half}));
}
void ToHalfBits(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  SDValue half = builder.UseOne(instruction.operand(0));
  if (half.type() != MVT::kF16) {
    half = builder.Node(isd::kFPRound, MVT::kF16, {half, builder.dag().GetTargetConstant(0, MVT::kI64)});
  }
  builder.Define(instruction, builder.Node(isd::kBitcast, MVT::kI16, {half}));
}

// A node with a chain and no operands.
void Effect(FunctionBuilder& builder, const ir::Instruction&, int16_t opcode) {
  builder.SetRoot(builder.Node(opcode, MVT::kOther, {builder.Root()}));
}
void ReadCounter(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const SDValue node = builder.dag().GetNode(opcode, builder.Loc(), {MVT::kI64, MVT::kOther}, {builder.Root()});
  builder.SetRoot(node.Result(1));
  builder.Define(instruction, node);
}
void StackRestore(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const SDValue pointer = builder.UseOne(instruction.operand(0));
  builder.SetRoot(builder.Node(opcode, MVT::kOther, {builder.Root(), pointer}));
}

void Lifetime(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const ir::Value& pointer = instruction.arguments().back().value();
  const std::optional<int> index = builder.FrameIndexOf(pointer);
  if (!index.has_value()) return;
  const SDValue object = builder.dag().GetFrameIndex(*index, MVT::kI64, true);
  builder.SetRoot(builder.Node(opcode, MVT::kOther, {builder.Root(), object}));
}

const IrAttributes& ArgumentAttributes(FunctionBuilder& builder, const ir::Instruction& instruction, size_t i) {
  const absl::Span<const ir::AttributeSetId> sets = instruction.call().argument_attributes;
  return builder.function().program().attribute_set(i < sets.size() ? sets[i] : 0).attributes;
}

// memcpy, memmove, memset. They stay intrinsics, which become accesses or loops (sdag/expand, sdag/legalize).
void MemoryOperation(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const IrFunction& callee =
      *builder.module().function(static_cast<const ir::ConstantValue&>(instruction.callee()).constant().global);
  std::string name(callee.name);
  const size_t inlined = name.find(".inline.");
  if (inlined != std::string::npos) name.erase(inlined, std::string_view(".inline").size());
  const auto align_of = [&](size_t i) {
    return std::max<uint64_t>(ArgumentAttributes(builder, instruction, i).Integer("align"), 1);
  };
  const bool is_set = name.starts_with("llvm.memset");
  MachineMemOperand memory;
  const uint64_t align = is_set ? align_of(0) : std::min(align_of(0), align_of(1));
  memory.flags = MachineMemOperand::kStore;
  if (!is_set) memory.flags |= MachineMemOperand::kLoad;
  memory.align_log2 = memory.base_align_log2 = static_cast<uint8_t>(std::countr_zero(align));
  memory.address_space = instruction.operand(0).type()->address_space();
  const absl::Span<const ValuePart> size_parts = builder.PartsOf(instruction.operand(2).type());
  SDValue size = builder.UseOne(instruction.operand(2));
  if (size_parts.size() == 1) size = builder.ZeroExtended(size, size_parts[0]);
  const SDValue operands[] = {builder.Root(), builder.UseOne(instruction.operand(0)),
                              builder.UseOne(instruction.operand(1)), size,
                              builder.Number(IsTrue(instruction.operand(3)) ? 1 : 0, MVT::kI1)};
  const MVT none = MVT::kOther;
  builder.SetRoot(builder.dag().GetIntrinsic(isd::kIntrinsicVoid, name, builder.Loc(), {&none, 1}, operands, MVT::kI8,
                                             builder.machine_function().CreateMemOperand(memory)));
}

void Prefetch(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  MemoryAccess access = {.address_space = instruction.operand(0).type()->address_space()};
  const MachineMemOperand* memory = MemOperandFor(builder, MVT::kI8, nullptr, 0, access, MachineMemOperand::kLoad);
  const SDValue operands[] = {builder.Root(), builder.UseOne(instruction.operand(0)),
                              builder.UseOne(instruction.operand(1)), builder.UseOne(instruction.operand(2)),
                              builder.UseOne(instruction.operand(3))};
  const MVT none = MVT::kOther;
  builder.SetRoot(builder.dag().GetMemNode(opcode, builder.Loc(), {&none, 1}, operands, MVT::kI8, memory));
}

void PointerMask(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const SDValue pointer = builder.UseOne(instruction.operand(0));
  const SDValue mask = builder.Resize(builder.UseOne(instruction.operand(1)), pointer.type(), isd::kZeroExtend);
  builder.Define(instruction, builder.Node(opcode, pointer.type(), {pointer, mask}));
}

// Masked loads and stores, which become single accesses where they must (sdag/expand).
const MachineMemOperand* MaskedOperand(FunctionBuilder& builder, const MemoryAccess& access, const IrType* type,
                                       uint16_t flags) {
  const absl::Span<const ValuePart> parts = builder.PartsOf(type);
  if (parts.size() != 1 || !IsVector(parts[0].type)) {
    builder.Refuse(StrCat("a masked access to ", type->ToString()));
    return nullptr;
  }
  return MemOperandFor(builder, parts[0].type, type, 0, access, flags);
}

void MaskedLoad(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const auto [access, mask] = MaskedAccessOf(builder, instruction, 0);
  const MachineMemOperand* memory = MaskedOperand(builder, access, instruction.type(), MachineMemOperand::kLoad);
  if (memory == nullptr) return;
  const MVT type = builder.PartsOf(instruction.type())[0].type;
  const MVT types[] = {type, MVT::kOther};
  const SDValue pointer = builder.UseOne(instruction.operand(0));
  const SDValue node = builder.dag().GetMemNode(
      opcode, builder.Loc(), types,
      {builder.LoadRoot(), pointer, builder.dag().GetUndef(pointer.type()), builder.UseOne(instruction.operand(mask)),
       builder.UseOne(instruction.operand(mask + 1))},
      type, memory);
  builder.AddPendingLoad(node.Result(1));
  builder.Define(instruction, node);
}

void MaskedStore(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode) {
  const ir::Value& value = instruction.operand(0);
  const auto [access, mask] = MaskedAccessOf(builder, instruction, 1);
  const MachineMemOperand* memory = MaskedOperand(builder, access, value.type(), MachineMemOperand::kStore);
  if (memory == nullptr) return;
  const SDValue stored = builder.UseOne(value), pointer = builder.UseOne(instruction.operand(1));
  const MVT none = MVT::kOther;
  builder.SetRoot(builder.dag().GetMemNode(opcode, builder.Loc(), {&none, 1},
                                           {builder.Root(), stored, pointer, builder.dag().GetUndef(pointer.type()),
                                            builder.UseOne(instruction.operand(mask))},
                                           stored.type(), memory));
}

void Refused(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const IrFunction& callee =
      *builder.module().function(static_cast<const ir::ConstantValue&>(instruction.callee()).constant().global);
  builder.Refuse(StrCat("@", callee.name));
}

struct IntrinsicRow {
  std::string_view name;  // without "llvm." and the types at the end
  Handler handler;
  int16_t opcode = 0;
};

// clang-format off
constexpr IntrinsicRow kRows[] = {
    {"abs", Elements<1, Extension::kSign>, isd::kAbs},
    {"allow.runtime.check", True},
    {"allow.ubsan.check", True},
    {"annotation", Identity},
    {"arithmetic.fence", Elements<1>, isd::kFreeze},
    {"assume", Nothing},
    {"bitreverse", Reverse, isd::kBitreverse},
    {"bswap", Reverse, isd::kBswap},
    {"canonicalize", Elements<1>, isd::kFCanonicalize},
    {"ceil", Elements<1>, isd::kFCeil},
    {"convert.from.fp16", FromHalfBits},
    {"convert.to.fp16", ToHalfBits},
    {"copysign", Elements<2>, isd::kFCopySign},
    {"cos", Elements<1>, isd::kFCos},
    {"ctlz", CountZeros, isd::kCtlz},
    {"ctpop", Elements<1, Extension::kZero>, isd::kCtpop},
    {"cttz", CountZeros, isd::kCttz},
    {"dbg.assign", Nothing},
    {"dbg.declare", Nothing},
    {"dbg.label", Nothing},
    {"dbg.value", Nothing},
    {"debugtrap", Effect, isd::kDebugTrap},
    {"donothing", Nothing},
    {"exp", Elements<1>, isd::kFExp},
    {"exp10", Elements<1>, isd::kFExp10},
    {"exp2", Elements<1>, isd::kFExp2},
    {"expect", Identity},
    {"expect.with.probability", Identity},
    {"experimental.convergence.anchor", Nothing},
    {"experimental.convergence.entry", Nothing},
    {"experimental.convergence.loop", Nothing},
    {"experimental.noalias.scope.decl", Nothing},
    {"fabs", Elements<1>, isd::kFAbs},
    {"floor", Elements<1>, isd::kFFloor},
    {"fma", Elements<3>, isd::kFMA},
    {"fmuladd", Elements<3>, isd::kFMA},
    {"fptosi.sat", ConvertSaturated, isd::kFPToSIntSat},
    {"fptoui.sat", ConvertSaturated, isd::kFPToUIntSat},
    {"frameaddress", NullPointer},
    {"frexp", TwoResults, isd::kFFrexp},
    {"fshl", FunnelShift, isd::kFShl},
    {"fshr", FunnelShift, isd::kFShr},
    {"get.active.lane.mask", LowerActiveLaneMask},
    {"get.rounding", RoundingMode},
    {"invariant.end", Nothing},
    {"invariant.start", Undefined},
    {"is.constant", False},
    {"is.fpclass", IsFPClass, isd::kIsFPClass},
    {"launder.invariant.group", Identity},
    {"ldexp", WithExponent, isd::kFLdexp},
    {"lifetime.end", Lifetime, isd::kLifetimeEnd},
    {"lifetime.start", Lifetime, isd::kLifetimeStart},
    {"llrint", ConvertRounded, isd::kLLRint},
    {"llround", ConvertRounded, isd::kLLRound},
    {"log", Elements<1>, isd::kFLog},
    {"log10", Elements<1>, isd::kFLog10},
    {"log2", Elements<1>, isd::kFLog2},
    {"lrint", ConvertRounded, isd::kLRint},
    {"lround", ConvertRounded, isd::kLRound},
    {"masked.compressstore", LowerCompressStore},
    {"masked.expandload", LowerExpandLoad},
    {"masked.gather", LowerGather},
    {"masked.load", MaskedLoad, isd::kMaskedLoad},
    {"masked.scatter", LowerScatter},
    {"masked.store", MaskedStore, isd::kMaskedStore},
    {"maximum", Elements<2>, isd::kFMaximum},
    {"maximumnum", Elements<2>, isd::kFMaximumNum},
    {"maxnum", Elements<2>, isd::kFMaxNum},
    {"memcpy", MemoryOperation},
    {"memcpy.inline", MemoryOperation},
    {"memmove", MemoryOperation},
    {"memset", MemoryOperation},
    {"memset.inline", MemoryOperation},
    {"minimum", Elements<2>, isd::kFMinimum},
    {"minimumnum", Elements<2>, isd::kFMinimumNum},
    {"minnum", Elements<2>, isd::kFMinNum},
    {"modf", TwoResults, isd::kFModf},
    {"nearbyint", Elements<1>, isd::kFNearbyint},
    {"objectsize", UnknownSize},
    {"pow", Elements<2>, isd::kFPow},
    {"powi", WithExponent, isd::kFPowI},
    {"prefetch", Prefetch, isd::kPrefetch},
    {"pseudoprobe", Nothing},
    {"ptr.annotation", Identity},
    {"ptrmask", PointerMask, isd::kAnd},
    {"public.type.test", True},
    {"readcyclecounter", ReadCounter, isd::kReadCycleCounter},
    {"readsteadycounter", ReadCounter, isd::kReadSteadyCounter},
    {"returnaddress", NullPointer},
    {"rint", Elements<1>, isd::kFRint},
    {"round", Elements<1>, isd::kFRound},
    {"roundeven", Elements<1>, isd::kFRoundEven},
    {"sadd.sat", Saturate, isd::kSAddSat},
    {"sadd.with.overflow", WithOverflow, isd::kSAddO},
    {"scmp", ThreeWayCompare, isd::kSCmp},
    {"sideeffect", Nothing},
    {"sin", Elements<1>, isd::kFSin},
    {"sincos", TwoResults, isd::kFSinCos},
    {"smax", Elements<2, Extension::kSign>, isd::kSMax},
    {"smin", Elements<2, Extension::kSign>, isd::kSMin},
    {"smul.fix", FixedPointOperation<true, false, false>},
    {"smul.fix.sat", FixedPointOperation<true, false, true>},
    {"smul.with.overflow", WithOverflow, isd::kSMulO},
    {"sqrt", Elements<1>, isd::kFSqrt},
    {"sshl.sat", Saturate, isd::kSShlSat},
    {"ssub.sat", Saturate, isd::kSSubSat},
    {"ssub.with.overflow", WithOverflow, isd::kSSubO},
    {"stackrestore", StackRestore, isd::kStackRestore},
    {"stacksave", ReadCounter, isd::kStackSave},
    {"stepvector", LowerStepVector},
    {"strip.invariant.group", Identity},
    {"tan", Elements<1>, isd::kFTan},
    {"tanh", Elements<1>, isd::kFTanh},
    {"trap", Effect, isd::kTrap},
    {"trunc", Elements<1>, isd::kFTrunc},
    {"type.test", True},
    {"uadd.sat", Saturate, isd::kUAddSat},
    {"uadd.with.overflow", WithOverflow, isd::kUAddO},
    {"ubsantrap", Effect, isd::kTrap},
    {"ucmp", ThreeWayCompare, isd::kUCmp},
    {"udiv.fix", FixedPointOperation<false, true, false>},
    {"udiv.fix.sat", FixedPointOperation<false, true, true>},
    {"umax", Elements<2, Extension::kZero>, isd::kUMax},
    {"umin", Elements<2, Extension::kZero>, isd::kUMin},
    {"umul.fix", FixedPointOperation<false, false, false>},
    {"umul.fix.sat", FixedPointOperation<false, false, true>},
    {"umul.with.overflow", WithOverflow, isd::kUMulO},
    {"ushl.sat", Saturate, isd::kUShlSat},
    {"usub.sat", Saturate, isd::kUSubSat},
    {"usub.with.overflow", WithOverflow, isd::kUSubO},
    {"var.annotation", Nothing},
    {"vector.deinterleave2", LowerVectorDeinterleave},
    {"vector.extract", LowerVectorExtract},
    {"vector.insert", LowerVectorInsert},
    {"vector.interleave2", LowerVectorInterleave},
    {"vector.reduce.add", Reduce, isd::kAdd},
    {"vector.reduce.and", Reduce, isd::kAnd},
    {"vector.reduce.fadd", Reduce, isd::kFAdd},
    {"vector.reduce.fmax", Reduce, isd::kFMaxNum},
    {"vector.reduce.fmaximum", Reduce, isd::kFMaximum},
    {"vector.reduce.fmin", Reduce, isd::kFMinNum},
    {"vector.reduce.fminimum", Reduce, isd::kFMinimum},
    {"vector.reduce.fmul", Reduce, isd::kFMul},
    {"vector.reduce.mul", Reduce, isd::kMul},
    {"vector.reduce.or", Reduce, isd::kOr},
    {"vector.reduce.smax", Reduce, isd::kSMax},
    {"vector.reduce.smin", Reduce, isd::kSMin},
    {"vector.reduce.umax", Reduce, isd::kUMax},
    {"vector.reduce.umin", Reduce, isd::kUMin},
    {"vector.reduce.xor", Reduce, isd::kXor},
    {"vector.reverse", LowerVectorReverse},
    {"vector.splice", LowerVectorSplice},
};
// clang-format on
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const IntrinsicRow& a, const IntrinsicRow& b) { return a.name < b.name; }));

// Returns the row of a name whose types at the end have not been cut off yet, or null.
const IntrinsicRow* FindRow(std::string_view name) {
  for (;;) {
    const auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                                       [](const IntrinsicRow& a, std::string_view wanted) { return a.name < wanted; });
    if (row != std::end(kRows) && row->name == name) return row;
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    name = name.substr(0, dot);
  }
}

// The handle of a texture, a surface or a sampler that is a variable.
void LowerHandle(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const auto* global = DynCast<GlobalAddressSDNode>(builder.UseOne(instruction.arguments().back().value()));
  if (global == nullptr) {
    builder.Refuse("the handle of what is no variable");
    return;
  }
  const MVT type = MVT::kI64;
  const SDValue symbol = builder.dag().GetGlobalAddress(global->global(), type, 0, true);
  builder.Define(
      instruction,
      SDValue(builder.dag().GetMachineNode(ptx::op::texsurf_handles, builder.Loc(), {&type, 1}, {symbol}), 0));
}

// Returns true for a vector that an instruction has as its elements, one a register.
bool IsListOfRegisters(FunctionBuilder& builder, const IrType& type) {
  return type.is_vector() && builder.layout().SizeInBits(&type) > 32;
}

// Adds the operands that an instruction has for an argument.
void AppendArgument(FunctionBuilder& builder, const ir::Value& argument, std::vector<SDValue>& operands) {
  ValueNodes nodes = builder.Use(argument);
  if (IsListOfRegisters(builder, *argument.type())) nodes = builder.Lanes(argument.type(), nodes);
  operands.insert(operands.end(), nodes.begin(), nodes.end());
}

// ldu reads global memory, also by a generic pointer. Bytes come in registers of 16 bits.
void LowerUniformLoad(FunctionBuilder& builder, const ir::Instruction& instruction, const IrFunction& callee) {
  const IrType* result = instruction.type();
  const ir::Value& pointer = instruction.operand(0);
  const uint32_t space = pointer.type()->address_space();
  const bool is_global = space == address_space::kGlobal;
  if (!is_global && space != address_space::kGeneric) return Refused(builder, instruction, 0);
  const MVT type = builder.PartsOf(result)[0].type;
  const bool has_bytes = type == MVT::kI8 || type == MVT::kV2I8;
  const bool is_list = type == MVT::kV2I8 || IsListOfRegisters(builder, *result);
  const MVT lane = has_bytes ? MVT::kI16 : is_list ? builder.LanePart(result).type : type;
  std::vector<MVT> types(is_list ? result->num_elements() : 1, lane);
  const auto num_results = static_cast<unsigned>(types.size());
  types.push_back(MVT::kOther);
  SDValue address = builder.UseOne(pointer);
  if (!is_global) {
    const MVT global = builder.PointerType(address_space::kGlobal);
    address = builder.AddrSpaceCast(address, global, space, address_space::kGlobal);
  }
  const SDValue align = builder.UseOne(instruction.operand(1));
  const auto* constant = DynCast<ConstantSDNode>(align);
  const MemoryAccess access = {.address_space = address_space::kGlobal,
                               .align = constant == nullptr ? 1 : constant->ZExtValue()};
  const SDValue node = builder.dag().GetIntrinsic(
      isd::kIntrinsicWChain, callee.name, builder.Loc(), types, {builder.LoadRoot(), address, align}, EVT(type),
      MemOperandFor(builder, type, nullptr, 0, access, MachineMemOperand::kLoad));
  builder.AddPendingLoad(node.Result(num_results));
  ValueNodes results;
  for (unsigned i = 0; i < num_results; ++i) {
    results.push_back(has_bytes ? builder.Node(isd::kTruncate, MVT::kI8, {node.Result(i)}) : node.Result(i));
  }
  builder.Define(instruction, is_list ? builder.FromLanes(result, results) : results);
}

// An intrinsic of NVIDIA's.
void LowerTargetIntrinsic(FunctionBuilder& builder, const ir::Instruction& instruction, const IrFunction& callee) {
  const MemoryEffect effect = MemoryEffectOf(builder.module(), callee);
  std::vector<SDValue> operands;
  if (effect != MemoryEffect::kNone) {
    operands.push_back(effect == MemoryEffect::kReads ? builder.LoadRoot() : builder.Root());
  }
  for (const ir::Use& argument : instruction.arguments()) AppendArgument(builder, argument.value(), operands);
  const IrType* result = instruction.type();
  const bool is_list = IsListOfRegisters(builder, *result);
  std::vector<MVT> types;
  if (is_list) {
    types.assign(result->num_elements(), builder.LanePart(result).type);
  } else {
    for (const ValuePart& part : builder.PartsOf(result)) types.push_back(part.type);
  }
  const auto num_results = static_cast<unsigned>(types.size());
  int16_t opcode = isd::kIntrinsicWOChain;
  if (effect != MemoryEffect::kNone) {
    opcode = types.empty() ? isd::kIntrinsicVoid : isd::kIntrinsicWChain;
    types.push_back(MVT::kOther);
  } else if (types.empty()) {
    return;  // neither results nor effects
  }
  const SDValue node = builder.dag().GetIntrinsic(opcode, callee.name, builder.Loc(), types, operands, MVT::kOther,
                                                  nullptr, NodeFlags(instruction));
  if (effect == MemoryEffect::kReads) builder.AddPendingLoad(node.Result(num_results));
  if (effect == MemoryEffect::kWrites) builder.SetRoot(node.Result(num_results));
  if (num_results == 0) return;
  ValueNodes results;
  for (unsigned i = 0; i < num_results; ++i) results.push_back(node.Result(i));
  builder.Define(instruction, is_list ? builder.FromLanes(result, results) : results);
}

}  // namespace

int64_t ConstantArgument(FunctionBuilder& builder, const ir::Value& argument) {
  const auto* constant = DynCast<ConstantSDNode>(builder.UseOne(argument));
  return constant == nullptr ? 0 : constant->SExtValue();
}

MaskedAccess MaskedAccessOf(FunctionBuilder& builder, const ir::Instruction& instruction, unsigned pointer) {
  const IrType* type = instruction.operand(pointer).type();
  MemoryAccess access;
  access.address_space = (type->is_vector() ? type->element() : type)->address_space();
  access.align = std::max<uint64_t>(ArgumentAttributes(builder, instruction, pointer).Integer("align"), 1);
  access.metadata = &instruction;
  const ir::Value& next = instruction.operand(pointer + 1);
  if (!next.type()->is_integer()) return {access, pointer + 1};
  access.align = static_cast<uint64_t>(std::max<int64_t>(ConstantArgument(builder, next), 1));
  return {access, pointer + 2};
}

void LowerIntrinsic(FunctionBuilder& builder, const ir::Instruction& instruction, std::string_view name) {
  if (LowerParameterPlace(builder, instruction)) return;
  const IrFunction& callee = *builder.module().FindFunction(name);
  constexpr std::string_view kTarget = "llvm.nvvm.", kPrefix = "llvm.";
  if (name.starts_with("llvm.nvvm.texsurf.handle")) return LowerHandle(builder, instruction);
  if (name.starts_with("llvm.nvvm.internal.addrspace.wrap.")) return Identity(builder, instruction, 0);
  if (name.starts_with("llvm.nvvm.ldu.global.")) return LowerUniformLoad(builder, instruction, callee);
  if (name.starts_with(kTarget)) return LowerTargetIntrinsic(builder, instruction, callee);
  const IntrinsicRow* row = FindRow(name.substr(kPrefix.size()));
  if (row == nullptr) return Refused(builder, instruction, 0);
  row->handler(builder, instruction, row->opcode);
}

}  // namespace ptxmir::sdag
