// SPDX-License-Identifier: Apache-2.0

// Compares rays with a search through all triangles, and textures with arrays.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

struct Vec {
  double x, y, z;

  Vec operator+(const Vec& o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(const Vec& o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(const Vec& o) const { return {x * o.x, y * o.y, z * o.z}; }
  Vec operator*(double s) const { return {x * s, y * s, z * s}; }
};
double Dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec Cross(const Vec& a, const Vec& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec Unit(const Vec& a) { return a * (1 / std::sqrt(Dot(a, a))); }

// The layout in memory.
struct FloatVec {
  float x, y, z;
};
struct Node {
  float low[3];
  int32_t left;
  float high[3];
  int32_t count;
};
struct Triangle {
  FloatVec a, ab, ac;
  int32_t material;
};
struct Material {
  FloatVec color, glow;
  float gloss;
};
Vec Wide(const FloatVec& v) { return {v.x, v.y, v.z}; }

struct Scene {
  std::vector<Triangle> triangles;
  std::vector<Material> materials;
};

class RayTracingTest : public CorpusKernels {
 protected:
  RayTracingTest() : CorpusKernels("ray_tracing") {}

  // A floor, a mirror, a lamp and some more.
  static Scene MakeScene() {
    Scene scene;
    scene.materials = {{{0.8f, 0.7f, 0.6f}, {0, 0, 0}, 0},
                       {{0.9f, 0.9f, 0.9f}, {0, 0, 0}, 1},
                       {{0.2f, 0.2f, 0.2f}, {3, 2.5f, 2}, 0},
                       {{0.4f, 0.6f, 0.9f}, {0.1f, 0, 0}, 0.5f}};
    scene.triangles = {{{-4, -1, 4}, {8, 0, 0}, {0, 0, -12}, 0},
                       {{4, -1, -8}, {-8, 0, 0}, {0, 0, 12}, 0},
                       {{-2, -1, -2}, {2, 0, -1}, {0, 3, 0.5f}, 1},
                       {{0.5f, 2.5f, -2}, {1, 0, 0}, {0, 0.1f, 1}, 2},
                       {{0.4f, -1, -1}, {1.2f, 0.2f, -1}, {0.3f, 1.6f, -0.3f}, 3},
                       {{-1, -0.5f, 0}, {0.5f, 0, 0.3f}, {0, 0.7f, 0}, 3}};
    return scene;
  }

  // Returns a tree whose leaves hold two triangles.
  static std::vector<Node> MakeTree(const Scene& scene) {
    std::vector<Node> nodes(5);
    const auto fit = [&](Node* node, int first, int count) {
      for (int axis = 0; axis < 3; ++axis) {
        node->low[axis] = std::numeric_limits<float>::max();
        node->high[axis] = std::numeric_limits<float>::lowest();
        for (int i = first; i < first + count; ++i) {
          const Triangle& t = scene.triangles[i];
          const auto component = [&](const FloatVec& v) { return std::array<float, 3>{v.x, v.y, v.z}[axis]; };
          for (const float corner : {0.0f, component(t.ab), component(t.ac)}) {
            node->low[axis] = std::min(node->low[axis], component(t.a) + corner - 0.01f);
            node->high[axis] = std::max(node->high[axis], component(t.a) + corner + 0.01f);
          }
        }
      }
    };
    const auto make = [&](int at, int first, int count, int left) {
      fit(&nodes[at], first, count);
      nodes[at].left = left;
      nodes[at].count = left == first ? count : 0;
    };
    make(0, 0, 6, 1);
    nodes[0].count = 0;
    make(1, 0, 2, 0);
    make(2, 2, 4, 3);
    nodes[2].count = 0;
    make(3, 2, 2, 2);
    make(4, 4, 2, 4);
    return nodes;
  }

  struct Hit {
    double t = std::numeric_limits<double>::infinity();
    int triangle = -1;
  };
  // Solves from + t along = a + u ab + v ac by Cramer's rule.
  static Hit Find(const Scene& scene, const Vec& from, const Vec& along) {
    Hit hit;
    for (size_t i = 0; i < scene.triangles.size(); ++i) {
      const Vec ab = Wide(scene.triangles[i].ab);
      const Vec ac = Wide(scene.triangles[i].ac);
      const Vec s = from - Wide(scene.triangles[i].a);
      const Vec minus = along * -1;
      const double det = Dot(minus, Cross(ab, ac));
      if (std::abs(det) < 1e-9) continue;
      const double t = Dot(s, Cross(ab, ac)) / det;
      const double u = Dot(minus, Cross(s, ac)) / det;
      const double v = Dot(minus, Cross(ab, s)) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && t > 1e-4 && t < hit.t) hit = {t, static_cast<int>(i)};
    }
    return hit;
  }

  // PCG, as Jarzynski and Olano recommend for GPUs.
  static double NextRandom(uint32_t* state) {
    *state = *state * 747796405u + 2891336453u;
    const uint32_t word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
    return (((word >> 22) ^ word) >> 8) * 0x1p-24;
  }

  static Vec Radiance(const Scene& scene, Vec from, Vec along, uint32_t* state) {
    Vec sum = {0, 0, 0};
    Vec weight = {1, 1, 1};
    for (int bounce = 0; bounce < 8; ++bounce) {
      const Hit hit = Find(scene, from, along);
      if (hit.triangle < 0) {
        const double t = (along.y + 1) / 2;
        return sum + weight * Vec{1 - 0.5 * t, 1 - 0.3 * t, 1};
      }
      const Triangle& triangle = scene.triangles[static_cast<size_t>(hit.triangle)];
      const Material& material = scene.materials[static_cast<size_t>(triangle.material)];
      sum = sum + weight * Wide(material.glow);
      weight = weight * Wide(material.color);
      if (bounce > 3) {
        const double keep = std::max({weight.x, weight.y, weight.z});
        if (NextRandom(state) > keep) break;
        weight = weight * (1 / keep);
      }
      Vec normal = Unit(Cross(Wide(triangle.ab), Wide(triangle.ac)));
      if (Dot(normal, along) > 0) normal = normal * -1;
      from = from + along * hit.t;
      if (NextRandom(state) < material.gloss) {
        along = along - normal * (2 * Dot(along, normal));
      } else {
        const double z = 1 - 2 * NextRandom(state);
        const double r = std::sqrt(std::max(0.0, 1 - z * z));
        const double angle = 2 * M_PI * NextRandom(state);
        along = Unit(normal + Vec{r * std::cos(angle), r * std::sin(angle), z});
      }
    }
    return sum;
  }
};

TEST_F(RayTracingTest, Trace) {
  constexpr int kWidth = 28;
  constexpr int kHeight = 13;
  constexpr int kSamples = 2;
  constexpr uint32_t kSeed = 12345;
  const Scene scene = MakeScene();
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      uint32_t state = kSeed ^ static_cast<uint32_t>(y * kWidth + x) * 9781;
      Vec sum = {0, 0, 0};
      for (int sample = 0; sample < kSamples; ++sample) {
        const double u = (x + NextRandom(&state)) / kWidth - 0.5;
        const double v = 0.5 - (y + NextRandom(&state)) / kHeight;
        sum = sum + Radiance(scene, {0, 1, 3}, Unit({u, v, -1}), &state);
      }
      for (const double component : {sum.x, sum.y, sum.z}) {
        expected.push_back(static_cast<float>(std::sqrt(component / kSamples)));
      }
      expected.push_back(1);
    }
  }
  const auto image = Output<float>(expected.size());
  Launch("Trace", {2, 2}, {128}, 0, Buffer(MakeTree(scene)), Buffer(scene.triangles), Buffer(scene.materials), image,
         kWidth, kHeight, kSamples, kSeed);
  const std::vector<float> actual = Read(image);
  // Due to rounding, a ray that just misses an edge in one computation may hit it in the other, and its path then
  // differs.
  size_t different = 0;
  for (size_t i = 0; i < actual.size(); ++i) different += std::abs(actual[i] - expected[i]) > 1e-3 ? 1 : 0;
  EXPECT_LE(different, actual.size() / 50);
}

