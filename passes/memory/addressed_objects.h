// SPDX-License-Identifier: Apache-2.0

// The stack objects that stay in memory because their address is used for more than loads and stores at constant
// offsets: it is stored, passed on, compared, or added to a variable. nvptx-mem2reg makes no registers of these.

#ifndef PTXMIR_PASSES_MEMORY_ADDRESSED_OBJECTS_H_
#define PTXMIR_PASSES_MEMORY_ADDRESSED_OBJECTS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class AddressedObjects {
 public:
  // Takes O(operands) for functions with stack objects, in SSA form or not.
  explicit AddressedObjects(MachineFunction& function);

  // Returns true for the frame index of an object that stays in memory.
  bool Contains(int index) const { return objects_.contains(index); }

 private:
  // Looks at an operand that is the address of the object.
  void AddUse(int index, MachineOperand& use);

  absl::flat_hash_set<int> objects_;
  std::vector<std::pair<int, Register>> addresses_;  // registers whose uses have not been looked at
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_ADDRESSED_OBJECTS_H_
