// SPDX-License-Identifier: Apache-2.0

// Tensor core operations that read shared memory through descriptors: wgmma on sm_90a, tcgen05 and tensor memory
// on sm_100a and sm_103a. Both read the tile of the first warp as matrices of 32-byte rows.
//
// Tensor memory is allocated and released within a few instructions. In between, all threads of the CTA wait at
// barriers together (those of both CTAs, if a pair multiplies). Only columns that have been written are read:
//
//     columns  0   written by products; the first eight are filled before and loaded afterwards
//             64   A of products that have it there
//             72   scales of blocks
//             80   written by copies and shifts, and loaded afterwards

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "mir/code/inline_asm.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::InstrInfo;
using ptx::reg_class::kB1;
using ptx::reg_class::kB16;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

constexpr int64_t kColumnsOfOperations = 128;
constexpr int64_t kColumnOfA = 64;
constexpr int64_t kColumnOfScales = 72;
constexpr int64_t kColumnOfCopies = 80;
// Offsets in @tensor_state, after the address.
constexpr int64_t kMbarrier = 8;
constexpr int64_t kSecondMbarrier = 16;

std::string_view NameOf(Opcode opcode) { return ptx::SemanticsName(InstrInfo(opcode).semantics); }
bool Names(Opcode opcode, std::string_view part) { return NameOf(opcode).find(part) != std::string_view::npos; }

// Eight rows, of 32 bytes (swizzled) or of two 16-byte halves, are contiguous. Distances are in units of 16 bytes.
constexpr uint64_t kLeading = uint64_t{8} << 16;
constexpr uint64_t kStride = uint64_t{16} << 32;

// Returns the number of columns that a load or store of the opcode spans.
int64_t ColumnsOf(Opcode opcode) {
  const auto x = NameOf(opcode).rfind(".x");
  int64_t columns = 0;
  for (const char c : NameOf(opcode).substr(x + 2)) {
    if (c < '0' || c > '9') break;
    columns = columns * 10 + (c - '0');
  }
  if (Names(opcode, "16x64b")) columns *= 2;
  if (Names(opcode, "16x128b")) columns *= 4;
  if (Names(opcode, "16x256b")) columns *= 8;
  return Names(opcode, "pack::16b") ? 2 * columns : columns;
}

bool IsSplit(Opcode opcode) { return Names(opcode, "16x32bx2"); }

// The fields of the PTX ISA's "Instruction Descriptor".
struct ProductShape {
  unsigned m;
  unsigned n;
};
uint32_t InstructionDescriptor(Opcode opcode, ProductShape shape, uint64_t random) {
  const auto pick = [&random](std::initializer_list<uint32_t> codes) {
    const uint32_t code = codes.begin()[random % codes.size()];
    random /= codes.size();
    return code;
  };
  const bool is_scaled = Names(opcode, "block_scale");
  uint32_t a = 1, b = 1, d = 1;
  if (Names(opcode, "kind::f16")) {
    a = pick({0, 1});
    b = a;
  } else if (Names(opcode, "kind::tf32")) {
    a = b = 2;
  } else if (Names(opcode, "kind::i8")) {
    a = pick({0, 1});
    b = pick({0, 1});
    d = 2;
  } else if (Names(opcode, "f8f6f4")) {
    a = pick({0, 1, 3, 4, 5});
    b = pick({0, 1, 3, 4, 5});
  }
  // 4-bit scales in blocks of 16 are ue4m3, all others ue8m0.
  const bool is_ue4m3 = Names(opcode, "mxf4nvf4") && Names(opcode, "block16");
  return (is_scaled ? (is_ue4m3 ? 0 : 1u << 23) : d << 4) | a << 7 | b << 10 | pick({0, 1}) << 13 | pick({0, 1}) << 14 |
         shape.n / 8 << 17 | shape.m / 16 << 24;
}

ProductShape PickShape(Opcode opcode, unsigned group, bool a_in_tensor_memory, FuzzRandom& random) {
  if (Names(opcode, ".ws.")) {
    constexpr unsigned kRows[] = {32, 64, 128};
    return {a_in_tensor_memory ? 128 : random.Pick(kRows), 64};
  }
  if (group == 2) return {a_in_tensor_memory || random.Percent(50) ? 256u : 128u, 16};
  const bool is_scaled = Names(opcode, "block_scale");
  return {is_scaled || random.Percent(50) ? 128u : 64u, random.Percent(50) ? 8u : 16u};
}

}  // namespace

