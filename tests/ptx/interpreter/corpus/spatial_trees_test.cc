// SPDX-License-Identifier: Apache-2.0

// Compares spatial_trees with searches of all points, exact integers and recursion.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Point = std::array<float, 3>;

std::vector<Point> RandomPoints(size_t count, uint64_t seed, float low, float high) {
  const std::vector<float> numbers = Random<float>(3 * count, seed, low, high);
  std::vector<Point> points;
  for (size_t i = 0; i < count; ++i) points.push_back({numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]});
  return points;
}

class SpatialTreesTest : public CorpusKernels {
 protected:
  SpatialTreesTest() : CorpusKernels("spatial_trees") {}
};

TEST_F(SpatialTreesTest, MortonCodes) {
  const std::vector<Point> points = RandomPoints(75, 1, -1.1f, 1.1f);  // some are outside
  const Point low = {-1, -1, -1};
  const Point scale = {0x1p20f, 0x1p20f, 0x1p19f};
  std::vector<uint64_t> expected;
  for (const Point& point : points) {
    uint64_t code = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float cell = (point[axis] - low[axis]) * scale[axis];
      const auto grid = static_cast<uint64_t>(std::clamp(cell, 0.0f, 0x1fffffp0f));
      for (int bit = 0; bit < 21; ++bit) code |= (grid >> bit & 1) << (3 * bit + 2 - axis);
    }
    expected.push_back(code);
  }
  const auto codes = Output<uint64_t>(points.size());
  Launch("MortonCodes", {1}, {32}, 0, Buffer(points), static_cast<int>(points.size()), low, scale, codes);
  ExpectEqual(codes, expected);
}

// A tree over sorted codes, made from the top: a range is split where its highest changing bit changes; a range of
// equal codes, where the highest changing bit of the positions changes.
struct RadixTree {
  std::vector<uint64_t> codes;
  std::vector<std::array<int, 2>> children;
  std::vector<int> inner_parents, leaf_parents;

  explicit RadixTree(std::vector<uint64_t> sorted)
      : codes(std::move(sorted)),
        children(codes.size() - 1),
        inner_parents(codes.size() - 1),
        leaf_parents(codes.size()) {
    Split(0, static_cast<int>(codes.size()) - 1, 0, -1);
  }
  void Split(int first, int last, int node, int parent) {
    inner_parents[node] = parent;
    const auto key = [&](int i) { return codes[first] == codes[last] ? static_cast<uint64_t>(i) : codes[i]; };
    const uint64_t highest = std::bit_floor(key(first) ^ key(last));
    int gap = first;
    while ((key(gap + 1) & highest) == 0) ++gap;
    children[node] = {first == gap ? ~gap : gap, last == gap + 1 ? ~last : gap + 1};
    if (first == gap) {
      leaf_parents[first] = node;
    } else {
      Split(first, gap, gap, node);
    }
    if (last == gap + 1) {
      leaf_parents[last] = node;
    } else {
      Split(gap + 1, last, gap + 1, node);
    }
  }
};

RadixTree MakeRadixTree() {
  // Codes of any number of bits; some are equal.
  RandomNumbers random(2);
  std::vector<uint64_t> codes(9, 12345);
  while (codes.size() < 75) codes.push_back(random.Any<uint64_t>() >> random.Between(1, 60));
  std::sort(codes.begin(), codes.end());
  return RadixTree(codes);
}

TEST_F(SpatialTreesTest, RadixTree) {
  const RadixTree tree = MakeRadixTree();
  const auto children = Output<std::array<int, 2>>(tree.children.size());
  const auto inner_parents = Output<int>(tree.children.size());
  const auto leaf_parents = Output<int>(tree.codes.size());
  Launch("RadixTree", {3}, {32}, 0, Buffer(tree.codes), static_cast<int>(tree.codes.size()), children, inner_parents,
         leaf_parents);
  ExpectEqual(children, tree.children);
  ExpectEqual(inner_parents, tree.inner_parents);
  ExpectEqual(leaf_parents, tree.leaf_parents);
}

struct Box {
  std::array<float, 4> low, high;
};

