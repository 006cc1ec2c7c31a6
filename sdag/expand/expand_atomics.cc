// SPDX-License-Identifier: Apache-2.0

// Atomic operations without a PTX instruction, as compare-and-swap loops:
//
//     before:   first = AtomicLoad           (relaxed: other threads write at the same time)
//     loop:     old = PHI first, seen
//               seen = AtomicCmpSwap old, f(old, v)
//               branch to loop if seen != old
//     rest:     seen
//
// The loop compares bits, so a NaN in memory ends it like any other value. A value too small for compare-and-swap
// is handled within the aligned word that holds it. The other bytes of the word may change at any time, so a
// compare-and-swap of i8 or i16 is a loop, too; it ends when these bytes were as expected. Bitwise operations need no
// loop: they leave the other bytes of the word alone, given ones or zeros there. If only one thread sees
// the memory, the value is simply loaded and stored. As for single instructions, fences around the loop provide the
// memory order (sdag/select/atomic_fences.h). LLVM 22 makes the same loops of the same operations but omits the
// fences. It rejects additions with a scope in their names where the SM has no instruction for them; here they are
// loops, too.

#include <array>
#include <optional>

#include "ir/address_space.h"
#include "mir/code/memory_scope.h"
#include "sdag/expand/expanders.h"
#include "sdag/select/atomic_fences.h"
#include "sdag/select/dag_selector.h"

