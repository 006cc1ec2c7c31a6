// SPDX-License-Identifier: Apache-2.0

// What extra-machineinstr-printer prints of a function: its maximum register pressure and its size, as the
// reference gives the text, and the pressure at three points of each block.

#ifndef PTXMIR_ANALYSIS_EXTRA_MACHINE_INSTR_PRINTER_H_
#define PTXMIR_ANALYSIS_EXTRA_MACHINE_INSTR_PRINTER_H_

#include <cstddef>
#include <string>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Instructions, debug instructions left out.
size_t FunctionSize(const MachineFunction& function);

// Appends
//
//     Max Live RRegs: {32-bit registers}<tab>PRegs: {predicates}
//     Function Size: {instructions}
//     %bb.0:
//       entry:  b1 0, b16 0, b32 2, b64 1, b128 0; units 4
//       middle: ...
//       exit:   ...
//
// Debug instructions count nowhere. The middle of a block is the point before the instruction with as many behind
// it, PHIs apart, as before it, or one more; the exit where there is none.
void PrintExtraMachineInstrInfo(const MachineFunction& function, AnalysisManager& analyses, std::string& out);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_EXTRA_MACHINE_INSTR_PRINTER_H_
