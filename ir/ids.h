// SPDX-License-Identifier: Apache-2.0

// Ids of the entities of a module. Each indexes a dense table.

#ifndef PTXMIR_IR_IDS_H_
#define PTXMIR_IR_IDS_H_

#include <cstdint>

namespace ptxmir {

using GlobalId = uint32_t;    // Module::global_value(id)
using MetadataId = uint32_t;  // Module::metadata(id); higher ids are the machine function's own

}  // namespace ptxmir

#endif  // PTXMIR_IR_IDS_H_
