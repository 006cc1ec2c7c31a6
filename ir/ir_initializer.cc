// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_initializer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "base/str_cat.h"
#include "ir/module.h"

namespace ptxmir {
namespace {

using ConstantOpcode = IrConstant::Opcode;
using Wide = unsigned __int128;

// The maximum width of constant integer expressions that are folded.
constexpr uint32_t kMaxFoldedWidth = 128;

Wide ToWide(const std::vector<uint64_t>& words) {
  return (words.size() > 1 ? static_cast<Wide>(words[1]) << 64 : 0) | words[0];
}

Wide MaskOf(uint32_t width) { return width >= 128 ? ~Wide{0} : (Wide{1} << width) - 1; }

EvaluatedConstant Number(Wide value, uint32_t width) {
  value &= MaskOf(width);
  EvaluatedConstant result;
  result.words = {static_cast<uint64_t>(value)};
  if (width > 64) result.words.push_back(static_cast<uint64_t>(value >> 64));
  return result;
}

Wide SignExtend(Wide value, uint32_t width) {
  if (width >= 128) return value;
  const Wide sign = Wide{1} << (width - 1);
  return ((value & MaskOf(width)) ^ sign) - sign;
}

class Evaluator {
 public:
  explicit Evaluator(const Module& module) : module_(module), layout_(module.data_layout()) {}

  absl::StatusOr<EvaluatedConstant> Evaluate(const IrConstant& constant);

 private:
  absl::Status Unsupported(const IrConstant& constant) const {
    return absl::InvalidArgumentError(
        StrCat("unsupported expression in static initializer: ", ToString(module_, constant)));
  }
  uint32_t BitsOf(const IrType* type) const {
    return static_cast<uint32_t>(std::min<uint64_t>(layout_.SizeInBits(type), ~uint32_t{0}));
  }

  absl::StatusOr<EvaluatedConstant> EvaluateExpression(const IrConstant& constant);
  absl::StatusOr<EvaluatedConstant> EvaluateCast(const IrConstant& constant);
  absl::StatusOr<EvaluatedConstant> EvaluateGep(const IrConstant& constant);
  absl::StatusOr<EvaluatedConstant> EvaluateBinary(const IrConstant& constant);
  std::optional<EvaluatedConstant> AddressArithmetic(ConstantOpcode opcode, const EvaluatedConstant& left,
                                                     const EvaluatedConstant& right) const;
  std::optional<int64_t> GepOffset(const IrConstant& constant);

