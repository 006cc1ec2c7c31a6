// SPDX-License-Identifier: Apache-2.0

// Runs a piece of PTX as a kernel in the interpreter: a machine function whose body is a single inline assembly.
//
//     const PtxResult result = RunPtx("ld.global.u32 v, [in]; ...", {.threads = 32, .in = {1, 2, 3}, .out_count = 32});
//
// The text can use these registers: `in` and `out` (the addresses of arrays of 32-bit words), `extra` (64 bits, as
// given), `shared` (the address of 8 KiB of shared memory, in the shared space), `tid`, `pin` and `pout` (the
// addresses of word `tid` of in and out). It must declare any others.

#ifndef PTXMIR_TESTS_PTX_INTERPRETER_PTX_KERNEL_H_
#define PTXMIR_TESTS_PTX_INTERPRETER_PTX_KERNEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/interpreter/exec/device.h"

namespace ptxmir::ptx {

struct PtxLaunch {
  uint32_t threads = 32;
  uint32_t blocks = 1;
  uint32_t cluster = 1;
  std::vector<uint32_t> in = {};
  size_t out_count = 32;
  // Makes the value of `extra`, such as a texture.
  std::function<uint64_t(Device&)> extra = {};
  // Inspects the device afterwards.
  std::function<void(Device&, uint64_t extra)> after = {};
};

struct PtxResult {
  Fault fault;
  std::vector<uint32_t> out;
  std::vector<uint32_t> undefined;  // the undefined bits of out
  // Returns word i of out if it is defined, otherwise a word that no test expects.
  uint32_t operator[](size_t i) const { return undefined[i] == 0 ? out[i] : 0xdeadbeefu; }
};

PtxResult RunPtx(std::string_view ptx, const PtxLaunch& launch);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_TESTS_PTX_INTERPRETER_PTX_KERNEL_H_
