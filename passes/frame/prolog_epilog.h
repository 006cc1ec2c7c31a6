// SPDX-License-Identifier: Apache-2.0

// nvptx-prolog-epilog lays out the stack frame.
//
// cicc's PrologEpilogInserter has ten phases. This is what each of them does for PTX:
//
//   1  set-up              creates the frame registers, by pointer width
//   2  callee-saved        PTX has no such registers; objects that MIR says hold one come first
//   3  fixed objects       keep their offsets
//   4  offsets             see frame_layout.h
//   5  general variables   in categories, see frame_layout.h
//   6  frame pointer       none: __local_depotN is addressed from its beginning
//   7  prologue            sets %SPL (the depot's address in local space) and, if it is read, %SP (the generic
//                          address) in the entry block; there is no epilogue
//   8  frame indices       a frame index becomes %SP, and the object's offset is added to the operand after it. Any
//                          offset fits, so nothing has to be scavenged. From -O1 on, loads and stores go through %SPL
//                          in local space instead ([%SPL+n]), and accesses through an address in a register name
//                          their object first (frame_addresses.h; -frame-fold-addresses controls this)
//   9  size                warns about a frame that exceeds -warn-stack-size or the function's attribute
//                          "warn-stack-size", and about one that exceeds the local memory of a thread; emits the
//                          StackSize remark
//   10 clean-up            erases the stack lifetime markers
//
// At -O0 frames look like llc's. From -O1 on, objects are sorted if that makes the frame smaller
// (-frame-sort-objects), and the frame's alignment is that of the remaining objects.
//
// A function whose frame is already set up is left alone, so the pass may run on MIR from any stage.

#ifndef PTXMIR_PASSES_FRAME_PROLOG_EPILOG_H_
#define PTXMIR_PASSES_FRAME_PROLOG_EPILOG_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPrologEpilog(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_PROLOG_EPILOG_H_
