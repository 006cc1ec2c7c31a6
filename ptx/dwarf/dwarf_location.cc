// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_location.h"

#include <algorithm>
#include <array>
#include <string>

#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

using Operation = DebugExpression::Operation;

// Returns true if the operations are any number of DW_OP_deref and at most a fragment.
bool IsMemoryOnly(absl::Span<const Operation> operations) {
  return std::all_of(operations.begin(), operations.end(), [](const Operation& operation) {
    return operation.code == dwarf::kOpDeref || operation.code == dwarf::kOpLlvmFragment;
  });
}

constexpr uint64_t kMaxOffset = 0x7fffffff;

// Removes a leading `plus_uconst N`, `constu N, plus` or `constu N, minus`. Returns the offset that it adds to a
// register.
int64_t TakeOffset(absl::Span<const Operation>& operations) {
  if (operations.empty()) return 0;
  const uint64_t value = operations[0].arguments[0];
  if (operations[0].code == dwarf::kOpPlusUconst && value <= kMaxOffset) {
    operations.remove_prefix(1);
    return static_cast<int64_t>(value);
  }
  if (operations[0].code != dwarf::kOpConstu || operations.size() < 2) return 0;
  const bool is_plus = operations[1].code == dwarf::kOpPlus && value <= kMaxOffset;
  const bool is_minus = operations[1].code == dwarf::kOpMinus && value <= kMaxOffset + 1;
  if (!is_plus && !is_minus) return 0;
  operations.remove_prefix(2);
  return is_plus ? static_cast<int64_t>(value) : -static_cast<int64_t>(value);
}

}  // namespace

bool DebugValue::HasUnknownPlace() const {
  return std::any_of(places.begin(), places.end(),
                     [](const Place& place) { return place.kind == Place::Kind::kRegister && !place.reg.is_valid(); });
}

std::optional<uint64_t> DwarfRegisterNumber(Register reg, absl::Span<const PrintedRegister> registers) {
  std::string name;
  if (reg.is_virtual()) {
    if (reg.virtual_index() >= registers.size() || !registers[reg.virtual_index()].is_valid()) return std::nullopt;
    const PrintedRegister printed = registers[reg.virtual_index()];
    name = RegisterPrefix(printed.reg_class());
    name += std::to_string(printed.number());
  } else if (reg.is_valid()) {
    // The depot is reached through the stack pointer.
    name = reg.bits() == phys_reg::kDepot ? "%SP" : PhysicalRegisterText(reg.bits());
  }
  constexpr size_t kMaxSize = 8;  // 64 bits
  if (name.empty() || name.size() > kMaxSize) return std::nullopt;
  uint64_t number = 0;
  for (char c : name) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

void LocationBuilder::EmitConstant(uint64_t value) {
  if (value < 32) {
    Emit(dwarf::kOpLit0 + value);
  } else if (value == ~uint64_t{0}) {
    Emit(dwarf::kOpLit0);
    Emit(dwarf::kOpNot);
  } else {
    Emit(dwarf::kOpConstu);
    block_.AddUnsigned(value);
  }
}

void LocationBuilder::EmitPiece(uint64_t size_in_bits) {
  if (size_in_bits == 0) return;
  if (size_in_bits % 8 != 0) {
    Emit(dwarf::kOpBitPiece);
    block_.AddUnsigned(size_in_bits);
    block_.AddUnsigned(0);
  } else {
    Emit(dwarf::kOpPiece);
    block_.AddUnsigned(size_in_bits / 8);
  }
  offset_in_bits_ += size_in_bits;
}

void LocationBuilder::AddFragmentOffset(const DebugExpression& expression) {
  const auto fragment = expression.fragment();
  if (!fragment.has_value()) return;
  if (fragment->offset_in_bits > offset_in_bits_) EmitPiece(fragment->offset_in_bits - offset_in_bits_);
  offset_in_bits_ = fragment->offset_in_bits;
}

bool LocationBuilder::AddRegister(Register reg, Operations& operations) {
  const bool is_frame = reg.is_valid() && reg == frame_register_;
  const auto number = DwarfRegisterNumber(reg, registers_);
  if (!number.has_value()) {
    kind_ = Kind::kUnknown;
    return false;
  }
  const bool is_complex = !operations.empty() && operations[0].code != dwarf::kOpLlvmFragment;
  if (kind_ != Kind::kMemory && !is_complex) {
    kind_ = Kind::kRegister;
    Emit(dwarf::kOpRegx);
    block_.AddUnsigned(*number);
    return true;
  }
  const bool needs_stack_value = std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
    return operation.code == dwarf::kOpStackValue;
  });
  if (needs_stack_value) {
    kind_ = Kind::kUnknown;
    return false;
  }
  const int64_t offset = TakeOffset(operations);
  if (is_frame) {
    Emit(dwarf::kOpFbreg);
  } else {
    Emit(dwarf::kOpBregx);
    block_.AddUnsigned(*number);
  }
  block_.AddSigned(offset);
  return true;
}

