// SPDX-License-Identifier: Apache-2.0

// TextBuffer: the growing byte buffer that PTX is printed into. Appending is inlined. Unlike std::string, it never
// initializes memory that is about to be overwritten.

#ifndef PTXMIR_BASE_TEXT_BUFFER_H_
#define PTXMIR_BASE_TEXT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/decimal.h"
#include "base/huge_pages.h"
#include "base/out_of_memory.h"

namespace ptxmir::ptx {

// A part of a text: from byte `begin` to before byte `end`.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
};

class TextBuffer {
 public:
  // The number of bytes after the reserved ones that may be written too, so that short texts can be copied in
  // whole blocks.
  static constexpr size_t kSlack = 16;

  TextBuffer() = default;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;
  TextBuffer(TextBuffer&&) = default;
  TextBuffer& operator=(TextBuffer&&) = default;

  std::string_view view() const { return {data_.get(), size_}; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void Clear() { size_ = 0; }
  // Drops everything after the first `size` bytes.
  void Truncate(size_t size) { size_ = size; }

  // Makes room for `count` more bytes and returns their start. The caller writes them and then calls Advance with
  // the number of bytes written.
  char* Reserve(size_t count) {
    if (capacity_ - size_ < count + kSlack) [[unlikely]]
      Grow(count + kSlack);
    return data_.get() + size_;
  }
  void Advance(size_t count) { size_ += count; }

  void Append(std::string_view text) {
    std::memcpy(Reserve(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void Append(char c) {
    *Reserve(1) = c;
    ++size_;
  }
  void AppendDecimal(uint64_t value) {
    char* const start = Reserve(kMaxDecimal);
    Advance(static_cast<size_t>(WriteUnsignedDecimal(start, value) - start));
  }
  void AppendSigned(int64_t value) {
    char* const start = Reserve(kMaxDecimal);
    Advance(static_cast<size_t>(WriteDecimal(start, value) - start));
  }
  // Appends `value` in hexadecimal, with at least `width` digits, taken from the alphabet `digits`.
  void AppendHex(uint64_t value, int width, const char* digits) {
    char* p = Reserve(16);
    int count = width;
    while (count < 16 && (value >> (4 * count)) != 0) ++count;
    for (int i = 0; i < count; ++i) p[i] = digits[(value >> (4 * (count - 1 - i))) & 15];
    size_ += static_cast<size_t>(count);
  }

  static constexpr const char* kLowerHex = "0123456789abcdef";
  static constexpr const char* kUpperHex = "0123456789ABCDEF";

 private:
  void Grow(size_t count) {
    size_t capacity = capacity_ == 0 ? 4096 : capacity_ * 2;
    while (capacity - size_ < count) capacity *= 2;
    // The system moves large blocks without copying them.
    char* data = static_cast<char*>(std::realloc(data_.get(), capacity));
    if (data == nullptr) OutOfMemory();
    data_.release();
    data_.reset(data);
    AdviseHugePages(data + size_, capacity - size_);
    capacity_ = capacity;
  }

  struct Free {
    void operator()(char* data) const { std::free(data); }
  };
  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_BASE_TEXT_BUFFER_H_
