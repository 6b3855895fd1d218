define <6 x i16> @a(<4 x i24> %x, <3 x i32> %y, x86_fp80 %z, <2 x i128> %q) { %1 = bitcast <4 x i24> %x to <6 x i16>
 %2 = bitcast <3 x i32> %y to i96
 %3 = bitcast x86_fp80 %z to <5 x i16>
 %4 = bitcast <2 x i128> %q to <32 x i8>
 %5 = bitcast <2 x i128> %q to i256
 %6 = bitcast i256 %5 to <256 x i1>
 ret <6 x i16> %1 }
define <2 x ptr> @g(<2 x ptr> %p, <2 x i64> %i, ptr %s) { %a = getelementptr {i32, [4 x i8]}, <2 x ptr> %p, <2 x i64> %i, i32 1, <2 x i64> %i
 %b = getelementptr {i32, [4 x i8]}, ptr %s, <2 x i64> %i, <2 x i32> splat (i32 1), i256 3
 %c = icmp eq <2 x ptr> %a, %b
 %d = select <2 x i1> %c, <2 x ptr> %a, <2 x ptr> zeroinitializer
 %e = ptrtoint <2 x ptr> %d to <2 x i7>
 %f = inttoptr <2 x i7> %e to <2 x ptr>
 %g = select i1 poison, <2 x ptr> %a, <2 x ptr> undef
 %h = addrspacecast <2 x ptr> %g to <2 x ptr addrspace(7)>
 ret <2 x ptr> %f }
define {} @em({} %x, [0 x i32] %y) { %a = insertvalue {{}, i32} poison, {} %x, 0
 %b = extractvalue {{}, i32} %a, 0
 %c = select i1 true, {} %b, {} undef
 %d = freeze {} %c
 store {} %d, ptr null
 %e = load {}, ptr null
 ret {} %e }
define i32 @sw(i1 %x) { switch i1 %x, label %a [i1 true, label %b
 i1 false, label %a]
a: %p = phi i32 [1, %0], [1, %0]
 ret i32 %p
b: unreachable }
define void @self() { br label %l
l: %p = phi i129 [0, %0], [%q, %l]
 %q = add i129 %p, 1
 br label %l }
declare {i129, i32} @un()
define i32 @cu() { %r = call {i129, i32} @un()
 %x = extractvalue {i129, i32} %r, 1
 %y = call i32 @un2(i129 1, i32 %x)
 ret i32 %y }
declare i32 @un2(i129, i32)
define i129 @rr(i129 %x, i32 %y) { ret i129 %x }
define float @mis() { %a = call float @un2(i32 1)
 %b = call <3 x half> @mis(i1 true)
 %c = call {i32, float} @cu()
 ret float %a }
define void @mw(ptr %p) { %x = load <3 x i7>, ptr %p
 %y = load i1, ptr %p
 %w = load <vscale x 2 x ptr>, ptr %p
 store i65 -1, ptr %p
 store bfloat 0xR7FC0, ptr %p
 %z = fptoui bfloat 0xR7FC0 to i3
 %u = sitofp i3 %z to x86_fp80
 %t = fptrunc x86_fp80 %u to half
 %s = frem half %t, %t
 %r = fcmp uno half %s, %t
 %v = call half @llvm.pow.f16(half %s, half %t)
 %q = call i1 @llvm.is.fpclass.f16(half %s, i32 1023)
 %n = call float @llvm.powi.f32.i16(float 1.0, i16 3)
 %m = call i8 @llvm.ucmp.i8.i128(i128 1, i128 2)
 %l = call <2 x i2> @llvm.scmp.v2i2.v2i1(<2 x i1> poison, <2 x i1> zeroinitializer)
 %k = call i1 @llvm.abs.i1(i1 true, i1 false)
 %j = call i16 @llvm.bitreverse.i16(i16 3)
 %i = call i9 @llvm.ctlz.i9(i9 0, i1 false)
 %h = call <2 x i9> @llvm.umul.fix.v2i9(<2 x i9> poison, <2 x i9> poison, i32 1)
 %g = call {<2 x i9>, <2 x i1>} @llvm.umul.with.overflow.v2i9(<2 x i9> poison, <2 x i9> poison)
 %f = call double @llvm.vector.reduce.fadd.v2f64(double 0.0, <2 x double> poison)
 %e = call i1 @llvm.vector.reduce.smax.v1i1(<1 x i1> poison)
 %d = call ptr @llvm.stacksave.p0()
 %c = call i64 @llvm.lrint.i64.f32(float 1.0)
 %b = call i128 @llvm.lround.i128.f64(double 1.0)
 %a = call ptr addrspace(3) @llvm.ptrmask.p3.i64(ptr addrspace(3) null, i64 3)
 ret void }
