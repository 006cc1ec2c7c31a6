// SPDX-License-Identifier: Apache-2.0

// Compares stencils and sparse products with naive loops.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// ---- stencil_2d.

class Stencil2dTest : public CorpusKernels {
 protected:
  Stencil2dTest() : CorpusKernels("stencil_2d") {}

  void TestNinePoint(std::string_view kernel, int rows, uint32_t strips) {
    constexpr int kPitch = 34;
    const int height = rows * static_cast<int>(strips) + 2;
    const std::vector<float> in = Random<float>(static_cast<size_t>(kPitch * height), 1, -1, 1);
    std::vector<float> expected(in.size());
    for (int y = 1; y + 1 < height; ++y) {
      for (int x = 1; x + 1 < kPitch; ++x) {
        double sum = 0;
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            const double weight = dx == 0 && dy == 0 ? 0.5 : dx == 0 || dy == 0 ? 0.25 : -0.125;
            sum += weight * in[(y + dy) * kPitch + x + dx];
          }
        }
        expected[y * kPitch + x] = static_cast<float>(sum);
      }
    }
    const auto out = Zeros<float>(in.size());
    Launch(kernel, {1, strips}, {kPitch - 2}, 0, Buffer(in), out, kPitch, 0.5f, 0.25f, -0.125f);
    ExpectNear(out, expected, 0, 1e-6);
  }
};

TEST_F(Stencil2dTest, Heat) {
  constexpr int kWidth = 40;
  constexpr int kHeight = 21;
  constexpr float kRate = 0.2f;
  const std::vector<float> in = Random<float>(kWidth * kHeight, 1, 0, 1);
  const auto at = [&](int x, int y) {
    return in[std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1)];
  };
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      expected.push_back(at(x, y) + kRate * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y)));
    }
  }
  const auto out = Output<float>(in.size());
  Launch("Heat", {2, 2}, {32, 16}, 0, Buffer(in), out, kWidth, kHeight, kRate);
  ExpectNear(out, expected, 0, 1e-6);
}

TEST_F(Stencil2dTest, NinePoint) {
  TestNinePoint("NinePointILi8E", 8, 2);
  TestNinePoint("NinePointILi24E", 24, 1);
}

TEST_F(Stencil2dTest, GaussianRows) {
  constexpr int kWidth = 50;
  constexpr int kHeight = 3;
  constexpr int kRadius = 5;
  std::vector<float> weights(17);
  for (int i = -8; i <= 8; ++i) weights[static_cast<size_t>(i + 8)] = std::ldexp(1.0f, -std::abs(i));
  Write(Variable<float>("gaussian", 17), weights);
  const std::vector<uint8_t> in = Random<uint8_t>(4 * kWidth * kHeight, 1);
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int channel = 0; channel < 4; ++channel) {
        float sum = 0;  // exact: the weights are powers of two
        for (int i = -kRadius; i <= kRadius; ++i) {
          const int from = std::clamp(x + i, 0, kWidth - 1);
          sum += weights[static_cast<size_t>(i + 8)] * in[4 * (y * kWidth + from) + channel];
        }
        expected.push_back(sum);
      }
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("GaussianRows", {2, kHeight}, {32}, 4 * (32 + 2 * kRadius), Buffer(in), out, kWidth, kRadius);
  ExpectEqual(out, expected);
}

TEST_F(Stencil2dTest, Wave) {
  constexpr int kWidth = 20;
  constexpr int kHeight = 11;
  const std::vector<double> now = Random<double>(kWidth * kHeight, 1, -1, 1);
  const std::vector<double> before = Random<double>(kWidth * kHeight, 2, -1, 1);
  std::vector<double> expected = before;
  for (int y = 2; y < kHeight - 2; ++y) {
    for (int x = 2; x < kWidth - 2; ++x) {
      const int i = y * kWidth + x;
      double laplace = 0;  // the second difference of fourth order along each axis
      for (const int step : {1, kWidth}) {
        laplace +=
            (-now[i - 2 * step] + 16 * now[i - step] - 30 * now[i] + 16 * now[i + step] - now[i + 2 * step]) / 12;
      }
      expected[i] = 2 * now[i] - before[i] + 0.1 * laplace;
    }
  }
  const auto next = Buffer(before);
  Launch("Wave", {2, 2}, {16, 8}, 0, Buffer(now), next, kWidth, kHeight, 0.1);
  ExpectNear(next, expected, 0, 1e-14);
}

