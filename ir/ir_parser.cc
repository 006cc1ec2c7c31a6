// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_parser.h"

#include "base/str_cat.h"
#include "ir/ir_text.h"

namespace ptxmir {

bool IrParser::ErrorAt(const char* position, std::string message) {
  // If the text is not a token at all, the lexer's message is better than "expected ...".
  if (token().kind == IrToken::Kind::kError && position == token().begin()) {
    message = std::string(lexer_.error());
  }
  error_(position, std::move(message));
  return false;
}

bool IrParser::TryPunctuation(char c) {
  if (!token().Is(c)) return false;
  lexer_.Advance();
  return true;
}

bool IrParser::TryWord(std::string_view word) {
  if (!token().IsWord(word)) return false;
  lexer_.Advance();
  return true;
}

bool IrParser::ExpectPunctuation(char c, std::string_view where) {
  if (TryPunctuation(c)) return true;
  return Error(StrCat("expected '", std::string(1, c), "'", where.empty() ? "" : " ", where));
}

bool IrParser::ExpectWord(std::string_view word, std::string_view message) {
  if (TryWord(word)) return true;
  return Error(std::string(message));
}

std::string_view IrParser::Unescaped(const IrToken& token) {
  return token.has_escapes ? module_.CopyString(UnescapeIrString(token.value)) : token.value;
}

bool IrParser::ParseUnsigned(uint64_t max, std::string_view message, uint64_t* value) {
  if (token().kind != IrToken::Kind::kInteger || token().text[0] == '-') {
    return Error(std::string(message));
  }
  if (!ParseIrDecimal(token().text, max, value)) return Error("integer value is too large");
  lexer_.Advance();
  return true;
}

bool IrParser::ParseString(std::string_view message, std::string_view* value) {
  if (token().kind != IrToken::Kind::kString) return Error(std::string(message));
  *value = Unescaped(token());
  lexer_.Advance();
  return true;
}

bool IrParser::ParseOptionalAddressSpace(uint32_t* address_space) {
  *address_space = 0;
  if (!TryWord("addrspace")) return true;
  if (!ExpectPunctuation('(', "in address space")) return false;
  uint64_t number = 0;
  if (token().kind == IrToken::Kind::kString) {
    // "A", "G" and "P" stand for the address spaces of the data layout (alloca, globals, program).
    const DataLayout& layout = module_.data_layout();
    if (token().value == "A") {
      number = layout.alloca_address_space();
    } else if (token().value == "G") {
      number = layout.globals_address_space();
    } else if (token().value == "P") {
      number = layout.program_address_space();
    } else {
      return Error(StrCat("invalid symbolic addrspace '", token().value, "'"));
    }
    lexer_.Advance();
  } else if (!ParseUnsigned((1u << 24) - 1, "expected integer or string constant", &number)) {
    return false;
  }
  *address_space = static_cast<uint32_t>(number);
  return ExpectPunctuation(')', "in address space");
}

}  // namespace ptxmir
