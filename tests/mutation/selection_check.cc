// SPDX-License-Identifier: Apache-2.0

#include "tests/mutation/selection_check.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/verify/verifier.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/subtarget.h"
#include "sdag/instruction_selection.h"
#include "sdag/meaning/dag_evaluator.h"
#include "sdag/text/dag_reader.h"
#include "sdag/verify/dag_verifier.h"

namespace ptxmir::testing {
namespace {

constexpr size_t kBytes = 256;  // of input, and of output
constexpr unsigned kInputs = 6;

struct Configuration {
  const char* cpu;
  unsigned opt_level;
  sdag::DagScheduler scheduler;
};
constexpr Configuration kConfigurations[] = {{"sm_70", 0, sdag::DagScheduler::kSource},
                                             {"sm_70", 2, sdag::DagScheduler::kRegisterPressure},
                                             {"sm_90", 2, sdag::DagScheduler::kSource}};

// Words of all kinds: around zero, at the ends of the range, in the middle between two bf16, any.
std::vector<uint8_t> InputOf(unsigned number) {
  SplitMix64 random(number + 1);
  std::vector<uint8_t> bytes(kBytes);
  for (size_t i = 0; i < kBytes; i += 4) {
    const auto any = static_cast<uint32_t>(random.Next());
    const uint32_t words[] = {any & 7,
                              ~(any & 7),
                              0x80000000 + (any & 1),
                              any,
                              any,
                              0x3f800000 + (any & 0xf0000) + 0x8000,
                              any & 0x0fff0fffu,
                              any | 0x80808080u,
                              0x7fc00000};
    const uint32_t word = words[random.Next() % std::size(words)];
    for (size_t b = 0; b < 4; ++b) bytes[i + b] = static_cast<uint8_t>(word >> (8 * b));
  }
  return bytes;
}

std::string Parameter(std::string_view kernel, unsigned number) { return StrCat(kernel, "_param_", number); }

// The memory that the nodes leave, or nothing if the evaluator does not know all of them.
struct Expectation {
  std::optional<sdag::EvaluatorMemory> memory;
  uint64_t out = 0;
};

// A finding, or an empty string.
std::string Evaluate(sdag::DagFunction& dags, const std::vector<uint8_t>& input, Expectation& expectation) {
  const std::string_view kernel = dags.machine_function().name();
  sdag::DagEvaluation evaluation;
  expectation.out = evaluation.memory.Allocate(kBytes);
  const uint64_t in = evaluation.memory.Allocate(kBytes), parameters = evaluation.memory.Allocate(16);
  evaluation.memory.Write(in, input);
  evaluation.memory.Store(parameters, sdag::DagConstant::Of(sdag::MVT::kI64, expectation.out));
  evaluation.memory.Store(parameters + 8, sdag::DagConstant::Of(sdag::MVT::kI64, in));
  evaluation.symbols[Parameter(kernel, 0)] = parameters;
  evaluation.symbols[Parameter(kernel, 1)] = parameters + 8;
  const absl::Status status = sdag::EvaluateFunction(dags, evaluation);
  if (status.code() == absl::StatusCode::kUnimplemented) return "";
  if (!status.ok()) return StrCat(kernel, " has no meaning: ", FromAbsl(status.message()));
  expectation.memory = std::move(evaluation.memory);
  return "";
}

// A fault, or an empty string and what has been stored.
std::string Execute(const Module& module, const MachineFunction& function, const std::vector<uint8_t>& input,
                    std::vector<uint8_t>& output) {
  auto device = ptx::CreateDevice(module, {&function});
  if (!device.ok()) return std::string(FromAbsl(device.status().message()));
  const uint64_t out = (*device)->Allocate("out", kBytes), in = (*device)->Allocate("in", kBytes);
  (*device)->Write(in, input);
  ptx::LaunchConfig config;
  config.kernel = std::string(function.name());
  const auto result = (*device)->Launch(config, {ptx::KernelArgument::Of(out), ptx::KernelArgument::Of(in)});
  if (!result.ok()) return std::string(FromAbsl(result.status().message()));
  if (result->fault.is_fault()) return result->fault.ToString();
  output.resize(kBytes);
  (*device)->Read(out, absl::MakeSpan(output));
  return "";
}

uint32_t WordAt(const std::vector<uint8_t>& bytes, size_t word) {
  uint32_t value = 0;
  std::memcpy(&value, &bytes[word * sizeof value], sizeof value);
  return value;
}
void SetWord(std::vector<uint8_t>& bytes, size_t word, uint32_t value) {
  std::memcpy(&bytes[word * sizeof value], &value, sizeof value);
}

// A kernel with nodes that the evaluator does not know, and what it computes. Memory that it does not write is zero.
struct Reference {
  std::string_view kernel;
  void (*compute)(const std::vector<uint8_t>& in, std::vector<uint8_t>& out);
};
constexpr Reference kReferences[] = {
    // A jump table with three ways, each of which writes its own number to a word of its own.
    {"jumps",
     [](const std::vector<uint8_t>& in, std::vector<uint8_t>& out) {
       const uint32_t way = WordAt(in, 0) % 3 + 1;
       SetWord(out, way, 11 * way);
     }},
    // Inline assembly whose input is in the register of its result: add.u32 $0, $1, 7.
    {"tied_input",
     [](const std::vector<uint8_t>& in, std::vector<uint8_t>& out) { SetWord(out, 0, WordAt(in, 0) + 7); }},
};

// Compares the output of a kernel with its reference. Returns a finding, or an empty string.
std::string CompareWithReference(std::string_view kernel, const std::vector<uint8_t>& input,
                                 const std::vector<uint8_t>& output) {
  for (const Reference& reference : kReferences) {
    if (reference.kernel != kernel) continue;
    std::vector<uint8_t> expected(kBytes);
    reference.compute(input, expected);
    for (size_t i = 0; i < kBytes / sizeof(uint32_t); ++i) {
      if (WordAt(output, i) == WordAt(expected, i)) continue;
      return StrCat("word ", i, " is ", WordAt(output, i), ", not ", WordAt(expected, i));
    }
    return "";
  }
  return "neither the evaluator nor a reference in selection_check.cc says what it computes";
}

// Passes do with an access that does not say what it accesses as with one of anything.
std::string CheckMemOperands(const MachineFunction& function) {
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (instr.is_phi() || instr.is_inline_asm() || !ptx::InstrInfo(instr.opcode()).touches_memory()) continue;
      if (instr.memoperands().empty()) return StrCat(function.name(), ": an access without a memory operand");
    }
  }
  return "";
}

