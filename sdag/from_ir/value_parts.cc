// SPDX-License-Identifier: Apache-2.0

#include "sdag/from_ir/value_parts.h"

#include <memory>
#include <optional>

#include "base/str_cat.h"

namespace ptxmir::sdag {
namespace {

MVT SmallestInteger(uint32_t width) {
  if (width == 1) return MVT::kI1;
  if (width <= 8) return MVT::kI8;
  if (width <= 16) return MVT::kI16;
  if (width <= 32) return MVT::kI32;
  if (width <= 64) return MVT::kI64;
  return width <= 128 ? MVT::kI128 : MVT::kUntyped;
}

uint16_t SignificantBits(const DataLayout& layout, const IrType& type, MVT mvt) {
  if (type.is_integer()) return static_cast<uint16_t>(type.integer_width());
  if (type.is_pointer()) return static_cast<uint16_t>(layout.PointerBits(type.address_space()));
  return static_cast<uint16_t>(SizeInBits(mvt));
}

}  // namespace

MVT ScalarMvt(const DataLayout& layout, const IrType& type) {
  switch (type.kind()) {
    case IrType::Kind::kInteger:
      return SmallestInteger(type.integer_width());
    case IrType::Kind::kPointer:
      return SmallestInteger(layout.PointerBits(type.address_space()));
    case IrType::Kind::kHalf:
      return MVT::kF16;
    case IrType::Kind::kBFloat:
      return MVT::kBF16;
    case IrType::Kind::kFloat:
      return MVT::kF32;
    case IrType::Kind::kDouble:
      return MVT::kF64;
    default:
      return MVT::kUntyped;
  }
}

const PartTable::Parts& PartTable::Find(const IrType* type) {
  std::unique_ptr<Entry>& entry = entries_[type];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
    Append(type, 0, *entry);
    entry->parts.problem = entry->problem;
    if (entry->problem.empty()) {
      entry->parts.parts = entry->storage;
      entry->parts.leaves = entry->leaves;
    }
  }
  recent_[IndexOf(type)] = {type, &entry->parts};
  return entry->parts;
}

void PartTable::AppendVector(const IrType* type, uint64_t offset, Entry& entry) {
  const IrType& element = *type->element();
  const MVT scalar = ScalarMvt(layout_, element);
  if (type->is_scalable() || scalar == MVT::kUntyped) {
    entry.problem = StrCat("there are no values of type ", type->ToString());
    return;
  }
  const uint64_t count = type->num_elements();
  const uint16_t bits = SignificantBits(layout_, element, scalar);
  const std::optional<MVT> vector = count <= 255 ? VectorOf(scalar, static_cast<unsigned>(count)) : std::nullopt;
  const auto first = static_cast<uint32_t>(entry.storage.size());
  if (vector.has_value() && bits == SizeInBits(scalar)) {
    entry.leaves.push_back({type, offset, first, 1, false, false});
    entry.storage.push_back({*vector, bits, offset, type});
    return;
  }
  entry.leaves.push_back({type, offset, first, static_cast<uint32_t>(count), true, bits % 8 != 0});
  for (uint64_t i = 0; i < count && entry.storage.size() <= kMaxParts; ++i) {
    entry.storage.push_back({scalar, bits, offset + i * bits / 8, &element});
  }
}

void PartTable::Append(const IrType* type, uint64_t offset, Entry& entry) {
  if (!entry.problem.empty()) return;
  if (entry.storage.size() > kMaxParts) {
    entry.problem = StrCat("values of more than ", kMaxParts, " parts");
    return;
  }
  switch (type->kind()) {
    case IrType::Kind::kVoid:
    case IrType::Kind::kLabel:
    case IrType::Kind::kMetadata:
    case IrType::Kind::kToken:
      return;
    case IrType::Kind::kStruct: {
      if (type->is_opaque()) {
        entry.problem = StrCat("there are no values of type ", type->ToString());
        return;
      }
      const StructLayout layout = layout_.LayoutOf(type);
      for (size_t i = 0; i < type->members().size(); ++i) {
        Append(type->members()[i], offset + layout.offsets[i], entry);
      }
      return;
    }
    case IrType::Kind::kArray: {
      const uint64_t size = layout_.AllocSize(type->element());
      for (uint64_t i = 0; i < type->num_elements() && entry.problem.empty(); ++i) {
        const size_t before = entry.storage.size();
        Append(type->element(), offset + i * size, entry);
        if (entry.storage.size() == before) break;  // elements without values
      }
      return;
    }
    case IrType::Kind::kVector:
      return AppendVector(type, offset, entry);
    default:
      break;
  }
  const MVT scalar = ScalarMvt(layout_, *type);
  if (scalar == MVT::kUntyped) {
    entry.problem = StrCat("there are no values of type ", type->ToString());
    return;
  }
  entry.leaves.push_back({type, offset, static_cast<uint32_t>(entry.storage.size()), 1, false, false});
  entry.storage.push_back({scalar, SignificantBits(layout_, *type, scalar), offset, type});
}

}  // namespace ptxmir::sdag
