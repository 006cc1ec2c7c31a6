// SPDX-License-Identifier: Apache-2.0

#include "ir/image_kind.h"

#include "ir/ir_nvvm.h"

namespace ptxmir {

ImageKind ImageKindOfVariable(const Module& module, GlobalId value) {
  if (module.variable(value) == nullptr) return ImageKind::kUnknown;
  if (IsTexture(module, value)) return ImageKind::kTexture;
  if (IsSurface(module, value)) return ImageKind::kSurface;
  return IsSampler(module, value) ? ImageKind::kSampler : ImageKind::kUnknown;
}

ImageKind ImageKindOfParameter(const Module& module, const IrFunction& function, uint32_t parameter) {
  if (IsSamplerParameter(module, function, parameter)) return ImageKind::kSampler;
  if (IsImageReadOnly(module, function, parameter)) return ImageKind::kTexture;
  const bool is_written =
      IsImageWriteOnly(module, function, parameter) || IsImageReadWrite(module, function, parameter);
  return is_written ? ImageKind::kSurface : ImageKind::kUnknown;
}

}  // namespace ptxmir
