// SPDX-License-Identifier: Apache-2.0

// Compares tensor_layout with loops over all indices of a tensor.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// The kernels' parameters.
struct FastDivisor {
  uint32_t divisor = 0, multiplier = 0, shift = 0;
};

template <int kOperands>
struct OffsetCalculator {
  int32_t dims = 0;
  FastDivisor sizes[5] = {};
  uint32_t strides[5][kOperands] = {};
};

template <int kDims>
struct TensorAccessor {
  uint64_t data = 0;
  int64_t sizes[kDims] = {};
  int64_t strides[kDims] = {};
};

struct ConvolutionShape {
  int32_t channels, depth, height, width;
  int32_t kernel_d, kernel_h, kernel_w;
  int32_t pad_d, pad_h, pad_w;
  int32_t stride_d, stride_h, stride_w;
  int32_t dilation_d, dilation_h, dilation_w;
  int32_t out_d, out_h, out_w;
};

using Sizes = std::vector<uint32_t>;

FastDivisor MakeDivisor(uint32_t divisor) {
  uint32_t shift = 0;
  while (uint64_t{1} << shift < divisor) ++shift;
  const uint64_t multiplier = (((uint64_t{1} << shift) - divisor) << 32) / divisor + 1;
  return {divisor, static_cast<uint32_t>(multiplier), shift};
}

template <int kOperands>
OffsetCalculator<kOperands> MakeCalculator(const Sizes& sizes, const std::vector<Sizes>& strides) {
  OffsetCalculator<kOperands> calculator;
  calculator.dims = static_cast<int32_t>(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    calculator.sizes[d] = MakeDivisor(sizes[d]);
    for (size_t k = 0; k < kOperands; ++k) calculator.strides[d][k] = strides[k][d];
  }
  return calculator;
}

uint32_t Product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), uint32_t{1}, std::multiplies<>());
}

uint32_t Dot(const Sizes& index, const Sizes& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), uint32_t{0});
}

// Calls `f` with each index; the first dimension is the fastest.
template <typename F>
void ForEachIndex(const Sizes& sizes, const F& f) {
  Sizes index(sizes.size());
  for (uint32_t count = Product(sizes); count > 0; --count) {
    f(index);
    for (size_t d = 0; d < sizes.size() && ++index[d] == sizes[d]; ++d) index[d] = 0;
  }
}

class TensorLayoutTest : public CorpusKernels {
 protected:
  TensorLayoutTest() : CorpusKernels("tensor_layout") {}

  static std::vector<float> WholeNumbers(size_t count, uint64_t seed) {
    std::vector<float> values;
    for (const int v : Random<int>(count, seed, -40, 40)) values.push_back(static_cast<float>(v));
    return values;
  }
};

TEST_F(TensorLayoutTest, CopyStrided) {
  struct Case {
    Sizes sizes, out_strides, in_strides;
  };
  for (const Case& c : {Case{{3, 4, 2, 5, 3}, {1, 3, 12, 24, 120}, {40, 1, 200, 7, 403}},
                        Case{{17, 9}, {9, 1}, {2, 40}}, Case{{7}, {3}, {0}}}) {
    const uint32_t count = Product(c.sizes);
    const std::vector<double> in = Random<double>(1300, 1, -1, 1);
    std::vector<double> expected(1300);
    ForEachIndex(c.sizes,
                 [&](const Sizes& index) { expected[Dot(index, c.out_strides)] = in[Dot(index, c.in_strides)]; });
    const auto out = Zeros<double>(1300);
    Launch("CopyStridedIdLi4EE", {(count + 127) / 128}, {32}, 0, out, Buffer(in), count,
           MakeCalculator<2>(c.sizes, {c.out_strides, c.in_strides}));
    ExpectEqual(out, expected, StrCat("dimensions: ", c.sizes.size()));
  }
}

TEST_F(TensorLayoutTest, MultiplyAddBroadcast) {
  const Sizes sizes = {7, 3, 11};
  const std::vector<Sizes> strides = {{1, 7, 21}, {33, 11, 1}, {0, 2, 6}, {1, 0, 0}};
  const std::vector<float> a = WholeNumbers(231, 2), b = WholeNumbers(70, 3), c = WholeNumbers(7, 4);
  std::vector<float> expected(231);
  ForEachIndex(sizes, [&](const Sizes& i) {
    expected[Dot(i, strides[0])] = a[Dot(i, strides[1])] + 0.5f * b[Dot(i, strides[2])] * c[Dot(i, strides[3])];
  });
  const auto out = Output<float>(231);
  Launch("MultiplyAddBroadcast", {2}, {32}, 0, out, Buffer(a), Buffer(b), Buffer(c), 0.5f, uint32_t{231},
         MakeCalculator<4>(sizes, strides));
  ExpectEqual(out, expected);
}

