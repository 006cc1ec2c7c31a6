// SPDX-License-Identifier: Apache-2.0

// Comparisons, selections, and branches that compare.

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

bool IsSigned(CondCode code) {
  return code == CondCode::kLt || code == CondCode::kLe || code == CondCode::kGt || code == CondCode::kGe;
}

// Compares i1, where true is -1 in signed comparisons.
LegalValue CompareBits(Legalizer& l, CondCode code, const LegalValue& a, const LegalValue& b) {
  switch (code) {
    case CondCode::kEq:
      return l.Not(l.Xor(a, b));
    case CondCode::kNe:
      return l.Xor(a, b);
    case CondCode::kUlt:
    case CondCode::kGt:
      return l.And(l.Not(a), b);
    case CondCode::kUgt:
    case CondCode::kLt:
      return l.And(a, l.Not(b));
    case CondCode::kUle:
    case CondCode::kGe:
      return l.Or(l.Not(a), b);
    case CondCode::kUge:
    case CondCode::kLe:
      return l.Or(a, l.Not(b));
    default:
      l.Refuse("no comparison of integers");
      return l.Undef(MVT::kI1);
  }
}

// Compares i128. The upper words decide unless they are equal.
LegalValue CompareWide(Legalizer& l, CondCode code, const LegalValue& a, const LegalValue& b) {
  if (code == CondCode::kEq || code == CondCode::kNe) {
    const LegalValue difference = l.Or(l.Xor(l.Low(a), l.Low(b)), l.Xor(l.High(a), l.High(b)));
    return l.SetCC(code, difference, l.Constant(MVT::kI64, 0));
  }
  CondCode below = code, above = code;
  switch (code) {
    case CondCode::kLt:
    case CondCode::kUlt:
      below = CondCode::kUlt;
      break;
    case CondCode::kLe:
    case CondCode::kUle:
      below = CondCode::kUle;
      above = code == CondCode::kLe ? CondCode::kLt : CondCode::kUlt;
      break;
    case CondCode::kGt:
    case CondCode::kUgt:
      below = CondCode::kUgt;
      break;
    case CondCode::kGe:
    case CondCode::kUge:
      below = CondCode::kUge;
      above = code == CondCode::kGe ? CondCode::kGt : CondCode::kUgt;
      break;
    default:
      l.Refuse("no comparison of integers");
      return l.Undef(MVT::kI1);
  }
  const LegalValue equal = l.SetCC(CondCode::kEq, l.High(a), l.High(b));
  return l.Or(l.SetCC(above, l.High(a), l.High(b)), l.And(equal, l.SetCC(below, l.Low(a), l.Low(b))));
}

LegalValue ExpandSetCC(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const CondCode code = op.cond_code();
  if (op.type != MVT::kI1) {
    // NVPTX's true is -1.
    return l.SExtOrTrunc(op.type, l.SetCC(code, a, b, op.flags));
  }
  switch (code) {
    case CondCode::kFalse:
    case CondCode::kFalse2:
      return l.Constant(MVT::kI1, 0);
    case CondCode::kTrue:
    case CondCode::kTrue2:
      return l.Constant(MVT::kI1, 1);
    default:
      break;
  }
  if (a.type == MVT::kI1) return CompareBits(l, code, a, b);
  if (a.type == MVT::kI128) return CompareWide(l, code, a, b);
  if (a.type == MVT::kI8) {
    const int16_t extension = IsSigned(code) ? isd::kSignExtend : isd::kZeroExtend;
    return l.SetCC(code, l.Resize(extension, MVT::kI16, a), l.Resize(extension, MVT::kI16, b));
  }
  if (a.type == MVT::kF16 || a.type == MVT::kBF16) {
    return l.SetCC(code, l.Op(isd::kFPExtend, MVT::kF32, {a}), l.Op(isd::kFPExtend, MVT::kF32, {b}), op.flags);
  }
  l.Refuse("");
  return l.Undef(op.type);
}

LegalValue ExpandSetCCCarry(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const LegalValue borrow = l.ZExtOrTrunc(a.type, op.operand(2));
  const CondCode code = op.cond_code();
  const bool is_less = code == CondCode::kLt || code == CondCode::kUlt;
  if (!is_less && code != CondCode::kGe && code != CondCode::kUge) {
    l.Refuse("only less and greater-or-equal can be continued from lower words");
    return l.Undef(op.type);
  }
  // a - b - borrow < 0 in exact arithmetic: a < b, or a == b and there is a borrow.
  const CondCode less = IsSigned(code) ? CondCode::kLt : CondCode::kUlt;
  const LegalValue equal_and_borrow =
      l.And(l.SetCC(CondCode::kEq, a, b), l.SetCC(CondCode::kNe, borrow, l.Constant(a.type, 0)));
  const LegalValue result = l.Or(l.SetCC(less, a, b), equal_and_borrow);
  return l.SExtOrTrunc(op.type, is_less ? result : l.Not(result));
}

LegalValue ExpandSelect(Legalizer& l, const Operation& op) {
  const LegalValue &condition = op.operand(0), &a = op.operand(1), &b = op.operand(2);
  if (op.type == MVT::kI1) return l.Or(l.And(condition, a), l.And(l.Not(condition), b));
  if (op.type == MVT::kI8) {
    const LegalValue wide_a(a.part()), wide_b(b.part());
    return {MVT::kI8, l.Select(condition, wide_a, wide_b).part()};
  }
  if (op.type == MVT::kI128) {
    return l.Wide(l.Select(condition, l.Low(a), l.Low(b)), l.Select(condition, l.High(a), l.High(b)));
  }
  if (IsFloatingPoint(op.type)) {
    const MVT integer = *ToInteger(op.type);
    return l.Bitcast(op.type, l.Select(condition, l.Bitcast(integer, a), l.Bitcast(integer, b)));
  }
  l.Refuse("");
  return l.Undef(op.type);
}

void VisitSelectCC(Legalizer& l, SDNode& node) {
  const auto* code = DynCast<CondCodeSDNode>(node.operand(4));
  if (code == nullptr) return l.Refuse("the last operand is no condition code");
  const LegalValue a = l.ValueOf(node.operand(0)), b = l.ValueOf(node.operand(1));
  const LegalValue if_true = l.ValueOf(node.operand(2)), if_false = l.ValueOf(node.operand(3));
  l.SetResult(0, l.Select(l.SetCC(code->code(), a, b, node.flags()), if_true, if_false));
}

void VisitBrCC(Legalizer& l, SDNode& node) {
  const auto* code = DynCast<CondCodeSDNode>(node.operand(1));
  if (code == nullptr) return l.Refuse("operand 1 is no condition code");
  const LegalValue condition =
      l.SetCC(code->code(), l.ValueOf(node.operand(2)), l.ValueOf(node.operand(3)), node.flags());
  l.SetToken(0, l.Node(isd::kBrCond, MVT::kOther, {l.TokenOf(node.operand(0)), condition.part(), node.operand(4)}));
}

constexpr LegalizeRow kComparisonLegalizeRows[] = {
    {isd::kSetCC, Promotion::kNone, ExpandSetCC},       {isd::kSetCCCarry, Promotion::kNone, ExpandSetCCCarry},
    {isd::kSelect, Promotion::kNone, ExpandSelect},     {isd::kVSelect, Promotion::kNone, ExpandSelect},
    {.opcode = isd::kSelectCC, .visit = VisitSelectCC}, {.opcode = isd::kBrCC, .visit = VisitBrCC},
};

}  // namespace

absl::Span<const LegalizeRow> ComparisonRows() { return kComparisonLegalizeRows; }

}  // namespace ptxmir::sdag
