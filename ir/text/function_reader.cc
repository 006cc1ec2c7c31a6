// SPDX-License-Identifier: Apache-2.0

#include "ir/text/function_reader.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_text.h"

namespace ptxmir::ir {
namespace {

constexpr std::string_view kTailWords[] = {"", "tail", "musttail", "notail"};

const FirstWordTable& FirstWords() {
  static const FirstWordTable table = [] {
    FirstWordTable made;
    for (int i = 0; i < static_cast<int>(Opcode::kDbgValue); ++i) {
      const auto opcode = static_cast<Opcode>(i);
      made.Add(OpcodeWord(opcode), {opcode, TailKind::kNone, AllowedFlags(opcode)});
    }
    for (const TailKind tail : {TailKind::kTail, TailKind::kMustTail, TailKind::kNoTail}) {
      made.Add(kTailWords[static_cast<size_t>(tail)], {Opcode::kCall, tail, AllowedFlags(Opcode::kCall)});
    }
    return made;
  }();
  return table;
}

// Instructions of LLVM that PTX cannot express, and why.
constexpr std::pair<std::string_view, std::string_view> kRefused[] = {
    {"indirectbr", "PTX has no addresses of labels"},
    {"invoke", "PTX has no exceptions"},
    {"callbr", "PTX has no inline assembly that jumps"},
    {"resume", "PTX has no exceptions"},
    {"landingpad", "PTX has no exceptions"},
    {"catchswitch", "PTX has no exceptions"},
    {"catchpad", "PTX has no exceptions"},
    {"catchret", "PTX has no exceptions"},
    {"cleanuppad", "PTX has no exceptions"},
    {"cleanupret", "PTX has no exceptions"},
};

}  // namespace

FunctionReader::FunctionReader(Program& program, IrParser::ErrorSink error)
    : first_words_(FirstWords()),
      program_(program),
      module_(program.module()),
      types_(module_.types()),
      error_(std::move(error)),
      parser_(module_.ir_text(), module_,
              [this](const char* position, std::string message) { Error(position, std::move(message)); }),
      text_begin_(module_.ir_text().data()),
      void_(types_.Void()),
      label_(types_.Simple(IrType::Kind::kLabel)),
      metadata_(types_.Simple(IrType::Kind::kMetadata)) {}

bool FunctionReader::CheckNamedStructs() {
  for (const IrType* type : types_.named_structs()) {
    for (const IrType* member : type->members()) {
      if (!ContainsScalable(member)) continue;
      error_(text_begin_,
             StrCat("scalable vectors are not supported: '", member->ToString(), "' in '", type->ToString(), "'"));
      return false;
    }
  }
  return true;
}

Function* FunctionReader::Read(const IrFunction& signature) {
  function_ = &program_.AddFunction(signature.id());
  p_ = signature.body_text.data() + 1;
  end_ = signature.body_text.data() + signature.body_text.size();
  const char* text_end = text_begin_ + module_.ir_text().size();
  read_ahead_end_ = p_ >= text_begin_ && text_end - p_ > kReadAhead ? text_end - kReadAhead : p_;
  block_ = nullptr;
  had_error_ = false;
  next_slot_ = 0;
  numbered_.clear();
  named_.Clear();
  pending_blocks_.clear();
  placeholders_.clear();
  num_undefined_blocks_ = num_undefined_values_ = 0;
  first_record_ = last_record_ = nullptr;
  known_globals_.fill({});
  for (Argument* argument : function_->arguments()) {
    const IrParameter& parameter = signature.parameters[argument->number()];
    if (!parameter.name.empty()) {
      Value*& entry = named_[parameter.name];
      if (entry != nullptr) {
        Error(parameter.name.data(), StrCat("redefinition of argument '%", parameter.name, "'"));
      } else {
        entry = argument;
      }
      continue;
    }
    next_slot_ = parameter.slot + 1;
    // A gap in the numbers is no longer than the text, or the table of values would be.
    if (parameter.slot > signature.source_text.size()) {
      Error(signature.source_text.data(), "the number of an argument is too large");
      return nullptr;
    }
    numbered_.resize(next_slot_);
    numbered_[parameter.slot] = argument;
  }
  if (ContainsScalable(signature.value_type)) {
    Error(signature.source_text.data(),
          StrCat("scalable vectors are not supported: '", signature.value_type->ToString(), "'"));
  }
  max_number_ = signature.source_text.size();
  return !had_error_ && ReadBody() ? function_ : nullptr;
}

bool FunctionReader::ReadBody() {
  while (true) {
    // As LLVM writes it: a new line with two spaces.
    if (p_[0] == '\n' && p_[1] == ' ' && p_[2] == ' ') p_ += 3;
    SkipSpace();
    if (*p_ == '}') break;
    if (!ReadLine()) return false;
  }
  if (p_ + 1 != end_) return ErrorHere("expected instruction opcode");
  if (function_->blocks().empty()) return ErrorHere("function body requires at least one basic block");
  if (block_ != nullptr) return ErrorHere("expected instruction opcode");
  return CheckDefined();
}

// Reads a label, an instruction or a debug record.
bool FunctionReader::ReadLine() {
  Name name;
  if (*p_ == '#') return ReadRecord();
  if (*p_ == '%') {
    if (!ParseName(&name) || !Expect('=', "after instruction name")) return false;
  } else if (*p_ == '"') {
    const char* quote = p_--;
    if (!ParseName(&name)) return false;
    name.position = quote;
    if (*p_++ != ':') return Error(quote, "expected ':' after the name of a block");
    return ReadLabel(name);
  }
  SkipSpace();
  const char* position = p_;
  if (CanReadAhead()) [[likely]] {
    const PackedWord packed = PackedWord::BeforeSpace(p_);
    if (const FirstWord* known = first_words_.Find(packed); known != nullptr) [[likely]] {
      p_ += packed.size();
      return ReadInstruction(*known, position, name);
    }
  }
  const std::string_view word = PeekWord();
  if (word.empty()) return ErrorHere("expected instruction opcode");
  if (name.position == nullptr && word.end()[0] == ':') {
    name.position = p_;
    if (std::all_of(word.begin(), word.end(), IsIrDigit)) {
      --p_;
      if (!ParseName(&name)) return false;
      name.position = position;
    } else {
      name.text = word;
    }
    p_ = word.end() + 1;
    return ReadLabel(name);
  }
  p_ += word.size();
  if (word == "uselistorder" || word == "uselistorder_bb") {
    const void* newline = std::char_traits<char>::find(p_, static_cast<size_t>(end_ - p_), '\n');
    p_ = newline == nullptr ? end_ - 1 : static_cast<const char*>(newline);
    return true;
  }
  const FirstWord* known = first_words_.Find(word);
  return known == nullptr ? Refuse(word, position) : ReadInstruction(*known, position, name);
}

bool FunctionReader::ReadInstruction(const FirstWord& first, const char* position, const Name& name) {
  if (first.tail != TailKind::kNone && !TryWord("call")) {
    return ErrorHere(StrCat("expected 'call' after '", kTailWords[static_cast<size_t>(first.tail)], "'"));
  }
  operands_.clear();
  flags_ = 0;
  BasicBlock* block = block_ != nullptr ? block_ : CurrentBlock();
  if (block == nullptr) return false;
  if (first.allowed_flags != 0) ParseFlags(first.allowed_flags);
  Instruction* instruction = ReadOperation(first.opcode);
  if (instruction == nullptr) return false;
  instruction->set_position(static_cast<uint32_t>(position - text_begin_) + 1);
  if (instruction->is_debug_record()) [[unlikely]] {
    return name.position == nullptr || Error(name.position, "instructions returning void cannot have a name");
  }
  if (first.tail != TailKind::kNone) instruction->set_variant(static_cast<uint8_t>(first.tail));
  instruction->set_first_record(std::exchange(first_record_, nullptr));
  last_record_ = nullptr;
  block->Append(*instruction);
  if (instruction->type() == void_) {
    if (name.position != nullptr) return Error(name.position, "instructions returning void cannot have a name");
  } else if (!Define(*instruction, name)) {
    return false;
  }
  if (!AtPlainEnd()) {
    SkipSpace();
    if (*p_ == ',' && !ParseAttachments(*instruction)) return false;
  }
  if (instruction->is_terminator()) block_ = nullptr;
  return true;
}

bool FunctionReader::Refuse(std::string_view word, const char* position) {
  for (const auto& [refused, reason] : kRefused) {
    if (word == refused) return Error(position, StrCat("'", word, "' is not supported: ", reason));
  }
  return Error(position, "expected instruction opcode");
}

BasicBlock* FunctionReader::CurrentBlock() {
  if (block_ != nullptr) return block_;
  // A block without a label takes the next number.
  Name name;
  name.is_number = true;
  name.number = next_slot_;
  name.position = p_;
  ReadLabel(name);
  return block_;
}

bool FunctionReader::ReadLabel(const Name& name) {
  if (block_ != nullptr) return Error(name.position, "the block before this label does not end with a terminator");
  if (first_record_ != nullptr) return Error(name.position, "expected an instruction after a debug record");
  Value** entry;
  if (name.is_number) {
    if (name.number < next_slot_) {
      return Error(name.position, StrCat("label expected to be numbered '", next_slot_, "' or greater"));
    }
    next_slot_ = name.number + 1;
    if (numbered_.size() <= name.number) numbered_.resize(std::max<size_t>(name.number + 1, numbered_.size() * 2));
    entry = &numbered_[name.number];
  } else {
    entry = &named_[name.text];
  }
  if (*entry == nullptr) {
    *entry = function_->CreateBlock();
  } else if (!(*entry)->is_block()) {
    return Error(name.position, StrCat("unable to create block '", Printed(name), "': it is the name of a value"));
  } else {
    if (static_cast<BasicBlock*>(*entry)->number() != BasicBlock::kNoNumber) {
      return Error(name.position, StrCat("redefinition of block '", Printed(name), "'"));
    }
    --num_undefined_blocks_;
  }
  return DefineBlock(static_cast<BasicBlock&>(**entry), name);
}

bool FunctionReader::DefineBlock(BasicBlock& block, const Name& name) {
  if (!name.is_number) block.set_name(function_->AddName(name.text));
  function_->AppendBlock(block);
  block_ = &block;
  return true;
}

bool FunctionReader::Define(Instruction& instruction, const Name& name) {
  if (name.position != nullptr && !name.is_number) {
    instruction.set_name(function_->AddName(name.text));
    return DefineIn(named_[name.text], instruction, name);
  }
  uint32_t number = next_slot_;
  if (name.position != nullptr) {
    if (name.number < number) {
      return Error(name.position, StrCat("instruction expected to be numbered '%", number, "' or greater"));
    }
    number = name.number;
  }
  next_slot_ = number + 1;
  if (numbered_.size() <= number) numbered_.resize(std::max<size_t>(number + 1, numbered_.size() * 2));
  return DefineIn(numbered_[number], instruction, name);
}

bool FunctionReader::DefineIn(Value*& entry, Instruction& instruction, const Name& name) {
  Value* known = std::exchange(entry, &instruction);
  if (known == nullptr) return true;
  const char* position = name.position != nullptr ? name.position : text_begin_ + instruction.position() - 1;
  if (known->kind() != Value::Kind::kPlaceholder) {
    return Error(position, StrCat("multiple definition of local value named '", name.text, "'"));
  }
  if (known->type() != instruction.type()) {
    return Error(position, StrCat("instruction forward referenced with type '", known->type()->ToString(), "'"));
  }
  known->ReplaceAllUsesWith(instruction);
  --num_undefined_values_;
  return true;
}

// Reports the first mention of a name without a definition.
bool FunctionReader::CheckDefined() {
  if (num_undefined_blocks_ == 0 && num_undefined_values_ == 0) return true;
  const Name* first = nullptr;
  for (const auto& [block, name] : pending_blocks_) {
    if (block->number() == BasicBlock::kNoNumber && (first == nullptr || name.position < first->position)) {
      first = &name;
    }
  }
  for (const auto& [placeholder, name] : placeholders_) {
    if (placeholder->has_uses() && (first == nullptr || name.position < first->position)) first = &name;
  }
  if (first == nullptr) return true;
  return Error(first->position, StrCat("use of undefined value '", Printed(*first), "'"));
}

}  // namespace ptxmir::ir
