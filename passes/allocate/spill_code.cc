// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/spill_code.h"

#include <bit>
#include <optional>
#include <string_view>

#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using ptx::OperandRole;
using ptx::PtxInstrInfo;

// LLVM's code for untyped values (ld.b32).
constexpr int64_t kUntyped = 3;
constexpr int64_t kAllBytes = -1;
constexpr int64_t kCompareNotEqual = 1;

constexpr RegClassId kPredicateCarrier = ptx::reg_class::kB32;

struct SpillOpcodes {
  struct OfClass {
    std::optional<Opcode> load;
    std::optional<Opcode> store;
  };
  OfClass of_class[ptx::reg_class::kCount];
  std::optional<Opcode> predicate_to_integer;
  std::optional<Opcode> integer_to_predicate;
  std::optional<Opcode> pack_halves;
  std::optional<Opcode> unpack_halves;
};

// Returns the class of operand `i`, or kNoRegClass if it is not a register.
RegClassId ClassOf(Opcode opcode, unsigned i) {
  const absl::Span<const OperandDesc> operands = ptx::PtxTargetInfo().Operands(opcode);
  return i < operands.size() && operands[i].type == OperandType::kRegister ? operands[i].reg_class : kNoRegClass;
}

bool IsImmediate(Opcode opcode, unsigned i) {
  const absl::Span<const OperandDesc> operands = ptx::PtxTargetInfo().Operands(opcode);
  return i < operands.size() && operands[i].type == OperandType::kImmediate;
}

void ConsiderAccess(Opcode opcode, const PtxInstrInfo& info, std::string_view semantics, SpillOpcodes& found) {
  if (info.num_values != 1 || info.address_space == PtxInstrInfo::kNoOperand) return;
  if (semantics == "ld") {
    const RegClassId loaded = ClassOf(opcode, info.first_value);
    if (loaded < ptx::reg_class::kCount) found.of_class[loaded].load = opcode;
    return;
  }
  if (semantics != "st") return;
  // The stored operand may also be an immediate, so the table gives no class. The load and the store of a class
  // have the same name except for the beginning.
  for (RegClassId reg_class = 0; reg_class < ptx::reg_class::kCount; ++reg_class) {
    SpillOpcodes::OfClass& of_class = found.of_class[reg_class];
    if (!of_class.load.has_value() || of_class.store.has_value()) continue;
    const std::string_view load = ptx::PtxTargetInfo().Name(*of_class.load);
    const std::string_view store = ptx::PtxTargetInfo().Name(opcode);
    if (load.substr(load.find('_')) == store.substr(store.find('_'))) of_class.store = opcode;
  }
}

void ConsiderConversion(Opcode opcode, std::string_view family, std::string_view semantics, SpillOpcodes& found) {
  if (family == "selp" && ClassOf(opcode, 0) == kPredicateCarrier && IsImmediate(opcode, 1) && IsImmediate(opcode, 2) &&
      semantics == "selp.b32") {
    found.predicate_to_integer = opcode;
  } else if (semantics == "setp.i32" && ClassOf(opcode, 1) == kPredicateCarrier && IsImmediate(opcode, 2)) {
    found.integer_to_predicate = opcode;
  } else if (semantics == "pack2.b128") {
    found.pack_halves = opcode;
  } else if (semantics == "unpack2.b128") {
    found.unpack_halves = opcode;
  }
}

const SpillOpcodes& Opcodes() {
  static const SpillOpcodes opcodes = [] {
    SpillOpcodes found;
    const TargetInfo& target = ptx::PtxTargetInfo();
    // Loads come first, because stores are paired with them.
    for (const bool stores : {false, true}) {
      for (size_t i = 0; i < target.instrs.size(); ++i) {
        const Opcode opcode = static_cast<Opcode>(i);
        const PtxInstrInfo& info = ptx::InstrInfo(opcode);
        const std::string_view semantics = ptx::SemanticsName(info.semantics);
        if (info.writes_memory() == stores && info.touches_memory()) ConsiderAccess(opcode, info, semantics, found);
        if (!stores && info.is_pure()) ConsiderConversion(opcode, ptx::FamilyName(info.family), semantics, found);
      }
    }
    return found;
  }();
  return opcodes;
}

