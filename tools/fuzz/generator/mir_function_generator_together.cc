// SPDX-License-Identifier: Apache-2.0

// Operations that involve more than a load or a store of one thread: matrices in shared memory, asynchronous
// copies, and exchange within a cluster. Also loops over addresses that advance in step.
//
// Each warp has a tile of shared memory for matrices. Its lanes synchronize before and after they store to the
// tile together. Asynchronous copies go to the thread's own slot of shared memory, and complete before anything
// else reads it.

#include <algorithm>
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
using ptx::PtxInstrInfo;
using ptx::reg_class::kB1;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

// Small integers: interpreted as floats of any width or as integers, their products stay in range.
void FunctionGenerator::SetUpTile() {
  if (!uses_tile_) return;
  const Register warp = Emit(op::SRL32_ri, kB32, {Use(thread_), Imm(5)});
  const Register lane = Emit(op::AND_b32ri, kB32, {Use(thread_), Imm(31)});
  const Register base = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.tiles)});
  tile_ = Emit(op::ADD64rr, kB64, {Use(base), Use(Emit(op::MUL_WIDEu32_ri, kB64, {Use(warp), Imm(kTileBytes)}))});
  const Register place = AddressPlus(tile_, lane, 4);
  const Register wide = Emit(op::CVT_u64_u32, kB64, {Use(thread_), Imm(0)});
  constexpr int64_t kRow = 32 * 16;
  for (int64_t at = 0; at < kTileBytes; at += kRow) {
    BuildMI(*block_, nullptr, op::STV_i64_v2)
        .AddUse(wide)
        .AddImm(random_.Between(0, 1000))
        .AddImm(0)
        .AddImm(0)
        .AddImm(address_space::kShared)
        .AddImm(64)
        .AddUse(place)
        .AddImm(at)
        .Insert();
  }
  BuildMI(*block_, nullptr, op::INT_BAR_WARP_SYNC_I).AddImm(-1).Insert();
  cost_ += kTileBytes / kRow;
}

MachineInstr* FunctionGenerator::EmitAddressed(Opcode opcode, absl::Span<const MachineOperand> bases,
                                               absl::Span<const int64_t> offsets, int64_t stride) {
  constexpr int64_t kAlignedMove = 63;
  std::vector<MachineOperand> operands;
  std::vector<std::pair<Register, RegClassId>> results;
  const absl::Span<const OperandDesc> descs = module_.target.Operands(opcode);
  const unsigned first_value = InstrInfo(opcode).first_value;
  const unsigned num_values = InstrInfo(opcode).num_values;
  for (unsigned i = 0; i < descs.size(); ++i) {
    const auto role = static_cast<OperandRole>(descs[i].role);
    if (i < module_.target.Get(opcode).num_defs) {
      results.emplace_back(NewRegister(descs[i].reg_class), descs[i].reg_class);
      operands.push_back(MachineOperand::CreateReg(results.back().first, MachineOperand::kDefine));
    } else if (role == OperandRole::kBase || role == OperandRole::kHandle) {
      operands.push_back(bases.front());
      bases.remove_prefix(1);
    } else if (role == OperandRole::kOff) {
      operands.push_back(Imm(offsets.front()));
      offsets.remove_prefix(1);
    } else if (role == OperandRole::kMma) {
      operands.push_back(Imm(kAlignedMove));
    } else if (role != OperandRole::kNone) {
      operands.push_back(Imm(0));
    } else if (descs[i].type != OperandType::kRegister) {
      operands.push_back(Imm(stride));
    } else if (stride != 0 && (i < first_value || i >= first_value + num_values)) {
      operands.push_back(Use(Emit(op::MOV_B32_i, kB32, {Imm(stride)})));
    } else if (!Has(descs[i].reg_class)) {
      return nullptr;
    } else {
      operands.push_back(Use(PickValue(descs[i].reg_class).reg));
    }
  }
  MachineInstr* const instr = function_.CreateInstr(opcode, operands);
  block_->Append(instr);
  for (const auto& [reg, reg_class] : results) Push(reg, reg_class, false);
  cost_ += trips_;
  --budget_;
  return instr;
}

