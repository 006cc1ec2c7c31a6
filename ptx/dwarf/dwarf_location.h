// SPDX-License-Identifier: Apache-2.0

// Location expressions: where a variable is or what its value is, as DWARF operations. Follows LLVM's
// DwarfExpression for version 2, which has no DW_OP_stack_value; values that would need it are not described.

#ifndef PTXMIR_PTX_DWARF_DWARF_LOCATION_H_
#define PTXMIR_PTX_DWARF_DWARF_LOCATION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_operand.h"
#include "ptx/dwarf/dwarf_debug_expression.h"
#include "ptx/dwarf/dwarf_die.h"
#include "ptx/target/instr_printer.h"

namespace ptxmir::ptx {

// A debug value with everything that its location is made of.
struct DebugValue {
  struct Place {
    enum class Kind : uint8_t { kRegister, kInteger, kFloat, kWide };
    Kind kind = Kind::kInteger;
    bool is_indirect = false;  // the register holds the variable's address
    Register reg;
    uint64_t bits = 0;            // of kInteger and kFloat
    std::vector<uint64_t> words;  // of integers wider than 64 bits
    uint32_t width = 0;           // in bits, of kWide
    friend bool operator==(const Place&, const Place&) = default;
  };
  DebugExpression expression;
  std::vector<Place> places;
  bool is_variadic = false;  // whether the expression says how the places are combined
  friend bool operator==(const DebugValue&, const DebugValue&) = default;

  bool HasUnknownPlace() const;
};

// Returns cuda-gdb's number for a register, or nullopt if it has none. The number is made of the characters of the
// register's name, the first in the highest byte.
std::optional<uint64_t> DwarfRegisterNumber(Register reg, absl::Span<const PrintedRegister> registers);

// Appends location operations to a block.
class LocationBuilder {
 public:
  LocationBuilder(DwarfBlock& block, absl::Span<const PrintedRegister> registers, uint32_t address_size)
      : block_(block), registers_(registers), address_size_(address_size) {}

  // Sets the register that stands for the frame. Its locations are relative to DW_AT_frame_base. Not used in lists.
  void set_frame_register(Register reg) { frame_register_ = reg; }

  // A view of the operations still to be consumed. Functions that take it by reference drop the ones they consume.
  using Operations = absl::Span<const DebugExpression::Operation>;

  void SetMemory() { kind_ = Kind::kMemory; }
  bool is_unknown() const { return kind_ == Kind::kUnknown; }
  // Skips the bits of the variable before the ones that the expression describes.
  void AddFragmentOffset(const DebugExpression& expression);
  // Begins with a register. Returns false if that cannot be expressed.
  bool AddRegister(Register reg, Operations& operations);
  void AddBoolean(int64_t value);
  void AddSigned(int64_t value);
  void AddUnsigned(uint64_t value);
  // Adds the rest of an expression. `add_argument` adds operand N of a value that combines several operands; null if
  // there are none.
  using ArgumentAdder = std::function<bool(uint64_t, Operations&)>;
  bool AddOperations(Operations operations, const ArgumentAdder& add_argument = nullptr);
  std::optional<uint64_t> tag_offset() const { return tag_offset_; }

 private:
  enum class Kind : uint8_t { kUnknown, kRegister, kMemory, kImplicit };

  void Emit(uint64_t code) { block_.AddByte(code); }
  void EmitConstant(uint64_t value);
  void EmitPiece(uint64_t size_in_bits);
  bool AddFragment(const DebugExpression::Operation& fragment);
  void AddExtractBits(const DebugExpression::Operation& operation);
  void AddConversion(const DebugExpression::Operation& operation);
  bool AddOperation(const DebugExpression::Operation& operation, Operations rest);

  DwarfBlock& block_;
  absl::Span<const PrintedRegister> registers_;
  uint32_t address_size_;
  Register frame_register_;
  Kind kind_ = Kind::kUnknown;
  uint64_t offset_in_bits_ = 0;  // how many bits of the variable are described so far
  std::optional<uint64_t> tag_offset_;
  std::optional<uint64_t> conversion_from_;  // source width of a pending DW_OP_LLVM_convert
};

// Adds a value in the form that location lists use. `encoding` is that of the variable's basic type, or 0.
void AddDebugValue(const DebugValue& value, uint64_t encoding, LocationBuilder& builder);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_LOCATION_H_
