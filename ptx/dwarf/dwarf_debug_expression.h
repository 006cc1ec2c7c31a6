// SPDX-License-Identifier: Apache-2.0

// DIExpression: the operations that turn the location operands of a debug value into the variable's location.

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
  // One operation with its arguments, at most two.
  struct Operation {
    uint64_t code = 0;
    uint64_t arguments[2] = {0, 0};
    friend bool operator==(const Operation&, const Operation&) = default;
  };

  DebugExpression() = default;
  explicit DebugExpression(std::vector<Operation> operations) : operations_(std::move(operations)) {}

  // Parses a node. Returns nullopt if an operation is unknown or lacks arguments. A null node is an empty
  // expression.
  static std::optional<DebugExpression> Parse(const MetadataNode* node);

  const std::vector<Operation>& operations() const { return operations_; }
  bool empty() const { return operations_.empty(); }
  std::optional<DebugFragment> fragment() const;
  bool is_fragment() const { return fragment().has_value(); }
  // Returns true if both expressions describe some of the same bits of a variable.
  bool Overlaps(const DebugExpression& other) const;
  // Returns true if the expression is a lone DW_OP_constu or DW_OP_consts, or one followed by DW_OP_stack_value and
  // optionally a fragment.
  bool is_constant() const;
  // Returns the expression without a trailing `constu N, swap, xderef`, by which clang says that the variable is in
  // address space N. Stores N in `address_class`.
  DebugExpression WithoutAddressClass(std::optional<uint64_t>* address_class) const;
  // Returns the equivalent expression for a value with a single location operand, or nullopt if the expression
  // combines several operands.
  std::optional<DebugExpression> AsNonVariadic() const;

  friend bool operator==(const DebugExpression&, const DebugExpression&) = default;

 private:
  std::vector<Operation> operations_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_DEBUG_EXPRESSION_H_
