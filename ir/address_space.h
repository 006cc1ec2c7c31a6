// SPDX-License-Identifier: Apache-2.0

// The address spaces of PTX, with LLVM's numbers for NVPTX. Variables and pointers of the IR, memory operands and the
// addsp operands of instructions (modifier atom.addsp of ptx/isa/tables/prelude.isa) use the same numbers.

#ifndef PTXMIR_IR_ADDRESS_SPACE_H_
#define PTXMIR_IR_ADDRESS_SPACE_H_

#include <cstdint>
#include <string_view>

namespace ptxmir::address_space {

enum : uint32_t {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3,
  kConst = 4,
  kLocal = 5,
  kTensor = 6,         // tensor memory; no instruction has an addsp operand for it
  kSharedCluster = 7,  // the shared memory of all CTAs of the cluster
  kParam = 101,        // the parameters of a kernel, and those of a call
};

// Returns true for the spaces that other threads see. In other spaces, order and volatility mean nothing to PTX.
constexpr bool IsSharedBetweenThreads(uint32_t space) {
  return space == kGeneric || space == kGlobal || space == kShared || space == kSharedCluster;
}

// Returns the state space of variables in an address space ("global"), or an empty string if it has none.
constexpr std::string_view StateSpace(uint32_t space) {
  switch (space) {
    case kGlobal:
      return "global";
    case kShared:
      return "shared";
    case kConst:
      return "const";
    case kLocal:
      return "local";
    default:
      return {};
  }
}

}  // namespace ptxmir::address_space

#endif  // PTXMIR_IR_ADDRESS_SPACE_H_
