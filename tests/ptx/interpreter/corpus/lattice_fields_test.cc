// SPDX-License-Identifier: Apache-2.0

// Compares lattice_fields with products of whole matrices.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Complex = std::complex<double>;
template <size_t kSize>
using Matrix = std::array<std::array<Complex, kSize>, kSize>;

constexpr Complex kI = {0, 1};

// Returns a random unitary matrix: rows made orthogonal one by one. For three rows the last is the conjugate of the
// cross product of the others, so the determinant is 1.
template <size_t kSize>
Matrix<kSize> RandomUnitary(RandomNumbers& random) {
  Matrix<kSize> m;
  for (size_t i = 0; i < kSize; ++i) {
    for (Complex& e : m[i]) e = {random.Between(-1.0, 1.0), random.Between(-1.0, 1.0)};
    for (size_t j = 0; j < i; ++j) {
      Complex product = 0;
      for (size_t k = 0; k < kSize; ++k) product += std::conj(m[j][k]) * m[i][k];
      for (size_t k = 0; k < kSize; ++k) m[i][k] -= product * m[j][k];
    }
    double norm = 0;
    for (const Complex& e : m[i]) norm += std::norm(e);
    for (Complex& e : m[i]) e /= std::sqrt(norm);
  }
  if constexpr (kSize == 3) {
    for (size_t i = 0; i < 3; ++i) {
      const size_t j = (i + 1) % 3, k = (i + 2) % 3;
      m[2][i] = std::conj(m[0][j] * m[1][k] - m[0][k] * m[1][j]);
    }
  }
  return m;
}

template <size_t kSize>
Matrix<kSize> operator*(const Matrix<kSize>& a, const Matrix<kSize>& b) {
  Matrix<kSize> product{};
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) {
      for (size_t k = 0; k < kSize; ++k) product[i][j] += a[i][k] * b[k][j];
    }
  }
  return product;
}
template <size_t kSize>
Matrix<kSize> Adjoint(const Matrix<kSize>& a) {
  Matrix<kSize> result;
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) result[i][j] = std::conj(a[j][i]);
  }
  return result;
}

// A lattice with a matrix on each link, by direction and site.
struct Links {
  std::array<int, 4> size;
  std::array<std::vector<Matrix<3>>, 4> matrices;

  Links(const std::array<int, 4>& sizes, uint64_t seed) : size(sizes) {
    RandomNumbers random(seed);
    for (auto& of_direction : matrices) {
      for (int site = 0; site < Volume(); ++site) of_direction.push_back(RandomUnitary<3>(random));
    }
  }
  int Volume() const { return size[0] * size[1] * size[2] * size[3]; }
  int Neighbor(int site, int direction, int step) const {
    std::array<int, 4> at;
    for (int d = 0; d < 4; ++d) {
      at[d] = site % size[d];
      site /= size[d];
    }
    at[direction] = (at[direction] + step + size[direction]) % size[direction];
    return at[0] + size[0] * (at[1] + size[1] * (at[2] + size[2] * at[3]));
  }
  // Returns the first `rows` rows of all matrices; neighboring sites are side by side.
  std::vector<float> Rows(int rows) const {
    std::vector<float> values;
    for (const auto& of_direction : matrices) {
      for (int i = 0; i < 3 * rows; ++i) {
        for (const Matrix<3>& m : of_direction) {
          values.push_back(static_cast<float>(m[i / 3][i % 3].real()));
          values.push_back(static_cast<float>(m[i / 3][i % 3].imag()));
        }
      }
    }
    return values;
  }
};

class LatticeFieldsTest : public CorpusKernels {
 protected:
  LatticeFieldsTest() : CorpusKernels("lattice_fields") {}

