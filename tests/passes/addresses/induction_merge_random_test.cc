// SPDX-License-Identifier: Apache-2.0

// Random loops with pointers that advance in step: by constants and strides, up and down, from starts that differ
// by constants, strides and 32-bit sums that may or may not wrap. A loop has one or three blocks, may be nested,
// and has values that are used after it. The results must stay the same when everything possible is merged.

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

class LoopMaker {
 public:
  explicit LoopMaker(uint64_t seed) : random_(seed) {}

  std::string Make() {
    const std::string p = Def("b64", "LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (load (s64), addrspace 101)");
    const std::string q = Def("b64", "LD_i64 0, 0, 101, 3, 64, -1, &k_param_1, 0 :: (load (s64), addrspace 101)");
    const std::string n = Def("b32", "LD_i32 0, 0, 101, 3, 32, -1, &k_param_2, 0 :: (load (s32), addrspace 101)");
    const std::string small = Def("b32", StrCat("AND_b32ri ", n, ", 7"));
    const std::string tid = Def("b32", "INT_PTX_SREG_TID_x");
    const std::string out = Def("b64", StrCat("MAD_WIDE_U32rir ", tid, ", 4, ", q));
    strides_ = {Def("b64", StrCat("MUL_WIDEs32_ri ", small, ", 4")),
                Def("b64", StrCat("MUL_WIDEs32_ri ", small, ", -12")),
                Def("b64", StrCat("MUL_WIDEu32_ri ", tid, ", 8"))};
    const std::string middle = Def("b64", StrCat("ADD64ri ", p, ", 32768"));
    const std::string zero = Def("b32", "MOV_B32_i 0");
    const std::string count = Def("b32", StrCat("MOV_B32_i ", 2 + Number(3)));
    std::vector<std::string> roots = {middle, Def("b64", StrCat("MAD_WIDE_U32rir ", tid, ", 16, ", middle)),
                                      Def("b64", StrCat("MAD_WIDE_S32rir ", Sum32(tid), ", 16, ", middle)),
                                      Def("b64", StrCat("MAD_WIDE_S32rir ", Sum32(small), ", 4, ", middle))};
    const bool is_nested = Number(2) == 0;
    if (!is_nested) MakeStarts(roots);
    text_ += "    GOTO %bb.1\n  bb.1:\n";
    const std::string outer = Number("outer"), outer_next = Number("outer"), outer_sum = Number("outer");
    const std::string base = Number("outer"), base_next = Number("outer"), sum_out = Number("inner");
    if (is_nested) {
      StrAppend(&text_, "    ", outer, ":b32 = PHI ", count, ", %bb.0, ", outer_next, ", %bb.6\n");
      StrAppend(&text_, "    ", outer_sum, ":b32 = PHI ", zero, ", %bb.0, ", sum_out, ", %bb.6\n");
      StrAppend(&text_, "    ", base, ":b64 = PHI ", roots[1], ", %bb.0, ", base_next, ", %bb.6\n");
      roots.push_back(base);
      MakeStarts(roots);
    }
    text_ += "    GOTO %bb.2\n";
    MakeInner(is_nested ? outer_sum : zero, count, sum_out);
    text_ += "  bb.6:\n";
    if (is_nested) {
      text_ += "    successors: %bb.1(0x70000000), %bb.7(0x10000000)\n";
      StrAppend(&text_, "    ", outer_next, ":b32 = ADD32ri ", outer, ", -1\n");
      StrAppend(&text_, "    ", base_next, ":b64 = ADD64rr ", base, ", ", Pick(strides_), "\n");
      const std::string more = Def("b1", StrCat("SETP_i32ri ", outer_next, ", 0, 1"));
      StrAppend(&text_, "    CBranch ", more, ", %bb.1\n");
    }
    text_ += "    GOTO %bb.7\n  bb.7:\n";
    StrAppend(&text_, "    ST_i32 ", sum_out, ", 0, 0, 1, 32, ", out,
              ", 0 :: (store (s32), addrspace 1)\n    Return\n");
    return StrCat(
        "--- |\n  target triple = \"nvptx64-nvidia-cuda\"\n"
        "  define ptx_kernel void @k(ptr %p, ptr %q, i32 %n) \"target-cpu\"=\"sm_80\" {\n    ret void\n  }\n...\n"
        "---\nname: k\ntracksRegLiveness: true\nbody: |\n  bb.0:\n",
        text_, "...\n");
  }

