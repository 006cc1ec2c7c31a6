// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_match.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

using Snapshot = RegisterCheckerSnapshot;
using Kind = RegisterCheckerFinding::Kind;
constexpr uint32_t kNone = Snapshot::kNone;

// Flags that describe the origin of an instruction, not its effect.
constexpr uint32_t kOriginFlags = MachineInstr::kFrameSetup | MachineInstr::kFrameDestroy | MachineInstr::kLrSplit |
                                  MachineInstr::kBundledPred | MachineInstr::kBundledSucc;

bool IsMove(const MachineInstr& instr) { return instr.is_copy() || ptx::InstrInfo(instr.opcode()).is_move(); }

// Returns true if the instruction may be deleted in any case: it computes nothing, or the comparison of edges
// accounts for it.
bool IsFreeToGo(const MachineFunction& function, const Snapshot::Instr& instr) {
  const InstrDesc& desc = function.target().Get(instr.opcode);
  if (instr.opcode >= generic::kDbgValue && instr.opcode <= generic::kDbgLabel) return true;
  switch (instr.opcode) {
    case generic::kPhi:
    case generic::kCopy:
    case generic::kImplicitDef:
    case generic::kKill:
    case generic::kLifetimeStart:
    case generic::kLifetimeEnd:
      return true;
    default:
      return desc.Has(InstrFlag::kBranch) && desc.Has(InstrFlag::kBarrier) && instr.num_operands == 1;
  }
}

}  // namespace

MatchedFunction::MatchedFunction(const RegisterCheckerSnapshot& snapshot) : snapshot_(snapshot) {
  MatchBlocks();
  is_present_.resize(snapshot.instrs().size());
  for (const MachineBasicBlock& block : function()) {
    for (const MachineInstr& instr : block) {
      const uint32_t original = snapshot.FindInstr(instr.id());
      if (original != kNone) is_present_[original] = true;
    }
  }
  for (const MachineBasicBlock& block : function()) MatchInstrs(block);
  CheckJumpTables();
}

std::string MatchedFunction::Where(const MachineBasicBlock& block, const MachineInstr* instr) const {
  std::string text = StrCat("in function '", function().name(), "', ");
  WriteBlockName(block, text);
  if (instr != nullptr) {
    text += ": '";
    WriteInstr(*instr, {}, text);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    text += "'";
  }
  return text + ": ";
}

void MatchedFunction::Report(Kind kind, const MachineBasicBlock& block, const MachineInstr* instr, int operand,
                             std::string message) {
  if (findings_.size() >= kMaxRegisterCheckerFindings) return;
  RegisterCheckerFinding finding;
  finding.kind = kind;
  finding.block = block.number();
  finding.instr = instr == nullptr ? 0 : instr->id();
  finding.operand = operand;
  finding.message = Where(block, instr) + std::move(message);
  findings_.push_back(std::move(finding));
}

uint32_t MatchedFunction::Resolve(const MachineBasicBlock* block) const {
  for (size_t steps = 0; block != nullptr && steps <= function().num_blocks(); ++steps) {
    const uint32_t original = snapshot_.FindBlock(FunctionArena::IdOf(block));
    if (original != kNone) return original;
    if (block->successors().size() != 1) return kNone;
    block = block->successors()[0];
  }
  return kNone;
}

void MatchedFunction::MatchBlocks() {
  blocks_.resize(function().block_number_bound());
  std::vector<bool> is_there(snapshot_.blocks().size());
  for (const MachineBasicBlock& block : function()) {
    MatchedBlock& matched = blocks_[block.number()];
    matched.block = &block;
    matched.original = matched.stands_for = snapshot_.FindBlock(FunctionArena::IdOf(&block));
    if (matched.original != kNone) is_there[matched.original] = true;
  }
  if (function().empty()) return;
  const MachineBasicBlock& entry = *function().front();
  if (!is_there.empty() && blocks_[entry.number()].original != 0) {
    Report(Kind::kControlFlow, entry, nullptr, -1, "another block is the function's first");
  }
  for (size_t i = 0; i < is_there.size(); ++i) {
    if (is_there[i]) continue;
    Report(Kind::kControlFlow, entry, nullptr, -1, StrCat("bb.", snapshot_.blocks()[i].number, " of before is gone"));
  }
  for (const MachineBasicBlock& block : function()) {
    const uint32_t original = blocks_[block.number()].original;
    if (original != kNone) MatchEdges(block, original);
  }
}