class Selection {
 public:
  Selection(std::string_view text, const Configuration& configuration)
      : configuration_(configuration), subtarget_(*ptx::Subtarget::Create(configuration.cpu, "")) {
    dags_ = sdag::ReadDags(std::make_shared<const SourceBuffer>("selection.sdag", text), diagnostics_);
  }

  std::string Check() {
    if (dags_.module == nullptr) return diagnostics_.ToString();
    for (size_t i = 0; i < dags_.functions.size(); ++i) {
      std::string finding = CheckFunction(*dags_.functions[i]);
      if (!finding.empty()) return StrCat(configuration_.cpu, " -O", configuration_.opt_level, ": ", finding);
    }
    return "";
  }

 private:
  std::string CheckFunction(sdag::DagFunction& dags) {
    if (const absl::Status valid = sdag::VerifyDags(dags); !valid.ok()) return std::string(FromAbsl(valid.message()));
    std::vector<Expectation> expected(kInputs);
    for (unsigned i = 0; i < kInputs; ++i) {
      if (std::string finding = Evaluate(dags, InputOf(i), expected[i]); !finding.empty()) return finding;
    }
    const sdag::ISelOptions options{.subtarget = &subtarget_, .opt_level = configuration_.opt_level};
    sdag::EmitOptions emit;
    emit.scheduler = configuration_.scheduler;
    const absl::Status selected = sdag::SelectInstructions(dags, options, emit);
    if (!selected.ok()) return std::string(FromAbsl(selected.message()));
    const MachineFunction& function = dags.machine_function();
    std::string report;
    if (!VerifyMachineFunction(dags.machine_function(), report)) return report;
    if (std::string finding = CheckMemOperands(function); !finding.empty()) return finding;
    for (unsigned i = 0; i < kInputs; ++i) {
      std::vector<uint8_t> output;
      if (std::string fault = Execute(*dags_.module, function, InputOf(i), output); !fault.empty()) return fault;
      const std::string name = StrCat(function.name(), " ", i);
      size_t where = 0;
      if (!expected[i].memory.has_value()) {
        std::string finding = CompareWithReference(function.name(), InputOf(i), output);
        if (!finding.empty()) return StrCat(name, ": ", finding);
      } else if (!expected[i].memory->Matches(expected[i].out, output, &where)) {
        return StrCat(name, ": byte ", where, " is not what the nodes mean");
      }
    }
    return "";
  }

  const Configuration& configuration_;
  const ptx::Subtarget subtarget_;
  DiagnosticEngine diagnostics_;
  sdag::DagModule dags_;
};

}  // namespace

std::string CheckSelection(std::string_view text) {
  for (const Configuration& configuration : kConfigurations) {
    std::string finding = Selection(text, configuration).Check();
    if (!finding.empty()) return finding;
  }
  return "";
}

}  // namespace ptxmir::testing
