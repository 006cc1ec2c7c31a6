// SPDX-License-Identifier: Apache-2.0

#include "ir/module.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/str_cat.h"
#include "ir/copy_to_arena.h"
#include "ir/ir_body_scan.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {

struct Module::Lazy {
  // Has its own mutex, because a reader copies strings while passes already look at what has been read.
  std::mutex strings_mutex;
  std::pmr::monotonic_buffer_resource strings;
  std::deque<ptx::TextBuffer> kept_texts;

  std::mutex mutex;  // guards all members below
  absl::flat_hash_map<MetadataId, const MetadataNode*> nodes;
  std::optional<std::vector<ModuleFlag>> flags;
  absl::flat_hash_map<GlobalId, std::unique_ptr<IrBody>> bodies;
  // The users of global N are users[user_begin[N]] up to users[user_begin[N + 1]], exclusive.
  bool users_known = false;
  std::vector<uint32_t> user_begin;
  std::vector<bool> is_mentioned_beyond_calls;  // by global: a function names it other than as a callee
  std::vector<GlobalId> users;
  bool annotations_known = false;
  absl::flat_hash_map<GlobalId, std::vector<NvvmAnnotation>> annotations;
};

const IrBlock* IrBody::FindNamed(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : &blocks[found->second];
}

const IrBlock* IrBody::FindNumbered(uint32_t number) const {
  const auto found = by_number.find(number);
  return found == by_number.end() ? nullptr : &blocks[found->second];
}

Module::Module()
    : types_(&arena_), lazy_(std::make_unique<Lazy>()), function_memory_(std::make_shared<ArenaChunkPool>()) {
  if (absl::StatusOr<DataLayout> layout = DataLayout::Parse(DataLayout::kNvptx64); layout.ok()) {
    data_layout_ = *std::move(layout);
  }
}

Module::~Module() = default;

void Module::KeepSource(std::shared_ptr<const SourceBuffer> source) { sources_.push_back(std::move(source)); }

std::string_view Module::KeepText(ptx::TextBuffer text) {
  const std::lock_guard<std::mutex> lock(lazy_->strings_mutex);
  return lazy_->kept_texts.emplace_back(std::move(text)).view();
}

