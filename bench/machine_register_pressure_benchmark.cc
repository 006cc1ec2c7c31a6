// SPDX-License-Identifier: Apache-2.0

// Times machine-rpa: the full computation, and the updates for the edits of common subexpression elimination, with
// a query after each edit.
//
//     machine_register_pressure_benchmark [benchmark flags]
//
// Sizes are instructions of one function, either with many blocks (bench/mir_generator) or with only one block.
// Neither `ns_per_instr` of the full computation nor the time of an edit should grow with the size.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "base/diagnostics.h"
#include "bench/mir_generator.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> ManyBlocks(size_t instructions) {
  DiagnosticEngine diagnostics;
  const std::string text = bench::GenerateMir({.instructions = instructions});
  return ReadMir(std::make_shared<SourceBuffer>("generated", text), ptx::PtxTargetInfo(), diagnostics);
}

// Each instruction reads two of the last 64 results.
std::unique_ptr<MachineFunction> OneBlock(size_t instructions) {
  auto function = std::make_unique<MachineFunction>(nullptr, ptx::PtxTargetInfo(), "f", 0);
  MachineBasicBlock* block = function->CreateBlock();
  function->InsertBlock(nullptr, block);
  const Opcode add = *ptx::PtxTargetInfo().find_opcode("ADD32rr");
  std::vector<Register> values;
  uint32_t random = 1;
  for (size_t i = 0; i < instructions; ++i) {
    values.push_back(function->reg_info().CreateVirtualRegister(ptx::reg_class::kB32));
    random = random * 1664525 + 1013904223;
    const size_t window = std::min<size_t>(i, 64);
    if (window == 0) {
      BuildMI(*block, nullptr, generic::kImplicitDef).AddDef(values[i]).Insert();
    } else {
      BuildMI(*block, nullptr, add)
          .AddDef(values[i])
          .AddUse(values[i - 1 - (random >> 8) % window])
          .AddUse(values[i - 1 - (random >> 20) % window])
          .Insert();
    }
  }
  return function;
}

void SetCounters(benchmark::State& state, size_t work) {
  state.counters["ns_per_instr"] = benchmark::Counter(static_cast<double>(state.iterations() * work) * 1e-9,
                                                      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}

void FullManyBlocks(benchmark::State& state) {
  const auto module = ManyBlocks(static_cast<size_t>(state.range(0)));
  MachineFunction& function = *module->machine_functions().front();
  for (auto _ : state) benchmark::DoNotOptimize(MachineRegisterPressure(function).MaxUnits());
  SetCounters(state, function.CountInstrs());
}

void FullOneBlock(benchmark::State& state) {
  const auto function = OneBlock(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(MachineRegisterPressure(*function).MaxUnits());
  SetCounters(state, static_cast<size_t>(state.range(0)));
}

// Two results of one class in a block. The first can replace the second.
struct Pair {
  Register to;
  Register from;
};
std::vector<Pair> PairsToMerge(const MachineFunction& function, size_t count) {
  std::vector<Pair> all;
  for (const MachineBasicBlock& block : function) {
    std::vector<Register> last(ptx::reg_class::kCount);
    uint32_t since = 0;
    for (const MachineInstr& instr : block) {
      if (instr.is_phi() || instr.num_operands() == 0 || !instr.operand(0).is_def()) continue;
      const Register reg = instr.operand(0).reg();
      Register& previous = last[function.reg_info().reg_class(reg)];
      if (previous.is_valid() && ++since % 5 == 0) all.push_back({previous, reg});
      if (since % 5 != 1) previous = reg;
    }
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < count; ++i) pairs.push_back(all[i * 2654435761u % all.size()]);
  return pairs;
}

// Performs common subexpression elimination: queries the second of each pair, merges it with the first, and
// queries the maximum.
template <typename Make>
void Eliminate(benchmark::State& state, Make make) {
  constexpr size_t kEdits = 2000;
  for (auto _ : state) {
    state.PauseTiming();
    auto owner = make(static_cast<size_t>(state.range(0)));
    MachineFunction& function = *owner.first;
    MachineRegisterInfo& reg_info = function.reg_info();
    MachineRegisterPressure pressure(function);
    benchmark::DoNotOptimize(pressure.MaxUnits());
    const std::vector<Pair> pairs = PairsToMerge(function, kEdits);
    size_t edits = 0;
    state.ResumeTiming();
    for (const auto& [to, from] : pairs) {
      MachineInstr* def = reg_info.UniqueDef(from);
      if (def == nullptr || reg_info.UniqueDef(to) == nullptr) continue;
      benchmark::DoNotOptimize(pressure.WhatIfReplaced(from, to));
      pressure.WillErase(*def);
      def->EraseFromParent();
      pressure.WillReplaceRegister(from, to);
      reg_info.ReplaceRegister(from, to);
      benchmark::DoNotOptimize(pressure.MaxUnits());
      ++edits;
    }
    state.counters["edits"] = static_cast<double>(edits);
    state.counters["us_per_edit"] = benchmark::Counter(static_cast<double>(edits) * 1e-6,
                                                       benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  }
}

void EliminateManyBlocks(benchmark::State& state) {
  Eliminate(state, [](size_t size) {
    std::unique_ptr<Module> module = ManyBlocks(size);
    MachineFunction* function = module->machine_functions().front().get();
    return std::make_pair(function, std::move(module));
  });
}

void EliminateOneBlock(benchmark::State& state) {
  Eliminate(state, [](size_t size) {
    std::unique_ptr<MachineFunction> function = OneBlock(size);
    return std::make_pair(function.get(), std::move(function));
  });
}

BENCHMARK(FullManyBlocks)->RangeMultiplier(10)->Range(1000, 1000000)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(FullOneBlock)->RangeMultiplier(10)->Range(1000, 1000000)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(EliminateManyBlocks)->RangeMultiplier(10)->Range(1000, 1000000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(EliminateOneBlock)->RangeMultiplier(10)->Range(1000, 1000000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ptxmir

BENCHMARK_MAIN();
