// SPDX-License-Identifier: Apache-2.0

// The remarks and time events that the runner collects around passes.

#include <string>
#include <vector>

#include "base/str_cat.h"
#include "base/time_trace.h"
#include "gtest/gtest.h"
#include "mir/text/mir_reader.h"
#include "options/knobs.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Returns a function with a loop with one PHI, whose result is not read after the loop.
std::string Function(std::string_view name) {
  return StrCat("---\nname: ", name, R"(
tracksRegLiveness: true
stack:
  - { id: 0, size: 24, alignment: 8 }
body: |
  bb.0:
    successors: %bb.1
    %0:b32 = MOV_B32_i 0
  bb.1:
    successors: %bb.1, %bb.2
    %1:b32 = PHI %0, %bb.0, %2, %bb.1
    %2:b32 = ADD32ri %1, 1
    %3:b1 = SETP_i32ri %2, 10, 1
    CBranch %3, %bb.1
  bb.2:
    Return
...
)");
}

class PipelineRemarksTest : public ::testing::Test {
 protected:
  // Runs the passes over functions f and g. Returns the remarks, one per line.
  std::string Run(std::string_view passes) {
    const RemarkFilter filter(options_);
    RunOptions run_options;
    run_options.remark_filter = &filter;
    run_options.inputs.time_trace = time_trace_;
    // One copy on each path into the loop.
    Knobs knobs;
    EXPECT_TRUE(knobs.Set("usedessa", "1").ok());
    run_options.inputs.knobs = &knobs;
    DiagnosticEngine diagnostics;
    const auto buffer = std::make_shared<const SourceBuffer>("t.mir", Function("f") + Function("g"));
    const std::unique_ptr<Module> module = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
    const auto pipeline = ParsePipeline(passes, "-passes", diagnostics);
    EXPECT_TRUE(module != nullptr && pipeline.has_value()) << diagnostics.ToString();
    RunReport report;
    EXPECT_TRUE(RunPipeline(*module, *pipeline, run_options, diagnostics, report)) << diagnostics.ToString();
    std::string lines;
    for (const Remark& remark : report.remarks) {
      StrAppend(&lines, remark.function, " ", RemarkKindName(remark.kind), " ", remark.pass, " ", remark.name, ": ",
                remark.Message(), "\n");
    }
    return lines;
  }

  RemarkOptions options_;
  TimeTrace* time_trace_ = nullptr;
};

TEST_F(PipelineRemarksTest, NobodyListensToNothing) { EXPECT_EQ(Run("phi-node-elimination"), ""); }

TEST_F(PipelineRemarksTest, AreInTheOrderOfFunctionsAndPasses) {
  options_.output = "r.yaml";
  EXPECT_EQ(Run("phi-node-elimination,nvptx-prolog-epilog,stack-frame-layout"),
            "f Analysis phi-node-elimination CopiesInserted: 1 PHIs became 2 copies; 0 PHIs needed a staging register, "
            "0 cycles of copies a temporary one\n"
            "f Analysis nvptx-prolog-epilog StackSize: 24 stack bytes in function 'f'\n"
            "f Analysis stack-frame-layout StackLayout: \nFunction: f\nOffset: [SP+0], Type: Variable, Align: 8, Size: "
            "24\n"
            "g Analysis phi-node-elimination CopiesInserted: 1 PHIs became 2 copies; 0 PHIs needed a staging register, "
            "0 cycles of copies a temporary one\n"
            "g Analysis nvptx-prolog-epilog StackSize: 24 stack bytes in function 'g'\n"
            "g Analysis stack-frame-layout StackLayout: \nFunction: g\nOffset: [SP+0], Type: Variable, Align: 8, Size: "
            "24\n");
}

TEST_F(PipelineRemarksTest, SizesAreToldToWhoAsks) {
  options_.analysis = "size-info";
  EXPECT_EQ(Run("phi-node-elimination,nvptx-proxyreg-erasure"),
            "f Analysis size-info FunctionMISizeChange: Eliminate PHI nodes for register allocation: Function: f: MI "
            "Instruction count changed from 6 to 7; Delta: 1\n"
            "g Analysis size-info FunctionMISizeChange: Eliminate PHI nodes for register allocation: Function: g: MI "
            "Instruction count changed from 6 to 7; Delta: 1\n");
}

TEST_F(PipelineRemarksTest, PassesAndAnalysesAreTraced) {
  TimeTrace::Nanoseconds now = 0;
  TimeTrace trace(std::chrono::microseconds(0), [&] { return now += 1000; });
  time_trace_ = &trace;
  Run("phi-node-elimination,require<machine-dom-tree>,verify");
  const std::string json = trace.ToJson("test");
  for (const std::string_view name :
       {"CompileFunction", "phi-node-elimination", "require<machine-dom-tree>", "machine-dom-tree", "Verify"}) {
    for (const std::string_view function : {"f", "g"}) {
      const std::string event = StrCat("\"name\":\"", name, "\",\"args\":{\"detail\":\"", function, "\"}");
      EXPECT_NE(json.find(event), std::string::npos) << event << " is not in\n" << json;
    }
    EXPECT_NE(json.find(StrCat("\"Total ", name, "\"")), std::string::npos) << json;
  }
}

}  // namespace
}  // namespace ptxmir
