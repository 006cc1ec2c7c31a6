// SPDX-License-Identifier: Apache-2.0

// The bytes that ldmatrix and stmatrix move, and their places.

#include "ptx/interpreter/values/matrix_layout.h"

#include <set>
#include <utility>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

TEST(MatrixLayoutTest, EveryByteHasOnePlace) {
  for (MatrixLayout layout : {MatrixLayout::kBytes, MatrixLayout::kTransposed16, MatrixLayout::kLoadTransposed,
                              MatrixLayout::kStoreTransposed}) {
    for (unsigned registers : {1u, 2u, 4u}) {
      if (layout == MatrixLayout::kLoadTransposed && registers == 1) continue;
      std::set<std::pair<unsigned, unsigned>> seen;
      for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned reg = 0; reg < registers; ++reg) {
          for (unsigned i = 0; i < 4; ++i) {
            const MatrixByte at = FindMatrixByte(layout, lane, reg, i);
            EXPECT_LT(at.row, MatrixRows(registers));
            EXPECT_LT(at.byte, 16u);
            seen.insert({at.row, at.byte});
          }
        }
      }
      EXPECT_EQ(seen.size(), 128u * registers);
    }
  }
}

TEST(MatrixLayoutTest, LandmarksOfTheIsa) {
  // Thread 5 has elements 2 and 3 of row 1 of matrix 2. Lanes 16 to 23 give the rows of this matrix.
  EXPECT_EQ(FindMatrixByte(MatrixLayout::kBytes, 5, 2, 0), (MatrixByte{17, 4}));
  EXPECT_EQ(FindMatrixByte(MatrixLayout::kBytes, 5, 2, 3), (MatrixByte{17, 7}));
  // With transposition it has element 1 of rows 2 and 3.
  EXPECT_EQ(FindMatrixByte(MatrixLayout::kTransposed16, 5, 2, 0), (MatrixByte{18, 2}));
  EXPECT_EQ(FindMatrixByte(MatrixLayout::kTransposed16, 5, 2, 2), (MatrixByte{19, 2}));
  // Bytes 0 and 1 of m16n8.trans are in one column of two rows of memory. Bytes 2 and 3 are eight bytes further.
  EXPECT_EQ(FindMatrixByte(MatrixLayout::kStoreTransposed, 5, 0, 1), (MatrixByte{3, 1}));
  EXPECT_EQ(FindMatrixByte(MatrixLayout::kStoreTransposed, 5, 0, 2), (MatrixByte{2, 9}));
}

TEST(MatrixLayoutTest, Unpacking) {
  MatrixRow row{};
  // Fields 0, 1, 2 ... 15 of six bits and of four bits.
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned bit = 0; bit < 6; ++bit) {
      const unsigned at = i * 6 + bit;
      if (((i + 40) >> bit & 1) != 0) row[at / 8] |= static_cast<uint8_t>(1u << at % 8);
    }
  }
  row[12] = 0xee;  // padding
  const MatrixRow six = UnpackRow(row, 6);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(six[i], i + 40) << i;
  const MatrixRow packed = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xaa};
  const MatrixRow four = UnpackRow(packed, 4);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(four[i], i) << i;
  EXPECT_EQ(UnpackRow(packed, 8), packed);
}

}  // namespace
}  // namespace ptxmir::ptx