// ---- stencil_3d.

class Stencil3dTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  Stencil3dTest() : CorpusKernels(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(, Stencil3dTest, ::testing::Values("stencil_3d", "stencil_3d.sm_120"),
                         [](const auto& info) { return info.index == 0 ? "Sm80" : "Sm120"; });

TEST_P(Stencil3dTest, March25) {
  constexpr int kX = 32 + 8;
  constexpr int kY = 2 * 16 + 8;
  constexpr int kZ = 11;
  constexpr int kCells = kX * kY * kZ;
  const std::vector<float> weights = {-2.8f, 1.6f, -0.2f, 0.025f, -0.0018f};
  Write(Variable<float>("weights", 5), weights);
  const std::vector<float> now = Random<float>(kCells, 1, -1, 1);
  const std::vector<float> speed = Random<float>(kCells, 2, 0, 0.1);
  const std::vector<float> before = Random<float>(kCells, 3, -1, 1);
  std::vector<float> expected = before;
  for (int z = 4; z < kZ - 4; ++z) {
    for (int y = 4; y < kY - 4; ++y) {
      for (int x = 4; x < kX - 4; ++x) {
        const int at = (z * kY + y) * kX + x;
        double sum = double{weights[0]} * now[at];
        for (int i = 1; i <= 4; ++i) {
          for (const int step : {1, kX, kX * kY}) sum += double{weights[i]} * (now[at - i * step] + now[at + i * step]);
        }
        expected[at] = static_cast<float>(2.0 * now[at] - before[at] + speed[at] * sum);
      }
    }
  }
  const auto next = Buffer(before);
  Launch("March25", {1, 2}, {32, 16}, 0, Buffer(now), Buffer(speed), next, kX, kY, kZ);
  ExpectNear(next, expected, 0, 2e-6);
}

TEST_P(Stencil3dTest, Column27) {
  constexpr int kX = 18;
  constexpr int kY = 6;
  constexpr int kZ = 18;
  constexpr double kWeights[4] = {-3.5, 0.25, 0.125, 0.06};
  const std::vector<double> in = Random<double>(kX * kY * kZ, 1, -1, 1);
  std::vector<double> expected(in.size());
  for (int z = 1; z + 1 < kZ; ++z) {
    for (int y = 1; y + 1 < kY; ++y) {
      for (int x = 1; x + 1 < kX; ++x) {
        double sum = 0;
        for (int from_z = z - 1; from_z <= z + 1; ++from_z) {
          for (int from_y = y - 1; from_y <= y + 1; ++from_y) {
            for (int from_x = x - 1; from_x <= x + 1; ++from_x) {
              const int axes = (from_x != x) + (from_y != y) + (from_z != z);
              sum += kWeights[axes] * in[(from_z * kY + from_y) * kX + from_x];
            }
          }
        }
        expected[(z * kY + y) * kX + x] = sum;
      }
    }
  }
  const auto out = Zeros<double>(in.size());
  Launch("Column27", {2, 1}, {8, 4}, 0, Buffer(in), out, kX, kY, kWeights[0], kWeights[1], kWeights[2], kWeights[3]);
  ExpectNear(out, expected, 0, 1e-14);
}

// ---- spmv. Whole numbers, so that sums are exact in any order.

struct SparseMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<std::map<int32_t, int32_t>> cells;  // by row, then by column

  size_t size() const {
    size_t count = 0;
    for (const auto& row : cells) count += row.size();
    return count;
  }
  template <typename T>
  std::vector<T> Times(const std::vector<T>& x) const {
    std::vector<T> y;
    for (const auto& row : cells) {
      T sum = 0;
      for (const auto& [column, value] : row) sum += static_cast<T>(value) * x[static_cast<size_t>(column)];
      y.push_back(sum);
    }
    return y;
  }
};

// Makes a matrix with empty rows, long rows, and rows in between.
SparseMatrix MakeMatrix(int rows, int columns, uint64_t seed) {
  RandomNumbers random(seed);
  SparseMatrix matrix{rows, columns, {}};
  for (int row = 0; row < rows; ++row) {
    auto& cells = matrix.cells.emplace_back();
    const int most = row == 7 ? columns : row % 5 == 0 ? 0 : 9;
    const int count = random.Between<int32_t>(0, most);
    for (int i = 0; i < count; ++i) cells[random.Between<int32_t>(0, columns - 1)] = random.Between<int32_t>(1, 50);
  }
  return matrix;
}

