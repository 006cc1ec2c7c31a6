; Attributes of a function set knobs for the passes on its IR, too.
;
; RUN: ptxmir -mcpu=sm_80 -print-after=separate-const-offset-from-gep %s -o /dev/null 2>&1 | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -j4 -print-after=separate-const-offset-from-gep %s -o /dev/null 2>&1 | FileCheck %s

; CHECK: *** IR Dump After {{.*}} (separate-const-offset-from-gep) ***
; CHECK-NEXT: define void @with(
; CHECK-NOT: define void @without(
; CHECK: *** IR Dump After {{.*}} (separate-const-offset-from-gep) ***
; CHECK-NEXT: define void @with_again(
target triple = "nvptx64-nvidia-cuda"

define void @with() {
  ret void
}

define void @without() #0 {
  ret void
}

define void @with_again() {
  ret void
}

attributes #0 = { "ptxmir-disable-separate-const-offset-from-gep"="true" }
