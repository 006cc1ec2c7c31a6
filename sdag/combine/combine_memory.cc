// SPDX-License-Identifier: Apache-2.0

// Loads, stores, chains.

#include <algorithm>
#include <optional>
#include <vector>

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

// Flattens chains of chains into one token, without the entry token and without duplicates.
SDValue FlattenTokenFactor(const CombineContext& context, SDNode& node) {
  constexpr size_t kMaxOperands = 64;
  std::vector<SDValue> chains;
  bool changed = false;
  const auto add = [&](const SDValue& chain) {
    for (const SDValue& seen : chains) {
      if (seen != chain) continue;
      changed = true;
      return;
    }
    if (Is(chain, isd::kEntryToken)) {
      changed = true;
      return;
    }
    chains.push_back(chain);
  };
  if (node.num_operands() > kMaxOperands) return SDValue();
  for (const SDUse& use : node.operands()) {
    const SDValue chain = use;
    if (!chain) return SDValue();
    const bool inner = IsOneUse(chain, isd::kTokenFactor) &&
                       chain->num_operands() + node.num_operands() + chains.size() <= kMaxOperands;
    if (!inner) {
      add(chain);
      continue;
    }
    changed = true;
    for (const SDUse& inner_use : chain->operands()) {
      if (!inner_use.get()) return SDValue();
      add(inner_use);
    }
  }
  if (!changed) return SDValue();
  if (chains.empty()) return context.dag().EntryToken();
  return context.dag().GetTokenFactor(node.loc(), chains);
}

// A load whose value is not used: its users wait for its input chain instead.
SDValue UnusedLoad(const CombineContext& context, SDNode& node) {
  if (!IsSimple(node) || node.HasAnyUseOfValue(0)) return SDValue();
  return context.Replace(node, {SDValue(), node.operand(0)});
}

// A load of a value that has just been stored, with the same type and at the same address.
SDValue LoadOfStored(const CombineContext& context, SDNode& node) {
  const SDValue chain = node.operand(0);
  if (!IsSimple(node) || !Is(chain, isd::kStore) || !IsSimple(*chain.node())) return SDValue();
  const MemSDNode &load = AsMemSDNode(node), &store = AsMemSDNode(*chain.node());
  if (load.base_pointer() != store.base_pointer() || load.memory_type() != store.memory_type()) return SDValue();
  if (load.address_space() != store.address_space()) return SDValue();
  SDValue value = chain.operand(1);
  const MVT type = node.value_type(0);
  if (!store.is_truncating() && load.ext() == LoadExt::kNone) {
    if (value.type() != type) return SDValue();
  } else {
    if (!IsInteger(type) || IsVector(type) || !load.memory_type().is_simple() || !IsInteger(value.type())) {
      return SDValue();
    }
    const MVT memory = load.memory_type().simple();
    if (!IsScalarInteger(memory) || IsVector(value.type())) return SDValue();
    value = context.ZExtOrTrunc(node.loc(), memory, value);
    if (load.ext() == LoadExt::kSign) {
      value = context.SExtOrTrunc(node.loc(), type, value);
    } else if (load.ext() == LoadExt::kZero) {
      value = context.ZExtOrTrunc(node.loc(), type, value);
    } else {
      value = context.AExtOrTrunc(node.loc(), type, value);
    }
    if (!value) return SDValue();
  }
  return context.Replace(node, {value, chain});
}

