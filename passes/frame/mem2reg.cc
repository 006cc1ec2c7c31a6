// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/mem2reg.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "ir/module.h"
#include "mir/code/spill_slots.h"
#include "passes/frame/frame_addresses.h"
#include "passes/frame/stack_accesses.h"
#include "passes/support/constant_moves.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// ---- Types of values

constexpr bool kSigned = true;
constexpr bool kUnsigned = false;

// Returns the integer conversion from `from_bits` in the low part of a register to `to_bits`, or nullopt if there
// is no such opcode.
std::optional<Opcode> Conversion(bool is_signed, unsigned to_bits, unsigned from_bits) {
  struct Row {
    bool is_signed;
    uint8_t to;
    uint8_t from;
    Opcode opcode;
  };
  static constexpr Row kRows[] = {
      {kUnsigned, 16, 8, ptx::op::CVT_u16_u8},   {kUnsigned, 32, 8, ptx::op::CVT_u32_u8},
      {kUnsigned, 64, 8, ptx::op::CVT_u64_u8},   {kUnsigned, 32, 16, ptx::op::CVT_u32_u16},
      {kUnsigned, 64, 16, ptx::op::CVT_u64_u16}, {kUnsigned, 64, 32, ptx::op::CVT_u64_u32},
      {kUnsigned, 16, 32, ptx::op::CVT_u16_u32}, {kUnsigned, 16, 64, ptx::op::CVT_u16_u64},
      {kUnsigned, 32, 64, ptx::op::CVT_u32_u64}, {kSigned, 16, 8, ptx::op::CVT_s16_s8},
      {kSigned, 32, 8, ptx::op::CVT_s32_s8},     {kSigned, 64, 8, ptx::op::CVT_s64_s8},
      {kSigned, 32, 16, ptx::op::CVT_s32_s16},   {kSigned, 64, 16, ptx::op::CVT_s64_s16},
      {kSigned, 64, 32, ptx::op::CVT_s64_s32},
  };
  for (const Row& row : kRows) {
    if (row.is_signed == is_signed && row.to == to_bits && row.from == from_bits) return row.opcode;
  }
  return std::nullopt;
}

unsigned BitsOfClass(RegClassId reg_class) {
  switch (reg_class) {
    case ptx::reg_class::kB16:
      return 16;
    case ptx::reg_class::kB32:
      return 32;
    case ptx::reg_class::kB64:
      return 64;
    default:
      return 0;
  }
}

// Returns the bits of a cell's register. A register has at least 16 bits.
unsigned CellBits(uint32_t bytes) { return std::max(bytes * 8, 16u); }

// Returns the opcode that moves the value of a load or store of a cell: a copy, a conversion or a constant.
// Returns nullopt if there is none.
std::optional<Opcode> MoveFor(const StackAccess& access) {
  const MachineInstr& instr = *access.instr;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (info.num_values != 1) return std::nullopt;
  const MachineOperand& value = instr.operand(info.first_value);
  const unsigned bits = access.bytes * 8;
  const unsigned cell_bits = CellBits(access.bytes);
  if (value.is_imm() || value.is_fp_imm()) return ConstantMove(value, ClassOfBits(cell_bits));
  if (!value.is_reg() || !value.reg().is_virtual()) return std::nullopt;
  const unsigned value_bits = BitsOfClass(instr.function().reg_info().reg_class(value.reg()));
  if (value_bits < bits) return std::nullopt;
  if (access.kind == StackAccess::Kind::kStore) {
    if (value_bits == cell_bits) return Opcode{generic::kCopy};
    return Conversion(kUnsigned, cell_bits, value_bits);
  }
  if (value_bits == bits) return Opcode{generic::kCopy};
  constexpr int64_t kSignCode = 1;
  constexpr int64_t kFloatCode = 2;
  const int64_t sign = instr.operand(info.width - 1u).imm();
  if (sign == kFloatCode) return std::nullopt;
  return Conversion(sign == kSignCode, value_bits, bits);
}

