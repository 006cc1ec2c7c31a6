// SPDX-License-Identifier: Apache-2.0

#include "tools/autotune.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tools/driver.h"

namespace ptxmir {
namespace {

namespace fs = std::filesystem;

// Returns a kernel whose four loads all come first, so that -nvptx-sched4reg changes it.
std::string KernelIr(std::string_view name) {
  if (name.starts_with("device")) return StrCat("  define void @", name, "(ptr %p, ptr %q) { ret void }\n");
  return StrCat("  define ptx_kernel void @", name, "(ptr %p, ptr %q) \"nvvm.maxntid\"=\"1024\" { ret void }\n");
}
std::string KernelBody(std::string_view name) {
  if (name.starts_with("device")) {
    return StrCat("---\nname: ", name, "\ntracksRegLiveness: true\nisSSA: true\nbody: |\n  bb.0:\n    Return\n...\n");
  }
  std::string out = StrCat("---\nname: ", name, "\ntracksRegLiveness: true\nisSSA: true\nbody: |\n  bb.0:\n");
  for (const int i : {0, 1}) {
    StrAppend(&out, "    %", i, ":b64 = LD_i64 0, 0, 101, 3, 64, -1, &", name, "_param_", i,
              ", 0 :: (dereferenceable invariant load (s64), addrspace 101)\n");
  }
  for (int i = 0; i < 4; ++i) {
    StrAppend(&out, "    %", i + 2, ":b32 = LD_i32 0, 0, 1, 3, 32, -1, %0, ", 4 * i,
              " :: (invariant load (s32), addrspace 1)\n");
  }
  for (int i = 0; i < 4; ++i) {
    StrAppend(&out, "    ST_i32 %", i + 2, ", 0, 0, 1, 32, %1, ", 4 * i, " :: (store (s32), addrspace 1)\n");
  }
  return out + "    Return\n...\n";
}

// A shell script as ptxas. It reports ten registers for each load in the longest sequence of loads. A kernel whose
// name begins with "b" gets ten fewer for each load. One with "s" gets ten if it spills and forty otherwise. Kernel
// "c" gets 255 registers if other kernels have different sequences.
constexpr char kProgram[] = R"(#!/bin/sh
if [ "$1" = --version ]; then echo fake; exit 0; fi
for word in "$@"; do [ -f "$word" ] && [ "$word" != /dev/null ] && file=$word; done
grep -q refuse "$file" && { echo 'line 7: refused'; exit 255; }
awk '
  /\.entry/ { match($0, /entry [a-z]+/); name = substr($0, RSTART + 6, RLENGTH - 6); names[++n] = name; row = 0 }
  /st\.local/ { spills[name] = 1 }
  /ld\.global/ { if (++row > most[name]) most[name] = row; next }
  { row = 0 }
  END {
    for (i = 1; i <= n; ++i) {
      name = names[i]
      registers = name ~ /^b/ ? 60 - 10 * most[name] : 10 * most[name]
      if (name ~ /^s/) registers = spills[name] ? 10 : 40
      if (name == "c" && n > 1 && most[names[1]] != most["c"]) registers = 255
      print "ptxas info : Compiling entry function \x27" name "\x27 for \x27sm_80\x27"
      print "ptxas info : Function properties for " name
      print "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
      print "ptxas info : Used " registers " registers"
    }
  }' "$file"
)";

class AutotuneTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = StrCat(testing::TempDir(), "/autotune_", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(StrCat(folder_, "/ptxas")) << kProgram;
    fs::permissions(StrCat(folder_, "/ptxas"), fs::perms::owner_all);
    path_ = std::getenv("PATH");
    setenv("PATH", StrCat(folder_, ":", path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  // Compiles the kernels with the arguments. Returns the PTX; messages go to stderr_.
  std::string Compile(const std::vector<std::string>& kernels, std::vector<std::string> arguments) {
    std::string mir = "--- |\n  target triple = \"nvptx64-nvidia-cuda\"\n";
    for (const std::string& kernel : kernels) mir += KernelIr(kernel);
    mir += "...\n";
    for (const std::string& kernel : kernels) mir += KernelBody(kernel);
    std::ofstream(StrCat(folder_, "/in.mir")) << mir;
    arguments.insert(arguments.end(),
                     {"-mcpu=sm_80", "-stats", StrCat(folder_, "/in.mir"), "-o", StrCat(folder_, "/out.ptx")});
    fs::remove(StrCat(folder_, "/out.ptx"));
    testing::internal::CaptureStderr();
    status_ = RunDriver(std::vector<std::string_view>(arguments.begin(), arguments.end()));
    stderr_ = testing::internal::GetCapturedStderr();
    std::ostringstream text;
    text << std::ifstream(StrCat(folder_, "/out.ptx")).rdbuf();
    return text.str();
  }
  std::string Tuned(const std::vector<std::string>& kernels) {
    return Compile(kernels, {"-autotune=ptxas", StrCat("-autotune-cache=", folder_, "/cache"),
                             "-autotune-set=ordered: -nvptx-sched4reg"});
  }
  bool Says(std::string_view text) const { return stderr_.find(text) != std::string::npos; }

  std::string folder_;
  std::string path_;
  int status_ = 0;
  std::string stderr_;
};

TEST_F(AutotuneTest, GivesEachKernelTheSetThatIsBestForIt) {
  const std::string ptx = Tuned({"a", "b"});
  EXPECT_EQ(status_, 0) << stderr_;
  // 1,024 threads with 10 registers: two CTAs, 64 warps. With 40 registers: one CTA.
  EXPECT_TRUE(Says("a: 'scheduled', 10 registers, 64 warps, 0 spill bytes; 'default': 40 registers, 32 warps"))
      << stderr_;
  EXPECT_TRUE(Says("b: 'default', 20 registers, 64 warps, 0 spill bytes; asked")) << stderr_;
  const std::string alone = Compile({"a"}, {"-nvptx-sched4reg"});
  const std::string plain = Compile({"b"}, {});
  const auto body = [](const std::string& text, const char* name) {
    const size_t begin = text.find(StrCat(".entry ", name));
    return text.substr(begin, text.find("ret;", begin) - begin);
  };
  EXPECT_EQ(body(ptx, "a"), body(alone, "a"));
  EXPECT_EQ(body(ptx, "b"), body(plain, "b"));
}

TEST_F(AutotuneTest, TellsTheBytesThatPassesSpill) {
  Compile({"s"}, {"-autotune=ptxas", StrCat("-autotune-cache=", folder_, "/cache"),
                  "-autotune-set=spilling: -ra-spill=always -ra-limit=6"});
  EXPECT_EQ(status_, 0) << stderr_;
  EXPECT_TRUE(Says("s: 'spilling', 10 registers, 64 warps, 16 spill bytes; 'default': 40 registers, 32 warps, 0 spill"))
      << stderr_;
}

TEST_F(AutotuneTest, DoesNothingWhereTheChoicesTogetherAreWorse) {
  // Only calls could make kernels depend on each other.
  Tuned({"b", "c"});
  EXPECT_TRUE(Says("b: 'default'")) << stderr_;
  EXPECT_TRUE(Says("c: 'scheduled'")) << stderr_;
  const std::string ptx = Tuned({"b", "c", "device"});
  EXPECT_EQ(status_, 0) << stderr_;
  // Each of them alone would improve, but then "c" would have 255 registers.
  EXPECT_TRUE(Says("b: 'nothing'")) << stderr_;
  EXPECT_TRUE(Says("c: 'nothing'")) << stderr_;
}

TEST_F(AutotuneTest, ChoosesNothingWherePtxasRefuses) {
  const std::string ptx = Tuned({"refuse"});
  EXPECT_EQ(status_, 0);
  EXPECT_TRUE(
      Says("warning: -autotune: nothing was chosen for 'refuse', since ptxas does not take it: line 7: refused"))
      << stderr_;
  EXPECT_EQ(ptx, Compile({"refuse"}, {}));
}

// One that fills a register file of 64 warps, one that many registers suit better, one of which all versions spill, and
// two that the sets make different versions of.
TEST_F(AutotuneTest, ChoosesWhatAskingAboutEverythingChooses) {
  const std::vector<std::string> kernels = {"a", "b", "c", "s", "d", "refuse"};
  for (const char* threads : {"-j1", "-j4"}) {
    const std::vector<std::string> arguments = {"-autotune=ptxas", threads,
                                                "-autotune-cache=", "-autotune-set=ordered: -nvptx-sched4reg",
                                                "-autotune-set=spilling: -ra-spill=always -ra-limit=6"};
    std::vector<std::string> exhaustive = arguments;
    exhaustive.push_back("-autotune-exhaustive");
    const std::string ptx = Compile(kernels, arguments);
    EXPECT_EQ(status_, 0) << stderr_;
    EXPECT_TRUE(Says("asked about 3 of 4")) << stderr_;
    EXPECT_EQ(ptx, Compile(kernels, exhaustive)) << threads;
    EXPECT_FALSE(Says("asked about 3 of 4")) << stderr_;
  }
}

TEST_F(AutotuneTest, NeedsPtx) {
  EXPECT_EQ(Compile({"a"}, {"-autotune=ptxas", "-stop-after=finalize-isel"}), "");
  EXPECT_EQ(status_, 1);
  EXPECT_TRUE(Says("-autotune needs PTX")) << stderr_;
}

TEST_F(AutotuneTest, RejectsSetsThatAreNone) {
  const auto error = [&](const char* set) {
    Compile({"a"}, {"-autotune=ptxas", StrCat("-autotune-set=", set)});
    EXPECT_EQ(status_, 1);
    return stderr_.substr(0, stderr_.find('\n'));
  };
  EXPECT_EQ(error("-nvptx-sched4reg"), "ptxmir: error: option set '-nvptx-sched4reg': expected 'name: -flag -flag'");
  EXPECT_EQ(error("x: -no-such-knob"), "ptxmir: error: option set 'x': '-no-such-knob' is not a knob");
  EXPECT_EQ(error("x: -j=4"), "ptxmir: error: option set 'x': '-j=4' is a knob of whole modules");
  EXPECT_NE(error("x: -usedessa=7").find("usedessa"), std::string::npos);
}

}  // namespace
}  // namespace ptxmir
