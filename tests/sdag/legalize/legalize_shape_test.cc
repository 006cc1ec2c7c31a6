// SPDX-License-Identifier: Apache-2.0

// The results of legalization for some nodes: they are short, and take neither stack nor more than linear time.

#include <cmath>
#include <cstring>
#include <map>

#include "ir/address_space.h"
#include "tests/sdag/legalize/legalize_fixture.h"

namespace ptxmir::sdag {
namespace {

// Returns the number of nodes by name in a legal DAG that computes `build`.
std::map<std::string, int> Nodes(const std::function<SDValue(LegalizedKernel&)>& build, const char* cpu = "sm_80") {
  LegalizedKernel kernel(cpu);
  kernel.Output(build(kernel));
  kernel.Finish();
  const absl::Status status = kernel.Legalize();
  EXPECT_TRUE(status.ok()) << status;
  std::map<std::string, int> counts;
  for (const SDNode& node : kernel.dag()) ++counts[std::string(node.name())];
  return counts;
}

std::map<std::string, int> Binary(int16_t opcode, MVT type, const char* cpu = "sm_80") {
  return Nodes(
      [=](LegalizedKernel& kernel) {
        return kernel.dag().GetNode(opcode, {}, type, {kernel.Input(0, type), kernel.Input(1, type)});
      },
      cpu);
}

TEST(LegalizeShapeTest, PackedRegistersStayPacked) {
  auto nodes = Binary(isd::kFAdd, MVT::kV4F16);
  EXPECT_EQ(nodes["fadd"], 2);
  EXPECT_EQ(nodes["extract_vector_elt"], 0);
  nodes = Binary(isd::kXor, MVT::kV16I8);
  EXPECT_EQ(nodes["xor"], 4);
  nodes = Binary(isd::kFAdd, MVT::kV4F32);
  EXPECT_EQ(nodes["fadd"], 4);
  EXPECT_EQ(nodes["NVPTXISD::LoadV4"], 2);
  EXPECT_EQ(nodes["NVPTXISD::StoreV4"], 1);
}

// sm_80 has no bf16 sum, but it has fma.
TEST(LegalizeShapeTest, SumsOfBF16AreFused) {
  for (const int16_t opcode : {isd::kFAdd, isd::kFSub, isd::kFMul}) {
    EXPECT_EQ(Binary(opcode, MVT::kV2BF16)["fma"], 1);
    EXPECT_EQ(Binary(opcode, MVT::kV2BF16)["fp_extend"], 0);
    EXPECT_EQ(Binary(opcode, MVT::kBF16)["fma"], 1);
    EXPECT_EQ(Binary(opcode, MVT::kV2BF16, "sm_90")["fma"], 0);
  }
}

TEST(LegalizeShapeTest, I128) {
  auto nodes = Binary(isd::kAdd, MVT::kI128);
  EXPECT_EQ(nodes["addc"], 1);
  EXPECT_EQ(nodes["adde"], 1);
  nodes = Binary(isd::kMul, MVT::kI128);
  EXPECT_EQ(nodes["mul"] + nodes["mulhu"], 4);
  nodes = Nodes([](LegalizedKernel& kernel) {
    return kernel.dag().GetNode(isd::kShl, {}, MVT::kI128,
                                {kernel.Input(0, MVT::kI128), kernel.dag().GetConstant(17, MVT::kI32)});
  });
  EXPECT_EQ(nodes["select"], 0);
  EXPECT_EQ(nodes["shl"] + nodes["srl"] + nodes["or"], 4);
  EXPECT_LE(Binary(isd::kUDiv, MVT::kI128)["udiv"], 3);
  nodes = Binary(isd::kSRem, MVT::kI128);
  EXPECT_LE(nodes["udiv"], 3);
  EXPECT_EQ(nodes["sdiv"], 0);
}

TEST(LegalizeShapeTest, I128GoesThroughRegisters) {
  for (const char* features : {"+ptx83", "+ptx80"}) {
    LegalizedKernel kernel("sm_80", features);
    SelectionDAG& dag = kernel.dag();
    const Register reg = dag.machine_function().reg_info().CreateVirtualRegister(ptx::reg_class::kB128);
    const SDValue copy = dag.GetCopyToReg({}, dag.root(), reg, kernel.Input(0, MVT::kI128));
    const SDValue back = dag.GetCopyFromReg({}, copy, reg, MVT::kI128);
    dag.SetRoot(back.Result(1));
    kernel.Output(dag.GetNode(isd::kAdd, {}, MVT::kI128, {back, dag.GetConstant(1, MVT::kI128)}));
    kernel.Finish();
    const absl::Status status = kernel.Legalize();
    if (std::string_view(features) == "+ptx80") {
      EXPECT_NE(status.message().find("need PTX 8.3"), absl::string_view::npos) << status;
      continue;
    }
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(kernel.Flaw(), "");
    ASSERT_TRUE(kernel.SelectAndEmit().ok());
    const std::vector<uint8_t> bytes = kernel.Run({DagConstant::Of(MVT::kI128, ~uint64_t{0})});
    ASSERT_EQ(bytes.size(), LegalizedKernel::kSlot);
    for (size_t i = 0; i < 16; ++i) EXPECT_EQ(bytes[i], i == 8 ? 1 : 0) << i;
  }
}

// Legal nodes stay as they are.
TEST(LegalizeShapeTest, LegalNodesStay) {
  LegalizedKernel kernel;
  kernel.Output(kernel.dag().GetNode(isd::kAdd, {}, MVT::kI32, {kernel.Input(0, MVT::kI32), kernel.Input(1, MVT::kI32)},
                                     SDNodeFlags::kNoSignedWrap));
  kernel.Finish();
  const std::string before = kernel.Text();
  ASSERT_TRUE(kernel.Legalize().ok());
  EXPECT_EQ(kernel.Text(), before);
}

TEST(LegalizeShapeTest, PiecesHaveMemoryOperandsOfTheirOwn) {
  LegalizedKernel kernel;
  const SDValue load = kernel.dag().GetLoad({.order = 7}, MVT::kI64, kernel.dag().EntryToken(), kernel.InPointer(4),
                                            kernel.MemOperand(MachineMemOperand::kLoad, MVT::kI64, 2, 4));
  kernel.Output(load);
  kernel.Finish();
  ASSERT_TRUE(kernel.Legalize().ok());
  std::vector<int64_t> offsets;
  for (const SDNode& node : kernel.dag()) {
    const auto* memory = DynCast<MemSDNode>(&node);
    if (memory == nullptr || !memory->memoperand()->is_load() ||
        memory->memoperand()->address_space == address_space::kParam) {
      continue;
    }
    EXPECT_EQ(memory->memoperand()->SizeInBytes(), 4u);
    EXPECT_EQ(memory->memoperand()->align_log2, 2);
    EXPECT_EQ(node.ir_order(), 7u);
    offsets.push_back(memory->memoperand()->offset);
  }
  std::sort(offsets.begin(), offsets.end());
  EXPECT_EQ(offsets, (std::vector<int64_t>{4, 8}));
}

// The remainder is exact if the quotient is small. For an infinite divisor it is the dividend itself.
TEST(LegalizeShapeTest, RemaindersOfSmallQuotientsAreExact) {
  LegalizedKernel kernel;
  kernel.Output(
      kernel.dag().GetNode(isd::kFRem, {}, MVT::kF32, {kernel.Input(0, MVT::kF32), kernel.Input(1, MVT::kF32)}));
  kernel.Finish();
  ASSERT_TRUE(kernel.Legalize().ok());
  ASSERT_TRUE(kernel.SelectAndEmit().ok());
  const std::pair<float, float> operands[] = {{5.5f, 2.0f},  {-7.25f, 0.5f}, {1e6f, 3.0f},     {3.0f, 4.0f},
                                              {0.1f, 0.03f}, {-3.0f, 0.7f},  {1e-40f, 3e-41f}, {2.5f, INFINITY}};
  for (const auto& [x, y] : operands) {
    const std::vector<uint8_t> bytes = kernel.Run({DagConstant::Of(MVT::kF32, std::bit_cast<uint32_t>(x)),
                                                   DagConstant::Of(MVT::kF32, std::bit_cast<uint32_t>(y))});
    ASSERT_GE(bytes.size(), 4u);
    float result;
    std::memcpy(&result, bytes.data(), sizeof(result));
    EXPECT_EQ(result, std::fmod(x, y)) << x << " by " << y;
  }
}

// Sums of i8, each using the one before, and equally many stores one after another.
TEST(LegalizeShapeTest, LongChainsTakeNoStack) {
  constexpr int kLength = 50'000;
  LegalizedKernel kernel;
  SelectionDAG& dag = kernel.dag();
  SDValue sum = kernel.Input(0, MVT::kI8);
  const SDValue step = kernel.Input(1, MVT::kI8);
  const MachineMemOperand* memoperand = kernel.MemOperand(MachineMemOperand::kStore, MVT::kI8, 0);
  for (int i = 0; i < kLength; ++i) {
    sum = dag.GetNode(isd::kAdd, {}, MVT::kI8, {sum, step});
    dag.SetRoot(dag.GetStore({}, dag.root(), sum, kernel.OutPointer(0), memoperand));
  }
  kernel.Finish();
  ASSERT_TRUE(kernel.Legalize().ok());
  int sums = 0, stores = 0;
  for (const SDNode& node : dag) {
    sums += node.opcode() == isd::kAdd && node.value_type(0) == MVT::kI16;
    stores += node.opcode() == isd::kStore;
  }
  EXPECT_EQ(sums, kLength);
  EXPECT_EQ(stores, kLength);
}

}  // namespace
}  // namespace ptxmir::sdag
