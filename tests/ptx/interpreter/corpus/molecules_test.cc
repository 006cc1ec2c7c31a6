// SPDX-License-Identifier: Apache-2.0

// Compares molecular dynamics with definitions in double. Forces are differences of energies.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Vector = std::array<double, 3>;
using Vectors = std::vector<Vector>;
using Float4 = std::array<float, 4>;
using Int2 = std::array<int, 2>;
using Int3 = std::array<int, 3>;
using Int4 = std::array<int, 4>;
using Float2 = std::array<float, 2>;
using Float3 = std::array<float, 3>;

struct Box {
  Float3 size, inverse;
};

constexpr Float3 kSize = {3.0f, 3.5f, 4.0f};
const Box kBox = {kSize, {1 / kSize[0], 1 / kSize[1], 1 / kSize[2]}};

// Returns the shortest a - b among periodic images.
Vector Apart(const Vector& a, const Vector& b) {
  Vector d;
  for (int i = 0; i < 3; ++i) d[i] = std::remainder(a[i] - b[i], kSize[i]);
  return d;
}

double Dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double Length(const Vector& a) { return std::sqrt(Dot(a, a)); }
Vector Cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vectors ToVectors(const std::vector<Float4>& atoms) {
  Vectors out;
  for (const Float4& atom : atoms) out.push_back({atom[0], atom[1], atom[2]});
  return out;
}

std::vector<Float4> Anywhere(size_t count, uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<Float4> atoms(count);
  for (Float4& atom : atoms) {
    for (int i = 0; i < 3; ++i) atom[i] = random.Between(0.0f, kSize[i]);
    atom[3] = random.Between(-1.0f, 1.0f);
  }
  return atoms;
}

// Returns the forces on the atoms: minus the slopes of the energy.
std::vector<float> Forces(Vectors atoms, const std::function<double(const Vectors&)>& energy) {
  constexpr double kStep = 1e-5;
  std::vector<float> forces;
  for (Vector& atom : atoms) {
    for (double& x : atom) {
      const double middle = x;
      x = middle + kStep;
      const double more = energy(atoms);
      x = middle - kStep;
      const double less = energy(atoms);
      x = middle;
      forces.push_back(static_cast<float>((less - more) / (2 * kStep)));
    }
  }
  return forces;
}

// ---- molecules.

class MoleculesTest : public CorpusKernels {
 protected:
  MoleculesTest() : CorpusKernels("molecules") {}

  // Makes a chain of atoms through the box's walls.
  static std::vector<Float4> Chain(size_t count, uint64_t seed) {
    RandomNumbers random(seed);
    std::vector<Float4> atoms(count);
    Float4 at = {2.8f, 3.3f, 0.1f, 0};
    for (Float4& atom : atoms) {
      atom = at;
      for (int i = 0; i < 3; ++i) {
        at[i] += random.Between(0.05f, 0.2f) * (random.Any<bool>() ? 1.0f : -1.0f);
        if (at[i] < 0) at[i] += kSize[i];
        if (at[i] >= kSize[i]) at[i] -= kSize[i];
      }
    }
    return atoms;
  }
};

TEST_F(MoleculesTest, BondsAndAngles) {
  constexpr int kAtoms = 24, kBonds = 23, kAngles = 22;
  const std::vector<Float4> atoms = Chain(kAtoms, 1);
  std::vector<Int2> bonds;
  std::vector<Float2> bond_types;
  std::vector<Int4> angles;
  const std::vector<Float2> angle_types = {{1.9f, 40}, {2.1f, 55}};
  for (int i = 0; i < kBonds; ++i) {
    bonds.push_back({i + i % 2, i + 1 - i % 2});
    bond_types.push_back({0.2f + 0.001f * static_cast<float>(i), 300});
  }
  for (int i = 0; i < kAngles; ++i) angles.push_back({i, i + 1, i + 2, i % 2});
  const auto energy = [&](const Vectors& x) {
    double sum = 0;
    for (int i = 0; i < kBonds; ++i) {
      sum += 0.5 * bond_types[i][1] * std::pow(Length(Apart(x[bonds[i][0]], x[bonds[i][1]])) - bond_types[i][0], 2);
    }
    for (const Int4& angle : angles) {
      const Vector a = Apart(x[angle[0]], x[angle[1]]), b = Apart(x[angle[2]], x[angle[1]]);
      const double bend = std::atan2(Length(Cross(a, b)), Dot(a, b)) - angle_types[angle[3]][0];
      sum += 0.5 * angle_types[angle[3]][1] * bend * bend;
    }
    return sum;
  };
  const auto forces = Zeros<float>(3 * kAtoms);
  const auto energy_out = Zeros<float>(1);
  Launch("BondsAndAngles", {2}, {32}, 0, Buffer(atoms), kBox, Buffer(bonds), Buffer(bond_types), int{kBonds},
         Buffer(angles), Buffer(angle_types), int{kAngles}, forces, energy_out);
  ExpectNear(forces, Forces(ToVectors(atoms), energy), 1e-3, 5e-3);
  ExpectNear(energy_out, {static_cast<float>(energy(ToVectors(atoms)))}, 1e-5);
}

