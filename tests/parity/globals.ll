; Globals: every scalar type, linkage and state space, and the forms of initialisers.
; llc: -mcpu=sm_80 -mattr=+ptx74
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, double }
%packed = type <{ i8, ptr, i16 }>

@i8 = addrspace(1) global i8 -3, align 1
@i16 = addrspace(1) global i16 -300, align 2
@i32 = addrspace(1) global i32 -70000, align 4
@i64 = addrspace(1) global i64 -5000000000, align 8
@i32zero = addrspace(1) global i32 0, align 4
@i32undef = addrspace(1) global i32 undef, align 4
@i128 = addrspace(1) global i128 340282366920938463463374607431768211455, align 16
@i128b = addrspace(1) global i128 18446744073709551619
@flt = addrspace(1) global float 0x3FB99999A0000000, align 4
@dbl = addrspace(1) global double 1.000000e-01, align 8
@dblnan = addrspace(1) global double 0x7FF8000000000000, align 8
@fltinf = addrspace(1) global float 0xFFF0000000000000
@noalign = addrspace(1) global [3 x i16] [i16 1, i16 2, i16 -3]
@bytes = addrspace(1) global [5 x i8] c"ab\00\FFz", align 1
@zeros = addrspace(1) global [5 x i32] zeroinitializer, align 4
@undefs = addrspace(1) global [5 x i32] undef, align 4
@poisons = addrspace(1) global [5 x i32] poison, align 4
@pairs = addrspace(1) global [2 x %pair] [%pair { i32 1, double 2.0 }, %pair { i32 -1, double undef }], align 8
@vec = addrspace(1) global <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, align 16
@vec3 = addrspace(1) global <3 x i8> <i8 1, i8 2, i8 3>
@halfs = addrspace(1) global [3 x half] [half 0xH3C00, half 0xH4000, half 0xHC200], align 2
@bfs = addrspace(1) global [2 x bfloat] [bfloat 0xR3F80, bfloat 0xRC000]
@nested = addrspace(1) global { i8, { i16, [3 x i8] }, i64 } { i8 1, { i16, [3 x i8] } { i16 2, [3 x i8] c"xyz" }, i64 72623859790382856 }
@emptyext = external addrspace(1) global [0 x i32]
@i128s = addrspace(1) global [2 x i128] [i128 1, i128 -2]
@oddints = addrspace(1) global { i24, i40, i1 } { i24 -2, i40 1234567890123, i1 true }

@ptr.generic = internal addrspace(1) global ptr addrspacecast (ptr addrspace(1) @i32 to ptr), align 8
@ptr_global = addrspace(1) global ptr addrspace(1) @i32, align 8
@ptr_off = addrspace(1) global ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @bytes, i64 3), align 8
@ptr_gen_off = addrspace(1) global ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @bytes to ptr), i64 4), align 8
@ptr_gen_off2 = addrspace(1) global ptr addrspacecast (ptr addrspace(1) getelementptr ([5 x i32], ptr addrspace(1) @zeros, i64 0, i64 2) to ptr), align 8
@ptr_null = addrspace(1) global ptr null, align 8
@ptr_int = addrspace(1) global ptr inttoptr (i64 4096 to ptr), align 8
@int_ptr = addrspace(1) global i64 ptrtoint (ptr addrspace(1) @i32 to i64), align 8
@int_ptr_off = addrspace(1) global i64 add (i64 ptrtoint (ptr addrspace(1) @i32 to i64), i64 12), align 8
@fptr = addrspace(1) global ptr @callee, align 8
@cptr = addrspace(1) global ptr addrspacecast (ptr addrspace(4) @carr to ptr), align 8

@ptrs = addrspace(1) global [3 x ptr addrspace(1)] [ptr addrspace(1) @i32, ptr addrspace(1) null, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @bytes, i64 1)], align 8
@gptrs = addrspace(1) global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @i64 to ptr), ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @bytes to ptr), i64 8)], align 8
@fptrs = addrspace(1) global [2 x ptr] [ptr @callee, ptr @callee2], align 8
@mixed = addrspace(1) global { i32, i32, ptr, i64 } { i32 1, i32 2, ptr addrspacecast (ptr addrspace(1) @i32 to ptr), i64 -1 }, align 8
@mixedint = addrspace(1) global { i64, i64 } { i64 ptrtoint (ptr addrspace(1) @i32 to i64), i64 7 }, align 8
@packedptr = addrspace(1) global %packed <{ i8 1, ptr addrspacecast (ptr addrspace(1) @i32 to ptr), i16 258 }>, align 1
@packedfn = addrspace(1) global <{ i8, ptr, ptr addrspace(1) }> <{ i8 7, ptr @callee, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @bytes, i64 2) }>, align 1
@tailptr = addrspace(1) global { ptr addrspace(1), i32 } { ptr addrspace(1) @bytes, i32 77 }, align 8

