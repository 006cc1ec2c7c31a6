// SPDX-License-Identifier: Apache-2.0

// Kernels of one block that load their values from memory and store their results there. Tests compare the results
// before and after legalization (sdag/meaning/dag_evaluator.h) with each other and with those of the machine code
// in the interpreter.

#ifndef PTXMIR_TESTS_SDAG_LEGALIZE_LEGALIZE_FIXTURE_H_
#define PTXMIR_TESTS_SDAG_LEGALIZE_LEGALIZE_FIXTURE_H_

#include <bit>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/split_mix64.h"
#include "gtest/gtest.h"
#include "ir/address_space.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/target/ptx_target.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/instruction_selection.h"
#include "sdag/legalize/dag_legalizer.h"
#include "sdag/meaning/dag_evaluator.h"
#include "sdag/select/dag_selector.h"
#include "sdag/text/dag_writer.h"
#include "sdag/verify/dag_verifier.h"

namespace ptxmir::sdag {

using Bits = absl::uint128;

class LegalizedKernel {
 public:
  static constexpr uint64_t kSlot = 256;

  explicit LegalizedKernel(std::string_view cpu = "sm_80", std::string_view features = "")
      : subtarget_(*ptx::Subtarget::Create(cpu, features)) {
    DiagnosticEngine diagnostics;
    module_ = ReadMir(std::make_shared<SourceBuffer>("test.mir", R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k(ptr %out, ptr %in) { ret void }
...
---
name: k
tracksRegLiveness: true
body: |
  bb.0:
...
)"),
                      ptx::PtxTargetInfo(), diagnostics);
    EXPECT_EQ(diagnostics.ToString(), "");
    function_ = module_->machine_functions()[0].get();
    if (function_->empty()) function_->InsertBlock(nullptr, function_->CreateBlock());
    dags_ = std::make_unique<DagFunction>(*function_);
    dag_ = &dags_->dag(*function_->front());
    out_ = Parameter("k_param_0");
    in_ = Parameter("k_param_1");
  }

  SelectionDAG& dag() { return *dag_; }
  const ptx::Subtarget& subtarget() const { return subtarget_; }

  const MachineMemOperand* MemOperand(uint16_t flags, MVT type, unsigned align_log2, int64_t offset = 0) {
    MachineMemOperand operand;
    operand.flags = flags;
    operand.has_known_size = true;
    operand.type = {.kind = LowLevelType::Kind::kScalar,
                    .elements = static_cast<uint16_t>(NumElements(type)),
                    .bits = ScalarSizeInBits(type)};
    operand.align_log2 = static_cast<uint8_t>(align_log2);
    operand.base_align_log2 = 6;
    operand.offset = offset;
    return function_->CreateMemOperand(operand);
  }
  const MachineMemOperand* AtomicOperand(MVT type) {
    MachineMemOperand operand = *MemOperand(MachineMemOperand::kLoad | MachineMemOperand::kStore, type, 5);
    operand.success_ordering = AtomicOrdering::kMonotonic;
    operand.failure_ordering = AtomicOrdering::kMonotonic;
    return function_->CreateMemOperand(operand);
  }
  SDValue InPointer(uint64_t offset) { return Offset(in_, offset); }
  MachineFunction& function() { return *function_; }
  DagFunction& dags() { return *dags_; }
  SDValue OutPointer(uint64_t offset) { return Offset(out_, offset); }

  // Returns the value of input `index`.
  SDValue Input(unsigned index, MVT type) {
    inputs_.resize(std::max<size_t>(inputs_.size(), index + 1), MVT::kI32);
    inputs_[index] = type;
    return dag_->GetLoad({}, type, dag_->EntryToken(), InPointer(kSlot * index),
                         MemOperand(MachineMemOperand::kLoad, type, 6));
  }
  void Output(SDValue value) {
    const uint64_t offset = kSlot * num_outputs_++;
    dag_->SetRoot(dag_->GetStore({}, dag_->root(), value, OutPointer(offset),
                                 MemOperand(MachineMemOperand::kStore, value.type(), 6)));
  }
  void Finish() {
    const bool is_valid = FinishIfValid();
    ASSERT_TRUE(is_valid) << VerifyDags(*dags_) << Text();
  }
  // Finishes the kernel. Returns false if the verifier reports an error.
  bool FinishIfValid() {
    if (num_outputs_ == 0) num_outputs_ = 1;
    const MVT chain = MVT::kOther;
    const SDValue operands[] = {dag_->root()};
    dag_->SetRoot(dag_->GetNode(isd::kNvRetGlue, {}, absl::MakeConstSpan(&chain, 1), operands));
    return dag_->misuse().ok() && VerifyDags(*dags_).ok();
  }

