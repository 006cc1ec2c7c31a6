// SPDX-License-Identifier: Apache-2.0

#include "compiler/response_files.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Appends the arguments that `argument` stands for. `files` are the files that are being expanded.
absl::Status Expand(std::string argument, std::vector<std::string>& files, std::vector<std::string>& out) {
  if (argument.size() < 2 || argument[0] != '@') {
    out.push_back(std::move(argument));
    return absl::OkStatus();
  }
  const std::string path = argument.substr(1);
  if (std::find(files.begin(), files.end(), path) != files.end()) {
    return absl::InvalidArgumentError(
        StrCat("response file '", path, "' includes itself: ", absl::StrJoin(files, ", "), ", ", path));
  }
  const absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(path);
  if (!buffer.ok())
    return absl::Status(buffer.status().code(),
                        StrCat("in argument '", argument, "': ", FromAbsl(buffer.status().message())));
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view text = (*buffer)->text();
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  files.push_back(path);
  for (std::string& word : SplitArguments(text)) {
    if (absl::Status status = Expand(std::move(word), files, out); !status.ok()) return status;
  }
  files.pop_back();
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> SplitArguments(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      is_in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      is_in_word = true;
    } else if (!IsSpace(c)) {
      word += c;
      is_in_word = true;
    } else if (is_in_word) {
      words.push_back(std::exchange(word, {}));
      is_in_word = false;
    }
  }
  if (is_in_word) words.push_back(std::move(word));
  return words;
}

absl::StatusOr<std::vector<std::string>> ExpandResponseFiles(absl::Span<const std::string_view> arguments) {
  std::vector<std::string> out;
  std::vector<std::string> files;
  for (const std::string_view argument : arguments) {
    if (absl::Status status = Expand(std::string(argument), files, out); !status.ok()) return status;
  }
  return out;
}

}  // namespace ptxmir
