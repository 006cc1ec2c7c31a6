// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/spill/shared_spill_slots.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_variables.h"
#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "passes/allocate/spill/shared_spill_room.h"
#include "passes/allocate/spill/spill_code.h"
#include "passes/frame/stack_accesses.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/occupancy.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

constexpr uint8_t kAlignLog2 = 4;

constexpr uint32_t WordsOf(uint64_t bytes) {
  return static_cast<uint32_t>((bytes + kSharedSpillWordBytes - 1) / kSharedSpillWordBytes);
}

class SlotMover {
 public:
  SlotMover(MachineFunction& function, PassContext& context, const SharedSpillRoom& room)
      : function_(function), context_(context), frame_(function.frame_info()), room_(room), list_(function) {}

  bool Run();

 private:
  using Kind = StackAccess::Kind;
  static constexpr uint32_t kNotMoved = ~uint32_t{0};

  bool IsSlot(int index) const { return index >= 0 && is_slot_[static_cast<size_t>(index)]; }
  void FindSlots();
  bool IsWorthIt() const;
  void ChoosePlaces();
  Register ComputeBase();
  void Move(const StackAccess& access, Register base);

  MachineFunction& function_;
  PassContext& context_;
  MachineFrameInfo& frame_;
  const SharedSpillRoom room_;
  StackAccessList list_;
  std::vector<bool> is_slot_;         // by slot: whether it can be moved
  std::vector<uint32_t> first_word_;  // by slot, or kNotMoved
  uint32_t num_words_ = 0;
  int object_ = 0;
  uint64_t num_moved_ = 0;
};

// Finds the spill slots that are only loaded and stored, as whole registers of 16 to 64 bits.
void SlotMover::FindSlots() {
  is_slot_.resize(frame_.objects().size());
  for (size_t i = 0; i < is_slot_.size(); ++i) {
    const StackObject& object = frame_.objects()[i];
    is_slot_[i] = object.type == StackObject::Type::kSpillSlot && !object.is_dead && !object.is_in_shared();
  }
  for (const StackAccess& access : list_.accesses) {
    if (!IsSlot(access.index) || access.kind == Kind::kDebug) continue;
    bool is_known = access.is_plain() && access.offset >= 0 && access.offset % kSharedSpillWordBytes == 0;
    if (is_known) {
      const ptx::PtxInstrInfo& info = ptx::InstrInfo(access.instr->opcode());
      const MachineOperand& value = access.instr->operand(info.first_value);
      is_known = info.num_values == 1 && value.is_reg() && value.reg().is_virtual() &&
                 function_.target().reg_classes[function_.reg_info().reg_class(value.reg())].bits == access.bytes * 8 &&
                 static_cast<uint64_t>(access.offset) + access.bytes <= frame_.object(access.index).size;
    }
    if (!is_known) is_slot_[static_cast<size_t>(access.index)] = false;
  }
}

// For -ra-spill-space=auto: returns true if the slots of all threads of an SM exceed the space that is left for
// them in its L1 cache.
bool SlotMover::IsWorthIt() const {
  if (context_.knobs.ra_spill_space() != SpillSpace::kAuto) return true;
  const ptx::SmInfo& sm = context_.analyses.inputs().subtarget->sm();
  const RegisterBudget budget = ComputeRegisterBudget(function_, context_.knobs, sm);
  const ptx::Occupancy occupancy =
      ptx::ComputeOccupancy(sm.limits, {.threads = room_.threads, .registers = budget.allocated});
  uint64_t bytes = 0;
  for (size_t i = 0; i < is_slot_.size(); ++i) bytes += is_slot_[i] ? frame_.objects()[i].size : 0;
  // The L1 cache and shared memory are the same memory.
  return bytes * room_.threads * occupancy.ctas > sm.limits.shared_bytes;
}

