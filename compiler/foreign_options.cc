// SPDX-License-Identifier: Apache-2.0

#include "compiler/foreign_options.h"

#include "base/str_cat.h"

namespace ptxmir {
namespace {

struct ForeignOption {
  std::string_view names;  // separated by spaces
  std::string_view hint;   // "%" stands for the value
};

// The value of these options is a GPU, or contains one.
constexpr std::string_view kGpuOptions = "arch gpu-architecture gpu-name code gpu-code gencode generate-code";

constexpr ForeignOption kForeignOptions[] = {
    {"maxrregcount", "use '-maxreg=%'"},
    {"ptx S assembly", "PTX is written without an option"},
    {"cubin fatbin c dc device-c", "use '-filetype=obj -o <file>' for a cubin"},
    {"G device-debug g",
     "debug information comes with the input: compile that with 'clang -g' or 'nvcc -G'; '-O0' keeps the code simple"},
    {"lineinfo generate-line-info",
     "line numbers come with the input: compile that with 'clang -gline-tables-only', and they are in the PTX"},
    {"use_fast_math ffast-math",
     "the input says what is fast: compile that with 'clang -ffast-math'; for what is selected here, use "
     "'-nvptx-fma-level=2 -nvptx-prec-divf32=0 -nvptx-prec-sqrtf32=0'"},
    {"fmad ffp-contract", "for what is selected here, use '-nvptx-fma-level=<0..2>'"},
    {"prec-div", "for what is selected here, use '-nvptx-prec-divf32=<0..3>'"},
    {"prec-sqrt", "for what is selected here, use '-nvptx-prec-sqrtf32=<0|1>'"},
    {"ftz", "the functions of the input say it: their attribute is \"denormal-fp-math-f32\"=\"preserve-sign\""},
    {"v verbose", "use '-explain-registers' or '-stats'; 'ptxas -v' says what ptxas makes of the PTX"},
    {"keep save-temps", "use '-print-after-all'"},
    {"m64 machine", "use '-mtriple=nvptx64-nvidia-cuda'; the input says it already"},
    {"Xptxas ptxas-options", "ptxmir calls ptxas for '-filetype=obj' and '-autotune=ptxas' only"},
    {"opt-level", "use '-O%'"},
};

bool HasWord(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (word == wanted) return true;
    words.remove_prefix(word.size() < words.size() ? word.size() + 1 : words.size());
  }
  return false;
}

// Returns "sm_90a" for "sm_90a", "compute_90a" and "arch=compute_90a,code=sm_90a", or "sm_NN" if there is no GPU.
std::string GpuOf(std::string_view value) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    const size_t at = value.find(prefix);
    if (at == std::string_view::npos) continue;
    const std::string_view number = value.substr(at + prefix.size());
    return StrCat("sm_", number.substr(0, number.find_first_not_of("0123456789af")));
  }
  return "sm_NN";
}

}  // namespace

std::string ForeignOptionHint(std::string_view name, std::string_view value) {
  if (HasWord(kGpuOptions, name)) return StrCat("use '-mcpu=", GpuOf(value), "'");
  for (const ForeignOption& option : kForeignOptions) {
    if (!HasWord(option.names, name)) continue;
    std::string hint(option.hint);
    if (const size_t at = hint.find('%'); at != std::string::npos) hint.replace(at, 1, value.empty() ? "N" : value);
    return hint;
  }
  return "";
}

}  // namespace ptxmir
