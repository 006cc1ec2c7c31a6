; ModuleID = 'sgemm.cu'
source_filename = "sgemm.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ5SgemmE6a_tile = internal unnamed_addr addrspace(3) global [16 x [64 x float]] undef, align 4
@_ZZ5SgemmE6b_tile = internal unnamed_addr addrspace(3) global [16 x [64 x float]] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @Sgemm(i32 noundef %0, i32 noundef %1, ptr noalias noundef readonly captures(none) %2, ptr noalias noundef readonly captures(none) %3, ptr noalias noundef writeonly captures(none) %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = and i32 %6, 15
  %8 = lshr i32 %6, 4
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %10 = shl nuw nsw i32 %9, 6
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %12 = shl i32 %11, 6
  %13 = icmp sgt i32 %1, 0
  br i1 %13, label %18, label %14

14:                                               ; preds = %5
  %15 = shl nuw nsw i32 %8, 2
  %16 = shl nuw nsw i32 %7, 2
  %17 = or disjoint i32 %16, %12
  br label %45

18:                                               ; preds = %5
  %19 = lshr i32 %6, 2
  %20 = shl nuw nsw i32 %6, 2
  %21 = and i32 %20, 12
  %22 = add nuw nsw i32 %10, %19
  %23 = mul nuw nsw i32 %1, %22
  %24 = add nuw i32 %23, %21
  %25 = zext nneg i32 %21 to i64
  %26 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5SgemmE6a_tile to ptr), i64 %25
  %27 = zext nneg i32 %19 to i64
  %28 = getelementptr inbounds nuw float, ptr %26, i64 %27
  %29 = getelementptr inbounds nuw i8, ptr %26, i64 256
  %30 = getelementptr inbounds nuw float, ptr %29, i64 %27
  %31 = getelementptr inbounds nuw i8, ptr %26, i64 512
  %32 = getelementptr inbounds nuw float, ptr %31, i64 %27
  %33 = getelementptr inbounds nuw i8, ptr %26, i64 768
  %34 = getelementptr inbounds nuw float, ptr %33, i64 %27
  %35 = shl nuw nsw i32 %7, 2
  %36 = or disjoint i32 %35, %12
  %37 = zext nneg i32 %8 to i64
  %38 = getelementptr inbounds nuw [64 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5SgemmE6b_tile to ptr), i64 %37
  %39 = zext nneg i32 %35 to i64
  %40 = getelementptr inbounds nuw float, ptr %38, i64 %39
  %41 = shl nuw nsw i32 %8, 2
  %42 = zext nneg i32 %41 to i64
  %43 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ5SgemmE6a_tile to ptr), i64 %42
  %44 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ5SgemmE6b_tile to ptr), i64 %39
  br label %96

