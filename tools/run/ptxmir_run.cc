// ptxmir-run: runs a kernel of a MIR file in the interpreter and prints what became of its buffers.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "mir/diagnostics.h"
#include "mir/ir_nvvm.h"
#include "mir/machine_function.h"
#include "mir/mir_reader.h"
#include "mir/module.h"
#include "mir/str_cat.h"
#include "ptx/interpreter/device.h"
#include "ptx/ptx_target.h"
#include "tools/run/kernel_name.h"
#include "tools/run/run_options.h"

namespace ptxmir {
namespace {

void Print(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

int Fail(std::string_view message) {
  Print(stderr, StrCat("ptxmir-run: error: ", message, "\n"));
  return 1;
}

// The kernel that a name means; the only one for an empty name.
absl::StatusOr<std::string> FindKernel(const Module& module, std::string_view name) {
  std::vector<std::string_view> all;
  for (const IrFunction& function : module.functions()) {
    if (IsKernel(module, function) && !function.is_declaration()) all.push_back(function.name);
  }
  const std::vector<std::string_view> found = FindMeantNames(name, all);
  if (found.size() == 1) return std::string(found[0]);
  std::string list;
  for (const std::string_view kernel : found.empty() ? all : found) StrAppend(&list, "\n  ", kernel);
  return absl::NotFoundError(StrCat(found.empty() ? "no kernel is named '" : "several kernels may be meant by '", name,
                                    "'; there are:", list));
}

void PrintBuffer(const KernelRunOptions& options, size_t index, const KernelArgumentSpec& argument,
                 const ptx::Device& device, uint64_t address) {
  std::vector<uint8_t> bytes(argument.buffer_bytes);
  device.Read(address, absl::MakeSpan(bytes));
  const std::vector<uint8_t> undefined = device.UndefinedBits(address, bytes.size());
  uint64_t num_undefined = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    num_undefined += undefined[i] != 0 ? 1 : 0;
    bytes[i] &= static_cast<uint8_t>(~undefined[i]);
  }
  std::string out = absl::StrFormat("argument %d: %016x", index, HashBytes(bytes));
  if (num_undefined != 0) StrAppend(&out, ", ", num_undefined, " bytes undefined");
  if (options.show == KernelRunOptions::Show::kValues) {
    const uint64_t count = bytes.size() / argument.type.bytes;
    out += '\n';
    for (uint64_t i = 0; i < std::min(count, options.max_shown); ++i) {
      const size_t at = i * argument.type.bytes;
      bool known = true;
      for (unsigned j = 0; j < argument.type.bytes; ++j) known = known && undefined[at + j] == 0;
      StrAppend(&out, i % 8 == 0 ? (i == 0 ? "  " : "\n  ") : " ",
                known ? FormatElement(argument.type, bytes.data() + at) : std::string("?"));
    }
    if (count > options.max_shown) StrAppend(&out, " ...");
  }
  Print(stdout, out + "\n");
}

void PrintCounts(const ptx::LaunchCounts& counts) {
  static constexpr std::string_view kCategories[ptx::kNumInstrCategories] = {
      "integer", "float", "conversion", "move",   "comparison", "load",    "store", "atomic",
      "branch",  "call",  "barrier",    "warp",   "tensor",     "texture", "async", "other"};
  struct Space {
    std::string_view name;
    ptx::MemorySpace space;
  };
  static constexpr Space kSpaces[] = {
      {"global", ptx::MemorySpace::kGlobal}, {"shared", ptx::MemorySpace::kShared},
      {"shared (cluster)", ptx::MemorySpace::kSharedCluster}, {"constant", ptx::MemorySpace::kConst},
      {"local", ptx::MemorySpace::kLocal}, {"parameter", ptx::MemorySpace::kParam}};
  std::string out = StrCat("instructions of warps    ", counts.warp_instructions, "\ninstructions of threads  ",
                           counts.thread_instructions, "\n");
  for (size_t i = 0; i < counts.by_category.size(); ++i) {
    if (counts.by_category[i] == 0) continue;
    absl::StrAppendFormat(&out, "  %-22s %d\n", ToAbsl(kCategories[i]), counts.by_category[i]);
  }
  for (const Space& space : kSpaces) {
    const size_t i = static_cast<size_t>(space.space);
    if (counts.loads[i] + counts.stores[i] == 0) continue;
    absl::StrAppendFormat(&out, "%-24s %d loads, %d bytes; %d stores, %d bytes\n", ToAbsl(space.name),
                          counts.loads[i], counts.load_bytes[i], counts.stores[i], counts.store_bytes[i]);
  }
  StrAppend(&out, "spills                   ", counts.spill_load_bytes, " bytes loaded, ", counts.spill_store_bytes,
            " bytes stored\nbranches                 ", counts.branches, ", of warps that diverged ",
            counts.divergent_branches, "\n");
  Print(stdout, out);
}

int Run(KernelRunOptions& options) {
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (!buffer.ok()) return Fail(FromAbsl(buffer.status().message()));
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module = ReadMir(*buffer, ptx::PtxTargetInfo(), diagnostics);
  Print(stderr, diagnostics.ToString());
  if (module == nullptr) return 1;
  absl::StatusOr<std::string> kernel = FindKernel(*module, options.launch.kernel);
  if (!kernel.ok()) return Fail(FromAbsl(kernel.status().message()));
  options.launch.kernel = *std::move(kernel);

  std::vector<const MachineFunction*> functions;
  for (const std::unique_ptr<MachineFunction>& function : module->machine_functions()) {
    functions.push_back(function.get());
  }
  absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::Device::Create(*module, functions);
  if (!device.ok()) return Fail(FromAbsl(device.status().message()));
  std::vector<ptx::KernelArgument> arguments;
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const KernelArgumentSpec& argument = options.arguments[i];
    addresses.push_back(0);
    if (!argument.is_buffer) {
      arguments.push_back({argument.bytes});
      continue;
    }
    addresses.back() = (*device)->Allocate(StrCat("argument ", i), argument.buffer_bytes, argument.is_undefined);
    (*device)->Write(addresses.back(), argument.bytes);
    arguments.push_back(ptx::KernelArgument::Of(addresses.back()));
  }
  const absl::StatusOr<ptx::LaunchResult> result = (*device)->Launch(options.launch, arguments);
  if (!result.ok()) return Fail(FromAbsl(result.status().message()));
  Print(stdout, result->printed);
  for (size_t i = 0; i < options.arguments.size() && options.show != KernelRunOptions::Show::kNothing; ++i) {
    if (options.arguments[i].is_buffer) PrintBuffer(options, i, options.arguments[i], **device, addresses[i]);
  }
  if (options.show_counts) PrintCounts(result->counts);
  if (!result->fault.is_fault()) return 0;
  Print(stderr, StrCat("ptxmir-run: ", result->fault.ToString(), "\n"));
  return 1;
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  ptxmir::KernelRunOptions options;
  if (const absl::Status status = ptxmir::ParseRunCommandLine(arguments, options); !status.ok()) {
    return ptxmir::Fail(ptxmir::StrCat(ptxmir::FromAbsl(status.message()), "\nTry: 'ptxmir-run --help'"));
  }
  if (options.show_help) {
    ptxmir::Print(stdout, ptxmir::RunHelpText());
    return 0;
  }
  if (options.input.empty()) return ptxmir::Fail("no input file\nTry: 'ptxmir-run --help'");
  return ptxmir::Run(options);
}
