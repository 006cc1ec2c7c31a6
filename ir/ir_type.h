// SPDX-License-Identifier: Apache-2.0

// The types of the IR module that is embedded in a MIR file, and the table that makes them unique.
//
// Types are compared by address: within one module, equal types are the same object. A named structure is equal
// only to itself, as in LLVM.

#ifndef PTXMIR_IR_IR_TYPE_H_
#define PTXMIR_IR_IR_TYPE_H_

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace ptxmir {

class IrTypeTable;

class IrType {
 public:
  enum class Kind : uint8_t {
    kVoid,
    kLabel,
    kMetadata,
    kToken,
    kX86Amx,
    kHalf,
    kBFloat,
    kFloat,
    kDouble,
    kX86Fp80,
    kFp128,
    kPpcFp128,
    kInteger,
    kPointer,
    kArray,
    kVector,
    kStruct,
    kFunction,
    kTargetExt,
  };

  Kind kind() const { return kind_; }
  bool is_void() const { return kind_ == Kind::kVoid; }
  bool is_integer() const { return kind_ == Kind::kInteger; }
  bool is_integer(uint32_t width) const { return is_integer() && number_ == width; }
  bool is_pointer() const { return kind_ == Kind::kPointer; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_vector() const { return kind_ == Kind::kVector; }
  bool is_struct() const { return kind_ == Kind::kStruct; }
  bool is_function() const { return kind_ == Kind::kFunction; }
  bool is_floating_point() const { return kind_ >= Kind::kHalf && kind_ <= Kind::kPpcFp128; }
  bool is_aggregate() const { return is_array() || is_struct(); }
  // Returns true if the type may be that of an instruction's result or of an aggregate's element.
  bool is_first_class() const { return !is_void() && !is_function(); }
  // Returns true if the type may be that of a global variable or of an element in memory. Opaque structures are
  // not excluded.
  bool is_sized_kind() const;

  // For integers: returns the width in bits.
  uint32_t integer_width() const { return number_; }
  // For pointers.
  uint32_t address_space() const { return number_; }
  // For arrays and vectors: returns the number of elements (for scalable vectors, the minimum).
  uint64_t num_elements() const { return count_; }
  bool is_scalable() const { return flag_; }
  // For arrays and vectors.
  const IrType* element() const { return contained_[0]; }
  // For structures: returns the members. For target extension types: returns the type parameters.
  absl::Span<const IrType* const> members() const { return contained_; }
  bool is_packed() const { return flag_; }
  // Returns true for a named structure without a body.
  bool is_opaque() const { return is_struct() && !has_body_; }
  // For structures: returns the name without '%', unescaped; empty for literal structures. "3" together with
  // is_numbered() is %3, a structure with a number for a name. For target extension types: returns the name.
  std::string_view name() const { return name_; }
  bool is_named() const { return is_identified_; }
  bool is_numbered() const { return is_numbered_; }
  // For functions.
  const IrType* return_type() const { return contained_[0]; }
  absl::Span<const IrType* const> parameters() const { return contained_.subspan(1); }
  bool is_vararg() const { return flag_; }
  // For target extension types.
  absl::Span<const uint32_t> integer_parameters() const { return integers_; }

  // Returns the type in LLVM's syntax: "[4 x ptr addrspace(1)]", "%struct.P".
  std::string ToString() const;
  void AppendTo(std::string* out) const;
  // Returns the right-hand side of a named structure's definition: "type { i32, float }".
  std::string DefinitionToString() const;

 private:
  friend class IrTypeTable;
  explicit IrType(Kind kind) : kind_(kind) {}
  void AppendBody(std::string* out) const;

  Kind kind_;
  bool flag_ = false;           // packed, scalable or vararg
  bool has_body_ = true;        // only for structures
  bool is_identified_ = false;  // a structure with a name or number
  bool is_numbered_ = false;
  uint32_t number_ = 0;  // width or address space
  uint64_t count_ = 0;
  absl::Span<const IrType* const> contained_;
  absl::Span<const uint32_t> integers_;
  std::string_view name_;
};

// Creates types and owns them. They live as long as the table.
class IrTypeTable {
 public:
  // LLVM's largest integer width.
  static constexpr uint32_t kMaxIntegerWidth = 1u << 23;

  explicit IrTypeTable(std::pmr::memory_resource* arena);
  IrTypeTable(const IrTypeTable&) = delete;
  IrTypeTable& operator=(const IrTypeTable&) = delete;

  // Returns a type without parameters: kVoid .. kPpcFp128.
  const IrType* Simple(IrType::Kind kind) const { return simple_[static_cast<size_t>(kind)]; }
  const IrType* Void() const { return Simple(IrType::Kind::kVoid); }
  const IrType* Float() const { return Simple(IrType::Kind::kFloat); }
  const IrType* Double() const { return Simple(IrType::Kind::kDouble); }
  const IrType* Integer(uint32_t width) {
    return width < kCached && integers_[width] != nullptr ? integers_[width] : NewInteger(width);
  }
  const IrType* Pointer(uint32_t address_space = 0) {
    return address_space < kCached && pointers_[address_space] != nullptr ? pointers_[address_space]
                                                                          : NewPointer(address_space);
  }
  const IrType* Array(const IrType* element, uint64_t count);
  const IrType* Vector(const IrType* element, uint64_t count, bool scalable = false);
  const IrType* Struct(absl::Span<const IrType* const> members, bool packed = false);
  const IrType* Function(const IrType* result, absl::Span<const IrType* const> parameters, bool vararg);
  const IrType* TargetExt(std::string_view name, absl::Span<const IrType* const> types,
                          absl::Span<const uint32_t> integers);
  // Returns the structure with this name. Creates it, as an opaque structure, if there is none.
  IrType* NamedStruct(std::string_view name, bool numbered = false);
  // Returns null if there is none.
  const IrType* FindNamedStruct(std::string_view name, bool numbered = false) const;
  // Gives a named structure its body.
  void SetBody(IrType* named, absl::Span<const IrType* const> members, bool packed);
  // Gives a named structure another name, which must not be in use.
  void Rename(IrType* named, std::string_view name);
  // Returns the named structures in the order of their first mention.
  const std::vector<IrType*>& named_structs() const { return named_order_; }

 private:
  IrType* New(IrType::Kind kind);
  absl::Span<const IrType* const> Copy(absl::Span<const IrType* const> types);
  std::string_view Copy(std::string_view text);
  const IrType* Unique(const IrType& wanted);
  const IrType* NewInteger(uint32_t width);
  const IrType* NewPointer(uint32_t address_space);

  std::pmr::memory_resource* arena_;
  static constexpr uint32_t kCached = 129;
  const IrType* integers_[kCached] = {};  // common small types
  const IrType* pointers_[kCached] = {};
  const IrType* simple_[static_cast<size_t>(IrType::Kind::kPpcFp128) + 1];
  // The unique types, by a hash of their parts. The parts are themselves unique, so their addresses and numbers
  // can be hashed. The rare collision is resolved by comparing within the bucket.
  absl::flat_hash_map<uint64_t, std::vector<const IrType*>> unique_;
  absl::flat_hash_map<std::string_view, IrType*> named_;
  absl::flat_hash_map<std::string_view, IrType*> numbered_;
  std::vector<IrType*> named_order_;
};

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_TYPE_H_