TEST_F(SpatialTreesTest, FitBoxes) {
  AllowRaces();
  const RadixTree tree = MakeRadixTree();
  std::vector<Box> leaves;
  const std::vector<Point> points = RandomPoints(2 * tree.codes.size(), 3, -5, 5);
  for (size_t i = 0; i < tree.codes.size(); ++i) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
      std::tie(box.low[axis], box.high[axis]) = std::minmax(points[2 * i][axis], points[2 * i + 1][axis]);
    }
    box.low[3] = static_cast<float>(i % 7);  // summed up
    box.high[3] = static_cast<float>(i * 37 % 75);
    leaves.push_back(box);
  }
  std::vector<Box> expected(tree.children.size());
  const std::function<Box(int)> fit = [&](int node) {
    if (node < 0) return leaves[~node];
    const Box a = fit(tree.children[node][0]);
    const Box b = fit(tree.children[node][1]);
    Box box;
    for (int i = 0; i < 4; ++i) {
      box.low[i] = i == 3 ? a.low[i] + b.low[i] : std::min(a.low[i], b.low[i]);
      box.high[i] = std::max(a.high[i], b.high[i]);
    }
    return expected[node] = box;
  };
  fit(0);
  const auto inner = Output<Box>(expected.size());
  const auto visits = Zeros<int>(expected.size());
  Launch("FitBoxes", {3}, {32}, 0, Buffer(tree.children), Buffer(tree.inner_parents), Buffer(tree.leaf_parents),
         Buffer(leaves), static_cast<int>(leaves.size()), inner, visits);
  ExpectEqual(inner, expected);
  ExpectEqual(visits, std::vector<int>(expected.size(), 2));
}

TEST_F(SpatialTreesTest, KdNearest) {
  constexpr int kPoints = 150, kNeighbors = 12;
  constexpr float kRadius = 0.6f;
  const std::vector<Point> points = RandomPoints(kPoints, 4, 0, 1);
  const std::vector<Point> queries = RandomPoints(43, 5000, -0.3f, 1.3f);
  // The tree is filled from the left: all levels but the last are full.
  std::vector<std::array<float, 4>> tree(kPoints);
  const std::function<void(std::vector<int>, size_t, int)> build = [&](std::vector<int> ids, size_t node, int axis) {
    if (ids.empty()) return;
    std::sort(ids.begin(), ids.end(), [&](int a, int b) { return points[a][axis] < points[b][axis]; });
    const size_t half = std::bit_floor(ids.size() + 1) / 2;  // on the last level below the left child
    const size_t last = ids.size() + 1 - 2 * half;
    const auto middle = ids.begin() + static_cast<ptrdiff_t>(half - 1 + std::min(last, half));
    const Point& p = points[*middle];
    tree[node] = {p[0], p[1], p[2], std::bit_cast<float>(*middle)};
    build({ids.begin(), middle}, 2 * node + 1, (axis + 1) % 3);
    build({middle + 1, ids.end()}, 2 * node + 2, (axis + 1) % 3);
  };
  std::vector<int> all(kPoints);
  std::iota(all.begin(), all.end(), 0);
  build(all, 0, 0);
  std::vector<int> expected;
  std::vector<float> expected_distances;
  for (const Point& q : queries) {
    std::vector<std::pair<double, int>> found;
    for (int i = 0; i < kPoints; ++i) {
      const double distance =
          std::hypot(double{q[0]} - points[i][0], double{q[1]} - points[i][1], double{q[2]} - points[i][2]);
      if (distance < kRadius) found.emplace_back(distance, i);
    }
    std::sort(found.begin(), found.end());
    found.resize(kNeighbors, {kRadius, -1});
    for (const auto& [distance, id] : found) {
      expected.push_back(id);
      expected_distances.push_back(static_cast<float>(distance));
    }
  }
  EXPECT_GT(std::count(expected.begin(), expected.end(), -1), 10);
  const auto neighbors = Output<int>(expected.size());
  const auto distances = Output<float>(expected.size());
  Launch("KdNearestILi12E", {2}, {32}, 0, Buffer(tree), int{kPoints}, Buffer(queries), static_cast<int>(queries.size()),
         kRadius, neighbors, distances);
  ExpectEqual(neighbors, expected);
  ExpectNear(distances, expected_distances, 1e-5);
}

