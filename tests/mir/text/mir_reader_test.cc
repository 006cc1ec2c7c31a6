// SPDX-License-Identifier: Apache-2.0

// Reads correct MIR and checks the result.

#include "mir/text/mir_reader.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_writer.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> Read(std::string text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("test.mir", std::move(text)), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

// Reads a module that contains only a function with the given body.
std::unique_ptr<Module> ReadBody(std::string_view body, std::string_view keys = {}) {
  return Read("---\nname: f\n" + std::string(keys) + "body: |\n" + std::string(body) + "...\n");
}

const MachineFunction& Function(const std::unique_ptr<Module>& module) { return *module->machine_functions()[0]; }

std::string Write(const Module& module) {
  std::string out;
  WriteMir(module, {}, out);
  return out;
}

std::vector<const MachineInstr*> Instrs(const MachineFunction& function) {
  std::vector<const MachineInstr*> instrs;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) instrs.push_back(&instr);
  }
  return instrs;
}

// Returns the successors as text: "1(0x40000000) 2" for %bb.1 and %bb.2, the latter with unknown probability.
std::string Successors(const MachineBasicBlock& block) {
  std::string out;
  for (size_t i = 0; i < block.successors().size(); ++i) {
    if (i > 0) out += " ";
    out += std::to_string(block.successors()[i]->number());
    const BranchProbability probability = block.successor_probabilities()[i];
    if (!probability.is_unknown()) out += "/" + std::to_string(probability.numerator() >> 20);
  }
  return out;
}

TEST(MirReaderTest, EveryOperand) {
  auto buffer = SourceBuffer::FromFile("tests/mir/text/every_operand.mir");
  ASSERT_TRUE(buffer.ok());
  const std::unique_ptr<Module> module = Read(std::string((*buffer)->text()));
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(module->machine_functions().size(), 2u);
  const MachineFunction& function = Function(module);
  EXPECT_EQ(function.reg_info().CheckUseLists(), "");
  EXPECT_EQ(function.align_log2, 4);
  EXPECT_TRUE(function.HasProperty(FunctionProperty::kIsSsa));
  EXPECT_TRUE(function.HasProperty(FunctionProperty::kNoPhis));
  // Writing and reading again changes nothing.
  const std::string once = Write(*module);
  const std::unique_ptr<Module> again = Read(once);
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(Write(*again) == once);
}

TEST(MirReaderTest, RegisterOperands) {
  const auto module = ReadBody(
      "  bb.0:\n"
      "    dead early-clobber renamable %0:b32, undef %1:b64 = KILL killed %0, implicit-def $vrframe64, "
      "implicit internal undef %1, $noreg, _\n");
  const MachineInstr& instr = *Instrs(Function(module)).at(0);
  using Op = MachineOperand;
  ASSERT_EQ(instr.num_operands(), 7u);
  EXPECT_EQ(instr.operand(0).reg(), Register::Virtual(0));
  EXPECT_EQ(instr.operand(0).reg_flags(), Op::kDefine | Op::kDead | Op::kEarlyClobber | Op::kRenamable);
  EXPECT_EQ(instr.operand(1).reg_flags(), Op::kDefine | Op::kUndef);
  EXPECT_EQ(instr.operand(2).reg_flags(), Op::kKill);
  EXPECT_EQ(instr.operand(3).reg_flags(), Op::kDefine | Op::kImplicit);
  EXPECT_TRUE(instr.operand(3).reg().is_physical());
  EXPECT_EQ(instr.operand(4).reg_flags(), Op::kImplicit | Op::kInternalRead | Op::kUndef);
  EXPECT_FALSE(instr.operand(5).reg().is_valid());
  EXPECT_FALSE(instr.operand(6).reg().is_valid());
  EXPECT_EQ(instr.num_explicit_defs(), 2u);
}

TEST(MirReaderTest, Immediates) {
  const auto module = ReadBody(
      "  bb.0:\n"
      "    KILL -9223372036854775808, 18446744073709551615, 0, float 0x7FF8000000000000, "
      "float 1.5, float 0x36A0000000000000, half 0xH7E00, half 1.0, bfloat 0xR3F80, double -0.0, "
      "i128 5, i1 true\n");
  const MachineInstr& instr = *Instrs(Function(module)).at(0);
  EXPECT_EQ(instr.operand(0).imm(), INT64_MIN);
  EXPECT_EQ(instr.operand(1).imm(), -1);
  EXPECT_EQ(instr.operand(2).imm(), 0);
  EXPECT_EQ(instr.operand(3).fp_bits(), 0x7fc00000u);
  EXPECT_EQ(instr.operand(4).fp_bits(), 0x3fc00000u);
  EXPECT_EQ(instr.operand(5).fp_bits(), 1u);  // the smallest subnormal number
  EXPECT_EQ(instr.operand(6).fp_bits(), 0x7e00u);
  EXPECT_EQ(instr.operand(7).fp_bits(), 0x3c00u);
  EXPECT_EQ(instr.operand(8).fp_bits(), 0x3f80u);
  EXPECT_EQ(instr.operand(8).fp_width(), MachineOperand::FPWidth::kBFloat);
  EXPECT_EQ(instr.operand(9).fp_bits(), 0x8000000000000000u);
  EXPECT_EQ(instr.operand(10).kind(), MachineOperand::Kind::kWideImmediate);
  EXPECT_EQ(Function(module).symbol(instr.operand(10).symbol()), "i128 5");
  EXPECT_EQ(Function(module).symbol(instr.operand(11).symbol()), "i1 true");
}

