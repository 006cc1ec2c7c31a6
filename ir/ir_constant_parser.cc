// SPDX-License-Identifier: Apache-2.0

// The part of IrParser that parses constants.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

using ConstantOpcode = IrConstant::Opcode;

constexpr std::pair<std::string_view, ConstantOpcode> kOpcodeWords[] = {
    {"getelementptr", ConstantOpcode::kGetElementPtr},
    {"addrspacecast", ConstantOpcode::kAddrSpaceCast},
    {"ptrtoint", ConstantOpcode::kPtrToInt},
    {"ptrtoaddr", ConstantOpcode::kPtrToAddr},
    {"inttoptr", ConstantOpcode::kIntToPtr},
    {"bitcast", ConstantOpcode::kBitcast},
    {"trunc", ConstantOpcode::kTrunc},
    {"zext", ConstantOpcode::kZExt},
    {"sext", ConstantOpcode::kSExt},
    {"fptrunc", ConstantOpcode::kFpTrunc},
    {"fpext", ConstantOpcode::kFpExt},
    {"fptoui", ConstantOpcode::kFpToUi},
    {"fptosi", ConstantOpcode::kFpToSi},
    {"uitofp", ConstantOpcode::kUiToFp},
    {"sitofp", ConstantOpcode::kSiToFp},
    {"add", ConstantOpcode::kAdd},
    {"sub", ConstantOpcode::kSub},
    {"mul", ConstantOpcode::kMul},
    {"udiv", ConstantOpcode::kUDiv},
    {"sdiv", ConstantOpcode::kSDiv},
    {"urem", ConstantOpcode::kURem},
    {"srem", ConstantOpcode::kSRem},
    {"shl", ConstantOpcode::kShl},
    {"lshr", ConstantOpcode::kLShr},
    {"ashr", ConstantOpcode::kAShr},
    {"and", ConstantOpcode::kAnd},
    {"or", ConstantOpcode::kOr},
    {"xor", ConstantOpcode::kXor},
    {"extractelement", ConstantOpcode::kExtractElement},
    {"insertelement", ConstantOpcode::kInsertElement},
    {"shufflevector", ConstantOpcode::kShuffleVector},
    {"icmp", ConstantOpcode::kICmp},
    {"fcmp", ConstantOpcode::kFCmp},
    {"select", ConstantOpcode::kSelect},
};

bool IsCast(ConstantOpcode opcode) {
  return opcode >= ConstantOpcode::kTrunc && opcode <= ConstantOpcode::kAddrSpaceCast;
}
bool IsBinary(ConstantOpcode opcode) { return opcode >= ConstantOpcode::kAdd && opcode <= ConstantOpcode::kXor; }

// Returns true if an array or vector of such elements can be stored as an array of words.
bool IsWordElement(const IrType* type) {
  switch (type->kind()) {
    case IrType::Kind::kInteger:
      return type->integer_width() <= 64;
    case IrType::Kind::kHalf:
    case IrType::Kind::kBFloat:
    case IrType::Kind::kFloat:
    case IrType::Kind::kDouble:
      return true;
    default:
      return false;
  }
}

}  // namespace

ConstantOpcode FindConstantOpcode(std::string_view word) {
  for (const auto& [name, opcode] : kOpcodeWords) {
    if (name == word) return opcode;
  }
  return ConstantOpcode::kNone;
}

std::string_view OpcodeName(ConstantOpcode opcode) {
  for (const auto& [name, value] : kOpcodeWords) {
    if (value == opcode) return name;
  }
  return {};
}

