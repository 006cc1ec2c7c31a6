// SPDX-License-Identifier: Apache-2.0

// The decoded form of a machine function (at any stage), which the interpreter executes.
//
// Instructions are printed through their templates and parsed as PTX statements (statement.h). PHIs become parallel
// copies on the edges. Inline assembly is expanded and then parsed in the same way, with its own registers and
// labels. Each register is a row of the frame. Immediates are rows as well, in a table of constants, so that kernels
// see only rows.
//
// Blocks are laid out in a weak topological order (Bourdoncle, "Efficient chaotic iteration strategies with
// widenings", 1993): every loop is contiguous, and the blocks that follow a loop come after it. So running the
// smallest program counter first makes the lanes of a warp reconverge where their paths join (warp.h).

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
    kRow,       // a row of the frame
    kConstant,  // an entry of the table of constants: `row` is its index, `value` its contents
    kAddress,   // the row `row` (kNoRow: none) plus `value`
    kSink,      // nothing is read or written
  };
  Kind kind = Kind::kSink;
  uint8_t bits = 0;  // width of the row or, for an address, of its base
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
  bool is_counted = true;         // false for instructions that decoding added: copies for PHIs, conversions of width
  bool is_spill = false;          // accesses a spill slot
  uint8_t stated_align_log2 = 0;  // stated by the memory operand, if there is one
  uint32_t guard = kNoRow;        // the row of a predicate
  // A program counter for a jump, an index into the function's tables for a call or a jump table, else defined by
  // the kernel.
  uint32_t target = 0;
  mutable uint32_t hint = 0;  // the memory block that was found last
  const MachineInstr* source = nullptr;
};

// The place of a parameter in its function's parameter block.
struct ParameterSlot {
  uint32_t offset = 0;
  uint32_t size = 0;
};

struct CallSite {
  // The kind and name of the callee. For an indirect call, operand 0 is the row of the address.
  enum class Callee : uint8_t { kFunction, kBuiltin, kIndirect } callee = Callee::kFunction;
  GlobalId function = 0;
  std::string_view name;
  // The places of the arguments and the return value in the caller's outgoing block.
  std::vector<ParameterSlot> arguments;
  std::optional<ParameterSlot> result;
};

struct DecodedFunction {
  struct Row {
    uint32_t offset = 0;  // into the values of a frame, in bytes
    uint8_t bits = 0;
    Register reg;  // invalid for a temporary
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
  uint32_t values_size = 0;         // bytes of the values of a frame
  std::vector<uint64_t> constants;  // kWarpSize elements of 8 bytes per constant
  std::vector<CallSite> call_sites;
  std::vector<std::vector<uint32_t>> jump_tables;  // the program counters of each table
  std::vector<ParameterSlot> parameters;
  uint32_t parameters_size = 0;
  uint32_t outgoing_size = 0;          // size of the block in which the arguments of calls are built
  std::vector<StackSlot> stack_slots;  // the parts of the local frame that may be accessed
  std::vector<StackSlot> objects;      // by frame index; empty once a pass has laid out the frame
  uint32_t depot_offset = 0;           // of __local_depot in the local frame
  uint32_t local_size = 0;             // size of the local frame, including the parameters of a device function
  uint32_t carry_row = kNoRow;         // CC.CF
  std::vector<std::string> messages;   // for instructions that cannot be executed
  std::vector<std::pair<uint32_t, BlockNumber>> block_starts;  // program counters, ascending

  const void* Constant(uint32_t index) const { return constants.data() + size_t{index} * kWarpSize; }
};

// The regions of the parameter space that symbols stand for: bits 32 and up of the addresses that decoding makes.
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
