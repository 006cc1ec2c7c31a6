; Kernels that can be executed, each with what passes and writers get wrong: PHIs that change places, edges out of
; loops, stack objects of all alignments, parameters by value, tied operands, jump tables, calls, initialisers.
; Compiled by the script `record` in this folder.
; llc: -mcpu=sm_80 -mattr=+ptx74
target triple = "nvptx64-nvidia-cuda"

%inner = type { i8, i32 }
%outer = type { i16, %inner, i64, i8 }
%packed = type <{ i8, i32, i8, ptr addrspace(1) }>
%large = type { i32, i64, float, i8 }

@small = internal addrspace(1) global [4 x i16] [i16 1, i16 -2, i16 300, i16 -400], align 2
@nested = internal addrspace(1) global [3 x %outer] [
  %outer { i16 1, %inner { i8 2, i32 3 }, i64 -4, i8 5 },
  %outer { i16 -6, %inner { i8 -7, i32 -8 }, i64 5000000000, i8 10 },
  %outer { i16 11, %inner { i8 12, i32 13 }, i64 14, i8 15 }], align 8
@tight = internal addrspace(1) global %packed <{ i8 1, i32 -2, i8 3, ptr addrspace(1) @small }>, align 1
@lanes = internal addrspace(1) global [2 x <4 x float>] [
  <4 x float> <float 1.0, float -2.5, float 0xB730000000000000, float 3.0>,
  <4 x float> <float 4.0, float 0xFFF0000000000000, float 6.0, float 7.0>], align 16
