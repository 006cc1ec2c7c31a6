// SPDX-License-Identifier: Apache-2.0

// The byte code of printing templates, shared by the generator and the instruction printer.
//
//   0            end
//   1..127 TEXT  that many bytes of text
//   128 N        operand N, plainly
//   129+m N      operand N through modifier m
//   254 O O O    goes on at that offset of the code, the low byte first: long ends that templates have in common are
//                stored once
//   255 OP N K   operands N .. N+K-1, each as OP (128..) would print it, joined by ", "

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

// Behind a kTailOp.
inline uint32_t TailOffset(const uint8_t* code) { return code[0] | code[1] << 8 | uint32_t{code[2]} << 16; }

}  // namespace ptxmir::ptx::isa

#endif  // PTXMIR_PTX_ISA_TEMPLATE_CODE_H_
