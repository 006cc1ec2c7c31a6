// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_reader_state.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

// The budget of even the smallest file, in units of MirFileState::Spend. Tests that are cut out of large functions
// keep their large register numbers.
constexpr uint64_t kBaseBudget = uint64_t{1} << 20;

}  // namespace

MirFileState::MirFileState(const SourceBuffer& source, Module& ir_module, const TargetInfo& target_info,
                           DiagnosticEngine& engine)
    : buffer(source),
      module(ir_module),
      target(target_info),
      diagnostics(engine),
      opcodes(target_info),
      budget(kBaseBudget + source.text().size()) {
  for (const RegClassDesc& reg_class : target.reg_classes) {
    packed_classes.push_back(PackName(reg_class.name));
  }
  for (size_t i = 0; i < target.phys_regs.size(); ++i) {
    phys_regs.try_emplace(target.phys_regs[i].name, static_cast<uint32_t>(i));
  }
  phys_regs["noreg"] = 0;
}

RegClassId MirFileState::FindRareRegClass(std::string_view name) {
  if (const std::optional<RegClassId> found = target.FindRegClass(name); found.has_value()) return *found;
  const std::string_view renamed = RenamedRegClass(name);
  if (renamed.empty() || !IsOld()) return kNoRegClass;
  return target.FindRegClass(renamed).value_or(kNoRegClass);
}

bool MirFileState::IsOld() {
  if (!std::exchange(looked_for_version_, true)) {
    const OldLlvm version = OldLlvmOf(buffer.text());
    if (version != OldLlvm::kNone) {
      refusal.version = version;
      recipes = std::make_unique<RecipeTable>(target, version);
    }
  }
  return recipes != nullptr;
}

bool MirFileState::IsOpcodeOfOldLlvm(std::string_view name) {
  if (old_opcodes_.empty()) {
    for (const OldLlvm version : {OldLlvm::k16OrOlder, OldLlvm::k17To19}) {
      old_opcodes_.push_back(std::make_unique<RecipeTable>(target, version));
    }
  }
  return absl::c_any_of(old_opcodes_, [&](const auto& table) { return table->Find(name) != nullptr; });
}

std::optional<Register> MirFunctionState::NumberedRegisterSlow(uint64_t number) {
  if (number >= Register::kVirtualBit - 1) return std::nullopt;
  const uint32_t index = static_cast<uint32_t>(number);
  if (named_.empty() && !has_new_) {
    const uint32_t known = regs.num_virtual_registers();
    if (index >= known && !file.Spend(index + 1 - known)) return std::nullopt;
    regs.EnsureVirtualRegister(index);
    num_direct_ = regs.num_virtual_registers();
    return Register::Virtual(index);
  }
  const auto [it, inserted] = moved_.try_emplace(index);
  if (inserted) it->second = regs.CreateVirtualRegister(kNoRegClass);
  return it->second;
}

Register MirFunctionState::NamedRegister(std::string_view name) {
  const auto [it, inserted] = named_.try_emplace(name);
  if (inserted) {
    it->second = regs.CreateVirtualRegister(kNoRegClass);
    regs.set_name(it->second, name);
  }
  return it->second;
}

Register MirFunctionState::NewRegister(RegClassId reg_class) {
  has_new_ = true;
  return regs.CreateVirtualRegister(reg_class);
}

std::string MirFunctionState::SpellingOf(Register reg) const {
  if (const std::string_view name = regs.name(reg); !name.empty()) return StrCat("%", name);
  for (const auto& [number, moved] : moved_) {
    if (moved == reg) return StrCat("%", number);
  }
  return StrCat("%", reg.virtual_index());
}

}  // namespace ptxmir
