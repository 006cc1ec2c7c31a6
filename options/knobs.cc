// SPDX-License-Identifier: Apache-2.0

#include "options/knobs.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "options/knob_listing.h"

namespace ptxmir {
namespace {

// The text of an optional knob's value that leaves the decision to its reader.
constexpr std::string_view kAutomatic = "auto";

// The names of each enum's values, in order.
constexpr std::string_view kMachineOutlinerModes[] = {"disable", "enable", "guaranteed-beneficial"};
constexpr std::string_view kSchedulingModes[] = {"full", "simple"};
constexpr std::string_view kSpillPolicies[] = {"auto", "never", "always"};
constexpr std::string_view kSpillSpaces[] = {"local", "shared", "auto"};
constexpr std::string_view kRegisterStresses[] = {"none", "spill-all", "split"};
constexpr std::string_view kScheduleStresses[] = {"none", "shuffle"};

// The register classes that have virtual registers, as MIR spells them.
constexpr std::string_view kRegisterClassNames[] = {"b1", "b16", "b32", "b64", "b128"};
// The most registers of a class that a limit may state, as for -ra-limit.
constexpr int32_t kMostRegisters = 255;

constexpr absl::Span<const std::string_view> ElementNames(KnobElement element) {
  if (element == KnobElement::kRegisterCounts) return kRegisterClassNames;
  return {};
}

constexpr absl::Span<const std::string_view> ValueNames(MachineOutlinerMode) { return kMachineOutlinerModes; }
constexpr absl::Span<const std::string_view> ValueNames(SchedulingMode) { return kSchedulingModes; }
constexpr absl::Span<const std::string_view> ValueNames(SpillPolicy) { return kSpillPolicies; }
constexpr absl::Span<const std::string_view> ValueNames(SpillSpace) { return kSpillSpaces; }
constexpr absl::Span<const std::string_view> ValueNames(RegisterStress) { return kRegisterStresses; }
constexpr absl::Span<const std::string_view> ValueNames(ScheduleStress) { return kScheduleStresses; }

constexpr size_t kTableSize = 0
#define PTXMIR_KNOB_ANY(id) +1
#include "options/knob_table.inc"
    ;

constexpr std::array<KnobInfo, kTableSize> MakeTable() {
  using enum KnobScope;
  using enum KnobElement;
  using enum KnobType;
  std::array<KnobInfo, kTableSize> table{};
  size_t i = 0;
  std::string_view group;
#define PTXMIR_KNOB_GROUP(title) group = title;
#define PTXMIR_KNOB_BOOL(id, name, scope, default_value, pass, help) \
  table[i++] = {name, group, kBool, scope, default_value, 0, 1, {}, kNames, pass, help};
#define PTXMIR_KNOB_OPTIONAL_BOOL(id, name, scope, pass, automatic, help) \
  table[i++] = {name, group, kOptionalBool, scope, kKnobIsAutomatic, 0, 1, {}, kNames, pass, help, automatic};
#define PTXMIR_KNOB_INT(id, name, scope, default_value, minimum, maximum, pass, help) \
  static_assert((minimum) <= (default_value) && (default_value) <= (maximum));        \
  table[i++] = {name, group, kInt, scope, default_value, minimum, maximum, {}, kNames, pass, help};
#define PTXMIR_KNOB_OPTIONAL_INT(id, name, scope, minimum, maximum, pass, automatic, help) \
  table[i++] = {name, group,  kOptionalInt, scope, kKnobIsAutomatic, minimum, maximum,     \
                {},   kNames, pass,         help,  automatic};
#define PTXMIR_KNOB_WITHOUT_EFFECT(reason) table[i - 1].absence = reason;
#define PTXMIR_KNOB_ENUM(id, name, scope, Enum, default_value, pass, help) \
  table[i++] = {name,                                                      \
                group,                                                     \
                kEnum,                                                     \
                scope,                                                     \
                static_cast<int32_t>(Enum::default_value),                 \
                0,                                                         \
                static_cast<int32_t>(ValueNames(Enum{}).size()) - 1,       \
                ValueNames(Enum{}),                                        \
                kNames,                                                    \
                pass,                                                      \
                help};
#define PTXMIR_KNOB_LIST(id, name, scope, element, pass, help) \
  table[i++] = {name, group, kList, scope, 0, 0, 0, ElementNames(element), element, pass, help};
#include "options/knob_table.inc"
  return table;
}

constexpr std::array<KnobInfo, kTableSize> kTable = MakeTable();

struct Alias {
  std::string_view alias;
  std::string_view name;
};
constexpr Alias kAliases[] = {{"R", "nvvm-reflect-add"}};

std::optional<bool> ParseBool(std::string_view text) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(text));
  if (lower == "1" || lower == "true") return true;
  if (lower == "0" || lower == "false") return false;
  return std::nullopt;
}

