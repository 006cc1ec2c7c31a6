// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/gep_indices.h"

#include "ir/code/program.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {

bool ForEachGepIndex(const Instruction& gep, absl::FunctionRef<bool(const GepIndex&)> visit) {
  const DataLayout& layout = gep.function().module().data_layout();
  const IrType* type = gep.source_type();
  if (gep.num_operands() > 1 && !visit({gep.operand(1), false, layout.AllocSize(type)})) return false;
  for (unsigned i = 2; i < gep.num_operands(); ++i) {
    Value& value = gep.operand(i);
    if (type->is_struct()) {
      const auto field = static_cast<size_t>(*ConstantInteger(value));
      if (!visit({value, true, layout.LayoutOf(type).offsets[field]})) return false;
      type = type->members()[field];
      continue;
    }
    // Elements of vectors lie next to each other by their size in bits.
    const uint64_t bytes = type->is_vector() ? layout.StoreSize(type->element()) : layout.AllocSize(type->element());
    if (!visit({value, false, bytes})) return false;
    type = type->element();
  }
  return true;
}

}  // namespace ptxmir::ir
