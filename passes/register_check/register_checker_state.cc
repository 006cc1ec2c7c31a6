// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_state.h"

namespace ptxmir::register_check {

void SymbolicState::Set(Location location, SetId set) {
  if (Get(location) == set) return;
  const CellId old = cell_of_location_[location];
  if (old == kEmptyCell) {
    touched_.push_back(location);
  } else if (--cells_[old].num_locations == 0) {
    cells_[old].set = SymbolicSets::kEmpty;
  }
  cell_of_location_[location] = CellOf(set);
  ++cells_[cell_of_location_[location]].num_locations;
}

SymbolicState::CellId SymbolicState::CellOf(SetId set) {
  if (set == SymbolicSets::kEmpty) return kEmptyCell;
  if (set < cell_of_set_.size()) {
    const CellId known = cell_of_set_[set];
    if (known < cells_.size() && cells_[known].set == set) return known;
  }
  const CellId cell = static_cast<CellId>(cells_.size());
  cells_.emplace_back();
  SetCell(cell, set);
  for (const SymbolicValue& value : sets_.Values(set)) {
    if (holders_[value.vreg].empty() || holders_[value.vreg].back() != cell) AddHolder(value.vreg, cell);
  }
  return cell;
}

void SymbolicState::SetCell(CellId cell, SetId set) {
  cells_[cell].set = set;
  if (set >= cell_of_set_.size()) cell_of_set_.resize(size_t{set} + 1, kEmptyCell);
  cell_of_set_[set] = cell;
}

void SymbolicState::AddHolder(uint32_t vreg, CellId cell) {
  if (holders_[vreg].empty()) held_.push_back(vreg);
  holders_[vreg].push_back(cell);
}

void SymbolicState::Clear() {
  for (const Location location : touched_) cell_of_location_[location] = kEmptyCell;
  touched_.clear();
  cells_.assign(1, Cell{});
  for (const uint32_t vreg : held_) holders_[vreg].clear();
  held_.clear();
}

void SymbolicState::Kill(uint32_t vreg) {
  for (const CellId cell : holders_[vreg]) SetCell(cell, sets_.WithoutRegister(cells_[cell].set, vreg));
  holders_[vreg].clear();
}

void SymbolicState::AddEqual(uint32_t target, uint32_t source) {
  const std::vector<CellId> holders = holders_[source];
  for (const CellId cell : holders) {
    std::vector<SymbolicValue>& values = sets_.NewValues();
    bool found = false;
    for (const SymbolicValue& value : sets_.Values(cells_[cell].set)) {
      values.push_back(value);
      if (value.vreg != source) continue;
      found = true;
      values.push_back({target, value.begin, value.size, value.form});
    }
    if (!found) continue;
    SetCell(cell, sets_.Make(values));
    AddHolder(target, cell);
  }
}

}  // namespace ptxmir::register_check