// Returns the expression of a debug value after the object that it names has become a register: the contents of
// the address are the register itself. Returns nullopt if the expression describes the address.
std::optional<MachineOperand> ExpressionOfRegister(const MachineInstr& value) {
  if (value.opcode() != generic::kDbgValue || value.num_operands() != 4 || !value.operand(3).is_metadata()) {
    return std::nullopt;
  }
  const MachineOperand& expression = value.operand(3);
  if (value.operand(1).is_imm()) return expression;
  MachineFunction& function = value.function();
  const MetadataId id = expression.metadata();
  std::string_view text;
  if (MachineFunction::IsInlineMetadata(id)) {
    text = function.inline_metadata(id);
  } else if (function.module() != nullptr) {
    text = function.module()->MetadataText(id);
  }
  constexpr std::string_view kHead = "!DIExpression(DW_OP_deref";
  if (!text.starts_with(kHead)) return std::nullopt;
  std::string_view rest = text.substr(kHead.size());
  if (rest.starts_with(", ")) rest.remove_prefix(2);
  if (rest != ")" && !rest.starts_with("DW_OP_LLVM_fragment")) return std::nullopt;
  return MachineOperand::CreateMetadata(function.InternInlineMetadata(StrCat("!DIExpression(", rest)));
}

// ---- The pass

// The plan for a cell.
struct Promotion {
  bool is_wanted = true;
  bool has_single_source = false;
  uint32_t num_stores = 0;
  uint32_t num_loads = 0;
  uint32_t store = 0;  // one of its stores
  Register reg;
};

class Promoter {
 public:
  Promoter(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        frame_(function.frame_info()),
        reg_info_(function.reg_info()),
        list_(function),
        is_candidate_(frame_.objects().size()) {}

  bool Run() {
    FindObjects();
    StackCells cells(list_, is_candidate_);
    cells_ = &cells;
    promotions_.resize(cells.cells.size());
    FindPromotions();
    const StackLiveness liveness(function_, list_, cells);
    liveness_ = &liveness;
    if (!context_.knobs.mem2reg_across_calls()) RefuseAcrossCalls();
    RefuseForPressure();
    Promote();
    RemoveObjects();
    context_.AddStatistic("stack values kept in registers", num_promoted_);
    context_.AddStatistic("loads from the stack removed", num_loads_);
    context_.AddStatistic("stores to the stack removed", num_stores_);
    return num_objects_ > 0;
  }

 private:
  using Kind = StackAccess::Kind;

  bool IsCandidate(int index) const { return index >= 0 && is_candidate_[static_cast<size_t>(index)]; }

  // Finds the objects that are only named by loads, stores, debug instructions and lifetime markers.
  void FindObjects() {
    const bool keeps_spills = context_.knobs.ra_spill() == SpillPolicy::kAlways;
    for (size_t i = 0; i < is_candidate_.size(); ++i) {
      const StackObject& object = frame_.objects()[i];
      is_candidate_[i] = !object.is_dead && !object.is_in_shared() && object.size > 0 &&
                         frame_.stack_protector.empty() &&
                         (object.type == StackObject::Type::kDefault ||
                          (object.type == StackObject::Type::kSpillSlot && !keeps_spills));
    }
    for (const StackAccess& access : list_.accesses) {
      if (!IsCandidate(access.index)) continue;
      const uint64_t size = frame_.object(access.index).size;
      const bool is_outside =
          access.is_plain() && (access.offset < 0 || static_cast<uint64_t>(access.offset) + access.bytes > size);
      if (access.kind == Kind::kOther || is_outside) is_candidate_[static_cast<size_t>(access.index)] = false;
    }
  }

  void FindPromotions() {
    for (size_t i = 0; i < promotions_.size(); ++i) promotions_[i].is_wanted = cells_->cells[i].is_uniform;
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      const StackAccess& access = list_.accesses[i];
      if (access.kind == Kind::kDebug && IsCandidate(access.index)) debug_.push_back(i);
      if (cells_->cell_of_access[i] == StackCells::kNoCell) continue;
      Promotion& promotion = promotions_[cells_->cell_of_access[i]];
      if (!MoveFor(access).has_value()) promotion.is_wanted = false;
      if (access.kind == Kind::kLoad) {
        ++promotion.num_loads;
      } else {
        ++promotion.num_stores;
        promotion.store = i;
      }
    }
    std::stable_sort(debug_.begin(), debug_.end(),
                     [&](uint32_t a, uint32_t b) { return list_.accesses[a].index < list_.accesses[b].index; });
  }

