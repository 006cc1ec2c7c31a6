// SPDX-License-Identifier: Apache-2.0

// MachineMemOperand: the memory access of an instruction, as far as it is known, for alias analysis, the verifier
// and the interpreter. Immutable. It lives in its function's arena and may be shared between instructions.

#ifndef PTXMIR_MIR_CODE_MACHINE_MEM_OPERAND_H_
#define PTXMIR_MIR_CODE_MACHINE_MEM_OPERAND_H_

#include <cstdint>
#include <string_view>

#include "mir/code/machine_operand.h"

namespace ptxmir {

// LLVM's low-level type: s32, p1, <4 x s16>, <2 x p3>.
struct LowLevelType {
  enum class Kind : uint8_t { kInvalid, kScalar, kPointer };
  Kind kind = Kind::kInvalid;
  bool scalable = false;
  uint16_t elements = 0;  // 0: not a vector
  uint32_t bits = 0;      // width of the scalar or element; for pointers, the address space

  bool is_valid() const { return kind != Kind::kInvalid; }
  friend bool operator==(const LowLevelType&, const LowLevelType&) = default;
};

// The values are those of LLVM's AtomicOrdering.
enum class AtomicOrdering : uint8_t {
  kNotAtomic = 0,
  kUnordered = 1,
  kMonotonic = 2,
  kAcquire = 4,
  kRelease = 5,
  kAcquireRelease = 6,
  kSequentiallyConsistent = 7,
};

struct MachineMemOperand {
  enum Flag : uint16_t {
    kLoad = 1 << 0,
    kStore = 1 << 1,
    kVolatile = 1 << 2,
    kNonTemporal = 1 << 3,
    kDereferenceable = 1 << 4,
    kInvariant = 1 << 5,
    kTargetFlag1 = 1 << 6,
    kTargetFlag2 = 1 << 7,
    kTargetFlag3 = 1 << 8,
    kTargetFlag4 = 1 << 9,
  };

  // The form of the text after "from", "into" or "on".
  enum class ValueKind : uint8_t {
    kNone,            // no value; only the size is known
    kUnknownAddress,  // "unknown-address"
    kIrValue,         // %ir.name, %ir.3, %ir."quoted"; `text` is the spelling, including "%ir."
    kIrExpression,    // `...`; `text` is the part between the backquotes
    kGlobal,          // @name; `text` is the spelling
    kFrameIndex,      // %stack.N, %fixed-stack.N (negative)
    kStack,
    kGot,
    kJumpTable,
    kConstantPool,
    kCallEntryGlobal,  // call-entry @f
    kCallEntrySymbol,  // call-entry &f
    kCustom,           // custom "..."
  };

  static constexpr uint32_t kNoMetadata = ~uint32_t{0};

  uint16_t flags = 0;
  ValueKind value_kind = ValueKind::kNone;
  AtomicOrdering success_ordering = AtomicOrdering::kNotAtomic;
  AtomicOrdering failure_ordering = AtomicOrdering::kNotAtomic;
  uint8_t align_log2 = 0;       // alignment of the access
  uint8_t base_align_log2 = 0;  // alignment of the base; >= align_log2 if offset is 0
  bool has_known_size = false;  // false: "unknown-size"
  uint32_t address_space = 0;
  int frame_index = 0;
  LowLevelType type;           // invalid if nothing is known but, perhaps, the size
  int64_t offset = 0;          // offset from the value, in bytes
  std::string_view text;       // in the arena or in the module's source buffer
  std::string_view syncscope;  // empty: system scope
  MetadataId tbaa = kNoMetadata;
  MetadataId alias_scope = kNoMetadata;
  MetadataId noalias = kNoMetadata;
  MetadataId range = kNoMetadata;
  MetadataId noalias_addrspace = kNoMetadata;

  bool Has(uint16_t flag) const { return (flags & flag) != 0; }
  bool is_load() const { return Has(kLoad); }
  bool is_store() const { return Has(kStore); }
  bool is_volatile() const { return Has(kVolatile); }
  bool is_atomic() const { return success_ordering != AtomicOrdering::kNotAtomic; }
  // Returns the weakest order that has what both orders of a compare-and-swap have (getMergedAtomicOrdering of LLVM).
  // The order on failure may be the stronger one.
  AtomicOrdering MergedOrdering() const {
    using Order = AtomicOrdering;
    if (failure_ordering == Order::kSequentiallyConsistent) return failure_ordering;
    if (failure_ordering != Order::kAcquire) return success_ordering;
    if (success_ordering == Order::kMonotonic) return Order::kAcquire;
    return success_ordering == Order::kRelease ? Order::kAcquireRelease : success_ordering;
  }
  // Returns the size in bytes, or 0 if it is unknown.
  uint64_t SizeInBytes(unsigned pointer_bits = 64) const {
    if (!has_known_size) return 0;
    const uint64_t bits = type.kind == LowLevelType::Kind::kPointer ? pointer_bits : type.bits;
    return (bits * (type.elements == 0 ? 1 : type.elements) + 7) / 8;
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_MEM_OPERAND_H_
