// What the interpreter does of sm_90a and sm_100a: clusters, bulk copies and elections. Kernels that it does not
// run are named with the reason.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

class HopperTest : public CorpusKernels {
 protected:
  HopperTest() : CorpusKernels("hopper") {}
};

TEST_F(HopperTest, ClusterHistogram) {
  constexpr uint32_t kGrid = 8;  // two clusters
  const std::vector<uint8_t> data = Random<uint8_t>(5000, 1);
  std::vector<uint32_t> expected(256);
  for (const uint8_t v : data) ++expected[v];
  const auto bins = Zeros<uint32_t>(256);
  LaunchWith({.kernel = "ClusterHistogram", .grid = {kGrid}, .block = {256}, .cluster = {4}}, Buffer(data),
             static_cast<int32_t>(data.size()), bins);
  ExpectEqual(bins, expected);
}

TEST_F(HopperTest, BulkScale) {
  const std::vector<float> in = Random<float>(2 * 512 * 4, 1, -10, 10);
  std::vector<float> expected;
  for (const float v : in) expected.push_back(v * 1.7f);
  const auto out = Output<float>(in.size());
  Launch("BulkScale", {2}, {128}, 0, Buffer(in), out, 1.7f);
  ExpectEqual(out, expected);
}

TEST_F(HopperTest, ElectAndDepend) {
  const auto out = Zeros<int32_t>(4);
  Launch("ElectAndDepend", {3}, {32}, 0, out);
  ExpectEqual(out, {1, 1, 1, 0});
}

// ---- Kernels that are not run. Each test ends as soon as the interpreter learns what is missing.

TEST_F(HopperTest, WarpGroupGemmIsNotRun) {
  // Tensor maps and products of warp groups (wgmma) have no semantics: the layout of a tensor map is not
  // documented, and the products read shared memory through descriptors.
  using TensorMap = std::array<uint8_t, 128>;
  const Fault fault = LaunchToFault(
      {.kernel = "WarpGroupGemm", .grid = {}, .block = {256}, .cluster = {}, .dynamic_shared_bytes = 65536},
      TensorMap(), TensorMap(), Zeros<float>(64 * 64), 64, 1);
  EXPECT_EQ(fault.kind, FaultKind::kUnsupported) << fault.ToString();
}

class BlackwellTest : public CorpusKernels {
 protected:
  BlackwellTest() : CorpusKernels("blackwell") {}
};

TEST_F(BlackwellTest, ProductIsNotRun) {
  // Tensor memory (tcgen05) is not modelled.
  const Fault fault = LaunchToFault({.kernel = "Product", .grid = {}, .block = {128}, .cluster = {}}, uint64_t{0},
                                    uint64_t{0}, int32_t{0}, int32_t{1}, Zeros<float>(8 * 128));
  EXPECT_EQ(fault.kind, FaultKind::kUnsupported) << fault.ToString();
}

TEST_F(BlackwellTest, CopyAndShiftIsNotRun) {
  const Fault fault = LaunchToFault({.kernel = "CopyAndShift", .grid = {}, .block = {32}, .cluster = {}}, uint64_t{0},
                                    int32_t{0}, Zeros<uint32_t>(16 * 32));
  EXPECT_EQ(fault.kind, FaultKind::kUnsupported) << fault.ToString();
}

}  // namespace
}  // namespace ptxmir::ptx