void LocationBuilder::AddBoolean(int64_t value) {
  kind_ = Kind::kImplicit;
  Emit(value == 0 ? dwarf::kOpLit0 : dwarf::kOpLit1);
}

void LocationBuilder::AddSigned(int64_t value) {
  kind_ = Kind::kImplicit;
  Emit(dwarf::kOpConsts);
  block_.AddSigned(value);
}

void LocationBuilder::AddUnsigned(uint64_t value) {
  kind_ = Kind::kImplicit;
  EmitConstant(value);
}

// Emits the piece for the fragment, or for the rest of it if parts have been emitted. Returns false if the bits do
// not fit.
bool LocationBuilder::AddFragment(const Operation& fragment) {
  const uint64_t offset = fragment.arguments[0];
  uint64_t size = fragment.arguments[1];
  if (offset_in_bits_ < offset || size < offset_in_bits_ - offset) return false;
  EmitPiece(size - (offset_in_bits_ - offset));
  kind_ = Kind::kUnknown;
  return true;
}

void LocationBuilder::AddExtractBits(const Operation& operation) {
  const uint64_t bit_offset = operation.arguments[0], size = operation.arguments[1];
  const bool is_signed = operation.code == dwarf::kOpLlvmExtractBitsSext;
  uint64_t loaded_bytes = 0;
  if (kind_ == Kind::kMemory) {
    loaded_bytes = (bit_offset + size + 7) / 8;
    if (loaded_bytes == address_size_) {
      Emit(dwarf::kOpDeref);
    } else {
      Emit(dwarf::kOpDerefSize);
      block_.AddUnsigned(loaded_bytes);
    }
  }
  const auto shift = [this](uint64_t count, uint64_t code) {
    if (count == 0) return;
    Emit(dwarf::kOpConstu);
    block_.AddUnsigned(count);
    Emit(code);
  };
  if (!is_signed && bit_offset == 0) {
    if (8 * loaded_bytes != size) {
      Emit(dwarf::kOpConstu);
      block_.AddUnsigned(size >= 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1);
      Emit(dwarf::kOpAnd);
    }
  } else {
    const uint64_t used = size + bit_offset;
    const uint64_t left = used < address_size_ * 8 ? address_size_ * 8 - used : 0;
    shift(left, dwarf::kOpShl);
    shift(left + bit_offset, is_signed ? dwarf::kOpShra : dwarf::kOpShr);
  }
  kind_ = Kind::kImplicit;
}

// Combines two conversions in a row, which widen a value, because version 2 has no DW_OP_convert.
void LocationBuilder::AddConversion(const Operation& operation) {
  const uint64_t bits = operation.arguments[0];
  if (!conversion_from_.has_value() || *conversion_from_ >= bits) {
    conversion_from_ = bits;
    return;
  }
  const uint64_t from = *conversion_from_;
  conversion_from_.reset();
  if (operation.arguments[1] == dwarf::kAteSigned) {
    Emit(dwarf::kOpDup);
    Emit(dwarf::kOpConstu);
    block_.AddUnsigned(from - 1);
    for (uint64_t code : {dwarf::kOpShr, dwarf::kOpLit0, dwarf::kOpNot, dwarf::kOpMul, dwarf::kOpConstu}) Emit(code);
    block_.AddUnsigned(from);
    Emit(dwarf::kOpShl);
    Emit(dwarf::kOpOr);
  } else if (operation.arguments[1] == dwarf::kAteUnsigned) {
    constexpr uint64_t kMaxMaskBits = 34;  // a longer mask takes fewer bytes when computed
    if (from <= kMaxMaskBits) {
      Emit(dwarf::kOpConstu);
      block_.AddUnsigned((uint64_t{1} << from) - 1);
    } else {
      Emit(dwarf::kOpLit1);
      Emit(dwarf::kOpConstu);
      block_.AddUnsigned(from);
      for (uint64_t code : {dwarf::kOpShl, dwarf::kOpLit1, dwarf::kOpMinus}) Emit(code);
    }
    Emit(dwarf::kOpAnd);
  }
}

