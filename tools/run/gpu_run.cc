// SPDX-License-Identifier: Apache-2.0

// ptxmir-gpu-run: runs a kernel of a PTX file on a GPU, with the options of ptxmir-run, and prints the final
// contents of its buffers in the same form. So the two can be compared line by line:
//
//     ptxmir-run k.mir --grid=4 --block=64 --arg=buffer:f32:256:iota > interpreted
//     ptxmir k.mir -o k.ptx && ptxmir-gpu-run k.ptx --grid=4 --block=64 --arg=buffer:f32:256:iota > executed
//     diff interpreted executed
//
// tools/run/build_gpu_run builds it where CUDA's headers are installed. The driver is located at run time.
// Undefined buffers are filled with zeros, because a GPU has no undefined bits.

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "tools/run/kernel_name.h"
#include "tools/run/kernel_run_options.h"
#include "tools/run/saved_run.h"

namespace ptxmir {
namespace {

#define PTXMIR_NAME_OF(x) #x
#define PTXMIR_EXPANDED_NAME_OF(x) PTXMIR_NAME_OF(x)
// Finds a function of the driver under the name to which the header currently maps it (cuMemAlloc_v2).
#define PTXMIR_DRIVER(function) Driver::Find<decltype(&function)>(PTXMIR_EXPANDED_NAME_OF(function))

class Driver {
 public:
  template <typename Function>
  static Function Find(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
    if (symbol == nullptr) {
      std::fprintf(stderr, "ptxmir-gpu-run: error: the CUDA driver has no '%s'\n", name);
      std::exit(1);
    }
    return reinterpret_cast<Function>(symbol);
  }
  static void Check(CUresult result, const char* what) {
    if (result == CUDA_SUCCESS) return;
    const char* text = nullptr;
    PTXMIR_DRIVER(cuGetErrorString)(result, &text);
    std::fprintf(stderr, "ptxmir-gpu-run: error: %s: %s\n", what, text == nullptr ? "unknown error" : text);
    std::exit(1);
  }
};

int Fail(std::string_view message) {
  std::fprintf(stderr, "ptxmir-gpu-run: error: %.*s\n", static_cast<int>(message.size()), message.data());
  return 1;
}

// Returns the entry of the PTX that the name means, by the rules of ptxmir-run, or an empty string if there is
// none or several.
std::string FindEntry(std::string_view ptx, std::string_view name) {
  std::vector<std::string_view> entries;
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at + 1)) {
    const std::string_view entry = ptx.substr(at + kEntry.size());
    entries.push_back(entry.substr(0, entry.find_first_of(" (\n\t")));
  }
  const std::vector<std::string_view> found = FindMeantNames(name, entries);
  return found.size() == 1 ? std::string(found[0]) : std::string();
}

