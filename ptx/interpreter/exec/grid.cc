// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/exec/grid.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <new>

#include "base/str_cat.h"

namespace ptxmir::ptx {
namespace {

// The number of steps that a warp runs before the next one of its CTA.
constexpr uint64_t kWarpTurn = 20000;
// The number of steps that a cluster runs before another one is started next to it, and the shorter time slice that
// clusters get afterwards: those that did not end by themselves are likely to spin.
constexpr uint64_t kFirstClusterTurn = 250'000;
constexpr uint64_t kClusterTurn = 25'000;

unsigned NumWarps(unsigned threads) { return (threads + kWarpSize - 1) / kWarpSize; }

// Returns the number of a CTA, counted along x first.
uint64_t NumberOf(const Dim3& index, const Dim3& grid) {
  return index.x + uint64_t{grid.x} * (index.y + uint64_t{grid.y} * index.z);
}

void ThrowAway(void* memory) { std::free(memory); }

}  // namespace

// ---- Cta.

Cta::Cta(Grid& grid, Cluster& cluster, uint32_t rank, Dim3 index)
    : barriers(kNumBarriers),
      grid_(grid),
      cluster_(cluster),
      rank_(rank),
      index_(index),
      num_threads_(static_cast<unsigned>(grid.config().block.Count())),
      shared_size_((grid.program().shared_size + grid.config().dynamic_shared_bytes + 15) / 16 * 16),
      // calloc maps large areas without touching them.
      shared_(static_cast<uint8_t*>(std::calloc(2 * shared_size_ + 1, 1)), &ThrowAway),
      races_(NumWarps(num_threads_), NumberOf(index, grid.config().grid)) {
  for (unsigned first = 0; first < num_threads_; first += kWarpSize) {
    const unsigned lanes = std::min(kWarpSize, num_threads_ - first);
    warps_.push_back(std::make_unique<Warp>(*this, first / kWarpSize, kAllLanes >> (kWarpSize - lanes)));
    warps_.back()->tensor_order.id = rank_ * NumWarps(num_threads_) + first / kWarpSize + 1;
    warps_.back()->Start(grid.kernel());
  }
  for (Barrier& barrier : barriers) {
    barrier.waiting.resize(warps_.size());
    barrier.arrivers.resize(warps_.size());
  }
}

Cta::~Cta() = default;

TensorMemory& Cta::tensor_memory() {
  if (tensor_memory_ == nullptr) {
    tensor_memory_ = std::make_unique<TensorMemory>();
    for (const std::unique_ptr<Cta>& cta : cluster_.ctas()) {
      for (const std::unique_ptr<Warp>& warp : cta->warps()) tensor_memory_->warps.push_back(&warp->tensor_order);
    }
  }
  return *tensor_memory_;
}

uint32_t Cta::NumAlive() const {
  uint32_t count = 0;
  for (const std::unique_ptr<Warp>& warp : warps_) count += static_cast<uint32_t>(std::popcount(warp->alive()));
  return count;
}

bool Cta::IsSharedAccessible(uint64_t offset, unsigned size) const {
  const Program& program = grid_.program();
  if (offset >= shared_size_ || size > shared_size_ - offset) return false;
  if (offset >= program.shared_size) {
    return offset + size <= program.shared_size + grid_.config().dynamic_shared_bytes;
  }
  // The gap between variables is larger than an access.
  return program.shared_accessible[offset] &&
         (offset + size > program.shared_size || program.shared_accessible[offset + size - 1]);
}

Warp::RunResult Cta::Run(uint64_t steps) {
  const uint64_t end = grid_.steps + steps;
  const ThreadOrder& order = grid_.config().order;
  while (true) {
    bool all_ended = true, all_blocked = true, all_wait = true;
    for (size_t i = 0; i < warps_.size(); ++i) {
      Warp* const warp = warps_[order.reverse ? warps_.size() - 1 - i : i].get();
      if (warp->alive() == 0) continue;
      const Warp::RunResult result = warp->Run(order.interleave ? 1 : kWarpTurn);
      if (result == Warp::RunResult::kFault) return result;
      if (result != Warp::RunResult::kEnded) all_ended = false;
      if (result != Warp::RunResult::kBlocked) all_blocked = false;
      if (result == Warp::RunResult::kRunning) all_wait = false;
      if (grid_.steps >= grid_.config().max_steps) return Warp::RunResult::kRunning;
    }
    if (all_ended) return Warp::RunResult::kEnded;
    if (all_blocked) return Warp::RunResult::kBlocked;
    if (all_wait) return Warp::RunResult::kWaiting;
    if (grid_.steps >= end) return Warp::RunResult::kRunning;
  }
}

// ---- Cluster.

Cluster::Cluster(Grid& grid, Dim3 first, Dim3 shape) : shape_(shape) {
  uint32_t rank = 0;
  for (uint32_t z = 0; z < shape.z; ++z) {
    for (uint32_t y = 0; y < shape.y; ++y) {
      for (uint32_t x = 0; x < shape.x; ++x) {
        ctas_.push_back(std::make_unique<Cta>(grid, *this, rank++, Dim3{first.x + x, first.y + y, first.z + z}));
      }
    }
  }
}

uint32_t Cluster::NumAlive() const {
  uint32_t count = 0;
  for (const std::unique_ptr<Cta>& cta : ctas_) count += cta->NumAlive();
  return count;
}

void Cluster::CheckBarrier() {
  if (arrived == 0 || arrived < NumAlive()) return;
  arrived = 0;
  ++phase;
  for (const std::unique_ptr<Cta>& cta : ctas_) ++cta->progress;
}

Warp::RunResult Cluster::Run(uint64_t steps) {
  bool all_ended = true, all_blocked = true, all_wait = true;
  // A CTA may wake one that has already run in this round.
  const auto total_progress = [this] {
    uint64_t total = 0;
    for (const std::unique_ptr<Cta>& cta : ctas_) total += cta->progress;
    return total;
  };
  const uint64_t before = total_progress();
  const bool interleave = !ctas_.empty() && ctas_[0]->grid().config().order.interleave;
  for (const std::unique_ptr<Cta>& cta : ctas_) {
    if (cta->NumAlive() == 0) continue;
    const uint64_t turn = interleave ? 1 : ctas_.size() == 1 ? steps : kWarpTurn * cta->warps().size();
    const Warp::RunResult result = cta->Run(turn);
    if (result == Warp::RunResult::kFault) return result;
    if (result != Warp::RunResult::kEnded) all_ended = false;
    if (result != Warp::RunResult::kBlocked) all_blocked = false;
    if (result == Warp::RunResult::kRunning) all_wait = false;
  }
  ended_ = all_ended;
  if (all_ended) return Warp::RunResult::kEnded;
  if (total_progress() != before || !all_wait) return Warp::RunResult::kRunning;
  return all_blocked ? Warp::RunResult::kBlocked : Warp::RunResult::kWaiting;
}

// ---- Grid.

Grid::Grid(Program& program, const LaunchConfig& config, const DecodedFunction& kernel, std::vector<uint8_t> parameters)
    : program_(program), config_(config), kernel_(kernel), parameters_(std::move(parameters)) {}

OriginId Grid::NewOrigin(const DecodedInstr& instr, std::string_view what) {
  const auto [entry, inserted] = origin_ids_.try_emplace({instr.source, std::hash<std::string_view>()(what)}, 0);
  if (inserted) {
    origins_.push_back(StrCat(what, ", at '", DescribeInstr(instr), "'"));
    entry->second = static_cast<OriginId>(origins_.size());
  }
  return entry->second;
}

std::string_view Grid::DescribeOrigin(OriginId origin) const {
  return origin == 0 ? std::string_view("it was never written") : std::string_view(origins_[origin - 1]);
}

// Returns the lower corner of a cluster. Clusters are counted along x first.
Dim3 Grid::ClusterStart(uint64_t number) const {
  const uint32_t columns = config_.grid.x / config_.cluster.x;
  const uint32_t rows = config_.grid.y / config_.cluster.y;
  return {static_cast<uint32_t>(number % columns) * config_.cluster.x,
          static_cast<uint32_t>(number / columns % rows) * config_.cluster.y,
          static_cast<uint32_t>(number / columns / rows) * config_.cluster.z};
}

void Grid::ReportDeadlock(const std::deque<std::unique_ptr<Cluster>>& resident) {
  fault_.kind = FaultKind::kDeadlock;
  fault_.message = "nobody can go on:";
  constexpr size_t kMaxShown = 4000;
  for (const std::unique_ptr<Cluster>& cluster : resident) {
    for (const std::unique_ptr<Cta>& cta : cluster->ctas()) {
      for (const std::unique_ptr<Warp>& warp : cta->warps()) {
        if (warp->alive() != 0 && fault_.message.size() < kMaxShown) fault_.message += warp->DescribeWaiting();
      }
    }
  }
}

Dim3 Grid::NextCluster() {
  const uint64_t number = started_++;
  return ClusterStart(config_.order.reverse ? NumClusters() - 1 - number : number);
}

std::optional<Dim3> Grid::TakeNextCluster() {
  if (started_ == NumClusters()) return std::nullopt;
  return NextCluster();
}

LaunchResult Grid::Run() {
  const uint64_t count = NumClusters();
  std::deque<std::unique_ptr<Cluster>> resident;
  uint64_t turn = config_.order.interleave ? 1 : kFirstClusterTurn;
  if (kernel_.local_size > Warp::kMaxKernelLocal) {
    fault_.kind = FaultKind::kTrap;
    fault_.message = StrCat("the kernel's stack objects take ", kernel_.local_size, " bytes of a thread");
  }
  uint64_t blocked_in_a_row = 0;
  while (!fault_.is_fault() && (started_ < count || !resident.empty())) {
    // The next cluster to start runs first. Those that did not end wait in a queue.
    if (started_ < count) {
      resident.push_front(std::make_unique<Cluster>(*this, NextCluster(), config_.cluster));
      blocked_in_a_row = 0;
    }
    Cluster& cluster = *resident.front();
    const uint64_t end = steps + turn;
    Warp::RunResult result = Warp::RunResult::kRunning;
    while (result == Warp::RunResult::kRunning && steps < end && steps < config_.max_steps) {
      result = cluster.Run(end - steps);
    }
    if (result == Warp::RunResult::kFault) break;
    if (result == Warp::RunResult::kEnded) {
      resident.pop_front();
      blocked_in_a_row = 0;
      continue;
    }
    if (steps >= config_.max_steps) {
      fault_.kind = FaultKind::kStepLimit;
      fault_.message = StrCat("the launch has not ended after ", config_.max_steps, " steps");
      break;
    }
    // If all of a cluster waits for barriers, no other cluster can wake it.
    blocked_in_a_row = result == Warp::RunResult::kBlocked ? blocked_in_a_row + 1 : 0;
    if (started_ == count && blocked_in_a_row >= resident.size()) {
      ReportDeadlock(resident);
      break;
    }
    turn = config_.order.interleave ? 1 : kClusterTurn;
    resident.push_back(std::move(resident.front()));
    resident.pop_front();
  }
  LaunchResult result;
  result.fault = fault_;
  result.race = race_;
  result.undefined_store = undefined_store_;
  result.counts = counts_;
  result.printed = std::exchange(program_.printed, {});
  return result;
}

}  // namespace ptxmir::ptx