  std::string Text() {
    std::string text;
    for (const SDNode& node : *dag_) {
      PrintNode(node, text);
      text += '\n';
    }
    return text;
  }

  ISelOptions Options() const {
    ISelOptions options;
    options.subtarget = &subtarget_;
    return options;
  }
  absl::Status Legalize() {
    const ISelOptions options = Options();
    return LegalizeDag(*dag_, options);
  }
  // Returns the flaw of a DAG that should be legal, or an empty string if there is none.
  std::string Flaw() {
    const absl::Status valid = VerifyDags(*dags_);
    if (!valid.ok()) return valid.ToString();
    const std::string invariants = dag_->CheckInvariants();
    if (!invariants.empty()) return invariants;
    for (const SDNode& node : *dag_) {
      const bool is_leaf = node.num_operands() == 0;
      for (const MVT type : node.value_types()) {
        if (!IsLegalType(type, subtarget_) && !is_leaf) return "illegal type";
      }
      if (!IsSelectable(node, subtarget_)) {
        std::string text = "not selectable: ";
        PrintNode(node, text);
        return text;
      }
    }
    return "";
  }

  using Slots = std::vector<DagConstant>;
  // Runs the DAG in its current state. `out` is set to the address of the outputs.
  absl::Status Evaluate(const Slots& inputs, const Bits* fill, DagEvaluation& evaluation, uint64_t& out) {
    EvaluatorMemory& memory = evaluation.memory;
    evaluation.any_extend_fill = fill;
    const uint64_t parameters = memory.Allocate(16);
    out = memory.Allocate(kSlot * num_outputs_);
    const uint64_t in = memory.Allocate(kSlot * inputs_.size() + kSlot);
    for (size_t i = 0; i < inputs.size(); ++i) memory.Store(in + kSlot * i, inputs[i]);
    memory.Store(parameters, DagConstant::Of(MVT::kI64, out));
    memory.Store(parameters + 8, DagConstant::Of(MVT::kI64, in));
    evaluation.symbols["k_param_0"] = parameters;
    evaluation.symbols["k_param_1"] = parameters + 8;
    return EvaluateFunction(*dags_, evaluation);
  }

  absl::Status SelectAndEmit() {
    const ISelOptions options = Options();
    if (absl::Status status = SelectDag(*dag_, options); !status.ok()) return status;
    return EmitFunction(*dags_, {.subtarget = &subtarget_});
  }
  absl::Status SelectAll() { return SelectInstructions(*dags_, Options()); }
  // Returns the output bytes of the machine code. If the run fails, the test fails and nothing is returned.
  std::vector<uint8_t> Run(const Slots& inputs, uint32_t threads = 1) {
    EvaluatorMemory memory;
    const uint64_t bytes = memory.Allocate(kSlot * inputs_.size() + kSlot);
    for (size_t i = 0; i < inputs.size(); ++i) memory.Store(bytes + kSlot * i, inputs[i]);
    std::vector<uint8_t> input(kSlot * inputs_.size() + kSlot);
    for (size_t i = 0; i < input.size(); ++i) input[i] = memory.Bytes(bytes + i, 1)->value;
    auto device = ptx::CreateDevice(*module_, {function_});
    EXPECT_TRUE(device.ok()) << device.status();
    if (!device.ok()) return {};
    const uint64_t out = (*device)->Allocate("out", kSlot * num_outputs_);
    const uint64_t in = (*device)->Allocate("in", input.size());
    (*device)->Write(in, input);
    ptx::LaunchConfig config;
    config.kernel = "k";
    config.block = {threads};
    const auto result = (*device)->Launch(config, {ptx::KernelArgument::Of(out), ptx::KernelArgument::Of(in)});
    EXPECT_TRUE(result.ok() && !result->fault.is_fault()) << (result.ok() ? result->fault.ToString() : "");
    std::vector<uint8_t> output(kSlot * num_outputs_);
    (*device)->Read(out, absl::MakeSpan(output));
    return output;
  }

  const std::vector<MVT>& inputs() const { return inputs_; }
  uint64_t num_output_bytes() const { return kSlot * num_outputs_; }

