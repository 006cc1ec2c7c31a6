// SPDX-License-Identifier: Apache-2.0

// The modulo reservation table: the units of the GPU that are in use in each of the II rows of a modulo schedule.
//
// An instruction takes one of the scheduler's rows. It keeps its unit for several cycles, of which there are two views.
// Under UnitUse::kInRows, the cycles are the rows after the one in which it is issued, and no two instructions keep a
// unit in the same row. Where instructions of different lengths fill a unit, they may not fit together, although the
// unit has enough cycles in total. Under UnitUse::kInTotal, that is enough: the instruction waits in the queue of its
// unit, as accesses of memory do, or between those of other warps.

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_RESERVATION_TABLE_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_RESERVATION_TABLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "passes/pipeliner/modulo_graph.h"

namespace ptxmir {

enum class UnitUse : uint8_t { kInRows, kInTotal };

class ModuloReservationTable {
 public:
  ModuloReservationTable(uint32_t ii, UnitUse use) : ii_(ii), use_(use), issued_(ii) {
    for (std::vector<bool>& unit : units_) unit.resize(ii);
  }

  // Returns true if an instruction can be issued at a cycle, which may be negative.
  bool IsFree(const ModuloResources& resources, int32_t cycle) const {
    const uint32_t row = RowOf(cycle);
    if (resources.issues && issued_[row]) return false;
    if (resources.unit == ptx::FunctionalUnit::kNone) return true;
    if (total_[static_cast<size_t>(resources.unit)] + resources.busy > ii_) return false;
    if (use_ == UnitUse::kInTotal) return true;
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
    total_[static_cast<size_t>(resources.unit)] += resources.busy;
    std::vector<bool>& unit = units_[static_cast<size_t>(resources.unit)];
    for (uint32_t i = 0; i < resources.busy; ++i) unit[(row + i) % ii_] = true;
  }

 private:
  uint32_t RowOf(int32_t cycle) const {
    const auto ii = static_cast<int32_t>(ii_);
    return static_cast<uint32_t>((cycle % ii + ii) % ii);
  }

  const uint32_t ii_;
  const UnitUse use_;
  std::vector<bool> issued_;  // by row
  std::array<uint32_t, ptx::kNumFunctionalUnits> total_ = {};
  std::array<std::vector<bool>, ptx::kNumFunctionalUnits> units_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_RESERVATION_TABLE_H_
