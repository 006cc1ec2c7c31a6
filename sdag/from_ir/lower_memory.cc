// SPDX-License-Identifier: Apache-2.0

// Stack objects, loads, stores, addresses and atomics.

#include <algorithm>
#include <bit>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "mir/code/memory_scope.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

ptxmir::AtomicOrdering OrderOf(ir::AtomicOrdering order) {
  switch (order) {
    case ir::AtomicOrdering::kNotAtomic:
      return ptxmir::AtomicOrdering::kNotAtomic;
    case ir::AtomicOrdering::kUnordered:
      return ptxmir::AtomicOrdering::kUnordered;
    case ir::AtomicOrdering::kMonotonic:
      return ptxmir::AtomicOrdering::kMonotonic;
    case ir::AtomicOrdering::kAcquire:
      return ptxmir::AtomicOrdering::kAcquire;
    case ir::AtomicOrdering::kRelease:
      return ptxmir::AtomicOrdering::kRelease;
    case ir::AtomicOrdering::kAcquireRelease:
      return ptxmir::AtomicOrdering::kAcquireRelease;
    case ir::AtomicOrdering::kSequentiallyConsistent:
      break;
  }
  return ptxmir::AtomicOrdering::kSequentiallyConsistent;
}

std::optional<MemoryScope> ScopeOf(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const std::string_view name = builder.function().program().sync_scope(instruction.sync_scope());
  const std::optional<MemoryScope> scope = ScopeFromSyncscope(name);
  if (!scope.has_value()) builder.Refuse(StrCat("syncscope(\"", name, "\")"));
  return scope;
}

uint64_t AccessAlign(FunctionBuilder& builder, const ir::Instruction& instruction, const IrType* type) {
  return instruction.align() != 0 ? instruction.align() : builder.layout().AbiAlign(type);
}

MemoryAccess AccessOf(FunctionBuilder& builder, const ir::Instruction& instruction, const IrType* type,
                      const ir::Value& pointer) {
  MemoryAccess access;
  access.address_space = pointer.type()->address_space();
  access.align = AccessAlign(builder, instruction, type);
  if (instruction.has_flag(ir::kVolatile)) access.flags |= MachineMemOperand::kVolatile;
  access.metadata = &instruction;
  return access;
}

// Returns true if a pointer points into a stack object, as far as address arithmetic and casts show.
bool PointsToStack(const ir::Value& pointer) {
  const ir::Value* value = &pointer;
  while (value->is_instruction()) {
    const auto& instruction = static_cast<const ir::Instruction&>(*value);
    switch (instruction.opcode()) {
      case ir::Opcode::kAlloca:
        return true;
      case ir::Opcode::kGetElementPtr:
      case ir::Opcode::kBitCast:
      case ir::Opcode::kAddrSpaceCast:
        value = &instruction.operand(0);
        break;
      default:
        return false;
    }
  }
  return false;
}

// The address space of an atomic access. PTX has no atomic operation on local memory, not even through a generic
// pointer, so stack objects have to be known as such.
uint32_t AtomicAddressSpace(const ir::Value& pointer) {
  const uint32_t space = pointer.type()->address_space();
  return space == address_space::kGeneric && PointsToStack(pointer) ? address_space::kLocal : space;
}

SDValue AtomicAddress(FunctionBuilder& builder, const ir::Value& pointer) {
  const SDValue address = builder.UseOne(pointer);
  const uint32_t from = pointer.type()->address_space(), to = AtomicAddressSpace(pointer);
  if (from == to) return address;
  return builder.dag().GetAddrSpaceCast(builder.Loc(), builder.PointerType(to), address, from, to);
}

