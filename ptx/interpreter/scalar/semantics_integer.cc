// SPDX-License-Identifier: Apache-2.0

// Integer arithmetic, logic, shifts and bit fields (PTX ISA 9.7.1, 9.7.2 and 9.7.8), except for video instructions.
//
// Our choices where PTX is silent:
// - Division by zero: quotient and remainder are all ones. The 32-bit code that ptxas generates does the same (it
//   selects ~divisor).
// - The most negative number divided by -1 wraps. The remainder is 0.
// - fns with a base above 31 finds nothing.

#include <algorithm>
#include <bit>
#include <limits>

#include "ptx/interpreter/scalar/scalar_resolvers.h"
#include "ptx/interpreter/scalar/scalar_semantics.h"

namespace ptxmir::ptx {
namespace {

template <typename T>
constexpr unsigned kBits = sizeof(T) * 8;

template <typename T>
struct WideOf;
template <>
struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <>
struct WideOf<int16_t> {
  using Type = int32_t;
};
template <>
struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <>
struct WideOf<int32_t> {
  using Type = int64_t;
};
template <>
struct WideOf<uint64_t> {
  using Type = unsigned __int128;
};
template <>
struct WideOf<int64_t> {
  using Type = __int128;
};
template <typename T>
using Wide = typename WideOf<T>::Type;

// ---- Arithmetic.

struct AddOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(Wrap(a) + Wrap(b));
  }
};
struct SubOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(Wrap(a) - Wrap(b));
  }
};
struct MulLoOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(Wrap(a) * Wrap(b));
  }
};
struct MulHiOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * b) >> kBits<T>);
  }
};
struct MulWideOp {
  template <typename T>
  static Wide<T> Run(T a, T b) {
    return static_cast<Wide<T>>(a) * b;
  }
};
struct MadLoOp {
  template <typename T>
  static T Run(T a, T b, T c) {
    return static_cast<T>(Wrap(a) * Wrap(b) + Wrap(c));
  }
};
struct MadHiOp {
  template <typename T>
  static T Run(T a, T b, T c) {
    return AddOp::Run(MulHiOp::Run(a, b), c);
  }
};
struct MadWideOp {
  template <typename T>
  static Wide<T> Run(T a, T b, Wide<T> c) {
    return AddOp::Run(MulWideOp::Run(a, b), c);
  }
};
struct DivOp {
  template <typename T>
  static T Run(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - Wrap(a));
    return static_cast<T>(a / b);
  }
};
struct RemOp {
  template <typename T>
  static T Run(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct MinOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::min(a, b);
  }
};
struct MaxOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::max(a, b);
  }
};
struct MinReluOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::max(std::min(a, b), T{0});
  }
};
struct MaxReluOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::max(std::max(a, b), T{0});
  }
};
struct AbsOp {
  template <typename T>
  static T Run(T a) {
    return a < 0 ? static_cast<T>(0 - Wrap(a)) : a;
  }
};
struct NegOp {
  template <typename T>
  static T Run(T a) {
    return static_cast<T>(0 - Wrap(a));
  }
};
struct SadOp {
  template <typename T>
  static T Run(T a, T b, T c) {
    return static_cast<T>(Wrap(c) + (a < b ? Wrap(b) - Wrap(a) : Wrap(a) - Wrap(b)));
  }
};

int32_t Saturate(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}
int32_t AddSaturating(int32_t a, int32_t b) { return Saturate(int64_t{a} + b); }
int32_t SubSaturating(int32_t a, int32_t b) { return Saturate(int64_t{a} - b); }
int32_t MadHiSaturating(int32_t a, int32_t b, int32_t c) { return Saturate(((int64_t{a} * b) >> 32) + c); }

