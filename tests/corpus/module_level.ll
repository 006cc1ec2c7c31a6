; What a module may hold that CUDA's source cannot say through this compiler:
; managed variables, aliases, odd widths, switch on wide values, and saved stacks.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%Record = type { i8, [3 x i16], ptr, <2 x half>, { i64, float } }

@managed = addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
@record = addrspace(1) global %Record { i8 -1, [3 x i16] [i16 1, i16 2, i16 -3], ptr addrspacecast (ptr addrspace(1) @managed to ptr), <2 x half> <half 0xH3C00, half 0xHC000>, { i64, float } { i64 -9, float 0x3FB99999A0000000 } }, align 8
@into_record = addrspace(1) global ptr addrspacecast (ptr addrspace(1) getelementptr inbounds (%Record, ptr addrspace(1) @record, i64 0, i32 1, i64 2) to ptr), align 8
@raw_address = addrspace(1) global ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @managed, i64 8), align 8
@functions = internal addrspace(4) constant [2 x ptr] [ptr @Plus, ptr @Minus], align 8
@common = common addrspace(1) global i32 0, align 4
@linkonce = linkonce_odr addrspace(1) global i64 5, align 8
@bits = addrspace(1) global i1 true, align 1
@nothing = private unnamed_addr addrspace(1) constant [3 x i8] zeroinitializer, align 1
@name.with.dots = internal addrspace(1) global i32 3, align 4
@"quoted name" = internal addrspace(1) global i32 4, align 4

@PlusAlias = alias i32 (i32, i32), ptr @Plus

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare i128 @llvm.ctpop.i128(i128)
declare i33 @llvm.fshl.i33(i33, i33, i33)
declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)
declare float @llvm.maximum.f32(float, float)
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @Plus(i32 %a, i32 %b) noinline {
  %c = add i32 %a, %b
  ret i32 %c
}

define internal i32 @Minus(i32 %a, i32 %b) noinline {
  %c = sub i32 %a, %b
  ret i32 %c
}

define weak_odr i1 @IsOdd(i33 %v) noinline {
  %low = trunc i33 %v to i1
  ret i1 %low
}

define linkonce_odr <3 x float> @Scale(<3 x float> %v, half %s, bfloat %t) noinline {
  %f = fpext half %s to float
  %g = fpext bfloat %t to float
  %h = fadd float %f, %g
  %i = insertelement <3 x float> poison, float %h, i32 0
  %w = shufflevector <3 x float> %i, <3 x float> poison, <3 x i32> zeroinitializer
  %r = fmul <3 x float> %v, %w
  ret <3 x float> %r
}

define internal { i8, double, [2 x i32] } @Several(ptr byval(%Record) align 8 %r, i128 %w) noinline {
  %p = getelementptr inbounds %Record, ptr %r, i64 0, i32 4, i32 0
  %l = load i64, ptr %p, align 8
  %d = sitofp i64 %l to double
  %n = call i128 @llvm.ctpop.i128(i128 %w)
  %n32 = trunc i128 %n to i32
  %a = insertvalue { i8, double, [2 x i32] } poison, i8 7, 0
  %b = insertvalue { i8, double, [2 x i32] } %a, double %d, 1
  %c = insertvalue { i8, double, [2 x i32] } %b, i32 %n32, 2, 0
  %e = insertvalue { i8, double, [2 x i32] } %c, i32 -1, 2, 1
  ret { i8, double, [2 x i32] } %e
}

define internal void @NeverReturns(i32 %code) noreturn noinline {
  %is = icmp eq i32 %code, 3
  br i1 %is, label %a, label %b

a:
  call void asm sideeffect "trap;", ""()
  unreachable

b:
  call void asm sideeffect "exit;", ""()
  unreachable
}

define ptx_kernel void @Use(ptr addrspace(1) %out, i32 %n, i64 %even, i1 %flag, <3 x float> %three, [3 x i16] %shorts) {
entry:
  %odd = trunc i64 %even to i33
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %which = and i32 %t, 1
  %fp = getelementptr [2 x ptr], ptr addrspace(4) @functions, i32 0, i32 %which
  %f = load ptr, ptr addrspace(4) %fp, align 8
  %a = call i32 %f(i32 %t, i32 %n)
  %b = call i32 @PlusAlias(i32 %a, i32 3)
  %c = call i1 @IsOdd(i33 %odd)
  %d = call <3 x float> @Scale(<3 x float> %three, half 0xH4000, bfloat 0xR3F80)
  %d1 = extractelement <3 x float> %d, i32 1
  %di = fptosi float %d1 to i32
  %s1 = extractvalue [3 x i16] %shorts, 1
  %s32 = sext i16 %s1 to i32
  %copy = alloca %Record, align 8
  call void @llvm.memcpy.p0.p1.i64(ptr align 8 %copy, ptr addrspace(1) align 8 @record, i64 40, i1 false)
  %wide = sext i33 %odd to i128
  %many = call { i8, double, [2 x i32] } @Several(ptr byval(%Record) align 8 %copy, i128 %wide)
  %m = extractvalue { i8, double, [2 x i32] } %many, 2, 0
  %cz = zext i1 %c to i32
  %x1 = add i32 %b, %cz
  %x2 = add i32 %x1, %di
  %x3 = add i32 %x2, %m
  %x4 = call i32 @llvm.sadd.sat.i32(i32 %x3, i32 %s32)
  %rot = call i33 @llvm.fshl.i33(i33 %odd, i33 %odd, i33 5)
  %rt = trunc i33 %rot to i32
  %ov = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %x4, i32 %rt)
  %product = extractvalue { i32, i1 } %ov, 0
  %over = extractvalue { i32, i1 } %ov, 1
  %bad = and i1 %over, %flag
  br i1 %bad, label %fail, label %go

