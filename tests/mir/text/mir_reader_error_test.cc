// SPDX-License-Identifier: Apache-2.0

// Every error that the reader of machine code reports, with its position. `~` marks where the error must be and is
// removed before reading. Messages are LLVM's where LLVM reports the same error.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::string Read(std::string text) {
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("test.mir", std::move(text)), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_EQ(module == nullptr, diagnostics.has_errors());
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    out += std::to_string(diagnostic.where.line) + ":" + std::to_string(diagnostic.where.column) + ": " +
           diagnostic.message + "\n";
  }
  return out;
}

// Reads `text` without its marks, and expects one error at each mark.
void ExpectErrors(std::string text, const std::vector<std::string>& messages) {
  std::string expected;
  size_t line = 1;
  size_t line_start = 0;
  size_t next = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '~') {
      text.erase(i, 1);
      ASSERT_LT(next, messages.size());
      expected += std::to_string(line) + ":" + std::to_string(i - line_start + 1) + ": " + messages[next++] + "\n";
      continue;
    }
    if (text[i] == '\n') {
      ++line;
      line_start = i + 1;
    }
    ++i;
  }
  EXPECT_EQ(next, messages.size());
  EXPECT_EQ(Read(text), expected) << text;
}

constexpr std::string_view kModule = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  @g = addrspace(1) global i32 0
  define void @f() {
    ret void
  }
...
)";

struct ErrorCase {
  std::string_view text;
  std::string_view message;
};

class BodyErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(BodyErrorTest, IsReported) {
  const std::string text =
      std::string(kModule) + "---\nname: f\n" + "registers:\n  - { id: 1, class: b32 }\n  - { id: 2, class: _ }\n" +
      "stack:\n  - { id: 0, name: buf, size: 4, alignment: 4 }\n" + "constants:\n  - { id: 0, value: 'i32 1' }\n" +
      "body: |\n  bb.0:\n    " + std::string(GetParam().text) + "\n...\n";
  ExpectErrors(text, {std::string(GetParam().message)});
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, BodyErrorTest,
    ::testing::Values(
        ErrorCase{"%1 = ~ADD32rx %1, %1", "unknown machine instruction name 'ADD32rx'; did you mean 'ADD32rr'?"},
        ErrorCase{"~qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq %1",
                  "unknown machine instruction name 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq'"},
        ErrorCase{"%1 = ~5", "expected a machine instruction"},
        ErrorCase{"%1 = nsw ~", "expected a machine instruction"},
        ErrorCase{"%1 = nsw ~killed %1", "expected a machine instruction"},
        ErrorCase{"~= ADD32rr %1, %1", "expected a machine instruction"},
        ErrorCase{"%1 ~ADD32rr %1, %1", "expected '='"}, ErrorCase{"%1, ~5 = ADD32rr %1, %1", "expected '='"},
        ErrorCase{"%1, dead ~= ADD32rr %1, %1", "expected a register after register flags"},
        ErrorCase{"%1 = ADD32rr %1 ~%1", "expected ',' before the next machine operand"},
        ErrorCase{"%1 = ADD32rr %1, ~)", "expected a machine operand"},
        ErrorCase{"%1 = ADD32rr %1, ~0x10", "expected a machine operand"},
        ErrorCase{"%1 = ADD32rr %1, ~#", "unexpected character '#'"},
        ErrorCase{"%1 = ADD32rr %1, 5~a", "expected ',' before the next machine operand"},
        ErrorCase{"KILL debug-location ~5", "expected a metadata node after 'debug-location'"},
        ErrorCase{"KILL debug-location !7 ~foo", "expected ',' before the next machine operand"},
        ErrorCase{"KILL debug-instr-number ~x", "expected an integer literal after 'debug-instr-number'"},
        ErrorCase{"KILL cfi-type ~x", "expected an integer literal after 'cfi-type'"},
        ErrorCase{"KILL pre-instr-symbol ~x", "expected a symbol after 'pre-instr-symbol'"},
        ErrorCase{"KILL post-instr-symbol ~x", "expected a symbol after 'post-instr-symbol'"},
        ErrorCase{"KILL heap-alloc-marker ~x", "expected a metadata node after 'heap-alloc-marker'"},
        ErrorCase{"KILL pcsections ~x", "expected a metadata node after 'pcsections'"},
        ErrorCase{"KILL mmra ~x", "expected a metadata node after 'mmra'"},
        ErrorCase{"CFI_INSTRUCTION ~", "expected a machine operand"}, ErrorCase{"~}", "extraneous closing brace ('}')"},
        ErrorCase{"BUNDLE {\n      BUNDLE ~{\n    }", "nested instruction bundles are not allowed"},
        ErrorCase{"BUNDLE ~{\n      Return", "expected '}' at the end of the bundle that begins here"}));

