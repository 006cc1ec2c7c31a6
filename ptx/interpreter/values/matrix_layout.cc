// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/values/matrix_layout.h"

namespace ptxmir::ptx {

MatrixByte FindMatrixByte(MatrixLayout layout, unsigned lane, unsigned reg, unsigned i) {
  const unsigned group = lane / 4;
  const unsigned thread = lane % 4;
  switch (layout) {
    case MatrixLayout::kBytes:
      return {reg * 8 + group, thread * 4 + i};
    case MatrixLayout::kTransposed16:
      return {reg * 8 + thread * 2 + i / 2, group * 2 + i % 2};
    case MatrixLayout::kLoadTransposed:
      return {reg / 2 * 16 + thread * 4 + reg % 2 * 2 + i % 2, group + i / 2 * 8};
    case MatrixLayout::kStoreTransposed:
      return {reg * 8 + thread * 2 + i % 2, group + i / 2 * 8};
  }
  return {};
}

unsigned MatrixRows(unsigned registers) { return registers * 8; }

MatrixRow UnpackRow(const MatrixRow& row, unsigned bits) {
  if (bits == 8) return row;
  MatrixRow unpacked{};
  for (unsigned i = 0; i < unpacked.size(); ++i) {
    const unsigned bit = i * bits;
    unsigned field = row[bit / 8];
    if (bit / 8 + 1 < row.size()) field |= unsigned{row[bit / 8 + 1]} << 8;
    unpacked[i] = static_cast<uint8_t>(field >> bit % 8 & ((1u << bits) - 1));
  }
  return unpacked;
}

}  // namespace ptxmir::ptx
