// SPDX-License-Identifier: Apache-2.0

// The interpreter as a machine: divergence, calls, barriers, memory, and every fault that it reports.

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/interpreter/code/code_cache.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

// A module with a kernel @k(ptr %out, i32 %n), a device function @f(i32) -> i32 and 64 words of shared memory.
constexpr std::string_view kModule = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  @words = internal addrspace(3) global [64 x i32] undef, align 4
  @table = addrspace(4) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40], align 4
  @counter = addrspace(1) global i32 5, align 4
  define ptx_kernel void @k(ptr %out, i32 %n) { ret void }
  define i32 @f(i32 %x) { ret i32 0 }
...
)";

std::string Function(std::string_view name, std::string_view body, std::string_view more = "") {
  return StrCat("---\nname: ", name, "\ntracksRegLiveness: true\n", more, "body: |\n", body, "...\n");
}

// The beginning of most kernels: %0 is the address of the thread's word in `out`, %1 is n, %2 is %tid.x.
constexpr std::string_view kStart = R"(
    %10:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %1:b32 = LD_i32 0, 0, 101, 1, 32, -1, &k_param_1, 0
    %2:b32 = INT_PTX_SREG_TID_x
    %11:b64 = MUL_WIDEu32_ri %2, 4
    %0:b64 = ADD64rr %10, %11
)";
// Stores %9 to the thread's word.
constexpr std::string_view kEnd = R"(
    ST_i32 %9, 0, 0, 1, 32, %0, 0
    Return
)";

LaunchConfig Config(Dim3 block, Dim3 grid = {}, std::string kernel = "k", Dim3 cluster = {}) {
  LaunchConfig config;
  config.kernel = std::move(kernel);
  config.grid = grid;
  config.block = block;
  config.cluster = cluster;
  return config;
}

class DeviceTest : public ::testing::Test {
 protected:
  void Load(const std::string& functions) {
    DiagnosticEngine diagnostics;
    module_ =
        ReadMir(std::make_shared<SourceBuffer>("test.mir", StrCat(kModule, functions)), PtxTargetInfo(), diagnostics);
    ASSERT_NE(module_, nullptr) << diagnostics.ToString();
    std::vector<const MachineFunction*> pointers;
    for (const auto& function : module_->machine_functions()) pointers.push_back(function.get());
    auto device = CreateDevice(*module_, pointers);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
    out_ = device_->Allocate("out", kWords * 4, /*undefined=*/true);
  }

  LaunchResult Launch(const LaunchConfig& config, int32_t n) {
    const auto result = device_->Launch(config, {KernelArgument::Of(out_), KernelArgument::Of(n)});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : LaunchResult{};
  }

  // Runs a body between kStart and kEnd with 64 threads. Returns the words of all threads.
  std::vector<uint32_t> Run(std::string_view body, int32_t n = 0) {
    Load(Function("k", StrCat("  bb.0:\n", kStart, body, kEnd)));
    return RunLoaded(n);
  }
  std::vector<uint32_t> RunLoaded(int32_t n = 0, unsigned threads = 64) {
    const LaunchResult result = Launch(Config({threads}), n);
    EXPECT_FALSE(result.fault.is_fault()) << result.fault.ToString();
    std::vector<uint32_t> words(threads);
    device_->Read(out_, {reinterpret_cast<uint8_t*>(words.data()), threads * 4});
    return words;
  }
  // Returns the fault of a body between kStart and kEnd.
  Fault FaultOf(std::string_view body, unsigned threads = 64, std::string_view more = "",
                bool stop_at_undefined_stores = true) {
    Load(Function("k", StrCat("  bb.0:\n", kStart, body, kEnd), more));
    LaunchConfig config = Config({threads});
    config.max_steps = 100000;
    config.stop_at_undefined_stores = stop_at_undefined_stores;
    return Launch(config, 3).fault;
  }

  static constexpr size_t kWords = 1024;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Device> device_;
  uint64_t out_ = 0;
};

