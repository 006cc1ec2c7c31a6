; Names that PTX cannot spell, values without a name, and which functions are declared.
; llc: -mcpu=sm_80
target triple = "nvptx64-nvidia-cuda"
@0 = internal addrspace(1) global i32 1
@1 = private addrspace(1) global i32 2
@2 = addrspace(1) global i32 3
@"caf\C3\A9" = internal addrspace(1) global i32 2
@"a b" = internal addrspace(1) global i32 4
@cu = internal addrspace(3) global i32 undef
@comp = appending addrspace(1) global [1 x ptr] [ptr @decl], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @decl2], section "llvm.metadata"
@llvm.used = appending global [2 x ptr] [ptr @decl3, ptr addrspacecast (ptr addrspace(3) @cu to ptr)], section "llvm.metadata"
declare void @decl()
declare void @decl2()
declare void @decl3()
declare void @unused()
define void @f(ptr %p) {
  %x = load volatile i32, ptr addrspace(1) @0
  %y = load volatile i32, ptr addrspace(1) @1
  %z = load volatile i32, ptr addrspace(1) @2
  %u = load volatile i32, ptr addrspace(1) @"caf\C3\A9"
  %w = load volatile i32, ptr addrspace(1) @"a b"
  %z2 = load volatile i32, ptr addrspace(3) @cu
  call void @"l.f"(i32 1)
  call void @f(ptr %p)
  ret void
}
define internal void @"l.f"(i32 %x) noinline {
  store volatile i32 %x, ptr addrspace(1) @2
  ret void
}
