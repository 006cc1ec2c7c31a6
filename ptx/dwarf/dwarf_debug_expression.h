// SPDX-License-Identifier: Apache-2.0

// DIExpression: what turns the place that a debug value names into the variable's location.

#ifndef PTXMIR_PTX_DWARF_DWARF_DEBUG_EXPRESSION_H_
#define PTXMIR_PTX_DWARF_DWARF_DEBUG_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ir_metadata.h"

namespace ptxmir::ptx {

// The part of a variable that an expression describes.
struct DebugFragment {
  uint64_t offset_in_bits = 0;
  uint64_t size_in_bits = 0;
};

class DebugExpression {
 public:
  // One operation with its (at most two) arguments.
  struct Operation {
    uint64_t code = 0;
    uint64_t arguments[2] = {0, 0};
    friend bool operator==(const Operation&, const Operation&) = default;
  };

  DebugExpression() = default;
  explicit DebugExpression(std::vector<Operation> operations) : operations_(std::move(operations)) {}

  // nullopt: an operation is not known or lacks arguments. The node may be null: an empty expression.
  static std::optional<DebugExpression> Parse(const MetadataNode* node);

  const std::vector<Operation>& operations() const { return operations_; }
  bool empty() const { return operations_.empty(); }
  std::optional<DebugFragment> fragment() const;
  bool is_fragment() const { return fragment().has_value(); }
  // Whether both describe bits that the other describes, too.
  bool Overlaps(const DebugExpression& other) const;
  // Whether it is DW_OP_constu or DW_OP_consts alone, or followed by DW_OP_stack_value (and a fragment).
  bool is_constant() const;
  // Without the `constu N, swap, xderef` at its end by which clang says that the variable is in address space N;
  // N goes to `address_class`.
  DebugExpression WithoutAddressClass(std::optional<uint64_t>* address_class) const;
  // The same for a value with a single location operand; nullopt when several operands are combined.
  std::optional<DebugExpression> AsNonVariadic() const;

  friend bool operator==(const DebugExpression&, const DebugExpression&) = default;

 private:
  std::vector<Operation> operations_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_DEBUG_EXPRESSION_H_