// ext (load): becomes an extending load if the unextended value has no other use. Products that extend their factors
// get half of the bits.
SDValue ExtensionOfLoad(const CombineContext& context, SDNode& node) {
  const SDValue value = node.operand(0);
  const MVT type = node.value_type(0);
  if (!IsPlainLoad(value) || !value.HasOneUse() || IsVector(type)) return SDValue();
  const MemSDNode& load = AsMemSDNode(*value.node());
  if (!load.memory_type().is_simple() || !IsScalarInteger(load.memory_type().simple())) return SDValue();
  if (load.memory_type().SizeInBits() < 8) return SDValue();
  const LoadExt wanted = node.opcode() == isd::kSignExtend  ? LoadExt::kSign
                         : node.opcode() != isd::kAnyExtend ? LoadExt::kZero
                                                            : LoadExt::kAny;
  LoadExt ext = wanted;
  if (load.ext() != LoadExt::kNone) {
    if (wanted == LoadExt::kAny || load.ext() == LoadExt::kZero) {
      ext = load.ext();
    } else if (load.ext() != wanted) {
      return SDValue();
    }
  }
  const bool is_factor = (type == MVT::kI64 || type == MVT::kI128) && wanted != LoadExt::kAny && HasWideProduct(node);
  const MVT loaded = is_factor ? *IntegerOf(SizeInBits(type) / 2) : type;
  if (ScalarSizeInBits(value.type()) >= SizeInBits(loaded)) return SDValue();
  const SDValue wide = context.dag().GetExtLoad(ext, value->loc(), loaded, value.operand(0), load.base_pointer(),
                                                load.memory_type(), load.memoperand());
  if (!context.before_legalize() && !context.IsLegal(*wide.node())) return SDValue();
  const SDValue result = is_factor ? context.Node(node.opcode(), node.loc(), type, {wide}) : wide;
  if (!result) return SDValue();
  context.Replace(node, {result});
  context.Replace(*value.node(), {SDValue(), wide.Result(1)});
  return {&node, 0};
}

// and (load), mask of the loaded bits, after a load that left the upper bits undefined.
SDValue MaskOfLoad(const CombineContext& context, SDNode& node) {
  const SDValue value = node.operand(0);
  U mask;
  if (!IsPlainLoad(value) || !value.HasOneUse() || !IsConstant(node.operand(1), &mask)) return SDValue();
  const MemSDNode& load = AsMemSDNode(*value.node());
  if (load.ext() != LoadExt::kAny || !load.memory_type().is_simple() || IsVector(value.type())) return SDValue();
  if (mask != LowBits(load.memory_type().SizeInBits())) return SDValue();
  const SDValue zero = context.dag().GetExtLoad(LoadExt::kZero, value->loc(), value.type(), value.operand(0),
                                                load.base_pointer(), load.memory_type(), load.memoperand());
  if (!context.before_legalize() && !context.IsLegal(*zero.node())) return SDValue();
  context.Replace(node, {zero});
  context.Replace(*value.node(), {SDValue(), zero.Result(1)});
  return {&node, 0};
}

// sign_extend_inreg of such a load.
SDValue SignOfLoad(const CombineContext& context, SDNode& node) {
  const SDValue value = node.operand(0);
  const auto* from = DynCast<VTSDNode>(node.operand(1));
  if (from == nullptr || !IsPlainLoad(value) || !value.HasOneUse()) return SDValue();
  const MemSDNode& load = AsMemSDNode(*value.node());
  const bool open = load.ext() == LoadExt::kAny || load.ext() == LoadExt::kZero;
  if (!open || load.memory_type() != from->type() || IsVector(value.type())) return SDValue();
  const SDValue sign = context.dag().GetExtLoad(LoadExt::kSign, value->loc(), value.type(), value.operand(0),
                                                load.base_pointer(), load.memory_type(), load.memoperand());
  if (!context.before_legalize() && !context.IsLegal(*sign.node())) return SDValue();
  context.Replace(node, {sign});
  context.Replace(*value.node(), {SDValue(), sign.Result(1)});
  return {&node, 0};
}

