// SPDX-License-Identifier: Apache-2.0

// The decoder of one function, in three files: decoder.cc has blocks, edges and rows, decoder_instrs.cc the
// instructions, and decoder_operands.cc the operands of statements. See decoder.h for the result.

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

// Returns the width of a register of the class.
unsigned BitsOfClass(RegClassId reg_class);

// Prints symbols as names that can be mapped back to the symbol, whatever characters the real name has.
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

// The meaning of a name in a statement that is not a register.
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
  // The registers of one scope of inline assembly.
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
  // Returns a description of the problem, or an empty string.
  std::string DecodeUnguarded(const MachineInstr& instr, const Statement& statement);
  std::string DecodeComputation(const MachineInstr& instr, const Statement& statement);
  void DecodeCall(const MachineInstr& instr);
  void DecodeCallSequencePart(const MachineInstr& instr);
  void DecodeJumpTable(const MachineInstr& instr);
  void DecodeCopy(const MachineInstr& instr);
  void CopyRegister(const MachineInstr& source, Register to, Register from);
  void CopyRows(const MachineInstr& source, uint32_t to, uint32_t from, bool is_wide);
  // Copies a register to fresh rows. Returns the first of them.
  uint32_t SaveRegister(const MachineInstr& source, Register reg);
  // Returns true if the register has two rows.
  bool IsWide(Register reg);
  void DecodeInlineAsm(const MachineInstr& instr);
  // Maps the numbers of operands to those of aliases.
  using AsmAliases = absl::flat_hash_map<unsigned, uint32_t>;
  absl::Status WriteAsmWithAliases(const MachineInstr& instr, const AsmAliases& aliases, TextBuffer& text);
  // Emits the copies for the PHIs of `to` on the edge from `from`, then a jump to `to` unless it follows.
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
  // Appends the statement's operands [begin, end), flattened. Returns false if one of them has no meaning. `widths`
  // are those of the rows that the kernel expects. With `negates`, "!%p1" is computed into a temporary.
  bool AppendOperands(const Statement& statement, unsigned begin, unsigned end, absl::Span<const uint8_t> widths,
                      bool negates, OperandList* operands);
  bool LookUpRegister(std::string_view name, DecodedOperand* low, DecodedOperand* high);
  bool ValueOperand(const StatementOperand& operand, unsigned bits, DecodedOperand* decoded);
  bool AddressOperand(const StatementOperand& operand, DecodedOperand* decoded);
  SymbolValue LookUpSymbol(std::string_view name);
  DecodedOperand ConstantOperand(uint64_t value, unsigned bits);
  // Returns a temporary of the width that a kernel expects, which is filled before or read after the instruction.
  DecodedOperand Widen(const MachineInstr& instr, const DecodedOperand& source, unsigned bits);

  const MachineFunction& function_;
  SymbolResolver& resolver_;
  std::unique_ptr<DecodedFunction> out_;
  DecoderSymbols symbol_printer_;
  std::vector<PrintedRegister> printed_;
  PrintContext context_;
  TextBuffer buffer_;
  uint32_t next_uid_ = 0;
  std::deque<std::string> texts_;  // the texts that the statements being decoded point into

  std::vector<uint32_t> row_of_register_;
  absl::flat_hash_map<uint32_t, uint32_t> row_of_physical_;
  absl::flat_hash_map<std::pair<uint64_t, unsigned>, uint32_t> constant_rows_;

  std::vector<const MachineBasicBlock*> order_;
  std::vector<uint32_t> position_;  // index of a block in `order_`; kNoRow if it is unreachable
  std::vector<uint32_t> start_;     // program counter of a block, after the copies of the edges into it
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
  const MachineInstr* current_ = nullptr;  // the instruction whose operands are being decoded

  std::vector<BlockNumber> items_;  // the entries of the jump table being gathered

  std::vector<Scope> scopes_;
  struct AsmJump {
    uint32_t instr;
    std::string_view label;
  };
  std::vector<AsmJump> asm_jumps_;
  // The first rows of the names that inline assembly uses for registers, numbered after the function's last
  // register.
  std::vector<uint32_t> asm_aliases_;

  // The call sequence being gathered.
  absl::flat_hash_map<std::string_view, ParameterSlot> declared_;
  uint32_t outgoing_ = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_DECODE_FUNCTION_DECODER_H_
