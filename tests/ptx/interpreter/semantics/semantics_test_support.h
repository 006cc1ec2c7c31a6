// SPDX-License-Identifier: Apache-2.0

// Runs one line of PTX on values: parses and resolves it and calls the pure kernel.

#ifndef PTXMIR_TESTS_PTX_INTERPRETER_SEMANTICS_TEST_SUPPORT_H_
#define PTXMIR_TESTS_PTX_INTERPRETER_SEMANTICS_TEST_SUPPORT_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/code/statement.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "tests/support/sanitized.h"

namespace ptxmir::ptx {

inline uint64_t WidthMask(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// Random values. Numbers that are special in some type are more frequent.
class Values {
 public:
  explicit Values(uint32_t seed) : random_(seed) {}
  uint64_t Next() {
    static constexpr uint64_t kSpecial[] = {
        0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
        0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
        0xfffffffffffffffe,
        // f16, bf16
        0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x3f80, 0x7f80, 0xff80, 0x7fc0,
        0x0080, 0x007f, 0x7f7f,
        // f32
        0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x007fffff, 0x00800000, 0x7f7fffff,
        0x80800000, 0x3f800001, 0x4f000000, 0xcf000000, 0x5f000000, 0x3f000000, 0x40200000,
        // f64
        0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000123, 0xfff0000000000456,
        0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x41dfffffffe00000, 0x43e0000000000000,
        0xc3e0000000000000, 0x3fe0000000000000,
        // packed halves
        0x3c003c00, 0x7c00bc00, 0x00018001, 0x7e003c00};
    switch (random_() % 4) {
      case 0:
        return kSpecial[random_() % std::size(kSpecial)];
      case 1:
        return Raw() >> (random_() % 64);
      case 2:
        // Floats of moderate size in both halves.
        return (Raw() & 0x87ff87ff87ff87ff) | 0x3800380038003800;
      default:
        return Raw();
    }
  }
  uint64_t Raw() { return static_cast<uint64_t>(random_()) << 32 | random_(); }

 private:
  std::mt19937 random_;
};

class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {
    auto statements = ParseStatements(text_);
    if (!statements.ok() || statements->size() != 1) {
      ADD_FAILURE() << "cannot parse: " << text_;
      return;
    }
    statement_ = statements->front();
    ok_ = ResolveSemantics(statement_, &semantics_).ok() && semantics_.pure != nullptr;
    if (ok_) FindImmediates();
  }

  bool ok() const { return ok_; }
  const Semantics& semantics() const { return semantics_; }
  const std::string& text() const { return text_; }
  size_t num_results() const { return semantics_.result_bits.size(); }
  size_t num_sources() const { return semantics_.source_bits.size(); }
  // Returns the number of sources that are not immediates.
  size_t num_registers() const { return num_registers_; }

  // Runs up to 32 lanes; `lanes[i]` are the register sources of a lane. Checks that inactive lanes are left alone
  // and that masked execution gives the same results.
  std::vector<std::vector<uint64_t>> Run(const std::vector<std::vector<uint64_t>>& lanes) const {
    const auto all = RunMasked(lanes, kAllLanes);
    constexpr LaneMask kSome = 0x5a3c0ff1;
    const auto some = RunMasked(lanes, kSome);
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      for (size_t i = 0; i < num_results(); ++i) {
        const bool active = (kSome >> lane & 1) != 0;
        const uint64_t expected = active ? all[lane][i] : kSentinel & WidthMask(semantics_.result_bits[i]);
        EXPECT_EQ(some[lane][i], expected) << text_ << " lane " << lane;
      }
    }
    return all;
  }
  // Runs a single lane.
  std::vector<uint64_t> operator()(const std::vector<uint64_t>& sources) const { return RunMasked({sources}, 1)[0]; }

