// SPDX-License-Identifier: Apache-2.0

#include "sdag/builder/function_state.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

// The header of the public enumeration needs only the standard library, so it repeats the numbers.
static_assert(static_cast<uint32_t>(AddressSpace::kGeneric) == address_space::kGeneric);
static_assert(static_cast<uint32_t>(AddressSpace::kGlobal) == address_space::kGlobal);
static_assert(static_cast<uint32_t>(AddressSpace::kShared) == address_space::kShared);
static_assert(static_cast<uint32_t>(AddressSpace::kConstant) == address_space::kConst);
static_assert(static_cast<uint32_t>(AddressSpace::kLocal) == address_space::kLocal);
static_assert(static_cast<uint32_t>(AddressSpace::kParam) == address_space::kParam);

std::string Type::ToString() const {
  if (is_vector()) return StrCat("<", lanes(), " x ", element().ToString(), ">");
  switch (kind_) {
    case Kind::kVoid:
      return "void";
    case Kind::kInteger:
      return StrCat("i", bits_);
    case Kind::kFloat:
      return StrCat("f", bits_);
    case Kind::kBFloat:
      return "bf16";
    case Kind::kPointer:
      break;
  }
  return space_ == AddressSpace::kGeneric ? "ptr" : StrCat("ptr addrspace(", static_cast<unsigned>(space_), ")");
}

std::optional<MVT> MvtOf(Type type) {
  std::optional<MVT> scalar;
  switch (type.kind()) {
    case Type::Kind::kVoid:
      return std::nullopt;
    case Type::Kind::kInteger:
      scalar = sdag::IntegerOf(type.element_bits());
      break;
    case Type::Kind::kFloat:
      if (type.element_bits() == 16) scalar = MVT::kF16;
      if (type.element_bits() == 32) scalar = MVT::kF32;
      if (type.element_bits() == 64) scalar = MVT::kF64;
      break;
    case Type::Kind::kBFloat:
      scalar = MVT::kBF16;
      break;
    case Type::Kind::kPointer:
      return type.is_vector() ? std::nullopt : std::optional<MVT>(MVT::kI64);
  }
  if (!scalar.has_value() || !type.is_vector()) return scalar;
  return type.lanes() < 2 ? std::nullopt : sdag::VectorOf(*scalar, type.lanes());
}

sdag::TypeList CrossingTypes(MVT type) {
  return sdag::PartTypes(type, [](MVT vector) { return sdag::SizeInBits(vector) == 32; });
}

FunctionState::FunctionState(ModuleState& module, MachineFunction& function, GlobalId global, Signature signature)
    : module_(module),
      function_(function),
      name_(function.name()),
      global_(global),
      signature_(std::move(signature)),
      serial_(NextSerial()),
      dags_(std::make_unique<sdag::DagFunction>(function)),
      blocks_(1),
      values_(1) {
  call_ = "CreateFunction";
  SetInsertPoint(CreateBlock());
}

FunctionState::~FunctionState() = default;

// Checks.

void FunctionState::Error(std::string_view what) {
  module_.Error(StrCat(signature_.is_kernel ? "kernel '" : "function '", name_, "': ", call_, ": ", what));
}

bool FunctionState::EnterAnywhere(const char* call) {
  if (!module_.ok()) return false;
  call_ = call;
  return !is_finished_ || Fail("the module was compiled already");
}

bool FunctionState::Enter(const char* call) {
  if (!EnterAnywhere(call)) return false;
  if (blocks_[current_].end != End::kOpen) return Fail(StrCat(BlockName(current_), " has ended already"));
  return true;
}

bool FunctionState::Check(std::span<const Value> values) {
  for (const Value& value : values) {
    if (value.index_ == 0) return Fail("an argument is no value");
    if (value.function_ != serial_) return Fail("an argument is a value of another function");
    if (value.index_ >= values_.size() || values_[value.index_].type != value.type_) {
      return Fail("an argument is no value");
    }
  }
  return true;
}

bool FunctionState::CheckSameType(Value a, Value b) {
  if (a.type() == b.type()) return true;
  return Fail(StrCat(a.type().ToString(), " and ", b.type().ToString(), " are different types"));
}

