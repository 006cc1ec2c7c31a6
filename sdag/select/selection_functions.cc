// SPDX-License-Identifier: Apache-2.0

#include "sdag/select/selection_functions.h"

#include <bit>
#include <limits>
#include <optional>
#include <string_view>

#include "ir/address_space.h"
#include "mir/code/memory_scope.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::sdag {
namespace {

using Context = SelectionContext;

using address_space::IsSharedBetweenThreads;
using address_space::kConst;
using address_space::kGeneric;
using address_space::kGlobal;
using address_space::kLocal;
using address_space::kParam;
using address_space::kShared;
using address_space::kSharedCluster;

// Values of the sem operand (atom.sem).
enum Semantics : int64_t { kWeak = 0, kRelaxed = 2, kAcquire = 4, kRelease = 5, kAcqRel = 6, kVolatileAccess = 8 };
// Values of the sign operand (atom.sign).
enum Sign : int64_t { kSigned = 1, kUntypedBits = 3 };

// Returns a constant operand. Returns no value if the matcher only determines whether a rule matches; then no
// function makes anything.
SDValue Number(const Context& context, int64_t value) {
  if (context.dag == nullptr) return SDValue();
  return context.dag->GetSignedConstant(value, MVT::kI32, true);
}

const MemSDNode* RootAccess(const Context& context) { return DynCast<MemSDNode>(context.root); }

bool IsKnownSpace(unsigned space) {
  return space == kGeneric || space == kGlobal || space == kShared || space == kConst || space == kLocal ||
         space == kSharedCluster || space == kParam;
}

// Returns the scope of an access as PTX names it, or nullopt if it is not known. Before sm_60, PTX names no scopes.
// That clusters came later is for the instruction tables to say.
std::optional<MemoryScope> ScopeOf(const Context& context, const MachineMemOperand& access) {
  const std::optional<MemoryScope> scope = ScopeFromSyncscope(access.syncscope);
  const bool has_scopes = context.subtarget.HasSm(60) && context.subtarget.HasPtx(50);
  return !scope.has_value() || has_scopes || scope == MemoryScope::kCluster ? scope : MemoryScope::kNone;
}

bool HasMemoryOrdering(const Context& context) { return context.subtarget.HasSm(70) && context.subtarget.HasPtx(60); }

struct Order {
  int64_t semantics = kWeak;
  MemoryScope scope = MemoryScope::kNone;
};

// Returns the order of a load or store, or nullopt if there is none.
std::optional<Order> OrderOf(const Context& context, const MemSDNode& node, bool is_load) {
  const MachineMemOperand* access = node.memoperand();
  if (access == nullptr) return Order{};
  if (!IsSharedBetweenThreads(node.address_space())) return Order{};
  const Order volatile_order{kVolatileAccess, MemoryScope::kNone};
  switch (access->success_ordering) {
    case AtomicOrdering::kNotAtomic:
      return access->is_volatile() ? volatile_order : Order{};
    case AtomicOrdering::kUnordered:
    case AtomicOrdering::kMonotonic: {
      // Before PTX had orders, relaxed accesses were volatile.
      if (access->is_volatile() || !HasMemoryOrdering(context)) return volatile_order;
      const std::optional<MemoryScope> scope = ScopeOf(context, *access);
      if (!scope.has_value()) return std::nullopt;
      return Order{kRelaxed, *scope};
    }
    // If the order is not enough, there are fences around the access already (atomic_fences.h).
    case AtomicOrdering::kAcquire:
    case AtomicOrdering::kRelease:
    case AtomicOrdering::kSequentiallyConsistent: {
      const AtomicOrdering impossible = is_load ? AtomicOrdering::kRelease : AtomicOrdering::kAcquire;
      const std::optional<MemoryScope> scope = ScopeOf(context, *access);
      if (access->success_ordering == impossible || !scope.has_value()) return std::nullopt;
      if (!HasMemoryOrdering(context)) return volatile_order;
      return Order{is_load ? kAcquire : kRelease, *scope};
    }
    default:
      return std::nullopt;
  }
}

// Returns the bits of each value of a load or store in memory.
std::optional<int64_t> WidthOf(const MemSDNode& node, unsigned num_values) {
  const unsigned bits = node.memory_type().SizeInBits();
  if (num_values == 0 || bits % num_values != 0) return std::nullopt;
  const unsigned width = bits / num_values;
  if (width != 8 && width != 16 && width != 32 && width != 64) return std::nullopt;
  return width;
}

unsigned NumResults(const SDNode& node) {
  unsigned count = node.num_values();
  while (count > 0 && IsToken(node.value_type(count - 1))) --count;
  return count;
}

// Returns the number of stored values, which follow the chain. The name of a vector store says how many there are.
unsigned NumStored(const SDNode& node) {
  switch (node.opcode()) {
    case isd::kNvStoreV2:
      return 2;
    case isd::kNvStoreV4:
      return 4;
    case isd::kNvStoreV8:
      return 8;
    default:
      return 1;
  }
}

// ---- Conditions.

// Returns true if no one writes the memory while the kernel runs.
bool read_only_global(const Context& context, SDValue, SDValue*) {
  const MemSDNode* node = RootAccess(context);
  return node != nullptr && node->address_space() == kGlobal && node->memoperand() != nullptr &&
         node->memoperand()->Has(MachineMemOperand::kInvariant) && !node->is_volatile() && !node->is_atomic();
}

// Returns the space of the access. For an intrinsic without one, returns the space of the pointer at the end of its
// name.
unsigned SpaceOfRoot(const Context& context) {
  if (const MemSDNode* node = RootAccess(context)) return node->address_space();
  const auto* intrinsic = DynCast<IntrinsicSDNode>(context.root);
  const std::string_view name = intrinsic == nullptr ? std::string_view() : intrinsic->intrinsic_name();
  const size_t dot = name.rfind(".p");
  unsigned space = 0;
  for (size_t i = dot + 2; dot != std::string_view::npos && i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') return kGeneric;
    space = space * 10 + static_cast<unsigned>(name[i] - '0');
  }
  return space;
}
bool IsIn(const Context& context, unsigned space) { return SpaceOfRoot(context) == space; }
bool in_generic(const Context& context, SDValue, SDValue*) { return IsIn(context, kGeneric); }
bool in_global(const Context& context, SDValue, SDValue*) { return IsIn(context, kGlobal); }
bool in_shared(const Context& context, SDValue, SDValue*) { return IsIn(context, kShared); }
bool in_shared_cluster(const Context& context, SDValue, SDValue*) { return IsIn(context, kSharedCluster); }
bool in_const(const Context& context, SDValue, SDValue*) { return IsIn(context, kConst); }
bool in_local(const Context& context, SDValue, SDValue*) { return IsIn(context, kLocal); }
bool in_param(const Context& context, SDValue, SDValue*) { return IsIn(context, kParam); }

// Returns true if other devices and the host take part.
bool system_scope(const Context& context, SDValue, SDValue*) {
  const MemSDNode* node = RootAccess(context);
  return node != nullptr && node->memoperand() != nullptr &&
         ScopeFromSyncscope(node->memoperand()->syncscope) == MemoryScope::kSys;
}

bool has_offset(const Context& context, SDValue, SDValue*) {
  const auto* global = DynCast<GlobalAddressSDNode>(context.root);
  return global != nullptr && global->offset() != 0;
}

// Returns true if the divisor is a square root that may be approximate, whatever the options say.
bool by_approximate_sqrt(const Context& context, SDValue, SDValue*) {
  return context.root->operand(1)->HasFlag(SDNodeFlags::kApproximateFuncs);
}

// ---- Addresses and modifiers.

bool IsAddition(SDValue value) {
  return value.opcode() == isd::kAdd || value.opcode() == isd::kPtrAdd ||
         (value.opcode() == isd::kOr && value->HasFlag(SDNodeFlags::kDisjoint));
}

// Splits an address into a base (a symbol, an object of the frame or a register) and an offset.
bool addr(const Context& context, SDValue address, SDValue* values) {
  if (context.dag == nullptr) return true;
  int64_t offset = 0;
  const auto add = [&offset](int64_t more) {
    const int64_t sum = offset + more;
    if (sum < std::numeric_limits<int32_t>::min() || sum > std::numeric_limits<int32_t>::max()) return false;
    offset = sum;
    return true;
  };
  while (IsAddition(address)) {
    const unsigned number = DynCast<ConstantSDNode>(address.operand(1)) != nullptr ? 1 : 0;
    const auto* constant = DynCast<ConstantSDNode>(address.operand(number));
    if (constant == nullptr || !add(constant->SExtValue())) break;
    address = address.operand(1 - number);
  }
  SelectionDAG& dag = *context.dag;
  const MVT type = address.type();
  if (const auto* global = DynCast<GlobalAddressSDNode>(address); global != nullptr && add(global->offset())) {
    address = dag.GetGlobalAddress(global->global(), type, 0, true, global->target_flags());
  } else if (const auto* object = DynCast<FrameIndexSDNode>(address)) {
    address = dag.GetFrameIndex(object->index(), type, true);
  } else if (const auto* symbol = DynCast<ExternalSymbolSDNode>(address)) {
    address = dag.GetExternalSymbol(symbol->text(), type, true);
  }
  values[0] = address;
  values[1] = Number(context, offset);
  return true;
}

bool ld_mods(const Context& context, SDValue, SDValue* values) {
  const MemSDNode* node = RootAccess(context);
  if (node == nullptr || !IsKnownSpace(node->address_space())) return false;
  const std::optional<Order> order = OrderOf(context, *node, true);
  const std::optional<int64_t> width = WidthOf(*node, NumResults(*node));
  if (!order.has_value() || !width.has_value()) return false;
  values[0] = Number(context, order->semantics);
  values[1] = Number(context, static_cast<int64_t>(order->scope));
  values[2] = Number(context, node->address_space());
  values[3] = Number(context, node->ext() == LoadExt::kSign ? kSigned : kUntypedBits);
  values[4] = Number(context, *width);
  values[5] = Number(context, -1);
  return true;
}

bool ld_nc_mods(const Context& context, SDValue, SDValue* values) {
  const MemSDNode* node = RootAccess(context);
  const std::optional<int64_t> width = node == nullptr ? std::nullopt : WidthOf(*node, NumResults(*node));
  if (!width.has_value()) return false;
  values[0] = Number(context, node->ext() == LoadExt::kSign ? kSigned : kUntypedBits);
  values[1] = Number(context, *width);
  values[2] = Number(context, -1);
  return true;
}

bool ldu_mods(const Context& context, SDValue, SDValue* values) {
  const MemSDNode* node = RootAccess(context);
  const std::optional<int64_t> width = node == nullptr ? std::nullopt : WidthOf(*node, NumResults(*node));
  if (!width.has_value() || node->address_space() != kGlobal) return false;
  values[0] = Number(context, *width);
  return true;
}

bool st_mods(const Context& context, SDValue, SDValue* values) {
  const MemSDNode* node = RootAccess(context);
  if (node == nullptr || !IsKnownSpace(node->address_space())) return false;
  const std::optional<Order> order = OrderOf(context, *node, false);
  const std::optional<int64_t> width = WidthOf(*node, NumStored(*node));
  if (!order.has_value() || !width.has_value()) return false;
  values[0] = Number(context, order->semantics);
  values[1] = Number(context, static_cast<int64_t>(order->scope));
  values[2] = Number(context, node->address_space());
  values[3] = Number(context, *width);
  return true;
}

// Makes the order, scope and space of a compare-and-swap or exchange that has operands for them. A sequentially
// consistent one has a fence before it, so it only needs to acquire. Where instructions have no orders, fences on both
// sides provide it.
bool atom_mods(const Context& context, SDValue, SDValue* values) {
  const MemSDNode* node = RootAccess(context);
  if (node == nullptr || node->memoperand() == nullptr || !IsSharedBetweenThreads(node->address_space())) return false;
  const MachineMemOperand& access = *node->memoperand();
  const std::optional<MemoryScope> scope = ScopeOf(context, access);
  if (!scope.has_value()) return false;
  int64_t semantics = kWeak;
  switch (access.MergedOrdering()) {
    case AtomicOrdering::kNotAtomic:
    case AtomicOrdering::kUnordered:
    case AtomicOrdering::kMonotonic:
      semantics = kRelaxed;
      break;
    case AtomicOrdering::kAcquire:
    case AtomicOrdering::kSequentiallyConsistent:
      semantics = kAcquire;
      break;
    case AtomicOrdering::kRelease:
      semantics = kRelease;
      break;
    case AtomicOrdering::kAcquireRelease:
      semantics = kAcqRel;
      break;
  }
  values[0] = Number(context, HasMemoryOrdering(context) ? semantics : kWeak);
  values[1] = Number(context, static_cast<int64_t>(*scope));
  values[2] = Number(context, node->address_space());
  return true;
}

// ---- Constants.

// Makes the number of an integer comparison (cmp.ICmp).
bool icmp(const Context& context, SDValue argument, SDValue* values) {
  const auto* condition = DynCast<CondCodeSDNode>(argument);
  if (condition == nullptr) return false;
  int64_t number = 0;
  switch (condition->code()) {
    case CondCode::kEq:
      number = 0;
      break;
    case CondCode::kNe:
      number = 1;
      break;
    case CondCode::kLt:
      number = 2;
      break;
    case CondCode::kLe:
      number = 3;
      break;
    case CondCode::kGt:
      number = 4;
      break;
    case CondCode::kGe:
      number = 5;
      break;
    case CondCode::kUlt:
      number = 8;
      break;
    case CondCode::kUle:
      number = 9;
      break;
    case CondCode::kUgt:
      number = 10;
      break;
    case CondCode::kUge:
      number = 11;
      break;
    default:
      return false;
  }
  values[0] = Number(context, number);
  return true;
}

// Makes the number of a floating-point comparison (cmp.FCmp), by CondCode; -1: none. If NaNs do not matter, it is
// the ordered form, except for "not equal".
bool fcmp(const Context& context, SDValue argument, SDValue* values) {
  constexpr int8_t kNumbers[kNumCondCodes] = {-1, 0, 4, 5,  2,  3, 1, 12, 13, 6, 10, 11,
                                              8,  9, 7, -1, -1, 0, 4, 5,  2,  3, 7,  -1};
  const auto* condition = DynCast<CondCodeSDNode>(argument);
  if (condition == nullptr || kNumbers[static_cast<int>(condition->code())] < 0) return false;
  values[0] = Number(context, kNumbers[static_cast<int>(condition->code())]);
  return true;
}

bool IsLeaf(const SDNode& node) {
  switch (node.payload_kind()) {
    case NodePayload::kConstant:
    case NodePayload::kConstantFP:
    case NodePayload::kFrameIndex:
    case NodePayload::kExternalSymbol:
    case NodePayload::kGlobal:
      return true;
    default:
      return false;
  }
}

// Makes an instruction operand from a leaf.
bool self(const Context& context, SDValue argument, SDValue* values) {
  SDNode* node = argument.node();
  if (context.dag == nullptr) return node == nullptr || IsLeaf(*node);
  SelectionDAG& dag = *context.dag;
  const MVT type = argument.type();
  if (const auto* constant = DynCast<ConstantSDNode>(node)) {
    values[0] = dag.GetConstant(constant->value(), type, true);
  } else if (const auto* number = DynCast<ConstantFPSDNode>(node)) {
    values[0] = dag.GetConstantFP(number->bits(), type, true);
  } else if (const auto* object = DynCast<FrameIndexSDNode>(node)) {
    values[0] = dag.GetFrameIndex(object->index(), type, true);
  } else if (const auto* symbol = DynCast<ExternalSymbolSDNode>(node)) {
    values[0] = dag.GetExternalSymbol(symbol->text(), type, true);
  } else if (const auto* global = DynCast<GlobalAddressSDNode>(node)) {
    values[0] = dag.GetGlobalAddress(global->global(), type, global->offset(), true, global->target_flags());
  } else {
    return false;
  }
  return true;
}

// Makes one number from the elements of a constant vector of 32 bits.
bool splat(const Context& context, SDValue argument, SDValue* values) {
  if (context.dag == nullptr) return true;
  uint64_t element = 0;
  if (const auto* constant = DynCast<ConstantSDNode>(argument)) {
    element = constant->ZExtValue();
  } else if (const auto* number = DynCast<ConstantFPSDNode>(argument)) {
    element = number->bits();
  } else {
    return false;
  }
  const unsigned width = ScalarSizeInBits(argument.type());
  uint64_t bits = 0;
  for (unsigned at = 0; at < SizeInBits(argument.type()); at += width) bits |= element << at;
  const bool is_wide = SizeInBits(argument.type()) > 32;
  values[0] = context.dag->GetConstant(bits, is_wide ? MVT::kI64 : MVT::kI32, true);
  return true;
}

// Makes the symbol of a global's address, without its offset.
bool symbol(const Context& context, SDValue argument, SDValue* values) {
  if (context.dag == nullptr) return true;
  const auto* global = DynCast<GlobalAddressSDNode>(argument);
  if (global == nullptr) return false;
  values[0] = context.dag->GetGlobalAddress(global->global(), argument.type(), 0, true, global->target_flags());
  return true;
}

bool offset(const Context& context, SDValue argument, SDValue* values) {
  if (context.dag == nullptr) return true;
  const auto* global = DynCast<GlobalAddressSDNode>(argument);
  if (global == nullptr) return false;
  values[0] = context.dag->GetSignedConstant(global->offset(), argument.type(), true);
  return true;
}

bool negated(const Context& context, SDValue argument, SDValue* values) {
  if (context.dag == nullptr) return true;
  const auto* constant = DynCast<ConstantSDNode>(argument);
  if (constant == nullptr) return false;
  values[0] = context.dag->GetConstant(-constant->value(), argument.type(), true);
  return true;
}

bool ptx_version(const Context& context, SDValue, SDValue* values) {
  values[0] = Number(context, context.subtarget.ptx_version());
  return true;
}

// Makes %envreg0 to 31 from the number at the end of the intrinsic's name.
bool envreg(const Context& context, SDValue, SDValue* values) {
  const auto* intrinsic = DynCast<IntrinsicSDNode>(context.root);
  if (intrinsic == nullptr) return false;
  const std::string_view name = intrinsic->intrinsic_name();
  uint32_t number = 0;
  for (const char c : name.substr(name.rfind('g') + 1)) number = number * 10 + static_cast<uint32_t>(c - '0');
  if (number > 31) return false;
  if (context.dag == nullptr) return true;
  values[0] = context.dag->GetRegister(Register::Physical(ptx::phys_reg::kEnvReg0 + number), MVT::kI32);
  return true;
}

// Makes the width of a mask of low bits.
bool mask_width(const Context& context, SDValue argument, SDValue* values) {
  const auto* mask = DynCast<ConstantSDNode>(argument);
  if (mask == nullptr || mask->value() == 0 || mask->width() > 64) return false;
  const uint64_t bits = mask->ZExtValue();
  if ((bits & (bits + 1)) != 0) return false;
  values[0] = Number(context, std::popcount(bits));
  return true;
}

// Makes the position and width of the field that (x << l) >> r extracts from x. The root is the shift to the right.
bool field_of_shifts(const Context& context, SDValue argument, SDValue* values) {
  const auto* left = DynCast<ConstantSDNode>(argument);
  const auto* right = DynCast<ConstantSDNode>(context.root->operand(1));
  const unsigned width = SizeInBits(context.root->value_type(0));
  if (left == nullptr || right == nullptr) return false;
  const uint64_t l = left->ZExtValue();
  const uint64_t r = right->ZExtValue();
  if (l > r || r >= width) return false;
  values[0] = Number(context, static_cast<int64_t>(r - l));
  values[1] = Number(context, static_cast<int64_t>(width - r));
  return true;
}

using Function = bool (*)(const Context&, SDValue, SDValue*);
struct FunctionEntry {
  Function function;
  unsigned values;
};
constexpr FunctionEntry kFunctions[] = {
#define SELECTION_FUNCTION(name, values) {&name, values},
#include "sdag/select/selection_functions.inc"
};

}  // namespace

unsigned NumValuesOf(SelectionFunction function) { return kFunctions[static_cast<int>(function)].values; }

bool CallSelectionFunction(SelectionFunction function, const SelectionContext& context, SDValue argument,
                           SDValue* values) {
  return kFunctions[static_cast<int>(function)].function(context, argument, values);
}

}  // namespace ptxmir::sdag