void FunctionGenerator::EmitTensorScene() {
  if (!IsConverged() || !uses_tile_ || !uses_shared_) return;
  constexpr uint64_t kMostTrips = 4;
  if (trips_ > kMostTrips) return;
  if (module_.sm == FuzzSm::k90a) return EmitWgmma();
  if (module_.sm == FuzzSm::k100a || module_.sm == FuzzSm::k103a) EmitTensorMemory();
}

// Returns the descriptor of a matrix at the beginning of the first warp's tile.
Register FunctionGenerator::MatrixDescriptor(uint64_t layout) {
  const Register tiles = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.tiles)});
  const Register bits = Emit(op::AND_b64ri, kB64, {Use(tiles), Imm(0x3fff0)});
  const Register place = Emit(op::SRL64_ri, kB64, {Use(bits), Imm(4)});
  const auto constant = static_cast<int64_t>(layout | kLeading | kStride);
  return Emit(op::OR_b64ri, kB64, {Use(place), Imm(constant)});
}

// ---- wgmma.

// Emits D = A * B + D on registers in inline assembly, as is usual, because there is no opcode.
void FunctionGenerator::EmitWgmma() {
  if (plan_.num_threads != kMaxThreads) return;
  struct Text {
    std::string_view types;
    unsigned depth;
    std::string_view flags;
  };
  static constexpr Text kTexts[] = {{"f32.f16.f16", 16, ", 1, 1, 0, 0"},
                                    {"f32.bf16.bf16", 16, ", 1, -1, 0, 0"},
                                    {"f32.tf32.tf32", 8, ", 1, 1"},
                                    {"f32.e4m3.e5m2", 32, ", -1, 1"},
                                    {"s32.s8.u8", 32, ""}};
  const Text& text = random_.Pick(kTexts);
  constexpr unsigned kResults = 4;
  const uint64_t swizzle = random_.Percent(50) ? 0 : uint64_t{3} << 62;
  const Register factors[] = {MatrixDescriptor(swizzle), MatrixDescriptor(swizzle)};
  BuildMI(*block_, nullptr, op::BARRIER_CTA_SYNC_ALIGNED_ALL_i).AddImm(0).Insert();
  BuildMI(*block_, nullptr, op::WGMMA_FENCE_SYNC_ALIGNED).Insert();
  const std::string assembly =
      StrCat("{ .reg .pred p; setp.ne.b32 p, 1, ", random_.Below(2), "; wgmma.mma_async.sync.aligned.m64n8k",
             text.depth, ".", text.types, " {$0, $1, $2, $3}, $8, $9, p", text.flags, "; }");
  constexpr auto kFlags = int64_t{InlineAsmProperty::kSideEffects} | int64_t{InlineAsmProperty::kConvergent} |
                          int64_t{InlineAsmProperty::kMayLoad} | int64_t{InlineAsmProperty::kMayStore};
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, op::INLINEASM);
  builder.Add(MachineOperand::CreateExternalSymbol(function_.InternSymbol(assembly))).AddImm(kFlags);
  const auto flag = [](RegClassId reg_class, InlineAsmGroup::Kind kind) {
    return (int64_t{reg_class} + 1) << 16 | 1 << 3 | static_cast<int64_t>(kind);
  };
  Register results[kResults];
  for (Register& result : results) {
    result = NewRegister(kB32);
    builder.AddImm(flag(kB32, InlineAsmGroup::Kind::kDef)).AddDef(result);
  }
  for (unsigned i = 0; i < kResults; ++i) {
    const int64_t tied = int64_t{1} << 31 | int64_t{i} << 16 | 1 << 3;
    builder.AddImm(tied | static_cast<int64_t>(InlineAsmGroup::Kind::kUse)).AddUse(PickValue(kB32).reg);
  }
  for (const Register factor : factors) builder.AddImm(flag(kB64, InlineAsmGroup::Kind::kUse)).AddUse(factor);
  MachineInstr* const instr = builder.Insert();
  for (unsigned i = 0; i < kResults; ++i) instr->TieOperands(3 + 2 * i, 3 + 2 * (kResults + i));
  BuildMI(*block_, nullptr, op::WGMMA_COMMIT_GROUP_SYNC_ALIGNED).Insert();
  BuildMI(*block_, nullptr, op::WGMMA_WAIT_GROUP_SYNC_ALIGNED).AddImm(0).Insert();
  BuildMI(*block_, nullptr, op::BARRIER_CTA_SYNC_ALIGNED_ALL_i).AddImm(0).Insert();
  for (const Register result : results) Push(result, kB32, false);
  cost_ += 8 * trips_;
}

