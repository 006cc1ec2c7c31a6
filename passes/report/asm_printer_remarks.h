// SPDX-License-Identifier: Apache-2.0

// asm-printer's remarks, in LLVM's words: how many instructions of which mnemonic each block has (InstructionMix) and
// how many the function has (InstructionCount). For llvm-remarkutil's instruction-mix, instruction-count and
// size-diff.
//
// To be asked for when a function is ready to be printed. As in LLVM, neither DBG_VALUE and others that are no code
// count, nor inline assembly, whose instructions nobody has counted.

#ifndef PTXMIR_PASSES_REPORT_ASM_PRINTER_REMARKS_H_
#define PTXMIR_PASSES_REPORT_ASM_PRINTER_REMARKS_H_

#include "analysis/machine_opt_remark_emitter.h"

namespace ptxmir {

void EmitAsmPrinterRemarks(const MachineFunction& function, MachineOptRemarkEmitter& remarks);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_ASM_PRINTER_REMARKS_H_
