// SPDX-License-Identifier: Apache-2.0

#include "ir/upgrade/intrinsic_table.h"

#include <algorithm>
#include <vector>

#include "base/str_cat.h"
#include "ir/ir_text.h"

namespace ptxmir::ir {
namespace {

using Kind = UpgradeKind;

struct Entry {
  std::string_view name;  // without "llvm."
  std::string_view type;  // the letters of TypeOf: the result, then the operands
  Kind kind;
  std::string_view new_name;
};

constexpr Entry kEntries[] = {
    {"nvvm.abs.i", "ii", Kind::kAbsolute, ""},
    {"nvvm.abs.ll", "ll", Kind::kAbsolute, ""},
    {"nvvm.bar.sync", "vi", Kind::kReplace, "nvvm.barrier.cta.sync.aligned.all"},
    {"nvvm.barrier", "vii", Kind::kReplace, "nvvm.barrier.cta.sync.aligned.count"},
    {"nvvm.barrier.n", "vi", Kind::kReplace, "nvvm.barrier.cta.sync.aligned.all"},
    {"nvvm.barrier.sync", "vi", Kind::kReplace, "nvvm.barrier.cta.sync.all"},
    {"nvvm.barrier.sync.cnt", "vii", Kind::kReplace, "nvvm.barrier.cta.sync.count"},
    {"nvvm.barrier0", "v", Kind::kBarrierZero, "nvvm.barrier.cta.sync.aligned.all"},
    {"nvvm.barrier0.and", "ii", Kind::kBarrierReduce, "nvvm.barrier.cta.red.and.aligned.all"},
    {"nvvm.barrier0.or", "ii", Kind::kBarrierReduce, "nvvm.barrier.cta.red.or.aligned.all"},
    {"nvvm.barrier0.popc", "ii", Kind::kBarrierReduce, "nvvm.barrier.cta.red.popc.aligned.all"},
    {"nvvm.bitcast.d2ll", "ld", Kind::kBitCast, ""},
    {"nvvm.bitcast.f2i", "if", Kind::kBitCast, ""},
    {"nvvm.bitcast.i2f", "fi", Kind::kBitCast, ""},
    {"nvvm.bitcast.ll2d", "dl", Kind::kBitCast, ""},
    {"nvvm.brev32", "ii", Kind::kRename, "bitreverse.i32"},
    {"nvvm.brev64", "ll", Kind::kRename, "bitreverse.i64"},
    {"nvvm.clz.i", "ii", Kind::kCountZeros, "ctlz.i32"},
    {"nvvm.clz.ll", "il", Kind::kCountLong, "ctlz.i64"},
    {"nvvm.ex2.approx.d", "dd", Kind::kReplace, "nvvm.ex2.approx.f64"},
    {"nvvm.ex2.approx.f", "ff", Kind::kReplace, "nvvm.ex2.approx.f32"},
    {"nvvm.ex2.approx.f16x2", "HH", Kind::kReplace, "nvvm.ex2.approx.v2f16"},
    {"nvvm.ex2.approx.ftz.f", "ff", Kind::kReplace, "nvvm.ex2.approx.ftz.f32"},
    {"nvvm.fabs.d", "dd", Kind::kReplace, "nvvm.fabs.f64"},
    {"nvvm.fabs.f", "ff", Kind::kReplace, "nvvm.fabs.f32"},
    {"nvvm.fabs.ftz.f", "ff", Kind::kReplace, "nvvm.fabs.ftz.f32"},
    {"nvvm.h2f", "fs", Kind::kReplace, "convert.from.fp16.f32"},
    {"nvvm.max.i", "iii", Kind::kRename, "smax.i32"},
    {"nvvm.max.ll", "lll", Kind::kRename, "smax.i64"},
    {"nvvm.max.s", "sss", Kind::kRename, "smax.i16"},
    {"nvvm.max.ui", "iii", Kind::kRename, "umax.i32"},
    {"nvvm.max.ull", "lll", Kind::kRename, "umax.i64"},
    {"nvvm.max.us", "sss", Kind::kRename, "umax.i16"},
    {"nvvm.min.i", "iii", Kind::kRename, "smin.i32"},
    {"nvvm.min.ll", "lll", Kind::kRename, "smin.i64"},
    {"nvvm.min.s", "sss", Kind::kRename, "smin.i16"},
    {"nvvm.min.ui", "iii", Kind::kRename, "umin.i32"},
    {"nvvm.min.ull", "lll", Kind::kRename, "umin.i64"},
    {"nvvm.min.us", "sss", Kind::kRename, "umin.i16"},
    {"nvvm.popc.i", "ii", Kind::kRename, "ctpop.i32"},
    {"nvvm.popc.ll", "il", Kind::kCountLong, "ctpop.i64"},
    {"nvvm.rotate.b32", "iii", Kind::kRotateLeft, "fshl.i32"},
    {"nvvm.rotate.b64", "lli", Kind::kRotateLeft, "fshl.i64"},
    {"nvvm.rotate.right.b64", "lli", Kind::kRotateRight, "fshr.i64"},
    {"nvvm.swap.lo.hi.b64", "ll", Kind::kSwapHalves, "fshl.i64"},
    {"nvvm.mapa.shared.cluster", "3_i", Kind::kClusterResult, "nvvm.mapa.shared.cluster"},
    {"dbg.addr", "vmmm", Kind::kDebugRecord, ""},
    {"dbg.assign", "vmmmmmm", Kind::kDebugRecord, ""},
    {"dbg.declare", "vmmm", Kind::kDebugRecord, ""},
    {"dbg.label", "vm", Kind::kDebugRecord, ""},
    {"dbg.value", "vmmm", Kind::kDebugRecord, ""},
    {"dbg.value", "vmlmm", Kind::kDebugRecord, ""},
    {"stacksave", "p", Kind::kRename, "stacksave.p0"},
    {"stackrestore", "vp", Kind::kRename, "stackrestore.p0"},
    {"invariant.group.barrier", "pp", Kind::kRename, "launder.invariant.group.p0"},
};

// Intrinsics whose names end with types.
constexpr Entry kPrefixes[] = {
    {"nvvm.atomic.load.add.f32.", "fpf", Kind::kAtomicAdd, ""},
    {"nvvm.atomic.load.add.f64.", "dpd", Kind::kAtomicAdd, ""},
    {"nvvm.atomic.load.dec.32.", "ipi", Kind::kAtomicDecrement, ""},
    {"nvvm.atomic.load.inc.32.", "ipi", Kind::kAtomicIncrement, ""},
    {"nvvm.ldg.global.", "_pi", Kind::kLoad, ""},
    {"nvvm.ptr.", "pp", Kind::kAddrSpaceCast, ""},
    {"memcpy.", "vpp_ib", Kind::kMemory, "memcpy."},
    {"memmove.", "vpp_ib", Kind::kMemory, "memmove."},
    {"memset.", "vpc_ib", Kind::kMemory, "memset."},
    {"lifetime.start", "vlp", Kind::kLifetime, "lifetime.start"},
    {"lifetime.end", "vlp", Kind::kLifetime, "lifetime.end"},
    {"objectsize.", "_pb", Kind::kObjectSize, "objectsize"},
    {"objectsize.", "_pbb", Kind::kObjectSize, "objectsize"},
    {"ptr.annotation.", "pppi", Kind::kAnnotation, "ptr.annotation.p0.p0"},
    {"ptr.annotation.", "ppppi", Kind::kAnnotation, "ptr.annotation.p0.p0"},
    {"var.annotation", "vpppi", Kind::kAnnotation, "var.annotation.p0.p0"},
    {"invariant.group.barrier.", "pp", Kind::kRename, "launder.invariant.group.p0"},
    {"nvvm.cp.async.bulk.global.to.shared.cluster", "v3*", Kind::kClusterPointer, ""},
    {"nvvm.cp.async.bulk.shared.cta.to.cluster", "v3*", Kind::kClusterPointer, ""},
    {"nvvm.cp.async.bulk.tensor.g2s.", "v3*", Kind::kTensorToCluster, ""},
};

// '*': any further operands.
bool IsOfType(const IrType* type, char letter) {
  switch (letter) {
    case 'v':
      return type->is_void();
    case 'b':
      return type->is_integer(1);
    case 'c':
      return type->is_integer(8);
    case 's':
      return type->is_integer(16);
    case 'i':
      return type->is_integer(32);
    case 'l':
      return type->is_integer(64);
    case 'f':
      return type->kind() == IrType::Kind::kFloat;
    case 'd':
      return type->kind() == IrType::Kind::kDouble;
    case 'H':
      return type->is_vector() && type->num_elements() == 2 && type->element()->kind() == IrType::Kind::kHalf;
    case 'p':
      return type->is_pointer();
    case '3':
      return type->is_pointer() && type->address_space() == 3;
    case 'm':
      return type->kind() == IrType::Kind::kMetadata;
    default:
      return type->is_first_class();  // '_'
  }
}

bool HasType(const IrType* function, std::string_view letters) {
  if (function->is_vararg() || !IsOfType(function->return_type(), letters[0])) return false;
  letters.remove_prefix(1);
  for (const IrType* parameter : function->parameters()) {
    if (letters.empty()) return false;
    if (letters[0] == '*') return true;
    if (!IsOfType(parameter, letters[0])) return false;
    letters.remove_prefix(1);
  }
  return letters.empty() || letters[0] == '*';
}

// nvvm's operations on bfloat took and gave i16 and i32.
std::optional<IntrinsicUpgrade> FindBFloatUpgrade(std::string_view name, const IrType* type) {
  if (type->is_vararg()) return std::nullopt;
  const bool is_pair = name.size() > 6 && name.substr(name.size() - 6) == "bf16x2";
  const bool is_single = name.size() > 4 && name.substr(name.size() - 4) == "bf16";
  if (!is_pair && !is_single) return std::nullopt;
  const auto begins = [name](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; };
  if (!begins("nvvm.abs.") && !begins("nvvm.neg.") && !begins("nvvm.fma.rn.") && !begins("nvvm.fmax.") &&
      !begins("nvvm.fmin.")) {
    return std::nullopt;
  }
  const uint32_t width = is_pair ? 32 : 16;
  if (!type->return_type()->is_integer(width) || type->parameters().empty()) return std::nullopt;
  for (const IrType* parameter : type->parameters()) {
    if (!parameter->is_integer(width)) return std::nullopt;
  }
  if (begins("nvvm.abs.")) return IntrinsicUpgrade{Kind::kBFloat, is_pair ? "nvvm.fabs.v2bf16" : "nvvm.fabs.bf16"};
  return IntrinsicUpgrade{Kind::kBFloat, std::string(name)};
}

// llvm.experimental.vector.reduce.add.v4i32, and v2.fadd.f32.v4f32 for those with a start value.
std::optional<std::string> ReductionName(std::string_view name) {
  constexpr std::string_view kPrefix = "experimental.vector.reduce.";
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.substr(0, 3) == "v2.") name.remove_prefix(3);
  const size_t first = name.find('.');
  if (first == name.npos) return std::nullopt;
  return StrCat("vector.reduce.", name.substr(0, first), ".", name.substr(name.rfind('.') + 1));
}

// Drops the pointee from types of pointers in a name: "p0i8" becomes "p0". Returns nullopt if there is none.
std::optional<std::string> WithoutPointees(std::string_view name) {
  std::string out;
  bool changed = false;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    std::string_view part = name.substr(begin, end - begin);
    // A vector of pointers: v4p0f32.
    size_t digits = 0;
    if (part.size() > 1 && part[0] == 'v' && IsIrDigit(part[1])) {
      while (++digits < part.size() && IsIrDigit(part[digits])) {
      }
    }
    if (digits < part.size() && part[digits] == 'p' && digits + 1 < part.size() && IsIrDigit(part[digits + 1])) {
      size_t last = digits + 1;
      while (last < part.size() && IsIrDigit(part[last])) ++last;
      const bool is_pointee =
          last < part.size() && (part[last] == 'i' || part[last] == 'f' || part[last] == 'v' || part[last] == 'p' ||
                                 part[last] == 'a' || part[last] == 's' || part[last] == 'b');
      if (is_pointee) {
        part = part.substr(0, last);
        changed = true;
      }
    }
    StrAppend(&out, begin == 0 ? "" : ".", part);
    begin = end + 1;
  }
  if (!changed) return std::nullopt;
  return out;
}

}  // namespace

