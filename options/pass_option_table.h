// SPDX-License-Identifier: Apache-2.0

// The data about NVVMPassOptions' 221 slots and about the options that have no slot (nvvm_pass_option_table.inc).

#ifndef PTXMIR_OPTIONS_PASS_OPTION_TABLE_H_
#define PTXMIR_OPTIONS_PASS_OPTION_TABLE_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace ptxmir {

inline constexpr int kNumPassOptionSlots = 221;

// The type of a slot determines its layout (nvvm_pass_options.h). The two kinds of boolean differ only in the code
// that writes them: a helper, or the initializer itself.
enum class SlotKind : uint8_t { kString, kBoolCompact, kBoolInline, kInteger, kStringPtr };

constexpr bool IsBool(SlotKind kind) { return kind == SlotKind::kBoolCompact || kind == SlotKind::kBoolInline; }
constexpr bool IsString(SlotKind kind) { return kind == SlotKind::kString || kind == SlotKind::kStringPtr; }

// The use of a slot by the pipeline's assembler. kUnknown: not documented. kValue: as a value. kEnable:
// opts[offset], the pass runs if the slot is 1. kDisable: !opts[offset], the pass runs if the slot is 0.
enum class GuardSense : uint8_t { kUnknown, kValue, kEnable, kDisable };

enum class Confidence : uint8_t { kNone, kLow, kMedium, kHigh };

struct PassOptionSlot {
  int number;  // 1-based
  SlotKind kind;
  std::string_view default_text;  // for strings the text, otherwise a number
  std::string_view option;        // the option's name; empty if there is none
  std::string_view pass;          // cicc's name of the pass; empty if not documented
  GuardSense sense;
  Confidence confidence;
  std::string_view
      machine_passes;  // our passes that it gates, separated by commas; "driver" if the driver reads it; -KNOB

  // Returns true if "-option=0" is stored as 1, because the slot disables what the option enables.
  bool IsInverted() const { return !option.empty() && sense == GuardSense::kDisable; }
};

// Returns all slots. Slot n is element n - 1.
absl::Span<const PassOptionSlot> PassOptionSlots();

enum class PassOptionType : uint8_t { kBool, kInt, kText };

// Output that an option asks for.
enum class PassOutput : uint8_t { kNone, kCodeBefore, kCodeAfter, kMissedRemarks };

// An option without a documented slot, which is kept by name.
struct NamedPassOption {
  std::string_view name;
  PassOptionType type;
  std::string_view default_text;  // empty if not documented
  std::string_view values;        // the allowed values, separated by commas; empty: any
  std::string_view purpose;
  std::string_view machine_passes;  // our passes that "0" or "false" switches off
  std::string_view knob;            // the knob with the same meaning, or print-before=PASS and the like

  // Returns what the option has the driver print, of the pass that PrintedPass returns.
  PassOutput output() const {
    if (knob.starts_with("print-before=")) return PassOutput::kCodeBefore;
    if (knob.starts_with("print-after=")) return PassOutput::kCodeAfter;
    return knob.starts_with("pass-remarks-missed=") ? PassOutput::kMissedRemarks : PassOutput::kNone;
  }
  std::string_view PrintedPass() const {
    return output() == PassOutput::kNone ? std::string_view() : knob.substr(knob.find('=') + 1);
  }
};

absl::Span<const NamedPassOption> NamedPassOptions();

// Returns true if `name` is an element of a list separated by commas.
bool ListsName(std::string_view list, std::string_view name);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_PASS_OPTION_TABLE_H_
