// SPDX-License-Identifier: Apache-2.0

// Compares finite_elements with the methods' definitions in double precision.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Point = std::array<double, 3>;

// Solves a dense system by elimination with pivots.
std::vector<double> Solve(std::vector<std::vector<double>> matrix, std::vector<double> right) {
  const size_t n = right.size();
  for (size_t i = 0; i < n; ++i) {
    size_t pivot = i;
    for (size_t k = i; k < n; ++k) {
      if (std::abs(matrix[k][i]) > std::abs(matrix[pivot][i])) pivot = k;
    }
    std::swap(matrix[i], matrix[pivot]);
    std::swap(right[i], right[pivot]);
    for (size_t k = i + 1; k < n; ++k) {
      const double factor = matrix[k][i] / matrix[i][i];
      for (size_t j = i; j < n; ++j) matrix[k][j] -= factor * matrix[i][j];
      right[k] -= factor * right[i];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; ++j) right[i] -= matrix[i][j] * right[j];
    right[i] /= matrix[i][i];
  }
  return right;
}

// The gradients of a hexahedron's eight functions at a Gauss point, and its weight.
struct AtPoint {
  std::array<Point, 8> gradients;
  double weight;
};

AtPoint Evaluate(const std::array<Point, 8>& corners, int q) {
  const double place = 1 / std::sqrt(3.0);
  const Point at = {q & 1 ? place : -place, q & 2 ? place : -place, q & 4 ? place : -place};
  std::array<Point, 8> local;
  std::vector<std::vector<double>> jacobian(3, std::vector<double>(3));
  for (int n = 0; n < 8; ++n) {
    for (int axis = 0; axis < 3; ++axis) {
      local[n][axis] = 1;
      for (int k = 0; k < 3; ++k) {
        const double sign = n >> k & 1 ? 1 : -1;
        local[n][axis] *= k == axis ? sign / 2 : (1 + sign * at[k]) / 2;
      }
      for (int i = 0; i < 3; ++i) jacobian[axis][i] += local[n][axis] * corners[n][i];
    }
  }
  AtPoint result;
  for (int n = 0; n < 8; ++n) {
    const std::vector<double> gradient = Solve(jacobian, {local[n][0], local[n][1], local[n][2]});
    result.gradients[n] = {gradient[0], gradient[1], gradient[2]};
  }
  const auto& j = jacobian;
  result.weight = 0;
  for (int i = 0; i < 3; ++i) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    result.weight += j[0][i] * (j[1][k] * j[2][l] - j[1][l] * j[2][k]);
  }
  return result;
}

class FiniteElementsTest : public CorpusKernels {
 protected:
  FiniteElementsTest() : CorpusKernels("finite_elements") {}

  // Makes a mesh of n^3 distorted cubes. `corners_` has the nodes of each.
  void MakeMesh(int n) {
    RandomNumbers random(1);
    for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); ++i) {
      const int place[3] = {i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1) / (n + 1)};
      for (const int p : place) points_.push_back(static_cast<float>(p + random.Between(-0.15, 0.15)));
    }
    for (int e = 0; e < n * n * n; ++e) {
      std::array<int32_t, 8> nodes;
      for (int k = 0; k < 8; ++k) {
        const int x = e % n + (k & 1), y = e / n % n + (k >> 1 & 1), z = e / n / n + (k >> 2);
        nodes[k] = (z * (n + 1) + y) * (n + 1) + x;
      }
      elements_.push_back(nodes);
    }
  }
  std::array<Point, 8> Corners(size_t e) const {
    std::array<Point, 8> corners;
    for (int k = 0; k < 8; ++k) {
      for (int i = 0; i < 3; ++i) corners[k][i] = points_[3 * elements_[e][k] + i];
    }
    return corners;
  }

  std::vector<float> points_;
  std::vector<std::array<int32_t, 8>> elements_;
};

