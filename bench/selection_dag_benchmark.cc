// SPDX-License-Identifier: Apache-2.0

// Measures how the SelectionDAG scales: building, replacing with merges, combining, ordering, verifying, writing
// and reading graphs of up to a million nodes. Sizes double from row to row, and so should times. The `slope` at
// the end is that of the least-squares line through the logarithms of sizes and times: 1 is linear.
//
//     selection_dag_benchmark [benchmark flags]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/split_mix64.h"
#include "bench/measuring.h"
#include "mir/code/machine_function.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"
#include "sdag/combine/dag_combiner.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/text/dag_reader.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"

namespace ptxmir::sdag {
namespace {

constexpr unsigned kLiveIns = 16;

// A block of random arithmetic, twice, on different live-ins. Each node uses two of the last hundred values or so.
class RandomDag {
 public:
  explicit RandomDag(size_t num_nodes) : machine_(nullptr, ptx::PtxTargetInfo(), "f", 0), function_(machine_) {
    MachineBasicBlock* block = machine_.CreateBlock();
    machine_.InsertBlock(nullptr, block);
    dag_ = &function_.dag(*block);
    for (unsigned i = 0; i <= kLiveIns; ++i) machine_.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
    Build(num_nodes);
  }

  SelectionDAG& dag() { return *dag_; }
  DagFunction& function() { return function_; }
  SDValue live_in(unsigned i) { return dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Virtual(i), MVT::kI32); }

 private:
  void Build(size_t num_nodes) {
    static constexpr int16_t kOpcodes[] = {isd::kAdd, isd::kSub, isd::kMul, isd::kXor, isd::kAnd, isd::kOr};
    SplitMix64 random(1);
    std::vector<SDValue> values;  // of both halves, alternately
    for (unsigned i = 0; i < kLiveIns; ++i) values.push_back(live_in(i));
    while (values.size() < num_nodes) {
      // Picks how many pairs to go back.
      const auto pick = [&] { return 2 * (random.Next() % std::min<size_t>(values.size() / 2, 100)) + 2; };
      const size_t a = pick(), b = pick();
      const int16_t opcode = kOpcodes[random.Next() % std::size(kOpcodes)];
      for (int half = 0; half < 2; ++half) {
        values.push_back(dag_->GetNode(opcode, {}, MVT::kI32, {values[values.size() - a], values[values.size() - b]}));
      }
    }
    // Uses the last values.
    std::vector<SDValue> chains;
    for (size_t i = values.size() - std::min<size_t>(values.size(), 100); i < values.size(); ++i) {
      chains.push_back(dag_->GetCopyToReg({}, dag_->EntryToken(), Register::Virtual(kLiveIns), values[i]));
    }
    dag_->SetRoot(dag_->GetTokenFactor({}, chains));
  }

  MachineFunction machine_;
  DagFunction function_;
  SelectionDAG* dag_ = nullptr;
};

using Run = void (*)(RandomDag& dag);

// The best time of each benchmark by size.
std::map<std::string, std::map<int64_t, double>>& Times() {
  static auto* const kTimes = new std::map<std::string, std::map<int64_t, double>>;
  return *kTimes;
}

// Times `run` on a graph that is built from scratch each time, or the building if there is no `run`.
void Measure(benchmark::State& state, const std::string& name, Run run) {
  const auto size = static_cast<size_t>(state.range(0));
  double best = 1e9;
  double bytes = 0;
  for (auto _ : state) {
    double begin = bench::ThreadSeconds();
    RandomDag dag(size);
    if (run != nullptr) {
      begin = bench::ThreadSeconds();
      run(dag);
    }
    const double seconds = bench::ThreadSeconds() - begin;
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    bytes = static_cast<double>(dag.function().arena().bytes_reserved());
  }
  Times()[name][state.range(0)] = best;
  state.counters["ns/node"] = best * 1e9 / static_cast<double>(size);
  state.counters["bytes/node"] = bytes / static_cast<double>(size);
}

// Replaces the live-ins of one half by those of the other. Then everything else merges as well.
void ReplaceWithMerges(RandomDag& dag) {
  for (unsigned i = 0; i < kLiveIns; i += 2) {
    dag.dag().ReplaceAllUsesOfValueWith(dag.live_in(i), dag.live_in(i + 1));
  }
  dag.dag().RemoveDeadNodes();
}

void Order(RandomDag& dag) { benchmark::DoNotOptimize(dag.dag().AssignTopologicalOrder()); }

void Verify(RandomDag& dag) { benchmark::DoNotOptimize(VerifyDags(dag.function())); }

// Gives half of the additions and the like a constant operand, so that combines find something.
void Combine(RandomDag& dag) {
  SplitMix64 random(2);
  std::vector<SDNode*> nodes;
  for (SDNode& node : dag.dag()) {
    if (node.num_operands() == 2 && node.value_type(0) == MVT::kI32 && random.Next() % 2 == 0) nodes.push_back(&node);
  }
  for (SDNode* node : nodes) {
    const SDValue operands[] = {node->operand(0), dag.dag().GetConstant(random.Next() % 64, MVT::kI32)};
    dag.dag().UpdateNodeOperands(node, operands);
  }
  static const ptx::Subtarget* const kSubtarget = new ptx::Subtarget(*ptx::Subtarget::Create("sm_90", ""));
  benchmark::DoNotOptimize(CombineDag(dag.dag(), CombineLevel::kBeforeLegalize, {.subtarget = kSubtarget}));
}

void RemoveAll(RandomDag& dag) {
  dag.dag().SetRoot(dag.dag().EntryToken());
  dag.dag().RemoveDeadNodes();
}

void WriteAndRead(RandomDag& dag) {
  std::string text;
  WriteDagFunction(dag.function(), {}, text);
  DiagnosticEngine diagnostics;
  const DagModule module = ReadDags(std::make_shared<const SourceBuffer>("dag", std::move(text)), diagnostics);
  benchmark::DoNotOptimize(module.module.get());
}

void Register(const char* name, Run run) {
  benchmark::RegisterBenchmark(name, [name, run](benchmark::State& state) { Measure(state, name, run); })
      ->RangeMultiplier(2)
      ->Range(1 << 14, 1 << 20)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(5)
      ->UseManualTime();
}

void PrintSlopes() {
  for (const auto& [name, times] : Times()) {
    std::printf("slope of %s: %.2f\n", name.c_str(), bench::LogLogSlope(times));
  }
}

}  // namespace
}  // namespace ptxmir::sdag

int main(int argc, char** argv) {
  using namespace ptxmir::sdag;
  Register("Build", nullptr);
  Register("ReplaceWithMerges", ReplaceWithMerges);
  Register("Combine", Combine);
  Register("Order", Order);
  Register("Verify", Verify);
  Register("RemoveAll", RemoveAll);
  Register("WriteAndRead", WriteAndRead);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  PrintSlopes();
  return 0;
}