class Inserter {
 public:
  Inserter(MachineBasicBlock& block, MachineInstr* before, MetadataId debug_loc)
      : block_(block), function_(block.function()), before_(before), debug_loc_(debug_loc) {}

  SpillSequence Take() { return std::move(sequence_); }

  Register Temporary(RegClassId reg_class) {
    const Register reg = function_.reg_info().CreateVirtualRegister(reg_class);
    sequence_.temporaries.push_back(reg);
    return reg;
  }

  // The address of an access: an operand for the base, the offset, and the object that is accessed.
  struct Place {
    MachineOperand base;
    int64_t offset;
    int64_t space;
    int object;
  };
  // A frame index stands for a generic address. Frame layout, which knows that the frame is local, makes the accesses
  // local.
  static Place InSlot(int slot, int64_t offset) {
    return {MachineOperand::CreateFrameIndex(slot), offset, address_space::kGeneric, slot};
  }
  static Place InShared(const SharedSpillPlace& place, int64_t word) {
    return {MachineOperand::CreateReg(place.base), place.offset + word * place.stride, address_space::kShared,
            place.object};
  }

  void Access(Opcode opcode, const MachineOperand& value, RegClassId reg_class, const Place& place) {
    const PtxInstrInfo& info = ptx::InstrInfo(opcode);
    const int64_t bits = function_.target().reg_classes[reg_class].bits;
    MachineInstrBuilder builder = BuildMI(block_, before_, opcode, debug_loc_);
    const absl::Span<const OperandDesc> operands = function_.target().Operands(opcode);
    for (unsigned i = 0; i < operands.size(); ++i) {
      const auto role = static_cast<OperandRole>(operands[i].role);
      if (i == info.first_value) {
        builder.Add(value);
      } else if (role == OperandRole::kBase) {
        builder.Add(place.base);
      } else if (role == OperandRole::kOff) {
        builder.AddImm(place.offset);
      } else if (role == OperandRole::kAddsp) {
        builder.AddImm(place.space);
      } else if (role == OperandRole::kSign) {
        builder.AddImm(kUntyped);
      } else if (role == OperandRole::kUsedbytes) {
        builder.AddImm(kAllBytes);
      } else {
        builder.AddImm(i == info.width ? bits : 0);  // no ordering, no scope
      }
    }
    MachineInstr* instr = builder.Insert();
    MachineMemOperand memory;
    memory.flags = info.writes_memory() ? MachineMemOperand::kStore : MachineMemOperand::kLoad;
    memory.value_kind = MachineMemOperand::ValueKind::kFrameIndex;
    memory.frame_index = place.object;
    memory.address_space = static_cast<uint32_t>(place.space);
    memory.has_known_size = true;
    memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = static_cast<uint32_t>(bits)};
    memory.offset = place.offset;
    memory.align_log2 = static_cast<uint8_t>(std::bit_width(static_cast<unsigned>(bits / 8)) - 1);
    memory.base_align_log2 = function_.frame_info().object(place.object).align_log2;
    const MachineMemOperand* created = function_.CreateMemOperand(memory);
    instr->SetMemOperands({&created, 1});
    sequence_.instrs.push_back(instr);
  }
  void Store(Register value, RegClassId reg_class, const Place& place) {
    Access(*Opcodes().of_class[reg_class].store, MachineOperand::CreateReg(value), reg_class, place);
  }
  void Load(Register value, RegClassId reg_class, const Place& place) {
    Access(*Opcodes().of_class[reg_class].load, MachineOperand::CreateReg(value, MachineOperand::kDefine), reg_class,
           place);
  }
  MachineInstrBuilder Build(Opcode opcode) { return BuildMI(block_, before_, opcode, debug_loc_); }
  void Add(MachineInstr* instr) { sequence_.instrs.push_back(instr); }

 private:
  MachineBasicBlock& block_;
  MachineFunction& function_;
  MachineInstr* before_;
  MetadataId debug_loc_;
  SpillSequence sequence_;
};

constexpr int64_t kHalfBytes = 8;

}  // namespace

