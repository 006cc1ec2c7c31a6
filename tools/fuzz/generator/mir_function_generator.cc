// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/generator/mir_function_generator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/ir_reader.h"
#include "ptx/interpreter/memory/tensor_map.h"
#include "ptx/isa/isa_opcodes.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::reg_class::kB1;
using ptx::reg_class::kB128;
using ptx::reg_class::kB16;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

constexpr std::string_view kShapeNames[kNumFuzzShapes] = {"mixed", "pressure", "switch", "live", "nest", "small"};

// The most instructions that a kernel may execute. The interpreter has a limit of a million steps for a launch of
// eight warps.
constexpr uint64_t kMaxCost = 2000;
constexpr uint64_t kMaxCalleeCost = 300;
constexpr uint64_t kMaxSmallCost = 400;

// The number by which a seed is multiplied, so that the shapes of one seed differ. It is not the number of shapes: a
// seed keeps its module when a shape is added.
constexpr uint64_t kSeedStride = 5;

// The PTX version that knows all of the SMs.
constexpr std::string_view kFeatures = "+ptx88";

}  // namespace

std::optional<Opcode> ModulePlan::NextOf(AddressedFamily family) {
  const std::vector<Opcode>& opcodes = catalog.Addressed(family);
  uint64_t& turn = turns_[static_cast<size_t>(family)];
  for (size_t tries = 0; tries < opcodes.size(); ++tries) {
    const Opcode opcode = opcodes[(seed * kOpcodesOfInput + turn++) % opcodes.size()];
    if (catalog.IsAvailable(opcode, sm)) return opcode;
  }
  return std::nullopt;
}

const OpcodeForm* ModulePlan::NextForm() {
  const absl::Span<const OpcodeForm> forms = catalog.forms();
  for (size_t tries = 0; tries < forms.size(); ++tries) {
    const OpcodeForm& form = forms[(seed * kFormsOfInput + form_turns_++) % forms.size()];
    if (catalog.IsAvailable(form.opcode, sm)) return &form;
  }
  return nullptr;
}

// ---- A function.

FunctionGenerator::FunctionGenerator(ModulePlan& module, FunctionPlan& plan, MachineFunction& function,
                                     FuzzRandom random, int64_t budget)
    : module_(module), plan_(plan), function_(function), random_(random), budget_(budget) {}

// A small function has room for one thing that is rare, and mostly for none.
void FunctionGenerator::PickFeatures() {
  if (IsSmall()) {
    shows_rare_opcodes_ = plan_.is_kernel && random_.Percent(20);
    may_exit_early_ = plan_.is_kernel && !shows_rare_opcodes_ && random_.Percent(15);
    uses_shared_ = plan_.is_kernel && random_.Percent(shows_rare_opcodes_ ? 60 : 20);
    uses_tile_ = plan_.is_kernel && !may_exit_early_ && random_.Percent(shows_rare_opcodes_ ? 40 : 5);
    uses_b128_ = random_.Percent(8);
    uses_stack_ = random_.Percent(35);
    return;
  }
  shows_rare_opcodes_ = plan_.is_kernel && module_.shape == FuzzShape::kMixed && random_.Percent(35);
  may_exit_early_ = plan_.is_kernel && !shows_rare_opcodes_ && random_.Percent(20);
  uses_shared_ = plan_.is_kernel && (shows_rare_opcodes_ || random_.Percent(60));
  uses_tile_ = plan_.is_kernel && !may_exit_early_ && (shows_rare_opcodes_ || random_.Percent(50));
  uses_b128_ = random_.Percent(20);
}

void FunctionGenerator::Run() {
  PickFeatures();
  tensor_group_ = plan_.is_clustered && random_.Percent(60) ? 2 : 1;
  StartBlock(function_.CreateBlock());
  LoadParameters();
  SetUpThread();
  SetUpStack();
  SetUpShared();
  SetUpTile();
  SetUpValues();
  SpecialShape();
  max_cost_ = cost_ + (IsSmall() ? kMaxSmallCost : plan_.is_kernel ? kMaxCost : kMaxCalleeCost);
  // induction-merge changes little else, and regions seldom have one.
  if (IsSmall() && plan_.is_kernel && random_.Percent(10)) StridedLoop(0);
  // A region ends when the budget is used up. The code for the pathological shapes already exists at this point.
  if (budget_ > 0) Region(0);
  ShowRareOpcodes();
  Finish();
  FinishBlocks();
  SetKillFlags();
  plan_.cost = cost_;
}

