// SPDX-License-Identifier: Apache-2.0

// Functions that consist only of blocks and edges, for analyses of control flow.

#ifndef PTXMIR_TESTS_ANALYSIS_GRAPH_FIXTURE_H_
#define PTXMIR_TESTS_ANALYSIS_GRAPH_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"

namespace ptxmir::testing {

// Makes a function of `num_blocks` empty blocks with these edges. The first block is the entry.
std::unique_ptr<MachineFunction> MakeGraph(uint32_t num_blocks, absl::Span<const std::pair<uint32_t, uint32_t>> edges);
// Makes a function of up to `max_blocks` blocks of any form, with unreachable blocks, self loops, endless loops and
// irreducible loops.
std::unique_ptr<MachineFunction> MakeRandomGraph(std::mt19937& random, uint32_t max_blocks);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_ANALYSIS_GRAPH_FIXTURE_H_
