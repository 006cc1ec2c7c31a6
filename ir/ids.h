// SPDX-License-Identifier: Apache-2.0

// Ids of entities of a module. Each indexes a dense table.

#ifndef PTXMIR_IR_IDS_H_
#define PTXMIR_IR_IDS_H_

#include <cstdint>

namespace ptxmir {

using GlobalId = uint32_t;    // Module::global_value(id)
using MetadataId = uint32_t;  // Module::metadata(id), then those of the machine function

}  // namespace ptxmir

#endif  // PTXMIR_IR_IDS_H_