void FunctionGenerator::LoadParameters() {
  for (unsigned i = 0; i < plan_.parameters.size(); ++i) {
    const MachineOperand symbol =
        MachineOperand::CreateExternalSymbol(function_.InternSymbol(StrCat(function_.name(), "_param_", i)));
    const auto load = [&](Opcode opcode, RegClassId reg_class, int64_t bits) {
      const Register reg = Emit(
          opcode, reg_class, {Imm(0), Imm(0), Imm(address_space::kParam), Imm(3), Imm(bits), Imm(-1), symbol, Imm(0)});
      MachineInstr& instr = *block_->back();
      Location location;
      location.space = address_space::kParam;
      location.is_constant = true;
      AttachMemOperand(instr, location, static_cast<unsigned>(bits), true, false, false);
      return reg;
    };
    // The arguments of a device function may be anything.
    const bool is_uniform = plan_.is_kernel;
    switch (plan_.parameters[i]) {
      case ParameterKind::kI16:
        Push(load(op::LD_i16, kB16, 16), kB16, is_uniform);
        break;
      case ParameterKind::kI32:
      case ParameterKind::kF32:
        Push(load(op::LD_i32, kB32, 32), kB32, is_uniform);
        break;
      case ParameterKind::kI64:
      case ParameterKind::kF64:
        Push(load(op::LD_i64, kB64, 64), kB64, is_uniform);
        break;
      case ParameterKind::kPointer: {
        // The first pointer is the output buffer (in a device function: the slot), the second the input.
        Register& pointer = slot_generic_.is_valid() ? input_generic_ : slot_generic_;
        pointer = load(op::LD_i64, kB64, 64);
        break;
      }
      case ParameterKind::kByVal:
        byval_parameters_.push_back(i);
        break;
    }
  }
}

void FunctionGenerator::SetUpThread() {
  thread_ = Emit(op::INT_PTX_SREG_TID_x, kB32, {});
  Push(thread_, kB32, false);
  slot_global_ = Emit(op::cvta_to_global_64, kB64, {Use(slot_generic_)});
  if (!plan_.is_kernel) return;
  const Register cta = Emit(op::INT_PTX_SREG_CTAID_x, kB32, {});
  const Register size = Emit(op::INT_PTX_SREG_NTID_x, kB32, {});
  Push(cta, kB32, !plan_.is_clustered);
  const Register number = Emit(op::MAD_LO_S32rrr, kB32, {Use(cta), Use(size), Use(thread_)});
  Push(number, kB32, false);
  number_ = number;
  const Register offset = Emit(op::MUL_WIDEu32_ri, kB64, {Use(number), Imm(kSlotBytes)});
  slot_generic_ = Emit(op::ADD64rr, kB64, {Use(slot_generic_), Use(offset)});
  slot_global_ = Emit(op::ADD64rr, kB64, {Use(slot_global_), Use(offset)});
  input_global_ = Emit(op::cvta_to_global_64, kB64, {Use(input_generic_)});
}

// Objects are initialized first, because undefined memory must not be read.
void FunctionGenerator::SetUpStack() {
  if (!(IsSmall() ? uses_stack_ : random_.Percent(50))) return;
  for (int64_t count = random_.Between(1, IsSmall() ? 2 : 3); count > 0; --count) {
    const int64_t size = 16 * random_.Between(1, IsSmall() ? 2 : 4);
    stack_objects_.push_back(function_.frame_info().CreateStackObject(static_cast<uint64_t>(size), 4));
    MachineFrameInfo& frame = function_.frame_info();
    frame.max_alignment = std::max<uint64_t>(frame.max_alignment, 16);
    Location location;
    location.frame_index = stack_objects_.back();
    location.base = MachineOperand::CreateFrameIndex(location.frame_index);
    // So that passes can make registers of the first object of a small function.
    int64_t bits = 64;
    if (IsSmall() && stack_objects_.size() == 1) {
      constexpr int64_t kBits[] = {64, 32, 16};
      bits = word_bits_ = random_.Pick(kBits);
    }
    for (location.offset = 0; location.offset < size; location.offset += bits / 8) {
      MachineInstr* store = BuildMI(*block_, nullptr, bits == 64 ? op::ST_i64 : op::ST_i32)
                                .AddImm(random_.Between(-1000, 1000))
                                .AddImm(0)
                                .AddImm(0)
                                .AddImm(address_space::kGeneric)
                                .AddImm(bits)
                                .Add(location.base)
                                .AddImm(location.offset)
                                .Insert();
      AttachMemOperand(*store, location, static_cast<unsigned>(bits), false, true, false);
    }
    cost_ += static_cast<uint64_t>(size) / 8;
  }
}

