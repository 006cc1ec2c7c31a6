// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/effects.h"

#include <algorithm>
#include <iterator>

#include "ir/code/program.h"

namespace ptxmir::ir {
namespace {

// Intrinsics of which nothing but the result matters, for IR that does not state their attributes. LLVM adds these
// when it reads a declaration.
constexpr std::string_view kPureIntrinsics[] = {
    "llvm.abs.",       "llvm.bitreverse.",
    "llvm.bswap.",     "llvm.ceil.",
    "llvm.copysign.",  "llvm.ctlz.",
    "llvm.ctpop.",     "llvm.cttz.",
    "llvm.fabs.",      "llvm.floor.",
    "llvm.fma.",       "llvm.fmuladd.",
    "llvm.fshl.",      "llvm.fshr.",
    "llvm.maxnum.",    "llvm.minnum.",
    "llvm.nearbyint.", "llvm.nvvm.read.ptx.sreg.ctaid.",
    "llvm.rint.",      "llvm.nvvm.read.ptx.sreg.laneid",
    "llvm.round.",     "llvm.nvvm.read.ptx.sreg.nctaid.",
    "llvm.roundeven.", "llvm.nvvm.read.ptx.sreg.ntid.",
    "llvm.sadd.sat.",  "llvm.nvvm.read.ptx.sreg.tid.",
    "llvm.smax.",      "llvm.nvvm.read.ptx.sreg.warpsize",
    "llvm.smin.",      "llvm.nvvm.isspacep.",
    "llvm.sqrt.",      "llvm.ssub.sat.",
    "llvm.trunc.",     "llvm.uadd.sat.",
    "llvm.umax.",      "llvm.umin.",
    "llvm.usub.sat.",  "llvm.uadd.with.overflow.",
    "llvm.sadd.with.", "llvm.usub.with.overflow.",
    "llvm.ssub.with.", "llvm.umul.with.overflow.",
    "llvm.smul.with.", "llvm.is.fpclass.",
    "llvm.ptrmask.",
};

bool HasPrefix(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool IsKnownPure(const Instruction& call) {
  const IrFunction* callee = CalledFunction(call);
  if (callee == nullptr || !callee->is_intrinsic()) return false;
  return std::any_of(std::begin(kPureIntrinsics), std::end(kPureIntrinsics),
                     [&](std::string_view prefix) { return HasPrefix(callee->name, prefix); });
}

bool AccessesNoMemory(const Instruction& call) {
  if (FindCallAttribute(call, "readnone") != nullptr) return true;
  const IrAttribute* memory = FindCallAttribute(call, "memory");
  if (memory != nullptr) return memory->value == "none";
  return IsKnownPure(call);
}

bool OnlyReadsMemory(const Instruction& call) {
  if (AccessesNoMemory(call) || FindCallAttribute(call, "readonly") != nullptr) return true;
  const IrAttribute* memory = FindCallAttribute(call, "memory");
  return memory != nullptr && memory->value.find("write") == std::string_view::npos &&
         memory->value.find("argmem: none") == std::string_view::npos && HasPrefix(memory->value, "argmem: read") &&
         memory->value.find(',') == std::string_view::npos;
}

// Returns true if a call of a function comes back.
bool Returns(const Instruction& call) {
  if (IsKnownPure(call)) return true;
  const IrFunction* callee = CalledFunction(call);
  if (callee != nullptr && callee->is_intrinsic()) return FindCallAttribute(call, "noreturn") == nullptr;
  return FindCallAttribute(call, "willreturn") != nullptr && FindCallAttribute(call, "nounwind") != nullptr;
}

bool HasSideEffectAsm(const Instruction& call) {
  return call.callee().is_inline_asm() && static_cast<InlineAsm&>(call.callee()).has_flag(InlineAsm::kSideEffect);
}

// Returns true if inline assembly without side effects says that it accesses memory.
bool ClobbersMemory(const Instruction& call) {
  return static_cast<InlineAsm&>(call.callee()).constraints().find("~{memory}") != std::string_view::npos;
}

}  // namespace

const IrFunction* CalledFunction(const Instruction& call) {
  if (!call.callee().is_constant()) return nullptr;
  const IrConstant& constant = static_cast<ConstantValue&>(call.callee()).constant();
  if (constant.kind != IrConstant::Kind::kGlobal) return nullptr;
  return call.function().module().function(constant.global);
}

bool IsIntrinsicCall(const Instruction& instruction, std::string_view prefix) {
  if (instruction.opcode() != Opcode::kCall) return false;
  const IrFunction* callee = CalledFunction(instruction);
  return callee != nullptr && HasPrefix(callee->name, prefix);
}

const IrAttribute* FindCallAttribute(const Instruction& call, std::string_view name) {
  const Program& program = call.function().program();
  const AttributeSet& own = program.attribute_set(call.call().function_attributes);
  if (const IrAttribute* found = own.attributes.Find(name); found != nullptr) return found;
  for (const uint32_t number : own.groups) {
    const IrAttributeGroup* group = program.module().FindAttributeGroup(number);
    if (group == nullptr) continue;
    if (const IrAttribute* found = group->attributes.Find(name); found != nullptr) return found;
  }
  const IrFunction* callee = CalledFunction(call);
  return callee == nullptr ? nullptr : program.module().FindFunctionAttribute(*callee, name);
}

std::optional<unsigned> AccessedPointer(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kLoad:
    case Opcode::kCmpXchg:
    case Opcode::kAtomicRMW:
      return 0;
    case Opcode::kStore:
      return 1;
    default:
      return std::nullopt;
  }
}

bool MayReadMemory(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kLoad:
    case Opcode::kVAArg:
    case Opcode::kFence:
    case Opcode::kCmpXchg:
    case Opcode::kAtomicRMW:
      return true;
    case Opcode::kStore:
      return !IsSimpleAccess(instruction);
    case Opcode::kCall:
      if (instruction.callee().is_inline_asm()) return HasSideEffectAsm(instruction) || ClobbersMemory(instruction);
      return !AccessesNoMemory(instruction);
    default:
      return false;
  }
}

