// SPDX-License-Identifier: Apache-2.0

#include "bench/mir_generator.h"

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "base/str_cat.h"

namespace ptxmir::bench {
namespace {

class FunctionGenerator {
 public:
  FunctionGenerator(size_t number, size_t instructions, uint32_t seed, GeneratorShape shape)
      : name_(StrCat("kernel_", number)), instructions_(instructions), random_(seed), shape_(shape) {}

  const std::string& name() const { return name_; }

  void Generate(std::string& out) {
    EmitEntry();
    switch (shape_) {
      case GeneratorShape::kOneBlock:
        while (count_ + 2 < instructions_) EmitWork(pointer_, words_);
        break;
      case GeneratorShape::kLoopNest:
        EmitLoopNest();
        break;
      case GeneratorShape::kSegments:
      case GeneratorShape::kSmallBlocks:
        while (!is_complete_) {
          if (shape_ == GeneratorShape::kSmallBlocks || random_() % 4 == 0) {
            EmitDiamond();
          } else {
            EmitLoop();
          }
        }
        break;
    }
    Instr(StrCat("ST_i32 ", Any(words_), ", 0, 0, 1, 32, ", pointer_, ", 0 :: (store (s32) into %ir.0, addrspace 1)"));
    Instr("Return");
    WriteDocument(out);
  }

 private:
  enum Class { kB1, kB32, kB64 };
  static constexpr std::array<std::string_view, 3> kClassNames = {"b1", "b32", "b64"};

  std::string New(Class reg_class) {
    classes_.push_back(reg_class);
    return StrCat("%", classes_.size() - 1);
  }

  void Instr(std::string_view text) {
    StrAppend(&body_, "    ", text, "\n");
    ++count_;
  }
  // Appends `%d:class = text` and returns the new register.
  std::string Define(Class reg_class, std::string_view text) {
    std::string reg = New(reg_class);
    Instr(StrCat(reg, ":", kClassNames[reg_class], " = ", text));
    return reg;
  }

  const std::string& Any(const std::vector<std::string>& values) {
    // Mostly recent values, so that live ranges have realistic lengths.
    const size_t window = values.size() < 24 ? values.size() : 24;
    return values[values.size() - 1 - random_() % window];
  }

  void BeginBlock(std::string_view successors) {
    StrAppend(&body_, block_ == 0 ? "" : "\n", "  bb.", block_, ":\n");
    if (!successors.empty()) StrAppend(&body_, "    successors: ", successors, "\n\n");
    ++block_;
  }

  void EmitEntry() {
    BeginBlock(shape_ == GeneratorShape::kOneBlock ? "" : "%bb.1(0x80000000)");
    const std::string generic =
        Define(kB64, StrCat("LD_i64 0, 0, 101, 3, 64, -1, &", name_,
                            "_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)"));
    pointer_ = Define(kB64, StrCat("cvta_to_global_64 killed ", generic));
    const std::string limit =
        Define(kB32, StrCat("LD_i32 0, 0, 101, 3, 32, -1, &", name_,
                            "_param_1, 0 :: (dereferenceable invariant load (s32), addrspace 101)"));
    words_ = {limit, Define(kB32, "INT_PTX_SREG_TID_x"), Define(kB32, "MOV_B32_i 1065353216")};
  }

  // Begins the block after a segment. It falls through into the next segment, if there is one.
  void BeginJoinBlock() {
    is_complete_ = count_ + 40 >= instructions_;
    BeginBlock(is_complete_ ? std::string() : StrCat("%bb.", block_ + 1, "(0x80000000)"));
  }