TEST(CodeCacheTest, HoldsFunctionsByLayoutUntilTheyAreForgotten) {
  DiagnosticEngine diagnostics;
  const std::string text = StrCat(kModule, Function("k", "  bb.0:\n    Return\n"));
  const auto module = ReadMir(std::make_shared<SourceBuffer>("test.mir", text), PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  const MachineFunction& function = *module->machine_functions().front();
  CodeCache cache;
  const auto code = std::make_shared<DecodedFunction>();
  const CodeCache::Layout layout = {.dynamic_shared = 128};
  EXPECT_EQ(cache.Find(function, layout), nullptr);
  cache.Add(function, layout, code);
  EXPECT_EQ(cache.Find(function, layout), code);
  EXPECT_EQ(cache.Find(function, {.dynamic_shared = 256}), nullptr);
  EXPECT_EQ(cache.Find(function, {.dynamic_shared = 128, .shared_depot = 64}), nullptr);
  cache.Forget(function);
  EXPECT_EQ(cache.Find(function, layout), nullptr);
}

TEST_F(DeviceTest, DevicesThatShareCodeComputeTheSame) {
  Load(Function("k", StrCat("  bb.0:\n", kStart, "    %9:b32 = MAD_LO_S32rri %2, %1, 7\n", kEnd)));
  const std::vector<const MachineFunction*> functions = {module_->machine_functions().front().get()};
  CodeCache cache;
  const std::vector<uint32_t> alone = RunLoaded(3);
  for (int i = 0; i < 2; ++i) {
    auto device = CreateDevice(*module_, functions, &cache);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
    out_ = device_->Allocate("out", kWords * 4, /*undefined=*/true);
    EXPECT_EQ(RunLoaded(3), alone);
  }
}

TEST_F(DeviceTest, ThreadsComputeTheirOwn) {
  const std::vector<uint32_t> words = Run("    %9:b32 = MAD_LO_S32rri %2, %1, 7\n", 3);
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i * 3 + 7);
}

TEST_F(DeviceTest, LanesThatDivergeMeetAgain) {
  // Odd lanes take one path, even lanes the other. Both then vote, which works only if all lanes are present.
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %20:b32 = AND_b32ri %2, 1
    %21:b1 = SETP_i32ri %20, 0, 0
    CBranch %21, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.3
    %22:b32 = MOV_B32_i 100
    GOTO %bb.3
  bb.2:
    successors: %bb.3
    %23:b32 = MOV_B32_i 200
  bb.3:
    %24:b32 = PHI %22, %bb.1, %23, %bb.2
    %25:b1 = SETP_i32ri %24, 100, 0
    %26:b32 = VOTE_SYNC_BALLOTi %25, -1
    %9:b32 = ADD32rr %24, %26
)",
                            kEnd)));
  const std::vector<uint32_t> words = RunLoaded();
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], (i % 2 == 1 ? 100 : 200) + 0xaaaaaaaau);
}

TEST_F(DeviceTest, PhisOfALoopSwapTheirValues) {
  // (a, b) = (b, a) n times.
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1\n", kStart, R"(
    %20:b32 = MOV_B32_i 1
    %21:b32 = MOV_B32_i 2
    %22:b32 = MOV_B32_i 0
  bb.1:
    successors: %bb.1, %bb.2
    %30:b32 = PHI %20, %bb.0, %31, %bb.1
    %31:b32 = PHI %21, %bb.0, %30, %bb.1
    %32:b32 = PHI %22, %bb.0, %33, %bb.1
    %33:b32 = ADD32ri %32, 1
    %34:b1 = SETP_i32rr %33, %1, 2
    CBranch %34, %bb.1
    GOTO %bb.2
  bb.2:
    %9:b32 = MAD_LO_S32rir %30, 10, %31
)",
                            kEnd)));
  EXPECT_EQ(RunLoaded(1)[0], 12u);
  EXPECT_EQ(RunLoaded(2)[0], 21u);
  EXPECT_EQ(RunLoaded(5)[0], 12u);
}

TEST_F(DeviceTest, LoopsWithAnotherCountInEachLane) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1\n", kStart, R"(
    %20:b32 = MOV_B32_i 0
  bb.1:
    successors: %bb.1, %bb.2
    %30:b32 = PHI %20, %bb.0, %31, %bb.1
    %31:b32 = ADD32ri %30, 1
    %34:b1 = SETP_i32rr %31, %2, 3
    CBranch %34, %bb.1
    GOTO %bb.2
  bb.2:
    %35:b1 = SETP_i32ri %31, 0, 1
    %26:b32 = VOTE_SYNC_BALLOTi %35, -1
    %36:b32 = POPCr32 %26
    %9:b32 = MAD_LO_S32rir %31, 100, %36
)",
                            kEnd)));
  const std::vector<uint32_t> words = RunLoaded();
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], (i + 1) * 100 + 32);
}

