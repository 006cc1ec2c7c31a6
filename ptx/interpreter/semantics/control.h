// SPDX-License-Identifier: Apache-2.0

// Kernels of the instructions that decoding knows itself: jumps, calls, returns, copies, addresses of the frame,
// special registers. They have no mnemonic to be looked up by, or mean something only within a function.

#ifndef PTXMIR_PTX_INTERPRETER_SEMANTICS_CONTROL_H_
#define PTXMIR_PTX_INTERPRETER_SEMANTICS_CONTROL_H_

#include <cstdint>

#include "ptx/interpreter/code/semantics.h"

namespace ptxmir::ptx::control {

// To `target`; with a guard, for the lanes for which it holds.
StepResult Jump(Warp& warp, const DecodedInstr& instr);
// Table `target`, by the index in operand 0.
StepResult JumpThroughTable(Warp& warp, const DecodedInstr& instr);
// Call site `target`.
StepResult Call(Warp& warp, const DecodedInstr& instr);
StepResult Return(Warp& warp, const DecodedInstr& instr);
StepResult Exit(Warp& warp, const DecodedInstr& instr);
StepResult Trap(Warp& warp, const DecodedInstr& instr);
StepResult Nothing(Warp& warp, const DecodedInstr& instr);
// nanosleep: whoever waits by it wants others to go on.
StepResult GiveWay(Warp& warp, const DecodedInstr& instr);
// Message `target`.
StepResult Unsupported(Warp& warp, const DecodedInstr& instr);
// Operand 1 to operand 0, undefined bits and all; another width is zero-extended, or sign-extended from bit
// params.a - 1 (if that is not 0), or truncated.
StepResult Copy(Warp& warp, const DecodedInstr& instr);
StepResult Not(Warp& warp, const DecodedInstr& instr);
// Operand 0, and 1 if there is one, become undefined.
StepResult Undefine(Warp& warp, const DecodedInstr& instr);
// params.a: offset from the base of the frame; params.b: whether the address is to be generic.
StepResult FrameAddress(Warp& warp, const DecodedInstr& instr);
// params.a: SpecialRegister::Kind; params.b: its axis.
StepResult ReadSpecialRegister(Warp& warp, const DecodedInstr& instr);
// Stack object `target` comes into being, ceases to be.
StepResult LifetimeStart(Warp& warp, const DecodedInstr& instr);
StepResult LifetimeEnd(Warp& warp, const DecodedInstr& instr);

}  // namespace ptxmir::ptx::control

#endif  // PTXMIR_PTX_INTERPRETER_SEMANTICS_CONTROL_H_
