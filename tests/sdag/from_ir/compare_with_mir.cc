// SPDX-License-Identifier: Apache-2.0

// compare_with_mir IR MIR LEVEL [exact] [CPU]: selects instructions for a file of LLVM IR, after the passes on IR of
// that level, and compares what its kernels compute with llc's machine code of it. Floats may be rounded differently,
// unless they must be exact. The CPU is that of the file unless it is named. compare_corpus.py runs it over the corpus,
// producers_execution_test.py over the files of other producers, and random_ir.py over random IR.

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

// A kernel that cannot run to its end on one input may do so on another.
constexpr uint64_t kMaxInputs = 4;

testing::Comparison CompareOnInputs(const Module& expected, const Module& actual, const IrFunction& kernel,
                                    ptx::FloatTolerance tolerance) {
  testing::Comparison comparison;
  for (uint64_t seed = 1; seed <= kMaxInputs && !comparison.is_decided; ++seed) {
    comparison = testing::CompareKernel(expected, actual, kernel, seed, tolerance);
  }
  return comparison;
}

int Main(const char* ir_path, const char* mir_path, unsigned opt_level, bool is_exact, const std::string& cpu) {
  const auto ir = SourceBuffer::FromFile(ir_path), mir = SourceBuffer::FromFile(mir_path);
  if (!ir.ok() || !mir.ok()) return std::puts("cannot read the files"), 2;
  std::string errors;
  const std::unique_ptr<Module> actual =
      testing::SelectIr(ir_path, std::string((*ir)->text()), cpu, "", opt_level, &errors);
  if (actual == nullptr) return std::printf("%s: refused:\n%s\n", ir_path, errors.c_str()), 1;
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> expected = ReadMir(*mir, ptx::PtxTargetInfo(), diagnostics);
  if (expected == nullptr) return std::printf("%s: %s\n", mir_path, diagnostics.ToString().c_str()), 2;
  int kernels = 0, decided = 0, different = 0;
  for (const IrFunction& kernel : expected->functions()) {
    if (!kernel.is_definition() || !IsKernel(*expected, kernel)) continue;
    ++kernels;
    const testing::Comparison comparison = CompareOnInputs(
        *expected, *actual, kernel, is_exact ? ptx::FloatTolerance::kNone : ptx::FloatTolerance::kRounding);
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
  if (argc < 4) return std::puts("usage: compare_with_mir IR MIR LEVEL [exact] [CPU]"), 2;
  bool is_exact = false;
  std::string cpu;
  for (int i = 4; i < argc; ++i) {
    if (std::string_view(argv[i]) == "exact") {
      is_exact = true;
    } else {
      cpu = argv[i];
    }
  }
  return ptxmir::Main(argv[1], argv[2], static_cast<unsigned>(argv[3][0] - '0'), is_exact, cpu);
}
