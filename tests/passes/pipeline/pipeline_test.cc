// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/pipeline.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

std::vector<std::string> PassNames(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const PipelineStep& step : pipeline) {
    if (step.action != PipelineStep::Action::kBanner) names.push_back(step.Name());
  }
  return names;
}

std::vector<std::string> Names(const PipelineOptions& options) {
  DiagnosticEngine diagnostics;
  const auto pipeline = BuildPipeline(options, diagnostics);
  EXPECT_TRUE(pipeline.has_value()) << diagnostics.ToString();
  return pipeline.has_value() ? PassNames(*pipeline) : std::vector<std::string>();
}

PipelineOptions AtLevel(int opt_level) {
  PipelineOptions options;
  options.opt_level = opt_level;
  return options;
}

std::string Error(const PipelineOptions& options) {
  DiagnosticEngine diagnostics;
  EXPECT_FALSE(BuildPipeline(options, diagnostics).has_value());
  return diagnostics.ToString();
}

std::string ParseError(std::string_view text) {
  DiagnosticEngine diagnostics;
  EXPECT_FALSE(ParsePipeline(text, "-passes", diagnostics).has_value()) << text;
  return diagnostics.ToString();
}

std::vector<std::string> Parsed(std::string_view text) {
  DiagnosticEngine diagnostics;
  const auto pipeline = ParsePipeline(text, "-passes", diagnostics);
  EXPECT_TRUE(pipeline.has_value()) << diagnostics.ToString();
  return pipeline.has_value() ? PassNames(*pipeline) : std::vector<std::string>();
}

TEST(PassTableTest, NamesAndAliasesAreUnique) {
  std::set<std::string_view> names;
  for (const PassInfo& pass : PassTable()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_TRUE(pass.alias.empty() || names.insert(pass.alias).second) << pass.alias;
    EXPECT_FALSE(pass.description.empty()) << pass.name;
    EXPECT_TRUE(!pass.is_implemented() || pass.absence.empty()) << pass.name;
  }
}

// The number is that of cicc's documentation.
TEST(PassTableTest, HasThePassesOfTheReference) {
  size_t stock = 0;
  for (const PassInfo& pass : PassTable()) stock += pass.origin == PassOrigin::kLlvm;
  EXPECT_GE(stock, 51u);
  for (const std::string_view name : {"finalize-isel",
                                      "early-tailduplication",
                                      "early-machinelicm",
                                      "machine-cse",
                                      "machine-sink",
                                      "peephole-opt",
                                      "dead-mi-elimination",
                                      "machine-cp",
                                      "machinelicm",
                                      "twoaddressinstruction",
                                      "phi-node-elimination",
                                      "register-coalescer",
                                      "greedy",
                                      "stack-coloring",
                                      "stack-slot-coloring",
                                      "postrapseudos",
                                      "post-RA-sched",
                                      "machine-scheduler",
                                      "postmisched",
                                      "early-ifcvt",
                                      "machine-combiner",
                                      "block-placement",
                                      "machine-outliner",
                                      "prologepilog",
                                      "opt-phis",
                                      "tailduplication",
                                      "detect-dead-lanes",
                                      "rename-independent-subregs",
                                      "localstackalloc",
                                      "machine-latecleanup",
                                      "pipeliner",
                                      "nvptx-peephole",
                                      "nvptx-remat-block",
                                      "extra-machineinstr-printer",
                                      "nvptx-mem2reg",
                                      "ldgxform",
                                      "nvptx-prolog-epilog",
                                      "nvptx-proxyreg-erasure",
                                      "nvptx-proxyreg-erasure",
                                      "nvptx-assign-valid-global-names",
                                      "nvptx-replace-image-handles",
                                      "nvptx-image-optimizer",
                                      "alloca-hoisting",
                                      "generic-to-nvvm",
                                      "param-opt",
                                      "nvptx-trunc-opts",
                                      "redundant-move-elim",
                                      "nvvm-intr-range"}) {
    EXPECT_NE(FindPass(name), nullptr) << name;
  }
}