TEST_F(FiniteElementsTest, HexahedronStiffness) {
  MakeMesh(2);
  elements_.resize(5);
  const std::vector<float> materials = Random<float>(10, 2, 0.5f, 2.0f);
  std::vector<float> expected;
  for (size_t e = 0; e < 5; ++e) {
    const double lambda = materials[2 * e], mu = materials[2 * e + 1];
    std::vector<double> stiffness(576);
    for (int q = 0; q < 8; ++q) {
      // The sum of B^T D B over the points, with strains in Voigt's order.
      const AtPoint at = Evaluate(Corners(e), q);
      double b[6][24] = {};
      for (int n = 0; n < 8; ++n) {
        const Point& g = at.gradients[n];
        for (int i = 0; i < 3; ++i) {
          b[i][3 * n + i] = g[i];
          b[3 + i][3 * n + (i + 1) % 3] = g[(i + 2) % 3];
          b[3 + i][3 * n + (i + 2) % 3] = g[(i + 1) % 3];
        }
      }
      for (int row = 0; row < 24; ++row) {
        for (int column = 0; column < 24; ++column) {
          for (int s = 0; s < 6; ++s) {
            double stress = (s < 3 ? 2 * mu : mu) * b[s][column];
            if (s < 3) stress += lambda * (b[0][column] + b[1][column] + b[2][column]);
            stiffness[24 * row + column] += at.weight * b[s][row] * stress;
          }
        }
      }
    }
    for (const double k : stiffness) expected.push_back(static_cast<float>(k));
  }
  std::vector<int32_t> nodes;
  for (const auto& element : elements_) nodes.insert(nodes.end(), element.begin(), element.end());
  const auto stiffness = Output<float>(expected.size());
  Launch("HexahedronStiffness", {2}, {64}, 0, Buffer(points_), Buffer(nodes), 5, Buffer(materials), stiffness);
  ExpectNear(stiffness, expected, 1e-5, 1e-5);
}

TEST_F(FiniteElementsTest, HexahedronLaplace) {
  MakeMesh(3);
  const size_t nodes = points_.size() / 3;
  const std::vector<float> u = Random<float>(nodes, 3, -1, 1);
  const std::vector<float> conductivity = Random<float>(27, 4, 0.5f, 2.0f);
  std::vector<double> sums(nodes);
  std::vector<int32_t> by_corner(8 * 27);
  for (size_t e = 0; e < 27; ++e) {
    for (int q = 0; q < 8; ++q) {
      const AtPoint at = Evaluate(Corners(e), q);
      for (int a = 0; a < 8; ++a) {
        for (int b = 0; b < 8; ++b) {
          for (int i = 0; i < 3; ++i) {
            sums[elements_[e][a]] +=
                conductivity[e] * at.weight * at.gradients[a][i] * at.gradients[b][i] * u[elements_[e][b]];
          }
        }
      }
    }
    for (int k = 0; k < 8; ++k) by_corner[27 * k + e] = elements_[e][k];
  }
  const auto result = Zeros<float>(nodes);
  Launch("HexahedronLaplace", {1}, {32}, 0, Buffer(points_), Buffer(by_corner), 27, Buffer(conductivity), Buffer(u),
         result);
  ExpectNear(result, std::vector<float>(sums.begin(), sums.end()), 1e-5, 1e-5);
}

using State = std::array<double, 5>;

// A gas's variables of the Euler equations along a normal.
struct Gas {
  Gas(const State& u, const Point& n, double gamma) : conserved(u) {
    density = u[0];
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
      velocity[i] = u[1 + i] / u[0];
      normal_velocity += velocity[i] * n[i];
      squares += velocity[i] * velocity[i];
    }
    pressure = (gamma - 1) * (u[4] - density * squares / 2);
    sound = std::sqrt(gamma * pressure / density);
    for (int k = 0; k < 5; ++k) flux[k] = u[k] * normal_velocity;
    for (int i = 0; i < 3; ++i) flux[1 + i] += pressure * n[i];
    flux[4] += pressure * normal_velocity;
  }

  // Returns Toro's flux behind the wave of speed `wave`, with a contact of speed `middle`.
  State FluxBehind(double wave, double middle, const Point& n) const {
    State star;
    const double factor = density * (wave - normal_velocity) / (wave - middle);
    star[0] = factor;
    for (int i = 0; i < 3; ++i) star[1 + i] = factor * (velocity[i] + (middle - normal_velocity) * n[i]);
    star[4] = factor * (conserved[4] / density +
                        (middle - normal_velocity) * (middle + pressure / (density * (wave - normal_velocity))));
    State result;
    for (int k = 0; k < 5; ++k) result[k] = flux[k] + wave * (star[k] - conserved[k]);
    return result;
  }

  State conserved, flux;
  Point velocity;
  double density = 0, normal_velocity = 0, pressure = 0, sound = 0;
};

