// SPDX-License-Identifier: Apache-2.0

// The layouts of ldmatrix, stmatrix and movmatrix: for each byte of each register, the row of memory and the byte in
// it.
//
// PTX ISA, "Warp-level matrix load instruction: ldmatrix", "stmatrix", "movmatrix". Rows have 16 bytes, and lane i
// gives the address of row i. The figures of the 16x16 and 16x8 byte matrices are hard to read in text. For these
// the layouts follow NVIDIA's CUTLASS (cute/atom/copy_traits_sm100.hpp, SM100_U8x8_LDSM_T and SM100_U8x4_STSM_T),
// which were tested on hardware.

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_MATRIX_LAYOUT_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_MATRIX_LAYOUT_H_

#include <array>
#include <cstdint>

namespace ptxmir::ptx {

enum class MatrixLayout : uint8_t {
  kBytes,            // m8n8 and m8n16: a register holds four bytes of a row
  kTransposed16,     // m8n8.trans.b16: a register holds two elements of a column
  kLoadTransposed,   // m16n16.trans of bytes: two registers for each matrix
  kStoreTransposed,  // m16n8.trans.b8
};

struct MatrixByte {
  unsigned row = 0;   // the lane that gives the address
  unsigned byte = 0;  // in the row, after unpacking to 16 bytes
  friend bool operator==(const MatrixByte&, const MatrixByte&) = default;
};
// Returns the place of byte `i` of register `reg` of a lane.
MatrixByte FindMatrixByte(MatrixLayout layout, unsigned lane, unsigned reg, unsigned i);
// Returns the number of rows of memory for a number of registers.
unsigned MatrixRows(unsigned registers);

// Unpacks a row. b6x16_p32 and b4x16_p64 rows have 16 fields of 6 or 4 bits, followed by padding. Each field becomes
// the low bits of a byte.
using MatrixRow = std::array<uint8_t, 16>;
MatrixRow UnpackRow(const MatrixRow& row, unsigned bits);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_MATRIX_LAYOUT_H_
