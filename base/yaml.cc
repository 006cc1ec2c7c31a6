// SPDX-License-Identifier: Apache-2.0

#include "base/yaml.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsBreak(char c) { return c == '\n' || c == '\r'; }
bool IsFlowIndicator(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Calls emit(character, source position) for every byte of the code point's UTF-8 encoding.
template <typename Emit>
void EmitUtf8(uint32_t code, const char* source, Emit&& emit) {
  if (code < 0x80) {
    emit(static_cast<char>(code), source);
  } else if (code < 0x800) {
    emit(static_cast<char>(0xc0 | (code >> 6)), source);
    emit(static_cast<char>(0x80 | (code & 0x3f)), source);
  } else if (code < 0x10000) {
    emit(static_cast<char>(0xe0 | (code >> 12)), source);
    emit(static_cast<char>(0x80 | ((code >> 6) & 0x3f)), source);
    emit(static_cast<char>(0x80 | (code & 0x3f)), source);
  } else {
    emit(static_cast<char>(0xf0 | ((code >> 18) & 7)), source);
    emit(static_cast<char>(0x80 | ((code >> 12) & 0x3f)), source);
    emit(static_cast<char>(0x80 | ((code >> 6) & 0x3f)), source);
    emit(static_cast<char>(0x80 | (code & 0x3f)), source);
  }
}

// Decodes the escape in a double-quoted scalar whose first character after the backslash is at `p`. Returns the
// end of the escape.
template <typename Emit>
const char* DecodeEscape(const char* p, const char* end, Emit&& emit) {
  const char* source = p - 1;
  const auto hex = [&](int digits) {
    uint32_t code = 0;
    ++p;
    for (int i = 0; i < digits && p < end && HexDigit(*p) >= 0; ++i, ++p) {
      code = code * 16 + static_cast<uint32_t>(HexDigit(*p));
    }
    EmitUtf8(code, source, emit);
    return p;
  };
  switch (*p) {
    case '0':
      emit('\0', source);
      return p + 1;
    case 'a':
      emit('\a', source);
      return p + 1;
    case 'b':
      emit('\b', source);
      return p + 1;
    case 't':
      emit('\t', source);
      return p + 1;
    case 'n':
      emit('\n', source);
      return p + 1;
    case 'v':
      emit('\v', source);
      return p + 1;
    case 'f':
      emit('\f', source);
      return p + 1;
    case 'r':
      emit('\r', source);
      return p + 1;
    case 'e':
      emit('\x1b', source);
      return p + 1;
    case '_':
      EmitUtf8(0xa0, source, emit);
      return p + 1;
    case 'N':
      EmitUtf8(0x85, source, emit);
      return p + 1;
    case 'L':
      EmitUtf8(0x2028, source, emit);
      return p + 1;
    case 'P':
      EmitUtf8(0x2029, source, emit);
      return p + 1;
    case 'x':
      return hex(2);
    case 'u':
      return hex(4);
    case 'U':
      return hex(8);
    default:
      emit(*p, source);
      return p + 1;
  }
}

// Folds line breaks within a plain or quoted scalar: a single one becomes a space, n of them become n - 1 line
// breaks. Blanks around them are dropped. Returns the position where the text continues.
template <typename Emit>
const char* FoldBreaks(const char* p, const char* end, Emit&& emit) {
  const char* source = p;
  int breaks = 0;
  while (p < end && (IsBlank(*p) || IsBreak(*p))) {
    if (*p == '\n') ++breaks;
    ++p;
  }
  if (breaks <= 1) emit(' ', source);
  for (; breaks > 1; --breaks) emit('\n', source);
  return p;
}

template <typename Emit>
void DecodeFlowScalar(const YamlScalar& scalar, Emit&& emit) {
  const char* p = scalar.raw.data();
  const char* end = p + scalar.raw.size();
  while (p < end) {
    if (IsBlank(*p) || IsBreak(*p)) {
      const char* q = p;
      while (q < end && IsBlank(*q)) ++q;
      if (q < end && IsBreak(*q)) {
        p = FoldBreaks(p, end, emit);
        continue;
      }
      while (p < q) {
        emit(*p, p);
        ++p;
      }
    } else if (scalar.style == YamlScalar::Style::kSingleQuoted && *p == '\'') {
      emit('\'', p);
      p += 2;
    } else if (scalar.style == YamlScalar::Style::kDoubleQuoted && *p == '\\' && p + 1 < end) {
      if (IsBreak(p[1])) {
        ++p;
        while (p < end && (IsBlank(*p) || IsBreak(*p))) ++p;
      } else {
        p = DecodeEscape(p + 1, end, emit);
      }
    } else {
      emit(*p, p);
      ++p;
    }
  }
}

template <typename Emit>
void DecodeBlockScalar(const YamlScalar& scalar, Emit&& emit) {
  const char* p = scalar.raw.data();
  const char* end = p + scalar.raw.size();
  while (p < end) {
    for (uint32_t i = 0; i < scalar.indent && p < end && *p == ' '; ++i) ++p;
    while (p < end && *p != '\n') {
      if (*p != '\r') emit(*p, p);
      ++p;
    }
    if (p < end) {
      // Folded scalars join lines. MIR has no folded scalars, so the rarer rules of folding are not implemented.
      emit(scalar.style == YamlScalar::Style::kFolded && p + 1 < end ? ' ' : '\n', p);
      ++p;
    }
  }
}

template <typename Emit>
void Decode(const YamlScalar& scalar, Emit&& emit) {
  if (scalar.is_block()) {
    DecodeBlockScalar(scalar, emit);
  } else {
    DecodeFlowScalar(scalar, emit);
  }
}

}  // namespace