// Parses a decimal number, or a hexadecimal one after 0x. Returns nullopt if the text is not a number or does not
// fit.
std::optional<int64_t> ParseInteger(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && text[2] != '-') {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

absl::Status InvalidValue(const KnobInfo& knob, std::string_view value) {
  std::string message =
      StrCat("invalid value '", value, "' for knob '-", knob.name, "': expected ", knob.ExpectedValues());
  NearestName nearest(value);
  for (const std::string_view name : knob.value_names) nearest.Consider(name);
  StrAppend(&message, nearest.Suggestion());
  return absl::InvalidArgumentError(message);
}

// Checks an element of nvvm-reflect-add.
absl::Status CheckKeyValue(const KnobInfo& knob, std::string_view element) {
  const auto error = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        StrCat("invalid value '", element, "' for knob '-", knob.name, "': ", what, "; expected name=integer"));
  };
  const size_t equals = element.find('=');
  if (equals == std::string_view::npos) return error("no '='");
  if (equals == 0) return error("empty key before '='");
  const std::string_view number = element.substr(equals + 1);
  if (number.empty()) return error("missing value after '='");
  int64_t value;
  if (!absl::SimpleAtoi(ToAbsl(number), &value)) return error("non-integer value after '='");
  return absl::OkStatus();
}

// Checks an element of ra-class-limits.
absl::Status CheckRegisterCount(const KnobInfo& knob, std::string_view element) {
  if (ParseRegisterCount(element).has_value()) return absl::OkStatus();
  const auto error = [&](std::string_view what, std::string_view suggestion) {
    return absl::InvalidArgumentError(StrCat("invalid value '", element, "' for knob '-", knob.name, "': ", what,
                                             "; expected ", knob.ExpectedValues(), suggestion));
  };
  const std::string_view name = element.substr(0, element.find(':'));
  if (std::count(knob.value_names.begin(), knob.value_names.end(), name) == 0) {
    NearestName nearest(name);
    for (const std::string_view known : knob.value_names) nearest.Consider(known);
    return error(StrCat("no register class '", name, "'"), nearest.Suggestion());
  }
  return error(name.size() == element.size() ? "no ':'" : "the number is missing, not a number or out of range", "");
}

std::string Joined(absl::Span<const std::string_view> names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    StrAppend(&out, i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  }
  return out;
}

// Describes the elements of a list.
struct ElementForm {
  std::string value_name;                                                           // in a usage line
  std::string type;                                                                 // in a listing
  std::string expected;                                                             // in an error message
  absl::Status (*check)(const KnobInfo& knob, std::string_view element) = nullptr;  // null: any element is valid
};

ElementForm FormOf(KnobElement element) {
  switch (element) {
    case KnobElement::kNames:
      return {.value_name = "a,b", .type = "names", .expected = "names separated by commas"};
    case KnobElement::kKeyValues:
      return {.value_name = "name=n", .type = "name=integer pairs", .expected = "name=integer", .check = CheckKeyValue};
    case KnobElement::kRegisterCounts:
      return {.value_name = "class:n",
              .type = StrCat("class:1..", kMostRegisters),
              .expected = StrCat("class:number with a number from 1 to ", kMostRegisters, " and a class of ",
                                 Joined(kRegisterClassNames)),
              .check = CheckRegisterCount};
  }
  return {};
}

std::string_view OriginText(KnobOrigin origin) {
  switch (origin) {
    case KnobOrigin::kDefault:
      return "";
    case KnobOrigin::kApi:
      return "set by the program";
    case KnobOrigin::kCommandLine:
      return "set on the command line";
    case KnobOrigin::kFunctionAttribute:
      return "set by an attribute";
  }
  return "";
}

