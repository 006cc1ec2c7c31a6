; Made by make_producers.py with Debian package python3-numba 0.56.4+dfsg-2.
; ModuleID = "saxpy$1"
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"

@"_ZN08NumbaEnv8__main__5saxpyB2v1B96cw51cXTLSUwHBinCqbbgUAAGBlq82ILSCEQYkgSQBFCjFSaBZJtttTo4sahbKUBDUB3kNVDaQRKChQ_2bSEFA_2fkGdcqwkAE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEf" = common global i8* null
define linkonce_odr i32 @"_ZN8__main__5saxpyB2v1B96cw51cXTLSUwHBinCqbbgUAAGBlq82ILSCEQYkgSQBFCjFSaBZJtttTo4sahbKUBDUB3kNVDaQRKChQ_2bSEFA_2fkGdcqwkAE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEf"(i8** %".ret", i8* %"arg.out.0", i8* %"arg.out.1", i64 %"arg.out.2", i64 %"arg.out.3", float* %"arg.out.4", i64 %"arg.out.5.0", i64 %"arg.out.6.0", i8* %"arg.x.0", i8* %"arg.x.1", i64 %"arg.x.2", i64 %"arg.x.3", float* %"arg.x.4", i64 %"arg.x.5.0", i64 %"arg.x.6.0", float %"arg.a")
{
entry:
  %"inserted.meminfo" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} undef, i8* %"arg.out.0", 0
  %"inserted.parent" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.meminfo", i8* %"arg.out.1", 1
  %"inserted.nitems" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.parent", i64 %"arg.out.2", 2
  %"inserted.itemsize" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.nitems", i64 %"arg.out.3", 3
  %"inserted.data" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.itemsize", float* %"arg.out.4", 4
  %".18" = insertvalue [1 x i64] undef, i64 %"arg.out.5.0", 0
  %"inserted.shape" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.data", [1 x i64] %".18", 5
  %".19" = insertvalue [1 x i64] undef, i64 %"arg.out.6.0", 0
  %"inserted.strides" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.shape", [1 x i64] %".19", 6
  %"inserted.meminfo.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} undef, i8* %"arg.x.0", 0
  %"inserted.parent.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.meminfo.1", i8* %"arg.x.1", 1
  %"inserted.nitems.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.parent.1", i64 %"arg.x.2", 2
  %"inserted.itemsize.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.nitems.1", i64 %"arg.x.3", 3
  %"inserted.data.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.itemsize.1", float* %"arg.x.4", 4
  %".20" = insertvalue [1 x i64] undef, i64 %"arg.x.5.0", 0
  %"inserted.shape.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.data.1", [1 x i64] %".20", 5
  %".21" = insertvalue [1 x i64] undef, i64 %"arg.x.6.0", 0
  %"inserted.strides.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.shape.1", [1 x i64] %".21", 6
  %"out" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %"x" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  %"a" = alloca float
  store float 0.0, float* %"a"
  %"i" = alloca i32
  store i32 0, i32* %"i"
  %".38" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".38"
  %".51" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51"
  %".89" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89"
  %".123" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123"
  br label %"B0"
B0:
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.strides", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.strides.1", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  store float %"arg.a", float* %"a"
  %".28" = trunc i64 1 to i32
  %".29" = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %".30" = call i32 @"llvm.nvvm.read.ptx.sreg.ntid.x"()
  %".31" = call i32 @"llvm.nvvm.read.ptx.sreg.ctaid.x"()
  %".32" = mul i32 %".30", %".31"
  %".33" = add i32 %".32", %".29"
  %".35" = load i32, i32* %"i"
  store i32 %".33", i32* %"i"
  %".37" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".38"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".37", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".38"
  %".42" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".38", i32 0, i32 2
  %".43" = load i64, i64* %".42"
  %".44" = load i32, i32* %"i"
  %".45" = sext i32 %".44" to i64
  %".46" = icmp slt i64 %".45", %".43"
  br i1 %".46", label %"B66", label %"B152"