  void EmitArithmetic(std::vector<std::string>& values) {
    const std::string a = Any(values);
    const std::string b = Any(values);
    const std::string c = Any(values);
    switch (random_() % 10) {
      case 0:
      case 1:
      case 2:
        values.push_back(Define(kB32, StrCat("contract FMA_F32rrr ", a, ", ", b, ", ", c, ", 0")));
        break;
      case 3:
        values.push_back(Define(kB32, StrCat("ADD32rr ", a, ", ", b)));
        break;
      case 4:
        values.push_back(Define(kB32, StrCat("ADD32ri ", a, ", ", random_() % 512)));
        break;
      case 5:
        values.push_back(Define(kB32, StrCat("AND_b32ri ", a, ", 255")));
        break;
      case 6:
        values.push_back(Define(kB32, StrCat("SHL32_ri ", a, ", ", 1 + random_() % 30)));
        break;
      case 7:
        values.push_back(Define(kB32, StrCat("XOR_b32rr ", a, ", ", b)));
        break;
      case 8: {
        const std::string predicate = Define(kB1, StrCat("SETP_f32rr ", a, ", ", b, ", 4, 0"));
        values.push_back(Define(kB32, StrCat("SELP_f32rr ", b, ", ", c, ", killed ", predicate)));
        break;
      }
      case 9:
        values.push_back(Define(kB32, StrCat("MAD_LO_S32rrr ", a, ", ", b, ", ", c)));
        break;
    }
  }

  // Appends a load or arithmetic.
  void EmitWork(const std::string& address, std::vector<std::string>& values) {
    if (random_() % 4 == 0) {
      values.push_back(Define(kB32, StrCat("LD_i32 0, 0, 1, 3, 32, -1, ", address, ", ", 4 * (random_() % 64),
                                           " :: (load (s32) from %ir.0, addrspace 1)")));
    } else {
      EmitArithmetic(values);
    }
  }

  // Removes kill flags, because values may be used again.
  static void DropKills(std::string& text) {
    for (size_t at; (at = text.find("killed ")) != std::string::npos;) text.erase(at, 7);
  }

  void EmitLoop() {
    const unsigned before = block_ - 1;
    const unsigned self = block_;
    const size_t body_start = body_.size();
    BeginBlock(StrCat("%bb.", self, "(0x7c000000), %bb.", self + 1, "(0x04000000)"));
    const size_t num_sums = 1 + random_() % 4;
    const std::string induction = New(kB32);
    const std::string address = New(kB64);
    std::vector<std::string> sums;
    for (size_t i = 0; i < num_sums; ++i) sums.push_back(New(kB32));
    const std::string initial = Any(words_);
    std::vector<std::string> initial_sums;
    for (size_t i = 0; i < num_sums; ++i) initial_sums.push_back(Any(words_));
    const std::string next_induction = New(kB32);
    const std::string next_address = New(kB64);
    std::vector<std::string> next_sums;
    for (size_t i = 0; i < num_sums; ++i) next_sums.push_back(New(kB32));
    const auto phi = [&](const std::string& d, std::string_view c, const std::string& from, const std::string& next) {
      Instr(StrCat(d, ":", c, " = PHI ", from, ", %bb.", before, ", ", next, ", %bb.", self));
    };
    phi(induction, "b32", initial, next_induction);
    phi(address, "b64", pointer_, next_address);
    for (size_t i = 0; i < num_sums; ++i) phi(sums[i], "b32", initial_sums[i], next_sums[i]);
    std::vector<std::string> values =
        words_.size() > 4 ? std::vector<std::string>(words_.end() - 4, words_.end()) : words_;
    values.push_back(induction);
    values.insert(values.end(), sums.begin(), sums.end());
    const size_t work = 6 + random_() % 24;
    for (size_t i = 0; i < work; ++i) EmitWork(address, values);
    for (size_t i = 0; i < num_sums; ++i) {
      Instr(StrCat(next_sums[i], ":b32 = contract FMA_F32rrr ", Any(values), ", ", Any(values), ", ", sums[i], ", 0"));
    }
    Instr(StrCat(next_address, ":b64 = ADD64ri ", address, ", 128"));
    Instr(StrCat(next_induction, ":b32 = ADD32ri ", induction, ", -1"));
    const std::string predicate = Define(kB1, StrCat("SETP_i32ri ", next_induction, ", 0, 1"));
    Instr(StrCat("CBranch ", predicate, ", %bb.", self));
    std::string segment = body_.substr(body_start);
    DropKills(segment);
    body_.replace(body_start, std::string::npos, segment);
    BeginJoinBlock();
    words_.insert(words_.end(), next_sums.begin(), next_sums.end());
    words_.push_back(next_induction);
  }

