// SPDX-License-Identifier: Apache-2.0

// Operations on one lane, which node_semantics.cc applies to all lanes. Internal to it.

#ifndef PTXMIR_SDAG_MEANING_NODE_SEMANTICS_LANES_H_
#define PTXMIR_SDAG_MEANING_NODE_SEMANTICS_LANES_H_

#include "absl/types/span.h"
#include "sdag/meaning/node_semantics.h"

namespace ptxmir::sdag {

struct LaneContext {
  const PureOperation* operation;
  MVT result;  // an element type, like operand0
  MVT operand0;
  unsigned result_width;
  unsigned operand_width;
  unsigned operand1_width;

  bool HasFlag(uint32_t flag) const { return (operation->flags & flag) != 0; }
};

// Computes one lane. `in` has the operands' lanes, none of them undefined. `out` has one lane for each result,
// initially zero. The function may leave any bits beyond the width of a result.
using LaneFunction = void (*)(const LaneContext& context, const Lane* in, Lane* out);

struct LaneRow {
  int16_t opcode;
  uint8_t num_operands;  // operands that are values
  LaneFunction function;
};
absl::Span<const LaneRow> IntegerLaneRows();
absl::Span<const LaneRow> FloatLaneRows();

// Compares two values of types f16 to f64.
bool CompareFloats(CondCode code, double a, double b);
// Returns the value of a lane of a floating-point type.
double FloatValue(MVT type, absl::uint128 bits);
bool IsNaNBits(MVT type, absl::uint128 bits);
// Returns the bits of an f32, with a denormal replaced by zero.
absl::uint128 FlushedF32(absl::uint128 bits);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_MEANING_NODE_SEMANTICS_LANES_H_
