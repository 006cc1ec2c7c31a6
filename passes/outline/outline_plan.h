// SPDX-License-Identifier: Apache-2.0

// A sequence that several places have in common, and what it costs and saves to make a function of it.
//
// The places do the same to corresponding registers: there is a one-to-one map between the registers of one place and
// those of another. The function gets as parameters the registers that the sequence reads before it writes them, and
// returns those that any of the places reads later.
//
// Sizes are estimates of SASS, in instructions. A call takes two instructions for the return address, the call itself,
// and moves of what is passed and returned to the registers of the ABI.

#ifndef PTXMIR_PASSES_OUTLINE_OUTLINE_PLAN_H_
#define PTXMIR_PASSES_OUTLINE_OUTLINE_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "passes/outline/outline_text.h"

namespace ptxmir {

// The bytes of one SASS instruction, from Volta on.
inline constexpr int64_t kSassBytes = 16;

struct OutlinePlan {
  // A register that is passed or returned: its number, and its class at all places.
  struct Value {
    uint32_t number;
    RegClassId reg_class;
  };

  uint32_t length = 0;              // in instructions
  std::vector<uint32_t> positions;  // where the sequence begins, in ascending order
  std::vector<Value> parameters;    // in the order in which the sequence first names them
  std::vector<Value> results;       // likewise, the widest first
  int64_t benefit = 0;              // in bytes of SASS
};

class OutlinePlanner {
 public:
  // `counts_live_registers`: what is live across a call counts as saved and restored, which ptxas often need not do.
  OutlinePlanner(const OutlineText& text, bool counts_live_registers)
      : text_(text), counts_live_registers_(counts_live_registers) {}

  // Appends the best plans for the places where a repeated sequence of `length` instructions begins: one for each set
  // of places that do the same to their registers, with the number of instructions that saves most. `min_benefit` is in
  // bytes.
  void Plan(absl::Span<const uint32_t> positions, uint32_t length, int64_t min_benefit,
            std::vector<OutlinePlan>& plans);

  // Plans the sequence of this length at these positions, which have been in a plan of at least this length. Returns
  // false if it must not be outlined.
  bool Replan(OutlinePlan& plan);

  // Returns the numbers of the registers of the sequence at `position`: for each register operand, in order. Registers
  // are numbered in the order in which they are first named.
  absl::Span<const uint32_t> NumberRegisters(uint32_t position, uint32_t length);
  // Returns the registers by number, as NumberRegisters found them last.
  absl::Span<const Register> registers() const { return registers_; }

 private:
  void PlanGroup(std::vector<uint32_t> positions, uint32_t length, int64_t min_benefit,
                 std::vector<OutlinePlan>& plans);
  // Computes what each prefix of the sequence costs.
  void ComputeCosts(absl::Span<const uint32_t> positions, uint32_t length);
  // Returns the last place, over all positions, that reads this result of instruction `instr` of the sequence: a number
  // of instructions from the beginning of the sequence, at most `length`.
  uint32_t LastRead(absl::Span<const uint32_t> positions, uint32_t length, uint32_t instr, size_t def_number) const;
  int64_t BenefitOf(uint32_t length, size_t num_places) const;

  const OutlineText& text_;
  const bool counts_live_registers_;
  std::vector<uint32_t> number_of_;  // by register: its number, if stamp_of_ is current
  std::vector<uint32_t> stamp_of_;
  uint32_t stamp_ = 0;
  std::vector<uint32_t> numbers_;
  std::vector<Register> registers_;
  // By length of the prefix.
  std::vector<int64_t> body_;       // instructions
  std::vector<int64_t> passed_;     // 32-bit registers of parameters and results
  std::vector<int64_t> forbidden_;  // parameters and results that cannot be passed
  std::vector<int64_t> live_;       // 32-bit registers that are live across the call, on average
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUTLINE_OUTLINE_PLAN_H_
