// SPDX-License-Identifier: Apache-2.0

// The meaning of instructions: a table that maps a PTX statement to the code that executes it.
//
// A resolver looks at a statement (mnemonic with modifiers, number and kind of operands) and chooses a kernel.
// Resolvers are registered by base mnemonic ("add", "shfl", "mma") in one table, which combines the tables of the
// files semantics_*.cc. There are two kinds of kernels:
//
// - Pure kernels (lanes.h) compute results from sources and know nothing of undefined values. The interpreter calls
//   them if no source is undefined. Otherwise it uses an UndefinedRule to find which bits of the results are
//   undefined in which lanes.
// - Warp kernels do everything else: memory, collectives, barriers. They see the whole warp (warp.h) and handle
//   undefined values themselves.
//
// Undefined values are tracked bit by bit: a mask next to each value has a 1 for each undefined bit.

#ifndef PTXMIR_PTX_INTERPRETER_CODE_SEMANTICS_H_
#define PTXMIR_PTX_INTERPRETER_CODE_SEMANTICS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/interpreter/code/statement.h"
#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx {

class Warp;
struct DecodedInstr;

// The value that one lane of a pure instruction reads, and the mask of its undefined bits. Predicates are 0 or 1.
struct UndefinedInput {
  uint64_t value;
  uint64_t undefined;
};

// Computes which bits of each result are undefined in one lane, given that at least one source bit is undefined.
// `results` has one element per result; bits beyond a result's width are ignored. Without a rule, all bits of all
// results are undefined. `values[i]` is result i as the kernel computed it, with the undefined bits as they happened
// to be.
using UndefinedRule = void (*)(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t> values,
                               const KernelParams& params, absl::Span<uint64_t> results);

enum class StepResult : uint8_t {
  kNext,  // go on to the next instruction
  // Not executed. Try again after another fragment, warp or CTA has made progress.
  kBlocked,
  kJumped,  // the kernel has set where the fragment continues, or has ended it
  kFault,   // Warp::Fail was called
};
using WarpKernel = StepResult (*)(Warp& warp, const DecodedInstr& instr);

// The categories of the dynamic counts.
enum class InstrCategory : uint8_t {
  kInteger,
  kFloat,
  kConvert,
  kMove,
  kCompare,
  kLoad,
  kStore,
  kAtomic,
  kBranch,
  kCall,
  kBarrier,
  kCollective,
  kTensor,
  kTexture,
  kAsync,
  kOther,
};
inline constexpr int kNumInstrCategories = static_cast<int>(InstrCategory::kOther) + 1;

struct Semantics {
  PureKernel pure = nullptr;
  WarpKernel warp = nullptr;  // one of the two is set
  UndefinedRule undefined = nullptr;
  KernelParams params;
  InstrCategory category = InstrCategory::kOther;
  // The condition code CC.CF as an implicit predicate row: the last source of a pure kernel that reads it, the last
  // result of one that writes it. Its width (1) is in source_bits and result_bits. Statements have no operand for
  // it.
  bool reads_carry = false;
  bool writes_carry = false;
  // The widths of the rows that a pure kernel expects: 1, 16, 32 or 64, one for each flattened operand. A register
  // of another width is converted (zero-extended or truncated) around the instruction, because PTX lets operands be
  // wider than their type. Warp kernels accept any width; their lists may be empty, or contain 0 for "any".
  absl::InlinedVector<uint8_t, 8> result_bits;
  absl::InlinedVector<uint8_t, 12> source_bits;
};

// Fills a pure semantics from a function of one lane: the kernel from MakePure and the widths of its rows.
template <auto kFunction>
void SetPure(Semantics* semantics, UndefinedRule undefined = nullptr);
// Likewise, with another kernel for the same rows.
template <auto kFunction>
void SetPureKernel(Semantics* semantics, PureKernel kernel, UndefinedRule undefined);

// Returns false if it does not know the statement. `semantics` is fresh.
using Resolver = bool (*)(const Statement& statement, Semantics* semantics);
struct ResolverEntry {
  std::string_view base;  // "add"
  Resolver resolver;
};

// ---- Rules for undefined bits.
namespace undefined_rule {
// For moves: each result takes the mask of the source with the same number. If the numbers or widths of sources and
// results differ, both are concatenated as bits (packing and unpacking). Then params.a is the width of a source and
// params.b that of a result.
void Move(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// Exact for bitwise logic of two sources: a defined 0 decides `and`, a defined 1 decides `or`.
void And(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
void Or(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// For xor and not: the union of the masks.
void Xor(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// For add, sub, mul.lo, mad.lo and neg: all bits from the lowest undefined one up. In the results after the first
// (carries), all bits.
void Carry(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// For selp: the mask of the source that the last source selects, if that predicate is defined.
void Select(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// For equality: the result is defined if two defined bits differ.
void Equality(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
}  // namespace undefined_rule

// ---- Implementation of SetPure.
namespace semantics_internal {
template <typename T>
inline constexpr uint8_t kRowBits = std::is_same_v<T, bool> ? 1 : static_cast<uint8_t>(sizeof(T) * 8);

// The widths of the rows of a function's results and arguments.
template <typename Result>
struct ResultBits {
  static constexpr std::array<uint8_t, 1> kBits = {kRowBits<Result>};
};
template <typename... T>
struct ResultBits<std::tuple<T...>> {
  static constexpr std::array<uint8_t, sizeof...(T)> kBits = {kRowBits<T>...};
};
template <typename Signature>
struct Widths;
template <typename Result, typename... Args>
struct Widths<Result (*)(Args...)> {
  static constexpr auto kResults = ResultBits<Result>::kBits;
  static constexpr std::array<uint8_t, sizeof...(Args)> kSources = {kRowBits<Args>...};
};
template <typename Result, typename... Args>
struct Widths<Result (*)(const KernelParams&, Args...)> : Widths<Result (*)(Args...)> {};

// The part that does not depend on the function, which there are a thousand of.
void SetPure(Semantics* semantics, PureKernel kernel, UndefinedRule undefined, absl::Span<const uint8_t> result_bits,
             absl::Span<const uint8_t> source_bits);
}  // namespace semantics_internal

template <auto kFunction>
void SetPure(Semantics* semantics, UndefinedRule undefined) {
  SetPureKernel<kFunction>(semantics, MakePure<kFunction>(), undefined);
}

template <auto kFunction>
void SetPureKernel(Semantics* semantics, PureKernel kernel, UndefinedRule undefined) {
  using Widths = semantics_internal::Widths<decltype(kFunction)>;
  semantics_internal::SetPure(semantics, kernel, undefined, Widths::kResults, Widths::kSources);
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_SEMANTICS_H_
