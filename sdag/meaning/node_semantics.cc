// SPDX-License-Identifier: Apache-2.0

// Computes the values of nodes: operations on whole values, and operations on lanes, applied to all lanes.

#include "sdag/meaning/node_semantics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/str_cat.h"
#include "sdag/meaning/node_semantics_lanes.h"

namespace ptxmir::sdag {

using U = absl::uint128;

U LowBits(unsigned width) { return width >= 128 ? ~U(0) : (U(1) << static_cast<int>(width)) - 1; }

absl::int128 SignExtended(U bits, unsigned width) {
  if (width == 0 || width >= 128) return static_cast<absl::int128>(bits);
  const U sign = U(1) << static_cast<int>(width - 1);
  return static_cast<absl::int128>((bits ^ sign) - sign);
}

DagConstant DagConstant::Splat(MVT type, const Lane& lane) {
  DagConstant constant;
  constant.type = type;
  constant.lanes.assign(std::max(1u, NumElements(type)), lane);
  return constant;
}

bool DagConstant::IsDefined() const {
  return std::all_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.is_defined(); });
}

std::string ToString(const DagConstant& constant) {
  std::string text = StrCat(Name(constant.type), "<");
  for (size_t i = 0; i < constant.lanes.size(); ++i) {
    const Lane& lane = constant.lanes[i];
    if (i > 0) text += ", ";
    if (lane.is_undefined()) {
      text += "undef";
    } else if (lane.state == LaneState::kAnyNaN) {
      text += "nan";
    } else {
      static constexpr char kDigits[] = "0123456789abcdef";
      const int digits = static_cast<int>(std::max(1u, (ScalarSizeInBits(constant.type) + 3) / 4));
      text += "0x";
      for (int d = digits - 1; d >= 0; --d) text += kDigits[absl::Uint128Low64(lane.bits >> (4 * d)) & 15];
    }
  }
  return text + ">";
}

bool Refines(const DagConstant& actual, const DagConstant& expected) {
  if (actual.type != expected.type || actual.lanes.size() != expected.lanes.size()) return false;
  for (size_t i = 0; i < expected.lanes.size(); ++i) {
    const Lane& a = actual.lanes[i];
    const Lane& e = expected.lanes[i];
    if (e.is_undefined()) continue;
    if (a.is_undefined()) return false;
    if (e.state == LaneState::kAnyNaN) {
      if (!IsNaNBits(ScalarType(actual.type), a.bits)) return false;
    } else if (a != e) {
      return false;
    }
  }
  return true;
}

PureOperation OperationOf(const SDNode& node) {
  PureOperation operation;
  operation.opcode = node.opcode();
  operation.types = node.value_types();
  operation.flags = node.flags();
  for (const SDUse& use : node.operands()) {
    if (const auto* code = DynCast<CondCodeSDNode>(use.node())) operation.cond_code = code->code();
    if (const auto* type = DynCast<VTSDNode>(use.node())) operation.type_operand = type->type();
  }
  if (const auto* shuffle = DynCast<ShuffleVectorSDNode>(&node)) operation.shuffle_mask = shuffle->mask();
  return operation;
}

bool ConstantOf(const SDNode& node, DagConstant& constant) {
  if (node.num_values() != 1) return false;
  const MVT type = node.value_type(0);
  if (const auto* integer = DynCast<ConstantSDNode>(&node)) {
    constant = DagConstant::Of(type, integer->value() & LowBits(ScalarSizeInBits(type)));
  } else if (const auto* fp = DynCast<ConstantFPSDNode>(&node)) {
    constant = DagConstant::Of(type, fp->bits());
  } else if (node.opcode() == isd::kUndef || node.opcode() == isd::kPoison) {
    constant = DagConstant::Undefined(type);
  } else {
    return false;
  }
  return true;
}

