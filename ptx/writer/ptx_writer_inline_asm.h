// SPDX-License-Identifier: Apache-2.0

// Prints INLINEASM: the text with its operands inserted.
//
// In the text, `$3` and `${3:c}` stand for operand group 3 (c: an immediate; n: negated; a: an address), `$$` for a
// dollar sign, `${:uid}` for a number that differs between statements, and `${:comment}` for "//". Of the
// alternatives `$( a $| b $)` the first is taken.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_INLINE_ASM_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_INLINE_ASM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/text_buffer.h"
#include "mir/code/machine_instr.h"
#include "ptx/target/instr_printer.h"

namespace ptxmir::ptx {

// Prints an INLINEASM. `next_uid` is the value of ${:uid}; it is incremented if the text contains one. After an
// error, the appended text is useless.
absl::Status WriteInlineAsm(const MachineInstr& instr, const PrintContext& context, uint32_t& next_uid,
                            TextBuffer& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_INLINE_ASM_H_
