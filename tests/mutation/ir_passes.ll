; Kernels for the layer "IR" of net.h: what passes on LLVM IR must keep. Each writes where its thread's number says.
target triple = "nvptx64-nvidia-cuda"

%triple = type { i32, i16, [4 x i32] }

@counter = internal global i32 41, align 4
@table = internal addrspace(4) constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6]
@tile = internal addrspace(3) global [2048 x i32] undef, align 4
@ftz = private addrspace(4) constant [11 x i8] c"__CUDA_FTZ\00"
@other = private addrspace(4) constant [6 x i8] c"OTHER\00"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @__nvvm_reflect(ptr)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i32 @twice_or_less(i32 %x) {
  %small = icmp slt i32 %x, 10
  br i1 %small, label %less, label %twice
less:
  %l = sub i32 %x, 1
  ret i32 %l
twice:
  %t = shl i32 %x, 1
  ret i32 %t
}

define internal void @store_through(ptr %p, i32 %v) alwaysinline {
  %old = load i32, ptr %p, align 4
  %sum = add i32 %old, %v
  store i32 %sum, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_reflect(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %ftz = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @ftz to ptr))
  %other = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @other to ptr))
  %is_ftz = icmp ne i32 %ftz, 0
  br i1 %is_ftz, label %fast, label %slow
fast:
  br label %join
slow:
  br label %join
join:
  %v = phi i32 [ 5, %fast ], [ 6, %slow ]
  %w = shl i32 %other, 8
  %x = or i32 %v, %w
  switch i32 %ftz, label %end [
    i32 0, label %none
    i32 1, label %one
  ]
none:
  br label %end
one:
  br label %end
