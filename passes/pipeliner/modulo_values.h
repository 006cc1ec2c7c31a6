// SPDX-License-Identifier: Apache-2.0

// The registers that hold the values of the iterations of a pipelined loop, for ModuloExpander.
//
// Steps are counted from the beginning of the kernel: the prologue is steps 1 - S to -1, the copies of the body in the
// kernel are steps 0 to U - 1, and an epilogue continues the steps from the one after which the loop was left. A value
// that the kernel needs from an earlier step than 0 comes from the prologue when the kernel is entered, and from an
// earlier execution of the copies afterwards: it is a PHI at the beginning of the kernel.

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_VALUES_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_VALUES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/pipeliner/loop_body.h"
#include "passes/pipeliner/modulo_schedule.h"

namespace ptxmir {

class ModuloValues {
 public:
  // Creates the registers of the kernel. The arguments must outlive it.
  ModuloValues(const LoopBody& body, const ModuloSchedule& schedule, uint32_t num_copies);

  // The code that asks: the prologue, the kernel, or the epilogue of a step that exits. Prologue and kernel see the
  // results of steps up to their own.
  struct Place {
    int32_t exit_step = 0;  // epilogue only
    bool is_epilogue = false;
    std::vector<std::vector<Register>>* epilogue = nullptr;  // the registers of the steps after the exit
  };

  // Returns the register that `node` defines at a step where the body has `reg`; creates it if need be.
  Register Define(Register reg, int32_t step, const Place& place);
  // Returns the register that holds what an instruction of stage `stage` reads at a step.
  Register Read(const LoopValue& value, uint32_t stage, int32_t step, const Place& place);

  // The PHIs that the kernel needs, in the order in which they were asked for.
  struct KernelPhi {
    Register result;
    Register from_prologue;
    Register from_kernel;
  };
  const std::vector<KernelPhi>& kernel_phis() const { return kernel_phis_; }

 private:
  uint32_t StageOfDef(const LoopValue& value) const {
    return value.node == LoopValue::kNoNode ? 0 : schedule_.StageOf(value.node);
  }
  uint32_t SlotOf(Register reg) const { return slot_of_.at(reg); }
  // Returns the number of the iteration that computes a value at a step, if the kernel has not been executed before.
  // Negative: no iteration does; the value has an initial register.
  int32_t IterationOf(const LoopValue& value, int32_t def_step) const;
  Register ReadFromPrologue(const LoopValue& value, int32_t def_step) const;
  Register ReadFromKernel(const LoopValue& value, int32_t def_step);

  const LoopBody& body_;
  const ModuloSchedule& schedule_;
  const int32_t num_copies_;
  const int32_t num_prologue_steps_;
  absl::flat_hash_map<Register, uint32_t> slot_of_;  // of the registers that the body defines
  std::vector<Register> registers_;                  // by slot
  std::vector<std::vector<Register>> prologue_;      // by step - (1 - S), then by slot
  std::vector<std::vector<Register>> kernel_;        // by step, then by slot
  std::vector<KernelPhi> kernel_phis_;
  absl::flat_hash_map<std::pair<Register, Register>, Register> phi_of_;  // by from_prologue and from_kernel
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_VALUES_H_
