// SPDX-License-Identifier: Apache-2.0

// TextMutator: makes damaged texts from good ones, to fuzz everything that reads text.
//
// It works on three levels, because each finds different bugs: bytes (for the character tables of a reader),
// tokens and lines (most of the text stays well-formed, so that the damage gets past the lexer), and whole texts
// (splices of two files, truncation, unbounded nesting and repetition, which expose recursion and quadratic
// loops).
//
// Text number `index` depends only on the seed, the input texts and the index, not on the texts made before. So
// two numbers are enough to reproduce a finding.

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
  // Returns a number below `bound`, which must not be 0.
  size_t Below(size_t bound) { return static_cast<size_t>(Next() % bound); }
  bool OneIn(size_t n) { return Below(n) == 0; }
};

class TextMutator {
 public:
  // `dictionary` holds words to insert, in addition to those found in the texts. The generated texts stay within
  // about `max_size` bytes, or the size of the text that they came from.
  TextMutator(std::vector<std::string> texts, std::vector<std::string> dictionary, uint64_t seed,
              size_t max_size = size_t{64} << 10);

  // Returns text number `index`.
  std::string Generate(uint64_t index) const;

  // Damages `text`.
  void Mutate(std::string& text, Random& random) const;

  const std::vector<std::string>& texts() const { return texts_; }
  // Returns the words in use, sorted and unique.
  const std::vector<std::string>& words() const { return words_; }

 private:
  struct Span {
    size_t begin = 0;
    size_t size = 0;
  };
  using Mutation = void (TextMutator::*)(std::string&, Random&) const;

  static Span TokenAt(const std::string& text, size_t position);
  static Span LineAt(const std::string& text, size_t position);
  // Returns some whole lines of one of the texts.
  std::string LinesFromAnywhere(Random& random, size_t max_lines) const;
  // Returns a word to replace `token`. It is of the same kind if there is one.
  std::string_view SimilarWord(std::string_view token, Random& random) const;

  void ChangeByte(std::string& text, Random& random) const;
  void EraseBytes(std::string& text, Random& random) const;
  void InsertBytes(std::string& text, Random& random) const;
  void RepeatBytes(std::string& text, Random& random) const;
  void ReplaceToken(std::string& text, Random& random) const;
  void ReplaceTokenByNeighbor(std::string& text, Random& random) const;
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
  std::vector<size_t> first_word_;  // by first character: the index of its first word
  uint64_t seed_;
  size_t max_size_;
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_TEXT_MUTATOR_H_