// ---- Tensor memory.

void FunctionGenerator::EmitSceneBarrier(unsigned group) {
  BuildMI(*block_, nullptr, op::tcgen05_fence_before_thread_sync).Insert();
  if (group == 2) {
    EmitClusterBarrier();
  } else {
    BuildMI(*block_, nullptr, op::BARRIER_CTA_SYNC_ALIGNED_ALL_i).AddImm(0).Insert();
  }
  BuildMI(*block_, nullptr, op::tcgen05_fence_after_thread_sync).Insert();
}

void FunctionGenerator::EmitTensorMemory() {
  if (!may_allocate_tensors_) return;
  const unsigned group = tensor_group_;
  const bool has_operations = random_.Percent(75);
  std::vector<Opcode> stores;
  if (!has_operations || random_.Percent(50)) {
    for (int64_t count = random_.Between(1, 3); count > 0; --count) {
      const std::optional<Opcode> store = module_.NextOf(AddressedFamily::kTensorStore);
      if (store.has_value()) stores.push_back(*store);
    }
  }
  int64_t needed = has_operations ? kColumnsOfOperations : 32;
  for (const Opcode store : stores) needed = std::max(needed, ColumnsOf(store) * (IsSplit(store) ? 2 : 1));
  int64_t columns = 32;
  while (columns < needed) columns *= 2;

  const Register state = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.tensor_state)});
  const Register size = Emit(op::MOV_B32_i, kB32, {Imm(columns)});
  const Register is_first = Emit(op::SETP_i32ri, kB1, {Use(thread_), Imm(32), Imm(8)});
  const Register is_leader = Emit(op::SETP_i32ri, kB1, {Use(thread_), Imm(0), Imm(0)});
  const Register mbarriers[] = {Emit(op::ADD64ri, kB64, {Use(state), Imm(kMbarrier)}),
                                Emit(op::ADD64ri, kB64, {Use(state), Imm(kSecondMbarrier)})};
  EmitGuarded(is_first, [&] {
    const bool is_generic = random_.Percent(50);
    const Opcode allocate = group == 2 ? (is_generic ? op::TCGEN05_ALLOC_CG2 : op::TCGEN05_ALLOC_S64_CG2)
                                       : (is_generic ? op::TCGEN05_ALLOC_CG1 : op::TCGEN05_ALLOC_S64_CG1);
    EmitWhole(allocate, {Address{SharedAddress(is_generic, state)}}, {Use(size)});
    if (trips_ == 1 && loops_.empty() && random_.Percent(25)) {
      BuildMI(*block_, nullptr, group == 2 ? op::TCGEN05_RELINQ_CG2 : op::TCGEN05_RELINQ_CG1).Insert();
      may_allocate_tensors_ = false;
    }
    EmitGuarded(is_leader, [&] {
      for (const Register mbarrier : mbarriers) InitMbarrier(mbarrier, 1);
    });
  });
  EmitSceneBarrier(group);
  const Register address = Emit(
      op::LD_i32, kB32, {Imm(0), Imm(0), Imm(address_space::kShared), Imm(3), Imm(32), Imm(-1), Use(state), Imm(0)});
  const Register warp = Emit(op::SRL32_ri, kB32, {Use(thread_), Imm(5)});
  const Register lanes = Emit(op::SHL32_ri, kB32, {Use(warp), Imm(21)});
  const Register own = Emit(op::ADD32rr, kB32, {Use(address), Use(lanes)});
  for (const Opcode store : stores) EmitTensorMove(store, own);
  if (has_operations) {
    if (!stores.empty()) EmitSceneBarrier(group);
    EmitTensorOperations(address, state);
    for (const int64_t column : {int64_t{0}, kColumnOfCopies}) {
      const Register place = Emit(op::ADD32ri, kB32, {Use(own), Imm(column)});
      EmitWhole(op::TCGEN05_LD_32x32b_x8, {}, {Use(place)});
      BuildMI(*block_, nullptr, op::tcgen05_wait_ld).Insert();
    }
  }
  EmitSceneBarrier(group);
  EmitGuarded(is_first, [&] {
    EmitWhole(group == 2 ? op::TCGEN05_DEALLOC_CG2 : op::TCGEN05_DEALLOC_CG1, {}, {Use(address), Use(size)});
    EmitGuarded(is_leader, [&] {
      for (const Register mbarrier : mbarriers) EmitWhole(op::MBARRIER_INVAL_SHARED, {Address{mbarrier}}, {});
    });
  });
  cost_ += 20 * trips_;
}