INSTANTIATE_TEST_SUITE_P(
    Registers, BodyErrorTest,
    ::testing::Values(
        ErrorCase{"~%5 = COPY %1", "Cannot determine class/bank of virtual register 5 in function 'f'"},
        ErrorCase{"%1 = COPY ~%foo", "Cannot determine class/bank of virtual register foo in function 'f'"},
        ErrorCase{"~%5:specialregs = IMPLICIT_DEF",
                  "Cannot use non-allocatable class 'specialregs' for virtual register 5 in function 'f'"},
        ErrorCase{"%1:~b64 = COPY %1", "conflicting register classes, previously: b32"},
        ErrorCase{"%1:~q = COPY %1", "expected '_', register class, or register bank name"},
        ErrorCase{"%1:~_ = COPY %1", "register bank specification on normal register"},
        ErrorCase{"%2:~b32(s32) = COPY %1", "register class specification on generic register"},
        ErrorCase{"%2~ = COPY %1", "generic virtual registers must have a type"},
        ErrorCase{"%3:_(s32) = COPY %1\n    KILL %3(~s64)", "inconsistent type for generic virtual register"},
        ErrorCase{"KILL %1(~q)", "expected tied-def or low-level type after '('"},
        ErrorCase{"%3:_(~q) = COPY %1",
                  "expected sN, pA, <M x sN>, <M x pA>, <vscale x M x sN>, or <vscale x M x pA> for "
                  "GlobalISel type"},
        ErrorCase{"%3:_(~s) = COPY %1", "expected integers after 's'/'p' type character"},
        ErrorCase{"%3:_(s~4294967296) = COPY %1", "invalid size for scalar type"},
        ErrorCase{"%3:_(p~99999999) = COPY %1", "invalid address space number"},
        ErrorCase{"%3:_(<~x s32>) = COPY %1", "expected <M x sN> or <M x pA> for vector type"},
        ErrorCase{"%3:_(<~0 x s32>) = COPY %1", "invalid number of vector elements"},
        ErrorCase{"%3:_(<2 x s~0>) = COPY %1", "invalid size for scalar element in vector"},
        ErrorCase{"%3:_(<2 x s32~) = COPY %1", "expected <M x sN> or <M x pA> for vector type"},
        ErrorCase{"%3:_(<vscale ~2 x s32>) = COPY %1", "expected <vscale x M x sN> or <vscale x M x pA>"},
        ErrorCase{"%3:_(s32 ~= COPY %1", "expected ')'"},
        ErrorCase{"$envreg0(~s32) = COPY %1", "unexpected type on physical register"},
        ErrorCase{"$envreg0~:b32 = COPY %1", "register class specification expects a virtual register"},
        ErrorCase{"%1.~sub0 = COPY %1", "use of unknown subregister index 'sub0'"},
        ErrorCase{"KILL ~$foo", "unknown register name 'foo'"}, ErrorCase{"KILL ~$", "unexpected character '$'"},
        ErrorCase{"KILL ~%", "unexpected character '%'"},
        ErrorCase{"KILL killed ~killed %1", "duplicate 'killed' register flag"},
        ErrorCase{"KILL killed ~5", "expected a register after register flags"},
        ErrorCase{"killed %1 ~= COPY %1", "cannot have a killed def operand"},
        ErrorCase{"KILL dead %1~", "cannot have a dead use operand"},
        ErrorCase{"KILL ~%4000000000",
                  "virtual register number %4000000000 is out of proportion to the size of the input"},
        ErrorCase{"%1 = KILL %1(~tied-def 7)",
                  "use of invalid tied-def operand index '7'; instruction has only 2 operands"},
        ErrorCase{"%1 = KILL %1, %1(~tied-def 1)",
                  "use of invalid tied-def operand index '1'; the operand #1 isn't a defined register"},
        ErrorCase{"%1 = KILL %1(tied-def 0), %1(~tied-def 0)",
                  "the tied-def operand #0 is already tied with another register operand"},
        ErrorCase{"%1 = KILL %1(tied-def ~x)", "expected an integer literal after 'tied-def'"},
        ErrorCase{"%1 = KILL %1(tied-def 0~", "expected ')'"}));