namespace ptxmir::sdag {
namespace {

bool IsCompareAndSwap(int16_t opcode) {
  return opcode == isd::kAtomicCmpSwap || opcode == isd::kAtomicCmpSwapWithSuccess;
}

// The plain operation of each atomic one, if there is a node for it. The DAG evaluator has a table of its own, with
// which tests compare code made from this table. If both used one table, no test would notice a wrong row.
struct PureRow {
  int16_t atomic;
  int16_t pure;
};
constexpr PureRow kPureRows[] = {
    {isd::kAtomicLoadAdd, isd::kAdd},           {isd::kAtomicLoadSub, isd::kSub},
    {isd::kAtomicLoadAnd, isd::kAnd},           {isd::kAtomicLoadOr, isd::kOr},
    {isd::kAtomicLoadXor, isd::kXor},           {isd::kAtomicLoadMin, isd::kSMin},
    {isd::kAtomicLoadMax, isd::kSMax},          {isd::kAtomicLoadUMin, isd::kUMin},
    {isd::kAtomicLoadUMax, isd::kUMax},         {isd::kAtomicLoadFAdd, isd::kFAdd},
    {isd::kAtomicLoadFSub, isd::kFSub},         {isd::kAtomicLoadFMin, isd::kFMinNum},
    {isd::kAtomicLoadFMax, isd::kFMaxNum},      {isd::kAtomicLoadFMinimum, isd::kFMinimum},
    {isd::kAtomicLoadFMaximum, isd::kFMaximum}, {isd::kAtomicLoadUSubSat, isd::kUSubSat},
};

// Returns the value to be stored, given the old one.
SDValue NewValue(SelectionDAG& dag, const SDNode& node, SDValue old, SDValue operand) {
  const MVT type = old.type();
  const SDLoc loc = node.loc();
  for (const PureRow& row : kPureRows) {
    if (row.atomic == node.opcode()) return dag.GetNode(row.pure, loc, type, {old, operand}, node.flags());
  }
  const MVT flag = IsVector(type) ? VectorOf(MVT::kI1, NumElements(type)).value_or(MVT::kUntyped) : MVT::kI1;
  const auto is = [&](CondCode code, SDValue a, SDValue b) { return dag.GetSetCC(loc, flag, a, b, code); };
  const auto choose = [&](SDValue condition, SDValue a, SDValue b) {
    return dag.GetNode(IsVector(type) ? isd::kVSelect : isd::kSelect, loc, type, {condition, a, b});
  };
  const auto invert = [&](SDValue a) { return dag.GetNode(isd::kXor, loc, type, {a, dag.GetAllOnesConstant(type)}); };
  const auto zero = [&] { return dag.GetConstant(0, type); };
  const auto one = [&] { return dag.GetConstant(1, type); };
  switch (node.opcode()) {
    case isd::kAtomicLoadClr:
      return dag.GetNode(isd::kAnd, loc, type, {old, invert(operand)});
    case isd::kAtomicLoadNand:
      return invert(dag.GetNode(isd::kAnd, loc, type, {old, operand}));
    case isd::kAtomicLoadUIncWrap:
      return choose(is(CondCode::kUge, old, operand), zero(), dag.GetNode(isd::kAdd, loc, type, {old, one()}));
    case isd::kAtomicLoadUDecWrap: {
      const SDValue wraps =
          dag.GetNode(isd::kOr, loc, flag, {is(CondCode::kEq, old, zero()), is(CondCode::kUgt, old, operand)});
      return choose(wraps, operand, dag.GetNode(isd::kSub, loc, type, {old, one()}));
    }
    case isd::kAtomicLoadUSubCond:
      return choose(is(CondCode::kUge, old, operand), dag.GetNode(isd::kSub, loc, type, {old, operand}), old);
    default:  // kAtomicSwap, kAtomicCmpSwap
      return operand;
  }
}

// Returns true for well-formed atomic updates. Nodes that the verifier would reject are left alone.
bool IsUpdate(const SDNode& node) {
  if (node.is_machine_opcode() || node.payload_kind() != NodePayload::kMemory) return false;
  const uint64_t properties = node.properties();
  if ((properties & NodeProperty::kAtomicRmw) != NodeProperty::kAtomicRmw) return false;
  if ((properties & NodeProperty::kTarget) != 0 || AsMemSDNode(node).memoperand() == nullptr) return false;
  const bool has_success = node.opcode() == isd::kAtomicCmpSwapWithSuccess;
  return node.num_values() == (has_success ? 3u : 2u) && (!has_success || node.value_type(1) == MVT::kI1) &&
         node.num_operands() == (IsCompareAndSwap(node.opcode()) ? 4u : 3u);
}

// Returns the integer type of the same size, or nullopt if memory does not hold the type as a power of two of whole
// bytes.
std::optional<MVT> BitsOf(const SDNode& node) {
  const EVT memory = AsMemSDNode(node).memory_type();
  if (!memory.is_simple() || IsToken(memory.simple())) return std::nullopt;
  const unsigned bits = SizeInBits(memory.simple());
  if (bits < 8 || bits > 128 || (bits & (bits - 1)) != 0) return std::nullopt;
  // Only an integer may be wider in the node than in memory.
  if (memory.simple() != node.value_type(0) &&
      !(IsScalarInteger(memory.simple()) && IsScalarInteger(node.value_type(0)))) {
    return std::nullopt;
  }
  return IntegerOf(bits);
}

const MachineMemOperand* Relaxed(SelectionDAG& dag, const MachineMemOperand& access, MVT type, unsigned align_log2) {
  MachineMemOperand memory = access;
  memory.success_ordering = memory.failure_ordering = AtomicOrdering::kMonotonic;
  memory.range = MachineMemOperand::kNoMetadata;
  memory.has_known_size = true;
  memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = SizeInBits(type)};
  if (memory.align_log2 < align_log2) memory.align_log2 = static_cast<uint8_t>(align_log2);
  if (memory.base_align_log2 < memory.align_log2) memory.base_align_log2 = memory.align_log2;
  return dag.machine_function().CreateMemOperand(memory);
}

bool CanSelect(SelectionDAG& dag, const SDNode& node, int16_t opcode, MVT type, const ISelOptions& options) {
  const SDValue any = dag.GetUndef(type);
  if (type == MVT::kI128) {
    const SDValue half = dag.GetUndef(MVT::kI64);
    const MVT types[] = {MVT::kI64, MVT::kI64, MVT::kOther};
    const SDValue operands[] = {dag.EntryToken(), node.operand(1), half, half, half, half};
    const bool swaps = opcode == isd::kAtomicSwap;
    if (!swaps && opcode != isd::kAtomicCmpSwap) return false;
    const SDValue made =
        dag.GetMemNode(swaps ? isd::kNvAtomicSwapB128 : isd::kNvAtomicCmpSwapB128, {}, types,
                       absl::MakeConstSpan(operands, swaps ? 4 : 6), type, AsMemSDNode(node).memoperand());
    return IsSelectable(*made.node(), *options.subtarget);
  }
  if (type == MVT::kI8 || !IsLegalType(type, *options.subtarget)) return false;
  const MVT types[] = {type, MVT::kOther};
  const SDValue operands[] = {dag.EntryToken(), node.operand(1), any, any};
  const SDValue made =
      dag.GetMemNode(opcode, {}, types, absl::MakeConstSpan(operands, IsCompareAndSwap(opcode) ? 4 : 3), type,
                     AsMemSDNode(node).memoperand());
  return IsSelectable(*made.node(), *options.subtarget);
}

// Returns true if the legalizer finds an instruction: for the same operation, or for one on changed operands.
bool HasInstruction(SelectionDAG& dag, const SDNode& node, MVT bits, const ISelOptions& options) {
  const MVT type = node.value_type(0);
  if (AsMemSDNode(node).memory_type() != EVT(type)) return false;
  const auto can = [&](int16_t opcode, MVT with) { return CanSelect(dag, node, opcode, with, options); };
  switch (node.opcode()) {
    case isd::kAtomicSwap:
      return can(isd::kAtomicSwap, bits);
    case isd::kAtomicCmpSwap:
    case isd::kAtomicCmpSwapWithSuccess:
      return can(isd::kAtomicCmpSwap, bits);
    case isd::kAtomicLoadSub:
      return can(isd::kAtomicLoadSub, type) || can(isd::kAtomicLoadAdd, type);
    case isd::kAtomicLoadFSub:
      return can(isd::kAtomicLoadFSub, type) || can(isd::kAtomicLoadFAdd, type);
    case isd::kAtomicLoadClr:
      return can(isd::kAtomicLoadClr, type) || can(isd::kAtomicLoadAnd, type);
    default:
      return can(node.opcode(), type);
  }
}

struct ScopedAddition {
  std::string_view name;  // without the types at its end
  MemoryScope scope;
};
constexpr ScopedAddition kScopedAdditions[] = {
    {"llvm.nvvm.atomic.add.gen.f.cta", MemoryScope::kCta},
    {"llvm.nvvm.atomic.add.gen.f.sys", MemoryScope::kSys},
};

// Returns the scope of a well-formed addition with a scope in its name, or nullopt for another node.
std::optional<MemoryScope> ScopeOfAddition(const SDNode& node) {
  const auto* intrinsic = DynCast<IntrinsicSDNode>(&node);
  if (intrinsic == nullptr || node.opcode() != isd::kIntrinsicWChain || node.num_values() != 2 ||
      node.num_operands() != 3 || !IsFloatingPoint(node.value_type(0)) || IsVector(node.value_type(0)) ||
      node.operand(2).type() != node.value_type(0)) {
    return std::nullopt;
  }
  const std::string_view name = intrinsic->intrinsic_name();
  for (const ScopedAddition& addition : kScopedAdditions) {
    const bool is_prefix = name.starts_with(addition.name);
    if (is_prefix && (name.size() == addition.name.size() || name[addition.name.size()] == '.')) return addition.scope;
  }
  return std::nullopt;
}

SDValue Resized(SelectionDAG& dag, SDLoc loc, int16_t extension, MVT type, SDValue value) {
  if (value.type() == type) return value;
  const bool is_narrower = SizeInBits(type) < SizeInBits(value.type());
  return dag.GetNode(is_narrower ? int16_t{isd::kTruncate} : extension, loc, type, {value});
}

// Values for operations within a word. They belong to the block before the loop; all are i32 except the address.
struct Word {
  SDValue address;
  SDValue shift;   // of the value's lowest bit
  SDValue others;  // mask of the bits outside the value
};

// Makes the values for the word that a pointer to an integer of type `bits` points into. A word has four bytes, the
// lowest first.
Word MakeWord(SelectionDAG& dag, SDLoc loc, SDValue pointer, MVT bits) {
  const auto node = [&](int16_t opcode, MVT type, SDValue a, SDValue b) {
    return dag.GetNode(opcode, loc, type, {a, b});
  };
  Word word;
  word.address = node(isd::kAnd, pointer.type(), pointer, dag.GetSignedConstant(-4, pointer.type()));
  const SDValue byte = node(isd::kAnd, MVT::kI32, Resized(dag, loc, isd::kZeroExtend, MVT::kI32, pointer),
                            dag.GetConstant(3, MVT::kI32));
  word.shift = node(isd::kShl, MVT::kI32, byte, dag.GetConstant(3, MVT::kI32));
  const SDValue ones = dag.GetConstant((uint64_t{1} << SizeInBits(bits)) - 1, MVT::kI32);
  word.others =
      node(isd::kXor, MVT::kI32, node(isd::kShl, MVT::kI32, ones, word.shift), dag.GetAllOnesConstant(MVT::kI32));
  return word;
}

// Returns the memory operand of an access to the word in which an access lies, whose place in it is unknown.
MachineMemOperand AccessOfWord(const MachineMemOperand& access) {
  MachineMemOperand word = access;
  word.value_kind = MachineMemOperand::ValueKind::kUnknownAddress;
  word.text = {};
  word.offset = 0;
  return word;
}

bool IsBitwiseUpdate(int16_t opcode) {
  return opcode == isd::kAtomicLoadAnd || opcode == isd::kAtomicLoadOr || opcode == isd::kAtomicLoadXor;
}

class AtomicExpander {
 public:
  AtomicExpander(CrossBlockValues& values, SDNode& node, MVT bits, bool in_word)
      : splitter_(values, node),
        node_(node),
        access_(*AsMemSDNode(node).memoperand()),
        loc_(node.loc()),
        type_(AsMemSDNode(node).memory_type().simple()),
        bits_(bits),
        in_word_(in_word) {}