std::optional<IntrinsicUpgrade> FindIntrinsicUpgrade(const IrFunction& function) {
  std::string_view name = function.name;
  if (name.substr(0, 5) != "llvm.") return std::nullopt;
  name.remove_prefix(5);
  const IrType* type = function.value_type;
  for (const Entry& entry : kEntries) {
    if (entry.name == name && HasType(type, entry.type))
      return IntrinsicUpgrade{entry.kind, std::string(entry.new_name)};
  }
  for (const Entry& entry : kPrefixes) {
    if (name.substr(0, entry.name.size()) != entry.name || !HasType(type, entry.type)) continue;
    std::string new_name(entry.new_name.empty() ? name : entry.new_name);
    if (entry.kind == Kind::kMemory) new_name = WithoutPointees(name).value_or(std::string(name));
    return IntrinsicUpgrade{entry.kind, std::move(new_name)};
  }
  for (const std::string_view count : {"ctlz.", "cttz."}) {
    if (name.substr(0, count.size()) == count && type->parameters().size() == 1) {
      return IntrinsicUpgrade{Kind::kCountZeros, std::string(name)};
    }
  }
  if (auto bfloat = FindBFloatUpgrade(name, type); bfloat.has_value()) return bfloat;
  if (auto reduction = ReductionName(name); reduction.has_value()) return IntrinsicUpgrade{Kind::kRename, *reduction};
  if (auto without = WithoutPointees(name); without.has_value()) return IntrinsicUpgrade{Kind::kRename, *without};
  return std::nullopt;
}

}  // namespace ptxmir::ir