TEST_F(SpatialTreesTest, Isosurface) {
  const std::array<int, 3> size = {6, 5, 4};
  constexpr float kLevel = 0.1f;
  constexpr int kCapacity = 700;
  const std::vector<float> samples = Random<float>(6 * 5 * 4, 6, -1.0f, 1.0f);
  const auto vertices = Zeros<std::array<Point, 3>>(kCapacity);
  const auto sources = Buffer(std::vector<int>(kCapacity, -1));
  const auto total = Zeros<int>(1);
  Launch("Isosurface", {2}, {64}, 0, Buffer(samples), size, kLevel, vertices, sources, int{kCapacity}, total);
  std::map<int, std::vector<std::array<Point, 3>>> actual;
  const auto all_vertices = Read(vertices);
  const auto all_sources = Read(sources);
  const int count = Read(total)[0];
  ASSERT_LE(count, kCapacity);
  for (int i = 0; i < count; ++i) actual[all_sources[i]].push_back(all_vertices[i]);
  EXPECT_EQ(std::count(all_sources.begin(), all_sources.end(), -1), kCapacity - count);

  // A tetrahedron is a way from corner 0 to corner 7 along the axes, in some order.
  const int orders[6][2] = {{1, 2}, {2, 1}, {2, 4}, {4, 2}, {4, 1}, {1, 4}};
  size_t triangles = 0;
  for (int cell = 0; cell < 5 * 4 * 3; ++cell) {
    const std::array<int, 3> origin = {cell % 5, cell / 5 % 4, cell / 20};
    for (int t = 0; t < 6; ++t) {
      const int corners[4] = {0, orders[t][0], orders[t][0] | orders[t][1], 7};
      struct Crossing {
        int a, b;
        std::array<double, 3> at;
      };
      std::vector<Crossing> crossings;
      const auto place = [&](int corner, int axis) { return origin[axis] + (corner >> axis & 1); };
      const auto value = [&](int corner) {
        return double{samples[(place(corner, 2) * 5 + place(corner, 1)) * 6 + place(corner, 0)]};
      };
      for (int a : corners) {
        for (int b : corners) {
          if (!(value(a) < kLevel) || value(b) < kLevel) continue;
          const double part = (double{kLevel} - value(a)) / (value(b) - value(a));
          Crossing crossing{a, b, {}};
          for (int axis = 0; axis < 3; ++axis) {
            crossing.at[axis] = place(a, axis) + part * (place(b, axis) - place(a, axis));
          }
          crossings.push_back(crossing);
        }
      }
      // The sets of crossings that the triangles have.
      std::vector<std::set<size_t>> found;
      for (const auto& triangle : actual[cell * 6 + t]) {
        std::set<size_t>& of_triangle = found.emplace_back();
        for (const Point& vertex : triangle) {
          for (size_t i = 0; i < crossings.size(); ++i) {
            double distance = 0;
            for (int axis = 0; axis < 3; ++axis) distance += std::abs(crossings[i].at[axis] - vertex[axis]);
            if (distance < 1e-5) of_triangle.insert(i);
          }
        }
        EXPECT_EQ(of_triangle.size(), 3u);
      }
      ASSERT_EQ(found.size(), crossings.size() == 4 ? 2 : crossings.size() / 3) << cell << " " << t;
      triangles += found.size();
      if (crossings.size() == 4) {
        // The triangles share a diagonal of the quadrangle: its crossings are on edges without a common corner.
        std::vector<size_t> shared;
        std::set_intersection(found[0].begin(), found[0].end(), found[1].begin(), found[1].end(),
                              std::back_inserter(shared));
        ASSERT_EQ(shared.size(), 2u);
        EXPECT_NE(crossings[shared[0]].a, crossings[shared[1]].a);
        EXPECT_NE(crossings[shared[0]].b, crossings[shared[1]].b);
      }
    }
  }
  EXPECT_EQ(static_cast<size_t>(count), triangles);
}