MachineInstr* FunctionGenerator::EmitWhole(Opcode opcode, absl::Span<const Address> addresses,
                                           absl::Span<const MachineOperand> values) {
  std::vector<MachineOperand> operands;
  std::vector<std::pair<Register, RegClassId>> results;
  std::vector<MachineOperand> left(values.begin(), values.end());
  const MachineRegisterInfo& registers = function_.reg_info();
  const absl::Span<const OperandDesc> descs = module_.target.Operands(opcode);
  for (unsigned i = 0; i < descs.size(); ++i) {
    const OperandDesc& desc = descs[i];
    const auto role = static_cast<OperandRole>(desc.role);
    const bool is_register = desc.type == OperandType::kRegister;
    const auto fits = [&](const MachineOperand& operand) {
      if (!operand.is_reg()) return !is_register;
      return is_register && registers.reg_class(operand.reg()) == desc.reg_class;
    };
    if (i < module_.target.Get(opcode).num_defs) {
      results.emplace_back(NewRegister(desc.reg_class), desc.reg_class);
      operands.push_back(MachineOperand::CreateReg(results.back().first, MachineOperand::kDefine));
    } else if (role == OperandRole::kBase) {
      operands.push_back(Use(addresses.front().base));
    } else if (role == OperandRole::kOff) {
      operands.push_back(Imm(addresses.front().offset));
      addresses.remove_prefix(1);
    } else if (role != OperandRole::kNone && role != OperandRole::kHandle && !is_register) {
      operands.push_back(Imm(0));
    } else if (const auto found = std::find_if(left.begin(), left.end(), fits);
               found != left.end() && role != OperandRole::kHidden) {
      operands.push_back(*found);
      left.erase(found);
    } else if (!is_register) {
      operands.push_back(Imm(0));
    } else if (!Has(desc.reg_class)) {
      return nullptr;
    } else {
      operands.push_back(Use(PickValue(desc.reg_class).reg));
    }
  }
  MachineInstr* const instr = function_.CreateInstr(opcode, operands);
  block_->Append(instr);
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results.size() <= kMost || random_.Below(results.size()) < kMost) {
      Push(results[i].first, results[i].second, false);
    }
  }
  cost_ += trips_;
  --budget_;
  return instr;
}

// Emits wmma loads and stores, ldmatrix, stmatrix.
void FunctionGenerator::EmitMatrixMove() {
  if (!IsConverged() || !uses_tile_) return;
  constexpr AddressedFamily kFamilies[] = {AddressedFamily::kWmmaLoad, AddressedFamily::kWmmaStore,
                                           AddressedFamily::kLdMatrix, AddressedFamily::kStMatrix};
  // Weighted, because there are many opcodes of wmma loads.
  constexpr size_t kShares[] = {0, 0, 0, 0, 1, 1, 2, 3};
  const AddressedFamily family = kFamilies[random_.Pick(kShares)];
  const std::optional<Opcode> next = module_.NextOf(family);
  if (!next.has_value()) return;
  const Opcode opcode = *next;
  const MemorySpace space = InstrInfo(opcode).space;
  const bool is_store = family == AddressedFamily::kWmmaStore || family == AddressedFamily::kStMatrix;
  const bool is_wmma = family == AddressedFamily::kWmmaLoad || family == AddressedFamily::kWmmaStore;
  Register base = tile_;
  if (space == MemorySpace::kGlobal) {
    if (is_store) return;
    base = AddressPlus(input_global_, Index(4096, true).reg, 4);
  } else if (!is_wmma) {
    // Each lane names a row. The rows of a store are distinct.
    const Register lane = Emit(op::AND_b32ri, kB32, {Use(thread_), Imm(31)});
    base = AddressPlus(tile_, is_store ? lane : Index(kTileBytes / 16, false).reg, 4);
  }
  if (module_.catalog.TakesGenericAddress(opcode)) base = Emit(op::cvta_shared_64, kB64, {Use(base)});
  const auto meet = [&] { BuildMI(*block_, nullptr, op::INT_BAR_WARP_SYNC_I).AddImm(-1).Insert(); };
  if (is_store) meet();
  // A stride in elements: at least 16 bytes for each type, and no less than a row.
  const std::string_view name = ptx::SemanticsName(InstrInfo(opcode).semantics);
  EmitAddressed(opcode, {Use(base)}, {0}, name.find("b1") != name.npos ? 128 : 32);
  if (is_store) meet();
}

