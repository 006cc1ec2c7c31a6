// Writes the YAML keys of a machine function: everything in its document but the body. For writers of MIR and its
// like.

#ifndef PTXMIR_MIR_MIR_YAML_WRITER_H_
#define PTXMIR_MIR_MIR_YAML_WRITER_H_

#include "mir/machine_function.h"
#include "mir/mir_text.h"
#include "mir/mir_writer.h"

namespace ptxmir {

void WriteYamlHeader(const MachineFunction& function, const MirWriteOptions& options,
                     TextSink& sink);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_MIR_YAML_WRITER_H_
