// SPDX-License-Identifier: Apache-2.0

// The output of extra-machineinstr-printer for a function: its maximum register pressure and its size, in cicc's
// wording, and the pressure at three points of each block.

#ifndef PTXMIR_ANALYSIS_PRESSURE_EXTRA_MACHINE_INSTR_PRINTER_H_
#define PTXMIR_ANALYSIS_PRESSURE_EXTRA_MACHINE_INSTR_PRINTER_H_

#include <cstddef>
#include <string>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the number of instructions, without debug instructions.
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
// Debug instructions do not count. The middle of a block is the point before the instruction that has as many
// instructions after it as before it, or one more, without PHIs. If there is no such instruction, it is the exit.
void PrintExtraMachineInstrInfo(const MachineFunction& function, AnalysisManager& analyses, std::string& out);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_EXTRA_MACHINE_INSTR_PRINTER_H_
