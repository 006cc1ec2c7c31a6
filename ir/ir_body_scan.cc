// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_body_scan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ir/ir_text.h"

namespace ptxmir {
namespace {

constexpr std::string_view kLoopAttachment = "!llvm.loop !";

// Parses the number at the beginning of a text.
std::optional<MetadataId> ParseMetadataId(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsIrDigit(text[length])) ++length;
  uint64_t number;
  if (!ParseIrDecimal(text.substr(0, length), ~MetadataId{0} >> 2, &number)) return std::nullopt;
  return static_cast<MetadataId>(number);
}

// Returns the first `c` from p on, or the end.
const char* Find(char c, const char* p, const char* end) {
  const void* found = std::memchr(p, c, static_cast<size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

const char* LineEnd(const char* p, const char* end) { return Find('\n', p, end); }

// Returns the beginning of the line that holds `at`, or `begin` if that is later.
const char* LineStart(const char* begin, const char* at) {
  while (at > begin && at[-1] != '\n') --at;
  return at;
}

const char* SkipBlanks(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
  return p;
}

bool StartsWith(const char* p, const char* end, std::string_view prefix) {
  return static_cast<size_t>(end - p) >= prefix.size() && std::memcmp(p, prefix.data(), prefix.size()) == 0;
}

// Returns true if an unindented line begins another entity, that is, if the body before it was not closed.
bool BeginsNextFunction(const char* p, const char* end) {
  return StartsWith(p, end, "define ") || StartsWith(p, end, "declare ") || StartsWith(p, end, "attributes #");
}

// Finds the end of a body by lines: a body printed by LLVM ends with a '}' that is not indented more than the
// text. Returns null if the body does not look like that.
const char* FindBodyEndByLines(const char* begin, const char* end, size_t indentation) {
  const char* p = SkipBlanks(begin + 1, end);
  if (p < end && *p != '\n' && *p != ';') return nullptr;
  p = LineEnd(p, end);
  while (p < end) {
    const char* line = ++p;
    const char* limit = static_cast<size_t>(end - line) > indentation ? line + indentation : end;
    const char* first = line;
    while (first < limit && *first == ' ') ++first;
    if (first < end) {
      if (*first == '}') return first + 1;
      if ((*first == 'd' || *first == 'a') && BeginsNextFunction(first, end)) return nullptr;
    }
    p = LineEnd(line, end);
  }
  return nullptr;
}

// Finds the end of a body by matching brackets, for bodies that are formatted differently.
const char* FindBodyEndByBrackets(const char* begin, const char* end) {
  size_t depth = 0;
  bool at_line_start = false;
  for (const char* p = begin; p < end; ++p) {
    const bool was_line_start = at_line_start;
    at_line_start = *p == '\n' || (at_line_start && *p == ' ');
    switch (*p) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return p + 1;
        break;
      case '"': {
        const void* close = std::memchr(p + 1, '"', static_cast<size_t>(end - (p + 1)));
        if (close == nullptr) return nullptr;
        p = static_cast<const char*>(close);
        break;
      }
      case ';':
        p = LineEnd(p, end) - 1;
        break;
      case 'd':
      case 'a':
        if (was_line_start && BeginsNextFunction(p, end)) return nullptr;
        break;
      default:
        break;
    }
  }
  return nullptr;
}

bool IsTerminatorWord(std::string_view word) {
  constexpr std::string_view kWords[] = {"br", "ret", "unreachable", "indirectbr", "resume", "cleanupret", "catchret"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

class BlockScanner {
 public:
  explicit BlockScanner(uint32_t first_slot) : next_slot_(first_slot) {}

  void Scan(std::string_view body);
  std::vector<ScannedBlock> Take() { return std::move(blocks_); }

 private:
  // Returns the position after the label that begins the line, or null if there is none.
  const char* ScanLabel(const char* p, const char* end);
  void ScanInstruction(std::string_view line);
  void ScanLoop(std::string_view line);

  std::vector<ScannedBlock> blocks_;
  uint32_t next_slot_;
  bool in_block_ = false;
  bool in_switch_ = false;
};

const char* BlockScanner::ScanLabel(const char* p, const char* end) {
  const char* name = p;
  const char* name_end;
  const bool quoted = *p == '"';
  if (quoted) {
    ++name;
    const void* close = std::memchr(name, '"', static_cast<size_t>(end - name));
    if (close == nullptr) return nullptr;
    name_end = static_cast<const char*>(close);
    p = name_end + 1;
  } else {
    while (p < end && IsIrNameChar(*p)) ++p;
    name_end = p;
  }
  if (p == end || *p != ':' || (name == name_end && !quoted)) return nullptr;
  ScannedBlock block;
  block.label = {name, static_cast<size_t>(name_end - name)};
  block.is_quoted = quoted;
  uint64_t number;
  if (!quoted && ParseIrDecimal(block.label, ~uint32_t{0} >> 1, &number)) {
    block.label = {};
    block.number = static_cast<uint32_t>(number);
    next_slot_ = block.number + 1;
  }
  blocks_.push_back(block);
  in_block_ = true;
  in_switch_ = false;
  return p + 1;
}

void BlockScanner::ScanLoop(std::string_view line) {
  const size_t found = line.rfind(kLoopAttachment);
  if (found == line.npos) return;
  if (std::count(line.begin(), line.begin() + static_cast<ptrdiff_t>(found), '"') % 2 != 0) return;
  const std::optional<MetadataId> loop = ParseMetadataId(line.substr(found + kLoopAttachment.size()));
  if (loop.has_value()) blocks_.back().loop = loop;
}

void BlockScanner::ScanInstruction(std::string_view line) {
  if (!in_block_) {
    blocks_.push_back({});
    blocks_.back().number = next_slot_++;
    in_block_ = true;
  }
  ScanLoop(line);
  std::string_view rest = line;
  if (line[0] == '%') {
    size_t length = 1;
    while (length < line.size() && IsIrNameChar(line[length])) ++length;
    uint64_t number;
    if (ParseIrDecimal(line.substr(1, length - 1), ~uint32_t{0} >> 1, &number)) {
      next_slot_ = static_cast<uint32_t>(number) + 1;
    }
    const size_t equals = line.find('=', length);
    if (equals == line.npos) return;
    rest.remove_prefix(equals + 1);
    while (!rest.empty() && IsIrSpace(rest[0])) rest.remove_prefix(1);
  }
  size_t length = 0;
  while (length < rest.size() && IsIrNameChar(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  if (word == "switch") in_switch_ = true;
  if (in_switch_) {
    // The cases are in brackets, usually one per line.
    if (line.find(']') == line.npos) return;
    in_switch_ = false;
    in_block_ = false;
  } else if (IsTerminatorWord(word) || rest.find("to label ") != rest.npos) {
    in_block_ = false;
  }
}

void BlockScanner::Scan(std::string_view body) {
  const char* end = body.data() + body.size();
  const char* p = body.data() + 1;
  while (p < end) {
    p = SkipBlanks(p, end);
    if (p == end) break;
    const char* line_end = LineEnd(p, end);
    if (*p == '\n' || *p == ';' || *p == '#') {
      p = line_end + 1;
      continue;
    }
    if (*p == '}' && p + 1 == end) break;
    if (!in_switch_) {
      if (const char* behind = ScanLabel(p, line_end); behind != nullptr) {
        p = behind;
        continue;
      }
    }
    ScanInstruction({p, static_cast<size_t>(line_end - p)});
    p = line_end + 1;
  }
}

constexpr std::array<bool, 256> kIsMetadataMark = [] {
  std::array<bool, 256> table{};
  for (const char c : {'(', ')', '{', '}', '[', ']', '<', '>', '"', ';', '!'}) table[static_cast<uint8_t>(c)] = true;
  return table;
}();

constexpr std::array<bool, 256> kEndsRun = [] {
  std::array<bool, 256> table{};
  for (const char c : {'@', '"', ';', '#'}) table[static_cast<uint8_t>(c)] = true;
  return table;
}();

}  // namespace

const char* FindBodyEnd(const char* begin, const char* end, size_t indentation) {
  const char* found = FindBodyEndByLines(begin, end, indentation);
  return found != nullptr ? found : FindBodyEndByBrackets(begin, end);
}

const char* FindMetadataEnd(const char* begin, const char* end, absl::FunctionRef<void(const char*)> reference) {
  size_t depth = 0;
  for (const char* p = begin; p < end; ++p) {
    if (!kIsMetadataMark[static_cast<uint8_t>(*p)]) continue;
    switch (*p) {
      case '(':
      case '{':
      case '[':
      case '<':
        ++depth;
        break;
      case ')':
      case '}':
      case ']':
      case '>':
        if (depth == 0) return nullptr;
        if (--depth == 0) return p + 1;
        break;
      case '"': {
        const void* close = std::memchr(p + 1, '"', static_cast<size_t>(end - (p + 1)));
        if (close == nullptr) return nullptr;
        p = static_cast<const char*>(close);
        break;
      }
      case ';':
        p = LineEnd(p, end) - 1;
        break;
      case '!':
        if (p + 1 < end && p[1] >= '0' && p[1] <= '9') reference(p);
        break;
      default:
        break;
    }
  }
  return nullptr;
}

std::vector<ScannedBlock> ScanBlocks(std::string_view body, uint32_t first_slot) {
  BlockScanner scanner(first_slot);
  if (!body.empty()) scanner.Scan(body);
  return scanner.Take();
}

void ScanMentions(std::string_view text, absl::FunctionRef<void(const GlobalMention&)> mention) {
  if (text.empty()) return;
  const char* p = text.data();
  const char* end = p + text.size();
  const auto report = [&](const char* first, const char* last, const char* after, bool is_quoted) {
    mention({.name = {first, static_cast<size_t>(last - first)},
             .is_quoted = is_quoted,
             .is_callee = after < end && *after == '('});
  };
  const char* at = p;     // the next '@' from p on, or the end
  const char* quote = p;  // the next '"'
  while (true) {
    // Goes on to the next line with a name or a string. Most lines have neither.
    if (at <= p) at = Find('@', p, end);
    if (at == end) return;
    if (quote <= p) quote = Find('"', p, end);
    p = LineStart(p, std::min(at, quote));
    // Scans this line. A string may continue in later ones.
    while (p < end && *p != '\n') {
      if (!kEndsRun[static_cast<uint8_t>(*p)]) {
        ++p;
      } else if (*p == ';') {
        p = LineEnd(p, end);
      } else if (*p == '#') {
        // Debug records mention values without using them.
        p = StartsWith(p, end, "#dbg_") ? LineEnd(p, end) : p + 1;
      } else if (*p == '"' || (p + 1 < end && p[1] == '"')) {
        const bool is_name = *p == '@';
        const char* first = is_name ? p + 2 : p + 1;
        const char* last = Find('"', first, end);
        if (last == end) return;
        p = last + 1;
        if (is_name) report(first, last, p, /*is_quoted=*/true);
      } else {
        const char* first = ++p;
        while (p < end && IsIrNameChar(*p)) ++p;
        if (p > first) report(first, p, p, /*is_quoted=*/false);
      }
    }
    if (p < end) ++p;
  }
}

void ScanLoopMetadata(std::string_view body, absl::FunctionRef<void(MetadataId)> loop) {
  for (size_t at = body.find(kLoopAttachment); at != body.npos; at = body.find(kLoopAttachment, at)) {
    at += kLoopAttachment.size();
    if (const std::optional<MetadataId> number = ParseMetadataId(body.substr(at))) loop(*number);
  }
}

}  // namespace ptxmir
