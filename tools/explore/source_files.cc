// SPDX-License-Identifier: Apache-2.0

#include "tools/explore/source_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr size_t kMaxBytes = 500'000;

// Returns the contents of the file, or nullopt if it cannot be read or is too large.
std::optional<std::string> Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  const auto size = static_cast<std::streamoff>(file.tellg());
  if (size < 0 || size > static_cast<std::streamoff>(kMaxBytes)) return std::nullopt;
  file.seekg(0);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return text;
}

}  // namespace

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

SourceFiles::SourceFiles(std::string_view input) : folder_(input.substr(0, input.rfind('/') + 1)) {}

std::optional<size_t> SourceFiles::IndexOf(const std::string& name) const {
  const auto found = indexes_.find(name);
  return found == indexes_.end() ? std::nullopt : found->second;
}

void SourceFiles::Read(const std::string& name) {
  const auto [place, is_new] = indexes_.emplace(name, std::nullopt);
  if (!is_new || name.empty()) return;
  std::optional<std::string> text = Contents(name);
  if (!text.has_value()) text = Contents(StrCat(folder_, name));
  if (!text.has_value()) text = Contents(StrCat(folder_, FileName(name)));
  if (!text.has_value()) return;
  place->second = files_.size();
  File& file = files_.emplace_back();
  file.name = name;
  for (std::string_view rest = *text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    file.lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace ptxmir