  // Returns the undefined bits of the results.
  std::vector<uint64_t> Undefined(const std::vector<uint64_t>& registers, const std::vector<uint64_t>& masks) const {
    const std::vector<uint64_t> values = WithImmediates(registers);
    std::vector<UndefinedInput> inputs;
    bool any = false;
    size_t next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t width = WidthMask(semantics_.source_bits[i]);
      const uint64_t mask = is_immediate_[i] ? 0 : masks[next++] & width;
      inputs.push_back({values[i] & width, mask});
      any |= mask != 0;
    }
    std::vector<uint64_t> results(num_results(), any ? ~uint64_t{0} : 0);
    if (any && semantics_.undefined != nullptr) {
      const std::vector<uint64_t> computed = (*this)(registers);
      semantics_.undefined(inputs, computed, semantics_.params, absl::MakeSpan(results));
    }
    for (size_t i = 0; i < results.size(); ++i) results[i] &= WidthMask(semantics_.result_bits[i]);
    return results;
  }

 private:
  static constexpr uint64_t kSentinel = 0xa5a5a5a5a5a5a5a5;

  void FindImmediates() {
    const size_t explicit_results = num_results() - (semantics_.writes_carry ? 1 : 0);
    for (size_t i = 0; i < num_sources(); ++i) {
      const size_t operand = explicit_results + i;
      const bool immediate = operand < statement_.operands.size() &&
                             (statement_.operands[operand].kind == StatementOperand::Kind::kImmediate ||
                              statement_.operands[operand].kind == StatementOperand::Kind::kFloat);
      is_immediate_.push_back(immediate);
      immediates_.push_back(immediate ? FloatImmediate(statement_.operands[operand], semantics_.source_bits[i]) : 0);
      if (!immediate) ++num_registers_;
    }
  }

  std::vector<uint64_t> WithImmediates(const std::vector<uint64_t>& registers) const {
    std::vector<uint64_t> values = immediates_;
    size_t next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!is_immediate_[i] && next < registers.size()) values[i] = registers[next++];
    }
    return values;
  }

  using Row = std::array<uint64_t, 32>;
  static void Put(Row* row, unsigned bits, unsigned lane, uint64_t value) {
    if (bits == 1) {
      LaneMask mask;
      std::memcpy(&mask, row, sizeof mask);
      mask = (mask & ~(LaneMask{1} << lane)) | static_cast<LaneMask>(value & 1) << lane;
      std::memcpy(row, &mask, sizeof mask);
    } else {
      std::memcpy(reinterpret_cast<char*>(row) + lane * (bits / 8), &value, bits / 8);
    }
  }
  static uint64_t Get(const Row& row, unsigned bits, unsigned lane) {
    uint64_t value = 0;
    if (bits == 1) {
      std::memcpy(&value, &row, sizeof(LaneMask));
      return value >> lane & 1;
    }
    std::memcpy(&value, reinterpret_cast<const char*>(&row) + lane * (bits / 8), bits / 8);
    return value;
  }

  std::vector<std::vector<uint64_t>> RunMasked(const std::vector<std::vector<uint64_t>>& lanes, LaneMask mask) const {
    std::vector<Row> rows(num_results() + num_sources());
    const auto width = [&](size_t row) {
      return row < num_results() ? semantics_.result_bits[row] : semantics_.source_bits[row - num_results()];
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::vector<uint64_t> sources = WithImmediates(lanes[lane % lanes.size()]);
      for (size_t i = 0; i < rows.size(); ++i) {
        Put(&rows[i], width(i), lane, i < num_results() ? kSentinel : sources[i - num_results()]);
      }
    }
    std::vector<void*> pointers;
    for (Row& row : rows) pointers.push_back(&row);
    semantics_.pure(pointers.data(), mask, semantics_.params);
    std::vector<std::vector<uint64_t>> results(lanes.size());
    for (unsigned lane = 0; lane < lanes.size(); ++lane) {
      for (size_t i = 0; i < num_results(); ++i) results[lane].push_back(Get(rows[i], width(i), lane));
    }
    return results;
  }

  std::string text_;
  Statement statement_;
  Semantics semantics_;
  bool ok_ = false;
  size_t num_registers_ = 0;
  std::vector<bool> is_immediate_;
  std::vector<uint64_t> immediates_;
};

// Compares a line with one result with a reference for one lane, on `rounds` times 32 inputs.
template <typename Reference>
void ExpectSame(std::string_view text, Reference reference, uint64_t rounds = 400) {
  const Line line(text);
  ASSERT_TRUE(line.ok()) << text;
  Values values(static_cast<uint32_t>(std::hash<std::string_view>()(text)));
  for (uint64_t round = 0; round < testing::NumInputs(rounds); ++round) {
    std::vector<std::vector<uint64_t>> lanes(32);
    for (auto& lane : lanes) {
      for (size_t i = 0; i < line.num_registers(); ++i) lane.push_back(values.Next());
    }
    const auto results = line.Run(lanes);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint64_t expected =
          static_cast<uint64_t>(reference(lanes[lane])) & WidthMask(line.semantics().result_bits[0]);
      ASSERT_EQ(results[lane][0], expected)
          << text << " of " << absl::StrCat(absl::Hex(lanes[lane][0])) << " "
          << (lanes[lane].size() > 1 ? absl::StrCat(absl::Hex(lanes[lane][1])) : "") << " "
          << (lanes[lane].size() > 2 ? absl::StrCat(absl::Hex(lanes[lane][2])) : "") << ": "
          << absl::StrCat(absl::Hex(results[lane][0])) << " not " << absl::StrCat(absl::Hex(expected));
    }
  }
}

// Checks that bits that the rule calls defined do not depend on undefined ones.
inline void ExpectSoundRule(std::string_view text, uint64_t rounds = 300) {
  const Line line(text);
  ASSERT_TRUE(line.ok()) << text;
  Values values(1);
  for (uint64_t round = 0; round < testing::NumInputs(rounds); ++round) {
    std::vector<uint64_t> sources;
    std::vector<uint64_t> masks;
    for (size_t i = 0; i < line.num_registers(); ++i) {
      sources.push_back(values.Next());
      const uint64_t kind = values.Raw() % 4;
      masks.push_back(kind == 0   ? 0
                      : kind == 1 ? values.Raw() & values.Raw() & values.Raw()
                      : kind == 2 ? uint64_t{1} << (values.Raw() % 64)
                                  : values.Raw());
    }
    const auto undefined = line.Undefined(sources, masks);
    const auto before = line(sources);
    for (int i = 0; i < 8; ++i) {
      std::vector<uint64_t> changed = sources;
      for (size_t s = 0; s < changed.size(); ++s) changed[s] ^= values.Raw() & masks[s];
      const auto after = line(changed);
      for (size_t r = 0; r < after.size(); ++r) {
        ASSERT_EQ((before[r] ^ after[r]) & ~undefined[r], 0u) << text << ", result " << r;
      }
    }
  }
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_TESTS_PTX_INTERPRETER_SEMANTICS_TEST_SUPPORT_H_
