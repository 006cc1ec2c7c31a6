// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/text_seeds.h"

#include <algorithm>

#include "base/str_cat.h"
#include "compiler/option_help.h"
#include "mir/code/instr_desc.h"
#include "options/knobs.h"
#include "options/pass_option_table.h"
#include "passes/pipeline/analysis_table.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::fuzz {
namespace {

// Words are separated by a tilde or a line break.
std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("~\n"), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

constexpr std::string_view kMirWords = R"words(
killed ~ implicit ~ implicit-def ~ dead ~ undef ~ early-clobber ~ internal ~ renamable ~ debug-use
def ~ (tied-def 0) ~ frame-setup ~ frame-destroy ~ nsw ~ nuw ~ exact ~ contract ~ reassoc
nofpexcept ~ debug-location !1 ~ $noreg ~ $vrframe64 ~ $vrframelocal64 ~ $envreg0 ~ $vrdepot
%stack.0 ~ %fixed-stack.0 ~ %const.0 ~ %jump-table.0 ~ %bb.0 ~ %0 ~ %0:b32 ~ %0:b64 ~ %0:b1
%0:_(s32) ~ @f ~ &sym ~ <mcsymbol a> ~ target-index(a) ~ blockaddress(@f, %ir-block.0)
liveout($noreg) ~ CustomRegMask() ~ intrinsic(@llvm.nvvm.barrier0) ~ intpred(eq) ~ floatpred(oeq)
shufflemask(0, undef) ~ dbg-instr-ref(1, 0) ~ debug-instr-number 1 ~ lanemask(0x1) ~ :: (load (s32))
:: (volatile store (s64) into %stack.0) ~ :: (load unknown-size, align 1)
(load store syncscope("agent") seq_cst seq_cst (s32) on %ir.0) ~ addrspace 5 ~ basealign 16
!tbaa !0 ~ !range !0 ~ !DIExpression() ~ heap-alloc-marker !0 ~ pcsections !0
pre-instr-symbol <mcsymbol a> ~ post-instr-symbol <mcsymbol a> ~ cfi-type 1 ~ liveins: $envreg0
successors: %bb.0(0x80000000) ~ bb.0: ~ bb.0.entry (address-taken, align 16):
(machine-block-address-taken) ~ (landing-pad) ~ (%ir-block.0) ~ (bb_id 1 2) ~ (call-frame-size 8)
double 0x3FF0000000000000 ~ float 1.0 ~ half 0xH3C00 ~ bfloat 0xR3F80 ~ i1 true ~ i128 7
x86_fp80 0xK3FFF8000000000000000 ~ fp128 0xL0 ~ BUNDLE ~ { ~ } ~ machineFunctionInfo: ~ signature:
ptxmir-module: ~ globals: | ~ body: | ~ stack: ~ fixedStack: ~ constants: ~ callSites: ~ liveins:
jumpTable: ~ frameInfo: ~ registers: ~ name: f ~ isSSA: true ~ noPhis: false ~ noVRegs: true
tracksRegLiveness: true ~ entry_values: ~ debugValueSubstitutions: ~ type: spill-slot
type: variable-sized ~ alignment: 8 ~ size: 4 ~ offset: -8 ~ class: b128 ~ class: _ ~ id: 0
blocks: [ '%bb.0' ] ~ kind: block-address
)words";