void FunctionGenerator::SetUpShared() {
  if (!uses_shared_) return;
  const Register base = Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(module_.shared)});
  const Register offset = Emit(op::MUL_WIDEu32_ri, kB64, {Use(thread_), Imm(kSharedSlotBytes)});
  shared_slot_ = Emit(op::ADD64rr, kB64, {Use(base), Use(offset)});
  const Register wide = Emit(op::CVT_u64_u32, kB64, {Use(thread_), Imm(0)});
  for (int64_t at = 0; at < kSharedSlotBytes; at += 8) {
    BuildMI(*block_, nullptr, op::ST_i64)
        .AddUse(wide)
        .AddImm(0)
        .AddImm(0)
        .AddImm(address_space::kShared)
        .AddImm(64)
        .AddUse(shared_slot_)
        .AddImm(at)
        .Insert();
  }
  cost_ += kSharedSlotBytes / 8;
}

// Creates some values of each class for computations.
void FunctionGenerator::SetUpValues() {
  for (int i = 0; i < (IsSmall() ? 1 : 2); ++i) {
    Push(Emit(op::MOV_B32_i, kB32, {Imm(static_cast<int32_t>(random_.Next()))}), kB32, true);
    Push(Emit(op::MOV_B64_i, kB64, {Imm(static_cast<int64_t>(random_.Next()))}), kB64, true);
    Push(Emit(op::MOV_B16_i, kB16, {Imm(random_.Between(-32768, 32767))}), kB16, true);
  }
  Push(Emit(op::CVT_u64_u32, kB64, {Use(PickValue(kB32).reg), Imm(0)}), kB64, false);
  Push(Emit(op::CVT_u16_u32, kB16, {Use(PickValue(kB32).reg), Imm(0)}), kB16, false);
  const Value condition = Condition(false);
  Push(condition.reg, kB1, condition.is_uniform);
  if (uses_b128_) {
    Push(Emit(op::V2I64toI128, kB128, {Use(PickValue(kB64).reg), Use(PickValue(kB64).reg)}), kB128, false);
  }
}

void FunctionGenerator::SpecialShape() {
  if (!plan_.is_kernel) return;
  constexpr unsigned kLiveValues = 10000;
  constexpr unsigned kPressureValues = 300;
  constexpr unsigned kSwitchTargets = 2000;
  constexpr unsigned kNestDepth = 1000;
  const int64_t budget = budget_;
  max_cost_ = kMaxCost;
  switch (module_.shape) {
    case FuzzShape::kMixed:
    case FuzzShape::kSmall:
      return;
    case FuzzShape::kLive:
    case FuzzShape::kPressure: {
      const unsigned count = module_.shape == FuzzShape::kLive ? kLiveValues : kPressureValues;
      while (values_[kB16].size() + values_[kB32].size() + values_[kB64].size() < count) EmitOps(1);
      break;
    }
    case FuzzShape::kSwitch:
      // All cases but the first ones are small.
      budget_ = 100;
      Switch(1, kSwitchTargets);
      break;
    case FuzzShape::kNest:
      Nest(kNestDepth);
      break;
  }
  budget_ = budget;
}

// Emits rare opcodes that would seldom be picked among loads, stores and arithmetic: the families that need more
// than values, and forms.
void FunctionGenerator::ShowRareOpcodes() {
  if (!shows_rare_opcodes_) return;
  const int num_scenes = IsSmall() ? 1 : 12;
  const unsigned num_forms = IsSmall() ? 6 : 40;
  for (int i = 0; i < num_scenes; ++i) EmitSpecial();
  for (unsigned i = 0; i < num_forms; ++i) {
    const OpcodeForm* const form = module_.NextForm();
    const bool has_place = form != nullptr && (IsConverged() || !form->is_collective);
    if (has_place && (uses_b128_ || form->operands.front().reg_class != kB128)) EmitForm(*form);
    if (i % 4 == 0) EmitAtomic();
  }
  if (!IsSmall()) EmitPureForms(4);
}

// ---- The end.

