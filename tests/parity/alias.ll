; Aliases, and functions that globals refer to.
; llc: -mcpu=sm_80
target triple = "nvptx64-nvidia-cuda"
@table = addrspace(1) global [2 x ptr] [ptr @f, ptr @ext], align 8
@a = alias void (i32), ptr @f
@ab = internal alias i32 (i32), ptr @g
define void @f(i32 %x) { ret void }
define i32 @g(i32 %x) { 
  call void @a(i32 %x)
  %r = call i32 @ab(i32 %x)
  ret i32 %r }
declare void @ext()
declare i32 @extunused(i32)
declare float @llvm.nvvm.sin.approx.f(float)
define ptx_kernel void @k(ptr %p) {
  store ptr @h, ptr %p
  %r = call i32 @ab(i32 1)
  %s = call i32 @h(i32 1)
  store i32 %s, ptr %p
  ret void
}
define internal i32 @h(i32 %x) noinline { 
   %r = call i32 @i(i32 %x)
   ret i32 %r }
define internal i32 @i(i32 %x) noinline { 
   ret i32 %x }
