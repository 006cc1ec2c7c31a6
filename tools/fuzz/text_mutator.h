// SPDX-License-Identifier: Apache-2.0

// TextMutator: makes damaged texts out of good ones, for the fuzzing of
// everything that reads text.
//
// It works on three levels, because each finds other bugs: bytes (a reader's
// character tables), tokens and lines (which keep most of the text well-formed,
// so that the damage gets past the lexer), and whole texts (splices of two
// files, truncation, nesting and repetition without end, which is what
// recursion and quadratic loops need).
//
// Text number `index` depends on the seed, the texts and the index alone, not
// on the texts made before: a finding is reproduced from two numbers.

#ifndef PTXMIR_TOOLS_FUZZ_TEXT_MUTATOR_H_
#define PTXMIR_TOOLS_FUZZ_TEXT_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/split_mix64.h"

namespace ptxmir::fuzz {

class Random : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  // A number below `bound`, which is not 0.
  size_t Below(size_t bound) { return static_cast<size_t>(Next() % bound); }
  bool OneIn(size_t n) { return Below(n) == 0; }
};

class TextMutator {
 public:
  // `dictionary`: words to put in, beside those found in the texts themselves.
  // Texts that are made stay within about `max_size` bytes, or the size of the
  // text they came from.
  TextMutator(std::vector<std::string> texts, std::vector<std::string> dictionary, uint64_t seed,
              size_t max_size = size_t{64} << 10);

  // Text number `index`.
  std::string Generate(uint64_t index) const;

  // Damages a text of the caller's.
  void Mutate(std::string& text, Random& random) const;

  const std::vector<std::string>& texts() const { return texts_; }
  // The words in use, sorted, each once.
  const std::vector<std::string>& words() const { return words_; }

 private:
  struct Span {
    size_t begin = 0;
    size_t size = 0;
  };
  using Mutation = void (TextMutator::*)(std::string&, Random&) const;

  static Span TokenAt(const std::string& text, size_t position);
  static Span LineAt(const std::string& text, size_t position);
  // A piece of one of the texts, of whole lines.
  std::string LinesFromAnywhere(Random& random, size_t max_lines) const;
  // A word that may stand for `token`: of the same kind where there is one.
  std::string_view SimilarWord(std::string_view token, Random& random) const;

  void ChangeByte(std::string& text, Random& random) const;
  void EraseBytes(std::string& text, Random& random) const;
  void InsertBytes(std::string& text, Random& random) const;
  void RepeatBytes(std::string& text, Random& random) const;
  void ReplaceToken(std::string& text, Random& random) const;
  void ReplaceTokenByNeighbour(std::string& text, Random& random) const;
  void EraseToken(std::string& text, Random& random) const;
  void InsertWord(std::string& text, Random& random) const;
  void SwapTokens(std::string& text, Random& random) const;
  void ChangeNumber(std::string& text, Random& random) const;
  void EraseLine(std::string& text, Random& random) const;
  void RepeatLine(std::string& text, Random& random) const;
  void MoveLine(std::string& text, Random& random) const;
  void InsertLines(std::string& text, Random& random) const;
  void Splice(std::string& text, Random& random) const;
  void Truncate(std::string& text, Random& random) const;
  void Nest(std::string& text, Random& random) const;

  struct WeightedMutation {
    Mutation apply;
    int weight;
  };
  static const WeightedMutation kMutations[];

  std::vector<std::string> texts_;
  std::vector<std::string> words_;
  std::vector<size_t> first_word_;  // by first character: where its words begin
  uint64_t seed_;
  size_t max_size_;
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_MUTATOR_H_
