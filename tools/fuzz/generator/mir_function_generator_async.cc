// SPDX-License-Identifier: Apache-2.0

// Asynchronous operations and waiting for them: mbarriers, bulk copies, boxes of tensors, requests to take over
// clusters. Also barriers, fences and prefetches.
//
// The first 16 bytes of a thread's slot of shared memory hold its mbarrier while there is one. The next 16 bytes
// are the target of copies, and the bytes from 32 on are the source. Each of these emitters leaves the slot
// defined, with no write to it still pending. Boxes of tensors are in the tile of the warp, whose first lane
// copies them.

#include <string_view>
#include <vector>

#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::OperandRole;
using ptx::reg_class::kB1;
using ptx::reg_class::kB16;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

constexpr int64_t kChunk = 16;
constexpr int64_t kCopiedTo = 16;
constexpr int64_t kCopiedFrom = 32;

bool SemanticsMention(Opcode opcode, std::string_view part) {
  const std::string_view name = ptx::SemanticsName(InstrInfo(opcode).semantics);
  return name.find(part) != name.npos;
}

}  // namespace

Register FunctionGenerator::SharedAddress(bool is_generic, Register shared) {
  return is_generic ? Emit(op::cvta_shared_64, kB64, {Use(shared)}) : shared;
}

// ---- mbarriers.

void FunctionGenerator::InitMbarrier(Register shared, int64_t count) {
  const bool is_generic = random_.Percent(30);
  const Register arrivals = Emit(op::MOV_B32_i, kB32, {Imm(count)});
  EmitWhole(is_generic ? op::MBARRIER_INIT : op::MBARRIER_INIT_SHARED, {Address{SharedAddress(is_generic, shared)}},
            {Use(arrivals)});
}

void FunctionGenerator::WaitForPhase(Address shared, Register state) {
  const std::optional<Opcode> next = module_.NextOf(AddressedFamily::kMbarrierWait);
  // If another warp arrives, a wait that tests only once would spin until that warp is scheduled.
  constexpr Opcode kBlocking[] = {
      op::mbar_try_wait_scope_cta_acquire_PARITY, op::mbar_try_wait_scope_cta_relaxed_PARITY,
      op::mbar_try_wait_scope_cluster_acquire_PARITY, op::mbar_try_wait_scope_cluster_relaxed_PARITY};
  Opcode opcode = random_.Pick(kBlocking);
  if (next.has_value() && state.is_valid()) opcode = *next;
  if (InstrInfo(opcode).space == MemorySpace::kGeneric) shared.base = SharedAddress(true, shared.base);
  std::vector<MachineOperand> values;
  if (SemanticsMention(opcode, ".parity")) {
    values.push_back(Use(Emit(op::MOV_B32_i, kB32, {Imm(0)})));
  } else {
    values.push_back(Use(state));
  }
  MachineBasicBlock* const wait = function_.CreateBlock();
  MachineBasicBlock* const rest = function_.CreateBlock();
  const Register limit = Emit(op::MOV_B32_i, kB32, {Imm(random_.Between(1, 1000))});
  values.push_back(Use(limit));
  Goto(wait);
  StartBlock(wait);
  const MachineInstr* const instr = EmitWhole(opcode, {shared}, values);
  Branch(instr->operand(0).reg(), rest, wait);
  StartBlock(rest);
}

