// SPDX-License-Identifier: Apache-2.0

// Memory of KernelBuilder: accesses, addresses, arrays, atomics and fences.

#include <bit>
#include <utility>

#include "base/str_cat.h"
#include "mir/code/memory_scope.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

namespace {

unsigned SpaceOf(Value pointer) { return static_cast<unsigned>(pointer.type().address_space()); }

bool CheckAccess(FunctionState& state, Type type, Value pointer, const MemoryAccess& access) {
  if (!state.CheckPointer(pointer) || !state.CheckType(type)) return false;
  if (access.align != 0 && !std::has_single_bit(access.align)) return state.Fail("the alignment is no power of 2");
  if (type.is_vector() && type.element_bits() == 1) {
    return state.Fail(StrCat(type.ToString(), " has no form in memory"));
  }
  return true;
}

}  // namespace

Value KernelBuilder::Argument(size_t index) {
  if (!state_->Enter("Argument(index)")) return {};
  const std::vector<Parameter>& parameters = state_->signature().parameters;
  if (index >= parameters.size()) {
    state_->Error(StrCat("there is no parameter ", index, ", there are ", parameters.size()));
    return {};
  }
  return state_->Argument(index);
}

Value KernelBuilder::Load(Type type, Value pointer, const MemoryAccess& access) {
  if (!state_->Enter("Load(type, pointer)") || !state_->Check({pointer}) ||
      !CheckAccess(*state_, type, pointer, access)) {
    return {};
  }
  uint16_t flags = MachineMemOperand::kLoad;
  if (access.is_volatile) flags |= MachineMemOperand::kVolatile;
  if (access.is_invariant) flags |= MachineMemOperand::kInvariant;
  const SDValue address = state_->Use(pointer);
  const SDValue chain = access.is_volatile    ? state_->Root()
                        : access.is_invariant ? state_->dag().EntryToken()
                                              : state_->LoadRoot();
  const MachineMemOperand* operand = state_->MemOperand(type, SpaceOf(pointer), flags, access.align);
  const SDValue load = state_->LoadNode(type, chain, address, operand);
  if (access.is_volatile) {
    state_->SetRoot(load.Result(1));
  } else if (!access.is_invariant) {
    state_->AddPendingLoad(load.Result(1));
  }
  return state_->Make(type, state_->Loaded(type, load));
}

void KernelBuilder::Store(Value value, Value pointer, const MemoryAccess& access) {
  if (!state_->Enter("Store(value, pointer)") || !state_->Check({value, pointer}) ||
      !CheckAccess(*state_, value.type(), pointer, access)) {
    return;
  }
  const AddressSpace space = pointer.type().address_space();
  if (space == AddressSpace::kConstant || space == AddressSpace::kParam) {
    return state_->Error(StrCat("nothing is stored through ", pointer.type().ToString()));
  }
  uint16_t flags = MachineMemOperand::kStore;
  if (access.is_volatile) flags |= MachineMemOperand::kVolatile;
  const SDValue stored = state_->Use(value), address = state_->Use(pointer);
  const MachineMemOperand* operand = state_->MemOperand(value.type(), SpaceOf(pointer), flags, access.align);
  state_->SetRoot(state_->StoreNode(value.type(), state_->Root(), stored, address, operand));
}

Value KernelBuilder::PointerAdd(Value pointer, Value bytes) {
  if (!state_->Enter("PointerAdd(pointer, bytes)") || !state_->Check({pointer, bytes}) ||
      !state_->CheckPointer(pointer)) {
    return {};
  }
  if (bytes.type() != kI64 && bytes.type() != kI32) {
    state_->Error(StrCat("the offset is ", bytes.type().ToString(), ", not i32 or i64"));
    return {};
  }
  const SDValue base = state_->Use(pointer);
  return state_->MakeNode(pointer.type(), isd::kAdd, {base, state_->ScaledIndex(bytes, 1)});
}

Value KernelBuilder::ElementAddress(Type type, Value pointer, Value index) {
  if (!state_->Enter("ElementAddress(type, pointer, index)") || !state_->Check({pointer, index}) ||
      !state_->CheckType(type) || !state_->CheckPointer(pointer)) {
    return {};
  }
  if (!index.type().is_integer() || index.type().is_vector() || index.type().bits() > 64 || index.type() == kI1) {
    state_->Error(StrCat("the index is ", index.type().ToString()));
    return {};
  }
  const SDValue base = state_->Use(pointer);
  return state_->MakeNode(pointer.type(), isd::kAdd, {base, state_->ScaledIndex(index, type.size_in_bytes())});
}

