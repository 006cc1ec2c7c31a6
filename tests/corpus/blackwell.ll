; sm_100a by intrinsics: tensor memory taken and given back, products into it,
; loads and stores of its lanes, copies from shared memory, and 256-bit stores to global memory.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tensor_address = internal addrspace(3) global i32 undef, align 4
@done = internal addrspace(3) global i64 undef, align 8
@tiles = internal addrspace(3) global [32768 x i8] undef, align 1024

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.tcgen05.alloc.shared.cg1(ptr addrspace(3), i32)
declare void @llvm.nvvm.tcgen05.dealloc.cg1(ptr addrspace(6), i32)
declare void @llvm.nvvm.tcgen05.relinq.alloc.permit.cg1()
declare void @llvm.nvvm.tcgen05.mma.shared(ptr addrspace(6), i64, i64, i32, i1, i32, i32, i32)
declare void @llvm.nvvm.tcgen05.commit.shared.cg1(ptr addrspace(3))
declare void @llvm.nvvm.tcgen05.fence.before.thread.sync()
declare void @llvm.nvvm.tcgen05.fence.after.thread.sync()
declare <8 x i32> @llvm.nvvm.tcgen05.ld.32x32b.x8(ptr addrspace(6), i1)
declare <16 x i32> @llvm.nvvm.tcgen05.ld.16x256b.x4(ptr addrspace(6), i1)
declare void @llvm.nvvm.tcgen05.st.32x32b.x8(ptr addrspace(6), <8 x i32>, i1)
declare void @llvm.nvvm.tcgen05.wait.ld()
declare void @llvm.nvvm.tcgen05.wait.st()
declare void @llvm.nvvm.tcgen05.cp.128x256b.cg1(ptr addrspace(6), i64)
declare void @llvm.nvvm.tcgen05.shift.down.cg1(ptr addrspace(6))

define internal void @WaitFor(ptr addrspace(3) %barrier, i32 %phase) {
entry:
  br label %try

try:
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2; selp.b32 $0, 1, 0, p; }", "=r,r,r,~{memory}"(ptr addrspace(3) %barrier, i32 %phase)
  %ready = icmp ne i32 %done, 0
  br i1 %ready, label %ok, label %try

ok:
  ret void
}

; All threads: the words of the tiles to shared memory, where the tensor cores see them after the fence.
define internal void @LoadTiles(ptr addrspace(1) %from, i32 %words) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %any = icmp slt i32 %thread, %words
  br i1 %any, label %loop, label %fence

loop:
  %i = phi i32 [ %thread, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %from, i32 %i
  %word = load i32, ptr addrspace(1) %at, align 4
  %to = getelementptr i32, ptr addrspace(3) @tiles, i32 %i
  store i32 %word, ptr addrspace(3) %to, align 4
  %next = add i32 %i, %threads
  %more = icmp slt i32 %next, %words
  br i1 %more, label %loop, label %fence

fence:
  call void asm sideeffect "fence.proxy.async.shared::cta;", "~{memory}"()
  ret void
}

; A descriptor whose address is relative to the tiles.
define internal i64 @InTiles(i64 %descriptor) {
entry:
  %start = ptrtoint ptr addrspace(3) @tiles to i32
  %wide = zext i32 %start to i64
  %field = lshr i64 %wide, 4
  %sum = add i64 %descriptor, %field
  ret i64 %sum
}

define ptx_kernel void @Product(i64 %a_tile, i64 %b_tile, i32 %shape, i32 %steps, ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %words) {
entry:
  call void @LoadTiles(ptr addrspace(1) %in, i32 %words)
  %a = call i64 @InTiles(i64 %a_tile)
  %b = call i64 @InTiles(i64 %b_tile)
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is_first = icmp eq i32 %thread, 0
  %warp = lshr i32 %thread, 5
  %is_warp0 = icmp eq i32 %warp, 0
  br i1 %is_warp0, label %take, label %ready

take:
  call void @llvm.nvvm.tcgen05.alloc.shared.cg1(ptr addrspace(3) @tensor_address, i32 128)
  call void @llvm.nvvm.tcgen05.relinq.alloc.permit.cg1()
  br i1 %is_first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @done, i32 1)
  br label %ready

ready:
  call void @llvm.nvvm.tcgen05.fence.before.thread.sync()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.tcgen05.fence.after.thread.sync()
  %word = load volatile i32, ptr addrspace(3) @tensor_address, align 4
  %tensor = inttoptr i32 %word to ptr addrspace(6)
  br i1 %is_first, label %loop, label %wait

