// SPDX-License-Identifier: Apache-2.0

// Divides the types of LLVM IR into parts, each of which is one value of a DAG. LLVM calls this ComputeValueVTs.
//
//   a structure or array     the parts of its members
//   a vector                 itself, if a DAG has the type; otherwise its elements ("scattered")
//   an integer               the smallest type of a DAG that holds it
//   a pointer                an integer
//
// An integer of a width that no MVT has (i24, i4) is kept in a wider one. The other bits of it are undefined:
// operations that could see them clear them first. LLVM promotes such integers when it legalizes; here the DAG has
// only types that exist.

#ifndef PTXMIR_SDAG_FROM_IR_VALUE_PARTS_H_
#define PTXMIR_SDAG_FROM_IR_VALUE_PARTS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/ir_data_layout.h"
#include "ir/ir_type.h"
#include "sdag/graph/value_types.h"

namespace ptxmir::sdag {

struct ValuePart {
  MVT type;
  uint16_t bits;         // the bits of an integer, or of each element, that count
  uint64_t offset;       // from the start of the value in memory, in bytes
  const IrType* source;  // the type of IR that the part is the value of

  bool is_exact() const { return bits == ScalarSizeInBits(type); }
  friend bool operator==(const ValuePart& a, const ValuePart& b) { return a.type == b.type && a.bits == b.bits; }
};

// A scalar or a vector within a type.
struct ValueLeaf {
  const IrType* type;
  uint64_t offset;  // in bytes
  uint32_t first_part;
  uint32_t num_parts;
  bool is_scattered;   // a vector that is kept as its elements
  bool is_bit_packed;  // a scattered vector whose elements have no places of whole bytes in memory
};

class PartTable {
 public:
  // Values with more parts are refused.
  static constexpr size_t kMaxParts = 4096;

  explicit PartTable(const DataLayout& layout) : layout_(layout) {}
  PartTable(const PartTable&) = delete;
  PartTable& operator=(const PartTable&) = delete;

  // The parts of a type. They live as long as the table. A type without values (void, {}, [0 x i32]) has none.
  struct Parts {
    absl::Span<const ValuePart> parts;
    absl::Span<const ValueLeaf> leaves;
    std::string_view problem;  // the reason why there can be no value of the type; empty if there can be one

    // For vectors: returns true if the value is kept as its elements.
    bool is_scattered() const { return leaves.size() == 1 && leaves[0].is_scattered; }
  };
  const Parts& Of(const IrType* type) {
    const Recent& recent = recent_[IndexOf(type)];
    return recent.type == type ? *recent.parts : Find(type);
  }

 private:
  struct Entry {
    Parts parts;
    std::vector<ValuePart> storage;
    std::vector<ValueLeaf> leaves;
    std::string problem;
  };
  // The entry of a type that was asked for recently. A function has few types.
  struct Recent {
    const IrType* type = nullptr;
    const Parts* parts = nullptr;
  };
  static constexpr size_t kNumRecent = 32;
  static size_t IndexOf(const IrType* type) { return reinterpret_cast<uintptr_t>(type) / alignof(IrType) % kNumRecent; }

  const Parts& Find(const IrType* type);
  void Append(const IrType* type, uint64_t offset, Entry& entry);
  void AppendVector(const IrType* type, uint64_t offset, Entry& entry);

  const DataLayout& layout_;
  absl::flat_hash_map<const IrType*, std::unique_ptr<Entry>> entries_;
  std::array<Recent, kNumRecent> recent_{};
};

// Returns the type of a scalar: an integer of at most 128 bits, a pointer or a floating-point number. kUntyped for any
// other type.
MVT ScalarMvt(const DataLayout& layout, const IrType& type);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_VALUE_PARTS_H_