  // Rejects cells that are live across calls. Their registers would have to be preserved by the callee, and the
  // ABI has few such registers. In memory they cost no register.
  void RefuseAcrossCalls() {
    const auto is_call = [](Opcode opcode) { return ptx::InstrInfo(opcode).Has(ptx::Property::kCall); };
    if (!function_.MayContainAny(is_call)) return;
    std::vector<uint32_t> calls;  // positions, in ascending order
    for (const MachineBasicBlock& block : function_) {
      uint32_t position = list_.block_positions[block.number()].first;
      for (const MachineInstr& instr : block) {
        if (is_call(instr.opcode())) calls.push_back(position);
        position += !instr.is_debug();
      }
    }
    for (uint32_t i = 0; i < promotions_.size(); ++i) {
      for (const StackSegment& segment : liveness_->Segments(i)) {
        // The cell is live before the call reads and after it has written.
        const auto call = std::partition_point(calls.begin(), calls.end(),
                                               [&](uint32_t position) { return 2 * position < segment.begin; });
        if (call != calls.end() && 2 * *call + 1 < segment.end) promotions_[i].is_wanted = false;
      }
    }
  }

  // Rejects spill slots in blocks that have no registers to spare.
  void RefuseForPressure() {
    const auto is_slot = [&](size_t i) {
      return promotions_[i].is_wanted && IsSpillSlot(frame_, cells_->cells[i].index);
    };
    bool has_slots = false;
    for (size_t i = 0; i < promotions_.size(); ++i) has_slots |= is_slot(i);
    if (!has_slots) return;
    const unsigned budget = ComputeRegisterBudget(function_, context_.analyses.inputs()).registers;
    const MachineRegisterPressure& pressure = context_.analyses.Get<MachineRegisterPressure>();
    std::vector<MachineBasicBlock*> blocks;
    std::vector<uint32_t> units;
    for (MachineBasicBlock& block : function_) {
      blocks.push_back(&block);
      units.push_back(pressure.Block(block).peak.units);
    }
    for (uint32_t i = 0; i < promotions_.size(); ++i) {
      if (!is_slot(i)) continue;
      const uint32_t needed = cells_->cells[i].bytes > 4 ? 2 : 1;
      promotions_[i].is_wanted = TakeUnits(blocks, liveness_->Segments(i), needed, budget, units);
    }
  }

  // Returns true if all blocks that the segments touch have `needed` units to spare, and reserves these units if
  // so.
  bool TakeUnits(const std::vector<MachineBasicBlock*>& blocks, absl::Span<const StackSegment> segments,
                 uint32_t needed, unsigned budget, std::vector<uint32_t>& units) const {
    const auto for_each = [&](auto visit) {
      for (const StackSegment& segment : segments) {
        auto block = std::partition_point(blocks.begin(), blocks.end(), [&](const MachineBasicBlock* b) {
          return 2 * list_.block_positions[b->number()].second <= segment.begin;
        });
        for (; block != blocks.end() && 2 * list_.block_positions[(*block)->number()].first < segment.end; ++block) {
          if (!visit(units[static_cast<size_t>(block - blocks.begin())])) return false;
        }
      }
      return true;
    };
    if (!for_each([&](uint32_t& have) { return have + needed <= budget; })) {
      return false;
    }
    return for_each([&](uint32_t& have) {
      have += needed;
      return true;
    });
  }

  // ---- Rewriting

