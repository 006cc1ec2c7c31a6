// SPDX-License-Identifier: Apache-2.0

// The command line of ptxmir-run, and the spelling of kernel arguments in it.

#include "tools/run/kernel_run_options.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

KernelArgumentSpec Parse(std::string_view text) {
  const absl::StatusOr<KernelArgumentSpec> spec = ParseKernelArgument(text);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : KernelArgumentSpec{};
}

template <typename T>
std::vector<T> Elements(const KernelArgumentSpec& spec) {
  std::vector<T> elements(spec.bytes.size() / sizeof(T));
  std::memcpy(elements.data(), spec.bytes.data(), elements.size() * sizeof(T));
  return elements;
}

TEST(KernelArgumentTest, ValuesHaveTheSizeOfTheirType) {
  EXPECT_EQ(Elements<int32_t>(Parse("i32:-5")), (std::vector<int32_t>{-5}));
  EXPECT_EQ(Elements<uint64_t>(Parse("u64:0x10")), (std::vector<uint64_t>{16}));
  EXPECT_EQ(Elements<float>(Parse("f32:1.5")), (std::vector<float>{1.5f}));
  EXPECT_EQ(Elements<double>(Parse("f64:-2")), (std::vector<double>{-2}));
  EXPECT_EQ(Elements<uint16_t>(Parse("f16:1")), (std::vector<uint16_t>{0x3c00}));
  EXPECT_EQ(Parse("hex:00ff").bytes, (std::vector<uint8_t>{0, 255}));
}

TEST(KernelArgumentTest, BuffersAreFilled) {
  const KernelArgumentSpec iota = Parse("buffer:i16:4:iota");
  EXPECT_TRUE(iota.is_buffer);
  EXPECT_EQ(iota.buffer_bytes, 8u);
  EXPECT_EQ(Elements<int16_t>(iota), (std::vector<int16_t>{0, 1, 2, 3}));
  EXPECT_EQ(Elements<float>(Parse("buffer:f32:2:fill:0.25")), (std::vector<float>{0.25f, 0.25f}));
  EXPECT_TRUE(Parse("buffer:u8:100:undef").is_undefined);
  EXPECT_EQ(Parse("buffer:u8:100:zero").buffer_bytes, 100u);
  const std::vector<int32_t> bounded = Elements<int32_t>(Parse("buffer:i32:1000:random:7:-3:3"));
  EXPECT_EQ(*std::min_element(bounded.begin(), bounded.end()), -3);
  EXPECT_EQ(*std::max_element(bounded.begin(), bounded.end()), 3);
  EXPECT_EQ(Parse("buffer:u32:50:random:1").bytes, Parse("buffer:u32:50:random:1").bytes);
  EXPECT_NE(Parse("buffer:u32:50:random:1").bytes, Parse("buffer:u32:50:random:2").bytes);
}

TEST(KernelArgumentTest, WhatIsWrongIsNamed) {
  for (const char* text : {"",
                           "i32",
                           "i32:x",
                           "i8:300",
                           "i32:1:2",
                           "f8:1",
                           "buffer:i32:4",
                           "buffer:i32:x:zero",
                           "buffer:i32:4:nothing",
                           "buffer:i32:4:random",
                           "buffer:i32:4:random:1:5",
                           "buffer:i32:4:random:1:5:2",
                           "buffer:i32:4:fill:x",
                           "buffer:u8:99999999999:zero",
                           "buffer:u8:4:file:/no/such/file",
                           "hex:0g",
                           "hex:123",
                           "surface:f32:4",
                           "surface:f32x3:4:zero",
                           "surface:f64:4:zero",
                           "surface:f32:4x0:zero",
                           "surface:f32:1x1x1x1:zero",
                           "surface:f32:4:undef"}) {
    const absl::StatusOr<KernelArgumentSpec> spec = ParseKernelArgument(text);
    EXPECT_FALSE(spec.ok()) << text;
    if (!spec.ok()) {
      EXPECT_NE(std::string(spec.status().message()).find(std::string("'") + text + "'"), std::string::npos)
          << spec.status();
    }
  }
}

TEST(KernelArgumentTest, SurfacesHaveExtentAndComponents) {
  const KernelArgumentSpec surface = Parse("surface:f32x4:16x8x2:iota");
  EXPECT_TRUE(surface.is_surface);
  EXPECT_FALSE(surface.is_buffer);
  EXPECT_EQ(surface.extent, (std::array<uint32_t, 3>{16, 8, 2}));
  EXPECT_EQ(surface.components, 4u);
  EXPECT_EQ(surface.buffer_bytes, 16u * 8 * 2 * 4 * 4);
  EXPECT_EQ(Elements<float>(surface).back(), 1023.0f);
  const KernelArgumentSpec line = Parse("surface:u8:100:zero");
  EXPECT_EQ(line.extent, (std::array<uint32_t, 3>{100, 1, 1}));
  EXPECT_EQ(line.components, 1u);
}

