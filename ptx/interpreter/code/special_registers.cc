// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/code/special_registers.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace ptxmir::ptx {
namespace {

using Kind = SpecialRegister::Kind;

struct Entry {
  std::string_view name;
  Kind kind;
};
constexpr Entry kEntries[] = {
    {"%tid", Kind::kTid},
    {"%ntid", Kind::kNtid},
    {"%ctaid", Kind::kCtaid},
    {"%nctaid", Kind::kNctaid},
    {"%clusterid", Kind::kClusterid},
    {"%nclusterid", Kind::kNclusterid},
    {"%cluster_ctaid", Kind::kClusterCtaid},
    {"%cluster_nctaid", Kind::kClusterNctaid},
    {"%cluster_ctarank", Kind::kClusterCtarank},
    {"%cluster_nctarank", Kind::kClusterNctarank},
    {"%is_explicit_cluster", Kind::kIsExplicitCluster},
    {"%laneid", Kind::kLaneid},
    {"%warpid", Kind::kWarpid},
    {"%nwarpid", Kind::kNwarpid},
    {"%smid", Kind::kSmid},
    {"%nsmid", Kind::kNsmid},
    {"%gridid", Kind::kGridid},
    {"%lanemask_eq", Kind::kLanemaskEq},
    {"%lanemask_le", Kind::kLanemaskLe},
    {"%lanemask_lt", Kind::kLanemaskLt},
    {"%lanemask_ge", Kind::kLanemaskGe},
    {"%lanemask_gt", Kind::kLanemaskGt},
    {"%clock", Kind::kClock},
    {"%clock_hi", Kind::kClockHi},
    {"%clock64", Kind::kClock},
    {"%globaltimer", Kind::kClock},
    {"%globaltimer_lo", Kind::kClock},
    {"%globaltimer_hi", Kind::kClockHi},
    {"%dynamic_smem_size", Kind::kDynamicSharedSize},
    {"%total_smem_size", Kind::kTotalSharedSize},
    {"%aggr_smem_size", Kind::kTotalSharedSize},
    {"%envreg1", Kind::kEnvreg1},
    {"%envreg2", Kind::kEnvreg2},
    {"%reserved_smem_offset_begin", Kind::kZero},
    {"%reserved_smem_offset_end", Kind::kZero},
    {"%reserved_smem_offset_cap", Kind::kZero},
    {"%current_graph_exec", Kind::kZero},
};
// The prefixes that a number follows ("%pm3", "%pm3_64", "%envreg12").
constexpr std::string_view kNumbered[] = {"%pm", "%envreg", "%reserved_smem_offset_"};

bool IsNumbered(std::string_view name) {
  for (const std::string_view prefix : kNumbered) {
    if (name.size() <= prefix.size() || !name.starts_with(prefix)) continue;
    std::string_view number = name.substr(prefix.size());
    if (number.size() > 3 && number.ends_with("_64")) number.remove_suffix(3);
    if (std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) return true;
  }
  return false;
}

std::optional<Kind> FindKind(std::string_view name) {
  // Created once, by the first thread that needs it, and never destroyed.
  static const auto* const table = [] {
    auto* kinds = new absl::flat_hash_map<std::string_view, Kind>();
    for (const Entry& entry : kEntries) kinds->emplace(entry.name, entry.kind);
    return kinds;
  }();
  if (const auto found = table->find(name); found != table->end()) return found->second;
  if (IsNumbered(name)) return Kind::kZero;
  return std::nullopt;
}

bool HasAxis(Kind kind) { return kind <= Kind::kClusterNctaid; }

}  // namespace

std::optional<SpecialRegister> FindSpecialRegister(std::string_view name) {
  const size_t dot = name.find('.');
  const std::optional<Kind> kind = FindKind(name.substr(0, dot));
  if (!kind.has_value() || HasAxis(*kind) != (dot != name.npos)) return std::nullopt;
  if (dot == name.npos) return SpecialRegister{*kind};
  const std::string_view axis = name.substr(dot + 1);
  if (axis == "w") return SpecialRegister{Kind::kZero};
  if (axis != "x" && axis != "y" && axis != "z") return std::nullopt;
  return SpecialRegister{*kind, static_cast<uint8_t>(axis[0] - 'x')};
}

bool IsSpecialRegister(std::string_view name) { return FindKind(name).has_value(); }

}  // namespace ptxmir::ptx
