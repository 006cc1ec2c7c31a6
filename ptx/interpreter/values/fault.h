// SPDX-License-Identifier: Apache-2.0

// Faults: reports of errors, at which the interpreter stops instead of going on with nonsense.

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_FAULT_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_FAULT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmir::ptx {

enum class FaultKind : uint8_t {
  kNone,
  // A branch, call target or guard predicate that depends on undefined bits.
  kUndefinedBranch,
  kUndefinedAddress,
  kUndefinedStore,    // undefined bits stored to global memory
  kUndefinedOperand,  // an undefined operand of a collective, barrier, atomic ...
  kOutOfBounds,
  kNoTexture,      // a handle that no texture or surface has
  kNoTensorMap,    // an address at which there is no tensor map of the rank
  kBadDescriptor,  // a descriptor of a tensor product, or of its matrices, that does not fit the instruction
  kMisaligned,
  kUseAfterFree,  // freed heap memory, a stack object out of scope
  kReadOnlyStore,
  kDataRace,  // on shared, global or tensor memory
  kDivergentBarrier,
  kDeadlock,  // no thread can go on
  kStepLimit,
  kTrap,            // trap, a failed assertion, exhausted stack
  kUnsupported,     // an instruction without semantics
  kInvalidProgram,  // an error that the verifier should have found
};

// Returns the name of a kind: "undefined-branch", "data-race" ...
std::string_view FaultKindName(FaultKind kind);

// The position of a thread in the launch.
struct ThreadPosition {
  uint32_t block[3] = {0, 0, 0};   // %ctaid
  uint32_t thread[3] = {0, 0, 0};  // %tid
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string message;  // the problem, with addresses and values
  std::string origin;   // for undefined values: how they came about; else empty
  std::string function;
  std::string block;        // "bb.3"
  std::string instruction;  // as MIR
  ThreadPosition position;

  bool is_fault() const { return kind != FaultKind::kNone; }
  // Returns several lines, without a final newline: "error: out-of-bounds: ...".
  std::string ToString(std::string_view severity = "error") const;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_FAULT_H_
