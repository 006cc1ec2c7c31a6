// SPDX-License-Identifier: Apache-2.0

// The legalizer: the state and the operations that LegalizeDag and its families of expansions share.
//
// The walk visits the nodes of the original DAG once, operands first. For each value it keeps the value's legal
// form: a LegalValue, which is a list of values that fit PTX registers. A node stays if all its types are legal and
// it can be selected; it gets new operands if they have changed. For any other node, the expansion family of its
// opcode makes legal nodes from the operands' LegalValues, through Legalizer::Op and similar functions.
//
// Op is the central function. Asked for an operation on values of any type, it makes one node if that node can be
// selected. Otherwise it lets the opcode's expansion express the operation by other operations, again through Op.
// An illegal node is therefore never made, and a node that is made need not be visited again. Expansions nest as
// deep as types and formulas do (i128 to i64 to i32), never as deep as the DAG. LLVM takes the opposite approach:
// it makes illegal nodes and lets type and operation legalizers replace them in four rounds.
//
// PartTypes (sdag/graph/part_types.h) gives the parts of a LegalValue, lowest first.

#ifndef PTXMIR_SDAG_LEGALIZE_LEGALIZER_H_
#define PTXMIR_SDAG_LEGALIZE_LEGALIZER_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/part_types.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

struct LegalValue {
  LegalValue() = default;
  LegalValue(MVT value_type, SDValue part) : type(value_type), parts({part}) {}
  explicit LegalValue(SDValue value) : type(value.type()), parts({value}) {}
  LegalValue(MVT value_type, absl::Span<const SDValue> all) : type(value_type), parts(all.begin(), all.end()) {}

  SDValue part() const { return parts[0]; }

  MVT type = MVT::kUntyped;
  absl::InlinedVector<SDValue, 2> parts;
};
using LegalValues = absl::InlinedVector<LegalValue, 4>;

// An operation with one result.
struct Operation {
  int16_t opcode;
  MVT type;
  absl::Span<const LegalValue> operands;
  uint32_t flags = 0;
  // The last operand if it is not a value: a condition code, a type, a constant.
  SDValue extra;

  const LegalValue& operand(unsigned i) const { return operands[i]; }
  CondCode cond_code() const;
  // Returns the width that sign_extend_inreg and similar nodes name, in bits of an element.
  unsigned type_operand_bits() const;
};

class Legalizer {
 public:
  Legalizer(SelectionDAG& dag, const ISelOptions& options);

  absl::Status Run();

  SelectionDAG& dag() const { return dag_; }
  const ISelOptions& options() const { return options_; }
  const ptx::Subtarget& subtarget() const { return *options_.subtarget; }
  // Returns the node that is being visited.
  SDNode& node() const { return *node_; }
  SDLoc loc() const { return node_->loc(); }

  // Returns the legal form of a value of the original DAG, whose node must have been visited.
  LegalValue ValueOf(SDValue old);
  // Returns the new form of a chain or glue, or of an operand that is no value at all (a CondCode).
  SDValue TokenOf(SDValue old) const;
  // Sets the legal form of a result of the visited node. Debug values follow it.
  void SetResult(unsigned resno, const LegalValue& value);
  void SetToken(unsigned resno, SDValue token);
  // Reports that the node cannot be legalized. The walk ends with a status that names the visited node. Values made
  // from then on are undefined.
  void Refuse(std::string_view why);
  // Does that, and returns an undefined value, for what cannot be computed.
  LegalValue Refused(MVT type, std::string_view why = "");
  bool has_refused() const { return !status_.ok(); }

  // Types.
  TypeList PartTypes(MVT type) const;
  bool IsDirect(MVT type) const;  // one part, of the type itself

