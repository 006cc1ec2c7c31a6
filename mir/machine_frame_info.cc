#include "mir/machine_frame_info.h"

#include <algorithm>

namespace ptxmir {

int MachineFrameInfo::CreateStackObject(uint64_t size, uint8_t align_log2, StackObject::Type type) {
  StackObject object;
  object.size = size;
  object.align_log2 = align_log2;
  object.type = type;
  objects_.push_back(object);
  max_alignment = std::max(max_alignment, uint64_t{1} << align_log2);
  return static_cast<int>(objects_.size()) - 1;
}

}  // namespace ptxmir
