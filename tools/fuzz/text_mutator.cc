// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/text_mutator.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace ptxmir::fuzz {
namespace {

// More words than this do not make the texts more interesting.
constexpr size_t kMaxHarvestedWords = 20000;
constexpr size_t kMaxWordSize = 60;

constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "-1",
                                         "7",
                                         "31",
                                         "32",
                                         "63",
                                         "64",
                                         "127",
                                         "128",
                                         "255",
                                         "256",
                                         "65535",
                                         "65536",
                                         "1000000",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483648",
                                         "-2147483649",
                                         "4294967294",
                                         "4294967295",
                                         "4294967296",
                                         "1073741824",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "99999999999999999999999999999999",
                                         "0x",
                                         "0x0",
                                         "0xffffffff",
                                         "0x80000000",
                                         "0xH",
                                         "1e400",
                                         "1.5"};

constexpr std::string_view kOpening[] = {
    "(",  "[",  "{",   "<",     "\"",    "'",  "- ",  "!{", "[{a: ", "!DIExpression(",
    "/*", "{ ", "<{ ", "[2 x ", "ptr (", "? ", "|\n "};
constexpr std::string_view kClosing[] = {")", "]",  "}", ">",   "\"", "'", "", "}", "}]",
                                         ")", "*/", "}", " }>", "]",  ")", "", ""};
