// SPDX-License-Identifier: Apache-2.0

// Module: the embedded IR module of a MIR file (`--- |`), with types, global variables, function signatures,
// attributes and metadata. It also owns the machine functions.
//
// Names and texts are views into the source text, which the module keeps alive; nothing is copied. Bodies of IR
// functions are not parsed. They stay text, and a fast scan finds what the backend needs from them: block names,
// loop metadata, and the globals that they mention. A program (ir/code/program.h) may say these instead of texts.
//
// Writing back. Every top-level entity knows its position in the source. Unchanged entities are written exactly as
// they were, byte for byte, including the comments and blank lines between them. Entities that were changed
// (MarkChanged) or created are printed from their data.
//
// A module that is built without IR text (module_document.h, or the Create functions) is the same, but without a
// source.
//
// Thread safety: const members may be called from several threads at once; a mutex guards results that are
// computed on demand. All other members need exclusive access to the module.

#ifndef PTXMIR_IR_MODULE_H_
#define PTXMIR_IR_MODULE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/arena_chunk_pool.h"
#include "base/diagnostics.h"
#include "base/text_buffer.h"
#include "ir/ids.h"
#include "ir/ir_attributes.h"
#include "ir/ir_constant.h"
#include "ir/ir_data_layout.h"
#include "ir/ir_metadata.h"
#include "ir/ir_type.h"

namespace ptxmir {

class MachineFunction;
class Module;

// Destroys the machine functions of a module. Code that hands over a machine function also supplies its deleter,
// so that IR does not depend on machine code.
class MachineFunctionDeleter {
 public:
  MachineFunctionDeleter() = default;
  template <typename T>
  MachineFunctionDeleter(std::default_delete<T>)
      : destroy_([](MachineFunction* function) { delete static_cast<T*>(function); }) {}  // NOLINT
  void operator()(MachineFunction* function) const { destroy_(function); }

 private:
  void (*destroy_)(MachineFunction*) = nullptr;
};
using OwnedMachineFunction = std::unique_ptr<MachineFunction, MachineFunctionDeleter>;

enum class Linkage : uint8_t {
  kExternal,
  kAvailableExternally,
  kLinkOnce,
  kLinkOnceOdr,
  kWeak,
  kWeakOdr,
  kAppending,
  kInternal,
  kPrivate,
  kExternWeak,
  kCommon,
};
// Returns LLVM's spelling; empty for kExternal.
std::string_view LinkageName(Linkage linkage);

enum class Visibility : uint8_t { kDefault, kHidden, kProtected };
enum class UnnamedAddr : uint8_t { kNone, kLocal, kGlobal };
enum class ThreadLocalMode : uint8_t { kNone, kGeneralDynamic, kLocalDynamic, kInitialExec, kLocalExec };
enum class DllStorage : uint8_t { kDefault, kImport, kExport };

// LLVM's numbers for the calling conventions that matter here.
namespace calling_convention {
inline constexpr uint32_t kC = 0;
inline constexpr uint32_t kFast = 8;
inline constexpr uint32_t kCold = 9;
inline constexpr uint32_t kPtxKernel = 71;
inline constexpr uint32_t kPtxDevice = 72;
}  // namespace calling_convention
// Returns LLVM's keyword ("ptx_kernel"). Empty for kC and for conventions that are written "cc N".
std::string_view CallingConventionName(uint32_t number);

// The properties that all global values share.
class GlobalValue {
 public:
  enum class Kind : uint8_t { kVariable, kFunction, kAlias, kIFunc };

  GlobalValue(Kind kind, GlobalId id) : kind_(kind), id_(id) {}

