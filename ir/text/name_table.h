// SPDX-License-Identifier: Apache-2.0

// NameTable: a map from the names of a function to its values. It is emptied for the next function in no time and keeps
// its memory.

#ifndef PTXMIR_IR_TEXT_NAME_TABLE_H_
#define PTXMIR_IR_TEXT_NAME_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "ir/code/value.h"

namespace ptxmir::ir {

class NameTable {
 public:
  NameTable() : slots_(64) {}

  void Clear() {
    ++epoch_;
    size_ = 0;
  }
  // Returns the place of the name's value, which is null at first. The next call may move it. The characters of the
  // name must stay until Clear.
  Value*& operator[](std::string_view name) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    Slot& slot = FindSlot(name, Hash(name));
    if (slot.epoch != epoch_) {
      slot = {name.data(), static_cast<uint32_t>(name.size()), epoch_, Hash(name), nullptr};
      ++size_;
    }
    return slot.value;
  }

 private:
  struct Slot {
    const char* name = nullptr;
    uint32_t length = 0;
    uint32_t epoch = 0;  // the slot is free if this is another one than that of the table
    uint64_t hash = 0;
    Value* value = nullptr;
  };

  static uint64_t Mix(uint64_t hash, uint64_t chars) {
    hash = (hash ^ chars) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  }
  static uint64_t Hash(std::string_view name) {
    const char* p = name.data();
    size_t left = name.size();
    uint64_t hash = left;
    uint64_t chars;
    for (; left > 8; left -= 8, p += 8) {
      std::memcpy(&chars, p, 8);
      hash = Mix(hash, chars);
    }
    chars = 0;
    for (; left > 0; --left) chars = chars << 8 | static_cast<uint8_t>(*p++);
    return Mix(hash, chars);
  }
  Slot& FindSlot(std::string_view name, uint64_t hash) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.epoch != epoch_) return slot;
      if (slot.hash == hash && slot.length == name.size() && std::memcmp(slot.name, name.data(), name.size()) == 0) {
        return slot;
      }
    }
  }
  void Grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.epoch == epoch_) FindSlot({slot.name, slot.length}, slot.hash) = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
  uint32_t epoch_ = 1;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_NAME_TABLE_H_
