// SPDX-License-Identifier: Apache-2.0

// Decoding: from a machine function, at any stage, to the form that the interpreter executes.
//
// Instructions are printed through their templates and parsed as PTX statements (statement.h); PHIs become
// parallel copies on the edges; inline assembly is expanded and parsed likewise, with registers and labels of its
// own. Each register is a row of the frame. Immediates are rows, too, in a table of constants, so that kernels
// see nothing but rows.
//
// Blocks are laid out in a weak topological order (Bourdoncle, "Efficient chaotic iteration strategies with
// widenings", 1993): every loop is contiguous and what follows a loop stands behind it. So "the smallest program
// counter first" makes the lanes of a warp meet again where their ways join (warp.h).

#ifndef PTXMIR_PTX_INTERPRETER_CODE_DECODED_FUNCTION_H_
#define PTXMIR_PTX_INTERPRETER_CODE_DECODED_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mir/code/machine_operand.h"
#include "mir/code/register.h"
#include "ptx/interpreter/code/semantics.h"

namespace ptxmir {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
class Module;
}  // namespace ptxmir

namespace ptxmir::ptx {

inline constexpr uint32_t kNoRow = ~uint32_t{0};

struct DecodedOperand {
  enum class Kind : uint8_t {
    kRow,       // of the frame
    kConstant,  // of the table of constants: `row` indexes it, `value` is what it holds
    kAddress,   // the row `row` (kNoRow: none) plus `value`
    kSink,      // nothing is read or written
  };
  Kind kind = Kind::kSink;
  uint8_t bits = 0;  // width of the row; of an address: of its base
  uint32_t row = kNoRow;
  int64_t value = 0;
};

struct DecodedInstr {
  PureKernel pure = nullptr;
  WarpKernel warp = nullptr;
  UndefinedRule undefined = nullptr;
  KernelParams params;
  uint32_t first_operand = 0;  // index into DecodedFunction::operands
  uint16_t num_operands = 0;
  uint8_t num_results = 0;
  InstrCategory category = InstrCategory::kOther;
  bool guard_negated = false;
  bool is_counted = true;   // false for what decoding added: copies for PHIs, conversions of width
  bool is_spill = false;    // accesses a spill slot
  uint32_t guard = kNoRow;  // row of a predicate
  // Of jumps: program counter; of calls and jump tables: index into the function's tables; else the kernel's.
  uint32_t target = 0;
  mutable uint32_t hint = 0;  // memory block that was found last
  const MachineInstr* source = nullptr;
};

// A parameter in the block of parameters of its function.
struct ParameterSlot {
  uint32_t offset = 0;
  uint32_t size = 0;
};

struct CallSite {
  // Kind and name of the callee; an indirect call has the row of the address as operand 0.
  enum class Callee : uint8_t { kFunction, kBuiltin, kIndirect } callee = Callee::kFunction;
  GlobalId function = 0;
  std::string_view name;
  // Arguments and return value within the caller's outgoing block.
  std::vector<ParameterSlot> arguments;
  std::optional<ParameterSlot> result;
};

struct DecodedFunction {
  struct Row {
    uint32_t offset = 0;  // into the values of a frame, in bytes
    uint8_t bits = 0;
    Register reg;  // invalid: a temporary
  };
  struct StackSlot {
    uint32_t offset = 0;  // from the frame's base in local memory
    uint32_t size = 0;
  };

  const MachineFunction* function = nullptr;
  bool is_kernel = false;
  std::vector<DecodedInstr> instrs;
  std::vector<DecodedOperand> operands;
  std::vector<Row> rows;
  uint32_t values_size = 0;         // bytes of a frame's values
  std::vector<uint64_t> constants;  // kWarpSize elements of 8 bytes for each constant
  std::vector<CallSite> call_sites;
  std::vector<std::vector<uint32_t>> jump_tables;  // program counters
  std::vector<ParameterSlot> parameters;
  uint32_t parameters_size = 0;
  uint32_t outgoing_size = 0;          // of the block that arguments of calls are built in
  std::vector<StackSlot> stack_slots;  // places in the local frame that may be accessed
  std::vector<StackSlot> objects;      // by frame index; empty once a pass has laid out the frame
  uint32_t depot_offset = 0;           // of __local_depot in the local frame
  uint32_t local_size = 0;             // with parameters (of device functions)
  uint32_t carry_row = kNoRow;         // CC.CF
  std::vector<std::string> messages;   // of instructions that mean nothing
  std::vector<std::pair<uint32_t, BlockNumber>> block_starts;  // program counters, ascending

  const void* Constant(uint32_t index) const { return constants.data() + size_t{index} * kWarpSize; }
};

// Regions of the parameter space that symbols stand for; bits 32 and up of an address that decoding makes.
enum class ParamRegion : uint8_t {
  kIncoming = 0,  // the function's parameters
  kReturn = 1,    // its return value
  kOutgoing = 2,  // arguments and results of its calls
};
inline constexpr int64_t ParamAddress(ParamRegion region, int64_t offset) {
  return (int64_t{static_cast<uint8_t>(region)} << 32) + offset;
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_DECODED_FUNCTION_H_