  const Module& module_;
  const DataLayout& layout_;
};

absl::StatusOr<EvaluatedConstant> Evaluator::Evaluate(const IrConstant& constant) {
  using Kind = IrConstant::Kind;
  switch (constant.kind) {
    case Kind::kInteger:
    case Kind::kFloat: {
      EvaluatedConstant result;
      result.words.assign(constant.words.begin(), constant.words.end());
      if (result.words.empty()) result.words.push_back(0);
      return result;
    }
    case Kind::kNullPointer:
    case Kind::kUndef:
    case Kind::kPoison:
    case Kind::kZeroInitializer: {
      EvaluatedConstant result;
      result.words.assign(std::max<uint64_t>(1, (BitsOf(constant.type) + 63) / 64), 0);
      return result;
    }
    case Kind::kGlobal:
    case Kind::kDsoLocalEquivalent:
    case Kind::kNoCfi: {
      EvaluatedConstant result;
      result.is_address = true;
      result.symbol = constant.global;
      return result;
    }
    case Kind::kExpression:
      return EvaluateExpression(constant);
    default:
      return Unsupported(constant);
  }
}

absl::StatusOr<EvaluatedConstant> Evaluator::EvaluateExpression(const IrConstant& constant) {
  if (constant.opcode == ConstantOpcode::kGetElementPtr) return EvaluateGep(constant);
  if (constant.opcode >= ConstantOpcode::kTrunc && constant.opcode <= ConstantOpcode::kAddrSpaceCast) {
    return EvaluateCast(constant);
  }
  if (constant.opcode >= ConstantOpcode::kAdd && constant.opcode <= ConstantOpcode::kXor) {
    return EvaluateBinary(constant);
  }
  return Unsupported(constant);
}

absl::StatusOr<EvaluatedConstant> Evaluator::EvaluateCast(const IrConstant& constant) {
  const IrType* from = constant.operands[0]->type;
  const IrType* to = constant.type;
  if (from->is_vector() || to->is_vector() || from->is_aggregate()) return Unsupported(constant);
  absl::StatusOr<EvaluatedConstant> value = Evaluate(*constant.operands[0]);
  if (!value.ok()) return value;
  const uint32_t from_bits = BitsOf(from);
  const uint32_t to_bits = BitsOf(to);
  switch (constant.opcode) {
    case ConstantOpcode::kAddrSpaceCast:
      // PTX can express the generic address of a symbol, but no other conversion.
      if (!to->is_pointer() || !from->is_pointer() || to->address_space() != 0) {
        return Unsupported(constant);
      }
      if (value->is_address && from->address_space() != 0) value->generic = true;
      return value;
    case ConstantOpcode::kBitcast:
      return value;
    case ConstantOpcode::kTrunc:
    case ConstantOpcode::kZExt:
    case ConstantOpcode::kSExt:
    case ConstantOpcode::kPtrToInt:
    case ConstantOpcode::kPtrToAddr:
    case ConstantOpcode::kIntToPtr:
      break;
    default:
      return Unsupported(constant);
  }
  if (value->is_address) {
    // A narrower address is truncated where it is stored. A wider one would need bits for which PTX has no
    // expression.
    if (to_bits > from_bits) return Unsupported(constant);
    return value;
  }
  if (from_bits > kMaxFoldedWidth || to_bits > kMaxFoldedWidth) return Unsupported(constant);
  const Wide number = ToWide(value->words);
  return Number(constant.opcode == ConstantOpcode::kSExt ? SignExtend(number, from_bits) : number, to_bits);
}

// Returns the offset of the indices in bytes, or nullopt if they are not plain numbers.
std::optional<int64_t> Evaluator::GepOffset(const IrConstant& constant) {
  const IrType* type = constant.source_type;
  uint64_t offset = 0;
  for (size_t i = 1; i < constant.operands.size(); ++i) {
    const IrConstant& operand = *constant.operands[i];
    if (!operand.type->is_integer()) return std::nullopt;
    const absl::StatusOr<EvaluatedConstant> evaluated = Evaluate(operand);
    if (!evaluated.ok() || evaluated->is_address) return std::nullopt;
    const auto index = static_cast<int64_t>(
        SignExtend(ToWide(evaluated->words), std::min(operand.type->integer_width(), kMaxFoldedWidth)));
    if (i == 1) {
      offset += static_cast<uint64_t>(index) * layout_.AllocSize(type);
    } else if (type->is_struct()) {
      if (index < 0 || static_cast<uint64_t>(index) >= type->members().size()) return std::nullopt;
      offset += layout_.LayoutOf(type).offsets[static_cast<size_t>(index)];
      type = type->members()[static_cast<size_t>(index)];
    } else if (type->is_array() || type->is_vector()) {
      type = type->element();
      offset += static_cast<uint64_t>(index) * layout_.AllocSize(type);
    } else {
      return std::nullopt;
    }
  }
  return static_cast<int64_t>(offset);
}

absl::StatusOr<EvaluatedConstant> Evaluator::EvaluateGep(const IrConstant& constant) {
  if (!constant.type->is_pointer()) return Unsupported(constant);
  absl::StatusOr<EvaluatedConstant> base = Evaluate(*constant.operands[0]);
  if (!base.ok()) return base;
  const std::optional<int64_t> offset = GepOffset(constant);
  if (!offset.has_value()) return Unsupported(constant);
  if (base->is_address) {
    base->addend = static_cast<int64_t>(static_cast<uint64_t>(base->addend) + static_cast<uint64_t>(*offset));
    return base;
  }
  return Number(ToWide(base->words) + static_cast<uint64_t>(*offset), BitsOf(constant.type));
}

// Folds an address plus or minus a number, and the difference of two addresses in the same symbol.
std::optional<EvaluatedConstant> Evaluator::AddressArithmetic(ConstantOpcode opcode, const EvaluatedConstant& left,
                                                              const EvaluatedConstant& right) const {
  if (opcode == ConstantOpcode::kSub && left.is_address && right.is_address) {
    if (left.symbol != right.symbol || left.generic != right.generic) return std::nullopt;
    const auto difference =
        static_cast<int64_t>(static_cast<uint64_t>(left.addend) - static_cast<uint64_t>(right.addend));
    return Number(static_cast<Wide>(static_cast<__int128>(difference)), 64);
  }
  if (opcode != ConstantOpcode::kAdd && !(opcode == ConstantOpcode::kSub && left.is_address)) return std::nullopt;
  EvaluatedConstant result = left.is_address ? left : right;
  const EvaluatedConstant& number = left.is_address ? right : left;
  if (number.is_address) return std::nullopt;
  const uint64_t step = opcode == ConstantOpcode::kSub ? 0 - number.words[0] : number.words[0];
  result.addend = static_cast<int64_t>(static_cast<uint64_t>(result.addend) + step);
  return result;
}

absl::StatusOr<EvaluatedConstant> Evaluator::EvaluateBinary(const IrConstant& constant) {
  const IrType* type = constant.type;
  if (!type->is_integer() || type->integer_width() > kMaxFoldedWidth) return Unsupported(constant);
  const uint32_t width = type->integer_width();
  const absl::StatusOr<EvaluatedConstant> left = Evaluate(*constant.operands[0]);
  if (!left.ok()) return left;
  absl::StatusOr<EvaluatedConstant> right = Evaluate(*constant.operands[1]);
  if (!right.ok()) return right;
  if (left->is_address || right->is_address) {
    // The addend is signed, regardless of the width of the operands.
    EvaluatedConstant a = *left;
    EvaluatedConstant b = *right;
    if (!a.is_address) a.words = {static_cast<uint64_t>(SignExtend(ToWide(a.words), width))};
    if (!b.is_address) b.words = {static_cast<uint64_t>(SignExtend(ToWide(b.words), width))};
    std::optional<EvaluatedConstant> result = AddressArithmetic(constant.opcode, a, b);
    if (!result.has_value()) return Unsupported(constant);
    if (!result->is_address) return Number(SignExtend(ToWide(result->words), 64), width);
    return *result;
  }
  const Wide a = ToWide(left->words);
  const Wide b = ToWide(right->words);
  switch (constant.opcode) {
    case ConstantOpcode::kAdd:
      return Number(a + b, width);
    case ConstantOpcode::kSub:
      return Number(a - b, width);
    case ConstantOpcode::kMul:
      return Number(a * b, width);
    case ConstantOpcode::kAnd:
      return Number(a & b, width);
    case ConstantOpcode::kOr:
      return Number(a | b, width);
    case ConstantOpcode::kXor:
      return Number(a ^ b, width);
    case ConstantOpcode::kShl:
      if (b < width) return Number(a << static_cast<int>(b), width);
      break;
    case ConstantOpcode::kLShr:
      if (b < width) return Number(a >> static_cast<int>(b), width);
      break;
    case ConstantOpcode::kAShr:
      if (b < width) {
        const auto value = static_cast<__int128>(SignExtend(a, width));
        return Number(static_cast<Wide>(value >> static_cast<int>(b)), width);
      }
      break;
    case ConstantOpcode::kUDiv:
      if (b != 0) return Number(a / b, width);
      break;
    case ConstantOpcode::kURem:
      if (b != 0) return Number(a % b, width);
      break;
    default:
      break;
  }
  return Unsupported(constant);
}

// Writes constants into the bytes of an initializer.
class Emitter {
 public:
  Emitter(const Module& module, LoweredInitializer* out)
      : module_(module), layout_(module.data_layout()), evaluator_(module), out_(out) {}

