// SPDX-License-Identifier: Apache-2.0

// Reads MIR, the text form of machine code that LLVM's llc prints and reads. A MIR file consists of YAML
// documents. The first may be the LLVM IR module; each of the others is one machine function.
//
// The reader accepts everything that llc of LLVM 22 writes for NVPTX (-stop-after=any pass, with and without
// -simplify-mir), and some texts that llc writes but cannot read back.

#ifndef PTXMIR_MIR_TEXT_MIR_READER_H_
#define PTXMIR_MIR_TEXT_MIR_READER_H_

#include <functional>
#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Reads a MIR file. Returns null if there were errors. After an error, the reader continues after the wrong line,
// key or document, so that it reports as many errors as possible in one run. The module keeps the buffer alive.
//
// `target` must outlive the module.
std::unique_ptr<Module> ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target,
                                DiagnosticEngine& diagnostics);

// Receives a machine function as soon as it was read, while its code is still in the caches, and may add it to its
// module. Not called after an error. An error in a later function may still be reported, so the sink must report
// to its own engine anything that matters only if the whole file is valid.
using MachineFunctionSink = std::function<void(Module& module, OwnedMachineFunction function)>;

// Returns what the GPU that a module is compiled for lacks to execute an instruction, as the rest of a sentence that
// begins with the instruction's name: "needs sm_90 and PTX 7.8; ...". Empty if it lacks nothing. If `operand` is the
// number of one of InstrDesc::limited_operands, the question is about its value; if it is -1, about the opcode. The
// module has its IR, but not all of its machine functions.
using InstrSupportCheck = std::function<std::string(const Module& module, Opcode opcode, int operand, int64_t value)>;

// Reads a MIR file into `module`, which must be new. Only `sink` adds machine functions to it. Instructions that fail
// the check, if there is one, are errors. Returns false if there were errors; the module may then only be used by the
// functions that were already handed to the sink.
bool ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
             Module& module, const MachineFunctionSink& sink, const InstrSupportCheck& support_check = nullptr);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_READER_H_
