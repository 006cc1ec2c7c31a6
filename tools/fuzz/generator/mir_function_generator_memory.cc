// SPDX-License-Identifier: Apache-2.0

// Memory: loads, stores and atomics on memory that the thread may access, and exchanges through shared memory.

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "mir/code/memory_scope.h"
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
using ptx::reg_class::kB16;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

struct Access {
  Opcode opcode;
  RegClassId reg_class;
  uint8_t bits;  // of a register
  uint8_t count;
};

constexpr Access kLoads[] = {
    {op::LD_i16, kB16, 16, 1},     {op::LD_i32, kB32, 32, 1},     {op::LD_i64, kB64, 64, 1},
    {op::LDV_i16_v2, kB16, 16, 2}, {op::LDV_i32_v2, kB32, 32, 2}, {op::LDV_i64_v2, kB64, 64, 2},
    {op::LDV_i16_v4, kB16, 16, 4}, {op::LDV_i32_v4, kB32, 32, 4}, {op::LDV_i64_v4, kB64, 64, 4},
    {op::LDV_i32_v8, kB32, 32, 8},
};
constexpr Access kReadOnlyLoads[] = {
    {op::LD_GLOBAL_NC_i16, kB16, 16, 1},   {op::LD_GLOBAL_NC_i32, kB32, 32, 1},   {op::LD_GLOBAL_NC_i64, kB64, 64, 1},
    {op::LD_GLOBAL_NC_v2i16, kB16, 16, 2}, {op::LD_GLOBAL_NC_v2i32, kB32, 32, 2}, {op::LD_GLOBAL_NC_v2i64, kB64, 64, 2},
    {op::LD_GLOBAL_NC_v4i16, kB16, 16, 4}, {op::LD_GLOBAL_NC_v4i32, kB32, 32, 4}, {op::LD_GLOBAL_NC_v4i64, kB64, 64, 4},
    {op::LD_GLOBAL_NC_v8i32, kB32, 32, 8},
};
constexpr Access kUniformLoads[] = {
    {op::LDU_GLOBAL_i16, kB16, 16, 1},   {op::LDU_GLOBAL_i32, kB32, 32, 1},   {op::LDU_GLOBAL_i64, kB64, 64, 1},
    {op::LDU_GLOBAL_v2i32, kB32, 32, 2}, {op::LDU_GLOBAL_v4i32, kB32, 32, 4}, {op::LDU_GLOBAL_v2i64, kB64, 64, 2},
    {op::LDU_GLOBAL_v2i16, kB16, 16, 2}, {op::LDU_GLOBAL_v4i16, kB16, 16, 4},
};
constexpr Access kStores[] = {
    {op::ST_i16, kB16, 16, 1},     {op::ST_i32, kB32, 32, 1},     {op::ST_i64, kB64, 64, 1},
    {op::STV_i16_v2, kB16, 16, 2}, {op::STV_i32_v2, kB32, 32, 2}, {op::STV_i64_v2, kB64, 64, 2},
    {op::STV_i16_v4, kB16, 16, 4}, {op::STV_i32_v4, kB32, 32, 4}, {op::STV_i64_v4, kB64, 64, 4},
    {op::STV_i32_v8, kB32, 32, 8},
};

// Only global memory supports 32-byte accesses, from sm_100 on.
bool IsAllowed(const Access& access, const Location& location, FuzzSm sm) {
  const int64_t bytes = access.bits / 8 * access.count;
  if (bytes > 16 && (location.space != address_space::kGlobal || sm == FuzzSm::k90a)) return false;
  return bytes <= location.size && bytes <= location.align;
}

bool MayBeVolatile(unsigned space) {
  return space == address_space::kGeneric || space == address_space::kGlobal || space == address_space::kShared;
}

// Values of the memory order and scope operands (the modifiers atom.sem and atom.scope).
struct Ordering {
  int64_t order;
  MemoryScope scope;
};
constexpr int64_t kVolatileOrder = 8;

}  // namespace

// ---- Locations.