bool FunctionState::CheckClass(Type type, TypeClass type_class) {
  switch (type_class) {
    case TypeClass::kInteger:
      return type.is_integer() || Fail(StrCat(type.ToString(), " is no integer"));
    case TypeClass::kFloat:
      return type.is_floating_point() || Fail(StrCat(type.ToString(), " is no floating-point type"));
    case TypeClass::kArithmetic:
      break;
  }
  return type.is_integer() || type.is_floating_point() ||
         Fail(StrCat(type.ToString(), " is neither integer nor floating-point"));
}

bool FunctionState::CheckPointer(Value pointer) {
  return pointer.type().is_pointer() || Fail(StrCat(pointer.type().ToString(), " is no pointer"));
}

bool FunctionState::CheckSupport(Opcode opcode) {
  const ptx::Subtarget* subtarget = module().subtarget();
  if (subtarget == nullptr) return Fail("the module has no target");
  return subtarget->Supports(opcode) || Fail(subtarget->WhyUnsupported(opcode));
}

bool FunctionState::CheckBlock(Block block) {
  if (block.index_ == 0) return Fail("no block");
  if (block.function_ != serial_) return Fail("a block of another function");
  return block.index_ < blocks_.size() || Fail("no block");
}

bool FunctionState::CheckType(Type type) {
  return MvtOf(type).has_value() || Fail(StrCat("there is no value of type ", type.ToString()));
}

// Values.

Value FunctionState::NewValue(const ValueInfo& info) {
  Value value;
  value.function_ = serial_;
  value.index_ = static_cast<uint32_t>(values_.size());
  value.type_ = info.type;
  values_.push_back(info);
  return value;
}

Value FunctionState::Make(Type type, SDValue node) {
  ValueInfo info;
  info.kind = Kind::kComputed;
  info.type = type;
  info.block = current_;
  info.node = node;
  return NewValue(info);
}

Value FunctionState::Retype(Type type, Value value) {
  ValueInfo info = values_[value.index_];
  if (info.kind == Kind::kInteger) {
    info.type = type;
    return NewValue(info);
  }
  return Make(type, Use(value));
}

Value FunctionState::MakeInteger(Type type, absl::uint128 bits) {
  const unsigned width = type.element_bits();
  if (width < 128) bits &= (absl::uint128(1) << width) - 1;
  ValueInfo info;
  info.kind = Kind::kInteger;
  info.type = type;
  info.bits = bits;
  return NewValue(info);
}

Value FunctionState::MakeFloat(Type type, uint64_t bits) {
  ValueInfo info;
  info.kind = Kind::kFloat;
  info.type = type;
  info.bits = bits;
  return NewValue(info);
}

Value FunctionState::MakeUndefined(Type type) {
  ValueInfo info;
  info.kind = Kind::kUndefined;
  info.type = type;
  return NewValue(info);
}

Value FunctionState::MakeGlobal(Type type, GlobalId global) {
  ValueInfo info;
  info.kind = Kind::kGlobal;
  info.type = type;
  info.bits = global;
  return NewValue(info);
}

Value FunctionState::MakeFrame(int index) {
  ValueInfo info;
  info.kind = Kind::kFrame;
  info.type = kLocalPointer;
  info.bits = static_cast<uint32_t>(index);
  return NewValue(info);
}

// Parameters are loaded in the entry block; unused loads are removed later.
Value FunctionState::Argument(size_t i) {
  if (arguments_.empty()) arguments_.resize(signature_.parameters.size());
  if (arguments_[i].is_valid()) return arguments_[i];
  const Parameter& parameter = signature_.parameters[i];
  if (parameter.size != 0) {
    ValueInfo info;
    info.kind = Kind::kByValue;
    info.type = signature_.is_kernel ? parameter.type : kLocalPointer;
    info.bits = i;
    return arguments_[i] = NewValue(info);
  }
  const WithoutLocation nowhere(*this);
  const uint32_t current = std::exchange(current_, 1);
  const SDValue address = dag().GetExternalSymbol(ptx::ParameterName(function_.name(), i), MVT::kI64);
  const MachineMemOperand* memoperand =
      MemOperand(parameter.type, address_space::kParam,
                 MachineMemOperand::kLoad | MachineMemOperand::kDereferenceable | MachineMemOperand::kInvariant, 0);
  const SDValue load = LoadNode(parameter.type, dag().EntryToken(), address, memoperand);
  arguments_[i] = Make(parameter.type, Loaded(parameter.type, load));
  current_ = current;
  return arguments_[i];
}

