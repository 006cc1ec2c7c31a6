// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads instructions other than calls and accesses of memory.

#include <bit>

#include "base/str_cat.h"
#include "ir/text/function_reader.h"
#include "ir/text/word_table.h"

namespace ptxmir::ir {
namespace {

using FlagTable = WordTable<uint32_t, 64>;

const FlagTable& Flags() {
  static const FlagTable table = [] {
    FlagTable made;
    for (uint32_t flag = 1; flag <= kSwiftError; flag <<= 1)
      made.Add(FlagWord(static_cast<InstructionFlag>(flag)), flag);
    made.Add("fast", kFastMath);
    return made;
  }();
  return table;
}

using PredicateTable = WordTable<Predicate, 64>;

const PredicateTable& Predicates(bool is_integer) {
  const auto make = [](Predicate first, Predicate last) {
    PredicateTable made;
    for (auto p = static_cast<int>(first); p <= static_cast<int>(last); ++p) {
      made.Add(PredicateWord(static_cast<Predicate>(p)), static_cast<Predicate>(p));
    }
    return made;
  };
  static const PredicateTable floats = make(Predicate::kFalse, Predicate::kTrue);
  static const PredicateTable integers = make(Predicate::kEq, Predicate::kSle);
  return is_integer ? integers : floats;
}

}  // namespace

void FunctionReader::ParseFlagsSlow(uint32_t allowed) {
  while (true) {
    SkipSpace();
    const uint32_t* flag = nullptr;
    size_t length = 0;
    if (CanReadAhead()) [[likely]] {
      const PackedWord word = PackedWord::BeforeSpace(p_);
      flag = Flags().Find(word);
      length = word.size();
    }
    if (flag == nullptr) {
      const std::string_view word = PeekWord();
      flag = Flags().Find(word);
      length = word.size();
    }
    if (flag == nullptr || (*flag & allowed) == 0) return;
    flags_ |= *flag;
    p_ += length;
    // inbounds implies nusw.
    if (*flag == kInBounds) flags_ |= kNoUnsignedSignedWrap;
  }
}

Instruction* FunctionReader::ReadOperation(Opcode opcode) {
  if (IsBinary(opcode)) return ReadBinary(opcode);
  if (ir::IsCast(opcode)) return ReadCast(opcode);
  switch (opcode) {
    case Opcode::kRet:
      return ReadRet();
    case Opcode::kBr:
      return ReadBr();
    case Opcode::kSwitch:
      return ReadSwitch();
    case Opcode::kUnreachable:
      return Create(opcode, void_);
    case Opcode::kFNeg:
    case Opcode::kFreeze:
      return ReadUnary(opcode);
    case Opcode::kICmp:
    case Opcode::kFCmp:
      return ReadCompare(opcode);
    case Opcode::kPhi:
      return ReadPhi();
    case Opcode::kSelect:
      return ReadSelect();
    case Opcode::kCall:
      return ReadCall();
    case Opcode::kVAArg:
      return ReadVAArg();
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
      return ReadElement(opcode);
    case Opcode::kShuffleVector:
      return ReadShuffle();
    case Opcode::kExtractValue:
      return ReadExtractValue();
    case Opcode::kInsertValue:
      return ReadInsertValue();
    case Opcode::kAlloca:
      return ReadAlloca();
    case Opcode::kLoad:
      return ReadLoad();
    case Opcode::kStore:
      return ReadStore();
    case Opcode::kGetElementPtr:
      return ReadGetElementPtr();
    case Opcode::kFence:
      return ReadFence();
    case Opcode::kCmpXchg:
      return ReadCmpXchg();
    case Opcode::kAtomicRMW:
      return ReadAtomicRMW();
    default:
      ErrorHere("expected instruction opcode");
      return nullptr;
  }
}

Instruction* FunctionReader::ReadRet() {
  const IrType* type = ParseType();
  if (type == nullptr || (!type->is_void() && !Push(ParseValue(type)))) return nullptr;
  return Create(Opcode::kRet, void_);
}

Instruction* FunctionReader::ReadBr() {
  SkipSpace();
  if (*p_ == 'l') return PushBlock() ? Create(Opcode::kBr, void_) : nullptr;
  const char* position = p_;
  if (!PushTyped()) return nullptr;
  if (!operands_[0].value->type()->is_integer(1)) {
    Error(position, "branch condition must have 'i1' type");
    return nullptr;
  }
  const bool ok =
      Expect(',', "after branch condition") && PushBlock() && Expect(',', "after true destination") && PushBlock();
  return ok ? Create(Opcode::kBr, void_) : nullptr;
}

Instruction* FunctionReader::ReadSwitch() {
  const char* position = p_;
  if (!PushTyped()) return nullptr;
  if (!operands_[0].value->type()->is_integer()) {
    Error(position, "switch condition must have integer type");
    return nullptr;
  }
  if (!Expect(',', "after switch condition") || !PushBlock() || !Expect('[', "with switch table")) return nullptr;
  while (!Try(']')) {
    SkipSpace();
    const char* case_position = p_;
    Value* value = ParseTypedValue();
    if (value == nullptr) return nullptr;
    if (!value->is_constant() || static_cast<ConstantValue*>(value)->constant().kind != IrConstant::Kind::kInteger) {
      Error(case_position, "case value is not a constant integer");
      return nullptr;
    }
    operands_.Add(*value);
    if (!Expect(',', "after case value") || !PushBlock()) return nullptr;
  }
  return Create(Opcode::kSwitch, void_);
}

Instruction* FunctionReader::ReadBinary(Opcode opcode) {
  if (!PushTyped() || !PushSameType("in arithmetic operation")) return nullptr;
  return Create(opcode, operands_[0].value->type());
}

Instruction* FunctionReader::ReadUnary(Opcode opcode) {
  return PushTyped() ? Create(opcode, operands_[0].value->type()) : nullptr;
}

Instruction* FunctionReader::ReadCast(Opcode opcode) {
  if (!PushTyped()) return nullptr;
  if (!TryWord("to")) {
    ErrorHere("expected 'to' after cast value");
    return nullptr;
  }
  const IrType* type = ParseType();
  return type == nullptr ? nullptr : Create(opcode, type);
}

Instruction* FunctionReader::ReadCompare(Opcode opcode) {
  SkipSpace();
  const PredicateTable& predicates = Predicates(opcode == Opcode::kICmp);
  const Predicate* predicate = nullptr;
  size_t length = 0;
  if (CanReadAhead()) [[likely]] {
    const PackedWord word = PackedWord::BeforeSpace(p_);
    predicate = predicates.Find(word);
    length = word.size();
  }
  if (predicate == nullptr) {
    const std::string_view word = PeekWord();
    predicate = predicates.Find(word);
    length = word.size();
  }
  if (predicate == nullptr) {
    ErrorHere(opcode == Opcode::kICmp ? "expected icmp predicate (e.g. 'eq')" : "expected fcmp predicate (e.g. 'oeq')");
    return nullptr;
  }
  p_ += length;
  if (!PushTyped() || !PushSameType("after compare value")) return nullptr;
  const IrType* compared = operands_[0].value->type();
  const IrType* type = types_.Integer(1);
  if (compared->is_vector()) type = types_.Vector(type, compared->num_elements());
  Instruction* instruction = Create(opcode, type);
  instruction->set_variant(static_cast<uint8_t>(*predicate));
  return instruction;
}

Instruction* FunctionReader::ReadPhi() {
  const char* position = p_;
  const IrType* type = ParseType();
  if (type == nullptr) return nullptr;
  if (!type->is_first_class()) {
    Error(position, "phi node must have first class type");
    return nullptr;
  }
  SkipSpace();
  // A PHI without predecessors has no brackets.
  if (*p_ != '[') return Create(Opcode::kPhi, type);
  do {
    if (!Expect('[', "in phi value list") || !Push(ParseValue(type)) || !Expect(',', "after insertelement value")) {
      return nullptr;
    }
    SkipSpace();
    if (*p_ != '%') {
      ErrorHere("expected a basic block");
      return nullptr;
    }
    if (!Push(ParseLocal(label_)) || !Expect(']', "in phi value list")) return nullptr;
    SkipSpace();
    if (*p_ != ',') break;
    // Attachments follow a comma, too.
    const char* comma = p_++;
    SkipSpace();
    if (*p_ != '[') {
      p_ = comma;
      break;
    }
  } while (true);
  return Create(Opcode::kPhi, type);
}

Instruction* FunctionReader::ReadSelect() {
  const bool ok = PushTyped() && Expect(',', "after select condition") && PushTyped() &&
                  Expect(',', "after select value") && PushTyped();
  return ok ? Create(Opcode::kSelect, operands_[1].value->type()) : nullptr;
}

Instruction* FunctionReader::ReadVAArg() {
  if (!PushTyped() || !Expect(',', "after vaarg operand")) return nullptr;
  const IrType* type = ParseType();
  return type == nullptr ? nullptr : Create(Opcode::kVAArg, type);
}

Instruction* FunctionReader::ReadElement(Opcode opcode) {
  SkipSpace();
  const char* position = p_;
  if (!PushTyped()) return nullptr;
  const IrType* vector = operands_[0].value->type();
  if (!vector->is_vector()) {
    Error(position, StrCat("invalid ", OpcodeWord(opcode), " operands"));
    return nullptr;
  }
  const bool inserts = opcode == Opcode::kInsertElement;
  if (inserts && (!Expect(',', "after insertelement value") || !PushTyped())) return nullptr;
  if (!Expect(',', inserts ? "after insertelement value" : "after extract value") || !PushTyped()) return nullptr;
  return Create(opcode, inserts ? vector : vector->element());
}

Instruction* FunctionReader::ReadShuffle() {
  SkipSpace();
  const char* position = p_;
  const bool ok = PushTyped() && Expect(',', "after shuffle mask") && PushTyped() &&
                  Expect(',', "after shuffle value") && PushTyped();
  if (!ok) return nullptr;
  const IrType* vector = operands_[0].value->type();
  const Value& mask = *operands_[2].value;
  if (!vector->is_vector() || operands_[1].value->type() != vector || !mask.type()->is_vector() ||
      !mask.is_constant()) {
    Error(position, "invalid shufflevector operands");
    return nullptr;
  }
  return Create(Opcode::kShuffleVector, types_.Vector(vector->element(), mask.type()->num_elements()));
}

// Parses `, 1, 2` and finds the type of the member.
bool FunctionReader::ParseIndices(const IrType* type, const IrType** element) {
  indices_.clear();
  while (TryCommaBeforeItem()) {
    const char* position = p_;
    uint64_t index;
    if (!ParseUnsigned(~uint32_t{0}, &index)) return false;
    const bool fits = type->is_array()    ? index < type->num_elements()
                      : type->is_struct() ? index < type->members().size()
                                          : false;
    if (!fits) return Error(position, StrCat("invalid index for '", type->ToString(), "'"));
    type = type->is_array() ? type->element() : type->members()[index];
    indices_.push_back(static_cast<uint32_t>(index));
  }
  if (indices_.empty()) return ErrorHere("expected ',' as start of index list");
  *element = type;
  return true;
}

Instruction* FunctionReader::ReadExtractValue() {
  const IrType* type;
  if (!PushTyped() || !ParseIndices(operands_[0].value->type(), &type)) return nullptr;
  Instruction* instruction = Create(Opcode::kExtractValue, type);
  function_->SetDetail(*instruction, absl::Span<const uint32_t>(function_->arena().CopyArray<uint32_t>(indices_)));
  return instruction;
}

Instruction* FunctionReader::ReadInsertValue() {
  if (!PushTyped() || !Expect(',', "after insertvalue operand")) return nullptr;
  SkipSpace();
  const char* position = p_;
  const IrType* aggregate = operands_[0].value->type();
  const IrType* type;
  if (!PushTyped() || !ParseIndices(aggregate, &type)) return nullptr;
  const IrType* inserted = operands_[1].value->type();
  if (inserted != type) {
    Error(position, StrCat("insertvalue operand and field disagree in type: '", inserted->ToString(), "' instead of '",
                           type->ToString(), "'"));
    return nullptr;
  }
  Instruction* instruction = Create(Opcode::kInsertValue, aggregate);
  function_->SetDetail(*instruction, absl::Span<const uint32_t>(function_->arena().CopyArray<uint32_t>(indices_)));
  return instruction;
}

}  // namespace ptxmir::ir
