// SPDX-License-Identifier: Apache-2.0

// Creates the device on which the kernels of a module are launched.

#ifndef PTXMIR_PTX_INTERPRETER_CREATE_DEVICE_H_
#define PTXMIR_PTX_INTERPRETER_CREATE_DEVICE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "ptx/interpreter/exec/device.h"

namespace ptxmir::ptx {

class CodeCache;

// Creates a device, and lays out and initializes the variables of `module`. `functions` are its machine functions,
// in any order. They and the module must outlive the device and must not change meanwhile. `code` belongs to the
// same module and must outlive the device, which takes decoded functions from it and adds new ones. Returns an error
// if the variables cannot be laid out.
absl::StatusOr<std::unique_ptr<Device>> CreateDevice(const Module& module,
                                                     absl::Span<const MachineFunction* const> functions,
                                                     CodeCache* code = nullptr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CREATE_DEVICE_H_
