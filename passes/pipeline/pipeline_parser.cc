// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/pipeline_parser.h"

#include <algorithm>

#include "base/str_cat.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

using Action = PipelineStep::Action;

constexpr int kMaxDepth = 64;  // nesting of parentheses; deeper text is rejected

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

class PipelineParser {
 public:
  PipelineParser(std::string_view text, std::string_view source, DiagnosticEngine& diagnostics, PassLevel pass_level)
      : buffer_(std::string(source), text),
        diagnostics_(diagnostics),
        pass_level_(pass_level),
        at_(buffer_.text().data()) {}

  std::optional<Pipeline> Parse() {
    if (!ParseList(/*in_loop=*/false, /*depth=*/0)) return std::nullopt;
    if (*Skip() != '\0' || !AtEnd()) {
      Error(at_, *at_ == ')' ? "')' without '('" : "expected ',' or the end of the pipeline");
      return std::nullopt;
    }
    return std::move(pipeline_);
  }

 private:
  bool AtEnd() const { return at_ == buffer_.text().data() + buffer_.text().size(); }
  const char* Skip() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\n') ++at_;
    return at_;
  }
  bool Accept(char c) {
    if (*Skip() != c) return false;
    ++at_;
    return true;
  }
  bool Expect(char c) {
    if (Accept(c)) return true;
    return Error(at_, StrCat("expected '", std::string_view(&c, 1), "'"));
  }
  bool Error(const char* position, std::string message) {
    diagnostics_.Error(buffer_, position, std::move(message));
    return false;
  }
  std::string_view Name() {
    const char* begin = Skip();
    while (IsNameCharacter(*at_)) ++at_;
    return {begin, static_cast<size_t>(at_ - begin)};
  }

  bool ParseList(bool in_loop, int depth) {
    if (depth > kMaxDepth) return Error(at_, StrCat("more than ", kMaxDepth, " levels of parentheses"));
    do {
      if (!ParseStep(in_loop, depth)) return false;
    } while (Accept(','));
    return true;
  }

  bool ParseStep(bool in_loop, int depth) {
    const std::string_view name = Name();
    const char* const position = name.data();
    if (name.empty()) return Error(position, "expected the name of a pass");
    if (name == "loop" || name == "function" || name == "machine-function") {
      return Expect('(') && ParseList(in_loop || name == "loop", depth + 1) && Expect(')');
    }
    if (name == "default") return ParseDefault(position, in_loop);
    if (pass_level_ == PassLevel::kIr && (name == "require" || name == "invalidate" || *Skip() == '<')) {
      return Error(position, "a pipeline on LLVM IR has no analyses");
    }
    if (name == "require" || name == "invalidate" || (name == "print" && *Skip() == '<')) return ParseAnalysis(name);
    if (name == "print") return Add({.action = Action::kPrintFunction});
    if (name == "verify") return Add({.action = Action::kVerify});
    return ParsePass(name, in_loop);
  }

  bool ParsePass(std::string_view name, bool in_loop) {
    const PassInfo* pass = FindPass(name);
    if (pass == nullptr) {
      const AnalysisInfo* analysis = FindAnalysis(name);
      if (analysis == nullptr) return Error(name.data(), UnknownPassMessage(name));
      return Error(name.data(),
                   StrCat("'", name, "' is an analysis: expected print<", name, "> or require<", name, ">"));
    }
    if (in_loop && !pass->is_loop_pass) {
      return Error(name.data(), StrCat("pass '", name, "' works on functions: it cannot stand in loop(...)"));
    }
    if (pass_level_ == PassLevel::kIr) {
      if (!pass->is_implemented_on_ir())
        return Error(name.data(), StrCat("pass '", name, "' does not work on LLVM IR"));
    } else if (!pass->is_implemented()) {
      return Error(name.data(), AbsentPassMessage(*pass));
    }
    const auto instances =
        std::count_if(pipeline_.begin(), pipeline_.end(), [&](const PipelineStep& step) { return step.pass == pass; });
    return Add({.pass = pass, .instance = static_cast<unsigned>(instances) + 1});
  }

  bool ParseAnalysis(std::string_view name) {
    if (!Expect('<')) return false;
    const std::string_view analysis_name = Name();
    const Action action = name == "print"     ? Action::kPrintAnalysis
                          : name == "require" ? Action::kRequireAnalysis
                                              : Action::kInvalidateAnalysis;
    if (action == Action::kInvalidateAnalysis && analysis_name == "all") return Add({.action = action}) && Expect('>');
    const AnalysisInfo* analysis = FindAnalysis(analysis_name);
    if (analysis == nullptr) return Error(analysis_name.data(), UnknownAnalysisMessage(analysis_name));
    if (!analysis->is_implemented()) {
      return Error(analysis_name.data(), StrCat("analysis '", analysis->name, "' is not implemented"));
    }
    return Add({.action = action, .analysis = analysis}) && Expect('>');
  }

  bool ParseDefault(const char* position, bool in_loop) {
    if (!Expect('<')) return false;
    const std::string_view level = Name();
    if (level.size() != 2 || level[0] != 'O' || level[1] < '0' || level[1] > '3') {
      return Error(level.data(), "expected a level: O0, O1, O2 or O3");
    }
    if (in_loop) return Error(position, "the standard pipeline cannot stand in loop(...)");
    const int opt_level = level[1] - '0';
    for (const PipelineStep& step :
         pass_level_ == PassLevel::kIr ? BuildStandardIrPipeline(opt_level) : BuildStandardPipeline(opt_level)) {
      pipeline_.push_back(step);
    }
    return Expect('>');
  }

  bool Add(const PipelineStep& step) {
    pipeline_.push_back(step);
    return true;
  }

  SourceBuffer buffer_;
  DiagnosticEngine& diagnostics_;
  const PassLevel pass_level_;
  const char* at_;
  Pipeline pipeline_;
};

}  // namespace

std::optional<Pipeline> ParsePipeline(std::string_view text, std::string_view source, DiagnosticEngine& diagnostics,
                                      PassLevel pass_level) {
  return PipelineParser(text, source, diagnostics, pass_level).Parse();
}

std::string PipelineText(const Pipeline& pipeline) {
  std::string text;
  for (const PipelineStep& step : pipeline) {
    if (step.action == Action::kBanner) continue;
    StrAppend(&text, text.empty() ? "" : ",", step.Name());
  }
  return text;
}

}  // namespace ptxmir