Register FunctionGenerator::AddressPlus(Register base, Register index, unsigned shift) {
  Register offset;
  if (random_.Percent(50)) {
    offset = Emit(op::MUL_WIDEu32_ri, kB64, {Use(index), Imm(int64_t{1} << shift)});
  } else {
    const Register wide = Emit(op::CVT_u64_u32, kB64, {Use(index), Imm(0)});
    offset = Emit(op::SHL64_ri, kB64, {Use(wide), Imm(shift)});
  }
  return Emit(op::ADD64rr, kB64, {Use(base), Use(offset)});
}

Location FunctionGenerator::SlotLocation() {
  const bool is_global = random_.Percent(60);
  const Register base = is_global ? slot_global_ : slot_generic_;
  Location location;
  location.space = is_global ? address_space::kGlobal : address_space::kGeneric;
  location.is_writable = true;
  location.base = Use(base);
  location.size = kFreeSlotBytes;
  location.align = 32;
  if (random_.Percent(30)) {
    constexpr int64_t kPiece = 16;
    const Value index = Index(kFreeSlotBytes / kPiece, false);
    location.base = Use(AddressPlus(base, index.reg, 4));
    location.size = kPiece;
    location.align = kPiece;
  }
  return location;
}

Location FunctionGenerator::InputLocation() {
  const bool is_global = random_.Percent(70);
  const bool uniform = random_.Percent(20);
  const Value index = Index(4096, uniform);
  Location location;
  location.space = is_global ? address_space::kGlobal : address_space::kGeneric;
  location.base = Use(AddressPlus(is_global ? input_global_ : input_generic_, index.reg, 4));
  location.size = 64;
  location.align = 16;
  location.is_constant = true;
  location.is_uniform = index.is_uniform;
  return location;
}

Location FunctionGenerator::SharedLocation() {
  Location location;
  location.is_writable = true;
  location.size = kSharedSlotBytes;
  location.align = 16;
  location.space = address_space::kShared;
  location.base = Use(shared_slot_);
  if (random_.Percent(25)) {
    location.space = address_space::kGeneric;
    location.base = Use(Emit(op::cvta_shared_64, kB64, {Use(shared_slot_)}));
  }
  return location;
}

Location FunctionGenerator::StackLocation() {
  Location location;
  location.frame_index = random_.Pick(stack_objects_);
  const StackObject& object = function_.frame_info().object(location.frame_index);
  location.is_writable = true;
  location.size = static_cast<int64_t>(object.size);
  location.align = 16;
  location.base = MachineOperand::CreateFrameIndex(location.frame_index);
  if (random_.Percent(50)) return location;
  // Keeps the alignment of the object.
  const int64_t begin = IsSmall() && location.size > 16 && random_.Percent(50) ? 16 : 0;
  location.size -= begin;
  Register base = Emit(op::LEA_ADDRi64, kB64, {location.base, Imm(begin)});
  if (random_.Percent(50)) {
    if (IsSmall() && random_.Percent(20)) Push(Emit(op::isspace_local_64, kB1, {Use(base)}), kB1, true);
    base = Emit(op::cvta_to_local_64, kB64, {Use(base)});
    location.space = address_space::kLocal;
  }
  if (random_.Percent(60)) {
    constexpr int64_t kPiece = 8;
    base = AddressPlus(base, Index(static_cast<uint32_t>(location.size / kPiece), false).reg, 3);
    location.size = kPiece;
    location.align = kPiece;
  }
  location.base = Use(base);
  return location;
}

Location FunctionGenerator::ByValLocation() {
  const unsigned number = random_.Pick(byval_parameters_);
  const std::string name = StrCat(function_.name(), "_param_", number);
  const MachineOperand symbol = MachineOperand::CreateExternalSymbol(function_.InternSymbol(name));
  Location location;
  location.is_constant = true;
  location.size = kByValBytes;
  location.align = 8;
  if (plan_.is_kernel) {
    location.space = address_space::kParam;
    location.base = symbol;
    location.is_uniform = true;
    return location;
  }
  Register address = Emit(op::MOV64_PARAM, kB64, {symbol});
  location.space = address_space::kLocal;
  if (IsSmall() && random_.Percent(50)) {
    address = Emit(op::cvta_local_64, kB64, {Use(address)});
    if (random_.Percent(30)) Push(Emit(op::isspace_local_64, kB1, {Use(address)}), kB1, true);
    location.space = address_space::kGeneric;
    // So that the load may be volatile.
    location.is_constant = false;
  }
  location.base = Use(address);
  return location;
}

