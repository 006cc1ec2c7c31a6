// SPDX-License-Identifier: Apache-2.0

// Uniformity: worked examples, and a comparison of the joins of divergent branches with their definition, two paths
// from the branch that have no block in common.

#include "analysis/values/uniformity.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/analysis/graph_fixture.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

std::string Printed(MachineFunction& function) {
  AnalysisManager analyses(function);
  std::string text;
  analyses.Get<Uniformity>().Print(text);
  return text;
}

constexpr char kKernel[] =
    "--- |\n"
    "  target datalayout = \"e-i64:64\"\n"
    "  target triple = \"nvptx64-nvidia-cuda\"\n"
    "  define ptx_kernel void @k(i32 %n) {\n"
    "    ret void\n"
    "  }\n"
    "...\n"
    "---\n"
    "name: k\n"
    "tracksRegLiveness: true\n"
    "body: |\n";

TEST(UniformityTest, SourcesAndDataFlow) {
  const auto module = testing::ReadModule(
      StrCat(kKernel,
             "  bb.0:\n"
             "    %0:b32 = INT_PTX_SREG_TID_x\n"                          // divergent
             "    %1:b32 = INT_PTX_SREG_CTAID_x\n"                        // uniform
             "    %2:b32 = LD_i32 0, 0, 101, 3, 32, -1, &k_param_0, 0\n"  // kernel parameter: uniform
             "    %3:b32 = ADD32rr %1, %2\n"
             "    %4:b32 = ADD32rr %3, %0\n"  // divergent
             "    %5:b64 = CVT_u64_u32 %3, 0\n"
             "    %6:b64 = CVT_u64_u32 %4, 0\n"                   // divergent
             "    %7:b32 = LD_i32 0, 0, 1, 3, 32, -1, %5, 0\n"    // global, uniform address: not uniform in a CTA
             "    %8:b32 = LD_i32 0, 0, 1, 3, 32, -1, %6, 0\n"    // divergent address
             "    %9:b32 = LD_i32 0, 0, 0, 3, 32, -1, %5, 0\n"    // generic: may be local
             "    %10:b32 = INT_PTX_ATOM_ADD_32_Gr %5, 0, %2\n"   // each thread gets a different value
             "    %11:b1 = SETP_i32rr %0, %2, 2\n"                // divergent
             "    %12:b32 = VOTE_SYNC_BALLOTi %11, -1\n"          // the same in the warp
             "    %13:b32 = VOTE_SYNC_BALLOTr %11, %0\n"          // not with other masks
             "    %14:b32 = LD_GLOBAL_NC_i32 3, 32, -1, %5, 0\n"  // no one writes it: uniform
             "    Return\n"
             "...\n"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Printed(testing::OnlyFunction(*module)),
            "warp:\n"
            "  divergent registers: %0 %4 %6 %8 %9 %10 %11 %13\n"
            "  divergent branches:\n"
            "  divergent blocks:\n"
            "  cycles left divergently:\n"
            "cta:\n"
            "  divergent registers: %0 %4 %6 %7 %8 %9 %10 %11 %12 %13\n"
            "  divergent branches:\n"
            "  divergent blocks:\n"
            "  cycles left divergently:\n");
}

// if (tid == 7) return; a loop with a uniform bound; a diamond on tid whose PHI has uniform values.
constexpr char kControl[] =
    "  bb.0:\n"
    "    successors: %bb.1, %bb.2\n"
    "    %0:b32 = INT_PTX_SREG_TID_x\n"
    "    %1:b32 = LD_i32 0, 0, 101, 3, 32, -1, &k_param_0, 0\n"
    "    %2:b32 = MOV_B32_i 0\n"
    "    %3:b1 = SETP_i32ri %0, 7, 0\n"
    "    CBranch %3, %bb.1\n"
    "    GOTO %bb.2\n"
    "  bb.1:\n"
    "    Return\n"
    "  bb.2:\n"
    "    successors: %bb.2, %bb.3\n"
    "    %4:b32 = PHI %2, %bb.0, %5, %bb.2\n"
    "    %5:b32 = ADD32ri %4, 1\n"
    "    %6:b1 = SETP_i32rr %5, %1, 2\n"
    "    CBranch %6, %bb.2\n"
    "    GOTO %bb.3\n"
    "  bb.3:\n"
    "    successors: %bb.4, %bb.5\n"
    "    %7:b1 = SETP_i32ri %0, 3, 2\n"
    "    CBranch %7, %bb.5\n"
    "    GOTO %bb.4\n"
    "  bb.4:\n"
    "    successors: %bb.5\n"
    "    %8:b32 = MOV_B32_i 1\n"
    "    GOTO %bb.5\n"
    "  bb.5:\n"
    "    %9:b32 = PHI %5, %bb.3, %8, %bb.4\n"
    "    %10:b32 = PHI %1, %bb.3, %1, %bb.4\n"
    "    %11:b32 = ADD32rr %9, %10\n"
    "    Return\n"
    "...\n";

TEST(UniformityTest, BranchesAndConvergence) {
  const auto module = testing::ReadModule(StrCat(kKernel, kControl));
  ASSERT_NE(module, nullptr);
  MachineFunction& function = testing::OnlyFunction(*module);
  const std::string facts =
      "  divergent registers: %0 %3 %7 %9 %11\n"
      "  divergent branches: %bb.0 %bb.3\n"
      "  divergent blocks: %bb.1 %bb.2 %bb.3 %bb.4 %bb.5\n"
      "  cycles left divergently:\n";
  EXPECT_EQ(Printed(function), StrCat("warp:\n", facts, "cta:\n", facts));
  // Out of SSA form, the loop counter stays uniform and the register of the join is divergent.
  testing::LeaveSsaForm(function);
  AnalysisManager analyses(function);
  const auto& uniformity = analyses.Get<Uniformity>();
  EXPECT_TRUE(uniformity.IsUniform(Register::Virtual(4)));
  EXPECT_TRUE(uniformity.IsUniform(Register::Virtual(5)));
  EXPECT_FALSE(uniformity.IsUniform(Register::Virtual(9)));
  EXPECT_TRUE(uniformity.HasUniformBranch(*function.block(2)));
  EXPECT_EQ(analyses.CheckCached(), "");
}

TEST(UniformityTest, LoopsLeftInDifferentTurns) {
  const auto module = testing::ReadModule(StrCat(kKernel,
                                                 "  bb.0:\n"
                                                 "    successors: %bb.1\n"
                                                 "    %0:b32 = INT_PTX_SREG_TID_x\n"
                                                 "    %1:b32 = MOV_B32_i 0\n"
                                                 "  bb.1:\n"
                                                 "    successors: %bb.1, %bb.2\n"
                                                 "    %2:b32 = PHI %1, %bb.0, %3, %bb.1\n"
                                                 "    %3:b32 = ADD32ri %2, 1\n"
                                                 "    %4:b1 = SETP_i32rr %3, %0, 2\n"
                                                 "    CBranch %4, %bb.1\n"
                                                 "    GOTO %bb.2\n"
                                                 "  bb.2:\n"
                                                 "    %5:b32 = ADD32rr %3, %1\n"
                                                 "    Return\n"
                                                 "...\n"));
  ASSERT_NE(module, nullptr);
  MachineFunction& function = testing::OnlyFunction(*module);
  AnalysisManager analyses(function);
  const auto& uniformity = analyses.Get<Uniformity>();
  EXPECT_TRUE(uniformity.IsUniform(Register::Virtual(3)));
  EXPECT_FALSE(uniformity.IsUniform(Register::Virtual(5)));
  EXPECT_TRUE(uniformity.IsLeftDivergently(0));
  EXPECT_TRUE(uniformity.IsConvergent(*function.block(2)));
  EXPECT_FALSE(uniformity.IsConvergent(*function.block(1)));
  const MachineInstr& inside = *function.block(1)->front()->next()->next();
  const MachineInstr& outside = *function.block(2)->front();
  EXPECT_TRUE(uniformity.IsUniformUse(inside.operand(1)));
  EXPECT_FALSE(uniformity.IsUniformUse(outside.operand(1)));
  EXPECT_TRUE(uniformity.IsUniformUse(outside.operand(2)));
}

namespace reference {

// Returns true if two paths lead from different successors of `branch` to `join` and share only the join. Computed
// as a flow of two units through vertices of capacity one, by augmenting paths. Threads in different iterations of
// a cycle around both blocks do not meet, so neither path may leave that cycle or begin another iteration.
bool IsJoin(const MachineFunction& function, const MachineCycles& cycles, BlockNumber branch, BlockNumber join) {
  const CycleId around =
      cycles.CommonCycle(cycles.InnermostCycle(*function.block(branch)), cycles.InnermostCycle(*function.block(join)));
  const auto is_allowed = [&](const MachineBasicBlock& to) {
    if (around == CycleForest::kNoCycle) return true;
    if (!cycles.Contains(around, to)) return false;
    return &to != cycles.Header(around) || to.number() == join || !cycles.IsReducible(around);
  };
  const uint32_t n = function.block_number_bound();
  // Vertex b is the entry of block b, vertex n + b its exit. The flow on edges is a matrix.
  std::vector<std::vector<int>> capacity(2 * n, std::vector<int>(2 * n));
  for (const MachineBasicBlock& block : function) {
    if (block.number() != branch && block.number() != join) capacity[block.number()][n + block.number()] = 1;
    for (const MachineBasicBlock* successor : block.successors()) {
      if (!is_allowed(*successor)) continue;
      if (successor->number() != branch || branch == join) capacity[n + block.number()][successor->number()] = 1;
    }
  }
  for (int unit = 0; unit < 2; ++unit) {
    std::vector<int> from(2 * n, -1);
    std::vector<uint32_t> queue = {n + branch};
    from[n + branch] = static_cast<int>(n + branch);
    for (size_t i = 0; i < queue.size() && from[join] < 0; ++i) {
      for (uint32_t to = 0; to < 2 * n; ++to) {
        if (capacity[queue[i]][to] == 0 || from[to] >= 0) continue;
        from[to] = static_cast<int>(queue[i]);
        queue.push_back(to);
      }
    }
    if (from[join] < 0) return false;
    for (uint32_t at = join; at != n + branch; at = static_cast<uint32_t>(from[at])) {
      --capacity[static_cast<uint32_t>(from[at])][at];
      ++capacity[at][static_cast<uint32_t>(from[at])];
    }
  }
  return true;
}

}  // namespace reference

std::string EdgesOf(const MachineFunction& function) {
  std::string text;
  for (const MachineBasicBlock& block : function) {
    for (const MachineBasicBlock* to : block.successors()) {
      StrAppend(&text, "{", block.number(), ", ", to->number(), "} ");
    }
  }
  return text + "\n";
}

// Gives each block a constant and each join a PHI of its predecessors' constants. The blocks in `branches` end in a
// divergent branch. Returns the registers of the PHIs by block.
std::vector<Register> AddValues(MachineFunction& function, const std::vector<BlockNumber>& branches) {
  const TargetInfo& target = function.target();
  const Opcode mov = *target.find_opcode("MOV_B32_i");
  const Opcode tid = *target.find_opcode("INT_PTX_SREG_TID_x");
  const Opcode setp = *target.find_opcode("SETP_i32ri");
  const Opcode cbranch = *target.find_opcode("CBranch");
  const RegClassId b32 = *target.FindRegClass("b32");
  const RegClassId b1 = *target.FindRegClass("b1");
  std::vector<Register> values(function.block_number_bound()), phis(function.block_number_bound());
  for (MachineBasicBlock& block : function) {
    values[block.number()] = function.reg_info().CreateVirtualRegister(b32);
    BuildMI(block, nullptr, mov).AddDef(values[block.number()]).AddImm(block.number()).Insert();
  }
  for (const BlockNumber number : branches) {
    MachineBasicBlock& block = *function.block(number);
    if (block.successors().size() < 2) continue;
    const Register id = function.reg_info().CreateVirtualRegister(b32);
    const Register condition = function.reg_info().CreateVirtualRegister(b1);
    BuildMI(block, nullptr, tid).AddDef(id).Insert();
    BuildMI(block, nullptr, setp).AddDef(condition).AddUse(id).AddImm(1).AddImm(2).Insert();
    BuildMI(block, nullptr, cbranch).AddUse(condition).AddBlock(*block.successors()[0]).Insert();
  }
  for (MachineBasicBlock& block : function) {
    if (block.predecessors().size() < 2) continue;
    phis[block.number()] = function.reg_info().CreateVirtualRegister(b32);
    MachineInstrBuilder phi = BuildMI(block, block.front(), generic::kPhi);
    phi.AddDef(phis[block.number()]);
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      phi.AddUse(values[predecessor->number()]).AddBlock(*predecessor);
    }
    phi.Insert();
  }
  function.SetProperty(FunctionProperty::kIsSsa);
  return phis;
}

