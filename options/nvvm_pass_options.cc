// SPDX-License-Identifier: Apache-2.0

#include "options/nvvm_pass_options.h"

#include <array>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr std::array<size_t, kNumPassOptionSlots> kOffsets = {
#define PTXMIR_SLOT(number, ...) offsetof(NvvmPassOptions, slot_##number),
#include "options/nvvm_pass_option_table.inc"
};

// Every offset that the documents about cicc state, with its slot.
struct DocumentedOffset {
  int slot;
  size_t offset;
};
constexpr DocumentedOffset kDocumentedOffsets[] = {
    // From the list of default-on toggles and integers, which gives slot and offset.
    {19, 400},
    {25, 520},
    {93, 1880},
    {95, 1920},
    {117, 2360},
    {141, 2840},
    {143, 2880},
    {151, 3040},
    {155, 3120},
    {157, 3160},
    {159, 3200},
    {165, 3328},
    {211, 4264},
    {219, 4424},
    {9, 200},
    {197, 3984},
    {203, 4104},
    {205, 4144},
    {207, 4184},
    {215, 4344},
    // From the rows of the offset-to-pass table that name one slot.
    {145, 2920},
    {153, 3080},
    {181, 3648},
    {193, 3904},
    {195, 3944},
    {201, 4064},
    {209, 4224},
    {213, 4304},
    {217, 4384},
    {221, 4464},
    // From the other rows of that table, which are labeled with the next pair ("280: 14-15"), or wrongly (183).
    {13, 280},
    {15, 320},
    {17, 360},
    {21, 440},
    {23, 480},
    {27, 560},
    {29, 600},
    {33, 680},
    {35, 720},
    {37, 760},
    {43, 880},
    {45, 920},
    {47, 960},
    {49, 1000},
    {51, 1040},
    {53, 1080},
    {55, 1120},
    {57, 1160},
    {59, 1200},
    {61, 1240},
    {63, 1280},
    {65, 1320},
    {67, 1360},
    {69, 1400},
    {71, 1440},
    {73, 1480},
    {75, 1520},
    {81, 1640},
    {83, 1680},
    {87, 1760},
    {91, 1840},
    {97, 1960},
    {99, 2000},
    {101, 2040},
    {103, 2080},
    {105, 2120},
    {107, 2160},
    {109, 2200},
    {111, 2240},
    {113, 2280},
    {115, 2320},
    {119, 2400},
    {121, 2440},
    {127, 2560},
    {129, 2600},
    {131, 2640},
    {133, 2680},
    {135, 2720},
    {137, 2760},
    {149, 3000},
    {173, 3488},
    {183, 3704}};

// Returns the first slot whose offset differs from the documented one, or 0 if there is none.
constexpr int SlotOfFirstWrongOffset() {
  for (const DocumentedOffset& documented : kDocumentedOffsets) {
    if (kOffsets[static_cast<size_t>(documented.slot - 1)] != documented.offset) return documented.slot;
  }
  return 0;
}
static_assert(SlotOfFirstWrongOffset() == 0);

constexpr int kNumGlobalParameters = 6;  // slots that do not belong to a pair

const PassOptionSlot& SlotInfo(int slot) { return PassOptionSlots()[static_cast<size_t>(slot - 1)]; }

// Returns the slot that ends the pair (or longer group) of a slot.
int GateOf(int slot) {
  if (slot > kNumGlobalParameters) {
    while (IsString(SlotInfo(slot).kind) && SlotInfo(slot).kind != SlotKind::kStringPtr) ++slot;
  }
  return slot;
}

std::array<PassDef, kNumPassOptionSlots> MakePassDefTable() {
  std::array<PassDef, kNumPassOptionSlots> table{};
  for (int slot = 1; slot <= kNumPassOptionSlots; ++slot) {
    PassDef& def = table[static_cast<size_t>(slot - 1)];
    const std::string_view name = SlotInfo(GateOf(slot)).pass;
    def.name = name.data();
    def.name_length = name.size();
    def.pass_id = GateOf(slot);
    const bool has_pair = slot > 1 && GateOf(slot - 1) == slot;
    if (SlotInfo(slot).kind == SlotKind::kBoolInline && has_pair) {
      def.has_overrides = 1;
      def.override_index = static_cast<int16_t>(slot - 1);
    }
  }
  return table;
}

