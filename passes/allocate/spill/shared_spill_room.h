// SPDX-License-Identifier: Apache-2.0

// Computes how much shared memory a kernel may use for spilled values: the part of its CTA's share that stays
// unused anyway at the occupancy that the register budget aims at.
//
// There is room only if the use of shared memory is known:
//
//  - The function is a kernel with .reqntid or .maxntid. With .reqntid, every CTA has that shape. .maxntid only bounds
//    the number of threads (ptxas and the driver accept any shape with no more threads), so a thread's number has to be
//    computed from %ntid.
//  - All shared memory that the kernel uses is static and in this module. There is no variable whose size the launch
//    determines (the sum might exceed what the launch may request, and the number of CTAs that fit is unknown), no call
//    to external code, and no query of the amount of shared memory.
//
// The kernel gets as much of 48 KiB, the maximum of static shared memory, as still lets the number of CTAs run on
// an SM that the budget's registers and the kernel's own shared memory allow. The idea is that of RegDem
// (Sakdhnagool, Sabne and Eigenmann, "RegDem: Increasing GPU Performance via Shared Memory Register Spilling",
// 2019), which uses the shared memory that the launch leaves.

#ifndef PTXMIR_PASSES_ALLOCATE_SPILL_SHARED_SPILL_ROOM_H_
#define PTXMIR_PASSES_ALLOCATE_SPILL_SHARED_SPILL_ROOM_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {

struct SharedSpillRoom {
  uint32_t threads = 0;             // the threads of the largest CTA
  bool has_exact_shape = false;     // every CTA has the shape
  std::array<uint32_t, 3> shape{};  // the shape in .reqntid or .maxntid
  uint32_t words = 0;               // 32-bit words per thread
  std::string_view refusal;         // the reason if `words` is 0
};

// Computes the room in time O(operands).
SharedSpillRoom FindSharedSpillRoom(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPILL_SHARED_SPILL_ROOM_H_
