// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/sub_registers.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::sdag {
namespace {

// The division of a register of one class into equal parts of another, and the instructions that unpack and pack
// it.
struct Split {
  RegClassId whole;
  RegClassId part;
  uint8_t num_parts;
  uint32_t first_index;
  Opcode unpack;
  Opcode pack;
};

constexpr Split kSplits[] = {
    {ptx::reg_class::kB32, ptx::reg_class::kB16, 2, kSub16_0, ptx::op::I32toV2I16, ptx::op::V2I16toI32},
    {ptx::reg_class::kB64, ptx::reg_class::kB16, 4, kSub16_0, ptx::op::I64toV4I16, ptx::op::V4I16toI64},
    {ptx::reg_class::kB64, ptx::reg_class::kB32, 2, kSub32_0, ptx::op::I64toV2I32, ptx::op::V2I32toI64},
    {ptx::reg_class::kB128, ptx::reg_class::kB64, 2, kSub64_0, ptx::op::I128toV2I64, ptx::op::V2I64toI128},
};
constexpr unsigned kMaxParts = 4;
using Parts = std::array<Register, kMaxParts>;

const Split* FindSplit(RegClassId whole, uint32_t index) {
  const auto* found = std::find_if(std::begin(kSplits), std::end(kSplits), [=](const Split& split) {
    return split.whole == whole && index >= split.first_index && index < split.first_index + split.num_parts;
  });
  return found == std::end(kSplits) ? nullptr : found;
}

Register MakeZero(MachineBasicBlock& block, MachineInstr* before, RegClassId reg_class, MetadataId loc) {
  const Opcode opcode = reg_class == ptx::reg_class::kB16   ? ptx::op::MOV_B16_i
                        : reg_class == ptx::reg_class::kB32 ? ptx::op::MOV_B32_i
                                                            : ptx::op::MOV_B64_i;
  const Register reg = block.function().reg_info().CreateVirtualRegister(reg_class);
  BuildMI(block, before, opcode, loc).AddDef(reg).AddImm(0).Insert();
  return reg;
}

MachineInstr* Unpack(MachineBasicBlock& block, MachineInstr* before, const Split& split, Register whole,
                     const Parts& parts, MetadataId loc) {
  MachineInstrBuilder builder = BuildMI(block, before, split.unpack, loc);
  for (unsigned i = 0; i < split.num_parts; ++i) builder.AddDef(parts[i]);
  return builder.AddUse(whole).Insert();
}

}  // namespace

MachineInstr* InsertSubRegister(MachineBasicBlock& block, MachineInstr* before, const SubRegOperation& operation) {
  MachineRegisterInfo& info = block.function().reg_info();
  const bool is_extract = operation.opcode == generic::kExtractSubreg;
  const Register whole = is_extract ? operation.whole : operation.result;
  if (operation.parts.empty() || !whole.is_virtual()) return nullptr;
  const Split* split = FindSplit(info.reg_class(whole), operation.parts[0].index);
  if (split == nullptr) return nullptr;
  Parts parts{};
  for (const SubRegOperation::Part& part : operation.parts) {
    if (FindSplit(split->whole, part.index) != split) return nullptr;
    const Register reg = is_extract ? operation.result : part.reg;
    if (!reg.is_virtual() || info.reg_class(reg) != split->part) return nullptr;
    parts[part.index - split->first_index] = reg;
  }
  const auto fill = [&](auto make) {
    for (unsigned i = 0; i < split->num_parts; ++i) {
      if (!parts[i].is_valid()) parts[i] = make();
    }
  };
  if (is_extract) {
    fill([&] { return info.CreateVirtualRegister(split->part); });
    return Unpack(block, before, *split, whole, parts, operation.debug_loc);
  }
  if (operation.opcode == generic::kInsertSubreg) {
    Parts old{};
    for (unsigned i = 0; i < split->num_parts; ++i) old[i] = info.CreateVirtualRegister(split->part);
    Unpack(block, before, *split, operation.whole, old, operation.debug_loc);
    for (unsigned i = 0; i < split->num_parts; ++i) {
      if (!parts[i].is_valid()) parts[i] = old[i];
    }
  } else if (operation.opcode == generic::kSubregToReg) {
    fill([&] { return MakeZero(block, before, split->part, operation.debug_loc); });
  } else {
    fill([&] {
      const Register undefined = info.CreateVirtualRegister(split->part);
      BuildMI(block, before, generic::kImplicitDef, operation.debug_loc).AddDef(undefined).Insert();
      return undefined;
    });
  }
  MachineInstrBuilder builder = BuildMI(block, before, split->pack, operation.debug_loc).AddDef(operation.result);
  for (unsigned i = 0; i < split->num_parts; ++i) builder.AddUse(parts[i]);
  return builder.Insert();
}

}  // namespace ptxmir::sdag
