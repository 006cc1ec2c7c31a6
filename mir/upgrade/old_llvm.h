// SPDX-License-Identifier: Apache-2.0

// Recognizes MIR text that an old version of LLVM wrote, and knows the names that its register classes had.

#ifndef PTXMIR_MIR_UPGRADE_OLD_LLVM_H_
#define PTXMIR_MIR_UPGRADE_OLD_LLVM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmir {

// The versions that a text can be told apart into. LLVM 17 added the key entry_values, and LLVM 20 the key noPhis.
// LLVM 21 renamed the register classes, so that only its instructions tell it from LLVM 22.
enum class OldLlvm : uint8_t {
  kNone,       // LLVM 21 or later, or no register has a class
  k16OrOlder,  // has callSites, but not entry_values
  k17To19,     // has entry_values, but not noPhis
  k20,         // has noPhis
  k19OrOlder,  // lacks all three keys, because llc left out what is empty
  k21OrOlder,  // names no old register class, but has an instruction as LLVM 22 does not write it
};

// The instructions of a file that cannot be upgraded.
struct OldMirRefusal {
  OldLlvm version = OldLlvm::kNone;  // of the file
  const char* position = nullptr;    // of the first one's opcode
  std::string opcode;                // of the first one
  std::string reason;                // the rest of a sentence that begins with the opcode
  size_t count = 0;
};

// Returns the version that a MIR file shows by its register classes and keys. Looks through the whole text.
OldLlvm OldLlvmOf(std::string_view text);

// Returns "LLVM 17 to 20" and the like.
std::string_view NameOf(OldLlvm version);

// Returns true if LLVM 21 and older write the instruction with one operand less: LLVM 22 added the mask of used bytes
// to loads. `opcode` is a name of LLVM 22.
bool HasNewOperand(std::string_view opcode);

// Returns the name in LLVM 22 of a register class of LLVM 20 and older, or nothing if it has no such name.
std::string_view RenamedRegClass(std::string_view old_name);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_UPGRADE_OLD_LLVM_H_
