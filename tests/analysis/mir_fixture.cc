// SPDX-License-Identifier: Apache-2.0

#include "tests/analysis/mir_fixture.h"

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/text/mir_reader.h"
#include "passes/lower/two_address.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/sanitized.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::testing {

std::unique_ptr<Module> ReadModule(std::string_view mir) {
  DiagnosticEngine diagnostics;
  auto module = ReadMir(std::make_shared<SourceBuffer>("test.mir", mir), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

std::unique_ptr<Module> ReadBody(std::string_view body) {
  return ReadModule(StrCat("---\nname: f\ntracksRegLiveness: true\nbody: |\n", body, "...\n"));
}

void LeaveSsaForm(MachineFunction& function) {
  StandalonePassContext standalone(function);
  standalone.context.opt_level = 0;  // registers keep their names
  RunPhiElimination(function, standalone.context);
  RunTwoAddress(function, standalone.context);
}

namespace {}  // namespace

void ForEachGeneratedFunction(fuzz::FuzzShape shape, uint64_t first_seed, int modules,
                              const std::function<void(MachineFunction&, const std::string&)>& check) {
  static const auto* catalog = new fuzz::OpcodeCatalog(ptx::PtxTargetInfo());
  for (int i = 0; i < modules; i += CaseStride(8)) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    for (const bool is_ssa : {true, false}) {
      // Generate the module again, because `check` may have changed the first.
      const auto module = fuzz::GenerateMirModule(*catalog, ptx::PtxTargetInfo(), shape, seed);
      for (const auto& function : module->machine_functions()) {
        if (!is_ssa) LeaveSsaForm(*function);
        check(*function, StrCat(fuzz::FuzzShapeName(shape), " seed ", seed, ", function ", function->name(),
                                is_ssa ? "" : ", out of SSA form"));
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace ptxmir::testing
