// SPDX-License-Identifier: Apache-2.0

// compare_with_mir IR MIR LEVEL [exact]: selects instructions for a file of LLVM IR, after the passes on IR of that
// level, and compares what its kernels compute with llc's machine code of it. Floats may be rounded differently, unless
// they must be exact. compare_corpus.py runs it over the corpus, and random_ir.py over random IR.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "ir/ir_nvvm.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"
#include "tests/sdag/from_ir/execution_comparison.h"

namespace ptxmir {
namespace {

int Main(const char* ir_path, const char* mir_path, unsigned opt_level, bool is_exact) {
  const auto ir = SourceBuffer::FromFile(ir_path), mir = SourceBuffer::FromFile(mir_path);
  if (!ir.ok() || !mir.ok()) return std::puts("cannot read the files"), 2;
  std::string errors;
  const std::unique_ptr<Module> actual =
      testing::SelectIr(ir_path, std::string((*ir)->text()), "", "", opt_level, &errors);
  if (actual == nullptr) return std::printf("%s: refused:\n%s\n", ir_path, errors.c_str()), 1;
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> expected = ReadMir(*mir, ptx::PtxTargetInfo(), diagnostics);
  if (expected == nullptr) return std::printf("%s: %s\n", mir_path, diagnostics.ToString().c_str()), 2;
  int kernels = 0, decided = 0, different = 0;
  for (const IrFunction& kernel : expected->functions()) {
    if (!kernel.is_definition() || !IsKernel(*expected, kernel)) continue;
    ++kernels;
    const testing::Comparison comparison = testing::CompareKernel(
        *expected, *actual, kernel, 1, is_exact ? ptx::FloatTolerance::kNone : ptx::FloatTolerance::kRounding);
    decided += comparison.is_decided ? 1 : 0;
    if (comparison.difference.empty()) continue;
    ++different;
    std::printf("%s: %s: %s\n", ir_path, std::string(kernel.name).c_str(), comparison.difference.c_str());
  }
  std::printf("%s: %d kernels, %d decided, %d different\n", ir_path, kernels, decided, different);
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  const bool is_exact = argc == 5 && std::string_view(argv[4]) == "exact";
  if (argc != 4 && !is_exact) return std::puts("usage: compare_with_mir IR MIR LEVEL [exact]"), 2;
  return ptxmir::Main(argv[1], argv[2], static_cast<unsigned>(argv[3][0] - '0'), is_exact);
}
