; Variables, names and images for the layer "globals" of net.h: what passes on LLVM IR make of them, as PTX.
source_filename = "ir_globals"
target triple = "nvptx64-nvidia-cuda"

@a.b = internal global i32 5, align 4
@a_$_b = internal global i32 6, align 4
@in.metadata = internal addrspace(1) global i32 7, align 4
@pointers = global [2 x ptr] [ptr @a.b, ptr getelementptr (i8, ptr @a_$_b, i64 4)], align 8
@own = internal addrspace(1) global [8 x i32] zeroinitializer, align 4
@replaceable = weak addrspace(1) global [8 x i32] zeroinitializer, align 4
@texture = internal addrspace(1) global i64 0, align 8
@other.texture = internal addrspace(1) global i64 0, align 8
@surface = internal addrspace(1) global i64 0, align 8
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @start, ptr null }, { i32, ptr, ptr } { i32 9, ptr @start.again, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @stop, ptr null }]

declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))
declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare i32 @llvm.nvvm.suld.1d.i32.trap(i64, i32)
declare i1 @llvm.nvvm.istypep.texture(i64)
declare i1 @llvm.nvvm.istypep.surface(i64)

define internal void @start() noinline {
  store i32 1, ptr @a.b, align 4
  ret void
}
define internal void @start.again() noinline {
  store i32 2, ptr @a_$_b, align 4
  ret void
}
define internal void @stop() noinline {
  store i32 3, ptr addrspace(1) @in.metadata, align 4
  ret void
}

define internal i32 @object.of_branch(i32 %n, i1 %c) noinline {
entry:
  br i1 %c, label %then, label %exit
then:
  %o = alloca [4 x i32], align 4
  %p = getelementptr [4 x i32], ptr %o, i32 0, i32 %n
  store volatile i32 %n, ptr %p, align 4
  %v = load volatile i32, ptr %p, align 4
  br label %exit
exit:
  %r = phi i32 [ %v, %then ], [ 0, %entry ]
  ret i32 %r
}

define internal i64 @second.of(i32 %n, ...) noinline {
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i32
  %second = va_arg ptr %list, i64
  call void @llvm.va_end.p0(ptr %list)
  ret i64 %second
}

define ptx_kernel void @variable_arguments(ptr addrspace(1) %out, i32 %i, i64 %j) {
  %r = call i64 (i32, ...) @second.of(i32 %i, i32 %i, i64 %j)
  store i64 %r, ptr addrspace(1) %out, align 8
  ret void
}

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)

define ptx_kernel void @images(ptr addrspace(1) %out, i32 %i, i1 %c) {
  %texture = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @texture)
  %surface = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @surface)
  %is_texture = call i1 @llvm.nvvm.istypep.texture(i64 %texture)
  %is_surface = call i1 @llvm.nvvm.istypep.surface(i64 %texture)
  %a = select i1 %is_texture, i32 100, i32 200
  %b = select i1 %is_surface, i32 1000, i32 2000
  %texel = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %texture, i32 %i)
  %x = extractvalue { float, float, float, float } %texel, 0
  %s = call i32 @llvm.nvvm.suld.1d.i32.trap(i64 %surface, i32 %i)
  %other = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @other.texture)
  br i1 %c, label %one, label %join
one:
  store i32 %a, ptr addrspace(1) %out, align 4
  br label %join
join:
  %chosen = phi i64 [ %texture, %0 ], [ %other, %one ]
  %texel2 = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %chosen, i32 %i)
  %y = extractvalue { float, float, float, float } %texel2, 0
  %sum = fadd float %x, %y
  %bits = bitcast float %sum to i32
  %t = add i32 %bits, %s
  %u = add i32 %t, %b
  %o = call i32 @object.of_branch(i32 %i, i1 %c)
  %v = add i32 %u, %o
  %next = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %v, ptr addrspace(1) %next, align 4
  %element = getelementptr [8 x i32], ptr addrspace(1) @own, i32 0, i32 %i
  store i32 %v, ptr addrspace(1) %element, align 4
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr addrspace(1) @texture, !"texture", i32 1}
!1 = !{ptr addrspace(1) @other.texture, !"texture", i32 1}
!2 = !{ptr addrspace(1) @surface, !"surface", i32 1}
!3 = !{ptr addrspace(1) @in.metadata, !"anything", i32 1}
