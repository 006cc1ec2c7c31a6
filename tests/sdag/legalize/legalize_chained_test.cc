// SPDX-License-Identifier: Apache-2.0

// Nodes with chains that become other nodes: strict floating point, lists of variadic arguments.

#include "tests/sdag/legalize/legalize_fixture.h"

namespace ptxmir::sdag {
namespace {

struct Strict {
  int16_t opcode;
  MVT result;
  std::vector<MVT> operands;
  std::optional<CondCode> code = std::nullopt;
};

std::vector<Strict> StrictCases() {
  std::vector<Strict> cases;
  for (const MVT type : {MVT::kF16, MVT::kF32, MVT::kF64, MVT::kV2F16, MVT::kV3F32}) {
    for (const int16_t opcode :
         {isd::kStrictFAdd, isd::kStrictFSub, isd::kStrictFMul, isd::kStrictFDiv, isd::kStrictFMinNum,
          isd::kStrictFMaxNum, isd::kStrictFMinimum, isd::kStrictFMaximum}) {
      cases.push_back({opcode, type, {type, type}});
    }
    for (const int16_t opcode :
         {isd::kStrictFSqrt, isd::kStrictFCeil, isd::kStrictFFloor, isd::kStrictFTrunc, isd::kStrictFRint,
          isd::kStrictFNearbyint, isd::kStrictFRound, isd::kStrictFRoundEven}) {
      cases.push_back({opcode, type, {type}});
    }
    cases.push_back({isd::kStrictFMA, type, {type, type, type}});
  }
  for (const MVT type : {MVT::kF16, MVT::kF32, MVT::kF64}) {
    for (const CondCode code : {CondCode::kOlt, CondCode::kUne, CondCode::kUo}) {
      cases.push_back({isd::kStrictFSetCC, MVT::kI32, {type, type}, code});
      cases.push_back({isd::kStrictFSetCCS, MVT::kI32, {type, type}, code});
    }
    cases.push_back({isd::kStrictSIntToFP, type, {MVT::kI32}});
    cases.push_back({isd::kStrictUIntToFP, type, {MVT::kI64}});
    cases.push_back({isd::kStrictFPToSInt, MVT::kI32, {type}});
    cases.push_back({isd::kStrictFPToUInt, MVT::kI64, {type}});
    cases.push_back({isd::kStrictLRint, MVT::kI64, {type}});
  }
  cases.push_back({isd::kStrictFPExtend, MVT::kF64, {MVT::kF32}});
  cases.push_back({isd::kStrictFPRound, MVT::kF16, {MVT::kF32}});
  return cases;
}

TEST(StrictNodes, ComputeWhatPlainOnesDo) {
  EdgeValues values(17);
  int compared = 0;
  for (const Strict& strict : StrictCases()) {
    ASSERT_TRUE(PlainOpcode(strict.opcode).has_value());
    const std::string name = std::string(Desc(strict.opcode).name) + " " + std::string(Name(strict.result));
    LegalizedKernel kernel;
    SelectionDAG& dag = kernel.dag();
    std::vector<SDValue> operands = {dag.root()};
    for (size_t i = 0; i < strict.operands.size(); ++i) {
      operands.push_back(kernel.Input(static_cast<unsigned>(i), strict.operands[i]));
    }
    if (strict.code.has_value()) operands.push_back(dag.GetCondCode(*strict.code));
    if (strict.opcode == isd::kStrictFPRound) operands.push_back(dag.GetTargetConstant(0, MVT::kI32));
    const MVT types[] = {strict.result, MVT::kOther};
    const SDValue node = dag.GetNode(strict.opcode, {}, types, operands);
    dag.SetRoot(node.Result(1));
    kernel.Output(node);
    kernel.Finish();
    LegalizedKernel::Slots inputs;
    for (const MVT type : strict.operands) inputs.push_back(values.Of(type));
    DagEvaluation evaluation;
    uint64_t out = 0;
    const absl::Status meaning = kernel.Evaluate(inputs, nullptr, evaluation, out);
    ASSERT_TRUE(meaning.ok()) << name << meaning;
    const absl::Status selected = kernel.SelectAll();
    ASSERT_TRUE(selected.ok()) << name << selected;
    size_t where = 0;
    EXPECT_TRUE(evaluation.memory.Matches(out, kernel.Run(inputs), &where)) << name;
    ++compared;
  }
  EXPECT_GT(compared, 80);
}

TEST(StrictNodes, TheVerifierKnowsTheirTypes) {
  LegalizedKernel kernel;
  SelectionDAG& dag = kernel.dag();
  const MVT types[] = {MVT::kF32, MVT::kOther};
  const SDValue operands[] = {dag.root(), kernel.Input(0, MVT::kF64)};
  dag.SetRoot(dag.GetNode(isd::kStrictFPExtend, {}, types, operands).Result(1));
  EXPECT_FALSE(kernel.FinishIfValid());
}

TEST(VariadicArguments, AreReadOneBehindTheOther) {
  LegalizedKernel kernel;
  SelectionDAG& dag = kernel.dag();
  kernel.Input(0, MVT::kV4I32);
  // A list at slot 0, which points to the beginning of the input, and a copy of it, made after the first argument.
  const auto pointer = kernel.MemOperand(MachineMemOperand::kStore, MVT::kI64, 3);
  dag.SetRoot(dag.GetStore({}, dag.root(), kernel.InPointer(0), kernel.OutPointer(0), pointer));
  const auto argument = [&](MVT type, uint64_t list) {
    const MVT types[] = {type, MVT::kOther};
    const SDValue operands[] = {dag.root(), kernel.OutPointer(list)};
    const SDValue node = dag.GetNode(isd::kVAArg, {}, types, operands);
    dag.SetRoot(node.Result(1));
    return node;
  };
  std::vector<SDValue> values = {argument(MVT::kI32, 0)};
  const MVT chain = MVT::kOther;
  const SDValue copied[] = {dag.root(), kernel.OutPointer(8), kernel.OutPointer(0)};
  dag.SetRoot(dag.GetNode(isd::kVACopy, {}, absl::MakeConstSpan(&chain, 1), copied));
  values.push_back(argument(MVT::kF64, 0));
  values.push_back(argument(MVT::kI32, 8));
  const SDValue ended[] = {dag.root(), kernel.OutPointer(0)};
  dag.SetRoot(dag.GetNode(isd::kVAEnd, {}, absl::MakeConstSpan(&chain, 1), ended));
  kernel.Output(kernel.dag().GetConstant(0, MVT::kI32));  // overwrites the lists, which are no longer needed
  for (const SDValue value : values) kernel.Output(value);
  kernel.Finish();
  const absl::Status selected = kernel.SelectAll();
  ASSERT_TRUE(selected.ok()) << selected;
  DagConstant input = DagConstant::Of(MVT::kV4I32, 0);
  for (uint32_t i = 0; i < 4; ++i) input.lanes[i].bits = 0x11111111u * (i + 1);
  const std::vector<uint8_t> bytes = kernel.Run({input});
  const auto word = [&](size_t at) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) bits |= uint32_t{bytes[at + i]} << (8 * i);
    return bits;
  };
  ASSERT_GE(bytes.size(), 4 * LegalizedKernel::kSlot);
  EXPECT_EQ(word(LegalizedKernel::kSlot), 0x11111111u);
  // Aligned to its size.
  EXPECT_EQ(word(2 * LegalizedKernel::kSlot), 0x33333333u);
  EXPECT_EQ(word(2 * LegalizedKernel::kSlot + 4), 0x44444444u);
  EXPECT_EQ(word(3 * LegalizedKernel::kSlot), 0x22222222u);
}

TEST(IndirectBranches, AreRefusedWithAHint) {
  LegalizedKernel kernel;
  SelectionDAG& dag = kernel.dag();
  const MVT chain = MVT::kOther;
  const SDValue operands[] = {dag.root(), kernel.InPointer(0)};
  dag.SetRoot(dag.GetNode(isd::kBrInd, {}, absl::MakeConstSpan(&chain, 1), operands));
  const absl::Status status = kernel.Legalize();
  EXPECT_NE(status.message().find("brx.idx takes a number in a table"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace ptxmir::sdag
