// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_function.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mir/code/memory_scope.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

using testing::kI32;
using testing::kTinyAdd;
using testing::kTinyBranchIf;
using testing::kTinyJump;
using testing::kTinyLi;
using testing::kTinyRet;
using testing::TinyTarget;

class MachineFunctionTest : public ::testing::Test {
 protected:
  MachineFunctionTest() : function_(nullptr, TinyTarget(), "f", 0) {}

  MachineBasicBlock& NewBlock() {
    MachineBasicBlock* block = function_.CreateBlock();
    function_.InsertBlock(nullptr, block);
    return *block;
  }
  Register NewRegister() { return function_.reg_info().CreateVirtualRegister(kI32); }
  size_t CountUses(Register reg) {
    size_t n = 0;
    for (MachineOperand& use : function_.reg_info().Uses(reg)) n += use.is_use();
    return n;
  }
  void ExpectSoundUseLists() { EXPECT_EQ(function_.reg_info().CheckUseLists(), ""); }

  MachineFunction function_;
};

TEST_F(MachineFunctionTest, InstructionsKnowTheirBlockFunctionAndNeighbors) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  MachineInstr* li = BuildMI(block, nullptr, kTinyLi).AddDef(a).AddImm(7).Insert();
  MachineInstr* add = BuildMI(block, nullptr, kTinyAdd).AddDef(NewRegister()).AddUse(a).AddUse(a).Insert();
  EXPECT_EQ(li->parent(), &block);
  EXPECT_EQ(&li->function(), &function_);
  EXPECT_EQ(li->next(), add);
  EXPECT_EQ(add->previous(), li);
  EXPECT_EQ(add->next(), nullptr);
  EXPECT_EQ(add->operand(2).parent(), add);
  EXPECT_EQ(add->operand(2).operand_number(), 2u);
  EXPECT_EQ(function_.reg_info().UniqueDef(a), li);
  EXPECT_EQ(CountUses(a), 2u);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, InsertBeforeAndEraseKeepTheListInOrder) {
  MachineBasicBlock& block = NewBlock();
  MachineInstr* last = BuildMI(block, nullptr, kTinyRet).Insert();
  MachineInstr* first = BuildMI(block, last, kTinyLi).AddDef(NewRegister()).AddImm(1).Insert();
  MachineInstr* middle = BuildMI(block, last, kTinyLi).AddDef(NewRegister()).AddImm(2).Insert();
  EXPECT_EQ(block.front(), first);
  EXPECT_EQ(first->next(), middle);
  middle->EraseFromParent();
  EXPECT_EQ(first->next(), last);
  EXPECT_EQ(last->previous(), first);
  first->EraseFromParent();
  EXPECT_EQ(block.front(), last);
  EXPECT_EQ(block.CountInstrs(), 1u);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, SetRegAndReplaceRegisterMoveOperandsBetweenLists) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  const Register b = NewRegister();
  BuildMI(block, nullptr, kTinyLi).AddDef(a).AddImm(1).Insert();
  MachineInstr* add = BuildMI(block, nullptr, kTinyAdd).AddDef(NewRegister()).AddUse(a).AddUse(a).Insert();
  add->operand(1).SetReg(b);
  EXPECT_EQ(CountUses(a), 1u);
  EXPECT_EQ(CountUses(b), 1u);
  ExpectSoundUseLists();
  function_.reg_info().ReplaceRegister(a, b);
  EXPECT_FALSE(function_.reg_info().IsReferenced(a));
  EXPECT_EQ(CountUses(b), 2u);
  EXPECT_NE(function_.reg_info().UniqueDef(b), nullptr);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, DefinitionsComeBeforeUsesInTheList) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  BuildMI(block, nullptr, kTinyAdd).AddDef(NewRegister()).AddUse(a).AddUse(a).Insert();
  BuildMI(block, nullptr, kTinyLi).AddDef(a).AddImm(1).Insert();
  EXPECT_TRUE(function_.reg_info().Operands(a).begin()->is_def());
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, ChangeToTurnsARegisterIntoAnImmediateAndBack) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  MachineInstr* add = BuildMI(block, nullptr, kTinyAdd).AddDef(NewRegister()).AddUse(a).AddUse(a).Insert();
  add->operand(2).ChangeTo(MachineOperand::CreateImm(-5));
  EXPECT_EQ(add->operand(2).imm(), -5);
  EXPECT_EQ(CountUses(a), 1u);
  add->operand(2).ChangeTo(MachineOperand::CreateReg(a));
  EXPECT_EQ(CountUses(a), 2u);
  EXPECT_EQ(add->operand(2).operand_number(), 2u);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, OperandsBeyondTheSaturatedIndexFindTheirInstruction) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  // 10,001 operands: more than an arena chunk holds, and many times 255.
  std::vector<MachineOperand> operands = {MachineOperand::CreateReg(NewRegister(), MachineOperand::kDefine)};
  for (int i = 0; i < 5000; ++i) {
    operands.push_back(MachineOperand::CreateReg(a));
    operands.push_back(MachineOperand::CreateBlock(0));
  }
  MachineInstr* phi = function_.CreateInstr(generic::kPhi, operands);
  block.Append(phi);
  for (unsigned i : {0u, 1u, 253u, 254u, 255u, 508u, 509u, 4095u, 9999u, 10000u}) {
    EXPECT_EQ(phi->operand(i).parent(), phi) << i;
    EXPECT_EQ(phi->operand(i).operand_number(), i);
  }
  EXPECT_EQ(CountUses(a), 5000u);
  phi->RemoveOperand(9999);
  EXPECT_EQ(CountUses(a), 4999u);
  EXPECT_EQ(phi->num_operands(), 10000u);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, AddOperandGrowsAndKeepsPlaceAndTies) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  BuildMI(block, nullptr, kTinyLi).AddDef(a).AddImm(1).Insert();
  MachineInstr* instr = BuildMI(block, nullptr, kTinyAdd).AddDef(NewRegister()).AddUse(a).Insert();
  BuildMI(block, nullptr, kTinyRet).Insert();
  instr->TieOperands(0, 1);
  for (int i = 0; i < 600; ++i) instr = instr->AddOperand(MachineOperand::CreateReg(a));
  EXPECT_EQ(instr->num_operands(), 602u);
  EXPECT_EQ(instr->FindTiedOperand(0), 1u);
  EXPECT_EQ(instr->FindTiedOperand(1), 0u);
  EXPECT_EQ(block.front()->next(), instr);
  EXPECT_TRUE(instr->next()->is_return());
  EXPECT_EQ(CountUses(a), 601u);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, TiesReachOperandsOfAnyNumberAndSurviveRemoval) {
  MachineBasicBlock& block = NewBlock();
  std::vector<MachineOperand> operands;
  for (int i = 0; i < 40; ++i) {
    operands.push_back(MachineOperand::CreateReg(NewRegister(), MachineOperand::kDefine));
  }
  for (int i = 0; i < 40; ++i) operands.push_back(MachineOperand::CreateReg(NewRegister()));
  MachineInstr* instr = function_.CreateInstr(kTinyAdd, operands);
  block.Append(instr);
  instr->TieOperands(39, 79);
  instr->TieOperands(2, 41);
  EXPECT_EQ(instr->FindTiedOperand(39), 79u);
  EXPECT_EQ(instr->FindTiedOperand(79), 39u);
  instr->RemoveOperand(40);
  EXPECT_EQ(instr->FindTiedOperand(39), 78u);
  EXPECT_EQ(instr->FindTiedOperand(40), 2u);
  ExpectSoundUseLists();
}

