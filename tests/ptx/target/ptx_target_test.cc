// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/ptx_target.h"

#include <set>
#include <string>

#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "mir/code/nearest_opcode.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/machine_model.h"

namespace ptxmir::ptx {
namespace {

TEST(PtxTargetTest, EveryNameIsFoundInBothSpellings) {
  const TargetInfo& target = PtxTargetInfo();
  std::set<std::string_view> names;
  int anonymous = 0;
  for (int i = 0; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    EXPECT_EQ(target.find_opcode(target.Name(opcode)), opcode);
    EXPECT_EQ(target.find_opcode(target.StableName(opcode)), opcode);
    EXPECT_TRUE(names.insert(target.Name(opcode)).second) << target.Name(opcode);
    if (target.Name(opcode) != target.StableName(opcode)) {
      ++anonymous;
      EXPECT_TRUE(names.insert(target.StableName(opcode)).second) << target.StableName(opcode);
      EXPECT_EQ(target.Name(opcode).substr(0, 10), "anonymous_");
    }
  }
  EXPECT_EQ(anonymous, 2813);
}

TEST(PtxTargetTest, OtherNamesAreNotFound) {
  const TargetInfo& target = PtxTargetInfo();
  for (std::string_view name : {"", "ADD32r", "ADD32rrr", "add32rr", "anonymous_", "anonymous_1", "ADD32rr "}) {
    EXPECT_EQ(target.find_opcode(name), std::nullopt) << name;
  }
  // One letter more or less than a name, which shares most probes with the name.
  for (int i = 0; i < kNumOpcodes; ++i) {
    const std::string name(target.Name(static_cast<Opcode>(i)));
    EXPECT_EQ(target.find_opcode(name + "$"), std::nullopt);
  }
}

TEST(PtxTargetTest, NamelessRecordsHaveDescriptiveNames) {
  const TargetInfo& target = PtxTargetInfo();
  EXPECT_EQ(target.StableName(*target.find_opcode("anonymous_14964")), "SHFL_SYNC_BFLY_I32_riii");
  EXPECT_EQ(target.StableName(*target.find_opcode("anonymous_14980")), "SHFL_SYNC_BFLY_F32_riii");
  EXPECT_EQ(target.StableName(*target.find_opcode("anonymous_15891")), "WMMA_LOAD_A_ROW_M16N16K16_GLOBAL_F16");
  EXPECT_EQ(target.StableName(*target.find_opcode("anonymous_19051")), "MMA_M16N8K16_F32_F16_F16_F32");
  EXPECT_EQ(target.StableName(*target.find_opcode("anonymous_20697")), "LDMATRIX_M8N8_X4_SHARED_B16");
}

TEST(PtxTargetTest, GenericOpcodesComeFirst) {
  const TargetInfo& target = PtxTargetInfo();
  EXPECT_EQ(target.Name(generic::kPhi), "PHI");
  EXPECT_EQ(target.Name(generic::kCopy), "COPY");
  EXPECT_EQ(target.Name(generic::kDbgLabel), "DBG_LABEL");
  EXPECT_EQ(target.Name(generic::kRegSequence), "REG_SEQUENCE");
  EXPECT_EQ(target.Name(generic::kArithFence), "ARITH_FENCE");
  EXPECT_EQ(target.Name(51), "CONVERGENCECTRL_GLUE");
  EXPECT_TRUE(target.Get(generic::kImplicitDef).Has(InstrFlag::kMeta));
}

TEST(PtxTargetTest, RegisterClasses) {
  const TargetInfo& target = PtxTargetInfo();
  EXPECT_EQ(target.FindRegClass("b64"), RegClassId{reg_class::kB64});
  EXPECT_EQ(target.reg_classes[reg_class::kB128].pressure_units, 4);
  EXPECT_EQ(target.reg_classes[reg_class::kB1].pressure_units, 0);
  EXPECT_FALSE(target.reg_classes[reg_class::kSpecialRegs].allocatable);
  EXPECT_EQ(RegisterPrefix(reg_class::kB16), "%rs");
  EXPECT_EQ(RegisterDeclType(reg_class::kB1), ".pred");
  EXPECT_EQ(RegisterPrefix(reg_class::kSpecialRegs), "");
  EXPECT_EQ(RegisterPrefix(200), "");

  EXPECT_TRUE(target.is_compatible_class(reg_class::kB32, reg_class::kB32));
  EXPECT_FALSE(target.is_compatible_class(reg_class::kB32, reg_class::kB64));
  EXPECT_TRUE(target.is_compatible_class(reg_class::kB32AndSpecialRegs, reg_class::kB32));
  EXPECT_FALSE(target.is_compatible_class(reg_class::kB32, reg_class::kB32AndSpecialRegs));
}

TEST(PtxTargetTest, PhysicalRegisters) {
  const TargetInfo& target = PtxTargetInfo();
  ASSERT_EQ(target.phys_regs.size(), 63u);
  EXPECT_EQ(target.phys_regs[0].name, "noreg");
  EXPECT_EQ(target.phys_regs[phys_reg::kFrame64].name, "vrframe64");
  EXPECT_EQ(target.phys_regs[phys_reg::kEnvReg0 + 31].name, "envreg31");
  EXPECT_EQ(target.phys_regs[44].name, "rl0");
  EXPECT_EQ(PhysicalRegisterText(phys_reg::kFrameLocal64), "%SPL");
  EXPECT_EQ(PhysicalRegisterText(44), "%rd0");
  EXPECT_EQ(PhysicalRegisterText(0), "");
  EXPECT_EQ(PhysicalRegisterText(1000), "");
  // The members of each class are spelled like its stand-ins.
  auto members = [&](RegClassId id) {
    std::string out;
    for (uint32_t reg = 1; reg < target.phys_regs.size(); ++reg) {
      if ((target.reg_classes[id].member_mask[0] >> reg & 1) != 0) StrAppend(&out, target.phys_regs[reg].name, " ");
    }
    return out;
  };
  EXPECT_EQ(members(reg_class::kB64), "rl0 rl1 rl2 rl3 rl4 vrframe64 vrframelocal64 ");
  EXPECT_EQ(members(reg_class::kB32), "r0 r1 r2 r3 r4 vrframe32 vrframelocal32 ");
  EXPECT_EQ(members(reg_class::kB16), "rs0 rs1 rs2 rs3 rs4 ");
  EXPECT_EQ(members(reg_class::kB1), "p0 p1 p2 p3 p4 ");
  EXPECT_EQ(members(reg_class::kB128), "rq0 rq1 rq2 rq3 rq4 ");
}

std::string_view NearestOpcodeName(std::string_view name) {
  NearestName nearest(name);
  ConsiderOpcodes(PtxTargetInfo(), nearest);
  return nearest.best();
}

TEST(PtxTargetTest, SuggestsTheNearestName) {
  EXPECT_EQ(NearestOpcodeName("ADD32rx"), "ADD32rr");
  EXPECT_EQ(NearestOpcodeName("SHFL_SYNC_BFLI_I32_riii"), "SHFL_SYNC_BFLY_I32_riii");
  EXPECT_EQ(NearestOpcodeName("zzzzzzzzzzzzzzzzzzzz"), "");
  EXPECT_EQ(NearestOpcodeName(""), "");
}

TEST(InstrInfoTest, OperandsThatPassesAskFor) {
  const PtxInstrInfo& load = InstrInfo(op::LDV_i32_v4);
  EXPECT_EQ(load.first_value, 0);
  EXPECT_EQ(load.num_values, 4);
  EXPECT_EQ(load.ordering, 4);
  EXPECT_EQ(load.address_space, 6);
  EXPECT_EQ(load.width, 8);
  EXPECT_EQ(load.address, 10);
  EXPECT_EQ(load.space, MemorySpace::kOperand);

  const PtxInstrInfo& store = InstrInfo(op::STV_i32_v8);
  EXPECT_EQ(store.first_value, 0);
  EXPECT_EQ(store.num_values, 8);
  EXPECT_EQ(store.address, 12);

  const PtxInstrInfo& atom = InstrInfo(op::INT_PTX_ATOM_ADD_32_Gr);
  EXPECT_EQ(atom.space, MemorySpace::kGlobal);
  EXPECT_EQ(atom.access_bits, 32);
  EXPECT_EQ(atom.address, 1);
  EXPECT_EQ(atom.first_value, 3);

  const PtxInstrInfo& copy = InstrInfo(op::CP_ASYNC_CG_SHARED_GLOBAL_16);
  EXPECT_EQ(copy.address, 0);
  EXPECT_EQ(copy.second_address, 2);
  EXPECT_EQ(copy.third_address, PtxInstrInfo::kNoOperand);
  EXPECT_EQ(copy.access_bits, 128);
}

TEST(InstrInfoTest, PropertiesAreWhatInstructionsDo) {
  auto has = [](Opcode opcode, uint32_t property) { return InstrInfo(opcode).Has(property); };
  // LLVM calls these side effects.
  EXPECT_TRUE(PtxTargetInfo().Get(op::cvta_to_global_64).Has(InstrFlag::kSideEffects));
  EXPECT_TRUE(InstrInfo(op::cvta_to_global_64).is_rematerializable());
  EXPECT_TRUE(has(op::LD_GLOBAL_NC_i32, Property::kReadonly));
  EXPECT_FALSE(has(op::LD_GLOBAL_NC_i32, Property::kSide));

  EXPECT_TRUE(has(op::ADD32rr, Property::kComm));
  EXPECT_FALSE(has(op::ADD32ri, Property::kComm));
  EXPECT_FALSE(has(op::SUB32rr, Property::kComm));
  EXPECT_TRUE(has(op::MAD_WIDE_S32rri, Property::kComm));
  EXPECT_TRUE(has(op::FMA_F32rrr, Property::kComm));
  EXPECT_FALSE(has(op::FMA_F32iir, Property::kComm));
  EXPECT_FALSE(has(op::INT_NVVM_MIXED_ADD_rn_f32_f16, Property::kComm));

  EXPECT_FALSE(InstrInfo(op::ADDCCi32rr).is_pure());
  EXPECT_FALSE(InstrInfo(op::ADDCCi32rr).is_deletable_if_unused());
  EXPECT_FALSE(InstrInfo(op::SREG_CLOCK64).is_rematerializable());
  EXPECT_TRUE(InstrInfo(op::INT_PTX_SREG_TID_x).is_rematerializable());
  EXPECT_FALSE(InstrInfo(op::SHFL_SYNC_BFLY_I32_riii).is_rematerializable());
  EXPECT_TRUE(InstrInfo(op::BARRIER_CTA_SYNC_ALIGNED_ALL_i).is_fence());
  EXPECT_TRUE(InstrInfo(op::WMMA_LOAD_A_ROW_M16N16K16_GLOBAL_F16).is_collective());
  EXPECT_FALSE(InstrInfo(op::MMA_M16N8K16_F32_F16_F16_F32).is_rematerializable());
  EXPECT_EQ(SemanticsName(InstrInfo(op::ADD32ri).semantics), "add.s32");
  EXPECT_EQ(InstrInfo(op::ADD32ri).semantics, SemanticTag::kAddS32);
  EXPECT_EQ(InstrInfo(op::ADD32rr).semantics, SemanticTag::kAddS32);
  EXPECT_EQ(FamilyName(InstrInfo(op::ADD32rr).family), "int.add");
  EXPECT_EQ(InstrInfo(op::ADD32rr).family, Family::kIntAdd);
}

// Instructions that LLVM calls convergent are collective here, or are branches or calls.
TEST(InstrInfoTest, ConvergentInstructionsAreCollective) {
  for (int i = 52; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const InstrDesc& desc = PtxTargetInfo().Get(opcode);
    if (!desc.Has(InstrFlag::kConvergent) || desc.Has(InstrFlag::kPreIsel)) continue;
    EXPECT_TRUE(InstrInfo(opcode).is_collective()) << PtxTargetInfo().StableName(opcode);
  }
}

// LLVM's mayLoad and mayStore are right if only one of them is set: a plain load or store of LLVM's must not be
// pure here.
TEST(InstrInfoTest, LoadsAndStoresAreNotPure) {
  for (int i = 52; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const InstrDesc& desc = PtxTargetInfo().Get(opcode);
    if (desc.Has(InstrFlag::kPreIsel)) continue;
    const PtxInstrInfo& info = InstrInfo(opcode);
    const std::string_view name = PtxTargetInfo().StableName(opcode);
    if (desc.Has(InstrFlag::kMayStore)) {
      EXPECT_FALSE(info.is_pure()) << name;
    }
    if (desc.Has(InstrFlag::kMayLoad) && !desc.Has(InstrFlag::kMayStore)) {
      EXPECT_TRUE(info.reads_memory()) << name;
    }
    if (desc.Has(InstrFlag::kMayStore) && !desc.Has(InstrFlag::kMayLoad)) {
      EXPECT_TRUE(info.writes_memory()) << name;
    }
    // Instructions that access memory name the space, or say that it is unknown.
    EXPECT_EQ(info.touches_memory(), info.touches_memory() && info.space != MemorySpace::kNone) << name;
  }
}

TEST(InstrInfoTest, OrderedAccesses) {
  MachineFunction function(nullptr, PtxTargetInfo(), "f", 0);
  const Register value = function.reg_info().CreateVirtualRegister(reg_class::kB32);
  const Register base = function.reg_info().CreateVirtualRegister(reg_class::kB64);
  auto store = [&](int64_t sem) {
    auto imm = [](int64_t v) { return MachineOperand::CreateImm(v); };
    return function.CreateInstr(op::ST_i32, {MachineOperand::CreateReg(value), imm(sem), imm(0), imm(1), imm(32),
                                             MachineOperand::CreateReg(base), imm(0)});
  };
  EXPECT_FALSE(IsOrderedAccess(*store(0)));
  EXPECT_TRUE(IsOrderedAccess(*store(8)));
  EXPECT_TRUE(IsOrderedAccess(*store(5)));
}

TEST(MachineModelTest, LoadsByStateSpace) {
  MachineFunction function(nullptr, PtxTargetInfo(), "f", 0);
  const Register value = function.reg_info().CreateVirtualRegister(reg_class::kB32);
  const Register base = function.reg_info().CreateVirtualRegister(reg_class::kB64);
  auto load = [&](int64_t space) {
    auto imm = [](int64_t v) { return MachineOperand::CreateImm(v); };
    return function.CreateInstr(
        op::LD_i32, {MachineOperand::CreateReg(value, MachineOperand::kDefine), imm(0), imm(0), imm(space), imm(3),
                     imm(32), imm(-1), MachineOperand::CreateReg(base), imm(0)});
  };
  EXPECT_EQ(MemorySpaceOf(*load(3)), MemorySpace::kShared);
  EXPECT_EQ(LatencyClassOf(*load(3)), LatencyClass::kLdShared);
  EXPECT_EQ(LatencyClassOf(*load(101)), LatencyClass::kLdConst);
  EXPECT_EQ(LatencyClassOf(*load(1)), LatencyClass::kLd);
  EXPECT_EQ(MemorySpaceOf(*load(77)), MemorySpace::kUnknown);
  EXPECT_GT(MachineModel::Default().CostOf(*load(1)).latency, MachineModel::Default().CostOf(*load(3)).latency);
  EXPECT_EQ(LatencyClassName(LatencyClass::kLdShared), "ld_shared");
}

TEST(MachineModelTest, Generations) {
  const auto model = [](std::string_view name) -> const MachineModel& { return MachineModel::For(*FindSm(name)); };
  EXPECT_EQ(MachineModel::All().size(), size_t{kNumMachines});
  EXPECT_EQ(model("sm_80").name(), "sm_80");
  EXPECT_EQ(model("sm_87").name(), "sm_86");
  EXPECT_EQ(model("sm_90a").name(), "sm_90");
  EXPECT_EQ(model("sm_110f").name(), "sm_100");
  EXPECT_EQ(model("sm_121").name(), "sm_120");
  EXPECT_EQ(model("sm_52").name(), "sm_75");  // the oldest there is
  EXPECT_EQ(&MachineModel::For(static_cast<const Subtarget*>(nullptr)), &MachineModel::Default());
  EXPECT_EQ(MachineModel::Default().name(), "sm_80");
  for (const MachineModel& each : MachineModel::All()) {
    EXPECT_EQ(each.num_schedulers(), 4u);
    for (int i = 0; i < kNumLatencyClasses; ++i) {
      const auto latency_class = static_cast<LatencyClass>(i);
      const InstrCost cost = each.CostOf(latency_class);
      const bool is_none = latency_class == LatencyClass::kNone;
      EXPECT_EQ(cost.unit == FunctionalUnit::kNone, is_none) << LatencyClassName(latency_class);
      EXPECT_EQ(cost.issue == 0, is_none) << LatencyClassName(latency_class);
      EXPECT_EQ(cost.latency == 0, is_none) << LatencyClassName(latency_class);
    }
  }
  // fp64 is slow where graphics come first.
  EXPECT_LT(model("sm_90").CostOf(LatencyClass::kFp64).issue, model("sm_89").CostOf(LatencyClass::kFp64).issue);
  EXPECT_EQ(model("sm_80").CostOf(LatencyClass::kFp16).unit, FunctionalUnit::kFp16);
  EXPECT_EQ(model("sm_86").CostOf(LatencyClass::kFp16).unit, FunctionalUnit::kFma);
  EXPECT_EQ(FunctionalUnitName(FunctionalUnit::kSfu), "sfu");
}

}  // namespace
}  // namespace ptxmir::ptx