// Performs two 16-bit operations in 32 bits.
template <typename Op, typename T>
uint32_t Pairwise(uint32_t a, uint32_t b) {
  const auto low = static_cast<uint16_t>(Op::template Run<T>(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<uint16_t>(Op::template Run<T>(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return low | static_cast<uint32_t>(high) << 16;
}

template <typename Op>
bool SetPairwise(const ScalarType& type, Semantics* semantics) {
  if (type.bits != 16 || type.elements != 2) return false;
  if (type.kind == ScalarType::Kind::kSigned) {
    SetPure<&Pairwise<Op, int16_t>>(semantics, &ElementsRule<16>);
  } else if (type.kind == ScalarType::Kind::kUnsigned) {
    SetPure<&Pairwise<Op, uint16_t>>(semantics, &ElementsRule<16>);
  } else {
    return false;
  }
  return true;
}

bool IsS32(const ScalarType& type) { return type == ScalarType{ScalarType::Kind::kSigned, 32, 1}; }
bool IsB32(const ScalarType& type) { return type == ScalarType{ScalarType::Kind::kBits, 32, 1}; }

// ---- Carry chains. CC.CF is a carry after additions and a borrow after subtractions.

template <typename T>
using WithCarry = std::tuple<T, bool>;

template <typename T>
WithCarry<T> AddWithCarry(T a, T b, bool carry) {
  const T partial = a + b;
  const T sum = partial + (carry ? 1 : 0);
  return {sum, partial < a || sum < partial};
}
template <typename T>
WithCarry<T> SubWithBorrow(T a, T b, bool borrow) {
  const T partial = a - b;
  const T difference = partial - (borrow ? 1 : 0);
  return {difference, a < b || partial < difference};
}

// Each Op has Run(a, b[, c], carry).
struct AddCarryOp {
  template <typename T>
  static WithCarry<T> Run(T a, T b, bool carry) {
    return AddWithCarry(a, b, carry);
  }
};
struct SubCarryOp {
  template <typename T>
  static WithCarry<T> Run(T a, T b, bool carry) {
    return SubWithBorrow(a, b, carry);
  }
};
struct MadLoCarryOp {
  template <typename T>
  static WithCarry<T> Run(T a, T b, T c, bool carry) {
    return AddWithCarry(static_cast<T>(a * b), c, carry);
  }
};
// The sign decides how the product is extended, and hence its high half.
template <bool kSigned>
struct MadHiCarryOp {
  template <typename T>
  static WithCarry<T> Run(T a, T b, T c, bool carry) {
    using S = std::conditional_t<kSigned, std::make_signed_t<T>, T>;
    const T high = static_cast<T>(MulHiOp::Run(static_cast<S>(a), static_cast<S>(b)));
    return AddWithCarry(high, c, carry);
  }
};

// The four forms of an operation, which read and write the carry or not.
template <typename Op, typename T, typename... Sources>
struct CarryForms {
  static T Plain(Sources... sources) { return std::get<0>(Op::template Run<T>(sources..., false)); }
  static T In(Sources... sources, bool carry) { return std::get<0>(Op::template Run<T>(sources..., carry)); }
  static WithCarry<T> Out(Sources... sources) { return Op::template Run<T>(sources..., false); }
  static WithCarry<T> InOut(Sources... sources, bool carry) { return Op::template Run<T>(sources..., carry); }
  static void Set(bool in, bool out, Semantics* semantics) {
    semantics->reads_carry = in;
    semantics->writes_carry = out;
    if (in && out) {
      SetPure<&InOut>(semantics);
    } else if (in) {
      SetPure<&In>(semantics);
    } else if (out) {
      SetPure<&Out>(semantics);
    } else {
      SetPure<&Plain>(semantics);
    }
  }
};

template <typename Op>
bool SetCarryOfTwo(const ScalarType& type, bool in, bool out, Semantics* semantics) {
  if (type.bits == 32) {
    CarryForms<Op, uint32_t, uint32_t, uint32_t>::Set(in, out, semantics);
  } else {
    CarryForms<Op, uint64_t, uint64_t, uint64_t>::Set(in, out, semantics);
  }
  semantics->undefined = &undefined_rule::Carry;
  return true;
}
template <typename Op>
bool SetCarryOfThree(const ScalarType& type, bool in, bool out, Semantics* semantics) {
  if (type.bits == 32) {
    CarryForms<Op, uint32_t, uint32_t, uint32_t, uint32_t>::Set(in, out, semantics);
  } else {
    CarryForms<Op, uint64_t, uint64_t, uint64_t, uint64_t>::Set(in, out, semantics);
  }
  return true;
}

// Resolves add.cc, addc, addc.cc, sub..., mad..., madc...
bool ResolveCarry(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  std::string_view base = statement.mnemonic.base();
  const bool out = parts.Take("cc");
  const bool in = base.back() == 'c';
  if (in) base.remove_suffix(1);
  if ((!in && !out) || type.elements != 1 || type.bits < 32 || (!type.is_signed() && !type.is_unsigned())) {
    return false;
  }
  if (base == "add") {
    SetCarryOfTwo<AddCarryOp>(type, in, out, semantics);
  } else if (base == "sub") {
    SetCarryOfTwo<SubCarryOp>(type, in, out, semantics);
  } else if (parts.Take("lo")) {
    SetCarryOfThree<MadLoCarryOp>(type, in, out, semantics);
    semantics->undefined = &undefined_rule::Carry;
  } else if (!parts.Take("hi")) {
    return false;
  } else if (type.is_signed()) {
    SetCarryOfThree<MadHiCarryOp<true>>(type, in, out, semantics);
  } else {
    SetCarryOfThree<MadHiCarryOp<false>>(type, in, out, semantics);
  }
  return parts.empty() && Matches(statement, *semantics);
}

// ---- Resolvers of arithmetic.

bool ResolveAdd(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const bool is_add = statement.mnemonic.base() == "add";
  if (parts.Take("sat")) {
    if (!IsS32(type)) return false;
    if (is_add) {
      SetPure<&AddSaturating>(semantics);
    } else {
      SetPure<&SubSaturating>(semantics);
    }
  } else if (is_add) {
    if (!SetForBits<AddOp>(type, semantics, &undefined_rule::Carry) && !SetPairwise<AddOp>(type, semantics))
      return false;
  } else if (!SetForBits<SubOp>(type, semantics, &undefined_rule::Carry) && !SetPairwise<SubOp>(type, semantics)) {
    return false;
  }
  return parts.empty() && Matches(statement, *semantics);
}

template <typename Op>
bool SetForWidening(const ScalarType& type, Semantics* semantics) {
  if (type.elements != 1 || (!type.is_signed() && !type.is_unsigned())) return false;
  return type.is_signed() ? scalar_internal::SetForWidth<Op, int16_t, int32_t>(type.bits, semantics, nullptr)
                          : scalar_internal::SetForWidth<Op, uint16_t, uint32_t>(type.bits, semantics, nullptr);
}

bool ResolveMul(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const bool set = parts.Take("lo")     ? SetForBits<MulLoOp>(type, semantics, &undefined_rule::Carry)
                   : parts.Take("hi")   ? SetForInteger<MulHiOp>(type, semantics)
                   : parts.Take("wide") ? SetForWidening<MulWideOp>(type, semantics)
                                        : false;
  return set && parts.empty() && Matches(statement, *semantics);
}

bool ResolveMad(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  bool set = false;
  if (parts.Take("sat")) {
    SetPure<&MadHiSaturating>(semantics);
    set = parts.Take("hi") && IsS32(type);
  } else if (parts.Take("lo")) {
    set = SetForBits<MadLoOp>(type, semantics, &undefined_rule::Carry);
  } else if (parts.Take("hi")) {
    set = SetForInteger<MadHiOp>(type, semantics);
  } else if (parts.Take("wide")) {
    set = SetForWidening<MadWideOp>(type, semantics);
  }
  return set && parts.empty() && Matches(statement, *semantics);
}

// Computes mul24 and mad24: products of the low 24 bits. "hi" is bits 16 to 47.
template <bool kSigned, bool kHigh>
uint32_t Mul24(uint32_t a, uint32_t b) {
  const auto extend = [](uint32_t x) {
    return kSigned ? int64_t{static_cast<int32_t>(x << 8) >> 8} : int64_t{x & 0xffffff};
  };
  const int64_t product = extend(a) * extend(b);
  return static_cast<uint32_t>(kHigh ? product >> 16 : product);
}
template <bool kSigned, bool kHigh>
uint32_t Mad24(uint32_t a, uint32_t b, uint32_t c) {
  return Mul24<kSigned, kHigh>(a, b) + c;
}
int32_t Mad24HiSaturating(int32_t a, int32_t b, int32_t c) {
  return Saturate(int64_t{static_cast<int32_t>(Mul24<true, true>(static_cast<uint32_t>(a), static_cast<uint32_t>(b)))} +
                  c);
}

template <bool kSigned, bool kHigh>
void Set24(bool mad, Semantics* semantics) {
  if (mad) {
    SetPure<&Mad24<kSigned, kHigh>>(semantics);
  } else {
    SetPure<&Mul24<kSigned, kHigh>>(semantics);
  }
}

bool Resolve24(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const bool mad = statement.mnemonic.base() == "mad24";
  const bool high = parts.Take("hi");
  if (!high && !parts.Take("lo")) return false;
  if (type.bits != 32 || type.elements != 1) return false;
  if (parts.Take("sat")) {
    if (!mad || !high || !IsS32(type)) return false;
    SetPure<&Mad24HiSaturating>(semantics);
  } else if (type.is_signed()) {
    high ? Set24<true, true>(mad, semantics) : Set24<true, false>(mad, semantics);
  } else if (type.is_unsigned()) {
    high ? Set24<false, true>(mad, semantics) : Set24<false, false>(mad, semantics);
  } else {
    return false;
  }
  return parts.empty() && Matches(statement, *semantics);
}

template <typename Op>
bool ResolvePlain(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  return SetForInteger<Op>(parts.TakeType(), semantics) && parts.empty() && Matches(statement, *semantics);
}

// Resolves min and max. ReluOp is the operation that clamps at 0.
template <typename Op, typename ReluOp>
bool ResolveMinMax(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  bool set = false;
  if (parts.Take("relu")) {
    set = type.is_signed() && (SetForSigned<ReluOp>(type, semantics) || SetPairwise<ReluOp>(type, semantics));
  } else {
    set = SetForInteger<Op>(type, semantics) || SetPairwise<Op>(type, semantics);
  }
  return set && parts.empty() && Matches(statement, *semantics);
}

bool ResolveAbsNeg(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const bool set = statement.mnemonic.base() == "abs" ? SetForSigned<AbsOp>(type, semantics)
                                                      : SetForSigned<NegOp>(type, semantics, &undefined_rule::Carry);
  return set && parts.empty() && Matches(statement, *semantics);
}

// ---- Dot products of bytes.

template <bool kSigned>
int32_t Extend(uint32_t value, unsigned shift, unsigned bits) {
  const uint32_t field = value >> shift << (32 - bits);
  return kSigned ? static_cast<int32_t>(field) >> (32 - bits) : static_cast<int32_t>(field >> (32 - bits));
}
template <bool kSignedA, bool kSignedB>
uint32_t Dp4a(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    c += static_cast<uint32_t>(Extend<kSignedA>(a, shift, 8) * Extend<kSignedB>(b, shift, 8));
  }
  return c;
}
// params.a is 0 or 16 and selects the half of b.
template <bool kSignedA, bool kSignedB>
uint32_t Dp2a(const KernelParams& params, uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 2; ++i) {
    c += static_cast<uint32_t>(Extend<kSignedA>(a, i * 16, 16) * Extend<kSignedB>(b >> params.a, i * 8, 8));
  }
  return c;
}

template <bool kSignedA, bool kSignedB>
void SetDot(bool four, Semantics* semantics) {
  if (four) {
    SetPure<&Dp4a<kSignedA, kSignedB>>(semantics);
  } else {
    SetPure<&Dp2a<kSignedA, kSignedB>>(semantics);
  }
}

bool ResolveDot(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType b = parts.TakeType();
  const ScalarType a = parts.TakeType();
  const bool four = statement.mnemonic.base() == "dp4a";
  if (!four) {
    semantics->params.a = parts.Take("hi") ? 16 : 0;
    if (semantics->params.a == 0 && !parts.Take("lo")) return false;
  }
  if (a.RegisterBits() != 32 || b.RegisterBits() != 32) return false;
  if (a.is_signed()) {
    b.is_signed() ? SetDot<true, true>(four, semantics) : SetDot<true, false>(four, semantics);
  } else {
    b.is_signed() ? SetDot<false, true>(four, semantics) : SetDot<false, false>(four, semantics);
  }
  return parts.empty() && Matches(statement, *semantics);
}

// ---- Logic.

struct AndOp {
  template <typename T>
  static T Run(T a, T b) {
    return a & b;
  }
};
struct OrOp {
  template <typename T>
  static T Run(T a, T b) {
    return a | b;
  }
};
struct XorOp {
  template <typename T>
  static T Run(T a, T b) {
    return a ^ b;
  }
};
struct NotOp {
  template <typename T>
  static T Run(T a) {
    return static_cast<T>(~a);
  }
};
struct CnotOp {
  template <typename T>
  static T Run(T a) {
    return a == 0 ? 1 : 0;
  }
};

// Applies the operation to predicates, whole masks at once.
template <typename Op>
void OfPredicates(void* const* rows, LaneMask active, const KernelParams&) {
  LaneMask& result = *static_cast<LaneMask*>(rows[0]);
  const LaneMask a = *static_cast<const LaneMask*>(rows[1]);
  LaneMask value;
  if constexpr (std::is_same_v<Op, NotOp>) {
    value = ~a;
  } else {
    value = Op::Run(a, *static_cast<const LaneMask*>(rows[2]));
  }
  result = (result & ~active) | (value & active);
}

template <typename Op, unsigned kSources>
bool ResolveLogic(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const UndefinedRule rule = std::is_same_v<Op, AndOp>  ? &undefined_rule::And
                             : std::is_same_v<Op, OrOp> ? &undefined_rule::Or
                                                        : &undefined_rule::Xor;
  if (type.kind == ScalarType::Kind::kPred) {
    semantics->pure = &OfPredicates<Op>;
    semantics->undefined = rule;
    semantics->result_bits = {1};
    semantics->source_bits.assign(kSources, 1);
  } else if (type.kind != ScalarType::Kind::kBits || !SetForBits<Op>(type, semantics, rule)) {
    return false;
  }
  return parts.empty() && Matches(statement, *semantics);
}

// params.a is the truth table, indexed by a * 4 + b * 2 + c.
uint32_t Lop3Bits(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    const uint32_t chosen = 0 - (table >> row & 1);
    result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c) & chosen;
  }
  return result;
}
uint32_t Lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) { return Lop3Bits(a, b, c, table); }
template <typename Combine>
std::tuple<uint32_t, bool> Lop3WithPredicate(uint32_t a, uint32_t b, uint32_t c, uint32_t table, bool q) {
  const uint32_t result = Lop3Bits(a, b, c, table);
  return {result, Combine::Run(result != 0, q)};
}
struct OrBool {
  static bool Run(bool a, bool b) { return a || b; }
};
struct AndBool {
  static bool Run(bool a, bool b) { return a && b; }
};

