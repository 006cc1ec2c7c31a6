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
    if (!Predecessors(function_.entry()).empty()) {
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

  // Lists the predecessors of each block in the order of their numbers.
  void CountPredecessors() {
    first_predecessor_.assign(function_.blocks().size() + 1, 0);
    ForEachEdge([this](uint32_t, uint32_t to) { ++first_predecessor_[to]; });
    uint32_t end = 0;
    for (uint32_t& first : first_predecessor_) first = end += first;
    predecessors_.resize(end);
    // In reverse, so that what is the end of a list at first is its beginning at last.
    for (size_t i = function_.blocks().size(); i-- > 0;) {
      const Instruction& terminator = *function_.blocks()[i]->terminator();
      for (unsigned s = 0; s < terminator.num_successors(); ++s) {
        predecessors_[--first_predecessor_[terminator.successor(s).number()]] = static_cast<uint32_t>(i);
      }
    }
  }

  template <typename Visit>
  void ForEachEdge(Visit visit) const {
    for (const BasicBlock* block : function_.blocks()) {
      const Instruction& terminator = *block->terminator();
      for (unsigned i = 0; i < terminator.num_successors(); ++i) {
        visit(block->number(), terminator.successor(i).number());
      }
    }
  }

  absl::Span<const uint32_t> Predecessors(const BasicBlock& block) const {
    const uint32_t first = first_predecessor_[block.number()];
    return absl::MakeConstSpan(predecessors_).subspan(first, first_predecessor_[block.number() + 1] - first);
  }

  void CheckBlock(const BasicBlock& block, const Dominators& dominators) {
    bool phis_end = false;
    for (const Instruction* instruction = block.first(); instruction != nullptr; instruction = instruction->next()) {
      if (instruction->opcode() == Opcode::kPhi) {
        if (phis_end) Report(*instruction, "PHI nodes not grouped at top of basic block!");
        CheckPhi(*instruction, Predecessors(block));
      } else {
        phis_end = true;
      }
      const bool are_plain = ArePlain(*instruction, dominators);
      const char* message = are_plain ? nullptr : CheckOperandKinds(*instruction);
      if (message == nullptr) message = CheckInstruction(function_, *instruction);
      if (message == nullptr && instruction->has_metadata()) message = CheckMetadata(function_, *instruction);
      if (message != nullptr) Report(*instruction, message);
      if (!are_plain) CheckDominance(*instruction, dominators);
      if (diagnostics_.limit_reached()) return;
    }
  }

  void CheckPhi(const Instruction& phi, absl::Span<const uint32_t> predecessors) {
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

  // Returns true if CheckOperandKinds and CheckDominance would find nothing, for the usual operands: constants,
  // arguments, and what is computed before, nearly always in the same block.
  static bool ArePlain(const Instruction& instruction, const Dominators& dominators) {
    if (instruction.opcode() == Opcode::kPhi) return false;
    for (const Use& use : instruction.operands()) {
      const Value& value = use.value();
      switch (value.kind()) {
        case Value::Kind::kInstruction: {
          const auto& definition = static_cast<const Instruction&>(value);
          const bool is_before = definition.is_in_block_of(instruction) && definition.order() < instruction.order();
          if (!is_before && (definition.parent() == nullptr || !dominators.IsAvailable(definition, use))) return false;
          break;
        }
        case Value::Kind::kArgument:
        case Value::Kind::kConstant:
          break;
        case Value::Kind::kBlock:
          if (!instruction.is_terminator()) return false;
          continue;
        default:
          return false;
      }
      if (!value.type()->is_first_class()) return false;
    }
    return true;
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
  // The predecessors of block i are those from first_predecessor_[i] on, sorted, once for each edge.
  std::vector<uint32_t> predecessors_;
  std::vector<uint32_t> first_predecessor_;
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