Register FunctionGenerator::ToB64(Value value, RegClassId reg_class) {
  switch (reg_class) {
    case kB1: {
      const Register bit = Emit(op::SELP_b32ii, kB32, {Imm(1), Imm(0), Use(value.reg)});
      return Emit(op::CVT_u64_u32, kB64, {Use(bit), Imm(0)});
    }
    case kB16:
      return Emit(op::CVT_u64_u16, kB64, {Use(value.reg), Imm(0)});
    case kB32:
      return Emit(op::CVT_u64_u32, kB64, {Use(value.reg), Imm(0)});
    case kB128: {
      const Register low = NewRegister(kB64);
      const Register high = NewRegister(kB64);
      BuildMI(*block_, nullptr, op::I128toV2I64).AddDef(low).AddDef(high).AddUse(value.reg).Insert();
      return Emit(op::XOR_b64rr, kB64, {Use(low), Use(high)});
    }
    default:
      return value.reg;
  }
}

Register FunctionGenerator::HashOfLiveValues() {
  Register hash = Emit(op::MOV_B64_i, kB64, {Imm(0x51ed270b)});
  for (RegClassId reg_class = 0; reg_class < values_.size(); ++reg_class) {
    for (const Value& value : values_[reg_class]) {
      // A small function would be half hash if all values were in it.
      if (IsSmall() && random_.Percent(30)) continue;
      const Register bits = ToB64(value, reg_class);
      if (IsSmall()) {
        hash = Emit(op::MAD_LO_S64rir, kB64, {Use(hash), Imm(0x5bd1e995), Use(bits)});
        continue;
      }
      const Register product = Emit(op::MULT64ri, kB64, {Use(hash), Imm(0x5bd1e995)});
      hash = Emit(op::XOR_b64rr, kB64, {Use(product), Use(bits)});
    }
  }
  return hash;
}

void FunctionGenerator::Finish() {
  if (plan_.is_kernel) {
    const Register hash = HashOfLiveValues();
    BuildMI(*block_, nullptr, op::ST_i64)
        .AddUse(hash)
        .AddImm(0)
        .AddImm(0)
        .AddImm(address_space::kGlobal)
        .AddImm(64)
        .AddUse(slot_global_)
        .AddImm(kHashOffset)
        .Insert();
  } else {
    StoreResult();
  }
  BuildMI(*block_, nullptr, op::Return).Insert();
}

// Numbers blocks in layout order and sometimes lets one fall through.
void FunctionGenerator::FinishBlocks() {
  for (MachineBasicBlock& block : function_) {
    MachineInstr* last = block.back();
    if (last->opcode() != op::GOTO || block.next() == nullptr || !random_.Percent(50)) continue;
    if (last->operand(0).block() == block.next()->number()) last->EraseFromParent();
  }
  function_.RenumberBlocks();
}

// Returns for each block the virtual registers that are live out of it, by index.
std::vector<std::vector<bool>> FunctionGenerator::LiveOut() {
  const size_t num_registers = function_.reg_info().num_virtual_registers();
  std::vector<std::vector<bool>> live_in(function_.block_number_bound(), std::vector<bool>(num_registers));
  std::vector<std::vector<bool>> live_out = live_in;
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (MachineBasicBlock* block = function_.back(); block != nullptr; block = block->previous()) {
      std::vector<bool>& out = live_out[block->number()];
      for (const MachineBasicBlock* successor : block->successors()) {
        const std::vector<bool>& in = live_in[successor->number()];
        for (size_t i = 0; i < num_registers; ++i) out[i] = out[i] || in[i];
        for (const MachineInstr& instr : *successor) {
          if (!instr.is_phi()) break;
          for (unsigned i = 1; i < instr.num_operands(); i += 2) {
            if (instr.operand(i + 1).block() == block->number()) out[instr.operand(i).reg().virtual_index()] = true;
          }
        }
      }
      std::vector<bool> live = out;
      for (MachineInstr* instr = block->back(); instr != nullptr; instr = instr->previous()) {
        for (const MachineOperand& operand : instr->operands()) {
          if (operand.is_reg() && operand.is_def() && operand.reg().is_virtual()) {
            live[operand.reg().virtual_index()] = false;
          }
        }
        for (const MachineOperand& operand : instr->operands()) {
          if (!instr->is_phi() && operand.is_reg() && operand.is_use() && operand.reg().is_virtual()) {
            live[operand.reg().virtual_index()] = true;
          }
        }
      }
      if (live != live_in[block->number()]) {
        live_in[block->number()] = std::move(live);
        has_changed = true;
      }
    }
  }
  return live_out;
}