TEST_F(DeviceTest, CallsPassAndReturnValues) {
  Load(StrCat(Function("k", StrCat("  bb.0:\n", kStart, R"(
    Callseq_Start 0, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %2, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %9:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 0, 0
)",
                                   kEnd)),
              // f(x) = x < 2 ? x : f(x - 1) + f(x - 2)
              Function("f", R"(
  bb.0:
    successors: %bb.1, %bb.2
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b1 = SETP_i32ri %0, 2, 2
    CBranch %1, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.2
    %2:b32 = ADD32ri %0, -1
    Callseq_Start 0, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %2, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %3:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 0, 0
    %4:b32 = ADD32ri %0, -2
    Callseq_Start 1, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %4, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %5:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 1, 0
    %6:b32 = ADD32rr %3, %5
  bb.2:
    %7:b32 = PHI %0, %bb.0, %6, %bb.1
    ST_i32 %7, 0, 0, 101, 32, &func_retval0, 0
    Return
)")));
  const std::vector<uint32_t> words = RunLoaded(0, 12);
  const std::vector<uint32_t> fibonacci = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  EXPECT_EQ(words, fibonacci);
}

// Lane 0 takes so long that the others go on and wait in the function, in a call of their own.
TEST_F(DeviceTest, LanesThatCallAtDifferentTimesMeetInTheFunction) {
  Load(StrCat(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %20:b32 = MOV_B32_i 0
    %21:b1 = SETP_i32ri %2, 0, 1
    CBranch %21, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.1, %bb.2
    %30:b32 = PHI %20, %bb.0, %31, %bb.1
    %31:b32 = ADD32ri %30, 1
    %34:b1 = SETP_i32ri %31, 5000, 2
    CBranch %34, %bb.1
    GOTO %bb.2
  bb.2:
    Callseq_Start 0, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %2, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %9:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 0, 0
)",
                                   kEnd)),
              Function("f", R"(
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b1 = SETP_i32ri %0, 5, 2
    %2:b32 = VOTE_SYNC_BALLOTi %1, -1
    %3:b32 = MAD_LO_S32rir %0, 100, %2
    ST_i32 %3, 0, 0, 101, 32, &func_retval0, 0
    Return
)")));
  const std::vector<uint32_t> words = RunLoaded(0, 32);
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i * 100 + 0x1f);
}

TEST_F(DeviceTest, ClocksAdvanceWhenTheyAreRead) {
  EXPECT_EQ(Run(R"(
    %20:b64 = SREG_CLOCK64
    %21:b64 = ADD64ri %20, 1
    %22:b64 = ADD64ri %21, 1
    %23:b64 = SREG_CLOCK64
    %24:b64 = SUB64rr %23, %20
    %9:b32 = CVT_u32_u64 %24, 0
)")[0],
            32u);
}

TEST_F(DeviceTest, JumpTablesSendEachLaneItsWay) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2, %bb.3\n", kStart, R"(
    %20:b32 = UREM32ri %2, 3
    BRX_START 0
    BRX_ITEM %bb.1
    BRX_ITEM %bb.2
    BRX_END %bb.3, %20, 0
  bb.1:
    successors: %bb.4
    %21:b32 = MOV_B32_i 11
    GOTO %bb.4
  bb.2:
    successors: %bb.4
    %22:b32 = MOV_B32_i 22
    GOTO %bb.4
  bb.3:
    successors: %bb.4
    %23:b32 = MOV_B32_i 33
  bb.4:
    %9:b32 = PHI %21, %bb.1, %22, %bb.2, %23, %bb.3
)",
                            kEnd)));
  const std::vector<uint32_t> words = RunLoaded();
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], 11 * (i % 3 + 1));
}

TEST_F(DeviceTest, BarriersOrderSharedMemory) {
  // Thread i reads the word that thread 63 - i wrote.
  const std::vector<uint32_t> words = Run(R"(
    %20:b32 = MOV_B32_sym @words
    %21:b32 = SHL32_ri %2, 2
    %22:b32 = ADD32rr %20, %21
    ST_i32 %2, 0, 0, 3, 32, %22, 0
    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0
    %23:b32 = SUB32ir 63, %2
    %24:b32 = SHL32_ri %23, 2
    %25:b32 = ADD32rr %20, %24
    %9:b32 = LD_i32 0, 0, 3, 1, 32, -1, %25, 0
)");
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], 63 - i);
}

TEST_F(DeviceTest, VariablesAreInitialized) {
  const std::vector<uint32_t> words = Run(R"(
    %20:b64 = MOV_B64_sym @table
    %21:b32 = AND_b32ri %2, 3
    %22:b64 = MUL_WIDEu32_ri %21, 4
    %23:b64 = ADD64rr %20, %22
    %24:b32 = LD_i32 0, 0, 4, 1, 32, -1, %23, 0
    %25:b64 = MOV_B64_sym @counter
    %26:b32 = LD_i32 0, 0, 1, 1, 32, -1, %25, 0
    %9:b32 = ADD32rr %24, %26
)");
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], 10 * (i % 4 + 1) + 5);
}