std::string YamlScalar::Value() const {
  if (!needs_decoding) return std::string(raw);
  std::string value;
  Decode(*this, [&](char c, const char*) { value.push_back(c); });
  return value;
}

const char* YamlScalar::PositionOf(size_t offset) const {
  if (!needs_decoding) return raw.data() + std::min(offset, raw.size());
  const char* position = raw.data() + raw.size();
  size_t i = 0;
  Decode(*this, [&](char, const char* source) {
    if (i++ == offset) position = source;
  });
  return position;
}

// Documents.

bool YamlReader::AtDocumentMark(const char* p) const {
  if (p != line_start_ || end_ - p < 3) return false;
  if (std::memcmp(p, "---", 3) != 0 && std::memcmp(p, "...", 3) != 0) return false;
  return end_ - p == 3 || IsBlank(p[3]) || IsBreak(p[3]);
}

bool YamlReader::NextDocument() {
  indent_ = -1;
  in_sequence_ = false;
  flow_depth_ = 0;
  depth_ = 0;
  if (!started_) {
    started_ = true;
    if (end_ - p_ >= 3 && std::memcmp(p_, "\xef\xbb\xbf", 3) == 0) p_ += 3;
    line_start_ = p_;
  } else if (!AtDocumentMark(p_)) {
    // Skip the rest of the current document.
    while (true) {
      const void* newline = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
      if (newline == nullptr) {
        p_ = end_;
        return false;
      }
      p_ = static_cast<const char*>(newline) + 1;
      line_start_ = p_;
      if (AtDocumentMark(p_)) break;
    }
  }
  // The position is now at the beginning of the text or at a document mark.
  while (true) {
    if (SkipToContent()) return true;  // a document without a "---"
    if (p_ == end_) return false;
    const bool begins = *p_ == '-';
    p_ += 3;
    if (begins) return true;
  }
}

bool YamlReader::SkipToContent() {
  while (p_ < end_) {
    const char c = *p_;
    if (c == '\n') {
      line_start_ = ++p_;
      if (AtDocumentMark(p_)) return false;
    } else if (IsBlank(c) || c == '\r') {
      ++p_;
    } else if (c == '#' && (p_ == line_start_ || IsBlank(p_[-1]))) {
      const void* newline = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
      p_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
    } else {
      return !AtDocumentMark(p_);
    }
  }
  return false;
}

// Nodes.

bool YamlReader::FindNode() {
  while (p_ < end_ && IsBlank(*p_)) ++p_;
  if (p_ < end_ && !IsBreak(*p_) && *p_ != '#') {
    if (flow_depth_ > 0) return *p_ != ',' && *p_ != ']' && *p_ != '}';
    return !AtDocumentMark(p_);
  }
  const char* before = p_;
  const char* before_line = line_start_;
  if (SkipToContent()) {
    if (flow_depth_ > 0) return *p_ != ',' && *p_ != ']' && *p_ != '}';
    const int column = Column(p_);
    if (column > indent_) return true;
    // The elements of a sequence may start at the same column as the key.
    if (column == indent_ && !in_sequence_ && AtBlockElement()) return true;
  }
  // The next token does not belong to this node.
  p_ = before;
  line_start_ = before_line;
  return false;
}

bool YamlReader::Enter(const char* position) {
  if (++depth_ <= kMaxDepth) return true;
  Error(position, "nesting is too deep");
  return false;
}

