// SPDX-License-Identifier: Apache-2.0

// Reads files of SelectionDAGs. They are MIR's YAML documents with `dag: |` in place of `body: |`. Their blocks
// contain nodes in the form of LLVM's dumps. docs/selection-dag.md has the grammar.
//
//     bb.0.entry:
//       successors: %bb.1
//
//       t0: ch,glue = EntryToken
//       t1: i32,ch = CopyFromReg t0, Register:i32 %0
//       t2: i32 = add nsw t1, Constant:i32<3>
//       t3: ch = CopyToReg t1:1, Register:i32 %1, t2
//
// Everything but the lines of nodes is read by the MIR reader (mir/text/mir_reader.h), into which this reader
// plugs. The lines of a block are first read into a list. Then nodes are made, operands first, wherever their lines
// are, because LLVM's dumps are in no particular order.

#ifndef PTXMIR_SDAG_TEXT_DAG_READER_H_
#define PTXMIR_SDAG_TEXT_DAG_READER_H_

#include <memory>
#include <vector>

#include "base/diagnostics.h"
#include "ir/module.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// A module with the DAGs of those of its functions that have any.
struct DagModule {
  std::unique_ptr<Module> module;
  // In the order of the module's machine functions. Null for a function that has a body.
  std::vector<std::unique_ptr<DagFunction>> functions;
};

// Reads a module for the PTX target. Reports as many errors as possible at once. `module` is null if there were
// any.
DagModule ReadDags(std::shared_ptr<const SourceBuffer> buffer, DiagnosticEngine& diagnostics);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_READER_H_
