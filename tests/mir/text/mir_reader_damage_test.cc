// SPDX-License-Identifier: Apache-2.0

// Damaged input. For any damage to a file, the reader returns, and reports an error if it returns nothing. The test
// is most useful under the sanitizers (--config=asan).
//
// The damage is the same in every run. Set PTXMIR_DAMAGE_ROUNDS for more damage than fits a normal test run.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

// The memory that a function may need for each byte of a damaged file, and for the smallest file.
constexpr size_t kMaxBytesPerByte = 100;
constexpr size_t kBaseBytes = size_t{64} << 20;

// Reads a text with arbitrary contents.
void ReadDamaged(std::string text) {
  const size_t size = text.size();
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("damaged.mir", std::move(text)), ptx::PtxTargetInfo(), diagnostics);
  ASSERT_EQ(module == nullptr, diagnostics.has_errors());
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    EXPECT_FALSE(diagnostic.message.empty());
  }
  if (module == nullptr) return;
  size_t reserved = 0;
  for (const auto& function : module->machine_functions()) {
    EXPECT_EQ(function->reg_info().CheckUseLists(), "");
    reserved += function->arena().bytes_reserved();
  }
  EXPECT_LE(reserved, kBaseBytes + kMaxBytesPerByte * size);
}

std::string ReadText(const std::string& path) {
  auto buffer = SourceBuffer::FromFile(path);
  EXPECT_TRUE(buffer.ok()) << path;
  return buffer.ok() ? std::string((*buffer)->text()) : std::string();
}

// Returns the texts to damage: one with every construct, and the beginnings of the corpus's files (the IR,
// shortened, and the first functions).
std::vector<std::string> Victims() {
  std::vector<std::string> victims = {ReadText("tests/mir/text/every_operand.mir")};
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".mir") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty());
  constexpr size_t kMachineCode = 12000;
  for (size_t i = 0; i < paths.size(); i += 7) {
    const std::string text = ReadText(paths[i]);
    const size_t ir_end = text.find("\n...\n");
    if (ir_end == std::string::npos) continue;
    // The IR names the functions, so it is kept whole up to a size that can be read quickly.
    if (ir_end > 60000) continue;
    victims.push_back(text.substr(0, std::min(text.size(), ir_end + kMachineCode)));
  }
  return victims;
}

size_t Rounds(size_t usual) {
  const char* rounds = std::getenv("PTXMIR_DAMAGE_ROUNDS");
  return rounds == nullptr ? testing::NumInputs(usual) : usual * std::strtoul(rounds, nullptr, 10);
}

class Vandal {
 public:
  explicit Vandal(uint32_t seed) : random_(seed) {}

  std::string Damage(std::string text) {
    for (size_t n = 1 + Pick(3); n > 0 && !text.empty(); --n) DamageOnce(text);
    return text;
  }

 private:
  size_t Pick(size_t bound) { return random_() % bound; }

  void DamageOnce(std::string& text) {
    static constexpr std::string_view kPieces[] = {"%4000000000",
                                                   "%bb.999999999",
                                                   "4294967295",
                                                   "18446744073709551616",
                                                   "99999999999999999999999",
                                                   "- ",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "'",
                                                   "\"",
                                                   "`",
                                                   "(",
                                                   ")",
                                                   "::",
                                                   ":: (load",
                                                   "!",
                                                   "&",
                                                   "@",
                                                   "%",
                                                   "$",
                                                   "%stack.9",
                                                   "bb.7:",
                                                   "bb.0:",
                                                   "\n...\n",
                                                   "\n---\n",
                                                   "|",
                                                   ">",
                                                   "#",
                                                   ";",
                                                   "/*",
                                                   "*/",
                                                   "\\",
                                                   "\t",
                                                   "\r",
                                                   "\n",
                                                   "\n\n",
                                                   ",",
                                                   "=",
                                                   "<",
                                                   ">",
                                                   "_",
                                                   "killed ",
                                                   "implicit-def ",
                                                   "(tied-def 3)",
                                                   "i99999999 1",
                                                   "float ",
                                                   "0x",
                                                   "half 0xH",
                                                   ".",
                                                   "..",
                                                   "-",
                                                   "0",
                                                   "id: 4294967294",
                                                   "- - - - - ",
                                                   "{{{{{{{{",
                                                   "[[[[[[[[",
                                                   "((((((((",
                                                   "debug-location "};
    const size_t at = Pick(text.size());
    switch (Pick(6)) {
      case 0:
        text[at] = static_cast<char>(Pick(256));
        break;
      case 1:
        text.erase(at, 1 + Pick(20));
        break;
      case 2:
        text.insert(at, kPieces[Pick(std::size(kPieces))]);
        break;
      case 3:
        // Insert a piece from elsewhere in the text.
        text.insert(at, std::string(text, Pick(text.size()), 1 + Pick(60)));
        break;
      case 4: {
        // Remove a line.
        const size_t begin = text.rfind('\n', at);
        const size_t end = text.find('\n', at);
        if (begin != std::string::npos && end != std::string::npos && begin < end) {
          text.erase(begin, end - begin);
        }
        break;
      }
      default: {
        // Insert a digit.
        const size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text.insert(digit, 1, static_cast<char>('0' + Pick(10)));
        break;
      }
    }
  }