// Returns constant memory, read-only global memory, or a parameter that is a structure.
Location FunctionGenerator::SymbolLocation() {
  Location location;
  location.align = 16;
  location.is_constant = true;
  location.is_uniform = true;
  if (!byval_parameters_.empty() && random_.Percent(40)) return ByValLocation();
  const bool is_constant = random_.Percent(60);
  location.space = is_constant ? address_space::kConst : address_space::kGlobal;
  location.global = is_constant ? module_.table : module_.pool;
  location.size = kTableBytes;
  location.base = MachineOperand::CreateGlobal(location.global);
  if (random_.Percent(50)) {
    constexpr int64_t kPiece = 16;
    const Register base = Emit(op::MOV_B64_sym, kB64, {location.base});
    const Value index = Index(kTableBytes / kPiece, random_.Percent(30));
    location.base = Use(AddressPlus(base, index.reg, 4));
    location.size = kPiece;
    location.is_uniform = index.is_uniform;
  }
  return location;
}

Location FunctionGenerator::PickLocation() {
  if (IsSmall() && !plan_.is_kernel && !byval_parameters_.empty() && random_.Percent(40)) return ByValLocation();
  const uint64_t at = random_.Below(100);
  if (at < 20 && uses_shared_) return SharedLocation();
  if (at < 40 && !stack_objects_.empty()) return StackLocation();
  if (at < 55) return SymbolLocation();
  if (at < 70 && input_generic_.is_valid()) return InputLocation();
  return SlotLocation();
}

bool FunctionGenerator::Narrow(Location& location, int64_t size) {
  if (size > location.size || size > static_cast<int64_t>(location.align)) return false;
  // The few accesses of a small function seldom meet unless they are to the same place.
  const bool is_first = IsSmall() && location.is_writable && random_.Percent(60);
  if (!is_first) location.offset += random_.Between(0, location.size / size - 1) * size;
  location.size = size;
  return true;
}

// ---- Accesses.

void FunctionGenerator::AttachMemOperand(MachineInstr& instr, const Location& location, unsigned bits, bool is_load,
                                         bool is_store, bool is_volatile) {
  // Without a memory operand, the access may be to anything.
  if (random_.Percent(10)) return;
  MachineMemOperand memory;
  if (is_load) memory.flags |= MachineMemOperand::kLoad;
  if (is_store) memory.flags |= MachineMemOperand::kStore;
  if (is_volatile) memory.flags |= MachineMemOperand::kVolatile;
  if (is_load && !is_store && location.is_constant && random_.Percent(60)) {
    memory.flags |= MachineMemOperand::kInvariant | MachineMemOperand::kDereferenceable;
  }
  memory.has_known_size = true;
  memory.type.kind = LowLevelType::Kind::kScalar;
  memory.type.bits = bits;
  memory.address_space = location.space;
  const auto size_log2 = static_cast<uint8_t>(std::bit_width(bits / 8) - 1);
  const auto base_log2 = static_cast<uint8_t>(std::bit_width(location.align) - 1);
  const auto offset_log2 = static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(location.offset)));  // 64 for 0
  const uint8_t known_log2 = std::min(base_log2, offset_log2);
  const bool states_known = known_log2 > size_log2 && random_.Percent(30);
  memory.align_log2 = states_known ? known_log2 : size_log2;
  memory.base_align_log2 = states_known && location.base.is_frame_index() ? base_log2 : memory.align_log2;
  if (location.base.is_frame_index()) {
    memory.value_kind = MachineMemOperand::ValueKind::kFrameIndex;
    memory.frame_index = location.frame_index;
    memory.offset = location.offset;
  } else if (location.base.is_global()) {
    memory.value_kind = MachineMemOperand::ValueKind::kGlobal;
    memory.text = module_.module.CopyString(StrCat("@", module_.module.global_value(location.global).name));
    memory.offset = location.offset;
  }
  const MachineMemOperand* const operands[] = {function_.CreateMemOperand(memory)};
  instr.SetMemOperands(operands);
}