// A bit of the result is undefined if the undefined bits of its three sources can make it both 0 and 1.
void Lop3Rule(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
              absl::Span<uint64_t> results) {
  for (uint64_t& result : results) result = ~uint64_t{0};
  if (sources[3].undefined != 0) return;
  uint64_t can_be[2] = {0, 0};
  for (unsigned row = 0; row < 8; ++row) {
    uint64_t possible = ~uint64_t{0};
    for (unsigned i = 0; i < 3; ++i) {
      const uint64_t wanted = row >> (2 - i) & 1 ? ~uint64_t{0} : 0;
      possible &= ~(sources[i].value ^ wanted) | sources[i].undefined;
    }
    can_be[sources[3].value >> row & 1] |= possible;
  }
  results[0] = can_be[0] & can_be[1];
}

bool ResolveLop3(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  if (!IsB32(parts.TakeType())) return false;
  if (parts.Take("or")) {
    SetPure<&Lop3WithPredicate<OrBool>>(semantics, &Lop3Rule);
  } else if (parts.Take("and")) {
    SetPure<&Lop3WithPredicate<AndBool>>(semantics, &Lop3Rule);
  } else {
    SetPure<&Lop3>(semantics, &Lop3Rule);
  }
  return parts.empty() && Matches(statement, *semantics);
}