  // Operations on values of any type.
  LegalValue Op(const Operation& operation);
  LegalValue Op(int16_t opcode, MVT type, std::initializer_list<LegalValue> operands, uint32_t flags = 0,
                SDValue extra = SDValue()) {
    return Op({opcode, type, absl::MakeConstSpan(operands.begin(), operands.size()), flags, extra});
  }
  LegalValue Constant(MVT type, absl::uint128 bits);
  LegalValue SignedConstant(MVT type, int64_t value) {
    return Constant(type, static_cast<absl::uint128>(absl::int128(value)));
  }
  // Returns a constant of a scalar type; `bits` are in its format.
  LegalValue ConstantFP(MVT type, uint64_t bits);
  LegalValue Undef(MVT type);
  LegalValue SetCC(CondCode code, const LegalValue& a, const LegalValue& b, uint32_t flags = 0);
  LegalValue Select(const LegalValue& condition, const LegalValue& if_true, const LegalValue& if_false) {
    return Op(isd::kSelect, if_true.type, {condition, if_true, if_false});
  }
  // The shorthands below have no flags.
  LegalValue Add(const LegalValue& a, const LegalValue& b) { return Op(isd::kAdd, a.type, {a, b}); }
  LegalValue Sub(const LegalValue& a, const LegalValue& b) { return Op(isd::kSub, a.type, {a, b}); }
  LegalValue Mul(const LegalValue& a, const LegalValue& b) { return Op(isd::kMul, a.type, {a, b}); }
  LegalValue And(const LegalValue& a, const LegalValue& b) { return Op(isd::kAnd, a.type, {a, b}); }
  LegalValue Or(const LegalValue& a, const LegalValue& b) { return Op(isd::kOr, a.type, {a, b}); }
  LegalValue Xor(const LegalValue& a, const LegalValue& b) { return Op(isd::kXor, a.type, {a, b}); }
  LegalValue Not(const LegalValue& a) { return Xor(a, SignedConstant(a.type, -1)); }
  LegalValue Negate(const LegalValue& a) { return Sub(Constant(a.type, 0), a); }
  // Shifts by a constant less than the width.
  LegalValue Shift(int16_t opcode, const LegalValue& a, unsigned amount) {
    return amount == 0 ? a : Op(opcode, a.type, {a, Constant(MVT::kI32, amount)});
  }
  LegalValue SignMask(const LegalValue& a) { return Shift(isd::kSra, a, ScalarSizeInBits(a.type) - 1); }
  LegalValue IsNegative(const LegalValue& a) { return SetCC(CondCode::kLt, a, Constant(a.type, 0)); }
  LegalValue IsZero(const LegalValue& a) { return SetCC(CondCode::kEq, a, Constant(a.type, 0)); }
  // Convert an integer to a wider, the same or a narrower type.
  LegalValue ZExtOrTrunc(MVT type, const LegalValue& a) { return Resize(isd::kZeroExtend, type, a); }
  LegalValue SExtOrTrunc(MVT type, const LegalValue& a) { return Resize(isd::kSignExtend, type, a); }
  LegalValue AnyExtOrTrunc(MVT type, const LegalValue& a) { return Resize(isd::kAnyExtend, type, a); }
  LegalValue Resize(int16_t extension, MVT type, const LegalValue& a);
  LegalValue Bitcast(MVT type, const LegalValue& a);

  // The parts of an i128, and an i128 made of two parts.
  LegalValue Low(const LegalValue& wide) { return LegalValue(wide.parts[0]); }
  LegalValue High(const LegalValue& wide) { return LegalValue(wide.parts[1]); }
  LegalValue Wide(const LegalValue& low, const LegalValue& high) { return {MVT::kI128, {low.part(), high.part()}}; }

  // Returns an element of a vector; of a scalar, the scalar itself.
  LegalValue Lane(const LegalValue& vector, unsigned lane);
  LegalValue FromLanes(MVT type, absl::Span<const LegalValue> lanes);

  // Returns the node prmt: byte i of the result is the byte of `a` (0 to 3) or `b` (4 to 7) that the four bits i of the
  // selector name.
  LegalValue Permute(const LegalValue& a, const LegalValue& b, const LegalValue& selector) {
    return LegalValue(
        Node(isd::kNvPrmt, MVT::kI32, {a.part(), b.part(), selector.part(), dag_.GetTargetConstant(0, MVT::kI32)}));
  }

  // Makes one node without asking if it can be selected. All its results must be legal.
  SDValue Node(int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands, uint32_t flags = 0) {
    return dag_.GetNode(opcode, loc(), types, operands, flags);
  }
  SDValue Node(int16_t opcode, MVT type, std::initializer_list<SDValue> operands, uint32_t flags = 0) {
    return dag_.GetNode(opcode, loc(), type, operands, flags);
  }
  bool CanSelect(int16_t opcode, std::initializer_list<MVT> results, std::initializer_list<MVT> operands) const;
  bool CanSelect(const SDValue& value) const;

