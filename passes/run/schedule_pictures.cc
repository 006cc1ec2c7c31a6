// SPDX-License-Identifier: Apache-2.0

#include "passes/run/schedule_pictures.h"

#include "analysis/values/memory_dependence.h"
#include "base/str_cat.h"
#include "passes/run/cfg_dot.h"
#include "passes/run/pass_dumps.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/schedule/instr_region.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

void SchedulePictures::BeforeStep(const PipelineStep& step) {
  if (step.pass == nullptr || step.pass->name != "machine-scheduler" || !IsDumped(function_, options_)) return;
  ScheduleDagBuilder builder(function_, analyses_.Get<MemoryDependence>(),
                             ptx::MachineModel::For(analyses_.inputs().subtarget));
  ScheduleDag dag;
  for (MachineBasicBlock& block : function_) {
    unsigned number = 0;
    VisitUpwards(
        block, [](MachineInstr&) {},
        [&](const InstrRegion& region) {
          if (region.instrs.empty()) return;
          builder.Build(region.instrs, dag);
          const std::string place = StrCat("bb", block.number(), ".", number++);
          files_.push_back(
              {StrCat(options_.dot_folder, "/misched.", FileNamePart(function_.name()), ".", place, ".dot"),
               dag.ToDot(StrCat("machine-scheduler input for ", function_.name(), ":", place))});
        });
  }
}

}  // namespace ptxmir