// Returns the memory operand of an atomic access, or null if it has been refused.
const MachineMemOperand* AtomicOperand(FunctionBuilder& builder, const ir::Instruction& instruction, const IrType* type,
                                       const ir::Value& pointer, uint16_t flags) {
  const std::optional<MemoryScope> scope = ScopeOf(builder, instruction);
  const absl::Span<const ValuePart> parts = builder.PartsOf(type);
  if (!scope.has_value()) return nullptr;
  if (parts.size() != 1 || !parts[0].is_exact() || SizeInBits(parts[0].type) < 8) {
    builder.Refuse(StrCat("an atomic access to a value of type ", type->ToString()));
    return nullptr;
  }
  MemoryAccess access = AccessOf(builder, instruction, type, pointer);
  access.address_space = AtomicAddressSpace(pointer);
  const uint64_t bytes = SizeInBits(parts[0].type) / 8;
  if (access.align < bytes && address_space::IsSharedBetweenThreads(access.address_space)) {
    builder.Refuse(StrCat("an atomic access of ", bytes, " bytes that are aligned to ", access.align));
    return nullptr;
  }
  MachineMemOperand operand = *MemOperandFor(builder, parts[0].type, type, 0, access, flags);
  operand.success_ordering = OrderOf(instruction.ordering());
  operand.failure_ordering = OrderOf(instruction.failure_ordering());
  operand.syncscope = SyncscopeOf(*scope);
  return builder.machine_function().CreateMemOperand(operand);
}

SDValue AtomicNode(FunctionBuilder& builder, int16_t opcode, absl::Span<const MVT> types,
                   absl::Span<const SDValue> operands, MVT memory_type, const MachineMemOperand* memory) {
  const SDValue node = builder.dag().GetMemNode(opcode, builder.Loc(), types, operands, memory_type, memory);
  builder.SetRoot(node.Result(static_cast<unsigned>(types.size()) - 1));
  return node;
}

void LowerDynamicAlloca(FunctionBuilder& builder, const ir::Instruction& instruction, uint64_t align) {
  const uint64_t size = builder.layout().AllocSize(instruction.source_type());
  const uint32_t space = instruction.type()->address_space();
  SDValue bytes = builder.Number(static_cast<int64_t>(size), MVT::kI64);
  if (instruction.num_operands() != 0) {
    const ir::Value& count = instruction.operand(0);
    const absl::Span<const ValuePart> parts = builder.PartsOf(count.type());
    SDValue number = builder.UseOne(count);
    if (parts.size() == 1) number = builder.ZeroExtended(number, parts[0]);
    bytes = builder.Node(isd::kMul, MVT::kI64, {builder.Resize(number, MVT::kI64, isd::kZeroExtend), bytes});
  }
  builder.machine_function().frame_info().CreateStackObject(0, static_cast<uint8_t>(std::countr_zero(align)),
                                                            StackObject::Type::kVariableSized);
  const SDValue node =
      builder.dag().GetNode(isd::kDynamicStackAlloc, builder.Loc(), {MVT::kI64, MVT::kOther},
                            {builder.Root(), bytes, builder.dag().GetTargetConstant(align, MVT::kI32)});
  builder.SetRoot(node.Result(1));
  SDValue address = node;
  if (space != address_space::kGeneric) {
    address =
        builder.dag().GetAddrSpaceCast(builder.Loc(), builder.PointerType(space), node, address_space::kGeneric, space);
  }
  builder.Define(instruction, address);
}

}  // namespace

