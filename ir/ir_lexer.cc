// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_lexer.h"

#include <cstring>

#include "ir/ir_text.h"

namespace ptxmir {
namespace {

const char* SkipNameChars(const char* p, const char* end) {
  while (p < end && IsIrNameChar(*p)) ++p;
  return p;
}

const char* SkipDigits(const char* p, const char* end) {
  while (p < end && IsIrDigit(*p)) ++p;
  return p;
}

}  // namespace

void IrLexer::Finish(IrToken::Kind kind, const char* begin, const char* end) {
  token_.kind = kind;
  token_.is_number = false;
  token_.has_escapes = false;
  token_.text = {begin, static_cast<size_t>(end - begin)};
  token_.value = token_.text;
  next_ = end;
}

void IrLexer::Fail(const char* begin, const char* end, std::string_view error) {
  Finish(IrToken::Kind::kError, begin, end);
  error_ = error;
}

void IrLexer::Advance() {
  if (token_.text.data() != nullptr) previous_end_ = token_.end();
  SkipSpace();
  Lex();
}

void IrLexer::JumpTo(const char* position) {
  next_ = position;
  SkipSpace();
  Lex();
}

void IrLexer::SkipSpace() {
  while (next_ < end_) {
    if (IsIrSpace(*next_)) {
      ++next_;
    } else if (*next_ == ';') {
      const void* newline = std::memchr(next_, '\n', static_cast<size_t>(end_ - next_));
      next_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
    } else {
      return;
    }
  }
}

void IrLexer::Lex() {
  if (next_ == end_) {
    Finish(IrToken::Kind::kEnd, end_, end_);
    return;
  }
  const char c = *next_;
  switch (c) {
    case '@':
      LexSigil(IrToken::Kind::kGlobal);
      return;
    case '%':
      LexSigil(IrToken::Kind::kLocal);
      return;
    case '$':
      LexSigil(IrToken::Kind::kComdat);
      return;
    case '!':
      LexMetadata();
      return;
    case '#': {
      const char* end = SkipDigits(next_ + 1, end_);
      if (end == next_ + 1) {
        Finish(IrToken::Kind::kPunctuation, next_, end);
        return;
      }
      const char* begin = next_;
      Finish(IrToken::Kind::kAttributeGroup, begin, end);
      token_.value.remove_prefix(1);
      return;
    }
    case '"':
      LexQuoted(next_, next_, IrToken::Kind::kString);
      return;
    case '.':
      if (end_ - next_ >= 3 && next_[1] == '.' && next_[2] == '.') {
        Finish(IrToken::Kind::kEllipsis, next_, next_ + 3);
        return;
      }
      LexWord();
      return;
    default:
      break;
  }
  if (IsIrDigit(c) || ((c == '-' || c == '+') && next_ + 1 < end_ && IsIrDigit(next_[1]))) {
    LexNumber();
  } else if (c == 'c' && next_ + 1 < end_ && next_[1] == '"') {
    LexQuoted(next_, next_ + 1, IrToken::Kind::kCString);
  } else if (IsIrNameStart(c)) {
    LexWord();
  } else {
    Finish(IrToken::Kind::kPunctuation, next_, next_ + 1);
  }
}

void IrLexer::LexSigil(IrToken::Kind kind) {
  const char* begin = next_;
  const char* name = begin + 1;
  if (name < end_ && *name == '"') {
    LexQuoted(begin, name, kind);
    return;
  }
  if (name < end_ && IsIrDigit(*name)) {
    const char* end = SkipDigits(name, end_);
    Finish(kind, begin, end);
    token_.is_number = true;
    token_.value.remove_prefix(1);
    return;
  }
  const char* end = SkipNameChars(name, end_);
  if (end == name) {
    Fail(begin, name, "expected a name");
    return;
  }
  Finish(kind, begin, end);
  token_.value.remove_prefix(1);
}

void IrLexer::LexQuoted(const char* begin, const char* quote, IrToken::Kind kind) {
  const char* first = quote + 1;
  const void* close = std::memchr(first, '"', static_cast<size_t>(end_ - first));
  if (close == nullptr) {
    Fail(begin, end_, "end of file in string constant");
    return;
  }
  const char* last = static_cast<const char*>(close);
  Finish(kind, begin, last + 1);
  token_.value = {first, static_cast<size_t>(last - first)};
  token_.has_escapes = std::memchr(first, '\\', token_.value.size()) != nullptr;
}

void IrLexer::LexMetadata() {
  const char* begin = next_;
  const char* name = begin + 1;
  if (name < end_ && IsIrDigit(*name)) {
    Finish(IrToken::Kind::kMetadataNumber, begin, SkipDigits(name, end_));
    token_.value.remove_prefix(1);
    return;
  }
  const char* p = name;
  bool has_escapes = false;
  while (p < end_ && (IsIrNameChar(*p) || *p == '\\')) {
    has_escapes |= *p == '\\';
    ++p;
  }
  if (p == name) {
    Finish(IrToken::Kind::kPunctuation, begin, name);
    return;
  }
  Finish(IrToken::Kind::kMetadataName, begin, p);
  token_.value.remove_prefix(1);
  token_.has_escapes = has_escapes;
}

void IrLexer::LexNumber() {
  const char* begin = next_;
  const char* p = begin;
  if (p[0] == '0' && p + 1 < end_ && p[1] == 'x') {
    p += 2;
    // A letter selects the format: K, L, M, H or R.
    if (p < end_ && (*p == 'K' || *p == 'L' || *p == 'M' || *p == 'H' || *p == 'R')) ++p;
    const char* digits = p;
    while (p < end_ && HexValue(*p) >= 0) ++p;
    if (p == digits) {
      Fail(begin, p, "expected hexadecimal digits");
      return;
    }
    Finish(IrToken::Kind::kFloat, begin, p);
    return;
  }
  p = SkipDigits(p + 1, end_);
  if (p == end_ || *p != '.') {
    Finish(*begin == '+' ? IrToken::Kind::kError : IrToken::Kind::kInteger, begin, p);
    if (*begin == '+') error_ = "expected a number";
    return;
  }
  p = SkipDigits(p + 1, end_);
  if (p < end_ && (*p == 'e' || *p == 'E')) {
    const char* exponent = p + 1;
    if (exponent < end_ && (*exponent == '-' || *exponent == '+')) ++exponent;
    if (exponent < end_ && IsIrDigit(*exponent)) p = SkipDigits(exponent, end_);
  }
  Finish(IrToken::Kind::kFloat, begin, p);
}

void IrLexer::LexWord() {
  const char* begin = next_;
  Finish(IrToken::Kind::kWord, begin, SkipNameChars(begin, end_));
}

}  // namespace ptxmir
