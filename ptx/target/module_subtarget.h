// SPDX-License-Identifier: Apache-2.0

// The subtarget that a module is compiled for: the one on the command line, else the one that the attributes of its
// functions ask for.

#ifndef PTXMIR_PTX_TARGET_MODULE_SUBTARGET_H_
#define PTXMIR_PTX_TARGET_MODULE_SUBTARGET_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::ptx {

// Chooses the subtarget. `cpu` and `features` are -mcpu and -mattr; empty if not given.
//
// With a `cpu`, the functions' attributes do not count, as in llc: "sm_80" alone is PTX 7.0 even though clang wrote
// "+ptx88" on every function. Without a `cpu`, the one that a module document names is used or, without that, the
// newest target-cpu of the module's definitions. If `features` then has no PTX version, the highest one in the
// definitions' target-features is used, provided it suffices for the SM.
absl::StatusOr<Subtarget> ChooseSubtarget(const Module& module, std::string_view cpu, std::string_view features);

// Returns the subtarget of ChooseSubtarget if `cpu` or the module names a GPU. Returns nothing if neither does, because
// LLVM's default is far older than what such modules are meant for, and nothing if there is an error.
std::optional<Subtarget> NamedSubtarget(const Module& module, std::string_view cpu, std::string_view features);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_MODULE_SUBTARGET_H_
