// SPDX-License-Identifier: Apache-2.0

// Functions in the form that the interpreter executes, kept for devices of one module that run the same ones.
//
// A device decodes a function when it is first called. Where a kernel is run again and again on small inputs, or with
// another version of one of its functions, that is most of the work.

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

// One thread at a time may use it and the devices that do.
class CodeCache {
 public:
  // What code depends on besides its function and the module: addresses that other functions may move.
  struct Layout {
    uint64_t dynamic_shared = 0;  // where dynamic shared memory begins
    uint64_t shared_depot = 0;    // of the function; 0 where it has none
    bool operator==(const Layout&) const = default;
  };

  // Null when the function has not been decoded for that layout.
  std::shared_ptr<const DecodedFunction> Find(const MachineFunction& function, const Layout& layout) const {
    const auto found = entries_.find(&function);
    return found != entries_.end() && found->second.layout == layout ? found->second.code : nullptr;
  }
  void Add(const MachineFunction& function, const Layout& layout, std::shared_ptr<const DecodedFunction> code) {
    entries_.insert_or_assign(&function, Entry{layout, std::move(code)});
  }
  // To be called before a function changes or goes.
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