std::optional<uint64_t> FunctionState::ConstantOf(Value value) const {
  const ValueInfo& info = values_[value.index_];
  if (info.kind != Kind::kInteger || info.type.is_vector() || info.type.bits() > 64) return std::nullopt;
  return absl::Uint128Low64(info.bits);
}

SDValue FunctionState::MakeLeaf(const ValueInfo& info) {
  const MVT type = *MvtOf(info.type);
  if (info.kind == Kind::kUndefined) return dag().GetUndef(type);
  if (info.kind == Kind::kGlobal) return dag().GetGlobalAddress(static_cast<GlobalId>(info.bits), type);
  if (info.kind == Kind::kByValue) {
    const std::string symbol = ptx::ParameterName(function_.name(), absl::Uint128Low64(info.bits));
    if (signature_.is_kernel) return dag().GetExternalSymbol(symbol, type);
    // In functions, the address of a parameter is one in local memory.
    return dag().GetNode(isd::kNvMoveParam, {}, type, {dag().GetExternalSymbol(symbol, type, true)});
  }
  if (info.kind == Kind::kFrame) {
    // Frame indices are generic addresses.
    const SDValue address = dag().GetFrameIndex(static_cast<int>(absl::Uint128Low64(info.bits)), type);
    return dag().GetAddrSpaceCast({}, type, address, address_space::kGeneric, address_space::kLocal);
  }
  const MVT scalar = sdag::ScalarType(type);
  const SDValue element = info.kind == Kind::kFloat ? dag().GetConstantFP(absl::Uint128Low64(info.bits), scalar)
                                                    : dag().GetConstant(info.bits, scalar);
  if (!sdag::IsVector(type)) return element;
  const std::vector<SDValue> elements(sdag::NumElements(type), element);
  return dag().GetNode(isd::kBuildVector, {}, absl::MakeConstSpan(&type, 1), elements);
}

SDValue FunctionState::Use(Value value) {
  const ValueInfo& info = values_[value.index_];
  switch (info.kind) {
    case Kind::kNone:
      return SDValue();
    case Kind::kComputed:
      return info.block == current_ ? info.node : Import(value.index_);
    case Kind::kPhi:
      return Import(value.index_);
    default:
      return MakeLeaf(info);
  }
}

// Values in other blocks.

void FunctionState::CreateParts(ValueInfo& info) {
  info.first_part = static_cast<uint32_t>(registers_.size());
  for (const MVT part : CrossingTypes(*MvtOf(info.type))) {
    registers_.push_back(function_.reg_info().CreateVirtualRegister(*sdag::RegClassFor(part)));
    ++info.num_parts;
  }
}

void FunctionState::CopyToRegisters(BlockInfo& block, SDValue node, std::span<const Register> registers) {
  // Split works on the current block.
  const WithoutLocation nowhere(*this);
  const uint32_t current = current_;
  current_ = static_cast<uint32_t>(&block - blocks_.data());
  const std::vector<SDValue> parts = Split(node);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->is_divergent()) dags_->SetDivergent(registers[i]);
    block.exports.push_back(block.dag->GetCopyToReg(NextLoc(), block.dag->EntryToken(), registers[i], parts[i]));
  }
  current_ = current;
}

void FunctionState::Export(uint32_t value) {
  if (values_[value].num_parts != 0) return;
  CreateParts(values_[value]);
  const ValueInfo& info = values_[value];
  CopyToRegisters(blocks_[info.block], info.node, PartsOf(info));
}

SDValue FunctionState::Import(uint32_t value) {
  const uint64_t key = uint64_t{value} << 32 | current_;
  if (const auto found = imports_.find(key); found != imports_.end()) return found->second;
  Export(value);
  const ValueInfo& info = values_[value];
  if (info.block != current_) crossings_.push_back({value, current_, call_});
  const WithoutLocation nowhere(*this);
  const MVT type = *MvtOf(info.type);
  const sdag::TypeList part_types = CrossingTypes(type);
  std::vector<SDValue> parts;
  for (size_t i = 0; i < part_types.size(); ++i) {
    parts.push_back(dag().GetCopyFromReg(NextLoc(), dag().EntryToken(), PartsOf(info)[i], part_types[i]));
  }
  const SDValue joined = Join(parts, type);
  imports_.emplace(key, joined);
  return joined;
}