bool YamlReader::IsKeyAhead(const char* p) const {
  if (*p == '"' || *p == '\'') {
    const char quote = *p++;
    while (p < end_ && *p != quote && !IsBreak(*p)) p += *p == '\\' && quote == '"' ? 2 : 1;
    if (p >= end_ || *p != quote) return false;
    ++p;
    while (p < end_ && IsBlank(*p)) ++p;
    return p < end_ && *p == ':';
  }
  for (; p < end_ && !IsBreak(*p); ++p) {
    if (*p == ':' && (p + 1 == end_ || IsBlank(p[1]) || IsBreak(p[1]))) return true;
    if (*p == '#' && IsBlank(p[-1])) return false;
  }
  return false;
}

bool YamlReader::AtMapping() {
  if (!FindNode()) return false;
  if (*p_ == '{') return true;
  return flow_depth_ == 0 && *p_ != '[' && *p_ != '|' && *p_ != '>' && !AtBlockElement() && IsKeyAhead(p_);
}

bool YamlReader::AtBlockElement() const {
  return flow_depth_ == 0 && *p_ == '-' && (p_ + 1 == end_ || IsBlank(p_[1]) || IsBreak(p_[1]));
}

bool YamlReader::AtSequence() { return FindNode() && (*p_ == '[' || AtBlockElement()); }

bool YamlReader::AtBlockScalar() { return FindNode() && flow_depth_ == 0 && (*p_ == '|' || *p_ == '>'); }

bool YamlReader::Fail(Collection& collection, const char* position, std::string message) {
  Error(position, std::move(message));
  collection.failed = true;
  return false;
}

bool YamlReader::BeginBlockCollection(Collection* collection) {
  collection->indent = Column(p_);
  collection->outer_indent = indent_;
  collection->outer_in_sequence = in_sequence_;
  indent_ = collection->indent;
  return true;
}

bool YamlReader::BeginMapping(Collection* collection) {
  if (!FindNode()) {
    collection->is_empty = true;
    return true;
  }
  if (!AtMapping()) {
    Error(p_, "not a mapping");
    collection->is_empty = true;
    return SkipNode();
  }
  if (!Enter(p_)) return false;
  if (*p_ == '{') {
    collection->is_flow = true;
    collection->close = '}';
    ++flow_depth_;
    ++p_;
    return true;
  }
  BeginBlockCollection(collection);
  in_sequence_ = false;
  return true;
}

bool YamlReader::BeginSequence(Collection* collection) {
  if (!FindNode()) {
    collection->is_empty = true;
    return true;
  }
  const bool is_block = AtBlockElement();
  if (!is_block && *p_ != '[') {
    Error(p_, "not a sequence");
    collection->is_empty = true;
    return SkipNode();
  }
  if (!Enter(p_)) return false;
  if (!is_block) {
    collection->is_flow = true;
    collection->close = ']';
    ++flow_depth_;
    ++p_;
    return true;
  }
  BeginBlockCollection(collection);
  in_sequence_ = true;
  return true;
}

bool YamlReader::End(const Collection& collection) {
  if (collection.failed) return false;
  if (collection.is_empty) return true;
  --depth_;
  if (collection.is_flow) {
    --flow_depth_;
  } else {
    indent_ = collection.outer_indent;
    in_sequence_ = collection.outer_in_sequence;
  }
  return true;
}

bool YamlReader::NextFlowEntry(Collection& collection) {
  const char* before = p_;
  if (!SkipToContent()) {
    return Fail(collection, before, StrCat("expected '", std::string(1, collection.close), "'"));
  }
  if (!collection.is_first) {
    if (*p_ == ',') {
      ++p_;
      if (!SkipToContent()) {
        return Fail(collection, p_, StrCat("expected '", std::string(1, collection.close), "'"));
      }
    } else if (*p_ != collection.close) {
      return Fail(collection, p_, StrCat("expected ',' or '", std::string(1, collection.close), "'"));
    }
  }
  collection.is_first = false;
  if (*p_ != collection.close) return true;
  ++p_;
  return false;
}

bool YamlReader::NextBlockEntry(Collection& collection) {
  if (collection.is_first) {
    collection.is_first = false;
    return true;
  }
  if (!SkipToContent()) return false;
  for (const char* p = line_start_; p < p_; ++p) {
    if (!IsBlank(*p)) return Fail(collection, p_, "unexpected text after a value");
  }
  const int column = Column(p_);
  if (column > collection.indent) return Fail(collection, p_, "unexpected indentation");
  return column == collection.indent;
}