Value KernelBuilder::SharedArray(std::string_view name, Type type, uint64_t count, unsigned align) {
  if (!state_->EnterAnywhere("SharedArray(name, type, count)")) return {};
  return AddressOf(state_->module().CreateVariable(StrCat("kernel '", state_->name(), "': SharedArray(\"", name, "\")"),
                                                   name, type, count, AddressSpace::kShared, {}, align, false));
}

Value KernelBuilder::DynamicShared(unsigned align) {
  if (!state_->EnterAnywhere("DynamicShared(align)")) return {};
  return AddressOf(state_->module().DynamicShared("DynamicShared(align)", align));
}

Value KernelBuilder::LocalArray(Type type, uint64_t count, unsigned align) {
  constexpr uint64_t kMaxLocalBytes = 512 * 1024;  // the limit for a thread
  if (!state_->EnterAnywhere("LocalArray(type, count)") || !state_->CheckType(type)) return {};
  const uint64_t alignment = align == 0 ? type.size_in_bytes() : align;
  if (!std::has_single_bit(alignment) || alignment > 4096) {
    state_->Error("the alignment is no power of 2 up to 4096");
    return {};
  }
  if (count == 0 || count > kMaxLocalBytes / type.size_in_bytes()) {
    state_->Error(StrCat(count, " elements of ", type.ToString(), " are no local array"));
    return {};
  }
  MachineFrameInfo& frame = state_->function().frame_info();
  const int index =
      frame.CreateStackObject(count * type.size_in_bytes(), static_cast<uint8_t>(std::countr_zero(alignment)));
  return state_->MakeFrame(index);
}

void KernelBuilder::CopyMemory(Value to, Value from, Value size, unsigned align) {
  if (!state_->Enter("CopyMemory(to, from, size)") || !state_->Check({to, from, size})) return;
  MoveBytes(to, size, align, [&](Type type, Value offset, unsigned unit_align) {
    return Load(type, PointerAdd(from, offset), {.align = unit_align});
  });
}

void KernelBuilder::SetMemory(Value to, Value byte, Value size, unsigned align) {
  if (!state_->Enter("SetMemory(to, byte, size)") || !state_->Check({to, byte, size})) return;
  if (byte.type() != kI8) return state_->Error(StrCat("the byte is ", byte.type().ToString(), ", not i8"));
  MoveBytes(to, size, align, [&](Type type, Value, unsigned) {
    if (type == kI8) return byte;
    const Value element = type.element() == kI8 ? byte : Mul(ZExt(byte, type.element()), [&] {
      return Constant(type.element(), static_cast<int64_t>(0x0101010101010101));
    }());
    return type.is_vector() ? Splat(element, static_cast<uint8_t>(type.lanes())) : element;
  });
}

// Moves the bytes in the largest units that the alignment allows: a loop of them if there are many, and then the
// rest in smaller units.
void KernelBuilder::MoveBytes(Value to, Value size, unsigned align,
                              const std::function<Value(Type, Value, unsigned)>& source) {
  constexpr uint64_t kMaxUnrolledUnits = 16;
  if (!state_->CheckPointer(to)) return;
  if (!std::has_single_bit(align)) return state_->Error("the alignment is no power of 2");
  if (size.type() != kI32 && size.type() != kI64) {
    return state_->Error(StrCat("the size is ", size.type().ToString(), ", not i32 or i64"));
  }
  const auto move = [&](Type type, Value offset, unsigned unit_align) {
    Store(source(type, offset, unit_align), PointerAdd(to, offset), {.align = unit_align});
  };
  static constexpr Type kUnits[] = {kI32x4, kI64, kI32, kI16, kI8};
  size_t first = 0;
  while (kUnits[first].size_in_bytes() > align && kUnits[first] != kI8) ++first;
  const uint64_t unit = kUnits[first].size_in_bytes();
  const std::optional<uint64_t> constant = state_->ConstantOf(size);
  const Value bytes = size.type() == kI64    ? size
                      : constant.has_value() ? I64(static_cast<int64_t>(*constant))
                                             : ZExt(size, kI64);
  if (constant.has_value()) {
    uint64_t done = 0;
    if (*constant / unit > kMaxUnrolledUnits) {
      done = *constant / unit * unit;
      ForRange(I64(0), I64(static_cast<int64_t>(done)), I64(static_cast<int64_t>(unit)),
               [&](Value offset) { move(kUnits[first], offset, static_cast<unsigned>(unit)); });
    }
    for (size_t i = first; i < std::size(kUnits); ++i) {
      const unsigned step = kUnits[i].size_in_bytes();
      for (; *constant - done >= step; done += step) move(kUnits[i], I64(static_cast<int64_t>(done)), step);
    }
    return;
  }
  const Value whole = And(bytes, I64(-static_cast<int64_t>(unit)));
  ForRange(I64(0), whole, I64(static_cast<int64_t>(unit)),
           [&](Value offset) { move(kUnits[first], offset, static_cast<unsigned>(unit)); });
  if (unit > 1) ForRange(whole, bytes, I64(1), [&](Value offset) { move(kI8, offset, 1); });
}