TEST_F(TensorLayoutTest, GatherAlong) {
  for (int32_t dim = 0; dim < 4; ++dim) {
    const int64_t in_sizes[4] = {3, 6, 5, 4};
    const Sizes in_strides = {150, 25, 1, 5};
    int64_t sizes[4] = {2, 5, 5, 3};  // of the indices and the result
    sizes[dim] = 7;
    const Sizes loop = {static_cast<uint32_t>(sizes[0]), static_cast<uint32_t>(sizes[1]),
                        static_cast<uint32_t>(sizes[2]), static_cast<uint32_t>(sizes[3])};
    const uint32_t count = Product(loop);
    const Sizes index_strides = {loop[1] * loop[2] * loop[3], loop[2] * loop[3], loop[3], 1};
    const Sizes out_strides = {1, loop[0], loop[0] * loop[1], loop[0] * loop[1] * loop[2]};
    const std::vector<float> in = Random<float>(500, 5, -1, 1);
    std::vector<int64_t> indices = Random<int64_t>(count, 6 + dim, -in_sizes[dim], in_sizes[dim] - 1);
    indices[9] = in_sizes[dim];  // not a valid index
    indices[8] = -in_sizes[dim];
    std::vector<float> expected(count);
    ForEachIndex(loop, [&](Sizes i) {
      int64_t index = indices[Dot(i, index_strides)];
      const uint32_t to = Dot(i, out_strides);
      if (index == in_sizes[dim]) return;
      i[dim] = static_cast<uint32_t>(index < 0 ? index + in_sizes[dim] : index);
      expected[to] = in[Dot(i, in_strides)];
    });
    const auto out = Zeros<float>(count);
    const auto error = Zeros<int32_t>(1);
    TensorAccessor<4> to, from, by;
    to.data = out.address;
    from.data = Buffer(in).address;
    by.data = Buffer(indices).address;
    for (int d = 0; d < 4; ++d) {
      to.sizes[d] = by.sizes[d] = sizes[d];
      from.sizes[d] = in_sizes[d];
      to.strides[d] = out_strides[d];
      from.strides[d] = in_strides[d];
      by.strides[d] = index_strides[d];
    }
    Launch("GatherAlongIfLi4EE", {2}, {64}, 0, to, from, by, dim, static_cast<int64_t>(count), error);
    ExpectEqual(out, expected, StrCat("dimension ", dim));
    ExpectEqual(error, {1});
  }
}

TEST_F(TensorLayoutTest, ReduceMoments) {
  // Dimensions 1 and 3 are reduced.
  const Sizes kept = {3, 2}, kept_strides = {1, 39}, reduced = {13, 23}, reduced_strides = {3, 78};
  const Sizes out_strides = {2, 1};
  const std::vector<float> in = Random<float>(78 * 23, 7, -2, 5);
  std::vector<float> means(6), variances(6);
  ForEachIndex(kept, [&](const Sizes& i) {
    std::vector<double> values;
    ForEachIndex(reduced,
                 [&](const Sizes& k) { values.push_back(in[Dot(i, kept_strides) + Dot(k, reduced_strides)]); });
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / values.size();
    double squares = 0;
    for (const double v : values) squares += (v - mean) * (v - mean);
    means[Dot(i, out_strides)] = static_cast<float>(mean);
    variances[Dot(i, out_strides)] = static_cast<float>(squares / (values.size() - 1));
  });
  const auto mean_buffer = Output<float>(6);
  const auto variance_buffer = Output<float>(6);
  Launch("ReduceMoments", {6}, {64}, 0, Buffer(in), uint32_t{13 * 23},
         MakeCalculator<2>(kept, {out_strides, kept_strides}), MakeCalculator<1>(reduced, {reduced_strides}), 1.0f,
         mean_buffer, variance_buffer);
  ExpectNear(mean_buffer, means, 1e-5, 1e-6, "means");
  ExpectNear(variance_buffer, variances, 1e-5, 0, "variances");
}

