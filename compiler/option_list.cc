// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_list.h"

#include <cassert>

#include "base/str_cat.h"
#include "options/knobs.h"
#include "options/llc_options.h"
#include "options/remark_options.h"

namespace ptxmir {
namespace {

constexpr OptionCategory kCategories[] = {
    OptionCategory::kCommon,    OptionCategory::kGeneral,  OptionCategory::kTarget,     OptionCategory::kPipeline,
    OptionCategory::kRegisters, OptionCategory::kPrinting, OptionCategory::kInformation};

std::string_view CategoryTitle(OptionCategory category) {
  switch (category) {
    case OptionCategory::kCommon:
      return "Options used most";
    case OptionCategory::kGeneral:
      return "General options";
    case OptionCategory::kTarget:
      return "Target";
    case OptionCategory::kPipeline:
      return "Passes";
    case OptionCategory::kRegisters:
      return "Registers";
    case OptionCategory::kPrinting:
      return "Printing";
    case OptionCategory::kInformation:
      return "Show something and exit";
  }
  return "";
}

// Returns the help of a row; that of a knob if the row shows one.
std::string_view HelpOf(const OptionInfo& option) {
  if (option.apply != nullptr || !option.help.empty()) return option.help;
  const KnobInfo* knob = FindKnob(option.name);
  assert(knob != nullptr && "a row without a setter names a knob");
  return knob->help;
}

void AppendOwnOptions(std::vector<ListedOption>& list) {
  for (const OptionCategory category : kCategories) {
    for (const OptionInfo& option : OptionTable()) {
      if (option.category != category) continue;
      list.push_back({option.name, option.argument, std::string(option.value_name), std::string(HelpOf(option)),
                      CategoryTitle(category), option.is_hidden});
    }
    if (category != OptionCategory::kPrinting) continue;
    for (const RemarkOptionInfo& option : RemarkOptionTable()) {
      list.push_back({option.name, option.value_name.empty() ? OptionArgument::kNone : OptionArgument::kRequired,
                      std::string(option.value_name), std::string(option.help), "Remarks", false});
    }
  }
}

bool IsShownInTable(std::string_view name) {
  for (const OptionInfo& option : OptionTable()) {
    if (option.name == name) return true;
  }
  return false;
}

void AppendKnobs(std::vector<ListedOption>& list) {
  for (const KnobInfo& knob : KnobTable()) {
    if (IsShownInTable(knob.name)) continue;
    const bool is_switch = knob.type == KnobType::kBool || knob.type == KnobType::kOptionalBool;
    const OptionArgument argument = is_switch              ? OptionArgument::kNone
                                    : knob.RequiresValue() ? OptionArgument::kRequired
                                                           : OptionArgument::kOptional;
    list.push_back({knob.name, argument, knob.ValueName(), std::string(knob.help), "Knobs",
                    /*is_hidden=*/true});
  }
}

void AppendLlcOptions(std::vector<ListedOption>& list) {
  ForEachLlcOption([&](const LlcOption& option) {
    // A row of another table comes first when the command line is parsed.
    if (IsShownInTable(option.name) || FindRemarkOption(option.name) != nullptr || FindKnob(option.name) != nullptr) {
      return;
    }
    const std::string_view effect = option.effect == LlcOptionEffect::kEffectInLlc  ? "No effect (warns): "
                                    : option.effect == LlcOptionEffect::kEffectOnIr ? "As in llc for LLVM IR; for MIR: "
                                                                                    : "No effect: concerns ";
    list.push_back({option.name, option.RequiresValue() ? OptionArgument::kRequired : OptionArgument::kNone,
                    std::string(option.values), StrCat(effect, option.reason), "Accepted because llc has them",
                    /*is_hidden=*/true});
  });
}

}  // namespace

std::string ListedOption::Usage() const {
  if (name == "O" || name == "j") return StrCat("-", name, "<", value_name, ">");
  switch (argument) {
    case OptionArgument::kNone:
      return StrCat("-", name);
    case OptionArgument::kOptional:
      return StrCat("-", name, "[=<", value_name, ">]");
    case OptionArgument::kRequired:
      return StrCat("-", name, name.size() == 1 ? " <" : "=<", value_name, ">");
  }
  return "";
}

std::vector<ListedOption> ShownOptions() {
  std::vector<ListedOption> all;
  AppendOwnOptions(all);
  std::vector<ListedOption> shown;
  for (ListedOption& option : all) {
    if (!option.is_hidden) shown.push_back(std::move(option));
  }
  return shown;
}

std::vector<ListedOption> AllOptions() {
  std::vector<ListedOption> list;
  AppendOwnOptions(list);
  AppendKnobs(list);
  AppendLlcOptions(list);
  return list;
}

}  // namespace ptxmir