INSTANTIATE_TEST_SUITE_P(
    Operands, BodyErrorTest,
    ::testing::Values(
        ErrorCase{"KILL ~99999999999999999999", "integer literal is too large to be an immediate operand"},
        ErrorCase{"KILL ~-9223372036854775809", "integer literal is too large to be an immediate operand"},
        ErrorCase{"KILL float ~0.1", "floating point constant invalid for type"},
        ErrorCase{"KILL half ~0.1", "floating point constant invalid for type"},
        ErrorCase{"KILL float ~0x3FB99999A0000001", "floating point constant invalid for type"},
        ErrorCase{"KILL float ~0xH3C00", "floating point constant does not have type 'float'"},
        ErrorCase{"KILL half ~0xR3C00", "floating point constant does not have type 'half'"},
        ErrorCase{"KILL float ~x", "expected a floating point literal"},
        ErrorCase{"KILL double ~1e", "expected a floating point literal"},
        ErrorCase{"KILL i32 ~x", "expected an integer literal"},
        ErrorCase{"KILL ~i0 1", "bitwidth for integer type out of range"},
        ErrorCase{"KILL ~i 1", "expected integers after 'i'/'s'/'p' type character"},
        ErrorCase{"KILL ~foo", "a typed immediate operand should start with one of 'i', 's', or 'p'"},
        ErrorCase{"KILL ~load", "expected a machine operand"},
        ErrorCase{"KILL ~%stack.7", "use of undefined stack object '%stack.7'"},
        ErrorCase{"KILL %stack.~x", "expected a number after '%stack.'"},
        ErrorCase{"KILL ~%stack.0.foo", "the name of the stack object '%stack.0' isn't 'foo'"},
        ErrorCase{"KILL ~%fixed-stack.0", "use of undefined fixed stack object '%fixed-stack.0'"},
        ErrorCase{"KILL %fixed-stack.~x", "expected a number after '%fixed-stack.'"},
        ErrorCase{"KILL ~%const.7", "use of undefined constant '%const.7'"},
        ErrorCase{"KILL %const.~x", "expected a number after '%const.'"},
        ErrorCase{"KILL %const.0 + ~x", "expected an integer literal after '+'"},
        ErrorCase{"KILL %const.0 - ~9999999999999999999", "expected 64-bit integer (too large)"},
        ErrorCase{"KILL ~%jump-table.0", "use of undefined jump table '%jump-table.0'"},
        ErrorCase{"KILL %jump-table.~x", "expected a number after '%jump-table.'"},
        ErrorCase{"KILL %subreg.~x", "unknown subregister index 'x'"},
        ErrorCase{"KILL ~%ir.x", "expected a machine operand"},
        ErrorCase{"GOTO ~%bb.7", "use of undefined machine basic block #7"},
        ErrorCase{"GOTO ~%bb.0.foo", "the name of machine basic block #0 isn't 'foo'"},
        ErrorCase{"GOTO ~%bb.999999999",
                  "machine basic block number #999999999 is out of proportion to the size of the input"},
        ErrorCase{"GOTO ~%bb.4294967296", "expected 32-bit integer (too large)"},
        ErrorCase{"KILL ~@foo", "use of undefined global value '@foo'"},
        ErrorCase{"KILL ~@\"fo o\"", "use of undefined global value '@\"fo o\"'"},
        ErrorCase{"KILL ~@0", "use of undefined global value '@0'"}, ErrorCase{"KILL ~@", "expected a machine operand"},
        ErrorCase{"KILL @~\"g", "end of machine instruction reached before the closing '\"'"},
        ErrorCase{"KILL @g + ~x", "expected an integer literal after '+'"},
        ErrorCase{"KILL &~\"foo", "end of machine instruction reached before the closing '\"'"},
        ErrorCase{"KILL ~&", "expected a machine operand"}, ErrorCase{"KILL !~)", "expected metadata id after '!'"},
        ErrorCase{"KILL ~!x", "use of unknown metadata keyword '!x'"},
        ErrorCase{"KILL ~!2000000000", "use of undefined metadata '!2000000000'"},
        ErrorCase{"KILL !DIExpression(~", "expected ')'"},
        ErrorCase{"KILL <mcsymbol foo~", "expected the '<mcsymbol ...' to be closed by a '>'"},
        ErrorCase{"KILL <mcsymbol ~\"foo", "unable to parse quoted string from opening quote"},
        ErrorCase{"KILL ~<foo>", "expected a machine operand"}, ErrorCase{"KILL blockaddress ~5", "expected '('"},
        ErrorCase{"KILL blockaddress(@f, %ir-block.0~", "expected ')'"},
        ErrorCase{"KILL intpred(~foo)", "invalid integer predicate"},
        ErrorCase{"KILL floatpred(~eq)", "invalid floating-point predicate"},
        ErrorCase{"KILL intpred ~eq", "expected syntax intpred(whatever) or floatpred(whatever"},
        ErrorCase{"KILL dbg-instr-ref ~1", "expected syntax dbg-instr-ref(<unsigned>, <unsigned>)"},
        ErrorCase{"KILL dbg-instr-ref(~x)", "expected unsigned integer for instruction index"},
        ErrorCase{"KILL dbg-instr-ref(1~)", "expected syntax dbg-instr-ref(<unsigned>, <unsigned>)"},
        ErrorCase{"KILL dbg-instr-ref(1, ~)", "expected unsigned integer for operand index"},
        ErrorCase{"KILL lanemask ~1", "expected '('"},
        ErrorCase{"KILL lanemask(~x)", "expected a valid lane mask value"},
        ErrorCase{"KILL target-flags(~foo) @g", "use of undefined target flag 'foo'"},
        ErrorCase{"KILL target-flags(~) @g", "expected the name of the target flag"}));

