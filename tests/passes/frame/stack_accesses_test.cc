// SPDX-License-Identifier: Apache-2.0

// Liveness of stack cells, and the merges that stack-coloring derives from it, compared with slow but obviously
// correct versions on random functions.

#include "passes/frame/stack_accesses.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "passes/frame/stack_coloring.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

constexpr int kObjects = 4;

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString() << text;
  return module;
}

// Returns a function of blocks with random instructions that end in random branches.
template <typename Instr>
std::string RandomFunction(std::mt19937_64& random, Instr instr) {
  const int blocks = static_cast<int>(random() % 8) + 1;
  std::string text = "---\nname: f\ntracksRegLiveness: true\nstack:\n";
  for (int i = 0; i < kObjects; ++i) StrAppend(&text, "  - { id: ", i, ", size: 8, alignment: 8 }\n");
  text += "body: |\n";
  for (int b = 0; b < blocks; ++b) {
    StrAppend(&text, "  bb.", b, ":\n");
    const bool is_last = b + 1 == blocks;
    const int target = static_cast<int>(random() % static_cast<uint64_t>(blocks));
    const bool branches = random() % 3 != 0 && target != b + 1;
    if (!is_last || branches) {
      StrAppend(&text, "    successors: ", branches ? StrCat("%bb.", target) : "", branches && !is_last ? ", " : "",
                is_last ? "" : StrCat("%bb.", b + 1), "\n");
    }
    if (b == 0) text += "    %0:b32 = IMPLICIT_DEF\n    %1:b1 = IMPLICIT_DEF\n";
    for (uint64_t i = random() % 5; i > 0; --i) text += instr(static_cast<int>(random() % kObjects));
    if (branches) StrAppend(&text, is_last ? "    GOTO " : "    CBranch %1, ", "%bb.", target, "\n");
    if (is_last && !branches) text += "    Return\n";
  }
  return text + "...\n";
}

std::vector<MachineInstr*> Instrs(MachineFunction& function) {
  std::vector<MachineInstr*> instrs;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) instrs.push_back(&instr);
  }
  return instrs;
}

bool At(absl::Span<const StackSegment> segments, uint32_t point) {
  for (const StackSegment& segment : segments) {
    if (segment.begin <= point && point < segment.end) return true;
  }
  return false;
}

// Returns true if the value of `object` is read on some path after `at` (null: after the end of the block). A store
// writes the whole object. All paths are followed.
bool IsReadAfter(const MachineBasicBlock& block, const MachineInstr* at, int object, std::vector<bool>& seen) {
  for (const MachineInstr* instr = at; instr != nullptr; instr = instr->next()) {
    for (unsigned i = 0; i < instr->num_operands(); ++i) {
      const MachineOperand& operand = instr->operand(i);
      if (!operand.is_frame_index() || operand.frame_index() != object) continue;
      return instr->num_explicit_defs() == 1;
    }
  }
  for (const MachineBasicBlock* successor : block.successors()) {
    if (seen[successor->number()]) continue;
    seen[successor->number()] = true;
    if (IsReadAfter(*successor, successor->front(), object, seen)) return true;
  }
  return false;
}

