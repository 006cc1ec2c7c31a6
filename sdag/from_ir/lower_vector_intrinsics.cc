// SPDX-License-Identifier: Apache-2.0

// Intrinsics that rearrange the elements of vectors, or access memory element by element under a mask.

#include <algorithm>

#include "base/str_cat.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

ValueNodes LanesOf(FunctionBuilder& builder, const ir::Value& vector) {
  return builder.Lanes(vector.type(), builder.Use(vector));
}

void DefineLanes(FunctionBuilder& builder, const ir::Instruction& instruction, absl::Span<const SDValue> lanes) {
  builder.Define(instruction, builder.FromLanes(instruction.type(), lanes));
}

// Accesses that have an address for each element. Each is a masked access to the first of two elements, which becomes
// a branch around an access where it must (sdag/expand).
class ElementAccess {
 public:
  // `pointers` is the argument with the address or the addresses.
  ElementAccess(FunctionBuilder& builder, const ir::Instruction& instruction, const IrType* type, unsigned pointers)
      : builder_(builder), instruction_(instruction), type_(type) {
    const MaskedAccess masked = MaskedAccessOf(builder, instruction, pointers);
    access_ = masked.access;
    mask_argument_ = masked.mask;
  }

  // Returns false, after a diagnostic, if the elements have no places in memory.
  bool Begin() {
    const ValuePart part = builder_.LanePart(type_);
    const std::optional<MVT> pair = VectorOf(part.type, 2);
    if (!pair.has_value() || !part.is_exact() || ScalarSizeInBits(part.type) < 8) {
      return builder_.Refuse(StrCat("a masked access to ", type_->ToString()));
    }
    pair_ = *pair;
    if (access_.align > bytes()) access_.align = bytes();
    mask_ = LanesOf(builder_, instruction_.operand(mask_argument_));
    for (size_t i = 0; i < mask_.size(); ++i) {
      if (mask_[i].opcode() != isd::kExtractVectorElt || mask_[i].operand(0).opcode() != isd::kBuildVector) continue;
      mask_[i] = mask_[i].operand(0).operand(static_cast<unsigned>(i));
    }
    return mask_.size() == type_->num_elements();
  }

  uint64_t bytes() const { return SizeInBits(builder_.LanePart(type_).type) / 8; }
  const ir::Value& passed_through() const { return instruction_.operand(mask_argument_ + 1); }

  SDValue Load(size_t i, SDValue address, SDValue passed_through) {
    if (IsNeverAccessed(i)) return passed_through;
    const MVT types[] = {pair_, MVT::kOther};
    const SDValue load = builder_.dag().GetMemNode(
        isd::kMaskedLoad, builder_.Loc(), types,
        {builder_.LoadRoot(), address, builder_.dag().GetUndef(address.type()), MaskOf(i), Pair(passed_through)}, pair_,
        MemOperand(MachineMemOperand::kLoad));
    builder_.AddPendingLoad(load.Result(1));
    return builder_.Node(isd::kExtractVectorElt, ScalarType(pair_), {load, builder_.Number(0, MVT::kI32)});
  }

  void Store(size_t i, SDValue address, SDValue value) {
    if (IsNeverAccessed(i)) return;
    const MVT none = MVT::kOther;
    builder_.SetRoot(builder_.dag().GetMemNode(
        isd::kMaskedStore, builder_.Loc(), {&none, 1},
        {builder_.Root(), Pair(value), address, builder_.dag().GetUndef(address.type()), MaskOf(i)}, pair_,
        MemOperand(MachineMemOperand::kStore)));
  }

  // Returns the address after an element that is there if its bit of the mask is set.
  SDValue Advance(size_t i, SDValue address) {
    const SDValue bit = builder_.Node(isd::kZeroExtend, address.type(), {mask_[i]});
    const SDValue step =
        builder_.Node(isd::kMul, address.type(), {bit, builder_.Number(static_cast<int64_t>(bytes()), address.type())});
    return builder_.Node(isd::kAdd, address.type(), {address, step});
  }

 private:
  bool IsNeverAccessed(size_t i) const {
    const auto* constant = DynCast<ConstantSDNode>(mask_[i]);
    return constant != nullptr && (constant->ZExtValue() & 1) == 0;
  }
  SDValue Pair(SDValue value) {
    return builder_.Node(isd::kBuildVector, pair_, {value, builder_.dag().GetUndef(ScalarType(pair_))});
  }
  SDValue MaskOf(size_t i) {
    return builder_.Node(isd::kBuildVector, *VectorOf(MVT::kI1, 2), {mask_[i], builder_.Number(0, MVT::kI1)});
  }
  const MachineMemOperand* MemOperand(uint16_t flags) {
    return MemOperandFor(builder_, pair_, nullptr, 0, access_, flags);
  }

  FunctionBuilder& builder_;
  const ir::Instruction& instruction_;
  const IrType* const type_;
  unsigned mask_argument_ = 0;
  MemoryAccess access_;
  MVT pair_ = MVT::kV2I32;
  ValueNodes mask_;
};

}  // namespace

void LowerVectorReverse(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  std::reverse(lanes.begin(), lanes.end());
  DefineLanes(builder, instruction, lanes);
}

