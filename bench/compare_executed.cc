// SPDX-License-Identifier: Apache-2.0

// Counts the instructions that two versions of the same kernels execute in the interpreter, on the same inputs:
//
//     compare_executed BEFORE.mir AFTER.mir [launches]
//
// Prints a line for each kernel of which all launches ended well in both: instructions of threads before and after,
// instructions of warps before and after, and the name. A branch that became a select costs threads more and warps
// less.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "passes/equivalence/generated_run.h"
#include "ptx/target/ptx_target.h"

namespace {

std::unique_ptr<ptxmir::Module> Read(const char* path) {
  const absl::StatusOr<std::shared_ptr<const ptxmir::SourceBuffer>> buffer = ptxmir::SourceBuffer::FromFile(path);
  if (!buffer.ok()) {
    std::fprintf(stderr, "%s\n", std::string(buffer.status().message()).c_str());
    return nullptr;
  }
  ptxmir::DiagnosticEngine diagnostics;
  std::unique_ptr<ptxmir::Module> module = ptxmir::ReadMir(*buffer, ptxmir::ptx::PtxTargetInfo(), diagnostics);
  if (module == nullptr) std::fprintf(stderr, "%s", diagnostics.ToString().c_str());
  return module;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: compare_executed BEFORE.mir AFTER.mir [launches]\n");
    return 2;
  }
  const std::unique_ptr<ptxmir::Module> before = Read(argv[1]);
  const std::unique_ptr<ptxmir::Module> after = Read(argv[2]);
  if (before == nullptr || after == nullptr) return 1;
  const unsigned launches = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 3;
  for (const ptxmir::IrFunction& function : before->functions()) {
    if (!ptxmir::IsKernel(*before, function)) continue;
    const ptxmir::ExecutedCounts counts = ptxmir::CountExecuted(*before, *after, function.name, launches);
    if (counts.launches == 0 || counts.undecided != 0) continue;
    std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", counts.before, counts.after,
                counts.warps_before, counts.warps_after, std::string(function.name).c_str());
  }
  return 0;
}