bool CanSpillClass(RegClassId reg_class) {
  if (reg_class >= ptx::reg_class::kCount) return false;
  const SpillOpcodes& opcodes = Opcodes();
  const auto can_access = [&](RegClassId accessed) {
    return opcodes.of_class[accessed].load.has_value() && opcodes.of_class[accessed].store.has_value();
  };
  if (reg_class == ptx::reg_class::kB1) {
    return opcodes.predicate_to_integer.has_value() && opcodes.integer_to_predicate.has_value() &&
           can_access(kPredicateCarrier);
  }
  if (reg_class == ptx::reg_class::kB128) {
    return opcodes.pack_halves.has_value() && opcodes.unpack_halves.has_value() && can_access(ptx::reg_class::kB64);
  }
  return can_access(reg_class);
}

SpillSequence InsertSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                               MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB1) {
    const Register integer = inserter.Temporary(kPredicateCarrier);
    inserter.Add(
        inserter.Build(*Opcodes().predicate_to_integer).AddDef(integer).AddImm(1).AddImm(0).AddUse(value).Insert());
    inserter.Store(integer, kPredicateCarrier, Inserter::InSlot(slot, 0));
  } else if (reg_class == ptx::reg_class::kB128) {
    const Register low = inserter.Temporary(ptx::reg_class::kB64);
    const Register high = inserter.Temporary(ptx::reg_class::kB64);
    inserter.Add(inserter.Build(*Opcodes().unpack_halves).AddDef(low).AddDef(high).AddUse(value).Insert());
    inserter.Store(low, ptx::reg_class::kB64, Inserter::InSlot(slot, 0));
    inserter.Store(high, ptx::reg_class::kB64, Inserter::InSlot(slot, kHalfBytes));
  } else {
    inserter.Store(value, reg_class, Inserter::InSlot(slot, 0));
  }
  return inserter.Take();
}

SpillSequence InsertSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                              MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB1) {
    const Register integer = inserter.Temporary(kPredicateCarrier);
    inserter.Load(integer, kPredicateCarrier, Inserter::InSlot(slot, 0));
    inserter.Add(inserter.Build(*Opcodes().integer_to_predicate)
                     .AddDef(value)
                     .AddUse(integer)
                     .AddImm(0)
                     .AddImm(kCompareNotEqual)
                     .Insert());
  } else if (reg_class == ptx::reg_class::kB128) {
    const Register low = inserter.Temporary(ptx::reg_class::kB64);
    const Register high = inserter.Temporary(ptx::reg_class::kB64);
    inserter.Load(low, ptx::reg_class::kB64, Inserter::InSlot(slot, 0));
    inserter.Load(high, ptx::reg_class::kB64, Inserter::InSlot(slot, kHalfBytes));
    inserter.Add(inserter.Build(*Opcodes().pack_halves).AddDef(value).AddUse(low).AddUse(high).Insert());
  } else {
    inserter.Load(value, reg_class, Inserter::InSlot(slot, 0));
  }
  return inserter.Take();
}

SpillSequence InsertSharedSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value,
                                     const SharedSpillPlace& place, MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB64) {
    const Register low = inserter.Temporary(ptx::reg_class::kB32);
    const Register high = inserter.Temporary(ptx::reg_class::kB32);
    inserter.Add(inserter.Build(ptx::op::I64toV2I32).AddDef(low).AddDef(high).AddUse(value).Insert());
    inserter.Store(low, ptx::reg_class::kB32, Inserter::InShared(place, 0));
    inserter.Store(high, ptx::reg_class::kB32, Inserter::InShared(place, 1));
  } else {
    inserter.Store(value, reg_class, Inserter::InShared(place, 0));
  }
  return inserter.Take();
}

SpillSequence InsertSharedSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value,
                                    const SharedSpillPlace& place, MetadataId debug_loc) {
  Inserter inserter(block, before, debug_loc);
  const RegClassId reg_class = block.function().reg_info().reg_class(value);
  if (reg_class == ptx::reg_class::kB64) {
    const Register low = inserter.Temporary(ptx::reg_class::kB32);
    const Register high = inserter.Temporary(ptx::reg_class::kB32);
    inserter.Load(low, ptx::reg_class::kB32, Inserter::InShared(place, 0));
    inserter.Load(high, ptx::reg_class::kB32, Inserter::InShared(place, 1));
    inserter.Add(inserter.Build(ptx::op::V2I32toI64).AddDef(value).AddUse(low).AddUse(high).Insert());
  } else {
    inserter.Load(value, reg_class, Inserter::InShared(place, 0));
  }
  return inserter.Take();
}

}  // namespace ptxmir
