// SPDX-License-Identifier: Apache-2.0

// DataLayout: sizes and alignments of IR types, from the "target datalayout" string.

#ifndef PTXMIR_IR_IR_DATA_LAYOUT_H_
#define PTXMIR_IR_IR_DATA_LAYOUT_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/ir_type.h"

namespace ptxmir {

struct StructLayout {
  uint64_t size = 0;   // in bytes, including padding at the end
  uint64_t align = 1;  // in bytes
  std::vector<uint64_t> offsets;
};

class DataLayout {
 public:
  // llc's layout for nvptx64 if the module gives none; clang-22 writes it too.
  static constexpr std::string_view kNvptx64 = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";
  static constexpr std::string_view kNvptx32 =
      "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

  // Creates LLVM's default layout (an empty string).
  DataLayout();
  // Parses a layout string. Error messages are LLVM's.
  static absl::StatusOr<DataLayout> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_big_endian() const { return big_endian_; }
  uint32_t PointerBits(uint32_t address_space) const { return PointerOf(address_space).bits; }
  // Returns the width of the integers that getelementptr computes with.
  uint32_t IndexBits(uint32_t address_space) const { return PointerOf(address_space).index_bits; }
  uint32_t alloca_address_space() const { return alloca_address_space_; }
  uint32_t globals_address_space() const { return globals_address_space_; }
  uint32_t program_address_space() const { return program_address_space_; }
  // Returns the widths of the legal integers ("n16:32:64").
  const std::vector<uint32_t>& native_integers() const { return native_integers_; }

  // Unsized types (void, functions, opaque structures ...) have size 0 and alignment 1. Sizes that do not fit
  // saturate at kHugeSize.
  static constexpr uint64_t kHugeSize = uint64_t{1} << 60;
  uint64_t SizeInBits(const IrType* type) const;
  // Returns the number of bytes that a store writes: the size in bits, rounded up to bytes.
  uint64_t StoreSize(const IrType* type) const { return (SizeInBits(type) + 7) / 8; }
  // Returns the distance of consecutive elements in bytes: the store size, rounded up to the ABI alignment.
  uint64_t AllocSize(const IrType* type) const;
  uint64_t AbiAlign(const IrType* type) const { return Align(type, /*preferred=*/false); }
  uint64_t PreferredAlign(const IrType* type) const { return Align(type, /*preferred=*/true); }
  StructLayout LayoutOf(const IrType* struct_type) const;

  // Returns the alignment that llc's NVPTX printer gives a global variable: the stated one, or else the preferred
  // alignment of its type.
  uint64_t GlobalAlign(const IrType* value_type, uint64_t stated_align) const {
    return stated_align != 0 ? stated_align : PreferredAlign(value_type);
  }

 private:
  struct Primitive {
    uint32_t bits;
    uint64_t abi;        // in bytes
    uint64_t preferred;  // in bytes
  };
  struct Pointer {
    uint32_t address_space;
    uint32_t bits;
    uint64_t abi;
    uint64_t preferred;
    uint32_t index_bits;
  };

  struct Measure {
    uint64_t size;
    uint64_t align;
  };

  // A cache of the sizes of structures. Without it, structures that nest in each other twice at every level would
  // take exponential time. A copy starts empty, because it may serve another module.
  class MeasureCache {
   public:
    MeasureCache() = default;
    MeasureCache(const MeasureCache&) {}
    MeasureCache& operator=(const MeasureCache&) {
      const std::lock_guard<std::mutex> lock(mutex_);
      measures_.clear();
      return *this;
    }
    std::optional<Measure> Find(const IrType* type) {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = measures_.find(type);
      if (found == measures_.end()) return std::nullopt;
      return found->second;
    }
    void Insert(const IrType* type, Measure measure) {
      const std::lock_guard<std::mutex> lock(mutex_);
      measures_.emplace(type, measure);
    }

   private:
    std::mutex mutex_;
    absl::flat_hash_map<const IrType*, Measure> measures_;
  };

  absl::Status ParseSpecification(std::string_view specification);
  absl::Status ParsePrimitive(char kind, std::string_view specification);
  absl::Status ParseAggregate(std::string_view specification);
  absl::Status ParsePointer(std::string_view specification);
  static void Set(std::vector<Primitive>& table, Primitive primitive);

  Measure MeasureStruct(const IrType* type) const;
  const Pointer& PointerOf(uint32_t address_space) const;
  uint64_t Align(const IrType* type, bool preferred) const;
  uint64_t IntegerAlign(uint64_t bits, bool preferred) const;
  uint64_t FloatAlign(uint64_t bits, bool preferred) const;
  uint64_t VectorAlign(const IrType* type, bool preferred) const;

  std::string text_;
  bool big_endian_ = false;
  std::vector<Primitive> integers_;  // sorted by width, like the next two
  std::vector<Primitive> floats_;
  std::vector<Primitive> vectors_;
  std::vector<Pointer> pointers_;  // [0] is address space 0
  uint64_t struct_abi_ = 1;
  uint64_t struct_preferred_ = 8;
  uint32_t alloca_address_space_ = 0;
  uint32_t globals_address_space_ = 0;
  uint32_t program_address_space_ = 0;
  std::vector<uint32_t> native_integers_;
  mutable MeasureCache measures_;
};

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_DATA_LAYOUT_H_
