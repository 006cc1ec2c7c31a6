// SPDX-License-Identifier: Apache-2.0

// A lexer for LLVM IR text. Tokens are views into the source.

#ifndef PTXMIR_IR_IR_LEXER_H_
#define PTXMIR_IR_IR_LEXER_H_

#include <cstdint>
#include <string_view>

namespace ptxmir {

struct IrToken {
  enum class Kind : uint8_t {
    kEnd,
    kError,           // `text` cannot be a token; see IrLexer::error()
    kWord,            // a keyword, type or opcode
    kInteger,         // 42, -7
    kFloat,           // 1.5e+00, 0x3FF0000000000000, 0xH3C00
    kGlobal,          // @name, @"name", @7
    kLocal,           // %name, %"name", %7
    kComdat,          // $name, $"name"
    kMetadataName,    // !name
    kMetadataNumber,  // !7
    kAttributeGroup,  // #7
    kString,          // "..."
    kCString,         // c"..."
    kEllipsis,        // ...
    kPunctuation,     // a single character
  };
  Kind kind = Kind::kEnd;
  // is_number: the name is a number (@7). has_escapes: the text of the name or string contains escapes.
  bool is_number = false;
  bool has_escapes = false;
  // The whole token.
  std::string_view text;
  // For names and strings: the text without sigil and quotes, still escaped. For other tokens: the text.
  std::string_view value;

  bool Is(char punctuation) const { return kind == Kind::kPunctuation && text[0] == punctuation; }
  bool IsWord(std::string_view word) const { return kind == Kind::kWord && text == word; }
  const char* begin() const { return text.data(); }
  const char* end() const { return text.data() + text.size(); }
};

class IrLexer {
 public:
  // `text` must outlive the tokens.
  explicit IrLexer(std::string_view text)
      : next_(text.data()), end_(text.data() + text.size()), previous_end_(text.data()) {
    Advance();
  }

  const IrToken& token() const { return token_; }
  // Returns the end of the token before the current one, which is the end of the entity that the parser has just
  // finished.
  const char* previous_end() const { return previous_end_; }
  const char* text_end() const { return end_; }
  void Advance();
  // Continues at `position`, which must be within the text.
  void JumpTo(const char* position);
  // Returns the error message if the token is kError.
  std::string_view error() const { return error_; }

 private:
  void SkipSpace();
  void Lex();
  void LexSigil(IrToken::Kind kind);
  void LexQuoted(const char* begin, const char* quote, IrToken::Kind kind);
  void LexMetadata();
  void LexNumber();
  void LexWord();
  void Finish(IrToken::Kind kind, const char* begin, const char* end);
  void Fail(const char* begin, const char* end, std::string_view error);

  const char* next_;
  const char* end_;
  const char* previous_end_;
  IrToken token_;
  std::string_view error_;
};

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_LEXER_H_