template <typename T>
absl::Span<const T> IrParser::CopyToArena(absl::Span<const T> values) {
  if (values.empty()) return {};
  T* copy = static_cast<T*>(module_.arena()->allocate(values.size() * sizeof(T), alignof(T)));
  std::copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

IrConstant* IrParser::NewConstant(IrConstant::Kind kind, const IrType* type) {
  IrConstant* constant = new (module_.arena()->allocate(sizeof(IrConstant), alignof(IrConstant))) IrConstant();
  constant->kind = kind;
  constant->type = type;
  return constant;
}

bool IrParser::ExpectType(const char* position, const IrType* actual, const IrType* expected, std::string_view what) {
  if (actual == expected) return true;
  return ErrorAt(position,
                 StrCat(what, ": got type '", actual->ToString(), "' but expected '", expected->ToString(), "'"));
}

const IrConstant* IrParser::ParseTypedConstant() {
  const IrType* type = ParseType();
  return type == nullptr ? nullptr : ParseConstant(type);
}

const IrConstant* IrParser::ParseConstant(const IrType* type) {
  const DepthGuard guard(*this);
  if (guard.too_deep()) {
    Error("constant is nested too deeply");
    return nullptr;
  }
  switch (token().kind) {
    case IrToken::Kind::kInteger:
    case IrToken::Kind::kFloat:
      return ParseNumberConstant(type);
    case IrToken::Kind::kCString:
      return ParseStringConstant(type);
    case IrToken::Kind::kGlobal:
      return ParseGlobalConstant(type);
    case IrToken::Kind::kWord:
      return ParseWordConstant(type);
    case IrToken::Kind::kPunctuation:
      if (TryPunctuation('[')) return ParseSequenceConstant(type, ']');
      if (TryPunctuation('{')) return ParseStructConstant(type, /*packed=*/false);
      if (TryPunctuation('<')) {
        if (TryPunctuation('{')) return ParseStructConstant(type, /*packed=*/true);
        return ParseSequenceConstant(type, '>');
      }
      break;
    default:
      break;
  }
  Error("expected value token");
  return nullptr;
}

const IrConstant* IrParser::ParseWordConstant(const IrType* type) {
  using Kind = IrConstant::Kind;
  const std::string_view word = token().text;
  if (word == "true" || word == "false" || word.substr(0, 3) == "u0x" || word.substr(0, 3) == "s0x") {
    return ParseNumberConstant(type);
  }
  if (word == "undef" || word == "poison" || word == "zeroinitializer") {
    lexer_.Advance();
    return NewConstant(word[0] == 'u' ? Kind::kUndef : word[0] == 'p' ? Kind::kPoison : Kind::kZeroInitializer, type);
  }
  if (word == "null") {
    if (!type->is_pointer()) {
      Error("null must be a pointer type");
      return nullptr;
    }
    lexer_.Advance();
    return NewConstant(Kind::kNullPointer, type);
  }
  if (word == "none") {
    lexer_.Advance();
    return NewConstant(Kind::kNoneToken, type);
  }
  if (word == "splat") return ParseSplat(type);
  if (word == "blockaddress") return ParseBlockAddress(type);
  if (word == "dso_local_equivalent") return ParseSpecialGlobal(type, Kind::kDsoLocalEquivalent);
  if (word == "no_cfi") return ParseSpecialGlobal(type, Kind::kNoCfi);
  if (word == "ptrauth") return ParsePtrAuth(type);
  const ConstantOpcode opcode = FindConstantOpcode(word);
  if (opcode == ConstantOpcode::kNone) {
    Error("expected value token");
    return nullptr;
  }
  return ParseExpression(type, opcode);
}

const IrConstant* IrParser::ParseStringConstant(const IrType* type) {
  const IrToken literal = token();
  const std::string_view bytes = Unescaped(literal);
  const IrType* own = module_.types().Array(module_.types().Integer(8), bytes.size());
  if (!ExpectType(literal.begin(), own, type, "constant expression type mismatch")) return nullptr;
  lexer_.Advance();
  IrConstant* constant = NewConstant(IrConstant::Kind::kString, type);
  constant->text = bytes;
  return constant;
}

// Parses the elements of an array or vector. As long as they are plain numbers, they are collected as words. The
// first element that is not a number converts the words read so far into constants.
const IrConstant* IrParser::ParseSequenceConstant(const IrType* type, char close) {
  const char* begin = token().begin();
  if (close == ']' ? !type->is_array() : !type->is_vector()) {
    Error(StrCat("constant expression type mismatch: got ", close == ']' ? "an array" : "a vector", " but expected '",
                 type->ToString(), "'"));
    return nullptr;
  }
  const IrType* element = type->element();
  std::vector<uint64_t> words;
  std::vector<const IrConstant*> operands;
  bool as_words = IsWordElement(element);
  std::string_view type_word;  // spelling of the element type, if it is a single word
  if (!token().Is(close)) {
    do {
      if (as_words && !type_word.empty() && token().text == type_word) {
        lexer_.Advance();
      } else {
        const IrToken first = token();
        const IrType* stated = ParseType();
        if (stated == nullptr) return nullptr;
        if (!ExpectType(first.begin(), stated, element, "element type mismatch")) return nullptr;
        if (first.kind == IrToken::Kind::kWord) type_word = first.text;
      }
      uint64_t word = 0;
      const LiteralResult result = as_words ? ParseScalarLiteral(element, &word) : LiteralResult::kNotLiteral;
      if (result == LiteralResult::kFailed) return nullptr;
      if (result == LiteralResult::kParsed) {
        words.push_back(word);
        continue;
      }
      if (as_words) {
        as_words = false;
        for (const uint64_t value : words) {
          IrConstant* number =
              NewConstant(element->is_integer() ? IrConstant::Kind::kInteger : IrConstant::Kind::kFloat, element);
          number->words = CopyToArena<uint64_t>({&value, 1});
          operands.push_back(number);
        }
      }
      const IrConstant* operand = ParseConstant(element);
      if (operand == nullptr) return nullptr;
      operands.push_back(operand);
    } while (TryPunctuation(','));
  }
  if (!ExpectPunctuation(close, close == ']' ? "at end of array constant" : "at end of constant")) {
    return nullptr;
  }
  const size_t count = as_words ? words.size() : operands.size();
  if (count != type->num_elements()) {
    ErrorAt(begin, StrCat("constant expression type mismatch: got ", count, " elements but expected '",
                          type->ToString(), "'"));
    return nullptr;
  }
  IrConstant* constant = NewConstant(as_words ? IrConstant::Kind::kData : IrConstant::Kind::kAggregate, type);
  constant->words = CopyToArena<uint64_t>(words);
  constant->operands = CopyToArena<const IrConstant*>(operands);
  return constant;
}

const IrConstant* IrParser::ParseStructConstant(const IrType* type, bool packed) {
  if (!type->is_struct()) {
    Error(StrCat("constant expression type mismatch: got a structure but expected '", type->ToString(), "'"));
    return nullptr;
  }
  if (type->is_packed() != packed) {
    Error("packed'ness of initializer and type don't match");
    return nullptr;
  }
  const char* begin = token().begin();
  std::vector<const IrConstant*> operands;
  if (!token().Is('}')) {
    do {
      const char* position = token().begin();
      const IrType* stated = ParseType();
      if (stated == nullptr) return nullptr;
      if (operands.size() < type->members().size() && stated != type->members()[operands.size()]) {
        ErrorAt(position,
                StrCat("element ", operands.size(), " of struct initializer doesn't match struct element type"));
        return nullptr;
      }
      const IrConstant* operand = ParseConstant(stated);
      if (operand == nullptr) return nullptr;
      operands.push_back(operand);
    } while (TryPunctuation(','));
  }
  if (!ExpectPunctuation('}', "at end of struct constant")) return nullptr;
  if (packed && !ExpectPunctuation('>', "at end of packed struct")) return nullptr;
  if (operands.size() != type->members().size()) {
    ErrorAt(begin, "initializer with struct type has wrong # elements");
    return nullptr;
  }
  IrConstant* constant = NewConstant(IrConstant::Kind::kAggregate, type);
  constant->operands = CopyToArena<const IrConstant*>(operands);
  return constant;
}

// Parses the name of a global. A global that is defined later is looked up after the whole text was read.
bool IrParser::ReferToGlobal(IrConstant* constant, bool check_type) {
  if (token().kind != IrToken::Kind::kGlobal) return Error("expected global value name");
  const IrToken name = token();
  const std::string_view unescaped = Unescaped(name);
  references_.push_back({constant, unescaped, name.is_number, name.begin(), check_type});
  lexer_.Advance();
  return true;
}

bool IrParser::ResolveGlobalReferences() {
  bool ok = true;
  for (const GlobalReference& reference : references_) {
    const GlobalValue* found = module_.FindGlobal(reference.name, reference.is_numbered);
    if (found == nullptr) {
      std::string name;
      if (reference.is_numbered) {
        name = StrCat("@", reference.name);
      } else {
        AppendIrName('@', reference.name, &name);
      }
      // Leave a constant that can be traversed.
      reference.constant->kind = IrConstant::Kind::kUndef;
      ok = ErrorAt(reference.position, StrCat("use of undefined value '", name, "'"));
      continue;
    }
    reference.constant->global = found->id();
    const IrType* type = reference.constant->type;
    if (reference.check_type && found->address_space != type->address_space()) {
      ok = ErrorAt(reference.position, StrCat("'@", found->name, "' defined with type '",
                                              module_.types().Pointer(found->address_space)->ToString(),
                                              "' but expected '", type->ToString(), "'"));
    }
  }
  references_.clear();
  return ok;
}

const IrConstant* IrParser::ParseGlobalConstant(const IrType* type) {
  if (!type->is_pointer()) {
    Error("global variable reference must have pointer type");
    return nullptr;
  }
  IrConstant* constant = NewConstant(IrConstant::Kind::kGlobal, type);
  return ReferToGlobal(constant, /*check_type=*/true) ? constant : nullptr;
}

const IrConstant* IrParser::ParseSpecialGlobal(const IrType* type, IrConstant::Kind kind) {
  lexer_.Advance();
  IrConstant* constant = NewConstant(kind, type);
  return ReferToGlobal(constant, /*check_type=*/false) ? constant : nullptr;
}

// Parses `blockaddress(@f, %block)`.
const IrConstant* IrParser::ParseBlockAddress(const IrType* type) {
  lexer_.Advance();
  IrConstant* constant = NewConstant(IrConstant::Kind::kBlockAddress, type);
  if (!ExpectPunctuation('(', "in block address expression") || !ReferToGlobal(constant, /*check_type=*/false) ||
      !ExpectPunctuation(',', "in block address expression")) {
    return nullptr;
  }
  if (token().kind != IrToken::Kind::kLocal) {
    Error("expected basic block name in blockaddress");
    return nullptr;
  }
  constant->text = Unescaped(token());
  if (token().is_number) constant->flags |= IrConstant::kNumberedBlock;
  lexer_.Advance();
  return ExpectPunctuation(')', "in block address expression") ? constant : nullptr;
}

// Parses `splat (T value)`.
const IrConstant* IrParser::ParseSplat(const IrType* type) {
  lexer_.Advance();
  if (!ExpectPunctuation('(', "after vector splat")) return nullptr;
  const char* position = token().begin();
  const IrConstant* element = ParseTypedConstant();
  if (element == nullptr || !ExpectPunctuation(')', "at end of vector splat")) return nullptr;
  if (!type->is_vector()) {
    ErrorAt(position, "vector splat must have a vector type");
    return nullptr;
  }
  if (!ExpectType(position, element->type, type->element(), "constant expression type mismatch")) {
    return nullptr;
  }
  IrConstant* constant = NewConstant(IrConstant::Kind::kSplat, type);
  constant->operands = CopyToArena<const IrConstant*>({&element, 1});
  return constant;
}

// Parses `ptrauth (ptr @f, i32 0, i64 1, ptr null)`.
const IrConstant* IrParser::ParsePtrAuth(const IrType* type) {
  lexer_.Advance();
  std::vector<const IrConstant*> operands;
  if (!ExpectPunctuation('(', "in constant ptrauth expression") || !ParseOperandList(')', &operands)) {
    return nullptr;
  }
  IrConstant* constant = NewConstant(IrConstant::Kind::kPtrAuth, type);
  constant->operands = CopyToArena<const IrConstant*>(operands);
  return constant;
}

bool IrParser::ParseOperandList(char close, std::vector<const IrConstant*>* operands) {
  do {
    // Older versions of getelementptr mark an index with inrange.
    TryWord("inrange");
    const IrConstant* operand = ParseTypedConstant();
    if (operand == nullptr) return false;
    operands->push_back(operand);
  } while (TryPunctuation(','));
  return ExpectPunctuation(close, "in constantexpr");
}

bool IrParser::ParseExpressionFlags(IrConstant* constant) {
  while (true) {
    if (TryWord("nuw")) {
      constant->flags |= IrConstant::kNuw;
    } else if (TryWord("nsw")) {
      constant->flags |= IrConstant::kNsw;
    } else if (TryWord("exact")) {
      constant->flags |= IrConstant::kExact;
    } else if (TryWord("inbounds")) {
      constant->flags |= IrConstant::kInBounds;
    } else if (TryWord("nusw")) {
      constant->flags |= IrConstant::kNusw;
    } else if (TryWord("inrange")) {
      if (!ParseInRange(constant)) return false;
    } else {
      return true;
    }
  }
}

// Parses `inrange(-16, 32)`.
bool IrParser::ParseInRange(IrConstant* constant) {
  if (!ExpectPunctuation('(', "in inrange")) return false;
  uint64_t bounds[2];
  for (int i = 0; i < 2; ++i) {
    if (i == 1 && !ExpectPunctuation(',', "in inrange")) return false;
    const bool negative = token().text.substr(0, 1) == "-";
    if (token().kind != IrToken::Kind::kInteger ||
        !ParseIrDecimal(token().text.substr(negative ? 1 : 0), ~uint64_t{0}, &bounds[i])) {
      return Error("expected integer");
    }
    if (negative) bounds[i] = 0 - bounds[i];
    lexer_.Advance();
  }
  constant->flags |= IrConstant::kInRange;
  constant->words = CopyToArena<uint64_t>(bounds);
  return ExpectPunctuation(')', "in inrange");
}

const IrConstant* IrParser::ParseExpression(const IrType* type, ConstantOpcode opcode) {
  const char* position = token().begin();
  lexer_.Advance();
  IrConstant* constant = NewConstant(IrConstant::Kind::kExpression, type);
  constant->opcode = opcode;
  if (!ParseExpressionFlags(constant)) return nullptr;
  if (opcode == ConstantOpcode::kICmp || opcode == ConstantOpcode::kFCmp) {
    if (token().kind != IrToken::Kind::kWord) {
      Error("expected cmp predicate (e.g. 'eq')");
      return nullptr;
    }
    constant->text = token().text;
    lexer_.Advance();
  }
  if (!ExpectPunctuation('(', IsCast(opcode) ? "after constantexpr cast" : "in constantexpr")) {
    return nullptr;
  }
  std::vector<const IrConstant*> operands;
  const IrType* result = nullptr;
  if (IsCast(opcode)) {
    const IrConstant* source = ParseTypedConstant();
    if (source == nullptr || !ExpectWord("to", "expected 'to' in constantexpr cast")) return nullptr;
    operands.push_back(source);
    result = ParseType();
    if (result == nullptr || !ExpectPunctuation(')', "at end of constantexpr cast")) return nullptr;
  } else {
    if (opcode == ConstantOpcode::kGetElementPtr) {
      constant->source_type = ParseType();
      if (constant->source_type == nullptr || !ExpectPunctuation(',', "after getelementptr's type")) {
        return nullptr;
      }
    }
    if (!ParseOperandList(')', &operands)) return nullptr;
  }
  constant->operands = CopyToArena<const IrConstant*>(operands);
  if (result == nullptr) result = ResultType(*constant);
  if (result == nullptr) {
    ErrorAt(position, StrCat("invalid operands of constant expression '", OpcodeName(opcode), "'"));
    return nullptr;
  }
  if (!ExpectType(position, result, type, "constant expression type mismatch")) return nullptr;
  return constant;
}

// Returns the type of an expression that is not a cast, or null if its operands do not fit.
const IrType* IrParser::ResultType(const IrConstant& constant) {
  const absl::Span<const IrConstant* const> operands = constant.operands;
  const auto is_vector_operand = [&](size_t i) { return operands[i]->type->is_vector(); };
  if (IsBinary(constant.opcode)) {
    const bool fits = operands.size() == 2 && operands[0]->type == operands[1]->type;
    return fits ? operands[0]->type : nullptr;
  }
  switch (constant.opcode) {
    case ConstantOpcode::kGetElementPtr: {
      const IrType* base = operands[0]->type;
      return base->is_pointer() || (base->is_vector() && base->element()->is_pointer()) ? base : nullptr;
    }
    case ConstantOpcode::kExtractElement:
      return operands.size() == 2 && is_vector_operand(0) ? operands[0]->type->element() : nullptr;
    case ConstantOpcode::kInsertElement:
      return operands.size() == 3 && is_vector_operand(0) ? operands[0]->type : nullptr;
    case ConstantOpcode::kShuffleVector:
      if (operands.size() != 3 || !is_vector_operand(0) || !is_vector_operand(2)) return nullptr;
      return module_.types().Vector(operands[0]->type->element(), operands[2]->type->num_elements(),
                                    operands[2]->type->is_scalable());
    case ConstantOpcode::kICmp:
    case ConstantOpcode::kFCmp: {
      if (operands.size() != 2 || operands[0]->type != operands[1]->type) return nullptr;
      const IrType* bit = module_.types().Integer(1);
      return is_vector_operand(0) ? module_.types().Vector(bit, operands[0]->type->num_elements()) : bit;
    }
    case ConstantOpcode::kSelect:
      return operands.size() == 3 && operands[1]->type == operands[2]->type ? operands[1]->type : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace ptxmir