constexpr std::string_view kIrWords = R"words(
define ~ declare ~ global ~ constant ~ alias ~ ifunc ~ type ~ opaque ~ attributes ~ comdat
module asm ~ target triple = ~ target datalayout = ~ source_filename = ~ private ~ internal ~ weak
weak_odr ~ linkonce ~ linkonce_odr ~ common ~ appending ~ extern_weak ~ external
available_externally ~ dso_local ~ hidden ~ protected ~ unnamed_addr ~ local_unnamed_addr
thread_local ~ thread_local(localexec) ~ addrspace(3) ~ addrspace("A") ~ externally_initialized
section "s" ~ partition "p" ~ align 16 ~ comdat($c) ~ cc 71 ~ ptx_kernel ~ ptx_device ~ fastcc
byval(%pair) ~ sret(i32) ~ range(i8 0, 2) ~ captures(none) ~ memory(read) ~ nofpclass(nan)
dereferenceable(8) ~ initializes((0, 4)) ~ alignstack(8) ~ allocsize(0,1) ~ vscale_range(1,2) ~ i1
i8 ~ i32 ~ i128 ~ i8388607 ~ float ~ half ~ bfloat ~ x86_fp80 ~ fp128 ~ ptr ~ void ~ metadata ~ token
label ~ [0 x i8] ~ [18446744073709551615 x i8] ~ <2 x i32> ~ <vscale x 4 x i32> ~ { i32, ptr }
<{ i8 }> ~ target("spirv.Image") ~ i32 (ptr, ...) ~ zeroinitializer ~ undef ~ poison ~ null ~ true
none ~ c"a\00" ~ 0x7FF0000000000000 ~ getelementptr inbounds (i8, ptr @q, i64 1)
ptrtoint (ptr @p to i64) ~ inttoptr (i64 1 to ptr) ~ addrspacecast (ptr @p to ptr addrspace(1))
bitcast (ptr @p to ptr) ~ trunc (i64 1 to i32) ~ add (i64 1, i64 2) ~ sub nuw (i32 3, i32 4)
blockaddress(@f, %entry) ~ dso_local_equivalent @f ~ no_cfi @f ~ splat (i32 1) ~ distinct ~ !{}
!{null} ~ !"s" ~ !DIExpression(DW_OP_deref) ~ !DILocation(line: 1, scope: !2)
!DIFile(filename: "a", directory: "b") ~ !llvm.ident = !{!0} ~ prefix i32 1 ~ personality ptr @g
gc "x" ~ no_sanitize_address ~ code_model "large" ~ uselistorder ~ summary ~ %0 ~ @0 ~ $c ~ #0 ~ !0
...
)words";

// Returns the text without the bodies of IR functions, which are indented by two in the IR document of a MIR file.
std::string WithoutIrBodies(std::string_view text) {
  std::string out;
  bool in_body = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    const std::string_view bare = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (in_body) {
      if (bare.substr(0, 1) != "}") continue;
      in_body = false;
    } else if (bare.substr(0, 7) == "define " && bare.size() >= 2 && bare.substr(bare.size() - 2) == "{\n") {
      in_body = true;
      StrAppend(&out, line, "    ret void\n");
      continue;
    }
    out += line;
  }
  return out;
}

// Returns the YAML documents, each with the separator to the next.
std::vector<std::string_view> Documents(std::string_view file) {
  std::vector<std::string_view> documents;
  for (size_t begin = 0; begin < file.size();) {
    const size_t end = std::min(file.find("\n---", begin + 1), file.size() - 1) + 1;
    documents.push_back(file.substr(begin, end - begin));
    begin = end;
  }
  return documents;
}

}  // namespace

std::vector<std::string> MirTexts() {
  return {
      R"(--- |
  target triple = "nvptx64-nvidia-cuda"

  @table = internal addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 0], align 4

  define ptx_kernel void @f(ptr addrspace(1) %p, i32 %n) #0 !dbg !2 {
  entry:
    br label %loop
  loop:
    br i1 poison, label %loop, label %exit, !llvm.loop !0
  exit:
    ret void
  }

  attributes #0 = { "target-cpu"="sm_80" "nvvm.maxntid"="256" }
  !llvm.module.flags = !{!1}
  !0 = distinct !{!0}
  !1 = !{i32 2, !"Debug Info Version", i32 3}
  !2 = distinct !{}
...
---
name:            f
alignment:       1
tracksRegLiveness: true
registers:
  - { id: 0, class: b32, preferred-register: '' }
frameInfo:
  maxAlignment:    8
stack:
  - { id: 0, name: a, size: 16, alignment: 8 }
jumpTable:
  kind: inline
  entries:
    - id: 0
      blocks: [ '%bb.1', '%bb.2' ]