TEST(StandardPipelineTest, KeepsEveryOrder) {
  EXPECT_EQ(FindBrokenOrder(StandardPipeline()), "");
  for (const PassOrder& order : PassOrders()) {
    EXPECT_NE(FindPass(order.before), nullptr) << order.before;
    EXPECT_NE(FindPass(order.after), nullptr) << order.after;
    EXPECT_FALSE(order.because.empty()) << order.before;
  }
}

TEST(StandardPipelineTest, EveryOrderIsChecked) {
  for (const PassOrder& order : PassOrders()) {
    const Pipeline reversed = {{.pass = FindPass(order.after)}, {.pass = FindPass(order.before)}};
    EXPECT_EQ(FindBrokenOrder(reversed).find("pass '"), 0u) << order.before << " before " << order.after;
    const Pipeline right = {reversed[1], reversed[0]};
    EXPECT_EQ(FindBrokenOrder(right), "");
  }
}

TEST(StandardPipelineTest, BannersAreThoseOfTheReference) {
  std::vector<std::string_view> banners;
  for (const PipelineStep& step : StandardPipeline()) {
    if (step.action == PipelineStep::Action::kBanner) banners.push_back(step.banner);
  }
  EXPECT_EQ(banners, (std::vector<std::string_view>{
                         "After Pre-RegAlloc TailDuplicate", "After codegen DCE pass", "After ILP optimizations",
                         "After Machine LICM, CSE and Sinking passes", "After codegen peephole optimization pass",
                         "After Machine Scheduling", "After StackSlotColoring"}));
}

TEST(StandardPipelineTest, TheListNamesEveryAnalysisAndEveryPassAsOftenAsItRuns) {
  const std::string text = PassListText();
  for (const PassInfo& pass : PassTable()) {
    const auto has_pass = [&](const PipelineStep& step) { return step.pass == &pass; };
    const auto instances = std::count_if(StandardPipeline().begin(), StandardPipeline().end(), has_pass) +
                           std::count_if(StandardIrPipeline().begin(), StandardIrPipeline().end(), has_pass);
    const std::string name = " " + std::string(pass.name) + "  ";
    std::ptrdiff_t named = 0;
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) ++named;
    if (text.find(" " + std::string(pass.name) + " ") != std::string::npos) named = std::max<std::ptrdiff_t>(named, 1);
    EXPECT_EQ(named, std::max<std::ptrdiff_t>(instances, 1)) << pass.name;
  }
  for (const AnalysisInfo& analysis : AnalysisTable()) {
    EXPECT_NE(text.find(" " + std::string(analysis.name) + " "), std::string::npos) << analysis.name;
  }
}

TEST(PipelineTest, OptimizationLevelZeroRunsWhatLoweringNeeds) {
  EXPECT_EQ(Names(AtLevel(0)),
            (std::vector<std::string>{"finalize-isel", "nvptx-assign-valid-global-names", "generic-to-nvvm",
                                      "nvptx-forward-params", "nvptx-proxyreg-erasure", "phi-node-elimination",
                                      "twoaddressinstruction", "regallocfast", "nvptx-prolog-epilog",
                                      "removeredundantdebugvalues", "postrapseudos", "nvptx-replace-image-handles",
                                      "stack-frame-layout"}));
}

TEST(PipelineTest, StartAndStopCutThePipeline) {
  PipelineOptions options = AtLevel(0);
  options.start_after = PassPosition{"machine-cse"};
  options.stop_before = PassPosition{"phi-node-elimination"};
  EXPECT_EQ(Names(options), (std::vector<std::string>{"nvptx-forward-params", "nvptx-proxyreg-erasure"}));
  EXPECT_TRUE(options.stops_early());
}

TEST(PipelineTest, StartAfterTheLastPassRunsNothing) {
  PipelineOptions options;
  options.start_after = PassPosition{"stack-frame-layout"};
  EXPECT_TRUE(Names(options).empty());
  EXPECT_FALSE(options.stops_early());
}

TEST(PipelineTest, RunPassKeepsTheGivenOrder) {
  PipelineOptions options;
  options.run_passes = "postrapseudos,phi-node-elimination";
  EXPECT_EQ(Names(options), (std::vector<std::string>{"postrapseudos", "phi-node-elimination"}));
}

