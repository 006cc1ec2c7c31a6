; Stand-ins for the libraries that the programs of this folder call: OpenCL's builtins, OpenMP's runtime, libdevice. They
; are linked to a program so that it can be executed (tests/sdag/from_ir/producers_execution_test.py). They are simpler
; than the real ones: the functions of libdevice, for instance, only depend on their arguments.

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.sqrt.f32(float)
declare <4 x float> @llvm.maxnum.v4f32(<4 x float>, <4 x float>)

define internal i32 @number_of_thread() {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %ctaid, %ntid
  %number = add i32 %before, %tid
  ret i32 %number
}

; OpenCL.

define i64 @_Z13get_global_idj(i32 %dimension) {
  %number = call i32 @number_of_thread()
  %wide = zext i32 %number to i64
  ret i64 %wide
}

define i64 @_Z12get_local_idj(i32 %dimension) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  ret i64 %wide
}

define void @_Z7barrierj(i32 %flags) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

define i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) %place, i32 %value) {
  %old = atomicrmw add ptr addrspace(1) %place, i32 %value monotonic
  ret i32 %old
}

define <4 x float> @_Z4fmaxDv4_fS_(<4 x float> %a, <4 x float> %b) {
  %max = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %a, <4 x float> %b)
  ret <4 x float> %max
}

define <4 x float> @_Z14convert_float4Dv4_i(<4 x i32> %a) {
  %result = sitofp <4 x i32> %a to <4 x float>
  ret <4 x float> %result
}

define <4 x i32> @_Z12convert_int4Dv4_f(<4 x float> %a) {
  %result = fptosi <4 x float> %a to <4 x i32>
  ret <4 x i32> %result
}

; OpenMP: all threads run the parallel region from the beginning.

define i32 @__kmpc_target_init(ptr %environment, ptr %launch) {
  ret i32 -1
}

define void @__kmpc_target_deinit() {
  ret void
}

define i32 @__kmpc_global_thread_num(ptr %place) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %tid
}

define i32 @omp_get_num_threads() {
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %ntid
}

define void @__kmpc_parallel_60(ptr %place, i32 %number, i32 %condition, i32 %threads, i32 %binding, ptr %function,
                                ptr %wrapper, ptr %arguments, i64 %count, i32 %strict) {
  %thread = alloca i32
  %zero = alloca i32
  store i32 %number, ptr %thread
  store i32 0, ptr %zero
  %argument = load ptr, ptr %arguments
  call void %function(ptr %thread, ptr %zero, ptr %argument)
  ret void
}

define void @__kmpc_distribute_for_static_loop_4u(ptr %place, ptr %body, ptr %argument, i32 %iterations, i32 %threads,
                                                  i32 %block, i32 %chunk, i8 %once) {
entry:
  %first = call i32 @number_of_thread()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %nctaid = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = mul i32 %ntid, %nctaid
  br label %head

head:
  %i = phi i32 [ %first, %entry ], [ %next, %iteration ]
  %has_more = icmp ult i32 %i, %iterations
  br i1 %has_more, label %iteration, label %exit

iteration:
  call void %body(i32 %i, ptr %argument)
  %next = add i32 %i, %step
  br label %head

exit:
  ret void
}

; libdevice.

define float @__nv_sqrtf(float %x) {
  %root = call float @llvm.sqrt.f32(float %x)
  ret float %root
}

define float @__nv_sinf(float %x) {
  %square = fmul float %x, %x
  %rest = fsub float 1.0, %square
  %result = fmul float %rest, %x
  ret float %result
}

define float @__nv_expf(float %x) {
  %square = fmul float %x, %x
  %sum = fadd float %square, %x
  %result = fadd float %sum, 1.0
  ret float %result
}
