// SPDX-License-Identifier: Apache-2.0

// The modulo reservation table: the units of the GPU that are in use in each of the II rows of a modulo schedule.

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_RESERVATION_TABLE_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_RESERVATION_TABLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "passes/pipeliner/modulo_graph.h"

namespace ptxmir {

class ModuloReservationTable {
 public:
  explicit ModuloReservationTable(uint32_t ii) : ii_(ii), issued_(ii) {
    for (std::vector<bool>& unit : units_) unit.resize(ii);
  }

  // Returns true if an instruction can be issued at a cycle, which may be negative.
  bool IsFree(const ModuloResources& resources, int32_t cycle) const {
    const uint32_t row = RowOf(cycle);
    if (resources.issues && issued_[row]) return false;
    if (resources.unit == ptx::FunctionalUnit::kNone) return true;
    if (resources.busy > ii_) return false;
    const std::vector<bool>& unit = units_[static_cast<size_t>(resources.unit)];
    for (uint32_t i = 0; i < resources.busy; ++i) {
      if (unit[(row + i) % ii_]) return false;
    }
    return true;
  }

  void Reserve(const ModuloResources& resources, int32_t cycle) {
    const uint32_t row = RowOf(cycle);
    if (resources.issues) issued_[row] = true;
    if (resources.unit == ptx::FunctionalUnit::kNone) return;
    std::vector<bool>& unit = units_[static_cast<size_t>(resources.unit)];
    for (uint32_t i = 0; i < resources.busy; ++i) unit[(row + i) % ii_] = true;
  }

 private:
  uint32_t RowOf(int32_t cycle) const {
    const auto ii = static_cast<int32_t>(ii_);
    return static_cast<uint32_t>((cycle % ii + ii) % ii);
  }

  const uint32_t ii_;
  std::vector<bool> issued_;  // by row
  std::array<std::vector<bool>, ptx::kNumFunctionalUnits> units_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_RESERVATION_TABLE_H_
