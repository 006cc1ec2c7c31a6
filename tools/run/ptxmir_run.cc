// SPDX-License-Identifier: Apache-2.0

// ptxmir-run: runs a kernel of a MIR file in the interpreter and prints the final contents of its buffers.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/isa/isa_enums.h"
#include "tools/run/contents_text.h"
#include "tools/run/kernel_run.h"
#include "tools/run/kernel_run_options.h"
#include "tools/run/saved_run.h"
#include "tools/support/tool_version.h"

namespace ptxmir {
namespace {

void Print(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

int Fail(std::string_view message) {
  Print(stderr, StrCat("ptxmir-run: error: ", message, "\n"));
  return 1;
}

void PrintCounts(const ptx::LaunchCounts& counts) {
  static constexpr std::string_view kCategories[ptx::kNumInstrCategories] = {
      "integer", "float", "conversion", "move", "comparison", "load",    "store", "atomic",
      "branch",  "call",  "barrier",    "warp", "tensor",     "texture", "async", "other"};
  struct Space {
    std::string_view name;
    ptx::MemorySpace space;
  };
  static constexpr Space kSpaces[] = {{"global", ptx::MemorySpace::kGlobal},
                                      {"shared", ptx::MemorySpace::kShared},
                                      {"shared (cluster)", ptx::MemorySpace::kSharedCluster},
                                      {"constant", ptx::MemorySpace::kConst},
                                      {"local", ptx::MemorySpace::kLocal},
                                      {"parameter", ptx::MemorySpace::kParam}};
  std::string out = StrCat("instructions of warps    ", counts.warp_instructions, "\ninstructions of threads  ",
                           counts.thread_instructions, "\n");
  for (size_t i = 0; i < counts.by_category.size(); ++i) {
    if (counts.by_category[i] == 0) continue;
    absl::StrAppendFormat(&out, "  %-22s %d\n", ToAbsl(kCategories[i]), counts.by_category[i]);
  }
  for (const Space& space : kSpaces) {
    const size_t i = static_cast<size_t>(space.space);
    if (counts.loads[i] + counts.stores[i] == 0) continue;
    absl::StrAppendFormat(&out, "%-24s %d loads, %d bytes; %d stores, %d bytes\n", ToAbsl(space.name), counts.loads[i],
                          counts.load_bytes[i], counts.stores[i], counts.store_bytes[i]);
  }
  StrAppend(&out, "spills                   ", counts.spill_load_bytes, " bytes loaded, ", counts.spill_store_bytes,
            " bytes stored\nbranches                 ", counts.branches, ", of warps that diverged ",
            counts.divergent_branches, "\n");
  Print(stdout, out);
}

int Run(KernelRunOptions& options) {
  DiagnosticEngine diagnostics;
  const absl::StatusOr<std::unique_ptr<KernelRun>> run = KernelRun::Prepare(options, diagnostics);
  Print(stderr, diagnostics.ToString());
  if (!run.ok()) return Fail(FromAbsl(run.status().message()));
  const bool is_saved = !options.save_folder.empty();
  if (is_saved) {
    if (const absl::Status status = SaveInput(options.save_folder, options); !status.ok())
      return Fail(FromAbsl(status.message()));
  }
  const absl::StatusOr<ptx::LaunchResult> result = (*run)->Launch();
  if (!result.ok()) return Fail(FromAbsl(result.status().message()));
  if (is_saved && !result->fault.is_fault()) {
    if (const absl::Status status = SaveContents(options, **run); !status.ok()) return Fail(FromAbsl(status.message()));
  }
  Print(stdout, result->printed);
  if (options.show != KernelRunOptions::Show::kNothing) Print(stdout, ContentsText(options, **run));
  if (options.show_counts) PrintCounts(result->counts);
  if (result->undefined_store.is_fault()) {
    Print(stderr, StrCat("ptxmir-run: ", result->undefined_store.ToString("warning"), "\n"));
  }
  if (!result->fault.is_fault()) return 0;
  Print(stderr, StrCat("ptxmir-run: ", result->fault.ToString(), "\n"));
  return 1;
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  ptxmir::KernelRunOptions options;
  if (const absl::Status status = ptxmir::ParseRunCommandLine(ptxmir::RunTool::kInterpreter, arguments, options);
      !status.ok()) {
    return ptxmir::Fail(ptxmir::StrCat(ptxmir::FromAbsl(status.message()), "\nTry: 'ptxmir-run --help'"));
  }
  if (options.show_help) {
    ptxmir::Print(stdout, ptxmir::RunHelpText(ptxmir::RunTool::kInterpreter));
    return 0;
  }
  if (options.show_version) {
    ptxmir::Print(stdout, ptxmir::ToolVersionText("ptxmir-run"));
    return 0;
  }
  if (options.input.empty()) return ptxmir::Fail("no input file\nTry: 'ptxmir-run --help'");
  return ptxmir::Run(options);
}
