// SPDX-License-Identifier: Apache-2.0

// The spelling of the small parts of MIR text: numbers, escaped names, floating-point literals, low-level types,
// YAML scalars. The rules are those of LLVM 22, found by running llc.
//
// TextSink collects output in a fixed buffer and appends it to a std::string in large pieces. Writing a few
// characters costs only a bounds check and a copy.

#ifndef PTXMIR_MIR_TEXT_MIR_TEXT_H_
#define PTXMIR_MIR_TEXT_MIR_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "mir/code/machine_mem_operand.h"
#include "mir/code/machine_operand.h"

namespace ptxmir {

class TextSink {
 public:
  explicit TextSink(std::string& out) : out_(out) {}
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;
  ~TextSink() { Flush(); }

  void Put(char c) {
    if (next_ == buffer_ + kCapacity) [[unlikely]]
      Flush();
    *next_++ = c;
  }
  void Put(std::string_view text) {
    if (text.size() > static_cast<size_t>(buffer_ + kCapacity - next_)) [[unlikely]] {
      PutSlow(text);
      return;
    }
    CopySmall(next_, text.data(), text.size());
    next_ += text.size();
  }
  // Inlined, so that the length of a literal is a constant.
  [[gnu::always_inline]] void Put(const char* text) { Put(std::string_view(text)); }
  template <typename Integer>
  void PutInt(Integer value) {
    Reserve(kMaxDecimal);
    next_ = WriteDecimal(next_, value);
  }
  void PutSpaces(size_t count) {
    while (count-- > 0) Put(' ');
  }
  // Writes at least `digits` hexadecimal digits, in lower case unless `upper` is set.
  void PutHex(uint64_t value, int digits, bool upper = false);

  // Returns the number of characters written so far. Columns are differences of it.
  size_t position() const { return flushed_ + static_cast<size_t>(next_ - buffer_); }

  void Flush() {
    const size_t size = static_cast<size_t>(next_ - buffer_);
    out_.append(buffer_, size);
    flushed_ += size;
    next_ = buffer_;
  }

 private:
  static constexpr size_t kCapacity = 4096;

  // Copies like memcpy, but without a call for small sizes.
  static void CopySmall(char* to, const char* from, size_t size) {
    if (size > 16) {
      std::memcpy(to, from, size);
    } else if (size >= 8) {
      CopyEnds<uint64_t>(to, from, size);
    } else if (size >= 4) {
      CopyEnds<uint32_t>(to, from, size);
    } else {
      for (size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }
  // Copies with two moves that may overlap in the middle.
  template <typename Word>
  static void CopyEnds(char* to, const char* from, size_t size) {
    Word head, tail;
    std::memcpy(&head, from, sizeof(Word));
    std::memcpy(&tail, from + size - sizeof(Word), sizeof(Word));
    std::memcpy(to, &head, sizeof(Word));
    std::memcpy(to + size - sizeof(Word), &tail, sizeof(Word));
  }
  void PutSlow(std::string_view text);

  void Reserve(size_t bytes) {
    if (static_cast<size_t>(buffer_ + kCapacity - next_) < bytes) [[unlikely]]
      Flush();
  }

  std::string& out_;
  size_t flushed_ = 0;
  char* next_ = buffer_;
  char buffer_[kCapacity];
};

// Writes a name as it follows '@', '%' or '&': in quotes and with \xx escapes if necessary.
void PutIrName(TextSink& sink, std::string_view name);

// Writes a literal such as "float 1.000000e+00" or "half 0xH3C00".
void PutFPLiteral(TextSink& sink, MachineOperand::FPWidth width, uint64_t bits);

// Writes a type such as "s32", "p3" or "<4 x s16>".
void PutLowLevelType(TextSink& sink, const LowLevelType& type);

// Writes " + 8", " - 8", or nothing for 0.
void PutOffset(TextSink& sink, int64_t offset);

// Writes a YAML scalar: plain, or with the quotes that LLVM's YAML writer would choose.
void PutYamlScalar(TextSink& sink, std::string_view text);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_TEXT_H_
