// SPDX-License-Identifier: Apache-2.0

// For IR and for the nodes that llc makes of it, llc-22 and the rules select the same instructions. The names of
// instructions contain the kinds of their operands, in order: r for registers, i for immediates.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/select/dag_selector.h"
#include "tests/parity/external_tools.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

struct Case {
  std::string_view types;  // of %a, %b, %c, which are t1, t2, t3
  std::string_view ir;     // computes %r
  std::string_view dag;    // the nodes; the last one is t9
};

constexpr Case kCases[] = {
    // Integers.
    {"i32 i32", "%r = add i32 %a, %b", "t9: i32 = add t1, t2"},
    {"i64 i64", "%r = add i64 %a, 77", "t9: i64 = add t1, Constant:i64<77>"},
    {"i16 i16", "%r = sub i16 %a, %b", "t9: i16 = sub t1, t2"},
    {"i32 i32", "%r = sub i32 5, %a", "t9: i32 = sub Constant:i32<5>, t1"},
    {"i32 i32", "%r = sub i32 0, %a", "t9: i32 = sub Constant:i32<0>, t1"},
    {"i64 i64", "%r = mul i64 %a, %b", "t9: i64 = mul t1, t2"},
    {"i32 i32 i32", "%m = mul i32 %a, %b\n%r = add i32 %m, %c", "t8: i32 = mul t1, t2\nt9: i32 = add t8, t3"},
    {"i32 i32 i32", "%m = mul i32 %a, 12\n%r = add i32 %m, %c",
     "t8: i32 = mul t1, Constant:i32<12>\nt9: i32 = add t8, t3"},
    {"i32 i32", "%r = sdiv i32 %a, %b", "t9: i32 = sdiv t1, t2"},
    {"i32 i32", "%r = urem i32 %a, %b", "t9: i32 = urem t1, t2"},
    {"i32 i32", "%r = and i32 %a, 4080", "t9: i32 = and t1, Constant:i32<4080>"},
    {"i32 i32", "%r = xor i32 %a, -1", "t9: i32 = xor t1, Constant:i32<-1>"},
    {"i64 i64", "%r = or i64 %a, %b", "t9: i64 = or t1, t2"},
    {"i32 i32", "%r = shl i32 %a, %b", "t9: i32 = shl t1, t2"},
    {"i32 i32", "%r = lshr i32 %a, 3", "t9: i32 = srl t1, Constant:i32<3>"},
    {"i64 i64", "%r = ashr i64 %a, 3", "t9: i64 = sra t1, Constant:i32<3>"},
    {"i32 i32", "%r = call i32 @llvm.smin.i32(i32 %a, i32 %b)", "t9: i32 = smin t1, t2"},
    {"i64 i64", "%r = call i64 @llvm.umax.i64(i64 %a, i64 9)", "t9: i64 = umax t1, Constant:i64<9>"},
    {"i32 i32", "%r = call i32 @llvm.abs.i32(i32 %a, i1 false)", "t9: i32 = abs t1"},
    {"i32 i32", "%s = lshr i32 %a, 5\n%r = and i32 %s, 255",
     "t8: i32 = srl t1, Constant:i32<5>\nt9: i32 = and t8, Constant:i32<255>"},
    {"i32 i32", "%s = shl i32 %a, 4\n%r = ashr i32 %s, 20",
     "t8: i32 = shl t1, Constant:i32<4>\nt9: i32 = sra t8, Constant:i32<20>"},
    {"i32 i32 i32", "%r = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %c)", "t9: i32 = fshl t1, t2, t3"},
    {"i32 i32", "%r = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 7)", "t9: i32 = fshr t1, t2, Constant:i32<7>"},
    {"i32 i32", "%r = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 %b)", "t9: i32 = rotl t1, t2"},
    {"i32 i32", "%r = call i32 @llvm.bswap.i32(i32 %a)", "t9: i32 = bswap t1"},
    {"i64 i64", "%r = call i64 @llvm.bitreverse.i64(i64 %a)", "t9: i64 = bitreverse t1"},
    {"i32 i32", "%r = call i32 @llvm.ctpop.i32(i32 %a)", "t9: i32 = ctpop t1"},
    {"i64 i64", "%r = call i64 @llvm.ctlz.i64(i64 %a, i1 true)", "t9: i64 = ctlz_zero_undef t1"},
    {"i64 i64", "%n = call i64 @llvm.ctpop.i64(i64 %a)\n%r = trunc i64 %n to i32",
     "t8: i64 = ctpop t1\nt9: i32 = truncate t8"},
    // Comparisons and choices.
    {"i32 i32", "%k = icmp ult i32 %a, %b\n%r = select i1 %k, i32 %a, i32 5",
     "t8: i1 = setcc t1, t2, setult:ch\nt9: i32 = select t8, t1, Constant:i32<5>"},
    {"i64 i64", "%k = icmp sgt i64 %a, 3\n%r = select i1 %k, i64 %b, i64 %a",
     "t8: i1 = setcc t1, Constant:i64<3>, setgt:ch\nt9: i64 = select t8, t2, t1"},
    {"f32 f32", "%k = fcmp ult float %a, %b\n%r = select i1 %k, float %a, float %b",
     "t8: i1 = setcc t1, t2, setult:ch\nt9: f32 = select t8, t1, t2"},
    {"f64 f64", "%k = fcmp one double %a, %b\n%r = select i1 %k, double %a, double %b",
     "t8: i1 = setcc t1, t2, setone:ch\nt9: f64 = select t8, t1, t2"},
    {"f16 f16", "%k = fcmp olt half %a, %b\n%r = select i1 %k, half %a, half %b",
     "t8: i1 = setcc t1, t2, setolt:ch\nt9: f16 = select t8, t1, t2"},
    {"i32 i32", "%k = icmp eq i32 %a, %b\n%r = sext i1 %k to i32",
     "t8: i1 = setcc t1, t2, seteq:ch\nt9: i32 = sign_extend t8"},
    // Floating point.
    {"f32 f32", "%r = fadd float %a, %b", "t9: f32 = fadd t1, t2"},
    {"f32 f32", "%r = fadd contract float %a, %b", "t9: f32 = fadd contract t1, t2"},
    {"f32 f32", "%r = fmul float %a, 3.0", "t9: f32 = fmul t1, ConstantFP:f32<3.000000e+00>"},
    {"f64 f64", "%r = fsub double %a, %b", "t9: f64 = fsub t1, t2"},
    {"f16 f16", "%r = fmul half %a, %b", "t9: f16 = fmul t1, t2"},
    {"bf16 bf16", "%r = fadd bfloat %a, %b", "t9: bf16 = fadd t1, t2"},
    {"v2f16 v2f16", "%r = fadd <2 x half> %a, %b", "t9: v2f16 = fadd t1, t2"},
    {"f32 f32 f32", "%r = call float @llvm.fma.f32(float %a, float %b, float %c)", "t9: f32 = fma t1, t2, t3"},
    {"f64 f64 f64", "%r = call double @llvm.fma.f64(double %a, double 3.0, double %c)",
     "t9: f64 = fma t1, ConstantFP:f64<3.000000e+00>, t3"},
    {"bf16 bf16 bf16", "%r = call bfloat @llvm.fma.bf16(bfloat %a, bfloat %b, bfloat %c)", "t9: bf16 = fma t1, t2, t3"},
    {"f32 f32", "%r = fdiv float %a, %b", "t9: f32 = fdiv t1, t2"},
    {"f32 f32", "%r = fdiv afn float %a, %b", "t9: f32 = fdiv afn t1, t2"},
    {"f32 f32", "%r = fdiv float 1.0, %b", "t9: f32 = fdiv ConstantFP:f32<1.000000e+00>, t2"},
    {"f64 f64", "%r = fdiv double 1.0, %b", "t9: f64 = fdiv ConstantFP:f64<1.000000e+00>, t2"},
    {"f64 f64", "%r = fdiv double %a, 3.0", "t9: f64 = fdiv t1, ConstantFP:f64<3.000000e+00>"},
    {"f32 f32", "%r = call float @llvm.sqrt.f32(float %a)", "t9: f32 = fsqrt t1"},
    {"f32 f32", "%r = call afn float @llvm.sqrt.f32(float %a)", "t9: f32 = fsqrt afn t1"},
    {"f32 f32", "%r = call afn float @llvm.sin.f32(float %a)", "t9: f32 = fsin afn t1"},
    {"f32 f32", "%r = call afn float @llvm.exp2.f32(float %a)", "t9: f32 = fexp2 afn t1"},
    {"f32 f32", "%r = call float @llvm.floor.f32(float %a)", "t9: f32 = ffloor t1"},
    {"f64 f64", "%r = call double @llvm.rint.f64(double %a)", "t9: f64 = frint t1"},
    {"f32 f32", "%r = call float @llvm.minnum.f32(float %a, float 2.0)",
     "t9: f32 = fminnum t1, ConstantFP:f32<2.000000e+00>"},
    {"f32 f32", "%r = call float @llvm.maximum.f32(float %a, float %b)", "t9: f32 = fmaximum t1, t2"},
    {"f32 f32", "%r = fneg float %a", "t9: f32 = fneg t1"},
    {"f64 f64", "%r = call double @llvm.fabs.f64(double %a)", "t9: f64 = fabs t1"},
    {"f16 f16", "%r = fneg half %a", "t9: f16 = fneg t1"},
    {"f32 f32", "%r = call float @llvm.copysign.f32(float %a, float %b)", "t9: f32 = fcopysign t1, t2"},
    // Conversions.
    {"i32 i32", "%s = add i32 %a, %b\n%r = sext i32 %s to i64", "t8: i32 = add t1, t2\nt9: i64 = sign_extend t8"},
    {"i32 i32", "%t = trunc i32 %a to i16\n%r = sext i16 %t to i32",
     "t9: i32 = sign_extend_inreg t1, ValueType:ch:i16"},
    {"i32 i32", "%r = sitofp i32 %a to float", "t9: f32 = sint_to_fp t1"},
    {"i64 i64", "%r = uitofp i64 %a to double", "t9: f64 = uint_to_fp t1"},
    {"f32 f32", "%r = fptoui float %a to i64", "t9: i64 = fp_to_uint t1"},
    {"f64 f64", "%r = fptosi double %a to i32", "t9: i32 = fp_to_sint t1"},
    {"f32 f32", "%r = fptrunc float %a to half", "t9: f16 = fp_round t1, TargetConstant:i64<0>"},
    {"f16 f16", "%r = fpext half %a to float", "t9: f32 = fp_extend t1"},
    {"bf16 bf16", "%r = fpext bfloat %a to float", "t9: f32 = fp_extend t1"},
    {"f64 f64", "%r = fptrunc double %a to float", "t9: f32 = fp_round t1, TargetConstant:i64<0>"},
    // Registers with two elements.
    {"v2i16 v2i16", "%r = add <2 x i16> %a, %b", "t9: v2i16 = add t1, t2"},
    {"f16 f16",
     "%v = insertelement <2 x half> poison, half %a, i32 0\n%w = insertelement <2 x half> %v, half %b, i32 1\n"
     "%r = fadd <2 x half> %w, %w",
     "t8: v2f16 = BUILD_VECTOR t1, t2\nt9: v2f16 = fadd t8, t8"},
    {"v2f16 v2f16", "%s = fadd <2 x half> %a, %b\n%r = extractelement <2 x half> %s, i32 1",
     "t8: v2f16 = fadd t1, t2\nt9: f16 = extract_vector_elt t8, Constant:i64<1>"},
};

