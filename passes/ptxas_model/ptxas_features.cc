// SPDX-License-Identifier: Apache-2.0

#include "passes/ptxas_model/ptxas_features.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/function_ir.h"
#include "mir/code/operand_ranges.h"
#include "passes/ptxas_model/values_at_ptxas.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/schedule/instr_region.h"
#include "passes/schedule/latency_order.h"
#include "passes/schedule/schedule_region.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

using enum PtxasFeature;
using ptx::LatencyClass;

constexpr std::string_view kNames[] = {
    "peak",
    "peak_least",
    "peak_latency",
    "peak_loads",
    "peak_all",
    "peak_in_loops",
    "peak_pairs",
    "peak_quads",
    "peak_free",
    "live_into_loops",
    "live_calls",
    "live_barriers",
    "predicates",
    "block_of_peak",
    "depth_of_peak",
    "points_near",
    "blocks_near",
    "loop_body",
    "loop_loads",
    "loop_peak",
    "instructions",
    "work",
    "blocks",
    "loops",
    "largest_block",
    "branches",
    "loads",
    "loaded_units",
    "most_loaded_units",
    "shared_loads",
    "wide_accesses",
    "local",
    "stores",
    "atomics",
    "textures",
    "barriers",
    "calls",
    "divisions",
    "special_functions",
    "doubles",
    "matrix",
    "warp",
    "special_registers",
    "constants",
    "parameters",
    "generation",
    "threads",
    "limit",
    "full",
};
static_assert(std::size(kNames) == kNumPtxasFeatures);

// So that no sum overflows.
constexpr uint64_t kMostExecutions = uint64_t{1} << 40;

bool IsFarLoad(LatencyClass latency) { return latency == LatencyClass::kLd || latency == LatencyClass::kTex; }

// Computes the features of one function.
class FeatureScan {
 public:
  FeatureScan(MachineFunction& function, AnalysisManager& analyses)
      : FeatureScan(function, analyses, UnitsAtPtxas(function)) {}

  PtxasFeatures Run() {
    DescribeMachine();
    for (MachineBasicBlock& block : function_) ScanBlock(block);
    (*this)[kWork] = FixedLog2(executed_);
    DescribeLoops();
    DescribePeaks();
    return features_;
  }

 private:
  struct BlockPeak {
    uint32_t units = 0;
    uint32_t instrs = 0;
    uint32_t depth = 0;
  };

  FeatureScan(MachineFunction& function, AnalysisManager& analyses, const std::vector<uint8_t>& units)
      : function_(function),
        analyses_(analyses),
        model_(ptx::MachineModel::For(analyses.inputs().subtarget)),
        pressure_(analyses.Get<MachineRegisterPressure>()),
        loops_(analyses.Get<MachineLoops>()),
        frequencies_(analyses.Get<MachineBlockFrequencies>()),
        orders_(function, analyses.Get<MemoryDependence>(), model_),
        latency_(units, model_),
        live_(units),
        trial_(units) {}

  int32_t& operator[](PtxasFeature feature) { return features_[feature]; }
  void Raise(PtxasFeature feature, uint32_t value) {
    features_[feature] = std::max(features_[feature], static_cast<int32_t>(value));
  }

  void DescribeMachine() {
    const RegisterBudget budget = ComputeRegisterBudget(function_, analyses_.inputs());
    (*this)[kGeneration] = static_cast<int32_t>(model_.sm());
    (*this)[kThreads] = static_cast<int32_t>(budget.cta_threads);
    (*this)[kLimit] = static_cast<int32_t>(budget.limit);
    (*this)[kFull] = static_cast<int32_t>(budget.full);
    (*this)[kPeakAll] = static_cast<int32_t>(pressure_.MaxUnits());
    (*this)[kPredicates] = static_cast<int32_t>(pressure_.MaxPredicates());
  }

  void ScanBlock(MachineBasicBlock& block) {
    live_.Clear();
    for (const uint32_t reg : pressure_.LiveOuts(block)) live_.Add(reg);
    units_.clear();
    BlockPeak peak = {.units = live_.units(), .instrs = 0, .depth = loops_.Depth(block)};
    VisitUpwards(
        block,
        [&](MachineInstr& boundary) {
          ScanBoundary(boundary);
          Step(boundary, peak);
        },
        [&](const InstrRegion& region) {
          TryOrders(region);
          for (size_t i = region.instrs.size(); i-- > 0;) Step(*region.instrs[i], peak);
        });
    CountInstrs(block);
    Raise(kPeak, peak.units);
    Raise(kPeakLeast, peak.instrs == 0 ? peak.units : 0);
    if (peak.depth != 0) Raise(kPeakInLoops, peak.units);
    block_peaks_.push_back(peak);
    all_units_.insert(all_units_.end(), units_.begin(), units_.end());
  }

