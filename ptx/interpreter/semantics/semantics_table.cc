// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/semantics/semantics_table.h"

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/scalar/scalar_resolvers.h"

namespace ptxmir::ptx {
namespace {

using TableFunction = absl::Span<const ResolverEntry> (*)();
constexpr TableFunction kTables[] = {
    &IntegerResolvers,    &VideoResolvers,   &FloatResolvers,   &CompareResolvers,
    &ConvertResolvers,    &MemoryResolvers,  &BarrierResolvers, &MbarrierResolvers,
    &CollectiveResolvers, &TensorResolvers,  &MatrixResolvers,  &AsyncResolvers,
    &TextureResolvers,    &Tcgen05Resolvers, &WgmmaResolvers,   &LaunchControlResolvers,
};

// The resolvers of each base, in the order of the tables.
using ResolverTable = absl::flat_hash_map<std::string_view, std::vector<Resolver>>;

ResolverTable MakeTable() {
  ResolverTable table;
  for (TableFunction entries : kTables) {
    for (const ResolverEntry& entry : entries()) table[entry.base].push_back(entry.resolver);
  }
  return table;
}

}  // namespace

MemorySpace SpaceOf(const Mnemonic& mnemonic) {
  for (const std::string_view part : mnemonic.parts()) {
    if (part == "global") return MemorySpace::kGlobal;
    if (part == "shared" || part == "shared::cta") return MemorySpace::kShared;
    if (part == "shared::cluster") return MemorySpace::kSharedCluster;
    if (part == "const") return MemorySpace::kConst;
    if (part == "local") return MemorySpace::kLocal;
    if (part == "param" || part == "param::entry" || part == "param::func") return MemorySpace::kParam;
  }
  return MemorySpace::kGeneric;
}

StepResult RunNothing(Warp&, const DecodedInstr&) { return StepResult::kNext; }

absl::Status ResolveSemantics(const Statement& statement, Semantics* semantics) {
  // Created once, by the first thread that needs it, and never destroyed.
  static const ResolverTable* const table = new ResolverTable(MakeTable());
  static const Semantics* const fresh = new Semantics();
  if (const auto found = table->find(statement.mnemonic.base()); found != table->end()) {
    for (Resolver resolver : found->second) {
      *semantics = *fresh;
      if (resolver(statement, semantics)) return absl::OkStatus();
    }
  }
  *semantics = *fresh;
  return absl::NotFoundError(StrCat("no semantics for '", statement.mnemonic.text(), "'"));
}

}  // namespace ptxmir::ptx
