// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_writer.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> Read(std::string_view text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("test.mir", std::string(text)), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_EQ(diagnostics.ToString(), "");
  return module;
}

std::string Write(const Module& module, bool simplify) {
  std::string text;
  WriteMir(module, {.simplify = simplify}, text);
  return text;
}

constexpr std::string_view kIr = R"(--- |
  target triple = "nvptx64-nvidia-cuda"

  @g = global i32 0
  @"a b$" = global i32 0
  @0 = global i32 0

  define void @f(ptr %p) {
  entry:
    %x = alloca i32
    br label %0

  0:
    ret void
  }
...
)";

// The output of llc 22 (-run-pass=none) for a function that has a little of everything.
constexpr std::string_view kFullHeader = R"(---
name:            f
alignment:       16
exposesReturnsTwice: false
legalized:       false
regBankSelected: false
selected:        false
failedISel:      false
tracksRegLiveness: true
hasWinCFI:       false
noPhis:          true
isSSA:           false
noVRegs:         false
hasFakeUses:     false
callsEHReturn:   false
callsUnwindInit: false
hasEHContTarget: false
hasEHScopes:     false
hasEHFunclets:   false
isOutlined:      false
debugInstrRef:   false
failsVerification: false
tracksDebugUserValues: false
registers:
  - { id: 0, class: b32, preferred-register: '%1', flags: [  ] }
  - { id: 1, class: b64, preferred-register: '$vrframe64', flags: [  ] }
  - { id: 2, class: b64, preferred-register: '', flags: [  ] }
  - { id: 3, class: b32, preferred-register: '', flags: [  ] }
  - { id: 4, class: _, preferred-register: '', flags: [  ] }
liveins:
  - { reg: '$envreg3', virtual-reg: '%0' }
  - { reg: '$envreg4', virtual-reg: '' }
frameInfo:
  isFrameAddressTaken: false
  isReturnAddressTaken: false
  hasStackMap:     false
  hasPatchPoint:   false
  stackSize:       24
  offsetAdjustment: 0
  maxAlignment:    16
  adjustsStack:    false
  hasCalls:        true
  stackProtector:  ''
  functionContext: ''
  maxCallFrameSize: 4294967295
  cvBytesOfCalleeSavedRegisters: 0
  hasOpaqueSPAdjustment: false
  hasVAStart:      false
  hasMustTailInVarArgFunc: false
  hasTailCall:     false
  isCalleeSavedInfoValid: false
  localFrameSize:  0
fixedStack:
  - { id: 0, type: spill-slot, offset: 4, size: 4, alignment: 4, stack-id: default, 
      callee-saved-register: '', callee-saved-restored: true, debug-info-variable: '', 
      debug-info-expression: '', debug-info-location: '' }
  - { id: 1, type: default, offset: 4, size: 4, alignment: 4, stack-id: default, 
      isImmutable: true, isAliased: false, callee-saved-register: '', callee-saved-restored: true, 
      debug-info-variable: '', debug-info-expression: '', debug-info-location: '' }
stack:
  - { id: 0, name: x, type: default, offset: 4, size: 4, alignment: 4, 
      stack-id: default, callee-saved-register: '', callee-saved-restored: true, 
      debug-info-variable: '', debug-info-expression: '', debug-info-location: '' }
  - { id: 1, name: '', type: spill-slot, offset: 0, size: 4, alignment: 4, 
      stack-id: default, callee-saved-register: '', callee-saved-restored: true, 
      local-offset: 8, debug-info-variable: '', debug-info-expression: '', 
      debug-info-location: '' }
  - { id: 2, name: '', type: variable-sized, offset: 0, alignment: 4, stack-id: default, 
      callee-saved-register: '', callee-saved-restored: true, debug-info-variable: '', 
      debug-info-expression: '', debug-info-location: '' }
entry_values:    []
callSites:       []
debugValueSubstitutions: []
constants:
  - id:              0
    value:           'double 3.250000e+00'
    alignment:       8
    isTargetSpecific: false
  - id:              1
    value:           float 0x3FB99999A0000000
    alignment:       4
    isTargetSpecific: false
machineFunctionInfo: {}
jumpTable:
  kind:            inline
  entries:
    - id:              0
      blocks:          [ '%bb.1', '%bb.2', '%bb.1', '%bb.2', '%bb.1', '%bb.2', 
                         '%bb.1', '%bb.2', '%bb.1', '%bb.2', '%bb.1', '%bb.2' ]
    - id:              1
      blocks:          [  ]
)";