// Chooses the slots with the most accesses for their size first.
void SlotMover::ChoosePlaces() {
  const MachineBlockFrequencies& frequencies = context_.analyses.Get<MachineBlockFrequencies>();
  const auto entry = static_cast<double>(std::max<uint64_t>(frequencies.EntryFrequency(), 1));
  std::vector<double> weights(is_slot_.size());
  for (const StackAccess& access : list_.accesses) {
    if (!IsSlot(access.index) || !access.is_plain()) continue;
    weights[static_cast<size_t>(access.index)] +=
        static_cast<double>(frequencies.Frequency(*access.instr->parent())) / entry;
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < is_slot_.size(); ++i) {
    if (!is_slot_[i] || weights[i] == 0) continue;
    weights[i] /= WordsOf(frame_.objects()[i].size);
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  first_word_.assign(is_slot_.size(), kNotMoved);
  for (const size_t i : order) {
    const uint32_t words = WordsOf(frame_.objects()[i].size);
    if (num_words_ + words > room_.words) continue;
    first_word_[i] = num_words_;
    num_words_ += words;
    ++num_moved_;
  }
}

// Inserts code at the beginning of the function.
class PrologueBuilder {
 public:
  explicit PrologueBuilder(MachineFunction& function)
      : function_(function), entry_(*function.front()), before_(entry_.front()) {}

  Register Emit(Opcode opcode, std::initializer_list<MachineOperand> sources) {
    const Register result = function_.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
    MachineInstrBuilder builder = BuildMI(entry_, before_, opcode);
    builder.AddDef(result);
    for (const MachineOperand& source : sources) builder.Add(source);
    builder.Insert();
    return result;
  }

  // Returns the thread's number in its CTA, or an invalid register if it is always 0.
  Register ThreadNumber(const SharedSpillRoom& room) {
    constexpr Opcode kThread[] = {ptx::op::INT_PTX_SREG_TID_x, ptx::op::INT_PTX_SREG_TID_y,
                                  ptx::op::INT_PTX_SREG_TID_z};
    constexpr Opcode kSize[] = {ptx::op::INT_PTX_SREG_NTID_x, ptx::op::INT_PTX_SREG_NTID_y};
    Register number;
    for (size_t i = room.shape.size(); i-- > 0;) {
      if (room.has_exact_shape && room.shape[i] == 1) continue;
      const Register thread = Emit(kThread[i], {});
      if (!number.is_valid()) {
        number = thread;
      } else if (room.has_exact_shape) {
        number =
            Emit(ptx::op::MAD_LO_S32rir, {MachineOperand::CreateReg(number), MachineOperand::CreateImm(room.shape[i]),
                                          MachineOperand::CreateReg(thread)});
      } else {
        const Register size = Emit(kSize[i], {});
        number = Emit(ptx::op::MAD_LO_S32rrr, {MachineOperand::CreateReg(number), MachineOperand::CreateReg(size),
                                               MachineOperand::CreateReg(thread)});
      }
    }
    return number;
  }

 private:
  MachineFunction& function_;
  MachineBasicBlock& entry_;
  MachineInstr* before_;
};

// Computes the address of the thread's first word.
Register SlotMover::ComputeBase() {
  PrologueBuilder prologue(function_);
  const Register thread = prologue.ThreadNumber(room_);
  const SymbolId symbol = function_.InternSymbol(StrCat(kSharedDepotPrefix, function_.number()));
  const Register depot = prologue.Emit(ptx::op::MOV_B32_sym, {MachineOperand::CreateExternalSymbol(symbol)});
  if (!thread.is_valid()) return depot;
  return prologue.Emit(ptx::op::MAD_LO_S32rir,
                       {MachineOperand::CreateReg(thread), MachineOperand::CreateImm(kSharedSpillWordBytes),
                        MachineOperand::CreateReg(depot)});
}

void SlotMover::Move(const StackAccess& access, Register base) {
  MachineInstr& instr = *access.instr;
  if (access.kind == Kind::kDebug) {
    instr.operand(access.operand).ChangeTo(MachineOperand::CreateReg(Register()));
    return;
  }
  const int64_t stride = int64_t{room_.threads} * kSharedSpillWordBytes;
  const int64_t word = first_word_[static_cast<size_t>(access.index)] + access.offset / kSharedSpillWordBytes;
  const SharedSpillPlace place = {.base = base, .object = object_, .offset = word * stride, .stride = stride};
  const Register value = instr.operand(ptx::InstrInfo(instr.opcode()).first_value).reg();
  if (access.kind == Kind::kStore) {
    InsertSharedSpillStore(*instr.parent(), &instr, value, place, instr.debug_loc());
  } else {
    InsertSharedSpillLoad(*instr.parent(), &instr, value, place, instr.debug_loc());
  }
  instr.EraseFromParent();
}

bool SlotMover::Run() {
  FindSlots();
  if (!IsWorthIt()) return false;
  ChoosePlaces();
  if (num_words_ == 0) return false;
  const uint64_t bytes = uint64_t{num_words_} * kSharedSpillWordBytes * room_.threads;
  object_ = frame_.CreateSharedObject(bytes, kAlignLog2);
  const Register base = ComputeBase();
  uint64_t num_accesses = 0;
  for (const StackAccess& access : list_.accesses) {
    if (!IsSlot(access.index) || first_word_[static_cast<size_t>(access.index)] == kNotMoved) continue;
    num_accesses += access.is_plain();
    Move(access, base);
  }
  for (size_t i = 0; i < is_slot_.size(); ++i) {
    if (first_word_[i] != kNotMoved) frame_.objects()[i].is_dead = true;
  }
  context_.AddStatistic("spill slots moved to shared memory", num_moved_);
  context_.AddStatistic("accesses moved to shared memory", num_accesses);
  context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context_.pass_name, "SlotsMoved", function_)
           << RemarkArg("NumSlots", num_moved_) << " spill slots moved to " << RemarkArg("NumBytes", bytes)
           << " bytes of shared memory: " << RemarkArg("NumWords", num_words_) << " words for each of "
           << RemarkArg("NumThreads", room_.threads) << " threads";
  });
  return true;
}

}  // namespace

PassResult RunSharedSpillSlots(MachineFunction& function, PassContext& context) {
  const std::vector<StackObject>& objects = function.frame_info().objects();
  const bool has_slots = std::any_of(objects.begin(), objects.end(), [](const StackObject& object) {
    return object.type == StackObject::Type::kSpillSlot && !object.is_dead && !object.is_in_shared();
  });
  const ptx::Subtarget* subtarget = context.analyses.inputs().subtarget;
  if (!has_slots || function.empty() || subtarget == nullptr) return {.changed = false};
  if (context.knobs.ra_spill_space() == SpillSpace::kLocal) return {.changed = false};
  const SharedSpillRoom room = FindSharedSpillRoom(function, context.knobs, subtarget->sm());
  if (room.words == 0) {
    context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context.pass_name, "NoSharedMemory", function)
             << "spilled values stay in local memory: " << RemarkArg("Reason", room.refusal);
    });
    return {.changed = false};
  }
  if (!SlotMover(function, context, room).Run()) return {.changed = false};
  context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
