; Types of every kind, variables on the stack. Made from debug_types.cu by
;   clang-22 -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-device-only -std=c++20 -w -fgpu-rdc \
;     -fdebug-compilation-dir=. -O0 -g -S -emit-llvm
; llc: -mcpu=sm_80
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"union.shapes::Word" = type { i32 }
%struct.Local = type { i32 }
%"struct.(anonymous namespace)::Anonymous" = type { i32 }
%"class.shapes::Derived" = type { %"struct.shapes::Base", %"struct.shapes::Other", { i64, i64 }, i64, i32, i32 }
%"struct.shapes::Base" = type { ptr, i32, i32 }
%"struct.shapes::Other" = type { i64 }
%"struct.shapes::Many" = type { [3 x [2 x i32]], %"struct.shapes::Box" }
%"struct.shapes::Box" = type { i32 }
%"struct.shapes::Pointee" = type { i8 }
%class.anon = type { i32, ptr }
%"struct.shapes::Bits" = type { i16, i32, i64 }

$_ZN6shapes7DerivedC1Ei = comdat any

$_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv = comdat any

$_Z5TwiceIdET_S0_ = comdat any

$_Z5TwiceIiET_S0_ = comdat any

$_ZNK6shapes7Derived4AreaEv = comdat any

$_ZN6shapes7DerivedD1Ev = comdat any

$_ZN6shapes7DerivedC2Ei = comdat any

$_ZN6shapes4BaseC2Ev = comdat any

$_ZN6shapes7Derived5ResetEv = comdat any

$_ZN6shapes7DerivedD0Ev = comdat any

$_ZNK6shapes4Base4AreaEv = comdat any

$_ZN6shapes4BaseD1Ev = comdat any

$_ZN6shapes4BaseD0Ev = comdat any

$_ZN6shapes7DerivedD2Ev = comdat any

$_ZN6shapes4BaseD2Ev = comdat any

$_ZTVN6shapes7DerivedE = comdat any

$_ZTVN6shapes4BaseE = comdat any

@_ZN6shapes7Derived6numberE = dso_local addrspace(1) externally_initialized global i32 7, align 4, !dbg !0
@table = dso_local addrspace(4) externally_initialized constant [3 x [5 x double]] zeroinitializer, align 8, !dbg !21
@in_shared = dso_local addrspace(3) global %"union.shapes::Word" undef, align 4, !dbg !28
@target = dso_local addrspace(1) externally_initialized global i32 1, align 4, !dbg !45
@callback = dso_local addrspace(1) externally_initialized global ptr null, align 8, !dbg !47
@odd = dso_local addrspace(1) externally_initialized global i64 0, align 8, !dbg !55
@big = dso_local addrspace(1) externally_initialized global i128 0, align 16, !dbg !58
@complex_number = dso_local addrspace(1) externally_initialized global { float, float } zeroinitializer, align 4, !dbg !61
@utf16 = dso_local addrspace(1) externally_initialized global i16 0, align 2, !dbg !64
@nothing = dso_local addrspace(1) externally_initialized global ptr null, align 8, !dbg !67
@restricted = dso_local addrspace(1) externally_initialized global ptr null, align 8, !dbg !70
@__const._Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi.local = private unnamed_addr constant %struct.Local { i32 3 }, align 4
@_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiE13static_shared = internal addrspace(3) global [8 x i32] undef, align 4, !dbg !74
@_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiE13static_global = internal addrspace(1) global i32 5, align 4, !dbg !106
@__const._Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi.list = private unnamed_addr constant [3 x i32] [i32 1, i32 2, i32 3], align 4
@.str = private unnamed_addr constant [2 x i8] c"x\00", align 1, !dbg !108
@_ZL7counter = internal addrspace(1) global i32 0, align 4, !dbg !179
@_ZN12_GLOBAL__N_19anonymousE = internal addrspace(1) global %"struct.(anonymous namespace)::Anonymous" zeroinitializer, align 4, !dbg !181
@dynamic = external dso_local addrspace(3) global [0 x float], align 4
@.str1 = private unnamed_addr constant [2 x i8] c"s\00", align 1, !dbg !116
@_ZTVN6shapes7DerivedE = linkonce_odr dso_local unnamed_addr constant { [6 x ptr] } { [6 x ptr] [ptr null, ptr null, ptr @_ZNK6shapes7Derived4AreaEv, ptr @_ZN6shapes7Derived5ResetEv, ptr @_ZN6shapes7DerivedD1Ev, ptr @_ZN6shapes7DerivedD0Ev] }, comdat, align 8, !dbg !118
@_ZTVN6shapes4BaseE = linkonce_odr dso_local unnamed_addr constant { [6 x ptr] } { [6 x ptr] [ptr null, ptr null, ptr @_ZNK6shapes4Base4AreaEv, ptr @__cxa_pure_virtual, ptr @_ZN6shapes4BaseD1Ev, ptr @_ZN6shapes4BaseD0Ev] }, comdat, align 8, !dbg !176
@llvm.compiler.used = appending global [7 x ptr] [ptr addrspacecast (ptr addrspace(4) @table to ptr), ptr addrspacecast (ptr addrspace(1) @target to ptr), ptr addrspacecast (ptr addrspace(1) @callback to ptr), ptr addrspacecast (ptr addrspace(1) @odd to ptr), ptr addrspacecast (ptr addrspace(1) @big to ptr), ptr addrspacecast (ptr addrspace(1) @utf16 to ptr), ptr addrspacecast (ptr addrspace(1) @restricted to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline nounwind optnone
define dso_local noundef i32 @_Z8VariadicPKcz(ptr noundef %0, ...) #0 !dbg !193 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !197, !DIExpression(), !198)
  %3 = load ptr, ptr %2, align 8, !dbg !199
  %4 = getelementptr inbounds i8, ptr %3, i64 0, !dbg !199
  %5 = load i8, ptr %4, align 1, !dbg !199
  %6 = sext i8 %5 to i32, !dbg !199
  ret i32 %6, !dbg !200
}

; Function Attrs: convergent noinline noreturn nounwind optnone
define dso_local void @_Z4Stopi(i32 noundef %0) #1 !dbg !201 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
    #dbg_declare(ptr %2, !204, !DIExpression(), !205)
  %3 = load i32, ptr %2, align 4, !dbg !206
  %4 = icmp ne i32 %3, 0, !dbg !206
  br i1 %4, label %5, label %6, !dbg !206

5:                                                ; preds = %1
  call void @llvm.trap(), !dbg !208
  br label %6, !dbg !208

6:                                                ; preds = %5, %1
  br label %7, !dbg !209

7:                                                ; preds = %6, %7
  br label %7, !dbg !209, !llvm.loop !210
}

; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
declare void @llvm.trap() #2

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local ptx_kernel void @_Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull align 4 dereferenceable(4) %3) #3 !dbg !76 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca %struct.Local, align 4
  %10 = alloca %"class.shapes::Derived", align 8
  %11 = alloca ptr, align 8
  %12 = alloca i8, align 1
  %13 = alloca i32, align 4
  %14 = alloca %"struct.shapes::Many", align 4
  %15 = alloca %"struct.shapes::Pointee", align 1
  %16 = alloca i32, align 4
  %17 = alloca %class.anon, align 8
  %18 = alloca i32, align 4
  %19 = alloca float, align 4
  %20 = alloca i128, align 16
  %21 = alloca [3 x i32], align 4
  %22 = alloca ptr, align 8
  %23 = alloca i32, align 4
  %24 = alloca %"struct.shapes::Bits", align 8
  %25 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
    #dbg_declare(ptr %5, !212, !DIExpression(), !213)
  store ptr %1, ptr %6, align 8
    #dbg_declare(ptr %6, !214, !DIExpression(), !215)
  store ptr %2, ptr %7, align 8
    #dbg_declare(ptr %7, !216, !DIExpression(), !217)
  store ptr %3, ptr %8, align 8
    #dbg_declare(ptr %8, !218, !DIExpression(), !219)
    #dbg_declare(ptr %9, !220, !DIExpression(), !228)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %9, ptr align 4 @__const._Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi.local, i64 4, i1 false), !dbg !228
    #dbg_declare(ptr %10, !229, !DIExpression(), !230)
  call void @_ZN6shapes7DerivedC1Ei(ptr noundef nonnull align 8 dereferenceable(56) %10, i32 noundef 4) #6, !dbg !230
  %26 = getelementptr inbounds nuw %"class.shapes::Derived", ptr %10, i32 0, i32 2, !dbg !231
  store { i64, i64 } { i64 1, i64 0 }, ptr %26, align 8, !dbg !232
    #dbg_declare(ptr %11, !233, !DIExpression(), !236)
  store ptr null, ptr %11, align 8, !dbg !236
    #dbg_declare(ptr %12, !237, !DIExpression(), !238)
  store i8 -1, ptr %12, align 1, !dbg !238
    #dbg_declare(ptr %13, !239, !DIExpression(), !240)
  store i32 -5, ptr %13, align 4, !dbg !240
    #dbg_declare(ptr %14, !241, !DIExpression(), !258)
  %27 = getelementptr inbounds nuw %"struct.shapes::Many", ptr %14, i32 0, i32 0, !dbg !259
  %28 = getelementptr inbounds [3 x [2 x i32]], ptr %27, i64 0, i64 1, !dbg !260
  %29 = getelementptr inbounds [2 x i32], ptr %28, i64 0, i64 0, !dbg !260
  store i32 2, ptr %29, align 4, !dbg !261
    #dbg_declare(ptr %15, !262, !DIExpression(), !271)
    #dbg_declare(ptr %16, !272, !DIExpression(), !274)
  %30 = call noundef i32 @_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv(ptr noundef nonnull align 1 dereferenceable(1) %15) #6, !dbg !275
  store i32 %30, ptr %16, align 4, !dbg !274
    #dbg_declare(ptr %17, !276, !DIExpression(), !282)
  %31 = getelementptr inbounds nuw %class.anon, ptr %17, i32 0, i32 0, !dbg !283
  %32 = load i32, ptr %16, align 4, !dbg !284
  %33 = mul nsw i32 %32, 2, !dbg !285
  store i32 %33, ptr %31, align 8, !dbg !283
  %34 = getelementptr inbounds nuw %class.anon, ptr %17, i32 0, i32 1, !dbg !283
  store ptr %9, ptr %34, align 8, !dbg !283
    #dbg_declare(ptr %18, !286, !DIExpression(), !287)
  store i32 17, ptr %18, align 4, !dbg !287
    #dbg_declare(ptr %19, !288, !DIExpression(), !289)
  store float 2.500000e+00, ptr %19, align 4, !dbg !289
    #dbg_declare(ptr %20, !290, !DIExpression(), !291)
  %35 = load i128, ptr addrspacecast (ptr addrspace(1) @big to ptr), align 16, !dbg !292
  %36 = load i32, ptr %16, align 4, !dbg !293
  %37 = sext i32 %36 to i128, !dbg !293
  %38 = add nsw i128 %35, %37, !dbg !294
  store i128 %38, ptr %20, align 16, !dbg !291
    #dbg_declare(ptr %21, !295, !DIExpression(), !298)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %21, ptr align 4 @__const._Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi.list, i64 12, i1 false), !dbg !298
    #dbg_declare(ptr %22, !299, !DIExpression(), !302)
  store ptr %21, ptr %22, align 8, !dbg !302
    #dbg_declare(ptr %23, !303, !DIExpression(), !305)
  %39 = call noundef i32 @_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiENUlT_E_clIiEEDaS9_(ptr noundef nonnull align 8 dereferenceable(16) %17, i32 noundef 5) #6, !dbg !306
  store i32 %39, ptr %23, align 4, !dbg !305
  %40 = load i32, ptr %23, align 4, !dbg !307
  %41 = icmp sgt i32 %40, 3, !dbg !308
  br i1 %41, label %42, label %67, !dbg !309

