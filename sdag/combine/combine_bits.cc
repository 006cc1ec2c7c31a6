// SPDX-License-Identifier: Apache-2.0

// and, or, xor, shifts, rotations, bit fields.

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

// Returns true if the shift amount is a constant below the width.
bool IsAmount(const SDValue& amount, unsigned width, unsigned* bits) {
  U c;
  if (!IsConstant(amount, &c) || c >= U(width)) return false;
  *bits = static_cast<unsigned>(absl::Uint128Low64(c));
  return true;
}

// Identities of and, or and xor with constants and with themselves, and chains of constants.
SDValue SimplifyLogic(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  const int16_t opcode = node.opcode();
  if (a == b) return opcode == isd::kXor ? context.Zero(type) : a;
  if (IsZero(b)) return opcode == isd::kAnd ? b : a;
  if (IsAllOnes(b) && opcode != isd::kXor) return opcode == isd::kAnd ? a : b;
  U c1, c2;
  if (Is(a, opcode) && IsConstant(b, &c2) && IsConstant(a.operand(1), &c1)) {
    const U c = opcode == isd::kAnd ? c1 & c2 : opcode == isd::kOr ? c1 | c2 : c1 ^ c2;
    return context.Node(opcode, node.loc(), type, {a.operand(0), context.Int(type, c)});
  }
  // x & (x | y), x | (x & y), x ^ (x ^ y)
  const int16_t other = opcode == isd::kAnd ? isd::kOr : opcode == isd::kOr ? isd::kAnd : isd::kXor;
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue inner = node.operand(i), outer = node.operand(1 - i);
    if (!Is(inner, other)) continue;
    for (unsigned j = 0; j < 2; ++j) {
      if (inner.operand(j) != outer) continue;
      if (opcode == isd::kXor) return inner.operand(1 - j);
      // An or that promises disjoint bits may be poison where the result is not. The replacement is then only
      // better defined.
      return outer;
    }
  }
  return SDValue();
}

// Removes masks that clear nothing and ors that set nothing.
SDValue LogicOfKnownBits(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  U c;
  if (!IsConstant(node.operand(1), &c)) return SDValue();
  const KnownBits known = ComputeKnownBits(a);
  const MVT type = node.value_type(0);
  if (node.opcode() == isd::kAnd) {
    if ((~c & ~known.zero & known.mask()) == 0) return a;
    if ((c & ~(known.zero | known.one) & known.mask()) == 0) return context.Int(type, c & known.one);
  } else {
    if ((c & ~known.one) == 0) return a;
  }
  return SDValue();
}

// (x | c1) & c2 where c1 and c2 have no common bit, and (x & c1) | c2 where c1 and c2 together cover all bits.
SDValue LogicOfLogic(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  U c1, c2;
  const int16_t inner = node.opcode() == isd::kAnd ? isd::kOr : isd::kAnd;
  if (!IsConstant(node.operand(1), &c2) || !Is(a, inner) || !IsConstant(a.operand(1), &c1)) return SDValue();
  if (node.opcode() == isd::kAnd && (c1 & c2) == 0) {
    return context.Node(isd::kAnd, node.loc(), type, {a.operand(0), node.operand(1)});
  }
  if (node.opcode() == isd::kOr && (c1 | c2) == LowBits(ScalarSizeInBits(type))) {
    return context.Node(isd::kOr, node.loc(), type, {a.operand(0), node.operand(1)});
  }
  return SDValue();
}

// Returns the value whose complement it is; no value if it is none.
SDValue ComplementOf(const SDValue& value) {
  return Is(value, isd::kXor) && IsAllOnes(value.operand(1)) ? value.operand(0) : SDValue();
}

// (x and m) or (y and not m)  =>  ((x xor y) and m) xor y: PTX has no and-not.
SDValue MaskedMerge(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  if (type == MVT::kI1 || IsVector(type)) return SDValue();
  for (const unsigned side : {0u, 1u}) {
    const SDValue chosen = node.operand(side), other = node.operand(1 - side);
    if (!IsOneUse(chosen, isd::kAnd) || !IsOneUse(other, isd::kAnd)) return SDValue();
    for (const unsigned at : {0u, 1u}) {
      const SDValue complement = other.operand(at), y = other.operand(1 - at);
      const SDValue mask = complement.HasOneUse() ? ComplementOf(complement) : SDValue();
      if (!mask || (chosen.operand(0) != mask && chosen.operand(1) != mask)) continue;
      const SDValue x = chosen.operand(chosen.operand(0) == mask ? 1 : 0);
      const SDValue difference = context.Node(isd::kXor, node.loc(), type, {x, y});
      const SDValue masked = context.Node(isd::kAnd, node.loc(), type, {difference, mask});
      return context.Node(isd::kXor, node.loc(), type, {masked, y});
    }
  }
  return SDValue();
}

