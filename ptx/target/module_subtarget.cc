// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/module_subtarget.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/str_cat.h"

namespace ptxmir::ptx {
namespace {

constexpr std::string_view kPtxFeature = "+ptx";

// Returns the NN of the last "+ptxNN" in a list like "+ptx78,+sm_80", or 0 if there is none.
int PtxFeature(std::string_view features) {
  const size_t at = features.rfind(kPtxFeature);
  if (at == features.npos) return 0;
  int version = 0;
  for (char c : features.substr(at + kPtxFeature.size())) {
    if (c < '0' || c > '9' || version > 1000) break;
    version = version * 10 + (c - '0');
  }
  return version;
}

// Returns the newest SM that definitions name as target-cpu, or null if there is none.
const SmInfo* NewestTargetCpu(const Module& module) {
  const SmInfo* newest = nullptr;
  for (const IrFunction& function : module.functions()) {
    if (!function.is_definition()) continue;
    const SmInfo* sm = FindSm(module.FunctionAttributeString(function, "target-cpu").value_or(""));
    if (sm != nullptr && (newest == nullptr || sm > newest)) newest = sm;
  }
  return newest;
}

}  // namespace

absl::StatusOr<Subtarget> ChooseSubtarget(const Module& module, std::string_view cpu, std::string_view features) {
  if (!cpu.empty()) return Subtarget::Create(cpu, features);
  if (!module.document_cpu.empty()) {
    return Subtarget::Create(module.document_cpu, features.empty() ? module.document_features : features);
  }
  const SmInfo* newest = NewestTargetCpu(module);
  int highest = 0;
  for (const IrFunction& function : module.functions()) {
    if (!function.is_definition()) continue;
    highest = std::max(highest, PtxFeature(module.FunctionAttributeString(function, "target-features").value_or("")));
  }
  const std::string_view name = newest == nullptr ? std::string_view() : newest->name;
  if (features.find(kPtxFeature) != features.npos || highest == 0) {
    return Subtarget::Create(name, features);
  }
  // The user did not ask for this version. If it is unknown or too old, do without it.
  absl::StatusOr<Subtarget> subtarget =
      Subtarget::Create(name, StrCat(features, features.empty() ? "" : ",", kPtxFeature, highest));
  return subtarget.ok() ? subtarget : Subtarget::Create(name, features);
}

std::optional<Subtarget> NamedSubtarget(const Module& module, std::string_view cpu, std::string_view features) {
  if (cpu.empty() && module.document_cpu.empty() && NewestTargetCpu(module) == nullptr) return std::nullopt;
  absl::StatusOr<Subtarget> subtarget = ChooseSubtarget(module, cpu, features);
  return subtarget.ok() ? std::optional(*subtarget) : std::nullopt;
}

}  // namespace ptxmir::ptx
