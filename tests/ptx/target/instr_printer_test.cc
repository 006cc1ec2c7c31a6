// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/instr_printer.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/isa/isa_opcodes.h"

namespace ptxmir::ptx {
namespace {

// Operands are written as in MIR; registers are %r1 %r2 .. (b32), %rd1 .. (b64), and so on.
class InstrPrinterTest : public ::testing::Test, public SymbolPrinter {
 protected:
  using Op = MachineOperand;

  InstrPrinterTest() : function_(nullptr, PtxTargetInfo(), "f", 3) {
    for (RegClassId reg_class : kVirtualRegisterClasses) {
      for (uint32_t i = 0; i < 20; ++i) {
        function_.reg_info().CreateVirtualRegister(reg_class);
        registers_.push_back({reg_class, i});
      }
    }
  }

  void AppendGlobal(GlobalId global, TextBuffer& out) const override {
    out.Append("g");
    out.AppendDecimal(global);
  }
  void AppendSymbol(SymbolId symbol, TextBuffer& out) const override { out.Append(function_.symbol(symbol)); }

  static Op P(uint32_t n) { return Op::CreateReg(Register::Virtual(n)); }
  static Op H(uint32_t n) { return Op::CreateReg(Register::Virtual(20 + n)); }
  static Op R(uint32_t n) { return Op::CreateReg(Register::Virtual(40 + n)); }
  static Op D(uint32_t n) { return Op::CreateReg(Register::Virtual(60 + n)); }
  static Op Q(uint32_t n) { return Op::CreateReg(Register::Virtual(80 + n)); }
  static Op I(int64_t value) { return Op::CreateImm(value); }
  static Op Phys(uint32_t n) { return Op::CreateReg(Register::Physical(n)); }
  Op Symbol(std::string_view name) { return Op::CreateExternalSymbol(function_.InternSymbol(name)); }

  // Returns the text without the tab before it and the newline after it, or "error: ...".
  std::string Print(Opcode opcode, std::initializer_list<Op> operands) {
    const PrintContext context{registers_, this, 3, {}};
    TextBuffer out;
    out.Append("before");
    const absl::Status status = PrintInstr(*function_.CreateInstr(opcode, operands), context, out);
    if (!status.ok()) {
      EXPECT_EQ(out.view(), "before");
      return StrCat("error: ", FromAbsl(status.message()));
    }
    std::string text(out.view().substr(6));
    EXPECT_EQ(text.front(), '\t');
    EXPECT_EQ(text.back(), '\n');
    return text.substr(1, text.size() - 2);
  }
  // Prints a load. All operands that are not parameters have their simplest value.
  std::string PrintLoad(int64_t sem, int64_t scope, int64_t space, int64_t sign, int64_t used, Op base, Op offset) {
    return Print(op::LD_i32, {R(1), I(sem), I(scope), I(space), I(sign), I(32), I(used), base, offset});
  }