B66:
  %".48" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  %".49" = load i32, i32* %"i"
  %".50" = sext i32 %".49" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".48", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51"
  %".55" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51", i32 0, i32 5
  %".56" = getelementptr inbounds [1 x i64], [1 x i64]* %".55", i32 0, i32 0
  %".57" = load i64, i64* %".56", !range !1
  %".58" = insertvalue [1 x i64] undef, i64 %".57", 0
  %".59" = extractvalue [1 x i64] %".58", 0
  %".60" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51", i32 0, i32 6
  %".61" = load [1 x i64], [1 x i64]* %".60"
  %".62" = extractvalue [1 x i64] %".61", 0
  %".63" = icmp slt i64 %".50", 0
  %".64" = add i64 %".50", %".59"
  %".65" = select  i1 %".63", i64 %".64", i64 %".50"
  %".66" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51", i32 0, i32 5
  %".67" = getelementptr inbounds [1 x i64], [1 x i64]* %".66", i32 0, i32 0
  %".68" = load i64, i64* %".67", !range !1
  %".69" = insertvalue [1 x i64] undef, i64 %".68", 0
  %".70" = extractvalue [1 x i64] %".69", 0
  %".71" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51", i32 0, i32 6
  %".72" = load [1 x i64], [1 x i64]* %".71"
  %".73" = extractvalue [1 x i64] %".72", 0
  %".74" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".51", i32 0, i32 4
  %".75" = load float*, float** %".74"
  %".76" = mul i64 %".65", 1
  %".77" = add i64 0, %".76"
  %".78" = getelementptr float, float* %".75", i64 %".77"
  %".79" = load float, float* %".78"
  %".80" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  %".82" = load float, float* %"a"
  %".83" = fmul float %".82", %".79"
  %".84" = load float, float* %"a"
  store float 0.0, float* %"a"
  %".86" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %".87" = load i32, i32* %"i"
  %".88" = sext i32 %".87" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".86", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89"
  %".93" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89", i32 0, i32 5
  %".94" = getelementptr inbounds [1 x i64], [1 x i64]* %".93", i32 0, i32 0
  %".95" = load i64, i64* %".94", !range !1
  %".96" = insertvalue [1 x i64] undef, i64 %".95", 0
  %".97" = extractvalue [1 x i64] %".96", 0
  %".98" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89", i32 0, i32 6
  %".99" = load [1 x i64], [1 x i64]* %".98"
  %".100" = extractvalue [1 x i64] %".99", 0
  %".101" = icmp slt i64 %".88", 0
  %".102" = add i64 %".88", %".97"
  %".103" = select  i1 %".101", i64 %".102", i64 %".88"
  %".104" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89", i32 0, i32 5
  %".105" = getelementptr inbounds [1 x i64], [1 x i64]* %".104", i32 0, i32 0
  %".106" = load i64, i64* %".105", !range !1
  %".107" = insertvalue [1 x i64] undef, i64 %".106", 0
  %".108" = extractvalue [1 x i64] %".107", 0
  %".109" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89", i32 0, i32 6
  %".110" = load [1 x i64], [1 x i64]* %".109"
  %".111" = extractvalue [1 x i64] %".110", 0
  %".112" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".89", i32 0, i32 4
  %".113" = load float*, float** %".112"
  %".114" = mul i64 %".103", 1
  %".115" = add i64 0, %".114"
  %".116" = getelementptr float, float* %".113", i64 %".115"
  %".117" = load float, float* %".116"
  %".118" = call float @"__nv_sqrtf"(float %".117")
  %".119" = fadd float %".83", %".118"
  %".120" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %".121" = load i32, i32* %"i"
  %".122" = sext i32 %".121" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".120", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123"
  %".127" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123", i32 0, i32 5
  %".128" = getelementptr inbounds [1 x i64], [1 x i64]* %".127", i32 0, i32 0
  %".129" = load i64, i64* %".128", !range !1
  %".130" = insertvalue [1 x i64] undef, i64 %".129", 0
  %".131" = extractvalue [1 x i64] %".130", 0
  %".132" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123", i32 0, i32 6
  %".133" = load [1 x i64], [1 x i64]* %".132"
  %".134" = extractvalue [1 x i64] %".133", 0
  %".135" = icmp slt i64 %".122", 0
  %".136" = add i64 %".122", %".131"
  %".137" = select  i1 %".135", i64 %".136", i64 %".122"
  %".138" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123", i32 0, i32 5
  %".139" = getelementptr inbounds [1 x i64], [1 x i64]* %".138", i32 0, i32 0
  %".140" = load i64, i64* %".139", !range !1
  %".141" = insertvalue [1 x i64] undef, i64 %".140", 0
  %".142" = extractvalue [1 x i64] %".141", 0
  %".143" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123", i32 0, i32 6
  %".144" = load [1 x i64], [1 x i64]* %".143"
  %".145" = extractvalue [1 x i64] %".144", 0
  %".146" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".123", i32 0, i32 4
  %".147" = load float*, float** %".146"
  %".148" = mul i64 %".137", 1
  %".149" = add i64 0, %".148"
  %".150" = getelementptr float, float* %".147", i64 %".149"
  store float %".119", float* %".150"
  %".152" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %".154" = load i32, i32* %"i"
  store i32 0, i32* %"i"
  store i8* null, i8** %".ret"
  ret i32 0
B152:
  %".158" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"x"
  %".160" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %".162" = load i32, i32* %"i"
  store i32 0, i32* %"i"
  %".164" = load float, float* %"a"
  store float 0.0, float* %"a"
  store i8* null, i8** %".ret"
  ret i32 0
}

declare i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()

declare i32 @"llvm.nvvm.read.ptx.sreg.ntid.x"()

declare i32 @"llvm.nvvm.read.ptx.sreg.ctaid.x"()

declare float @"__nv_sqrtf"(float %".1")

!nvvmir.version = !{ !0 }
!0 = !{ i32 1, i32 6, i32 3, i32 0 }
!1 = !{ i64 0, i64 9223372036854775807 }