void FunctionGenerator::EmitLoad(Location location) {
  const bool is_read_only = location.is_constant && location.space == address_space::kGlobal;
  const bool is_nc = is_read_only && random_.Percent(50);
  const bool is_ldu = is_read_only && !is_nc && random_.Percent(20);
  const absl::Span<const Access> accesses = is_nc    ? absl::MakeConstSpan(kReadOnlyLoads)
                                            : is_ldu ? absl::MakeConstSpan(kUniformLoads)
                                                     : absl::MakeConstSpan(kLoads);
  const Access& access = random_.Pick(accesses);
  if (!IsAllowed(access, location, module_.sm)) return;
  unsigned width = access.bits;
  const bool is_narrow = !is_ldu && access.count <= 2 && random_.Percent(20);
  if (is_narrow && access.bits > 8)
    width = access.count == 2 ? std::min(16u, width) / 2 : 8u << random_.Below(access.bits == 16 ? 1 : 2);
  if (!Narrow(location, width / 8 * access.count)) return;
  const bool is_plain =
      is_nc || is_ldu || width * access.count > 128 || !MayBeVolatile(location.space) || location.is_constant;
  constexpr Ordering kOrderings[] = {
      {kVolatileOrder, MemoryScope::kNone}, {2, MemoryScope::kCta}, {2, MemoryScope::kGpu}, {2, MemoryScope::kSys}};
  const Ordering ordering =
      is_plain || random_.Percent(85) ? Ordering{0, MemoryScope::kNone} : random_.Pick(kOrderings);
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, access.opcode);
  for (unsigned i = 0; i < access.count; ++i) {
    const Register result = NewRegister(access.reg_class);
    builder.AddDef(result);
    Push(result, access.reg_class, location.is_uniform && divergence_ == 0);
  }
  constexpr int64_t kSigns[] = {0, 1, 3};
  if (!is_nc && !is_ldu) {
    builder.AddImm(ordering.order).AddImm(static_cast<int64_t>(ordering.scope)).AddImm(location.space);
  }
  if (!is_ldu) builder.AddImm(width < access.bits ? random_.Pick(kSigns) : 3);
  builder.AddImm(width);
  if (!is_ldu) builder.AddImm(-1);
  MachineInstr* instr = builder.Add(location.base).AddImm(location.offset).Insert();
  AttachMemOperand(*instr, location, width * access.count, true, false, ordering.order == kVolatileOrder);
  cost_ += trips_;
  --budget_;
}

void FunctionGenerator::EmitStore(Location location) {
  const Access& access = random_.Pick(kStores);
  if (!IsAllowed(access, location, module_.sm)) return;
  unsigned width = access.bits;
  if (access.count == 1 && access.bits > 8 && random_.Percent(20)) width = access.bits == 16 ? 8 : access.bits / 2;
  if (!Narrow(location, width / 8 * access.count)) return;
  const bool is_plain = width * access.count > 128 || !MayBeVolatile(location.space);
  constexpr Ordering kOrderings[] = {
      {kVolatileOrder, MemoryScope::kNone}, {2, MemoryScope::kCta}, {2, MemoryScope::kGpu}, {2, MemoryScope::kSys}};
  const Ordering ordering =
      is_plain || random_.Percent(85) ? Ordering{0, MemoryScope::kNone} : random_.Pick(kOrderings);
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, access.opcode);
  for (unsigned i = 0; i < access.count; ++i) {
    if (access.count == 1 && random_.Percent(10)) {
      builder.AddImm(random_.Between(-100, 100));
    } else {
      builder.AddUse(PickValue(access.reg_class).reg);
    }
  }
  MachineInstr* instr = builder.AddImm(ordering.order)
                            .AddImm(static_cast<int64_t>(ordering.scope))
                            .AddImm(location.space)
                            .AddImm(width)
                            .Add(location.base)
                            .AddImm(location.offset)
                            .Insert();
  AttachMemOperand(*instr, location, width * access.count, false, true, ordering.order == kVolatileOrder);
  cost_ += trips_;
  --budget_;
}