TEST_F(MoleculesTest, Dihedrals) {
  constexpr int kAtoms = 30, kCount = 27;
  const std::vector<Float4> atoms = Chain(kAtoms, 2);
  std::vector<Int4> fours;
  std::vector<int> types;
  for (int i = 0; i < kCount; ++i) {
    fours.push_back({i, i + 1, i + 2, i + 3});
    types.push_back(i % 3);
  }
  const std::vector<Float4> terms = {{4, 1, 0.3f, 0}, {2.5f, 3, 3.1416f, 0}, {-1.5f, 2, 0, 0},
                                     {9, 3, 0, 0},    {0, 0, 0, 0},          {99, 1, 0, 0},
                                     {1, 6, 1, 0},    {3, 2, 3.1416f, 0},    {0, 0, 0, 0}};
  const auto energy = [&](const Vectors& x) {
    double sum = 0;
    for (int i = 0; i < kCount; ++i) {
      const Vector a = Apart(x[i + 1], x[i]), b = Apart(x[i + 2], x[i + 1]), c = Apart(x[i + 3], x[i + 2]);
      // The angle between the planes of a and b, and of b and c: IUPAC's sign.
      const Vector ab = Cross(a, b), bc = Cross(b, c);
      const double phi = std::atan2(Length(b) * Dot(a, bc), Dot(ab, bc));
      for (int t = 0; t < 3; ++t) {
        const Float4& term = terms[types[i] * 3 + t];
        if (term[0] == 0) break;
        sum += term[0] * (1 + std::cos(term[1] * phi - term[2]));
      }
    }
    return sum;
  };
  const auto forces = Zeros<float>(3 * kAtoms);
  const auto energy_out = Zeros<float>(1);
  Launch("Dihedrals", {1}, {64}, 0, Buffer(atoms), kBox, Buffer(fours), Buffer(types), Buffer(terms), int{kCount},
         forces, energy_out);
  ExpectNear(forces, Forces(ToVectors(atoms), energy), 1e-3, 1e-2);
  ExpectNear(energy_out, {static_cast<float>(energy(ToVectors(atoms)))}, 1e-4);
}

