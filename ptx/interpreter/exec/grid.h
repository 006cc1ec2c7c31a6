// SPDX-License-Identifier: Apache-2.0

// Grid: one launch in progress. CTAs start in order, a cluster at a time. A cluster that does not end within its
// time slice (it may wait for another by spinning on global memory) yields to the next one, so that grid-wide
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

// The state that outlives launches: code, variables, global memory. The Device implements it.
class Program : public SymbolResolver {
 public:
  // Returns the decoded function, or null if the module has no machine code for it.
  virtual const DecodedFunction* Code(GlobalId function) = 0;
  virtual std::string_view FunctionName(GlobalId function) const = 0;

  // The shared variables of the module: their total size, and which bytes belong to a variable.
  std::vector<bool> shared_accessible;
  uint64_t shared_size = 0;
  GlobalMemory global{kGlobalBase};
  GlobalMemory constant{kConstantBase};
  TextureTable textures;
  std::string printed;
  // Memory for the barriers of a cooperative launch; 0 if the launch is not cooperative.
  uint64_t grid_workspace = 0;
};

class Cluster;

struct Barrier {
  uint32_t arrived = 0;   // threads
  uint32_t expected = 0;  // 0: all live threads
  bool aligned = false;
  uint32_t popc = 0;
  bool all = true;
  bool any = false;
  std::vector<LaneMask> waiting;   // by warp
  std::vector<LaneMask> arrivers;  // by warp: the lanes that take part in the phase
};

class Cta {
 public:
  static constexpr unsigned kNumBarriers = 16;

  Cta(Grid& grid, Cluster& cluster, uint32_t rank, Dim3 index);
  ~Cta();

  Grid& grid() const { return grid_; }
  Cluster& cluster() const { return cluster_; }
  uint32_t rank() const { return rank_; }  // the rank in its cluster
  const Dim3& index() const { return index_; }
  uint32_t NumAlive() const;
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }

  // A counter that grows whenever something happens that may let a waiting fragment go on.
  uint64_t progress = 0;

  // Shared memory: the bytes, and a mask of the bits that are defined. Fresh pages are zero, that is, undefined.
  uint64_t shared_size() const { return shared_size_; }
  uint8_t* shared_data() { return shared_.get(); }
  uint8_t* shared_defined() { return shared_.get() + shared_size_; }
  bool IsSharedAccessible(uint64_t offset, unsigned size) const;

  std::vector<Barrier> barriers;
  // Releases the lanes that wait at a barrier if it is complete. Returns false if lanes of a warp have met in an
  // aligned barrier at different instructions.
  bool CheckBarrier(Barrier& barrier);
  // Called when lanes of a warp have ended. No barrier waits for them any longer.
  void OnExit();

  RaceDetector& races() { return races_; }
  CtaAsyncState async;

  // Tensor memory, created on first use.
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

// CTAs that share a barrier and can reach each other's shared memory. Without clusters, a single CTA.
class Cluster {
 public:
  Cluster(Grid& grid, Dim3 first, Dim3 shape);

  std::vector<std::unique_ptr<Cta>>& ctas() { return ctas_; }
  // The number of CTAs in each dimension.
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
  // Takes the first CTA of the next cluster that has not started. The grid then no longer starts that cluster
  // itself.
  std::optional<Dim3> TakeNextCluster();

  // Records a race at which the launch does not stop. Only the first is kept, and no further ones are looked for.
  void NoteRace(Fault race) {
    race_ = std::move(race);
    config_.detect_races = false;
  }
  // The same for stores of undefined bits.
  bool has_undefined_store() const { return undefined_store_.is_fault(); }
  void NoteUndefinedStore(Fault store) { undefined_store_ = std::move(store); }
  // Returns the access history of the block of global memory with this number.
  AccessShadow& global_accesses(size_t block) {
    if (block >= global_accesses_.size()) global_accesses_.resize(block + 1);
    return global_accesses_[block];
  }

  // Returns the access history of the surface.
  AccessShadow& surface_accesses(const Texture& surface) { return surface_accesses_[&surface]; }

  // ---- Origins of undefined values.
  OriginId NewOrigin(const DecodedInstr& instr, std::string_view what);
  std::string_view DescribeOrigin(OriginId origin) const;

 private:
  Dim3 ClusterStart(uint64_t number) const;
  uint64_t NumClusters() const { return config_.grid.Count() / config_.cluster.Count(); }
  // Returns the lower corner of the next cluster to start.
  Dim3 NextCluster();
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