TEST_F(FiniteElementsTest, HllcFlux) {
  constexpr int32_t kCells = 20, kFaces = 83;
  constexpr double kGamma = 1.4;
  RandomNumbers random(2);
  std::vector<float> cells(5 * kCells);
  for (int i = 0; i < kCells; ++i) {
    const double density = random.Between(0.5, 2.0);
    double energy = random.Between(0.5, 3.0) / (kGamma - 1);
    cells[i] = static_cast<float>(density);
    for (int k = 1; k <= 3; ++k) {
      const double v = random.Between(-2.5, 2.5);
      cells[k * kCells + i] = static_cast<float>(density * v);
      energy += density * v * v / 2;
    }
    cells[4 * kCells + i] = static_cast<float>(energy);
  }
  std::vector<int32_t> sides;
  std::vector<float> faces;
  std::vector<float> expected(5 * kFaces);
  double fastest = 0;
  int kinds[4] = {};
  for (int f = 0; f < kFaces; ++f) {
    Point n;
    double length = 0;
    for (double& v : n) {
      v = random.Between(-1.0, 1.0);
      length += v * v;
    }
    for (double& v : n) faces.push_back(static_cast<float>(v /= std::sqrt(length)));
    const float area = random.Between(0.5f, 1.5f);
    faces.push_back(area);
    const int32_t left = random.Between(0, kCells - 1);
    const int32_t right = f % 7 == 3 ? -1 : random.Between(0, kCells - 1);
    sides.insert(sides.end(), {left, right});
    State ul, ur;
    for (int k = 0; k < 5; ++k) ul[k] = cells[k * kCells + left];
    const Gas l(ul, n, kGamma);
    for (int k = 0; k < 5; ++k) ur[k] = right < 0 ? ul[k] : cells[k * kCells + right];
    for (int i = 0; i < 3 && right < 0; ++i) ur[1 + i] -= 2 * l.density * l.normal_velocity * n[i];
    const Gas r(ur, n, kGamma);
    const double wl = std::sqrt(l.density), wr = std::sqrt(r.density);
    const auto mean = [&](double a, double b) { return (wl * a + wr * b) / (wl + wr); };
    const double u = mean(l.normal_velocity, r.normal_velocity);
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(mean(l.velocity[i], r.velocity[i]), 2);
    const double h = mean((ul[4] + l.pressure) / l.density, (ur[4] + r.pressure) / r.density);
    const double c = std::sqrt((kGamma - 1) * (h - squares / 2));
    const double sl = std::min(l.normal_velocity - l.sound, u - c);
    const double sr = std::max(r.normal_velocity + r.sound, u + c);
    const double middle = (r.pressure - l.pressure + l.density * l.normal_velocity * (sl - l.normal_velocity) -
                           r.density * r.normal_velocity * (sr - r.normal_velocity)) /
                          (l.density * (sl - l.normal_velocity) - r.density * (sr - r.normal_velocity));
    const int kind = sl >= 0 ? 0 : middle >= 0 ? 1 : sr > 0 ? 2 : 3;
    ++kinds[kind];
    const State flux = kind == 0   ? l.flux
                       : kind == 1 ? l.FluxBehind(sl, middle, n)
                       : kind == 2 ? r.FluxBehind(sr, middle, n)
                                   : r.flux;
    for (int k = 0; k < 5; ++k) expected[k * kFaces + f] = static_cast<float>(area * flux[k]);
    fastest = std::max({fastest, std::abs(sl), std::abs(sr)});
  }
  for (const int kind : kinds) EXPECT_GT(kind, 3);
  const auto fluxes = Output<float>(5 * kFaces);
  const auto speed = Zeros<float>(1);
  Launch("HllcFlux", {3}, {32}, 0, Buffer(cells), kCells, Buffer(sides), Buffer(faces), kFaces, 1.4f, fluxes, speed);
  ExpectNear(fluxes, expected, 1e-4, 1e-4);
  ExpectNear(speed, {static_cast<float>(fastest)}, 1e-5);
}