TEST_F(RayTracingTest, Shadows) {
  constexpr int kCount = 5;
  constexpr int kRays = 128;
  const std::vector<float> spheres = Random<float>(4 * kCount, 1, 0.3, 2);
  std::vector<float> rays = Random<float>(6 * kRays, 2, -3, 3);
  std::vector<uint32_t> expected(kRays / 32);
  int lit_rays = 0;
  for (int i = 0; i < kRays; ++i) {
    const Vec along = Unit({rays[6 * i + 3], rays[6 * i + 4], rays[6 * i + 5]});
    rays[6 * i + 3] = static_cast<float>(along.x);
    rays[6 * i + 4] = static_cast<float>(along.y);
    rays[6 * i + 5] = static_cast<float>(along.z);
    bool is_lit = true;
    for (int s = 0; s < kCount; ++s) {
      // The point of the ray nearest to the center in front of its start, or the start itself if it is in the
      // sphere.
      const Vec to = Vec{spheres[4 * s], spheres[4 * s + 1], spheres[4 * s + 2]} -
                     Vec{rays[6 * i], rays[6 * i + 1], rays[6 * i + 2]};
      const double radius = spheres[4 * s + 3];
      const double t = Dot(to, along);
      const Vec nearest = to - along * t;
      is_lit &= !((t > 0 && Dot(nearest, nearest) < radius * radius) || Dot(to, to) < radius * radius);
    }
    expected[i / 32] |= (is_lit ? 1u : 0u) << (i % 32);
    lit_rays += is_lit ? 1 : 0;
  }
  ASSERT_GT(lit_rays, kRays / 10);
  ASSERT_LT(lit_rays, kRays);
  const auto lit = Output<uint32_t>(expected.size());
  Launch("Shadows", {2}, {64}, 0, Buffer(spheres), kCount, Buffer(rays), lit);
  ExpectEqual(lit, expected);
}

