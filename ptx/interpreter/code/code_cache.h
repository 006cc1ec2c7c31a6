// SPDX-License-Identifier: Apache-2.0

// A cache of functions in the form that the interpreter executes, shared by devices that run functions of the same
// module.
//
// A device decodes a function when it is first called. If a kernel is run many times on small inputs, or with
// different versions of one of its functions, decoding is most of the work.

#ifndef PTXMIR_PTX_INTERPRETER_CODE_CODE_CACHE_H_
#define PTXMIR_PTX_INTERPRETER_CODE_CODE_CACHE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace ptxmir {
class MachineFunction;
}  // namespace ptxmir

namespace ptxmir::ptx {

struct DecodedFunction;

// Only one thread at a time may use the cache and the devices that share it.
class CodeCache {
 public:
  // The addresses that the code depends on besides its function and the module, and that other functions may shift.
  struct Layout {
    uint64_t dynamic_shared = 0;  // the address where dynamic shared memory begins
    uint64_t shared_depot = 0;    // the address of the function's shared depot; 0 if it has none
    bool operator==(const Layout&) const = default;
  };

  // Returns the decoded function, or null if it has not been decoded for this layout.
  std::shared_ptr<const DecodedFunction> Find(const MachineFunction& function, const Layout& layout) const {
    const auto found = entries_.find(&function);
    return found != entries_.end() && found->second.layout == layout ? found->second.code : nullptr;
  }
  void Add(const MachineFunction& function, const Layout& layout, std::shared_ptr<const DecodedFunction> code) {
    entries_.insert_or_assign(&function, Entry{layout, std::move(code)});
  }
  // Drops a function. Call it before the function changes or is deleted.
  void Forget(const MachineFunction& function) { entries_.erase(&function); }

 private:
  struct Entry {
    Layout layout;
    std::shared_ptr<const DecodedFunction> code;
  };
  absl::flat_hash_map<const MachineFunction*, Entry> entries_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_CODE_CACHE_H_