TEST(PipelineTest, NamesOfTheReferenceStandForThoseOfLlc) {
  PipelineOptions options;
  options.run_passes =
      "machine-pipeliner,process-imp-defs,two-address-instruction,post-ra-pseudos,nvptx-proxy-reg-erasure";
  EXPECT_EQ(Names(options), (std::vector<std::string>{"pipeliner", "processimpdefs", "twoaddressinstruction",
                                                      "postrapseudos", "nvptx-proxyreg-erasure"}));
}

TEST(PipelineTest, ErrorsNameWhatIsWrong) {
  PipelineOptions options;
  options.run_passes = "phi-node-elimnation";
  EXPECT_EQ(Error(options),
            "-run-pass:1:1: error: unknown pass 'phi-node-elimnation'; did you mean 'phi-node-elimination'?\n"
            "phi-node-elimnation\n"
            "^\n");
  options.passes = "verify";
  EXPECT_EQ(Error(options), "error: -passes and -run-pass specified together\n");
  options.run_passes.reset();
  options.start_before = PassPosition{"postrapseudos"};
  EXPECT_EQ(Error(options), "error: -passes cannot be used with -start-* or -stop-*\n");
  options.passes.reset();
  options.stop_after = PassPosition{"finalize-isel"};
  EXPECT_EQ(Error(options), "error: the pass to stop at comes before the pass to start at\n");
  options.stop_after = PassPosition{"postrapseudos", 2};
  EXPECT_EQ(Error(options), "error: pass 'postrapseudos' runs once; there is no instance 2\n");
  options.stop_after = PassPosition{"reg-usage-propagation"};
  EXPECT_EQ(Error(options), "error: pass 'reg-usage-propagation' has no place in the pipeline\n");
  options.stop_after = PassPosition{"alloca-hoisting"};
  EXPECT_EQ(Error(options), "error: the pass to stop at comes before the pass to start at\n");
}

TEST(PipelineTest, O1LeavesOutWhatTakesLong) {
  const std::vector<std::string> quick = Names(AtLevel(1)), thorough = Names(AtLevel(2));
  std::vector<std::string> left_out;
  for (const std::string& name : thorough) {
    if (std::find(quick.begin(), quick.end(), name) == quick.end()) left_out.push_back(name);
  }
  EXPECT_EQ(left_out, (std::vector<std::string>{"machine-sink", "induction-merge", "pressure-sink", "pipeliner",
                                                "nvptx-remat-block", "postra-machine-sink"}));
}

TEST(PipelineTest, PositionsCutThePipelineOnIr) {
  const auto names = [](const PipelineOptions& options) {
    DiagnosticEngine diagnostics;
    const auto pipeline = BuildIrPipeline(options, diagnostics);
    return pipeline.has_value() ? PassNames(*pipeline) : std::vector<std::string>{diagnostics.ToString()};
  };
  PipelineOptions options;
  const std::vector<std::string> all = names(options);
  options.stop_after = PassPosition{"nvvm-reflect"};
  std::vector<std::string> cut = names(options);
  EXPECT_EQ(cut.back(), "nvvm-reflect");
  EXPECT_EQ(cut, std::vector<std::string>(all.begin(), all.begin() + static_cast<ptrdiff_t>(cut.size())));
  EXPECT_TRUE(StopsOnIr(options));
  EXPECT_TRUE(BuildPipeline(options, *std::make_unique<DiagnosticEngine>())->empty());

  options.stop_after.reset();
  options.start_after = PassPosition{"codegenprepare"};
  EXPECT_EQ(names(options), std::vector<std::string>{"alloca-hoisting"});
  options.start_after = PassPosition{"alloca-hoisting"};
  EXPECT_EQ(names(options), std::vector<std::string>{});
  EXPECT_FALSE(StopsOnIr(options));
  EXPECT_EQ(FindIrPosition(options)->name, "alloca-hoisting");

  // A position on machine code leaves all passes on IR.
  options.start_after = PassPosition{"infer-address-spaces"};
  EXPECT_EQ(names(options), all);
  EXPECT_EQ(FindIrPosition(options), nullptr);
  options.stop_before = PassPosition{"early-cse", 2};
  EXPECT_EQ(names(options).front(), "error: the pass to stop at comes before the pass to start at\n");
}