// Copies an option to the place of a slot.
template <typename Option>
void Write(NvvmPassOptions& options, int slot, const Option& option) {
  std::memcpy(reinterpret_cast<char*>(&options) + PassOptionOffset(slot), &option, sizeof option);
}

template <typename Option>
Option Read(const NvvmPassOptions& options, int slot) {
  Option option;
  std::memcpy(&option, reinterpret_cast<const char*>(&options) + PassOptionOffset(slot), sizeof option);
  return option;
}

void InitializeSlot(const PassOptionRegistry& registry, const PassOptionSlot& info, NvvmPassOptions& options) {
  const int slot = info.number;
  const PassDef& def = *GetPassDef(slot);
  const int32_t opt_level = registry.opt_level();
  switch (info.kind) {
    case SlotKind::kString: {
      const std::string_view text = registry.GetStringOption(slot, info.default_text);
      return Write(options, slot, StringOption{text.data(), slot, def.override_index, opt_level, def.pass_id});
    }
    case SlotKind::kBoolCompact: {
      const bool value = PassOptionRegistry::UnpackBool(registry.GetBoolOption(slot, info.default_text));
      return Write(options, slot, BoolCompactOption{value, {}, slot, def.override_index, def.pass_id});
    }
    case SlotKind::kBoolInline: {
      const bool value = PassOptionRegistry::UnpackBool(registry.GetBoolOption(slot, info.default_text));
      const int32_t pass_id = def.has_overrides ? GetPassDef(def.override_index)->pass_id : def.pass_id;
      return Write(options, slot, BoolInlineOption{value, {}, slot, opt_level, pass_id});
    }
    case SlotKind::kInteger: {
      const int32_t value = registry.GetIntegerOption(slot, info.default_text);
      return Write(options, slot, IntegerOption{value, slot, opt_level, def.pass_id});
    }
    case SlotKind::kStringPtr: {
      const std::string_view text = registry.GetStringOption(slot, info.default_text);
      return Write(options, slot, StringPtrOption{text.data(), text.size(), slot, opt_level, def.pass_id});
    }
  }
}

std::string SlotValue(const NvvmPassOptions& options, const PassOptionSlot& info) {
  switch (info.kind) {
    case SlotKind::kString:
      return StrCat("\"", Read<StringOption>(options, info.number).value, "\"");
    case SlotKind::kStringPtr: {
      const auto option = Read<StringPtrOption>(options, info.number);
      return StrCat("\"", std::string_view(option.data, option.length), "\"");
    }
    case SlotKind::kBoolCompact:
    case SlotKind::kBoolInline:
    case SlotKind::kInteger:
      break;
  }
  return StrCat(Read<IntegerOption>(options, info.number).value);
}

std::string_view KindText(SlotKind kind) {
  constexpr std::string_view kTexts[] = {"string", "bool compact", "bool inline", "integer", "string ptr"};
  return kTexts[static_cast<size_t>(kind)];
}

std::string_view SetText(const OptionNode* node) {
  return node == nullptr ? "default" : (node->flags & OptionNode::kShorthand) != 0 ? "shorthand" : "set";
}

// Returns why nothing reads a slot, or an empty text if something does.
std::string_view ReasonForNoEffect(const PassOptionSlot& info) {
  if (!info.machine_passes.empty()) return "";
  if (info.option == "ftz") return "functions say it by their attribute denormal-fp-math-f32";
  if (info.pass.empty()) return IsString(info.kind) ? "no pass takes a text" : "its meaning is not documented";
  if (info.sense == GuardSense::kValue) return "nothing here depends on it";
  return "no pass here does this";
}

std::string_view ReasonForNoEffect(const NamedPassOption& option) {
  return option.machine_passes.empty() && option.knob.empty() ? "no pass here does this" : "";
}

// Describes what reads a slot or an option in this project.
std::string ScopeText(std::string_view machine_passes, std::string_view knob, std::string_view reason) {
  if (!reason.empty()) return StrCat("no effect: ", reason);
  if (machine_passes == "driver") return "read by the driver";
  if (machine_passes.starts_with('-')) return StrCat("sets the knob ", machine_passes);
  if (!machine_passes.empty()) return StrCat("gates ", machine_passes);
  return StrCat(knob.starts_with("print-") ? "sets -" : "sets the knob -", knob);
}

