; llc's options of instruction selection: an option that is given beats the flags of an operation.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=DEFAULT
; RUN: ptxmir -mcpu=sm_80 -nvptx-prec-divf32=1 -nvptx-prec-sqrtf32=1 %s -o - | FileCheck %s --check-prefix=FULL
; RUN: ptxmir -mcpu=sm_80 -nvptx-prec-divf32=2 -nvptx-prec-sqrtf32=0 %s -o - | FileCheck %s --check-prefix=IEEE
; RUN: ptxmir -mcpu=sm_80 -denormal-fp-math-f32=preserve-sign %s -o - 2>&1 | FileCheck %s --check-prefix=FTZ
; RUN: ptxmir -mcpu=sm_80 -denormal-fp-math-f32 positive-zero %s -o - 2>&1 | FileCheck %s --check-prefix=DEFAULT
; RUN: ptxmir -mcpu=sm_80 -fp-contract=fast %s -o - 2>&1 | FileCheck %s --check-prefix=CONTRACT
; RUN: ptxmir -mcpu=sm_80 -fp-contract=off %s -o - 2>&1 | FileCheck %s --check-prefix=OFF
; RUN: ptxmir -mcpu=sm_80 -nvptx-no-f16-math %s -o - 2>&1 | FileCheck %s --check-prefix=IGNORED
; RUN: ptxmir -x ir -emit-llvm -denormal-fp-math=preserve-sign %s -o - | FileCheck %s --check-prefix=ATTRIBUTE

target triple = "nvptx64-nvidia-cuda"

declare float @llvm.sqrt.f32(float)

; FTZ-NOT: warning
; CONTRACT-NOT: warning
; OFF: warning: option '-fp-contract=off' has no effect: llvm.fmuladd becomes fma in any case
; IGNORED: warning: option '-nvptx-no-f16-math' has no effect: it configures LLVM's instruction selection, which LLVM IR does not go through here

; DEFAULT-LABEL: divide(
; DEFAULT: div.approx.f32
; DEFAULT: rcp.approx.f32
; FULL-LABEL: divide(
; FULL: div.full.f32
; FULL: rcp.approx.f32
; IEEE-LABEL: divide(
; IEEE: div.rn.f32
; IEEE: rcp.rn.f32
; FTZ-LABEL: divide(
; FTZ: div.approx.ftz.f32
; ATTRIBUTE: define float @divide(float %x, float %y) "denormal-fp-math"="preserve-sign,preserve-sign" {
define float @divide(float %x, float %y) {
  %q = fdiv afn float %x, %y
  %r = fdiv afn float 1.0, %q
  ret float %r
}

; DEFAULT-LABEL: root(
; DEFAULT: sqrt.approx.f32
; FULL-LABEL: root(
; FULL: sqrt.rn.f32
; IEEE-LABEL: root(
; IEEE: sqrt.approx.f32
; ATTRIBUTE: define float @root(float %x) "denormal-fp-math"="ieee,ieee" {
define float @root(float %x) "denormal-fp-math"="ieee,ieee" {
  %r = call afn float @llvm.sqrt.f32(float %x)
  ret float %r
}

; DEFAULT-LABEL: multiply_add(
; DEFAULT: mul.rn.f32
; DEFAULT: add.rn.f32
; FTZ-LABEL: multiply_add(
; FTZ: mul.rn.ftz.f32
; FTZ: add.rn.ftz.f32
; CONTRACT-LABEL: multiply_add(
; CONTRACT: fma.rn.f32
define float @multiply_add(float %x, float %y, float %z) {
  %m = fmul float %x, %y
  %r = fadd float %m, %z
  ret float %r
}

; FTZ-LABEL: states_its_own(
; FTZ: mul.rn.f32
define float @states_its_own(float %x, float %y) "denormal-fp-math-f32"="ieee" {
  %m = fmul float %x, %y
  ret float %m
}