constexpr std::string_view kSimplifiedHeader = R"(---
name:            f
alignment:       16
tracksRegLiveness: true
noPhis:          true
isSSA:           false
noVRegs:         false
hasFakeUses:     false
registers:
  - { id: 0, class: b32, preferred-register: '%1' }
  - { id: 1, class: b64, preferred-register: '$vrframe64' }
  - { id: 2, class: b64 }
  - { id: 3, class: b32 }
  - { id: 4, class: _ }
liveins:
  - { reg: '$envreg3', virtual-reg: '%0' }
  - { reg: '$envreg4' }
frameInfo:
  stackSize:       24
  maxAlignment:    16
  hasCalls:        true
fixedStack:
  - { id: 0, type: spill-slot, offset: 4, size: 4, alignment: 4 }
  - { id: 1, offset: 4, size: 4, alignment: 4, isImmutable: true }
stack:
  - { id: 0, name: x, offset: 4, size: 4, alignment: 4 }
  - { id: 1, type: spill-slot, size: 4, alignment: 4, local-offset: 8 }
  - { id: 2, type: variable-sized, alignment: 4 }
constants:
  - id:              0
    value:           'double 3.250000e+00'
    alignment:       8
  - id:              1
    value:           float 0x3FB99999A0000000
    alignment:       4
machineFunctionInfo: {}
jumpTable:
  kind:            inline
  entries:
    - id:              0
      blocks:          [ '%bb.1', '%bb.2', '%bb.1', '%bb.2', '%bb.1', '%bb.2', 
                         '%bb.1', '%bb.2', '%bb.1', '%bb.2', '%bb.1', '%bb.2' ]
    - id:              1
)";

// The same with and without simplification, except for the successors of bb.0, which a reader can guess.
constexpr std::string_view kBlock0Full = R"(body:             |
  bb.0.entry:
    successors: %bb.1(0x80000000)
    liveins: $envreg3, $envreg4:0x0000000000000001
  
)";
constexpr std::string_view kBlock0Simplified = R"(body:             |
  bb.0.entry:
    liveins: $envreg3, $envreg4:0x0000000000000001
  
)";

constexpr std::string_view kInstrs = R"(    %0:b32 = COPY $envreg3
    %foo:b32 = COPY %0
    %bar:b32 = nsw ADD32rr %foo, undef %3:b32
    %1:b64 = MOV_B64_sym @g + 8
    %1:b64 = MOV_B64_sym @g - 8
    %1:b64 = MOV_B64_sym @"a b$"
    %1:b64 = MOV_B64_sym @0
    %1:b64 = MOV_B64_sym &"a b"
    %1:b64 = MOV_B64_sym &"a\0A\22b\\c\FF"
    %1:b64 = MOV_B64_sym &"1a"
    %1:b64 = MOV_B64_sym &a1.-_
    %1:b64 = MOV_B64_sym &"$a1.-_"
    %1:b64 = MOV_B64_sym %const.0 + 4
    %1:b64 = MOV_B64_sym %jump-table.0
    %1:b64 = MOV_B64_sym %stack.0.x
    %1:b64 = MOV_B64_sym %stack.1
    %1:b64 = MOV_B64_sym %fixed-stack.1
    %1:b64 = MOV_B64_sym i128 7
    %1:b64 = MOV_B64_sym half 0xH3C00
    %1:b64 = MOV_B64_sym bfloat 0xR3F80
    %1:b64 = MOV_B64_sym float 0x7FF4000000000000
    %1:b64 = MOV_B64_sym float -0.000000e+00
    %1:b64 = MOV_B64_sym double 1.234560e+05
    %1:b64 = MOV_B64_sym double 0x4132D68700000000
    %1:b64 = MOV_B64_sym intpred(eq)
    %1:b64 = MOV_B64_sym <mcsymbol foo>
    %1:b64 = MOV_B64_sym lanemask(0x0000000000000005)
    %1:b64 = MOV_B64_sym dbg-instr-ref(1, 2)
    %1:b64 = MOV_B64_sym %bb.1
    %1:b64 = MOV_B64_sym -5, implicit $envreg3, implicit-def dead $envreg5, implicit killed undef $vrframe64
    dead early-clobber %2:b64 = COPY internal $vrframe64, implicit-def %0
    %4:_(s32) = COPY %0
    %1:b64 = nnan ninf nsz arcp contract afn reassoc nuw nsw exact nofpexcept unpredictable nneg disjoint nusw samesign inbounds COPY %1, pre-instr-symbol <mcsymbol foo>, post-instr-symbol <mcsymbol foo2>, cfi-type 5, debug-instr-number 4
    frame-setup KILL %1
    %1:b64 = frame-destroy COPY %1
    DBG_VALUE %1, $noreg
    INLINEASM &"mov $0, $1;", 33 /* sideeffect isconvergent attdialect */, 393226 /* regdef:B64 */, def %1, 13 /* imm */, 5, 2147483657 /* reguse tiedto:$0 */, %1(tied-def 3)
    %1:b64 = LD_i64 0, 0, 0, 3, 64, -1, %1, 0 :: (volatile non-temporal dereferenceable invariant load syncscope("agent") monotonic acquire (s64) from %ir.x + 8, basealign 16, addrspace 3), (load (<2 x s16>) from @g), (load unknown-size from unknown-address + 4, align 1), (load (p0) from %fixed-stack.1 + 4, align 4, basealign 8), (load (s32) from %stack.1), (load (s32) from stack), (load (s32) from constant-pool), (load (s32) from call-entry @f), (load (s32) from call-entry &"f g"), (load (s31) from `ptr getelementptr (i8, ptr @g, i64 4)`)
    BUNDLE implicit %0 {
      %1:b64 = COPY %1
      KILL %0
    }
  
  bb.1 (machine-block-address-taken, landing-pad, align 4):
    successors: %bb.2(0x55555555), %bb.1(0x2aaaaaab)
  
    GOTO %bb.2
  
  bb.2 (%ir-block.0):
    successors:
    liveins: $envreg3
  
  bb.3:
    Return
  
  bb.4:
