// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/occupancy.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

// NVIDIA's published limits, copied by hand: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", and the constants of the occupancy calculator.
struct Published {
  std::string_view name;
  unsigned warps, ctas, shared_kib, cta_shared_kib, shared_unit, reserved, barriers;
};
constexpr Published kPublished[] = {
    {"sm_75", 32, 16, 64, 64, 256, 0, 0},        {"sm_80", 64, 32, 164, 163, 128, 1024, 0},
    {"sm_86", 48, 16, 100, 99, 128, 1024, 0},    {"sm_87", 48, 16, 164, 163, 128, 1024, 0},
    {"sm_89", 48, 24, 100, 99, 128, 1024, 0},    {"sm_90", 64, 32, 228, 227, 128, 1024, 64},
    {"sm_100", 64, 32, 228, 227, 128, 1024, 64}, {"sm_103", 64, 32, 228, 227, 128, 1024, 64},
    {"sm_120", 48, 24, 100, 99, 128, 1024, 24},
};

TEST(OccupancyTest, LimitsArePublishedOnes) {
  for (const Published& sm : kPublished) {
    const SmLimits& limits = FindSm(sm.name)->limits;
    EXPECT_EQ(limits.registers, 65536u) << sm.name;
    EXPECT_EQ(limits.max_cta_registers, 65536u) << sm.name;
    EXPECT_EQ(limits.max_registers, 255u) << sm.name;
    EXPECT_EQ(limits.register_granularity * 32u, 256u) << sm.name;
    EXPECT_EQ(limits.partitions, 4u) << sm.name;
    EXPECT_EQ(limits.max_warps, sm.warps) << sm.name;
    EXPECT_EQ(limits.max_ctas, sm.ctas) << sm.name;
    EXPECT_EQ(limits.shared_bytes, sm.shared_kib * 1024) << sm.name;
    EXPECT_EQ(limits.max_shared_bytes, sm.cta_shared_kib * 1024) << sm.name;
    EXPECT_EQ(limits.shared_granularity, sm.shared_unit) << sm.name;
    EXPECT_EQ(limits.reserved_shared, sm.reserved) << sm.name;
    EXPECT_EQ(limits.barriers, sm.barriers) << sm.name;
  }
}

namespace reference {

unsigned Ceiling(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }
unsigned Floor(unsigned value, unsigned unit) { return value / unit * unit; }

// The formulas in the cells of NVIDIA's spreadsheet. Warps limited by registers are rounded down to the granularity
// of warp allocation, whatever the partitions are.
unsigned Ctas(const Published& sm, unsigned threads, unsigned registers, unsigned shared) {
  const unsigned warps = Ceiling(threads, 32) / 32;
  const unsigned by_warps = std::min(sm.ctas, sm.warps / warps);
  unsigned by_registers = sm.ctas;
  if (registers > 0) by_registers = Floor(65536 / Ceiling(registers * 32, 256), 4) / warps;
  unsigned by_shared = sm.ctas;
  const unsigned allocated = Ceiling(shared + sm.reserved, sm.shared_unit);
  if (shared > sm.cta_shared_kib * 1024) {
    by_shared = 0;
  } else if (allocated > 0) {
    by_shared = sm.shared_kib * 1024 / allocated;
  }
  return std::min({by_warps, by_registers, by_shared});
}

}  // namespace reference

TEST(OccupancyTest, EveryRegisterCountAndBlockSize) {
  for (const Published& sm : kPublished) {
    const SmLimits& limits = FindSm(sm.name)->limits;
    for (unsigned threads = 1; threads <= 1024; ++threads) {
      for (unsigned registers = 0; registers <= 255; ++registers) {
        const unsigned ctas = ComputeOccupancy(limits, {.threads = threads, .registers = registers}).ctas;
        const unsigned expected = reference::Ctas(sm, threads, registers, 0);
        if (ctas != expected) FAIL() << sm.name << " " << threads << " " << registers << " " << ctas << " " << expected;
      }
    }
    for (unsigned shared = 0; shared <= sm.shared_kib * 1024 + 200; shared += 61) {
      const unsigned ctas = ComputeOccupancy(limits, {.threads = 64, .registers = 40, .shared_bytes = shared}).ctas;
      ASSERT_EQ(ctas, reference::Ctas(sm, 64, 40, shared)) << sm.name << " " << shared;
    }
  }
}

