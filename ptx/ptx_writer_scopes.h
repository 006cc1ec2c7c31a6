// Finds the instructions at which the ranges of lexical scopes begin and end.
//
// DWARF describes the code of an inlined function by labels around it, and llc prints those labels even
// where it prints no DWARF. A scope is a subprogram or block together with the call that it was inlined
// through; its code is a list of ranges, each as long as layout order stays within the scope.

#ifndef PTXMIR_PTX_PTX_WRITER_SCOPES_H_
#define PTXMIR_PTX_PTX_WRITER_SCOPES_H_

#include "absl/container/flat_hash_set.h"
#include "mir/machine_function.h"
#include "ptx/ptx_writer_debug_info.h"

namespace ptxmir::ptx {

struct ScopeMarkers {
  absl::flat_hash_set<const MachineInstr*> before;  // a label goes in front
  absl::flat_hash_set<const MachineInstr*> after;   // a label goes behind
};

ScopeMarkers FindScopeMarkers(DebugInfo& info, const MachineFunction& function);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_PTX_WRITER_SCOPES_H_
