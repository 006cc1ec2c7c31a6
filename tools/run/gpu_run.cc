// SPDX-License-Identifier: Apache-2.0

// ptxmir-gpu-run: runs a kernel of a PTX file or a cubin on a GPU, with the options of ptxmir-run, and prints the final
// contents of its buffers in the same form. So the two can be compared line by line:
//
//     ptxmir-run k.mir --grid=4 --block=64 --arg=buffer:f32:256:iota > interpreted
//     ptxmir k.mir -o k.ptx && ptxmir-gpu-run k.ptx --grid=4 --block=64 --arg=buffer:f32:256:iota > executed
//     diff interpreted executed
//
// With --time it also says how long the kernel takes, and with --commands it does many runs, for which the driver is
// started once. tools/run/build_gpu_run builds it where CUDA's headers are installed. The driver is located at run
// time. Undefined buffers are filled with zeros, because a GPU has no undefined bits.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "tools/run/cuda_driver.h"
#include "tools/run/kernel_name.h"
#include "tools/run/kernel_run_options.h"
#include "tools/run/saved_run.h"

namespace ptxmir {
namespace {

// Returns from the function that it stands in if a call of the driver fails.
#define PTXMIR_CALL_DRIVER(what, function, ...) \
  if (absl::Status status = StatusOf(TheDriver().function(__VA_ARGS__), what); !status.ok()) return status

cuda::Driver& TheDriver() {
  static cuda::Driver driver;
  return driver;
}

absl::Status StatusOf(cuda::Result result, std::string_view what) {
  if (result == 0) return absl::OkStatus();
  const char* text = nullptr;
  TheDriver().get_error_string(result, &text);
  return absl::InternalError(StrCat(what, ": ", text == nullptr ? "unknown error" : text));
}

int Fail(std::string_view message) {
  std::fprintf(stderr, "ptxmir-gpu-run: error: %.*s\n", static_cast<int>(message.size()), message.data());
  return 1;
}

// Returns the entry of the PTX that the name means, by the rules of ptxmir-run, or an empty string if there is none or
// several. The entries of a cubin are not looked up.
std::string FindEntry(std::string_view code, std::string_view name) {
  if (code.starts_with("\x7f"
                       "ELF"))
    return std::string(name);
  std::vector<std::string_view> entries;
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = code.find(kEntry); at != code.npos; at = code.find(kEntry, at + 1)) {
    const std::string_view entry = code.substr(at + kEntry.size());
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
  return std::any_of(options.arguments.begin(), options.arguments.end(), is_surface);
}

absl::Status OpenGpu() {
  if (const char* missing = TheDriver().Load(); missing != nullptr) {
    return absl::NotFoundError(StrCat("no CUDA driver with '", missing, "'"));
  }
  cuda::Device device;
  cuda::Context context;
  PTXMIR_CALL_DRIVER("starting the driver", init, 0);
  PTXMIR_CALL_DRIVER("finding a GPU", get_device, &device, 0);
  PTXMIR_CALL_DRIVER("opening the GPU", retain_primary_context, &context, device);
  return StatusOf(TheDriver().set_current_context(context), "opening the GPU");
}

// A kernel with its module and the buffers of its arguments. The destructor frees them.
class GpuKernel {
 public:
  explicit GpuKernel(const KernelRunOptions& options) : options_(options) {}
  GpuKernel(const GpuKernel&) = delete;
  GpuKernel& operator=(const GpuKernel&) = delete;
  ~GpuKernel() {
    for (const cuda::DevicePointer buffer : buffers_) {
      if (buffer != 0) TheDriver().free(buffer);
    }
    if (module_ != nullptr) TheDriver().unload_module(module_);
  }

  absl::Status Load(const std::string& code);
  // Creates the buffers of the arguments and fills them.
  absl::Status CreateArguments();
  absl::Status Launch(uint32_t copies);
  // Returns the number of copies of the grid that take this time: the least power of four, or as many as are possible.
  absl::StatusOr<uint32_t> FindCopies(float microseconds);
  // Launches the kernel `count` times, or fewer times if that takes long, and returns the median time in microseconds.
  absl::StatusOr<float> Time(uint32_t copies, uint32_t count);
  // Prints and saves what the buffers hold, as the options say.
  absl::Status Show() const;

