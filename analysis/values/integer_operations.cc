// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/integer_operations.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/opcode_forms.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using ptx::SemanticTag;

// A mnemonic without its type, and what it means.
struct Mnemonic {
  std::string_view text;
  IntegerOp op;
};
constexpr Mnemonic kMnemonics[] = {
    {"mov", IntegerOp::kMove},
    {"add", IntegerOp::kAdd},
    {"sub", IntegerOp::kSub},
    {"mul.lo", IntegerOp::kMulLo},
    {"mul.hi", IntegerOp::kMulHi},
    {"mul.wide", IntegerOp::kMulWide},
    {"mad.lo", IntegerOp::kMadLo},
    {"mad.wide", IntegerOp::kMadWide},
    {"div", IntegerOp::kDiv},
    {"rem", IntegerOp::kRem},
    {"min", IntegerOp::kMin},
    {"max", IntegerOp::kMax},
    {"abs", IntegerOp::kAbs},
    {"neg", IntegerOp::kNeg},
    {"and", IntegerOp::kAnd},
    {"or", IntegerOp::kOr},
    {"xor", IntegerOp::kXor},
    {"not", IntegerOp::kNot},
    {"shl", IntegerOp::kShl},
    {"shr", IntegerOp::kShr},
    {"shf.l.wrap", IntegerOp::kFunnelLeft},
    {"shf.l.clamp", IntegerOp::kFunnelLeft},
    {"shf.r.wrap", IntegerOp::kFunnelRight},
    {"shf.r.clamp", IntegerOp::kFunnelRight},
    {"bfe", IntegerOp::kExtractField},
    {"bfi", IntegerOp::kInsertField},
    {"bfind", IntegerOp::kFindLeading},
    {"bfind.shiftamt", IntegerOp::kFindLeadingShift},
    {"brev", IntegerOp::kReverse},
    {"clz", IntegerOp::kCountLeadingZeros},
    {"popc", IntegerOp::kCountOnes},
    {"prmt", IntegerOp::kPermute},
    {"setp", IntegerOp::kCompare},
    {"selp", IntegerOp::kSelect},
    {"proxy", IntegerOp::kMove},
};

// A type: letter and width. `letter` is 0 if the text is none.
struct TypeName {
  char letter = 0;
  unsigned bits = 0;
};
TypeName ParseType(std::string_view text) {
  if (text == "pred") return {'b', 1};
  const bool is_brain_float = text.starts_with("bf");
  const std::string_view digits = text.substr(is_brain_float ? 2 : std::min<size_t>(1, text.size()));
  unsigned bits = 0;
  if (text.empty() || !absl::SimpleAtoi(ToAbsl(digits), &bits) || bits > 128) return {};
  const char letter = is_brain_float ? 'f' : text[0];
  return letter == 's' || letter == 'u' || letter == 'b' || letter == 'f' || letter == 'i' ? TypeName{letter, bits}
                                                                                           : TypeName{};
}

// Parses "unpack2.b64": the mnemonic has the number of parts, or H or L.
IntegerOperation ParsePack(std::string_view name) {
  const bool is_pack = name.starts_with("pack");
  std::string_view rest = name.substr(is_pack ? 4 : 6);
  const TypeName type = ParseType(rest.substr(std::min<size_t>(2, rest.size())));
  if (rest.size() < 4 || rest[1] != '.' || type.letter != 'b' || type.bits > 64) return {};
  IntegerOperation operation{.op = is_pack ? IntegerOp::kPack : IntegerOp::kUnpack,
                             .bits = static_cast<uint8_t>(type.bits)};
  unsigned parts = 2;
  if (rest[0] == 'H' || rest[0] == 'L') {
    if (rest[0] == 'H') operation.op = IntegerOp::kUnpackHigh;
  } else {
    parts = static_cast<unsigned>(rest[0] - '0');
  }
  if (parts != 2 && parts != 4) return {};
  operation.from_bits = static_cast<uint8_t>(type.bits / parts);
  return operation;
}

IntegerOperation ParseConversion(TypeName to, TypeName from) {
  const auto is_integer = [](TypeName type) { return (type.letter == 's' || type.letter == 'u') && type.bits <= 64; };
  const bool is_from_float = from.letter == 'f';
  if (!is_integer(to) || (!is_integer(from) && !is_from_float)) return {};
  return {.op = is_from_float ? IntegerOp::kConvertFloat : IntegerOp::kConvert,
          .is_signed = to.letter == 's',
          .from_signed = from.letter == 's',
          .bits = static_cast<uint8_t>(to.bits),
          .from_bits = static_cast<uint8_t>(from.bits)};
}

