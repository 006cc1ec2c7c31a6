// SPDX-License-Identifier: Apache-2.0

#include "ptxmir/pass.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAdding[] = R"(---
name: adding
body: |
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &adding_param_0, 0
    %1:b32 = ADD32ri %0, 7
    ST_i32 %1, 0, 0, 1, 32, 0, 0
    Return
...
)";

ptxmir::PassResult Nothing(ptxmir::MachineFunction&, ptxmir::PassContext&) { return {}; }

// Returns a pass that appends its name to `notes`.
ptxmir::MachinePass Noting(std::vector<std::string>& notes, std::string name) {
  return {.name = name, .run = [&notes, name](ptxmir::MachineFunction&, ptxmir::PassContext&) {
            notes.push_back(name);
            return ptxmir::PassResult{};
          }};
}

std::string Errors(ptxmir::CompileOptions options) { return ptxmir::Compile(kAdding, options).MessageText(); }

// Changes the addend from 7 to 9.
ptxmir::PassResult AddMore(ptxmir::MachineFunction& function, ptxmir::PassContext& context) {
  for (ptxmir::MachineBasicBlock& block : function) {
    for (ptxmir::MachineInstr& instr : block) {
      if (instr.opcode() != ptxmir::ptx::op::ADD32ri) continue;
      instr.operand(2).set_imm(9);
      context.AddStatistic("additions changed", 1);
      return {.changed = true, .preserved = ptxmir::PreservedAnalyses::All()};
    }
  }
  return {};
}

TEST(PassTest, RunsInThePipeline) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "machine-cse", {.name = "add-more", .run = AddMore});
  const ptxmir::CompileResult result = ptxmir::Compile(kAdding, options);
  ASSERT_TRUE(result.ok) << result.MessageText();
  EXPECT_THAT(result.output, HasSubstr(", 9;"));
  bool is_counted = false;
  for (const ptxmir::CompileStatistic& statistic : result.statistics) is_counted |= statistic.pass == "add-more";
  EXPECT_TRUE(is_counted);
}

TEST(PassTest, RunsWhereItWasPut) {
  std::vector<std::string> notes;
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "nvptx-mem2reg,2", Noting(notes, "e"));
  ptxmir::AddPassAfter(options, "nvptx-mem2reg", Noting(notes, "d"));
  ptxmir::AddPassAfter(options, "machine-cse", Noting(notes, "b"));
  ptxmir::AddPassBefore(options, "machine-cse", Noting(notes, "a"));
  ptxmir::AddPassAfter(options, "machine-cse", Noting(notes, "c"));
  ASSERT_EQ(Errors(options), "");
  EXPECT_THAT(notes, ElementsAre("a", "b", "c", "d", "e"));
}

TEST(PassTest, RunsAtEveryLevelAndOnlyWithinThePipeline) {
  for (const std::string level : {"-O0", "-O1", "-O2", "-O3"}) {
    std::vector<std::string> notes;
    ptxmir::CompileOptions options;
    options.flags = {level};
    ptxmir::AddPassAfter(options, "machine-cse", Noting(notes, "a"));
    ASSERT_EQ(Errors(options), "");
    EXPECT_THAT(notes, ElementsAre("a")) << level;
    options.flags.push_back("-stop-before=machine-cse");
    ASSERT_EQ(Errors(options), "");
    EXPECT_THAT(notes, ElementsAre("a")) << level;
  }
}

TEST(PassTest, PositionsMustExist) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "machine-csx", {.name = "p", .run = Nothing});
  EXPECT_THAT(Errors(options), HasSubstr("unknown pass 'machine-csx'; did you mean 'machine-cse'?"));
  options.passes.clear();
  ptxmir::AddPassAfter(options, "machine-cse,2", {.name = "p", .run = Nothing});
  EXPECT_THAT(Errors(options), HasSubstr("there is no instance 2"));
}

TEST(PassTest, MustHaveNameAndFunction) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "machine-cse", {.name = "p"});
  EXPECT_THAT(Errors(options), HasSubstr("pass 'p' has no function"));
  options.passes.clear();
  ptxmir::AddPassAfter(options, "machine-cse", {.run = Nothing});
  EXPECT_THAT(Errors(options), HasSubstr("has no name"));
}

TEST(PassTest, IsVerified) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "machine-cse",
                       {.name = "breaks", .run = [](ptxmir::MachineFunction& function, ptxmir::PassContext&) {
                          ptxmir::MachineInstr* const load = function.front()->front();
                          load->EraseFromParent();
                          return ptxmir::PassResult{.changed = true};
                        }});
  EXPECT_THAT(Errors(options), HasSubstr("After breaks"));
}

TEST(PassTest, MustSayThatItChangedSomething) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "machine-cse",
                       {.name = "liar", .run = [](ptxmir::MachineFunction& function, ptxmir::PassContext& context) {
                          AddMore(function, context);
                          return ptxmir::PassResult{};
                        }});
  EXPECT_THAT(Errors(options), HasSubstr("pass 'liar' on function 'adding' changed the function"));
}

TEST(PassTest, MayThrowOrReport) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "machine-cse",
                       {.name = "throws", .run = [](ptxmir::MachineFunction&, ptxmir::PassContext&) {
                          throw std::runtime_error("no room");
                          return ptxmir::PassResult{};
                        }});
  EXPECT_THAT(Errors(options), HasSubstr("pass 'throws' on function 'adding' threw: no room"));
  options.passes.clear();
  ptxmir::AddPassAfter(options, "machine-cse",
                       {.name = "reports", .run = [](ptxmir::MachineFunction&, ptxmir::PassContext& context) {
                          context.diagnostics.Error("not today");
                          return ptxmir::PassResult{};
                        }});
  EXPECT_THAT(Errors(options), HasSubstr("not today"));
}

TEST(PassTest, MayNeedAForm) {
  ptxmir::CompileOptions options;
  ptxmir::AddPassAfter(options, "nvptx-mem2reg",
                       {.name = "p", .run = Nothing, .required_properties = ptxmir::FunctionProperty::kIsSsa});
  EXPECT_THAT(Errors(options), HasSubstr("pass 'p' needs functions in SSA form"));
}

}  // namespace