TEST_F(MachineFunctionTest, FreedInstructionsAreReused) {
  MachineBasicBlock& block = NewBlock();
  const size_t before = function_.arena().bytes_reserved();
  for (int i = 0; i < 100000; ++i) {
    BuildMI(block, nullptr, kTinyLi).AddDef(Register()).AddImm(i).Insert()->EraseFromParent();
  }
  EXPECT_LE(function_.arena().bytes_reserved(), before + FunctionArena::kChunkBytes);
}

TEST_F(MachineFunctionTest, KnowsWhichOpcodesAndTiesItNeverHad) {
  MachineBasicBlock& block = NewBlock();
  EXPECT_FALSE(function_.MayContain(kTinyLi));
  MachineInstr* instr = BuildMI(block, nullptr, kTinyLi).AddDef(NewRegister()).AddImm(1).Insert();
  EXPECT_TRUE(function_.MayContain(kTinyLi));
  EXPECT_FALSE(function_.MayContain(kTinyAdd));
  instr->set_opcode(kTinyAdd);
  EXPECT_TRUE(function_.MayContain(kTinyAdd));
  EXPECT_TRUE(function_.MayContainAny([](Opcode opcode) { return opcode == kTinyAdd; }));
  EXPECT_FALSE(function_.MayContainAny([](Opcode opcode) { return opcode == kTinyRet; }));
  EXPECT_FALSE(function_.MayHaveTies());
  const Register reg = NewRegister();
  BuildMI(block, nullptr, kTinyAdd).AddDef(reg).AddUse(reg).Insert()->TieOperands(0, 1);
  EXPECT_TRUE(function_.MayHaveTies());
}

