// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/frame_layout.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/align.h"

namespace ptxmir {
namespace {

// The alignment of a frame's size, as in LLVM's NVPTXFrameLowering.
constexpr uint64_t kStackAlignment = 8;
constexpr uint64_t kMaxSize = std::numeric_limits<int32_t>::max();
constexpr size_t kMaxGapsTried = 64;

// Assigns places one after the other, or in a gap that was left earlier.
class Area {
 public:
  Area(uint64_t begin, bool fills_gaps, bool grows_down)
      : end_(begin), fills_gaps_(fills_gaps), grows_down_(grows_down) {}

  uint64_t end() const { return end_; }
  bool is_too_large() const { return is_too_large_; }

  void Place(FrameObjectRecord& object) {
    const uint64_t alignment = uint64_t{1} << object.align_log2;
    if (object.size > kMaxSize || alignment > kMaxSize || end_ > kMaxSize) {
      is_too_large_ = true;
      return;
    }
    // If the frame grows down, the far end is aligned.
    if (grows_down_) {
      end_ = AlignTo(end_ + object.size, alignment);
      object.offset = -static_cast<int64_t>(end_);
      return;
    }
    if (fills_gaps_ && PlaceInGap(object, alignment)) return;
    const uint64_t begin = AlignTo(end_, alignment);
    if (begin > end_ && gaps_.size() < kMaxGapsTried) gaps_.push_back({end_, begin});
    object.offset = static_cast<int64_t>(begin);
    end_ = begin + object.size;
  }

 private:
  struct Gap {
    uint64_t begin;
    uint64_t end;
  };

  bool PlaceInGap(FrameObjectRecord& object, uint64_t alignment) {
    for (size_t i = 0; i < gaps_.size(); ++i) {
      const Gap gap = gaps_[i];
      const uint64_t begin = AlignTo(gap.begin, alignment);
      if (begin + object.size > gap.end) continue;
      object.offset = static_cast<int64_t>(begin);
      gaps_[i].begin = begin + object.size;
      if (begin > gap.begin && gaps_.size() < kMaxGapsTried) gaps_.push_back({gap.begin, begin});
      return true;
    }
    return false;
  }

  uint64_t end_;
  const bool fills_gaps_;
  const bool grows_down_;
  bool is_too_large_ = false;
  std::vector<Gap> gaps_;
};

// Returns the object's rank in the order of the frame. Without a stack protector, all objects have category 0.
unsigned Rank(const FrameObjectRecord& object) {
  if (object.is_first) return 0;
  const auto category = static_cast<unsigned>(object.category);
  return category == 0 ? 4 : category;
}

// Lays out all objects except fixed ones, and returns the area that they occupy.
Area LayOut(absl::Span<FrameObjectRecord> objects, bool sorts, bool grows_down, uint64_t begin) {
  std::vector<FrameObjectRecord*> order;
  for (FrameObjectRecord& object : objects) {
    if (!object.is_dead && !object.is_fixed) order.push_back(&object);
  }
  const auto key = [&](const FrameObjectRecord* object) {
    return std::make_tuple(Rank(*object), sorts ? -static_cast<int>(object->align_log2) : 0, sorts ? ~object->size : 0,
                           object->index);
  };
  std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
  Area area(begin, sorts, grows_down);
  for (FrameObjectRecord* object : order) {
    // The space for these objects is allocated at run time. llc aligns what follows them.
    if (!object->is_variable_sized || !sorts) area.Place(*object);
  }
  return area;
}

}  // namespace

FrameLayout LayOutFrame(absl::Span<FrameObjectRecord> objects, const FrameLayoutOptions& options) {
  FrameLayout layout;
  layout.alignment = std::max<uint64_t>(options.min_alignment, 1);
  uint64_t begin = 0;
  uint64_t used = 0;
  for (const FrameObjectRecord& object : objects) {
    if (object.is_dead) continue;
    used += std::min(object.size, kMaxSize + 1);
    if (object.is_fixed) {
      const int64_t end = options.grows_down ? -object.offset : object.offset + static_cast<int64_t>(object.size);
      begin = std::max(begin, static_cast<uint64_t>(std::max<int64_t>(end, 0)));
    } else {
      layout.alignment = std::max(layout.alignment, uint64_t{1} << object.align_log2);
    }
  }
  const Area plain = LayOut(objects, /*sorts=*/false, options.grows_down, begin);
  uint64_t end = plain.end();
  layout.is_too_large = plain.is_too_large();
  const auto rounded = [&](uint64_t size) { return AlignTo(size, std::max(kStackAlignment, layout.alignment)); };
  if (options.sorts && !layout.is_too_large) {
    std::vector<FrameObjectRecord> sorted(objects.begin(), objects.end());
    const Area area = LayOut(absl::MakeSpan(sorted), /*sorts=*/true, options.grows_down, begin);
    if (rounded(area.end()) < rounded(end)) {
      std::copy(sorted.begin(), sorted.end(), objects.begin());
      end = area.end();
      layout.is_sorted = true;
    }
  }
  layout.size = rounded(end);
  layout.is_too_large |= layout.size > kMaxSize;
  layout.padding = layout.size - std::min(layout.size, used);
  return layout;
}

}  // namespace ptxmir