...
)";

TEST(MirWriterTest, WritesWhatLlcWrites) {
  const std::string text = StrCat(kIr, kFullHeader, kBlock0Full, kInstrs);
  const std::unique_ptr<Module> module = Read(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Write(*module, /*simplify=*/false), text);
}

TEST(MirWriterTest, SimplifiesAsLlcDoes) {
  const std::string text = StrCat(kIr, kSimplifiedHeader, kBlock0Simplified, kInstrs);
  const std::unique_ptr<Module> module = Read(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Write(*module, /*simplify=*/true), text);
  const std::unique_ptr<Module> full = Read(Write(*module, /*simplify=*/false));
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(Write(*full, /*simplify=*/true), text);
}

std::string WriteBody(std::string_view body, bool simplify) {
  const std::unique_ptr<Module> module = Read(StrCat("---\nname: f\nbody: |\n", body, "...\n"));
  if (module == nullptr) return "";
  std::string text;
  WriteMirFunction(*module->machine_functions().front(), {.simplify = simplify}, text);
  const size_t at = text.find("body: ");
  return at == std::string::npos ? "" : text.substr(text.find('\n', at) + 1);
}

TEST(MirWriterTest, SimplifiedSuccessorsStandOnlyWhereNoReaderWouldGuessThem) {
  constexpr std::string_view kGuessed = R"(  bb.0:
    %0:b1 = MOV_B1_i -1
    CBranch %0, %bb.2
  
  bb.1:
    Return
  
  bb.2:
    Return
...
)";
  EXPECT_EQ(WriteBody(kGuessed.substr(0, kGuessed.size() - 4), true), kGuessed);
  constexpr std::string_view kOtherOrder = R"(  bb.0:
    successors: %bb.1, %bb.2
  
    %0:b1 = MOV_B1_i -1
    CBranch %0, %bb.2
  
  bb.1:
    Return
  
  bb.2:
    Return
...
)";
  EXPECT_EQ(WriteBody(kOtherOrder.substr(0, kOtherOrder.size() - 4), true), kOtherOrder);
  constexpr std::string_view kUneven = R"(  bb.0:
    successors: %bb.2(0x60000000), %bb.1(0x20000000)
  
    %0:b1 = MOV_B1_i -1
    CBranch %0, %bb.2
  
  bb.1:
    Return
  
  bb.2:
    Return
...
)";
  EXPECT_EQ(WriteBody(kUneven.substr(0, kUneven.size() - 4), true), kUneven);
}

TEST(MirWriterTest, UnknownProbabilitiesShareWhatIsLeft) {
  const std::unique_ptr<Module> module = Read(
      "---\nname: f\nbody: |\n  bb.0:\n    successors: %bb.1, %bb.2\n  bb.1:\n    Return\n  "
      "bb.2:\n    Return\n...\n");
  MachineFunction& function = *module->machine_functions().front();
  MachineBasicBlock& block = *function.front();
  const auto successors = [&] {
    std::string text;
    WriteMirFunction(function, {}, text);
    const size_t at = text.find("successors: ");
    return text.substr(at, text.find('\n', at) - at);
  };
  block.SetSuccessorProbability(0, BranchProbability::Unknown());
  block.SetSuccessorProbability(1, BranchProbability::Unknown());
  EXPECT_EQ(successors(), "successors: %bb.1(0x40000000), %bb.2(0x40000000)");
  block.SetSuccessorProbability(1, BranchProbability(0x10000000));
  EXPECT_EQ(successors(), "successors: %bb.1(0x70000000), %bb.2(0x10000000)");
}

