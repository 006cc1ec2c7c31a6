// SPDX-License-Identifier: Apache-2.0

// A recursive-descent parser of PTX statements: the parts of the PTX ISA's chapter 4 ("Syntax") that occur inside a
// function body. Texts are short (one template, one inline assembly), so the only state that is kept between
// statements is the registers that the open scopes declare.

#include "ptx/interpreter/code/statement.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <utility>

#include "base/str_cat.h"
#include "ptx/interpreter/code/special_registers.h"

namespace ptxmir::ptx {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Returns true for a selector of the parts of a register that a video instruction uses: "b0", "h1", "h32", "b7531".
bool IsSelector(std::string_view suffix) {
  return suffix.size() >= 2 && suffix.size() <= 5 && (suffix[0] == 'b' || suffix[0] == 'h') &&
         suffix.find_first_not_of("01234567", 1) == suffix.npos;
}

ScalarType::Kind KindOfPrefix(std::string_view prefix) {
  using Kind = ScalarType::Kind;
  if (prefix == "b") return Kind::kBits;
  if (prefix == "u") return Kind::kUnsigned;
  if (prefix == "s") return Kind::kSigned;
  if (prefix == "f") return Kind::kFloat;
  if (prefix == "bf") return Kind::kBFloat;
  return Kind::kNone;
}

// Returns true if the kind exists in the width. 1, 2 and 4 bits are widths of matrix elements.
bool IsWidthOf(ScalarType::Kind kind, unsigned bits) {
  switch (kind) {
    case ScalarType::Kind::kBits:
      return std::has_single_bit(bits) && bits <= 128 && bits != 2;
    case ScalarType::Kind::kUnsigned:
    case ScalarType::Kind::kSigned:
      return std::has_single_bit(bits) && bits <= 64 && bits > 1;
    case ScalarType::Kind::kFloat:
      return bits == 16 || bits == 32 || bits == 64;
    case ScalarType::Kind::kBFloat:
      return bits == 16;
    default:
      return false;
  }
}

// Returns the number that the text is, or 0. Leading zeros are not allowed: "x2" is not "x02".
unsigned PlainNumber(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && text[0] != '0' ? value : 0;
}

}  // namespace

// ---- Mnemonics and types.

Mnemonic::Mnemonic(std::string_view text) : text_(text) {
  size_t end = std::min(text.find('.'), text.size());
  base_ = text.substr(0, end);
  while (end < text.size()) {
    const size_t begin = end + 1;
    end = std::min(text.find('.', begin), text.size());
    parts_.push_back(text.substr(begin, end - begin));
  }
}

bool Mnemonic::Has(std::string_view part) const {
  return std::find(parts_.begin(), parts_.end(), part) != parts_.end();
}

ScalarType ParseScalarType(std::string_view part) {
  using Kind = ScalarType::Kind;
  if (part == "pred") return {Kind::kPred, 1, 1};
  ScalarType type;
  // The formats whose names contain an "x", or digits with another meaning.
  static constexpr std::pair<std::string_view, uint8_t> kFormats[] = {
      {"tf32", 32}, {"e4m3", 8}, {"e5m2", 8}, {"e2m3", 8}, {"e3m2", 8}, {"ue8m0", 8}, {"e2m1", 4}, {"ue4m3", 8},
  };
  std::string_view rest;
  for (const auto& [name, bits] : kFormats) {
    if (part.substr(0, name.size()) != name) continue;
    type = {Kind::kOther, bits, 1};
    rest = part.substr(name.size());
  }
  if (!type.is_valid()) {
    const size_t digits = part.find_first_of("0123456789");
    if (digits == part.npos) return {};
    const size_t end = std::min(part.find_first_not_of("0123456789", digits), part.size());
    const Kind kind = KindOfPrefix(part.substr(0, digits));
    const unsigned bits = PlainNumber(part.substr(digits, end - digits));
    if (kind == Kind::kNone || !IsWidthOf(kind, bits)) return {};
    type = {kind, static_cast<uint8_t>(bits), 1};
    rest = part.substr(end);
  }
  if (rest.empty()) return type;
  if (rest == "x2" || rest == "x4") {
    type.elements = static_cast<uint8_t>(rest[1] - '0');
    return type;
  }
  return {};
}