std::string PassText(const PassOptionSlot& info) {
  const std::string_view pass = info.pass.empty() ? "not documented" : info.pass;
  const std::string what =
      info.pass.empty() && IsString(info.kind) ? StrCat("parameter of slot ", GateOf(info.number)) : std::string(pass);
  return StrCat(what, "; ", ScopeText(info.machine_passes, "", ReasonForNoEffect(info)));
}

std::string SlotRow(const NvvmPassOptions& options, const PassOptionSlot& info) {
  constexpr std::string_view kSenses[] = {"-", "value", "opts", "!opts"};
  constexpr std::string_view kConfidences[] = {"-", "low", "medium", "high"};
  const std::string option = info.option.empty() ? StrCat("-slot-", info.number)
                                                 : StrCat("-", info.option, info.IsInverted() ? " (inverted)" : "");
  return absl::StrFormat("%5d %6d  %-12s  %-28s %-8s %-10s %-6s %-11s %s\n", info.number, PassOptionOffset(info.number),
                         ToAbsl(KindText(info.kind)), option, SlotValue(options, info),
                         ToAbsl(SetText(options.registry->LookupOption(info.number))),
                         ToAbsl(kSenses[static_cast<size_t>(info.sense)]),
                         ToAbsl(kConfidences[static_cast<size_t>(info.confidence)]), PassText(info));
}

// Returns true if an option without a slot switches off the passes that it gates.
bool IsOff(std::string_view value) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(value));
  return lower == "0" || lower == "f" || lower == "false";
}

}  // namespace

absl::Span<const PassDef> PassDefTable() {
  static const std::array<PassDef, kNumPassOptionSlots> table = MakePassDefTable();
  return table;
}

const PassDef* GetPassDef(int pass_index) {
  if (pass_index < 1 || pass_index > kNumPassOptionSlots) return nullptr;
  return &PassDefTable()[static_cast<size_t>(pass_index - 1)];
}

size_t PassOptionOffset(int slot) {
  return slot >= 1 && slot <= kNumPassOptionSlots ? kOffsets[static_cast<size_t>(slot - 1)] : 0;
}

NvvmPassOptions MakeNvvmPassOptions(const PassOptionRegistry& registry) {
  NvvmPassOptions options;
  // Clear the padding between the slots too, so that copies of equal options are equal byte for byte.
  std::memset(static_cast<void*>(&options), 0, sizeof options);
  options.opt_level = registry.opt_level();
  options.registry = &registry;
  for (const PassOptionSlot& info : PassOptionSlots()) InitializeSlot(registry, info, options);
  return options;
}

uint8_t PassOptionByte(const NvvmPassOptions& options, size_t offset) {
  return offset < sizeof options ? reinterpret_cast<const uint8_t*>(&options)[offset] : uint8_t{0};
}

std::vector<std::string_view> GatedOffPasses(const NvvmPassOptions& options) {
  std::vector<std::string_view> lists;
  for (const PassOptionSlot& info : PassOptionSlots()) {
    if (!IsBool(info.kind) || info.machine_passes.empty()) continue;
    const bool value = PassOptionByte(options, PassOptionOffset(info.number)) != 0;
    if (value == (info.sense == GuardSense::kDisable)) lists.push_back(info.machine_passes);
  }
  for (const NamedPassOption& option : NamedPassOptions()) {
    if (option.machine_passes.empty()) continue;
    if (IsOff(options.registry->NamedValue(option.name).value_or("1"))) lists.push_back(option.machine_passes);
  }
  return lists;
}

bool PassGate(const NvvmPassOptions& options, std::string_view machine_pass) {
  for (const std::string_view list : GatedOffPasses(options)) {
    if (ListsName(list, machine_pass)) return false;
  }
  return true;
}

int ThreadCount(const NvvmPassOptions& options, int num_processors) {
  for (const int32_t count : {options.slot_203.value, options.slot_205.value}) {
    if (count > 0) return count;
  }
  return num_processors;
}

