// SPDX-License-Identifier: Apache-2.0

#include "ir/verify/module_checks.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"

namespace ptxmir::ir {
namespace {

// The values that an annotation may have.
enum class AnnotationForm : uint8_t {
  kNumber,     // of a function
  kParameter,  // of a function: the number of a parameter, from 0 on
  kFlag,       // of a variable
  kSampler,    // a parameter of a function, or a flag of a variable
  kList,       // of a function: numbers of parameters, from 1 on
};
struct AnnotationKey {
  std::string_view name;
  AnnotationForm form;
};
constexpr AnnotationKey kAnnotationKeys[] = {
    {"kernel", AnnotationForm::kNumber},
    {"maxntidx", AnnotationForm::kNumber},
    {"maxntidy", AnnotationForm::kNumber},
    {"maxntidz", AnnotationForm::kNumber},
    {"reqntidx", AnnotationForm::kNumber},
    {"reqntidy", AnnotationForm::kNumber},
    {"reqntidz", AnnotationForm::kNumber},
    {"cluster_dim_x", AnnotationForm::kNumber},
    {"cluster_dim_y", AnnotationForm::kNumber},
    {"cluster_dim_z", AnnotationForm::kNumber},
    {"cluster_max_blocks", AnnotationForm::kNumber},
    {"maxclusterrank", AnnotationForm::kNumber},
    {"minctasm", AnnotationForm::kNumber},
    {"maxnreg", AnnotationForm::kNumber},
    {"align", AnnotationForm::kNumber},
    {"rdoimage", AnnotationForm::kParameter},
    {"wroimage", AnnotationForm::kParameter},
    {"rdwrimage", AnnotationForm::kParameter},
    {"sampler", AnnotationForm::kSampler},
    {"texture", AnnotationForm::kFlag},
    {"surface", AnnotationForm::kFlag},
    {"managed", AnnotationForm::kFlag},
    {"grid_constant", AnnotationForm::kList},
};

// Attributes with numbers, and how many they may have.
struct NumberAttribute {
  std::string_view name;
  size_t max_numbers;
};
constexpr NumberAttribute kNumberAttributes[] = {
    {"nvvm.maxntid", 3},  {"nvvm.reqntid", 3}, {"nvvm.cluster_dim", 3},
    {"nvvm.minctasm", 1}, {"nvvm.maxnreg", 1}, {"nvvm.maxclusterrank", 1},
};

template <typename Row, size_t kSize>
const Row* FindRow(const Row (&rows)[kSize], std::string_view name) {
  const Row* const row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

// Returns the value of an operand that is an integer constant without a sign, of 32 bits or fewer; otherwise nothing.
std::optional<uint32_t> NumberOf(const MetadataOperand& operand) {
  const IrConstant* const constant = operand.constant;
  if (constant == nullptr || !constant->is_integer() || constant->type->integer_width() > 64) return std::nullopt;
  const uint64_t value = constant->ZExtValue();
  const uint64_t sign = uint64_t{1} << (constant->type->integer_width() - 1);
  const bool is_negative = constant->type->integer_width() > 1 && (value & sign) != 0;
  if (is_negative || value > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(value);
}

class ModuleChecks {
 public:
  ModuleChecks(const Module& module, DiagnosticEngine& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  bool Run() {
    const size_t errors_before = diagnostics_.num_errors();
    ForEachNode("nvvm.annotations", [this](const MetadataNode& node) { CheckAnnotations(node); });
    ForEachNode("llvm.module.flags", [this](const MetadataNode& node) { CheckFlag(node); });
    for (const IrAttributeGroup& group : module_.attribute_groups()) CheckAttributes(group.attributes);
    for (const IrFunction& function : module_.functions()) {
      CheckAttributes(function.attributes);
      CheckConvention(function);
    }
    return diagnostics_.num_errors() == errors_before;
  }

 private:
  template <typename Check>
  void ForEachNode(std::string_view name, Check check) {
    const NamedMetadata* const named = module_.FindNamedMetadata(name);
    if (named == nullptr) return;
    for (const MetadataId id : named->nodes) {
      position_ = module_.MetadataText(id).data();
      const MetadataNode* const node = module_.metadata(id);
      if (node == nullptr) {
        Error(StrCat("a node of !", name, " is malformed, or names what the module does not have"));
      } else if (!node->kind.empty()) {
        Error(StrCat("a node of !", name, " must be a list"));
      } else {
        check(*node);
      }
    }
  }

  // Checks !{ptr @k, !"maxntidx", i32 256, ...}.
  void CheckAnnotations(const MetadataNode& node) {
    if (node.operands.empty()) return;
    const MetadataOperand& first = node.operands[0];
    if (first.kind == MetadataOperand::Kind::kNull) return;
    if (first.constant == nullptr) return Error("an annotation must begin with a function or a variable");
    const std::optional<GlobalId> global = AnnotatedGlobal(first);
    if (!global.has_value()) return;
    for (size_t i = 1; i < node.operands.size(); i += 2) {
      const MetadataOperand& key = node.operands[i];
      if (key.kind != MetadataOperand::Kind::kString) return Error("the key of an annotation must be a string");
      if (i + 1 == node.operands.size()) return Error(StrCat("annotation '", key.text, "' has no value"));
      if (const AnnotationKey* const row = FindRow(kAnnotationKeys, key.text); row != nullptr) {
        CheckAnnotation(*row, *global, node.operands[i + 1]);
      }
    }
  }

  void CheckAnnotation(const AnnotationKey& key, GlobalId global, const MetadataOperand& value) {
    const IrFunction* const function = module_.function(global);
    const bool is_of_variable = key.form == AnnotationForm::kFlag;
    if (is_of_variable && function != nullptr) return Error(StrCat("annotation '", key.name, "' is for variables"));
    if (!is_of_variable && key.form != AnnotationForm::kSampler && function == nullptr) {
      return Error(StrCat("annotation '", key.name, "' is for functions"));
    }
    if (key.form == AnnotationForm::kList) return CheckList(key, *function, value);
    const std::optional<uint32_t> number = NumberOf(value);
    if (!number.has_value()) return Error(StrCat("the value of annotation '", key.name, "' must be a natural number"));
    const bool is_parameter = key.form == AnnotationForm::kParameter || key.form == AnnotationForm::kSampler;
    if (is_parameter && function != nullptr) CheckParameter(key, *function, *number);
  }

  void CheckParameter(const AnnotationKey& key, const IrFunction& function, uint64_t number) {
    if (number < function.parameters.size()) return;
    Error(StrCat("annotation '", key.name, "' names parameter ", number, ", counted from 0, of a function with ",
                 function.parameters.size()));
  }

  // Checks !{i32 1, i32 3}.
  void CheckList(const AnnotationKey& key, const IrFunction& function, const MetadataOperand& value) {
    const MetadataNode* const list =
        value.kind == MetadataOperand::Kind::kNode ? module_.metadata(value.node) : value.inline_node;
    if (list == nullptr) return Error(StrCat("the value of annotation '", key.name, "' must be a list"));
    for (const MetadataOperand& operand : list->operands) {
      const std::optional<uint32_t> number = NumberOf(operand);
      if (!number.has_value() || *number == 0) {
        return Error(StrCat("annotation '", key.name, "' must list numbers of parameters, from 1 on"));
      }
      CheckParameter(key, function, *number - 1);
    }
  }

  // Checks !{i32 behavior, !"name", value}, with the messages of LLVM's Verifier.
  void CheckFlag(const MetadataNode& node) {
    if (node.operands.size() != 3) return Error("incorrect number of operands in module flag");
    const std::optional<uint32_t> behavior = NumberOf(node.operands[0]);
    if (!behavior.has_value()) return Error("invalid behavior operand in module flag (expected constant integer)");
    constexpr uint32_t kLastBehavior = 8;  // Min
    if (*behavior == 0 || *behavior > kLastBehavior) {
      return Error("invalid behavior operand in module flag (unexpected constant)");
    }
    if (node.operands[1].kind != MetadataOperand::Kind::kString) {
      return Error("invalid ID operand in module flag (expected metadata string)");
    }
    const MetadataOperand& value = node.operands[2];
    const bool is_integer = value.constant != nullptr && value.constant->is_integer();
    if (node.operands[1].text == "nvvm-reflect-ftz" && !is_integer) {
      Error("the value of module flag 'nvvm-reflect-ftz' must be an integer");
    }
  }

  void CheckAttributes(const IrAttributes& attributes) {
    for (const IrAttribute& attribute : attributes.all()) {
      if (!attribute.is_string || !attribute.name.starts_with("nvvm.")) continue;
      const NumberAttribute* const row = FindRow(kNumberAttributes, attribute.name);
      if (row == nullptr) continue;
      position_ = attribute.text.data();
      CheckNumbers(*row, attribute.value);
    }
  }

  void CheckConvention(const IrFunction& function) {
    constexpr uint32_t kFixedArguments[] = {calling_convention::kFast, calling_convention::kCold,
                                            calling_convention::kPtxKernel, calling_convention::kPtxDevice};
    const auto* const found =
        std::find(std::begin(kFixedArguments), std::end(kFixedArguments), function.calling_convention);
    if (!function.is_vararg() || found == std::end(kFixedArguments)) return;
    position_ = function.source_text.data();
    Error("Calling convention does not support varargs or perfect forwarding!");
  }

  void CheckNumbers(const NumberAttribute& attribute, std::string_view numbers) {
    for (size_t count = 1;; ++count) {
      const std::string_view number = numbers.substr(0, numbers.find(','));
      uint32_t parsed = 0;
      if (!absl::SimpleAtoi(absl::string_view(number.data(), number.size()), &parsed)) {
        return Error(StrCat("'", number, "' in attribute \"", attribute.name, "\" is no natural number"));
      }
      if (count > attribute.max_numbers) {
        return Error(StrCat("attribute \"", attribute.name, "\" has more than ", attribute.max_numbers,
                            attribute.max_numbers == 1 ? " number" : " numbers"));
      }
      if (number.size() == numbers.size()) return;
      numbers.remove_prefix(number.size() + 1);
    }
  }

  void Error(std::string message) {
    const std::string_view text = module_.ir_text();
    const bool is_in_source = module_.ir_source() != nullptr && position_ != nullptr && position_ >= text.data() &&
                              position_ <= text.data() + text.size();
    if (is_in_source) {
      diagnostics_.Error(*module_.ir_source(), position_, std::move(message));
    } else {
      diagnostics_.Error(std::move(message));
    }
  }

  const Module& module_;
  DiagnosticEngine& diagnostics_;
  const char* position_ = nullptr;  // of what is being checked
};

}  // namespace

bool CheckModule(const Module& module, DiagnosticEngine& diagnostics) {
  return ModuleChecks(module, diagnostics).Run();
}

}  // namespace ptxmir::ir
