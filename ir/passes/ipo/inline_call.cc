// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/ipo/inline_call.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ir/code/program.h"
#include "ir/passes/support/declarations.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"

namespace ptxmir::ir {
namespace {

// Makes the locations that inlined code has.
class InlinedLocations {
 public:
  InlinedLocations(Program& program, MetadataRef call_location) : program_(program), call_(call_location) {}

  bool has_call_location() const { return !call_.is_none(); }
  MetadataRef call_location() const { return call_; }

  // Returns none if the call has no location.
  MetadataRef Of(MetadataRef location) {
    if (call_.is_none() || location.is_none()) return call_;
    return program_.AddMetadataTextCopy(TextOf(Text(location)));
  }

 private:
  std::string_view Text(MetadataRef node) const {
    return node.is_inline() ? program_.metadata_text(node) : program_.module().MetadataText(node.node());
  }

  std::string Reference(MetadataRef node) const {
    return node.is_inline() ? std::string(program_.metadata_text(node)) : StrCat("!", node.node());
  }

  // Appends the call's location at the end of the chain that `text`, a location, begins.
  std::string TextOf(std::string_view text) const {
    constexpr std::string_view kDistinct = "distinct ";
    constexpr std::string_view kInlinedAt = "inlinedAt: ";
    if (text.substr(0, kDistinct.size()) == kDistinct) text.remove_prefix(kDistinct.size());
    const size_t at = text.find(kInlinedAt);
    if (at == std::string_view::npos) {
      const size_t end = text.rfind(')');
      return StrCat(text.substr(0, end), ", inlinedAt: ", Reference(call_), ")");
    }
    const size_t begin = at + kInlinedAt.size();
    const size_t end = EndOfReference(text, begin);
    const std::string_view reference = text.substr(begin, end - begin);
    std::string_view above = reference;
    uint32_t number = 0;
    if (ParseNumber(reference, &number)) above = program_.module().MetadataText(number);
    return StrCat(text.substr(0, begin), TextOf(above), text.substr(end));
  }

  // Returns the position behind `!7` or `!DILocation(...)`.
  static size_t EndOfReference(std::string_view text, size_t begin) {
    int depth = 0;
    size_t end = begin;
    for (; end < text.size(); ++end) {
      if (text[end] == '(') ++depth;
      if (text[end] == ')' && depth-- == 0) break;
      if (text[end] == ',' && depth == 0) break;
    }
    return end;
  }

  static bool ParseNumber(std::string_view reference, uint32_t* number) {
    if (reference.size() < 2 || reference[0] != '!') return false;
    *number = 0;
    for (const char c : reference.substr(1)) {
      if (c < '0' || c > '9') return false;
      *number = *number * 10 + static_cast<uint32_t>(c - '0');
    }
    return true;
  }

  Program& program_;
  const MetadataRef call_;
};

class CallInliner {
 public:
  CallInliner(Instruction& call, const Function& callee)
      : call_(call),
        callee_(callee),
        caller_(call.function()),
        program_(caller_.program()),
        types_(caller_.module().types()),
        locations_(program_, call.debug_loc()) {}

  void Run() {
    MapArguments();
    BasicBlock& before = *call_.parent();
    BasicBlock& after = SplitBlock(call_);
    for (const BasicBlock* block : callee_.blocks()) values_[block] = caller_.CreateBlock();
    Instruction& jump = AppendBr(before, static_cast<BasicBlock&>(*values_[&callee_.entry()]));
    jump.set_debug_loc(call_.debug_loc());
    MoveRecords(call_, jump, /*at_beginning=*/true);
    for (const BasicBlock* block : callee_.blocks()) CloneBlock(*block);
    SetForwardOperands();
    AddBlocks(after);
    MakeReturns(after);
  }

 private:
  void MapArguments() {
    const CallDetail& detail = call_.call();
    for (const Argument* argument : callee_.arguments()) {
      Value* value = &call_.operand(argument->number());
      const IrType* copied = callee_.signature().parameters[argument->number()].ByValType();
      if (copied == nullptr && argument->number() < detail.argument_attributes.size()) {
        copied = program_.attribute_set(detail.argument_attributes[argument->number()]).attributes.Type("byval");
      }
      if (copied != nullptr) value = &CopyOf(*value, copied, argument->number());
      values_[argument] = value;
    }
  }

  // Makes a copy on the stack of what a parameter passes by value.
  Value& CopyOf(Value& pointer, const IrType* type, uint32_t number) {
    const DataLayout& layout = caller_.module().data_layout();
    const uint64_t stated = callee_.signature().parameters[number].attributes.Integer("align");
    Instruction& first = *caller_.entry().first();
    Instruction& object = InsertBefore(first, Opcode::kAlloca, types_.Pointer(layout.alloca_address_space()),
                                       {{*caller_.Integer(types_.Integer(32), 1)}});
    object.set_debug_loc({});
    object.set_log_align(static_cast<uint8_t>(std::countr_zero(std::max(stated, layout.AbiAlign(type)))));
    caller_.SetDetail(object, type);
    MakeMemcpy(call_, object, pointer, layout.AllocSize(type), object.align());
    return object;
  }

  void CloneBlock(const BasicBlock& block) {
    auto& copy = static_cast<BasicBlock&>(*values_[&block]);
    for (const Instruction* i = block.first(); i != nullptr; i = i->next()) {
      if (i->opcode() == Opcode::kRet) {
        returns_.emplace_back(&copy, i);
        continue;
      }
      if (IsIntrinsicCall(*i, "llvm.experimental.noalias.scope.decl")) continue;
      Instruction* clone = Clone(*i);
      if (i->opcode() == Opcode::kAlloca) {
        clone->set_debug_loc({});
        caller_.entry().Insert(*clone, *caller_.entry().first());
      } else {
        copy.Append(*clone);
        CloneRecords(*i, *clone);
      }
    }
  }

