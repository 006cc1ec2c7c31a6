// SPDX-License-Identifier: Apache-2.0

// The byte code of printing templates, shared by the generator and the instruction printer.
//
//   0            end
//   1..127 TEXT  literal text of that many bytes
//   128 N        operand N, printed plainly
//   129+m N      operand N, printed through modifier m
//   254 O O O    continues at that offset in the code, low byte first; common long tails of templates are stored once
//   255 OP N K   operands N .. N+K-1, each printed as by OP (128..), joined by ", "

#ifndef PTXMIR_PTX_ISA_TEMPLATE_CODE_H_
#define PTXMIR_PTX_ISA_TEMPLATE_CODE_H_

#include <cstddef>
#include <cstdint>

namespace ptxmir::ptx::isa {

inline constexpr uint8_t kEndOp = 0;
inline constexpr size_t kMaxLiteral = 127;
inline constexpr uint8_t kPlainOp = 128;
inline constexpr uint8_t kFirstModifierOp = 129;
inline constexpr uint8_t kTailOp = 254;
inline constexpr uint8_t kListOp = 255;

// Returns the offset after a kTailOp, to whose first operand byte `code` points.
inline uint32_t TailOffset(const uint8_t* code) { return code[0] | code[1] << 8 | uint32_t{code[2]} << 16; }

}  // namespace ptxmir::ptx::isa

#endif  // PTXMIR_PTX_ISA_TEMPLATE_CODE_H_
