// SPDX-License-Identifier: Apache-2.0

// Maps value types to register classes and floating-point formats.

#ifndef PTXMIR_SDAG_GRAPH_TYPE_CLASSES_H_
#define PTXMIR_SDAG_GRAPH_TYPE_CLASSES_H_

#include <optional>

#include "base/float_format.h"
#include "ptx/target/ptx_target.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

// Returns nullopt for a type, such as i8, that no PTX register holds as it is. Legalization must remove these
// types.
constexpr std::optional<RegClassId> RegClassFor(MVT type) {
  if (IsToken(type) || (IsVector(type) && SizeInBits(type) < 32)) return std::nullopt;
  switch (SizeInBits(type)) {
    case 1:
      return ptx::reg_class::kB1;
    case 16:
      return ptx::reg_class::kB16;
    case 32:
      return ScalarSizeInBits(type) == 1 ? std::nullopt : std::optional<RegClassId>(ptx::reg_class::kB32);
    case 64:
      return ScalarSizeInBits(type) < 32 ? std::nullopt : std::optional<RegClassId>(ptx::reg_class::kB64);
    case 128:
      return IsVector(type) ? std::nullopt : std::optional<RegClassId>(ptx::reg_class::kB128);
    default:
      return std::nullopt;
  }
}

// Returns the format of a floating-point type, or of the elements of a vector.
constexpr const FloatFormat& FloatFormatOf(MVT type) {
  switch (ScalarType(type)) {
    case MVT::kF16:
      return kHalfFormat;
    case MVT::kBF16:
      return kBFloatFormat;
    case MVT::kF32:
      return kSingleFormat;
    default:
      return kDoubleFormat;
  }
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_TYPE_CLASSES_H_
