// SPDX-License-Identifier: Apache-2.0

// Brings IR that older versions of LLVM wrote to what LLVM 22 writes, as LLVM's AutoUpgrade.cpp does while it reads:
//
// - Attributes: nocapture becomes captures(none); readnone, readonly, writeonly, argmemonly and the like of functions
//   become memory(...).
// - !nvvm.annotations: "kernel" becomes the calling convention ptx_kernel, launch bounds become attributes of the
//   function, "grid_constant" and "align" attributes of parameters. Other annotations stay.
// - Intrinsics that were renamed, got other arguments, or became instructions. nvvm's come first: barrier0, ldg,
//   ptr.*.to.gen, rotate, atomic.load.add, minimum and maximum, bfloat operations on integers.
//
// Pointers with a type and the attributes that take their type from one (byval) are the reader's. So are tags of TBAA.
// Calls of debug intrinsics are debug records since they were read. What LLVM upgrades for other targets is not
// touched.

#ifndef PTXMIR_IR_UPGRADE_UPGRADE_H_
#define PTXMIR_IR_UPGRADE_UPGRADE_H_

#include "ir/code/program.h"

namespace ptxmir::ir {

void UpgradeProgram(Program& program);

// The parts of UpgradeProgram.
void UpgradeAttributes(Program& program);
void UpgradeAnnotations(Module& module);
void UpgradeIntrinsics(Program& program);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_UPGRADE_UPGRADE_H_