bool YamlReader::NextElement(Collection& collection) {
  if (collection.is_empty || collection.failed) return false;
  if (collection.is_flow) {
    if (!NextFlowEntry(collection)) return false;
    if (*p_ == ',') return Fail(collection, p_, "expected a value");
    return true;
  }
  if (!NextBlockEntry(collection)) return false;
  if (*p_ != '-' || (p_ + 1 < end_ && !IsBlank(p_[1]) && !IsBreak(p_[1]))) {
    // At the same column as the parent mapping, this is the mapping's next key.
    if (collection.indent == collection.outer_indent) return false;
    return Fail(collection, p_, "expected '-'");
  }
  ++p_;
  return true;
}

bool YamlReader::NextKey(Collection& collection, YamlScalar* key) {
  if (collection.is_empty || collection.failed) return false;
  if (!(collection.is_flow ? NextFlowEntry(collection) : NextBlockEntry(collection))) return false;
  if (!ReadKey(key)) {
    collection.failed = true;
    return false;
  }
  return true;
}

bool YamlReader::ReadKey(YamlScalar* key) {
  if (*p_ == '"' || *p_ == '\'') {
    if (!ReadQuoted(key)) return false;
  } else if (!ReadPlainKey(key)) {
    return false;
  }
  while (p_ < end_ && IsBlank(*p_)) ++p_;
  if (p_ == end_ || *p_ != ':') {
    Error(p_, "expected ':' after a key");
    return false;
  }
  ++p_;
  return true;
}

bool YamlReader::ReadPlainKey(YamlScalar* key) {
  const char* begin = p_;
  while (p_ < end_ && !IsBreak(*p_)) {
    if (*p_ == ':' &&
        (p_ + 1 == end_ || IsBlank(p_[1]) || IsBreak(p_[1]) || (flow_depth_ > 0 && IsFlowIndicator(p_[1])))) {
      break;
    }
    if (flow_depth_ > 0 && IsFlowIndicator(*p_)) break;
    ++p_;
  }
  const char* last = p_;
  while (last > begin && IsBlank(last[-1])) --last;
  *key = {};
  key->raw = {begin, static_cast<size_t>(last - begin)};
  if (!key->raw.empty()) return true;
  Error(begin, "expected a key");
  return false;
}

// Scalars.

bool YamlReader::ReadScalar(YamlScalar* scalar) {
  *scalar = {};
  const char* before = p_;
  if (!FindNode()) {
    scalar->raw = {before, 0};
    return true;
  }
  switch (*p_) {
    case '"':
    case '\'':
      return ReadQuoted(scalar);
    case '|':
    case '>':
      if (flow_depth_ == 0) return ReadBlockScalar(scalar);
      break;
    case '{':
    case '[':
      Error(p_, "not a scalar");
      scalar->raw = {p_, 0};
      return SkipNode();
    default:
      break;
  }
  ReadPlain(scalar);
  return true;
}

bool YamlReader::ReadQuoted(YamlScalar* scalar) {
  const char quote = *p_;
  const char* begin = p_ + 1;
  const char* p = begin;
  bool needs_decoding = false;
  while (p < end_) {
    const char c = *p;
    if (c == quote) {
      if (quote == '"' || p + 1 == end_ || p[1] != '\'') break;
      needs_decoding = true;
      p += 2;
    } else if (c == '\\' && quote == '"') {
      needs_decoding = true;
      // After a backslash, the next iteration handles a line break.
      p += p + 1 < end_ && !IsBreak(p[1]) ? 2 : 1;
    } else if (c == '\n') {
      needs_decoding = true;
      line_start_ = ++p;
      if (AtDocumentMark(p)) break;
    } else {
      ++p;
    }
  }
  p_ = p < end_ ? p : end_;
  if (p_ == end_ || *p_ != quote) {
    Error(begin - 1, StrCat("expected a closing ", std::string(1, quote)));
    return false;
  }
  ++p_;
  *scalar = {};
  scalar->raw = {begin, static_cast<size_t>(p_ - 1 - begin)};
  scalar->style = quote == '"' ? YamlScalar::Style::kDoubleQuoted : YamlScalar::Style::kSingleQuoted;
  scalar->needs_decoding = needs_decoding;
  return true;
}

