// SPDX-License-Identifier: Apache-2.0

// Matrices in shared memory that tensor cores read through 64-bit descriptors: wgmma, tcgen05.mma, tcgen05.cp.
//
// PTX ISA, "tcgen05 Shared Memory Descriptor", "Matrix Descriptor Format" (wgmma), "Canonical Layouts". A matrix
// consists of lines, and a line of bytes. The lines are the rows of a matrix that is contiguous along k, and the
// steps along k of one that is not. An atom is eight lines (four with the 32-byte-atom swizzle) of up to 16, 32, 64
// or 128 bytes, the number in the swizzle's name. Atoms are at multiples of the leading and the stride offset:
//
//                     | next lines | next bytes
//     along k, plain  | stride     | leading
//     along k         | stride     | (a line is not longer than an atom)
//     along m/n plain | leading    | stride
//     along m/n       | stride     | leading
//
// Swizzling permutes the 16-byte (32-byte) pieces of a line: their index is xored with the number of the line, which
// is taken from the address.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_SHARED_MATRIX_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_SHARED_MATRIX_H_

#include <cstdint>
#include <optional>

namespace ptxmir::ptx {

enum class SharedSwizzle : uint8_t { kNone, k32, k64, k128, k128Atom32 };

struct SharedMatrix {
  uint32_t start = 0;    // byte address in shared memory
  uint32_t leading = 0;  // bytes
  uint32_t stride = 0;
  uint32_t base_offset = 0;  // number, modulo 8, of the line whose address the pattern begins at
  SharedSwizzle swizzle = SharedSwizzle::kNone;

  // Returns the address of a byte of a line. `along_k`: whether lines run along k.
  uint32_t Address(bool along_k, unsigned line, unsigned byte) const;
};

// Decode a descriptor. They return nullopt for reserved modes, and for the absolute mode of the leading offset,
// which is only for k of 48 bytes.
std::optional<SharedMatrix> DecodeTcgen05Descriptor(uint64_t descriptor);
std::optional<SharedMatrix> DecodeWgmmaDescriptor(uint64_t descriptor);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_SHARED_MATRIX_H_