  Kind kind() const { return kind_; }
  bool is_variable() const { return kind_ == Kind::kVariable; }
  bool is_function() const { return kind_ == Kind::kFunction; }
  GlobalId id() const { return id_; }
  bool has_local_linkage() const { return linkage == Linkage::kInternal || linkage == Linkage::kPrivate; }
  // Must be called after a member was changed, so that the entity is printed from its data.
  void MarkChanged() { is_changed_ = true; }
  bool is_changed() const { return is_changed_; }
  // Returns true after Module::RemoveGlobal: the value is no longer printed or found by name. Its id stays taken.
  bool is_removed() const { return is_removed_; }

  // The name, unescaped and without '@'. For a value with a number for a name (@0): the digits.
  std::string_view name;
  bool is_numbered = false;
  Linkage linkage = Linkage::kExternal;
  Visibility visibility = Visibility::kDefault;
  DllStorage dll_storage = DllStorage::kDefault;
  UnnamedAddr unnamed_addr = UnnamedAddr::kNone;
  ThreadLocalMode thread_local_mode = ThreadLocalMode::kNone;
  bool dso_local = false;
  uint32_t address_space = 0;
  // The type of the variable, function or aliased value.
  const IrType* value_type = nullptr;
  std::string_view section;  // unescaped; empty if none
  std::string_view partition;
  std::string_view comdat;  // unescaped, without '$'; empty if none
  uint64_t align = 0;       // in bytes; 0 if not stated
  std::vector<MetadataAttachment> metadata;
  // The text of the value in the source, which also serves as a position for diagnostics. Empty for created
  // values.
  std::string_view source_text;

  // Returns null if there is no attachment of that kind.
  const MetadataAttachment* FindMetadata(std::string_view attachment_kind) const {
    for (const MetadataAttachment& attachment : metadata) {
      if (attachment.kind == attachment_kind) return &attachment;
    }
    return nullptr;
  }

 private:
  friend class Module;

  Kind kind_;
  bool is_changed_ = false;
  bool is_removed_ = false;
  GlobalId id_;
};

class GlobalVariable : public GlobalValue {
 public:
  explicit GlobalVariable(GlobalId id) : GlobalValue(Kind::kVariable, id) {}

  bool is_constant = false;
  bool externally_initialized = false;
  const IrConstant* initializer = nullptr;  // null for a declaration
  IrAttributes attributes;                  // only inline ones
  std::vector<uint32_t> attribute_groups;   // the numbers of #N
  std::string_view code_model;
  std::string_view sanitizer_text;  // no_sanitize_address, sanitize_memtag ..., as written

  bool is_declaration() const { return initializer == nullptr; }
};

class GlobalAlias : public GlobalValue {
 public:
  GlobalAlias(Kind kind, GlobalId id) : GlobalValue(kind, id) {}
  const IrConstant* aliasee = nullptr;  // for an ifunc: the resolver
};

struct IrParameter {
  const IrType* type = nullptr;
  std::string_view name;  // unescaped, without '%'; empty if the parameter is %slot
  uint32_t slot = 0;      // for unnamed parameters
  IrAttributes attributes;

  // Returns the type that byval passes, or null if the parameter is not byval.
  const IrType* ByValType() const { return attributes.Type("byval"); }
};

// A basic block of an IR function's body.
struct IrBlock {
  std::string_view name;           // unescaped; empty if the block has a number
  uint32_t number = 0;             // slot number, if unnamed
  std::optional<MetadataId> loop;  // the !llvm.loop of its terminator
};

struct IrBody {
  std::vector<IrBlock> blocks;

  // Return null if there is no such block.
  const IrBlock* FindNamed(std::string_view name) const;
  const IrBlock* FindNumbered(uint32_t number) const;

  absl::flat_hash_map<std::string_view, uint32_t> by_name;
  absl::flat_hash_map<uint32_t, uint32_t> by_number;
};

// The mention of a global value in a body.
struct BodyMention {
  GlobalId global = 0;
  bool is_beyond_calls = false;  // whether it is named other than as a callee
};

class IrFunction : public GlobalValue {
 public:
  explicit IrFunction(GlobalId id) : GlobalValue(Kind::kFunction, id) {}