TEST_F(DeviceTest, ALockThatALaneOfTheWarpHoldsIsGivenBack) {
  // Each lane takes the lock (the word after the others), adds to a counter, and releases the lock.
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1\n", kStart, R"(
    %20:b64 = MOV_B64_sym @counter
    %21:b64 = ADD64ri %10, 2048
  bb.1:
    successors: %bb.1, %bb.2
    %22:b32 = INT_PTX_ATOM_CAS_32_ii %21, 0, 0, 1, 0, 3, 1
    %23:b1 = SETP_i32ri %22, 0, 1
    CBranch %23, %bb.1
    GOTO %bb.2
  bb.2:
    %24:b32 = LD_i32 8, 0, 1, 1, 32, -1, %20, 0
    %9:b32 = ADD32ri %24, 1
    ST_i32 %9, 8, 0, 1, 32, %20, 0
    %25:b32 = INT_PTX_ATOM_SWAP_32_Gi %21, 0, 0
)",
                            kEnd)));
  ASSERT_TRUE(device_->Write(out_ + 2048, {0, 0, 0, 0}));
  RunLoaded();
  std::vector<uint8_t> bytes(4);
  ASSERT_TRUE(device_->Read(device_->VariableAddress("counter"), absl::MakeSpan(bytes)));
  EXPECT_EQ(bytes[0], 5 + 64);
}

// CTA 0 spins until CTA 1 has run, which must take few steps.
TEST_F(DeviceTest, ACtaThatSpinsLetsTheNextOneRun) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %20:b64 = ADD64ri %10, 2048
    %21:b32 = INT_PTX_SREG_CTAID_x
    %22:b1 = SETP_i32ri %21, 0, 1
    CBranch %22, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.1, %bb.3
    %23:b32 = INT_PTX_ATOM_CAS_32_ii %20, 0, 1, 2, 0, 3, 1
    %24:b1 = SETP_i32ri %23, 1, 1
    CBranch %24, %bb.1
    GOTO %bb.3
  bb.2:
    successors: %bb.3
    %25:b32 = INT_PTX_ATOM_SWAP_32_Gi %20, 0, 1
  bb.3:
    Return
)")));
  ASSERT_TRUE(device_->Write(out_ + 2048, {0, 0, 0, 0}));
  LaunchConfig config = Config({1}, {2});
  config.max_steps = 500;
  const LaunchResult result = Launch(config, 0);
  EXPECT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  std::vector<uint8_t> bytes(4);
  ASSERT_TRUE(device_->Read(out_ + 2048, absl::MakeSpan(bytes)));
  EXPECT_EQ(bytes[0], 2);
}

// ---- Faults.

TEST_F(DeviceTest, ABranchOnUndefinedBitsIsReportedWithItsOrigin) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %20:b32 = IMPLICIT_DEF
    %21:b32 = AND_b32ri %20, 6
    %22:b1 = SETP_i32ri %21, 0, 0
    CBranch %22, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.2
  bb.2:
    %9:b32 = MOV_B32_i 1
)",
                            kEnd)));
  const Fault fault = Launch(Config({1}), 0).fault;
  EXPECT_EQ(fault.kind, FaultKind::kUndefinedBranch);
  EXPECT_NE(fault.origin.find("IMPLICIT_DEF"), std::string::npos) << fault.ToString();
  EXPECT_EQ(fault.block, "bb.0");
  EXPECT_NE(fault.instruction.find("CBranch"), std::string::npos) << fault.ToString();
}

TEST_F(DeviceTest, BitsThatAreMaskedAwayMayBeUndefined) {
  const std::vector<uint32_t> words = Run(R"(
    %20:b32 = IMPLICIT_DEF
    %21:b32 = SHL32_ri %20, 8
    %22:b32 = OR_b32ri %21, 5
    %9:b32 = AND_b32ri %22, 255
)");
  EXPECT_EQ(words[0], 5u);
}

TEST_F(DeviceTest, UndefinedAddress) {
  const Fault fault = FaultOf("    %20:b64 = IMPLICIT_DEF\n    %9:b32 = LD_i32 0, 0, 1, 1, 32, -1, %20, 0\n");
  EXPECT_EQ(fault.kind, FaultKind::kUndefinedAddress) << fault.ToString();
}

TEST_F(DeviceTest, UndefinedStore) {
  const Fault fault = FaultOf("    %9:b32 = IMPLICIT_DEF\n");
  EXPECT_EQ(fault.kind, FaultKind::kUndefinedStore) << fault.ToString();
}