std::string_view Module::CopyString(std::string_view text) {
  if (text.empty()) return {};
  const std::lock_guard<std::mutex> lock(lazy_->strings_mutex);
  char* copy = static_cast<char*>(lazy_->strings.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

GlobalId Module::AddGlobal(GlobalValue* value, std::string_view name, bool is_numbered) {
  value->name = name;
  value->is_numbered = is_numbered;
  const auto id = static_cast<GlobalId>(globals_.size());
  globals_.push_back(value);
  (is_numbered ? by_number_ : by_name_).emplace(name, id);
  return id;
}

GlobalValue* Module::FindGlobal(std::string_view name, bool is_numbered) {
  const auto& table = is_numbered ? by_number_ : by_name_;
  const auto found = table.find(name);
  return found == table.end() ? nullptr : globals_[found->second];
}

const IrFunction* Module::function(GlobalId id) const {
  return globals_[id]->is_function() ? static_cast<const IrFunction*>(globals_[id]) : nullptr;
}

const GlobalVariable* Module::variable(GlobalId id) const {
  return globals_[id]->is_variable() ? static_cast<const GlobalVariable*>(globals_[id]) : nullptr;
}

const GlobalAlias* Module::alias(GlobalId id) const {
  const bool is_alias = !globals_[id]->is_function() && !globals_[id]->is_variable();
  return is_alias ? static_cast<const GlobalAlias*>(globals_[id]) : nullptr;
}

IrFunction* Module::FindFunction(std::string_view name) {
  GlobalValue* value = FindGlobal(name);
  return value != nullptr && value->is_function() ? static_cast<IrFunction*>(value) : nullptr;
}

// Attributes.

const IrAttributeGroup* Module::FindAttributeGroup(uint32_t number) const {
  const auto found = attribute_group_index_.find(number);
  return found == attribute_group_index_.end() ? nullptr : &attribute_groups_[found->second];
}

const IrAttribute* Module::FindFunctionAttribute(const IrFunction& function, std::string_view name) const {
  if (const IrAttribute* own = function.attributes.Find(name); own != nullptr) return own;
  for (const uint32_t number : function.attribute_groups) {
    const IrAttributeGroup* group = FindAttributeGroup(number);
    if (group == nullptr) continue;
    if (const IrAttribute* found = group->attributes.Find(name); found != nullptr) return found;
  }
  return nullptr;
}

std::optional<std::string_view> Module::FunctionAttributeString(const IrFunction& function,
                                                                std::string_view name) const {
  const IrAttribute* found = FindFunctionAttribute(function, name);
  if (found == nullptr || !found->is_string) return std::nullopt;
  return found->value;
}

// Metadata. Nodes are parsed under the lock. Parsing creates types and constants in the module's arena, which has
// no visible effect.

const MetadataNode* Module::ParseMetadataLocked(std::string_view text) const {
  bool ok = true;
  IrParser parser(text, const_cast<Module&>(*this), [&ok](const char*, std::string) { ok = false; });
  const MetadataNode* node = parser.ParseMetadataNode();
  parser.ResolveGlobalReferences();
  return ok ? node : nullptr;
}

const MetadataNode* Module::MetadataLocked(MetadataId id) const {
  const std::string_view text = MetadataText(id);
  if (text.empty()) return nullptr;
  const auto [place, is_new] = lazy_->nodes.emplace(id, nullptr);
  if (is_new) {
    const MetadataNode* node = ParseMetadataLocked(text);
    lazy_->nodes[id] = node;
    return node;
  }
  return place->second;
}

const MetadataNode* Module::metadata(MetadataId id) const {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  return MetadataLocked(id);
}

std::string_view Module::MetadataText(MetadataId id) const {
  if (!created_metadata_.empty() && id >= created_metadata_.front().first) {
    const auto created = std::lower_bound(created_metadata_.begin(), created_metadata_.end(), id,
                                          [](const auto& entry, MetadataId wanted) { return entry.first < wanted; });
    return created == created_metadata_.end() || created->first != id ? std::string_view() : created->second;
  }
  TextRange range;
  if (id < metadata_ranges_.size()) {
    range = metadata_ranges_[id];
  } else if (const auto found = far_metadata_ranges_.find(id); found != far_metadata_ranges_.end()) {
    range = found->second;
  }
  return ir_text_.substr(range.begin, range.size);
}

// Returns false if the number is in use. Texts are below 4 GiB (SourceBuffer).
bool Module::AddMetadata(MetadataId id, std::string_view text) {
  if (HasMetadata(id)) return false;
  const TextRange range = {static_cast<uint32_t>(text.data() - ir_text_.data()), static_cast<uint32_t>(text.size())};
  ++num_metadata_;
  metadata_bound_ = std::max(metadata_bound_, id + 1);
  constexpr size_t kSlack = 4096;
  if (id < metadata_ranges_.size() || id < 4 * num_metadata_ + kSlack) {
    if (id >= metadata_ranges_.size()) {
      // Move nodes from the map into the table when the table reaches them.
      const size_t old_size = metadata_ranges_.size();
      metadata_ranges_.resize(std::max<size_t>(id + 1, old_size + old_size / 2));
      if (!far_metadata_ranges_.empty()) {
        for (const auto& [far_id, far_range] : far_metadata_ranges_) {
          if (far_id < metadata_ranges_.size()) metadata_ranges_[far_id] = far_range;
        }
      }
    }
    metadata_ranges_[id] = range;
  } else {
    far_metadata_ranges_.emplace(id, range);
  }
  return true;
}

const MetadataNode* Module::ParseInlineMetadata(std::string_view text) const {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  return ParseMetadataLocked(const_cast<Module*>(this)->CopyString(text));
}

void Module::InvalidateNamedMetadata() {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  lazy_->flags.reset();
  lazy_->annotations_known = false;
  lazy_->annotations.clear();
}

const NamedMetadata* Module::FindNamedMetadata(std::string_view name) const {
  for (const NamedMetadata& named : named_metadata_) {
    if (named.name == name) return &named;
  }
  return nullptr;
}

const std::vector<ModuleFlag>& Module::module_flags() const {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  if (lazy_->flags.has_value()) return *lazy_->flags;
  lazy_->flags.emplace();
  const NamedMetadata* named = FindNamedMetadata("llvm.module.flags");
  if (named == nullptr) return *lazy_->flags;
  for (const MetadataId id : named->nodes) {
    const MetadataNode* node = MetadataLocked(id);
    if (node == nullptr || node->operands.size() != 3) continue;
    const MetadataOperand& behavior = node->operands[0];
    if (behavior.constant == nullptr || !behavior.constant->is_integer()) continue;
    lazy_->flags->push_back({behavior.constant->SExtValue(), node->operands[1].text, node->operands[2]});
  }
  return *lazy_->flags;
}

const ModuleFlag* Module::FindModuleFlag(std::string_view name) const {
  for (const ModuleFlag& flag : module_flags()) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

std::optional<int64_t> Module::ModuleFlagInteger(std::string_view name) const {
  const ModuleFlag* flag = FindModuleFlag(name);
  if (flag == nullptr || flag->value.constant == nullptr || !flag->value.constant->is_integer()) {
    return std::nullopt;
  }
  return flag->value.constant->SExtValue();
}

std::optional<GlobalId> AnnotatedGlobal(const MetadataOperand& operand) {
  const IrConstant* constant = operand.constant;
  while (constant != nullptr && constant->kind == IrConstant::Kind::kExpression && constant->operands.size() == 1) {
    constant = constant->operands[0];
  }
  if (constant == nullptr || constant->kind != IrConstant::Kind::kGlobal) return std::nullopt;
  return constant->global;
}

void Module::ComputeAnnotationsLocked() const {
  lazy_->annotations_known = true;
  const NamedMetadata* named = FindNamedMetadata("nvvm.annotations");
  if (named == nullptr) return;
  for (const MetadataId id : named->nodes) {
    const MetadataNode* node = MetadataLocked(id);
    if (node == nullptr || node->operands.empty()) continue;
    const std::optional<GlobalId> global = AnnotatedGlobal(node->operands[0]);
    if (!global.has_value()) continue;
    std::vector<NvvmAnnotation>& annotations = lazy_->annotations[*global];
    for (size_t i = 1; i + 1 < node->operands.size(); i += 2) {
      const std::string_view key = node->operands[i].text;
      const MetadataOperand& value = node->operands[i + 1];
      const auto add = [&](const MetadataOperand& number) {
        if (number.constant == nullptr || !number.constant->is_integer()) return;
        annotations.push_back({key, static_cast<uint32_t>(number.constant->ZExtValue())});
      };
      const MetadataNode* list =
          value.kind == MetadataOperand::Kind::kNode ? MetadataLocked(value.node) : value.inline_node;
      if (list == nullptr) {
        add(value);
        continue;
      }
      for (const MetadataOperand& number : list->operands) add(number);
    }
  }
}

absl::Span<const NvvmAnnotation> Module::Annotations(GlobalId id) const {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  if (!lazy_->annotations_known) ComputeAnnotationsLocked();
  const auto found = lazy_->annotations.find(id);
  if (found == lazy_->annotations.end()) return {};
  return found->second;
}

// Bodies.

const IrBody& Module::body(const IrFunction& function) const {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  std::unique_ptr<IrBody>& body = lazy_->bodies[function.id()];
  if (body != nullptr) return *body;
  body = std::make_unique<IrBody>();
  uint32_t first_slot = 0;
  for (const IrParameter& parameter : function.parameters) {
    if (parameter.name.empty()) first_slot = parameter.slot + 1;
  }
  const auto add = [&](const IrBlock& block) {
    const auto index = static_cast<uint32_t>(body->blocks.size());
    if (block.name.empty()) {
      body->by_number.emplace(block.number, index);
    } else {
      body->by_name.emplace(block.name, index);
    }
    body->blocks.push_back(block);
  };
  for (const ScannedBlock& scanned : ScanBlocks(function.body_text, first_slot)) {
    IrBlock block{.name = scanned.label, .number = scanned.number, .loop = scanned.loop};
    if (scanned.is_quoted && block.name.find('\\') != block.name.npos) {
      block.name = const_cast<Module*>(this)->CopyString(UnescapeIrString(block.name));
    }
    add(block);
  }
  for (const IrBlock& block : function.loop_blocks) add(block);
  return *body;
}

void ForEachLoopMetadata(const IrFunction& function, absl::FunctionRef<void(MetadataId)> visit) {
  ScanLoopMetadata(function.body_text, visit);
  for (const IrBlock& block : function.loop_blocks) visit(*block.loop);
}

const IrBlock* Module::FindIrBlock(const IrFunction& function, std::string_view name, std::string_view ir_block) const {
  constexpr std::string_view kPrefix = "%ir-block.";
  const IrBody& blocks = body(function);
  if (ir_block.empty()) return name.empty() ? nullptr : blocks.FindNamed(name);
  if (ir_block.substr(0, kPrefix.size()) == kPrefix) ir_block.remove_prefix(kPrefix.size());
  uint64_t number;
  if (ParseIrDecimal(ir_block, ~uint32_t{0}, &number)) {
    return blocks.FindNumbered(static_cast<uint32_t>(number));
  }
  if (ir_block.size() >= 2 && ir_block.front() == '"' && ir_block.back() == '"') {
    return blocks.FindNamed(UnescapeIrString(ir_block.substr(1, ir_block.size() - 2)));
  }
  return blocks.FindNamed(ir_block);
}

// Users.

const IrConstant* InitialValueOf(const GlobalValue& value) {
  if (value.is_function()) return nullptr;
  return value.is_variable() ? static_cast<const GlobalVariable&>(value).initializer
                             : static_cast<const GlobalAlias&>(value).aliasee;
}

void Module::ComputeUsersLocked() const {
  lazy_->users_known = true;
  lazy_->is_mentioned_beyond_calls.assign(globals_.size(), false);
  std::vector<std::pair<GlobalId, GlobalId>> edges;  // pairs of used value and user
  std::vector<GlobalId> last_user(globals_.size(), ~GlobalId{0});
  for (const GlobalValue* value : globals_) {
    const GlobalId user = value->id();
    const auto add = [&](GlobalId used) {
      if (last_user[used] == user) return;
      last_user[used] = user;
      edges.emplace_back(used, user);
    };
    const auto add_mention = [&](GlobalId used, bool is_beyond_calls) {
      add(used);
      if (is_beyond_calls) lazy_->is_mentioned_beyond_calls[used] = true;
    };
    const auto add_named = [&](const GlobalMention& mention) {
      const std::string_view name = mention.name;
      const bool is_numbered = !mention.is_quoted && IsIrDigit(name[0]);
      const bool has_escapes = mention.is_quoted && name.find('\\') != name.npos;
      const GlobalValue* used = has_escapes ? FindGlobal(UnescapeIrString(name)) : FindGlobal(name, is_numbered);
      if (used != nullptr) add_mention(used->id(), !mention.is_callee);
    };
    if (const IrFunction* user_function = function(user); user_function != nullptr) {
      ScanMentions(user_function->tail_text, add_named);
      ScanMentions(user_function->body_text, add_named);
      for (const BodyMention& mention : user_function->mentions) add_mention(mention.global, mention.is_beyond_calls);
      continue;
    }
    const IrConstant* root = InitialValueOf(*value);
    if (root != nullptr) VisitGlobals(*root, add);
  }
  // A counting sort by the used value, which keeps the users ascending.
  lazy_->user_begin.assign(globals_.size() + 1, 0);
  for (const auto& [used, user] : edges) ++lazy_->user_begin[used + 1];
  for (size_t i = 0; i < globals_.size(); ++i) lazy_->user_begin[i + 1] += lazy_->user_begin[i];
  lazy_->users.resize(edges.size());
  std::vector<uint32_t> next(lazy_->user_begin.begin(), lazy_->user_begin.end() - 1);
  for (const auto& [used, user] : edges) lazy_->users[next[used]++] = user;
}

absl::Span<const GlobalId> Module::Users(GlobalId id) const {
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  if (!lazy_->users_known) ComputeUsersLocked();
  const uint32_t begin = lazy_->user_begin[id];
  return absl::MakeConstSpan(lazy_->users).subspan(begin, lazy_->user_begin[id + 1] - begin);
}

bool Module::IsAddressTaken(GlobalId id) const {
  for (const GlobalId user : Users(id)) {
    const GlobalValue& value = global_value(user);
    if (!value.is_function() && value.name != "llvm.used" && value.name != "llvm.compiler.used") return true;
  }
  const std::lock_guard<std::mutex> lock(lazy_->mutex);
  return lazy_->is_mentioned_beyond_calls[id];
}

void Module::InvalidateUsers() { lazy_->users_known = false; }

const IrFunction* Module::SoleUsingFunction(GlobalId id) const {
  const IrFunction* sole = nullptr;
  absl::flat_hash_set<GlobalId> seen = {id};
  std::vector<GlobalId> worklist = {id};
  while (!worklist.empty()) {
    const GlobalId used = worklist.back();
    worklist.pop_back();
    for (const GlobalId user : Users(used)) {
      if (const IrFunction* user_function = function(user); user_function != nullptr) {
        if (sole != nullptr && sole != user_function) return nullptr;
        sole = user_function;
      } else if (globals_[user]->name != "llvm.used" && seen.insert(user).second) {
        worklist.push_back(user);
      }
    }
  }
  return sole;
}

// Editing.

GlobalVariable& Module::CreateVariable(std::string_view name, const IrType* value_type, uint32_t address_space,
                                       Linkage linkage) {
  GlobalVariable& variable = variables_.emplace_back(static_cast<GlobalId>(globals_.size()));
  variable.value_type = value_type;
  variable.address_space = address_space;
  variable.linkage = linkage;
  AddGlobal(&variable, CopyString(name), false);
  InvalidateUsers();
  return variable;
}

IrFunction& Module::CreateFunction(std::string_view name, const IrType* function_type, Linkage linkage) {
  IrFunction& function = functions_.emplace_back(static_cast<GlobalId>(globals_.size()));
  function.value_type = function_type;
  function.linkage = linkage;
  for (const IrType* type : function_type->parameters()) {
    const auto slot = static_cast<uint32_t>(function.parameters.size());
    function.parameters.push_back({.type = type, .name = {}, .slot = slot, .attributes = {}});
  }
  AddGlobal(&function, CopyString(name), false);
  InvalidateUsers();
  return function;
}

GlobalAlias& Module::CreateAlias(GlobalValue::Kind kind, std::string_view name, const IrType* value_type,
                                 const IrConstant* aliasee, Linkage linkage) {
  GlobalAlias& alias = aliases_.emplace_back(kind, static_cast<GlobalId>(globals_.size()));
  alias.value_type = value_type;
  alias.aliasee = aliasee;
  alias.address_space = aliasee->type->address_space();
  alias.linkage = linkage;
  AddGlobal(&alias, CopyString(name), false);
  InvalidateUsers();
  return alias;
}

MetadataId Module::CreateMetadata(std::string_view text) {
  const MetadataId id = metadata_bound_++;
  created_metadata_.emplace_back(id, CopyString(text));
  return id;
}

NamedMetadata& Module::CreateNamedMetadata(std::string_view name) {
  for (NamedMetadata& named : named_metadata_) {
    if (named.name == name) return named;
  }
  NamedMetadata& created = named_metadata_.emplace_back();
  created.name = CopyString(name);
  return created;
}

void Module::RenameGlobal(GlobalValue& value, std::string_view name) {
  (value.is_numbered ? by_number_ : by_name_).erase(value.name);
  value.name = CopyString(name);
  value.is_numbered = false;
  value.MarkChanged();
  by_name_.emplace(value.name, value.id());
}

void Module::RemoveGlobal(GlobalValue& value) {
  (value.is_numbered ? by_number_ : by_name_).erase(value.name);
  value.is_removed_ = true;
  InvalidateUsers();
}

std::string Module::UniqueName(std::string_view base) const {
  std::string name(base);
  for (uint32_t suffix = 1; FindGlobal(name) != nullptr; ++suffix) name = StrCat(base, ".", suffix);
  return name;
}

const IrConstant* Module::NewConstant(const IrConstant& constant) {
  auto* copy = new (arena_.allocate(sizeof(IrConstant), alignof(IrConstant))) IrConstant(constant);
  copy->words = CopyToArena<uint64_t>(&arena_, constant.words);
  copy->operands = CopyToArena<const IrConstant*>(&arena_, constant.operands);
  return copy;
}

const IrConstant* Module::IntegerConstant(const IrType* type, uint64_t value) {
  std::vector<uint64_t> words((type->integer_width() + 63) / 64, 0);
  const uint32_t width = type->integer_width();
  words[0] = width < 64 ? value & ((uint64_t{1} << width) - 1) : value;
  return NewConstant({.kind = IrConstant::Kind::kInteger, .type = type, .words = words});
}

const IrConstant* Module::GlobalAddress(GlobalId id) {
  return NewConstant(
      {.kind = IrConstant::Kind::kGlobal, .global = id, .type = types_.Pointer(globals_[id]->address_space)});
}

const IrConstant* Module::ZeroInitializer(const IrType* type) {
  return NewConstant({.kind = IrConstant::Kind::kZeroInitializer, .type = type});
}

const IrConstant* Module::DataConstant(const IrType* type, absl::Span<const uint64_t> elements) {
  return NewConstant({.kind = IrConstant::Kind::kData, .type = type, .words = elements});
}

const IrConstant* Module::StringConstant(std::string_view bytes) {
  return NewConstant({.kind = IrConstant::Kind::kString,
                      .type = types_.Array(types_.Integer(8), bytes.size()),
                      .text = CopyString(bytes)});
}

}  // namespace ptxmir