TEST(StackLivenessTest, IsThatOfWalkingAllWays) {
  std::mt19937_64 random(11);
  int num_live = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto module = Read(RandomFunction(random, [&](int object) {
      return random() % 2 == 0 ? StrCat("    ST_i64 7, 0, 0, 0, 64, %stack.", object, ", 0\n")
                               : StrCat("    dead %9:b64 = LD_i64 0, 0, 0, 3, 64, -1, %stack.", object, ", 0\n");
    }));
    ASSERT_NE(module, nullptr);
    MachineFunction& function = *module->machine_functions().front();
    const StackAccessList list(function);
    const StackCells cells(list, std::vector<bool>(kObjects, true));
    const StackLiveness liveness(function, list, cells);
    for (uint32_t cell = 0; cell < cells.cells.size(); ++cell) {
      const int object = cells.cells[cell].index;
      uint32_t position = 0;
      for (MachineInstr* instr : Instrs(function)) {
        if (instr->previous() == nullptr) position = list.block_positions[instr->parent()->number()].first;
        std::vector<bool> seen(function.block_number_bound());
        const bool is_live = IsReadAfter(*instr->parent(), instr, object, seen);
        EXPECT_EQ(At(liveness.Segments(cell), 2 * position), is_live)
            << round << " object " << object << " " << position;
        num_live += is_live;
        ++position;
      }
      std::vector<bool> seen(function.block_number_bound());
      EXPECT_EQ(liveness.IsLiveIntoFunction(cell),
                IsReadAfter(*function.front(), function.front()->front(), object, seen));
    }
    for (uint32_t i = 0; i < list.accesses.size(); ++i) {
      const StackAccess& access = list.accesses[i];
      if (access.kind != StackAccess::Kind::kStore) continue;
      std::vector<bool> seen(function.block_number_bound());
      EXPECT_EQ(liveness.IsDeadStore(i),
                !IsReadAfter(*access.instr->parent(), access.instr->next(), access.index, seen));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(num_live, 3000);
}

// Returns, by object, whether some path leads to each instruction from a start of the object's life without an end
// in between.
std::vector<std::vector<bool>> NaiveLives(MachineFunction& function, const std::vector<MachineInstr*>& instrs) {
  std::vector<std::vector<bool>> live(kObjects, std::vector<bool>(instrs.size()));
  std::vector<std::vector<bool>> live_out(kObjects, std::vector<bool>(function.block_number_bound()));
  for (bool changed = true; changed;) {
    changed = false;
    size_t position = 0;
    for (MachineBasicBlock& block : function) {
      std::vector<bool> now(kObjects);
      for (size_t object = 0; object < kObjects; ++object) {
        for (const MachineBasicBlock* predecessor : block.predecessors()) {
          if (live_out[object][predecessor->number()]) now[object] = true;
        }
      }
      for (MachineInstr& instr : block) {
        for (size_t object = 0; object < kObjects; ++object) live[object][position] = now[object];
        ++position;
        if (!instr.is_meta() || instr.num_operands() != 1 || !instr.operand(0).is_frame_index()) continue;
        now[static_cast<size_t>(instr.operand(0).frame_index())] = instr.opcode() == generic::kLifetimeStart;
      }
      for (size_t object = 0; object < kObjects; ++object) {
        changed |= now[object] != live_out[object][block.number()];
        live_out[object][block.number()] = now[object];
      }
    }
  }
  return live;
}

TEST(StackColoringTest, MergesNothingThatIsAliveAtOnce) {
  std::mt19937_64 random(12);
  int num_merged = 0;
  Knobs knobs;
  ASSERT_TRUE(knobs.Set("stackcoloring-lifetime-start-on-first-use", "false").ok());
  for (int round = 0; round < 3000; ++round) {
    const auto module = Read(RandomFunction(random, [&](int object) {
      switch (random() % 5) {
        case 0:
          return StrCat("    LIFETIME_START %stack.", object, "\n");
        case 1:
          return StrCat("    LIFETIME_END %stack.", object, "\n");
        case 2:
          return StrCat("    ST_i32 ", object, ", 0, 0, 0, 32, %stack.", object, ", 4\n");
        default:
          return StrCat("    LIFETIME_START %stack.", object, "\n    ST_i32 ", object, ", 0, 0, 0, 32, %stack.", object,
                        ", 4\n    LIFETIME_END %stack.", object, "\n");
      }
    }));
    ASSERT_NE(module, nullptr);
    MachineFunction& function = *module->machine_functions().front();
    const std::vector<std::vector<bool>> live = NaiveLives(function, Instrs(function));
    const std::vector<MachineInstr*> before = Instrs(function);
    std::vector<bool> is_outside(kObjects);
    for (size_t i = 0; i < before.size(); ++i) {
      for (const MachineOperand& operand : before[i]->operands()) {
        if (!operand.is_frame_index() || before[i]->is_meta()) continue;
        const auto object = static_cast<size_t>(operand.frame_index());
        if (!live[object][i]) is_outside[object] = true;
      }
    }
    StandalonePassContext standalone(function, {.knobs = &knobs});
    RunStackColoring(function, standalone.context);
    // The stored constant identifies the object.
    std::vector<int> place(kObjects, -1);
    for (MachineInstr* instr : Instrs(function)) {
      ASSERT_FALSE(instr->opcode() == generic::kLifetimeStart || instr->opcode() == generic::kLifetimeEnd);
      if (instr->num_operands() < 6 || !instr->operand(5).is_frame_index()) continue;
      const auto object = static_cast<size_t>(instr->operand(0).imm());
      EXPECT_TRUE(place[object] < 0 || place[object] == instr->operand(5).frame_index());
      place[object] = instr->operand(5).frame_index();
      EXPECT_FALSE(function.frame_info().object(place[object]).is_dead);
    }
    for (size_t a = 0; a < kObjects; ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (place[a] < 0 || place[a] != place[b]) continue;
        ++num_merged;
        EXPECT_FALSE(is_outside[a] || is_outside[b]) << round;
        for (size_t i = 0; i < live[a].size(); ++i) EXPECT_FALSE(live[a][i] && live[b][i]) << round << " at " << i;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(num_merged, 200);
}

TEST(StackSegmentsTest, OverlapAndMerge) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::vector<StackSegment>> lists(2);
    std::vector<std::vector<bool>> points(2, std::vector<bool>(64));
    for (int l = 0; l < 2; ++l) {
      for (uint32_t at = 0; at < 60;) {
        at += 1 + static_cast<uint32_t>(random() % 12);
        const uint32_t end = std::min<uint32_t>(at + 1 + static_cast<uint32_t>(random() % 3), 63);
        if (at >= end) break;
        lists[l].push_back({at, end});
        for (uint32_t p = at; p < end; ++p) points[l][p] = true;
        at = end;
      }
    }
    bool overlap = false;
    for (uint32_t p = 0; p < 64; ++p) overlap |= points[0][p] && points[1][p];
    EXPECT_EQ(Overlap(lists[0], lists[1]), overlap);
    EXPECT_EQ(Overlap(lists[1], lists[0]), overlap);
    std::vector<StackSegment> merged = lists[0];
    MergeSegments(merged, lists[1]);
    for (uint32_t p = 0; p < 64; ++p) EXPECT_EQ(At(merged, p), points[0][p] || points[1][p]);
    for (size_t i = 1; i < merged.size(); ++i) EXPECT_GT(merged[i].begin, merged[i - 1].end);
  }
}

}  // namespace
}  // namespace ptxmir
