// SPDX-License-Identifier: Apache-2.0

// Reads the machine code of one function (blocks, instructions, operands) in one pass over the text. Forward
// references to blocks are checked at the end.
//
// All Read functions take the position at which to read. They return the position after the text that they read,
// or null after reporting an error; the caller then continues with the next line. Positions are thus passed in
// registers, which is the main reason for the reader's speed. Nothing is allocated for an instruction except the
// instruction itself.
//
// The class is implemented in several files: mir_body_reader.cc (blocks), mir_instr_reader.cc (instructions and
// the common operands), mir_old_instr_reader.cc (instructions of old LLVMs), mir_operand_reader.cc (the rare operands)
// and mir_memoperand_reader.cc.

#ifndef PTXMIR_MIR_TEXT_MIR_BODY_READER_H_
#define PTXMIR_MIR_TEXT_MIR_BODY_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "mir/text/mir_lexer.h"
#include "mir/text/mir_reader_state.h"
#include "mir/upgrade/instr_upgrader.h"

namespace ptxmir {

class BlockLineReader;

class MirBodyReader {
 public:
  explicit MirBodyReader(MirFunctionState& state);

  // Lets `reader` read the lines of blocks instead of instructions. Successors are then only those that are
  // listed.
  void set_line_reader(BlockLineReader* reader);

  // Reads the blocks of a function. `text` must be followed by a character that ends every token. If `text` is the
  // decoded copy of a scalar, `decoded_from` is that scalar, and errors are reported at positions within it. It is
  // null if `text` is in the buffer itself.
  void ReadBody(std::string_view text, const YamlScalar* decoded_from = nullptr);

  // Read a YAML scalar that contains only a register or only a block. They return false after reporting an error.
  bool ReadStandaloneRegister(const YamlScalar& scalar, Register* reg);
  bool ReadStandaloneBlock(const YamlScalar& scalar, BlockNumber* number);

 private:
  friend class BlockLineReader;

  // The words after the operands of an instruction.
  struct Trailer {
    MetadataId debug_loc = MachineInstr::kNoDebugLoc;
    InstrExtra extra;
    bool has_extra = false;
  };
  struct Tie {
    unsigned use;
    unsigned def;
    const char* position;
  };
  struct NamedBlockUse {
    BlockNumber number;
    std::string_view name;
    const char* position;
  };

  // Report an error and return null.
  const char* Error(const char* position, std::string message);
  const char* ErrorExpected(const char* position, char c);

  // Blocks (mir_body_reader.cc).
  void ReadLines(const char* p, const char* end);
  static const char* SkipLine(const char* p, const char* end);
  static bool AtBlockLabel(const char* p);
  const char* ReadBlockHeader(const char* p);
  const char* ReadBlockAttribute(const char* p, MachineBasicBlock& block);
  const char* ReadBlockNumberAttributes(const char* p, mir_lexer::Word word, MachineBasicBlock& block);
  const char* ReadSuccessors(const char* p);
  const char* ReadLiveList(const char* p, bool is_live_out);
  const char* ReadBlockStatement(const char* p);
  const char* ReadBundleEnd(const char* p);
  void FinishBlock();
  void GuessSuccessors();
  void CheckUses();
  // Returns the block with this number and creates it, outside the layout, if necessary. Returns null after
  // reporting an error if the number is out of proportion.
  MachineBasicBlock* BlockFor(uint64_t number, const char* position);
  const char* ReadBlockReference(const char* p, MachineBasicBlock** block);

  // Instructions (mir_instr_reader.cc).
  const char* ReadInstr(const char* p);
  const char* ReadDefinitions(const char* p);
  // Returns null without an error if the file turns out to be of an old LLVM.
  const char* ReadOpcode(const char* p, Opcode* opcode, uint32_t* flags);
  const char* ReportUnknownOpcode(const char* p, std::string_view name);
  bool CheckOperandValues(const char* p, Opcode opcode, uint16_t limited);
  const char* ReadOperands(const char* p, Opcode opcode);
  // Reads the operands of a debug instruction, and its debug location if there is one, to the end of the line.
  const char* ReadDebugOperands(const char* p, std::vector<MachineOperand>* operands, MetadataId* debug_loc);
  const char* ReadPercentOperand(const char* p);
  const char* ReadImmediate(const char* p);
  const char* ReadRegisterOperand(const char* p, uint16_t flags);
  const char* ReadFlaggedRegister(const char* p, uint16_t flags);
  const char* ReadVirtualRegister(const char* p, Register* reg);
  const char* ReadPhysicalRegister(const char* p, Register* reg);
  const char* ReadNamedVirtualRegister(const char* p, Register* reg);
  const char* ReadRegisterSuffix(const char* p, Register reg, uint16_t flags);
  const char* ReadRegisterClass(const char* p, Register reg);
  const char* ReadParenthesizedSuffix(const char* p, Register reg, uint16_t flags);
  const char* ReadTrailer(const char* p, Trailer* trailer);
  const char* ReadDebugLocation(const char* p, Trailer* trailer);
  const char* ReadInstrSymbol(const char* p, mir_lexer::Word word, SymbolId* symbol);
  const char* ReadTrailerMetadata(const char* p, mir_lexer::Word word, MetadataId* metadata);
  const char* ReadMemOperands(const char* p, Opcode opcode);
  bool CheckTies(MachineInstr& instr);
  void TieInlineAsmOperands(MachineInstr& instr);
  void Finish(MachineInstr& instr, Trailer& trailer);

