// SPDX-License-Identifier: Apache-2.0

// ptxas gives a kernel that can use more registers exactly as many as our budget says, for combinations of
// .maxntid, .minnctapersm and .maxnreg.

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tests/parity/external_tools.h"
#include "tests/parity/live_loop.h"

namespace ptxmir {
namespace {

// Returns a kernel with a loop through which 128 values are live.
std::string Kernel(size_t number, const std::string& directives) {
  constexpr int kValues = 128;
  return StrCat(".visible .entry k", number, "(.param .u64 p)", directives, "\n{\n.reg .b32 %r<", kValues,
                ">;\n.reg .b64 %rd<2>;\n.reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n",
                testing::LiveLoop("%r", "L", kValues), "ret;\n}\n");
}

std::string Directives(const NvvmFunctionInfo& info) {
  std::string text;
  if (!info.max_ntid.empty()) StrAppend(&text, "\n.maxntid ", info.max_ntid[0]);
  if (info.min_cta_per_sm) StrAppend(&text, "\n.minnctapersm ", *info.min_cta_per_sm);
  if (info.max_nreg) StrAppend(&text, "\n.maxnreg ", *info.max_nreg);
  return text;
}

// Returns a quarter of all combinations. The first has no directives.
std::vector<NvvmFunctionInfo> Combinations() {
  std::vector<NvvmFunctionInfo> combinations(1);
  int number = 0;
  for (const uint32_t threads : {0, 32, 96, 128, 256, 320, 512, 1024}) {
    for (const uint32_t ctas : {0, 1, 2, 3, 5, 8, 16}) {
      for (const uint32_t registers : {0, 8, 40, 70}) {
        if (++number % 4 != 1) continue;
        NvvmFunctionInfo info;
        if (threads > 0) info.max_ntid = {threads};
        if (ctas > 0) info.min_cta_per_sm = ctas;
        if (registers > 0) info.max_nreg = registers;
        combinations.push_back(info);
      }
    }
  }
  return combinations;
}

class RegisterBudgetPtxasTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RegisterBudgetPtxasTest, Enforces) {
  const std::string ptxas = testing::FindPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "ptxas is neither on PATH nor in $CUDA_HOME/bin or /usr/local/cuda/bin";
  const ptx::SmInfo& sm = *ptx::FindSm(GetParam());
  const std::vector<NvvmFunctionInfo> combinations = Combinations();
  std::string ptx = StrCat(".version 8.6\n.target ", sm.name, "\n.address_size 64\n");
  for (size_t i = 0; i < combinations.size(); ++i) ptx += Kernel(i, Directives(combinations[i]));
  const std::string path = testing::TemporaryPath(StrCat(sm.name, ".ptx"));
  testing::WriteFile(path, ptx);
  std::string output;
  ASSERT_TRUE(testing::RunCommand({ptxas, "-v", StrCat("-arch=", sm.name), path, "-o", "/dev/null"}, output)) << output;

  std::vector<unsigned> used(combinations.size());
  re2::StringPiece rest(output);
  static const re2::RE2 kEntry(R"(Compiling entry function 'k(\d+)'(?s:.*?)Used (\d+) registers)");
  size_t number = 0;
  unsigned registers = 0;
  while (re2::RE2::FindAndConsume(&rest, kEntry, &number, &registers)) used.at(number) = registers;
  ASSERT_GT(used[0], 128u);
  for (size_t i = 0; i < combinations.size(); ++i) {
    const RegisterBudget budget = ComputeRegisterBudget(combinations[i], Knobs(), sm);
    EXPECT_EQ(used[i], std::min(budget.limit, used[0])) << sm.name << Directives(combinations[i]) << "\n"
                                                        << budget.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Sms, RegisterBudgetPtxasTest, ::testing::Values("sm_75", "sm_86", "sm_90"));

}  // namespace
}  // namespace ptxmir