  MachineFunction function_;
  std::vector<PrintedRegister> registers_;
};

TEST_F(InstrPrinterTest, Registers) {
  EXPECT_EQ(Print(op::ADD32rr, {R(1), R(2), R(13)}), "add.s32 \t%r1, %r2, %r13;");
  EXPECT_EQ(Print(op::V2I64toI128, {Q(4), D(5), D(6)}), "mov.b128 \t%rq4, {%rd5, %rd6};");
  EXPECT_EQ(Print(op::SELP_b16rr, {H(1), H(2), H(3), P(4)}), "selp.b16 \t%rs1, %rs2, %rs3, %p4;");
  EXPECT_EQ(Print(op::MOV_SPECIAL, {R(1), Phys(phys_reg::kEnvReg0 + 7)}), "mov.b32 \t%r1, %envreg7;");
  EXPECT_EQ(Print(op::cvta_local_64, {Phys(phys_reg::kFrame64), Phys(phys_reg::kFrameLocal64)}),
            "cvta.local.u64 \t%SP, %SPL;");
}

TEST_F(InstrPrinterTest, Immediates) {
  using Width = MachineOperand::FPWidth;
  EXPECT_EQ(Print(op::ADD64ri, {D(1), D(2), I(INT64_MIN)}), "add.s64 \t%rd1, %rd2, -9223372036854775808;");
  EXPECT_EQ(Print(op::ADD64ri, {D(1), D(2), I(1234567890123)}), "add.s64 \t%rd1, %rd2, 1234567890123;");
  EXPECT_EQ(Print(op::MOV_F32_i, {R(1), Op::CreateFPImm(Width::kFloat, 0x3f800000)}), "mov.b32 \t%r1, 0f3F800000;");
  EXPECT_EQ(Print(op::MOV_F64_i, {D(1), Op::CreateFPImm(Width::kDouble, 0x3FB999999999999A)}),
            "mov.b64 \t%rd1, 0d3FB999999999999A;");
  EXPECT_EQ(Print(op::MOV_F16_i, {H(1), Op::CreateFPImm(Width::kHalf, 0x0c00)}), "mov.b16 \t%rs1, 0x0C00;");
  EXPECT_EQ(Print(op::MOV_BF16_i, {H(1), Op::CreateFPImm(Width::kBFloat, 0x3f80)}), "mov.b16 \t%rs1, 0x3F80;");
}

TEST_F(InstrPrinterTest, SymbolsAndLabels) {
  EXPECT_EQ(Print(op::MOV_B64_sym, {D(1), Op::CreateGlobal(5)}), "mov.b64 \t%rd1, g5;");
  EXPECT_EQ(Print(op::MOV_B64_sym, {D(1), Symbol("f_param_0")}), "mov.b64 \t%rd1, f_param_0;");
  EXPECT_EQ(Print(op::CBranch, {P(1), Op::CreateBlock(12)}), "@%p1 bra \t$L__BB3_12;");
  EXPECT_EQ(Print(op::GOTO, {Op::CreateBlock(0)}), "bra.uni \t$L__BB3_0;");
  EXPECT_EQ(Print(op::BRX_START, {I(0)}), "$L_brx_0: .branchtargets");
  EXPECT_EQ(Print(op::BRX_ITEM, {Op::CreateBlock(1)}), "\t$L__BB3_1,");
  EXPECT_EQ(Print(op::BRX_END, {Op::CreateBlock(2), R(5), I(0)}), "\t$L__BB3_2;\n\tbrx.idx \t%r5, $L_brx_0;");
  EXPECT_EQ(Print(op::MOV_DEPOT_ADDR_64, {D(1), I(3)}), "mov.b64 \t%rd1, __local_depot3;");
}

TEST_F(InstrPrinterTest, Addresses) {
  EXPECT_EQ(PrintLoad(0, 0, 1, 3, -1, D(1), I(0)), "ld.global.b32 \t%r1, [%rd1];");
  EXPECT_EQ(PrintLoad(0, 0, 1, 3, -1, D(1), I(16)), "ld.global.b32 \t%r1, [%rd1+16];");
  EXPECT_EQ(PrintLoad(0, 0, 1, 3, -1, D(1), I(-4)), "ld.global.b32 \t%r1, [%rd1+-4];");
  EXPECT_EQ(PrintLoad(0, 0, 101, 3, -1, Symbol("f_param_0"), I(8)), "ld.param.b32 \t%r1, [f_param_0+8];");
  EXPECT_EQ(Print(op::LEA_ADDRi64, {D(1), Phys(phys_reg::kFrameLocal64), I(0)}), "add.u64 \t%rd1, %SPL, 0;");
}

TEST_F(InstrPrinterTest, MemoryOrderScopeSpaceAndSign) {
  EXPECT_EQ(PrintLoad(2, 1, 3, 0, -1, D(1), I(0)), "ld.relaxed.cta.shared.u32 \t%r1, [%rd1];");
  EXPECT_EQ(PrintLoad(4, 2, 7, 1, -1, D(1), I(0)), "ld.acquire.cluster.shared::cluster.s32 \t%r1, [%rd1];");
  EXPECT_EQ(PrintLoad(8, 0, 0, 2, -1, D(1), I(0)), "ld.volatile.f32 \t%r1, [%rd1];");
  EXPECT_EQ(PrintLoad(9, 4, 1, 3, -1, D(1), I(0)), "ld.mmio.relaxed.sys.global.b32 \t%r1, [%rd1];");
  EXPECT_EQ(PrintLoad(5, 3, 4, 3, -1, D(1), I(0)), "ld.release.gpu.const.b32 \t%r1, [%rd1];");
  EXPECT_EQ(PrintLoad(6, 5, 5, 3, -1, D(1), I(0)), "ld.acq_rel.local.b32 \t%r1, [%rd1];");
}

TEST_F(InstrPrinterTest, UsedBytes) {
  const std::string load = "ld.b32 \t%r1, [%rd1];";
  EXPECT_EQ(PrintLoad(0, 0, 0, 3, 0xffffffff, D(1), I(0)), load);
  EXPECT_EQ(PrintLoad(0, 0, 0, 3, 0xf0f, D(1), I(0)), ".pragma \"used_bytes_mask 0xf0f\";\n\t" + load);
}

TEST_F(InstrPrinterTest, StoredValues) {
  EXPECT_EQ(Print(op::STV_i32_v4, {R(1), I(7), Op::CreateReg(Register()), Op::CreateFPImm(Op::FPWidth::kFloat, 0), I(0),
                                   I(0), I(1), I(32), D(2), I(0)}),
            "st.global.v4.b32 \t[%rd2], {%r1, 7, _, 0f00000000};");
}

TEST_F(InstrPrinterTest, Comparisons) {
  EXPECT_EQ(Print(op::SETP_i32rr, {P(1), R(1), R(2), I(0)}), "setp.eq.b32 \t%p1, %r1, %r2;");
  EXPECT_EQ(Print(op::SETP_i32rr, {P(1), R(1), R(2), I(2)}), "setp.lt.s32 \t%p1, %r1, %r2;");
  EXPECT_EQ(Print(op::SETP_i32rr, {P(1), R(1), R(2), I(8)}), "setp.lt.u32 \t%p1, %r1, %r2;");
  EXPECT_EQ(Print(op::SETP_f32rr, {P(1), R(1), R(2), I(8), I(1)}), "setp.ltu.ftz.f32 \t%p1, %r1, %r2;");
  EXPECT_EQ(Print(op::SETP_f32rr, {P(1), R(1), R(2), I(13), I(0)}), "setp.nan.f32 \t%p1, %r1, %r2;");
  EXPECT_EQ(Print(op::SETP_i32rr, {P(1), R(1), R(2), I(6)}),
            "error: operand 3 (6) of SETP_i32rr has a value that means nothing here");
}

TEST_F(InstrPrinterTest, Conversions) {
  EXPECT_EQ(Print(op::CVT_f32_s32, {R(1), R(2), I(5)}), "cvt.rn.f32.s32 \t%r1, %r2;");
  EXPECT_EQ(Print(op::CVT_f16_f32, {H(1), R(2), I(5 | 16 | 32 | 64)}), "cvt.rn.ftz.relu.sat.f16.f32 \t%rs1, %r2;");
  EXPECT_EQ(Print(op::CVT_u8_u32, {H(1), R(2), I(0)}), "cvt.u8.u32 \t%rs1, %r2;");
  EXPECT_EQ(Print(op::CVT_f32_s32, {R(1), R(2), I(11)}),
            "error: operand 2 (11) of CVT_f32_s32 has a value that means nothing here");
}

TEST_F(InstrPrinterTest, Permutations) {
  EXPECT_EQ(Print(op::PRMT_B32rri, {R(1), R(2), R(3), I(0x3210), I(1)}), "prmt.b32.f4e \t%r1, %r2, %r3, 0x3210U;");
  EXPECT_EQ(Print(op::PRMT_B32rri, {R(1), R(2), R(3), I(-0x10), I(0)}), "prmt.b32 \t%r1, %r2, %r3, -0x10U;");
  EXPECT_EQ(Print(op::PRMT_B32rri, {R(1), R(2), R(3), I(0), I(0)}), "prmt.b32 \t%r1, %r2, %r3, 0x0U;");
}

TEST_F(InstrPrinterTest, Calls) {
  EXPECT_EQ(Print(op::CALL_UNI, {Symbol("callee"), I(1), I(2)}), "call.uni (retval0), callee, (param0, param1);");
  EXPECT_EQ(Print(op::CALL_UNI, {Symbol("callee"), I(0), I(0)}), "call.uni callee, ();");
  EXPECT_EQ(Print(op::CALL_conv, {D(1), I(0), I(1), I(2)}), "call %rd1, (param0), prototype_2;");
  EXPECT_EQ(Print(op::CALL_PROTOTYPE, {Symbol("prototype_2 : .callprototype ();")}),
            "prototype_2 : .callprototype ();");
  EXPECT_EQ(Print(op::Callseq_Start, {I(4), I(0)}), "{ // callseq 4, 0");
  EXPECT_EQ(Print(op::CALL_UNI, {Symbol("callee"), I(0), I(-1)}),
            "error: operand 2 (-1) of CALL_UNI has a value that means nothing here");
  EXPECT_EQ(Print(op::CALL_UNI, {Symbol("callee"), I(0), I(int64_t{1} << 40)}),
            "error: operand 2 (1099511627776) of CALL_UNI has a value that means nothing here");
}

TEST_F(InstrPrinterTest, TensorModifiers) {
  EXPECT_EQ(Print(op::CP_ASYNC_BULK_TENSOR_RED_1D_TILE, {D(1), D(2), R(3), I(5)}),
            "cp.reduce.async.bulk.tensor.1d.global.shared::cta.and.tile.bulk_group [%rd2, {%r3}], [%rd1];");
  EXPECT_EQ(Print(op::TMA_G2S_TILE_1D, {D(1), I(0), D(2), I(0), D(3), R(4), H(5), D(6), I(2)}),
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
            "[%rd1], [%rd3, {%r4}], [%rd2];");
  const std::string rest = ".row.m8n32k16.shared.u8 \t{%r1}, [%rd1];";
  EXPECT_EQ(Print(op::WMMA_LOAD_A_ROW_M8N32K16_SHARED_U8, {R(1), D(1), I(0), I(63)}),
            "wmma.load.a.sync.aligned" + rest);
  EXPECT_EQ(Print(op::WMMA_LOAD_A_ROW_M8N32K16_SHARED_U8, {R(1), D(1), I(0), I(62)}), "wmma.load.a.sync" + rest);
}

TEST_F(InstrPrinterTest, OtherErrors) {
  EXPECT_EQ(Print(generic::kPhi, {R(1)}), "error: PHI has no PTX");
  EXPECT_EQ(Print(op::ADD32rr, {R(1), R(2)}), "error: ADD32rr has 2 operands instead of 3");
  EXPECT_EQ(PrintLoad(0, 0, 2, 3, -1, D(1), I(0)),
            "error: operand 3 (2) of LD_i32 has a value that means nothing here");
  EXPECT_EQ(PrintLoad(-1, 0, 1, 3, -1, D(1), I(0)),
            "error: operand 1 (-1) of LD_i32 has a value that means nothing here");
  EXPECT_EQ(PrintLoad(0, 0, 1, 3, -1, Op::CreateFrameIndex(0), I(0)),
            "error: operand 7 of LD_i32 is a stack slot that has not been laid out");
  EXPECT_EQ(Print(op::ADD32rr, {R(1), R(2), Op::CreateReg(Register())}), "error: operand 2 of ADD32rr is $noreg");
  EXPECT_EQ(Print(op::ADD32rr, {R(1), R(2), Op::CreateMetadata(0)}),
            "error: operand 2 of ADD32rr is of a kind that PTX cannot express");
  EXPECT_EQ(Print(op::FADDf32rr, {R(1), R(2), R(3), R(4)}), "error: operand 3 of FADDf32rr should be an immediate");
  const Register unnumbered = function_.reg_info().CreateVirtualRegister(reg_class::kB32);
  EXPECT_EQ(Print(op::ADD32rr, {R(1), R(2), Op::CreateReg(unnumbered)}),
            "error: operand 2 of ADD32rr is a register without a printed number");
}

TEST(TextBufferTest, Numbers) {
  TextBuffer out;
  for (uint64_t value :
       {uint64_t{0}, uint64_t{9}, uint64_t{10}, uint64_t{99}, uint64_t{100}, uint64_t{12345}, ~uint64_t{0}}) {
    out.AppendDecimal(value);
    out.Append(' ');
  }
  out.AppendHex(0, 1, TextBuffer::kLowerHex);
  out.Append(' ');
  out.AppendHex(~uint64_t{0}, 1, TextBuffer::kLowerHex);
  EXPECT_EQ(out.view(), "0 9 10 99 100 12345 18446744073709551615 0 ffffffffffffffff");
}

TEST(TextBufferTest, Grows) {
  TextBuffer out;
  std::string expected;
  for (int i = 0; i < 10000; ++i) {
    out.Append("0123456789");
    expected += "0123456789";
  }
  out.Append(std::string(300000, 'x'));
  EXPECT_EQ(out.view(), expected + std::string(300000, 'x'));
}

}  // namespace
}  // namespace ptxmir::ptx