TEST_F(DeviceTest, TheFirstUndefinedStoreIsNamedWhereItIsNoFault) {
  Load(Function("k", StrCat("  bb.0:\n", kStart, "    %9:b32 = IMPLICIT_DEF\n", kEnd)));
  LaunchConfig config = Config({40});
  LaunchResult result = Launch(config, 3);
  EXPECT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  EXPECT_EQ(result.undefined_store.kind, FaultKind::kUndefinedStore);
  EXPECT_EQ(result.undefined_store.position.thread[0], 0u);
  EXPECT_NE(result.undefined_store.origin, "");
  EXPECT_EQ(result.undefined_store.ToString("warning").substr(0, 26), "warning: undefined-store: ");
  Load(Function("k", StrCat("  bb.0:\n", kStart, "    %9:b32 = MOV_B32_i 5\n", kEnd)));
  result = Launch(config, 3);
  EXPECT_EQ(result.undefined_store.kind, FaultKind::kNone);
}

TEST_F(DeviceTest, SharedMemoryIsUndefinedAtFirst) {
  const Fault fault = FaultOf(R"(
    %20:b32 = MOV_B32_sym @words
    %9:b32 = LD_i32 0, 0, 3, 1, 32, -1, %20, 0
)");
  EXPECT_EQ(fault.kind, FaultKind::kUndefinedStore) << fault.ToString();
  EXPECT_NE(fault.origin.find("has not been written"), std::string::npos) << fault.ToString();
}

TEST_F(DeviceTest, OutOfBoundsInGlobalMemoryNamesTheBuffer) {
  const Fault fault = FaultOf("    %9:b32 = LD_i32 0, 0, 1, 1, 32, -1, %10, 4096\n");
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds) << fault.ToString();
  EXPECT_NE(fault.message.find("out"), std::string::npos) << fault.ToString();
}

TEST_F(DeviceTest, OutOfBoundsInSharedMemory) {
  const Fault fault = FaultOf(R"(
    %20:b32 = MOV_B32_sym @words
    %9:b32 = MOV_B32_i 1
    ST_i32 %9, 0, 0, 3, 32, %20, 256
)");
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds) << fault.ToString();
}

TEST_F(DeviceTest, OutOfBoundsOfAStackObject) {
  const Fault fault =
      FaultOf(R"(
    %20:b64 = LEA_ADDRi64 %stack.0, 0
    %9:b32 = MOV_B32_i 1
    ST_i32 %9, 0, 0, 0, 32, %20, 8
)",
              64, "stack:\n  - { id: 0, size: 8, alignment: 4 }\n  - { id: 1, size: 8, alignment: 4 }\n");
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds) << fault.ToString();
}

TEST_F(DeviceTest, UseOfAStackObjectOutOfItsScope) {
  const Fault fault = FaultOf(R"(
    LIFETIME_START %stack.0
    %20:b64 = LEA_ADDRi64 %stack.0, 0
    %9:b32 = MOV_B32_i 1
    ST_i32 %9, 0, 0, 0, 32, %20, 0
    LIFETIME_END %stack.0
    ST_i32 %9, 0, 0, 0, 32, %20, 0
)",
                              64, "stack:\n  - { id: 0, size: 8, alignment: 4 }\n");
  EXPECT_EQ(fault.kind, FaultKind::kUseAfterFree) << fault.ToString();
}

// Found by ptxmir-fuzz: a kernel with more than 512 KiB of spill slots must have a frame.
TEST_F(DeviceTest, KernelsMayHaveLargeFrames) {
  constexpr std::string_view kBody = R"(
    ST_i32 %2, 0, 0, 0, 32, %stack.0, 999996
    %9:b32 = LD_i32 0, 0, 0, 1, 32, -1, %stack.0, 999996
)";
  Fault fault = FaultOf(kBody, 32, "stack:\n  - { id: 0, size: 1000000, alignment: 4 }\n");
  EXPECT_FALSE(fault.is_fault()) << fault.ToString();
  fault = FaultOf(kBody, 32, "stack:\n  - { id: 0, size: 10000000, alignment: 4 }\n");
  EXPECT_EQ(fault.kind, FaultKind::kTrap);
  EXPECT_NE(fault.message.find("bytes of a thread"), std::string::npos) << fault.message;
}

TEST_F(DeviceTest, MisalignedAccess) {
  const Fault fault = FaultOf("    %9:b32 = LD_i32 0, 0, 1, 1, 32, -1, %10, 2\n");
  EXPECT_EQ(fault.kind, FaultKind::kMisaligned) << fault.ToString();
}

TEST_F(DeviceTest, StatedAlignmentsAreCheckedOnRequest) {
  Load(Function("k", StrCat("  bb.0:\n", kStart, R"(
    %9:b32 = LD_i32 0, 0, 1, 1, 32, -1, %10, 4 :: (load (s32), align 16, addrspace 1)
)",
                            kEnd)));
  LaunchConfig config = Config({1});
  EXPECT_FALSE(Launch(config, 0).fault.is_fault());
  config.check_stated_alignments = true;
  EXPECT_EQ(Launch(config, 0).fault.kind, FaultKind::kMisaligned);
}

