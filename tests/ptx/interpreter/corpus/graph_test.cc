// SPDX-License-Identifier: Apache-2.0

// Compares graph, also after llc's machine-cse, with the plain algorithms.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// A random undirected graph. Its edges are stored in both directions and sorted.
struct Graph {
  int vertices;
  std::vector<int> starts;
  std::vector<int> targets;

  static Graph Make(int vertices, int edges, uint64_t seed) {
    RandomNumbers random(seed);
    std::vector<std::pair<int, int>> pairs;
    while (edges-- > 0) {
      const int a = random.Between(0, vertices - 1);
      const int b = random.Between(0, vertices - 1);
      if (a == b) continue;
      pairs.emplace_back(a, b);
      pairs.emplace_back(b, a);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Graph graph{vertices, std::vector<int>(vertices + 1), {}};
    for (const auto& [from, to] : pairs) {
      ++graph.starts[from + 1];
      graph.targets.push_back(to);
    }
    std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
    return graph;
  }
  std::vector<int> Neighbors(int vertex) const {
    return std::vector<int>(targets.begin() + starts[vertex], targets.begin() + starts[vertex + 1]);
  }
  bool HasEdge(int a, int b) const {
    const std::vector<int> neighbors = Neighbors(a);
    return std::binary_search(neighbors.begin(), neighbors.end(), b);
  }
  // Returns the number of steps from a vertex to each vertex; -1 if there is no path.
  std::vector<int> Depths(int from) const {
    std::vector<int> depths(vertices, -1);
    depths[from] = 0;
    std::vector<int> queue = {from};
    for (size_t at = 0; at < queue.size(); ++at) {
      for (int next : Neighbors(queue[at])) {
        if (depths[next] >= 0) continue;
        depths[next] = depths[queue[at]] + 1;
        queue.push_back(next);
      }
    }
    return depths;
  }
  std::vector<std::array<int, 2>> Edges() const {
    std::vector<std::array<int, 2>> edges;
    for (int v = 0; v < vertices; ++v) {
      for (int w : Neighbors(v)) {
        if (v < w) edges.push_back({v, w});
      }
    }
    return edges;
  }
};

class GraphTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  // As usual in such kernels, vertices read results that their neighbors are just writing. The final results do not
  // depend on this.
  GraphTest() : CorpusKernels(GetParam()) { AllowRaces(); }

  static constexpr int kVertices = 100;
  static constexpr uint32_t kBlocks = 4;  // of 32 threads
};

TEST_P(GraphTest, BfsTopDown) {
  const Graph graph = Graph::Make(kVertices, 130, 1);
  const auto starts = Buffer(graph.starts);
  const auto targets = Buffer(graph.targets);
  std::vector<int> depths(kVertices, -1);
  depths[5] = 0;
  const auto depth = Buffer(depths);
  auto frontier = Buffer(std::vector<int>(kVertices, 5));
  auto next = Zeros<int>(kVertices);
  int count = 1;
  for (int level = 1; count > 0 && level < kVertices; ++level) {
    const auto next_count = Zeros<int>(1);
    Launch("BfsTopDown", {kBlocks}, {32}, 0, starts, targets, depth, frontier, count, next, next_count, level);
    count = Read(next_count)[0];
    std::swap(frontier, next);
  }
  ExpectEqual(depth, graph.Depths(5));
}

TEST_P(GraphTest, BfsBottomUp) {
  const Graph graph = Graph::Make(kVertices, 130, 2);
  const auto starts = Buffer(graph.starts);
  const auto targets = Buffer(graph.targets);
  std::vector<uint32_t> frontier_bits(4);
  frontier_bits[0] = 1u << 5;
  const auto visited = Buffer(frontier_bits);
  auto frontier = Buffer(frontier_bits);
  std::vector<int> depths(kVertices, -1);
  depths[5] = 0;
  for (int level = 1; level < kVertices; ++level) {
    const auto next = Zeros<uint32_t>(4);
    const auto changed = Zeros<uint8_t>(1);
    Launch("BfsBottomUp", {kBlocks}, {32}, 0, starts, targets, frontier, visited, next, int{kVertices}, changed);
    const std::vector<uint32_t> bits = Read(next);
    for (int v = 0; v < kVertices; ++v) {
      if ((bits[v / 32] >> v % 32 & 1) != 0) depths[v] = level;
    }
    if (Read(changed)[0] == 0) break;
    frontier = next;
  }
  EXPECT_EQ(depths, graph.Depths(5));
}

