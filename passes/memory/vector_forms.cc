// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/vector_forms.h"

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// The operands of stores declare no class, so the tables of instructions do not say which forms belong together.
struct Row {
  AccessKind kind;
  uint16_t register_bits;
  Opcode opcodes[4];  // of 1, 2, 4 and 8 values; 0 for none
};
constexpr Row kRows[] = {
    {AccessKind::kLoad, 16, {ptx::op::LD_i16, ptx::op::LDV_i16_v2, ptx::op::LDV_i16_v4, 0}},
    {AccessKind::kLoad, 32, {ptx::op::LD_i32, ptx::op::LDV_i32_v2, ptx::op::LDV_i32_v4, ptx::op::LDV_i32_v8}},
    {AccessKind::kLoad, 64, {ptx::op::LD_i64, ptx::op::LDV_i64_v2, ptx::op::LDV_i64_v4, 0}},
    {AccessKind::kReadOnlyLoad,
     16,
     {ptx::op::LD_GLOBAL_NC_i16, ptx::op::LD_GLOBAL_NC_v2i16, ptx::op::LD_GLOBAL_NC_v4i16, 0}},
    {AccessKind::kReadOnlyLoad,
     32,
     {ptx::op::LD_GLOBAL_NC_i32, ptx::op::LD_GLOBAL_NC_v2i32, ptx::op::LD_GLOBAL_NC_v4i32,
      ptx::op::LD_GLOBAL_NC_v8i32}},
    {AccessKind::kReadOnlyLoad,
     64,
     {ptx::op::LD_GLOBAL_NC_i64, ptx::op::LD_GLOBAL_NC_v2i64, ptx::op::LD_GLOBAL_NC_v4i64, 0}},
    {AccessKind::kStore, 16, {ptx::op::ST_i16, ptx::op::STV_i16_v2, ptx::op::STV_i16_v4, 0}},
    {AccessKind::kStore, 32, {ptx::op::ST_i32, ptx::op::STV_i32_v2, ptx::op::STV_i32_v4, ptx::op::STV_i32_v8}},
    {AccessKind::kStore, 64, {ptx::op::ST_i64, ptx::op::STV_i64_v2, ptx::op::STV_i64_v4, 0}},
};

bool IsAccess(Opcode opcode) {
  const ptx::Family family = ptx::InstrInfo(opcode).family;
  return family == ptx::Family::kLd || family == ptx::Family::kLdNc || family == ptx::Family::kSt;
}

}  // namespace

std::optional<AccessForm> AccessFormOf(Opcode opcode) {
  if (!IsAccess(opcode)) return std::nullopt;
  for (const Row& row : kRows) {
    for (unsigned i = 0; i < 4; ++i) {
      if (row.opcodes[i] != opcode) continue;
      return AccessForm{row.kind, row.register_bits, static_cast<uint8_t>(1u << i)};
    }
  }
  return std::nullopt;
}

std::optional<Opcode> OpcodeOf(const AccessForm& form) {
  for (const Row& row : kRows) {
    if (row.kind != form.kind || row.register_bits != form.register_bits) continue;
    for (unsigned i = 0; i < 4; ++i) {
      if (row.opcodes[i] != 0 && form.num_values == 1u << i) return row.opcodes[i];
    }
  }
  return std::nullopt;
}

std::optional<Opcode> SupportedOpcodeOf(const AccessForm& form, const ptx::Subtarget* subtarget) {
  const std::optional<Opcode> opcode = OpcodeOf(form);
  if (!opcode.has_value()) return std::nullopt;
  // 256 bits at once are for new GPUs only. All that are supported have the other forms.
  const bool is_new = form.num_values * form.register_bits > 128;
  const bool exists = subtarget == nullptr ? !is_new : subtarget->Supports(*opcode);
  return exists ? opcode : std::nullopt;
}

}  // namespace ptxmir
