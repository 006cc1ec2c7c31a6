// SPDX-License-Identifier: Apache-2.0

// Address spaces: conversions to the generic space and back, and generic accesses to a known space.
//
// These look at one conversion. infer-address-spaces follows addresses through whole functions.

#include "passes/peephole/peephole_rule.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;
using ptx::MemorySpace;
using Tag = ptx::SemanticTag;

// The conversions of a space, and the code of the space in the operand of accesses.
struct SpaceConversions {
  MemorySpace space;
  int64_t code;
  Tag to_generic[2];  // of 32 and 64 bits
  Tag to_space[2];
  Tag test;  // isspacep
};

constexpr SpaceConversions kSpaces[] = {
    {MemorySpace::kGlobal,
     1,
     {Tag::kCvtaGlobalU32, Tag::kCvtaGlobalU64},
     {Tag::kCvtaToGlobalU32, Tag::kCvtaToGlobalU64},
     Tag::kIsspacepGlobal},
    {MemorySpace::kShared,
     3,
     {Tag::kCvtaSharedU32, Tag::kCvtaSharedU64},
     {Tag::kCvtaToSharedU32, Tag::kCvtaToSharedU64},
     Tag::kIsspacepShared},
    {MemorySpace::kConst,
     4,
     {Tag::kCvtaConstU32, Tag::kCvtaConstU64},
     {Tag::kCvtaToConstU32, Tag::kCvtaToConstU64},
     Tag::kIsspacepConst},
    {MemorySpace::kLocal,
     5,
     {Tag::kCvtaLocalU32, Tag::kCvtaLocalU64},
     {Tag::kCvtaToLocalU32, Tag::kCvtaToLocalU64},
     Tag::kIsspacepLocal},
};

// Returns the space from which the instruction converts to generic, or null.
const SpaceConversions* SpaceMadeGeneric(const MachineInstr& instr) {
  const Tag tag = ptx::InstrInfo(instr.opcode()).semantics;
  for (const SpaceConversions& space : kSpaces) {
    if (tag == space.to_generic[0] || tag == space.to_generic[1]) return &space;
  }
  return nullptr;
}

// cvta.to.shared (cvta.shared p)  =>  p; cvta.shared (cvta.to.shared p)  =>  p, because an address that is converted to
// a space lies in it.
bool RemoveConversionPair(PeepholeEditor& editor, MachineInstr& instr) {
  const MachineInstr* const first = editor.DefOf(instr.operand(1), Family::kCvta);
  if (first == nullptr) return false;
  const Tag outer = ptx::InstrInfo(instr.opcode()).semantics;
  const Tag inner = ptx::InstrInfo(first->opcode()).semantics;
  for (const SpaceConversions& space : kSpaces) {
    for (const unsigned width : {0u, 1u}) {
      const bool is_pair = (outer == space.to_space[width] && inner == space.to_generic[width]) ||
                           (outer == space.to_generic[width] && inner == space.to_space[width]);
      if (is_pair) return editor.Replace(instr, first->operand(1));
    }
  }
  return false;
}

// Returns true if the operand is the address of a generic access that may be made in the space.
bool IsAccessIn(const MachineOperand& use, const SpaceConversions& space) {
  const MachineInstr& access = *use.parent();
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(access.opcode());
  if (!info.touches_memory() || info.address != use.operand_number()) return false;
  if (info.address_space == ptx::PtxInstrInfo::kNoOperand || access.operand(info.address_space).imm() != 0)
    return false;
  // Constants are only read, and neither they nor local memory have atomics or an order of accesses.
  const bool is_shared_with_threads = space.space == MemorySpace::kGlobal || space.space == MemorySpace::kShared;
  if (is_shared_with_threads) return true;
  if (info.Has(ptx::Property::kAtomic) || ptx::IsOrderedAccess(access)) return false;
  return space.space != MemorySpace::kConst || !info.writes_memory();
}

// cvta.shared q, p; ld [q]  =>  ld.shared [p], if all uses of q are such accesses. If one is not, q stays, and p would
// live beside it.
bool AccessInSpace(PeepholeEditor& editor, MachineInstr& instr) {
  const SpaceConversions* const space = SpaceMadeGeneric(instr);
  const MachineOperand source = instr.operand(1);
  if (space == nullptr || !source.reads_reg() || !source.reg().is_virtual()) return false;
  const Register generic = instr.operand(0).reg();
  if (editor.BitsOf(source.reg()) != editor.BitsOf(generic)) return false;
  bool is_used = false;
  for (const MachineOperand& use : editor.reg_info().NonDebugUses(generic)) {
    if (!IsAccessIn(use, *space)) return false;
    is_used = true;
  }
  if (!is_used) return false;
  for (MachineOperand& use : editor.reg_info().NonDebugUses(generic)) {
    MachineInstr& access = *use.parent();
    access.operand(ptx::InstrInfo(access.opcode()).address_space).set_imm(space->code);
  }
  return editor.Replace(instr, source);
}

// isspacep.shared (cvta.shared p) is true, isspacep.global (cvta.shared p) is false.
bool DecideSpaceTest(PeepholeEditor& editor, MachineInstr& instr) {
  const MachineInstr* const conversion = editor.DefOf(instr.operand(1), Family::kCvta);
  const SpaceConversions* const space = conversion == nullptr ? nullptr : SpaceMadeGeneric(*conversion);
  if (space == nullptr) return false;
  const Tag test = ptx::InstrInfo(instr.opcode()).semantics;
  for (const SpaceConversions& tested : kSpaces) {
    if (tested.test == test) return editor.ReplaceByConstant(instr, &tested == space ? 1 : 0);
  }
  return false;
}

constexpr Family kCvta[] = {Family::kCvta};
constexpr Family kIsspacep[] = {Family::kIsspacep};

constexpr PeepholeRule kSpaceRules[] = {
    {.name = "pairs of address conversions removed", .passes = kNvvm, .families = kCvta, .apply = RemoveConversionPair},
    {.name = "generic addresses used in their space", .passes = kNvvm, .families = kCvta, .apply = AccessInSpace},
    {.name = "tests of a known space decided", .passes = kNvvm, .families = kIsspacep, .apply = DecideSpaceTest},
};

}  // namespace

absl::Span<const PeepholeRule> SpaceRules() { return kSpaceRules; }

}  // namespace ptxmir::peephole