static_assert(std::size(kOpening) == std::size(kClosing));

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$' || c == '-';
}
bool IsSigil(char c) { return c == '%' || c == '@' || c == '!' || c == '&' || c == '#' || c == '$'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Repeated(std::string_view piece, size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

}  // namespace

const TextMutator::WeightedMutation TextMutator::kMutations[] = {
    {&TextMutator::ChangeByte, 6},    {&TextMutator::EraseBytes, 5},    {&TextMutator::InsertBytes, 3},
    {&TextMutator::RepeatBytes, 4},   {&TextMutator::ReplaceToken, 20}, {&TextMutator::ReplaceTokenByNeighbor, 14},
    {&TextMutator::EraseToken, 6},    {&TextMutator::InsertWord, 6},    {&TextMutator::SwapTokens, 8},
    {&TextMutator::ChangeNumber, 12}, {&TextMutator::EraseLine, 10},    {&TextMutator::RepeatLine, 6},
    {&TextMutator::MoveLine, 8},      {&TextMutator::InsertLines, 6},   {&TextMutator::Splice, 3},
    {&TextMutator::Truncate, 2},      {&TextMutator::Nest, 2},
};

TextMutator::TextMutator(std::vector<std::string> texts, std::vector<std::string> dictionary, uint64_t seed,
                         size_t max_size)
    : texts_(std::move(texts)), words_(std::move(dictionary)), seed_(seed), max_size_(max_size) {
  std::unordered_set<std::string_view> seen;
  size_t harvested = 0;
  for (const std::string& text : texts_) {
    for (size_t at = 0; at < text.size() && harvested < kMaxHarvestedWords;) {
      const Span token = TokenAt(text, at);
      at = token.begin + token.size;
      if (token.size < 2 || token.size > kMaxWordSize) continue;
      const std::string_view word = std::string_view(text).substr(token.begin, token.size);
      if (!seen.insert(word).second) continue;
      words_.emplace_back(word);
      ++harvested;
    }
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  if (words_.empty()) words_.push_back("0");
  first_word_.assign(257, words_.size());
  for (size_t i = words_.size(); i-- > 0;) {
    if (!words_[i].empty()) first_word_[static_cast<unsigned char>(words_[i][0])] = i;
  }
  for (size_t c = 256; c-- > 0;) first_word_[c] = std::min(first_word_[c], first_word_[c + 1]);
}

std::string TextMutator::Generate(uint64_t index) const {
  Random random(seed_ * 0x2545f4914f6cdd1d + index);
  std::string text = texts_.empty() ? std::string() : texts_[random.Below(texts_.size())];
  Mutate(text, random);
  return text;
}

void TextMutator::Mutate(std::string& text, Random& random) const {
  static const int kTotalWeight = [] {
    int total = 0;
    for (const WeightedMutation& mutation : kMutations) total += mutation.weight;
    return total;
  }();
  const size_t limit = std::max(max_size_, text.size());
  // Mostly one or two: a text that is damaged in many places is rejected because of the first.
  size_t count = 1;
  while (count < 12 && random.OneIn(2)) ++count;
  for (size_t i = 0; i < count; ++i) {
    if (text.empty()) text = LinesFromAnywhere(random, 20);
    if (text.empty()) text = words_[random.Below(words_.size())];
    int choice = static_cast<int>(random.Below(static_cast<size_t>(kTotalWeight)));
    const WeightedMutation* mutation = kMutations;
    while ((choice -= mutation->weight) >= 0) ++mutation;
    (this->*mutation->apply)(text, random);
    if (text.size() > limit) text.resize(limit);
  }
}

TextMutator::Span TextMutator::TokenAt(const std::string& text, size_t position) {
  if (!IsWordChar(text[position]) && !IsSigil(text[position])) return {position, 1};
  size_t begin = position;
  while (begin > 0 && IsWordChar(text[begin]) && IsWordChar(text[begin - 1])) --begin;
  if (begin > 0 && IsWordChar(text[begin]) && IsSigil(text[begin - 1])) --begin;
  size_t end = position + 1;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  return {begin, end - begin};
}

TextMutator::Span TextMutator::LineAt(const std::string& text, size_t position) {
  const size_t before = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  const size_t end = text.find('\n', position);
  return {begin, (end == std::string::npos ? text.size() : end + 1) - begin};
}

std::string TextMutator::LinesFromAnywhere(Random& random, size_t max_lines) const {
  if (texts_.empty()) return {};
  const std::string& from = texts_[random.Below(texts_.size())];
  if (from.empty()) return {};
  Span lines = LineAt(from, random.Below(from.size()));
  for (size_t n = random.Below(max_lines); n > 0 && lines.begin + lines.size < from.size(); --n) {
    lines.size += LineAt(from, lines.begin + lines.size).size;
  }
  return from.substr(lines.begin, lines.size);
}

std::string_view TextMutator::SimilarWord(std::string_view token, Random& random) const {
  const size_t c = token.empty() ? 0 : static_cast<unsigned char>(token[0]);
  const size_t first = first_word_[c];
  const size_t last = first_word_[c + 1];
  if (first < last && !random.OneIn(4)) return words_[first + random.Below(last - first)];
  return words_[random.Below(words_.size())];
}

void TextMutator::ChangeByte(std::string& text, Random& random) const {
  const size_t at = random.Below(text.size());
  text[at] = static_cast<char>(random.OneIn(2) ? text[at] ^ (1 << random.Below(8)) : random.Below(256));
}

void TextMutator::EraseBytes(std::string& text, Random& random) const {
  text.erase(random.Below(text.size()), 1 + random.Below(20));
}

void TextMutator::InsertBytes(std::string& text, Random& random) const {
  std::string bytes(1 + random.Below(8), ' ');
  const bool printable = random.OneIn(2);
  for (char& c : bytes) c = static_cast<char>(printable ? ' ' + random.Below(95) : random.Below(256));
  text.insert(random.Below(text.size() + 1), bytes);
}

void TextMutator::RepeatBytes(std::string& text, Random& random) const {
  const std::string piece = text.substr(random.Below(text.size()), 1 + random.Below(60));
  text.insert(random.Below(text.size() + 1), piece);
}

void TextMutator::ReplaceToken(std::string& text, Random& random) const {
  const Span token = TokenAt(text, random.Below(text.size()));
  const std::string word(SimilarWord(std::string_view(text).substr(token.begin, token.size), random));
  text.replace(token.begin, token.size, word);
}

void TextMutator::ReplaceTokenByNeighbor(std::string& text, Random& random) const {
  const size_t at = random.Below(text.size());
  const size_t window = std::min<size_t>(text.size(), 400);
  const size_t from = std::min(at > window / 2 ? at - window / 2 : 0, text.size() - window);
  const Span source = TokenAt(text, from + random.Below(window));
  const std::string word = text.substr(source.begin, source.size);
  const Span token = TokenAt(text, at);
  text.replace(token.begin, token.size, word);
}

void TextMutator::EraseToken(std::string& text, Random& random) const {
  const Span token = TokenAt(text, random.Below(text.size()));
  text.erase(token.begin, token.size);
}

void TextMutator::InsertWord(std::string& text, Random& random) const {
  const Span token = TokenAt(text, random.Below(text.size()));
  std::string word = words_[random.Below(words_.size())];
  if (random.OneIn(2)) word += random.OneIn(2) ? " " : ", ";
  text.insert(token.begin, word);
}

void TextMutator::SwapTokens(std::string& text, Random& random) const {
  Span first = TokenAt(text, random.Below(text.size()));
  const size_t near = first.begin + random.Below(200);
  Span second = TokenAt(text, random.OneIn(2) && near < text.size() ? near : random.Below(text.size()));
  if (second.begin < first.begin) std::swap(first, second);
  if (first.begin + first.size > second.begin) return;
  const std::string one = text.substr(first.begin, first.size);
  const std::string other = text.substr(second.begin, second.size);
  text.replace(second.begin, second.size, one);
  text.replace(first.begin, first.size, other);
}

void TextMutator::ChangeNumber(std::string& text, Random& random) const {
  const size_t at = text.find_first_of("0123456789", random.Below(text.size()));
  if (at == std::string::npos) return;
  size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const std::string old = text.substr(at, end - at);
  std::string number;
  switch (random.Below(4)) {
    case 0:  // a neighbor
      number = old;
      number.back() = static_cast<char>('0' + random.Below(10));
      break;
    case 1:  // one more digit
      number = old + static_cast<char>('0' + random.Below(10));
      break;
    case 2:
      number = std::to_string(random.Below(random.OneIn(2) ? 40 : 4000));
      break;
    default:
      number = kNumbers[random.Below(std::size(kNumbers))];
      break;
  }
  text.replace(at, end - at, number);
}

void TextMutator::EraseLine(std::string& text, Random& random) const {
  Span lines = LineAt(text, random.Below(text.size()));
  if (random.OneIn(4)) {
    for (size_t n = random.Below(10); n > 0 && lines.begin + lines.size < text.size(); --n) {
      lines.size += LineAt(text, lines.begin + lines.size).size;
    }
  }
  text.erase(lines.begin, lines.size);
}

void TextMutator::RepeatLine(std::string& text, Random& random) const {
  const Span line = LineAt(text, random.Below(text.size()));
  const size_t room = max_size_ > text.size() ? max_size_ - text.size() : 0;
  const size_t most = std::max<size_t>(1, room / std::max<size_t>(1, line.size));
  const size_t count = random.OneIn(20) ? most : 1 + random.Below(std::min<size_t>(most, 3));
  text.insert(line.begin, Repeated(text.substr(line.begin, line.size), count));
}

void TextMutator::MoveLine(std::string& text, Random& random) const {
  const Span line = LineAt(text, random.Below(text.size()));
  const std::string moved = text.substr(line.begin, line.size);
  text.erase(line.begin, line.size);
  const size_t to = text.empty() ? 0 : LineAt(text, random.Below(text.size())).begin;
  text.insert(to, moved);
}

void TextMutator::InsertLines(std::string& text, Random& random) const {
  const std::string lines = LinesFromAnywhere(random, 6);
  text.insert(LineAt(text, random.Below(text.size())).begin, lines);
}

void TextMutator::Splice(std::string& text, Random& random) const {
  if (texts_.empty()) return;
  const std::string& other = texts_[random.Below(texts_.size())];
  if (other.empty()) return;
  text.resize(LineAt(text, random.Below(text.size())).begin);
  text += std::string_view(other).substr(LineAt(other, random.Below(other.size())).begin);
}

void TextMutator::Truncate(std::string& text, Random& random) const { text.resize(random.Below(text.size())); }

void TextMutator::Nest(std::string& text, Random& random) const {
  const size_t kind = random.Below(std::size(kOpening));
  size_t depth = size_t{1} << random.Below(14);
  depth = std::min(depth, 1 + max_size_ / (2 * kOpening[kind].size() + 2));
  const Span token = TokenAt(text, random.Below(text.size()));
  std::string nested = Repeated(kOpening[kind], depth);
  if (random.OneIn(2)) {
    nested += text.substr(token.begin, token.size);
    nested += Repeated(kClosing[kind], depth);
  }
  text.replace(token.begin, token.size, nested);
}

}  // namespace ptxmir::fuzz
