; Attributes that are spelled differently today.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK: {{^ *}}declare void @a1(ptr captures(none) readnone) memory(none)
; CHECK: {{^ *}}declare void @a2(ptr captures(none)) memory(read)
; CHECK: {{^ *}}declare void @a3(ptr) memory(write)
; CHECK: {{^ *}}declare void @a4(ptr) memory(argmem: readwrite)
; CHECK: {{^ *}}declare void @a5(ptr) memory(argmem: read)
; CHECK: {{^ *}}declare void @a6(ptr) memory(inaccessiblemem: readwrite)
; CHECK: {{^ *}}declare void @a7(ptr) memory(argmem: write, inaccessiblemem: write)
; CHECK: {{^ *}}declare void @a8(ptr) memory(none)
; CHECK: {{^ *}}declare void @a9(ptr) #0
; CHECK: {{^ *}}define void @k(ptr captures(none) readonly %p) #1 {
; CHECK: {{^ *}}call void @a1(ptr captures(none) readnone %p) memory(read)
; CHECK: {{^ *}}call void @a2(ptr captures(none) %p) memory(argmem: readwrite) #0
; CHECK: {{^ *}}attributes #0 = { nofree nosync nounwind willreturn memory(argmem: write) }
; CHECK: {{^ *}}attributes #1 = { "frame-pointer"="all" {{.*}}null_pointer_is_valid "target-cpu"="sm_80" {{.*}}memory(none) }

target triple = "nvptx64-nvidia-cuda"
declare void @a1(ptr nocapture readnone) readnone
declare void @a2(ptr nocapture) readonly
declare void @a3(ptr) writeonly
declare void @a4(ptr) argmemonly
declare void @a5(ptr) argmemonly readonly
declare void @a6(ptr) inaccessiblememonly
declare void @a7(ptr) inaccessiblemem_or_argmemonly writeonly
declare void @a8(ptr) argmemonly readnone
declare void @a9(ptr) #0
declare i1 @a10(i1 zeroext)
define void @k(ptr nocapture readonly %p) #1 {
  call void @a1(ptr nocapture readnone %p) readonly
  call void @a2(ptr nocapture %p) argmemonly #0
  ret void
}
attributes #0 = { argmemonly nofree nosync nounwind willreturn writeonly }
attributes #1 = { readnone "frame-pointer"="all" "no-frame-pointer-elim"="true" "no-frame-pointer-elim-non-leaf" "amdgpu-unsafe-fp-atomics"="true" "unsafe-fp-math"="true" "null-pointer-is-valid"="true" "target-cpu"="sm_80" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "nvptx-f32ftz"="true" }