// ---- Shifts. Amounts of at least the width shift everything out.

struct ShlOp {
  template <typename T>
  static T Run(T a, uint32_t n) {
    return n >= kBits<T> ? T{0} : static_cast<T>(Wrap(a) << n);
  }
};
struct ShrOp {
  template <typename T>
  static T Run(T a, uint32_t n) {
    return static_cast<T>(a >> std::min(n, kBits<T> - 1) >> (n >= kBits<T> ? 1 : 0));
  }
};

template <typename Op>
bool SetShift(const ScalarType& type, Semantics* semantics) {
  if (!SetForInteger<Op>(type, semantics)) return false;
  const auto rule = [&]<typename T>() { semantics->undefined = RoutingRule<&Op::template Run<T>, 1>(); };
  const bool is_signed = type.is_signed();
  if (type.bits == 16) {
    is_signed ? rule.template operator()<int16_t>() : rule.template operator()<uint16_t>();
  } else if (type.bits == 32) {
    is_signed ? rule.template operator()<int32_t>() : rule.template operator()<uint32_t>();
  } else {
    is_signed ? rule.template operator()<int64_t>() : rule.template operator()<uint64_t>();
  }
  return true;
}

template <typename Op>
bool ResolveShift(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  return SetShift<Op>(parts.TakeType(), semantics) && parts.empty() && Matches(statement, *semantics);
}