uint64_t FloatImmediate(const StatementOperand& operand, unsigned bits) {
  const uint64_t value = static_cast<uint64_t>(operand.value);
  if (operand.kind != StatementOperand::Kind::kFloat || operand.bits == bits) {
    return value;
  }
  if (bits == 64) {
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value))));
  }
  if (bits == 32) {
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
  }
  return value;
}

namespace {

// ---- The parser. Functions return false after Fail.

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { scopes_.emplace_back(); }

  absl::StatusOr<std::vector<Statement>> Run() {
    std::vector<Statement> statements;
    while (SkipBlanks() && at_ < text_.size()) {
      if (Accept(';')) continue;
      Statement statement;
      if (!ParseStatement(&statement)) break;
      statements.push_back(std::move(statement));
    }
    if (!error_.empty()) return absl::InvalidArgumentError(error_);
    return statements;
  }

 private:
  // Names that a .reg declares: "r", or "r0" to "r3" for "r<4>".
  struct Declared {
    std::string_view name;
    int64_t count = 0;  // 0: the name itself
  };

  bool Fail(std::string_view what) {
    if (!error_.empty()) return false;
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(std::min(at_, text_.size())), '\n');
    error_ = StrCat("line ", line, ": ", what);
    return false;
  }

  // ---- Characters.
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  // Skips blanks and comments. Returns false for an unterminated comment.
  bool SkipBlanks() {
    for (;;) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      if (Peek() != '/') return true;
      if (Peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (Peek(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) return Fail("comment without end");
        at_ = end + 2;
      } else {
        return true;
      }
    }
  }
  bool Accept(char c) {
    if (!SkipBlanks() || Peek() != c) return false;
    ++at_;
    return true;
  }
  bool Expect(char c) {
    if (Accept(c)) return true;
    return Fail(StrCat("expected '", std::string_view(&c, 1), "'", Found()));
  }
  std::string Found() const {
    if (at_ >= text_.size()) return " before the end";
    return StrCat(" before '", text_.substr(at_, 1), "'");
  }

  // Parses an identifier, empty if there is none. A '%' may only begin one.
  std::string_view Name() {
    if (!SkipBlanks() || !IsNameStart(Peek())) return {};
    const size_t begin = at_++;
    while (at_ < text_.size() && IsNameChar(text_[at_]) && text_[at_] != '%') ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // ---- Statements.
  bool ParseStatement(Statement* statement) {
    if (Accept('{')) {
      statement->kind = Statement::Kind::kOpen;
      scopes_.emplace_back();
      return true;
    }
    if (Accept('}')) {
      statement->kind = Statement::Kind::kClose;
      if (scopes_.size() == 1) return Fail("'}' without '{'");
      scopes_.pop_back();
      return true;
    }
    if (Peek() == '.') return ParseDirective(statement);
    if (Accept('@')) {
      statement->has_guard = true;
      statement->guard_negated = Accept('!');
      statement->guard = Name();
      if (statement->guard.empty()) {
        return Fail(StrCat("expected a predicate", Found()));
      }
    } else if (ParseLabel(statement)) {
      return true;
    }
    return error_.empty() && ParseInstruction(statement);
  }

  bool ParseLabel(Statement* statement) {
    const size_t begin = at_;
    const std::string_view name = Name();
    if (!name.empty() && Accept(':') && Peek() != ':') {
      statement->kind = Statement::Kind::kLabel;
      statement->mnemonic = Mnemonic(name);
      return true;
    }
    at_ = begin;
    return false;
  }

  bool ParseInstruction(Statement* statement) {
    if (!SkipBlanks()) return false;
    const size_t begin = at_;
    while (at_ < text_.size()) {
      if (IsNameChar(Peek()) && Peek() != '%') {
        ++at_;
      } else if (Peek() == '.' && IsNameChar(Peek(1))) {
        ++at_;
      } else if (Peek() == ':' && Peek(1) == ':') {
        at_ += 2;
      } else {
        break;
      }
    }
    if (at_ == begin || !IsNameStart(text_[begin])) {
      return Fail(StrCat("expected an instruction", Found()));
    }
    statement->mnemonic = Mnemonic(text_.substr(begin, at_ - begin));
    if (AtStatementEnd()) return EndStatement();
    is_call_ = statement->mnemonic.base() == "call";
    uint16_t group = 0;
    do {
      if (!ParseOperand(statement, &group)) return false;
    } while (Accept(','));
    return EndStatement();
  }

  bool AtStatementEnd() { return SkipBlanks() && (at_ >= text_.size() || Peek() == ';' || Peek() == '}'); }
  bool EndStatement() {
    if (!AtStatementEnd()) return Fail(StrCat("expected ';'", Found()));
    Accept(';');
    return true;
  }

  // ---- Directives.
  bool ParseDirective(Statement* statement) {
    const size_t begin = at_++;
    const std::string_view name = Name();
    if (name == "reg") return ParseRegisters(statement);
    statement->kind = Statement::Kind::kDeclaration;
    // Two directives end at the end of their line.
    const bool of_line = name == "loc" || name == "file";
    bool in_string = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') in_string = !in_string;
      if (!in_string && c == (of_line ? '\n' : ';')) break;
    }
    statement->mnemonic = Mnemonic(text_.substr(begin, at_ - begin));
    if (at_ < text_.size()) ++at_;
    return true;
  }

  bool ParseRegisters(Statement* statement) {
    statement->kind = Statement::Kind::kRegisters;
    if (!Expect('.')) return false;
    const std::string_view type = Name();
    statement->type = ParseScalarType(type);
    if (!statement->type.is_valid()) {
      return Fail(StrCat("unknown type of registers '.", type, "'"));
    }
    do {
      StatementOperand operand;
      operand.kind = StatementOperand::Kind::kRegister;
      operand.group = static_cast<uint16_t>(statement->operands.size());
      operand.name = Name();
      if (operand.name.empty()) return Fail(StrCat("expected a name", Found()));
      if (Accept('<')) {
        StatementOperand count;
        if (!ParseNumber(&count) || !Expect('>')) return false;
        if (count.kind != StatementOperand::Kind::kImmediate || count.value < 1 || count.value > kMaxRegisters) {
          return Fail("a number of registers that makes no sense");
        }
        operand.value = count.value;
      }
      scopes_.back().push_back({operand.name, operand.value});
      statement->operands.push_back(operand);
    } while (Accept(','));
    return EndStatement();
  }

  bool IsDeclared(std::string_view name) const {
    for (const std::vector<Declared>& scope : scopes_) {
      for (const Declared& declared : scope) {
        if (declared.count == 0 ? declared.name == name : IsOneOf(declared, name)) {
          return true;
        }
      }
    }
    return false;
  }
  static bool IsOneOf(const Declared& family, std::string_view name) {
    if (name.size() <= family.name.size() || name.substr(0, family.name.size()) != family.name) {
      return false;
    }
    const std::string_view digits = name.substr(family.name.size());
    int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    return error == std::errc() && stop == end && digits[0] != '-' && number < family.count &&
           (digits.size() == 1 || digits[0] != '0');
  }

  // ---- Operands.
  bool ParseOperand(Statement* statement, uint16_t* group) {
    if (group_overflow(*group)) return Fail("too many operands");
    if (Accept('{')) return ParseList(statement, (*group)++, '}');
    if (is_call_ && Accept('(')) return ParseList(statement, (*group)++, ')');
    if (Accept('[')) return ParseBracket(statement, group);
    StatementOperand operand;
    operand.group = (*group)++;
    if (!ParseSimple(&operand)) return false;
    statement->operands.push_back(operand);
    if (!Accept('|')) return true;
    StatementOperand second;
    second.group = operand.group;
    second.after_bar = true;
    if (!ParseSimple(&second)) return false;
    statement->operands.push_back(second);
    return true;
  }
  static bool group_overflow(uint16_t group) { return group >= std::numeric_limits<uint16_t>::max() - 2; }

  // Parses the rest of a vector, or of a list of a call.
  bool ParseList(Statement* statement, uint16_t group, char close, bool in_bracket = false) {
    if (Accept(close)) return true;
    do {
      StatementOperand operand;
      operand.group = group;
      operand.in_bracket = in_bracket;
      (close == '}' ? operand.in_braces : operand.in_parens) = true;
      if (!ParseSimple(&operand)) return false;
      statement->operands.push_back(operand);
    } while (Accept(','));
    return Expect(close);
  }

  // Parses the rest of "[a+b]" or "[a, b, {c, d}]".
  bool ParseBracket(Statement* statement, uint16_t* group) {
    const size_t first = statement->operands.size();
    size_t items = 0;
    do {
      ++items;
      if (group_overflow(*group)) return Fail("too many operands");
      if (Accept('{')) {
        if (!ParseList(statement, (*group)++, '}', /*in_bracket=*/true)) return false;
        continue;
      }
      StatementOperand operand;
      operand.group = (*group)++;
      operand.in_bracket = true;
      if (!ParseAddress(&operand)) return false;
      statement->operands.push_back(operand);
    } while (Accept(','));
    if (!Expect(']')) return false;
    if (items == 1 && statement->operands.size() == first + 1 && !statement->operands[first].in_braces) {
      MakeAddress(&statement->operands[first]);
      statement->operands[first].in_bracket = false;
    }
    return true;
  }

  static void MakeAddress(StatementOperand* operand) {
    operand->register_base |= operand->is_register();
    operand->kind = StatementOperand::Kind::kAddress;
  }

  // Parses "name", "name + number" or "number". A sum with a register becomes an address.
  bool ParseAddress(StatementOperand* operand) {
    if (!ParseSimple(operand)) return false;
    if (operand->is_register() && SkipBlanks() && (Peek() == '+' || Peek() == '-')) {
      if (!ParseAddend(operand)) return false;
      MakeAddress(operand);
    }
    return true;
  }

  // Parses "+ 4", "- 4" or "+-4" after a name.
  bool ParseAddend(StatementOperand* operand) {
    while (SkipBlanks() && (Peek() == '+' || Peek() == '-')) {
      const bool minus = text_[at_++] == '-';
      StatementOperand addend;
      if (!ParseProduct(&addend)) return false;
      if (addend.kind != StatementOperand::Kind::kImmediate) {
        return Fail("expected an integer");
      }
      const uint64_t value = static_cast<uint64_t>(addend.value);
      operand->value = static_cast<int64_t>(static_cast<uint64_t>(operand->value) + (minus ? 0 - value : value));
    }
    return error_.empty();
  }

  bool ParseSimple(StatementOperand* operand) {
    if (!SkipBlanks()) return false;
    if (Peek() == '!') {
      ++at_;
      operand->negated = true;
      if (!SkipBlanks()) return false;
    }
    if (Peek() == '-' && IsNameStart(Peek(1))) {
      ++at_;
      operand->negated = true;
    }
    if (IsNameStart(Peek())) return ParseNamed(operand);
    return ParseSum(operand);
  }

  bool ParseNamed(StatementOperand* operand) {
    const size_t begin = at_;
    operand->name = Name();
    if (operand->name == "_") {
      operand->kind = StatementOperand::Kind::kSink;
      operand->name = {};
      return true;
    }
    if (operand->name == "WARP_SZ") {
      operand->kind = StatementOperand::Kind::kImmediate;
      operand->value = 32;
      operand->name = {};
      return true;
    }
    const bool is_register =
        IsDeclared(operand->name) || (operand->name[0] == '%' && !IsSpecialRegister(operand->name));
    operand->kind = is_register ? StatementOperand::Kind::kRegister : StatementOperand::Kind::kSymbol;
    if (Peek() == '.') {
      ++at_;
      const std::string_view suffix = Name();
      if (!is_register) {
        operand->name = text_.substr(begin, at_ - begin);
      } else if (IsSelector(suffix)) {
        operand->selector = suffix;
      } else {
        return Fail(StrCat("unknown part '.", suffix, "' of a register"));
      }
    }
    return is_register || ParseAddend(operand);
  }

  // ---- Constants: integers with + - * << >> ( ) and unary - ~, floats.
  bool ParseSum(StatementOperand* operand) {
    if (!ParseProduct(operand)) return false;
    while (SkipBlanks()) {
      const char c = Peek();
      const bool shift = (c == '<' || c == '>') && Peek(1) == c;
      if (c != '+' && c != '-' && !shift) return true;
      at_ += shift ? 2 : 1;
      StatementOperand right;
      if (!ParseProduct(&right) || !BothIntegers(*operand, right)) return false;
      const uint64_t a = static_cast<uint64_t>(operand->value);
      const uint64_t b = static_cast<uint64_t>(right.value);
      operand->value = static_cast<int64_t>(c == '+'   ? a + b
                                            : c == '-' ? a - b
                                            : b > 63   ? 0
                                            : c == '<' ? a << b
                                                       : a >> b);
    }
    return false;
  }
  bool ParseProduct(StatementOperand* operand) {
    if (!ParseNumber(operand)) return false;
    while (Accept('*')) {
      StatementOperand right;
      if (!ParseNumber(&right) || !BothIntegers(*operand, right)) return false;
      operand->value = static_cast<int64_t>(static_cast<uint64_t>(operand->value) * static_cast<uint64_t>(right.value));
    }
    return error_.empty();
  }
  bool BothIntegers(const StatementOperand& a, const StatementOperand& b) {
    return (a.kind == StatementOperand::Kind::kImmediate && b.kind == StatementOperand::Kind::kImmediate) ||
           Fail("a sum or product of what are no integers");
  }

  bool ParseNumber(StatementOperand* operand) {
    bool minus = false;
    bool invert = false;
    while (SkipBlanks() && (Peek() == '-' || Peek() == '+' || Peek() == '~')) {
      if (Peek() == '-') minus = !minus;
      if (Peek() == '~') {
        if (minus || invert) return Fail("expected a number");
        invert = true;
      }
      ++at_;
    }
    if (Accept('(')) {
      if (++depth_ > kMaxDepth) return Fail("parentheses nested too deeply");
      if (!ParseSum(operand) || !Expect(')')) return false;
      --depth_;
    } else if (!IsDigit(Peek()) && !(Peek() == '.' && IsDigit(Peek(1)))) {
      return Fail(StrCat("expected an operand", Found()));
    } else if (!ParseLiteral(operand)) {
      return false;
    }
    if (operand->kind == StatementOperand::Kind::kFloat) {
      if (invert) return Fail("'~' before a floating-point number");
      if (minus) operand->value ^= int64_t{1} << (operand->bits - 1);
      return true;
    }
    const uint64_t value = static_cast<uint64_t>(operand->value);
    operand->value = static_cast<int64_t>(invert ? ~value : value);
    if (minus) {
      operand->value = static_cast<int64_t>(0 - static_cast<uint64_t>(operand->value));
    }
    return true;
  }

  bool ParseLiteral(StatementOperand* operand) {
    const size_t begin = at_;
    const char letter = Peek() == '0' ? static_cast<char>(Peek(1) | 0x20) : '\0';
    if (letter == 'f' || letter == 'd') {
      const size_t digits = letter == 'f' ? 8 : 16;
      at_ += 2;
      uint64_t bits = 0;
      if (!Digits(16, &bits) || at_ - begin != digits + 2) {
        return Fail(StrCat("expected ", digits, " hexadecimal digits"));
      }
      operand->kind = StatementOperand::Kind::kFloat;
      operand->bits = static_cast<uint8_t>(digits * 4);
      operand->value = static_cast<int64_t>(bits);
      return true;
    }
    if (ParseDecimalFloat(operand)) return true;
    operand->kind = StatementOperand::Kind::kImmediate;
    uint64_t value = 0;
    int base = 10;
    if (letter == 'x' || letter == 'b') {
      at_ += 2;
      base = letter == 'x' ? 16 : 2;
    } else if (Peek() == '0') {
      base = 8;
    }
    if (!Digits(base, &value)) return Fail("an invalid number, or one that is too large");
    if (Peek() == 'U' || Peek() == 'u') ++at_;
    if (IsNameChar(Peek())) return Fail("a number followed by letters");
    operand->value = static_cast<int64_t>(value);
    return true;
  }

  bool Digits(int base, uint64_t* value) {
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), *value, base);
    at_ += static_cast<size_t>(end - begin);
    return error == std::errc();
  }

  // Parses digits with a point or an exponent.
  bool ParseDecimalFloat(StatementOperand* operand) {
    const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    if (end == text_.size()) return false;
    const char c = text_[end];
    if (c != '.' && c != 'e' && c != 'E') return false;
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    at_ += static_cast<size_t>(stop - begin);
    operand->kind = StatementOperand::Kind::kFloat;
    operand->bits = 64;
    operand->value = std::bit_cast<int64_t>(value);
    return true;
  }

  static constexpr int64_t kMaxRegisters = 1 << 20;
  static constexpr int kMaxDepth = 100;

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool is_call_ = false;
  std::vector<std::vector<Declared>> scopes_;
  std::string error_;
};