void MatchedFunction::MatchEdges(const MachineBasicBlock& block, uint32_t original) {
  std::vector<uint32_t> now;
  for (const MachineBasicBlock* successor : block.successors()) {
    now.push_back(Resolve(successor));
    StandFor(successor, original);
  }
  std::vector<uint32_t> before = snapshot_.blocks()[original].successors;
  for (std::vector<uint32_t>* list : {&now, &before}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  if (now == before) return;
  std::string text = "its successors are not those of before:";
  for (const uint32_t successor : before) StrAppend(&text, " bb.", snapshot_.blocks()[successor].number);
  Report(Kind::kControlFlow, block, nullptr, -1, std::move(text));
}

void MatchedFunction::StandFor(const MachineBasicBlock* block, uint32_t original) {
  for (size_t steps = 0; steps <= function().num_blocks(); ++steps) {
    MatchedBlock& matched = blocks_[block->number()];
    if (matched.original != kNone) return;
    if (matched.stands_for != kNone && matched.stands_for != original) {
      // The block joins edges. This is allowed unless the edges' PHIs differ.
      const uint32_t target = Resolve(block);
      if (target == kNone) return;
      const Snapshot::Block& before = snapshot_.blocks()[target];
      if (before.num_instrs > 0 && snapshot_.instrs()[before.first_instr].opcode == generic::kPhi) {
        Report(Kind::kControlFlow, *block, nullptr, -1, "joins edges into a block with PHIs");
      }
      return;
    }
    matched.stands_for = original;
    if (block->successors().size() != 1) return;
    block = block->successors()[0];
  }
}

void MatchedFunction::MatchInstrs(const MachineBasicBlock& block) {
  MatchedBlock& matched = blocks_[block.number()];
  const bool is_new = matched.original == kNone;
  const Snapshot::Block no_block = {};
  const Snapshot::Block& before = is_new ? no_block : snapshot_.blocks()[matched.original];
  uint32_t next = before.first_instr;
  const uint32_t end = before.first_instr + before.num_instrs;
  for (; next < end && snapshot_.instrs()[next].opcode == generic::kPhi; ++next) {
    if (!is_present_[next]) matched.phis.push_back({next, nullptr});
  }
  const uint32_t first_non_phi = next;
  std::vector<MatchedStep> inserted;  // since the last kept instruction
  const auto flush = [&](uint32_t until) {
    AddDeleted(block, next, until, matched.steps);
    matched.steps.insert(matched.steps.end(), inserted.begin(), inserted.end());
    inserted.clear();
  };
  for (const MachineInstr& instr : block) {
    const uint32_t original = snapshot_.FindInstr(instr.id());
    if (original == kNone) {
      AddInserted(block, instr, inserted);
      continue;
    }
    if (is_new || original < before.first_instr || original >= end || (original < next && original >= first_non_phi)) {
      if (instr.is_debug()) continue;
      Report(Kind::kChanged, block, &instr, -1, "is not where it was: instructions of before keep block and order");
      continue;
    }
    CheckKept(block, instr, snapshot_.instrs()[original]);
    if (original < first_non_phi) {
      matched.phis.push_back({original, &instr});
      continue;
    }
    flush(original);
    matched.steps.push_back({MatchedStep::Kind::kKept, original, &instr, {}});
    next = original + 1;
  }
  flush(end);
}

void MatchedFunction::AddInserted(const MachineBasicBlock& block, const MachineInstr& instr,
                                  std::vector<MatchedStep>& steps) {
  const RegisterTransfer transfer = ClassifyInserted(instr, snapshot_.num_stack_objects());
  if (transfer.kind == RegisterTransfer::Kind::kEffect) {
    Report(Kind::kInserted, block, &instr, -1, "was inserted, and has an effect that is no spill");
  }
  CheckSlotAddress(block, instr, &transfer);
  if (transfer.kind == RegisterTransfer::Kind::kNothing) return;
  steps.push_back({MatchedStep::Kind::kInserted, kNone, &instr, transfer});
}

void MatchedFunction::AddDeleted(const MachineBasicBlock& block, uint32_t first, uint32_t last,
                                 std::vector<MatchedStep>& steps) {
  for (uint32_t i = first; i < last; ++i) {
    if (is_present_[i]) continue;  // it was moved, which is already reported
    const Snapshot::Instr& instr = snapshot_.instrs()[i];
    if (!instr.is_deletable && !IsFreeToGo(function(), instr)) {
      Report(Kind::kDeleted, block, nullptr, -1,
             StrCat("'", function().target().Name(instr.opcode), "', instruction ",
                    i - snapshot_.blocks()[instr.block].first_instr, " of before, is gone"));
    }
    steps.push_back({MatchedStep::Kind::kDeleted, i, nullptr, {}});
  }
}

bool MatchedFunction::SameOperand(const MachineInstr& instr, unsigned i,
                                  const RegisterCheckerSnapshot::Operand& before) const {
  const MachineOperand& now = instr.operand(i);
  if (now.kind() != before.operand.kind()) return false;
  if (now.is_reg()) {
    if (now.is_def() != before.operand.is_def() || now.is_early_clobber() != before.operand.is_early_clobber()) {
      return false;
    }
    return now.reg().is_virtual() ? before.operand.reg().is_virtual() : now.reg() == before.operand.reg();
  }
  if (!now.is_block()) return now.IsIdenticalTo(before.operand);
  const uint32_t target = snapshot_.FindBlockByNumber(before.operand.block());
  const MachineBasicBlock* block = function().block(now.block());
  if (block == nullptr || target == kNone) return false;
  return (instr.is_phi() ? blocks_[block->number()].stands_for : Resolve(block)) == target;
}

void MatchedFunction::CheckKept(const MachineBasicBlock& block, const MachineInstr& instr,
                                const RegisterCheckerSnapshot::Instr& before) {
  if (instr.is_debug()) return;
  const bool is_lowered_copy = before.opcode == generic::kCopy && IsMove(instr);
  if (instr.opcode() != before.opcode && !is_lowered_copy) {
    Report(Kind::kChanged, block, &instr, -1, StrCat("was '", function().target().Name(before.opcode), "' before"));
    return;
  }
  const absl::Span<const Snapshot::Operand> operands = snapshot_.operands(before);
  if (instr.num_operands() != operands.size()) {
    Report(Kind::kChanged, block, &instr, -1, StrCat("had ", operands.size(), " operands before"));
    return;
  }
  if ((instr.flags() & ~before.flags & ~kOriginFlags) != 0) {
    Report(Kind::kChanged, block, &instr, -1, "has flags that it did not have before");
  }
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    if (!SameOperand(instr, i, operands[i])) {
      Report(Kind::kChanged, block, &instr, static_cast<int>(i), StrCat("operand ", i, " is not what it was before"));
    }
    const uint32_t tied_to = operands[i].tied_to;
    if (tied_to != kNone && tied_to < i && instr.operand(i).is_reg() && instr.operand(tied_to).is_reg() &&
        instr.operand(i).reg() != instr.operand(tied_to).reg()) {
      Report(Kind::kChanged, block, &instr, static_cast<int>(i),
             StrCat("operands ", tied_to, " and ", i, " are tied, and have different registers"));
    }
  }
  CheckSlotAddress(block, instr, nullptr);
}

