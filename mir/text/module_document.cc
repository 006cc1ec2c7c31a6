// SPDX-License-Identifier: Apache-2.0

#include "mir/text/module_document.h"

#include <utility>

#include "base/str_cat.h"
#include "ir/ir_reader.h"

namespace ptxmir {
namespace {

constexpr std::string_view kKey = "ptxmir-module";

// Returns the text of a scalar, in memory that lives as long as the module.
std::string_view TextOf(const YamlScalar& scalar, Module& module) {
  return scalar.needs_decoding ? module.CopyString(scalar.Value()) : scalar.raw;
}

class DocumentReader {
 public:
  DocumentReader(const SourceBuffer& buffer, YamlReader& yaml, Module& module, DiagnosticEngine& diagnostics)
      : buffer_(buffer), yaml_(yaml), module_(module), diagnostics_(diagnostics) {}

  bool ReadField(const YamlScalar& key) {
    if (key.raw == "globals") return ReadGlobals();
    YamlScalar value;
    if (key.raw == "triple" || key.raw == "cpu" || key.raw == "features" || key.raw == "data-layout") {
      if (!yaml_.ReadScalar(&value)) return false;
    }
    if (key.raw == "triple") {
      triple_ = TextOf(value, module_);
    } else if (key.raw == "cpu") {
      module_.document_cpu = TextOf(value, module_);
    } else if (key.raw == "features") {
      module_.document_features = TextOf(value, module_);
    } else if (key.raw == "data-layout") {
      absl::StatusOr<DataLayout> layout = DataLayout::Parse(TextOf(value, module_));
      if (layout.ok()) {
        module_.set_data_layout(*std::move(layout));
      } else {
        yaml_.Error(value.position(), std::string(FromAbsl(layout.status().message())));
      }
    } else {
      yaml_.Error(key.position(), StrCat("unknown key '", key.raw, "'"));
      return yaml_.SkipNode();
    }
    return true;
  }

  // Sets the triple last, because reading IR text must not mark it as changed.
  void Finish() {
    if (!triple_.empty()) module_.set_target_triple(triple_);
    module_.set_has_module_document();
  }

 private:
  // Reads the IR in place, so that positions are exact and the text is preserved.
  bool ReadGlobals() {
    if (!yaml_.AtBlockScalar()) {
      yaml_.Error(yaml_.position(), "expected a block scalar ('|') that holds LLVM IR");
      return yaml_.SkipNode();
    }
    YamlScalar text;
    if (!yaml_.ReadScalar(&text)) return false;
    if (module_.has_ir_text()) {
      yaml_.Error(text.position(), "duplicated mapping key 'globals'");
      return true;
    }
    ReadIrModule(buffer_, text.raw, module_, diagnostics_);
    return true;
  }

  const SourceBuffer& buffer_;
  YamlReader& yaml_;
  Module& module_;
  DiagnosticEngine& diagnostics_;
  std::string_view triple_;
};

// Creates the IR function of one machine function.
class FunctionImplier {
 public:
  FunctionImplier(const SourceBuffer& buffer, Module& module, DiagnosticEngine& diagnostics)
      : buffer_(buffer), module_(module), diagnostics_(diagnostics) {}

  void Imply(std::string_view name, const char* position, std::string_view info) {
    if (const IrFunction* known = module_.FindFunction(name); known != nullptr && known->is_implied) {
      return;  // a second machine function with this name, which the function reader reports
    }
    YamlScalar signature;
    if (!FindSignature(info, &signature)) return;
    if (!signature.raw.empty()) {
      ReadSignature(name, signature);
    } else if (module_.FindGlobal(name) != nullptr) {
      Error(position, StrCat("redefinition of global '@", name, "'"));
    } else {
      const IrType* type = module_.types().Function(module_.types().Void(), {}, /*vararg=*/false);
      IrFunction& function = module_.CreateFunction(name, type, Linkage::kExternal);
      function.has_body = true;
      function.is_implied = true;
    }
  }

 private:
  void Error(const char* position, std::string message) { diagnostics_.Error(buffer_, position, std::move(message)); }