// Each warp stores to its own lanes and loads them in the same shape.
void FunctionGenerator::EmitTensorMove(Opcode store, Register own) {
  const std::vector<Opcode>& stores = module_.catalog.Addressed(AddressedFamily::kTensorStore);
  const std::vector<Opcode>& loads = module_.catalog.Addressed(AddressedFamily::kTensorLoad);
  // The tables list loads and stores in the same order.
  const Opcode load = loads[static_cast<size_t>(std::find(stores.begin(), stores.end(), store) - stores.begin())];
  const bool of_upper_lanes = !Names(store, "32x32b") && random_.Percent(50);
  constexpr int64_t kUpperLanes = 16 << 16;
  const Register place = of_upper_lanes ? Emit(op::ADD32ri, kB32, {Use(own), Imm(kUpperLanes)}) : own;
  // The distance between the halves, for shapes that have two.
  const MachineOperand split = Imm(ColumnsOf(store));
  EmitWhole(store, {}, {Use(place), split});
  BuildMI(*block_, nullptr, op::tcgen05_wait_st).Insert();
  EmitWhole(load, {}, {Use(place), split});
  BuildMI(*block_, nullptr, op::tcgen05_wait_ld).Insert();
  cost_ += 2 * trips_;
}

// One thread issues the operations. All threads wait for what it has committed.
void FunctionGenerator::EmitTensorOperations(Register address, Register state) {
  const bool is_pair = tensor_group_ == 2;
  Register number = thread_;
  if (is_pair) {
    const Register rank = Emit(op::INT_PTX_SREG_CLUSTER_CTARANK, kB32, {});
    number = Emit(op::OR_b32rr, kB32, {Use(thread_), Use(rank)});
  }
  const Register is_leader = Emit(op::SETP_i32ri, kB1, {Use(number), Imm(0), Imm(0)});
  EmitGuarded(is_leader, [&] {
    constexpr uint64_t kSwizzle32 = uint64_t{6} << 61;
    const uint64_t layout = uint64_t{1} << 46 | (random_.Percent(50) ? kSwizzle32 : 0);
    const Register matrix = MatrixDescriptor(layout);
    const auto copy = [&](Opcode opcode, int64_t column) {
      EmitWhole(opcode, {Address{address, column}}, {Use(matrix)});
    };
    const Opcode fill = is_pair ? op::TCGEN05_CP_128x256b_cg2 : op::TCGEN05_CP_128x256b_cg1;
    for (const int64_t column : {int64_t{0}, kColumnOfA, kColumnOfCopies}) copy(fill, column);
    copy(is_pair ? op::TCGEN05_CP_32x128_cg2 : op::TCGEN05_CP_32x128_cg1, kColumnOfScales);
    const std::string_view group = is_pair ? "cta_group::2" : "cta_group::1";
    for (int64_t count = random_.Between(0, 3); count > 0; --count) {
      const std::optional<Opcode> opcode = module_.NextOf(AddressedFamily::kTensorCopy);
      if (opcode.has_value() && Names(*opcode, group)) copy(*opcode, kColumnOfCopies);
    }
    if (random_.Percent(40)) {
      EmitWhole(is_pair ? op::TCGEN05_SHIFT_CG2 : op::TCGEN05_SHIFT_CG1, {Address{address, kColumnOfCopies}}, {});
    }
    int64_t products = random_.Between(2, 6);
    for (int tries = 0; tries < 20 && products > 0; ++tries) {
      const std::optional<Opcode> opcode = module_.NextOf(AddressedFamily::kTensorProduct);
      if (!opcode.has_value() || !Names(*opcode, group)) continue;
      EmitTensorProduct(*opcode, address, matrix);
      --products;
    }
    EmitTensorCommit(state);
  });
  WaitForPhase({state, kMbarrier}, {});
  BuildMI(*block_, nullptr, op::tcgen05_fence_after_thread_sync).Insert();
}

