// SPDX-License-Identifier: Apache-2.0

// FunctionReader: reads the body of one function after another. Internal to ir/text.
//
// The reader is a cursor over the text. A body ends with '}', so loops over characters of a token need no other check
// for the end. Words, numbers and short types are looked at 8 characters at a time (word_scan.h), with few branches, in
// the spelling that LLVM prints; another spelling takes a slower way to the same result. What is frequent is read
// directly: simple types, local values, small numbers, globals. Everything else about types, constants and attributes
// is left to IrParser, the parser of the module level.
//
// Parse functions return false or null after they have reported an error.

#ifndef PTXMIR_IR_TEXT_FUNCTION_READER_H_
#define PTXMIR_IR_TEXT_FUNCTION_READER_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/code/program.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"
#include "ir/text/name_table.h"
#include "ir/text/word_scan.h"
#include "ir/text/word_table.h"

namespace ptxmir::ir {

// The meaning of the first word of an instruction: `fadd`, or `tail` of a call.
struct FirstWord {
  Opcode opcode;
  TailKind tail = TailKind::kNone;
  uint32_t allowed_flags = 0;
};

using FirstWordTable = WordTable<FirstWord, 256>;

// The operands of the instruction that is being read.
class OperandList {
 public:
  using Operand = Function::Operand;
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const Operand& operator[](size_t i) const { return memory_[i]; }
  const Operand& back() const { return memory_[size_ - 1]; }
  operator absl::Span<const Operand>() const { return {memory_.data(), size_}; }  // NOLINT
  void clear() { size_ = 0; }
  void Add(Value& value, bool is_metadata = false) {
    if (size_ == memory_.size()) [[unlikely]]
      memory_.resize(size_ == 0 ? 64 : 2 * size_, Operand(value));
    memory_[size_++] = Operand(value, is_metadata);
  }

 private:
  // Operands behind the size are of earlier instructions.
  std::vector<Operand> memory_;
  size_t size_ = 0;
};

class FunctionReader {
 public:
  FunctionReader(Program& program, IrParser::ErrorSink error);

  // Checks the named structures of the module, ahead of the bodies that use them.
  bool CheckNamedStructs();
  // Reads the body of a function of the module. Returns null after an error.
  Function* Read(const IrFunction& signature);

 private:
  // A local name or number as it is written.
  struct Name {
    std::string_view text;  // unescaped
    const char* position = nullptr;
    uint32_t number = 0;
    bool is_number = false;
  };

  // function_reader.cc: blocks, instructions and names.
  bool ReadBody();
  bool ReadLine();
  bool ReadLabel(const Name& name);
  bool DefineBlock(BasicBlock& block, const Name& name);
  BasicBlock* CurrentBlock();
  bool ReadInstruction(const FirstWord& first, const char* position, const Name& name);
  bool IsFirstWord(const PackedWord& word) const { return first_words_.Find(word) != nullptr; }
  bool Refuse(std::string_view word, const char* position);
  bool Define(Instruction& instruction, const Name& name);
  bool DefineIn(Value*& entry, Instruction& instruction, const Name& name);
  bool CheckDefined();
  Instruction* Create(Opcode opcode, const IrType* type) {
    Instruction* instruction = function_->CreateInstruction(opcode, type, operands_);
    instruction->set_flags(flags_);
    return instruction;
  }