TEST(KernelArgumentTest, ElementsPrintSoThatTheyCanBeReadBack) {
  const auto text = [](const char* spec) {
    const KernelArgumentSpec parsed = Parse(spec);
    return FormatElement(parsed.type, parsed.bytes.data());
  };
  EXPECT_EQ(text("i8:-7"), "-7");
  EXPECT_EQ(text("u32:4000000000"), "4000000000");
  EXPECT_EQ(text("f32:0.1"), "0.100000001");
  EXPECT_EQ(text("f64:0.5"), "0.5");
}

TEST(RunOptionsTest, TakesDimensionsAndArgumentsInOrder) {
  KernelRunOptions options;
  const std::vector<std::string_view> line = {"k.mir",       "--kernel=saxpy", "--grid=4,2", "-block", "64",
                                              "--arg=i32:1", "--arg=i32:2",    "--counts",   "--show", "values"};
  ASSERT_TRUE(ParseRunCommandLine(RunTool::kInterpreter, line, options).ok());
  EXPECT_EQ(options.input, "k.mir");
  EXPECT_EQ(options.launch.kernel, "saxpy");
  EXPECT_EQ(options.launch.grid.x, 4u);
  EXPECT_EQ(options.launch.grid.y, 2u);
  EXPECT_EQ(options.launch.block.x, 64u);
  ASSERT_EQ(options.arguments.size(), 2u);
  EXPECT_EQ(options.arguments[1].bytes[0], 2);
  EXPECT_TRUE(options.show_counts);
  EXPECT_EQ(options.show, KernelRunOptions::Show::kValues);
}

TEST(RunOptionsTest, VariablesHaveNameAndValue) {
  KernelRunOptions options;
  ASSERT_TRUE(ParseRunCommandLine(RunTool::kInterpreter, {"--variable=plane=surface:u32:4x2:iota"}, options).ok());
  ASSERT_EQ(options.variables.size(), 1u);
  EXPECT_EQ(options.variables[0].first, "plane");
  EXPECT_TRUE(options.variables[0].second.is_surface);
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--variable=plane"}, options).ok());
}

TEST(RunOptionsTest, UnknownOptionsNameTheNearest) {
  KernelRunOptions options;
  const absl::Status status = ParseRunCommandLine(RunTool::kInterpreter, {"--gird=4"}, options);
  EXPECT_NE(std::string(status.message()).find("did you mean 'grid'"), std::string::npos) << status;
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--grid"}, options).ok());
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--grid=x"}, options).ok());
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--grid=1,2,3,4"}, options).ok());
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--counts=1"}, options).ok());
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--show=some"}, options).ok());
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"a.mir", "b.mir"}, options).ok());
}

TEST(RunOptionsTest, OptionsOfTheOtherToolAreRejected) {
  KernelRunOptions options;
  ASSERT_TRUE(ParseRunCommandLine(RunTool::kGpu, {"--copies=4", "--time=9", "--fill=200"}, options).ok());
  EXPECT_EQ(options.copies, 4u);
  EXPECT_EQ(options.num_timed, 9u);
  EXPECT_EQ(options.fill_time, 200u);
  EXPECT_EQ(ParseRunCommandLine(RunTool::kGpu, {"--generate=1"}, options).message(),
            "--generate is for ptxmir-run alone");
  EXPECT_EQ(ParseRunCommandLine(RunTool::kInterpreter, {"--time=9"}, options).message(),
            "--time is for ptxmir-gpu-run alone");
  EXPECT_NE(RunHelpText(RunTool::kGpu).find("--time=n"), std::string::npos);
  EXPECT_EQ(RunHelpText(RunTool::kInterpreter).find("--time=n"), std::string::npos);
}

TEST(RunOptionsTest, OrdersOfThreads) {
  KernelRunOptions options;
  ASSERT_TRUE(ParseRunCommandLine(RunTool::kInterpreter, {"--order=reverse"}, options).ok());
  EXPECT_TRUE(options.launch.order.reverse);
  ASSERT_TRUE(ParseRunCommandLine(RunTool::kInterpreter, {"--order=interleaved"}, options).ok());
  EXPECT_TRUE(options.launch.order.interleave);
  EXPECT_FALSE(options.launch.order.reverse);
  EXPECT_FALSE(ParseRunCommandLine(RunTool::kInterpreter, {"--order=some"}, options).ok());
}

}  // namespace
}  // namespace ptxmir
