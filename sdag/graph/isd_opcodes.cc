// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/isd_opcodes.h"

#include "absl/container/flat_hash_map.h"

namespace ptxmir::sdag {

// constinit, because GCC would otherwise fill so large a table at program start.
constinit const NodeDesc kNodeDescs[isd::kNumOpcodes] = {
#define SDAG_OPCODE(enumerator, name, payload, signature, relation, properties) \
  {name, signature, (properties), NodePayload::payload, TypeRelation::relation},
#include "sdag/graph/isd_opcodes.inc"
};

namespace {

constexpr std::string_view kCondCodeNames[kNumCondCodes] = {
    "setfalse",  "setoeq", "setogt", "setoge", "setolt", "setole", "setone", "seto",
    "setuo",     "setueq", "setugt", "setuge", "setult", "setule", "setune", "settrue",
    "setfalse2", "seteq",  "setgt",  "setge",  "setlt",  "setle",  "setne",  "settrue2"};

using NameMap = absl::flat_hash_map<std::string_view, int16_t>;

const NameMap& Names() {
  static const NameMap* const kNames = [] {
    auto* names = new NameMap;
    for (int16_t i = 0; i < isd::kNumOpcodes; ++i) names->emplace(kNodeDescs[i].name, i);
    return names;
  }();
  return *kNames;
}

}  // namespace

std::optional<int16_t> FindIsdOpcode(std::string_view name) {
  const auto found = Names().find(name);
  if (found == Names().end()) return std::nullopt;
  return found->second;
}

void ConsiderIsdOpcodes(NearestName& nearest) {
  for (const NodeDesc& desc : kNodeDescs) nearest.Consider(desc.name);
}

std::string_view Name(CondCode code) { return kCondCodeNames[static_cast<int>(code)]; }

std::optional<CondCode> FindCondCode(std::string_view name) {
  for (int i = 0; i < kNumCondCodes; ++i) {
    if (kCondCodeNames[i] == name) return static_cast<CondCode>(i);
  }
  return std::nullopt;
}

CondCode Inverse(CondCode code, bool is_integer) {
  // For integers, the unordered bit means unsigned and stays. For floating point it is one more outcome to be
  // inverted.
  unsigned bits = static_cast<unsigned>(code) ^ (is_integer ? 7 : 15);
  // A code cannot be both unordered and without regard to NaNs.
  if (bits > static_cast<unsigned>(CondCode::kTrue2)) bits &= ~8u;
  return static_cast<CondCode>(bits);
}

CondCode Swapped(CondCode code) {
  const unsigned bits = static_cast<unsigned>(code);
  return static_cast<CondCode>((bits & ~6u) | (bits & 2) << 1 | (bits & 4) >> 1);
}

std::optional<int16_t> PlainOpcode(int16_t opcode) {
  constexpr std::string_view kPrefix = "strict_";
  if (opcode < isd::kStrictFAdd || opcode > isd::kStrictFSetCCS) return std::nullopt;
  // Signaling comparisons raise an exception for any NaN. PTX has no exceptions.
  if (opcode == isd::kStrictFSetCC || opcode == isd::kStrictFSetCCS) return isd::kSetCC;
  return FindIsdOpcode(Desc(opcode).name.substr(kPrefix.size()));
}

bool IsOfTypeClass(MVT type, char type_class) {
  switch (type_class) {
    case 'I':
      return IsInteger(type);
    case 'F':
      return IsFloatingPoint(type);
    case 'S':
      return IsScalarInteger(type);
    case 'B':
      return ScalarType(type) == MVT::kI1;
    case 'P':
      return type == MVT::kI32 || type == MVT::kI64;
    case 'V':
      return IsVector(type);
    case 'N':
      return !IsVector(type) && !IsToken(type);
    default:
      return !IsToken(type);
  }
}

}  // namespace ptxmir::sdag
