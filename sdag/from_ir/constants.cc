// SPDX-License-Identifier: Apache-2.0

// Constants of IR as nodes.

#include <utility>

#include "absl/status/statusor.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/ir_initializer.h"
#include "sdag/from_ir/function_builder.h"

namespace ptxmir::sdag {
namespace {

absl::uint128 Low128(absl::Span<const uint64_t> words) {
  if (words.empty()) return 0;
  return absl::MakeUint128(words.size() > 1 ? words[1] : 0, words[0]);
}

SDValue NumberNode(SelectionDAG& dag, absl::Span<const uint64_t> words, const ValuePart& part) {
  if (IsFloatingPoint(part.type)) return dag.GetConstantFP(words.empty() ? 0 : words[0], part.type);
  absl::uint128 value = Low128(words);
  if (part.bits < 128) value &= (absl::uint128(1) << part.bits) - 1;
  return dag.GetConstant(value, part.type);
}

bool IsUndefined(const IrConstant& constant) {
  return constant.kind == IrConstant::Kind::kUndef || constant.kind == IrConstant::Kind::kPoison;
}

}  // namespace

ValueNodes FunctionBuilder::Constant(const IrConstant& constant) {
  ValueNodes nodes;
  const size_t count = PartsOf(constant.type).size();
  nodes.reserve(count);
  AppendConstant(constant, nodes);
  if (nodes.size() == count) return nodes;
  Refuse(StrCat("this constant of type ", constant.type->ToString()));
  return Undefined(constant.type);
}

void FunctionBuilder::AppendConstant(const IrConstant& constant, ValueNodes& out) {
  using Kind = IrConstant::Kind;
  const IrType* type = constant.type;
  if (IsUndefined(constant)) {
    for (const SDValue node : Undefined(type)) out.push_back(node);
    return;
  }
  if (type->is_vector()) return AppendVectorConstant(constant, out);
  if (!type->is_aggregate()) {
    for (const ValuePart& part : PartsOf(type)) out.push_back(ScalarConstant(constant, part));
    return;
  }
  switch (constant.kind) {
    case Kind::kZeroInitializer:
      for (const ValuePart& part : PartsOf(type)) {
        if (!IsVector(part.type)) {
          out.push_back(NumberNode(dag(), {}, part));
          continue;
        }
        const ValuePart lane = {ScalarType(part.type), part.bits, 0, nullptr};
        const ValueNodes zeros(NumElements(part.type), NumberNode(dag(), {}, lane));
        out.push_back(dag().GetNode(isd::kBuildVector, {}, absl::MakeConstSpan(&part.type, 1), zeros));
      }
      return;
    case Kind::kAggregate:
      for (const IrConstant* operand : constant.operands) AppendConstant(*operand, out);
      return;
    case Kind::kData: {
      const absl::Span<const ValuePart> parts = PartsOf(type->element());
      if (parts.size() != 1) return;
      for (const uint64_t& word : constant.words) out.push_back(NumberNode(dag(), {&word, 1}, parts[0]));
      return;
    }
    case Kind::kString:
      for (const char c : constant.text) {
        out.push_back(dag().GetConstant(static_cast<unsigned char>(c), MVT::kI8));
      }
      return;
    default:
      return;  // the caller finds too few nodes
  }
}

void FunctionBuilder::AppendVectorConstant(const IrConstant& constant, ValueNodes& out) {
  using Kind = IrConstant::Kind;
  const IrType* type = constant.type;
  const ValuePart lane = LanePart(type);
  ValueNodes lanes;
  switch (constant.kind) {
    case Kind::kZeroInitializer:
      lanes.assign(type->num_elements(), NumberNode(dag(), {}, lane));
      break;
    case Kind::kData:
      for (const uint64_t& word : constant.words) lanes.push_back(NumberNode(dag(), {&word, 1}, lane));
      break;
    case Kind::kString:
      for (const char c : constant.text) lanes.push_back(dag().GetConstant(static_cast<unsigned char>(c), MVT::kI8));
      break;
    case Kind::kAggregate:
      for (const IrConstant* operand : constant.operands) AppendConstant(*operand, lanes);
      break;
    case Kind::kSplat:
      AppendConstant(*constant.operands[0], lanes);
      if (lanes.size() == 1) lanes.assign(type->num_elements(), SDValue(lanes[0]));
      break;
    default:
      break;
  }
  if (lanes.size() != type->num_elements()) return;
  for (const SDValue node : FromLanes(type, lanes)) out.push_back(node);
}

SDValue FunctionBuilder::ScalarConstant(const IrConstant& constant, const ValuePart& part) {
  using Kind = IrConstant::Kind;
  switch (constant.kind) {
    case Kind::kInteger:
    case Kind::kFloat:
      return NumberNode(dag(), constant.words, part);
    case Kind::kNullPointer:
    case Kind::kZeroInitializer:
      return NumberNode(dag(), {}, part);
    default:
      break;
  }
  const absl::StatusOr<EvaluatedConstant> evaluated = EvaluateConstant(module(), constant);
  if (!evaluated.ok() && constant.kind == Kind::kExpression) return ComputedConstant(constant, part);
  if (!evaluated.ok()) {
    Refuse(StrCat("this constant: ", FromAbsl(evaluated.status().message())));
    return dag().GetUndef(part.type);
  }
  if (!evaluated->is_address) return NumberNode(dag(), evaluated->words, part);
  const uint32_t space = module().global_value(evaluated->symbol).address_space;
  SDValue address = dag().GetGlobalAddress(evaluated->symbol, PointerType(space));
  if (evaluated->generic && space != address_space::kGeneric) {
    address = dag().GetAddrSpaceCast({}, PointerType(address_space::kGeneric), address, space, address_space::kGeneric);
  }
  address = AddOffset(address, evaluated->addend);
  return IsInteger(part.type)
             ? Resize(address, part.type, isd::kZeroExtend)
             : Node(isd::kBitcast, part.type, {Resize(address, *ToInteger(part.type), isd::kZeroExtend)});
}

// An expression that no initializer can hold, such as a generic address converted back, is computed.
SDValue FunctionBuilder::ComputedConstant(const IrConstant& constant, const ValuePart& part) {
  using Code = IrConstant::Opcode;
  const auto operand = [&](size_t i) {
    const ValueNodes nodes = Constant(*constant.operands[i]);
    return nodes.size() == 1 ? nodes[0] : dag().GetUndef(part.type);
  };
  const auto binary = [&](int16_t opcode) { return Node(opcode, part.type, {operand(0), operand(1)}); };
  switch (constant.opcode) {
    case Code::kAddrSpaceCast:
      return AddrSpaceCast(operand(0), part.type, constant.operands[0]->type->address_space(),
                           constant.type->address_space());
    case Code::kPtrToInt:
    case Code::kPtrToAddr:
    case Code::kIntToPtr:
    case Code::kZExt:
    case Code::kTrunc:
      return Resize(operand(0), part.type, isd::kZeroExtend);
    case Code::kSExt:
      return Resize(operand(0), part.type, isd::kSignExtend);
    case Code::kBitcast:
      return operand(0).type() == part.type ? operand(0) : Node(isd::kBitcast, part.type, {operand(0)});
    case Code::kAdd:
      return binary(isd::kAdd);
    case Code::kSub:
      return binary(isd::kSub);
    case Code::kXor:
      return binary(isd::kXor);
    case Code::kAnd:
      return binary(isd::kAnd);
    case Code::kOr:
      return binary(isd::kOr);
    case Code::kMul:
      return binary(isd::kMul);
    case Code::kGetElementPtr: {
      int64_t offset = 0;
      if (!ConstantOffset(constant, offset)) break;
      return AddOffset(operand(0), offset);
    }
    default:
      break;
  }
  Refuse(StrCat("the constant expression ", ToString(module(), constant)));
  return dag().GetUndef(part.type);
}

// Returns false if an index is no number.
bool FunctionBuilder::ConstantOffset(const IrConstant& address, int64_t& offset) const {
  const IrType* type = address.source_type;
  uint64_t sum = 0;
  for (size_t i = 1; i < address.operands.size(); ++i) {
    const IrConstant& index = *address.operands[i];
    const bool is_zero = index.kind == IrConstant::Kind::kZeroInitializer;
    if (!is_zero && index.kind != IrConstant::Kind::kInteger) return false;
    const int64_t number = is_zero ? 0 : index.SExtValue();
    if (i > 1 && type->is_struct()) {
      sum += layout().LayoutOf(type).offsets[static_cast<size_t>(number)];
      type = type->members()[static_cast<size_t>(number)];
      continue;
    }
    if (i > 1) type = type->element();
    sum += static_cast<uint64_t>(number) * layout().AllocSize(type);
  }
  offset = static_cast<int64_t>(sum);
  return true;
}

}  // namespace ptxmir::sdag