TEST_F(DeviceTest, StoreToConstantMemory) {
  const Fault fault = FaultOf(R"(
    %20:b64 = MOV_B64_sym @table
    %21:b64 = cvta_const_64 %20
    %9:b32 = MOV_B32_i 1
    ST_i32 %9, 0, 0, 0, 32, %21, 0
)");
  EXPECT_EQ(fault.kind, FaultKind::kReadOnlyStore) << fault.ToString();
}

TEST_F(DeviceTest, ARaceBetweenWarpsIsFound) {
  // Like BarriersOrderSharedMemory, but without the barrier.
  const Fault fault = FaultOf(R"(
    %20:b32 = MOV_B32_sym @words
    %21:b32 = SHL32_ri %2, 2
    %22:b32 = ADD32rr %20, %21
    ST_i32 %2, 0, 0, 3, 32, %22, 0
    %23:b32 = SUB32ir 63, %2
    %24:b32 = SHL32_ri %23, 2
    %25:b32 = ADD32rr %20, %24
    %9:b32 = LD_i32 0, 0, 3, 1, 32, -1, %25, 0
)",
                              64, "", /*stop_at_undefined_stores=*/false);
  // The first warp reads words that no one has written yet. The stores of the second warp then race with these
  // reads.
  EXPECT_EQ(fault.kind, FaultKind::kDataRace) << fault.ToString();
}

// Each thread stores to its own word of `memory` (shared or global) and, after `between`, loads its neighbor's
// word.
std::string Neighbors(bool is_shared, std::string_view between) {
  return StrCat(is_shared
                    ? "    %20:b32 = MOV_B32_sym @words\n    %21:b32 = SHL32_ri %2, 2\n    %22:b32 = ADD32rr %20, %21\n"
                      "    ST_i32 %2, 0, 0, 3, 32, %22, 0\n"
                    : "    ST_i32 %2, 0, 0, 1, 32, %0, 0\n",
                between, "    %23:b32 = XOR_b32ri %2, 1\n",
                is_shared ? "    %24:b32 = SHL32_ri %23, 2\n    %25:b32 = ADD32rr %20, %24\n"
                            "    %9:b32 = LD_i32 0, 0, 3, 1, 32, -1, %25, 0\n"
                          : "    %24:b64 = MUL_WIDEu32_ri %23, 4\n    %25:b64 = ADD64rr %10, %24\n"
                            "    %9:b32 = LD_i32 0, 0, 1, 1, 32, -1, %25, 0\n"
                            "    INT_BAR_WARP_SYNC_I -1\n");
}

TEST_F(DeviceTest, ARaceBetweenLanesIsFound) {
  for (const bool is_shared : {true, false}) {
    const Fault fault = FaultOf(Neighbors(is_shared, ""), 32, "", /*stop_at_undefined_stores=*/false);
    EXPECT_EQ(fault.kind, FaultKind::kDataRace) << fault.ToString();
    EXPECT_NE(fault.message.find("races with a store by thread (1, 0, 0)"), std::string::npos) << fault.message;
    // A vote orders earlier loads, not earlier stores.
    EXPECT_EQ(FaultOf(Neighbors(is_shared,
                                "    %31:b1 = SETP_i32ri %2, 9, 0\n"
                                "    %32:b1 = VOTE_SYNC_ANYi %31, -1\n"),
                      32, "", false)
                  .kind,
              FaultKind::kDataRace);
  }
}

TEST_F(DeviceTest, BarriersOfWarpsAndCtasOrderLanes) {
  for (const bool is_shared : {true, false}) {
    for (const std::string_view barrier : {"    INT_BAR_WARP_SYNC_I -1\n", "    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0\n"}) {
      const Fault fault = FaultOf(Neighbors(is_shared, barrier), 64, "", false);
      EXPECT_FALSE(fault.is_fault()) << fault.ToString();
    }
  }
}

TEST_F(DeviceTest, LanesThatStoreToOnePlace) {
  // Storing the same value is no race. Storing different values is a race, because another order leaves another
  // value.
  const auto store = [](std::string_view value) {
    return StrCat("    ST_i32 ", value, ", 0, 0, 1, 32, %10, 4092\n    %9:b32 = MOV_B32_i 0\n");
  };
  EXPECT_FALSE(FaultOf(store("%1"), 32).is_fault());
  EXPECT_EQ(FaultOf(store("%2"), 32).kind, FaultKind::kDataRace);
  for (const bool reverse : {false, true}) {
    Load(Function("k", StrCat("  bb.0:\n", kStart, store("%2"), kEnd)));
    LaunchConfig config = Config({64});
    config.stop_at_races = false;
    config.order.reverse = reverse;
    const LaunchResult result = Launch(config, 0);
    EXPECT_FALSE(result.fault.is_fault()) << result.fault.ToString();
    EXPECT_EQ(result.race.kind, FaultKind::kDataRace);
    uint32_t word = 0;
    device_->Read(out_ + 4092, {reinterpret_cast<uint8_t*>(&word), 4});
    EXPECT_EQ(word, reverse ? 0u : 63u);
  }
}