// Atomics.

namespace {

// Before sm_90 a cluster is one block.
MemoryScope ScopeOn(FunctionState& state, Scope scope) {
  constexpr MemoryScope kScopes[] = {MemoryScope::kCta, MemoryScope::kCluster, MemoryScope::kGpu, MemoryScope::kSys};
  const ptx::Subtarget* subtarget = state.module().subtarget();
  const bool has_clusters = subtarget == nullptr || subtarget->HasSm(90);
  return scope == Scope::kCluster && !has_clusters ? MemoryScope::kCta : kScopes[static_cast<size_t>(scope)];
}

const MachineMemOperand* AtomicOperand(FunctionState& state, Type type, Value pointer, Order order, Scope scope,
                                       uint16_t flags) {
  MachineMemOperand operand = *state.MemOperand(type, SpaceOf(pointer), flags, 0);
  operand.success_ordering = static_cast<AtomicOrdering>(order);
  operand.syncscope = SyncscopeOf(ScopeOn(state, scope));
  return state.function().CreateMemOperand(operand);
}

bool CheckAtomic(FunctionState& state, Value pointer, Order order, Scope scope) {
  if (!state.CheckPointer(pointer)) return false;
  const AddressSpace space = pointer.type().address_space();
  if (space != AddressSpace::kGeneric && space != AddressSpace::kGlobal && space != AddressSpace::kShared) {
    return state.Fail(StrCat("no atomics through ", pointer.type().ToString()));
  }
  if (order != Order::kRelaxed && order != Order::kAcquire && order != Order::kRelease &&
      order != Order::kAcquireRelease && order != Order::kSequential) {
    return state.Fail("no such order");
  }
  return scope <= Scope::kSystem || state.Fail("no such scope");
}

struct AtomicForm {
  int16_t opcode;
  bool is_float;
};

// Indexed by AtomicOp.
constexpr AtomicForm kAtomicForms[] = {
    {isd::kAtomicSwap, false},     {isd::kAtomicLoadAdd, false},      {isd::kAtomicLoadSub, false},
    {isd::kAtomicLoadAnd, false},  {isd::kAtomicLoadOr, false},       {isd::kAtomicLoadXor, false},
    {isd::kAtomicLoadMin, false},  {isd::kAtomicLoadMax, false},      {isd::kAtomicLoadUMin, false},
    {isd::kAtomicLoadUMax, false}, {isd::kAtomicLoadUIncWrap, false}, {isd::kAtomicLoadUDecWrap, false},
    {isd::kAtomicLoadFAdd, true},
};

bool IsAtomicInteger(Type type) { return type == kI32 || type == kI64; }

}  // namespace

Value KernelBuilder::AtomicRmw(AtomicOp op, Value pointer, Value value, Order order, Scope scope) {
  if (!state_->Enter("AtomicRmw(op, pointer, value)") || !state_->Check({pointer, value}) ||
      !CheckAtomic(*state_, pointer, order, scope)) {
    return {};
  }
  if (op > AtomicOp::kFAdd) {
    state_->Error("no such operation");
    return {};
  }
  const AtomicForm& form = kAtomicForms[static_cast<size_t>(op)];
  const Type type = value.type();
  const bool fits = form.is_float ? type.is_floating_point() && !type.is_vector() : IsAtomicInteger(type);
  if (!fits) {
    state_->Error(StrCat("not with ", type.ToString()));
    return {};
  }
  const SDValue address = state_->Use(pointer), operand = state_->Use(value);
  const MVT types[] = {*MvtOf(type), MVT::kOther};
  const MachineMemOperand* memory =
      AtomicOperand(*state_, type, pointer, order, scope, MachineMemOperand::kLoad | MachineMemOperand::kStore);
  const SDValue node = state_->dag().GetMemNode(form.opcode, state_->NextLoc(), types,
                                                {state_->Root(), address, operand}, types[0], memory);
  state_->SetRoot(node.Result(1));
  return state_->Make(type, node);
}