// trunc of an extending load to at least the loaded bits.
SDValue TruncationOfLoad(const CombineContext& context, SDNode& node) {
  const SDValue value = node.operand(0);
  const MVT type = node.value_type(0);
  if (!IsPlainLoad(value) || !value.HasOneUse() || !IsScalarInteger(type)) return SDValue();
  const MemSDNode& load = AsMemSDNode(*value.node());
  if (load.ext() == LoadExt::kNone || !load.memory_type().is_simple()) return SDValue();
  const MVT memory = load.memory_type().simple();
  if (!IsScalarInteger(memory) || SizeInBits(memory) > SizeInBits(type)) return SDValue();
  const SDValue narrow = memory == type ? context.dag().GetLoad(value->loc(), type, value.operand(0),
                                                                load.base_pointer(), load.memoperand())
                                        : context.dag().GetExtLoad(load.ext(), value->loc(), type, value.operand(0),
                                                                   load.base_pointer(), memory, load.memoperand());
  if (!context.before_legalize() && !context.IsLegal(*narrow.node())) return SDValue();
  context.Replace(node, {narrow});
  context.Replace(*value.node(), {SDValue(), narrow.Result(1)});
  return {&node, 0};
}

// store (trunc x): becomes a store of the low bits.
SDValue StoreOfTruncation(const CombineContext& context, SDNode& node) {
  const SDValue value = node.operand(1);
  const MemSDNode& store = AsMemSDNode(node);
  if (!IsSimple(node) || !store.memory_type().is_simple() || !IsScalarInteger(value.type())) return SDValue();
  if (store.memory_type().SizeInBits() < 8) return SDValue();
  SDValue wide;
  U mask;
  const U low = LowBits(store.memory_type().SizeInBits());
  if (Is(value, isd::kTruncate)) {
    wide = value.operand(0);
    // i128 has no store of its low bits.
    if (SizeInBits(wide.type()) > 64) return SDValue();
  } else if (store.is_truncating()) {
    const bool extension = Is(value, isd::kZeroExtend) || Is(value, isd::kSignExtend) || Is(value, isd::kAnyExtend);
    if (Is(value, isd::kAnd) && IsConstant(value.operand(1), &mask) && (mask & low) == low) {
      wide = value.operand(0);
    } else if (extension && SizeInBits(value.operand(0).type()) >= store.memory_type().SizeInBits()) {
      wide = value.operand(0);
    } else if (Is(value, isd::kSignExtendInReg)) {
      const auto* from = DynCast<VTSDNode>(value.operand(1));
      if (from == nullptr || from->type().SizeInBits() < store.memory_type().SizeInBits()) return SDValue();
      wide = value.operand(0);
    }
  }
  if (!wide) return SDValue();
  const bool truncating = SizeInBits(wide.type()) > store.memory_type().SizeInBits();
  const SDValue operands[] = {node.operand(0), wide, node.operand(2), node.operand(3)};
  const SDValue result =
      context.dag().GetMemNode(isd::kStore, node.loc(), node.value_types(), operands, store.memory_type(),
                               store.memoperand(), LoadExt::kNone, truncating, node.flags());
  if (!context.before_legalize() && !context.IsLegal(*result.node())) return SDValue();
  return result;
}

// A store of a value that was loaded for it alone, where one of both is not aligned: the pieces of the value are copied
// as they are, instead of being put together.
SDValue UnalignedCopy(const CombineContext& context, SDNode& node) {
  const SDValue value = node.operand(1);
  const MemSDNode& store = AsMemSDNode(node);
  if (!IsSimple(node) || store.is_truncating() || !IsPlainLoad(value) || !value.HasOneUse()) return SDValue();
  const MemSDNode& load = AsMemSDNode(*value.node());
  if (load.ext() != LoadExt::kNone || load.memoperand() == nullptr || store.memoperand() == nullptr) return SDValue();
  const unsigned align_log2 = std::min(load.memoperand()->align_log2, store.memoperand()->align_log2);
  const MVT type = value.type();
  const unsigned width = ScalarSizeInBits(type);
  if (width % 8 != 0 || align_log2 > 3 || 8u << align_log2 >= width) return SDValue();
  const MVT piece = *IntegerOf(8u << align_log2);
  const std::optional<MVT> pieces = VectorOf(piece, SizeInBits(type) / SizeInBits(piece));
  if (!pieces.has_value()) return SDValue();
  const SDValue copied =
      context.dag().GetLoad(value->loc(), *pieces, value.operand(0), load.base_pointer(), load.memoperand());
  const SDValue operands[] = {node.operand(0), copied, node.operand(2), node.operand(3)};
  const SDValue result = context.dag().GetMemNode(isd::kStore, node.loc(), node.value_types(), operands, *pieces,
                                                  store.memoperand(), LoadExt::kNone, false, node.flags());
  context.Replace(node, {result});
  context.Replace(*value.node(), {SDValue(), copied.Result(1)});
  return {&node, 0};
}