TEST_F(DeviceTest, CtasThatChangeOnePlaceShowTheOrder) {
  // Both CTAs replace a word w by 2w + %ctaid.x.
  constexpr std::string_view kBody = R"(
    %20:b32 = INT_PTX_SREG_CTAID_x
    %21:b32 = LD_i32 0, 0, 1, 3, 32, -1, %0, 0
    %22:b32 = ADD32rr %21, %21
    %9:b32 = ADD32rr %22, %20
)";
  const auto word_after = [&](ThreadOrder order) {
    Load(Function("k", StrCat("  bb.0:\n", kStart, kBody, kEnd)));
    const uint32_t before = 10;
    device_->Write(out_, {reinterpret_cast<const uint8_t*>(&before), 4});
    LaunchConfig config = Config({1}, {2});
    config.order = order;
    EXPECT_FALSE(Launch(config, 0).fault.is_fault());
    uint32_t word = 0;
    device_->Read(out_, {reinterpret_cast<uint8_t*>(&word), 4});
    return word;
  };
  EXPECT_EQ(word_after({}), 41u);
  EXPECT_EQ(word_after({.reverse = true}), 42u);
  EXPECT_EQ(word_after({.interleave = true}), 21u);
}

TEST_F(DeviceTest, LanesOfAWarpAtDifferentAlignedBarriers) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %21:b1 = SETP_i32ri %2, 16, 2
    CBranch %21, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.3
    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0
    GOTO %bb.3
  bb.2:
    successors: %bb.3
    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0
  bb.3:
    %9:b32 = MOV_B32_i 1
)",
                            kEnd)));
  EXPECT_EQ(Launch(Config({32}), 0).fault.kind, FaultKind::kDivergentBarrier);
}

TEST_F(DeviceTest, ABarrierThatNobodyElseReachesIsADeadlock) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %21:b1 = SETP_i32ri %2, 32, 2
    CBranch %21, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.3
    BARRIER_CTA_SYNC_ALIGNED_ii 1, 64
    GOTO %bb.3
  bb.2:
    successors: %bb.3
    BARRIER_CTA_SYNC_ALIGNED_ii 2, 64
  bb.3:
    %9:b32 = MOV_B32_i 1
)",
                            kEnd)));
  const Fault fault = Launch(Config({64}), 0).fault;
  EXPECT_EQ(fault.kind, FaultKind::kDeadlock);
  EXPECT_NE(fault.message.find("warp 1"), std::string::npos) << fault.ToString();
}

TEST_F(DeviceTest, AMemberThatIsElsewhereIsADeadlock) {
  Load(Function("k", StrCat("  bb.0:\n    successors: %bb.1, %bb.2\n", kStart, R"(
    %21:b1 = SETP_i32ri %2, 16, 2
    CBranch %21, %bb.2
    GOTO %bb.1
  bb.1:
    successors: %bb.2
    INT_BAR_WARP_SYNC_I -1
    BARRIER_CTA_SYNC_ALL_i 0
  bb.2:
    successors: %bb.3
    BARRIER_CTA_SYNC_ALL_i 0
  bb.3:
    %9:b32 = MOV_B32_i 1
)",
                            kEnd)));
  EXPECT_EQ(Launch(Config({32}), 0).fault.kind, FaultKind::kDeadlock);
}

TEST_F(DeviceTest, EndlessLoopsEndAtTheStepLimit) {
  Load(Function("k", R"(
  bb.0:
    successors: %bb.0
    GOTO %bb.0
)"));
  LaunchConfig config = Config({32});
  config.max_steps = 1000;
  EXPECT_EQ(Launch(config, 0).fault.kind, FaultKind::kStepLimit);
}

TEST_F(DeviceTest, EndlessRecursionExhaustsTheStack) {
  Load(StrCat(Function("k", StrCat("  bb.0:\n", kStart, R"(
    Callseq_Start 0, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %2, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %9:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 0, 0
)",
                                   kEnd)),
              Function("f", R"(
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    Callseq_Start 0, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %0, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %1:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 0, 0
    ST_i32 %1, 0, 0, 101, 32, &func_retval0, 0
    Return
)")));
  EXPECT_EQ(Launch(Config({32}), 0).fault.kind, FaultKind::kTrap);
}

TEST_F(DeviceTest, WhatHasNoSemanticsIsReportedWhenItIsExecuted) {
  const Fault fault = FaultOf("    %9:b32 = MOV_B32_i 1\n    INLINEASM &\"frobnicate.b32 $0;\", 0, 262153, %9\n");
  EXPECT_EQ(fault.kind, FaultKind::kUnsupported) << fault.ToString();
}

// ---- Inline assembly outside SSA form.

// 262154, 262153: a definition and a use of class b32. 2147483657 + 65536 * i: a use tied to definition group i.

TEST_F(DeviceTest, TiedResultThatIsAlsoAnotherSource) {
  // The result %9 is tied to %2, and the old %9 is a separate source: (tid + %9) * %9.
  const std::vector<uint32_t> words = Run(R"(
    %9:b32 = MOV_B32_i 10
    INLINEASM &"add.s32 $0, $0, $2; mul.lo.s32 $0, $0, $2;", 0, 262154, def %9, 2147483657, %2(tied-def 3), 262153, %9
)");
  for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], (i + 10) * 10);
}

