// What a machine pass is: a plain function over one MachineFunction and a context. It keeps no state of
// its own; everything that it shares with the rest of the compilation is in the context.

#ifndef PTXMIR_PASSES_PASS_H_
#define PTXMIR_PASSES_PASS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mir/diagnostics.h"
#include "mir/machine_function.h"

namespace ptxmir {

// Counters that passes add to, for -stats. Kept in order of first use, which is pipeline order.
class Statistics {
 public:
  struct Counter {
    std::string_view pass;
    std::string_view description;  // "copies inserted"
    uint64_t value = 0;
  };
  // Both texts must be string literals (they are kept).
  void Add(std::string_view pass, std::string_view description, uint64_t value);
  const std::vector<Counter>& counters() const { return counters_; }
  // LLVM's -stats layout: value, pass, description, a line each.
  std::string ToString() const;

 private:
  std::vector<Counter> counters_;
};

class RegisterCheckerSnapshot;

struct PassContext {
  // For what the user must know. A pass that reports an error has failed the compilation.
  DiagnosticEngine& diagnostics;
  Statistics& statistics;
  // What register-checker compares with; see register_checker.h.
  std::shared_ptr<const RegisterCheckerSnapshot> register_snapshot = nullptr;
};

struct PassResult {
  bool changed = false;
};

using MachineFunctionPass = PassResult (*)(MachineFunction&, PassContext&);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_H_
