// SPDX-License-Identifier: Apache-2.0

// The bugs that can be planted: what the files of bugs/ say, as plant_bugs.py makes it into a table, and the switches
// in the copies of the sources that it makes.

#ifndef PTXMIR_TESTS_MUTATION_PLANTED_BUGS_H_
#define PTXMIR_TESTS_MUTATION_PLANTED_BUGS_H_

#include <string_view>
#include <vector>

namespace ptxmir::testing {

struct PlantedBug {
  // A source that the bug changes.
  struct Place {
    std::string_view file;
    bool* is_planted;
  };

  std::string_view name;
  std::string_view description;
  // Why no layer of checks can see the bug; empty: one has to.
  std::string_view why_uncaught;
  std::vector<Place> places;
};

const std::vector<PlantedBug>& PlantedBugs();

// Switches the bug on for the rest of the process. No other thread may run meanwhile.
inline void Plant(const PlantedBug& bug) {
  for (const PlantedBug::Place& place : bug.places) *place.is_planted = true;
}

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_PLANTED_BUGS_H_
