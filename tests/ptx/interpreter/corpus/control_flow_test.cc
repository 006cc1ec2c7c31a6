// SPDX-License-Identifier: Apache-2.0

// Compares switches, local arrays, indirect calls and unoptimized code with plain C++.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// ---- jump_table: a stack machine with 20 opcodes, activations by number, and a number parser.

enum Op : uint8_t {
  kPush,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,
  kShr,
  kDup,
  kSwap,
  kDrop,
  kJump,
  kJumpIfZero,
  kLoad,
  kStore,
  kHalt,
};

const std::map<Op, std::function<int32_t(int32_t, int32_t)>>& BinaryOps() {
  using U = uint32_t;
  static const auto& ops = *new std::map<Op, std::function<int32_t(int32_t, int32_t)>>{
      {kAdd, [](int32_t a, int32_t b) { return static_cast<int32_t>(U(a) + U(b)); }},
      {kSub, [](int32_t a, int32_t b) { return static_cast<int32_t>(U(a) - U(b)); }},
      {kMul, [](int32_t a, int32_t b) { return static_cast<int32_t>(U(a) * U(b)); }},
      {kDiv, [](int32_t a, int32_t b) { return static_cast<int32_t>(int64_t{a} / (b | 1)); }},
      {kMod, [](int32_t a, int32_t b) { return static_cast<int32_t>(int64_t{a} % (b | 1)); }},
      {kAnd, [](int32_t a, int32_t b) { return a & b; }},
      {kOr, [](int32_t a, int32_t b) { return a | b; }},
      {kXor, [](int32_t a, int32_t b) { return a ^ b; }},
      {kShl, [](int32_t a, int32_t b) { return static_cast<int32_t>(U(a) << (b & 31)); }},
      {kShr, [](int32_t a, int32_t b) { return a >> (b & 31); }},
  };
  return ops;
}

// Runs the code for one thread. Returns the top of the stack at the end.
int32_t RunCode(const std::vector<uint8_t>& code, int32_t thread, std::vector<int32_t>* memory, int limit) {
  std::vector<int32_t> stack = {thread};
  const auto pop = [&] {
    const int32_t top = stack.back();
    stack.pop_back();
    return top;
  };
  size_t pc = 0;
  for (int step = 0; step < limit; ++step) {
    const Op op = static_cast<Op>(code[pc++]);
    if (const auto binary = BinaryOps().find(op); binary != BinaryOps().end()) {
      const int32_t right = pop();
      const int32_t left = pop();
      stack.push_back(binary->second(left, right));
    } else if (op == kPush) {
      stack.push_back(static_cast<int8_t>(code[pc++]));
    } else if (op == kNot) {
      stack.back() = ~stack.back();
    } else if (op == kDup) {
      stack.push_back(stack.back());
    } else if (op == kSwap) {
      std::swap(stack.back(), stack[stack.size() - 2]);
    } else if (op == kDrop) {
      pop();
    } else if (op == kJump) {
      pc = code[pc];
    } else if (op == kJumpIfZero) {
      pc = pop() == 0 ? code[pc] : pc + 1;
    } else if (op == kLoad) {
      stack.back() = (*memory)[static_cast<size_t>(stack.back() & 1023)];
    } else if (op == kStore) {
      const size_t address = static_cast<size_t>(pop() & 1023);
      (*memory)[address] = pop();
    } else {
      break;
    }
  }
  return stack.back();
}

