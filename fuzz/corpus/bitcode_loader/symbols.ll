@ctors1 = global i32 0
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr null, ptr null }, { i32, ptr, ptr } { i32 1, ptr @f, ptr @x }]
@llvm.used = appending global [1 x ptr] [ptr @x], section "llvm.metadata"
@x = thread_local global i32 3
@al = alias i32, ptr @x
@al2 = alias i32, getelementptr (i8, ptr @x, i64 1)
@al3 = alias void (), ptr @f
@if = ifunc void (), ptr @res
@if2 = ifunc void (), ptr @res2
define internal ptr @res() { ret ptr @f }
define internal ptr @res2() { ret ptr @if3 }
@if3 = ifunc void (), ptr @res
@p1 = global ptr @al2
@p2 = global ptr @if2
@p3 = global i64 ptrtoint (ptr @al to i64)
@p4 = global i64 sub (i64 ptrtoint (ptr @ctors1 to i64), i64 ptrtoint (ptr @p1 to i64))
@p5 = global i32 trunc (i64 ptrtoint (ptr @ctors1 to i64) to i32)
@p6 = global <2 x ptr> <ptr @al, ptr @f>
@p7 = global ptr dso_local_equivalent @f
@p8 = global ptr no_cfi @f
@p9 = global [2 x ptr] [ptr blockaddress(@bb, %l), ptr null]
@p10 = global i128 add (i128 ptrtoint (ptr @ctors1 to i128), i128 5)
@p11 = global ptr addrspace(3) addrspacecast (ptr @ctors1 to ptr addrspace(3))
@p12 = global ptr inttoptr (i128 680564733841876926 to ptr)
@p13 = global ptr inttoptr (i8 255 to ptr)
@p14 = global <4 x i32> splat (i32 7)
@p15 = global x86_fp80 0xK4000C8F5C28F5C28F800
@p16 = global {half, bfloat, fp128} {half 0xH3C00, bfloat 0xR3F80, fp128 0xL00000000000000003FFF000000000000}
@p17 = global i1 true
@p18 = global <{ i7, i24, i65, [3 x i1] }> <{ i7 -1, i24 -1, i65 -1, [3 x i1] [i1 1, i1 1, i1 0] }>
@p19 = global <3 x i24> <i24 -1, i24 2, i24 3>
@p20 = global i128 -1, align 1
@p21 = external global { }
@p22 = global { } zeroinitializer
@p23 = external global [0 x { }]
@p24 = external global %op
%op = type opaque
define void @f() { %t = load i32, ptr @al2
 call void @if()
 call void @if2()
 ret void }
define void @bb(ptr %p) { indirectbr ptr %p, [label %l, label %m]
l: %q = phi i32 [0, %0]
 ret void
m: %r = phi i32 [1, %0]
 callbr void asm "", "!i"() to label %n [label %o]
n: ret void
o: ret void }