// Returns a text such as "bool", "int 0..15", "auto|never|always" or "names".
std::string TypeAndRange(const KnobInfo& knob) {
  switch (knob.type) {
    case KnobType::kBool:
    case KnobType::kOptionalBool:
      return "bool";
    case KnobType::kInt:
    case KnobType::kOptionalInt:
      return StrCat("int ", knob.minimum, "..", knob.maximum);
    case KnobType::kEnum:
      return knob.ValueName();
    case KnobType::kList:
      return FormOf(knob.element).type;
  }
  return "";
}

std::string ValueTextOf(const KnobInfo& knob, int32_t value) {
  if (knob.is_optional() && value == kKnobIsAutomatic) return std::string(kAutomatic);
  switch (knob.type) {
    case KnobType::kBool:
    case KnobType::kOptionalBool:
      return value != 0 ? "true" : "false";
    case KnobType::kInt:
    case KnobType::kOptionalInt:
      return StrCat(value);
    case KnobType::kEnum:
      return std::string(knob.value_names[static_cast<size_t>(value)]);
    case KnobType::kList:
      return "";
  }
  return "";
}

// Returns true if something reads the knob: one of its passes exists, or the pipeline.
bool IsImplemented(const KnobInfo& knob, PassImplementedFunction is_implemented) {
  if (!knob.absence.empty()) return false;
  std::string_view passes = knob.pass;
  if (passes.empty()) return true;
  while (true) {
    const size_t comma = passes.find(',');
    if (is_implemented(passes.substr(0, comma))) return true;
    if (comma == std::string_view::npos) return false;
    passes.remove_prefix(comma + 1);
  }
}

std::string ReasonForNoEffect(const KnobInfo& knob) {
  if (!knob.absence.empty()) return std::string(knob.absence);
  const bool several = knob.pass.find(',') != std::string_view::npos;
  return several ? StrCat("none of its passes '", knob.pass, "' exists here")
                 : StrCat("its pass '", knob.pass, "' does not exist here");
}

}  // namespace

std::optional<RegisterCount> ParseRegisterCount(std::string_view element) {
  const size_t colon = element.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = element.substr(0, colon);
  const auto known = std::find(std::begin(kRegisterClassNames), std::end(kRegisterClassNames), name);
  if (known == std::end(kRegisterClassNames)) return std::nullopt;
  const std::optional<int64_t> count = ParseInteger(element.substr(colon + 1));
  if (!count.has_value() || *count < 1 || *count > kMostRegisters) return std::nullopt;
  return RegisterCount{.class_name = *known, .count = static_cast<int32_t>(*count)};
}

std::string KnobInfo::ExpectedValues() const {
  switch (type) {
    case KnobType::kBool:
      return "true or false";
    case KnobType::kOptionalBool:
      return "true, false or auto";
    case KnobType::kInt:
      return StrCat("an integer from ", minimum, " to ", maximum);
    case KnobType::kOptionalInt:
      return StrCat("auto or an integer from ", minimum, " to ", maximum);
    case KnobType::kEnum:
      return Joined(value_names);
    case KnobType::kList:
      return FormOf(element).expected;
  }
  return "";
}

std::string KnobInfo::ValueName() const {
  if (type == KnobType::kList) return FormOf(element).value_name;
  if (type == KnobType::kInt || type == KnobType::kOptionalInt) return "n";
  std::string names;
  for (const std::string_view name : value_names) StrAppend(&names, names.empty() ? "" : "|", name);
  return names;
}

bool KnobInfo::RequiresValue() const {
  const bool is_switch = type == KnobType::kBool || type == KnobType::kOptionalBool;
  // LLVM reads -enable-machine-outliner as "enable".
  const bool is_enum_switch = type == KnobType::kEnum && std::count(value_names.begin(), value_names.end(), "enable");
  return !is_switch && !is_enum_switch;
}

absl::Span<const KnobInfo> KnobTable() { return kTable; }

const KnobInfo* FindKnob(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.alias == name) name = alias.name;
  }
  const auto it = std::find_if(kTable.begin(), kTable.end(), [&](const KnobInfo& knob) { return knob.name == name; });
  return it == kTable.end() ? nullptr : &*it;
}

