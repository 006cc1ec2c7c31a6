; Inline assembly: operands, modifiers, dialect alternatives, memory, immediates and comments.
; llc: -mcpu=sm_90 -mattr=+ptx83
target triple = "nvptx64-nvidia-cuda"
@g = addrspace(1) global i32 1
@gg = global i32 1
define ptx_kernel void @k(i32 %a, i64 %b, float %c, double %d, i16 %e, ptr %p) {
  %r1 = call i32 asm sideeffect "add.s32 $0, $1, $2;", "=r,r,n"(i32 %a, i32 -7)
  %r2 = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %r3 = call i64 asm "{.reg .b64 t; mov.b64 t, $1; add.u64 $0, t, $2;}", "=l,l,l"(i64 %b, i64 5)
  %r4 = call float asm "fma.rn.f32 $0, $1, $1, $2;", "=f,f,f"(float %c, float 1.0)
  %r5 = call double asm "add.f64 $0, $1, $2;", "=d,d,d"(double %d, double 2.0)
  %r6 = call i16 asm "add.s16 $0, $1, 1;", "=h,h"(i16 %e)
  %r7 = call i32 asm "{\0A\09.reg .pred p;\0A\09setp.ne.u32 p, $1, 0;\0A\09selp.u32 $0, 1, 0, p;\0A}", "=r,r"(i32 %a)
  %r8 = call { i32, i32 } asm sideeffect "mov.b64 {$0, $1}, $2;", "=r,=r,l,~{memory}"(i64 %b)
  %r9 = call i32 asm "$( add.s32 $| sub.s32 $) $0, $1, 1;", "=r,r"(i32 %a)
  %r10 = call i32 asm "{add|sub} $0, $1, 1;", "=r,r"(i32 %a)
  %r11 = call i32 asm "add.s32 $0, $0, $1; // $$ ${:uid} ${:comment} ${:private}", "=r,r,0"(i32 %a, i32 %a)

  call void asm sideeffect "st.u32 [$0], $1;", "l,r"(ptr %p, i32 %a)
  call void asm sideeffect "st.u32 $0, $1;", "*m,r"(ptr elementtype(i32) %p, i32 %a)
  call void asm sideeffect "ld.u32 $0, $1;", "=*m,*m"(ptr elementtype(i32) %p, ptr elementtype(i32) @gg)
  call void asm sideeffect "", ""()
  call void asm sideeffect "// a\0A", ""()
  call void asm sideeffect "membar.gl;\0Abar.sync 0;\0A", "~{memory}"() convergent
  call void asm sideeffect "// $0 $1 $2 $3", "r,l,f,d"(i32 5, i64 6, float 1.5, double 2.5)
  %p1 = icmp eq i32 %a, 3
  %r13 = call i1 asm "not.pred $0, $1;", "=b,b"(i1 %p1)
  %v1 = call <2 x half> asm "neg.f16x2 $0, $1;", "=r,r"(<2 x half> zeroinitializer)
  %q = call i128 asm "mov.b128 $0, $1;", "=q,q"(i128 5)
  call void asm sideeffect "// $0", "X"(i32 5)
  call void asm sideeffect "// ${0:n} ${1:c}", "i,i"(i32 5, i32 6)
  %pq = select i1 %r13, i32 1, i32 2
  store i32 %pq, ptr %p
  %s1 = add i32 %r1, %r2
  %s2 = add i32 %s1, %r7
  %s3 = add i32 %s2, %r9
  %s4 = add i32 %s3, %r10
  %s5 = add i32 %s4, %r11
  %r12 = call i32 asm "add.s32 $0, $1, ${2:c};", "=r,r,i"(i32 %a, i32 3)
  %s6 = add i32 %s5, %r12
  store volatile i32 %s6, ptr %p
  store volatile i64 %r3, ptr %p
  store volatile float %r4, ptr %p
  store volatile double %r5, ptr %p
  store volatile i16 %r6, ptr %p
  store volatile i128 %q, ptr %p
  store volatile <2 x half> %v1, ptr %p
  %x0 = extractvalue { i32, i32 } %r8, 0
  store volatile i32 %x0, ptr %p
  ret void
}
