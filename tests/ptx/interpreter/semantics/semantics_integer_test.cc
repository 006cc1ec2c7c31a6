// SPDX-License-Identifier: Apache-2.0

// Compares integer kernels with slow definitions in 128-bit arithmetic, and checks the rules for undefined bits.

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/semantics/semantics_test_support.h"

namespace ptxmir::ptx {
namespace {

using Int = __int128;
using Sources = const std::vector<uint64_t>&;

// Returns the value of the low bits as a number.
Int Extend(uint64_t value, unsigned bits, bool is_signed) {
  value &= WidthMask(bits);
  if (is_signed && (value >> (bits - 1) & 1) != 0) return static_cast<Int>(value) - (static_cast<Int>(1) << bits);
  return static_cast<Int>(value);
}
Int Clamp(Int value, unsigned bits, bool is_signed) {
  const Int one = 1;
  const Int low = is_signed ? -(one << (bits - 1)) : 0;
  const Int high = is_signed ? (one << (bits - 1)) - 1 : (one << bits) - 1;
  return value < low ? low : value > high ? high : value;
}
uint64_t Low(Int value) { return static_cast<uint64_t>(value); }

struct Type {
  std::string name;
  unsigned bits;
  bool is_signed;
  Int Of(uint64_t value) const { return Extend(value, bits, is_signed); }
};
const std::vector<Type> kTypes = {{"s16", 16, true},  {"u16", 16, false}, {"s32", 32, true},
                                  {"u32", 32, false}, {"s64", 64, true},  {"u64", 64, false}};

TEST(IntegerTest, Arithmetic) {
  for (const Type& t : kTypes) {
    const auto expect = [&](std::string_view op, auto reference) {
      ExpectSame(StrCat(op, ".", t.name, " d, a, b;"),
                 [&](Sources s) { return Low(reference(t.Of(s[0]), t.Of(s[1]))); });
    };
    expect("add", [](Int a, Int b) { return a + b; });
    expect("sub", [](Int a, Int b) { return a - b; });
    expect("min", [](Int a, Int b) { return a < b ? a : b; });
    expect("max", [](Int a, Int b) { return a > b ? a : b; });
    expect("mul.lo", [](Int a, Int b) {
      return static_cast<Int>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    });
    expect("mul.hi", [&](Int a, Int b) {
      if (t.is_signed || t.bits < 64) return (a * b) >> t.bits;
      return static_cast<Int>((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> 64);
    });
    expect("div", [](Int a, Int b) { return b == 0 ? Int{-1} : a / b; });
    expect("rem", [](Int a, Int b) { return b == 0 ? Int{-1} : a % b; });
    ExpectSame(StrCat("sad.", t.name, " d, a, b, c;"), [&](Sources s) {
      const Int difference = t.Of(s[0]) - t.Of(s[1]);
      return Low(t.Of(s[2]) + (difference < 0 ? -difference : difference));
    });
    ExpectSame(StrCat("mad.lo.", t.name, " d, a, b, c;"), [&](Sources s) { return s[0] * s[1] + s[2]; });
  }
}

TEST(IntegerTest, Widening) {
  for (const Type& t : kTypes) {
    if (t.bits == 64) continue;
    ExpectSame(StrCat("mul.wide.", t.name, " d, a, b;"), [&](Sources s) { return Low(t.Of(s[0]) * t.Of(s[1])); });
    ExpectSame(StrCat("mad.wide.", t.name, " d, a, b, c;"),
               [&](Sources s) { return Low(t.Of(s[0]) * t.Of(s[1])) + s[2]; });
    ExpectSame(StrCat("mad.hi.", t.name, " d, a, b, c;"),
               [&](Sources s) { return Low((t.Of(s[0]) * t.Of(s[1])) >> t.bits) + s[2]; });
  }
}

TEST(IntegerTest, Saturating) {
  const Type s32{"s32", 32, true};
  ExpectSame("add.sat.s32 d, a, b;", [&](Sources s) { return Low(Clamp(s32.Of(s[0]) + s32.Of(s[1]), 32, true)); });
  ExpectSame("sub.sat.s32 d, a, b;", [&](Sources s) { return Low(Clamp(s32.Of(s[0]) - s32.Of(s[1]), 32, true)); });
  ExpectSame("mad.hi.sat.s32 d, a, b, c;", [&](Sources s) {
    const Int high = (s32.Of(s[0]) * s32.Of(s[1])) >> 32;
    return Low(Clamp(high + s32.Of(s[2]), 32, true));
  });
  ExpectSame("max.relu.s32 d, a, b;",
             [&](Sources s) { return Low(std::max(std::max(s32.Of(s[0]), s32.Of(s[1])), Int{0})); });
}

TEST(IntegerTest, UnaryAndLogic) {
  for (unsigned bits : {16u, 32u, 64u}) {
    ExpectSame(StrCat("neg.s", bits, " d, a;"), [](Sources s) { return 0 - s[0]; });
    ExpectSame(StrCat("abs.s", bits, " d, a;"), [&](Sources s) {
      const Int a = Extend(s[0], bits, true);
      return Low(a < 0 ? -a : a);
    });
    ExpectSame(StrCat("not.b", bits, " d, a;"), [](Sources s) { return ~s[0]; });
    ExpectSame(StrCat("cnot.b", bits, " d, a;"), [&](Sources s) { return (s[0] & WidthMask(bits)) == 0 ? 1 : 0; });
    ExpectSame(StrCat("and.b", bits, " d, a, b;"), [](Sources s) { return s[0] & s[1]; });
    ExpectSame(StrCat("or.b", bits, " d, a, b;"), [](Sources s) { return s[0] | s[1]; });
    ExpectSame(StrCat("xor.b", bits, " d, a, 255;"), [](Sources s) { return s[0] ^ 255; });
    ExpectSame(StrCat("shl.b", bits, " d, a, b;"), [&](Sources s) {
      const uint32_t n = static_cast<uint32_t>(s[1]);
      return n >= bits ? 0 : s[0] << n;
    });
    ExpectSame(StrCat("shr.u", bits, " d, a, b;"), [&](Sources s) {
      const uint32_t n = static_cast<uint32_t>(s[1]);
      return n >= bits ? 0 : (s[0] & WidthMask(bits)) >> n;
    });
    ExpectSame(StrCat("shr.s", bits, " d, a, b;"), [&](Sources s) {
      const uint32_t n = std::min(static_cast<uint32_t>(s[1]), 100u);
      return Low(Extend(s[0], bits, true) >> n);
    });
  }
  ExpectSame("and.pred p, q, r;", [](Sources s) { return s[0] & s[1]; });
  ExpectSame("or.pred p, q, r;", [](Sources s) { return s[0] | s[1]; });
  ExpectSame("xor.pred p, q, r;", [](Sources s) { return s[0] ^ s[1]; });
  ExpectSame("not.pred p, q;", [](Sources s) { return ~s[0]; });
}

TEST(IntegerTest, Lop3) {
  for (unsigned table : {0u, 0xffu, 0xe8u, 0x96u, 0xeau, 0x1bu, 0x80u}) {
    const auto reference = [&](Sources s) {
      uint32_t result = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned row = (s[0] >> i & 1) * 4 + (s[1] >> i & 1) * 2 + (s[2] >> i & 1);
        result |= (table >> row & 1) << i;
      }
      return result;
    };
    ExpectSame(StrCat("lop3.b32 d, a, b, c, ", table, ";"), reference, 100);
    ExpectSoundRule(StrCat("lop3.b32 d, a, b, c, ", table, ";"));
  }
  const Line line("lop3.or.b32 d|p, a, b, c, 0x80, q;");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line({1, 1, 1, 0}), (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(line({1, 1, 0, 0}), (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(line({1, 1, 0, 1}), (std::vector<uint64_t>{0, 1}));
}

// Compares a chain of 32-bit operations with 96-bit arithmetic.
TEST(IntegerTest, CarryChains) {
  const Line add("add.cc.u32 d, a, b;");
  const Line addc("addc.cc.u32 d, a, b;");
  const Line addc_last("addc.u32 d, a, b;");
  const Line sub("sub.cc.s32 d, a, b;");
  const Line subc("subc.cc.s32 d, a, b;");
  const Line mad("mad.lo.cc.u32 d, a, b, c;");
  const Line madc("madc.hi.u32 d, a, b, c;");
  EXPECT_TRUE(add.semantics().writes_carry && !add.semantics().reads_carry);
  EXPECT_TRUE(addc.semantics().writes_carry && addc.semantics().reads_carry);
  EXPECT_FALSE(addc_last.semantics().writes_carry);
  EXPECT_EQ(add.semantics().result_bits.back(), 1);
  Values values(5);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t a[2] = {values.Next(), values.Next() & 0xffffffff};
    const uint64_t b[2] = {values.Next(), values.Next() & 0xffffffff};
    const auto half = [](uint64_t x, unsigned h) { return x >> (32 * h) & 0xffffffff; };
    auto r0 = add({half(a[0], 0), half(b[0], 0)});
    auto r1 = addc({half(a[0], 1), half(b[0], 1), r0[1]});
    auto r2 = addc_last({a[1], b[1], r1[1]});
    Int expected = (static_cast<Int>(a[1]) << 64) + a[0] + (static_cast<Int>(b[1]) << 64) + b[0];
    EXPECT_EQ(r0[0] | r1[0] << 32, static_cast<uint64_t>(expected));
    EXPECT_EQ(r2[0], static_cast<uint32_t>(expected >> 64));
    r0 = sub({half(a[0], 0), half(b[0], 0)});
    r1 = subc({half(a[0], 1), half(b[0], 1), r0[1]});
    EXPECT_EQ(r0[0] | r1[0] << 32, a[0] - b[0]);
    EXPECT_EQ(r1[1], a[0] < b[0] ? 1u : 0u);
    // a.lo * b.lo + c, 64 bits wide.
    r0 = mad({half(a[0], 0), half(b[0], 0), a[1]});
    r1 = madc({half(a[0], 0), half(b[0], 0), b[1], r0[1]});
    const uint64_t product = half(a[0], 0) * half(b[0], 0) + a[1];
    EXPECT_EQ(r0[0], half(product, 0));
    EXPECT_EQ(r1[0], (half(product, 1) + b[1]) & 0xffffffff);
  }
  ExpectSame("addc.s64 d, a, b;", [](Sources s) { return s[0] + s[1] + (s[2] & 1); });
  EXPECT_EQ(Line("madc.hi.s32 d, a, b, c;")({0xffffffff, 2, 0, 1})[0], 0u);
}

TEST(IntegerTest, TwentyFourBits) {
  for (bool is_signed : {false, true}) {
    const std::string t = is_signed ? "s32" : "u32";
    for (bool high : {false, true}) {
      const std::string part = high ? "hi" : "lo";
      const auto product = [=](Sources s) {
        const Int full = Extend(s[0], 24, is_signed) * Extend(s[1], 24, is_signed);
        return Low(high ? full >> 16 : full);
      };
      ExpectSame(StrCat("mul24.", part, ".", t, " d, a, b;"), product);
      ExpectSame(StrCat("mad24.", part, ".", t, " d, a, b, c;"), [&](Sources s) { return product(s) + s[2]; });
    }
  }
}

TEST(IntegerTest, DotProducts) {
  for (bool a : {false, true}) {
    for (bool b : {false, true}) {
      const std::string types = StrCat(a ? "s32" : "u32", ".", b ? "s32" : "u32");
      ExpectSame(StrCat("dp4a.", types, " d, a, b, c;"), [=](Sources s) {
        Int sum = Extend(s[2], 32, true);
        for (unsigned i = 0; i < 4; ++i) sum += Extend(s[0] >> (8 * i), 8, a) * Extend(s[1] >> (8 * i), 8, b);
        return Low(sum);
      });
      for (unsigned half : {0u, 2u}) {
        ExpectSame(StrCat("dp2a.", half == 0 ? "lo." : "hi.", types, " d, a, b, c;"), [=](Sources s) {
          Int sum = Extend(s[2], 32, true);
          for (unsigned i = 0; i < 2; ++i) {
            sum += Extend(s[0] >> (16 * i), 16, a) * Extend(s[1] >> (8 * (i + half)), 8, b);
          }
          return Low(sum);
        });
      }
    }
  }
}

// The loops in the PTX ISA.
uint64_t BitFieldExtract(Sources s, unsigned bits, bool is_signed) {
  const unsigned msb = bits - 1;
  const unsigned pos = s[1] & 0xff;
  const unsigned len = s[2] & 0xff;
  const auto bit = [&](unsigned i) { return s[0] >> i & 1; };
  const uint64_t sign = !is_signed || len == 0 ? 0 : bit(std::min(pos + len - 1, msb));
  uint64_t d = 0;
  for (unsigned i = 0; i <= msb; ++i) d |= (i < len && pos + i <= msb ? bit(pos + i) : sign) << i;
  return d;
}

TEST(IntegerTest, BitFields) {
  for (const Type& t : kTypes) {
    if (t.bits == 16) continue;
    ExpectSame(StrCat("bfe.", t.name, " d, a, b, c;"),
               [&](Sources s) { return BitFieldExtract(s, t.bits, t.is_signed); });
    for (bool shift : {false, true}) {
      ExpectSame(StrCat("bfind.", shift ? "shiftamt." : "", t.name, " d, a;"), [&](Sources s) {
        Int a = t.Of(s[0]);
        if (a < 0) a = -a - 1;
        int at = -1;
        for (int i = 0; i < static_cast<int>(t.bits); ++i)
          if ((a >> i & 1) != 0) at = i;
        return shift && at >= 0 ? static_cast<int>(t.bits) - 1 - at : at;
      });
    }
  }
  for (unsigned bits : {32u, 64u}) {
    ExpectSame(StrCat("bfi.b", bits, " d, a, b, c, e;"), [&](Sources s) {
      const unsigned pos = s[2] & 0xff;
      const unsigned len = s[3] & 0xff;
      uint64_t d = s[1];
      for (unsigned i = 0; i < len && pos + i < bits; ++i) {
        d &= ~(uint64_t{1} << (pos + i));
        d |= (s[0] >> i & 1) << (pos + i);
      }
      return d;
    });
    ExpectSame(StrCat("brev.b", bits, " d, a;"), [&](Sources s) {
      uint64_t d = 0;
      for (unsigned i = 0; i < bits; ++i) d |= (s[0] >> i & 1) << (bits - 1 - i);
      return d;
    });
    ExpectSame(StrCat("popc.b", bits, " d, a;"), [&](Sources s) {
      unsigned count = 0;
      for (unsigned i = 0; i < bits; ++i) count += s[0] >> i & 1;
      return count;
    });
    ExpectSame(StrCat("clz.b", bits, " d, a;"), [&](Sources s) {
      unsigned count = 0;
      while (count < bits && (s[0] >> (bits - 1 - count) & 1) == 0) ++count;
      return count;
    });
  }
}

TEST(IntegerTest, MasksAndExtensions) {
  for (bool clamp : {false, true}) {
    const std::string mode = clamp ? "clamp" : "wrap";
    // The PTX ISA's definition of bmsk.
    ExpectSame(StrCat("bmsk.", mode, ".b32 d, a, b;"), [=](Sources s) {
      const uint32_t a = static_cast<uint32_t>(s[0]);
      const uint32_t b = static_cast<uint32_t>(s[1]);
      const uint32_t b1 = b & 31;
      const uint32_t sum = (a & 31) + b1;
      uint32_t mask0 = ~0u << (a & 31);
      uint32_t mask1 = sum >= 32 ? 0 : ~0u << sum;
      const bool position = clamp && a >= 32;
      if (position) mask0 = 0;
      if (sum >= 32 || position || (clamp && b >= 32)) {
        mask1 = 0;
      } else if (b1 == 0) {
        mask1 = ~0u;
      }
      return mask0 & ~mask1;
    });
    for (bool is_signed : {false, true}) {
      ExpectSame(StrCat("szext.", mode, is_signed ? ".s32" : ".u32", " d, a, b;"), [=](Sources s) {
        const uint32_t a = static_cast<uint32_t>(s[0]);
        const uint32_t b = static_cast<uint32_t>(s[1]);
        const uint32_t b1 = b & 31;
        const bool large = b >= 32 && clamp;
        const uint32_t mask = large ? 0 : ~0u << b1;
        const bool sign = !(b1 == 0 || large || !is_signed) && (a >> ((b1 - 1) & 31) & 1) != 0;
        return (a & ~mask) | (sign ? mask : 0);
      });
    }
    for (bool left : {false, true}) {
      ExpectSame(StrCat("shf.", left ? "l." : "r.", mode, ".b32 d, a, b, c;"), [=](Sources s) {
        const uint32_t c = static_cast<uint32_t>(s[2]);
        const uint32_t n = clamp ? std::min(c, 32u) : c & 31;
        const unsigned __int128 both = static_cast<unsigned __int128>(s[1] & 0xffffffff) << 32 | (s[0] & 0xffffffff);
        return static_cast<uint64_t>(left ? both << n >> 32 : both >> n);
      });
    }
  }
}

TEST(IntegerTest, FindNthSet) {
  const Line fns("fns.b32 d, a, b, c;");
  ASSERT_TRUE(fns.ok());
  EXPECT_EQ(fns({0xaaaaaaaa, 3, 1})[0], 3u);
  EXPECT_EQ(fns({0xaaaaaaaa, 3, 0xffffffff})[0], 3u);
  EXPECT_EQ(fns({0xaaaaaaaa, 2, 1})[0], 3u);
  EXPECT_EQ(fns({0xaaaaaaaa, 2, 0xffffffff})[0], 1u);
  EXPECT_EQ(fns({0xaaaaaaaa, 2, 0})[0], 0xffffffffu);
  EXPECT_EQ(fns({0xaaaaaaaa, 3, 0})[0], 3u);
  EXPECT_EQ(fns({0xaaaaaaaa, 0, 17})[0], 0xffffffffu);
  EXPECT_EQ(fns({0xaaaaaaaa, 0, 0x80000000})[0], 0xffffffffu);
  EXPECT_EQ(fns({~uint64_t{0}, 32, 0})[0], 0xffffffffu);
}

TEST(IntegerTest, Permute) {
  const Line generic("prmt.b32 d, a, b, c;");
  ASSERT_TRUE(generic.ok());
  EXPECT_EQ(generic({0x33221100, 0x77665544, 0x7531})[0], 0x77553311u);
  EXPECT_EQ(generic({0x33228100, 0x77665544, 0x9988})[0], 0xffff0000u);
  // The table of the PTX ISA: bytes of the result from high to low.
  struct Mode {
    const char* name;
    const char* rows[4];
  };
  const Mode modes[] = {{"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
                        {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
                        {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  for (const Mode& mode : modes) {
    const Line line(StrCat("prmt.b32.", std::string_view(mode.name), " d, a, b, c;"));
    ASSERT_TRUE(line.ok()) << mode.name;
    for (unsigned control = 0; control < 8; ++control) {
      uint64_t expected = 0;
      for (int i = 0; i < 4; ++i) expected = expected << 8 | (mode.rows[control & 3][i] - '0') * 0x11;
      EXPECT_EQ(line({0x33221100, 0x77665544, control})[0], expected) << mode.name << control;
    }
  }
}

TEST(IntegerTest, Pairs) {
  const auto pairwise = [](auto op, bool is_signed) {
    return [=](Sources s) {
      uint64_t d = 0;
      for (unsigned i = 0; i < 2; ++i) {
        const Int r = op(Extend(s[0] >> (16 * i), 16, is_signed), Extend(s[1] >> (16 * i), 16, is_signed));
        d |= (static_cast<uint64_t>(r) & 0xffff) << (16 * i);
      }
      return d;
    };
  };
  const auto min = [](Int a, Int b) { return a < b ? a : b; };
  ExpectSame("add.s16x2 d, a, b;", pairwise([](Int a, Int b) { return a + b; }, true));
  ExpectSame("min.s16x2 d, a, b;", pairwise(min, true));
  ExpectSame("min.u16x2 d, a, b;", pairwise(min, false));
  ExpectSame("min.relu.s16x2 d, a, b;", pairwise([&](Int a, Int b) { return std::max(min(a, b), Int{0}); }, true));
}

TEST(IntegerTest, UndefinedBits) {
  for (std::string_view text : {"add.s32 d, a, b;",
                                "sub.s64 d, a, b;",
                                "mul.lo.s16 d, a, b;",
                                "mad.lo.u32 d, a, b, c;",
                                "neg.s32 d, a;",
                                "and.b32 d, a, b;",
                                "or.b64 d, a, b;",
                                "xor.b16 d, a, b;",
                                "not.b32 d, a;",
                                "shl.b32 d, a, b;",
                                "shr.u64 d, a, b;",
                                "shr.s16 d, a, b;",
                                "shf.l.wrap.b32 d, a, b, c;",
                                "bfe.s32 d, a, b, c;",
                                "bfe.u64 d, a, 3, 9;",
                                "bfi.b32 d, a, b, c, e;",
                                "brev.b32 d, a;",
                                "szext.clamp.s32 d, a, b;",
                                "prmt.b32 d, a, b, c;",
                                "prmt.b32 d, a, b, 0x9a31;",
                                "add.s16x2 d, a, b;",
                                "and.pred p, q, r;",
                                "add.cc.u32 d, a, b;",
                                "madc.lo.cc.u32 d, a, b, c;",
                                "min.s32 d, a, b;",
                                "popc.b32 d, a;",
                                "mul.hi.u32 d, a, b;"}) {
    ExpectSoundRule(text);
  }
  using Masks = std::vector<uint64_t>;
  EXPECT_EQ(Line("and.b32 d, a, b;").Undefined({0xff, 0xf}, {~0ull, 0}), Masks{0xf});
  EXPECT_EQ(Line("or.b32 d, a, 15;").Undefined({0}, {0xff}), Masks{0xf0});
  EXPECT_EQ(Line("add.s32 d, a, b;").Undefined({0, 0}, {0x100, 0}), Masks{0xffffff00});
  EXPECT_EQ(Line("shl.b32 d, a, 4;").Undefined({0}, {0xff}), Masks{0xff0});
  EXPECT_EQ(Line("shr.s32 d, a, 4;").Undefined({0}, {0x80000000}), Masks{0xf8000000});
  EXPECT_EQ(Line("bfe.u32 d, a, 8, 8;").Undefined({0}, {0xff00ff}), Masks{0});
  EXPECT_EQ(Line("lop3.b32 d, a, b, c, 0x80;").Undefined({0, 0, 0}, {~0ull, 0, 0}), Masks{0});
  EXPECT_EQ(Line("add.s16x2 d, a, b;").Undefined({0, 0}, {0x10000, 0}), Masks{0xffff0000});
}

TEST(IntegerTest, Rejected) {
  for (std::string_view text :
       {"add.s32 d, a;", "add.foo.s32 d, a, b;", "add.s128 d, a, b;", "add.sat.u32 d, a, b;", "mul.s32 d, a, b;",
        "and.s32 d, a, b;", "shf.l.b32 d, a, b, c;", "bfe.b32 d, a, b, c;", "addc.s16 d, a, b;", "nonsense.s32 d, a;",
        "and.pred p, !q, r;", "add.s32 %r1.b0, a, b;"}) {
    EXPECT_FALSE(Line(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ptxmir::ptx