void LowerAlloca(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const IrType* type = instruction.source_type();
  const uint64_t align = std::max(instruction.align(), builder.layout().PreferredAlign(type));
  std::optional<uint64_t> count = 1;
  if (instruction.num_operands() != 0) {
    const ir::Value& operand = instruction.operand(0);
    count.reset();
    if (operand.is_constant()) {
      const IrConstant& constant = static_cast<const ir::ConstantValue&>(operand).constant();
      if (constant.kind == IrConstant::Kind::kInteger) count = constant.ZExtValue();
    }
  }
  if (!count.has_value() || instruction.parent() != &builder.function().entry()) {
    return LowerDynamicAlloca(builder, instruction, align);
  }
  // The memory of a thread is far smaller.
  constexpr uint64_t kMaxBytes = uint64_t{1} << 32;
  const uint64_t size = builder.layout().AllocSize(type);
  if (size > kMaxBytes || (size != 0 && *count > kMaxBytes / size)) {
    builder.Refuse("an alloca of this size");
    return;
  }
  MachineFrameInfo& frame = builder.machine_function().frame_info();
  const int index =
      frame.CreateStackObject(std::max<uint64_t>(size * *count, 1), static_cast<uint8_t>(std::countr_zero(align)));
  if (instruction.name() != 0) {
    MachineFunction& function = builder.machine_function();
    frame.object(index).name = function.symbol(function.InternSymbol(builder.function().name(instruction.name())));
  }
  builder.DefineFrameIndex(instruction, index);
}

void LowerLoad(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const IrType* type = instruction.type();
  const ir::Value& pointer = instruction.operand(0);
  if (instruction.ordering() != ir::AtomicOrdering::kNotAtomic) {
    const SDValue address = AtomicAddress(builder, pointer);
    const MachineMemOperand* memory = AtomicOperand(builder, instruction, type, pointer, MachineMemOperand::kLoad);
    if (memory == nullptr) return;
    const MVT types[] = {builder.PartsOf(type)[0].type, MVT::kOther};
    return builder.Define(instruction,
                          AtomicNode(builder, isd::kAtomicLoad, types, {builder.Root(), address}, types[0], memory));
  }
  const SDValue address = builder.UseOne(pointer);
  const MemoryAccess access = AccessOf(builder, instruction, type, pointer);
  const bool is_volatile = (access.flags & MachineMemOperand::kVolatile) != 0;
  std::vector<SDValue> chains;
  const ValueNodes nodes =
      LoadValue(builder, type, is_volatile ? builder.Root() : builder.LoadRoot(), address, access, chains);
  if (is_volatile && !chains.empty()) {
    builder.SetRoot(builder.dag().GetTokenFactor({}, chains));
  } else {
    for (const SDValue chain : chains) builder.AddPendingLoad(chain);
  }
  builder.Define(instruction, nodes);
}

void LowerStore(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& value = instruction.operand(0);
  const ir::Value& pointer = instruction.operand(1);
  const ValueNodes nodes = builder.Use(value);
  if (instruction.ordering() != ir::AtomicOrdering::kNotAtomic) {
    const SDValue address = AtomicAddress(builder, pointer);
    const MachineMemOperand* memory =
        AtomicOperand(builder, instruction, value.type(), pointer, MachineMemOperand::kStore);
    if (memory == nullptr) return;
    const MVT none = MVT::kOther;
    AtomicNode(builder, isd::kAtomicStore, {&none, 1}, {builder.Root(), nodes[0], address}, nodes[0].type(), memory);
    return;
  }
  const SDValue address = builder.UseOne(pointer);
  std::vector<SDValue> chains;
  StoreValue(builder, value.type(), nodes, builder.Root(), address,
             AccessOf(builder, instruction, value.type(), pointer), chains);
  if (!chains.empty()) builder.SetRoot(builder.dag().GetTokenFactor({}, chains));
}

