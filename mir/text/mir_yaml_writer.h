// SPDX-License-Identifier: Apache-2.0

// Writes the YAML keys of a machine function: its document except for the body. For writers of MIR and similar
// texts.

#ifndef PTXMIR_MIR_TEXT_MIR_YAML_WRITER_H_
#define PTXMIR_MIR_TEXT_MIR_YAML_WRITER_H_

#include "mir/code/machine_function.h"
#include "mir/text/mir_text.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {

void WriteYamlHeader(const MachineFunction& function, const MirWriteOptions& options, TextSink& sink);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_YAML_WRITER_H_
