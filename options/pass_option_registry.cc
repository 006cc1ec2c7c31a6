// SPDX-License-Identifier: Apache-2.0

#include "options/pass_option_registry.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr std::string_view kSlotPrefix = "slot-";

// The flags that the command line has for pass options.
constexpr std::string_view kFlags[] = {"opt", "Xopt", "emit-optix-ir", "Ofast-compile", "memory-space-opt"};

PassOptionType TypeOf(SlotKind kind) {
  return IsBool(kind) ? PassOptionType::kBool : IsString(kind) ? PassOptionType::kText : PassOptionType::kInt;
}

// Converts a text to a boolean, which is step 2 of cicc's resolution.
bool ResolveBool(std::string_view text) {
  const char first = text.empty() ? '0' : absl::ascii_tolower(static_cast<unsigned char>(text[0]));
  return first == '1' || first == 't';
}

bool IsBoolText(std::string_view text) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(text));
  return ListsName("0,1,f,t,false,true", lower) && !lower.empty();
}

std::optional<int32_t> ParseDecimal(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value != static_cast<int32_t>(value)) return std::nullopt;
  return static_cast<int32_t>(value);
}

absl::Status InvalidValue(std::string_view option, std::string_view value, std::string_view expected) {
  return absl::InvalidArgumentError(
      StrCat("invalid value '", value, "' for pass option '-", option, "': expected ", expected));
}

absl::Status CheckValue(std::string_view option, PassOptionType type, std::string_view value,
                        std::string_view allowed = "") {
  if (value.find('\0') != std::string_view::npos) return InvalidValue(option, value, "a text without zero bytes");
  switch (type) {
    case PassOptionType::kBool:
      if (IsBoolText(value)) return absl::OkStatus();
      return InvalidValue(option, value, "0, 1, true or false");
    case PassOptionType::kInt:
      if (ParseDecimal(value).has_value()) return absl::OkStatus();
      return InvalidValue(option, value, "an integer of 32 bits");
    case PassOptionType::kText:
      if (allowed.empty() || ListsName(allowed, value)) return absl::OkStatus();
      return InvalidValue(option, value, StrCat("one of ", allowed));
  }
  return absl::OkStatus();
}

// Returns the slot that "slot-N" names, or 0 if it is not such a name.
int SlotOfName(std::string_view name) {
  if (!name.starts_with(kSlotPrefix)) return 0;
  const std::optional<int32_t> number = ParseDecimal(name.substr(kSlotPrefix.size()));
  return number.has_value() && *number >= 1 && *number <= kNumPassOptionSlots ? *number : 0;
}

absl::Status UnknownOption(std::string_view name) {
  NearestName nearest(name);
  if (!name.empty()) {
    for (const PassOptionSlot& slot : PassOptionSlots()) {
      if (!slot.option.empty()) nearest.Consider(slot.option);
    }
    for (const NamedPassOption& option : NamedPassOptions()) nearest.Consider(option.name);
  }
  std::string message = StrCat("unknown pass option '-", name, "'");
  if (!nearest.best().empty()) StrAppend(&message, "; did you mean '-", nearest.best(), "'?");
  if (name.starts_with(kSlotPrefix)) StrAppend(&message, "; slots go from 1 to ", kNumPassOptionSlots);
  return absl::InvalidArgumentError(message);
}

}  // namespace

void PassOptionRegistry::Store(Entry& entry, std::string_view name, int slot, std::optional<std::string_view> value,
                               int16_t flags) {
  if (!entry.found) {
    const std::string& kept = texts_.emplace_back(name);
    entry.found = true;
    entry.node.name = kept.c_str();
    entry.node.name_length = kept.size();
    entry.node.option_index = slot;
  }
  // The last setting counts, and so do its flags.
  entry.node.flags = flags;
  if (!value.has_value()) return;
  entry.values.push_back(texts_.emplace_back(*value).c_str());
  entry.node.values = entry.values.data();
  entry.node.value_count = static_cast<int32_t>(entry.values.size());
}

absl::Status PassOptionRegistry::SetSlot(int slot, std::optional<std::string_view> value, int16_t flags) {
  if (slot < 1 || slot > kNumPassOptionSlots) {
    return absl::InvalidArgumentError(StrCat("there is no slot ", slot, "; slots go from 1 to ", kNumPassOptionSlots));
  }
  const PassOptionSlot& info = PassOptionSlots()[static_cast<size_t>(slot - 1)];
  const std::string name = info.option.empty() ? StrCat(kSlotPrefix, slot) : std::string(info.option);
  if (value.has_value()) {
    if (absl::Status status = CheckValue(name, TypeOf(info.kind), *value); !status.ok()) return status;
  }
  Store(slots_[static_cast<size_t>(slot - 1)], name, slot, value, flags);
  return absl::OkStatus();
}

