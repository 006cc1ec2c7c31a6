// SPDX-License-Identifier: Apache-2.0

#include "ir/code/body_facts.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/copy_to_arena.h"
#include "ir/module.h"

namespace ptxmir::ir {
namespace {

class BodyFacts {
 public:
  explicit BodyFacts(Program& program)
      : module_(program.module()),
        loop_kind_(program.AddMetadataKind("llvm.loop")),
        places_(module_.global_values().size()) {}

  void Replace(Function& function) {
    Collect(function);
    auto& signature = static_cast<IrFunction&>(module_.global_value(function.id()));
    signature.body_text = {};
    signature.mentions = CopyToArena<BodyMention>(module_.arena(), mentions_);
    signature.loop_blocks = CopyToArena<IrBlock>(module_.arena(), loop_blocks_);
    for (const BodyMention& mention : mentions_) places_[mention.global] = 0;
    mentions_.clear();
    loop_blocks_.clear();
  }

 private:
  void Collect(Function& function) {
    bool is_numbered = false;
    for (const BasicBlock* block : function.blocks()) {
      std::optional<MetadataId> loop;
      for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
        AddOperands(*i);
        for (const Attachment& attachment : i->attachments()) {
          if (attachment.kind == loop_kind_ && !attachment.node.is_inline()) loop = attachment.node.node();
        }
      }
      if (!loop.has_value()) continue;
      if (block->name() != 0) {
        loop_blocks_.push_back({.name = module_.CopyString(function.name(block->name())), .number = 0, .loop = loop});
        continue;
      }
      if (!is_numbered) function.NumberValues();
      is_numbered = true;
      loop_blocks_.push_back({.name = {}, .number = block->slot(), .loop = loop});
    }
  }

  void AddOperands(const Instruction& instruction) {
    for (const Use& use : instruction.operands()) {
      if (!use.value().is_constant()) continue;
      const IrConstant& constant = static_cast<const ConstantValue&>(use.value()).constant();
      const bool is_callee =
          instruction.opcode() == Opcode::kCall && use.operand_number() + 1 == instruction.num_operands();
      const bool is_beyond_calls = !is_callee || constant.kind != IrConstant::Kind::kGlobal;
      VisitGlobals(constant, [&](GlobalId global) { Add(global, is_beyond_calls); });
    }
  }

  void Add(GlobalId global, bool is_beyond_calls) {
    uint32_t& place = places_[global];
    if (place == 0) {
      mentions_.push_back({.global = global});
      place = static_cast<uint32_t>(mentions_.size());
    }
    if (is_beyond_calls) mentions_[place - 1].is_beyond_calls = true;
  }

  Module& module_;
  const MetadataKindId loop_kind_;
  std::vector<uint32_t> places_;  // by global value: its place in mentions_ plus 1; 0 if it is not there
  std::vector<BodyMention> mentions_;
  std::vector<IrBlock> loop_blocks_;
};

}  // namespace

void ReplaceBodyTexts(Program& program) {
  BodyFacts facts(program);
  for (const std::unique_ptr<Function>& function : program.functions()) facts.Replace(*function);
  program.module().InvalidateUsers();
}

}  // namespace ptxmir::ir
