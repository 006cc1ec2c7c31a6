// Made by tests/mutation/plant_bugs.py.

#include "tests/mutation/planted_bugs.h"

namespace ptxmir::testing {
namespace planted {
}

const std::vector<PlantedBug>& PlantedBugs() {
  static const auto* const kBugs = new std::vector<PlantedBug>{
  };
  return *kBugs;
}

}  // namespace ptxmir::testing