body:             |
  bb.0.entry:
    successors: %bb.1(0x80000000)

    %4:b64 = LD_i64 0, 0, 101, 3, 64, -1, &f_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &f_param_1, 0 :: (dereferenceable invariant load (s32), addrspace 101)
    ST_i32 %0, 0, 0, 5, 32, %stack.0.a, 4 :: (store (s32) into %stack.0.a + 4, align 4, addrspace 5)

  bb.1.loop (align 4):
    successors: %bb.1(0x7c000000), %bb.2(0x04000000)

    %2:b32 = PHI %0, %bb.0, %3, %bb.1
    %3:b32 = nsw ADD32ri killed %2, -1
    INLINEASM &"mov.b32 $0, $1;", 0 /* attdialect */, 2359306 /* regdef:B32 */, def %5:b32, 2147483657, %3(tied-def 3)
    %1:b1 = SETP_i32ri %3, 7, 2
    CBranch %1, %bb.1
    GOTO %bb.2

  bb.2.exit:
    ST_i32 %3, 0, 0, 1, 32, %4, 0 :: (store (s32) into %ir.p, !tbaa !0, addrspace 1)
    Return

...
)",
      R"(---
ptxmir-module:
  triple: nvptx64-nvidia-cuda
  cpu: sm_90
  features: +ptx88
  globals: |
    @table = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 0], align 4
    declare i32 @vprintf(ptr, ptr)
...
---
name:            g
machineFunctionInfo:
  signature: 'define ptx_kernel void @g(ptr addrspace(1) %p, i32 %n) "nvvm.maxntid"="256"'
body:             |
  bb.0:
    %0:b64 = MOV_B64_i @table
    %1:b32 = LD_i32 0, 0, 1, 3, 32, -1, killed %0, 4 :: (load (s32) from @table + 4)
    Return

...
)"};
}

std::vector<std::string> MirDictionary() {
  std::vector<std::string> words = SplitWords(kMirWords);
  const TargetInfo& target = ptx::PtxTargetInfo();
  // The generic opcodes, then a sample of the target's.
  constexpr size_t kGeneric = generic::kArithFence + 1;
  for (size_t i = 0; i < target.instrs.size(); i += i < kGeneric ? 1 : 13) {
    words.emplace_back(target.Name(static_cast<Opcode>(i)));
  }
  return words;
}

std::vector<std::string> IrTexts() {
  return {R"(source_filename = "a.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
module asm ".globl x"
%pair = type { float, [2 x i32], <4 x half>, ptr addrspace(3) }
%packed = type <{ i8, i64 }>
$c = comdat any
@table = internal addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 poison, i32 undef], align 4
@s = private unnamed_addr constant [4 x i8] c"a\00\22\FF", section "x", align 1
@p = global ptr getelementptr inbounds (%pair, ptr @q, i64 0, i32 1, i64 1), comdat($c)
@q = external addrspace(3) global %pair
@z = dso_local externally_initialized addrspace(4) global %packed <{ i8 -1, i64 add (i64 ptrtoint (ptr @p to i64), i64 8) }>
@f64 = global double 0x7FF8000000000000
@a = weak alias i32, ptr @table
define ptx_kernel void @f(ptr byval(%pair) align 8 %0, i32 noundef range(i32 0, 7) %n) #0 !dbg !2 {
entry:
  br label %3
3:
  br i1 poison, label %3, label %exit, !llvm.loop !0
exit:
  call void @g(ptr @table)
  ret void
}
declare void @g(...) nounwind memory(none)
attributes #0 = { convergent "target-cpu"="sm_80" "nvvm.maxntid"="256" }
!nvvm.annotations = !{!3}
!llvm.module.flags = !{!1}
!0 = distinct !{!0, !{!"llvm.loop.unroll.disable"}}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DISubprogram(name: "f", line: 3, flags: DIFlagPrototyped | DIFlagPublic, unit: null)
!3 = !{ptr @f, !"grid_constant", !{i32 1, i32 3}}
)"};
}

std::vector<std::string> IrDictionary() { return SplitWords(kIrWords); }

std::vector<std::string> YamlTexts() {
  return {R"(--- |
  literal
    more

...
---
a: 1   # comment
'b': "x\n\u00e9\x41"
c: [ 1, { d: e, 'f': g }, [], {} ]
h:
  - i
  - j: k
    l: >-
      folded
      text

      more
  - - m
    - n
o: plain scalar
  over lines
p:
q: 'it''s'
...
)"};
}