std::string IrType(std::string_view type) {
  static const auto* const kNames =
      new std::map<std::string_view, std::string>{{"f16", "half"},   {"bf16", "bfloat"},      {"f32", "float"},
                                                  {"f64", "double"}, {"v2f16", "<2 x half>"}, {"v2i16", "<2 x i16>"}};
  const auto found = kNames->find(type);
  return found == kNames->end() ? std::string(type) : found->second;
}

std::string_view ResultType(const Case& test) {
  const std::string_view line = test.dag.substr(test.dag.rfind("t9: ") + 4);
  return line.substr(0, line.find(' '));
}

std::vector<std::string> TypesOf(const Case& test) { return absl::StrSplit(std::string(test.types), ' '); }

std::string IrOf(const Case& test, size_t number) {
  std::string text = "define void @f" + std::to_string(number) + "(ptr addrspace(1) %p) {\n";
  int name = 0;
  for (const std::string& type : TypesOf(test)) {
    text += std::string("%") + static_cast<char>('a' + name++) + " = load volatile " + IrType(type) +
            ", ptr addrspace(1) %p, align 8\n";
  }
  return text + std::string(test.ir) + "\nstore volatile " + IrType(ResultType(test)) +
         " %r, ptr addrspace(1) %p, align 8\nret void\n}\n";
}