namespace {

// The slots that set a knob, with the knob's values for 0 and 1. Division without prec-div is nvcc's div.full.
struct SlotOfKnob {
  int slot;
  std::string_view if_off;
  std::string_view if_on;
};
constexpr SlotOfKnob kSlotsOfKnobs[] = {{2, "1", "2"}, {3, "0", "1"}, {4, "0", "2"}};

std::string_view LastValue(const OptionNode* node) {
  return node == nullptr || node->value_count == 0 ? std::string_view() : node->values[node->value_count - 1];
}

}  // namespace

absl::Status ForwardPassOptionsToKnobs(const PassOptionRegistry& registry, Knobs& knobs) {
  for (const SlotOfKnob& of_knob : kSlotsOfKnobs) {
    const std::string_view value = LastValue(registry.LookupOption(of_knob.slot));
    const std::string_view knob = SlotInfo(of_knob.slot).machine_passes.substr(1);
    if (value.empty() || knobs.IsSet(knob)) continue;
    const std::string_view text = IsOff(value) ? of_knob.if_off : of_knob.if_on;
    if (absl::Status status = knobs.Set(knob, text, KnobOrigin::kCommandLine); !status.ok()) return status;
  }
  for (const NamedPassOption& option : NamedPassOptions()) {
    const bool has_knob = !option.knob.empty() && option.output() == PassOutput::kNone;
    const OptionNode* node = has_knob ? registry.LookupNamed(option.name) : nullptr;
    if (node == nullptr || node->value_count == 0 || knobs.IsSet(option.knob)) continue;
    std::string_view value = node->values[node->value_count - 1];
    if (option.type == PassOptionType::kBool) value = IsOff(value) ? "0" : "1";
    if (absl::Status status = knobs.Set(option.knob, value, KnobOrigin::kCommandLine); !status.ok()) {
      return absl::InvalidArgumentError(StrCat("pass option '-", option.name, "': ", FromAbsl(status.message())));
    }
  }
  return absl::OkStatus();
}

void WarnOfPassOptionsWithoutEffect(const PassOptionRegistry& registry, DiagnosticEngine& diagnostics) {
  const auto warn = [&](std::string_view name, std::string_view reason) {
    if (!reason.empty()) {
      diagnostics.Report(Severity::kWarning, StrCat("pass option '-", name, "' has no effect: ", reason));
    }
  };
  // A shorthand may set more than the user asked for.
  const auto is_asked_for = [](const OptionNode* node) {
    return node != nullptr && (node->flags & OptionNode::kShorthand) == 0;
  };
  for (const PassOptionSlot& info : PassOptionSlots()) {
    if (!is_asked_for(registry.LookupOption(info.number))) continue;
    warn(info.option.empty() ? StrCat("slot-", info.number) : std::string(info.option), ReasonForNoEffect(info));
  }
  for (const NamedPassOption& option : NamedPassOptions()) {
    if (is_asked_for(registry.LookupNamed(option.name))) warn(option.name, ReasonForNoEffect(option));
  }
}

std::string PrintPassOptions(const NvvmPassOptions& options) {
  std::string out = StrCat(
      "NVVMPassOptions: ", sizeof options, " bytes, ", kNumPassOptionSlots, " slots, optimization level ",
      options.opt_level,
      ".\nA guard of opts lets its pass run if the value is 1, one of !opts if it is 0. Slots without effect are "
      "accepted,\nwith a warning.\n\n");
  absl::StrAppendFormat(&out, "%5s %6s  %-12s  %-28s %-8s %-10s %-6s %-11s %s\n", "slot", "offset", "type", "option",
                        "value", "origin", "guard", "confidence", "pass");
  for (const PassOptionSlot& info : PassOptionSlots()) out += SlotRow(options, info);
  StrAppend(&out, "\nOptions whose slot is not documented, kept by name:\n\n");
  absl::StrAppendFormat(&out, "  %-40s %-8s %-10s %s\n", "option", "value", "origin", "purpose");
  for (const NamedPassOption& option : NamedPassOptions()) {
    absl::StrAppendFormat(&out, "  %-40s %-8s %-10s %s; %s\n", StrCat("-", option.name),
                          ToAbsl(options.registry->NamedValue(option.name).value_or("-")),
                          ToAbsl(SetText(options.registry->LookupNamed(option.name))), ToAbsl(option.purpose),
                          ScopeText(option.machine_passes, option.knob, ReasonForNoEffect(option)));
  }
  return out;
}

}  // namespace ptxmir
