// SPDX-License-Identifier: Apache-2.0

// ptxmir-run --generate and --save: the generated arguments, and that a saved run gives the same results again.

#include "tools/run/saved_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "tools/run/contents_text.h"
#include "tools/run/kernel_run.h"

namespace ptxmir {
namespace {

// @Add adds %n to the words of %out that belong to threads. No arguments can be generated for @Within, whose parameter
// %where is a structure that contains a pointer.
constexpr std::string_view kText = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  %struct.where = type { ptr, i32 }
  define ptx_kernel void @Add(ptr %out, i32 %n) { ret void }
  define ptx_kernel void @Within(ptr byval(%struct.where) align 8 %where) { ret void }
...
---
name: Add
tracksRegLiveness: true
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &Add_param_0, 0
    %1:b32 = LD_i32 0, 0, 101, 1, 32, -1, &Add_param_1, 0
    %2:b32 = INT_PTX_SREG_TID_x
    %3:b64 = MUL_WIDEu32_ri %2, 4
    %4:b64 = ADD64rr %0, %3
    %5:b32 = INT_PTX_SREG_CTAID_x
    %6:b64 = MUL_WIDEu32_ri %5, 4096
    %7:b64 = ADD64rr %4, %6
    %8:b32 = LD_i32 0, 0, 1, 1, 32, -1, %7, 0
    %9:b32 = ADD32rr %8, %1
    ST_i32 %9, 0, 0, 1, 32, %7, 0
    Return
...
---
name: Within
tracksRegLiveness: true
body: |
  bb.0:
    Return
...
)";

class SavedRunTest : public ::testing::Test {
 protected:
  SavedRunTest() : folder_(std::string(std::getenv("TEST_TMPDIR")) + "/saved") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ + "/k.mir") << kText;
  }

  // Returns the contents after the run as ptxmir-run prints them, or the error.
  std::string Run(const std::vector<std::string>& arguments, bool is_saved = false) {
    std::vector<std::string_view> views(arguments.begin(), arguments.end());
    const std::string path = folder_ + "/k.mir";
    views.push_back(path);
    KernelRunOptions options;
    if (const absl::Status status = ParseRunCommandLine(RunTool::kInterpreter, views, options); !status.ok()) {
      return std::string(status.message());
    }
    DiagnosticEngine diagnostics;
    const absl::StatusOr<std::unique_ptr<KernelRun>> run = KernelRun::Prepare(options, diagnostics);
    if (!run.ok()) return std::string(run.status().message());
    options.save_folder = folder_;
    if (is_saved) {
      if (const absl::Status status = SaveInput(folder_, options); !status.ok()) return std::string(status.message());
    }
    EXPECT_TRUE((*run)->Launch().ok());
    if (is_saved) {
      EXPECT_TRUE(SaveContents(options, **run).ok());
    }
    return ContentsText(options, **run);
  }

  std::string Contents(std::string_view name) const {
    std::ifstream file(folder_ + "/" + std::string(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::vector<std::string> SavedOptions() const {
    std::vector<std::string> lines;
    std::ifstream file(folder_ + "/options");
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  const std::string folder_;
};

TEST_F(SavedRunTest, WhatIsMadeUpFollowsFromTheNumber) {
  const std::string first = Run({"--kernel=Add", "--generate=1"});
  EXPECT_EQ(first.substr(0, 12), "argument 0: ");
  EXPECT_EQ(Run({"--kernel=Add", "--generate=1"}), first);
  EXPECT_NE(Run({"--kernel=Add", "--generate=2"}), first);
}

TEST_F(SavedRunTest, SavedOptionsRunTheSame) {
  const std::string made_up = Run({"--kernel=Add", "--generate=1"}, /*is_saved=*/true);
  EXPECT_EQ(Run(SavedOptions()), made_up);
  EXPECT_EQ(Contents("argument_0.before").size(), Contents("argument_0.after").size());
  EXPECT_NE(Contents("argument_0.before"), Contents("argument_0.after"));
  EXPECT_EQ(Contents("argument_0.undefined"), "");
}

TEST_F(SavedRunTest, BuffersThatNobodyHasWrittenStaySo) {
  const std::string result =
      Run({"--kernel=Add", "--block=2", "--arg=buffer:i16:6:undef", "--arg=i32:7"}, /*is_saved=*/true);
  EXPECT_EQ(SavedOptions(),
            (std::vector<std::string>{"--kernel=Add", "--grid=1,1,1", "--block=2,1,1", "--cluster=1,1,1", "--shared=0",
                                      "--arg=buffer:i16:6:undef", "--arg=hex:07000000"}));
  EXPECT_EQ(Run(SavedOptions()), result);
  EXPECT_EQ(Contents("argument_0.undefined"), std::string(12, '\xff'));
}

TEST_F(SavedRunTest, WhatCannotBeMadeUpOrSavedIsAnError) {
  EXPECT_EQ(Run({"--kernel=Within", "--generate=0"}),
            "--generate is not for kernels that take pointers within structures");
  EXPECT_EQ(Run({"--kernel=Add", "--generate=0", "--arg=i32:1"}),
            "--generate chooses the launch and its arguments, which other options give");
  EXPECT_EQ(Run({"--kernel=Add", "--arg=surface:u32:4:zero", "--arg=i32:1"}, /*is_saved=*/true),
            "--save is not for runs with surfaces");
  EXPECT_EQ(SaveArgument(folder_ + "/nowhere", 0, "after", {}).message(),
            "could not write '" + folder_ + "/nowhere/argument_0.after'");
}

}  // namespace
}  // namespace ptxmir
