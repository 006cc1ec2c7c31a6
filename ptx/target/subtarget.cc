// SPDX-License-Identifier: Apache-2.0

// The SM table. Names and minimum PTX versions are those of LLVM 22.1 (the `.version` that llc-22 prints for an
// empty module with each -mcpu). Limits are from the CUDA C++ Programming Guide, table "Technical Specifications per
// Compute Capability". Granularities, reserved memory and barriers are from NVIDIA's occupancy calculator
// (cuda_occupancy.h of CUDA 13.0; for SMs that it no longer supports, older versions and the old spreadsheet).

#include "ptx/target/subtarget.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/isa_tables.h"

namespace ptxmir::ptx {
namespace {

constexpr uint32_t kKiB = 1024;

// registers, registers of a thread, granularity, partitions, warps, CTAs, shared memory; shared memory of a CTA, its
// granularity, its reserved part, registers of a CTA, barriers.
constexpr SmLimits kFermi = {32 * kKiB, 63, 2, 2, 48, 8, 48 * kKiB, 48 * kKiB, 128, 0, 32 * kKiB, 0};
constexpr SmLimits kSm30 = {64 * kKiB, 63, 8, 4, 64, 16, 48 * kKiB, 48 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm32 = {64 * kKiB, 255, 8, 4, 64, 16, 48 * kKiB, 48 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm37 = {128 * kKiB, 255, 8, 4, 64, 16, 112 * kKiB, 48 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm50 = {64 * kKiB, 255, 8, 4, 64, 32, 64 * kKiB, 48 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm52 = {64 * kKiB, 255, 8, 4, 64, 32, 96 * kKiB, 48 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm53 = {64 * kKiB, 255, 8, 4, 64, 32, 64 * kKiB, 48 * kKiB, 256, 0, 32 * kKiB, 0};
constexpr SmLimits kSm60 = {64 * kKiB, 255, 8, 2, 64, 32, 64 * kKiB, 48 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm62 = {64 * kKiB, 255, 8, 4, 64, 32, 64 * kKiB, 48 * kKiB, 256, 0, 32 * kKiB, 0};
constexpr SmLimits kSm70 = {64 * kKiB, 255, 8, 4, 64, 32, 96 * kKiB, 96 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm75 = {64 * kKiB, 255, 8, 4, 32, 16, 64 * kKiB, 64 * kKiB, 256, 0, 64 * kKiB, 0};
constexpr SmLimits kSm80 = {64 * kKiB, 255, 8, 4, 64, 32, 164 * kKiB, 163 * kKiB, 128, kKiB, 64 * kKiB, 0};
constexpr SmLimits kSm86 = {64 * kKiB, 255, 8, 4, 48, 16, 100 * kKiB, 99 * kKiB, 128, kKiB, 64 * kKiB, 0};
constexpr SmLimits kSm87 = {64 * kKiB, 255, 8, 4, 48, 16, 164 * kKiB, 163 * kKiB, 128, kKiB, 64 * kKiB, 0};
constexpr SmLimits kSm89 = {64 * kKiB, 255, 8, 4, 48, 24, 100 * kKiB, 99 * kKiB, 128, kKiB, 64 * kKiB, 0};
constexpr SmLimits kSm90 = {64 * kKiB, 255, 8, 4, 64, 32, 228 * kKiB, 227 * kKiB, 128, kKiB, 64 * kKiB, 64};
constexpr SmLimits kSm110 = {64 * kKiB,  255,        8,   4,    48,        24,
                             228 * kKiB, 227 * kKiB, 128, kKiB, 64 * kKiB, 24};  // sm_101 is its older name
constexpr SmLimits kSm120 = {64 * kKiB, 255, 8, 4, 48, 24, 100 * kKiB, 99 * kKiB, 128, kKiB, 64 * kKiB, 24};

constexpr SmInfo kSms[] = {
    {"sm_20", 20, 0, 32, kFermi},      {"sm_21", 21, 0, 32, kFermi},   {"sm_30", 30, 0, 32, kSm30},
    {"sm_32", 32, 0, 40, kSm32},       {"sm_35", 35, 0, 32, kSm32},    {"sm_37", 37, 0, 41, kSm37},
    {"sm_50", 50, 0, 40, kSm50},       {"sm_52", 52, 0, 41, kSm52},    {"sm_53", 53, 0, 42, kSm53},
    {"sm_60", 60, 0, 50, kSm60},       {"sm_61", 61, 0, 50, kSm52},    {"sm_62", 62, 0, 50, kSm62},
    {"sm_70", 70, 0, 60, kSm70},       {"sm_72", 72, 0, 61, kSm70},    {"sm_75", 75, 0, 63, kSm75},
    {"sm_80", 80, 0, 70, kSm80},       {"sm_86", 86, 0, 71, kSm86},    {"sm_87", 87, 0, 74, kSm87},
    {"sm_88", 88, 0, 90, kSm87},       {"sm_89", 89, 0, 78, kSm89},    {"sm_90", 90, 0, 78, kSm90},
    {"sm_90a", 90, 'a', 80, kSm90},    {"sm_100", 100, 0, 86, kSm90},  {"sm_100f", 100, 'f', 88, kSm90},
    {"sm_100a", 100, 'a', 86, kSm90},  {"sm_101", 101, 0, 86, kSm110}, {"sm_101f", 101, 'f', 88, kSm110},
    {"sm_101a", 101, 'a', 86, kSm110}, {"sm_103", 103, 0, 88, kSm90},  {"sm_103f", 103, 'f', 88, kSm90},
    {"sm_103a", 103, 'a', 88, kSm90},  {"sm_110", 110, 0, 90, kSm110}, {"sm_110f", 110, 'f', 90, kSm110},
    {"sm_110a", 110, 'a', 90, kSm110}, {"sm_120", 120, 0, 87, kSm120}, {"sm_120f", 120, 'f', 88, kSm120},
    {"sm_120a", 120, 'a', 87, kSm120}, {"sm_121", 121, 0, 88, kSm120}, {"sm_121f", 121, 'f', 88, kSm120},
    {"sm_121a", 121, 'a', 88, kSm120},
};

constexpr int kPtxVersions[] = {32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73,
                                74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

constexpr std::string_view kDefaultSm = "sm_30";

std::string VersionText(int version) { return StrCat(version / 10, ".", version % 10); }

// Returns 83 for "ptx83", or 0 for an unknown version.
int PtxVersionOfFeature(std::string_view feature) {
  for (int version : kPtxVersions) {
    if (feature == StrCat("ptx", version)) return version;
  }
  return 0;
}

absl::Status UnknownFeature(std::string_view feature) {
  std::vector<std::string> names;
  for (int version : kPtxVersions) names.push_back(StrCat("ptx", version));
  NearestName nearest(feature);
  for (const std::string& name : names) nearest.Consider(name);
  for (const SmInfo& sm : kSms) nearest.Consider(sm.name);
  return absl::InvalidArgumentError(ToAbsl(StrCat("unknown feature '", feature, "'", nearest.Suggestion())));
}

// Returns the SMs of a condition.
absl::Span<const uint16_t> SmsOf(const isa::ArchCondition& condition) {
  const auto* end = std::find(std::begin(condition.sms), std::end(condition.sms), 0);
  return {condition.sms, static_cast<size_t>(end - condition.sms)};
}

absl::Span<const isa::ArchCondition> ConditionsOf(const isa::Requirement& requirement) {
  return {isa::kArchConditions + requirement.first_condition, requirement.num_conditions};
}

// Returns "sm_100a or sm_101a with PTX 8.6, or sm_100f with PTX 8.8", beginning with the oldest PTX version. An SM that
// a condition repeats for a newer PTX version is left out.
std::string ArchText(const isa::Requirement& requirement) {
  std::vector<const isa::ArchCondition*> conditions;
  for (const isa::ArchCondition& condition : ConditionsOf(requirement)) conditions.push_back(&condition);
  std::stable_sort(conditions.begin(), conditions.end(), [](const auto* a, const auto* b) { return a->ptx < b->ptx; });
  std::vector<std::string> named;
  std::string out;
  for (const isa::ArchCondition* condition : conditions) {
    std::string sms;
    for (uint16_t number : SmsOf(*condition)) {
      std::string name = StrCat("sm_", number, std::string(1, condition->variant));
      if (FindSm(name) == nullptr || std::find(named.begin(), named.end(), name) != named.end()) continue;
      StrAppend(&sms, sms.empty() ? "" : " or ", name);
      named.push_back(std::move(name));
    }
    if (!sms.empty()) StrAppend(&out, out.empty() ? "" : ", or ", sms, " with PTX ", VersionText(condition->ptx));
  }
  return out;
}

}  // namespace

unsigned SmLimits::RegistersForWarps(unsigned warps) const {
  if (warps == 0) return max_registers;
  const unsigned warps_of_partition = (warps + partitions - 1) / partitions;
  const unsigned count = registers / partitions / (32 * warps_of_partition);
  const unsigned granules = std::max(1u, count / register_granularity);
  return std::min<unsigned>(max_registers, granules * register_granularity);
}

absl::Span<const SmInfo> AllSms() { return {kSms, std::size(kSms)}; }

const SmInfo* FindSm(std::string_view name) {
  for (const SmInfo& sm : kSms) {
    if (sm.name == name) return &sm;
  }
  return nullptr;
}

absl::StatusOr<Subtarget> Subtarget::Create(std::string_view cpu, std::string_view features) {
  if (cpu.empty()) cpu = kDefaultSm;
  const SmInfo* sm = FindSm(cpu);
  if (sm == nullptr) {
    NearestName nearest(cpu);
    for (const SmInfo& candidate : kSms) nearest.Consider(candidate.name);
    std::string known;
    for (const SmInfo& candidate : kSms) StrAppend(&known, known.empty() ? "" : ", ", candidate.name);
    return absl::InvalidArgumentError(
        ToAbsl(StrCat("unknown target '", cpu, "'", nearest.Suggestion(), "\nknown targets: ", known)));
  }
  // "+sm_90" does not change the target. As in LLVM, it raises the required version.
  const SmInfo* needs = sm;
  int version = 0;
  std::vector<int> versions;
  for (absl::string_view piece : absl::StrSplit(ToAbsl(features), ',', absl::SkipWhitespace())) {
    std::string_view feature = FromAbsl(piece);
    const bool enable = feature[0] != '-';
    if (feature[0] == '+' || feature[0] == '-') feature.remove_prefix(1);
    if (const SmInfo* other = FindSm(feature); other != nullptr) {
      if (enable && other->number > needs->number) needs = other;
    } else if (const int ptx = PtxVersionOfFeature(feature); ptx != 0) {
      std::erase(versions, ptx);
      if (enable) versions.push_back(ptx);
    } else {
      return UnknownFeature(feature);
    }
  }
  for (int ptx : versions) version = std::max(version, ptx);
  if (version == 0) version = needs->min_ptx;
  if (version < sm->min_ptx) {
    return absl::InvalidArgumentError(
        ToAbsl(StrCat("PTX version ", VersionText(version), " does not support target '", sm->name,
                      "'; minimum required PTX version is ", VersionText(sm->min_ptx))));
  }
  return Subtarget(*sm, version);
}

// The rules of the variants are LLVM's (NVPTXSubtarget). sm_101 is a family of its own, and since PTX 9.0 its name is
// sm_110.
bool Subtarget::HasArchFeatures() const { return sm_->variant == 'a' && HasPtx(80); }

bool Subtarget::HasFamilyFeatures() const { return sm_->variant == 'f' ? HasPtx(88) : HasArchFeatures(); }

bool Subtarget::Supports(Opcode opcode) const { return Meets(isa::kRequirements[InstrInfo(opcode).requirement]); }

bool Subtarget::Meets(const isa::Requirement& requirement) const {
  if (!HasSm(requirement.sm) || !HasPtx(requirement.ptx)) return false;
  if (requirement.removed_sm != 0 && HasSm(requirement.removed_sm) && HasPtx(requirement.removed_ptx)) return false;
  if (requirement.num_conditions == 0) return true;
  const unsigned number = sm_->number;
  // PTX 9.0 renamed sm_101 to sm_110. The old name belongs to no family.
  if (number == 101 && HasPtx(90)) return false;
  for (const isa::ArchCondition& condition : ConditionsOf(requirement)) {
    const bool is_family = condition.variant == 'f';
    if (!HasPtx(condition.ptx) || !(is_family ? HasFamilyFeatures() : HasArchFeatures())) continue;
    for (uint16_t first : SmsOf(condition)) {
      if (number == first) return true;
      if (is_family && number != 101 && first != 101 && number / 10 == first / 10 && number > first) return true;
    }
  }
  return false;
}

std::string Subtarget::WhyUnsupported(Opcode opcode) const {
  return WhyNotMet(isa::kRequirements[InstrInfo(opcode).requirement]);
}

std::string Subtarget::WhyUnsupported(Opcode opcode, unsigned operand, int64_t value) const {
  const InstrDesc& desc = isa::kInstrDescs[opcode];
  if (operand >= 16 || (desc.limited_operands >> operand & 1) == 0) return "";
  const uint8_t role = isa::kOperandDescs[desc.first_operand + operand].role;
  for (const isa::TextNeed* need = isa::kTextNeeds; need->role != 0; ++need) {
    if (need->role != role || (value & need->mask) != need->value) continue;
    const isa::Requirement& requirement = isa::kRequirements[need->requirement];
    if (!Meets(requirement)) return StrCat("with ", isa::kStrings + need->text, " ", WhyNotMet(requirement));
  }
  return "";
}

std::string Subtarget::WhyNotMet(const isa::Requirement& requirement) const {
  const std::string target = StrCat("; the target is ", sm_->name, " with PTX ", ptx_version_text());
  if (requirement.removed_sm != 0 && HasSm(requirement.removed_sm) && HasPtx(requirement.removed_ptx)) {
    return StrCat("does not exist from sm_", requirement.removed_sm, " and PTX ", VersionText(requirement.removed_ptx),
                  " on", target);
  }
  std::string needs = ArchText(requirement);
  if (requirement.sm != 0) StrAppend(&needs, needs.empty() ? "" : " and ", "sm_", requirement.sm);
  if (requirement.ptx != 0) StrAppend(&needs, needs.empty() ? "" : " and ", "PTX ", VersionText(requirement.ptx));
  return StrCat("needs ", needs, target);
}

std::string Subtarget::ptx_version_text() const { return VersionText(ptx_version_); }

}  // namespace ptxmir::ptx
