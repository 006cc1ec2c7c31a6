// SPDX-License-Identifier: Apache-2.0

// Reads the rare operands, all except registers and integers.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/str_cat.h"
#include "mir/text/mir_body_reader.h"

namespace ptxmir {

using mir_lexer::FindWord;
using mir_lexer::HasClass;
using mir_lexer::IsDigit;
using mir_lexer::IsEol;
using mir_lexer::IsIdentifier;
using mir_lexer::kBlankChar;
using mir_lexer::kIdentifierStart;
using mir_lexer::ScanHex;
using mir_lexer::ScanString;
using mir_lexer::ScanUnsigned;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::Spelling;
using mir_lexer::TextFrom;
using mir_lexer::Unescape;
using mir_lexer::Word;

namespace {

bool StartsWith(const char* p, const char* prefix) { return std::strncmp(p, prefix, std::strlen(prefix)) == 0; }

// Returns the bits of a double in a narrower binary format, or nullopt if the value is not exactly representable.
// NaNs keep the upper bits of their payload.
std::optional<uint64_t> NarrowDouble(uint64_t bits, int exponent_bits, int mantissa_bits) {
  constexpr int kMantissa = 52;
  if (mantissa_bits == kMantissa) return bits;
  const uint64_t sign = (bits >> 63) << (exponent_bits + mantissa_bits);
  const uint64_t mantissa = bits & ((uint64_t{1} << kMantissa) - 1);
  const int exponent = static_cast<int>((bits >> kMantissa) & 0x7ff);
  const uint64_t max_exponent = (uint64_t{1} << exponent_bits) - 1;
  const int dropped = kMantissa - mantissa_bits;
  if (exponent == 0x7ff) {
    const uint64_t payload = mantissa >> dropped;
    if (mantissa != 0 && payload == 0) return std::nullopt;
    if (mantissa & ((uint64_t{1} << dropped) - 1)) return std::nullopt;
    return sign | max_exponent << mantissa_bits | payload;
  }
  if (exponent == 0 && mantissa == 0) return sign;
  if (exponent == 0) return std::nullopt;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int target = exponent - 1023 + bias;
  if (target >= static_cast<int>(max_exponent)) return std::nullopt;
  if (target > 0) {
    if (mantissa & ((uint64_t{1} << dropped) - 1)) return std::nullopt;
    return sign | static_cast<uint64_t>(target) << mantissa_bits | mantissa >> dropped;
  }
  // The value is subnormal in the narrower format.
  const int shift = dropped + 1 - target;
  const uint64_t full = mantissa | uint64_t{1} << kMantissa;
  if (shift > kMantissa || (full & ((uint64_t{1} << shift) - 1))) return std::nullopt;
  return sign | full >> shift;
}

struct FPFormat {
  MachineOperand::FPWidth width;
  int exponent_bits;
  int mantissa_bits;
  char prefix;  // the letter of the form 0xH... that gives the format's own bits; 0: none
};

FPFormat FormatOf(Word word) {
  switch (word) {
    case Word::kHalf:
      return {MachineOperand::FPWidth::kHalf, 5, 10, 'H'};
    case Word::kBFloat:
      return {MachineOperand::FPWidth::kBFloat, 8, 7, 'R'};
    case Word::kFloat:
      return {MachineOperand::FPWidth::kFloat, 8, 23, 0};
    default:
      return {MachineOperand::FPWidth::kDouble, 11, 52, 0};
  }
}

constexpr std::string_view kIntPredicates[] = {"eq", "ne", "sgt", "sge", "slt", "sle", "ugt", "uge", "ult", "ule"};
constexpr std::string_view kFloatPredicates[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                                 "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};

}  // namespace

// Numbers.

const char* MirBodyReader::ReadInteger(const char* p, uint64_t max, const char* what, uint64_t* value) {
  if (!IsDigit(*p)) return Error(p, StrCat("expected ", what));
  const char* begin = p;
  bool overflow = false;
  p = ScanUnsigned(p, value, &overflow);
  if (overflow || *value > max) {
    return Error(begin,
                 max <= ~uint32_t{0} ? "expected 32-bit integer (too large)" : "expected 64-bit integer (too large)");
  }
  return p;
}

// Reads " + 8", " - 8" or nothing.
const char* MirBodyReader::ReadOffset(const char* p, int64_t* offset) {
  const char* sign = SkipSpace(p);
  if (*sign != '+' && *sign != '-') return p;
  const char* number = SkipSpace(sign + 1);
  if (!IsDigit(*number)) {
    return Error(number, StrCat("expected an integer literal after '", std::string(1, *sign), "'"));
  }
  uint64_t value = 0;
  bool overflow = false;
  p = ScanUnsigned(number, &value, &overflow);
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (overflow || value > limit + (*sign == '-' ? 1 : 0)) {
    return Error(number, "expected 64-bit integer (too large)");
  }
  *offset = static_cast<int64_t>(*sign == '-' ? -value : value);
  return p;
}

const char* MirBodyReader::SkipParentheses(const char* p) {
  int depth = 0;
  while (true) {
    if (IsEol(*p)) return Error(p, "expected ')'");
    if (*p == '"') {
      std::string_view raw;
      const char* rest = ScanString(p, &raw);
      if (rest == nullptr) {
        return Error(p, "end of machine instruction reached before the closing '\"'");
      }
      p = rest;
      continue;
    }
    if (*p == '(') ++depth;
    if (*p == ')' && --depth == 0) return p + 1;
    ++p;
  }
}

// Reads s32, p1, <4 x s16> or <vscale x 2 x p0>.
const char* MirBodyReader::ReadLowLevelType(const char* p, LowLevelType* type) {
  static constexpr char kExpected[] =
      "expected sN, pA, <M x sN>, <M x pA>, <vscale x M x sN>, or <vscale x M x pA> for GlobalISel type";
  const char* begin = p;
  const bool is_vector = *p == '<';
  uint64_t number = 0;
  if (is_vector) {
    p = SkipSpace(p + 1);
    if (StartsWith(p, "vscale")) {
      type->scalable = true;
      p = SkipSpace(p + 6);
      if (*p != 'x') return Error(p, "expected <vscale x M x sN> or <vscale x M x pA>");
      p = SkipSpace(p + 1);
    }
    if (!IsDigit(*p)) return Error(p, "expected <M x sN> or <M x pA> for vector type");
    const char* count = p;
    p = ReadInteger(p, ~uint64_t{0}, "an integer literal", &number);
    if (p == nullptr) return nullptr;
    if (number == 0 || number > 0xffff) return Error(count, "invalid number of vector elements");
    type->elements = static_cast<uint16_t>(number);
    p = SkipSpace(p);
    if (*p != 'x') return Error(p, "expected <M x sN> or <M x pA> for vector type");
    p = SkipSpace(p + 1);
  }
  const bool is_pointer = *p == 'p';
  if (!is_pointer && *p != 's') return Error(is_vector ? p : begin, kExpected);
  const char* element = p++;
  if (!IsDigit(*p)) return Error(element, "expected integers after 's'/'p' type character");
  const char* digits = p;
  p = ReadInteger(p, ~uint64_t{0}, "an integer literal", &number);
  if (p == nullptr) return nullptr;
  if (IsIdentifier(*p)) return Error(element, "expected integers after 's'/'p' type character");
  if (is_pointer) {
    if (number > 0xffffff) return Error(digits, "invalid address space number");
  } else if ((number == 0 && is_vector) || number > ~uint32_t{0}) {
    return Error(digits, is_vector ? "invalid size for scalar element in vector" : "invalid size for scalar type");
  }
  type->kind = is_pointer ? LowLevelType::Kind::kPointer : LowLevelType::Kind::kScalar;
  type->bits = static_cast<uint32_t>(number);
  if (!is_vector) return p;
  p = SkipSpace(p);
  return *p == '>' ? p + 1 : Error(p, "expected <M x sN> or <M x pA> for vector type");
}

// Dispatch.

const char* MirBodyReader::ReadRareOperand(const char* p) {
  switch (*p) {
    case '$':
      return ReadRegisterOperand(p, 0);
    case '@':
      return ReadGlobalOperand(p);
    case '!': {
      MetadataId metadata = 0;
      p = ReadMetadata(p, &metadata);
      if (p != nullptr) operands_.push_back(MachineOperand::CreateMetadata(metadata));
      return p;
    }
    case '<': {
      SymbolId symbol = 0;
      p = ReadMCSymbol(p, &symbol);
      if (p != nullptr) {
        operands_.push_back(MachineOperand::CreateText(MachineOperand::Kind::kMCSymbol, symbol));
      }
      return p;
    }
    default:
      // No token begins with these characters. The others are operators.
      if (std::strchr("#?[]^~\\\x7f", *p) != nullptr || static_cast<uint8_t>(*p) < ' ' ||
          static_cast<uint8_t>(*p) > '~') {
        return Error(p, StrCat("unexpected character '", std::string(1, *p), "'"));
      }
      return Error(p, "expected a machine operand");
  }
}

const char* MirBodyReader::ReadWordOperand(const char* p, Opcode opcode) {
  using Kind = MachineOperand::Kind;
  const char* end = SkipIdentifier(p);
  const Word word = FindWord(TextFrom(p, end));
  switch (word) {
    case Word::kHalf:
    case Word::kBFloat:
    case Word::kFloat:
    case Word::kDouble:
    case Word::kX86Fp80:
    case Word::kFp128:
    case Word::kPpcFp128:
      return ReadFPImmediate(p, word);
    case Word::kBlockaddress:
      return ReadTextOperand(p, Kind::kBlockAddress);
    case Word::kIntrinsic:
      return ReadTextOperand(p, Kind::kIntrinsic);
    case Word::kTargetIndex:
      return ReadTextOperand(p, Kind::kTargetIndex);
    case Word::kLiveout:
      return ReadTextOperand(p, Kind::kRegisterLiveOut);
    case Word::kCustomRegMask:
      return ReadTextOperand(p, Kind::kRegisterMask);
    case Word::kShufflemask:
      return ReadTextOperand(p, Kind::kShuffleMask);
    case Word::kFloatpred:
      return ReadPredicate(p, /*is_float=*/true);
    case Word::kIntpred:
      return ReadPredicate(p, /*is_float=*/false);
    case Word::kDbgInstrRef:
      return ReadDbgInstrRef(end);
    case Word::kLanemask:
      return ReadLaneMask(end);
    case Word::kTargetFlags: {
      const char* flag = SkipSpace(end);
      if (*flag != '(') return ErrorExpected(flag, '(');
      flag = SkipSpace(flag + 1);
      const char* flag_end = SkipIdentifier(flag);
      if (flag_end == flag) return Error(flag, "expected the name of the target flag");
      return Error(flag, StrCat("use of undefined target flag '", TextFrom(flag, flag_end), "'"));
    }
    default:
      break;
  }
  if (TextFrom(p, end) == "_") return ReadRegisterOperand(p, 0);
  if (word >= Word::kSideeffect && opcode <= generic::kInlineAsmBr && operands_.size() == 1) {
    return ReadInlineAsmWords(p);
  }
  if (word != Word::kNone) return Error(p, "expected a machine operand");
  return ReadTypedImmediate(p);
}

// Reads "sideeffect mayload attdialect", which stands for the number that llc prints.
const char* MirBodyReader::ReadInlineAsmWords(const char* p) {
  int64_t bits = 0;
  while (HasClass(*p, kIdentifierStart)) {
    const char* begin = p;
    p = SkipIdentifier(p);
    const Word word = FindWord(TextFrom(begin, p));
    if (word < Word::kSideeffect) return Error(begin, "expected a machine operand");
    if (word != Word::kAttdialect) {
      bits |= int64_t{1} << (static_cast<int>(word) - static_cast<int>(Word::kSideeffect));
    }
    p = SkipSpace(p);
  }
  operands_.push_back(MachineOperand::CreateImm(bits));
  return p;
}

// Reads references to the frame, the constant pool and jump tables (%stack.0.name, %fixed-stack.1, %const.0 + 8,
// %jump-table.0) and named registers, which also begin with '%'.

const char* MirBodyReader::ReadIndexedOperand(const char* p) {
  if (StartsWith(p, "%stack.")) return ReadStackOperand(p, /*is_fixed=*/false);
  if (StartsWith(p, "%fixed-stack.")) return ReadStackOperand(p, /*is_fixed=*/true);
  const bool is_constant = StartsWith(p, "%const.");
  if (!is_constant && !StartsWith(p, "%jump-table.")) {
    if (StartsWith(p, "%subreg.")) {
      const char* name = p + 8;
      return Error(name, StrCat("unknown subregister index '", TextFrom(name, SkipIdentifier(name)), "'"));
    }
    if (StartsWith(p, "%ir.") || StartsWith(p, "%ir-block.")) {
      return Error(p, "expected a machine operand");
    }
    return ReadRegisterOperand(p, 0);
  }
  const char* begin = p;
  p += is_constant ? 7 : 12;
  if (!IsDigit(*p)) {
    return Error(p, is_constant ? "expected a number after '%const.'" : "expected a number after '%jump-table.'");
  }
  uint64_t id = 0;
  p = ReadInteger(p, ~uint32_t{0}, "a number", &id);
  if (p == nullptr) return nullptr;
  const auto& slots = is_constant ? state_.constant_slots : state_.jump_table_slots;
  const auto slot = slots.find(static_cast<uint32_t>(id));
  if (slot == slots.end()) {
    return Error(begin,
                 StrCat("use of undefined ", is_constant ? "constant" : "jump table", " '", TextFrom(begin, p), "'"));
  }
  if (!is_constant) {
    operands_.push_back(MachineOperand::CreateJumpTableIndex(slot->second));
    return p;
  }
  int64_t offset = 0;
  p = ReadOffset(p, &offset);
  if (p != nullptr) {
    operands_.push_back(MachineOperand::CreateConstantPoolIndex(slot->second, offset));
  }
  return p;
}

const char* MirBodyReader::ReadStackOperand(const char* p, bool is_fixed) {
  int index = 0;
  p = ReadStackReference(p, is_fixed, &index);
  if (p != nullptr) operands_.push_back(MachineOperand::CreateFrameIndex(index));
  return p;
}

const char* MirBodyReader::ReadStackReference(const char* p, bool is_fixed, int* index) {
  const char* begin = p;
  p += is_fixed ? 13 : 7;
  if (!IsDigit(*p)) {
    return Error(p, is_fixed ? "expected a number after '%fixed-stack.'" : "expected a number after '%stack.'");
  }
  uint64_t id = 0;
  p = ReadInteger(p, ~uint32_t{0}, "a number", &id);
  if (p == nullptr) return nullptr;
  const char* number_end = p;
  std::string_view name;
  if (*p == '.' && !is_fixed) {
    const char* name_begin = ++p;
    p = SkipIdentifier(p);
    name = TextFrom(name_begin, p);
  }
  const MachineFrameInfo& frame = function_.frame_info();
  const auto& objects = is_fixed ? frame.fixed_objects() : frame.objects();
  if (id >= objects.size() || objects[id].is_dead) {
    return Error(begin, StrCat("use of undefined ", is_fixed ? "fixed " : "", "stack object '",
                               TextFrom(begin, number_end), "'"));
  }
  if (!name.empty() && name != objects[id].name) {
    return Error(begin, StrCat("the name of the stack object '", TextFrom(begin, number_end), "' isn't '", name, "'"));
  }
  *index = is_fixed ? -static_cast<int>(id) - 1 : static_cast<int>(id);
  return p;
}

// Names.

const char* MirBodyReader::ReadGlobal(const char* p, GlobalId* global) {
  const char* begin = p++;
  const GlobalValue* value = nullptr;
  if (*p == '"') {
    std::string_view raw;
    p = ScanString(p, &raw);
    if (p == nullptr) {
      return Error(begin + 1, "end of machine instruction reached before the closing '\"'");
    }
    value = raw.find('\\') == std::string_view::npos ? file_.module.FindGlobal(raw)
                                                     : file_.module.FindGlobal(Unescape(raw));
  } else {
    const bool is_numbered = IsDigit(*p);
    const char* name = p;
    if (is_numbered) {
      while (IsDigit(*p)) ++p;
    } else {
      p = SkipIdentifier(p);
    }
    if (p == name) return Error(begin, "expected a machine operand");
    value = file_.module.FindGlobal(TextFrom(name, p), is_numbered);
  }
  if (value == nullptr) {
    return Error(begin, StrCat("use of undefined global value '", TextFrom(begin, p), "'"));
  }
  *global = value->id();
  return p;
}

const char* MirBodyReader::ReadGlobalOperand(const char* p) {
  GlobalId global = 0;
  p = ReadGlobal(p, &global);
  if (p == nullptr) return nullptr;
  int64_t offset = 0;
  p = ReadOffset(p, &offset);
  if (p != nullptr) operands_.push_back(MachineOperand::CreateGlobal(global, offset));
  return p;
}

const char* MirBodyReader::ReadSymbolName(const char* p, SymbolId* symbol) {
  const char* begin = p++;
  std::string_view name;
  if (*p == '"') {
    p = ScanString(p, &name);
    if (p == nullptr) {
      return Error(begin + 1, "end of machine instruction reached before the closing '\"'");
    }
  } else {
    p = SkipIdentifier(p);
    name = TextFrom(begin + 1, p);
    if (name.empty()) return Error(begin, "expected a machine operand");
  }
  const size_t middle = static_cast<uint8_t>(name.empty() ? 0 : name[name.size() / 2]);
  const size_t last = static_cast<uint8_t>(name.empty() ? 0 : name.back());
  SymbolSlot& slot = symbol_slots_[(name.size() + middle * 5 + last * 3) % kSymbolSlots];
  if (slot.name != nullptr && slot.size == name.size() && std::memcmp(slot.name, name.data(), name.size()) == 0) {
    *symbol = slot.id;
    return p;
  }
  *symbol = name.find('\\') == std::string_view::npos ? function_.InternStableSymbol(name)
                                                      : function_.InternSymbol(Unescape(name));
  slot = {name.data(), static_cast<uint32_t>(name.size()), *symbol};
  return p;
}

const char* MirBodyReader::ReadSymbolOperand(const char* p) {
  SymbolId symbol = 0;
  p = ReadSymbolName(p, &symbol);
  if (p == nullptr) return nullptr;
  int64_t offset = 0;
  p = ReadOffset(p, &offset);
  if (p != nullptr) operands_.push_back(MachineOperand::CreateExternalSymbol(symbol, offset));
  return p;
}

// Reads <mcsymbol name> or <mcsymbol "name">. The symbol is the unescaped name.
const char* MirBodyReader::ReadMCSymbol(const char* p, SymbolId* symbol) {
  if (!StartsWith(p, "<mcsymbol ")) return Error(p, "expected a machine operand");
  const char* begin = p;
  p += 10;
  std::string_view name;
  if (*p == '"') {
    p = ScanString(p, &name);
    if (p == nullptr) {
      return Error(begin + 10, "unable to parse quoted string from opening quote");
    }
  } else {
    const char* name_begin = p;
    p = SkipIdentifier(p);
    name = TextFrom(name_begin, p);
  }
  if (*p != '>') return Error(p, "expected the '<mcsymbol ...' to be closed by a '>'");
  *symbol = function_.InternSymbol(Unescape(name));
  return p + 1;
}

// Reads !5 or an inline node: !DIExpression(...), !DILocation(line: 3, scope: !7).
const char* MirBodyReader::ReadMetadata(const char* p, MetadataId* metadata) {
  const char* begin = p++;
  if (IsDigit(*p)) {
    uint64_t id = 0;
    p = ReadInteger(p, ~uint32_t{0}, "metadata id after '!'", &id);
    if (p == nullptr) return nullptr;
    if (id >= MachineFunction::kInlineMetadata) {
      return Error(begin, StrCat("use of undefined metadata '", TextFrom(begin, p), "'"));
    }
    *metadata = static_cast<MetadataId>(id);
    return p;
  }
  const char* name = p;
  p = SkipIdentifier(p);
  if (p == name) return Error(name, "expected metadata id after '!'");
  if (*p != '(') {
    return Error(begin, StrCat("use of unknown metadata keyword '", TextFrom(begin, p), "'"));
  }
  p = SkipParentheses(p);
  if (p != nullptr) *metadata = function_.InternInlineMetadata(TextFrom(begin, p));
  return p;
}

// Values.

// Reads "float 1.5", "double 0x3FF8000000000000" (the bits of a double, even for a float) or "half 0xH3C00" (the
// bits of the format itself).
const char* MirBodyReader::ReadFPImmediate(const char* p, Word word) {
  const char* begin = p;
  const char* literal = SkipSpace(SkipIdentifier(p));
  if (word >= Word::kX86Fp80) return ReadWideFPImmediate(begin, literal);
  const FPFormat format = FormatOf(word);
  uint64_t bits = 0;
  bool overflow = false;
  if (literal[0] == '0' && literal[1] == 'x') {
    const char prefix = literal[2] >= 'H' && literal[2] <= 'R' ? literal[2] : 0;
    const char* digits = literal + (prefix != 0 ? 3 : 2);
    p = ScanHex(digits, &bits, &overflow);
    if (p == digits) return Error(literal, "expected a floating point literal");
    if (prefix != 0) {
      if (prefix != format.prefix || overflow || bits > 0xffff) {
        return Error(literal, StrCat("floating point constant does not have type '", Spelling(word), "'"));
      }
      operands_.push_back(MachineOperand::CreateFPImm(format.width, bits));
      return p;
    }
  } else {
    p = ReadDecimalFP(literal, &bits);
    if (p == nullptr) return nullptr;
  }
  const std::optional<uint64_t> narrowed =
      overflow ? std::nullopt : NarrowDouble(bits, format.exponent_bits, format.mantissa_bits);
  if (!narrowed.has_value()) return Error(literal, "floating point constant invalid for type");
  operands_.push_back(MachineOperand::CreateFPImm(format.width, *narrowed));
  return p;
}

// Reads a decimal literal as the bits of the nearest double.
const char* MirBodyReader::ReadDecimalFP(const char* p, uint64_t* bits) {
  const char* number = *p == '+' ? p + 1 : p;
  const char* end = *number == '-' ? number + 1 : number;
  if (!IsDigit(*end)) return Error(p, "expected a floating point literal");
  while (IsDigit(*end) || *end == '.' || *end == 'e' || *end == 'E' ||
         ((*end == '+' || *end == '-') && (end[-1] == 'e' || end[-1] == 'E'))) {
    ++end;
  }
  double value = 0;
  const auto [rest, error] = std::from_chars(number, end, value);
  if (error == std::errc::result_out_of_range) {
    return Error(p, "floating point constant invalid for type");
  }
  if (rest != end || error != std::errc()) return Error(p, "expected a floating point literal");
  *bits = std::bit_cast<uint64_t>(value);
  return end;
}

// Reads a literal of a format wider than double, "x86_fp80 0xK3FFF8000000000000000". It is kept as written.
const char* MirBodyReader::ReadWideFPImmediate(const char* begin, const char* literal) {
  if (literal[0] != '0' || literal[1] != 'x' || literal[2] < 'K' || literal[2] > 'M') {
    return Error(literal, "expected a floating point literal");
  }
  uint64_t bits = 0;
  bool overflow = false;  // set by long literals, which is fine
  const char* end = ScanHex(literal + 3, &bits, &overflow);
  if (end == literal + 3) return Error(literal, "expected a floating point literal");
  operands_.push_back(MachineOperand::CreateText(MachineOperand::Kind::kWideImmediate,
                                                 function_.InternStableSymbol(TextFrom(begin, end))));
  return end;
}

// Reads "i32 5" or "i1 true".
const char* MirBodyReader::ReadTypedImmediate(const char* p) {
  const char* begin = p;
  p = SkipIdentifier(p);
  if (*begin != 'i' && *begin != 's' && *begin != 'p') {
    return Error(begin, "a typed immediate operand should start with one of 'i', 's', or 'p'");
  }
  for (const char* q = begin + 1; q < p; ++q) {
    if (!IsDigit(*q)) p = begin + 1;
  }
  if (p == begin + 1) return Error(begin, "expected integers after 'i'/'s'/'p' type character");
  if (*begin != 'i') return Error(begin, "expected a machine operand");
  uint64_t width = 0;
  bool overflow = false;
  ScanUnsigned(begin + 1, &width, &overflow);
  if (overflow || width == 0 || width > (1u << 23)) {
    return Error(begin, "bitwidth for integer type out of range");
  }
  const char* value = SkipSpace(p);
  const char* end = value;
  if (IsDigit(*value) || (*value == '-' && IsDigit(value[1]))) {
    for (++end; IsDigit(*end);) ++end;
  } else {
    end = SkipIdentifier(value);
    const std::string_view word = TextFrom(value, end);
    if (word != "true" && word != "false") return Error(value, "expected an integer literal");
  }
  operands_.push_back(MachineOperand::CreateText(MachineOperand::Kind::kWideImmediate,
                                                 function_.InternStableSymbol(TextFrom(begin, end))));
  return end;
}

// Reads a word with a text in parentheses, which is kept as written.
const char* MirBodyReader::ReadTextOperand(const char* p, MachineOperand::Kind kind) {
  const char* begin = p;
  p = SkipSpace(SkipIdentifier(p));
  if (*p != '(') return ErrorExpected(p, '(');
  p = SkipParentheses(p);
  if (p == nullptr) return nullptr;
  const std::string_view text = TextFrom(begin, p);
  int64_t offset = 0;
  if (kind == MachineOperand::Kind::kBlockAddress || kind == MachineOperand::Kind::kTargetIndex) {
    p = ReadOffset(p, &offset);
    if (p == nullptr) return nullptr;
  }
  operands_.push_back(MachineOperand::CreateText(kind, function_.InternStableSymbol(text), offset));
  return p;
}

const char* MirBodyReader::ReadPredicate(const char* p, bool is_float) {
  const char* open = SkipSpace(SkipIdentifier(p));
  if (*open != '(') return Error(open, "expected syntax intpred(whatever) or floatpred(whatever");
  const char* name = SkipSpace(open + 1);
  const std::string_view text = TextFrom(name, SkipIdentifier(name));
  bool is_known = false;
  if (is_float) {
    for (std::string_view predicate : kFloatPredicates) is_known |= predicate == text;
  } else {
    for (std::string_view predicate : kIntPredicates) is_known |= predicate == text;
  }
  if (!is_known) {
    return Error(name, is_float ? "invalid floating-point predicate" : "invalid integer predicate");
  }
  return ReadTextOperand(p, MachineOperand::Kind::kPredicate);
}

const char* MirBodyReader::ReadDbgInstrRef(const char* p) {
  static constexpr char kSyntax[] = "expected syntax dbg-instr-ref(<unsigned>, <unsigned>)";
  uint64_t numbers[2] = {0, 0};
  p = SkipSpace(p);
  if (*p != '(') return Error(p, kSyntax);
  for (int i = 0; i < 2; ++i) {
    p = SkipSpace(p + 1);
    if (!IsDigit(*p)) {
      return Error(p, i == 0 ? "expected unsigned integer for instruction index"
                             : "expected unsigned integer for operand index");
    }
    p = ReadInteger(p, ~uint32_t{0}, "an integer literal", &numbers[i]);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p != (i == 0 ? ',' : ')')) return Error(p, kSyntax);
  }
  operands_.push_back(
      MachineOperand::CreateDbgInstrRef(static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1])));
  return p + 1;
}

