// SPDX-License-Identifier: Apache-2.0

// Makes random loops of one block, for tests of pipeliner.

#ifndef PTXMIR_TESTS_PASSES_PIPELINER_LOOP_MAKER_H_
#define PTXMIR_TESTS_PASSES_PIPELINER_LOOP_MAKER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/split_mix64.h"

namespace ptxmir::testing {

// A loop has loads and stores at addresses that advance in step, which may overlap those of other iterations;
// arithmetic on what was loaded; values that are passed on to the next iteration or to later ones; and values that are
// used after it. It runs a given number of iterations, which is counted up, down, or by a shift.
class LoopMaker {
 public:
  LoopMaker(uint64_t seed, uint32_t num_iterations) : random_(seed), num_iterations_(num_iterations) {}

  // Returns a module with a kernel `k` that contains the loop.
  std::string Make();

 private:
  struct Phi {
    std::string reg, reg_class, start, next;
  };

  uint64_t Number(uint64_t bound) { return random_.Next() % bound; }
  bool OneIn(uint64_t bound) { return Number(bound) == 0; }
  std::string NewRegister();
  const std::string& Pick(const std::vector<std::string>& from) { return from[Number(from.size())]; }
  std::string Def(std::string_view reg_class, std::string_view what);
  void MakeEntry();
  void MakePhis();
  void MakeBody();
  void MakeAccess();
  void MakeArithmetic();
  std::string MakeCondition();
  std::string MakeLoop();

  SplitMix64 random_;
  const uint32_t num_iterations_;
  uint32_t next_register_ = 0;
  std::string text_;
  std::string tid_, out_, counter_start_;
  std::vector<std::string> bases_;       // b64, before the loop
  std::vector<std::string> invariants_;  // b32, before the loop
  std::vector<Phi> phis_;
  std::vector<std::string> pointers_;  // b64, in the loop
  std::vector<std::string> values_;    // b32, in the loop
  std::string counter_;
  std::string more_;  // the condition
  uint64_t counting_ = 0;
  bool continues_if_taken_ = true;
};

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_PASSES_PIPELINER_LOOP_MAKER_H_
