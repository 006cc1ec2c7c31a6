// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/function_knobs.h"

#include "base/str_cat.h"
#include "ir/ir_attributes.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "passes/pipeline/analysis_table.h"
#include "passes/pipeline/pass_table.h"

namespace ptxmir {
namespace {

// Returns the attributes that set knobs: those of the function's groups, then its own, which outweigh them.
IrAttributes KnobAttributesOf(const Module& module, const IrFunction& function) {
  IrAttributes found;
  const auto add = [&](const IrAttributes& attributes) {
    for (const IrAttribute& attribute : attributes.all()) {
      if (attribute.is_string && attribute.name.starts_with(kKnobAttributePrefix)) found.Add(attribute);
    }
  };
  for (const uint32_t number : function.attribute_groups) {
    const IrAttributeGroup* group = module.FindAttributeGroup(number);
    if (group != nullptr) add(group->attributes);
  }
  add(function.attributes);
  return found;
}

}  // namespace

bool IsPassOrAnalysisImplemented(std::string_view name) {
  const PassInfo* pass = FindPass(name);
  const AnalysisInfo* analysis = FindAnalysis(name);
  return (pass != nullptr && (pass->is_implemented() || pass->is_implemented_on_ir())) ||
         (analysis != nullptr && analysis->is_implemented());
}

std::unique_ptr<const Knobs> OwnKnobsOf(const Module& module, const IrFunction& function, const Knobs& base,
                                        DiagnosticEngine& diagnostics) {
  const IrAttributes attributes = KnobAttributesOf(module, function);
  if (attributes.empty()) return nullptr;
  auto knobs = std::make_unique<const Knobs>(KnobsForFunction(base, &attributes, function.name, diagnostics));
  WarnOfKnobsWithoutEffect(*knobs, KnobOrigin::kFunctionAttribute, StrCat("function '", function.name, "': "),
                           IsPassOrAnalysisImplemented, diagnostics);
  return knobs;
}

std::unique_ptr<const Knobs> OwnKnobsOf(const MachineFunction& function, const Knobs& base,
                                        DiagnosticEngine& diagnostics) {
  const IrFunction* const ir_function = FindIrFunction(function);
  return ir_function == nullptr ? nullptr : OwnKnobsOf(*function.module(), *ir_function, base, diagnostics);
}

}  // namespace ptxmir
