// SPDX-License-Identifier: Apache-2.0

// Offsets of stack objects in __local_depotN: the layout engine of nvptx-prolog-epilog (phases 3 to 6).
//
// Order: fixed objects keep the offsets that they have; then callee-saved registers (PTX has none, MIR may name some);
// then, where the frame has a stack protector, the protector and the objects of categories 1, 2 and 3, which are LLVM's
// layout kinds of stack protection; then everything else.
//
// Two layouts are made: objects of a category in the order of their numbers, which is llc's, and (`sorts`) by alignment
// and size from large to small, each in the first gap that takes it. The second is used where it is smaller, so that
// every other frame looks like llc's.

#ifndef PTXMIR_PASSES_FRAME_FRAME_LAYOUT_H_
#define PTXMIR_PASSES_FRAME_FRAME_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace ptxmir {

enum class FrameCategory : uint8_t {
  kNone = 0,
  kLargeArray = 1,    // more than 8 bytes
  kSmallArray = 2,    // up to 8 bytes, accessed in parts
  kAddressTaken = 3,  // up to 8 bytes, and its address is a value
};

// The frame object record of reference/machine-level-passes.txt, in its 40 bytes. The reference leaves gaps; what the
// layout needs besides stands in one of them.
struct FrameObjectRecord {
  int64_t offset = 0;  // assigned by the layout
  uint64_t size = 0;
  uint8_t align_log2 = 0;
  uint8_t unused_17[3] = {};
  bool is_dead = false;
  bool is_fixed = false;
  bool is_first = false;  // the stack protector, callee-saved registers
  bool is_variable_sized = false;
  int32_t index = 0;
  uint32_t unused_28 = 0;
  bool is_spill_slot = false;
  uint8_t unused_33[3] = {};
  FrameCategory category = FrameCategory::kNone;
  uint8_t unused_37[3] = {};
};
static_assert(sizeof(FrameObjectRecord) == 40);
static_assert(offsetof(FrameObjectRecord, offset) == 0 && offsetof(FrameObjectRecord, size) == 8);
static_assert(offsetof(FrameObjectRecord, align_log2) == 16 && offsetof(FrameObjectRecord, is_dead) == 20);
static_assert(offsetof(FrameObjectRecord, is_spill_slot) == 32 && offsetof(FrameObjectRecord, category) == 36);

struct FrameLayoutOptions {
  bool sorts = true;
  // Offsets are negative, from the end of the frame. PTX's depot is addressed from its beginning.
  bool grows_down = false;
  uint64_t min_alignment = 1;  // of the frame, whatever its objects ask for
};

struct FrameLayout {
  uint64_t size = 0;  // a multiple of 8 (LLVM's stack alignment) and of the alignment
  uint64_t alignment = 1;
  uint64_t padding = 0;    // bytes of `size` that belong to no object
  bool is_sorted = false;  // not in the order of numbers
  // Larger than 32-bit offsets reach; `size` means nothing.
  bool is_too_large = false;
};

// Offsets of fixed objects are given, all others are assigned.
FrameLayout LayOutFrame(absl::Span<FrameObjectRecord> objects, const FrameLayoutOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_FRAME_LAYOUT_H_