  // Instructions of old LLVMs, after their definitions (mir_old_instr_reader.cc).
  const char* ReadOldInstr(const char* p);
  const char* ReadOldOpcode(const char* p, const Recipe** recipe, uint32_t* flags);
  bool AddUpgraded(const char* name, const Recipe& recipe, uint32_t flags, Trailer& trailer);
  // Notes an instruction that cannot be upgraded. All of a file are one error.
  const char* RefuseOldInstr(const char* name, std::string reason);

  // Rare operands (mir_operand_reader.cc).
  const char* ReadRareOperand(const char* p);
  const char* ReadWordOperand(const char* p, Opcode opcode);
  const char* ReadIndexedOperand(const char* p);
  const char* ReadStackOperand(const char* p, bool is_fixed);
  const char* ReadStackReference(const char* p, bool is_fixed, int* index);
  const char* ReadGlobal(const char* p, GlobalId* global);
  const char* ReadGlobalOperand(const char* p);
  const char* ReadSymbolName(const char* p, SymbolId* symbol);
  const char* ReadSymbolOperand(const char* p);
  const char* ReadMCSymbol(const char* p, SymbolId* symbol);
  const char* ReadMetadata(const char* p, MetadataId* metadata);
  const char* ReadFPImmediate(const char* p, mir_lexer::Word word);
  const char* ReadDecimalFP(const char* p, uint64_t* bits);
  const char* ReadWideFPImmediate(const char* begin, const char* literal);
  const char* ReadTypedImmediate(const char* p);
  const char* ReadTextOperand(const char* p, MachineOperand::Kind kind);
  const char* ReadPredicate(const char* p, bool is_float);
  const char* ReadDbgInstrRef(const char* p);
  const char* ReadLaneMask(const char* p);
  const char* ReadCfi(const char* p);
  const char* ReadInlineAsmWords(const char* p);
  const char* ReadOffset(const char* p, int64_t* offset);
  const char* ReadLowLevelType(const char* p, LowLevelType* type);
  const char* ReadInteger(const char* p, uint64_t max, const char* what, uint64_t* value);
  // Skips a balanced text in parentheses. `p` is at the '('.
  const char* SkipParentheses(const char* p);

  // Memory operands (mir_memoperand_reader.cc).
  const char* ReadMemOperand(const char* p, const MachineMemOperand** memoperand);
  const char* ReadMemAccess(const char* p, MachineMemOperand* memoperand);
  const char* ReadMemOrdering(const char* p, MachineMemOperand* memoperand);
  const char* ReadMemType(const char* p, MachineMemOperand* memoperand);
  const char* ReadMemAddress(const char* p, MachineMemOperand* memoperand);
  const char* ReadMemPseudoAddress(const char* p, MachineMemOperand* memoperand);
  const char* ReadMemAttribute(const char* p, MachineMemOperand* memoperand, uint64_t* base_align);
  const char* ReadMemMetadata(const char* p, MachineMemOperand* memoperand);
  const char* ReadAlignment(const char* p, uint64_t* alignment);

  MirFunctionState& state_;
  MirFileState& file_;
  MachineFunction& function_;
  MachineRegisterInfo& regs_;
  BlockLineReader* line_reader_ = nullptr;

  // The instruction that is being read.
  std::vector<MachineOperand> operands_;
  std::vector<const MachineMemOperand*> memoperands_;
  std::vector<Tie> ties_;

  // Set once an instruction of an old LLVM was read.
  std::unique_ptr<InstrUpgrader> upgrader_;
  std::vector<UpgradedInstr> upgraded_;
  const char* old_name_ = nullptr;  // the opcode of the last one

  // The block that is being read.
  MachineBasicBlock* block_ = nullptr;
  const char* bundle_ = nullptr;  // the '{' of the open bundle, or null
  MachineInstr* last_instr_ = nullptr;
  bool has_explicit_successors_ = false;
  bool has_instrs_ = false;  // or has attempted one; lists must precede instructions
  bool reported_no_block_ = false;
  // The preceding block, if it falls through into the current one.
  MachineBasicBlock* fall_through_from_ = nullptr;

  // By block number: the position of the first mention of a block that is not defined yet, or null.
  std::vector<const char*> undefined_use_;
  std::vector<uint32_t> seen_in_guess_;  // by block number: guess_stamp_ of the last guess that included the block
  uint32_t guess_stamp_ = 0;
  std::vector<NamedBlockUse> named_uses_;

  // Set while the text is a decoded copy.
  const YamlScalar* decoded_from_ = nullptr;
  const char* text_begin_ = nullptr;
  const char* text_end_ = nullptr;

  // A cache of external symbols by name. Functions use few different ones.
  struct SymbolSlot {
    const char* name = nullptr;
    uint32_t size = 0;
    SymbolId id = 0;
  };
  static constexpr size_t kSymbolSlots = 64;
  std::array<SymbolSlot, kSymbolSlots> symbol_slots_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_BODY_READER_H_
