// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx::lanes_internal {
namespace {

template <typename T>
void StoreLanes(const void* results, LaneMask active, void* row) {
  for (const unsigned lane : Lanes(active)) static_cast<T*>(row)[lane] = static_cast<const T*>(results)[lane];
}

}  // namespace

void StoreActive(const void* results, size_t size, LaneMask active, void* row) {
  if (active == kAllLanes) {
    std::memcpy(row, results, size * kWarpSize);
  } else if (size == sizeof(uint16_t)) {
    StoreLanes<uint16_t>(results, active, row);
  } else if (size == sizeof(uint32_t)) {
    StoreLanes<uint32_t>(results, active, row);
  } else {
    StoreLanes<uint64_t>(results, active, row);
  }
}

}  // namespace ptxmir::ptx::lanes_internal
