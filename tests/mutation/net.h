// SPDX-License-Identifier: Apache-2.0

// The net of checks over a few inputs, in layers from the cheapest to the most expensive. Other tests take more inputs;
// this is a sample of each kind, small enough to run once for every planted bug.
//
//  refusal      machine code that is wrong is refused, for the right reason (invalid.mir)
//  round trip   MIR that is read is written as it was, in the long and in the short form
//  verifier     machine code of llc's is accepted
//  remat        rematerialization makes of functions over their target what is recorded (block_remat.mir)
//  parity       the PTX of llc's machine code is llc's
//  selection    machine code of DAGs computes what their nodes mean (selection_check.h)
//  IR           kernels of ir_passes.ll compute what results.txt says after the passes on LLVM IR of -O0 and -O2
//  globals      the PTX of the variables, names and images of ir_globals.ll is what is recorded (ir_globals.ptx)
//  editing      splitting blocks, cloning, growing, retargeting and renumbering leave what they do not change
//  pipeline     the passes of -O0 and -O2 report nothing, the verifier accepts what each leaves, and that is
//               written and read again
//  execution    each pass leaves what kernels compute (passes/equivalence/execution_check.h)
//  tuned        the same with what passes otherwise leave to ptxas: spilling, splitting at random, and moving whatever
//               can be
//  work         kernels that were tuned execute no more instructions than is recorded, spill no more, and need no more
//               registers (work.txt)
//  results      kernels compute what results.txt says, as they are read, edited and after all passes
//  PTX          our PTX is parsed, and names nothing that is not declared (ptx_check.h)
//  ptxas        takes it, where there is one

#ifndef PTXMIR_TESTS_MUTATION_NET_H_
#define PTXMIR_TESTS_MUTATION_NET_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxmir::testing {

struct Layer {
  std::string_view name;
  // Returns a description of the first fault that it finds, or an empty string.
  std::function<std::string()> check;
};

class Net {
 public:
  // Reads the inputs, from tests/.
  Net();

  // Returns the name and the finding of the first layer that finds something. The name is empty if none does.
  std::pair<std::string_view, std::string> Run() const;

  const std::vector<Layer>& layers() const { return layers_; }

  // Return what is recorded: the contents of results.txt, work.txt, block_remat.mir, operands.mir and ir_globals.ptx.
  std::string Results() const;
  std::string WorkText() const;
  std::string Rematerialized() const;
  std::string Operands() const;
  std::string GlobalsPtx() const;

 private:
  struct Input {
    std::string name;
    std::string text;
  };
  // Machine code and the PTX that llc makes of it.
  struct Parity {
    Input input;
    std::string ptx;
    std::string cpu;
    std::string features;
  };

  // Stores the costs of the kernels of loops_ in `work`, by tuning and kernel. Returns an error, or an empty string.
  std::string MeasureWork(std::map<std::string, std::vector<uint64_t>>& work) const;

  // Compiles globals_ and stores the PTX in `text`. Returns an error, or an empty string.
  std::string CompileGlobals(std::string& text) const;

  // Rematerializes in the functions of remat_ and stores them in `text`. Returns an error, or an empty string.
  std::string Rematerialize(std::string& text) const;

  std::string CheckRefusal() const;
  std::string CheckRoundTrip() const;
  std::string CheckVerifier() const;
  std::string CheckRemat() const;
  std::string CheckEditing() const;
  std::string CheckPipeline() const;
  std::string CheckExecution() const;
  std::string CheckTuned() const;
  std::string CheckWork() const;
  std::string CheckSelection() const;
  std::string CheckResults() const;
  std::string CheckParity() const;
  std::string CheckPtx() const;
  std::string CheckIr() const;
  std::string CheckGlobals() const;
  std::string CheckPtxas() const;

  // Machine code that is executed: before our pipeline, and llc's after its own.
  std::vector<Input> unlowered_;
  std::vector<Input> lowered_;
  // Written by hand and without IR, so that they are neither in llc's form nor executed; most are tests of passes.
  std::vector<Input> pass_tests_;
  std::vector<Input> tuned_;  // for spilling, besides unlowered_
  Input loops_;               // for all kinds of tuning
  Input selection_;           // DAGs
  std::vector<Parity> parity_;
  Input ir_;       // LLVM IR
  Input globals_;  // the same, of variables, names and images
  std::string globals_ptx_;
  Input operands_;  // one of each kind, which makes no sense as a function
  Input remat_;     // a test of nvptx-remat-block
  std::string rematerialized_;
  Input jumps_;  // edges through a jump table, for which PTX has no instruction
  std::vector<std::pair<std::string, std::string>> refused_;  // a part of the message, and the function
  std::map<std::string, std::string> results_;                // by kernel and input: the lines of results.txt
  std::map<std::string, std::vector<uint64_t>> work_;         // by tuning and kernel
  std::string ptxas_;
  std::vector<Layer> layers_;
};

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MUTATION_NET_H_
