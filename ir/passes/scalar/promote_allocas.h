// SPDX-License-Identifier: Apache-2.0

// Promotion of stack objects to values: SSA construction for objects that are only loaded and stored as a whole.
//
// PHIs are placed at the iterated dominance frontier of the stores (Cytron et al., 1991), where the object is live;
// then one walk over the dominator tree renames. Frontiers are found as in Cooper, Harvey and Kennedy, 2001.

#ifndef PTXMIR_IR_PASSES_SCALAR_PROMOTE_ALLOCAS_H_
#define PTXMIR_IR_PASSES_SCALAR_PROMOTE_ALLOCAS_H_

#include <vector>

#include "ir/code/function.h"

namespace ptxmir::ir {

// Returns true if all uses of the object are loads and stores of one type, of the same size as the object, that are
// neither volatile nor atomic; lifetime markers and debug records do not matter.
bool IsPromotable(const Instruction& alloca);

// Replaces the objects, which must all be promotable, and erases them. All blocks must be reachable.
void PromoteAllocas(Function& function, const std::vector<Instruction*>& allocas);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SCALAR_PROMOTE_ALLOCAS_H_