 private:
  struct Pointer {
    std::string start, phi, next, step;
  };

  uint64_t Number(uint64_t bound) { return random_.Next() % bound; }
  std::string Number(std::string_view) { return StrCat("%", next_register_++); }
  const std::string& Pick(const std::vector<std::string>& from) { return from[Number(from.size())]; }
  std::string Def(std::string_view reg_class, std::string_view what) {
    const std::string name = Number("");
    StrAppend(&text_, "    ", name, ":", reg_class, " = ", what, "\n");
    return name;
  }
  int64_t Constant() { return (static_cast<int64_t>(Number(uint64_t{33})) - 16) * 4; }
  // Values are small, so the sum does not wrap, whether or not it has nsw.
  std::string Sum32(const std::string& value) {
    return Def("b32", StrCat(Number(uint64_t{2}) == 0 ? "nsw " : "", "ADD32ri ", value, ", ", Number(uint64_t{9})));
  }
  void MakeStarts(const std::vector<std::string>& roots) {
    const uint64_t num = 2 + Number(uint64_t{5});
    const std::string root = Pick(roots);
    const std::string common_step = Number(uint64_t{2}) == 0 ? StrCat(Constant() | 4) : Pick(strides_);
    for (uint64_t i = 0; i < num; ++i) {
      std::string start = Number(uint64_t{4}) == 0 ? Pick(roots) : root;
      for (uint64_t j = Number(uint64_t{3}); j > 0; --j) {
        start =
            Number(uint64_t{3}) == 0
                ? Def("b64", StrCat("ADD64ri ", start, ", ", Constant()))
                : Def("b64", StrCat(Number(uint64_t{3}) == 0 ? "SUB64rr " : "ADD64rr ", start, ", ", Pick(strides_)));
      }
      const std::string step = Number(uint64_t{5}) == 0 ? StrCat(Constant() | 4) : common_step;
      pointers_.push_back({start, Number(""), Number(""), step});
    }
    // A pointer that starts at 0 and is added to bases.
    pointers_.push_back({Def("b64", "MOV_B64_i 0"), Number(""), Number(""), common_step});
    bases_ = roots;
  }
  void Access() {
    const Pointer& pointer = pointers_[Number(pointers_.size() - 1)];
    std::string address = Number(uint64_t{3}) == 0 ? pointer.next : pointer.phi;
    if (Number(uint64_t{3}) == 0) {
      address = Number(uint64_t{2}) == 0 ? Def("b64", StrCat("ADD64rr ", pointers_.back().phi, ", ", Pick(bases_)))
                                         : Def("b64", StrCat("MAD_LO_S64rir ", pointers_.back().phi, ", ",
                                                             Number(uint64_t{2}) == 0 ? 4 : -3, ", ", Pick(bases_)));
    }
    const std::string value =
        Def("b32", StrCat("LD_i32 0, 0, 1, 3, 32, -1, ", address, ", ", Constant(), " :: (load (s32), addrspace 1)"));
    sum_ = Def("b32", StrCat("MAD_LO_S32rir ", sum_, ", 3, ", value));
  }
  // bb.2 is the header and the latch, or it leads to bb.3 or bb.4 and these lead to bb.5, the latch.
  void MakeInner(const std::string& sum_in, const std::string& count, const std::string& sum_out) {
    const bool has_branch = Number(uint64_t{2}) == 0;
    const std::string latch = has_branch ? "%bb.5" : "%bb.2";
    const std::string counter = Number(""), counter_next = Number(""), sum = Number(""), sum_next = Number("");
    text_ +=
        has_branch ? "  bb.2:\n    successors: %bb.3, %bb.4\n" : "  bb.2:\n    successors: %bb.2(0x7c000000), %bb.8\n";
    StrAppend(&text_, "    ", counter, ":b32 = PHI ", count, ", %bb.1, ", counter_next, ", ", latch, "\n");
    StrAppend(&text_, "    ", sum, ":b32 = PHI ", sum_in, ", %bb.1, ", sum_next, ", ", latch, "\n");
    for (const Pointer& pointer : pointers_) {
      StrAppend(&text_, "    ", pointer.phi, ":b64 = PHI ", pointer.start, ", %bb.1, ", pointer.next, ", ", latch,
                "\n");
    }
    for (const Pointer& pointer : pointers_) {
      StrAppend(&text_, "    ", pointer.next, ":b64 = ", pointer.step[0] == '%' ? "ADD64rr " : "ADD64ri ", pointer.phi,
                ", ", pointer.step, "\n");
    }
    sum_ = sum;
    for (uint64_t i = 0; i < 5; ++i) Access();
    if (has_branch) {
      const std::string before = sum_;
      const std::string odd = Def("b1", StrCat("SETP_i32ri ", before, ", 0, 2"));
      StrAppend(&text_, "    CBranch ", odd, ", %bb.4\n    GOTO %bb.3\n  bb.3:\n");
      for (uint64_t i = 0; i < 3; ++i) Access();
      const std::string left = sum_;
      text_ += "    GOTO %bb.5\n  bb.4:\n";
      sum_ = before;
      for (uint64_t i = 0; i < 3; ++i) Access();
      text_ += "    GOTO %bb.5\n  bb.5:\n    successors: %bb.2(0x7c000000), %bb.8\n";
      sum_ = Def("b32", StrCat("PHI ", left, ", %bb.3, ", sum_, ", %bb.4"));
      for (uint64_t i = 0; i < 2; ++i) Access();
    }
    StrAppend(&text_, "    ", sum_next, ":b32 = ADD32ri ", sum_, ", 1\n");
    StrAppend(&text_, "    ", counter_next, ":b32 = ADD32ri ", counter, ", -1\n");
    const std::string more = Def("b1", StrCat("SETP_i32ri ", counter_next, ", 0, 1"));
    StrAppend(&text_, "    CBranch ", more, ", %bb.2\n    GOTO %bb.8\n  bb.8:\n    successors: %bb.6\n");
    // The final position of a pointer also counts in the result.
    const Pointer& last = pointers_[Number(pointers_.size())];
    const std::string way =
        Def("b64", StrCat("SUB64rr ", Number(uint64_t{2}) == 0 ? last.next : last.phi, ", ", last.start));
    const std::string low = Def("b32", StrCat("CVT_u32_u64 ", way, ", 0"));
    StrAppend(&text_, "    ", sum_out, ":b32 = ADD32rr ", sum_next, ", ", low, "\n    GOTO %bb.6\n");
  }

