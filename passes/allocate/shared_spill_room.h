// SPDX-License-Identifier: Apache-2.0

// How much shared memory a kernel may take for spilled values: what its CTA leaves unused of the memory that is its own
// anyway at the occupancy which the register budget aims at.
//
// There is room only where it is known who shares it:
//
// - The function is a kernel with .reqntid or .maxntid. With .reqntid every CTA has that shape; .maxntid bounds the
//   number of threads alone (ptxas and the driver take any shape of no more threads), so that a thread's number follows
//   from %ntid.
// - All shared memory that the kernel uses is static and in this module: no variable of a size that the launch gives
//   (the sum might exceed what the launch may ask for, and how many CTAs fit is not known), no call to code outside,
//   and no question how much shared memory there is.
//
// Of 48 KiB, the most that a kernel may have statically, as much is given as keeps as many CTAs on an SM as the
// budget's registers and the kernel's own shared memory allow. After RegDem (Sakdhnagool, Sabne and Eigenmann, "RegDem:
// Increasing GPU Performance via Shared Memory Register Spilling", 2019), which takes what the launch leaves.

#ifndef PTXMIR_PASSES_ALLOCATE_SHARED_SPILL_ROOM_H_
#define PTXMIR_PASSES_ALLOCATE_SHARED_SPILL_ROOM_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {

struct SharedSpillRoom {
  uint32_t threads = 0;             // of the largest CTA
  bool has_exact_shape = false;     // every CTA has the shape
  std::array<uint32_t, 3> shape{};  // of .reqntid or .maxntid
  uint32_t words = 0;               // of 32 bits, for each thread
  std::string_view refusal;         // why there are none, where there are none
};

// O(operands).
SharedSpillRoom FindSharedSpillRoom(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SHARED_SPILL_ROOM_H_
