// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/load_store_vectorizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/integer_facts.h"
#include "analysis/values/memory_dependence.h"
#include "base/align.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "passes/addresses/address_form.h"
#include "passes/memory/addressed_objects.h"
#include "passes/memory/vector_forms.h"
#include "passes/support/constant_moves.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::Property;
using ptx::PtxInstrInfo;

// The most instructions of a block between the first and the last access that are joined.
constexpr uint32_t kMaxSpan = 100;
constexpr int64_t kMostOffset = int64_t{1} << 30;
constexpr unsigned kSignOfBits = 3;  // ld.b32, for which the sign means nothing

// The properties that the accesses of a group have in common.
struct GroupKey {
  MachineOperand::Kind base = MachineOperand::Kind::kRegister;
  uint32_t base_id = 0;  // a symbol, a variable, or the sum of an address without its constant
  AccessKind kind = AccessKind::kLoad;
  MemorySpace space = MemorySpace::kUnknown;
  uint16_t register_bits = 0;
  uint16_t bits = 0;  // in memory
  int64_t sign = 0;
  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const GroupKey& key) {
    return H::combine(std::move(h), key.base, key.base_id, key.kind, key.space, key.register_bits, key.bits, key.sign);
  }
};

struct Access {
  MachineInstr* instr = nullptr;
  MemoryAccess memory;
  uint32_t group = 0;
  uint32_t part = 0;      // of the block: all of a part is executed if its beginning is
  uint32_t position = 0;  // in the block
  int64_t offset = 0;     // from what the group has in common
};