// Emits arrivals of any kind that the mbarrier of the slot expects, and completes the bytes that they promise.
// Returns the state of the phase if one of them returned it.
Register FunctionGenerator::EmitArrivals(int64_t count) {
  Register state;
  int64_t bytes = 0;
  const auto complete = [&] {
    constexpr Opcode kCompletions[] = {
        op::mbar_complete_tx_scope_cta_space_cta, op::mbar_complete_tx_scope_cta_space_cluster,
        op::mbar_complete_tx_scope_cluster_space_cta, op::mbar_complete_tx_scope_cluster_space_cluster};
    const Opcode opcode = random_.Pick(kCompletions);
    EmitWhole(opcode, {Address{shared_slot_}}, {Use(Emit(op::MOV_B32_i, kB32, {Imm(bytes)}))});
    bytes = 0;
  };
  for (int64_t left = count; left > 0; --left) {
    Opcode opcode = module_.NextOf(AddressedFamily::kMbarrierArrive).value_or(op::MBARRIER_ARRIVE_SHARED);
    // The last arrival must be able to end the phase. One that drops must leave another thread to arrive.
    if (left == 1 && (SemanticsMention(opcode, "noComplete") || SemanticsMention(opcode, "arrive_drop")))
      opcode = op::MBARRIER_ARRIVE_SHARED;
    const bool expects = SemanticsMention(opcode, "expect_tx");
    if (expects) bytes += kChunk;
    const Register number = Emit(op::MOV_B32_i, kB32, {Imm(expects ? kChunk : 1)});
    const bool is_generic = InstrInfo(opcode).space == MemorySpace::kGeneric;
    const MachineInstr* const instr =
        EmitWhole(opcode, {Address{SharedAddress(is_generic, shared_slot_)}}, {Use(number)});
    if (module_.target.Get(opcode).num_defs != 0) state = instr->operand(0).reg();
    EmitPureForms(static_cast<unsigned>(random_.Below(3)));
    const std::optional<Opcode> tracked = module_.NextOf(AddressedFamily::kMbarrierCount);
    if (left > 1 && tracked.has_value() && SemanticsMention(*tracked, ".expect_tx")) {
      EmitWhole(*tracked, {Address{shared_slot_}}, {Use(Emit(op::MOV_B32_i, kB32, {Imm(kChunk)}))});
      bytes += kChunk;
    }
    if (bytes != 0 && random_.Percent(50)) complete();
  }
  if (bytes != 0) complete();
  return state;
}

// Emits an mbarrier that only this thread uses: its own arrivals complete a phase.
void FunctionGenerator::EmitMbarrier() {
  if (!uses_shared_) return;
  int64_t count = random_.Between(1, 3);
  InitMbarrier(shared_slot_, count);
  if (random_.Percent(40)) {
    // Either a separately counted arrival for copies (.noinc), or an additional expected one.
    const bool is_counted = random_.Percent(50);
    const bool is_generic = random_.Percent(50);
    const Opcode opcode =
        is_counted ? (is_generic ? op::CP_ASYNC_MBARRIER_ARRIVE_NOINC : op::CP_ASYNC_MBARRIER_ARRIVE_NOINC_SHARED)
                   : (is_generic ? op::CP_ASYNC_MBARRIER_ARRIVE : op::CP_ASYNC_MBARRIER_ARRIVE_SHARED);
    if (count > 1 || !is_counted) {
      EmitWhole(opcode, {Address{SharedAddress(is_generic, shared_slot_)}}, {});
      if (is_counted) --count;
    }
  }
  const Register state = EmitArrivals(count);
  WaitForPhase({shared_slot_}, state);
  if (state.is_valid()) Push(Emit(op::MBARRIER_PENDING_COUNT, kB32, {Use(state)}), kB32, false);
  RestoreSlot();
}

// Restores the slot after the last use of the mbarrier.
void FunctionGenerator::RestoreSlot() {
  const bool is_generic = random_.Percent(30);
  EmitWhole(is_generic ? op::MBARRIER_INVAL : op::MBARRIER_INVAL_SHARED,
            {Address{SharedAddress(is_generic, shared_slot_)}}, {});
  BuildMI(*block_, nullptr, op::ST_i64)
      .AddUse(PickValue(kB64).reg)
      .AddImm(0)
      .AddImm(0)
      .AddImm(address_space::kShared)
      .AddImm(64)
      .AddUse(shared_slot_)
      .AddImm(0)
      .Insert();
  cost_ += 2 * trips_;
}

// ---- Bulk copies.

// Returns the CTA itself, as a mask of CTAs of the cluster.
Register FunctionGenerator::ClusterMask() {
  const Register rank = Emit(op::INT_PTX_SREG_CLUSTER_CTARANK, kB32, {});
  const Register one = Emit(op::MOV_B32_i, kB32, {Imm(1)});
  return Emit(op::CVT_u16_u32, kB16, {Use(Emit(op::SHL32_rr, kB32, {Use(one), Use(rank)})), Imm(0)});
}

