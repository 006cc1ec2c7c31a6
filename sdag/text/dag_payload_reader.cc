// SPDX-License-Identifier: Apache-2.0

// Reads the payloads of nodes, which follow their names.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/str_cat.h"
#include "sdag/graph/type_classes.h"
#include "sdag/text/dag_line_reader.h"
#include "sdag/text/dag_text.h"

namespace ptxmir::sdag {

using mir_lexer::IsDigit;
using mir_lexer::IsEol;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::TextFrom;

namespace {

// Parses decimal digits of a number of up to 128 bits. Returns false if there are none or too many.
bool ParseDecimal(std::string_view digits, absl::uint128* value) {
  *value = 0;
  for (const char c : digits) {
    const absl::uint128 next = *value * 10 + static_cast<uint64_t>(c - '0');
    if (!IsDigit(c) || *value > absl::Uint128Max() / 10 || next < *value) return false;
    *value = next;
  }
  return !digits.empty();
}

}  // namespace

const char* DagLineReader::ReadPayload(const char* p, Line* line) {
  if (line->is_intrinsic) return *p == '<' ? ReadMemory(p, line) : p;
  if (line->opcode < 0) return *p == '<' ? ReadMachineMemory(p, line) : p;
  switch (Desc(line->opcode).payload) {
    case NodePayload::kNone:
    case NodePayload::kCondCode:
    case NodePayload::kIntrinsic:
    case NodePayload::kMachine:
      return p;
    case NodePayload::kConstant:
      return ReadConstant(p, line);
    case NodePayload::kConstantFP:
      return ReadConstantFP(p, line);
    case NodePayload::kGlobal:
      return ReadGlobalPayload(p, line);
    case NodePayload::kFrameIndex:
      return ReadIndex(p, line, "<", /*may_be_negative=*/true);
    case NodePayload::kJumpTable:
      return ReadIndex(p, line, "<", /*may_be_negative=*/false);
    case NodePayload::kConstantPool:
      p = ReadIndex(p, line, "<%const.", /*may_be_negative=*/false);
      return p == nullptr ? nullptr : ReadGlobalOffset(p, line);
    case NodePayload::kRegister:
      return ReadRegisterPayload(p, line);
    case NodePayload::kBlock:
      return ReadBlockPayload(p, line);
    case NodePayload::kExternalSymbol:
    case NodePayload::kBlockAddress:
      return ReadSymbol(p, line);
    case NodePayload::kMetadata:
      return ReadMetadataPayload(p, line);
    case NodePayload::kValueType:
      return ReadValueType(p, line);
    case NodePayload::kMemory:
      return *p == '<' ? ReadMemory(p, line) : p;
    case NodePayload::kAddrSpaceCast:
      return ReadSpaces(p, line);
    case NodePayload::kShuffle:
      return ReadMask(p, line);
    case NodePayload::kAlign:
      return ReadAlign(p, line);
  }
  return p;
}

// "<-5>"
const char* DagLineReader::ReadConstant(const char* p, Line* line) {
  p = ExpectChar(p, '<');
  if (p == nullptr) return nullptr;
  const char* begin = p;
  const bool is_negative = *p == '-';
  if (is_negative) ++p;
  const char* digits = p;
  while (IsDigit(*p)) ++p;
  absl::uint128 value = 0;
  const MVT type = TypeOf(*line);
  const unsigned bits = ScalarSizeInBits(type);
  if (!IsInteger(type)) return Error(begin, StrCat("an integer constant of type '", Name(type), "'"));
  bool fits = ParseDecimal(TextFrom(digits, p), &value);
  if (p == digits) return Error(begin, "expected an integer");
  const absl::uint128 sign = absl::uint128(1) << (bits - 1);
  fits &= is_negative ? value <= sign : value <= sign - 1 + sign;
  if (!fits) return Error(begin, StrCat("the value does not fit into ", bits, bits == 1 ? " bit" : " bits"));
  if (is_negative) value = -value;
  if (bits < 128) value &= (absl::uint128(1) << bits) - 1;
  line->low = absl::Uint128Low64(value);
  line->high = absl::Uint128High64(value);
  return ExpectChar(p, '>');
}

const char* DagLineReader::ReadConstantFP(const char* p, Line* line) {
  p = ExpectChar(p, '<');
  if (p == nullptr) return nullptr;
  const char* begin = p;
  while (*p != '>' && !IsEol(*p)) ++p;
  const MVT type = TypeOf(*line);
  if (!IsFloatingPoint(type)) return Error(begin, StrCat("a floating-point constant of type '", Name(type), "'"));
  const std::optional<uint64_t> bits = ParseFP(TextFrom(begin, p), type);
  if (!bits.has_value()) return Error(begin, StrCat("expected a value of type '", Name(ScalarType(type)), "'"));
  line->low = *bits;
  return ExpectChar(p, '>');
}

// "<ptr addrspace(3) @g> + 12 [TF=1]"
const char* DagLineReader::ReadGlobalPayload(const char* p, Line* line) {
  if (!StartsWith(p, "<ptr ")) return Error(p, "expected '<ptr @name>'");
  p = SkipSpace(p + 5);
  const char* space_position = p;
  uint64_t space = 0;
  if (StartsWith(p, "addrspace(")) {
    p = ReadInteger(p + 10, ~uint32_t{0}, "an address space", &space);
    if (p == nullptr) return nullptr;
    p = ExpectChar(p, ')');
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
  }
  if (*p != '@') return Error(p, "expected a global value");
  GlobalId global = 0;
  p = ReadGlobal(p, &global);
  if (p == nullptr) return nullptr;
  const uint32_t actual = file().module.global_value(global).address_space;
  if (actual != space) return Error(space_position, StrCat("the value is in address space ", actual));
  line->low = global;
  p = ExpectChar(p, '>');
  if (p == nullptr) return nullptr;
  p = ReadGlobalOffset(p, line);
  if (p == nullptr || !StartsWith(p, " [TF=")) return p;
  p = ReadInteger(p + 5, ~uint32_t{0}, "target flags", &line->high);
  return p == nullptr ? nullptr : ExpectChar(p, ']');
}

// " 0", " + 12", " -4"
const char* DagLineReader::ReadGlobalOffset(const char* p, Line* line) {
  const char* begin = SkipSpace(p);
  const bool is_negative = *begin == '-';
  const char* digits = is_negative ? begin + 1 : *begin == '+' ? SkipSpace(begin + 1) : begin;
  if (!IsDigit(*digits)) return Error(begin, "expected an offset");
  uint64_t value = 0;
  const uint64_t max = is_negative ? uint64_t{1} << 63 : ~uint64_t{0} >> 1;
  p = ReadInteger(digits, max, "an offset", &value);
  if (p != nullptr) line->offset = static_cast<int64_t>(is_negative ? -value : value);
  return p;
}

const char* DagLineReader::ReadIndex(const char* p, Line* line, std::string_view prefix, bool may_be_negative) {
  if (!StartsWith(p, prefix)) return Error(p, StrCat("expected '", prefix, "N>'"));
  p += prefix.size();
  const char* begin = p;
  const bool is_negative = may_be_negative && *p == '-';
  if (is_negative) ++p;
  uint64_t value = 0;
  p = ReadInteger(p, ~uint32_t{0} >> 1, "a number", &value);
  if (p == nullptr) return nullptr;
  const NodePayload kind = Desc(line->opcode).payload;
  bool exists = false;
  int64_t index = is_negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  if (kind == NodePayload::kFrameIndex) {
    exists = function_.frame_info().IsValid(static_cast<int>(index));
  } else {
    // The text may have other numbers than the tables.
    const auto& slots = kind == NodePayload::kJumpTable ? state().jump_table_slots : state().constant_slots;
    const auto found = slots.find(static_cast<uint32_t>(value));
    exists = found != slots.end();
    if (exists) index = found->second;
  }
  if (!exists) {
    return Error(begin, kind == NodePayload::kFrameIndex  ? "there is no such stack object"
                        : kind == NodePayload::kJumpTable ? "there is no such jump table"
                                                          : "there is no such constant");
  }
  line->low = static_cast<uint32_t>(index);
  return ExpectChar(p, '>');
}

// " %0", " $vrdepot"
const char* DagLineReader::ReadRegisterPayload(const char* p, Line* line) {
  p = SkipSpace(p);
  const char* begin = p;
  Register reg;
  p = *p == '%'   ? ReadVirtualRegister(p, &reg)
      : *p == '$' ? ReadPhysicalRegister(p, &reg)
                  : Error(p, "expected a register");
  if (p == nullptr) return nullptr;
  line->low = reg.bits();
  MachineRegisterInfo& regs = function_.reg_info();
  if (!reg.is_virtual() || regs.reg_class(reg) != kNoRegClass || state().IsGeneric(reg)) return p;
  const std::optional<RegClassId> reg_class = RegClassFor(TypeOf(*line));
  if (!reg_class.has_value()) {
    return Error(begin, StrCat("no register class holds '", Name(TypeOf(*line)),
                               "' as it is; state the register's in 'registers'"));
  }
  regs.set_reg_class(reg, *reg_class);
  return p;
}

const char* DagLineReader::ReadBlockPayload(const char* p, Line* line) {
  p = ExpectChar(p, '<');
  if (p == nullptr) return nullptr;
  MachineBasicBlock* block = nullptr;
  p = ReadBlockReference(p, &block);
  if (p == nullptr) return nullptr;
  line->low = block->number();
  return ExpectChar(p, '>');
}

// "'name'"
const char* DagLineReader::ReadSymbol(const char* p, Line* line) {
  p = ExpectChar(p, '\'');
  if (p == nullptr) return nullptr;
  const char* begin = p;
  while (*p != '\'' && !IsEol(*p)) ++p;
  if (*p != '\'') return Error(begin - 1, "end of line reached before the closing '''");
  line->low = function_.InternSymbol(mir_lexer::Unescape(TextFrom(begin, p)));
  return p + 1;
}

const char* DagLineReader::ReadMetadataPayload(const char* p, Line* line) {
  p = ExpectChar(p, '<');
  if (p == nullptr) return nullptr;
  MetadataId metadata = MDNodeSDNode::kNull;
  if (StartsWith(p, "null")) {
    p += 4;
  } else if (*p == '!') {
    p = ReadMetadata(p, &metadata);
    if (p == nullptr) return nullptr;
  } else {
    return Error(p, "expected 'null' or a metadata node");
  }
  line->low = metadata;
  return ExpectChar(p, '>');
}

const char* DagLineReader::ReadEvt(const char* p, EVT* type) {
  const char* end = SkipIdentifier(p);
  if (*p == 'i' && IsDigit(p[1])) {
    uint64_t bits = 0;
    const char* rest = ReadInteger(p + 1, ~uint32_t{0}, "a width", &bits);
    if (rest == nullptr) return nullptr;
    if (rest == end && bits >= 1 && bits <= EVT::kMaxIntegerBits) {
      *type = EVT::Integer(static_cast<unsigned>(bits));
      return end;
    }
  }
  MVT simple;
  if (ReadType(p, &simple) == nullptr) return nullptr;
  *type = simple;
  return end;
}

// ":i10"
const char* DagLineReader::ReadValueType(const char* p, Line* line) {
  p = ExpectChar(p, ':');
  if (p == nullptr) return nullptr;
  EVT type;
  p = ReadEvt(p, &type);
  line->low = type.raw();
  return p;
}

// "<(load (s8) from %ir.p), zext from i8>"
const char* DagLineReader::ReadMemory(const char* p, Line* line) {
  line->first_memoperand = static_cast<uint32_t>(memoperands_.size());
  const MachineMemOperand* memoperand = nullptr;
  p = ReadMemOperand(p + 1, &memoperand);
  if (p == nullptr) return nullptr;
  memoperands_.push_back(memoperand);
  line->num_memoperands = 1;
  while (*p == ',') {
    p = ReadMemoryAttribute(SkipSpace(p + 1), line);
    if (p == nullptr) return nullptr;
  }
  return ExpectChar(p, '>');
}

const char* DagLineReader::ReadMemoryAttribute(const char* p, Line* line) {
  struct Attribute {
    std::string_view text;
    LoadExt ext;
    bool is_truncating;
  };
  static constexpr Attribute kAttributes[] = {{"anyext from ", LoadExt::kAny, false},
                                              {"sext from ", LoadExt::kSign, false},
                                              {"zext from ", LoadExt::kZero, false},
                                              {"trunc to ", LoadExt::kNone, true},
                                              {"memory ", LoadExt::kNone, false}};
  for (const Attribute& attribute : kAttributes) {
    if (!StartsWith(p, attribute.text)) continue;
    if (line->has_memory_type) return Error(p, "the type in memory was given before");
    if (line->is_intrinsic && attribute.text != "memory ")
      return Error(p, "an intrinsic neither extends nor truncates");
    line->has_memory_type = true;
    line->ext = attribute.ext;
    line->is_truncating = attribute.is_truncating;
    return ReadEvt(SkipSpace(p + attribute.text.size()), &line->memory_type);
  }
  return Error(p, "expected 'anyext from', 'sext from', 'zext from', 'trunc to' or 'memory' and a type");
}

// "<Mem:(load (s32)) (store (s32))>"
const char* DagLineReader::ReadMachineMemory(const char* p, Line* line) {
  if (!StartsWith(p, "<Mem:")) return Error(p, "expected '<Mem:(...)>'");
  p = SkipSpace(p + 5);
  line->first_memoperand = static_cast<uint32_t>(memoperands_.size());
  do {
    const MachineMemOperand* memoperand = nullptr;
    p = ReadMemOperand(p, &memoperand);
    if (p == nullptr) return nullptr;
    memoperands_.push_back(memoperand);
    ++line->num_memoperands;
    p = SkipSpace(p);
  } while (*p == '(');
  return ExpectChar(p, '>');
}

// "[0 -> 5]"
const char* DagLineReader::ReadSpaces(const char* p, Line* line) {
  p = ExpectChar(p, '[');
  if (p == nullptr) return nullptr;
  p = ReadInteger(p, ~uint32_t{0}, "an address space", &line->low);
  if (p == nullptr) return nullptr;
  p = SkipSpace(p);
  if (!StartsWith(p, "->")) return Error(p, "expected '->'");
  p = ReadInteger(SkipSpace(p + 2), ~uint32_t{0}, "an address space", &line->high);
  return p == nullptr ? nullptr : ExpectChar(p, ']');
}

// "<0,1,u,3>"
const char* DagLineReader::ReadMask(const char* p, Line* line) {
  p = ExpectChar(p, '<');
  if (p == nullptr) return nullptr;
  line->first_mask = static_cast<uint32_t>(masks_.size());
  while (true) {
    uint64_t element = 0;
    if (*p == 'u') {
      masks_.push_back(-1);
      ++p;
    } else {
      p = ReadInteger(p, 0x7fff, "an element or 'u'", &element);
      if (p == nullptr) return nullptr;
      masks_.push_back(static_cast<int16_t>(element));
    }
    ++line->num_mask;
    p = SkipSpace(p);
    if (*p != ',') return ExpectChar(p, '>');
    p = SkipSpace(p + 1);
  }
}

// "<16>"
const char* DagLineReader::ReadAlign(const char* p, Line* line) {
  p = ExpectChar(p, '<');
  if (p == nullptr) return nullptr;
  const char* begin = p;
  uint64_t align = 0;
  p = ReadInteger(p, ~uint64_t{0}, "an alignment", &align);
  if (p == nullptr) return nullptr;
  if (!std::has_single_bit(align)) return Error(begin, "expected a power of 2");
  line->low = static_cast<uint64_t>(std::countr_zero(align));
  return ExpectChar(p, '>');
}

}  // namespace ptxmir::sdag