TEST(UniformityTest, JoinsMatchTheDefinition) {
  std::mt19937 random(1);
  int num_joins = 0;
  int num_acyclic = 0;
  for (int round = 0; round < 1500; ++round) {
    std::unique_ptr<MachineFunction> function;
    if (round % 2 == 0) {
      function = testing::MakeRandomGraph(random, 12);
    } else {
      // Without cycles.
      std::vector<std::pair<uint32_t, uint32_t>> edges;
      for (uint32_t from = 0; from < 9; ++from) {
        edges.emplace_back(from, from + 1);
        const uint32_t other = from + 2 + static_cast<uint32_t>(random()) % 5;
        if (random() % 4 != 0 && other < 10) edges.emplace_back(from, other);
      }
      function = testing::MakeGraph(10, edges);
    }
    const DepthFirstOrder order(*function);
    const BlockNumber branch = order.preorder[random() % order.preorder.size()]->number();
    if (function->block(branch)->successors().size() < 2) continue;
    const std::vector<Register> phis = AddValues(*function, {branch});
    AnalysisManager analyses(*function);
    const auto& uniformity = analyses.Get<Uniformity>();
    const bool is_acyclic = analyses.Get<MachineCycles>().num_cycles() == 0;
    for (const MachineBasicBlock& block : *function) {
      if (!phis[block.number()].is_valid() || !order.IsReached(block.number())) continue;
      const bool wanted = reference::IsJoin(*function, analyses.Get<MachineCycles>(), branch, block.number());
      const bool got = !uniformity.IsUniform(phis[block.number()]);
      num_joins += wanted;
      num_acyclic += wanted && is_acyclic;
      // With cycles, the definition does not cover threads that leave in different iterations.
      ASSERT_TRUE(got || !wanted) << "round " << round << " branch " << branch << " join " << block.number() << "\n"
                                  << EdgesOf(*function) << Printed(*function);
      if (is_acyclic) {
        ASSERT_EQ(got, wanted) << "round " << round << " block " << block.number();
      }
    }
  }
  EXPECT_GT(num_joins, 500);
  EXPECT_GT(num_acyclic, 100);
}

