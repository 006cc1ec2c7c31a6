// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/code/semantics.h"

namespace ptxmir::ptx::semantics_internal {

void SetPure(Semantics* semantics, PureKernel kernel, UndefinedRule undefined, absl::Span<const uint8_t> result_bits,
             absl::Span<const uint8_t> source_bits) {
  semantics->pure = kernel;
  semantics->undefined = undefined;
  semantics->result_bits.assign(result_bits.begin(), result_bits.end());
  semantics->source_bits.assign(source_bits.begin(), source_bits.end());
}

}  // namespace ptxmir::ptx::semantics_internal
