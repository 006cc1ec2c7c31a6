; A profile: how often the function was entered, and which way its branches went.
; llc: -mcpu=sm_80
target triple = "nvptx64-nvidia-cuda"
define void @f(ptr %p, i32 %n) !prof !0 {
entry:
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %body, label %end, !prof !1
body:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %q = getelementptr i32, ptr %p, i32 %i
  store volatile i32 %i, ptr %q
  %j = add i32 %i, 1
  %d = icmp slt i32 %j, %n
  br i1 %d, label %body, label %end, !prof !2
end:
  ret void
}
!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 7, i32 4}
!2 = !{!"branch_weights", i32 13, i32 3}