 private:
  const KernelRunOptions& options_;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
  std::vector<cuda::DevicePointer> buffers_;  // for each argument; 0: it is none
  std::vector<std::vector<uint8_t>> values_;  // of the arguments
};

absl::Status GpuKernel::Load(const std::string& code) {
  const std::string entry = FindEntry(code, options_.launch.kernel);
  if (entry.empty()) {
    return absl::NotFoundError(StrCat("no kernel, or several, are meant by '", options_.launch.kernel, "'"));
  }
  PTXMIR_CALL_DRIVER("loading the code", load_module, &module_, code.c_str());
  PTXMIR_CALL_DRIVER("finding the kernel", get_function, &function_, module_, entry.c_str());
  if (options_.launch.dynamic_shared_bytes == 0) return absl::OkStatus();
  return StatusOf(TheDriver().set_function_attribute(function_, cuda::kMaxDynamicSharedBytes,
                                                     static_cast<int>(options_.launch.dynamic_shared_bytes)),
                  "asking for shared memory");
}

absl::Status GpuKernel::CreateArguments() {
  for (const KernelArgumentSpec& argument : options_.arguments) {
    cuda::DevicePointer& buffer = buffers_.emplace_back(0);
    values_.push_back(argument.bytes);
    if (!argument.is_buffer) continue;
    const size_t size = std::max<size_t>(argument.buffer_bytes, 1);
    PTXMIR_CALL_DRIVER("allocating memory", allocate, &buffer, size);
    PTXMIR_CALL_DRIVER("clearing memory", set_bytes, buffer, 0, size);
    if (!argument.bytes.empty()) {
      PTXMIR_CALL_DRIVER("filling a buffer", copy_to_device, buffer, argument.bytes.data(), argument.bytes.size());
    }
    values_.back().assign(reinterpret_cast<const uint8_t*>(&buffer), reinterpret_cast<const uint8_t*>(&buffer + 1));
  }
  return absl::OkStatus();
}

absl::Status GpuKernel::Launch(uint32_t copies) {
  const ptx::LaunchConfig& launch = options_.launch;
  std::vector<void*> parameters;
  for (std::vector<uint8_t>& value : values_) parameters.push_back(value.data());
  std::vector<cuda::LaunchAttribute> attributes;
  if (launch.cluster.Count() > 1) {
    attributes.push_back({.id = cuda::LaunchAttribute::kClusterDimension,
                          .value = {launch.cluster.x, launch.cluster.y, launch.cluster.z}});
  }
  if (launch.cooperative) attributes.push_back({.id = cuda::LaunchAttribute::kCooperative, .value = {1}});
  const cuda::LaunchConfig config = {.grid = {launch.grid.x, launch.grid.y, launch.grid.z * copies},
                                     .block = {launch.block.x, launch.block.y, launch.block.z},
                                     .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                                     .stream = nullptr,
                                     .attributes = attributes.data(),
                                     .num_attributes = static_cast<uint32_t>(attributes.size())};
  return StatusOf(TheDriver().launch(&config, function_, parameters.data(), nullptr), "launching");
}

absl::StatusOr<uint32_t> GpuKernel::FindCopies(float microseconds) {
  constexpr uint32_t kMostInZ = 65535;
  const uint32_t most = std::max(1u, kMostInZ / options_.launch.grid.z);
  for (uint32_t copies = 1; copies < most; copies *= 4) {
    const absl::StatusOr<float> time = Time(copies, 3);
    if (!time.ok()) return time.status();
    if (*time >= microseconds) return copies;
  }
  return most;
}

absl::StatusOr<float> GpuKernel::Time(uint32_t copies, uint32_t count) {
  std::vector<float> times;
  cuda::Event begin = nullptr;
  cuda::Event end = nullptr;
  PTXMIR_CALL_DRIVER("creating an event", create_event, &begin, 0);
  PTXMIR_CALL_DRIVER("creating an event", create_event, &end, 0);
  float total = 0;
  constexpr float kMostMilliseconds = 20;
  for (uint32_t i = 0; i < count && total < kMostMilliseconds; ++i) {
    float milliseconds = 0;
    PTXMIR_CALL_DRIVER("recording an event", record_event, begin, nullptr);
    if (absl::Status status = Launch(copies); !status.ok()) return status;
    PTXMIR_CALL_DRIVER("recording an event", record_event, end, nullptr);
    PTXMIR_CALL_DRIVER("running", wait_for_event, end);
    PTXMIR_CALL_DRIVER("reading the time", elapsed_time, &milliseconds, begin, end);
    total += milliseconds;
    times.push_back(milliseconds * 1000);
  }
  TheDriver().destroy_event(begin);
  TheDriver().destroy_event(end);
  const size_t middle = times.size() / 2;
  std::nth_element(times.begin(), times.begin() + middle, times.end());
  return times[middle];
}

absl::Status GpuKernel::Show() const {
  for (size_t i = 0; i < options_.arguments.size(); ++i) {
    if (!options_.arguments[i].is_buffer) continue;
    std::vector<uint8_t> bytes(options_.arguments[i].buffer_bytes);
    PTXMIR_CALL_DRIVER("reading a buffer", copy_from_device, bytes.data(), buffers_[i], bytes.size());
    if (options_.show != KernelRunOptions::Show::kNothing) PrintBuffer(options_, i, options_.arguments[i], bytes);
    if (options_.save_folder.empty()) continue;
    if (absl::Status status = SaveArgument(options_.save_folder, i, "after", bytes); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Run(const KernelRunOptions& options) {
  if (options.input.empty()) return absl::InvalidArgumentError("no input file");
  if (HasSurfaces(options)) return absl::UnimplementedError("surfaces are there in the interpreter alone");
  std::ifstream file(options.input, std::ios::binary);
  if (!file) return absl::NotFoundError(StrCat("could not open input file '", options.input, "'"));
  const std::string code(std::istreambuf_iterator<char>(file), {});
  GpuKernel kernel(options);
  if (absl::Status status = kernel.Load(code); !status.ok()) return status;
  if (absl::Status status = kernel.CreateArguments(); !status.ok()) return status;
  if (absl::Status status = kernel.Launch(options.copies); !status.ok()) return status;
  PTXMIR_CALL_DRIVER("running", synchronize, );
  if (absl::Status status = kernel.Show(); !status.ok()) return status;
  if (options.fill_time != 0) {
    const absl::StatusOr<uint32_t> copies = kernel.FindCopies(static_cast<float>(options.fill_time));
    if (!copies.ok()) return copies.status();
    std::printf("\nptxmir-gpu-run: %u copies\n", *copies);
  }
  if (options.num_timed == 0) return absl::OkStatus();
  const absl::StatusOr<float> microseconds = kernel.Time(options.copies, options.num_timed);
  if (microseconds.ok()) std::printf("\nptxmir-gpu-run: %.3f us\n", *microseconds);
  return microseconds.status();
}

// Does the run of each line. Options are separated by blanks.
absl::Status RunCommands(std::istream& lines) {
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string_view> arguments;
    for (const absl::string_view argument : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      arguments.emplace_back(argument.data(), argument.size());
    }
    KernelRunOptions options;
    if (absl::Status status = ParseRunCommandLine(RunTool::kGpu, arguments, options); !status.ok()) return status;
    if (absl::Status status = Run(options); !status.ok()) return status;
    // The text that the kernel prints need not end with a new line.
    std::printf("\nptxmir-gpu-run: done\n");
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

absl::Status RunAll(const KernelRunOptions& options) {
  if (absl::Status status = OpenGpu(); !status.ok()) return status;
  if (options.commands_file.empty()) return Run(options);
  if (options.commands_file == "-") return RunCommands(std::cin);
  std::ifstream file(options.commands_file);
  if (!file) return absl::NotFoundError(StrCat("could not open '", options.commands_file, "'"));
  return RunCommands(file);
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  ptxmir::KernelRunOptions options;
  if (const absl::Status status = ptxmir::ParseRunCommandLine(ptxmir::RunTool::kGpu, arguments, options);
      !status.ok()) {
    return ptxmir::Fail(ptxmir::FromAbsl(status.message()));
  }
  if (options.show_help) {
    std::fputs(ptxmir::RunHelpText(ptxmir::RunTool::kGpu).c_str(), stdout);
    return 0;
  }
  const absl::Status status = ptxmir::RunAll(options);
  return status.ok() ? 0 : ptxmir::Fail(ptxmir::FromAbsl(status.message()));
}