  bool is_declaration() const { return !has_body; }
  bool is_definition() const { return has_body; }
  const IrType* return_type() const { return value_type->return_type(); }
  bool is_vararg() const { return value_type->is_vararg(); }
  // Returns true for @llvm.* functions.
  bool is_intrinsic() const { return name.substr(0, 5) == "llvm."; }

  bool has_body = false;
  // Whether the function was made for a machine function in a file without IR, from its signature or from nothing.
  // Such a function is not part of any IR text.
  bool is_implied = false;
  uint32_t calling_convention = calling_convention::kC;
  IrAttributes return_attributes;
  std::vector<IrParameter> parameters;
  IrAttributes attributes;                 // inline function attributes
  std::vector<uint32_t> attribute_groups;  // the numbers of #N
  std::string_view gc;
  std::string_view tail_text;  // prefix, prologue, personality, partition ..., as written
  // From '{' to '}', including both. May be empty for a definition. The next two then say what is asked of its body.
  std::string_view body_text;
  absl::Span<const BodyMention> mentions;  // each global value once
  absl::Span<const IrBlock> loop_blocks;   // the blocks that name a loop
};

// Returns the constant that a variable begins with or an alias stands for. Null if there is none.
const IrConstant* InitialValueOf(const GlobalValue& value);

// Calls `visit` with the number of every node that the body names as !llvm.loop. Much faster than Module::body.
void ForEachLoopMetadata(const IrFunction& function, absl::FunctionRef<void(MetadataId)> visit);

// Attribute groups, named metadata and comdats: `source_text` is empty for created ones, and is_changed must be set
// after a member was changed. A group and named metadata may have several definitions; all but the first are in
// `more_source_texts`.
struct IrAttributeGroup {
  uint32_t number = 0;
  IrAttributes attributes;
  std::string_view source_text;
  std::vector<std::string_view> more_source_texts = {};
  bool is_changed = false;
};

struct NamedMetadata {
  std::string_view name;  // unescaped, without '!': "nvvm.annotations"
  std::vector<MetadataId> nodes;
  std::string_view source_text;
  std::vector<std::string_view> more_source_texts = {};
  bool is_changed = false;
};

struct Comdat {
  std::string_view name;       // unescaped, without '$'
  std::string_view selection;  // "any", "largest" ...
  std::string_view source_text;
};

// One pair of !nvvm.annotations: !{ptr @k, !"maxntidx", i32 256}. A list of parameters (!{ptr @k,
// !"grid_constant", !{i32 1, i32 3}}) gives one pair per parameter.
struct NvvmAnnotation {
  std::string_view key;
  uint32_t value = 0;
};

// Returns the global that an annotation is about, which the first operand of its node gives: its address or a cast of
// it.
std::optional<GlobalId> AnnotatedGlobal(const MetadataOperand& operand);

// One flag of !llvm.module.flags.
struct ModuleFlag {
  int64_t behavior = 0;
  std::string_view name;
  MetadataOperand value;
};

class Module {
 public:
  Module();
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Keeps a source text alive. All that is read from a buffer holds views into it, so call this before reading.
  void KeepSource(std::shared_ptr<const SourceBuffer> source);
  const std::vector<std::shared_ptr<const SourceBuffer>>& sources() const { return sources_; }
  // Returns the text that the IR was read from; empty if the module has no IR.
  std::string_view ir_text() const { return ir_text_; }
  bool has_ir_text() const { return ir_text_.data() != nullptr; }
  // Returns true if the text is from a module document (module_document.h) instead of an IR document.
  bool has_module_document() const { return has_module_document_; }
  void set_has_module_document() { has_module_document_ = true; }
  // The subtarget that a module document names; empty if it names none.
  std::string_view document_cpu;
  std::string_view document_features;
  // Returns true if PrintIr has anything to write.
  bool HasIr() const;
  // Returns the buffer that contains the IR text, or null if the module has none.
  const SourceBuffer* ir_source() const { return ir_source_; }

