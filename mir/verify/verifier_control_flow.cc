// SPDX-License-Identifier: Apache-2.0

// Verifier: checks the edges between blocks and that the end of each block agrees with them.
//
// The end of a block is its trailing terminators. The forms that LLVM's NVPTX target analyzes (none, one branch, a
// conditional branch and a jump) are checked as in LLVM. For others (BRX_ITEM lists, inline assembly), the blocks
// that they name must be exactly the successors.

#include <string>
#include <vector>

#include "base/str_cat.h"
#include "mir/verify/verifier_checks.h"

namespace ptxmir {
namespace {

// A set of block numbers. Clearing it is O(1).
class BlockSet {
 public:
  explicit BlockSet(const MachineFunction& function) : stamps_(function.block_number_bound(), 0) {}
  void Clear() { ++stamp_; }
  // Returns false if the block was already in the set.
  bool Insert(BlockNumber block) {
    if (stamps_[block] == stamp_) return false;
    stamps_[block] = stamp_;
    return true;
  }
  bool Contains(BlockNumber block) const { return stamps_[block] == stamp_; }

 private:
  std::vector<uint32_t> stamps_;
  uint32_t stamp_ = 0;
};

// The end of a block: how control leaves it.
struct BlockEnd {
  bool is_understood = false;  // whether the other members are meaningful
  const MachineInstr* conditional = nullptr;
  const MachineInstr* jump = nullptr;  // unconditional
};

const MachineInstr* LastNonDebug(const MachineBasicBlock& block) {
  const MachineInstr* instr = block.back();
  while (instr != nullptr && instr->is_debug()) instr = instr->previous();
  return instr;
}

const MachineOperand* BranchTarget(const MachineInstr& branch) {
  const MachineOperand* target = nullptr;
  for (const MachineOperand& operand : branch.operands()) {
    if (!operand.is_block()) continue;
    if (target != nullptr) return nullptr;
    target = &operand;
  }
  return target;
}

// Returns true for a branch to one block that does not use a table.
bool IsPlainBranch(const MachineInstr& instr) {
  const InstrDesc& desc = instr.desc();
  return desc.Has(InstrFlag::kBranch) && !desc.Has(InstrFlag::kIndirectBranch | InstrFlag::kReturn) &&
         BranchTarget(instr) != nullptr;
}

BlockEnd Understand(const MachineBasicBlock& block) {
  BlockEnd end;
  const MachineInstr* last = LastNonDebug(block);
  if (last == nullptr || !last->is_terminator()) {
    end.is_understood = true;
    return end;
  }
  if (!IsPlainBranch(*last)) return end;
  const MachineInstr* second = last->previous();
  if (second == nullptr || !second->is_terminator()) {
    end.is_understood = true;
    (last->is_barrier() ? end.jump : end.conditional) = last;
    return end;
  }
  const MachineInstr* third = second->previous();
  if (!IsPlainBranch(*second) || !last->is_barrier() || (third != nullptr && third->is_terminator())) {
    return end;
  }
  end.is_understood = true;
  // The second of two jumps is dead.
  end.jump = second->is_barrier() ? second : last;
  if (!second->is_barrier()) end.conditional = second;
  return end;
}

class ControlFlowChecker {
 public:
  ControlFlowChecker(const MachineFunction& function, const VerifierFacts& facts, VerifierReport& report)
      : function_(function),
        facts_(facts),
        report_(report),
        in_layout_(function.block_number_bound()),
        marked_(function),
        successors_(function) {
    for (const MachineBasicBlock& block : function) in_layout_[block.number()] = &block;
  }

  bool Run();

 private:
  // Returns true if the block is in the layout.
  bool IsInFunction(const MachineBasicBlock* block) const {
    return block->number() < in_layout_.size() && in_layout_[block->number()] == block;
  }
  bool CheckEdgeLists(const MachineBasicBlock& block);
  void CheckEdgesAgree();
  void CheckProbabilities(const MachineBasicBlock& block);
  void CheckLiveIns(const MachineBasicBlock& block);
  void CheckTerminatorsAreLast(const MachineBasicBlock& block);
  void CheckBundles(const MachineBasicBlock& block);
  void CheckUnderstoodEnd(const MachineBasicBlock& block, const BlockEnd& end);
  void CheckOtherEnd(const MachineBasicBlock& block);
  // Marks the blocks that a terminator names. Reports those that are not successors.
  void MarkTargets(const MachineInstr& terminator);
  void CheckSuccessorsMarked(const MachineBasicBlock& block);

