// SPDX-License-Identifier: Apache-2.0

// Effects: what an instruction may do besides computing its result, by its opcode, and for calls by attributes of the
// call and the callee.

#ifndef PTXMIR_IR_PASSES_SUPPORT_EFFECTS_H_
#define PTXMIR_IR_PASSES_SUPPORT_EFFECTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ir/code/function.h"

namespace ptxmir::ir {

// Returns the function that a call names as its callee, or null if it is called through a pointer or is inline
// assembly.
const IrFunction* CalledFunction(const Instruction& call);
// Returns true if the call is one of an intrinsic whose name begins with `prefix` ("llvm.lifetime.").
bool IsIntrinsicCall(const Instruction& instruction, std::string_view prefix);

// Returns an attribute of the call itself or of its callee; null if there is none.
const IrAttribute* FindCallAttribute(const Instruction& call, std::string_view name);

// Returns the number of the operand that is the pointer through which a load, store or atomic operation accesses
// memory; nothing for other instructions.
std::optional<unsigned> AccessedPointer(const Instruction& instruction);

bool MayReadMemory(const Instruction& instruction);
// Returns true for what orders or synchronizes threads, too.
bool MayWriteMemory(const Instruction& instruction);
bool IsConvergent(const Instruction& instruction);

// Returns true if the instruction can go when nothing uses its result.
bool IsRemovableIfUnused(const Instruction& instruction);

// Returns true if the result depends on the operands alone, so that equal instructions give equal results wherever
// they are: neither memory nor the convergence of threads matters. False for calls.
bool IsPureExpression(Opcode opcode);

// The effects of a call.
struct CallEffects {
  bool may_write_memory = false;
  bool is_removable = false;  // IsRemovableIfUnused
  // Whether the result depends on the operands alone, if the call has no bundles, and whether it does within a block,
  // where the same threads are together at two places. Inline assembly and what is convergent may be of the second
  // kind.
  bool is_pure = false;
  bool is_pure_within_block = false;
};
CallEffects EffectsOfCall(const Instruction& call);

// The effects of the calls in a function. Attributes are looked at once for each callee and set of attributes.
class KnownCallEffects {
 public:
  CallEffects Of(const Instruction& call);

 private:
  absl::flat_hash_map<uint64_t, CallEffects> known_;
};

// Returns true for a load of memory that never changes (`!invariant.load`).
bool IsInvariantLoad(const Instruction& load);

// Returns true for a load or store that is neither volatile nor atomic.
bool IsSimpleAccess(const Instruction& instruction);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_EFFECTS_H_
