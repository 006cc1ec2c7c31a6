// SPDX-License-Identifier: Apache-2.0

// The MIR writer. It prints modules and machine functions as LLVM 22's MIR printer does, byte for byte if the
// input came from llc. It also prints instructions and functions in the form of LLVM's dumps (-print-after), which
// reports and remarks use.

#ifndef PTXMIR_MIR_TEXT_MIR_WRITER_H_
#define PTXMIR_MIR_TEXT_MIR_WRITER_H_

#include <string>

#include "mir/code/machine_function.h"

namespace ptxmir {

class Module;

struct MirWriteOptions {
  bool simplify = false;      // llc's -simplify-mir: omit what a reader assumes anyway
  bool stable_names = false;  // use TargetInfo::StableName instead of LLVM's anonymous_N
  bool omit_debug_locations = false;
};

// Writes a whole file: the IR document (if the module has one) and one document per machine function. All
// functions of this header append to `out`.
void WriteMir(const Module& module, const MirWriteOptions& options, std::string& out);

// Writes the IR document alone.
void WriteModulePart(const Module& module, std::string& out);

// Writes one YAML document, from "---" to "...".
void WriteMirFunction(const MachineFunction& function, const MirWriteOptions& options, std::string& out);

// Write the form of a dump: registers always have their class, blocks name their predecessors, and inline assembly
// is decoded. A dump cannot be read back.
void WriteInstr(const MachineInstr& instr, const MirWriteOptions& options, std::string& out);
void WriteBlockForDump(const MachineBasicBlock& block, const MirWriteOptions& options, std::string& out);
void WriteFunctionForDump(const MachineFunction& function, const MirWriteOptions& options, std::string& out);

// Writes one operand as WriteInstr prints it. The operand must belong to an instruction.
void WriteOperand(const MachineOperand& operand, const MirWriteOptions& options, std::string& out);

// Writes the heading of a block without the colon: "bb.3.for.body (align 4)".
void WriteBlockName(const MachineBasicBlock& block, std::string& out);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_WRITER_H_