// Bases without a result, in addition to those whose first operand is an address.
constexpr std::string_view kWithoutResult[] = {
    "st",       "red",       "bra",           "brx",     "ret",        "exit",         "trap",     "brkpt",
    "fence",    "membar",    "nanosleep",     "pmevent", "setmaxnreg", "stackrestore", "cp",       "griddepcontrol",
    "prefetch", "prefetchu", "applypriority", "discard", "sust",       "sured",        "stmatrix",
};

// Returns true if a part says that this form has no result, for bases that have results in other forms.
bool IsFormWithoutResult(const Mnemonic& mnemonic) {
  const std::string_view base = mnemonic.base();
  if (base == "bar" || base == "barrier") return !mnemonic.Has("red");
  if (base == "wgmma") return !mnemonic.Has("mma_async");
  if (base == "wmma") return mnemonic.Has("store");
  if (base == "tcgen05") return !mnemonic.Has("ld");
  return false;
}

}  // namespace

absl::StatusOr<std::vector<Statement>> ParseStatements(std::string_view text) { return Parser(text).Run(); }

unsigned NumResultGroups(const Statement& statement) {
  if (statement.kind != Statement::Kind::kInstruction || statement.operands.empty()) {
    return 0;
  }
  const StatementOperand& first = statement.operands.front();
  const std::string_view base = statement.mnemonic.base();
  if (base == "call") return first.in_parens && first.group == 0 ? 1 : 0;
  if (first.kind == StatementOperand::Kind::kAddress || first.in_bracket) {
    return 0;
  }
  if (std::find(std::begin(kWithoutResult), std::end(kWithoutResult), base) != std::end(kWithoutResult)) {
    return 0;
  }
  return IsFormWithoutResult(statement.mnemonic) ? 0 : 1;
}

}  // namespace ptxmir::ptx