TEST_F(DeviceTest, TiedResultsThatAreEachOthersSources) {
  // %9 is tied to %12 and %12 to %9. The result is 100 * %9 + %12 after they have been exchanged.
  const std::vector<uint32_t> words = Run(R"(
    %9:b32 = MOV_B32_i 1
    %12:b32 = MOV_B32_i 2
    INLINEASM &"mul.lo.s32 $0, $0, 100; add.s32 $1, $1, 0;", 0, 262154, def %9, 262154, def %12, 2147483657, %12(tied-def 3), 2147549193, %9(tied-def 5)
    %9:b32 = ADD32rr %9, %12
)");
  for (const uint32_t word : words) EXPECT_EQ(word, 201u);
}

TEST_F(DeviceTest, ConversionsToNarrowTypesFillWiderRegisters) {
  // 0x180 in eight and sixteen bits, signed and unsigned, in a register of 32 bits.
  struct Case {
    std::string_view conversion;
    uint32_t result;
  };
  for (const Case& c : {Case{"cvt.s8.s32", 0xffffff80}, Case{"cvt.u8.u32", 0x80}, Case{"cvt.s16.s32", 0xffff8180},
                        Case{"cvt.u16.u32", 0x8180}, Case{"cvt.sat.s8.s32", 0xffffff80}, Case{"cvt.u16.s8", 0xff80},
                        Case{"cvt.s16.u8", 0x80}}) {
    const std::vector<uint32_t> words = Run(StrCat("    %12:b32 = MOV_B32_i -32384\n    INLINEASM &\"", c.conversion,
                                                   " $0, $1;\", 0, 262154, def %9:b32, 262153, %12\n"));
    EXPECT_EQ(words[0], c.result) << c.conversion;
  }
}

// ---- Launches.

TEST_F(DeviceTest, ImpossibleLaunchesAreErrors) {
  Load(Function("k", StrCat("  bb.0:\n", kStart, "    %9:b32 = MOV_B32_i 1\n", kEnd)));
  const std::vector<KernelArgument> arguments = {KernelArgument::Of(out_), KernelArgument::Of(int32_t{0})};
  EXPECT_FALSE(device_->Launch(Config({1}, {}, "nothing"), arguments).ok());
  EXPECT_FALSE(device_->Launch(Config({2048}), arguments).ok());
  EXPECT_FALSE(device_->Launch(Config({1}, {0}), arguments).ok());
  EXPECT_FALSE(device_->Launch(Config({1}), {arguments[0]}).ok());
  EXPECT_FALSE(device_->Launch(Config({1}), {arguments[1], arguments[0]}).ok());
  EXPECT_FALSE(device_->Launch(Config({1}, {3}, "k", {2}), arguments).ok());
  EXPECT_TRUE(device_->Launch(Config({1}), arguments).ok());
}

TEST_F(DeviceTest, CountsThreadsAndBytes) {
  Load(Function("k", StrCat("  bb.0:\n", kStart, "    %9:b32 = MOV_B32_i 1\n", kEnd)));
  const LaunchCounts counts = Launch(Config({40}, {2}), 0).counts;
  // Five instructions of the start, the move, the store and the return; two warps per block.
  EXPECT_EQ(counts.warp_instructions, 2u * 2 * 8);
  EXPECT_EQ(counts.thread_instructions, 2u * 40 * 8);
  EXPECT_EQ(counts.stores[static_cast<size_t>(MemorySpace::kGlobal)], 80u);
  EXPECT_EQ(counts.store_bytes[static_cast<size_t>(MemorySpace::kGlobal)], 320u);
  EXPECT_EQ(counts.loads[static_cast<size_t>(MemorySpace::kParam)], 160u);
}

}  // namespace
}  // namespace ptxmir::ptx