// Returns a program that uses the thread's number t. It sets v = t, changes v in some steps with branches and loops
// that depend on v, and stores memory[t] = v; then v is used again. Threads use disjoint memory.
std::vector<uint8_t> RandomProgram(uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<uint8_t> code = {kDup, kDup};
  const auto emit = [&](std::initializer_list<int> bytes) {
    for (const int byte : bytes) code.push_back(static_cast<uint8_t>(byte));
  };
  const auto step = [&] {
    constexpr Op kOps[] = {kAdd, kSub, kMul, kDiv, kMod, kAnd, kOr, kXor, kShl, kShr};
    const Op op = kOps[random.Between<uint32_t>(0, 9)];
    switch (random.Between<uint32_t>(0, 3)) {
      case 0:
        emit({kDup, kNot, kSwap, op});
        break;
      case 1:
        emit({kDup, kPush, 11, kXor, op});
        break;
      default:
        emit({kPush, static_cast<int8_t>(random.Between<int32_t>(2, 100)), op});
    }
  };
  while (code.size() < 150) {
    switch (random.Between<uint32_t>(0, 4)) {
      case 0: {  // if (v & 4) ...
        emit({kDup, kPush, 4, kAnd, kJumpIfZero, 0});
        const size_t target = code.size() - 1;
        step();
        code[target] = static_cast<uint8_t>(code.size());
        break;
      }
      case 1: {  // (v & 3) times ...
        emit({kDup, kPush, 3, kAnd});
        const size_t head = code.size();
        emit({kDup, kJumpIfZero, 0});
        const size_t target = code.size() - 1;
        emit({kSwap});
        step();
        emit({kSwap, kPush, 1, kSub, kJump, static_cast<int>(head)});
        code[target] = static_cast<uint8_t>(code.size());
        emit({kDrop});
        break;
      }
      default:
        step();
    }
  }
  emit({kSwap, kStore, kLoad, kHalt});
  return code;
}

class JumpTableTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  JumpTableTest() : CorpusKernels(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(, JumpTableTest, ::testing::Values("jump_table", "jump_table.phi-node-elimination"),
                         [](const auto& info) { return info.index == 0 ? "AsSelected" : "OutOfSsa"; });

TEST_P(JumpTableTest, Interpret) {
  constexpr int kThreads = 64;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<uint8_t> code = RandomProgram(seed);
    for (const int limit : {1000, 37}) {  // the whole program, and a part of it
      std::vector<int32_t> memory(1024, -1);
      const auto device_memory = Buffer(memory);
      const auto results = Output<int32_t>(kThreads);
      Launch("Interpret", {2}, {kThreads / 2}, 0, Buffer(code), device_memory, results, limit);
      std::vector<int32_t> expected;
      for (int32_t thread = 0; thread < kThreads; ++thread) {
        expected.push_back(RunCode(code, thread, &memory, limit));
      }
      ExpectEqual(results, expected, "results");
      ExpectEqual(device_memory, memory, "memory");
    }
  }
}

TEST_P(JumpTableTest, Activations) {
  constexpr int kCount = 50;
  const std::vector<float> in = Random<float>(kCount, 1, -4, 4);
  const std::vector<int32_t> kinds = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto kernel_in = Buffer(in);
  const std::vector<std::function<double(double)>> functions = {
      [](double x) { return x; },
      [](double x) { return std::max(x, 0.0); },
      [](double x) { return 1 / (1 + std::exp(-x)); },
      [](double x) { return std::tanh(x); },
      [](double x) { return x > 0 ? x : 0.01 * x; },
      [](double x) { return x > 0 ? x : std::expm1(x); },
      [](double x) { return x * 0.5 * (1 + std::erf(x * std::sqrt(0.5))); },
      [](double x) { return x / (1 + std::abs(x)); },
      [](double x) { return std::log1p(std::exp(x)); },
      [](double x) { return x * x; },
      [](double x) { return std::sin(x); },
      [](double x) { return 1 / std::sqrt(x * x + 1); },
      [](double) { return 0; },
  };
  // All kinds write to the same place, so each needs a launch of its own.
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto out = Output<float>(kCount);
    Launch("Activations", {2, 1}, {32}, 0, kernel_in, Buffer<int32_t>({kinds[kind]}), out, kCount);
    std::vector<float> expected;
    for (const float x : in) expected.push_back(static_cast<float>(functions[kind](x)));
    ExpectNear(out, expected, 2e-6, 5e-7, StrCat("kind ", kind));
  }
}