  // scanner.cc: characters, words and names.
  bool Error(const char* position, std::string message);
  bool ErrorHere(std::string message) { return Error(p_, std::move(message)); }
  // Returns whether the functions of word_scan.h may be used at the cursor.
  bool CanReadAhead() const { return p_ < read_ahead_end_; }
  [[gnu::always_inline]] void SkipSpace() {
    // LLVM writes one space or none.
    p_ += *p_ == ' ' ? 1 : 0;
    if (static_cast<uint8_t>(*p_) <= ' ' || *p_ == ';') [[unlikely]]
      SkipSpaceSlow();
  }
  void SkipSpaceSlow();
  // Returns whether the instruction ends here, as LLVM writes it: with a new line and two spaces. False may mean that
  // it does, too.
  bool AtPlainEnd() const {
    return CanReadAhead() && BeginsWith<"\n  ">(p_) &&
           (p_[3] == '%' || (p_[3] != '[' && IsFirstWord(PackedWord::BeforeSpace(p_ + 3))));
  }
  [[gnu::always_inline]] bool Try(char c) {
    SkipSpace();
    if (*p_ != c) return false;
    ++p_;
    return true;
  }
  [[gnu::always_inline]] bool Expect(char c, std::string_view where) {
    if (Try(c)) [[likely]]
      return true;
    return ErrorExpected(c, where);
  }
  bool ErrorExpected(char c, std::string_view where);
  // Returns the word at the cursor without consuming it; empty if there is none.
  std::string_view PeekWord();
  bool TryWord(std::string_view word) {
    SkipSpace();
    if (*p_ != word[0] || end_ - p_ <= static_cast<ptrdiff_t>(word.size()) ||
        std::memcmp(p_, word.data(), word.size()) != 0 || IsIrNameChar(p_[word.size()])) {
      return false;
    }
    p_ += word.size();
    return true;
  }
  bool ParseUnsigned(uint64_t max, uint64_t* value);
  bool ParseQuoted(std::string_view* escaped);
  // Parses a name or number from its sigil on.
  bool ParseName(Name* name) { return ParseName(name, max_number_); }
  bool ParseName(Name* name, uint64_t max_number) {
    if (CanReadAhead()) [[likely]] {
      const uint64_t chars = LoadChars(p_ + 1);
      const unsigned count = CountDigits(chars);
      if (count > 0 && count < 8) {
        name->number = ParseDigits(chars, count);
        if (name->number <= max_number) [[likely]] {
          name->position = p_;
          name->is_number = true;
          name->text = {p_ + 1, count};
          p_ += 1 + count;
          return true;
        }
      }
    }
    return ParseNameSlow(name, max_number);
  }
  bool ParseNameSlow(Name* name, uint64_t max_number);
  std::string Printed(const Name& name) const;
  template <typename Parse>
  auto WithParser(Parse parse) {
    parser_.lexer().JumpTo(p_);
    auto result = parse(parser_);
    p_ = parser_.lexer().previous_end();
    return result;
  }

