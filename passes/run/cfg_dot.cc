// SPDX-License-Identifier: Apache-2.0

#include "passes/run/cfg_dot.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/line_diff.h"
#include "base/str_cat.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {
namespace {

constexpr std::string_view kRemovedColor = "red";
constexpr std::string_view kAddedColor = "forestgreen";

std::string_view ColorOf(bool was_there, bool is_there) {
  return was_there && is_there ? "black" : was_there ? kRemovedColor : kAddedColor;
}

void AppendHtml(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  out += '"';
}

void AppendBlock(BlockNumber number, const std::string* before, const std::string* after, std::string& out) {
  const std::string_view none;
  StrAppend(&out, "  bb", number, " [shape=box, fontname=\"Courier\", color=\"",
            ColorOf(before != nullptr, after != nullptr), "\", label=<");
  for (const DiffLine& line : DiffLines(before == nullptr ? none : *before, after == nullptr ? none : *after)) {
    StrAppend(&out, "<font color=\"",
              ColorOf(line.kind != DiffLine::Kind::kAdded, line.kind != DiffLine::Kind::kRemoved), "\">");
    AppendHtml(line.text.empty() ? " " : line.text, out);
    out += "</font><br align=\"left\"/>";
  }
  out += ">];\n";
}

}  // namespace

CfgText TextOfCfg(const MachineFunction& function) {
  CfgText cfg;
  for (const MachineBasicBlock& block : function) {
    WriteBlockForDump(block, {}, cfg.blocks[block.number()]);
    for (const MachineBasicBlock* successor : block.successors()) {
      cfg.edges.insert({block.number(), successor->number()});
    }
  }
  return cfg;
}

std::string CfgDot(std::string_view title, const CfgText& before, const CfgText& after) {
  std::string out = "digraph ";
  AppendQuoted(title, out);
  out += " {\n  label=";
  AppendQuoted(title, out);
  out += ";\n";
  std::map<BlockNumber, std::pair<const std::string*, const std::string*>> blocks;
  for (const auto& [number, text] : before.blocks) blocks[number].first = &text;
  for (const auto& [number, text] : after.blocks) blocks[number].second = &text;
  for (const auto& [number, texts] : blocks) AppendBlock(number, texts.first, texts.second, out);
  std::set<std::pair<BlockNumber, BlockNumber>> edges = before.edges;
  edges.insert(after.edges.begin(), after.edges.end());
  for (const auto& edge : edges) {
    StrAppend(&out, "  bb", edge.first, " -> bb", edge.second, " [color=\"",
              ColorOf(before.edges.count(edge) != 0, after.edges.count(edge) != 0), "\"];\n");
  }
  out += "}\n";
  return out;
}

std::string FileNamePart(std::string_view function) {
  constexpr size_t kMaxLength = 120;
  std::string part;
  for (const char c : function) {
    const bool is_safe = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
    if (part.size() < kMaxLength) part += is_safe ? c : '_';
  }
  if (part == function) return part;
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : function) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return StrCat(part, "-", absl::StrFormat("%016x", hash));
}

}  // namespace ptxmir
