; Wrong attributes are errors before a pass runs on the function.
;
; RUN: not ptxmir -mcpu=sm_80 %s -o - 2>&1 | FileCheck %s
; RUN: not ptxmir -x ir -emit-llvm -passes='default<O2>' %s -o - 2>&1 | FileCheck %s

; CHECK: error: function 'f', attribute "ptxmir-disable-cgp"="maybe": invalid value 'maybe' for knob '-disable-cgp'
; CHECK-NOT: {{error|define|entry}}
target triple = "nvptx64-nvidia-cuda"

define void @f() "ptxmir-disable-cgp"="maybe" {
  ret void
}