 private:
  void Visit(SDNode& node);
  // Keeps a node if its types are legal and it can be selected, and gives it the new operands. Returns false
  // otherwise.
  bool Keep(SDNode& node);
  // Does that for the operands. Returns the node, an equal one that exists already, or null if an operand has become
  // something else than one value of its type.
  SDNode* KeepOperands(SDNode& node);
  // Returns true if a result of the node, which is of the original DAG, has a legal form other than itself.
  bool HasChanged(const SDNode& node) const {
    return node.node_id() >= 0 && has_changed_[static_cast<size_t>(node.node_id())];
  }
  LegalValue VectorOp(const Operation& operation);
  // Does the part of a vector operation that makes one packed register of its result. Returns false if it cannot.
  bool PackedOp(const Operation& operation, MVT type, unsigned first_lane, SDValue& result);
  bool PackedComparison(const Operation& operation, unsigned lane, LegalValue& result);
  bool PackedSumOrProduct(const Operation& operation, MVT type, absl::Span<const SDValue> operands, SDValue& result);
  // Does an operation on signs of elements of 16 bits with logic of 32 bits.
  bool PackedSigns(const Operation& operation, MVT type, absl::Span<const SDValue> operands, SDValue& result);
  LegalValue ScalarOp(const Operation& operation);
  LegalValue PromotedOp(const Operation& operation, int16_t extension);
  bool DirectOp(const Operation& operation, SDValue& result);
  SDValue Pack(MVT type, absl::Span<const LegalValue> lanes);
  SDValue PackBytes(absl::Span<const LegalValue> lanes);
  SDValue PackBytesOfWords(absl::Span<const LegalValue> lanes);

  SelectionDAG& dag_;
  const ISelOptions& options_;
  SDNode* node_ = nullptr;
  absl::Status status_;
  // The legal forms of values that did not stay as they were, by SDValue::Key.
  absl::flat_hash_map<uint64_t, LegalValue> values_;
  std::vector<bool> has_changed_;  // by node_id of the original DAG; nodes made since have none
  // The elements of packed registers that were made here, by SDValue::Key.
  absl::flat_hash_map<uint64_t, LegalValues> lanes_;
};

// The bits above an i8 or i1 when an operation on it is done in i16. kNone: the operation is expanded instead.
enum class Promotion : uint8_t { kNone, kAny, kSign, kZero };

using Expansion = LegalValue (*)(Legalizer&, const Operation&);
using NodeVisitor = void (*)(Legalizer&, SDNode&);

// How nodes of an opcode are legalized if they cannot stay.
struct LegalizeRow {
  int16_t opcode;
  Promotion promotion = Promotion::kNone;
  // Expresses the operation, on scalars, by other operations. Null: promotion is the only possibility.
  Expansion expand = nullptr;
  // Visits nodes that are more than an operation with one result.
  NodeVisitor visit = nullptr;
};

// The families. Each has a file of its own.
absl::Span<const LegalizeRow> IntegerRows();
absl::Span<const LegalizeRow> OverflowRows();
absl::Span<const LegalizeRow> BitRows();
absl::Span<const LegalizeRow> FloatRows();
absl::Span<const LegalizeRow> ConversionRows();
absl::Span<const LegalizeRow> ComparisonRows();
absl::Span<const LegalizeRow> VectorRows();
absl::Span<const LegalizeRow> MemoryRows();
absl::Span<const LegalizeRow> AtomicRows();
absl::Span<const LegalizeRow> OtherRows();

// Arithmetic of i128, used if the operands have this type.
LegalValue WideAdd(Legalizer& legalizer, const LegalValue& a, const LegalValue& b);
LegalValue WideSub(Legalizer& legalizer, const LegalValue& a, const LegalValue& b);
LegalValue WideMul(Legalizer& legalizer, const LegalValue& a, const LegalValue& b);
LegalValue WideShift(Legalizer& legalizer, int16_t opcode, const LegalValue& a, const LegalValue& amount);
// Returns the quotient and the remainder.
std::array<LegalValue, 2> WideDivide(Legalizer& legalizer, const LegalValue& a, const LegalValue& b);

// An operation on scalars with two results. The visitor applies it to each element of vectors.
using PairExpansion = std::array<LegalValue, 2> (*)(Legalizer&, int16_t opcode, absl::Span<const LegalValue>);
void VisitPair(Legalizer& legalizer, SDNode& node, PairExpansion expand);
template <PairExpansion kExpand>
void VisitAsPair(Legalizer& legalizer, SDNode& node) {
  VisitPair(legalizer, node, kExpand);
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_LEGALIZE_LEGALIZER_H_