  std::mt19937 random_;
};

TEST(MirReaderDamageTest, Truncated) {
  const std::vector<std::string> victims = Victims();
  for (size_t i = 0; i < victims.size(); ++i) {
    // Cut the file with every construct at every position from the start of the machine code; cut samples of the
    // others.
    const size_t step = i == 0 ? 1 : std::max<size_t>(1, victims[i].size() / Rounds(20));
    for (size_t size = 0; size < victims[i].size(); size += step) {
      ReadDamaged(victims[i].substr(0, size));
    }
  }
}

TEST(MirReaderDamageTest, Mutated) {
  const std::vector<std::string> victims = Victims();
  for (size_t i = 0; i < victims.size(); ++i) {
    Vandal vandal(static_cast<uint32_t>(i));
    const size_t rounds = Rounds(i == 0 ? 1500 : 40);
    for (size_t round = 0; round < rounds; ++round) ReadDamaged(vandal.Damage(victims[i]));
  }
}

TEST(MirReaderDamageTest, AnyBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    ReadDamaged("---\nname: f\n" + text);
    ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n    " + text);
    ReadDamaged(std::move(text));
  }
}

std::string Repeat(std::string_view piece, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(MirReaderDamageTest, DeepNesting) {
  for (const char* piece : {"[", "{", "- ", "{a: ", "[{a: ", "? ", "'", "\"", "|\n "}) {
    const std::string nested = Repeat(piece, 20000);
    ReadDamaged(nested);
    ReadDamaged("---\nname: f\nregisters: " + nested);
    ReadDamaged("---\nname: f\ncallSites: " + nested);
  }
  std::string indented = "---\nname: f\ncallSites:\n";
  for (int i = 1; i < 2000; ++i) indented += std::string(i, ' ') + "a:\n";
  ReadDamaged(indented);
  for (const char* piece : {"(", "!DIExpression(", "{", "/*", "\"", "<"}) {
    ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n    KILL !DIExpression" + Repeat(piece, 20000));
  }
}

// Texts whose reading takes quadratic time if the reader searches for something repeatedly.
TEST(MirReaderDamageTest, ManyUnfinishedThings) {
  constexpr size_t kCount = 50000;
  ReadDamaged(Repeat("---\nname: 'f\n", kCount));
  ReadDamaged(Repeat("---\n{ name: [\n", kCount));
  ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n" + Repeat("    KILL &\"\n", kCount));
  ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n    KILL " + Repeat("%0, ", kCount));
  ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n    " + Repeat("%0:b32, ", kCount) + "= KILL");
  ReadDamaged("---\nname: f\nbody: |\n" + Repeat("  bb.0:\n", kCount));
  ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n    successors: %bb.0" + Repeat(", %bb.0", kCount));
  ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n" + Repeat("    Return {\n    }\n", kCount));
  ReadDamaged("---\nname: f\nbody: |\n  bb.0:\n    INLINEASM &x, 1" + Repeat(", 9, %0", kCount));
  ReadDamaged("---\nname: f\nregisters:\n" + Repeat("  - { id: 0 }\n", kCount));
  ReadDamaged("---\nname: f\n" + Repeat("# comment\n", kCount) + "registers:\n" + Repeat("\n", kCount) + "body: |\n");
  ReadDamaged("---\nname: f\nstack:\n" + Repeat("  - { id: 5, name: a\n", kCount));
}

// Large numbers in small texts must not cost memory.
TEST(MirReaderDamageTest, OutOfProportion) {
  for (const char* number : {"2000000", "100000000", "2147483646", "2147483647", "2147483648", "4294967294",
                             "4294967295", "4294967296", "18446744073709551615"}) {
    const std::string n = number;
    for (const std::string& text :
         {"body: |\n  bb.0:\n    %" + n + ":b32 = MOV_B32_i 0\n", "body: |\n  bb." + n + ":\n    Return\n",
          "body: |\n  bb.0:\n    GOTO %bb." + n + "\n", "registers: [ { id: " + n + ", class: b32 } ]\n",
          "registers:\n  - { id: " + n + ", class: b32 }\n", "stack: [ { id: " + n + " } ]\n",
          "fixedStack: [ { id: " + n + " } ]\n", "liveins: [ { reg: '%" + n + "' } ]\n",
          "jumpTable:\n  kind: inline\n  entries: [ { id: 0, blocks: [ '%bb." + n + "' ] } ]\n"}) {
      const std::string file = "---\nname: f\n" + text + "...\n";
      DiagnosticEngine diagnostics;
      EXPECT_EQ(ReadMir(std::make_shared<const SourceBuffer>("large.mir", file), ptx::PtxTargetInfo(), diagnostics),
                nullptr)
          << file;
      EXPECT_EQ(diagnostics.num_errors(), 1u) << file << diagnostics.ToString();
    }
  }
  // Many functions share one budget.
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += "---\nname: f" + std::to_string(i) + "\nbody: |\n  bb.0:\n    %500000:b32 = MOV_B32_i 0\n...\n";
  }
  DiagnosticEngine diagnostics;
  EXPECT_EQ(ReadMir(std::make_shared<const SourceBuffer>("many.mir", many), ptx::PtxTargetInfo(), diagnostics),
            nullptr);
}

}  // namespace
}  // namespace ptxmir