void FunctionGenerator::EmitBulkCopies() {
  if (!uses_shared_ || !input_global_.is_valid()) return;
  if (const std::optional<Opcode> prefetch = module_.NextOf(AddressedFamily::kBulkPrefetch);
      random_.Percent(30) && prefetch.has_value()) {
    EmitWhole(*prefetch, {Address{AddressPlus(input_global_, Index(4096, false).reg, 4)}},
              {Use(Emit(op::MOV_B32_i, kB32, {Imm(kChunk)}))});
  }
  if (random_.Percent(60)) EmitBulkLoad();
  if (random_.Percent(60)) EmitBulkStore();
}

// Copies from the input, or from elsewhere in the slot.
void FunctionGenerator::EmitBulkLoad() {
  const std::optional<Opcode> opcode = module_.NextOf(AddressedFamily::kBulkLoad);
  if (!opcode.has_value()) return;
  InitMbarrier(shared_slot_, 1);
  const Register size = Emit(op::MOV_B32_i, kB32, {Imm(kChunk)});
  const MachineInstr* const arrival =
      EmitWhole(op::mbar_arrive_expect_txscope_cta_release_CTA, {Address{shared_slot_}}, {Use(size)});
  const Register state = arrival->operand(0).reg();
  Address source = {shared_slot_, kCopiedFrom};
  if (!SemanticsMention(*opcode, ".shared::cta.mbarrier") || SemanticsMention(*opcode, ".global")) {
    source = {AddressPlus(input_global_, Index(4096, false).reg, 4)};
  }
  EmitWhole(*opcode, {Address{shared_slot_, kCopiedTo}, Address{shared_slot_}, source},
            {Use(size), Use(ClusterMask())});
  EmitPureForms(static_cast<unsigned>(random_.Below(4)));
  WaitForPhase({shared_slot_}, state);
  Location location;
  location.space = address_space::kShared;
  location.base = Use(shared_slot_);
  location.offset = kCopiedTo;
  location.size = kChunk;
  location.align = kChunk;
  EmitLoad(location);
  RestoreSlot();
}

void FunctionGenerator::EmitBulkStore() {
  const std::optional<Opcode> opcode = module_.NextOf(AddressedFamily::kBulkStore);
  if (!opcode.has_value()) return;
  const int64_t chunks = random_.Between(1, kSharedSlotBytes / kChunk);
  const Address to = {slot_global_, kChunk * random_.Between(0, (kFreeSlotBytes - chunks * kChunk) / kChunk)};
  EmitWhole(*opcode, {to, Address{shared_slot_}}, {Use(Emit(op::MOV_B32_i, kB32, {Imm(chunks * kChunk)}))});
  BuildMI(*block_, nullptr, op::CP_ASYNC_BULK_COMMIT_GROUP).Insert();
  EmitPureForms(static_cast<unsigned>(random_.Below(4)));
  // Waiting until the source has been read is not enough for a reader of the target.
  if (random_.Percent(50)) BuildMI(*block_, nullptr, op::CP_ASYNC_BULK_WAIT_GROUP_READ).AddImm(0).Insert();
  BuildMI(*block_, nullptr, op::CP_ASYNC_BULK_WAIT_GROUP).AddImm(0).Insert();
  cost_ += 3 * trips_;
}

// ---- Boxes of tensors.

void FunctionGenerator::EmitBoxes() {
  if (!IsConverged() || !uses_shared_ || !uses_tile_ || !module_.has_maps) return;
  const auto meet = [&] { BuildMI(*block_, nullptr, op::INT_BAR_WARP_SYNC_I).AddImm(-1).Insert(); };
  const Register lane = Emit(op::AND_b32ri, kB32, {Use(thread_), Imm(31)});
  const Register is_first = Emit(op::SETP_i32ri, kB1, {Use(lane), Imm(0), Imm(0)});
  const std::optional<Opcode> load = module_.NextOf(AddressedFamily::kBoxLoad);
  const std::optional<Opcode> store = module_.NextOf(AddressedFamily::kBoxStore);
  const std::optional<Opcode> prefetch = module_.NextOf(AddressedFamily::kBoxPrefetch);
  meet();
  EmitGuarded(is_first, [&] {
    if (prefetch.has_value() && random_.Percent(40)) EmitBoxLoad(*prefetch);
    if (load.has_value() && random_.Percent(80)) EmitBoxLoad(*load);
    if (store.has_value() && random_.Percent(70)) EmitBoxStore(*store);
  });
  meet();
}

