// SPDX-License-Identifier: Apache-2.0

// llvm.memcpy, memmove and memset of many bytes, of variable size and volatile, at all alignments, as machine code.
// The memory must be what the C functions leave.

#include <algorithm>

#include "mir/verify/verifier.h"
#include "tests/sdag/legalize/legalize_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir::sdag {
namespace {

constexpr size_t kBytes = 1024;

struct Call {
  std::string name;  // "memcpy"
  uint64_t target, source, size;
  unsigned align_log2;
  bool is_constant = true;
  bool is_volatile = false;
  unsigned target_space = 0, source_space = 0;
};

std::string Describe(const Call& call) {
  return call.name + " " + std::to_string(call.target) + " " + std::to_string(call.source) + " " +
         std::to_string(call.size) + (call.is_constant ? " constant" : "") + (call.is_volatile ? " volatile" : "") +
         " align " + std::to_string(1 << call.align_log2);
}

// The output is filled from the input. Then the call is made within the output. Its size is at the end of the
// input.
class CallKernel : public LegalizedKernel {
 public:
  explicit CallKernel(const Call& call) : LegalizedKernel("sm_80") {
    Input(4, MVT::kI64);
    for (uint64_t slot = 0; slot < kBytes / kSlot; ++slot) {
      Output(Input(static_cast<unsigned>(slot), MVT::kV64I32));
    }
    SelectionDAG& nodes = dag();
    const bool is_set = call.name == "memset";
    MachineMemOperand memory = *MemOperand(MachineMemOperand::kStore, MVT::kI8, call.align_log2);
    if (!is_set) memory.flags |= MachineMemOperand::kLoad;
    const SDValue byte = nodes.GetNode(isd::kTruncate, {}, MVT::kI8, {Input(4, MVT::kI64)});
    const SDValue size = call.is_constant ? nodes.GetConstant(call.size, MVT::kI64) : Input(5, MVT::kI64);
    const SDValue target = InSpace(OutPointer(call.target), call.target_space);
    const SDValue operands[] = {nodes.root(), target,
                                is_set ? byte : InSpace(OutPointer(call.source), call.source_space), size,
                                nodes.GetConstant(call.is_volatile, MVT::kI1)};
    const MVT type = MVT::kOther;
    const std::string name = "llvm." + call.name + ".p" + std::to_string(call.target_space) +
                             (is_set ? "" : ".p" + std::to_string(call.source_space)) + ".i64";
    nodes.SetRoot(nodes.GetIntrinsic(isd::kIntrinsicVoid, name, {}, absl::MakeConstSpan(&type, 1), operands, MVT::kI8,
                                     function().CreateMemOperand(memory)));
    Finish();
  }

 private:
  SDValue InSpace(SDValue pointer, unsigned space) {
    return space == 0 ? pointer : dag().GetAddrSpaceCast({}, MVT::kI64, pointer, 0, space);
  }
};

void Check(const Call& call) {
  static size_t number = 0;
  if (number++ % testing::CaseStride(7) != 0) return;
  CallKernel kernel(call);
  SplitMix64 random(call.size + 7);
  LegalizedKernel::Slots inputs;
  std::vector<uint8_t> expected;
  for (int slot = 0; slot < 4; ++slot) {
    DagConstant value = DagConstant::Of(MVT::kV64I32, 0);
    for (Lane& lane : value.lanes) {
      const uint64_t bits = random.Next() >> 32;
      lane.bits = bits;
      for (int b = 0; b < 4; ++b) expected.push_back(static_cast<uint8_t>(bits >> (8 * b)));
    }
    inputs.push_back(value);
  }
  const uint64_t fill = 0x12345600 | random.Next() % 256;
  inputs.push_back(DagConstant::Of(MVT::kI64, fill));
  inputs.push_back(DagConstant::Of(MVT::kI64, call.size));
  if (call.name == "memset") {
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(call.target), call.size, static_cast<uint8_t>(fill));
  } else {
    std::vector<uint8_t> copy(expected.begin() + static_cast<std::ptrdiff_t>(call.source),
                              expected.begin() + static_cast<std::ptrdiff_t>(call.source + call.size));
    std::copy(copy.begin(), copy.end(), expected.begin() + static_cast<std::ptrdiff_t>(call.target));
  }
  const absl::Status selected = kernel.SelectAll();
  ASSERT_TRUE(selected.ok()) << Describe(call) << selected;
  std::string report;
  ASSERT_TRUE(VerifyMachineFunction(kernel.function(), report)) << Describe(call) << report;
  const std::vector<uint8_t> bytes = kernel.Run(inputs);
  ASSERT_GE(bytes.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(bytes[i], expected[i]) << Describe(call) << " at byte " << i;
  }
}

TEST(MemoryIntrinsicTest, CopiesAndFills) {
  for (const char* name : {"memcpy", "memset"}) {
    for (unsigned align = 0; align <= 5; ++align) {
      for (const uint64_t size : {129, 130, 135, 144, 159, 160, 256, 300, 333}) {
        Check({name, 512, 0, size, align});
      }
      for (const uint64_t size : {0, 1, 3, 8, 15, 16, 17, 64, 255}) {
        Check({name, 512, 64, size, align, /*is_constant=*/false});
      }
    }
  }
}

TEST(MemoryIntrinsicTest, MovesInBothDirections) {
  for (unsigned align = 0; align <= 4; ++align) {
    const uint64_t step = uint64_t{1} << align;
    for (const uint64_t distance : {uint64_t{0}, step, 2 * step, 16 * step}) {
      for (const uint64_t size : {uint64_t{129}, uint64_t{200}, uint64_t{256}}) {
        for (const bool is_constant : {true, false}) {
          Check({"memmove", 256 + distance, 256, size, align, is_constant});
          Check({"memmove", 256, 256 + distance, size, align, is_constant});
        }
      }
      Check({"memmove", 256 + distance, 256, 0, align, /*is_constant=*/false});
    }
  }
}

TEST(MemoryIntrinsicTest, VolatileAccessesAreLoopsOfUnits) {
  for (const uint64_t size : {0, 1, 7, 8, 20, 200}) {
    for (const char* name : {"memcpy", "memmove", "memset"}) {
      Check({name, 512, 0, size, 3, /*is_constant=*/true, /*is_volatile=*/true});
      Check({name, 512, 0, size, 3, /*is_constant=*/false, /*is_volatile=*/true});
    }
  }
}

TEST(MemoryIntrinsicTest, SpacesThatOverlap) {
  for (const bool is_constant : {true, false}) {
    Check({"memmove", 300, 256, 200, 2, is_constant, false, 1, 1});
    Check({"memmove", 300, 256, 200, 2, is_constant, false, 0, 1});
    Check({"memmove", 256, 300, 200, 2, is_constant, false, 1, 0});
  }
}

// Two calls in a block. The second reads the memory that the first wrote.
TEST(MemoryIntrinsicTest, CallsFollowEachOther) {
  CallKernel kernel({"memcpy", 0, 512, 200, 3});
  EXPECT_TRUE(kernel.SelectAll().ok());
  EXPECT_EQ(kernel.function().num_blocks(), 3u);
}

}  // namespace
}  // namespace ptxmir::sdag
