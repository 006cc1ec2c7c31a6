// SPDX-License-Identifier: Apache-2.0

// The kernels of the instructions that decoding handles itself: jumps, calls, returns, copies, addresses of the
// frame, special registers. These have no mnemonic to look up, or have a meaning only within a function.

#ifndef PTXMIR_PTX_INTERPRETER_SEMANTICS_CONTROL_H_
#define PTXMIR_PTX_INTERPRETER_SEMANTICS_CONTROL_H_

#include <cstdint>

#include "ptx/interpreter/code/semantics.h"

namespace ptxmir::ptx::control {

// Jumps to `target`. With a guard, only the lanes for which it holds jump.
StepResult Jump(Warp& warp, const DecodedInstr& instr);
// Jumps through table `target`, at the index in operand 0.
StepResult JumpThroughTable(Warp& warp, const DecodedInstr& instr);
// Calls through call site `target`.
StepResult Call(Warp& warp, const DecodedInstr& instr);
StepResult Return(Warp& warp, const DecodedInstr& instr);
StepResult Exit(Warp& warp, const DecodedInstr& instr);
StepResult Trap(Warp& warp, const DecodedInstr& instr);
StepResult Nothing(Warp& warp, const DecodedInstr& instr);
// Executes nanosleep. It yields, because a thread that waits this way wants others to go on.
StepResult GiveWay(Warp& warp, const DecodedInstr& instr);
// Faults with message `target`.
StepResult Unsupported(Warp& warp, const DecodedInstr& instr);
// Copies operand 1 to operand 0, including undefined bits. A different width is zero-extended, sign-extended from
// bit params.a - 1 (if params.a is not 0), or truncated.
StepResult Copy(Warp& warp, const DecodedInstr& instr);
StepResult Not(Warp& warp, const DecodedInstr& instr);
// Makes operand 0, and operand 1 if there is one, undefined.
StepResult Undefine(Warp& warp, const DecodedInstr& instr);
// Computes an address in the frame. params.a: the offset from its base; params.b: whether the address is to be
// generic.
StepResult FrameAddress(Warp& warp, const DecodedInstr& instr);
// Reads a special register. params.a: SpecialRegister::Kind; params.b: its axis.
StepResult ReadSpecialRegister(Warp& warp, const DecodedInstr& instr);
// Begin and end the lifetime of stack object `target`.
StepResult LifetimeStart(Warp& warp, const DecodedInstr& instr);
StepResult LifetimeEnd(Warp& warp, const DecodedInstr& instr);

}  // namespace ptxmir::ptx::control

#endif  // PTXMIR_PTX_INTERPRETER_SEMANTICS_CONTROL_H_
