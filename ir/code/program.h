// SPDX-License-Identifier: Apache-2.0

// Program: the code of a module. The module (ir/module.h) has the globals, types, metadata and signatures; the program
// has the bodies of the functions, and the tables that they share: attributes of calls, synchronization scopes, kinds
// of attachments, and metadata that is written in place.

#ifndef PTXMIR_IR_CODE_PROGRAM_H_
#define PTXMIR_IR_CODE_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/arena_chunk_pool.h"
#include "ir/code/function.h"
#include "ir/ir_attributes.h"
#include "ir/module.h"

namespace ptxmir::ir {

// Attributes as they are written in one place of a call: `noundef align 4`, or `nounwind #7` after the arguments.
struct AttributeSet {
  IrAttributes attributes;
  std::vector<uint32_t> groups;  // the numbers of #N
  std::string_view text;         // as written
};

class Program {
 public:
  // The module must live as long as the program.
  explicit Program(Module& module) : module_(module) {
    attribute_sets_.emplace_back();
    AddSyncScope("");
    AddSyncScope("singlethread");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Module& module() const { return module_; }
  // Returns the pool that gives functions the memory for their code.
  const std::shared_ptr<ArenaChunkPool>& function_memory() const { return function_memory_; }

  // The functions that have a body here, in the order of the module.
  const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
  Function& AddFunction(GlobalId id) { return *functions_.emplace_back(std::make_unique<Function>(*this, id)); }
  // Hands over all functions. None is left. The system gets the memory of those that are deleted.
  std::vector<std::unique_ptr<Function>> TakeFunctions() {
    function_memory_->Drain();
    return std::exchange(functions_, {});
  }

  // Destroys a function that nothing mentions. An external declaration is left of it, which means nothing.
  void EraseFunction(Function& function);

  const AttributeSet& attribute_set(AttributeSetId id) const { return attribute_sets_[id]; }
  AttributeSet& attribute_set(AttributeSetId id) { return attribute_sets_[id]; }
  size_t num_attribute_sets() const { return attribute_sets_.size(); }
  AttributeSetId AddAttributeSet(AttributeSet set) {
    attribute_sets_.push_back(std::move(set));
    return static_cast<AttributeSetId>(attribute_sets_.size() - 1);
  }

  // Scopes of atomics: their names as written. Returns kMaxSyncScope + 1 if there are too many.
  std::string_view sync_scope(SyncScopeId id) const { return sync_scopes_[id]; }
  size_t AddSyncScope(std::string_view name) { return Intern(name, sync_scopes_); }

  std::string_view metadata_kind(MetadataKindId id) const { return metadata_kinds_[id]; }
  MetadataKindId AddMetadataKind(std::string_view name) {
    const auto [place, is_new] = metadata_kind_ids_.emplace(name, static_cast<MetadataKindId>(metadata_kinds_.size()));
    if (is_new) metadata_kinds_.push_back(name);
    return place->second;
  }

  // The texts of nodes that are written in place: "!DIExpression()". Passes over functions may ask for texts and add
  // some at the same time; everything else in these tables only passes over the program may change.
  std::string_view metadata_text(MetadataRef node) const {
    const std::lock_guard<std::mutex> lock(metadata_mutex_);
    return metadata_texts_[node.text_index()];
  }
  size_t num_metadata_texts() const { return metadata_texts_.size(); }
  // Changes the text of a node that is written in place. Equal nodes are not joined.
  void SetMetadataText(size_t index, std::string_view text) { metadata_texts_[index] = text; }
  // `text` must live as long as the program.
  MetadataRef AddMetadataText(std::string_view text) {
    const std::lock_guard<std::mutex> lock(metadata_mutex_);
    return AddMetadataTextLocked(text);
  }
  // Copies the text.
  MetadataRef AddMetadataTextCopy(std::string_view text) {
    const std::lock_guard<std::mutex> lock(metadata_mutex_);
    const auto found = metadata_text_ids_.find(text);
    if (found != metadata_text_ids_.end()) return {found->second};
    return AddMetadataTextLocked(owned_texts_.emplace_back(text));
  }

 private:
  MetadataRef AddMetadataTextLocked(std::string_view text) {
    const auto [place, is_new] =
        metadata_text_ids_.emplace(text, static_cast<uint32_t>(metadata_texts_.size()) | MetadataRef::kInline);
    if (is_new) metadata_texts_.push_back(text);
    return {place->second};
  }

  // A linear search: there are few.
  static size_t Intern(std::string_view name, std::vector<std::string_view>& table) {
    for (size_t i = 0; i < table.size(); ++i) {
      if (table[i] == name) return i;
    }
    table.push_back(name);
    return table.size() - 1;
  }

  Module& module_;
  std::shared_ptr<ArenaChunkPool> function_memory_ = std::make_shared<ArenaChunkPool>(Arena::kChunkBytes);
  std::vector<std::unique_ptr<Function>> functions_;
  std::deque<AttributeSet> attribute_sets_;
  std::vector<std::string_view> sync_scopes_;
  std::vector<std::string_view> metadata_kinds_;
  absl::flat_hash_map<std::string_view, MetadataKindId> metadata_kind_ids_;
  mutable std::mutex metadata_mutex_;  // guards the next three
  std::deque<std::string> owned_texts_;
  std::vector<std::string_view> metadata_texts_;
  absl::flat_hash_map<std::string_view, uint32_t> metadata_text_ids_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_PROGRAM_H_
