// SPDX-License-Identifier: Apache-2.0

// Compiles modules that were built and runs their kernels in the interpreter: as instructions were selected, and after
// all passes of -O2; ptxas, where there is one, takes the PTX.

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

// Bytes of a buffer, from elements and back.
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
  // Each is a parameter: a buffer in global memory, whose address is passed, or the bytes of a value.
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

// The machine IR of a module that is built and compiled with `flags`, which stop before PTX; empty when a test failed.
std::string CompileTo(const std::function<void(KernelModule&)>& build, const std::string& sm,
                      std::vector<std::string> flags);
// The buffers behind a launch of a kernel of it.
std::vector<std::vector<uint8_t>> RunMir(const std::string& mir, const Launch& launch);

// Builds the module with `build` for each GPU ("sm_80" or "sm_89+ptx84"), compiles it, and launches it each time;
// `check` gets the buffers behind the launch. Everything that goes wrong fails the test that runs.
void RunEverywhere(const std::function<void(KernelModule&)>& build, const Launch& launch,
                   const std::function<void(const std::vector<std::vector<uint8_t>>&)>& check,
                   const std::vector<std::string>& sms = {"sm_80", "sm_90"});

}  // namespace ptxmir::builder

#endif  // PTXMIR_TESTS_BUILDER_KERNEL_RUNNER_H_