  const MachineFunction& function_;
  const VerifierFacts& facts_;
  VerifierReport& report_;
  std::vector<const MachineBasicBlock*> in_layout_;  // by number
  BlockSet marked_;
  BlockSet successors_;  // of the block that is being checked
};

bool ControlFlowChecker::Run() {
  bool lists_are_sound = true;
  for (const MachineBasicBlock& block : function_) lists_are_sound &= CheckEdgeLists(block);
  if (lists_are_sound) CheckEdgesAgree();
  for (const MachineBasicBlock& block : function_) {
    CheckProbabilities(block);
    CheckLiveIns(block);
    if (facts_.blocks[block.number()].has_code_after_terminator) CheckTerminatorsAreLast(block);
    if (facts_.blocks[block.number()].has_bundles) CheckBundles(block);
    if (!lists_are_sound) continue;
    marked_.Clear();
    successors_.Clear();
    for (const MachineBasicBlock* successor : block.successors()) successors_.Insert(successor->number());
    const BlockEnd end = Understand(block);
    if (end.is_understood) {
      CheckUnderstoodEnd(block, end);
    } else {
      CheckOtherEnd(block);
    }
  }
  return lists_are_sound;
}

bool ControlFlowChecker::CheckEdgeLists(const MachineBasicBlock& block) {
  bool sound = true;
  const auto check = [&](absl::Span<MachineBasicBlock* const> list, std::string_view foreign,
                         std::string_view duplicate) {
    bool repeats = false;
    marked_.Clear();
    for (const MachineBasicBlock* other : list) {
      if (!IsInFunction(other)) {
        report_.Block(foreign, block);
        sound = false;
      } else if (!marked_.Insert(other->number())) {
        repeats = true;
      }
    }
    if (repeats) report_.Block(duplicate, block);
  };
  check(block.successors(), "MBB has successor that isn't part of the function.",
        "MBB has duplicate entries in its successor list.");
  check(block.predecessors(), "MBB has predecessor that isn't part of the function.",
        "MBB has duplicate entries in its predecessor list.");
  return sound;
}

// Compares every predecessor list with the edges of all successor lists. Each list is traversed only once, because
// some may be as long as the function.
void ControlFlowChecker::CheckEdgesAgree() {
  const BlockNumber bound = function_.block_number_bound();
  std::vector<uint32_t> first(bound + 1, 0);
  for (const MachineBasicBlock& block : function_) {
    for (const MachineBasicBlock* successor : block.successors()) ++first[successor->number() + 1];
  }
  for (BlockNumber i = 0; i < bound; ++i) first[i + 1] += first[i];
  std::vector<BlockNumber> sources(first[bound]);
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const MachineBasicBlock& block : function_) {
    for (const MachineBasicBlock* successor : block.successors()) {
      sources[next[successor->number()]++] = block.number();
    }
  }
  for (const MachineBasicBlock& block : function_) {
    const absl::Span<const BlockNumber> from =
        absl::MakeConstSpan(sources).subspan(first[block.number()], first[block.number() + 1] - first[block.number()]);
    marked_.Clear();
    for (const MachineBasicBlock* predecessor : block.predecessors()) marked_.Insert(predecessor->number());
    for (const BlockNumber source : from) {
      if (marked_.Contains(source)) continue;
      report_.Block("Inconsistent CFG", *function_.block(source));
      report_.Note(StrCat("MBB is not in the predecessor list of the successor %bb.", block.number(), "."));
    }
    marked_.Clear();
    for (const BlockNumber source : from) marked_.Insert(source);
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (marked_.Contains(predecessor->number())) continue;
      report_.Block("Inconsistent CFG", block);
      report_.Note(StrCat("MBB is not in the successor list of the predecessor %bb.", predecessor->number(), "."));
    }
  }
}

void ControlFlowChecker::CheckProbabilities(const MachineBasicBlock& block) {
  const auto probabilities = block.successor_probabilities();
  if (probabilities.size() != block.successors().size()) {
    report_.Block("MBB has another number of probabilities than successors.", block);
    return;
  }
  size_t num_unknown = 0;
  bool out_of_range = false;
  for (const BranchProbability p : probabilities) {
    num_unknown += p.is_unknown();
    out_of_range |= !p.is_unknown() && p.numerator() > BranchProbability::kDenominator;
  }
  if (num_unknown != 0 && num_unknown != probabilities.size()) {
    report_.Block("MBB has both known and unknown successor probabilities.", block);
  }
  if (out_of_range) report_.Block("MBB has a successor probability above one.", block);
}

void ControlFlowChecker::CheckLiveIns(const MachineBasicBlock& block) {
  for (const MachineBasicBlock::LiveIn& live_in : block.live_ins()) {
    if (!live_in.reg.is_physical() || live_in.reg.bits() >= function_.target().phys_regs.size()) {
      report_.Block("MBB live-in list contains non-physical register", block);
    }
  }
}

