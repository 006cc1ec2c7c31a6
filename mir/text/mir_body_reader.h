// SPDX-License-Identifier: Apache-2.0

// Reads the machine code of one function: blocks, instructions, operands. One pass over the text; what is
// named before it is defined (blocks) is checked at the end.
//
// All Read functions take the position to read at and return the position behind what they read, or null
// when they have reported an error; the caller then goes on with the next line. Positions are passed in
// registers that way, which is most of what makes the reader fast, and nothing is allocated for an
// instruction except the instruction itself.
//
// The class is spread over several files: mir_body_reader.cc (blocks), mir_instr_reader.cc (instructions and
// the common operands), mir_operand_reader.cc (the rare ones) and mir_memoperand_reader.cc.

#ifndef PTXMIR_MIR_TEXT_MIR_BODY_READER_H_
#define PTXMIR_MIR_TEXT_MIR_BODY_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "mir/text/mir_lexer.h"
#include "mir/text/mir_reader_state.h"

namespace ptxmir {

class BlockLineReader;

class MirBodyReader {
 public:
  explicit MirBodyReader(MirFunctionState& state);

  // Blocks hold what `reader` reads, in place of instructions; successors are those that are stated.
  void set_line_reader(BlockLineReader* reader);

  // Reads the blocks of a function. `text` must be followed by a character that ends every token.
  // `decoded_from`: the scalar of which `text` is the decoded copy, null when `text` stands in the
  // buffer itself; errors are reported at its positions.
  void ReadBody(std::string_view text, const YamlScalar* decoded_from = nullptr);

  // Parse a YAML scalar that holds nothing but a register, or nothing but a block. False: reported.
  bool ReadStandaloneRegister(const YamlScalar& scalar, Register* reg);
  bool ReadStandaloneBlock(const YamlScalar& scalar, BlockNumber* number);

 private:
  friend class BlockLineReader;

  // What the words behind the operands say.
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

  // Errors. Both return null.
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
  // The block with a number, which exists afterwards (maybe without a place in the layout). Null:
  // the number is out of proportion; reported.
  MachineBasicBlock* BlockFor(uint64_t number, const char* position);
  const char* ReadBlockReference(const char* p, MachineBasicBlock** block);

  // Instructions (mir_instr_reader.cc).
  const char* ReadInstr(const char* p);
  const char* ReadDefinitions(const char* p);
  const char* ReadOpcode(const char* p, Opcode* opcode, uint32_t* flags);
  const char* ReportUnknownOpcode(const char* p, std::string_view name);
  const char* ReadOperands(const char* p, Opcode opcode);
  const char* ReadOperand(const char* p, Opcode opcode);
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
  // Passes a balanced parenthesized text; `p` is at the '('.
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

  // The block that is being read.
  MachineBasicBlock* block_ = nullptr;
  const char* bundle_ = nullptr;  // the '{' of the bundle that is open, or null
  MachineInstr* last_instr_ = nullptr;
  bool has_explicit_successors_ = false;
  bool has_instrs_ = false;  // or an attempt at one: lists must come before
  bool reported_no_block_ = false;
  // A block before the current one that runs off its end into it.
  MachineBasicBlock* fall_through_from_ = nullptr;

  // By block number: where a block was first named, null when it is defined or was never named.
  std::vector<const char*> undefined_use_;
  std::vector<uint32_t> seen_in_guess_;  // stamp of the block whose successors were guessed last
  uint32_t guess_stamp_ = 0;
  std::vector<NamedBlockUse> named_uses_;

  // Set while the text is a decoded copy.
  const YamlScalar* decoded_from_ = nullptr;
  const char* text_begin_ = nullptr;
  const char* text_end_ = nullptr;

  // External symbols by the bytes of their name: functions repeat few of them.
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