// Marks last uses as kills. In a small function they are those of any block, as liveness finds them; in others those
// of values with one use in their own block, as instruction selection finds them.
void FunctionGenerator::SetKillFlags() {
  MachineRegisterInfo& registers = function_.reg_info();
  for (uint32_t i = 0; i < registers.num_virtual_registers(); ++i) {
    const Register reg = Register::Virtual(i);
    MachineInstr* def = registers.UniqueDef(reg);
    if (def == nullptr || random_.Percent(20)) continue;
    if (registers.HasNoUses(reg)) {
      registers.Defs(reg).begin()->set_reg_flag(MachineOperand::kDead, true);
    } else if (registers.HasOneNonDebugUse(reg)) {
      MachineOperand& use = *registers.NonDebugUses(reg).begin();
      if (!use.parent()->is_phi() && !use.is_tied() && use.parent()->parent() == def->parent()) {
        use.set_reg_flag(MachineOperand::kKill, true);
      }
    }
  }
  if (!IsSmall() || !random_.Percent(50)) return;
  const std::vector<std::vector<bool>> live_out = LiveOut();
  for (MachineBasicBlock& block : function_) {
    std::vector<bool> live = live_out[block.number()];
    for (MachineInstr* instr = block.back(); instr != nullptr && !instr->is_phi(); instr = instr->previous()) {
      for (MachineOperand& operand : instr->operands()) {
        if (!operand.is_reg() || !operand.is_use() || !operand.reg().is_virtual()) continue;
        const uint32_t number = operand.reg().virtual_index();
        if (!live[number] && !operand.is_tied() && random_.Percent(80))
          operand.set_reg_flag(MachineOperand::kKill, true);
        live[number] = true;
      }
    }
  }
}

// ---- A module.

namespace {

constexpr std::string_view kTriple = "nvptx64-nvidia-cuda";

// The annotations of variables in nvvm.annotations can only be created by reading text. Indented like the text of
// a MIR file.
std::string HandlesAsText(bool has_samplers) {
  const auto variable = [](std::string_view name) {
    return StrCat("  @", name, " = addrspace(1) global i64 0, align 8\n");
  };
  const auto annotation = [](int number, std::string_view name) {
    return StrCat("  !", number, " = !{ptr addrspace(1) @", name, ", !\"",
                  name == "image"   ? "texture"
                  : name == "plane" ? "surface"
                                    : "sampler",
                  "\", i32 1}\n");
  };
  return StrCat("  target triple = \"", kTriple, "\"\n", variable("image"), variable("plane"),
                has_samplers ? variable("sampler") : "", "  !nvvm.annotations = !{!0, !1", has_samplers ? ", !2" : "",
                "}\n", annotation(0, "image"), annotation(1, "plane"), has_samplers ? annotation(2, "sampler") : "");
}

class ModuleGenerator {
 public:
  ModuleGenerator(const OpcodeCatalog& catalog, const TargetInfo& target, FuzzShape shape, uint64_t seed,
                  FuzzBytes* bytes)
      : module_(std::make_unique<Module>()),
        plan_(catalog, target, *module_, shape, seed),
        random_(seed * kSeedStride + static_cast<uint64_t>(shape), bytes) {}

  std::unique_ptr<Module> Run();

 private:
  bool IsSmall() const { return plan_.shape == FuzzShape::kSmall; }
  void PickSm();
  void AddHandles();
  void AddGlobals();
  void AddTensorMaps();
  GlobalId AddTensorMap(std::string_view name, GlobalId tensor, const ptx::TensorMap& map);
  GlobalId AddSharedArray(std::string_view name, int64_t bytes, uint32_t align);
  void AddFunction(std::string_view name, bool is_kernel);
  std::string BodyOf(bool is_kernel) const;
  const IrType* TypeOf(ParameterKind kind);
  const IrType* TypeOf(ResultKind kind);
  void AddAttribute(IrFunction& function, std::string_view name, std::string_view value);
  GlobalId AddArray(std::string_view name, uint32_t space, bool is_random);