void LowerVectorExtract(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  const auto first = static_cast<uint64_t>(ConstantArgument(builder, instruction.operand(1)));
  const uint64_t count = instruction.type()->num_elements();
  if (first > lanes.size() || count > lanes.size() - first) {
    builder.Refuse("elements past the end of a vector");
    return;
  }
  DefineLanes(builder, instruction, absl::MakeConstSpan(lanes).subspan(first, count));
}

void LowerVectorInsert(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  const ValueNodes inserted = LanesOf(builder, instruction.operand(1));
  const auto first = static_cast<uint64_t>(ConstantArgument(builder, instruction.operand(2)));
  if (first > lanes.size() || inserted.size() > lanes.size() - first) {
    builder.Refuse("elements past the end of a vector");
    return;
  }
  std::copy(inserted.begin(), inserted.end(), lanes.begin() + static_cast<std::ptrdiff_t>(first));
  DefineLanes(builder, instruction, lanes);
}

// The elements of two vectors from a place on, which counts from the end of the first vector if it is negative.
void LowerVectorSplice(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  const size_t count = lanes.size();
  for (const SDValue lane : LanesOf(builder, instruction.operand(1))) lanes.push_back(lane);
  int64_t first = ConstantArgument(builder, instruction.operand(2));
  if (first < 0) first += static_cast<int64_t>(count);
  if (first < 0 || first > static_cast<int64_t>(count)) {
    builder.Refuse("elements past the end of a vector");
    return;
  }
  DefineLanes(builder, instruction, absl::MakeConstSpan(lanes).subspan(static_cast<size_t>(first), count));
}

void LowerVectorInterleave(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const ValueNodes even = LanesOf(builder, instruction.operand(0)), odd = LanesOf(builder, instruction.operand(1));
  ValueNodes lanes;
  for (size_t i = 0; i < even.size() && i < odd.size(); ++i) lanes.insert(lanes.end(), {even[i], odd[i]});
  DefineLanes(builder, instruction, lanes);
}

void LowerVectorDeinterleave(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  ValueNodes results;
  for (size_t start = 0; start < 2; ++start) {
    ValueNodes half;
    for (size_t i = start; i < lanes.size(); i += 2) half.push_back(lanes[i]);
    for (const SDValue node : builder.FromLanes(instruction.type()->members()[start], half)) results.push_back(node);
  }
  builder.Define(instruction, results);
}

void LowerStepVector(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const MVT type = builder.LanePart(instruction.type()).type;
  ValueNodes lanes;
  for (uint64_t i = 0; i < instruction.type()->num_elements(); ++i) {
    lanes.push_back(builder.Number(static_cast<int64_t>(i), type));
  }
  DefineLanes(builder, instruction, lanes);
}

// Element i is base + i < end, where the sum does not wrap around.
void LowerActiveLaneMask(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  const ir::Value& base = instruction.operand(0);
  const ValuePart part = builder.PartsOf(base.type())[0];
  const SDValue first = builder.ZeroExtended(builder.UseOne(base), part);
  const SDValue end = builder.ZeroExtended(builder.UseOne(instruction.operand(1)), part);
  ValueNodes lanes;
  for (uint64_t i = 0; i < instruction.type()->num_elements(); ++i) {
    const SDValue place =
        i == 0 ? first
               : builder.Node(isd::kUAddSat, part.type, {first, builder.Number(static_cast<int64_t>(i), part.type)});
    lanes.push_back(builder.dag().GetSetCC(builder.Loc(), MVT::kI1, place, end, CondCode::kUlt));
  }
  DefineLanes(builder, instruction, lanes);
}

void LowerGather(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ElementAccess access(builder, instruction, instruction.type(), 0);
  if (!access.Begin()) return;
  const ValueNodes addresses = LanesOf(builder, instruction.operand(0));
  ValueNodes lanes = LanesOf(builder, access.passed_through());
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = access.Load(i, addresses[i], lanes[i]);
  DefineLanes(builder, instruction, lanes);
}

// Of several elements with one address, the last one stays.
void LowerScatter(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ElementAccess access(builder, instruction, instruction.operand(0).type(), 1);
  if (!access.Begin()) return;
  const ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  const ValueNodes addresses = LanesOf(builder, instruction.operand(1));
  for (size_t i = 0; i < lanes.size(); ++i) access.Store(i, addresses[i], lanes[i]);
}

void LowerExpandLoad(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ElementAccess access(builder, instruction, instruction.type(), 0);
  if (!access.Begin()) return;
  SDValue address = builder.UseOne(instruction.operand(0));
  ValueNodes lanes = LanesOf(builder, access.passed_through());
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i] = access.Load(i, address, lanes[i]);
    if (i + 1 < lanes.size()) address = access.Advance(i, address);
  }
  DefineLanes(builder, instruction, lanes);
}

void LowerCompressStore(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t) {
  ElementAccess access(builder, instruction, instruction.operand(0).type(), 1);
  if (!access.Begin()) return;
  SDValue address = builder.UseOne(instruction.operand(1));
  const ValueNodes lanes = LanesOf(builder, instruction.operand(0));
  for (size_t i = 0; i < lanes.size(); ++i) {
    access.Store(i, address, lanes[i]);
    if (i + 1 < lanes.size()) address = access.Advance(i, address);
  }
}

}  // namespace ptxmir::sdag
