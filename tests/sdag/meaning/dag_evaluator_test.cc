// SPDX-License-Identifier: Apache-2.0

// Evaluates functions given as text.

#include "sdag/meaning/dag_evaluator.h"

#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

uint64_t WordAt(const DagEvaluation& evaluation, uint64_t address, MVT type = MVT::kI32) {
  DagConstant value = DagConstant::Undefined(type);
  EXPECT_TRUE(evaluation.memory.Load(address, value));
  EXPECT_TRUE(value.IsDefined());
  return absl::Uint128Low64(value.bits());
}

// Sums 0 to 9 in a loop, with a PHI.
TEST(DagEvaluatorTest, LoopsWithPhis) {
  DagText text(R"(---
name: f
dag: |
  bb.0:
    successors: %bb.1

    t0: ch,glue = EntryToken
    t1: ch = CopyToReg t0, Register:i32 %0, Constant:i32<0>
    t2: ch = CopyToReg t0, Register:i32 %1, Constant:i32<0>
    t3: ch = TokenFactor t1, t2

  bb.1:
    successors: %bb.1, %bb.2
    %2:b32 = PHI %0, %bb.0, %4, %bb.1
    %3:b32 = PHI %1, %bb.0, %5, %bb.1

    t0: ch,glue = EntryToken
    t1: i32 = CopyFromReg t0, Register:i32 %2
    t2: i32 = CopyFromReg t0, Register:i32 %3
    t3: i32 = add t1, Constant:i32<1>
    t4: i32 = add t2, t1
    t5: ch = CopyToReg t0, Register:i32 %4, t3
    t6: ch = CopyToReg t0, Register:i32 %5, t4
    t7: ch = TokenFactor t5, t6
    t8: i1 = setcc t3, Constant:i32<10>, setult:ch
    t9: ch = brcond t7, t8, BasicBlock:ch<%bb.1>
    t10: ch = br t9, BasicBlock:ch<%bb.2>

  bb.2:
    t0: ch,glue = EntryToken
    t1: i64 = load<(load (s64), addrspace 101)> t0, ExternalSymbol:i64'f_param_0', undef:i64
    t2: i32 = CopyFromReg t0, Register:i32 %5
    t3: ch = store<(store (s32))> t0, t2, t1, undef:i64
    t4: ch = NVPTXISD::RET_GLUE t3
...
)");
  DagEvaluation evaluation;
  const uint64_t params = evaluation.memory.Allocate(8), out = evaluation.memory.Allocate(4);
  evaluation.symbols["f_param_0"] = params;
  ASSERT_TRUE(evaluation.memory.Store(params, DagConstant::Of(MVT::kI64, out)));
  const absl::Status status = EvaluateFunction(text.dags(), evaluation);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(WordAt(evaluation, out), 45u);
  evaluation.max_nodes = 10;
  EXPECT_EQ(EvaluateFunction(text.dags(), evaluation).code(), absl::StatusCode::kResourceExhausted);
}

class OneBlockTest : public testing::Test {
 protected:
  absl::Status Run(std::string_view lines) {
    DagText text(OneBlock(lines));
    evaluation_.symbols["p"] = memory_;
    return EvaluateFunction(text.dags(), evaluation_);
  }
  DagEvaluation evaluation_;
  const uint64_t memory_ = evaluation_.memory.Allocate(64);
};

TEST_F(OneBlockTest, MemoryIsBytes) {
  const absl::Status status = Run(R"(
    t0: ch,glue = EntryToken
    t1: i64 = add ExternalSymbol:i64'p', Constant:i64<8>
    t2: ch = store<(store (s64))> t0, Constant:i64<1311768467463790320>, t1, undef:i64
    t3: i64 = add ExternalSymbol:i64'p', Constant:i64<9>
    t4: i32,ch = load<(load (s16)), sext from i16> t2, t3, undef:i64
    t5: ch = store<(store (s32))> t4:1, t4, ExternalSymbol:i64'p', undef:i64
    t6: i16,ch = AtomicLoadAdd<(load store (s16))> t5, t1, Constant:i16<2>
    t7: ch = NVPTXISD::RET_GLUE t6:1
)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(WordAt(evaluation_, memory_), 0xffffbcdeu);
  EXPECT_EQ(WordAt(evaluation_, memory_ + 8), 0x9abcdef2u);
}

TEST_F(OneBlockTest, NaNsInMemoryAreAnyNaN) {
  const absl::Status status = Run(R"(
    t0: ch,glue = EntryToken
    t1: f32 = fdiv ConstantFP:f32<0.000000e+00>, ConstantFP:f32<0.000000e+00>
    t2: ch = store<(store (s32))> t0, t1, ExternalSymbol:i64'p', undef:i64
    t3: f32,ch = load<(load (s32))> t2, ExternalSymbol:i64'p', undef:i64
    t4: i64 = add ExternalSymbol:i64'p', Constant:i64<4>
    t5: ch = store<(store (s32))> t2, t3, t4, undef:i64
    t6: ch = NVPTXISD::RET_GLUE t5
)");
  ASSERT_TRUE(status.ok()) << status;
  const uint8_t nans[8] = {0x21, 0x43, 0xc5, 0xff, 0, 0, 0xc0, 0x7f}, number[4] = {0, 0, 0x80, 0x3f};
  size_t where = 0;
  EXPECT_TRUE(evaluation_.memory.Matches(memory_, nans, &where));
  EXPECT_FALSE(evaluation_.memory.Matches(memory_, number, &where));
}

TEST_F(OneBlockTest, UndefinedBehaviorAndUnknownNodesAreErrors) {
  EXPECT_EQ(
      Run("    t0: ch,glue = EntryToken\n    t1: ch = store<(store (s32))> t0, Constant:i32<1>, undef:i64, undef:i64\n")
          .message(),
      "'store': the address is undefined");
  EXPECT_EQ(Run("    t0: ch,glue = EntryToken\n"
                "    t1: ch = store<(store (s32))> t0, Constant:i32<1>, Constant:i64<4>, undef:i64\n")
                .message(),
            "'store': address 4 is outside of memory");
  EXPECT_EQ(Run("    t0: ch,glue = EntryToken\n"
                "    t1: f32 = fsin ConstantFP:f32<1.000000e+00>\n"
                "    t2: ch = CopyToReg t0, Register:f32 %0, t1\n")
                .message(),
            "'fsin' of f32 is not evaluated");
}

TEST_F(OneBlockTest, ValuesOfPureNodes) {
  DagText text(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32 = CopyFromReg t0, Register:i32 %0
    t2: i32 = mul t1, Constant:i32<3>
    t3: ch = CopyToReg t0, Register:i32 %1, t2
)"));
  const SDValue product = text.dag().root()->operand(2);
  const absl::flat_hash_map<uint64_t, DagConstant> known = {{product.operand(0).Key(), DagConstant::Of(MVT::kI32, 14)}};
  const std::optional<DagConstant> value = EvaluateValue(product, known, evaluation_);
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->bits(), U(42));
}

}  // namespace
}  // namespace ptxmir::sdag
