// SPDX-License-Identifier: Apache-2.0

// The generator and the runner of its modules on fixed seeds: a few seconds of what ptxmir-fuzz does for hours.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "gtest/gtest.h"
#include "ir/ir_nvvm.h"
#include "mir/verify/verifier.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/sanitized.h"
#include "tools/fuzz/function_check.h"
#include "tools/fuzz/function_fuzzer.h"
#include "tools/fuzz/generator/mir_function_generator.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::fuzz {
namespace {

const OpcodeCatalog& Catalog() {
  static const OpcodeCatalog* catalog = new OpcodeCatalog(ptx::PtxTargetInfo());
  return *catalog;
}

std::unique_ptr<Module> Generate(FuzzShape shape, uint64_t seed) {
  return GenerateMirModule(Catalog(), ptx::PtxTargetInfo(), shape, seed);
}

size_t CountBlocks(const Module& module) {
  size_t count = 0;
  for (const auto& function : module.machine_functions()) count += function->num_blocks();
  return count;
}

size_t CountOpcode(const Module& module, Opcode opcode) {
  size_t count = 0;
  for (const auto& function : module.machine_functions()) {
    for (const MachineBasicBlock& block : *function) {
      for (const MachineInstr& instr : block) count += instr.opcode() == opcode;
    }
  }
  return count;
}

TEST(OpcodeCatalogTest, HasFormsOfEveryClassFromTheTables) {
  EXPECT_GT(Catalog().forms().size(), 1000u);
  EXPECT_GT(Catalog().atomics().size(), 100u);
  FuzzRandom random(1);
  for (const RegClassId reg_class : ptx::kVirtualRegisterClasses) {
    const OpcodeForm* form = Catalog().Pick(reg_class, false, random);
    ASSERT_NE(form, nullptr);
    EXPECT_EQ(form->operands.front().reg_class, reg_class);
    EXPECT_FALSE(form->is_collective);
  }
}

TEST(OpcodeCatalogTest, KnowsWhatTheCorpusUses) {
  EXPECT_GT(CorpusCount(ptx::Family::kFpFma), CorpusCount(ptx::Family::kFpSin));
  EXPECT_EQ(CorpusCount(ptx::Family::kGisel), 0u);
}

TEST(OpcodeCatalogTest, TakesTheModifiersThatPtxAllows) {
  for (const OpcodeForm& form : Catalog().forms()) {
    if (form.opcode != ptx::op::CVT_s32_f32) continue;
    // A conversion to an integer needs a rounding mode, one of the four for integers.
    ASSERT_FALSE(form.modifiers.empty());
    for (const auto& modifiers : form.modifiers) {
      EXPECT_GE(modifiers[0] & 15, 1);
      EXPECT_LE(modifiers[0] & 15, 4);
    }
    return;
  }
  FAIL() << "no form for CVT_s32_f32";
}

TEST(OpcodeCatalogTest, KnowsWhichSmsHaveAnOpcode) {
  bool has_kind = false;
  for (const OpcodeForm& form : Catalog().forms()) {
    const std::string_view name = ptx::SemanticsName(ptx::InstrInfo(form.opcode).semantics);
    if (name.find("kind::") == name.npos) continue;
    has_kind = true;
    EXPECT_TRUE(Catalog().IsAvailable(form.opcode, FuzzSm::k120a)) << name;
    EXPECT_FALSE(Catalog().IsAvailable(form.opcode, FuzzSm::k103a)) << name;
  }
  EXPECT_TRUE(has_kind);
  for (const Opcode opcode : Catalog().Addressed(AddressedFamily::kTensorProduct)) {
    EXPECT_TRUE(Catalog().IsAvailable(opcode, FuzzSm::k100a));
    EXPECT_FALSE(Catalog().IsAvailable(opcode, FuzzSm::k90a));
    EXPECT_FALSE(Catalog().IsAvailable(opcode, FuzzSm::k120a));
  }
}

TEST(OpcodeCatalogTest, ListsWhatNeedsMoreThanValues) {
  for (size_t i = 0; i < kNumAddressedFamilies; ++i) {
    EXPECT_FALSE(Catalog().Addressed(static_cast<AddressedFamily>(i)).empty()) << i;
  }
  // A store and the load of the same shape have the same index.
  const std::vector<Opcode>& loads = Catalog().Addressed(AddressedFamily::kTensorLoad);
  const std::vector<Opcode>& stores = Catalog().Addressed(AddressedFamily::kTensorStore);
  ASSERT_EQ(loads.size(), stores.size());
  for (size_t i = 0; i < loads.size(); ++i) {
    std::string load(ptx::SemanticsName(ptx::InstrInfo(loads[i]).semantics));
    const std::string_view store = ptx::SemanticsName(ptx::InstrInfo(stores[i]).semantics);
    load.replace(load.find(".ld."), 4, ".st.");
    const size_t pack = load.find(".pack");
    if (pack != load.npos) load.replace(pack, 5, ".unpack");
    EXPECT_EQ(load, store);
  }
}

// No family is omitted, and most opcodes occur within a few hundred modules.
TEST(GeneratorTest, GoesThroughAllFamilies) {
  constexpr uint64_t kModules = testing::NumInputs(2000, 10);
  constexpr size_t kMissing = testing::kIsSanitized ? 4000 : 600;
  FunctionFuzzReport report;
  report.opcodes.resize(ptx::PtxTargetInfo().instrs.size());
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const std::unique_ptr<Module> module = Generate(FuzzShape::kMixed, seed);
    for (const auto& function : module->machine_functions()) {
      for (const MachineBasicBlock& block : *function) {
        for (const MachineInstr& instr : block) report.opcodes[instr.opcode()] = true;
      }
    }
  }
  EXPECT_LT(MissingOpcodes(report).size(), kMissing);
  EXPECT_NE(FunctionFuzzSummary(report).find("families not generated:\n"), std::string::npos)
      << FunctionFuzzSummary(report);
}

