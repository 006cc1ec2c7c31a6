// SPDX-License-Identifier: Apache-2.0

// Random DAGs of machine nodes, with chains, glue, several results and sub-registers. For every scheduler, the
// machine code computes in the interpreter what the nodes mean.

#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "ptx/interpreter/create_device.h"
#include "tests/sdag/emit/emit_fixture.h"

namespace ptxmir::sdag {
namespace {

class RandomDagTest : public EmitTest, public testing::WithParamInterface<int> {
 protected:
  struct Value {
    SDValue node;
    uint32_t meaning;
  };

  uint32_t Random(uint32_t bound) { return static_cast<uint32_t>(random_.Next() % bound); }
  SDLoc Loc() { return {.order = Random(4) == 0 ? 0 : 1 + Random(100)}; }
  const Value& Any() { return values_[Random(static_cast<uint32_t>(values_.size()))]; }
  void Push(SDValue node, uint32_t meaning) { values_.push_back({node, meaning}); }

  void AddLoad() {
    const uint32_t index = Random(kWords);
    const SDValue load =
        Node(op::LD_i32, {MVT::kI32, MVT::kOther},
             {Imm(0), Imm(0), Imm(0), Imm(3), Imm(32), Imm(-1), in_, Imm(4 * index), dag_->root()}, Loc());
    if (Random(2) == 0) dag_->SetRoot(load.Result(1));
    Push(load, input_[index]);
  }
  void AddStore() {
    if (next_output_ == kWords) return;
    const Value value = Any();
    expected_[next_output_] = value.meaning;
    dag_->SetRoot(Node(op::ST_i32, {MVT::kOther},
                       {value.node, Imm(0), Imm(0), Imm(0), Imm(32), out_, Imm(4 * next_output_++), dag_->root()},
                       Loc()));
  }
  void AddArithmetic() {
    const Value a = Any(), b = Any();
    switch (Random(4)) {
      case 0:
        return Push(Node(op::ADD32rr, {MVT::kI32}, {a.node, b.node}, Loc()), a.meaning + b.meaning);
      case 1:
        return Push(Node(op::SUB32rr, {MVT::kI32}, {a.node, b.node}, Loc()), a.meaning - b.meaning);
      case 2:
        return Push(Node(op::MULT32rr, {MVT::kI32}, {a.node, b.node}, Loc()), a.meaning * b.meaning);
      default:
        return Push(Node(op::XOR_b32rr, {MVT::kI32}, {a.node, b.node}, Loc()), a.meaning ^ b.meaning);
    }
  }
  // Adds a 64-bit sum in two glued parts. Another sum between them would destroy the carry.
  void AddCarry() {
    const Value a = Any(), b = Any(), c = Any(), d = Any();
    const SDValue low = Node(op::ADDCCi32rr, {MVT::kI32, MVT::kGlue}, {a.node, b.node}, Loc());
    const SDValue high = Node(op::ADDCCCi32rr, {MVT::kI32}, {c.node, d.node, low.Result(1)}, Loc());
    const uint64_t sum = (uint64_t{c.meaning} << 32 | a.meaning) + (uint64_t{d.meaning} << 32 | b.meaning);
    Push(low, static_cast<uint32_t>(sum));
    Push(high, static_cast<uint32_t>(sum >> 32));
  }
  void AddSubRegisters() {
    const Value a = Any(), b = Any(), c = Any();
    SDValue wide =
        Node(generic::kRegSequence, {MVT::kI64}, {Imm(ptx::reg_class::kB64), a.node, Imm(6), b.node, Imm(5)}, Loc());
    if (Random(2) == 0) wide = Node(generic::kInsertSubreg, {MVT::kI64}, {wide, c.node, Imm(6)}, Loc());
    const bool inserted = wide->machine_opcode() == generic::kInsertSubreg;
    Push(Node(generic::kExtractSubreg, {MVT::kI32}, {wide, Imm(6)}, Loc()), inserted ? c.meaning : a.meaning);
    const SDValue both = Node(op::I64toV2I32, {MVT::kI32, MVT::kI32}, {wide}, Loc());
    Push(both, b.meaning);
    Push(both.Result(1), inserted ? c.meaning : a.meaning);
  }
  void AddExport() {
    // Passes a value through a register in which the value may be computed.
    const Value value = Any();
    Export(value.node);
  }

  void Build(int size) {
    for (uint32_t& word : input_) word = static_cast<uint32_t>(random_.Next());
    const auto parameter = [&](const char* name) {
      return Node(op::LD_i64, {MVT::kI64, MVT::kOther},
                  {Imm(0), Imm(0), Imm(101), Imm(3), Imm(64), Imm(-1), dag_->GetExternalSymbol(name, MVT::kI64, true),
                   Imm(0), dag_->EntryToken()});
    };
    out_ = parameter("k_param_0");
    in_ = parameter("k_param_1");
    AddLoad();
    for (int i = 0; i < size; ++i) {
      switch (Random(8)) {
        case 0:
          AddLoad();
          break;
        case 1:
          AddStore();
          break;
        case 2:
          AddCarry();
          break;
        case 3:
          AddSubRegisters();
          break;
        case 4:
          AddExport();
          break;
        default:
          AddArithmetic();
          break;
      }
    }
    AddStore();
    dag_->SetRoot(Node(op::Return, {MVT::kOther}, {dag_->root()}));
  }

  std::vector<uint32_t> Run() {
    auto device = ptx::CreateDevice(*module_, {function_});
    EXPECT_TRUE(device.ok()) << device.status();
    const uint64_t out = (*device)->Allocate("out", 4 * kWords), in = (*device)->Allocate("in", 4 * kWords);
    (*device)->Write(in, {reinterpret_cast<const uint8_t*>(input_.data()), 4 * kWords});
    ptx::LaunchConfig config;
    config.kernel = "k";
    const auto result = (*device)->Launch(config, {ptx::KernelArgument::Of(out), ptx::KernelArgument::Of(in)});
    EXPECT_TRUE(result.ok() && !result->fault.is_fault()) << Dump();
    std::vector<uint32_t> words(kWords);
    (*device)->Read(out, {reinterpret_cast<uint8_t*>(words.data()), 4 * kWords});
    return words;
  }

  static constexpr uint32_t kWords = 32;
  SplitMix64 random_{static_cast<uint64_t>(GetParam())};
  std::vector<uint32_t> input_ = std::vector<uint32_t>(kWords);
  std::vector<uint32_t> expected_ = std::vector<uint32_t>(kWords);
  uint32_t next_output_ = 0;
  SDValue out_, in_;
  std::vector<Value> values_;
};

TEST_P(RandomDagTest, ComputesWhatTheNodesMean) {
  Build(20 + GetParam() % 150);
  const auto scheduler = static_cast<DagScheduler>(GetParam() % static_cast<int>(DagSchedulers().size()));
  Emit({.scheduler = scheduler});
  std::string report;
  ASSERT_TRUE(VerifyMachineFunction(*function_, report)) << report << Dump();
  EXPECT_EQ(Run(), expected_) << Dump();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDagTest, testing::Range(0, 300));

}  // namespace
}  // namespace ptxmir::sdag