std::vector<std::string> YamlDictionary() {
  return {"---",  "...",          "--- |", "--- >",       "|",  "|-", "|+", "|2",  ">",  ">-",    ">9",        "- ",
          "-",    ": ",           ":",     "? ",          "{",  "}",  "[",  "]",   ",",  "'",     "''",        "\"",
          "\\n",  "\\x4",         "\\u12", "\\U00110000", "\\", "# ", "#",  "&a ", "*a", "!tag ", "%YAML 1.2", "\t",
          "\r\n", "\xef\xbb\xbf", "a: ",   "- a: b"};
}

std::vector<std::string> OptionTexts() {
  return {"-O2\n-mcpu=sm_90\n-mattr=+ptx88\na.mir\n-o\n-\n",
          "-run-pass=phi-node-elimination,twoaddressinstruction\n--verify-"
          "machineinstrs=false\na.mir\n",
          "-start-after=machine-cse,1\n-stop-before=nvptx-peephole\n-simplify-"
          "mir\n--\n-x.mir\n",
          "-mcpu\nsm_80\n-print-after=postrapseudos\n-filter-print-funcs=f,g\n-"
          "stats\n-time-passes\n-"};
}

// Returns option names from the help text, and the names of passes and GPUs.
std::vector<std::string> OptionDictionary() {
  std::vector<std::string> words = {"=", ",", "--", "-", "true", "false", "0", "+ptx88", "-ptx88", "+sm_90a", "mir"};
  const std::string help = HelpText();
  for (size_t at = help.find("\n  -"); at != std::string::npos; at = help.find("\n  -", at + 1)) {
    const size_t begin = at + 3;
    words.push_back(help.substr(begin, help.find_first_of(" =[<", begin) - begin));
  }
  for (const PassInfo& pass : PassTable()) words.emplace_back(pass.name);
  for (const AnalysisInfo& analysis : AnalysisTable()) words.emplace_back(analysis.name);
  for (const KnobInfo& knob : KnobTable()) words.emplace_back(knob.name);
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    if (!slot.option.empty()) words.emplace_back(slot.option);
  }
  for (const NamedPassOption& option : NamedPassOptions()) words.emplace_back(option.name);
  for (const std::string_view word :
       {"-opt", "-Xopt", "-passes", "print<", "require<", "loop(", "function(", ")", ">"}) {
    words.emplace_back(word);
  }
  for (const ptx::SmInfo& sm : ptx::AllSms()) words.emplace_back(sm.name);
  return words;
}

// Returns the IR document with one machine function at a time, spread over the file, without the bodies of long IR
// functions.
std::vector<std::string> SmallMirTexts(std::string_view file, size_t max_size, size_t max_texts) {
  const std::vector<std::string_view> documents = Documents(file);
  if (documents.size() <= 1) return {std::string(file.substr(0, max_size))};
  std::string head(documents[0]);
  if (head.size() > max_size / 2) head = WithoutIrBodies(head);
  if (head.size() > max_size) return {};
  std::vector<std::string> texts;
  const size_t step = 1 + (documents.size() - 2) / max_texts;
  for (size_t i = 1; i < documents.size(); i += step) {
    std::string text = head;
    text += documents[i].substr(0, max_size - head.size());
    texts.push_back(std::move(text));
  }
  return texts;
}

// Returns the IR only.
std::vector<std::string> IrTextOfMirFile(std::string_view file, size_t max_size, size_t) {
  constexpr std::string_view kBegin = "--- |\n";
  const size_t begin = file.find(kBegin);
  const size_t end = file.find("\n...", begin == std::string_view::npos ? 0 : begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  std::string text(file.substr(begin + kBegin.size(), end + 1 - begin - kBegin.size()));
  if (text.size() > max_size / 2) text = WithoutIrBodies(text);
  if (text.size() > max_size) return {};
  return {text};
}

std::vector<std::string> NoTexts(std::string_view, size_t, size_t) { return {}; }

}  // namespace ptxmir::fuzz