fail:
  call void @NeverReturns(i32 %x4)
  unreachable

go:
  %bits = load i1, ptr addrspace(1) @bits, align 1
  %bits32 = zext i1 %bits to i32
  %dots = load i32, ptr addrspace(1) @name.with.dots, align 4
  %quoted = load i32, ptr addrspace(1) @"quoted name", align 4
  %y1 = add i32 %product, %bits32
  %y2 = add i32 %y1, %dots
  %y3 = add i32 %y2, %quoted
  store i32 %y3, ptr addrspace(1) %at, align 4
  store i32 %y3, ptr addrspace(1) @name.with.dots, align 4
  store i32 %t, ptr addrspace(1) @"quoted name", align 4
  %mp = getelementptr [4 x i32], ptr addrspace(1) @managed, i32 0, i32 %which
  %old = atomicrmw add ptr addrspace(1) %mp, i32 %y3 syncscope("block") monotonic
  %x = cmpxchg ptr addrspace(1) @common, i32 %old, i32 %t syncscope("device") acq_rel monotonic
  fence syncscope("block") seq_cst
  ret void
}

define ptx_kernel void @Stacks(ptr addrspace(1) %out, i64 %n, i32 %rounds) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum_next, %loop ]
  %saved = call ptr @llvm.stacksave.p0()
  %i64 = zext i32 %i to i64
  %size = add i64 %n, %i64
  %cells = alloca i8, i64 %size, align 16
  call void @llvm.memset.p0.i64(ptr align 16 %cells, i8 3, i64 %size, i1 false)
  %one = getelementptr i8, ptr %cells, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %one, ptr %cells, i64 %i64, i1 false)
  %last = getelementptr i8, ptr %cells, i64 %i64
  %v = load i8, ptr %last, align 1
  %v32 = zext i8 %v to i32
  %sum_next = add i32 %sum, %v32
  call void @llvm.stackrestore.p0(ptr %saved)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %rounds
  br i1 %more, label %loop, label %end

end:
  store i32 %sum_next, ptr addrspace(1) %out, align 4
  ret void
}

define ptx_kernel void @WideSwitch(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %v = load i64, ptr addrspace(1) %in, align 8
  switch i64 %v, label %other [
    i64 100000000000, label %a
    i64 100000000001, label %b
    i64 100000000002, label %c
    i64 100000000003, label %d
    i64 100000000004, label %a
    i64 100000000005, label %e
    i64 100000000007, label %f
  ]

a:
  br label %join

b:
  call void asm sideeffect "// b", ""()
  br label %join

c:
  call void asm sideeffect "// c", ""()
  br label %join

d:
  call void asm sideeffect "// d", ""()
  br label %join

e:
  call void asm sideeffect "// e", ""()
  br label %join

f:
  call void asm sideeffect "// f", ""()
  br label %join

other:
  ret void

join:
  %r = phi double [ 1.000000e+00, %a ], [ 0x7FF0000000000000, %b ], [ -0.000000e+00, %c ], [ 0x7FF8000000000000, %d ], [ 1.000000e-310, %e ], [ 3.141592653589793e+00, %f ]
  store double %r, ptr addrspace(1) %out, align 8
  ret void
}

define ptx_kernel void @Halves(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load <2 x half>, ptr addrspace(1) %in, align 4
  %w = call <2 x half> @llvm.fma.v2f16(<2 x half> %v, <2 x half> <half 0xH3C00, half 0xH3800>, <2 x half> %v)
  %x = extractelement <2 x half> %w, i32 1
  %f = fpext half %x to float
  %g = call float @llvm.maximum.f32(float %f, float 1.000000e+00)
  %b = fptrunc float %g to bfloat
  %p = getelementptr bfloat, ptr addrspace(1) %out, i32 3
  store bfloat %b, ptr addrspace(1) %p, align 2
  store <2 x half> %w, ptr addrspace(1) %out, align 4
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr addrspace(1) @managed, !"managed", i32 1}