Value KernelBuilder::AtomicCas(Value pointer, Value expected, Value desired, Order order, Scope scope) {
  if (!state_->Enter("AtomicCas(pointer, expected, desired)") || !state_->Check({pointer, expected, desired}) ||
      !CheckAtomic(*state_, pointer, order, scope) || !state_->CheckSameType(expected, desired)) {
    return {};
  }
  const Type type = expected.type();
  if (!IsAtomicInteger(type) && type != kI16) {
    state_->Error(StrCat("not with ", type.ToString()));
    return {};
  }
  const SDValue address = state_->Use(pointer), old = state_->Use(expected), next = state_->Use(desired);
  const MVT types[] = {*MvtOf(type), MVT::kOther};
  MachineMemOperand memory =
      *AtomicOperand(*state_, type, pointer, order, scope, MachineMemOperand::kLoad | MachineMemOperand::kStore);
  // The order of a failed exchange is LLVM's strongest failure ordering.
  memory.failure_ordering = order == Order::kAcquireRelease ? AtomicOrdering::kAcquire
                            : order == Order::kRelease      ? AtomicOrdering::kMonotonic
                                                            : static_cast<AtomicOrdering>(order);
  const SDValue node =
      state_->dag().GetMemNode(isd::kAtomicCmpSwap, state_->NextLoc(), types, {state_->Root(), address, old, next},
                               types[0], state_->function().CreateMemOperand(memory));
  state_->SetRoot(node.Result(1));
  return state_->Make(type, node);
}

Value KernelBuilder::AtomicLoad(Type type, Value pointer, Order order, Scope scope) {
  if (!state_->Enter("AtomicLoad(type, pointer)") || !state_->Check({pointer}) || !state_->CheckType(type) ||
      !CheckAtomic(*state_, pointer, order, scope)) {
    return {};
  }
  if (order == Order::kRelease || order == Order::kAcquireRelease || !IsAtomicInteger(type)) {
    state_->Error(IsAtomicInteger(type) ? "a load does not release" : StrCat("not with ", type.ToString()));
    return {};
  }
  const MVT types[] = {*MvtOf(type), MVT::kOther};
  const SDValue address = state_->Use(pointer);
  const MachineMemOperand* memory = AtomicOperand(*state_, type, pointer, order, scope, MachineMemOperand::kLoad);
  const SDValue node =
      state_->dag().GetMemNode(isd::kAtomicLoad, state_->NextLoc(), types, {state_->Root(), address}, types[0], memory);
  state_->SetRoot(node.Result(1));
  return state_->Make(type, node);
}

void KernelBuilder::AtomicStore(Value value, Value pointer, Order order, Scope scope) {
  if (!state_->Enter("AtomicStore(value, pointer)") || !state_->Check({value, pointer}) ||
      !CheckAtomic(*state_, pointer, order, scope)) {
    return;
  }
  const Type type = value.type();
  if (!IsAtomicInteger(type)) return state_->Error(StrCat("not with ", type.ToString()));
  if (order == Order::kAcquire || order == Order::kAcquireRelease) return state_->Error("a store does not acquire");
  const SDValue stored = state_->Use(value), address = state_->Use(pointer);
  const MVT none = MVT::kOther;
  const MachineMemOperand* memory = AtomicOperand(*state_, type, pointer, order, scope, MachineMemOperand::kStore);
  state_->SetRoot(state_->dag().GetMemNode(isd::kAtomicStore, state_->NextLoc(), absl::MakeConstSpan(&none, 1),
                                           {state_->Root(), stored, address}, *MvtOf(type), memory));
}

void KernelBuilder::Fence(Order order, Scope scope) {
  if (!state_->Enter("Fence(order, scope)")) return;
  if (order == Order::kRelaxed || scope > Scope::kSystem) return state_->Error("no such fence");
  sdag::SelectionDAG& dag = state_->dag();
  const SDValue chain = state_->Root();
  state_->SetRoot(dag.GetNode(isd::kAtomicFence, state_->NextLoc(), MVT::kOther,
                              {chain, dag.GetTargetConstant(static_cast<uint64_t>(order), MVT::kI64),
                               dag.GetTargetConstant(static_cast<uint64_t>(ScopeOn(*state_, scope)), MVT::kI64)}));
}

}  // namespace ptxmir::builder