void YamlReader::ReadPlain(YamlScalar* scalar) {
  const char* begin = p_;
  const char* last = p_;  // the end of the last character that is not white space
  bool needs_decoding = false;
  while (true) {
    while (p_ < end_ && !IsBreak(*p_)) {
      const char c = *p_;
      if (c == ':' && (p_ + 1 == end_ || IsBlank(p_[1]) || IsBreak(p_[1]))) break;
      if (c == '#' && p_ > begin && IsBlank(p_[-1])) break;
      if (flow_depth_ > 0 && IsFlowIndicator(c)) break;
      if (!IsBlank(c)) last = p_ + 1;
      ++p_;
    }
    if (p_ == end_ || !IsBreak(*p_)) break;
    // The scalar continues on the next line if that line is indented more.
    const char* saved = p_;
    const char* saved_line = line_start_;
    if (SkipToContent() && *p_ != '#' &&
        (flow_depth_ > 0 ? !IsFlowIndicator(*p_) : Column(p_) > indent_ && !IsKeyAhead(p_))) {
      needs_decoding = true;
      continue;
    }
    p_ = saved;
    line_start_ = saved_line;
    break;
  }
  scalar->raw = {begin, static_cast<size_t>(last - begin)};
  scalar->style = YamlScalar::Style::kPlain;
  scalar->needs_decoding = needs_decoding;
}

bool YamlReader::ReadBlockScalar(YamlScalar* scalar) {
  scalar->style = *p_ == '|' ? YamlScalar::Style::kLiteral : YamlScalar::Style::kFolded;
  scalar->needs_decoding = true;
  ++p_;
  int indent = 0;
  for (; p_ < end_ && (*p_ == '+' || *p_ == '-' || (*p_ >= '1' && *p_ <= '9')); ++p_) {
    if (*p_ >= '1') indent = *p_ - '0' + std::max(indent_, 0);
  }
  while (p_ < end_ && (IsBlank(*p_) || *p_ == '\r')) ++p_;
  if (p_ < end_ && *p_ != '\n' && !(*p_ == '#' && IsBlank(p_[-1]))) {
    Error(p_, "expected a line break");
    return false;
  }
  const void* newline = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
  p_ = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
  const char* begin = p_;
  // `line` is the first line that might not belong to the scalar.
  const char* line = p_;
  while (line < end_) {
    const char* p = line;
    const char* limit = indent > 0 && end_ - line > indent ? line + indent : end_;
    while (p < limit && *p == ' ') ++p;
    if (p < end_ && (indent == 0 || p - line < indent) && !IsBreak(*p)) {
      if (indent == 0 && p - line > std::max(indent_, 0)) {
        indent = static_cast<int>(p - line);
      } else if (indent != 0 || indent_ >= 0 || p != line) {
        break;
      } else {
        line_start_ = line;
        if (AtDocumentMark(line)) break;
      }
    }
    newline = std::memchr(p, '\n', static_cast<size_t>(end_ - p));
    line = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
  }
  scalar->raw = {begin, static_cast<size_t>(line - begin)};
  scalar->indent = static_cast<uint32_t>(indent);
  p_ = line;
  line_start_ = line;
  return true;
}

bool YamlReader::SkipNode() {
  if (!FindNode()) return true;
  if (AtSequence()) {
    return ReadSequence([this] { return SkipNode(); });
  }
  if (AtMapping()) return ReadMapping([this](const YamlScalar&) { return SkipNode(); });
  YamlScalar scalar;
  return ReadScalar(&scalar);
}

bool YamlReader::SkipNodeVerbatim(std::string_view* text) {
  const char* begin = p_;
  if (!SkipNode()) return false;
  if (p_ != line_start_) {
    const void* newline = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
    const char* line_end = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
    *text = {begin, static_cast<size_t>(line_end - begin)};
  } else {
    *text = {begin, static_cast<size_t>(p_ - begin)};
  }
  return true;
}

// Conversions.

std::optional<bool> ParseYamlBool(const YamlScalar& scalar) {
  const std::string_view s = scalar.raw;
  if (s == "true" || s == "True" || s == "TRUE" || s == "yes" || s == "Yes" || s == "YES" || s == "on" || s == "On" ||
      s == "ON" || s == "y" || s == "Y") {
    return true;
  }
  if (s == "false" || s == "False" || s == "FALSE" || s == "no" || s == "No" || s == "NO" || s == "off" || s == "Off" ||
      s == "OFF" || s == "n" || s == "N") {
    return false;
  }
  return std::nullopt;
}

std::optional<uint64_t> ParseYamlUnsigned(const YamlScalar& scalar, uint64_t max) {
  std::string_view s = scalar.raw;
  int base = 10;
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    base = 16;
    s.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (error != std::errc() || rest != s.data() + s.size() || value > max) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseYamlSigned(const YamlScalar& scalar) {
  const std::string_view s = scalar.raw;
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || rest != s.data() + s.size()) return std::nullopt;
  return value;
}

}  // namespace ptxmir