  absl::Status Expand() {
    if (absl::Status status = splitter_.Begin(); !status.ok()) return status;
    SelectionDAG& before = splitter_.before();
    if (in_word_) word_ = MakeWord(before, loc_, node_.operand(1), bits_);
    const MVT swapped = in_word_ ? MVT::kI32 : bits_;
    address_ = in_word_ ? word_.address : node_.operand(1);
    const SDValue chain = FenceBeforeAccess(before, loc_, node_.operand(0), access_);
    const SDValue first = LoadFirst(before, chain, swapped);
    SelectionDAG& loop = splitter_.NewBlock();
    const bool compares_part = in_word_ && IsCompareAndSwap(node_.opcode());
    const SDValue seen = compares_part ? CompareAndSwapLoop(loop, first) : UpdateLoop(loop, first, swapped);
    Finish(seen);
    return absl::OkStatus();
  }

 private:
  SDValue Node(SelectionDAG& dag, int16_t opcode, MVT type, std::initializer_list<SDValue> operands) {
    return dag.GetNode(opcode, loc_, type, operands);
  }
  SDValue ZeroExtended(SelectionDAG& dag, MVT type, SDValue value) {
    return Resized(dag, loc_, isd::kZeroExtend, type, value);
  }
  SDValue Bitcast(SelectionDAG& dag, MVT type, SDValue value) {
    return value.type() == type ? value : Node(dag, isd::kBitcast, type, {value});
  }