bool IsCounted(std::string_view opcode) {
  return opcode.substr(0, 3) != "LD_" && opcode.substr(0, 3) != "ST_" && opcode != "Return" && opcode != "COPY" &&
         opcode != "IMPLICIT_DEF";
}

// Returns the instructions of each function of llc's MIR.
std::map<std::string, std::string> OpcodesOf(const std::string& mir) {
  std::map<std::string, std::string> opcodes;
  std::string function;
  bool in_body = false;
  for (const auto view : absl::StrSplit(mir, '\n')) {
    const std::string line(view);
    if (line.rfind("name:", 0) == 0) function = line.substr(line.rfind(' ') + 1);
    if (line.rfind("body:", 0) == 0) in_body = true;
    if (line.rfind("...", 0) == 0) in_body = false;
    if (!in_body || line.rfind("    ", 0) != 0) continue;
    std::string text = line.substr(4);
    if (const size_t equals = text.find(" = "); equals != std::string::npos) text = text.substr(equals + 3);
    const std::vector<std::string> words = absl::StrSplit(text, ' ');
    for (const std::string& word : words) {
      if (!ptx::PtxTargetInfo().find_opcode(word).has_value()) continue;  // flags
      if (IsCounted(word)) opcodes[function] += word + " ";
      break;
    }
  }
  return opcodes;
}