bool MayWriteMemory(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kStore:
    case Opcode::kVAArg:
    case Opcode::kFence:
    case Opcode::kCmpXchg:
    case Opcode::kAtomicRMW:
      return true;
    case Opcode::kLoad:
      return !IsSimpleAccess(instruction);
    case Opcode::kCall:
      if (instruction.callee().is_inline_asm()) return HasSideEffectAsm(instruction) || ClobbersMemory(instruction);
      return !OnlyReadsMemory(instruction);
    default:
      return false;
  }
}

bool IsConvergent(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCall && FindCallAttribute(instruction, "convergent") != nullptr;
}

bool IsRemovableIfUnused(const Instruction& instruction) {
  if (instruction.is_terminator() || instruction.is_debug_record()) return false;
  switch (instruction.opcode()) {
    case Opcode::kLoad:
      return IsSimpleAccess(instruction);
    case Opcode::kCall:
      return EffectsOfCall(instruction).is_removable;
    default:
      return !MayWriteMemory(instruction);
  }
}

CallEffects EffectsOfCall(const Instruction& call) {
  CallEffects effects;
  if (call.callee().is_inline_asm()) {
    effects.may_write_memory = HasSideEffectAsm(call) || ClobbersMemory(call);
    effects.is_removable = !effects.may_write_memory && !call.type()->is_void();
    effects.is_pure_within_block = effects.is_removable && AccessesNoMemory(call);
    return effects;
  }
  const bool accesses_memory = !AccessesNoMemory(call);
  effects.may_write_memory = accesses_memory && !OnlyReadsMemory(call);
  effects.is_removable = !effects.may_write_memory && !call.type()->is_void() && Returns(call);
  if (!effects.is_removable || accesses_memory) return effects;
  (IsConvergent(call) ? effects.is_pure_within_block : effects.is_pure) = true;
  return effects;
}

CallEffects KnownCallEffects::Of(const Instruction& call) {
  if (call.callee().is_inline_asm()) return EffectsOfCall(call);
  const uint64_t attributes = uint64_t{call.call().function_attributes} << 1 | (call.type()->is_void() ? 1 : 0);
  const auto [place, is_new] = known_.try_emplace(attributes << 32 | call.callee().id());
  if (is_new) place->second = EffectsOfCall(call);
  return place->second;
}

bool IsPureExpression(Opcode opcode) {
  if (IsBinary(opcode) || IsCast(opcode)) return true;
  switch (opcode) {
    case Opcode::kFNeg:
    case Opcode::kGetElementPtr:
    case Opcode::kICmp:
    case Opcode::kFCmp:
    case Opcode::kSelect:
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      return true;
    default:
      return false;
  }
}

bool IsInvariantLoad(const Instruction& load) {
  const Program& program = load.function().program();
  return std::any_of(load.attachments().begin(), load.attachments().end(), [&](const Attachment& attachment) {
    return program.metadata_kind(attachment.kind) == "invariant.load";
  });
}

bool IsSimpleAccess(const Instruction& instruction) {
  return !instruction.has_flag(kVolatile) && instruction.ordering() == AtomicOrdering::kNotAtomic;
}

}  // namespace ptxmir::ir
