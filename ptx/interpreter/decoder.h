// Decoding: from a machine function, at any stage, to the form that the
// interpreter executes.
//
// Instructions are printed through their templates and parsed as PTX statements
// (statement.h); PHIs become parallel copies on the edges; inline assembly is
// expanded and parsed likewise, with registers and labels of its own. Each
// register is a row of the frame. Immediates are rows, too, in a table of
// constants, so that kernels see nothing but rows.

#ifndef PTXMIR_PTX_INTERPRETER_DECODER_H_
#define PTXMIR_PTX_INTERPRETER_DECODER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/interpreter/semantics.h"

namespace ptxmir {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
}  // namespace ptxmir

namespace ptxmir::ptx {

inline constexpr uint32_t kNoRow = ~uint32_t{0};

struct DecodedOperand {
  enum class Kind : uint8_t {
    kRow,       // of the frame
    kConstant,  // of the table of constants: `row` indexes it, `value` is what
                // it holds
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
  uint32_t guard = kNoRow;  // row of a predicate
  uint32_t target = 0;  // of jumps: program counter; of calls: index into call
                        // sites; else the kernel's
  uint32_t statement = 0;  // index into DecodedFunction::statements; for
                           // kernels that look closer
  const MachineInstr* source = nullptr;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_DECODER_H_
