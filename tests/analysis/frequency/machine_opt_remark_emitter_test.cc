// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/machine_opt_remark_emitter.h"

#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

// Collects the remarks of a function, with options.
class Remarks {
 public:
  explicit Remarks(const RemarkOptions& options)
      : filter_(options),
        sink_{filter_, remarks_},
        module_(ReadBody("  bb.0:\n    %0:b32 = IMPLICIT_DEF\n    Return\n")),
        analyses_(function(), {.remarks = &sink_}) {}

  MachineFunction& function() { return OnlyFunction(*module_); }
  MachineOptRemarkEmitter& emitter() { return analyses_.Get<MachineOptRemarkEmitter>(); }
  const std::vector<Remark>& remarks() const { return remarks_; }

 private:
  RemarkFilter filter_;
  std::vector<Remark> remarks_;
  RemarkSink sink_;
  std::unique_ptr<Module> module_;
  AnalysisManager analyses_;
};

RemarkOptions Passed(std::string_view pattern) {
  RemarkOptions options;
  options.passed = std::string(pattern);
  return options;
}

TEST(MachineOptRemarkEmitterTest, BuildsMessagesOfTextAndArguments) {
  Remarks remarks(Passed("licm"));
  const MachineInstr& instr = *remarks.function().front()->front();
  remarks.emitter().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, "machinelicm", "Hoisted", instr)
           << "moved " << RemarkArg("Opcode", "LD") << " of " << RemarkArg("Bytes", uint64_t{16}) << " bytes"
           << RemarkArg("Delta", -1);
  });
  ASSERT_EQ(remarks.remarks().size(), 1u);
  const Remark& remark = remarks.remarks().front();
  EXPECT_EQ(remark.kind, RemarkKind::kPassed);
  EXPECT_EQ(remark.pass, "machinelicm");
  EXPECT_EQ(remark.name, "Hoisted");
  EXPECT_EQ(remark.function, "f");
  EXPECT_EQ(remark.location, std::nullopt);
  EXPECT_EQ(remark.hotness, std::nullopt);
  EXPECT_EQ(remark.Message(), "moved LD of 16 bytes-1");
  EXPECT_EQ(remark.arguments[0].key, "String");
  EXPECT_EQ(remark.arguments[3], (RemarkArgument{"Bytes", "16", {}}));
}

TEST(MachineOptRemarkEmitterTest, OnlyWhatIsWantedIsKept) {
  Remarks remarks(Passed("licm"));
  for (const RemarkKind kind : {RemarkKind::kPassed, RemarkKind::kMissed}) {
    for (const std::string_view pass : {"machinelicm", "machine-cse"}) {
      remarks.emitter().Emit([&] { return MachineRemark(kind, pass, "N", remarks.function()); });
    }
  }
  ASSERT_EQ(remarks.remarks().size(), 1u);
  EXPECT_EQ(remarks.remarks()[0].pass, "machinelicm");
  EXPECT_TRUE(remarks.emitter().AllowsExtraAnalysis("machinelicm"));
  EXPECT_FALSE(remarks.emitter().AllowsExtraAnalysis("machine-cse"));
}

TEST(MachineOptRemarkEmitterTest, NothingIsMadeWhenNobodyListens) {
  Remarks remarks((RemarkOptions()));
  bool is_made = false;
  const auto make = [&] {
    is_made = true;
    return MachineRemark(RemarkKind::kPassed, "p", "N", remarks.function());
  };
  remarks.emitter().Emit(make);
  AnalysisManager without(remarks.function());
  without.Get<MachineOptRemarkEmitter>().Emit(make);
  EXPECT_FALSE(is_made);
  EXPECT_TRUE(remarks.remarks().empty());
  EXPECT_FALSE(without.Get<MachineOptRemarkEmitter>().AllowsExtraAnalysis("p"));
  EXPECT_EQ(without.CheckCached(), "");
}

// llc-22 prints the same figures (-pass-remarks-with-hotness).
TEST(MachineOptRemarkEmitterTest, HotnessIsWhatTheProfileSaysOfTheBlock) {
  const auto module = testing::ReadModule(R"(--- |
  define void @f() !prof !0 {
    ret void
  }
  !0 = !{!"function_entry_count", i64 1000}
...
---
name: f
body: |
  bb.0:
    successors: %bb.1(0x51745d17), %bb.3(0x2e8ba2e9)
    %0:b1 = IMPLICIT_DEF
    CBranch %0, %bb.3
  bb.1:
    successors: %bb.2(0x80000000)
  bb.2:
    successors: %bb.2(0x68000000), %bb.3(0x18000000)
    CBranch %0, %bb.2
  bb.3:
    Return
...
)");
  MachineFunction& function = OnlyFunction(*module);
  for (const bool with_hotness : {true, false}) {
    RemarkOptions options = Passed(".");
    options.with_hotness = with_hotness;
    const RemarkFilter filter(options);
    std::vector<Remark> remarks;
    RemarkSink sink{filter, remarks};
    AnalysisManager analyses(function, {.remarks = &sink});
    MachineOptRemarkEmitter& emitter = analyses.Get<MachineOptRemarkEmitter>();
    std::vector<std::optional<uint64_t>> hotness;
    for (const MachineBasicBlock& block : function) {
      emitter.Emit([&] { return MachineRemark(RemarkKind::kPassed, "p", "N", MachineInstr::kNoDebugLoc, block); });
      hotness.push_back(remarks.back().hotness);
    }
    using Hotness = std::vector<std::optional<uint64_t>>;
    EXPECT_EQ(hotness, with_hotness ? (Hotness{1000, 636, 3394, 1000}) : Hotness(4));
    EXPECT_EQ(analyses.IsCached(AnalysisKind::kMachineBlockFrequencies), with_hotness);
  }
}

TEST(MachineOptRemarkEmitterTest, ThresholdDropsCodeOfUnknownHotness) {
  RemarkOptions options = Passed(".");
  options.hotness_threshold = 1;
  Remarks remarks(options);
  remarks.emitter().Emit([&] { return MachineRemark(RemarkKind::kPassed, "p", "N", remarks.function()); });
  EXPECT_TRUE(remarks.remarks().empty());
}

}  // namespace
}  // namespace ptxmir