template <typename T>
std::vector<T> WholeNumbers(size_t count, uint64_t seed) {
  std::vector<T> values;
  for (const int32_t v : Random<int32_t>(count, seed, -60, 60)) values.push_back(static_cast<T>(v));
  return values;
}

class SpmvTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  SpmvTest() : CorpusKernels(GetParam()) {}

  const SparseMatrix matrix_ = MakeMatrix(70, 90, 1);

  std::vector<int32_t> Starts() const {
    std::vector<int32_t> starts = {0};
    for (const auto& row : matrix_.cells) starts.push_back(starts.back() + static_cast<int32_t>(row.size()));
    return starts;
  }
  std::vector<int32_t> Columns() const {
    std::vector<int32_t> columns;
    for (const auto& row : matrix_.cells) {
      for (const auto& cell : row) columns.push_back(cell.first);
    }
    return columns;
  }
  template <typename T>
  std::vector<T> Values() const {
    std::vector<T> values;
    for (const auto& row : matrix_.cells) {
      for (const auto& cell : row) values.push_back(static_cast<T>(cell.second));
    }
    return values;
  }

  template <typename T>
  void TestCsr(std::string_view scalar, std::string_view vector) {
    const std::vector<T> x = WholeNumbers<T>(90, 2);
    const std::vector<T> expected = matrix_.Times(x);
    const auto starts = Buffer(Starts());
    const auto columns = Buffer(Columns());
    const auto values = Buffer(Values<T>());
    const auto device_x = Buffer(x);
    const auto y = Output<T>(expected.size());
    Launch(scalar, {3}, {32}, 0, matrix_.rows, starts, columns, values, device_x, y);
    ExpectEqual(y, expected);
    const std::vector<T> old = WholeNumbers<T>(70, 3);
    std::vector<T> scaled;
    for (size_t i = 0; i < old.size(); ++i) scaled.push_back(2 * expected[i] - 3 * old[i]);
    const auto y_vector = Buffer(old);
    Launch(vector, {36}, {64}, 0, matrix_.rows, starts, columns, values, device_x, T{2}, T{-3}, y_vector);
    ExpectEqual(y_vector, scaled);
  }
};
INSTANTIATE_TEST_SUITE_P(, SpmvTest, ::testing::Values("spmv", "spmv.O0-llc"),
                         [](const auto& info) { return info.index == 0 ? "Optimized" : "SelectedWithoutOptimizing"; });

TEST_P(SpmvTest, CsrOfFloats) { TestCsr<float>("CsrScalarIf", "CsrVectorIf"); }
TEST_P(SpmvTest, CsrOfDoubles) { TestCsr<double>("CsrScalarId", "CsrVectorId"); }

TEST_P(SpmvTest, SlicedEll) {
  std::vector<int64_t> slices = {0};
  std::vector<int32_t> columns;
  std::vector<float> values;
  for (int first = 0; first < matrix_.rows; first += 32) {
    size_t width = 0;
    const int last = std::min(first + 32, matrix_.rows);
    for (int row = first; row < last; ++row) width = std::max(width, matrix_.cells[row].size());
    for (size_t i = 0; i < width; ++i) {
      for (int row = first; row < first + 32; ++row) {
        const bool is_there = row < last && i < matrix_.cells[row].size();
        const auto cell = is_there ? *std::next(matrix_.cells[row].begin(), static_cast<ptrdiff_t>(i))
                                   : std::pair<const int32_t, int32_t>(-1, 0);
        columns.push_back(cell.first);
        values.push_back(static_cast<float>(cell.second));
      }
    }
    slices.push_back(static_cast<int64_t>(columns.size()));
  }
  const std::vector<float> x = WholeNumbers<float>(90, 2);
  const auto y = Output<float>(70);
  Launch("SlicedEll", {2}, {64}, 0, matrix_.rows, Buffer(slices), Buffer(columns), Buffer(values), Buffer(x), y);
  ExpectEqual(y, matrix_.Times(x));
}