// FNV-1a of all numbers of CTAs that cuda_occupancy.h of CUDA 13.0 computes: by registers and threads, by shared
// memory, and by barriers. The values were computed once by a program that iterates like this test and fills
// cudaOccDeviceProp from the table above.
struct Fingerprint {
  std::string_view name;
  uint64_t registers, shared, barriers;
};
constexpr Fingerprint kFingerprints[] = {
    {"sm_75", 0xe32cad5fc8f92a25, 0x9e730d807f1cc97f, 0x0a18393401a7625e},
    {"sm_80", 0xeb5838e00f2ce125, 0x106028b99e1e8e85, 0xcb6cedc73b4d4141},
    {"sm_86", 0xbd0a8040b42b9725, 0xba10a910fe228123, 0xe04d1baf195f472f},
    {"sm_87", 0xbd0a8040b42b9725, 0x1d60d37e0aa0d6e9, 0x56f4d97ad1f55245},
    {"sm_89", 0x4d6747c8ded2ab25, 0xeb1e7610cbe1febd, 0xd5e06c417ca9ed21},
    {"sm_90", 0xeb5838e00f2ce125, 0x155418c0723dbc29, 0xba405982212ed262},
    {"sm_100", 0xeb5838e00f2ce125, 0x155418c0723dbc29, 0xba405982212ed262},
    {"sm_103", 0xeb5838e00f2ce125, 0x155418c0723dbc29, 0xba405982212ed262},
    {"sm_120", 0x4d6747c8ded2ab25, 0xeb1e7610cbe1febd, 0xff74e3c9ee80545d},
};

TEST(OccupancyTest, IsWhatNvidiasCalculatorComputes) {
  constexpr uint32_t kShared[] = {0, 1, 1024, 8192, 16385, 33792, 49152, 65536, 101376, 101377, 166912, 232448, 232449};
  for (const Fingerprint& expected : kFingerprints) {
    const SmLimits& limits = FindSm(expected.name)->limits;
    uint64_t hash = 14695981039346656037u;
    const auto add = [&](const KernelResources& kernel) {
      hash = (hash ^ ComputeOccupancy(limits, kernel).ctas) * 1099511628211u;
    };
    for (unsigned threads = 1; threads <= 1024; ++threads) {
      for (unsigned registers = 0; registers <= 255; ++registers) add({.threads = threads, .registers = registers});
    }
    EXPECT_EQ(hash, expected.registers) << expected.name;
    for (const uint32_t shared : kShared) {
      for (unsigned threads = 32; threads <= 1024; threads += 32) {
        for (unsigned registers = 8; registers <= 255; registers += 8) {
          add({.threads = threads, .registers = registers, .shared_bytes = shared});
        }
      }
    }
    EXPECT_EQ(hash, expected.shared) << expected.name;
    for (unsigned barriers = 0; barriers <= 16; ++barriers) {
      for (unsigned threads = 32; threads <= 1024; threads += 32) {
        add({.threads = threads, .registers = 16, .barriers = barriers});
      }
    }
    EXPECT_EQ(hash, expected.barriers) << expected.name;
  }
}

std::string Describe(std::string_view sm, const KernelResources& kernel) {
  return DescribeOccupancy(FindSm(sm)->limits, kernel);
}

