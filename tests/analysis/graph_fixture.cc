// SPDX-License-Identifier: Apache-2.0

#include "tests/analysis/graph_fixture.h"

#include <algorithm>
#include <vector>

#include "ptx/target/ptx_target.h"

namespace ptxmir::testing {

std::unique_ptr<MachineFunction> MakeGraph(uint32_t num_blocks, absl::Span<const std::pair<uint32_t, uint32_t>> edges) {
  auto function = std::make_unique<MachineFunction>(nullptr, ptx::PtxTargetInfo(), "graph", 0);
  for (uint32_t i = 0; i < num_blocks; ++i) function->InsertBlock(nullptr, function->CreateBlock());
  for (const auto& [from, to] : edges) function->block(from)->AddSuccessor(function->block(to));
  return function;
}

std::unique_ptr<MachineFunction> MakeRandomGraph(std::mt19937& random, uint32_t max_blocks) {
  const uint32_t num_blocks = 1 + static_cast<uint32_t>(random()) % max_blocks;
  // Vary the shape from mostly chains to mostly tangled.
  const uint32_t spread = 1 + static_cast<uint32_t>(random()) % num_blocks;
  const uint32_t exits = 1 + static_cast<uint32_t>(random()) % 8;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t from = 0; from < num_blocks; ++from) {
    if (random() % 16 < exits && from != 0) continue;
    for (uint32_t i = 1 + static_cast<uint32_t>(random()) % 2; i > 0; --i) {
      const uint32_t step = static_cast<uint32_t>(random()) % (2 * spread + 1);
      const uint32_t to = (from + 1 + num_blocks + step - std::min(spread, num_blocks)) % num_blocks;
      const std::pair<uint32_t, uint32_t> edge(from, random() % 3 == 0 ? (from + 1) % num_blocks : to);
      if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(edge);
    }
  }
  return MakeGraph(num_blocks, edges);
}

}  // namespace ptxmir::testing
