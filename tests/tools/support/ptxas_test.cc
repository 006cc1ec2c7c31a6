// SPDX-License-Identifier: Apache-2.0

#include "tools/support/ptxas.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

namespace fs = std::filesystem;

// The output of ptxas 13 for a kernel that spills, as two functions do that it calls, and one that does not.
constexpr char kOutput[] =
    "ptxas info    : 0 bytes gmem, 16 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function 'spilling' for 'sm_80'\n"
    "ptxas info    : Function properties for helper\n"
    "    96 bytes stack frame, 92 bytes spill stores, 120 bytes spill loads\n"
    "ptxas info    : Function properties for spilling\n"
    "    40 bytes stack frame, 36 bytes spill stores, 44 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 2 barriers, 40 bytes cumulative stack size, 1024 bytes smem, 380 bytes "
    "cmem[0]\n"
    "ptxas info    : Compile time = 5.133 ms\n"
    "ptxas info    : Function properties for after\n"
    "    8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Compiling entry function '_Z4easyPf' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z4easyPf\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]\n";

TEST(ParsePtxasOutputTest, ReadsTheFiguresOfEachKernelAndOfWhatItCalls) {
  const PtxasReport report = ParsePtxasOutput(kOutput);
  ASSERT_EQ(report.size(), 2u);
  const PtxasFigures spilling = {.registers = 32,
                                 .barriers = 2,
                                 .stack_bytes = 40,
                                 .spill_store_bytes = 36 + 92 + 4,
                                 .spill_load_bytes = 44 + 120 + 8,
                                 .shared_bytes = 1024};
  EXPECT_EQ(report.at("spilling"), spilling);
  EXPECT_EQ(report.at("spilling").spill_bytes(), 304u);
  const PtxasFigures easy = {.registers = 8,
                             .barriers = 0,
                             .stack_bytes = 0,
                             .spill_store_bytes = 0,
                             .spill_load_bytes = 0,
                             .shared_bytes = 0};
  EXPECT_EQ(report.at("_Z4easyPf"), easy);
}

TEST(ParsePtxasOutputTest, FindsNothingInOtherText) {
  EXPECT_TRUE(ParsePtxasOutput("").empty());
  EXPECT_TRUE(ParsePtxasOutput("Used 8 registers\n\nFunction properties for \nregisters").empty());
}

// A shell script as ptxas. It reports as many registers as the first line of the PTX asks for, and records each
// run.
class PtxasTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = StrCat(testing::TempDir(), "/ptxas_", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    WriteProgram("release 1");
  }

  void WriteProgram(const std::string& version) {
    std::ofstream program(path());
    program
        << "#!/bin/sh\n"
           "if [ \"$1\" = --version ]; then echo '"
        << version
        << "'; exit 0; fi\n"
           "echo \"$@\" >> "
        << folder_
        << "/runs\n"
           "for word in \"$@\"; do [ -f \"$word\" ] && [ \"$word\" != /dev/null ] && file=$word; done\n"
           "if grep -q extern \"$file\" && [ \"${*#* -c}\" = \"$*\" ]; then echo 'Unresolved extern'; exit 255; fi\n"
           "if grep -q bad \"$file\"; then echo 'line 1: bad'; exit 255; fi\n"
           "echo \"Compiling entry function 'k' for 'sm_80'\"\n"
           "echo \"Used $(head -1 \"$file\") registers\"\n";
    program.close();
    fs::permissions(path(), fs::perms::owner_all);
  }

  std::string path() const { return StrCat(folder_, "/ptxas"); }
  Ptxas Create(const std::string& flag, bool keeps = true) {
    absl::StatusOr<Ptxas> ptxas =
        Ptxas::Create({.path = path(), .flags = {flag}, .cache_folder = keeps ? StrCat(folder_, "/cache") : ""});
    EXPECT_TRUE(ptxas.ok()) << ptxas.status();
    return *std::move(ptxas);
  }
  unsigned Runs() const {
    std::ifstream in(StrCat(folder_, "/runs"));
    unsigned runs = 0;
    for (std::string line; std::getline(in, line);) ++runs;
    return runs;
  }
  static unsigned Registers(const Ptxas& ptxas, std::string_view ptx) {
    const absl::StatusOr<PtxasReport> report = ptxas.Judge({ptx});
    return report.ok() && report->contains("k") ? report->at("k").registers : 0;
  }

  std::string folder_;
};

TEST_F(PtxasTest, AsksOnceAboutTheSamePtxAndFlags) {
  const Ptxas ptxas = Create("-arch=sm_80");
  EXPECT_EQ(Registers(ptxas, "40\n"), 40u);
  EXPECT_EQ(Registers(ptxas, "40\n"), 40u);
  EXPECT_EQ(Registers(Create("-arch=sm_80"), "40\n"), 40u);
  EXPECT_EQ(Runs(), 1u);
  EXPECT_EQ(Registers(ptxas, "41\n"), 41u);
  EXPECT_EQ(Runs(), 2u);
  EXPECT_EQ(Registers(Create("-arch=sm_90"), "40\n"), 40u);
  EXPECT_EQ(Runs(), 3u);
}

TEST_F(PtxasTest, JoinsThePartsOfThePtx) {
  const absl::StatusOr<PtxasReport> report = Create("-arch=sm_80").Judge({"4", "2\n", "rest"});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->at("k").registers, 42u);
}

TEST_F(PtxasTest, AsksAnotherVersionAgain) {
  EXPECT_EQ(Registers(Create("-arch=sm_80"), "40\n"), 40u);
  WriteProgram("release 2");
  EXPECT_EQ(Registers(Create("-arch=sm_80"), "40\n"), 40u);
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(PtxasTest, KeepsNothingWithoutAFolder) {
  const Ptxas ptxas = Create("-arch=sm_80", /*keeps=*/false);
  EXPECT_EQ(Registers(ptxas, "40\n"), 40u);
  EXPECT_EQ(Registers(ptxas, "40\n"), 40u);
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(PtxasTest, DoesNotTrustAnEntryOfOtherText) {
  const Ptxas ptxas = Create("-arch=sm_80");
  EXPECT_EQ(Registers(ptxas, "40\n"), 40u);
  // Simulates another text with the same hash.
  for (const auto& entry : fs::directory_iterator(StrCat(folder_, "/cache"))) {
    std::ofstream(entry.path()) << "ptxas\nrelease 1\nflag: -arch=sm_80\nPTX: 3 bytes\n99\n\nanswer:\n"
                                   "Compiling entry function 'k' for 'sm_80'\nUsed 99 registers\n";
  }
  EXPECT_EQ(Registers(ptxas, "40\n"), 40u);
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(PtxasTest, CompilesForLinkingWhatCannotBeLinkedAlone) {
  EXPECT_EQ(Registers(Create("-arch=sm_80"), "40\nextern\n"), 40u);
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(PtxasTest, SaysWhatPtxasSaidOfWrongPtx) {
  const Ptxas ptxas = Create("-arch=sm_80");
  EXPECT_EQ(ptxas.Judge({"bad"}).status().message(), "line 1: bad\n");
  // A failure is not cached, because ptxas may have been killed.
  EXPECT_FALSE(ptxas.Judge({"bad"}).ok());
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(PtxasTest, NeedsAProgram) {
  EXPECT_EQ(Ptxas::Create({.path = "", .flags = {}, .cache_folder = ""}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Ptxas::Create({.path = StrCat(folder_, "/none"), .flags = {}, .cache_folder = ""}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace ptxmir