std::vector<SDValue> FunctionState::Split(SDValue value) {
  const MVT type = value.type();
  const sdag::TypeList part_types = CrossingTypes(type);
  if (part_types.size() == 1 && part_types[0] == type) return {value};
  std::vector<SDValue> parts;
  if (type == MVT::kI8) return {dag().GetNode(isd::kAnyExtend, NextLoc(), MVT::kI16, {value})};
  if (type == MVT::kI128) {
    for (uint64_t i = 0; i < 2; ++i) {
      const SDValue index = dag().GetConstant(i, MVT::kI64);
      parts.push_back(dag().GetNode(isd::kExtractElement, NextLoc(), MVT::kI64, {value, index}));
    }
    return parts;
  }
  const MVT scalar = sdag::ScalarType(type);
  uint64_t next = 0;
  for (const MVT part : part_types) {
    std::vector<SDValue> elements;
    for (unsigned i = 0; i < std::max(1u, sdag::NumElements(part)); ++i) {
      const SDValue index = dag().GetConstant(next++, MVT::kI64);
      elements.push_back(dag().GetNode(isd::kExtractVectorElt, NextLoc(), scalar, {value, index}));
    }
    if (sdag::IsVector(part)) {
      parts.push_back(dag().GetNode(isd::kBuildVector, NextLoc(), absl::MakeConstSpan(&part, 1), elements));
    } else if (part != scalar) {
      parts.push_back(dag().GetNode(isd::kAnyExtend, NextLoc(), part, {elements[0]}));
    } else {
      parts.push_back(elements[0]);
    }
  }
  return parts;
}

SDValue FunctionState::Join(std::span<const SDValue> parts, MVT type) {
  if (parts.size() == 1 && parts[0].type() == type) return parts[0];
  if (type == MVT::kI8) return dag().GetNode(isd::kTruncate, NextLoc(), type, {parts[0]});
  if (type == MVT::kI128) return dag().GetNode(isd::kBuildPair, NextLoc(), type, {parts[0], parts[1]});
  const MVT scalar = sdag::ScalarType(type);
  std::vector<SDValue> elements;
  for (const SDValue& part : parts) {
    if (!sdag::IsVector(part.type())) {
      const bool is_wider = part.type() != scalar;
      elements.push_back(is_wider ? dag().GetNode(isd::kTruncate, NextLoc(), scalar, {part}) : part);
      continue;
    }
    for (uint64_t i = 0; i < sdag::NumElements(part.type()); ++i) {
      const SDValue index = dag().GetConstant(i, MVT::kI64);
      elements.push_back(dag().GetNode(isd::kExtractVectorElt, NextLoc(), scalar, {part, index}));
    }
  }
  return dag().GetNode(isd::kBuildVector, NextLoc(), absl::MakeConstSpan(&type, 1), elements);
}

// Operations with a common form.

Value FunctionState::Unary(const char* call, TypeClass type_class, int16_t opcode, Value a, uint32_t flags) {
  if (!Enter(call) || !Check({a}) || !CheckClass(a.type(), type_class)) return {};
  return MakeNode(a.type(), opcode, {Use(a)}, flags);
}

Value FunctionState::Binary(const char* call, TypeClass type_class, int16_t opcode, Value a, Value b, uint32_t flags) {
  if (!Enter(call) || !Check({a, b}) || !CheckSameType(a, b) || !CheckClass(a.type(), type_class)) return {};
  const SDValue first = Use(a);
  return MakeNode(a.type(), opcode, {first, Use(b)}, flags);
}

