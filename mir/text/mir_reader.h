// SPDX-License-Identifier: Apache-2.0

// Reads MIR, the textual form of machine code that LLVM's llc prints and reads: a file of YAML documents,
// the first of which may hold the LLVM IR module, while each of the others holds one machine function.
//
// Accepted is everything that llc of LLVM 22 writes for NVPTX (-stop-after=any pass, with and without
// -simplify-mir), and some things that llc cannot read back itself.

#ifndef PTXMIR_MIR_TEXT_MIR_READER_H_
#define PTXMIR_MIR_TEXT_MIR_READER_H_

#include <functional>
#include <memory>

#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns null when errors were reported. As many errors as possible are reported at once: reading goes on
// behind the line, key or document that is wrong. The module keeps the buffer.
//
// `target` must outlive the module.
std::unique_ptr<Module> ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target,
                                DiagnosticEngine& diagnostics);

// Gets a machine function as soon as it has been read, while its code is still in the caches, and may add it
// to its module. Not called once an error was reported. The reader goes on behind whatever is wrong with a
// function, so this reports to an engine of its own, what counts only if the whole file can be read.
using MachineFunctionSink = std::function<void(Module& module, OwnedMachineFunction function)>;

// The same into `module`, which must be new, and which has only those machine functions that `sink` has added to it.
// False when errors were reported; the module is then good for nothing but what functions that the sink was given
// still need of it.
bool ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
             Module& module, const MachineFunctionSink& sink);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_READER_H_
