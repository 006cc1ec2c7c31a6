// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_die.h"

namespace ptxmir::ptx {

void DwarfBlock::AddUnsigned(uint64_t value) {
  do {
    const uint64_t rest = value >> 7;
    AddByte((value & 0x7f) | (rest != 0 ? 0x80 : 0));
    value = rest;
  } while (value != 0);
}

void DwarfBlock::AddSigned(int64_t value) {
  for (bool more = true; more;) {
    const int64_t rest = value >> 7;
    more = !((rest == 0 && (value & 0x40) == 0) || (rest == -1 && (value & 0x40) != 0));
    AddByte((static_cast<uint64_t>(value) & 0x7f) | (more ? 0x80 : 0));
    value = rest;
  }
}

dwarf::Form SmallestUnsignedForm(uint64_t value) {
  if (value <= 0xff) return dwarf::kFormData1;
  if (value <= 0xffff) return dwarf::kFormData2;
  return value <= 0xffffffff ? dwarf::kFormData4 : dwarf::kFormData8;
}

dwarf::Form SmallestSignedForm(int64_t value) {
  if (value == static_cast<int8_t>(value)) return dwarf::kFormData1;
  if (value == static_cast<int16_t>(value)) return dwarf::kFormData2;
  return value == static_cast<int32_t>(value) ? dwarf::kFormData4 : dwarf::kFormData8;
}

uint32_t DwarfAbbreviations::NumberOf(const Die& die) {
  key_.clear();
  const auto append = [this](uint32_t number) {
    key_.push_back(static_cast<char>(number & 0xff));
    key_.push_back(static_cast<char>(number >> 8));
  };
  append(die.tag);
  append(die.children.empty() ? 0 : 1);
  for (const DieValue& value : die.values) {
    append(value.attribute);
    append(value.form);
  }
  const auto [found, is_new] = numbers_.emplace(key_, static_cast<uint32_t>(entries_.size() + 1));
  if (is_new) {
    Entry& entry =
        entries_.emplace_back(Entry{.tag = die.tag, .has_children = !die.children.empty(), .attributes = {}});
    for (const DieValue& value : die.values) entry.attributes.emplace_back(value.attribute, value.form);
  }
  return found->second;
}

uint32_t SizeOfUnsigned(uint64_t value) {
  uint32_t size = 1;
  while (value >>= 7) ++size;
  return size;
}

uint32_t SizeOfSigned(int64_t value) {
  uint32_t size = 1;
  for (; value < -64 || value > 63; value >>= 7) ++size;
  return size;
}

uint64_t SizeOfValue(const DieValue& value, uint32_t address_size) {
  switch (value.form) {
    case dwarf::kFormData1:
    case dwarf::kFormFlag:
      return 1;
    case dwarf::kFormData2:
      return 2;
    case dwarf::kFormData4:
    case dwarf::kFormRef4:
      return 4;
    case dwarf::kFormData8:
      return 8;
    case dwarf::kFormAddr:
    case dwarf::kFormRefAddr:
      return address_size;
    case dwarf::kFormSdata:
      return SizeOfSigned(static_cast<int64_t>(value.integer));
    case dwarf::kFormUdata:
      return SizeOfUnsigned(value.integer);
    case dwarf::kFormString:
      return value.text.size() + 1;
    case dwarf::kFormBlock1:
      return 1 + value.block->Size(address_size);
    case dwarf::kFormBlock2:
      return 2 + value.block->Size(address_size);
    case dwarf::kFormBlock4:
      return 4 + value.block->Size(address_size);
  }
  return 0;
}

// Walks the tree without recursion, because its depth depends on the input.
uint32_t LayOutUnit(Die& root, uint32_t address_size, DwarfAbbreviations& abbreviations) {
  uint64_t offset = kUnitHeaderSize;
  std::vector<std::pair<Die*, size_t>> path;  // with the number of the next child
  const auto enter = [&](Die* die) {
    die->abbreviation = abbreviations.NumberOf(*die);
    die->offset = static_cast<uint32_t>(offset);
    offset += SizeOfUnsigned(die->abbreviation);
    for (const DieValue& value : die->values) offset += SizeOfValue(value, address_size);
    path.emplace_back(die, 0);
  };
  enter(&root);
  while (!path.empty()) {
    auto& [die, next] = path.back();
    if (next < die->children.size()) {
      enter(die->children[next++]);
      continue;
    }
    if (!die->children.empty()) ++offset;  // the end mark of the children
    path.pop_back();
  }
  return static_cast<uint32_t>(offset);
}

}  // namespace ptxmir::ptx
