// SPDX-License-Identifier: Apache-2.0

#include "tools/explore/page.h"

#include <string_view>

#include "tools/explore/page_files.h"

namespace ptxmir {
namespace {

constexpr std::string_view kStyles = "/*STYLES*/";
constexpr std::string_view kData = "/*DATA*/";
constexpr std::string_view kScripts = "/*SCRIPTS*/";

// Appends the texts of all files whose names have the ending.
void AppendFiles(std::string_view ending, std::string& out) {
  for (const PageFile& file : PageFiles()) {
    if (file.name.ends_with(ending)) out += file.text;
  }
}

}  // namespace

std::string ExplorePage(absl::FunctionRef<void(std::string&)> append_json) {
  std::string page;
  std::string frame;
  AppendFiles(".html", frame);
  std::string_view rest = frame;
  // The frame has the three places in this order.
  const auto append_until = [&](std::string_view place) {
    const size_t at = rest.find(place);
    page += rest.substr(0, at);
    rest.remove_prefix(at + place.size());
  };
  append_until(kStyles);
  AppendFiles(".css", page);
  append_until(kData);
  append_json(page);
  append_until(kScripts);
  AppendFiles(".js", page);
  page += rest;
  return page;
}

}  // namespace ptxmir
