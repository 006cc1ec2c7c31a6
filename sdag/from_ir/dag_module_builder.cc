// SPDX-License-Identifier: Apache-2.0

#include "sdag/from_ir/dag_module_builder.h"

#include <optional>
#include <utility>
#include <vector>

#include "ir/frequency/branch_probabilities.h"
#include "ptx/target/ptx_target.h"
#include "sdag/from_ir/function_builder.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

using ir::Opcode;

void LowerInstruction(FunctionBuilder& builder, const ir::Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kFNeg:
      return LowerFNeg(builder, instruction);
    case Opcode::kAlloca:
      return LowerAlloca(builder, instruction);
    case Opcode::kLoad:
      return LowerLoad(builder, instruction);
    case Opcode::kStore:
      return LowerStore(builder, instruction);
    case Opcode::kGetElementPtr:
      return LowerGetElementPtr(builder, instruction);
    case Opcode::kFence:
      return LowerFence(builder, instruction);
    case Opcode::kCmpXchg:
      return LowerCmpXchg(builder, instruction);
    case Opcode::kAtomicRMW:
      return LowerAtomicRMW(builder, instruction);
    case Opcode::kICmp:
    case Opcode::kFCmp:
      return LowerCompare(builder, instruction);
    case Opcode::kPhi:
      return;  // MakePhis
    case Opcode::kSelect:
      return LowerSelect(builder, instruction);
    case Opcode::kCall:
      return LowerCall(builder, instruction);
    case Opcode::kFreeze:
      return LowerFreeze(builder, instruction);
    case Opcode::kExtractElement:
      return LowerExtractElement(builder, instruction);
    case Opcode::kInsertElement:
      return LowerInsertElement(builder, instruction);
    case Opcode::kShuffleVector:
      return LowerShuffleVector(builder, instruction);
    case Opcode::kExtractValue:
      return LowerExtractValue(builder, instruction);
    case Opcode::kInsertValue:
      return LowerInsertValue(builder, instruction);
    default:
      break;
  }
  if (ir::IsBinary(instruction.opcode())) return LowerBinary(builder, instruction);
  if (ir::IsCast(instruction.opcode())) return LowerCast(builder, instruction);
  builder.Refuse(std::string(ir::OpcodeWord(instruction.opcode())));
}

bool BuildFunction(FunctionBuilder& builder) {
  const std::vector<ir::BasicBlock*>& blocks = builder.function().blocks();
  for (const ir::BasicBlock* block : blocks) {
    MachineBasicBlock* machine_block = builder.BlockOf(*block);
    if (machine_block == nullptr) continue;
    builder.EnterBlock(*machine_block);
    if (block == blocks[0]) LowerArguments(builder);
    for (const ir::Instruction* i = block->first(); i != nullptr; i = i->next()) {
      builder.SetLocation(*i);
      LowerDebugRecords(builder, *i);
      if (i->is_terminator()) {
        CopyIncomingValues(builder, *block);
        LowerTerminator(builder, *i);
      } else {
        LowerInstruction(builder, *i);
      }
      if (builder.has_failed()) return false;
    }
  }
  MakePhis(builder);
  return !builder.has_failed();
}

OwnedMachineFunction NewMachineFunction(const ir::Function& function, uint32_t number) {
  Module& module = function.module();
  auto machine_function = std::make_unique<MachineFunction>(&module, ptx::PtxTargetInfo(), function.signature().name,
                                                            number, module.function_memory());
  machine_function->SetProperty(FunctionProperty::kTracksRegLiveness);
  machine_function->SetProperty(FunctionProperty::kIsSsa);
  return machine_function;
}

}  // namespace

void TakeFunctions(ir::Program& program,
                   absl::FunctionRef<void(std::unique_ptr<ir::Function>, OwnedMachineFunction)> take) {
  uint32_t number = 0;
  for (std::unique_ptr<ir::Function>& function : program.TakeFunctions()) {
    if (function->signature().linkage == Linkage::kAvailableExternally) continue;
    OwnedMachineFunction machine_function = NewMachineFunction(*function, number++);
    take(std::move(function), std::move(machine_function));
  }
}

std::unique_ptr<DagFunction> BuildDags(ir::Function& function, MachineFunction& machine_function, unsigned opt_level,
                                       DiagnosticEngine& diagnostics) {
  auto dags = std::make_unique<DagFunction>(machine_function);
  PartTable parts(function.module().data_layout());
  // As in llc, nothing is estimated at -O0.
  std::optional<ir::BranchProbabilities> probabilities;
  if (opt_level > 0) probabilities.emplace(function);
  FunctionBuilder builder(function, *dags, parts, probabilities.has_value() ? &*probabilities : nullptr, diagnostics);
  return BuildFunction(builder) ? std::move(dags) : nullptr;
}

}  // namespace ptxmir::sdag