void FunctionGenerator::EmitPureForms(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const OpcodeForm* const form = PickForm(PickClass());
    if (form != nullptr && !form->is_collective) EmitForm(*form);
  }
}

// Copies from the input to the thread's slot. The copy completes before anything else accesses the slot.
void FunctionGenerator::EmitAsyncCopies() {
  if (!uses_shared_) return;
  for (int64_t half = 0; half < kSharedSlotBytes; half += 16) {
    if (random_.Percent(30)) continue;
    const Location source = InputLocation();
    const Register from = source.space == address_space::kGlobal
                              ? source.base.reg()
                              : Emit(op::cvta_to_global_64, kB64, {Use(source.base.reg())});
    const std::optional<Opcode> opcode = module_.NextOf(AddressedFamily::kCopy);
    if (!opcode.has_value()) return;
    EmitAddressed(*opcode, {Use(shared_slot_), Use(from)}, {half, 0}, random_.Between(1, 4));
    if (random_.Percent(50)) BuildMI(*block_, nullptr, op::CP_ASYNC_COMMIT_GROUP).Insert();
  }
  EmitPureForms(static_cast<unsigned>(random_.Below(4)));
  if (random_.Percent(50)) {
    BuildMI(*block_, nullptr, op::CP_ASYNC_WAIT_ALL).Insert();
  } else {
    BuildMI(*block_, nullptr, op::CP_ASYNC_COMMIT_GROUP).Insert();
    BuildMI(*block_, nullptr, op::CP_ASYNC_WAIT_GROUP).AddImm(0).Insert();
  }
  cost_ += 3 * trips_;
}

// Reads what the thread with the same number in the other CTA has stored, between two barriers of the cluster.
void FunctionGenerator::EmitClusterExchange() {
  if (!IsConverged() || !uses_shared_) return;
  if (random_.Percent(60)) EmitStore(SharedLocation());
  EmitClusterBarrier();
  Register rank = Emit(op::INT_PTX_SREG_CLUSTER_CTARANK, kB32, {});
  if (plan_.is_clustered) rank = Emit(op::XOR_b32ri, kB32, {Use(rank), Imm(1)});
  Location location;
  location.size = kSharedSlotBytes;
  location.align = 16;
  if (random_.Percent(50)) {
    location.space = address_space::kSharedCluster;
    location.base = Use(Emit(op::mapa_shared_cluster_64, kB64, {Use(shared_slot_), Use(rank)}));
    Push(Emit(op::getctarank_shared_cluster_64, kB32, {location.base}), kB32, false);
  } else {
    const Register generic = Emit(op::cvta_shared_64, kB64, {Use(shared_slot_)});
    location.base = Use(Emit(op::mapa_64, kB64, {Use(generic), Use(rank)}));
    Push(Emit(op::getctarank_64, kB32, {location.base}), kB32, false);
  }
  for (int64_t count = random_.Between(1, 3); count > 0; --count) EmitLoad(location);
  EmitClusterBarrier();
  cost_ += 4 * trips_;
}

