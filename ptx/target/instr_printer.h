// SPDX-License-Identifier: Apache-2.0

// The instruction printer: appends the PTX text of one machine instruction.
//
// Each opcode's template is compiled at build time into a byte code of literal runs and operand prints
// (ptx/isa/template_code.h), so printing is one loop that copies bytes. It allocates nothing and parses nothing. A
// PrintContext, which the writer prepares once per function, provides everything else that the text needs: register
// numbers and symbol names.

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

// Prints the names of symbols. PTX names may differ from those of the IR (ptx_names.h).
class SymbolPrinter {
 public:
  virtual ~SymbolPrinter() = default;
  virtual void AppendGlobal(GlobalId global, TextBuffer& out) const = 0;
  virtual void AppendSymbol(SymbolId symbol, TextBuffer& out) const = 0;
};

// A virtual register as it is printed: its class (hence prefix) and number, as in "%rd17". By default, never
// printed.
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
  // The N of each block's label, by block number. If empty, N is the block number itself.
  absl::Span<const uint32_t> block_labels;
  // The prefix that is printed before the number of a stack slot that has no place yet, for callers that parse the
  // text themselves. If empty, such operands are errors.
  std::string_view stack_slot_prefix = {};
};

// Appends the instruction's text and a newline. On an error, appends nothing. Errors are operands that the template
// cannot print (modifier values without a meaning, stack slots without a place, a register without a number), too
// few operands, and an opcode that has no PTX.
absl::Status PrintInstr(const MachineInstr& instr, const PrintContext& context, TextBuffer& out);

// Returns the text that the template of an opcode prints before its first operand, without the indentation: "mov.b32
// \t". Empty if there is no such text or the opcode has no PTX.
std::string_view LeadingText(Opcode opcode);

// Appends one operand plainly, as PrintInstr would. For inline assembly.
absl::Status PrintOperand(const MachineOperand& operand, const PrintContext& context, TextBuffer& out);

// Appends "$L__BBF_N".
void AppendBlockLabel(const PrintContext& context, BlockNumber block, TextBuffer& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_INSTR_PRINTER_H_