TEST_F(MoleculesTest, FindNeighbors) {
  constexpr int kAtoms = 47, kMost = 20;
  constexpr float kCutoff = 0.99f;
  const Int3 cells = {3, 3, 4};
  const std::vector<Float4> atoms = Anywhere(kAtoms, 3);
  const auto cell = [&](int id) {
    Int3 at;
    for (int i = 0; i < 3; ++i) {
      at[i] = std::min(static_cast<int>(atoms[id][i] * kBox.inverse[i] * static_cast<float>(cells[i])), cells[i] - 1);
    }
    return (at[2] * cells[1] + at[1]) * cells[0] + at[0];
  };
  std::vector<int> ids, cell_starts(1);
  for (int c = 0; c < cells[0] * cells[1] * cells[2]; ++c) {
    for (int id = kAtoms - 1; id >= 0; --id) {
      if (cell(id) == c) ids.push_back(id);
    }
    cell_starts.push_back(static_cast<int>(ids.size()));
  }
  std::vector<Float4> sorted;
  for (int id : ids) sorted.push_back(atoms[id]);
  std::vector<int> exclusion_starts = {0}, exclusions;
  for (int id = 0; id < kAtoms; ++id) {
    for (int other = id % 3; other < kAtoms; other += 4 + id % 5) exclusions.push_back(other);
    exclusion_starts.push_back(static_cast<int>(exclusions.size()));
  }
  const Vectors x = ToVectors(atoms);
  std::vector<std::vector<int>> expected(kAtoms);
  size_t most_found = 0;
  for (int id = 0; id < kAtoms; ++id) {
    for (int other = 0; other < kAtoms; ++other) {
      if (other == id || Length(Apart(x[id], x[other])) >= kCutoff) continue;
      const auto begin = exclusions.begin() + exclusion_starts[id], end = exclusions.begin() + exclusion_starts[id + 1];
      if (std::find(begin, end, other) == end) expected[id].push_back(other);
    }
    most_found = std::max(most_found, expected[id].size());
  }
  for (int most : {kMost, static_cast<int>(most_found) - 1}) {
    const auto neighbors = Buffer(std::vector<int>(kAtoms * most, -1));
    const auto counts = Output<int>(kAtoms);
    const auto overflow = Zeros<int>(1);
    Launch("FindNeighbors", {12}, {128}, 0, Buffer(sorted), Buffer(ids), int{kAtoms}, kBox, cells, Buffer(cell_starts),
           kCutoff * kCutoff, Buffer(exclusion_starts), Buffer(exclusions), most, neighbors, counts, overflow);
    const std::vector<int> found = Read(neighbors), found_counts = Read(counts);
    for (int id = 0; id < kAtoms; ++id) {
      std::vector<int> list(found.begin() + id * most, found.begin() + id * most + found_counts[id]);
      std::sort(list.begin(), list.end());
      if (static_cast<int>(expected[id].size()) <= most) {
        EXPECT_EQ(list, expected[id]) << id;
      } else {
        EXPECT_EQ(static_cast<int>(list.size()), most);
        EXPECT_TRUE(std::includes(expected[id].begin(), expected[id].end(), list.begin(), list.end()));
      }
    }
    const int more = static_cast<int>(most_found);
    ExpectEqual(overflow, {more > most ? more : 0});
  }
}

struct Constraint {
  size_t a, b;
  double length;
};

// Moves atoms until all constraints hold: along the old directions, by amounts that the inverse masses weigh.
void Constrain(const Vectors& before, const std::vector<double>& inverse_masses,
               const std::vector<Constraint>& constraints, Vectors& after) {
  for (int round = 0; round < 500; ++round) {
    for (const auto& [a, b, length] : constraints) {
      Vector old, now;
      for (int i = 0; i < 3; ++i) {
        old[i] = before[a][i] - before[b][i];
        now[i] = after[a][i] - after[b][i];
      }
      const double amount =
          (length * length - Dot(now, now)) / (2 * (inverse_masses[a] + inverse_masses[b]) * Dot(old, now));
      for (int i = 0; i < 3; ++i) {
        after[a][i] += amount * inverse_masses[a] * old[i];
        after[b][i] -= amount * inverse_masses[b] * old[i];
      }
    }
  }
}

std::vector<float> ToFloats(const Vectors& vectors) {
  std::vector<float> floats;
  for (const Vector& v : vectors) {
    for (double x : v) floats.push_back(static_cast<float>(x));
  }
  return floats;
}

Vectors Rounded(Vectors vectors) {
  for (Vector& v : vectors) {
    for (double& x : v) x = static_cast<float>(x);
  }
  return vectors;
}

Vectors Jolted(Vectors vectors, double most, uint64_t seed) {
  RandomNumbers random(seed);
  for (Vector& v : vectors) {
    for (double& x : v) x += random.Between(-most, most);
  }
  return Rounded(vectors);
}

struct Water {
  float heavy_part, light_part, ra, rb, rc;
};