// Emits a stack object that lives for a few instructions, so that other objects may use its memory before and
// after.
void FunctionGenerator::EmitScopedObject() {
  constexpr int64_t kBytes = 16;
  const int object = function_.frame_info().CreateStackObject(kBytes, 4);
  MachineFrameInfo& frame = function_.frame_info();
  frame.max_alignment = std::max<uint64_t>(frame.max_alignment, kBytes);
  const MachineOperand place = MachineOperand::CreateFrameIndex(object);
  BuildMI(*block_, nullptr, op::LIFETIME_START).Add(place).Insert();
  Location location;
  location.frame_index = object;
  location.base = place;
  for (int64_t at = 0; at < kBytes; at += 8) {
    MachineInstr* const store = BuildMI(*block_, nullptr, op::ST_i64)
                                    .AddUse(PickValue(kB64).reg)
                                    .AddImm(0)
                                    .AddImm(0)
                                    .AddImm(address_space::kGeneric)
                                    .AddImm(64)
                                    .Add(place)
                                    .AddImm(at)
                                    .Insert();
    location.offset = at;
    AttachMemOperand(*store, location, 64, false, true, false);
  }
  location.offset = 0;
  location.size = kBytes;
  location.align = kBytes;
  location.is_writable = true;
  for (int64_t count = random_.Between(1, 3); count > 0; --count) {
    EmitPureForms(static_cast<unsigned>(random_.Below(3)));
    if (random_.Percent(30)) {
      EmitStore(location);
    } else {
      EmitLoad(location);
    }
  }
  BuildMI(*block_, nullptr, op::LIFETIME_END).Add(place).Insert();
  cost_ += 4 * trips_;
}

// Emits an instruction with an effect that no value depends on.
void FunctionGenerator::EmitEffect() {
  switch (random_.Below(5)) {
    case 3: {
      // Must be aligned, and executed by all warps of a group.
      if (!IsConverged() || plan_.num_threads != kMaxThreads) return;
      BuildMI(*block_, nullptr, random_.Percent(50) ? op::SETMAXNREG_INC : op::SETMAXNREG_DEC)
          .AddImm(8 * random_.Between(8, 20))
          .Insert();
      break;
    }
    case 0:
      if (random_.Percent(30)) {
        EmitWhole(op::INT_NVVM_NANOSLEEP_R, {}, {Use(Index(16, false).reg)});
        return;
      }
      BuildMI(*block_, nullptr, op::INT_NVVM_NANOSLEEP_I).AddImm(random_.Between(0, 20)).Insert();
      break;
    case 1:
      BuildMI(*block_, nullptr, op::INT_PM_EVENT_MASK).AddImm(random_.Between(1, 15)).Insert();
      break;
    case 2:
      if (!IsConverged()) return;
      BuildMI(*block_, nullptr, random_.Percent(50) ? op::GRIDDEPCONTROL_WAIT : op::GRIDDEPCONTROL_LAUNCH_DEPENDENTS)
          .Insert();
      break;
    default: {
      if (!uses_shared_ || module_.sm == FuzzSm::k90a) return;
      const bool is_generic = random_.Percent(50);
      const Register size = Emit(op::MOV_B64_i, kB64, {Imm(16)});
      BuildMI(*block_, nullptr, is_generic ? op::INT_NVVM_ST_BULK_GENERIC : op::INT_NVVM_ST_BULK_SHARED_CTA)
          .AddUse(SharedAddress(is_generic, shared_slot_))
          .AddImm(random_.Percent(50) ? 0 : 16)
          .AddUse(size)
          .AddImm(0)
          .Insert();
    }
  }
  cost_ += trips_;
}

