// SPDX-License-Identifier: Apache-2.0

// The instruction printer: appends the PTX text of one machine instruction.
//
// Each opcode's template was compiled at build time into a byte code of literal runs and operand prints
// (ptx/isa/template_code.h), so printing is one loop that copies bytes; nothing is allocated and nothing is
// parsed. What an instruction's text needs from outside (register numbers, symbol names) comes through a
// PrintContext that the writer prepares once a function.

#ifndef PTXMIR_PTX_TARGET_INSTR_PRINTER_H_
#define PTXMIR_PTX_TARGET_INSTR_PRINTER_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/text_buffer.h"
#include "mir/code/machine_instr.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {

// Prints the names of symbols. PTX names differ from those of the IR (see the writer on mangling).
class SymbolPrinter {
 public:
  virtual ~SymbolPrinter() = default;
  virtual void AppendGlobal(GlobalId global, TextBuffer& out) const = 0;
  virtual void AppendSymbol(SymbolId symbol, TextBuffer& out) const = 0;
};

// A virtual register as it prints: its class (hence prefix) and number, "%rd17". Default: never printed.
class PrintedRegister {
 public:
  constexpr PrintedRegister() = default;
  constexpr PrintedRegister(RegClassId reg_class, uint32_t number)
      : bits_(static_cast<uint32_t>(reg_class) << kClassShift | number) {}
  constexpr bool is_valid() const { return bits_ != kInvalid; }
  constexpr RegClassId reg_class() const { return static_cast<RegClassId>(bits_ >> kClassShift); }
  constexpr uint32_t number() const { return bits_ & ((1u << kClassShift) - 1); }

 private:
  static constexpr int kClassShift = 29;
  static constexpr uint32_t kInvalid = ~uint32_t{0};
  uint32_t bits_ = kInvalid;
};

struct PrintContext {
  absl::Span<const PrintedRegister> registers;  // by index of the virtual register
  const SymbolPrinter* symbols = nullptr;
  uint32_t function_number = 0;  // the F of block labels $L__BBF_N
  // By block number: the N of its label. Empty: the block number itself.
  absl::Span<const uint32_t> block_labels;
  // What stands before the number of a stack slot that has not been laid out, for those who read the text
  // themselves. Empty: such operands are errors.
  std::string_view stack_slot_prefix = {};
};

// Appends the instruction's text and a newline. On an error nothing is appended; errors are operands that
// the template cannot print: modifier values that mean nothing, stack slots that were not laid out, a
// register without a number, too few operands, an opcode that has no PTX.
absl::Status PrintInstr(const MachineInstr& instr, const PrintContext& context, TextBuffer& out);

// What the template of an opcode prints ahead of its first operand, without the indentation: "mov.b32 \t". Empty when
// that is nothing or the opcode has no PTX.
std::string_view LeadingText(Opcode opcode);

// Appends one operand plainly, as PrintInstr would; for inline assembly.
absl::Status PrintOperand(const MachineOperand& operand, const PrintContext& context, TextBuffer& out);

// Appends "$L__BBF_N".
void AppendBlockLabel(const PrintContext& context, BlockNumber block, TextBuffer& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_INSTR_PRINTER_H_
