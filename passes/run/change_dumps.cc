// SPDX-License-Identifier: Apache-2.0

#include "passes/run/change_dumps.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/line_diff.h"
#include "base/str_cat.h"
#include "passes/run/pass_dumps.h"

namespace ptxmir {
namespace {

// LLVM's colors.
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kDefaultColor = "\033[0m";

}  // namespace

std::string ChangeDumps::Dump() const {
  std::string text;
  DumpFunction(function_, options_, "", text);
  // As after LLVM's dumps, one empty line follows.
  if (text.ends_with("\n\n\n")) text.pop_back();
  return text;
}

void ChangeDumps::BeginFunction() {
  if (!IsDumped(function_, options_)) return;
  text_ = Dump();
  if (options_.changed == ChangeFormat::kDotCfg) cfg_ = TextOfCfg(function_);
}

void ChangeDumps::PrintHeading(std::string_view when, const PassInfo& pass, std::string_view rest) {
  StrAppend(&log_, "*** IR Dump ", when, " ", pass.description, " (", pass.name, ") on ", function_.name(), rest,
            " ***\n");
}

bool ChangeDumps::AfterPass(const PipelineStep& step, bool changed) {
  const PassInfo& pass = *step.pass;
  const bool is_shown =
      IsDumped(function_, options_) && (options_.changed_by.empty() || NamesPass(options_.changed_by, pass));
  std::string after = changed && IsDumped(function_, options_) ? Dump() : text_;
  if (!is_shown || after == text_) {
    if (!options_.changed_is_quiet) {
      PrintHeading("After", pass, is_shown ? " omitted because no change" : " filtered out");
    }
  } else {
    switch (options_.changed) {
      case ChangeFormat::kNone:
        break;
      case ChangeFormat::kFunction:
        if (options_.before_changed) {
          PrintHeading("Before", pass);
          log_ += text_;
        }
        PrintHeading("After", pass);
        log_ += after;
        break;
      case ChangeFormat::kDiff:
      case ChangeFormat::kColorDiff:
        PrintHeading("After", pass);
        PrintDiff(after);
        break;
      case ChangeFormat::kDotCfg:
        PrintHeading("After", pass);
        AddPicture(pass, TextOfCfg(function_));
        break;
    }
  }
  if (options_.changed == ChangeFormat::kDotCfg && after != text_) cfg_ = TextOfCfg(function_);
  text_ = std::move(after);
  return true;
}

void ChangeDumps::PrintDiff(const std::string& after) {
  const bool is_colored = options_.changed == ChangeFormat::kColorDiff;
  for (const DiffLine& line : DiffLines(text_, after)) {
    const bool is_common = line.kind == DiffLine::Kind::kCommon;
    const bool is_removed = line.kind == DiffLine::Kind::kRemoved;
    if (is_colored && !is_common) log_ += is_removed ? kRed : kGreen;
    StrAppend(&log_, is_common ? " " : is_removed ? "-" : "+", line.text);
    if (is_colored && !is_common) log_ += kDefaultColor;
    log_ += '\n';
  }
}

void ChangeDumps::AddPicture(const PassInfo& pass, const CfgText& after) {
  const std::string path = StrCat(options_.dot_folder, "/diff.", FileNamePart(function_.name()), ".",
                                  absl::StrFormat("%03d", ++num_pictures_), ".", pass.name, ".dot");
  files_.push_back({path, CfgDot(StrCat(pass.name, " on ", function_.name()), cfg_, after)});
}

void CfgPicture::EndFunction() {
  if (!IsDumped(function_, options_)) return;
  const CfgText cfg = TextOfCfg(function_);
  files_.push_back({StrCat(options_.dot_folder, "/cfg.", FileNamePart(function_.name()), ".dot"),
                    CfgDot(StrCat("CFG of ", function_.name()), cfg, cfg)});
}

}  // namespace ptxmir
