// SPDX-License-Identifier: Apache-2.0

// The part of LinkState that writes the linked module.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/link/link_state.h"
#include "ir/link/linker.h"
#include "ir/text/program_writer.h"

namespace ptxmir::ir {
namespace {

void AppendQuotedLine(std::string_view keyword, std::string_view text, std::string* out) {
  StrAppend(out, keyword, " \"");
  AppendEscapedIrString(text, out);
  out->append("\"\n");
}

}  // namespace

void LinkState::AppendValue(Input& input, GlobalValue& value, std::string* out) {
  Module& module = input.module();
  for (MetadataAttachment& attachment : value.metadata) {
    if (!attachment.text.empty()) {
      attachment.text = module.CopyString(Renamed(input, attachment.text, /*renumbers=*/true));
    } else if (attachment.node < input.metadata.size()) {
      attachment.node = input.metadata[attachment.node];
    }
  }
  const auto renumber = [&](std::vector<uint32_t>& groups) {
    for (uint32_t& group : groups) {
      if (const auto found = input.groups.find(group); found != input.groups.end()) group = found->second;
    }
  };
  if (value.is_function()) {
    auto& function = static_cast<IrFunction&>(value);
    renumber(function.attribute_groups);
    if (!function.tail_text.empty()) {
      function.tail_text = module.CopyString(Renamed(input, function.tail_text, /*renumbers=*/true));
    }
    if (Function* body = input.bodies[value.id()]; body != nullptr && function.has_body) {
      std::string written, renumbered;
      WriteBody(*body, &written);
      RenumberBody(input, written, &renumbered);
      function.body_text = module.CopyString(renumbered);
    }
  } else if (value.is_variable()) {
    renumber(static_cast<GlobalVariable&>(value).attribute_groups);
  }
  StrAppend(out, ToString(module, value), "\n");
}

// Joins llvm.used and the like: the elements of all modules, one after the other.
void LinkState::AppendAppending(std::string* out) {
  for (const auto& [name, parts] : appending_) {
    std::string elements;
    uint64_t count = 0;
    std::string element_type;
    bool ok = true;
    for (const Symbol part : parts) {
      const auto& variable = static_cast<const GlobalVariable&>(Value(part));
      if (!variable.is_variable() || !variable.value_type->is_array() || variable.initializer == nullptr) {
        ok = Error(StrCat("linking globals named '", name, "': an appending variable must be an array with a value"));
        continue;
      }
      const std::string type = variable.value_type->element()->ToString();
      if (!element_type.empty() && element_type != type) {
        ok = Error(StrCat("appending variables named '", name, "' with different element types need to be linked: '",
                          element_type, "' and '", type, "'"));
      }
      element_type = type;
      count += variable.value_type->num_elements();
      if (variable.initializer->kind == IrConstant::Kind::kAggregate) {
        for (const IrConstant* element : variable.initializer->operands) {
          StrAppend(&elements, elements.empty() ? "" : ", ", ToStringWithType(inputs_[part.input].module(), *element));
        }
      } else {
        for (uint64_t i = 0; i < variable.value_type->num_elements() && i < 65536; ++i) {
          StrAppend(&elements, elements.empty() ? "" : ", ", type, " zeroinitializer");
        }
      }
    }
    if (!ok) continue;
    const auto& first = static_cast<const GlobalVariable&>(Value(parts[0]));
    AppendIrName('@', name, out);
    StrAppend(out, " = appending ");
    if (first.address_space != 0) StrAppend(out, "addrspace(", first.address_space, ") ");
    StrAppend(out, first.is_constant ? "constant [" : "global [", count, " x ", element_type, "] [", elements, "]");
    if (!first.section.empty()) {
      out->append(", section \"");
      AppendEscapedIrString(first.section, out);
      out->push_back('"');
    }
    out->push_back('\n');
  }
}

void LinkState::AppendNamedMetadata(std::string* out) {
  std::vector<std::string> order;
  absl::flat_hash_map<std::string, std::vector<MetadataId>> nodes;
  for (const Input& input : inputs_) {
    for (const NamedMetadata& named : input.module().named_metadata()) {
      if (named.name == "llvm.module.flags") continue;
      const auto [place, is_new] = nodes.try_emplace(std::string(named.name));
      if (is_new) order.emplace_back(named.name);
      for (const MetadataId id : named.nodes) {
        if (id >= input.metadata.size()) continue;
        // The subject of an annotation may not be there.
        const MetadataId node = input.metadata[id];
        const std::string_view subject = std::string_view(node_texts_[node]).substr(0, node_texts_[node].find(','));
        const bool is_lost = subject.size() > 5 && subject.substr(subject.size() - 5) == " null";
        if (named.name == "nvvm.annotations" && is_lost) continue;
        // As in LLVM, what other modules have already is not added again.
        std::vector<MetadataId>& known = place->second;
        const bool is_first = &input == inputs_.data();
        if (!is_first && std::find(known.begin(), known.end(), node) != known.end()) continue;
        known.push_back(node);
      }
    }
  }
  for (const std::string& name : order) {
    out->push_back('!');
    AppendIrMetadataName(name, out);
    out->append(" = !{");
    const std::vector<MetadataId>& ids = nodes[name];
    for (size_t i = 0; i < ids.size(); ++i) StrAppend(out, i == 0 ? "!" : ", !", ids[i]);
    out->append("}\n");
  }
  if (flags_.empty()) return;
  out->append("!llvm.module.flags = !{");
  std::string definitions;
  auto number = static_cast<MetadataId>(node_texts_.size());
  for (size_t i = 0; i < flags_.size(); ++i) {
    const Flag& flag = flags_[i];
    StrAppend(out, i == 0 ? "!" : ", !", number);
    StrAppend(&definitions, "!", number++, " = !{i32 ", flag.behavior, ", !\"");
    AppendEscapedIrString(flag.name, &definitions);
    StrAppend(&definitions, "\", ", ValueText(flag), "}\n");
  }
  StrAppend(out, "}\n", definitions);
}

std::string LinkState::Text() {
  std::string out;
  const Module& first = inputs_[0].module();
  if (!first.source_filename().empty()) AppendQuotedLine("source_filename =", first.source_filename(), &out);
  for (const Input& input : inputs_) {
    if (!input.module().has_explicit_data_layout()) continue;
    AppendQuotedLine("target datalayout =", input.module().data_layout().text(), &out);
    break;
  }
  for (const Input& input : inputs_) {
    if (input.module().target_triple().empty()) continue;
    AppendQuotedLine("target triple =", input.module().target_triple(), &out);
    break;
  }
  for (const Input& input : inputs_) {
    for (const std::string_view line : input.module().module_asm()) AppendQuotedLine("module asm", line, &out);
  }
  absl::flat_hash_set<std::string> written;
  for (const Input& input : inputs_) {
    for (const IrType* type : input.module().types().named_structs()) {
      if (!written.insert(std::string(type->name())).second) continue;
      StrAppend(&out, type->ToString(), " = ", type->is_opaque() ? "type opaque" : type->DefinitionToString(), "\n");
    }
  }
  absl::flat_hash_set<std::string> comdats;
  for (const Input& input : inputs_) {
    for (const GlobalValue* value : input.module().global_values()) {
      if (!value->comdat.empty() && input.is_taken[value->id()]) comdats.insert(std::string(value->comdat));
    }
  }
  for (const Input& input : inputs_) {
    for (const Comdat& comdat : input.module().comdats()) {
      if (comdats.erase(std::string(comdat.name)) == 0) continue;
      AppendIrName('$', comdat.name, &out);
      StrAppend(&out, " = comdat ", comdat.selection, "\n");
    }
  }
  for (const bool functions : {false, true}) {
    for (Input& input : inputs_) {
      for (GlobalValue* value : input.module().global_values()) {
        if (input.is_taken[value->id()] && value->is_function() == functions) AppendValue(input, *value, &out);
      }
    }
    if (!functions) AppendAppending(&out);
  }
  for (size_t i = 0; i < group_texts_.size(); ++i) {
    StrAppend(&out, "attributes #", i, " = { ", group_texts_[i], " }\n");
  }
  AppendNamedMetadata(&out);
  for (size_t i = 0; i < node_texts_.size(); ++i) StrAppend(&out, "!", i, " = ", node_texts_[i], "\n");
  return out;
}

ProgramFile LinkState::Finish() {
  if (inputs_.empty() || diagnostics_.has_errors()) return {};
  TakeReachable();
  NameTypes();
  NameGlobals();
  if (!CheckTypes()) return {};
  for (Input& input : inputs_) RewriteAttributes(input);
  NumberGroups();
  NumberMetadata();
  if (!MergeFlags()) return {};
  std::string text = Text();
  if (diagnostics_.has_errors()) return {};
  return ReadProgram(std::make_shared<SourceBuffer>("<linked>", text), diagnostics_);
}

Linker::Linker(DiagnosticEngine& diagnostics) : state_(std::make_unique<LinkState>(diagnostics)) {}
Linker::~Linker() = default;

bool Linker::Add(ProgramFile file, std::string name, bool only_needed) {
  return state_->Add(std::move(file), std::move(name), only_needed);
}

ProgramFile Linker::Finish() { return state_->Finish(); }

ProgramFile LinkFiles(const std::vector<std::string>& paths, const LinkOptions& options,
                      DiagnosticEngine& diagnostics) {
  Linker linker(diagnostics);
  bool ok = true;
  for (const std::string& path : paths) {
    absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(path);
    if (!buffer.ok()) {
      diagnostics.Error(std::string(FromAbsl(buffer.status().message())));
      ok = false;
      continue;
    }
    ProgramFile file = ReadProgram(*std::move(buffer), diagnostics);
    ok = file.program != nullptr && linker.Add(std::move(file), path, options.only_needed) && ok;
  }
  return ok ? linker.Finish() : ProgramFile();
}

}  // namespace ptxmir::ir