const char* MirBodyReader::ReadLaneMask(const char* p) {
  p = SkipSpace(p);
  if (*p != '(') return ErrorExpected(p, '(');
  p = SkipSpace(p + 1);
  if (!IsDigit(*p)) return Error(p, "expected a valid lane mask value");
  const char* number = p;
  uint64_t mask = 0;
  bool overflow = false;
  p = p[0] == '0' && p[1] == 'x' ? ScanHex(p + 2, &mask, &overflow) : ScanUnsigned(p, &mask, &overflow);
  if (overflow) return Error(number, "invalid lane mask value");
  p = SkipSpace(p);
  if (*p != ')') return ErrorExpected(p, ')');
  operands_.push_back(MachineOperand::CreateLaneMask(mask));
  return p + 1;
}

// Reads a whole CFI directive, which is kept as written: "def_cfa_offset 16", "offset $r3, -16".
const char* MirBodyReader::ReadCfi(const char* p) {
  const char* begin = p;
  const char* last = p;  // the end of the last character that is not white space
  while (!IsEol(*p) && !(p[0] == ':' && p[1] == ':') && *p != '{' && *p != '}' && *p != ';') {
    if (HasClass(*p, kIdentifierStart) && (p == begin || !IsIdentifier(p[-1]))) {
      const Word word = FindWord(TextFrom(p, SkipIdentifier(p)));
      if (word >= Word::kDebugLocation && word <= Word::kCfiType) break;
    }
    if (!HasClass(*p, kBlankChar) && *p != ',') last = p + 1;
    ++p;
  }
  if (last == begin) return Error(begin, "expected a machine operand");
  operands_.push_back(MachineOperand::CreateText(MachineOperand::Kind::kCfiInstruction,
                                                 function_.InternStableSymbol(TextFrom(begin, last))));
  return p;
}

}  // namespace ptxmir