  Instruction* Clone(const Instruction& original) {
    Instruction* clone = CloneInstruction(caller_, original, &values_);
    clone->set_debug_loc(locations_.Of(original.debug_loc()));
    CloneAttachments(original, *clone);
    // The marker promises that no stack object of the function is passed, which may now be one of the caller's.
    const bool is_call = original.opcode() == Opcode::kCall;
    if (is_call && original.tail_kind() == TailKind::kTail && call_.tail_kind() != TailKind::kTail) {
      clone->set_variant(static_cast<uint8_t>(TailKind::kNone));
    }
    values_[&original] = clone;
    clones_.emplace_back(&original, clone);
    return clone;
  }

  void CloneRecords(const Instruction& original, Instruction& clone) {
    if (!locations_.has_call_location()) return;
    Instruction* last = nullptr;
    for (const Instruction* record = original.first_record(); record != nullptr; record = record->next()) {
      Instruction* copy = CloneInstruction(caller_, *record, &values_);
      DebugRecordDetail detail = record->record();
      detail.location = locations_.Of(detail.location);
      caller_.SetDetail(*copy, detail);
      clones_.emplace_back(record, copy);
      last == nullptr ? clone.set_first_record(copy) : last->set_next_record(copy);
      last = copy;
    }
  }

  void CloneAttachments(const Instruction& original, Instruction& clone) {
    std::vector<Attachment> kept;
    for (const Attachment& attachment : original.attachments()) {
      const std::string_view kind = program_.metadata_kind(attachment.kind);
      if (kind == "alias.scope" || kind == "noalias") continue;
      if (kind == "llvm.loop" && NamesLocations(attachment.node)) continue;
      kept.push_back(attachment);
    }
    clone.SetAttachments(kept);
  }

  // Returns true if the metadata of a loop has locations, which would be those of another function.
  bool NamesLocations(MetadataRef loop) const {
    if (loop.is_inline()) return program_.metadata_text(loop).find("DILocation") != std::string_view::npos;
    const MetadataNode* node = program_.module().metadata(loop.node());
    if (node == nullptr) return true;
    for (const MetadataOperand& operand : node->operands) {
      if (operand.kind == MetadataOperand::Kind::kInlineNode) return true;
      if (operand.kind != MetadataOperand::Kind::kNode || operand.node == loop.node()) continue;
      const MetadataNode* part = program_.module().metadata(operand.node);
      if (part == nullptr || part->kind == "DILocation") return true;
    }
    return false;
  }

  // Sets the operands that were not cloned yet when their users were.
  void SetForwardOperands() {
    for (const auto& [original, clone] : clones_) {
      for (unsigned i = 0; i < original->num_operands(); ++i) {
        const Value& operand = original->operand(i);
        if (!operand.is_instruction()) continue;
        const auto found = values_.find(&operand);
        if (found != values_.end() && &clone->operand(i) != found->second) clone->use(i).Set(*found->second);
      }
    }
  }

  void AddBlocks(const BasicBlock& after) {
    std::vector<BasicBlock*> blocks = caller_.blocks();
    std::vector<BasicBlock*> inlined;
    for (const BasicBlock* block : callee_.blocks()) {
      inlined.push_back(static_cast<BasicBlock*>(values_[block]));
    }
    blocks.insert(blocks.begin() + after.number(), inlined.begin(), inlined.end());
    caller_.ReplaceBlocks(std::move(blocks));
  }

  // Makes jumps of the returns, and gives the result to the users of the call.
  void MakeReturns(BasicBlock& after) {
    std::vector<Function::Operand> results;
    for (const auto& [block, ret] : returns_) {
      Instruction& jump = AppendBr(*block, after);
      jump.set_debug_loc(locations_.Of(ret->debug_loc()));
      CloneRecords(*ret, jump);
      for (Instruction* record = jump.first_record(); record != nullptr; record = record->next()) {
        SetOperands(*record);
      }
      if (ret->num_operands() == 0) continue;
      Value& value = ret->operand(0);
      const auto found = values_.find(&value);
      results.emplace_back(found != values_.end() ? *found->second : ImportValue(caller_, value));
      results.emplace_back(*block);
    }
    if (!call_.type()->is_void() && call_.has_uses()) {
      Value* result = caller_.Simple(IrConstant::Kind::kPoison, call_.type());
      if (results.size() == 2) result = results[0].value;
      if (results.size() > 2) {
        Instruction* phi = caller_.CreateInstruction(Opcode::kPhi, call_.type(), results);
        phi->set_debug_loc(call_.debug_loc());
        after.Insert(*phi, *after.first());
        result = phi;
      }
      call_.ReplaceAllUsesWith(*result);
    }
    Erase(call_);
  }

  // The operands of a record that was cloned last.
  void SetOperands(Instruction& record) {
    const Instruction* original = clones_.back().first;
    for (size_t i = clones_.size(); i-- > 0;) {
      if (clones_[i].second == &record) original = clones_[i].first;
    }
    for (unsigned i = 0; i < original->num_operands(); ++i) {
      const auto found = values_.find(&original->operand(i));
      if (found != values_.end()) record.use(i).Set(*found->second);
    }
  }

  Instruction& call_;
  const Function& callee_;
  Function& caller_;
  Program& program_;
  IrTypeTable& types_;
  InlinedLocations locations_;
  ValueMap values_;
  std::vector<std::pair<const Instruction*, Instruction*>> clones_;
  std::vector<std::pair<BasicBlock*, const Instruction*>> returns_;
};

}  // namespace

void InlineCall(Instruction& call, const Function& callee) { CallInliner(call, callee).Run(); }

}  // namespace ptxmir::ir
