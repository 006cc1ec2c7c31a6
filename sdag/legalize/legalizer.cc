// SPDX-License-Identifier: Apache-2.0

#include "sdag/legalize/legalizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "sdag/legalize/dag_legalizer.h"
#include "sdag/select/dag_selector.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {
namespace {

// Returns the row of an opcode.
const LegalizeRow& RowOf(int16_t opcode) {
  static const std::vector<LegalizeRow>* const kTable = [] {
    auto* table = new std::vector<LegalizeRow>(isd::kNumOpcodes);
    for (const absl::Span<const LegalizeRow> rows :
         {IntegerRows(), OverflowRows(), BitRows(), FloatRows(), ConversionRows(), ComparisonRows(), VectorRows(),
          MemoryRows(), AtomicRows(), OtherRows()}) {
      for (const LegalizeRow& row : rows) (*table)[row.opcode] = row;
    }
    return table;
  }();
  return (*kTable)[opcode];
}

// Returns true for leaves that are information for their user. No register will hold them.
bool IsMetaLeaf(int16_t opcode) {
  switch (opcode) {
    case isd::kTargetConstant:
    case isd::kTargetConstantFP:
    case isd::kTargetGlobalAddress:
    case isd::kTargetFrameIndex:
    case isd::kTargetJumpTable:
    case isd::kTargetConstantPool:
    case isd::kTargetExternalSymbol:
    case isd::kTargetBlockAddress:
    case isd::kRegister:
    case isd::kMCSymbol:
      return true;
    default:
      return false;
  }
}

// Returns true for operands that are not values.
bool IsMeta(const SDValue& value) {
  return !value || IsToken(value.type()) || value.type() == MVT::kUntyped || IsMetaLeaf(value.opcode());
}

// Returns true for nodes that stay whatever rules exist: leaves, and nodes that only order others.
bool IsAlwaysKept(int16_t opcode) {
  switch (opcode) {
    case isd::kEntryToken:
    case isd::kTokenFactor:
    case isd::kGlobalAddress:
    case isd::kFrameIndex:
    case isd::kJumpTable:
    case isd::kConstantPool:
    case isd::kExternalSymbol:
    case isd::kBlockAddress:
    case isd::kBasicBlock:
    case isd::kCondCode:
    case isd::kValueType:
    case isd::kMDNode:
    case isd::kUndef:
    case isd::kPoison:
    case isd::kCopyToReg:
    case isd::kCopyFromReg:
      return true;
    default:
      return false;
  }
}

// Returns true for functions that PTX can only approximate. An f32 fexp2 is always approximated, as in LLVM.
bool IsApproximation(int16_t opcode, const SDNode& node, const ISelOptions& options) {
  switch (opcode) {
    case isd::kFLog2:
      return !(options.approximate_f32_log2 && node.value_type(0) == MVT::kF32);
    case isd::kFSin:
    case isd::kFCos:
    case isd::kFSinCos:
    case isd::kFTan:
    case isd::kFTanh:
    case isd::kFExp:
    case isd::kFExp10:
    case isd::kFLog:
    case isd::kFLog10:
      return true;
    default:
      return false;
  }
}

// Returns true if a node may be illegal although there is a rule for its types: a misaligned access, or a node that
// does nothing itself.
bool MustBeVisited(const SDNode& node) {
  if (node.opcode() == isd::kMergeValues) return true;
  if (const auto* intrinsic = DynCast<IntrinsicSDNode>(&node)) {
    return intrinsic->intrinsic_name().substr(0, 8) == "llvm.mem";
  }
  if (node.opcode() != isd::kLoad && node.opcode() != isd::kStore) return false;
  const auto& memory = AsMemSDNode(node);
  const SDValue offset = node.operand(node.num_operands() - 1);
  if (!memory.memory_type().is_simple() || !offset || offset.opcode() != isd::kUndef) return true;
  const unsigned bits = memory.memory_type().SizeInBits();
  return bits % 8 != 0 || (memory.memoperand() != nullptr && uint64_t{8} << memory.memoperand()->align_log2 < bits);
}

// Returns the operand number of the shift amount, or 0 if the opcode is not a shift.
unsigned AmountOperand(int16_t opcode) {
  switch (opcode) {
    case isd::kShl:
    case isd::kSra:
    case isd::kSrl:
    case isd::kRotl:
    case isd::kRotr:
    case isd::kSShlSat:
    case isd::kUShlSat:
      return 1;
    case isd::kFShl:
    case isd::kFShr:
      return 2;
    default:
      return 0;
  }
}

bool IsBitwise(int16_t opcode) { return opcode == isd::kAnd || opcode == isd::kOr || opcode == isd::kXor; }

// A sum, difference or product as a fused multiply-add with the same rounding: a*1 + b, b*-1 + a, a*b + -0. bf16
// has only this on sm_80.
struct FusedForm {
  uint64_t constant;
  std::array<uint8_t, 3> order;  // 0 and 1: the operands; 2: the constant
};
std::optional<FusedForm> FusedFormOf(int16_t opcode, MVT scalar) {
  if (scalar != MVT::kF16 && scalar != MVT::kBF16) return std::nullopt;
  const uint64_t one = scalar == MVT::kF16 ? 0x3c00 : 0x3f80;
  switch (opcode) {
    case isd::kFAdd:
      return FusedForm{one, {0, 2, 1}};
    case isd::kFSub:
      return FusedForm{one | 0x8000, {1, 2, 0}};
    case isd::kFMul:
      return FusedForm{0x8000, {0, 1, 2}};
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> ConstantBits(const SDValue& value) {
  const auto* constant = DynCast<ConstantSDNode>(value);
  if (constant == nullptr || value.opcode() != isd::kConstant || IsVector(value.type())) return std::nullopt;
  return constant->ZExtValue();
}

// Returns how many bits of a value of the type one of its parts holds. A part may be wider than they are.
unsigned BitsIn(const SDValue& part, MVT type, size_t num_parts) {
  if (!IsVector(type)) return SizeInBits(type) / static_cast<unsigned>(num_parts);
  return std::max(1u, NumElements(part.type())) * ScalarSizeInBits(type);
}

// Folds operations on constants of at most 64 bits that the formulas of expansions produce.
std::optional<uint64_t> FoldBinary(int16_t opcode, unsigned width, uint64_t a, uint64_t b) {
  switch (opcode) {
    case isd::kAdd:
      return a + b;
    case isd::kSub:
      return a - b;
    case isd::kAnd:
      return a & b;
    case isd::kOr:
      return a | b;
    case isd::kXor:
      return a ^ b;
    case isd::kShl:
      return b < width ? std::optional<uint64_t>(a << b) : std::nullopt;
    case isd::kSrl:
      return b < width ? std::optional<uint64_t>(a >> b) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

CondCode Operation::cond_code() const {
  const auto* code = DynCast<CondCodeSDNode>(extra);
  return code == nullptr ? CondCode::kFalse : code->code();
}

unsigned Operation::type_operand_bits() const {
  const auto* type = DynCast<VTSDNode>(extra);
  if (type == nullptr) return 0;
  return type->type().is_simple() ? ScalarSizeInBits(type->type().simple()) : type->type().SizeInBits();
}

Legalizer::Legalizer(SelectionDAG& dag, const ISelOptions& options) : dag_(dag), options_(options) {}

absl::Status Legalizer::Run() {
  if (!dag_.misuse().ok()) return dag_.misuse();
  dag_.RemoveDeadNodes();
  const std::vector<SDNode*> order = dag_.TopologicalOrder();
  if (order.empty() && dag_.num_nodes() != 0) return absl::InvalidArgumentError("the DAG has a cycle");
  has_changed_.resize(order.size());
  for (SDNode* node : order) {
    Visit(*node);
    if (!status_.ok()) return status_;
  }
  if (dag_.root()) dag_.SetRoot(TokenOf(dag_.root()));
  dag_.RemoveDeadNodes();
  return absl::OkStatus();
}

void Legalizer::Refuse(std::string_view why) {
  if (!status_.ok()) return;
  if (!why.empty()) {
    status_ = NodeError(absl::StatusCode::kUnimplemented, *node_, "cannot legalize", why);
  } else {
    const std::string missing = MissingInstruction(*node_, subtarget());
    status_ = NodeError(absl::StatusCode::kUnimplemented, *node_, "cannot select", missing);
  }
}

LegalValue Legalizer::Refused(MVT type, std::string_view why) {
  Refuse(why);
  return Undef(type);
}

// From the original DAG to legal values.

LegalValue Legalizer::ValueOf(SDValue old) {
  if (!old) {
    Refuse("an operand is missing");
    return {};
  }
  if (HasChanged(*old.node())) {
    const auto found = values_.find(old.Key());
    if (found != values_.end()) return found->second;
  }
  if (!IsDirect(old.type())) {
    Refuse(StrCat("an operand has the type ", Name(old.type()), ", which no register holds"));
    return Undef(old.type());
  }
  return LegalValue(old);
}

SDValue Legalizer::TokenOf(SDValue old) const {
  if (!old || !HasChanged(*old.node())) return old;
  const auto found = values_.find(old.Key());
  return found == values_.end() ? old : found->second.part();
}

void Legalizer::SetResult(unsigned resno, const LegalValue& value) {
  if (has_refused()) return;
  const SDValue old(node_, resno);
  values_[old.Key()] = value;
  has_changed_[static_cast<size_t>(node_->node_id())] = true;
  if (!node_->has_debug_value()) return;
  absl::InlinedVector<unsigned, 4> bits;
  for (const SDValue& part : value.parts) bits.push_back(BitsIn(part, old.type(), value.parts.size()));
  dag_.SplitDbgValues(old, value.parts, bits);
}

void Legalizer::SetToken(unsigned resno, SDValue token) { SetResult(resno, LegalValue(token)); }

// Types.

bool Legalizer::IsDirect(MVT type) const {
  switch (type) {
    case MVT::kI1:
    case MVT::kI16:
    case MVT::kI32:
    case MVT::kI64:
    case MVT::kF32:
    case MVT::kF64:
      return true;
    case MVT::kI8:
    case MVT::kI128:
      return false;
    default:
      break;
  }
  if (IsVector(type) && ScalarSizeInBits(type) == 1) return false;
  return IsLegalType(type, subtarget());
}

TypeList Legalizer::PartTypes(MVT type) const {
  return sdag::PartTypes(type, [this](MVT vector) { return IsDirect(vector); });
}

// The walk.

void Legalizer::Visit(SDNode& node) {
  node_ = &node;
  if (node.is_machine_opcode()) {
    if (!Keep(node)) Refuse("a selected node has an operand that had to change its type");
    return;
  }
  const std::optional<int16_t> plain = PlainOpcode(node.opcode());
  const int16_t opcode = plain.value_or(node.opcode());
  const LegalizeRow& row = RowOf(opcode);
  if (IsApproximation(opcode, node, options_) && !node.HasFlag(SDNodeFlags::kApproximateFuncs)) {
    return Refuse("PTX only approximates it, which the flag afn would allow, and there is no library to call");
  }
  if (!MustBeVisited(node) && Keep(node)) return;
  if (row.visit != nullptr) return row.visit(*this, node);
  if (row.expand == nullptr && row.promotion == Promotion::kNone) return Refuse("");
  LegalValues operands;
  SDValue extra;
  for (const SDUse& use : node.operands()) {
    if (IsChain(use.get())) continue;  // the chain of a strict node
    if (IsMeta(use.get()) ||
        (&use == &node.operands().back() && (opcode == isd::kFPRound || opcode == isd::kIsFPClass))) {
      extra = use.get();
    } else {
      operands.push_back(ValueOf(use.get()));
    }
  }
  SetResult(0, Op({opcode, node.value_type(0), operands, node.flags(), extra}));
  // PTX has no rounding modes or exceptions for which the order of operations could matter.
  if (plain.has_value()) SetToken(1, TokenOf(node.operand(0)));
}

SDNode* Legalizer::KeepOperands(SDNode& node) {
  const auto is_changed = [this](const SDUse& use) { return use.node() != nullptr && HasChanged(*use.node()); };
  if (std::none_of(node.operands().begin(), node.operands().end(), is_changed)) return &node;
  absl::InlinedVector<SDValue, 8> operands;
  for (const SDUse& use : node.operands()) {
    const SDValue old = use.get();
    // Constants of an intrinsic may be immediate operands. Their type is the intrinsic's own business.
    const bool is_immediate = old && old.opcode() == isd::kConstant && node.payload_kind() == NodePayload::kIntrinsic &&
                              !IsDirect(old.type());
    if (is_immediate) {
      operands.push_back(old);
    } else if (IsMeta(old)) {
      operands.push_back(old ? TokenOf(old) : old);
    } else {
      if (!IsDirect(old.type())) return nullptr;
      const LegalValue value = ValueOf(old);
      if (value.parts.size() != 1 || value.part().type() != old.type()) return nullptr;
      operands.push_back(value.part());
    }
  }
  return dag_.UpdateNodeOperands(&node, operands);
}

bool Legalizer::Keep(SDNode& node) {
  for (const MVT type : node.value_types()) {
    if (!IsToken(type) && type != MVT::kUntyped && !IsDirect(type)) return IsMetaLeaf(node.opcode());
  }
  SDNode* kept = KeepOperands(node);
  if (kept == nullptr) return false;
  const bool is_scalar_constant = kept->opcode() == isd::kConstant && !IsVector(kept->value_type(0));
  if (!kept->is_machine_opcode() && !IsAlwaysKept(kept->opcode()) && !is_scalar_constant &&
      !IsMetaLeaf(kept->opcode()) && !IsSelectable(*kept, subtarget())) {
    return false;
  }
  if (kept != &node) {
    for (unsigned i = 0; i < node.num_values(); ++i) SetResult(i, LegalValue(SDValue(kept, i)));
  }
  return true;
}

// Operations.

LegalValue Legalizer::Op(const Operation& operation) {
  if (has_refused()) return Undef(operation.type);
  for (const LegalValue& operand : operation.operands) {
    if (IsVector(operand.type) && NumElements(operand.type) != NumElements(operation.type)) {
      Refuse("an operand has another number of elements than the result");
      return Undef(operation.type);
    }
  }
  if (IsVector(operation.type)) return VectorOp(operation);
  return ScalarOp(operation);
}

bool Legalizer::CanSelect(int16_t opcode, std::initializer_list<MVT> results,
                          std::initializer_list<MVT> operands) const {
  return IsSelectable(opcode, absl::MakeConstSpan(results.begin(), results.size()),
                      absl::MakeConstSpan(operands.begin(), operands.size()), subtarget());
}

bool Legalizer::CanSelect(const SDValue& value) const { return IsSelectable(*value.node(), subtarget()); }

bool Legalizer::DirectOp(const Operation& operation, SDValue& result) {
  if (!IsDirect(operation.type)) return false;
  absl::InlinedVector<SDValue, 4> operands;
  TypeList types;
  for (const LegalValue& operand : operation.operands) {
    if (!IsDirect(operand.type)) return false;
    operands.push_back(operand.part());
    types.push_back(operand.type);
  }
  if (operands.size() == 2 && IsScalarInteger(operation.type)) {
    const std::optional<uint64_t> a = ConstantBits(operands[0]), b = ConstantBits(operands[1]);
    const unsigned width = SizeInBits(operation.type);
    if (a.has_value() && b.has_value()) {
      if (const std::optional<uint64_t> folded = FoldBinary(operation.opcode, width, *a, *b)) {
        result = dag_.GetConstant(*folded, operation.type);
        return true;
      }
    }
  }
  const absl::Span<const MVT> result_type = absl::MakeConstSpan(&operation.type, 1);
  if (operation.extra) {
    operands.push_back(operation.extra);
    result = Node(operation.opcode, result_type, operands, operation.flags);
    return CanSelect(result);
  }
  const bool is_by_types = IsSelectable(operation.opcode, result_type, types, subtarget());
  // There may be a rule for the flag.
  const bool may_be_by_flag = (operation.flags & SDNodeFlags::kApproximateFuncs) != 0;
  if (!is_by_types && !may_be_by_flag) return false;
  result = Node(operation.opcode, result_type, operands, operation.flags);
  return is_by_types || CanSelect(result);
}

LegalValue Legalizer::ScalarOp(const Operation& operation) {
  const unsigned amount = AmountOperand(operation.opcode);
  if (amount != 0 && operation.operand(amount).type != MVT::kI32) {
    LegalValues operands(operation.operands.begin(), operation.operands.end());
    // Rotations take the amount modulo the width, which is a power of two. Other shifts by the width or more are
    // poison.
    operands[amount] = ZExtOrTrunc(MVT::kI32, operands[amount]);
    return ScalarOp({operation.opcode, operation.type, operands, operation.flags, operation.extra});
  }
  SDValue direct;
  if (DirectOp(operation, direct)) return LegalValue(operation.type, direct);
  if (const std::optional<FusedForm> form = FusedFormOf(operation.opcode, operation.type);
      form.has_value() && CanSelect(isd::kFMA, {operation.type}, {operation.type, operation.type, operation.type})) {
    const LegalValue all[] = {operation.operand(0), operation.operand(1), ConstantFP(operation.type, form->constant)};
    return Op(isd::kFMA, operation.type, {all[form->order[0]], all[form->order[1]], all[form->order[2]]},
              operation.flags);
  }
  const LegalizeRow& row = RowOf(operation.opcode);
  const MVT type = operation.operands.empty() ? operation.type : operation.operand(0).type;
  // Sums and products of i1 are logic operations.
  const bool is_logic = type == MVT::kI1 && row.promotion == Promotion::kAny && !AmountOperand(operation.opcode);
  if (type == MVT::kI8 || (type == MVT::kI1 && !is_logic)) {
    switch (row.promotion) {
      case Promotion::kNone:
        break;
      case Promotion::kAny:
        return PromotedOp(operation, isd::kAnyExtend);
      case Promotion::kSign:
        return PromotedOp(operation, isd::kSignExtend);
      case Promotion::kZero:
        return PromotedOp(operation, isd::kZeroExtend);
    }
  }
  if (row.expand != nullptr) return row.expand(*this, operation);
  Refuse("");
  return Undef(operation.type);
}

LegalValue Legalizer::PromotedOp(const Operation& operation, int16_t extension) {
  const MVT narrow = operation.operand(0).type;
  LegalValues operands;
  for (const LegalValue& operand : operation.operands) {
    operands.push_back(operand.type == narrow ? Resize(extension, MVT::kI16, operand) : operand);
  }
  // A result that did not wrap in 8 bits does not wrap in 16 bits if the operands are extended in the right way.
  // The flags to keep would depend on the extension, and they would gain nothing.
  constexpr uint32_t kDropped = SDNodeFlags::kNoSignedWrap | SDNodeFlags::kNoUnsignedWrap | SDNodeFlags::kExact |
                                SDNodeFlags::kDisjoint | SDNodeFlags::kSameSign;
  const MVT type = operation.type == narrow ? MVT::kI16 : operation.type;
  const LegalValue result = Op({operation.opcode, type, operands, operation.flags & ~kDropped, operation.extra});
  return operation.type == narrow ? Resize(extension, narrow, result) : result;
}

// Compares v2f16 or v2bf16, two elements at a time.
bool Legalizer::PackedComparison(const Operation& operation, unsigned lane, LegalValue& result) {
  const MVT scalar = ScalarType(operation.operand(0).type);
  if (operation.opcode != isd::kSetCC || (scalar != MVT::kF16 && scalar != MVT::kBF16)) return false;
  const bool is_half = scalar == MVT::kF16;
  const MVT packed = is_half ? MVT::kV2F16 : MVT::kV2BF16;
  if (lane % 2 != 0 || lane / 2 >= operation.operand(0).parts.size()) return false;
  const SDValue operands[] = {operation.operand(0).parts[lane / 2], operation.operand(1).parts[lane / 2],
                              operation.extra};
  if (operands[0].type() != packed || operands[1].type() != packed) return false;
  const MVT types[] = {MVT::kI1, MVT::kI1};
  const SDValue both = Node(is_half ? isd::kNvSetpF16x2 : isd::kNvSetpBF16x2, types, operands, operation.flags);
  if (!CanSelect(both)) return false;
  result.parts.push_back(both);
  result.parts.push_back(both.Result(1));
  return true;
}

LegalValue Legalizer::VectorOp(const Operation& operation) {
  const MVT scalar = ScalarType(operation.type);
  int16_t opcode = operation.opcode;
  SDValue extra = operation.extra;
  if (const auto* type = DynCast<VTSDNode>(extra); type != nullptr && type->type().IsVector()) {
    extra = dag_.GetValueType(ScalarType(type->type().simple()));
  }
  LegalValue result;
  result.type = operation.type;
  unsigned lane = 0;
  const bool gives_bits = scalar == MVT::kI1;
  for (const MVT part_type : PartTypes(operation.type)) {
    const unsigned lanes = std::max(1u, NumElements(part_type));
    // If two elements were compared at once, the second result exists already.
    if (gives_bits && (result.parts.size() > lane || PackedComparison(operation, lane, result))) {
      ++lane;
      continue;
    }
    SDValue packed;
    if (lanes > 1 &&
        PackedOp({opcode, operation.type, operation.operands, operation.flags, extra}, part_type, lane, packed)) {
      result.parts.push_back(packed);
      lane += lanes;
      continue;
    }
    LegalValues elements;
    for (unsigned end = lane + lanes; lane < end; ++lane) {
      LegalValues operands;
      for (const LegalValue& operand : operation.operands) operands.push_back(Lane(operand, lane));
      const int16_t scalar_opcode = opcode == isd::kVSelect ? static_cast<int16_t>(isd::kSelect) : opcode;
      elements.push_back(ScalarOp({scalar_opcode, scalar, operands, operation.flags, extra}));
    }
    if (has_refused()) return Undef(operation.type);
    result.parts.push_back(lanes == 1 ? elements[0].part() : Pack(part_type, elements));
  }
  return result;
}

bool Legalizer::PackedOp(const Operation& operation, MVT type, unsigned first_lane, SDValue& result) {
  absl::InlinedVector<SDValue, 4> operands;
  TypeList types;
  for (const LegalValue& operand : operation.operands) {
    if (!IsVector(operand.type)) {
      if (operand.parts.size() != 1) return false;
      operands.push_back(operand.part());
      types.push_back(operand.type);
      continue;
    }
    if (NumElements(operand.type) != NumElements(operation.type)) return false;
    unsigned lane = 0, part = 0;
    while (lane < first_lane) lane += std::max(1u, NumElements(operand.parts[part++].type()));
    if (lane != first_lane || NumElements(operand.parts[part].type()) != NumElements(type)) return false;
    operands.push_back(operand.parts[part]);
    types.push_back(operands.back().type());
  }
  const absl::Span<const MVT> result_type = absl::MakeConstSpan(&type, 1);
  if (operation.extra) {
    operands.push_back(operation.extra);
    result = Node(operation.opcode, result_type, operands, operation.flags);
    return CanSelect(result);
  }
  if (IsSelectable(operation.opcode, result_type, types, subtarget())) {
    result = Node(operation.opcode, result_type, operands, operation.flags);
    return true;
  }
  if (PackedSumOrProduct(operation, type, operands, result) || PackedSigns(operation, type, operands, result))
    return true;
  if (!IsBitwise(operation.opcode) && operation.opcode != isd::kSelect) return false;
  // A bitwise operation gives the same result on an integer.
  const MVT integer = *IntegerOf(SizeInBits(type));
  LegalValues integers;
  for (const SDValue& operand : operands) {
    integers.push_back(IsVector(operand.type()) ? LegalValue(Node(isd::kBitcast, integer, {operand}))
                                                : LegalValue(operand));
  }
  result = Node(isd::kBitcast, type, {ScalarOp({operation.opcode, integer, integers, 0, SDValue()}).part()});
  return true;
}

bool Legalizer::PackedSigns(const Operation& operation, MVT type, absl::Span<const SDValue> operands, SDValue& result) {
  const int16_t opcode = operation.opcode;
  if (opcode != isd::kFNeg && opcode != isd::kFAbs && opcode != isd::kFCopySign) return false;
  if (type != MVT::kV2F16 && type != MVT::kV2BF16) return false;
  LegalValues bits;
  for (const SDValue& operand : operands) {
    if (operand.type() != type) return false;
    bits.push_back(LegalValue(Node(isd::kBitcast, MVT::kI32, {operand})));
  }
  const LegalValue signs = Constant(MVT::kI32, 0x80008000);
  LegalValue changed = opcode == isd::kFNeg ? Xor(bits[0], signs) : And(bits[0], Not(signs));
  if (opcode == isd::kFCopySign) changed = Or(changed, And(bits[1], signs));
  result = Node(isd::kBitcast, type, {changed.part()});
  return true;
}

bool Legalizer::PackedSumOrProduct(const Operation& operation, MVT type, absl::Span<const SDValue> operands,
                                   SDValue& result) {
  const std::optional<FusedForm> form = FusedFormOf(operation.opcode, ScalarType(type));
  if (!form.has_value() || !CanSelect(isd::kFMA, {type}, {type, type, type})) return false;
  const LegalValue constant = ConstantFP(ScalarType(type), form->constant);
  const SDValue constants = Pack(type, LegalValues(NumElements(type), constant));
  const SDValue all[] = {operands[0], operands[1], constants};
  result = Node(isd::kFMA, type, {all[form->order[0]], all[form->order[1]], all[form->order[2]]}, operation.flags);
  return true;
}

// Leaves.

LegalValue Legalizer::Constant(MVT type, absl::uint128 bits) {
  if (type == MVT::kI128) {
    return Wide(LegalValue(dag_.GetConstant(absl::Uint128Low64(bits), MVT::kI64)),
                LegalValue(dag_.GetConstant(absl::Uint128High64(bits), MVT::kI64)));
  }
  if (type == MVT::kI8) return {type, dag_.GetConstant(bits & 0xff, MVT::kI16)};
  if (!IsVector(type)) return {type, dag_.GetConstant(bits, type)};
  const LegalValues lanes(NumElements(type), Constant(ScalarType(type), bits));
  return FromLanes(type, lanes);
}

LegalValue Legalizer::ConstantFP(MVT type, uint64_t bits) {
  const SDValue constant = dag_.GetConstantFP(bits, type);
  if (CanSelect(constant)) return {type, constant};
  return {type, Node(isd::kBitcast, type, {dag_.GetConstant(bits, *ToInteger(type))})};
}

LegalValue Legalizer::Undef(MVT type) {
  LegalValue value;
  value.type = type;
  for (const MVT part : PartTypes(type)) value.parts.push_back(dag_.GetUndef(part));
  return value;
}

// Shorthands.

LegalValue Legalizer::SetCC(CondCode code, const LegalValue& a, const LegalValue& b, uint32_t flags) {
  return Op(isd::kSetCC, MVT::kI1, {a, b}, flags, dag_.GetCondCode(code));
}

LegalValue Legalizer::Resize(int16_t extension, MVT type, const LegalValue& a) {
  const unsigned from = SizeInBits(a.type), to = SizeInBits(type);
  if (from == to) return a;
  return Op(from < to ? extension : static_cast<int16_t>(isd::kTruncate), type, {a});
}

// Elements.

LegalValue Legalizer::Lane(const LegalValue& vector, unsigned lane) {
  if (!IsVector(vector.type)) return vector;
  const MVT scalar = ScalarType(vector.type);
  for (const SDValue& part : vector.parts) {
    const unsigned lanes = NumElements(part.type());
    if (lane >= std::max(1u, lanes)) {
      lane -= std::max(1u, lanes);
      continue;
    }
    if (lanes == 0) return {scalar, part};
    if (const auto found = lanes_.find(part.Key()); found != lanes_.end()) return found->second[lane];
    if (part.opcode() == isd::kUndef || part.opcode() == isd::kPoison) return Undef(scalar);
    if (const auto* constant = DynCast<ConstantSDNode>(part)) return Constant(scalar, constant->value());
    if (const auto* constant = DynCast<ConstantFPSDNode>(part)) return ConstantFP(scalar, constant->bits());
    if (part.opcode() == isd::kBuildVector && part.operand(lane).type() == scalar) return {scalar, part.operand(lane)};
    if (scalar != MVT::kI8) {
      const SDValue element = Node(isd::kExtractVectorElt, scalar, {part, dag_.GetConstant(lane, MVT::kI64)});
      if (CanSelect(element)) return {scalar, element};
    }
    const MVT integer = *IntegerOf(SizeInBits(part.type()));
    const unsigned width = SizeInBits(scalar);
    const LegalValue bits(Node(isd::kBitcast, integer, {part}));
    const LegalValue element =
        Resize(isd::kAnyExtend, std::max(MVT::kI16, *IntegerOf(width)), Shift(isd::kSrl, bits, lane * width));
    return IsFloatingPoint(scalar) ? Bitcast(scalar, element) : LegalValue(scalar, element.part());
  }
  Refuse("an element beyond the end of a vector");
  return Undef(scalar);
}

LegalValue Legalizer::FromLanes(MVT type, absl::Span<const LegalValue> lanes) {
  LegalValue value;
  value.type = type;
  size_t lane = 0;
  for (const MVT part : PartTypes(type)) {
    const unsigned count = std::max(1u, NumElements(part));
    value.parts.push_back(count == 1 ? lanes[lane].part() : Pack(part, lanes.subspan(lane, count)));
    lane += count;
  }
  return value;
}

SDValue Legalizer::Pack(MVT type, absl::Span<const LegalValue> lanes) {
  const MVT scalar = ScalarType(type);
  const auto is_undef = [](const LegalValue& lane) { return lane.part().opcode() == isd::kUndef; };
  if (std::all_of(lanes.begin(), lanes.end(), is_undef)) return dag_.GetUndef(type);
  const unsigned width = SizeInBits(scalar);
  uint64_t bits = 0;
  bool is_constant = true;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const SDValue lane = lanes[i].part();
    if (const std::optional<uint64_t> constant = ConstantBits(lane)) {
      bits |= (*constant & ((uint64_t{1} << width) - 1)) << (i * width);
    } else if (const auto* fp = DynCast<ConstantFPSDNode>(lane)) {
      bits |= fp->bits() << (i * width);
    } else {
      is_constant = is_constant && is_undef(lanes[i]);
    }
  }
  SDValue packed;
  if (is_constant) {
    packed = Node(isd::kBitcast, type, {dag_.GetConstant(bits, *IntegerOf(SizeInBits(type)))});
  } else if (scalar == MVT::kI8) {
    packed = PackBytes(lanes);
  } else {
    absl::InlinedVector<SDValue, 4> operands;
    for (const LegalValue& lane : lanes) operands.push_back(lane.part());
    packed = Node(isd::kBuildVector, absl::MakeConstSpan(&type, 1), operands);
    if (!CanSelect(packed)) {
      const MVT half = *IntegerOf(width), integer = *IntegerOf(SizeInBits(type));
      const LegalValue low = ZExtOrTrunc(integer, Bitcast(half, lanes[0]));
      const LegalValue high = AnyExtOrTrunc(integer, Bitcast(half, lanes[1]));
      packed = Node(isd::kBitcast, type, {Or(low, Shift(isd::kShl, high, width)).part()});
    }
  }
  lanes_[packed.Key()] = LegalValues(lanes.begin(), lanes.end());
  return packed;
}

namespace {

// A byte of a value of 32 bits.
struct ByteOfWord {
  SDValue word;
  unsigned byte;
};

// Returns the word that an element, in 16 bits, was taken from (Legalizer::Lane); no word if it is not known.
ByteOfWord SourceOfByte(const SDValue& element) {
  if (element.opcode() != isd::kTruncate || element.operand(0).type() != MVT::kI32) return {};
  const SDValue value = element.operand(0);
  if (value.opcode() != isd::kSrl) return {value, 0};
  const std::optional<uint64_t> amount = ConstantBits(value.operand(1));
  if (!amount.has_value() || *amount % 8 != 0 || *amount > 24) return {value, 0};
  return {value.operand(0), static_cast<unsigned>(*amount / 8)};
}

}  // namespace

// Packs bytes that come from at most three words or single values: each further one takes a permutation. Returns no
// value if they come from more.
SDValue Legalizer::PackBytesOfWords(absl::Span<const LegalValue> lanes) {
  absl::InlinedVector<SDValue, 4> words;
  absl::InlinedVector<ByteOfWord, 4> bytes;
  uint64_t constants = 0;
  bool has_constants = false;
  for (unsigned i = 0; i < lanes.size(); ++i) {
    const SDValue lane = lanes[i].part();
    ByteOfWord source = SourceOfByte(lane);
    if (lane.opcode() == isd::kUndef) {
      source = {};
    } else if (const std::optional<uint64_t> constant = ConstantBits(lane)) {
      constants |= (*constant & 0xff) << (8 * i);
      has_constants = true;
      source = {};
    } else {
      if (!source.word) source = {AnyExtOrTrunc(MVT::kI32, {MVT::kI16, lane}).part(), 0};
      if (std::find(words.begin(), words.end(), source.word) == words.end()) words.push_back(source.word);
    }
    bytes.push_back(source);
  }
  if (words.empty() || words.size() + (has_constants ? 1 : 0) > 3) return SDValue();
  if (has_constants) {
    const SDValue word = dag_.GetConstant(constants, MVT::kI32);
    words.push_back(word);
    for (unsigned i = 0; i < lanes.size(); ++i) {
      if (ConstantBits(lanes[i].part()).has_value()) bytes[i] = {word, i};
    }
  }
  LegalValue packed(words[0]);
  for (size_t next = 1; next <= std::max<size_t>(words.size() - 1, 1); ++next) {
    uint64_t selector = 0;
    bool is_in_place = true;
    for (unsigned i = 0; i < lanes.size(); ++i) {
      unsigned from = i;
      if (bytes[i].word == words[0] && next == 1) from = bytes[i].byte;
      if (next < words.size() && bytes[i].word == words[next]) from = 4 + bytes[i].byte;
      is_in_place &= from == i;
      selector |= uint64_t{from} << (4 * i);
    }
    if (is_in_place) continue;
    const LegalValue other = next < words.size() ? LegalValue(words[next]) : Constant(MVT::kI32, 0);
    packed = Permute(packed, other, Constant(MVT::kI32, selector));
    if (!CanSelect(packed.part())) return SDValue();
  }
  const SDValue word = packed.part();
  if (word.opcode() == isd::kBitcast && word.operand(0).type() == MVT::kV4I8) return word.operand(0);
  return Node(isd::kBitcast, MVT::kV4I8, {word});
}

SDValue Legalizer::PackBytes(absl::Span<const LegalValue> lanes) {
  if (const SDValue packed = PackBytesOfWords(lanes)) return packed;
  const auto word = [&](unsigned i) { return AnyExtOrTrunc(MVT::kI32, {MVT::kI16, lanes[i].part()}); };
  const auto permute = [&](const LegalValue& a, const LegalValue& b, uint64_t selector) {
    return Permute(a, b, Constant(MVT::kI32, selector));
  };
  const LegalValue low = permute(word(0), word(1), 0x3340), high = permute(word(2), word(3), 0x3340);
  LegalValue all = permute(low, high, 0x5410);
  if (!CanSelect(all.part())) {
    const auto byte = [&](unsigned i) {
      return Shift(isd::kShl, i == 3 ? word(i) : And(word(i), Constant(MVT::kI32, 0xff)), 8 * i);
    };
    all = Or(Or(byte(0), byte(1)), Or(byte(2), byte(3)));
  }
  return Node(isd::kBitcast, MVT::kV4I8, {all.part()});
}

void VisitPair(Legalizer& legalizer, SDNode& node, PairExpansion expand) {
  LegalValues operands;
  for (const SDUse& use : node.operands()) operands.push_back(legalizer.ValueOf(use.get()));
  const MVT types[] = {node.value_type(0), node.value_type(1)};
  if (NumElements(types[0]) != NumElements(types[1])) return legalizer.Refuse("the results differ in their elements");
  if (!IsVector(types[0])) {
    const std::array<LegalValue, 2> results = expand(legalizer, node.opcode(), operands);
    legalizer.SetResult(0, results[0]);
    legalizer.SetResult(1, results[1]);
    return;
  }
  LegalValues lanes[2];
  for (unsigned lane = 0; lane < NumElements(types[0]); ++lane) {
    LegalValues scalars;
    for (const LegalValue& operand : operands) scalars.push_back(legalizer.Lane(operand, lane));
    const std::array<LegalValue, 2> results = expand(legalizer, node.opcode(), scalars);
    for (unsigned i = 0; i < 2; ++i) lanes[i].push_back(results[i]);
  }
  if (legalizer.has_refused()) return;
  for (unsigned i = 0; i < 2; ++i) legalizer.SetResult(i, legalizer.FromLanes(types[i], lanes[i]));
}

absl::Status LegalizeDag(SelectionDAG& dag, const ISelOptions& options) {
  if (options.subtarget == nullptr) return absl::InvalidArgumentError("legalization needs a subtarget");
  return Legalizer(dag, options).Run();
}

}  // namespace ptxmir::sdag
