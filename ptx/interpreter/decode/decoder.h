// SPDX-License-Identifier: Apache-2.0

// Decodes machine functions for the interpreter.

#ifndef PTXMIR_PTX_INTERPRETER_DECODE_DECODER_H_
#define PTXMIR_PTX_INTERPRETER_DECODE_DECODER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/ids.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/symbol_resolver.h"

namespace ptxmir {
class MachineFunction;
class Module;
}  // namespace ptxmir

namespace ptxmir::ptx {

// Decodes a function. Never fails: an instruction that cannot be executed becomes one that faults when it is
// executed.
std::unique_ptr<DecodedFunction> DecodeFunction(const MachineFunction& function, SymbolResolver& symbols);

// Lays out the parameters of an IR function in a block of their own. Stores the block's size in `size`.
std::vector<ParameterSlot> LayOutParameters(const Module& module, GlobalId function, uint32_t* size);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_DECODE_DECODER_H_