45:                                               ; preds = %129, %14
  %46 = phi i32 [ %17, %14 ], [ %36, %129 ]
  %47 = phi i32 [ %15, %14 ], [ %41, %129 ]
  %48 = phi float [ 0.000000e+00, %14 ], [ %334, %129 ]
  %49 = phi float [ 0.000000e+00, %14 ], [ %336, %129 ]
  %50 = phi float [ 0.000000e+00, %14 ], [ %338, %129 ]
  %51 = phi float [ 0.000000e+00, %14 ], [ %340, %129 ]
  %52 = phi float [ 0.000000e+00, %14 ], [ %342, %129 ]
  %53 = phi float [ 0.000000e+00, %14 ], [ %344, %129 ]
  %54 = phi float [ 0.000000e+00, %14 ], [ %346, %129 ]
  %55 = phi float [ 0.000000e+00, %14 ], [ %348, %129 ]
  %56 = phi float [ 0.000000e+00, %14 ], [ %332, %129 ]
  %57 = phi float [ 0.000000e+00, %14 ], [ %330, %129 ]
  %58 = phi float [ 0.000000e+00, %14 ], [ %328, %129 ]
  %59 = phi float [ 0.000000e+00, %14 ], [ %326, %129 ]
  %60 = phi float [ 0.000000e+00, %14 ], [ %324, %129 ]
  %61 = phi float [ 0.000000e+00, %14 ], [ %322, %129 ]
  %62 = phi float [ 0.000000e+00, %14 ], [ %320, %129 ]
  %63 = phi float [ 0.000000e+00, %14 ], [ %318, %129 ]
  %64 = add nuw nsw i32 %47, %10
  %65 = mul nsw i32 %64, %0
  %66 = add i32 %46, %65
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds float, ptr %4, i64 %67
  store float %63, ptr %68, align 16, !tbaa !11
  %69 = getelementptr inbounds nuw i8, ptr %68, i64 4
  store float %62, ptr %69, align 4, !tbaa !11
  %70 = getelementptr inbounds nuw i8, ptr %68, i64 8
  store float %61, ptr %70, align 8, !tbaa !11
  %71 = getelementptr inbounds nuw i8, ptr %68, i64 12
  store float %60, ptr %71, align 4, !tbaa !11
  %72 = or disjoint i32 %64, 1
  %73 = mul nsw i32 %72, %0
  %74 = add i32 %46, %73
  %75 = sext i32 %74 to i64
  %76 = getelementptr inbounds float, ptr %4, i64 %75
  store float %59, ptr %76, align 16, !tbaa !11
  %77 = getelementptr inbounds nuw i8, ptr %76, i64 4
  store float %58, ptr %77, align 4, !tbaa !11
  %78 = getelementptr inbounds nuw i8, ptr %76, i64 8
  store float %57, ptr %78, align 8, !tbaa !11
  %79 = getelementptr inbounds nuw i8, ptr %76, i64 12
  store float %56, ptr %79, align 4, !tbaa !11
  %80 = or disjoint i32 %64, 2
  %81 = mul nsw i32 %80, %0
  %82 = add i32 %46, %81
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds float, ptr %4, i64 %83
  store float %48, ptr %84, align 16, !tbaa !11
  %85 = getelementptr inbounds nuw i8, ptr %84, i64 4
  store float %49, ptr %85, align 4, !tbaa !11
  %86 = getelementptr inbounds nuw i8, ptr %84, i64 8
  store float %50, ptr %86, align 8, !tbaa !11
  %87 = getelementptr inbounds nuw i8, ptr %84, i64 12
  store float %51, ptr %87, align 4, !tbaa !11
  %88 = or disjoint i32 %64, 3
  %89 = mul nsw i32 %88, %0
  %90 = add i32 %46, %89
  %91 = sext i32 %90 to i64
  %92 = getelementptr inbounds float, ptr %4, i64 %91
  store float %52, ptr %92, align 16, !tbaa !11
  %93 = getelementptr inbounds nuw i8, ptr %92, i64 4
  store float %53, ptr %93, align 4, !tbaa !11
  %94 = getelementptr inbounds nuw i8, ptr %92, i64 8
  store float %54, ptr %94, align 8, !tbaa !11
  %95 = getelementptr inbounds nuw i8, ptr %92, i64 12
  store float %55, ptr %95, align 4, !tbaa !11
  ret void

96:                                               ; preds = %18, %129
  %97 = phi float [ 0.000000e+00, %18 ], [ %334, %129 ]
  %98 = phi float [ 0.000000e+00, %18 ], [ %336, %129 ]
  %99 = phi float [ 0.000000e+00, %18 ], [ %338, %129 ]
  %100 = phi float [ 0.000000e+00, %18 ], [ %340, %129 ]
  %101 = phi float [ 0.000000e+00, %18 ], [ %342, %129 ]
  %102 = phi float [ 0.000000e+00, %18 ], [ %344, %129 ]
  %103 = phi float [ 0.000000e+00, %18 ], [ %346, %129 ]
  %104 = phi float [ 0.000000e+00, %18 ], [ %348, %129 ]
  %105 = phi float [ 0.000000e+00, %18 ], [ %332, %129 ]
  %106 = phi float [ 0.000000e+00, %18 ], [ %330, %129 ]
  %107 = phi float [ 0.000000e+00, %18 ], [ %328, %129 ]
  %108 = phi float [ 0.000000e+00, %18 ], [ %326, %129 ]
  %109 = phi float [ 0.000000e+00, %18 ], [ %324, %129 ]
  %110 = phi float [ 0.000000e+00, %18 ], [ %322, %129 ]
  %111 = phi float [ 0.000000e+00, %18 ], [ %320, %129 ]
  %112 = phi float [ 0.000000e+00, %18 ], [ %318, %129 ]
  %113 = phi i32 [ 0, %18 ], [ %130, %129 ]
  %114 = add i32 %24, %113
  %115 = sext i32 %114 to i64
  %116 = getelementptr inbounds float, ptr %2, i64 %115
  %117 = load float, ptr %116, align 16, !tbaa !11
  %118 = getelementptr inbounds nuw i8, ptr %116, i64 4
  %119 = load float, ptr %118, align 4, !tbaa !11
  %120 = getelementptr inbounds nuw i8, ptr %116, i64 8
  %121 = load float, ptr %120, align 8, !tbaa !11
  %122 = getelementptr inbounds nuw i8, ptr %116, i64 12
  %123 = load float, ptr %122, align 4, !tbaa !11
  store float %117, ptr %28, align 4, !tbaa !11
  store float %119, ptr %30, align 4, !tbaa !11
  store float %121, ptr %32, align 4, !tbaa !11
  store float %123, ptr %34, align 4, !tbaa !11
  %124 = add nuw nsw i32 %113, %8
  %125 = mul nsw i32 %124, %0
  %126 = add i32 %36, %125
  %127 = sext i32 %126 to i64
  %128 = getelementptr inbounds float, ptr %3, i64 %127
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %40, ptr noundef nonnull align 16 dereferenceable(16) %128, i64 16, i1 false), !tbaa.struct !13
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %132

