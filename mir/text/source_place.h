// SPDX-License-Identifier: Apache-2.0

// Places in the source program, as debug locations name them. All messages write them in one form:
//
//     k.cu:12:5 (inlined from helpers.h:40:3)
//
// The place that comes first is in the function that was compiled. If a call there was inlined, the places within the
// functions that were called follow, from the outermost to the one that the code comes from.

#ifndef PTXMIR_MIR_TEXT_SOURCE_PLACE_H_
#define PTXMIR_MIR_TEXT_SOURCE_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;  // 0: not known

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

struct SourcePlace {
  SourceLocation code;                // where the code comes from
  std::vector<SourceLocation> calls;  // where it was inlined, from the innermost call to that of the compiled function

  // Returns the form that is described above.
  std::string ToString() const;
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

// Returns the place that the DILocation `loc` names. The file of a location is that of its scope. Returns nullopt if
// there is no location or its metadata is malformed.
std::optional<SourcePlace> ResolveDebugLocation(const MachineFunction& function, MetadataId loc);

// Returns the text of the place; empty if it is not known.
std::string SourcePlaceText(const MachineFunction& function, MetadataId loc);

// Returns the position in the source where the function begins.
std::optional<SourceLocation> FunctionLocation(const MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_SOURCE_PLACE_H_
