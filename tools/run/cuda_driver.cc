// SPDX-License-Identifier: Apache-2.0

#include "tools/run/cuda_driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace ptxmir::cuda {

const char* Driver::Load() {
  static constexpr char kLibrary[] = "libcuda.so.1";
  void* const library = dlopen(kLibrary, RTLD_NOW);
  if (library == nullptr) return kLibrary;
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (symbol == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(get_error_string, "cuGetErrorString");
  find(init, "cuInit");
  find(get_device, "cuDeviceGet");
  find(retain_primary_context, "cuDevicePrimaryCtxRetain");
  find(set_current_context, "cuCtxSetCurrent");
  find(synchronize, "cuCtxSynchronize");
  find(load_module, "cuModuleLoadData");
  find(unload_module, "cuModuleUnload");
  find(get_function, "cuModuleGetFunction");
  find(set_function_attribute, "cuFuncSetAttribute");
  find(launch, "cuLaunchKernelEx");
  find(allocate, "cuMemAlloc_v2");
  find(free, "cuMemFree_v2");
  find(set_bytes, "cuMemsetD8_v2");
  find(copy_to_device, "cuMemcpyHtoD_v2");
  find(copy_from_device, "cuMemcpyDtoH_v2");
  find(create_event, "cuEventCreate");
  find(destroy_event, "cuEventDestroy_v2");
  find(record_event, "cuEventRecord");
  find(wait_for_event, "cuEventSynchronize");
  find(elapsed_time, "cuEventElapsedTime");
  return missing;
}

}  // namespace ptxmir::cuda