INSTANTIATE_TEST_SUITE_P(
    MemoryOperands, BodyErrorTest,
    ::testing::Values(
        ErrorCase{"KILL :: ~load", "expected '('"},
        ErrorCase{"KILL :: (~foo)", "expected 'load' or 'store' memory operation"},
        ErrorCase{"KILL :: (volatile ~volatile load (s32))", "duplicate 'volatile' memory operand flag"},
        ErrorCase{"KILL :: (~\"flag\" load (s32))", "use of undefined target MMO flag 'flag'"},
        ErrorCase{"KILL :: (load ~foo (s32))", "expected an atomic scope, ordering or a size specification"},
        ErrorCase{"KILL :: (load syncscope ~\"a\" (s32))", "expected '(' in syncscope"},
        ErrorCase{"KILL :: (load syncscope(~a) (s32))", "expected string constant"},
        ErrorCase{"KILL :: (load syncscope(\"a\" ~acquire (s32))", "expected ')' in syncscope"},
        ErrorCase{"KILL :: (load acquire acquire ~acquire (s32))",
                  "expected memory LLT, the size integer literal or 'unknown-size' after memory "
                  "operation"},
        ErrorCase{"KILL :: (load ~)",
                  "expected memory LLT, the size integer literal or 'unknown-size' after memory "
                  "operation"},
        ErrorCase{"KILL :: (load (~q))",
                  "expected sN, pA, <M x sN>, <M x pA>, <vscale x M x sN>, or <vscale x M x pA> for "
                  "GlobalISel type"},
        ErrorCase{"KILL :: (load (s32 ~from %ir.x)", "expected ')'"},
        ErrorCase{"KILL :: (load (s32) ~into %ir.x)", "expected 'from'"},
        ErrorCase{"KILL :: (store (s32) ~from %ir.x)", "expected 'into'"},
        ErrorCase{"KILL :: (load store (s32) ~from %ir.x)", "expected 'on'"},
        ErrorCase{"KILL :: (load (s32) from ~5)", "expected an IR value reference"},
        ErrorCase{"KILL :: (load (s32) from ~%bb.0)", "expected an IR value reference"},
        ErrorCase{"KILL :: (load (s32) from ~%stack.7)", "use of undefined stack object '%stack.7'"},
        ErrorCase{"KILL :: (load (s32) from ~`foo)", "end of machine instruction reached before the closing '`'"},
        ErrorCase{"KILL :: (load (s32) from ~@foo)", "use of undefined global value '@foo'"},
        ErrorCase{"KILL :: (load (s32) from call-entry ~5)",
                  "expected a global value or an external symbol after 'call-entry'"},
        ErrorCase{"KILL :: (load (s32) from custom ~x)", "expected string constant"},
        ErrorCase{"KILL :: (load (s32), ~foo)",
                  "expected 'align' or '!tbaa' or '!alias.scope' or '!noalias' or '!range' or "
                  "'!noalias.addrspace'"},
        ErrorCase{"KILL :: (load (s32), ~!foo !3)", "use of unknown metadata keyword '!foo'"},
        ErrorCase{"KILL :: (load (s32), !tbaa ~3)", "expected metadata id after '!'"},
        ErrorCase{"KILL :: (load (s32), align ~x)", "expected an integer literal after 'align'"},
        ErrorCase{"KILL :: (load (s32), align ~3)", "expected a power-of-2 literal after 'align'"},
        ErrorCase{"KILL :: (load (s32) from %ir.x + 4, align ~8)", "specified alignment is more aligned than offset"},
        ErrorCase{"KILL :: (load (s32), basealign ~3)", "expected a power-of-2 literal after 'align'"},
        ErrorCase{"KILL :: (load (s32), addrspace ~x)", "expected an integer literal after 'addrspace'"},
        ErrorCase{"KILL :: (load (s32)~", "expected ')'"},
        ErrorCase{"KILL :: (load (s32)) ~(load (s32))", "expected ',' before the next machine memory operand"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, BodyErrorTest,
    ::testing::Values(ErrorCase{"successors ~%bb.0", "expected ':'"},
                      ErrorCase{"successors: ~5", "expected a machine basic block reference"},
                      ErrorCase{"successors: %bb.0(~x)", "expected an integer literal after '('"},
                      ErrorCase{"successors: %bb.0(5 ~%bb.0", "expected ')'"},
                      ErrorCase{"successors: %bb.0(~0x1000000000)", "expected 32-bit integer (too large)"},
                      ErrorCase{"successors: %bb.0 ~%bb.0", "expected line break at the end of a list"},
                      ErrorCase{"successors: ~%bb.7", "use of undefined machine basic block #7"},
                      ErrorCase{"liveins: ~%1", "expected a named register"},
                      ErrorCase{"liveins: ~$foo", "unknown register name 'foo'"},
                      ErrorCase{"liveins: $envreg0:~x", "expected a lane mask"},
                      ErrorCase{"liveins: $envreg0 ~$envreg1", "expected line break at the end of a list"},
                      ErrorCase{"Return\n  ~bb.0:", "redefinition of machine basic block with id #0"},
                      ErrorCase{"Return\n  bb.1 ~5:", "expected ':'"},
                      ErrorCase{"Return\n  bb.1 (~foo):", "expected ')'"},
                      ErrorCase{"Return\n  bb.1 (landing-pad~:", "expected ')'"},
                      ErrorCase{"Return\n  bb.1 (align ~x):", "expected an integer literal after 'align'"},
                      ErrorCase{"Return\n  bb.1 (align ~3):", "expected a power-of-2 literal after 'align'"},
                      ErrorCase{"Return\n  bb.1 (bb_id ~x):", "Unknown BB ID"},
                      ErrorCase{"Return\n  bb.1 (call-frame-size ~x):", "Unknown call frame size"},
                      ErrorCase{"Return\n  bb.1 (bbsections ~):", "Unknown Section ID"},
                      ErrorCase{"Return\n  bb.1 (ir-block-address-taken ~5):",
                                "expected basic block after 'ir_block_address_taken'"}));

class KeyErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(KeyErrorTest, IsReported) {
  ExpectErrors(std::string(kModule) + "---\nname: f\n" + std::string(GetParam().text) + "\n...\n",
               {std::string(GetParam().message)});
}

INSTANTIATE_TEST_SUITE_P(
    Keys, KeyErrorTest,
    ::testing::Values(
        ErrorCase{"~foo: 3", "unknown key 'foo'"}, ErrorCase{"~name: g", "duplicated mapping key 'name'"},
        ErrorCase{"isSSA: ~maybe", "invalid boolean"}, ErrorCase{"alignment: ~x", "invalid number"},
        ErrorCase{"alignment: ~3", "must be 0 or a power of two"}, ErrorCase{"registers: ~5", "not a sequence"},
        ErrorCase{"registers: [ ~5 ]", "not a mapping"},
        ErrorCase{"registers: [ { ~id: 1 } ]", "missing required key 'class'"},
        ErrorCase{"registers: [ { ~class: b32 } ]", "missing required key 'id'"},
        ErrorCase{"registers: [ { id: ~x, class: b32 } ]", "invalid number"},
        ErrorCase{"registers:\n  - { id: 0, class: b32 }\n  - { id: ~0, class: b32 }",
                  "redefinition of virtual register '%0'"},
        ErrorCase{"registers:\n  - { id: 0, class: ~q }", "use of undefined register class or register bank 'q'"},
        ErrorCase{"registers:\n  - { id: 0, class: b32, ~foo: 3 }", "unknown key 'foo'"},
        ErrorCase{"registers:\n  - { id: 0, class: b32, ~id: 3 }", "duplicated mapping key 'id'"},
        ErrorCase{"registers:\n  - { id: 0, class: b32, flags: [ ~foo ] }", "use of undefined register flag 'foo'"},
        ErrorCase{"registers:\n  - { id: 0, class: b32, preferred-register: '~foo' }",
                  "expected either a named or virtual register"},
        ErrorCase{"registers:\n  - { id: 0, class: b32, preferred-register: '$envreg0~ x' }",
                  "expected end of string after the register reference"},
        ErrorCase{"registers:\n  - { id: 0, class: ~_, preferred-register: '$envreg0' }",
                  "preferred register can only be set for normal vregs"},
        ErrorCase{"liveins: [ { reg: '~$foo' } ]", "unknown register name 'foo'"},
        ErrorCase{"liveins: [ { ~foo: '$envreg0', reg: '$envreg0' } ]", "unknown key 'foo'"},
        ErrorCase{"frameInfo: ~[ 3 ]", "not a mapping"}, ErrorCase{"frameInfo:\n  ~foo: 3", "unknown key 'foo'"},
        ErrorCase{"frameInfo:\n  hasCalls: true\n  ~hasCalls: true", "duplicated mapping key 'hasCalls'"},
        ErrorCase{"frameInfo:\n  stackSize: ~-1", "invalid number"},
        ErrorCase{"stack: [ { ~name: x } ]", "missing required key 'id'"},
        ErrorCase{"stack: [ { id: 0, ~foo: x } ]", "unknown key 'foo'"},
        ErrorCase{"stack: [ { id: 0, ~id: 0 } ]", "duplicated mapping key 'id'"},
        ErrorCase{"stack: [ { id: 0, ~isImmutable: true } ]", "unknown key 'isImmutable'"},
        ErrorCase{"stack: [ { id: 0, type: ~foo } ]", "unknown enumerated scalar"},
        ErrorCase{"stack: [ { id: 0, stack-id: ~foo } ]", "unknown enumerated scalar"},
        ErrorCase{"stack: [ { id: 0, alignment: ~3 } ]", "must be 0 or a power of two"},
        ErrorCase{"stack: [ { id: 0 }, { id: ~0 } ]", "redefinition of stack object '%stack.0'"},
        ErrorCase{"stack: [ { id: ~9999999 } ]",
                  "stack object number 9999999 is out of proportion to the size of the input"},
        ErrorCase{"fixedStack: [ { id: 0 }, { id: ~0 } ]", "redefinition of fixed stack object '%fixed-stack.0'"},
        ErrorCase{"constants: [ { id: 0, value: 'i32 1' }, { id: ~0, value: 'i32 1' } ]",
                  "redefinition of constant pool item '%const.0'"},
        ErrorCase{"constants: [ { id: 0, ~foo: 'i32 1' } ]", "unknown key 'foo'"},
        ErrorCase{"jumpTable:\n  kind: ~foo", "unknown enumerated scalar"},
        ErrorCase{"jumpTable:\n  ~foo: foo", "unknown key 'foo'"},
        ErrorCase{"jumpTable:\n  entries: [ { id: 0, blocks: [ '~%bb.7' ] } ]",
                  "use of undefined machine basic block #7"},
        ErrorCase{"jumpTable:\n  entries: [ { id: 0, blocks: [ '~foo' ] } ]",
                  "expected a machine basic block reference"},
        ErrorCase{"jumpTable:\n  entries: [ { id: 0 }, { id: ~0 } ]",
                  "redefinition of jump table entry '%jump-table.0'"},
        ErrorCase{"alignment: 1 # comment\n  ~isSSA: true", "unexpected indentation"},
        ErrorCase{"liveins: [ ] ~x", "unexpected text after a value"},
        ErrorCase{"liveins: [ { reg: ~'$envreg0 } ]", "expected a closing '"},
        ErrorCase{"registers: [ { id: 1~", "expected '}'"}, ErrorCase{"isSSA~", "expected ':' after a key"},
        ErrorCase{"body: |\n  ~Return", "expected a basic block definition before instructions"},
        ErrorCase{"body: | ~x", "expected a line break"}));

TEST(MirReaderErrorTest, Documents) {
  const std::string module(kModule);
  ExpectErrors(module + "---\n~foo: 3\n...\n", {"missing required key 'name'"});
  ExpectErrors(module + "---\n~foo\n...\n", {"not a mapping"});
  ExpectErrors(module + "---\nname: ~g\n...\n", {"function 'g' isn't defined in the provided LLVM IR"});
  ExpectErrors(module + "---\nname: f\n...\n---\nname: ~f\n...\n", {"redefinition of machine function 'f'"});
  ExpectErrors(module + "---\nname: ~f\nnoPhis: true\nbody: |\n  bb.0:\n    %0:b32 = PHI %0, %bb.0\n...\n",
               {"f has explicit property NoPhi, but contains at least one PHI"});
  ExpectErrors(module +
                   "---\nname: ~f\nisSSA: true\nbody: |\n  bb.0:\n    %0:b32 = MOV_B32_i 0\n"
                   "    %0:b32 = MOV_B32_i 0\n...\n",
               {"f has explicit property IsSSA, but is not valid SSA"});
  ExpectErrors(module + "---\nname: ~f\nnoVRegs: true\nbody: |\n  bb.0:\n    %0:b32 = MOV_B32_i 0\n...\n",
               {"f has explicit property NoVRegs, but contains virtual registers"});
}

// After an error, reading continues with the next line, key and document.
TEST(MirReaderErrorTest, ManyInOneFile) {
  ExpectErrors(R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define void @f() { ret void }
  define void @g() { ret void }
...
---
name: f
~foo: 3
registers:
  - { id: 0, class: ~q }
  - { id: 1, class: b32 }
body: |
  bb.0:
    %1 = ~ADD32rx %1, %1
    %1 = ADD32rr %1, ~)
    Return
  ~bb.0:
    not looked at
  bb.1:
    ST_i32 ~@x, 0
...
---
name: g
body: |
  bb.0:
    ~QUUXBAZQUUX
...
)",
               {"unknown key 'foo'", "use of undefined register class or register bank 'q'",
                "unknown machine instruction name 'ADD32rx'; did you mean 'ADD32rr'?", "expected a machine operand",
                "redefinition of machine basic block with id #0", "use of undefined global value '@x'",
                "unknown machine instruction name 'QUUXBAZQUUX'"});
}