  // Placed() moves a value to its place in the word, Taken() extracts it.
  SDValue Placed(SelectionDAG& dag, SDValue value) {
    return Node(dag, isd::kShl, MVT::kI32, {ZeroExtended(dag, MVT::kI32, value), Read(dag, word_.shift)});
  }
  SDValue Taken(SelectionDAG& dag, SDValue word) {
    return Node(dag, isd::kTruncate, bits_, {Node(dag, isd::kSrl, MVT::kI32, {word, Read(dag, word_.shift)})});
  }
  SDValue Others(SelectionDAG& dag, SDValue word) {
    return Node(dag, isd::kAnd, MVT::kI32, {word, Read(dag, word_.others)});
  }
  SDValue Read(SelectionDAG& dag, SDValue value) { return splitter_.Read(dag, value); }

  const MachineMemOperand* Operand(MVT type, uint16_t flags) {
    MachineMemOperand access = in_word_ ? AccessOfWord(access_) : access_;
    access.flags = static_cast<uint16_t>((access.flags & MachineMemOperand::kVolatile) | flags);
    unsigned align_log2 = 0;
    while (8u << align_log2 < SizeInBits(type)) ++align_log2;
    return Relaxed(splitter_.before(), access, type, align_log2);
  }

  SDValue LoadOne(SelectionDAG& dag, SDValue chain, SDValue address, MVT type) {
    const MVT types[] = {type, MVT::kOther};
    const SDValue operands[] = {chain, address};
    const SDValue load =
        dag.GetMemNode(isd::kAtomicLoad, loc_, types, operands, type, Operand(type, MachineMemOperand::kLoad));
    splitter_.AddEffect(dag, load.Result(1));
    return load;
  }
  // The loaded value is only a guess. If another thread writes in between, the first compare-and-swap returns the
  // new value.
  SDValue LoadFirst(SelectionDAG& dag, SDValue chain, MVT type) {
    if (type != MVT::kI128) return LoadOne(dag, chain, address_, type);
    const MVT pointer = address_.type();
    const SDValue upper_address = Node(dag, isd::kAdd, pointer, {address_, dag.GetConstant(8, pointer)});
    const SDValue low = ZeroExtended(dag, type, LoadOne(dag, chain, address_, MVT::kI64));
    const SDValue high = ZeroExtended(dag, type, LoadOne(dag, chain, upper_address, MVT::kI64));
    return Node(dag, isd::kOr, type, {low, Node(dag, isd::kShl, type, {high, dag.GetConstant(64, MVT::kI32)})});
  }

