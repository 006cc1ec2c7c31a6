// SPDX-License-Identifier: Apache-2.0

// Adds a custom pass to the pipeline: it replaces products with 2^k + 1 (3, 5, 9 ...) by a shift and an addition.
// Prints PTX, and to stderr what the pass did:
//
//     custom_pass [FILE.mir] > kernel.ptx
//
// The pass runs after machine-cse, where code is in SSA form: each register has one definition, and the result of
// a new instruction is a new register. If the pass broke anything, the compilation would fail and say where.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "ptxmir/pass.h"

namespace {

using namespace ptxmir;  // NOLINT: an example

constexpr const char* kName = "multiply-by-shifting";

// A kernel that multiplies its argument by 3, 9 and 10.
constexpr const char* kKernel = R"(---
name: multiples
machineFunctionInfo:
  signature: 'define ptx_kernel void @multiples(i32 %n, ptr addrspace(1) %out)'
body: |
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &multiples_param_0, 0
    %1:b64 = LD_i64 0, 0, 101, 3, 64, -1, &multiples_param_1, 0
    %2:b32 = MULT32ri %0, 3
    %3:b32 = MULT32ri %2, 9
    %4:b32 = MULT32ri %3, 10
    ST_i32 %2, 0, 0, 1, 32, %1, 0
    ST_i32 %3, 0, 0, 1, 32, %1, 4
    ST_i32 %4, 0, 0, 1, 32, %1, 8
    Return
...
)";

PassResult MultiplyByShifting(MachineFunction& function, PassContext& context) {
  uint64_t replaced = 0;
  for (MachineBasicBlock& block : function) {
    MachineInstr* next = nullptr;
    for (MachineInstr* instr = block.front(); instr != nullptr; instr = next) {
      next = instr->next();
      if (instr->opcode() != ptx::op::MULT32ri) continue;
      const uint32_t factor = static_cast<uint32_t>(instr->operand(2).imm());
      if (factor < 3 || !std::has_single_bit(factor - 1)) continue;
      const Register product = instr->operand(0).reg();
      const Register value = instr->operand(1).reg();
      const Register shifted = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
      BuildMI(block, instr, ptx::op::SHL32_ri)
          .AddDef(shifted)
          .AddUse(value)
          .AddImm(std::countr_zero(factor - 1))
          .Insert();
      BuildMI(block, instr, ptx::op::ADD32rr).AddDef(product).AddUse(shifted).AddUse(value).Insert();
      instr->EraseFromParent();
      // The value is read once more than before, at another place.
      function.reg_info().ClearKillFlags(value);
      ++replaced;
    }
  }
  if (replaced == 0) return {};
  context.AddStatistic("products replaced", replaced);
  return {.changed = true};
}

}  // namespace

int main(int argc, char** argv) {
  std::string mir = kKernel;
  CompileOptions options;
  if (argc > 1) {
    std::ifstream file(argv[1], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "custom_pass: cannot open '%s'\n", argv[1]);
      return 1;
    }
    mir.assign(std::istreambuf_iterator<char>(file), {});
    options.input_name = argv[1];
  }
  options.flags = {"-O2"};
  AddPassAfter(options, "machine-cse", {.name = kName, .run = MultiplyByShifting});
  const CompileResult result = Compile(mir, options);
  std::fputs(result.MessageText().c_str(), stderr);
  if (!result.ok) return 1;
  for (const CompileStatistic& statistic : result.statistics) {
    if (statistic.pass != kName) continue;
    std::fprintf(stderr, "%s: %llu %s\n", kName, static_cast<unsigned long long>(statistic.value),
                 statistic.description.c_str());
  }
  std::fwrite(result.output.data(), 1, result.output.size(), stdout);
  return 0;
}
