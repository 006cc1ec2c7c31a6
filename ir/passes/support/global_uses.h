// SPDX-License-Identifier: Apache-2.0

// GlobalUses: how often each global is mentioned, in code and elsewhere, as the program is now.

#ifndef PTXMIR_IR_PASSES_SUPPORT_GLOBAL_USES_H_
#define PTXMIR_IR_PASSES_SUPPORT_GLOBAL_USES_H_

#include <cstdint>
#include <vector>

#include "ir/code/program.h"

namespace ptxmir::ir {

class GlobalUses {
 public:
  explicit GlobalUses(const Program& program);

  // All mentions in code, in initializers and as aliasees.
  uint32_t Count(GlobalId id) const { return counts_[id]; }
  bool IsUsed(GlobalId id) const { return counts_[id] != 0; }

 private:
  void AddConstant(const IrConstant& constant);

  std::vector<uint32_t> counts_;
};

// Returns for each global value whether a node of metadata mentions it.
std::vector<bool> GlobalsInMetadata(const Module& module);

// Calls `visit` for each call of the function by name, by code of the program. `visit` may erase the call.
void ForEachCallOf(Program& program, GlobalId callee, absl::FunctionRef<void(Instruction&)> visit);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_GLOBAL_USES_H_
