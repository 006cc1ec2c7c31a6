// SPDX-License-Identifier: Apache-2.0

// Functions of the table of options for what is printed of a run and which passes it executes.

#ifndef PTXMIR_COMPILER_PRINTING_OPTION_VALUES_H_
#define PTXMIR_COMPILER_PRINTING_OPTION_VALUES_H_

#include <string_view>

#include "absl/status/status.h"
#include "compiler/driver_options.h"

namespace ptxmir {

// Set what the option of the same name says.
absl::Status SetPrintChanged(std::string_view value, DriverOptions& options);
absl::Status SetDotFolder(std::string_view value, DriverOptions& options);
template <unsigned kStep>
absl::Status SetDagPicture(std::string_view, DriverOptions& options) {
  options.dag_pictures |= 1u << kStep;
  return absl::OkStatus();
}
absl::Status SetBisectLimit(std::string_view value, DriverOptions& options);
absl::Status SetBisect(std::string_view value, DriverOptions& options);
absl::Status SetBisectVerbose(std::string_view value, DriverOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_PRINTING_OPTION_VALUES_H_