TEST_F(MoleculesTest, Settle) {
  constexpr int kCount = 37;
  constexpr double kOh = 0.09572, kHh = 0.15139, kO = 15.9994, kH = 1.008;
  constexpr float kInverseStep = 500;
  const double height = std::sqrt(kOh * kOh - kHh * kHh / 4);
  const double ra = height * 2 * kH / (kO + 2 * kH);
  const Water water = {static_cast<float>(kO / (kO + 2 * kH)), static_cast<float>(kH / (kO + 2 * kH)),
                       static_cast<float>(ra), static_cast<float>(height - ra), static_cast<float>(kHh / 2)};
  RandomNumbers random(5);
  Vectors before;
  std::vector<int> oxygens;
  std::vector<double> inverse_masses;
  for (int i = 0; i < kCount; ++i) {
    // Two axes at a right angle.
    Vector u, v;
    for (double& x : u) x = random.Between(-1.0, 1.0);
    for (double& x : v) x = random.Between(-1.0, 1.0);
    const double along = Dot(u, v) / Dot(u, u);
    for (int k = 0; k < 3; ++k) v[k] -= along * u[k];
    const Vector o = {random.Between(0.0, 1.0), random.Between(0.0, 1.0), random.Between(0.0, 1.0)};
    Vector b, c;
    for (int k = 0; k < 3; ++k) {
      b[k] = o[k] + height * u[k] / Length(u) + kHh / 2 * v[k] / Length(v);
      c[k] = o[k] + height * u[k] / Length(u) - kHh / 2 * v[k] / Length(v);
    }
    oxygens.push_back(3 * i);
    before.insert(before.end(), {o, b, c});
    inverse_masses.insert(inverse_masses.end(), {1 / kO, 1 / kH, 1 / kH});
  }
  before = Rounded(before);
  const Vectors moved = Jolted(before, 0.008, 6);
  Vectors after = moved;
  for (size_t o = 0; o < after.size(); o += 3) {
    Vectors old(before.begin() + o, before.begin() + o + 3), now(after.begin() + o, after.begin() + o + 3);
    Constrain(old, {1 / kO, 1 / kH, 1 / kH}, {{0, 1, kOh}, {0, 2, kOh}, {1, 2, kHh}}, now);
    std::copy(now.begin(), now.end(), after.begin() + o);
  }
  const std::vector<float> speeds = Random<float>(9 * kCount, 7, -1, 1);
  std::vector<float> expected_speeds = speeds;
  for (size_t i = 0; i < speeds.size(); ++i) {
    expected_speeds[i] += static_cast<float>(kInverseStep * (after[i / 3][i % 3] - moved[i / 3][i % 3]));
  }
  const auto after_buffer = Buffer(ToFloats(moved));
  const auto speed_buffer = Buffer(speeds);
  Launch("Settle", {2}, {32}, 0, Buffer(ToFloats(before)), after_buffer, speed_buffer, Buffer(oxygens), int{kCount},
         water, kInverseStep);
  ExpectNear(after_buffer, ToFloats(after), 0, 2e-6);
  ExpectNear(speed_buffer, expected_speeds, 0, 1e-3);
}

TEST_F(MoleculesTest, Shake) {
  constexpr int kCount = 35;
  constexpr float kTolerance = 1e-5f;
  RandomNumbers random(8);
  Vectors before;
  std::vector<Int4> clusters;
  std::vector<Float4> parameters;
  for (int i = 0; i < kCount; ++i) {
    const double length = 0.1 + 0.001 * i;
    const int first = static_cast<int>(before.size());
    Int4 cluster = {first, -1, -1, -1};
    before.push_back({random.Between(0.0, 1.0), random.Between(0.0, 1.0), random.Between(0.0, 1.0)});
    for (int k = 0; k <= i % 3; ++k) {
      Vector direction = {random.Between(-0.5, 0.5), random.Between(-0.5, 0.5), random.Between(-0.5, 0.5)};
      direction[k] += 1.5;
      Vector atom;
      for (int x = 0; x < 3; ++x) atom[x] = before[first][x] + length * direction[x] / Length(direction);
      cluster[k + 1] = first + k + 1;
      before.push_back(atom);
    }
    clusters.push_back(cluster);
    parameters.push_back({1 / 12.0f, 1 / 1.0f, static_cast<float>(length * length), 0});
  }
  before = Rounded(before);
  const Vectors moved = Jolted(before, 0.01, 9);
  Vectors after = moved;
  for (int i = 0; i < kCount; ++i) {
    std::vector<Constraint> constraints;
    std::vector<double> inverse_masses(after.size(), 1);
    inverse_masses[clusters[i][0]] = 1 / 12.0;
    for (int k = 1; k < 4 && clusters[i][k] >= 0; ++k) {
      constraints.push_back({static_cast<size_t>(clusters[i][0]), static_cast<size_t>(clusters[i][k]),
                             std::sqrt(double{parameters[i][2]})});
    }
    Constrain(before, inverse_masses, constraints, after);
  }
  const auto buffer = Buffer(ToFloats(moved));
  const auto rounds = Output<int>(kCount);
  Launch("Shake", {2}, {32}, 0, Buffer(ToFloats(before)), buffer, Buffer(clusters), Buffer(parameters), int{kCount},
         kTolerance, 50, rounds);
  ExpectNear(buffer, ToFloats(after), 0, 4e-6);
  for (int round : Read(rounds)) {
    EXPECT_GT(round, 1);
    EXPECT_LT(round, 30);
  }
  // One round is not enough.
  Launch("Shake", {2}, {32}, 0, Buffer(ToFloats(before)), Buffer(ToFloats(moved)), Buffer(clusters), Buffer(parameters),
         int{kCount}, kTolerance, 1, rounds);
  ExpectEqual(rounds, std::vector<int>(kCount, -1));
}

