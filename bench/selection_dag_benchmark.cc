// How the SelectionDAG scales: building, replacing with merges, ordering, verifying, writing and reading graphs of up
// to a million nodes. Rows double in size: times should too. The `slope` of each, at the end, is
// log2 of the growth from the smallest to the largest over the doublings between them: 1 if linear.
//
//     selection_dag_benchmark [benchmark flags]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mir/diagnostics.h"
#include "mir/machine_function.h"
#include "mir/split_mix64.h"
#include "ptx/ptx_target.h"
#include "sdag/dag_reader.h"
#include "sdag/dag_verifier.h"
#include "sdag/dag_writer.h"
#include "sdag/selection_dag.h"

namespace ptxmir::sdag {
namespace {

constexpr unsigned kLiveIns = 16;

// A block of random arithmetic: each node uses two of the last hundred or so.
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
    std::vector<SDValue> values;
    for (unsigned i = 0; i < kLiveIns; ++i) values.push_back(live_in(i));
    while (values.size() < num_nodes) {
      const auto pick = [&] {
        return values[values.size() - 1 - random.Next() % std::min<size_t>(values.size(), 100)];
      };
      const SDValue a = pick(), b = pick();
      values.push_back(dag_->GetNode(kOpcodes[random.Next() % std::size(kOpcodes)], {}, MVT::kI32, {a, b}));
    }
    // The last ones are used.
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

// Best time of each benchmark by size.
std::map<std::string, std::map<int64_t, double>>& Times() {
  static auto* const kTimes = new std::map<std::string, std::map<int64_t, double>>;
  return *kTimes;
}

// Times `run` on a graph that is made anew each time, or the making if there is no `run`.
void Measure(benchmark::State& state, const std::string& name, Run run) {
  const auto size = static_cast<size_t>(state.range(0));
  double best = 1e9;
  double bytes = 0;
  for (auto _ : state) {
    auto begin = std::chrono::steady_clock::now();
    RandomDag dag(size);
    if (run != nullptr) {
      begin = std::chrono::steady_clock::now();
      run(dag);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    bytes = static_cast<double>(dag.function().bytes_reserved());
  }
  Times()[name][state.range(0)] = best;
  state.counters["ns/node"] = best * 1e9 / static_cast<double>(size);
  state.counters["bytes/node"] = bytes / static_cast<double>(size);
}

// All live-ins become one: half of everything turns out to be equal.
void ReplaceWithMerges(RandomDag& dag) {
  for (unsigned i = 1; i < kLiveIns; ++i) {
    dag.dag().ReplaceAllUsesOfValueWith(dag.live_in(i), dag.live_in(0));
  }
  dag.dag().RemoveDeadNodes();
}

void Order(RandomDag& dag) { benchmark::DoNotOptimize(dag.dag().AssignTopologicalOrder()); }

void Verify(RandomDag& dag) { benchmark::DoNotOptimize(VerifyDags(dag.function())); }

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
      ->UseManualTime();
}

void PrintSlopes() {
  for (const auto& [name, times] : Times()) {
    const double doublings = std::log2(static_cast<double>(times.rbegin()->first) / times.begin()->first);
    if (doublings <= 0) continue;
    const double growth = std::log2(times.rbegin()->second / times.begin()->second);
    std::printf("slope of %s: %.2f\n", name.c_str(), growth / doublings);
  }
}

}  // namespace
}  // namespace ptxmir::sdag

int main(int argc, char** argv) {
  using namespace ptxmir::sdag;
  Register("Build", nullptr);
  Register("ReplaceWithMerges", ReplaceWithMerges);
  Register("Order", Order);
  Register("Verify", Verify);
  Register("RemoveAll", RemoveAll);
  Register("WriteAndRead", WriteAndRead);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  PrintSlopes();
  return 0;
}