// Returns true if the type is one that the operation has on integers. (There are floats that are added, too.)
bool Suits(IntegerOp op, TypeName type) {
  if (type.letter == 'f') return op == IntegerOp::kSelect || op == IntegerOp::kMove;
  return type.letter != 'i' || op == IntegerOp::kCompare;
}

IntegerOperation ParseOperation(std::string_view name) {
  if (name == "ld" || name.starts_with("ld.v") || name == "ld.nc" || name.starts_with("ld.nc.v") || name == "ldu" ||
      name.starts_with("ldu.v")) {
    return {.op = IntegerOp::kLoad};
  }
  if (name.starts_with("pack") || name.starts_with("unpack")) return ParsePack(name);
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return {};
  const TypeName type = ParseType(name.substr(dot + 1));
  const std::string_view mnemonic = name.substr(0, dot);
  if (type.letter == 0) return {};
  if (mnemonic.starts_with("cvt.") && mnemonic.find('.', 4) == mnemonic.npos) {
    return ParseConversion(ParseType(mnemonic.substr(4)), type);
  }
  if (type.bits > 64) return {};
  for (const Mnemonic& known : kMnemonics) {
    if (known.text != mnemonic || !Suits(known.op, type)) continue;
    return {.op = known.op,
            .is_signed = type.letter == 's',
            .is_clamped = mnemonic.ends_with("clamp"),
            .bits = static_cast<uint8_t>(type.bits)};
  }
  return {};
}

using Table = std::array<IntegerOperation, ptx::kNumSemantics>;

const Table& Operations() {
  static const Table* const table = [] {
    auto* const operations = new Table;
    for (size_t i = 0; i < operations->size(); ++i) {
      (*operations)[i] = ParseOperation(ptx::SemanticsName(static_cast<SemanticTag>(i)));
    }
    return operations;
  }();
  return *table;
}

uint64_t Key(const IntegerOperation& operation) {
  uint64_t key = static_cast<uint64_t>(operation.op);
  for (const uint8_t part : {uint8_t{operation.is_signed}, uint8_t{operation.is_clamped},
                             uint8_t{operation.from_signed}, operation.bits, operation.from_bits}) {
    key = key << 8 | part;
  }
  return key;
}

}  // namespace

const IntegerOperation& IntegerOperationOf(SemanticTag semantics) {
  return Operations()[static_cast<size_t>(semantics)];
}

const IntegerOperation& IntegerOperationOf(Opcode opcode) {
  static constexpr IntegerOperation kNothing;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(opcode);
  const IntegerOperation& operation = IntegerOperationOf(info.semantics);
  if (operation.op != IntegerOp::kMove) return operation;
  // The names of symbols, special registers and the frame are moved, too, but have no operand with the value.
  const bool is_plain = info.is_move() && !info.is_special_register_read();
  return is_plain ? operation : kNothing;
}

unsigned SourceBits(const IntegerOperation& operation, unsigned source) {
  switch (operation.op) {
    case IntegerOp::kConvert:
    case IntegerOp::kConvertFloat:
      return source == 0 ? 0 : 32;
    case IntegerOp::kShl:
    case IntegerOp::kShr:
    case IntegerOp::kExtractField:
      return source == 0 ? operation.bits : 32;
    case IntegerOp::kInsertField:
      return source < 2 ? operation.bits : 32;
    case IntegerOp::kMadWide:
      return source < 2 ? operation.bits : operation.bits * 2u;
    case IntegerOp::kSelect:
      return source < 2 ? operation.bits : 1;
    case IntegerOp::kCompare:
      return source < 2 ? operation.bits : 32;
    case IntegerOp::kPack:
      return operation.from_bits;
    default:
      return operation.bits;
  }
}

std::optional<SemanticTag> FindSemantics(const IntegerOperation& operation) {
  static const auto* const tags = [] {
    auto* const map = new absl::flat_hash_map<uint64_t, SemanticTag>;
    for (size_t i = 0; i < Operations().size(); ++i) {
      const auto tag = static_cast<SemanticTag>(i);
      // Of tags that mean the same, the first one with opcodes counts.
      if (!ptx::OpcodesWith(tag).empty()) map->emplace(Key(Operations()[i]), tag);
    }
    return map;
  }();
  const auto found = tags->find(Key(operation));
  return found == tags->end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ptxmir
