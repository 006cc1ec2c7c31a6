// SPDX-License-Identifier: Apache-2.0

// Selected DAGs that tests make through the C++ API, and that are emitted, verified, printed and run.

#ifndef PTXMIR_TESTS_SDAG_EMIT_FIXTURE_H_
#define PTXMIR_TESTS_SDAG_EMIT_FIXTURE_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

namespace op = ptx::op;

class EmitTest : public testing::Test {
 protected:
  EmitTest() { ReadModule(); }

  // Makes a new module with an empty function.
  void ReadModule() {
    dags_.reset();
    DiagnosticEngine diagnostics;
    module_ = ReadMir(std::make_shared<SourceBuffer>("test.mir", R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  @tex = addrspace(1) global i64 0, align 8
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
    Use(*module_->machine_functions()[0]);
  }

  // Makes `function` the current function. Its first block gets the DAG.
  void Use(MachineFunction& function) {
    function_ = &function;
    if (function.empty()) function.InsertBlock(nullptr, function.CreateBlock());
    dags_ = std::make_unique<DagFunction>(function);
    dag_ = &dags_->dag(*function.front());
  }

  Register NewRegister(RegClassId reg_class = ptx::reg_class::kB32) {
    return function_->reg_info().CreateVirtualRegister(reg_class);
  }
  SDValue Reg(Register reg, MVT type = MVT::kI32) { return dag_->GetRegister(reg, type); }
  // Makes a register that is defined before the instructions of the DAG.
  Register LiveIn(RegClassId reg_class = ptx::reg_class::kB32) {
    const Register reg = NewRegister(reg_class);
    BuildMI(*function_->front(), nullptr, generic::kImplicitDef).AddDef(reg).Insert();
    return reg;
  }
  SDValue Live(MVT type = MVT::kI32, RegClassId reg_class = ptx::reg_class::kB32) {
    return dag_->GetCopyFromReg({}, dag_->EntryToken(), LiveIn(reg_class), type);
  }
  SDValue Imm(int64_t value, MVT type = MVT::kI32) { return dag_->GetSignedConstant(value, type, true); }
  SDValue Node(Opcode opcode, std::initializer_list<MVT> types, std::initializer_list<SDValue> operands, SDLoc loc = {},
               uint32_t flags = 0) {
    return {dag_->GetMachineNode(opcode, loc, absl::MakeConstSpan(types.begin(), types.size()),
                                 absl::MakeConstSpan(operands.begin(), operands.size()), {}, flags),
            0};
  }
  SDValue Add(SDValue a, SDValue b, SDLoc loc = {}) { return Node(op::ADD32rr, {MVT::kI32}, {a, b}, loc); }
  // Makes the root copy a value into a new register. The register is used after the DAG's instructions.
  Register Export(SDValue value, RegClassId reg_class = ptx::reg_class::kB32) {
    const Register reg = NewRegister(reg_class);
    dag_->SetRoot(dag_->GetCopyToReg({}, dag_->root(), reg, value));
    exported_.push_back(reg);
    return reg;
  }

  EmitResult Emit(EmitOptions options = {}) {
    const absl::StatusOr<EmitResult> result = EmitSchedule(*dag_, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : EmitResult{};
  }
  std::string ErrorOf(EmitOptions options = {}) {
    const absl::StatusOr<EmitResult> result = EmitSchedule(*dag_, options);
    EXPECT_FALSE(result.ok());
    return std::string(result.status().message());
  }

  // Adds a read of every exported register, so that the verifier sees a use of it, and a return; then verifies.
  void Verify() {
    MachineBasicBlock& last = *function_->back();
    for (const Register reg : exported_) BuildMI(last, nullptr, generic::kKill).AddUse(reg).Insert();
    if (last.FirstTerminator() == nullptr) BuildMI(last, nullptr, op::Return).Insert();
    std::string report;
    EXPECT_TRUE(VerifyMachineFunction(*function_, report)) << report << Dump();
    EXPECT_EQ(function_->reg_info().CheckUseLists(), "");
  }

  // Returns all instructions except those that LiveIn made, one per line. Each block after the first begins with
  // its name.
  std::string Dump() const {
    std::string text;
    for (const MachineBasicBlock& block : *function_) {
      if (&block != function_->front()) text += "bb." + std::to_string(block.number()) + "\n";
      for (const MachineInstr& instr : block) {
        if (instr.is_implicit_def() && &block == function_->front() && !show_undefined_) continue;
        WriteInstr(instr, {}, text);
        if (text.back() != '\n') text += '\n';
      }
    }
    return text;
  }
  size_t Count(Opcode opcode) const {
    size_t count = 0;
    for (const MachineBasicBlock& block : *function_) {
      for (const MachineInstr& instr : block) count += instr.opcode() == opcode;
    }
    return count;
  }

  std::unique_ptr<Module> module_;
  MachineFunction* function_ = nullptr;
  std::unique_ptr<DagFunction> dags_;
  SelectionDAG* dag_ = nullptr;
  std::vector<Register> exported_;
  bool show_undefined_ = false;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_TESTS_SDAG_EMIT_FIXTURE_H_
