// SPDX-License-Identifier: Apache-2.0

// The decoder of one function (decoder.h says what it makes), in three files: blocks, edges and rows in decoder.cc,
// instructions in decoder_instrs.cc, the operands of statements in decoder_operands.cc.

#ifndef PTXMIR_PTX_INTERPRETER_DECODE_FUNCTION_DECODER_H_
#define PTXMIR_PTX_INTERPRETER_DECODE_FUNCTION_DECODER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "base/align.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/code/special_registers.h"
#include "ptx/interpreter/decode/decoder.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {

inline constexpr std::string_view kGlobalPrefix = "__ptxmir_global_";
inline constexpr std::string_view kSymbolPrefix = "__ptxmir_symbol_";
inline constexpr std::string_view kStackPrefix = "%ptxmir_stack_";

inline uint32_t AlignOffset(uint64_t value, uint64_t alignment) {
  return static_cast<uint32_t>(AlignTo(value, alignment));
}

// Width of a register of the class.
unsigned BitsOfClass(RegClassId reg_class);

// Names that lead back to what they stand for, whatever characters the real ones have.
class DecoderSymbols final : public SymbolPrinter {
 public:
  void AppendGlobal(GlobalId global, TextBuffer& out) const override {
    out.Append(kGlobalPrefix);
    out.AppendDecimal(global);
  }
  void AppendSymbol(SymbolId symbol, TextBuffer& out) const override {
    out.Append(kSymbolPrefix);
    out.AppendDecimal(symbol);
  }
};

// What a name in a statement stands for, where it is no register.
struct SymbolValue {
  enum class Kind : uint8_t { kNone, kConstant, kSpecialRegister, kStack, kDepot, kParamSpace, kParamLocal };
  Kind kind = Kind::kNone;
  int64_t value = 0;
  SpecialRegister special = {};
};

class FunctionDecoder {
 public:
  FunctionDecoder(const MachineFunction& function, SymbolResolver& symbols)
      : function_(function), resolver_(symbols), out_(std::make_unique<DecodedFunction>()) {}

  std::unique_ptr<DecodedFunction> Run();

 private:
  // A scope of inline assembly: registers of its own.
  using Scope = absl::flat_hash_map<std::string_view, std::pair<uint32_t, uint8_t>>;
  using OperandList = absl::InlinedVector<DecodedOperand, 12>;
  struct Jump {
    uint32_t instr;
    BlockNumber to;
    BlockNumber from;
  };

  // ---- Layout.
  void LayOutParametersAndStack();
  void NumberRegisters();

  // ---- Rows.
  uint32_t NewRow(unsigned bits, Register reg = {});
  uint32_t RowOf(Register reg);
  uint32_t ConstantRow(uint64_t value, unsigned bits);
  uint32_t CarryRow() {
    if (out_->carry_row == kNoRow) out_->carry_row = NewRow(1);
    return out_->carry_row;
  }