// and (anyext x), mask of x's bits: becomes zext x.
SDValue MaskOfExtension(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  U c;
  if (!Is(a, isd::kAnyExtend) || !IsConstant(node.operand(1), &c)) return SDValue();
  if (c != LowBits(Width(a.operand(0)))) return SDValue();
  return context.Node(isd::kZeroExtend, node.loc(), node.value_type(0), {a.operand(0)});
}

// Shifts by 0, shifts of 0, and shifts by the width or more.
SDValue SimplifyShift(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  U c;
  if (IsZero(a)) return a;
  if (node.opcode() == isd::kSra && IsAllOnes(a)) return a;
  if (!IsConstant(b, &c)) return SDValue();
  if (c == 0) return a;
  if (c >= U(width)) return context.dag().GetUndef(type);
  if (node.opcode() == isd::kSra && ComputeNumSignBits(a) == width) return a;
  return SDValue();
}

// (x shift c1) shift c2, both in the same direction.
SDValue ShiftOfShift(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  unsigned c1, c2;
  if (!Is(a, node.opcode()) || !IsAmount(node.operand(1), width, &c2) || !IsAmount(a.operand(1), width, &c1)) {
    return SDValue();
  }
  unsigned sum = c1 + c2;
  if (sum >= width) {
    if (node.opcode() != isd::kSra) return context.Zero(type);
    sum = width - 1;
  }
  const uint32_t flags = sum == c1 + c2 ? node.flags() & a->flags() : 0;
  return context.Node(node.opcode(), node.loc(), type, {a.operand(0), context.Int(ShiftAmountType(type), sum)}, flags);
}

// (x << c) >> c and (x >> c) << c: become a mask, or the sign extension of the low bits.
SDValue ShiftAndBack(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  unsigned c1, c2;
  const bool left = node.opcode() == isd::kShl;
  const bool back = left ? Is(a, isd::kSrl) || Is(a, isd::kSra) : Is(a, isd::kShl);
  if (!back || !IsAmount(node.operand(1), width, &c2) || !IsAmount(a.operand(1), width, &c1) || c1 != c2) {
    return SDValue();
  }
  const SDValue x = a.operand(0);
  if (left) {
    if (a->HasFlag(SDNodeFlags::kExact)) return x;
    return context.Node(isd::kAnd, node.loc(), type, {x, context.Int(type, LowBits(width) << static_cast<int>(c1))});
  }
  if (a->HasFlag(node.opcode() == isd::kSra ? SDNodeFlags::kNoSignedWrap : SDNodeFlags::kNoUnsignedWrap)) return x;
  if (node.opcode() == isd::kSrl) {
    return context.Node(isd::kAnd, node.loc(), type, {x, context.Int(type, LowBits(width - c1))});
  }
  const std::optional<MVT> low = IntegerOf(width - c1);
  if (!low.has_value() || IsVector(type) || (*low != MVT::kI8 && *low != MVT::kI16 && *low != MVT::kI32)) {
    return SDValue();
  }
  return context.Node(isd::kSignExtendInReg, node.loc(), type, {x, context.dag().GetValueType(*low)});
}

// sra of a nonnegative value: becomes srl.
SDValue SraToSrl(const CombineContext& context, SDNode& node) {
  if (!ComputeKnownBits(node.operand(0)).IsNonNegative()) return SDValue();
  return context.Node(isd::kSrl, node.loc(), node.value_type(0), {node.operand(0), node.operand(1)},
                      node.flags() & SDNodeFlags::kExact);
}

