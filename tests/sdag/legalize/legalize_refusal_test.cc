// SPDX-License-Identifier: Apache-2.0

// Messages for nodes that legalization rejects (tests/sdag/select/every_node_test.cc tests every node with every
// type).

#include "tests/sdag/legalize/legalize_fixture.h"

namespace ptxmir::sdag {
namespace {

// A message names the node with its types and says what is missing.

std::string ErrorOf(const std::function<SDValue(LegalizedKernel&)>& build, const char* cpu = "sm_80") {
  LegalizedKernel kernel(cpu);
  kernel.Output(build(kernel));
  kernel.Finish();
  const absl::Status status = kernel.Legalize();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  return std::string(status.message());
}

TEST(RefusalTest, FunctionsNeedTheFlagAfn) {
  const auto sine = [](uint32_t flags) {
    return [flags](LegalizedKernel& kernel) {
      return kernel.dag().GetNode(isd::kFSin, {}, MVT::kF32, {kernel.Input(0, MVT::kF32)}, flags);
    };
  };
  const std::string error = ErrorOf(sine(0));
  EXPECT_NE(error.find(": f32 = fsin "), std::string::npos) << error;
  EXPECT_NE(error.find("the flag afn would allow"), std::string::npos) << error;
  LegalizedKernel kernel;
  kernel.Output(sine(SDNodeFlags::kApproximateFuncs)(kernel));
  kernel.Finish();
  EXPECT_TRUE(kernel.Legalize().ok());
}

TEST(RefusalTest, AtomicLoopsAreMoreThanABlock) {
  const std::string error = ErrorOf([](LegalizedKernel& kernel) {
    const SDValue operands[] = {kernel.dag().EntryToken(), kernel.InPointer(0), kernel.Input(1, MVT::kI32)};
    const MVT types[] = {MVT::kI32, MVT::kOther};
    return kernel.dag().GetMemNode(isd::kAtomicLoadNand, {}, types, operands, MVT::kI32,
                                   kernel.AtomicOperand(MVT::kI32));
  });
  EXPECT_NE(error.find("i32,ch = AtomicLoadNand<"), std::string::npos) << error;
  EXPECT_NE(error.find("loop of compare-and-swap"), std::string::npos) << error;
}

TEST(RefusalTest, RegistersHoldNoVectorsBeyondTheirs) {
  LegalizedKernel kernel;
  kernel.dag().SetRoot(
      kernel.dag().GetCopyToReg({}, kernel.dag().EntryToken(), Register::Virtual(0), kernel.Input(0, MVT::kV4F32)));
  const absl::Status status = kernel.Legalize();
  EXPECT_NE(status.message().find("no register holds values of this type"), absl::string_view::npos) << status;
}

TEST(RefusalTest, LegalizationNeedsASubtarget) {
  ISelOptions options;
  LegalizedKernel kernel;
  options.subtarget = nullptr;
  EXPECT_EQ(LegalizeDag(kernel.dag(), options).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ptxmir::sdag