TEST_F(FiniteElementsTest, WenoAdvect) {
  constexpr int32_t kWidth = 40, kHeight = 9;
  const std::vector<double> in = Random<double>(kWidth * kHeight, 6, -1, 1);
  const std::vector<double> speeds = Random<double>(kWidth * kHeight, 7, -1, 1);
  std::vector<double> expected = in;
  for (int x = 0; x < kWidth; ++x) {
    const auto cell = [&](int y) { return in[(y + 2 * kHeight) % kHeight * kWidth + x]; };
    for (int y = 0; y < kHeight; ++y) {
      // The flux between y - 1 and y. In the upwind cell's coordinates, the border is at 1/2.
      const double speed = speeds[y * kWidth + x];
      const int center = speed >= 0 ? y - 1 : y;
      const int way = speed >= 0 ? 1 : -1;
      double sum = 0, weights = 0;
      for (int k = -1; k <= 1; ++k) {
        // The parabola with the averages of three cells around k.
        const double before = cell(center + way * (k - 1)), here = cell(center + way * k),
                     after = cell(center + way * (k + 1));
        const double c2 = (before - 2 * here + after) / 2, c1 = (after - before) / 2, c0 = here - c2 / 12;
        const double at = 0.5 - k;
        // The integrals of the squared derivatives over the upwind cell.
        const double smoothness = std::pow(c1 - 2 * c2 * k, 2) + c2 * c2 / 3 + 4 * c2 * c2;
        const double weight = (k < 0 ? 0.1 : k == 0 ? 0.6 : 0.3) / std::pow(1e-6 + smoothness, 2);
        sum += weight * (c0 + c1 * at + c2 * at * at);
        weights += weight;
      }
      const double flux = speed * sum / weights;
      expected[y * kWidth + x] += 0.2 * flux;
      expected[(y + kHeight - 1) % kHeight * kWidth + x] -= 0.2 * flux;
    }
  }
  const auto out = Output<double>(in.size());
  Launch("WenoAdvectIdE", {2}, {32}, 0, Buffer(in), Buffer(speeds), out, kWidth, kHeight, 0.2);
  ExpectNear(out, expected, 1e-10, 1e-10);
}

TEST_F(FiniteElementsTest, TridiagonalCyclic) {
  for (const int32_t n : {45, 64, 1}) {
    const size_t cells = static_cast<size_t>(3 * n);
    const std::vector<float> lower = Random<float>(cells, 8, -1, 1), upper = Random<float>(cells, 9, -1, 1);
    const std::vector<float> diagonal = Random<float>(cells, 10, 2.5f, 4), right = Random<float>(cells, 11, -1, 1);
    std::vector<float> expected;
    for (int32_t system = 0; system < 3; ++system) {
      std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
      const int32_t base = system * n;
      for (int32_t i = 0; i < n; ++i) {
        matrix[i][i] = diagonal[base + i];
        if (i > 0) matrix[i][i - 1] = lower[base + i];
        if (i + 1 < n) matrix[i][i + 1] = upper[base + i];
      }
      const auto begin = right.begin() + base;
      for (const double x : Solve(matrix, std::vector<double>(begin, begin + n))) {
        expected.push_back(static_cast<float>(x));
      }
    }
    const auto solution = Output<float>(cells);
    Launch("TridiagonalCyclic", {3}, {64}, static_cast<uint32_t>(16 * n), Buffer(lower), Buffer(diagonal),
           Buffer(upper), Buffer(right), n, solution);
    ExpectNear(solution, expected, 1e-5, 1e-5, StrCat("rows: ", n));
  }
}

TEST_F(FiniteElementsTest, BlockTridiagonal) {
  constexpr int32_t kSystems = 41;
  for (const int32_t n : {6, 1}) {
    const size_t cells = static_cast<size_t>(9 * n * kSystems);
    const std::vector<double> lower = Random<double>(cells, 12, -1, 1), upper = Random<double>(cells, 13, -1, 1);
    std::vector<double> diagonal = Random<double>(cells, 14, -1, 1);
    const std::vector<double> right = Random<double>(cells / 3, 15, -1, 1);
    std::vector<double> expected(cells / 3);
    for (int32_t s = 0; s < kSystems; ++s) {
      std::vector<std::vector<double>> matrix(3 * n, std::vector<double>(3 * n));
      std::vector<double> b;
      for (int32_t row = 0; row < 3 * n; ++row) {
        b.push_back(right[row * kSystems + s]);
        const int32_t block = row / 3;
        for (int32_t j = 0; j < 3; ++j) {
          const int32_t at = (3 * row + j) * kSystems + s;
          if (row % 3 == j) diagonal[at] += 8;
          matrix[row][3 * block + j] = diagonal[at];
          if (block > 0) matrix[row][3 * block - 3 + j] = lower[at];
          if (block + 1 < n) matrix[row][3 * block + 3 + j] = upper[at];
        }
      }
      const std::vector<double> x = Solve(matrix, b);
      for (int32_t row = 0; row < 3 * n; ++row) expected[row * kSystems + s] = x[row];
    }
    const auto work = Zeros<double>(cells);
    const auto solution = Output<double>(expected.size());
    Launch("BlockTridiagonal", {2}, {32}, 0, Buffer(lower), Buffer(diagonal), Buffer(upper), Buffer(right), n, kSystems,
           work, solution);
    ExpectNear(solution, expected, 1e-11, 1e-12, StrCat("rows: ", n));
  }
}

}  // namespace
}  // namespace ptxmir::ptx
