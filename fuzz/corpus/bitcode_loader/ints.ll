source_filename = "ints.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define dso_local i32 @f(i32 noundef %0, i32 noundef %1, i64 noundef %2, i128 noundef %3) local_unnamed_addr {
  %5 = tail call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %0, i32 %1)
  %6 = extractvalue { i32, i1 } %5, 1
  br i1 %6, label %7, label %9

7:                                                ; preds = %4
  %8 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %1)
  br label %25

9:                                                ; preds = %4
  %10 = extractvalue { i32, i1 } %5, 0
  %11 = sdiv i32 %10, %0
  %12 = lshr i64 %2, 3
  %13 = trunc i64 %12 to i32
  %14 = srem i32 %13, 5
  %15 = mul nsw i128 %3, %3
  %16 = lshr i128 %15, 70
  %17 = trunc i128 %16 to i32
  %18 = tail call i32 @llvm.bswap.i32(i32 %1)
  %19 = or i32 %1, 1
  %20 = tail call range(i32 0, 32) i32 @llvm.ctlz.i32(i32 %19, i1 true)
  %21 = add i32 %20, %18
  %22 = add i32 %21, %14
  %23 = add i32 %22, %17
  %24 = add i32 %23, %11
  br label %25

25:                                               ; preds = %9, %7
  %26 = phi i32 [ %8, %7 ], [ %24, %9 ]
  ret i32 %26
}

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)

declare i32 @llvm.ctpop.i32(i32)

declare i32 @llvm.bswap.i32(i32)

declare i32 @llvm.ctlz.i32(i32, i1 immarg)



