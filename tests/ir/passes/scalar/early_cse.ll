; RUN: ptxmir -x ir -emit-llvm -passes=early-cse %s -o - | FileCheck %s

declare void @clobber()

define i32 @common(i32 %a, i32 %b) {
; CHECK-LABEL: define i32 @common(
; CHECK-NEXT: [[S:%.*]] = add i32 %a, %b
; CHECK-NEXT: [[R:%.*]] = mul i32 [[S]], [[S]]
; CHECK-NEXT: ret i32 [[R]]
  %x = add nsw i32 %a, %b
  %y = add i32 %b, %a
  %r = mul i32 %x, %y
  ret i32 %r
}

define i32 @fold(i32 %a) {
; Constants and identities.
; CHECK-LABEL: define i32 @fold(
; CHECK-NEXT: ret i32 %a
  %x = sub i32 5, 5
  %y = add i32 %a, %x
  %z = shl i32 %y, 0
  %c = icmp slt i32 -1, 1
  %r = select i1 %c, i32 %z, i32 7
  ret i32 %r
}

define i32 @left() {
; A division by zero and a shift by too much are left alone.
; CHECK-LABEL: define i32 @left(
; CHECK: udiv i32 1, 0
; CHECK: shl i32 1, 32
  %x = udiv i32 1, 0
  %y = shl i32 1, 32
  %r = add i32 %x, %y
  ret i32 %r
}

define i32 @loads(ptr %p, i32 %a) {
; A store gives the value of a load; what may write in between takes it away.
; CHECK-LABEL: define i32 @loads(
; CHECK-NEXT: store i32 %a, ptr %p, align 4
; CHECK-NEXT: call void @clobber()
; CHECK-NEXT: [[L:%.*]] = load i32, ptr %p, align 4
; CHECK-NEXT: [[R:%.*]] = add i32 %a, [[L]]
; CHECK-NEXT: ret i32 [[R]]
  store i32 %a, ptr %p, align 4
  %x = load i32, ptr %p, align 4
  call void @clobber()
  %y = load i32, ptr %p, align 4
  %z = load i32, ptr %p, align 4
  %r = add i32 %x, %y
  ret i32 %r
}

define i32 @join(ptr %p, i1 %c) {
; Memory at a join is not that at the end of the block that dominates it.
; CHECK-LABEL: define i32 @join(
; CHECK: join:
; CHECK: load i32
  %x = load i32, ptr %p, align 4
  br i1 %c, label %then, label %join
then:
  store i32 1, ptr %p, align 4
  br label %join
join:
  %y = load i32, ptr %p, align 4
  %r = add i32 %x, %y
  ret i32 %r
}

define i32 @metadata(ptr %p) {
; The load that stays promises only what both promised.
; CHECK-LABEL: define i32 @metadata(
; CHECK: load i32, ptr %p, align 4{{$}}
  %x = load i32, ptr %p, align 4, !range !0
  %y = load i32, ptr %p, align 4
  %r = add i32 %x, %y
  ret i32 %r
}

!0 = !{i32 0, i32 10}

define void @counters(ptr %p, i32 %n) {
; Two counters that advance in step are one. Its step promises what both promised.
; CHECK-LABEL: define void @counters(
; CHECK: loop:
; CHECK-NEXT: %i = phi i32 [ 0, %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK-NEXT: store i32 %i, ptr %p
; CHECK-NEXT: [[NEXT]] = add nuw i32 %i, 4
; CHECK-NEXT: %more = icmp ne i32 [[NEXT]], %n
; CHECK-NEXT: br i1 %more
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  store i32 %i, ptr %p
  %i.next = add nuw nsw i32 %i, 4
  %k.next = add nuw i32 %k, 4
  %more = icmp ne i32 %k.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @other_steps(ptr %p, i32 %n) {
; CHECK-LABEL: define void @other_steps(
; CHECK: %k = phi i32
; CHECK: %l = phi i32
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %l = phi i32 [ 1, %entry ], [ %l.next, %loop ]
  store volatile i32 %i, ptr %p
  store volatile i32 %k, ptr %p
  store volatile i32 %l, ptr %p
  %i.next = add i32 %i, 4
  %k.next = add i32 %k, 5
  %l.next = add i32 %l, 4
  %more = icmp ne i32 %k.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define i32 @invariant_loads(ptr addrspace(1) %p, ptr addrspace(1) %q) {
; A store changes what another load reads, but not memory that never changes.
; CHECK-LABEL: define i32 @invariant_loads(
; CHECK: [[A:%.*]] = load i32, ptr addrspace(1) %p, !invariant.load !{}
; CHECK-NEXT: store i32 1, ptr addrspace(1) %q
; CHECK-NEXT: [[C:%.*]] = load i32, ptr addrspace(1) %p{{$}}
; CHECK-NEXT: [[D:%.*]] = add i32 [[A]], [[A]]
; CHECK-NEXT: add i32 [[D]], [[C]]
  %a = load i32, ptr addrspace(1) %p, !invariant.load !{}
  store i32 1, ptr addrspace(1) %q
  %b = load i32, ptr addrspace(1) %p, !invariant.load !{}
  %c = load i32, ptr addrspace(1) %p
  %d = add i32 %a, %b
  %e = add i32 %d, %c
  ret i32 %e
}

define i32 @assembly(i1 %c, i32 %a) {
; Inline assembly without effects gives the same twice in a block, not in blocks that other threads reach.
; CHECK-LABEL: define i32 @assembly(
; CHECK: [[L:%.*]] = call i32 asm "mov.u32 $0, %laneid;", "=r"()
; CHECK-NEXT: [[M:%.*]] = call i32 asm "mov.u32 $0, %lanemask_lt;", "=r"()
; CHECK-NEXT: add i32 [[L]], [[M]]
; CHECK-NEXT: add i32 %{{.*}}, [[L]]
; CHECK-NEXT: asm sideeffect "mov.u32 $0, %clock;"
; CHECK-NEXT: asm sideeffect "mov.u32 $0, %clock;"
; CHECK-NEXT: asm "ld.global.u32 $0, [$1];", "=r,l"(i64 8)
; CHECK-NEXT: asm "ld.global.u32 $0, [$1];", "=r,l"(i64 8)
; CHECK: br i1 %c
; CHECK: asm "mov.u32 $0, %laneid;"
  %x = call i32 asm "mov.u32 $0, %laneid;", "=r"() convergent nounwind memory(none)
  %m = call i32 asm "mov.u32 $0, %lanemask_lt;", "=r"() convergent nounwind memory(none)
  %y = call i32 asm "mov.u32 $0, %laneid;", "=r"() convergent nounwind memory(none)
  %s = add i32 %x, %m
  %t = add i32 %s, %y
  %u = call i32 asm sideeffect "mov.u32 $0, %clock;", "=r"() convergent nounwind memory(none)
  %v = call i32 asm sideeffect "mov.u32 $0, %clock;", "=r"() convergent nounwind memory(none)
  %p = call i32 asm "ld.global.u32 $0, [$1];", "=r,l"(i64 8) convergent nounwind memory(read)
  %q = call i32 asm "ld.global.u32 $0, [$1];", "=r,l"(i64 8) convergent nounwind memory(read)
  %uv = sub i32 %u, %v
  %pq = sub i32 %p, %q
  %r = add i32 %t, %uv
  %r1 = add i32 %r, %pq
  br i1 %c, label %then, label %exit
then:
  %w = call i32 asm "mov.u32 $0, %laneid;", "=r"() convergent nounwind memory(none)
  %z = mul i32 %w, %r1
  ret i32 %z
exit:
  ret i32 %r1
}

define i32 @bit_tests(i32 %x, i32 %n) {
; What is tested is shifted, once for all masks.
; CHECK-LABEL: define i32 @bit_tests(
; CHECK: [[S:%.*]] = lshr i32 %x, %n
; CHECK-NEXT: [[A:%.*]] = and i32 [[S]], 1
; CHECK-NEXT: icmp eq i32 [[A]], 0
; CHECK: [[B:%.*]] = and i32 [[S]], 6
; CHECK-NEXT: icmp ne i32 [[B]], 0
  %m = shl nuw i32 1, %n
  %a = and i32 %m, %x
  %c = icmp eq i32 %a, 0
  %k = shl i32 6, %n
  %b = and i32 %x, %k
  %d = icmp ne i32 %b, 0
  %e = and i1 %c, %d
  %r = zext i1 %e to i32
  ret i32 %r
}

define i32 @no_bit_tests(i32 %x, i32 %n) {
; The mask is used, too; it is compared with something else; what is tested is a constant.
; CHECK-LABEL: define i32 @no_bit_tests(
; CHECK: shl i32 1, %n
; CHECK: shl i32 2, %n
; CHECK: shl i32 4, %n
; CHECK-NOT: lshr
  %m = shl i32 1, %n
  %a = and i32 %m, %x
  %c = icmp eq i32 %a, 0
  %k = shl i32 2, %n
  %b = and i32 %x, %k
  %d = icmp ne i32 %b, 2
  %l = shl i32 4, %n
  %f = and i32 %l, 12
  %g = icmp eq i32 %f, 0
  %e = and i1 %c, %d
  %h = and i1 %e, %g
  %r = select i1 %h, i32 %m, i32 7
  ret i32 %r
}