@carr = addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@cint = internal addrspace(4) global i32 5, align 4
@externi = external addrspace(1) global i32, align 4
@externa = external addrspace(1) global [10 x i32], align 4
@externc = external addrspace(4) global [10 x i8], align 1
@dyn = external addrspace(3) global [0 x i8], align 16
@dynf = external addrspace(3) global [0 x float], align 4
@shared_ext = addrspace(3) global [32 x i32] undef, align 4
@shared_int = internal addrspace(3) global [32 x i32] undef, align 16
@shared_two = internal addrspace(3) global [32 x i32] undef, align 16
@shared_scalar = internal addrspace(3) global i32 undef, align 4
@shared_unused = internal addrspace(3) global [7 x i8] poison, align 1

@w = weak addrspace(1) global i32 1, align 4
@wodr = weak_odr addrspace(1) global i32 2, align 4
@lo = linkonce addrspace(1) global i32 3, align 4
@loodr = linkonce_odr addrspace(1) global i32 4, align 4
@com = common addrspace(1) global i32 0, align 4
@comarr = common addrspace(1) global [4 x i32] zeroinitializer, align 4
@ext_weak = extern_weak addrspace(1) global i32, align 4
@ae = available_externally addrspace(1) global i32 4, align 4
@int = internal addrspace(1) global i32 5, align 4
@priv = private addrspace(1) global i32 6, align 4
@priv_unused = private addrspace(1) global i32 6, align 4
@.str = private unnamed_addr addrspace(1) constant [6 x i8] c"hello\00", align 1
@genericas = global i32 3, align 4
@genericarr = internal global [3 x i8] c"abc", align 1
@"odd name" = internal addrspace(1) global i32 3, align 4
@"odd.na@me-x" = internal addrspace(1) global i32 4, align 4
@meta = addrspace(1) global i32 6, section "llvm.metadata"
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @int to ptr)], section "llvm.metadata"
@nvvm.something = addrspace(1) global i32 6
@managed = addrspace(1) global i32 6
@order_b = addrspace(1) global ptr addrspace(1) @order_c, align 8
@order_c = addrspace(1) global [2 x ptr addrspace(1)] [ptr addrspace(1) @order_d, ptr addrspace(1) @order_e]
@order_d = addrspace(1) global i32 1
@order_e = addrspace(1) global i32 1

define void @callee() { ret void }
define internal void @callee2() { ret void }

define ptx_kernel void @k1(ptr %out) {
  %a = load i32, ptr addrspace(3) @shared_int
  %b = load i32, ptr addrspace(3) @shared_two
  %c = load i32, ptr addrspace(3) @shared_scalar
  %d = load i32, ptr addrspace(1) @priv
  %e = load i8, ptr addrspace(1) @.str
  %f = load i32, ptr addrspace(1) @"odd name"
  %g = load i32, ptr addrspace(1) @"odd.na@me-x"
  %h = load ptr, ptr addrspace(1) @ptr.generic
  %dy = load i8, ptr addrspace(3) @dyn
  %s1 = add i32 %a, %b
  %s2 = add i32 %s1, %c
  %s3 = add i32 %s2, %d
  %s4 = add i32 %s3, %f
  %s5 = add i32 %s4, %g
  store i32 %s5, ptr %out
  store i8 %e, ptr %h
  store i8 %dy, ptr %h
  ret void
}
define ptx_kernel void @k2(ptr %out) {
  %b = load i32, ptr addrspace(3) @shared_two
  store i32 %b, ptr addrspacecast (ptr addrspace(3) @shared_ext to ptr)
  store i32 %b, ptr %out
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr addrspace(1) @managed, !"managed", i32 1}

; Pointers that are numbers, in words beside addresses, as in the tables of classes with virtual bases.
@number_pointers = addrspace(1) constant { [4 x ptr], i64 } { [4 x ptr] [ptr null, ptr inttoptr (i64 -16 to ptr), ptr addrspacecast (ptr addrspace(1) @number_target to ptr), ptr inttoptr (i64 16 to ptr)], i64 -5 }
@number_target = addrspace(1) global i32 0