// A store of a value just loaded from the same place, of undef, or that another store overwrites.
SDValue UselessStore(const CombineContext&, SDNode& node) {
  if (!IsSimple(node)) return SDValue();
  const MemSDNode& store = AsMemSDNode(node);
  const SDValue chain = node.operand(0), value = node.operand(1);
  if (IsUndefined(value)) return chain;
  if (IsPlainLoad(value) && chain == value.Result(1) && !store.is_truncating()) {
    const MemSDNode& load = AsMemSDNode(*value.node());
    if (load.ext() == LoadExt::kNone && load.base_pointer() == store.base_pointer() &&
        load.memory_type() == store.memory_type() && load.address_space() == store.address_space()) {
      return chain;
    }
  }
  return SDValue();
}
SDValue OverwrittenStore(const CombineContext& context, SDNode& node) {
  const SDValue chain = node.operand(0);
  if (!IsSimple(node) || !IsOneUse(chain, isd::kStore) || !IsSimple(*chain.node())) return SDValue();
  const MemSDNode &store = AsMemSDNode(node), &before = AsMemSDNode(*chain.node());
  if (store.base_pointer() != before.base_pointer() || store.address_space() != before.address_space()) {
    return SDValue();
  }
  if (before.memory_type().SizeInBits() > store.memory_type().SizeInBits()) return SDValue();
  if (store.memory_type().SizeInBits() % 8 != 0) return SDValue();
  const SDValue operands[] = {chain.operand(0), node.operand(1), node.operand(2), node.operand(3)};
  return context.dag().GetMemNode(isd::kStore, node.loc(), node.value_types(), operands, store.memory_type(),
                                  store.memoperand(), LoadExt::kNone, store.is_truncating(), node.flags());
}

constexpr int16_t kTokenFactor[] = {isd::kTokenFactor};
constexpr int16_t kLoad[] = {isd::kLoad};
constexpr int16_t kStore[] = {isd::kStore};

constexpr CombineRow kMemoryCombineRows[] = {
    {"token-factor", CombineRow::kBoth, kTokenFactor, FlattenTokenFactor},
    {"load-unused", CombineRow::kBoth, kLoad, UnusedLoad},
    {"load-of-store", CombineRow::kBoth, kLoad, LoadOfStored},
    {"ext-of-load", CombineRow::kBoth, kExtensionOpcodes, ExtensionOfLoad},
    {"mask-of-load", CombineRow::kBoth, kAndOpcode, MaskOfLoad},
    {"sext-inreg-of-load", CombineRow::kBoth, kInRegOpcode, SignOfLoad},
    {"trunc-of-load", CombineRow::kBoth, kTruncateOpcode, TruncationOfLoad},
    {"store-of-trunc", CombineRow::kBoth, kStore, StoreOfTruncation},
    {"store-unaligned-copy", CombineRow::kBefore, kStore, UnalignedCopy},
    {"store-useless", CombineRow::kBoth, kStore, UselessStore},
    {"store-overwritten", CombineRow::kBoth, kStore, OverwrittenStore},
};

}  // namespace

absl::Span<const CombineRow> MemoryCombines() { return kMemoryCombineRows; }

}  // namespace ptxmir::sdag
