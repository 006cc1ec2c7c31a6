// What the resolvers of scalar instructions (integer, float, convert) share:
// choosing a kernel by a PTX type, and rules for undefined bits.
//
// An operation is a struct with a static function template of one lane:
//
//     struct AddOp {
//       template <typename T> static T Run(T a, T b) { return a + b; }
//     };
//     SetForInteger<AddOp>(type, semantics, &undefined_rule::Carry);
//
// Signed types get signed arguments, .b types unsigned ones.

#ifndef PTXMIR_PTX_INTERPRETER_SCALAR_SEMANTICS_H_
#define PTXMIR_PTX_INTERPRETER_SCALAR_SEMANTICS_H_

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ptx/interpreter/semantics.h"
#include "ptx/interpreter/statement.h"

namespace ptxmir::ptx {

// The common end of a resolver: the statement has as many operands as the
// kernel, none of them is negated or a part of a register.
inline bool Matches(const Statement& statement, const Semantics& semantics) {
  const size_t rows =
      semantics.result_bits.size() + semantics.source_bits.size();
  const size_t implicit =
      (semantics.reads_carry ? 1u : 0u) + (semantics.writes_carry ? 1u : 0u);
  if (statement.operands.size() + implicit != rows) return false;
  for (const StatementOperand& operand : statement.operands) {
    if (operand.negated || !operand.selector.empty() ||
        operand.kind == StatementOperand::Kind::kAddress) {
      return false;
    }
  }
  return true;
}

// Sets the kernel Op::Run<T> for a scalar integer type of 16, 32 or 64 bits;
// false for other types.
template <typename Op>
bool SetForInteger(const ScalarType& type, Semantics* semantics,
                   UndefinedRule rule = nullptr) {
  if (type.elements != 1) return false;
  const auto set = [&]<typename T>() {
    SetPure<&Op::template Run<T>>(semantics, rule);
    return true;
  };
  switch (type.kind) {
    case ScalarType::Kind::kBits:
    case ScalarType::Kind::kUnsigned:
      if (type.bits == 16) return set.template operator()<uint16_t>();
      if (type.bits == 32) return set.template operator()<uint32_t>();
      if (type.bits == 64) return set.template operator()<uint64_t>();
      return false;
    case ScalarType::Kind::kSigned:
      if (type.bits == 16) return set.template operator()<int16_t>();
      if (type.bits == 32) return set.template operator()<int32_t>();
      if (type.bits == 64) return set.template operator()<int64_t>();
      return false;
    default:
      return false;
  }
}

// ---- Bit routing. A function that copies bits of its first kNumData arguments
// to places that the others (controls) decide, and fills with 0 (shifts, bit
// fields, permutations, extensions), maps masks of undefined bits as it maps
// values. With an undefined control, everything is.
namespace scalar_internal {

template <auto kFunction, unsigned kNumData, typename Signature>
struct Routing;

template <auto kFunction, unsigned kNumData, typename Result, typename... Args>
struct Routing<kFunction, kNumData, Result (*)(Args...)> {
  static void Rule(absl::Span<const UndefinedInput> sources,
                   absl::Span<const uint64_t>, const KernelParams& params,
                   absl::Span<uint64_t> results) {
    for (size_t i = kNumData; i < sources.size(); ++i) {
      if (sources[i].undefined == 0) continue;
      results[0] = ~uint64_t{0};
      return;
    }
    results[0] = static_cast<uint64_t>(
        Call(sources, params, std::index_sequence_for<Args...>()));
  }

 private:
  template <typename T>
  static T Argument(absl::Span<const UndefinedInput> sources, size_t index) {
    return static_cast<T>(index < kNumData ? sources[index].undefined
                                           : sources[index].value);
  }
  template <size_t... I>
  static Result Call(absl::Span<const UndefinedInput> sources,
                     const KernelParams&, std::index_sequence<I...>) {
    return kFunction(Argument<Args>(sources, I)...);
  }
};

template <auto kFunction, unsigned kNumData, typename Result, typename... Args>
struct Routing<kFunction, kNumData, Result (*)(const KernelParams&, Args...)> {
  static void Rule(absl::Span<const UndefinedInput> sources,
                   absl::Span<const uint64_t>, const KernelParams& params,
                   absl::Span<uint64_t> results) {
    for (size_t i = kNumData; i < sources.size(); ++i) {
      if (sources[i].undefined == 0) continue;
      results[0] = ~uint64_t{0};
      return;
    }
    results[0] = static_cast<uint64_t>(
        Call(sources, params, std::index_sequence_for<Args...>()));
  }

 private:
  template <typename T>
  static T Argument(absl::Span<const UndefinedInput> sources, size_t index) {
    return static_cast<T>(index < kNumData ? sources[index].undefined
                                           : sources[index].value);
  }
  template <size_t... I>
  static Result Call(absl::Span<const UndefinedInput> sources,
                     const KernelParams& params, std::index_sequence<I...>) {
    return kFunction(params, Argument<Args>(sources, I)...);
  }
};

}  // namespace scalar_internal

template <auto kFunction, unsigned kNumData>
constexpr UndefinedRule RoutingRule() {
  return &scalar_internal::Routing<kFunction, kNumData,
                                   decltype(kFunction)>::Rule;
}

// An element of kBits bits of the result is undefined where an element of a
// source is: packed arithmetic.
template <unsigned kBits>
void ElementsRule(absl::Span<const UndefinedInput> sources,
                  absl::Span<const uint64_t>, const KernelParams&,
                  absl::Span<uint64_t> results) {
  constexpr uint64_t kElement = (uint64_t{1} << kBits) - 1;
  uint64_t undefined = 0;
  for (const UndefinedInput& source : sources) undefined |= source.undefined;
  results[0] = 0;
  for (unsigned shift = 0; shift < 64; shift += kBits) {
    if ((undefined >> shift & kElement) != 0) results[0] |= kElement << shift;
  }
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_SCALAR_SEMANTICS_H_