  void Promote() {
    for (uint32_t i = 0; i < promotions_.size(); ++i) {
      Promotion& promotion = promotions_[i];
      if (!promotion.is_wanted) continue;
      ++num_promoted_;
      if (promotion.num_loads == 0) continue;
      promotion.reg = SingleSource(i);
      promotion.has_single_source = promotion.reg.is_valid();
      if (promotion.has_single_source) {
        reg_info_.ClearKillFlags(promotion.reg);
        continue;
      }
      promotion.reg = reg_info_.CreateVirtualRegister(ClassOfBits(CellBits(cells_->cells[i].bytes)));
      if (liveness_->IsLiveIntoFunction(i)) {
        BuildMI(*function_.front(), function_.front()->front(), generic::kImplicitDef).AddDef(promotion.reg).Insert();
      }
    }
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      const uint32_t cell = cells_->cell_of_access[i];
      if (cell == StackCells::kNoCell || !promotions_[cell].is_wanted) continue;
      Remark(list_.accesses[i]);
      if (list_.accesses[i].kind == Kind::kLoad) {
        ReplaceLoad(list_.accesses[i], promotions_[cell].reg);
      } else {
        ReplaceStore(list_.accesses[i], cell, liveness_->IsDeadStore(i));
      }
    }
  }

  void Remark(const StackAccess& access) {
    const bool is_load = access.kind == StackAccess::Kind::kLoad;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, is_load ? "LoadPromoted" : "StorePromoted",
                           *access.instr)
             << (is_load ? "load from" : "store to") << " stack object " << RemarkArg("Object", access.index)
             << " replaced by a register";
    });
  }

  // Handles cicc's case: returns the register that the cell's only store stores, if all loads can read that
  // register.
  Register SingleSource(uint32_t i) const {
    const Promotion& promotion = promotions_[i];
    if (promotion.num_stores != 1 || liveness_->IsLiveIntoFunction(i)) return Register();
    const StackAccess& access = list_.accesses[promotion.store];
    const MachineInstr& store = *access.instr;
    const MachineOperand& value = store.operand(ptx::InstrInfo(store.opcode()).first_value);
    if (!value.is_reg() || value.is_undef() || MoveFor(access) != Opcode{generic::kCopy}) return Register();
    // A single definition dominates its uses, the store, which dominates the loads: it cannot come in between.
    return reg_info_.UniqueDef(value.reg()) != nullptr ? value.reg() : Register();
  }

  void ReplaceLoad(const StackAccess& access, Register reg) {
    ++num_loads_;
    MachineInstr& load = *access.instr;
    const MachineOperand target = load.operand(ptx::InstrInfo(load.opcode()).first_value);
    const Opcode move = *MoveFor(access);
    auto builder = BuildMI(*load.parent(), &load, move, load.debug_loc());
    builder.Add(MachineOperand::CreateReg(target.reg(), target.reg_flags())).AddUse(reg);
    if (move != generic::kCopy) builder.AddImm(0);
    builder.Insert();
    load.EraseFromParent();
  }

  void ReplaceStore(const StackAccess& access, uint32_t cell, bool is_dead) {
    ++num_stores_;
    MachineInstr& store = *access.instr;
    const MachineOperand& value = store.operand(ptx::InstrInfo(store.opcode()).first_value);
    const Promotion& promotion = promotions_[cell];
    const bool is_needed = promotion.num_loads > 0 && !is_dead;
    if (is_needed && !promotion.has_single_source) {
      const Opcode move = *MoveFor(access);
      auto builder = BuildMI(*store.parent(), &store, move, store.debug_loc());
      builder.AddDef(promotion.reg);
      if (value.is_imm()) {
        builder.AddImm(access.bytes == 4 ? static_cast<int32_t>(value.imm()) : value.imm());
      } else if (value.is_fp_imm()) {
        builder.Add(value);
      } else {
        builder.Add(MachineOperand::CreateReg(value.reg(), value.reg_flags()));
        if (move != generic::kCopy) builder.AddImm(0);
      }
      builder.Insert();
    }
    if (cells_->cells[cell].bytes == frame_.object(access.index).size) {
      DebugValueAt(store, access.index, is_needed ? promotion.reg : Register());
    }
    store.EraseFromParent();
  }

  // Inserts a debug value after the store that says that the variable of the object is in the register from here
  // on.
  void DebugValueAt(MachineInstr& store, int index, Register reg) {
    const auto insert = [&](const MachineOperand& variable, const MachineOperand& expression, MetadataId location) {
      BuildMI(*store.parent(), &store, generic::kDbgValue, location)
          .AddUse(reg)
          .AddUse(Register())
          .Add(variable)
          .Add(expression)
          .Insert();
    };
    const StackObject& object = frame_.object(index);
    if (!object.debug_variable.empty()) {
      insert(MachineOperand::CreateMetadata(MetadataReference(object.debug_variable, function_)),
             MachineOperand::CreateMetadata(MetadataReference(object.debug_expression, function_)),
             MetadataReference(object.debug_location, function_));
    }
    const auto first =
        std::partition_point(debug_.begin(), debug_.end(), [&](uint32_t i) { return list_.accesses[i].index < index; });
    for (auto i = first; i != debug_.end() && list_.accesses[*i].index == index; ++i) {
      const MachineInstr& value = *list_.accesses[*i].instr;
      const std::optional<MachineOperand> expression = ExpressionOfRegister(value);
      if (expression.has_value()) insert(value.operand(2), *expression, value.debug_loc());
    }
  }

  // Rewrites a debug value at its place: it names the register if that holds the object's value there.
  void RewriteDebugValue(const StackAccess& access) {
    Register reg;
    std::optional<MachineOperand> expression = ExpressionOfRegister(*access.instr);
    const auto& cells = cells_->cells;
    const auto cell =
        std::partition_point(cells.begin(), cells.end(), [&](const auto& other) { return other.index < access.index; });
    if (cell != cells.end() && cell->index == access.index && cell->bytes == frame_.object(access.index).size) {
      const auto i = static_cast<uint32_t>(cell - cells.begin());
      const uint32_t point = 2 * access.position;
      const auto segments = liveness_->Segments(i);
      const bool is_live = std::any_of(segments.begin(), segments.end(), [&](const StackSegment& segment) {
        return segment.begin <= point && point < segment.end;
      });
      if (promotions_[i].is_wanted && is_live) reg = promotions_[i].reg;
    }
    MachineInstr& value = *access.instr;
    value.operand(access.operand).ChangeTo(MachineOperand::CreateReg(expression.has_value() ? reg : Register()));
    if (!expression.has_value()) return;
    value.operand(1).ChangeTo(MachineOperand::CreateReg(Register()));
    value.operand(3).ChangeTo(*expression);
  }

  // Marks objects without remaining accesses dead and erases the other instructions that name them. Debug values
  // of objects that were promoted only in part become undefined.
  void RemoveObjects() {
    std::vector<bool> is_in_part(is_candidate_.size());
    std::vector<bool> is_kept(is_candidate_.size());
    for (size_t i = 0; i < promotions_.size(); ++i) {
      (promotions_[i].is_wanted ? is_in_part : is_kept)[static_cast<size_t>(cells_->cells[i].index)] = true;
    }
    for (const StackAccess& access : list_.accesses) {
      if (!IsCandidate(access.index) || access.is_plain()) continue;
      const auto index = static_cast<size_t>(access.index);
      if (access.kind == Kind::kDebug) {
        if (!is_kept[index] || is_in_part[index]) RewriteDebugValue(access);
      } else if (!is_kept[index]) {
        access.instr->EraseFromParent();
      }
    }
    for (size_t i = 0; i < is_candidate_.size(); ++i) {
      if (!is_candidate_[i] || (is_kept[i] && !is_in_part[i])) continue;
      StackObject& object = frame_.objects()[i];
      object.is_dead = !is_kept[i];
      object.debug_variable = object.debug_expression = object.debug_location = {};
      ++num_objects_;
    }
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineFrameInfo& frame_;
  MachineRegisterInfo& reg_info_;
  StackAccessList list_;
  std::vector<bool> is_candidate_;  // by object
  const StackCells* cells_ = nullptr;
  std::vector<Promotion> promotions_;  // by cell
  std::vector<uint32_t> debug_;        // debug accesses of candidates, by object
  const StackLiveness* liveness_ = nullptr;
  uint64_t num_objects_ = 0;  // objects that were promoted, at least in part
  uint64_t num_promoted_ = 0;
  uint64_t num_loads_ = 0;
  uint64_t num_stores_ = 0;
};

}  // namespace

PassResult RunMem2Reg(MachineFunction& function, PassContext& context) {
  const std::vector<StackObject>& objects = function.frame_info().objects();
  const bool has_objects =
      std::any_of(objects.begin(), objects.end(), [](const StackObject& object) { return !object.is_dead; });
  if (!has_objects || function.empty()) return {.changed = false};
  FoldedFrameAddresses folded;
  if (context.knobs.frame_fold_addresses()) folded = FoldFrameAddresses(function);
  context.AddStatistic("accesses that name their stack object", folded.accesses);
  const bool is_folded = folded.accesses > 0 || folded.erased > 0;
  if (is_folded) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  const bool is_promoted = Promoter(function, context).Run();
  return {.changed = is_folded || is_promoted, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