  // Copies a string into memory that lives as long as the module.
  std::string_view CopyString(std::string_view text);
  // Keeps a text as long as the module lives.
  std::string_view KeepText(ptx::TextBuffer text);
  std::pmr::memory_resource* arena() { return &arena_; }

  std::string_view source_filename() const { return source_filename_; }
  void set_source_filename(std::string_view name) { source_filename_ = name; }
  std::string_view target_triple() const { return target_triple_; }
  // Sets the triple without copying it.
  void set_target_triple(std::string_view triple) {
    target_triple_ = triple;
    triple_changed_ = true;
  }
  // Returns the data layout: NVPTX's 64-bit layout until another one is set.
  const DataLayout& data_layout() const { return data_layout_; }
  bool has_explicit_data_layout() const { return has_explicit_data_layout_; }
  void set_data_layout(DataLayout layout) {
    data_layout_ = std::move(layout);
    has_explicit_data_layout_ = true;
    layout_changed_ = true;
  }
  // Returns the lines of `module asm`, unescaped.
  const std::vector<std::string_view>& module_asm() const { return module_asm_; }
  std::vector<std::string_view>& mutable_module_asm() { return module_asm_; }

  IrTypeTable& types() { return types_; }
  const IrTypeTable& types() const { return types_; }

  // Global values, in the order of the module's text, followed by created ones. The index is the GlobalId.
  absl::Span<GlobalValue* const> global_values() { return globals_; }
  absl::Span<const GlobalValue* const> global_values() const {
    return absl::MakeConstSpan(const_cast<const GlobalValue* const*>(globals_.data()), globals_.size());
  }
  GlobalValue& global_value(GlobalId id) { return *globals_[id]; }
  const GlobalValue& global_value(GlobalId id) const { return *globals_[id]; }
  bool HasGlobal(GlobalId id) const { return id < globals_.size(); }
  // Returns the value with this unescaped name or, for an unnamed value, this number. Null if there is none.
  GlobalValue* FindGlobal(std::string_view name, bool is_numbered = false);
  const GlobalValue* FindGlobal(std::string_view name, bool is_numbered = false) const {
    return const_cast<Module*>(this)->FindGlobal(name, is_numbered);
  }
  // Return null if the value is of another kind.
  const IrFunction* function(GlobalId id) const;
  const GlobalVariable* variable(GlobalId id) const;
  const GlobalAlias* alias(GlobalId id) const;
  IrFunction* FindFunction(std::string_view name);
  const IrFunction* FindFunction(std::string_view name) const { return const_cast<Module*>(this)->FindFunction(name); }
  // The values of each kind, in module order.
  const std::deque<GlobalVariable>& variables() const { return variables_; }
  const std::deque<IrFunction>& functions() const { return functions_; }
  const std::deque<GlobalAlias>& aliases() const { return aliases_; }

  // Returns an attribute of a function: one of its own or, failing that, one of its groups. Null if there is none.
  const IrAttribute* FindFunctionAttribute(const IrFunction& function, std::string_view name) const;
  bool HasFunctionAttribute(const IrFunction& function, std::string_view name) const {
    return FindFunctionAttribute(function, name) != nullptr;
  }
  // Returns the value of a string attribute ("target-cpu").
  std::optional<std::string_view> FunctionAttributeString(const IrFunction& function, std::string_view name) const;
  const IrAttributeGroup* FindAttributeGroup(uint32_t number) const;
  const std::vector<IrAttributeGroup>& attribute_groups() const { return attribute_groups_; }
  std::vector<IrAttributeGroup>& mutable_attribute_groups() { return attribute_groups_; }
  const std::vector<Comdat>& comdats() const { return comdats_; }

