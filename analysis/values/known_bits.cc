// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/known_bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "analysis/control_flow/block_order.h"
#include "analysis/register_name.h"
#include "analysis/values/integer_operations.h"
#include "analysis/values/integer_transfer.h"
#include "analysis/values/special_register_ranges.h"
#include "base/str_cat.h"
#include "ir/module.h"
#include "mir/code/operand_ranges.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// Returns the width of a register that holds an integer of up to 64 bits or a predicate, or 0.
unsigned WidthOf(const MachineFunction& function, Register reg) {
  const RegClassId reg_class = function.reg_info().reg_class(reg);
  if (reg_class == kNoRegClass) return 0;
  const unsigned bits = function.target().reg_classes[reg_class].bits;
  return bits <= 64 ? bits : 0;
}

// Returns what !range metadata says about a loaded value of this width, or nullopt.
std::optional<IntegerFacts> LoadedRange(const MachineFunction& function, const MachineInstr& load, unsigned bits) {
  if (load.memoperands().size() != 1 || function.module() == nullptr) return std::nullopt;
  const MachineMemOperand& memory = *load.memoperands()[0];
  const bool is_scalar = memory.type.kind == LowLevelType::Kind::kScalar && memory.type.elements == 0;
  if (memory.range == MachineMemOperand::kNoMetadata || !is_scalar || memory.type.bits != bits) return std::nullopt;
  const MetadataNode* const node = function.module()->metadata(memory.range);
  if (node == nullptr || node->operands.size() < 2) return std::nullopt;
  IntegerFacts facts = IntegerFacts::Empty(bits);
  for (size_t i = 0; i + 1 < node->operands.size(); i += 2) {
    const IrConstant* const low = node->operands[i].constant;
    const IrConstant* const high = node->operands[i + 1].constant;
    if (low == nullptr || high == nullptr || low->kind != IrConstant::Kind::kInteger || low->words.empty() ||
        high->kind != IrConstant::Kind::kInteger || high->words.empty()) {
      return std::nullopt;
    }
    // The upper end is excluded. A range may wrap around in either view, but then not in the other one.
    const uint64_t first = low->words[0] & IntegerFacts::LowMask(bits);
    const uint64_t last = (high->words[0] - 1) & IntegerFacts::LowMask(bits);
    const int64_t signed_first = IntegerFacts::SignExtend(first, bits);
    const int64_t signed_last = IntegerFacts::SignExtend(last, bits);
    if (first <= last) {
      facts = facts.JoinedWith(IntegerFacts::UnsignedRange(bits, first, last));
    } else if (signed_first <= signed_last) {
      facts = facts.JoinedWith(IntegerFacts::SignedRange(bits, signed_first, signed_last));
    } else {
      return std::nullopt;
    }
  }
  return facts.is_empty ? std::nullopt : std::optional(facts);
}

}  // namespace

// Computes the facts of all registers.
class KnownBitsSolver {
 public:
  KnownBitsSolver(KnownBits& result, const AnalysisInputs& inputs)
      : result_(result),
        function_(result.function_),
        reg_info_(function_.reg_info()),
        special_registers_(function_, inputs),
        rank_(reg_info_.num_virtual_registers(), kNoRank) {}

  void Run() {
    FindOrder();
    is_dirty_.assign(values_.size(), true);
    int round = 0;
    do {
      RunRound(round++);
    } while (num_dirty_ > 0 && round < kMaxRounds);
    if (num_dirty_ > 0) GiveUpOnPhis();
    if (has_loops_) Narrow();
  }

 private:
  static constexpr uint32_t kNoRank = ~uint32_t{0};
  static constexpr int kMaxRounds = 12;
  static constexpr uint8_t kFirstWidening = 3;  // updates of a PHI before its range is widened
  static constexpr uint8_t kLastWidening = 6;   // updates before it is unknown
  static constexpr unsigned kMaxSources = 6;

  // A register that has facts, and its definition.
  struct Value {
    Register reg;
    const MachineInstr* def;
    uint8_t result;  // the number of the definition in the instruction
    uint8_t num_updates = 0;
    bool is_loop_phi = false;
  };