// (x + c1) << c2: the addition of the constant moves outwards, where it can be folded into an address.
SDValue ShlOfAdd(const CombineContext& context, SDNode& node) {
  const SDValue sum = node.operand(0);
  const MVT type = node.value_type(0);
  unsigned c2;
  U c1;
  if (!IsOneUse(sum, isd::kAdd) || !IsAmount(node.operand(1), ScalarSizeInBits(type), &c2)) return SDValue();
  if (!IsConstant(sum.operand(1), &c1)) return SDValue();
  return context.Node(isd::kAdd, node.loc(), type,
                      {context.Node(isd::kShl, node.loc(), type, {sum.operand(0), node.operand(1)}),
                       context.Int(type, c1 << static_cast<int>(c2))});
}

// Returns true if `b` is width - `a`, or -a if only the low bits of amounts count.
bool IsComplement(const SDValue& a, const SDValue& b, unsigned width) {
  unsigned c1, c2;
  if (IsAmount(a, width, &c1) && IsAmount(b, width, &c2)) return c1 + c2 == width;
  return Is(b, isd::kSub) && b.operand(1) == a && IsConstantOf(b.operand(0), width);
}

// Returns the amount of a shift without a mask that a rotation does not need.
SDValue Unmasked(const SDValue& amount, unsigned width) {
  return Is(amount, isd::kAnd) && IsConstantOf(amount.operand(1), width - 1) ? amount.operand(0) : amount;
}

// Returns true if shifts by `a` and by `b` are two halves of a rotation, also if both are 0: (-a) & (width - 1).
bool IsMaskedComplement(const SDValue& a, const SDValue& b, unsigned width) {
  const SDValue negated = Unmasked(b, width);
  U c;
  return negated != b && Is(negated, isd::kSub) && IsConstant(negated.operand(0), &c) && c % U(width) == 0 &&
         Unmasked(negated.operand(1), width) == Unmasked(a, width);
}

// Returns true if a rotation of two bytes exchanges them.
bool SwapsBytes(MVT type, U amount) { return type == MVT::kI16 && amount % 16 == 8; }

// Returns true if funnel shifts of this type by a constant amount are worth making. Of 64 bits they become two of 32.
bool HasConstantFunnel(const CombineContext& context, MVT type) {
  const MVT types[] = {MVT::kI32, MVT::kI32, MVT::kI32};
  return context.before_legalize() && type == MVT::kI64 && context.IsLegal(isd::kFShl, MVT::kI32, types);
}

// (x << a) | (y >> (width - a)), also as a sum or an exclusive or: no bit is set in both.
SDValue FunnelShift(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue left = node.operand(i), right = node.operand(1 - i);
    if (!Is(left, isd::kShl) || !Is(right, isd::kSrl) || (!left.HasOneUse() && !right.HasOneUse())) continue;
    const SDValue x = left.operand(0), y = right.operand(0);
    const bool may_mask = x == y && node.opcode() == isd::kOr;
    const auto are_halves = [&](const SDValue& a, const SDValue& b) {
      return IsComplement(a, b, width) || (may_mask && IsMaskedComplement(a, b, width));
    };
    const bool by_left = are_halves(left.operand(1), right.operand(1));
    if (!by_left && !are_halves(right.operand(1), left.operand(1))) continue;
    // If a variable amount is 0, the other shift is by the width and its result is poison: any result is correct.
    const SDValue amount = Unmasked(by_left ? left.operand(1) : right.operand(1), width);
    unsigned constant;
    const bool is_constant = IsAmount(amount, width, &constant);
    if (node.opcode() != isd::kOr && !is_constant) continue;  // correct, too, because 0 gives poison; not worth it
    const bool is_expanded = is_constant && HasConstantFunnel(context, type);
    if (x == y) {
      if (is_constant && SwapsBytes(type, constant)) return context.Node(isd::kBswap, node.loc(), type, {x});
      const int16_t opcode = by_left ? isd::kRotl : isd::kRotr;
      const MVT types[] = {type, amount.type()};
      if (!is_expanded && !context.IsLegal(opcode, type, types)) continue;
      return context.Node(opcode, node.loc(), type, {x, amount});
    }
    const int16_t opcode = by_left ? isd::kFShl : isd::kFShr;
    const MVT types[] = {type, type, amount.type()};
    if (!is_expanded && !context.IsLegal(opcode, type, types)) continue;
    return context.Node(opcode, node.loc(), type, {x, y, amount});
  }
  return SDValue();
}