  SDValue CompareAndSwap(SelectionDAG& loop, SDValue expected, SDValue value) {
    const MVT type = expected.type();
    const MVT types[] = {type, MVT::kOther};
    const SDValue operands[] = {loop.EntryToken(), Read(loop, address_), expected, value};
    const SDValue seen = loop.GetMemNode(isd::kAtomicCmpSwap, loc_, types, operands, type,
                                         Operand(type, MachineMemOperand::kLoad | MachineMemOperand::kStore));
    splitter_.AddEffect(loop, seen.Result(1));
    return seen;
  }
  void LoopWhileDifferent(SelectionDAG& loop, const BlockSplitter::Phi& phi, SDValue first, SDValue expected,
                          SDValue again) {
    splitter_.Branch(loop, loop.GetSetCC(loc_, MVT::kI1, again, expected, CondCode::kNe), loop);
    splitter_.SetIncoming(phi, {{first, &splitter_.before()}, {again, &loop}});
  }

  SDValue UpdateLoop(SelectionDAG& loop, SDValue first, MVT swapped) {
    const BlockSplitter::Phi old = splitter_.MakePhi(loop, swapped);
    const SDValue before_op = Bitcast(loop, type_, in_word_ ? Taken(loop, old.value) : old.value);
    SDValue value = Bitcast(loop, bits_, NewValue(loop, node_, before_op, Value(loop, 2)));
    if (in_word_) value = Node(loop, isd::kOr, MVT::kI32, {Others(loop, old.value), Placed(loop, value)});
    const SDValue seen = CompareAndSwap(loop, old.value, value);
    LoopWhileDifferent(loop, old, first, old.value, seen);
    return seen;
  }

  // Repeats until the rest of the word was as expected.
  SDValue CompareAndSwapLoop(SelectionDAG& loop, SDValue first) {
    const BlockSplitter::Phi others = splitter_.MakePhi(loop, MVT::kI32);
    const SDValue expected =
        Node(loop, isd::kOr, MVT::kI32, {others.value, Placed(loop, Bitcast(loop, bits_, Value(loop, 2)))});
    const SDValue value =
        Node(loop, isd::kOr, MVT::kI32, {others.value, Placed(loop, Bitcast(loop, bits_, Value(loop, 3)))});
    const SDValue seen = CompareAndSwap(loop, expected, value);
    LoopWhileDifferent(loop, others, Others(splitter_.before(), first), others.value, Others(loop, seen));
    return seen;
  }

