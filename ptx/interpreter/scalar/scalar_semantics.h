// SPDX-License-Identifier: Apache-2.0

// Shared parts of the resolvers of scalar instructions (integer, float, convert): choosing a kernel by a PTX type,
// and rules for undefined bits.
//
// An operation is a struct with a static function template for one lane:
//
//     struct AddOp {
//       template <typename T> static T Run(T a, T b) { return a + b; }
//     };
//     SetForInteger<AddOp>(type, semantics, &undefined_rule::Carry);
//
// Signed types get signed arguments, .b types unsigned ones.

#ifndef PTXMIR_PTX_INTERPRETER_SCALAR_SCALAR_SEMANTICS_H_
#define PTXMIR_PTX_INTERPRETER_SCALAR_SCALAR_SEMANTICS_H_

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/code/statement.h"

namespace ptxmir::ptx {

// The parts of a mnemonic, which are removed one by one. The order of modifiers is not checked; ptxas does that.
class Parts {
 public:
  explicit Parts(const Mnemonic& mnemonic) : parts_(mnemonic.parts().begin(), mnemonic.parts().end()) {}

  // Removes `part`. Returns true if it was there.
  bool Take(std::string_view part) {
    for (auto it = parts_.begin(); it != parts_.end(); ++it) {
      if (*it != part) continue;
      parts_.erase(it);
      return true;
    }
    return false;
  }
  // Removes the last part if it is a type, and returns the type.
  ScalarType TakeType() {
    if (parts_.empty()) return {};
    const ScalarType type = ParseScalarType(parts_.back());
    if (type.is_valid()) parts_.pop_back();
    return type;
  }
  // Removes the first part that `parse` maps to something other than T(), and returns that value.
  template <typename T>
  T TakeFirst(T (*parse)(std::string_view)) {
    for (auto it = parts_.begin(); it != parts_.end(); ++it) {
      const T value = parse(*it);
      if (value == T()) continue;
      parts_.erase(it);
      return value;
    }
    return T();
  }
  bool empty() const { return parts_.empty(); }

 private:
  absl::InlinedVector<std::string_view, 12> parts_;
};

// The type for arithmetic modulo 2^n, without the promotion of short types to int.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
template <typename T>
constexpr Wrapping<T> Wrap(T value) {
  return static_cast<Wrapping<T>>(value);
}

// The common last check of a resolver. Returns true if the statement has as many operands as the kernel, and none of
// them is an address, a part of a register, or negated (except the last one, if it may be).
inline bool Matches(const Statement& statement, const Semantics& semantics, bool last_may_be_negated = false) {
  const size_t rows = semantics.result_bits.size() + semantics.source_bits.size();
  const size_t implicit = (semantics.reads_carry ? 1u : 0u) + (semantics.writes_carry ? 1u : 0u);
  if (statement.operands.size() + implicit != rows) return false;
  for (const StatementOperand& operand : statement.operands) {
    const bool is_last = &operand == &statement.operands.back();
    if ((operand.negated && !(is_last && last_may_be_negated)) || !operand.selector.empty() ||
        operand.kind == StatementOperand::Kind::kAddress) {
      return false;
    }
  }
  return true;
}

namespace scalar_internal {
inline bool IsInteger(const ScalarType& type) {
  using Kind = ScalarType::Kind;
  return type.elements == 1 && (type.kind == Kind::kBits || type.is_signed() || type.is_unsigned());
}

// Sets the kernel of the T that has `bits` bits. Returns false if none has.
template <typename Op, typename... T>
bool SetForWidth(unsigned bits, Semantics* semantics, UndefinedRule rule) {
  return ((bits == 8 * sizeof(T) && (SetPure<&Op::template Run<T>>(semantics, rule), true)) || ...);
}
}  // namespace scalar_internal

// Set the kernel Op::Run<T> for a scalar integer type of 16, 32 or 64 bits, or, for a wide one, of 32 or 64. Return
// false for other types. Where an operation does the same to signed and unsigned values, SetForBits makes one kernel
// for both: compiling each one takes its time.
template <typename Op>
bool SetForBits(const ScalarType& type, Semantics* semantics, UndefinedRule rule = nullptr) {
  return scalar_internal::IsInteger(type) &&
         scalar_internal::SetForWidth<Op, uint16_t, uint32_t, uint64_t>(type.bits, semantics, rule);
}
template <typename Op>
bool SetForSigned(const ScalarType& type, Semantics* semantics, UndefinedRule rule = nullptr) {
  return scalar_internal::IsInteger(type) && type.is_signed() &&
         scalar_internal::SetForWidth<Op, int16_t, int32_t, int64_t>(type.bits, semantics, rule);
}
template <typename Op>
bool SetForInteger(const ScalarType& type, Semantics* semantics, UndefinedRule rule = nullptr) {
  return type.is_signed() ? SetForSigned<Op>(type, semantics, rule) : SetForBits<Op>(type, semantics, rule);
}
template <typename Op>
bool SetForWideInteger(const ScalarType& type, Semantics* semantics) {
  if (!scalar_internal::IsInteger(type)) return false;
  return type.is_signed() ? scalar_internal::SetForWidth<Op, int32_t, int64_t>(type.bits, semantics, nullptr)
                          : scalar_internal::SetForWidth<Op, uint32_t, uint64_t>(type.bits, semantics, nullptr);
}
// For the types .b32 and .b64 alone.
template <typename Op>
bool SetForWideBits(const ScalarType& type, Semantics* semantics) {
  return scalar_internal::IsInteger(type) && type.kind == ScalarType::Kind::kBits &&
         scalar_internal::SetForWidth<Op, uint32_t, uint64_t>(type.bits, semantics, nullptr);
}

// ---- Predicates. A result row of type bool is one mask. This kernel computes the mask as a whole, including
// inactive lanes, so that the loop vectorizes.
namespace scalar_internal {

// Calls a function that may take the parameters first.
template <auto kFunction, typename Signature>
struct Caller;
template <auto kFunction, typename Result, typename... Args>
struct Caller<kFunction, Result (*)(Args...)> {
  using Arguments = std::tuple<Args...>;
  static Result Call(const KernelParams&, Args... args) { return kFunction(args...); }
};
template <auto kFunction, typename Result, typename... Args>
struct Caller<kFunction, Result (*)(const KernelParams&, Args...)> {
  using Arguments = std::tuple<Args...>;
  static Result Call(const KernelParams& params, Args... args) { return kFunction(params, args...); }
};
template <auto kFunction>
using CallerOf = Caller<kFunction, decltype(kFunction)>;

template <auto kFunction>
struct PredicateKernel {
  using Arguments = typename CallerOf<kFunction>::Arguments;
  static void Run(void* const* rows, LaneMask active, const KernelParams& params) {
    RunWith(rows, active, params, std::make_index_sequence<std::tuple_size_v<Arguments>>());
  }