TEST_F(RayTracingTest, SphereTrace) {
  constexpr int kWidth = 16;
  constexpr int kHeight = 16;
  constexpr double kTime = 0.75;
  std::vector<int> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const Vec along = Unit({(2.0 * x - kWidth) / kHeight, (2.0 * y - kHeight) / kHeight, 1.5});
      double t = 0;
      int steps = 0;
      for (; steps < 96 && t < 20; ++steps) {
        const Vec p = Vec{0, 0, -4} + along * t;
        const double ball = std::sqrt(Dot(p, p)) - 1 - 0.1 * std::sin(2 * p.y + kTime);
        const double ring = std::hypot(std::hypot(p.x, p.z) - 1.6, p.y) - 0.2;
        const double distance = std::min(ball, ring);
        if (distance < 1e-3) break;
        t += distance;
      }
      expected.push_back(static_cast<int>(std::clamp(1 - steps / 96.0, 0.0, 1.0) * 255));
    }
  }
  const auto image = Output<uint8_t>(4 * kWidth * kHeight);
  Launch("SphereTrace", {2, 2}, {8, 8}, 0, image, kWidth, kHeight, static_cast<float>(kTime));
  const std::vector<uint8_t> actual = Read(image);
  // The number of steps may differ if a distance is close to the limit.
  int different = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    different += std::abs(actual[4 * i] - expected[i]) > 0 ? 1 : 0;
    EXPECT_EQ(actual[4 * i + 1], actual[4 * i] / 2);
    EXPECT_EQ(actual[4 * i + 2], 255 - actual[4 * i]);
    EXPECT_EQ(actual[4 * i + 3], 255);
  }
  EXPECT_LE(different, 5);
  EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](int shade) { return shade < 200; }), 5);
}

}  // namespace
}  // namespace ptxmir::ptx
