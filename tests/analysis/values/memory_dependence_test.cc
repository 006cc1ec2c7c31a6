// SPDX-License-Identifier: Apache-2.0

// Alias and dependence queries: worked examples, and addresses with known values, for which no answer may be wrong.

#include "analysis/values/memory_dependence.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

constexpr char kHead[] =
    "--- |\n"
    "  target datalayout = \"e-p3:32:32-i64:64\"\n"
    "  target triple = \"nvptx64-nvidia-cuda\"\n"
    "  @table = addrspace(4) constant [4 x i32] zeroinitializer\n"
    "  @counter = addrspace(1) global i32 0\n"
    "  @other = addrspace(1) global i32 0\n"
    "  define ptx_kernel void @k(ptr noalias readonly %in, ptr noalias %out, ptr %a, ptr %b, i64 %n) {\n"
    "    ret void\n"
    "  }\n"
    "  !0 = !{!1, !1, i64 0}\n"
    "  !1 = !{!\"int\", !2, i64 0}\n"
    "  !2 = !{!\"char\", !3, i64 0}\n"
    "  !3 = !{!\"root\"}\n"
    "  !4 = !{!5, !5, i64 0}\n"
    "  !5 = !{!\"float\", !2, i64 0}\n"
    "  !6 = !{!2, !2, i64 0}\n"
    "  !7 = distinct !{!7}\n"
    "  !8 = distinct !{!8, !7}\n"
    "  !9 = distinct !{!9, !7}\n"
    "  !10 = !{!8}\n"
    "  !11 = !{!9}\n"
    "...\n"
    "---\n"
    "name: k\n"
    "tracksRegLiveness: true\n"
    "stack:\n"
    "  - { id: 0, size: 16, alignment: 4 }\n"
    "  - { id: 1, size: 16, alignment: 4 }\n"
    "body: |\n"
    "  bb.0:\n"
    "    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0\n"
    "    %1:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_1, 0\n"
    "    %2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_2, 0\n"
    "    %3:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_3, 0\n"
    "    %4:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_4, 0\n"
    "    %5:b64 = ADD64rr %0, %4\n"
    "    %6:b64 = ADD64rr %1, %4\n"
    "    %7:b64 = ADD64rr %2, %4\n"
    "    %8:b64 = ADD64ri %7, 8\n"
    "    %9:b64 = LEA_ADDRi64 %stack.0, 0\n"
    "    %10:b64 = cvta_local_64 %9\n"
    "    %11:b64 = ADD64rr %10, %4\n";

// Generic accesses of 4 bytes to these addresses and offsets. The second access of each pair is a store.
struct Pair {
  std::string a, b;
  AliasResult wanted;
  std::string metadata_a = "", metadata_b = "";
};

std::string Load(const std::string& address, const std::string& metadata, int reg, int space) {
  return StrCat("    %", reg, ":b32 = LD_i32 0, 0, ", space, ", 3, 32, -1, ", address, " :: (load (s32)", metadata,
                space == 0 ? "" : StrCat(", addrspace ", space), ")\n");
}

// A kernel of the code of kHead and of what follows it.
class Kernel {
 public:
  explicit Kernel(const std::string& code)
      : module_(testing::ReadModule(StrCat(kHead, code))), analyses_(testing::OnlyFunction(*module_)) {}

  MachineFunction& function() const { return testing::OnlyFunction(*module_); }
  const MemoryDependence& memory() { return analyses_.Get<MemoryDependence>(); }
  const MachineInstr& Definition(uint32_t reg) const {
    return *function().reg_info().UniqueDef(Register::Virtual(reg));
  }
  // Compares the addresses of two loads, which define these registers.
  AliasResult Alias(uint32_t a, uint32_t b) { return memory().Alias(Definition(a), Definition(b)); }

 private:
  const std::unique_ptr<Module> module_;
  AnalysisManager analyses_;
};

