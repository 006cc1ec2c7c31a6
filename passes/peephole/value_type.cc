// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/value_type.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <string_view>

#include "ptx/target/instr_info.h"

namespace ptxmir::peephole {
namespace {

struct TagTypes {
  ValueType last;
  ValueType before;
  bool is_exact = true;
  bool is_clamped = false;
  bool is_known = false;
};
static_assert(sizeof(TagTypes) <= sizeof(uint64_t));

ValueType ParseType(std::string_view part) {
  if (part == "pred") return {'p', 1};
  if (part.empty() || std::string_view("busif").find(part[0]) == std::string_view::npos) return {};
  unsigned bits = 0;
  const char* const end = part.data() + part.size();
  const auto [at, error] = std::from_chars(part.data() + 1, end, bits);
  // "f16x2" and "b128" are none of the types that rules know.
  if (error != std::errc() || at != end || bits > 64) return {};
  return {part[0], static_cast<uint8_t>(bits)};
}

TagTypes ParseName(std::string_view name) {
  TagTypes types;
  for (const std::string_view inexact : {".approx", ".full"}) {
    if (name.find(inexact) != std::string_view::npos) types.is_exact = false;
  }
  types.is_known = true;
  types.is_clamped = name.find(".relu") != std::string_view::npos;
  const size_t last_dot = name.rfind('.');
  if (last_dot == std::string_view::npos) return types;
  types.last = ParseType(name.substr(last_dot + 1));
  const size_t dot = name.rfind('.', last_dot - 1);
  if (dot != std::string_view::npos) types.before = ParseType(name.substr(dot + 1, last_dot - dot - 1));
  return types;
}

// Names are parsed once, when they are first asked about: most of the 3,000 never are. Threads that parse the same name
// at the same time store the same.
TagTypes TypesOf(Opcode opcode) {
  static std::array<std::atomic<uint64_t>, ptx::kNumSemantics> table = {};
  const ptx::SemanticTag tag = ptx::InstrInfo(opcode).semantics;
  std::atomic<uint64_t>& entry = table[static_cast<size_t>(tag)];
  uint64_t packed = entry.load(std::memory_order_relaxed);
  TagTypes types;
  if (packed == 0) {
    types = ParseName(ptx::SemanticsName(tag));
    std::memcpy(&packed, &types, sizeof types);
    entry.store(packed, std::memory_order_relaxed);
  }
  std::memcpy(static_cast<void*>(&types), &packed, sizeof types);
  return types;
}

}  // namespace

ValueType ValueTypeOf(Opcode opcode) { return TypesOf(opcode).last; }
ValueType ResultTypeOfConversion(Opcode opcode) { return TypesOf(opcode).before; }
bool IsClamped(Opcode opcode) { return TypesOf(opcode).is_clamped; }
bool IsExact(Opcode opcode) { return TypesOf(opcode).is_exact; }

}  // namespace ptxmir::peephole