void FunctionGenerator::EmitSpecial() {
  switch (random_.Below(16)) {
    case 0:
    case 1:
    case 2:
      for (int64_t count = random_.Between(2, 8); count > 0; --count) EmitMatrixMove();
      return;
    case 3:
      return EmitAsyncCopies();
    case 4:
    case 5:
      return EmitMbarrier();
    case 6:
      return EmitClusterExchange();
    case 7:
      return EmitBulkCopies();
    case 8:
      return EmitBoxes();
    case 9:
      return EmitLaunchControl();
    case 10:
    case 11:
      return EmitTensorScene();
    case 12:
    case 13:
    case 14:
      for (int64_t count = random_.Between(2, 12); count > 0; --count) EmitTexture();
      return;
    default:
      return EmitEffect();
  }
}

// ---- Addresses that advance in step.

// Emits pointers into the input that are a constant, a stride or a thread's share apart. Each has its own
// induction variable, and some advance by a different step.
void FunctionGenerator::StridedLoop(unsigned depth) {
  constexpr int64_t kMost = 4;
  if (trips_ * kMost > kMaxTrips || !input_global_.is_valid()) return If(depth);
  const Register base = AddressPlus(input_global_, Index(1024, random_.Percent(50)).reg, 4);
  const Register stride = AddressPlus(Emit(op::MOV_B64_i, kB64, {Imm(0)}), Index(64, random_.Percent(70)).reg, 4);
  const Register bound = Emit(op::ADD32ri, kB32, {Use(Index(kMost, false).reg), Imm(1)});
  const Counting counting = CountTo(bound, false);
  std::vector<Value> starts = {counting.start};
  std::vector<RegClassId> classes = {kB32};
  Register start = base;
  const int64_t num_pointers = random_.Between(2, 6);
  for (int64_t i = 0; i < num_pointers; ++i) {
    starts.push_back({start, false});
    classes.push_back(kB64);
    if (random_.Percent(50)) {
      start = Emit(op::ADD64ri, kB64, {Use(random_.Percent(50) ? base : start), Imm(16 * random_.Between(0, 64))});
    } else {
      start = Emit(op::ADD64rr, kB64, {Use(random_.Percent(50) ? base : start), Use(stride)});
    }
  }
  for (const RegClassId reg_class : PickClasses(3)) classes.push_back(reg_class);
  Join header = NewJoin(std::move(classes));
  Join exit = NewJoin(PickClasses(3));
  AddEdge(header, starts);
  Goto(header.block);
  trips_ *= kMost;
  ++divergence_;
  StartBlock(header.block);
  PushHeader(header, false);
  const Scope scope = Mark();
  const bool by_stride = random_.Percent(40);
  const int64_t step = 16 * random_.Between(1, 16);
  std::vector<Value> next = {{}};
  for (int64_t i = 1; i <= num_pointers; ++i) {
    Location location;
    location.space = address_space::kGlobal;
    location.base = Use(header.results[static_cast<size_t>(i)]);
    location.size = 64;
    location.align = 16;
    location.is_constant = true;
    for (int64_t count = random_.Between(1, 2); count > 0; --count) EmitLoad(location);
  }
  Region(depth + 1);
  for (int64_t i = 1; i <= num_pointers; ++i) {
    const MachineOperand pointer = Use(header.results[static_cast<size_t>(i)]);
    const bool is_other = random_.Percent(10);
    next.push_back({by_stride && !is_other ? Emit(op::ADD64rr, kB64, {pointer, Use(stride)})
                                           : Emit(op::ADD64ri, kB64, {pointer, Imm(is_other ? 32 : step)}),
                    false});
  }
  next[0] = {Emit(op::ADD32ri, kB32, {Use(header.results[0]), Imm(counting.step)}), false};
  const Register more = Emit(op::SETP_i32rr, kB1, {Use(next[0].reg), Use(counting.bound), Imm(counting.comparison)});
  AddEdge(header, next);
  AddEdge(exit);
  Branch(more, header.block, exit.block);
  FinishJoin(header);
  trips_ /= kMost;
  --divergence_;
  Release(scope);
  StartBlock(exit.block);
  FinishJoin(exit);
  PushResults(exit, false);
}

}  // namespace ptxmir::fuzz