 private:
  SDValue Parameter(const char* name) {
    MachineMemOperand operand = *MemOperand(MachineMemOperand::kLoad | MachineMemOperand::kInvariant, MVT::kI64, 3);
    operand.address_space = address_space::kParam;
    return dag_->GetLoad({}, MVT::kI64, dag_->EntryToken(), dag_->GetExternalSymbol(name, MVT::kI64),
                         function_->CreateMemOperand(operand));
  }
  SDValue Offset(SDValue pointer, uint64_t offset) {
    return offset == 0 ? pointer
                       : dag_->GetNode(isd::kAdd, {}, MVT::kI64, {pointer, dag_->GetConstant(offset, MVT::kI64)});
  }

  ptx::Subtarget subtarget_;
  std::unique_ptr<Module> module_;
  MachineFunction* function_ = nullptr;
  std::unique_ptr<DagFunction> dags_;
  SelectionDAG* dag_ = nullptr;
  SDValue out_, in_;
  std::vector<MVT> inputs_;
  size_t num_outputs_ = 0;
};

// Values at the edges of a type, and others.
class EdgeValues {
 public:
  explicit EdgeValues(uint64_t seed) : random_(seed) {}

  uint64_t Next() { return random_.Next(); }
  Bits Scalar(MVT type) {
    const unsigned width = SizeInBits(type);
    const Bits mask = LowBits(width);
    if (IsFloatingPoint(type)) return Float(type) & mask;
    const Bits sign = Bits(1) << (width - 1);
    const Bits random = absl::MakeUint128(Next(), Next());
    switch (Next() % 10) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return mask;
      case 3:
        return sign & mask;
      case 4:
        return (sign - 1) & mask;
      case 5:
        return random & mask & 7;
      case 6:
        return (random | ~LowBits(width / 2)) & mask;
      case 7:
        return random & LowBits((width + 1) / 2);
      default:
        return random & mask;
    }
  }
  DagConstant Of(MVT type) {
    DagConstant value = DagConstant::Of(type, 0);
    for (Lane& lane : value.lanes) lane.bits = Scalar(ScalarType(type));
    return value;
  }
  // Returns amounts by which a value of `width` bits can be shifted.
  DagConstant Amount(MVT type, unsigned width) {
    DagConstant value = DagConstant::Of(type, 0);
    for (Lane& lane : value.lanes) {
      const uint64_t choice = Next() % 5;
      lane.bits = choice == 0 ? 0 : choice == 1 ? width - 1 : Next() % width;
      lane.bits &= LowBits(ScalarSizeInBits(type));
    }
    return value;
  }

 private:
  Bits Float(MVT type) {
    const unsigned width = SizeInBits(type);
    const unsigned mantissa = type == MVT::kF16 ? 10 : type == MVT::kBF16 ? 7 : type == MVT::kF32 ? 23 : 52;
    const uint64_t exponents = (uint64_t{1} << (width - 1 - mantissa)) - 1, bias = exponents / 2;
    const uint64_t sign = (Next() & 1) << (width - 1);
    const uint64_t fraction = Next() & ((uint64_t{1} << mantissa) - 1);
    const auto number = [&](uint64_t exponent, uint64_t bits) { return sign | exponent << mantissa | bits; };
    const uint64_t half = uint64_t{1} << (mantissa - 1);
    switch (Next() % 16) {
      case 0:
        return sign;
      case 1:
        return number(bias, 0);  // 1
      case 2:
        return number(exponents, 0);  // infinity
      case 3:
        return number(exponents, half);  // NaN
      case 4:
        return number(0, 1);
      case 5:
        return number(0, fraction);
      case 6:
        return number(exponents - 1, half * 2 - 1);  // the largest
      case 7:
        return number(1, 0);  // the smallest normal one
      case 8:
        return number(bias - 1, 0);  // 0.5
      case 9:
        return number(bias + Next() % 4, half >> Next() % 3);  // 1.5, 2.5, 3.5 ...
      case 10:
      case 11:
        return number(bias + Next() % 40 % (exponents - bias), fraction);
      case 12:
      case 13:
        return number(bias - Next() % std::min<uint64_t>(bias, 20), fraction);
      default:
        return number(Next() % exponents, fraction);
    }
  }

  SplitMix64 random_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_TESTS_SDAG_LEGALIZE_LEGALIZE_FIXTURE_H_
