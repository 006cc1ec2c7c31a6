// SPDX-License-Identifier: Apache-2.0

// Runs kernels of tests/corpus in the interpreter, for tests that compare the results with a reference of their
// own.
//
//     class AesTest : public CorpusKernels {
//      protected:
//       AesTest() : CorpusKernels("aes") {}
//     };
//     TEST_F(AesTest, EncryptConstant) {
//       const auto in = Buffer(Random<uint32_t>(64, 1));
//       const auto out = Output<uint32_t>(64);
//       Launch("EncryptConstant", {1}, {32}, 0, keys, in, out, 16);
//       ExpectEqual(out, expected);
//     }
//
// A test sees a single device, but there are several behind it: with the kernels as they were read, after some
// passes of the -O0 pipeline, and after all of them. Each launch runs on all devices, and afterwards all memory
// must be identical, bit by bit. A test of a kernel's results is therefore also a test of the passes.
//
// Output() is undefined until it is written, and comparing undefined bits fails. This finds elements that a kernel
// should have written but did not.

#ifndef PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_KERNEL_FIXTURE_H_
#define PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_KERNEL_FIXTURE_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "ptx/interpreter/exec/device.h"

namespace ptxmir::ptx {

// An array in global memory of the device. A kernel gets it as a pointer.
template <typename T>
struct DeviceBuffer {
  uint64_t address = 0;
  size_t count = 0;

  uint64_t bytes() const { return count * sizeof(T); }
};

// Random numbers that are the same on every machine.
class RandomNumbers {
 public:
  // Sequences of neighboring seeds have nothing in common.
  explicit RandomNumbers(uint64_t seed) : random_(SplitMix64(seed).Next()) {}
  uint64_t Next() { return random_.Next(); }
  // Any() returns a random integer of any bits. Between() returns a number in [low, high); for integers, in [low,
  // high].
  template <typename T>
  T Any() {
    static_assert(std::is_integral_v<T>);
    return static_cast<T>(Next());
  }
  template <typename T>
  T Between(T low, T high) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1p-53));
    } else {
      return static_cast<T>(low + static_cast<T>(Next() % (static_cast<uint64_t>(high - low) + 1)));
    }
  }

 private:
  SplitMix64 random_;
};

template <typename T>
std::vector<T> Random(size_t count, uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = random.Any<T>();
  return values;
}
template <typename T>
std::vector<T> Random(size_t count, uint64_t seed, std::type_identity_t<T> low, std::type_identity_t<T> high) {
  RandomNumbers random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = random.Between<T>(low, high);
  return values;
}

class CorpusKernels : public ::testing::Test {
 protected:
  // `unit` is the name of a file: "aes" is tests/corpus/aes.mir.
  explicit CorpusKernels(std::string unit) : unit_(std::move(unit)) {}
  ~CorpusKernels() override;

  // ---- Memory.
  template <typename T>
  DeviceBuffer<T> Buffer(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const DeviceBuffer<T> buffer{Allocate(values.size() * sizeof(T), false), values.size()};
    Write(buffer, values);
    return buffer;
  }
  template <typename T>
  DeviceBuffer<T> Zeros(size_t count) {
    return {Allocate(count * sizeof(T), false), count};
  }
  template <typename T>
  DeviceBuffer<T> Output(size_t count) {
    return {Allocate(count * sizeof(T), true), count};
  }
  // Returns a variable of the module in global or constant memory. Its name is matched like that of a kernel.
  template <typename T>
  DeviceBuffer<T> Variable(std::string_view name, size_t count = 1) {
    return {AddVariable(name, count * sizeof(T)), count};
  }
  template <typename T>
  void Write(const DeviceBuffer<T>& buffer, const std::vector<T>& values) {
    WriteBytes(buffer.address, values.data(), values.size() * sizeof(T));
  }
  // Fails if a bit is undefined.
  template <typename T>
  std::vector<T> Read(const DeviceBuffer<T>& buffer) {
    std::vector<T> values(buffer.count);
    ReadBytes(buffer.address, values.data(), buffer.bytes(), sizeof(T));
    return values;
  }
  // For structures with padding, which is undefined.
  template <typename T>
  std::vector<T> ReadWithHoles(const DeviceBuffer<T>& buffer) {
    std::vector<T> values(buffer.count);
    ReadBytes(buffer.address, values.data(), buffer.bytes(), 0);
    return values;
  }
  // See Device.
  uint64_t CreateTexture(const Device::TextureDesc& desc, absl::Span<const uint8_t> texels);
  std::vector<uint8_t> ReadTexture(uint64_t handle, size_t bytes);

