// SPDX-License-Identifier: Apache-2.0

// What instructions mean: the table from a PTX statement to the code that
// executes it.
//
// A resolver looks at a statement (mnemonic with modifiers, number and kind of
// operands) and chooses a kernel. Resolvers are registered per base mnemonic
// ("add", "shfl", "mma") in one table, which is made of the tables of the files
// semantics_*.cc. There are two sorts of kernels:
//
// - pure kernels (lanes.h) compute results from sources. Undefined values are
// no business of theirs: the
//   interpreter calls them when no source is undefined, and otherwise works out
//   by an UndefinedRule which bits of the results are undefined in which lanes.
// - warp kernels do everything else: memory, collectives, barriers. They see
// the whole warp (warp.h) and care
//   for undefined values themselves.
//
// Undefined values are tracked bit by bit: a mask beside each value has a 1 for
// each bit that is undefined.

#ifndef PTXMIR_PTX_INTERPRETER_CODE_SEMANTICS_H_
#define PTXMIR_PTX_INTERPRETER_CODE_SEMANTICS_H_

#include <cstdint>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ptx/interpreter/code/statement.h"
#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx {

class Warp;
struct DecodedInstr;

// What one lane of a pure instruction reads, and which bits of it are
// undefined. Predicates are 0 or 1.
struct UndefinedInput {
  uint64_t value;
  uint64_t undefined;
};

// Which bits of each result are undefined, in one lane of which at least one
// source bit is. `results` has an element for each result; bits beyond its
// width are ignored. Without a rule all bits of all results are. It may use
// `results` values as computed: `values[i]` is what the kernel computed with
// undefined bits as they happened to be.
using UndefinedRule = void (*)(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t> values,
                               const KernelParams& params, absl::Span<uint64_t> results);

enum class StepResult : uint8_t {
  kNext,     // go on with the next instruction
  kBlocked,  // not executed: try again when another fragment, warp or CTA has
             // done something
  kJumped,   // the kernel has set where the fragment goes on, or ended it
  kFault,    // Warp::Fail was called
};
using WarpKernel = StepResult (*)(Warp& warp, const DecodedInstr& instr);

// For the dynamic counts.
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
  // The condition code CC.CF as an implicit predicate row: the last source of a
  // pure kernel that reads it, the last result of one that writes it. Their
  // widths (1) are in source_bits and result_bits; statements have no operands
  // for them.
  bool reads_carry = false;
  bool writes_carry = false;
  // Widths of the rows that a pure kernel expects: 1, 16, 32 or 64, one for
  // each flattened operand. A register of another width is converted
  // (zero-extended or truncated) around the instruction, as PTX lets operands
  // be wider than their type. Warp kernels take what they get; their widths may
  // be empty, or state 0 for "any".
  absl::InlinedVector<uint8_t, 8> result_bits;
  absl::InlinedVector<uint8_t, 12> source_bits;
};

// Fills a pure semantics from a function of one lane: MakePure and the widths
// of its rows.
template <auto kFunction>
void SetPure(Semantics* semantics, UndefinedRule undefined = nullptr);

// Returns false when the statement is none that it knows. `semantics` is fresh.
using Resolver = bool (*)(const Statement& statement, Semantics* semantics);
struct ResolverEntry {
  std::string_view base;  // "add"
  Resolver resolver;
};

// ---- Rules for undefined bits.
namespace undefined_rule {
// Results take the mask of the source of the same number: moves. With fewer
// sources than results or other widths, sources and results are laid out one
// after another as bits (packing and unpacking); then params.a is the width of
// a source and params.b that of a result.
void Move(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// Exact for bitwise logic of two sources: a defined 0 decides `and`, a defined
// 1 decides `or`.
void And(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
void Or(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// Union of the masks: xor, not.
void Xor(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// All bits from the lowest undefined one up: add, sub, mul.lo, mad.lo, neg. Of
// results behind the first (carries) all bits.
void Carry(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// selp: the source that a defined predicate (the last source) selects.
void Select(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
// Equality: defined if two defined bits differ.
void Equality(absl::Span<const UndefinedInput>, absl::Span<const uint64_t>, const KernelParams&, absl::Span<uint64_t>);
}  // namespace undefined_rule

// ---- Implementation of SetPure.
namespace semantics_internal {
template <typename T>
constexpr uint8_t RowBits() {
  return std::is_same_v<T, bool> ? 1 : static_cast<uint8_t>(sizeof(T) * 8);
}
template <typename T>
struct ResultBits {
  static void Append(Semantics* semantics) { semantics->result_bits.push_back(RowBits<T>()); }
};
template <typename... T>
struct ResultBits<std::tuple<T...>> {
  static void Append(Semantics* semantics) { (semantics->result_bits.push_back(RowBits<T>()), ...); }
};
template <typename Signature>
struct Widths;
template <typename Result, typename... Args>
struct Widths<Result (*)(Args...)> {
  static void Set(Semantics* semantics) {
    ResultBits<Result>::Append(semantics);
    (semantics->source_bits.push_back(RowBits<Args>()), ...);
  }
};
template <typename Result, typename... Args>
struct Widths<Result (*)(const KernelParams&, Args...)> : Widths<Result (*)(Args...)> {};
}  // namespace semantics_internal

template <auto kFunction>
void SetPure(Semantics* semantics, UndefinedRule undefined) {
  semantics->pure = MakePure<kFunction>();
  semantics->undefined = undefined;
  semantics_internal::Widths<decltype(kFunction)>::Set(semantics);
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_SEMANTICS_H_