absl::Status PassOptionRegistry::SetOption(std::string_view name, std::optional<std::string_view> value,
                                           int16_t flags) {
  const auto check = [&](PassOptionType type, std::string_view allowed) -> absl::Status {
    if (!value.has_value() && type == PassOptionType::kBool) value = "1";
    if (!value.has_value()) return absl::InvalidArgumentError(StrCat("pass option '-", name, "' requires a value"));
    return CheckValue(name, type, *value, allowed);
  };
  if (const int slot = SlotOfName(name); slot != 0) {
    const PassOptionSlot& info = PassOptionSlots()[static_cast<size_t>(slot - 1)];
    if (absl::Status status = check(TypeOf(info.kind), ""); !status.ok()) return status;
    return SetSlot(slot, value, flags);
  }
  const absl::Span<const NamedPassOption> named = NamedPassOptions();
  for (size_t i = 0; i < named.size(); ++i) {
    if (named[i].name != name) continue;
    if (absl::Status status = check(named[i].type, named[i].values); !status.ok()) return status;
    Store(named_[i], name, 0, value, flags);
    return absl::OkStatus();
  }
  bool found = false;
  for (const PassOptionSlot& info : PassOptionSlots()) {
    if (info.option.empty() || info.option != name) continue;
    if (absl::Status status = check(TypeOf(info.kind), ""); !status.ok()) return status;
    const std::string_view inverse = ResolveBool(*value) ? "0" : "1";
    const std::string_view stored = info.IsInverted() ? inverse : *value;
    if (absl::Status status = SetSlot(info.number, stored, flags); !status.ok()) return status;
    found = true;
  }
  return found ? absl::OkStatus() : UnknownOption(name);
}

absl::Status PassOptionRegistry::ParseOptText(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  const auto expected = [](std::string_view found) {
    return absl::InvalidArgumentError(
        StrCat("expected a pass option such as -do-licm=0 after -opt, found '", found, "'"));
  };
  if (text.find_first_not_of(kBlanks) == std::string_view::npos) return expected(text);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return absl::OkStatus();
    const std::string_view token = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(token.size());
    if (token.size() < 2 || token[0] != '-') return expected(token);
    const std::string_view option = token.substr(token[1] == '-' ? 2 : 1);
    const size_t equals = option.find('=');
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = option.substr(equals + 1);
    if (absl::Status status = SetOption(option.substr(0, equals), value); !status.ok()) return status;
  }
}

absl::Status PassOptionRegistry::SetAll(absl::Span<const std::pair<std::string_view, std::string_view>> options) {
  for (const auto& [name, value] : options) {
    if (absl::Status status = SetOption(name, value, OptionNode::kShorthand); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> PassOptionRegistry::ParseFlag(std::string_view flag) {
  const size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  std::optional<std::string_view> value;
  if (equals != std::string_view::npos) value = flag.substr(equals + 1);
  if (RequiresValue(name) && !value.has_value()) {
    return absl::InvalidArgumentError(StrCat("option '-", name, "' requires a value"));
  }
  absl::Status status;
  if (name == "opt" || name == "Xopt") {
    status = ParseOptText(*value);
  } else if (name == "memory-space-opt") {
    status = SetOption(name, value);
  } else if (name == "emit-optix-ir") {
    if (value.has_value()) return absl::InvalidArgumentError(StrCat("option '-", name, "' takes no value"));
    status = SetAll({{"do-ip-msp", "0"}, {"do-licm", "0"}});
  } else if (name == "Ofast-compile") {
    status = SetAll({{"fast-compile", *value}, {"memory-space-opt", "0"}});
  } else {
    return false;
  }
  if (!status.ok()) return status;
  return true;
}

bool PassOptionRegistry::RequiresValue(std::string_view name) {
  return name == "opt" || name == "Xopt" || name == "Ofast-compile";
}

void PassOptionRegistry::ConsiderFlags(NearestName& nearest) {
  for (const std::string_view flag : kFlags) nearest.Consider(flag);
}

const OptionNode* PassOptionRegistry::LookupOption(int slot) const {
  if (slot < 1 || slot > kNumPassOptionSlots) return nullptr;
  const Entry& entry = slots_[static_cast<size_t>(slot - 1)];
  return entry.found ? &entry.node : nullptr;
}

const OptionNode* PassOptionRegistry::LookupNamed(std::string_view name) const {
  for (const Entry& entry : named_) {
    if (entry.found && std::string_view(entry.node.name, entry.node.name_length) == name) return &entry.node;
  }
  return nullptr;
}

std::optional<std::string_view> PassOptionRegistry::NamedValue(std::string_view name) const {
  const OptionNode* node = LookupNamed(name);
  if (node != nullptr && node->value_count > 0) return node->values[node->value_count - 1];
  for (const NamedPassOption& option : NamedPassOptions()) {
    if (option.name == name && !option.default_text.empty()) return option.default_text;
  }
  return std::nullopt;
}

uint64_t PassOptionRegistry::GetBoolOption(int slot, std::string_view default_text) const {
  const OptionNode* node = LookupOption(slot);
  const bool has_value = node != nullptr && node->value_count > 0;
  const bool value = has_value ? ResolveBool(node->values[node->value_count - 1]) : default_text.substr(0, 1) == "1";
  const uint32_t flags = node == nullptr ? 0 : static_cast<uint32_t>(node->flags);
  return uint64_t{value} | uint64_t{flags} << 8;
}

std::string_view PassOptionRegistry::GetStringOption(int slot, std::string_view default_text) const {
  const OptionNode* node = LookupOption(slot);
  return node != nullptr && node->value_count > 0 ? node->values[node->value_count - 1] : default_text;
}

int32_t PassOptionRegistry::GetIntegerOption(int slot, std::string_view default_text) const {
  return ParseDecimal(GetStringOption(slot, default_text)).value_or(0);
}

}  // namespace ptxmir
