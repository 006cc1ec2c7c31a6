// SPDX-License-Identifier: Apache-2.0

// The machine model: latency, issue interval and functional unit of instructions, by GPU generation. The figures and
// their sources are in ptx/isa/tables/machine.isa.
//
// An SM is four quarters, each with a scheduler that issues one instruction per cycle and units of its own. The model
// is of one quarter. It knows latency classes, not opcodes, and no caches: a load has the latency of a hit in the
// nearest cache that a program can count on.

#ifndef PTXMIR_PTX_TARGET_MACHINE_MODEL_H_
#define PTXMIR_PTX_TARGET_MACHINE_MODEL_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "mir/code/machine_instr.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::ptx {
namespace isa {
struct MachineRow;
}  // namespace isa

struct InstrCost {
  unsigned latency;     // cycles until a result can be used
  unsigned issue;       // cycles for which one warp keeps its unit busy
  FunctionalUnit unit;  // kNone: no code is executed
};

std::string_view LatencyClassName(LatencyClass latency_class);
std::string_view FunctionalUnitName(FunctionalUnit unit);

// Returns the latency class of an instruction. It is that of the opcode, except for loads whose state space is an
// operand. Their class depends on the memory (shared and constant memory are an order of magnitude nearer than
// global).
LatencyClass LatencyClassOf(const MachineInstr& instr);

// Returns the state space that an instruction accesses, which its opcode or its addsp operand determines.
MemorySpace MemorySpaceOf(const MachineInstr& instr);

// Returns true if a load, store or compare-and-swap has a memory order (volatile counts as one). Such an access must
// not be deleted, merged, or moved across other accesses.
bool IsOrderedAccess(const MachineInstr& instr);

class MachineModel {
 public:
  // Returns the model of the SM's generation, or of the newest one before it. SMs before the first generation have the
  // first one's.
  static const MachineModel& For(const SmInfo& sm);
  // Returns the model of the subtarget's SM, or the default model if there is no subtarget (null).
  static const MachineModel& For(const Subtarget* subtarget);
  // Returns the model for code that may run on any GPU: GA100's (sm_80), on which most has been measured.
  static const MachineModel& Default();
  // Returns the models of all generations, the oldest first.
  static absl::Span<const MachineModel> All();

  InstrCost CostOf(LatencyClass latency_class) const { return costs_[static_cast<size_t>(latency_class)]; }
  // Returns the cost of an instruction. Inline assembly costs as many additions as it has instructions.
  InstrCost CostOf(const MachineInstr& instr) const;
  unsigned num_schedulers() const { return 4; }    // of an SM
  unsigned sm() const { return sm_; }              // the first SM of the generation: 80
  std::string_view name() const { return name_; }  // "sm_80"

 private:
  explicit MachineModel(const isa::MachineRow& row);

  unsigned sm_ = 0;
  std::string_view name_;
  std::array<InstrCost, kNumLatencyClasses> costs_ = {};
};

// Returns the output of -print-machine-model: the resources of an SM and the costs of each latency class.
std::string MachineModelTable(const SmInfo& sm);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_MACHINE_MODEL_H_
