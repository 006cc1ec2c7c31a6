// SPDX-License-Identifier: Apache-2.0

// The computation of tensor core instructions, D = A * B + C, and the mapping of elements to threads.
//
// Numbers. PTX leaves the order and the precision of sums open ("accumulation is performed with at least single
// precision", PTX ISA, "mma"), and GPUs differ. Here:
//
// - Products of formats up to 32 bits are exact. They are added to C one after another, k ascending, and each sum is
//   rounded to double. The last sum is rounded once to the type of D, to nearest even. NaNs are canonical. The low
//   13 bits of tf32 are ignored. Subnormal numbers are kept.
// - f64 is a chain of fused multiply-adds, k ascending, in the rounding mode of the instruction.
// - Integers are exact. The result wraps around, or is clamped with .satfinite.
// - An element of D is undefined if an element of its row of A, its column of B, or its own element of C is.
//
// The fragments of mma are the ones that the PTX ISA defines ("Matrix Fragments for mma.m16n8k16" and so on). They
// are all instances of one rule, with g = lane / 4, t = lane % 4 and e elements to a register. The functions below
// implement it. The fragments of wmma are unspecified in PTX. Here a wmma tile is composed of mma tiles by the
// same rule, as on GPUs since sm_80. If a fragment has more registers than its elements need, the first registers
// are repeated.

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_TENSOR_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_TENSOR_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"

namespace ptxmir::ptx {

enum class TensorType : uint8_t {
  kNone,
  kF16,
  kBF16,
  kTF32,
  kF32,
  kF64,
  kS32,
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
};
// Finds "f16" and so on. Returns nullopt for other names.
std::optional<TensorType> FindTensorType(std::string_view name);
// Returns the bits of a packed element: 6 for e3m2 and e2m3, 4 for e2m1, 32 for tf32.
unsigned TensorTypeBits(TensorType type);

struct TensorShape {
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
};

struct TensorElement {
  unsigned row = 0;
  unsigned column = 0;
  friend bool operator==(const TensorElement&, const TensorElement&) = default;
};

// ---- Fragments. `per_register` is the number of elements in a register.
unsigned RegistersOfA(const TensorShape& shape, unsigned per_register);
unsigned RegistersOfB(const TensorShape& shape, unsigned per_register);
unsigned ElementsOfC(const TensorShape& shape);
// Return the place of element `i` of register `reg` of a lane.
TensorElement ElementOfA(const TensorShape& shape, unsigned per_register, unsigned lane, unsigned reg, unsigned i);
TensorElement ElementOfB(const TensorShape& shape, unsigned per_register, unsigned lane, unsigned reg, unsigned i);
// Returns the place of element `i` of C or D of a lane. Two halves share a register.
TensorElement ElementOfC(const TensorShape& shape, unsigned lane, unsigned i);

// mma.m8n8k4 with f16 multiplies four pairs of matrices. Eight lanes hold each pair.
unsigned QuadPairOf(unsigned lane);
TensorElement QuadPairElementOfA(bool row_major, unsigned lane, unsigned i);
TensorElement QuadPairElementOfB(bool row_major, unsigned lane, unsigned i);
TensorElement QuadPairElementOfC(bool is_f32, unsigned lane, unsigned i);

// ---- Elements. The field of an element in a register. 6-bit and 4-bit floats may have a byte of their own, with 6
// bits at its low end or 4 bits in its middle.
struct TensorField {
  unsigned bits = 0;  // of the field
  unsigned shift = 0;
  uint32_t mask = 0;  // the bits that matter, in place
};
TensorField FieldOf(TensorType type, bool in_bytes);
// Returns the value of a field, for all types except f64 and b1.
double DecodeTensorElement(TensorType type, const TensorField& field, uint32_t bits);
// Rounds to f16 or f32, or wraps or clamps to s32.
uint32_t EncodeTensorResult(TensorType type, bool saturate, double value);

// ---- Sparse matrices. PTX ISA, "Sparse matrix storage". The unit of sparsity: a chunk of columns of which only
// some are stored.
struct SparseChunk {
  unsigned columns = 0;  // columns of the chunk in the whole matrix
  unsigned stored = 0;   // stored elements
  unsigned bits = 0;     // bits of metadata
};
SparseChunk SparseChunkOf(TensorType type, bool in_bytes);
// Sets `column[i]` to the column of stored element i in the chunk. Returns false for invalid metadata.
bool DecodeSparseChunk(const SparseChunk& chunk, uint32_t metadata, absl::Span<unsigned> column);

// ---- The product.
enum class TensorRounding : uint8_t { kNearest, kZero, kDown, kUp };

struct TensorProduct {
  static constexpr unsigned kMaxA = 16 * 128;
  static constexpr unsigned kMaxB = 128 * 8;
  static constexpr unsigned kMaxC = 256;
  static constexpr unsigned kMaxWords = 16 * 8;

  explicit TensorProduct(const TensorShape& s) : shape(s) {}

  // Everything is row by row. For b1, a_words and b_words replace a and b, with words along k.
  TensorShape shape;
  std::array<double, kMaxA> a;
  std::array<double, kMaxB> b;
  std::array<double, kMaxC> c;
  std::array<uint32_t, kMaxWords> a_words;
  std::array<uint32_t, kMaxWords> b_words;  // column by column
  uint32_t undefined_rows = 0;
  uint32_t undefined_columns = 0;
  std::array<bool, kMaxC> undefined_c{};

  // Add a * b to c.
  void Multiply();
  void MultiplyF64(TensorRounding rounding);
  void MultiplyBits(bool exclusive_or);
  bool IsUndefined(const TensorElement& element) const {
    return (undefined_rows >> element.row & 1) != 0 || (undefined_columns >> element.column & 1) != 0 ||
           undefined_c[element.row * shape.n + element.column];
  }
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_TENSOR_H_
