// SPDX-License-Identifier: Apache-2.0

// The part of LinkState that joins module flags (IRLinker::linkModuleFlagsMetadata).

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/link/link_state.h"

namespace ptxmir::ir {
namespace {

// The numbers of Module::ModFlagBehavior.
enum Behavior : int64_t {
  kError = 1,
  kWarning = 2,
  kRequire = 3,
  kOverride = 4,
  kAppend = 5,
  kAppendUnique = 6,
  kMax = 7,
  kMin = 8,
};

bool IsOneOf(int64_t behavior, int64_t a, int64_t b) { return behavior == a || behavior == b; }

}  // namespace

LinkState::Flag LinkState::FlagOf(const Input& input, const ModuleFlag& flag) const {
  Flag made;
  made.behavior = flag.behavior;
  made.name = std::string(flag.name);
  made.input = input.name;
  if (flag.value.constant != nullptr) {
    made.value = Renamed(input, ToStringWithType(input.module(), *flag.value.constant), /*renumbers=*/true);
    made.is_integer = flag.value.constant->is_integer();
    if (made.is_integer) made.integer = static_cast<int64_t>(flag.value.constant->ZExtValue());
    return made;
  }
  const auto operand_text = [&](const MetadataOperand& operand) {
    if (operand.constant != nullptr) {
      return Renamed(input, ToStringWithType(input.module(), *operand.constant), /*renumbers=*/true);
    }
    if (operand.kind == MetadataOperand::Kind::kNode) {
      return StrCat("!", operand.node < input.metadata.size() ? input.metadata[operand.node] : operand.node);
    }
    std::string text = "null";
    if (operand.kind == MetadataOperand::Kind::kString) {
      text = "!\"";
      AppendEscapedIrString(operand.text, &text);
      text.push_back('"');
    }
    return text;
  };
  const MetadataNode* list = flag.value.kind == MetadataOperand::Kind::kNode ? input.module().metadata(flag.value.node)
                                                                             : flag.value.inline_node;
  made.value = operand_text(flag.value);
  if (list != nullptr && list->kind.empty()) {
    for (const MetadataOperand& operand : list->operands) made.list.push_back(operand_text(operand));
    made.value.clear();
  }
  return made;
}

std::string LinkState::ValueText(const Flag& flag) {
  if (!flag.value.empty()) return flag.value;
  std::string text = "!{";
  for (const std::string& operand : flag.list) StrAppend(&text, &operand == flag.list.data() ? "" : ", ", operand);
  return text + "}";
}

bool LinkState::MergeFlag(Flag source, std::vector<Flag>* requirements) {
  if (source.behavior == kRequire) {
    const bool is_known = std::any_of(requirements->begin(), requirements->end(), [&](const Flag& known) {
      return known.name == source.name && ValueText(known) == ValueText(source);
    });
    if (!is_known) requirements->push_back(std::move(source));
    return true;
  }
  const auto found =
      std::find_if(flags_.begin(), flags_.end(), [&](const Flag& flag) { return flag.name == source.name; });
  if (found == flags_.end()) {
    flags_.push_back(std::move(source));
    return true;
  }
  Flag& known = *found;
  const bool differs = ValueText(known) != ValueText(source);
  const auto conflict = [&](std::string_view what) {
    return Error(StrCat("linking module flags '", known.name, "': IDs have conflicting ", what, " in '", known.input,
                        "' and '", source.input, "'"));
  };
  if (known.behavior == kOverride || source.behavior == kOverride) {
    if (known.behavior == kOverride && source.behavior == kOverride && differs) return conflict("override values");
    if (known.behavior != kOverride) known = std::move(source);
    return true;
  }
  const auto is_mix = [&](int64_t limit) {
    return (known.behavior == limit && IsOneOf(source.behavior, kWarning, kError)) ||
           (source.behavior == limit && IsOneOf(known.behavior, kWarning, kError));
  };
  if (known.behavior != source.behavior) {
    if (!is_mix(kMax) && !is_mix(kMin)) return conflict("behaviors");
    known.behavior = is_mix(kMax) ? kMax : kMin;
  }
  switch (known.behavior) {
    case kError:
      return !differs || conflict("values");
    case kWarning:
      if (differs) {
        diagnostics_.Report(Severity::kWarning,
                            StrCat("linking module flags '", known.name, "': IDs have conflicting values in '",
                                   known.input, "' and '", source.input, "'"));
      }
      return true;
    case kMax:
    case kMin: {
      if (!known.is_integer || !source.is_integer) return !differs || conflict("values");
      const auto a = static_cast<uint64_t>(known.integer), b = static_cast<uint64_t>(source.integer);
      if (known.behavior == kMax ? b > a : b < a) {
        known.value = source.value;
        known.integer = source.integer;
      }
      return true;
    }
    case kAppend:
    case kAppendUnique:
      for (std::string& operand : source.list) {
        const bool is_new = std::find(known.list.begin(), known.list.end(), operand) == known.list.end();
        if (known.behavior == kAppend || is_new) known.list.push_back(std::move(operand));
      }
      return true;
    default:
      return !differs || conflict("values");
  }
}

bool LinkState::MergeFlags() {
  std::vector<Flag> requirements;
  bool ok = true;
  for (const Input& input : inputs_) {
    for (const ModuleFlag& flag : input.module().module_flags()) {
      ok = MergeFlag(FlagOf(input, flag), &requirements) && ok;
    }
  }
  for (Flag& requirement : requirements) {
    // The value is the name of another flag and what that must be.
    const bool is_pair = requirement.list.size() == 2 && requirement.list[0].size() > 3;
    const std::string name = is_pair ? requirement.list[0].substr(2, requirement.list[0].size() - 3) : "";
    const auto found = std::find_if(flags_.begin(), flags_.end(), [&](const Flag& flag) { return flag.name == name; });
    if (is_pair && (found == flags_.end() || ValueText(*found) != requirement.list[1])) {
      ok = Error(StrCat("linking module flags '", name, "': does not have the required value"));
    }
  }
  flags_.insert(flags_.end(), requirements.begin(), requirements.end());
  return ok;
}

}  // namespace ptxmir::ir