// llc's own reader rejects this, because its verifier wants a register.
TEST(MirReaderTest, SymbolInRegisterOperand) {
  const auto module = ReadBody("  bb.0:\n    %0:b64 = MOV64_PARAM &f_param_0\n    Return\n");
  EXPECT_TRUE(Instrs(Function(module)).at(0)->operand(1).is_symbol());
}

// llc's reader fails here, too: it crashes on objects without a name.
TEST(MirReaderTest, UnnamedAllocas) {
  const auto module = ReadBody("  bb.0:\n    %0:b64 = LEA_ADDRi64 %stack.1, 0\n    Return\n",
                               "stack:\n  - { id: 0, name: '', size: 4, alignment: 4 }\n"
                               "  - { id: 1, name: '', size: 8, alignment: 8 }\n");
  EXPECT_EQ(Function(module).frame_info().objects().size(), 2u);
  EXPECT_EQ(Instrs(Function(module)).at(0)->operand(1).frame_index(), 1);
}

TEST(MirReaderTest, NamedRegistersAmongNumberedOnes) {
  const auto module =
      ReadBody("  bb.0:\n    %x:b32 = MOV_B32_i 1\n    %0:b32 = MOV_B32_i 2\n    %1:b32 = ADD32rr %x, %0\n");
  const MachineFunction& function = Function(module);
  const auto instrs = Instrs(function);
  EXPECT_EQ(function.reg_info().name(instrs[0]->operand(0).reg()), "x");
  EXPECT_EQ(instrs[2]->operand(1).reg(), instrs[0]->operand(0).reg());
  EXPECT_EQ(instrs[2]->operand(2).reg(), instrs[1]->operand(0).reg());
  EXPECT_NE(instrs[0]->operand(0).reg(), instrs[1]->operand(0).reg());
  EXPECT_TRUE(function.HasProperty(FunctionProperty::kIsSsa));
}

TEST(MirReaderTest, TiesOfInlineAsm) {
  const auto module = ReadBody(
      "  bb.0:\n"
      "    %2:b32 = MOV_B32_i 0\n"
      "    INLINEASM &\"x\", 1 /* sideeffect attdialect */, 262154 /* regdef:B32 */, def %0:b32, "
      "262154 /* regdef:B32 */, def %1:b32, 2147549193 /* reguse tiedto:$1 */, %2, "
      "2147483657 /* reguse tiedto:$0 */, %2, !7\n");
  const MachineInstr& instr = *Instrs(Function(module)).at(1);
  ASSERT_EQ(instr.num_operands(), 11u);
  EXPECT_EQ(instr.FindTiedOperand(7), 5u);
  EXPECT_EQ(instr.FindTiedOperand(9), 3u);
  EXPECT_EQ(instr.operand(10).metadata(), 7u);
}

TEST(MirReaderTest, MemoryOperands) {
  const auto module = ReadBody(
      "  bb.0:\n"
      "    KILL :: (volatile load store syncscope(\"device\") acquire monotonic (s64) on "
      "`ptr getelementptr (i8, ptr @g, i64 4)` + 12, basealign 16, !tbaa !3, addrspace 1), "
      "(store unknown-size into unknown-address)\n");
  const auto memoperands = Instrs(Function(module)).at(0)->memoperands();
  ASSERT_EQ(memoperands.size(), 2u);
  const MachineMemOperand& first = *memoperands[0];
  EXPECT_TRUE(first.is_load() && first.is_store() && first.is_volatile());
  EXPECT_EQ(first.success_ordering, AtomicOrdering::kAcquire);
  EXPECT_EQ(first.failure_ordering, AtomicOrdering::kMonotonic);
  EXPECT_EQ(first.syncscope, "device");
  EXPECT_EQ(first.SizeInBytes(), 8u);
  EXPECT_EQ(first.text, "ptr getelementptr (i8, ptr @g, i64 4)");
  EXPECT_EQ(first.offset, 12);
  EXPECT_EQ(first.align_log2, 2);
  EXPECT_EQ(first.base_align_log2, 4);
  EXPECT_EQ(first.tbaa, 3u);
  EXPECT_EQ(first.address_space, 1u);
  EXPECT_FALSE(memoperands[1]->has_known_size);
  EXPECT_EQ(memoperands[1]->value_kind, MachineMemOperand::ValueKind::kUnknownAddress);
}