SDValue SimplifyRotate(const CombineContext& context, SDNode& node) {
  const unsigned width = ScalarSizeInBits(node.value_type(0));
  U c;
  if (!IsConstant(node.operand(1), &c)) return SDValue();
  if (c % U(width) == 0) return node.operand(0);
  if (SwapsBytes(node.value_type(0), c)) {
    return context.Node(isd::kBswap, node.loc(), node.value_type(0), {node.operand(0)});
  }
  if (c < U(width)) return SDValue();
  return context.Node(node.opcode(), node.loc(), node.value_type(0),
                      {node.operand(0), context.Int(node.operand(1).type(), c % U(width))});
}

SDValue SimplifyFunnel(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  const bool left = node.opcode() == isd::kFShl;
  U c;
  if (IsConstant(node.operand(2), &c) && c % U(width) == 0) return node.operand(left ? 0 : 1);
  if (node.operand(0) == node.operand(1)) {
    if (IsConstant(node.operand(2), &c) && SwapsBytes(type, c)) {
      return context.Node(isd::kBswap, node.loc(), type, {node.operand(0)});
    }
    const int16_t opcode = left ? isd::kRotl : isd::kRotr;
    const MVT types[] = {type, node.operand(2).type()};
    if (!context.IsLegal(opcode, type, types)) return SDValue();
    return context.Node(opcode, node.loc(), type, {node.operand(0), node.operand(2)});
  }
  return SDValue();
}

// not (comparison): becomes the inverse comparison.
SDValue NotOfComparison(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (!IsAllOnes(node.operand(1)) || !IsOneUse(a, isd::kSetCC)) return SDValue();
  const auto* code = DynCast<CondCodeSDNode>(a.operand(2));
  if (code == nullptr) return SDValue();
  return context.SetCC(node.loc(), node.value_type(0), a.operand(0), a.operand(1),
                       Inverse(code->code(), IsInteger(a.operand(0).type())));
}

// not (a and b), of comparisons: becomes (not a) or (not b), whose negations become inverse comparisons; and the same
// for or.
SDValue NotOfComparisons(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const bool is_and = IsOneUse(a, isd::kAnd);
  if (!IsAllOnes(node.operand(1)) || (!is_and && !IsOneUse(a, isd::kOr))) return SDValue();
  const SDValue left = a.operand(0), right = a.operand(1);
  if (!IsOneUse(left, isd::kSetCC) || !IsOneUse(right, isd::kSetCC)) return SDValue();
  return context.Node(is_and ? isd::kOr : isd::kAnd, node.loc(), node.value_type(0),
                      {context.Not(node.loc(), left), context.Not(node.loc(), right)});
}

// Returns true if the bits are a single run of ones, with its position and length.
bool IsRun(U bits, unsigned* position, unsigned* length) {
  if (bits == 0) return false;
  *position = 0;
  while (((bits >> static_cast<int>(*position)) & 1) == 0) ++*position;
  *length = 0;
  U rest = bits >> static_cast<int>(*position);
  while ((rest & 1) != 0) {
    rest >>= 1;
    ++*length;
  }
  return rest == 0;
}

// (base & ~run) | ((x << position) & run), and its variants: with the mask before the shift, or without a mask if
// no other bits are set.
SDValue BitFieldInsert(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  if (type != MVT::kI32 && type != MVT::kI64) return SDValue();
  const MVT types[] = {type, type, MVT::kI32, MVT::kI32};
  if (!context.IsLegal(isd::kNvBfi, type, types)) return SDValue();
  const unsigned width = SizeInBits(type);
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue base = node.operand(i), field = node.operand(1 - i);
    U keep;
    unsigned position, length, amount;
    if (!IsOneUse(base, isd::kAnd) || !IsConstant(base.operand(1), &keep)) continue;
    const U run = ~keep & LowBits(width);
    if (!IsRun(run, &position, &length) || !field.HasOneUse()) continue;
    if ((~ComputeKnownBits(field).zero & LowBits(width) & ~run) != 0) continue;
    // The bits of the field, moved down to bit 0.
    SDValue x = field;
    U mask;
    if (Is(x, isd::kAnd) && x.HasOneUse() && IsConstant(x.operand(1), &mask) && (mask & run) == run) x = x.operand(0);
    if (position > 0) {
      if (!IsOneUse(x, isd::kShl) || !IsAmount(x.operand(1), width, &amount) || amount != position) continue;
      x = x.operand(0);
      // A mask of the bits before they are shifted into place is redundant.
      if (IsOneUse(x, isd::kAnd) && IsConstant(x.operand(1), &mask) && (mask & LowBits(length)) == LowBits(length)) {
        x = x.operand(0);
      }
    }
    return context.Node(isd::kNvBfi, node.loc(), type,
                        {x, base.operand(0), context.Int(MVT::kI32, position), context.Int(MVT::kI32, length)});
  }
  return SDValue();
}