  // Lists the registers with one definition, in reverse postorder of these.
  void FindOrder() {
    result_.facts_.resize(reg_info_.num_virtual_registers());
    for (uint32_t i = 0; i < result_.facts_.size(); ++i) {
      const unsigned bits = WidthOf(function_, Register::Virtual(i));
      if (bits != 0) result_.facts_[i] = IntegerFacts::Unknown(bits);
    }
    if (function_.empty()) return;
    const DepthFirstOrder order(function_);
    for (const MachineBasicBlock* const block : order.reverse_postorder) {
      const uint32_t block_number = order.reverse_postorder_number[block->number()];
      for (const MachineInstr& instr : *block) {
        if (instr.num_operands() == 0 || !instr.operand(0).is_def()) continue;
        AddResults(instr);
        if (!instr.is_phi() || values_.empty() || values_.back().def != &instr) continue;
        for (const PhiIncoming incoming : PhiIncomings(instr)) {
          const uint32_t from = order.reverse_postorder_number[incoming.predecessor()];
          values_.back().is_loop_phi |= from != DepthFirstOrder::kUnreached && from >= block_number;
        }
        has_loops_ |= values_.back().is_loop_phi;
      }
    }
    for (const Value& value : values_) FactsOf(value).is_empty = true;
  }

  void AddResults(const MachineInstr& instr) {
    for (unsigned i = 0; i < instr.num_operands() && instr.operand(i).is_def(); ++i) {
      const MachineOperand& def = instr.operand(i);
      if (def.is_implicit() || !def.reg().is_virtual() || i > 255) break;
      if (result_.facts_[def.reg().virtual_index()].bits == 0 || reg_info_.UniqueDef(def.reg()) != &instr) continue;
      rank_[def.reg().virtual_index()] = static_cast<uint32_t>(values_.size());
      values_.push_back({def.reg(), &instr, static_cast<uint8_t>(i)});
    }
  }

  IntegerFacts& FactsOf(const Value& value) { return result_.facts_[value.reg.virtual_index()]; }

  void RunRound(int round) {
    num_dirty_ = 0;
    for (uint32_t i = 0; i < values_.size(); ++i) {
      if (!is_dirty_[i]) continue;
      is_dirty_[i] = false;
      Value& value = values_[i];
      IntegerFacts facts = Evaluate(value);
      if (value.is_loop_phi) facts = Widened(value, facts);
      if (facts == FactsOf(value)) continue;
      FactsOf(value) = facts;
      // In the first round, all that comes later is evaluated anyway.
      if (round > 0 || has_loops_) MarkUsers(value.reg, i, round);
    }
  }

  // Joins a PHI of a loop with what it was, and widens its range if it grows too often.
  IntegerFacts Widened(Value& value, const IntegerFacts& computed) {
    const IntegerFacts& old = FactsOf(value);
    IntegerFacts facts = old.JoinedWith(computed);
    if (old.is_empty || facts == old) return facts;
    if (++value.num_updates < kFirstWidening) return facts;
    const IntegerFacts unknown = IntegerFacts::Unknown(facts.bits);
    const IntegerFacts limit = CountedRange(*value.def, facts.bits).value_or(unknown);
    if (value.num_updates >= kLastWidening) return limit;
    if (facts.min < old.min) facts.min = 0;
    // First to the largest number that is not negative as a signed one.
    if (facts.max > old.max) facts.max = facts.max < facts.sign_bit() ? facts.sign_bit() - 1 : unknown.max;
    if (facts.smin < old.smin) facts.smin = unknown.smin;
    if (facts.smax > old.smax) facts.smax = unknown.smax;
    facts.Normalize();
    return facts.MetWith(limit);
  }

  void MarkUsers(Register reg, uint32_t rank, int round) {
    const auto mark = [&](Register used) {
      for (const MachineOperand& use : reg_info_.NonDebugUses(used)) {
        const MachineInstr& user = *use.parent();
        for (unsigned i = 0; i < user.num_operands() && user.operand(i).is_def(); ++i) {
          if (!user.operand(i).reg().is_virtual()) continue;
          const uint32_t user_rank = rank_[user.operand(i).reg().virtual_index()];
          if (user_rank == kNoRank || is_dirty_[user_rank] || (round == 0 && user_rank > rank)) continue;
          is_dirty_[user_rank] = true;
          if (user_rank <= rank) ++num_dirty_;
        }
      }
    };
    mark(reg);
    result_.conditions_.ForEachComparedWith(reg, mark);
  }