TEST_F(TensorLayoutTest, ArgMaxStrided) {
  constexpr int32_t kSize = 75;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Sizes sizes = {3, 3}, in_strides = {1, 3}, out_strides = {3, 1};
  RandomNumbers random(8);
  std::vector<double> in;
  for (int i = 0; i < 9 * kSize; ++i) in.push_back(random.Between(0, 20));
  in[9 * 50 + 4] = in[9 * 30 + 4] = in[9 * 63 + 4] = kNan;
  for (int i = 0; i < kSize; ++i) in[9 * i + 7] = -std::numeric_limits<double>::infinity();
  std::vector<int64_t> indices(9);
  std::vector<double> values(9);
  ForEachIndex(sizes, [&](const Sizes& index) {
    int64_t where = 0;
    const auto at = [&](int64_t i) { return in[Dot(index, in_strides) + static_cast<size_t>(9 * i)]; };
    for (int64_t i = 0; i < kSize && !std::isnan(at(where)); ++i) {
      if (!(at(i) <= at(where))) where = i;
    }
    indices[Dot(index, out_strides)] = where;
    values[Dot(index, out_strides)] = at(where);
  });
  const auto index_buffer = Output<int64_t>(9);
  const auto value_buffer = Output<double>(9);
  Launch("ArgMaxStrided", {3}, {32, 4}, 0, Buffer(in), kSize, int64_t{9}, uint32_t{9},
         MakeCalculator<2>(sizes, {out_strides, in_strides}), index_buffer, value_buffer);
  ExpectEqual(index_buffer, indices);
  ExpectNear(value_buffer, values, 0);
}

ConvolutionShape MakeShape(const ConvolutionShape& shape) {
  ConvolutionShape s = shape;
  s.out_d = (s.depth + 2 * s.pad_d - (s.dilation_d * (s.kernel_d - 1) + 1)) / s.stride_d + 1;
  s.out_h = (s.height + 2 * s.pad_h - (s.dilation_h * (s.kernel_h - 1) + 1)) / s.stride_h + 1;
  s.out_w = (s.width + 2 * s.pad_w - (s.dilation_w * (s.kernel_w - 1) + 1)) / s.stride_w + 1;
  return s;
}

// Calls `f` with the place in the columns and that in the volume, or -1 if this is outside.
template <typename F>
void ForEachTap(const ConvolutionShape& s, const F& f) {
  size_t column = 0;
  for (int c = 0; c < s.channels; ++c) {
    for (int i = 0; i < s.kernel_d * s.kernel_h * s.kernel_w; ++i) {
      for (int o = 0; o < s.out_d * s.out_h * s.out_w; ++o, ++column) {
        const int x = o % s.out_w * s.stride_w - s.pad_w + i % s.kernel_w * s.dilation_w;
        const int y = o / s.out_w % s.out_h * s.stride_h - s.pad_h + i / s.kernel_w % s.kernel_h * s.dilation_h;
        const int z = o / s.out_w / s.out_h * s.stride_d - s.pad_d + i / s.kernel_w / s.kernel_h * s.dilation_d;
        const bool is_inside = x >= 0 && x < s.width && y >= 0 && y < s.height && z >= 0 && z < s.depth;
        f(column, is_inside ? ((c * s.depth + z) * s.height + y) * s.width + x : -1);
      }
    }
  }
}

TEST_F(TensorLayoutTest, VolumeToColumns) {
  const ConvolutionShape s = MakeShape({2, 4, 5, 6, 2, 3, 2, 1, 2, 2, 2, 1, 2, 2, 2, 4, 0, 0, 0});
  const std::vector<float> volume = Random<float>(2 * 4 * 5 * 6, 9, -1, 1);
  std::vector<float> expected;
  ForEachTap(s, [&](size_t, int at) { expected.push_back(at < 0 ? 0 : volume[at]); });
  const int64_t count = s.channels * s.out_d * s.out_h * s.out_w;
  const auto columns = Output<float>(expected.size());
  Launch("VolumeToColumns", {1}, {32}, 0, Buffer(volume), s, count, columns);
  ExpectEqual(columns, expected);
}

TEST_F(TensorLayoutTest, ColumnsToImage) {
  for (const ConvolutionShape& s : {MakeShape({3, 1, 9, 7, 1, 3, 2, 0, 2, 1, 1, 2, 1, 1, 2, 3, 0, 0, 0}),
                                    MakeShape({1, 1, 6, 8, 1, 3, 3, 0, 1, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0})}) {
    const size_t pixels = static_cast<size_t>(s.channels * s.height * s.width);
    std::vector<double> columns;
    std::vector<double> expected(pixels);
    RandomNumbers random(10);
    ForEachTap(s, [&](size_t, int at) {
      columns.push_back(random.Between(-50, 50));
      if (at >= 0) expected[at] += columns.back();
    });
    const auto image = Output<double>(pixels);
    Launch("ColumnsToImage", {static_cast<uint32_t>(pixels + 63) / 64}, {64}, 0, Buffer(columns), s,
           static_cast<int32_t>(pixels), image);
    ExpectEqual(image, expected);
  }
}

}  // namespace
}  // namespace ptxmir::ptx