  // Multiplies a gate into the amplitudes of some qubits; the first is the lowest bit of a row's number.
  template <size_t kSize>
  static std::vector<Complex> Apply(const Matrix<kSize>& gate, const std::vector<int>& targets, uint64_t controls,
                                    const std::vector<Complex>& state) {
    const auto row_of = [&](size_t index) {
      size_t row = 0;
      for (size_t t = 0; t < targets.size(); ++t) row |= (index >> targets[t] & 1) << t;
      return row;
    };
    std::vector<Complex> result(state.size());
    for (size_t to = 0; to < state.size(); ++to) {
      if ((to & controls) != controls) {
        result[to] = state[to];
        continue;
      }
      for (size_t column = 0; column < kSize; ++column) {
        size_t from = to;
        for (size_t t = 0; t < targets.size(); ++t) {
          from = (from & ~(size_t{1} << targets[t])) | (column >> t & 1) << targets[t];
        }
        result[to] += gate[row_of(to)][column] * state[from];
      }
    }
    return result;
  }
  static std::vector<Complex> RandomState(size_t count, uint64_t seed) {
    std::vector<Complex> state;
    const std::vector<float> parts = Random<float>(2 * count, seed, -1.0f, 1.0f);
    for (size_t i = 0; i < count; ++i) state.push_back({parts[2 * i], parts[2 * i + 1]});
    return state;
  }
  template <typename T, typename Range>
  static void Append(const Range& from, std::vector<T>& to) {
    for (const Complex& v : from) {
      to.push_back(static_cast<T>(v.real()));
      to.push_back(static_cast<T>(v.imag()));
    }
  }
  template <typename T>
  static std::vector<T> Parts(const std::vector<Complex>& values) {
    std::vector<T> parts;
    Append(values, parts);
    return parts;
  }
};

TEST_F(LatticeFieldsTest, WilsonDslash) {
  constexpr float kKappa = 0.13f;
  // The matrices that DeGrand and Rossi use.
  const std::array<Matrix<4>, 4> gammas = {{
      {{{0, 0, 0, kI}, {0, 0, kI, 0}, {0, -kI, 0, 0}, {-kI, 0, 0, 0}}},
      {{{0, 0, 0, -1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}}},
      {{{0, 0, kI, 0}, {0, 0, 0, -kI}, {-kI, 0, 0, 0}, {0, kI, 0, 0}}},
      {{{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}}},
  }};
  const Links links({4, 3, 2, 5}, 1);
  const int volume = links.Volume();
  const std::vector<Complex> in = RandomState(12 * static_cast<size_t>(volume), 2000);
  std::vector<Complex> expected = in;
  for (int site = 0; site < volume; ++site) {
    for (int mu = 0; mu < 4; ++mu) {
      for (const int step : {1, -1}) {
        const int there = links.Neighbor(site, mu, step);
        const Matrix<3> u = step == 1 ? links.matrices[mu][site] : Adjoint(links.matrices[mu][there]);
        for (int spin = 0; spin < 4; ++spin) {
          for (int from = 0; from < 4; ++from) {
            const Complex projector = (spin == from ? 1.0 : 0.0) - double(step) * gammas[mu][spin][from];
            for (int i = 0; i < 3; ++i) {
              for (int j = 0; j < 3; ++j) {
                expected[(spin * 3 + i) * volume + site] -=
                    double{kKappa} * projector * u[i][j] * in[(from * 3 + j) * volume + there];
              }
            }
          }
        }
      }
    }
  }
  const auto out = Output<float>(2 * expected.size());
  Launch("WilsonDslash", {2}, {64}, 0, Buffer(links.Rows(2)), Buffer(Parts<float>(in)), out, links.size, kKappa);
  ExpectNear(out, Parts<float>(expected), 0, 4e-6);
}

TEST_F(LatticeFieldsTest, Plaquettes) {
  const Links links({3, 2, 4, 2}, 3);
  std::vector<double> expected(2);
  for (int site = 0; site < links.Volume(); ++site) {
    for (int mu = 0; mu < 4; ++mu) {
      for (int nu = mu + 1; nu < 4; ++nu) {
        const Matrix<3> loop = links.matrices[mu][site] * links.matrices[nu][links.Neighbor(site, mu, 1)] *
                               Adjoint(links.matrices[mu][links.Neighbor(site, nu, 1)]) *
                               Adjoint(links.matrices[nu][site]);
        expected[nu == 3 ? 1 : 0] += (loop[0][0] + loop[1][1] + loop[2][2]).real();
      }
    }
  }
  const auto totals = Zeros<double>(2);
  Launch("Plaquettes", {1}, {32}, 0, Buffer(links.Rows(3)), links.size, totals);
  ExpectNear(totals, expected, 0, 5e-5);
  const auto again = Zeros<double>(2);
  Launch("Plaquettes", {2}, {64}, 0, Buffer(links.Rows(3)), links.size, again);
  ExpectNear(again, expected, 0, 5e-5);
}

// Salmon, Moraes, Dror and Shaw's generator, four words by ten rounds.
std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53} * counter[0];
    const uint64_t b = uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
  }
  return counter;
}