  void GiveUpOnPhis() {
    for (const Value& value : values_) {
      if (value.is_loop_phi) FactsOf(value) = IntegerFacts::Unknown(FactsOf(value).bits);
    }
    for (Value& value : values_) {
      if (!value.is_loop_phi) FactsOf(value) = Evaluate(value);
    }
  }

  // Facts that are computed again from facts that hold also hold.
  void Narrow() {
    for (const Value& value : values_) {
      IntegerFacts& facts = FactsOf(value);
      facts = facts.MetWith(Evaluate(value));
    }
  }

  IntegerFacts Evaluate(const Value& value) {
    const unsigned bits = FactsOf(value).bits;
    const MachineInstr& def = *value.def;
    if (def.is_phi()) return EvaluatePhi(def, bits);
    if (def.is_copy()) return result_.OfOperand(def, 1, bits);
    if (def.is_inline_asm() || def.is_implicit_def()) return IntegerFacts::Unknown(bits);
    if (ptx::InstrInfo(def.opcode()).is_special_register_read()) return special_registers_.Of(def.opcode(), bits);
    const IntegerOperation& operation = IntegerOperationOf(def.opcode());
    if (operation.op == IntegerOp::kNone) return IntegerFacts::Unknown(bits);
    if (operation.op == IntegerOp::kLoad) return EvaluateLoad(def, bits);
    std::array<IntegerFacts, kMaxSources> sources;
    const unsigned num_defs = def.desc().num_defs;
    const unsigned num_sources =
        std::min<unsigned>(def.num_operands() - std::min(num_defs, def.num_operands()), kMaxSources);
    for (unsigned i = 0; i < num_sources; ++i) {
      sources[i] = result_.OfOperand(def, num_defs + i, SourceBits(operation, i));
    }
    return ComputeFacts(operation, value.result, bits, absl::MakeConstSpan(sources.data(), num_sources), def.flags());
  }

  IntegerFacts EvaluateLoad(const MachineInstr& load, unsigned bits) {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(load.opcode());
    if (info.width == ptx::PtxInstrInfo::kNoOperand || !load.operand(info.width).is_imm()) {
      return IntegerFacts::Unknown(bits);
    }
    const int64_t width = load.operand(info.width).imm();
    if (width <= 0 || width > bits) return IntegerFacts::Unknown(bits);
    const unsigned loaded = static_cast<unsigned>(width);
    const std::optional<IntegerFacts> range = LoadedRange(function_, load, loaded);
    if (loaded == bits) return range.value_or(IntegerFacts::Unknown(bits));
    const std::optional<bool> is_signed = IsSignExtended(load);
    if (!is_signed.has_value()) return IntegerFacts::Unknown(bits);
    return range.value_or(IntegerFacts::Unknown(loaded)).Extended(bits, *is_signed);
  }

  // Returns how a load extends a value that is narrower than its register, or nullopt for a float.
  static std::optional<bool> IsSignExtended(const MachineInstr& load) {
    constexpr int64_t kSigned = 1;
    constexpr int64_t kFloat = 2;
    const absl::Span<const OperandDesc> operands = load.function().target().Operands(load.opcode());
    for (unsigned i = 0; i < operands.size() && i < load.num_operands(); ++i) {
      if (operands[i].role != static_cast<uint8_t>(ptx::OperandRole::kSign)) continue;
      if (!load.operand(i).is_imm() || load.operand(i).imm() == kFloat) return std::nullopt;
      return load.operand(i).imm() == kSigned;
    }
    return false;
  }

  // Returns what holds for a register on an edge.
  IntegerFacts OnEdge(const MachineOperand& value, BlockNumber from, BlockNumber to) {
    IntegerFacts facts = result_.At(value.reg(), *function_.block(from));
    result_.conditions_.ForEachOn(value.reg(), from, to, [&](const EdgeCondition& condition) {
      facts = Refine(condition.comparison, facts, OtherSide(condition, facts.bits));
    });
    return facts;
  }

