// SPDX-License-Identifier: Apache-2.0

// A kernel of a file of MIR or LLVM IR, ready to be launched in the interpreter according to options.

#ifndef PTXMIR_TOOLS_RUN_KERNEL_RUN_H_
#define PTXMIR_TOOLS_RUN_KERNEL_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "ir/module.h"
#include "ptx/interpreter/exec/device.h"
#include "tools/run/kernel_run_options.h"

namespace ptxmir {

class KernelRun {
 public:
  // Reads options.input, finds the kernel, and creates the buffers. options.launch.kernel becomes the kernel's
  // full name. If requested, generates the launch and its arguments, and stores them in the options. Messages of
  // the reader go to `diagnostics`. Returns an error if there is no such file, kernel or module, or if the options
  // cannot express what would be generated.
  static absl::StatusOr<std::unique_ptr<KernelRun>> Prepare(KernelRunOptions& options, DiagnosticEngine& diagnostics);

  absl::StatusOr<ptx::LaunchResult> Launch() { return device_->Launch(launch_, arguments_); }

  const ptx::Device& device() const { return *device_; }
  // Returns the address of the buffer of argument `i` or the handle of its surface, or 0 if it is neither.
  uint64_t address(size_t i) const { return addresses_[i]; }
  // Returns the same for the value of variable `i` of the options.
  uint64_t variable_address(size_t i) const { return variable_addresses_[i]; }

 private:
  // Creates the buffer or surface of an argument or variable. Returns its address or handle, or 0.
  uint64_t Make(const KernelArgumentSpec& spec, std::string name);
  absl::Status SetVariables(const KernelRunOptions& options);

  ptx::LaunchConfig launch_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<ptx::Device> device_;
  std::vector<ptx::KernelArgument> arguments_;
  std::vector<uint64_t> addresses_;
  std::vector<uint64_t> variable_addresses_;
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_KERNEL_RUN_H_