// Reports uses of a spill slot's address: slots can be tracked only if their address does not escape.
void MatchedFunction::CheckSlotAddress(const MachineBasicBlock& block, const MachineInstr& instr,
                                       const RegisterTransfer* transfer) {
  using TransferKind = RegisterTransfer::Kind;
  if (transfer != nullptr && transfer->kind == TransferKind::kNothing) return;
  if (transfer != nullptr && (transfer->kind == TransferKind::kSpill || transfer->kind == TransferKind::kReload)) {
    const MachineFrameInfo& frame = function().frame_info();
    const uint64_t bytes = uint64_t{transfer->size} * transfer->num_values;
    const bool is_object = frame.IsValid(transfer->frame_index);
    const uint64_t size = is_object ? frame.object(transfer->frame_index).size : 0;
    if (transfer->offset < 0 || static_cast<uint64_t>(transfer->offset) > size ||
        bytes > size - static_cast<uint64_t>(transfer->offset)) {
      Report(Kind::kStackSlot, block, &instr, -1,
             StrCat("accesses bytes ", transfer->offset, " to ", transfer->offset + static_cast<int64_t>(bytes),
                    " of a stack slot of ", size));
    }
    return;
  }
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_frame_index() || operand.frame_index() < snapshot_.num_stack_objects()) continue;
    Report(Kind::kStackSlot, block, &instr, static_cast<int>(i), "uses a stack slot, and is no spill or reload");
  }
}

void MatchedFunction::CheckJumpTables() {
  if (function().empty()) return;
  const std::vector<JumpTable>& now = function().jump_tables();
  const std::vector<JumpTable>& before = snapshot_.jump_tables();
  bool same = now.size() == before.size();
  for (size_t i = 0; same && i < now.size(); ++i) {
    same = now[i].blocks.size() == before[i].blocks.size();
    for (size_t k = 0; same && k < now[i].blocks.size(); ++k) {
      same = Resolve(function().block(now[i].blocks[k])) == snapshot_.FindBlockByNumber(before[i].blocks[k]);
    }
  }
  if (!same) Report(Kind::kControlFlow, *function().front(), nullptr, -1, "jump tables are not what they were");
}

}  // namespace ptxmir