TEST(MirReaderTest, Bundles) {
  const auto module = ReadBody("  bb.0:\n    BUNDLE {\n      %0:b32 = MOV_B32_i 1\n      Return\n    }\n    Return\n");
  const auto instrs = Instrs(Function(module));
  ASSERT_EQ(instrs.size(), 4u);
  const auto bundled = [&](size_t i) {
    return std::pair(instrs[i]->has_flag(MachineInstr::kBundledPred), instrs[i]->has_flag(MachineInstr::kBundledSucc));
  };
  EXPECT_EQ(bundled(0), std::pair(false, true));
  EXPECT_EQ(bundled(1), std::pair(true, true));
  EXPECT_EQ(bundled(2), std::pair(true, false));
  EXPECT_EQ(bundled(3), std::pair(false, false));
}

// The probabilities are those that LLVM 22 prints for the same input.
TEST(MirReaderTest, SuccessorsAreGuessed) {
  const auto module = ReadBody(
      "  bb.0:\n    %0:b1 = IMPLICIT_DEF\n    CBranch %0, %bb.2\n"
      "  bb.1:\n    GOTO %bb.3\n"
      "  bb.2:\n"
      "  bb.3:\n    BRX_START 0\n    BRX_ITEM %bb.1\n    BRX_ITEM %bb.2\n    BRX_END %bb.1, undef %1:b32, 0\n"
      "  bb.4:\n    successors: %bb.5, %bb.6, %bb.6\n"
      "  bb.5:\n    Return\n"
      "  bb.6:\n    successors:\n    CBranch %0, %bb.0\n");
  const MachineFunction& function = Function(module);
  EXPECT_EQ(Successors(*function.block(0)), "2/1024 1/1024");
  EXPECT_EQ(Successors(*function.block(1)), "3");
  EXPECT_EQ(Successors(*function.block(2)), "3/2048");
  EXPECT_EQ(Successors(*function.block(3)), "1 2");
  EXPECT_EQ(Successors(*function.block(4)), "5/682 6/682 6/682");
  EXPECT_EQ(Successors(*function.block(5)), "");
  EXPECT_EQ(Successors(*function.block(6)), "");
}

TEST(MirReaderTest, ComputedProperties) {
  using P = FunctionProperty;
  const auto has = [](const std::unique_ptr<Module>& module, uint32_t property) {
    return Function(module).HasProperty(property);
  };
  const auto plain = ReadBody("  bb.0:\n    Return\n");
  EXPECT_TRUE(has(plain, P::kNoPhis) && has(plain, P::kIsSsa) && has(plain, P::kNoVRegs));
  EXPECT_FALSE(has(plain, P::kNoPhisGiven));
  const auto twice = ReadBody("  bb.0:\n    %0:b32 = MOV_B32_i 0\n    %0 = MOV_B32_i 1\n");
  EXPECT_FALSE(has(twice, P::kIsSsa) || has(twice, P::kNoVRegs));
  const auto phi = ReadBody("  bb.0:\n    %0:b32 = PHI %0, %bb.0\n");
  EXPECT_FALSE(has(phi, P::kNoPhis));
  // Given properties are kept unless they are wrong.
  const auto given = ReadBody("  bb.0:\n    Return\n", "isSSA: false\n");
  EXPECT_FALSE(has(given, P::kIsSsa));
  EXPECT_TRUE(has(given, P::kIsSsaGiven));
}

// Keys may come in any order, collections in either style.
TEST(MirReaderTest, AnyOrderAndStyle) {
  const auto module = Read(
      "# comment\n---\nbody: |\n  bb.0:\n    %0:b32 = MOV_B32_i 0\n    KILL %stack.0.x\n\n"
      "stack:\n- id: 0\n  name: \"x\"\n  size: 4\n  alignment: 4\n"
      "\"name\": 'f'\nregisters: [ {class: b32, id: 0}, { \"id\": 3,\n class: b64 } ] # end\n...\n");
  ASSERT_NE(module, nullptr);
  const MachineFunction& function = Function(module);
  EXPECT_EQ(function.name(), "f");
  EXPECT_EQ(Instrs(function).size(), 2u);
  EXPECT_EQ(function.reg_info().num_virtual_registers(), 4u);
  EXPECT_EQ(function.frame_info().object(0).name, "x");
}

