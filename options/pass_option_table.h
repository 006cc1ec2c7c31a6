// SPDX-License-Identifier: Apache-2.0

// What is known of NVVMPassOptions' 221 slots and of the options that have none, as data
// (nvvm_pass_option_table.inc).

#ifndef PTXMIR_OPTIONS_PASS_OPTION_TABLE_H_
#define PTXMIR_OPTIONS_PASS_OPTION_TABLE_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace ptxmir {

inline constexpr int kNumPassOptionSlots = 221;

// A slot's type decides its layout (nvvm_pass_options.h). The two kinds of boolean differ only in who writes them
// there: a helper or the initializer itself.
enum class SlotKind : uint8_t { kString, kBoolCompact, kBoolInline, kInteger, kStringPtr };

constexpr bool IsBool(SlotKind kind) { return kind == SlotKind::kBoolCompact || kind == SlotKind::kBoolInline; }
constexpr bool IsString(SlotKind kind) { return kind == SlotKind::kString || kind == SlotKind::kStringPtr; }

// How the pipeline's assembler uses a slot: nothing known; as a value; opts[offset], so that the pass runs when
// the slot is 1; !opts[offset], so that it runs when the slot is 0.
enum class GuardSense : uint8_t { kUnknown, kValue, kEnable, kDisable };

enum class Confidence : uint8_t { kNone, kLow, kMedium, kHigh };

struct PassOptionSlot {
  int number;  // from 1
  SlotKind kind;
  std::string_view default_text;  // of strings the text, else a number
  std::string_view option;        // the option's name; empty where there is none
  std::string_view pass;          // the reference's name; empty where it gives none
  GuardSense sense;
  Confidence confidence;
  std::string_view machine_passes;  // of ours that it gates, separated by commas; "driver" where that reads it

  // Whether "-option=0" is stored as 1, because the slot disables what the option enables.
  bool IsInverted() const { return !option.empty() && sense == GuardSense::kDisable; }
};

// Slot n is element n - 1.
absl::Span<const PassOptionSlot> PassOptionSlots();

enum class PassOptionType : uint8_t { kBool, kInt, kText };

// An option whose slot the reference does not give: kept by name.
struct NamedPassOption {
  std::string_view name;
  PassOptionType type;
  std::string_view default_text;  // empty where the reference gives none
  std::string_view values;        // the only ones allowed, separated by commas; empty: any
  std::string_view purpose;
  std::string_view machine_passes;  // of ours that "0" or "false" switches off
  std::string_view knob;            // that means the same on machine code
};

absl::Span<const NamedPassOption> NamedPassOptions();

// Whether `name` stands in a list separated by commas.
bool ListsName(std::string_view list, std::string_view name);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_PASS_OPTION_TABLE_H_