TEST(MemoryDependenceTest, WhatIsApart) {
  const std::vector<Pair> pairs = {
      {"%5, 0", "%6, 0", AliasResult::kNoAlias},    // noalias parameters
      {"%2, 0", "%3, 0", AliasResult::kMayAlias},   // other parameters
      {"%2, 0", "%6, 4", AliasResult::kNoAlias},    // one of them is noalias
      {"%7, 8", "%8, 0", AliasResult::kMustAlias},  // the same address
      {"%7, 8", "%8, 4", AliasResult::kNoAlias},    // next to each other
      {"%7, 8", "%8, 2", AliasResult::kMayAlias},   // partial overlap
      {"%7, 0", "%3, 0", AliasResult::kMayAlias},   // nothing is known
      {"%11, 0", "%7, 0", AliasResult::kNoAlias},   // a parameter does not point to the frame
      {"%stack.0, 0", "%stack.1, 0", AliasResult::kNoAlias},
      {"%stack.0, 4", "%10, 4", AliasResult::kMustAlias},
      {"%stack.0, 4", "%11, 0", AliasResult::kMayAlias},  // n is unknown
      {"@counter, 0", "@other, 0", AliasResult::kNoAlias},
      {"@counter, 0", "@counter, 4", AliasResult::kNoAlias},
      {"@counter, 0", "%2, 0", AliasResult::kMayAlias},
      {"%2, 0", "%3, 0", AliasResult::kNoAlias, ", !tbaa !0", ", !tbaa !4"},
      {"%2, 0", "%3, 0", AliasResult::kMayAlias, ", !tbaa !0", ", !tbaa !6"},  // char aliases everything
      {"%2, 0", "%3, 0", AliasResult::kNoAlias, ", !alias.scope !10, !noalias !11", ", !alias.scope !11"},
      {"%2, 0", "%3, 0", AliasResult::kMayAlias, ", !alias.scope !10, !noalias !11", ", !alias.scope !10"},
  };
  for (const Pair& pair : pairs) {
    Kernel kernel(StrCat(Load(pair.a, pair.metadata_a, 20, 0), "    ST_i32 %20, 0, 0, 0, 32, ", pair.b,
                         " :: (store (s32)", pair.metadata_b, ")\n    Return\n...\n"));
    const MemoryDependence& memory = kernel.memory();
    const MachineInstr& store = *kernel.function().front()->back()->previous();
    const MachineInstr& load = *store.previous();
    EXPECT_EQ(memory.Alias(load, store), pair.wanted) << pair.a << " and " << pair.b;
    EXPECT_EQ(memory.Alias(store, load), pair.wanted) << pair.a << " and " << pair.b;
    EXPECT_EQ(memory.MayChange(store, load), pair.wanted != AliasResult::kNoAlias && pair.a != "%5, 0");
  }
}

// CUB's radix sort clears its counters as int and counts in them as short.
TEST(MemoryDependenceTest, TypesOfSharedMemoryTellNothing) {
  Kernel kernel(StrCat(Load("%2, 0", ", !tbaa !0", 20, 3), Load("%3, 0", ", !tbaa !4", 21, 3),
                       Load("%2, 0", ", !tbaa !0", 22, 1), Load("%3, 0", ", !tbaa !4", 23, 1), "    Return\n...\n"));
  EXPECT_EQ(kernel.Alias(20, 21), AliasResult::kMayAlias);
  EXPECT_EQ(kernel.Alias(22, 23), AliasResult::kNoAlias);
}

TEST(MemoryDependenceTest, Spaces) {
  Kernel kernel(StrCat(Load("%2, 0", "", 20, 1), Load("%2, 0", "", 21, 3), Load("%2, 0", "", 22, 7),
                       Load("%2, 0", "", 23, 0), "    %30:b64 = cvta_shared_64 %3\n", Load("%30, 0", "", 24, 0),
                       "    Return\n...\n"));
  const MemoryDependence& memory = kernel.memory();
  EXPECT_EQ(kernel.Alias(20, 21), AliasResult::kNoAlias);  // global, shared
  EXPECT_NE(kernel.Alias(21, 22), AliasResult::kNoAlias);  // shared, shared cluster
  EXPECT_NE(kernel.Alias(20, 23), AliasResult::kNoAlias);  // global, generic
  EXPECT_EQ(kernel.Alias(20, 24), AliasResult::kNoAlias);  // an address in shared memory
  EXPECT_EQ(memory.Describe(kernel.Definition(24)).space, ptx::MemorySpace::kShared);
  EXPECT_TRUE(memory.ReadsConstantMemory(kernel.Definition(0)));
}

// Once, only loads of a parameter from its first byte on, by its name, were constant. Structures are passed by value.
TEST(MemoryDependenceTest, PartsOfKernelParametersAreConstant) {
  Kernel kernel(StrCat(Load("&k_param_4, 4", "", 20, 101),
                       "    %12:b64 = MOV_B64_sym &k_param_4\n    %13:b64 = ADD64ri %12, 4\n",
                       Load("%13, 0", "", 21, 101), Load("&retval0, 0", "", 22, 101),
                       Load("&k_param_5, 0", "", 23, 101), "    Return\n...\n"));
  const MemoryDependence& memory = kernel.memory();
  const auto is_constant = [&](uint32_t reg) { return memory.ReadsConstantMemory(kernel.Definition(reg)); };
  EXPECT_TRUE(is_constant(20));
  EXPECT_TRUE(is_constant(21));
  EXPECT_FALSE(is_constant(22));  // the result of a call
  EXPECT_FALSE(is_constant(23));  // there is no such parameter
}