void ControlFlowChecker::CheckTerminatorsAreLast(const MachineBasicBlock& block) {
  const MachineInstr* first_terminator = nullptr;
  for (const MachineInstr& instr : block) {
    if (instr.is_terminator()) {
      if (first_terminator == nullptr) first_terminator = &instr;
    } else if (first_terminator != nullptr) {
      report_.Instr("Non-terminator instruction after the first terminator", instr);
      report_.Note(StrCat("First terminator was:\t", function_.target().Name(first_terminator->opcode())));
    }
  }
}

void ControlFlowChecker::CheckBundles(const MachineBasicBlock& block) {
  bool expected = false;
  for (const MachineInstr& instr : block) {
    const bool inside = instr.has_flag(MachineInstr::kBundledPred);
    if (inside && !expected) {
      report_.Instr("BundledPred flag is set, BundledSucc was not set on predecessor", instr);
    } else if (!inside && expected) {
      report_.Instr("Missing BundledPred flag, BundledSucc was set on predecessor", instr);
    }
    expected = instr.has_flag(MachineInstr::kBundledSucc);
  }
  if (expected) report_.Instr("BundledSucc flag set on last instruction in block", *block.back());
}

void ControlFlowChecker::MarkTargets(const MachineInstr& terminator) {
  const auto mark = [&](BlockNumber number) {
    const MachineBasicBlock* target = function_.block(number);
    if (target == nullptr || !marked_.Insert(number)) return true;  // the former is reported elsewhere
    return successors_.Contains(number);
  };
  for (unsigned i = 0; i < terminator.num_operands(); ++i) {
    const MachineOperand& operand = terminator.operand(i);
    bool found = true;
    if (operand.is_block()) {
      found = mark(operand.block());
    } else if (operand.kind() == MachineOperand::Kind::kJumpTableIndex &&
               operand.index() < function_.jump_tables().size()) {
      for (const BlockNumber number : function_.jump_tables()[operand.index()].blocks) found &= mark(number);
    }
    if (!found) {
      report_.Operand("MBB exits via jump or conditional branch, but its target isn't a CFG successor!", terminator, i);
    }
  }
}

void ControlFlowChecker::CheckSuccessorsMarked(const MachineBasicBlock& block) {
  for (const MachineBasicBlock* successor : block.successors()) {
    if (marked_.Contains(successor->number()) || successor->is_landing_pad ||
        successor->is_inlineasm_br_indirect_target) {
      continue;
    }
    report_.Block(
        "MBB has unexpected successors which are not branch targets, fallthrough, EHPads, or "
        "inlineasm_br targets.",
        block);
    report_.Note(StrCat("%bb.", successor->number(), " is such a successor."));
  }
}

void ControlFlowChecker::CheckUnderstoodEnd(const MachineBasicBlock& block, const BlockEnd& end) {
  if (end.conditional != nullptr) MarkTargets(*end.conditional);
  if (end.jump != nullptr) {
    MarkTargets(*end.jump);
  } else {
    const MachineBasicBlock* next = block.next();
    const MachineInstr* last = LastNonDebug(block);
    if (end.conditional == nullptr && last != nullptr && last->is_barrier()) {
      report_.Block("MBB exits via unconditional fall-through but ends with a barrier instruction!", block);
    }
    // A missing block after an unconditional fallthrough may be right: the code may be unreachable.
    if (end.conditional != nullptr && next == nullptr) {
      report_.Block("MBB conditionally falls through out of function!", block);
    } else if (end.conditional != nullptr && !successors_.Contains(next->number())) {
      report_.Block(
          "MBB exits via conditional branch/fall-through but the CFG successors don't match the "
          "actual "
          "successors!",
          block);
    }
    if (next != nullptr) marked_.Insert(next->number());
  }
  CheckSuccessorsMarked(block);
}

void ControlFlowChecker::CheckOtherEnd(const MachineBasicBlock& block) {
  for (const MachineInstr* instr = LastNonDebug(block); instr != nullptr && instr->is_terminator();
       instr = instr->previous()) {
    MarkTargets(*instr);
  }
  if (!LastNonDebug(block)->is_barrier()) {
    if (block.next() == nullptr) {
      report_.Block("MBB conditionally falls through out of function!", block);
    } else {
      marked_.Insert(block.next()->number());
    }
  }
  CheckSuccessorsMarked(block);
}

}  // namespace

bool CheckControlFlow(const MachineFunction& function, const VerifierFacts& facts, VerifierReport& report) {
  return ControlFlowChecker(function, facts, report).Run();
}

}  // namespace ptxmir
