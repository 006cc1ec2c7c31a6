// SPDX-License-Identifier: Apache-2.0

// Debugging information entries (DIEs): the tree that becomes .debug_info, its abbreviations and its layout.
//
// The tree is built first, in any order. LayOutUnit then gives every entry its abbreviation and offset.

#ifndef PTXMIR_PTX_DWARF_DWARF_DIE_H_
#define PTXMIR_PTX_DWARF_DWARF_DIE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_operand.h"
#include "ptx/dwarf/dwarf_constants.h"

namespace ptxmir::ptx {

// A symbol that debug sections refer to.
struct DwarfLabel {
  enum class Kind : uint8_t {
    kNone,
    kTemporary,      // $L__tmp7
    kFunctionBegin,  // $L__func_begin7
    kFunctionEnd,    // $L__func_end7
    kLocationList,   // $L__debug_loc7
    kLocalDepot,     // __local_depot7
    kGlobal,         // the printed name of a global value
    kLineSection,    // .debug_line
  };
  Kind kind = Kind::kNone;
  uint32_t number = 0;

  bool is_valid() const { return kind != Kind::kNone; }
  friend bool operator==(const DwarfLabel&, const DwarfLabel&) = default;
};

// A location expression: bytes, with addresses interleaved.
struct DwarfBlock {
  std::string bytes;
  std::vector<std::pair<uint32_t, DwarfLabel>> addresses;  // the byte index that each address precedes

  uint64_t Size(uint32_t address_size) const { return bytes.size() + addresses.size() * address_size; }
  void AddByte(uint64_t value) { bytes.push_back(static_cast<char>(value)); }
  void AddUnsigned(uint64_t value);  // as ULEB128
  void AddSigned(int64_t value);     // as SLEB128
  void AddAddress(DwarfLabel label) { addresses.emplace_back(static_cast<uint32_t>(bytes.size()), label); }
};

struct Die;

struct DieValue {
  enum class Kind : uint8_t { kInteger, kString, kLabel, kDie, kBlock };
  dwarf::Attribute attribute = dwarf::kAtNone;
  dwarf::Form form = dwarf::kFormData1;
  Kind kind = Kind::kInteger;
  uint64_t integer = 0;
  DwarfLabel label = {};
  const Die* die = nullptr;
  const DwarfBlock* block = nullptr;
  std::string_view text = {};
};

struct Die {
  dwarf::Tag tag = dwarf::kTagNone;
  uint32_t abbreviation = 0;
  uint32_t offset = 0;  // within the unit
  uint32_t unit = 0;    // the unit's number, for a root
  Die* parent = nullptr;
  std::vector<DieValue> values;
  std::vector<Die*> children;

  void AddChild(Die* child) {
    child->parent = this;
    children.push_back(child);
  }
  // Returns the root of the tree that this entry is currently in.
  const Die& root() const {
    const Die* die = this;
    while (die->parent != nullptr) die = die->parent;
    return *die;
  }
};

// Return the smallest of DW_FORM_data1 ... data8 that holds the value.
dwarf::Form SmallestUnsignedForm(uint64_t value);
dwarf::Form SmallestSignedForm(int64_t value);

// The abbreviations: layouts of entries, numbered from 1 in the order of first use.
class DwarfAbbreviations {
 public:
  struct Entry {
    dwarf::Tag tag;
    bool has_children;
    std::vector<std::pair<dwarf::Attribute, dwarf::Form>> attributes;
  };

  uint32_t NumberOf(const Die& die);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  std::string key_;
};

// The size in bytes of a version 2 unit header.
inline constexpr uint32_t kUnitHeaderSize = 11;

uint64_t SizeOfValue(const DieValue& value, uint32_t address_size);
uint32_t SizeOfUnsigned(uint64_t value);  // as ULEB128
uint32_t SizeOfSigned(int64_t value);     // as SLEB128

// Gives the entries of a unit their abbreviations and offsets. Returns the unit's size, header included.
uint32_t LayOutUnit(Die& root, uint32_t address_size, DwarfAbbreviations& abbreviations);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_DIE_H_