  // Metadata. metadata() returns null if the module does not define the number or the node is malformed.
  const MetadataNode* metadata(MetadataId id) const;
  bool HasMetadata(MetadataId id) const { return !MetadataText(id).empty(); }
  // Returns the right-hand side of "!N = ...", as written; empty if there is none.
  std::string_view MetadataText(MetadataId id) const;
  // Parses an inline node of machine code: "!DIExpression(DW_OP_deref)". Returns null if it is malformed.
  const MetadataNode* ParseInlineMetadata(std::string_view text) const;
  // Returns the largest number in use plus 1.
  MetadataId metadata_bound() const { return metadata_bound_; }
  const NamedMetadata* FindNamedMetadata(std::string_view name) const;
  const std::vector<NamedMetadata>& named_metadata() const { return named_metadata_; }
  // InvalidateNamedMetadata must be called after a change.
  std::vector<NamedMetadata>& mutable_named_metadata() { return named_metadata_; }
  void InvalidateNamedMetadata();
  // Returns the entries of !nvvm.annotations for a global value, as (key, value) pairs in order.
  absl::Span<const NvvmAnnotation> Annotations(GlobalId id) const;
  // Returns the flags of !llvm.module.flags, in order.
  const std::vector<ModuleFlag>& module_flags() const;
  const ModuleFlag* FindModuleFlag(std::string_view name) const;
  // Returns the value of an integer flag, or nullopt if there is none.
  std::optional<int64_t> ModuleFlagInteger(std::string_view name) const;

  // Returns the blocks of a function's body, which is scanned on first use. Empty for declarations. Of a body without
  // text, only the blocks that name a loop are known.
  const IrBody& body(const IrFunction& function) const;
  // Returns the IR block that a machine block came from. `name` ("for.body") and `ir_block` (the spelling
  // "%ir-block.7") are those of MachineBasicBlock. Null if body() has none.
  const IrBlock* FindIrBlock(const IrFunction& function, std::string_view name, std::string_view ir_block) const;

  // Returns the users of a global value: functions that mention it in their bodies, and other global values that
  // mention it in their initializers (or as aliasee). Each is listed once, ascending. Mentions in metadata do not
  // count. Computed once for the whole module, in linear time.
  absl::Span<const GlobalId> Users(GlobalId id) const;
  // Returns true if code may call the function without knowing that it does: if anything but llvm.used,
  // llvm.compiler.used and a call of it by name mentions it.
  bool IsAddressTaken(GlobalId id) const;
  // Must be called after an initializer was changed. Functions that create values call it themselves.
  void InvalidateUsers();
  // Returns the only function that uses the value in its body, directly or through initializers of other globals
  // (llvm.used does not count). Null if there are none or several. If there is one, a shared variable is declared
  // inside that function.
  const IrFunction* SoleUsingFunction(GlobalId id) const;

  // Machine functions, in the order of the file.
  std::vector<OwnedMachineFunction>& machine_functions() { return machine_functions_; }
  const std::vector<OwnedMachineFunction>& machine_functions() const { return machine_functions_; }
  // Returns the pool that gives machine functions and their DAGs the memory for their code.
  const std::shared_ptr<ArenaChunkPool>& function_memory() const { return function_memory_; }

  // Editing. Names must not be in use (see UniqueName). They are copied.
  GlobalVariable& CreateVariable(std::string_view name, const IrType* value_type, uint32_t address_space,
                                 Linkage linkage);
  IrFunction& CreateFunction(std::string_view name, const IrType* function_type, Linkage linkage);
  GlobalAlias& CreateAlias(GlobalValue::Kind kind, std::string_view name, const IrType* value_type,
                           const IrConstant* aliasee, Linkage linkage);
  // Makes a node of a text such as "!{i32 1}", which is copied. It must be well formed.
  MetadataId CreateMetadata(std::string_view text);
  // Adds an entry, or returns the one that exists.
  NamedMetadata& CreateNamedMetadata(std::string_view name);
  // Gives a value another name. Its text and the bodies that mention it are printed from their data afterwards only
  // if they are marked as changed.
  void RenameGlobal(GlobalValue& value, std::string_view name);
  // Takes a value out of the module. Nothing may mention it.
  void RemoveGlobal(GlobalValue& value);
  // Returns `base`, or `base` followed by ".N" if it is already in use.
  std::string UniqueName(std::string_view base) const;
  // Create constants in the module's arena.
  const IrConstant* IntegerConstant(const IrType* type, uint64_t value);
  const IrConstant* GlobalAddress(GlobalId id);
  const IrConstant* ZeroInitializer(const IrType* type);
  const IrConstant* DataConstant(const IrType* type, absl::Span<const uint64_t> elements);
  const IrConstant* StringConstant(std::string_view bytes);
  // Copies a constant into the arena.
  const IrConstant* NewConstant(const IrConstant& constant);