void ConsiderKnobs(NearestName& nearest) {
  for (const KnobInfo& knob : kTable) nearest.Consider(knob.name);
}

Knobs::Knobs() {
  static_assert(kNumKnobs == kTableSize);
  for (size_t i = 0; i < kTable.size(); ++i) values_[i] = kTable[i].default_value;
}

std::optional<size_t> Knobs::ListIndexOf(size_t index) {
#define PTXMIR_KNOB_LIST(id, ...) \
  if (index == k_##id) return k_list_##id;
#include "options/knob_table.inc"
  return std::nullopt;
}

absl::Status Knobs::SetList(const KnobInfo& knob, std::string_view value) {
  const auto check = FormOf(knob.element).check;
  std::vector<std::string> elements;
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::string_view element = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), element.size() + 1));
    if (element.empty()) continue;
    if (check != nullptr) {
      if (absl::Status status = check(knob, element); !status.ok()) return status;
    }
    elements.emplace_back(element);
  }
  if (elements.empty() && !value.empty()) return InvalidValue(knob, value);
  std::vector<std::string>& list = lists_[*ListIndexOf(IndexOf(knob))];
  if (elements.empty()) list.clear();
  std::move(elements.begin(), elements.end(), std::back_inserter(list));
  return absl::OkStatus();
}

absl::Status Knobs::Set(std::string_view name, std::string_view value, KnobOrigin origin) {
  const KnobInfo* knob = FindKnob(name);
  if (knob == nullptr) {
    NearestName nearest(name);
    if (!name.empty()) ConsiderKnobs(nearest);
    return absl::InvalidArgumentError(StrCat("unknown knob '", name, "'", nearest.Suggestion()));
  }
  const size_t index = IndexOf(*knob);
  if (knob->is_optional() && value == kAutomatic) {
    values_[index] = kKnobIsAutomatic;
    origins_[index] = origin;
    return absl::OkStatus();
  }
  switch (knob->type) {
    case KnobType::kBool:
    case KnobType::kOptionalBool: {
      const std::optional<bool> parsed = value.empty() ? true : ParseBool(value);
      if (!parsed.has_value()) return InvalidValue(*knob, value);
      values_[index] = *parsed;
      break;
    }
    case KnobType::kInt:
    case KnobType::kOptionalInt: {
      const std::optional<int64_t> parsed = ParseInteger(value);
      if (!parsed.has_value() || *parsed < knob->minimum || *parsed > knob->maximum) return InvalidValue(*knob, value);
      values_[index] = static_cast<int32_t>(*parsed);
      break;
    }
    case KnobType::kEnum: {
      const std::string_view wanted = value.empty() && !knob->RequiresValue() ? "enable" : value;
      const auto it = std::find(knob->value_names.begin(), knob->value_names.end(), wanted);
      if (it == knob->value_names.end()) return InvalidValue(*knob, value);
      values_[index] = static_cast<int32_t>(it - knob->value_names.begin());
      break;
    }
    case KnobType::kList:
      if (absl::Status status = SetList(*knob, value); !status.ok()) return status;
      break;
  }
  origins_[index] = origin;
  return absl::OkStatus();
}

absl::StatusOr<bool> Knobs::ParseFlag(std::string_view flag, KnobOrigin origin) {
  const size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  const KnobInfo* knob = FindKnob(name);
  if (knob == nullptr) return false;
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? flag.substr(equals + 1) : std::string_view();
  if (!has_value && knob->RequiresValue()) {
    return absl::InvalidArgumentError(StrCat("knob '-", name, "' requires a value: expected ", knob->ExpectedValues()));
  }
  // "-knob=" is not the same as "-knob".
  if (has_value && value.empty() && knob->type != KnobType::kList) return InvalidValue(*knob, value);
  if (absl::Status status = Set(name, value, origin); !status.ok()) return status;
  return true;
}

KnobOrigin Knobs::origin(std::string_view name) const {
  const KnobInfo* knob = FindKnob(name);
  return knob == nullptr ? KnobOrigin::kDefault : origin(*knob);
}