// Loads or stores a word, or half of one, with the same base and offsets each time: in the thread's slot or on the
// stack. So passes see equal loads with stores between them, and slots that all accesses agree on.
void FunctionGenerator::EmitWordAccess() {
  Location location;
  location.is_writable = true;
  location.size = 4;
  location.align = 4;
  location.offset = 4 * random_.Between(0, 1);
  unsigned bits = 32;
  if (word_bits_ <= 32 && random_.Percent(40)) {
    bits = static_cast<unsigned>(word_bits_);
    location.frame_index = stack_objects_.front();
    location.base = MachineOperand::CreateFrameIndex(location.frame_index);
  } else {
    location.space = address_space::kGlobal;
    location.base = Use(slot_global_);
  }
  EmitPlainAccess(random_.Percent(60), kB32, location, bits);
}

void FunctionGenerator::EmitPlainAccess(bool is_load, RegClassId reg_class, const Location& location, unsigned bits) {
  const absl::Span<const Access> accesses = is_load ? absl::MakeConstSpan(kLoads) : absl::MakeConstSpan(kStores);
  const Access& access =
      *std::find_if(accesses.begin(), accesses.end(), [&](const Access& each) { return each.reg_class == reg_class; });
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, access.opcode);
  Register value;
  if (is_load) {
    value = NewRegister(reg_class);
    builder.AddDef(value);
  } else {
    builder.AddUse(PickValue(reg_class).reg);
  }
  builder.AddImm(0).AddImm(0).AddImm(location.space);
  if (is_load) builder.AddImm(bits < access.bits ? random_.Between(0, 1) : 3);
  builder.AddImm(bits);
  if (is_load) builder.AddImm(-1);
  MachineInstr* const instr = builder.Add(location.base).AddImm(location.offset).Insert();
  AttachMemOperand(*instr, location, bits, is_load, !is_load, false);
  if (is_load) Push(value, reg_class, false);
  cost_ += trips_;
  --budget_;
}

// Loads or stores a few neighbors in any order, with something between them now and then.
void FunctionGenerator::EmitNeighbors() {
  constexpr RegClassId kClasses[] = {kB16, kB32, kB32, kB64};
  Location location = PickLocation();
  const RegClassId reg_class = random_.Pick(kClasses);
  const unsigned bits = module_.target.reg_classes[reg_class].bits;
  const int64_t bytes = bits / 8;
  const int64_t most = std::min<int64_t>(location.size / bytes, 8);
  if (most < 2 || location.align < bytes) return;
  const int64_t count = random_.Between(2, random_.Percent(50) ? std::min<int64_t>(most, 4) : most);
  const int64_t first = location.offset + bytes * random_.Between(0, location.size / bytes - count);
  const bool is_load = !location.is_writable || random_.Percent(50);
  const int64_t start = random_.Percent(60) ? 0 : random_.Between(0, count - 1);
  for (int64_t i = 0; i < count; ++i) {
    location.offset = first + bytes * ((start + i) % count);
    EmitPlainAccess(is_load, reg_class, location, bits);
    if (random_.Percent(10)) EmitMemoryAccess();
    if (random_.Percent(20)) EmitOps(1);
  }
}

// Copies a piece of the slot whose number is checked first. Without the check, the address may be anywhere, so a load
// that a pass moves out of the branch faults.
void FunctionGenerator::EmitGuardedAccess() {
  constexpr int64_t kPieces = kFreeSlotBytes / 16;
  constexpr int64_t kUnsignedLess = 8;
  const Value number = PickValue(kB32);
  const Register is_inside = Emit(op::SETP_i32ri, kB1, {Use(number.reg), Imm(kPieces), Imm(kUnsignedLess)});
  const bool is_computed_before = random_.Percent(60);
  Register address;
  if (is_computed_before) address = AddressPlus(slot_global_, number.reg, 4);
  EmitGuarded(is_inside, [&] {
    Location location;
    location.space = address_space::kGlobal;
    location.is_writable = true;
    location.base = Use(is_computed_before ? address : AddressPlus(slot_global_, number.reg, 4));
    location.size = 16;
    location.align = 16;
    EmitLoad(location);
    EmitWordAccess();
  });
}