end:
  %y = phi i32 [ 16, %join ], [ 32, %none ], [ 64, %one ]
  %z = or i32 %x, %y
  store i32 %z, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_structures(ptr byval(%triple) align 4 %read, ptr byval(%triple) align 4 %written, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = and i32 %tid, 3
  %read_at = getelementptr %triple, ptr %read, i32 0, i32 2, i32 %i
  %a = load i32, ptr %read_at, align 4
  %narrow_at = getelementptr %triple, ptr %read, i32 0, i32 1
  %narrow = load i16, ptr %narrow_at, align 4
  %b = sext i16 %narrow to i32
  %written_at = getelementptr %triple, ptr %written, i32 0, i32 2, i32 %i
  store i32 %a, ptr %written_at, align 4
  %first_at = getelementptr %triple, ptr %written, i32 0, i32 2, i32 1
  %c = load i32, ptr %first_at, align 4
  %d = load i32, ptr %written, align 4
  %s = add i32 %a, %b
  %t = add i32 %s, %c
  %u = xor i32 %t, %d
  %p = getelementptr i32, ptr %out, i32 %tid
  store i32 %u, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_stack(ptr %out, i32 %n) {
entry:
  %object = alloca %triple, align 8
  %copy = alloca %triple, align 8
  %cell = alloca i32, align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %n, ptr %object, align 8
  %narrow_at = getelementptr i8, ptr %object, i64 4
  store i16 77, ptr %narrow_at, align 4
  %array = getelementptr %triple, ptr %object, i32 0, i32 2
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %array, align 8
  %third = getelementptr i8, ptr %array, i64 8
  store i8 9, ptr %third, align 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr align 8 %object, i64 24, i1 false)
  store i32 0, ptr %object, align 8
  store i32 0, ptr %cell, align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = and i32 %k, 3
  %element_at = getelementptr %triple, ptr %copy, i32 0, i32 2, i32 %i
  %element = load i32, ptr %element_at, align 4
  %sum = load i32, ptr %cell, align 4
  %more = add i32 %sum, %element
  store i32 %more, ptr %cell, align 4
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 6
  br i1 %again, label %loop, label %end
end:
  %total = load i32, ptr %cell, align 4
  %head = load i32, ptr %copy, align 8
  %copied_narrow_at = getelementptr i8, ptr %copy, i64 4
  %narrow = load i16, ptr %copied_narrow_at, align 4
  %wide = zext i16 %narrow to i32
  %a = add i32 %total, %wide
  %b = xor i32 %a, %head
  %p = getelementptr i32, ptr %out, i32 %tid
  store i32 %b, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_memory(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %q = getelementptr i32, ptr %in, i32 %tid
  %a = load i32, ptr %q, align 4
  store i32 %a, ptr %p, align 4
  %b = load i32, ptr %p, align 4
  %c = load i32, ptr %q, align 4
  %d = add i32 %b, %c
  store i32 %d, ptr %q, align 4
  %e = load i32, ptr %q, align 4
  %f = sub i32 %e, 3
  %g = mul i32 %f, %f
  %h = mul i32 %f, %f
  %i = add i32 %g, %h
  %j = lshr i32 %i, 1
  %k = ashr i32 %i, 1
  %l = xor i32 %j, %k
  %m = add i32 %l, %i
  store i32 %m, ptr %p, align 4
  ret void
}

; The same place by two names.
define ptx_kernel void @ir_aliases(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %p = getelementptr i32, ptr %out, i32 %tid
  %q = getelementptr i32, ptr %out, i64 %wide
  %a = load i32, ptr %p, align 4
  store i32 %n, ptr %q, align 4
  %b = load i32, ptr %p, align 4
  %odd = trunc i32 %tid to i1
  br i1 %odd, label %change, label %join
change:
  %more = add i32 %b, 3
  store i32 %more, ptr %q, align 4
  br label %join
join:
  %c = load i32, ptr %p, align 4
  %d = mul i32 %c, 5
  %e = add i32 %d, %a
  store i32 %e, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_branches(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %i = and i32 %tid, 7
  switch i32 %i, label %default [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %zero
    i32 5, label %five
  ]
zero:
  br label %join
one:
  %n1 = add i32 %n, 1
  br label %join
five:
  %positive = icmp sgt i32 %n, 0
  br i1 %positive, label %join, label %negative
negative:
  %minus = sub i32 0, %n
  br label %join
default:
  %same = icmp eq i32 %n, %n
  br i1 %same, label %join, label %never
never:
  br label %join
join:
  %v = phi i32 [ 10, %zero ], [ %n1, %one ], [ 12, %five ], [ %minus, %negative ], [ 13, %default ], [ 14, %never ]
  %called = call i32 @twice_or_less(i32 %v)
  %again = call i32 @twice_or_less(i32 %i)
  %r = add i32 %called, %again
  store i32 %r, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_spaces(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = and i32 %tid, 1023
  %shared = getelementptr [2048 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %i
  %local = alloca [2 x i32], align 4
  store i32 17, ptr %local, align 4
  %far = getelementptr i8, ptr %shared, i64 4096
  store i32 %tid, ptr %shared, align 4
  store i32 %n, ptr %far, align 4
  %odd = trunc i32 %tid to i1
  br i1 %odd, label %take_far, label %join
take_far:
  br label %join
join:
  %either = phi ptr [ %shared, %entry ], [ %far, %take_far ]
  %mixed = select i1 %odd, ptr %local, ptr %either
  %a = load i32, ptr %either, align 4
  %b = load i32, ptr %mixed, align 4
  %c = load i32, ptr @counter, align 4
  %d = add i32 %a, %b
  %e = add i32 %d, %c
  %p = getelementptr i32, ptr %out, i32 %tid
  store i32 %e, ptr %p, align 4
  call void @store_through(ptr %p, i32 5)
  %third = urem i32 %tid, 3
  %is_third = icmp eq i32 %third, 0
  %place = select i1 %is_third, ptr %shared, ptr %p
  store i32 99, ptr %place, align 4
  ret void
}

define ptx_kernel void @ir_addresses(ptr %out, ptr %in) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = and i32 %tid, 15
  %i5 = add nuw nsw i32 %i, 5
  %i9 = sub nsw i32 9, %i
  %w5 = zext i32 %i5 to i64
  %w9 = sext i32 %i9 to i64
  %p0 = getelementptr inbounds i32, ptr %in, i64 %w5
  %p1 = getelementptr inbounds [4 x i32], ptr %in, i64 %w5, i64 2
  %p2 = getelementptr i32, ptr %in, i64 %w9
  %p2s = getelementptr i8, ptr %p2, i64 24
  %wide = zext i32 %i to i64
  %scaled = mul nuw nsw i64 %wide, 12
  %p3 = getelementptr i8, ptr %in, i64 %scaled
  %scaled_more = add nuw nsw i64 %scaled, 8
  %p4 = getelementptr i8, ptr %in, i64 %scaled_more
  %or5 = or disjoint i32 %i, 32
  %wor = zext i32 %or5 to i64
  %p5 = getelementptr i32, ptr %in, i64 %wor
  %a0 = load i32, ptr %p0, align 4
  %a1 = load i32, ptr %p1, align 4
  %a2 = load i32, ptr %p2s, align 4
  %a3 = load i32, ptr %p3, align 4
  %a4 = load i32, ptr %p4, align 4
  %a5 = load i32, ptr %p5, align 4
  %c = and i32 %i, 7
  %ct = getelementptr [8 x i32], ptr addrspace(4) @table, i32 0, i32 %c
  %a6 = load i32, ptr addrspace(4) %ct, align 4
  %odd = trunc i32 %tid to i1
  br i1 %odd, label %then, label %join
then:
  %p6 = getelementptr inbounds i32, ptr %in, i64 %w5
  %p7 = getelementptr i8, ptr %p6, i64 -4
  %a7 = load i32, ptr %p7, align 4
  br label %join
join:
  %m = phi i32 [ 0, %entry ], [ %a7, %then ]
  %s0 = add i32 %a0, %a1
  %s1 = mul i32 %a2, 3
  %s2 = xor i32 %s0, %s1
  %s3 = sub i32 %a3, %a4
  %s4 = add i32 %s2, %s3
  %s5 = xor i32 %s4, %a5
  %s6 = add i32 %s5, %a6
  %s7 = add i32 %s6, %m
  %p = getelementptr i32, ptr %out, i32 %tid
  store i32 %s7, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_ranges(ptr %out) "nvvm.maxntid"="64" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %last = icmp ult i32 %tid, 63
  %full = icmp ult i32 %size, 64
  %masked = and i32 %tid, 63
  %a = zext i1 %last to i32
  %b = zext i1 %full to i32
  %c = shl i32 %b, 1
  %d = or i32 %a, %c
  %e = shl i32 %masked, 4
  %f = or i32 %d, %e
  %half = icmp ugt i32 %masked, 40
  %g = zext i1 %half to i32
  %h = shl i32 %g, 2
  %k = or i32 %f, %h
  store i32 %k, ptr %p, align 4
  ret void
}

; Indices of a small object that promise nothing.
define ptx_kernel void @ir_tiles(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 255
  %first = shl nuw nsw i32 %lane, 3
  %w = zext nneg i32 %first to i64
  %own = getelementptr inbounds [2048 x i32], ptr addrspace(3) @tile, i64 0, i64 %w
  %r = and i32 %tid, 7
  %back = sub i32 7, %r
  %wide_back = sext i32 %back to i64
  %q = getelementptr inbounds i32, ptr addrspace(3) %own, i64 %wide_back
  store i32 %tid, ptr addrspace(3) %q, align 4
  %mirror = xor i32 %r, 7
  %wide_mirror = zext nneg i32 %mirror to i64
  %q2 = getelementptr inbounds i32, ptr addrspace(3) %own, i64 %wide_mirror
  %v = load i32, ptr addrspace(3) %q2, align 4
  %x = mul i32 %v, 3
  %p = getelementptr i32, ptr %out, i32 %tid
  store i32 %x, ptr %p, align 4
  ret void
}

; One of two places is written between the loads.
define ptx_kernel void @ir_read_only(ptr noalias %out, ptr noalias readonly %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %q = getelementptr i32, ptr %in, i32 %tid
  store i32 %tid, ptr %p, align 4
  %odd = trunc i32 %tid to i1
  %place = select i1 %odd, ptr %q, ptr %p
  %a = load i32, ptr %place, align 4
  %b = add i32 %a, 7
  store i32 %b, ptr %p, align 4
  %c = load i32, ptr %place, align 4
  %d = mul i32 %c, 5
  %e = add i32 %a, %d
  store i32 %e, ptr %p, align 4
  ret void
}

!llvm.module.flags = !{!0}
!nvvm.reflection = !{!1}
!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!1 = !{!"OTHER", i8 -3}

@functions = internal addrspace(1) constant [1 x ptr] [ptr @read_through_table], align 8

define internal i32 @read(ptr %p) noinline {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define internal ptr @choose(ptr %p, ptr %q, i32 %n) noinline {
  %odd = and i32 %n, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %even, label %other
even:
  ret ptr %p
other:
  ret ptr %q
}

define internal i32 @read_by_value(ptr byval(i32) align 4 %p) noinline {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define internal i32 @read_through_table(ptr %p) noinline {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define ptx_kernel void @ir_spaces_of_calls(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %cell = getelementptr [2048 x i32], ptr addrspace(3) @tile, i32 0, i32 %tid
  %start = mul i32 %tid, 3
  store i32 %start, ptr addrspace(3) %cell, align 4
  %in_tile = addrspacecast ptr addrspace(3) %cell to ptr
  %a = call i32 @read(ptr %in_tile)
  store i32 %tid, ptr %p, align 4
  %b = call i32 @read(ptr %p)
  %chosen = call ptr @choose(ptr %in_tile, ptr %p, i32 %tid)
  %c = load i32, ptr %chosen, align 4
  %d = call i32 @read_by_value(ptr byval(i32) align 4 %in_tile)
  %e = call i32 @read_through_table(ptr %in_tile)
  %f = load ptr, ptr addrspace(1) @functions, align 8
  %g = call i32 %f(ptr %p)
  %ab = add i32 %a, %b
  %c2 = shl i32 %c, 4
  %d2 = shl i32 %d, 8
  %e2 = shl i32 %e, 12
  %g2 = shl i32 %g, 16
  %abc = add i32 %ab, %c2
  %abcd = add i32 %abc, %d2
  %abcde = add i32 %abcd, %e2
  %all = add i32 %abcde, %g2
  store i32 %all, ptr %p, align 4
  ret void
}

define ptx_kernel void @ir_written_spaces(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %cell = getelementptr [2048 x i32], ptr addrspace(3) @tile, i32 0, i32 %tid
  store i32 %tid, ptr addrspace(3) %cell, align 4
  %a = load i32, ptr addrspace(3) %cell, align 4
  %generic = addrspacecast ptr addrspace(3) %cell to ptr
  %next = add i32 %a, 7
  store i32 %next, ptr %generic, align 4
  %b = load i32, ptr addrspace(3) %cell, align 4
  %b2 = shl i32 %b, 8
  %all = add i32 %a, %b2
  store i32 %all, ptr %p, align 4
  ret void
}

declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.global(ptr)

define ptx_kernel void @ir_tests_of_spaces(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %tid
  %cell = getelementptr [2048 x i32], ptr addrspace(3) @tile, i32 0, i32 %tid
  %generic = addrspacecast ptr addrspace(3) %cell to ptr
  %a = call i1 @llvm.nvvm.isspacep.shared(ptr %generic)
  %b = call i1 @llvm.nvvm.isspacep.global(ptr %generic)
  %c = call i1 @llvm.nvvm.isspacep.global(ptr %p)
  %a1 = zext i1 %a to i32
  %b1 = zext i1 %b to i32
  %c1 = zext i1 %c to i32
  %b2 = shl i32 %b1, 4
  %c2 = shl i32 %c1, 8
  %ab = or i32 %a1, %b2
  %all = or i32 %ab, %c2
  store i32 %all, ptr %p, align 4
  ret void
}

; Bits above a place, products of extended numbers in another block than the extensions, inline assembly without effects,
; masked merges, halves of 64 bits, sums that can wrap and sums that can't.
define ptx_kernel void @ir_forms(ptr %out, ptr %in) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %tid
  %x = load i32, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 256
  %y = load i32, ptr %q, align 4
  %n = and i32 %tid, 15
  %m1 = shl i32 1, %n
  %b1 = and i32 %x, %m1
  %c1 = icmp eq i32 %b1, 0
  %m6 = shl i32 6, %n
  %b6 = and i32 %m6, %y
  %c6 = icmp ne i32 %b6, 0
  %bits1 = select i1 %c1, i32 3, i32 5
  %bits6 = select i1 %c6, i32 16, i32 64
  %bits = or i32 %bits1, %bits6
  %ux = zext i32 %x to i64
  %sy = sext i32 %y to i64
  %uy = zext i32 %y to i64
  %nn = zext nneg i32 %n to i64
  %odd = and i32 %tid, 1
  %is_odd = icmp ne i32 %odd, 0
  br i1 %is_odd, label %products, label %join
products:
  %mixed = mul i64 %ux, %sy
  %unsigned = mul i64 %ux, %uy
  %signed = mul i64 %nn, %sy
  %pa = xor i64 %mixed, %unsigned
  %pb = add i64 %pa, %signed
  br label %join
join:
  %product = phi i64 [ %pb, %products ], [ %uy, %entry ]
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"() convergent nounwind memory(none)
  %below = call i32 asm "mov.u32 $0, %lanemask_lt;", "=r"() convergent nounwind memory(none)
  %again = call i32 asm "mov.u32 $0, %laneid;", "=r"() convergent nounwind memory(none)
  %lanes = mul i32 %lane, %again
  %assembly = xor i32 %lanes, %below
  %not = xor i32 %x, -1
  %first = and i32 %x, %y
  %second = and i32 %not, %tid
  %merged = or i32 %first, %second
  %low = trunc i64 %product to i32
  %shifted = lshr i64 %product, 32
  %high = trunc i64 %shifted to i32
  %halves = sub i32 %low, %high
  %difference = sub i32 %x, %y
  %exclusive = xor i32 %y, %tid
  %wd = zext i32 %difference to i64
  %we = zext i32 %exclusive to i64
  %wraps = add i64 %wd, %we
  %small = and i32 %x, 65535
  %ns = zext i32 %small to i64
  %fits = add i64 %ns, %nn
  %sums = mul i64 %wraps, %fits
  %sums_high = lshr i64 %sums, 17
  %sum = trunc i64 %sums_high to i32
  %o = getelementptr [5 x i32], ptr %out, i32 %tid
  store i32 %bits, ptr %o, align 4
  %o1 = getelementptr i32, ptr %o, i32 1
  store i32 %assembly, ptr %o1, align 4
  %o2 = getelementptr i32, ptr %o, i32 2
  store i32 %merged, ptr %o2, align 4
  %o3 = getelementptr i32, ptr %o, i32 3
  store i32 %halves, ptr %o3, align 4
  %o4 = getelementptr i32, ptr %o, i32 4
  store i32 %sum, ptr %o4, align 4
  ret void
}
