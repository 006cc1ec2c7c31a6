// SPDX-License-Identifier: Apache-2.0

// LinkState: the modules of a link and what has been decided about them. Internal to ir/link.

#ifndef PTXMIR_IR_LINK_LINK_STATE_H_
#define PTXMIR_IR_LINK_LINK_STATE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/diagnostics.h"
#include "ir/text/program_reader.h"

namespace ptxmir::ir {

class LinkState {
 public:
  explicit LinkState(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}

  bool Add(ProgramFile file, std::string name, bool only_needed);
  ProgramFile Finish();

 private:
  struct Input {
    ProgramFile file;
    std::string name;
    bool only_needed = false;
    std::vector<bool> is_taken;     // by GlobalId
    std::vector<Function*> bodies;  // by GlobalId
    absl::flat_hash_map<std::string, std::string> renamed_globals;
    absl::flat_hash_map<std::string, std::string> renamed_types;  // numbered ones with their number
    std::vector<MetadataId> metadata;                             // by number: the new one
    absl::flat_hash_map<uint32_t, uint32_t> groups;
    Module& module() const { return *file.module; }
  };
  // A value of one of the inputs.
  struct Symbol {
    uint32_t input = 0;
    GlobalId id = 0;
    friend bool operator==(Symbol a, Symbol b) { return a.input == b.input && a.id == b.id; }
  };

  GlobalValue& Value(Symbol symbol) { return inputs_[symbol.input].module().global_value(symbol.id); }
  bool Error(std::string message);

  // symbol_resolution.cc: which value a name stands for, and which values are taken.
  bool CheckTarget(const Input& input);
  bool Resolve(Symbol source);
  bool ShouldReplace(Symbol known, Symbol source, bool* replaces);
  bool CheckPair(const GlobalValue& a, const GlobalValue& b);
  void MergeProperties(GlobalValue& a, GlobalValue& b);
  bool ResolveComdats(uint32_t input);
  static void MakeDeclaration(GlobalValue& value);
  Symbol Target(Symbol symbol);
  void Take(Symbol symbol);
  void TakeReachable();
  void TakeMentionsOf(Symbol symbol);
  void TakeMentionsOf(uint32_t input, const IrConstant& constant);
  void TakeMentionsOf(uint32_t input, const Function& function);
  bool CheckTypes();

  // renaming.cc: names and numbers.
  void NameTypes();
  bool SameStructure(const IrType* a, const IrType* b, int depth,
                     absl::flat_hash_set<std::pair<const IrType*, const IrType*>>* assumed) const;
  void NameGlobals();
  std::string UniqueName(std::string_view base, absl::flat_hash_set<std::string>* taken);
  void NumberGroups();
  void NumberMetadata();
  MetadataId NumberNode(uint32_t input, MetadataId id, int depth);
  std::string Renamed(const Input& input, std::string_view text, bool renumbers) const;
  void RenumberBody(const Input& input, std::string_view body, std::string* out) const;
  void RewriteAttributes(Input& input);

  // linked_text.cc: the text.
  std::string Text();
  void AppendValue(Input& input, GlobalValue& value, std::string* out);
  void AppendAppending(std::string* out);
  void AppendNamedMetadata(std::string* out);
  bool MergeFlags();

  DiagnosticEngine& diagnostics_;
  std::vector<Input> inputs_;
  absl::flat_hash_map<std::string, Symbol> symbols_;
  std::vector<std::string> symbol_order_;
  absl::flat_hash_map<std::string, std::pair<uint32_t, std::string>> comdats_;  // the input and the selection
  std::map<std::string, std::vector<Symbol>> appending_;
  std::vector<Symbol> roots_;
  std::vector<Symbol> worklist_;
  absl::flat_hash_map<std::string, uint32_t> group_numbers_;  // by text
  std::vector<std::string> group_texts_;
  absl::flat_hash_map<std::string, MetadataId> node_numbers_;  // of nodes that are not distinct, by text
  std::vector<std::string> node_texts_;
  // Nodes that are nested too deeply to be compared: the input, the old and the new number.
  struct DeepNode {
    uint32_t input;
    MetadataId id;
    MetadataId number;
  };
  std::vector<DeepNode> deep_nodes_;
  // Module flags, in order.
  struct Flag {
    int64_t behavior = 0;
    std::string name;
    std::string value;
    bool is_integer = false;
    int64_t integer = 0;
    std::vector<std::string> list;
    std::string input;
  };
  bool MergeFlag(Flag source, std::vector<Flag>* requirements);
  Flag FlagOf(const Input& input, const ModuleFlag& flag) const;
  static std::string ValueText(const Flag& flag);
  std::vector<Flag> flags_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_LINK_LINK_STATE_H_
