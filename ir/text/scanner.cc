// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads characters, words and names.

#include <cstring>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/text/function_reader.h"

namespace ptxmir::ir {
namespace {

const char* SkipNameChars(const char* p) {
  while (IsIrNameChar(*p)) ++p;
  return p;
}

}  // namespace

bool FunctionReader::Error(const char* position, std::string message) {
  if (!had_error_) error_(position, std::move(message));
  had_error_ = true;
  return false;
}

void FunctionReader::SkipSpaceSlow() {
  while (true) {
    if (IsIrSpace(*p_)) {
      ++p_;
    } else if (*p_ == ';') {
      const void* newline = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
      p_ = newline == nullptr ? end_ - 1 : static_cast<const char*>(newline);
    } else {
      return;
    }
  }
}

bool FunctionReader::ErrorExpected(char c, std::string_view where) {
  return ErrorHere(StrCat("expected '", std::string(1, c), "' ", where));
}

std::string_view FunctionReader::PeekWord() {
  SkipSpace();
  return {p_, static_cast<size_t>(SkipNameChars(p_) - p_)};
}

bool FunctionReader::ParseUnsigned(uint64_t max, uint64_t* value) {
  SkipSpace();
  const char* end = p_;
  while (IsIrDigit(*end)) ++end;
  if (end == p_) return ErrorHere("expected integer");
  if (!ParseIrDecimal({p_, static_cast<size_t>(end - p_)}, max, value)) return ErrorHere("integer value is too large");
  p_ = end;
  return true;
}

bool FunctionReader::ParseQuoted(std::string_view* escaped) {
  SkipSpace();
  if (*p_ != '"') return ErrorHere("expected string constant");
  const char* first = p_ + 1;
  const void* close = std::memchr(first, '"', static_cast<size_t>(end_ - first));
  if (close == nullptr) return ErrorHere("end of file in string constant");
  *escaped = {first, static_cast<size_t>(static_cast<const char*>(close) - first)};
  p_ = static_cast<const char*>(close) + 1;
  return true;
}

bool FunctionReader::ParseNameSlow(Name* name, uint64_t max_number) {
  name->position = p_;
  ++p_;
  if (IsIrDigit(*p_)) {
    uint64_t number = 0;
    const char* digits = p_;
    do {
      number = number * 10 + static_cast<uint64_t>(*p_++ - '0');
    } while (IsIrDigit(*p_) && number < uint64_t{1} << 32);
    // Numbers are dense, or nearly so. A larger one than the function has bytes is damage.
    if (IsIrDigit(*p_) || number > max_number) {
      return Error(name->position, "the number of the value is too large");
    }
    name->is_number = true;
    name->number = static_cast<uint32_t>(number);
    name->text = {digits, static_cast<size_t>(p_ - digits)};
    return true;
  }
  name->is_number = false;
  if (*p_ == '"') {
    if (!ParseQuoted(&name->text)) return false;
    if (name->text.find('\\') != name->text.npos) name->text = module_.CopyString(UnescapeIrString(name->text));
    return true;
  }
  const char* last = SkipNameChars(p_);
  if (last == p_) return Error(name->position, "expected a name");
  name->text = {p_, static_cast<size_t>(last - p_)};
  p_ = last;
  return true;
}

std::string FunctionReader::Printed(const Name& name) const {
  if (name.is_number) return StrCat("%", name.number);
  std::string out;
  AppendIrName('%', name.text, &out);
  return out;
}

}  // namespace ptxmir::ir