Value FunctionState::Shift(const char* call, int16_t opcode, Value a, Value amount) {
  if (!Enter(call) || !Check({a, amount}) || !CheckClass(a.type(), TypeClass::kInteger) ||
      !CheckClass(amount.type(), TypeClass::kInteger)) {
    return {};
  }
  if (a.type().is_vector() || amount.type().is_vector()) {
    if (!CheckSameType(a, amount)) return {};
    const SDValue first = Use(a);
    return MakeNode(a.type(), opcode, {first, Use(amount)});
  }
  // The shift amounts of PTX have 32 bits.
  SDValue count;
  if (const std::optional<uint64_t> constant = ConstantOf(amount)) {
    count = dag().GetConstant(std::min<uint64_t>(*constant, ~uint32_t{0}), MVT::kI32);
  } else {
    count = Use(amount);
    const unsigned bits = amount.type().bits();
    if (bits < 32) count = dag().GetNode(isd::kZeroExtend, NextLoc(), MVT::kI32, {count});
    if (bits > 32) count = dag().GetNode(isd::kTruncate, NextLoc(), MVT::kI32, {count});
  }
  return MakeNode(a.type(), opcode, {Use(a), count});
}

SDValue FunctionState::ScaledIndex(Value index, uint64_t size) {
  if (const std::optional<uint64_t> constant = ConstantOf(index)) {
    const unsigned shift = 64 - index.type().bits();
    const int64_t value = static_cast<int64_t>(*constant << shift) >> shift;
    return Integer(static_cast<int64_t>(static_cast<uint64_t>(value) * size), MVT::kI64);
  }
  SDValue wide = Use(index);
  if (index.type() != kI64) wide = dag().GetNode(isd::kSignExtend, NextLoc(), MVT::kI64, {wide});
  if (size == 1) return wide;
  if (!std::has_single_bit(size)) {
    return dag().GetNode(isd::kMul, NextLoc(), MVT::kI64, {wide, dag().GetConstant(size, MVT::kI64)});
  }
  const SDValue amount = dag().GetConstant(static_cast<uint64_t>(std::countr_zero(size)), MVT::kI32);
  return dag().GetNode(isd::kShl, NextLoc(), MVT::kI64, {wide, amount});
}

// Memory.

SDValue FunctionState::Root() {
  BlockInfo& block = blocks_[current_];
  if (!block.pending_loads.empty()) {
    std::vector<SDValue> chains = std::move(block.pending_loads);
    block.pending_loads.clear();
    if (block.root != block.dag->EntryToken()) chains.push_back(block.root);
    block.root = block.dag->GetTokenFactor({}, chains);
  }
  return block.root;
}

void FunctionState::SetRoot(SDValue chain) { blocks_[current_].root = chain; }
SDValue FunctionState::LoadRoot() { return blocks_[current_].root; }
void FunctionState::AddPendingLoad(SDValue chain) { blocks_[current_].pending_loads.push_back(chain); }

const MachineMemOperand* FunctionState::MemOperand(Type type, unsigned space, uint16_t flags, unsigned align) {
  MachineMemOperand operand;
  operand.flags = flags;
  operand.align_log2 = static_cast<uint8_t>(std::countr_zero(align == 0 ? type.size_in_bytes() : align));
  operand.base_align_log2 = operand.align_log2;
  operand.has_known_size = true;
  operand.address_space = space;
  operand.type.kind = LowLevelType::Kind::kScalar;
  operand.type.bits = (type.bits() + 7) / 8 * 8;
  return function_.CreateMemOperand(operand);
}

// An i1 is a byte in memory.
SDValue FunctionState::LoadNode(Type type, SDValue chain, SDValue pointer, const MachineMemOperand* memoperand) {
  if (type != kI1) return dag().GetLoad(NextLoc(), *MvtOf(type), chain, pointer, memoperand);
  return dag().GetExtLoad(sdag::LoadExt::kZero, NextLoc(), MVT::kI16, chain, pointer, MVT::kI8, memoperand);
}

SDValue FunctionState::Loaded(Type type, SDValue load) {
  return type == kI1 ? dag().GetNode(isd::kTruncate, NextLoc(), MVT::kI1, {load}) : load;
}

SDValue FunctionState::StoreNode(Type type, SDValue chain, SDValue value, SDValue pointer,
                                 const MachineMemOperand* memoperand) {
  if (type != kI1) return dag().GetStore(NextLoc(), chain, value, pointer, memoperand);
  const SDValue wide = dag().GetNode(isd::kZeroExtend, NextLoc(), MVT::kI16, {value});
  return dag().GetTruncStore(NextLoc(), chain, wide, pointer, MVT::kI8, memoperand);
}

// Blocks.

std::string FunctionState::BlockName(uint32_t index) const {
  return index <= 1 ? "the entry block" : StrCat("block ", index - 1);
}

