// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/steered_input.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "mir/verify/verifier.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/generator/fuzz_random.h"
#include "tools/fuzz/generator/mir_function_generator.h"
#include "tools/fuzz/result_check.h"

namespace ptxmir::fuzz {

SteeredInput::SteeredInput(absl::Span<const uint8_t> bytes) {
  constexpr size_t kSeedBytes = 2;
  // A decision for each knob of the passes, and the steps.
  constexpr size_t kMostOfPipeline = 256;
  FuzzBytes of_seed(bytes);
  seed_ = of_seed.Take(kSeedBytes);
  bytes.remove_prefix(std::min(bytes.size(), kSeedBytes));
  const size_t count = std::min(bytes.size() / 2, kMostOfPipeline);
  of_pipeline_ = bytes.first(count);
  of_functions_ = bytes.subspan(count);
}

FuzzPipeline SteeredInput::Pipeline() const {
  FuzzBytes bytes(of_pipeline_);
  FuzzRandom random(~seed_, &bytes);
  return RandomPipeline(random);
}

std::unique_ptr<Module> SteeredInput::Generate(const OpcodeCatalog& catalog) const {
  FuzzBytes bytes(of_functions_);
  return GenerateMirModule(catalog, ptx::PtxTargetInfo(), FuzzShape::kSmall, seed_, &bytes);
}

std::string SteeredInput::Check(const OpcodeCatalog& catalog) const {
  std::unique_ptr<Module> module = Generate(catalog);
  std::string wrong;
  for (const auto& function : module->machine_functions()) {
    if (!VerifyMachineFunction(*function, wrong)) return StrCat("the input is not valid: ", wrong);
  }
  const FuzzPipeline pipeline = Pipeline();
  ResultCheck check(std::move(module), Generate(catalog), /*launches=*/1);
  wrong = check.CheckPasses(pipeline, /*verifies_each=*/false);
  if (wrong.empty()) wrong = check.CompareRuns();
  if (wrong.empty()) return {};
  return StrCat(check.is_defined() ? "" : "the input faults: ", wrong, "\n", pipeline.ToString());
}

}  // namespace ptxmir::fuzz
