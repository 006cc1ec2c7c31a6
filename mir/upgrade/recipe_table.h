// SPDX-License-Identifier: Apache-2.0

// The table of old opcodes: how an instruction of an old LLVM is written in LLVM 22. An opcode that has no row is not
// known to mean the same today, even if LLVM 22 has its name.
//
// The rows are in *_rows.inc, as text. recipe_table.cc says what their columns mean.

#ifndef PTXMIR_MIR_UPGRADE_RECIPE_TABLE_H_
#define PTXMIR_MIR_UPGRADE_RECIPE_TABLE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/instr_desc.h"
#include "mir/upgrade/old_llvm.h"

namespace ptxmir {

// How one operand of a new instruction, or a condition, follows from the old operands.
struct RecipeOperand {
  enum class Kind : uint8_t {
    kCopy,        // old operand `number`
    kImmediate,   // `value`
    kTemporary,   // temporary register `number`
    kDefinition,  // defines temporary register `number`, of class `reg_class`
    kSymbol,      // &`text`
    kParameter,   // &paramN, N from old operand `number`
    kMapped,      // old operand `number` through `map`
    // Conditions. They make no operand.
    kIsValue,  // old operand `number` is the immediate `value`
    kIsOne,    // old operand `number` is the floating-point immediate 1
  };
  enum class Map : uint8_t {
    kVolatile,         // isVol to memory order
    kSpace,            // code of a state space
    kSign,             // kind of a loaded value
    kSignedCompare,    // comparison of signed integers
    kUnsignedCompare,  // of unsigned ones
    kBitCompare,       // for equality
    kFloatCompare,     // of floating-point values that may flush denormals
    kDoubleCompare,    // of those that do not
    kFlush,            // the flag of kFloatCompare that flushes denormals
    kConversion,       // rounding, ftz and sat of cvt
  };

  Kind kind = Kind::kCopy;
  Map map = Map::kVolatile;
  uint8_t number = 0;
  RegClassId reg_class = kNoRegClass;
  int64_t value = 0;
  std::string_view text;
};

// One step of a recipe: a new instruction, or a part of a call, which is several instructions in old LLVMs.
struct RecipeStep {
  enum class Action : uint8_t {
    kEmit,
    kCall,          // begins a call; operand 0: whether it has a result
    kCallee,        // operand 0
    kArguments,     // opens the list of arguments
    kArgument,      // operand 0: its number
    kArgumentsEnd,  // closes the list; a prototype follows
    kPrototype,     // operand 0: its number; ends the call
    kEnd,           // ends a call without a prototype
    kNothing,
  };

  Action action = Action::kEmit;
  Opcode opcode = 0;
  std::vector<RecipeOperand> operands;
};

struct Recipe {
  static constexpr int kAnyNumber = -1;
  int num_operands = kAnyNumber;  // of the old instruction
  std::vector<RecipeStep> steps;
  // The only step copies all operands, so that the instruction is the same today.
  bool is_unchanged = false;
};

class RecipeTable {
 public:
  // `target` must outlive the table.
  RecipeTable(const TargetInfo& target, OldLlvm version);

  // Returns null if there is no row. The result is valid until the next call.
  const Recipe* Find(std::string_view name);

  // Returns the names of all rows. Some end in '*', for all names that begin so.
  std::vector<std::string_view> Names() const;

 private:
  struct Row {
    std::string_view columns;  // after the name
    bool is_read = false;
    bool is_valid = false;
    Recipe recipe;
  };

  const Recipe* Read(std::string_view name, Row& row) const;
  void AddRows(std::string_view text, OldLlvm version);

  const TargetInfo& target_;
  absl::flat_hash_map<std::string_view, Row> rows_;
  std::vector<std::string_view> prefixes_;           // of rows whose name ends in '*'
  std::map<std::string, Row, std::less<>> matched_;  // rows for names with one of the prefixes
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_UPGRADE_RECIPE_TABLE_H_
