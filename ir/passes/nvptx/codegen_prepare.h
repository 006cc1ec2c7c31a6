// SPDX-License-Identifier: Apache-2.0

// codegenprepare: repeats where it is used what instruction selection can make part of another instruction, because
// selection sees one block at a time.
//
// An index that is extended in another block is a register of 64 bits there, and takes a shift and an addition.
// Extended beside the addition, it is an operand of mad.wide, and the narrow index is what lives between the blocks. So
// are the factors of a product of 64 bits, which is mul.wide then instead of a multiplication that GPUs do in three
// steps. LLVM's pass of this name moves the extensions, too, where a target says that they are free; NVPTX does not say
// so. Of what else it does, machine passes move additions of constants into accesses of other blocks, and turn
// branches.

#ifndef PTXMIR_IR_PASSES_NVPTX_CODEGEN_PREPARE_H_
#define PTXMIR_IR_PASSES_NVPTX_CODEGEN_PREPARE_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunCodeGenPrepare(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_CODEGEN_PREPARE_H_