  // Returns the operand in the type that memory has.
  SDValue Value(SelectionDAG& dag, unsigned i) {
    return Resized(dag, loc_, isd::kZeroExtend, type_, Read(dag, node_.operand(i)));
  }

  void Finish(SDValue seen) {
    SelectionDAG& rest = splitter_.rest();
    const SDValue old = in_word_ ? Taken(rest, Read(rest, seen)) : Read(rest, seen);
    const int16_t extension = AsMemSDNode(node_).ext() == LoadExt::kSign ? isd::kSignExtend : isd::kZeroExtend;
    absl::InlinedVector<SDValue, 3> results = {
        Resized(rest, loc_, extension, node_.value_type(0), Bitcast(rest, type_, old))};
    if (node_.opcode() == isd::kAtomicCmpSwapWithSuccess) {
      const SDValue expected = Bitcast(rest, bits_, Value(rest, 2));
      results.push_back(rest.GetSetCC(loc_, node_.value_type(1), old, expected, CondCode::kEq));
    }
    results.push_back(FenceBehindAccess(rest, loc_, rest.EntryToken(), access_));
    splitter_.Finish(results);
  }

  BlockSplitter splitter_;
  SDNode& node_;
  const MachineMemOperand access_;
  const SDLoc loc_;
  const MVT type_;  // the type in memory
  const MVT bits_;  // an integer of the same size
  const bool in_word_;
  SDValue address_;
  Word word_;
};

}  // namespace

bool IsAtomicOnLocalMemory(const SDNode& node) {
  return IsUpdate(node) && AsMemSDNode(node).address_space() == address_space::kLocal && BitsOf(node).has_value();
}

void LoadAndStore(SelectionDAG& dag, SDNode& node) {
  const MVT type = AsMemSDNode(node).memory_type().simple();
  MachineMemOperand memory = *AsMemSDNode(node).memoperand();
  memory.success_ordering = memory.failure_ordering = AtomicOrdering::kNotAtomic;
  MachineFunction& function = dag.machine_function();
  memory.flags = static_cast<uint16_t>((memory.flags & ~MachineMemOperand::kStore) | MachineMemOperand::kLoad);
  const SDValue old =
      dag.GetLoad(node.loc(), type, node.operand(0), node.operand(1), function.CreateMemOperand(memory));
  memory.flags = static_cast<uint16_t>((memory.flags & ~MachineMemOperand::kLoad) | MachineMemOperand::kStore);
  SDValue value =
      Resized(dag, node.loc(), isd::kAnyExtend, type, node.operand(IsCompareAndSwap(node.opcode()) ? 3 : 2));
  SDValue same;
  if (IsCompareAndSwap(node.opcode())) {
    const MVT bits = *IntegerOf(SizeInBits(type));
    const auto as_bits = [&](SDValue a) {
      return a.type() == bits ? a : dag.GetNode(isd::kBitcast, node.loc(), bits, {a});
    };
    same = dag.GetSetCC(node.loc(), MVT::kI1, as_bits(old),
                        as_bits(Resized(dag, node.loc(), isd::kAnyExtend, type, node.operand(2))), CondCode::kEq);
    value = dag.GetNode(isd::kSelect, node.loc(), type, {same, value, old});
  } else {
    value = NewValue(dag, node, old, value);
  }
  const SDValue store =
      dag.GetStore(node.loc(), old.Result(1), value, node.operand(1), function.CreateMemOperand(memory));
  const int16_t extension = AsMemSDNode(node).ext() == LoadExt::kSign ? isd::kSignExtend : isd::kZeroExtend;
  absl::InlinedVector<SDValue, 3> results = {Resized(dag, node.loc(), extension, node.value_type(0), old)};
  if (node.opcode() == isd::kAtomicCmpSwapWithSuccess) results.push_back(same);
  results.push_back(store);
  dag.ReplaceAllUsesWith(&node, results);
  dag.RemoveDeadNode(&node);
}

