// SPDX-License-Identifier: Apache-2.0

// The TargetInfo: the generated tables, the register classes (ptx/isa/register_classes.h), and the physical registers,
// which are written down here.

#include "ptx/target/ptx_target.h"

#include <array>
#include <iterator>
#include <optional>

#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/isa_tables.h"

namespace ptxmir::ptx {
namespace {

// Sets of physical registers, as bits.
constexpr uint64_t Range(int first, int count) { return ((uint64_t{1} << count) - 1) << first; }
constexpr uint64_t Bit(int number) { return uint64_t{1} << number; }
constexpr uint64_t kFrame32Bits = Bit(phys_reg::kFrame32) | Bit(phys_reg::kFrameLocal32);
constexpr uint64_t kFrame64Bits = Bit(phys_reg::kFrame64) | Bit(phys_reg::kFrameLocal64);

// The members of each class among the physical registers 0 to 63. There are none above.
constexpr uint64_t kMembers[] = {
    Range(34, 5),
    Range(54, 5),
    Bit(phys_reg::kDepot) | Range(phys_reg::kEnvReg0, 32) | kFrame32Bits,
    Range(39, 5) | kFrame32Bits,
    kFrame32Bits,
    Range(44, 5) | kFrame64Bits,
    Range(49, 5),
};
static_assert(std::size(kMembers) == reg_class::kCount);

// Special registers are not allocated.
constexpr auto kRegClasses = [] {
  std::array<RegClassDesc, reg_class::kCount> descs{};
  for (size_t i = 0; i < descs.size(); ++i) {
    const RegisterClass& c = kRegisterClasses[i];
    descs[i] = {c.mir_name, c.bits, c.pressure_units, c.has_virtual_registers(), {kMembers[i], 0}};
  }
  return descs;
}();

// The physical registers by number, with their MIR and PTX names.
struct PhysReg {
  std::string_view mir, ptx;
};
#define PTXMIR_ENVREG(n) \
  { "envreg" #n, "%envreg" #n }
#define PTXMIR_STAND_INS(mir, ptx) \
  {mir "0", ptx "0"}, {mir "1", ptx "1"}, {mir "2", ptx "2"}, {mir "3", ptx "3"}, { mir "4", ptx "4" }
constexpr PhysReg kPhysRegs[] = {
    {"noreg", ""},
    {"vrdepot", "%Depot"},
    PTXMIR_ENVREG(0),
    PTXMIR_ENVREG(1),
    PTXMIR_ENVREG(2),
    PTXMIR_ENVREG(3),
    PTXMIR_ENVREG(4),
    PTXMIR_ENVREG(5),
    PTXMIR_ENVREG(6),
    PTXMIR_ENVREG(7),
    PTXMIR_ENVREG(8),
    PTXMIR_ENVREG(9),
    PTXMIR_ENVREG(10),
    PTXMIR_ENVREG(11),
    PTXMIR_ENVREG(12),
    PTXMIR_ENVREG(13),
    PTXMIR_ENVREG(14),
    PTXMIR_ENVREG(15),
    PTXMIR_ENVREG(16),
    PTXMIR_ENVREG(17),
    PTXMIR_ENVREG(18),
    PTXMIR_ENVREG(19),
    PTXMIR_ENVREG(20),
    PTXMIR_ENVREG(21),
    PTXMIR_ENVREG(22),
    PTXMIR_ENVREG(23),
    PTXMIR_ENVREG(24),
    PTXMIR_ENVREG(25),
    PTXMIR_ENVREG(26),
    PTXMIR_ENVREG(27),
    PTXMIR_ENVREG(28),
    PTXMIR_ENVREG(29),
    PTXMIR_ENVREG(30),
    PTXMIR_ENVREG(31),
    PTXMIR_STAND_INS("p", "%p"),
    PTXMIR_STAND_INS("r", "%r"),
    PTXMIR_STAND_INS("rl", "%rd"),
    PTXMIR_STAND_INS("rq", "%rq"),
    PTXMIR_STAND_INS("rs", "%rs"),
    {"vrframe32", "%SP"},
    {"vrframe64", "%SP"},
    {"vrframelocal32", "%SPL"},
    {"vrframelocal64", "%SPL"},
};
#undef PTXMIR_ENVREG
#undef PTXMIR_STAND_INS
static_assert(std::size(kPhysRegs) == phys_reg::kFrameLocal64 + 1);

constexpr auto kPhysRegDescs = [] {
  std::array<PhysRegDesc, std::size(kPhysRegs)> descs{};
  for (size_t i = 0; i < descs.size(); ++i) descs[i].name = kPhysRegs[i].mir;
  return descs;
}();

std::optional<Opcode> FindOpcode(std::string_view name) {
  const uint32_t hash = isa::HashName(name);
  const uint16_t tag = static_cast<uint16_t>(hash >> 16);
  for (uint32_t i = hash & isa::kNameSlotMask;; i = (i + 1) & isa::kNameSlotMask) {
    const isa::NameSlot& slot = isa::kNameSlots[i];
    if (slot.opcode == isa::NameSlot::kFree) return std::nullopt;
    if (slot.tag != tag) continue;
    const InstrDesc& desc = isa::kInstrDescs[slot.opcode];
    if (name == isa::kStrings + desc.name || name == isa::kStrings + desc.stable_name) return slot.opcode;
  }
}

// Returns true if an operand of class `wanted` may be a register of class `actual`: the same class or a subclass.
// Only one class is a subclass: B32_and_SpecialRegs is the intersection of B32 and SpecialRegs.
bool IsCompatibleClass(RegClassId actual, RegClassId wanted) {
  if (actual == wanted) return true;
  return actual == reg_class::kB32AndSpecialRegs && (wanted == reg_class::kB32 || wanted == reg_class::kSpecialRegs);
}

constexpr TargetInfo kTargetInfo = {
    .instrs = {isa::kInstrDescs, kNumOpcodes},
    .operand_descs = {isa::kOperandDescs, isa::kNumOperandDescs},
    .strings = isa::kStrings,
    .reg_classes = {kRegClasses.data(), kRegClasses.size()},
    .phys_regs = {kPhysRegDescs.data(), kPhysRegDescs.size()},
    .find_opcode = &FindOpcode,
    .is_compatible_class = &IsCompatibleClass,
};

}  // namespace

const TargetInfo& PtxTargetInfo() { return kTargetInfo; }

std::optional<Opcode> RegisterMoveOpcode(RegClassId reg_class) {
  switch (reg_class) {
    case reg_class::kB1:
      return op::MOV_B1_r;
    case reg_class::kB16:
      return op::MOV_B16_r;
    case reg_class::kB32:
      return op::MOV_B32_r;
    case reg_class::kB64:
      return op::MOV_B64_r;
    case reg_class::kB128:
      return op::MOV_B128_r;
    default:
      return std::nullopt;
  }
}

std::string_view PhysicalRegisterText(uint32_t number) {
  return number < std::size(kPhysRegs) ? kPhysRegs[number].ptx : std::string_view();
}

std::string_view SemanticsName(SemanticTag semantics) {
  const auto index = static_cast<unsigned>(semantics);
  if (index >= kNumSemantics) return "";
  const isa::TextInCode name = isa::kSemanticNames[index];
  return std::string_view(isa::kTemplateCode + name.offset, name.size);
}

std::string_view FamilyName(Family family) {
  const auto index = static_cast<unsigned>(family);
  return index < kNumFamilies ? isa::kStrings + isa::kFamilyNames[index] : "";
}

std::string_view OperandRoleName(OperandRole role) {
  const auto index = static_cast<unsigned>(role);
  return index < kNumOperandRoles ? isa::kStrings + isa::kRoleNames[index] : "";
}

MemorySpace AddressSpaceFromCode(int64_t code) {
  switch (code) {
    case address_space::kGeneric:
      return MemorySpace::kGeneric;
    case address_space::kGlobal:
      return MemorySpace::kGlobal;
    case address_space::kShared:
      return MemorySpace::kShared;
    case address_space::kConst:
      return MemorySpace::kConst;
    case address_space::kLocal:
      return MemorySpace::kLocal;
    case address_space::kSharedCluster:
      return MemorySpace::kSharedCluster;
    case address_space::kParam:
      return MemorySpace::kParam;
    default:
      return MemorySpace::kUnknown;
  }
}

}  // namespace ptxmir::ptx
