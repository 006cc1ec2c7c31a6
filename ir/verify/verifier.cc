// SPDX-License-Identifier: Apache-2.0

#include "ir/verify/verifier.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ir/code/dominators.h"
#include "ir/verify/instruction_checks.h"

namespace ptxmir::ir {
namespace {

class Verifier {
 public:
  Verifier(Function& function, DiagnosticEngine& diagnostics) : function_(function), diagnostics_(diagnostics) {}

  bool Run() {
    const size_t errors_before = diagnostics_.num_errors();
    if (function_.blocks().empty()) {
      diagnostics_.Error(StrCat("in function '", function_.signature().name, "': there is no entry block"));
      return false;
    }
    for (const BasicBlock* block : function_.blocks()) {
      if (!CheckStructure(*block)) return false;
    }
    CountPredecessors();
    const Dominators dominators(function_);
    if (!predecessors_[0].empty()) {
      Report(*function_.entry().first(), "Entry block to function must not have predecessors!");
    }
    for (const BasicBlock* block : function_.blocks()) CheckBlock(*block, dominators);
    return diagnostics_.num_errors() == errors_before;
  }

 private:
  bool Report(const Instruction& instruction, std::string message) {
    const SourceBuffer* source = function_.module().ir_source();
    if (instruction.position() != 0 && source != nullptr) {
      const char* text = function_.module().ir_text().data();
      diagnostics_.Error(*source, text + instruction.position() - 1, std::move(message));
    } else {
      diagnostics_.Error(StrCat("in function '", function_.signature().name, "': '", OpcodeWord(instruction.opcode()),
                                "': ", message));
    }
    return false;
  }

  // Checks what the other checks, and the dominator tree, rely on.
  bool CheckStructure(const BasicBlock& block) {
    if (block.terminator() == nullptr) {
      if (block.last() != nullptr) return Report(*block.last(), "Basic Block does not have terminator!");
      diagnostics_.Error(StrCat("in function '", function_.signature().name, "': a basic block is empty"));
      return false;
    }
    for (const Instruction* instruction = block.first(); instruction != nullptr; instruction = instruction->next()) {
      if (instruction->parent() != &block) return Report(*instruction, "Instruction has bogus parent pointer!");
      if (instruction->is_terminator() && instruction != block.last()) {
        return Report(*instruction, "Terminator found in the middle of a basic block!");
      }
    }
    const Instruction& terminator = *block.terminator();
    for (unsigned i = 0; i < terminator.num_successors(); ++i) {
      const Value& target = terminator.operand(terminator.successor_operand(i));
      if (!target.is_block()) return Report(terminator, "Branch target is not a basic block!");
      if (terminator.successor(i).number() == BasicBlock::kNoNumber) {
        return Report(terminator, "Referring to a basic block in another function!");
      }
    }
    return true;
  }

  void CountPredecessors() {
    predecessors_.resize(function_.blocks().size());
    for (const BasicBlock* block : function_.blocks()) {
      const Instruction& terminator = *block->terminator();
      for (unsigned i = 0; i < terminator.num_successors(); ++i) {
        predecessors_[terminator.successor(i).number()].push_back(block->number());
      }
    }
    for (std::vector<uint32_t>& list : predecessors_) std::sort(list.begin(), list.end());
  }

  void CheckBlock(const BasicBlock& block, const Dominators& dominators) {
    bool phis_end = false;
    for (const Instruction* instruction = block.first(); instruction != nullptr; instruction = instruction->next()) {
      if (instruction->opcode() == Opcode::kPhi) {
        if (phis_end) Report(*instruction, "PHI nodes not grouped at top of basic block!");
        CheckPhi(*instruction, predecessors_[block.number()]);
      } else {
        phis_end = true;
      }
      const char* message = CheckInstruction(function_, *instruction);
      if (message == nullptr) message = CheckMetadata(function_, *instruction);
      if (message != nullptr) Report(*instruction, message);
      CheckDominance(*instruction, dominators);
      if (diagnostics_.limit_reached()) return;
    }
  }

  void CheckPhi(const Instruction& phi, const std::vector<uint32_t>& predecessors) {
    if (phi.num_incoming() != predecessors.size()) {
      Report(phi, "PHINode should have one entry for each predecessor of its parent basic block!");
      return;
    }
    incoming_.clear();
    for (unsigned i = 0; i < phi.num_incoming(); ++i) {
      incoming_.emplace_back(phi.incoming_block(i).number(), &phi.incoming_value(i));
    }
    std::sort(incoming_.begin(), incoming_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < incoming_.size(); ++i) {
      if (i > 0 && incoming_[i].first == incoming_[i - 1].first && incoming_[i].second != incoming_[i - 1].second) {
        Report(phi, "PHI node has multiple entries for the same basic block with different incoming values!");
        return;
      }
      if (incoming_[i].first != predecessors[i]) {
        Report(phi, "PHI node entries do not match predecessors!");
        return;
      }
    }
  }

  void CheckDominance(const Instruction& instruction, const Dominators& dominators) {
    for (const Use& use : instruction.operands()) {
      const Value& value = use.value();
      if (!value.is_instruction()) continue;
      const auto& definition = static_cast<const Instruction&>(value);
      if (definition.parent() == nullptr) {
        Report(instruction, "Instruction uses an instruction that is not in a basic block!");
      } else if (!dominators.IsAvailable(definition, use)) {
        Report(instruction, "Instruction does not dominate all uses!");
      } else {
        continue;
      }
      return;
    }
  }

  Function& function_;
  DiagnosticEngine& diagnostics_;
  std::vector<std::vector<uint32_t>> predecessors_;  // by block, sorted, once for each edge
  std::vector<std::pair<uint32_t, const Value*>> incoming_;
};

}  // namespace

bool VerifyFunction(Function& function, DiagnosticEngine& diagnostics) { return Verifier(function, diagnostics).Run(); }

bool VerifyProgram(Program& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  for (const std::unique_ptr<Function>& function : program.functions()) {
    if (diagnostics.limit_reached()) return false;
    ok &= VerifyFunction(*function, diagnostics);
  }
  return ok;
}

}  // namespace ptxmir::ir