  // operand_reader.cc: types and values.
  const IrType* ParseType() {
    SkipSpace();
    if (CanReadAhead()) [[likely]] {
      size_t length;
      const IrType* known = FindKnownType(p_, &length);
      if (known != nullptr) {
        p_ += length;
        return known;
      }
    }
    return ParseUnknownType();
  }
  // A short type and the space or comma behind it, as characters of LoadChars.
  struct KnownType {
    uint64_t key = 0;
    const IrType* type = nullptr;
  };
  static constexpr size_t kNumKnownTypes = 64;
  static size_t KnownTypeIndex(uint64_t key) { return key * 0x9e3779b97f4a7c15 >> 58; }
  // Returns the type at `p` and the length of its text, or null if it was not read before or might go on.
  const IrType* FindKnownType(const char* p, size_t* length) const {
    const uint64_t chars = LoadChars(p);
    const uint64_t ends = FindChar<' '>(chars) | FindChar<','>(chars);
    const uint64_t key = chars & (ends ^ (ends - 1));
    const KnownType& known = known_types_[KnownTypeIndex(key)];
    *length = static_cast<size_t>(std::countr_zero(ends)) / 8;
    // Behind a type may be `(`, `*` or `addrspace`, which make another one of it.
    const char next = p[*length + 1];
    return known.key == key && next > ' ' && next != '(' && next != '*' && next != 'a' ? known.type : nullptr;
  }
  void RememberType(const IrType* type, const char* begin, const char* end);
  const IrType* ParseUnknownType();
  const IrType* ParseTypeSlow();
  const IrType* CheckType(const IrType* type, const char* position);
  static bool ContainsScalable(const IrType* type);
  Value* ParseValue(const IrType* type);
  Value* ParseTypedValue() {
    const IrType* type = ParseType();
    return type == nullptr ? nullptr : ParseValue(type);
  }
  Value* ParseLocal(const IrType* type) {
    if (CanReadAhead()) [[likely]] {
      const uint64_t chars = LoadChars(p_ + 1);
      const unsigned count = CountDigits(chars);
      if (count > 0 && count < 8) {
        const uint32_t number = ParseDigits(chars, count);
        Value* known = number < numbered_.size() ? numbered_[number] : nullptr;
        if (known != nullptr && known->type() == type) {
          p_ += 1 + count;
          return known;
        }
      }
    }
    return ParseLocalSlow(type);
  }
  Value* ParseLocalSlow(const IrType* type);
  Value* LocalEntry(Value*& entry, const IrType* type, const Name& name);
  // If there is no such global, but the name is that of an intrinsic, returns null without an error and sets
  // `undeclared`.
  Value* ParseGlobal(const IrType* type, std::string_view* undeclared = nullptr);
  Value* ParseInteger(const IrType* type);
  Value* ParseFloat(const IrType* type);
  Value* ParseConstantWord(const IrType* type);
  Value* ParseConstantSlow(const IrType* type);
  bool Push(Value* value) {
    if (value == nullptr) return false;
    operands_.Add(*value);
    return true;
  }
  bool PushTyped() { return Push(ParseTypedValue()); }
  bool PushSameType(std::string_view where);
  BasicBlock* ParseTypedBlock();
  bool PushBlock();

  // instruction_reader.cc: everything but memory and calls.
  Instruction* ReadOperation(Opcode opcode);
  Instruction* ReadRet();
  Instruction* ReadBr();
  Instruction* ReadSwitch();
  Instruction* ReadBinary(Opcode opcode);
  Instruction* ReadUnary(Opcode opcode);
  Instruction* ReadCast(Opcode opcode);
  Instruction* ReadCompare(Opcode opcode);
  Instruction* ReadPhi();
  Instruction* ReadSelect();
  Instruction* ReadVAArg();
  Instruction* ReadElement(Opcode opcode);
  Instruction* ReadShuffle();
  Instruction* ReadExtractValue();
  Instruction* ReadInsertValue();
  bool ParseIndices(const IrType* type, const IrType** element);
  void ParseFlags(uint32_t allowed) {
    // Most instructions have none: a type follows.
    SkipSpace();
    size_t length;
    if (CanReadAhead() && FindKnownType(p_, &length) != nullptr) return;
    ParseFlagsSlow(allowed);
  }
  void ParseFlagsSlow(uint32_t allowed);

  // memory_reader.cc
  Instruction* ReadAlloca();
  Instruction* ReadLoad();
  Instruction* ReadStore();
  Instruction* ReadGetElementPtr();
  Instruction* ReadFence();
  Instruction* ReadCmpXchg();
  Instruction* ReadAtomicRMW();
  bool ParseScope(SyncScopeId* scope);
  bool ParseOrdering(AtomicOrdering* ordering);
  bool ParseAtomic(AtomicOrdering* ordering, SyncScopeId* scope);
  // Parses `, align N` if that follows.
  bool ParseAlign(int* log_align);
  // Reads what follows the operands of a load or store, and creates it.
  Instruction* FinishAccess(Opcode opcode, const IrType* result, bool is_atomic);
  // Skips a comma, unless attachments follow (`, !dbg !1`).
  bool TryCommaBeforeItem();
  bool ParseAlignValue(int* log_align);
  static void SetAlign(Instruction& instruction, int log_align) {
    if (log_align >= 0) instruction.set_log_align(static_cast<uint8_t>(log_align));
  }

