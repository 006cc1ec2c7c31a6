// SPDX-License-Identifier: Apache-2.0

// nvptx-lower-ctor-dtor: makes the functions of llvm.global_ctors and llvm.global_dtors what a host runtime can call.
//
// As in LLVM's pass: each function gets a constant with its address, __init_array_object_NAME_ID_PRIORITY in the
// section .init_array.PRIORITY (fini for destructors), from which the runtime builds tables in order of priority. It
// gives their ends to __init_array_start and __init_array_end, and launches the kernel nvptx$device$init with one
// thread, which calls what is between them. nvptx$device$fini goes through its table from the end. ID tells modules
// apart: -nvptx-lower-global-ctor-dtor-id, or a number made from the module's source file name. LLVM's number is an MD5
// sum; here it is the FNV-1a hash of 64 bits, so the names differ from LLVM's, whose form is not promised either.
// -nvptx-emit-init-fini-kernel=false leaves the kernels out.

#ifndef PTXMIR_IR_PASSES_GLOBALS_LOWER_CTOR_DTOR_H_
#define PTXMIR_IR_PASSES_GLOBALS_LOWER_CTOR_DTOR_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunLowerCtorDtor(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_LOWER_CTOR_DTOR_H_
