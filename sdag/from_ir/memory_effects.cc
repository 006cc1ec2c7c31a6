// SPDX-License-Identifier: Apache-2.0

#include "sdag/from_ir/memory_effects.h"

#include <algorithm>
#include <string_view>

namespace ptxmir::sdag {
namespace {

constexpr std::string_view kPrefix = "llvm.nvvm.";

// The beginnings of names, after "llvm.nvvm.", of intrinsics that compute their results from their operands alone.
constexpr std::string_view kPure[] = {
    "abs.",
    "add.",
    "bf2h",
    "bitcast.",
    "bmsk.",
    "brev",
    "ceil.",
    "clz.",
    "cos.",
    "d2f.",
    "d2i.",
    "d2ll.",
    "d2ui.",
    "d2ull.",
    "div.",
    "ex2.",
    "f2",
    "fabs",
    "ff2",
    "ff.to.",
    "floor.",
    "flo.",
    "fma.",
    "fmax.",
    "fmin.",
    "fns",
    "fshl.",
    "fshr.",
    "h2f",
    "i2d.",
    "i2f.",
    "idp2a.",
    "idp4a.",
    "isspacep.",
    "istypep.",
    "lg2.",
    "ll2d.",
    "ll2f.",
    "lohi.",
    "max.",
    "min.",
    "mma.",
    "move.",
    "mul.",
    "mul24.",
    "mulhi.",
    "neg.",
    "popc.",
    "prmt",
    "ptr.",
    "rcp.",
    "rotate.",
    "round.",
    "rsqrt.",
    "sad.",
    "saturate.",
    "sext.",
    "sin.",
    "sqrt.",
    "sub.",
    "tanh.",
    "trunc.",
    "ui2d.",
    "ui2f.",
    "ull2d.",
    "ull2f.",
    "wmma.m16n16k16.mma.",
    "wmma.m16n16k8.mma.",
    "wmma.m32n8k16.mma.",
    "wmma.m8n32k16.mma.",
    "wmma.m8n8k128.mma.",
    "wmma.m8n8k32.mma.",
    "wmma.m8n8k4.mma.",
    "zext.",
};
constexpr std::string_view kRegister = "read.ptx.sreg.";
// Special registers that change while a thread runs.
constexpr std::string_view kChangingRegisters[] = {"clock", "globaltimer", "pm"};
constexpr std::string_view kReading[] = {"ldg.", "ldu."};

template <size_t size>
bool BeginsWithOneOf(std::string_view name, const std::string_view (&prefixes)[size]) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

MemoryEffect EffectByName(std::string_view name) {
  if (!name.starts_with(kPrefix)) return MemoryEffect::kWrites;
  name.remove_prefix(kPrefix.size());
  if (name.starts_with(kRegister)) {
    name.remove_prefix(kRegister.size());
    return BeginsWithOneOf(name, kChangingRegisters) ? MemoryEffect::kWrites : MemoryEffect::kNone;
  }
  if (BeginsWithOneOf(name, kReading)) return MemoryEffect::kReads;
  return BeginsWithOneOf(name, kPure) ? MemoryEffect::kNone : MemoryEffect::kWrites;
}

}  // namespace

MemoryEffect MemoryEffectOf(const Module& module, const IrFunction& callee) {
  const IrAttribute* memory = module.FindFunctionAttribute(callee, "memory");
  if (memory == nullptr) {
    return module.HasFunctionAttribute(callee, "readnone") ? MemoryEffect::kNone : EffectByName(callee.name);
  }
  if (memory->value == "none") return MemoryEffect::kNone;
  if (memory->value.find("write") != std::string_view::npos) return MemoryEffect::kWrites;
  return module.HasFunctionAttribute(callee, "willreturn") ? MemoryEffect::kReads : MemoryEffect::kWrites;
}

}  // namespace ptxmir::sdag
