// SPDX-License-Identifier: Apache-2.0

#include "options/pass_option_table.h"

#include <algorithm>

namespace ptxmir {
namespace {

using enum GuardSense;
using enum PassOptionType;
// kNone and the grades of confidence. They do not clash with the names of GuardSense.
using enum Confidence;

constexpr PassOptionSlot kSlots[] = {
#define PTXMIR_SLOT(number, Kind, default_text, option, pass, sense, confidence, machine_passes) \
  {number, SlotKind::k##Kind, default_text, option, pass, sense, confidence, machine_passes},
#include "options/nvvm_pass_option_table.inc"
};

constexpr bool AreNumberedInOrder() {
  int number = 0;
  for (const PassOptionSlot& slot : kSlots) {
    if (slot.number != ++number) return false;
  }
  return number == kNumPassOptionSlots;
}
static_assert(AreNumberedInOrder());

constexpr auto Count(SlotKind kind) {
  return std::count_if(std::begin(kSlots), std::end(kSlots),
                       [&](const PassOptionSlot& slot) { return slot.kind == kind; });
}
static_assert(Count(SlotKind::kString) == 114);
static_assert(Count(SlotKind::kBoolCompact) == 83);
static_assert(Count(SlotKind::kBoolInline) == 17);
static_assert(Count(SlotKind::kInteger) == 6);
static_assert(Count(SlotKind::kStringPtr) == 1);

constexpr NamedPassOption kNamed[] = {
#define PTXMIR_NAMED_OPTION(name, type, default_text, values, purpose, machine_passes, knob) \
  {name, type, default_text, values, purpose, machine_passes, knob},
#include "options/nvvm_pass_option_table.inc"
};

}  // namespace

absl::Span<const PassOptionSlot> PassOptionSlots() { return kSlots; }

absl::Span<const NamedPassOption> NamedPassOptions() { return kNamed; }

bool ListsName(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view element = list.substr(0, list.find(','));
    if (element == name) return true;
    list.remove_prefix(std::min(list.size(), element.size() + 1));
  }
  return false;
}

}  // namespace ptxmir