std::string Ours(const Case& test, const ISelOptions& options) {
  std::string lines = "    t0: ch,glue = EntryToken\n";
  int number = 1;
  for (const std::string& type : TypesOf(test)) {
    const std::string n = std::to_string(number++);
    lines += "    t" + n + ": " + type + ",ch = CopyFromReg t0, Register:" + type + " %" + n + "\n";
  }
  for (const auto line : absl::StrSplit(std::string(test.dag), '\n')) lines += "    " + std::string(line) + "\n";
  lines += "    t10: ch = CopyToReg t0, Register:" + std::string(ResultType(test)) + " %9, t9\n";
  DagText text(OneBlock(lines));
  if (!text.ok()) return "unreadable";
  if (const absl::Status status = SelectDag(text.dag(), options); !status.ok()) return std::string(status.message());
  const absl::StatusOr<EmitResult> emitted = EmitSchedule(text.dag(), {.subtarget = options.subtarget});
  if (!emitted.ok()) return std::string(emitted.status().message());
  std::string opcodes;
  for (const MachineInstr& instr : *text.dags().machine_function().front()) {
    const std::string name(ptx::PtxTargetInfo().Name(instr.opcode()));
    if (IsCounted(name)) opcodes += name + " ";
  }
  return opcodes;
}

TEST(LlcSelectionTest, TheSameInstructions) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "there is no llc-22";
  std::string ir = "target triple = \"nvptx64-nvidia-cuda\"\n";
  for (size_t i = 0; i < std::size(kCases); ++i) ir += IrOf(kCases[i], i);
  const std::string input = testing::TemporaryPath("cases.ll");
  const std::string output = testing::TemporaryPath("cases.mir");
  testing::WriteFile(input, ir);
  std::string said;
  const std::vector<std::string> command = {
      llc,   "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_90", "-mattr=+ptx80", "-stop-after=finalize-isel", input, "-o",
      output};
  ASSERT_TRUE(testing::RunCommand(command, said)) << said;
  const std::map<std::string, std::string> theirs = OpcodesOf(testing::ReadFile(output));
  const ptx::Subtarget subtarget = *ptx::Subtarget::Create("sm_90", "+ptx80");
  for (size_t i = 0; i < std::size(kCases); ++i) {
    const auto found = theirs.find("f" + std::to_string(i));
    EXPECT_EQ(Ours(kCases[i], {.subtarget = &subtarget}), found == theirs.end() ? "nothing" : found->second)
        << kCases[i].ir;
  }
}

}  // namespace
}  // namespace ptxmir::sdag