  std::unique_ptr<Module> module_;
  ModulePlan plan_;
  FuzzRandom random_;
};

void ModuleGenerator::PickSm() {
  const uint64_t at = random_.Below(100);
  plan_.sm = at < 15 ? FuzzSm::k90a : at < 45 ? FuzzSm::k100a : at < 80 ? FuzzSm::k103a : FuzzSm::k120a;
}

// Adds handles to half of the modules. The IR text comes first; everything added by other means follows it.
void ModuleGenerator::AddHandles() {
  if (!random_.Percent(IsSmall() ? 15 : 50)) return;
  const bool has_samplers = random_.Percent(50);
  const auto source = std::make_shared<SourceBuffer>("handles.ll", HandlesAsText(has_samplers));
  module_->KeepSource(source);
  DiagnosticEngine diagnostics;
  if (!ReadIrModule(*source, source->text(), *module_, diagnostics)) return;
  plan_.image = module_->FindGlobal("image")->id();
  plan_.plane = module_->FindGlobal("plane")->id();
  if (has_samplers) plan_.sampler = module_->FindGlobal("sampler")->id();
  plan_.has_handles = true;
  plan_.has_samplers = has_samplers;
}

GlobalId ModuleGenerator::AddSharedArray(std::string_view name, int64_t bytes, uint32_t align) {
  IrTypeTable& types = module_->types();
  const IrType* const type = types.Array(types.Integer(8), static_cast<uint64_t>(bytes));
  GlobalVariable& variable = module_->CreateVariable(name, type, address_space::kShared, Linkage::kInternal);
  variable.initializer = module_->NewConstant({.kind = IrConstant::Kind::kUndef, .type = type});
  variable.align = align;
  return variable.id();
}

// Writes a tensor map as the interpreter's tensor_map.h does, with the address that the program's loader would
// use.
GlobalId ModuleGenerator::AddTensorMap(std::string_view name, GlobalId tensor, const ptx::TensorMap& map) {
  IrTypeTable& types = module_->types();
  const ptx::TensorMap::Bytes bytes = map.Encode();
  std::array<uint64_t, sizeof bytes / sizeof(uint64_t)> words;
  std::memcpy(words.data(), bytes.data(), sizeof bytes);
  const IrType* const rest = types.Array(types.Integer(64), words.size() - 2);
  const IrConstant* const address = module_->GlobalAddress(tensor);
  const IrConstant* const members[] = {module_->IntegerConstant(types.Integer(64), words[0]), address,
                                       module_->DataConstant(rest, absl::MakeConstSpan(words).subspan(2))};
  const IrType* const type = types.Struct({types.Integer(64), address->type, rest});
  GlobalVariable& variable = module_->CreateVariable(name, type, address_space::kGlobal, Linkage::kExternal);
  variable.initializer =
      module_->NewConstant({.kind = IrConstant::Kind::kAggregate, .type = type, .operands = members});
  variable.align = 128;
  return variable.id();
}

// Adds two maps for each rank: one of @pool, to read boxes, with zeros beyond an edge; and one of @boxes, where
// the last coordinate is the warp's number.
void ModuleGenerator::AddTensorMaps() {
  plan_.has_maps = true;
  const GlobalId boxes = AddArray("boxes", address_space::kGlobal, false);
  for (int rank = 1; rank <= kMaxTensorRank; ++rank) {
    const auto last = static_cast<size_t>(rank) - 1;
    ptx::TensorMap load;
    load.rank = static_cast<uint8_t>(rank);
    load.sizes[0] = last == 0 ? 32 : 4;
    load.box[0] = 4;
    uint64_t stride = 16;
    for (size_t i = 1; i <= last; ++i) {
      load.sizes[i] = static_cast<uint32_t>(random_.Between(1, 2));
      load.box[i] = static_cast<uint16_t>(random_.Between(1, 2));
      load.strides[i - 1] = stride;
      stride *= 2;
    }
    plan_.box_bytes[last] = load.BoxBytes();
    plan_.load_maps[last] = AddTensorMap(StrCat("load_map", rank), plan_.pool, load);
    ptx::TensorMap store;
    store.rank = load.rank;
    store.sizes = {4, 1, 1, 1, 1};
    store.box = {4, 1, 1, 1, 1};
    store.strides.fill(static_cast<uint64_t>(kBoxBytes));
    store.sizes[last] = static_cast<uint32_t>(last == 0 ? 4 * 2 * kMaxWarps : 2 * kMaxWarps);
    plan_.store_maps[last] = AddTensorMap(StrCat("store_map", rank), boxes, store);
  }
}

GlobalId ModuleGenerator::AddArray(std::string_view name, uint32_t space, bool is_random) {
  std::vector<uint64_t> words(static_cast<size_t>(kTableBytes / 4));
  for (uint64_t& word : words) word = random_.Next() & (random_.Percent(50) ? 0xff : 0xffffffff);
  const IrType* type = module_->types().Array(module_->types().Integer(32), words.size());
  GlobalVariable& variable = module_->CreateVariable(name, type, space, Linkage::kExternal);
  variable.is_constant = space == address_space::kConst;
  variable.initializer = is_random ? module_->DataConstant(type, words) : module_->ZeroInitializer(type);
  variable.align = 16;
  return variable.id();
}

void ModuleGenerator::AddGlobals() {
  plan_.table = AddArray("table", address_space::kConst, true);
  plan_.pool = AddArray("pool", address_space::kGlobal, true);
  plan_.counters = AddArray("counters", address_space::kGlobal, false);
  plan_.shared = AddSharedArray("exchange", kMaxThreads * kSharedSlotBytes, 16);
  plan_.tiles = AddSharedArray("tiles", kMaxWarps * kTileBytes, 1024);
  plan_.tensor_state = AddSharedArray("tensor_state", kTensorStateBytes, 16);
  const unsigned maps_percent = IsSmall() ? 15 : plan_.sm == FuzzSm::k90a ? 50 : 100;
  if (maps_percent == 100 || random_.Percent(maps_percent)) AddTensorMaps();
}

const IrType* ModuleGenerator::TypeOf(ParameterKind kind) {
  IrTypeTable& types = module_->types();
  switch (kind) {
    case ParameterKind::kI16:
      return types.Integer(16);
    case ParameterKind::kI32:
      return types.Integer(32);
    case ParameterKind::kI64:
      return types.Integer(64);
    case ParameterKind::kF32:
      return types.Float();
    case ParameterKind::kF64:
      return types.Double();
    default:
      return types.Pointer();
  }
}

const IrType* ModuleGenerator::TypeOf(ResultKind kind) {
  IrTypeTable& types = module_->types();
  switch (kind) {
    case ResultKind::kVoid:
      return types.Void();
    case ResultKind::kI16:
      return types.Integer(16);
    case ResultKind::kI32:
      return types.Integer(32);
    case ResultKind::kI64:
      return types.Integer(64);
    case ResultKind::kF32:
      return types.Float();
    case ResultKind::kF64:
      return types.Double();
    case ResultKind::kStruct:
      break;
  }
  return types.Struct({types.Integer(64), types.Integer(32), types.Integer(32)});
}

void ModuleGenerator::AddAttribute(IrFunction& function, std::string_view name, std::string_view value) {
  IrAttribute attribute;
  attribute.name = module_->CopyString(name);
  attribute.value = module_->CopyString(value);
  attribute.text = module_->CopyString(StrCat("\"", name, "\"=\"", value, "\""));
  attribute.is_string = true;
  function.attributes.Add(attribute);
}

// Returns an IR body that contains what the machine code may use, for code that inspects the IR.
std::string ModuleGenerator::BodyOf(bool is_kernel) const {
  std::string body = "{\n";
  const auto mention = [&](GlobalId id) {
    const GlobalValue& value = module_->global_value(id);
    StrAppend(&body, "  store volatile ptr",
              value.address_space == 0 ? "" : StrCat(" addrspace(", value.address_space, ")"), " @", value.name,
              ", ptr null, align 8\n");
  };
  for (const GlobalId id : {plan_.table, plan_.pool, plan_.counters}) mention(id);
  if (plan_.has_handles) mention(plan_.image);
  if (plan_.has_samplers) mention(plan_.sampler);
  if (is_kernel) {
    for (const GlobalId id : {plan_.shared, plan_.tiles, plan_.tensor_state}) mention(id);
    if (plan_.has_handles) mention(plan_.plane);
    for (const auto& maps : {plan_.load_maps, plan_.store_maps}) {
      for (const GlobalId id : maps) {
        if (plan_.has_maps) mention(id);
      }
    }
  }
  for (const FunctionPlan& callee : plan_.functions) {
    if (!callee.is_kernel) mention(callee.function->id());
  }
  return body + "  unreachable\n}";
}

void ModuleGenerator::AddFunction(std::string_view name, bool is_kernel) {
  FunctionPlan plan;
  plan.is_kernel = is_kernel;
  plan.parameters.push_back(ParameterKind::kPointer);
  if (is_kernel) plan.parameters.push_back(ParameterKind::kPointer);
  for (int64_t count = IsSmall() ? random_.Between(0, 3) : random_.Between(1, 5); count > 0; --count) {
    constexpr ParameterKind kKinds[] = {ParameterKind::kI16, ParameterKind::kI32, ParameterKind::kI64,
                                        ParameterKind::kF32, ParameterKind::kF64, ParameterKind::kByVal};
    plan.parameters.push_back(IsSmall() && !is_kernel && random_.Percent(20) ? ParameterKind::kByVal
                                                                             : random_.Pick(kKinds));
  }
  if (!is_kernel) plan.result = static_cast<ResultKind>(random_.Below(static_cast<uint64_t>(ResultKind::kStruct) + 1));
  std::vector<const IrType*> types;
  for (const ParameterKind kind : plan.parameters) types.push_back(TypeOf(kind));
  const IrType* type = module_->types().Function(TypeOf(plan.result), types, false);
  IrFunction& ir = module_->CreateFunction(name, type, Linkage::kExternal);
  plan.function = &ir;
  const IrType* structure = module_->types().Array(module_->types().Integer(64), kByValBytes / 8);
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    if (plan.parameters[i] != ParameterKind::kByVal) continue;
    IrAttribute by_val;
    by_val.name = "byval";
    by_val.text = module_->CopyString(StrCat("byval(", structure->ToString(), ")"));
    by_val.type = structure;
    ir.parameters[i].attributes.Add(by_val);
    IrAttribute align;
    align.name = "align";
    align.text = "align 8";
    align.integer = 8;
    ir.parameters[i].attributes.Add(align);
  }
  if (is_kernel) ir.calling_convention = calling_convention::kPtxKernel;
  AddAttribute(ir, "target-cpu", FuzzSmName(plan_.sm));
  AddAttribute(ir, "target-features", kFeatures);
  if (is_kernel) {
    // wgmma needs a group of four warps.
    const unsigned large = IsSmall() ? 2 : plan_.sm == FuzzSm::k90a ? 70 : 25;
    const unsigned middle = IsSmall() ? 15 : 65;
    plan.num_threads = random_.Percent(large) ? 128 : random_.Percent(middle) ? 64 : 32;
    AddAttribute(ir, "nvvm.reqntid", StrCat(plan.num_threads));
  }
  plan.is_clustered = is_kernel && random_.Percent(IsSmall() ? 4 : 15);
  if (plan.is_clustered) AddAttribute(ir, "nvvm.cluster_dim", "2");
  ir.has_body = true;
  ir.body_text = module_->CopyString(BodyOf(is_kernel));

