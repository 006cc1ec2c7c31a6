// SPDX-License-Identifier: Apache-2.0

// Decodes the operands of statements: registers, constants, symbols, addresses.

#include <charconv>
#include <tuple>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/decode/function_decoder.h"
#include "ptx/interpreter/semantics/control.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

std::optional<uint32_t> NumberAfter(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace

DecodedOperand FunctionDecoder::Widen(const MachineInstr& instr, const DecodedOperand& source, unsigned bits) {
  if (source.kind == DecodedOperand::Kind::kConstant) {
    return ConstantOperand(static_cast<uint64_t>(source.value), bits);
  }
  const DecodedOperand temporary = {
      .kind = DecodedOperand::Kind::kRow, .bits = static_cast<uint8_t>(bits), .row = NewRow(bits)};
  EmitCopy(instr, temporary, source);
  return temporary;
}

bool FunctionDecoder::LookUpRegister(std::string_view name, DecodedOperand* low, DecodedOperand* high) {
  high->kind = DecodedOperand::Kind::kSink;
  uint32_t row = kNoRow;
  unsigned bits = 0;
  for (size_t i = scopes_.size(); i-- > 0 && row == kNoRow;) {
    const auto found = scopes_[i].find(name);
    if (found != scopes_[i].end()) std::tie(row, bits) = found->second;
  }
  if (row == kNoRow) {
    for (RegClassId reg_class : kVirtualRegisterClasses) {
      const std::optional<uint32_t> number = NumberAfter(name, RegisterPrefix(reg_class));
      if (!number.has_value()) continue;
      if (*number >= row_of_register_.size()) {
        const size_t alias = *number - row_of_register_.size();
        if (alias >= asm_aliases_.size()) continue;
        row = asm_aliases_[alias];
        bits = BitsOfClass(reg_class);
        continue;
      }
      const Register reg = Register::Virtual(*number);
      if (function_.reg_info().reg_class(reg) != reg_class) continue;
      row = RowOf(reg);
      bits = BitsOfClass(reg_class);
    }
  }
  if (row == kNoRow && (name == "%SP" || name == "%SPL")) {
    const bool wide = function_.module() == nullptr || function_.module()->data_layout().PointerBits(0) == 64;
    const uint32_t number = name == "%SP" ? (wide ? phys_reg::kFrame64 : phys_reg::kFrame32)
                                          : (wide ? phys_reg::kFrameLocal64 : phys_reg::kFrameLocal32);
    row = RowOf(Register::Physical(number));
    bits = out_->rows[row].bits;
  }
  if (row == kNoRow) return false;
  const unsigned row_bits = bits == 128 ? 64 : bits;
  *low = {.kind = DecodedOperand::Kind::kRow, .bits = static_cast<uint8_t>(row_bits), .row = row};
  if (bits == 128) *high = {.kind = DecodedOperand::Kind::kRow, .bits = 64, .row = row + 1};
  return true;
}

SymbolValue FunctionDecoder::LookUpSymbol(std::string_view name) {
  using Kind = SymbolValue::Kind;
  if (const std::optional<uint32_t> number = NumberAfter(name, kStackPrefix); number.has_value()) {
    if (*number >= out_->objects.size()) return {};
    return {Kind::kStack, out_->objects[*number].offset};
  }
  if (name.starts_with("__local_depot")) return {Kind::kDepot, out_->depot_offset};
  if (const std::optional<SpecialRegister> special = FindSpecialRegister(name); special.has_value()) {
    return {Kind::kSpecialRegister, 0, *special};
  }
  if (name == "WARP_SZ") return {Kind::kConstant, kWarpSize};
  if (const std::optional<uint32_t> id = NumberAfter(name, kGlobalPrefix); id.has_value()) {
    const std::optional<uint64_t> address = resolver_.AddressOf(*id);
    if (!address.has_value()) return {};
    return {Kind::kConstant, static_cast<int64_t>(*address)};
  }
  if (const std::optional<uint32_t> id = NumberAfter(name, kSymbolPrefix); id.has_value()) {
    if (*id >= function_.num_symbols()) return {};
    name = function_.symbol(*id);
  }
  if (name.starts_with(kSharedDepotPrefix)) {
    const std::optional<uint64_t> address = resolver_.SharedDepotOf(function_);
    if (!address.has_value()) return {};
    return {Kind::kConstant, static_cast<int64_t>(*address)};
  }
  const auto declared = declared_.find(name);
  if (declared != declared_.end()) {
    return {Kind::kParamSpace, ParamAddress(ParamRegion::kOutgoing, declared->second.offset)};
  }
  if (name == kFunctionResult) return {Kind::kParamSpace, ParamAddress(ParamRegion::kReturn, 0)};
  if (!out_->parameters.empty() && IsParameterName(name, function_.name())) {
    // Variable arguments are the last parameter.
    const auto last = static_cast<uint32_t>(out_->parameters.size() - 1);
    const uint32_t index = ParameterNumber(name, function_.name()).value_or(last);
    if (index > last) return {};
    return {out_->is_kernel ? Kind::kParamSpace : Kind::kParamLocal, out_->parameters[index].offset};
  }
  if (const Module* module = function_.module(); module != nullptr) {
    if (const GlobalValue* value = module->FindGlobal(name); value != nullptr) {
      if (const std::optional<uint64_t> address = resolver_.AddressOf(value->id()); address.has_value()) {
        return {Kind::kConstant, static_cast<int64_t>(*address)};
      }
    }
  }
  return {};
}

// Decodes a value. If it depends on the frame, it is computed into a temporary before the instruction.
bool FunctionDecoder::ValueOperand(const StatementOperand& operand, unsigned bits, DecodedOperand* decoded) {
  const SymbolValue symbol = LookUpSymbol(operand.name);
  switch (symbol.kind) {
    case SymbolValue::Kind::kNone:
      return false;
    case SymbolValue::Kind::kConstant:
    case SymbolValue::Kind::kParamSpace:
      *decoded = ConstantOperand(static_cast<uint64_t>(symbol.value + operand.value), bits);
      return true;
    case SymbolValue::Kind::kStack:
    case SymbolValue::Kind::kDepot:
    case SymbolValue::Kind::kParamLocal:
    case SymbolValue::Kind::kSpecialRegister: {
      const bool is_special = symbol.kind == SymbolValue::Kind::kSpecialRegister;
      const uint32_t row = NewRow(is_special ? 32 : 64);
      DecodedInstr& address =
          Emit(*current_, is_special ? control::ReadSpecialRegister : control::FrameAddress, InstrCategory::kMove);
      address.is_counted = false;
      address.num_results = 1;
      if (is_special) {
        address.params.a = static_cast<uint32_t>(symbol.special.kind);
        address.params.b = symbol.special.axis;
      } else {
        address.params.a = static_cast<uint32_t>(symbol.value + operand.value);
        // The address of a stack object is generic. The addresses of the depot and of parameters are local.
        address.params.b = symbol.kind == SymbolValue::Kind::kStack ? 1 : 0;
      }
      *decoded = {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row};
      AddOperand(address, *decoded);
      return true;
    }
  }
  return false;
}

bool FunctionDecoder::AddressOperand(const StatementOperand& operand, DecodedOperand* decoded) {
  decoded->kind = DecodedOperand::Kind::kAddress;
  decoded->value = operand.value;
  decoded->row = kNoRow;
  if (operand.name.empty()) return true;
  DecodedOperand low, high;
  if (LookUpRegister(operand.name, &low, &high)) {
    decoded->row = low.row;
    decoded->bits = low.bits;
    return true;
  }
  // The parameters of a function are in its frame, but accesses by name stay accesses to the parameter space.
  if (const SymbolValue symbol = LookUpSymbol(operand.name); symbol.kind == SymbolValue::Kind::kParamLocal) {
    decoded->value += ParamAddress(ParamRegion::kIncoming, symbol.value);
    return true;
  }
  StatementOperand symbol = operand;
  symbol.value = 0;
  DecodedOperand value;
  if (!ValueOperand(symbol, 64, &value)) return false;
  if (value.kind == DecodedOperand::Kind::kConstant) {
    decoded->value += value.value;
  } else {
    decoded->row = value.row;
    decoded->bits = value.bits;
  }
  return true;
}

bool FunctionDecoder::AppendOperands(const Statement& statement, unsigned begin, unsigned end,
                                     absl::Span<const uint8_t> widths, bool negates, OperandList* operands) {
  for (unsigned i = begin; i < end; ++i) {
    const StatementOperand& operand = statement.operands[i];
    // A constant has the width that the kernel expects in that position.
    const size_t place = operands->size();
    const unsigned expected = place < widths.size() && widths[place] != 0 ? widths[place] : 64;
    DecodedOperand low, high;
    switch (operand.kind) {
      case StatementOperand::Kind::kRegister:
        if (!LookUpRegister(operand.name, &low, &high)) {
          if (!ValueOperand(operand, expected, &low)) return false;
        }
        break;
      case StatementOperand::Kind::kImmediate:
        low = ConstantOperand(static_cast<uint64_t>(operand.value), expected);
        break;
      case StatementOperand::Kind::kFloat:
        // Kernels that state no width get the bits as written.
        low = place < widths.size() && (widths[place] == 32 || widths[place] == 64)
                  ? ConstantOperand(FloatImmediate(operand, expected), expected)
                  : ConstantOperand(static_cast<uint64_t>(operand.value), expected);
        break;
      case StatementOperand::Kind::kSymbol:
        if (!ValueOperand(operand, expected, &low)) return false;
        break;
      case StatementOperand::Kind::kAddress:
        if (!AddressOperand(operand, &low)) return false;
        break;
      case StatementOperand::Kind::kSink:
        low.kind = DecodedOperand::Kind::kSink;
        break;
    }
    // Pure kernels do not handle negated sources.
    if (operand.negated && negates) {
      const uint32_t row = NewRow(1);
      DecodedInstr& decoded = Emit(*current_, control::Not, InstrCategory::kMove);
      decoded.is_counted = false;
      decoded.num_results = 1;
      const DecodedOperand result = {.kind = DecodedOperand::Kind::kRow, .bits = 1, .row = row};
      AddOperand(decoded, result);
      AddOperand(decoded, low);
      low = result;
    }
    operands->push_back(low);
    if (high.kind == DecodedOperand::Kind::kRow) operands->push_back(high);
  }
  return true;
}

}  // namespace ptxmir::ptx
