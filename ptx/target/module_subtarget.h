// SPDX-License-Identifier: Apache-2.0

// The subtarget that a module is compiled for: what the command line says, else what the attributes of its
// functions ask for.

#ifndef PTXMIR_PTX_TARGET_MODULE_SUBTARGET_H_
#define PTXMIR_PTX_TARGET_MODULE_SUBTARGET_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::ptx {

// `cpu` and `features` are -mcpu and -mattr; empty: not given.
//
// With a `cpu` the functions' attributes do not count, as in llc: "sm_80" alone is PTX 7.0 although clang
// wrote "+ptx88" beside every function. Without one, what a module document names holds or, without that,
// the newest target-cpu of the module's definitions; and without a PTX version in `features` the highest in
// their target-features, if that is enough for the SM.
absl::StatusOr<Subtarget> ChooseSubtarget(const Module& module, std::string_view cpu, std::string_view features);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_MODULE_SUBTARGET_H_