namespace {

// Returns the number of printed 32-bit register operands, which are the coordinates.
size_t RankOf(const TargetInfo& target, Opcode opcode) {
  size_t rank = 0;
  for (const OperandDesc& desc : target.Operands(opcode)) {
    rank += desc.type == OperandType::kRegister && desc.reg_class == kB32 &&
            static_cast<OperandRole>(desc.role) == OperandRole::kNone;
  }
  return rank;
}

}  // namespace

// Loads or prefetches a box.
void FunctionGenerator::EmitBoxLoad(Opcode opcode) {
  const size_t rank = RankOf(module_.target, opcode);
  const GlobalId map = module_.load_maps[rank - 1];
  std::vector<MachineOperand> values = {Use(Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(map)}))};
  for (size_t i = 0; i < rank; ++i) {
    values.push_back(Use(Emit(op::MOV_B32_i, kB32, {Imm(random_.Between(-1, i == 0 && rank == 1 ? 30 : 2))})));
  }
  if (InstrInfo(opcode).address == ptx::PtxInstrInfo::kNoOperand) {
    EmitWhole(opcode, {}, values);
    return;
  }
  values.push_back(Use(ClusterMask()));
  InitMbarrier(shared_slot_, 1);
  const Register size = Emit(op::MOV_B32_i, kB32, {Imm(module_.box_bytes[rank - 1])});
  const MachineInstr* const arrival =
      EmitWhole(op::mbar_arrive_expect_txscope_cta_release_CTA, {Address{shared_slot_}}, {Use(size)});
  const Register state = arrival->operand(0).reg();
  constexpr int64_t kBoxAlignment = 128;
  const int64_t at = kBoxAlignment * random_.Between(0, kTileBytes / kBoxAlignment / 2);
  EmitWhole(opcode, {Address{tile_, at}, Address{shared_slot_}}, values);
  WaitForPhase({shared_slot_}, state);
  RestoreSlot();
}

void FunctionGenerator::EmitBoxStore(Opcode opcode) {
  const size_t rank = RankOf(module_.target, opcode);
  const GlobalId map = module_.store_maps[rank - 1];
  std::vector<MachineOperand> values = {Use(Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(map)}))};
  for (size_t i = 0; i + 1 < rank; ++i) values.push_back(Use(Emit(op::MOV_B32_i, kB32, {Imm(0)})));
  Register warp = Emit(op::SRL32_ri, kB32, {Use(number_), Imm(5)});
  if (rank == 1) warp = Emit(op::SHL32_ri, kB32, {Use(warp), Imm(2)});
  values.push_back(Use(warp));
  EmitWhole(opcode, {Address{tile_}}, values);
  BuildMI(*block_, nullptr, op::CP_ASYNC_BULK_COMMIT_GROUP).Insert();
  BuildMI(*block_, nullptr, op::CP_ASYNC_BULK_WAIT_GROUP).AddImm(0).Insert();
  cost_ += 2 * trips_;
}

// ---- Taking over a cluster. There is only one cluster and it is running, so nothing can be taken.

void FunctionGenerator::EmitLaunchControl() {
  if (!IsConverged() || !uses_shared_ || !plan_.is_clustered || module_.sm == FuzzSm::k90a) return;
  const bool multicasts = random_.Percent(50);
  InitMbarrier(shared_slot_, 1);
  // With .multicast, the requests of this thread and of the thread with the same number in the other CTA.
  const Register size = Emit(op::MOV_B32_i, kB32, {Imm(multicasts ? 2 * kChunk : kChunk)});
  const MachineInstr* const arrival =
      EmitWhole(op::mbar_arrive_expect_txscope_cluster_release_CTA, {Address{shared_slot_}}, {Use(size)});
  const Register state = arrival->operand(0).reg();
  EmitClusterBarrier();
  EmitWhole(multicasts ? op::CLUSTERLAUNCHCONTRL_TRY_CANCEL_MULTICAST : op::CLUSTERLAUNCHCONTRL_TRY_CANCEL,
            {Address{shared_slot_, kCopiedTo}, Address{shared_slot_}}, {});
  WaitForPhase({shared_slot_}, state);
  MachineInstrBuilder load = BuildMI(*block_, nullptr, op::LDV_i64_v2);
  const Register words[] = {NewRegister(kB64), NewRegister(kB64)};
  load.AddDef(words[0])
      .AddDef(words[1])
      .AddImm(0)
      .AddImm(0)
      .AddImm(address_space::kShared)
      .AddImm(3)
      .AddImm(64)
      .AddImm(-1);
  load.AddUse(shared_slot_).AddImm(kCopiedTo).Insert();
  EmitWhole(op::CLUSTERLAUNCHCONTROL_QUERY_CANCEL_IS_CANCELED, {}, {Use(words[0]), Use(words[1])});
  // The result of this query is undefined.
  constexpr Opcode kIndices[] = {op::CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID_x,
                                 op::CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID_y,
                                 op::CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID_z};
  const Register index = Emit(random_.Pick(kIndices), kB32, {Use(words[0]), Use(words[1])});
  Push(Emit(op::AND_b32ri, kB32, {Use(index), Imm(0)}), kB32, true);
  EmitClusterBarrier();
  RestoreSlot();
}

