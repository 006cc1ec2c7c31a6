// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/calling_convention.h"

#include <algorithm>

namespace ptxmir::ptx {
namespace {

// The largest alignment that PTX supports for parameters.
constexpr uint64_t kMaxParameterAlign = 128;
// The parameter alignment of functions that no outside code can call, so that the parameters move as vectors.
constexpr uint64_t kLocalParameterAlign = 16;

}  // namespace

bool IsPassedAsArray(const IrType& type) {
  switch (type.kind()) {
    case IrType::Kind::kArray:
    case IrType::Kind::kStruct:
    case IrType::Kind::kVector:
    case IrType::Kind::kHalf:
    case IrType::Kind::kBFloat:
    case IrType::Kind::kFp128:
      return true;
    case IrType::Kind::kInteger:
      return type.integer_width() >= 128;
    default:
      return false;
  }
}

uint64_t ScalarParameterBits(const DataLayout& layout, const IrType& type) {
  const uint64_t bits = type.is_pointer() ? layout.PointerBits(type.address_space()) : layout.SizeInBits(&type);
  return bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
}

uint64_t DefaultParameterAlign(const Module& module, const IrFunction* function, const IrType& type) {
  const uint64_t abi = std::min(kMaxParameterAlign, module.data_layout().AbiAlign(&type));
  if (function == nullptr || !function->has_local_linkage()) return abi;
  // Code that calls it through its address assumes this alignment.
  if (module.IsAddressTaken(function->id())) return abi;
  return std::max(kLocalParameterAlign, abi);
}

uint64_t ParameterAlign(const Module& module, const IrFunction* function, const IrType& type,
                        const IrAttributes& attributes) {
  const uint64_t stated = attributes.Integer("alignstack");
  return stated != 0 ? stated : DefaultParameterAlign(module, function, type);
}

uint64_t ByValAlign(const Module& module, const IrFunction* function, const IrType& by_value,
                    const IrAttributes& attributes) {
  const uint64_t stated = std::max<uint64_t>(attributes.Integer("align"), 1);
  const uint64_t slot = attributes.Integer("alignstack");
  return std::max(slot != 0 ? slot : stated, DefaultParameterAlign(module, function, by_value));
}

}  // namespace ptxmir::ptx