  IntegerFacts OtherSide(const EdgeCondition& condition, unsigned bits) {
    if (!condition.other.is_valid()) return IntegerFacts::Exact(bits, condition.constant);
    const IntegerFacts& other = result_.facts_[condition.other.virtual_index()];
    return other.bits == bits ? other : IntegerFacts::Unknown(bits);
  }

  IntegerFacts EvaluatePhi(const MachineInstr& phi, unsigned bits) {
    IntegerFacts facts = IntegerFacts::Empty(bits);
    const BlockNumber block = phi.parent()->number();
    for (const PhiIncoming incoming : PhiIncomings(phi)) {
      const bool is_known = incoming.value().reads_reg() && incoming.reg().is_virtual() &&
                            result_.facts_[incoming.reg().virtual_index()].bits == bits;
      if (!is_known) return IntegerFacts::Unknown(bits);
      facts = facts.JoinedWith(OnEdge(incoming.value(), incoming.predecessor(), block));
    }
    const std::optional<IntegerFacts> counted = CountedRange(phi, bits);
    return counted.has_value() ? facts.MetWith(*counted) : facts;
  }

  // Returns the range of a PHI with two incoming values of which one is the PHI plus a constant.
  std::optional<IntegerFacts> CountedRange(const MachineInstr& phi, unsigned bits) {
    if (PhiIncomings(phi).size() != 2 || bits == 1) return std::nullopt;
    for (unsigned i = 0; i < 2; ++i) {
      const PhiIncoming next = PhiIncomings(phi)[i];
      const MachineInstr* const step = reg_info_.UniqueDef(next.reg());
      if (step == nullptr || step->num_operands() < 3) continue;
      const IntegerOperation& operation = IntegerOperationOf(step->opcode());
      const bool is_step = operation.op == IntegerOp::kAdd && operation.bits == bits && step->operand(1).is_reg() &&
                           step->operand(1).reg() == phi.operand(0).reg() && step->operand(2).is_imm();
      if (is_step) return CountedRange(phi, PhiIncomings(phi)[1 - i], next, step->operand(2).imm(), bits);
    }
    return std::nullopt;
  }

  std::optional<IntegerFacts> CountedRange(const MachineInstr& phi, PhiIncoming first, PhiIncoming next, int64_t step,
                                           unsigned bits) {
    const BlockNumber block = phi.parent()->number();
    const IntegerFacts start = OnEdge(first.value(), first.predecessor(), block);
    std::optional<IntegerFacts> counted;
    const auto consider = [&](const EdgeCondition& condition) {
      if (condition.comparison != IntegerComparison::kNotEqual || counted.has_value()) return;
      IntegerFacts bound = OtherSide(condition, bits);
      if (condition.other.is_valid()) {
        if (!IsDefinedBefore(condition.other, *phi.parent())) return;
        bound = result_.At(condition.other, *function_.block(first.predecessor()));
        if (bound.bits != bits) return;
      }
      counted = RangeOfCount(start, bound, IntegerFacts::SignExtend(static_cast<uint64_t>(step), bits));
    };
    result_.conditions_.ForEachOn(next.reg(), next.predecessor(), block, consider);
    result_.conditions_.ForEachIn(next.reg(), *function_.block(next.predecessor()), consider);
    return counted;
  }

  // Returns true if the value of the register is the same throughout a loop with this header.
  bool IsDefinedBefore(Register reg, const MachineBasicBlock& header) {
    const MachineInstr* const def = reg_info_.UniqueDef(reg);
    return def != nullptr && result_.conditions_.dominators().ProperlyDominates(*def->parent(), header);
  }