TEST_F(MachineFunctionTest, NeighborsAreFoundAcrossChunks) {
  MachineBasicBlock& block = NewBlock();
  std::vector<MachineInstr*> instrs;
  for (int i = 0; i < 5000; ++i) {
    // One of them is larger than a chunk.
    const std::vector<MachineOperand> operands(i == 2500 ? 10000 : 1, MachineOperand::CreateImm(i));
    instrs.push_back(function_.CreateInstr(kTinyLi, operands));
    block.Append(instrs.back());
  }
  for (size_t i = 0; i < instrs.size(); ++i) {
    EXPECT_EQ(instrs[i]->next(), i + 1 < instrs.size() ? instrs[i + 1] : nullptr);
    EXPECT_EQ(instrs[i]->previous(), i > 0 ? instrs[i - 1] : nullptr);
  }
}

TEST(ArenaChunkPoolTest, ChunksAreAlignedApartAndReused) {
  constexpr size_t kChunkBytes = 16384;
  ArenaChunkPool pool(kChunkBytes);
  std::vector<char*> chunks;
  for (size_t count : {1, 3, 1, 200, 1, 1}) {
    char* first = pool.Take(count);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % kChunkBytes, 0u);
    std::memset(first, 0, count * kChunkBytes);
    for (size_t i = 0; i < count; ++i) chunks.push_back(first + i * kChunkBytes);
  }
  std::sort(chunks.begin(), chunks.end());
  EXPECT_EQ(std::adjacent_find(chunks.begin(), chunks.end()), chunks.end());
  for (char* chunk : chunks) pool.GiveBack(chunk);
  for (size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_TRUE(std::binary_search(chunks.begin(), chunks.end(), pool.Take(1)));
  }
}

TEST(ArenaChunkPoolTest, AFunctionUsesTheMemoryOfOneThatIsGone) {
  const auto pool = std::make_shared<ArenaChunkPool>();
  const auto place = [&] {
    MachineFunction function(nullptr, TinyTarget(), "f", 0, pool);
    return static_cast<void*>(function.CreateBlock());
  };
  void* const first = place();
  EXPECT_EQ(place(), first);
}

TEST(ArenaChunkPoolTest, NoChunkIsTakenAgainOnceThePoolDrains) {
  constexpr size_t kChunkBytes = size_t{64} << 10;
  constexpr size_t kNumChunks = 200;  // several huge pages
  ArenaChunkPool pool(kChunkBytes);
  std::vector<char*> chunks;
  for (size_t i = 0; i < kNumChunks; ++i) {
    chunks.push_back(pool.Take(1));
    std::memset(chunks.back(), static_cast<int>(i), kChunkBytes);
  }
  pool.Drain();
  for (size_t i = 0; i < kNumChunks; i += 2) pool.GiveBack(chunks[i]);
  // The chunks that were not given back are as they were.
  for (size_t i = 1; i < kNumChunks; i += 2) EXPECT_EQ(chunks[i][kChunkBytes - 1], static_cast<char>(i));
  for (size_t i = 1; i < kNumChunks; i += 2) pool.GiveBack(chunks[i]);
  for (size_t i = 0; i < kNumChunks; ++i) EXPECT_EQ(std::count(chunks.begin(), chunks.end(), pool.Take(1)), 0);
}