void FunctionGenerator::EmitMemoryAccess() {
  if (IsSmall() && random_.Percent(40)) return EmitWordAccess();
  if (IsSmall() && random_.Percent(4)) return EmitGuardedAccess();
  if (random_.Percent(8)) return EmitNeighbors();
  const uint64_t at = random_.Below(100);
  if (at < 8) return EmitAtomic();
  if (at < 10) return EmitCounter();
  if (at < 13) return EmitAddressQuery();
  const Location location = PickLocation();
  if (location.is_writable && random_.Percent(50)) {
    EmitStore(location);
  } else {
    EmitLoad(location);
  }
}

// Emits an atomic on the thread's own memory. Its result can be used like that of a load.
void FunctionGenerator::EmitAtomic() {
  const std::optional<Opcode> next = module_.NextOf(AddressedFamily::kAtomic);
  if (!next.has_value()) return;
  const Opcode opcode = *next;
  const PtxInstrInfo& info = InstrInfo(opcode);
  // The CTA's own shared memory is part of the cluster's.
  const bool is_shared = info.space == MemorySpace::kShared || info.space == MemorySpace::kSharedCluster ||
                         (info.space == MemorySpace::kOperand && random_.Percent(30));
  if (is_shared && !uses_shared_) return;
  Location location;
  location.is_writable = true;
  location.align = 16;
  location.size = is_shared ? kSharedSlotBytes : kFreeSlotBytes;
  location.space = is_shared                             ? address_space::kShared
                   : info.space == MemorySpace::kGeneric ? address_space::kGeneric
                                                         : address_space::kGlobal;
  location.base = Use(is_shared                                  ? shared_slot_
                      : location.space == address_space::kGlobal ? slot_global_
                                                                 : slot_generic_);
  if (!Narrow(location, info.access_bits / 8)) return;
  constexpr Ordering kOrderings[] = {{0, MemoryScope::kNone}, {2, MemoryScope::kCta}, {2, MemoryScope::kGpu},
                                     {4, MemoryScope::kSys},  {5, MemoryScope::kGpu}, {6, MemoryScope::kSys}};
  const Ordering ordering = random_.Pick(kOrderings);
  const std::string_view semantics = ptx::SemanticsName(info.semantics);
  FormOperand immediate;
  immediate.bits = static_cast<uint8_t>(info.access_bits);
  immediate.source =
      semantics.ends_with(".f32") || semantics.ends_with(".f64") ? OperandSource::kFloat : OperandSource::kInteger;
  std::vector<MachineOperand> operands;
  const absl::Span<const OperandDesc> descs = module_.target.Operands(opcode);
  for (size_t i = 0; i < descs.size(); ++i) {
    const auto role = static_cast<OperandRole>(descs[i].role);
    if (i < module_.target.Get(opcode).num_defs) {
      const Register result = NewRegister(descs[i].reg_class);
      operands.push_back(MachineOperand::CreateReg(result, MachineOperand::kDefine));
    } else if (role == OperandRole::kBase) {
      operands.push_back(location.base);
    } else if (role == OperandRole::kOff) {
      operands.push_back(Imm(location.offset));
    } else if (role == OperandRole::kOrdering) {
      operands.push_back(Imm(ordering.order));
    } else if (role == OperandRole::kScope) {
      operands.push_back(Imm(static_cast<int64_t>(ordering.scope)));
    } else if (role == OperandRole::kAddsp) {
      operands.push_back(Imm(location.space));
    } else if (descs[i].type == OperandType::kRegister) {
      operands.push_back(Use(PickValue(descs[i].reg_class).reg));
    } else {
      operands.push_back(Immediate(immediate));
    }
  }
  MachineInstr* instr = function_.CreateInstr(opcode, operands);
  block_->Append(instr);
  for (size_t i = 0; i < module_.target.Get(opcode).num_defs; ++i) {
    Push(instr->operand(static_cast<unsigned>(i)).reg(), descs[i].reg_class, false);
  }
  AttachMemOperand(*instr, location, info.access_bits, true, true, false);
  cost_ += trips_;
  --budget_;
}