  SplitMix64 random_;
  uint32_t next_register_ = 0;
  std::string text_;
  std::string sum_;
  std::vector<std::string> strides_;
  std::vector<std::string> bases_;
  std::vector<Pointer> pointers_;
};

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("random.mir", text), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString() << text;
  return module;
}

TEST(InductionMergeRandomTest, LoopsComputeTheSame) {
  Knobs knobs;
  for (const auto& [knob, value] :
       {std::pair("induction-merge-min-pressure", "0"), std::pair("induction-merge-min-gain", "-1000"),
        std::pair("induction-merge-growth", "1000")}) {
    ASSERT_TRUE(knobs.Set(knob, value).ok()) << knob;
  }
  const PassInfo& pass = *FindPass("induction-merge");
  uint64_t num_changed = 0, num_compared = 0, num_undecided = 0;
  for (uint64_t seed = 0; seed < testing::NumInputs(300); ++seed) {
    const std::string text = LoopMaker(seed).Make();
    const std::unique_ptr<Module> module = Read(text);
    ASSERT_NE(module, nullptr);
    MachineFunction& function = *module->machine_functions().front();
    std::string report;
    ASSERT_TRUE(VerifyMachineFunction(function, report)) << report << text;
    ExecutionChecker checker(Read(text), 2);
    StandalonePassContext standalone(function, {.knobs = &knobs});
    checker.Begin(function);
    const PassResult result = pass.run(function, standalone.context);
    ASSERT_TRUE(VerifyMachineFunction(function, report)) << report << text;
    if (!result.changed) continue;
    ++num_changed;
    DiagnosticEngine diagnostics;
    ASSERT_TRUE(checker.Check(function, pass, diagnostics)) << "seed " << seed << "\n"
                                                            << diagnostics.ToString() << text;
    num_compared += checker.num_compared();
    num_undecided += checker.num_undecided();
  }
  EXPECT_GT(num_changed, testing::NumInputs(200));
  EXPECT_GT(num_compared, testing::NumInputs(400));
  EXPECT_LT(num_undecided, 20u);
}

}  // namespace
}  // namespace ptxmir