TEST(MemoryDependenceTest, NearestDependence) {
  Kernel kernel(
      "    ST_i32 %20:b32, 0, 0, 0, 32, %2, 0 :: (store (s32))\n"               // 12
      "    ST_i32 %20, 0, 0, 0, 32, %6, 0 :: (store (s32))\n"                   // 13: apart
      "    %21:b32 = LD_i32 0, 0, 0, 3, 32, -1, %2, 0 :: (load (s32))\n"        // 14: defined by 12
      "    ST_i32 %20, 0, 0, 0, 32, %3, 0 :: (store (s32))\n"                   // 15: may alias
      "    %22:b32 = LD_i32 0, 0, 0, 3, 32, -1, %2, 0 :: (load (s32))\n"        // 16: clobbered by 15
      "    %23:b32 = LD_i32 0, 0, 0, 3, 32, -1, %5, 0 :: (load (s32))\n"        // 17: no one writes it
      "    %24:b32 = LD_i32 0, 0, 0, 3, 32, -1, %stack.0, 0 :: (load (s32))\n"  // 18: 15 writes a parameter
      "  bb.1:\n"
      "    successors: %bb.1, %bb.2\n"
      "    %25:b32 = LD_i32 0, 0, 0, 3, 32, -1, %2, 0 :: (load (s32))\n"  // by 16 or itself
      "    %26:b32 = LD_i32 0, 0, 0, 3, 32, -1, %6, 0 :: (load (s32))\n"  // by 13 or itself
      "    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0\n"
      "    CBranch %27:b1, %bb.1\n"
      "  bb.2:\n"
      "    Return\n...\n");
  const MemoryDependence& memory = kernel.memory();
  std::string text;
  memory.Print(text);
  EXPECT_EQ(text,
            "%bb.0:0 LD_i64: constant memory\n"
            "%bb.0:1 LD_i64: constant memory\n"
            "%bb.0:2 LD_i64: constant memory\n"
            "%bb.0:3 LD_i64: constant memory\n"
            "%bb.0:4 LD_i64: constant memory\n"
            "%bb.0:14 LD_i32: definition %bb.0:12\n"
            "%bb.0:16 LD_i32: clobber %bb.0:15\n"
            "%bb.0:17 LD_i32: constant memory\n"
            "%bb.0:18 LD_i32: entry\n"
            "%bb.1:0 LD_i32: definition %bb.0:16 clobber %bb.1:2\n"
            "%bb.1:1 LD_i32: definition %bb.0:13 clobber %bb.1:2\n");
  const MachineInstr& load = *kernel.function().block(1)->front();
  using Kind = MemoryDependence::DependenceKind;
  const std::vector<MemoryDependence::Dependence> unknown = {{Kind::kUnknown, nullptr}};
  EXPECT_EQ(memory.Dependences(load, {.max_instrs = 3, .max_blocks = 100}), unknown);
  EXPECT_EQ(memory.Dependences(load, {.max_instrs = 100, .max_blocks = 1}), unknown);
}

// In a loop, the address in one iteration differs from that in the next.
TEST(MemoryDependenceTest, TurnsOfALoop) {
  Kernel kernel(
      "  bb.1:\n"
      "    successors: %bb.1, %bb.2\n"
      "    %20:b64 = PHI %2, %bb.0, %21, %bb.1\n"
      "    %22:b32 = LD_i32 0, 0, 0, 3, 32, -1, %20, 0 :: (load (s32))\n"
      "    ST_i32 %22, 0, 0, 0, 32, %20, 4 :: (store (s32))\n"
      "    %21:b64 = ADD64ri %20, 4\n"
      "    CBranch %27:b1, %bb.1\n"
      "  bb.2:\n"
      "    Return\n...\n");
  const MemoryDependence& memory = kernel.memory();
  MachineFunction& function = kernel.function();
  const MachineInstr& load = *function.block(1)->front()->next();
  MachineInstr& store = *load.next();
  EXPECT_EQ(memory.Alias(load, store), AliasResult::kNoAlias);
  EXPECT_EQ(memory.Alias(load, store, true), AliasResult::kMayAlias);
  using Kind = MemoryDependence::DependenceKind;
  const std::vector<MemoryDependence::Dependence> wanted = {{Kind::kClobber, &store}, {Kind::kEntry, nullptr}};
  EXPECT_EQ(memory.Dependences(load), wanted);
  // Out of SSA form, the register holds several addresses.
  testing::LeaveSsaForm(function);
  for (const MachineInstr& a : *function.block(1)) {
    for (const MachineInstr& b : *function.block(1)) {
      if (&a == &load && b.opcode() == store.opcode()) {
        EXPECT_EQ(kernel.memory().Alias(a, b), AliasResult::kMayAlias);
      }
    }
  }
}