  // A loop consists of a header and a latch, with the next loop between the two.
  void EmitLoopNest() {
    constexpr unsigned kDepth = 1000;
    const size_t work = instructions_ / (2 * kDepth);
    std::vector<std::string> inductions, next;
    for (unsigned depth = 0; depth < kDepth; ++depth) {
      BeginBlock(StrCat("%bb.", block_ + 1, "(0x80000000)"));
      inductions.push_back(New(kB32));
      next.push_back(New(kB32));
      const unsigned latch = 2 * kDepth - depth;
      Instr(StrCat(inductions[depth], ":b32 = PHI ", words_[0], ", %bb.", depth, ", ", next[depth], ", %bb.", latch));
      words_.push_back(inductions[depth]);
      for (size_t i = 0; i < work; ++i) EmitWork(pointer_, words_);
    }
    for (unsigned depth = kDepth; depth-- > 0;) {
      BeginBlock(StrCat("%bb.", depth + 1, "(0x7c000000), %bb.", block_ + 1, "(0x04000000)"));
      for (size_t i = 0; i < work; ++i) EmitWork(pointer_, words_);
      Instr(StrCat(next[depth], ":b32 = ADD32ri ", inductions[depth], ", -1"));
      const std::string predicate = Define(kB1, StrCat("SETP_i32ri ", next[depth], ", 0, 1"));
      Instr(StrCat("CBranch ", predicate, ", %bb.", depth + 1));
    }
    BeginBlock("");
  }

  void EmitDiamond() {
    const unsigned head = block_;
    const size_t body_start = body_.size();
    BeginBlock(StrCat("%bb.", head + 2, "(0x40000000), %bb.", head + 1, "(0x40000000)"));
    const std::string predicate = Define(kB1, StrCat("SETP_i32rr ", Any(words_), ", ", Any(words_), ", 2"));
    Instr(StrCat("CBranch ", predicate, ", %bb.", head + 2));
    std::array<std::vector<std::string>, 2> arms;
    for (unsigned arm = 0; arm < 2; ++arm) {
      BeginBlock(StrCat("%bb.", head + 3, "(0x80000000)"));
      arms[arm] = words_.size() > 6 ? std::vector<std::string>(words_.end() - 6, words_.end()) : words_;
      const size_t work = 3 + random_() % 8;
      for (size_t i = 0; i < work; ++i) EmitArithmetic(arms[arm]);
      if (arm == 0) Instr(StrCat("GOTO %bb.", head + 3));
    }
    std::string segment = body_.substr(body_start);
    DropKills(segment);
    body_.replace(body_start, std::string::npos, segment);
    BeginJoinBlock();
    for (int i = 0; i < 2; ++i) {
      const std::string joined =
          Define(kB32, StrCat("PHI ", Any(arms[0]), ", %bb.", head + 1, ", ", Any(arms[1]), ", %bb.", head + 2));
      words_.push_back(joined);
    }
  }

  void WriteDocument(std::string& out) const {
    StrAppend(&out, "---\nname:            ", name_,
              "\nalignment:       1\ntracksRegLiveness: true\nisSSA:           true\n", "registers:\n");
    for (size_t i = 0; i < classes_.size(); ++i) {
      StrAppend(&out, "  - { id: ", i, ", class: ", kClassNames[classes_[i]],
                ", preferred-register: '', flags: [  ] }\n");
    }
    StrAppend(&out, "body:             |\n", body_, "...\n");
  }

  std::string name_;
  size_t instructions_;
  std::mt19937 random_;
  const GeneratorShape shape_;
  std::string body_;
  std::vector<Class> classes_;
  std::vector<std::string> words_;  // 32-bit values that dominate the current position
  std::string pointer_;
  size_t count_ = 0;
  unsigned block_ = 0;
  bool is_complete_ = false;
};

}  // namespace

std::string GenerateMir(const GeneratorOptions& options) {
  std::string ir =
      "--- |\n"
      "  target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n"
      "  target triple = \"nvptx64-nvidia-cuda\"\n\n";
  std::string functions;
  const size_t count = options.functions == 0 ? 1 : options.functions;
  for (size_t i = 0; i < count; ++i) {
    FunctionGenerator generator(i, options.instructions / count, options.seed + static_cast<uint32_t>(i),
                                options.shape);
    StrAppend(&ir, "  define ptx_kernel void @", generator.name(), "(ptr %0, i32 %1) {\n    ret void\n  }\n\n");
    generator.Generate(functions);
  }
  return StrCat(ir, "...\n", functions);
}

}  // namespace ptxmir::bench