ValueBits BitsOf(const DagConstant& constant) {
  const unsigned width = ScalarSizeInBits(constant.type);
  ValueBits result;
  for (const Lane& lane : constant.lanes) {
    for (unsigned i = 0; i < width; ++i) {
      result.bits.push_back(static_cast<uint8_t>(absl::Uint128Low64(lane.bits >> static_cast<int>(i)) & 1));
      result.undefined.push_back(lane.is_defined() ? 0 : 1);
    }
  }
  return result;
}

DagConstant FromBits(MVT type, const ValueBits& bits, size_t first) {
  const unsigned width = ScalarSizeInBits(type);
  DagConstant result = DagConstant::Of(type, 0);
  for (Lane& lane : result.lanes) {
    for (unsigned i = 0; i < width; ++i, ++first) {
      if (first >= bits.bits.size() || bits.undefined[first] != 0) lane.state = LaneState::kUndefined;
      if (first < bits.bits.size()) lane.bits |= U(bits.bits[first]) << static_cast<int>(i);
    }
    if (lane.is_undefined()) lane.bits = 0;
  }
  return result;
}

namespace {

using Operands = absl::Span<const DagConstant>;

// Returns the lane truncated, or extended with unknown bits.
Lane AnyExtended(const PureOperation& operation, const Lane& lane, unsigned from, unsigned to) {
  if (to == from || !lane.is_defined()) return lane;
  if (to < from) return {lane.bits & LowBits(to)};
  if (operation.any_extend_fill == nullptr) return Lane::Undefined();
  return {(lane.bits | (*operation.any_extend_fill & ~LowBits(from))) & LowBits(to)};
}
Lane AnyExtended(const PureOperation& operation, const Lane& lane, MVT from, MVT to) {
  return AnyExtended(operation, lane, ScalarSizeInBits(from), ScalarSizeInBits(to));
}

bool IsScalarDefined(const DagConstant& constant) {
  return constant.lanes.size() == 1 && constant.lanes[0].is_defined();
}
// Returns the index that a constant gives, or a number larger than any index.
size_t IndexOf(const DagConstant& constant) {
  return absl::Uint128High64(constant.bits()) != 0 ? ~size_t{0} : absl::Uint128Low64(constant.bits());
}

// Computes a value. `out` has the result's type and undefined lanes. Returns false if the operation is malformed.
using ValueFunction = bool (*)(const PureOperation& operation, Operands in, DagConstant* out);

bool AnyExtend(const PureOperation& operation, Operands in, DagConstant* out) {
  for (size_t i = 0; i < std::min(out->lanes.size(), in[0].lanes.size()); ++i) {
    out->lanes[i] = AnyExtended(operation, in[0].lanes[i], in[0].type, out->type);
  }
  return true;
}
template <bool kSigned>
bool ExtendVectorInReg(const PureOperation&, Operands in, DagConstant* out) {
  const unsigned width = ScalarSizeInBits(in[0].type);
  for (size_t i = 0; i < std::min(out->lanes.size(), in[0].lanes.size()); ++i) {
    const Lane& lane = in[0].lanes[i];
    if (!lane.is_defined()) continue;
    const U bits = kSigned ? static_cast<U>(SignExtended(lane.bits, width)) : lane.bits;
    out->lanes[i] = {bits & LowBits(ScalarSizeInBits(out->type))};
  }
  return true;
}
// Returns the operand. Used for freeze, too: freeze of poison is a single value, but an unknown one.
bool Same(const PureOperation&, Operands in, DagConstant* out) {
  if (in[0].type != out->type) return false;
  *out = in[0];
  return true;
}
bool Bitcast(const PureOperation&, Operands in, DagConstant* out) {
  if (SizeInBits(in[0].type) != SizeInBits(out->type)) return false;
  if (in[0].lanes.size() == out->lanes.size() && IsFloatingPoint(in[0].type) == IsFloatingPoint(out->type) &&
      ScalarType(in[0].type) == ScalarType(out->type)) {
    out->lanes = in[0].lanes;
  } else {
    *out = FromBits(out->type, BitsOf(in[0]));
  }
  return true;
}
bool AddrSpaceCast(const PureOperation&, Operands in, DagConstant* out) {
  // The windows of the state spaces begin at 0 here (dag_evaluator.h).
  if (in[0].lanes[0].is_defined()) out->lanes[0] = {in[0].bits() & LowBits(SizeInBits(out->type))};
  return true;
}
bool ProxyReg(const PureOperation&, Operands in, DagConstant* out) {
  if (in.size() < 2 || in[1].type != out->type) return false;
  *out = in[1];
  return true;
}

bool SelectValue(const PureOperation& operation, Operands in, DagConstant* out) {
  if (in[1].type != out->type || in[2].type != out->type) return false;
  for (size_t i = 0; i < out->lanes.size(); ++i) {
    const Lane& condition = in[0].lanes[in[0].lanes.size() == 1 ? 0 : i];
    if (!condition.is_defined()) continue;
    const Lane& lane = in[(condition.bits & 1) != 0 ? 1 : 2].lanes[i];
    const bool promised = IsFloatingPoint(out->type) && (operation.flags & SDNodeFlags::kNoNaNs) != 0;
    if (!promised || !IsNaNBits(ScalarType(out->type), lane.bits)) out->lanes[i] = lane;
  }
  return true;
}
bool SelectCC(const PureOperation& operation, Operands in, DagConstant* out) {
  PureOperation comparison = operation;
  static constexpr MVT kI1 = MVT::kI1;
  comparison.opcode = isd::kSetCC;
  comparison.types = absl::MakeConstSpan(&kI1, 1);
  absl::InlinedVector<DagConstant, 2> holds;
  if (!EvaluatePure(comparison, in.subspan(0, 2), holds)) return false;
  const DagConstant operands[] = {holds[0], in[2], in[3]};
  return SelectValue(operation, operands, out);
}

bool BuildVector(const PureOperation&, Operands in, DagConstant* out) {
  if (in.size() != out->lanes.size()) return false;
  const U mask = LowBits(ScalarSizeInBits(out->type));
  for (size_t i = 0; i < in.size(); ++i) {
    out->lanes[i] = in[i].lanes[0];
    out->lanes[i].bits &= mask;
  }
  return true;
}
bool SplatVector(const PureOperation&, Operands in, DagConstant* out) {
  Lane lane = in[0].lanes[0];
  lane.bits &= LowBits(ScalarSizeInBits(out->type));
  *out = DagConstant::Splat(out->type, lane);
  return true;
}
bool ScalarToVector(const PureOperation&, Operands in, DagConstant* out) {
  out->lanes[0] = in[0].lanes[0];
  out->lanes[0].bits &= LowBits(ScalarSizeInBits(out->type));
  return true;
}
bool InsertElement(const PureOperation&, Operands in, DagConstant* out) {
  if (in[0].type != out->type) return false;
  if (!IsScalarDefined(in[2]) || IndexOf(in[2]) >= out->lanes.size()) return true;
  *out = in[0];
  Lane lane = in[1].lanes[0];
  lane.bits &= LowBits(ScalarSizeInBits(out->type));
  out->lanes[IndexOf(in[2])] = lane;
  return true;
}
bool ExtractElement(const PureOperation& operation, Operands in, DagConstant* out) {
  if (!IsScalarDefined(in[1]) || IndexOf(in[1]) >= in[0].lanes.size()) return true;
  out->lanes[0] = AnyExtended(operation, in[0].lanes[IndexOf(in[1])], in[0].type, out->type);
  return true;
}
bool ConcatVectors(const PureOperation&, Operands in, DagConstant* out) {
  out->lanes.clear();
  for (const DagConstant& part : in) out->lanes.insert(out->lanes.end(), part.lanes.begin(), part.lanes.end());
  return out->lanes.size() == NumElements(out->type);
}
bool InsertSubvector(const PureOperation&, Operands in, DagConstant* out) {
  if (in[0].type != out->type || !IsScalarDefined(in[2])) return false;
  *out = in[0];
  const size_t first = IndexOf(in[2]);
  if (first > out->lanes.size() || in[1].lanes.size() > out->lanes.size() - first) return false;
  std::copy(in[1].lanes.begin(), in[1].lanes.end(), out->lanes.begin() + static_cast<ptrdiff_t>(first));
  return true;
}
bool ExtractSubvector(const PureOperation&, Operands in, DagConstant* out) {
  if (!IsScalarDefined(in[1])) return false;
  const size_t first = IndexOf(in[1]);
  if (first > in[0].lanes.size() || out->lanes.size() > in[0].lanes.size() - first) return false;
  for (size_t i = 0; i < out->lanes.size(); ++i) out->lanes[i] = in[0].lanes[first + i];
  return true;
}
bool Shuffle(const PureOperation& operation, Operands in, DagConstant* out) {
  const size_t size = out->lanes.size();
  if (operation.shuffle_mask.size() != size || in[0].lanes.size() != size || in[1].lanes.size() != size) return false;
  for (size_t i = 0; i < size; ++i) {
    const int from = operation.shuffle_mask[i];
    if (from < 0 || static_cast<size_t>(from) >= 2 * size) continue;
    const auto index = static_cast<size_t>(from);
    out->lanes[i] = index < size ? in[0].lanes[index] : in[1].lanes[index - size];
  }
  return true;
}
// Concatenates the bits of all operands, the first lowest: build_pair, NVPTXISD::BUILD_VECTOR.
bool Concatenate(const PureOperation&, Operands in, DagConstant* out) {
  ValueBits all;
  for (const DagConstant& part : in) {
    const ValueBits bits = BitsOf(part);
    all.bits.insert(all.bits.end(), bits.bits.begin(), bits.bits.end());
    all.undefined.insert(all.undefined.end(), bits.undefined.begin(), bits.undefined.end());
  }
  if (all.bits.size() != SizeInBits(out->type)) return false;
  *out = FromBits(out->type, all);
  return true;
}
bool ExtractPart(const PureOperation&, Operands in, DagConstant* out) {
  if (!IsScalarDefined(in[1])) return false;
  const size_t part = IndexOf(in[1]), width = SizeInBits(out->type);
  if (width == 0 || part >= SizeInBits(in[0].type) / width) return false;
  *out = FromBits(out->type, BitsOf(in[0]), part * width);
  return true;
}

// Reductions: the opcode applied lane by lane, from lane 0 on. In floating point, only those whose result does not
// depend on the order, and those with a fixed order.
template <int16_t kOpcode, bool kHasStart>
bool Reduce(const PureOperation& operation, Operands in, DagConstant* out) {
  const DagConstant& vector = in[kHasStart ? 1 : 0];
  const MVT element = ScalarType(vector.type);
  DagConstant value = kHasStart ? in[0] : DagConstant::Splat(element, vector.lanes[0]);
  PureOperation step = operation;
  step.opcode = kOpcode;
  step.types = absl::MakeConstSpan(&element, 1);
  for (size_t i = kHasStart ? 0 : 1; i < vector.lanes.size(); ++i) {
    const DagConstant operands[] = {value, DagConstant::Splat(element, vector.lanes[i])};
    absl::InlinedVector<DagConstant, 2> results;
    if (!EvaluatePure(step, operands, results)) return false;
    value = results[0];
  }
  out->lanes[0] = AnyExtended(operation, value.lanes[0], element, out->type);
  return true;
}

struct ValueRow {
  int16_t opcode;
  uint8_t min_operands;
  ValueFunction function;
};
constexpr ValueRow kValueRows[] = {
    {isd::kAnyExtend, 1, AnyExtend},
    {isd::kAnyExtendVectorInReg, 1, AnyExtend},
    {isd::kSignExtendVectorInReg, 1, ExtendVectorInReg<true>},
    {isd::kZeroExtendVectorInReg, 1, ExtendVectorInReg<false>},
    {isd::kFreeze, 1, Same},
    {isd::kAssertAlign, 1, Same},
    {isd::kNvMoveParam, 1, Same},
    {isd::kNvProxyReg, 2, ProxyReg},
    {isd::kBitcast, 1, Bitcast},
    {isd::kAddrSpaceCast, 1, AddrSpaceCast},
    {isd::kSelect, 3, SelectValue},
    {isd::kVSelect, 3, SelectValue},
    {isd::kSelectCC, 4, SelectCC},
    {isd::kBuildVector, 1, BuildVector},
    {isd::kSplatVector, 1, SplatVector},
    {isd::kScalarToVector, 1, ScalarToVector},
    {isd::kInsertVectorElt, 3, InsertElement},
    {isd::kExtractVectorElt, 2, ExtractElement},
    {isd::kConcatVectors, 1, ConcatVectors},
    {isd::kInsertSubvector, 3, InsertSubvector},
    {isd::kExtractSubvector, 2, ExtractSubvector},
    {isd::kVectorShuffle, 2, Shuffle},
    {isd::kBuildPair, 2, Concatenate},
    {isd::kNvBuildVector, 1, Concatenate},
    {isd::kExtractElement, 2, ExtractPart},
    {isd::kVecReduceAdd, 1, Reduce<isd::kAdd, false>},
    {isd::kVecReduceMul, 1, Reduce<isd::kMul, false>},
    {isd::kVecReduceAnd, 1, Reduce<isd::kAnd, false>},
    {isd::kVecReduceOr, 1, Reduce<isd::kOr, false>},
    {isd::kVecReduceXor, 1, Reduce<isd::kXor, false>},
    {isd::kVecReduceSMin, 1, Reduce<isd::kSMin, false>},
    {isd::kVecReduceSMax, 1, Reduce<isd::kSMax, false>},
    {isd::kVecReduceUMin, 1, Reduce<isd::kUMin, false>},
    {isd::kVecReduceUMax, 1, Reduce<isd::kUMax, false>},
    {isd::kVecReduceSeqFAdd, 2, Reduce<isd::kFAdd, true>},
    {isd::kVecReduceSeqFMul, 2, Reduce<isd::kFMul, true>},
    {isd::kVecReduceFMin, 1, Reduce<isd::kFMinNum, false>},
    {isd::kVecReduceFMax, 1, Reduce<isd::kFMaxNum, false>},
    {isd::kVecReduceFMinimum, 1, Reduce<isd::kFMinimum, false>},
    {isd::kVecReduceFMaximum, 1, Reduce<isd::kFMaximum, false>},
};

// The way in which an opcode is computed, if it is.
struct Semantics {
  LaneFunction lane = nullptr;
  ValueFunction value = nullptr;
  uint8_t num_operands = 0;
};
using Table = std::array<Semantics, isd::kNumOpcodes>;

const Table& SemanticsTable() {
  static const Table kTable = [] {
    Table table;
    for (const auto rows : {IntegerLaneRows(), FloatLaneRows()}) {
      for (const LaneRow& row : rows) {
        table[static_cast<size_t>(row.opcode)] = {row.function, nullptr, row.num_operands};
      }
    }
    for (const ValueRow& row : kValueRows) {
      table[static_cast<size_t>(row.opcode)] = {nullptr, row.function, row.min_operands};
    }
    return table;
  }();
  return kTable;
}

// Returns the bits of an element. Carries have the type glue.
unsigned Width(MVT type) { return type == MVT::kGlue ? 1 : ScalarSizeInBits(type); }

bool EvaluateLanes(const PureOperation& operation, const Semantics& semantics, Operands in,
                   absl::InlinedVector<DagConstant, 2>& results) {
  constexpr size_t kMaxOperands = 4, kMaxResults = 2;
  if (results.size() > kMaxResults || semantics.num_operands > kMaxOperands) return false;
  LaneContext context{.operation = &operation,
                      .result = ScalarType(results[0].type),
                      .operand0 = ScalarType(in[0].type),
                      .result_width = Width(results[0].type),
                      .operand_width = ScalarSizeInBits(in[0].type),
                      .operand1_width = in.size() > 1 ? Width(in[1].type) : 0};
  if (context.result_width == 0 || context.operand_width == 0) return false;
  // Tokens other than carries have no bits to compute with.
  for (size_t i = 1; i < semantics.num_operands; ++i) {
    if (Width(in[i].type) == 0) return false;
  }
  const size_t num_lanes = results[0].lanes.size();
  for (size_t lane = 0; lane < num_lanes; ++lane) {
    Lane operands[kMaxOperands];
    bool undefined = false;
    for (size_t i = 0; i < semantics.num_operands; ++i) {
      const DagConstant& operand = in[i];
      if (operand.lanes.size() != 1 && operand.lanes.size() != num_lanes) return false;
      operands[i] = operand.lanes[operand.lanes.size() == 1 ? 0 : lane];
      undefined |= operands[i].is_undefined();
    }
    Lane out[kMaxResults];
    if (!undefined) semantics.lane(context, operands, out);
    for (size_t i = 0; i < results.size(); ++i) {
      Lane& result = results[i].lanes[std::min(lane, results[i].lanes.size() - 1)];
      if (undefined || out[i].is_undefined()) continue;
      result = out[i];
      result.bits &= LowBits(Width(results[i].type));
    }
  }
  return true;
}

// Computes NVPTXISD's nodes with several results that are not computed lane by lane.
bool EvaluateSpecial(const PureOperation& operation, Operands in, absl::InlinedVector<DagConstant, 2>& results) {
  if (operation.opcode == isd::kNvUnpackVector && in.size() == 1) {
    const ValueBits bits = BitsOf(in[0]);
    size_t first = 0;
    for (DagConstant& result : results) {
      result = FromBits(result.type, bits, first);
      first += SizeInBits(result.type);
    }
    return first == bits.bits.size();
  }
  const bool is_setp = operation.opcode == isd::kNvSetpF16x2 || operation.opcode == isd::kNvSetpBF16x2;
  if (!is_setp || in.size() < 2 || results.size() != 2 || in[0].lanes.size() != 2 || in[1].lanes.size() != 2) {
    return false;
  }
  for (size_t i = 0; i < 2; ++i) {
    const MVT element = ScalarType(in[0].type);
    const Lane &a = in[0].lanes[i], &b = in[1].lanes[i];
    if (a.is_undefined() || b.is_undefined()) continue;
    const bool holds = CompareFloats(operation.cond_code, FloatValue(element, a.bits), FloatValue(element, b.bits));
    results[i].lanes[0] = {U(holds ? 1 : 0)};
  }
  return true;
}

bool IsSpecial(int16_t opcode) {
  return opcode == isd::kNvUnpackVector || opcode == isd::kNvSetpF16x2 || opcode == isd::kNvSetpBF16x2;
}

}  // namespace