// Addresses computed from objects at known places. Two addresses that share a byte must not be reported as
// different, and only equal ones may be reported as the same.
TEST(MemoryDependenceTest, NoClaimIsWrong) {
  std::mt19937 random(1);
  const TargetInfo& target = ptx::PtxTargetInfo();
  const auto opcode = [&](std::string_view name) { return *target.find_opcode(name); };
  int num_apart = 0, num_same = 0;
  for (int round = 0; round < 300; ++round) {
    MachineFunction function(nullptr, target, "f", 0);
    MachineBasicBlock* block = function.CreateBlock();
    function.InsertBlock(nullptr, block);
    struct Address {
      Register reg;
      int64_t value;
    };
    std::vector<Address> addresses;
    const auto add = [&](int64_t value) {
      addresses.push_back({function.reg_info().CreateVirtualRegister(ptx::reg_class::kB64), value});
      return addresses.back().reg;
    };
    for (int i = 0; i < 3; ++i) {
      function.frame_info().CreateStackObject(64, 3);
      BuildMI(*block, nullptr, opcode("LEA_ADDRi64"))
          .AddDef(add(1000 * (i + 1)))
          .Add(MachineOperand::CreateFrameIndex(i))
          .AddImm(0)
          .Insert();
    }
    struct Access {
      MachineInstr* instr;
      int64_t begin, size;
    };
    std::vector<Access> accesses;
    for (int i = 0; i < 30; ++i) {
      const Address from = addresses[random() % addresses.size()];
      const int64_t step = static_cast<int64_t>(random() % 9) - 4;
      switch (random() % 5) {
        case 0:
          BuildMI(*block, nullptr, opcode("ADD64ri"))
              .AddDef(add(from.value + step))
              .AddUse(from.reg)
              .AddImm(step)
              .Insert();
          break;
        case 1: {
          const Register constant = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB64);
          BuildMI(*block, nullptr, opcode("MOV_B64_i")).AddDef(constant).AddImm(step).Insert();
          BuildMI(*block, nullptr, opcode("ADD64rr"))
              .AddDef(add(from.value + step))
              .AddUse(from.reg)
              .AddUse(constant)
              .Insert();
          break;
        }
        case 2:
          BuildMI(*block, nullptr, generic::kCopy).AddDef(add(from.value)).AddUse(from.reg).Insert();
          break;
        default: {
          const int64_t width = 8 << random() % 4;
          const Register value = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB64);
          MachineInstr* load = BuildMI(*block, nullptr, opcode("LD_i64"))
                                   .AddDef(value)
                                   .AddImm(0)
                                   .AddImm(0)
                                   .AddImm(0)
                                   .AddImm(1)
                                   .AddImm(width)
                                   .AddImm(-1)
                                   .AddUse(from.reg)
                                   .AddImm(step)
                                   .Insert();
          accesses.push_back({load, from.value + step, width / 8});
        }
      }
    }
    function.SetProperty(FunctionProperty::kIsSsa);
    AnalysisManager analyses(function);
    const auto& memory = analyses.Get<MemoryDependence>();
    for (const Access& a : accesses) {
      for (const Access& b : accesses) {
        const AliasResult result = memory.Alias(*a.instr, *b.instr);
        const bool overlap = a.begin < b.begin + b.size && b.begin < a.begin + a.size;
        if (result == AliasResult::kNoAlias) {
          ++num_apart;
          ASSERT_FALSE(overlap) << "round " << round;
        }
        if (result == AliasResult::kMustAlias) {
          ++num_same;
          ASSERT_TRUE(a.begin == b.begin && a.size == b.size) << "round " << round;
        }
      }
    }
  }
  EXPECT_GT(num_apart, 20000);
  EXPECT_GT(num_same, 3000);
}

}  // namespace
}  // namespace ptxmir
