// SPDX-License-Identifier: Apache-2.0

#include "passes/combine/associative_ops.h"

#include <string_view>
#include <vector>

#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

enum class Associativity : uint8_t { kNone, kAlways, kIfFlagsAllow };

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const std::string_view other : words) {
    if (word == other) return true;
  }
  return false;
}

// Reads it from the name of the computation: "add.s32", "mul.lo.s32", "add.rn.f32". Names with more words (".sat",
// ".cc", ".wide") and packed types are of other operations.
Associativity AssociativityOf(std::string_view name) {
  const size_t first_dot = name.find('.'), last_dot = name.rfind('.');
  if (first_dot == std::string_view::npos) return Associativity::kNone;
  const std::string_view operation = name.substr(0, first_dot), type = name.substr(last_dot + 1);
  // With more than one modifier, this has a dot and is none of those below.
  const std::string_view modifier =
      first_dot == last_dot ? std::string_view() : name.substr(first_dot + 1, last_dot - first_dot - 1);
  const bool is_logical = IsOneOf(operation, {"and", "or", "xor"});
  if (is_logical) {
    return modifier.empty() && IsOneOf(type, {"b16", "b32", "b64", "pred"}) ? Associativity::kAlways
                                                                            : Associativity::kNone;
  }
  if (IsOneOf(type, {"s16", "u16", "s32", "u32", "s64", "u64", "b16", "b32", "b64"})) {
    const bool fits =
        modifier.empty() ? IsOneOf(operation, {"add", "min", "max"}) : operation == "mul" && modifier == "lo";
    return fits ? Associativity::kAlways : Associativity::kNone;
  }
  const bool is_float = IsOneOf(type, {"f16", "f32", "f64"}) && IsOneOf(operation, {"add", "mul"});
  return is_float && (modifier.empty() || modifier == "rn") ? Associativity::kIfFlagsAllow : Associativity::kNone;
}

Associativity AssociativityOf(ptx::SemanticTag semantics) {
  static const std::vector<Associativity>* const table = [] {
    auto* const all = new std::vector<Associativity>(ptx::kNumSemantics);
    for (int i = 0; i < ptx::kNumSemantics; ++i) {
      (*all)[static_cast<size_t>(i)] = AssociativityOf(ptx::SemanticsName(static_cast<ptx::SemanticTag>(i)));
    }
    return all;
  }();
  return (*table)[static_cast<size_t>(semantics)];
}

constexpr uint32_t kOverflowFlags = MachineInstr::kNoUWrap | MachineInstr::kNoSWrap | MachineInstr::kNoUSWrap |
                                    MachineInstr::kIsExact | MachineInstr::kDisjoint | MachineInstr::kNonNeg |
                                    MachineInstr::kSameSign | MachineInstr::kInBounds;

}  // namespace

bool IsReassociable(const MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.is_pure() || info.is_collective() || !info.is_commutable() || instr.num_explicit_defs() != 1) return false;
  if (instr.num_operands() < 3 || !instr.operand(0).reg().is_virtual()) return false;
  for (unsigned i = 1; i <= 2; ++i) {
    const MachineOperand& source = instr.operand(i);
    if (!source.reads_reg() || !source.reg().is_virtual() || source.is_tied()) return false;
  }
  const Associativity associativity = AssociativityOf(info.semantics);
  if (associativity != Associativity::kIfFlagsAllow) return associativity == Associativity::kAlways;
  return instr.has_flag(MachineInstr::kFmReassoc) && instr.has_flag(MachineInstr::kFmNsz);
}

uint32_t FlagsAfterReassociation(const MachineInstr& a, const MachineInstr& b) {
  return a.flags() & b.flags() & ~kOverflowFlags;
}

}  // namespace ptxmir
