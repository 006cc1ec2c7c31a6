// SPDX-License-Identifier: Apache-2.0

// Which optimization remarks a user wants to see, and where: the options that begin with -pass-remarks, under the
// names and with the meaning that llc gives them.

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

// As given. Patterns are regular expressions that match anywhere in the name of a pass.
struct RemarkOptions {
  // Remarks that are shown on stderr: of passes that did something, did not, and found out something.
  std::optional<std::string> passed;
  std::optional<std::string> missed;
  std::optional<std::string> analysis;
  // The file for remarks of every kind, and the passes whose remarks go there; empty: none, and all.
  std::string output;
  std::optional<std::string> filter;
  bool with_hotness = false;
  // Remarks on code that runs less often are dropped. Other than 0, it asks for hotness, too.
  uint64_t hotness_threshold = 0;
};

// One of the options. Its errors, kInvalidArgument, say what is wrong with the value and, in a pattern, where.
struct RemarkOptionInfo {
  std::string_view name;        // without dashes
  std::string_view value_name;  // for --help; empty: it takes no value
  std::string_view help;
  absl::Status (*set)(const RemarkOptionInfo& option, std::string_view value, RemarkOptions& options);
};
absl::Span<const RemarkOptionInfo> RemarkOptionTable();
// Null when there is none of that name.
const RemarkOptionInfo* FindRemarkOption(std::string_view name);

// Decides about remarks. Several threads may ask at once.
class RemarkFilter {
 public:
  // Patterns must be correct, as the options leave them; one that is not matches nothing.
  explicit RemarkFilter(const RemarkOptions& options);
  RemarkFilter(const RemarkFilter&) = delete;
  RemarkFilter& operator=(const RemarkFilter&) = delete;
  ~RemarkFilter();

  // Whether remarks of any kind from any pass can reach anybody.
  bool listens() const { return listens_; }
  // Whether any remark of that pass is wanted, so that work for remarks alone may be worth it.
  bool AllowsExtraAnalysis(std::string_view pass) const;

  // The remark is shown on stderr. A failure is where any remark of its pass would be.
  bool IsShown(RemarkKind kind, std::string_view pass) const;
  // The remark goes to the file.
  bool IsRecorded(std::string_view pass) const;
  bool IsWanted(RemarkKind kind, std::string_view pass) const { return IsShown(kind, pass) || IsRecorded(pass); }

  bool wants_hotness() const { return wants_hotness_; }
  bool IsHotEnough(const Remark& remark) const { return remark.hotness.value_or(0) >= hotness_threshold_; }

 private:
  std::unique_ptr<const re2::RE2> passed_;
  std::unique_ptr<const re2::RE2> missed_;
  std::unique_ptr<const re2::RE2> analysis_;
  std::unique_ptr<const re2::RE2> filter_;
  bool is_recording_;
  bool listens_;
  bool wants_hotness_;
  uint64_t hotness_threshold_;
};

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_REMARK_OPTIONS_H_
