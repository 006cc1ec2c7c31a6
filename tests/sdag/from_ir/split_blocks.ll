; Blocks are split at atomic operations that become loops. Values that are used on the other side of two such splits, and
; places in the parameters of calls on both sides of one.
;
; RUN: ptxmir -mcpu=sm_80 -O0 %s -stop-after=finalize-isel -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -O0 %s -o - | FileCheck --check-prefix=PTX %s

declare void @f(i32)
declare void @g([3 x i16])

define ptx_kernel void @vector(ptr addrspace(1) %p, ptr addrspace(1) %q, float %c, i32 %t, i64 %w) {
; The elements are passed on from where they are computed. The copies used to move behind the first loop, where they read
; themselves, because the constant that is their index is used there, too.
; CHECK-LABEL: name: vector
; CHECK: bb.0
; CHECK: [[C:%[0-9]+]]:b32 = LD_i32 0, 0, 101, 3, 32, -1, &vector_param_2, 0
; CHECK: bb.1:
; CHECK: bb.4:
; CHECK: ST_i32 [[C]], 0, 0, 1, 32
  %x = load float, ptr addrspace(1) %p, align 4
  %a = insertelement <2 x float> poison, float %x, i32 0
  %b = insertelement <2 x float> %a, float %c, i32 1
  %o = atomicrmw nand ptr addrspace(1) %p, i32 %t seq_cst
  call void @f(i32 %t)
  %r = atomicrmw udec_wrap ptr addrspace(1) %p, i64 %w release
  %y = extractelement <2 x float> %b, i32 1
  store float %y, ptr addrspace(1) %q, align 8
  ret void
}

define ptx_kernel void @parameters(ptr addrspace(1) %p, [3 x i16] %v, i16 %w) {
; The place of a member is no value that a register could hold.
; PTX-LABEL: parameters(
; PTX: st.param.b16 [param0+2], {{%rs[0-9]+}};
; PTX: atom{{.*}}.cas.b32
; PTX: st.param.b16 [param0+2], {{%rs[0-9]+}};
  call void @g([3 x i16] %v)
  %o = atomicrmw xchg ptr addrspace(1) %p, i16 %w acquire
  call void @g([3 x i16] %v)
  ret void
}

define ptx_kernel void @part(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %w, i8 %e) {
; An i8 is passed on in an i16, and the extension to it is there already: for the join. It stands behind the first loop, and
; the copy used to go there with it, although the i8 is read before.
; CHECK-LABEL: name: part
; CHECK: bb.0
; CHECK: [[E:%[0-9]+]]:b16 = LD_i16 0, 0, 101, 3, 8, -1, &part_param_3, 0
; CHECK: bb.1:
; CHECK: bb.2:
; CHECK: COPY [[E]]
; CHECK: bb.3:
; CHECK: AND_b16ri [[E]], 255
  %o = atomicrmw udec_wrap ptr addrspace(1) %p, i64 %w monotonic
  %v = insertvalue { i8, i64 } poison, i8 %e, 0
  %r = atomicrmw usub_sat ptr addrspace(1) %q, i8 %e monotonic
  br label %next

next:
  %x = extractvalue { i8, i64 } %v, 0
  store i8 %x, ptr addrspace(1) %p
  ret void
}
