// SPDX-License-Identifier: Apache-2.0

// Textures and surfaces. A module has one of each (and a sampler): variables that hold handles. Their contents
// come from ptx/interpreter/kernel_inputs.h. An instruction names the variable or takes its address in a register.
//
// In each row of the surface, a thread stores to and loads from the texel with its own number.

#include <string_view>
#include <vector>

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::InstrInfo;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

// As kernel_inputs.cc creates them.
constexpr int64_t kTexelBytes = 16;
constexpr uint32_t kRows = 2;
constexpr uint32_t kSlices = 2;

bool TakesSymbol(const OperandDesc& desc) { return desc.type != OperandType::kRegister; }

}  // namespace

MachineOperand FunctionGenerator::HandleOf(GlobalId variable, bool is_symbol) {
  const MachineOperand symbol = MachineOperand::CreateGlobal(variable);
  return is_symbol ? symbol : Use(Emit(op::texsurf_handles, kB64, {symbol}));
}

void FunctionGenerator::EmitTexture() {
  if (!module_.has_handles) return;
  const uint64_t at = random_.Below(10);
  if (at == 0) return EmitQuery();
  if (at < 6 && plan_.is_kernel) return EmitSurface();
  EmitFetch();
}

void FunctionGenerator::EmitQuery() {
  const bool of_texture = random_.Percent(50);
  const std::optional<Opcode> opcode =
      module_.NextOf(of_texture ? AddressedFamily::kTextureQuery : AddressedFamily::kSurfaceQuery);
  if (!opcode.has_value()) return;
  const bool is_symbol = TakesSymbol(module_.target.Operands(*opcode)[1]);
  EmitWhole(*opcode, {}, {HandleOf(of_texture ? module_.image : module_.plane, is_symbol)});
}

// Emits a fetch with coordinates inside and outside the texture. Other operands of an opcode (levels, gradients)
// may be anything.
void FunctionGenerator::EmitFetch() {
  const bool with_sampler = module_.has_samplers && random_.Percent(70);
  const std::optional<Opcode> opcode =
      module_.NextOf(with_sampler ? AddressedFamily::kSampledTexture : AddressedFamily::kTexture);
  if (!opcode.has_value()) return;
  const std::string_view name = ptx::SemanticsName(InstrInfo(*opcode).semantics);
  std::vector<MachineOperand> values;
  const size_t first = module_.target.Get(*opcode).num_defs;
  values.push_back(HandleOf(module_.image, TakesSymbol(module_.target.Operands(*opcode)[first])));
  if (with_sampler) {
    values.push_back(HandleOf(module_.sampler, TakesSymbol(module_.target.Operands(*opcode)[first + 1])));
  }
  const bool takes_integers = name.ends_with(".s32");
  const bool has_layer = name.find(".a1d.") != name.npos || name.find(".a2d.") != name.npos;
  for (int i = 0; i < 3; ++i) {
    const Register index = random_.Percent(70) ? Index(8, false).reg : PickValue(kB32).reg;
    constexpr int64_t kToNearest = 5;
    const bool is_integer = takes_integers || (has_layer && i == 0);
    values.push_back(Use(is_integer ? index : Emit(op::CVT_f32_s32, kB32, {Use(index), Imm(kToNearest)})));
  }
  EmitWhole(*opcode, {}, values);
}

void FunctionGenerator::EmitSurface() {
  const bool is_store = random_.Percent(55);
  const std::optional<Opcode> opcode =
      module_.NextOf(is_store ? AddressedFamily::kSurfaceStore : AddressedFamily::kSurfaceLoad);
  if (!opcode.has_value()) return;
  const std::string_view name = ptx::SemanticsName(InstrInfo(*opcode).semantics);
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  // Formatted stores count in texels, other stores in bytes.
  Register x = number_;
  if (!name.starts_with("sust.p")) {
    const int64_t bytes = int64_t{InstrInfo(*opcode).access_bits} / 8 * (has(".v4.") ? 4 : has(".v2.") ? 2 : 1);
    const Register texel = Emit(op::SHL32_ri, kB32, {Use(number_), Imm(4)});
    x = Emit(op::ADD32ri, kB32, {Use(texel), Imm(random_.Between(0, kTexelBytes / bytes - 1) * bytes)});
  }
  const Register row = Index(kRows, false).reg;
  const Register slice = Index(kSlices, false).reg;
  const size_t first = module_.target.Get(*opcode).num_defs;
  std::vector<MachineOperand> values = {HandleOf(module_.plane, TakesSymbol(module_.target.Operands(*opcode)[first]))};
  if (has(".a1d.") || has(".a2d.")) values.push_back(Use(slice));
  values.push_back(Use(x));
  if (has(".2d.") || has(".a2d.") || has(".3d.")) values.push_back(Use(row));
  if (has(".3d.")) values.push_back(Use(slice));
  EmitWhole(*opcode, {}, values);
}

}  // namespace ptxmir::fuzz
