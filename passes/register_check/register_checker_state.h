// SPDX-License-Identifier: Apache-2.0

// The state at a point of the function that the register checker executes: for each location, the set of symbolic
// values that it holds.
//
// Locations with the same set share a cell, so that entering a block, or applying an instruction to the sets of all
// locations, takes time proportional to the number of different sets. Two cells may have the same set. A cell that no
// location refers to is empty.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_STATE_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_STATE_H_

#include <cstdint>
#include <vector>

#include "passes/register_check/register_checker_locations.h"
#include "passes/register_check/register_checker_values.h"

namespace ptxmir::register_check {

using SetId = SymbolicSets::Id;

class SymbolicState {
 public:
  explicit SymbolicState(const CheckerFacts& facts)
      : cell_of_location_(facts.num_locations, kEmptyCell), holders_(facts.snapshot().num_registers()) {}

  SymbolicSets& sets() { return sets_; }
  const SymbolicSets& sets() const { return sets_; }

  SetId Get(Location location) const { return cells_[cell_of_location_[location]].set; }
  void Set(Location location, SetId set);
  // Returns true if the location holds the value, or if the value is undefined.
  bool Holds(Location location, SymbolicValue value) const {
    return sets_.Contains(Get(location), value) || sets_.Contains(Get(kUndefined), value);
  }
  // Empties the sets of all locations.
  void Clear();
  // Removes the values of a register from every set.
  void Kill(uint32_t vreg);
  // Adds the values of `target` to every set that contains those of `source`.
  void AddEqual(uint32_t target, uint32_t source);

 private:
  using CellId = uint32_t;
  static constexpr CellId kEmptyCell = 0;
  struct Cell {
    SetId set = SymbolicSets::kEmpty;
    uint32_t num_locations = 0;  // not maintained for kEmptyCell
  };

  // Returns a cell that has the set.
  CellId CellOf(SetId set);
  void SetCell(CellId cell, SetId set);
  void AddHolder(uint32_t vreg, CellId cell);

  SymbolicSets sets_;
  std::vector<CellId> cell_of_location_;
  std::vector<Cell> cells_ = {Cell{}};
  std::vector<CellId> cell_of_set_;           // by set: the newest cell that was created for it, which may have another
                                              // set by now
  std::vector<Location> touched_;             // the locations that have a cell
  std::vector<std::vector<CellId>> holders_;  // by original register: the cells that may hold it
  std::vector<uint32_t> held_;                // the registers that have holders
};

}  // namespace ptxmir::register_check

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_STATE_H_
