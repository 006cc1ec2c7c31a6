; What PTX cannot express is an error that names it.
;
; RUN: not ptxmir -x ir -emit-llvm %s 2>&1 | FileCheck %s

declare void @g()

define void @indirectbr(ptr %p) {
  indirectbr ptr %p, [label %a]
a:
  ret void
}
define void @invoke() {
  invoke void @g() to label %a unwind label %b
a:
  ret void
b:
  %1 = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %1
}
define void @scalable(ptr %p) {
  %1 = load <vscale x 4 x i32>, ptr %p
  ret void
}
define void @callbr() {
  callbr void asm "", "!i"() to label %a [label %a]
a:
  ret void
}

; CHECK: refused.ll:8:3: error: 'indirectbr' is not supported: PTX has no addresses of labels
; CHECK: refused.ll:13:3: error: 'invoke' is not supported: PTX has no exceptions
; CHECK: refused.ll:21:13: error: scalable vectors are not supported: '<vscale x 4 x i32>'
; CHECK: refused.ll:25:3: error: 'callbr' is not supported: PTX has no inline assembly that jumps
