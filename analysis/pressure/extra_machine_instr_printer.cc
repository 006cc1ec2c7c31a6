// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/extra_machine_instr_printer.h"

#include <algorithm>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

RegisterPressure MiddleOf(const MachineRegisterPressure& pressure, const MachineBasicBlock& block) {
  const std::vector<InstrPressure> instrs = pressure.Instrs(block);
  const auto body =
      std::find_if_not(instrs.begin(), instrs.end(), [](const InstrPressure& instr) { return instr.instr->is_phi(); });
  if (body == instrs.end()) return pressure.Block(block).exit;
  return (body + (instrs.end() - body) / 2)->entry;
}

}  // namespace

size_t FunctionSize(const MachineFunction& function) {
  size_t count = 0;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) count += !instr.is_debug();
  }
  return count;
}

void PrintExtraMachineInstrInfo(const MachineFunction& function, AnalysisManager& analyses, std::string& out) {
  const MachineRegisterPressure& pressure = analyses.Get<MachineRegisterPressure>();
  StrAppend(&out, "Max Live RRegs: ", pressure.MaxUnits(), "\tPRegs: ", pressure.MaxPredicates(),
            "\nFunction Size: ", FunctionSize(function), "\n");
  for (const MachineBasicBlock& block : function) {
    const BlockPressure at = pressure.Block(block);
    const RegisterPressure middle = MiddleOf(pressure, block);
    StrAppend(&out, "%bb.", block.number(), ":\n  entry:  ", ToString(at.entry), "; units ", at.entry.units(),
              "\n  middle: ", ToString(middle), "; units ", middle.units(), "\n  exit:   ", ToString(at.exit),
              "; units ", at.exit.units(), "\n");
  }
}

}  // namespace ptxmir
