; Made by make_producers.py with Debian package python3-numba 0.56.4+dfsg-2.
; ModuleID = "block_sum$1"
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"

@"_ZN08NumbaEnv8__main__9block_sumB2v1B96cw51cXTLSUwHBinCqbbgUAAGBlq82ILSCEQYkgSQBFCjFSaBZJtttTo4sahbKUBDUB3kNVDaQRKChQ_2bSEFA_2fkGdcqwkAE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE" = common global i8* null
define linkonce_odr i32 @"_ZN8__main__9block_sumB2v1B96cw51cXTLSUwHBinCqbbgUAAGBlq82ILSCEQYkgSQBFCjFSaBZJtttTo4sahbKUBDUB3kNVDaQRKChQ_2bSEFA_2fkGdcqwkAE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE"(i8** %".ret", i8* %"arg.out.0", i8* %"arg.out.1", i64 %"arg.out.2", i64 %"arg.out.3", float* %"arg.out.4", i64 %"arg.out.5.0", i64 %"arg.out.6.0", i8* %"arg.x.0", i8* %"arg.x.1", i64 %"arg.x.2", i64 %"arg.x.3", float* %"arg.x.4", i64 %"arg.x.5.0", i64 %"arg.x.6.0")
{
entry:
  %"inserted.meminfo" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} undef, i8* %"arg.out.0", 0
  %"inserted.parent" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.meminfo", i8* %"arg.out.1", 1
  %"inserted.nitems" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.parent", i64 %"arg.out.2", 2
  %"inserted.itemsize" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.nitems", i64 %"arg.out.3", 3
  %"inserted.data" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.itemsize", float* %"arg.out.4", 4
  %".17" = insertvalue [1 x i64] undef, i64 %"arg.out.5.0", 0
  %"inserted.shape" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.data", [1 x i64] %".17", 5
  %".18" = insertvalue [1 x i64] undef, i64 %"arg.out.6.0", 0
  %"inserted.strides" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.shape", [1 x i64] %".18", 6
  %"inserted.meminfo.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} undef, i8* %"arg.x.0", 0
  %"inserted.parent.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.meminfo.1", i8* %"arg.x.1", 1
  %"inserted.nitems.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.parent.1", i64 %"arg.x.2", 2
  %"inserted.itemsize.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.nitems.1", i64 %"arg.x.3", 3
  %"inserted.data.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.itemsize.1", float* %"arg.x.4", 4
  %".19" = insertvalue [1 x i64] undef, i64 %"arg.x.5.0", 0
  %"inserted.shape.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.data.1", [1 x i64] %".19", 5
  %".20" = insertvalue [1 x i64] undef, i64 %"arg.x.6.0", 0
  %"inserted.strides.1" = insertvalue {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.shape.1", [1 x i64] %".20", 6
  %"out" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %".24" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24"
  %"shared" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %"thread" = alloca i32
  store i32 0, i32* %"thread"
  %".69" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69"
  %".101" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101"
  %"width.2" = alloca i64
  store i64 0, i64* %"width.2"
  %"$344pred" = alloca i1
  store i1 0, i1* %"$344pred"
  %".147" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147"
  %".181" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181"
  %".214" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214"
  %"quot" = alloca i64
  store i64 0, i64* %"quot"
  %"rem" = alloca i64
  store i64 0, i64* %"rem"
  %".253" = alloca i64
  store i64 0, i64* %".253"
  %".256" = alloca i64
  store i64 0, i64* %".256"
  %".304" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304"
  %".336" = alloca {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".336"
  br label %"B0"
B0:
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.strides", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  %".23" = call i8* @"llvm.nvvm.ptr.shared.to.gen.p0i8.p3i8"(i8 addrspace(3)* bitcast ([128 x float] addrspace(3)* @"_cudapy_smem_1" to i8 addrspace(3)*))
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24"
  %".27" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 4
  %".28" = load float*, float** %".27"
  %".29" = bitcast i8* %".23" to float*
  %".30" = insertvalue [1 x i64] undef, i64 128, 0
  %".31" = insertvalue [1 x i64] undef, i64 4, 0
  %".32" = extractvalue [1 x i64] %".30", 0
  %".33" = mul nsw i64 1, %".32"
  %".34" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 5
  store [1 x i64] %".30", [1 x i64]* %".34"
  %".36" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 6
  store [1 x i64] %".31", [1 x i64]* %".36"
  %".38" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 4
  store float* %".29", float** %".38"
  %".40" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 3
  store i64 4, i64* %".40"
  %".42" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 0
  store i8* null, i8** %".42"
  %".44" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 1
  store i8* null, i8** %".44"
  %".46" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24", i32 0, i32 2
  store i64 %".33", i64* %".46"
  %".48" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".24"
  %".50" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".48", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %".52" = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %".53" = call i32 @"llvm.nvvm.read.ptx.sreg.tid.y"()
  %".54" = call i32 @"llvm.nvvm.read.ptx.sreg.tid.z"()
  %".55" = insertvalue {i32, i32, i32} undef, i32 %".52", 0
  %".56" = insertvalue {i32, i32, i32} %".55", i32 %".53", 1
  %".57" = insertvalue {i32, i32, i32} %".56", i32 %".54", 2
  %".58" = extractvalue {i32, i32, i32} %".57", 0
  %".60" = load i32, i32* %"thread"
  store i32 %".58", i32* %"thread"
  %".62" = trunc i64 1 to i32
  %".63" = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %".64" = call i32 @"llvm.nvvm.read.ptx.sreg.ntid.x"()
  %".65" = call i32 @"llvm.nvvm.read.ptx.sreg.ctaid.x"()
  %".66" = mul i32 %".64", %".65"
  %".67" = add i32 %".66", %".63"
  %".68" = sext i32 %".67" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %"inserted.strides.1", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69"
  %".73" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69", i32 0, i32 5
  %".74" = getelementptr inbounds [1 x i64], [1 x i64]* %".73", i32 0, i32 0
  %".75" = load i64, i64* %".74", !range !1
  %".76" = insertvalue [1 x i64] undef, i64 %".75", 0
  %".77" = extractvalue [1 x i64] %".76", 0
  %".78" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69", i32 0, i32 6
  %".79" = load [1 x i64], [1 x i64]* %".78"
  %".80" = extractvalue [1 x i64] %".79", 0
  %".81" = icmp slt i64 %".68", 0
  %".82" = add i64 %".68", %".77"
  %".83" = select  i1 %".81", i64 %".82", i64 %".68"
  %".84" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69", i32 0, i32 5
  %".85" = getelementptr inbounds [1 x i64], [1 x i64]* %".84", i32 0, i32 0
  %".86" = load i64, i64* %".85", !range !1
  %".87" = insertvalue [1 x i64] undef, i64 %".86", 0
  %".88" = extractvalue [1 x i64] %".87", 0
  %".89" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69", i32 0, i32 6
  %".90" = load [1 x i64], [1 x i64]* %".89"
  %".91" = extractvalue [1 x i64] %".90", 0
  %".92" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".69", i32 0, i32 4
  %".93" = load float*, float** %".92"
  %".94" = mul i64 %".83", 1
  %".95" = add i64 0, %".94"
  %".96" = getelementptr float, float* %".93", i64 %".95"
  %".97" = load float, float* %".96"
  %".98" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %".99" = load i32, i32* %"thread"
  %".100" = sext i32 %".99" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".98", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101"
  %".105" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101", i32 0, i32 5
  %".106" = getelementptr inbounds [1 x i64], [1 x i64]* %".105", i32 0, i32 0
  %".107" = load i64, i64* %".106", !range !1
  %".108" = insertvalue [1 x i64] undef, i64 %".107", 0
  %".109" = extractvalue [1 x i64] %".108", 0
  %".110" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101", i32 0, i32 6
  %".111" = load [1 x i64], [1 x i64]* %".110"
  %".112" = extractvalue [1 x i64] %".111", 0
  %".113" = icmp slt i64 %".100", 0
  %".114" = add i64 %".100", %".109"
  %".115" = select  i1 %".113", i64 %".114", i64 %".100"
  %".116" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101", i32 0, i32 5
  %".117" = getelementptr inbounds [1 x i64], [1 x i64]* %".116", i32 0, i32 0
  %".118" = load i64, i64* %".117", !range !1
  %".119" = insertvalue [1 x i64] undef, i64 %".118", 0
  %".120" = extractvalue [1 x i64] %".119", 0
  %".121" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101", i32 0, i32 6
  %".122" = load [1 x i64], [1 x i64]* %".121"
  %".123" = extractvalue [1 x i64] %".122", 0
  %".124" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".101", i32 0, i32 4
  %".125" = load float*, float** %".124"
  %".126" = mul i64 %".115", 1
  %".127" = add i64 0, %".126"
  %".128" = getelementptr float, float* %".125", i64 %".127"
  store float %".97", float* %".128"
  call void @"llvm.nvvm.barrier0"()
  %".132" = load i64, i64* %"width.2"
  store i64 64, i64* %"width.2"
  %".134" = icmp sgt i64 64, 0
  br i1 %".134", label %"B224", label %"B346"
B224:
  %".137" = load i1, i1* %"$344pred"
  store i1 0, i1* %"$344pred"
  %".139" = load i32, i32* %"thread"
  %".140" = load i64, i64* %"width.2"
  %".141" = sext i32 %".139" to i64
  %".142" = icmp slt i64 %".141", %".140"
  br i1 %".142", label %"B236", label %"B286"
B236:
  %".144" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %".145" = load i32, i32* %"thread"
  %".146" = sext i32 %".145" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".144", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147"
  %".151" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147", i32 0, i32 5
  %".152" = getelementptr inbounds [1 x i64], [1 x i64]* %".151", i32 0, i32 0
  %".153" = load i64, i64* %".152", !range !1
  %".154" = insertvalue [1 x i64] undef, i64 %".153", 0
  %".155" = extractvalue [1 x i64] %".154", 0
  %".156" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147", i32 0, i32 6
  %".157" = load [1 x i64], [1 x i64]* %".156"
  %".158" = extractvalue [1 x i64] %".157", 0
  %".159" = icmp slt i64 %".146", 0
  %".160" = add i64 %".146", %".155"
  %".161" = select  i1 %".159", i64 %".160", i64 %".146"
  %".162" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147", i32 0, i32 5
  %".163" = getelementptr inbounds [1 x i64], [1 x i64]* %".162", i32 0, i32 0
  %".164" = load i64, i64* %".163", !range !1
  %".165" = insertvalue [1 x i64] undef, i64 %".164", 0
  %".166" = extractvalue [1 x i64] %".165", 0
  %".167" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147", i32 0, i32 6
  %".168" = load [1 x i64], [1 x i64]* %".167"
  %".169" = extractvalue [1 x i64] %".168", 0
  %".170" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".147", i32 0, i32 4
  %".171" = load float*, float** %".170"
  %".172" = mul i64 %".161", 1
  %".173" = add i64 0, %".172"
  %".174" = getelementptr float, float* %".171", i64 %".173"
  %".175" = load float, float* %".174"
  %".176" = load i32, i32* %"thread"
  %".177" = load i64, i64* %"width.2"
  %".178" = sext i32 %".176" to i64
  %".179" = add nsw i64 %".178", %".177"
  %".180" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".180", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181"
  %".185" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181", i32 0, i32 5
  %".186" = getelementptr inbounds [1 x i64], [1 x i64]* %".185", i32 0, i32 0
  %".187" = load i64, i64* %".186", !range !1
  %".188" = insertvalue [1 x i64] undef, i64 %".187", 0
  %".189" = extractvalue [1 x i64] %".188", 0
  %".190" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181", i32 0, i32 6
  %".191" = load [1 x i64], [1 x i64]* %".190"
  %".192" = extractvalue [1 x i64] %".191", 0
  %".193" = icmp slt i64 %".179", 0
  %".194" = add i64 %".179", %".189"
  %".195" = select  i1 %".193", i64 %".194", i64 %".179"
  %".196" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181", i32 0, i32 5
  %".197" = getelementptr inbounds [1 x i64], [1 x i64]* %".196", i32 0, i32 0
  %".198" = load i64, i64* %".197", !range !1
  %".199" = insertvalue [1 x i64] undef, i64 %".198", 0
  %".200" = extractvalue [1 x i64] %".199", 0
  %".201" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181", i32 0, i32 6
  %".202" = load [1 x i64], [1 x i64]* %".201"
  %".203" = extractvalue [1 x i64] %".202", 0
  %".204" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".181", i32 0, i32 4
  %".205" = load float*, float** %".204"
  %".206" = mul i64 %".195", 1
  %".207" = add i64 0, %".206"
  %".208" = getelementptr float, float* %".205", i64 %".207"
  %".209" = load float, float* %".208"
  %".210" = fadd float %".175", %".209"
  %".211" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %".212" = load i32, i32* %"thread"
  %".213" = sext i32 %".212" to i64
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".211", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214"
  %".218" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214", i32 0, i32 5
  %".219" = getelementptr inbounds [1 x i64], [1 x i64]* %".218", i32 0, i32 0
  %".220" = load i64, i64* %".219", !range !1
  %".221" = insertvalue [1 x i64] undef, i64 %".220", 0
  %".222" = extractvalue [1 x i64] %".221", 0
  %".223" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214", i32 0, i32 6
  %".224" = load [1 x i64], [1 x i64]* %".223"
  %".225" = extractvalue [1 x i64] %".224", 0
  %".226" = icmp slt i64 %".213", 0
  %".227" = add i64 %".213", %".222"
  %".228" = select  i1 %".226", i64 %".227", i64 %".213"
  %".229" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214", i32 0, i32 5
  %".230" = getelementptr inbounds [1 x i64], [1 x i64]* %".229", i32 0, i32 0
  %".231" = load i64, i64* %".230", !range !1
  %".232" = insertvalue [1 x i64] undef, i64 %".231", 0
  %".233" = extractvalue [1 x i64] %".232", 0
  %".234" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214", i32 0, i32 6
  %".235" = load [1 x i64], [1 x i64]* %".234"
  %".236" = extractvalue [1 x i64] %".235", 0
  %".237" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".214", i32 0, i32 4
  %".238" = load float*, float** %".237"
  %".239" = mul i64 %".228", 1
  %".240" = add i64 0, %".239"
  %".241" = getelementptr float, float* %".238", i64 %".240"
  store float %".210", float* %".241"
  br label %"B286"
B286:
  call void @"llvm.nvvm.barrier0"()
  %".245" = load i64, i64* %"width.2"
  %".248" = icmp eq i64 2, 0
  br i1 %".248", label %"B286.if", label %"B286.else", !prof !2
B346:
  %".293" = load i64, i64* %"width.2"
  store i64 0, i64* %"width.2"
  %".295" = load i1, i1* %"$344pred"
  store i1 0, i1* %"$344pred"
  %".297" = load i32, i32* %"thread"
  %".298" = sext i32 %".297" to i64
  %".299" = icmp eq i64 %".298", 0
  %".300" = load i32, i32* %"thread"
  store i32 0, i32* %"thread"
  br i1 %".299", label %"B358", label %"B440"
B358:
  %".303" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".303", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304"
  %".308" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304", i32 0, i32 5
  %".309" = getelementptr inbounds [1 x i64], [1 x i64]* %".308", i32 0, i32 0
  %".310" = load i64, i64* %".309", !range !1
  %".311" = insertvalue [1 x i64] undef, i64 %".310", 0
  %".312" = extractvalue [1 x i64] %".311", 0
  %".313" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304", i32 0, i32 6
  %".314" = load [1 x i64], [1 x i64]* %".313"
  %".315" = extractvalue [1 x i64] %".314", 0
  %".316" = icmp slt i64 0, 0
  %".317" = add i64 0, %".312"
  %".318" = select  i1 %".316", i64 %".317", i64 0
  %".319" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304", i32 0, i32 5
  %".320" = getelementptr inbounds [1 x i64], [1 x i64]* %".319", i32 0, i32 0
  %".321" = load i64, i64* %".320", !range !1
  %".322" = insertvalue [1 x i64] undef, i64 %".321", 0
  %".323" = extractvalue [1 x i64] %".322", 0
  %".324" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304", i32 0, i32 6
  %".325" = load [1 x i64], [1 x i64]* %".324"
  %".326" = extractvalue [1 x i64] %".325", 0
  %".327" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".304", i32 0, i32 4
  %".328" = load float*, float** %".327"
  %".329" = mul i64 %".318", 1
  %".330" = add i64 0, %".329"
  %".331" = getelementptr float, float* %".328", i64 %".330"
  %".332" = load float, float* %".331"
  %".333" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %".335" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".336"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} %".335", {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".336"
  %".340" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".336", i32 0, i32 5
  %".341" = getelementptr inbounds [1 x i64], [1 x i64]* %".340", i32 0, i32 0
  %".342" = load i64, i64* %".341", !range !1
  %".343" = insertvalue [1 x i64] undef, i64 %".342", 0
  %".344" = extractvalue [1 x i64] %".343", 0
  %".345" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".336", i32 0, i32 6
  %".346" = load [1 x i64], [1 x i64]* %".345"
  %".347" = extractvalue [1 x i64] %".346", 0
  %".348" = getelementptr inbounds {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %".336", i32 0, i32 4
  %".349" = load float*, float** %".348"
  %".350" = icmp slt i64 0, 0
  %".351" = add i64 %".344", 0
  %".352" = select  i1 %".350", i64 %".351", i64 0
  %".353" = mul i64 %".352", 1
  %".354" = add i64 0, %".353"
  %".355" = getelementptr float, float* %".349", i64 %".354"
  %".356" = call float @"llvm.nvvm.atomic.load.add.f32.p0f32"(float* %".355", float %".332")
  %".357" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store i8* null, i8** %".ret"
  ret i32 0
B440:
  %".361" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"shared"
  %".363" = load {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]} zeroinitializer, {i8*, i8*, i64, i64, float*, [1 x i64], [1 x i64]}* %"out"
  store i8* null, i8** %".ret"
  ret i32 0
B286.if:
  store i64 2, i64* %"quot"
  store i64 2, i64* %"rem"
  br label %"B286.endif"
B286.else:
  store i64 0, i64* %".253"
  store i64 0, i64* %".256"
  %".259" = icmp eq i64 %".245", -9223372036854775808
  %".260" = icmp eq i64 2, -1
  %".261" = and i1 %".259", %".260"
  %".262" = xor i1 %".261", -1
  br i1 %".262", label %"B286.else.if", label %"B286.else.endif", !prof !3
B286.endif:
  %".285" = load i64, i64* %"quot"
  %".286" = load i64, i64* %"width.2"
  store i64 %".285", i64* %"width.2"
  %".288" = icmp sgt i64 %".285", 0
  %".289" = load i1, i1* %"$344pred"
  store i1 %".288", i1* %"$344pred"
  %".291" = load i1, i1* %"$344pred"
  br i1 %".291", label %"B224", label %"B346"
B286.else.if:
  %".264" = sdiv i64 %".245", 2
  %".265" = srem i64 %".245", 2
  %".266" = xor i64 2, %".265"
  %".267" = icmp slt i64 %".266", 0
  %".268" = icmp ne i64 %".265", 0
  %".269" = and i1 %".268", %".267"
  br i1 %".269", label %"B286.else.if.if", label %"B286.else.if.else"
B286.else.endif:
  %".280" = load i64, i64* %".253"
  %".281" = load i64, i64* %".256"
  store i64 %".280", i64* %"quot"
  store i64 %".281", i64* %"rem"
  br label %"B286.endif"
B286.else.if.if:
  %".274" = sub i64 %".264", 1
  store i64 %".274", i64* %".253"
  %".276" = add i64 %".265", 2
  store i64 %".276", i64* %".256"
  br label %"B286.else.if.endif"
B286.else.if.else:
  store i64 %".264", i64* %".253"
  store i64 %".265", i64* %".256"
  br label %"B286.else.if.endif"
B286.else.if.endif:
  br label %"B286.else.endif"
}

@"_cudapy_smem_1" = addrspace(3) global [128 x float] undef, align 4
declare i8* @"llvm.nvvm.ptr.shared.to.gen.p0i8.p3i8"(i8 addrspace(3)* %".1")

declare i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()

declare i32 @"llvm.nvvm.read.ptx.sreg.tid.y"()

declare i32 @"llvm.nvvm.read.ptx.sreg.tid.z"()

declare i32 @"llvm.nvvm.read.ptx.sreg.ntid.x"()

declare i32 @"llvm.nvvm.read.ptx.sreg.ctaid.x"()

declare void @"llvm.nvvm.barrier0"()

declare float @"llvm.nvvm.atomic.load.add.f32.p0f32"(float* %".1", float %".2")

!nvvmir.version = !{ !0 }
!0 = !{ i32 1, i32 6, i32 3, i32 0 }
!1 = !{ i64 0, i64 9223372036854775807 }
!2 = !{ !"branch_weights", i32 1, i32 99 }
!3 = !{ !"branch_weights", i32 99, i32 1 }