class BlockVectorizer {
 public:
  BlockVectorizer(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        memory_(context.analyses.Get<MemoryDependence>()),
        subtarget_(context.analyses.inputs().subtarget),
        forms_(function),
        addressed_objects_(function),
        unused_(function),
        is_kernel_(IsKernelFunction(function)) {}

  void Run(MachineBasicBlock& block) {
    accesses_.clear();
    groups_.clear();
    uint32_t position = 0;
    uint32_t part = 0;
    for (MachineInstr& instr : block) {
      if (instr.is_debug()) continue;
      if (MayNotReturn(instr)) ++part;
      Consider(instr, ++position, part);
    }
    // Groups come in the order of their first accesses, and keep the order of the block.
    std::stable_sort(accesses_.begin(), accesses_.end(),
                     [](const Access& a, const Access& b) { return a.group < b.group; });
    for (size_t i = 0; i < accesses_.size();) {
      const size_t end = EndOfSegment(i);
      if (end - i > 1) VectorizeSegment(absl::MakeSpan(accesses_).subspan(i, end - i));
      i = end;
    }
  }

  bool Finish() {
    unused_.Erase();
    ClearKillFlags(function_.reg_info(), std::move(extended_));
    context_.AddStatistic("loads joined", num_loads_);
    context_.AddStatistic("stores joined", num_stores_);
    context_.AddStatistic("accesses of vectors made", num_vectors_);
    return num_vectors_ > 0;
  }

 private:
  // ---- Finding accesses

  static bool MayNotReturn(const MachineInstr& instr) {
    return instr.is_call() || instr.is_inline_asm() || instr.is_terminator() ||
           InstrInfo(instr.opcode()).Has(Property::kControl | Property::kCall);
  }

  void Consider(MachineInstr& instr, uint32_t position, uint32_t part) {
    const std::optional<AccessForm> form = AccessFormOf(instr.opcode());
    if (!form.has_value() || form->num_values != 1 || !IsPlain(instr)) return;
    Access access = {.instr = &instr, .memory = memory_.Describe(instr), .part = part, .position = position};
    // Single accesses of stack objects can become registers, and single parameters of a kernel constants.
    if (IsOfFrame(access) && !addressed_objects_.Contains(static_cast<int>(access.memory.id))) return;
    if (access.memory.space == MemorySpace::kParam && !IsPassed(instr)) return;
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    GroupKey key = {.kind = form->kind, .space = access.memory.space, .register_bits = form->register_bits};
    key.bits = static_cast<uint16_t>(instr.operand(info.width).imm());
    if (key.bits < 8) return;
    if (form->kind != AccessKind::kStore) key.sign = SignOf(instr, *form);
    if (!NameBase(access, key)) return;
    access.group = groups_.try_emplace(key, static_cast<uint32_t>(groups_.size())).first->second;
    accesses_.push_back(access);
  }

  // Returns true for an access that may be moved and joined if nothing between forbids it.
  static bool IsPlain(const MachineInstr& instr) {
    if (ptx::IsOrderedAccess(instr) || !MemoryDependence::IsPlainAccess(instr)) return false;
    if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return false;
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    if (!instr.operand(info.address + 1u).is_imm() || !instr.operand(info.width).is_imm()) return false;
    const MachineOperand& value = instr.operand(info.first_value);
    if (!value.is_imm() && !value.is_fp_imm() && !(value.is_reg() && value.reg().is_virtual())) return false;
    if (instr.memoperands().size() != 1) return false;
    const MachineMemOperand& memoperand = *instr.memoperands().front();
    constexpr uint16_t kHints = MachineMemOperand::kNonTemporal | MachineMemOperand::kTargetFlag1 |
                                MachineMemOperand::kTargetFlag2 | MachineMemOperand::kTargetFlag3 |
                                MachineMemOperand::kTargetFlag4;
    return !memoperand.is_volatile() && !memoperand.is_atomic() && !memoperand.Has(kHints) && UsedBytes(instr) == -1;
  }

  // Returns true for an access of what a call passes or gets back, of the result that the function gives back, or of a
  // parameter that a function (not a kernel) gets.
  bool IsPassed(const MachineInstr& instr) const {
    const MachineOperand& base = instr.operand(InstrInfo(instr.opcode()).address);
    if (!base.is_symbol()) return false;
    const std::string_view name = function_.symbol(base.symbol());
    return ptx::IsPassedName(name) || (!is_kernel_ && ptx::IsParameterName(name, function_.name()));
  }

  // Returns the mask of the bytes of a load that matter, which stands behind the width; -1 for all.
  static int64_t UsedBytes(const MachineInstr& instr) {
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    if (!info.reads_memory()) return -1;
    const MachineOperand& mask = instr.operand(info.width + 1u);
    return mask.is_imm() ? mask.imm() : 0;
  }

  static int64_t SignOf(const MachineInstr& load, const AccessForm& form) {
    const PtxInstrInfo& info = InstrInfo(load.opcode());
    const MachineOperand& sign = load.operand(info.width - 1u);
    if (load.operand(info.width).imm() == form.register_bits) return kSignOfBits;
    return sign.imm();
  }

  static bool IsOfFrame(const Access& access) { return access.memory.root == MemoryAccess::Root::kFrameIndex; }

  // Sets what the address is based on, and its offset from that. Returns false if it has no comparable base.
  bool NameBase(Access& access, GroupKey& key) {
    if (IsOfFrame(access)) {
      key.base = MachineOperand::Kind::kFrameIndex;
      key.base_id = static_cast<uint32_t>(access.memory.id);
      access.offset = access.memory.offset;
      return true;
    }
    const MachineInstr& instr = *access.instr;
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    const MachineOperand& base = instr.operand(info.address);
    int64_t& offset = access.offset;
    offset = instr.operand(info.address + 1u).imm();
    key.base = base.kind();
    if (base.is_symbol() || base.is_global()) {
      key.base_id = base.is_symbol() ? base.symbol() : base.global();
      offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + static_cast<uint64_t>(base.offset()));
      return true;
    }
    if (!base.is_reg() || !base.reg().is_virtual() || base.is_undef()) return false;
    const MachineRegisterInfo& reg_info = function_.reg_info();
    if (reg_info.reg_class(base.reg()) != ptx::reg_class::kB64) return false;
    if (reg_info.UniqueDef(base.reg()) == nullptr) return false;
    const AddressForms::Form& form = forms_.Of(base.reg());
    key.base_id = forms_.Intern(form.terms);
    offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + form.constant);
    return true;
  }

  // A segment ends with its group, where an address comes again, and after kMaxSpan instructions.
  size_t EndOfSegment(size_t first) const {
    size_t end = first + 1;
    for (; end < accesses_.size() && accesses_[end].group == accesses_[first].group; ++end) {
      if (accesses_[end].position - accesses_[first].position > kMaxSpan) break;
      if (accesses_[end].part != accesses_[first].part) break;
      const bool is_repeated = std::any_of(accesses_.begin() + static_cast<std::ptrdiff_t>(first),
                                           accesses_.begin() + static_cast<std::ptrdiff_t>(end),
                                           [&](const Access& other) { return other.offset == accesses_[end].offset; });
      if (is_repeated) break;
    }
    return end;
  }

  // ---- Choosing vectors

  void VectorizeSegment(absl::Span<Access> segment) {
    std::sort(segment.begin(), segment.end(), [](const Access& a, const Access& b) { return a.offset < b.offset; });
    FindBestAligned(segment);
    for (size_t i = 0; i < segment.size();) i += VectorizeAt(segment.subspan(i));
  }

  // Makes a vector of the first accesses, if possible. Returns how many accesses that settles.
  size_t VectorizeAt(absl::Span<Access> accesses) {
    const int64_t bytes = BytesOf(accesses[0]);
    size_t num_adjacent = 1;
    while (num_adjacent < accesses.size() && num_adjacent < 8 &&
           Distance(accesses[num_adjacent - 1].offset, accesses[num_adjacent].offset) == bytes) {
      ++num_adjacent;
    }
    std::string_view reason;
    if (num_adjacent == 3 && MayReadOneMore(accesses.first(3))) {
      if (const std::optional<Opcode> opcode = OpcodeFor(accesses.first(3), 4); opcode.has_value()) {
        if (WhyNot(accesses.first(3), 4).empty()) {
          Join(accesses.first(3), *opcode, 4);
          return 3;
        }
      }
    }
    for (size_t n = std::bit_floor(num_adjacent); n > 1; n /= 2) {
      const absl::Span<Access> members = accesses.first(n);
      const std::optional<Opcode> opcode = OpcodeFor(members, n);
      if (!opcode.has_value()) continue;
      reason = WhyNot(members, n);
      if (!reason.empty()) continue;
      Join(members, *opcode, n);
      return n;
    }
    if (!reason.empty()) RemarkMissed(accesses[0], reason);
    return 1;
  }

  // Returns true if three loads may become one of four values. An aligned vector is all in memory if a part of it is,
  // but variables, stack objects and what is passed may end within it.
  bool MayReadOneMore(absl::Span<const Access> members) const {
    const MemoryAccess& memory = members[0].memory;
    if (AccessFormOf(members[0].instr->opcode())->kind == AccessKind::kStore) return false;
    if (memory.space == MemorySpace::kParam || memory.root == MemoryAccess::Root::kSymbol) return false;
    const uint64_t bytes = 4 * static_cast<uint64_t>(BytesOf(members[0]));
    switch (memory.object) {
      case MemoryAccess::Root::kFrameIndex:
        return function_.frame_info().object(static_cast<int>(memory.object_id)).size % bytes == 0;
      case MemoryAccess::Root::kGlobal: {
        const GlobalValue& variable = function_.module()->global_value(static_cast<GlobalId>(memory.object_id));
        return function_.module()->data_layout().AllocSize(variable.value_type) % bytes == 0;
      }
      default:
        return true;
    }
  }

  // Returns how far one offset is behind another. Offsets of addresses wrap.
  static int64_t Distance(int64_t from, int64_t to) {
    return static_cast<int64_t>(static_cast<uint64_t>(to) - static_cast<uint64_t>(from));
  }

  static int64_t BytesOf(const Access& access) {
    return access.instr->operand(InstrInfo(access.instr->opcode()).width).imm() / 8;
  }

  // The vector has `num_values` values, of which the members are the first.
  std::optional<Opcode> OpcodeFor(absl::Span<const Access> members, size_t num_values) const {
    AccessForm form = *AccessFormOf(members[0].instr->opcode());
    form.num_values = static_cast<uint8_t>(num_values);
    const size_t bits = num_values * static_cast<size_t>(BytesOf(members[0])) * 8;
    const size_t most = members[0].memory.space == MemorySpace::kGlobal ? 256 : 128;
    if (bits > most) return std::nullopt;
    if (form.kind == AccessKind::kStore && members.size() > 2 &&
        !std::all_of(members.begin(), members.end(), &BlockVectorizer::CanBeInRegister)) {
      return std::nullopt;
    }
    return SupportedOpcodeOf(form, subtarget_);
  }

  static const MachineOperand& ValueIn(const Access& access) {
    return access.instr->operand(InstrInfo(access.instr->opcode()).first_value);
  }

  static RegClassId ValueClass(const MachineInstr& instr) {
    return ClassOfBits(AccessFormOf(instr.opcode())->register_bits);
  }

  static bool CanBeInRegister(const Access& store) {
    const MachineOperand& value = ValueIn(store);
    return value.is_reg() || ConstantMove(value, ValueClass(*store.instr)).has_value();
  }

  // Returns the reason why the accesses cannot or should not be joined, or an empty text.
  std::string_view WhyNot(absl::Span<const Access> members, size_t num_values) {
    const uint64_t bytes = num_values * static_cast<uint64_t>(BytesOf(members[0]));
    if (AlignmentOf(members) < bytes) return "the address is not known to be aligned";
    if (!HasNearOffset(members)) return "the offset does not fit";
    if (IsCrossed(members)) return "what is executed in between may access the memory or order accesses";
    if (!HasRoom(members)) return "registers are short";
    return {};
  }

  // Returns true if the offsets leave room for those of their neighbors, in 32 bits.
  static bool HasNearOffset(absl::Span<const Access> members) {
    return std::all_of(members.begin(), members.end(), [](const Access& access) {
      const int64_t offset = access.instr->operand(InstrInfo(access.instr->opcode()).address + 1u).imm();
      return offset > -kMostOffset && offset < kMostOffset;
    });
  }

  // Returns the alignment of the variable or the stack object that the access is in, or 1.
  uint64_t AlignmentOfObject(const MemoryAccess& memory) const {
    if (memory.root == MemoryAccess::Root::kFrameIndex) {
      return uint64_t{1} << function_.frame_info().object(static_cast<int>(memory.id)).align_log2;
    }
    if (memory.root != MemoryAccess::Root::kGlobal) return 1;
    const uint64_t align = function_.module()->global_value(static_cast<GlobalId>(memory.id)).align;
    return std::has_single_bit(align) ? align : 1;
  }

  // Finds the access of a segment of which the best alignment is known. All of the segment is executed.
  void FindBestAligned(absl::Span<const Access> segment) {
    best_alignment_ = 1;
    for (const Access& access : segment) {
      uint64_t alignment = uint64_t{1} << access.memory.memoperand->align_log2;
      alignment = std::max(alignment, AlignAt(AlignmentOfObject(access.memory), access.memory.offset));
      if (alignment <= best_alignment_) continue;
      best_alignment_ = alignment;
      best_aligned_offset_ = access.offset;
    }
  }

  // Returns the alignment of the lowest address.
  uint64_t AlignmentOf(absl::Span<const Access> members) const {
    const uint64_t own = uint64_t{1} << members[0].memory.memoperand->align_log2;
    return std::max(own,
                    AlignAt(best_alignment_, static_cast<uint64_t>(Distance(best_aligned_offset_, members[0].offset))));
  }

  static const Access& First(absl::Span<const Access> members) {
    return *std::min_element(members.begin(), members.end(),
                             [](const Access& a, const Access& b) { return a.position < b.position; });
  }
  static const Access& Last(absl::Span<const Access> members) {
    return *std::max_element(members.begin(), members.end(),
                             [](const Access& a, const Access& b) { return a.position < b.position; });
  }

  // Returns true if something between the first and the last access keeps them apart.
  bool IsCrossed(absl::Span<const Access> members) {
    const bool is_store = AccessFormOf(members[0].instr->opcode())->kind == AccessKind::kStore;
    const MachineInstr* const end = Last(members).instr;
    // Loads move up over what was passed before them; stores move down over what comes behind them.
    absl::InlinedVector<const Access*, 8> moving;
    for (const Access& access : members) {
      if (!is_store && access.instr != First(members).instr) moving.push_back(&access);
      if (is_store && access.instr == First(members).instr) moving.push_back(&access);
    }
    for (const MachineInstr* instr = First(members).instr->next(); instr != end; instr = instr->next()) {
      const auto own =
          std::find_if(members.begin(), members.end(), [&](const Access& access) { return access.instr == instr; });
      if (own != members.end()) {
        if (is_store) moving.push_back(&*own);
        if (!is_store) moving.erase(std::find(moving.begin(), moving.end(), &*own));
      } else if (MayNotCross(*instr, moving, is_store)) {
        return true;
      }
    }
    return false;
  }

  bool MayNotCross(const MachineInstr& instr, absl::Span<const Access* const> moving, bool are_stores) const {
    if (instr.opcode() == generic::kLifetimeStart || instr.opcode() == generic::kLifetimeEnd) return true;
    if (instr.is_debug() || instr.is_phi() || instr.is_copy() || instr.is_meta()) return false;
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    if (MayNotReturn(instr)) return true;
    if (info.is_pure()) return false;
    constexpr uint32_t kStops =
        Property::kSide | Property::kFence | Property::kBarrier | Property::kAtomic | Property::kAsync;
    if (info.Has(kStops) || ptx::IsOrderedAccess(instr)) return true;
    if (!info.touches_memory() || (!are_stores && !info.writes_memory())) return false;
    if (!MemoryDependence::IsPlainAccess(instr)) return true;
    const MemoryAccess access = memory_.Describe(instr);
    return std::any_of(moving.begin(), moving.end(), [&](const Access* other) {
      return memory_.Alias(access, other->memory) != AliasResult::kNoAlias;
    });
  }

  // Returns true if the block's peak leaves room for the values that live longer, and takes it.
  bool HasRoom(absl::Span<const Access> members) {
    // With nothing in between, no register is held longer.
    if (Last(members).position - First(members).position + 1 == members.size()) return true;
    if (room_.empty()) FindRoom();
    int64_t& room = room_[members[0].instr->parent()->number()];
    const int64_t units = AccessFormOf(members[0].instr->opcode())->register_bits > 32 ? 2 : 1;
    const int64_t needed = units * static_cast<int64_t>(members.size() - 1);
    if (needed > room) return false;
    room -= needed;
    return true;
  }

  // Finds what the peaks of all blocks leave, before anything is changed.
  void FindRoom() {
    const auto& pressure = context_.analyses.Get<MachineRegisterPressure>();
    const int64_t budget = ComputeRegisterBudget(function_, context_.analyses.inputs()).registers;
    room_.resize(function_.block_number_bound());
    for (const MachineBasicBlock& block : function_) {
      room_[block.number()] = std::max<int64_t>(budget - pressure.Block(block).peak.units, 0);
    }
  }

  void RemarkMissed(const Access& access, std::string_view reason) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context_.pass_name, "NotVectorized", *access.instr)
             << "adjacent accesses not joined: " << RemarkArg("Reason", reason);
    });
  }

  // ---- Rewriting

  void Join(absl::Span<const Access> members, Opcode opcode, size_t num_values) {
    const bool is_store = AccessFormOf(opcode)->kind == AccessKind::kStore;
    MachineInstr& place = is_store ? *Last(members).instr : *First(members).instr;
    const int64_t offset_of_place = is_store ? Last(members).offset : First(members).offset;
    const PtxInstrInfo& info = InstrInfo(place.opcode());
    const absl::InlinedVector<MachineOperand, 8> values = ValuesOf(members, place);
    MachineInstrBuilder builder = BuildMI(*place.parent(), is_store ? place.next() : &place, opcode, place.debug_loc());
    for (const MachineOperand& value : values) builder.Add(value);
    for (size_t i = members.size(); i < num_values; ++i) builder.Add(UnusedValue(members[0]));
    for (unsigned i = info.first_value + 1u; i < place.num_operands(); ++i) {
      MachineOperand operand = place.operand(i);
      if (i == info.address && operand.is_reg()) {
        operand = MachineOperand::CreateReg(operand.reg());
        extended_.push_back(operand.reg());
      }
      if (i == info.address + 1u) operand.set_imm(operand.imm() + members[0].offset - offset_of_place);
      if (!is_store && i + 1 == info.width)
        operand = MachineOperand::CreateImm(SignOf(place, *AccessFormOf(place.opcode())));
      builder.Add(operand);
    }
    MachineInstr* const vector = builder.Insert();
    const MachineMemOperand* const memoperand = function_.CreateMemOperand(JoinedMemOperand(members, num_values));
    vector->SetMemOperands({&memoperand, 1});
    RemarkJoined(*vector, members.size());
    (is_store ? num_stores_ : num_loads_) += members.size();
    ++num_vectors_;
    for (const Access& access : members) {
      const MachineOperand& base = access.instr->operand(info.address);
      if (base.is_reg()) unused_.Add(base.reg());
      access.instr->EraseFromParent();
    }
  }

  // Returns the operands of the loaded or stored values, for the vector. More than two stored values must be registers:
  // constants are moved into some before `place`, equal ones into one. Of two values, a constant float becomes the
  // integer with its bits, because ptxas wants the constants of a vector to be of one type.
  absl::InlinedVector<MachineOperand, 8> ValuesOf(absl::Span<const Access> members, MachineInstr& place) {
    absl::InlinedVector<MachineOperand, 8> values;
    for (size_t i = 0; i < members.size(); ++i) {
      values.push_back(ValueOf(members[i]));
      if (values[i].is_reg()) continue;
      if (members.size() == 2) {
        if (values[i].is_fp_imm()) values[i] = IntegerOf(values[i], members[i]);
        continue;
      }
      const auto is_equal = [&](const Access& other) { return ValueIn(other).IsIdenticalTo(values[i]); };
      const size_t first =
          static_cast<size_t>(std::find_if(members.begin(), members.end(), is_equal) - members.begin());
      values[i] = first < i ? values[first] : MachineOperand::CreateReg(MoveConstant(values[i], place));
    }
    return values;
  }

  static MachineOperand IntegerOf(const MachineOperand& constant, const Access& access) {
    const auto bits = static_cast<unsigned>(8 * BytesOf(access));
    return MachineOperand::CreateImm(IntegerFacts::SignExtend(constant.fp_bits(), bits));
  }

  // Moves the constant that a store of the kind of `place` stores into a register.
  Register MoveConstant(const MachineOperand& constant, MachineInstr& place) {
    const RegClassId reg_class = ValueClass(place);
    const Register reg = function_.reg_info().CreateVirtualRegister(reg_class);
    BuildMI(*place.parent(), &place, *ConstantMove(constant, reg_class), place.debug_loc())
        .AddDef(reg)
        .Add(constant)
        .Insert();
    return reg;
  }

  // Returns the operand of the loaded or stored value, for the vector.
  MachineOperand ValueOf(const Access& access) {
    const MachineOperand& value = ValueIn(access);
    if (!value.is_reg()) return value;
    if (value.is_def()) return MachineOperand::CreateReg(value.reg(), value.reg_flags());
    extended_.push_back(value.reg());
    const uint16_t flags = value.is_undef() ? MachineOperand::kUndef : 0;
    return MachineOperand::CreateReg(value.reg(), flags);
  }

  // Returns a definition like that of a load, which nothing reads.
  MachineOperand UnusedValue(const Access& load) {
    MachineRegisterInfo& reg_info = function_.reg_info();
    const Register like = load.instr->operand(InstrInfo(load.instr->opcode()).first_value).reg();
    return MachineOperand::CreateReg(reg_info.CreateVirtualRegister(reg_info.reg_class(like)),
                                     MachineOperand::kDefine | MachineOperand::kDead);
  }

  MachineMemOperand JoinedMemOperand(absl::Span<const Access> members, size_t num_values) const {
    const MachineMemOperand& lowest = *members[0].memory.memoperand;
    MachineMemOperand joined = lowest;
    joined.has_known_size = true;
    joined.type = {.kind = LowLevelType::Kind::kScalar,
                   .elements = static_cast<uint16_t>(num_values),
                   .bits = static_cast<uint32_t>(BytesOf(members[0])) * 8};
    // Memory operands give the alignment of what the offset is relative to. That of the sum may be better.
    const uint64_t alignment = std::min(AlignmentOf(members), uint64_t{1} << 31);
    if (AlignAt(alignment, static_cast<uint64_t>(lowest.offset)) == alignment) {
      joined.align_log2 = static_cast<uint8_t>(std::countr_zero(alignment));
      joined.base_align_log2 = std::max(lowest.base_align_log2, joined.align_log2);
    }
    joined.range = MachineMemOperand::kNoMetadata;
    for (const Access& access : members) {
      const MachineMemOperand& other = *access.memory.memoperand;
      joined.flags &= other.flags;
      const auto keep_if_same = [](MetadataId& mine, MetadataId of_other) {
        if (mine != of_other) mine = MachineMemOperand::kNoMetadata;
      };
      keep_if_same(joined.tbaa, other.tbaa);
      keep_if_same(joined.alias_scope, other.alias_scope);
      keep_if_same(joined.noalias, other.noalias);
      keep_if_same(joined.noalias_addrspace, other.noalias_addrspace);
    }
    return joined;
  }

  void RemarkJoined(const MachineInstr& vector, size_t number) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Vectorized", vector)
             << RemarkArg("Accesses", number) << " adjacent accesses joined";
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  const MemoryDependence& memory_;
  const ptx::Subtarget* const subtarget_;
  AddressForms forms_;
  const AddressedObjects addressed_objects_;
  UnusedInstrs unused_;
  const bool is_kernel_;
  std::vector<Access> accesses_;                    // of the block
  absl::flat_hash_map<GroupKey, uint32_t> groups_;  // with their numbers
  std::vector<int64_t> room_;                       // by block: registers that its peak leaves, once asked for
  uint64_t best_alignment_ = 1;                     // in the segment, of the address with best_aligned_offset_
  int64_t best_aligned_offset_ = 0;
  std::vector<Register> extended_;  // registers that are read in other places
  uint64_t num_loads_ = 0;
  uint64_t num_stores_ = 0;
  uint64_t num_vectors_ = 0;
};

}  // namespace

PassResult RunLoadStoreVectorizer(MachineFunction& function, PassContext& context) {
  const auto is_single = [](Opcode opcode) {
    const std::optional<AccessForm> form = AccessFormOf(opcode);
    return form.has_value() && form->num_values == 1;
  };
  if (!function.MayContainAny(is_single)) return {};
  BlockVectorizer vectorizer(function, context);
  for (MachineBasicBlock& block : function) vectorizer.Run(block);
  const bool changed = vectorizer.Finish();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