@text = internal addrspace(4) constant [6 x i8] c"abc\00\FFz", align 1
@doubles = internal addrspace(4) constant [2 x double] [double -1.000000e-01, double 0x000FFFFFFFFFFFFF], align 8
@scalar = internal addrspace(1) global i32 -70000, align 4
@above = internal addrspace(1) global ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @small, i64 4), align 8
@below = internal addrspace(1) global ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @nested, i64 32), align 8
@stepped = internal addrspace(1) global ptr addrspace(1) getelementptr ([2 x <4 x float>], ptr addrspace(1) @lanes, i32 0, i32 1), align 8
@number = internal addrspace(1) global i64 add (i64 ptrtoint (ptr addrspace(1) @nested to i64), i64 32), align 8
@generic = internal addrspace(1) global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @scalar to ptr), ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @small to ptr), i64 6)], align 8
@functions = internal addrspace(1) global [2 x ptr] [ptr @twice, ptr @"minus.one"], align 8
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@both = addrspace(3) global [64 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier0()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

define internal i32 @index() noinline {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = mul i32 %c, %n
  %i = add i32 %b, %t
  ret i32 %i
}

; Two values change places, three go round, and the counter is read behind the loop.
define ptx_kernel void @rotate(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %i = call i32 @index()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %y = add i32 %i, 17
  %bound = and i32 %n, 15
  br label %loop
loop:
  %a = phi i32 [ %x, %entry ], [ %b, %loop ]
  %b = phi i32 [ %y, %entry ], [ %a, %loop ]
  %c = phi i32 [ 1, %entry ], [ %d, %loop ]
  %d = phi i32 [ 2, %entry ], [ %e, %loop ]
  %e = phi i32 [ %i, %entry ], [ %c, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %k = phi i32 [ %i, %entry ], [ %k1, %loop ]
  %s0 = mul i32 %sum, 3
  %s1 = add i32 %s0, %a
  %sum1 = xor i32 %s1, %c
  %k1 = add i32 %k, 3
  %masked = and i32 %k1, 15
  %more = icmp ne i32 %masked, %bound
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  %r0 = shl i32 %k, 16
  %r1 = xor i32 %r0, %sum
  %r2 = add i32 %r1, %b
  %r3 = add i32 %r2, %d
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r3, ptr addrspace(1) %to
  %last = getelementptr i32, ptr addrspace(1) %to, i32 4096
  store i32 %e, ptr addrspace(1) %last
  ret void
}

; `continue` and a value that is undefined on one way into the loop.
define ptx_kernel void @skip(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %i = call i32 @index()
  br label %header
header:
  %v = phi i32 [ %i, %entry ], [ %w, %header ], [ %w, %latch ]
  %u = phi i32 [ %i, %entry ], [ %u, %header ], [ %v, %latch ]
  %maybe = phi i32 [ undef, %entry ], [ %w, %header ], [ %v, %latch ]
  %t = phi i32 [ 0, %entry ], [ %t1, %header ], [ %t1, %latch ]
  %w0 = mul i32 %v, 5
  %w1 = add i32 %w0, %u
  %w = add i32 %w1, 3
  %t1 = add i32 %t, 1
  %odd = and i32 %w, 2
  %early = icmp eq i32 %odd, 0
  %left = icmp ult i32 %t1, 9
  %again = and i1 %early, %left
  br i1 %again, label %header, label %latch
latch:
  %more = icmp ult i32 %t1, 12
  br i1 %more, label %header, label %exit
exit:
  %first = icmp ugt i32 %t1, 1
  %known = select i1 %first, i32 %maybe, i32 7
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %u, ptr addrspace(1) %to
  %to2 = getelementptr i32, ptr addrspace(1) %to, i32 1024
  store i32 %v, ptr addrspace(1) %to2
  %to3 = getelementptr i32, ptr addrspace(1) %to, i32 2048
  store i32 %known, ptr addrspace(1) %to3
  ret void
}

; Stack objects with an index that is not known, reached by generic and by local addresses.
define ptx_kernel void @stack(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
  %bytes = alloca [3 x i8], align 1
  %words = alloca [8 x i32], align 16
  %wide = alloca [2 x i64], align 8
  %half = alloca i16, align 2
  %tail = alloca [5 x i32], align 4
  %i = call i32 @index()
  call void @llvm.lifetime.start.p0(ptr %words)
  %slot = and i32 %i, 7
  %p0 = getelementptr [8 x i32], ptr %words, i32 0, i32 %slot
  %p1 = xor i32 %slot, 1
  %p2 = getelementptr [8 x i32], ptr %words, i32 0, i32 %p1
  store volatile i32 %i, ptr %p0
  store volatile i32 77, ptr %p2
  %two = getelementptr i8, ptr %bytes, i32 2
  %low = trunc i32 %i to i8
  store volatile i8 %low, ptr %two
  store volatile i8 9, ptr %bytes
  %one = and i32 %i, 1
  %q = getelementptr [2 x i64], ptr %wide, i32 0, i32 %one
  store volatile i64 -5000000001, ptr %q
  %q1 = getelementptr i64, ptr %wide, i32 1
  store volatile i64 123456789012, ptr %q1
  store volatile i16 -3, ptr %half
  %last = getelementptr i32, ptr %tail, i32 4
  store volatile i32 1234567, ptr %last
  store volatile i32 7654321, ptr %tail
  %second = getelementptr i32, ptr %words, i32 1
  call void @fill(ptr %second, i32 %i)
  %v0 = load volatile i32, ptr %p0
  %v1 = load volatile i32, ptr %p2
  %v2 = load volatile i8, ptr %two
  %v3 = load volatile i64, ptr %q
  %v4 = load volatile i16, ptr %half
  %v5 = load volatile i32, ptr %last
  %v6 = load volatile i8, ptr %bytes
  %v7 = load volatile i32, ptr %tail
  call void @llvm.lifetime.end.p0(ptr %words)
  %e2 = zext i8 %v2 to i32
  %e3 = trunc i64 %v3 to i32
  %e4 = sext i16 %v4 to i32
  %e6 = zext i8 %v6 to i32
  %a = mul i32 %v0, 31
  %b = add i32 %a, %v1
  %c = xor i32 %b, %e2
  %d = add i32 %c, %e3
  %e = mul i32 %d, 7
  %f = add i32 %e, %e4
  %g = xor i32 %f, %v5
  %h = add i32 %g, %e6
  %j = xor i32 %h, %v7
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %j, ptr addrspace(1) %to
  ret void
}

define internal void @fill(ptr %p, i32 %i) noinline {
  %at = getelementptr i32, ptr %p, i32 5
  store i32 %i, ptr %at
  %before = getelementptr i32, ptr %p, i32 -1
  store i32 55, ptr %before
  ret void
}

; A structure by value: loads, and an address that is indexed.
define ptx_kernel void @by_value(ptr addrspace(1) %out, ptr byval(%large) align 8 %s, ptr byval([8 x i32]) align 4 "nvvm.grid_constant" %t) {
  %i = call i32 @index()
  %p1 = getelementptr %large, ptr %s, i32 0, i32 1
  %p2 = getelementptr %large, ptr %s, i32 0, i32 2
  %v0 = load i32, ptr %s
  %v1 = load i64, ptr %p1
  %v2 = load float, ptr %p2
  %slot = and i32 %i, 7
  %p3 = getelementptr i32, ptr %t, i32 %slot
  %v3 = load i32, ptr %p3
  %w = trunc i64 %v1 to i32
  %f = fmul float %v2, 3.0
  %b = bitcast float %f to i32
  %a = add i32 %v0, %w
  %c = xor i32 %a, %b
  %d = add i32 %c, %v3
  %e = call i32 @reads(ptr byval(%large) align 8 %s, i32 %d)
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %e, ptr addrspace(1) %to
  ret void
}

define internal i32 @reads(ptr byval(%large) align 8 %s, i32 %x) noinline {
  %p1 = getelementptr %large, ptr %s, i32 0, i32 1
  %v0 = load volatile i32, ptr %s
  %v1 = load i64, ptr %p1
  %w = trunc i64 %v1 to i32
  %a = mul i32 %v0, %x
  %b = sub i32 %a, %w
  ret i32 %b
}

; A dense switch.
define ptx_kernel void @choose(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %i = call i32 @index()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %k = and i32 %i, 15
  switch i32 %k, label %rest [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 3, label %two
    i32 4, label %four
    i32 5, label %five
    i32 6, label %one
    i32 7, label %seven ]
zero:
  %r0 = add i32 %x, 100
  br label %join
one:
  %r1 = mul i32 %x, 3
  br label %join
two:
  %r2 = sub i32 5, %x
  br label %join
four:
  %r4 = xor i32 %x, 12345
  br label %join
five:
  %r5 = shl i32 %x, 5
  br label %join
seven:
  %r7 = or i32 %x, 8
  br label %join
rest:
  br label %join
join:
  %r = phi i32 [ %r0, %zero ], [ %r1, %one ], [ %r2, %two ], [ %r4, %four ], [ %r5, %five ], [ %r7, %seven ], [ %x, %rest ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r, ptr addrspace(1) %to
  ret void
}

; Calls with several arguments, results in structures, through tables.
define ptx_kernel void @call(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
  %i = call i32 @index()
  %s = call %inner @pair(i32 %i, i64 40, float 2.5)
  %a = extractvalue %inner %s, 0
  %b = extractvalue %inner %s, 1
  %w = zext i8 %a to i32
  %k = and i32 %i, 1
  %fp = getelementptr ptr, ptr addrspace(1) @functions, i32 %k
  %f = load ptr, ptr addrspace(1) %fp
  %r = call i32 %f(i32 %b)
  %t = call i32 @weak_one(i32 %w)
  %v = sub i32 %r, %t
  %z = call i32 @"minus_$_one"(i32 %v)
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %z, ptr addrspace(1) %to
  ret void
}

define internal %inner @pair(i32 %i, i64 %x, float %y) noinline {
  %a = trunc i64 %x to i8
  %f = fptosi float %y to i32
  %b = mul i32 %i, %f
  %r0 = insertvalue %inner undef, i8 %a, 0
  %r1 = insertvalue %inner %r0, i32 %b, 1
  ret %inner %r1
}
define internal i32 @twice(i32 %x) noinline {
  %r = shl i32 %x, 1
  ret i32 %r
}
define internal i32 @"minus.one"(i32 %x) noinline {
  %r = sub i32 %x, 1
  ret i32 %r
}
define i32 @"minus_$_one"(i32 %x) noinline {
  %r = sub i32 %x, 2
  ret i32 %r
}
define weak i32 @weak_one(i32 %x) noinline {
  %r = add i32 %x, 1
  ret i32 %r
}
; Its address is taken, so that its parameters keep to the alignments that everybody assumes.
define internal i32 @taken(%inner %s, ptr byval(%inner) %t) noinline {
  %a = extractvalue %inner %s, 1
  ret i32 %a
}
@address = internal addrspace(1) global i64 0, align 8

; What initialisers hold.
define ptx_kernel void @tables(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
  %i = call i32 @index()
  %k = urem i32 %i, 3
  %p0 = getelementptr %outer, ptr addrspace(1) @nested, i32 %k, i32 1, i32 1
  %v0 = load i32, ptr addrspace(1) %p0
  %p1 = getelementptr %outer, ptr addrspace(1) @nested, i32 %k, i32 2
  %v1 = load i64, ptr addrspace(1) %p1
  %b = load ptr addrspace(1), ptr addrspace(1) @below
  %v2 = load i16, ptr addrspace(1) %b
  %a = load ptr addrspace(1), ptr addrspace(1) @above
  %v3 = load i16, ptr addrspace(1) %a
  %s = load ptr addrspace(1), ptr addrspace(1) @stepped
  %v4 = load i32, ptr addrspace(1) %s
  %nn = load i64, ptr addrspace(1) @number
  %np = inttoptr i64 %nn to ptr addrspace(1)
  %v5 = load i16, ptr addrspace(1) %np
  %gp = getelementptr ptr, ptr addrspace(1) @generic, i32 1
  %g = load ptr, ptr addrspace(1) %gp
  %v6 = load i16, ptr %g
  %g0 = load ptr, ptr addrspace(1) @generic
  %v7 = load i32, ptr %g0
  %tp = getelementptr i8, ptr addrspace(1) @tight, i64 1
  %v8 = load i32, ptr addrspace(1) %tp, align 1
  %l = urem i32 %i, 6
  %cp = getelementptr i8, ptr addrspace(4) @text, i32 %l
  %v9 = load i8, ptr addrspace(4) %cp
  %m = and i32 %i, 1
  %dp = getelementptr double, ptr addrspace(4) @doubles, i32 %m
  %v10 = load i64, ptr addrspace(4) %dp
  %lp = getelementptr <4 x float>, ptr addrspace(1) @lanes, i32 %m, i32 2
  %v11 = load i32, ptr addrspace(1) %lp
  store volatile i64 ptrtoint (ptr @taken to i64), ptr addrspace(1) @address
  %w1 = trunc i64 %v1 to i32
  %w2 = sext i16 %v2 to i32
  %w3 = sext i16 %v3 to i32
  %w5 = zext i16 %v5 to i32
  %w6 = zext i16 %v6 to i32
  %w9 = zext i8 %v9 to i32
  %h10 = lshr i64 %v10, 7
  %w10 = trunc i64 %h10 to i32
  %r0 = mul i32 %v0, 31
  %r1 = add i32 %r0, %w1
  %r2 = xor i32 %r1, %w2
  %r3 = mul i32 %r2, 31
  %r4 = add i32 %r3, %w3
  %r5 = xor i32 %r4, %v4
  %r6 = add i32 %r5, %w5
  %r7 = mul i32 %r6, 31
  %r8 = xor i32 %r7, %w6
  %r9 = add i32 %r8, %v7
  %r10 = xor i32 %r9, %v8
  %r11 = mul i32 %r10, 31
  %r12 = add i32 %r11, %w9
  %r13 = xor i32 %r12, %w10
  %r14 = add i32 %r13, %v11
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r14, ptr addrspace(1) %to
  ret void
}

; Tied operands, one of which changes places with another; alternatives; negated immediates.
define ptx_kernel void @assembly(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
  %i = call i32 @index()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %r1 = call i32 asm "add.s32 $0, $0, $2;\0A\09sub.s32 $0, $0, $3;", "=r,0,r,r"(i32 %x, i32 %i, i32 %n)
  %r2 = call { i32, i32 } asm "xor.b32 $0, $0, $1;\0A\09add.s32 $1, $1, $0;", "=r,=r,1,0"(i32 %i, i32 %x)
  %a = extractvalue { i32, i32 } %r2, 0
  %b = extractvalue { i32, i32 } %r2, 1
  %r3 = call i32 asm "$( add.s32 $| sub.s32 $) $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)
  %r4 = call i32 asm sideeffect "sub.s32 $0, $1, ${2:n};", "=r,r,n"(i32 %r3, i32 -7)
  %c = xor i32 %r1, %r4
  %d = add i32 %c, %a
  %e = sub i32 %d, %x
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %e, ptr addrspace(1) %to
  ret void
}

; Shared memory: one variable that only this kernel sees and one that others may see.
define ptx_kernel void @exchange(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) "nvvm.maxntid"="64" "nvvm.minctasm"="2" {
  %i = call i32 @index()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %m = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %x, ptr addrspace(3) %m
  %m2 = getelementptr i32, ptr addrspace(3) @both, i32 %t
  store i32 %i, ptr addrspace(3) %m2
  call void @llvm.nvvm.barrier0()
  %r = sub i32 63, %t
  %o = getelementptr i32, ptr addrspace(3) @tile, i32 %r
  %y = load i32, ptr addrspace(3) %o
  %o2 = getelementptr i32, ptr addrspace(3) @both, i32 %r
  %z = load i32, ptr addrspace(3) %o2
  %s = mul i32 %y, 7
  %v = add i32 %s, %z
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %to
  ret void
}

; Constants of all widths, loads in front of an address, and wide values that live through branches.
define ptx_kernel void @numbers(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %i = call i32 @index()
  %base = getelementptr i64, ptr addrspace(1) %in, i32 %i
  %next = getelementptr i64, ptr addrspace(1) %base, i64 1
  %q = getelementptr i64, ptr addrspace(1) %next, i64 4
  %x = load i64, ptr addrspace(1) %q
  %before = getelementptr i32, ptr addrspace(1) %q, i64 -7
  %y = load i32, ptr addrspace(1) %before
  %w = zext i32 %y to i64
  %big = xor i64 %x, 81985529216486895
  %odd = and i32 %i, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %even, label %join
even:
  %f = uitofp i32 %i to float
  %g = fmul float %f, 0x3800000000000000
  %h = fadd float %g, -1.5
  %d = fpext float %h to double
  %e = fmul double %d, 0x3FB999999999999A
  %eb = bitcast double %e to i64
  %s = add i64 %eb, %w
  br label %join
join:
  %v = phi i64 [ %big, %entry ], [ %s, %even ]
  %u = phi i64 [ %w, %entry ], [ %big, %even ]
  %r = mul i64 %v, -3
  %z = add i64 %r, %u
  %to = getelementptr i64, ptr addrspace(1) %out, i32 %i
  store i64 %z, ptr addrspace(1) %to
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