bool LocationBuilder::AddOperations(Operations operations, const ArgumentAdder& add_argument) {
  conversion_from_.reset();
  while (!operations.empty()) {
    const Operation operation = operations[0];
    operations.remove_prefix(1);
    if (operation.code == dwarf::kOpLlvmArg) {
      if (add_argument == nullptr || !add_argument(operation.arguments[0], operations)) {
        kind_ = Kind::kUnknown;
        return false;
      }
      continue;
    }
    if (operation.code == dwarf::kOpLlvmFragment) return AddFragment(operation);
    if (!AddOperation(operation, operations)) return false;
  }
  return true;
}

bool LocationBuilder::AddOperation(const Operation& operation, Operations rest) {
  switch (operation.code) {
    case dwarf::kOpLlvmExtractBitsSext:
    case dwarf::kOpLlvmExtractBitsZext:
      AddExtractBits(operation);
      return true;
    case dwarf::kOpLlvmConvert:
      AddConversion(operation);
      return true;
    case dwarf::kOpLlvmTagOffset:
      tag_offset_ = operation.arguments[0];
      return true;
    case dwarf::kOpLlvmEntryValue:
    case dwarf::kOpLlvmImplicitPointer:
      return false;
    case dwarf::kOpStackValue:
      kind_ = Kind::kImplicit;
      return true;
    case dwarf::kOpDeref:
      if (kind_ != Kind::kMemory && IsMemoryOnly(rest)) {
        kind_ = Kind::kMemory;  // same as being a location in memory
      } else {
        Emit(dwarf::kOpDeref);
      }
      return true;
    case dwarf::kOpConstu:
      EmitConstant(operation.arguments[0]);
      return true;
    case dwarf::kOpConsts:
      Emit(dwarf::kOpConsts);
      block_.AddSigned(static_cast<int64_t>(operation.arguments[0]));
      return true;
    case dwarf::kOpPlusUconst:
    case dwarf::kOpRegx:
      Emit(operation.code);
      block_.AddUnsigned(operation.arguments[0]);
      return true;
    case dwarf::kOpDerefSize:
      Emit(operation.code);
      block_.AddByte(operation.arguments[0]);
      return true;
    case dwarf::kOpBregx:
      Emit(operation.code);
      block_.AddUnsigned(operation.arguments[0]);
      block_.AddSigned(static_cast<int64_t>(operation.arguments[1]));
      return true;
    default:
      break;
  }
  if (operation.code > 0xff) return false;
  Emit(operation.code);
  const bool is_base_register = operation.code >= 0x70 && operation.code < 0x90;
  if (is_base_register) block_.AddSigned(static_cast<int64_t>(operation.arguments[0]));
  return true;
}

void AddDebugValue(const DebugValue& value, uint64_t encoding, LocationBuilder& builder) {
  builder.AddFragmentOffset(value.expression);
  const auto add_place = [&](const DebugValue::Place& place, LocationBuilder::Operations& operations) {
    switch (place.kind) {
      case DebugValue::Place::Kind::kRegister:
        if (place.is_indirect) builder.SetMemory();
        return builder.AddRegister(place.reg, operations);
      case DebugValue::Place::Kind::kInteger:
        if (encoding == dwarf::kAteBoolean) {
          builder.AddBoolean(static_cast<int64_t>(place.bits));
        } else if (encoding == dwarf::kAteSigned || encoding == dwarf::kAteSignedChar) {
          builder.AddSigned(static_cast<int64_t>(place.bits));
        } else {
          builder.AddUnsigned(place.bits);
        }
        return true;
      case DebugValue::Place::Kind::kFloat:
        builder.AddUnsigned(place.bits);
        return true;
      case DebugValue::Place::Kind::kWide:
        return false;
    }
    return false;
  };
  LocationBuilder::Operations operations = value.expression.operations();
  if (!value.is_variadic) {
    if (!value.places.empty() && add_place(value.places[0], operations)) builder.AddOperations(operations);
    return;
  }
  if (value.HasUnknownPlace()) return;
  builder.AddOperations(operations, [&](uint64_t number, LocationBuilder::Operations& rest) {
    return number < value.places.size() && add_place(value.places[number], rest);
  });
}

}  // namespace ptxmir::ptx