  auto function = std::make_unique<MachineFunction>(module_.get(), plan_.target, ir.name,
                                                    static_cast<uint32_t>(module_->machine_functions().size()),
                                                    module_->function_memory());
  function->SetProperty(FunctionProperty::kTracksRegLiveness | FunctionProperty::kIsSsa);
  const int64_t budget = IsSmall()   ? random_.Between(2, is_kernel ? 45 : 15)
                         : is_kernel ? random_.Between(40, 400)
                                     : random_.Between(5, 60);
  FunctionGenerator(plan_, plan, *function, random_.Fork(), budget).Run();
  module_->machine_functions().push_back(std::move(function));
  plan_.functions.push_back(std::move(plan));
}

std::unique_ptr<Module> ModuleGenerator::Run() {
  PickSm();
  AddHandles();
  if (!plan_.has_handles) module_->set_target_triple(kTriple);
  AddGlobals();
  const uint64_t num_callees = IsSmall() ? (random_.Percent(25) ? 1 : 0) : random_.Below(4);
  for (uint64_t i = 0; i < num_callees; ++i) AddFunction(StrCat("callee", i), false);
  const uint64_t num_kernels = plan_.shape == FuzzShape::kMixed && random_.Percent(20) ? 2 : 1;
  for (uint64_t i = 0; i < num_kernels; ++i) AddFunction(StrCat("kernel", i), true);
  return std::move(module_);
}

}  // namespace

std::string_view FuzzShapeName(FuzzShape shape) { return kShapeNames[static_cast<size_t>(shape)]; }

std::optional<FuzzShape> FindFuzzShape(std::string_view name) {
  for (int i = 0; i < kNumFuzzShapes; ++i) {
    if (kShapeNames[i] == name) return static_cast<FuzzShape>(i);
  }
  return std::nullopt;
}

std::unique_ptr<Module> GenerateMirModule(const OpcodeCatalog& catalog, const TargetInfo& target, FuzzShape shape,
                                          uint64_t seed, FuzzBytes* bytes) {
  return ModuleGenerator(catalog, target, shape, seed, bytes).Run();
}

}  // namespace ptxmir::fuzz
