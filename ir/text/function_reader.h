// SPDX-License-Identifier: Apache-2.0

// FunctionReader: reads the body of one function after another. Internal to ir/text.
//
// The reader is a cursor over the text. A body ends with '}', so loops over characters of a token need no other check
// for the end. What is frequent is read directly: simple types, local values, small integers, globals. Everything else
// about types, constants and attributes is left to IrParser, the parser of the module level.
//
// Parse functions return false or null after they have reported an error.

#ifndef PTXMIR_IR_TEXT_FUNCTION_READER_H_
#define PTXMIR_IR_TEXT_FUNCTION_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/code/program.h"
#include "ir/ir_parser.h"

namespace ptxmir::ir {

class FunctionReader {
 public:
  FunctionReader(Program& program, IrParser::ErrorSink error);

  // Checks the named structures of the module, ahead of the bodies that use them.
  bool CheckNamedStructs();
  // Reads the body of a function of the module. Returns null after an error.
  Function* Read(const IrFunction& signature);

 private:
  using Operand = Function::Operand;

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
  bool ReadInstruction(std::string_view word, const char* position, const Name& name);
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
  void SkipSpace() {
    while (*p_ == ' ') ++p_;
    if (static_cast<uint8_t>(*p_) <= ' ' || *p_ == ';') SkipSpaceSlow();
  }
  void SkipSpaceSlow();
  bool Try(char c) {
    SkipSpace();
    if (*p_ != c) return false;
    ++p_;
    return true;
  }
  bool Expect(char c, std::string_view where);
  // Returns the word at the cursor without consuming it; empty if there is none.
  std::string_view PeekWord();
  bool TryWord(std::string_view word);
  bool ParseUnsigned(uint64_t max, uint64_t* value);
  bool ParseQuoted(std::string_view* escaped);
  // Parses a name or number from its sigil on.
  bool ParseName(Name* name) { return ParseName(name, max_number_); }
  bool ParseName(Name* name, uint64_t max_number);
  std::string Printed(const Name& name) const;
  template <typename Parse>
  auto WithParser(Parse parse) {
    parser_.lexer().JumpTo(p_);
    auto result = parse(parser_);
    p_ = parser_.lexer().previous_end();
    return result;
  }

  // operand_reader.cc: types and values.
  const IrType* ParseType();
  const IrType* ParseTypeSlow();
  const IrType* CheckType(const IrType* type, const char* position);
  static bool ContainsScalable(const IrType* type);
  Value* ParseValue(const IrType* type);
  Value* ParseTypedValue() {
    const IrType* type = ParseType();
    return type == nullptr ? nullptr : ParseValue(type);
  }
  Value* ParseLocal(const IrType* type);
  Value* LocalEntry(Value*& entry, const IrType* type, const Name& name);
  Value* ParseGlobal(const IrType* type);
  Value* ParseInteger(const IrType* type);
  Value* ParseConstantWord(const IrType* type);
  Value* ParseConstantSlow(const IrType* type);
  bool Push(Value* value) {
    if (value == nullptr) return false;
    operands_.emplace_back(*value);
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
  void ParseFlags(Opcode opcode);

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
  bool ParseAttributes(bool is_function, AttributeSetId* id);
  const char* ScanAttribute(const char* p, bool is_function) const;
  bool PushMetadata();

  // metadata_reader.cc
  bool ParseAttachments(Instruction& instruction);
  bool ParseMetadata(MetadataRef* node);
  MetadataRef UpgradedTbaa(MetadataRef node);
  bool ReadRecord();
  bool ParseLocation(DebugRecordDetail* detail, MetadataRef* raw);
  bool ParseRecordFields(Opcode opcode, DebugRecordDetail* detail);

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
  BasicBlock* block_ = nullptr;
  bool had_error_ = false;
  uint32_t next_slot_ = 0;
  uint64_t max_number_ = 0;  // of a local value
  std::vector<Value*> numbered_;
  absl::flat_hash_map<std::string_view, Value*> named_;
  std::vector<std::pair<BasicBlock*, Name>> pending_blocks_;
  std::vector<std::pair<Placeholder*, Name>> placeholders_;
  size_t num_undefined_blocks_ = 0;
  size_t num_undefined_values_ = 0;
  Instruction* first_record_ = nullptr;
  Instruction* last_record_ = nullptr;
  // The instruction that is being read.
  uint32_t flags_ = 0;
  std::vector<Operand> operands_;
  std::vector<uint32_t> indices_;
  std::vector<Attachment> attachments_;
  std::vector<AttributeSetId> argument_attributes_;
  std::vector<const IrType*> argument_types_;
  std::string_view pointer_text_;  // of the argument's type, if it ends with '*'

  // Texts that were read before, of the whole module.
  absl::flat_hash_map<std::string_view, const IrType*> type_texts_;
  absl::flat_hash_map<std::string_view, AttributeSetId> attribute_texts_;
  absl::flat_hash_map<MetadataId, MetadataRef> upgraded_tbaa_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_FUNCTION_READER_H_
