// SPDX-License-Identifier: Apache-2.0

// Compares flows, bodies, random numbers and rays with the same physics in double precision.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// ---- lbm_d3q19.

constexpr int kQ = 19;
// The order of the populations in memory.
constexpr int kDirections[kQ][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                    {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                    {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                    {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};

int Opposite(int q) {
  for (int b = 0; b < kQ; ++b) {
    bool is_opposite = true;
    for (int axis = 0; axis < 3; ++axis) is_opposite &= kDirections[b][axis] == -kDirections[q][axis];
    if (is_opposite) return b;
  }
  return -1;
}

double Weight(int q) {
  const int axes = std::abs(kDirections[q][0]) + std::abs(kDirections[q][1]) + std::abs(kDirections[q][2]);
  return axes == 0 ? 1 / 3.0 : axes == 1 ? 1 / 18.0 : 1 / 36.0;
}

double Rest(int q, double rho, const std::array<double, 3>& u) {
  double along = 0;
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    along += kDirections[q][axis] * u[axis];
    square += u[axis] * u[axis];
  }
  return Weight(q) * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
}

class LbmTest : public CorpusKernels {
 protected:
  LbmTest() : CorpusKernels("lbm_d3q19") {}

  template <typename T>
  static std::vector<T> Populations(int cells, uint64_t seed) {
    std::vector<T> f = Random<T>(static_cast<size_t>(kQ * cells), seed, 0.9, 1.1);
    for (int i = 0; i < kQ * cells; ++i) f[i] = static_cast<T>(f[i] * Weight(i / cells));
    return f;
  }

  template <typename T>
  void TestStream(std::string_view kernel, double precision) {
    constexpr int kX = 40;
    constexpr int kY = 3;
    constexpr int kZ = 4;
    constexpr int kCells = kX * kY * kZ;
    const T omega = static_cast<T>(1.2);
    const T force = static_cast<T>(1e-3);
    const std::vector<T> in = Populations<T>(kCells, 1);
    std::vector<uint8_t> solid = Random<uint8_t>(kCells, 2, 0, 9);
    for (uint8_t& cell : solid) cell = cell == 0 ? 1 : 0;
    std::vector<T> expected(in.size());
    for (int cell = 0; cell < kCells; ++cell) {
      if (solid[cell] != 0) continue;
      const int at[3] = {cell % kX, cell / kX % kY, cell / (kX * kY)};
      const int size[3] = {kX, kY, kZ};
      std::array<double, kQ> f;
      double rho = 0;
      std::array<double, 3> u = {};
      for (int q = 0; q < kQ; ++q) {
        int from[3];
        for (int axis = 0; axis < 3; ++axis) from[axis] = (at[axis] - kDirections[q][axis] + size[axis]) % size[axis];
        const int neighbor = (from[2] * kY + from[1]) * kX + from[0];
        f[q] = solid[neighbor] != 0 ? in[Opposite(q) * kCells + cell] : in[q * kCells + neighbor];
        rho += f[q];
        for (int axis = 0; axis < 3; ++axis) u[axis] += kDirections[q][axis] * f[q];
      }
      for (double& component : u) component /= rho;
      u[0] += force;
      for (int q = 0; q < kQ; ++q) {
        expected[q * kCells + cell] = static_cast<T>(f[q] + double{omega} * (Rest(q, rho, u) - f[q]));
      }
    }
    const auto out = Zeros<T>(in.size());
    Launch(kernel, {2, kY, kZ}, {32}, 0, Buffer(in), out, Buffer(solid), kX, kY, kZ, omega, force);
    ExpectNear(out, expected, precision, precision / 10);
  }
};

TEST_F(LbmTest, StreamCollideFloats) { TestStream<float>("StreamCollideIf", 5e-6); }
TEST_F(LbmTest, StreamCollideDoubles) { TestStream<double>("StreamCollideId", 1e-14); }

TEST_F(LbmTest, TwoTimes) {
  constexpr int kCells = 70;
  constexpr double kEven = 1.3f;
  constexpr double kOdd = 1.1f;
  constexpr double kSmagorinsky = 0.03f;
  const std::vector<float> in = Populations<float>(kCells, 1);
  std::vector<float> expected(in.size());
  std::vector<float> expected_moments;
  for (int cell = 0; cell < kCells; ++cell) {
    std::array<double, kQ> f;
    std::array<double, kQ> off;  // difference from the rest state
    double rho = 0;
    std::array<double, 3> u = {};
    for (int q = 0; q < kQ; ++q) {
      f[q] = in[q * kCells + cell];
      rho += f[q];
      for (int axis = 0; axis < 3; ++axis) u[axis] += kDirections[q][axis] * f[q];
    }
    for (double& component : u) {
      component /= rho;
      expected_moments.push_back(static_cast<float>(component));
    }
    expected_moments.push_back(static_cast<float>(rho));
    double norm = 0;  // the norm of the stress tensor
    for (int q = 0; q < kQ; ++q) off[q] = f[q] - Rest(q, rho, u);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        double stress = 0;
        for (int q = 0; q < kQ; ++q) stress += kDirections[q][a] * kDirections[q][b] * off[q];
        norm += stress * stress;
      }
    }
    const double tau = 1 / kEven;
    const double eddy = (std::sqrt(tau * tau + 18 * kSmagorinsky * std::sqrt(norm) / rho) - tau) / 2;
    for (int q = 0; q < kQ; ++q) {
      const double other = off[Opposite(q)];
      expected[q * kCells + cell] =
          static_cast<float>(f[q] - (off[q] + other) / 2 / (tau + eddy) - kOdd * (off[q] - other) / 2);
    }
  }
  const auto f = Buffer(in);
  const auto moments = Output<float>(4 * kCells);
  Launch("TwoTimes", {2}, {64}, 0, f, uint64_t{kCells}, static_cast<float>(kEven), static_cast<float>(kOdd),
         static_cast<float>(kSmagorinsky), moments);
  ExpectNear(f, expected, 1e-5, 1e-6);
  ExpectNear(moments, expected_moments, 1e-5, 1e-6);
}

