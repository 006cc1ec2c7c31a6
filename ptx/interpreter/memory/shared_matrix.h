// SPDX-License-Identifier: Apache-2.0

// Matrices in shared memory that tensor cores read through 64-bit descriptors: wgmma, tcgen05.mma, tcgen05.cp.
//
// PTX ISA, "tcgen05 Shared Memory Descriptor", "Matrix Descriptor Format" (wgmma), "Canonical Layouts". A matrix is
// made of lines (rows of a matrix that is contiguous along k; steps along k of one that is not), a line of bytes.
// Eight lines (four under the 32-byte-atom swizzle) of up to 16, 32, 64 or 128 bytes, whatever the swizzle is named
// after, make an atom. Atoms lie at multiples of the leading and the stride offset:
//
//                     | next lines | next bytes
//     along k, plain  | stride     | leading
//     along k         | stride     | (a line is not longer than an atom)
//     along m/n plain | leading    | stride
//     along m/n       | stride     | leading
//
// Swizzling exchanges the 16-byte (32-byte) pieces of a line by an exclusive or with the number of the line, which
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
  uint32_t base_offset = 0;  // line number, modulo 8, of the address where the pattern begins
  SharedSwizzle swizzle = SharedSwizzle::kNone;

  // Address of a byte of a line. `along_k`: lines run along k.
  uint32_t Address(bool along_k, unsigned line, unsigned byte) const;
};

// nullopt for reserved modes, and for the absolute mode of the leading offset, which is for k of 48 bytes only.
std::optional<SharedMatrix> DecodeTcgen05Descriptor(uint64_t descriptor);
std::optional<SharedMatrix> DecodeWgmmaDescriptor(uint64_t descriptor);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_SHARED_MATRIX_H_