// All threads add to one place. The old value depends on their order, so it is never used. Each place has only one
// operation, which commutes with itself.
void FunctionGenerator::EmitCounter() {
  struct Counter {
    Opcode opcode;
    RegClassId reg_class;
  };
  static constexpr Counter kCounters[] = {
      {op::INT_PTX_ATOM_ADD_32_Gr, kB32},   {op::INT_PTX_ATOM_ADD_64_Gr, kB64},   {op::INT_PTX_ATOM_OR_32_Gr, kB32},
      {op::INT_PTX_ATOM_XOR_64_Gr, kB64},   {op::INT_PTX_ATOM_AND_32_Gr, kB32},   {op::INT_PTX_ATOMIC_UMAX_32_Gr, kB32},
      {op::INT_PTX_ATOMIC_MIN_64_Gr, kB64}, {op::INT_PTX_ATOMIC_MAX_32_Gr, kB32},
  };
  static_assert(std::size(kCounters) == kNumCounters);
  const size_t number = random_.Below(std::size(kCounters));
  const Counter& counter = kCounters[number];
  const Register base = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.counters)});
  Emit(counter.opcode, counter.reg_class,
       {Use(base), Imm(static_cast<int64_t>(number) * 8), Use(PickValue(counter.reg_class).reg)});
}

// Emits a query of the state space of an address, or a hint about it.
void FunctionGenerator::EmitAddressQuery() {
  constexpr Opcode kQueries[] = {op::isspace_const_64, op::isspace_global_64, op::isspace_local_64,
                                 op::isspace_shared_64};
  Register address = slot_generic_;
  if (uses_shared_ && random_.Percent(40)) {
    address = Emit(op::cvta_shared_64, kB64, {Use(shared_slot_)});
  } else if (random_.Percent(40)) {
    return EmitPrefetch();
  }
  Push(Emit(random_.Pick(kQueries), kB1, {Use(address)}), kB1, divergence_ == 0 && plan_.is_kernel);
}

// ---- Several threads.

void FunctionGenerator::EmitBarrier() {
  if (random_.Percent(30)) {
    if (const std::optional<Opcode> fence = module_.NextOf(AddressedFamily::kFence)) {
      EmitWhole(*fence, {}, {Use(slot_generic_)});
    }
    return;
  }
  if (!IsConverged()) return;
  if (random_.Percent(60)) return EmitNamedBarrier();
  switch (random_.Below(4)) {
    case 3:
      Push(Emit(op::ACTIVEMASK, kB32, {}), kB32, false);
      break;
    case 0:
      BuildMI(*block_, nullptr, op::BARRIER_CTA_SYNC_ALL_i).AddImm(1).Insert();
      break;
    case 1:
      BuildMI(*block_, nullptr, op::INT_BAR_WARP_SYNC_I).AddImm(-1).Insert();
      break;
    default:
      BuildMI(*block_, nullptr, op::INT_BAR_WARP_SYNC_R).AddUse(Emit(op::MOV_B32_i, kB32, {Imm(-1)})).Insert();
      break;
  }
  cost_ += trips_;
}

// Reads what another thread has stored, between two barriers.
void FunctionGenerator::EmitExchange() {
  if (!IsConverged() || !uses_shared_) return;
  const auto barrier = [&] { BuildMI(*block_, nullptr, op::BARRIER_CTA_SYNC_ALIGNED_ALL_i).AddImm(0).Insert(); };
  if (random_.Percent(50)) EmitStore(SharedLocation());
  barrier();
  const Register sum = Emit(op::ADD32ri, kB32, {Use(thread_), Imm(random_.Between(1, kMaxThreads))});
  const Register size = Emit(op::INT_PTX_SREG_NTID_x, kB32, {});
  const Register other = Emit(op::UREM32rr, kB32, {Use(sum), Use(size)});
  const Register base = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.shared)});
  Location location;
  location.space = address_space::kShared;
  location.size = kSharedSlotBytes;
  location.align = 16;
  location.base = Use(AddressPlus(base, other, 6));
  static_assert(kSharedSlotBytes == 64);
  for (int64_t count = random_.Between(1, 3); count > 0; --count) EmitLoad(location);
  barrier();
  cost_ += 2 * trips_;
}

}  // namespace ptxmir::fuzz