// Positions refer to the source even if the text must be decoded first.
TEST(MirReaderErrorTest, InQuotedScalars) {
  ExpectErrors("---\nname: f\nbody: \"bb.0:\\n  KILL ~foo\\n  ~QUUXBAZQUUX\\n\"\n...\n",
               {"a typed immediate operand should start with one of 'i', 's', or 'p'",
                "unknown machine instruction name 'QUUXBAZQUUX'"});
  ExpectErrors("---\nname: f\nbody: 'bb.0: KILL ~foo'\n...\n",
               {"a typed immediate operand should start with one of 'i', 's', or 'p'"});
  ExpectErrors("---\nname: f\nliveins: [ { reg: \"$envreg0\", virtual-reg: '~foo' } ]\n...\n",
               {"expected either a named or virtual register"});
}

// If a file has errors everywhere, reading stops before its end.
TEST(MirReaderErrorTest, StopsAtTheLimit) {
  std::string text = "---\nname: f\nbody: |\n  bb.0:\n";
  for (int i = 0; i < 100000; ++i) text += "    QUUXBAZQUUX\n";
  DiagnosticEngine diagnostics;
  EXPECT_EQ(ReadMir(std::make_shared<const SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics),
            nullptr);
  EXPECT_EQ(diagnostics.num_errors(), DiagnosticEngine::kMaxKeptErrors);
}

}  // namespace
}  // namespace ptxmir