bool IsBitwiseOnPartOfWord(const SDNode& node) {
  if (!IsUpdate(node) || !IsBitwiseUpdate(node.opcode())) return false;
  const std::optional<MVT> bits = BitsOf(node);
  return bits.has_value() && SizeInBits(*bits) < 32;
}

void UpdateWord(SelectionDAG& dag, SDNode& node) {
  const SDLoc loc = node.loc();
  const MVT bits = *BitsOf(node);
  const Word word = MakeWord(dag, loc, node.operand(1), bits);
  SDValue operand =
      Resized(dag, loc, isd::kZeroExtend, MVT::kI32, Resized(dag, loc, isd::kZeroExtend, bits, node.operand(2)));
  operand = dag.GetNode(isd::kShl, loc, MVT::kI32, {operand, word.shift});
  if (node.opcode() == isd::kAtomicLoadAnd) operand = dag.GetNode(isd::kOr, loc, MVT::kI32, {operand, word.others});
  MachineMemOperand access = AccessOfWord(*AsMemSDNode(node).memoperand());
  access.range = MachineMemOperand::kNoMetadata;
  access.type = {.kind = LowLevelType::Kind::kScalar, .bits = 32};
  access.align_log2 = access.base_align_log2 = 2;
  const MVT types[] = {MVT::kI32, MVT::kOther};
  const SDValue operands[] = {node.operand(0), word.address, operand};
  const SDValue old =
      dag.GetMemNode(node.opcode(), loc, types, operands, MVT::kI32, dag.machine_function().CreateMemOperand(access));
  const SDValue part =
      Resized(dag, loc, isd::kTruncate, bits, dag.GetNode(isd::kSrl, loc, MVT::kI32, {old, word.shift}));
  const int16_t extension = AsMemSDNode(node).ext() == LoadExt::kSign ? isd::kSignExtend : isd::kZeroExtend;
  const SDValue results[] = {Resized(dag, loc, extension, node.value_type(0), part), old.Result(1)};
  dag.ReplaceAllUsesWith(&node, results);
  dag.RemoveDeadNode(&node);
}

bool IsUnsupportedScopedAddition(const SDNode& node, const ISelOptions& options) {
  return ScopeOfAddition(node).has_value() && !IsSelectable(node, *options.subtarget);
}

void ReplaceScopedAddition(SelectionDAG& dag, SDNode& node) {
  const MVT type = node.value_type(0);
  MachineMemOperand access;
  if (const MachineMemOperand* known = AsMemSDNode(node).memoperand()) access = *known;
  access.flags |= MachineMemOperand::kLoad | MachineMemOperand::kStore;
  access.syncscope = SyncscopeOf(*ScopeOfAddition(node));
  unsigned align_log2 = 0;
  while (8u << align_log2 < SizeInBits(type)) ++align_log2;
  const MVT types[] = {type, MVT::kOther};
  const SDValue operands[] = {node.operand(0), node.operand(1), node.operand(2)};
  const SDValue update =
      dag.GetMemNode(isd::kAtomicLoadFAdd, node.loc(), types, operands, type, Relaxed(dag, access, type, align_log2));
  const SDValue results[] = {update, update.Result(1)};
  dag.ReplaceAllUsesWith(&node, results);
  dag.RemoveDeadNode(&node);
}

bool NeedsAtomicLoop(SelectionDAG& dag, const SDNode& node, const ISelOptions& options) {
  if (!IsUpdate(node)) return false;
  const std::optional<MVT> bits = BitsOf(node);
  if (!bits.has_value() || HasInstruction(dag, node, *bits, options)) return false;
  return SizeInBits(*bits) < 32 || CanSelect(dag, node, isd::kAtomicCmpSwap, *bits, options);
}

absl::Status ExpandAtomic(CrossBlockValues& values, SDNode& node) {
  const MVT bits = *BitsOf(node);
  // PTX has a compare-and-swap of 16 bits, but GPUs do not: ptxas makes a loop of it.
  return AtomicExpander(values, node, bits, /*in_word=*/SizeInBits(bits) < 32).Expand();
}

}  // namespace ptxmir::sdag
