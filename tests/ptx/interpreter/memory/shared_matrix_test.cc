// SPDX-License-Identifier: Apache-2.0

// Addresses of bytes of matrices that descriptors specify.

#include "ptx/interpreter/memory/shared_matrix.h"

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

// Start 4096, leading offset 256, stride 1024, with a mode of tcgen05.
SharedMatrix Matrix(uint64_t mode) {
  const auto matrix =
      DecodeTcgen05Descriptor(uint64_t{4096 / 16} | uint64_t{256 / 16} << 16 | uint64_t{1024 / 16} << 32 | mode << 61);
  EXPECT_TRUE(matrix.has_value());
  return matrix.value_or(SharedMatrix());
}

TEST(SharedMatrixTest, Descriptors) {
  const SharedMatrix matrix = Matrix(2);
  EXPECT_EQ(matrix.start, 4096u);
  EXPECT_EQ(matrix.leading, 256u);
  EXPECT_EQ(matrix.stride, 1024u);
  EXPECT_EQ(matrix.swizzle, SharedSwizzle::k128);
  EXPECT_EQ(Matrix(0).swizzle, SharedSwizzle::kNone);
  EXPECT_EQ(Matrix(1).swizzle, SharedSwizzle::k128Atom32);
  EXPECT_EQ(Matrix(4).swizzle, SharedSwizzle::k64);
  EXPECT_EQ(Matrix(6).swizzle, SharedSwizzle::k32);
  EXPECT_FALSE(DecodeTcgen05Descriptor(uint64_t{3} << 61).has_value());
  EXPECT_FALSE(DecodeTcgen05Descriptor(uint64_t{1} << 52).has_value());
  EXPECT_EQ(DecodeWgmmaDescriptor(uint64_t{1} << 62)->swizzle, SharedSwizzle::k128);
  EXPECT_EQ(DecodeWgmmaDescriptor(uint64_t{3} << 62)->swizzle, SharedSwizzle::k32);
}

TEST(SharedMatrixTest, PlainAlongK) {
  const SharedMatrix matrix = Matrix(0);
  EXPECT_EQ(matrix.Address(true, 0, 5), 4096u + 5);
  EXPECT_EQ(matrix.Address(true, 3, 5), 4096u + 3 * 16 + 5);
  EXPECT_EQ(matrix.Address(true, 0, 16), 4096u + 256);
  EXPECT_EQ(matrix.Address(true, 11, 17), 4096u + 1024 + 3 * 16 + 256 + 1);
}

TEST(SharedMatrixTest, PlainAcrossK) {
  const SharedMatrix matrix = Matrix(0);
  EXPECT_EQ(matrix.Address(false, 3, 5), 4096u + 3 * 16 + 5);
  EXPECT_EQ(matrix.Address(false, 8, 0), 4096u + 256);
  EXPECT_EQ(matrix.Address(false, 0, 16), 4096u + 1024);
}

TEST(SharedMatrixTest, SwizzledPieces) {
  const SharedMatrix wide = Matrix(2);
  EXPECT_EQ(wide.Address(true, 0, 16), 4096u + 16);
  EXPECT_EQ(wide.Address(true, 1, 16), 4096u + 128);
  EXPECT_EQ(wide.Address(true, 7, 0), 4096u + 7 * 128 + 7 * 16);
  EXPECT_EQ(wide.Address(true, 8, 0), 4096u + 1024);
  EXPECT_EQ(wide.Address(false, 1, 0), 4096u + 128 + 16);
  EXPECT_EQ(wide.Address(false, 0, 128), (4096u + 256) ^ 2 * 16) << "the pattern goes by the address";
  EXPECT_EQ(wide.Address(false, 9, 0), 4096u + 1024 + 128 + 16);
  const SharedMatrix middle = Matrix(4);
  EXPECT_EQ(middle.Address(true, 1, 0), 4096u + 64);
  EXPECT_EQ(middle.Address(true, 2, 0), 4096u + 128 + 16);
  const SharedMatrix narrow = Matrix(6);
  EXPECT_EQ(narrow.Address(true, 4, 16), 4096u + 128);
  const SharedMatrix coarse = Matrix(1);
  EXPECT_EQ(coarse.Address(false, 1, 0), 4096u + 128 + 32);
  EXPECT_EQ(coarse.Address(false, 4, 0), 4096u + 1024);
  EXPECT_EQ(coarse.Address(true, 4, 0), 4096u + 512);
}

TEST(SharedMatrixTest, BaseOffset) {
  // The pattern begins at 4096 + 384.
  const auto matrix = DecodeTcgen05Descriptor(uint64_t{(4096 + 384) / 16} | uint64_t{3} << 49 | uint64_t{2} << 61);
  EXPECT_EQ(matrix->Address(true, 0, 0), 4096u + 384);
  EXPECT_EQ(matrix->Address(true, 1, 0), 4096u + 512 + 16);
}

}  // namespace
}  // namespace ptxmir::ptx
