// SPDX-License-Identifier: Apache-2.0

// The analyses of one function: computed when first asked for, kept until a pass invalidates them.
//
// An analysis is a class derived from Analysis with
//
//     static constexpr AnalysisKind kKind = AnalysisKind::kSlotIndexes;
//     SlotIndexes(const MachineFunction& function, AnalysisManager& analyses);
//
// whose constructor computes it and may ask the manager for others, to which it may keep references: when
// one of those goes, it goes too. A pass that keeps an analysis up to date while it edits (adds an
// instruction to SlotIndexes, a range to LiveIntervals) changes it through the reference that Get returns
// and says that it preserved it.
//
// LLVM's new pass manager does the same with type-erased results and a map; here a function has one array
// of results, and dependence is observed rather than declared, so that it cannot be forgotten.

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
  // Appends what -passes='print<name>' shows: lines that end in newlines.
  virtual void Print(std::string& out) const = 0;
  // Compares with the same analysis computed anew, for checked builds: empty when the two say the same, else
  // one line that names the first difference. `fresh` is of the same class.
  virtual std::string DifferenceFrom(const Analysis& fresh) const = 0;
};

// What analyses and passes may depend on besides the function.
struct AnalysisInputs {
  // The function's. Null: the defaults.
  const Knobs* knobs = nullptr;
  // Null: not known.
  const ptx::Subtarget* subtarget = nullptr;
  // Takes the function's remarks; see machine_opt_remark_emitter.h. Null: nobody wants them.
  RemarkSink* remarks = nullptr;
  // Is told when analyses are computed. May be null.
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

  // The analysis, computed now unless it is at hand. The reference holds until it is invalidated.
  template <typename T>
  T& Get() {
    return static_cast<T&>(Require(T::kKind, &Compute<T>));
  }
  // The analysis if it is at hand, else null.
  template <typename T>
  T* GetCached() {
    return static_cast<T*>(slots_[static_cast<size_t>(T::kKind)].result.get());
  }
  bool IsCached(AnalysisKind kind) const { return slots_[static_cast<size_t>(kind)].result != nullptr; }

  // Forgets what `preserved` does not name, and what was computed from that.
  void Invalidate(const PreservedAnalyses& preserved);
  void Clear() { Invalidate(PreservedAnalyses::None()); }

  // Computes everything at hand anew and compares. Empty when all still hold, else a line that names the
  // analysis and the first difference.
  std::string CheckCached();

  // How often analyses were computed, for tests and -stats.
  int num_computed() const { return num_computed_; }

 private:
  using ComputeFunction = std::unique_ptr<Analysis> (*)(MachineFunction&, AnalysisManager&);
  struct Slot {
    std::unique_ptr<Analysis> result;
    ComputeFunction compute = nullptr;
    uint64_t dependences = 0;  // kinds that were asked for while it was computed
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
  std::vector<AnalysisKind> order_;      // of those at hand: none stands before one that it depends on
  std::vector<AnalysisKind> computing_;  // innermost last
  int num_computed_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_ANALYSIS_MANAGER_H_