TEST_F(SpatialTreesTest, PointsInPolygons) {
  using Place = std::array<int64_t, 2>;
  constexpr int64_t kLimit = int64_t{1} << 50;
  RandomNumbers random(7);
  std::vector<std::vector<Place>> polygons(4);
  // A polygon with long thin sides around a spiral, a triangle, and a polygon that crosses itself.
  for (int i = 0; i < 37; ++i) {
    const double angle = i * 0.9;
    const double size = static_cast<double>(kLimit) * (37 - i) / 38;
    polygons[0].push_back({int64_t(size * std::cos(angle)), int64_t(size * std::sin(angle))});
  }
  polygons[1] = {{-3, -kLimit}, {kLimit, 5}, {-kLimit + 1, kLimit - 2}};
  for (int i = 0; i < 16; ++i) {
    polygons[2].push_back({random.Between(-kLimit, kLimit), random.Between(-kLimit, kLimit)});
  }
  std::vector<Place> points;
  for (const auto& polygon : polygons) {
    for (size_t i = 0; i < polygon.size(); i += 3) {
      const Place a = polygon[i];
      const Place b = polygon[(i + 1) % polygon.size()];
      points.push_back(a);
      // The middle is on the side or next to it.
      const Place middle = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
      for (int64_t dx = -1; dx <= 1; ++dx) points.push_back({middle[0] + dx, middle[1]});
    }
  }
  for (int i = 0; i < 20; ++i) points.push_back({random.Between(-kLimit, kLimit), random.Between(-kLimit, kLimit)});
  // Fibonacci's numbers: the smallest areas that are not 0, by the longest sides.
  std::vector<int64_t> numbers = {0, 1};
  while (numbers.back() < kLimit / 2) numbers.push_back(numbers.back() + numbers[numbers.size() - 2]);
  const size_t last = numbers.size() - 1;
  polygons[3] = {{-12345, -777}, {numbers[last - 1] - 12345, numbers[last] - 777}, {-kLimit, 99}};
  for (size_t i = last - 8; i < last; ++i) points.push_back({numbers[i - 1] - 12345, numbers[i] - 777});
  // A point with the same height as a corner.
  points.push_back({0, polygons[2][3][1]});
  std::vector<int8_t> expected;
  for (const auto& polygon : polygons) {
    for (const Place& p : points) {
      int winding = 0;
      bool on_border = false;
      for (size_t i = 0; i < polygon.size(); ++i) {
        const Place a = polygon[i];
        const Place b = polygon[(i + 1) % polygon.size()];
        using Wide = __int128;
        const Wide area = Wide{b[0] - a[0]} * (p[1] - a[1]) - Wide{b[1] - a[1]} * (p[0] - a[0]);
        const auto is_between = [&](int axis) {
          return std::min(a[axis], b[axis]) <= p[axis] && p[axis] <= std::max(a[axis], b[axis]);
        };
        on_border |= area == 0 && is_between(0) && is_between(1);
        // Does the side cross the ray to the right?
        const bool goes_up = a[1] <= p[1] && p[1] < b[1];
        const bool goes_down = b[1] <= p[1] && p[1] < a[1];
        if (goes_up && area > 0) ++winding;
        if (goes_down && area < 0) --winding;
      }
      expected.push_back(static_cast<int8_t>(on_border ? 0 : winding != 0 ? 1 : -1));
    }
  }
  EXPECT_GT(std::count(expected.begin(), expected.end(), 0), 10);
  std::vector<double> corners;
  std::vector<int> starts = {0};
  for (const auto& polygon : polygons) {
    for (const Place& corner : polygon) {
      for (int64_t v : corner) corners.push_back(static_cast<double>(v));
    }
    starts.push_back(starts.back() + static_cast<int>(polygon.size()));
  }
  std::vector<double> places;
  for (const Place& point : points) {
    for (int64_t v : point) places.push_back(static_cast<double>(v));
  }
  const uint32_t blocks = static_cast<uint32_t>(points.size() / 32 + 1);
  const auto results = Output<int8_t>(expected.size());
  Launch("PointsInPolygonsILi16E", {blocks, 4}, {32}, 0, Buffer(corners), Buffer(starts), Buffer(places),
         static_cast<int>(points.size()), results);
  ExpectEqual(results, expected);
}

struct OctreeNode {
  std::array<float, 4> center;
  std::array<float, 6> moments;
  float size;
  int first, children, bodies;
  std::array<int, 2> unused;
};

using Body = std::array<float, 4>;

// Makes an octree with at most four bodies in a leaf.
struct Octree {
  std::vector<OctreeNode> nodes = std::vector<OctreeNode>(1);
  std::vector<Body> bodies;