// ---- particle_mesh.

class ParticleMeshTest : public CorpusKernels {
 protected:
  ParticleMeshTest() : CorpusKernels("particle_mesh") {}

  static constexpr Int3 kCells = {6, 5, 8};

  // Returns the cardinal spline of order four: the density of a sum of four uniform numbers.
  static double Spline(double x) {
    double sum = 0, sign = 1, choose = 1;
    for (int k = 0; k <= 4; ++k) {
      if (x > k) sum += sign * choose * std::pow(x - k, 3) / 6;
      sign = -sign;
      choose = choose * (4 - k) / (k + 1);
    }
    return x >= 4 ? 0 : sum;
  }
  // Calls visit(place in the grid, weight) for each place of the grid with its images.
  static void ForEachPlace(const Vector& atom, const std::function<void(size_t, double)>& visit) {
    std::array<std::vector<double>, 3> weights;
    for (int i = 0; i < 3; ++i) {
      const double u = atom[i] / kSize[i] * kCells[i];
      for (int g = 0; g < kCells[i]; ++g) {
        double weight = 0;
        for (int image = -3; image <= 3; ++image) weight += Spline(u - (g + image * kCells[i]) + 3);
        weights[i].push_back(weight);
      }
    }
    for (size_t i = 0; i < static_cast<size_t>(kCells[0] * kCells[1] * kCells[2]); ++i) {
      visit(i,
            weights[0][i / kCells[2] / kCells[1]] * weights[1][i / kCells[2] % kCells[1]] * weights[2][i % kCells[2]]);
    }
  }
  static std::vector<Float4> Charges() {
    std::vector<Float4> atoms = Anywhere(21, 10);
    atoms[3][3] = 0;
    atoms[4][0] -= kSize[0];
    atoms[5][1] += 2 * kSize[1];
    return atoms;
  }
};

TEST_F(ParticleMeshTest, SpreadCharges) {
  const std::vector<Float4> atoms = Charges();
  std::vector<double> sums(kCells[0] * kCells[1] * kCells[2]);
  const Vectors x = ToVectors(atoms);
  for (size_t a = 0; a < atoms.size(); ++a) {
    ForEachPlace(x[a], [&](size_t place, double weight) { sums[place] += atoms[a][3] * weight; });
  }
  const auto grid = Zeros<float>(sums.size());
  Launch("SpreadCharges", {1}, {32}, 0, Buffer(atoms), static_cast<int>(atoms.size()), kBox.inverse, kCells, grid);
  ExpectNear(grid, std::vector<float>(sums.begin(), sums.end()), 1e-5, 2e-6);
}

