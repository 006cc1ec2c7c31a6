// SPDX-License-Identifier: Apache-2.0

// The interface of passes on LLVM IR, before there is machine code: plain functions over one function or over the whole
// program. Their rows stand in the same table as those of machine passes (passes/pipeline/pass_table.h), and the runner
// is passes/run/ir_pipeline_runner.h.
//
// A pass over a function changes only that function. It may read the module and its tables; what it needs of them that
// is not there yet (declarations, attributes, metadata) only a pass over the program may add. Constants of a function
// are in the function's own memory. The types that function passes may ask for without a lock are those that
// PrepareTypes makes.

#ifndef PTXMIR_IR_PASSES_IR_PASS_H_
#define PTXMIR_IR_PASSES_IR_PASS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/diagnostics.h"
#include "ir/code/program.h"
#include "options/knobs.h"

namespace ptxmir {

// The reports of passes besides errors: remarks and counters. The runner implements it.
class IrPassReporter {
 public:
  enum class Kind : uint8_t { kPassed, kMissed };

  virtual ~IrPassReporter() = default;
  // Makes the text of a remark. It is called only if someone wants the remark.
  using Message = absl::FunctionRef<std::string()>;

  // Returns true if anyone wants remarks of the running pass, so that it is worth looking for what they are about.
  virtual bool WantsRemarks() const = 0;
  // `where` is the instruction that the remark is about.
  virtual void AddRemark(Kind kind, std::string_view name, const ir::Instruction& where, Message message) = 0;
  // The same for a variable or a function as a whole.
  virtual void AddGlobalRemark(Kind kind, std::string_view name, const GlobalValue& where, Message message) = 0;
  // `description` is a string literal.
  virtual void AddStatistic(std::string_view description, uint64_t value) = 0;
};

struct IrPassContext {
  const Knobs& knobs;
  DiagnosticEngine& diagnostics;
  IrPassReporter& reporter;
  // The text that passes print on request.
  std::string& log;
  int opt_level = 2;
  // The number of the SM that -mcpu or the module names, 80 for sm_80, and the version of PTX for it, 83 for 8.3; 0 if
  // no SM is named.
  uint32_t sm = 0;
  uint32_t ptx_version = 0;

  void AddStatistic(std::string_view description, uint64_t value) {
    if (value != 0) reporter.AddStatistic(description, value);
  }
};

struct IrPassResult {
  // Whether the pass changed anything. Checked builds compare texts.
  bool changed = false;
};

using IrFunctionPass = IrPassResult (*)(ir::Function&, IrPassContext&);
using IrProgramPass = IrPassResult (*)(ir::Program&, IrPassContext&);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_IR_PASS_H_
