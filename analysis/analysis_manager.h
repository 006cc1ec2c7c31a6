// SPDX-License-Identifier: Apache-2.0

// The analyses of one function. Each is computed when first asked for and kept until a pass invalidates it.
//
// An analysis is a class derived from Analysis with
//
//     static constexpr AnalysisKind kKind = AnalysisKind::kSlotIndexes;
//     SlotIndexes(const MachineFunction& function, AnalysisManager& analyses);
//
// The constructor computes the analysis. It may ask the manager for other analyses and keep references to them:
// when one of those is invalidated, this one is too. A pass that keeps an analysis up to date while it edits (adds
// an instruction to SlotIndexes, a range to LiveIntervals) changes it through the reference that Get returns and
// then reports it as preserved.
//
// LLVM's new pass manager does the same with type-erased results and a map. Here a function has one array of
// results. Dependences are observed, not declared, so none can be forgotten.

#ifndef PTXMIR_ANALYSIS_ANALYSIS_MANAGER_H_
#define PTXMIR_ANALYSIS_ANALYSIS_MANAGER_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis_kinds.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"

namespace ptxmir {

class AnalysisManager;
class TimeTrace;
struct RemarkSink;
namespace ptx {
class Subtarget;
}

class Analysis {
 public:
  virtual ~Analysis() = default;
  // Appends the text that -passes='print<name>' shows: lines that end in newlines.
  virtual void Print(std::string& out) const = 0;
  // Compares this analysis with `fresh`, the same analysis computed from scratch, for checked builds. Returns an
  // empty string if they agree, otherwise one line that names the first difference. `fresh` has the same class as
  // this.
  virtual std::string DifferenceFrom(const Analysis& fresh) const = 0;
};

// The inputs of analyses and passes other than the function.
struct AnalysisInputs {
  // The knobs of the function. If null, the defaults apply.
  const Knobs* knobs = nullptr;
  // Null if the subtarget is not known.
  const ptx::Subtarget* subtarget = nullptr;
  // Receives the remarks of the function; see machine_opt_remark_emitter.h. Null if no one wants them.
  RemarkSink* remarks = nullptr;
  // Records the time that analyses take to compute. May be null.
  TimeTrace* time_trace = nullptr;
};

class AnalysisManager {
 public:
  explicit AnalysisManager(MachineFunction& function, const AnalysisInputs& inputs = {});
  AnalysisManager(const AnalysisManager&) = delete;
  AnalysisManager& operator=(const AnalysisManager&) = delete;
  ~AnalysisManager() { Clear(); }

  MachineFunction& function() { return function_; }
  const AnalysisInputs& inputs() const { return inputs_; }
  const Knobs& knobs() const { return *inputs_.knobs; }

  // Returns the analysis, and computes it first if it is not cached. The reference is valid until the analysis is
  // invalidated.
  template <typename T>
  T& Get() {
    return static_cast<T&>(Require(T::kKind, &Compute<T>));
  }
  // Returns the analysis if it is cached, or null.
  template <typename T>
  T* GetCached() {
    return static_cast<T*>(slots_[static_cast<size_t>(T::kKind)].result.get());
  }
  bool IsCached(AnalysisKind kind) const { return slots_[static_cast<size_t>(kind)].result != nullptr; }

  // Drops the analyses that `preserved` does not name, and all analyses that were computed from those.
  void Invalidate(const PreservedAnalyses& preserved);
  void Clear() { Invalidate(PreservedAnalyses::None()); }

  // Recomputes every cached analysis from scratch and compares. Returns an empty string if all still hold,
  // otherwise a line that names the analysis and the first difference.
  std::string CheckCached();

  // The number of analyses computed so far, for tests and -stats.
  int num_computed() const { return num_computed_; }

 private:
  using ComputeFunction = std::unique_ptr<Analysis> (*)(MachineFunction&, AnalysisManager&);
  struct Slot {
    std::unique_ptr<Analysis> result;
    ComputeFunction compute = nullptr;
    uint64_t dependences = 0;  // the kinds that were asked for while it was computed
    bool computing = false;
  };

  template <typename T>
  static std::unique_ptr<Analysis> Compute(MachineFunction& function, AnalysisManager& analyses) {
    return std::make_unique<T>(function, analyses);
  }
  Analysis& Require(AnalysisKind kind, ComputeFunction compute);

  MachineFunction& function_;
  AnalysisInputs inputs_;
  std::array<Slot, kNumAnalyses> slots_;
  std::vector<AnalysisKind> order_;      // the cached analyses, each after all those that it depends on
  std::vector<AnalysisKind> computing_;  // the analyses being computed, innermost last
  int num_computed_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_ANALYSIS_MANAGER_H_