TEST_F(ParticleMeshTest, GatherForces) {
  const std::vector<Float4> atoms = Charges();
  const std::vector<float> potential = Random<float>(kCells[0] * kCells[1] * kCells[2], 11, -1, 1);
  const Vectors x = ToVectors(atoms);
  const auto energy = [&](const Vectors& at) {
    double sum = 0;
    for (size_t a = 0; a < atoms.size(); ++a) {
      ForEachPlace(at[a], [&](size_t place, double weight) { sum += atoms[a][3] * weight * potential[place]; });
    }
    return sum;
  };
  const auto forces = Output<float>(4 * atoms.size());
  Launch("GatherForces", {1}, {32}, 0, Buffer(atoms), static_cast<int>(atoms.size()), kBox.inverse, kCells,
         Buffer(potential), forces);
  const std::vector<float> found = Read(forces);
  std::vector<float> found_forces;
  double found_energy = 0;
  for (size_t a = 0; a < atoms.size(); ++a) {
    found_forces.insert(found_forces.end(), &found[4 * a], &found[4 * a] + 3);
    found_energy += found[4 * a + 3];
  }
  std::vector<float> expected;
  for (size_t a = 0; a < atoms.size(); ++a) {
    const std::vector<float> force = Forces({x[a]}, [&](const Vectors& at) {
      double sum = 0;
      ForEachPlace(at[0], [&](size_t place, double weight) { sum += atoms[a][3] * weight * potential[place]; });
      return sum;
    });
    expected.insert(expected.end(), force.begin(), force.end());
  }
  ExpectNearValues<float>(found_forces, expected, 1e-4, 1e-5);
  EXPECT_NEAR(found_energy, 0.5 * energy(x), 1e-5);
}

TEST_F(ParticleMeshTest, PairForces) {
  constexpr int kAtoms = 23, kTypes = 3, kMost = 22;
  constexpr float kSwitch = 0.9f, kCutoff = 1.3f, kEwald = 2.0f;
  const std::vector<Float4> atoms = Anywhere(kAtoms, 12);
  const std::vector<Float2> table = {{1e-6f, 2e-3f}, {2e-6f, 1e-3f}, {0, 0},         {2e-6f, 1e-3f}, {4e-6f, 3e-3f},
                                     {1e-6f, 1e-3f}, {0, 0},         {1e-6f, 1e-3f}, {3e-6f, 2e-3f}};
  std::vector<int> types, neighbors(kAtoms * kMost, -1), counts;
  for (int i = 0; i < kAtoms; ++i) types.push_back(i % kTypes);
  for (int i = 0; i < kAtoms; ++i) {
    int count = 0;
    for (int j = 0; j < kAtoms; ++j) {
      if (i != j && (i + j) % 5 != 0) neighbors[i * kMost + count++] = j;
    }
    counts.push_back(count);
  }
  const Vectors x = ToVectors(atoms);
  const auto pair_energy = [&](int i, int j, const Vector& a, const Vector& b) {
    const double r = Length(Apart(a, b));
    if (r >= kCutoff) return 0.0;
    const Float2& type = table[types[i] * kTypes + types[j]];
    const double t = std::max(0.0, (r - kSwitch) / (double{kCutoff} - kSwitch));
    const double on = 1 - 10 * std::pow(t, 3) + 15 * std::pow(t, 4) - 6 * std::pow(t, 5);
    return on * (type[0] / std::pow(r, 12) - type[1] / std::pow(r, 6)) +
           double{atoms[i][3]} * atoms[j][3] * std::erfc(kEwald * r) / r;
  };
  std::vector<float> expected;
  for (int i = 0; i < kAtoms; ++i) {
    const auto energy = [&](const Vectors& at) {
      double sum = 0;
      for (int n = 0; n < counts[i]; ++n)
        sum += pair_energy(i, neighbors[i * kMost + n], at[0], x[neighbors[i * kMost + n]]);
      return sum;
    };
    const std::vector<float> force = Forces({x[i]}, energy);
    expected.insert(expected.end(), force.begin(), force.end());
    expected.push_back(static_cast<float>(0.5 * energy({x[i]})));
  }
  const auto forces = Output<float>(4 * kAtoms);
  Launch("PairForces", {3}, {32}, kTypes * kTypes * sizeof(Float2), Buffer(atoms), Buffer(types), int{kAtoms},
         kBox.size, kBox.inverse, Buffer(neighbors), Buffer(counts), int{kMost}, Buffer(table), int{kTypes}, kSwitch,
         kCutoff, kEwald, forces);
  ExpectNear(forces, expected, 1e-4, 1e-4);
}

}  // namespace
}  // namespace ptxmir::ptx