  explicit Octree(const std::vector<Body>& all) { Fill(0, all, {0, 0, 0}, 1); }
  void Fill(size_t node, const std::vector<Body>& own, const std::array<double, 3>& low, double size) {
    std::array<double, 4> center = {};
    for (const Body& body : own) {
      for (int axis = 0; axis < 3; ++axis) center[axis] += double{body[3]} * body[axis];
      center[3] += body[3];
    }
    for (int axis = 0; axis < 3; ++axis) center[axis] /= center[3];
    // The moments without their trace.
    std::array<double, 6> moments = {};
    for (const Body& body : own) {
      const double d[3] = {body[0] - center[0], body[1] - center[1], body[2] - center[2]};
      const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      size_t at = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) moments[at++] += body[3] * (3 * d[i] * d[j] - (i == j ? square : 0));
      }
    }
    OctreeNode fresh = {};
    for (size_t i = 0; i < 4; ++i) fresh.center[i] = static_cast<float>(center[i]);
    for (size_t i = 0; i < 6; ++i) fresh.moments[i] = static_cast<float>(moments[i]);
    fresh.size = static_cast<float>(size);
    if (own.size() <= 4) {
      fresh.first = static_cast<int>(bodies.size());
      fresh.bodies = static_cast<int>(own.size());
      bodies.insert(bodies.end(), own.begin(), own.end());
      nodes[node] = fresh;
      return;
    }
    std::array<std::vector<Body>, 8> parts;
    for (const Body& body : own) {
      size_t octant = 0;
      for (int axis = 0; axis < 3; ++axis) octant |= size_t{body[axis] >= low[axis] + size / 2} << axis;
      parts[octant].push_back(body);
    }
    fresh.first = static_cast<int>(nodes.size());
    for (const auto& part : parts) fresh.children += part.empty() ? 0 : 1;
    nodes[node] = fresh;
    nodes.resize(nodes.size() + static_cast<size_t>(fresh.children));
    size_t child = static_cast<size_t>(fresh.first);
    for (size_t octant = 0; octant < 8; ++octant) {
      if (parts[octant].empty()) continue;
      std::array<double, 3> corner = low;
      for (size_t axis = 0; axis < 3; ++axis) corner[axis] += (octant >> axis & 1) != 0 ? size / 2 : 0;
      Fill(child++, parts[octant], corner, size / 2);
    }
  }
};

// Adds the field of a node: the potential is -m / r - (r Q r) / (2 r^5), and the force is minus its slope.
void AddField(const Octree& tree, int index, const Point& place, double angle, double softening,
              std::array<double, 4>& sum) {
  const OctreeNode& node = tree.nodes[index];
  const auto distance = [&](const Body& from) {
    return std::array<double, 3>{double{place[0]} - from[0], double{place[1]} - from[1], double{place[2]} - from[2]};
  };
  const auto square = [&](const std::array<double, 3>& d) {
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening;
  };
  const std::array<double, 3> d = distance(node.center);
  const double r = std::sqrt(square(d));
  if (node.size < angle * r) {
    const auto& m = node.moments;
    const double q[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double rqr = 0;
    std::array<double, 3> qr = {};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) qr[i] += q[i][j] * d[j];
      rqr += d[i] * qr[i];
    }
    sum[3] -= node.center[3] / r + rqr / (2 * std::pow(r, 5));
    for (int i = 0; i < 3; ++i) {
      sum[i] += -node.center[3] * d[i] / std::pow(r, 3) + qr[i] / std::pow(r, 5) - 2.5 * rqr * d[i] / std::pow(r, 7);
    }
    return;
  }
  for (int child = 0; child < node.children; ++child) {
    AddField(tree, node.first + child, place, angle, softening, sum);
  }
  for (int k = 0; k < node.bodies; ++k) {
    const Body& body = tree.bodies[node.first + k];
    const std::array<double, 3> away = distance(body);
    const double to_body = std::sqrt(square(away));
    for (int i = 0; i < 3; ++i) sum[i] -= body[3] * away[i] / std::pow(to_body, 3);
    sum[3] -= body[3] / to_body;
  }
}

TEST_F(SpatialTreesTest, Multipoles) {
  constexpr float kSoftening = 1e-3f;
  std::vector<Body> bodies;
  for (const Point& p : RandomPoints(90, 8, 0, 1)) bodies.push_back({p[0], p[1], p[2], 0.5f + p[0] * p[1]});
  const std::vector<Point> places = RandomPoints(43, 9000, -0.5f, 1.5f);
  const Octree tree(bodies);
  EXPECT_GT(tree.nodes.size(), 30u);
  std::vector<float> direct;
  for (const float angle : {0.0f, 0.6f}) {
    std::vector<float> expected;
    for (const Point& place : places) {
      std::array<double, 4> sum = {};
      AddField(tree, 0, place, angle, kSoftening, sum);
      for (double v : sum) expected.push_back(static_cast<float>(v));
    }
    const auto result = Output<float>(expected.size());
    Launch("Multipoles", {2}, {32}, 0, Buffer(tree.nodes), Buffer(tree.bodies), Buffer(places),
           static_cast<int>(places.size()), angle, kSoftening, result);
    ExpectNear(result, expected, 2e-5, 2e-3);
    // The moments make the field almost that of all bodies.
    if (direct.empty()) direct = expected;
    ExpectNear(result, direct, 0.01, 0.5);
  }
}

}  // namespace
}  // namespace ptxmir::ptx
