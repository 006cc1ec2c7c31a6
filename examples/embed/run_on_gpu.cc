// SPDX-License-Identifier: Apache-2.0

// Compiles saxpy, loads it through the CUDA driver, runs it, and compares the result with the host's:
//
//     run_on_gpu saxpy.mir
//
// The exit status is 77 (skipped) if there is no driver or GPU. Building requires cuda.h; the driver is loaded at
// run time.

#include <cuda.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ptxmir/compiler.h"

namespace {

constexpr int kSkipped = 77;

#define EXAMPLE_NAME_OF(x) #x
#define EXAMPLE_EXPANDED_NAME_OF(x) EXAMPLE_NAME_OF(x)
// Finds a function of the driver, under the name to which the header currently maps it (cuMemAlloc_v2).
#define DRIVER(function) Find<decltype(&function)>(EXAMPLE_EXPANDED_NAME_OF(function))

template <typename Function>
Function Find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) {
    std::printf("run_on_gpu: skipped: no CUDA driver with '%s'\n", name);
    std::exit(kSkipped);
  }
  return reinterpret_cast<Function>(symbol);
}

void Check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  DRIVER(cuGetErrorString)(result, &text);
  std::fprintf(stderr, "run_on_gpu: %s: %s\n", what, text == nullptr ? "unknown error" : text);
  std::exit(1);
}
#define CHECKED(function, ...) Check(DRIVER(function)(__VA_ARGS__), #function)

// Opens the device and returns the name of its architecture, for example sm_80.
std::string OpenDevice() {
  CUdevice device;
  int count = 0;
  if (DRIVER(cuInit)(0) != CUDA_SUCCESS || DRIVER(cuDeviceGetCount)(&count) != CUDA_SUCCESS || count == 0) {
    std::printf("run_on_gpu: skipped: no GPU\n");
    std::exit(kSkipped);
  }
  CHECKED(cuDeviceGet, &device, 0);
  CUcontext context;
  CHECKED(cuDevicePrimaryCtxRetain, &context, device);
  CHECKED(cuCtxSetCurrent, context);
  int major = 0;
  int minor = 0;
  CHECKED(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  CHECKED(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

CUdeviceptr Upload(const std::vector<float>& values) {
  CUdeviceptr pointer;
  CHECKED(cuMemAlloc, &pointer, values.size() * sizeof(float));
  CHECKED(cuMemcpyHtoD, pointer, values.data(), values.size() * sizeof(float));
  return pointer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: run_on_gpu saxpy.mir\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string mir{std::istreambuf_iterator<char>(file), {}};

  ptxmir::CompileOptions options;
  const std::string sm = OpenDevice();
  options.flags = {"-O2", "-mcpu=" + sm};
  options.input_name = argv[1];
  const ptxmir::CompileResult compiled = ptxmir::Compile(mir, options);
  std::fputs(compiled.MessageText().c_str(), stderr);
  if (!compiled.ok) return 1;

  CUmodule module;
  CHECKED(cuModuleLoadData, &module, compiled.output.c_str());
  CUfunction saxpy;
  CHECKED(cuModuleGetFunction, &saxpy, module, "saxpy");

  constexpr int kThreads = 256;
  int n = 100'003;
  float a = 2.5f;
  std::vector<float> x(n);
  std::vector<float> y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000) / 7;
    y[i] = static_cast<float>(i % 321) / 3;
  }
  CUdeviceptr device_x = Upload(x);
  CUdeviceptr device_y = Upload(y);
  void* arguments[] = {&n, &a, &device_x, &device_y};
  CHECKED(cuLaunchKernel, saxpy, (n + kThreads - 1) / kThreads, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr);
  CHECKED(cuCtxSynchronize);
  std::vector<float> result(n);
  CHECKED(cuMemcpyDtoH, result.data(), device_y, n * sizeof(float));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += result[i] != std::fma(a, x[i], y[i]);
  std::printf("run_on_gpu: saxpy on %s: %d of %d results are wrong\n", sm.c_str(), wrong, n);
  return wrong == 0 ? 0 : 1;
}