std::string Knobs::ValueText(const KnobInfo& knob) const {
  const size_t index = IndexOf(knob);
  if (knob.type != KnobType::kList) return ValueTextOf(knob, values_[index]);
  std::string out;
  for (const std::string& element : lists_[*ListIndexOf(index)]) StrAppend(&out, out.empty() ? "" : ",", element);
  return out;
}

std::vector<std::string> Knobs::ExplicitFlags() const {
  std::vector<std::string> flags;
  for (const KnobInfo& knob : kTable) {
    if (origin(knob) != KnobOrigin::kDefault) flags.push_back(StrCat("-", knob.name, "=", ValueText(knob)));
  }
  return flags;
}

Knobs KnobsForFunction(const Knobs& base, const IrAttributes* attributes, std::string_view function_name,
                       DiagnosticEngine& diagnostics) {
  Knobs knobs = base;
  if (attributes == nullptr) return knobs;
  for (const IrAttribute& attribute : attributes->all()) {
    if (!attribute.is_string || !attribute.name.starts_with(kKnobAttributePrefix)) continue;
    const std::string_view name = attribute.name.substr(kKnobAttributePrefix.size());
    const KnobInfo* knob = FindKnob(name);
    absl::Status status;
    if (knob != nullptr && knob->scope == KnobScope::kModule) {
      status = absl::InvalidArgumentError(StrCat("knob '-", name, "' is one of the whole module, not of a function"));
    } else {
      status = knobs.Set(name, attribute.value, KnobOrigin::kFunctionAttribute);
    }
    if (status.ok()) continue;
    diagnostics.Error(
        StrCat("function '", function_name, "', attribute ", attribute.text, ": ", FromAbsl(status.message())));
  }
  return knobs;
}

void WarnOfKnobsWithoutEffect(const Knobs& knobs, KnobOrigin origin, std::string_view context,
                              PassImplementedFunction is_implemented, DiagnosticEngine& diagnostics) {
  for (const KnobInfo& knob : kTable) {
    if (knobs.origin(knob) != origin || IsImplemented(knob, is_implemented)) continue;
    diagnostics.Report(Severity::kWarning,
                       StrCat(context, "knob '-", knob.name, "' has no effect: ", ReasonForNoEffect(knob)));
  }
}

std::string PrintKnobs(const Knobs& knobs, PassImplementedFunction is_implemented) {
  return ListKnobs(
      knobs, [](const KnobInfo&) { return true; }, is_implemented);
}

std::string ListKnobs(const Knobs& knobs, absl::FunctionRef<bool(const KnobInfo&)> is_listed,
                      PassImplementedFunction is_implemented) {
  std::string out;
  const auto row = [&](std::string_view name, std::string_view default_text, std::string_view value,
                       std::string_view range, std::string_view origin) {
    std::string line = absl::StrFormat("  %-41s %-10s %-10s %-38s%s", ToAbsl(name), ToAbsl(default_text), ToAbsl(value),
                                       ToAbsl(range), ToAbsl(origin));
    StrAppend(&out, FromAbsl(absl::StripTrailingAsciiWhitespace(line)), "\n");
  };
  const auto shown = [](const std::string& text) { return text.empty() ? "-" : text; };
  row("knob", "default", "value", "type and range", "");
  std::string_view group;
  for (const KnobInfo& knob : kTable) {
    if (!is_listed(knob)) continue;
    if (knob.group != group) StrAppend(&out, "\n", knob.group, ":\n");
    group = knob.group;
    const KnobOrigin origin = knobs.origin(knob);
    row(StrCat("-", knob.name), shown(ValueTextOf(knob, knob.default_value)), shown(knobs.ValueText(knob)),
        TypeAndRange(knob), OriginText(origin));
    StrAppend(&out, "      ", knob.pass.empty() ? "driver and pipeline" : knob.pass,
              IsImplemented(knob, is_implemented) ? "" : " (not implemented)", ": ", knob.help,
              knob.is_optional() ? StrCat("; auto (", knob.automatic, ")") : "",
              knob.absence.empty() ? "" : StrCat("; no effect: ", knob.absence),
              knob.scope == KnobScope::kModule ? " [module]" : "", "\n");
  }
  return out;
}

}  // namespace ptxmir
