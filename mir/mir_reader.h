// Reads MIR, the textual form of machine code that LLVM's llc prints and reads: a file of YAML documents,
// the first of which may hold the LLVM IR module, while each of the others holds one machine function.
//
// Accepted is everything that llc of LLVM 22 writes for NVPTX (-stop-after=any pass, with and without
// -simplify-mir), and some things that llc cannot read back itself.

#ifndef PTXMIR_MIR_MIR_READER_H_
#define PTXMIR_MIR_MIR_READER_H_

#include <functional>
#include <memory>

#include "mir/diagnostics.h"
#include "mir/instr_desc.h"
#include "mir/module.h"

namespace ptxmir {

// Returns null when errors were reported. As many errors as possible are reported at once: reading goes on
// behind the line, key or document that is wrong. The module keeps the buffer.
//
// `on_function`, if there is one, gets each machine function as soon as it has been read, while its code is
// still in the caches, until the first error. It may change the function, but must report what it finds to
// another engine: the reader, which goes on, says what is wrong with the file.
//
// `target` must outlive the module.
std::unique_ptr<Module> ReadMir(std::shared_ptr<const SourceBuffer> buffer,
                                const TargetInfo& target, DiagnosticEngine& diagnostics,
                                const std::function<void(MachineFunction&)>& on_function = nullptr);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_MIR_READER_H_
