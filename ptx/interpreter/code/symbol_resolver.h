// SPDX-License-Identifier: Apache-2.0

// The addresses that the symbols of a module have on a device.

#ifndef PTXMIR_PTX_INTERPRETER_CODE_SYMBOL_RESOLVER_H_
#define PTXMIR_PTX_INTERPRETER_CODE_SYMBOL_RESOLVER_H_

#include <cstdint>
#include <optional>

#include "ir/ids.h"

namespace ptxmir {
class MachineFunction;
}

namespace ptxmir::ptx {

// Answers the decoder's questions about symbols.
class SymbolResolver {
 public:
  virtual ~SymbolResolver() = default;
  // Returns the address of a variable in its own space, or a function's address; nullopt if it has none.
  virtual std::optional<uint64_t> AddressOf(GlobalId global) = 0;
  // Returns the address in shared memory of the function's words for spilled values (__shared_depotN); nullopt if it
  // has none.
  virtual std::optional<uint64_t> SharedDepotOf(const MachineFunction& function) = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_SYMBOL_RESOLVER_H_