TEST(GeneratorTest, TheSameSeedGivesTheSameBytes) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::string mir = GeneratedMir(Catalog(), seed, FuzzShape::kMixed);
    EXPECT_EQ(mir, GeneratedMir(Catalog(), seed, FuzzShape::kMixed));
    EXPECT_NE(mir, GeneratedMir(Catalog(), seed + 1, FuzzShape::kMixed));
  }
}

TEST(GeneratorTest, EveryFunctionIsWellFormed) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::unique_ptr<Module> module = Generate(FuzzShape::kMixed, seed);
    for (const auto& function : module->machine_functions()) {
      std::string report;
      EXPECT_TRUE(VerifyMachineFunction(*function, report)) << "seed " << seed << "\n" << report;
    }
  }
}

TEST(GeneratorTest, HasAllThatItPromises) {
  size_t phis = 0, calls = 0, tables = 0, barriers = 0, atomics = 0, ties = 0, frames = 0, copies = 0, mbarriers = 0,
         clusters = 0, scopes = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::unique_ptr<Module> module = Generate(FuzzShape::kMixed, seed);
    phis += CountOpcode(*module, ptx::op::PHI);
    calls += CountOpcode(*module, ptx::op::CALL_UNI) > 0 && CountOpcode(*module, ptx::op::CALL) > 0;
    tables += CountOpcode(*module, ptx::op::BRX_END);
    barriers += CountOpcode(*module, ptx::op::BARRIER_CTA_SYNC_ALIGNED_ALL_i);
    for (const Opcode opcode : Catalog().atomics()) atomics += CountOpcode(*module, opcode);
    copies += CountOpcode(*module, ptx::op::CP_ASYNC_WAIT_ALL);
    mbarriers += CountOpcode(*module, ptx::op::MBARRIER_ARRIVE_SHARED);
    clusters += CountOpcode(*module, ptx::op::mapa_shared_cluster_64);
    scopes += CountOpcode(*module, ptx::op::LIFETIME_START);
    for (const auto& function : module->machine_functions()) {
      ties += function->MayHaveTies();
      frames += !function->frame_info().objects().empty();
    }
  }
  for (const size_t count :
       {phis, calls, tables, barriers, atomics, ties, frames, copies, mbarriers, clusters, scopes}) {
    EXPECT_GT(count, 0u);
  }
}

// The registers and branches that may differ between the CTAs of a cluster, ignoring values that pass through
// memory.
class CtaDependence {
 public:
  explicit CtaDependence(MachineFunction& function) : function_(function), post_dominators_(function) {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        switch (instr.opcode()) {
          case ptx::op::INT_PTX_SREG_CTAID_x:
          case ptx::op::INT_PTX_SREG_CLUSTER_CTAID_x:
          case ptx::op::INT_PTX_SREG_CLUSTER_CTARANK:
            Mark(instr);
            break;
          default:
            break;
        }
      }
    }
    while (!worklist_.empty()) {
      const Register reg = worklist_.back();
      worklist_.pop_back();
      for (const MachineOperand& use : function_.reg_info().Uses(reg)) {
        const MachineInstr& user = *use.parent();
        // The memory of all CTAs is in the same space.
        if (ptx::InstrInfo(user.opcode()).family == ptx::Family::kIsspacep) continue;
        Mark(user);
        if (user.is_terminator()) MarkRegion(*user.parent());
      }
    }
  }

  // Returns true if one CTA may execute the block more often than another one.
  bool MayDiffer(const MachineBasicBlock& block) const { return regions_.contains(&block); }

 private:
  void Mark(const MachineInstr& instr) {
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_def() && registers_.insert(operand.reg().bits()).second) worklist_.push_back(operand.reg());
    }
  }
  // The region from a branch to where its paths join. A PHI there may also make a different value from equal ones.
  void MarkRegion(const MachineBasicBlock& from) {
    const MachineBasicBlock* const join = post_dominators_.ImmediateDominator(from);
    std::vector<const MachineBasicBlock*> blocks(from.successors().begin(), from.successors().end());
    while (!blocks.empty()) {
      const MachineBasicBlock* const block = blocks.back();
      blocks.pop_back();
      for (const MachineInstr& instr : *block) {
        if (instr.opcode() == ptx::op::PHI) Mark(instr);
      }
      if (block == join || !regions_.insert(block).second) continue;
      blocks.insert(blocks.end(), block->successors().begin(), block->successors().end());
    }
  }

  MachineFunction& function_;
  MachinePostDominatorTree post_dominators_;
  std::set<uint32_t> registers_;
  std::set<const MachineBasicBlock*> regions_;
  std::vector<Register> worklist_;
};