  // ---- Instructions.
  void DecodeBlock(const MachineBasicBlock& block, size_t position);
  void DecodeInstr(const MachineInstr& instr);
  void DecodeText(const MachineInstr& instr, std::string_view text);
  void DecodeStatement(const MachineInstr& instr, const Statement& statement);
  // Returns what is wrong, or an empty string.
  std::string DecodeUnguarded(const MachineInstr& instr, const Statement& statement);
  std::string DecodeComputation(const MachineInstr& instr, const Statement& statement);
  void DecodeCall(const MachineInstr& instr);
  void DecodeCallSequencePart(const MachineInstr& instr, std::string_view tag);
  void DecodeJumpTable(const MachineInstr& instr);
  void DecodeCopy(const MachineInstr& instr);
  void CopyRegister(const MachineInstr& source, Register to, Register from);
  void CopyRows(const MachineInstr& source, uint32_t to, uint32_t from, bool is_wide);
  // Copies a register to fresh rows.
  uint32_t SaveRegister(const MachineInstr& source, Register reg);
  // Whether the register has two rows.
  bool IsWide(Register reg);
  void DecodeInlineAsm(const MachineInstr& instr);
  // From numbers of operands to those of aliases.
  using AsmAliases = absl::flat_hash_map<unsigned, uint32_t>;
  absl::Status WriteAsmWithAliases(const MachineInstr& instr, const AsmAliases& aliases, TextBuffer& text);
  // Copies for the PHIs of `to` on the edge from `from`, then a jump to it unless it follows.
  void EmitEdge(BlockNumber from, BlockNumber to);
  void EmitCopy(const MachineInstr& source, DecodedOperand to, DecodedOperand from);
  void EmitUnsupported(const MachineInstr& instr, std::string_view why);
  DecodedInstr& Emit(const MachineInstr& instr, WarpKernel kernel, InstrCategory category);
  DecodedInstr& Emit(const MachineInstr& instr, const Semantics& semantics);
  void AddOperand(DecodedInstr& instr, const DecodedOperand& operand) {
    out_->operands.push_back(operand);
    ++instr.num_operands;
  }
  void EmitJump(const MachineInstr& instr, BlockNumber to);
  void ResolveJumps();

  // ---- Operands.
  // Appends the statement's operands [begin, end), flattened; false when one means nothing. `widths`: of the rows
  // that the kernel expects; `negates`: "!%p1" is computed into a temporary.
  bool AppendOperands(const Statement& statement, unsigned begin, unsigned end, absl::Span<const uint8_t> widths,
                      bool negates, OperandList* operands);
  bool LookUpRegister(std::string_view name, DecodedOperand* low, DecodedOperand* high);
  bool ValueOperand(const StatementOperand& operand, unsigned bits, DecodedOperand* decoded);
  bool AddressOperand(const StatementOperand& operand, DecodedOperand* decoded);
  SymbolValue LookUpSymbol(std::string_view name);
  DecodedOperand ConstantOperand(uint64_t value, unsigned bits);
  // Temporaries of the width that a kernel expects, filled before or emptied after the instruction.
  DecodedOperand Widen(const MachineInstr& instr, const DecodedOperand& source, unsigned bits);

  const MachineFunction& function_;
  SymbolResolver& resolver_;
  std::unique_ptr<DecodedFunction> out_;
  DecoderSymbols symbol_printer_;
  std::vector<PrintedRegister> printed_;
  PrintContext context_;
  TextBuffer buffer_;
  uint32_t next_uid_ = 0;
  std::deque<std::string> texts_;  // that the statements being decoded are views of

  std::vector<uint32_t> row_of_register_;
  absl::flat_hash_map<uint32_t, uint32_t> row_of_physical_;
  absl::flat_hash_map<std::pair<uint64_t, unsigned>, uint32_t> constant_rows_;

  std::vector<const MachineBasicBlock*> order_;
  std::vector<uint32_t> position_;  // of a block in `order_`; kNoRow: not reached
  std::vector<uint32_t> start_;     // program counter of a block, behind the edges into it
  absl::flat_hash_map<std::pair<BlockNumber, BlockNumber>, uint32_t> edge_start_;
  std::vector<Jump> jumps_;
  struct TableJump {
    size_t table;
    size_t entry;
    BlockNumber to;
    BlockNumber from;
  };
  std::vector<TableJump> table_jumps_;
  const MachineBasicBlock* block_ = nullptr;
  const MachineInstr* current_ = nullptr;  // whose operands are being decoded

  std::vector<BlockNumber> items_;  // of the jump table being gathered

  std::vector<Scope> scopes_;
  struct AsmJump {
    uint32_t instr;
    std::string_view label;
  };
  std::vector<AsmJump> asm_jumps_;
  // First rows of what inline assembly calls registers behind the last of the function.
  std::vector<uint32_t> asm_aliases_;

  // The call sequence being gathered.
  absl::flat_hash_map<std::string_view, ParameterSlot> declared_;
  uint32_t outgoing_ = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_DECODE_FUNCTION_DECODER_H_