42:                                               ; preds = %4
    #dbg_declare(ptr %24, !310, !DIExpression(), !312)
  %43 = load ptr, ptr %7, align 8, !dbg !313
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %24, ptr align 8 %43, i64 16, i1 false), !dbg !314
  %44 = load i32, ptr %23, align 4, !dbg !315
  %45 = trunc i32 %44 to i16, !dbg !316
  %46 = load i16, ptr %24, align 8, !dbg !316
  %47 = and i16 %45, 7, !dbg !316
  %48 = and i16 %46, -8, !dbg !316
  %49 = or i16 %48, %47, !dbg !316
  store i16 %49, ptr %24, align 8, !dbg !316
  %50 = load i16, ptr %24, align 8, !dbg !317
  %51 = and i16 %50, 7, !dbg !317
  %52 = zext i16 %51 to i32, !dbg !317
  %53 = load ptr, ptr %7, align 8, !dbg !318
  %54 = getelementptr inbounds nuw %"struct.shapes::Bits", ptr %53, i32 0, i32 1, !dbg !319
  %55 = load i32, ptr %54, align 4, !dbg !319
  %56 = shl i32 %55, 12, !dbg !319
  %57 = ashr i32 %56, 12, !dbg !319
  %58 = add nsw i32 %52, %57, !dbg !320
  %59 = load ptr, ptr %5, align 8, !dbg !321
  %60 = getelementptr inbounds %"union.shapes::Word", ptr %59, i64 1, !dbg !321
  store i32 %58, ptr %60, align 4, !dbg !322
  br label %61, !dbg !321

61:                                               ; preds = %65, %42
    #dbg_label(!323, !324)
  %62 = load i32, ptr %23, align 4, !dbg !325
  %63 = add nsw i32 %62, -1, !dbg !325
  store i32 %63, ptr %23, align 4, !dbg !325
  %64 = icmp sgt i32 %63, 0, !dbg !327
  br i1 %64, label %65, label %66, !dbg !327

65:                                               ; preds = %61
  br label %61, !dbg !328

66:                                               ; preds = %61
  br label %67, !dbg !329

67:                                               ; preds = %66, %4
    #dbg_declare(ptr %25, !330, !DIExpression(), !332)
  store i32 0, ptr %25, align 4, !dbg !332
  br label %68, !dbg !333

68:                                               ; preds = %82, %67
  %69 = load i32, ptr %25, align 4, !dbg !334
  %70 = icmp slt i32 %69, 3, !dbg !336
  br i1 %70, label %71, label %85, !dbg !337

71:                                               ; preds = %68
  %72 = call contract noundef double @_Z5TwiceIdET_S0_(double noundef 1.500000e+00) #6, !dbg !338
  %73 = load i32, ptr %25, align 4, !dbg !340
  %74 = call noundef i32 @_Z5TwiceIiET_S0_(i32 noundef %73) #6, !dbg !341
  %75 = sitofp i32 %74 to double, !dbg !341
  %76 = fadd contract double %72, %75, !dbg !342
  %77 = fptrunc contract double %76 to float, !dbg !338
  %78 = load ptr, ptr %5, align 8, !dbg !343
  %79 = load i32, ptr %25, align 4, !dbg !344
  %80 = sext i32 %79 to i64, !dbg !343
  %81 = getelementptr inbounds %"union.shapes::Word", ptr %78, i64 %80, !dbg !343
  store float %77, ptr %81, align 4, !dbg !345
  br label %82, !dbg !346

82:                                               ; preds = %71
  %83 = load i32, ptr %25, align 4, !dbg !347
  %84 = add nsw i32 %83, 1, !dbg !347
  store i32 %84, ptr %25, align 4, !dbg !347
  br label %68, !dbg !348, !llvm.loop !349

85:                                               ; preds = %68
  %86 = call noundef i32 @_ZNK6shapes7Derived4AreaEv(ptr noundef nonnull align 8 dereferenceable(56) %10) #6, !dbg !352
  %87 = load i8, ptr %12, align 1, !dbg !353
  %88 = zext i8 %87 to i32, !dbg !354
  %89 = add nsw i32 %86, %88, !dbg !355
  %90 = load i32, ptr %13, align 4, !dbg !356
  %91 = add nsw i32 %89, %90, !dbg !357
  %92 = add nsw i32 %91, 17, !dbg !358
  %93 = add nsw i32 %92, 2, !dbg !359
  %94 = load i128, ptr %20, align 16, !dbg !360
  %95 = trunc i128 %94 to i32, !dbg !360
  %96 = add nsw i32 %93, %95, !dbg !361
  %97 = load ptr, ptr %22, align 8, !dbg !362
  %98 = getelementptr inbounds [3 x i32], ptr %97, i64 0, i64 1, !dbg !363
  %99 = load i32, ptr %98, align 4, !dbg !363
  %100 = add nsw i32 %96, %99, !dbg !364
  %101 = load i32, ptr addrspacecast (ptr addrspace(1) @_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiE13static_global to ptr), align 4, !dbg !365
  %102 = add nsw i32 %100, %101, !dbg !366
  %103 = call noundef i32 (ptr, ...) @_Z8VariadicPKcz(ptr noundef @.str, i32 noundef 1) #6, !dbg !367
  %104 = add nsw i32 %102, %103, !dbg !368
  %105 = load ptr, ptr %11, align 8, !dbg !369
  %106 = icmp ne ptr %105, null, !dbg !370
  %107 = zext i1 %106 to i32, !dbg !371
  %108 = add nsw i32 %104, %107, !dbg !372
  %109 = load ptr, ptr %8, align 8, !dbg !373, !nonnull !196, !align !374
  %110 = load volatile i32, ptr %109, align 4, !dbg !373
  %111 = add nsw i32 %108, %110, !dbg !375
  %112 = add nsw i32 %111, 42, !dbg !376
  %113 = load i32, ptr addrspacecast (ptr addrspace(1) @_ZL7counter to ptr), align 4, !dbg !377
  %114 = add nsw i32 %112, %113, !dbg !378
  %115 = load i32, ptr addrspacecast (ptr addrspace(1) @_ZN12_GLOBAL__N_19anonymousE to ptr), align 4, !dbg !379
  %116 = add nsw i32 %114, %115, !dbg !380
  %117 = load double, ptr getelementptr inbounds ([5 x double], ptr getelementptr inbounds ([3 x [5 x double]], ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 0, i64 1), i64 0, i64 2), align 8, !dbg !381
  %118 = fptosi double %117 to i32, !dbg !381
  %119 = add nsw i32 %116, %118, !dbg !382
  %120 = load float, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), align 4, !dbg !383
  %121 = fptosi float %120 to i32, !dbg !383
  %122 = add nsw i32 %119, %121, !dbg !384
  %123 = load i32, ptr getelementptr inbounds ([8 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiE13static_shared to ptr), i64 0, i64 1), align 4, !dbg !385
  %124 = add nsw i32 %122, %123, !dbg !386
  %125 = load i64, ptr addrspacecast (ptr addrspace(1) @odd to ptr), align 8, !dbg !387
  %126 = trunc i64 %125 to i37, !dbg !387
  %127 = trunc i37 %126 to i32, !dbg !387
  %128 = add nsw i32 %124, %127, !dbg !388
  %129 = load i16, ptr addrspacecast (ptr addrspace(1) @utf16 to ptr), align 2, !dbg !389
  %130 = zext i16 %129 to i32, !dbg !389
  %131 = add nsw i32 %128, %130, !dbg !390
  %132 = load ptr, ptr addrspacecast (ptr addrspace(1) @restricted to ptr), align 8, !dbg !391
  %133 = load i32, ptr %132, align 4, !dbg !392
  %134 = add nsw i32 %131, %133, !dbg !393
  %135 = load ptr, ptr %5, align 8, !dbg !394
  %136 = getelementptr inbounds %"union.shapes::Word", ptr %135, i64 0, !dbg !394
  store i32 %134, ptr %136, align 4, !dbg !395
  %137 = load ptr, ptr addrspacecast (ptr addrspace(1) @callback to ptr), align 8, !dbg !396
  %138 = icmp ne ptr %137, null, !dbg !396
  br i1 %138, label %139, label %141, !dbg !396

