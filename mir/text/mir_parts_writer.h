// SPDX-License-Identifier: Apache-2.0

// Parts of the MIR writer, for writers of other texts with the same structure (sdag/text/dag_writer.h).

#ifndef PTXMIR_MIR_TEXT_MIR_PARTS_WRITER_H_
#define PTXMIR_MIR_TEXT_MIR_PARTS_WRITER_H_

#include <string>

#include "mir/code/machine_function.h"
#include "mir/text/mir_instr_writer.h"
#include "mir/text/mir_text.h"
#include "mir/text/mir_writer.h"
#include "mir/text/mir_yaml_writer.h"

namespace ptxmir {

// Appends the document that precedes the functions: the IR module or the module document. Appends nothing if there
// is neither.
void WriteModulePart(const Module& module, std::string& out);

// Writes a block's header and, if it has successors, their list, each on its own line and indented as in a body.
void WriteBlockHeader(const MachineBasicBlock& block, TextSink& sink);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_PARTS_WRITER_H_
