// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/assignment/virt_reg_map.h"

#include <algorithm>
#include <bit>

#include "analysis/register_name.h"
#include "base/str_cat.h"

namespace ptxmir {

VirtRegMap::VirtRegMap(MachineFunction& function, AnalysisManager&) : function_(function) {}

VirtRegMap::Entry& VirtRegMap::Mutable(Register reg) {
  if (reg.virtual_index() >= entries_.size()) {
    entries_.resize(std::max(reg.virtual_index() + 1, function_.reg_info().num_virtual_registers()));
  }
  return entries_[reg.virtual_index()];
}

void VirtRegMap::ClearAllAssignments() {
  for (Entry& entry : entries_) entry.color = kNoColor;
}

uint32_t VirtRegMap::NumColors(RegClassId reg_class) const {
  uint32_t count = 0;
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].color == kNoColor || function_.reg_info().reg_class(Register::Virtual(i)) != reg_class) continue;
    count = std::max(count, entries_[i].color + 1);
  }
  return count;
}

int VirtRegMap::AssignStackSlot(Register reg) {
  const Register original = Original(reg);
  if (!HasStackSlot(original)) {
    const unsigned bits = function_.target().reg_classes[function_.reg_info().reg_class(original)].bits;
    const unsigned bytes = bits < 8 ? 4 : bits / 8;
    const int slot = function_.frame_info().CreateStackObject(bytes, static_cast<uint8_t>(std::bit_width(bytes) - 1),
                                                              StackObject::Type::kSpillSlot);
    Mutable(original).stack_slot = slot;
  }
  const int slot = StackSlot(original);
  Mutable(reg).stack_slot = slot;
  return slot;
}

void VirtRegMap::SetSplitFrom(Register reg, Register from) {
  const Register original = Original(from);
  Entry& entry = Mutable(reg);
  entry.split_from = from;
  entry.original = original;
}

void VirtRegMap::Print(std::string& out) const {
  out += "********** REGISTER MAP **********\n";
  const auto class_name = [this](uint32_t i) {
    const RegClassId reg_class = function_.reg_info().reg_class(Register::Virtual(i));
    return reg_class == kNoRegClass ? std::string_view("_") : function_.target().reg_classes[reg_class].name;
  };
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].color == kNoColor) continue;
    StrAppend(&out, "[", RegisterName(function_, Register::Virtual(i)), " -> ", class_name(i), "#", entries_[i].color,
              "] ", class_name(i), "\n");
  }
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].stack_slot == kNoStackSlot) continue;
    StrAppend(&out, "[", RegisterName(function_, Register::Virtual(i)), " -> fi#", entries_[i].stack_slot, "] ",
              class_name(i), "\n");
  }
}

std::string VirtRegMap::DifferenceFrom(const Analysis&) const {
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const std::string name = RegisterName(function_, Register::Virtual(i));
    if (entry.stack_slot != kNoStackSlot && !function_.frame_info().IsValid(entry.stack_slot)) {
      return StrCat(name, " has a stack slot that does not exist");
    }
    if (entry.original.is_valid() && Original(entry.original) != entry.original) {
      return StrCat("the original of ", name, " was split from another");
    }
  }
  return "";
}

}  // namespace ptxmir
