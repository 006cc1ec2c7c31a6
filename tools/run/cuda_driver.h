// SPDX-License-Identifier: Apache-2.0

// The part of the CUDA driver's interface that ptxmir-gpu-run needs, as "CUDA Driver API" of NVIDIA documents it. It is
// declared here so that the tool builds without CUDA's headers; the driver is located when the tool runs.

#ifndef PTXMIR_TOOLS_RUN_CUDA_DRIVER_H_
#define PTXMIR_TOOLS_RUN_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>

namespace ptxmir::cuda {

using Result = int;  // 0 is success
using Device = int;
using DevicePointer = unsigned long long;
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;

inline constexpr int kMaxDynamicSharedBytes = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

// CUlaunchAttribute.
struct LaunchAttribute {
  enum Id : uint32_t { kCooperative = 2, kClusterDimension = 4 };

  Id id;
  uint32_t padding = 0;
  uint32_t value[16] = {};  // a flag, or the extents in x, y and z
};
static_assert(sizeof(LaunchAttribute) == 72);

// CUlaunchConfig.
struct LaunchConfig {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  uint32_t num_attributes;
};
static_assert(sizeof(LaunchConfig) == 56);

// The functions of the driver. All are null before Load succeeds.
struct Driver {
  // Returns null, or the name of what is missing: the library or a function.
  const char* Load();

  Result (*get_error_string)(Result, const char**) = nullptr;
  Result (*init)(unsigned flags) = nullptr;
  Result (*get_device)(Device*, int ordinal) = nullptr;
  Result (*retain_primary_context)(Context*, Device) = nullptr;
  Result (*set_current_context)(Context) = nullptr;
  Result (*synchronize)() = nullptr;
  Result (*load_module)(Module*, const void* image) = nullptr;
  Result (*unload_module)(Module) = nullptr;
  Result (*get_function)(Function*, Module, const char* name) = nullptr;
  Result (*set_function_attribute)(Function, int attribute, int value) = nullptr;
  Result (*launch)(const LaunchConfig*, Function, void** parameters, void** extra) = nullptr;
  Result (*allocate)(DevicePointer*, size_t bytes) = nullptr;
  Result (*free)(DevicePointer) = nullptr;
  Result (*set_bytes)(DevicePointer, unsigned char value, size_t count) = nullptr;
  Result (*copy_to_device)(DevicePointer, const void*, size_t bytes) = nullptr;
  Result (*copy_from_device)(void*, DevicePointer, size_t bytes) = nullptr;
  Result (*create_event)(Event*, unsigned flags) = nullptr;
  Result (*destroy_event)(Event) = nullptr;
  Result (*record_event)(Event, Stream) = nullptr;
  Result (*wait_for_event)(Event) = nullptr;
  Result (*elapsed_time)(float* milliseconds, Event begin, Event end) = nullptr;
};

}  // namespace ptxmir::cuda

#endif  // PTXMIR_TOOLS_RUN_CUDA_DRIVER_H_