// a is the low and b the high half of the shifted value.
template <bool kLeft, bool kWrap>
uint32_t FunnelShift(uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t n = kWrap ? c & 31 : std::min(c, uint32_t{32});
  const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  return static_cast<uint32_t>(kLeft ? both << n >> 32 : both >> n);
}

template <bool kLeft, bool kWrap>
bool SetFunnelShift(Semantics* semantics) {
  SetPure<&FunnelShift<kLeft, kWrap>>(semantics, RoutingRule<&FunnelShift<kLeft, kWrap>, 2>());
  return true;
}

bool ResolveFunnelShift(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  if (!IsB32(parts.TakeType())) return false;
  const bool left = parts.Take("l");
  if (!left && !parts.Take("r")) return false;
  const bool wrap = parts.Take("wrap");
  if (!wrap && !parts.Take("clamp")) return false;
  if (left) {
    wrap ? SetFunnelShift<true, true>(semantics) : SetFunnelShift<true, false>(semantics);
  } else {
    wrap ? SetFunnelShift<false, true>(semantics) : SetFunnelShift<false, false>(semantics);
  }
  return parts.empty() && Matches(statement, *semantics);
}

// ---- Bit fields. Position and length count modulo 256.

template <typename T>
T LowMask(uint32_t bits) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(bits >= kBits<T> ? ~U{0} : (U{1} << bits) - 1);
}

