// SPDX-License-Identifier: Apache-2.0

// Reducer: makes a MIR file that shows something (a crash, a wrong result) as small as it can, so that a person can
// read why.
//
// What the file shows is for a predicate to say. The method is delta debugging (Zeller and Hildebrandt, "Simplifying
// and Isolating Failure-Inducing Input", 2002): a change is tried on all of its targets at once, then on halves of
// them, on quarters, down to single ones, and kept where the predicate still holds. Unlike ddmin, which tries subsets
// and complements of a list that it knows, each kept change leads to a new file with targets of its own, and a sweep
// goes on behind the place of the last change; and the changes know the code (see reduction_steps.h), so that nearly
// every file tried is well-formed. What does not read back or does not verify never reaches the predicate.
//
// All steps are repeated until a whole round makes the file no smaller. The same input and predicate give the same
// result.

#ifndef PTXMIR_TOOLS_REDUCE_REDUCER_H_
#define PTXMIR_TOOLS_REDUCE_REDUCER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/module.h"
#include "mir/code/instr_desc.h"
#include "tools/reduce/reduction_steps.h"

namespace ptxmir {

struct ReducerOptions {
  // Calls of the predicate; reduction ends there with what it has.
  size_t max_tests = 20000;
  // Told about every step that made the file smaller; may be empty.
  std::function<void(std::string_view)> progress;
};

class Reducer {
 public:
  // Whether a file still shows what the original shows.
  using Predicate = std::function<bool(std::string_view mir)>;

  // `target` must outlive the reducer.
  Reducer(const TargetInfo& target, Predicate is_interesting, ReducerOptions options = {})
      : target_(target), is_interesting_(std::move(is_interesting)), options_(std::move(options)) {}

  // The smallest file found. Errors: the file does not read or verify, or is not interesting. `name` is for
  // messages.
  absl::StatusOr<std::string> Reduce(std::string_view name, std::string_view mir);

  // Calls of the predicate so far, and files that were refused before it saw them.
  size_t num_tests() const { return num_tests_; }
  size_t num_refused() const { return num_refused_; }

 private:
  // Null when the text does not read or does not verify; `why` then says why.
  std::unique_ptr<Module> ReadAndVerify(std::string_view name, std::string_view mir, std::string* why) const;
  bool IsInteresting(std::string_view mir);
  // The file after a step's change of the targets that `chooser` chooses; empty when the change left nothing to write.
  std::string Apply(const ReductionStep& step, TargetChooser& chooser) const;
  // Makes `candidate` the current file when it is new, well-formed and interesting.
  bool Accept(std::string candidate);
  void Run(const ReductionStep& step);
  absl::Status Normalize(std::string_view name, std::string_view mir);
  bool is_at_limit() const { return num_tests_ >= options_.max_tests; }

  const TargetInfo& target_;
  Predicate is_interesting_;
  ReducerOptions options_;
  std::string current_;
  bool simplify_ = true;                // whether files are written as by llc's -simplify-mir
  absl::flat_hash_set<uint64_t> seen_;  // fingerprints of the files that were tried
  size_t num_tests_ = 0;
  size_t num_refused_ = 0;
};

// The same method for a list, such as the options of a command: a part of `items`, in their order, for which
// `is_interesting` holds and of which no single item can be left out.
std::vector<std::string> ReduceList(std::vector<std::string> items,
                                    const std::function<bool(const std::vector<std::string>&)>& is_interesting);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_REDUCER_H_
