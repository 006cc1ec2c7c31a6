// SPDX-License-Identifier: Apache-2.0

// Faults: what the interpreter reports instead of going on with nonsense.

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_FAULT_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_FAULT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmir::ptx {

enum class FaultKind : uint8_t {
  kNone,
  kUndefinedBranch,  // a branch, call target or predicate of a guard that
                     // depends on undefined bits
  kUndefinedAddress,
  kUndefinedStore,    // undefined bits stored to global memory
  kUndefinedOperand,  // of a collective, barrier, atomic ...
  kOutOfBounds,
  kNoTexture,  // a handle of a texture or surface that there is none of
  kMisaligned,
  kUseAfterFree,  // freed heap memory, a stack object out of scope
  kReadOnlyStore,
  kDataRace,  // on shared, global or tensor memory
  kDivergentBarrier,
  kDeadlock,  // nobody can go on
  kStepLimit,
  kTrap,            // trap, a failed assertion, exhausted stack
  kUnsupported,     // an instruction without semantics
  kInvalidProgram,  // what the verifier would have rejected
};

// "undefined-branch", "data-race" ...
std::string_view FaultKindName(FaultKind kind);

// Where a thread was.
struct ThreadPosition {
  uint32_t block[3] = {0, 0, 0};   // %ctaid
  uint32_t thread[3] = {0, 0, 0};  // %tid
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string message;  // what is wrong, with addresses and values
  std::string origin;   // of undefined values: how they came about; else empty
  std::string function;
  std::string block;        // "bb.3"
  std::string instruction;  // as MIR
  ThreadPosition position;

  bool is_fault() const { return kind != FaultKind::kNone; }
  // Several lines, without a line end: "error: out-of-bounds: ...".
  std::string ToString(std::string_view severity = "error") const;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_FAULT_H_