TEST_P(GraphTest, PageRank) {
  const Graph graph = Graph::Make(kVertices, 200, 3);
  std::vector<int> degrees;
  for (int v = 0; v < kVertices; ++v) degrees.push_back(graph.starts[v + 1] - graph.starts[v]);
  const std::vector<double> rank = Random<double>(kVertices, 4, 0.0, 1.0);
  std::vector<double> expected;
  double difference = 0;
  for (int v = 0; v < kVertices; ++v) {
    double sum = 0;
    for (int w : graph.Neighbors(v)) sum += rank[w] / degrees[w];
    expected.push_back(0.15 / kVertices + 0.85 * sum);
    difference += std::abs(expected.back() - rank[v]);
  }
  const auto next = Output<double>(kVertices);
  const auto change = Zeros<double>(1);
  Launch("PageRank", {kBlocks}, {32}, 0, Buffer(graph.starts), Buffer(graph.targets), Buffer(degrees), Buffer(rank),
         next, int{kVertices}, 0.85, change);
  ExpectNear(next, expected, 1e-13);
  ExpectNear(change, {difference}, 1e-12);
}

TEST_P(GraphTest, UnionFind) {
  const Graph graph = Graph::Make(kVertices, 60, 5);
  const std::vector<std::array<int, 2>> edges = graph.Edges();
  std::vector<int> identity(kVertices);
  std::iota(identity.begin(), identity.end(), 0);
  const auto parents = Buffer(identity);
  Launch("UnionFind", {kBlocks}, {32}, 0, Buffer(edges), static_cast<int>(edges.size()), parents);
  // The root of a component is its smallest vertex.
  const std::vector<int> after = Read(parents);
  for (int v = 0; v < kVertices; ++v) {
    const std::vector<int> depths = graph.Depths(v);
    int smallest = 0;
    while (depths[smallest] < 0) ++smallest;
    int root = v;
    for (int steps = 0; after[root] != root && steps < kVertices; ++steps) root = after[root];
    EXPECT_EQ(root, smallest) << v;
  }
}

TEST_P(GraphTest, Relax) {
  const Graph graph = Graph::Make(kVertices, 200, 6);
  std::vector<float> lengths;
  for (int length : Random<int>(graph.targets.size(), 7, 1, 80)) lengths.push_back(static_cast<float>(length) / 8);
  constexpr float kFar = std::numeric_limits<float>::infinity();
  std::vector<float> expected(kVertices, kFar);
  expected[3] = 0;
  for (int round = 0; round < kVertices; ++round) {
    for (int v = 0; v < kVertices; ++v) {
      for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e) {
        expected[graph.targets[e]] = std::min(expected[graph.targets[e]], expected[v] + lengths[e]);
      }
    }
  }
  std::vector<float> distances(kVertices, kFar);
  distances[3] = 0;
  const auto buffer = Buffer(distances);
  const auto starts = Buffer(graph.starts);
  const auto targets = Buffer(graph.targets);
  const auto length_buffer = Buffer(lengths);
  for (int round = 0; round < kVertices; ++round) {
    const auto changed = Zeros<int>(1);
    Launch("Relax", {kBlocks}, {32}, 0, starts, targets, length_buffer, buffer, int{kVertices}, changed);
    if (Read(changed)[0] == 0) break;
  }
  ExpectEqual(buffer, expected);
}

TEST_P(GraphTest, Triangles) {
  const Graph graph = Graph::Make(40, 120, 8);
  const std::vector<std::array<int, 2>> edges = graph.Edges();
  uint64_t expected = 0;  // each triangle once for each of its edges
  for (const auto& [a, b] : edges) {
    for (int c = 0; c < graph.vertices; ++c) expected += graph.HasEdge(a, c) && graph.HasEdge(b, c) ? 1 : 0;
  }
  EXPECT_GT(expected, 0u);
  const auto total = Zeros<uint64_t>(1);
  Launch("Triangles", {kBlocks}, {32}, 0, Buffer(graph.starts), Buffer(graph.targets), Buffer(edges),
         static_cast<int>(edges.size()), total);
  ExpectEqual(total, {expected});
}

TEST_P(GraphTest, Color) {
  // The result is the greedy coloring in the order of the priorities.
  const Graph graph = Graph::Make(kVertices, 250, 9);
  const std::vector<uint32_t> priority = Random<uint32_t>(kVertices, 10);
  std::vector<int> order(kVertices);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return priority[a] > priority[b]; });
  std::vector<int> expected(kVertices, -1);
  for (int v : order) {
    uint64_t used = 0;
    for (int w : graph.Neighbors(v)) used |= expected[w] >= 0 ? uint64_t{1} << expected[w] : 0;
    expected[v] = std::countr_one(used);
  }
  const auto colors = Buffer(std::vector<int>(kVertices, -1));
  const auto starts = Buffer(graph.starts);
  const auto targets = Buffer(graph.targets);
  const auto priorities = Buffer(priority);
  for (int round = 0; round < kVertices; ++round) {
    const auto left = Zeros<int>(1);
    Launch("Colour", {kBlocks}, {32}, 0, starts, targets, priorities, colors, int{kVertices}, left);
    if (Read(left)[0] == 0) break;
  }
  ExpectEqual(colors, expected);
}

INSTANTIATE_TEST_SUITE_P(Stages, GraphTest, ::testing::Values("graph", "graph.machine-cse"), [](const auto& info) {
  return std::string(info.param) == "graph" ? "AfterSelection" : "AfterMachineCse";
});

}  // namespace
}  // namespace ptxmir::ptx
