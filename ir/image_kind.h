// SPDX-License-Identifier: Apache-2.0

// The kinds of handles that texture and surface instructions take, by what annotations say of variables and parameters.

#ifndef PTXMIR_IR_IMAGE_KIND_H_
#define PTXMIR_IR_IMAGE_KIND_H_

#include <cstdint>

#include "ir/module.h"

namespace ptxmir {

enum class ImageKind : uint8_t { kUnknown, kTexture, kSurface, kSampler };

// Returns the kind of handle that a variable is. Functions and aliases have none.
ImageKind ImageKindOfVariable(const Module& module, GlobalId value);
// Returns the kind of handle that a parameter, which is numbered from 0, is.
ImageKind ImageKindOfParameter(const Module& module, const IrFunction& function, uint32_t parameter);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IMAGE_KIND_H_