TEST_F(LatticeFieldsTest, PottsHeatBath) {
  constexpr int kWidth = 38, kHeight = 6, kStates = 5;
  // A known answer of the generator.
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::array<float, 5> weights = {1.0f, 2.5f, 6.25f, 15.625f, 39.0625f};
  const std::array<uint32_t, 2> seed = {0x12345678, 0x9abcdef0};
  std::vector<int8_t> spins = Random<int8_t>(kWidth * kHeight, 4, 0, kStates - 1);
  const auto buffer = Buffer(spins);
  const auto histogram = Zeros<int>(kStates);
  std::vector<int> counts(kStates);
  for (uint32_t sweep = 0; sweep < 3; ++sweep) {
    for (int parity = 0; parity < 2; ++parity) {
      const std::vector<int8_t> before = spins;
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          if ((x + y + parity) % 2 != 0) continue;
          std::vector<float> sums;
          float sum = 0;
          for (int q = 0; q < kStates; ++q) {
            int equal = 0;
            for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
              equal += before[(y + dy + kHeight) % kHeight * kWidth + (x + dx + kWidth) % kWidth] == q ? 1 : 0;
            }
            sum += weights[equal];
            sums.push_back(sum);
          }
          const uint32_t site = static_cast<uint32_t>(y * kWidth + x);
          const float uniform = static_cast<float>(Philox({site, sweep, uint32_t(parity), 0}, seed)[0] >> 8) * 0x1p-24f;
          const auto chosen = std::upper_bound(sums.begin(), sums.end() - 1, uniform * sum) - sums.begin();
          spins[site] = static_cast<int8_t>(chosen);
          ++counts[chosen];
        }
      }
      Launch("PottsHeatBathILi5E", {1, kHeight}, {32}, 0, buffer, int{kWidth}, int{kHeight}, parity, sweep, seed,
             weights, histogram);
    }
  }
  ExpectEqual(buffer, spins);
  ExpectEqual(histogram, counts);
}

TEST_F(LatticeFieldsTest, ApplyTwoQubits) {
  constexpr int kQubits = 7;
  RandomNumbers random(5);
  const Matrix<4> gate = RandomUnitary<4>(random);
  std::vector<float> elements;
  for (const auto& row : gate) Append(row, elements);
  std::array<float, 32> argument;
  std::copy(elements.begin(), elements.end(), argument.begin());
  const std::vector<Complex> state = RandomState(1 << kQubits, 6000);
  for (const auto& [low, high, controls] : {std::array<int, 3>{0, 1, 0}, {2, 6, 0b10001}, {4, 5, 0b1000100}}) {
    const auto buffer = Buffer(Parts<float>(state));
    // The threads make more than one step, or some have nothing to do.
    const uint32_t threads = low == 2 ? 64 : 12;
    Launch("ApplyTwoQubits", {1}, {threads}, 0, buffer, int{kQubits}, low, high, uint64_t(controls), argument);
    ExpectNear(buffer, Parts<float>(Apply(gate, {low, high}, uint64_t(controls), state)), 0, 1e-6);
  }
}

TEST_F(LatticeFieldsTest, ApplyThreeQubits) {
  constexpr int kQubits = 8;
  RandomNumbers random(7);
  const Matrix<8> gate = RandomUnitary<8>(random);
  std::vector<double> elements;
  for (const auto& row : gate) Append(row, elements);
  const std::vector<Complex> state = RandomState(1 << kQubits, 8000);
  for (const std::array<int, 3>& targets : {std::array<int, 3>{0, 1, 2}, {1, 4, 7}, {2, 5, 6}}) {
    const auto buffer = Buffer(Parts<double>(state));
    Launch("ApplyThreeQubits", {2}, {24}, 0, buffer, int{kQubits}, targets, Buffer(elements));
    ExpectNear(buffer, Parts<double>(Apply(gate, {targets[0], targets[1], targets[2]}, 0, state)), 0, 1e-14);
  }
}

TEST_F(LatticeFieldsTest, ApplyLowQubits) {
  constexpr size_t kStretches = 14;
  RandomNumbers random(9);
  std::vector<float> elements;
  std::vector<Complex> state = RandomState(32 * kStretches, 10000);
  const auto buffer = Buffer(Parts<float>(state));
  for (int qubit = 0; qubit < 5; ++qubit) {
    const Matrix<2> gate = RandomUnitary<2>(random);
    for (const auto& row : gate) Append(row, elements);
    state = Apply(gate, {qubit}, 0, state);
  }
  Launch("ApplyLowQubits", {2}, {64}, 0, buffer, static_cast<int>(kStretches), Buffer(elements));
  ExpectNear(buffer, Parts<float>(state), 0, 2e-6);
}

}  // namespace
}  // namespace ptxmir::ptx