// The number of a CTA is the same in all its threads, but not in all threads that meet at a barrier of the cluster.
TEST(GeneratorTest, CtasOfAClusterMeetAtTheSameBarriers) {
  const std::set<Opcode> barriers = {ptx::op::barrier_cluster_arrive, ptx::op::barrier_cluster_arrive_aligned,
                                     ptx::op::barrier_cluster_wait, ptx::op::barrier_cluster_wait_aligned};
  size_t num_barriers = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const std::unique_ptr<Module> module = Generate(FuzzShape::kMixed, seed);
    for (const auto& function : module->machine_functions()) {
      const IrFunction* const ir = module->FindFunction(function->name());
      if (ir == nullptr || GetNvvmFunctionInfo(*module, *ir).cluster_dim.empty()) continue;
      const CtaDependence dependence(*function);
      for (const MachineBasicBlock& block : *function) {
        const bool has_barrier = std::any_of(
            block.begin(), block.end(), [&](const MachineInstr& instr) { return barriers.contains(instr.opcode()); });
        num_barriers += has_barrier;
        EXPECT_FALSE(has_barrier && dependence.MayDiffer(block))
            << "seed " << seed << ", " << function->name() << ", bb." << block.number();
      }
    }
  }
  EXPECT_GT(num_barriers, 100u);
}

// Memory accesses to matrices of every kind, and loops that induction-merge changes.
TEST(GeneratorTest, MovesMatricesAndStepsThroughMemory) {
  for (const AddressedFamily family :
       {AddressedFamily::kWmmaLoad, AddressedFamily::kWmmaStore, AddressedFamily::kLdMatrix, AddressedFamily::kStMatrix,
        AddressedFamily::kCopy}) {
    EXPECT_GE(Catalog().Addressed(family).size(), 10u) << static_cast<int>(family);
  }
  size_t moves = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::unique_ptr<Module> module = Generate(FuzzShape::kMixed, seed);
    for (const AddressedFamily family : {AddressedFamily::kWmmaLoad, AddressedFamily::kWmmaStore,
                                         AddressedFamily::kLdMatrix, AddressedFamily::kStMatrix}) {
      for (const Opcode opcode : Catalog().Addressed(family)) moves += CountOpcode(*module, opcode);
    }
  }
  EXPECT_GT(moves, 0u);
  FunctionFuzzOptions options;
  options.count = 15;
  options.shape = FuzzShape::kMixed;
  options.pipeline = "induction-merge";
  std::string findings;
  const FunctionFuzzReport report = RunFunctionFuzzer(
      Catalog(), options, [&](const FunctionFuzzFinding& finding) { findings += finding.what + "\n"; });
  EXPECT_EQ(findings, "");
  uint64_t changes = 0;
  for (const PassCoverage& pass : report.passes) changes += pass.changes;
  EXPECT_GT(changes, 0u);
}

TEST(GeneratorTest, SmallFunctionsAreSmall) {
  constexpr uint64_t kModules = 400;
  size_t within = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const std::unique_ptr<Module> module = Generate(FuzzShape::kSmall, seed);
    size_t size = 0;
    for (const MachineBasicBlock& block : *module->machine_functions().back()) {
      size += static_cast<size_t>(std::distance(block.begin(), block.end()));
    }
    within += size >= 10 && size <= 150;
  }
  EXPECT_GT(within, kModules * 9 / 10);
}

TEST(GeneratorTest, ShapesNearThePathologicalAreMadeInTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const FuzzShape shape : {FuzzShape::kPressure, FuzzShape::kSwitch, FuzzShape::kLive, FuzzShape::kNest}) {
    const std::unique_ptr<Module> module = Generate(shape, 1);
    for (const auto& function : module->machine_functions()) {
      std::string report;
      EXPECT_TRUE(VerifyMachineFunction(*function, report)) << FuzzShapeName(shape) << "\n" << report;
    }
    if (shape == FuzzShape::kSwitch) {
      EXPECT_GE(CountOpcode(*module, ptx::op::BRX_ITEM), 1999u);
    }
    if (shape == FuzzShape::kNest) {
      EXPECT_GE(CountBlocks(*module), 2000u);
    }
    if (shape == FuzzShape::kLive) {
      EXPECT_GE(CountOpcode(*module, ptx::op::XOR_b64rr), 10000u);
    }
  }
  // Each takes a tenth of a second on an idle machine.
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 60);
}

}  // namespace
}  // namespace ptxmir::fuzz