namespace {

// Returns the number of an index that is a constant, or the first element of a constant vector. Null for others.
const IrConstant* ConstantStep(const ir::Value& index) {
  if (!index.is_constant()) return nullptr;
  const IrConstant* constant = &static_cast<const ir::ConstantValue&>(index).constant();
  const bool has_elements =
      constant->kind == IrConstant::Kind::kSplat || constant->kind == IrConstant::Kind::kAggregate;
  if (has_elements && !constant->operands.empty()) constant = constant->operands[0];
  const bool is_number = constant->kind == IrConstant::Kind::kInteger || constant->kind == IrConstant::Kind::kData ||
                         constant->kind == IrConstant::Kind::kZeroInitializer;
  return is_number ? constant : nullptr;
}

uint64_t FirstWord(const IrConstant& constant) {
  return constant.kind == IrConstant::Kind::kZeroInitializer || constant.words.empty() ? 0 : constant.words[0];
}

SDValue ScaledIndex(FunctionBuilder& builder, SDValue index, const ValuePart& part, MVT type, uint64_t size) {
  const SDValue wide = builder.Resize(builder.SignExtended(index, part), type, isd::kSignExtend);
  if (!std::has_single_bit(size)) {
    return builder.Node(isd::kMul, type, {wide, builder.Number(static_cast<int64_t>(size), type)});
  }
  if (size == 1) return wide;
  return builder.Node(isd::kShl, type, {wide, builder.Number(std::countr_zero(size), MVT::kI32)});
}

// Returns the address that a getelementptr computes; of a vector of addresses, that of one element. `operands` has the
// nodes of each operand, one for each element if it is a vector.
SDValue AddressOfElement(FunctionBuilder& builder, const ir::Instruction& instruction,
                         absl::Span<const ValueNodes> operands, size_t lane) {
  const DataLayout& layout = builder.layout();
  const auto node_of = [&](unsigned i) { return operands[i][operands[i].size() == 1 ? 0 : lane]; };
  SDValue address = node_of(0);
  const MVT type = address.type();
  const IrType* stepped = instruction.source_type();
  uint64_t constant = 0;  // wraps around
  for (unsigned i = 1; i < instruction.num_operands(); ++i) {
    const ir::Value& index = instruction.operand(i);
    const bool is_vector = index.type()->is_vector();
    const IrConstant* number = ConstantStep(index);
    if (i > 1 && stepped->is_struct()) {  // all elements have the same member
      const uint64_t member = number == nullptr ? 0 : FirstWord(*number);
      constant += layout.LayoutOf(stepped).offsets[member];
      stepped = stepped->members()[member];
      continue;
    }
    if (i > 1) stepped = stepped->element();
    const uint64_t size = layout.AllocSize(stepped);
    if (number != nullptr && !is_vector) {
      constant += number->kind == IrConstant::Kind::kInteger ? static_cast<uint64_t>(number->SExtValue()) * size : 0;
      continue;
    }
    if (size == 0) continue;
    const ValuePart part = is_vector ? builder.LanePart(index.type()) : builder.PartsOf(index.type())[0];
    address = builder.Node(isd::kAdd, type, {address, ScaledIndex(builder, node_of(i), part, type, size)});
  }
  return builder.AddOffset(address, static_cast<int64_t>(constant));
}

}  // namespace

void LowerGetElementPtr(FunctionBuilder& builder, const ir::Instruction& instruction) {
  absl::InlinedVector<ValueNodes, 4> operands;
  for (unsigned i = 0; i < instruction.num_operands(); ++i) {
    const ir::Value& operand = instruction.operand(i);
    // Constants within the offset need no nodes.
    const bool is_offset = i > 0 && !operand.type()->is_vector() && ConstantStep(operand) != nullptr;
    ValueNodes nodes = is_offset ? ValueNodes{SDValue()} : builder.Use(operand);
    if (operand.type()->is_vector()) nodes = builder.Lanes(operand.type(), nodes);
    if (nodes.empty() || (!operand.type()->is_vector() && nodes.size() != 1)) return;
    operands.push_back(std::move(nodes));
  }
  const IrType* type = instruction.type();
  if (!type->is_vector()) return builder.Define(instruction, AddressOfElement(builder, instruction, operands, 0));
  ValueNodes addresses;
  for (size_t lane = 0; lane < type->num_elements(); ++lane) {
    addresses.push_back(AddressOfElement(builder, instruction, operands, lane));
  }
  builder.Define(instruction, builder.FromLanes(type, addresses));
}