struct BfeOp {
  template <typename T>
  static T Run(T a, uint32_t position, uint32_t length) {
    using U = std::make_unsigned_t<T>;
    position &= 0xff;
    length &= 0xff;
    if (length == 0) return 0;
    const uint32_t last = std::min(position + length - 1, kBits<T> - 1);
    const bool sign = std::is_signed_v<T> && (a >> last & 1) != 0;
    const U field = static_cast<U>(ShrOp::Run(static_cast<U>(a), position));
    const U kept = position < kBits<T> ? LowMask<U>(std::min(length, kBits<T> - position)) : U{0};
    return static_cast<T>((field & kept) | (sign ? ~kept : U{0}));
  }
};
struct BfiOp {
  template <typename T>
  static T Run(T a, T b, uint32_t position, uint32_t length) {
    const T mask = ShlOp::Run(LowMask<T>(length & 0xff), position & 0xff);
    return (b & ~mask) | (ShlOp::Run(a, position & 0xff) & mask);
  }
};

bool ResolveBfe(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (!SetForWideInteger<BfeOp>(type, semantics)) return false;
  if (type.kind == ScalarType::Kind::kBits) return false;
  semantics->undefined =
      type.bits == 32
          ? (type.is_signed() ? RoutingRule<&BfeOp::Run<int32_t>, 1>() : RoutingRule<&BfeOp::Run<uint32_t>, 1>())
          : (type.is_signed() ? RoutingRule<&BfeOp::Run<int64_t>, 1>() : RoutingRule<&BfeOp::Run<uint64_t>, 1>());
  return parts.empty() && Matches(statement, *semantics);
}