// ---- monte_carlo.

using Words = std::array<uint32_t, 4>;
using Key = std::array<uint32_t, 2>;

// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
Words Philox(Words c, Key k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xd2511f53} * c[0];
    const uint64_t p1 = uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += 0x9e3779b9;
    k[1] += 0xbb67ae85;
  }
  return c;
}

double Uniform(uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

// The pair of normal numbers by Box and Muller.
std::array<double, 2> Normal(uint32_t a, uint32_t b) {
  const double radius = std::sqrt(-2 * std::log(Uniform(a)));
  return {radius * std::cos(2 * M_PI * Uniform(b)), radius * std::sin(2 * M_PI * Uniform(b))};
}

class MonteCarloTest : public CorpusKernels {
 protected:
  MonteCarloTest() : CorpusKernels("monte_carlo") {}
  static constexpr Key kKey = {0x12345678, 0x9abcdef0};
};

TEST_F(MonteCarloTest, ReferenceKnowsTheExamples) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST_F(MonteCarloTest, BlackScholes) {
  constexpr int kCount = 50;
  const std::vector<double> spot = Random<double>(kCount, 1, 50, 150);
  const std::vector<double> strike = Random<double>(kCount, 2, 50, 150);
  const std::vector<double> years = Random<double>(kCount, 3, 0.1, 3);
  const double rate = 0.03;
  const double volatility = 0.25;
  std::vector<double> calls;
  std::vector<double> puts;
  const auto cumulative = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (int i = 0; i < kCount; ++i) {
    const double deviation = volatility * std::sqrt(years[i]);
    const double d1 = (std::log(spot[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / deviation;
    const double later = strike[i] * std::exp(-rate * years[i]);
    calls.push_back(spot[i] * cumulative(d1) - later * cumulative(d1 - deviation));
    puts.push_back(later * cumulative(deviation - d1) - spot[i] * cumulative(-d1));  // not by put-call parity
  }
  const auto call = Output<double>(kCount);
  const auto put = Output<double>(kCount);
  Launch("BlackScholes", {2}, {32}, 0, Buffer(spot), Buffer(strike), Buffer(years), rate, volatility, call, put,
         kCount);
  ExpectNear(call, calls, 1e-13, 1e-12);
  ExpectNear(put, puts, 1e-13, 1e-12);
}

TEST_F(MonteCarloTest, AsianPaths) {
  constexpr uint32_t kThreads = 32;
  constexpr int kSteps = 8;
  constexpr int kPaths = 3;
  std::vector<float> expected;
  for (uint32_t thread = 0; thread < 2 * kThreads; ++thread) {
    Words counter = {0, 0, thread / kThreads, thread % kThreads};
    double total = 0;
    double squares = 0;
    for (int path = 0; path < kPaths; ++path) {
      double log_price = 0;
      double mean = 0;
      for (int step = 0; step < kSteps; step += 4, ++counter[0]) {
        const Words bits = Philox(counter, kKey);
        for (int pair = 0; pair < 2; ++pair) {
          for (const double normal : Normal(bits[2 * pair], bits[2 * pair + 1])) {
            log_price += 0.001 + 0.05 * normal;
            mean += std::exp(log_price);
          }
        }
      }
      const double gain = std::max(100 * mean / kSteps - 99, 0.0);
      total += gain;
      squares += gain * gain;
    }
    expected.push_back(static_cast<float>(total));
    expected.push_back(static_cast<float>(squares));
  }
  const auto sums = Output<float>(expected.size());
  Launch("AsianPaths", {2}, {kThreads}, 0, 100.0f, 99.0f, 0.001f, 0.05f, kSteps, kPaths, kKey, sums);
  ExpectNear(sums, expected, 1e-4, 1e-3);
}

TEST_F(MonteCarloTest, Heston) {
  constexpr uint32_t kThreads = 32;
  constexpr int kSteps = 10;
  std::vector<float> expected;
  for (uint32_t thread = 0; thread < 2 * kThreads; ++thread) {
    double x = std::log(100.0);
    double v = 0.04;
    for (uint32_t step = 0; step < kSteps; ++step) {
      const Words bits = Philox({step, 1, thread / kThreads, thread % kThreads}, kKey);
      const auto [n0, n1] = Normal(bits[0], bits[1]);
      const double positive = std::max(v, 0.0);
      const double root = std::sqrt(positive * 0.01);
      x += root * n0 - positive * 0.01 / 2;
      v += 1.5 * (0.05 - positive) * 0.01 + 0.3 * root * (-0.6 * n0 + std::sqrt(1 - 0.36) * n1);
    }
    expected.push_back(static_cast<float>(std::exp(x)));
  }
  const auto out = Output<float>(expected.size());
  Launch("Heston", {2}, {kThreads}, 0, 100.0f, 0.04f, 1.5f, 0.05f, 0.3f, -0.6f, 0.01f, kSteps, kKey, out);
  ExpectNear(out, expected, 1e-5);
}

TEST_F(MonteCarloTest, Pi) {
  constexpr int kRounds = 20;
  constexpr uint64_t kSeed = 0x0123456789abcdef;
  uint64_t expected = 0;
  for (uint64_t thread = 0; thread < 128; ++thread) {
    uint64_t s = kSeed ^ ((thread / 64 * 1024 + thread % 64) * 0x9e3779b97f4a7c15);
    for (int i = 0; i < kRounds; ++i) {
      s ^= s << 13;
      s ^= s >> 7;
      s ^= s << 17;
      expected += std::hypot(static_cast<double>(s & 0xffffffff), static_cast<double>(s >> 32)) < 0x1p32 ? 1 : 0;
    }
  }
  const auto inside = Zeros<uint64_t>(1);
  Launch("Pi", {2}, {64}, 0, kSeed, kRounds, inside);
  ExpectEqual(inside, {expected});
}

TEST_F(MonteCarloTest, Ising) {
  constexpr int kSize = 16;
  std::vector<int8_t> spins = Random<int8_t>(kSize * kSize, 1, 0, 1);
  for (int8_t& spin : spins) spin = static_cast<int8_t>(2 * spin - 1);
  const std::vector<float> accept = {1.0f, 0.9f, 0.7f, 0.3f, 0.05f};
  const auto device_spins = Buffer(spins);
  const auto device_accept = Buffer(accept);
  for (uint32_t sweep = 0; sweep < 4; ++sweep) {
    const int color = static_cast<int>(sweep % 2);
    Launch("Ising", {1, 2}, {16, 8}, 0, device_spins, kSize, color, device_accept, kKey, sweep);
    for (int y = 0; y < kSize; ++y) {
      for (int x = 0; x < kSize; ++x) {
        if ((x + y) % 2 != color) continue;
        int around = 0;
        for (const auto& [dx, dy] : {std::pair(1, 0), {kSize - 1, 0}, {0, 1}, {0, kSize - 1}}) {
          around += spins[(y + dy) % kSize * kSize + (x + dx) % kSize];
        }
        int8_t& spin = spins[y * kSize + x];
        const uint32_t bits = Philox({static_cast<uint32_t>(x), static_cast<uint32_t>(y), sweep, 0}, kKey)[0];
        if (Uniform(bits) < accept[static_cast<size_t>((spin * around + 4) / 2)]) spin = static_cast<int8_t>(-spin);
      }
    }
    ExpectEqual(device_spins, spins, StrCat("sweep ", sweep));
  }
}

TEST_F(MonteCarloTest, Sobol) {
  constexpr int kDimensions = 2;
  constexpr int kCount = 100;
  constexpr uint32_t kFirst = 1000;
  const std::vector<uint32_t> directions = Random<uint32_t>(32 * kDimensions, 1);
  std::vector<float> expected;
  for (int dimension = 0; dimension < kDimensions; ++dimension) {
    for (uint32_t n = kFirst; n < kFirst + kCount; ++n) {
      uint32_t x = 0;
      for (int bit = 0; bit < 32; ++bit) {
        if ((n ^ n >> 1) >> bit & 1) x ^= directions[static_cast<size_t>(32 * dimension + bit)];
      }
      expected.push_back(static_cast<float>(x) * 2.3283064e-10f);
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Sobol", {2, kDimensions}, {32}, 0, Buffer(directions), kFirst, out, kCount);
  ExpectEqual(out, expected);
}

// ---- nbody.

class NBodyTest : public CorpusKernels {
 protected:
  NBodyTest() : CorpusKernels("nbody") {}
};

TEST_F(NBodyTest, AllPairs) {
  constexpr int kCount = 150;
  const std::vector<float> bodies = Random<float>(4 * kCount, 1, 0, 1);
  std::vector<float> expected;
  for (int i = 0; i < kCount; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (int j = 0; j < kCount; ++j) {
        double square = 0.01;
        for (int k = 0; k < 3; ++k) square += std::pow(double{bodies[4 * j + k]} - bodies[4 * i + k], 2);
        sum += bodies[4 * j + 3] * (double{bodies[4 * j + axis]} - bodies[4 * i + axis]) / std::pow(square, 1.5);
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  const auto pulls = Output<float>(3 * kCount);
  Launch("AllPairsPK6float4", {1}, {256}, 0, Buffer(bodies), pulls, kCount, 0.01f);
  ExpectNear(pulls, expected, 1e-5, 1e-3);
}

TEST_F(NBodyTest, AllPairsDouble) {
  constexpr int kCount = 96;
  const std::vector<double> x[3] = {Random<double>(kCount, 1, 0, 1), Random<double>(kCount, 2, 0, 1),
                                    Random<double>(kCount, 3, 0, 1)};
  const std::vector<double> mass = Random<double>(kCount, 4, 0, 1);
  std::vector<double> expected;
  for (int i = 0; i < kCount; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (int j = 0; j < kCount; ++j) {
        double square = 1e-12;
        for (const std::vector<double>& component : x) square += std::pow(component[j] - component[i], 2);
        sum += mass[j] * (x[axis][j] - x[axis][i]) / std::pow(square, 1.5);
      }
      expected.push_back(sum);
    }
  }
  const auto pulls = Output<double>(3 * kCount);
  Launch("AllPairsDouble", {3}, {32}, 4 * 32 * 8, Buffer(x[0]), Buffer(x[1]), Buffer(x[2]), Buffer(mass), pulls,
         kCount);
  ExpectNear(pulls, expected, 1e-11, 1e-9);
}

TEST_F(NBodyTest, Leapfrog) {
  constexpr int kCount = 40;
  // Eighths make all results exact.
  std::vector<float> bodies = Random<float>(4 * kCount, 1, -100, 100);
  std::vector<float> speeds = Random<float>(3 * kCount, 2, -100, 100);
  std::vector<float> pulls = Random<float>(3 * kCount, 3, -100, 100);
  for (std::vector<float>* values : {&bodies, &speeds, &pulls}) {
    for (float& v : *values) v = std::nearbyint(v) / 8;
  }
  const auto device_bodies = Buffer(bodies);
  const auto device_speeds = Buffer(speeds);
  for (int i = 0; i < kCount; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      speeds[3 * i + axis] += 0.25f * pulls[3 * i + axis];
      bodies[4 * i + axis] += 0.25f * speeds[3 * i + axis];
    }
  }
  Launch("Leapfrog", {2}, {32}, 0, device_bodies, device_speeds, Buffer(pulls), kCount, 0.25f);
  ExpectEqual(device_bodies, bodies);
  ExpectEqual(device_speeds, speeds);
}

// Compares cell lists with all pairs of nearest images.
TEST_F(NBodyTest, LennardJones) {
  constexpr std::array<int32_t, 3> kCells = {4, 3, 3};
  constexpr std::array<float, 3> kBox = {4.5f, 3.25f, 3.5f};
  constexpr float kCut2 = 1.0f;
  constexpr int kCount = 6 * 4 * 4;
  std::vector<std::array<float, 3>> positions;
  RandomNumbers random(1);
  for (int i = 0; i < kCount; ++i) {  // on a jittered grid, so that no two are very close
    const int place[3] = {i % 6, i / 6 % 4, i / 24};
    const int size[3] = {6, 4, 4};
    std::array<float, 3>& position = positions.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      position[axis] = (static_cast<float>(place[axis]) + random.Between(0.0f, 0.25f)) * kBox[axis] / size[axis];
    }
  }
  const auto cell_of = [&](const std::array<float, 3>& position) {
    int cell[3];
    for (int axis = 0; axis < 3; ++axis) cell[axis] = static_cast<int>(position[axis] / kBox[axis] * kCells[axis]);
    return (cell[2] * kCells[1] + cell[1]) * kCells[0] + cell[0];
  };
  std::stable_sort(positions.begin(), positions.end(),
                   [&](const auto& a, const auto& b) { return cell_of(a) < cell_of(b); });
  std::vector<float> atoms;
  std::vector<int32_t> cells;
  std::vector<int32_t> starts;
  for (const auto& position : positions) {
    atoms.insert(atoms.end(), position.begin(), position.end());
    atoms.push_back(0);
    cells.push_back(cell_of(position));
  }
  for (int cell = 0; cell <= kCells[0] * kCells[1] * kCells[2]; ++cell) {
    starts.push_back(static_cast<int32_t>(std::lower_bound(cells.begin(), cells.end(), cell) - cells.begin()));
  }
  std::vector<float> expected;
  double most = 0;
  for (int i = 0; i < kCount; ++i) {
    std::array<double, 4> sum = {};
    for (int j = 0; j < kCount; ++j) {
      std::array<double, 3> d;
      double square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = std::remainder(double{positions[i][axis]} - positions[j][axis], double{kBox[axis]});
        square += d[axis] * d[axis];
      }
      if (i == j || square >= kCut2) continue;
      const double sixth = std::pow(square, -3);
      for (int axis = 0; axis < 3; ++axis) sum[axis] += 24 * (2 * sixth * sixth - sixth) / square * d[axis];
      sum[3] += 4 * (sixth * sixth - sixth);
    }
    for (const double component : sum) {
      expected.push_back(static_cast<float>(component));
      most = std::max(most, std::abs(component));
    }
  }
  const auto forces = Output<float>(expected.size());
  Launch("LennardJones", {3}, {32}, 0, Buffer(atoms), Buffer(starts), Buffer(cells), forces, kCount, kCells, kBox,
         kCut2);
  ASSERT_GT(most, 1.0);
  ExpectNear(forces, expected, 1e-4, 1e-5 * most);
}

}  // namespace
}  // namespace ptxmir::ptx