  // `info` is the text after "machineFunctionInfo:". In most files it is "{}".
  bool FindSignature(std::string_view info, YamlScalar* signature) {
    if (info.find("signature") == info.npos) return true;
    const size_t errors_before = diagnostics_.num_errors();
    YamlReader yaml(buffer_, info, diagnostics_);
    yaml.NextDocument();
    yaml.ReadMapping(
        [&](const YamlScalar& key) { return key.raw == "signature" ? yaml.ReadScalar(signature) : yaml.SkipNode(); });
    return diagnostics_.num_errors() == errors_before;
  }

  void ReadSignature(std::string_view name, const YamlScalar& signature) {
    const std::string_view text = TextOf(signature, module_);
    const IrFunction* function = ReadIrSignature(text, module_, [&](const char* position, std::string message) {
      const auto offset = static_cast<size_t>(position - text.data());
      Error(signature.needs_decoding ? signature.PositionOf(offset) : position, std::move(message));
    });
    if (function == nullptr || function->name == name) return;
    Error(signature.position(),
          StrCat("signature of function '", function->name, "' stands in machine function '", name, "'"));
  }

  const SourceBuffer& buffer_;
  Module& module_;
  DiagnosticEngine& diagnostics_;
};

// Appends a plain YAML scalar if possible, otherwise a single-quoted one.
void AppendScalar(std::string_view text, std::string* out) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '.' || c == ',';
  };
  bool plain = !text.empty() && text[0] != '-' && text[0] != ',';
  for (const char c : text) plain = plain && is_plain(c);
  if (plain) {
    out->append(text);
    return;
  }
  out->push_back('\'');
  for (const char c : text) {
    if (c == '\'') out->push_back('\'');
    out->push_back(c);
  }
  out->push_back('\'');
}

}  // namespace

bool AtModuleDocument(YamlReader& yaml) {
  if (!yaml.AtMapping()) return false;
  const std::string_view rest(yaml.position(), static_cast<size_t>(yaml.end() - yaml.position()));
  return rest.substr(0, kKey.size()) == kKey && rest.substr(kKey.size(), 1) == ":";
}

bool ReadModuleDocument(const SourceBuffer& buffer, YamlReader& yaml, Module& module, DiagnosticEngine& diagnostics) {
  const size_t errors_before = diagnostics.num_errors();
  DocumentReader reader(buffer, yaml, module, diagnostics);
  yaml.ReadMapping([&](const YamlScalar& key) {
    if (key.raw != kKey) {
      yaml.Error(key.position(), StrCat("unknown key '", key.raw, "'"));
      return yaml.SkipNode();
    }
    return yaml.ReadMapping([&](const YamlScalar& field) { return reader.ReadField(field); });
  });
  reader.Finish();
  return diagnostics.num_errors() == errors_before;
}

bool ImplyFunctions(const SourceBuffer& buffer, Module& module, DiagnosticEngine& diagnostics) {
  const size_t errors_before = diagnostics.num_errors();
  DiagnosticEngine discarded;
  YamlReader yaml(buffer, discarded);
  while (!diagnostics.limit_reached() && !discarded.limit_reached() && yaml.NextDocument()) {
    if (yaml.AtBlockScalar() || AtModuleDocument(yaml) || !yaml.AtMapping()) continue;
    YamlScalar name;
    std::string_view info;
    yaml.ReadMapping([&](const YamlScalar& key) {
      if (key.raw == "name") return yaml.ReadScalar(&name);
      if (key.raw == "machineFunctionInfo") return yaml.SkipNodeVerbatim(&info);
      return yaml.SkipNode();
    });
    if (name.raw.empty()) continue;
    FunctionImplier(buffer, module, diagnostics).Imply(TextOf(name, module), name.position(), info);
  }
  return diagnostics.num_errors() == errors_before;
}

void WriteModuleDocument(const Module& module, std::string* out) {
  StrAppend(out, "---\n", kKey, ":\n");
  const auto field = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    StrAppend(out, "  ", key, ": ");
    AppendScalar(value, out);
    out->push_back('\n');
  };
  field("triple", module.target_triple());
  field("cpu", module.document_cpu);
  field("features", module.document_features);
  if (module.has_explicit_data_layout()) field("data-layout", module.data_layout().text());
  std::string globals;
  module.PrintIr(&globals, "    ");
  if (!globals.empty()) StrAppend(out, "  globals: |\n", globals);
  if (!globals.empty() && globals.back() != '\n') out->push_back('\n');
  out->append("...\n");
}

}  // namespace ptxmir
