// SPDX-License-Identifier: Apache-2.0

// The types of values in kernels, and the parameters of operations: comparisons, orders and scopes of atomics,
// special registers. This header needs only the standard library.

#ifndef PTXMIR_KERNEL_TYPES_H_
#define PTXMIR_KERNEL_TYPES_H_

#include <cstdint>
#include <string>

namespace ptxmir::builder {

// The address spaces, with LLVM's numbers for NVPTX.
enum class AddressSpace : uint8_t {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3,
  kConstant = 4,
  kLocal = 5,
  kParam = 101,  // a kernel's parameters that are passed by value
};

// A signless integer, a floating-point number, a pointer, or a short vector of integers or floating-point numbers.
// `Type()` is void.
class Type {
 public:
  enum class Kind : uint8_t { kVoid, kInteger, kFloat, kBFloat, kPointer };

  constexpr Type() = default;
  static constexpr Type Integer(uint8_t bits) { return Type(Kind::kInteger, bits); }
  static constexpr Type Float(uint8_t bits) { return Type(Kind::kFloat, bits); }
  static constexpr Type BFloat() { return Type(Kind::kBFloat, 16); }
  static constexpr Type Pointer(AddressSpace space) {
    Type type(Kind::kPointer, 64);
    type.space_ = space;
    return type;
  }
  // Returns the vector of 2 to 16 elements of this scalar type.
  constexpr Type Vector(uint8_t lanes) const {
    Type type = *this;
    type.lanes_ = lanes;
    return type;
  }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_void() const { return kind_ == Kind::kVoid; }
  constexpr bool is_integer() const { return kind_ == Kind::kInteger; }
  constexpr bool is_floating_point() const { return kind_ == Kind::kFloat || kind_ == Kind::kBFloat; }
  constexpr bool is_pointer() const { return kind_ == Kind::kPointer; }
  constexpr bool is_vector() const { return lanes_ != 0; }
  constexpr unsigned lanes() const { return lanes_ == 0 ? 1 : lanes_; }
  constexpr Type element() const {
    Type type = *this;
    type.lanes_ = 0;
    return type;
  }
  // Return the size of an element and the size of the whole value, in bits.
  constexpr unsigned element_bits() const { return bits_; }
  constexpr unsigned bits() const { return bits_ * lanes(); }
  // Returns the size in memory: i1 takes one byte, and a vector of three is as large as a vector of four.
  constexpr unsigned size_in_bytes() const {
    unsigned bytes = (bits() + 7) / 8, size = 1;
    if (kind_ == Kind::kVoid) return 0;
    while (size < bytes) size *= 2;
    return size;
  }
  constexpr AddressSpace address_space() const { return space_; }
  // Returns the type as text: "i32", "<4 x f32>", "ptr addrspace(1)".
  std::string ToString() const;

  friend constexpr bool operator==(const Type&, const Type&) = default;

 private:
  constexpr Type(Kind kind, uint8_t bits) : kind_(kind), bits_(bits) {}

