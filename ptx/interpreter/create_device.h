// SPDX-License-Identifier: Apache-2.0

// Makes the device that kernels of a module are launched on.

#ifndef PTXMIR_PTX_INTERPRETER_CREATE_DEVICE_H_
#define PTXMIR_PTX_INTERPRETER_CREATE_DEVICE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "ptx/interpreter/exec/device.h"

namespace ptxmir::ptx {

class CodeCache;

// Lays out and initializes the variables of `module`. `functions` are its machine functions, in any order; they and the
// module must outlive the device and not change meanwhile. `code` belongs to the same module and must outlive the
// device: decoded functions are taken from it and left in it. Errors: variables that cannot be laid out.
absl::StatusOr<std::unique_ptr<Device>> CreateDevice(const Module& module,
                                                     absl::Span<const MachineFunction* const> functions,
                                                     CodeCache* code = nullptr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CREATE_DEVICE_H_
