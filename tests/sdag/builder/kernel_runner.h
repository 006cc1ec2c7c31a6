// SPDX-License-Identifier: Apache-2.0

// Compiles modules made with the builder and runs their kernels in the interpreter, both right after instruction
// selection and after all passes of -O2. ptxas, if it is installed, must accept the PTX.

#ifndef PTXMIR_TESTS_BUILDER_KERNEL_RUNNER_H_
#define PTXMIR_TESTS_BUILDER_KERNEL_RUNNER_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ptx/interpreter/exec/device.h"
#include "ptxmir/kernel_builder.h"

namespace ptxmir::builder {

// Convert elements to the bytes of a buffer and back.
template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& elements) {
  std::vector<uint8_t> bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}
template <typename T>
std::vector<T> ElementsOf(const std::vector<uint8_t>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
  return elements;
}

struct Launch {
  std::string kernel = "k";
  ptx::Dim3 grid = {};
  ptx::Dim3 block = {};
  uint32_t dynamic_shared = 0;
  // A parameter: a buffer in global memory, whose address is passed, or the bytes of a value.
  struct Argument {
    std::vector<uint8_t> bytes;
    bool is_buffer = false;
  };
  std::vector<Argument> arguments;

  template <typename T>
  Launch& Buffer(const std::vector<T>& elements) {
    arguments.push_back({BytesOf(elements), true});
    return *this;
  }
  template <typename T>
  Launch& Value(T value) {
    arguments.push_back({BytesOf(std::vector<T>{value}), false});
    return *this;
  }
};

// Returns the machine IR of a module that `build` makes, compiled with `flags`, which stop before PTX. Empty if a
// test failed.
std::string CompileTo(const std::function<void(KernelModule&)>& build, const std::string& sm,
                      std::vector<std::string> flags);
// Launches a kernel of the module. Returns the contents of the buffers after the launch.
std::vector<std::vector<uint8_t>> RunMir(const std::string& mir, const Launch& launch);

// For each GPU ("sm_80" or "sm_89+ptx84"), builds the module with `build`, compiles it and launches it. `check`
// gets the contents of the buffers after the launch. Any error fails the current test.
void RunEverywhere(const std::function<void(KernelModule&)>& build, const Launch& launch,
                   const std::function<void(const std::vector<std::vector<uint8_t>>&)>& check,
                   const std::vector<std::string>& sms = {"sm_80", "sm_90"});

}  // namespace ptxmir::builder

#endif  // PTXMIR_TESTS_BUILDER_KERNEL_RUNNER_H_
