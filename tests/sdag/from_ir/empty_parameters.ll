; PTX has no parameters of 0 bytes.
;
; RUN: not ptxmir -mcpu=sm_80 %s -o - 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: empty_parameters.ll:{{[0-9]+}}:{{[0-9]+}}: error: in function f: parameter 0 of type {} has no bytes, which PTX cannot pass
define i32 @f({} %a, i32 %b) {
  ret i32 %b
}