129:                                              ; preds = %132
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %130 = add nuw nsw i32 %113, 16
  %131 = icmp slt i32 %130, %1
  br i1 %131, label %96, label %45, !llvm.loop !14

132:                                              ; preds = %132, %96
  %133 = phi float [ %97, %96 ], [ %334, %132 ]
  %134 = phi float [ %98, %96 ], [ %336, %132 ]
  %135 = phi float [ %99, %96 ], [ %338, %132 ]
  %136 = phi float [ %100, %96 ], [ %340, %132 ]
  %137 = phi float [ %101, %96 ], [ %342, %132 ]
  %138 = phi float [ %102, %96 ], [ %344, %132 ]
  %139 = phi float [ %103, %96 ], [ %346, %132 ]
  %140 = phi float [ %104, %96 ], [ %348, %132 ]
  %141 = phi float [ %105, %96 ], [ %332, %132 ]
  %142 = phi float [ %106, %96 ], [ %330, %132 ]
  %143 = phi float [ %107, %96 ], [ %328, %132 ]
  %144 = phi float [ %108, %96 ], [ %326, %132 ]
  %145 = phi float [ %109, %96 ], [ %324, %132 ]
  %146 = phi float [ %110, %96 ], [ %322, %132 ]
  %147 = phi float [ %111, %96 ], [ %320, %132 ]
  %148 = phi float [ %112, %96 ], [ %318, %132 ]
  %149 = phi i32 [ 0, %96 ], [ %349, %132 ]
  %150 = zext nneg i32 %149 to i64
  %151 = getelementptr inbounds nuw [64 x float], ptr %43, i64 %150
  %152 = load float, ptr %151, align 4, !tbaa !11
  %153 = getelementptr inbounds nuw i8, ptr %151, i64 4
  %154 = load float, ptr %153, align 4, !tbaa !11
  %155 = getelementptr inbounds nuw i8, ptr %151, i64 8
  %156 = load float, ptr %155, align 4, !tbaa !11
  %157 = getelementptr inbounds nuw i8, ptr %151, i64 12
  %158 = load float, ptr %157, align 4, !tbaa !11
  %159 = getelementptr inbounds nuw [64 x float], ptr %44, i64 %150
  %160 = load float, ptr %159, align 4, !tbaa !11
  %161 = getelementptr inbounds nuw i8, ptr %159, i64 4
  %162 = load float, ptr %161, align 4, !tbaa !11
  %163 = getelementptr inbounds nuw i8, ptr %159, i64 8
  %164 = load float, ptr %163, align 4, !tbaa !11
  %165 = getelementptr inbounds nuw i8, ptr %159, i64 12
  %166 = load float, ptr %165, align 4, !tbaa !11
  %167 = fmul contract float %152, %160
  %168 = fadd contract float %148, %167
  %169 = fmul contract float %152, %162
  %170 = fadd contract float %147, %169
  %171 = fmul contract float %152, %164
  %172 = fadd contract float %146, %171
  %173 = fmul contract float %152, %166
  %174 = fadd contract float %145, %173
  %175 = fmul contract float %154, %160
  %176 = fadd contract float %144, %175
  %177 = fmul contract float %154, %162
  %178 = fadd contract float %143, %177
  %179 = fmul contract float %154, %164
  %180 = fadd contract float %142, %179
  %181 = fmul contract float %154, %166
  %182 = fadd contract float %141, %181
  %183 = fmul contract float %156, %160
  %184 = fadd contract float %133, %183
  %185 = fmul contract float %156, %162
  %186 = fadd contract float %134, %185
  %187 = fmul contract float %156, %164
  %188 = fadd contract float %135, %187
  %189 = fmul contract float %156, %166
  %190 = fadd contract float %136, %189
  %191 = fmul contract float %158, %160
  %192 = fadd contract float %137, %191
  %193 = fmul contract float %158, %162
  %194 = fadd contract float %138, %193
  %195 = fmul contract float %158, %164
  %196 = fadd contract float %139, %195
  %197 = fmul contract float %158, %166
  %198 = fadd contract float %140, %197
  %199 = or disjoint i32 %149, 1
  %200 = zext nneg i32 %199 to i64
  %201 = getelementptr inbounds nuw [64 x float], ptr %43, i64 %200
  %202 = load float, ptr %201, align 4, !tbaa !11
  %203 = getelementptr inbounds nuw i8, ptr %201, i64 4
  %204 = load float, ptr %203, align 4, !tbaa !11
  %205 = getelementptr inbounds nuw i8, ptr %201, i64 8
  %206 = load float, ptr %205, align 4, !tbaa !11
  %207 = getelementptr inbounds nuw i8, ptr %201, i64 12
  %208 = load float, ptr %207, align 4, !tbaa !11
  %209 = getelementptr inbounds nuw [64 x float], ptr %44, i64 %200
  %210 = load float, ptr %209, align 4, !tbaa !11
  %211 = getelementptr inbounds nuw i8, ptr %209, i64 4
  %212 = load float, ptr %211, align 4, !tbaa !11
  %213 = getelementptr inbounds nuw i8, ptr %209, i64 8
  %214 = load float, ptr %213, align 4, !tbaa !11
  %215 = getelementptr inbounds nuw i8, ptr %209, i64 12
  %216 = load float, ptr %215, align 4, !tbaa !11
  %217 = fmul contract float %202, %210
  %218 = fadd contract float %168, %217
  %219 = fmul contract float %202, %212
  %220 = fadd contract float %170, %219
  %221 = fmul contract float %202, %214
  %222 = fadd contract float %172, %221
  %223 = fmul contract float %202, %216
  %224 = fadd contract float %174, %223
  %225 = fmul contract float %204, %210
  %226 = fadd contract float %176, %225
  %227 = fmul contract float %204, %212
  %228 = fadd contract float %178, %227
  %229 = fmul contract float %204, %214
  %230 = fadd contract float %180, %229
  %231 = fmul contract float %204, %216
  %232 = fadd contract float %182, %231
  %233 = fmul contract float %206, %210
  %234 = fadd contract float %184, %233
  %235 = fmul contract float %206, %212
  %236 = fadd contract float %186, %235
  %237 = fmul contract float %206, %214
  %238 = fadd contract float %188, %237
  %239 = fmul contract float %206, %216
  %240 = fadd contract float %190, %239
  %241 = fmul contract float %208, %210
  %242 = fadd contract float %192, %241
  %243 = fmul contract float %208, %212
  %244 = fadd contract float %194, %243
  %245 = fmul contract float %208, %214
  %246 = fadd contract float %196, %245
  %247 = fmul contract float %208, %216
  %248 = fadd contract float %198, %247
  %249 = or disjoint i32 %149, 2
  %250 = zext nneg i32 %249 to i64
  %251 = getelementptr inbounds nuw [64 x float], ptr %43, i64 %250
  %252 = load float, ptr %251, align 4, !tbaa !11
  %253 = getelementptr inbounds nuw i8, ptr %251, i64 4
  %254 = load float, ptr %253, align 4, !tbaa !11
  %255 = getelementptr inbounds nuw i8, ptr %251, i64 8
  %256 = load float, ptr %255, align 4, !tbaa !11
  %257 = getelementptr inbounds nuw i8, ptr %251, i64 12
  %258 = load float, ptr %257, align 4, !tbaa !11
  %259 = getelementptr inbounds nuw [64 x float], ptr %44, i64 %250
  %260 = load float, ptr %259, align 4, !tbaa !11
  %261 = getelementptr inbounds nuw i8, ptr %259, i64 4
  %262 = load float, ptr %261, align 4, !tbaa !11
  %263 = getelementptr inbounds nuw i8, ptr %259, i64 8
  %264 = load float, ptr %263, align 4, !tbaa !11
  %265 = getelementptr inbounds nuw i8, ptr %259, i64 12
  %266 = load float, ptr %265, align 4, !tbaa !11
  %267 = fmul contract float %252, %260
  %268 = fadd contract float %218, %267
  %269 = fmul contract float %252, %262
  %270 = fadd contract float %220, %269
  %271 = fmul contract float %252, %264
  %272 = fadd contract float %222, %271
  %273 = fmul contract float %252, %266
  %274 = fadd contract float %224, %273
  %275 = fmul contract float %254, %260
  %276 = fadd contract float %226, %275
  %277 = fmul contract float %254, %262
  %278 = fadd contract float %228, %277
  %279 = fmul contract float %254, %264
  %280 = fadd contract float %230, %279
  %281 = fmul contract float %254, %266
  %282 = fadd contract float %232, %281
  %283 = fmul contract float %256, %260
  %284 = fadd contract float %234, %283
  %285 = fmul contract float %256, %262
  %286 = fadd contract float %236, %285
  %287 = fmul contract float %256, %264
  %288 = fadd contract float %238, %287
  %289 = fmul contract float %256, %266
  %290 = fadd contract float %240, %289
  %291 = fmul contract float %258, %260
  %292 = fadd contract float %242, %291
  %293 = fmul contract float %258, %262
  %294 = fadd contract float %244, %293
  %295 = fmul contract float %258, %264
  %296 = fadd contract float %246, %295
  %297 = fmul contract float %258, %266
  %298 = fadd contract float %248, %297
  %299 = or disjoint i32 %149, 3
  %300 = zext nneg i32 %299 to i64
  %301 = getelementptr inbounds nuw [64 x float], ptr %43, i64 %300
  %302 = load float, ptr %301, align 4, !tbaa !11
  %303 = getelementptr inbounds nuw i8, ptr %301, i64 4
  %304 = load float, ptr %303, align 4, !tbaa !11
  %305 = getelementptr inbounds nuw i8, ptr %301, i64 8
  %306 = load float, ptr %305, align 4, !tbaa !11
  %307 = getelementptr inbounds nuw i8, ptr %301, i64 12
  %308 = load float, ptr %307, align 4, !tbaa !11
  %309 = getelementptr inbounds nuw [64 x float], ptr %44, i64 %300
  %310 = load float, ptr %309, align 4, !tbaa !11
  %311 = getelementptr inbounds nuw i8, ptr %309, i64 4
  %312 = load float, ptr %311, align 4, !tbaa !11
  %313 = getelementptr inbounds nuw i8, ptr %309, i64 8
  %314 = load float, ptr %313, align 4, !tbaa !11
  %315 = getelementptr inbounds nuw i8, ptr %309, i64 12
  %316 = load float, ptr %315, align 4, !tbaa !11
  %317 = fmul contract float %302, %310
  %318 = fadd contract float %268, %317
  %319 = fmul contract float %302, %312
  %320 = fadd contract float %270, %319
  %321 = fmul contract float %302, %314
  %322 = fadd contract float %272, %321
  %323 = fmul contract float %302, %316
  %324 = fadd contract float %274, %323
  %325 = fmul contract float %304, %310
  %326 = fadd contract float %276, %325
  %327 = fmul contract float %304, %312
  %328 = fadd contract float %278, %327
  %329 = fmul contract float %304, %314
  %330 = fadd contract float %280, %329
  %331 = fmul contract float %304, %316
  %332 = fadd contract float %282, %331
  %333 = fmul contract float %306, %310
  %334 = fadd contract float %284, %333
  %335 = fmul contract float %306, %312
  %336 = fadd contract float %286, %335
  %337 = fmul contract float %306, %314
  %338 = fadd contract float %288, %337
  %339 = fmul contract float %306, %316
  %340 = fadd contract float %290, %339
  %341 = fmul contract float %308, %310
  %342 = fadd contract float %292, %341
  %343 = fmul contract float %308, %312
  %344 = fadd contract float %294, %343
  %345 = fmul contract float %308, %314
  %346 = fadd contract float %296, %345
  %347 = fmul contract float %308, %316
  %348 = fadd contract float %298, %347
  %349 = add nuw nsw i32 %149, 4
  %350 = icmp eq i32 %349, 16
  br i1 %350, label %129, label %132, !llvm.loop !16
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4, !5}
!llvm.errno.tbaa = !{!6}
!nvvmir.version = !{!10}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 9]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!5 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i32 2, i32 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !8, i64 0}
!13 = !{i64 0, i64 4, !11, i64 4, i64 4, !11, i64 8, i64 4, !11, i64 12, i64 4, !11}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.mustprogress"}
!16 = distinct !{!16, !15, !17}
!17 = !{!"llvm.loop.unroll.disable"}