// An offset from nothing could not be read back. LLVM prints it as an offset from an unknown address.
TEST(MirWriterTest, OffsetsOfAccessesAreFromSomething) {
  Module module;
  MachineFunction function(&module, ptx::PtxTargetInfo(), "f", 0);
  function.InsertBlock(nullptr, function.CreateBlock());
  MachineMemOperand access;
  access.flags = MachineMemOperand::kStore;
  access.has_known_size = true;
  access.type = {.kind = LowLevelType::Kind::kScalar, .bits = 32};
  access.align_log2 = access.base_align_log2 = 2;
  access.offset = 4;
  MachineInstr* instr = function.CreateInstr(generic::kImplicitDef, {});
  instr->SetMemOperands({function.CreateMemOperand(access)});
  function.front()->Append(instr);
  std::string text;
  WriteFunctionForDump(function, {}, text);
  EXPECT_NE(text.find(":: (store (s32) into unknown-address + 4)"), std::string::npos) << text;
}

TEST(MirWriterTest, EmptyFunctions) {
  const std::unique_ptr<Module> module = Read("---\nname: f\n...\n");
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(Write(*module, false).ends_with("machineFunctionInfo: {}\nbody:             |\n...\n"));
  EXPECT_TRUE(Write(*module, true).ends_with("machineFunctionInfo: {}\n...\n"));
}

TEST(MirWriterTest, NamesAreQuotedAsYamlNeedsIt) {
  for (const std::string_view name : {"f", "f.g h", "f,g"}) {
    MachineFunction function(nullptr, ptx::PtxTargetInfo(), name, 0);
    std::string text;
    WriteMirFunction(function, {}, text);
    EXPECT_TRUE(text.starts_with(StrCat("---\nname:            ", name, "\n"))) << text;
  }
  const std::pair<std::string_view, std::string_view> kQuoted[] = {
      {"", "''"},       {"_$_f", "'_$_f'"}, {"it's", "'it''s'"},   {"true", "'true'"},
      {"1e5", "'1e5'"}, {"0x1F", "'0x1F'"}, {"-f", "'-f'"},        {" f", "' f'"},
      {"f ", "'f '"},   {"a:b", "'a:b'"},   {"a\nb", "\"a\\nb\""}, {"a\x01", "\"a\\x01\""},
      {"~", "'~'"},     {".inf", "'.inf'"}, {"+.5", "'+.5'"}};
  for (const auto& [name, quoted] : kQuoted) {
    MachineFunction function(nullptr, ptx::PtxTargetInfo(), name, 0);
    std::string text;
    WriteMirFunction(function, {}, text);
    EXPECT_TRUE(text.starts_with(StrCat("---\nname:            ", quoted, "\n"))) << text.substr(0, 60);
  }
}

std::string Immediate(MachineOperand::FPWidth width, uint64_t bits) {
  MachineFunction function(nullptr, ptx::PtxTargetInfo(), "f", 0);
  MachineInstr* instr = function.CreateInstr(generic::kKill, {MachineOperand::CreateFPImm(width, bits)});
  std::string text;
  WriteOperand(instr->operand(0), {}, text);
  return text;
}
std::string Double(double value) { return Immediate(MachineOperand::FPWidth::kDouble, std::bit_cast<uint64_t>(value)); }
std::string Float(float value) { return Immediate(MachineOperand::FPWidth::kFloat, std::bit_cast<uint32_t>(value)); }