// bswap, bitreverse or not, applied twice.
SDValue TwiceIsNothing(const CombineContext&, SDNode& node) {
  return Is(node.operand(0), node.opcode()) ? node.operand(0).operand(0) : SDValue();
}

// An or of a constant without common bits becomes an addition, which costs the same and can be folded into an
// address.
SDValue OrInAddress(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  U c;
  if (type != MVT::kI64 || !IsConstant(node.operand(1), &c)) return SDValue();
  bool address = false;
  for (const SDUse* use = node.first_use(); use != nullptr; use = use->next()) {
    const auto* memory = DynCast<MemSDNode>(use->user());
    address |= memory != nullptr && memory->base_pointer() == SDValue(&node, 0);
  }
  if (!address) return SDValue();
  if (!node.HasFlag(SDNodeFlags::kDisjoint) && (ComputeKnownBits(node.operand(0)).zero & c) != c) return SDValue();
  return context.Node(isd::kAdd, node.loc(), type, {node.operand(0), node.operand(1)});
}

constexpr int16_t kLogic[] = {isd::kAnd, isd::kOr, isd::kXor};
constexpr int16_t kAndOr[] = {isd::kAnd, isd::kOr};
constexpr int16_t kOr[] = {isd::kOr};
constexpr int16_t kOrXor[] = {isd::kOr, isd::kXor};
constexpr int16_t kXor[] = {isd::kXor};
constexpr int16_t kShifts[] = {isd::kShl, isd::kSrl, isd::kSra};
constexpr int16_t kSra[] = {isd::kSra};
constexpr int16_t kShl[] = {isd::kShl};
constexpr int16_t kDisjoint[] = {isd::kOr, isd::kAdd, isd::kXor};
constexpr int16_t kRotates[] = {isd::kRotl, isd::kRotr};
constexpr int16_t kFunnels[] = {isd::kFShl, isd::kFShr};
constexpr int16_t kInvolutions[] = {isd::kBswap, isd::kBitreverse};

constexpr CombineRow kBitCombineRows[] = {
    {"logic-identity", CombineRow::kBoth, kLogic, SimplifyLogic},
    {"mask-of-anyext", CombineRow::kBoth, kAndOpcode, MaskOfExtension},
    {"logic-of-logic", CombineRow::kBoth, kAndOr, LogicOfLogic},
    {"masked-merge", CombineRow::kBoth, kOrXor, MaskedMerge},
    {"logic-known-bits", CombineRow::kBoth, kAndOr, LogicOfKnownBits},
    {"not-setcc", CombineRow::kBoth, kXor, NotOfComparison},
    {"not-setccs", CombineRow::kBoth, kXor, NotOfComparisons},
    {"or-in-address", CombineRow::kBoth, kOr, OrInAddress},
    {"shift-identity", CombineRow::kBoth, kShifts, SimplifyShift},
    {"shift-of-shift", CombineRow::kBoth, kShifts, ShiftOfShift},
    {"shift-and-back", CombineRow::kBoth, kShifts, ShiftAndBack},
    {"sra-to-srl", CombineRow::kBoth, kSra, SraToSrl},
    {"shl-add-constant", CombineRow::kBoth, kShl, ShlOfAdd},
    {"funnel-shift", CombineRow::kBoth, kDisjoint, FunnelShift},
    {"rotate-amount", CombineRow::kBoth, kRotates, SimplifyRotate},
    {"funnel-amount", CombineRow::kBoth, kFunnels, SimplifyFunnel},
    {"bitfield-insert", CombineRow::kBoth, kOr, BitFieldInsert},
    {"twice-is-nothing", CombineRow::kBoth, kInvolutions, TwiceIsNothing},
};

}  // namespace

absl::Span<const CombineRow> BitCombines() { return kBitCombineRows; }

}  // namespace ptxmir::sdag
