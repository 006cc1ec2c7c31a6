// nvptx-prolog-epilog: lays out the stack frame.
//
// Stack objects get offsets in __local_depotN, the function's array in local memory: fixed objects first,
// then the others in the order of their numbers, each aligned as it asks. A frame index becomes the frame
// register (%SP, a generic address) and the object's offset is added to the offset operand behind it. The
// entry block gets the instructions that set up %SPL (the depot's address in local space) and, if it is
// read, %SP.
//
// Markers of stack lifetimes end here. A function whose frame is set up already is left alone, so that the
// pass may run on MIR from any stage.

#ifndef PTXMIR_PASSES_PROLOG_EPILOG_H_
#define PTXMIR_PASSES_PROLOG_EPILOG_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunPrologEpilog(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PROLOG_EPILOG_H_