TEST_F(MachineFunctionTest, SplitBlockMovesTailEdgesAndPhiReferences) {
  MachineBasicBlock& entry = NewBlock();
  MachineBasicBlock& exit = NewBlock();
  const Register a = NewRegister();
  BuildMI(entry, nullptr, kTinyLi).AddDef(a).AddImm(1).Insert();
  MachineInstr* jump = BuildMI(entry, nullptr, kTinyJump).AddBlock(exit).Insert();
  entry.AddSuccessor(&exit, BranchProbability::One());
  MachineInstr* phi = BuildMI(exit, nullptr, generic::kPhi).AddDef(NewRegister()).AddUse(a).AddBlock(entry).Insert();
  BuildMI(exit, nullptr, kTinyRet).Insert();

  MachineBasicBlock* tail = function_.SplitBlock(jump);
  EXPECT_EQ(entry.next(), tail);
  EXPECT_EQ(tail->next(), &exit);
  EXPECT_EQ(jump->parent(), tail);
  EXPECT_EQ(entry.successors().size(), 1u);
  EXPECT_EQ(entry.successors()[0], tail);
  EXPECT_EQ(exit.predecessors().size(), 1u);
  EXPECT_EQ(exit.predecessors()[0], tail);
  EXPECT_EQ(phi->operand(2).block(), tail->number());
  EXPECT_TRUE(entry.CanFallThrough());
  EXPECT_FALSE(tail->CanFallThrough());
}

TEST_F(MachineFunctionTest, RetargetSuccessorRewritesBranchesAndMergesEdges) {
  MachineBasicBlock& entry = NewBlock();
  MachineBasicBlock& left = NewBlock();
  MachineBasicBlock& right = NewBlock();
  const Register p = NewRegister();
  MachineInstr* branch = BuildMI(entry, nullptr, kTinyBranchIf).AddUse(p).AddBlock(left).Insert();
  BuildMI(entry, nullptr, kTinyJump).AddBlock(right).Insert();
  entry.AddSuccessor(&left, BranchProbability(BranchProbability::kDenominator / 4));
  entry.AddSuccessor(&right, BranchProbability(BranchProbability::kDenominator / 4 * 3));
  entry.RetargetSuccessor(&left, &right);
  EXPECT_EQ(branch->operand(1).block(), right.number());
  ASSERT_EQ(entry.successors().size(), 1u);
  EXPECT_EQ(entry.successor_probabilities()[0], BranchProbability::One());
  EXPECT_TRUE(left.predecessors().empty());
  EXPECT_EQ(right.predecessors().size(), 1u);
}

TEST_F(MachineFunctionTest, RenumberBlocksFollowsLayout) {
  MachineBasicBlock& a = NewBlock();
  MachineBasicBlock& b = NewBlock();
  MachineBasicBlock& c = NewBlock();
  BuildMI(a, nullptr, kTinyJump).AddBlock(c).Insert();
  a.AddSuccessor(&c);
  MachineInstr* ret = BuildMI(c, nullptr, kTinyRet).Insert();
  function_.jump_tables().push_back({{c.number(), a.number()}});
  function_.EraseBlock(&b);
  function_.MoveBlock(&a, &c);
  function_.RenumberBlocks();
  EXPECT_EQ(c.number(), 0u);
  EXPECT_EQ(a.number(), 1u);
  EXPECT_EQ(function_.block(0), &c);
  EXPECT_EQ(a.front()->operand(0).block(), 0u);
  EXPECT_EQ(function_.jump_tables()[0].blocks, (std::vector<BlockNumber>{0, 1}));
  EXPECT_EQ(ret->parent(), &c);
  EXPECT_EQ(function_.block_number_bound(), 2u);
}

TEST_F(MachineFunctionTest, MemOperandsStayWithTheInstructionAndItsClone) {
  MachineBasicBlock& block = NewBlock();
  MachineMemOperand load;
  load.flags = MachineMemOperand::kLoad;
  load.has_known_size = true;
  load.type = {.kind = LowLevelType::Kind::kScalar, .elements = 4, .bits = 32};
  const MachineMemOperand* one = function_.CreateMemOperand(load);
  MachineInstr* instr = BuildMI(block, nullptr, kTinyLi).AddDef(NewRegister()).AddImm(0).Insert();
  EXPECT_TRUE(instr->memoperands().empty());
  instr->SetMemOperands({&one, 1});
  ASSERT_EQ(instr->memoperands().size(), 1u);
  EXPECT_EQ(instr->memoperands()[0]->SizeInBytes(), 16u);
  const MachineMemOperand* two[] = {one, one};
  instr->SetMemOperands(two);
  EXPECT_EQ(instr->memoperands().size(), 2u);
  InstrExtra extra = *instr->extra();
  extra.pre_instr_symbol = function_.InternSymbol("label");
  instr->SetExtra(extra);
  MachineInstr* clone = function_.CloneInstr(*instr);
  EXPECT_EQ(clone->memoperands().size(), 2u);
  EXPECT_EQ(function_.symbol(clone->extra()->pre_instr_symbol), "label");
  instr->SetMemOperands({});
  EXPECT_EQ(function_.symbol(instr->extra()->pre_instr_symbol), "label");
  EXPECT_TRUE(instr->memoperands().empty());
}

