// SPDX-License-Identifier: Apache-2.0

// Prints INLINEASM: the text with its operands put in.
//
// In the text `$3` and `${3:c}` stand for operand group 3 (c: an immediate; n: negated; a: an address),
// `$$` for a dollar sign, `${:uid}` for a number that differs between statements, `${:comment}` for "//".
// Of alternatives `$( a $| b $)` the first is taken.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_INLINE_ASM_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_INLINE_ASM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/text_buffer.h"
#include "mir/code/machine_instr.h"
#include "ptx/target/instr_printer.h"

namespace ptxmir::ptx {

// `next_uid` is what ${:uid} prints; it is counted up when the text has one. On an error what was appended
// is of no use.
absl::Status WriteInlineAsm(const MachineInstr& instr, const PrintContext& context, uint32_t& next_uid,
                            TextBuffer& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_INLINE_ASM_H_
