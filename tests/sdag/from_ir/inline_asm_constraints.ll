; Of several letters of a constraint, a constant takes one for constants, and another value a register class. Of
; alternatives, the one with the most constants is taken.
;
; RUN: ptxmir -mcpu=sm_80 -mattr=+ptx83 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .visible .entry letters(
; CHECK: add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, 7;
; CHECK: sub.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
; CHECK: mul.lo.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, 9;
; CHECK: xor.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, 3;
define ptx_kernel void @letters(ptr addrspace(1) %p, i32 %a, i32 %b) {
  %r = call i32 asm "add.s32 $0, $1, $2;", "=r,%r,rn"(i32 %a, i32 7)
  %s = call i32 asm "sub.s32 $0, $1, $2;", "=&rf,ri,X"(i32 %r, i32 %b)
  %t = call i32 asm "mul.lo.s32 $0, $1, $2;", "=r|r,r|r,r|i"(i32 %s, i32 9)
  %u = call i32 asm "xor.b32 $0, $1, $2;", "=r,r,X"(i32 %t, i32 3)
  store i32 %u, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: .visible .entry wide(
; CHECK: mov.b128 [[C:%rq[0-9]+]], {{.*}};
; CHECK: or.b128 [[R:%rq[0-9]+]], [[C]], [[C]];
; CHECK: mov.b128 {{{%rd[0-9]+, %rd[0-9]+}}}, [[R]];
define ptx_kernel void @wide(ptr addrspace(1) %p) {
  %r = call { i128, i32 } asm "or.b128 $0, $2, $2; mov.b32 $1, 1;", "=q,=r,q"(i128 6734234567891234)
  %v = extractvalue { i128, i32 } %r, 0
  store i128 %v, ptr addrspace(1) %p
  ret void
}
