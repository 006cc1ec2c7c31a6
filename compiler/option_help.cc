// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_help.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/str_cat.h"
#include "compiler/option_list.h"
#include "ptxmir/version.h"

namespace ptxmir {
namespace {

constexpr std::string_view kInputParagraph =
    "The input is LLVM IR as text, or MIR that `llc -mtriple=nvptx64-nvidia-cuda -stop-after=finalize-isel` or any\n"
    "later pass has left. What a file holds is recognized. Several files of LLVM IR are linked. Without an input,\n"
    "standard input is read. Functions of MIR that have a SelectionDAG (`dag:` in place of `body:`) go through\n"
    "instruction selection first. The result is PTX, or MIR where -passes, -run-pass, -stop-before or -stop-after ask\n"
    "for it, or LLVM IR where the last two name a pass on LLVM IR.\n";
constexpr std::string_view kOtherOptionsParagraph =
    "Knobs of passes are options too (-print-knobs), and so are NVVMPassOptions (-opt \"-do-remat=0\",\n"
    "-print-options). @file stands for the options in a file. What llc has and ptxmir does not need is accepted\n"
    "(-help-hidden).\n";

void AppendRow(const ListedOption& option, std::string& out) {
  absl::StrAppendFormat(&out, "  %-26s %s\n", option.Usage(), option.help);
}

// Returns a text for man(7).
std::string ManText(std::string_view text) {
  std::string out = absl::StrReplaceAll(ToAbsl(text), {{"\\", "\\e"}, {"-", "\\-"}});
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return absl::StrReplaceAll(out, {{"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
}

// Returns a text for a cell of a table in Markdown.
std::string MarkdownCell(std::string_view text) {
  return absl::StrReplaceAll(ToAbsl(text), {{"|", "\\|"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// Returns a text for single quotes in a shell.
std::string ShellQuoted(std::string_view text) { return absl::StrReplaceAll(ToAbsl(text), {{"'", "'\\''"}}); }

// Returns the words that an option takes if its value is one of a few, else nothing.
std::vector<std::string> ValueWords(const ListedOption& option) {
  std::vector<std::string> words;
  std::string_view text = option.value_name;
  if (text.find('|') == std::string_view::npos) return words;
  while (true) {
    const size_t bar = text.find('|');
    words.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return words;
    text.remove_prefix(bar + 1);
  }
}

// Returns the options that completion offers: all but those that have no effect.
std::vector<ListedOption> OfferedOptions() {
  std::vector<ListedOption> options = AllOptions();
  options.erase(std::remove_if(options.begin(), options.end(),
                               [](const ListedOption& option) { return option.help.substr(0, 9) == "No effect"; }),
                options.end());
  return options;
}

std::string BashCompletion() {
  std::string out =
      "# bash completion for ptxmir. Written by ptxmir -print-completion=bash.\n_ptxmir() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} options values\n  COMPREPLY=()\n"
      "  # Bash splits words at \"=\".\n"
      "  local before=${COMP_WORDS[COMP_CWORD-1]} option\n"
      "  if [[ $word == = ]]; then option=$before word=; fi\n"
      "  if [[ $before == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  if [[ -n $option ]]; then\n    case $option in\n";
  std::string names;
  for (const ListedOption& option : OfferedOptions()) {
    const bool takes_value = option.argument == OptionArgument::kRequired;
    StrAppend(&names, "-", option.name, takes_value && option.name.size() > 1 ? "=" : "", "\n");
    std::string words;
    for (const std::string& word : ValueWords(option)) StrAppend(&words, words.empty() ? "" : " ", word);
    if (!words.empty()) StrAppend(&out, "      -", option.name, ") values='", ShellQuoted(words), "' ;;\n");
  }
  StrAppend(&out,
            "    esac\n    COMPREPLY=($(compgen -W \"$values\" -- \"$word\") $([[ -z $values ]] && compgen -f -- "
            "\"$word\"))\n    return\n  fi\n  if [[ $word != -* ]]; then\n    COMPREPLY=($(compgen -f -- \"$word\"))\n"
            "    return\n  fi\n  options='",
            names,
            "'\n  COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
            "  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n}\ncomplete -F _ptxmir ptxmir\n");
  return out;
}

std::string ZshCompletion() {
  std::string out = "#compdef ptxmir\n# Written by ptxmir -print-completion=zsh.\n_arguments \\\n";
  for (const ListedOption& option : OfferedOptions()) {
    const std::string help = absl::StrReplaceAll(ShellQuoted(option.help), {{"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
    StrAppend(&out, "  '-", option.name, option.argument == OptionArgument::kNone ? "" : "=", "[", help, "]");
    if (option.argument != OptionArgument::kNone) {
      std::string words;
      for (const std::string& word : ValueWords(option)) StrAppend(&words, words.empty() ? "" : " ", word);
      StrAppend(&out, ":value:", words.empty() ? "_files" : StrCat("(", ShellQuoted(words), ")"));
    }
    out += "' \\\n";
  }
  out += "  '*:input:_files'\n";
  return out;
}

std::string FishCompletion() {
  std::string out = "# fish completion for ptxmir. Written by ptxmir -print-completion=fish.\n";
  for (const ListedOption& option : OfferedOptions()) {
    StrAppend(&out, "complete -c ptxmir -o '", option.name, "'");
    if (option.argument == OptionArgument::kRequired) out += " -r";
    std::string words;
    for (const std::string& word : ValueWords(option)) StrAppend(&words, words.empty() ? "" : " ", word);
    if (!words.empty()) StrAppend(&out, " -f -a '", ShellQuoted(words), "'");
    StrAppend(&out, " -d '", absl::StrReplaceAll(option.help, {{"\\", "\\\\"}, {"'", "\\'"}}), "'\n");
  }
  return out;
}

}  // namespace

std::string HelpText(bool with_hidden) {
  std::string out = StrCat(
      "OVERVIEW: ptxmir compiles LLVM IR and NVPTX machine IR (MIR) to PTX\n\n"
      "USAGE: ptxmir [options] <input.ll... | input.mir | input.sdag | ->\n\n",
      kInputParagraph, "\n", kOtherOptionsParagraph);
  std::string_view heading;
  for (const ListedOption& option : with_hidden ? AllOptions() : ShownOptions()) {
    if (option.heading != heading) StrAppend(&out, "\n", option.heading, ":\n");
    heading = option.heading;
    AppendRow(option, out);
  }
  return out;
}

std::string HelpListText(bool with_hidden) {
  std::vector<ListedOption> options = with_hidden ? AllOptions() : ShownOptions();
  std::stable_sort(options.begin(), options.end(),
                   [](const ListedOption& a, const ListedOption& b) { return a.name < b.name; });
  std::string out;
  for (const ListedOption& option : options) AppendRow(option, out);
  return out;
}

std::string ManPage() {
  std::string out = StrCat(".TH PTXMIR 1 \"\" \"ptxmir " PTXMIR_VERSION_STRING
                           "\"\n.SH NAME\nptxmir \\- compile LLVM IR and NVPTX machine IR to PTX\n"
                           ".SH SYNOPSIS\n.B ptxmir\n[\\fIoptions\\fR] [\\fIinput.ll\\fR... | \\fIinput.mir\\fR | "
                           "\\fIinput.sdag\\fR | \\-]\n.SH DESCRIPTION\n",
                           ManText(kInputParagraph), ".PP\n", ManText(kOtherOptionsParagraph), ".SH OPTIONS\n");
  std::string_view heading;
  for (const ListedOption& option : ShownOptions()) {
    if (option.heading != heading) StrAppend(&out, ".SS ", option.heading, "\n");
    heading = option.heading;
    StrAppend(&out, ".TP\n.B ", ManText(option.Usage()), "\n", ManText(option.help), "\n");
  }
  out +=
      ".SH EXIT STATUS\n0, or 1 if an error was printed; nothing has been written then.\n"
      ".SH SEE ALSO\n.BR llc (1)\n";
  return out;
}

std::string OptionReference() {
  std::string out =
      "# Option reference\n\n`ptxmir -print-option-reference` writes this page from the table of options;\n"
      "[options.md](options.md) explains. `-opt`, `-Xopt` and the other flags of pass options are explained there.\n"
      "Options take one dash or two.\n";
  std::string_view heading;
  for (const ListedOption& option : AllOptions()) {
    const bool has_effect = option.help.substr(0, 9) != "No effect";
    if (!has_effect && option.help.substr(0, 17) != "No effect (warns)") continue;
    if (option.heading != heading) StrAppend(&out, "\n## ", option.heading, "\n\n| option | meaning |\n|---|---|\n");
    heading = option.heading;
    StrAppend(&out, "| `", absl::StrReplaceAll(option.Usage(), {{"|", "\\|"}}), "` | ", MarkdownCell(option.help),
              " |\n");
  }
  out +=
      "\n`ptxmir -help-hidden` lists further options of llc, which are accepted silently because no PTX of llc's\n"
      "depends on them.\n";
  return out;
}

std::string CompletionScript(std::string_view shell) {
  if (shell == "zsh") return ZshCompletion();
  return shell == "fish" ? FishCompletion() : BashCompletion();
}

}  // namespace ptxmir
