// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_line_reader.h"

#include <cstring>

#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "mir/code/nearest_opcode.h"
#include "sdag/text/dag_text.h"

namespace ptxmir::sdag {

using mir_lexer::IsDigit;
using mir_lexer::IsEol;
using mir_lexer::IsIdentifier;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::TextFrom;

namespace {

constexpr std::string_view kDebugValue = "DBG_VALUE ";
constexpr std::string_view kIntrinsicPrefix = "llvm.";

}  // namespace

const char* DagLineReader::ExpectChar(const char* p, char c) {
  return *p == c ? p + 1 : Error(p, StrCat("expected '", std::string(1, c), "'"));
}

const char* DagLineReader::ReadLine(const char* p) {
  if (*p == '%') {
    // PHIs are always machine instructions.
    if (!lines_.empty()) return Error(p, "PHIs must stand before the nodes of a block");
    const char* end = ReadMachineInstr(p);
    if (end != nullptr && !block()->back()->is_phi()) {
      return Error(p, "of machine instructions only PHIs may stand next to nodes");
    }
    return end;
  }
  if (StartsWith(p, "root:")) return ReadRoot(p + 5);
  if (StartsWith(p, kDebugValue)) {
    const char* end = ReadDebugValue(p);
    has_errors_ |= end == nullptr;
    return end;
  }
  if (StartsWith(p, "SelectionDAG has ")) {
    // Skip the first line of a dump.
    while (!IsEol(*p)) ++p;
    return p;
  }
  Line line;
  line.position = p;
  const char* end = *p == 't' && IsDigit(p[1]) ? ReadNode(p, &line) : Error(p, "expected a node: 't1: i32 = ...'");
  if (end == nullptr) {
    has_errors_ = true;
    line.state = Line::State::kBroken;
    if (*p != 't' || !IsDigit(p[1])) return nullptr;
  }
  const auto [it, inserted] = line_of_number_.try_emplace(line.number, static_cast<uint32_t>(lines_.size()));
  if (!inserted && end != nullptr) {
    has_errors_ = true;
    return Error(p, StrCat("redefinition of t", line.number));
  }
  lines_.push_back(line);
  return end;
}

const char* DagLineReader::ReadRoot(const char* p) {
  p = SkipSpace(p);
  if (has_root_) {
    has_errors_ = true;
    return Error(p, "the root of the block was given before");
  }
  has_root_ = true;
  const char* end = *p == 't' && IsDigit(p[1]) ? ReadReference(p, &root_) : Error(p, "expected a value: 't5'");
  if (end != nullptr) {
    end = SkipSpace(end);
    if (!IsEol(*end)) end = Error(end, "expected the end of the line");
  }
  has_errors_ |= end == nullptr;
  return end;
}

// "DBG_VALUE [ORD=3] t5, $noreg, !6, !DIExpression(), debug-location !8": MIR's DBG_VALUE, except that the variable may
// be described by a value of the DAG.
const char* DagLineReader::ReadDebugValue(const char* p) {
  DebugLine line;
  SDDbgValue& debug_value = line.debug_value;
  const char* begin = p;
  Line notes;
  p = ReadAnnotations(SkipSpace(p + kDebugValue.size()), &notes);
  if (p == nullptr) return nullptr;
  if (*p == 't' && IsDigit(p[1])) {
    p = ReadReference(p, &line.value);
    if (p != nullptr) p = ExpectChar(SkipSpace(p), ',');
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
  }
  std::vector<MachineOperand> operands;
  MetadataId debug_loc;
  const char* rest = p;
  p = ReadDebugOperands(p, &operands, &debug_loc);
  if (p == nullptr) return nullptr;
  if (!line.value.is_reference && !operands.empty()) {
    debug_value.location = operands.front();
    operands.erase(operands.begin());
  }
  const MachineOperand& location = debug_value.location;
  if (!(location.is_reg() && location.reg_flags() == 0 && !location.reg().is_physical()) && !location.is_imm() &&
      !location.is_fp_imm() && !location.is_frame_index()) {
    return Error(rest, "expected a value, a virtual register, a constant, a stack object or '$noreg'");
  }
  if (operands.size() != 3 || !(operands[0].is_imm() || (operands[0].is_reg() && !operands[0].reg().is_valid())) ||
      !operands[1].is_metadata() || !operands[2].is_metadata()) {
    return Error(rest, "expected '$noreg' or '0', a variable and an expression after the value");
  }
  debug_value.is_indirect = operands[0].is_imm();
  debug_value.variable = operands[1].metadata();
  debug_value.expression = operands[2].metadata();
  debug_value.loc = dags_.LocAt({notes.loc.order, debug_loc}, begin);
  debug_lines_.push_back(line);
  return p;
}

// "t5: i32,ch = CopyFromReg t0, Register:i32 %0"
const char* DagLineReader::ReadNode(const char* p, Line* line) {
  p = ReadInteger(p + 1, ~uint32_t{0}, "the number of a node", &line->number);
  if (p == nullptr) return nullptr;
  p = ExpectChar(SkipSpace(p), ':');
  if (p == nullptr) return nullptr;
  p = ReadTypes(SkipSpace(p), line);
  if (p == nullptr) return nullptr;
  p = ExpectChar(SkipSpace(p), '=');
  if (p == nullptr) return nullptr;
  p = ReadName(SkipSpace(p), line);
  if (p == nullptr) return nullptr;
  p = ReadFlags(p, line);
  p = ReadPayload(p, line);
  if (p == nullptr) return nullptr;
  p = ReadAnnotations(SkipSpace(p), line);
  if (p == nullptr) return nullptr;
  line->first_operand = static_cast<uint32_t>(operands_.size());
  while (!IsEol(*p)) {
    if (StartsWith(p, "debug-location ")) {
      p = SkipSpace(p + 15);
      if (*p != '!') return Error(p, "expected a metadata node after 'debug-location'");
      p = ReadMetadata(p, &line->loc.debug_loc);
      if (p == nullptr) return nullptr;
      p = SkipSpace(p);
      if (!IsEol(*p)) return Error(p, "expected the end of the line");
      break;
    }
    const char* begin = p;
    p = ReadOperand(p);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (IsEol(*p)) break;
    if (operands_.size() - line->first_operand > SDNode::kMaxOperands) return Error(begin, "too many operands");
    p = ExpectChar(p, ',');
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (IsEol(*p)) return Error(p, "expected an operand after ','");
  }
  line->num_operands = static_cast<uint32_t>(operands_.size()) - line->first_operand;
  line->loc = dags_.LocAt(line->loc, line->position);
  return p;
}

const char* DagLineReader::ReadType(const char* p, MVT* type) {
  const char* end = SkipIdentifier(p);
  const std::string_view name = TextFrom(p, end);
  const std::optional<MVT> found = FindValueType(name);
  if (found.has_value()) {
    *type = *found;
    return end;
  }
  if (name.empty()) return Error(p, "expected a type");
  NearestName nearest(name);
  for (const ValueTypeInfo& info : kValueTypeInfos) nearest.Consider(info.name);
  return Error(p, StrCat("unknown type '", name, "'", nearest.Suggestion()));
}

const char* DagLineReader::ReadTypes(const char* p, Line* line) {
  line->first_type = static_cast<uint32_t>(types_.size());
  while (true) {
    MVT type;
    p = ReadType(p, &type);
    if (p == nullptr) return nullptr;
    types_.push_back(type);
    line->num_types = static_cast<uint32_t>(types_.size()) - line->first_type;
    if (line->num_types > SDNode::kMaxValues) return Error(p, "too many results");
    if (*p != ',') return p;
    p = SkipSpace(p + 1);
  }
}

const char* DagLineReader::ReadName(const char* p, Line* line) {
  const char* begin = p;
  p = SkipIdentifier(p);
  if (StartsWith(p, "::")) p = SkipIdentifier(p + 2);
  const std::string_view name = TextFrom(begin, p);
  if (name.empty()) return Error(begin, "expected the name of a node");
  if (name.substr(0, kIntrinsicPrefix.size()) == kIntrinsicPrefix) {
    line->is_intrinsic = true;
    line->opcode = isd::kIntrinsicWOChain;
    line->low = function_.InternSymbol(name);
    return p;
  }
  if (const std::optional<CondCode> code = FindCondCode(name)) {
    line->opcode = isd::kCondCode;
    line->low = static_cast<uint64_t>(*code);
    return p;
  }
  const std::optional<int16_t> isd_opcode = FindIsdOpcode(name);
  const bool has_other_name =
      isd_opcode.has_value() && (*isd_opcode == isd::kCondCode || Desc(*isd_opcode).payload == NodePayload::kIntrinsic);
  if (isd_opcode.has_value() && !has_other_name) {
    line->opcode = *isd_opcode;
    return p;
  }
  if (const std::optional<Opcode> opcode = file().opcodes.Find(name.data(), name.size())) {
    line->opcode = static_cast<int16_t>(~*opcode);
    return p;
  }
  NearestName nearest(name);
  ConsiderIsdOpcodes(nearest);
  ConsiderOpcodes(function_.target(), nearest);
  return Error(begin, StrCat("unknown node '", name, "'", nearest.Suggestion()));
}

const char* DagLineReader::ReadFlags(const char* p, Line* line) {
  while (true) {
    const char* begin = SkipSpace(p);
    const char* end = SkipIdentifier(begin);
    uint32_t flag = 0;
    for (const FlagName& known : kFlagNames) {
      if (known.name == TextFrom(begin, end)) flag = known.flag;
    }
    // A name followed by a type is an operand.
    if (flag == 0 || *end == ':') return p;
    line->flags |= flag;
    p = end;
  }
}

// "[ORD=3] [ID=7] # D:1"
const char* DagLineReader::ReadAnnotations(const char* p, Line* line) {
  while (true) {
    uint64_t value = 0;
    if (StartsWith(p, "[ORD=") || StartsWith(p, "[ID=")) {
      const bool is_order = p[1] == 'O';
      p = ReadInteger(p + (is_order ? 5 : 4), ~uint32_t{0}, "a number", &value);
      if (p == nullptr) return nullptr;
      if (is_order) line->loc.order = static_cast<uint32_t>(value);
      p = ExpectChar(p, ']');
    } else if (StartsWith(p, "# D:")) {
      p = ReadInteger(p + 4, 1, "0 or 1", &value);
      line->is_divergent = value == 1;
    } else {
      return p;
    }
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
  }
}

const char* DagLineReader::ReadOperand(const char* p) {
  Operand operand;
  operand.position = p;
  if (*p == 't' && IsDigit(p[1])) {
    p = ReadReference(p, &operand);
  } else if (StartsWith(p, "<null>")) {
    p += 6;
  } else {
    p = ReadLeaf(p, &operand);
  }
  if (p != nullptr) operands_.push_back(operand);
  return p;
}

const char* DagLineReader::ReadReference(const char* p, Operand* operand) {
  operand->position = p;
  operand->is_reference = true;
  p = ReadInteger(p + 1, ~uint32_t{0}, "the number of a node", &operand->number);
  if (p == nullptr) return nullptr;
  if (*p == ':' && IsDigit(p[1])) {
    uint64_t resno = 0;
    p = ReadInteger(p + 1, ~uint32_t{0}, "the number of a result", &resno);
    if (p == nullptr) return nullptr;
    operand->resno = static_cast<uint32_t>(resno);
  }
  return p;
}

// "Constant:i32<7>", "setult:ch", "IMPLICIT_DEF:i32": a node without operands, made where it is used.
const char* DagLineReader::ReadLeaf(const char* p, Operand* operand) {
  Line line;
  line.position = p;
  const size_t types_before = types_.size();
  p = ReadName(p, &line);
  if (p == nullptr) return nullptr;
  if (*p != ':') return Error(p, "expected ':' and a type, or a value");
  line.first_type = static_cast<uint32_t>(types_before);
  MVT type;
  p = ReadType(p + 1, &type);
  if (p == nullptr) return nullptr;
  types_.push_back(type);
  line.num_types = 1;
  p = ReadPayload(p, &line);
  if (p == nullptr) return nullptr;
  operand->leaf = MakeChecked(Dag(), line, {});
  types_.resize(types_before);
  return operand->leaf ? p : nullptr;
}

}  // namespace ptxmir::sdag