bool IsPureAndExact(int16_t opcode) {
  if (opcode < 0 || opcode >= isd::kNumOpcodes) return false;
  const Semantics& semantics = SemanticsTable()[static_cast<size_t>(opcode)];
  return semantics.lane != nullptr || semantics.value != nullptr || opcode == isd::kMergeValues || IsSpecial(opcode);
}

bool EvaluatePure(const PureOperation& operation, Operands in, absl::InlinedVector<DagConstant, 2>& results) {
  results.clear();
  if (!IsPureAndExact(operation.opcode) || operation.types.empty()) return false;
  if (operation.opcode == isd::kMergeValues) {
    results.assign(in.begin(), in.end());
    return true;
  }
  for (const MVT type : operation.types) results.push_back(DagConstant::Undefined(type));
  if (IsSpecial(operation.opcode)) return EvaluateSpecial(operation, in, results);
  const Semantics& semantics = SemanticsTable()[static_cast<size_t>(operation.opcode)];
  if (in.size() < semantics.num_operands) return false;
  for (size_t i = 0; i < semantics.num_operands; ++i) {
    if (in[i].lanes.empty()) return false;
  }
  if (semantics.lane != nullptr) return EvaluateLanes(operation, semantics, in, results);
  return semantics.value(operation, in, &results[0]);
}

}  // namespace ptxmir::sdag