  Kind kind_ = Kind::kVoid;
  uint8_t bits_ = 0;
  uint8_t lanes_ = 0;  // 0 for a scalar
  AddressSpace space_ = AddressSpace::kGeneric;
};

inline constexpr Type kVoid;
inline constexpr Type kI1 = Type::Integer(1);
inline constexpr Type kI8 = Type::Integer(8);
inline constexpr Type kI16 = Type::Integer(16);
inline constexpr Type kI32 = Type::Integer(32);
inline constexpr Type kI64 = Type::Integer(64);
inline constexpr Type kI128 = Type::Integer(128);
inline constexpr Type kF16 = Type::Float(16);
inline constexpr Type kBF16 = Type::BFloat();
inline constexpr Type kF32 = Type::Float(32);
inline constexpr Type kF64 = Type::Float(64);
inline constexpr Type kF16x2 = kF16.Vector(2);
inline constexpr Type kBF16x2 = kBF16.Vector(2);
inline constexpr Type kF32x2 = kF32.Vector(2);
inline constexpr Type kF32x4 = kF32.Vector(4);
inline constexpr Type kI32x2 = kI32.Vector(2);
inline constexpr Type kI32x4 = kI32.Vector(4);
inline constexpr Type kPointer = Type::Pointer(AddressSpace::kGeneric);
inline constexpr Type kGlobalPointer = Type::Pointer(AddressSpace::kGlobal);
inline constexpr Type kSharedPointer = Type::Pointer(AddressSpace::kShared);
inline constexpr Type kConstantPointer = Type::Pointer(AddressSpace::kConstant);
inline constexpr Type kLocalPointer = Type::Pointer(AddressSpace::kLocal);

// LLVM's comparisons. The first ten compare integers and pointers, signed (S) or unsigned (U). The others compare
// floating-point numbers. If an operand is a NaN, ordered ones (O) are false and unordered ones (U) are true.
enum class Predicate : uint8_t {
  kEq,
  kNe,
  kSlt,
  kSle,
  kSgt,
  kSge,
  kUlt,
  kUle,
  kUgt,
  kUge,
  kOeq,
  kOne,
  kOlt,
  kOle,
  kOgt,
  kOge,
  kOrd,
  kUno,
  kUeq,
  kUne,
  kFUlt,
  kFUle,
  kFUgt,
  kFUge,
};

// The promises about an integer operation (LLVM's nuw and nsw). Flags that can be combined.
enum Wrap : uint8_t { kMayWrap = 0, kNoUnsignedWrap = 1, kNoSignedWrap = 2 };

// The assumptions about floating-point operations: LLVM's fast-math flags. None by default.
struct FastMath {
  bool contract = false;  // fmul and fadd may be fused into fma
  bool no_nans = false;
  bool no_infinities = false;
  bool no_signed_zeros = false;
  bool reciprocal = false;
  bool approximate = false;  // functions and division may be approximate
  bool reassociate = false;

  static constexpr FastMath All() { return {true, true, true, true, true, true, true}; }
};

// The memory orders, with the numbers of LLVM's AtomicOrdering.
enum class Order : uint8_t { kRelaxed = 2, kAcquire = 4, kRelease = 5, kAcquireRelease = 6, kSequential = 7 };
enum class Scope : uint8_t { kBlock, kCluster, kDevice, kSystem };
enum class AtomicOp : uint8_t {
  kExchange,
  kAdd,
  kSub,
  kAnd,
  kOr,
  kXor,
  kMin,
  kMax,
  kUMin,
  kUMax,
  kInc,
  kDec,
  kFAdd,
};

enum class SpecialRegister : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNTidX,
  kNTidY,
  kNTidZ,
  kCtaIdX,
  kCtaIdY,
  kCtaIdZ,
  kNCtaIdX,
  kNCtaIdY,
  kNCtaIdZ,
  kLaneId,
  kWarpId,
  kNWarpId,
  kWarpSize,
  kSmId,
  kNSmId,
  kGridId,
  kLaneMaskEq,
  kLaneMaskLe,
  kLaneMaskLt,
  kLaneMaskGe,
  kLaneMaskGt,
  kClock,
  kClock64,
  kGlobalTimer,
  kDynamicSharedSize,
  kClusterIdX,
  kClusterIdY,
  kClusterIdZ,
  kClusterCtaRank,
  kClusterNCtaRank,
};

// The element types of matrices, named as in PTX.
enum class MatrixElement : uint8_t {
  kF16,
  kBF16,
  kTF32,
  kF32,
  kF64,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kE4M3,
  kE5M2,
  kE3M2,
  kE2M3,
  kE2M1,
  kS32,
};

// A form of mma: a is m x k, b is k x n; c and the result are m x n.
struct MmaForm {
  unsigned m, n, k;
  MatrixElement a, b;
  MatrixElement result;  // also the type of c
  // For integers: whether results that are too large become the largest value.
  bool saturates = false;
  // For kB1: whether bits are combined with "and" instead of "xor" before they are counted.
  bool combines_with_and = false;
  // For m8n8k4 of f16, the only form with a choice of layout.
  bool a_is_by_columns = false;
  bool b_is_by_rows = false;
};

enum class ShuffleKind : uint8_t { kUp, kDown, kButterfly, kIndex };
enum class VoteKind : uint8_t { kAll, kAny, kUniform };
enum class ReduceOp : uint8_t { kAdd, kMin, kMax, kUMin, kUMax, kAnd, kOr, kXor };

}  // namespace ptxmir::builder

#endif  // PTXMIR_KERNEL_TYPES_H_