  // `bit_offset` is a multiple of 8, except for elements of vectors.
  absl::Status Emit(const IrConstant& constant, uint64_t bit_offset);

 private:
  // Returns the distance of the elements of an array or vector in bits. Elements of vectors have no padding.
  uint64_t StrideBits(const IrType* type) const {
    return type->is_vector() ? layout_.SizeInBits(type->element()) : layout_.AllocSize(type->element()) * 8;
  }
  void StoreBits(absl::Span<const uint64_t> words, uint64_t bits, uint64_t bit_offset);
  absl::Status EmitScalar(const IrConstant& constant, uint64_t bit_offset);
  absl::Status EmitAggregate(const IrConstant& constant, uint64_t bit_offset);

  const Module& module_;
  const DataLayout& layout_;
  Evaluator evaluator_;
  LoweredInitializer* out_;
};

void Emitter::StoreBits(absl::Span<const uint64_t> words, uint64_t bits, uint64_t bit_offset) {
  for (uint64_t bit = 0; bit < bits;) {
    const uint64_t target = bit_offset + bit;
    if (bit / 64 >= words.size() || target / 8 >= out_->bytes.size()) return;
    // Copy whole bytes where source and target are aligned.
    if (target % 8 == 0 && bit % 8 == 0 && bits - bit >= 8) {
      out_->bytes[target / 8] = static_cast<uint8_t>(words[bit / 64] >> (bit % 64));
      bit += 8;
      continue;
    }
    const auto value = static_cast<uint8_t>(words[bit / 64] >> (bit % 64) & 1);
    out_->bytes[target / 8] |= static_cast<uint8_t>(value << (target % 8));
    ++bit;
  }
}

absl::Status Emitter::EmitScalar(const IrConstant& constant, uint64_t bit_offset) {
  const absl::StatusOr<EvaluatedConstant> value = evaluator_.Evaluate(constant);
  if (!value.ok()) return value.status();
  const uint64_t bits = layout_.SizeInBits(constant.type);
  if (!value->is_address) {
    StoreBits(value->words, bits, bit_offset);
    if (constant.type->is_pointer() && bit_offset % 8 == 0) out_->numeric_pointers.push_back(bit_offset / 8);
    return absl::OkStatus();
  }
  if (bit_offset % 8 != 0 || bits % 8 != 0) {
    return absl::InvalidArgumentError(
        StrCat("unsupported expression in static initializer: ", ToString(module_, constant)));
  }
  out_->relocations.push_back({.offset = bit_offset / 8,
                               .size = static_cast<uint32_t>(bits / 8),
                               .symbol = value->symbol,
                               .addend = value->addend,
                               .generic = value->generic});
  return absl::OkStatus();
}

absl::Status Emitter::EmitAggregate(const IrConstant& constant, uint64_t bit_offset) {
  if (constant.type->is_struct()) {
    const StructLayout layout = layout_.LayoutOf(constant.type);
    for (size_t i = 0; i < constant.operands.size(); ++i) {
      const absl::Status status = Emit(*constant.operands[i], bit_offset + layout.offsets[i] * 8);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  const uint64_t stride = StrideBits(constant.type);
  for (size_t i = 0; i < constant.operands.size(); ++i) {
    if (absl::Status s = Emit(*constant.operands[i], bit_offset + i * stride); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Emitter::Emit(const IrConstant& constant, uint64_t bit_offset) {
  using Kind = IrConstant::Kind;
  switch (constant.kind) {
    case Kind::kUndef:
    case Kind::kPoison:
    case Kind::kZeroInitializer:
    case Kind::kNullPointer:
      return absl::OkStatus();
    case Kind::kString: {
      const size_t start = bit_offset / 8;
      if (start > out_->bytes.size() || constant.text.size() > out_->bytes.size() - start) {
        return absl::InternalError("initializer exceeds its type");
      }
      std::copy(constant.text.begin(), constant.text.end(), out_->bytes.begin() + static_cast<ptrdiff_t>(start));
      return absl::OkStatus();
    }
    case Kind::kData: {
      const uint64_t bits = layout_.SizeInBits(constant.type->element());
      const uint64_t stride = StrideBits(constant.type);
      for (size_t i = 0; i < constant.words.size(); ++i) {
        StoreBits(constant.words.subspan(i, 1), bits, bit_offset + i * stride);
      }
      return absl::OkStatus();
    }
    case Kind::kSplat: {
      const uint64_t stride = StrideBits(constant.type);
      for (uint64_t i = 0; i < constant.type->num_elements(); ++i) {
        if (absl::Status s = Emit(*constant.operands[0], bit_offset + i * stride); !s.ok()) return s;
      }
      return absl::OkStatus();
    }
    case Kind::kAggregate:
      return EmitAggregate(constant, bit_offset);
    default:
      return EmitScalar(constant, bit_offset);
  }
}

}  // namespace

bool LoweredInitializer::is_zero() const {
  return relocations.empty() && std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

absl::StatusOr<EvaluatedConstant> EvaluateConstant(const Module& module, const IrConstant& constant) {
  return Evaluator(module).Evaluate(constant);
}

absl::StatusOr<LoweredInitializer> LowerInitializer(const Module& module, const IrConstant& constant,
                                                    uint64_t max_bytes) {
  const uint64_t size = module.data_layout().AllocSize(constant.type);
  if (size > max_bytes) {
    return absl::ResourceExhaustedError(
        StrCat("initializer of ", size, " bytes is too large (the limit is ", max_bytes, ")"));
  }
  LoweredInitializer lowered;
  lowered.bytes.resize(size);
  if (absl::Status status = Emitter(module, &lowered).Emit(constant, 0); !status.ok()) return status;
  std::stable_sort(lowered.relocations.begin(), lowered.relocations.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return lowered;
}

bool IsZeroOrUndef(const IrConstant& constant) {
  using Kind = IrConstant::Kind;
  const auto is_zero_word = [](uint64_t word) { return word == 0; };
  switch (constant.kind) {
    case Kind::kUndef:
    case Kind::kPoison:
    case Kind::kZeroInitializer:
    case Kind::kNullPointer:
      return true;
    case Kind::kInteger:
    case Kind::kFloat:
    case Kind::kData:
      return std::all_of(constant.words.begin(), constant.words.end(), is_zero_word);
    case Kind::kString:
      return std::all_of(constant.text.begin(), constant.text.end(), [](char c) { return c == 0; });
    case Kind::kAggregate:
    case Kind::kSplat:
      return std::all_of(constant.operands.begin(), constant.operands.end(),
                         [](const IrConstant* operand) { return IsZeroOrUndef(*operand); });
    default:
      return false;
  }
}

}  // namespace ptxmir