  // Returns the values of a number that begins at `start`, is increased by `step` and never becomes `bound`, which it
  // would have to become before it can pass it.
  static std::optional<IntegerFacts> RangeOfCount(const IntegerFacts& start, const IntegerFacts& bound, int64_t step) {
    if (start.is_empty || bound.is_empty || step == 0) return std::nullopt;
    const uint64_t size = step < 0 ? uint64_t{0} - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
    const bool hits = (start.is_exact() && bound.is_exact() && (bound.min - start.min) % size == 0 &&
                       (start.min - bound.min) % size == 0) ||
                      (std::has_single_bit(size) && std::min(start.TrailingZeros(), bound.TrailingZeros()) >=
                                                        static_cast<unsigned>(std::countr_zero(size)));
    if (!hits) return std::nullopt;
    IntegerFacts facts = IntegerFacts::Unknown(start.bits);
    if (step > 0) {
      if (start.max < bound.min) {
        facts.min = start.min;
        facts.max = bound.max - size;
      }
      if (start.smax < bound.smin) {
        facts.smin = start.smin;
        facts.smax = bound.smax - step;
      }
    } else {
      if (start.min > bound.max) {
        facts.max = start.max;
        facts.min = bound.min + size;
      }
      if (start.smin > bound.smax) {
        facts.smax = start.smax;
        facts.smin = bound.smin - step;
      }
    }
    facts.Normalize();
    return facts;
  }

  KnownBits& result_;
  const MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  const SpecialRegisterRanges special_registers_;
  std::vector<Value> values_;
  std::vector<uint32_t> rank_;  // by virtual register: index into values_
  std::vector<bool> is_dirty_;  // by rank
  uint32_t num_dirty_ = 0;      // left for the next round
  bool has_loops_ = false;
};

KnownBits::KnownBits(MachineFunction& function, AnalysisManager& analyses)
    : function_(function), conditions_(function, analyses.Get<MachineDominatorTree>()) {
  KnownBitsSolver(*this, analyses.inputs()).Run();
}

IntegerFacts KnownBits::Of(Register reg) const {
  if (reg.virtual_index() < facts_.size()) return facts_[reg.virtual_index()];
  const unsigned bits = WidthOf(function_, reg);
  return bits == 0 ? IntegerFacts() : IntegerFacts::Unknown(bits);
}

IntegerFacts KnownBits::At(Register reg, const MachineBasicBlock& block) const {
  IntegerFacts facts = Of(reg);
  if (facts.bits == 0 || !conditions_.HasConditionsOn(reg)) return facts;
  conditions_.ForEachIn(reg, block, [&](const EdgeCondition& condition) {
    const IntegerFacts other =
        condition.other.is_valid() ? Of(condition.other) : IntegerFacts::Exact(facts.bits, condition.constant);
    if (other.bits == facts.bits) facts = Refine(condition.comparison, facts, other);
  });
  return facts;
}

IntegerFacts KnownBits::OfOperand(const MachineInstr& instr, unsigned operand, unsigned bits) const {
  const MachineOperand& source = instr.operand(operand);
  if (source.is_imm() && bits != 0) return IntegerFacts::Exact(bits, static_cast<uint64_t>(source.imm()));
  if (source.is_fp_imm() && bits != 0) return IntegerFacts::Exact(bits, source.fp_bits());
  if (source.reads_reg() && source.reg().is_virtual()) {
    const IntegerFacts facts = At(source.reg(), *instr.parent());
    if (facts.bits == bits || bits == 0) return facts;
  }
  return bits == 0 ? IntegerFacts() : IntegerFacts::Unknown(bits);
}

void KnownBits::Print(std::string& out) const {
  for (uint32_t i = 0; i < facts_.size(); ++i) {
    if (facts_[i].bits == 0 || facts_[i].is_unknown()) continue;
    StrAppend(&out, "  ", RegisterName(function_, Register::Virtual(i)), ": ", facts_[i].ToString(), "\n");
  }
}

std::string KnownBits::DifferenceFrom(const Analysis& fresh) const {
  const auto& other = static_cast<const KnownBits&>(fresh);
  for (uint32_t i = 0; i < std::max(facts_.size(), other.facts_.size()); ++i) {
    const Register reg = Register::Virtual(i);
    if (Of(reg) == other.Of(reg)) continue;
    return StrCat(RegisterName(function_, reg), " is ", Of(reg).ToString(), ", recomputed ", other.Of(reg).ToString());
  }
  return "";
}

}  // namespace ptxmir
