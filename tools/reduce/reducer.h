// SPDX-License-Identifier: Apache-2.0

// Reducer: makes a MIR file that shows a problem (a crash, a wrong result) as small as possible, so that a person
// can see the cause.
//
// A predicate decides if a file shows the problem. The method is delta debugging (Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", 2002): a change is tried on all of its targets at once, then
// on halves of them, on quarters, and so on down to single targets. It is kept if the predicate still holds. ddmin
// tries subsets and complements of a fixed list. Here each kept change leads to a new file with new targets, and a
// sweep continues after the place of the last change. The changes also understand the code (see
// reduction_steps.h), so that nearly every file is well-formed. Files that cannot be read back or do not verify
// never reach the predicate.
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
  // The most calls of the predicate. Reduction stops at this limit with its current result.
  size_t max_tests = 20000;
  // Called for every step that made the file smaller. May be empty.
  std::function<void(std::string_view)> progress;
};

class Reducer {
 public:
  // Returns true if a file still shows the problem of the original.
  using Predicate = std::function<bool(std::string_view mir)>;

  // `target` must outlive the reducer.
  Reducer(const TargetInfo& target, Predicate is_interesting, ReducerOptions options = {})
      : target_(target), is_interesting_(std::move(is_interesting)), options_(std::move(options)) {}

  // Returns the smallest file found. Returns an error if the file cannot be read, does not verify, or is not
  // interesting. `name` is for messages.
  absl::StatusOr<std::string> Reduce(std::string_view name, std::string_view mir);

  // The number of calls of the predicate so far, and of files that were rejected before a call.
  size_t num_tests() const { return num_tests_; }
  size_t num_refused() const { return num_refused_; }

 private:
  // Reads and verifies a text. On failure, returns null and sets `why` to the reason.
  std::unique_ptr<Module> ReadAndVerify(std::string_view name, std::string_view mir, std::string* why) const;
  bool IsInteresting(std::string_view mir);
  // Returns the file after the step changed the targets that `chooser` chooses, or an empty string if nothing is
  // left to write.
  std::string Apply(const ReductionStep& step, TargetChooser& chooser) const;
  // Makes `candidate` the current file if it is new, well-formed and interesting.
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

// Applies the same method to a list, such as the options of a command. Returns a subsequence of `items` for which
// `is_interesting` holds, and from which no single item can be removed.
std::vector<std::string> ReduceList(std::vector<std::string> items,
                                    const std::function<bool(const std::vector<std::string>&)>& is_interesting);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_REDUCER_H_
