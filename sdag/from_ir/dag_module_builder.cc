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

// Builds the DAGs of all functions. `take` gets those of each function; it returns false after an error.
DagModule BuildAll(std::unique_ptr<Module> module, const ir::Program& program, unsigned opt_level,
                   DiagnosticEngine& diagnostics, absl::FunctionRef<bool(std::unique_ptr<DagFunction>)> take) {
  DagModule dags;
  PartTable parts(module->data_layout());
  std::vector<OwnedMachineFunction>& functions = module->machine_functions();
  bool ok = true;
  for (const std::unique_ptr<ir::Function>& function : program.functions()) {
    if (function->signature().linkage == Linkage::kAvailableExternally) continue;
    functions.push_back(
        std::make_unique<MachineFunction>(module.get(), ptx::PtxTargetInfo(), function->signature().name,
                                          static_cast<uint32_t>(functions.size()), module->function_memory()));
    MachineFunction& machine_function = *functions.back();
    machine_function.SetProperty(FunctionProperty::kTracksRegLiveness);
    machine_function.SetProperty(FunctionProperty::kIsSsa);
    auto dag_function = std::make_unique<DagFunction>(machine_function);
    // As in llc, nothing is estimated at -O0.
    std::optional<ir::BranchProbabilities> probabilities;
    if (opt_level > 0) probabilities.emplace(*function);
    bool is_built = false;
    {
      FunctionBuilder builder(*function, *dag_function, parts, probabilities.has_value() ? &*probabilities : nullptr,
                              diagnostics);
      is_built = BuildFunction(builder);
    }
    ok &= is_built && take(std::move(dag_function));
  }
  if (ok) dags.module = std::move(module);
  return dags;
}

}  // namespace

DagModule BuildDags(std::unique_ptr<Module> module, const ir::Program& program, unsigned opt_level,
                    DiagnosticEngine& diagnostics) {
  std::vector<std::unique_ptr<DagFunction>> kept;
  DagModule dags =
      BuildAll(std::move(module), program, opt_level, diagnostics, [&](std::unique_ptr<DagFunction> function) {
        kept.push_back(std::move(function));
        return true;
      });
  dags.functions = std::move(kept);
  return dags;
}

DagModule BuildDags(std::unique_ptr<Module> module, const ir::Program& program, unsigned opt_level,
                    DiagnosticEngine& diagnostics, DagFunctionSink take) {
  return BuildAll(std::move(module), program, opt_level, diagnostics,
                  [&](std::unique_ptr<DagFunction> function) { return take(*function); });
}

}  // namespace ptxmir::sdag
