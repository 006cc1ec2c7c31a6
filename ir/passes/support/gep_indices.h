// SPDX-License-Identifier: Apache-2.0

// The indices of a getelementptr, with the bytes that each of them stands for.

#ifndef PTXMIR_IR_PASSES_SUPPORT_GEP_INDICES_H_
#define PTXMIR_IR_PASSES_SUPPORT_GEP_INDICES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "ir/code/function.h"

namespace ptxmir::ir {

struct GepIndex {
  Value& value;
  bool is_field;  // of a structure, always constant
  // The offset of the field, or the distance of elements that the index counts, in bytes.
  uint64_t bytes;
};

// Calls `visit` for each index in order until it returns false. Returns false if that happened.
bool ForEachGepIndex(const Instruction& gep, absl::FunctionRef<bool(const GepIndex&)> visit);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_GEP_INDICES_H_
