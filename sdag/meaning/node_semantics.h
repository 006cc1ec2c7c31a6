// SPDX-License-Identifier: Apache-2.0

// The meaning of pure nodes, on constants: for folding, and for executing a DAG (dag_evaluator.h).
//
// A value is a list of lanes; a scalar has one. A lane has bits and a state:
//   kDefined    These bits.
//   kAnyNaN     A NaN of unknown sign and payload. ISD does not specify which NaN arithmetic gives. PTX gives its own
//               (0x7fff, 0x7fffffff; for f64, an operand's). Values computed from the bits of such a NaN (bitcast,
//               sign) are therefore undefined here. `bits` are PTX's NaN. fneg, fabs and fcopysign change the sign of
//               a known NaN, and nothing else of it.
//   kUndefined  Anything: undef, poison, and results whose computation is undefined behavior (division by zero). Undef
//               gives fewer guarantees here than in ISD: `and undef, 0` is undefined, not 0. The results are therefore
//               usable in one direction only. A comparison of a rewritten DAG with the original may demand equality
//               wherever the original is defined. Folding must not rely on operands that are undef.
//
// Floating point is rounded to nearest, ties to even, exactly once in every format. A signaling NaN counts as a
// quiet one, as in PTX. In minima and maxima, -0 is less than +0, as in PTX; ISD's fminnum does not specify this.
// Functions that PTX and ISD only approximate (fsin, fexp2, fpow, ...) are not computed. Neither is fmad, because
// ISD does not specify how often it rounds.
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
  absl::uint128 bits = 0;  // bits beyond the width are zero
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
  // Returns the bits of lane 0.
  absl::uint128 bits() const { return lanes[0].bits; }
  friend bool operator==(const DagConstant&, const DagConstant&) = default;
};
std::string ToString(const DagConstant& constant);

// Returns true if `actual` is a valid result where `expected` is expected. Defined lanes must have the same bits.
// Where `expected` is any NaN, `actual` may be any NaN.
bool Refines(const DagConstant& actual, const DagConstant& expected);

// An operation: everything that a node specifies except the values of its operands.
struct PureOperation {
  int16_t opcode;
  absl::Span<const MVT> types;  // types of the results
  uint32_t flags = 0;
  CondCode cond_code = CondCode::kFalse;   // for setcc and the like
  EVT type_operand;                        // for sign_extend_inreg, asserts and saturating conversions
  absl::Span<const int16_t> shuffle_mask;  // for vector_shuffle
  bool flush_f32 = false;                  // flushes f32 denormals in operands and results of arithmetic
  // The upper bits of any_extend and of elements that are extracted into wider integers. Null: the upper bits are
  // undefined, which makes the whole lane undefined. A rewritten DAG can be checked with several values.
  const absl::uint128* any_extend_fill = nullptr;
};
// Returns the operation of a node, with its payload and its operands that are not values.
PureOperation OperationOf(const SDNode& node);

// Returns true if EvaluatePure computes the opcode.
bool IsPureAndExact(int16_t opcode);

// Computes the results of an operation, one for each of its types. `operands` has an entry for each operand.
// Entries for operands that are not values (condition codes, types) are ignored. Returns false if the operation
// cannot be computed: it is not pure, it is approximate, or it is malformed.
bool EvaluatePure(const PureOperation& operation, absl::Span<const DagConstant> operands,
                  absl::InlinedVector<DagConstant, 2>& results);

// Sets `constant` to the value of a leaf: Constant, ConstantFP, undef, poison. Returns false for other nodes.
bool ConstantOf(const SDNode& node, DagConstant& constant);

// The bits of a value, lane 0 lowest, for conversions from and to a DagConstant.
struct ValueBits {
  std::vector<uint8_t> bits;       // one bit each: 0, 1
  std::vector<uint8_t> undefined;  // one each; 1: undefined
};
ValueBits BitsOf(const DagConstant& constant);
DagConstant FromBits(MVT type, const ValueBits& bits, size_t first = 0);

absl::uint128 LowBits(unsigned width);  // a mask of the `width` lowest bits
absl::int128 SignExtended(absl::uint128 bits, unsigned width);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_MEANING_NODE_SEMANTICS_H_
