// SPDX-License-Identifier: Apache-2.0

// Comparison and selection: setp, set, selp, slct (PTX ISA 9.7.6 and 9.7.7).

#include "ptx/interpreter/scalar/float_semantics.h"
#include "ptx/interpreter/scalar/scalar_resolvers.h"

namespace ptxmir::ptx {
namespace {

// The relation of two values. A comparison is the set of relations for which it holds.
enum Relation : uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

uint32_t ParseComparison(std::string_view part) {
  static constexpr std::pair<std::string_view, uint32_t> kComparisons[] = {
      {"eq", kEqual},
      {"ne", kLess | kGreater},
      {"lt", kLess},
      {"le", kLess | kEqual},
      {"gt", kGreater},
      {"ge", kGreater | kEqual},
      {"lo", kLess},
      {"ls", kLess | kEqual},
      {"hi", kGreater},
      {"hs", kGreater | kEqual},
      {"equ", kEqual | kUnordered},
      {"neu", kLess | kGreater | kUnordered},
      {"ltu", kLess | kUnordered},
      {"leu", kLess | kEqual | kUnordered},
      {"gtu", kGreater | kUnordered},
      {"geu", kGreater | kEqual | kUnordered},
      {"num", kLess | kEqual | kGreater},
      {"nan", kUnordered},
  };
  for (const auto& [name, relations] : kComparisons) {
    if (part == name) return relations;
  }
  return 0;
}

// How a comparison is combined with a third source c: bit (2 * comparison + c) of the table is the result.
enum BoolTable : uint32_t {
  kNoCombination = 0b1100,  // the comparison itself
  kAndTable = 0b1000,
  kOrTable = 0b1110,
  kXorTable = 0b0110,
};

// KernelParams: a is the relations, b the FloatFlags, c the BoolTable (with the negation of the third source
// included), d the value of true in the result of set.

// Integers in the shape of a float format, for the templates here.
template <typename T>
struct IntegerFormat {
  using Row = std::make_unsigned_t<T>;
  static T Load(Row row) { return static_cast<T>(row); }
};

template <typename F>
bool Compare(const KernelParams& params, typename F::Row a, typename F::Row b) {
  if constexpr (requires { F::kSign; }) {
    a = FlushIf<F>(params.b, a);
    b = FlushIf<F>(params.b, b);
  }
  const auto x = F::Load(a);
  const auto y = F::Load(b);
  const uint32_t relation = (x < y ? kLess : 0u) | (x == y ? kEqual : 0u) | (x > y ? kGreater : 0u);
  return ((relation != 0 ? relation : uint32_t{kUnordered}) & params.a) != 0;
}

bool Combine(const KernelParams& params, bool comparison, bool c) {
  return (params.c >> (2 * comparison + c) & 1) != 0;
}

// ---- setp.

template <typename F>
struct Setp {
  using Row = typename F::Row;
  static bool CompareAnd(const KernelParams& params, Row a, Row b, bool c) {
    return Combine(params, Compare<F>(params, a, b), c);
  }
  static std::tuple<bool, bool> Both(const KernelParams& params, Row a, Row b) {
    const bool comparison = Compare<F>(params, a, b);
    return {comparison, !comparison};
  }
  static std::tuple<bool, bool> BothAnd(const KernelParams& params, Row a, Row b, bool c) {
    const bool comparison = Compare<F>(params, a, b);
    return {Combine(params, comparison, c), Combine(params, !comparison, c)};
  }
  // Compares two elements in 32 bits, with a predicate for each.
  static std::tuple<bool, bool> Packed(const KernelParams& params, uint32_t a, uint32_t b) {
    return {Compare<F>(params, static_cast<Row>(a), static_cast<Row>(b)),
            Compare<F>(params, static_cast<Row>(a >> 16), static_cast<Row>(b >> 16))};
  }
  static std::tuple<bool, bool> PackedAnd(const KernelParams& params, uint32_t a, uint32_t b, bool c) {
    const auto [low, high] = Packed(params, a, b);
    return {Combine(params, low, c), Combine(params, high, c)};
  }
};

template <typename F>
bool SetSetp(bool packed, bool two_results, bool third, bool is_equality, Semantics* semantics) {
  if (packed) {
    if constexpr (sizeof(typename F::Row) == 2) {
      third ? SetPure<&Setp<F>::PackedAnd>(semantics) : SetPure<&Setp<F>::Packed>(semantics);
      return two_results;
    } else {
      return false;
    }
  }
  if (two_results) {
    third ? SetPure<&Setp<F>::BothAnd>(semantics) : SetPure<&Setp<F>::Both>(semantics);
  } else if (third) {
    SetPredicate<&Setp<F>::CompareAnd>(semantics);
  } else {
    SetPredicate<&Compare<F>>(semantics, is_equality ? &undefined_rule::Equality : nullptr);
  }
  return true;
}

// ---- set.

template <typename F, typename Result>
struct Set {
  using Row = typename F::Row;
  static Result Of(const KernelParams& params, bool value) { return static_cast<Result>(value ? params.d : 0); }
  static Result Plain(const KernelParams& params, Row a, Row b) { return Of(params, Compare<F>(params, a, b)); }
  static Result WithThird(const KernelParams& params, Row a, Row b, bool c) {
    return Of(params, Combine(params, Compare<F>(params, a, b), c));
  }
  static uint32_t Packed(const KernelParams& params, uint32_t a, uint32_t b) {
    const auto [low, high] = Setp<F>::Packed(params, a, b);
    return (low ? params.d : 0) | (high ? params.d << 16 : 0);
  }
  static uint32_t PackedWithThird(const KernelParams& params, uint32_t a, uint32_t b, bool c) {
    const auto [low, high] = Setp<F>::PackedAnd(params, a, b, c);
    return (low ? params.d : 0) | (high ? params.d << 16 : 0);
  }
};

template <typename F, typename Result>
bool SetSet(bool packed, bool third, Semantics* semantics) {
  if (packed) {
    if constexpr (sizeof(typename F::Row) == 2 && sizeof(Result) == 4) {
      third ? SetPure<&Set<F, Result>::PackedWithThird>(semantics, &ElementsRule<16>)
            : SetPure<&Set<F, Result>::Packed>(semantics, &ElementsRule<16>);
      return true;
    } else {
      return false;
    }
  }
  third ? SetPure<&Set<F, Result>::WithThird>(semantics) : SetPure<&Set<F, Result>::Plain>(semantics);
  return true;
}

// Returns the value of true in the destination of set, or 0 if the type cannot be one.
uint32_t TrueOf(const ScalarType& destination, bool packed) {
  if (destination.kind == ScalarType::Kind::kBFloat) return BFloat::kOne;
  if (destination.kind == ScalarType::Kind::kFloat) {
    return destination.bits == 16 ? uint32_t{Half::kOne} : destination.bits == 32 ? Single::kOne : 0;
  }
  if (destination.bits == 16 || packed) return 0xffff;
  return destination.bits == 32 ? 0xffffffff : 0;
}

// Calls `set` with a format for the type of the operands.
template <typename Function>
bool ForOperands(const ScalarType& type, Function set) {
  if (type.is_float()) return ForFormat(type, set);
  if (type.elements != 1) return false;
  const bool is_signed = type.kind == ScalarType::Kind::kSigned;
  if (!is_signed && type.kind != ScalarType::Kind::kUnsigned && type.kind != ScalarType::Kind::kBits) return false;
  switch (type.bits) {
    case 16:
      return is_signed ? set(IntegerFormat<int16_t>()) : set(IntegerFormat<uint16_t>());
    case 32:
      return is_signed ? set(IntegerFormat<int32_t>()) : set(IntegerFormat<uint32_t>());
    case 64:
      return is_signed ? set(IntegerFormat<int64_t>()) : set(IntegerFormat<uint64_t>());
    default:
      return false;
  }
}

bool ResolveCompare(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kCompare;
  const bool is_set = statement.mnemonic.base() == "set";
  Parts parts(statement.mnemonic);
  const ScalarType type = parts.TakeType();
  const ScalarType destination = is_set ? parts.TakeType() : ScalarType();
  const bool packed = type.elements == 2;
  KernelParams& params = semantics->params;
  params.a = parts.TakeFirst(&ParseComparison);
  if (parts.Take("ftz")) params.b = kFlush;
  params.c = parts.Take("and")   ? kAndTable
             : parts.Take("or")  ? kOrTable
             : parts.Take("xor") ? kXorTable
                                 : kNoCombination;
  if (params.a == 0 || !parts.empty() || statement.operands.size() < 3) return false;
  const bool third = params.c != kNoCombination;
  if (third && statement.operands.back().negated) {
    // Exchange the columns of the table for c = 0 and c = 1.
    params.c = (params.c & 0b0101) << 1 | (params.c & 0b1010) >> 1;
  }
  bool set;
  if (is_set) {
    params.d = TrueOf(destination, packed);
    if (params.d == 0) return false;
    set = ForOperands(type, [&](auto format) {
      using F = decltype(format);
      return destination.RegisterBits() == 16 ? SetSet<F, uint16_t>(packed, third, semantics)
                                              : SetSet<F, uint32_t>(packed, third, semantics);
    });
  } else {
    const bool two_results = statement.operands[1].after_bar;
    const bool is_equality = !type.is_float() && (params.a == kEqual || params.a == (kLess | kGreater));
    set = ForOperands(type, [&](auto format) {
      return SetSetp<decltype(format)>(packed, two_results, third, is_equality, semantics);
    });
  }
  return set && Matches(statement, *semantics, /*last_may_be_negated=*/third);
}

// ---- Selection.

template <typename T>
T Select(T a, T b, bool p) {
  return p ? a : b;
}
template <typename T>
T SelectBySign(T a, T b, int32_t c) {
  return c >= 0 ? a : b;
}
template <typename T>
T SelectByFloat(const KernelParams& params, T a, T b, uint32_t c) {
  return Single::Load(FlushIf<Single>(params.b, c)) >= 0 ? a : b;
}

template <typename T>
void SetSelection(std::string_view kind, Semantics* semantics) {
  if (kind == "selp") {
    SetPure<&Select<T>>(semantics, &undefined_rule::Select);
  } else if (kind == "s32") {
    SetPure<&SelectBySign<T>>(semantics);
  } else {
    SetPure<&SelectByFloat<T>>(semantics);
  }
}

bool ResolveSelection(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kMove;
  std::string_view kind = statement.mnemonic.base();
  Parts parts(statement.mnemonic);
  if (kind == "slct") {
    kind = parts.Take("ftz") ? "f32" : statement.mnemonic.Last();
    if (kind == "f32" && statement.mnemonic.Last() != "f32") return false;
    if (kind != "s32" && kind != "f32") return false;
    if (statement.mnemonic.Has("ftz")) semantics->params.b = kFlush;
    parts.TakeType();
  }
  const ScalarType type = parts.TakeType();
  if (!type.is_valid() || type.kind == ScalarType::Kind::kPred) return false;
  switch (type.RegisterBits()) {
    case 16:
      SetSelection<uint16_t>(kind, semantics);
      break;
    case 32:
      SetSelection<uint32_t>(kind, semantics);
      break;
    case 64:
      SetSelection<uint64_t>(kind, semantics);
      break;
    default:
      return false;
  }
  return parts.empty() && Matches(statement, *semantics);
}

constexpr ResolverEntry kCompareResolvers[] = {
    {"setp", &ResolveCompare},
    {"set", &ResolveCompare},
    {"selp", &ResolveSelection},
    {"slct", &ResolveSelection},
};

}  // namespace

absl::Span<const ResolverEntry> CompareResolvers() { return kCompareResolvers; }

}  // namespace ptxmir::ptx