TEST(UniformityTest, ConvergenceMatchesTheDefinition) {
  // A block is convergent unless it depends on a divergent branch, directly or through other blocks.
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const auto function = testing::MakeRandomGraph(random, 12);
    const std::vector<BlockNumber> branches = {static_cast<BlockNumber>(random() % function->num_blocks()),
                                               static_cast<BlockNumber>(random() % function->num_blocks())};
    AddValues(*function, branches);
    AnalysisManager analyses(*function);
    const auto& uniformity = analyses.Get<Uniformity>();
    const auto& post_dominators = analyses.Get<MachinePostDominatorTree>();
    std::vector<bool> divergent(function->block_number_bound());
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const MachineBasicBlock& branch : *function) {
        if (uniformity.HasUniformBranch(branch) && !divergent[branch.number()]) continue;
        for (const MachineBasicBlock* successor : branch.successors()) {
          for (const MachineBasicBlock& block : *function) {
            if (divergent[block.number()] || !post_dominators.Dominates(block, *successor) ||
                post_dominators.ProperlyDominates(block, branch)) {
              continue;
            }
            has_changed = divergent[block.number()] = true;
          }
        }
      }
    }
    for (const MachineBasicBlock& block : *function) {
      ASSERT_EQ(uniformity.IsConvergent(block), !divergent[block.number()]) << "round " << round;
    }
  }
}