  // Appends the IR text with all changes since it was read. For an unchanged module this is ir_text(). Added lines
  // have the indentation of that text or, if there is none, `indent`.
  void PrintIr(std::string* out, std::string_view indent = {}) const;
  std::string IrToString() const {
    std::string out;
    PrintIr(&out);
    return out;
  }

 private:
  friend class IrReader;

  struct Lazy;  // the results that are computed on demand, with their mutex

  GlobalId AddGlobal(GlobalValue* value, std::string_view name, bool is_numbered);
  const MetadataNode* ParseMetadataLocked(std::string_view text) const;
  const MetadataNode* MetadataLocked(MetadataId id) const;
  void ComputeUsersLocked() const;
  void ComputeAnnotationsLocked() const;

  std::pmr::monotonic_buffer_resource arena_;
  std::vector<std::shared_ptr<const SourceBuffer>> sources_;
  const SourceBuffer* ir_source_ = nullptr;
  std::string_view ir_text_;
  bool has_module_document_ = false;
  std::string_view source_filename_;
  std::string_view target_triple_;
  DataLayout data_layout_;
  bool has_explicit_data_layout_ = false;
  // The two target lines of the source, and whether they differ from the module's current values.
  std::string_view triple_source_text_;
  std::string_view layout_source_text_;
  bool triple_changed_ = false;
  bool layout_changed_ = false;
  // The number of named structures that the source defines. The others were created.
  size_t num_source_structs_ = 0;
  std::vector<std::string_view> module_asm_;
  IrTypeTable types_;
  std::deque<GlobalVariable> variables_;
  std::deque<IrFunction> functions_;
  std::deque<GlobalAlias> aliases_;
  std::vector<GlobalValue*> globals_;
  absl::flat_hash_map<std::string_view, GlobalId> by_name_;
  absl::flat_hash_map<std::string_view, GlobalId> by_number_;
  std::vector<IrAttributeGroup> attribute_groups_;
  absl::flat_hash_map<uint32_t, uint32_t> attribute_group_index_;
  std::vector<Comdat> comdats_;
  std::vector<NamedMetadata> named_metadata_;
  // The positions of numbered nodes in the IR text: a table by number. Nodes with numbers far beyond the number of
  // nodes are in a map instead.
  struct TextRange {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  bool AddMetadata(MetadataId id, std::string_view text);
  std::vector<TextRange> metadata_ranges_;
  absl::flat_hash_map<MetadataId, TextRange> far_metadata_ranges_;
  size_t num_metadata_ = 0;
  MetadataId metadata_bound_ = 0;
  std::vector<std::pair<MetadataId, std::string_view>> created_metadata_;  // ascending
  std::unique_ptr<Lazy> lazy_;
  std::shared_ptr<ArenaChunkPool> function_memory_;
  std::vector<OwnedMachineFunction> machine_functions_;
};

// Prints a global value from its data, as one entity of IR text.
std::string ToString(const Module& module, const GlobalValue& value);
// Returns a function without its body: "define ptx_kernel void @k(ptr %p)".
std::string SignatureToString(const Module& module, const IrFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_IR_MODULE_H_
