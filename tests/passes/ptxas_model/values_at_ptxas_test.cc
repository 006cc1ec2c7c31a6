// SPDX-License-Identifier: Apache-2.0

#include "passes/ptxas_model/values_at_ptxas.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using ::testing::ElementsAre;

TEST(UnitsAtPtxasTest, ConstantsParametersAndConvertedParametersAreFree) {
  const std::unique_ptr<Module> module = testing::ReadModule(R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k(ptr %p) { ret void }
...
---
name: k
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
    %1:b64 = cvta_to_global_64 %0
    %2:b32 = MOV_B32_i 5
    %3:b32 = COPY %2
    %4:b32 = LD_i32 0, 0, 1, 3, 32, -1, %1, 0 :: (load (s32), addrspace 1)
    %5:b64 = LD_i64 0, 0, 1, 3, 64, -1, %1, 8 :: (load (s64), addrspace 1)
    %6:b1 = SETP_i32ri %4, 0, 0
    ST_i32 %3, 0, 0, 1, 32, %1, 0 :: (store (s32), addrspace 1)
    ST_i64 %5, 0, 0, 1, 64, %1, 8 :: (store (s64), addrspace 1)
    Return
...
)");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(UnitsAtPtxas(testing::OnlyFunction(*module)), ElementsAre(0, 0, 0, 0, 1, 2, 0));
}

TEST(UnitsAtPtxasTest, ParametersOfDeviceFunctionsAreInRegisters) {
  const std::unique_ptr<Module> module = testing::ReadModule(R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define void @f(ptr %p) { ret void }
...
---
name: f
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &f_param_0, 0 :: (load (s64), addrspace 101)
    %1:b64 = cvta_to_global_64 %0
    Return
...
)");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(UnitsAtPtxas(testing::OnlyFunction(*module)), ElementsAre(2, 2));
}

TEST(UnitsAtPtxasTest, ARegisterThatIsAConstantAtFirstOnlyIsNotFree) {
  const std::unique_ptr<Module> module = testing::ReadModule(R"(---
name: k
body: |
  bb.0:
    %0:b32 = MOV_B32_i 0

  bb.1:
    %0:b32 = ADD32ri %0, 1
    %1:b1 = SETP_i32ri %0, 10, 2
    CBranch %1, %bb.1

  bb.2:
    Return
...
)");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(UnitsAtPtxas(testing::OnlyFunction(*module)), ElementsAre(1, 0));
}

}  // namespace
}  // namespace ptxmir
