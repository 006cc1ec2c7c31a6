// SPDX-License-Identifier: Apache-2.0

#include "tests/support/corpus.h"

#include <algorithm>
#include <filesystem>

namespace ptxmir::testing {

std::vector<std::string> CorpusMirFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".mir") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> CorpusSample() { return Sampled(CorpusMirFiles(), kCorpusSampleStride); }

bool ReadsTimers(const MachineFunction& function) {
  for (SymbolId i = 0; i < function.num_symbols(); ++i) {
    if (function.symbol(i).find("timer") != std::string_view::npos) return true;
    if (function.symbol(i).find("clock") != std::string_view::npos) return true;
  }
  return function.MayContainAny([&](Opcode opcode) {
    const std::string_view name = function.target().Name(opcode);
    return name.find("CLOCK") != std::string_view::npos || name.find("GLOBALTIMER") != std::string_view::npos;
  });
}

uint64_t CounterOf(const Statistics& statistics, std::string_view description) {
  uint64_t value = 0;
  for (const Statistics::Counter& counter : statistics.counters()) {
    if (counter.description == description) value += counter.value;
  }
  return value;
}

}  // namespace ptxmir::testing