// These were compared with llc.
TEST(MirWriterTest, FloatingPointImmediates) {
  EXPECT_EQ(Double(0), "double 0.000000e+00");
  EXPECT_EQ(Double(-0.0), "double -0.000000e+00");
  EXPECT_EQ(Double(1), "double 1.000000e+00");
  EXPECT_EQ(Double(0.1), "double 1.000000e-01");
  EXPECT_EQ(Double(0.3), "double 3.000000e-01");
  EXPECT_EQ(Double(-123456), "double -1.234560e+05");
  EXPECT_EQ(Double(1234567), "double 0x4132D68700000000");
  EXPECT_EQ(Double(1e300), "double 1.000000e+300");
  // The value is just below 1e-6, and LLVM looks at six digits only.
  EXPECT_EQ(Double(1e-6), "double 0x3EB0C6F7A0B5ED8D");
  EXPECT_EQ(Double(1e-12), "double 0x3D719799812DEA11");
  EXPECT_EQ(Double(1e-308), "double 0x730D67819E8D2");
  // Denormals for which six digits, truncated, are enough.
  EXPECT_EQ(Double(std::bit_cast<double>(uint64_t{1})), "double 4.940660e-324");
  EXPECT_EQ(Double(std::bit_cast<double>(uint64_t{14})), "double 6.916910e-323");
  EXPECT_EQ(Immediate(MachineOperand::FPWidth::kDouble, uint64_t{0x7FF0000000000000}), "double 0x7FF0000000000000");
  EXPECT_EQ(Float(0.1f), "float 0x3FB99999A0000000");
  EXPECT_EQ(Float(0.5f), "float 5.000000e-01");
  // A signaling NaN stays signaling.
  EXPECT_EQ(Immediate(MachineOperand::FPWidth::kFloat, 0x7fa00000), "float 0x7FF4000000000000");
  EXPECT_EQ(Immediate(MachineOperand::FPWidth::kFloat, 0xffc00000), "float 0xFFF8000000000000");
  EXPECT_EQ(Immediate(MachineOperand::FPWidth::kHalf, 0x3c), "half 0xH003C");
}

TEST(MirWriterTest, StableNames) {
  const TargetInfo& target = ptx::PtxTargetInfo();
  Opcode opcode = 0;
  while (opcode < target.instrs.size() && target.Name(opcode) == target.StableName(opcode)) ++opcode;
  ASSERT_LT(opcode, target.instrs.size());
  MachineFunction function(nullptr, target, "f", 0);
  MachineInstr* instr = function.CreateInstr(opcode, {});
  std::string text;
  WriteInstr(*instr, {}, text);
  EXPECT_EQ(text, target.Name(opcode));
  text.clear();
  WriteInstr(*instr, {.stable_names = true}, text);
  EXPECT_EQ(text, target.StableName(opcode));
}

// The format of LLVM's -print-after.
TEST(MirWriterTest, Dump) {
  const std::unique_ptr<Module> module = Read(R"(---
name: f
tracksRegLiveness: true
liveins:
  - { reg: '$envreg3', virtual-reg: '%0' }
  - { reg: '$envreg4' }
stack:
  - { id: 0, offset: 4, size: 4, alignment: 4 }
  - { id: 1, type: variable-sized, alignment: 4 }
jumpTable:
  kind: inline
  entries:
    - id: 0
      blocks: [ '%bb.1', '%bb.2' ]
body: |
  bb.0:
    successors: %bb.1(0x55555555), %bb.2(0x2aaaaaab)
    liveins: $envreg3

    %0:b32 = COPY $envreg3
    INLINEASM &"mov $0, $1;", 33, 262154, def %1:b32, 2147483657, %0(tied-def 3)
    %2:b1 = SETP_i32ri killed %1, 9, 2
    CBranch killed %2, %bb.2

  bb.1:
    successors: %bb.2

  bb.2:
    Return
...
)");
  ASSERT_NE(module, nullptr);
  std::string text;
  WriteFunctionForDump(*module->machine_functions().front(), {}, text);
  EXPECT_EQ(text, R"(# Machine code for function f: IsSSA, NoPHIs, TracksLiveness
Frame Objects:
  fi#0: size=4, align=4, at location [SP+4]
  fi#1: variable sized, align=4, at location [SP]
Jump Tables:
%jump-table.0: %bb.1 %bb.2

Function Live Ins: $envreg3 in %0, $envreg4

bb.0:
  successors: %bb.1(0x55555555), %bb.2(0x2aaaaaab); %bb.1(66.67%), %bb.2(33.33%)
  liveins: $envreg3
  %0:b32 = COPY $envreg3
  INLINEASM &"mov $0, $1;" [sideeffect] [isconvergent] [attdialect], $0:[regdef:B32], def %1:b32, $1:[reguse tiedto:$0], %0:b32(tied-def 3)
  %2:b1 = SETP_i32ri killed %1:b32, 9, 2
  CBranch killed %2:b1, %bb.2

bb.1:
; predecessors: %bb.0
  successors: %bb.2(0x80000000); %bb.2(100.00%)


bb.2:
; predecessors: %bb.0, %bb.1

  Return

# End machine code for function f.

)");
}

}  // namespace
}  // namespace ptxmir