// ---- Barriers and hints.

void FunctionGenerator::EmitClusterBarrier() {
  constexpr Opcode kArrivals[] = {op::barrier_cluster_arrive, op::barrier_cluster_arrive_aligned};
  BuildMI(*block_, nullptr, random_.Pick(kArrivals)).Insert();
  constexpr Opcode kWaits[] = {op::barrier_cluster_wait, op::barrier_cluster_wait_aligned};
  BuildMI(*block_, nullptr, random_.Pick(kWaits)).Insert();
  cost_ += 2 * trips_;
}

// Uses one of the CTA's 16 named barriers, with all threads. A thread that only arrives then comes once more and
// waits for all of these arrivals.
void FunctionGenerator::EmitNamedBarrier() {
  const std::optional<Opcode> next = module_.NextOf(AddressedFamily::kBarrier);
  if (!next.has_value() || SemanticsMention(*next, "warp") || SemanticsMention(*next, "cluster")) return;
  const bool only_arrives = SemanticsMention(*next, ".arrive");
  const int64_t number = random_.Between(0, 15);
  const int64_t threads = plan_.num_threads * (only_arrives ? 2 : 1);
  std::vector<MachineOperand> operands;
  unsigned given = 0;
  const absl::Span<const OperandDesc> descs = module_.target.Operands(*next);
  for (size_t i = module_.target.Get(*next).num_defs; i < descs.size(); ++i) {
    const bool is_register = descs[i].type == OperandType::kRegister;
    if (is_register && descs[i].reg_class == kB1) {
      operands.push_back(Use(PickValue(kB1).reg));
      continue;
    }
    const int64_t value = given++ == 0 ? number : threads;
    operands.push_back(is_register ? Use(Emit(op::MOV_B32_i, kB32, {Imm(value)})) : Imm(value));
  }
  EmitWhole(*next, {}, operands);
  if (only_arrives) BuildMI(*block_, nullptr, op::BARRIER_CTA_SYNC_ii).AddImm(number).AddImm(threads).Insert();
}

void FunctionGenerator::EmitPrefetch() {
  const std::optional<Opcode> opcode = module_.NextOf(AddressedFamily::kPrefetch);
  if (!opcode.has_value() || SemanticsMention(*opcode, "discard")) return;
  Register address = slot_generic_;
  switch (InstrInfo(*opcode).space) {
    case MemorySpace::kGeneric:
      break;
    case MemorySpace::kGlobal:
      address = slot_global_;
      break;
    case MemorySpace::kConst:
      address = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.table)});
      break;
    case MemorySpace::kLocal: {
      if (stack_objects_.empty()) return;
      const MachineOperand object = MachineOperand::CreateFrameIndex(random_.Pick(stack_objects_));
      address = Emit(op::cvta_to_local_64, kB64, {Use(Emit(op::LEA_ADDRi64, kB64, {object, Imm(0)}))});
      break;
    }
    default:
      return;
  }
  // For opcodes that take a size: one cache line.
  EmitWhole(*opcode, {Address{address}}, {Use(Emit(op::MOV_B64_i, kB64, {Imm(128)}))});
}

}  // namespace ptxmir::fuzz
