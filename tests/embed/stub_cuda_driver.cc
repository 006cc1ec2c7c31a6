// SPDX-License-Identifier: Apache-2.0

// A libcuda.so.1 that needs no GPU. It implements the driver functions that examples/embed/run_on_gpu.cc calls, so
// that the example can be run anywhere. Memory is the host's. It can launch one kernel, saxpy, which it computes
// itself if the PTX that it was given has an entry of that name. check_install.sh builds it.
//
// STUB_CUDA_FAILS=NAME makes the function of that name fail. STUB_CUDA_LOG=FILE writes the PTX to the file.

#include <cuda.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

CUresult Result(const char* function) {
  const char* failing = std::getenv("STUB_CUDA_FAILS");
  return failing != nullptr && std::strcmp(failing, function) == 0 ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

void* Pointer(CUdeviceptr pointer) { return reinterpret_cast<void*>(static_cast<uintptr_t>(pointer)); }

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return Result("cuInit"); }
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return Result("cuDeviceGetCount");
}
CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return Result("cuDeviceGet");
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return Result("cuDevicePrimaryCtxRetain");
}
CUresult cuCtxSetCurrent(CUcontext) { return Result("cuCtxSetCurrent"); }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return Result("cuDeviceGetAttribute");
}
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t size) {
  *pointer = reinterpret_cast<uintptr_t>(std::malloc(size));
  return Result("cuMemAlloc");
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size) {
  std::memcpy(Pointer(to), from, size);
  return Result("cuMemcpyHtoD");
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size) {
  std::memcpy(to, Pointer(from), size);
  return Result("cuMemcpyDtoH");
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  static std::string text;
  text = static_cast<const char*>(image);
  *module = reinterpret_cast<CUmodule>(&text);
  if (const char* log = std::getenv("STUB_CUDA_LOG")) {
    std::FILE* file = std::fopen(log, "w");
    if (file == nullptr) return CUDA_ERROR_FILE_NOT_FOUND;
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
  // Only PTX for compute capability 9.0 is accepted.
  if (text.find(".target sm_90") == std::string::npos) return CUDA_ERROR_INVALID_PTX;
  return Result("cuModuleLoadData");
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  *function = nullptr;
  const auto& text = *reinterpret_cast<std::string*>(module);
  if (std::strcmp(name, "saxpy") != 0 || text.find(".entry saxpy(") == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  return Result("cuModuleGetFunction");
}

CUresult cuLaunchKernel(CUfunction, unsigned grid_x, unsigned, unsigned, unsigned block_x, unsigned, unsigned, unsigned,
                        CUstream, void** arguments, void**) {
  const int n = *static_cast<int*>(arguments[0]);
  const float a = *static_cast<float*>(arguments[1]);
  const auto* x = static_cast<float*>(Pointer(*static_cast<CUdeviceptr*>(arguments[2])));
  auto* y = static_cast<float*>(Pointer(*static_cast<CUdeviceptr*>(arguments[3])));
  for (unsigned i = 0; i < grid_x * block_x; ++i) {
    if (i < static_cast<unsigned>(n)) y[i] = std::fma(a, x[i], y[i]);
  }
  return Result("cuLaunchKernel");
}
CUresult cuCtxSynchronize() { return Result("cuCtxSynchronize"); }
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "the stub was told to fail";
  return CUDA_SUCCESS;
}

}  // extern "C"