Block FunctionState::HandleOf(uint32_t index) const {
  Block block;
  if (index == 0) return block;
  block.function_ = serial_;
  block.index_ = index;
  return block;
}

Block FunctionState::CreateBlock() {
  BlockInfo info;
  info.block = function_.CreateBlock();
  info.dag = &dags_->dag(*info.block);
  info.root = info.dag->EntryToken();
  const auto index = static_cast<uint32_t>(blocks_.size());
  info.owner = index;
  blocks_.push_back(std::move(info));
  return HandleOf(index);
}

Block FunctionState::CreateInnerBlock() {
  const Block block = CreateBlock();
  blocks_[block.index_].owner = blocks_[current_].owner;
  return block;
}

void FunctionState::SetInsertPoint(Block block) {
  current_ = block.index_;
  if (blocks_[current_].is_placed) return;
  blocks_[current_].is_placed = true;
  placed_.push_back(current_);
}

void FunctionState::Branch(Block to) {
  EndBlock(End::kBranch);
  blocks_[current_].targets = {to.index_};
}

void FunctionState::BranchIf(SDValue condition, Block then_block, Block else_block) {
  if (then_block == else_block) return Branch(then_block);
  EndBlock(End::kBranchIf);
  blocks_[current_].condition = condition;
  blocks_[current_].targets = {then_block.index_, else_block.index_};
}

void FunctionState::BranchByTable(SDValue index, std::span<const Block> entries) {
  EndBlock(End::kTable);
  BlockInfo& block = blocks_[current_];
  block.condition = index;
  for (const Block& entry : entries) {
    block.table.push_back(entry.index_);
    if (std::find(block.targets.begin(), block.targets.end(), entry.index_) == block.targets.end()) {
      block.targets.push_back(entry.index_);
    }
  }
}

// Debug locations. There is one scope for each function and file; each instruction has a line within a scope.

void FunctionState::SetLocation(std::string_view file, uint32_t line, uint32_t column) {
  const MetadataId file_node = module_.DebugFile(file);
  if (subprogram_ == kNoLocation) {
    subprogram_file_ = file_node;
    const MetadataId unit = module_.DebugUnit(file_node), type = module_.DebugFunctionType();
    subprogram_ = module_.AddDebugNode(StrCat(
        "distinct !DISubprogram(name: \"", name_, "\", scope: !", file_node, ", file: !", file_node, ", line: ", line,
        ", type: !", type, ", scopeLine: ", line, ", spFlags: DISPFlagDefinition, unit: !", unit, ")"));
    module_.module()->global_value(global_).metadata.push_back({"dbg", subprogram_, {}});
  }
  MetadataId scope = subprogram_;
  if (file_node != subprogram_file_) {
    const auto [found, is_new] = scopes_.try_emplace(file_node, 0);
    if (is_new) {
      found->second = module_.AddDebugNode(
          StrCat("!DILexicalBlockFile(scope: !", subprogram_, ", file: !", file_node, ", discriminator: 0)"));
    }
    scope = found->second;
  }
  const std::string column_text = column == 0 ? std::string() : StrCat(", column: ", column);
  debug_loc_ =
      function_.InternInlineMetadata(StrCat("!DILocation(line: ", line, column_text, ", scope: !", scope, ")"));
}

Value FunctionState::Phi(Type type) {
  ValueInfo info;
  info.kind = Kind::kPhi;
  info.type = type;
  info.block = current_;
  info.phi = static_cast<uint32_t>(phis_.size());
  CreateParts(info);
  for (const Register part : PartsOf(info)) dags_->SetDivergent(part);
  const Value value = NewValue(info);
  blocks_[current_].phis.push_back(info.phi);
  phis_.push_back({value.index_, {}});
  return value;
}

void FunctionState::AddIncoming(Value phi, Value value, Block from) {
  const ValueInfo& info = values_[phi.index_];
  if (info.kind != Kind::kPhi) return Error("the first argument is no phi");
  for (const PhiInfo::Incoming& incoming : phis_[info.phi].incoming) {
    if (incoming.block == from.index_)
      return Error(StrCat("there is a value from ", BlockName(from.index_), " already"));
  }
  phis_[info.phi].incoming.push_back({value.index_, from.index_});
}

}  // namespace ptxmir::builder
