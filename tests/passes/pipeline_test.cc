#include "passes/pipeline.h"

#include <set>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

std::vector<std::string> Names(const PipelineOptions& options) {
  const auto passes = BuildPipeline(options);
  EXPECT_TRUE(passes.ok()) << passes.status();
  std::vector<std::string> names;
  if (passes.ok()) {
    for (const PassInfo* pass : *passes) names.emplace_back(pass->name);
  }
  return names;
}

PipelineOptions AtLevel(int opt_level) {
  PipelineOptions options;
  options.opt_level = opt_level;
  return options;
}

std::string Error(const PipelineOptions& options) {
  return std::string(BuildPipeline(options).status().message());
}

TEST(PassTableTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const PassInfo& pass : PassTable()) EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
}

TEST(PipelineTest, OptimizationLevelZeroRunsWhatLoweringNeeds) {
  EXPECT_EQ(Names(AtLevel(0)),
            (std::vector<std::string>{"finalize-isel", "nvptx-forward-params", "nvptx-proxyreg-erasure",
                                      "phi-node-elimination", "twoaddressinstruction",
                                      "nvptx-prolog-epilog", "postrapseudos", "stack-frame-layout"}));
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
  options.run_passes = {"postrapseudos", "phi-node-elimination"};
  EXPECT_EQ(Names(options), options.run_passes);
}

TEST(PipelineTest, ErrorsNameWhatIsWrong) {
  PipelineOptions options;
  options.run_passes = {"phi-node-elimnation"};
  EXPECT_EQ(Error(options), "unknown pass 'phi-node-elimnation'; did you mean 'phi-node-elimination'?");
  options.run_passes = {"machine-cse"};
  EXPECT_EQ(Error(options), "pass 'machine-cse' is not implemented");
  options.run_passes.clear();
  options.start_before = PassPosition{"postrapseudos"};
  options.stop_after = PassPosition{"finalize-isel"};
  EXPECT_EQ(Error(options), "the pass to stop at comes before the pass to start at");
  options.stop_after = PassPosition{"postrapseudos", 2};
  EXPECT_EQ(Error(options), "pass 'postrapseudos' runs once; there is no instance 2");
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