TEST_P(SpmvTest, MergePath) {
  const std::vector<float> x = WholeNumbers<float>(90, 2);
  const std::vector<int32_t> starts = Starts();
  const auto ends = Buffer(std::vector<int32_t>(starts.begin() + 1, starts.end()));
  const auto columns = Buffer(Columns());
  const auto values = Buffer(Values<float>());
  const auto device_x = Buffer(x);
  const int32_t count = static_cast<int32_t>(matrix_.size());
  for (const int32_t share : {7, 40}) {
    const uint32_t threads = static_cast<uint32_t>((matrix_.rows + count + share - 1) / share);
    const auto y = Zeros<float>(70);
    Launch("MergePath", {(threads + 31) / 32}, {32}, 0, matrix_.rows, count, ends, columns, values, device_x, y, share);
    ExpectEqual(y, matrix_.Times(x), StrCat("share ", share));
  }
}

TEST_P(SpmvTest, CooSegments) {
  std::vector<std::array<int32_t, 2>> places;
  for (int row = 0; row < matrix_.rows; ++row) {
    for (const auto& cell : matrix_.cells[row]) places.push_back({row, cell.first});
  }
  const std::vector<double> x = WholeNumbers<double>(90, 2);
  const auto y = Zeros<double>(70);
  Launch("CooSegments", {static_cast<uint32_t>(places.size() + 63) / 64}, {64}, 0, static_cast<int32_t>(places.size()),
         Buffer(places), Buffer(Values<double>()), Buffer(x), y);
  ExpectEqual(y, matrix_.Times(x));
}

TEST_P(SpmvTest, Block4x4) {
  constexpr int kRows = 16;
  constexpr int kColumns = 12;
  const SparseMatrix blocks = MakeMatrix(kRows, kColumns, 5);
  std::vector<int32_t> starts = {0};
  std::vector<int32_t> columns;
  const std::vector<float> values = WholeNumbers<float>(16 * blocks.size(), 6);
  const std::vector<float> x = WholeNumbers<float>(4 * kColumns, 7);
  std::vector<float> expected(4 * kRows);
  for (int row = 0; row < kRows; ++row) {
    for (const auto& cell : blocks.cells[row]) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          expected[4 * row + i] += values[16 * columns.size() + 4 * i + j] * x[4 * cell.first + j];
        }
      }
      columns.push_back(cell.first);
    }
    starts.push_back(static_cast<int32_t>(columns.size()));
  }
  const auto y = Output<float>(expected.size());
  Launch("Block4x4", {2}, {4, 8}, 0, Buffer(starts), Buffer(columns), Buffer(values), Buffer(x), y);
  ExpectEqual(y, expected);
}

TEST_P(SpmvTest, TransposeCsr) {
  const std::vector<int32_t> columns = Columns();
  std::vector<int32_t> cursors(91);
  for (const int32_t column : columns) ++cursors[column + 1];
  std::partial_sum(cursors.begin(), cursors.end(), cursors.begin());
  const auto device_cursors = Buffer(std::vector<int32_t>(cursors.begin(), cursors.end() - 1));
  const auto out_rows = Output<int32_t>(columns.size());
  const auto out_values = Output<float>(columns.size());
  Launch("TransposeCsr", {3}, {32}, 0, matrix_.rows, Buffer(Starts()), Buffer(columns), Buffer(Values<float>()),
         device_cursors, out_rows, out_values);
  ExpectEqual(device_cursors, std::vector<int32_t>(cursors.begin() + 1, cursors.end()));
  // The order within a column depends on the order of the threads.
  const std::vector<int32_t> actual_rows = Read(out_rows);
  const std::vector<float> actual_values = Read(out_values);
  for (int column = 0; column < 90; ++column) {
    std::set<std::pair<int32_t, float>> actual;
    for (int i = cursors[column]; i < cursors[column + 1]; ++i) actual.insert({actual_rows[i], actual_values[i]});
    std::set<std::pair<int32_t, float>> expected;
    for (int row = 0; row < matrix_.rows; ++row) {
      const auto cell = matrix_.cells[row].find(column);
      if (cell != matrix_.cells[row].end()) expected.insert({row, static_cast<float>(cell->second)});
    }
    EXPECT_EQ(actual, expected) << column;
  }
}

}  // namespace
}  // namespace ptxmir::ptx
