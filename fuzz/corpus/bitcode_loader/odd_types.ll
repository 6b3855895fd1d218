define i32 @f(i32 %x) { 
 %a = alloca [4611686018427387904 x i64]
 %b = alloca i32, i64 9223372036854775807
 %c = alloca i32, i128 9223372036854775807999
 %v = load [4611686018427387904 x i64], ptr %a
 store [4611686018427387904 x i64] %v, ptr %a
 ret i32 0 }
define <4 x i1> @g(<4 x i1> %x, ptr %p) { store <4 x i1> %x, ptr %p
 %v = load <4 x i1>, ptr %p
 %s = shufflevector <4 x i1> %v, <4 x i1> poison, <4 x i32> <i32 poison, i32 7, i32 0, i32 3>
 %e = extractelement <4 x i1> %s, i64 9
 %i = insertelement <4 x i1> %s, i1 %e, i64 9
 ret <4 x i1> %i }
define i129 @h(i129 %x, ptr %p) { %y = add i129 %x, 1
 store i129 %y, ptr %p
 switch i129 %y, label %a [i129 680564733841876926926749214863536422912, label %b]
a: ret i129 %x
b: ret i129 %y }
define <vscale x 4 x i32> @sc(<vscale x 4 x i32> %x, ptr %p) { store <vscale x 4 x i32> %x, ptr %p
 %a = alloca <vscale x 4 x i32>
 ret <vscale x 4 x i32> %x }
define target("spirv.Image") @te(target("spirv.Image") %x) { ret target("spirv.Image") %x }
define ppc_fp128 @pp(ppc_fp128 %x) { %y = fadd ppc_fp128 %x, 0xM00000000000000000000000000000000
 ret ppc_fp128 %y }
define void @tok() { ret void }