 private:
  template <size_t... I>
  static void RunWith(void* const* rows, LaneMask active, const KernelParams& params, std::index_sequence<I...>) {
    const KernelParams own = params;
    LaneMask mask = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      mask |= LaneMask{CallerOf<kFunction>::Call(
                  own, lanes_internal::Read<std::tuple_element_t<I, Arguments>>(rows[1 + I], lane)...)}
              << lane;
    }
    LaneMask& result = *static_cast<LaneMask*>(rows[0]);
    result = (result & ~active) | (mask & active);
  }
};
}  // namespace scalar_internal

// Like SetPure, for functions that return bool and tolerate garbage in inactive lanes.
template <auto kFunction>
void SetPredicate(Semantics* semantics, UndefinedRule rule = nullptr) {
  SetPureKernel<kFunction>(semantics, &scalar_internal::PredicateKernel<kFunction>::Run, rule);
}

// ---- Bit routing. Some functions copy bits of their first kNumData arguments to places that the other arguments
// (controls) decide, and fill the rest with 0: shifts, bit fields, permutations, extensions. Such a function maps
// masks of undefined bits as it maps values. With an undefined control, all bits are undefined.
namespace scalar_internal {

template <auto kFunction, unsigned kNumData>
struct Routing {
  using Arguments = typename CallerOf<kFunction>::Arguments;
  static void Rule(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams& params,
                   absl::Span<uint64_t> results) {
    for (size_t i = kNumData; i < sources.size(); ++i) {
      if (sources[i].undefined == 0) continue;
      results[0] = ~uint64_t{0};
      return;
    }
    results[0] = static_cast<uint64_t>(Call(sources, params, std::make_index_sequence<std::tuple_size_v<Arguments>>()));
  }

 private:
  template <size_t... I>
  static auto Call(absl::Span<const UndefinedInput> sources, const KernelParams& params, std::index_sequence<I...>) {
    return CallerOf<kFunction>::Call(params, static_cast<std::tuple_element_t<I, Arguments>>(
                                                 I < kNumData ? sources[I].undefined : sources[I].value)...);
  }
};

}  // namespace scalar_internal

template <auto kFunction, unsigned kNumData>
constexpr UndefinedRule RoutingRule() {
  return &scalar_internal::Routing<kFunction, kNumData>::Rule;
}

// The rule of packed arithmetic: an element of kBits bits of the result is undefined if that element of some source
// is.
template <unsigned kBits>
void ElementsRule(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
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

#endif  // PTXMIR_PTX_INTERPRETER_SCALAR_SCALAR_SEMANTICS_H_