TEST_F(MachineFunctionTest, RegistersOfDebugValuesAreNoUses) {
  MachineBasicBlock& block = NewBlock();
  const Register a = NewRegister();
  BuildMI(block, nullptr, kTinyLi).AddDef(a).AddImm(1).Insert();
  MachineInstr* value = BuildMI(block, nullptr, generic::kDbgValue).AddUse(a).AddImm(0).Insert();
  EXPECT_TRUE(value->operand(0).is_debug());
  EXPECT_TRUE(function_.reg_info().NonDebugUses(a).empty());
  value->operand(1).ChangeTo(MachineOperand::CreateReg(a));
  EXPECT_TRUE(value->operand(1).is_debug());
}

TEST_F(MachineFunctionTest, SymbolsAreInternedOnce) {
  const SymbolId a = function_.InternSymbol("f_param_0");
  EXPECT_EQ(function_.InternSymbol(std::string("f_param_") + "0"), a);
  EXPECT_NE(function_.InternSymbol("f_param_1"), a);
  EXPECT_EQ(function_.symbol(a), "f_param_0");
}

TEST_F(MachineFunctionTest, RandomEditsKeepUseListsSound) {
  std::mt19937 random(12345);
  std::vector<MachineBasicBlock*> blocks = {&NewBlock(), &NewBlock(), &NewBlock()};
  std::vector<Register> registers;
  for (int i = 0; i < 20; ++i) registers.push_back(NewRegister());
  std::vector<MachineInstr*> instrs;
  const auto any_register = [&] { return registers[random() % registers.size()]; };
  for (int step = 0; step < 20000; ++step) {
    MachineBasicBlock& block = *blocks[random() % blocks.size()];
    const size_t i = instrs.empty() ? 0 : random() % instrs.size();
    switch (instrs.empty() ? 0 : random() % 6) {
      case 0:
        instrs.push_back(BuildMI(block, block.front(), kTinyAdd)
                             .AddDef(any_register())
                             .AddUse(any_register())
                             .AddUse(any_register())
                             .Insert());
        break;
      case 1:
        instrs[i]->EraseFromParent();
        instrs.erase(instrs.begin() + static_cast<long>(i));
        break;
      case 2:
        instrs[i]->RemoveFromParent();
        block.Append(instrs[i]);
        break;
      case 3:
        instrs[i]->operand(random() % instrs[i]->num_operands()).SetReg(any_register());
        break;
      case 4:
        if (instrs[i]->num_operands() < 300) {
          instrs[i] = instrs[i]->AddOperand(MachineOperand::CreateReg(any_register()));
        }
        break;
      case 5:
        if (instrs[i]->num_operands() > 2) instrs[i]->RemoveOperand(1 + random() % 2);
        break;
    }
    if (step % 500 == 0) {
      ASSERT_EQ(function_.reg_info().CheckUseLists(), "") << step;
    }
  }
  ExpectSoundUseLists();
}

TEST(MemoryScopeTest, IsNamedByLlvm) {
  for (const MemoryScope scope : {MemoryScope::kCta, MemoryScope::kCluster, MemoryScope::kGpu, MemoryScope::kSys}) {
    EXPECT_EQ(ScopeFromSyncscope(SyncscopeOf(scope)), scope);
  }
  EXPECT_EQ(ScopeFromSyncscope("singlethread"), MemoryScope::kCta);
  EXPECT_EQ(ScopeFromSyncscope(""), MemoryScope::kSys);
  EXPECT_EQ(ScopeFromSyncscope("agent"), std::nullopt);
}

}  // namespace
}  // namespace ptxmir
