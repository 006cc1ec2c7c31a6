; Blocks, loops with and without unrolling, jump tables, unreachable code, undefined values.
; llc: -mcpu=sm_80
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @nest(ptr %p, i32 %n, i32 %m) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %outer.latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %v = add i32 %i, %j
  store volatile i32 %v, ptr %p
  %j1 = add i32 %j, 1
  %cj = icmp ult i32 %j1, %m
  br i1 %cj, label %inner, label %outer.latch, !llvm.loop !0
outer.latch:
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %ci = icmp ult i32 %i1, %n
  br i1 %ci, label %outer, label %done
done:
  ret void
}
define ptx_kernel void @outer_only(ptr %p, i32 %n, i32 %m) {
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i1, %latch ], [ %i, %other ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  store volatile i32 %j, ptr %p
  %j1 = add i32 %j, 1
  %cj = icmp ult i32 %j1, %m
  br i1 %cj, label %inner, label %tail
tail:
  %l = load volatile i32, ptr %p
  %cl = icmp eq i32 %l, 7
  br i1 %cl, label %other, label %latch
other:
  store volatile i32 9, ptr %p
  br label %outer, !llvm.loop !4
latch:
  %i1 = add i32 %i, 1
  %ci = icmp ult i32 %i1, %n
  br i1 %ci, label %outer, label %done, !llvm.loop !2
done:
  ret void
}
define ptx_kernel void @count1(ptr %p, i32 %n) {
  br label %1
1:
  %i = phi i32 [ 0, %0 ], [ %i1, %1 ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %ci = icmp ult i32 %i1, %n
  br i1 %ci, label %1, label %2, !llvm.loop !6
2:
  ret void
}
define i32 @table(i32 %x, ptr %p) {
  switch i32 %x, label %d [ i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %e
    i32 4, label %a
    i32 5, label %f ]
a:
  store volatile i32 1, ptr %p
  br label %d
b:
  store volatile i32 2, ptr %p
  br label %d
c:
  store volatile i32 3, ptr %p
  br label %d
e:
  store volatile i32 4, ptr %p
  br label %d
f:
  store volatile i32 5, ptr %p
  br label %d
d:
  %r = phi i32 [ 1, %0 ], [ 2, %a ], [ 3, %b ], [ 4, %c ], [ 5, %e ], [ 6, %f ]
  ret i32 %r
}
define void @never(i32 %x) {
  %c = icmp eq i32 %x, 1
  br i1 %c, label %a, label %b
a:
  unreachable
b:
  ret void
}
define i32 @undefined(ptr %p) {
  %f = freeze i32 undef
  store i32 %f, ptr %p
  ret i32 %f
}
define i32 @stack(i32 %x) {
  %a = alloca [17 x i32], align 32
  %q = getelementptr [17 x i32], ptr %a, i32 0, i32 %x
  store volatile i32 %x, ptr %q
  call void @escape(ptr %a)
  %r = load volatile i32, ptr %q
  ret i32 %r
}
declare void @escape(ptr)
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
!4 = distinct !{!4, !3, !1}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.unroll.count", i32 1}
