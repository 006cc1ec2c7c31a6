// SPDX-License-Identifier: Apache-2.0

// Types of the IR module that is embedded in a MIR file, and the table that uniques them.
//
// Types are compared by address: within one module equal types are one object. A named structure is equal
// to itself alone, as in LLVM.

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
  // May be the type of an instruction's result or of an aggregate's element.
  bool is_first_class() const { return !is_void() && !is_function(); }
  // May be the type of a global variable or of an element in memory, apart from opaque structures.
  bool is_sized_kind() const;

  // Of integers: the width in bits.
  uint32_t integer_width() const { return number_; }
  // Of pointers.
  uint32_t address_space() const { return number_; }
  // Of arrays and vectors: the number of elements (the minimum one for scalable vectors).
  uint64_t num_elements() const { return count_; }
  bool is_scalable() const { return flag_; }
  // Of arrays and vectors.
  const IrType* element() const { return contained_[0]; }
  // Of structures: the members. Of target extension types: the type parameters.
  absl::Span<const IrType* const> members() const { return contained_; }
  bool is_packed() const { return flag_; }
  // A named structure without a body.
  bool is_opaque() const { return is_struct() && !has_body_; }
  // Of structures: without '%' and unescaped; empty for literal ones. "3" with is_numbered() is %3, a
  // structure that has a number for its name. Of target extension types: the name.
  std::string_view name() const { return name_; }
  bool is_named() const { return is_identified_; }
  bool is_numbered() const { return is_numbered_; }
  // Of functions.
  const IrType* return_type() const { return contained_[0]; }
  absl::Span<const IrType* const> parameters() const { return contained_.subspan(1); }
  bool is_vararg() const { return flag_; }
  // Of target extension types.
  absl::Span<const uint32_t> integer_parameters() const { return integers_; }

  // In LLVM's syntax: "[4 x ptr addrspace(1)]", "%struct.P".
  std::string ToString() const;
  void AppendTo(std::string* out) const;
  // The right-hand side of a named structure's definition: "type { i32, float }".
  std::string DefinitionToString() const;

 private:
  friend class IrTypeTable;
  explicit IrType(Kind kind) : kind_(kind) {}
  void AppendBody(std::string* out) const;

  Kind kind_;
  bool flag_ = false;           // packed, scalable or vararg
  bool has_body_ = true;        // of structures
  bool is_identified_ = false;  // a structure with a name or number
  bool is_numbered_ = false;
  uint32_t number_ = 0;  // width or address space
  uint64_t count_ = 0;
  absl::Span<const IrType* const> contained_;
  absl::Span<const uint32_t> integers_;
  std::string_view name_;
};

// Makes types and keeps them. Objects live as long as the table.
class IrTypeTable {
 public:
  // LLVM's largest integer width.
  static constexpr uint32_t kMaxIntegerWidth = 1u << 23;

  explicit IrTypeTable(std::pmr::memory_resource* arena);
  IrTypeTable(const IrTypeTable&) = delete;
  IrTypeTable& operator=(const IrTypeTable&) = delete;

  // A type without parameters: kVoid .. kPpcFp128.
  const IrType* Simple(IrType::Kind kind) const { return simple_[static_cast<size_t>(kind)]; }
  const IrType* Void() const { return Simple(IrType::Kind::kVoid); }
  const IrType* Float() const { return Simple(IrType::Kind::kFloat); }
  const IrType* Double() const { return Simple(IrType::Kind::kDouble); }
  const IrType* Integer(uint32_t width);
  const IrType* Pointer(uint32_t address_space = 0);
  const IrType* Array(const IrType* element, uint64_t count);
  const IrType* Vector(const IrType* element, uint64_t count, bool scalable = false);
  const IrType* Struct(absl::Span<const IrType* const> members, bool packed = false);
  const IrType* Function(const IrType* result, absl::Span<const IrType* const> parameters, bool vararg);
  const IrType* TargetExt(std::string_view name, absl::Span<const IrType* const> types,
                          absl::Span<const uint32_t> integers);
  // The structure of that name, which is made, opaque, when there is none yet.
  IrType* NamedStruct(std::string_view name, bool numbered = false);
  // Null when there is none.
  const IrType* FindNamedStruct(std::string_view name, bool numbered = false) const;
  // Gives a named structure its body.
  void SetBody(IrType* named, absl::Span<const IrType* const> members, bool packed);
  // Named structures in the order in which they were first mentioned.
  const std::vector<IrType*>& named_structs() const { return named_order_; }

 private:
  IrType* New(IrType::Kind kind);
  absl::Span<const IrType* const> Copy(absl::Span<const IrType* const> types);
  std::string_view Copy(std::string_view text);
  const IrType* Unique(const IrType& wanted);

  std::pmr::memory_resource* arena_;
  static constexpr uint32_t kCached = 129;
  const IrType* integers_[kCached] = {};  // the small ones, which are asked for all the time
  const IrType* pointers_[kCached] = {};
  const IrType* simple_[static_cast<size_t>(IrType::Kind::kPpcFp128) + 1];
  // Uniqued types by a hash of their parts (all parts are themselves unique, so addresses and numbers
  // serve); the rare clash is resolved by comparing within the bucket.
  absl::flat_hash_map<uint64_t, std::vector<const IrType*>> unique_;
  absl::flat_hash_map<std::string_view, IrType*> named_;
  absl::flat_hash_map<std::string_view, IrType*> numbered_;
  std::vector<IrType*> named_order_;
};

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_TYPE_H_
