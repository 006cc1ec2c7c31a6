// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/intr_range.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ir/passes/support/effects.h"
#include "ptx/target/special_register_bounds.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

constexpr std::string_view kRegisterPrefix = "llvm.nvvm.read.ptx.sreg.";

class RangeAdder {
 public:
  RangeAdder(Program& program, int sm) : program_(program), sm_(sm) {}

  uint64_t num_added() const { return num_added_; }

  void Run(Function& function) {
    const ptx::SpecialRegisterBounds bounds(&program_.module(), &function.signature(), sm_);
    for (BasicBlock* block : function.blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (!IsIntrinsicCall(*i, kRegisterPrefix) || !i->type()->is_integer(32)) continue;
        const std::string_view name = CalledFunction(*i)->name.substr(kRegisterPrefix.size());
        const std::optional<Bounds> range = bounds.Of(ptx::ParseBoundedRegister(name));
        if (range.has_value()) num_added_ += Add(*i, *range) ? 1 : 0;
      }
    }
  }

 private:
  using Bounds = ptx::SpecialRegisterBounds::Bounds;

  bool Add(Instruction& call, const Bounds& range) {
    const AttributeSet& known = program_.attribute_set(call.call().return_attributes);
    if (known.attributes.Has("range")) return false;
    const auto [place, is_new] =
        sets_.emplace(std::pair(call.call().return_attributes, std::pair(range.least, range.most)), AttributeSetId{0});
    if (is_new) {
      IrAttribute attribute;
      attribute.name = "range";
      attribute.text = program_.module().CopyString(StrCat("range(i32 ", range.least, ", ", range.most + 1, ")"));
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
  const int sm_;
  uint64_t num_added_ = 0;
  absl::flat_hash_map<std::pair<AttributeSetId, std::pair<uint64_t, uint64_t>>, AttributeSetId> sets_;
};

}  // namespace

IrPassResult RunIntrRange(Program& program, IrPassContext& context) {
  const int sm = context.knobs.nvvm_intr_range_sm();
  RangeAdder adder(program, sm != 0 ? sm : static_cast<int>(context.sm));
  for (const std::unique_ptr<Function>& function : program.functions()) adder.Run(*function);
  context.AddStatistic("ranges stated", adder.num_added());
  return {.changed = adder.num_added() != 0};
}

}  // namespace ptxmir