139:                                              ; preds = %85
  %140 = load ptr, ptr addrspacecast (ptr addrspace(1) @callback to ptr), align 8, !dbg !398
  call void (i32, ptr, ...) %140(i32 noundef 1, ptr noundef @.str1, i32 noundef 2) #6, !dbg !398
  br label %141, !dbg !398

141:                                              ; preds = %139, %85
  %142 = load ptr, ptr %5, align 8, !dbg !399
  %143 = getelementptr inbounds %"union.shapes::Word", ptr %142, i64 2, !dbg !399
  %144 = load i32, ptr %143, align 4, !dbg !400
  store i32 %144, ptr addrspacecast (ptr addrspace(3) @in_shared to ptr), align 4, !dbg !401
  %145 = load ptr, ptr %5, align 8, !dbg !402
  %146 = getelementptr inbounds %"union.shapes::Word", ptr %145, i64 3, !dbg !402
  %147 = load i32, ptr %146, align 4, !dbg !404
  %148 = icmp eq i32 %147, 7, !dbg !405
  br i1 %148, label %149, label %150, !dbg !405

149:                                              ; preds = %141
  call void @_Z4Stopi(i32 noundef 3) #7, !dbg !406
  unreachable, !dbg !406

150:                                              ; preds = %141
  call void @_ZN6shapes7DerivedD1Ev(ptr noundef nonnull align 8 dereferenceable(56) %10) #6, !dbg !407
  ret void, !dbg !407
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes7DerivedC1Ei(ptr noundef nonnull align 8 dereferenceable(56) %0, i32 noundef %1) unnamed_addr #0 comdat align 2 !dbg !408 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !409, !DIExpression(), !411)
  store i32 %1, ptr %4, align 4
    #dbg_declare(ptr %4, !412, !DIExpression(), !413)
  %5 = load ptr, ptr %3, align 8
  %6 = load i32, ptr %4, align 4, !dbg !414
  call void @_ZN6shapes7DerivedC2Ei(ptr noundef nonnull align 8 dereferenceable(56) %5, i32 noundef %6) #6, !dbg !414
  ret void, !dbg !415
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv(ptr noundef nonnull align 1 dereferenceable(1) %0) #0 comdat align 2 !dbg !416 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !417, !DIExpression(), !419)
  %3 = load ptr, ptr %2, align 8
  %4 = load i32, ptr addrspacecast (ptr addrspace(1) @target to ptr), align 4, !dbg !420
  ret i32 %4, !dbg !421
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define internal noundef i32 @_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiENUlT_E_clIiEEDaS9_(ptr noundef nonnull align 8 dereferenceable(16) %0, i32 noundef %1) #0 align 2 !dbg !422 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !429, !DIExpression(), !431)
  store i32 %1, ptr %4, align 4
    #dbg_declare(ptr %4, !432, !DIExpression(), !433)
  %5 = load ptr, ptr %3, align 8
  %6 = load i32, ptr %4, align 4, !dbg !434
  %7 = getelementptr inbounds nuw %class.anon, ptr %5, i32 0, i32 0, !dbg !435
  %8 = load i32, ptr %7, align 8, !dbg !436
  %9 = add nsw i32 %8, %6, !dbg !436
  store i32 %9, ptr %7, align 8, !dbg !436
  %10 = getelementptr inbounds nuw %class.anon, ptr %5, i32 0, i32 0, !dbg !437
  %11 = load i32, ptr %10, align 8, !dbg !437
  %12 = getelementptr inbounds nuw %class.anon, ptr %5, i32 0, i32 1, !dbg !438
  %13 = load ptr, ptr %12, align 8, !dbg !438, !nonnull !196, !align !374
  %14 = call noundef i32 @_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiEN5Local3GetEv(ptr noundef nonnull align 4 dereferenceable(4) %13) #6, !dbg !439
  %15 = add nsw i32 %11, %14, !dbg !440
  ret i32 %15, !dbg !441
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef double @_Z5TwiceIdET_S0_(double noundef %0) #0 comdat !dbg !442 {
  %2 = alloca double, align 8
  %3 = alloca double, align 8
  store double %0, ptr %2, align 8
    #dbg_declare(ptr %2, !447, !DIExpression(), !448)
    #dbg_declare(ptr %3, !449, !DIExpression(), !450)
  %4 = load double, ptr %2, align 8, !dbg !451
  %5 = load double, ptr %2, align 8, !dbg !452
  %6 = fadd contract double %4, %5, !dbg !453
  store double %6, ptr %3, align 8, !dbg !450
  %7 = load double, ptr %3, align 8, !dbg !454
  ret double %7, !dbg !455
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z5TwiceIiET_S0_(i32 noundef %0) #0 comdat !dbg !456 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
    #dbg_declare(ptr %2, !459, !DIExpression(), !460)
    #dbg_declare(ptr %3, !461, !DIExpression(), !462)
  %4 = load i32, ptr %2, align 4, !dbg !463
  %5 = load i32, ptr %2, align 4, !dbg !464
  %6 = add nsw i32 %4, %5, !dbg !465
  store i32 %6, ptr %3, align 4, !dbg !462
  %7 = load i32, ptr %3, align 4, !dbg !466
  ret i32 %7, !dbg !467
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZNK6shapes7Derived4AreaEv(ptr noundef nonnull align 8 dereferenceable(56) %0) unnamed_addr #0 comdat align 2 !dbg !468 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !469, !DIExpression(), !471)
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw %"class.shapes::Derived", ptr %3, i32 0, i32 4, !dbg !472
  %5 = load i32, ptr %4, align 8, !dbg !472
  %6 = getelementptr inbounds nuw %"class.shapes::Derived", ptr %3, i32 0, i32 4, !dbg !473
  %7 = load i32, ptr %6, align 8, !dbg !473
  %8 = mul nsw i32 %5, %7, !dbg !474
  ret i32 %8, !dbg !475
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes7DerivedD1Ev(ptr noundef nonnull align 8 dereferenceable(56) %0) unnamed_addr #0 comdat align 2 !dbg !476 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !478, !DIExpression(), !479)
  %3 = load ptr, ptr %2, align 8
  call void @_ZN6shapes7DerivedD2Ev(ptr noundef nonnull align 8 dereferenceable(56) %3) #6, !dbg !480
  ret void, !dbg !480
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes7DerivedC2Ei(ptr noundef nonnull align 8 dereferenceable(56) %0, i32 noundef %1) unnamed_addr #0 comdat align 2 !dbg !481 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !482, !DIExpression(), !483)
  store i32 %1, ptr %4, align 4
    #dbg_declare(ptr %4, !484, !DIExpression(), !485)
  %5 = load ptr, ptr %3, align 8
  call void @_ZN6shapes4BaseC2Ev(ptr noundef nonnull align 8 dereferenceable(16) %5) #6, !dbg !486
  %6 = getelementptr inbounds i8, ptr %5, i64 16, !dbg !487
  store ptr getelementptr inbounds inrange(-16, 32) ({ [6 x ptr] }, ptr @_ZTVN6shapes7DerivedE, i32 0, i32 0, i32 2), ptr %5, align 8, !dbg !487
  %7 = getelementptr inbounds nuw %"class.shapes::Derived", ptr %5, i32 0, i32 4, !dbg !488
  %8 = load i32, ptr %4, align 4, !dbg !489
  store i32 %8, ptr %7, align 8, !dbg !488
  ret void, !dbg !490
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes4BaseC2Ev(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #0 comdat align 2 !dbg !491 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !493, !DIExpression(), !495)
  %3 = load ptr, ptr %2, align 8
  store ptr getelementptr inbounds inrange(-16, 32) ({ [6 x ptr] }, ptr @_ZTVN6shapes4BaseE, i32 0, i32 0, i32 2), ptr %3, align 8, !dbg !496
  ret void, !dbg !496
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes7Derived5ResetEv(ptr noundef nonnull align 8 dereferenceable(56) %0) unnamed_addr #0 comdat align 2 !dbg !497 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !498, !DIExpression(), !499)
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw %"class.shapes::Derived", ptr %3, i32 0, i32 4, !dbg !500
  store i32 3, ptr %4, align 8, !dbg !501
  ret void, !dbg !502
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes7DerivedD0Ev(ptr noundef nonnull align 8 dereferenceable(56) %0) unnamed_addr #0 comdat align 2 !dbg !503 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !504, !DIExpression(), !505)
  %3 = load ptr, ptr %2, align 8
  call void @_ZN6shapes7DerivedD1Ev(ptr noundef nonnull align 8 dereferenceable(56) %3) #6, !dbg !506
  call void @_ZdlPvm(ptr noundef %3, i64 noundef 56) #8, !dbg !506
  ret void, !dbg !506
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZNK6shapes4Base4AreaEv(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #0 comdat align 2 !dbg !507 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !508, !DIExpression(), !510)
  %3 = load ptr, ptr %2, align 8
  ret i32 0, !dbg !511
}

declare dso_local void @__cxa_pure_virtual() unnamed_addr

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes4BaseD1Ev(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #0 comdat align 2 !dbg !512 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !513, !DIExpression(), !514)
  %3 = load ptr, ptr %2, align 8
  call void @llvm.trap() #9, !dbg !515
  unreachable, !dbg !515
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes4BaseD0Ev(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #0 comdat align 2 !dbg !516 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !517, !DIExpression(), !518)
  %3 = load ptr, ptr %2, align 8
  call void @llvm.trap() #9, !dbg !519
  unreachable, !dbg !519
}

; Function Attrs: convergent nobuiltin nounwind
declare dso_local void @_ZdlPvm(ptr noundef, i64 noundef) #5

; Function Attrs: convergent mustprogress noinline nounwind optnone
define internal noundef i32 @_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiEN5Local3GetEv(ptr noundef nonnull align 4 dereferenceable(4) %0) #0 align 2 !dbg !520 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !521, !DIExpression(), !523)
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw %struct.Local, ptr %3, i32 0, i32 0, !dbg !524
  %5 = load i32, ptr %4, align 4, !dbg !524
  %6 = add nsw i32 %5, 1, !dbg !525
  ret i32 %6, !dbg !526
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes7DerivedD2Ev(ptr noundef nonnull align 8 dereferenceable(56) %0) unnamed_addr #0 comdat align 2 !dbg !527 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !528, !DIExpression(), !529)
  %3 = load ptr, ptr %2, align 8
  call void @_ZN6shapes4BaseD2Ev(ptr noundef nonnull align 8 dereferenceable(16) %3) #6, !dbg !530
  ret void, !dbg !532
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN6shapes4BaseD2Ev(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #0 comdat align 2 !dbg !533 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !534, !DIExpression(), !535)
  %3 = load ptr, ptr %2, align 8
  ret void, !dbg !536
}

attributes #0 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #1 = { convergent noinline noreturn nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { cold noreturn nounwind memory(inaccessiblemem: write) }
attributes #3 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { convergent nobuiltin nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #6 = { convergent nounwind }
attributes #7 = { convergent noreturn nounwind }
attributes #8 = { builtin convergent nounwind }
attributes #9 = { noreturn nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!187, !188, !189, !190, !191}
!llvm.ident = !{!192}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "number", linkageName: "_ZN6shapes7Derived6numberE", scope: !2, file: !3, line: 92, type: !13, isLocal: false, isDefinition: true, declaration: !152)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, retainedTypes: !18, globals: !20, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "debug_types.cu", directory: ".")
!4 = !{!5, !12}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "Mode", scope: !6, file: !3, line: 10, baseType: !8, size: 8, flags: DIFlagEnumClass, elements: !9, identifier: "_ZTSN6shapes2v14ModeE")
!6 = !DINamespace(name: "v1", scope: !7, exportSymbols: true)
!7 = !DINamespace(name: "shapes", scope: null)
!8 = !DIBasicType(name: "unsigned char", size: 8, encoding: DW_ATE_unsigned_char)
!9 = !{!10, !11}
!10 = !DIEnumerator(name: "kA", value: 200, isUnsigned: true)
!11 = !DIEnumerator(name: "kB", value: 255, isUnsigned: true)
!12 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "Colour", scope: !6, file: !3, line: 9, baseType: !13, size: 32, elements: !14, identifier: "_ZTSN6shapes2v16ColourE")
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !{!15, !16, !17}
!15 = !DIEnumerator(name: "kRed", value: 0)
!16 = !DIEnumerator(name: "kGreen", value: -5)
!17 = !DIEnumerator(name: "kBlue", value: -4)
!18 = !{!19, !13}
!19 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!20 = !{!0, !21, !28, !45, !47, !55, !58, !61, !64, !67, !70, !74, !106, !108, !113, !116, !118, !176, !179, !181}
!21 = !DIGlobalVariableExpression(var: !22, expr: !DIExpression(DW_OP_constu, 4, DW_OP_swap, DW_OP_xderef))
!22 = distinct !DIGlobalVariable(name: "table", scope: !2, file: !3, line: 93, type: !23, isLocal: false, isDefinition: true)
!23 = !DICompositeType(tag: DW_TAG_array_type, baseType: !24, size: 960, elements: !25)
!24 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!25 = !{!26, !27}
!26 = !DISubrange(count: 3)
!27 = !DISubrange(count: 5)
!28 = !DIGlobalVariableExpression(var: !29, expr: !DIExpression(DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef))
!29 = distinct !DIGlobalVariable(name: "in_shared", scope: !2, file: !3, line: 94, type: !30, isLocal: false, isDefinition: true)
!30 = distinct !DICompositeType(tag: DW_TAG_union_type, name: "Word", scope: !7, file: !3, line: 52, size: 32, flags: DIFlagTypePassByValue, elements: !31, identifier: "_ZTSN6shapes4WordE")
!31 = !{!32, !33, !34, !40}
!32 = !DIDerivedType(tag: DW_TAG_member, name: "i", scope: !30, file: !3, line: 53, baseType: !13, size: 32)
!33 = !DIDerivedType(tag: DW_TAG_member, name: "f", scope: !30, file: !3, line: 54, baseType: !19, size: 32)
!34 = !DIDerivedType(tag: DW_TAG_member, scope: !30, file: !3, line: 55, baseType: !35, size: 32)
!35 = distinct !DICompositeType(tag: DW_TAG_structure_type, scope: !30, file: !3, line: 55, size: 32, flags: DIFlagExportSymbols | DIFlagTypePassByValue, elements: !36, identifier: "_ZTSN6shapes4WordUt_E")
!36 = !{!37, !39}
!37 = !DIDerivedType(tag: DW_TAG_member, name: "low", scope: !35, file: !3, line: 56, baseType: !38, size: 16)
!38 = !DIBasicType(name: "short", size: 16, encoding: DW_ATE_signed)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "high", scope: !35, file: !3, line: 56, baseType: !38, size: 16, offset: 16)
!40 = !DIDerivedType(tag: DW_TAG_member, name: "raw", scope: !30, file: !3, line: 58, baseType: !41, size: 32)
!41 = !DICompositeType(tag: DW_TAG_array_type, baseType: !42, size: 32, elements: !43)
!42 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!43 = !{!44}
!44 = !DISubrange(count: 4)
!45 = !DIGlobalVariableExpression(var: !46, expr: !DIExpression())
!46 = distinct !DIGlobalVariable(name: "target", scope: !2, file: !3, line: 98, type: !13, isLocal: false, isDefinition: true)
!47 = !DIGlobalVariableExpression(var: !48, expr: !DIExpression())
!48 = distinct !DIGlobalVariable(name: "callback", scope: !2, file: !3, line: 99, type: !49, isLocal: false, isDefinition: true)
!49 = !DIDerivedType(tag: DW_TAG_typedef, name: "Callback", file: !3, line: 78, baseType: !50)
!50 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !51, size: 64)
!51 = !DISubroutineType(types: !52)
!52 = !{null, !13, !53, null}
!53 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !54, size: 64)
!54 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !42)
!55 = !DIGlobalVariableExpression(var: !56, expr: !DIExpression())
!56 = distinct !DIGlobalVariable(name: "odd", scope: !2, file: !3, line: 100, type: !57, isLocal: false, isDefinition: true)
!57 = !DIBasicType(name: "_BitInt(37)", size: 64, dataSize: 37, encoding: DW_ATE_signed)
!58 = !DIGlobalVariableExpression(var: !59, expr: !DIExpression())
!59 = distinct !DIGlobalVariable(name: "big", scope: !2, file: !3, line: 101, type: !60, isLocal: false, isDefinition: true)
!60 = !DIBasicType(name: "__int128", size: 128, encoding: DW_ATE_signed)
!61 = !DIGlobalVariableExpression(var: !62, expr: !DIExpression())
!62 = distinct !DIGlobalVariable(name: "complex_number", scope: !2, file: !3, line: 102, type: !63, isLocal: false, isDefinition: true)
!63 = !DIBasicType(name: "complex", size: 64, encoding: DW_ATE_complex_float)
!64 = !DIGlobalVariableExpression(var: !65, expr: !DIExpression())
!65 = distinct !DIGlobalVariable(name: "utf16", scope: !2, file: !3, line: 103, type: !66, isLocal: false, isDefinition: true)
!66 = !DIBasicType(name: "char16_t", size: 16, encoding: DW_ATE_UTF)
!67 = !DIGlobalVariableExpression(var: !68, expr: !DIExpression())
!68 = distinct !DIGlobalVariable(name: "nothing", scope: !2, file: !3, line: 104, type: !69, isLocal: false, isDefinition: true)
!69 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "decltype(nullptr)")
!70 = !DIGlobalVariableExpression(var: !71, expr: !DIExpression())
!71 = distinct !DIGlobalVariable(name: "restricted", scope: !2, file: !3, line: 105, type: !72, isLocal: false, isDefinition: true)
!72 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !73)
!73 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!74 = !DIGlobalVariableExpression(var: !75, expr: !DIExpression(DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef))
!75 = distinct !DIGlobalVariable(name: "static_shared", scope: !76, file: !3, line: 128, type: !103, isLocal: true, isDefinition: true)
!76 = distinct !DISubprogram(name: "Use", linkageName: "_Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi", scope: !3, file: !3, line: 119, type: !77, scopeLine: 119, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !99)
!77 = !DISubroutineType(types: !78)
!78 = !{null, !79, !80, !82, !96}
!79 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !30, size: 64)
!80 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !81, size: 64)
!81 = !DICompositeType(tag: DW_TAG_structure_type, name: "Incomplete", file: !3, line: 77, flags: DIFlagFwdDecl | DIFlagNonTrivial, identifier: "_ZTS10Incomplete")
!82 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !83, size: 64)
!83 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !84)
!84 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Bits", scope: !7, file: !3, line: 44, size: 128, flags: DIFlagTypePassByValue, elements: !85, identifier: "_ZTSN6shapes4BitsE")
!85 = !{!86, !88, !89, !90, !92, !94}
!86 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !84, file: !3, line: 45, baseType: !87, size: 3, flags: DIFlagBitField, extraData: i64 0)
!87 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!88 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !84, file: !3, line: 45, baseType: !87, size: 7, offset: 3, flags: DIFlagBitField, extraData: i64 0)
!89 = !DIDerivedType(tag: DW_TAG_member, name: "c", scope: !84, file: !3, line: 47, baseType: !13, size: 20, offset: 32, flags: DIFlagBitField, extraData: i64 32)
!90 = !DIDerivedType(tag: DW_TAG_member, name: "d", scope: !84, file: !3, line: 48, baseType: !91, size: 40, offset: 64, flags: DIFlagBitField, extraData: i64 64)
!91 = !DIBasicType(name: "unsigned long long", size: 64, encoding: DW_ATE_unsigned)
!92 = !DIDerivedType(tag: DW_TAG_member, name: "e", scope: !84, file: !3, line: 49, baseType: !93, size: 1, offset: 104, flags: DIFlagBitField, extraData: i64 64)
!93 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!94 = !DIDerivedType(tag: DW_TAG_member, name: "f", scope: !84, file: !3, line: 50, baseType: !95, size: 2, offset: 105, flags: DIFlagBitField, extraData: i64 64)
!95 = !DIBasicType(name: "signed char", size: 8, encoding: DW_ATE_signed_char)
!96 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !97, size: 64)
!97 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !98)
!98 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !13)
!99 = !{!100, !101, !102}
!100 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !76, entity: !7, file: !3, line: 120)
!101 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !76, entity: !84, file: !3, line: 121)
!102 = !DIImportedEntity(tag: DW_TAG_imported_declaration, name: "alias", scope: !76, entity: !7, file: !3, line: 122)
!103 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, size: 256, elements: !104)
!104 = !{!105}
!105 = !DISubrange(count: 8)
!106 = !DIGlobalVariableExpression(var: !107, expr: !DIExpression())
!107 = distinct !DIGlobalVariable(name: "static_global", scope: !76, file: !3, line: 129, type: !13, isLocal: true, isDefinition: true)
!108 = !DIGlobalVariableExpression(var: !109, expr: !DIExpression())
!109 = distinct !DIGlobalVariable(scope: null, file: !3, line: 160, type: !110, isLocal: true, isDefinition: true)
!110 = !DICompositeType(tag: DW_TAG_array_type, baseType: !54, size: 16, elements: !111)
!111 = !{!112}
!112 = !DISubrange(count: 2)
!113 = !DIGlobalVariableExpression(var: !114, expr: !DIExpression(DW_OP_constu, 42, DW_OP_stack_value))
!114 = distinct !DIGlobalVariable(name: "kConst", scope: !2, file: !3, line: 96, type: !115, isLocal: true, isDefinition: true)
!115 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !13)
!116 = !DIGlobalVariableExpression(var: !117, expr: !DIExpression())
!117 = distinct !DIGlobalVariable(scope: null, file: !3, line: 163, type: !110, isLocal: true, isDefinition: true)
!118 = !DIGlobalVariableExpression(var: !119, expr: !DIExpression())
!119 = distinct !DIGlobalVariable(name: "_vtable$", linkageName: "_ZTVN6shapes7DerivedE", scope: !2, file: !3, type: !120, isLocal: false, isDefinition: true, declaration: !121, align: 64)
!120 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!121 = !DIDerivedType(tag: DW_TAG_member, name: "_vtable$", scope: !122, file: !3, baseType: !120, flags: DIFlagArtificial | DIFlagStaticMember)
!122 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "Derived", scope: !7, file: !3, line: 27, size: 448, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !123, vtableHolder: !125, identifier: "_ZTSN6shapes7DerivedE")
!123 = !{!124, !144, !149, !150, !152, !153, !159, !161, !162, !163, !167, !168, !171}
!124 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !122, baseType: !125, flags: DIFlagPublic, extraData: i32 0)
!125 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Base", scope: !7, file: !3, line: 12, size: 128, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !126, vtableHolder: !125, identifier: "_ZTSN6shapes4BaseE")
!126 = !{!127, !132, !133, !134, !139, !143}
!127 = !DIDerivedType(tag: DW_TAG_member, name: "_vptr$Base", scope: !3, file: !3, baseType: !128, size: 64, flags: DIFlagArtificial)
!128 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !129, size: 64)
!129 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "__vtbl_ptr_type", baseType: !130, size: 64)
!130 = !DISubroutineType(types: !131)
!131 = !{!13}
!132 = !DIDerivedType(tag: DW_TAG_member, name: "id", scope: !125, file: !3, line: 16, baseType: !13, size: 32, offset: 64)
!133 = !DIDerivedType(tag: DW_TAG_member, name: "hidden", scope: !125, file: !3, line: 19, baseType: !13, size: 32, offset: 96, flags: DIFlagProtected)
!134 = !DISubprogram(name: "Area", linkageName: "_ZNK6shapes4Base4AreaEv", scope: !125, file: !3, line: 13, type: !135, scopeLine: 13, containingType: !125, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual)
!135 = !DISubroutineType(types: !136)
!136 = !{!13, !137}
!137 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !138, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!138 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !125)
!139 = !DISubprogram(name: "Reset", linkageName: "_ZN6shapes4Base5ResetEv", scope: !125, file: !3, line: 14, type: !140, scopeLine: 14, containingType: !125, virtualIndex: 1, flags: DIFlagPrototyped, spFlags: DISPFlagPureVirtual)
!140 = !DISubroutineType(types: !141)
!141 = !{null, !142}
!142 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !125, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!143 = !DISubprogram(name: "~Base", linkageName: "_ZN6shapes4BaseD4Ev", scope: !125, file: !3, line: 15, type: !140, scopeLine: 15, containingType: !125, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual)
!144 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !122, baseType: !145, offset: 128, extraData: i32 0)
!145 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Other", scope: !7, file: !3, line: 21, size: 64, flags: DIFlagTypePassByValue, elements: !146, identifier: "_ZTSN6shapes5OtherE")
!146 = !{!147}
!147 = !DIDerivedType(tag: DW_TAG_member, name: "count", scope: !145, file: !3, line: 22, baseType: !148, size: 64)
!148 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!149 = !DIDerivedType(tag: DW_TAG_member, name: "kSides", scope: !122, file: !3, line: 33, baseType: !115, flags: DIFlagPublic | DIFlagStaticMember, extraData: i32 4)
!150 = !DIDerivedType(tag: DW_TAG_member, name: "kHalf", scope: !122, file: !3, line: 34, baseType: !151, flags: DIFlagPublic | DIFlagStaticMember, extraData: float 5.000000e-01)
!151 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !19)
!152 = !DIDerivedType(tag: DW_TAG_member, name: "number", scope: !122, file: !3, line: 35, baseType: !13, flags: DIFlagPublic | DIFlagStaticMember)
!153 = !DIDerivedType(tag: DW_TAG_member, name: "method", scope: !122, file: !3, line: 36, baseType: !154, size: 128, offset: 192, flags: DIFlagPublic)
!154 = !DIDerivedType(tag: DW_TAG_ptr_to_member_type, baseType: !155, size: 128, extraData: !122)
!155 = !DISubroutineType(types: !156)
!156 = !{!13, !157}
!157 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !158, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!158 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !122)
!159 = !DIDerivedType(tag: DW_TAG_member, name: "field", scope: !122, file: !3, line: 37, baseType: !160, size: 64, offset: 320, flags: DIFlagPublic)
!160 = !DIDerivedType(tag: DW_TAG_ptr_to_member_type, baseType: !13, size: 64, extraData: !122)
!161 = !DIDerivedType(tag: DW_TAG_member, name: "side_", scope: !122, file: !3, line: 40, baseType: !13, size: 32, offset: 384)
!162 = !DIDerivedType(tag: DW_TAG_member, name: "cache", scope: !122, file: !3, line: 42, baseType: !98, size: 32, offset: 416)
!163 = !DISubprogram(name: "Derived", linkageName: "_ZN6shapes7DerivedC4Ei", scope: !122, file: !3, line: 29, type: !164, scopeLine: 29, flags: DIFlagPublic | DIFlagExplicit | DIFlagPrototyped, spFlags: 0)
!164 = !DISubroutineType(types: !165)
!165 = !{null, !166, !13}
!166 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !122, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!167 = !DISubprogram(name: "Area", linkageName: "_ZNK6shapes7Derived4AreaEv", scope: !122, file: !3, line: 30, type: !155, scopeLine: 30, containingType: !122, virtualIndex: 0, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagVirtual)
!168 = !DISubprogram(name: "Reset", linkageName: "_ZN6shapes7Derived5ResetEv", scope: !122, file: !3, line: 31, type: !169, scopeLine: 31, containingType: !122, virtualIndex: 1, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagVirtual)
!169 = !DISubroutineType(types: !170)
!170 = !{null, !166}
!171 = !DISubprogram(name: "operator=", linkageName: "_ZN6shapes7DerivedaSERKS0_", scope: !122, file: !3, line: 32, type: !172, scopeLine: 32, flags: DIFlagPublic | DIFlagPrototyped, spFlags: 0)
!172 = !DISubroutineType(types: !173)
!173 = !{!174, !166, !175}
!174 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !122, size: 64)
!175 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !158, size: 64)
!176 = !DIGlobalVariableExpression(var: !177, expr: !DIExpression())
!177 = distinct !DIGlobalVariable(name: "_vtable$", linkageName: "_ZTVN6shapes4BaseE", scope: !2, file: !3, type: !120, isLocal: false, isDefinition: true, declaration: !178, align: 64)
!178 = !DIDerivedType(tag: DW_TAG_member, name: "_vtable$", scope: !125, file: !3, baseType: !120, flags: DIFlagPrivate | DIFlagArtificial | DIFlagStaticMember)
!179 = !DIGlobalVariableExpression(var: !180, expr: !DIExpression())
!180 = distinct !DIGlobalVariable(name: "counter", linkageName: "_ZL7counter", scope: !2, file: !3, line: 95, type: !13, isLocal: true, isDefinition: true)
!181 = !DIGlobalVariableExpression(var: !182, expr: !DIExpression())
!182 = distinct !DIGlobalVariable(name: "anonymous", linkageName: "_ZN12_GLOBAL__N_19anonymousE", scope: !183, file: !3, line: 89, type: !184, isLocal: true, isDefinition: true)
!183 = !DINamespace(scope: null)
!184 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Anonymous", scope: !183, file: !3, line: 86, size: 32, flags: DIFlagTypePassByValue, elements: !185)
!185 = !{!186}
!186 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !184, file: !3, line: 87, baseType: !13, size: 32)
!187 = !{i32 7, !"Dwarf Version", i32 2}
!188 = !{i32 2, !"Debug Info Version", i32 3}
!189 = !{i32 1, !"wchar_size", i32 4}
!190 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!191 = !{i32 7, !"frame-pointer", i32 2}
!192 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!193 = distinct !DISubprogram(name: "Variadic", linkageName: "_Z8VariadicPKcz", scope: !3, file: !3, line: 107, type: !194, scopeLine: 107, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !196)
!194 = !DISubroutineType(types: !195)
!195 = !{!13, !53, null}
!196 = !{}
!197 = !DILocalVariable(name: "format", arg: 1, scope: !193, file: !3, line: 107, type: !53)
!198 = !DILocation(line: 107, column: 59, scope: !193)
!199 = !DILocation(line: 107, column: 81, scope: !193)
!200 = !DILocation(line: 107, column: 74, scope: !193)
!201 = distinct !DISubprogram(name: "Stop", linkageName: "_Z4Stopi", scope: !3, file: !3, line: 108, type: !202, scopeLine: 108, flags: DIFlagPrototyped | DIFlagNoReturn, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !196)
!202 = !DISubroutineType(types: !203)
!203 = !{null, !13}
!204 = !DILocalVariable(name: "x", arg: 1, scope: !201, file: !3, line: 108, type: !13)
!205 = !DILocation(line: 108, column: 61, scope: !201)
!206 = !DILocation(line: 109, column: 7, scope: !207)
!207 = distinct !DILexicalBlock(scope: !201, file: !3, line: 109, column: 7)
!208 = !DILocation(line: 109, column: 10, scope: !207)
!209 = !DILocation(line: 110, column: 3, scope: !201)
!210 = distinct !{!210, !209, !211}
!211 = !DILocation(line: 111, column: 3, scope: !201)
!212 = !DILocalVariable(name: "out", arg: 1, scope: !76, file: !3, line: 119, type: !79)
!213 = !DILocation(line: 119, column: 31, scope: !76)
!214 = !DILocalVariable(name: "incomplete", arg: 2, scope: !76, file: !3, line: 119, type: !80)
!215 = !DILocation(line: 119, column: 48, scope: !76)
!216 = !DILocalVariable(name: "bits", arg: 3, scope: !76, file: !3, line: 119, type: !82)
!217 = !DILocation(line: 119, column: 80, scope: !76)
!218 = !DILocalVariable(name: "lvalue", arg: 4, scope: !76, file: !3, line: 119, type: !96)
!219 = !DILocation(line: 119, column: 106, scope: !76)
!220 = !DILocalVariable(name: "local", scope: !76, file: !3, line: 127, type: !221)
!221 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Local", scope: !76, file: !3, line: 123, size: 32, flags: DIFlagTypePassByValue, elements: !222)
!222 = !{!223, !224}
!223 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !221, file: !3, line: 124, baseType: !13, size: 32)
!224 = !DISubprogram(name: "Get", scope: !221, file: !3, line: 125, type: !225, scopeLine: 125, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit)
!225 = !DISubroutineType(types: !226)
!226 = !{!13, !227}
!227 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !221, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!228 = !DILocation(line: 127, column: 9, scope: !76)
!229 = !DILocalVariable(name: "derived", scope: !76, file: !3, line: 131, type: !122)
!230 = !DILocation(line: 131, column: 11, scope: !76)
!231 = !DILocation(line: 132, column: 11, scope: !76)
!232 = !DILocation(line: 132, column: 18, scope: !76)
!233 = !DILocalVariable(name: "virtual_base", scope: !76, file: !3, line: 133, type: !234)
!234 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !235, size: 64)
!235 = !DICompositeType(tag: DW_TAG_structure_type, name: "VirtualBase", scope: !7, file: !3, line: 24, size: 256, flags: DIFlagFwdDecl | DIFlagNonTrivial, identifier: "_ZTSN6shapes11VirtualBaseE")
!236 = !DILocation(line: 133, column: 16, scope: !76)
!237 = !DILocalVariable(name: "mode", scope: !76, file: !3, line: 134, type: !5)
!238 = !DILocation(line: 134, column: 8, scope: !76)
!239 = !DILocalVariable(name: "colour", scope: !76, file: !3, line: 135, type: !12)
!240 = !DILocation(line: 135, column: 10, scope: !76)
!241 = !DILocalVariable(name: "many", scope: !76, file: !3, line: 136, type: !242)
!242 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Many<int, 3, shapes::Box, int>", scope: !7, file: !3, line: 67, size: 224, flags: DIFlagTypePassByValue, elements: !243, templateParams: !253, identifier: "_ZTSN6shapes4ManyIiLi3ENS_3BoxEiJEEE")
!243 = !{!244, !247}
!244 = !DIDerivedType(tag: DW_TAG_member, name: "data", scope: !242, file: !3, line: 68, baseType: !245, size: 192)
!245 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, size: 192, elements: !246)
!246 = !{!26, !112}
!247 = !DIDerivedType(tag: DW_TAG_member, name: "c", scope: !242, file: !3, line: 69, baseType: !248, size: 32, offset: 192)
!248 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Box<int>", scope: !7, file: !3, line: 61, size: 32, flags: DIFlagTypePassByValue, elements: !249, templateParams: !251, identifier: "_ZTSN6shapes3BoxIiEE")
!249 = !{!250}
!250 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !248, file: !3, line: 62, baseType: !13, size: 32)
!251 = !{!252}
!252 = !DITemplateTypeParameter(name: "T", type: !13)
!253 = !{!252, !254, !255, !256, !257}
!254 = !DITemplateValueParameter(name: "N", type: !13, value: i32 3)
!255 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: "C", value: !"shapes::Box")
!256 = !DITemplateTypeParameter(name: "U", type: !13, defaulted: true)
!257 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_parameter_pack, name: "Ts", value: !196)
!258 = !DILocation(line: 136, column: 21, scope: !76)
!259 = !DILocation(line: 137, column: 8, scope: !76)
!260 = !DILocation(line: 137, column: 3, scope: !76)
!261 = !DILocation(line: 137, column: 19, scope: !76)
!262 = !DILocalVariable(name: "pointee", scope: !76, file: !3, line: 138, type: !263)
!263 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Pointee<&target>", scope: !7, file: !3, line: 72, size: 8, flags: DIFlagTypePassByValue, elements: !264, templateParams: !269, identifier: "_ZTSN6shapes7PointeeIXadL_Z6targetEEEE")
!264 = !{!265}
!265 = !DISubprogram(name: "Get", linkageName: "_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv", scope: !263, file: !3, line: 73, type: !266, scopeLine: 73, flags: DIFlagPrototyped, spFlags: 0)
!266 = !DISubroutineType(types: !267)
!267 = !{!13, !268}
!268 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !263, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!269 = !{!270}
!270 = !DITemplateValueParameter(name: "P", type: !73, value: ptr addrspace(1) @target)
!271 = !DILocation(line: 138, column: 20, scope: !76)
!272 = !DILocalVariable(name: "number", scope: !76, file: !3, line: 139, type: !273)
!273 = !DIDerivedType(tag: DW_TAG_typedef, name: "LocalInt", scope: !76, file: !3, line: 130, baseType: !13)
!274 = !DILocation(line: 139, column: 12, scope: !76)
!275 = !DILocation(line: 139, column: 29, scope: !76)
!276 = !DILocalVariable(name: "lambda", scope: !76, file: !3, line: 140, type: !277)
!277 = distinct !DICompositeType(tag: DW_TAG_class_type, scope: !76, file: !3, line: 140, size: 128, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !278)
!278 = !{!279, !280}
!279 = !DIDerivedType(tag: DW_TAG_member, name: "k", scope: !277, file: !3, line: 140, baseType: !13, size: 32)
!280 = !DIDerivedType(tag: DW_TAG_member, name: "local", scope: !277, file: !3, line: 142, baseType: !281, size: 64, offset: 64)
!281 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !221, size: 64)
!282 = !DILocation(line: 140, column: 8, scope: !76)
!283 = !DILocation(line: 140, column: 17, scope: !76)
!284 = !DILocation(line: 140, column: 25, scope: !76)
!285 = !DILocation(line: 140, column: 32, scope: !76)
!286 = !DILocalVariable(name: "folded", scope: !76, file: !3, line: 144, type: !115)
!287 = !DILocation(line: 144, column: 17, scope: !76)
!288 = !DILocalVariable(name: "half", scope: !76, file: !3, line: 145, type: !151)
!289 = !DILocation(line: 145, column: 15, scope: !76)
!290 = !DILocalVariable(name: "wide", scope: !76, file: !3, line: 146, type: !60)
!291 = !DILocation(line: 146, column: 12, scope: !76)
!292 = !DILocation(line: 146, column: 19, scope: !76)
!293 = !DILocation(line: 146, column: 25, scope: !76)
!294 = !DILocation(line: 146, column: 23, scope: !76)
!295 = !DILocalVariable(name: "list", scope: !76, file: !3, line: 147, type: !296)
!296 = !DICompositeType(tag: DW_TAG_array_type, baseType: !273, size: 96, elements: !297)
!297 = !{!26}
!298 = !DILocation(line: 147, column: 12, scope: !76)
!299 = !DILocalVariable(name: "to_list", scope: !76, file: !3, line: 148, type: !300)
!300 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !301, size: 64)
!301 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, size: 96, elements: !297)
!302 = !DILocation(line: 148, column: 8, scope: !76)
!303 = !DILocalVariable(name: "q", scope: !304, file: !3, line: 149, type: !13)
!304 = distinct !DILexicalBlock(scope: !76, file: !3, line: 149, column: 26)
!305 = !DILocation(line: 149, column: 11, scope: !304)
!306 = !DILocation(line: 149, column: 15, scope: !304)
!307 = !DILocation(line: 149, column: 26, scope: !304)
!308 = !DILocation(line: 149, column: 28, scope: !304)
!309 = !DILocation(line: 149, column: 7, scope: !304)
!310 = !DILocalVariable(name: "inner", scope: !311, file: !3, line: 150, type: !84)
!311 = distinct !DILexicalBlock(scope: !304, file: !3, line: 149, column: 33)
!312 = !DILocation(line: 150, column: 10, scope: !311)
!313 = !DILocation(line: 150, column: 19, scope: !311)
!314 = !DILocation(line: 150, column: 18, scope: !311)
!315 = !DILocation(line: 151, column: 15, scope: !311)
!316 = !DILocation(line: 151, column: 13, scope: !311)
!317 = !DILocation(line: 152, column: 22, scope: !311)
!318 = !DILocation(line: 152, column: 26, scope: !311)
!319 = !DILocation(line: 152, column: 32, scope: !311)
!320 = !DILocation(line: 152, column: 24, scope: !311)
!321 = !DILocation(line: 152, column: 5, scope: !311)
!322 = !DILocation(line: 152, column: 14, scope: !311)
!323 = !DILabel(scope: !311, name: "again", file: !3, line: 153, column: 3)
!324 = !DILocation(line: 153, column: 3, scope: !311)
!325 = !DILocation(line: 154, column: 9, scope: !326)
!326 = distinct !DILexicalBlock(scope: !311, file: !3, line: 154, column: 9)
!327 = !DILocation(line: 154, column: 13, scope: !326)
!328 = !DILocation(line: 154, column: 18, scope: !326)
!329 = !DILocation(line: 155, column: 3, scope: !311)
!330 = !DILocalVariable(name: "i", scope: !331, file: !3, line: 156, type: !13)
!331 = distinct !DILexicalBlock(scope: !76, file: !3, line: 156, column: 3)
!332 = !DILocation(line: 156, column: 12, scope: !331)
!333 = !DILocation(line: 156, column: 8, scope: !331)
!334 = !DILocation(line: 156, column: 19, scope: !335)
!335 = distinct !DILexicalBlock(scope: !331, file: !3, line: 156, column: 3)
!336 = !DILocation(line: 156, column: 21, scope: !335)
!337 = !DILocation(line: 156, column: 3, scope: !331)
!338 = !DILocation(line: 157, column: 35, scope: !339)
!339 = distinct !DILexicalBlock(scope: !335, file: !3, line: 156, column: 31)
!340 = !DILocation(line: 157, column: 54, scope: !339)
!341 = !DILocation(line: 157, column: 48, scope: !339)
!342 = !DILocation(line: 157, column: 46, scope: !339)
!343 = !DILocation(line: 157, column: 5, scope: !339)
!344 = !DILocation(line: 157, column: 9, scope: !339)
!345 = !DILocation(line: 157, column: 14, scope: !339)
!346 = !DILocation(line: 158, column: 3, scope: !339)
!347 = !DILocation(line: 156, column: 26, scope: !335)
!348 = !DILocation(line: 156, column: 3, scope: !335)
!349 = distinct !{!349, !337, !350, !351}
!350 = !DILocation(line: 158, column: 3, scope: !331)
!351 = !{!"llvm.loop.mustprogress"}
!352 = !DILocation(line: 159, column: 22, scope: !76)
!353 = !DILocation(line: 159, column: 48, scope: !76)
!354 = !DILocation(line: 159, column: 31, scope: !76)
!355 = !DILocation(line: 159, column: 29, scope: !76)
!356 = !DILocation(line: 159, column: 56, scope: !76)
!357 = !DILocation(line: 159, column: 54, scope: !76)
!358 = !DILocation(line: 159, column: 63, scope: !76)
!359 = !DILocation(line: 159, column: 72, scope: !76)
!360 = !DILocation(line: 160, column: 31, scope: !76)
!361 = !DILocation(line: 159, column: 97, scope: !76)
!362 = !DILocation(line: 160, column: 41, scope: !76)
!363 = !DILocation(line: 160, column: 39, scope: !76)
!364 = !DILocation(line: 160, column: 37, scope: !76)
!365 = !DILocation(line: 160, column: 55, scope: !76)
!366 = !DILocation(line: 160, column: 53, scope: !76)
!367 = !DILocation(line: 160, column: 71, scope: !76)
!368 = !DILocation(line: 160, column: 69, scope: !76)
!369 = !DILocation(line: 160, column: 91, scope: !76)
!370 = !DILocation(line: 160, column: 104, scope: !76)
!371 = !DILocation(line: 160, column: 90, scope: !76)
!372 = !DILocation(line: 160, column: 88, scope: !76)
!373 = !DILocation(line: 161, column: 14, scope: !76)
!374 = !{i64 4}
!375 = !DILocation(line: 160, column: 116, scope: !76)
!376 = !DILocation(line: 161, column: 21, scope: !76)
!377 = !DILocation(line: 161, column: 32, scope: !76)
!378 = !DILocation(line: 161, column: 30, scope: !76)
!379 = !DILocation(line: 161, column: 52, scope: !76)
!380 = !DILocation(line: 161, column: 40, scope: !76)
!381 = !DILocation(line: 161, column: 73, scope: !76)
!382 = !DILocation(line: 161, column: 54, scope: !76)
!383 = !DILocation(line: 161, column: 105, scope: !76)
!384 = !DILocation(line: 161, column: 86, scope: !76)
!385 = !DILocation(line: 162, column: 14, scope: !76)
!386 = !DILocation(line: 161, column: 117, scope: !76)
!387 = !DILocation(line: 162, column: 50, scope: !76)
!388 = !DILocation(line: 162, column: 31, scope: !76)
!389 = !DILocation(line: 162, column: 57, scope: !76)
!390 = !DILocation(line: 162, column: 55, scope: !76)
!391 = !DILocation(line: 162, column: 66, scope: !76)
!392 = !DILocation(line: 162, column: 65, scope: !76)
!393 = !DILocation(line: 162, column: 63, scope: !76)
!394 = !DILocation(line: 159, column: 3, scope: !76)
!395 = !DILocation(line: 159, column: 12, scope: !76)
!396 = !DILocation(line: 163, column: 7, scope: !397)
!397 = distinct !DILexicalBlock(scope: !76, file: !3, line: 163, column: 7)
!398 = !DILocation(line: 163, column: 17, scope: !397)
!399 = !DILocation(line: 164, column: 17, scope: !76)
!400 = !DILocation(line: 164, column: 24, scope: !76)
!401 = !DILocation(line: 164, column: 15, scope: !76)
!402 = !DILocation(line: 165, column: 7, scope: !403)
!403 = distinct !DILexicalBlock(scope: !76, file: !3, line: 165, column: 7)
!404 = !DILocation(line: 165, column: 14, scope: !403)
!405 = !DILocation(line: 165, column: 16, scope: !403)
!406 = !DILocation(line: 165, column: 22, scope: !403)
!407 = !DILocation(line: 166, column: 1, scope: !76)
!408 = distinct !DISubprogram(name: "Derived", linkageName: "_ZN6shapes7DerivedC1Ei", scope: !122, file: !3, line: 29, type: !164, scopeLine: 29, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !163, retainedNodes: !196)
!409 = !DILocalVariable(name: "this", arg: 1, scope: !408, type: !410, flags: DIFlagArtificial | DIFlagObjectPointer)
!410 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !122, size: 64)
!411 = !DILocation(line: 0, scope: !408)
!412 = !DILocalVariable(name: "side", arg: 2, scope: !408, file: !3, line: 29, type: !13)
!413 = !DILocation(line: 29, column: 31, scope: !408)
!414 = !DILocation(line: 29, column: 51, scope: !408)
!415 = !DILocation(line: 29, column: 52, scope: !408)
!416 = distinct !DISubprogram(name: "Get", linkageName: "_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv", scope: !263, file: !3, line: 73, type: !266, scopeLine: 73, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !265, retainedNodes: !196)
!417 = !DILocalVariable(name: "this", arg: 1, scope: !416, type: !418, flags: DIFlagArtificial | DIFlagObjectPointer)
!418 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !263, size: 64)
!419 = !DILocation(line: 0, scope: !416)
!420 = !DILocation(line: 73, column: 29, scope: !416)
!421 = !DILocation(line: 73, column: 22, scope: !416)
!422 = distinct !DISubprogram(name: "operator()<int>", linkageName: "_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiENUlT_E_clIiEEDaS9_", scope: !277, file: !3, line: 140, type: !423, scopeLine: 140, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, templateParams: !427, declaration: !426, retainedNodes: !196)
!423 = !DISubroutineType(types: !424)
!424 = !{!13, !425, !13}
!425 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !277, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!426 = !DISubprogram(name: "operator()<int>", scope: !277, file: !3, line: 140, type: !423, scopeLine: 140, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagLocalToUnit, templateParams: !427)
!427 = !{!428}
!428 = !DITemplateTypeParameter(name: "z:auto", type: !13)
!429 = !DILocalVariable(name: "this", arg: 1, scope: !422, type: !430, flags: DIFlagArtificial | DIFlagObjectPointer)
!430 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !277, size: 64)
!431 = !DILocation(line: 0, scope: !422)
!432 = !DILocalVariable(name: "z", arg: 2, scope: !422, file: !3, line: 140, type: !13)
!433 = !DILocation(line: 140, column: 42, scope: !422)
!434 = !DILocation(line: 141, column: 10, scope: !422)
!435 = !DILocation(line: 141, column: 5, scope: !422)
!436 = !DILocation(line: 141, column: 7, scope: !422)
!437 = !DILocation(line: 142, column: 12, scope: !422)
!438 = !DILocation(line: 142, column: 16, scope: !422)
!439 = !DILocation(line: 142, column: 22, scope: !422)
!440 = !DILocation(line: 142, column: 14, scope: !422)
!441 = !DILocation(line: 142, column: 5, scope: !422)
!442 = distinct !DISubprogram(name: "Twice<double>", linkageName: "_Z5TwiceIdET_S0_", scope: !3, file: !3, line: 114, type: !443, scopeLine: 114, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, templateParams: !445, retainedNodes: !196)
!443 = !DISubroutineType(types: !444)
!444 = !{!24, !24}
!445 = !{!446}
!446 = !DITemplateTypeParameter(name: "T", type: !24)
!447 = !DILocalVariable(name: "x", arg: 1, scope: !442, file: !3, line: 114, type: !24)
!448 = !DILocation(line: 114, column: 18, scope: !442)
!449 = !DILocalVariable(name: "y", scope: !442, file: !3, line: 115, type: !24)
!450 = !DILocation(line: 115, column: 5, scope: !442)
!451 = !DILocation(line: 115, column: 9, scope: !442)
!452 = !DILocation(line: 115, column: 13, scope: !442)
!453 = !DILocation(line: 115, column: 11, scope: !442)
!454 = !DILocation(line: 116, column: 10, scope: !442)
!455 = !DILocation(line: 116, column: 3, scope: !442)
!456 = distinct !DISubprogram(name: "Twice<int>", linkageName: "_Z5TwiceIiET_S0_", scope: !3, file: !3, line: 114, type: !457, scopeLine: 114, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, templateParams: !251, retainedNodes: !196)
!457 = !DISubroutineType(types: !458)
!458 = !{!13, !13}
!459 = !DILocalVariable(name: "x", arg: 1, scope: !456, file: !3, line: 114, type: !13)
!460 = !DILocation(line: 114, column: 18, scope: !456)
!461 = !DILocalVariable(name: "y", scope: !456, file: !3, line: 115, type: !13)
!462 = !DILocation(line: 115, column: 5, scope: !456)
!463 = !DILocation(line: 115, column: 9, scope: !456)
!464 = !DILocation(line: 115, column: 13, scope: !456)
!465 = !DILocation(line: 115, column: 11, scope: !456)
!466 = !DILocation(line: 116, column: 10, scope: !456)
!467 = !DILocation(line: 116, column: 3, scope: !456)
!468 = distinct !DISubprogram(name: "Area", linkageName: "_ZNK6shapes7Derived4AreaEv", scope: !122, file: !3, line: 30, type: !155, scopeLine: 30, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !167, retainedNodes: !196)
!469 = !DILocalVariable(name: "this", arg: 1, scope: !468, type: !470, flags: DIFlagArtificial | DIFlagObjectPointer)
!470 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !158, size: 64)
!471 = !DILocation(line: 0, scope: !468)
!472 = !DILocation(line: 30, column: 45, scope: !468)
!473 = !DILocation(line: 30, column: 53, scope: !468)
!474 = !DILocation(line: 30, column: 51, scope: !468)
!475 = !DILocation(line: 30, column: 38, scope: !468)
!476 = distinct !DISubprogram(name: "~Derived", linkageName: "_ZN6shapes7DerivedD1Ev", scope: !122, file: !3, line: 27, type: !169, scopeLine: 27, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !477, retainedNodes: !196)
!477 = !DISubprogram(name: "~Derived", linkageName: "_ZN6shapes7DerivedD4Ev", scope: !122, type: !169, containingType: !122, virtualIndex: 0, flags: DIFlagPublic | DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagVirtual)
!478 = !DILocalVariable(name: "this", arg: 1, scope: !476, type: !410, flags: DIFlagArtificial | DIFlagObjectPointer)
!479 = !DILocation(line: 0, scope: !476)
!480 = !DILocation(line: 27, column: 7, scope: !476)
!481 = distinct !DISubprogram(name: "Derived", linkageName: "_ZN6shapes7DerivedC2Ei", scope: !122, file: !3, line: 29, type: !164, scopeLine: 29, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !163, retainedNodes: !196)
!482 = !DILocalVariable(name: "this", arg: 1, scope: !481, type: !410, flags: DIFlagArtificial | DIFlagObjectPointer)
!483 = !DILocation(line: 0, scope: !481)
!484 = !DILocalVariable(name: "side", arg: 2, scope: !481, file: !3, line: 29, type: !13)
!485 = !DILocation(line: 29, column: 31, scope: !481)
!486 = !DILocation(line: 29, column: 19, scope: !481)
!487 = !DILocation(line: 29, column: 51, scope: !481)
!488 = !DILocation(line: 29, column: 39, scope: !481)
!489 = !DILocation(line: 29, column: 45, scope: !481)
!490 = !DILocation(line: 29, column: 52, scope: !481)
!491 = distinct !DISubprogram(name: "Base", linkageName: "_ZN6shapes4BaseC2Ev", scope: !125, file: !3, line: 12, type: !140, scopeLine: 12, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !492, retainedNodes: !196)
!492 = !DISubprogram(name: "Base", linkageName: "_ZN6shapes4BaseC4Ev", scope: !125, type: !140, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: 0)
!493 = !DILocalVariable(name: "this", arg: 1, scope: !491, type: !494, flags: DIFlagArtificial | DIFlagObjectPointer)
!494 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !125, size: 64)
!495 = !DILocation(line: 0, scope: !491)
!496 = !DILocation(line: 12, column: 8, scope: !491)
!497 = distinct !DISubprogram(name: "Reset", linkageName: "_ZN6shapes7Derived5ResetEv", scope: !122, file: !3, line: 31, type: !169, scopeLine: 31, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !168, retainedNodes: !196)
!498 = !DILocalVariable(name: "this", arg: 1, scope: !497, type: !410, flags: DIFlagArtificial | DIFlagObjectPointer)
!499 = !DILocation(line: 0, scope: !497)
!500 = !DILocation(line: 31, column: 34, scope: !497)
!501 = !DILocation(line: 31, column: 40, scope: !497)
!502 = !DILocation(line: 31, column: 45, scope: !497)
!503 = distinct !DISubprogram(name: "~Derived", linkageName: "_ZN6shapes7DerivedD0Ev", scope: !122, file: !3, line: 27, type: !169, scopeLine: 27, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !477, retainedNodes: !196)
!504 = !DILocalVariable(name: "this", arg: 1, scope: !503, type: !410, flags: DIFlagArtificial | DIFlagObjectPointer)
!505 = !DILocation(line: 0, scope: !503)
!506 = !DILocation(line: 27, column: 7, scope: !503)
!507 = distinct !DISubprogram(name: "Area", linkageName: "_ZNK6shapes4Base4AreaEv", scope: !125, file: !3, line: 13, type: !135, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !134, retainedNodes: !196)
!508 = !DILocalVariable(name: "this", arg: 1, scope: !507, type: !509, flags: DIFlagArtificial | DIFlagObjectPointer)
!509 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !138, size: 64)
!510 = !DILocation(line: 0, scope: !507)
!511 = !DILocation(line: 13, column: 37, scope: !507)
!512 = distinct !DISubprogram(name: "~Base", linkageName: "_ZN6shapes4BaseD1Ev", scope: !125, file: !3, line: 15, type: !140, scopeLine: 15, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !143, retainedNodes: !196)
!513 = !DILocalVariable(name: "this", arg: 1, scope: !512, type: !494, flags: DIFlagArtificial | DIFlagObjectPointer)
!514 = !DILocation(line: 0, scope: !512)
!515 = !DILocation(line: 15, column: 26, scope: !512)
!516 = distinct !DISubprogram(name: "~Base", linkageName: "_ZN6shapes4BaseD0Ev", scope: !125, file: !3, line: 15, type: !140, scopeLine: 15, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !143, retainedNodes: !196)
!517 = !DILocalVariable(name: "this", arg: 1, scope: !516, type: !494, flags: DIFlagArtificial | DIFlagObjectPointer)
!518 = !DILocation(line: 0, scope: !516)
!519 = !DILocation(line: 15, column: 26, scope: !516)
!520 = distinct !DISubprogram(name: "Get", linkageName: "_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiEN5Local3GetEv", scope: !221, file: !3, line: 125, type: !225, scopeLine: 125, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, declaration: !224, retainedNodes: !196)
!521 = !DILocalVariable(name: "this", arg: 1, scope: !520, type: !522, flags: DIFlagArtificial | DIFlagObjectPointer)
!522 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !221, size: 64)
!523 = !DILocation(line: 0, scope: !520)
!524 = !DILocation(line: 125, column: 31, scope: !520)
!525 = !DILocation(line: 125, column: 33, scope: !520)
!526 = !DILocation(line: 125, column: 24, scope: !520)
!527 = distinct !DISubprogram(name: "~Derived", linkageName: "_ZN6shapes7DerivedD2Ev", scope: !122, file: !3, line: 27, type: !169, scopeLine: 27, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !477, retainedNodes: !196)
!528 = !DILocalVariable(name: "this", arg: 1, scope: !527, type: !410, flags: DIFlagArtificial | DIFlagObjectPointer)
!529 = !DILocation(line: 0, scope: !527)
!530 = !DILocation(line: 27, column: 7, scope: !531)
!531 = distinct !DILexicalBlock(scope: !527, file: !3, line: 27, column: 7)
!532 = !DILocation(line: 27, column: 7, scope: !527)
!533 = distinct !DISubprogram(name: "~Base", linkageName: "_ZN6shapes4BaseD2Ev", scope: !125, file: !3, line: 15, type: !140, scopeLine: 15, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, declaration: !143, retainedNodes: !196)
!534 = !DILocalVariable(name: "this", arg: 1, scope: !533, type: !494, flags: DIFlagArtificial | DIFlagObjectPointer)
!535 = !DILocation(line: 0, scope: !533)
!536 = !DILocation(line: 15, column: 27, scope: !533)