  // call_reader.cc
  Instruction* ReadCall();
  bool ParseCallHead(CallDetail* detail);
  bool ParseArguments(std::vector<const IrType*>* types);
  bool ParseArgument(std::vector<const IrType*>* types);
  bool ParseCallee(CallDetail* detail, const IrType* result);
  Value* ParseInlineAsm();
  bool ParseBundles(std::vector<OperandBundle>* bundles);
  const IrType* CalledType(const Value* callee, const IrType* result);
  bool ParseAttributes(bool is_function, AttributeSetId* id) {
    *id = 0;
    SkipSpace();
    return TryKnownAttributes(is_function, id) || ParseAttributesSlow(is_function, id);
  }
  bool TryKnownAttributes(bool is_function, AttributeSetId* id);
  bool ParseAttributesSlow(bool is_function, AttributeSetId* id);
  const char* ScanAttribute(const char* p, bool is_function) const;
  bool PushMetadata();

  // metadata_reader.cc
  bool ParseAttachment(std::string_view* kind, MetadataRef* node);
  bool ParseAttachments(Instruction& instruction);
  bool ParseMetadata(MetadataRef* node);
  MetadataRef UpgradedTbaa(MetadataRef node);
  bool ReadRecord();
  bool ParseLocation(DebugRecordDetail* detail, MetadataRef* raw);
  bool ParseRecordNode(bool is_call, MetadataRef* node);
  bool ParseRecordFields(Opcode opcode, bool is_call, DebugRecordDetail* detail);
  void AddRecord(Instruction& record);
  bool IsDebugCall(const Value& callee) const;
  Instruction* ReadDebugCall(const Value& callee);

  const FirstWordTable& first_words_;
  Program& program_;
  Module& module_;
  IrTypeTable& types_;
  IrParser::ErrorSink error_;
  IrParser parser_;
  const char* text_begin_;
  const IrType* const void_;
  const IrType* const label_;
  const IrType* const metadata_;

  // The function that is being read.
  Function* function_ = nullptr;
  const char* p_ = nullptr;
  const char* end_ = nullptr;  // of the body, behind its '}'
  const char* read_ahead_end_ = nullptr;
  BasicBlock* block_ = nullptr;
  bool had_error_ = false;
  uint32_t next_slot_ = 0;
  uint64_t max_number_ = 0;  // of a local value
  std::vector<Value*> numbered_;
  NameTable named_;
  std::vector<std::pair<BasicBlock*, Name>> pending_blocks_;
  std::vector<std::pair<Placeholder*, Name>> placeholders_;
  size_t num_undefined_blocks_ = 0;
  size_t num_undefined_values_ = 0;
  Instruction* first_record_ = nullptr;
  Instruction* last_record_ = nullptr;
  // The instruction that is being read.
  uint32_t flags_ = 0;
  OperandList operands_;
  std::vector<uint32_t> indices_;
  std::vector<Attachment> attachments_;
  std::vector<AttributeSetId> argument_attributes_;
  std::vector<const IrType*> argument_types_;
  std::string_view pointer_text_;  // of the argument's type, if it ends with '*'

  std::array<KnownType, kNumKnownTypes> known_types_;
  // Addresses of globals in the function that is being read, by a hash of the name.
  struct KnownGlobal {
    std::string_view name;
    ConstantValue* value;
  };
  static constexpr size_t kNumKnownGlobals = 64;
  std::array<KnownGlobal, kNumKnownGlobals> known_globals_;

  // Texts that were read before, of the whole module.
  absl::flat_hash_map<std::string_view, const IrType*> type_texts_;
  absl::flat_hash_map<std::string_view, AttributeSetId> attribute_texts_;
  // The sets that are `#N`, by N; 0 if it was not read. Larger numbers are only in attribute_texts_.
  static constexpr uint32_t kMaxGroupSets = 4096;
  std::vector<AttributeSetId> group_sets_;
  absl::flat_hash_map<MetadataId, MetadataRef> upgraded_tbaa_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_FUNCTION_READER_H_