  // ---- Launches. `kernel` is the mangled name, or the part of it after "_Z" and the length: "Stream", or
  // "StreamILi2EE" for Stream<2>. It must name exactly one kernel. Arguments are buffers, or values of exactly the
  // parameter's type. A launch fails on a fault, and if the stages disagree.
  template <typename... Args>
  LaunchResult Launch(std::string_view kernel, Dim3 grid, Dim3 block, uint32_t dynamic_shared_bytes,
                      const Args&... args) {
    LaunchConfig config;
    config.kernel = kernel;
    config.grid = grid;
    config.block = block;
    config.dynamic_shared_bytes = dynamic_shared_bytes;
    return LaunchWith(config, args...);
  }
  template <typename... Args>
  LaunchResult LaunchWith(const LaunchConfig& config, const Args&... args) {
    return LaunchStages(config, {Argument(args)...}, /*may_fault=*/false);
  }
  // For kernels that are meant to fault. The stages must agree on the kind of fault.
  template <typename... Args>
  Fault LaunchToFault(const LaunchConfig& config, const Args&... args) {
    return LaunchStages(config, {Argument(args)...}, /*may_fault=*/true).fault;
  }

  // ---- Comparisons. Messages name the first elements that differ. Compares bit by bit.
  template <typename T>
  void ExpectEqual(const DeviceBuffer<T>& buffer, const std::vector<T>& expected, std::string_view what = "") {
    ExpectEqualValues(Read(buffer), expected, what);
  }
  template <typename T>
  static void ExpectEqualValues(const std::vector<T>& actual, const std::vector<T>& expected,
                                std::string_view what = "") {
    Compare<T>(actual, expected, what, [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof a) == 0; });
  }
  // a - b| <= relative * |b| + absolute; NaN equals NaN.
  template <typename T>
  void ExpectNear(const DeviceBuffer<T>& buffer, const std::vector<std::type_identity_t<T>>& expected, double relative,
                  double absolute = 0, std::string_view what = "") {
    ExpectNearValues<T>(Read(buffer), expected, relative, absolute, what);
  }
  template <typename T>
  static void ExpectNearValues(const std::vector<T>& actual, const std::vector<T>& expected, double relative,
                               double absolute = 0, std::string_view what = "") {
    Compare<T>(actual, expected, what, [&](T a, T b) {
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
      if (a == b) return true;
      return std::abs(double{a} - double{b}) <= relative * std::abs(double{b}) + absolute;
    });
  }

  // For kernels that read clocks, which differ between stages: keeps only the first stage.
  void KeepOneStage() { stages_.resize(1); }

  // For kernels whose threads race for memory on purpose, with the same results in any order.
  void AllowRaces() { allows_races_ = true; }

  // The step limit of a launch. A step is one instruction of a warp.
  static constexpr uint64_t kMaxSteps = 1 << 25;

  void SetUp() override;

 private:
  struct Stage {
    std::string_view name;
    std::unique_ptr<Device> device;
  };
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };

  template <typename T>
  static KernelArgument Argument(const DeviceBuffer<T>& buffer) {
    return KernelArgument::Of(buffer.address);
  }
  template <typename T>
  static KernelArgument Argument(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return KernelArgument::Of(value);
  }

  template <typename T, typename Equal>
  static void Compare(const std::vector<T>& actual, const std::vector<T>& expected, std::string_view what,
                      const Equal& equal) {
    ASSERT_EQ(actual.size(), expected.size()) << what;
    size_t different = 0;
    std::string message;
    for (size_t i = 0; i < actual.size(); ++i) {
      if (equal(actual[i], expected[i])) continue;
      if (++different > 8) continue;
      StrAppend(&message, "  [", i, "]: ", ::testing::PrintToString(actual[i]), ", expected ",
                ::testing::PrintToString(expected[i]), "\n");
    }
    EXPECT_EQ(different, 0u) << what << " differs in " << different << " of " << actual.size() << " elements:\n"
                             << message;
  }

  uint64_t Allocate(uint64_t bytes, bool undefined);
  uint64_t AddVariable(std::string_view name, uint64_t bytes);
  void WriteBytes(uint64_t address, const void* data, size_t bytes);
  // `element_size` is 0 if undefined bits are expected.
  void ReadBytes(uint64_t address, void* data, size_t bytes, size_t element_size);
  LaunchResult LaunchStages(LaunchConfig config, const std::vector<KernelArgument>& arguments, bool may_fault);
  void ExpectSameMemory(std::string_view kernel);

  std::string unit_;
  bool allows_races_ = false;
  std::vector<Stage> stages_;
  std::vector<Block> blocks_;  // known to the test
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_KERNEL_FIXTURE_H_
