// SPDX-License-Identifier: Apache-2.0

// Operations on one lane, which node_semantics.cc applies to all; internal to it.

#ifndef PTXMIR_SDAG_MEANING_NODE_SEMANTICS_LANES_H_
#define PTXMIR_SDAG_MEANING_NODE_SEMANTICS_LANES_H_

#include "absl/types/span.h"
#include "sdag/meaning/node_semantics.h"

namespace ptxmir::sdag {

struct LaneContext {
  const PureOperation* operation;
  MVT result;  // element types
  MVT operand0;
  unsigned result_width;
  unsigned operand_width;
  unsigned operand1_width;

  bool HasFlag(uint32_t flag) const { return (operation->flags & flag) != 0; }
};

// `in` has the operands' lanes, all of them not undefined; `out` as many lanes as there are results, which are zero.
// Bits of results beyond the width may be anything.
using LaneFunction = void (*)(const LaneContext& context, const Lane* in, Lane* out);

struct LaneRow {
  int16_t opcode;
  uint8_t num_operands;  // that are values
  LaneFunction function;
};
absl::Span<const LaneRow> IntegerLaneRows();
absl::Span<const LaneRow> FloatLaneRows();

// Comparison of f16 to f64 values.
bool CompareFloats(CondCode code, double a, double b);
// The value of a lane of a floating-point type.
double FloatValue(MVT type, absl::uint128 bits);
bool IsNaNBits(MVT type, absl::uint128 bits);
// Denormal bits of f32 become zero.
absl::uint128 FlushedF32(absl::uint128 bits);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_MEANING_NODE_SEMANTICS_LANES_H_