void LowerFence(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const std::optional<MemoryScope> scope = ScopeOf(builder, instruction);
  if (!scope.has_value()) return;
  const SDValue chain = builder.Root();
  // Nothing within one thread is reordered at this chain.
  if (builder.function().program().sync_scope(instruction.sync_scope()) == "singlethread") return;
  SelectionDAG& dag = builder.dag();
  builder.SetRoot(
      builder.Node(isd::kAtomicFence, MVT::kOther,
                   {chain, dag.GetTargetConstant(static_cast<uint64_t>(OrderOf(instruction.ordering())), MVT::kI64),
                    dag.GetTargetConstant(static_cast<uint64_t>(*scope), MVT::kI64)}));
}

void LowerCmpXchg(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& pointer = instruction.operand(0);
  const ir::Value& expected = instruction.operand(1);
  const MachineMemOperand* memory = AtomicOperand(builder, instruction, expected.type(), pointer,
                                                  MachineMemOperand::kLoad | MachineMemOperand::kStore);
  if (memory == nullptr) return;
  const MVT type = builder.PartsOf(expected.type())[0].type;
  const MVT types[] = {type, MVT::kI1, MVT::kOther};
  const SDValue address = AtomicAddress(builder, pointer), old = builder.UseOne(expected);
  const SDValue next = builder.UseOne(instruction.operand(2));
  const SDValue node =
      AtomicNode(builder, isd::kAtomicCmpSwapWithSuccess, types, {builder.Root(), address, old, next}, type, memory);
  const SDValue results[] = {node, node.Result(1)};
  builder.Define(instruction, results);
}

void LowerAtomicRMW(FunctionBuilder& builder, const ir::Instruction& instruction) {
  // Indexed by ir::AtomicOperation.
  static constexpr int16_t kNodes[ir::kNumAtomicOperations] = {
      isd::kAtomicSwap,         isd::kAtomicLoadAdd,      isd::kAtomicLoadSub,      isd::kAtomicLoadAnd,
      isd::kAtomicLoadNand,     isd::kAtomicLoadOr,       isd::kAtomicLoadXor,      isd::kAtomicLoadMax,
      isd::kAtomicLoadMin,      isd::kAtomicLoadUMax,     isd::kAtomicLoadUMin,     isd::kAtomicLoadFAdd,
      isd::kAtomicLoadFSub,     isd::kAtomicLoadFMax,     isd::kAtomicLoadFMin,     isd::kAtomicLoadFMaximum,
      isd::kAtomicLoadFMinimum, isd::kAtomicLoadUIncWrap, isd::kAtomicLoadUDecWrap, isd::kAtomicLoadUSubCond,
      isd::kAtomicLoadUSubSat};
  const ir::Value& pointer = instruction.operand(0);
  const ir::Value& value = instruction.operand(1);
  const int16_t opcode = kNodes[static_cast<size_t>(instruction.operation())];
  const MachineMemOperand* memory =
      AtomicOperand(builder, instruction, value.type(), pointer, MachineMemOperand::kLoad | MachineMemOperand::kStore);
  if (memory == nullptr) return;
  const SDValue address = AtomicAddress(builder, pointer);
  SDValue operand = builder.UseOne(value);
  const MVT type = operand.type();
  // Bits are exchanged, whatever they mean.
  const std::optional<MVT> bits = ToInteger(type);
  const bool is_exchange = opcode == isd::kAtomicSwap && bits.has_value() && !IsScalarInteger(type);
  const MVT exchanged = is_exchange ? IntegerOf(SizeInBits(type)).value_or(type) : type;
  if (is_exchange) operand = builder.Node(isd::kBitcast, exchanged, {operand});
  const MVT types[] = {exchanged, MVT::kOther};
  SDValue node = AtomicNode(builder, opcode, types, {builder.Root(), address, operand}, exchanged, memory);
  builder.Define(instruction, is_exchange ? builder.Node(isd::kBitcast, type, {node}) : node);
}

}  // namespace ptxmir::sdag