// In any function, a uniform value is not computed from divergent ones.
TEST(UniformityTest, GeneratedFunctionsAreConsistent) {
  const auto check = [](MachineFunction& function, const std::string& where) {
    AnalysisManager analyses(function);
    const auto& uniformity = analyses.Get<Uniformity>();
    const DepthFirstOrder order(function);
    for (const MachineBasicBlock* block : order.preorder) {
      for (const MachineInstr& instr : *block) {
        if (instr.is_debug()) continue;
        bool has_divergent_use = false;
        for (const MachineOperand& operand : instr.operands()) {
          if (operand.is_use() && !uniformity.IsUniformUse(operand)) has_divergent_use = true;
        }
        if (instr.is_terminator() && has_divergent_use && block->successors().size() > 1) {
          ASSERT_FALSE(uniformity.HasUniformBranch(*block)) << where;
        }
        const std::string_view name = function.target().StableName(instr.opcode());
        const bool agrees = name.starts_with("VOTE") || name.starts_with("REDUX") || name.starts_with("MATCH_ALL");
        if (!has_divergent_use || agrees) continue;
        for (const MachineOperand& operand : instr.operands()) {
          if (operand.is_def()) {
            ASSERT_FALSE(uniformity.IsUniform(operand.reg())) << where << " " << name;
          }
        }
      }
    }
    // A value that is uniform in the CTA is uniform in each warp.
    for (uint32_t i = 0; i < function.reg_info().num_virtual_registers(); ++i) {
      const Register reg = Register::Virtual(i);
      ASSERT_TRUE(uniformity.IsUniform(reg) || !uniformity.IsUniform(reg, UniformityScope::kCta)) << where << i;
    }
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 300, 40, check);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kNest, 300, 1, check);
}

}  // namespace
}  // namespace ptxmir
