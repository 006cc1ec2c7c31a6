// SPDX-License-Identifier: Apache-2.0

// The names of parameters in PTX, which machine code mentions as symbols: "f_param_0" and "f_vararg" are parameters of
// the function f, "func_retval0" is its result; "param0" and "retval0" are what a call passes and gets back.

#ifndef PTXMIR_PTX_TARGET_PARAMETER_NAMES_H_
#define PTXMIR_PTX_TARGET_PARAMETER_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir::ptx {

inline constexpr std::string_view kFunctionResult = "func_retval0";
inline constexpr std::string_view kCallResult = "retval0";

inline std::string ParameterName(std::string_view function, uint64_t number) {
  return StrCat(function, "_param_", number);
}
inline std::string VariableArgumentsName(std::string_view function) { return StrCat(function, "_vararg"); }

// Returns the number of the parameter of `function` that the symbol names, or nullopt if it names none.
std::optional<uint32_t> ParameterNumber(std::string_view symbol, std::string_view function);
// Returns true if the symbol names a parameter of `function` or its variable arguments.
bool IsParameterName(std::string_view symbol, std::string_view function);
// Returns true if the symbol names what a call passes or gets back, or the result of a function.
bool IsPassedName(std::string_view symbol);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_PARAMETER_NAMES_H_
