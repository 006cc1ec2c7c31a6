// SPDX-License-Identifier: Apache-2.0

#include "mir/code/nearest_opcode.h"

#include <cstddef>

namespace ptxmir {

void ConsiderOpcodes(const TargetInfo& target, NearestName& nearest) {
  for (size_t i = 0; i < target.instrs.size(); ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    nearest.Consider(target.Name(opcode));
    if (target.Get(opcode).stable_name != target.Get(opcode).name) nearest.Consider(target.StableName(opcode));
  }
}

}  // namespace ptxmir