void PrintBuffer(const KernelRunOptions& options, size_t index, const KernelArgumentSpec& argument,
                 const std::vector<uint8_t>& bytes) {
  std::string out = absl::StrFormat("argument %d: %016x\n", index, HashBytes(bytes));
  if (options.show == KernelRunOptions::Show::kValues) {
    const uint64_t count = std::min<uint64_t>(bytes.size() / argument.type.bytes, options.max_shown);
    for (uint64_t i = 0; i < count; ++i) {
      StrAppend(&out, i % 8 == 0 ? (i == 0 ? "  " : "\n  ") : " ",
                FormatElement(argument.type, bytes.data() + i * argument.type.bytes));
    }
    out += count < bytes.size() / argument.type.bytes ? " ...\n" : "\n";
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

// Returns true if the options need surfaces, which only the interpreter supports.
bool HasSurfaces(const KernelRunOptions& options) {
  const auto is_surface = [](const KernelArgumentSpec& argument) { return argument.is_surface; };
  return !options.variables.empty() || std::any_of(options.arguments.begin(), options.arguments.end(), is_surface);
}

int Run(const KernelRunOptions& options) {
  if (options.generated_input.has_value())
    return Fail("--generate needs the MIR; ptxmir-run --save says what it makes up");
  if (HasSurfaces(options)) return Fail("surfaces and --variable are there in the interpreter alone");
  std::ifstream file(options.input, std::ios::binary);
  if (!file) return Fail(StrCat("could not open input file '", options.input, "'"));
  const std::string ptx(std::istreambuf_iterator<char>(file), {});
  const std::string entry = FindEntry(ptx, options.launch.kernel);
  if (entry.empty()) return Fail(StrCat("no kernel, or several, are meant by '", options.launch.kernel, "'"));

  Driver::Check(PTXMIR_DRIVER(cuInit)(0), "starting the driver");
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  Driver::Check(PTXMIR_DRIVER(cuDeviceGet)(&device, 0), "finding a GPU");
  Driver::Check(PTXMIR_DRIVER(cuDevicePrimaryCtxRetain)(&context, device), "opening the GPU");
  Driver::Check(PTXMIR_DRIVER(cuCtxSetCurrent)(context), "opening the GPU");
  Driver::Check(PTXMIR_DRIVER(cuModuleLoadData)(&module, ptx.c_str()), "loading the PTX");
  Driver::Check(PTXMIR_DRIVER(cuModuleGetFunction)(&function, module, entry.c_str()), "finding the kernel");
  if (options.launch.dynamic_shared_bytes != 0) {
    Driver::Check(PTXMIR_DRIVER(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    static_cast<int>(options.launch.dynamic_shared_bytes)),
                  "asking for shared memory");
  }

  std::vector<std::vector<uint8_t>> values;
  std::vector<CUdeviceptr> buffers;
  for (const KernelArgumentSpec& argument : options.arguments) {
    CUdeviceptr buffer = 0;
    values.push_back(argument.bytes);
    if (argument.is_buffer) {
      const size_t size = std::max<size_t>(argument.buffer_bytes, 1);
      Driver::Check(PTXMIR_DRIVER(cuMemAlloc)(&buffer, size), "allocating memory");
      Driver::Check(PTXMIR_DRIVER(cuMemsetD8)(buffer, 0, size), "clearing memory");
      if (!argument.bytes.empty()) {
        Driver::Check(PTXMIR_DRIVER(cuMemcpyHtoD)(buffer, argument.bytes.data(), argument.bytes.size()),
                      "filling a buffer");
      }
      values.back().assign(reinterpret_cast<const uint8_t*>(&buffer), reinterpret_cast<const uint8_t*>(&buffer + 1));
    }
    buffers.push_back(buffer);
  }
  std::vector<void*> parameters;
  for (std::vector<uint8_t>& value : values) parameters.push_back(value.data());

  std::vector<CUlaunchAttribute> attributes;
  if (options.launch.cluster.Count() > 1) {
    CUlaunchAttribute& attribute = attributes.emplace_back();
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {options.launch.cluster.x, options.launch.cluster.y, options.launch.cluster.z};
  }
  if (options.launch.cooperative) {
    CUlaunchAttribute& attribute = attributes.emplace_back();
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
  }
  CUlaunchConfig config = {};
  config.gridDimX = options.launch.grid.x;
  config.gridDimY = options.launch.grid.y;
  config.gridDimZ = options.launch.grid.z;
  config.blockDimX = options.launch.block.x;
  config.blockDimY = options.launch.block.y;
  config.blockDimZ = options.launch.block.z;
  config.sharedMemBytes = options.launch.dynamic_shared_bytes;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  Driver::Check(PTXMIR_DRIVER(cuLaunchKernelEx)(&config, function, parameters.data(), nullptr), "launching");
  Driver::Check(PTXMIR_DRIVER(cuCtxSynchronize)(), "running");

  for (size_t i = 0; i < options.arguments.size(); ++i) {
    if (!options.arguments[i].is_buffer) continue;
    std::vector<uint8_t> bytes(options.arguments[i].buffer_bytes);
    Driver::Check(PTXMIR_DRIVER(cuMemcpyDtoH)(bytes.data(), buffers[i], bytes.size()), "reading a buffer");
    if (options.show != KernelRunOptions::Show::kNothing) PrintBuffer(options, i, options.arguments[i], bytes);
    if (options.save_folder.empty()) continue;
    if (const absl::Status status = SaveArgument(options.save_folder, i, "after", bytes); !status.ok()) {
      return Fail(FromAbsl(status.message()));
    }
  }
  return 0;
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  ptxmir::KernelRunOptions options;
  if (const absl::Status status = ptxmir::ParseRunCommandLine(arguments, options); !status.ok()) {
    return ptxmir::Fail(ptxmir::FromAbsl(status.message()));
  }
  if (options.show_help) {
    std::fputs(ptxmir::RunHelpText().c_str(), stdout);
    return 0;
  }
  if (options.input.empty()) return ptxmir::Fail("no input file");
  return ptxmir::Run(options);
}