TEST(MirReaderTest, RegistersInMixedForms) {
  const auto module = ReadBody("  bb.0:\n    Return\n",
                               "registers:\n"
                               "  - { id: 0, class: b32, preferred-register: '', flags: [  ] }\n"
                               "  - { id: 1, class: b64 }\n"
                               "  - { id: 2, class: b1, preferred-register: '%1', flags: [  ] }\n"
                               "  # comment\n"
                               "  - { id: 3, class: b16, preferred-register: '', flags: [  ] }\n\n"
                               "  - { id: 4,\n      class: b128 }\n");
  const MachineRegisterInfo& regs = Function(module).reg_info();
  ASSERT_EQ(regs.num_virtual_registers(), 5u);
  const TargetInfo& target = ptx::PtxTargetInfo();
  for (const auto& [number, name] : {std::pair(0, "b32"), {1, "b64"}, {2, "b1"}, {3, "b16"}, {4, "b128"}}) {
    EXPECT_EQ(target.reg_classes[regs.reg_class(Register::Virtual(number))].name, name);
  }
  EXPECT_EQ(regs.preferred(Register::Virtual(2)), Register::Virtual(1));
}

TEST(MirReaderTest, CarriageReturns) {
  std::string text =
      "---\nname: f\nregisters:\n  - { id: 0, class: b32 }\nbody: |\n  bb.0:\n"
      "    %0:b32 = MOV_B32_i 0\n    Return\n...\n";
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  const auto module = Read(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Instrs(Function(module)).size(), 2u);
}

TEST(MirReaderTest, SectionsThatAreCarriedAlong) {
  const auto module = ReadBody(
      "  bb.0:\n    Return\n",
      "callSites:\n  - { bb: 0, offset: 1 }\n  - { bb: 0, offset: 2 }\nentry_values:\nmachineFunctionInfo: {}\n");
  const auto& sections = Function(module).verbatim_sections();
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].text, "\n  - { bb: 0, offset: 1 }\n  - { bb: 0, offset: 2 }\n");
  EXPECT_EQ(sections[1].text, "\n");
  EXPECT_EQ(sections[2].text, " {}\n");
}

TEST(MirReaderTest, RejectsInputWithoutDocument) {
  for (const char* text : {"", "\n", "# comment\n", "\xef\xbb\xbf"}) {
    DiagnosticEngine diagnostics;
    EXPECT_EQ(ReadMir(std::make_shared<const SourceBuffer>("k.mir", text), ptx::PtxTargetInfo(), diagnostics), nullptr);
    ASSERT_EQ(diagnostics.diagnostics().size(), 1u);
    EXPECT_EQ(diagnostics.diagnostics()[0].message, "'k.mir' is empty: it has no machine function");
  }
}

TEST(MirReaderTest, AcceptsEmptyDocuments) {
  for (const char* text : {"---\n...\n", "---\n---\n"}) {
    const auto module = Read(text);
    ASSERT_NE(module, nullptr) << text;
    EXPECT_TRUE(module->machine_functions().empty());
  }
}

// Returns the names of the functions that the sink gets, and the reader's result.
std::pair<std::vector<std::string>, bool> SinkNames(std::string text) {
  std::vector<std::string> names;
  DiagnosticEngine diagnostics;
  Module module;
  const bool ok = ReadMir(std::make_shared<const SourceBuffer>("test.mir", std::move(text)), ptx::PtxTargetInfo(),
                          diagnostics, module, [&](Module&, OwnedMachineFunction function) {
                            EXPECT_EQ(function->number(), names.size());
                            EXPECT_EQ(function->num_blocks(), 1u);
                            names.emplace_back(function->name());
                          });
  EXPECT_TRUE(module.machine_functions().empty());
  return {names, ok};
}

TEST(MirReaderTest, SinkGetsEachFunction) {
  const std::string body = "body: |\n  bb.0:\n    Return\n...\n";
  EXPECT_EQ(SinkNames("---\nname: f\n" + body + "---\nname: g\n" + body),
            std::pair(std::vector<std::string>({"f", "g"}), true));
}

TEST(MirReaderTest, SinkGetsNothingAfterAnError) {
  const std::string body = "body: |\n  bb.0:\n    Return\n...\n";
  EXPECT_EQ(SinkNames("---\nname: f\n" + body + "---\nname: g\nbody: |\n  bb.0:\n    Retrun\n...\n" + "---\nname: h\n" +
                      body),
            std::pair(std::vector<std::string>({"f"}), false));
}

}  // namespace
}  // namespace ptxmir
