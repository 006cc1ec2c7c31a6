// SPDX-License-Identifier: Apache-2.0

// Computes instructions of constants, with the interpreter's semantics.
//
// The meaning of an instruction is that of the PTX that it prints. So it is printed and parsed, and the interpreter's
// kernel for that statement runs in one lane. Nothing here knows an instruction. This costs microseconds, and is done
// only where all sources are known, which nearly always removes the instruction.

#ifndef PTXMIR_PASSES_PEEPHOLE_CONSTANT_EVALUATOR_H_
#define PTXMIR_PASSES_PEEPHOLE_CONSTANT_EVALUATOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/text_buffer.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/code/statement.h"
#include "ptx/target/instr_printer.h"

namespace ptxmir::peephole {

class ConstantEvaluator {
 public:
  struct KnownRegister {
    Register reg;
    uint64_t value;
  };

  explicit ConstantEvaluator(const MachineFunction& function) : function_(function) {}

  // Returns the result, in the width of its register. Returns nullopt if the instruction reads another register, is not
  // a pure computation of one result that PTX defines exactly, or gives a NaN, whose bits PTX leaves open.
  std::optional<uint64_t> Evaluate(const MachineInstr& instr, absl::Span<const KnownRegister> known);

 private:
  // Makes every virtual register print with its index as its number.
  void NumberRegisters();
  static std::optional<uint64_t> ValueOf(const ptx::StatementOperand& operand, unsigned bits,
                                         absl::Span<const KnownRegister> known);

  const MachineFunction& function_;
  std::vector<ptx::PrintedRegister> printed_;  // by virtual register
  ptx::TextBuffer text_;
};

}  // namespace ptxmir::peephole

#endif  // PTXMIR_PASSES_PEEPHOLE_CONSTANT_EVALUATOR_H_
