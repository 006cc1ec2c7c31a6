// SPDX-License-Identifier: Apache-2.0

// Masked loads and stores, with masks that are constants, a single bit for all elements, or anything.

#include "mir/verify/verifier.h"
#include "sdag/expand/expand_blocks.h"
#include "tests/sdag/legalize/legalize_fixture.h"

namespace ptxmir::sdag {
namespace {

enum class Mask { kAny, kConstant, kAll, kNone, kUniform };

class MaskedTest : public testing::TestWithParam<Mask> {
 protected:
  static SDValue MakeMask(LegalizedKernel& kernel, Mask mask, unsigned lanes) {
    SelectionDAG& dag = kernel.dag();
    const MVT type = *VectorOf(MVT::kI1, lanes);
    if (mask == Mask::kAll || mask == Mask::kNone) return dag.GetConstant(mask == Mask::kAll, type);
    const SDValue bits = kernel.Input(1, MVT::kI32);
    std::vector<SDValue> elements;
    for (unsigned i = 0; i < lanes; ++i) {
      if (mask == Mask::kConstant) {
        elements.push_back(dag.GetConstant(i % 3 != 1, MVT::kI1));
        continue;
      }
      const SDValue amount = dag.GetConstant(mask == Mask::kUniform ? 0 : i, MVT::kI32);
      elements.push_back(
          dag.GetNode(isd::kTruncate, {}, MVT::kI1, {dag.GetNode(isd::kSrl, {}, MVT::kI32, {bits, amount})}));
    }
    return dag.GetNode(isd::kBuildVector, {}, absl::MakeConstSpan(&type, 1), elements);
  }

  // Makes a load whose value is stored, masked, over existing memory.
  static void Build(LegalizedKernel& kernel, MVT type, Mask mask) {
    SelectionDAG& dag = kernel.dag();
    const SDValue bits = MakeMask(kernel, mask, NumElements(type));
    kernel.Input(0, MVT::kV32I32);
    kernel.Output(kernel.Input(2, MVT::kV32I32));
    const SDValue undefined = dag.GetUndef(MVT::kI64);
    const MVT types[] = {type, MVT::kOther};
    const SDValue loaded[] = {dag.root(), kernel.InPointer(0), undefined, bits, kernel.Input(3, type)};
    const SDValue load =
        dag.GetMemNode(isd::kMaskedLoad, {}, types, loaded, type, kernel.MemOperand(MachineMemOperand::kLoad, type, 4));
    const SDValue stored[] = {load.Result(1), load, kernel.OutPointer(0), undefined, bits};
    dag.SetRoot(dag.GetMemNode(isd::kMaskedStore, {}, absl::MakeConstSpan(types + 1, 1), stored, type,
                               kernel.MemOperand(MachineMemOperand::kStore, type, 4)));
    kernel.Output(load);
    kernel.Finish();
  }

  EdgeValues values_{23};
};

TEST_P(MaskedTest, AccessesWhatTheMaskSays) {
  for (const MVT type : {MVT::kV4I32, MVT::kV2I64, MVT::kV4I8, MVT::kV3I16, MVT::kV2F16, MVT::kV4F32, MVT::kV2F64,
                         MVT::kV8F32, MVT::kV16I8}) {
    for (int round = 0; round < 3; ++round) {
      LegalizedKernel kernel;
      Build(kernel, type, GetParam());
      const LegalizedKernel::Slots inputs = {values_.Of(MVT::kV32I32), values_.Of(MVT::kI32), values_.Of(MVT::kV32I32),
                                             values_.Of(type)};
      DagEvaluation before, after;
      uint64_t out = 0, out_after = 0;
      const absl::Status meaning = kernel.Evaluate(inputs, nullptr, before, out);
      ASSERT_TRUE(meaning.ok()) << Name(type) << meaning;
      const ISelOptions options = kernel.Options();
      const absl::Status expanded = ExpandBlocks(kernel.dags(), options);
      ASSERT_TRUE(expanded.ok()) << Name(type) << expanded;
      const absl::Status valid = VerifyDags(kernel.dags());
      ASSERT_TRUE(valid.ok()) << Name(type) << valid;
      const size_t blocks = kernel.function().num_blocks();
      const size_t branches = GetParam() == Mask::kAny ? NumElements(type) : GetParam() == Mask::kUniform ? 1 : 0;
      EXPECT_EQ(blocks, 1 + 2 * (2 * branches)) << Name(type);
      const Bits fill = ~Bits(0);
      const absl::Status evaluated = kernel.Evaluate(inputs, &fill, after, out_after);
      ASSERT_TRUE(evaluated.ok()) << Name(type) << evaluated;
      size_t where = 0;
      std::vector<uint8_t> bytes;
      for (size_t i = 0; i < kernel.num_output_bytes(); ++i) {
        bytes.push_back(after.memory.Bytes(out_after + i, 1)->value);
      }
      EXPECT_TRUE(before.memory.Matches(out, bytes, &where)) << Name(type) << " as blocks at byte " << where;
      const absl::Status selected = kernel.SelectAll();
      ASSERT_TRUE(selected.ok()) << Name(type) << selected;
      std::string report;
      ASSERT_TRUE(VerifyMachineFunction(kernel.function(), report)) << Name(type) << report;
      EXPECT_TRUE(before.memory.Matches(out, kernel.Run(inputs), &where)) << Name(type) << " at byte " << where;
    }
  }
}

// The first load accesses nothing. When it is deleted, the second becomes equal to the third.
TEST(MaskedAccesses, NodesThatBecomeEqualGo) {
  LegalizedKernel kernel;
  SelectionDAG& dag = kernel.dag();
  kernel.Input(0, MVT::kV32I32);
  const MVT types[] = {MVT::kV4I32, MVT::kOther};
  const SDValue through = dag.GetConstant(0, MVT::kV4I32), undefined = dag.GetUndef(MVT::kI64);
  const MachineMemOperand* memory = kernel.MemOperand(MachineMemOperand::kLoad, MVT::kV4I32, 4);
  const auto load = [&](SDValue chain, bool mask) {
    const SDValue operands[] = {chain, kernel.InPointer(0), undefined, dag.GetConstant(mask, MVT::kV4I1), through};
    return dag.GetMemNode(isd::kMaskedLoad, {}, types, operands, MVT::kV4I32, memory);
  };
  const SDValue none = load(dag.EntryToken(), false);
  const SDValue second = load(none.Result(1), true), third = load(dag.EntryToken(), true);
  kernel.Output(second);
  kernel.Output(third);
  kernel.Finish();
  const absl::Status selected = kernel.SelectAll();
  EXPECT_TRUE(selected.ok()) << selected;
}

INSTANTIATE_TEST_SUITE_P(Masks, MaskedTest,
                         testing::Values(Mask::kAny, Mask::kConstant, Mask::kAll, Mask::kNone, Mask::kUniform));

}  // namespace
}  // namespace ptxmir::sdag
