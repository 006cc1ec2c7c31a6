// SPDX-License-Identifier: Apache-2.0

// nvptx-prolog-epilog: lays out the stack frame.
//
// The ten phases of the reference's PrologEpilogInserter ("PrologEpilogInserter" in
// reference/machine-level-passes.txt), and what PTX leaves of each:
//
//   1  set-up              the frame registers, by pointer width
//   2  callee-saved        PTX has no such registers; objects that MIR says hold one come first
//   3  fixed objects       keep their offsets
//   4  offsets             frame_layout.h
//   5  general variables   in categories, the same
//   6  frame pointer       none: __local_depotN is addressed from its beginning
//   7  prologue            %SPL (the depot's address in local space) and, if it is read, %SP (the generic one) in the
//                          entry block; there is no epilogue
//   8  frame indices       a frame index becomes %SP, and the object's offset is added to the operand behind it, of any
//                          size: nothing has to be scavenged. From -O1 on, loads and stores go through %SPL in local
//                          space instead, [%SPL+n], and those through an address in a register name their object
//                          first (frame_addresses.h); -frame-fold-addresses switches that
//   9  size                a warning where a frame exceeds -warn-stack-size or the function's attribute
//                          "warn-stack-size"; one where it exceeds the local memory of a thread; the StackSize remark
//   10 clean-up            markers of stack lifetimes end here
//
// At -O0 frames look like llc's. From -O1 on objects are ordered where that makes the frame smaller
// (-frame-sort-objects), and the frame's alignment is that of the objects that are left.
//
// A function whose frame is set up already is left alone, so that the pass may run on MIR from any stage.

#ifndef PTXMIR_PASSES_FRAME_PROLOG_EPILOG_H_
#define PTXMIR_PASSES_FRAME_PROLOG_EPILOG_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunPrologEpilog(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_PROLOG_EPILOG_H_
