// SPDX-License-Identifier: Apache-2.0

#include "tools/explore/page.h"

#include <algorithm>

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

// Appends JSON that is in a script element of HTML. "<" occurs only within strings.
void AppendData(std::string_view json, std::string& out) {
  while (!json.empty()) {
    const size_t length = std::min(json.find('<'), json.size());
    out += json.substr(0, length);
    json.remove_prefix(length);
    if (json.empty()) break;
    out += "\\u003c";
    json.remove_prefix(1);
  }
}

}  // namespace

std::string ExplorePage(std::string_view json) {
  std::string page;
  std::string frame;
  AppendFiles(".html", frame);
  std::string_view rest = frame;
  size_t bytes = json.size() + json.size() / 16;  // for the characters that are escaped
  for (const PageFile& file : PageFiles()) bytes += file.text.size();
  page.reserve(bytes);
  // The frame has the three places in this order.
  const auto append_until = [&](std::string_view place) {
    const size_t at = rest.find(place);
    page += rest.substr(0, at);
    rest.remove_prefix(at + place.size());
  };
  append_until(kStyles);
  AppendFiles(".css", page);
  append_until(kData);
  AppendData(json, page);
  append_until(kScripts);
  AppendFiles(".js", page);
  page += rest;
  return page;
}

}  // namespace ptxmir