TEST(OccupancyTest, Descriptions) {
  EXPECT_EQ(Describe("sm_80", {.threads = 256, .registers = 70}),
            "70 registers: 3 CTAs, 24 of 64 warps (37.5%), limited by registers; 80 registers give the same; 64 "
            "registers: 32 warps (50%); 81 registers: 16 warps (25%)");
  EXPECT_EQ(Describe("sm_90", {.threads = 128, .registers = 40, .shared_bytes = 20000, .barriers = 2}),
            "40 registers: 11 CTAs, 44 of 64 warps (68.8%), limited by shared memory; 41 registers: 40 warps (62.5%)");
  EXPECT_EQ(Describe("sm_86", {.threads = 1024, .registers = 64}),
            "64 registers: 1 CTA, 32 of 48 warps (66.7%), limited by warps, registers");
  EXPECT_EQ(Describe("sm_75", {.threads = 32, .registers = 255}),
            "255 registers: 8 CTAs, 8 of 32 warps (25%), limited by registers; 168 registers: 12 warps (37.5%)");
}

TEST(OccupancyTest, StepsAreWhereTheOccupancyChanges) {
  for (const SmInfo& sm : AllSms()) {
    for (const unsigned threads : {32u, 96u, 128u, 256u, 384u, 1024u}) {
      for (const uint32_t shared : {0u, 5000u, 20000u}) {
        KernelResources kernel = {.threads = threads, .shared_bytes = shared};
        const std::vector<OccupancyStep> steps = OccupancySteps(sm.limits, kernel);
        size_t step = 0;
        for (kernel.registers = 1; kernel.registers <= sm.limits.max_registers; ++kernel.registers) {
          if (step < steps.size() && kernel.registers > steps[step].registers) ++step;
          const unsigned ctas = ComputeOccupancy(sm.limits, kernel).ctas;
          ASSERT_EQ(ctas, step < steps.size() ? steps[step].occupancy.ctas : 0) << sm.name << " " << kernel.registers;
          const auto up = NextStepUp(sm.limits, kernel);
          ASSERT_EQ(up.has_value(), step > 0 && ctas < steps[0].occupancy.ctas);
          if (up) {
            ASSERT_EQ(up->registers, steps[step - 1].registers);
          }
          const auto down = NextStepDown(sm.limits, kernel);
          ASSERT_EQ(down.has_value(), step + 1 < steps.size());
          if (down) {
            ASSERT_EQ(down->registers, steps[step + 1].registers);
          }
        }
      }
    }
  }
}

TEST(OccupancyTest, RegistersForCtas) {
  const SmLimits& limits = FindSm("sm_80")->limits;
  const KernelResources kernel = {.threads = 256};
  EXPECT_EQ(RegistersForCtas(limits, kernel, 8), 32u);
  EXPECT_EQ(RegistersForCtas(limits, kernel, 4), 64u);
  EXPECT_EQ(RegistersForCtas(limits, kernel, 3), 80u);
  EXPECT_EQ(RegistersForCtas(limits, kernel, 1), 255u);
  EXPECT_EQ(RegistersForCtas(limits, kernel, 9), 0u);
  EXPECT_EQ(RegistersForCtas(limits, {.threads = 1024}, 1), 64u);
  EXPECT_EQ(RegistersForCtas(limits, {.threads = 1025}, 1), 0u);
  EXPECT_EQ(RegistersForCtas(limits, {.threads = 0}, 1), 0u);
}

TEST(OccupancyTest, Table) {
  EXPECT_EQ(OccupancyTable(*FindSm("sm_89"), {.threads = 512, .shared_bytes = 10000}),
            "sm_89: 65536 registers in units of 8 a thread, 48 warps, 24 CTAs, 102400 bytes of shared memory (101376 a "
            "CTA, in units of 128)\n"
            "512 threads and 10000 bytes of shared memory a CTA\n"
            "  registers  CTAs  warps  occupancy  limited by\n"
            "      <= 40     3     48       100%  warps, registers\n"
            "      <= 64     2     32      66.7%  registers\n"
            "     <= 128     1     16      33.3%  registers\n");
}

}  // namespace
}  // namespace ptxmir::ptx
