// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/intr_range.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// A half-open interval.
struct RegisterRange {
  uint64_t low;
  uint64_t high;
};

constexpr std::string_view kRegisterPrefix = "llvm.nvvm.read.ptx.sreg.";
constexpr uint64_t kMaxThreads[] = {1024, 1024, 64};
constexpr uint64_t kMaxBlocks[] = {0x7fffffff, 0xffff, 0xffff};
constexpr uint64_t kMaxThreadsOfBlock = 1024;
constexpr uint64_t kWarpSize = 32;

// The size of blocks, as far as the launch bounds of a function state it.
class LaunchBounds {
 public:
  LaunchBounds(const Module& module, const IrFunction& function) {
    const NvvmFunctionInfo info = GetNvvmFunctionInfo(module, function);
    if (!info.req_ntid.empty()) {
      for (size_t i = 0; i < 3; ++i) exact_[i] = i < info.req_ntid.size() ? info.req_ntid[i] : 1;
      is_exact_ = true;
    }
    if (!info.max_ntid.empty()) {
      max_threads_ = 1;
      for (const uint32_t size : info.max_ntid) max_threads_ = std::min(kMaxThreadsOfBlock, max_threads_ * size);
    }
  }

  // The largest size of a dimension, and the smallest.
  uint64_t Largest(size_t dimension) const {
    return is_exact_ ? exact_[dimension] : std::min(kMaxThreads[dimension], max_threads_);
  }
  uint64_t Smallest(size_t dimension) const { return is_exact_ ? exact_[dimension] : 1; }

 private:
  bool is_exact_ = false;
  uint64_t exact_[3] = {};
  uint64_t max_threads_ = kMaxThreadsOfBlock;
};

std::optional<RegisterRange> RangeOf(std::string_view name, const LaunchBounds& bounds) {
  if (name == "laneid") return RegisterRange{0, kWarpSize};
  if (name == "warpsize") return RegisterRange{kWarpSize, kWarpSize + 1};
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 2 != name.size() || name[dot + 1] < 'x' || name[dot + 1] > 'z') {
    return std::nullopt;
  }
  const auto dimension = static_cast<size_t>(name[dot + 1] - 'x');
  const std::string_view reg = name.substr(0, dot);
  if (reg == "tid") return RegisterRange{0, bounds.Largest(dimension)};
  if (reg == "ntid") return RegisterRange{bounds.Smallest(dimension), bounds.Largest(dimension) + 1};
  if (reg == "ctaid") return RegisterRange{0, kMaxBlocks[dimension]};
  if (reg == "nctaid") return RegisterRange{1, kMaxBlocks[dimension] + 1};
  return std::nullopt;
}

class RangeAdder {
 public:
  explicit RangeAdder(Program& program) : program_(program) {}

  bool Run(Function& function) {
    const LaunchBounds bounds(function.module(), function.signature());
    bool changed = false;
    for (BasicBlock* block : function.blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (!IsIntrinsicCall(*i, kRegisterPrefix) || !i->type()->is_integer(32)) continue;
        const std::string_view name = CalledFunction(*i)->name.substr(kRegisterPrefix.size());
        const std::optional<RegisterRange> range = RangeOf(name, bounds);
        if (range.has_value() && range->low < range->high) changed |= Add(*i, *range);
      }
    }
    return changed;
  }

 private:
  bool Add(Instruction& call, const RegisterRange& range) {
    const AttributeSet& known = program_.attribute_set(call.call().return_attributes);
    if (known.attributes.Has("range")) return false;
    const auto [place, is_new] =
        sets_.emplace(std::pair(call.call().return_attributes, std::pair(range.low, range.high)), AttributeSetId{0});
    if (is_new) {
      IrAttribute attribute;
      attribute.name = "range";
      attribute.text = program_.module().CopyString(StrCat("range(i32 ", range.low, ", ", range.high, ")"));
      attribute.value = attribute.text.substr(6, attribute.text.size() - 7);
      AttributeSet set = known;
      set.attributes.Add(attribute);
      set.text =
          known.text.empty() ? attribute.text : program_.module().CopyString(StrCat(known.text, " ", attribute.text));
      place->second = program_.AddAttributeSet(std::move(set));
    }
    call.call().return_attributes = place->second;
    return true;
  }

  Program& program_;
  absl::flat_hash_map<std::pair<AttributeSetId, std::pair<uint64_t, uint64_t>>, AttributeSetId> sets_;
};

}  // namespace

IrPassResult RunIntrRange(Program& program, IrPassContext&) {
  RangeAdder adder(program);
  bool changed = false;
  for (const std::unique_ptr<Function>& function : program.functions()) changed |= adder.Run(*function);
  return {.changed = changed};
}

}  // namespace ptxmir
