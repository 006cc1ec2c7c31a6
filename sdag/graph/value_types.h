// SPDX-License-Identifier: Apache-2.0

// MVT: the machine value types of SelectionDAG nodes, in one byte. EVT: an MVT or an integer of any width.
//
// Results of nodes have an MVT. In LLVM they may also have extended types (EVT), because its DAG is built from IR,
// whose types can have any width. Here the code that builds a DAG picks a type from the table, and legalization
// starts from there. Other integer widths make sense only where a node names a type as a piece of information (a
// memory access of 3 bytes, AssertZext to i10). There an EVT is used.

#ifndef PTXMIR_SDAG_GRAPH_VALUE_TYPES_H_
#define PTXMIR_SDAG_GRAPH_VALUE_TYPES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptxmir::sdag {

enum class MVT : uint8_t {
#define SDAG_VALUE_TYPE(enumerator, name, bits, kind, scalar, elements) enumerator,
#include "sdag/graph/value_types.inc"
};

enum class TypeKind : uint8_t { kToken, kUntyped, kInteger, kFloat };

struct ValueTypeInfo {
  std::string_view name;
  uint16_t bits;  // in all elements together
  TypeKind kind;
  MVT scalar;
  uint8_t elements;  // 0: not a vector
};

inline constexpr ValueTypeInfo kValueTypeInfos[] = {
#define SDAG_VALUE_TYPE(enumerator, name, bits, kind, scalar, elements) \
  {name, bits, TypeKind::kind, MVT::scalar, elements},
#include "sdag/graph/value_types.inc"
};
inline constexpr int kNumValueTypes = static_cast<int>(sizeof(kValueTypeInfos) / sizeof(kValueTypeInfos[0]));

constexpr const ValueTypeInfo& Info(MVT type) { return kValueTypeInfos[static_cast<int>(type)]; }
constexpr std::string_view Name(MVT type) { return Info(type).name; }
constexpr unsigned SizeInBits(MVT type) { return Info(type).bits; }
constexpr unsigned SizeInBytes(MVT type) { return (SizeInBits(type) + 7) / 8; }
constexpr bool IsInteger(MVT type) { return Info(type).kind == TypeKind::kInteger; }
constexpr bool IsFloatingPoint(MVT type) { return Info(type).kind == TypeKind::kFloat; }
// Returns true if the type is a chain or glue, which is not a value.
constexpr bool IsToken(MVT type) { return Info(type).kind == TypeKind::kToken; }
constexpr bool IsVector(MVT type) { return Info(type).elements != 0; }
constexpr bool IsScalarInteger(MVT type) { return IsInteger(type) && !IsVector(type); }
// Returns the element type of a vector; for any other type, the type itself.
constexpr MVT ScalarType(MVT type) { return Info(type).scalar; }
constexpr unsigned ScalarSizeInBits(MVT type) { return SizeInBits(ScalarType(type)); }
// Returns the number of elements, or 0 if the type is not a vector.
constexpr unsigned NumElements(MVT type) { return Info(type).elements; }

constexpr std::optional<MVT> FindValueType(std::string_view name) {
  for (int i = 0; i < kNumValueTypes; ++i) {
    if (kValueTypeInfos[i].name == name) return static_cast<MVT>(i);
  }
  return std::nullopt;
}
// Returns the vector type with this many elements, or nullopt if there is none.
constexpr std::optional<MVT> VectorOf(MVT scalar, unsigned elements) {
  for (int i = 0; i < kNumValueTypes; ++i) {
    if (kValueTypeInfos[i].scalar == scalar && kValueTypeInfos[i].elements == elements) return static_cast<MVT>(i);
  }
  return std::nullopt;
}
// Returns the scalar integer of this many bits, or nullopt if there is none.
constexpr std::optional<MVT> IntegerOf(unsigned bits) {
  switch (bits) {
    case 1:
      return MVT::kI1;
    case 8:
      return MVT::kI8;
    case 16:
      return MVT::kI16;
    case 32:
      return MVT::kI32;
    case 64:
      return MVT::kI64;
    case 128:
      return MVT::kI128;
    default:
      return std::nullopt;
  }
}
// Returns the type whose elements are replaced by integers of the same size, or nullopt if there is none.
constexpr std::optional<MVT> ToInteger(MVT type) {
  const std::optional<MVT> scalar = IntegerOf(ScalarSizeInBits(type));
  if (!scalar.has_value() || !IsVector(type)) return scalar;
  return VectorOf(*scalar, NumElements(type));
}

// A type that a node names: an MVT, or an integer of a width that no MVT has.
class EVT {
 public:
  static constexpr unsigned kMaxIntegerBits = 4096;

  constexpr EVT() = default;
  constexpr EVT(MVT type) : raw_(static_cast<uint16_t>(type)) {}  // NOLINT: an MVT is an EVT
  // Returns the integer type of this width. Precondition: 1 <= bits <= kMaxIntegerBits.
  static constexpr EVT Integer(unsigned bits) {
    if (const std::optional<MVT> simple = IntegerOf(bits)) return *simple;
    EVT type;
    type.raw_ = static_cast<uint16_t>(kExtended + bits);
    return type;
  }
  static constexpr EVT FromRaw(uint16_t raw) {
    EVT type;
    type.raw_ = raw;
    return type;
  }

  constexpr bool is_simple() const { return raw_ < kExtended; }
  // Precondition: is_simple().
  constexpr MVT simple() const { return static_cast<MVT>(raw_); }
  constexpr unsigned SizeInBits() const { return is_simple() ? sdag::SizeInBits(simple()) : raw_ - kExtended; }
  constexpr bool IsInteger() const { return !is_simple() || sdag::IsInteger(simple()); }
  constexpr bool IsFloatingPoint() const { return is_simple() && sdag::IsFloatingPoint(simple()); }
  constexpr bool IsVector() const { return is_simple() && sdag::IsVector(simple()); }
  constexpr unsigned NumElements() const { return is_simple() ? sdag::NumElements(simple()) : 0; }
  constexpr uint16_t raw() const { return raw_; }
  std::string Name() const {
    return is_simple() ? std::string(sdag::Name(simple())) : "i" + std::to_string(SizeInBits());
  }

  friend constexpr bool operator==(EVT a, EVT b) = default;

 private:
  static constexpr unsigned kExtended = 256;
  uint16_t raw_ = 0;
};
static_assert(sizeof(MVT) == 1 && sizeof(EVT) == 2 && kNumValueTypes < 256);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_VALUE_TYPES_H_
