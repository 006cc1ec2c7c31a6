// SPDX-License-Identifier: Apache-2.0

#include "passes/support/copy_sequencer.h"

#include <algorithm>
#include <map>
#include <random>

#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

// Executes copies in parallel or one by one, on registers that hold distinct values.
std::map<Register, int> Execute(const std::vector<RegisterCopy>& copies, size_t num_registers, bool parallel) {
  std::map<Register, int> values;
  for (uint32_t i = 0; i < num_registers; ++i) values[Register::Virtual(i)] = static_cast<int>(i);
  const std::map<Register, int> before = values;
  for (const RegisterCopy& copy : copies) {
    values[copy.target] = parallel ? before.at(copy.source) : values[copy.source];
  }
  return values;
}

TEST(CopySequencerTest, RandomParallelCopiesKeepTheirMeaning) {
  std::mt19937 random(7);
  MachineFunction function(nullptr, testing::TinyTarget(), "f", 0);
  for (uint32_t i = 0; i < 12; ++i) function.reg_info().CreateVirtualRegister(testing::kI32);
  CopySequencer sequencer(function.reg_info());
  for (int round = 0; round < 5000; ++round) {
    const uint32_t num_registers = 1 + random() % 12;
    std::vector<uint32_t> targets(num_registers);
    for (uint32_t i = 0; i < num_registers; ++i) targets[i] = i;
    std::shuffle(targets.begin(), targets.end(), random);
    targets.resize(random() % (num_registers + 1));
    std::vector<RegisterCopy> parallel;
    for (uint32_t target : targets) {
      parallel.push_back({Register::Virtual(target), Register::Virtual(random() % num_registers)});
    }
    const std::vector<RegisterCopy>& sequence = sequencer.Sequentialize(parallel);
    const std::map<Register, int> wanted = Execute(parallel, num_registers, true);
    const std::map<Register, int> got = Execute(sequence, num_registers, false);
    for (const auto& [reg, value] : wanted) EXPECT_EQ(got.at(reg), value) << "round " << round;
    // At most one extra copy for every two parallel ones (a swap).
    EXPECT_LE(sequence.size(), parallel.size() + parallel.size() / 2);
  }
}

TEST(CopySequencerTest, RotationOfManyRegistersIsLinearAndUsesOneTemporary) {
  MachineFunction function(nullptr, testing::TinyTarget(), "f", 0);
  constexpr uint32_t kCount = 100000;
  std::vector<RegisterCopy> parallel;
  for (uint32_t i = 0; i < kCount; ++i) {
    function.reg_info().CreateVirtualRegister(testing::kI32);
    parallel.push_back({Register::Virtual(i), Register::Virtual((i + 1) % kCount)});
  }
  CopySequencer sequencer(function.reg_info());
  const std::vector<RegisterCopy>& sequence = sequencer.Sequentialize(parallel);
  EXPECT_EQ(sequence.size(), kCount + 1);
  EXPECT_EQ(function.reg_info().num_virtual_registers(), kCount + 1);
}

}  // namespace
}  // namespace ptxmir
