// SPDX-License-Identifier: Apache-2.0

// Random DAGs compute the same before and after combining wherever they are defined before. Every combine fires.

#include <cstdlib>
#include <map>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "sdag/combine/dag_combiner.h"
#include "sdag/graph/type_classes.h"
#include "sdag/meaning/dag_evaluator.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/random_dag.h"
#include "tests/support/sanitized.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

struct TypeSet {
  const char* name;
  std::vector<MVT> types;
};
const std::vector<TypeSet>& TypeSets() {
  static const auto* const kSets = new std::vector<TypeSet>{
      {"integers", {MVT::kI1, MVT::kI16, MVT::kI32, MVT::kI64}},
      {"small", {MVT::kI1, MVT::kI8, MVT::kI16}},
      {"wide", {MVT::kI1, MVT::kI32, MVT::kI64, MVT::kI128}},
      {"floats", {MVT::kI1, MVT::kI32, MVT::kF16, MVT::kBF16, MVT::kF32, MVT::kF64}},
      {"vectors", {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI32, MVT::kV4I8, MVT::kV2I16, MVT::kV2F16, MVT::kF16}},
      {"i32", {MVT::kI32, MVT::kI32, MVT::kI1}},
  };
  return *kSets;
}

class CombineRandomTest : public ::testing::Test {
 protected:
  // Copies several values of a random DAG to registers and compares them. Returns false if a value differs.
  bool Check(uint64_t seed, CombineLevel level) {
    const TypeSet& set = TypeSets()[seed % TypeSets().size()];
    MachineFunction machine(nullptr, ptx::PtxTargetInfo(), "f", 0);
    MachineBasicBlock* block = machine.CreateBlock();
    machine.InsertBlock(nullptr, block);
    DagFunction dags(machine);
    SelectionDAG& dag = dags.dag(*block);
    RandomDag random(dag, seed, {.types = set.types});
    std::vector<MVT> inputs;
    for (int i = 0; i < 2; ++i) inputs.insert(inputs.end(), set.types.begin(), set.types.end());
    for (MVT& type : inputs) {
      // No register holds an i8.
      const bool is_byte = type == MVT::kI8;
      if (is_byte) type = MVT::kI16;
      const SDValue input = dag.GetCopyFromReg({}, dag.EntryToken(), NewRegister(machine, type), type);
      random.Add(is_byte ? dag.GetNode(isd::kTruncate, {}, MVT::kI8, {input}) : input);
    }
    const uint32_t size = 1 + random.Random(12);
    for (uint32_t i = 0; i < size; ++i) random.Grow();
    std::vector<SDValue> chains;
    std::vector<Register> outputs;
    for (size_t i = 0; i < 1 + random.Random(3); ++i) {
      SDValue value = random.values()[random.values().size() - 1 - i];
      if (value.type() == MVT::kI8) value = dag.GetNode(isd::kZeroExtend, {}, MVT::kI16, {value});
      const Register reg = NewRegister(machine, value.type());
      chains.push_back(dag.GetCopyToReg({}, dag.EntryToken(), reg, value));
      outputs.push_back(reg);
    }
    dag.SetRoot(dag.GetTokenFactor({}, chains));
    const std::string before = Text(dags);

    constexpr int kRounds = 12;
    std::vector<DagEvaluation> expected(kRounds);
    SplitMix64 values(seed ^ 0x5555);
    for (DagEvaluation& evaluation : expected) {
      for (const MVT type : inputs) evaluation.registers.emplace_back(RandomInput(type, values));
      DagEvaluation start = evaluation;
      Run(dag, evaluation);
      evaluation.registers.swap(start.registers);
      results_.push_back(std::move(start.registers));
    }
    CombineReport report;
    CombineDag(dag, level, options_, &report);
    EXPECT_FALSE(report.gave_up) << before;
    for (const std::string_view name : report.fired) ++fired_[std::string(name)];
    const std::string after = Text(dags);
    const absl::Status valid = VerifyDags(dags);
    EXPECT_TRUE(valid.ok()) << valid << before << after;
    bool same = valid.ok() && dag.CheckInvariants().empty();
    for (size_t round = 0; round < kRounds && same; ++round) {
      DagEvaluation evaluation = expected[round];
      const U fill = absl::MakeUint128(values.Next(), values.Next());
      evaluation.any_extend_fill = &fill;
      Run(dag, evaluation);
      for (const Register reg : outputs) {
        const size_t index = reg.virtual_index();
        const DagConstant& want = *results_[round][index];
        const DagConstant& is = *evaluation.registers[index];
        if (Refines(is, want)) continue;
        same = false;
        std::string given;
        for (size_t i = 0; i < inputs.size(); ++i) {
          given += StrCat("%", i, " = ", ToString(*expected[round].registers[i]), "\n");
        }
        std::string fired;
        for (const std::string_view name : report.fired) fired += StrCat(name, "\n");
        ADD_FAILURE() << "seed " << seed << ": %" << index << " is " << ToString(is) << ", not " << ToString(want)
                      << "\n"
                      << given << before << "becomes\n"
                      << after << "by\n"
                      << fired;
        break;
      }
    }
    results_.clear();
    return same;
  }

  static Register NewRegister(MachineFunction& machine, MVT type) {
    return machine.reg_info().CreateVirtualRegister(*RegClassFor(type));
  }
  // Returns only the nodes.
  static std::string Text(DagFunction& dags) {
    std::string text;
    WriteDagFunction(dags, {}, text);
    return text.substr(std::min(text.find("dag:"), text.size()));
  }

  void Run(SelectionDAG& dag, DagEvaluation& evaluation) {
    std::optional<BlockNumber> next;
    const absl::Status status = EvaluateBlock(dag, evaluation, next);
    // There is no branch: the block falls through to nothing.
    EXPECT_TRUE(status.code() == absl::StatusCode::kFailedPrecondition) << status;
  }

  const ptx::Subtarget subtarget_ = *ptx::Subtarget::Create("sm_90", "");
  ISelOptions options_{.subtarget = &subtarget_};
  std::map<std::string, int> fired_;
  std::vector<std::vector<std::optional<DagConstant>>> results_;
};

// Set PTXMIR_COMBINE_SEEDS=FIRST:COUNT for more.
std::pair<uint64_t, uint64_t> Seeds() {
  const char* seeds = std::getenv("PTXMIR_COMBINE_SEEDS");
  if (seeds == nullptr) return {0, testing::NumInputs(12000)};
  char* end = nullptr;
  const uint64_t first = std::strtoull(seeds, &end, 10);
  return {first, *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1};
}

TEST_F(CombineRandomTest, ComputesTheSame) {
  const auto [first, count] = Seeds();
  int failures = 0;
  for (uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    failures += Check(seed, seed % 5 == 0 ? CombineLevel::kAfterLegalize : CombineLevel::kBeforeLegalize) ? 0 : 1;
  }
  if (std::getenv("PTXMIR_COMBINE_COUNTS") != nullptr) {
    for (const std::string_view name : CombineNames()) std::printf("%8d %s\n", fired_[std::string(name)], name.data());
  }
}

}  // namespace
}  // namespace ptxmir::sdag
