// SPDX-License-Identifier: Apache-2.0

// Grid: one launch in progress. CTAs come to life in order, a cluster at a time; a cluster that does not end
// within its turn (it may wait for another by spinning on global memory) gives way to the next, so that grid-wide
// barriers and look-back chains end.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_GRID_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_GRID_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ptx/interpreter/code/symbol_resolver.h"
#include "ptx/interpreter/exec/async_state.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/interpreter/exec/tensor_operations.h"
#include "ptx/interpreter/exec/texture_table.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/memory/memory.h"
#include "ptx/interpreter/memory/race_detector.h"

namespace ptxmir::ptx {

// What outlives launches: code, variables, global memory. Implemented by the Device.
class Program : public SymbolResolver {
 public:
  // Null when the module does not define the function in machine code.
  virtual const DecodedFunction* Code(GlobalId function) = 0;
  virtual std::string_view FunctionName(GlobalId function) const = 0;

  // Shared variables of the module: bytes, and which of them belong to a variable.
  std::vector<bool> shared_accessible;
  uint64_t shared_size = 0;
  GlobalMemory global{kGlobalBase};
  GlobalMemory constant{kConstantBase};
  TextureTable textures;
  std::string printed;
  // Memory for the barriers of a cooperative launch; 0: the launch is none.
  uint64_t grid_workspace = 0;
};

class Cluster;

struct Barrier {
  uint32_t arrived = 0;   // threads
  uint32_t expected = 0;  // 0: all that are alive
  bool aligned = false;
  uint32_t popc = 0;
  bool all = true;
  bool any = false;
  std::vector<LaneMask> waiting;   // by warp
  std::vector<LaneMask> arrivers;  // by warp: who takes part in the phase
};

class Cta {
 public:
  static constexpr unsigned kNumBarriers = 16;

  Cta(Grid& grid, Cluster& cluster, uint32_t rank, Dim3 index);
  ~Cta();

  Grid& grid() const { return grid_; }
  Cluster& cluster() const { return cluster_; }
  uint32_t rank() const { return rank_; }  // in its cluster
  const Dim3& index() const { return index_; }
  uint32_t NumAlive() const;
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }

  // Grows whenever something happened that may let a waiting fragment go on.
  uint64_t progress = 0;

  // Shared memory: bytes, and which bits are defined. Fresh pages are zero: undefined.
  uint64_t shared_size() const { return shared_size_; }
  uint8_t* shared_data() { return shared_.get(); }
  uint8_t* shared_defined() { return shared_.get() + shared_size_; }
  bool IsSharedAccessible(uint64_t offset, unsigned size) const;

  std::vector<Barrier> barriers;
  // Lets those go on who wait for a barrier that is complete. False when lanes of a warp have met in an aligned
  // barrier at different instructions.
  bool CheckBarrier(Barrier& barrier);
  // Called when lanes of a warp have ended, for whom nobody needs to wait any more.
  void OnExit();

  RaceDetector& races() { return races_; }
  CtaAsyncState async;

  // Tensor memory comes to life when it is first asked for.
  CtaTensorState tensor;
  TensorMemory& tensor_memory();
  const TensorMemory* tensor_memory_if_any() const { return tensor_memory_.get(); }

  Warp::RunResult Run(uint64_t steps);

 private:
  Grid& grid_;
  Cluster& cluster_;
  uint32_t rank_;
  Dim3 index_;
  unsigned num_threads_;
  uint64_t shared_size_;
  std::unique_ptr<uint8_t, void (*)(void*)> shared_;
  RaceDetector races_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::unique_ptr<TensorMemory> tensor_memory_;
};

// CTAs that share a barrier and can reach each other's shared memory; without clusters, one CTA.
class Cluster {
 public:
  Cluster(Grid& grid, Dim3 first, Dim3 shape);

  std::vector<std::unique_ptr<Cta>>& ctas() { return ctas_; }
  // Number of a CTA's rank in each dimension.
  const Dim3& shape() const { return shape_; }

  uint64_t phase = 0;    // of the cluster's barrier
  uint32_t arrived = 0;  // threads
  uint32_t NumAlive() const;
  void CheckBarrier();

  Warp::RunResult Run(uint64_t steps);
  bool ended() const { return ended_; }

 private:
  Dim3 shape_;
  bool ended_ = false;
  std::vector<std::unique_ptr<Cta>> ctas_;
};

class Grid {
 public:
  Grid(Program& program, const LaunchConfig& config, const DecodedFunction& kernel, std::vector<uint8_t> parameters);

  LaunchResult Run();

  Program& program() const { return program_; }
  const LaunchConfig& config() const { return config_; }
  const DecodedFunction& kernel() const { return kernel_; }
  std::vector<uint8_t>& parameters() { return parameters_; }
  LaunchCounts& counts() { return counts_; }
  Fault& fault() { return fault_; }
  uint64_t steps = 0;
  // The first CTA of the next cluster that has not been started, and is then not going to be.
  std::optional<Dim3> TakeNextCluster();

  // For races at which the launch does not stop: the first is kept, and no other is looked for.
  void NoteRace(Fault race) {
    race_ = std::move(race);
    config_.detect_races = false;
  }
  // The same for stores of undefined bits.
  bool has_undefined_store() const { return undefined_store_.is_fault(); }
  void NoteUndefinedStore(Fault store) { undefined_store_ = std::move(store); }
  // Who accessed the block of global memory with this number.
  AccessShadow& global_accesses(size_t block) {
    if (block >= global_accesses_.size()) global_accesses_.resize(block + 1);
    return global_accesses_[block];
  }

  // Who accessed the surface.
  AccessShadow& surface_accesses(const Texture& surface) { return surface_accesses_[&surface]; }

  // ---- Origins of undefined values.
  OriginId NewOrigin(const DecodedInstr& instr, std::string_view what);
  std::string_view DescribeOrigin(OriginId origin) const;

 private:
  Dim3 ClusterStart(uint64_t number) const;
  void ReportDeadlock(const std::deque<std::unique_ptr<Cluster>>& resident);

  Program& program_;
  LaunchConfig config_;
  const DecodedFunction& kernel_;
  std::vector<uint8_t> parameters_;
  LaunchCounts counts_;
  uint64_t started_ = 0;  // clusters
  std::vector<AccessShadow> global_accesses_;
  absl::flat_hash_map<const Texture*, AccessShadow> surface_accesses_;
  Fault fault_;
  Fault race_;
  Fault undefined_store_;
  std::deque<std::string> origins_;
  absl::flat_hash_map<std::pair<const void*, uint64_t>, OriginId> origin_ids_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_GRID_H_
