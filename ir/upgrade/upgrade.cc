// SPDX-License-Identifier: Apache-2.0

#include "ir/upgrade/upgrade.h"

namespace ptxmir::ir {

void UpgradeProgram(Program& program) {
  UpgradeAttributes(program);
  UpgradeAnnotations(program.module());
  UpgradeIntrinsics(program);
}

}  // namespace ptxmir::ir
