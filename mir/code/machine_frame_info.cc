// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_frame_info.h"

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

int MachineFrameInfo::CreateSharedObject(uint64_t size, uint8_t align_log2) {
  StackObject object;
  object.size = size;
  object.align_log2 = align_log2;
  object.type = StackObject::Type::kSpillSlot;
  object.stack_id = StackObject::kSharedStackId;
  objects_.push_back(object);
  return static_cast<int>(objects_.size()) - 1;
}

const StackObject* MachineFrameInfo::SharedObject() const {
  const auto found = std::find_if(objects_.begin(), objects_.end(),
                                  [](const StackObject& object) { return object.is_in_shared() && !object.is_dead; });
  return found == objects_.end() ? nullptr : &*found;
}

}  // namespace ptxmir