loop:
  %step = phi i32 [ 0, %ready ], [ %next, %loop ]
  %left = phi i64 [ %a, %ready ], [ %left_next, %loop ]
  %right = phi i64 [ %b, %ready ], [ %right_next, %loop ]
  %adds = icmp ne i32 %step, 0
  call void @llvm.nvvm.tcgen05.mma.shared(ptr addrspace(6) %tensor, i64 %left, i64 %right, i32 %shape, i1 %adds, i32 0, i32 1, i32 0)
  %left_next = add i64 %left, 2
  %right_next = add i64 %right, 2
  %next = add nuw nsw i32 %step, 1
  %more = icmp slt i32 %next, %steps
  br i1 %more, label %loop, label %commit

commit:
  call void @llvm.nvvm.tcgen05.commit.shared.cg1(ptr addrspace(3) @done)
  br label %wait

wait:
  call void @WaitFor(ptr addrspace(3) @done, i32 0)
  call void @llvm.nvvm.tcgen05.fence.after.thread.sync()
  %lane_base = shl i32 %warp, 21
  %word_lane = add i32 %word, %lane_base
  %mine = inttoptr i32 %word_lane to ptr addrspace(6)
  %low = call <8 x i32> @llvm.nvvm.tcgen05.ld.32x32b.x8(ptr addrspace(6) %mine, i1 false)
  %word_high = add i32 %word_lane, 8
  %mine_high = inttoptr i32 %word_high to ptr addrspace(6)
  %high = call <8 x i32> @llvm.nvvm.tcgen05.ld.32x32b.x8(ptr addrspace(6) %mine_high, i1 false)
  call void @llvm.nvvm.tcgen05.wait.ld()
  %low_f = bitcast <8 x i32> %low to <8 x float>
  %high_f = bitcast <8 x i32> %high to <8 x float>
  %sum = fadd <8 x float> %low_f, %high_f
  %at = getelementptr <8 x float>, ptr addrspace(1) %out, i32 %thread
  store <8 x float> %sum, ptr addrspace(1) %at, align 32
  %back = bitcast <8 x float> %sum to <8 x i32>
  call void @llvm.nvvm.tcgen05.st.32x32b.x8(ptr addrspace(6) %mine, <8 x i32> %back, i1 false)
  call void @llvm.nvvm.tcgen05.wait.st()
  call void @llvm.nvvm.tcgen05.fence.before.thread.sync()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %is_warp0, label %give, label %end

give:
  call void @llvm.nvvm.tcgen05.dealloc.cg1(ptr addrspace(6) %tensor, i32 128)
  br label %end

end:
  ret void
}

define ptx_kernel void @CopyAndShift(i64 %tile, ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %words) {
entry:
  call void @LoadTiles(ptr addrspace(1) %in, i32 %words)
  %from = call i64 @InTiles(i64 %tile)
  call void @llvm.nvvm.tcgen05.alloc.shared.cg1(ptr addrspace(3) @tensor_address, i32 32)
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is_first = icmp eq i32 %thread, 0
  br i1 %is_first, label %copy, label %wait

copy:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @done, i32 1)
  %first_word = load volatile i32, ptr addrspace(3) @tensor_address, align 4
  %first = inttoptr i32 %first_word to ptr addrspace(6)
  %second_word = add i32 %first_word, 8
  %second = inttoptr i32 %second_word to ptr addrspace(6)
  %from_second = add i64 %from, 256
  call void @llvm.nvvm.tcgen05.cp.128x256b.cg1(ptr addrspace(6) %first, i64 %from)
  call void @llvm.nvvm.tcgen05.cp.128x256b.cg1(ptr addrspace(6) %second, i64 %from_second)
  call void @llvm.nvvm.tcgen05.shift.down.cg1(ptr addrspace(6) %second)
  call void @llvm.nvvm.tcgen05.commit.shared.cg1(ptr addrspace(3) @done)
  br label %wait

wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @WaitFor(ptr addrspace(3) @done, i32 0)
  call void @llvm.nvvm.tcgen05.fence.after.thread.sync()
  %word = load volatile i32, ptr addrspace(3) @tensor_address, align 4
  %tensor = inttoptr i32 %word to ptr addrspace(6)
  %v = call <16 x i32> @llvm.nvvm.tcgen05.ld.16x256b.x4(ptr addrspace(6) %tensor, i1 false)
  call void @llvm.nvvm.tcgen05.wait.ld()
  %low = shufflevector <16 x i32> %v, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %at = getelementptr <8 x i32>, ptr addrspace(1) %out, i32 %thread
  store <8 x i32> %low, ptr addrspace(1) %at, align 32
  call void @llvm.nvvm.tcgen05.dealloc.cg1(ptr addrspace(6) %tensor, i32 32)
  ret void
}
