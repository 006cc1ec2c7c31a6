// SPDX-License-Identifier: Apache-2.0

// The optimization remarks that a user wants to see and their destination: the options that begin with
// -pass-remarks, with llc's names and meaning.

#ifndef PTXMIR_OPTIONS_REMARK_OPTIONS_H_
#define PTXMIR_OPTIONS_REMARK_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "mir/text/remark.h"

namespace re2 {
class RE2;
}

namespace ptxmir {

// The options as given. Patterns are regular expressions that match anywhere in the name of a pass.
struct RemarkOptions {
  // The passes whose remarks are shown on stderr, by kind: what a pass did, what it did not do, what it found out.
  std::optional<std::string> passed;
  std::optional<std::string> missed;
  std::optional<std::string> analysis;
  // The file for remarks of every kind, and the passes whose remarks go there. Without `output` there is no file;
  // without `filter`, all passes match.
  std::string output;
  std::optional<std::string> filter;
  // Whether all remarks are kept, even those that are neither shown nor written (-explore).
  bool keeps_all = false;
  bool with_hotness = false;
  // The minimum execution count; remarks on code that runs less often are dropped. A nonzero value implies
  // hotness.
  uint64_t hotness_threshold = 0;
};

// One of the options. An error of `set` is a kInvalidArgument that says what is wrong with the value and, for a
// pattern, where.
struct RemarkOptionInfo {
  std::string_view name;        // without dashes
  std::string_view value_name;  // for --help; empty if it takes no value
  std::string_view help;
  absl::Status (*set)(const RemarkOptionInfo& option, std::string_view value, RemarkOptions& options);
};
absl::Span<const RemarkOptionInfo> RemarkOptionTable();
// Returns null if there is no option with this name.
const RemarkOptionInfo* FindRemarkOption(std::string_view name);

// Decides which remarks are wanted. May be used by several threads at once.
class RemarkFilter {
 public:
  // The patterns must be valid, as the options ensure. An invalid pattern matches nothing.
  explicit RemarkFilter(const RemarkOptions& options);
  RemarkFilter(const RemarkFilter&) = delete;
  RemarkFilter& operator=(const RemarkFilter&) = delete;
  ~RemarkFilter();

  // Returns true if remarks of some kind from some pass are wanted.
  bool listens() const { return listens_; }
  // Returns true if any remark of the pass is wanted, so that work done only for remarks is worthwhile.
  bool AllowsExtraAnalysis(std::string_view pass) const;

  // Returns true if the remark is shown on stderr. A failure is shown if any kind of remark of its pass would be.
  bool IsShown(RemarkKind kind, std::string_view pass) const;
  // Returns true if the remark goes to the file.
  bool IsRecorded(std::string_view pass) const;
  bool IsWanted(RemarkKind kind, std::string_view pass) const {
    return keeps_all_ || IsShown(kind, pass) || IsRecorded(pass);
  }

  bool wants_hotness() const { return wants_hotness_; }
  bool IsHotEnough(const Remark& remark) const { return remark.hotness.value_or(0) >= hotness_threshold_; }

 private:
  std::unique_ptr<const re2::RE2> passed_;
  std::unique_ptr<const re2::RE2> missed_;
  std::unique_ptr<const re2::RE2> analysis_;
  std::unique_ptr<const re2::RE2> filter_;
  bool is_recording_;
  bool keeps_all_;
  bool listens_;
  bool wants_hotness_;
  uint64_t hotness_threshold_;
};

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_REMARK_OPTIONS_H_