TEST(PipelineParserTest, TakesPassesPrintersAndAdaptors) {
  EXPECT_EQ(Parsed("finalize-isel, verify ,print,function(phi-node-elimination,machine-function(postrapseudos))"),
            (std::vector<std::string>{"finalize-isel", "verify", "print", "phi-node-elimination", "postrapseudos"}));
  EXPECT_EQ(Parsed("invalidate<all>"), (std::vector<std::string>{"invalidate<all>"}));
  EXPECT_EQ(Parsed("default<O0>,verify").back(), "verify");
}

TEST(PipelineParserTest, TheTextOfAPipelineIsReadBack) {
  for (int level = 0; level <= 3; ++level) {
    const Pipeline pipeline = BuildStandardPipeline(level);
    EXPECT_EQ(Parsed(PipelineText(pipeline)), PassNames(pipeline));
  }
}

TEST(PipelineParserTest, CountsInstances) {
  DiagnosticEngine diagnostics;
  const auto pipeline = ParsePipeline("finalize-isel,verify,finalize-isel", "-passes", diagnostics);
  ASSERT_TRUE(pipeline.has_value());
  EXPECT_EQ((*pipeline)[0].instance, 1u);
  EXPECT_EQ((*pipeline)[2].instance, 2u);
}

TEST(PipelineParserTest, ErrorsPointAtThePlace) {
  EXPECT_EQ(ParseError("verify,alloca-hoisting"),
            "-passes:1:8: error: pass 'alloca-hoisting' works on LLVM IR (-x ir), not on machine code\n"
            "verify,alloca-hoisting\n"
            "       ^\n");
  EXPECT_EQ(ParseError("loop(finalize-isel)"),
            "-passes:1:6: error: pass 'finalize-isel' works on functions: it cannot stand in loop(...)\n"
            "loop(finalize-isel)\n"
            "     ^\n");
  EXPECT_EQ(ParseError("function(verify"),
            "-passes:1:16: error: expected ')'\n"
            "function(verify\n"
            "               ^\n");
  EXPECT_EQ(ParseError("verify)"), "-passes:1:7: error: ')' without '('\nverify)\n      ^\n");
  EXPECT_EQ(ParseError(""), "-passes:1:1: error: expected the name of a pass\n\n^\n");
  EXPECT_EQ(ParseError("verify,,verify"),
            "-passes:1:8: error: expected the name of a pass\nverify,,verify\n       ^\n");
  EXPECT_EQ(ParseError("print<machine-domtree>"),
            "-passes:1:7: error: unknown analysis 'machine-domtree'; did you mean 'machine-dom-tree'?\n"
            "print<machine-domtree>\n"
            "      ^\n");
  EXPECT_EQ(ParseError("live-intervals"),
            "-passes:1:1: error: 'live-intervals' is an analysis: expected print<live-intervals> or "
            "require<live-intervals>\n"
            "live-intervals\n"
            "^\n");
  EXPECT_EQ(ParseError("default<O4>"),
            "-passes:1:9: error: expected a level: O0, O1, O2 or O3\ndefault<O4>\n        ^\n");
}

TEST(PipelineParserTest, DeepNestingIsAnErrorAndNoCrash) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "function(";
  EXPECT_NE(ParseError(text).find("more than 64 levels of parentheses"), std::string::npos);
}

TEST(PassPositionTest, ParsesNameAndInstance) {
  const auto position = PassPosition::Parse("machine-cse,2");
  ASSERT_TRUE(position.ok());
  EXPECT_EQ(position->name, "machine-cse");
  EXPECT_EQ(position->instance, 2u);
  EXPECT_FALSE(PassPosition::Parse("machine-cse,x").ok());
  EXPECT_FALSE(PassPosition::Parse("machine-cse,0").ok());
}

}  // namespace
}  // namespace ptxmir
