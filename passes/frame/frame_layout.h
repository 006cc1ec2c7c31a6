// SPDX-License-Identifier: Apache-2.0

// Assigns the offsets of stack objects in __local_depotN. This is the layout engine of nvptx-prolog-epilog (phases
// 3 to 6).
//
// The order is: fixed objects, which keep their offsets; callee-saved registers (PTX has none, but MIR may name
// some); if the frame has a stack protector, the protector and the objects of categories 1, 2 and 3, which are
// LLVM's layout kinds for stack protection; then everything else.
//
// Two layouts are computed. The first places the objects of each category in the order of their numbers, as llc
// does. The second (`sorts`) places them by decreasing alignment and size, each in the first gap that it fits. The
// second is used only if it is smaller, so every other frame looks like llc's.

#ifndef PTXMIR_PASSES_FRAME_FRAME_LAYOUT_H_
#define PTXMIR_PASSES_FRAME_FRAME_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace ptxmir {

enum class FrameCategory : uint8_t {
  kNone = 0,
  kLargeArray = 1,    // more than 8 bytes
  kSmallArray = 2,    // up to 8 bytes, accessed in parts
  kAddressTaken = 3,  // up to 8 bytes, and its address is used as a value
};

struct FrameObjectRecord {
  int64_t offset = 0;  // assigned by the layout
  uint64_t size = 0;
  int32_t index = 0;
  uint8_t align_log2 = 0;
  FrameCategory category = FrameCategory::kNone;
  bool is_dead = false;
  bool is_fixed = false;
  bool is_first = false;  // the stack protector or a callee-saved register
  bool is_variable_sized = false;
  bool is_spill_slot = false;
};

struct FrameLayoutOptions {
  bool sorts = true;
  // Whether offsets are negative, counted from the end of the frame. PTX addresses the depot from its beginning.
  bool grows_down = false;
  uint64_t min_alignment = 1;  // a lower bound on the frame's alignment
};

struct FrameLayout {
  uint64_t size = 0;  // a multiple of 8 (LLVM's stack alignment) and of `alignment`
  uint64_t alignment = 1;
  uint64_t padding = 0;    // bytes of `size` that belong to no object
  bool is_sorted = false;  // the objects are not in the order of their numbers
  // Whether the frame is too large for 32-bit offsets. `size` is then meaningless.
  bool is_too_large = false;
};

// Assigns the offsets of all objects except fixed ones, whose offsets are given.
FrameLayout LayOutFrame(absl::Span<FrameObjectRecord> objects, const FrameLayoutOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_FRAME_LAYOUT_H_