  void Step(const MachineInstr& instr, BlockPeak& peak) {
    const uint32_t units = live_.StepUp(instr);
    units_.push_back(units);
    ++peak.instrs;
    if (units > peak.units) peak.units = units;
    if (units > peak_units_) {
      peak_units_ = units;
      peak_block_ = instr.parent();
    }
  }

  // `live_` is the set of registers live below the boundary.
  void ScanBoundary(const MachineInstr& boundary) {
    if (boundary.is_call()) Raise(kLiveAcrossCalls, live_.units());
    if (ptx::InstrInfo(boundary.opcode()).Has(ptx::Property::kBarrier)) Raise(kLiveAcrossBarriers, live_.units());
  }

  // Tries other orders of a region. `live_` is the set of registers live below it.
  void TryOrders(const InstrRegion& region) {
    trial_.CopyFrom(live_);
    const uint32_t own = PeakOf(region, trial_);
    uint32_t least = own;
    if (region.instrs.size() < 3) {
      Raise(kPeakLeast, own);
      Raise(kPeakLatency, own);
      Raise(kPeakLoads, own);
      return;
    }
    orders_.Build(region.instrs);
    for (const ScheduleTie tie : {ScheduleTie::kSource, ScheduleTie::kNeed}) {
      trial_.CopyFrom(live_);
      least = std::min(least, orders_.Schedule(tie, trial_).peak);
    }
    Raise(kPeakLeast, least);
    constexpr uint32_t kNoLimit = std::numeric_limits<int32_t>::max();
    Raise(kPeakLatency, latency_.Schedule(orders_.dag(), live_, {.limit = kNoLimit}).peak);
    Raise(kPeakLoads, PeakWithLoadsFirst(orders_.dag()));
  }

  // Returns the peak of the order in which loads, and what they wait for, come before everything else.
  uint32_t PeakWithLoadsFirst(const ScheduleDag& dag) {
    comes_first_.assign(dag.size(), false);
    for (uint32_t node = dag.size(); node-- > 0;) {
      if (IsFarLoad(ptx::LatencyClassOf(dag.instr(node)))) comes_first_[node] = true;
      if (!comes_first_[node]) continue;
      for (const ScheduleDependence& edge : dag.Predecessors(node)) comes_first_[edge.from] = true;
    }
    trial_.CopyFrom(live_);
    uint32_t peak = 0;
    for (const bool is_first : {false, true}) {
      for (uint32_t node = dag.size(); node-- > 0;) {
        if (comes_first_[node] == is_first) peak = std::max(peak, trial_.StepUp(dag.instr(node)));
      }
    }
    return peak;
  }

  void CountInstrs(const MachineBasicBlock& block) {
    uint32_t loaded = 0;
    int32_t instrs = 0;
    for (const MachineInstr& instr : block) {
      if (instr.is_debug() || instr.is_meta()) continue;
      ++instrs;
      loaded += CountInstr(instr);
    }
    (*this)[kInstructions] += instrs;
    executed_ += static_cast<uint64_t>(instrs) * std::min(frequencies_.Executions(block, 256), kMostExecutions);
    ++(*this)[kBlocks];
    Raise(kLargestBlock, static_cast<uint32_t>(instrs));
    Raise(kMostLoadedUnits, loaded);
    (*this)[kLoadedUnits] += static_cast<int32_t>(loaded);
    const bool is_loop =
        std::find(block.successors().begin(), block.successors().end(), &block) != block.successors().end();
    if (!is_loop) return;
    Raise(kLoopBody, static_cast<uint32_t>(instrs));
    Raise(kLoopLoads, loaded);
    Raise(kLoopPeak, units_.empty() ? 0 : *std::max_element(units_.begin(), units_.end()));
  }

