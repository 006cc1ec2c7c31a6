// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_help.h"

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "compiler/option_table.h"
#include "options/remark_options.h"

namespace ptxmir {
namespace {

std::string_view CategoryTitle(OptionCategory category) {
  switch (category) {
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
  }
  return "";
}

}  // namespace

std::string HelpText() {
  std::string out =
      "OVERVIEW: ptxmir compiles NVPTX machine IR (MIR) and SelectionDAGs to PTX\n\n"
      "USAGE: ptxmir [options] <input.mir | input.sdag | ->\n\n"
      "The input is what `llc -mtriple=nvptx64-nvidia-cuda -stop-after=finalize-isel` writes, or MIR from\n"
      "any later pass. Functions that have a SelectionDAG (`dag:` in place of `body:`) go through instruction\n"
      "selection first. The result is PTX, or MIR where -passes, -run-pass, -stop-before or -stop-after ask for it.\n"
      "Knobs of passes are options too (-print-knobs), and so are NVVMPassOptions (-opt \"-do-remat=0\",\n"
      "-print-options).\n";
  for (const OptionCategory category : {OptionCategory::kGeneral, OptionCategory::kTarget, OptionCategory::kPipeline,
                                        OptionCategory::kRegisters, OptionCategory::kPrinting}) {
    StrAppend(&out, "\n", CategoryTitle(category), ":\n");
    for (const OptionInfo& option : OptionTable()) {
      if (option.category != category) continue;
      std::string left = StrCat("-", option.name);
      if (option.name == "O") {
        left = "-O<0..3>";
      } else if (option.argument == OptionArgument::kRequired) {
        StrAppend(&left, option.name.size() == 1 ? " <" : "=<", option.value_name, ">");
      } else if (option.argument == OptionArgument::kOptional) {
        StrAppend(&left, "[=<", option.value_name, ">]");
      }
      absl::StrAppendFormat(&out, "  %-26s %s\n", left, ToAbsl(option.help));
    }
  }
  out += "\nRemarks:\n";
  for (const RemarkOptionInfo& option : RemarkOptionTable()) {
    const std::string value = option.value_name.empty() ? "" : StrCat("=<", option.value_name, ">");
    absl::StrAppendFormat(&out, "  %-26s %s\n", StrCat("-", option.name, value), ToAbsl(option.help));
  }
  return out;
}

}  // namespace ptxmir
