// SPDX-License-Identifier: Apache-2.0

// What pure nodes compute, on constants: for folding, and for executing a DAG (dag_evaluator.h).
//
// A value is a list of lanes, one of a scalar. A lane is bits with a state:
//   kDefined    these bits
//   kAnyNaN     a NaN of which neither sign nor payload is known. ISD leaves open which NaN arithmetic gives, and PTX
//               gives its own (0x7fff, 0x7fffffff; f64 that of an operand): what is computed from such a NaN by looking
//               at its bits (bitcast, sign) is undefined here. `bits` are PTX's NaN. fneg, fabs and fcopysign change
//               the sign of a NaN that is known, and nothing else of it.
//   kUndefined  anything: poison and undef alike, and what is undefined behavior as soon as it is computed (division
//               by zero). Undef is thus less than in ISD (`and undef, 0` is undefined here, not 0), which makes results
//               usable in one direction: whoever compares a rewritten DAG with the original may demand equality
//               wherever the original is defined. Folding must not go by operands that are undef.
//
// Floating point is rounded to nearest, ties to even, exactly once in every format. A signalling NaN counts as a quiet
// one, as it does in PTX; -0 is less than +0 in minima and maxima, as in PTX, which ISD's fminnum leaves open.
// Functions that PTX and ISD only approximate (fsin, fexp2, fpow, ...) are not computed at all, nor is fmad, of which
// ISD leaves open how often it is rounded.
//
// The result of a comparison in a type wider than i1 is 0 or -1 (NVPTX's boolean contents).

#ifndef PTXMIR_SDAG_MEANING_NODE_SEMANTICS_H_
#define PTXMIR_SDAG_MEANING_NODE_SEMANTICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

enum class LaneState : uint8_t { kDefined, kAnyNaN, kUndefined };

struct Lane {
  absl::uint128 bits = 0;  // those beyond the width are zero
  LaneState state = LaneState::kDefined;

  static Lane Undefined() { return {0, LaneState::kUndefined}; }
  bool is_defined() const { return state == LaneState::kDefined; }
  bool is_undefined() const { return state == LaneState::kUndefined; }
  friend bool operator==(const Lane&, const Lane&) = default;
};

struct DagConstant {
  MVT type = MVT::kUntyped;
  absl::InlinedVector<Lane, 1> lanes;

  static DagConstant Splat(MVT type, const Lane& lane);
  static DagConstant Undefined(MVT type) { return Splat(type, Lane::Undefined()); }
  static DagConstant Of(MVT type, absl::uint128 bits) { return Splat(type, {bits, LaneState::kDefined}); }
  bool is_scalar() const { return lanes.size() == 1 && !IsVector(type); }
  bool IsDefined() const;  // in all lanes
  // Of lane 0.
  absl::uint128 bits() const { return lanes[0].bits; }
  friend bool operator==(const DagConstant&, const DagConstant&) = default;
};
std::string ToString(const DagConstant& constant);

// Whether `actual` is a way to be `expected`: in lanes where that is defined, the same bits; where it is any NaN, some
// NaN.
bool Refines(const DagConstant& actual, const DagConstant& expected);

// An operation: what a node says of itself beside its operands' values.
struct PureOperation {
  int16_t opcode;
  absl::Span<const MVT> types;  // of results
  uint32_t flags = 0;
  CondCode cond_code = CondCode::kFalse;   // of setcc and its like
  EVT type_operand;                        // of sign_extend_inreg, asserts, saturating conversions
  absl::Span<const int16_t> shuffle_mask;  // of vector_shuffle
  bool flush_f32 = false;                  // denormals of f32 are zero, as operands and results of arithmetic
  // The upper bits of any_extend and of elements that are extracted into wider integers: these bits, or undefined,
  // which makes the whole lane undefined. Rewritten DAGs can be checked with several.
  const absl::uint128* any_extend_fill = nullptr;
};
// Of a node with its payload and operands that are no values.
PureOperation OperationOf(const SDNode& node);

// Whether the opcode is one that EvaluatePure computes.
bool IsPureAndExact(int16_t opcode);

// Results of an operation, one of each of its types. `operands` has an entry for each operand, also those that are no
// values (cond codes, types), which are ignored. False when it is not computed: not pure, approximate, or malformed.
bool EvaluatePure(const PureOperation& operation, absl::Span<const DagConstant> operands,
                  absl::InlinedVector<DagConstant, 2>& results);

// The value of a leaf: Constant, ConstantFP, undef, poison. False for others.
bool ConstantOf(const SDNode& node, DagConstant& constant);

// Bits of a value, lane 0 lowest, and a value of bits. `undefined` marks bits.
struct ValueBits {
  std::vector<uint8_t> bits;       // one bit each: 0, 1
  std::vector<uint8_t> undefined;  // 1: undefined
};
ValueBits BitsOf(const DagConstant& constant);
DagConstant FromBits(MVT type, const ValueBits& bits, size_t first = 0);

absl::uint128 LowBits(unsigned width);  // a mask
absl::int128 SignExtended(absl::uint128 bits, unsigned width);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_MEANING_NODE_SEMANTICS_H_