  // Returns the registers that the instruction loads from memory that may be far.
  uint32_t CountInstr(const MachineInstr& instr) {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    uint32_t defined = 0;
    for (const MachineOperand& def : VirtualDefs(instr)) defined += live_.UnitsOf(def.reg().virtual_index());
    const auto count_if = [&](PtxasFeature feature, bool condition) { (*this)[feature] += condition ? 1 : 0; };
    const LatencyClass latency = ptx::LatencyClassOf(instr);
    const ptx::MemorySpace space = info.touches_memory() ? ptx::MemorySpaceOf(instr) : ptx::MemorySpace::kNone;
    count_if(kBranches, latency == LatencyClass::kBranch);
    count_if(kCalls, instr.is_call());
    count_if(kLoads, IsFarLoad(latency) && defined != 0);
    count_if(kSharedLoads, latency == LatencyClass::kLdShared);
    count_if(kLocalAccesses, space == ptx::MemorySpace::kLocal);
    count_if(kStores, info.writes_memory() && !info.reads_memory());
    count_if(kAtomics, info.Has(ptx::Property::kAtomic));
    count_if(kTextures, latency == LatencyClass::kTex || latency == LatencyClass::kSurf);
    count_if(kBarriers, info.Has(ptx::Property::kBarrier));
    count_if(kDivisions, latency == LatencyClass::kIdiv || latency == LatencyClass::kIdiv64 ||
                             latency == LatencyClass::kFdiv || latency == LatencyClass::kFdiv64);
    count_if(kSpecialFunctions, latency == LatencyClass::kSfu || latency == LatencyClass::kSfu64);
    count_if(kDoubles, latency == LatencyClass::kFp64);
    count_if(kMatrixOperations, latency == LatencyClass::kMma || latency == LatencyClass::kMmaLarge);
    count_if(kWarpOperations, latency == LatencyClass::kWarp);
    count_if(kSpecialRegisters, latency == LatencyClass::kSreg);
    count_if(kWideAccesses, info.touches_memory() && info.num_values > 1);
    count_if(kParameters, space == ptx::MemorySpace::kParam && defined == 0 && instr.num_operands() != 0);
    count_if(kConstants, IsWideConstant(instr));
    return IsFarLoad(latency) ? defined : 0;
  }

  bool IsWideConstant(const MachineInstr& instr) const {
    if (!ptx::InstrInfo(instr.opcode()).is_move() || instr.num_operands() != 2) return false;
    if (!instr.operand(0).is_reg() || !instr.operand(0).reg().is_virtual() || instr.operand(1).is_reg()) return false;
    return PressureUnitsOf(function_, instr.operand(0).reg()) == 2;
  }

  void DescribeLoops() {
    (*this)[kLoops] = static_cast<int32_t>(loops_.num_cycles());
    for (CycleId loop = 0; loop < loops_.num_cycles(); ++loop) {
      uint32_t units = 0;
      for (const uint32_t reg : pressure_.LiveIns(*loops_.Header(loop))) units += live_.UnitsOf(reg);
      Raise(kLiveIntoLoops, units);
    }
  }

  void DescribePeaks() {
    const uint32_t peak = peak_units_;
    const uint32_t near = peak - peak / 10;
    for (const BlockPeak& block : block_peaks_) {
      (*this)[kBlocksNearPeak] += block.units >= near ? 1 : 0;
      if (block.units != peak) continue;
      Raise(kBlockOfPeak, block.instrs);
      Raise(kDepthOfPeak, block.depth);
    }
    for (const uint32_t units : all_units_) (*this)[kPointsNearPeak] += units >= near ? 1 : 0;
    if (peak_block_ != nullptr) DescribeLiveAtPeak();
  }

  void DescribeLiveAtPeak() {
    for (const Register reg : pressure_.LiveAtPeak(*peak_block_).live) {
      const uint32_t own = PressureUnitsOf(function_, reg);
      const uint32_t units = live_.UnitsOf(reg.virtual_index());
      (*this)[kPeakFree] += static_cast<int32_t>(own - units);
      (*this)[kPeakPairs] += units == 2 ? 2 : 0;
      (*this)[kPeakQuads] += units == 4 ? 4 : 0;
    }
  }

  MachineFunction& function_;
  AnalysisManager& analyses_;
  const ptx::MachineModel& model_;
  MachineRegisterPressure& pressure_;
  const MachineLoops& loops_;
  const MachineBlockFrequencies& frequencies_;
  ScheduleRegion orders_;
  LatencyScheduler latency_;
  LiveUnits live_;
  LiveUnits trial_;
  PtxasFeatures features_;
  std::vector<uint32_t> units_;      // live at each instruction of the block, the last one first
  std::vector<uint32_t> all_units_;  // of all blocks
  std::vector<BlockPeak> block_peaks_;
  std::vector<bool> comes_first_;  // by node
  uint64_t executed_ = 0;          // instructions for 256 executions of the function
  uint32_t peak_units_ = 0;
  const MachineBasicBlock* peak_block_ = nullptr;
};

}  // namespace

std::string_view PtxasFeatureName(PtxasFeature feature) { return kNames[static_cast<size_t>(feature)]; }

int32_t FixedLog2(uint64_t value) {
  if (value == 0) return 0;
  const int exponent = std::bit_width(value) - 1;
  const uint64_t fraction = value ^ (uint64_t{1} << exponent);  // of 2^exponent
  const uint64_t scaled = exponent >= 8 ? fraction >> (exponent - 8) : fraction << (8 - exponent);
  return exponent * 256 + static_cast<int32_t>(scaled);
}

PtxasFeatures ComputePtxasFeatures(MachineFunction& function, AnalysisManager& analyses) {
  return FeatureScan(function, analyses).Run();
}

}  // namespace ptxmir
