// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/values/fault.h"

#include "base/str_cat.h"

namespace ptxmir::ptx {

std::string_view FaultKindName(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone:
      return "none";
    case FaultKind::kUndefinedBranch:
      return "undefined-branch";
    case FaultKind::kUndefinedAddress:
      return "undefined-address";
    case FaultKind::kUndefinedStore:
      return "undefined-store";
    case FaultKind::kUndefinedOperand:
      return "undefined-operand";
    case FaultKind::kOutOfBounds:
      return "out-of-bounds";
    case FaultKind::kNoTexture:
      return "no-texture";
    case FaultKind::kNoTensorMap:
      return "no-tensor-map";
    case FaultKind::kBadDescriptor:
      return "bad-descriptor";
    case FaultKind::kMisaligned:
      return "misaligned";
    case FaultKind::kUseAfterFree:
      return "use-after-free";
    case FaultKind::kReadOnlyStore:
      return "read-only-store";
    case FaultKind::kDataRace:
      return "data-race";
    case FaultKind::kDivergentBarrier:
      return "divergent-barrier";
    case FaultKind::kDeadlock:
      return "deadlock";
    case FaultKind::kStepLimit:
      return "step-limit";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kUnsupported:
      return "unsupported";
    case FaultKind::kInvalidProgram:
      return "invalid-program";
  }
  return "unknown";
}

std::string Fault::ToString(std::string_view severity) const {
  std::string out = StrCat(severity, ": ", FaultKindName(kind), ": ", message);
  if (!function.empty()) StrAppend(&out, "\n  in ", function, block.empty() ? "" : ", ", block);
  if (!instruction.empty()) StrAppend(&out, "\n  at ", instruction);
  if (!instruction.empty()) {
    StrAppend(&out, "\n  in thread (", position.thread[0], ", ", position.thread[1], ", ", position.thread[2],
              ") of block (", position.block[0], ", ", position.block[1], ", ", position.block[2], ")");
  }
  if (!origin.empty()) StrAppend(&out, "\n  because ", origin);
  return out;
}

}  // namespace ptxmir::ptx