bool ResolveBfi(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (!SetForWideBits<BfiOp>(type, semantics)) return false;
  semantics->undefined =
      type.bits == 32 ? RoutingRule<&BfiOp::Run<uint32_t>, 2>() : RoutingRule<&BfiOp::Run<uint64_t>, 2>();
  return parts.empty() && Matches(statement, *semantics);
}

template <bool kShiftAmount>
struct BfindOp {
  template <typename T>
  static uint32_t Run(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0) return ~uint32_t{0};
    const auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
    return kShiftAmount ? zeros : kBits<T> - 1 - zeros;
  }
};

bool ResolveBfind(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (type.kind == ScalarType::Kind::kBits) return false;
  const bool set = parts.Take("shiftamt") ? SetForWideInteger<BfindOp<true>>(type, semantics)
                                          : SetForWideInteger<BfindOp<false>>(type, semantics);
  return set && parts.empty() && Matches(statement, *semantics);
}

struct BrevOp {
  template <typename T>
  static T Run(T a) {
    T result = 0;
    for (unsigned i = 0; i < kBits<T>; ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
    return result;
  }
};
struct ClzOp {
  template <typename T>
  static uint32_t Run(T a) {
    return static_cast<uint32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
struct PopcOp {
  template <typename T>
  static uint32_t Run(T a) {
    return static_cast<uint32_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};

template <typename Op>
bool ResolveBits(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  if (!SetForWideBits<Op>(type, semantics)) return false;
  if constexpr (std::is_same_v<Op, BrevOp>) {
    semantics->undefined =
        type.bits == 32 ? RoutingRule<&BrevOp::Run<uint32_t>, 1>() : RoutingRule<&BrevOp::Run<uint64_t>, 1>();
  }
  return parts.empty() && Matches(statement, *semantics);
}

template <bool kClamp>
uint32_t Bmsk(uint32_t a, uint32_t b) {
  if (kClamp && a >= 32) return 0;
  const uint32_t begin = a & 31;
  const uint32_t width = kClamp ? std::min(b, uint32_t{32}) : b & 31;
  return ShlOp::Run(LowMask<uint32_t>(width), begin);
}
template <bool kClamp, typename T>
T Szext(T a, uint32_t b) {
  const uint32_t width = kClamp ? std::min(b, uint32_t{32}) : b & 31;
  return width == 0 ? T{0} : BfeOp::Run(a, 0, width);
}

bool ResolveBmsk(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  if (!IsB32(parts.TakeType())) return false;
  if (parts.Take("clamp")) {
    SetPure<&Bmsk<true>>(semantics);
  } else if (parts.Take("wrap")) {
    SetPure<&Bmsk<false>>(semantics);
  } else {
    return false;
  }
  return parts.empty() && Matches(statement, *semantics);
}

template <bool kClamp, typename T>
bool SetSzext(Semantics* semantics) {
  SetPure<&Szext<kClamp, T>>(semantics, RoutingRule<&Szext<kClamp, T>, 1>());
  return true;
}

bool ResolveSzext(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const bool clamp = parts.Take("clamp");
  if (type.RegisterBits() != 32 || (!clamp && !parts.Take("wrap"))) return false;
  if (type.is_signed()) {
    clamp ? SetSzext<true, int32_t>(semantics) : SetSzext<false, int32_t>(semantics);
  } else {
    clamp ? SetSzext<true, uint32_t>(semantics) : SetSzext<false, uint32_t>(semantics);
  }
  return parts.empty() && Matches(statement, *semantics);
}

uint32_t FindNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return ~uint32_t{0};
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~uint32_t{0};
  const int step = offset > 0 ? 1 : -1;
  int64_t count = offset > 0 ? int64_t{offset} : -int64_t{offset};
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --count == 0) return static_cast<uint32_t>(at);
  }
  return ~uint32_t{0};
}

bool ResolveFns(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  if (!IsB32(parts.TakeType())) return false;
  SetPure<&FindNthSet>(semantics);
  return parts.empty() && Matches(statement, *semantics);
}

// ---- prmt. A special mode is a table of selectors for the generic mode, indexed by the two low bits of the
// control.

constexpr std::pair<std::string_view, uint32_t> kPermuteModes[] = {{"f4e", 1}, {"b4e", 2}, {"rc8", 3},
                                                                   {"ecl", 4}, {"ecr", 5}, {"rc16", 6}};
constexpr uint32_t kPermuteSelectors[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
    {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
};

// params.a is 0 or the number of the mode.
uint32_t Permute(const KernelParams& params, uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
  const uint32_t selector = params.a == 0 ? c : kPermuteSelectors[params.a - 1][c & 3];
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t control = selector >> (4 * i) & 15;
    uint32_t byte = static_cast<uint8_t>(bytes >> (8 * (control & 7)));
    if ((control & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

bool ResolvePermute(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  if (!parts.Take("b32")) return false;
  for (const auto& [name, number] : kPermuteModes) {
    if (parts.Take(name)) semantics->params.a = number;
  }
  SetPure<&Permute>(semantics, RoutingRule<&Permute, 2>());
  return parts.empty() && Matches(statement, *semantics);
}

constexpr ResolverEntry kIntegerResolvers[] = {
    {"add", &ResolveAdd},
    {"add", &ResolveCarry},
    {"addc", &ResolveCarry},
    {"sub", &ResolveAdd},
    {"sub", &ResolveCarry},
    {"subc", &ResolveCarry},
    {"mul", &ResolveMul},
    {"mad", &ResolveMad},
    {"mad", &ResolveCarry},
    {"madc", &ResolveCarry},
    {"mul24", &Resolve24},
    {"mad24", &Resolve24},
    {"div", &ResolvePlain<DivOp>},
    {"rem", &ResolvePlain<RemOp>},
    {"sad", &ResolvePlain<SadOp>},
    {"min", &ResolveMinMax<MinOp, MinReluOp>},
    {"max", &ResolveMinMax<MaxOp, MaxReluOp>},
    {"abs", &ResolveAbsNeg},
    {"neg", &ResolveAbsNeg},
    {"dp2a", &ResolveDot},
    {"dp4a", &ResolveDot},
    {"and", &ResolveLogic<AndOp, 2>},
    {"or", &ResolveLogic<OrOp, 2>},
    {"xor", &ResolveLogic<XorOp, 2>},
    {"not", &ResolveLogic<NotOp, 1>},
    {"cnot", &ResolvePlain<CnotOp>},
    {"lop3", &ResolveLop3},
    {"shl", &ResolveShift<ShlOp>},
    {"shr", &ResolveShift<ShrOp>},
    {"shf", &ResolveFunnelShift},
    {"bfe", &ResolveBfe},
    {"bfi", &ResolveBfi},
    {"bfind", &ResolveBfind},
    {"brev", &ResolveBits<BrevOp>},
    {"clz", &ResolveBits<ClzOp>},
    {"popc", &ResolveBits<PopcOp>},
    {"bmsk", &ResolveBmsk},
    {"szext", &ResolveSzext},
    {"fns", &ResolveFns},
    {"prmt", &ResolvePermute},
};

}  // namespace

absl::Span<const ResolverEntry> IntegerResolvers() { return kIntegerResolvers; }

}  // namespace ptxmir::ptx