void FunctionGenerator::EmitTensorProduct(Opcode opcode, Register address, Register matrix) {
  const absl::Span<const OperandDesc> descs = module_.target.Operands(opcode);
  const bool a_in_tensor_memory = descs[1].type == OperandType::kRegister && descs[1].reg_class == kB32;
  const ProductShape shape = PickShape(opcode, tensor_group_, a_in_tensor_memory, random_);
  const auto descriptor = static_cast<int32_t>(InstructionDescriptor(opcode, shape, random_.Next() >> 1));
  const Register kind = Emit(op::MOV_B32_i, kB32, {Imm(descriptor)});
  const Register zero = Emit(op::MOV_B32_i, kB32, {Imm(0)});
  const Register scales = Emit(op::ADD32ri, kB32, {Use(address), Imm(kColumnOfScales)});
  // The second one adds to what the first has written.
  for (int64_t i = 0; i < random_.Between(1, 2); ++i) {
    std::vector<MachineOperand> values = {Use(address)};
    if (a_in_tensor_memory) {
      values.push_back(Use(Emit(op::ADD32ri, kB32, {Use(address), Imm(kColumnOfA)})));
    } else {
      values.push_back(Use(matrix));
    }
    values.push_back(Use(matrix));
    values.push_back(Use(kind));
    constexpr int64_t kNotEqual = 1;
    values.push_back(Use(Emit(op::SETP_i32ri, kB1, {Use(zero), Imm(i == 0 ? 0 : 1), Imm(kNotEqual)})));
    if (Names(opcode, "block_scale")) {
      values.push_back(Use(scales));
      values.push_back(Use(scales));
    }
    // A mask of columns that are zero: alternating spans.
    const int64_t mask = int64_t{1} << 39 | random_.Between(0, 15) << 40 | random_.Between(0, 15) << 48;
    values.push_back(Use(Emit(op::MOV_B64_i, kB64, {Imm(random_.Percent(50) ? 0 : mask)})));
    values.push_back(Imm(random_.Between(0, 15)));
    const bool has_address = InstrInfo(opcode).address != ptx::PtxInstrInfo::kNoOperand;
    if (has_address) {
      EmitWhole(opcode, {Address{matrix}}, values);
    } else {
      EmitWhole(opcode, {}, values);
    }
  }
}

// Emits the arrival that all threads wait for. For a pair, it arrives at the mbarriers of both CTAs.
void FunctionGenerator::EmitTensorCommit(Register state) {
  if (tensor_group_ == 2) {
    constexpr Opcode kOfPair[] = {op::TCGEN05_COMMIT_CG2_MC, op::TCGEN05_COMMIT_S64_CG2_MC};
    const Register both = Emit(op::MOV_B16_i, kB16, {Imm(3)});
    EmitWhole(random_.Pick(kOfPair), {Address{state, kMbarrier}}, {Use(both)});
    if (random_.Percent(50)) return;
    constexpr Opcode kOfOne[] = {op::TCGEN05_COMMIT_CG2, op::TCGEN05_COMMIT_S64_CG2};
    EmitWhole(random_.Pick(kOfOne), {Address{state, kSecondMbarrier}}, {});
    WaitForPhase({state, kSecondMbarrier}, {});
    return;
  }
  constexpr Opcode kCommits[] = {op::TCGEN05_COMMIT_CG1, op::TCGEN05_COMMIT_S64_CG1, op::TCGEN05_COMMIT_CG1_MC,
                                 op::TCGEN05_COMMIT_S64_CG1_MC};
  EmitWhole(random_.Pick(kCommits), {Address{state, kMbarrier}}, {Use(ClusterMask())});
}

}  // namespace ptxmir::fuzz