TEST_P(JumpTableTest, ParseNumbers) {
  const std::vector<std::string> numbers = {"7",       "-3",  "12.5",       "-0.015625", "1e5",    "2.5e-3", "-125e2",
                                            "3.75e+2", "1e0", "98765.4321", "0.5e10",    "-1e-12", "123456", "9.75e1",
                                            "31e-1",   "0",   "1e5 ",       "1e5    ",   "1e5 x",  "-4.5",   "77e07",
                                            "8.0",     "2e2", "1.5e0",      "64e-3",     "0.1",    "0.001",  "-0.3e1",
                                            "5e-5",    "44",  "1234.5",     "-9e9"};
  ASSERT_EQ(numbers.size(), 32u);
  std::string text;
  std::vector<int32_t> starts = {0};
  std::vector<double> expected;
  for (std::string number : numbers) {
    if (number == "44") number = "1e5 xyz";  // more than one character after the space is an error
    text += number;
    starts.push_back(static_cast<int32_t>(text.size()));
    expected.push_back(number == "1e5 xyz" ? std::numeric_limits<double>::quiet_NaN()
                                           : std::strtod(number.c_str(), nullptr));
  }
  const auto out = Output<double>(numbers.size());
  Launch("ParseNumbers", {2}, {16}, 0, Buffer(std::vector<char>(text.begin(), text.end())), Buffer(starts), out);
  ExpectNear(out, expected, 1e-12);
}

// ---- local_arrays.

class LocalArraysTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  LocalArraysTest() : CorpusKernels(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(, LocalArraysTest, ::testing::Values("local_arrays", "local_arrays.stack-frame-layout"),
                         [](const auto& info) { return info.index == 0 ? "AsSelected" : "AtTheLastPass"; });

TEST_P(LocalArraysTest, Medians) {
  constexpr int kWidth = 64;
  const std::vector<int32_t> in = Random<int32_t>(kWidth, 1, -1000, 1000);
  const auto device_in = Buffer(in);
  for (const int radius : {0, 1, 5, 16}) {
    const auto out = Output<int32_t>(kWidth);
    Launch("Medians", {2}, {kWidth / 2}, 0, device_in, out, kWidth, radius);
    std::vector<int32_t> expected;
    for (int i = 0; i < kWidth; ++i) {
      std::vector<int32_t> window;
      for (int k = -radius; k <= radius; ++k) window.push_back(in[std::clamp(i + k, 0, kWidth - 1)]);
      std::nth_element(window.begin(), window.begin() + radius, window.end());
      expected.push_back(window[static_cast<size_t>(radius)]);
    }
    ExpectEqual(out, expected, StrCat("radius ", radius));
  }
}

TEST_P(LocalArraysTest, TreeOrder) {
  constexpr int kThreads = 40;
  constexpr int kCount = 23;
  std::vector<float> keys = Random<float>(kThreads * kCount, 1, -10, 10);
  for (int i = 1; i < kThreads * kCount; i += 5) keys[i] = keys[i - 1];
  const auto device_keys = Buffer(keys);
  const auto out = Output<float>(keys.size());
  Launch("TreeOrder", {2}, {kThreads / 2}, 0, device_keys, out, kCount);
  for (int i = 0; i < kThreads; ++i) std::sort(keys.begin() + i * kCount, keys.begin() + (i + 1) * kCount);
  ExpectEqual(out, keys);
}

TEST_P(LocalArraysTest, Mixed) {
  constexpr int kThreads = 32;
  const std::vector<uint8_t> in = Random<uint8_t>(13 * kThreads, 1);
  std::vector<double> expected;
  for (int thread = 0; thread < kThreads; ++thread) {
    const uint8_t* bytes = &in[13 * thread];
    std::array<double, 8> sums = {0, 1, 2, 3, 4, 5, 6, 7};
    std::array<int64_t, 5> longs = {};
    for (int k = 0; k < 13; ++k) {
      sums[bytes[k] % 8] += bytes[bytes[k] / 8 % 4 + 1];
      longs[bytes[k] % 5] ^= bytes[k * bytes[k] % 13];
    }
    double total = 0;
    for (int k = 0; k < 8; ++k) total += sums[k] + static_cast<double>(longs[k % 5]);
    expected.push_back(total);
  }
  const auto out = Output<double>(kThreads);
  Launch("Mixed", {1}, {kThreads}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

// ---- virtual_calls.

class VirtualCallsTest : public CorpusKernels {
 protected:
  VirtualCallsTest() : CorpusKernels("virtual_calls") {}
};

TEST_F(VirtualCallsTest, ByTable) {
  const std::vector<float> in = Random<float>(32, 1, 0.5, 9);
  const std::vector<int32_t> which = Random<int32_t>(32, 2);
  std::vector<float> expected;
  for (size_t i = 0; i < in.size(); ++i) {
    const float x = in[i];
    const float first[] = {-x, x * x, 1 / x, std::sqrt(x)};
    const float second[] = {x * x, std::sqrt(x)};
    expected.push_back(first[which[i] & 3] + second[which[i] & 1]);
  }
  const auto out = Output<float>(32);
  Launch("ByTable", {1}, {32}, 0, Buffer(in), Buffer(which), out);
  ExpectNear(out, expected, 1e-6, 1e-6);
}

TEST_F(VirtualCallsTest, ByArgument) {
  // The host knows a function's address from the module's own table.
  const std::vector<uint64_t> functions = Read(Variable<uint64_t>("_ZN12_GLOBAL__N_17unariesE", 4));
  const std::vector<float> in = Random<float>(32, 1, 0.5, 9);
  const auto device_in = Buffer(in);
  std::vector<float> negated;
  std::vector<float> roots;
  for (const float x : in) {
    negated.push_back(-x);
    roots.push_back(std::sqrt(x));
  }
  const auto out = Output<float>(32);
  Launch("ByArgument", {1}, {32}, 0, functions[0], device_in, out);
  ExpectEqual(out, negated);
  Launch("ByArgument", {1}, {32}, 0, functions[3], device_in, out);
  ExpectEqual(out, roots);
}

TEST_F(VirtualCallsTest, ByStruct) {
  constexpr int kCount = 4;
  const std::vector<double> in = Random<double>(32, 1, -1, 1);
  std::vector<double> expected;
  for (double x : in) {
    for (int i = 0; i < kCount; ++i) {
      if (i % 2 == 1) {
        x += (2.0 - x) / 2;
      } else {  // 2 (1 + x + x^2 + x^3 + x^4)
        x = 2 * (1 + x * (1 + x * (1 + x * (1 + x))));
      }
    }
    expected.push_back(x);
  }
  const auto out = Output<double>(32);
  const auto names = Output<char>(kCount);
  Launch("ByStruct", {1}, {32}, 0, Buffer(in), out, names, kCount);
  ExpectNear(out, expected, 1e-13);
  ExpectEqual(names, {'p', 'm', 'p', 'm'});
}

TEST_F(VirtualCallsTest, Shapes) {
  struct alignas(16) Quad {
    float a[4];
    int32_t b;
  };
  constexpr int kCount = 20;
  const auto shapes = Output<uint64_t>(kCount);
  Launch("MakeShapes", {1}, {32}, 0, shapes, kCount);
  const auto areas = Output<float>(kCount);
  const auto quads = Output<Quad>(kCount);
  Launch("UseShapes", {1}, {kCount}, 0, shapes, areas, quads);
  std::vector<float> expected_areas;
  const std::vector<Quad> actual = ReadWithHoles(quads);
  for (int i = 0; i < kCount; ++i) {
    const float radius = 0.5f * static_cast<float>(i);
    const bool is_disc = i % 2 == 1;
    expected_areas.push_back(is_disc ? 3.14159265f * radius * radius : static_cast<float>(i * (i + 1)));
    const std::array<float, 4> a = {actual[i].a[0], actual[i].a[1], actual[i].a[2], actual[i].a[3]};
    EXPECT_EQ(a, is_disc ? (std::array<float, 4>{2 * radius, radius, 2, 1}) : (std::array<float, 4>{2, 0, 0, 0})) << i;
    EXPECT_EQ(actual[i].b, is_disc ? i + 1 : i) << i;
  }
  ExpectNear(areas, expected_areas, 1e-6);
  Launch("FreeShapes", {1}, {1}, 0, shapes, kCount);
  EXPECT_EQ(
      LaunchToFault({.kernel = "UseShapes", .grid = {}, .block = {kCount}, .cluster = {}}, shapes, areas, quads).kind,
      FaultKind::kUseAfterFree);
}

TEST_F(VirtualCallsTest, ByMember) {
  const std::vector<int32_t> in = Random<int32_t>(32, 1, -50, 50);
  const auto device_in = Buffer(in);
  std::vector<int32_t> low;
  std::vector<int32_t> high;
  for (const int32_t v : in) {
    low.push_back(v < 7 ? v : 0);
    high.push_back(v >= 7 ? v : 0);
  }
  const auto out = Output<int32_t>(32);
  Launch("ByMember", {1}, {32}, 0, device_in, out, true, 7);
  ExpectEqual(out, high);
  Launch("ByMember", {1}, {32}, 0, device_in, out, false, 7);
  ExpectEqual(out, low);
}

// ---- unoptimized.

class UnoptimizedTest : public CorpusKernels {
 protected:
  UnoptimizedTest() : CorpusKernels("unoptimized") {}

  static int32_t Classify(int32_t v, const std::vector<int32_t>& table) {
    const std::array<int32_t, 6> known = {5, 7, table[2], -1, 100, v * v};
    return v >= 0 && v < 6 ? known[static_cast<size_t>(v)] : v > 100 ? 1 : 0;
  }
};

TEST_F(UnoptimizedTest, Everything) {
  constexpr int kThreads = 32;
  const auto device_table = Variable<int32_t>("table", 8);
  ExpectEqual(device_table, {3, 1, 4, 1, 5, 9, 2, 6});
  // The smallest value decides what Classify() does.
  for (const std::vector<int32_t>& start : {std::vector<int32_t>{3, 1, 4, 1, 5, 9, 2, 6},
                                            {8, 0, 7, 9, 12, 3, 30, 5},
                                            {5, 17, 9, 6, 8, 7, 15, 6},
                                            {200, 400, 300, 150, 800, 600, 700, 500},
                                            {2, 7, 31, 5, 9, 4, 8, 10}}) {
    for (const bool flag : {false, true}) {
      for (const std::string& text : {std::string("hello"), std::string("eight..."), std::string(120, 'x')}) {
        std::vector<int32_t> table = start;
        Write(device_table, table);
        std::vector<int32_t> sorted = table;
        std::sort(sorted.begin(), sorted.end());
        const int32_t length = std::min<int32_t>({static_cast<int32_t>(text.size()) - 1, 50});
        std::vector<int32_t> expected;
        std::vector<double> expected_doubles;
        int32_t table_sum = table[0];
        for (int t = 0; t < kThreads; ++t) {
          int32_t value = flag && t % 8 > 2 ? sorted[3] : Classify(sorted[0], table);
          value += length + (flag ? 1 : 2);
          if (flag && length != 7) value ^= 0x55;
          expected.push_back(value);
          table_sum += value;
          expected_doubles.push_back(18 + std::round(std::tgamma(std::max(t % 10, 1) + 1)));
        }
        table[0] = table_sum;
        std::vector<char> characters(text.begin(), text.end());
        characters.push_back('\0');
        const auto out = Output<int32_t>(kThreads);
        const auto doubles = Output<double>(kThreads);
        Launch("Everything", {1}, {kThreads}, 0, out, doubles, Buffer(characters), flag);
        ExpectEqual(out, expected, text);
        ExpectEqual(doubles, expected_doubles, text);
        ExpectEqual(device_table, table, text);
      }
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx
