// SPDX-License-Identifier: Apache-2.0

// The MIR text writer: prints modules and machine functions as LLVM 22's MIR printer does, byte for
// byte where the input came from llc, and instructions and functions in the form of LLVM's dumps
// (-print-after), which reports and remarks use.

#ifndef PTXMIR_MIR_TEXT_MIR_WRITER_H_
#define PTXMIR_MIR_TEXT_MIR_WRITER_H_

#include <string>

#include "mir/code/machine_function.h"

namespace ptxmir {

class Module;

struct MirWriteOptions {
  bool simplify = false;      // llc's -simplify-mir: leave out what a reader assumes anyway
  bool stable_names = false;  // TargetInfo::StableName in place of LLVM's anonymous_N
};

// A whole file: the IR document (when the module has one) and a document for each machine function.
// All functions append to `out`.
void WriteMir(const Module& module, const MirWriteOptions& options, std::string& out);

// One YAML document, from "---" to "...".
void WriteMirFunction(const MachineFunction& function, const MirWriteOptions& options, std::string& out);

// The forms of a dump: registers carry their class everywhere, blocks name their predecessors,
// inline assembly is decoded. These cannot be read back.
void WriteInstr(const MachineInstr& instr, const MirWriteOptions& options, std::string& out);
void WriteBlockForDump(const MachineBasicBlock& block, const MirWriteOptions& options, std::string& out);
void WriteFunctionForDump(const MachineFunction& function, const MirWriteOptions& options, std::string& out);

// One operand as WriteInstr prints it. The operand must belong to an instruction.
void WriteOperand(const MachineOperand& operand, const MirWriteOptions& options, std::string& out);

// "bb.3.for.body (align 4)": how a block is introduced, without the colon.
void WriteBlockName(const MachineBasicBlock& block, std::string& out);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_WRITER_H_
