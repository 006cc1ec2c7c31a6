// SPDX-License-Identifier: Apache-2.0

// Linker: makes one module of several, as llvm-link does (LLVM's LinkModules.cpp and IRMover.cpp).
//
// - Definitions take the place of declarations; of weak, linkonce and common ones the first or the larger stays; two
//   strong definitions are an error. A comdat is taken from the first module that has it.
// - Local values, linkonce and available_externally ones, and declarations are taken only if something that is taken
//   mentions them. With only_needed that holds for all values of a module, as for a library (libdevice).
// - Names of local values and of structures are made unique. Structures with the same name and body are one.
// - Appending variables (llvm.used) and named metadata are joined; module flags follow their behaviors.
// - Metadata that mentions a value which is not taken has null in its place.
//
// Where we differ: a declaration whose type is another than that of the definition is an error, because PTX has typed
// calls; so are data layouts with other sizes or alignments, where LLVM warns. Of comdats, "any" and "nodeduplicate"
// are supported. Unnamed values and structures get names.
//
// The result is written as text and read again: every position is then one of the linked text.

#ifndef PTXMIR_IR_LINK_LINKER_H_
#define PTXMIR_IR_LINK_LINKER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ir/text/program_reader.h"

namespace ptxmir::ir {

class LinkState;

class Linker {
 public:
  explicit Linker(DiagnosticEngine& diagnostics);
  ~Linker();

  // Adds a module that was read without errors. Messages name it by `name`. Returns false after an error.
  bool Add(ProgramFile file, std::string name, bool only_needed = false);
  // Returns the linked module; its program is null after an error. Nothing may be added afterwards.
  ProgramFile Finish();

 private:
  std::unique_ptr<LinkState> state_;
};

struct LinkOptions {
  bool only_needed = false;  // for all but the first file
};

// Reads files and links them.
ProgramFile LinkFiles(const std::vector<std::string>& paths, const LinkOptions& options, DiagnosticEngine& diagnostics);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_LINK_LINKER_H_
