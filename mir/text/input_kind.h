// SPDX-License-Identifier: Apache-2.0

// Recognizes files that are no MIR for NVPTX: LLVM IR, bitcode, PTX, CUDA source, compressed files, object files and
// others. The message says what a file is and by which command LLVM IR or MIR is made of it.

#ifndef PTXMIR_MIR_TEXT_INPUT_KIND_H_
#define PTXMIR_MIR_TEXT_INPUT_KIND_H_

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "mir/upgrade/old_llvm.h"

namespace ptxmir {

// Returns what is wrong with a file that is no MIR, as a sentence that names the file, or nothing if it may be MIR or
// a file of SelectionDAGs. Looks at the contents alone, never at the name. MIR is known by its first line that is no
// comment, so the time does not depend on the size of a MIR file.
std::string WhyNotMir(const SourceBuffer& buffer);

// Returns true if a file is LLVM IR text, by its first line that is no comment. Looks at the contents alone.
bool IsIrText(const SourceBuffer& buffer);

// Returns what is wrong with the target of a MIR file's IR module, or nothing if it is NVPTX or not stated.
std::string WhyNotNvptx(std::string_view triple, const SourceBuffer& buffer);

// Returns which instructions of a file of an old LLVM cannot be upgraded, and how MIR of LLVM 22 is made.
std::string WhyNotUpgraded(const OldMirRefusal& refusal, const SourceBuffer& buffer);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_INPUT_KIND_H_
