// SPDX-License-Identifier: Apache-2.0

// Splits value types that no PTX register holds into types of registers.

#ifndef PTXMIR_SDAG_GRAPH_PART_TYPES_H_
#define PTXMIR_SDAG_GRAPH_PART_TYPES_H_

#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

using TypeList = absl::InlinedVector<MVT, 4>;

// Returns the types of the parts of a value, lowest first:
//   i8              an i16 whose upper half is undefined
//   i128            two i64
//   a vector        itself, if one register holds it; otherwise packed registers (v2f16, v2i16, v4i8 ...) as long as
//                   there are enough elements, then the remaining elements, each as a scalar of its type
//   any other type  itself
// `fits_register` tells which vector types one register holds.
inline TypeList PartTypes(MVT type, absl::FunctionRef<bool(MVT)> fits_register) {
  if (type == MVT::kI8) return {MVT::kI16};
  if (type == MVT::kI128) return {MVT::kI64, MVT::kI64};
  if (!IsVector(type) || fits_register(type)) return {type};
  const MVT scalar = ScalarType(type);
  const unsigned lanes = NumElements(type);
  const unsigned per_register = scalar == MVT::kI8 ? 4 : 2;
  const std::optional<MVT> packed = VectorOf(scalar, per_register);
  TypeList types;
  unsigned lane = 0;
  if (packed.has_value() && fits_register(*packed)) {
    for (; lane + per_register <= lanes; lane += per_register) types.push_back(*packed);
  }
  for (; lane < lanes; ++lane) types.push_back(scalar == MVT::kI8 ? MVT::kI16 : scalar);
  return types;
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_PART_TYPES_H_
