// SPDX-License-Identifier: Apache-2.0

// The remarks of asm-printer, in LLVM's words: the number of instructions of each mnemonic per block
// (InstructionMix) and the number of instructions in the function (InstructionCount). llvm-remarkutil's
// instruction-mix, instruction-count and size-diff read them.
//
// To be emitted when a function is ready to be printed. As in LLVM, DBG_VALUE and other instructions that produce
// no code do not count. Neither does inline assembly, whose instructions are not counted.

#ifndef PTXMIR_PASSES_REPORT_ASM_PRINTER_REMARKS_H_
#define PTXMIR_PASSES_REPORT_ASM_PRINTER_REMARKS_H_

#include "analysis/frequency/machine_opt_remark_emitter.h"

namespace ptxmir {

void EmitAsmPrinterRemarks(const MachineFunction& function, MachineOptRemarkEmitter& remarks);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_ASM_PRINTER_REMARKS_H_
