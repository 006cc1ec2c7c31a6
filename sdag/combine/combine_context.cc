// SPDX-License-Identifier: Apache-2.0

#include "sdag/combine/combine_context.h"

#include <algorithm>
#include <vector>

#include "sdag/select/dag_selector.h"

namespace ptxmir::sdag {

using U = absl::uint128;

SDValue CombineContext::Node(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                             uint32_t flags) const {
  std::vector<MVT> operand_types;
  for (const SDValue& operand : operands) {
    if (!operand) return SDValue();
    operand_types.push_back(operand.type());
  }
  if (!before_legalize() && !IsSelectable(opcode, types, operand_types, *options_.subtarget)) return SDValue();
  return dag_.GetNode(opcode, loc, types, operands, flags);
}

SDValue CombineContext::Node(int16_t opcode, SDLoc loc, MVT type, std::initializer_list<SDValue> operands,
                             uint32_t flags) const {
  return Node(opcode, loc, absl::MakeConstSpan(&type, 1), absl::MakeConstSpan(operands.begin(), operands.size()),
              flags);
}

SDValue CombineContext::SetCC(SDLoc loc, MVT type, SDValue a, SDValue b, CondCode code) const {
  return Node(isd::kSetCC, loc, type, {a, b, dag_.GetCondCode(code)});
}

SDValue CombineContext::Int(MVT type, U bits) const {
  if (IsVector(type) && !before_legalize()) {
    DagConstant constant = DagConstant::Of(type, bits & LowBits(ScalarSizeInBits(type)));
    return Constant(constant);
  }
  return dag_.GetConstant(bits & LowBits(ScalarSizeInBits(type)), type);
}

SDValue CombineContext::Not(SDLoc loc, SDValue value) const {
  if (!value) return SDValue();
  return Node(isd::kXor, loc, value.type(), {value, AllOnes(value.type())});
}

SDValue CombineContext::Constant(const DagConstant& constant) const {
  const MVT type = constant.type;
  if (!IsInteger(type) && !IsFloatingPoint(type)) return SDValue();
  const MVT element = ScalarType(type);
  std::vector<SDValue> lanes;
  for (const Lane& lane : constant.lanes) {
    lanes.push_back(lane.is_undefined()        ? dag_.GetUndef(element)
                    : IsFloatingPoint(element) ? dag_.GetConstantFP(absl::Uint128Low64(lane.bits), element)
                                               : dag_.GetConstant(lane.bits, element));
  }
  if (!IsVector(type)) return lanes[0];
  if (std::all_of(constant.lanes.begin(), constant.lanes.end(), [](const Lane& l) { return l.is_undefined(); })) {
    return dag_.GetUndef(type);
  }
  return Node(isd::kBuildVector, {}, absl::MakeConstSpan(&type, 1), lanes);
}

SDValue CombineContext::ZExtOrTrunc(SDLoc loc, MVT type, SDValue value) const {
  if (!value || value.type() == type) return value;
  const bool wider = ScalarSizeInBits(type) > ScalarSizeInBits(value.type());
  return Node(wider ? isd::kZeroExtend : isd::kTruncate, loc, type, {value});
}
SDValue CombineContext::SExtOrTrunc(SDLoc loc, MVT type, SDValue value) const {
  if (!value || value.type() == type) return value;
  const bool wider = ScalarSizeInBits(type) > ScalarSizeInBits(value.type());
  return Node(wider ? isd::kSignExtend : isd::kTruncate, loc, type, {value});
}
SDValue CombineContext::AExtOrTrunc(SDLoc loc, MVT type, SDValue value) const {
  if (!value || value.type() == type) return value;
  const bool wider = ScalarSizeInBits(type) > ScalarSizeInBits(value.type());
  return Node(wider ? isd::kAnyExtend : isd::kTruncate, loc, type, {value});
}

bool CombineContext::IsLegal(int16_t opcode, MVT type, absl::Span<const MVT> operands) const {
  return IsSelectable(opcode, absl::MakeConstSpan(&type, 1), operands, *options_.subtarget);
}
bool CombineContext::IsLegal(const SDNode& node) const { return IsSelectable(node, *options_.subtarget); }
bool CombineContext::IsLegalBinary(int16_t opcode, MVT type) const {
  const MVT operands[] = {type, type};
  return IsLegal(opcode, type, operands);
}
bool CombineContext::IsLegalUnary(int16_t opcode, MVT type) const {
  return IsLegal(opcode, type, absl::MakeConstSpan(&type, 1));
}

SDValue CombineContext::Replace(SDNode& node, absl::Span<const SDValue> results) const {
  std::vector<SDValue> from, to;
  for (unsigned i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    from.push_back({&node, i});
    to.push_back(results[i]);
  }
  observer_.Replaced(from, to);
  dag_.ReplaceAllUsesOfValuesWith(from, to);
  return {&node, 0};
}

bool IsConstantOf(const SDValue& value, U bits) {
  U constant;
  return MatchConstant(value, &constant) && constant == bits;
}
bool IsAllOnes(const SDValue& value) {
  U constant;
  return MatchConstant(value, &constant) && constant == LowBits(ScalarSizeInBits(value.type()));
}
bool IsUndefined(const SDValue& value) {
  return value && (value.opcode() == isd::kUndef || value.opcode() == isd::kPoison);
}
bool IsPowerOf2(U bits, unsigned* log2) {
  if (bits == 0 || (bits & (bits - 1)) != 0) return false;
  *log2 = 0;
  while ((bits >> static_cast<int>(*log2)) != 1) ++*log2;
  return true;
}
bool IsConstantFP(const SDValue& value, uint64_t* bits) {
  if (!value) return false;
  if (value.opcode() == isd::kConstantFP) {
    *bits = static_cast<const ConstantFPSDNode*>(value.node())->bits();
    return true;
  }
  const bool is_vector = value.opcode() == isd::kBuildVector || value.opcode() == isd::kSplatVector;
  if (!is_vector || value->num_operands() == 0) return false;
  for (unsigned i = 0; i < value->num_operands(); ++i) {
    if (!Is(value.operand(i), isd::kConstantFP)) return false;
    const uint64_t element = static_cast<const ConstantFPSDNode*>(value.operand(i).node())->bits();
    if (i > 0 && element != *bits) return false;
    *bits = element;
  }
  return true;
}
bool IsSimple(const SDNode& node) {
  const auto* memory = DynCast<MemSDNode>(&node);
  if (memory == nullptr || memory->memoperand() == nullptr) return false;
  return (node.opcode() == isd::kLoad || node.opcode() == isd::kStore) && !memory->is_volatile() &&
         !memory->is_atomic();
}
bool IsPlainLoad(const SDValue& value) {
  return Is(value, isd::kLoad) && value.resno() == 0 && IsSimple(*value.node());
}
unsigned Width(const SDValue& value) { return ScalarSizeInBits(value.type()); }

}  // namespace ptxmir::sdag
