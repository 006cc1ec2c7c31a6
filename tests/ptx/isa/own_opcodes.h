// SPDX-License-Identifier: Apache-2.0

// The opcodes of the tables that LLVM 22 does not have. Tests that compare the tables with LLVM leave these out.

#ifndef PTXMIR_TESTS_PTX_ISA_OWN_OPCODES_H_
#define PTXMIR_TESTS_PTX_ISA_OWN_OPCODES_H_

#include <algorithm>
#include <string_view>
#include <vector>

namespace ptxmir::ptx {

struct OwnOpcode {
  std::string_view name;    // as MIR spells it
  std::string_view reason;  // why LLVM 22 has no such opcode
};

// Returns the list, to which new opcodes are added here, like {"ADD16x4", "PTX 9.1, which is newer than LLVM 22"}.
inline const std::vector<OwnOpcode>& OwnOpcodes() {
  static const auto* const kOpcodes = new std::vector<OwnOpcode>{};
  return *kOpcodes;
}

// Returns true if the opcode with this name is one that LLVM 22 does not have.
inline bool IsOwnOpcode(std::string_view name) {
  return std::any_of(OwnOpcodes().begin(), OwnOpcodes().end(),
                     [name](const OwnOpcode& own) { return own.name == name; });
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_TESTS_PTX_ISA_OWN_OPCODES_H_
